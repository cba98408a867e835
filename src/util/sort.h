/* A sort that is the same everywhere: equal elements keep their order. qsort() of C may put them in any, and does so
 * differently in glibc, musl and Windows. */
#ifndef SIXER_UTIL_SORT_H
#define SIXER_UTIL_SORT_H

#include <stddef.h>

/* Sort `count` elements of `size` bytes; `compare` is as for qsort(). It needs memory for a copy; without it, it takes
 * longer. */
void sort_stable(void *elements, size_t count, size_t size,
                 int (*compare)(const void *a, const void *b));

#endif
