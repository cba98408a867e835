/* The fast way from palette pictures to a resized observation: rows that were seen before are looked up.
 *
 * Pictures of games repeat themselves. Two of three rows equal the row above, and nearly all were seen in earlier
 * frames. The cache has three steps, each a table by hash in which a new entry replaces the old one:
 *
 *   1. pixels of a row -> its name, and a name is never given out twice. If the TIA has stamped the row, the stamp is
 *      its name, and nobody looks at the pixels. (Rows with different stamps may have equal pixels: to find that out
 *      takes longer than it saves.)
 *   2. names of the two rows that are pooled -> their horizontal sums (floats).
 *   3. names of all rows that a destination row is made of, and their weights -> the finished bytes.
 *
 * Most destination rows are found in step 3. All entries are functions of pixels, palette and weights, so a hit gives
 * the same bytes as resize.c. An all-zero table is a valid empty cache. */
#include <stdlib.h>
#include <string.h>

#include "env/preprocess_avx2.h"
#include "env/preprocess_parts.h"

/* The pixels of a row and their name. */
typedef struct named_row {
  uint8_t pixels[SCREEN_WIDTH];
  uint32_t name; /* 0: empty */
  uint32_t pad[3];
} named_row;

/* Two rows that are pooled: the name of the first in the high half, that of the second in the low half. The low half is
 * 0 if the second row is equal or there is none. */
typedef uint64_t row_pair;

/* The horizontal sums of a pair. */
typedef struct known_sums {
  row_pair pair; /* 0: empty */
  uint64_t palette;
  _Alignas(32) float sums[];
} known_sums;

/* A finished destination row and the source rows that it was made of. */
typedef struct finished_row {
  row_pair from[ROW_CACHE_SUMMANDS]; /* 0 after the last */
  uint64_t way;                      /* palette and weights; 0: an empty entry */
  uint8_t bytes[];
} finished_row;

enum {
  NAMED_BITS = 11,
  SUMS_BITS = 8,
  FINISHED_BYTES = 1 << 20, /* at most; a power of two of rows */
};

typedef struct row_cache {
  uint32_t names; /* given out so far: above all stamps */
  int finished_bits;
  named_row named[1 << NAMED_BITS];
  row_pair pairs
      [SCREEN_MAX_LINES +
       ROW_CACHE_SUMMANDS]; /* of the present picture; entries after its last row are read but not used */
  _Alignas(64) uint8_t entries[]; /* 1 << SUMS_BITS of known_sums, then the finished rows */
} row_cache;

static size_t known_sums_size(const preprocess *p) {
  return sizeof(known_sums) + resize_stride(p) * sizeof(float);
}

static size_t finished_row_size(const preprocess *p) {
  return (sizeof(finished_row) + resize_stride(p) + 15) / 16 * 16;
}

static int finished_bits(const preprocess *p) {
  int bits = 6;
  while (finished_row_size(p) << (bits + 1) <= FINISHED_BYTES) bits++;
  return bits;
}

size_t row_cache_size(const preprocess *p) {
  return p->resize != RESIZE_AREA && p->resize != RESIZE_BOX
             ? 0
             : sizeof(row_cache) + (known_sums_size(p) << SUMS_BITS) +
                   (finished_row_size(p) << finished_bits(p));
}

void row_cache_init(row_cache *cache, const preprocess *p) {
  memset(cache, 0, row_cache_size(p));
  cache->names = MACHINE_STAMPS;
  cache->finished_bits = finished_bits(p);
}

/* ---- Names ----------------------------------------------------------------------------------------------------- */

static bool same_row(const uint8_t *a, const uint8_t *b) { return !memcmp(a, b, SCREEN_WIDTH); }

static uint32_t hash_row(const uint8_t *row) {
  uint64_t h = 0, word[SCREEN_WIDTH / 8];
  memcpy(word, row, sizeof word);
  for (int i = 0; i < SCREEN_WIDTH / 8; i += 2)
    h += (word[i] ^ (0x9E3779B97F4A7C15u + (uint64_t)i)) *
         (word[i + 1] ^ (0xD6E8FEB86659FD93u - (uint64_t)i));
  h ^= h >> 32;
  return (uint32_t)(h * 0x9E3779B97F4A7C15u >> (64 - NAMED_BITS));
}

void preprocess_forget(const preprocess *p, preprocess_scratch *s) {
  row_cache *cache = s->cache;
  if (!cache) return;
  int bits = cache->finished_bits;
  memset(cache->named, 0, sizeof cache->named);
  memset(cache->entries, 0, (known_sums_size(p) << SUMS_BITS) + (finished_row_size(p) << bits));
  cache->names = MACHINE_STAMPS;
}

/* The name of these pixels. A name that drops out of the table is not reused, so entries made under it stay valid. */
static uint32_t name_row(row_cache *cache, const uint8_t *pixels) {
  named_row *r = &cache->named[hash_row(pixels)];
  if (r->name && same_row(r->pixels, pixels)) return r->name;
  memcpy(r->pixels, pixels, SCREEN_WIDTH);
  return r->name = ++cache->names;
}

/* A row that the TIA has not stamped is named by its pixels. */
static __attribute__((noinline)) void name_pair(row_cache *cache, uint32_t stamp_a,
                                                uint32_t stamp_b, const machine_rows *first,
                                                const machine_rows *second, int y) {
  const uint8_t *const a = machine_row(first, y), *const b = second ? machine_row(second, y) : a;
  const uint32_t name_a = stamp_a ? stamp_a : name_row(cache, a);
  uint32_t name_b = name_a;
  if (!same_row(a, b)) name_b = stamp_b ? stamp_b : name_row(cache, b);
  cache->pairs[y] = (uint64_t)name_a << 32 | (name_b == name_a ? 0 : name_b);
}

/* Name the rows of the picture, in pairs that are pooled. */
static void find_pairs(row_cache *cache, const machine_rows *first, const machine_rows *second,
                       int height) {
  static const uint32_t unknown[SCREEN_MAX_LINES];
  const uint32_t *const a = first->stamps ? first->stamps : unknown;
  const uint32_t *const b = second && !second->stamps ? unknown : second ? second->stamps : a;
  for (int y = 0; y < height; y++) {
    /* NOLINTNEXTLINE(clang-analyzer-core.*): names are in memory that the analyzer does not see written */
    cache->pairs[y] = (uint64_t)a[y] << 32 | (b[y] == a[y] ? 0 : b[y]);
    if (!a[y] | !b[y]) name_pair(cache, a[y], b[y], first, second, y);
  }
}

/* Copy a row; most have some five vectors, for which a call of memcpy() would take longer. */
static inline void copy_row(uint8_t *to, const uint8_t *from, size_t size) {
  typedef uint8_t bytes16 __attribute__((vector_size(16), aligned(1), may_alias));
  enum { ONE = sizeof(bytes16), FEW = 8 * ONE };
  if (size < ONE || size > FEW) {
    memcpy(to, from, size);
    return;
  }
  for (size_t i = 0; i < size - ONE; i += ONE) *(bytes16 *)(to + i) = *(const bytes16 *)(from + i);
  *(bytes16 *)(to + size - ONE) = *(const bytes16 *)(from + size - ONE);
}

/* ---- Sums and finished rows ------------------------------------------------------------------------------------ */

static uint64_t stir(uint64_t hash) {
  hash *= 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

/* Make destination row d; `out` has room for whole vectors. */
static void make_row(const preprocess *p, int d, const float *const *sums, uint8_t *out) {
  if (!p->avx2) {
    resize_add_rows(p, d, sums, out);
    return;
  }
  const int first = p->y->first[d], count = p->y->first[d + 1] - first;
  float weights[ROW_CACHE_SUMMANDS];
  for (int e = 0; e < count; e++) weights[e] = p->y->entries[first + e].weight;
  avx2_add_rows(sums, weights, count, p->width * p->channels, out);
}

/* As resize_area_row(); reads up to 16 bytes after the row, of which the first two may be summed with weight 0. */
static void make_sums(const preprocess *p, const uint8_t *raw, float *sums) {
  if (p->avx2 && p->channels == 1 && p->x->most <= 3)
    avx2_area_row(p->x->from, p->x->pick, p->x->three, p->x->padded, raw, sums);
  else
    resize_area_row(p, raw, sums);
}

/* The sums of row y, looked up or computed. `taken` are the `count` sums that the same destination row uses already: if
 * one of them is in the slot for this row, it must stay, and the new sums go to s->rows. */
static const float *find_sums(const preprocess *p, preprocess_scratch *s, const palette *colors,
                              const machine_rows *first, const machine_rows *second, int y,
                              const float *const *taken, int count) {
  row_pair pair = s->cache->pairs[y];
  uint64_t slot = stir(stir(pair)) * 0x9E3779B97F4A7C15u >> (64 - SUMS_BITS);
  known_sums *k = (known_sums *)(s->cache->entries + slot * known_sums_size(p));
  float *sums = k->sums;
  if (k->pair == pair && k->palette == (uint64_t)colors->number) return sums;
  for (int i = 0; i < count; i++) {
    if (taken[i] == sums) sums = s->rows + (size_t)i * resize_stride(p);
  }
  if (sums == k->sums) {
    k->pair = pair;
    k->palette = (uint64_t)colors->number;
  }
  uint8_t raw[3 * SCREEN_WIDTH];
  memset(raw + SCREEN_WIDTH, 0, 4); /* read by make_sums() with weight 0 */
  preprocess_color_row(p, colors, machine_row(first, y),
                       (uint32_t)pair ? machine_row(second, y) : NULL, raw);
  make_sums(p, raw, sums);
  return sums;
}

/* Destination row d: what it is made of, with which weights, and where it would be among the finished rows. */
typedef struct wanted_row {
  row_pair from[ROW_CACHE_SUMMANDS];
  uint64_t way;
  finished_row *at;
} wanted_row;

/* Look for all rows at first: their places are all over the table, and are fetched at the same time. */
static void find_places(const preprocess *p, row_cache *cache, const palette *colors,
                        wanted_row *wanted) {
  uint8_t *finished = cache->entries + (known_sums_size(p) << SUMS_BITS);
  const size_t size = finished_row_size(p);
  for (int d = 0; d < p->height; d++) {
    wanted_row *w = &wanted[d];
    const int count = p->y->first[d + 1] - p->y->first[d];
    const row_pair *pairs = cache->pairs + resize_first_source(p, d);
    for (int e = 0; e < ROW_CACHE_SUMMANDS; e++) w->from[e] = e < count ? pairs[e] : 0;
    /* the source height and the number of the pattern identify the weights */
    w->way = (uint64_t)p->source_height << 40 | (uint64_t)colors->number << 32 |
             (uint64_t)(p->y->pattern[d] + 1);
    uint64_t hash = w->way * 0x9E3779B97F4A7C15u + w->from[0] * 0xD6E8FEB86659FD93u +
                    w->from[1] * 0xA0761D6478BD642Fu + w->from[2] * 0xE7037ED1A0B428DBu +
                    w->from[3] * 0x8EBC6AF09C88C6E3u;
    hash = stir(hash ^ hash >> 32) * 0x9E3779B97F4A7C15u >> (64 - cache->finished_bits);
    w->at = (finished_row *)(finished + hash * size);
    __builtin_prefetch(w->at);
    __builtin_prefetch((const uint8_t *)w->at + size - 1);
  }
}

void row_cache_run(const preprocess *p, preprocess_scratch *s, const palette *colors,
                   const machine_rows *first, const machine_rows *second, uint8_t *out) {
  row_cache *cache = s->cache;
  if (cache->names >= UINT32_MAX - 2 * SCREEN_MAX_LINES) preprocess_forget(p, s);
  find_pairs(cache, first, second, p->source_height);
  wanted_row wanted[SCREEN_MAX_LINES];
  find_places(p, cache, colors, wanted);
  const size_t row = (size_t)(p->width * p->channels);
  for (int d = 0; d < p->height; d++, out += row) {
    const wanted_row *w = &wanted[d];
    finished_row *f = w->at;
    uint64_t differ = f->way ^ w->way;
    for (int e = 0; e < ROW_CACHE_SUMMANDS; e++) differ |= f->from[e] ^ w->from[e];
    if (differ) {
      const int count = p->y->first[d + 1] - p->y->first[d], y = resize_first_source(p, d);
      const float *sums[ROW_CACHE_SUMMANDS];
      for (int e = 0; e < count; e++)
        sums[e] = find_sums(p, s, colors, first, second, y + e, sums, e);
      make_row(p, d, sums, f->bytes);
      f->way = w->way;
      memcpy(f->from, w->from, sizeof w->from);
    }
    copy_row(out, f->bytes, row);
  }
}
