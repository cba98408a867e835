/* See sum_tree.h. */
#include "agents/deep/sum_tree.h"

#include <stdlib.h>
#include <string.h>

static int64_t power_of_two(int64_t count) {
  int64_t leaves = 2;
  while (leaves < count) leaves *= 2;
  return leaves;
}

uint64_t sum_tree_size(int64_t count) { return 2 * (uint64_t)power_of_two(count) * sizeof(double); }

bool sum_tree_create(sum_tree *t, int64_t count) {
  t->leaves = power_of_two(count);
  t->nodes = calloc(2 * (size_t)t->leaves, sizeof *t->nodes);
  return t->nodes != NULL;
}

void sum_tree_free(sum_tree *t) {
  free(t->nodes);
  *t = (sum_tree){0};
}

void sum_tree_set(sum_tree *t, int64_t position, double value) {
  double *nodes = t->nodes;
  int64_t k = t->leaves + position;
  nodes[k] = value;
  for (k /= 2; k >= 1; k /= 2) nodes[k] = nodes[2 * k] + nodes[2 * k + 1];
}

void sum_tree_rebuild(sum_tree *t) {
  for (int64_t k = t->leaves - 1; k >= 1; k--) t->nodes[k] = t->nodes[2 * k] + t->nodes[2 * k + 1];
}

void sum_tree_clear(sum_tree *t) { memset(t->nodes, 0, 2 * (size_t)t->leaves * sizeof *t->nodes); }

int64_t sum_tree_find(const sum_tree *t, double point) {
  const double *nodes = t->nodes;
  int64_t k = 1;
  while (k < t->leaves) {
    double left = nodes[2 * k], right = nodes[2 * k + 1];
    /* rounding can lead to the edge of a part; a side without any sum is never entered */
    if (right == 0 || (left > 0 && point <= left)) {
      k = 2 * k;
    } else {
      point -= left;
      k = 2 * k + 1;
    }
  }
  return k - t->leaves;
}
