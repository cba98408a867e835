/* The inner loops of the fast engine, once per instruction set, all with the same bytes; internal to src/nn.
 *
 * Convolutions and dense layers, forward and backward, are the same small matrix product with other strides: a tile.
 * For every row i and column j of a tile
 *
 *     c[i][j] = start; for o < outer: for t < inner: c[i][j] = fma(a[i][o][t], b[o][t][j], c[i][j])
 *
 * so each output is one chain in the order of o and t. Vectors run over columns, never along a chain, and several
 * rows and columns at once keep the multipliers busy. Columns come in panels of 16.
 *
 * All counts of elements below are multiples of 16. */
#ifndef SIXER_NN_KERNELS_H
#define SIXER_NN_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nn/nn_optimizer.h"
#include "util/os_cpu.h"

typedef struct nn_tile {
  enum { NN_FROM_ZERO, NN_FROM_C, NN_FROM_BIAS } start;
  enum { NN_END_PLAIN, NN_END_RELU, NN_END_MASK } end;
  enum { NN_FETCH_NOTHING, NN_FETCH_A, NN_FETCH_B } fetch; /* ahead of its use */
  int outer, inner;
  const ptrdiff_t *a_outer, *b_outer; /* offsets of each step of `outer` */
  /* Rows are of one of two kinds. If a_row is 1 and a_rows NULL, the rows of a are adjacent floats, c_row is 16, and
   * the strides of `inner` are free. Else those are 1 and 16, and there are at most 1,024 rows. */
  ptrdiff_t a_inner, b_inner;
  const ptrdiff_t *a_rows, *c_rows; /* offsets of rows; NULL: equal strides, as follows */
  ptrdiff_t a_row, c_row;
  ptrdiff_t b_panel, c_panel; /* strides of panels */
  const float *bias;
  ptrdiff_t mask; /* NN_END_MASK: the mask of c[i] is c[i + mask]; c is 0 where it is not above 0 */
} nn_tile;

enum { TILE_AHEAD = 64, OUTER_AHEAD = 3 }; /* see nn_tile_body.h */

/* One tile with a fixed number of rows, whose offsets are given. */
typedef void nn_tile_function(const nn_tile *t, const float *a, const ptrdiff_t *a_rows,
                              const float *b, float *c, const ptrdiff_t *c_rows, const float *bias);

typedef struct nn_kernels {
  /* Rows that a group of samples should have (the largest tile, or a multiple). */
  int group;
  void (*tile)(const nn_tile *t, int rows, int panels, const float *a, const float *b, float *c);
  /* The first `count` pixels of 4 planes of bytes, `area` apart, to floats: (pixel, channel), divided by 255. */
  void (*convert4)(const uint8_t *planes, size_t area, size_t count, float *x);
  /* Moments that are `next` floats further on, if it is not 0, are fetched: they come after these. */
  void (*step)(const nn_step *step, float *w, float *first, float *second, const float *g,
               size_t count, ptrdiff_t next);
  float (*square_block)(const float *x, size_t count); /* nn_dot_block(x, x, count) */
  void (*add_rows)(const float *x, ptrdiff_t stride, int rows, int count, float *sum);
  /* rows of 16 weights: mean + sigma (in[row] out[0..15]), and g (in[row] out[]) */
  void (*compose)(const float *mean, const float *sigma, const float *in, const float *out,
                  int rows, float *weights);
  void (*sigma)(const float *g, const float *in, const float *out, int rows, float *g_sigma);
  void (*multiply)(const float *x, const float *y, float *product, size_t count);
  void (*mask)(const float *y, float *d, size_t count); /* d = y > 0 ? d : 0 */
  /* d_phi = phi > 0 ? d x : 0 and d_x = fma(d, phi, d_x) */
  void (*mix_backward)(const float *d, const float *phi, const float *x, float *d_phi, float *d_x,
                       size_t count);
  /* LayerNorm of a group. `moments` are the mean and the inverse deviation. Forward ends with the ReLU. */
  void (*norm)(const float *z, int size, float epsilon, const float *scale, const float *shift,
               float moments[2], float *y);
  void (*norm_backward)(const float *z, int size, const float moments[2], const float *scale,
                        float *dy);
  /* d_scale += dy x and d_shift += dy for 16 values of each of `groups` groups, in order */
  void (*norm_affine)(const float *z, ptrdiff_t z_row, const float *dy, ptrdiff_t dy_row,
                      const float *moments, int groups, float *d_scale, float *d_shift);
  /* row[i] = columns[16 i], or 0 where the mask, if there is one, is not above 0 */
  void (*turn)(const float *columns, const float *mask, float *row, size_t count);
  size_t (*peak)(size_t steps, float *result); /* see nn_peak() */
} nn_kernels;

extern const nn_kernels nn_kernels_plain;
#if OS_X86_64
extern const nn_kernels nn_kernels_avx2, nn_kernels_avx512;
#elif OS_ARM64
extern const nn_kernels nn_kernels_neon;
#elif defined(__wasm_simd128__)
extern const nn_kernels nn_kernels_wasm;
#endif

#endif
