/* Kernels in portable C, for processors without the instructions of the others. A "vector" is one float. */
#include <string.h>

#include "nn/nn_kernels.h"
#include "nn/nn_math.h"

#define TARGET
typedef float vec;
enum { WIDTH = 1 };
#define SET(x)                 (x)
#define LOAD(p)                (*(p))
#define STORE(p, v)            (*(p) = (v))
#define ADD(a, b)              ((a) + (b))
#define SUB(a, b)              ((a) - (b))
#define MUL(a, b)              ((a) * (b))
#define DIV(a, b)              ((a) / (b))
#define SQRT(a)                sqrtf(a)
#define FMA(a, b, c)           nn_fma(a, b, c)
#define ACCUMULATE(sum, a, b)  ((sum) = nn_fma(a, b, sum))
#define RELU(v)                (0 > (v) ? 0 : (v))
#define ABS(v)                 fabsf(v)
#define NEGATE(v)              (-(v))
#define POSITIVE(m, v)         ((m) > 0 ? (v) : 0)
#define IF_LESS(a, b, yes, no) ((a) < (b) ? (yes) : (no))

static void one_row(const nn_tile *t, const float *a, const float *b, const float *bias, float *c) {
  float sum[16];
  for (int j = 0; j < 16; j++)
    sum[j] = t->start == NN_FROM_ZERO ? 0 : t->start == NN_FROM_C ? c[j] : bias[j];
  for (int o = 0; o < t->outer; o++) {
    const float *x = a + t->a_outer[o], *y = b + t->b_outer[o];
    for (int n = 0; n < t->inner; n++)
      for (int j = 0; j < 16; j++)
        sum[j] = nn_fma(x[n * t->a_inner], y[n * t->b_inner + j], sum[j]);
  }
  for (int j = 0; j < 16; j++) {
    if (t->end == NN_END_RELU) sum[j] = RELU(sum[j]);
    if (t->end == NN_END_MASK) sum[j] = POSITIVE(c[t->mask + j], sum[j]);
    c[j] = sum[j];
  }
}

static void tile(const nn_tile *t, int rows, int panels, const float *a, const float *b, float *c) {
  for (int p = 0; p < panels; p++)
    for (int i = 0; i < rows; i++)
      one_row(t, a + (t->a_rows ? t->a_rows[i] : i * t->a_row), b + p * t->b_panel,
              t->start == NN_FROM_BIAS ? t->bias + p * 16 : b,
              c + p * t->c_panel + (t->c_rows ? t->c_rows[i] : i * t->c_row));
}

#define OWN_TILES
#include "nn/nn_vector_body.h"

static void convert4(const uint8_t *planes, size_t area, size_t count, float *x) {
  convert4_from(0, planes, area, count, x);
}

const nn_kernels nn_kernels_plain = {VECTOR_KERNELS, .convert4 = convert4};
