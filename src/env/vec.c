/* Vectors: creation, checks, and the calls that step many envs at once. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env/vec_parts.h"

enum { COOKIE = 0x51AE26EC, SIZE_MAX_AXIS = 4096, STACK_MAX = 1024 };

sixer_vec_config sixer_vec_config_default(void) {
  sixer_vec_config config = {
      .cookie = COOKIE,
      .env = sixer_config_default(),
      .first_cpu = -1,
      .obs = SIXER_OBS_GRAY,
      .pool = SIXER_POOL_MAX,
      .height = 84,
      .width = 84,
      .stack = 4,
      .actions = SIXER_ACTIONS_MINIMAL,
      .noop_max = 30,
      .fire_start = true,
      .clip_rewards = true,
      .life_loss = SIXER_LIFE_LOSS_PLAIN,
      .autoreset = SIXER_AUTORESET_NEXT,
  };
  config.env.sticky = 0;
  config.env.frame_skip = 4;
  config.env.max_frames = 108000;
  return config;
}

/* ---- Checking settings ----------------------------------------------------------------------------------------- */

static sixer_err check_observation(const sixer_vec_config *c, sixer_error *error) {
  if (c->obs < SIXER_OBS_GRAY || c->obs > SIXER_OBS_RAM)
    return sixer_fail(error, SIXER_ERR_CONFIG, "there is no kind of observation %d", (int)c->obs);
  if (c->pool < SIXER_POOL_NONE || c->pool > SIXER_POOL_MEAN)
    return sixer_fail(error, SIXER_ERR_CONFIG, "there is no pooling %d", (int)c->pool);
  bool native = c->height == 0 && c->width == 0;
  if (!native &&
      (c->height < 1 || c->width < 1 || c->height > SIZE_MAX_AXIS || c->width > SIZE_MAX_AXIS)) {
    return sixer_fail(
        error, SIXER_ERR_CONFIG,
        "pictures of %d x %d; each side is 1 to %d, or both are 0 for the console's own "
        "size",
        c->height, c->width, SIZE_MAX_AXIS);
  }
  if (c->stack < 1 || c->stack > STACK_MAX)
    return sixer_fail(error, SIXER_ERR_CONFIG, "a stack of %d pictures; 1 to %d are possible",
                      c->stack, STACK_MAX);
  if (c->obs == SIXER_OBS_PALETTE && (!native || c->pool != SIXER_POOL_NONE)) {
    return sixer_fail(
        error, SIXER_ERR_CONFIG,
        "color numbers cannot be resized or pooled: set height and width to 0 and pool "
        "to none, or observe gray or RGB");
  }
  return SIXER_OK;
}

static sixer_err check_config(const sixer_vec_config *c, int count, sixer_error *error) {
  if (c->cookie != COOKIE) {
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "the config was not made by sixer_vec_config_default()");
  }
  if (count < 1)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "%d environments; a vec has at least one", count);
  if (c->threads < 0 || c->threads > count) {
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "%d threads for %d environments; use 1 to %d, or 0 for as many as fit",
                      c->threads, count, count);
  }
  if (c->env.end_on_life_loss || c->env.noop_starts) {
    return sixer_fail(
        error, SIXER_ERR_CONFIG,
        "in a vec, life_loss stands for end_on_life_loss and noop_max for noop_starts");
  }
  if (c->env.players < 1 || c->env.players > SIXER_PLAYERS_MAX) {
    return sixer_fail(error, SIXER_ERR_CONFIG, "players is %d; a vec has envs of 1 to %d players",
                      c->env.players, SIXER_PLAYERS_MAX);
  }
  if (c->env.players > 1 && c->life_loss != SIXER_LIFE_LOSS_PLAIN) {
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "life_loss is for one player: with %d, look at the lives of each",
                      c->env.players);
  }
  if (c->env.max_frames < 0 || c->noop_max < 0) {
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "max_frames and noop_max are 0 or more, found %d, %d", c->env.max_frames,
                      c->noop_max);
  }
  if (c->env.reward_min > c->env.reward_max) {
    return sixer_fail(error, SIXER_ERR_CONFIG, "reward_min %d is above reward_max %d",
                      c->env.reward_min, c->env.reward_max);
  }
  if (c->actions < SIXER_ACTIONS_MINIMAL || c->actions > SIXER_ACTIONS_CODES)
    return sixer_fail(error, SIXER_ERR_CONFIG, "there are no actions of kind %d", (int)c->actions);
  if (c->life_loss < SIXER_LIFE_LOSS_PLAIN || c->life_loss > SIXER_LIFE_LOSS_END)
    return sixer_fail(error, SIXER_ERR_CONFIG, "there is no life_loss %d", (int)c->life_loss);
  if (c->autoreset < SIXER_AUTORESET_NEXT || c->autoreset > SIXER_AUTORESET_OFF)
    return sixer_fail(error, SIXER_ERR_CONFIG, "there is no autoreset %d", (int)c->autoreset);
  return check_observation(c, error);
}

sixer_err vec_name_index(sixer_error *error, int index, sixer_err err) {
  if (error) {
    char text[sizeof error->message];
    snprintf(text, sizeof text, "env %d: %.*s", index, (int)sizeof text - 20, error->message);
    memcpy(error->message, text, sizeof text);
  }
  return err;
}

static sixer_err check_slots(const sixer_vec_slot *slots, int count, const sixer_vec_config *c,
                             sixer_error *error) {
  for (int i = 0; i < count; i++) {
    if (!slots[i].rom)
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "env %d has no game: its rom is NULL", i);
    sixer_config config = c->env;
    config.mode = slots[i].mode;
    config.difficulty = slots[i].difficulty;
    sixer_err err = env_check_config(slots[i].rom, &config, error);
    if (err) return vec_name_index(error, i, err);
  }
  return SIXER_OK;
}

/* ---- Creation -------------------------------------------------------------------------------------------------- */

static pool_work work_item;

static int envs_of_thread(const sixer_vec *vec) { return vec->count / vec->threads; }

static sixer_err make_scratch(sixer_vec *vec, sixer_error *error) {
  vec->scratch = calloc((size_t)vec->threads, sizeof *vec->scratch);
  if (!vec->scratch) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for threads");
  for (int i = 0; i < vec->threads; i++) {
    sixer_err err = env_scratch_make(&vec->scratch[i].buffers, vec->config.env.color_averaging,
                                     envs_of_thread(vec), error);
    if (err) return err;
    vec->scratch[i].kept = malloc(SCREEN_WIDTH * SCREEN_MAX_LINES);
    if (!vec->scratch[i].kept)
      return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for threads");
  }
  return SIXER_OK;
}

static const preprocess *preprocess_for(sixer_vec *vec, int height, sixer_error *error) {
  for (int i = 0; i < vec->pre_count; i++) {
    if (vec->pres[i].source_height == height) return &vec->pres[i];
  }
  /* the array has room for every possible height */
  preprocess *p = &vec->pres[vec->pre_count];
  if (preprocess_make(p, &vec->config, height, error)) return NULL;
  vec->pre_count++;
  return p;
}

static const blend_table *blend_for(sixer_vec *vec, const sixer_env *env) {
  int i = 0;
  while (i < 3 && vec->blends[i] && strcmp(vec->blend_formats[i], env->format) != 0) i++;
  if (!vec->blends[i]) {
    vec->blends[i] = malloc(sizeof *vec->blends[i]);
    if (!vec->blends[i]) return NULL;
    vec->blend_formats[i] = env->format;
    palette_make_blend(&env->colors, vec->blends[i]);
  }
  return vec->blends[i];
}

static sixer_err model_for(sixer_vec *vec, const sixer_vec_slot *slot, const vec_model **out,
                           sixer_error *error) {
  for (int i = vec->model_count - 1; i >= 0; i--) {
    const vec_model *m = &vec->models[i];
    if (m->rom == slot->rom && m->mode == slot->mode && m->difficulty == slot->difficulty)
      return *out = m, SIXER_OK;
  }
  /* the array has room for one model per env, and members point into it: it is never reallocated */
  vec_model *m = &vec->models[vec->model_count++];
  *out = m;
  return vec_model_create(vec, m, slot, error);
}

static sixer_err create_members(sixer_vec *vec, const sixer_vec_slot *slots, sixer_error *error) {
  for (int i = 0; i < vec->count; i++) {
    vec_member *m = &vec->members[i];
    const vec_model *model = NULL;
    sixer_err err = model_for(vec, &slots[i], &model, error);
    if (!err) err = vec_member_create(vec, i, model, error);
    if (err) return vec_name_index(error, i, err);
    m->pre = preprocess_for(vec, m->env->height, error);
    if (!m->pre) return SIXER_ERR_MEMORY;
    if (vec->config.env.color_averaging) {
      m->env->blend = blend_for(vec, m->env);
      if (!m->env->blend)
        return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for color averaging");
    }
    size_t size = preprocess_out_size(m->pre);
    if (i == 0) {
      vec->picture_size = size;
      vec->obs_size = size * (size_t)vec->config.stack;
    } else if (size != vec->picture_size) {
      return sixer_fail(
          error, SIXER_ERR_ARGUMENT,
          "the screen of env %d has %d rows and that of env 0 has %d: observations of "
          "different games need a height and width",
          i, m->env->height, vec->members[0].env->height);
    }
    m->ring = calloc(1, vec->obs_size);
    if (!m->ring)
      return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for the observations of env %d", i);
  }
  return SIXER_OK;
}

static void set_shape(sixer_vec *vec) {
  const preprocess *p = vec->members[0].pre;
  for (int i = 0; i < 4; i++) vec->shape[i] = 1;
  vec->shape[0] = vec->config.stack;
  if (vec->config.obs == SIXER_OBS_RAM) {
    vec->dims = 2;
    vec->shape[1] = p->width;
    return;
  }
  vec->dims = p->channels == 3 ? 4 : 3;
  vec->shape[1] = p->height;
  vec->shape[2] = p->width;
  if (p->channels == 3) vec->shape[3] = 3;
}

static const preprocess *highest(const sixer_vec *vec) {
  const preprocess *p = &vec->pres[0];
  for (int i = 1; i < vec->pre_count; i++) {
    if (vec->pres[i].source_height > p->source_height) p = &vec->pres[i];
  }
  return p;
}

static sixer_err fill(sixer_vec *vec, const sixer_vec_slot *slots, sixer_error *error) {
  vec->members = calloc((size_t)vec->count, sizeof *vec->members);
  vec->models = calloc((size_t)vec->count, sizeof *vec->models);
  vec->pres = calloc(SCREEN_MAX_LINES + 1, sizeof *vec->pres);
  vec->done = calloc((size_t)vec->count, sizeof *vec->done);
  vec->sent = calloc((size_t)vec->count, sizeof *vec->sent);
  if (!vec->members || !vec->models || !vec->pres || !vec->done || !vec->sent)
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for %d environments", vec->count);
  sixer_err err = make_scratch(vec, error);
  if (!err) err = create_members(vec, slots, error);
  if (err) return err;
  set_shape(vec);
  for (int i = 0; i < vec->threads; i++) {
    err = preprocess_scratch_make(&vec->scratch[i].pre, highest(vec), error);
    if (err) return err;
  }
  vec->pool = pool_create(vec->threads, vec->count, vec->config.first_cpu);
  return vec->pool
             ? SIXER_OK
             : sixer_fail(error, SIXER_ERR_MEMORY, "%d threads could not be started", vec->threads);
}

sixer_err sixer_vec_create(const sixer_vec_slot *slots, int count, const sixer_vec_config *config,
                           sixer_vec **out, sixer_error *error) {
  sixer_err err = check_config(config, count, error);
  if (!err) err = check_slots(slots, count, config, error);
  if (err) return err;
  sixer_vec *vec = calloc(1, sizeof *vec);
  if (!vec) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  vec->config = *config;
  vec->count = count;
  vec->players = config->env.players;
  int processors = pool_processors();
  vec->threads = config->threads ? config->threads : processors < count ? processors : count;
  pthread_mutex_init(&vec->lock, NULL);
  pthread_cond_init(&vec->arrived, NULL);
  err = fill(vec, slots, error);
  if (err)
    sixer_vec_destroy(vec);
  else
    *out = vec;
  return err;
}

void sixer_vec_destroy(sixer_vec *vec) {
  if (!vec) return;
  const bool forked = vec->pool && pool_forked(vec->pool);
  pool_destroy(vec->pool);
  for (int i = 0; vec->members && i < vec->count; i++) {
    if (!forked) vec_tape_end(vec, &vec->members[i], NULL); /* the file is the parent's */
    vec_member_destroy(&vec->members[i]);
  }
  for (int i = 0; i < vec->model_count; i++) vec_model_destroy(&vec->models[i]);
  for (int i = 0; vec->scratch && i < vec->threads; i++) {
    env_scratch_free(&vec->scratch[i].buffers);
    preprocess_scratch_free(&vec->scratch[i].pre);
    free(vec->scratch[i].kept);
  }
  for (int i = 0; i < vec->pre_count; i++) preprocess_free(&vec->pres[i]);
  for (int i = 0; i < 4; i++) free(vec->blends[i]);
  if (!forked) {
    pthread_mutex_destroy(&vec->lock);
    pthread_cond_destroy(&vec->arrived);
  }
  free(vec->members);
  free(vec->models);
  free(vec->scratch);
  free(vec->pres);
  free(vec->done);
  free(vec->sent);
  free(vec);
}

sixer_vec_info sixer_vec_describe(const sixer_vec *vec) {
  sixer_vec_info info = {.count = vec->count,
                         .players = vec->players,
                         .threads = vec->threads,
                         .obs_size = vec->obs_size,
                         .dims = vec->dims};
  memcpy(info.shape, vec->shape, sizeof info.shape);
  size_t members = 0;
  for (int i = 0; i < vec->count; i++) members += vec_member_memory(vec, &vec->members[i]);
  info.env_memory = members / (size_t)vec->count;
  info.shared_memory = sizeof *vec + (size_t)vec->count * sizeof *vec->models +
                       (SCREEN_MAX_LINES + 1) * sizeof *vec->pres;
  for (int i = 0; i < vec->pre_count; i++) info.shared_memory += preprocess_memory(&vec->pres[i]);
  for (int i = 0; i < 4; i++) {
    if (vec->blends[i]) info.shared_memory += sizeof *vec->blends[i];
  }
  info.shared_memory += (size_t)vec->threads *
                        (sizeof *vec->scratch +
                         env_scratch_size(vec->config.env.color_averaging, envs_of_thread(vec)) +
                         preprocess_scratch_size(highest(vec)) + SCREEN_WIDTH * SCREEN_MAX_LINES);
  for (int i = 0; i < vec->threads; i++) info.shared_memory += vec->scratch[i].buffers.jit_memory;
  return info;
}

sixer_list sixer_vec_actions(const sixer_vec *vec, int env) {
  return env >= 0 && env < vec->count ? vec->members[env].actions : (sixer_list){NULL, 0};
}

/* ---- Checking calls -------------------------------------------------------------------------------------------- */

static sixer_err check_alive(sixer_vec *vec, sixer_error *error) {
  if (pool_forked(vec->pool)) {
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "this vec was made before the process was forked, and its threads stayed "
                      "behind: make one in the child, or use one thread and no sixer_vec_send()");
  }
  return atomic_load(&vec->failed) ? sixer_fail(error, SIXER_ERR_MEMORY,
                                                "memory ran out in an earlier call: this vec can "
                                                "only be destroyed")
                                   : SIXER_OK;
}

/* Check a call that involves all envs: none may be busy. */
static sixer_err check_idle(sixer_vec *vec, const sixer_vec_out *out, int rows,
                            sixer_error *error) {
  sixer_err err = check_alive(vec, error);
  if (err) return err;
  if (vec->pending) {
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "%d envs were sent and are not received yet: receive them first",
                      vec->pending);
  }
  if (out && out->rows < rows) {
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "the results need %d rows and have %d", rows,
                      out->rows);
  }
  return SIXER_OK;
}

sixer_err vec_check_list(sixer_vec *vec, const char *what, const int32_t *envs, int count,
                         bool distinct, sixer_error *error) {
  sixer_err err = check_alive(vec, error);
  if (err) return err;
  if (count < 0 || (distinct && count > vec->count)) {
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "%d envs to %s; the vec has %d", count, what,
                      vec->count);
  }
  for (int i = 0; i < count; i++) {
    if (envs[i] < 0 || envs[i] >= vec->count) {
      return sixer_fail(error, SIXER_ERR_ARGUMENT,
                        "entry %d of the envs to %s is %d; they are numbered 0 to %d", i, what,
                        envs[i], vec->count - 1);
    }
    if (vec->members[envs[i]].busy) {
      return sixer_fail(error, SIXER_ERR_ARGUMENT,
                        "env %d was sent and is not received yet: receive it first", envs[i]);
    }
  }
  if (!distinct) return SIXER_OK;
  for (int i = 0; i < vec->count; i++) vec->sent[i] = 0;
  for (int i = 0; i < count; i++) {
    if (vec->sent[envs[i]]++) {
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "env %d is twice among the envs to %s", envs[i],
                        what);
    }
  }
  return SIXER_OK;
}

/* Store the action of a member that is about to be stepped, after checking it. The caller's array is read only once:
 * another thread may be writing to it. */
static sixer_err take_action(sixer_vec *vec, int index, const int32_t *actions,
                             sixer_error *error) {
  vec_member *m = &vec->members[index];
  if (!m->ready) {
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "env %d was never reset: reset it before the first "
                      "step",
                      index);
  }
  if (m->over && vec->config.autoreset == SIXER_AUTORESET_OFF) {
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "the episode of env %d is over: reset it before it is stepped", index);
  }
  bool only_reset = m->over && vec->config.autoreset == SIXER_AUTORESET_NEXT;
  const int32_t action = actions[0];
  if (!only_reset && (action < 0 || action >= m->actions.count)) {
    return sixer_fail(error, SIXER_ERR_ACTION, "the action of env %d is %d; it has 0 to %d", index,
                      action, m->actions.count - 1);
  }
  m->action = action;
  for (int k = 1; k < vec->players; k++) {
    const int32_t more = actions[k];
    if (!only_reset && (more < 0 || more >= m->actions.count)) {
      return sixer_fail(error, SIXER_ERR_ACTION,
                        "the action of player %d of env %d is %d; it has 0 to %d", k + 1, index,
                        more, m->actions.count - 1);
    }
    m->more_actions[k - 1] = more;
  }
  return SIXER_OK;
}

/* Set a member's paddle strengths and let a thread step it. */
static void order_step(sixer_vec *vec, vec_member *m, const float *strengths) {
  m->task = TASK_STEP;
  m->strength = strengths ? strengths[0] : 1;
  for (int k = 1; k < vec->players; k++) m->more_strengths[k - 1] = strengths ? strengths[k] : 1;
}

/* The generators take seeds of 32 bits. */
static sixer_err check_seed(int index, int64_t seed, sixer_error *error) {
  return seed > UINT32_MAX
             ? sixer_fail(error, SIXER_ERR_ARGUMENT, "the seed of env %d is %lld; at most %lld",
                          index, (long long)seed, (long long)UINT32_MAX)
             : SIXER_OK;
}

static sixer_err outcome(sixer_vec *vec, sixer_error *error) {
  return atomic_load(&vec->failed)
             ? sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for the pictures of an env")
             : SIXER_OK;
}

/* ---- Threads' work --------------------------------------------------------------------------------------------- */

/* A member that was sent is done: write its results to a row of the waiting receiver, or queue it if nobody waits. */
static void deliver(sixer_vec *vec, int index) {
  pthread_mutex_lock(&vec->lock);
  if (!vec->receiver || vec->rows_taken == vec->rows_wanted) {
    vec->done[vec->done_count++] = index;
    pthread_mutex_unlock(&vec->lock);
    return;
  }
  const sixer_vec_out *out = vec->receiver;
  int row = vec->rows_wanted == vec->count ? index : vec->rows_taken;
  vec->rows_taken++;
  pthread_mutex_unlock(&vec->lock);

  vec_member *m = &vec->members[index];
  vec_member_report(vec, index, out, row);
  if (m->has_final && out->final_obs)
    memcpy(out->final_obs + (size_t)row * vec->obs_size, m->final_obs, vec->obs_size);

  pthread_mutex_lock(&vec->lock);
  m->busy = false;
  if (++vec->rows_written == vec->rows_wanted) pthread_cond_signal(&vec->arrived);
  pthread_mutex_unlock(&vec->lock);
}

static void work_sent(sixer_vec *vec, int index, vec_thread *thread) {
  vec_member *m = &vec->members[index];
  uint8_t *final_obs = NULL;
  if (vec->config.autoreset == SIXER_AUTORESET_SAME) {
    if (!m->final_obs) m->final_obs = malloc(vec->obs_size);
    if (!m->final_obs) atomic_store(&vec->failed, true);
    final_obs = m->final_obs;
  }
  vec_member_work(vec, m, thread, final_obs);
  deliver(vec, index);
}

static void work_item(void *context, int item, int thread) {
  sixer_vec *vec = context;
  vec_thread *t = &vec->scratch[thread];
  int index = vec->list ? vec->list[item] : item;
  vec_member *m = &vec->members[index];
  if (m->busy) {
    work_sent(vec, item, t);
    return;
  }
  const sixer_vec_out *out = vec->out;
  uint8_t *final_obs = out && out->final_obs ? out->final_obs + (size_t)item * vec->obs_size : NULL;
  if (m->task != TASK_REPORT) vec_member_work(vec, m, t, final_obs);
  m->task = TASK_NONE;
  if (out) vec_member_report(vec, index, out, item);
}

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

static const sixer_vec_out nowhere = {0};

static sixer_err run_all(sixer_vec *vec, const int32_t *list, int count, const sixer_vec_out *out,
                         sixer_error *error) {
  vec->list = list;
  vec->out = out ? out : &nowhere;
  pool_run(vec->pool, work_item, vec, count);
  vec->list = NULL;
  return outcome(vec, error);
}

sixer_err sixer_vec_reset(sixer_vec *vec, const uint8_t *mask, const int64_t *seeds,
                          const sixer_vec_out *out, sixer_error *error) {
  sixer_err err = check_idle(vec, out, vec->count, error);
  for (int i = 0; i < vec->count && !err; i++) {
    bool reset = !mask || mask[i];
    if (!reset && !vec->members[i].ready) {
      err = sixer_fail(error, SIXER_ERR_ARGUMENT,
                       "the first reset must reset every environment, and env %d is left out", i);
    }
    if (!err && reset && seeds) err = check_seed(i, seeds[i], error);
  }
  if (err) return err;
  for (int i = 0; i < vec->count; i++) {
    vec_member *m = &vec->members[i];
    m->task = !mask || mask[i] ? TASK_RESET : TASK_REPORT;
    if (m->task == TASK_REPORT) {
      m->result.reward = m->result.raw_reward = 0;
      memset(m->result.more_rewards, 0, sizeof m->result.more_rewards);
      memset(m->result.more_raw, 0, sizeof m->result.more_raw);
    } else if (seeds && seeds[i] >= 0)
      m->seed = seeds[i];
  }
  return run_all(vec, NULL, vec->count, out, error);
}

sixer_err sixer_vec_step(sixer_vec *vec, const int32_t *actions, const float *strengths,
                         const sixer_vec_out *out, sixer_error *error) {
  sixer_err err = check_idle(vec, out, vec->count, error);
  const int n = vec->players;
  for (int i = 0; i < vec->count && !err; i++) err = take_action(vec, i, actions + i * n, error);
  if (err) return err;
  for (int i = 0; i < vec->count; i++)
    order_step(vec, &vec->members[i], strengths ? strengths + i * n : NULL);
  return run_all(vec, NULL, vec->count, out, error);
}

sixer_err sixer_vec_observe(sixer_vec *vec, const int32_t *envs, int count,
                            const sixer_vec_out *out, sixer_error *error) {
  if (!envs) count = vec->count;
  sixer_err err = check_idle(vec, out, count, error);
  if (!err && envs) err = vec_check_list(vec, "observe", envs, count, false, error);
  for (int i = 0; i < count && !err; i++) {
    int index = envs ? envs[i] : i;
    if (!vec->members[index].ready)
      err = sixer_fail(error, SIXER_ERR_ARGUMENT, "env %d was never reset", index);
  }
  for (int i = 0; i < count && !err && out; i++) {
    int index = envs ? envs[i] : i;
    vec_member_report(vec, index, out, i);
    for (int k = i * vec->players; k < (i + 1) * vec->players; k++) {
      if (out->rewards) out->rewards[k] = 0;
      if (out->raw_rewards) out->raw_rewards[k] = 0;
    }
  }
  return err;
}

/* ---- Steps without waiting ------------------------------------------------------------------------------------- */

static sixer_err push(sixer_vec *vec, const int32_t *envs, int count, sixer_error *error) {
  for (int i = 0; i < count; i++) vec->members[envs[i]].busy = true;
  vec->pending += count;
  if (count == 0 || pool_push(vec->pool, work_item, vec, envs, count)) return SIXER_OK;
  for (int i = 0; i < count; i++) vec->members[envs[i]].busy = false;
  vec->pending -= count;
  return sixer_fail(error, SIXER_ERR_MEMORY, "one more thread could not be started");
}

sixer_err sixer_vec_send(sixer_vec *vec, const int32_t *envs, int count, const int32_t *actions,
                         const float *strengths, sixer_error *error) {
  sixer_err err = vec_check_list(vec, "step", envs, count, true, error);
  const int n = vec->players;
  for (int i = 0; i < count && !err; i++) err = take_action(vec, envs[i], actions + i * n, error);
  if (err) return err;
  for (int i = 0; i < count; i++)
    order_step(vec, &vec->members[envs[i]], strengths ? strengths + i * n : NULL);
  return push(vec, envs, count, error);
}

sixer_err sixer_vec_send_reset(sixer_vec *vec, const int32_t *envs, int count, const int64_t *seeds,
                               sixer_error *error) {
  sixer_err err = vec_check_list(vec, "reset", envs, count, true, error);
  for (int i = 0; i < count && !err && seeds; i++) err = check_seed(envs[i], seeds[i], error);
  if (err) return err;
  for (int i = 0; i < count; i++) {
    vec_member *m = &vec->members[envs[i]];
    m->task = TASK_RESET;
    if (seeds && seeds[i] >= 0) m->seed = seeds[i];
  }
  return push(vec, envs, count, error);
}

sixer_err sixer_vec_recv(sixer_vec *vec, int count, const sixer_vec_out *out, sixer_error *error) {
  sixer_err err = check_alive(vec, error);
  if (err) return err;
  if (count < 0 || count > vec->pending) {
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "%d results were asked for and %d envs are under way", count, vec->pending);
  }
  if (!out) out = &nowhere;
  if (out != &nowhere && out->rows < count) {
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "the results need %d rows and have %d", count,
                      out->rows);
  }
  if (count == 0) return SIXER_OK;

  /* take the queued members in order; threads that finish from now on fill the remaining rows */
  pthread_mutex_lock(&vec->lock);
  int ready = vec->done_count < count ? vec->done_count : count;
  memcpy(vec->sent, vec->done, (size_t)ready * sizeof *vec->sent);
  vec->done_count -= ready;
  memmove(vec->done, vec->done + ready, (size_t)vec->done_count * sizeof *vec->done);
  vec->receiver = out;
  vec->rows_wanted = count;
  vec->rows_taken = ready;
  vec->rows_written = 0;
  pthread_mutex_unlock(&vec->lock);

  for (int i = 0; i < ready; i++) {
    int index = vec->sent[i], row = count == vec->count ? index : i;
    vec_member *m = &vec->members[index];
    vec_member_report(vec, index, out, row);
    if (m->has_final && out->final_obs)
      memcpy(out->final_obs + (size_t)row * vec->obs_size, m->final_obs, vec->obs_size);
    m->busy = false;
  }

  pthread_mutex_lock(&vec->lock);
  vec->rows_written += ready;
  while (vec->rows_written < count) pthread_cond_wait(&vec->arrived, &vec->lock);
  vec->receiver = NULL;
  pthread_mutex_unlock(&vec->lock);
  vec->pending -= count;
  return outcome(vec, error);
}

int sixer_vec_pending(const sixer_vec *vec) { return vec->pending; }

/* ---- Looking at one env ---------------------------------------------------------------------------------------- */

sixer_status sixer_vec_status(const sixer_vec *vec, int env) {
  if (env < 0 || env >= vec->count) return (sixer_status){0};
  const vec_member *m = &vec->members[env];
  sixer_status status = sixer_env_status(m->env);
  status.over = m->over;
  if (m->over) {
    status.end = m->result.end;
    status.terminal = m->result.terminated;
    status.truncated = m->result.truncated;
  }
  return status;
}

const uint8_t *sixer_vec_ram(const sixer_vec *vec, int env) {
  return env >= 0 && env < vec->count ? sixer_env_ram(vec->members[env].env) : NULL;
}

sixer_err sixer_vec_set_ram(sixer_vec *vec, int env, int index, uint8_t value, sixer_error *error) {
  int32_t list[1] = {env};
  sixer_err err = vec_check_list(vec, "change the memory of", list, 1, false, error);
  if (err) return err;
  if (sixer_env_set_ram(vec->members[env].env, index, value))
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "memory has bytes 0 to 127, found %d", index);
  vec->members[env].changed = true;
  return SIXER_OK;
}

sixer_err sixer_vec_set_other(sixer_vec *vec, int env, int action_b, float strength_b, int switches,
                              sixer_error *error) {
  int32_t list[1] = {env};
  sixer_err err = vec_check_list(vec, "change the input of", list, 1, false, error);
  if (err) return err;
  if (action_b < 0 || action_b >= SIXER_ACTION_COUNT || switches & ~SIXER_SWITCH_ALL)
    return sixer_fail(error, SIXER_ERR_ACTION,
                      "player B's action is 0 to %d and switches are bits of %d, found %d and %d",
                      SIXER_ACTION_COUNT - 1, SIXER_SWITCH_ALL, action_b, switches);
  vec_member *m = &vec->members[env];
  m->action_b = action_b;
  m->strength_b = strength_b;
  m->switches = switches;
  return SIXER_OK;
}

const uint8_t *sixer_vec_sound(const sixer_vec *vec, int env) {
  return env >= 0 && env < vec->count ? vec->members[env].env->sound : NULL;
}

int sixer_vec_objects(const sixer_vec *vec, int env, sixer_object *objects, int max) {
  return env >= 0 && env < vec->count ? sixer_env_objects(vec->members[env].env, objects, max) : 0;
}

int sixer_vec_height(const sixer_vec *vec, int env) {
  return env >= 0 && env < vec->count ? vec->members[env].env->height : 0;
}

sixer_err sixer_vec_rgb(sixer_vec *vec, int env, uint8_t *rgb, sixer_error *error) {
  int32_t list[1] = {env};
  sixer_err err = vec_check_list(vec, "look at", list, 1, false, error);
  if (err) return err;
  if (vec->config.obs == SIXER_OBS_RAM) {
    return sixer_fail(error, SIXER_ERR_PICTURE,
                      "this vec observes memory and draws no pictures: choose another obs");
  }
  if (vec->pending) {
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "%d envs were sent and are not received yet: receive them first",
                      vec->pending);
  }
  sixer_env *e = vec->members[env].env;
  env_lend(e, &vec->scratch[0].buffers);
  err = sixer_env_rgb(e, rgb);
  if (!pictures_leave(e)) atomic_store(&vec->failed, true);
  return err ? sixer_fail(error, err, "the picture of env %d is not known", env) : SIXER_OK;
}
