/* Vectors of `sixer serve`: many environments of one game in a connection, stepped by a pool of threads. */
#include <stdlib.h>
#include <string.h>

#include "lab/serve.h"

void serve_vec_free(serve_session *s) {
  sixer_vec_destroy(s->vec);
  free(s->out.obs);
  free(s->ints);
  free(s->numbers);
  free(s->out.terminated);
  s->vec = NULL;
  s->out = (sixer_vec_out){0};
  s->ints = NULL;
  s->numbers = NULL;
}

static sixer_err read_vec_config(const message *m, int count, sixer_vec_config *c,
                                 sixer_error *error) {
  int screen = SHOW_GRAY, pool = c->pool, actions = c->actions, loss = c->life_loss,
      autoreset = c->autoreset;
  bool ram = false;
  int64_t threads = 1, height = c->height, width = c->width, stack = c->stack,
          noop_max = c->noop_max;
  sixer_err err = message_get_choice(m, "screen", SHOW_SCREENS, &screen, error);
  if (!err) err = message_get_flag(m, "ram", &ram, error);
  if (!err) err = message_get_choice(m, "pool", "none|max|mean", &pool, error);
  if (!err) err = message_get_choice(m, "actions", "minimal|legal|codes", &actions, error);
  if (!err) err = message_get_choice(m, "life_loss", "plain|info|end", &loss, error);
  if (!err) err = message_get_choice(m, "autoreset", "next|same|off", &autoreset, error);
  if (!err) err = message_get_int(m, "threads", 1, count, &threads, error);
  if (!err) err = message_get_int(m, "height", 0, 1000, &height, error);
  if (!err) err = message_get_int(m, "width", 0, 1000, &width, error);
  if (!err) err = message_get_int(m, "stack", 1, 16, &stack, error);
  if (!err) err = message_get_int(m, "noop_max", 0, 10000, &noop_max, error);
  if (!err) err = message_get_flag(m, "fire_start", &c->fire_start, error);
  if (!err) err = message_get_flag(m, "clip_rewards", &c->clip_rewards, error);
  if (err) return err;
  if (ram && message_find(m, "screen") && screen != SHOW_NONE)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "the environments of a vector show a screen or RAM, not both");
  if (!ram && screen == SHOW_NONE)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "a vector shows gray, rgb or indexed screens, or with \"ram\": true RAM");
  c->obs = ram                   ? SIXER_OBS_RAM
           : screen == SHOW_GRAY ? SIXER_OBS_GRAY
           : screen == SHOW_RGB  ? SIXER_OBS_RGB
                                 : SIXER_OBS_PALETTE;
  c->pool = (sixer_pool)pool;
  c->actions = (sixer_actions)actions;
  c->life_loss = (sixer_life_loss)loss;
  c->autoreset = (sixer_autoreset)autoreset;
  c->threads = (int)threads;
  c->height = (int)height;
  c->width = (int)width;
  c->stack = (int)stack;
  c->noop_max = (int)noop_max;
  return SIXER_OK;
}

/* Refuse vectors that are too large before anything is allocated. A screen has at most 256 rows. */
static sixer_err check_size(const serve_session *s, int count, const sixer_vec_config *c,
                            sixer_error *error) {
  int64_t pixels = (int64_t)(c->height ? c->height : 256) * (c->width ? c->width : 160);
  int64_t size = c->obs == SIXER_OBS_RAM ? 128 : pixels * (c->obs == SIXER_OBS_RGB ? 3 : 1);
  if (size * c->stack * count <= s->settings.max_memory) return SIXER_OK;
  return sixer_fail(
      error, SIXER_ERR_ARGUMENT,
      "observations of %d environments would take more than %lld bytes; ask for fewer or "
      "smaller ones",
      count, (long long)s->settings.max_memory);
}

/* Arrays for the results of `count` envs; 5 of ints, 3 of flags. */
static bool make_arrays(serve_session *n, int count, size_t obs_size) {
  size_t rows = (size_t)count;
  n->ints = calloc(5 * rows, sizeof *n->ints);
  n->numbers = calloc(2 * rows, sizeof *n->numbers);
  uint8_t *flags = calloc(3 * rows, 1);
  n->out = (sixer_vec_out){.rows = count, .obs = malloc(rows * obs_size), .terminated = flags};
  if (!n->ints || !n->numbers || !flags || !n->out.obs) return false;
  n->out.truncated = flags + rows;
  n->out.ends = flags + 2 * rows;
  n->out.rewards = n->ints;
  n->out.lives = n->ints + rows;
  n->out.episode_frames = n->ints + 2 * rows;
  return true;
}

sixer_err serve_vec_make(serve_session *s, sixer_rom *rom, int count, const sixer_config *config,
                         sixer_error *error) {
  sixer_vec_config c = sixer_vec_config_default();
  c.env = *config;
  sixer_err err = read_vec_config(&s->request, count, &c, error);
  if (!err) err = check_size(s, count, &c, error);
  if (err) return err;
  sixer_vec_slot *slots = calloc((size_t)count, sizeof *slots);
  serve_session next = {0};
  if (!slots) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a vector");
  for (int i = 0; i < count; i++)
    slots[i] = (sixer_vec_slot){rom, config->mode, config->difficulty};
  err = sixer_vec_create(slots, count, &c, &next.vec, error);
  free(slots);
  if (err) return err;
  sixer_vec_info info = sixer_vec_describe(next.vec);
  if (!make_arrays(&next, count, info.obs_size))
    err = sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a vector");
  if (err) {
    serve_vec_free(&next);
    return err;
  }
  serve_vec_free(s);
  sixer_env_destroy(s->env);
  sixer_rom_close(s->rom);
  s->env = NULL;
  s->rom = rom;
  s->vec = next.vec;
  s->out = next.out;
  s->ints = next.ints;
  s->numbers = next.numbers;
  message_begin(&s->reply, s->stream.packed);
  message_put_flag(&s->reply, "ok", true);
  show_rom(&s->reply, rom);
  message_put_int(&s->reply, "count", count);
  int32_t shape[5] = {count};
  for (int i = 0; i < info.dims; i++) shape[i + 1] = info.shape[i];
  message_put_ints(&s->reply, "shape", shape, (size_t)info.dims + 1);
  return SIXER_OK;
}

static void put_flags(serve_session *s, const char *key, const uint8_t *flags) {
  int32_t *ints = s->ints + 3 * s->out.rows;
  for (int i = 0; i < s->out.rows; i++) ints[i] = flags[i];
  message_put_ints(&s->reply, key, ints, (size_t)s->out.rows);
}

static void report(serve_session *s, bool stepped) {
  size_t rows = (size_t)s->out.rows;
  message_begin(&s->reply, s->stream.packed);
  message_put_flag(&s->reply, "ok", true);
  if (stepped) {
    message_put_ints(&s->reply, "rewards", s->out.rewards, rows);
    put_flags(s, "terminated", s->out.terminated);
    put_flags(s, "truncated", s->out.truncated);
  }
  message_put_ints(&s->reply, "lives", s->out.lives, rows);
  message_put_ints(&s->reply, "episode_frames", s->out.episode_frames, rows);
  message_put_bytes(&s->reply, "obs", s->out.obs, rows * sixer_vec_describe(s->vec).obs_size);
}

sixer_err serve_vec_reset(serve_session *s, sixer_error *error) {
  int count = s->out.rows;
  int64_t seed = -1, *seeds = s->numbers, *mask = s->numbers + count;
  sixer_err err = message_check_keys(&s->request, "do|seed|seeds|mask", error);
  if (!err) err = message_get_int(&s->request, "seed", 0, UINT32_MAX, &seed, error);
  for (int i = 0; i < count; i++) {
    seeds[i] = seed < 0 ? -1 : (seed + i) % ((int64_t)UINT32_MAX + 1);
    mask[i] = 1;
  }
  if (!err) err = message_get_ints(&s->request, "seeds", count, -1, UINT32_MAX, seeds, error);
  if (!err) err = message_get_ints(&s->request, "mask", count, 0, 1, mask, error);
  if (err) return err;
  uint8_t *chosen = malloc((size_t)count);
  if (!chosen) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  for (int i = 0; i < count; i++) chosen[i] = mask[i] != 0;
  err = sixer_vec_reset(s->vec, chosen, seeds, &s->out, error);
  free(chosen);
  if (!err) report(s, false);
  return err;
}

sixer_err serve_vec_step(serve_session *s, sixer_error *error) {
  int count = s->out.rows;
  int32_t *actions = s->ints + 4 * count;
  sixer_err err = message_check_keys(&s->request, "do|actions", error);
  if (!err && !message_find(&s->request, "actions"))
    err = sixer_fail(error, SIXER_ERR_ARGUMENT, "'actions' is missing: an array of %d numbers",
                     count);
  if (!err)
    err = message_get_ints(&s->request, "actions", count, 0, SIXER_ACTION_COUNT - 1, s->numbers,
                           error);
  if (err) return err;
  for (int i = 0; i < count; i++) actions[i] = (int32_t)s->numbers[i];
  err = sixer_vec_step(s->vec, actions, NULL, &s->out, error);
  if (!err) report(s, true);
  return err;
}

sixer_err serve_vec_look(serve_session *s, sixer_error *error) {
  sixer_err err = message_check_keys(&s->request, "do", error);
  if (!err) err = sixer_vec_observe(s->vec, NULL, s->out.rows, &s->out, error);
  if (!err) report(s, false);
  return err;
}

/* Which env of the vector is meant. */
static sixer_err read_env(const serve_session *s, int32_t *env, sixer_error *error) {
  int64_t index = -1;
  sixer_err err = message_get_int(&s->request, "env", 0, s->out.rows - 1, &index, error);
  if (!err && index < 0)
    err = sixer_fail(error, SIXER_ERR_ARGUMENT, "'env' is missing: which of the %d", s->out.rows);
  *env = (int32_t)index;
  return err;
}

sixer_err serve_vec_save(serve_session *s, sixer_error *error) {
  int32_t env;
  sixer_err err = message_check_keys(&s->request, "do|env", error);
  if (!err) err = read_env(s, &env, error);
  if (err) return err;
  size_t size = sixer_vec_state_size(s->vec, env, SIXER_SAVE_CONTROLLER);
  void *state = malloc(size);
  if (!state) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a state");
  err = sixer_vec_save(s->vec, &env, 1, SIXER_SAVE_CONTROLLER, &state, &size, error);
  if (!err) {
    message_begin(&s->reply, s->stream.packed);
    message_put_flag(&s->reply, "ok", true);
    message_put_bytes(&s->reply, "state", state, size);
  }
  free(state);
  return err;
}

sixer_err serve_vec_load(serve_session *s, sixer_error *error) {
  int32_t env;
  const uint8_t *state = NULL;
  size_t size = 0;
  sixer_err err = message_check_keys(&s->request, "do|env|state", error);
  if (!err) err = read_env(s, &env, error);
  if (!err) err = message_get_bytes(&s->request, "state", &state, &size, error);
  if (!err && !state) err = sixer_fail(error, SIXER_ERR_ARGUMENT, "'state' is missing");
  const void *states[] = {state};
  if (!err) err = sixer_vec_load(s->vec, &env, 1, states, &size, error);
  if (err) return err;
  message_begin(&s->reply, s->stream.packed);
  message_put_flag(&s->reply, "ok", true);
  return SIXER_OK;
}
