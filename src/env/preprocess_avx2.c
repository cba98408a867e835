/* See preprocess_avx2.h. */
#include "env/preprocess_avx2.h"

#include "util/os_cpu.h"

#if OS_X86_64
#include <immintrin.h>

#include "machine/machine.h"

#define AVX2 __attribute__((target("avx2")))

bool avx2_works(void) { return os_cpu_has(OS_CPU_AVX2); }
bool avx2_permutes(void) { return os_cpu_has(OS_CPU_AVX512VBMI) && os_cpu_has(OS_CPU_AVX512BW); }

static AVX2 inline __m256i load(const void *from) {
  return _mm256_loadu_si256((const __m256i *)from);
}

/* Convert 32 even palette bytes to gray. A byte shuffle looks up a table of 16, so the 128 grays are eight tables; each
 * lookup gives 0 for bytes that belong to another table, and the results are combined. */
static AVX2 inline __m256i gray_of(const __m256i table[8], __m256i bytes) {
  const __m256i index = _mm256_and_si256(_mm256_srli_epi16(bytes, 1), _mm256_set1_epi8(0x7F));
  __m256i gray = _mm256_setzero_si256();
#pragma GCC unroll 8
  for (int i = 0; i < 8; i++) {
    const __m256i mine = _mm256_xor_si256(index, _mm256_set1_epi8((char)(i << 4)));
    const __m256i where = _mm256_add_epi8(mine, _mm256_set1_epi8(0x70)); /* bit 7: not mine */
    gray = _mm256_or_si256(gray, _mm256_shuffle_epi8(table[i], where));
  }
  return gray;
}

/* AVX-512 VBMI can look up all 128 grays at once. */
#define VBMI __attribute__((target("avx512vbmi,avx512bw")))

static VBMI bool gray_row_vbmi(const palette *colors, sixer_pool pool, const uint8_t *first,
                               const uint8_t *second, uint8_t *gray) {
  const __m512i low = _mm512_loadu_si512(colors->even_gray),
                high = _mm512_loadu_si512(colors->even_gray + 64);
  __m512i odd = _mm512_setzero_si512();
  for (int x = 0; x < SCREEN_WIDTH; x += 64) {
    const __mmask64 here =
        SCREEN_WIDTH - x >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << (SCREEN_WIDTH - x)) - 1;
    const __m512i a = _mm512_maskz_loadu_epi8(here, first + x);
    __m512i pixels = _mm512_permutex2var_epi8(low, _mm512_srli_epi16(a, 1), high);
    odd = _mm512_or_si512(odd, a);
    if (second) {
      const __m512i b = _mm512_maskz_loadu_epi8(here, second + x);
      const __m512i other = _mm512_permutex2var_epi8(low, _mm512_srli_epi16(b, 1), high);
      odd = _mm512_or_si512(odd, b);
      if (pool == SIXER_POOL_MAX) pixels = _mm512_max_epu8(pixels, other);
      if (pool == SIXER_POOL_MEAN) pixels = _mm512_avg_epu8(pixels, other);
    }
    _mm512_mask_storeu_epi8(gray + x, here, pixels);
  }
  return !_mm512_test_epi8_mask(odd, _mm512_set1_epi8(1));
}

static AVX2 bool gray_row_avx2(const palette *colors, sixer_pool pool, const uint8_t *first,
                               const uint8_t *second, uint8_t *gray) {
  __m256i table[8], odd = _mm256_setzero_si256();
  for (int i = 0; i < 8; i++) {
    const __m128i *part = (const __m128i *)(const void *)(colors->even_gray + 16 * i);
    table[i] = _mm256_broadcastsi128_si256(_mm_loadu_si128(part));
  }
  for (int x = 0; x < SCREEN_WIDTH; x += 32) {
    const __m256i a = load(first + x);
    __m256i pixels = gray_of(table, a);
    odd = _mm256_or_si256(odd, a);
    if (second) {
      const __m256i b = load(second + x), other = gray_of(table, b);
      odd = _mm256_or_si256(odd, b);
      if (pool == SIXER_POOL_MAX) pixels = _mm256_max_epu8(pixels, other);
      if (pool == SIXER_POOL_MEAN) pixels = _mm256_avg_epu8(pixels, other);
    }
    _mm256_storeu_si256((__m256i *)(void *)(gray + x), pixels);
  }
  return _mm256_testz_si256(odd, _mm256_set1_epi8(1));
}

bool avx2_gray_row(const preprocess *p, const palette *colors, const uint8_t *first,
                   const uint8_t *second, uint8_t *gray) {
  return p->vbmi ? gray_row_vbmi(colors, p->pool, first, second, gray)
                 : gray_row_avx2(colors, p->pool, first, second, gray);
}

static AVX2 inline __m128i load16(const uint8_t *from) {
  return _mm_loadu_si128((const __m128i *)(const void *)from);
}

/* Four sums need bytes of 16 neighbors, which a shuffle puts into four integers; a gather would take three times as
 * long on AMD's processors. */
AVX2 void avx2_area_row(const int *from, const int *pick, const float *weights, int count,
                        const uint8_t *source, float *sums) {
  const __m256i one = _mm256_set1_epi32(1);
  for (int d = 0; d < count; d += 8) {
    const __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(load16(source + from[d])),
                                                  load16(source + from[d + 4]), 1);
    const __m256i first = load(pick + d), second = _mm256_add_epi32(first, one);
    __m256 p0 = _mm256_cvtepi32_ps(_mm256_shuffle_epi8(bytes, first));
    __m256 p1 = _mm256_cvtepi32_ps(_mm256_shuffle_epi8(bytes, second));
    __m256 p2 = _mm256_cvtepi32_ps(_mm256_shuffle_epi8(bytes, _mm256_add_epi32(second, one)));
    __m256 sum = _mm256_mul_ps(p0, _mm256_loadu_ps(weights + d));
    sum = _mm256_add_ps(sum, _mm256_mul_ps(p1, _mm256_loadu_ps(weights + count + d)));
    sum = _mm256_add_ps(sum, _mm256_mul_ps(p2, _mm256_loadu_ps(weights + 2 * count + d)));
    _mm256_storeu_ps(sums + d, sum);
  }
}

AVX2 void avx2_add_rows(const float *const *sums, const float *weights, int count, int row,
                        uint8_t *out) {
  for (int i = 0; i < row; i += 8) {
    __m256 sum = _mm256_mul_ps(_mm256_loadu_ps(sums[0] + i), _mm256_set1_ps(weights[0]));
    for (int e = 1; e < count; e++)
      sum = _mm256_add_ps(sum,
                          _mm256_mul_ps(_mm256_loadu_ps(sums[e] + i), _mm256_set1_ps(weights[e])));
    __m256i rounded = _mm256_cvtps_epi32(sum);
    __m128i words =
        _mm_packs_epi32(_mm256_castsi256_si128(rounded), _mm256_extracti128_si256(rounded, 1));
    _mm_storel_epi64((__m128i *)(void *)(out + i), _mm_packus_epi16(words, words));
  }
}

#else

bool avx2_works(void) { return false; }
bool avx2_permutes(void) { return false; }
bool avx2_gray_row(const preprocess *p, const palette *colors, const uint8_t *first,
                   const uint8_t *second, uint8_t *gray) {
  (void)p, (void)colors, (void)first, (void)second, (void)gray;
  return false;
}
void avx2_area_row(const int *from, const int *pick, const float *weights, int count,
                   const uint8_t *source, float *sums) {
  (void)from, (void)pick, (void)weights, (void)count, (void)source, (void)sums;
}
void avx2_add_rows(const float *const *sums, const float *weights, int count, int row,
                   uint8_t *out) {
  (void)sums, (void)weights, (void)count, (void)row, (void)out;
}

#endif
