/* UCT (Kocsis and Szepesvari 2006) as in Bellemare et al. 2013, algorithms 2 and 3: simulations go down the tree by
 * the upper confidence bound of each action, add one node, and play on at random to the horizon. The most visited
 * action is chosen.
 *
 * Without randomness a node has one state, which is stored. With randomness (sticky actions, for example) a node
 * stands for a sequence of actions: each simulation replays it from the root with its own random numbers ("open
 * loop"), and the node's value is the mean of the returns.
 *
 * With several jobs, up to `window` simulations run at once. Simulation n chooses its leaf when exactly the
 * simulations up to n - window have been counted, no matter which thread is faster, so the result depends on the
 * number of jobs but not on timing. A simulation under way counts as a visit without a return (Liu et al. 2020). One
 * job gives the algorithm of the paper. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "agents/planning/planner.h"
#include "util/rounded.h"

enum {
  IDLE_MAX = 1000,     /* simulations in a row that emulate nothing */
  VISITS_MAX = 1 << 30 /* of a saved node */
};

static const agent_option options[] = {
    PLANNER_OPTIONS("0"),
    PLANNER_JOBS,
    {"simulations", AGENT_INT, PLANNER_OFFSET(simulations), "500", 0, 1e9, NULL,
     "per decision, including those of the reused tree; 0: no limit"},
    PLANNER_HORIZON("300"),
    {"exploration", AGENT_REAL, PLANNER_OFFSET(exploration), "0.1", 0, 1e9, NULL,
     "constant of the upper confidence bound"},
    PLANNER_DISCOUNT("0.999"),
    PLANNER_DUPLICATES("1"),
    {"normalize", AGENT_FLAG, PLANNER_OFFSET(normalize), "1", 0, 1, NULL,
     "divide rewards by the first one of the episode"},
    {NULL, 0, 0, NULL, 0, 0, NULL, NULL}};

/* One simulation. */
typedef struct simulation {
  int32_t leaf;
  bool ready; /* it has run and waits to be counted */
  /* steps made inside the tree: fewer than the leaf's depth if the episode ended before */
  int steps;
  /* with randomness: the actions from the root to the leaf; each is replaced by its reward when it is played */
  int32_t *trail;
  double rest;   /* discounted rewards of the random part, after the leaf */
  int32_t first; /* magnitude of the first reward; 0: none */
  int64_t frames;
  uint64_t rng;
} simulation;

typedef struct uct {
  planner p;
  double scale; /* magnitude of the first reward in this episode; 0: none yet */

  /* this decision */
  pthread_mutex_t lock;
  pthread_cond_t moved;
  simulation *ring;
  int32_t *trails; /* memory of simulation.trail, for the whole ring */
  int window, max_steps;
  int64_t next, applied;
  int idle;
  bool stop;
} uct;

/* ---- Going down ------------------------------------------------------------------------------------------------ */

static int32_t visits_of(const node *n) { return n->visits + n->extra; }

/* The child with the highest upper confidence bound; ties are broken at random. */
static int32_t best_bound(uct *u, int32_t index) {
  const node *nodes = u->p.tree.nodes, *n = &nodes[index];
  double scale = u->p.normalize && u->scale > 0 ? u->scale : 1, best = 0;
  double parent = rounded_log((double)visits_of(n));
  int32_t choice = TREE_NONE;
  int ties = 0;
  for (int32_t c = n->child; c != TREE_NONE; c = nodes[c].sibling) {
    double bound =
        nodes[c].value / scale + u->p.exploration * sqrt(parent / (double)visits_of(&nodes[c]));
    if (choice == TREE_NONE || bound > best) {
      choice = c, best = bound, ties = 1;
    } else if (bound == best && agent_below(&u->p.base.rng, ++ties) == 0) {
      choice = c;
    }
  }
  return choice;
}

/* Draw an action that was never taken at a node and return its index; -1 if there is none. With randomness, nodes are
 * added before a simulation reaches them: a child without a visit counts as never taken, and *child is set to it. */
static int fresh_action(uct *u, int32_t index, int32_t *child) {
  const tree *t = &u->p.tree;
  uint32_t untried = ~t->nodes[index].tried & ((1u << t->action_count) - 1);
  int count = __builtin_popcount(untried), unreached = 0;
  for (int32_t c = t->nodes[index].child; c != TREE_NONE; c = t->nodes[c].sibling)
    unreached += visits_of(&t->nodes[c]) == 0;
  *child = TREE_NONE;
  if (count + unreached == 0) return -1;
  int pick = agent_below(&u->p.base.rng, count + unreached);
  if (pick < count) {
    while (pick--) untried &= untried - 1;
    return __builtin_ctz(untried);
  }
  pick -= count;
  for (int32_t c = t->nodes[index].child; c != TREE_NONE; c = t->nodes[c].sibling) {
    if (visits_of(&t->nodes[c]) == 0 && pick-- == 0) return *child = c, (int)t->nodes[c].action;
  }
  return -1;
}

static bool too_deep(const uct *u, int32_t index) {
  const node *nodes = u->p.tree.nodes;
  return (int64_t)(nodes[index].depth - nodes[TREE_ROOT].depth) * u->p.skip >= u->p.horizon;
}

/* Emulate an action at a node for the first time and add a child; the model is left in the child's state. Returns
 * TREE_NONE if a sibling has the same state, and the node itself if the tree is full. */
static int32_t grow(uct *u, int32_t index, int action, model *m, simulation *s) {
  planner *p = &u->p;
  tree *t = &p->tree;
  uint8_t *parent = t->scratch + t->size, *state = t->scratch + 2 * t->size;
  tree_state(t, index, m, parent, &p->replayed);
  model_load(m, parent);
  outcome o = model_step(m, t->actions[action]);
  s->frames += o.frames;
  if (o.reward && !s->first) s->first = abs(o.reward);
  int32_t child = tree_add(t, index, action, o);
  if (child == TREE_NONE) {
    model_load(m, parent); /* the tree is full: the random part begins at the parent */
    return index;
  }
  model_take(m, m->env, state);
  tree_keep(t, child, state, parent);
  if (p->duplicates && tree_same_sibling(t, child, state, m, &p->replayed) != TREE_NONE) {
    tree_remove_last(t);
    return TREE_NONE;
  }
  return child;
}

/* Choose where the next simulation leaves the tree, and add a node there. */
static void select_leaf(uct *u, model *m, simulation *s) {
  tree *t = &u->p.tree;
  bool random = m->random;
  *s = (simulation){.trail = s->trail, .rng = agent_draw(&u->p.base.rng)};
  int32_t at = TREE_ROOT, unreached;
  bool loaded = false;
  while (!too_deep(u, at) && !(t->nodes[at].over && !random)) {
    int action = fresh_action(u, at, &unreached);
    if (unreached != TREE_NONE) {
      at = unreached;
      break;
    }
    if (action >= 0 && random) {
      int32_t child = tree_add(t, at, action, (outcome){0, (uint16_t)u->p.skip, false});
      if (child != TREE_NONE) at = child;
      break;
    }
    if (action >= 0) {
      int32_t child = grow(u, at, action, m, s);
      if (child == TREE_NONE) {
        at = TREE_ROOT; /* a duplicate: begin again */
        continue;
      }
      loaded = true;
      at = child;
      break;
    }
    at = best_bound(u, at);
  }
  s->leaf = at;
  s->steps = t->nodes[at].depth - t->nodes[TREE_ROOT].depth;
  if (!random && !loaded && !t->nodes[at].over && !too_deep(u, at)) {
    /* no node was added because the tree is full: the random part begins here */
    tree_state(t, at, m, t->scratch, &u->p.replayed);
    model_load(m, t->scratch);
  }
  if (random) {
    /* the actions from the root, for roll_out() */
    for (int32_t i = at; i != TREE_ROOT; i = t->nodes[i].parent)
      s->trail[t->nodes[i].depth - t->nodes[TREE_ROOT].depth - 1] = t->actions[t->nodes[i].action];
  }
  for (int32_t i = at; i != TREE_NONE; i = t->nodes[i].parent) t->nodes[i].extra++;
}

/* ---- Playing on ------------------------------------------------------------------------------------------------ */

/* One step of a simulation; true if the episode goes on. */
static bool play(model *m, simulation *s, int action, int32_t *reward) {
  if (m->random) model_seed(m, agent_draw(&s->rng));
  outcome o = model_step(m, action);
  s->frames += o.frames;
  if (o.reward && !s->first) s->first = abs(o.reward);
  *reward = o.reward;
  return !o.over;
}

/* Play at random from the leaf to the horizon; with randomness, replay the actions down to the leaf first. Runs without
 * the lock, so it reads nothing of the tree that changes. */
static void roll_out(const uct *u, model *m, simulation *s, int32_t depth, bool over) {
  const tree *t = &u->p.tree;
  int64_t left = u->p.horizon - (int64_t)depth * u->p.skip;
  double weight = 1;
  if (m->random) {
    int steps = s->steps;
    model_load(m, u->p.here);
    for (s->steps = 0; s->steps < steps && !over;) {
      int action = s->trail[s->steps];
      over = !play(m, s, action, &s->trail[s->steps]);
      s->steps++;
    }
  }
  for (; left > 0 && !over; left -= u->p.skip) {
    int32_t reward;
    over = !play(m, s, t->actions[agent_below(&s->rng, t->action_count)], &reward);
    s->rest += weight * reward;
    weight *= u->p.discount;
  }
}

/* ---- Counting -------------------------------------------------------------------------------------------------- */

static void apply(uct *u, simulation *s) {
  tree *t = &u->p.tree;
  const bool random = u->p.models[0].random;
  int32_t root_depth = t->nodes[TREE_ROOT].depth;
  double result = s->rest;
  for (int32_t i = s->leaf; i != TREE_NONE; i = t->nodes[i].parent) {
    node *n = &t->nodes[i];
    int depth = n->depth - root_depth;
    n->extra--;
    if (depth > s->steps) continue; /* the episode ended before */
    result += random ? (depth ? s->trail[depth - 1] : 0) : n->reward;
    n->value = n->value * n->visits / (n->visits + 1) + result / (n->visits + 1);
    n->visits++;
    result *= u->p.discount;
  }
  if (s->first && u->scale == 0) u->scale = s->first;
  u->p.used += s->frames;
  u->idle = s->frames ? 0 : u->idle + 1;
  u->p.base.last.simulations++;
}

static bool finished(const uct *u) {
  int64_t visits = u->p.tree.nodes[TREE_ROOT].visits + (u->next - u->applied);
  if (u->p.simulations && visits >= u->p.simulations) return true;
  if (!u->p.simulations && u->idle >= IDLE_MAX) return true;
  return u->next > 0 && planner_spent(&u->p);
}

static void work(void *context, int index, int worker) {
  uct *u = context;
  model *m = &u->p.models[worker];
  (void)index;
  pthread_mutex_lock(&u->lock);
  for (;;) {
    while (!u->stop && u->next >= u->window && !u->ring[u->next % u->window].ready)
      pthread_cond_wait(&u->moved, &u->lock);
    if (u->stop) break;
    simulation *s = &u->ring[u->next % u->window];
    if (u->next >= u->window) {
      apply(u, s);
      u->applied++;
      s->ready = false;
    }
    if (finished(u)) {
      u->stop = true;
      pthread_cond_broadcast(&u->moved);
      break;
    }
    u->next++;
    select_leaf(u, m, s);
    const node *leaf = &u->p.tree.nodes[s->leaf];
    int32_t depth = leaf->depth - u->p.tree.nodes[TREE_ROOT].depth;
    bool over = leaf->over;
    pthread_mutex_unlock(&u->lock);
    roll_out(u, m, s, depth, over);
    pthread_mutex_lock(&u->lock);
    s->ready = true;
    pthread_cond_broadcast(&u->moved);
  }
  pthread_mutex_unlock(&u->lock);
}

/* The most visited child of the root; ties are broken at random. */
static int32_t most_visited(uct *u) {
  const node *nodes = u->p.tree.nodes;
  int32_t best = TREE_NONE;
  int ties = 0;
  for (int32_t c = nodes[TREE_ROOT].child; c != TREE_NONE; c = nodes[c].sibling) {
    if (best == TREE_NONE || nodes[c].visits > nodes[best].visits)
      best = c, ties = 1;
    else if (nodes[c].visits == nodes[best].visits && agent_below(&u->p.base.rng, ++ties) == 0)
      best = c;
  }
  return best;
}

static bool prepare(uct *u) {
  planner *p = &u->p;
  int max_steps = (int)((p->horizon + p->skip - 1) / p->skip) + 1;
  if (u->ring && u->max_steps == max_steps) return true;
  free(u->ring);
  free(u->trails);
  u->window = p->jobs == 1 ? 1 : 2 * (int)p->jobs;
  u->max_steps = max_steps;
  u->ring = calloc((size_t)u->window, sizeof *u->ring);
  u->trails = calloc((size_t)u->window * (size_t)u->max_steps, sizeof *u->trails);
  if (!u->ring || !u->trails) return false;
  for (int i = 0; i < u->window; i++)
    u->ring[i].trail = u->trails + (size_t)i * (size_t)u->max_steps;
  return true;
}

static sixer_err act(sixer_agent *agent, sixer_env *env, sixer_list actions, int *action,
                     sixer_error *error) {
  uct *u = (uct *)agent;
  planner *p = &u->p;
  sixer_err err = planner_begin(p, env, actions, error);
  if (err) return err;
  if (!prepare(u)) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a search");
  u->next = u->applied = 0;
  u->idle = 0;
  u->stop = false;
  for (int i = 0; i < u->window; i++) u->ring[i].ready = false;
  pool_run(p->pool, work, u, (int)p->jobs);
  for (; u->applied < u->next; u->applied++) apply(u, &u->ring[u->applied % u->window]);
  return planner_end(p, most_visited(u), action);
}

static void forget(uct *u) {
  free(u->ring);
  free(u->trails);
  u->ring = NULL;
  u->trails = NULL;
  u->scale = 0;
}

static sixer_err create(sixer_agent *agent, sixer_error *error) {
  uct *u = (uct *)agent;
  pthread_mutex_init(&u->lock, NULL);
  pthread_cond_init(&u->moved, NULL);
  return planner_check(agent, error);
}

static void reset(sixer_agent *agent) {
  forget((uct *)agent);
  planner_reset(agent);
}

static void destroy(sixer_agent *agent) {
  uct *u = (uct *)agent;
  forget(u);
  planner_destroy(agent);
  pthread_mutex_destroy(&u->lock);
  pthread_cond_destroy(&u->moved);
}

static sixer_err save(const sixer_agent *agent, sections_writer *out, sixer_error *error) {
  const uct *u = (const uct *)agent;
  sections_put_f64(out, u->scale);
  return planner_save(agent, out, error);
}

static sixer_err load(sixer_agent *agent, sixer_env *env, sections_reader *in, sixer_error *error) {
  uct *u = (uct *)agent;
  sixer_err err;
  u->scale = sections_get_f64(in);
  err = planner_load(agent, env, in, error);
  const tree *t = &u->p.tree;
  for (int32_t i = 0; !err && i < t->count; i++) {
    /* nothing is on its way between decisions */
    if (t->nodes[i].extra != 0 || t->nodes[i].visits < 0 || t->nodes[i].visits > VISITS_MAX)
      err = sixer_fail(error, SIXER_ERR_STATE, "the saved agent is damaged");
  }
  return err;
}

const agent_class agent_uct = {.name = "uct",
                               .summary = "plan by Monte-Carlo tree search (Bellemare et al. 2013)",
                               .size = sizeof(uct),
                               .options = options,
                               .create = create,
                               .act = act,
                               .reset = reset,
                               .save = save,
                               .load = load,
                               .destroy = destroy};
