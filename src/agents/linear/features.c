/* Lists of ids. */
#include "agents/linear/features.h"

#include <stdlib.h>

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
