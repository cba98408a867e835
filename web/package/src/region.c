/* Growing arrays where address space cannot be reserved: in place of src/util/region.c. They move when they grow, so
 * nobody may keep a pointer into one across region_commit(); the users of regions ask for `data` anew each time. */
#include "util/region.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 1 << 16 }; /* the page of WebAssembly */

static size_t round_up(size_t size) { return (size + STEP - 1) / STEP * STEP; }

bool region_reserve(region *r, size_t size) {
  *r = (region){.reserved = round_up(size)};
  return true;
}

void region_fill_densely(region *r) { (void)r; }

bool region_commit(region *r, size_t size) {
  if (size <= r->committed) return true;
  if (size > r->reserved) return false;
  size_t wanted = round_up(size), generous = round_up(r->committed + r->committed / 4);
  if (generous > r->reserved) generous = r->reserved;
  if (wanted < generous) wanted = generous;
  uint8_t *data = realloc(r->data, wanted);
  if (!data) data = realloc(r->data, wanted = round_up(size));
  if (!data) return false;
  memset(data + r->committed, 0, wanted - r->committed);
  r->data = data;
  r->committed = wanted;
  return true;
}

void region_clear(region *r) {
  free(r->data);
  r->data = NULL;
  r->committed = 0;
}

void region_free(region *r) {
  free(r->data);
  *r = (region){0};
}
