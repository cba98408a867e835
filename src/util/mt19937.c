#include "util/mt19937.h"

void mt_seed(mt19937 *mt, uint32_t seed) {
  mt->word[0] = seed;
  for (uint32_t i = 1; i < MT_WORDS; i++) {
    uint32_t last = mt->word[i - 1];
    mt->word[i] = 1812433253u * (last ^ (last >> 30)) + i;
  }
  mt->index = MT_WORDS;
}

static void refill(mt19937 *mt) {
  uint32_t *w = mt->word;
  for (int i = 0; i < MT_WORDS; i++) {
    uint32_t y = (w[i] & 0x80000000u) | (w[(i + 1) % MT_WORDS] & 0x7FFFFFFFu);
    w[i] = w[(i + 397) % MT_WORDS] ^ (y >> 1) ^ ((y & 1) ? 0x9908B0DFu : 0);
  }
  mt->index = 0;
}

uint32_t mt_next(mt19937 *mt) {
  if (mt->index >= MT_WORDS) refill(mt);
  uint32_t y = mt->word[mt->index++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9D2C5680u;
  y ^= (y << 15) & 0xEFC60000u;
  return y ^ (y >> 18);
}
