/* Reserved address space. */
#include "util/region.h"

#include <string.h>
#include <sys/mman.h>

enum { STEP = 1 << 21 }; /* commit so many bytes at a time */

static size_t round_up(size_t size) { return (size + STEP - 1) / STEP * STEP; }

bool region_reserve(region *r, size_t size) {
  size = round_up(size);
  void *data = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return false;
  *r = (region){.data = data, .reserved = size};
  return true;
}

void region_fill_densely(region *r) {
#ifdef MADV_HUGEPAGE
  madvise(r->data, r->reserved, MADV_HUGEPAGE);
#else
  (void)r;
#endif
}

bool region_commit(region *r, size_t size) {
  if (size <= r->committed) return true;
  if (size > r->reserved) return false;
  size = round_up(size);
  if (mprotect(r->data + r->committed, size - r->committed, PROT_READ | PROT_WRITE)) return false;
  r->committed = size;
  return true;
}

void region_clear(region *r) {
  if (!r->committed) return;
  /* mapping over the same addresses drops the pages at once */
  void *data = mmap(r->data, r->committed, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (data == MAP_FAILED) {
    /* the kernel lacked memory for its own records: keep the pages, and zero them */
    memset(r->data, 0, r->committed);
    return;
  }
  r->committed = 0;
}

void region_free(region *r) {
  if (r->data) munmap(r->data, r->reserved);
  *r = (region){0};
}
