/* The hash reads 64 bytes at a time as eight little-endian words. Each of four chains multiplies two words, mixed with
 * the chain's value and constants, to 128 bits and folds the product to 64. The chains do not wait for each other, so
 * a processor works on all four at once. The tail is padded with zeros; the size goes into the result, so that inputs
 * that differ only in trailing zeros differ in the hash. */
#include "util/hash.h"

#include <string.h>

#include "util/little.h"

static uint64_t word(const uint8_t *p) {
  uint64_t w;
  memcpy(&w, p, 8);
  return little_64(w);
}

static uint64_t fold(uint64_t a, uint64_t b) {
  unsigned __int128 product = (unsigned __int128)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static const uint64_t odd[8] = {0x9E3779B97F4A7C15u, 0xBF58476D1CE4E5B9u, 0x94D049BB133111EBu,
                                0xD1B54A32D192ED03u, 0xAEF17502108EF2D9u, 0xF1357AEA2E62A9C5u,
                                0x8CB92BA72F3D8DD7u, 0xC2B2AE3D27D4EB4Fu};

static void take(uint64_t chain[4], const uint8_t *p) {
  for (int i = 0; i < 4; i++)
    chain[i] = fold(word(p + 16 * i) ^ odd[i], word(p + 16 * i + 8) ^ chain[i]) + odd[4 + i];
}

uint64_t hash_bytes(const void *data, size_t size, uint64_t seed) {
  const uint8_t *p = data;
  uint64_t chain[4];
  for (int i = 0; i < 4; i++) chain[i] = seed ^ odd[7 - i];
  size_t left = size;
  for (; left >= 64; left -= 64, p += 64) take(chain, p);
  if (left) {
    uint8_t tail[64] = {0};
    memcpy(tail, p, left);
    take(chain, tail);
  }
  uint64_t a = fold(chain[0] ^ odd[0], chain[1] ^ odd[1]);
  uint64_t b = fold(chain[2] ^ odd[2], chain[3] ^ odd[3]);
  return fold(a ^ odd[4], b ^ size ^ odd[5]);
}
