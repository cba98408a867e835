/* Training runs of learners that play many environments at once: the loop, and its part of a checkpoint.
 *
 * The vector takes the place of the run's single env until training is over; episodes without learning are played by
 * the single env. All environments play all the time. Episodes are rows in the order of their ends, and if several end
 * in one step, of the environments. A frame counts for the run when it is played, whichever environment played it, and
 * the budget is looked at when the learner has finished an update. Checkpoints are made then, too: asked for one in
 * between, the run first goes on until then. */
#include <stdlib.h>
#include <string.h>

#include "agents/agent.h"
#include "agents/train_parts.h"
#include "util/error.h"

/* The episode that an env is playing. */
typedef struct vector_episode {
  sixer_tally tally;
  int64_t steps;
} vector_episode;

struct train_vector {
  const agent_vector *hooks;
  int count;
  sixer_vec *vec;
  vector_episode *episodes;
  /* of the last step */
  int32_t *lanes, *raw_rewards, *levels;
  int64_t *frames, *frames_before;
  uint8_t *terminated, *ends, *over, *learned_ends;
  /* frames and episodes of the run when the learner last rested, and the time before that */
  int64_t rest_frames[2], rest_episodes[2];
  bool begun; /* the observations of the envs are where the learner wants them */
};

static sixer_err out_of_memory(sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a vector of environments");
}

/* ---- Creation -------------------------------------------------------------------------------------------------- */

static sixer_vec_config vector_config(const sixer_train *t, int *count) {
  sixer_vec_config config = sixer_vec_config_default();
  *count = t->agent->class->vector->describe(t->agent, &config);
  config.env = t->config;
  config.env.end_on_life_loss = false;
  config.env.noop_starts = 0;
  /* 0..noop_starts no-ops, as in a single env */
  config.noop_max = t->config.noop_starts > 0 ? t->config.noop_starts + 1 : 0;
  config.fire_start = false;
  config.clip_rewards = false;
  config.actions = t->info.minimal_actions ? SIXER_ACTIONS_MINIMAL : SIXER_ACTIONS_LEGAL;
  config.life_loss = t->info.life_loss == SIXER_LIFE_TERMINAL               ? SIXER_LIFE_LOSS_END
                     : t->info.life_loss == SIXER_LIFE_TERMINAL_IN_TRAINING ? SIXER_LIFE_LOSS_INFO
                                                                            : SIXER_LIFE_LOSS_PLAIN;
  config.autoreset = SIXER_AUTORESET_OFF;
  config.threads = t->agent->threads < *count ? t->agent->threads : *count;
  return config;
}

static bool make_arrays(train_vector *v) {
  size_t n = (size_t)v->count;
  v->episodes = calloc(n, sizeof *v->episodes);
  v->lanes = calloc(3 * n, sizeof *v->lanes);
  v->frames = calloc(2 * n, sizeof *v->frames);
  v->terminated = calloc(4 * n, 1);
  if (!v->episodes || !v->lanes || !v->frames || !v->terminated) return false;
  v->raw_rewards = v->lanes + n;
  v->levels = v->raw_rewards + n;
  v->frames_before = v->frames + n;
  v->ends = v->terminated + n;
  v->over = v->ends + n;
  v->learned_ends = v->over + n;
  return true;
}

sixer_err train_vector_create(sixer_train *t, sixer_error *error) {
  train_vector *v = calloc(1, sizeof *v);
  if (!v) return out_of_memory(error);
  t->vector = v;
  v->hooks = t->agent->class->vector;
  sixer_vec_config config = vector_config(t, &v->count);
  sixer_vec_slot *slots = calloc((size_t)v->count, sizeof *slots);
  sixer_err err = slots && make_arrays(v) ? SIXER_OK : out_of_memory(error);
  for (int i = 0; i < v->count && !err; i++) {
    slots[i] = (sixer_vec_slot){t->rom, sixer_env_status(t->env).mode, t->config.difficulty};
    sixer_tally_begin(&v->episodes[i].tally, t->info.limits, t->info.limit_count);
  }
  if (!err) err = sixer_vec_create(slots, v->count, &config, &v->vec, error);
  free(slots);
  return err ? err : v->hooks->bind(t->agent, t->actions, error);
}

void train_vector_destroy(train_vector *v) {
  if (!v) return;
  sixer_vec_destroy(v->vec);
  free(v->episodes);
  free(v->lanes);
  free(v->frames);
  free(v->terminated);
  free(v);
}

bool train_vector_resting(const sixer_train *t) { return t->vector->hooks->resting(t->agent); }

bool train_vector_within(const sixer_train *t) {
  const train_vector *v = t->vector;
  return (!t->frames_budget || v->rest_frames[1] < t->frames_budget) &&
         (!t->episodes_budget || v->rest_episodes[1] < t->episodes_budget);
}

int train_vector_count(const sixer_train *t) { return t->vector->count; }

/* ---- The loop -------------------------------------------------------------------------------------------------- */

static sixer_vec_out results(train_vector *v, uint8_t *observations) {
  return (sixer_vec_out){.rows = v->count,
                         .obs = observations,
                         .raw_rewards = v->raw_rewards,
                         .terminated = v->terminated,
                         .ends = v->ends,
                         .frames = v->frames,
                         .levels = v->levels};
}

/* Start all envs, each with a seed of its own that no other run has. */
static sixer_err begin(sixer_train *t, sixer_error *error) {
  train_vector *v = t->vector;
  int64_t *seeds = malloc((size_t)v->count * sizeof *seeds);
  if (!seeds) return out_of_memory(error);
  for (int i = 0; i < v->count; i++)
    seeds[i] = (int64_t)(random_at(t->config.seed, 0, (uint64_t)i) >> 33);
  sixer_vec_out out = results(v, v->hooks->room(t->agent, false));
  sixer_err err = sixer_vec_reset(v->vec, NULL, seeds, &out, error);
  free(seeds);
  memcpy(v->frames_before, v->frames, (size_t)v->count * sizeof *v->frames);
  v->begun = !err;
  return err;
}

/* The episodes that have ended: rows and scores. */
static sixer_err end_episodes(sixer_train *t, sixer_error *error) {
  train_vector *v = t->vector;
  sixer_status status = sixer_env_status(t->env);
  for (int i = 0; i < v->count; i++) {
    if (!v->over[i]) continue;
    status.end = (sixer_end)v->ends[i];
    status.level = v->levels[i];
    int64_t since = t->c.tally.frames; /* played by all envs since the last episode that ended */
    t->c.tally = v->episodes[i].tally;
    t->c.episode_steps = v->episodes[i].steps;
    sixer_err err = train_count_episode(t, since, &status, error);
    if (err) return err;
    sixer_tally_begin(&t->c.tally, t->info.limits, t->info.limit_count);
    t->c.episode_steps = 0;
    v->episodes[i].tally = t->c.tally;
    v->episodes[i].steps = 0;
  }
  return SIXER_OK;
}

static sixer_err play(sixer_train *t, sixer_error *error) {
  train_vector *v = t->vector;
  const size_t n = (size_t)v->count;
  v->hooks->act(t->agent, v->lanes);
  sixer_vec_out out = results(v, v->hooks->room(t->agent, true));
  sixer_err err = sixer_vec_step(v->vec, v->lanes, NULL, &out, error);
  if (err) return err;
  bool any = false;
  for (int i = 0; i < v->count; i++) {
    int frames = (int)(v->frames[i] - v->frames_before[i]);
    v->over[i] = v->ends[i] != SIXER_END_NONE;
    v->learned_ends[i] = v->over[i] || v->terminated[i];
    any = any || v->over[i];
    v->episodes[i].steps++;
    sixer_tally_step(&v->episodes[i].tally, frames, v->raw_rewards[i]);
    t->c.frames += frames;
    t->c.tally.frames += frames;
  }
  t->c.steps += v->count;
  int32_t rewards[4096];
  memcpy(rewards, v->raw_rewards, n * sizeof *rewards);
  if (any) {
    err = end_episodes(t, error);
    /* the states of these envs are the first of their next episodes; their flags and rewards were taken above */
    if (!err) err = sixer_vec_reset(v->vec, v->over, NULL, &out, error);
  }
  memcpy(v->frames_before, v->frames, n * sizeof *v->frames);
  if (!err) v->hooks->learn(t->agent, rewards, v->learned_ends);
  return err;
}

sixer_err train_vector_step(sixer_train *t, sixer_error *error) {
  train_vector *v = t->vector;
  sixer_err err = v->begun ? SIXER_OK : begin(t, error);
  if (err) return err;
  err = v->hooks->updating(t->agent) ? v->hooks->update(t->agent, error) : play(t, error);
  if (!err && train_vector_resting(t)) {
    v->rest_frames[1] = v->rest_frames[0];
    v->rest_episodes[1] = v->rest_episodes[0];
    v->rest_frames[0] = t->c.frames;
    v->rest_episodes[0] = t->c.episodes;
  }
  return err;
}

/* ---- Checkpoints ----------------------------------------------------------------------------------------------- */

sixer_err train_vector_save(const sixer_train *t, sections_writer *w, sixer_error *error) {
  const train_vector *v = t->vector;
  sections_begin(w, "vector");
  sections_put_u64(w, (uint64_t)v->count);
  sections_put_u64(w, v->begun);
  if (!v->begun) return SIXER_OK;
  sections_put_i64(w, v->rest_frames[1]);
  sections_put_i64(w, v->rest_episodes[1]);
  sixer_err err = SIXER_OK;
  void *state = malloc(sixer_vec_state_bound(v->vec, SIXER_SAVE_CONTROLLER));
  if (!state) err = out_of_memory(error);
  for (int32_t i = 0; i < v->count && !err; i++) {
    const vector_episode *e = &v->episodes[i];
    sections_put_i64(w, e->steps);
    sections_put_i64(w, e->tally.frames);
    sections_put_i64(w, e->tally.last_reward_frame);
    for (int k = 0; k < SIXER_LIMITS_MAX; k++) sections_put_f64(w, e->tally.score[k]);
    size_t size = sixer_vec_state_size(v->vec, i, SIXER_SAVE_CONTROLLER);
    err = sixer_vec_save(v->vec, &i, 1, SIXER_SAVE_CONTROLLER, &state, &size, error);
    sections_put_u64(w, size);
    sections_put(w, state, size);
  }
  free(state);
  return err;
}

static bool get_episode(sections_reader *r, vector_episode *e) {
  e->steps = sections_get_i64(r);
  e->tally.frames = sections_get_i64(r);
  e->tally.last_reward_frame = sections_get_i64(r);
  bool good = e->steps >= 0 && e->steps <= AGENT_COUNT_MAX && e->tally.frames >= 0 &&
              e->tally.frames <= AGENT_COUNT_MAX && e->tally.last_reward_frame >= 0 &&
              e->tally.last_reward_frame <= e->tally.frames;
  for (int k = 0; k < SIXER_LIMITS_MAX; k++) {
    e->tally.score[k] = sections_get_f64(r);
    good = good && e->tally.score[k] - e->tally.score[k] == 0; /* finite */
  }
  return good;
}

sixer_err train_vector_load(sixer_train *t, sections_reader *r, const char *path,
                            sixer_error *error) {
  train_vector *v = t->vector;
  if (!sections_find(r, "vector")) sections_fail(r, "it has no vector of environments");
  uint64_t count = sections_get_u64(r), begun = sections_get_u64(r);
  if (count != (uint64_t)v->count || begun > 1)
    sections_fail(r, "its vector has another number of environments");
  v->rest_frames[0] = t->c.frames;
  v->rest_episodes[0] = t->c.episodes;
  v->rest_frames[1] = begun ? sections_get_i64(r) : 0;
  v->rest_episodes[1] = begun ? sections_get_i64(r) : 0;
  if (v->rest_frames[1] < 0 || v->rest_frames[1] > t->c.frames || v->rest_episodes[1] < 0 ||
      v->rest_episodes[1] > t->c.episodes)
    sections_fail(r, "a counter is out of range");
  size_t bound = sixer_vec_state_bound(v->vec, SIXER_SAVE_CONTROLLER);
  void *state = malloc(bound);
  sixer_err err = state ? SIXER_OK : out_of_memory(error);
  for (int32_t i = 0; i < v->count && begun && !err && !sections_failed(r); i++) {
    bool good = get_episode(r, &v->episodes[i]);
    uint64_t size = sections_get_u64(r);
    if (!good || size > bound) {
      sections_fail(r, "an environment of its vector is damaged");
      break;
    }
    sections_get(r, state, (size_t)size);
    if (sections_failed(r)) break;
    size_t bytes = (size_t)size;
    err = sixer_vec_load(v->vec, &i, 1, (const void *const *)&state, &bytes, error);
  }
  free(state);
  if (!err && !sections_failed(r) && sections_left(r)) sections_fail(r, "a section is too long");
  if (!err && sections_failed(r)) err = train_damaged(r, path, error);
  /* the saved agent may be one that never met an env, or have values for another list of actions */
  if (!err) err = v->hooks->bind(t->agent, t->actions, error);
  if (err || !begun) return err;
  sixer_vec_out out = results(v, v->hooks->room(t->agent, false));
  err = sixer_vec_observe(v->vec, NULL, v->count, &out, error);
  memcpy(v->frames_before, v->frames, (size_t)v->count * sizeof *v->frames);
  v->begun = !err;
  return err;
}
