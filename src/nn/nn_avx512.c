/* Kernels for AVX-512: 32 registers of 16 floats. A tile is 12 rows by two panels: 24 accumulators. */
#include "util/os_cpu.h"

#if OS_X86_64
#include <immintrin.h>

#include "nn/nn_kernels.h"

#define TARGET __attribute__((target("avx512f,avx512dq,avx2,fma")))
typedef __m512 vec;
enum { WIDTH = 16, PER_PANEL = 1 };
#define SET(x)         _mm512_set1_ps(x)
#define LOAD(p)        _mm512_loadu_ps(p)
#define STORE(p, v)    _mm512_storeu_ps(p, v)
#define ADD(a, b)      _mm512_add_ps(a, b)
#define SUB(a, b)      _mm512_sub_ps(a, b)
#define MUL(a, b)      _mm512_mul_ps(a, b)
#define DIV(a, b)      _mm512_div_ps(a, b)
#define SQRT(a)        _mm512_sqrt_ps(a)
#define FMA(a, b, c)   _mm512_fmadd_ps(a, b, c)
#define RELU(v)        _mm512_max_ps(_mm512_setzero_ps(), v) /* 0 > v ? 0 : v, so NaN stays */
#define ABS(v)         _mm512_andnot_ps(_mm512_set1_ps(-0.0f), v)
#define NEGATE(v)      _mm512_xor_ps(_mm512_set1_ps(-0.0f), v)
#define POSITIVE(m, v) /* m > 0 ? v : 0 */ \
  _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(m, _mm512_setzero_ps(), _CMP_GT_OQ), v)
#define IF_LESS(a, b, yes, no) _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), no, yes)

/* 16 floats that are 16 apart */
#define COLUMN(p)                                                                                \
  _mm512_i32gather_ps(                                                                           \
      _mm512_setr_epi32(0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240), \
      p, 4)

/* The sum of 16 lanes in the order of nn_sum.h: i + 8, then i + 4, i + 2, i + 1. */
#define LANES_TOTAL(lanes) total16((lanes)[0])
static inline TARGET float total16(__m512 lanes) {
  __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(lanes), _mm512_extractf32x8_ps(lanes, 1));
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

/* sum = fma(a, b, sum) in place. With the intrinsic, gcc moves accumulators between registers and runs out of them. */
#define ACCUMULATE(sum, a, b) __asm__("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b))

#include "nn/nn_wide_body.h"

/* 16 pixels of each plane become 16 groups of 4 channels by two rounds of interleaving. */
static TARGET void convert4(const uint8_t *planes, size_t area, size_t count, float *x) {
  const __m512 scale = _mm512_set1_ps(1.0f / 255);
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
    for (int j = 0; j < 4; j++)
      _mm512_storeu_ps(x + j * 16,
                       _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(four[j])), scale));
  }
  convert4_from(i, planes, area, count, x);
}

const nn_kernels nn_kernels_avx512 = {VECTOR_KERNELS, .convert4 = convert4};
#endif
