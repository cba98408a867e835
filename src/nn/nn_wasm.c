/* Kernels for WebAssembly with SIMD: vectors of 4 floats, without a fused multiply-add.
 *
 * It is computed in doubles, two lanes at a time. The product of two floats is exact there, and so is the rounding of
 * the sum to float, except where rounding twice differs from rounding once: where the rounded sum lies in the middle
 * between two floats, or is so small that floats have fewer bits. Both are rare; those vectors are computed lane by
 * lane (nn_math.h). So the results are the bytes of all other kernels. */
#if defined(__wasm_simd128__)
#include <wasm_simd128.h>

#include "nn/nn_kernels.h"
#include "nn/nn_math.h"

#define TARGET
typedef v128_t vec;
enum { WIDTH = 4, PER_PANEL = 4 };
#define SET(x)                 wasm_f32x4_splat(x)
#define LOAD(p)                wasm_v128_load(p)
#define STORE(p, v)            wasm_v128_store(p, v)
#define ADD(a, b)              wasm_f32x4_add(a, b)
#define SUB(a, b)              wasm_f32x4_sub(a, b)
#define MUL(a, b)              wasm_f32x4_mul(a, b)
#define DIV(a, b)              wasm_f32x4_div(a, b)
#define SQRT(a)                wasm_f32x4_sqrt(a)
#define FMA(a, b, c)           fused(a, b, c)
#define ABS(v)                 wasm_f32x4_abs(v)
#define NEGATE(v)              wasm_f32x4_neg(v)
#define POSITIVE(m, v)         wasm_v128_and(wasm_f32x4_gt(m, wasm_f32x4_splat(0)), v)
#define IF_LESS(a, b, yes, no) wasm_v128_bitselect(yes, no, wasm_f32x4_lt(a, b))
#define RELU(v)                IF_LESS(v, wasm_f32x4_splat(0), wasm_f32x4_splat(0), v) /* NaN stays */
#define ACCUMULATE(sum, a, b)  sum = fused(a, b, sum)

static __attribute__((noinline, cold)) v128_t fused_by_lane(v128_t a, v128_t b, v128_t c) {
  float x[4], y[4], z[4];
  wasm_v128_store(x, a);
  wasm_v128_store(y, b);
  wasm_v128_store(z, c);
  for (int i = 0; i < 4; i++) z[i] = nn_fma(x[i], y[i], z[i]);
  return wasm_v128_load(z);
}

/* Lanes whose sum may be rounded twice: bits 0 to 28, which float has not, are those of a tie, or the number is below
 * the smallest normal float and not 0. */
static inline v128_t doubtful(v128_t sum) {
  const v128_t tie = wasm_i64x2_eq(wasm_v128_and(sum, wasm_i64x2_const(0x1FFFFFFF, 0x1FFFFFFF)),
                                   wasm_i64x2_const(0x10000000, 0x10000000));
  const v128_t small =
      wasm_v128_and(wasm_f64x2_lt(wasm_f64x2_abs(sum), wasm_f64x2_const_splat(0x1p-126)),
                    wasm_f64x2_ne(sum, wasm_f64x2_const_splat(0)));
  return wasm_v128_or(tie, small);
}

static inline v128_t upper(v128_t v) { return wasm_i32x4_shuffle(v, v, 2, 3, 2, 3); }

static inline v128_t fused(v128_t a, v128_t b, v128_t c) {
  const v128_t low = wasm_f64x2_add(
      wasm_f64x2_mul(wasm_f64x2_promote_low_f32x4(a), wasm_f64x2_promote_low_f32x4(b)),
      wasm_f64x2_promote_low_f32x4(c));
  const v128_t high = wasm_f64x2_add(wasm_f64x2_mul(wasm_f64x2_promote_low_f32x4(upper(a)),
                                                    wasm_f64x2_promote_low_f32x4(upper(b))),
                                     wasm_f64x2_promote_low_f32x4(upper(c)));
  if (__builtin_expect(wasm_v128_any_true(wasm_v128_or(doubtful(low), doubtful(high))), 0))
    return fused_by_lane(a, b, c);
  return wasm_i32x4_shuffle(wasm_f32x4_demote_f64x2_zero(low), wasm_f32x4_demote_f64x2_zero(high),
                            0, 1, 4, 5);
}

#define COLUMNS 4
#include "nn/nn_tile_rows.h"
#undef COLUMNS
#define COLUMNS         8
#define ROWS            1
#define TILE_CONTIGUOUS 0
#include "nn/nn_tile_body.h"

enum { TILE_ROWS = 6, TILE_WIDE = 2 };
#define TILE_PANELS 1
static nn_tile_function *const tiles[] = {NULL,       tile_1x4_p, tile_2x4_p, tile_3x4_p,
                                          tile_4x4_p, tile_5x4_p, tile_6x4_p};
static nn_tile_function *const tiles_contiguous[] = {NULL,       tile_1x4_s, tile_2x4_s, tile_3x4_s,
                                                     tile_4x4_s, tile_5x4_s, tile_6x4_s};
static nn_tile_function *const wide_tiles[] = {NULL, tile_1x8_p};
#include "nn/nn_vector_body.h"

static void convert4(const uint8_t *planes, size_t area, size_t count, float *x) {
  convert4_from(0, planes, area, count, x);
}

const nn_kernels nn_kernels_wasm = {VECTOR_KERNELS, .convert4 = convert4};
#endif
