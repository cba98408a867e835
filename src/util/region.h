/* A growing array that never moves: address space is reserved at once, memory is taken as it is used.
 *
 * Growing by realloc() would copy hundreds of megabytes and need them twice meanwhile. Here the reserved pages are
 * inaccessible until they are committed; committed pages read as zeros and take memory when they are first written. */
#ifndef SIXER_UTIL_REGION_H
#define SIXER_UTIL_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct region {
  uint8_t *data;
  size_t committed; /* bytes that may be used */
  size_t reserved;
} region;

/* Reserve `size` bytes of address space. False if there is not that much. */
bool region_reserve(region *r, size_t size);

/* The region will be written from its beginning to its end without gaps, and read at random: large pages pay off. */
void region_fill_densely(region *r);

/* Make at least the first `size` bytes usable. False if they are more than was reserved, or memory is out. */
bool region_commit(region *r, size_t size);

/* Give the memory back and keep the address space: what is committed afterwards reads as zeros. */
void region_clear(region *r);
void region_free(region *r); /* a region of zeros is allowed */

#endif
