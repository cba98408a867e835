/* Blobs by runs of pixels; the search itself is in blobs_body.h. */
#include "agents/linear/blobs.h"

#include <stdlib.h>
#include <string.h>

#include "agents/linear/blobs_parts.h"
#include "util/os_cpu.h"

static inline uint64_t word_at(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

static inline bool row_equal_plain(const uint8_t *a, const uint8_t *b) {
  for (int i = 0; i < BLOB_WIDTH; i += 8) {
    if (word_at(a + i) != word_at(b + i)) return false;
  }
  return true;
}

static inline void row_edges_plain(const uint8_t *row, uint64_t edges[3]) {
  edges[0] = edges[1] = 0;
  edges[2] = (uint64_t)1 << 31;
  for (int i = 0; i < BLOB_WIDTH - 1; i++)
    edges[i / 64] |= (uint64_t)(row[i] != row[i + 1]) << i % 64;
}

#define SCAN scan_plain
#define TARGET
#define ROW_EQUAL row_equal_plain
#define ROW_EDGES row_edges_plain
#include "agents/linear/blobs_body.h"
#undef SCAN
#undef TARGET
#undef ROW_EQUAL
#undef ROW_EDGES

#if OS_X86_64
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi,bmi2")))

static AVX2 inline __m256i load32(const uint8_t *p) {
  return _mm256_loadu_si256((const __m256i *)p);
}

static AVX2 inline bool row_equal_avx2(const uint8_t *a, const uint8_t *b) {
  __m256i differs = _mm256_xor_si256(load32(a), load32(b));
  for (int i = 32; i < BLOB_WIDTH; i += 32)
    differs = _mm256_or_si256(differs, _mm256_xor_si256(load32(a + i), load32(b + i)));
  return _mm256_testz_si256(differs, differs);
}

/* Which of 32 pixels differ from their right neighbors. */
static AVX2 inline uint64_t edges32(const uint8_t *p) {
  return (uint32_t)~_mm256_movemask_epi8(_mm256_cmpeq_epi8(load32(p), load32(p + 1)));
}

static AVX2 inline void row_edges_avx2(const uint8_t *row, uint64_t edges[3]) {
  edges[0] = edges32(row) | edges32(row + 32) << 32;
  edges[1] = edges32(row + 64) | edges32(row + 96) << 32;
  edges[2] = edges32(row + 127) >> 1 | (uint64_t)1 << 31; /* reads no byte beyond the row */
}

#define SCAN      scan_avx2
#define TARGET    AVX2
#define ROW_EQUAL row_equal_avx2
#define ROW_EDGES row_edges_avx2
#include "agents/linear/blobs_body.h"
#undef SCAN
#undef TARGET
#undef ROW_EQUAL
#undef ROW_EDGES

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx2,bmi,bmi2")))

static AVX512 inline __m512i load64(const uint8_t *p) { return _mm512_loadu_si512(p); }

static AVX512 inline bool row_equal_avx512(const uint8_t *a, const uint8_t *b) {
  uint64_t differs = _mm512_cmpneq_epi8_mask(load64(a), load64(b)) |
                     _mm512_cmpneq_epi8_mask(load64(a + 64), load64(b + 64));
  return !(differs | _mm512_cmpneq_epi8_mask(load64(a + 96), load64(b + 96)));
}

static AVX512 inline void row_edges_avx512(const uint8_t *row, uint64_t edges[3]) {
  edges[0] = _mm512_cmpneq_epi8_mask(load64(row), load64(row + 1));
  edges[1] = _mm512_cmpneq_epi8_mask(load64(row + 64), load64(row + 65));
  edges[2] = _mm512_cmpneq_epi8_mask(load64(row + 95), load64(row + 96)) >> 33 | (uint64_t)1 << 31;
}

#define SCAN      scan_avx512
#define TARGET    AVX512
#define ROW_EQUAL row_equal_avx512
#define ROW_EDGES row_edges_avx512
#include "agents/linear/blobs_body.h"

bool blob_set_works(blob_set set) {
  if (set == BLOBS_AVX2)
    return os_cpu_has(OS_CPU_AVX2) && os_cpu_has(OS_CPU_BMI) && os_cpu_has(OS_CPU_BMI2);
  if (set == BLOBS_AVX512)
    return blob_set_works(BLOBS_AVX2) && os_cpu_has(OS_CPU_AVX512F) &&
           os_cpu_has(OS_CPU_AVX512BW) && os_cpu_has(OS_CPU_AVX512VL);
  return true;
}
#else
#define scan_avx2   scan_plain
#define scan_avx512 scan_plain
bool blob_set_works(blob_set set) { return set == BLOBS_PLAIN || set == BLOBS_BEST; }
#endif

blob_finder *blob_finder_create(int neighborhood, blob_set set) {
  blob_finder *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->neighborhood = neighborhood;
  f->scan = scan_plain;
  if (set == BLOBS_BEST)
    set = blob_set_works(BLOBS_AVX512) ? BLOBS_AVX512
          : blob_set_works(BLOBS_AVX2) ? BLOBS_AVX2
                                       : BLOBS_PLAIN;
  if (set == BLOBS_AVX2) f->scan = scan_avx2;
  if (set == BLOBS_AVX512) f->scan = scan_avx512;
  return f;
}

void blob_finder_destroy(blob_finder *finder) { free(finder); }

void blob_finder_find(blob_finder *f, const uint8_t *screen, int height, blob_list *out) {
  f->scan(f, screen, height < BLOB_HEIGHT ? height : BLOB_HEIGHT);
  /* which tiles of each color have a blob */
  uint64_t colors[2] = {0, 0};
  for (int i = 0; i < f->boxes; i++) {
    const blob_box *box = &f->box[i];
    if (box->parent != i) continue;
    int tile = (box->top + box->bottom) / 2 / 7 * BLOB_COLUMNS + (box->left + box->right) / 2 / 4;
    colors[box->color / 64] |= (uint64_t)1 << box->color % 64;
    f->tiles[box->color][tile / 64] |= (uint64_t)1 << tile % 64;
  }
  out->count = out->colors = 0;
  for (int half = 0; half < 2; half++) {
    for (; colors[half]; colors[half] &= colors[half] - 1) {
      int color = 64 * half + __builtin_ctzll(colors[half]);
      out->color[out->colors] = (uint8_t)color;
      out->start[out->colors++] = out->count;
      for (int word = (BLOB_TILES + 63) / 64 - 1; word >= 0; word--) {
        uint64_t bits = f->tiles[color][word];
        f->tiles[color][word] = 0;
        while (bits) {
          int bit = 63 - __builtin_clzll(bits), tile = 64 * word + bit;
          bits ^= (uint64_t)1 << bit;
          out->place[out->count++] =
              (int16_t)(tile / BLOB_COLUMNS * BLOB_PLACES + tile % BLOB_COLUMNS);
        }
      }
    }
  }
  out->start[out->colors] = out->count;
}
