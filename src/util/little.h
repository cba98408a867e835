/* Byte order. Saved states, tapes, checkpoints and messages hold numbers little-endian on every machine, so that the
 * same run gives the same bytes everywhere. Here is the one place that knows the order of the machine; on a
 * little-endian one these functions compile to nothing.
 *
 * Numbers are turned in place, before they are written and after they were read: turning twice changes nothing. */
#ifndef SIXER_UTIL_LITTLE_H
#define SIXER_UTIL_LITTLE_H

#include <assert.h>
#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LITTLE_HOST (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
_Static_assert(LITTLE_HOST || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, "no mixed byte orders");
_Static_assert(sizeof(float) == 4 && sizeof(double) == 8 && FLT_RADIX == 2 && FLT_MANT_DIG == 24 &&
                   DBL_MANT_DIG == 53,
               "floats are those of IEEE 754");
_Static_assert(
    FLT_EVAL_METHOD == 0,
    "float operations are rounded to float (gcc on s390x and 32-bit x86: -std=gnu17, SSE)");

/* A number as it is stored, from the number, and back. */
static inline uint16_t little_16(uint16_t v) { return LITTLE_HOST ? v : __builtin_bswap16(v); }
static inline uint32_t little_32(uint32_t v) { return LITTLE_HOST ? v : __builtin_bswap32(v); }
static inline uint64_t little_64(uint64_t v) { return LITTLE_HOST ? v : __builtin_bswap64(v); }

/* A word in memory: by how many bits its byte `at` is shifted. */
#define BYTE_SHIFT(at) (LITTLE_HOST ? 8 * (at) : 56 - 8 * (at))

/* Turn an array of numbers of 1, 2, 4 or 8 bytes each. */
void little_turn(void *numbers, size_t count, size_t width);
static inline void little_numbers(void *numbers, size_t count, size_t width) {
  if (!LITTLE_HOST) little_turn(numbers, count, width);
}

/* The form of a struct without pointers: runs of numbers of one width, in order, up to one of no width. Padding counts
 * as bytes. */
typedef struct little_run {
  uint16_t width, count;
} little_run;

/* The size of a struct of this form. */
static inline size_t little_size(const little_run *form) {
  size_t size = 0;
  for (; form->width; form++) size += (size_t)form->width * form->count;
  return size;
}

/* Turn structs that follow each other; `size` is that of one. */
void little_turn_structs(void *structs, size_t count, size_t size, const little_run *form);
static inline void little_structs(void *structs, size_t count, size_t size,
                                  const little_run *form) {
  assert(little_size(form) == size);
  if (!LITTLE_HOST) little_turn_structs(structs, count, size, form);
}

#endif
