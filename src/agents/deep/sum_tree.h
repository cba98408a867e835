/* A binary tree of sums: numbers at positions, of which one is found by a point in the running sum.
 *
 * A node is the sum of its two children, computed from them whenever one changes. So every sum is a function of the
 * numbers alone, not of the order in which they were set, and rounding errors do not accumulate. */
#ifndef SIXER_AGENTS_DEEP_SUM_TREE_H
#define SIXER_AGENTS_DEEP_SUM_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sum_tree {
  int64_t leaves; /* a power of two */
  double *nodes;  /* 1 is the root, the children of k are 2k and 2k + 1, position p is leaves + p */
} sum_tree;

/* `count` positions, all 0. False if there is no memory. */
bool sum_tree_create(sum_tree *t, int64_t count);
void sum_tree_free(sum_tree *t);
uint64_t sum_tree_size(int64_t count); /* bytes of such a tree */

static inline double sum_tree_total(const sum_tree *t) { return t->nodes[1]; }
static inline double sum_tree_get(const sum_tree *t, int64_t position) {
  return t->nodes[t->leaves + position];
}

/* `value` is finite and not negative. */
void sum_tree_set(sum_tree *t, int64_t position, double value);

/* Set many positions at once: write t->nodes[t->leaves + ...], then call this. */
void sum_tree_rebuild(sum_tree *t);
void sum_tree_clear(sum_tree *t);

/* The position in whose part of the running sum `point` lies: to the left while point <= the sum there, else subtract
 * it and go right. A position whose number is 0 is never found unless all are. */
int64_t sum_tree_find(const sum_tree *t, double point);

#endif
