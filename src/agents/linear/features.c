/* The feature sets by name, and lists of ids. */
#include "agents/linear/features.h"

#include <stdlib.h>

/* in the order of FEATURE_SETS */
static const feature_class *const sets[] = {&features_blob_prost, &features_basic,  &features_bass,
                                            &features_disco,      &features_lsh,    &features_ram,
                                            &features_b_pros,     &features_b_prost};

const feature_class *feature_class_at(int set) { return sets[set]; }

sixer_err feature_set_create(const feature_settings *settings, feature_set **out,
                             sixer_error *error) {
  const feature_class *class = sets[settings->set];
  feature_set *set = calloc(1, class->size);
  if (!set) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for features");
  set->class = class;
  sixer_err err = class->create ? class->create(set, settings, error) : SIXER_OK;
  if (err) {
    feature_set_destroy(set);
    return err;
  }
  *out = set;
  return SIXER_OK;
}

void feature_set_destroy(feature_set *set) {
  if (!set) return;
  if (set->class->destroy) set->class->destroy(set);
  free(set);
}

void feature_list_grow(feature_list *list, int count) {
  int capacity = count + count / 2 + 64;
  uint32_t *ids = realloc(list->ids, (size_t)capacity * sizeof *ids);
  if (!ids) {
    list->failed = true;
    return;
  }
  list->ids = ids;
  list->capacity = capacity;
}

void feature_list_free(feature_list *list) {
  free(list->ids);
  *list = (feature_list){0};
}
