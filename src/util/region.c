/* Reserved address space. */
#include "util/region.h"

#include <string.h>

#include "util/os_memory.h"

enum { STEP = 1 << 21 }; /* commit so many bytes at a time */

static size_t round_up(size_t size) { return (size + STEP - 1) / STEP * STEP; }

bool region_reserve(region *r, size_t size) {
  size = round_up(size);
  void *data = os_pages_reserve(size);
  if (!data) return false;
  *r = (region){.data = data, .reserved = size};
  return true;
}

void region_fill_densely(region *r) { os_pages_enlarge(r->data, r->reserved); }

bool region_commit(region *r, size_t size) {
  if (size <= r->committed) return true;
  if (size > r->reserved) return false;
  size = round_up(size);
  if (!os_pages_commit(r->data + r->committed, size - r->committed)) return false;
  r->committed = size;
  return true;
}

void region_clear(region *r) {
  if (!r->committed) return;
  if (!os_pages_drop(r->data, r->committed)) {
    /* the kernel lacked memory for its own records: keep the pages, and zero them */
    memset(r->data, 0, r->committed);
    return;
  }
  r->committed = 0;
}

void region_free(region *r) {
  if (r->data) os_pages_free(r->data, r->reserved);
  *r = (region){0};
}
