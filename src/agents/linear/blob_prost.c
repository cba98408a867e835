/* Blob-PROST features (Liang et al. 2016, used by Machado et al. 2018): where blobs are (basic), the
 * offsets between blobs of one screen (B-PROS, pairwise relative offsets in space), and the offsets from blobs of the
 * screen before (B-PROT, offsets in time).
 *
 * Indices as in the paper: 153,600 basic ones (tile * 128 + color), then offsets of 8,256 unordered pairs of colors,
 * then offsets of 16,384 ordered pairs, then one feature that is always on: 115,000,641. A pair of colors has 59 x 79 =
 * 4,661 offsets, and the offset of two blobs is the difference of their places (blobs.h). A game shows 10^5 to 10^6 of
 * them, so features are given ids when they are first seen. Id 0 is the feature that is always on.
 *
 * The list of active features runs through the pairs of colors in ascending order, and within one through pairs of
 * blobs: an order that depends on the screens only. */
#include "agents/linear/blob_prost.h"

#include <stdlib.h>

#include "agents/linear/blobs.h"
#include "util/region.h"

enum {
  COLORS = BLOB_COLORS,
  OFFSETS = (2 * BLOB_ROWS - 1) * (2 * BLOB_COLUMNS - 1),
  CENTER = (BLOB_ROWS - 1) * BLOB_PLACES + BLOB_COLUMNS - 1, /* offset 0, 0 */
  SPACE_PAIRS = COLORS * (COLORS + 1) / 2,
  TIME_PAIRS = COLORS * COLORS,
  BASIC = BLOB_TILES * COLORS,
  SPACE = BASIC,
  TIME = SPACE + SPACE_PAIRS * OFFSETS,
  BIAS = TIME + TIME_PAIRS * OFFSETS,
  BLOCK_SIZE = OFFSETS * 4,
  MAX_FEATURES = 1 << 26,
  MAX_ACTIVE = 1 << 22
};
_Static_assert(BIAS == 115000640, "index space of the paper");

typedef struct blob_prost {
  feature_set base;
  bool ignores_color;
  bool has_before;
  blob_finder *finder;
  blob_list *now, *before;
  region keys; /* index of each id: uint32_t */
  region
      blocks; /* of OFFSETS ids each, in the order in which their pairs were first seen; the first is not used */
  uint32_t block_count;
  uint32_t *basic;             /* ids by index; 0: not seen yet */
  uint32_t space[SPACE_PAIRS]; /* number of the block; 0: no such pair was seen yet */
  uint32_t time[TIME_PAIRS];
} blob_prost;

static inline int space_pair(int low, int high) {
  return low * (2 * COLORS - low + 1) / 2 + (high - low);
}

static sixer_err create(feature_set *set, const feature_settings *settings, sixer_error *error) {
  blob_prost *b = (blob_prost *)set;
  b->ignores_color = settings->basic_ignores_color;
  b->finder = blob_finder_create((int)settings->neighborhood, BLOBS_BEST);
  b->now = calloc(1, sizeof *b->now);
  b->before = calloc(1, sizeof *b->before);
  b->basic = calloc(BASIC, sizeof *b->basic);
  if (!b->finder || !b->now || !b->before || !b->basic ||
      !region_reserve(&b->keys, (size_t)MAX_FEATURES * sizeof(uint32_t)) ||
      !region_commit(&b->keys, sizeof(uint32_t)) ||
      !region_reserve(&b->blocks, (size_t)(SPACE_PAIRS + TIME_PAIRS + 1) * BLOCK_SIZE))
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for features");
  region_fill_densely(&b->blocks);
  b->block_count = 1;
  ((uint32_t *)b->keys.data)[0] = BIAS;
  set->count = 1;
  return SIXER_OK;
}

static void destroy(feature_set *set) {
  blob_prost *b = (blob_prost *)set;
  blob_finder_destroy(b->finder);
  free(b->now);
  free(b->before);
  free(b->basic);
  region_free(&b->keys);
  region_free(&b->blocks);
}

static void begin(feature_set *set) { ((blob_prost *)set)->has_before = false; }

static inline uint32_t new_id(blob_prost *b, uint32_t index) {
  uint32_t id = b->base.count++;
  ((uint32_t *)b->keys.data)[id] = index;
  return id;
}

static uint32_t *block_of(blob_prost *b, uint32_t *table, int pair) {
  if (!table[pair]) {
    if (!region_commit(&b->blocks, (size_t)(b->block_count + 1) * BLOCK_SIZE)) return NULL;
    table[pair] = b->block_count++;
  }
  return (uint32_t *)(b->blocks.data + (size_t)table[pair] * BLOCK_SIZE);
}

/* The offsets from the blobs first..last of one color to those from `other` on of another, or of the same. */
typedef struct pairing {
  const int16_t *from, *to;
  int from_count, to_count;
  bool mirrored; /* both are the same list: of two mirrored offsets only one counts */
  uint32_t base; /* index of the block's first offset */
} pairing;

static inline uint32_t *pair_blobs(blob_prost *b, uint32_t *block, pairing p, uint32_t *out) {
  for (int i = 0; i < p.from_count; i++) {
    const int32_t shift = p.from[i] + CENTER;
    for (int j = p.mirrored ? i : 0; j < p.to_count; j++) {
      const int32_t offset = shift - p.to[j];
      uint32_t id = block[offset];
      if (__builtin_expect(!id, 0)) id = block[offset] = new_id(b, p.base + (uint32_t)offset);
      *out++ = id;
    }
  }
  return out;
}

static sixer_err out_of_memory(sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for features");
}

uint32_t blob_prost_index(const feature_set *set, uint32_t id) {
  return ((const uint32_t *)((const blob_prost *)set)->keys.data)[id];
}

sixer_err blob_prost_screen(feature_set *set, const uint8_t *screen, int height, feature_list *list,
                            sixer_error *error) {
  blob_prost *b = (blob_prost *)set;
  blob_list *now = b->now;
  const blob_list *before = b->before;
  blob_finder_find(b->finder, screen, height, now);

  /* room for all pairs, so that the loops need not ask */
  int64_t most = 1 + now->count + (int64_t)now->count * (now->count + 1) / 2 +
                 (b->has_before ? (int64_t)before->count * now->count : 0);
  if (most > MAX_ACTIVE || set->count + most > MAX_FEATURES)
    return sixer_fail(error, SIXER_ERR_MEMORY,
                      "this game has too many Blob-PROST features: %d blobs on a screen, %u "
                      "features so far; use another feature set",
                      now->count, set->count);
  if (!feature_list_room(list, (int)most) ||
      !region_commit(&b->keys, (size_t)(set->count + most) * sizeof(uint32_t)))
    return out_of_memory(error);

  uint32_t *out = list->ids + list->count;
  for (int x = 0; x < now->colors; x++) {
    for (int i = now->start[x]; i < now->start[x + 1]; i++) {
      int tile = blob_tile(now->place[i]);
      int index = b->ignores_color ? tile : tile * COLORS + now->color[x];
      if (!b->basic[index]) b->basic[index] = new_id(b, (uint32_t)index);
      *out++ = b->basic[index];
    }
  }
  for (int x = 0; x < now->colors; x++) {
    for (int y = x; y < now->colors; y++) {
      int pair = space_pair(now->color[x], now->color[y]);
      uint32_t *block = block_of(b, b->space, pair);
      if (!block) return out_of_memory(error);
      pairing p = {now->place + now->start[x],
                   now->place + now->start[y],
                   now->start[x + 1] - now->start[x],
                   now->start[y + 1] - now->start[y],
                   x == y,
                   SPACE + (uint32_t)pair * OFFSETS};
      out = pair_blobs(b, block, p, out);
    }
  }
  for (int x = 0; b->has_before && x < before->colors; x++) {
    for (int y = 0; y < now->colors; y++) {
      int pair = before->color[x] * COLORS + now->color[y];
      uint32_t *block = block_of(b, b->time, pair);
      if (!block) return out_of_memory(error);
      pairing p = {before->place + before->start[x],
                   now->place + now->start[y],
                   before->start[x + 1] - before->start[x],
                   now->start[y + 1] - now->start[y],
                   false,
                   TIME + (uint32_t)pair * OFFSETS};
      out = pair_blobs(b, block, p, out);
    }
  }
  *out++ = 0;
  list->count = (int)(out - list->ids);
  b->now = b->before;
  b->before = now;
  b->has_before = true;
  return SIXER_OK;
}

static sixer_err active(feature_set *set, sixer_env *env, feature_list *list, sixer_error *error) {
  const uint8_t *screen = sixer_env_screen(env);
  if (!screen) return sixer_fail(error, SIXER_ERR_PICTURE, "the env has no picture to look at");
  return blob_prost_screen(set, screen, sixer_env_height(env), list, error);
}

/* Where the id of an index is kept. NULL if there is no such block, or the index is that of the bias. */
static uint32_t *place_of(blob_prost *b, uint32_t index) {
  if (index < BASIC) return &b->basic[index];
  if (index >= BIAS) return NULL;
  uint32_t *table = index < TIME ? b->space : b->time;
  index -= index < TIME ? SPACE : TIME;
  uint32_t *block = block_of(b, table, (int)(index / OFFSETS));
  return block ? &block[index % OFFSETS] : NULL;
}

static void forget(feature_set *set, uint32_t count) {
  blob_prost *b = (blob_prost *)set;
  const uint32_t *keys = (const uint32_t *)b->keys.data;
  while (set->count > count && set->count > 1) *place_of(b, keys[--set->count]) = 0;
}

static size_t memory(const feature_set *set) {
  const blob_prost *b = (const blob_prost *)set;
  return sizeof *b + (size_t)b->block_count * BLOCK_SIZE + b->base.count * sizeof(uint32_t) +
         BASIC * sizeof(uint32_t);
}

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

static sixer_err save(const feature_set *set, sections_writer *out, sixer_error *error) {
  const blob_prost *b = (const blob_prost *)set;
  (void)error;
  sections_begin(out, "agent.features");
  sections_put_u64(out, set->count);
  sections_put_numbers(out, b->keys.data, set->count, sizeof(uint32_t));
  sections_begin(out, "agent.blobs");
  sections_put_u64(out, b->has_before);
  for (int x = 0; b->has_before && x < b->before->colors; x++) {
    for (int i = b->before->start[x]; i < b->before->start[x + 1]; i++) {
      int16_t blob[2] = {b->before->color[x], b->before->place[i]};
      sections_put_array(out, blob, 2);
    }
  }
  return SIXER_OK;
}

static sixer_err damaged(sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_STATE, "the features of the saved agent are damaged");
}

static sixer_err load(feature_set *set, sections_reader *in, sixer_error *error) {
  blob_prost *b = (blob_prost *)set;
  forget(set, 1);
  if (!sections_find(in, "agent.features")) return damaged(error);
  uint64_t count = sections_get_u64(in);
  if (count < 1 || count > MAX_FEATURES || sections_left(in) != count * sizeof(uint32_t))
    return damaged(error);
  if (!region_commit(&b->keys, (size_t)count * sizeof(uint32_t))) return out_of_memory(error);
  uint32_t *keys = (uint32_t *)b->keys.data, bias;
  sections_get_array(in, &bias, 1);
  if (bias != BIAS) return damaged(error);
  for (uint32_t id = 1; id < count; id++) {
    uint32_t key, *place;
    sections_get_array(in, &key, 1);
    if (key >= BIAS) return damaged(error);
    place = place_of(b, key);
    if (!place) return out_of_memory(error);
    if (*place) return damaged(error); /* seen twice */
    *place = id;
    keys[id] = key;
    set->count = id + 1;
  }
  if (!sections_find(in, "agent.blobs")) return damaged(error);
  b->has_before = sections_get_u64(in) != 0;
  blob_list *list = b->before;
  list->count = list->colors = 0;
  if (sections_left(in) % 4 || sections_left(in) / 4 > BLOBS_MAX) return damaged(error);
  while (sections_left(in)) {
    int16_t blob[2];
    sections_get_array(in, blob, 2);
    int last = list->colors ? list->color[list->colors - 1] : -1;
    if (blob[0] < 0 || blob[0] < last || blob[0] >= COLORS || blob[1] < 0 ||
        blob[1] / BLOB_PLACES >= BLOB_ROWS || blob[1] % BLOB_PLACES >= BLOB_COLUMNS)
      return damaged(error);
    if (blob[0] == last && blob[1] >= list->place[list->count - 1]) return damaged(error);
    if (blob[0] > last) {
      list->color[list->colors] = (uint8_t)blob[0];
      list->start[list->colors++] = list->count;
    }
    list->place[list->count++] = blob[1];
  }
  list->start[list->colors] = list->count;
  if (sections_failed(in) || (list->count > 0) != b->has_before) return damaged(error);
  return SIXER_OK;
}

const feature_class features_blob_prost = {
    .name = "blob-prost",
    .summary = "blobs of color and their offsets in space and time (Liang et al. 2016)",
    .size = sizeof(blob_prost),
    .max_count = MAX_FEATURES,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .active = active,
    .forget = forget,
    .memory = memory,
    .save = save,
    .load = load,
};
