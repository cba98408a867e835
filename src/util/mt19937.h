/* The 32-bit Mersenne twister MT19937 (Matsumoto and Nishimura 1998), the generator of the reference. */
#ifndef SIXER_UTIL_MT19937_H
#define SIXER_UTIL_MT19937_H

#include <stdint.h>

enum { MT_WORDS = 624 };

typedef struct mt19937 {
  uint32_t word[MT_WORDS];
  uint32_t index; /* next word to use; MT_WORDS: make new ones first */
} mt19937;

void mt_seed(mt19937 *mt, uint32_t seed);
uint32_t mt_next(mt19937 *mt);
void mt_skip(mt19937 *mt, uint64_t count); /* as `count` calls of mt_next() */

/* One draw as a double in [0, 1). */
static inline double mt_real(mt19937 *mt) { return mt_next(mt) / 4294967296.0; }

#endif
