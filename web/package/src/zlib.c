/* A small zlib: CRC-32, and deflate by RFC 1950 to 1952. Unpacking knows all three kinds of blocks; packing makes one
 * block with the fixed codes. Small rather than fast: it works on states and cartridges. */
#include "zlib.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checksums -------------------------------------------------------------------------------------------------- */

/* Four bytes at a time: table k is for a byte that is followed by k others. The tables are made at the first call. */
static uint32_t tables[4][256];

static void make_tables(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320 ^ c >> 1 : c >> 1;
    tables[0][i] = c;
  }
  for (int k = 1; k < 4; k++)
    for (int i = 0; i < 256; i++)
      tables[k][i] = tables[k - 1][i] >> 8 ^ tables[0][tables[k - 1][i] & 0xFF];
}

uLong crc32_z(uLong crc, const Bytef *bytes, z_size_t size) {
  if (!bytes) return 0;
  if (!tables[0][1]) make_tables();
  uint32_t c = ~(uint32_t)crc;
  for (; size >= 4; size -= 4, bytes += 4) {
    uint32_t word;
    memcpy(&word, bytes, 4);
    c ^= word;
    c = tables[3][c & 0xFF] ^ tables[2][c >> 8 & 0xFF] ^ tables[1][c >> 16 & 0xFF] ^
        tables[0][c >> 24];
  }
  for (; size; size--) c = c >> 8 ^ tables[0][(c ^ *bytes++) & 0xFF];
  return (uint32_t)~c;
}

uLong crc32(uLong crc, const Bytef *bytes, uInt size) { return crc32_z(crc, bytes, size); }

static uint32_t adler32(const uint8_t *bytes, size_t size) {
  uint32_t a = 1, b = 0;
  for (size_t i = 0; i < size; i++) {
    a = (a + bytes[i]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

/* ---- Codes of lengths and distances ----------------------------------------------------------------------------- */

static const uint16_t length_base[29] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                         15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                         67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                         2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};

static int distance_base(int code) {
  return code < 4 ? code + 1 : ((2 + (code & 1)) << (code / 2 - 1)) + 1;
}
static int distance_extra(int code) { return code < 4 ? 0 : code / 2 - 1; }

/* ---- Unpacking -------------------------------------------------------------------------------------------------- */

typedef struct unpacker {
  const uint8_t *in;
  size_t size, at;
  uint32_t bits;
  int count;
  bool bad;
  uint8_t *out;
  size_t room, made;
  bool grow; /* `out` may be moved */
} unpacker;

static uint32_t take(unpacker *u, int count) {
  while (u->count < count) {
    if (u->at == u->size) {
      u->bad = true;
      return 0;
    }
    u->bits |= (uint32_t)u->in[u->at++] << u->count;
    u->count += 8;
  }
  uint32_t value = u->bits & ((1u << count) - 1);
  u->bits >>= count;
  u->count -= count;
  return value;
}

static void put(unpacker *u, uint8_t byte) {
  if (u->made == u->room) {
    uint8_t *larger = u->grow ? realloc(u->out, u->room = u->room ? 2 * u->room : 4096) : NULL;
    if (!larger) {
      u->bad = true;
      return;
    }
    u->out = larger;
  }
  u->out[u->made++] = byte;
}

/* A canonical code: how many symbols have each length, and the symbols in order. */
typedef struct code {
  uint16_t count[16], symbols[288];
} code;

static void make_code(code *c, const uint8_t *lengths, int n) {
  uint16_t start[16] = {0};
  memset(c->count, 0, sizeof c->count);
  for (int i = 0; i < n; i++) c->count[lengths[i]]++;
  c->count[0] = 0;
  for (int i = 1; i < 15; i++) start[i + 1] = (uint16_t)(start[i] + c->count[i]);
  for (int i = 0; i < n; i++)
    if (lengths[i]) c->symbols[start[lengths[i]]++] = (uint16_t)i;
}

static int symbol(unpacker *u, const code *c) {
  int value = 0, first = 0, index = 0;
  for (int length = 1; length < 16 && !u->bad; length++) {
    value |= (int)take(u, 1);
    int count = c->count[length];
    if (value - count < first) return c->symbols[index + value - first];
    index += count;
    first = (first + count) << 1;
    value <<= 1;
  }
  u->bad = true;
  return 0;
}

static void unpack_block(unpacker *u, const code *literals, const code *distances) {
  while (!u->bad) {
    int s = symbol(u, literals);
    if (s == 256) return;
    if (s < 256) {
      put(u, (uint8_t)s);
      continue;
    }
    s -= 257;
    if (s >= 29) break;
    size_t length = length_base[s] + take(u, length_extra[s]);
    int d = symbol(u, distances);
    if (d >= 30) break;
    size_t distance = (size_t)distance_base(d) + take(u, distance_extra(d));
    if (distance > u->made) break;
    for (; length && !u->bad; length--) put(u, u->out[u->made - distance]);
  }
  u->bad = true;
}

static void unpack_stored(unpacker *u) {
  u->count = u->bits = 0;
  if (u->at + 4 > u->size) {
    u->bad = true;
    return;
  }
  size_t length = u->in[u->at] | u->in[u->at + 1] << 8;
  size_t check = u->in[u->at + 2] | u->in[u->at + 3] << 8;
  u->at += 4;
  if (length != (check ^ 0xFFFF) || u->at + length > u->size) u->bad = true;
  for (; length && !u->bad; length--) put(u, u->in[u->at++]);
}

static void fixed_codes(code *literals, code *distances) {
  uint8_t lengths[288];
  for (int i = 0; i < 288; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  make_code(literals, lengths, 288);
  memset(lengths, 5, 30);
  make_code(distances, lengths, 30);
}

static void read_codes(unpacker *u, code *literals, code *distances) {
  static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
  uint8_t lengths[320] = {0};
  int n = (int)take(u, 5) + 257, m = (int)take(u, 5) + 1, k = (int)take(u, 4) + 4;
  for (int i = 0; i < k; i++) lengths[order[i]] = (uint8_t)take(u, 3);
  make_code(literals, lengths, 19);
  memset(lengths, 0, 19);
  for (int i = 0; i < n + m && !u->bad;) {
    int s = symbol(u, literals), times = 1;
    uint8_t value = (uint8_t)s;
    if (s == 16) {
      if (!i) u->bad = true;
      value = i ? lengths[i - 1] : 0;
      times = 3 + (int)take(u, 2);
    } else if (s > 16) {
      value = 0;
      times = s == 17 ? 3 + (int)take(u, 3) : 11 + (int)take(u, 7);
    }
    if (i + times > n + m) u->bad = true;
    for (; times && !u->bad; times--) lengths[i++] = value;
  }
  if (n > 286 || u->bad) {
    u->bad = true;
    return;
  }
  make_code(literals, lengths, n);
  make_code(distances, lengths + n, m);
}

static bool unpack(unpacker *u) {
  code literals, distances;
  bool last;
  do {
    last = take(u, 1);
    uint32_t kind = take(u, 2);
    if (kind == 0) {
      unpack_stored(u);
    } else if (kind == 3) {
      u->bad = true;
    } else {
      if (kind == 1)
        fixed_codes(&literals, &distances);
      else
        read_codes(u, &literals, &distances);
      if (!u->bad) unpack_block(u, &literals, &distances);
    }
  } while (!last && !u->bad);
  u->at -= (size_t)(u->count / 8); /* whole bytes that were not used */
  return !u->bad;
}

static uint32_t big_endian(const uint8_t *b) {
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

int uncompress(Bytef *out, uLongf *out_size, const Bytef *in, uLong size) {
  if (size < 6 || (in[0] & 15) != 8 || (in[0] << 8 | in[1]) % 31 || in[1] & 0x20)
    return Z_DATA_ERROR;
  unpacker u = {.in = in + 2, .size = size - 2, .out = out, .room = *out_size};
  if (!unpack(&u) || u.at + 4 > u.size) return Z_DATA_ERROR;
  if (big_endian(u.in + u.at) != adler32(out, u.made)) return Z_DATA_ERROR;
  *out_size = u.made;
  return Z_OK;
}

/* ---- Packing ---------------------------------------------------------------------------------------------------- */

typedef struct packer {
  uint8_t *out;
  size_t made;
  uint32_t bits;
  int count;
} packer;

static void give(packer *p, uint32_t value, int count) {
  p->bits |= value << p->count;
  p->count += count;
  while (p->count >= 8) {
    p->out[p->made++] = (uint8_t)p->bits;
    p->bits >>= 8;
    p->count -= 8;
  }
}

/* Codes begin with their highest bit. */
static void give_code(packer *p, uint32_t value, int count) {
  uint32_t reversed = 0;
  for (int i = 0; i < count; i++) reversed |= (value >> i & 1) << (count - 1 - i);
  give(p, reversed, count);
}

static void give_symbol(packer *p, int s) {
  if (s < 144)
    give_code(p, 0x30 + (uint32_t)s, 8);
  else if (s < 256)
    give_code(p, 0x190 + (uint32_t)s - 144, 9);
  else if (s < 280)
    give_code(p, (uint32_t)s - 256, 7);
  else
    give_code(p, 0xC0 + (uint32_t)s - 280, 8);
}

static void give_match(packer *p, int length, int distance) {
  int l = 28, d = 29;
  while (length_base[l] > length) l--;
  while (distance_base(d) > distance) d--;
  give_symbol(p, 257 + l);
  give(p, (uint32_t)(length - length_base[l]), length_extra[l]);
  give_code(p, (uint32_t)d, 5);
  give(p, (uint32_t)(distance - distance_base(d)), distance_extra(d));
}

/* The fixed codes take at most 9 bits for a byte. */
uLong compressBound(uLong size) { return size + size / 8 + 32; }

enum { HASHES = 4096, TRIES = 64, REACH = 32768, LONGEST = 258 };

static unsigned hash(const uint8_t *b) {
  return (b[0] * 2654435761u ^ b[1] * 40503u ^ b[2] * 251u) >> 7 & (HASHES - 1);
}

int compress2(Bytef *out, uLongf *out_size, const Bytef *in, uLong size, int level) {
  (void)level;
  if (*out_size < compressBound(size)) return Z_BUF_ERROR;
  int32_t *heads = malloc((HASHES + size + 1) * sizeof *heads), *before = heads + HASHES;
  if (!heads) return Z_MEM_ERROR;
  for (int i = 0; i < HASHES; i++) heads[i] = -1;
  packer p = {out, 0, 0, 0};
  out[p.made++] = 0x78;
  out[p.made++] = 0x9C;
  give(&p, 3, 3); /* the last block, with the fixed codes */
  for (size_t at = 0; at < size;) {
    int best = 0, distance = 0, limit = size - at < LONGEST ? (int)(size - at) : LONGEST;
    if (limit >= 3) {
      int tries = TRIES;
      for (int32_t i = heads[hash(in + at)]; i >= 0 && tries-- && at - (size_t)i <= REACH;
           i = before[i]) {
        int n = 0;
        while (n < limit && in[(size_t)i + (size_t)n] == in[at + (size_t)n]) n++;
        if (n > best) best = n, distance = (int)(at - (size_t)i);
      }
    }
    int step = 1;
    if (best >= 3) {
      give_match(&p, best, distance);
      step = best;
    } else {
      give_symbol(&p, in[at]);
    }
    for (; step; step--, at++) {
      if (size - at < 3) continue;
      unsigned h = hash(in + at);
      before[at] = heads[h];
      heads[h] = (int32_t)at;
    }
  }
  give_symbol(&p, 256);
  give(&p, 0, 7); /* up to a whole byte */
  free(heads);
  uint32_t sum = adler32(in, size);
  for (int i = 3; i >= 0; i--) out[p.made++] = (uint8_t)(sum >> 8 * i);
  *out_size = p.made;
  return Z_OK;
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

struct gz_file {
  uint8_t *bytes;
  size_t size, at;
  int code;
};

/* Unpack all members of a gzip file, one after the other. */
static void unpack_file(gzFile f, const uint8_t *in, size_t size) {
  unpacker u = {.in = in, .size = size, .grow = true};
  f->code = Z_DATA_ERROR;
  while (u.at + 18 <= size && in[u.at] == 0x1F && in[u.at + 1] == 0x8B && in[u.at + 2] == 8) {
    const uint8_t flags = in[u.at + 3];
    u.at += 10;
    if (flags & 4 && u.at + 2 <= size) u.at += 2 + (size_t)(in[u.at] | in[u.at + 1] << 8);
    for (int names = !!(flags & 8) + !!(flags & 16); names; names--) { /* end with a zero */
      while (u.at < size && in[u.at]) u.at++;
      u.at++;
    }
    if (flags & 2) u.at += 2;
    const size_t start = u.made;
    u.bits = 0, u.count = 0;
    if (u.at > size || !unpack(&u) || u.at + 8 > size) {
      f->code = u.at >= size ? Z_BUF_ERROR : Z_DATA_ERROR;
      break;
    }
    const uint8_t *end = in + u.at;
    uint32_t sum = (uint32_t)(end[0] | end[1] << 8 | end[2] << 16) | (uint32_t)end[3] << 24;
    if (crc32_z(0, u.out + start, u.made - start) != sum) break;
    u.at += 8;
    if (u.at == size) f->code = Z_OK;
  }
  f->bytes = u.out;
  f->size = u.made;
}

gzFile gzdopen(int descriptor, const char *mode) {
  FILE *in = fdopen(descriptor, mode);
  if (!in) return NULL;
  gzFile f = calloc(1, sizeof *f);
  uint8_t *bytes = NULL;
  size_t size = 0, room = 0, got;
  if (f) do {
      if (size == room) {
        uint8_t *larger = realloc(bytes, room = room ? 2 * room : 65536);
        if (!larger) {
          f->code = Z_MEM_ERROR;
          break;
        }
        bytes = larger;
      }
      got = fread(bytes + size, 1, room - size, in);
      size += got;
    } while (got);
  fclose(in);
  if (f && size >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B) {
    unpack_file(f, bytes, size);
    free(bytes);
  } else if (f) {
    f->bytes = bytes;
    f->size = size;
  } else {
    free(bytes);
  }
  return f;
}

int gzread(gzFile f, void *out, unsigned size) {
  size_t left = f->size - f->at, count = left < size ? left : size;
  if (!count && f->code) return -1;
  if (count) memcpy(out, f->bytes + f->at, count);
  f->at += count;
  return (int)count;
}

const char *gzerror(gzFile f, int *code) {
  *code = f->at == f->size ? f->code : Z_OK;
  return "";
}

int gzclose(gzFile f) {
  free(f->bytes);
  free(f);
  return Z_OK;
}
