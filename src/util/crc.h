/* CRC-32 as in zlib, PNG and gzip, several times as fast as zlib's where the processor can multiply without carries. */
#ifndef SIXER_UTIL_CRC_H
#define SIXER_UTIL_CRC_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of more bytes, of which `crc` is that of those before them; 0 at first. */
uint32_t crc_add(uint32_t crc, const void *bytes, size_t size);

#endif
