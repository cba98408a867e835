/* LSH features (Bellemare et al. 2013, appendix A.4): random projections of the screen as a bit vector.
 *
 * Each of 2,000 hashes adds up random numbers in 0..49, one for each of 1,000 random coordinates of the bit vector that
 * are set; the sum modulo 50 is the feature of that hash which is active. The id is 50 * hash + sum. The bit vector has
 * the 7 bits of each pixel's color (`lsh_binarize=bits`), or one bit per pixel and color (`onehot`).
 *
 * The sums are kept from screen to screen. Entries are sorted by pixel (and bit), so a pixel that changes color updates
 * the few sums that have its coordinates: 8.5 for each bit that changed. */
#include <stdlib.h>
#include <string.h>

#include "agents/linear/foreground.h"

enum {
  HASHES = 2000,
  COORDINATES = 1000,
  VALUES = 50,
  COUNT = HASHES * VALUES,
  ENTRIES = HASHES * COORDINATES,
  COLOR_BITS = 7
};
enum { BITS, ONEHOT };

/* One coordinate of one hash. */
typedef struct entry {
  uint16_t hash;
  uint8_t color; /* with onehot: the color that sets the coordinate */
  uint8_t value;
} entry;

typedef struct lsh_set {
  feature_set base;
  bool bias, onehot;
  int parts;       /* entries of `begin` per pixel: one for each of 7 bits; with onehot 1 */
  uint32_t *begin; /* first entry of each pixel * parts + part; one more at the end */
  entry *entries;
  int32_t sums[HASHES];
  bool known; /* the sums are those of `before` */
  uint8_t before[PROST_PIXELS];
} lsh_set;

/* ---- Projections ----------------------------------------------------------------------------------------------- */

/* Draw the coordinates and values of all hashes, then sort them by coordinate. */
static bool draw_entries(lsh_set *l, uint64_t rng) {
  uint32_t per_pixel = l->onehot ? PROST_COLORS : COLOR_BITS;
  uint32_t coordinates = PROST_PIXELS * per_pixel, parts = PROST_PIXELS * (uint32_t)l->parts;
  uint16_t *last = calloc(coordinates, sizeof *last); /* the hash that drew a coordinate, + 1 */
  uint32_t *where = malloc(ENTRIES * sizeof *where);
  uint8_t *values = malloc(ENTRIES);
  bool good = last && where && values;
  for (uint32_t i = 0; good && i < ENTRIES; i++) {
    uint16_t mark = (uint16_t)(i / COORDINATES + 1);
    do where[i] = (uint32_t)agent_below(&rng, (int)coordinates);
    while (last[where[i]] == mark);
    last[where[i]] = mark;
    values[i] = (uint8_t)agent_below(&rng, VALUES);
    l->begin[(l->onehot ? where[i] / per_pixel : where[i]) + 1]++;
  }
  for (uint32_t i = 0; good && i < parts; i++) l->begin[i + 1] += l->begin[i];
  /* from the last to the first, so that the first of a part comes first; `begin` of the next part counts down */
  for (uint32_t i = ENTRIES; good && i-- > 0;) {
    uint32_t part = l->onehot ? where[i] / per_pixel : where[i];
    l->entries[--l->begin[part + 1]] =
        (entry){(uint16_t)(i / COORDINATES), (uint8_t)(where[i] % per_pixel), values[i]};
  }
  if (good) { /* now begin[p + 1] is the first entry of part p */
    memmove(l->begin, l->begin + 1, parts * sizeof *l->begin);
    l->begin[parts] = ENTRIES;
  }
  free(last);
  free(where);
  free(values);
  return good;
}

static sixer_err create(feature_set *set, const feature_settings *settings, sixer_error *error) {
  lsh_set *l = (lsh_set *)set;
  l->bias = settings->bias;
  l->onehot = settings->lsh_binarize == ONEHOT;
  l->parts = l->onehot ? 1 : COLOR_BITS;
  set->count = COUNT + l->bias;
  l->begin = calloc((size_t)PROST_PIXELS * (size_t)l->parts + 1, sizeof *l->begin);
  l->entries = malloc(ENTRIES * sizeof *l->entries);
  if (!l->begin || !l->entries || !draw_entries(l, (uint64_t)settings->lsh_seed))
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for the projections of lsh");
  return SIXER_OK;
}

static void destroy(feature_set *set) {
  lsh_set *l = (lsh_set *)set;
  free(l->begin);
  free(l->entries);
}

/* ---- Screens --------------------------------------------------------------------------------------------------- */

static void change_bits(lsh_set *l, int pixel, int from, int to) {
  for (int differ = from ^ to; differ; differ &= differ - 1) {
    int bit = __builtin_ctz((unsigned)differ), sign = to >> bit & 1 ? 1 : -1;
    const entry *e = l->entries + l->begin[pixel * COLOR_BITS + bit];
    const entry *end = l->entries + l->begin[pixel * COLOR_BITS + bit + 1];
    for (; e < end; e++) l->sums[e->hash] += sign * e->value;
  }
}

static void add_color(lsh_set *l, int pixel, int color, int sign) {
  const entry *e = l->entries + l->begin[pixel], *end = l->entries + l->begin[pixel + 1];
  for (; e < end; e++) {
    if (e->color == color) l->sums[e->hash] += sign * e->value;
  }
}

static void change_pixel(lsh_set *l, int pixel, uint8_t to) {
  int old = l->before[pixel] >> 1, color = to >> 1;
  l->before[pixel] = to;
  if (!l->onehot) {
    change_bits(l, pixel, old, color);
    return;
  }
  add_color(l, pixel, old, -1);
  add_color(l, pixel, color, 1);
}

/* The sums of an all-black screen. */
static void start_sums(lsh_set *l) {
  memset(l->sums, 0, sizeof l->sums);
  memset(l->before, 0, sizeof l->before);
  for (int i = 0; l->onehot && i < PROST_PIXELS; i++) add_color(l, i, 0, 1);
  l->known = true;
}

static sixer_err active(feature_set *set, sixer_env *env, feature_list *out, sixer_error *error) {
  lsh_set *l = (lsh_set *)set;
  const uint8_t *screen;
  sixer_err err = feature_screen(env, &screen, error);
  if (err) return err;
  int pixels = sixer_env_height(env) * PROST_WIDTH;
  if (pixels > PROST_PIXELS) pixels = PROST_PIXELS;
  if (!l->known) start_sums(l);
  for (int i = 0; i < pixels; i += 8) {
    uint64_t a, b;
    memcpy(&a, screen + i, 8);
    memcpy(&b, l->before + i, 8);
    if (a == b) continue;
    for (int k = i; k < i + 8; k++) {
      if (screen[k] >> 1 != l->before[k] >> 1) change_pixel(l, k, screen[k]);
    }
  }
  if (!feature_list_room(out, HASHES + 1)) return SIXER_OK;
  uint32_t *ids = out->ids + out->count;
  for (int i = 0; i < HASHES; i++) ids[i] = (uint32_t)(VALUES * i) + (uint32_t)l->sums[i] % VALUES;
  out->count += HASHES;
  if (l->bias) feature_list_add(out, COUNT);
  return SIXER_OK;
}

static size_t memory(const feature_set *set) {
  const lsh_set *l = (const lsh_set *)set;
  return sizeof *l + ENTRIES * sizeof *l->entries +
         PROST_PIXELS * (size_t)l->parts * sizeof *l->begin;
}

const feature_class features_lsh = {
    .name = "lsh",
    .summary = "random projections of the screen (Bellemare et al. 2013)",
    .size = sizeof(lsh_set),
    .max_count = COUNT + 1,
    .dense = true,
    .create = create,
    .destroy = destroy,
    .active = active,
    .memory = memory};
