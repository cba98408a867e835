/* Colors, pooling and resizing of pictures. docs/vectors.md has the arithmetic of the resize.
 *
 * Pictures of games repeat themselves: two of three rows equal the row above, and nearly all were seen before. So the
 * usual way (area resize of two palette pictures, preprocess_run) never looks at pixels twice. Every row has a number
 * that stands for its contents, from a table of rows; where the TIA has a number for the line that it shows, the
 * contents are looked at only when that number is new. A
 * row of the result follows from the numbers of the few rows that it is made of, and is most often found under them.
 * The plain way below does the same without, and the tests compare them. */
#include "env/preprocess.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "env/env.h"
#include "env/preprocess_avx2.h"

/* One axis of a resize: which source pixels a destination pixel is made of, and their weights. */
typedef struct resize_entry {
  int source;
  float weight;
} resize_entry;

struct resize_axis {
  int source, count; /* sizes */
  int box;           /* source pixels per destination pixel, if all are alike */
  int *first;        /* count + 1 positions in `entries` */
  int *pattern;      /* destination pixels with equal weights have equal numbers */
  resize_entry *entries;
  int most; /* entries of one destination pixel; they are of neighboring source pixels */
  /* If there are no more than three: the first source pixel of each and three rows of weights, filled up with zeros.
   * `padded` to whole vectors. */
  int padded, *from;
  float *three;
  /* enlargement: pixels low[d] and high[d] with weights in 1/2048 */
  int *low, *high;
  int32_t *weight_low, *weight_high;
};

/* Vectors of floats: element by element IEEE arithmetic, on any processor. */
enum { LANES = 8 };
typedef float floats __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t ints __attribute__((vector_size(LANES * sizeof(int32_t))));
_Static_assert(FLT_EVAL_METHOD == 0, "float arithmetic must round to float after every operation");

/* The contents of a row, and the number given to them. */
typedef struct named_row {
  uint8_t pixels[SCREEN_WIDTH];
  uint32_t name; /* 0: empty */
  uint32_t pad[3];
} named_row;

/* Two rows that are pooled: the first's number in the high half, and the second's in the low half unless the contents
 * are the same or there is none. */
typedef uint64_t row_pair;

/* The horizontal sums of a pair. */
typedef struct known_sums {
  row_pair pair; /* 0: empty */
  uint64_t palette;
  _Alignas(32) float sums[];
} known_sums;

/* A row of the result and what it was added up from. */
enum { SUMMANDS = 4 };
typedef struct finished_row {
  row_pair from[SUMMANDS]; /* 0 after the last */
  uint64_t way;            /* palette and weights; 0: empty */
  uint8_t bytes[];
} finished_row;

enum {
  ALIAS_BITS = 12,
  NAMED_BITS = 11,
  SUMS_BITS = 8,
  FINISHED_BYTES = 1 << 20, /* at most; a power of two of rows */
};

/* What the TIA calls a row, and we: lines that were made in different ways may show the same. */
typedef struct row_alias {
  uint32_t number, name;
} row_alias;

typedef struct row_cache {
  uint32_t names; /* given out so far */
  int finished_bits;
  row_alias aliases[1 << ALIAS_BITS]; /* by the last bits of the number */
  named_row named[1 << NAMED_BITS];
  row_pair pairs[SCREEN_MAX_LINES + SUMMANDS]; /* of the picture under way; some more may be read */
  _Alignas(64) uint8_t entries[]; /* 1 << SUMS_BITS of known_sums, then the finished rows */
} row_cache;

/* ---- Tables ---------------------------------------------------------------------------------------------------- */

static bool equal_weights(const resize_axis *a, int d, int other) {
  int count = a->first[d + 1] - a->first[d];
  if (a->first[other + 1] - a->first[other] != count) return false;
  for (int i = 0; i < count; i++) {
    if (a->entries[a->first[d] + i].weight != a->entries[a->first[other] + i].weight) return false;
  }
  return true;
}

static void fill_area(resize_axis *a) {
  double inverse = (double)a->count / a->source, scale = 1.0 / inverse;
  int at = 0;
  for (int d = 0; d < a->count; d++) {
    double f1 = d * scale, f2 = f1 + scale, cell = fmin(scale, a->source - f1);
    int s1 = (int)ceil(f1), s2 = (int)floor(f2);
    if (s2 > a->source - 1) s2 = a->source - 1;
    if (s1 > s2) s1 = s2;
    a->first[d] = at;
    if (s1 - f1 > 1e-3) a->entries[at++] = (resize_entry){s1 - 1, (float)((s1 - f1) / cell)};
    for (int s = s1; s < s2; s++) a->entries[at++] = (resize_entry){s, (float)(1.0 / cell)};
    if (f2 - s2 > 1e-3)
      a->entries[at++] = (resize_entry){s2, (float)(fmin(fmin(f2 - s2, 1.0), cell) / cell)};
  }
  a->first[a->count] = at;
  for (int d = 0; d < a->count; d++) {
    int count = a->first[d + 1] - a->first[d];
    if (count > a->most) a->most = count;
    a->from[d] = a->entries[a->first[d]].source;
    for (int i = 0; i < count && i < 3; i++)
      a->three[i * a->padded + d] = a->entries[a->first[d] + i].weight;
    int other = 0;
    while (!equal_weights(a, d, other)) other++;
    a->pattern[d] = other;
  }
}

static void fill_linear(resize_axis *a) {
  double inverse = (double)a->count / a->source, scale = 1.0 / inverse;
  for (int d = 0; d < a->count; d++) {
    int s = (int)floor(d * scale);
    float f = (float)((d + 1) - (s + 1) * inverse);
    f = f <= 0 ? 0 : f - floorf(f);
    if (s >= a->source - 1) s = a->source - 1, f = 0;
    a->low[d] = s;
    a->high[d] = s + 1 < a->source ? s + 1 : a->source - 1;
    a->weight_low[d] = (int32_t)rintf((1.0f - f) * 2048);
    a->weight_high[d] = (int32_t)rintf(f * 2048);
  }
}

static void free_axis(resize_axis *a) {
  if (!a) return;
  free(a->first);
  free(a->pattern);
  free(a->entries);
  free(a->three);
  free(a->from);
  free(a->low);
  free(a);
}

static resize_axis *make_axis(int source, int count) {
  resize_axis *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  a->source = source;
  a->count = count;
  a->first = calloc((size_t)count + 1, sizeof *a->first);
  a->pattern = calloc((size_t)count, sizeof *a->pattern);
  a->entries = calloc((size_t)source + 2 * (size_t)count, sizeof *a->entries);
  a->padded = (count + LANES - 1) / LANES * LANES;
  a->three = calloc(3 * (size_t)a->padded, sizeof *a->three);
  a->from = calloc((size_t)a->padded, sizeof *a->from);
  a->low = calloc(4 * (size_t)count, sizeof *a->low);
  if (!a->first || !a->pattern || !a->entries || !a->three || !a->from || !a->low) {
    free_axis(a);
    return NULL;
  }
  a->high = a->low + count;
  a->weight_low = a->high + count;
  a->weight_high = a->weight_low + count;
  double scale = 1.0 / ((double)count / source), rounded = rint(scale);
  a->box = fabs(scale - rounded) < DBL_EPSILON ? (int)rounded : 0;
  if (count <= source)
    fill_area(a);
  else
    fill_linear(a);
  return a;
}

sixer_err preprocess_make(preprocess *p, const sixer_vec_config *config, int source_height,
                          sixer_error *error) {
  bool native = config->height == 0 && config->width == 0;
  *p = (preprocess){
      .source_height = source_height,
      .height = native ? source_height : config->height,
      .width = native ? SCREEN_WIDTH : config->width,
      .channels = config->obs == SIXER_OBS_RGB ? 3 : 1,
      .obs = config->obs,
      .pool = config->pool,
  };
  p->avx2 = avx2_works();
  p->vbmi = p->avx2 && avx2_permutes();
  if (config->obs == SIXER_OBS_RAM) {
    p->height = 1;
    p->width = 128;
    return SIXER_OK;
  }
  if (p->height == source_height && p->width == SCREEN_WIDTH) return SIXER_OK;
  /* if one axis is enlarged, both are interpolated */
  bool larger = p->height > source_height || p->width > SCREEN_WIDTH;
  p->x = make_axis(SCREEN_WIDTH, p->width);
  p->y = make_axis(source_height, p->height);
  if (!p->x || !p->y) {
    preprocess_free(p);
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for pictures of %d x %d",
                      config->height, config->width);
  }
  if (larger) {
    p->resize = RESIZE_LINEAR;
    fill_linear(p->x);
    fill_linear(p->y);
  } else {
    p->resize = p->x->box && p->y->box ? RESIZE_BOX : RESIZE_AREA;
  }
  return SIXER_OK;
}

void preprocess_free(preprocess *p) {
  free_axis(p->x);
  free_axis(p->y);
  p->x = p->y = NULL;
}

static size_t axis_memory(const resize_axis *a) {
  if (!a) return 0;
  size_t n = (size_t)a->count;
  return sizeof *a + (2 * n + 1) * sizeof *a->first +
         (3 * sizeof *a->three + sizeof *a->from) * (size_t)a->padded + 4 * n * sizeof *a->low +
         ((size_t)a->source + 2 * n) * sizeof *a->entries;
}

size_t preprocess_memory(const preprocess *p) { return axis_memory(p->x) + axis_memory(p->y); }

size_t preprocess_raw_size(const preprocess *p) {
  return (size_t)p->source_height * SCREEN_WIDTH * (size_t)p->channels;
}

size_t preprocess_out_size(const preprocess *p) {
  return (size_t)p->height * (size_t)p->width * (size_t)p->channels;
}

/* ---- Working memory -------------------------------------------------------------------------------------------- */

/* Rows of sums are this many floats apart: whole vectors. */
static size_t row_stride(const preprocess *p) {
  return ((size_t)p->width * (size_t)p->channels + LANES - 1) / LANES * LANES;
}

/* A row of sums for each source row, and one for the destination. */
static size_t row_count(const preprocess *p) {
  return (size_t)(p->source_height + 1) * row_stride(p);
}

static size_t known_sums_size(const preprocess *p) {
  return sizeof(known_sums) + row_stride(p) * sizeof(float);
}

static size_t finished_row_size(const preprocess *p) {
  return (sizeof(finished_row) + row_stride(p) + 15) / 16 * 16;
}

static int finished_bits(const preprocess *p) {
  int bits = 6;
  while (finished_row_size(p) << (bits + 1) <= FINISHED_BYTES) bits++;
  return bits;
}

static size_t cache_size(const preprocess *p) {
  return p->resize != RESIZE_AREA && p->resize != RESIZE_BOX
             ? 0
             : sizeof(row_cache) + (known_sums_size(p) << SUMS_BITS) +
                   (finished_row_size(p) << finished_bits(p));
}

size_t preprocess_scratch_size(const preprocess *p) {
  return row_count(p) * (sizeof(float) + sizeof(int32_t)) + 3 * preprocess_raw_size(p) +
         cache_size(p);
}

sixer_err preprocess_scratch_make(preprocess_scratch *s, const preprocess *p, sixer_error *error) {
  *s = (preprocess_scratch){0};
  s->rows = aligned_alloc(64, (row_count(p) * sizeof *s->rows + 63) / 64 * 64);
  s->ints = malloc(row_count(p) * sizeof *s->ints);
  s->raw[0] = malloc(3 * preprocess_raw_size(p));
  bool made = s->rows && s->ints && s->raw[0];
  if (made && cache_size(p)) {
    s->cache = aligned_alloc(64, (cache_size(p) + 63) / 64 * 64);
    made = s->cache != NULL;
    if (made) {
      memset(s->cache, 0, cache_size(p));
      s->cache->finished_bits = finished_bits(p);
    }
  }
  if (!made) {
    preprocess_scratch_free(s);
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for preprocessing");
  }
  for (int i = 1; i < 3; i++) s->raw[i] = s->raw[i - 1] + preprocess_raw_size(p);
  return SIXER_OK;
}

void preprocess_scratch_free(preprocess_scratch *s) {
  free(s->rows);
  free(s->ints);
  free(s->raw[0]);
  free(s->cache);
  *s = (preprocess_scratch){0};
}

/* ---- Colors and pooling ---------------------------------------------------------------------------------------- */

static void color_pixels(const preprocess *p, const palette *colors, const uint8_t *restrict screen,
                         uint8_t *restrict raw, int pixels) {
  switch (p->obs) {
    case SIXER_OBS_GRAY:
      /* pixels come in runs, so eight equal ones are written at once */
      for (int i = 0; i < pixels; i += 8) {
        uint64_t eight, first = screen[i] * 0x0101010101010101u;
        memcpy(&eight, screen + i, sizeof eight);
        if (eight == first) {
          eight = colors->gray[screen[i]] * 0x0101010101010101u;
          memcpy(raw + i, &eight, sizeof eight);
        } else {
          for (int k = i; k < i + 8; k++) raw[k] = colors->gray[screen[k]];
        }
      }
      break;
    case SIXER_OBS_RGB:
      for (int i = 0; i < pixels; i++) {
        uint32_t color = colors->rgb[screen[i]];
        raw[3 * i] = (uint8_t)(color >> 16);
        raw[3 * i + 1] = (uint8_t)(color >> 8);
        raw[3 * i + 2] = (uint8_t)color;
      }
      break;
    case SIXER_OBS_PALETTE: memcpy(raw, screen, (size_t)pixels); break;
    case SIXER_OBS_RAM: break;
  }
}

void preprocess_color(const preprocess *p, const palette *colors, const uint8_t *screen,
                      uint8_t *raw) {
  color_pixels(p, colors, screen, raw, p->source_height * SCREEN_WIDTH);
}

static void pool_bytes(sixer_pool pool, uint8_t *restrict raw, const uint8_t *restrict other,
                       size_t size) {
  if (pool == SIXER_POOL_MAX) {
    for (size_t i = 0; i < size; i++) raw[i] = raw[i] > other[i] ? raw[i] : other[i];
  } else if (pool == SIXER_POOL_MEAN) {
    for (size_t i = 0; i < size; i++) raw[i] = (uint8_t)((raw[i] + other[i] + 1) >> 1);
  }
}

void preprocess_pool(const preprocess *p, uint8_t *raw, const uint8_t *other) {
  pool_bytes(p->pool, raw, other, preprocess_raw_size(p));
}

/* One row of both pictures, colored and pooled; `second` may be NULL. */
static void color_row(const preprocess *p, const palette *colors, const uint8_t *first,
                      const uint8_t *second, uint8_t *raw) {
  if (p->avx2 && p->obs == SIXER_OBS_GRAY && avx2_gray_row(p, colors, first, second, raw)) return;
  color_pixels(p, colors, first, raw, SCREEN_WIDTH);
  if (second) {
    uint8_t other[3 * SCREEN_WIDTH];
    color_pixels(p, colors, second, other, SCREEN_WIDTH);
    pool_bytes(p->pool, raw, other, (size_t)(SCREEN_WIDTH * p->channels));
  }
}

/* ---- Resizing -------------------------------------------------------------------------------------------------- */

/* To the nearest integer, halves to the even one, as rintf() does but several at once: a float from 2^23 on has no
 * fraction. */
static uint8_t saturate(float value) {
  const float shift = 0x1.8p23f;
  float rounded = value + shift - shift;
  return rounded < 0 ? 0 : rounded > 255 ? 255 : (uint8_t)rounded;
}

/* The weighted sums of a row, in float32, in order. */
static void area_row(const preprocess *p, const uint8_t *restrict source, float *restrict sums) {
  const resize_axis *x = p->x;
  int channels = p->channels;
  float pixels[3 * (SCREEN_WIDTH + 3)];
  int size = SCREEN_WIDTH * channels;
  for (int i = 0; i < size; i++) pixels[i] = source[i];
  if (x->most > 3) {
    for (int d = 0; d < x->count; d++) {
      for (int c = 0; c < channels; c++) {
        float sum = 0;
        for (int e = x->first[d]; e < x->first[d + 1]; e++)
          sum += pixels[x->entries[e].source * channels + c] * x->entries[e].weight;
        *sums++ = sum;
      }
    }
    return;
  }
  /* three pixels for every sum: a weight of 0 adds exactly nothing */
  for (int i = size; i < size + 3 * channels; i++) pixels[i] = 0;
  const float *w0 = x->three, *w1 = w0 + x->padded, *w2 = w1 + x->padded;
  for (int d = 0; d < x->count; d++) {
    const float *from = pixels + x->from[d] * channels;
    for (int c = 0; c < channels; c++) {
      float sum = from[c] * w0[d];
      sum += from[channels + c] * w1[d];
      sum += from[2 * channels + c] * w2[d];
      *sums++ = sum;
    }
  }
}

/* The rows that destination row d is made of, weighted, added up in order and rounded. `sums` are theirs. */
static void add_rows(const preprocess *p, int d, const float *const *sums, uint8_t *out) {
  const resize_entry *entries = p->y->entries + p->y->first[d];
  int count = p->y->first[d + 1] - p->y->first[d], row = p->width * p->channels;
  for (int i = 0; i < row; i += LANES) {
    floats sum = *(const floats *)(sums[0] + i) * entries[0].weight;
    for (int e = 1; e < count; e++) sum += *(const floats *)(sums[e] + i) * entries[e].weight;
    /* the same rounding; the integer is in the low bits */
    ints rounded = (ints)(sum + 0x1.8p23f);
    int last = row - i < LANES ? row - i : LANES;
    for (int k = 0; k < last; k++) {
      int value = rounded[k] - 0x4B400000;
      out[i + k] = (uint8_t)(value > 255 ? 255 : value);
    }
  }
}

/* The source rows of destination row d follow each other from this one on. */
static int first_source(const preprocess *p, int d) { return p->y->entries[p->y->first[d]].source; }

static void resize_area(const preprocess *p, preprocess_scratch *s, const uint8_t *raw,
                        uint8_t *out) {
  size_t source_row = (size_t)SCREEN_WIDTH * (size_t)p->channels, stride = row_stride(p);
  const float *sums[SCREEN_MAX_LINES];
  for (int y = 0; y < p->source_height; y++) {
    area_row(p, raw + (size_t)y * source_row, s->rows + (size_t)y * stride);
    sums[y] = s->rows + (size_t)y * stride;
  }
  for (int d = 0; d < p->height; d++)
    add_rows(p, d, sums + first_source(p, d), out + (size_t)d * (size_t)(p->width * p->channels));
}

static void resize_box(const preprocess *p, const uint8_t *raw, uint8_t *out) {
  int bx = p->x->box, by = p->y->box, channels = p->channels;
  bool four = bx == 2 && by == 2;
  float part = 1.0f / (float)(bx * by);
  for (int y = 0; y < p->height; y++) {
    for (int x = 0; x < p->width; x++) {
      for (int c = 0; c < channels; c++) {
        int sum = 0;
        for (int j = 0; j < by; j++) {
          for (int i = 0; i < bx; i++)
            sum += raw[((y * by + j) * SCREEN_WIDTH + x * bx + i) * channels + c];
        }
        *out++ = four ? (uint8_t)((sum + 2) >> 2) : saturate((float)sum * part);
      }
    }
  }
}

static void resize_linear(const preprocess *p, preprocess_scratch *s, const uint8_t *raw,
                          uint8_t *out) {
  int channels = p->channels, row = p->width * channels;
  const resize_axis *ax = p->x, *ay = p->y;
  for (int y = 0; y < p->source_height; y++) {
    const uint8_t *source = raw + y * SCREEN_WIDTH * channels;
    int32_t *h = s->ints + (size_t)y * (size_t)row;
    for (int x = 0; x < p->width; x++) {
      for (int c = 0; c < channels; c++) {
        *h++ = source[ax->low[x] * channels + c] * ax->weight_low[x] +
               source[ax->high[x] * channels + c] * ax->weight_high[x];
      }
    }
  }
  for (int y = 0; y < p->height; y++) {
    const int32_t *h0 = s->ints + (size_t)ay->low[y] * (size_t)row,
                  *h1 = s->ints + (size_t)ay->high[y] * (size_t)row;
    int32_t w0 = ay->weight_low[y], w1 = ay->weight_high[y];
    for (int i = 0; i < row; i++) {
      int32_t value = (((w0 * (h0[i] >> 4)) >> 16) + ((w1 * (h1[i] >> 4)) >> 16) + 2) >> 2;
      *out++ = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
  }
}

void preprocess_resize(const preprocess *p, preprocess_scratch *s, const uint8_t *raw,
                       uint8_t *out) {
  switch (p->resize) {
    case RESIZE_NONE: memcpy(out, raw, preprocess_raw_size(p)); break;
    case RESIZE_AREA: resize_area(p, s, raw, out); break;
    case RESIZE_BOX: resize_box(p, raw, out); break;
    case RESIZE_LINEAR: resize_linear(p, s, raw, out); break;
  }
}

/* ---- The usual way --------------------------------------------------------------------------------------------- */

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
  memset(cache->aliases, 0, sizeof cache->aliases);
  memset(cache->named, 0, sizeof cache->named);
  memset(cache->entries, 0, (known_sums_size(p) << SUMS_BITS) + (finished_row_size(p) << bits));
  cache->names = 0;
}

/* The name of a row's contents. It stays theirs as long as anything is known by it. */
static uint32_t name_row(row_cache *cache, const uint8_t *pixels) {
  named_row *r = &cache->named[hash_row(pixels)];
  if (r->name && same_row(r->pixels, pixels)) return r->name;
  memcpy(r->pixels, pixels, SCREEN_WIDTH);
  return r->name = ++cache->names;
}

/* The same for a row that the TIA has a number for, or 0. */
static uint32_t name_known(row_cache *cache, uint32_t number, const uint8_t *pixels) {
  if (!number) return name_row(cache, pixels);
  row_alias *alias = &cache->aliases[number & ((1 << ALIAS_BITS) - 1)];
  if (alias->number != number) *alias = (row_alias){number, name_row(cache, pixels)};
  return alias->name;
}

/* The pairs of rows that the picture is made of. */
static void find_pairs(row_cache *cache, const preprocess_picture *first,
                       const preprocess_picture *second, int height) {
  static const uint32_t unknown[SCREEN_MAX_LINES];
  const uint8_t *a = first->pixels, *b = second ? second->pixels : NULL;
  const uint32_t *rows_a = first->rows ? first->rows : unknown;
  const uint32_t *rows_b = second && second->rows ? second->rows : unknown;
  uint32_t name_a = 0, name_b = 0;
  for (int y = 0; y < height; y++, a += SCREEN_WIDTH) {
    bool same_a = y && (rows_a[y] ? rows_a[y] == rows_a[y - 1] : same_row(a, a - SCREEN_WIDTH));
    if (!same_a) name_a = name_known(cache, rows_a[y], a);
    if (b) {
      if (rows_b[y] ? rows_b[y] == rows_a[y] : same_row(a, b))
        name_b = name_a;
      else if (!y || !rows_b[y] || rows_b[y] != rows_b[y - 1])
        name_b = name_known(cache, rows_b[y], b);
      b += SCREEN_WIDTH;
    }
    cache->pairs[y] = (uint64_t)name_a << 32 | (name_b == name_a ? 0 : name_b);
  }
}

static uint64_t stir(uint64_t hash) {
  hash *= 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

/* Destination row d into memory that has room for whole vectors. */
static void make_row(const preprocess *p, int d, const float *const *sums, uint8_t *out) {
  if (!p->avx2) {
    add_rows(p, d, sums, out);
    return;
  }
  const int first = p->y->first[d], count = p->y->first[d + 1] - first;
  float weights[SUMMANDS];
  for (int e = 0; e < count; e++) weights[e] = p->y->entries[first + e].weight;
  avx2_add_rows(sums, weights, count, p->width * p->channels, out);
}

/* As area_row(), for a row with some bytes behind it. */
static void make_sums(const preprocess *p, const uint8_t *raw, float *sums) {
  if (p->avx2 && p->channels == 1 && p->x->most <= 3)
    avx2_area_row(p->x->from, p->x->three, p->x->padded, raw, sums);
  else
    area_row(p, raw, sums);
}

/* The sums of row y for a destination row that has taken `taken` already: found, or made in place of others. */
static const float *find_sums(const preprocess *p, preprocess_scratch *s, const palette *colors,
                              const preprocess_picture *first, const preprocess_picture *second,
                              int y, const float *const *taken, int count) {
  row_pair pair = s->cache->pairs[y];
  uint64_t slot = stir(stir(pair)) * 0x9E3779B97F4A7C15u >> (64 - SUMS_BITS);
  known_sums *k = (known_sums *)(s->cache->entries + slot * known_sums_size(p));
  float *sums = k->sums;
  if (k->pair == pair && k->palette == (uint64_t)colors->number) return sums;
  for (int i = 0; i < count; i++) {
    if (taken[i] == sums) sums = s->rows + (size_t)i * row_stride(p);
  }
  if (sums == k->sums) {
    k->pair = pair;
    k->palette = (uint64_t)colors->number;
  }
  uint8_t raw[3 * SCREEN_WIDTH];
  memset(raw + SCREEN_WIDTH, 0, 4); /* read by make_sums() and of no weight */
  color_row(p, colors, first->pixels + y * SCREEN_WIDTH,
            (uint32_t)pair ? second->pixels + y * SCREEN_WIDTH : NULL, raw);
  make_sums(p, raw, sums);
  return sums;
}

static void run_area(const preprocess *p, preprocess_scratch *s, const palette *colors,
                     const preprocess_picture *first, const preprocess_picture *second,
                     uint8_t *out) {
  row_cache *cache = s->cache;
  if (cache->names >= UINT32_MAX - 2 * SCREEN_MAX_LINES) preprocess_forget(p, s);
  find_pairs(cache, first, second, p->source_height);
  uint8_t *finished = cache->entries + (known_sums_size(p) << SUMS_BITS);
  size_t row = (size_t)(p->width * p->channels), size = finished_row_size(p);
  for (int d = 0; d < p->height; d++, out += row) {
    int count = p->y->first[d + 1] - p->y->first[d], y = first_source(p, d);
    /* weights are known by the height that is resized and their number in it */
    uint64_t way = (uint64_t)p->source_height << 40 | (uint64_t)colors->number << 32 |
                   (uint64_t)(p->y->pattern[d] + 1);
    const row_pair *pairs = cache->pairs + y;
    const row_pair from[SUMMANDS] = {pairs[0], count > 1 ? pairs[1] : 0, count > 2 ? pairs[2] : 0,
                                     count > 3 ? pairs[3] : 0};
    uint64_t hash = way * 0x9E3779B97F4A7C15u + from[0] * 0xD6E8FEB86659FD93u +
                    from[1] * 0xA0761D6478BD642Fu + from[2] * 0xE7037ED1A0B428DBu +
                    from[3] * 0x8EBC6AF09C88C6E3u;
    hash = stir(hash ^ hash >> 32) * 0x9E3779B97F4A7C15u >> (64 - cache->finished_bits);
    finished_row *f = (finished_row *)(finished + hash * size);
    uint64_t differ = f->way ^ way;
    for (int e = 0; e < SUMMANDS; e++) differ |= f->from[e] ^ from[e];
    if (differ) {
      const float *sums[SUMMANDS];
      for (int e = 0; e < count; e++)
        sums[e] = find_sums(p, s, colors, first, second, y + e, sums, e);
      make_row(p, d, sums, f->bytes);
      f->way = way;
      memcpy(f->from, from, sizeof from);
    }
    memcpy(out, f->bytes, row);
  }
}

/* Colors and pooling alone, to a picture of the same size. */
static void run_color(const preprocess *p, const palette *colors, const uint8_t *first,
                      const uint8_t *second, uint8_t *out) {
  size_t row = (size_t)(SCREEN_WIDTH * p->channels);
  for (int y = 0; y < p->source_height; y++, first += SCREEN_WIDTH, out += row) {
    if (y && same_row(first, first - SCREEN_WIDTH) &&
        (!second || same_row(second, second - SCREEN_WIDTH)))
      memcpy(out, out - row, row);
    else
      color_row(p, colors, first, second && !same_row(first, second) ? second : NULL, out);
    if (second) second += SCREEN_WIDTH;
  }
}

void preprocess_run(const preprocess *p, preprocess_scratch *s, const palette *colors,
                    const preprocess_picture *first, const preprocess_picture *second,
                    uint8_t *out) {
  const uint8_t *other = second ? second->pixels : NULL;
  if (p->resize == RESIZE_NONE) {
    run_color(p, colors, first->pixels, other, out);
  } else if (p->resize == RESIZE_AREA && p->y->most <= SUMMANDS) {
    run_area(p, s, colors, first, second, out);
  } else {
    run_color(p, colors, first->pixels, other, s->raw[0]);
    preprocess_resize(p, s, s->raw[0], out);
  }
}
