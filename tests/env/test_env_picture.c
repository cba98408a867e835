/* Environments without pictures, and snapshots: everything but the screen is as in an env that draws; going on from a
 * snapshot is what the env that it was taken from does. Runs on cartridges of random bytes, and on every game whose
 * image is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "env/state.h"
#include "games/game.h"

static uint64_t draw(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

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
    assert_null(sixer_env_screen(with)); /* nobody drew it */
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

static void random_cartridges(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    uint8_t image[4096];
    uint64_t bytes = seed;
    for (int i = 0; i < 4096; i++) image[i] = (uint8_t)draw(&bytes);
    image[0xFFC] = 0, image[0xFFD] = 0xF0;
    sixer_rom *rom;
    assert_int_equal(sixer_rom_create(image, sizeof image, "random", NULL, &rom, NULL), SIXER_OK);
    compare_on(rom);
    sixer_rom_close(rom);
  }
}

static void games(void **unused) {
  (void)unused;
  int found = 0;
  for (int i = 0; i < game_builtin_count(); i++) {
    sixer_rom *rom;
    if (sixer_rom_open(game_builtin_id(i), NULL, &rom, NULL)) continue;
    found++;
    compare_on(rom);
    sixer_rom_close(rom);
  }
  if (!found) {
    printf("SKIPPED: no cartridge images found; set SIXER_ROMS or install ale_py\n");
    skip();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_cartridges), cmocka_unit_test(games)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
