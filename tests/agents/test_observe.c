/* What agents with networks see: equal to the pictures of a vector where they are defined alike, and to plain loops
 * over colored screens for the other ways of pooling and resizing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agents/deep/observe.h"
#include "env/env.h"
#include "sixer/vec.h"
#include "util/random.h"

enum { SIZE = 84 * 84 };

static sixer_env *make_env(const sixer_rom *rom, int skip) {
  sixer_config config = sixer_config_default();
  config.frame_skip = skip;
  config.sticky = 0;
  config.seed = 11;
  sixer_env *env;
  assert_int_equal(sixer_env_create(rom, &config, &env, NULL), SIXER_OK);
  return env;
}

static observer *make_observer(observe_pool pool, observe_resize resize) {
  observer *o;
  assert_int_equal(observe_create(&(observe_settings){84, 84, resize, pool}, &o, NULL), SIXER_OK);
  return o;
}

/* The same actions in a vector of one env give the same pictures. */
static void test_as_vector(void **state) {
  (void)state;
  const char *const games[] = {"afterglow", "duskrain", "hedgelight"};
  for (int g = 0; g < 3; g++) {
    for (int skip = 2; skip <= 5; skip++) {
      sixer_rom *rom;
      assert_int_equal(sixer_rom_open(games[g], NULL, &rom, NULL), SIXER_OK);
      sixer_vec_config config = sixer_vec_config_default();
      config.threads = 1;
      config.noop_max = 0;
      config.fire_start = false;
      config.env.max_frames = 0;
      config.env.frame_skip = skip;
      config.env.sticky = 0; /* the two draw different numbers of random numbers at an end */
      config.env.seed = 11;
      config.stack = 1;
      config.actions = SIXER_ACTIONS_CODES;
      config.autoreset = SIXER_AUTORESET_OFF;
      sixer_vec_slot slot = {rom, SIXER_MODE_DEFAULT, 0};
      sixer_vec *vec;
      assert_int_equal(sixer_vec_create(&slot, 1, &config, &vec, NULL), SIXER_OK);
      sixer_env *env = make_env(rom, skip);
      sixer_env_reset(env);
      observer *o = make_observer(OBSERVE_GRAY, OBSERVE_AREA);
      static uint8_t obs[SIZE], frame[SIZE];
      uint8_t over = 0;
      sixer_vec_out out = {.rows = 1, .obs = obs, .terminated = &over};
      assert_int_equal(sixer_vec_reset(vec, NULL, NULL, &out, NULL), SIXER_OK);
      uint64_t rng = 5;
      bool first = true;
      for (int i = 0; i < 400; i++) {
        assert_int_equal(observe_frame(o, env, first, frame, NULL), SIXER_OK);
        assert_memory_equal(frame, obs, SIZE);
        first = false;
        int32_t action = random_below(&rng, SIXER_ACTION_COUNT);
        sixer_result result;
        sixer_env_step(env, action, &result);
        assert_int_equal(sixer_vec_step(vec, &action, NULL, &out, NULL), SIXER_OK);
        assert_int_equal(result.over, over);
        if (!result.over) continue;
        sixer_env_reset(env);
        assert_int_equal(sixer_vec_reset(vec, NULL, NULL, &out, NULL), SIXER_OK);
        first = true;
      }
      observe_destroy(o);
      sixer_vec_destroy(vec);
      sixer_env_destroy(env);
      sixer_rom_close(rom);
    }
  }
}

/* ---- Plain versions of the other ways -------------------------------------------------------------------------- */

static double bilinear(const double *picture, int height, int x, int y) {
  double fx = (x + 0.5) * 160 / 84 - 0.5, fy = (y + 0.5) * height / 84.0 - 0.5;
  int x0 = (int)floor(fx), y0 = (int)floor(fy);
  double wx = fx - x0, wy = fy - y0;
  int x1 = x0 + 1 < 160 ? x0 + 1 : 159, y1 = y0 + 1 < height ? y0 + 1 : height - 1;
  return (picture[y0 * 160 + x0] * (1 - wx) + picture[y0 * 160 + x1] * wx) * (1 - wy) +
         (picture[y1 * 160 + x0] * (1 - wx) + picture[y1 * 160 + x1] * wx) * wy;
}

static double gray_of(const uint8_t *rgb) {
  return floor(0.2989 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] + 0.5);
}

/* Frame by frame: a twin of the env at skip 1 gives both frames of a step. */
static void check_way(const char *name, observe_pool pool) {
  sixer_rom *rom;
  assert_int_equal(sixer_rom_open(name, NULL, &rom, NULL), SIXER_OK);
  sixer_env *env = make_env(rom, 4), *twin = make_env(rom, 1);
  observer *o = make_observer(pool, OBSERVE_BILINEAR);
  const int height = sixer_env_height(env);
  const size_t pixels = (size_t)height * 160;
  uint8_t *rgb[2] = {malloc(3 * pixels), malloc(3 * pixels)};
  double *gray[2] = {malloc(pixels * sizeof(double)), malloc(pixels * sizeof(double))};
  sixer_env_reset(env);
  sixer_env_reset(twin);
  uint64_t rng = 8;
  static uint8_t frame[SIZE];
  for (int i = 0; i < 120; i++) {
    int action = random_below(&rng, SIXER_ACTION_COUNT);
    sixer_result result;
    sixer_env_step(env, action, &result);
    for (int k = 0; k < 4; k++) {
      sixer_env_step(twin, action, NULL);
      if (k >= 2) assert_int_equal(sixer_env_rgb(twin, rgb[k - 2]), SIXER_OK);
    }
    if (result.over) break;
    assert_int_equal(observe_frame(o, env, false, frame, NULL), SIXER_OK);
    for (size_t p = 0; p < pixels; p++) {
      uint8_t most[3];
      for (int c = 0; c < 3; c++)
        most[c] = rgb[0][3 * p + c] > rgb[1][3 * p + c] ? rgb[0][3 * p + c] : rgb[1][3 * p + c];
      gray[0][p] = pool == OBSERVE_RGB ? gray_of(most) : gray_of(rgb[0] + 3 * p);
      gray[1][p] = pool == OBSERVE_RGB ? gray_of(most) : gray_of(rgb[1] + 3 * p);
    }
    for (int y = 0; y < 84; y++) {
      for (int x = 0; x < 84; x++) {
        double a = bilinear(gray[0], height, x, y), b = bilinear(gray[1], height, x, y);
        double wanted = a > b ? a : b;
        /* weights are rounded to 1/2048 and sums in fixed point */
        assert_true(fabs(frame[y * 84 + x] - wanted) < 1.5);
      }
    }
  }
  for (int i = 0; i < 2; i++) {
    free(rgb[i]);
    free(gray[i]);
  }
  observe_destroy(o);
  sixer_env_destroy(env);
  sixer_env_destroy(twin);
  sixer_rom_close(rom);
}

static void test_other_ways(void **state) {
  (void)state;
  const char *const games[] = {"afterglow", "sporefall"};
  for (int g = 0; g < 2; g++) {
    check_way(games[g], OBSERVE_RGB);
    check_way(games[g], OBSERVE_SMALL);
  }
}

/* An env that is observed draws both frames of a step at once; one that was not shows the same. */
static void test_drawn_later(void **state) {
  (void)state;
  sixer_rom *rom;
  assert_int_equal(sixer_rom_open("afterglow", NULL, &rom, NULL), SIXER_OK);
  sixer_env *often = make_env(rom, 4), *once = make_env(rom, 4);
  observer *o = make_observer(OBSERVE_GRAY, OBSERVE_AREA);
  static uint8_t a[SIZE], b[SIZE];
  uint64_t rng = 1;
  for (int i = 1; i < 200; i++) {
    int action = random_below(&rng, SIXER_ACTION_COUNT);
    sixer_result result;
    sixer_env_step(often, action, &result);
    sixer_env_step(once, action, NULL);
    if (result.over) {
      sixer_env_reset(often);
      sixer_env_reset(once);
    }
    assert_int_equal(observe_frame(o, often, false, a, NULL), SIXER_OK);
    if (i % 20) continue;
    assert_false(once->two_pictures);
    assert_int_equal(observe_frame(o, once, false, b, NULL), SIXER_OK);
    once->two_pictures = false;
    assert_memory_equal(a, b, SIZE);
  }
  observe_destroy(o);
  sixer_env_destroy(often);
  sixer_env_destroy(once);
  sixer_rom_close(rom);
}

static void test_refusals(void **state) {
  (void)state;
  sixer_error error;
  observer *o = NULL;
  static uint8_t frame[SIZE];
  assert_int_equal(
      observe_create(&(observe_settings){161, 84, OBSERVE_AREA, OBSERVE_GRAY}, &o, &error),
      SIXER_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "161 x 84"));
  sixer_rom *rom;
  assert_int_equal(sixer_rom_open("duskrain", NULL, &rom, NULL), SIXER_OK);
  o = make_observer(OBSERVE_GRAY, OBSERVE_AREA);
  for (int averaging = 0; averaging <= 2; averaging++) {
    sixer_config config = sixer_config_default();
    config.picture = averaging;
    config.color_averaging = averaging;
    if (averaging == 2) observe_prepare(o, &config);
    sixer_env *env;
    assert_int_equal(sixer_env_create(rom, &config, &env, NULL), SIXER_OK);
    const sixer_err wanted[] = {SIXER_ERR_PICTURE, SIXER_ERR_ARGUMENT, SIXER_OK};
    assert_int_equal(observe_frame(o, env, true, frame, &error), wanted[averaging]);
    sixer_env_destroy(env);
  }
  observe_destroy(o);
  sixer_rom_close(rom);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_as_vector), cmocka_unit_test(test_other_ways),
      cmocka_unit_test(test_drawn_later), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
