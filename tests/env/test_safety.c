/* Robustness: random bytes of every size as a cartridge, random settings, random actions. Nothing may crash, hang or
 * be reported by the sanitizers (scripts/test runs this in the sanitize build too), and the same seed gives the same
 * bytes. Wrong arguments give an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>
#include <zlib.h>

#include "support/generated_images.h"
#include "sixer/sixer.h"

enum { STEPS = 6 };

/* Sizes that are taken for some type, and a few that are not. */
static const int sizes[] = {2048,  4096,  8192,  8448,  10240, 10495,  10496,  12288,
                            16384, 16896, 32768, 65536, 6144,  131072, 262144, 524288};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Byte sequences by which types are recognized. */
static const char *const signatures[] = {"\x8D\xE0\x1F", "\x85\x3E\xA9",         "\x85\x3F\x85\x3F",
                                         "\x8D\x40\x02", "\x20\xC3\xF8\xA5\x82", "\x9D\xFF\xF3"};
enum { SIGNATURES = sizeof signatures / sizeof *signatures };

static uint8_t *random_image(uint64_t *random, int size) {
  uint8_t *image = malloc((size_t)size);
  for (int i = 0; i < size; i++) image[i] = (uint8_t)(draw(random) >> 56);
  int marks = below(random, 4);
  for (int i = 0; i < marks; i++) {
    const char *mark = signatures[below(random, SIGNATURES)];
    memcpy(image + below(random, size - 16), mark, strlen(mark));
  }
  if (below(random, 4) == 0) {  // memory on the cartridge: banks that begin with equal bytes
    for (int bank = 0; bank + 256 <= size; bank += 4096)
      memset(image + bank, below(random, 256), 256);
  }
  if (below(random, 2) == 0) {  // without the opcodes that stop the processor it lives longer
    for (int i = 0; i < size; i++) {
      if ((image[i] & 0x0F) == 0x02 && image[i] != 0xA2 && image[i] != 0x82 && image[i] != 0xC2)
        image[i] = 0x85;
    }
  }
  image[size - 4] = (uint8_t)draw(random);
  image[size - 3] = (uint8_t)(0xF0 | draw(random));
  return image;
}

static sixer_config random_config(uint64_t *random) {
  sixer_config config = sixer_config_default();
  config.seed = (uint32_t)draw(random);
  config.system_seed = (uint32_t)draw(random);
  config.sticky = (float)below(random, 5) / 4;
  config.frame_skip = 1 + below(random, 4);
  config.max_frames = below(random, 2) * below(random, 40);
  config.color_averaging = below(random, 2);
  config.sound = below(random, 2);
  config.end_on_life_loss = below(random, 2);
  return config;
}

/* Play one random cartridge; returns a digest of all that it showed. */
static uint32_t play(uint64_t seed) {
  uint64_t random = seed;
  int size = sizes[(seed >> 8) % SIZES];
  uint8_t *image = random_image(&random, size);
  sixer_rom *rom = NULL;
  sixer_error error = {0};
  const char *game = below(&random, 3) ? "tetris" : NULL;
  sixer_err err = sixer_rom_create(image, (size_t)size, "random", game, &rom, &error);
  free(image);
  if (err) {
    assert_null(rom);
    assert_true(error.message[0] != 0);
    return 1;
  }
  sixer_config config = random_config(&random);
  sixer_env *env = NULL;
  if (sixer_env_create(rom, &config, &env, &error))
    fail_msg("seed %llu: %s", (unsigned long long)seed, error.message);
  size_t pixels = (size_t)sixer_env_height(env) * 160;
  uint8_t *rgb = malloc(3 * pixels);
  uLong crc = 0;
  for (int step = 0; step < STEPS; step++) {
    sixer_result result;
    sixer_env_step(env, below(&random, SIXER_ACTION_COUNT), &result);
    crc = crc32(crc, sixer_env_ram(env), 128);
    crc = crc32(crc, sixer_env_screen(env), (uInt)pixels);
    assert_int_equal(sixer_env_rgb(env, rgb), SIXER_OK);
    crc = crc32(crc, rgb, (uInt)(3 * pixels));
    assert_int_equal(sixer_env_gray(env, rgb), SIXER_OK);
    crc = crc32(crc, rgb, (uInt)pixels);
    crc = crc32(crc, sixer_env_sound(env), SIXER_SOUND_SAMPLES);
    sixer_env_set_ram(env, below(&random, 128), (uint8_t)draw(&random));
    if (result.over) sixer_env_reset(env);
  }
  free(rgb);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
  return (uint32_t)crc;
}

static void random_cartridges_are_safe(void **unused) {
  (void)unused;
  // SIXER_SAFETY_CARTRIDGES=1000 for a longer run
  const char *count_text = getenv("SIXER_SAFETY_CARTRIDGES");
  int count = count_text ? atoi(count_text) : 3 * SIZES;
  for (int i = 0; i < count; i++) {
    uint64_t seed = (uint64_t)i << 8 | 17;
    uint32_t first = play(seed);
    if (i < SIZES && play(seed) != first)
      fail_msg("cartridge %d: played again it shows something else", i);
  }
  print_message("%d random cartridges\n", count);
}

static void unusable_images_are_refused(void **unused) {
  (void)unused;
  static const int wrong[] = {0, 1, 100, 2047, 2049, 4095, 5000, 9999, 524289, 600000};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    uint8_t *image = calloc(1, (size_t)wrong[i] + 1);
    sixer_rom *rom = NULL;
    sixer_error error = {0};
    if (sixer_rom_create(image, (size_t)wrong[i], NULL, NULL, &rom, &error) == SIXER_OK) {
      fail_msg("an image of %d bytes was accepted", wrong[i]);
    }
    assert_null(rom);
    assert_true(strlen(error.message) > 10);
    free(image);
  }
  sixer_rom *rom = NULL;
  sixer_error error = {0};
  assert_int_equal(sixer_rom_open("/no/such/file.bin", NULL, &rom, &error), SIXER_ERR_FILE);
  assert_non_null(strstr(error.message, "/no/such/file.bin"));
  assert_int_equal(sixer_rom_open(TESTS_DIR, NULL, &rom, &error), SIXER_ERR_FILE);  // a folder
  assert_int_equal(
      sixer_rom_open(TESTS_DIR "/cartridges/players.bin", "no_such_game", &rom, &error),
      SIXER_ERR_GAME);
  assert_non_null(strstr(error.message, "no_such_game"));
  assert_null(rom);
}

static void wrong_arguments_are_answered(void **unused) {
  (void)unused;
  sixer_rom *rom = NULL;
  sixer_error error;
  assert_int_equal(sixer_rom_open(TESTS_DIR "/cartridges/players.bin", "tetris", &rom, &error),
                   SIXER_OK);
  sixer_env *env = NULL;
  sixer_config config = {0};  // not made by sixer_config_default()
  assert_int_equal(sixer_env_create(rom, &config, &env, &error), SIXER_ERR_CONFIG);
  config = sixer_config_default();
  config.mode = 12345;
  assert_int_equal(sixer_env_create(rom, &config, &env, &error), SIXER_ERR_FLAVOR);
  config = sixer_config_default();
  config.difficulty = 9;
  assert_int_equal(sixer_env_create(rom, &config, &env, &error), SIXER_ERR_FLAVOR);
  config = sixer_config_default();
  config.frame_skip = 0;
  assert_int_equal(sixer_env_create(rom, &config, &env, &error), SIXER_ERR_CONFIG);
  config = sixer_config_default();
  config.sticky = -0.5f;
  assert_int_equal(sixer_env_create(rom, &config, &env, &error), SIXER_ERR_CONFIG);
  assert_null(env);

  config = sixer_config_default();
  assert_int_equal(sixer_env_create(rom, &config, &env, &error), SIXER_OK);
  size_t size = sixer_env_state_size(env, 3);
  uint8_t *before = malloc(size), *after = malloc(size);
  sixer_env_save(env, 3, before);
  static const int no_actions[] = {-1, 18, 40, 1000, -2147483647 - 1, 2147483647};
  for (size_t i = 0; i < sizeof no_actions / sizeof *no_actions; i++) {
    assert_int_equal(sixer_env_step(env, no_actions[i], NULL), SIXER_ERR_ACTION);
  }
  assert_int_equal(sixer_env_set_ram(env, 128, 1), SIXER_ERR_ARGUMENT);
  assert_int_equal(sixer_env_set_ram(env, -1, 1), SIXER_ERR_ARGUMENT);
  assert_int_equal(sixer_env_set_mode(env, 77, &error), SIXER_ERR_FLAVOR);
  assert_int_equal(sixer_env_set_difficulty(env, 77, &error), SIXER_ERR_FLAVOR);
  assert_int_not_equal(sixer_env_save_png(env, "/no/such/folder/x.png", &error), SIXER_OK);
  sixer_env_save(env, 3, after);
  assert_memory_equal(before, after, size);
  free(before);
  free(after);
  sixer_env_destroy(env);
  sixer_env_destroy(NULL);
  sixer_rom_close(rom);
  sixer_rom_close(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_cartridges_are_safe),
      cmocka_unit_test(unusable_images_are_refused),
      cmocka_unit_test(wrong_arguments_are_answered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
