/* Searches that go by novelty on the console's memory.
 *
 * iw1: IW(1) of Lipovetzky, Ramirez and Geffner (2015). Breadth first, but a node is expanded only if it makes an atom
 *   true that no node of this search had before. An atom is a byte of memory having a value (or a bit).
 * p-iw1: Shleyfman, Tuisov and Domshlak (2016). An atom counts as new also when it is reached with more reward than
 *   ever before, and the node with the most reward is expanded first.
 * 2bfs: of the 2015 paper. Nothing is pruned; nodes are taken in turn from two queues, by novelty and by reward.
 *
 * All three are one loop. A table holds for each atom the highest reward with which it was reached (0 if reward does
 * not matter, minus infinity if the atom was not reached); a node is novel if it raises an entry. An atom that the
 * parent has too can only be raised if the node has more reward than the parent, so usually only the bytes that
 * changed are tested. Nodes of the reused tree are entered into the table again, in the order of the search, at no
 * cost to the budget. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agents/planning/planner.h"
#include "env/state.h"
#include "util/rounded.h"

enum { ATOMS_BYTES, ATOMS_BITS };
enum { RAM_SIZE = 128, ATOM_COUNT = RAM_SIZE * 256 };

static const agent_option options[] = {
    PLANNER_OPTIONS("150000"),
    PLANNER_JOBS,
    PLANNER_DISCOUNT("0.995"),
    PLANNER_HORIZON("1500"),
    {"atoms", AGENT_CHOICE, PLANNER_OFFSET(atoms), "bytes", 0, 1, "bytes|bits",
     "what can be new: the value of a byte, or of a bit"},
    {NULL, 0, 0, NULL, 0, 0, NULL, NULL}};

typedef enum variant { IW1, P_IW1, TWO_BFS } variant;

/* A queue in which the largest key is first, then the oldest node. */
typedef struct entry {
  double key, key2;
  int32_t node;
} entry;

typedef struct heap {
  entry *entries;
  int32_t count, capacity;
} heap;

typedef struct iw {
  planner p;
  variant variant;
  double *table; /* by atom */
  heap heaps[2];
  int turn;           /* which heap is next */
  int32_t head, tail; /* of the queue in tree.work, for breadth-first order */
  expansion *items;   /* emulated ahead of their turn by the jobs */
  int batch;
  uint32_t blocked;        /* bit i: the subtree of the root's action i is not searched further */
  uint8_t *parent, *child; /* states */
} iw;

/* ---- Queues ---------------------------------------------------------------------------------------------------- */

static bool before(const entry *a, const entry *b) {
  if (a->key != b->key) return a->key > b->key;
  if (a->key2 != b->key2) return a->key2 > b->key2;
  return a->node < b->node;
}

static bool heap_push(heap *h, entry e) {
  if (h->count == h->capacity) {
    int32_t capacity = h->capacity ? h->capacity + h->capacity / 2 : 1024;
    entry *entries = realloc(h->entries, (size_t)capacity * sizeof *entries);
    if (!entries) return false;
    h->entries = entries;
    h->capacity = capacity;
  }
  int32_t at = h->count++;
  for (; at > 0 && before(&e, &h->entries[(at - 1) / 2]); at = (at - 1) / 2)
    h->entries[at] = h->entries[(at - 1) / 2];
  h->entries[at] = e;
  return true;
}

static int32_t heap_pop(heap *h) {
  int32_t first = h->entries[0].node, at = 0;
  entry last = h->entries[--h->count];
  for (;;) {
    int32_t child = 2 * at + 1;
    if (child >= h->count) break;
    if (child + 1 < h->count && before(&h->entries[child + 1], &h->entries[child])) child++;
    if (!before(&h->entries[child], &last)) break;
    h->entries[at] = h->entries[child];
    at = child;
  }
  h->entries[at] = last;
  return first;
}

/* If memory runs out, the node is not searched, and tree.limited is set. */
static void enqueue(iw *w, int32_t index, bool novel) {
  tree *t = &w->p.tree;
  const node *n = &t->nodes[index];
  bool ok = true;
  switch (w->variant) {
    case IW1: t->work[w->tail++] = index; break;
    case P_IW1: ok = heap_push(&w->heaps[0], (entry){n->path, 0, index}); break;
    case TWO_BFS:
      ok = heap_push(&w->heaps[0], (entry){novel, n->path, index}) &&
           heap_push(&w->heaps[1], (entry){n->path, novel, index});
      break;
  }
  if (!ok) t->limited = true;
}

/* The next node of the search; TREE_NONE if there is none. */
static int32_t dequeue(iw *w) {
  tree *t = &w->p.tree;
  if (w->variant == IW1) return w->head < w->tail ? t->work[w->head++] : TREE_NONE;
  if (w->variant == P_IW1) return w->heaps[0].count ? heap_pop(&w->heaps[0]) : TREE_NONE;
  for (;;) {
    heap *h = &w->heaps[w->turn];
    if (h->count == 0) return TREE_NONE; /* both queues hold every open node: one empty, all done */
    int32_t index = heap_pop(h);
    if (t->nodes[index].seen) continue; /* was already taken from the other queue */
    t->nodes[index].seen = 1;
    w->turn ^= 1;
    return index;
  }
}

/* A node that the search will probably take soon (i = 0, 1, 2, ...), to be emulated ahead; TREE_NONE if there is
 * none. */
static int32_t upcoming(const iw *w, int i) {
  const tree *t = &w->p.tree;
  if (w->variant == IW1) return w->head + i < w->tail ? t->work[w->head + i] : TREE_NONE;
  const heap *h = &w->heaps[w->variant == TWO_BFS ? w->turn ^ (i & 1) : 0];
  if (w->variant == TWO_BFS) i /= 2;
  return i < h->count ? h->entries[i].node : TREE_NONE;
}

/* ---- Novelty --------------------------------------------------------------------------------------------------- */

static bool raise_atom(iw *w, int atom, double score) {
  if (!(score > w->table[atom])) return false;
  w->table[atom] = score;
  return true;
}

/* Enter a state's atoms into the table; true if one is new. `parent` is the memory of the parent, or NULL to look at
 * every byte. */
static bool enter(iw *w, const uint8_t *ram, const uint8_t *parent, double score) {
  bool novel = false;
  for (int i = 0; i < RAM_SIZE; i++) {
    if (parent && ram[i] == parent[i]) continue;
    if (w->p.atoms == ATOMS_BYTES) {
      novel |= raise_atom(w, i * 256 + ram[i], score);
    } else {
      for (int bit = 0; bit < 8; bit++)
        novel |= raise_atom(w, (i * 8 + bit) * 2 + (ram[i] >> bit & 1), score);
    }
  }
  return novel;
}

/* A child was generated, or is part of the reused tree: test its novelty and queue it if the search goes on from it. */
static void meet_child(iw *w, int32_t index, const uint8_t *state, const uint8_t *parent_state) {
  tree *t = &w->p.tree;
  node *n = &t->nodes[index];
  const node *up = &t->nodes[n->parent];
  size_t ram = env_snapshot_ram(w->p.models[0].env->rom);
  double weight = 1;
  if (w->variant == TWO_BFS && n->reward != 0)
    weight = rounded_pow(w->p.discount, n->depth - t->nodes[TREE_ROOT].depth - 1);
  n->path = up->path + weight * n->reward;
  bool by_reward = w->variant == P_IW1;
  bool all = by_reward && n->path > up->path;
  bool novel = enter(w, state + ram, all ? NULL : parent_state + ram, by_reward ? n->path : 0);
  n->pruned = !novel && w->variant != TWO_BFS;
  n->seen = 0;
  if (!n->pruned && !n->over) enqueue(w, index, novel);
}

/* ---- Search ---------------------------------------------------------------------------------------------------- */

static bool searched(const iw *w, int32_t index) {
  const tree *t = &w->p.tree;
  const node *nodes = t->nodes;
  if ((int64_t)(nodes[index].depth - nodes[TREE_ROOT].depth) * w->p.skip >= w->p.horizon)
    return false;
  if (!w->blocked || index == TREE_ROOT) return true;
  while (nodes[index].parent != TREE_ROOT) index = nodes[index].parent;
  return !(w->blocked >> nodes[index].action & 1);
}

/* The expansion of a node. If it was not emulated ahead, it is emulated now, together with upcoming nodes. */
static expansion *expansion_of(iw *w, int32_t index) {
  planner *p = &w->p;
  int free_slots = 0;
  for (int i = 0; i < w->batch; i++) {
    if (w->items[i].node == index) return &w->items[i];
    free_slots += w->items[i].node == TREE_NONE;
  }
  if (!free_slots) {
    for (int i = 0; i < w->batch; i++) w->items[i].node = TREE_NONE;
  }
  int64_t cost = (int64_t)p->skip * p->tree.action_count, charged = p->used;
  expansion *wanted = NULL;
  for (int i = 0, next = 0; i < w->batch; i++) {
    expansion *e = &w->items[i];
    if (e->node != TREE_NONE) continue;
    int32_t candidate = wanted ? TREE_NONE : index;
    while (candidate == TREE_NONE) {
      if (p->frames && charged >= p->frames) break;
      candidate = upcoming(w, next++);
      if (candidate == TREE_NONE) break;
      bool taken = p->tree.nodes[candidate].child != TREE_NONE || !searched(w, candidate) ||
                   candidate == index;
      for (int k = 0; k < w->batch && !taken; k++) taken = w->items[k].node == candidate;
      if (taken) candidate = TREE_NONE;
    }
    if (candidate == TREE_NONE) break;
    if (!wanted) wanted = e;
    e->node = candidate;
    e->done = false;
    charged += cost;
  }
  /* slots without a node need no emulation */
  for (int i = 0; i < w->batch; i++) w->items[i].done |= w->items[i].node == TREE_NONE;
  expansion_run(p, w->items, w->batch);
  return wanted;
}

/* Enter the children of a node of the reused tree. */
static void take_up(iw *w, int32_t index) {
  tree *t = &w->p.tree;
  model *m = &w->p.models[0];
  tree_state(t, index, m, w->parent, &w->p.replayed);
  for (int32_t c = t->nodes[index].child; c != TREE_NONE; c = t->nodes[c].sibling) {
    tree_child_state(t, c, m, w->parent, w->child, &w->p.replayed);
    meet_child(w, c, w->child, w->parent);
  }
}

static void shuffle(iw *w, uint8_t *order) {
  int count = w->p.tree.action_count;
  for (int i = 0; i < count; i++) order[i] = (uint8_t)i;
  for (int i = count - 1; i > 0; i--) {
    int k = agent_below(&w->p.base.rng, i + 1);
    uint8_t other = order[i];
    order[i] = order[k];
    order[k] = other;
  }
}

/* Children of the root whose reused subtree is as large as the whole budget are not searched any further. */
static void block_large(iw *w) {
  const tree *t = &w->p.tree;
  int64_t sizes[SIXER_ACTION_COUNT] = {0}, budget = w->p.frames / w->p.skip;
  w->blocked = 0;
  if (!w->p.frames || t->count <= budget) return;
  int32_t *branch = t->work;
  for (int32_t i = 1; i < t->count; i++) {
    branch[i] =
        t->nodes[i].parent == TREE_ROOT ? (int32_t)t->nodes[i].action : branch[t->nodes[i].parent];
    sizes[branch[i]]++;
  }
  for (int a = 0; a < t->action_count; a++) w->blocked |= (uint32_t)(sizes[a] >= budget) << a;
}

static void search(iw *w) {
  planner *p = &w->p;
  tree *t = &p->tree;
  for (int i = 0; i < ATOM_COUNT; i++) w->table[i] = -INFINITY;
  w->head = w->tail = w->heaps[0].count = w->heaps[1].count = 0;
  w->turn = 0;
  block_large(w);
  node *root = &t->nodes[TREE_ROOT];
  root->path = 0;
  root->seen = root->pruned = 0;
  enter(w, p->here + env_snapshot_ram(p->models[0].env->rom), NULL, 0);
  enqueue(w, TREE_ROOT, true);
  for (bool begun = false; !(begun && planner_spent(p)); begun = true) {
    int32_t index = dequeue(w);
    if (index == TREE_NONE) break;
    if (t->nodes[index].child != TREE_NONE) {
      take_up(w, index);
      continue;
    }
    if (!searched(w, index)) continue;
    expansion *e = expansion_of(w, index);
    uint8_t order[SIXER_ACTION_COUNT];
    shuffle(w, order);
    if (!expansion_apply(p, e, order)) break;
    for (int32_t c = t->nodes[index].child; c != TREE_NONE; c = t->nodes[c].sibling)
      meet_child(w, c, e->states + t->nodes[c].action * t->size, e->parent);
    e->node = TREE_NONE;
  }
}

/* ---- Life ------------------------------------------------------------------------------------------------------ */

static void forget(iw *w) {
  expansion_destroy(w->items);
  w->items = NULL;
  free(w->parent);
  w->parent = NULL;
}

static void reset(sixer_agent *agent) {
  forget((iw *)agent);
  planner_reset(agent);
}

static void destroy(sixer_agent *agent) {
  iw *w = (iw *)agent;
  forget(w);
  free(w->table);
  free(w->heaps[0].entries);
  free(w->heaps[1].entries);
  planner_destroy(agent);
}

static sixer_err create(sixer_agent *agent, sixer_error *error) {
  iw *w = (iw *)agent;
  const char *name = agent->class->name;
  w->variant = !strcmp(name, "iw1") ? IW1 : !strcmp(name, "p-iw1") ? P_IW1 : TWO_BFS;
  w->p.has_paths = true;
  w->table = malloc(ATOM_COUNT * sizeof *w->table);
  if (!w->table) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for an agent");
  return planner_check(agent, error);
}

static sixer_err act(sixer_agent *agent, sixer_env *env, sixer_list actions, int *action,
                     sixer_error *error) {
  iw *w = (iw *)agent;
  planner *p = &w->p;
  sixer_err err = planner_begin(p, env, actions, error);
  if (err) return err;
  forget(w);
  w->batch = expansion_batch(p);
  w->items = expansion_create(p, w->batch);
  w->parent = malloc(2 * p->tree.size);
  if (!w->items || !w->parent)
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a search");
  w->child = w->parent + p->tree.size;
  search(w);
  tree_backup(&p->tree, p->discount);
  return planner_end(p, planner_best_child(p), action);
}

/* The fields of agent_class that the three share. */
#define IW_CLASS                                                                        \
  .size = sizeof(iw), .options = options, .create = create, .act = act, .reset = reset, \
  .save = planner_save, .load = planner_load, .destroy = destroy

const agent_class agent_iw1 = {
    .name = "iw1",
    .summary = "plan by iterated width 1 on memory (Lipovetzky et al. 2015)",
    IW_CLASS};
const agent_class agent_p_iw1 = {
    .name = "p-iw1", .summary = "the same, led by reward (Shleyfman et al. 2016)", IW_CLASS};
const agent_class agent_2bfs = {
    .name = "2bfs",
    .summary = "plan by novelty and reward in turn (Lipovetzky et al. 2015)",
    IW_CLASS};
