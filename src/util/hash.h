/* A 64-bit hash of bytes, for telling observations apart. It is fast (16 bytes per multiplication, four independent
 * chains) and gives the same value on every machine. It is not cryptographic: whoever chooses the bytes can make two
 * inputs collide. */
#ifndef SIXER_UTIL_HASH_H
#define SIXER_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *data, size_t size, uint64_t seed);

#endif
