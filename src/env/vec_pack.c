/* Differences and runs of zeros: see vec_pack.h. */
#include "env/vec_pack.h"

#include <string.h>

#include "util/little.h"

enum { FEWEST_ZEROS = 3 };

size_t pack_bound(size_t size) { return size + size / 4096 + 32; }

/* ---- Differences ----------------------------------------------------------------------------------------------- */

static size_t range_end(const pack_range *ranges, int count, int i, size_t size) {
  return i + 1 < count ? ranges[i + 1].begin : size;
}

/* Eight bytes at a time, from the end: what the bytes resemble is still there. */
static void differ_range(uint8_t *bytes, size_t first, size_t end, size_t distance) {
  uint64_t a, b;
  size_t k = end;
  for (; k >= first + 8; k -= 8) {
    memcpy(&a, bytes + k - 8, 8);
    memcpy(&b, bytes + k - 8 - distance, 8);
    a ^= b;
    memcpy(bytes + k - 8, &a, 8);
  }
  while (k-- > first) bytes[k] ^= bytes[k - distance];
}

/* Distance 1: each byte becomes the sum (exclusive or) of all up to it. */
static size_t restore_next(uint8_t *bytes, size_t k, size_t end) {
  uint64_t word, before = bytes[k - 1];
  for (; k + 8 <= end; k += 8) {
    memcpy(&word, bytes + k, 8);
    word = little_64(word); /* the first byte is the lowest */
    word ^= word << 8;
    word ^= word << 16;
    word ^= word << 32;
    word ^= before * 0x0101010101010101u;
    before = word >> 56;
    word = little_64(word);
    memcpy(bytes + k, &word, 8);
  }
  return k;
}

/* Distance 3. */
static size_t restore_third(uint8_t *bytes, size_t k, size_t end) {
  uint8_t a = bytes[k - 3], b = bytes[k - 2], c = bytes[k - 1];
  for (; k + 3 <= end; k += 3) {
    bytes[k] = a ^= bytes[k];
    bytes[k + 1] = b ^= bytes[k + 1];
    bytes[k + 2] = c ^= bytes[k + 2];
  }
  return k;
}

static void restore_range(uint8_t *bytes, size_t first, size_t end, size_t distance) {
  uint64_t word, other;
  size_t k = first;
  if (distance == 1 && k < end) k = restore_next(bytes, k, end);
  if (distance == 3 && k < end) k = restore_third(bytes, k, end);
  for (; distance >= 8 && k + 8 <= end; k += 8) {
    memcpy(&word, bytes + k, 8);
    memcpy(&other, bytes + k - distance, 8);
    word ^= other;
    memcpy(bytes + k, &word, 8);
  }
  for (; k < end; k++) bytes[k] ^= bytes[k - distance];
}

void pack_differ(uint8_t *bytes, size_t size, const pack_range *ranges, int count) {
  for (int i = count - 1; i >= 0; i--) {
    const size_t distance = ranges[i].distance, begin = ranges[i].begin;
    if (distance)
      differ_range(bytes, begin > distance ? begin : distance, range_end(ranges, count, i, size),
                   distance);
  }
}

void pack_restore(uint8_t *bytes, size_t size, const pack_range *ranges, int count) {
  for (int i = 0; i < count; i++) {
    const size_t distance = ranges[i].distance, begin = ranges[i].begin;
    if (distance)
      restore_range(bytes, begin > distance ? begin : distance, range_end(ranges, count, i, size),
                    distance);
  }
}

/* ---- Runs ------------------------------------------------------------------------------------------------------ */

static size_t put_number(uint8_t *out, size_t at, size_t number) {
  for (; number >= 0x80; number >>= 7, at++) {
    if (out) out[at] = (uint8_t)(number | 0x80);
  }
  if (out) out[at] = (uint8_t)number;
  return at + 1;
}

static size_t zeros_from(const uint8_t *bytes, size_t at, size_t size) {
  size_t end = at;
  for (uint64_t word; end + 8 <= size; end += 8) {
    memcpy(&word, bytes + end, 8);
    if (word) break;
  }
  while (end < size && !bytes[end]) end++;
  return end - at;
}

/* Bytes up to the next zeros that are enough for a run, or to the end. */
static size_t others_from(const uint8_t *bytes, size_t at, size_t size) {
  for (size_t k = at; k < size; k++) {
    if (bytes[k]) continue;
    size_t zeros = 1;
    while (zeros < FEWEST_ZEROS && k + zeros < size && !bytes[k + zeros]) zeros++;
    if (zeros == FEWEST_ZEROS) return k - at;
    k += zeros - 1;
  }
  return size - at;
}

size_t pack_runs(const uint8_t *bytes, size_t size, uint8_t *out) {
  size_t written = 0;
  for (size_t at = 0; at < size;) {
    size_t zeros = zeros_from(bytes, at, size);
    if (zeros < FEWEST_ZEROS) zeros = 0;
    const size_t others = others_from(bytes, at + zeros, size);
    written = put_number(out, written, zeros);
    written = put_number(out, written, others);
    if (out) memcpy(out + written, bytes + at + zeros, others);
    written += others;
    at += zeros + others;
  }
  return written;
}

static bool get_number(const uint8_t *in, size_t packed, size_t *at, size_t *number) {
  *number = 0;
  for (int shift = 0; shift < 35 && *at < packed; shift += 7) {
    const uint8_t byte = in[(*at)++];
    *number |= (size_t)(byte & 0x7F) << shift;
    if (!(byte & 0x80)) return true;
  }
  return false;
}

bool unpack_runs(const uint8_t *in, size_t packed, uint8_t *bytes, size_t size) {
  size_t at = 0, made = 0, zeros, others;
  while (made < size) {
    if (!get_number(in, packed, &at, &zeros) || !get_number(in, packed, &at, &others)) return false;
    if (zeros > size - made || others > size - made - zeros || others > packed - at) return false;
    memset(bytes + made, 0, zeros);
    memcpy(bytes + made + zeros, in + at, others);
    if (!(zeros + others)) return false;
    made += zeros + others;
    at += others;
  }
  return at == packed;
}
