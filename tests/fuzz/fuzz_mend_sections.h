/* Correct the checksums of a container of sections, as far as it can be followed. */
#ifndef TESTS_FUZZ_MEND_SECTIONS_H
#define TESTS_FUZZ_MEND_SECTIONS_H

#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "util/sections_form.h"

static inline void mend_sections(uint8_t *bytes, size_t size) {
  for (size_t at = sizeof(sections_start); at + sizeof(section_header) <= size;) {
    section_header h;
    memcpy(&h, bytes + at, sizeof h);
    at += sizeof h;
    if (h.size > size - at) return;
    h.crc = (uint32_t)crc32_z(crc32_z(0, bytes + at, (size_t)h.size), (const Bytef *)&h,
                              SECTION_SUMMED);
    memcpy(bytes + at - sizeof h, &h, sizeof h);
    at += (size_t)h.size;
  }
}

#endif
