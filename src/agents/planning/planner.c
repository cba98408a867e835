/* The parts that all planners share: see planner.h. */
#include "agents/planning/planner.h"

#include <stdlib.h>
#include <string.h>

#include "env/state.h"

sixer_err planner_check(sixer_agent *agent, sixer_error *error) {
  planner *p = (planner *)agent;
  p->chosen = TREE_NONE;
  p->share = 1.0 / 3;
  p->part = 1;
  if (!p->frames && !p->seconds && !p->simulations) {
    return sixer_fail(
        error, SIXER_ERR_ARGUMENT, "%s has no budget: give it frames, seconds%s per decision",
        agent->class->name, strcmp(agent->class->name, "uct") ? "" : " or simulations");
  }
  return SIXER_OK;
}

/* Free everything that belongs to the env that was played. */
static void leave(planner *p) {
  for (int i = 0; p->models && i < p->jobs; i++) model_destroy(&p->models[i]);
  free(p->models);
  p->models = NULL;
  free(p->here);
  p->here = NULL;
  tree_destroy(&p->tree);
  p->chosen = TREE_NONE;
  p->ready = false;
}

void planner_destroy(sixer_agent *agent) {
  planner *p = (planner *)agent;
  leave(p);
  pool_destroy(p->pool);
  p->pool = NULL;
}

void planner_reset(sixer_agent *agent) {
  planner *p = (planner *)agent;
  leave(p);
  p->step = 0;
}

/* Create the models, threads and tree for an env. */
static sixer_err meet(planner *p, const sixer_env *env, sixer_error *error) {
  const sixer_config *config = sixer_env_config(env);
  sixer_err err = SIXER_OK;
  p->skip =
      config->frame_skip_max > config->frame_skip ? config->frame_skip_max : config->frame_skip;
  p->models = calloc((size_t)p->jobs, sizeof *p->models);
  if (!p->models) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for models");
  for (int i = 0; !err && i < p->jobs; i++)
    err = model_create(&p->models[i], env, p->base.player, p->picture, error);
  if (err) return err;
  if (!p->pool) p->pool = pool_create((int)p->jobs, 0, -1);
  if (!p->pool)
    return sixer_fail(error, SIXER_ERR_MEMORY, "%d threads could not be started; try fewer jobs",
                      (int)p->jobs);
  p->here = calloc(1, p->models[0].size + 1);
  if (!p->here ||
      !tree_create(&p->tree, (size_t)(p->memory * p->part * 1048576), p->share, p->models[0].size))
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a search tree");
  p->ready = true;
  return SIXER_OK;
}

/* The form of a node in a file, by what its union holds. */
static const little_run *node_form(const planner *p) {
  static const little_run paths[] = {{4, 6}, {8, 2}, {4, 1}, {2, 2}, {0, 0}};
  static const little_run visits[] = {{4, 6}, {8, 1}, {4, 3}, {2, 2}, {0, 0}};
  return p->has_paths ? paths : visits;
}

sixer_err planner_save(const sixer_agent *agent, sections_writer *out, sixer_error *error) {
  const planner *p = (const planner *)agent;
  const tree *t = &p->tree;
  (void)error;
  sections_put(out, &p->ready, sizeof p->ready);
  sections_put_array(out, &p->step, 1);
  sections_put_array(out, &p->chosen, 1);
  if (!p->ready) return SIXER_OK;
  sections_put_u64(out, t->size);
  sections_put_array(out, t->actions, SIXER_ACTION_COUNT);
  sections_put_array(out, &t->action_count, 1);
  sections_put_array(out, &t->count, 1);
  sections_put_u64(out, t->states.used);
  sections_put_structs(out, t->nodes, (size_t)t->count, sizeof *t->nodes, node_form(p));
  sections_put(out, t->states.data, t->states.used);
  return SIXER_OK;
}

static sixer_err damaged(sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_STATE, "the saved agent is damaged, or of another game");
}

sixer_err planner_load(sixer_agent *agent, sixer_env *env, sections_reader *in,
                       sixer_error *error) {
  planner *p = (planner *)agent;
  tree *t = &p->tree;
  uint8_t ready;
  int32_t chosen;
  sections_get(in, &ready, sizeof ready);
  sections_get_array(in, &p->step, 1);
  sections_get_array(in, &chosen, 1);
  if (ready > 1 || p->step < 0 || p->step > TREE_DEPTH_MAX) return damaged(error);
  if (!ready) return SIXER_OK;
  if (env->seated)
    return sixer_fail(
        error, SIXER_ERR_STATE,
        "a planner in a game for several players cannot be loaded: its tree is of the "
        "past game");
  sixer_err err = meet(p, env, error);
  if (err) return err;
  int32_t count;
  const uint64_t size = sections_get_u64(in);
  sections_get_array(in, t->actions, SIXER_ACTION_COUNT);
  sections_get_array(in, &t->action_count, 1);
  sections_get_array(in, &count, 1);
  const uint64_t used = sections_get_u64(in);
  bool fits = !sections_failed(in) && size == t->size && t->action_count >= 1 &&
              t->action_count <= SIXER_ACTION_COUNT && count >= 1 &&
              (size_t)count <= sections_left(in) / sizeof(node) && used <= sections_left(in) &&
              chosen < count && chosen >= TREE_NONE;
  for (int i = 0; fits && i < t->action_count; i++)
    fits = t->actions[i] >= 0 && t->actions[i] < SIXER_ACTION_COUNT;
  if (!fits) return damaged(error);
  if (!tree_reserve(t, count, (size_t)used))
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a search tree");
  t->count = count;
  t->states.used = (size_t)used;
  sections_get_structs(in, t->nodes, (size_t)count, sizeof *t->nodes, node_form(p));
  sections_get(in, t->states.data, (size_t)used);
  fits = !sections_failed(in) && tree_fits(t);
  for (int32_t i = 0; fits && i < count; i++) {
    int64_t replayed = 0;
    if (!t->nodes[i].kept) continue;
    tree_state(t, i, &p->models[0], t->scratch, &replayed);
    fits = env_snapshot_fits(p->models[0].env, t->scratch);
  }
  if (!fits || (chosen != TREE_NONE && t->nodes[chosen].parent != TREE_ROOT)) return damaged(error);
  p->chosen = chosen;
  return SIXER_OK;
}

/* Make the env's state the root. If it is the state of the child that was chosen last, that child becomes the root and
 * its subtree is kept. */
static bool set_root(planner *p, sixer_list actions) {
  tree *t = &p->tree;
  bool same = t->action_count == actions.count &&
              !memcmp(t->actions, actions.items, (size_t)actions.count * sizeof(int));
  /* with randomness, a subtree is a sample of what may happen: not reused */
  if (same && p->reuse && p->chosen != TREE_NONE && !p->models[0].random) {
    uint8_t *expected = t->scratch;
    int64_t replayed = 0;
    tree_state(t, p->chosen, &p->models[0], expected, &replayed);
    p->replayed += replayed;
    if (!memcmp(expected, p->here, t->size)) {
      tree_reroot(t, p->chosen, p->here);
      return true;
    }
  }
  t->action_count = actions.count;
  memcpy(t->actions, actions.items, (size_t)actions.count * sizeof(int));
  return tree_start(t, p->here, p->step);
}

sixer_err planner_begin(planner *p, sixer_env *env, sixer_list actions, sixer_error *error) {
  p->began = model_clock();
  if (p->ready && !model_fits(&p->models[0], env)) leave(p);
  if (!p->ready) {
    sixer_err err = meet(p, env, error);
    if (err) {
      leave(p);
      return err;
    }
  }
  int64_t least = (int64_t)p->skip * actions.count;
  if (p->frames && p->frames < least && !p->simulations)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "a budget of %lld frames is below one expansion: %d actions of %d frames",
                      (long long)p->frames, actions.count, p->skip);
  for (int i = 0; i < p->jobs; i++) p->models[i].frames = 0, p->models[i].seconds = 0;
  p->used = p->replayed = 0;
  model_take(&p->models[0], env, p->here);
  if (!set_root(p, actions))
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a search tree");
  p->tree.seed = agent_draw(&p->base.rng);
  p->base.last.reused = p->tree.count - 1;
  return SIXER_OK;
}

bool planner_spent(const planner *p) {
  return (p->frames && p->used >= p->frames) ||
         (p->seconds > 0 && model_clock() - p->began >= p->seconds);
}

int32_t planner_best_child(planner *p) {
  const tree *t = &p->tree;
  const node *nodes = t->nodes;
  int32_t best = TREE_NONE;
  int ties = 0;
  for (int32_t c = nodes[TREE_ROOT].child; c != TREE_NONE; c = nodes[c].sibling) {
    bool better = best == TREE_NONE || nodes[c].value > nodes[best].value ||
                  (nodes[c].value == nodes[best].value && nodes[best].over && !nodes[c].over);
    if (better)
      best = c, ties = 1;
    else if (nodes[c].value == nodes[best].value && nodes[c].over == nodes[best].over)
      ties++;
  }
  if (ties < 2) return best;
  int pick = agent_below(&p->base.rng, ties);
  double value = nodes[best].value;
  bool over = nodes[best].over;
  for (int32_t c = nodes[TREE_ROOT].child; c != TREE_NONE; c = nodes[c].sibling) {
    if (nodes[c].value == value && nodes[c].over == over && pick-- == 0) return c;
  }
  return best;
}

sixer_err planner_end(planner *p, int32_t child, int *action) {
  const tree *t = &p->tree;
  sixer_agent_stats *s = &p->base.last;
  p->chosen = child;
  p->step++;
  *action = t->actions[child == TREE_NONE ? 0 : (int)t->nodes[child].action];
  for (int i = 0; i < p->jobs; i++) {
    s->frames += p->models[i].frames;
    s->emulation += p->models[i].seconds;
  }
  s->replayed = p->replayed;
  s->nodes = t->count - 1;
  s->memory = (int64_t)tree_memory(t);
  s->depth = tree_depth(t);
  s->value = child == TREE_NONE ? 0 : t->nodes[child].value;
  s->limited = t->limited;
  s->seconds = model_clock() - p->began;
  return SIXER_OK;
}

/* ---- Looking at it --------------------------------------------------------------------------------------------- */

int sixer_agent_tree(const sixer_agent *agent, sixer_tree_node *nodes, int max) {
  const planner *p = (const planner *)agent;
  const agent_class *const planners[] = {&agent_full_tree, &agent_uct,  &agent_iw1,
                                         &agent_p_iw1,     &agent_2bfs, &agent_rollout_iw1};
  bool plans = false;
  for (size_t i = 0; i < sizeof planners / sizeof *planners; i++)
    plans |= agent->class == planners[i];
  if (!plans || !p->ready) return 0;
  const tree *t = &p->tree;
  const bool visits = agent->class == &agent_uct || agent->class == &agent_rollout_iw1;
  for (int i = 0; i < t->count && i < max; i++) {
    const node *n = &t->nodes[i];
    nodes[i] = (sixer_tree_node){.parent = n->parent,
                                 .action = t->actions[i ? (int)n->action : 0],
                                 .depth = n->depth - t->nodes[TREE_ROOT].depth,
                                 .visits = visits ? n->visits : 0,
                                 .reward = n->reward,
                                 .over = n->over,
                                 .value = n->value};
  }
  return t->count;
}
