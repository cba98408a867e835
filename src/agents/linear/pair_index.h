/* The index of a pair of bits: after the n single bits come the pairs (0, 1), (0, 2), ..., (n - 2, n - 1). */
#ifndef SIXER_AGENTS_LINEAR_PAIR_INDEX_H
#define SIXER_AGENTS_LINEAR_PAIR_INDEX_H

#include "agents/linear/features.h"

enum { PAIR_INDEX_BITS = 2048 };

/* i < j < n */
static inline uint32_t pair_index(uint32_t n, uint32_t i, uint32_t j) {
  return n + i * (2 * n - i - 1) / 2 + (j - i - 1);
}

static inline uint32_t pair_index_count(uint32_t n) { return n * (n + 1) / 2; }

/* Append the bits that are set in `words`, then all pairs of them, in ascending order. */
void pair_index_list(const uint64_t *words, int n, feature_list *out);

#endif
