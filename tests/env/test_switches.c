/* The console's switches: each reaches its bit of the port, none outlives its step, the console runs on after an
 * episode's end when asked to, and in every game that shows its variant in a byte of memory, SELECT reaches every mode.
 * Games are looked for as sixer_rom_open() does; those without an image are skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "sixer/catalog.h"
#include "support/stick_cartridge.h"

/* The cartridge of the stick, changed so that byte 1 of memory is what port B reads at the end of each frame. */
static sixer_rom *open_cartridge(const char *rules) {
  static const uint8_t end[] = {0xAD, 0x82, 0x02, 0x85, 0x81, /* LDA SWCHB STA $81 */
                                0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA};
  uint8_t image[4096];
  sixer_rom *rom;
  sixer_error error;
  stick_cartridge_image(image);
  memcpy(image + 33, end, sizeof end);
  if (sixer_rom_create(image, sizeof image, "scene", rules, &rom, &error))
    fail_msg("%s", error.message);
  return rom;
}

static int port(sixer_env *env, int switches) {
  /* the cartridge reads before the frame's last lines: the value is that of this frame after two of them */
  for (int i = 0; i < 2; i++)
    assert_int_equal(
        sixer_env_step_input(env, (sixer_input){.strength_a = 1, .switches = switches}, NULL), 0);
  return sixer_env_ram(env)[1];
}

static sixer_env *create(const sixer_rom *rom, int difficulty, int max_frames) {
  sixer_config config = sixer_config_default();
  sixer_env *env;
  sixer_error error;
  config.difficulty = difficulty;
  config.max_frames = max_frames;
  config.picture = false;
  if (sixer_env_create(rom, &config, &env, &error)) fail_msg("%s", error.message);
  return env;
}

static void test_bits(void **state) {
  (void)state;
  static const int rows[][3] = {/* switches, port with difficulty 0, with the left one at A */
                                {0, 0x3F, 0x7F},
                                {SIXER_SWITCH_RESET, 0x3E, 0x7E},
                                {SIXER_SWITCH_SELECT, 0x3D, 0x7D},
                                {SIXER_SWITCH_RUN, 0x3F, 0x7F},
                                {SIXER_SWITCH_COLOR, 0x37, 0x77},
                                {SIXER_SWITCH_LEFT, 0x7F, 0x3F},
                                {SIXER_SWITCH_RIGHT, 0xBF, 0xFF},
                                {SIXER_SWITCH_ALL, 0xF4, 0xB4},
                                {0, 0x3F, 0x7F}};
  sixer_rom *rom = open_cartridge("seaquest");
  for (int difficulty = 0; difficulty < 2; difficulty++) {
    sixer_env *env = create(rom, difficulty, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
      int found = port(env, rows[i][0] | SIXER_SWITCH_RUN), expected = rows[i][1 + difficulty];
      if (found != expected)
        fail_msg("switches %d: port %02x, not %02x", rows[i][0], found, expected);
    }
    sixer_env_destroy(env);
  }
  sixer_rom_close(rom);
}

static void test_wrong(void **state) {
  (void)state;
  sixer_rom *rom = open_cartridge(NULL);
  sixer_env *env = create(rom, 0, 0);
  int64_t frames = sixer_env_status(env).frames;
  static const int wrong[] = {16, 32, 256, -1, 1 << 30};
  for (int i = 0; i < 5; i++)
    assert_int_equal(
        sixer_env_step_input(env, (sixer_input){.strength_a = 1, .switches = wrong[i]}, NULL),
        SIXER_ERR_ACTION);
  assert_int_equal(sixer_env_status(env).frames, frames);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
}

static void test_run(void **state) {
  (void)state;
  sixer_rom *rom = open_cartridge(NULL);
  sixer_env *env = create(rom, 0, 10);
  sixer_result result = {0};
  for (int i = 0; i < 20; i++) sixer_env_step(env, 0, &result);
  assert_true(result.over);
  assert_int_equal(sixer_env_status(env).episode_frames, 10);
  /* only RUN makes it go on */
  sixer_env_step_input(env, (sixer_input){.strength_a = 1, .switches = SIXER_SWITCH_RESET},
                       &result);
  assert_int_equal(result.frames, 0);
  sixer_env_step_input(env, (sixer_input){.strength_a = 1, .switches = SIXER_SWITCH_RUN}, &result);
  assert_int_equal(result.frames, 1);
  assert_true(result.over);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
}

/* Games, the byte that shows their mode, and the frames for which SELECT is pressed (games/). */
static const struct {
  const char *game;
  int address, frames;
} variants[] = {
    {"air_raid", 0xAA, 10},
    {"alien", 0x81, 1},
    {"asteroids", 0x80, 2},
    {"atlantis", 0x8D, 2},
    {"bank_heist", 0x80, 1},
    {"basic_math", 0xC5, 2},
    {"battle_zone", 0xA1, 2},
    {"berzerk", 0x80, 2},
    {"bowling", 0x82, 2},
    {"breakout", 0xB2, 1},
    {"casino", 0xD4, 2},
    {"centipede", 0xA7, 2},
    {"chopper_command", 0xE0, 2},
    {"crazy_climber", 0x80, 2},
    {"defender", 0x9B, 2},
    {"demon_attack", 0xEA, 1},
    {"flag_capture", 0xD6, 2},
    {"freeway", 0x80, 1},
    {"frostbite", 0x80, 1},
    {"galaxian", 0xB3, 1},
    {"gopher", 0xD3, 5},
    {"gravitar", 0x80, 10},
    {"hangman", 0xEE, 2},
    {"haunted_house", 0xCC, 2},
    {"hero", 0x80, 1},
    {"ice_hockey", 0x80, 2},
    {"mario_bros", 0x80, 5},
    {"mr_do", 0x80, 5},
    {"name_this_game", 0xDE, 2},
    {"pong", 0x96, 2},
    {"pooyan", 0xBD, 2},
    {"private_eye", 0x80, 2},
    {"space_invaders", 0xDC, 2},
    {"star_gunner", 0xF4, 15},
    {"tennis", 0x80, 2},
    {"tic_tac_toe_3d", 0x88, 2},
    {"turmoil", 0xEA, 2},
    {"tutankham", 0xAB, 2},
    {"video_chess", 0xEA, 1},
    {"video_pinball", 0xC1, 2},
    {"word_zapper", 0xDB, 2},
    {"yars_revenge", 0xE3, 1},
    {"zaxxon", 0x82, 10},
};

static void hold(sixer_env *env, int switches) {
  sixer_env_step_input(env, (sixer_input){.strength_a = 1, .switches = switches | SIXER_SWITCH_RUN},
                       NULL);
}

/* Press SELECT again and again until memory shows a mode; false if that never happens. */
static bool press_until(sixer_env *env, int address, int mode, int pressed, int released) {
  for (int presses = 0; presses < 300; presses++) {
    if (sixer_env_ram(env)[address] == mode) return true;
    for (int i = 0; i < pressed + released; i++) hold(env, i < pressed ? SIXER_SWITCH_SELECT : 0);
  }
  return false;
}

static void test_variants(void **state) {
  (void)state;
  int games = 0, reached = 0;
  for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
    char path[4096];
    sixer_rom *rom;
    if (!sixer_rom_find(variants[i].game, path, sizeof path)) continue;
    if (sixer_rom_open(variants[i].game, NULL, &rom, NULL)) continue;
    sixer_env *env = create(rom, 0, 0);
    sixer_list modes = sixer_rom_modes(rom);
    games++;
    for (int k = 0; k < modes.count; k++) {
      int address = variants[i].address & 0x7F;
      /* some games look at SELECT only before a game has begun; some want it released for longer */
      bool found = press_until(env, address, modes.items[k], variants[i].frames, 1) ||
                   press_until(env, address, modes.items[k], 6, 30);
      if (!found) {
        for (int frame = 0; frame < 40; frame++) hold(env, frame < 4 ? SIXER_SWITCH_RESET : 0);
        found = press_until(env, address, modes.items[k], 6, 30);
      }
      if (!found) fail_msg("%s: mode %d is not reached", variants[i].game, modes.items[k]);
      reached++;
    }
    sixer_env_destroy(env);
    sixer_rom_close(rom);
  }
  printf("%d modes of %d games\n", reached, games);
  if (!games) skip();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_wrong),
                                     cmocka_unit_test(test_run), cmocka_unit_test(test_variants)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
