/* The tree of the planners: memory, nodes, stored states, and walks over all nodes. */
#include "agents/planning/tree.h"

#include <stdlib.h>
#include <string.h>

#include "agents/agent.h"

enum { FIRST_NODES = 1024, FIRST_BYTES = 65536, CHAIN_MAX = 24 };
enum { LEAST_NODES = 1 + SIXER_ACTION_COUNT }; /* a root and its children always fit */

/* ---- Memory ---------------------------------------------------------------------------------------------------- */

static size_t states_limit(const tree *t) { return (size_t)((double)t->limit * t->share); }
static size_t nodes_limit(const tree *t) {
  return (t->limit - states_limit(t)) / (sizeof(node) + sizeof(int32_t));
}

static bool grow_nodes(tree *t, int32_t capacity) {
  node *nodes = realloc(t->nodes, (size_t)capacity * sizeof *nodes);
  if (nodes) t->nodes = nodes;
  int32_t *work = realloc(t->work, (size_t)capacity * sizeof *work);
  if (work) t->work = work;
  if (!nodes || !work) return false;
  t->capacity = capacity;
  return true;
}

bool tree_create(tree *t, size_t limit, double share, size_t state_size) {
  *t = (tree){.limit = limit, .share = share, .size = state_size};
  t->scratch = malloc(3 * state_size);
  size_t bytes = states_limit(t) < FIRST_BYTES ? states_limit(t) : FIRST_BYTES;
  size_t nodes = nodes_limit(t) < FIRST_NODES ? nodes_limit(t) : FIRST_NODES;
  if (nodes < LEAST_NODES) nodes = LEAST_NODES; /* whatever the limit */
  t->states.data = malloc(bytes ? bytes : 1);
  t->states.capacity = bytes;
  return t->scratch && t->states.data && grow_nodes(t, (int32_t)nodes);
}

void tree_destroy(tree *t) {
  free(t->nodes);
  free(t->work);
  free(t->states.data);
  free(t->scratch);
  *t = (tree){0};
}

size_t tree_memory(const tree *t) {
  return (size_t)t->capacity * (sizeof(node) + sizeof(int32_t)) + t->states.capacity;
}

/* Make room for `size` bytes at the end; NULL if the limit is reached or memory runs out. */
static uint8_t *reserve(tree *t, size_t size) {
  tree_bytes *b = &t->states;
  size_t limit = states_limit(t);
  if (b->used + size > b->capacity) {
    size_t capacity = b->capacity + b->capacity / 4;
    if (capacity > limit) capacity = limit;
    if (capacity < b->used + size) return NULL;
    uint8_t *data = realloc(b->data, capacity);
    if (!data) return NULL;
    b->data = data;
    b->capacity = capacity;
  }
  return b->data + b->used;
}

/* ---- Nodes ----------------------------------------------------------------------------------------------------- */

bool tree_start(tree *t, const void *state, int32_t depth) {
  t->count = 1;
  t->states.used = 0;
  t->limited = false;
  t->nodes[TREE_ROOT] =
      (node){.parent = TREE_NONE, .child = TREE_NONE, .sibling = TREE_NONE, .depth = depth};
  /* the root's state is always stored, even above the limit */
  size_t size = (t->size + 7) & ~(size_t)7;
  if (t->states.capacity < size) {
    uint8_t *data = realloc(t->states.data, size);
    if (!data) return false;
    t->states.data = data;
    t->states.capacity = size;
  }
  memcpy(t->states.data, state, t->size);
  t->states.used = size;
  t->nodes[TREE_ROOT].kept = 1;
  return true;
}

int32_t tree_add(tree *t, int32_t parent, int action, outcome o) {
  if (t->count == t->capacity) {
    size_t limit = nodes_limit(t), capacity = (size_t)t->capacity + (size_t)t->capacity / 4;
    if (limit > INT32_MAX) limit = INT32_MAX;
    if (capacity > limit) capacity = limit;
    if (capacity <= (size_t)t->count || !grow_nodes(t, (int32_t)capacity)) {
      t->limited = true;
      return TREE_NONE;
    }
  }
  int32_t index = t->count++, *link = &t->nodes[parent].child;
  while (*link != TREE_NONE) link = &t->nodes[*link].sibling;
  *link = index;
  node *p = &t->nodes[parent];
  p->tried |= 1u << action;
  t->nodes[index] = (node){.parent = parent,
                           .child = TREE_NONE,
                           .sibling = TREE_NONE,
                           .action = (uint32_t)action & 31,
                           .over = o.over,
                           .depth = p->depth + 1,
                           .reward = o.reward,
                           .frames = o.frames};
  return index;
}

/* ---- States ---------------------------------------------------------------------------------------------------- */

/* The difference of two states: a mask with one bit per group of 8 bytes; then for each group that differs a mask with
 * one bit per byte, followed by the bytes that differ. A byte is stored as the exclusive or of the two states, so the
 * differences along a chain can be applied in any order. */
static size_t mask_size(const tree *t) { return (t->size / 8 + 7) / 8; }

static size_t encode(const tree *t, uint8_t *out, const uint8_t *state, const uint8_t *base) {
  size_t groups = t->size / 8;
  uint8_t *at = out + mask_size(t);
  memset(out, 0, mask_size(t));
  for (size_t g = 0; g < groups; g++) {
    uint64_t a, b;
    memcpy(&a, state + 8 * g, 8);
    memcpy(&b, base + 8 * g, 8);
    if (a == b) continue;
    out[g / 8] |= (uint8_t)(1 << g % 8);
    uint8_t *mask = at++;
    *mask = 0;
    for (int i = 0; i < 8; i++) {
      uint8_t x = state[8 * g + (size_t)i] ^ base[8 * g + (size_t)i];
      if (x) *mask |= (uint8_t)(1 << i), *at++ = x;
    }
  }
  return (size_t)(at - out);
}

static void decode(const tree *t, const uint8_t *in, uint8_t *state) {
  size_t bytes = mask_size(t);
  const uint8_t *at = in + bytes;
  for (size_t m = 0; m < bytes; m++) {
    for (unsigned set = in[m]; set; set &= set - 1) {
      uint8_t *group = state + 8 * (8 * m + (size_t)__builtin_ctz(set));
      for (unsigned mask = *at++; mask; mask &= mask - 1) group[__builtin_ctz(mask)] ^= *at++;
    }
  }
}

void tree_keep(tree *t, int32_t index, const void *state, const void *parent_state) {
  node *n = &t->nodes[index];
  const node *p = &t->nodes[n->parent];
  bool full = !p->kept || p->chain == CHAIN_MAX;
  /* upper bound of a difference: all masks and every byte */
  size_t most = full ? t->size : mask_size(t) + t->size / 8 + t->size;
  uint8_t *out = reserve(t, (most + 7) & ~(size_t)7);
  if (!out) {
    t->limited = true;
    return;
  }
  size_t size = t->size;
  if (full)
    memcpy(out, state, size);
  else
    size = encode(t, out, state, parent_state);
  n->state = (uint32_t)(t->states.used / 8);
  n->chain = full ? 0 : (p->chain + 1) & 31;
  n->kept = 1;
  t->states.used += (size + 7) & ~(size_t)7;
}

/* Bytes of a node's stored state: a full copy or a difference. */
static size_t record_size(const tree *t, const node *n) {
  if (!n->chain) return t->size;
  const uint8_t *record = t->states.data + 8 * (size_t)n->state, *at = record + mask_size(t);
  for (size_t m = 0; m < mask_size(t); m++) {
    for (int k = __builtin_popcount(record[m]); k > 0; k--) at += 1 + __builtin_popcount(*at);
  }
  return (size_t)(at - record);
}

/* The state of a node, from the full copy and the differences along the chain. The state must be stored. */
static void kept_state(const tree *t, int32_t index, uint8_t *state) {
  int32_t at = index;
  while (t->nodes[at].chain) at = t->nodes[at].parent;
  memcpy(state, t->states.data + 8 * (size_t)t->nodes[at].state, t->size);
  for (at = index; t->nodes[at].chain; at = t->nodes[at].parent)
    decode(t, t->states.data + 8 * (size_t)t->nodes[at].state, state);
}

uint64_t tree_step_seed(const tree *t, int32_t index, int action) {
  uint64_t seed = t->seed;
  for (int32_t at = index; at != TREE_ROOT; at = t->nodes[at].parent) {
    seed ^= t->nodes[at].action + 1;
    seed = agent_draw(&seed);
  }
  seed ^= (uint64_t)action + 101;
  return agent_draw(&seed);
}

static void play_from(tree *t, int32_t ancestor, int32_t index, model *m) {
  if (index == ancestor) return;
  const node *n = &t->nodes[index];
  play_from(t, ancestor, n->parent, m);
  model_seed(m, tree_step_seed(t, n->parent, (int)n->action));
  model_step(m, t->actions[n->action]);
}

void tree_state(tree *t, int32_t index, model *m, void *state, int64_t *replayed) {
  int32_t ancestor = index;
  while (!t->nodes[ancestor].kept) ancestor = t->nodes[ancestor].parent;
  kept_state(t, ancestor, state);
  if (ancestor == index) return;
  int64_t before = m->frames;
  model_load(m, state);
  play_from(t, ancestor, index, m);
  model_take(m, m->env, state);
  *replayed += m->frames - before;
}

void tree_child_state(tree *t, int32_t child, model *m, const void *parent_state, void *state,
                      int64_t *replayed) {
  const node *n = &t->nodes[child];
  if (n->kept && n->chain) {
    memcpy(state, parent_state, t->size);
    decode(t, t->states.data + 8 * (size_t)n->state, state);
  } else if (n->kept) {
    memcpy(state, t->states.data + 8 * (size_t)n->state, t->size);
  } else {
    int64_t before = m->frames;
    model_load(m, parent_state);
    play_from(t, n->parent, child, m);
    model_take(m, m->env, state);
    *replayed += m->frames - before;
  }
}

int32_t tree_same_sibling(tree *t, int32_t index, const void *state, model *m, int64_t *replayed) {
  const node *n = &t->nodes[index];
  for (int32_t c = t->nodes[n->parent].child; c != index; c = t->nodes[c].sibling) {
    const node *s = &t->nodes[c];
    if (s->reward != n->reward || s->over != n->over || s->frames != n->frames) continue;
    if (s->kept && n->kept && !s->chain == !n->chain) {
      /* both are full copies or differences from the same parent: equal states have equal bytes */
      size_t size = record_size(t, s);
      const uint8_t *data = t->states.data;
      if (size == record_size(t, n) &&
          !memcmp(data + 8 * (size_t)s->state, data + 8 * (size_t)n->state, size))
        return c;
    } else {
      tree_state(t, c, m, t->scratch, replayed);
      if (!memcmp(t->scratch, state, t->size)) return c;
    }
  }
  return TREE_NONE;
}

void tree_remove_last(tree *t) {
  int32_t index = --t->count;
  const node *n = &t->nodes[index];
  int32_t *link = &t->nodes[n->parent].child;
  while (*link != index) link = &t->nodes[*link].sibling;
  *link = TREE_NONE;
  if (n->kept) t->states.used = 8 * (size_t)n->state;
}

/* ---- Walks ----------------------------------------------------------------------------------------------------- */

void tree_reroot(tree *t, int32_t root, const void *state) {
  /* the new root's state is stored as a full copy, in front, in place of the old root's */
  size_t first = (t->size + 7) & ~(size_t)7;
  int32_t *to = t->work;
  int32_t count = 0;
  size_t used = first;
  /* A node comes after its parent, and states are in the order of nodes: everything moves toward the front. */
  for (int32_t i = 0; i < t->count; i++) {
    node n = t->nodes[i];
    to[i] = i == root ? 0 : i < root || to[n.parent] == TREE_NONE ? TREE_NONE : count;
    if (to[i] == TREE_NONE) continue;
    if (i == root) {
      n.parent = n.sibling = TREE_NONE;
      n.state = 0, n.chain = 0, n.kept = 1;
    } else {
      n.parent = to[n.parent];
      if (n.kept) {
        const uint8_t *from = t->states.data + 8 * (size_t)n.state;
        size_t size = (record_size(t, &n) + 7) & ~(size_t)7;
        memmove(t->states.data + used, from, size);
        n.state = (uint32_t)(used / 8);
        used += size;
      }
    }
    t->nodes[count++] = n;
  }
  /* some chains began at a full copy above the new root, which is now a full copy itself: count them again */
  for (int32_t i = 0; i < count; i++) {
    node *n = &t->nodes[i];
    if (n->child != TREE_NONE) n->child = to[n->child];
    if (i != TREE_ROOT) {
      if (n->sibling != TREE_NONE) n->sibling = to[n->sibling];
      if (n->kept && n->chain) n->chain = (t->nodes[n->parent].chain + 1) & 31;
    }
  }
  memcpy(t->states.data, state, t->size);
  t->states.used = used;
  t->count = count;
  t->limited = false;
}

void tree_backup(tree *t, double discount) {
  for (int32_t i = t->count - 1; i >= 0; i--) {
    node *n = &t->nodes[i];
    n->value = n->reward;
    if (n->child == TREE_NONE) continue;
    double best = t->nodes[n->child].value;
    for (int32_t c = t->nodes[n->child].sibling; c != TREE_NONE; c = t->nodes[c].sibling) {
      if (t->nodes[c].value > best) best = t->nodes[c].value;
    }
    n->value += discount * best;
  }
}

int tree_depth(const tree *t) {
  int32_t deepest = 0;
  for (int32_t i = 0; i < t->count; i++) {
    if (t->nodes[i].depth > deepest) deepest = t->nodes[i].depth;
  }
  return deepest - t->nodes[TREE_ROOT].depth;
}

/* ---- Trees from files ------------------------------------------------------------------------------------------ */

bool tree_reserve(tree *t, int32_t nodes, size_t bytes) {
  if (nodes > t->capacity && !grow_nodes(t, nodes)) return false;
  if (bytes > t->states.capacity) {
    uint8_t *data = realloc(t->states.data, bytes);
    if (!data) return false;
    t->states.data = data;
    t->states.capacity = bytes;
  }
  return true;
}

/* Does a stored state lie within tree.states, and does decoding it stay within a state? Sets *end to its end. */
static bool state_fits(const tree *t, const node *n, size_t *end) {
  size_t from = 8 * (size_t)n->state, at = from + mask_size(t), used = t->states.used;
  if (!n->chain) {
    *end = from + t->size;
    return *end <= used;
  }
  if (at > used) return false;
  const uint8_t *data = t->states.data;
  for (size_t m = 0; m < mask_size(t); m++) {
    for (unsigned set = data[from + m]; set; set &= set - 1) {
      if (8 * m + (size_t)__builtin_ctz(set) >= t->size / 8 || at >= used) return false;
      at += 1 + (size_t)__builtin_popcount(data[at]);
    }
  }
  *end = at;
  return at <= used;
}

bool tree_fits(const tree *t) {
  size_t last = 0, end;
  if (t->count < 1 || t->nodes[0].parent != TREE_NONE || t->nodes[0].sibling != TREE_NONE ||
      !t->nodes[0].kept || t->nodes[0].chain)
    return false;
  for (int32_t i = 0; i < t->count; i++) {
    const node *n = &t->nodes[i];
    if (i && (n->parent < 0 || n->parent >= i || (int)n->action >= t->action_count)) return false;
    if (n->depth < 0 || n->depth > TREE_DEPTH_MAX) return false;
    if (i && n->depth != t->nodes[n->parent].depth + 1) return false;
    /* links lead forward, so that walks end; a child's parent is this node, a sibling's parent is the same */
    int32_t links[2] = {n->child, n->sibling};
    for (int k = 0; k < 2; k++) {
      if (links[k] == TREE_NONE) continue;
      if (links[k] <= i || links[k] >= t->count) return false;
      if (t->nodes[links[k]].parent != (k ? n->parent : i)) return false;
    }
    if (!n->kept) continue;
    if (n->chain && !(t->nodes[n->parent].kept && t->nodes[n->parent].chain + 1 == n->chain))
      return false;
    if (8 * (size_t)n->state < last || !state_fits(t, n, &end)) return false;
    last = end;
  }
  return true;
}
