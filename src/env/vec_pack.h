/* Bytes that are much alike, in less room: the pictures and consoles of a vec's saved states. */
#ifndef SIXER_ENV_VEC_PACK_H
#define SIXER_ENV_VEC_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From byte `begin` on, up to that of the next range, each byte resembles the one `distance` before it; 0: none. */
typedef struct pack_range {
  size_t begin, distance;
} pack_range;

/* Most bytes that pack() writes for `size` bytes. */
size_t pack_bound(size_t size);

/* Replace each byte by its difference (exclusive or) to the one that it resembles; and back again. */
void pack_differ(uint8_t *bytes, size_t size, const pack_range *ranges, int count);
void pack_restore(uint8_t *bytes, size_t size, const pack_range *ranges, int count);

/* Write runs: how many zeros (varint: 7 bits a byte, lowest first, bit 7: more follow), how many other bytes (varint),
 * these bytes. Zeros that are fewer than 3 count as other bytes, so there is one way to write anything. `out` may be
 * NULL: nothing is written. Returns how many bytes it takes. */
size_t pack_runs(const uint8_t *bytes, size_t size, uint8_t *out);

/* Read what pack_runs() has written, exactly `size` bytes of exactly `packed` ones; false if that does not work out. */
bool unpack_runs(const uint8_t *in, size_t packed, uint8_t *bytes, size_t size);

#endif
