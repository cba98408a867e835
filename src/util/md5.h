/* MD5 (RFC 1321): the name by which cartridge images are known. Not for security. */
#ifndef SIXER_UTIL_MD5_H
#define SIXER_UTIL_MD5_H

#include <stddef.h>
#include <stdint.h>

void md5(const void *data, size_t size, uint8_t digest[16]);
void md5_hex(const void *data, size_t size, char hex[33]);

#endif
