/* B-PROS and B-PROST features (Liang et al. 2016): the Basic features, the offsets between tiles of two colors on one
 * screen, and with T those between a tile on the screen before and one now; and one feature that is always active.
 * prost.h defines the indices. Of 6,885,440 and 20,598,848 indices a game shows few, so features are numbered
 * when they are first seen: the ids of the offsets of one pair of colors are a block, made with the first of them. */
#include <stdlib.h>
#include <string.h>

#include "agents/linear/foreground.h"

enum {
  BIAS = PROST_COUNT, /* the key of the feature that is always active */
  BLOCKS = (PROST_SPACE + PROST_TIME) / PROST_OFFSETS
};

typedef struct prost_set {
  feature_set base;
  bool time; /* B-PROST */
  foreground f;
  /* by key: id + 1, or 0 if the feature was not seen */
  uint32_t basic[PROST_BASIC], bias; /* the bias has id 0 */
  uint32_t *blocks[BLOCKS];
  int block_count;
  uint32_t *keys; /* by id */
  uint32_t key_capacity;
  uint16_t before[PROST_BASIC], now[PROST_BASIC];
  int before_count; /* -1: there is no screen before */
} prost_set;

static void destroy(feature_set *set) {
  prost_set *p = (prost_set *)set;
  for (int i = 0; i < BLOCKS; i++) free(p->blocks[i]);
  free(p->keys);
}

static void begin(feature_set *set) { ((prost_set *)set)->before_count = -1; }

/* Where the id of a key is; NULL: no memory. */
static uint32_t *slot_of(prost_set *p, uint32_t key) {
  if (key < PROST_BASIC) return &p->basic[key];
  if (key == BIAS) return &p->bias;
  uint32_t block = (key - PROST_BASIC) / PROST_OFFSETS;
  if (!p->blocks[block]) {
    p->blocks[block] = calloc(PROST_OFFSETS, sizeof **p->blocks);
    if (!p->blocks[block]) return NULL;
    p->block_count++;
  }
  return &p->blocks[block][(key - PROST_BASIC) % PROST_OFFSETS];
}

static bool add_key(prost_set *p, uint32_t key, uint32_t *slot) {
  if (p->base.count == p->key_capacity) {
    uint32_t capacity = p->key_capacity * 2 + 1024;
    uint32_t *keys = realloc(p->keys, capacity * sizeof *keys);
    if (!keys) return false;
    p->keys = keys;
    p->key_capacity = capacity;
  }
  p->keys[p->base.count++] = key;
  *slot = p->base.count;
  return true;
}

static sixer_err create(feature_set *set, const feature_settings *settings, sixer_error *error) {
  prost_set *p = (prost_set *)set;
  p->time = !strcmp(set->class->name, "b-prost");
  p->before_count = -1;
  if (!add_key(p, BIAS, &p->bias))
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for features");
  return foreground_create(&p->f, settings, error);
}

static void add(prost_set *p, uint32_t key, feature_list *out) {
  uint32_t *slot = slot_of(p, key);
  if (!slot || (!*slot && !add_key(p, key, slot))) {
    out->failed = true;
    return;
  }
  feature_list_add(out, *slot - 1);
}

static sixer_err active(feature_set *set, sixer_env *env, feature_list *out, sixer_error *error) {
  prost_set *p = (prost_set *)set;
  sixer_err err = foreground_look(&p->f, env, error);
  if (err) return err;
  int count = tile_colors_basic(&p->f.tiles, p->now);
  for (int i = 0; i < count; i++) add(p, p->now[i], out);
  for (int i = 0; i < count; i++) {
    for (int k = i; k < count; k++) add(p, prost_space(p->now[i], p->now[k]), out);
  }
  for (int i = 0; i < p->before_count; i++) {
    for (int k = 0; k < count; k++) add(p, prost_time(p->before[i], p->now[k]), out);
  }
  add(p, BIAS, out);
  if (p->time) {
    memcpy(p->before, p->now, (size_t)count * sizeof *p->now);
    p->before_count = count;
  }
  return SIXER_OK;
}

static void forget(feature_set *set, uint32_t count) {
  prost_set *p = (prost_set *)set;
  while (set->count > count) *slot_of(p, p->keys[--set->count]) = 0;
}

static size_t memory(const feature_set *set) {
  const prost_set *p = (const prost_set *)set;
  return sizeof *p + (size_t)p->block_count * PROST_OFFSETS * sizeof(uint32_t) +
         p->key_capacity * sizeof *p->keys;
}

static sixer_err save(const feature_set *set, sections_writer *out, sixer_error *error) {
  const prost_set *p = (const prost_set *)set;
  (void)error;
  sections_begin(out, "agent.features");
  sections_put_u64(out, set->count);
  sections_put_array(out, p->keys, set->count);
  sections_put_i64(out, p->before_count);
  if (p->before_count > 0) sections_put_array(out, p->before, (size_t)p->before_count);
  foreground_put(&p->f, out);
  return SIXER_OK;
}

static bool get_keys(prost_set *p, sections_reader *in) {
  uint64_t count = sections_get_u64(in);
  bool good = count >= 1 && count <= sections_left(in) / sizeof(uint32_t) && count <= BIAS + 1u;
  for (uint64_t i = 0; i < count && good; i++) {
    uint32_t key = 0;
    sections_get_array(in, &key, 1);
    uint32_t *slot = key < (uint32_t)BIAS || (key == BIAS && !i) ? slot_of(p, key) : NULL;
    good = slot && !*slot && add_key(p, key, slot);
  }
  return good && p->keys[0] == BIAS;
}

static bool get_before(prost_set *p, sections_reader *in) {
  int64_t count = sections_get_i64(in);
  if (count < -1 || count > PROST_BASIC || (count >= 0 && !p->time)) return false;
  p->before_count = (int)count;
  for (int i = 0; i < p->before_count; i++) {
    sections_get_array(in, &p->before[i], 1);
    if (p->before[i] >= PROST_BASIC || (i && p->before[i] <= p->before[i - 1])) return false;
  }
  return !sections_failed(in) && !sections_left(in);
}

static sixer_err load(feature_set *set, sections_reader *in, sixer_error *error) {
  prost_set *p = (prost_set *)set;
  forget(set, 0);
  p->before_count = -1;
  if (!sections_find(in, "agent.features") || !get_keys(p, in) || !get_before(p, in)) {
    forget(set, 0);
    add_key(p, BIAS, &p->bias); /* there is memory for one */
    p->before_count = -1;
    return sixer_fail(error, SIXER_ERR_STATE, "the saved agent is damaged: its features");
  }
  return foreground_get(&p->f, in, error);
}

const feature_class features_b_pros = {
    .name = "b-pros",
    .summary = "colors in tiles and offsets between them (Liang et al. 2016)",
    .size = sizeof(prost_set),
    .max_count = BIAS + 1,
    .background = true,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .active = active,
    .forget = forget,
    .memory = memory,
    .save = save,
    .load = load};

const feature_class features_b_prost = {
    .name = "b-prost",
    .summary = "b-pros and offsets since the screen before (Liang et al. 2016)",
    .size = sizeof(prost_set),
    .max_count = BIAS + 1,
    .background = true,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .active = active,
    .forget = forget,
    .memory = memory,
    .save = save,
    .load = load};
