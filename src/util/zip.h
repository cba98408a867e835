/* Reading zip archives (.zip, .whl) that are in memory: stored and deflated members, checked by their CRC. */
#ifndef SIXER_UTIL_ZIP_H
#define SIXER_UTIL_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct zip_member {
  char name[512];             /* as in the archive; longer names are cut */
  size_t size;                /* of the contents */
  size_t packed_size, header; /* where they are */
  int method;
  uint32_t crc;
} zip_member;

/* True if the bytes begin like a zip archive. */
bool zip_is(const void *archive, size_t size);

/* Walk the archive's directory: start with *position = 0; true as long as a member was found. When it ends, *error is
 * NULL, or says in a few words what is wrong with the archive. */
bool zip_next(const uint8_t *archive, size_t size, size_t *position, zip_member *member,
              const char **error);

/* Unpack a member into `contents`, which has room for member->size bytes. NULL, or what is wrong. */
const char *zip_read(const uint8_t *archive, size_t size, const zip_member *member,
                     uint8_t *contents);

#endif
