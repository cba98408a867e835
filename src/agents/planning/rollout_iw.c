/* Rollout-IW(1) (Bandres, Bonet and Geffner 2018): width 1, explored by roll-outs instead of breadth first, so that it
 * can be stopped at any time. Novelty is measured on features of the screen, or on the console's memory.
 *
 * A table holds for each atom the smallest depth at which it was reached. A roll-out goes down from the root by actions
 * drawn among those that are not solved. A node with an atom that was never reached so early is novel: its atoms are
 * entered and the roll-out goes on. A node met for the first time without one is pruned. A node met again goes on as
 * long as one of its atoms is still reached nowhere earlier. Pruned and final nodes are solved, and a node whose
 * children are all solved is solved. The search ends with the budget or when the root is solved.
 *
 * Each node keeps its features as a list of numbers (basic features of the screen, or address and value of each byte);
 * pairs of basic features are made from the lists whenever the node is tested. */
#include <stdlib.h>
#include <string.h>

#include "agents/planning/planner.h"
#include "agents/linear/background.h"
#include "agents/linear/prost.h"
#include "env/state.h"

enum { ATOMS_SCREEN, ATOMS_RAM };
enum { RAM_SIZE = 128, STILL_MAX = 30, BACKGROUND_SCREENS = 100, NEVER_REACHED = 65535 };
enum { DEPTH_MAX = NEVER_REACHED - 1 };

static const agent_option options[] = {
    PLANNER_OPTIONS("150000"),
    {"nodes", AGENT_INT, PLANNER_OFFSET(nodes), "50000", 0, 1e9, NULL,
     "of the tree, at most; 0: no limit"},
    PLANNER_DISCOUNT("1"),
    PLANNER_HORIZON("1500"),
    {"atoms", AGENT_CHOICE, PLANNER_OFFSET(atoms), "screen", 0, 1, "screen|ram",
     "what can be new: B-PROST features of the screen, or bytes of memory"},
    {NULL, 0, 0, NULL, 0, 0, NULL, NULL}};

typedef struct rollout_iw {
  planner p;
  uint16_t *table; /* by atom: smallest depth */
  size_t table_size;
  uint32_t *touched; /* atoms that have an entry, to clear the table quickly */
  size_t touched_count, touched_capacity;
  bool touched_all; /* out of memory for the list: clear the whole table */
  /* features of the nodes, in their order: a count, then the features */
  uint16_t *features;
  size_t used, capacity;
  uint16_t *fresh; /* of a node that is being generated */
  uint8_t *background;
  bool has_background;
  uint8_t *parent, *child; /* states */
} rollout_iw;

/* ---- Features -------------------------------------------------------------------------------------------------- */

/* Find the background: the most frequent color of each pixel in a hundred screens of random play from the env's
 * state. */
static void find_background(rollout_iw *w) {
  color_histogram *h = color_histogram_create();
  model *m = &w->p.models[0];
  const tree *t = &w->p.tree;
  uint64_t rng = agent_draw(&w->p.base.rng);
  w->has_background = true;
  memset(w->background, 0, PROST_PIXELS);
  if (!h) return; /* out of memory: everything counts as foreground */
  model_load(m, w->p.here);
  for (int i = 0; i < BACKGROUND_SCREENS; i++) {
    model_seed(m, agent_draw(&rng));
    if (model_step(m, t->actions[agent_below(&rng, t->action_count)]).over) {
      model_load(m, w->p.here);
      continue;
    }
    const uint8_t *screen = sixer_env_screen(m->env);
    if (screen) color_histogram_add(h, screen, sixer_env_height(m->env));
  }
  color_histogram_mode(h, w->background);
  color_histogram_destroy(h);
}

/* Write the features of the model's screen or memory to w->fresh and return their number. `state` is its state. */
static int look(rollout_iw *w, const uint8_t *state) {
  const model *m = &w->p.models[0];
  if (w->p.atoms == ATOMS_RAM) {
    const uint8_t *ram = state + env_snapshot_ram(m->env->rom);
    for (int i = 0; i < RAM_SIZE; i++) w->fresh[i] = (uint16_t)(i * 256 + ram[i]);
    return RAM_SIZE;
  }
  const uint8_t *screen = sixer_env_screen(m->env);
  return screen ? prost_basic(screen, sixer_env_height(m->env), w->background, w->fresh) : 0;
}

/* Store the features of a node that was just added; false if they do not fit into the memory limit. */
static bool keep_features(rollout_iw *w, int32_t index, int count) {
  size_t need = w->used + (size_t)count + 1;
  if (need > w->capacity) {
    size_t capacity = w->capacity + w->capacity / 2 + 65536;
    size_t limit = (size_t)(w->p.memory / 2 * 1048576) / sizeof *w->features;
    if (capacity > limit) capacity = limit;
    if (capacity < need && index != TREE_ROOT) return false;
    if (capacity < need) capacity = need;
    uint16_t *features = realloc(w->features, capacity * sizeof *features);
    if (!features) return false;
    w->features = features;
    w->capacity = capacity;
  }
  w->p.tree.nodes[index].extra = (int32_t)w->used;
  w->features[w->used] = (uint16_t)count;
  memcpy(w->features + w->used + 1, w->fresh, (size_t)count * sizeof *w->fresh);
  w->used += (size_t)count + 1;
  return w->used <= INT32_MAX;
}

static const uint16_t *features_of(const rollout_iw *w, int32_t index, int *count) {
  const uint16_t *list = w->features + w->p.tree.nodes[index].extra;
  *count = list[0];
  return list + 1;
}

/* Move the features of the remaining nodes together after the tree was reduced to the reused part. */
static void compact_features(rollout_iw *w) {
  tree *t = &w->p.tree;
  w->used = 0;
  for (int32_t i = 0; i < t->count; i++) {
    node *n = &t->nodes[i];
    size_t size = (size_t)w->features[n->extra] + 1;
    memmove(w->features + w->used, w->features + n->extra, size * sizeof *w->features);
    n->extra = (int32_t)w->used;
    w->used += size;
  }
}

/* ---- Novelty --------------------------------------------------------------------------------------------------- */

static void clear_table(rollout_iw *w) {
  if (w->touched_all) {
    memset(w->table, 0xFF, w->table_size * sizeof *w->table);
  } else {
    for (size_t i = 0; i < w->touched_count; i++) w->table[w->touched[i]] = NEVER_REACHED;
  }
  w->touched_count = 0;
  w->touched_all = false;
}

static void note_touched(rollout_iw *w, uint32_t atom) {
  if (w->touched_all) return;
  if (w->touched_count == w->touched_capacity) {
    size_t capacity = w->touched_capacity ? 2 * w->touched_capacity : 65536;
    uint32_t *touched = realloc(w->touched, capacity * sizeof *touched);
    if (!touched) {
      w->touched_all = true;
      return;
    }
    w->touched = touched;
    w->touched_capacity = capacity;
  }
  w->touched[w->touched_count++] = atom;
}

typedef struct novelty {
  bool earlier; /* an atom was never reached at so small a depth; it has been entered */
  bool equal;   /* an atom was reached at this depth, and never earlier */
} novelty;

static inline void test_atom(rollout_iw *w, uint32_t atom, uint16_t depth, novelty *result) {
  uint16_t before = w->table[atom];
  if (before > depth) {
    if (before == NEVER_REACHED) note_touched(w, atom);
    w->table[atom] = depth;
    result->earlier = true;
  } else {
    result->equal |= before == depth;
  }
}

static novelty test_node(rollout_iw *w, int32_t index) {
  const node *n = &w->p.tree.nodes[index];
  int depth = n->depth - w->p.tree.nodes[TREE_ROOT].depth, count, parents = 0;
  const uint16_t *list = features_of(w, index, &count), *before = NULL;
  uint16_t d = (uint16_t)(depth < DEPTH_MAX ? depth : DEPTH_MAX);
  novelty result = {false, false};
  for (int i = 0; i < count; i++) test_atom(w, list[i], d, &result);
  if (w->p.atoms == ATOMS_RAM) return result;
  if (n->parent != TREE_NONE) before = features_of(w, n->parent, &parents);
  for (int i = 0; i < count; i++) {
    for (int k = i; k < count; k++) test_atom(w, prost_space(list[i], list[k]), d, &result);
    for (int k = 0; k < parents; k++) test_atom(w, prost_time(before[k], list[i]), d, &result);
  }
  return result;
}

/* ---- Search ---------------------------------------------------------------------------------------------------- */

static bool solved(const tree *t, int32_t index) {
  const node *n = &t->nodes[index];
  if (n->tried != (1u << t->action_count) - 1) return false;
  for (int32_t c = n->child; c != TREE_NONE; c = t->nodes[c].sibling) {
    if (!t->nodes[c].pruned) return false;
  }
  return true;
}

static void label_solved(tree *t, int32_t index) {
  t->nodes[index].pruned = 1;
  for (int32_t i = t->nodes[index].parent; i != TREE_NONE && solved(t, i); i = t->nodes[i].parent)
    t->nodes[i].pruned = 1;
}

/* Draw an action whose child is not solved; -1 if there is none. *child is that child, TREE_NONE if it must be
 * added. */
static int draw_action(rollout_iw *w, int32_t index, int32_t *child) {
  const tree *t = &w->p.tree;
  uint32_t open = ~t->nodes[index].tried & ((1u << t->action_count) - 1);
  for (int32_t c = t->nodes[index].child; c != TREE_NONE; c = t->nodes[c].sibling) {
    if (!t->nodes[c].pruned) open |= 1u << t->nodes[c].action;
  }
  if (!open) return -1;
  for (int pick = agent_below(&w->p.base.rng, __builtin_popcount(open)); pick > 0; pick--)
    open &= open - 1;
  int action = __builtin_ctz(open);
  *child = t->nodes[index].child;
  while (*child != TREE_NONE && (int)t->nodes[*child].action != action)
    *child = t->nodes[*child].sibling;
  return action;
}

/* Emulate an action for the first time and add a child; TREE_NONE if the tree is full. */
static int32_t grow(rollout_iw *w, int32_t index, int action) {
  planner *p = &w->p;
  tree *t = &p->tree;
  model *m = &p->models[0];
  tree_state(t, index, m, w->parent, &p->replayed);
  model_load(m, w->parent);
  if (m->random) model_seed(m, tree_step_seed(t, index, action));
  outcome o = model_step(m, t->actions[action]);
  p->used += o.frames;
  int32_t child = tree_add(t, index, action, o);
  if (child == TREE_NONE) return TREE_NONE;
  model_take(m, m->env, w->child);
  tree_keep(t, child, w->child, w->parent);
  int count = o.over ? 0 : look(w, w->child), parents;
  if (!keep_features(w, child, count)) {
    tree_remove_last(t);
    t->nodes[index].tried &= ~(1u << action) & 0x3FFFF;
    t->limited = true;
    return TREE_NONE;
  }
  const uint16_t *before = features_of(w, index, &parents);
  bool same = parents == count && !memcmp(before, w->fresh, (size_t)count * sizeof *before);
  t->nodes[child].still = (uint16_t)(same ? t->nodes[index].still + 1 : 0);
  return child;
}

/* One roll-out; false if the tree is full. If the tree is only a root, one child is added even if the budget is used
 * up, so that there is an action to choose. */
static bool roll_out(rollout_iw *w) {
  planner *p = &w->p;
  tree *t = &p->tree;
  int32_t at = TREE_ROOT;
  p->base.last.simulations++;
  while (t->count == 1 || !planner_spent(p)) {
    int32_t child;
    int action = draw_action(w, at, &child);
    if (action < 0) {
      label_solved(t, at);
      return true;
    }
    if (child == TREE_NONE) {
      if (p->nodes && t->count > p->nodes) return false;
      child = grow(w, at, action);
      if (child == TREE_NONE) return false;
      p->base.last.expanded++;
    }
    node *n = &t->nodes[child];
    bool first = !n->seen;
    n->seen = 1;
    if (n->over || (int64_t)(n->depth - t->nodes[TREE_ROOT].depth) * p->skip > p->horizon) {
      label_solved(t, child);
      return true;
    }
    /* equal features cannot be new: skip the test until they change, or for STILL_MAX steps */
    if (n->still == 0 || n->still > STILL_MAX) {
      novelty result = test_node(w, child);
      if (!result.earlier && (first || !result.equal)) {
        label_solved(t, child);
        return true;
      }
    }
    at = child;
  }
  return true;
}

static void search(rollout_iw *w) {
  tree *t = &w->p.tree;
  clear_table(w);
  for (int32_t i = 0; i < t->count; i++) t->nodes[i].seen = t->nodes[i].pruned = 0;
  test_node(w, TREE_ROOT);
  do {
    if (!roll_out(w)) break;
  } while (!t->nodes[TREE_ROOT].pruned && !planner_spent(&w->p));
}

/* ---- Life ------------------------------------------------------------------------------------------------------ */

static void forget(rollout_iw *w) {
  free(w->parent);
  w->parent = w->child = NULL;
  free(w->features);
  w->features = NULL;
  w->used = w->capacity = 0;
  w->has_background = false;
}

static void reset(sixer_agent *agent) {
  forget((rollout_iw *)agent);
  planner_reset(agent);
}

static void destroy(sixer_agent *agent) {
  rollout_iw *w = (rollout_iw *)agent;
  forget(w);
  free(w->table);
  free(w->touched);
  free(w->fresh);
  free(w->background);
  planner_destroy(agent);
}

static sixer_err create(sixer_agent *agent, sixer_error *error) {
  rollout_iw *w = (rollout_iw *)agent;
  planner *p = &w->p;
  p->jobs = 1;
  p->picture = p->atoms == ATOMS_SCREEN;
  w->table_size = p->picture ? PROST_COUNT : RAM_SIZE * 256;
  w->table = malloc(w->table_size * sizeof *w->table);
  w->fresh = malloc(PROST_BASIC * sizeof *w->fresh);
  w->background = malloc(PROST_PIXELS);
  if (!w->table || !w->fresh || !w->background)
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for the table of features");
  w->touched_all = true;
  sixer_err err = planner_check(agent, error);
  p->part = 0.5; /* the other half of the memory is for features */
  return err;
}

/* Give the root its features if it was not reused. A state has no picture, so the screen is taken from the env. */
static sixer_err prepare(rollout_iw *w, sixer_env *env, sixer_error *error) {
  planner *p = &w->p;
  free(w->parent);
  w->parent = malloc(2 * p->tree.size);
  if (!w->parent) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a search");
  w->child = w->parent + p->tree.size;
  if (p->picture && !w->has_background) find_background(w);
  if (p->base.last.reused) {
    compact_features(w);
    return SIXER_OK;
  }
  int count;
  if (p->picture) {
    const uint8_t *screen = sixer_env_screen(env);
    count = screen ? prost_basic(screen, sixer_env_height(env), w->background, w->fresh) : 0;
  } else {
    count = look(w, p->here);
  }
  w->used = 0;
  if (!keep_features(w, TREE_ROOT, count))
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for features");
  return SIXER_OK;
}

static sixer_err act(sixer_agent *agent, sixer_env *env, sixer_list actions, int *action,
                     sixer_error *error) {
  rollout_iw *w = (rollout_iw *)agent;
  planner *p = &w->p;
  if (p->picture && !sixer_env_config(env)->picture)
    return sixer_fail(
        error, SIXER_ERR_PICTURE,
        "%s plans on the screen and the env draws none: turn config.picture on, or set atoms=ram",
        agent->class->name);
  sixer_err err = planner_begin(p, env, actions, error);
  if (!err) err = prepare(w, env, error);
  if (err) return err;
  search(w);
  tree_backup(&p->tree, p->discount);
  err = planner_end(p, planner_best_child(p), action);
  p->base.last.memory += (int64_t)(w->capacity * sizeof *w->features);
  return err;
}

static sixer_err save(const sixer_agent *agent, sections_writer *out, sixer_error *error) {
  const rollout_iw *w = (const rollout_iw *)agent;
  sections_put(out, &w->has_background, sizeof w->has_background);
  if (w->has_background) sections_put(out, w->background, PROST_PIXELS);
  sections_put_u64(out, w->used);
  sections_put_array(out, w->features, w->used);
  return planner_save(agent, out, error);
}

static sixer_err load(sixer_agent *agent, sixer_env *env, sections_reader *in, sixer_error *error) {
  rollout_iw *w = (rollout_iw *)agent;
  uint8_t has;
  sections_get(in, &has, sizeof has);
  if (has == 1) sections_get(in, w->background, PROST_PIXELS);
  const uint64_t used = sections_get_u64(in);
  bool fits = has <= 1 && !sections_failed(in) && used <= sections_left(in) / sizeof *w->features;
  w->used = fits ? (size_t)used : 0;
  w->features = fits ? malloc((w->used + 1) * sizeof *w->features) : NULL;
  w->capacity = w->used;
  if (!w->features) return sixer_fail(error, SIXER_ERR_STATE, "the saved agent is damaged");
  sections_get_array(in, w->features, w->used);
  sixer_err err = planner_load(agent, env, in, error);
  const tree *t = &w->p.tree;
  uint32_t limit = w->p.picture ? PROST_BASIC : RAM_SIZE * 256;
  int32_t last = -1;
  for (int32_t i = 0; !err && i < t->count; i++) {
    int32_t at = t->nodes[i].extra;
    fits = at > last && (size_t)at < w->used && (size_t)at + 1 + w->features[at] <= w->used;
    for (int k = 0; fits && k < w->features[at]; k++) fits = w->features[at + 1 + k] < limit;
    if (!fits) err = sixer_fail(error, SIXER_ERR_STATE, "the saved agent is damaged");
    last = at;
  }
  w->has_background = has;
  return err;
}

const agent_class agent_rollout_iw1 = {
    .name = "rollout-iw1",
    .summary = "plan by width 1 in roll-outs, on the screen or memory (Bandres et al. 2018)",
    .size = sizeof(rollout_iw),
    .options = options,
    .create = create,
    .act = act,
    .reset = reset,
    .save = save,
    .load = load,
    .destroy = destroy};
