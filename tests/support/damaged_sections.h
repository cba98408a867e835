/* Flip one bit of a section's data in a saved container and recompute the checksums: a file that a hostile writer can
 * produce, in contrast to the damage of a bad disk. */
#ifndef SIXER_TESTS_DAMAGED_SECTIONS_H
#define SIXER_TESTS_DAMAGED_SECTIONS_H

#include <stdlib.h>
#include <string.h>

#include "util/sections.h"

/* `at` counts through the data of all sections in order, modulo their sum. *bytes is the caller's to free(). */
static bool damage_sections(const void *saved, size_t size, uint64_t at, int bit, void **bytes,
                            size_t *new_size) {
  sections_message message;
  sections_reader *in = sections_open_memory(saved, size, message);
  if (!in) return false;
  uint64_t total = 0, part;
  for (size_t i = 0; sections_name_at(in, i, &part); i++) total += part;
  at %= total ? total : 1;
  sections_writer *out = sections_create(NULL);
  const char *name;
  for (size_t i = 0; (name = sections_name_at(in, i, &part)); i++) {
    char *data = malloc(part + 1);
    sections_find(in, name);
    sections_get(in, data, part);
    if (at < part) data[at] ^= (char)(1 << bit);
    at -= part; /* wraps beyond every size once it was used */
    sections_begin(out, name);
    sections_put(out, data, part);
    free(data);
  }
  sections_free(in);
  return sections_take(out, bytes, new_size, message);
}

#endif
