/* Kernels for AVX2 with FMA: 16 registers of 8 floats. A tile is 6 rows by one panel: 12 accumulators, 2 vectors of
 * b, one broadcast value. */
#include "util/os_cpu.h"

#if OS_X86_64
#include <immintrin.h>

#include "nn/nn_kernels.h"

#define TARGET __attribute__((target("avx2,fma")))
typedef __m256 vec;
enum { WIDTH = 8, PER_PANEL = 2 };
#define SET(x)         _mm256_set1_ps(x)
#define LOAD(p)        _mm256_loadu_ps(p)
#define STORE(p, v)    _mm256_storeu_ps(p, v)
#define ADD(a, b)      _mm256_add_ps(a, b)
#define SUB(a, b)      _mm256_sub_ps(a, b)
#define MUL(a, b)      _mm256_mul_ps(a, b)
#define DIV(a, b)      _mm256_div_ps(a, b)
#define SQRT(a)        _mm256_sqrt_ps(a)
#define FMA(a, b, c)   _mm256_fmadd_ps(a, b, c)
#define RELU(v)        _mm256_max_ps(_mm256_setzero_ps(), v) /* 0 > v ? 0 : v, so NaN stays */
#define ABS(v)         _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v)
#define NEGATE(v)      _mm256_xor_ps(_mm256_set1_ps(-0.0f), v)
#define POSITIVE(m, v) /* m > 0 ? v : 0 */ \
  _mm256_and_ps(_mm256_cmp_ps(m, _mm256_setzero_ps(), _CMP_GT_OQ), v)
#define IF_LESS(a, b, yes, no) _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LT_OQ))

/* 8 floats that are 16 apart */
#define COLUMN(p) _mm256_i32gather_ps(p, _mm256_setr_epi32(0, 16, 32, 48, 64, 80, 96, 112), 4)

/* The sum of 16 lanes in the order of nn_sum.h: i + 8, then i + 4, i + 2, i + 1. */
#define LANES_TOTAL(lanes) total16(lanes)
static inline TARGET float total16(const __m256 lanes[2]) {
  __m256 eight = _mm256_add_ps(lanes[0], lanes[1]);
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

/* sum = fma(a, b, sum) in place. With the intrinsic, gcc moves accumulators between registers and runs out of them. */
#define ACCUMULATE(sum, a, b) __asm__("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b))

#define COLUMNS 2
#include "nn/nn_tile_rows.h"
#undef COLUMNS
#define COLUMNS         8
#define ROWS            1
#define TILE_CONTIGUOUS 0
#include "nn/nn_tile_body.h"

enum { TILE_ROWS = 6, TILE_WIDE = 4 };
#define TILE_PANELS 1
static nn_tile_function *const tiles[] = {NULL,       tile_1x2_p, tile_2x2_p, tile_3x2_p,
                                          tile_4x2_p, tile_5x2_p, tile_6x2_p};
static nn_tile_function *const tiles_contiguous[] = {NULL,       tile_1x2_s, tile_2x2_s, tile_3x2_s,
                                                     tile_4x2_s, tile_5x2_s, tile_6x2_s};
static nn_tile_function *const wide_tiles[] = {NULL, tile_1x8_p};
#include "nn/nn_vector_body.h"

/* 16 pixels of each plane become 16 groups of 4 channels by two rounds of interleaving. */
static TARGET void convert4(const uint8_t *planes, size_t area, size_t count, float *x) {
  const __m256 scale = _mm256_set1_ps(1.0f / 255);
  size_t i = 0;
  for (; i + 16 <= count; i += 16, x += 64) {
    __m128i p0 = _mm_loadu_si128((const __m128i *)(planes + i));
    __m128i p1 = _mm_loadu_si128((const __m128i *)(planes + area + i));
    __m128i p2 = _mm_loadu_si128((const __m128i *)(planes + 2 * area + i));
    __m128i p3 = _mm_loadu_si128((const __m128i *)(planes + 3 * area + i));
    __m128i low01 = _mm_unpacklo_epi8(p0, p1), high01 = _mm_unpackhi_epi8(p0, p1);
    __m128i low23 = _mm_unpacklo_epi8(p2, p3), high23 = _mm_unpackhi_epi8(p2, p3);
    __m128i four[4] = {_mm_unpacklo_epi16(low01, low23), _mm_unpackhi_epi16(low01, low23),
                       _mm_unpacklo_epi16(high01, high23), _mm_unpackhi_epi16(high01, high23)};
    for (int j = 0; j < 4; j++) {
      __m256i low = _mm256_cvtepu8_epi32(four[j]);
      __m256i high = _mm256_cvtepu8_epi32(_mm_srli_si128(four[j], 8));
      _mm256_storeu_ps(x + j * 16, _mm256_mul_ps(_mm256_cvtepi32_ps(low), scale));
      _mm256_storeu_ps(x + j * 16 + 8, _mm256_mul_ps(_mm256_cvtepi32_ps(high), scale));
    }
  }
  convert4_from(i, planes, area, count, x);
}

const nn_kernels nn_kernels_avx2 = {VECTOR_KERNELS, .convert4 = convert4};
#endif
