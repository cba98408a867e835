/* Basic features (Naddaf 2010; Bellemare et al. 2013, appendix A.1): which of 128 colors are in which of 14 x 16 tiles,
 * the background left out. The id is (row * 16 + column) * 128 + color, rows from the top. */
#include "agents/linear/foreground.h"

typedef struct basic_set {
  feature_set base;
  bool bias;
  foreground f;
} basic_set;

static sixer_err create(feature_set *set, const feature_settings *settings, sixer_error *error) {
  basic_set *b = (basic_set *)set;
  b->bias = settings->bias;
  set->count = PROST_BASIC + b->bias;
  return foreground_create(&b->f, settings, error);
}

static sixer_err active(feature_set *set, sixer_env *env, feature_list *out, sixer_error *error) {
  basic_set *b = (basic_set *)set;
  uint16_t features[PROST_BASIC];
  sixer_err err = foreground_look(&b->f, env, error);
  if (err) return err;
  int count = tile_colors_basic(&b->f.tiles, features);
  for (int i = 0; i < count; i++) feature_list_add(out, features[i]);
  if (b->bias) feature_list_add(out, PROST_BASIC);
  return SIXER_OK;
}

static sixer_err save(const feature_set *set, sections_writer *out, sixer_error *error) {
  (void)error;
  foreground_put(&((const basic_set *)set)->f, out);
  return SIXER_OK;
}

static sixer_err load(feature_set *set, sections_reader *in, sixer_error *error) {
  return foreground_get(&((basic_set *)set)->f, in, error);
}

const feature_class features_basic = {
    .name = "basic",
    .summary = "colors in tiles of the screen, without the background (Naddaf 2010)",
    .size = sizeof(basic_set),
    .max_count = PROST_BASIC + 1,
    .dense = true,
    .background = true,
    .create = create,
    .active = active,
    .save = save,
    .load = load};
