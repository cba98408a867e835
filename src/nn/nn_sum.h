/* Sums whose order is part of the result. A sum of n floats is made in blocks of 4,096: within a block, 16 lanes, of
 * which lane i adds up the elements with index i mod 16 in order; then lanes i and i + 8 are added, then i + 4, i +
 * 2, i + 1. The sums of the blocks are added in order. The order does not depend on the width of vectors, and
 * threads may own blocks. */
#ifndef SIXER_NN_SUM_H
#define SIXER_NN_SUM_H

#include <math.h>
#include <stddef.h>

enum { NN_LANES = 16, NN_SUM_BLOCK = 4096 };

static inline float nn_lanes_total(float lanes[NN_LANES]) {
  for (int width = NN_LANES / 2; width > 0; width /= 2)
    for (int i = 0; i < width; i++) lanes[i] += lanes[i + width];
  return lanes[0];
}

/* The sum of one block of at most 4,096 numbers: of x, or of the products of x and y, fused. */
static inline float nn_sum_block(const float *x, size_t count) {
  float lanes[NN_LANES] = {0};
  size_t i = 0;
  for (; i + NN_LANES <= count; i += NN_LANES)
    for (int lane = 0; lane < NN_LANES; lane++) lanes[lane] += x[i + (size_t)lane];
  for (; i < count; i++) lanes[i % NN_LANES] += x[i];
  return nn_lanes_total(lanes);
}

static inline float nn_dot_block(const float *x, const float *y, size_t count) {
  float lanes[NN_LANES] = {0};
  size_t i = 0;
  for (; i + NN_LANES <= count; i += NN_LANES)
    for (int lane = 0; lane < NN_LANES; lane++)
      lanes[lane] = fmaf(x[i + (size_t)lane], y[i + (size_t)lane], lanes[lane]);
  for (; i < count; i++) lanes[i % NN_LANES] = fmaf(x[i], y[i], lanes[i % NN_LANES]);
  return nn_lanes_total(lanes);
}

static inline float nn_sum(const float *x, size_t count) {
  float total = 0;
  for (size_t i = 0; i < count; i += NN_SUM_BLOCK)
    total += nn_sum_block(x + i, count - i < NN_SUM_BLOCK ? count - i : NN_SUM_BLOCK);
  return total;
}

static inline float nn_dot(const float *x, const float *y, size_t count) {
  float total = 0;
  for (size_t i = 0; i < count; i += NN_SUM_BLOCK)
    total += nn_dot_block(x + i, y + i, count - i < NN_SUM_BLOCK ? count - i : NN_SUM_BLOCK);
  return total;
}

#endif
