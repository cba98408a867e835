/* An input as a list of changes of other bytes: fuzzers come past headers and checksums in this way, and change several
 * fields at once. A change has five bytes: where (3, little-endian, modulo the size), what to do, a byte. */
#ifndef TESTS_FUZZ_EDITS_H
#define TESTS_FUZZ_EDITS_H

#include <stdint.h>
#include <string.h>

static inline void fuzz_edit(uint8_t *bytes, size_t size, const uint8_t *data, size_t length) {
  for (; length >= 5 && size; data += 5, length -= 5) {
    const size_t at = (data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16) % size;
    switch (data[3] % 6) {
      case 0:
      case 1: bytes[at] = data[4]; break;
      case 2: bytes[at] ^= (uint8_t)(1 << (data[4] & 7)); break;
      case 3: bytes[at] = (uint8_t)(bytes[at] + (int8_t)data[4]); break;
      case 4: /* a number of four bytes, near an end of its range */
        if (at + 4 <= size) {
          const uint32_t value = (data[4] & 1 ? 0x7FFFFFFFu : 0) + (data[4] & 2 ? 0x80000000u : 0) +
                                 (uint32_t)((data[4] >> 2) - 32);
          memcpy(bytes + at, &value, 4);
        }
        break;
      default: /* an aligned pair */ bytes[at & ~(size_t)1] = data[4]; break;
    }
  }
}

#endif
