/* The part of zlib's interface that the library uses in the browser, so that the download does not carry all of zlib:
 * checksums, states on tapes (compress2, uncompress) and files that may be gzip-compressed. zlib.c implements it. What
 * is packed here is unpacked by the real zlib and the other way round; the packed bytes are not the same. */
#ifndef SIXER_WEB_ZLIB_H
#define SIXER_WEB_ZLIB_H

#include <stddef.h>
#include <stdint.h>

typedef uint8_t Bytef;
typedef unsigned uInt;
typedef unsigned long uLong, uLongf;
typedef size_t z_size_t;
typedef struct gz_file *gzFile;
enum {
  Z_OK = 0,
  Z_STREAM_END = 1,
  Z_ERRNO = -1,
  Z_DATA_ERROR = -3,
  Z_MEM_ERROR = -4,
  Z_BUF_ERROR = -5
};

uLong crc32(uLong crc, const Bytef *bytes, uInt size);
uLong crc32_z(uLong crc, const Bytef *bytes, z_size_t size);

uLong compressBound(uLong size);
int compress2(Bytef *out, uLongf *out_size, const Bytef *in, uLong size, int level);
int uncompress(Bytef *out, uLongf *out_size, const Bytef *in, uLong size);

/* Reading only. The whole file is unpacked when it is opened. */
gzFile gzdopen(int descriptor, const char *mode);
int gzread(gzFile file, void *out, unsigned size);
const char *gzerror(gzFile file, int *code);
int gzclose(gzFile file);

#endif
