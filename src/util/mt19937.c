#include "util/mt19937.h"

void mt_seed(mt19937 *mt, uint32_t seed) {
  mt->word[0] = seed;
  for (uint32_t i = 1; i < MT_WORDS; i++) {
    uint32_t last = mt->word[i - 1];
    mt->word[i] = 1812433253u * (last ^ (last >> 30)) + i;
  }
  mt->index = MT_WORDS;
}

static uint32_t twist(uint32_t high, uint32_t low) {
  const uint32_t y = (high & 0x80000000u) | (low & 0x7FFFFFFFu);
  return (y >> 1) ^ (0x9908B0DFu & (0 - (y & 1)));
}

/* In three parts, so that no index wraps around inside of a loop. */
static void refill(mt19937 *mt) {
  enum { AHEAD = 397, REST = MT_WORDS - AHEAD };
  uint32_t *w = mt->word;
  for (int i = 0; i < REST; i++) w[i] = w[i + AHEAD] ^ twist(w[i], w[i + 1]);
  for (int i = REST; i < MT_WORDS - 1; i++) w[i] = w[i - REST] ^ twist(w[i], w[i + 1]);
  w[MT_WORDS - 1] = w[AHEAD - 1] ^ twist(w[MT_WORDS - 1], w[0]);
  mt->index = 0;
}

void mt_skip(mt19937 *mt, uint64_t count) {
  for (; count > MT_WORDS - mt->index; refill(mt)) count -= MT_WORDS - mt->index;
  mt->index += (uint32_t)count;
}

uint32_t mt_next(mt19937 *mt) {
  if (mt->index >= MT_WORDS) refill(mt);
  uint32_t y = mt->word[mt->index++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9D2C5680u;
  y ^= (y << 15) & 0xEFC60000u;
  return y ^ (y >> 18);
}
