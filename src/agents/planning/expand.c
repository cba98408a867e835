/* Expansion of nodes: every action is emulated from the node's state. Threads emulate the steps of several nodes in any
 * order; the results are added to the tree one node after the other, so the tree does not depend on the number of
 * threads. */
#include <stdlib.h>
#include <string.h>

#include "agents/planning/planner.h"

enum { BATCH_PER_JOB = 64, BATCH_BYTES = 1 << 23 };

int expansion_batch(const planner *p) {
  if (p->jobs == 1) return 1;
  size_t each = p->tree.size * (SIXER_ACTION_COUNT + 1), most = BATCH_BYTES / each;
  size_t count = (size_t)p->jobs * BATCH_PER_JOB;
  return (int)(count < most ? count : most ? most : 1);
}

expansion *expansion_create(const planner *p, int count) {
  size_t size = p->tree.size, each = size * (SIXER_ACTION_COUNT + 1);
  expansion *items = calloc(1, (sizeof *items + each) * (size_t)count);
  if (!items) return NULL;
  uint8_t *at = (uint8_t *)(items + count);
  for (int i = 0; i < count; i++, at += each) {
    items[i].node = TREE_NONE;
    items[i].parent = at;
    items[i].states = at + size;
  }
  return items;
}

void expansion_destroy(expansion *items) { free(items); }

typedef struct job {
  planner *p;
  expansion *items;
} job;

static void emulate(void *context, int index, int worker) {
  const job *j = context;
  planner *p = j->p;
  int count = p->tree.action_count, action = index % count;
  expansion *e = &j->items[index / count];
  model *m = &p->models[worker];
  if (e->done) return;
  model_load(m, e->parent);
  if (m->random) model_seed(m, tree_step_seed(&p->tree, e->node, action));
  e->outcomes[action] = model_step(m, p->tree.actions[action]);
  model_take(m, m->env, e->states + (size_t)action * p->tree.size);
}

void expansion_run(planner *p, expansion *items, int count) {
  for (int i = 0; i < count; i++) {
    if (!items[i].done)
      tree_state(&p->tree, items[i].node, &p->models[0], items[i].parent, &p->replayed);
  }
  pool_run(p->pool, emulate, &(job){p, items}, count * p->tree.action_count);
  for (int i = 0; i < count; i++) items[i].done = true;
}

bool expansion_apply(planner *p, expansion *e, const uint8_t *order) {
  tree *t = &p->tree;
  int32_t before = t->count;
  uint32_t tried = t->nodes[e->node].tried;
  for (int i = 0; i < t->action_count; i++) {
    int a = order ? order[i] : i;
    const uint8_t *state = e->states + (size_t)a * t->size;
    bool same = false;
    for (int k = 0; p->duplicates && !same && k < i; k++) {
      int b = order ? order[k] : k;
      same = !memcmp(state, e->states + (size_t)b * t->size, t->size);
    }
    if (same) {
      t->nodes[e->node].tried |= 1u << a;
      continue;
    }
    int32_t child = tree_add(t, e->node, a, e->outcomes[a]);
    if (child == TREE_NONE) {
      /* a node has all its children or none */
      t->count = before;
      t->nodes[e->node].child = TREE_NONE;
      t->nodes[e->node].tried = tried & 0x3FFFF;
      return false;
    }
    tree_keep(t, child, state, e->parent);
  }
  for (int a = 0; a < t->action_count; a++) p->used += e->outcomes[a].frames;
  p->base.last.expanded++;
  return true;
}
