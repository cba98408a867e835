/* Kernels for NEON (every 64-bit Arm): 32 registers of 4 floats. A tile is 6 rows by one panel: 24 accumulators and 4
 * vectors of b. */
#include "util/os_cpu.h"

#if OS_ARM64
#include <arm_neon.h>

#include "nn/nn_kernels.h"

#define TARGET
typedef float32x4_t vec;
enum { WIDTH = 4, PER_PANEL = 4 };
#define SET(x)         vdupq_n_f32(x)
#define LOAD(p)        vld1q_f32(p)
#define STORE(p, v)    vst1q_f32(p, v)
#define ADD(a, b)      vaddq_f32(a, b)
#define SUB(a, b)      vsubq_f32(a, b)
#define MUL(a, b)      vmulq_f32(a, b)
#define DIV(a, b)      vdivq_f32(a, b)
#define SQRT(a)        vsqrtq_f32(a)
#define FMA(a, b, c)   vfmaq_f32(c, a, b)
#define ABS(v)         vabsq_f32(v)
#define NEGATE(v)      vnegq_f32(v)
#define POSITIVE(m, v) /* m > 0 ? v : 0 */ \
  vreinterpretq_f32_u32(vandq_u32(vcgtq_f32(m, vdupq_n_f32(0)), vreinterpretq_u32_f32(v)))
#define IF_LESS(a, b, yes, no) vbslq_f32(vcltq_f32(a, b), yes, no)
#define RELU(v)                IF_LESS(v, vdupq_n_f32(0), vdupq_n_f32(0), v) /* NaN stays */

#define ACCUMULATE(sum, a, b) sum = FMA(a, b, sum)

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

const nn_kernels nn_kernels_neon = {VECTOR_KERNELS, .convert4 = convert4};
#endif
