/* SHA-256 (FIPS 180-4). */
#ifndef SIXER_UTIL_SHA256_H
#define SIXER_UTIL_SHA256_H

#include <stddef.h>

/* The digest of `size` bytes as 64 lower-case hex digits and a zero byte. */
void sha256_hex(const void *data, size_t size, char hex[65]);

#endif
