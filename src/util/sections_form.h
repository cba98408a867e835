/* The bytes of a container, for sections.c and sections_read.c. */
#ifndef SIXER_UTIL_SECTIONS_FORM_H
#define SIXER_UTIL_SECTIONS_FORM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/sections.h"

#define SECTIONS_MAGIC "6section"
#define SECTION_END    "end"

typedef struct sections_start {
  char magic[8];
  uint32_t version, zero;
} sections_start;

typedef struct section_header {
  char name[SECTIONS_NAME];
  uint64_t size;
  uint32_t crc, zero;
} section_header;

_Static_assert(sizeof(sections_start) == 16 && sizeof(section_header) == 40, "no padding");

static inline void sections_start_little(sections_start *start) {
  static const little_run form[] = {{1, 8}, {4, 2}, {0, 0}};
  little_structs(start, 1, sizeof *start, form);
}

static inline void section_header_little(section_header *h) {
  static const little_run form[] = {{1, SECTIONS_NAME}, {8, 1}, {4, 2}, {0, 0}};
  little_structs(h, 1, sizeof *h, form);
}

/* The part of a header that is in the checksum. */
#define SECTION_SUMMED offsetof(section_header, crc)

static inline bool section_name_ok(const char *name) {
  size_t length = strnlen(name, SECTIONS_NAME);
  return length > 0 && length < SECTIONS_NAME &&
         strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") == length;
}

#endif
