/* Save, play on, restore, play again: the same future and the same picture, for every cartridge type. States that are
 * truncated, damaged or of another game are rejected or do no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>
#include <zlib.h>

#include "support/generated_images.h"
#include "sixer/sixer.h"

enum { STEPS = 12, ALL = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE };

static sixer_rom *open_rom(const char *path) {
  sixer_rom *rom = NULL;
  sixer_error error;
  if (sixer_rom_open(path, "tetris", &rom, &error)) fail_msg("%s: %s", path, error.message);
  return rom;
}

static sixer_env *make_env(const sixer_rom *rom, float sticky, uint32_t seed) {
  sixer_config config = sixer_config_default();
  config.sticky = sticky;
  config.seed = seed;
  config.sound = true;
  sixer_env *env = NULL;
  sixer_error error;
  if (sixer_env_create(rom, &config, &env, &error)) fail_msg("%s", error.message);
  return env;
}

static uint32_t picture_of(sixer_env *env) {
  const uint8_t *screen = sixer_env_screen(env);
  return screen ? (uint32_t)crc32(0, screen, (uInt)(160 * sixer_env_height(env))) : 0;
}

/* Play on and compute a digest of everything that can be read, step by step. */
static void play(sixer_env *env, uint64_t actions, uint32_t digests[STEPS], bool pictures) {
  for (int i = 0; i < STEPS; i++) {
    sixer_result result;
    assert_int_equal(sixer_env_step(env, below(&actions, SIXER_ACTION_COUNT), &result), SIXER_OK);
    sixer_status status = sixer_env_status(env);
    int shown[] = {result.reward, result.lives, result.over, (int)status.frames,
                   status.episode_frames};
    uLong crc = crc32(0, (const Bytef *)shown, sizeof shown);
    crc = crc32(crc, sixer_env_ram(env), 128);
    if (pictures) crc = crc32(crc, sixer_env_screen(env), (uInt)(160 * sixer_env_height(env)));
    digests[i] = (uint32_t)crc;
    if (result.over) sixer_env_reset(env);
  }
}

static void expect_same(const char *what, const char *path, const uint32_t *a, const uint32_t *b) {
  for (int i = 0; i < STEPS; i++) {
    if (a[i] != b[i]) fail_msg("%s: %s: step %d after the restore differs", path, what, i + 1);
  }
}

static void *save(const sixer_env *env, int flags, size_t *size) {
  *size = sixer_env_state_size(env, flags);
  void *state = malloc(*size);
  sixer_env_save(env, flags, state);
  return state;
}

/* With everything saved: the env itself, and another one with a different past, go on exactly as the first time. */
static void check_everything(const char *path, const sixer_rom *rom) {
  sixer_env *env = make_env(rom, 0.25f, 5);
  sixer_env *other = make_env(rom, 0.25f, 77);
  uint32_t first[STEPS], again[STEPS], elsewhere[STEPS], ignored[STEPS];
  play(env, 1, ignored, true);
  play(other, 99, ignored, true);
  size_t size, resaved_size;
  void *state = save(env, ALL, &size);
  uint32_t picture = picture_of(env);

  play(env, 2, first, true);
  assert_int_equal(sixer_env_load(env, state, size, NULL), SIXER_OK);
  if (picture_of(env) != picture) fail_msg("%s: the restored picture differs", path);
  void *resaved = save(env, ALL, &resaved_size);
  assert_int_equal(resaved_size, size);
  if (memcmp(state, resaved, size) != 0)
    fail_msg("%s: saving what was loaded gives other bytes", path);
  play(env, 2, again, true);
  expect_same("same env", path, first, again);

  assert_int_equal(sixer_env_load(other, state, size, NULL), SIXER_OK);
  if (picture_of(other) != picture) fail_msg("%s: the picture restored elsewhere differs", path);
  play(other, 2, elsewhere, true);
  expect_same("another env", path, first, elsewhere);
  free(state);
  free(resaved);
  sixer_env_destroy(env);
  sixer_env_destroy(other);
}

/* Only the console: memory and counters go on in the same way (nothing sticky), the picture is unknown at first. */
static void check_console_only(const char *path, const sixer_rom *rom) {
  sixer_env *env = make_env(rom, 0, 5);
  uint32_t first[STEPS], again[STEPS], ignored[STEPS];
  play(env, 3, ignored, false);
  size_t size;
  void *state = save(env, 0, &size);
  uint32_t ram = (uint32_t)crc32(0, sixer_env_ram(env), 128);
  play(env, 4, first, false);
  assert_int_equal(sixer_env_load(env, state, size, NULL), SIXER_OK);
  assert_int_equal((uint32_t)crc32(0, sixer_env_ram(env), 128), ram);
  assert_null(sixer_env_screen(env));
  uint8_t *rgb = malloc((size_t)sixer_env_height(env) * 160 * 3);
  assert_int_equal(sixer_env_rgb(env, rgb), SIXER_ERR_PICTURE);
  assert_int_equal(sixer_env_gray(env, rgb), SIXER_ERR_PICTURE);
  free(rgb);
  play(env, 4, again, false);
  assert_non_null(sixer_env_screen(env));
  expect_same("console only", path, first, again);
  free(state);
  sixer_env_destroy(env);
}

static void every_type_goes_on(void **unused) {
  (void)unused;
  image_list *images = list_images(IMAGES_DIR);
  assert_true(images->count > 30);
  for (int i = 0; i < images->count; i++) {
    sixer_rom *rom = open_rom(images->paths[i]);
    check_everything(images->paths[i], rom);
    check_console_only(images->paths[i], rom);
    sixer_rom_close(rom);
  }
  print_message("%d images\n", images->count);
  free(images);
}

/* A refused state changes nothing and is explained. */
static void expect_refused(sixer_env *env, const void *state, size_t size, const char *what) {
  size_t before_size, after_size;
  void *before = save(env, ALL, &before_size);
  sixer_error error = {0};
  if (sixer_env_load(env, state, size, &error) != SIXER_ERR_STATE) fail_msg("%s: loaded", what);
  if (!error.message[0] || error.code != SIXER_ERR_STATE) fail_msg("%s: no explanation", what);
  void *after = save(env, ALL, &after_size);
  assert_int_equal(before_size, after_size);
  if (memcmp(before, after, before_size) != 0) fail_msg("%s: something was changed", what);
  free(before);
  free(after);
}

static void unfit_states_are_refused(void **unused) {
  (void)unused;
  sixer_rom *rom = open_rom(TESTS_DIR "/cartridges/players.bin");
  sixer_rom *foreign_rom = open_rom(TESTS_DIR "/cartridges/missiles.bin");
  sixer_env *env = make_env(rom, 0.25f, 5), *foreign_env = make_env(foreign_rom, 0.25f, 5);
  size_t size, foreign_size;
  uint8_t *state = save(env, ALL, &size);
  void *foreign = save(foreign_env, ALL, &foreign_size);
  expect_refused(env, foreign, foreign_size, "a state of another image");
  expect_refused(env, state, 0, "nothing");
  expect_refused(env, state, 5, "five bytes");
  expect_refused(env, state, size - 1, "a byte too few");
  uint8_t *longer = calloc(1, size + 1);
  memcpy(longer, state, size);
  expect_refused(env, longer, size + 1, "a byte too many");
  free(longer);
  size_t small = sixer_env_state_size(env, 0);
  expect_refused(env, state, small, "everything announced, the console only given");
  state[0] ^= 1;
  expect_refused(env, state, size, "another magic number");
  state[0] ^= 1;
  assert_int_equal(sixer_env_load(env, state, size, NULL), SIXER_OK);
  free(state);
  free(foreign);
  sixer_env_destroy(env);
  sixer_env_destroy(foreign_env);
  sixer_rom_close(rom);
  sixer_rom_close(foreign_rom);
}

/* Damaged bytes are refused or accepted; either way the env goes on, and only the sanitizers may complain. */
static void damaged_states_do_no_harm(void **unused) {
  (void)unused;
  image_list *images = list_images(IMAGES_DIR);
  uint64_t random = 2026;
  int refused = 0, accepted = 0;
  for (int i = 0; i < images->count; i += 2) {
    sixer_rom *rom = open_rom(images->paths[i]);
    sixer_env *env = make_env(rom, 0.25f, 1);
    size_t size;
    uint8_t *good = save(env, SIXER_SAVE_CONTROLLER, &size);
    uint8_t *bad = malloc(size);
    for (int round = 0; round < 12; round++) {
      memcpy(bad, good, size);
      int damaged = 1 + below(&random, round < 6 ? 3 : 200);
      // the header's checks come first; behind it any byte may be wrong
      for (int k = 0; k < damaged; k++)
        bad[32 + below(&random, (int)size - 32)] = (uint8_t)draw(&random);
      if (sixer_env_load(env, bad, size, NULL)) {
        refused++;
        continue;
      }
      accepted++;
      for (int step = 0; step < 2; step++) {
        sixer_result result;
        sixer_env_step(env, below(&random, SIXER_ACTION_COUNT), &result);
        if (result.over) sixer_env_reset(env);
      }
    }
    assert_int_equal(sixer_env_load(env, good, size, NULL), SIXER_OK);
    free(good);
    free(bad);
    sixer_env_destroy(env);
    sixer_rom_close(rom);
  }
  print_message("damaged states: %d refused, %d accepted\n", refused, accepted);
  assert_true(refused > 0 && accepted > 0);
  free(images);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type_goes_on),
      cmocka_unit_test(unfit_states_are_refused),
      cmocka_unit_test(damaged_states_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
