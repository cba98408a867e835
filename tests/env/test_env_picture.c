/* Environments that draw all, some or none of their frames. Without pictures, everything except the screen equals an
 * env that draws. With frame skip, screens and saved pictures equal those of an env that draws every frame. Color
 * averaging equals a plain computation, pixel by pixel. An env that loads a snapshot goes on like the env it was
 * taken from. Runs on cartridges of random bytes, and on every game whose image is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "env/state.h"
#include "games/game.h"
#include "util/random.h"

static uint64_t draw(uint64_t *state) { return random_next(state); }

static sixer_env *make_env(const sixer_rom *rom, bool picture) {
  sixer_config config = sixer_config_default();
  config.picture = picture;
  config.frame_skip = 4;
  config.max_frames = 400;
  sixer_env *env;
  sixer_error error;
  if (sixer_env_create(rom, &config, &env, &error)) fail_msg("%s", error.message);
  return env;
}

static void assert_same(const sixer_env *a, const sixer_env *b) {
  uint8_t one[65536], two[65536];
  size_t size = sixer_env_state_size(a, SIXER_SAVE_CONTROLLER);
  assert_true(size <= sizeof one);
  sixer_env_save(a, SIXER_SAVE_CONTROLLER, one);
  sixer_env_save(b, SIXER_SAVE_CONTROLLER, two);
  assert_memory_equal(one, two, size);
}

static void compare_on(const sixer_rom *rom) {
  sixer_env *with = make_env(rom, true), *without = make_env(rom, false);
  uint64_t actions = 1;
  assert_same(with, without);
  for (int i = 0; i < 50; i++) {
    sixer_result a, b;
    int action = (int)(draw(&actions) % SIXER_ACTION_COUNT);
    assert_int_equal(sixer_env_step(with, action, &a), SIXER_OK);
    assert_int_equal(sixer_env_step(without, action, &b), SIXER_OK);
    assert_int_equal(a.reward, b.reward);
    assert_int_equal(a.lives, b.lives);
    assert_int_equal(a.end, b.end);
    assert_int_equal(a.executed, b.executed);
    assert_int_equal(a.frames, b.frames);
    assert_non_null(sixer_env_screen(with));
    assert_null(sixer_env_screen(without));
    assert_same(with, without);
    if (a.over) sixer_env_reset(with), sixer_env_reset(without);
  }

  /* states go both ways, with the picture or without */
  for (int flags = 0; flags < 4; flags++) {
    size_t size = sixer_env_state_size(with, flags);
    uint8_t *state = malloc(size);
    sixer_env_save(with, flags, state);
    assert_int_equal(sixer_env_load(without, state, size, NULL), SIXER_OK);
    assert_null(sixer_env_screen(without));
    sixer_env_save(without, flags, state);
    assert_int_equal(sixer_env_load(with, state, size, NULL), SIXER_OK);
    assert_null(sixer_env_screen(with)); /* it was not drawn */
    sixer_env_step(with, 0, NULL);
    assert_non_null(sixer_env_screen(with));
    sixer_env_step(without, 0, NULL);
    assert_same(with, without);
    free(state);
  }

  /* snapshots */
  size_t size = env_snapshot_size(rom);
  uint8_t *snapshot = malloc(size), *again = malloc(size);
  sixer_config config = *sixer_env_config(with);
  config.sticky = 0;
  config.picture = false;
  sixer_env *here, *there;
  assert_int_equal(sixer_env_create(rom, &config, &here, NULL), SIXER_OK);
  assert_int_equal(sixer_env_create(rom, &config, &there, NULL), SIXER_OK);
  for (int i = 0; i < 12; i++) {
    for (int k = 0; k < 3; k++) {
      sixer_env_step(here, (int)(draw(&actions) % SIXER_ACTION_COUNT), NULL);
      sixer_env_step(there, (int)(draw(&actions) % SIXER_ACTION_COUNT), NULL);
    }
    env_snapshot_take(here, snapshot);
    env_snapshot_load(there, snapshot);
    env_snapshot_take(there, again);
    assert_memory_equal(snapshot, again, size);
    assert_memory_equal(snapshot + env_snapshot_ram(rom), sixer_env_ram(here), 128);
    assert_memory_equal(snapshot + env_snapshot_episode(rom), &here->now, sizeof here->now);
    int action = (int)(draw(&actions) % SIXER_ACTION_COUNT);
    sixer_env_step(here, action, NULL);
    sixer_env_step(there, action, NULL);
    env_snapshot_take(here, snapshot);
    env_snapshot_take(there, again);
    assert_memory_equal(snapshot, again, size);
    if (sixer_env_status(here).over) sixer_env_reset(here);
  }
  free(snapshot);
  free(again);
  sixer_env_destroy(here);
  sixer_env_destroy(there);
  sixer_env_destroy(with);
  sixer_env_destroy(without);
}

/* Start an episode in both. The reset of two games presses buttons for whole acts, which takes more frames with frame
 * skip; so the other env loads the state instead. */
static void reset_both(sixer_env *all, sixer_env *skips, uint8_t *state) {
  enum { FLAGS = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE };
  sixer_env_reset(all);
  sixer_env_reset(skips);
  if (sixer_env_status(all).frames == sixer_env_status(skips).frames) return;
  sixer_env_save(all, FLAGS, state);
  size_t size = sixer_env_state_size(all, FLAGS);
  assert_int_equal(sixer_env_load(skips, state, size, NULL), SIXER_OK);
}

/* Two envs that run the same frames: one with frame skip, the other frame by frame, with its screen read each time. */
static void compare_skipped(const sixer_rom *rom, int skip, bool averaging) {
  sixer_config config = sixer_config_default();
  config.seed = 7;
  config.max_frames = 400;
  config.color_averaging = averaging;
  sixer_env *all, *skips;
  assert_int_equal(sixer_env_create(rom, &config, &all, NULL), SIXER_OK);
  config.frame_skip = skip;
  assert_int_equal(sixer_env_create(rom, &config, &skips, NULL), SIXER_OK);
  enum { FLAGS = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE };
  size_t size = sixer_env_state_size(all, FLAGS);
  size_t screen = (size_t)sixer_env_height(all) * SCREEN_WIDTH;
  uint8_t *one = malloc(size), *two = malloc(size);
  uint64_t actions = 3;
  reset_both(all, skips, one);
  for (int i = 0; i < 60; i++) {
    int action = (int)(draw(&actions) % SIXER_ACTION_COUNT);
    sixer_env_step(skips, action, NULL);
    for (int k = 0; k < skip; k++) {
      sixer_env_step(all, action, NULL);
      assert_non_null(sixer_env_screen(all));
    }
    if (i % 5 != 4) assert_memory_equal(sixer_env_screen(skips), sixer_env_screen(all), screen);
    if (i % 3 == 2) {
      sixer_env_save(skips, FLAGS, one);
      sixer_env_save(all, FLAGS, two);
      assert_memory_equal(one, two, size);
    }
    /* pictures that came with a state are drawn over like any other */
    if (i % 12 == 11) {
      assert_int_equal(sixer_env_load(skips, two, size, NULL), SIXER_OK);
      assert_int_equal(sixer_env_load(all, one, size, NULL), SIXER_OK);
      assert_memory_equal(sixer_env_screen(skips), sixer_env_screen(all), screen);
    }
    if (sixer_env_status(all).over) reset_both(all, skips, one);
  }
  free(one);
  free(two);
  sixer_env_destroy(all);
  sixer_env_destroy(skips);
}

/* ---- Color averaging ------------------------------------------------------------------------------------------- */

/* The blend of one pixel, from the palette: the entry nearest to 77 % of the way to the brighter color, in each of red,
 * green and blue. */
static uint8_t blend_pixel(const uint32_t *rgb, uint8_t now, uint8_t before) {
  if ((now | before) & 1) return 0;
  int mixed[3], best = 0, best_distance = 1000;
  for (int k = 0; k < 3; k++) {
    int a = rgb[now] >> (8 * k) & 0xFF, b = rgb[before] >> (8 * k) & 0xFF;
    int low = a < b ? a : b, high = a < b ? b : a;
    mixed[k] = (low + (high - low) * 77 / 100) & ~3;
  }
  for (int i = 0; i < 256; i += 2) {
    int distance = 0;
    for (int k = 0; k < 3; k++) distance += abs((int)(rgb[i] >> (8 * k) & 0xFF) - mixed[k]);
    if (distance < best_distance) best = i, best_distance = distance;
  }
  return (uint8_t)best;
}

static void compare_blend(sixer_env *env) {
  size_t pictures = 2 * SCREEN_WIDTH * SCREEN_MAX_LINES;
  size_t size = sixer_env_state_size(env, SIXER_SAVE_PICTURE);
  uint8_t *state = malloc(size);
  sixer_env_save(env, SIXER_SAVE_PICTURE, state);
  const uint8_t *now = state + size - pictures, *before = now + pictures / 2;
  const uint8_t *screen = sixer_env_screen(env);
  for (int i = 0; i < sixer_env_height(env) * SCREEN_WIDTH; i++) {
    if (screen[i] == now[i] && now[i] == before[i] && env->blend->keeps_equal && !(now[i] & 1))
      continue; /* the blend of a color with itself was checked once */
    assert_int_equal(screen[i], blend_pixel(env->colors.rgb, now[i], before[i]));
  }
  free(state);
}

static void averaged_games(void **unused) {
  (void)unused;
  static const char *const own[] = {"afterglow", "cragfast",   "duskrain", "hedgelight",
                                    "sporefall", "undervault", "wispherd", "hearthring"};
  for (size_t g = 0; g < sizeof own / sizeof own[0]; g++) {
    sixer_rom *rom;
    sixer_env *env;
    sixer_config config = sixer_config_default();
    config.color_averaging = true;
    assert_int_equal(sixer_rom_open(own[g], NULL, &rom, NULL), SIXER_OK);
    assert_int_equal(sixer_env_create(rom, &config, &env, NULL), SIXER_OK);
    uint64_t actions = g;
    for (int i = 0; i < 200; i++) {
      sixer_env_step(env, (int)(draw(&actions) % SIXER_ACTION_COUNT), NULL);
      compare_blend(env);
    }
    sixer_env_destroy(env);
    sixer_rom_close(rom);
  }
}

/* Rows that games rarely show: every pair of colors in each format, odd bytes, single pixels that differ. */
static void averaged_rows(void **unused) {
  (void)unused;
  static const char *const formats[] = {"NTSC", "PAL", "SECAM"};
  for (int f = 0; f < 3; f++) {
    palette colors;
    blend_table table;
    palette_make(&colors, formats[f]);
    palette_make_blend(&colors, &table);
    assert_int_equal(table.keeps_equal, f == 0);
    uint64_t random = 5;
    for (int n = 0; n < 1000; n++) {
      uint8_t now[SCREEN_WIDTH], before[SCREEN_WIDTH], out[SCREEN_WIDTH];
      int odd = n % 4 == 3 ? 0xFF : 0xFE, changed = n % 3 == 0 ? 1 : n % 3 == 1 ? 20 : 256;
      for (int x = 0; x < SCREEN_WIDTH; x++) {
        now[x] = before[x] = (uint8_t)(draw(&random) & (unsigned)odd);
        if ((int)(draw(&random) & 0xFF) < changed)
          before[x] = (uint8_t)(draw(&random) & (unsigned)odd);
      }
      palette_blend_row(&table, now, before, out);
      for (int x = 0; x < SCREEN_WIDTH; x++)
        assert_int_equal(out[x], blend_pixel(colors.rgb, now[x], before[x]));
    }
    for (int c = 0; c < 256; c += 2) {
      uint8_t row[SCREEN_WIDTH], out[SCREEN_WIDTH];
      memset(row, c, sizeof row);
      palette_blend_row(&table, row, row, out);
      assert_int_equal(out[0], blend_pixel(colors.rgb, (uint8_t)c, (uint8_t)c));
      assert_int_equal(out[SCREEN_WIDTH - 1], out[0]);
    }
  }
}

/* ---- Cartridges ------------------------------------------------------------------------------------------------ */

static void compare_all(const sixer_rom *rom) {
  compare_on(rom);
  compare_skipped(rom, 5, true);
  compare_skipped(rom, 4, false);
  compare_skipped(rom, 2, true);
}

static void random_cartridges(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    uint8_t image[4096];
    uint64_t bytes = seed;
    for (int i = 0; i < 4096; i++) image[i] = (uint8_t)draw(&bytes);
    image[0xFFC] = 0, image[0xFFD] = 0xF0;
    sixer_rom *rom;
    assert_int_equal(sixer_rom_create(image, sizeof image, "random", NULL, &rom, NULL), SIXER_OK);
    compare_all(rom);
    sixer_rom_close(rom);
  }
}

/* Every game, with one of the three ways to skip frames in turn. Sanitized builds, ten times slower, take one game of
 * four. */
static void games(void **unused) {
  (void)unused;
  static const struct {
    int skip;
    bool averaging;
  } ways[] = {{5, true}, {4, false}, {2, true}};
  int found = 0, every = 1;
#ifdef __SANITIZE_ADDRESS__
  every = 4;
#endif
  for (int i = 0; i < game_builtin_count(); i += every) {
    sixer_rom *rom;
    if (sixer_rom_open(game_builtin_id(i), NULL, &rom, NULL)) continue;
    compare_on(rom);
    compare_skipped(rom, ways[found % 3].skip, ways[found % 3].averaging);
    found++;
    sixer_rom_close(rom);
  }
  if (!found) {
    printf("SKIPPED: no cartridge images found; set SIXER_ROMS or install ale_py\n");
    skip();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(averaged_rows),
                                     cmocka_unit_test(averaged_games),
                                     cmocka_unit_test(random_cartridges), cmocka_unit_test(games)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
