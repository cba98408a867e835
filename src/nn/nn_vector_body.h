/* The loops over single elements, in terms of the vectors of an instruction set; included once per set (nn_avx2.c
 * shows what it defines). The order of operations is that of nn_reference.c, nn_optimizer.h and nn_sum.h. */
#include <math.h>
#include <stdbool.h>

#include "nn/nn_sum.h"

#ifndef OWN_TILES
/* ---- Tiles ----------------------------------------------------------------------------------------------------- */

enum { MOST_ROWS = 1024 };

/* All rows of as many panels as the functions serve, in equal parts. */
static inline void run_panels(nn_tile_function *const *functions, const nn_tile *t, int rows,
                              const float *a, const ptrdiff_t *a_rows, const float *b, float *c,
                              const ptrdiff_t *c_rows, const float *bias) {
  int parts = (rows + TILE_ROWS - 1) / TILE_ROWS, size = rows / parts, larger = rows % parts;
  for (int p = 0, begin = 0; p < parts; p++) {
    int count = size + (p < larger);
    if (a_rows)
      functions[count](t, a, a_rows + begin, b, c, c_rows + begin, bias);
    else
      functions[count](t, a + begin, NULL, b, c + begin * 16, NULL, bias);
    begin += count;
  }
}

/* Tables of rows, if the tile has only strides. */
static inline const ptrdiff_t *row_table(const ptrdiff_t *rows, ptrdiff_t stride, int count,
                                         ptrdiff_t *table) {
  if (rows) return rows;
  for (int i = 0; i < count; i++) table[i] = i * stride;
  return table;
}

static void tile(const nn_tile *t, int rows, int panels, const float *a, const float *b, float *c) {
  const float *const bias = t->start == NN_FROM_BIAS ? t->bias : b; /* else it is not read */
  bool contiguous = !t->a_rows && t->a_row == 1;
  ptrdiff_t a_table[MOST_ROWS], c_table[MOST_ROWS];
  const ptrdiff_t *a_rows = NULL, *c_rows = NULL;
  if (!contiguous) {
    a_rows = row_table(t->a_rows, t->a_row, rows, a_table);
    c_rows = row_table(t->c_rows, t->c_row, rows, c_table);
  }
  int p = 0;
  /* a single row has too few chains per panel */
  for (; rows == 1 && !contiguous && p + TILE_WIDE <= panels; p += TILE_WIDE)
    wide_tiles[1](t, a, a_rows, b + p * t->b_panel, c + p * t->c_panel, c_rows, bias + p * 16);
  for (; p + TILE_PANELS <= panels; p += TILE_PANELS)
    run_panels(contiguous ? tiles_contiguous : tiles, t, rows, a, a_rows, b + p * t->b_panel,
               c + p * t->c_panel, c_rows, bias + p * 16);
#if TILE_PANELS > 1
  for (; p < panels; p++)
    run_panels(contiguous ? narrow_tiles_contiguous : narrow_tiles, t, rows, a, a_rows,
               b + p * t->b_panel, c + p * t->c_panel, c_rows, bias + p * 16);
#endif
}

#endif
/* ---- Optimizers ------------------------------------------------------------------------------------------------ */

static TARGET void step(const nn_step *s, float *w, float *first, float *second, const float *g,
                        size_t count, ptrdiff_t next) {
  const vec clip = SET(s->clip), keep1 = SET(s->keep1), gain1 = SET(s->gain1);
  const vec keep2 = SET(s->keep2), gain2 = SET(s->gain2), rate = SET(s->rate);
  const vec correct2 = SET(s->correct2), epsilon = SET(s->epsilon), tiny = SET(NN_TINY);
  const vec zero = SET(0);
  for (size_t i = 0; i < count; i += WIDTH) {
    if (next && i % 16 == 0) {
      __builtin_prefetch(first + i + next, 1);
      __builtin_prefetch(second + i + next, 1);
    }
    vec d = MUL(LOAD(g + i), clip);
    vec m = FMA(keep1, LOAD(first + i), MUL(gain1, d));
    vec v = FMA(keep2, LOAD(second + i), MUL(MUL(gain2, d), d));
    m = IF_LESS(ABS(m), tiny, zero, m);
    v = IF_LESS(v, tiny, zero, v);
    STORE(first + i, m);
    STORE(second + i, v);
    vec change;
    if (s->kind == NN_STEP_ADAPTIVE) {
      change = DIV(MUL(rate, m), ADD(SQRT(MUL(v, correct2)), epsilon));
    } else if (s->kind == NN_STEP_MOMENTUM) {
      change = MUL(rate, m);
    } else {
      vec variance = FMA(NEGATE(m), m, v);
      variance = IF_LESS(variance, zero, zero, variance);
      change = DIV(MUL(rate, d), SQRT(ADD(variance, epsilon)));
    }
    STORE(w + i, ADD(LOAD(w + i), change));
  }
}

/* ---- Sums ------------------------------------------------------------------------------------------------------ */

enum { LANE_VECTORS = NN_LANES / WIDTH };

#ifndef LANES_TOTAL
#define LANES_TOTAL(lanes) lanes_total(lanes)
static TARGET float lanes_total(const vec *lanes) {
  float sums[NN_LANES];
  for (int j = 0; j < LANE_VECTORS; j++) STORE(sums + j * WIDTH, lanes[j]);
  return nn_lanes_total(sums);
}
#endif

static TARGET float square_block(const float *x, size_t count) {
  vec lanes[LANE_VECTORS];
  for (int j = 0; j < LANE_VECTORS; j++) lanes[j] = SET(0);
  for (size_t i = 0; i < count; i += NN_LANES)
    for (int j = 0; j < LANE_VECTORS; j++) {
      vec v = LOAD(x + i + j * WIDTH);
      lanes[j] = FMA(v, v, lanes[j]);
    }
  return LANES_TOTAL(lanes);
}

static TARGET void add_rows(const float *x, ptrdiff_t stride, int rows, int count, float *sum) {
  for (int i = 0; i < count; i += WIDTH) {
    vec s = LOAD(sum + i);
    const float *from = x + i;
    for (int r = 0; r < rows; r++, from += stride) s = ADD(s, LOAD(from));
    STORE(sum + i, s);
  }
}

/* ---- Noise ----------------------------------------------------------------------------------------------------- */

static TARGET void compose(const float *mean, const float *sigma_weight, const float *in,
                           const float *out, int rows, float *weights) {
  for (int r = 0; r < rows; r++) {
    const vec x = SET(in[r]);
    for (int j = 0; j < 16; j += WIDTH) {
      int i = r * 16 + j;
      STORE(weights + i, FMA(LOAD(sigma_weight + i), MUL(LOAD(out + j), x), LOAD(mean + i)));
    }
  }
}

static TARGET void sigma(const float *g, const float *in, const float *out, int rows,
                         float *g_sigma) {
  for (int r = 0; r < rows; r++) {
    const vec x = SET(in[r]);
    for (int j = 0; j < 16; j += WIDTH) {
      int i = r * 16 + j;
      STORE(g_sigma + i, MUL(LOAD(g + i), MUL(LOAD(out + j), x)));
    }
  }
}

/* ---- Quantile embedding ---------------------------------------------------------------------------------------- */

static TARGET void multiply(const float *x, const float *y, float *product, size_t count) {
  for (size_t i = 0; i < count; i += WIDTH) STORE(product + i, MUL(LOAD(x + i), LOAD(y + i)));
}

static TARGET void mask(const float *y, float *d, size_t count) {
  for (size_t i = 0; i < count; i += WIDTH) STORE(d + i, POSITIVE(LOAD(y + i), LOAD(d + i)));
}

static TARGET void mix_backward(const float *d, const float *phi, const float *x, float *d_phi,
                                float *d_x, size_t count) {
  for (size_t i = 0; i < count; i += WIDTH) {
    vec p = LOAD(phi + i), v = LOAD(d + i);
    STORE(d_phi + i, POSITIVE(p, MUL(v, LOAD(x + i))));
    STORE(d_x + i, FMA(v, p, LOAD(d_x + i)));
  }
}

/* ---- LayerNorm ------------------------------------------------------------------------------------------------- */

static TARGET void norm(const float *z, int size, float epsilon, const float *scale,
                        const float *shift, float moments[2], float *y) {
  vec lanes[LANE_VECTORS];
  float sum = 0, squares = 0;
  for (int begin = 0; begin < size; begin += NN_SUM_BLOCK) {
    int end = size - begin < NN_SUM_BLOCK ? size : begin + NN_SUM_BLOCK;
    for (int j = 0; j < LANE_VECTORS; j++) lanes[j] = SET(0);
    for (int i = begin; i < end; i += NN_LANES)
      for (int j = 0; j < LANE_VECTORS; j++) lanes[j] = ADD(lanes[j], LOAD(z + i + j * WIDTH));
    sum += LANES_TOTAL(lanes);
  }
  float mean = sum / (float)size;
  const vec center = SET(mean);
  for (int begin = 0; begin < size; begin += NN_SUM_BLOCK) {
    int end = size - begin < NN_SUM_BLOCK ? size : begin + NN_SUM_BLOCK;
    for (int j = 0; j < LANE_VECTORS; j++) lanes[j] = SET(0);
    for (int i = begin; i < end; i += NN_LANES)
      for (int j = 0; j < LANE_VECTORS; j++) {
        vec d = SUB(LOAD(z + i + j * WIDTH), center);
        lanes[j] = FMA(d, d, lanes[j]);
      }
    squares += LANES_TOTAL(lanes);
  }
  float inverse = 1 / sqrtf(squares / (float)size + epsilon);
  moments[0] = mean;
  moments[1] = inverse;
  const vec factor = SET(inverse);
  for (int i = 0; i < size; i += WIDTH) {
    vec x = MUL(SUB(LOAD(z + i), center), factor);
    STORE(y + i, RELU(FMA(x, LOAD(scale + i), LOAD(shift + i))));
  }
}

static TARGET void norm_backward(const float *z, int size, const float moments[2],
                                 const float *scale, float *dy) {
  const vec center = SET(moments[0]), factor = SET(moments[1]);
  vec sums[LANE_VECTORS], dots[LANE_VECTORS];
  float sum = 0, dot = 0;
  for (int begin = 0; begin < size; begin += NN_SUM_BLOCK) {
    int end = size - begin < NN_SUM_BLOCK ? size : begin + NN_SUM_BLOCK;
    for (int j = 0; j < LANE_VECTORS; j++) sums[j] = dots[j] = SET(0);
    for (int i = begin; i < end; i += NN_LANES)
      for (int j = 0; j < LANE_VECTORS; j++) {
        int k = i + j * WIDTH;
        vec x = MUL(SUB(LOAD(z + k), center), factor), g = MUL(LOAD(dy + k), LOAD(scale + k));
        sums[j] = ADD(sums[j], g);
        dots[j] = FMA(g, x, dots[j]);
      }
    sum += LANES_TOTAL(sums);
    dot += LANES_TOTAL(dots);
  }
  const vec mean_g = SET(sum / (float)size), mean_gx = SET(dot / (float)size);
  for (int i = 0; i < size; i += WIDTH) {
    vec x = MUL(SUB(LOAD(z + i), center), factor), g = MUL(LOAD(dy + i), LOAD(scale + i));
    STORE(dy + i, MUL(factor, FMA(NEGATE(x), mean_gx, SUB(g, mean_g))));
  }
}

static TARGET void norm_affine(const float *z, ptrdiff_t z_row, const float *dy, ptrdiff_t dy_row,
                               const float *moments, int groups, float *d_scale, float *d_shift) {
  for (int j = 0; j < 16; j += WIDTH) {
    vec scale = LOAD(d_scale + j), shift = LOAD(d_shift + j);
    for (int g = 0; g < groups; g++) {
      vec x = MUL(SUB(LOAD(z + g * z_row + j), SET(moments[2 * g])), SET(moments[2 * g + 1]));
      vec d = LOAD(dy + g * dy_row + j);
      scale = FMA(d, x, scale);
      shift = ADD(shift, d);
    }
    STORE(d_scale + j, scale);
    STORE(d_shift + j, shift);
  }
}

/* ---- The peak -------------------------------------------------------------------------------------------------- */

/* Multiply-adds in registers, in 12 independent chains. Returns how many floating-point operations were done. */
static TARGET size_t peak(size_t steps, float *result) {
  vec a = SET(0.5f), b = SET(0.25f);
  vec c0 = a, c1 = a, c2 = a, c3 = a, c4 = a, c5 = a, c6 = a, c7 = a, c8 = a, c9 = a, c10 = a;
  vec c11 = a;
  for (size_t i = 0; i < steps; i++) {
    ACCUMULATE(c0, a, b);
    ACCUMULATE(c1, a, b);
    ACCUMULATE(c2, a, b);
    ACCUMULATE(c3, a, b);
    ACCUMULATE(c4, a, b);
    ACCUMULATE(c5, a, b);
    ACCUMULATE(c6, a, b);
    ACCUMULATE(c7, a, b);
    ACCUMULATE(c8, a, b);
    ACCUMULATE(c9, a, b);
    ACCUMULATE(c10, a, b);
    ACCUMULATE(c11, a, b);
  }
  vec sum = ADD(ADD(ADD(c0, c1), ADD(c2, c3)), ADD(ADD(c4, c5), ADD(c6, c7)));
  sum = ADD(sum, ADD(ADD(c8, c9), ADD(c10, c11)));
  float out[WIDTH];
  STORE(out, sum);
  *result = out[0];
  return steps * 12 * WIDTH * 2;
}

/* ---- Observations ---------------------------------------------------------------------------------------------- */

/* Pixels `begin` to `count` of four planes of bytes to groups of 4 channels. */
static inline void convert4_from(size_t begin, const uint8_t *planes, size_t area, size_t count,
                                 float *x) {
  for (size_t i = begin; i < count; i++)
    for (size_t c = 0; c < 4; c++) *x++ = (float)planes[c * area + i] * (1.0f / 255);
}

/* The functions that an instruction set has from here, for its nn_kernels. */
/* ---- Columns --------------------------------------------------------------------------------------------------- */

#ifndef COLUMN
#define COLUMN(p) column(p)
static inline TARGET vec column(const float *from) {
  float lanes[WIDTH];
  for (int i = 0; i < WIDTH; i++) lanes[i] = from[i * 16];
  return LOAD(lanes);
}
#endif

static TARGET void turn(const float *columns, const float *mask, float *row, size_t count) {
  for (size_t i = 0; i < count; i += WIDTH) {
    vec v = COLUMN(columns + i * 16);
    STORE(row + i, mask ? POSITIVE(LOAD(mask + i), v) : v);
  }
}

#define VECTOR_KERNELS                                                                         \
  .group = 12, .tile = tile, .step = step, .square_block = square_block, .add_rows = add_rows, \
  .compose = compose, .sigma = sigma, .multiply = multiply, .mask = mask,                      \
  .mix_backward = mix_backward, .norm = norm, .norm_backward = norm_backward,                  \
  .norm_affine = norm_affine, .turn = turn, .peak = peak
