/* Merge sort from short runs upward: see sort.h. The functions are inlined twice, for elements of eight bytes and for
 * all others, as copying eight bytes is one instruction if the size is known. */
#include "util/sort.h"

#include <stdlib.h>
#include <string.h>

enum { RUN = 8 };

typedef int comparison(const void *a, const void *b);

static inline __attribute__((always_inline)) void swap(unsigned char *a, unsigned char *b,
                                                       size_t size) {
  for (size_t i = 0; i < size; i++) {
    unsigned char kept = a[i];
    a[i] = b[i];
    b[i] = kept;
  }
}

static inline __attribute__((always_inline)) void insertion(unsigned char *at, size_t count,
                                                            size_t size, comparison *compare) {
  for (size_t i = 1; i < count; i++) {
    for (size_t k = i; k > 0 && compare(at + (k - 1) * size, at + k * size) > 0; k--)
      swap(at + (k - 1) * size, at + k * size, size);
  }
}

/* Two sorted runs, one after the other, into `out`. */
static inline __attribute__((always_inline)) void merge(const unsigned char *a, size_t a_count,
                                                        size_t b_count, size_t size,
                                                        unsigned char *out, comparison *compare) {
  const unsigned char *b = a + a_count * size, *a_end = b, *b_end = b + b_count * size;
  while (a < a_end && b < b_end) {
    const unsigned char **next = compare(a, b) <= 0 ? &a : &b;
    memcpy(out, *next, size);
    *next += size;
    out += size;
  }
  memcpy(out, a, (size_t)(a_end - a));
  memcpy(out + (a_end - a), b, (size_t)(b_end - b));
}

static inline __attribute__((always_inline)) void sort(void *elements, size_t count, size_t size,
                                                       comparison *compare) {
  unsigned char *from = elements, *copy = count > RUN ? malloc(count * size) : NULL, *to = copy;
  if (!copy) {
    insertion(from, count, size, compare);
    return;
  }
  for (size_t i = 0; i < count; i += RUN)
    insertion(from + i * size, count - i < RUN ? count - i : RUN, size, compare);
  for (size_t run = RUN; run < count; run *= 2) {
    for (size_t i = 0; i < count; i += 2 * run) {
      size_t left = count - i, first = left < run ? left : run;
      size_t second = left - first < run ? left - first : run;
      merge(from + i * size, first, second, size, to + i * size, compare);
    }
    unsigned char *sorted = to;
    to = from;
    from = sorted;
  }
  if (from != elements) memcpy(elements, from, count * size);
  free(copy);
}

void sort_stable(void *elements, size_t count, size_t size, comparison *compare) {
  if (count < 2) return;
  if (size == 8)
    sort(elements, count, 8, compare);
  else
    sort(elements, count, size, compare);
}
