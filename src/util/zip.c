/* Zip archives after PKWARE's APPNOTE: the directory at the end of the file leads to the members. Nothing in an archive
 * is trusted: every offset and length is checked against the bytes that are there. */
#include "util/zip.h"

#include <string.h>
#include <zlib.h>

enum { END_SIZE = 22, ENTRY_SIZE = 46, LOCAL_SIZE = 30, STORED = 0, DEFLATED = 8 };

static uint32_t get16(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8; }
static uint32_t get32(const uint8_t *p) { return get16(p) | get16(p + 2) << 16; }

bool zip_is(const void *archive, size_t size) {
  return size >= END_SIZE && (!memcmp(archive, "PK\3\4", 4) || !memcmp(archive, "PK\5\6", 4));
}

/* The record that ends an archive, behind which there may be a comment of up to 64 KiB. */
static const uint8_t *find_end(const uint8_t *archive, size_t size) {
  size_t lowest = size > END_SIZE + 65535 ? size - END_SIZE - 65535 : 0;
  if (size < END_SIZE) return NULL;
  for (size_t at = size - END_SIZE + 1; at-- > lowest;) {
    if (!memcmp(archive + at, "PK\5\6", 4)) return archive + at;
  }
  return NULL;
}

/* *position is 0 before the first member, then the offset of the next entry of the directory. */
bool zip_next(const uint8_t *archive, size_t size, size_t *position, zip_member *member,
              const char **error) {
  const uint8_t *end = find_end(archive, size);
  *error = NULL;
  if (!end) {
    *error = "it has no directory at its end: the file is cut off";
    return false;
  }
  size_t start = get32(end + 16), stop = start + get32(end + 12);
  if (start == 0xFFFFFFFF || get16(end + 10) == 0xFFFF) {
    *error = "it is in the zip64 format, which is for archives of gigabytes";
    return false;
  }
  if (stop > (size_t)(end - archive)) {
    *error = "its directory points outside the file";
    return false;
  }
  if (*position == 0) *position = start;
  if (*position >= stop) return false;
  const uint8_t *entry = archive + *position;
  size_t left = stop - *position;
  if (left < ENTRY_SIZE || memcmp(entry, "PK\1\2", 4) != 0) {
    *error = "its directory is damaged";
    return false;
  }
  size_t name = get16(entry + 28),
         length = ENTRY_SIZE + name + get16(entry + 30) + get16(entry + 32);
  if (length > left) {
    *error = "its directory is damaged";
    return false;
  }
  size_t shown = name < sizeof member->name ? name : sizeof member->name - 1;
  memcpy(member->name, entry + ENTRY_SIZE, shown);
  member->name[shown] = 0;
  member->method = (int)get16(entry + 10);
  member->crc = get32(entry + 16);
  member->packed_size = get32(entry + 20);
  member->size = get32(entry + 24);
  member->header = get32(entry + 42);
  *position += length;
  return true;
}

const char *zip_read(const uint8_t *archive, size_t size, const zip_member *member,
                     uint8_t *contents) {
  if (member->header > size || size - member->header < LOCAL_SIZE ||
      memcmp(archive + member->header, "PK\3\4", 4) != 0) {
    return "its place in the archive is wrong";
  }
  const uint8_t *local = archive + member->header;
  if (get16(local + 6) & 1) return "it is encrypted";
  size_t offset = member->header + LOCAL_SIZE + get16(local + 26) + get16(local + 28);
  if (offset > size || size - offset < member->packed_size) return "it is cut off";
  const uint8_t *packed = archive + offset;

  if (member->method == STORED) {
    if (member->packed_size != member->size) return "its two sizes disagree";
    memcpy(contents, packed, member->size);
  } else if (member->method == DEFLATED) {
    z_stream stream = {0};
    stream.next_in = (Bytef *)(uintptr_t)packed;
    stream.avail_in = (uInt)member->packed_size;
    stream.next_out = contents;
    stream.avail_out = (uInt)member->size;
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return "out of memory";
    int result = inflate(&stream, Z_FINISH);
    bool whole = stream.total_out == member->size;
    inflateEnd(&stream);
    if (result != Z_STREAM_END || !whole) return "its data are damaged";
  } else {
    return "it is packed in a way other than deflate";
  }
  if (crc32(0, contents, (uInt)member->size) != member->crc) return "its data are damaged";
  return NULL;
}
