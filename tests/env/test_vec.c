/* Vectors: equal to envs stepped alone, for any number of threads and for every way of stepping; states and copies;
 * errors.
 *
 * `alone` below defines the right result: one env that draws every frame, and a plain second implementation of the
 * reference's rules for episodes and pictures, without the optimizations of src/env/vec_*.c and pictures.c. The
 * generated cartridges cover frames that are too short, interrupted or of changing length, which are rare in games.
 * label: long */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "env/act.h"
#include "env/env.h"
#include "env/preprocess.h"
#include "env/vec_parts.h"
#include "machine/jit.h"
#include "machine/tia_work.h"
#include "support/generated_images.h"
#include "sixer/vec.h"

enum { MAX_ENVS = 24 };

/* Sanitized builds are ten times slower, so they run only some of the images. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { STRIDE = 23 };
#else
enum { STRIDE = 5 };
#endif

/* ---- Images ---------------------------------------------------------------------------------------------------- */

static image_list *images;
static sixer_rom *roms[MAX_IMAGES];

static void add_images(const char *folder) {
  image_list *more = list_images(folder);
  for (int i = 0; i < more->count && images->count < MAX_IMAGES; i++)
    memcpy(images->paths[images->count++], more->paths[i], MAX_PATH);
  free(more);
}

static int open_images(void **state) {
  (void)state;
  images = calloc(1, sizeof *images);
  add_images(TESTS_DIR "/../roms");
  add_images(TESTS_DIR "/cartridges");
  add_images(IMAGES_DIR);
  for (int i = 0; i < images->count; i++) {
    sixer_error error;
    /* rules of some game, so that there are rewards, lives and ends; none that has modes to select */
    static const char *const rules[] = {"tetris", "qbert", "seaquest", "asterix"};
    if (sixer_rom_open(images->paths[i], rules[i % 4], &roms[i], &error)) {
      print_error("%s\n", error.message);
      return -1;
    }
  }
  return images->count ? 0 : -1;
}

static int close_images(void **state) {
  (void)state;
  for (int i = 0; i < images->count; i++) sixer_rom_close(roms[i]);
  free(images);
  return 0;
}

/* ---- Alone ----------------------------------------------------------------------------------------------------- */

typedef struct alone {
  sixer_vec_config config;
  sixer_env *env;
  preprocess pre;
  preprocess_scratch scratch;
  mt19937 noop;
  sixer_list actions;
  uint8_t *f0, *f1, *ring;
  size_t raw_size, picture_size;
  int elapsed, lives;
  bool over;
  int32_t reward, raw_reward;
  bool terminated, truncated;
  sixer_end end;
} alone;

static alone *alone_create(const sixer_rom *rom, const sixer_vec_config *config, int index) {
  alone *a = calloc(1, sizeof *a);
  a->config = *config;
  sixer_config env = config->env;
  env.seed += (uint32_t)index;
  env.max_frames = 0;
  env.reward_min = INT32_MIN;
  env.reward_max = INT32_MAX;
  assert_int_equal(sixer_env_create(rom, &env, &a->env, NULL), SIXER_OK);
  assert_int_equal(preprocess_make(&a->pre, config, sixer_env_height(a->env), NULL), SIXER_OK);
  assert_int_equal(preprocess_scratch_make(&a->scratch, &a->pre, NULL), SIXER_OK);
  mt_seed(&a->noop, env.seed);
  a->actions = config->actions == SIXER_ACTIONS_MINIMAL ? sixer_rom_minimal_actions(rom)
               : config->actions == SIXER_ACTIONS_LEGAL ? sixer_rom_legal_actions(rom)
                                                        : rom_all_actions();
  a->raw_size = config->obs == SIXER_OBS_RAM ? 128 : preprocess_raw_size(&a->pre);
  a->picture_size = preprocess_out_size(&a->pre);
  a->f0 = calloc(2, a->raw_size);
  a->f1 = a->f0 + a->raw_size;
  a->ring = calloc((size_t)config->stack, a->picture_size);
  return a;
}

static void alone_destroy(alone *a) {
  sixer_env_destroy(a->env);
  preprocess_free(&a->pre);
  preprocess_scratch_free(&a->scratch);
  free(a->f0);
  free(a->ring);
  free(a);
}

static void capture(alone *a, uint8_t *raw) {
  if (a->config.obs == SIXER_OBS_RAM)
    memcpy(raw, sixer_env_ram(a->env), 128);
  else
    preprocess_color(&a->pre, &a->env->colors, sixer_env_screen(a->env), raw);
}

/* `pooled`: combine F0 and F1. */
static void process(alone *a, bool pooled) {
  if (pooled && a->config.obs != SIXER_OBS_RAM) preprocess_pool(&a->pre, a->f0, a->f1);
  memmove(a->ring, a->ring + a->picture_size, a->picture_size * (size_t)(a->config.stack - 1));
  uint8_t *newest = a->ring + a->picture_size * (size_t)(a->config.stack - 1);
  if (a->config.obs == SIXER_OBS_RAM)
    memcpy(newest, a->f0, 128);
  else
    preprocess_resize(&a->pre, &a->scratch, a->f0, newest);
}

static bool has_fire(const alone *a) {
  for (int i = 0; i < a->actions.count; i++) {
    if (a->actions.items[i] == SIXER_ACTION_FIRE) return true;
  }
  return false;
}

/* For small ranges only: the case in which the method draws again is left out, as it practically never happens. */
static int draw_noops(alone *a) {
  return a->config.noop_max
             ? (int)((uint64_t)mt_next(&a->noop) * (uint64_t)a->config.noop_max >> 32)
             : 0;
}

static void act(alone *a, int action) {
  act_one_frame(a->env, (sixer_input){.action_a = action, .strength_a = 1}, true);
}

static void alone_reset(alone *a, int64_t seed) {
  if (seed >= 0) {
    env_boot(a->env, (uint32_t)seed);
    mt_seed(&a->noop, (uint32_t)seed);
  }
  sixer_env_reset(a->env);
  bool fire = a->config.fire_start && has_fire(a);
  if (fire) act(a, SIXER_ACTION_FIRE);
  for (int k = draw_noops(a) - fire; k > 0; k--) {
    act(a, SIXER_ACTION_NOOP);
    if (env_end(a->env) != SIXER_END_NONE) sixer_env_reset(a->env);
  }
  memset(a->ring, 0, a->picture_size * (size_t)a->config.stack);
  capture(a, a->f0);
  process(a, false);
  a->elapsed = 0;
  a->lives = env_lives(a->env);
  a->reward = a->raw_reward = 0;
  a->terminated = a->truncated = a->over = false;
  a->end = SIXER_END_NONE;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

static void alone_step(alone *a, int action, float strength) {
  sixer_env *env = a->env;
  const sixer_vec_config *c = &a->config;
  sixer_input input = {.action_a = a->actions.items[action], .strength_a = strength};
  act_draw_action(env, &input);
  int skip = act_draw_frames(env), wait = act_draw_delay(env);
  bool pool = c->pool != SIXER_POOL_NONE && skip > 1, first = false, last = false, lost = false;
  int64_t reward = 0;
  a->end = SIXER_END_NONE;
  for (int s = skip; s > 0; s--) {
    reward += act_one_frame(env, input, skip - s >= wait);
    a->elapsed++;
    lost = env_lives(env) < a->lives && env_lives(env) > 0;
    sixer_end end = env_end(env);
    if (end == SIXER_END_GAME_OVER)
      a->end = end;
    else if (c->life_loss == SIXER_LIFE_LOSS_END && lost)
      a->end = SIXER_END_LIFE;
    else if (c->env.max_frames && a->elapsed >= c->env.max_frames)
      a->end = SIXER_END_FRAME_LIMIT;
    else
      a->end = end;
    if (a->end != SIXER_END_NONE) break;
    if (s == 2 && pool) capture(a, a->f1), first = true;
    if (s == 1) capture(a, a->f0), last = true;
  }
  if (c->obs == SIXER_OBS_RAM) capture(a, a->f0);
  /* a step without both frames repeats the picture before, except that a new F1 is pooled into it */
  process(a, pool && (first || last));
  a->lives = env_lives(env);
  a->over = a->end != SIXER_END_NONE;
  a->raw_reward = (int32_t)reward;
  a->reward = (int32_t)clamp(reward, c->env.reward_min, c->env.reward_max);
  if (c->clip_rewards) a->reward = (int32_t)clamp(a->reward, -1, 1);
  a->terminated = a->end == SIXER_END_GAME_OVER || (c->life_loss != SIXER_LIFE_LOSS_PLAIN && lost);
  a->truncated = !a->terminated && (a->end == SIXER_END_FRAME_LIMIT || a->end == SIXER_END_STUCK);
}

/* ---- A vec with arrays ----------------------------------------------------------------------------------------- */

typedef struct vec_case {
  sixer_vec *vec;
  sixer_vec_info info;
  sixer_vec_out out;
  uint8_t *obs, *final_obs;
  int32_t rewards[MAX_ENVS], raw_rewards[MAX_ENVS], env_ids[MAX_ENVS], lives[MAX_ENVS];
  int32_t episode_frames[MAX_ENVS], executed[MAX_ENVS], actions[MAX_ENVS];
  uint8_t terminated[MAX_ENVS], truncated[MAX_ENVS], ends[MAX_ENVS];
  int64_t frames[MAX_ENVS];
  float strengths[MAX_ENVS];
} vec_case;

static vec_case *case_create(const int *numbers, int count, const sixer_vec_config *config) {
  sixer_vec_slot slots[MAX_ENVS];
  vec_case *v = calloc(1, sizeof *v);
  for (int i = 0; i < count; i++)
    slots[i] = (sixer_vec_slot){roms[numbers[i]], SIXER_MODE_DEFAULT, 0};
  sixer_error error;
  if (sixer_vec_create(slots, count, config, &v->vec, &error)) fail_msg("%s", error.message);
  v->info = sixer_vec_describe(v->vec);
  assert_int_equal(v->info.count, count);
  v->obs = malloc((size_t)count * v->info.obs_size);
  v->final_obs = malloc((size_t)count * v->info.obs_size);
  v->out = (sixer_vec_out){.rows = count,
                           .obs = v->obs,
                           .final_obs = v->final_obs,
                           .rewards = v->rewards,
                           .raw_rewards = v->raw_rewards,
                           .terminated = v->terminated,
                           .truncated = v->truncated,
                           .ends = v->ends,
                           .env_ids = v->env_ids,
                           .lives = v->lives,
                           .frames = v->frames,
                           .episode_frames = v->episode_frames,
                           .executed = v->executed};
  return v;
}

static void case_destroy(vec_case *v) {
  sixer_vec_destroy(v->vec);
  free(v->obs);
  free(v->final_obs);
  free(v);
}

static void draw_actions(vec_case *v, uint64_t *random) {
  for (int i = 0; i < v->info.count; i++) {
    v->actions[i] = below(random, sixer_vec_actions(v->vec, i).count);
    v->strengths[i] = (float)below(random, 1000) / 999;
  }
}

static void step(vec_case *v) {
  sixer_error error;
  if (sixer_vec_step(v->vec, v->actions, v->strengths, &v->out, &error))
    fail_msg("%s", error.message);
}

static void reset(vec_case *v, const uint8_t *mask, const int64_t *seeds) {
  sixer_error error;
  if (sixer_vec_reset(v->vec, mask, seeds, &v->out, &error)) fail_msg("%s", error.message);
}

/* A digest of a row. */
static uint32_t digest_row(const vec_case *v, int row) {
  uLong crc = crc32(0, v->obs + (size_t)row * v->info.obs_size, (uInt)v->info.obs_size);
  int64_t numbers[] = {v->rewards[row],       v->raw_rewards[row], v->terminated[row],
                       v->truncated[row],     v->ends[row],        v->lives[row],
                       v->frames[row],        v->executed[row],    v->env_ids[row],
                       v->episode_frames[row]};
  crc = crc32(crc, (const Bytef *)numbers, sizeof numbers);
  return (uint32_t)crc;
}

/* ---- Equal to envs stepped alone ------------------------------------------------------------------------------- */

#define SAME(what, a, b)                                                                   \
  if ((a) != (b))                                                                          \
  fail_msg("%s: step %d: %s is %lld, alone %lld", name, step_number, what, (long long)(a), \
           (long long)(b))

static void compare(const char *name, int step_number, const vec_case *v, int row, const alone *a) {
  SAME("reward", v->rewards[row], a->reward);
  SAME("raw reward", v->raw_rewards[row], a->raw_reward);
  SAME("terminated", v->terminated[row], a->terminated);
  SAME("truncated", v->truncated[row], a->truncated);
  SAME("end", v->ends[row], a->end);
  SAME("lives", v->lives[row], a->lives);
  SAME("frames", v->frames[row], a->env->now.frames);
  SAME("episode frames", v->episode_frames[row], a->env->now.episode_frames);
  const uint8_t *obs = v->obs + (size_t)row * v->info.obs_size;
  if (!memcmp(obs, a->ring, v->info.obs_size)) return;
  size_t i = 0;
  while (obs[i] == a->ring[i]) i++;
  fail_msg("%s: step %d: byte %zu of the observation is %d, alone %d", name, step_number, i, obs[i],
           a->ring[i]);
}

/* Play one image under one config, in a vec and alone. */
static void play_both(const char *name, int number, const sixer_vec_config *config, int steps) {
  enum { ENVS = 2 };
  int numbers[ENVS] = {number, number};
  vec_case *v = case_create(numbers, ENVS, config);
  alone *a[ENVS];
  for (int i = 0; i < ENVS; i++) a[i] = alone_create(roms[number], config, i);
  uint64_t random = (uint64_t)number;
  reset(v, NULL, NULL);
  for (int i = 0; i < ENVS; i++) {
    alone_reset(a[i], -1);
    compare(name, 0, v, i, a[i]);
  }
  for (int s = 1; s <= steps; s++) {
    draw_actions(v, &random);
    if (s % 13 == 0) {
      /* reset one of them, with a seed or without */
      uint8_t mask[ENVS] = {s % 2, !(s % 2)};
      int64_t seeds[ENVS] = {s % 3 ? -1 : s, s % 3 ? -1 : s};
      reset(v, mask, seeds);
      alone_reset(a[mask[1] ? 1 : 0], seeds[0]);
      compare(name, s, v, mask[1] ? 1 : 0, a[mask[1] ? 1 : 0]);
      continue;
    }
    step(v);
    for (int i = 0; i < ENVS; i++) {
      bool resets = a[i]->over;
      if (resets && config->autoreset == SIXER_AUTORESET_NEXT) {
        alone_reset(a[i], -1);
      } else {
        alone_step(a[i], v->actions[i], v->strengths[i]);
        if (a[i]->over && config->autoreset == SIXER_AUTORESET_SAME) {
          assert_memory_equal(v->final_obs + (size_t)i * v->info.obs_size, a[i]->ring,
                              v->info.obs_size);
          alone ended = *a[i];
          alone_reset(a[i], -1);
          a[i]->reward = ended.reward, a[i]->raw_reward = ended.raw_reward;
          a[i]->terminated = ended.terminated, a[i]->truncated = ended.truncated;
          a[i]->end = ended.end;
        }
      }
      compare(name, s, v, i, a[i]);
      if (config->autoreset == SIXER_AUTORESET_SAME) a[i]->over = false;
    }
  }
  for (int i = 0; i < ENVS; i++) alone_destroy(a[i]);
  case_destroy(v);
}

/* A config by number: every setting takes each of its values. */
static sixer_vec_config config_number(int n) {
  uint64_t random = (uint64_t)n * 77 + 5;
  sixer_vec_config c = sixer_vec_config_default();
  c.obs = (sixer_obs)below(&random, 4);
  c.pool = c.obs == SIXER_OBS_PALETTE ? SIXER_POOL_NONE : (sixer_pool)below(&random, 3);
  if (c.obs == SIXER_OBS_PALETTE || below(&random, 3)) c.height = c.width = 0;
  c.stack = 1 + below(&random, 4);
  c.actions = (sixer_actions)below(&random, 3);
  c.noop_max = below(&random, 2) ? below(&random, 12) : 0;
  c.fire_start = below(&random, 2);
  c.clip_rewards = below(&random, 2);
  c.life_loss = (sixer_life_loss)below(&random, 3);
  c.autoreset = (sixer_autoreset)below(&random, 2);
  c.env.frame_skip = 1 + below(&random, 5);
  if (!below(&random, 4)) c.env.frame_skip_max = c.env.frame_skip + below(&random, 3);
  c.env.sticky = below(&random, 2) ? 0.25f : 0;
  c.env.max_frames = below(&random, 2) ? 11 + below(&random, 60) : 0;
  c.env.stuck_limit = below(&random, 3) ? 0 : 25;
  c.env.color_averaging = !below(&random, 3);
  c.env.random_action = below(&random, 4) ? 0 : 0.1f;
  c.env.delay_max = below(&random, 4) ? 0 : 3;
  c.env.core = below(&random, 12) ? SIXER_CORE_AUTO : SIXER_CORE_PLAIN;
  c.env.seed = (uint32_t)n;
  c.threads = 1 + below(&random, 2);
  return c;
}

static void test_alone(void **state) {
  (void)state;
  char name[MAX_PATH + 40];
  for (int i = 0; i < images->count; i += STRIDE) {
    for (int k = 0; k < (i < 6 ? 4 : 1); k++) {
      sixer_vec_config config = config_number(3 * i + k);
      snprintf(name, sizeof name, "%s, config %d", images->paths[i], 3 * i + k);
      play_both(name, i, &config, 25);
    }
  }
}

/* ---- Threads and ways of stepping ------------------------------------------------------------------------------ */

enum { THREAD_ENVS = 20, THREAD_STEPS = 16 };

static void mixed(int numbers[THREAD_ENVS]) {
  for (int i = 0; i < THREAD_ENVS; i++) numbers[i] = i * 7 % images->count;
}

static sixer_vec_config mixed_config(sixer_autoreset autoreset, int threads) {
  sixer_vec_config config = sixer_vec_config_default();
  config.autoreset = autoreset;
  config.threads = threads;
  config.actions = SIXER_ACTIONS_CODES;
  config.env.max_frames = 50;
  config.env.sticky = 0.25f;
  return config;
}

/* Digests of all rows of all steps; row e of step s is at [s][e] for env e. */
static void play_together(int threads, sixer_autoreset autoreset,
                          uint32_t digests[THREAD_STEPS + 1][THREAD_ENVS]) {
  int numbers[THREAD_ENVS];
  mixed(numbers);
  sixer_vec_config config = mixed_config(autoreset, threads);
  vec_case *v = case_create(numbers, THREAD_ENVS, &config);
  assert_int_equal(v->info.threads, threads);
  reset(v, NULL, NULL);
  for (int s = 0; s <= THREAD_STEPS; s++) {
    if (s) {
      for (int i = 0; i < THREAD_ENVS; i++) v->actions[i] = (s * 7 + i * 3) % 18;
      if (sixer_vec_step(v->vec, v->actions, NULL, &v->out, NULL)) fail_msg("step %d", s);
    }
    for (int i = 0; i < THREAD_ENVS; i++) {
      assert_int_equal(v->env_ids[i], i);
      digests[s][i] = digest_row(v, i);
    }
  }
  case_destroy(v);
}

/* The same with batches of `batch`, each env at its own pace. */
static void play_apart(int threads, int batch, sixer_autoreset autoreset,
                       uint32_t digests[THREAD_STEPS + 1][THREAD_ENVS]) {
  int numbers[THREAD_ENVS], done[THREAD_ENVS] = {0}, all = 0;
  int32_t ids[THREAD_ENVS];
  mixed(numbers);
  sixer_vec_config config = mixed_config(autoreset, threads);
  vec_case *v = case_create(numbers, THREAD_ENVS, &config);
  for (int i = 0; i < THREAD_ENVS; i++) ids[i] = i;
  assert_int_equal(sixer_vec_send_reset(v->vec, ids, THREAD_ENVS, NULL, NULL), SIXER_OK);
  while (all < THREAD_ENVS * (THREAD_STEPS + 1)) {
    int pending = sixer_vec_pending(v->vec), count = batch < pending ? batch : pending, again = 0;
    if (sixer_vec_recv(v->vec, count, &v->out, NULL)) fail_msg("recv");
    for (int i = 0; i < count; i++) {
      int env = v->env_ids[i], s = done[env]++;
      assert_true(env >= 0 && env < THREAD_ENVS && s <= THREAD_STEPS);
      digests[s][env] = digest_row(v, i);
      all++;
      if (s < THREAD_STEPS) {
        ids[again] = env;
        v->actions[again++] = ((s + 1) * 7 + env * 3) % 18;
      }
    }
    if (sixer_vec_send(v->vec, ids, again, v->actions, NULL, NULL)) fail_msg("send");
  }
  assert_int_equal(sixer_vec_pending(v->vec), 0);
  case_destroy(v);
}

static void test_threads(void **state) {
  (void)state;
  static uint32_t first[THREAD_STEPS + 1][THREAD_ENVS], other[THREAD_STEPS + 1][THREAD_ENVS];
  static const int threads[] = {2, 16};
  for (int mode = 0; mode < 2; mode++) {
    sixer_autoreset autoreset = mode ? SIXER_AUTORESET_SAME : SIXER_AUTORESET_NEXT;
    play_together(1, autoreset, first);
    for (int i = 0; i < 2; i++) {
      play_together(threads[i], autoreset, other);
      assert_memory_equal(first, other, sizeof first);
    }
    play_apart(mode ? 1 : 2, mode ? THREAD_ENVS : 7, autoreset, other);
    assert_memory_equal(first, other, sizeof first);
    play_apart(16, 1, autoreset, other);
    assert_memory_equal(first, other, sizeof first);
  }
}

/* Numbers of lines are used up after some hours and start again. Nobody may see it. */
static void test_numbers(void **state) {
  (void)state;
  enum { STEPS = 60, EVERY = 15 };
  sixer_vec_config config = sixer_vec_config_default();
  config.threads = 1;
  int numbers[MAX_ENVS];
  for (int i = 0; i < MAX_ENVS; i++) numbers[i] = i % 4; /* of our own games */
  vec_case *a = case_create(numbers, MAX_ENVS, &config),
           *b = case_create(numbers, MAX_ENVS, &config);
  tia_work *work = b->vec->scratch[0].buffers.work;
  uint64_t random = 17;
  reset(a, NULL, NULL);
  reset(b, NULL, NULL);
  for (int i = 0; i < STEPS; i++) {
    /* a few new lines later, in the middle of a step, they are used up */
    if (i % EVERY == EVERY / 2) work->newest_stamp = MACHINE_STAMPS - (1 << 16) - 3;
    draw_actions(a, &random);
    memcpy(b->actions, a->actions, sizeof b->actions);
    memcpy(b->strengths, a->strengths, sizeof b->strengths);
    step(a);
    step(b);
    for (int k = 0; k < MAX_ENVS; k++) assert_int_equal(digest_row(a, k), digest_row(b, k));
    if (i % EVERY == EVERY - 1) assert_in_range(work->newest_stamp, 1, MACHINE_STAMPS / 2);
  }
  case_destroy(a);
  case_destroy(b);
}

/* A vec that is destroyed with work under way waits for it. */
static void test_destroy_busy(void **state) {
  (void)state;
  int numbers[THREAD_ENVS];
  int32_t ids[THREAD_ENVS];
  mixed(numbers);
  for (int i = 0; i < THREAD_ENVS; i++) ids[i] = i;
  sixer_vec_config config = mixed_config(SIXER_AUTORESET_NEXT, 3);
  vec_case *v = case_create(numbers, THREAD_ENVS, &config);
  assert_int_equal(sixer_vec_send_reset(v->vec, ids, THREAD_ENVS, NULL, NULL), SIXER_OK);
  case_destroy(v);
}

/* ---- States ---------------------------------------------------------------------------------------------------- */

enum { STATE_ENVS = 4 };

static void play_on(vec_case *v, uint64_t random, int steps, uint32_t *digests) {
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < STATE_ENVS; i++) v->actions[i] = below(&random, 18);
    if (sixer_vec_step(v->vec, v->actions, NULL, &v->out, NULL)) fail_msg("step %d", s);
    for (int i = 0; i < STATE_ENVS; i++) digests[s * STATE_ENVS + i] = digest_row(v, i);
  }
}

static void test_states(void **state) {
  (void)state;
  uint32_t before[8 * STATE_ENVS], after[8 * STATE_ENVS];
  for (int n = 0; n < images->count; n += 5 + STRIDE) {
    sixer_vec_config config = config_number(n + 1000);
    config.actions = SIXER_ACTIONS_CODES;
    config.autoreset = n % 2 ? SIXER_AUTORESET_SAME : SIXER_AUTORESET_NEXT;
    int numbers[STATE_ENVS] = {n, n, n, n};
    vec_case *v = case_create(numbers, STATE_ENVS, &config);
    reset(v, NULL, NULL);
    play_on(v, (uint64_t)n, 5, before);

    int32_t envs[STATE_ENVS] = {3, 0, 1, 2};
    void *states[STATE_ENVS];
    size_t sizes[STATE_ENVS];
    for (int i = 0; i < STATE_ENVS; i++) {
      sizes[i] = sixer_vec_state_size(v->vec, envs[i], SIXER_SAVE_CONTROLLER);
      assert_true(sizes[i] <= sixer_vec_state_bound(v->vec, SIXER_SAVE_CONTROLLER));
      states[i] = malloc(sizes[i]);
    }
    sixer_error error;
    if (sixer_vec_save(v->vec, envs, STATE_ENVS, SIXER_SAVE_CONTROLLER, states, sizes, &error))
      fail_msg("%s", error.message);
    play_on(v, 99, 8, before);
    if (sixer_vec_load(v->vec, envs, STATE_ENVS, (const void *const *)states, sizes, &error))
      fail_msg("%s: %s", images->paths[n], error.message);
    play_on(v, 99, 8, after);
    if (memcmp(before, after, sizeof before) != 0)
      fail_msg("%s, config %d: another future after loading", images->paths[n], n + 1000);

    /* into another vec */
    vec_case *w = case_create(numbers, STATE_ENVS, &config);
    if (sixer_vec_load(w->vec, envs, STATE_ENVS, (const void *const *)states, sizes, &error))
      fail_msg("%s", error.message);
    play_on(w, 99, 8, after);
    if (memcmp(before, after, sizeof before) != 0)
      fail_msg("%s, config %d: another future in another vec", images->paths[n], n + 1000);
    case_destroy(w);
    for (int i = 0; i < STATE_ENVS; i++) free(states[i]);
    case_destroy(v);
  }
}

static void observe_all(vec_case *v, uint32_t crcs[STATE_ENVS]) {
  assert_int_equal(sixer_vec_observe(v->vec, NULL, 0, &v->out, NULL), SIXER_OK);
  for (int i = 0; i < STATE_ENVS; i++) {
    crcs[i] = (uint32_t)crc32(0, v->obs + (size_t)i * v->info.obs_size, (uInt)v->info.obs_size);
    crcs[i] ^= (uint32_t)v->episode_frames[i];
  }
}

/* Branch one into many, and a rotation, where every source is also a target. */
static void test_copy(void **state) {
  (void)state;
  for (int n = 0; n < images->count; n += 5 + STRIDE) {
    sixer_vec_config config = config_number(n + 2000);
    config.actions = SIXER_ACTIONS_CODES;
    int numbers[STATE_ENVS] = {n, n, n, n};
    vec_case *v = case_create(numbers, STATE_ENVS, &config);
    uint32_t before[STATE_ENVS], after[STATE_ENVS], digests[5 * STATE_ENVS];
    reset(v, NULL, NULL);
    play_on(v, (uint64_t)n, 5, digests);

    observe_all(v, before);
    const int32_t from[STATE_ENVS] = {1, 2, 3, 0}, to[STATE_ENVS] = {0, 1, 2, 3};
    assert_int_equal(sixer_vec_copy(v->vec, from, to, STATE_ENVS, SIXER_SAVE_CONTROLLER, NULL),
                     SIXER_OK);
    observe_all(v, after);
    for (int i = 0; i < STATE_ENVS; i++) assert_int_equal(after[i], before[(i + 1) % STATE_ENVS]);

    const int32_t source[STATE_ENVS] = {2, 2, 2, 2};
    assert_int_equal(sixer_vec_copy(v->vec, source, to, STATE_ENVS, SIXER_SAVE_CONTROLLER, NULL),
                     SIXER_OK);
    for (int s = 0; s < 6; s++) {
      for (int i = 0; i < STATE_ENVS; i++) v->actions[i] = s * 5 % 18;
      assert_int_equal(sixer_vec_step(v->vec, v->actions, NULL, &v->out, NULL), SIXER_OK);
      for (int i = 1; i < STATE_ENVS; i++) {
        assert_memory_equal(v->obs, v->obs + (size_t)i * v->info.obs_size, v->info.obs_size);
        assert_int_equal(v->rewards[0], v->rewards[i]);
        assert_int_equal(v->executed[0], v->executed[i]);
        assert_memory_equal(sixer_vec_ram(v->vec, 0), sixer_vec_ram(v->vec, i), 128);
      }
    }
    case_destroy(v);
  }
}

/* Bytes that are not a state, or no longer one: refused, or at least harmless. */
static void test_damaged_states(void **state) {
  (void)state;
  uint64_t random = 12;
  for (int n = 0; n < images->count; n += 5 + STRIDE) {
    sixer_vec_config config = config_number(n + 3000);
    config.actions = SIXER_ACTIONS_CODES;
    int numbers[STATE_ENVS] = {n, n, n, n};
    vec_case *v = case_create(numbers, STATE_ENVS, &config);
    uint32_t digests[5 * STATE_ENVS];
    reset(v, NULL, NULL);
    play_on(v, 3, 5, digests);
    int32_t env = 1;
    size_t size = sixer_vec_state_size(v->vec, env, SIXER_SAVE_CONTROLLER);
    uint8_t *good = malloc(size), *bad = malloc(size);
    void *place = good;
    assert_int_equal(sixer_vec_save(v->vec, &env, 1, SIXER_SAVE_CONTROLLER, &place, &size, NULL),
                     SIXER_OK);
    const void *given = bad;
    for (int k = 0; k < 60; k++) {
      memcpy(bad, good, size);
      size_t head = size < 800 ? size : 800, cut = size;
      for (int i = 0; i < 1 + k % 4; i++)
        bad[k % 2 ? (size_t)below(&random, (int)head) : (size_t)below(&random, (int)size)] =
            (uint8_t)draw(&random);
      if (k % 5 == 0) cut = (size_t)below(&random, (int)size);
      sixer_error error = {0};
      if (sixer_vec_load(v->vec, &env, 1, &given, &cut, &error)) {
        assert_int_equal(error.code, SIXER_ERR_STATE);
        assert_non_null(strstr(error.message, "env 1"));
      } else {
        play_on(v, 7, 2, digests);
      }
    }
    given = good;
    assert_int_equal(sixer_vec_load(v->vec, &env, 1, &given, &size, NULL), SIXER_OK);
    free(good);
    free(bad);
    case_destroy(v);
  }
}

/* ---- Resizing -------------------------------------------------------------------------------------------------- */

/* The same bytes with every compiler: a digest for each way of resizing, over pictures of noise and of stripes. */
static void test_resize_golden(void **state) {
  (void)state;
  static const struct {
    int source_height, height, width;
    sixer_obs obs;
    uint32_t digest;
  } golden[] = {
#include "golden/resize.inc"
  };
  palette colors;
  palette_make(&colors, "NTSC");
  for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
    sixer_vec_config config = sixer_vec_config_default();
    config.height = golden[i].height;
    config.width = golden[i].width;
    config.obs = golden[i].obs;
    preprocess p;
    preprocess_scratch s;
    assert_int_equal(preprocess_make(&p, &config, golden[i].source_height, NULL), SIXER_OK);
    assert_int_equal(preprocess_scratch_make(&s, &p, NULL), SIXER_OK);
    uint8_t *out = malloc(preprocess_out_size(&p)), *again = malloc(preprocess_out_size(&p));
    uint8_t *screens[2] = {malloc(300 * 160), malloc(300 * 160)};
    uint8_t *raw[2] = {malloc(300 * 160 * 3), malloc(300 * 160 * 3)};
    uint64_t random = 1;
    uLong crc = 0;
    for (int round = 0; round < 8; round++) {
      for (int y = 0; y < golden[i].source_height; y++) {
        for (int x = 0; x < 160; x++) {
          int at = y * 160 + x;
          /* noise, and rows that repeat */
          screens[0][at] = round < 3 ? (uint8_t)(draw(&random) & 0xFE)
                                     : (uint8_t)(((y / 3) * 37 + (x / 5) * round * 2) & 0xFE);
          screens[1][at] = draw(&random) % 8 && round % 2 ? screens[0][at] : (uint8_t)(x & 0xFE);
        }
      }
      const machine_rows one = {.pixels = screens[0]}, two = {.pixels = screens[1]};
      preprocess_run(&p, &s, &colors, &one, round % 3 ? &two : NULL, out);
      crc = crc32(crc, out, (uInt)preprocess_out_size(&p));
      /* the way in single steps gives the same */
      preprocess_color(&p, &colors, screens[0], raw[0]);
      preprocess_color(&p, &colors, screens[1], raw[1]);
      if (round % 3) preprocess_pool(&p, raw[0], raw[1]);
      preprocess_resize(&p, &s, raw[0], again);
      assert_memory_equal(out, again, preprocess_out_size(&p));
    }
    if (getenv("SIXER_PRINT_GOLDEN"))
      printf("    {%d, %d, %d, %d, 0x%08lx},\n", golden[i].source_height, golden[i].height,
             golden[i].width, (int)golden[i].obs, (unsigned long)crc);
    else
      assert_int_equal(crc, golden[i].digest);
    free(out);
    free(again);
    for (int k = 0; k < 2; k++) free(screens[k]), free(raw[k]);
    preprocess_free(&p);
    preprocess_scratch_free(&s);
  }
}

/* ---- Errors ---------------------------------------------------------------------------------------------------- */

static void expect_refused(const sixer_vec_slot *slots, int count, const sixer_vec_config *config,
                           sixer_err code, const char *part) {
  sixer_error error = {0};
  sixer_vec *vec = NULL;
  assert_int_equal(sixer_vec_create(slots, count, config, &vec, &error), code);
  assert_null(vec);
  if (!strstr(error.message, part)) fail_msg("'%s' does not mention '%s'", error.message, part);
  assert_int_equal(sixer_vec_create(slots, count, config, &vec, NULL), code);
}

static void test_bad_configs(void **state) {
  (void)state;
  sixer_vec_slot slots[4];
  for (int i = 0; i < 4; i++) slots[i] = (sixer_vec_slot){roms[0], SIXER_MODE_DEFAULT, 0};
  sixer_vec_config good = sixer_vec_config_default(), c;
  expect_refused(slots, 0, &good, SIXER_ERR_ARGUMENT, "0 environments");
  expect_refused(slots, -1, &good, SIXER_ERR_ARGUMENT, "-1 environments");
#define REFUSED(field, value, part)                       \
  do {                                                    \
    c = good;                                             \
    c.field = (value);                                    \
    expect_refused(slots, 4, &c, SIXER_ERR_CONFIG, part); \
  } while (0)
  REFUSED(cookie, 0, "sixer_vec_config_default");
  REFUSED(env.cookie, 0, "env 0");
  REFUSED(threads, 5, "5 threads for 4");
  REFUSED(threads, -1, "-1 threads");
  REFUSED(height, -1, "-1 x 84");
  REFUSED(width, 0, "84 x 0");
  REFUSED(width, 5000, "5000");
  REFUSED(stack, 0, "stack of 0");
  REFUSED(obs, (sixer_obs)9, "observation 9");
  REFUSED(obs, SIXER_OBS_PALETTE, "resized");
  REFUSED(pool, (sixer_pool)-1, "pooling -1");
  REFUSED(actions, (sixer_actions)3, "kind 3");
  REFUSED(life_loss, (sixer_life_loss)3, "life_loss 3");
  REFUSED(autoreset, (sixer_autoreset)3, "autoreset 3");
  REFUSED(noop_max, -1, "-1");
  REFUSED(env.frame_skip, 0, "env 0: frame_skip is 0");
  REFUSED(env.sticky, 1.5f, "sticky");
  REFUSED(env.max_frames, -1, "-1");
  REFUSED(env.noop_starts, 3, "noop_max");
  REFUSED(env.end_on_life_loss, true, "life_loss");
  slots[2].rom = NULL;
  expect_refused(slots, 4, &good, SIXER_ERR_ARGUMENT, "env 2 has no game");
  slots[2] = (sixer_vec_slot){roms[0], 4711, 0};
  expect_refused(slots, 4, &good, SIXER_ERR_FLAVOR, "env 2: ");
  slots[2] = (sixer_vec_slot){roms[0], SIXER_MODE_DEFAULT, 9};
  expect_refused(slots, 4, &good, SIXER_ERR_FLAVOR, "env 2: ");
}

/* Refused, for the reason given. */
static void refused(sixer_err err, sixer_err code, const sixer_error *error, const char *part) {
  assert_int_equal(err, code);
  assert_int_equal(error->code, code);
  if (!strstr(error->message, part)) fail_msg("'%s' does not mention '%s'", error->message, part);
}

static void test_bad_calls(void **state) {
  (void)state;
  int numbers[4] = {0, 0, 1, 0};
  sixer_vec_config config = sixer_vec_config_default();
  config.env.max_frames = 8;
  config.autoreset = SIXER_AUTORESET_OFF;
  vec_case *v = case_create(numbers, 4, &config);
  sixer_error e;
  int32_t envs[4] = {0, 1, 2, 3};
  uint8_t mask[4] = {1, 1, 0, 1};
  refused(sixer_vec_step(v->vec, v->actions, NULL, &v->out, &e), SIXER_ERR_ARGUMENT, &e,
          "env 0 was never reset");
  refused(sixer_vec_reset(v->vec, mask, NULL, &v->out, &e), SIXER_ERR_ARGUMENT, &e, "env 2");
  refused(sixer_vec_observe(v->vec, NULL, 0, &v->out, &e), SIXER_ERR_ARGUMENT, &e, "env 0");
  refused(sixer_vec_copy(v->vec, envs, envs, 4, 0, &e), SIXER_ERR_ARGUMENT, &e, "never reset");
  int64_t seeds[4] = {1, 2, (int64_t)1 << 40, 3};
  refused(sixer_vec_reset(v->vec, NULL, seeds, &v->out, &e), SIXER_ERR_ARGUMENT, &e, "env 2");
  v->out.rows = 3;
  refused(sixer_vec_reset(v->vec, NULL, NULL, &v->out, &e), SIXER_ERR_ARGUMENT, &e, "4 rows");
  v->out.rows = 4;
  reset(v, NULL, NULL);
  int64_t frames = v->frames[0];

  v->actions[2] = 18;
  refused(sixer_vec_step(v->vec, v->actions, NULL, &v->out, &e), SIXER_ERR_ACTION, &e,
          "the action of env 2 is 18");
  v->actions[2] = -1;
  refused(sixer_vec_step(v->vec, v->actions, NULL, &v->out, &e), SIXER_ERR_ACTION, &e, "env 2");
  refused(sixer_vec_send(v->vec, envs, 4, v->actions, NULL, &e), SIXER_ERR_ACTION, &e, "env 2");
  v->actions[2] = 0;
  v->out.rows = 2;
  refused(sixer_vec_step(v->vec, v->actions, NULL, &v->out, &e), SIXER_ERR_ARGUMENT, &e, "have 2");
  v->out.rows = 4;
  assert_int_equal(sixer_vec_status(v->vec, 0).frames, frames); /* nothing was stepped */

  /* sending and receiving */
  envs[1] = 0;
  refused(sixer_vec_send(v->vec, envs, 2, v->actions, NULL, &e), SIXER_ERR_ARGUMENT, &e, "twice");
  envs[1] = 4;
  refused(sixer_vec_send(v->vec, envs, 2, v->actions, NULL, &e), SIXER_ERR_ARGUMENT, &e, "is 4");
  refused(sixer_vec_recv(v->vec, 1, &v->out, &e), SIXER_ERR_ARGUMENT, &e, "0 envs are under way");
  envs[1] = 1;
  assert_int_equal(sixer_vec_send(v->vec, envs, 2, v->actions, NULL, &e), SIXER_OK);
  refused(sixer_vec_step(v->vec, v->actions, NULL, &v->out, &e), SIXER_ERR_ARGUMENT, &e, "receive");
  refused(sixer_vec_send(v->vec, envs, 1, v->actions, NULL, &e), SIXER_ERR_ARGUMENT, &e, "env 0");
  refused(sixer_vec_recv(v->vec, 3, &v->out, &e), SIXER_ERR_ARGUMENT, &e, "2 envs are under way");
  v->out.rows = 1;
  refused(sixer_vec_recv(v->vec, 2, &v->out, &e), SIXER_ERR_ARGUMENT, &e, "2 rows");
  v->out.rows = 4;
  assert_int_equal(sixer_vec_recv(v->vec, 2, &v->out, &e), SIXER_OK);

  /* two episodes are over now, and nobody resets them */
  assert_int_equal(sixer_vec_send(v->vec, envs, 2, v->actions, NULL, &e), SIXER_OK);
  assert_int_equal(sixer_vec_recv(v->vec, 2, &v->out, &e), SIXER_OK);
  refused(sixer_vec_step(v->vec, v->actions, NULL, &v->out, &e), SIXER_ERR_ARGUMENT, &e,
          "episode of env 0 is over");

  /* states */
  int32_t target[2] = {2, 3}, source[2] = {0, 0};
  refused(sixer_vec_copy(v->vec, source, target, 2, 0, &e), SIXER_ERR_ARGUMENT, &e, "env 2");
  target[0] = 3;
  refused(sixer_vec_copy(v->vec, source, target, 2, 0, &e), SIXER_ERR_ARGUMENT, &e, "twice");
  uint8_t byte = 0;
  void *place = &byte;
  size_t one = 1;
  refused(sixer_vec_save(v->vec, envs, 1, 0, &place, &one, &e), SIXER_ERR_ARGUMENT, &e, "env 0");
  const void *given = &byte;
  refused(sixer_vec_load(v->vec, envs, 1, &given, &one, &e), SIXER_ERR_STATE, &e, "env 0");
  assert_int_equal(sixer_vec_actions(v->vec, 4).count, 0);
  assert_null(sixer_vec_ram(v->vec, -1));
  case_destroy(v);
}

/* Screens of different heights at their native size. */
static void test_mixed_heights(void **state) {
  (void)state;
  int other = 0;
  while (other < images->count &&
         sixer_rom_describe(roms[other]).height == sixer_rom_describe(roms[0]).height)
    other++;
  if (other == images->count) skip();
  sixer_vec_slot slots[2] = {{roms[0], SIXER_MODE_DEFAULT, 0},
                             {roms[other], SIXER_MODE_DEFAULT, 0}};
  sixer_vec_config config = sixer_vec_config_default();
  config.height = config.width = 0;
  expect_refused(slots, 2, &config, SIXER_ERR_ARGUMENT, "env 1");
}

/* With little memory: an error, no leak and no crash. */
static void test_memory(void **state) {
  (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip(); /* sanitizers reserve more address space than any limit */
#endif
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    enum { MANY = 20000 };
    static sixer_vec_slot slots[MANY];
    for (int i = 0; i < MANY; i++) slots[i] = (sixer_vec_slot){roms[0], SIXER_MODE_DEFAULT, 0};
    sixer_vec_config config = sixer_vec_config_default();
    config.threads = 1;
    struct rlimit limit = {100 << 20, 100 << 20};
    setrlimit(RLIMIT_AS, &limit);
    sixer_error error = {0};
    sixer_vec *vec = NULL;
    sixer_err err = sixer_vec_create(slots, MANY, &config, &vec, &error);
    _exit(err == SIXER_ERR_MEMORY && !vec && strstr(error.message, "memory") ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Threads stay behind in a fork: calls in the child are errors and never wait. With one thread and nothing sent, the
 * child has a vec of its own. */
static void test_fork(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    sixer_vec_config config = sixer_vec_config_default();
    config.threads = kind == 1 ? 2 : 1;
    const int numbers[STATE_ENVS] = {0, 0, 0, 0};
    vec_case *v = case_create(numbers, STATE_ENVS, &config);
    reset(v, NULL, NULL);
    const int32_t envs[STATE_ENVS] = {0, 1, 2, 3}, actions[STATE_ENVS] = {0};
    if (kind >= 2) assert_int_equal(sixer_vec_send(v->vec, envs, 4, actions, NULL, NULL), SIXER_OK);
    if (kind == 3) assert_int_equal(sixer_vec_recv(v->vec, 4, &v->out, NULL), SIXER_OK);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      alarm(60); /* waiting forever would end here, with a signal */
      sixer_error error = {0};
      const sixer_err wanted = kind == 0 ? SIXER_OK : SIXER_ERR_ARGUMENT;
      bool good = sixer_vec_step(v->vec, actions, NULL, &v->out, &error) == wanted;
      good = good && sixer_vec_send(v->vec, envs, 1, actions, NULL, &error) == wanted;
      good = good && sixer_vec_recv(v->vec, 1, &v->out, &error) == wanted;
      good = good && (kind == 0 || strstr(error.message, "forked"));
      sixer_vec_destroy(v->vec);
      _exit(good ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    /* the parent goes on */
    if (kind == 2) assert_int_equal(sixer_vec_recv(v->vec, 4, &v->out, NULL), SIXER_OK);
    assert_int_equal(sixer_vec_step(v->vec, actions, NULL, &v->out, NULL), SIXER_OK);
    case_destroy(v);
  }
}

/* Memory for translated code is counted: of each cartridge, in each thread that plays it. */
static void test_shared_memory(void **state) {
  (void)state;
  const sixer_vec_slot slots[] = {{roms[0], SIXER_MODE_DEFAULT, 0},
                                  {roms[1], SIXER_MODE_DEFAULT, 0},
                                  {roms[0], SIXER_MODE_DEFAULT, 0}};
  size_t counted[2];
  for (int i = 0; i < 2; i++) {
    sixer_vec_config config = sixer_vec_config_default();
    config.threads = 1;
    config.env.core = i ? SIXER_CORE_JIT : SIXER_CORE_INTERP;
    sixer_vec *vec;
    int32_t rewards[3], actions[3] = {0};
    sixer_vec_out out = {.rows = 3, .rewards = rewards};
    assert_int_equal(sixer_vec_create(slots, 3, &config, &vec, NULL), SIXER_OK);
    assert_int_equal(sixer_vec_reset(vec, NULL, NULL, &out, NULL), SIXER_OK);
    assert_int_equal(sixer_vec_step(vec, actions, NULL, &out, NULL), SIXER_OK);
    counted[i] = sixer_vec_describe(vec).shared_memory;
    sixer_vec_destroy(vec);
  }
  size_t expected = 0;
  for (int i = 0; i < 2; i++) {
    size_t size = jit_size(&roms[i]->cart);
    if (size) expected += size + JIT_CODE_BYTES;
  }
#ifdef SIXER_JIT
  assert_true(expected > 0);
#endif
  assert_int_equal(counted[1] - counted[0], expected);
}

/* Observations that do not fit into the caches are written with non-temporal stores if the caller's array is
 * aligned. */
static void test_large(void **state) {
  (void)state;
  enum { FEW = 4, MANY = 700, STEPS = 6 };
  static sixer_vec_slot slots[MANY];
  static int32_t actions[MANY];
  for (int i = 0; i < MANY; i++) slots[i] = (sixer_vec_slot){roms[0], SIXER_MODE_DEFAULT, 0};
  sixer_vec_config config = sixer_vec_config_default();
  sixer_vec *few = NULL, *many = NULL;
  assert_int_equal(sixer_vec_create(slots, FEW, &config, &few, NULL), SIXER_OK);
  assert_int_equal(sixer_vec_create(slots, MANY, &config, &many, NULL), SIXER_OK);
  const size_t size = sixer_vec_describe(many).obs_size;
  assert_true(size * MANY > 16 << 20);
  uint8_t *expected = malloc(FEW * size), *memory = malloc(MANY * size + 128);
  for (int shift = 0; shift < 17; shift += 8) { /* aligned or not */
    uint8_t *obs = memory + (64 - (uintptr_t)memory % 64) % 64 + shift;
    sixer_vec_out a = {.rows = FEW, .obs = expected}, b = {.rows = MANY, .obs = obs};
    assert_int_equal(sixer_vec_reset(few, NULL, NULL, &a, NULL), SIXER_OK);
    assert_int_equal(sixer_vec_reset(many, NULL, NULL, &b, NULL), SIXER_OK);
    for (int s = 0; s < STEPS; s++) {
      assert_memory_equal(obs, expected, FEW * size);
      assert_int_equal(sixer_vec_step(few, actions, NULL, &a, NULL), SIXER_OK);
      assert_int_equal(sixer_vec_step(many, actions, NULL, &b, NULL), SIXER_OK);
    }
  }
  free(memory);
  free(expected);
  sixer_vec_destroy(few);
  sixer_vec_destroy(many);
}

/* Pictures are the same bytes with every set of vector instructions. */
static void test_processors(void **state) {
  (void)state;
  enum { HEIGHT = 210, PIXELS = HEIGHT * 160 };
  static uint8_t screens[2][PIXELS], expected[PIXELS], got[PIXELS];
  palette colors;
  palette_make(&colors, "PAL");
  for (int n = 0; n < 12; n++) {
    for (int i = 0; i < 2 * PIXELS; i++) { /* all colors; with odd bytes, too, in some pictures */
      uint32_t hash = (uint32_t)(i / (1 + n % 5) + 1000 * n) * 2654435761u;
      screens[i / PIXELS][i % PIXELS] = (uint8_t)(hash >> 24 & (n % 4 ? 0xFE : 0xFF));
    }
    sixer_vec_config config = sixer_vec_config_default();
    config.pool = n % 3 == 0 ? SIXER_POOL_MAX : n % 3 == 1 ? SIXER_POOL_MEAN : SIXER_POOL_NONE;
    preprocess p;
    assert_int_equal(preprocess_make(&p, &config, HEIGHT, NULL), SIXER_OK);
    const bool avx2 = p.avx2, vbmi = p.vbmi;
    const machine_rows first = {.pixels = screens[0]}, second = {.pixels = screens[1]};
    for (int way = 0; way <= avx2 + vbmi; way++) {
      preprocess_scratch scratch;
      p.avx2 = way > 0;
      p.vbmi = way > 1;
      assert_int_equal(preprocess_scratch_make(&scratch, &p, NULL), SIXER_OK);
      preprocess_run(&p, &scratch, &colors, &first, p.pool == SIXER_POOL_NONE ? NULL : &second,
                     way ? got : expected);
      if (way) assert_memory_equal(got, expected, preprocess_out_size(&p));
      preprocess_scratch_free(&scratch);
    }
    preprocess_free(&p);
  }
}

/* The screen in full, also of frames that were not drawn. */
static void test_rgb(void **state) {
  (void)state;
  uint8_t *shown = malloc(300 * 160 * 3), *expected = malloc(300 * 160 * 3);
  for (int n = 0; n < images->count; n += 2 + STRIDE) {
    int numbers[2] = {n, n};
    sixer_vec_config config = sixer_vec_config_default();
    config.env.color_averaging = n % 4 == 0;
    vec_case *v = case_create(numbers, 2, &config);
    alone *a = alone_create(roms[n], &config, 1);
    reset(v, NULL, NULL);
    alone_reset(a, -1);
    for (int s = 0; s < 5 && !a->over; s++) {
      assert_int_equal(sixer_vec_rgb(v->vec, 1, shown, NULL), SIXER_OK);
      assert_int_equal(sixer_env_rgb(a->env, expected), SIXER_OK);
      assert_memory_equal(shown, expected, (size_t)sixer_env_height(a->env) * 480);
      step(v);
      alone_step(a, 0, 0);
    }
    alone_destroy(a);
    case_destroy(v);
  }
  free(shown);
  free(expected);
}

/* test_vec [NAME]: all tests, or one. */
int main(int argc, char **argv) {
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_alone),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_destroy_busy),
      cmocka_unit_test(test_states),
      cmocka_unit_test(test_copy),
      cmocka_unit_test(test_damaged_states),
      cmocka_unit_test(test_resize_golden),
      cmocka_unit_test(test_bad_configs),
      cmocka_unit_test(test_bad_calls),
      cmocka_unit_test(test_mixed_heights),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_rgb),
      cmocka_unit_test(test_large),
      cmocka_unit_test(test_processors),
      cmocka_unit_test(test_shared_memory),
      cmocka_unit_test(test_fork),
  };
  return cmocka_run_group_tests(tests, open_images, close_images);
}
