/* Published values of the reference on the public-domain Tetris: checksums of memory, screen, gray, RGB and sound after
 * some acts, for three settings. The image is not part of the project (the package ale-py brings it); without it the
 * test is skipped. Also the first outputs of the system generator, which need no image. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <zlib.h>

#include "sixer/sixer.h"
#include "util/mt19937.h"

typedef struct checkpoint {
  int acts; /* after so many acts in all; -1: after another reset */
  uint32_t ram, screen, gray, rgb, sound;
  int frames, episode_frames;
  bool over;
} checkpoint;

enum { NO_SOUND = 0xb2aa7578, SOME_SOUND = 0xa234c12f };

/* sticky 0, one frame per act */
static const checkpoint plain[] = {
    {0, 0xe218e161, 0xf08b6da5, 0x808c7014, 0x97670625, NO_SOUND, 0, 0, false},
    {100, 0xdba6c3f3, 0x63319eef, 0x8a9052e4, 0x7cd69f04, NO_SOUND, 100, 100, false},
    {1000, 0xa5e47b77, 0xf1c43cf0, 0xa357ba0b, 0xd8ed527f, NO_SOUND, 984, 984, true},
    {-1, 0xe218e161, 0xf08b6da5, 0x808c7014, 0x97670625, NO_SOUND, 984, 0, false},
};
/* sticky 0.25, one frame per act, with sound */
static const checkpoint sticky[] = {
    {100, 0x71e60490, 0x46f16b0a, 0xac045282, 0xb7f6f59d, SOME_SOUND, 100, 100, false},
    {1000, 0xb1d694b7, 0xfe2b05d9, 0x741c7e1e, 0xa0873afc, SOME_SOUND, 1000, 1000, false},
    {3000, 0x22af9713, 0xdea2ee5a, 0x86a19c6c, 0x8d3c30a5, SOME_SOUND, 2162, 2162, true},
};
/* sticky 0.25, four frames per act, colors averaged */
static const checkpoint averaged[] = {
    {0, 0xe218e161, 0x3597842e, 0xeab427f5, 0x99f8300c, NO_SOUND, 0, 0, false},
    {100, 0xb88ab4b2, 0x6eda0857, 0x9286c5ce, 0x5c0a70b6, NO_SOUND, 400, 400, false},
    {1000, 0xf2025baa, 0xd277993d, 0xd4a03c28, 0x48007a2e, NO_SOUND, 1040, 1040, true},
};

static sixer_rom *tetris;

static uint32_t crc(const uint8_t *bytes, size_t size) {
  return (uint32_t)crc32(0, bytes, (uInt)size);
}

static void compare(sixer_env *env, const checkpoint *expected) {
  size_t pixels = (size_t)sixer_env_height(env) * 160;
  uint8_t *buffer = malloc(3 * pixels);
  assert_int_equal(crc(sixer_env_ram(env), 128), expected->ram);
  assert_int_equal(crc(sixer_env_screen(env), pixels), expected->screen);
  assert_int_equal(sixer_env_gray(env, buffer), SIXER_OK);
  assert_int_equal(crc(buffer, pixels), expected->gray);
  assert_int_equal(sixer_env_rgb(env, buffer), SIXER_OK);
  assert_int_equal(crc(buffer, 3 * pixels), expected->rgb);
  assert_int_equal(crc(sixer_env_sound(env), SIXER_SOUND_SAMPLES), expected->sound);
  sixer_status status = sixer_env_status(env);
  assert_int_equal(status.frames, expected->frames);
  assert_int_equal(status.episode_frames, expected->episode_frames);
  assert_int_equal(status.over, expected->over);
  free(buffer);
}

static void run(sixer_config config, const checkpoint *checkpoints, int count) {
  config.seed = 123;
  sixer_env *env = NULL;
  assert_int_equal(sixer_env_create(tetris, &config, &env, NULL), SIXER_OK);
  sixer_env_reset(env);  // the second reset
  int act = 0;
  for (int i = 0; i < count; i++) {
    if (checkpoints[i].acts < 0) sixer_env_reset(env);
    for (; act < checkpoints[i].acts; act++) {
      sixer_result result;
      sixer_env_step(env, (7 * act + 3) % 18, &result);
      assert_int_equal(result.reward, 0);
    }
    compare(env, &checkpoints[i]);
  }
  sixer_env_destroy(env);
}

static void plain_acts(void **unused) {
  (void)unused;
  sixer_config config = sixer_config_default();
  config.sticky = 0;
  run(config, plain, sizeof plain / sizeof *plain);
}

static void sticky_acts_with_sound(void **unused) {
  (void)unused;
  sixer_config config = sixer_config_default();
  config.sticky = 0.25f;
  config.sound = true;
  run(config, sticky, sizeof sticky / sizeof *sticky);
}

static void averaged_colors(void **unused) {
  (void)unused;
  sixer_config config = sixer_config_default();
  config.sticky = 0.25f;
  config.frame_skip = 4;
  config.color_averaging = true;
  run(config, averaged, sizeof averaged / sizeof *averaged);
}

static void first_draws_of_the_system_generator(void **unused) {
  (void)unused;
  mt19937 rng;
  mt_seed(&rng, 4753849);
  static const uint32_t expected[] = {3205607096u, 2794184854u, 4236690624u, 2047087177u};
  for (int i = 0; i < 4; i++) assert_int_equal(mt_next(&rng), expected[i]);
}

int main(void) {
  const struct CMUnitTest always[] = {cmocka_unit_test(first_draws_of_the_system_generator)};
  const struct CMUnitTest with_image[] = {
      cmocka_unit_test(plain_acts),
      cmocka_unit_test(sticky_acts_with_sound),
      cmocka_unit_test(averaged_colors),
  };
  int failed = cmocka_run_group_tests(always, NULL, NULL);
  sixer_error error;
  if (sixer_rom_open("tetris", NULL, &tetris, &error)) {
    printf("SKIPPED: no image of tetris (%s)\n", error.message);
    return failed ? failed : 77;
  }
  failed += cmocka_run_group_tests(with_image, NULL, NULL);
  sixer_rom_close(tetris);
  return failed;
}
