/* Learners with networks as sections of a checkpoint:
 *
 *     agent.state           actions, counters, the state before which the agent stands
 *     agent.stack           the frames of that state
 *     agent.tensors         names and shapes of the network's tensors, as text
 *     agent.online          parameters, 32-bit floats in the order of agent.tensors
 *     agent.target          those of the target network
 *     agent.moment1, 2      the optimizer's means of gradients and of their squares
 *     agent.replay...       the replay memory (replay.h)
 *
 * PQN has neither target network nor memory. A run may leave the memory out; it is then filled again.
 * An agent that is evaluated stores no target, moments and memory, and one that only plays does not read them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/deep/learner.h"
#include "util/error.h"

enum { LAYOUT = 1, TENSORS_TEXT = 8192 };

static sixer_err out_of_memory(sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a checkpoint");
}

static size_t parameters(const deep *d) { return nn_parameters(nn_net_spec(d->net), NULL, NULL); }

/* "conv1.weight 32 4 8 8\n..." */
static void print_tensors(const deep *d, char *text, size_t size) {
  nn_tensor table[NN_MAX_TENSORS];
  int count = 0;
  size_t at = 0;
  nn_parameters(nn_net_spec(d->net), table, &count);
  for (int i = 0; i < count; i++) {
    at += (size_t)snprintf(text + at, size - at, "%s", table[i].name);
    for (int k = 0; k < table[i].dims; k++)
      at += (size_t)snprintf(text + at, size - at, " %d", table[i].shape[k]);
    at += (size_t)snprintf(text + at, size - at, "\n");
  }
}

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

static sixer_err put_block(const deep *d, const char *name, const float *block, float *buffer,
                           sections_writer *out, sixer_error *error) {
  size_t count = parameters(d);
  nn_export(d->net, block, buffer);
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(buffer[i]))
      return sixer_fail(error, SIXER_ERR_DIVERGED,
                        "learning has diverged before step %lld: number %zu of %s is %g; a smaller "
                        "rate may help",
                        (long long)d->steps, i, name, (double)buffer[i]);
  }
  sections_begin(out, name);
  sections_put_array(out, buffer, count);
  return SIXER_OK;
}

static void put_state(const deep *d, bool learns, sections_writer *out) {
  sections_put_u64(out, LAYOUT);
  sections_put_u64(out, d->bound);
  if (!d->bound) return;
  sections_put_u64(out, learns);
  sections_put_u64(out, (uint64_t)d->action_count);
  for (int a = 0; a < d->action_count; a++) sections_put_i64(out, d->actions[a]);
  const int64_t numbers[] = {d->steps,
                             d->updates,
                             d->played,
                             d->first,
                             d->seen,
                             d->chosen,
                             d->chosen ? d->lane : 0,
                             d->seen ? d->seen_frames : 0,
                             d->seen ? d->seen_episode_frames : 0};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) sections_put_i64(out, numbers[i]);
  sections_put_f64(out, d->loss);
  sections_put_f64(out, d->value);
  sections_put_f64(out, d->last_epsilon);
  sections_put_u64(out, learns ? d->optimizer.steps : 0);
  sections_put_f64(out, learns ? d->optimizer.beta1_power : 0);
  sections_put_f64(out, learns ? d->optimizer.beta2_power : 0);
}

sixer_err deep_save(const sixer_agent *agent, sections_writer *out, sixer_error *error) {
  const deep *d = (const deep *)agent;
  bool learns = d->optimizer.first && !agent->evaluating;
  put_state(d, learns, out);
  if (!d->bound) return SIXER_OK;
  float *buffer = malloc(parameters(d) * sizeof *buffer);
  char *text = calloc(1, TENSORS_TEXT);
  sixer_err err = buffer && text ? SIXER_OK : out_of_memory(error);
  if (!err) {
    sections_begin(out, "agent.stack");
    sections_put(out, d->stack, (size_t)(DEEP_STACK * d->o.size * d->o.size));
    print_tensors(d, text, TENSORS_TEXT);
    sections_begin(out, "agent.tensors");
    sections_put_text(out, text);
    err = put_block(d, "agent.online", d->online, buffer, out, error);
  }
  if (!err && learns && d->target)
    err = put_block(d, "agent.target", d->target, buffer, out, error);
  if (!err && learns) err = put_block(d, "agent.moment1", d->optimizer.first, buffer, out, error);
  if (!err && learns) err = put_block(d, "agent.moment2", d->optimizer.second, buffer, out, error);
  if (!err && learns && d->replay && !agent->light) replay_save(d->replay, out);
  free(buffer);
  free(text);
  return err;
}

/* ---- Loading --------------------------------------------------------------------------------------------------- */

static sixer_err damaged(sections_reader *in, const char *what, sixer_error *error) {
  const char *reason = sections_reason(in);
  return sixer_fail(error, SIXER_ERR_STATE, "%s of the saved agent is damaged%s%s", what,
                    reason ? ": " : "", reason ? reason : "");
}

static sixer_err get_block(deep *d, const char *name, float *block, float *buffer,
                           sections_reader *in, sixer_error *error) {
  size_t count = parameters(d);
  if (!sections_find(in, name))
    return sixer_fail(error, SIXER_ERR_STATE, "the saved agent has no section %s", name);
  if (sections_left(in) != count * sizeof *buffer)
    return sixer_fail(error, SIXER_ERR_STATE,
                      "the saved network has another shape: %s has %llu bytes, this one %zu", name,
                      (unsigned long long)sections_left(in), count * sizeof *buffer);
  sections_get_array(in, buffer, count);
  const bool squares = block == d->optimizer.second;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(buffer[i]) || (squares && buffer[i] < 0)) return damaged(in, name, error);
  }
  nn_import(d->net, block, buffer);
  return SIXER_OK;
}

static sixer_err check_tensors(const deep *d, sections_reader *in, sixer_error *error) {
  char *saved = calloc(2, TENSORS_TEXT), *ours = saved ? saved + TENSORS_TEXT : NULL;
  if (!saved) return out_of_memory(error);
  print_tensors(d, ours, TENSORS_TEXT);
  if (sections_find(in, "agent.tensors")) sections_get_text(in, saved, TENSORS_TEXT);
  sixer_err err = SIXER_OK;
  if (strcmp(saved, ours) != 0) {
    size_t at = 0; /* of the first line that differs */
    for (size_t i = 0; saved[i] && saved[i] == ours[i]; i++) {
      if (saved[i] == '\n') at = i + 1;
    }
    err = sixer_fail(
        error, SIXER_ERR_STATE, "the saved network has another shape: '%.*s', and this one '%.*s'",
        (int)strcspn(saved + at, "\n"), saved + at, (int)strcspn(ours + at, "\n"), ours + at);
  }
  free(saved);
  return err;
}

static sixer_err get_networks(deep *d, sections_reader *in, bool learns, sixer_error *error) {
  float *buffer = malloc(parameters(d) * sizeof *buffer);
  sixer_err err = buffer ? SIXER_OK : out_of_memory(error);
  if (!err) err = get_block(d, "agent.online", d->online, buffer, in, error);
  if (!err && learns && d->target) err = get_block(d, "agent.target", d->target, buffer, in, error);
  if (!err && learns) err = get_block(d, "agent.moment1", d->optimizer.first, buffer, in, error);
  if (!err && learns) err = get_block(d, "agent.moment2", d->optimizer.second, buffer, in, error);
  free(buffer);
  return err;
}

static sixer_err load_state(deep *d, sections_reader *in, sixer_error *error) {
  uint64_t layout = sections_get_u64(in);
  if (layout != LAYOUT)
    return sixer_fail(error, SIXER_ERR_STATE,
                      "the saved agent is of another version: its layout is %llu, this is %d",
                      (unsigned long long)layout, LAYOUT);
  uint64_t bound = sections_get_u64(in);
  if (!bound) return SIXER_OK; /* it was saved before it was bound to an env */
  uint64_t learns = sections_get_u64(in), count = sections_get_u64(in);
  int actions[SIXER_ACTION_COUNT] = {0};
  bool fits = bound == 1 && learns <= 1 && count >= 1 && count <= SIXER_ACTION_COUNT;
  for (uint64_t a = 0; fits && a < count; a++) {
    int64_t action = sections_get_i64(in);
    fits = action >= 0 && action < SIXER_ACTION_COUNT;
    actions[a] = fits ? (int)action : 0;
  }
  int64_t steps = sections_get_i64(in), updates = sections_get_i64(in);
  int64_t played = sections_get_i64(in), first = sections_get_i64(in), seen = sections_get_i64(in);
  int64_t chosen = sections_get_i64(in), lane = sections_get_i64(in);
  int64_t frames = sections_get_i64(in), episode_frames = sections_get_i64(in);
  double loss = sections_get_f64(in), value = sections_get_f64(in);
  double epsilon = sections_get_f64(in);
  nn_optimizer saved = {.steps = sections_get_u64(in)};
  saved.beta1_power = sections_get_f64(in);
  saved.beta2_power = sections_get_f64(in);
  fits = fits && !sections_failed(in) && !sections_left(in) && steps >= 0 &&
         steps <= AGENT_COUNT_MAX && updates >= 0 && updates <= steps && played >= 0 &&
         played <= AGENT_COUNT_MAX && first >= 0 && first <= 1 && seen >= 0 && seen <= 1 &&
         chosen >= 0 && chosen <= seen && lane >= 0 && (uint64_t)lane < count && frames >= 0 &&
         episode_frames >= 0 && episode_frames <= INT32_MAX && isfinite(loss) && isfinite(value) &&
         epsilon >= 0 && epsilon <= 1 && saved.steps <= (uint64_t)updates &&
         saved.beta1_power >= 0 && saved.beta1_power <= 1 && saved.beta2_power >= 0 &&
         saved.beta2_power <= 1;
  if (!fits) return damaged(in, "the state", error);
  bool wanted = !d->base.evaluating;
  if (wanted && !learns)
    return sixer_fail(error, SIXER_ERR_STATE,
                      "the saved agent can play and not learn: it was saved in an evaluation");
  sixer_err err = deep_bind(d, (sixer_list){actions, (int)count}, error);
  if (!err) err = check_tensors(d, in, error);
  if (!err) err = get_networks(d, in, wanted, error);
  bool remembers = wanted && d->o.memory > 0;
  int64_t refilled = steps;             /* nothing is in the memory, unless it was saved */
  if (!err && remembers && d->slices) { /* its steps are counted apart from those in the memory */
    err = replay_load(d->replay, in, error);
    refilled = 0;
  } else if (!err && remembers && sections_find(in, "agent.replay")) {
    err = replay_load(d->replay, in, error);
    refilled = steps - replay_added(d->replay);
    if (!err && refilled < 0) err = damaged(in, "the memory", error);
  }
  if (err) return err;
  if (!sections_find(in, "agent.stack") ||
      sections_left(in) != (uint64_t)(DEEP_STACK * d->o.size * d->o.size))
    return damaged(in, "the stack of frames", error);
  sections_get(in, d->stack, (size_t)(DEEP_STACK * d->o.size * d->o.size));
  if (wanted) {
    d->optimizer.steps = saved.steps;
    d->optimizer.beta1_power = saved.beta1_power;
    d->optimizer.beta2_power = saved.beta2_power;
  }
  d->steps = steps;
  d->refilled = remembers ? refilled : 0;
  d->updates = updates;
  d->played = played;
  /* nothing before its next step is in an empty memory */
  d->first = first || (remembers && refilled == steps && steps > 0);
  d->seen = seen;
  d->chosen = chosen;
  d->lane = (int)lane;
  d->seen_frames = frames;
  d->seen_episode_frames = (int)episode_frames;
  d->loss = loss;
  d->value = value;
  d->last_epsilon = epsilon;
  return SIXER_OK;
}

sixer_err deep_load(sixer_agent *agent, sixer_env *env, sections_reader *in, sixer_error *error) {
  (void)env;
  deep *d = (deep *)agent;
  deep_unlearn(d);
  sixer_err err = load_state(d, in, error);
  if (err) deep_unlearn(d);
  return err;
}
