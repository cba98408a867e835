/* Kernels that visit the active features; see weights.h and visit_body.h. */
#include <string.h>

#include "agents/linear/weights.h"

/* ---- Plain ----------------------------------------------------------------------------------------------------- */

/* Cohorts are counted in bit slices: bit k of plane p is bit p of the count of age k. */
typedef struct plain_sums {
  float lane[WEIGHTS_LANES];
  uint64_t plane[8];
} plain_sums;

static inline void count_mask(uint64_t plane[8], uint64_t mask) {
  for (int p = 0; mask; p++) {
    uint64_t carry = plane[p] & mask;
    plane[p] ^= mask;
    mask = carry;
  }
}

static inline void flush_planes(weights *w, const uint64_t plane[8]) {
  for (int p = 0; p < 8; p++) {
    for (uint64_t bits = plane[p]; bits; bits &= bits - 1)
      w->cohorts[__builtin_ctzll(bits)] += 1 << p;
  }
}

static inline void plain_add(const weights *w, plain_sums *sums, uint8_t *record, uint64_t mask) {
  const float *values = record_weights(record);
  for (int a = 0; a < w->lanes; a++) sums->lane[a] += values[a];
  count_mask(sums->plane, mask);
}

static inline void plain_flush(weights *w, const plain_sums *sums) {
  for (int a = 0; a < w->lanes; a++) w->q[a] += (double)sums->lane[a];
  flush_planes(w, sums->plane);
}

#define VISIT visit_plain
#define TARGET
#define SUMS                       plain_sums
#define CLEAR(sums)                memset(&(sums), 0, sizeof(sums))
#define ADD(w, sums, record, mask) plain_add(w, &(sums), record, mask)
#define FLUSH(w, sums)             plain_flush(w, &(sums))
#include "agents/linear/visit_body.h"
#include "util/os_cpu.h"

/* ---- AVX2, for records of 18 weights --------------------------------------------------------------------------- */

#if OS_X86_64
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi,bmi2")))

typedef struct avx2_sums {
  __m256 low, middle;
  __m128 high;
  uint64_t plane[8];
} avx2_sums;

static AVX2 inline void avx2_add(avx2_sums *sums, uint8_t *record, uint64_t mask) {
  const float *values = record_weights(record);
  sums->low = _mm256_add_ps(sums->low, _mm256_loadu_ps(values));
  sums->middle = _mm256_add_ps(sums->middle, _mm256_loadu_ps(values + 8));
  sums->high = _mm_add_ps(sums->high, _mm_castpd_ps(_mm_load_sd((const double *)(values + 16))));
  count_mask(sums->plane, mask);
}

static AVX2 inline void avx2_clear(avx2_sums *sums) {
  sums->low = sums->middle = _mm256_setzero_ps();
  sums->high = _mm_setzero_ps();
  memset(sums->plane, 0, sizeof sums->plane);
}

static AVX2 inline void avx2_flush(weights *w, const avx2_sums *sums) {
  float lane[20];
  _mm256_storeu_ps(lane, sums->low);
  _mm256_storeu_ps(lane + 8, sums->middle);
  _mm_storeu_ps(lane + 16, sums->high);
  for (int a = 0; a < WEIGHTS_LANES; a++) w->q[a] += (double)lane[a];
  flush_planes(w, sums->plane);
}

#define VISIT                      visit_avx2
#define TARGET                     AVX2
#define SUMS                       avx2_sums
#define CLEAR(sums)                avx2_clear(&(sums))
#define ADD(w, sums, record, mask) avx2_add(&(sums), record, mask)
#define FLUSH(w, sums)             avx2_flush(w, &(sums))
#include "agents/linear/visit_body.h"

/* ---- AVX-512 --------------------------------------------------------------------------------------------------- */

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx2,bmi,bmi2")))

typedef struct avx512_sums {
  __m512 low;
  __m128 high;
  __m512i cohorts;
  __mmask16 low_lanes;
  __mmask8 high_lanes;
} avx512_sums;

static AVX512 inline void avx512_add(avx512_sums *sums, uint8_t *record, uint64_t mask) {
  const float *values = record_weights(record);
  sums->low = _mm512_add_ps(sums->low, _mm512_maskz_loadu_ps(sums->low_lanes, values));
  sums->high = _mm_add_ps(sums->high, _mm_maskz_loadu_ps(sums->high_lanes, values + 16));
  sums->cohorts = _mm512_sub_epi8(sums->cohorts, _mm512_movm_epi8(mask));
}

static AVX512 inline void avx512_clear(const weights *w, avx512_sums *sums) {
  sums->low = _mm512_setzero_ps();
  sums->high = _mm_setzero_ps();
  sums->cohorts = _mm512_setzero_si512();
  sums->low_lanes = (__mmask16)(w->lanes >= 16 ? 0xFFFF : (1 << w->lanes) - 1);
  sums->high_lanes = (__mmask8)(w->lanes > 16 ? (1 << (w->lanes - 16)) - 1 : 0);
}

static AVX512 inline void avx512_flush(weights *w, const avx512_sums *sums) {
  float lane[20];
  uint8_t cohorts[64];
  _mm512_storeu_ps(lane, sums->low);
  _mm_storeu_ps(lane + 16, sums->high);
  for (int a = 0; a < w->lanes; a++) w->q[a] += (double)lane[a];
  _mm512_storeu_si512(cohorts, sums->cohorts);
  for (int k = 0; k <= w->window; k++) w->cohorts[k] += cohorts[k];
}

#define VISIT                      visit_avx512
#define TARGET                     AVX512
#define SUMS                       avx512_sums
#define CLEAR(sums)                avx512_clear(w, &(sums))
#define ADD(w, sums, record, mask) avx512_add(&(sums), record, mask)
#define FLUSH(w, sums)             avx512_flush(w, &(sums))
#include "agents/linear/visit_body.h"

bool weights_set_works(weights_set set) {
  if (set == WEIGHTS_AVX2)
    return os_cpu_has(OS_CPU_AVX2) && os_cpu_has(OS_CPU_BMI) && os_cpu_has(OS_CPU_BMI2);
  if (set == WEIGHTS_AVX512)
    return weights_set_works(WEIGHTS_AVX2) && os_cpu_has(OS_CPU_AVX512F) &&
           os_cpu_has(OS_CPU_AVX512BW) && os_cpu_has(OS_CPU_AVX512VL);
  return true;
}
#else
#define visit_avx2   visit_plain
#define visit_avx512 visit_plain
bool weights_set_works(weights_set set) { return set == WEIGHTS_PLAIN || set == WEIGHTS_BEST; }
#endif

weights_visit_kernel *weights_kernel(weights_set set, int lanes) {
  if (set == WEIGHTS_BEST)
    set = weights_set_works(WEIGHTS_AVX512) ? WEIGHTS_AVX512
          : weights_set_works(WEIGHTS_AVX2) ? WEIGHTS_AVX2
                                            : WEIGHTS_PLAIN;
  if (set == WEIGHTS_AVX512) return visit_avx512;
  if (set == WEIGHTS_AVX2 && lanes == WEIGHTS_LANES) return visit_avx2;
  return visit_plain;
}
