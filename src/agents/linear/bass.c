/* BASS features (Naddaf 2010; Bellemare et al. 2013, appendix A.2): Basic features with the 8 luminances of SECAM
 * instead of 128 colors, and all pairs of those that are present. A single feature is (row * 16 + column) * 8 +
 * luminance. A pixel is compared with the background before its color is reduced. */
#include <string.h>

#include "agents/linear/foreground.h"
#include "agents/linear/pair_index.h"

enum { LUMINANCES = 8, BITS = PROST_ROWS * PROST_COLUMNS * LUMINANCES };

typedef struct bass_set {
  feature_set base;
  bool bias;
  foreground f;
} bass_set;

static sixer_err create(feature_set *set, const feature_settings *settings, sixer_error *error) {
  bass_set *b = (bass_set *)set;
  b->bias = settings->bias;
  set->count = pair_index_count(BITS) + settings->bias;
  return foreground_create(&b->f, settings, error);
}

/* The luminances of a set of 128 colors: color c has luminance c % 8, so the bytes of the set are combined. */
static uint8_t luminances(const uint64_t colors[2]) {
  uint64_t set = colors[0] | colors[1];
  set |= set >> 32;
  set |= set >> 16;
  return (uint8_t)(set | set >> 8);
}

static sixer_err look(feature_set *set, sixer_env *env, uint64_t *bits, sixer_error *error) {
  bass_set *b = (bass_set *)set;
  sixer_err err = foreground_look(&b->f, env, error);
  if (err) return err;
  memset(bits, 0, BITS / 8);
  for (int i = 0; i < PROST_ROWS * PROST_COLUMNS; i++) {
    const uint64_t *colors = b->f.tiles.sets[i / PROST_COLUMNS][i % PROST_COLUMNS];
    bits[i / 8] |= (uint64_t)luminances(colors) << (i % 8 * 8);
  }
  return SIXER_OK;
}

static sixer_err active(feature_set *set, sixer_env *env, feature_list *out, sixer_error *error) {
  uint64_t bits[BITS / 64];
  sixer_err err = look(set, env, bits, error);
  if (err) return err;
  pair_index_list(bits, BITS, out);
  if (((bass_set *)set)->bias) feature_list_add(out, pair_index_count(BITS));
  return SIXER_OK;
}

static sixer_err save(const feature_set *set, sections_writer *out, sixer_error *error) {
  (void)error;
  foreground_put(&((const bass_set *)set)->f, out);
  return SIXER_OK;
}

static sixer_err load(feature_set *set, sections_reader *in, sixer_error *error) {
  return foreground_get(&((bass_set *)set)->f, in, error);
}

const feature_class features_bass = {
    .name = "bass",
    .summary = "luminances in tiles of the screen and pairs of them (Naddaf 2010)",
    .size = sizeof(bass_set),
    .max_count = BITS * (BITS + 1) / 2 + 1,
    .dense = true,
    .background = true,
    .pair_bits = BITS,
    .look = look,
    .create = create,
    .active = active,
    .save = save,
    .load = load};
