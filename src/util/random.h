/* splitmix64 (Steele, Lea, Flood 2014): the generator of everything that is ours to choose. What must equal the
 * reference or NumPy uses mt19937.h instead.
 *
 * The state is one number, any value of it is a good seed, and states that differ give streams that look
 * independent. Results and tapes depend on the exact draws, so these functions never change. */
#ifndef SIXER_UTIL_RANDOM_H
#define SIXER_UTIL_RANDOM_H

#include <stdint.h>

#define RANDOM_STEP 0x9E3779B97F4A7C15u /* 2^64 divided by the golden ratio */

/* The two multiplying rounds of the output function, without its last step. */
static inline uint64_t random_rounds(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  return (z ^ (z >> 27)) * 0x94D049BB133111EBu;
}

/* A bijection of 64-bit numbers in which every bit of the result depends on every bit of `z`. */
static inline uint64_t random_mix(uint64_t z) {
  z = random_rounds(z);
  return z ^ (z >> 31);
}

/* 64 random bits. */
static inline uint64_t random_next(uint64_t *state) { return random_mix(*state += RANDOM_STEP); }

/* 64 random bits by counter: a function of its arguments, so draws can be made in any order and by any thread, and a
 * run that is resumed needs no state of a generator. `stream` says what the number is for, `index` which of them it is.
 * */
static inline uint64_t random_at(uint64_t seed, uint64_t stream, uint64_t index) {
  uint64_t z = random_mix(seed + RANDOM_STEP);
  z = random_mix((z ^ stream) + RANDOM_STEP);
  return random_mix((z ^ index) + RANDOM_STEP);
}

/* 64 random bits as a number that is uniform in [0, 1), a multiple of 2^-53. */
static inline double random_unit(uint64_t bits) {
  return (double)(bits >> 11) / 9007199254740992.0;
}

/* Uniform in 0..count-1: the upper 32 bits scaled by a multiplication. The bias is below count / 2^32. */
static inline int random_below(uint64_t *state, int count) {
  return (int)((random_next(state) >> 32) * (uint64_t)count >> 32);
}

/* Uniform in [0, 1), a multiple of 2^-53. */
static inline double random_real(uint64_t *state) {
  return (double)(random_next(state) >> 11) / 9007199254740992.0;
}

#endif
