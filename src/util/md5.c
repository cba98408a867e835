#include "util/md5.h"

#include <stdio.h>
#include <string.h>

static const uint8_t rotations[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

/* floor(2^32 * |sin(i + 1)|) */
static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static uint32_t rotate(uint32_t x, int by) { return x << by | x >> (32 - by); }

static void block(uint32_t state[4], const uint8_t *p) {
  uint32_t word[16], a = state[0], b = state[1], c = state[2], d = state[3];
  for (int i = 0; i < 16; i++) {
    word[i] = (uint32_t)p[4 * i] | (uint32_t)p[4 * i + 1] << 8 | (uint32_t)p[4 * i + 2] << 16 |
              (uint32_t)p[4 * i + 3] << 24;
  }
  for (int i = 0; i < 64; i++) {
    uint32_t f;
    int which;
    switch (i / 16) {
      case 0: f = (b & c) | (~b & d), which = i; break;
      case 1: f = (d & b) | (~d & c), which = 5 * i + 1; break;
      case 2: f = b ^ c ^ d, which = 3 * i + 5; break;
      default: f = c ^ (b | ~d), which = 7 * i; break;
    }
    uint32_t next = b + rotate(a + f + sines[i] + word[which % 16], rotations[i / 16][i % 4]);
    a = d, d = c, c = b, b = next;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
}

void md5(const void *data, size_t size, uint8_t digest[16]) {
  uint32_t state[4] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
  const uint8_t *p = data;
  size_t left = size;
  for (; left >= 64; left -= 64, p += 64) block(state, p);
  /* the rest, a one bit, zeros, the length in bits */
  uint8_t tail[128] = {0};
  if (left) memcpy(tail, p, left);
  tail[left] = 0x80;
  size_t end = left < 56 ? 64 : 128;
  for (int i = 0; i < 8; i++) tail[end - 8 + (size_t)i] = (uint8_t)((uint64_t)size * 8 >> (8 * i));
  for (size_t at = 0; at < end; at += 64) block(state, tail + at);
  for (int i = 0; i < 16; i++) digest[i] = (uint8_t)(state[i / 4] >> (8 * (i % 4)));
}

void md5_hex(const void *data, size_t size, char hex[33]) {
  uint8_t digest[16];
  md5(data, size, digest);
  for (int i = 0; i < 16; i++) snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}
