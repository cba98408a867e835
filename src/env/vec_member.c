/* One env of a vec: its episodes, steps and observations. The order of everything here is that of the reference's
 * vector environment (docs/vectors.md). */
#include <stdlib.h>
#include <string.h>

#include "util/os_cpu.h"

#if OS_SSE2
#include <emmintrin.h>
#endif

#include "env/act.h"
#include "env/vec_parts.h"
#include "sixer/players.h"

/* ---- Creation -------------------------------------------------------------------------------------------------- */

static bool draws(const sixer_vec *vec) { return vec->config.obs != SIXER_OBS_RAM; }

/* Can a step have two frames that are pooled? */
static bool pools(const sixer_vec *vec) {
  return vec->config.pool != SIXER_POOL_NONE &&
         (vec->config.env.frame_skip > 1 || vec->config.env.frame_skip_max > 1);
}

static sixer_config env_config(const sixer_vec *vec, const vec_model *model, int index) {
  sixer_config config = vec->config.env;
  config.seed += (uint32_t)index;
  config.mode = model->mode;
  config.difficulty = model->difficulty;
  config.picture = draws(vec);
  config.max_frames = 0; /* the vec counts frames itself */
  config.reward_min = INT32_MIN;
  config.reward_max = INT32_MAX;
  return config;
}

sixer_err vec_model_create(sixer_vec *vec, vec_model *model, const sixer_vec_slot *slot,
                           sixer_error *error) {
  model->rom = slot->rom;
  model->mode = slot->mode;
  model->difficulty = slot->difficulty;
  sixer_config config = env_config(vec, model, 0);
  sixer_err err = draws(vec) ? pictures_make(&model->pictures, slot->rom, error) : SIXER_OK;
  if (!err) {
    err = env_create_lent(slot->rom, &config, &vec->scratch[0].buffers,
                          draws(vec) ? &model->pictures : NULL, &model->env, error);
  }
  if (err) return err;
  sixer_env_reset(model->env);
  /* if reset has not used any random number, the state does not depend on the seed */
  controller after;
  memcpy(&after, &model->env->control, sizeof after);
  env_seed(model->env, config.seed);
  model->seedless = !memcmp(&after, &model->env->control, sizeof after);
  return !draws(vec) || pictures_leave(model->env)
             ? SIXER_OK
             : sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for pictures");
}

void vec_model_destroy(vec_model *model) {
  sixer_env_destroy(model->env);
  pictures_free(&model->pictures);
}

void vec_noop_seed(vec_noop *rng, uint32_t seed, uint32_t draws) {
  mt_seed(&rng->mt, seed);
  mt_skip(&rng->mt, draws);
  rng->seed = seed;
  rng->draws = draws;
}

sixer_err vec_member_create(sixer_vec *vec, int index, const vec_model *model, sixer_error *error) {
  vec_member *m = &vec->members[index];
  sixer_config config = env_config(vec, model, index);
  m->model = model;
  m->strength = 1;
  m->seed = config.seed; /* the first reset seeds the env and powers it on */
  size_t console_size = sizeof(console) + model->rom->cart.xram_size;
  sixer_err err = SIXER_OK;
  if (draws(vec)) err = pictures_make(&m->pictures, model->rom, error);
  if (!err && draws(vec) && pools(vec)) {
    for (int i = 0; i < 2; i++) {
      m->last.start[i] = calloc(1, console_size);
      if (!m->last.start[i])
        err = sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for pictures");
    }
  }
  if (!err) {
    err = env_create_like(model->env, &config, &vec->scratch[0].buffers,
                          draws(vec) ? &m->pictures : NULL, &m->env, error);
  }
  if (err) return err;
  if (draws(vec)) {
    if (!pictures_reserve(&m->pictures, &model->pictures, model->env->height))
      return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for pictures");
    pictures_copy(&m->pictures, &model->pictures, model->env->height);
  }
  vec_noop_seed(&m->noop, config.seed, 0);
  switch (vec->config.actions) {
    case SIXER_ACTIONS_MINIMAL:
      m->actions = sixer_rom_player_actions(model->rom, config.dialect, config.players);
      break;
    case SIXER_ACTIONS_LEGAL: m->actions = sixer_rom_legal_actions(model->rom); break;
    case SIXER_ACTIONS_CODES: m->actions = rom_all_actions(); break;
  }
  return SIXER_OK;
}

void vec_member_destroy(vec_member *m) {
  sixer_env_destroy(m->env);
  pictures_free(&m->pictures);
  free(m->last.start[0]);
  free(m->last.start[1]);
  free(m->last.raw);
  free(m->ring);
  free(m->final_obs);
}

size_t vec_member_memory(const sixer_vec *vec, const vec_member *m) {
  size_t console_size = sizeof(console) + m->env->rom->cart.xram_size;
  size_t bytes = sizeof *m + sizeof *m->env + console_size + vec->obs_size;
  if (draws(vec)) bytes += pictures_memory(&m->pictures, m->env->height);
  if (m->last.start[0]) bytes += 2 * console_size;
  if (m->last.raw) bytes += preprocess_raw_size(m->pre);
  if (m->final_obs) bytes += vec->obs_size;
  return bytes;
}

/* ---- Observations ---------------------------------------------------------------------------------------------- */

static uint8_t *next_picture(const sixer_vec *vec, vec_member *m) {
  m->newest = m->newest + 1 < vec->config.stack ? m->newest + 1 : 0;
  return m->ring + (size_t)m->newest * vec->picture_size;
}

/* Add a copy of the newest picture to the stack. */
static void repeat_picture(const sixer_vec *vec, vec_member *m) {
  const uint8_t *before = m->ring + (size_t)m->newest * vec->picture_size;
  uint8_t *picture = next_picture(vec, m);
  if (picture != before) memcpy(picture, before, vec->picture_size);
}

/* Copy with non-temporal stores: observations larger than the caches would only evict other data. */
static void copy_far(uint8_t *to, const uint8_t *from, size_t size) {
#if OS_SSE2
  if (!((uintptr_t)to & 15) && !(size & 15)) {
    for (size_t i = 0; i < size; i += 16)
      _mm_stream_si128((__m128i *)(void *)(to + i),
                       _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
    _mm_sfence();
    return;
  }
#endif
  memcpy(to, from, size);
}

void vec_member_observation(const sixer_vec *vec, const vec_member *m, uint8_t *obs) {
  enum { NEAR = 16 << 20 }; /* observations of up to this many bytes may stay in the caches */
  size_t first =
      (size_t)(m->newest + 1) * vec->picture_size; /* end of the newest picture in the ring */
  bool far = vec->obs_size * (size_t)vec->count > NEAR;
  if (far) {
    copy_far(obs, m->ring + first, vec->obs_size - first);
    copy_far(obs + vec->obs_size - first, m->ring, first);
    return;
  }
  memcpy(obs, m->ring + first, vec->obs_size - first);
  memcpy(obs + vec->obs_size - first, m->ring, first);
}

static void fail(sixer_vec *vec) { atomic_store(&vec->failed, true); }

/* Can the picture made of the last `count` frames be drawn again later? */
static bool repeatable(const vec_member *m, int count) {
  const env_pictures *p = &m->pictures;
  int current = m->env->m.current;
  if (m->env->blend || (count == 2 && p->went_on)) return false;
  for (int i = 0; i < count; i++) {
    if (p->buffer[current ^ i].kind != PICTURE_REPLAY) return false;
  }
  return true;
}

/* Remember what the newest picture was made of: the last `count` frames here, pixels in remember_raw(). */
static void remember_frames(const sixer_vec *vec, vec_member *m, int count) {
  const env_pictures *p = &m->pictures;
  if (!pools(vec)) return;
  m->last.frames = count;
  for (int i = 0; i < count; i++) {
    const picture_source *s = &p->buffer[m->env->m.current ^ i];
    memcpy(m->last.start[i], s->start, p->size);
    m->last.input[i] = s->input;
  }
}

static void remember_raw(sixer_vec *vec, vec_member *m, const uint8_t *raw) {
  size_t size = preprocess_raw_size(m->pre);
  m->last.frames = 0;
  if (!m->last.raw) m->last.raw = malloc(size);
  if (m->last.raw)
    memcpy(m->last.raw, raw, size);
  else
    fail(vec);
}

/* Bring the pixels of env_screen_rows() to where it points: of a picture that is used as a whole. */
static void finish_screens(const sixer_env *env) {
  for (int i = 0; i < 2; i++) machine_picture(&env->m, i);
}

/* Make the picture of a complete step: its last frame, pooled with `first`, the frame before it, unless that is
 * NULL. */
static void make_picture(sixer_vec *vec, vec_member *m, vec_thread *t, const uint8_t *first) {
  sixer_env *env = m->env;
  const uint8_t *screen = env_screen_rows(env);
  uint8_t *out = next_picture(vec, m);
  int count = first ? 2 : 1;
  if (!pools(vec) || repeatable(m, count)) {
    const machine_rows newest = machine_rows_of(&env->m, screen),
                       before = machine_rows_of(&env->m, first);
    uint32_t rows = machine_newest_stamp(&env->m);
    if (rows < t->rows) preprocess_forget(m->pre, &t->pre);
    t->rows = rows;
    preprocess_run(m->pre, &t->pre, &env->colors, &newest, first ? &before : NULL, out);
    remember_frames(vec, m, count);
    return;
  }
  finish_screens(env);
  preprocess_color(m->pre, &env->colors, screen, t->pre.raw[0]);
  if (first) {
    preprocess_color(m->pre, &env->colors, first, t->pre.raw[1]);
    preprocess_pool(m->pre, t->pre.raw[0], t->pre.raw[1]);
  }
  remember_raw(vec, m, t->pre.raw[0]);
  preprocess_resize(m->pre, &t->pre, t->pre.raw[0], out);
}

/* Make the picture of a step that ended in its last frame: the reference pools `first`, the frame before, with the
 * picture of the previous step. */
static void make_late_picture(sixer_vec *vec, vec_member *m, vec_thread *t, const uint8_t *first) {
  sixer_env *env = m->env;
  const preprocess *p = m->pre;
  uint8_t **raw = t->pre.raw;
  finish_screens(env);
  preprocess_color(p, &env->colors, first, raw[2]);
  if (m->last.frames == 0) {
    memcpy(raw[0], m->last.raw, preprocess_raw_size(p));
  } else {
    /* draw the frames of the previous picture again, in the buffer that is not current */
    int which = env->m.current ^ 1;
    if (!pictures_keep(env, which)) fail(vec);
    for (int i = 0; i < m->last.frames; i++) {
      pictures_replay(env, m->last.start[i], &m->last.input[i], which);
      preprocess_color(p, &env->colors, machine_picture(&env->m, which), raw[i]);
    }
    if (m->last.frames == 2) preprocess_pool(p, raw[0], raw[1]);
  }
  preprocess_pool(p, raw[0], raw[2]);
  preprocess_resize(p, &t->pre, raw[0], next_picture(vec, m));
  /* m->last stays as it is: a reset comes before the next step */
}

/* ---- Episodes -------------------------------------------------------------------------------------------------- */

static uint32_t draw(vec_noop *rng) {
  if (rng->draws < VEC_DRAWS_MANY) rng->draws++;
  return mt_next(&rng->mt);
}

/* Uniform in 0..range-1, by the method of Lemire (2019) that the reference's library uses. */
static uint32_t uniform(vec_noop *rng, uint32_t range) {
  uint64_t product = (uint64_t)draw(rng) * range;
  uint32_t low = (uint32_t)product;
  if (low < range) {
    uint32_t threshold = -range % range;
    while (low < threshold) {
      product = (uint64_t)draw(rng) * range;
      low = (uint32_t)product;
    }
  }
  return (uint32_t)(product >> 32);
}

static bool knows_fire(const vec_member *m) {
  for (int i = 0; i < m->actions.count; i++) {
    if (m->actions.items[i] == SIXER_ACTION_FIRE) return true;
  }
  return false;
}

static void act_once(sixer_env *env, int action) {
  act_one_frame(env, (sixer_input){.action_a = action, .strength_a = 1}, true);
}

/* Power on, seed and reset. */
static void power_on(sixer_vec *vec, vec_member *m, uint32_t seed) {
  const vec_model *model = m->model;
  vec_noop_seed(&m->noop, seed, 0);
  m->seed = -1;
  if (!model->seedless) {
    env_boot(m->env, seed);
    sixer_env_reset(m->env);
    return;
  }
  env_clone(m->env, model->env);
  env_seed(m->env, seed);
  if (!draws(vec)) return;
  if (pictures_reserve(&m->pictures, &model->pictures, model->env->height))
    pictures_copy(&m->pictures, &model->pictures, model->env->height);
  else
    fail(vec);
}

static int32_t clamp(int64_t value, int32_t low, int32_t high) {
  return value < low ? low : value > high ? high : (int32_t)value;
}

/* What the step that ends now gave each player. */
static void note_players(const sixer_vec *vec, vec_member *m, sixer_end end) {
  const sixer_vec_config *config = &vec->config;
  const sixer_env *env = m->env;
  vec_result *r = &m->result;
  for (int k = 0; k < vec->players; k++) {
    r->ended[k] = end != SIXER_END_NONE || game_lives_of(env->rules, env->vars, k) < 0;
    if (k == 0) continue;
    int64_t reward = env->seats.reward[k];
    r->more_raw[k - 1] = clamp(reward, INT32_MIN, INT32_MAX);
    int32_t paid = clamp(reward, config->env.reward_min, config->env.reward_max);
    r->more_rewards[k - 1] = config->clip_rewards ? clamp(paid, -1, 1) : paid;
    r->more_executed[k - 1] = env->seats.executed[k - 1];
  }
}

/* The input of a step of several players. Those that are out do nothing. */
static void add_players(const sixer_vec *vec, const vec_member *m, sixer_input *input) {
  int *actions[] = {&input->action_a, &input->action_b, &input->action_c, &input->action_d};
  float *strengths[] = {&input->strength_a, &input->strength_b, &input->strength_c,
                        &input->strength_d};
  for (int k = 0; k < vec->players; k++) {
    if (k > 0) {
      *actions[k] = m->actions.items[m->more_actions[k - 1]];
      *strengths[k] = m->more_strengths[k - 1];
    }
    if (seats_barred(m->env, k)) *actions[k] = SIXER_ACTION_NOOP;
  }
}

static void reset_member(sixer_vec *vec, vec_member *m, vec_thread *t) {
  sixer_env *env = m->env;
  const sixer_vec_config *config = &vec->config;
  const bool seeded = m->seed >= 0;
  const uint32_t drawn = env->control.rng.index;
  if (m->seed >= 0)
    power_on(vec, m, (uint32_t)m->seed);
  else
    sixer_env_reset(env);
  bool fire = config->fire_start && knows_fire(m);
  if (fire) act_once(env, SIXER_ACTION_FIRE);
  int noops = config->noop_max > 0 ? (int)uniform(&m->noop, (uint32_t)config->noop_max) : 0;
  for (int k = noops - fire; k > 0; k--) {
    act_once(env, SIXER_ACTION_NOOP);
    if (env_end(env) != SIXER_END_NONE) sixer_env_reset(env);
  }
  /* a game whose own start is played with random numbers starts differently in an env alone (start_skip) */
  if (m->recorder)
    vec_tape_reset(m, !seeded && !fire && noops <= 0 && env->control.rng.index == drawn);
  memset(m->ring, 0, vec->obs_size);
  m->newest = vec->config.stack - 1;
  if (draws(vec))
    make_picture(vec, m, t, NULL);
  else
    memcpy(next_picture(vec, m), env->m.c->ram, vec->picture_size);
  m->elapsed = 0;
  m->lives = env_lives(env);
  m->result = (vec_result){.executed = env->now.executed};
  if (vec->players > 1) note_players(vec, m, SIXER_END_NONE);
  m->over = false;
  m->ready = true;
}

/* Has the episode ended with the last frame, and why? */
static sixer_end episode_end(const sixer_vec *vec, const vec_member *m, bool life_lost) {
  sixer_end end = env_end(m->env);
  if (end == SIXER_END_GAME_OVER) return end;
  if (vec->config.life_loss == SIXER_LIFE_LOSS_END && life_lost) return SIXER_END_LIFE;
  if (vec->config.env.max_frames > 0 && m->elapsed >= vec->config.env.max_frames)
    return SIXER_END_FRAME_LIMIT;
  return end;
}

static void step_member(sixer_vec *vec, vec_member *m, vec_thread *t) {
  sixer_env *env = m->env;
  const sixer_vec_config *config = &vec->config;
  sixer_input input = {.action_a = m->actions.items[m->action],
                       .action_b = m->action_b,
                       .strength_a = m->strength,
                       .strength_b = m->strength_b,
                       .switches = m->switches};
  if (vec->players > 1) add_players(vec, m, &input);
  if (m->recorder && m->changed) vec_tape_state(m);
  const int32_t frames_before = env->now.episode_frames;
  env_act act = act_begin_step(env, input);
  bool pooled = draws(vec) && config->pool != SIXER_POOL_NONE && act.frames > 1;
  if (pooled) act.shown++;
  const uint8_t *first = NULL; /* the screen of the last frame but one: env_screen_rows() */
  bool life_lost = false, complete = false;
  sixer_end end = SIXER_END_NONE;

  while (act.left > 0) {
    if (first && (env->blend || env->m.c->tia.partial)) {
      /* the next frame would overwrite the screen that `first` points to */
      finish_screens(env);
      memcpy(t->kept, first, (size_t)env->height * SCREEN_WIDTH);
      first = t->kept;
    }
    act_frame(env, &act);
    if (m->elapsed < INT32_MAX) m->elapsed++;
    int lives = env_lives(env);
    life_lost = lives < m->lives && lives > 0;
    end = episode_end(vec, m, life_lost);
    if (end != SIXER_END_NONE) break;
    if (act.left == 1 && pooled) first = env_screen_rows(env);
    complete = act.left == 0;
  }

  if (!draws(vec))
    memcpy(next_picture(vec, m), env->m.c->ram, vec->picture_size);
  else if (complete)
    make_picture(vec, m, t, first);
  else if (first)
    make_late_picture(vec, m, t, first);
  else
    repeat_picture(vec, m);

  if (m->recorder) vec_tape_step(m, input, &act, frames_before);
  if (config->env.sound) audio_samples(&env->audio, env->m.audio, env->sound, SIXER_SOUND_SAMPLES);
  bool life_ends = config->life_loss != SIXER_LIFE_LOSS_PLAIN && life_lost;
  m->lives = env_lives(env);
  m->result.raw_reward = clamp(act.reward, INT32_MIN, INT32_MAX);
  m->result.reward = clamp(act.reward, config->env.reward_min, config->env.reward_max);
  if (config->clip_rewards) m->result.reward = clamp(m->result.reward, -1, 1);
  m->result.executed = env->now.executed;
  if (vec->players > 1) note_players(vec, m, end);
  m->result.end = end;
  m->over = end != SIXER_END_NONE;
  m->result.terminated = end == SIXER_END_GAME_OVER || life_ends;
  m->result.truncated =
      (end == SIXER_END_FRAME_LIMIT || end == SIXER_END_STUCK) && !m->result.terminated;
}

void vec_member_work(sixer_vec *vec, vec_member *m, vec_thread *t, uint8_t *final_obs) {
  env_lend(m->env, &t->buffers);
  m->has_final = false;
  if (m->task == TASK_STEP && m->over && vec->config.autoreset == SIXER_AUTORESET_NEXT)
    m->task = TASK_RESET;
  if (m->task == TASK_STEP) {
    step_member(vec, m, t);
    if (m->over && vec->config.autoreset == SIXER_AUTORESET_SAME) {
      /* report the result of the step that ended, and the first observation of the next episode */
      if (final_obs) vec_member_observation(vec, m, final_obs);
      vec_result ended = m->result;
      reset_member(vec, m, t);
      m->result = ended;
      m->has_final = final_obs != NULL;
    } else if (m->result.terminated && final_obs && vec->config.autoreset == SIXER_AUTORESET_SAME) {
      /* a lost life that is reported as an end: the last observation before it is this one */
      vec_member_observation(vec, m, final_obs);
      m->has_final = true;
    }
  } else if (m->task == TASK_RESET) {
    reset_member(vec, m, t);
  }
  m->task = TASK_NONE;
  if (draws(vec) && !pictures_leave(m->env)) fail(vec);
}

static void report_players(const sixer_vec *vec, const vec_member *m, const sixer_vec_out *out,
                           int row) {
  const vec_result *r = &m->result;
  for (int k = 0; k < vec->players; k++) {
    size_t at = (size_t)row * (size_t)vec->players + (size_t)k;
    if (out->rewards) out->rewards[at] = k ? r->more_rewards[k - 1] : r->reward;
    if (out->raw_rewards) out->raw_rewards[at] = k ? r->more_raw[k - 1] : r->raw_reward;
    if (out->executed) out->executed[at] = k ? r->more_executed[k - 1] : r->executed;
    if (out->lives) out->lives[at] = game_lives_of(m->env->rules, m->env->vars, k);
    if (out->ended) out->ended[at] = r->ended[k];
  }
}

void vec_member_report(const sixer_vec *vec, int index, const sixer_vec_out *out, int row) {
  const vec_member *m = &vec->members[index];
  if (out->obs) vec_member_observation(vec, m, out->obs + (size_t)row * vec->obs_size);
  if (vec->players > 1) {
    report_players(vec, m, out, row);
  } else {
    if (out->rewards) out->rewards[row] = m->result.reward;
    if (out->raw_rewards) out->raw_rewards[row] = m->result.raw_reward;
    if (out->lives) out->lives[row] = m->lives;
    if (out->executed) out->executed[row] = m->result.executed;
    if (out->ended) out->ended[row] = m->over;
  }
  if (out->terminated) out->terminated[row] = m->result.terminated;
  if (out->truncated) out->truncated[row] = m->result.truncated;
  if (out->ends) out->ends[row] = (uint8_t)m->result.end;
  if (out->env_ids) out->env_ids[row] = index;
  if (out->frames) out->frames[row] = m->env->now.frames;
  if (out->episode_frames) out->episode_frames[row] = m->env->now.episode_frames;
  if (out->levels) out->levels[row] = m->env->now.level;
}
