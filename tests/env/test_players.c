/* Several players: four paddles on two jacks, an action remembered for each, wrong input, states and tapes. The games
 * are two cartridges of the tests that show their inputs in memory, with a definition made here, so that no image is
 * needed. tests/players.py compares with the reference on the games. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sixer/players.h"
#include "sixer/tape.h"
#include "util/md5.h"
#include "util/mt19937.h"

enum { ALL = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE, OUT = 0x70, OVER = 0x75, PAY = 0x76 };

static char folder[] = "/tmp/sixer-test-players-XXXXXX";
static char path[100], tape_path[100];
static sixer_rom *sticks, *paddles; /* ports.bin with joysticks, paddles.bin with four paddles */

/* Bytes 0xF0 to 0xF3: the player is out; 0xF5: the end; 0xF6: a reward for each player. The cartridges leave them 0. */
#define RULES                                                                      \
  "  keep out = 0, out_2 = 0, out_3 = 0, out_4 = 0, two = false unreset\n"         \
  "  report lives = -out, -out_2, -out_3, -out_4\n"                                \
  "  step {\n    out = ram[0xF0]\n    out_2 = ram[0xF1]\n    out_3 = ram[0xF2]\n"  \
  "    out_4 = ram[0xF3]\n    terminal = ram[0xF5] != 0\n    reward = ram[0xF6]\n" \
  "    reward_2 = -reward\n    reward_3 = 2 * reward\n    reward_4 = ma\n  }\n"    \
  "  select {\n    two = mode == 2\n    reset\n  }\n}\n"

static sixer_rom *open_with(const char *image, const char *id, const char *lines, const char *modes,
                            const char *rules) {
  char file[200], text[4000], hex[33];
  static uint8_t bytes[65536];
  snprintf(file, sizeof file, "%s/cartridges/%s", TESTS_DIR, image);
  FILE *in = fopen(file, "rb");
  assert_non_null(in);
  size_t size = fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  md5_hex(bytes, size, hex);
  snprintf(text, sizeof text,
           "game %s\ntitle \"%s\"\nactions all\ndifficulties 0, 1\nmd5 %s\n%splayers {\n%s%s", id,
           id, hex, lines, modes, rules);
  snprintf(path, sizeof path, "%s/%s.game", folder, id);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
  sixer_rom *rom = NULL;
  sixer_error error;
  if (sixer_rom_open(file, NULL, &rom, &error)) fail_msg("%s", error.message);
  unlink(path);
  return rom;
}

static int set_up(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return 1;
  setenv("SIXER_GAMES", folder, 1);
  snprintf(tape_path, sizeof tape_path, "%s/a.tape", folder);
  sticks = open_with("ports.bin", "sticks", "", "  modes for 2 : 2, 3\n  mode_offset -1\n", RULES);
  paddles =
      open_with("paddles.bin", "paddles", "left_controller paddles\nright_controller paddles\n",
                "  modes for 1 : 1\n  modes for 2 : 2\n  modes for 3 only sixer : 3\n"
                "  modes for 4 : 4, 5\n",
                RULES);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sixer_rom_close(sticks);
  sixer_rom_close(paddles);
  unlink(tape_path);
  return rmdir(folder);
}

static sixer_config config_of(int players, sixer_dialect dialect) {
  sixer_config config = sixer_config_default();
  config.players = players;
  config.dialect = dialect;
  config.sticky = 0;
  config.seed = 5;
  return config;
}

static sixer_env *make(const sixer_rom *rom, const sixer_config *config) {
  sixer_env *env = NULL;
  sixer_error error;
  if (sixer_env_create(rom, config, &env, &error)) fail_msg("%s", error.message);
  return env;
}

static sixer_env *make_plain(const sixer_rom *rom, int players, sixer_dialect dialect) {
  sixer_config config = config_of(players, dialect);
  return make(rom, &config);
}

static sixer_players_result step(sixer_env *env, const int *actions, int count) {
  sixer_players_result result;
  sixer_error error;
  if (sixer_env_step_players(env, actions, count, &result, &error)) fail_msg("%s", error.message);
  return result;
}

/* ---- Inputs ---------------------------------------------------------------------------------------------------- */

static void test_joysticks(void **state) {
  (void)state;
  sixer_env *env = make_plain(sticks, 2, SIXER_DIALECT_SIXER);
  assert_int_equal(sixer_env_players(env), 2);
  const uint8_t *ram = sixer_env_ram(env);
  step(env, (int[]){SIXER_ACTION_UP, SIXER_ACTION_LEFTFIRE}, 2);
  assert_int_equal(ram[0], 0xFF & ~0x10 & ~0x04); /* SWCHA: up on the left, left on the right */
  assert_int_equal(ram[2], 0x80);
  assert_int_equal(ram[3], 0x00); /* fire on the right */
  step(env, (int[]){SIXER_ACTION_FIRE, SIXER_ACTION_NOOP}, 2);
  assert_int_equal(ram[0], 0xFF);
  assert_int_equal(ram[2], 0x00);
  assert_int_equal(ram[3], 0x80);
  sixer_env_destroy(env);
}

/* Of 180 lines, those on which a paddle's capacitor was charged. */
static void counts_of(sixer_env *env, const int *actions, int frames, int counts[4]) {
  for (int i = 0; i < frames; i++) step(env, actions, 4);
  for (int i = 0; i < 4; i++) counts[i] = sixer_env_ram(env)[i];
}

static void test_paddles(void **state) {
  (void)state;
  sixer_env *env = make_plain(paddles, 4, SIXER_DIALECT_SIXER);
  int middle[4], turned[4];
  counts_of(env, (int[]){0, 0, 0, 0}, 2, middle);
  for (int i = 0; i < 4; i++) assert_in_range(middle[i], 1, 179);
  for (int player = 0; player < 4; player++) {
    int actions[4] = {0};
    actions[player] = SIXER_ACTION_RIGHTFIRE;
    sixer_env_reset(env);
    counts_of(env, actions, 8, turned);
    for (int i = 0; i < 4; i++) {
      if (i == player)
        assert_true(turned[i] > middle[i] + 3);
      else
        assert_int_equal(turned[i], middle[i]);
    }
  }
  sixer_env_destroy(env);

  /* with fewer players the right jack is at 0 ohms, charged at once; dialect ma centers it in all modes */
  for (int players = 1; players <= 2; players++) {
    int actions[2] = {0};
    sixer_env *own = make_plain(paddles, players, SIXER_DIALECT_SIXER),
              *ma = make_plain(paddles, players, SIXER_DIALECT_MA);
    step(own, actions, players);
    step(ma, actions, players);
    for (int i = 2; i < 4; i++) {
      assert_int_equal(sixer_env_ram(own)[i], 180);
      assert_int_equal(sixer_env_ram(ma)[i], middle[i]);
    }
    sixer_env_destroy(own);
    sixer_env_destroy(ma);
  }
}

/* The buttons of the four paddles are bits 7, 6, 3 and 2 of port A. */
static void test_paddle_buttons(void **state) {
  (void)state;
  sixer_rom *rom =
      open_with("ports.bin", "buttons", "left_controller paddles\nright_controller paddles\n",
                "  modes for 4 : 1\n", RULES);
  sixer_env *env = make_plain(rom, 4, SIXER_DIALECT_MA);
  static const int bits[] = {0x80, 0x40, 0x08, 0x04};
  for (int player = 0; player < 4; player++) {
    int actions[4] = {0};
    actions[player] = SIXER_ACTION_LEFTFIRE;
    step(env, actions, 4);
    assert_int_equal(sixer_env_ram(env)[0], 0xFF & ~bits[player]);
  }
  sixer_env_destroy(env);
  sixer_rom_close(rom);
}

/* Each player has its own draw on every frame, in order; dialect sixer draws at least twice. */
static void test_sticky(void **state) {
  (void)state;
  for (int players = 2; players <= 4; players++) {
    for (int d = 0; d < 2; d++) {
      if (d == SIXER_DIALECT_MA && players == 3) continue;
      sixer_config config = config_of(players, (sixer_dialect)d);
      config.sticky = 0.5f;
      config.frame_skip = 3;
      sixer_env *env = make(paddles, &config);
      mt19937 mt;
      mt_seed(&mt, config.seed);
      if (d == SIXER_DIALECT_MA) mt_next(&mt); /* the timer at the reset */
      int held[4] = {0};
      for (int i = 0; i < 200; i++) {
        int actions[4];
        for (int k = 0; k < 4; k++) actions[k] = (i * 7 + k * 5 + i * k) % 18;
        sixer_players_result r = step(env, actions, players);
        for (int f = 0; f < 3; f++) {
          for (int k = 0; k < players; k++) {
            if (mt_real(&mt) >= 0.5) held[k] = actions[k];
          }
        }
        for (int k = 0; k < players; k++) assert_int_equal(r.executed[k], held[k]);
      }
      sixer_env_destroy(env);
    }
  }
}

/* ---- Rewards, lives, ends -------------------------------------------------------------------------------------- */

static void test_results(void **state) {
  (void)state;
  sixer_config config = config_of(4, SIXER_DIALECT_SIXER);
  config.frame_skip = 2;
  config.reward_max = 12;
  sixer_env *env = make(paddles, &config);
  const int idle[4] = {0};
  sixer_env_set_ram(env, PAY, 5);
  sixer_env_set_ram(env, OUT + 2, 1);
  sixer_players_result r = step(env, idle, 4);
  const int rewards[] = {10, -10, 12, 0}, lives[] = {0, 0, -1, 0};
  assert_memory_equal(r.reward, rewards, sizeof rewards);
  assert_memory_equal(r.lives, lives, sizeof lives);
  assert_int_equal(r.score[2], 20);
  assert_true(!r.ended[0] && !r.ended[1] && r.ended[2] && !r.ended[3] && !r.over);
  sixer_env_set_ram(env, OVER, 1);
  r = step(env, idle, 4);
  assert_true(r.over && r.terminal && !r.truncated && r.ended[0] && r.end == SIXER_END_GAME_OVER);
  assert_int_equal(r.frames, 1);
  assert_int_equal(r.reward[0], 5);
  /* nothing more happens */
  r = step(env, idle, 4);
  assert_int_equal(r.frames, 0);
  assert_int_equal(r.reward[0], 0);
  sixer_result one;
  assert_int_equal(sixer_env_step_input(env, (sixer_input){0}, &one), SIXER_OK);
  sixer_env_reset(env);
  r = sixer_env_players_result(env);
  assert_true(r.reward[0] == 0 && r.score[2] == 0 && !r.over);
  sixer_env_destroy(env);
}

/* An env with one player gives its result in the same way. */
static void test_one_player(void **state) {
  (void)state;
  sixer_config config = sixer_config_default();
  config.sticky = 0;
  sixer_env *a = make(sticks, &config), *b = make(sticks, &config);
  for (int i = 0; i < 30; i++) {
    sixer_result one;
    assert_int_equal(sixer_env_step(a, i % 18, &one), SIXER_OK);
    sixer_players_result r = step(b, (int[]){i % 18}, 1);
    assert_int_equal(r.players, 1);
    assert_int_equal(r.reward[0], one.reward);
    assert_int_equal(r.lives[0], one.lives);
    assert_int_equal(r.executed[0], one.executed);
  }
  size_t size = sixer_env_state_size(a, ALL);
  assert_int_equal(size, sixer_env_state_size(b, ALL));
  uint8_t *x = malloc(size), *y = malloc(size);
  sixer_env_save(a, ALL, x);
  sixer_env_save(b, ALL, y);
  assert_memory_equal(x, y, size);
  free(x);
  free(y);
  sixer_env_destroy(a);
  sixer_env_destroy(b);
}

/* ---- Wrong input ----------------------------------------------------------------------------------------------- */

static void refused(sixer_env *env, const int *actions, int count, const char *message) {
  size_t size = sixer_env_state_size(env, ALL);
  uint8_t *before = malloc(size), *after = malloc(size);
  sixer_error error = {SIXER_OK, ""};
  sixer_env_save(env, ALL, before);
  assert_int_equal(sixer_env_step_players(env, actions, count, NULL, &error), SIXER_ERR_ACTION);
  assert_string_equal(error.message, message);
  assert_int_equal(sixer_env_check_actions(env, actions, count, NULL), SIXER_ERR_ACTION);
  sixer_env_save(env, ALL, after);
  assert_memory_equal(before, after, size);
  free(before);
  free(after);
}

static void test_wrong_actions(void **state) {
  (void)state;
  sixer_env *env = make_plain(paddles, 2, SIXER_DIALECT_SIXER);
  const int actions[] = {1, 2, 3, 4, 5};
  refused(env, actions, 1, "mode 2 is for 2 players and takes as many actions, found 1");
  refused(env, actions, 0, "mode 2 is for 2 players and takes as many actions, found 0");
  refused(env, actions, 3, "mode 2 is for 2 players and takes as many actions, found 3");
  refused(env, actions, 5, "mode 2 is for 2 players and takes as many actions, found 5");
  refused(env, actions, -1, "mode 2 is for 2 players and takes as many actions, found -1");
  refused(env, (int[]){0, 18}, 2, "player 2 has action 18; actions are 0 to 17");
  refused(env, (int[]){-1, 0}, 2, "player 1 has action -1; actions are 0 to 17");
  refused(env, (int[]){0, 22}, 2, "player 2 has action 22; actions are 0 to 17"); /* no RESET */
  refused(env, (int[]){40, 0}, 2, "player 1 has action 40; actions are 0 to 17");
  sixer_input input = {.action_c = 1};
  sixer_error error;
  assert_int_equal(sixer_env_step_players_input(env, input, NULL, &error), SIXER_ERR_ACTION);
  assert_string_equal(error.message, "player 3 has an action, but mode 2 is for 2 players");
  assert_int_equal(sixer_env_step_input(env, input, NULL), SIXER_ERR_ACTION);
  sixer_env_set_ram(env, OUT + 1, 1);
  step(env, (int[]){1, 1}, 2);
  refused(env, (int[]){1, 2}, 2,
          "player 2 is out and has action UP; until the next reset it must be NOOP");
  step(env, (int[]){1, 0}, 2);
  sixer_env_destroy(env);

  /* the reference lets a player act that is out */
  env = make_plain(paddles, 2, SIXER_DIALECT_MA);
  sixer_env_set_ram(env, OUT + 1, 1);
  step(env, (int[]){1, 1}, 2);
  step(env, (int[]){1, 2}, 2);
  sixer_env_destroy(env);

  sixer_config config = sixer_config_default();
  env = make(sticks, &config);
  assert_int_equal(sixer_env_step_input(env, input, NULL), SIXER_ERR_ACTION);
  sixer_env_destroy(env);
}

static void no_env(const sixer_rom *rom, sixer_config config, const char *message) {
  sixer_env *env = NULL;
  sixer_error error = {SIXER_OK, ""};
  assert_int_not_equal(sixer_env_create(rom, &config, &env, &error), SIXER_OK);
  assert_null(env);
  assert_string_equal(error.message, message);
}

static void test_wrong_settings(void **state) {
  (void)state;
  sixer_config config = config_of(4, SIXER_DIALECT_SIXER);
  no_env(sticks, config, "sticks has no mode for 4 players in dialect sixer, but for 2");
  no_env(paddles, config_of(3, SIXER_DIALECT_MA),
         "paddles has no mode for 3 players in dialect ma, but for 1, 2 or 4");
  no_env(paddles, config_of(5, SIXER_DIALECT_SIXER), "players is 5; there are 1 to 4");
  no_env(paddles, config_of(0, SIXER_DIALECT_SIXER), "players is 0; there are 1 to 4");
  no_env(paddles, config_of(2, (sixer_dialect)7), "there is no dialect 7");
  config.mode = 2;
  no_env(paddles, config,
         "mode 2 of paddles is for 2 players, and there are 4; modes for 4 in dialect sixer: 4, 5");
  config.mode = 9;
  no_env(paddles, config, "paddles has no mode 9 in dialect sixer; for 4 players: 4, 5");
  config = config_of(2, SIXER_DIALECT_MA);
  config.reward_max = 1;
  no_env(paddles, config,
         "dialect ma does not clamp rewards: leave reward_min and reward_max alone");
  config = config_of(2, SIXER_DIALECT_SIXER);
  config.end_on_life_loss = true;
  no_env(paddles, config, "end_on_life_loss is for one player: look at the lives of each instead");
  sixer_rom *plain;
  sixer_error error;
  assert_int_equal(sixer_rom_open("cragfast", NULL, &plain, &error), SIXER_OK);
  no_env(plain, config_of(2, SIXER_DIALECT_SIXER),
         "Cragfast has no rules for several players; `sixer games` lists the games that do");
  sixer_rom_close(plain);
}

/* Player 1 is paid for the correction "serve", player 2 for "start"; both are out after a frame. */
#define CORRECTED                                                             \
  "  turn_limit 90\n  keep started = 0, gone = 0\n"                           \
  "  report lives = -gone, -gone\n"                                           \
  "  step {\n    reward = correct_serve ? turn_limit : 7\n"                   \
  "    reward_2 = started\n    gone = ram[0xF0]\n    terminal = false\n  }\n" \
  "  select {\n    started = correct_start\n    reset\n  }\n}\n"

static void test_corrections(void **state) {
  (void)state;
  sixer_error error;
  int found = 0;
  assert_int_equal(sixer_corrections_find("start,out", &found, &error), SIXER_OK);
  assert_int_equal(found, SIXER_CORRECT_START | SIXER_CORRECT_OUT);
  assert_int_equal(sixer_corrections_find("all", &found, &error), SIXER_OK);
  assert_int_equal(found, SIXER_CORRECT_ALL);
  assert_int_equal(sixer_corrections_find("none", &found, &error), SIXER_OK);
  assert_int_equal(found, 0);
  int sum = 0;
  for (int i = 0; sixer_rule_correction_at(i).name; i++) sum += sixer_rule_correction_at(i).bit;
  assert_int_equal(sum, SIXER_CORRECT_ALL);
  assert_int_equal(sixer_corrections_find("start,thee", &found, &error), SIXER_ERR_ARGUMENT);
  assert_string_equal(error.message,
                      "there is no correction 'thee' (did you mean 'three'?); there are start, "
                      "three, serve, out, reset, or all, or none");
  assert_int_equal(found, 0);
  assert_int_equal(sixer_corrections_find("", &found, &error), SIXER_ERR_ARGUMENT);

  sixer_rom *rom = open_with("ports.bin", "corrected", "", "  modes for 2 : 2\n", CORRECTED);
  const int actions[] = {0, 0}, pressed[] = {0, 22};
  for (int corrections = SIXER_CORRECTIONS_DEFAULT; corrections <= SIXER_CORRECT_ALL;
       corrections++) {
    const int now = corrections < 0 ? SIXER_CORRECT_ALL : corrections;
    sixer_config config = config_of(2, SIXER_DIALECT_SIXER);
    config.corrections = corrections;
    sixer_env *env = make(rom, &config);
    sixer_players_result result = step(env, actions, 2);
    assert_int_equal(result.reward[0], now & SIXER_CORRECT_SERVE ? 90 : 7);
    assert_int_equal(result.reward[1], now & SIXER_CORRECT_START ? 1 : 0);
    if (now & SIXER_CORRECT_RESET) {
      refused(env, pressed, 2, "player 2 has action 22; actions are 0 to 17");
    } else {
      step(env, pressed, 2);
      assert_int_equal(sixer_env_ram(env)[1] & 1, 0); /* SWCHB: RESET is down */
      step(env, actions, 2);
      assert_int_equal(sixer_env_ram(env)[1] & 1, 1);
      refused(env, (int[]){22, 0}, 2, "player 1 has action 22; actions are 0 to 17");
    }
    sixer_env_set_ram(env, OUT, 1);
    step(env, actions, 2);
    if (now & SIXER_CORRECT_OUT)
      refused(env, (int[]){2, 0}, 2,
              "player 1 is out and has action UP; until the next reset it must be NOOP");
    else
      step(env, (int[]){2, 0}, 2);
    sixer_env_destroy(env);

    /* a tape has them */
    sixer_recorder *recorder;
    env = make(rom, &config);
    unlink(tape_path);
    assert_int_equal(sixer_recorder_open(tape_path, env, "", &recorder, &error), SIXER_OK);
    assert_int_equal(sixer_recorder_close(recorder, &error), SIXER_OK);
    sixer_env_destroy(env);
    sixer_tape *tape;
    if (sixer_tape_open(tape_path, &tape, &error)) fail_msg("%s", error.message);
    assert_int_equal(sixer_tape_describe(tape).config.corrections, corrections);
    sixer_tape_close(tape);
  }
  sixer_rom_close(rom);

  sixer_config config = config_of(3, SIXER_DIALECT_SIXER);
  config.corrections = SIXER_CORRECT_ALL & ~SIXER_CORRECT_THREE;
  no_env(paddles, config,
         "modes of paddles for three players are a correction: name \"three\" among the "
         "corrections");
  config.corrections = SIXER_CORRECT_THREE;
  sixer_env_destroy(make(paddles, &config));
  config.corrections = 32;
  no_env(paddles, config, "corrections is 32; it is a sum of bits up to 31");
  config = config_of(2, SIXER_DIALECT_MA);
  config.corrections = SIXER_CORRECT_START;
  no_env(paddles, config,
         "dialect ma equals its reference and has no corrections to choose: take dialect sixer, or "
         "leave them out");
  config = config_of(2, SIXER_DIALECT_SIXER);
  config.turn_limit = -2;
  no_env(paddles, config,
         "turn_limit is -2; it is a number of frames, 0 for no fines, or -1 for the game's own "
         "number");
}

static void test_modes(void **state) {
  (void)state;
  sixer_error error;
  sixer_env *env = make_plain(paddles, 4, SIXER_DIALECT_SIXER);
  assert_int_equal(sixer_env_set_mode(env, 2, &error), SIXER_ERR_FLAVOR);
  assert_int_equal(sixer_env_set_mode(env, 5, &error), SIXER_OK);
  sixer_env_destroy(env);
  /* with 0 players in dialect ma the mode decides, at once */
  env = make_plain(paddles, 0, SIXER_DIALECT_MA);
  assert_int_equal(sixer_env_players(env), 1);
  assert_int_equal(sixer_env_set_mode(env, 4, &error), SIXER_OK);
  assert_int_equal(sixer_env_players(env), 4);
  sixer_env_reset(env);
  assert_int_equal(step(env, (int[]){0, 0, 0, 0}, 4).reward[3], 1);
  assert_int_equal(sixer_env_set_mode(env, 3, &error), SIXER_ERR_FLAVOR);
  sixer_env_destroy(env);
  env = make_plain(sticks, 0, SIXER_DIALECT_MA); /* no modes for one */
  assert_int_equal(sixer_env_status(env).mode, 2);
  assert_int_equal(sixer_env_players(env), 2);
  sixer_env_destroy(env);
  assert_int_equal(sixer_rom_player_modes(sticks, SIXER_DIALECT_SIXER, 2).items[0], 1);
  assert_int_equal(sixer_rom_player_modes(sticks, SIXER_DIALECT_SIXER, 1).count, 0);
}

/* ---- States and tapes ------------------------------------------------------------------------------------------ */

static void random_play(sixer_env *env, uint32_t seed, int steps, uint8_t *ram_log) {
  int players = sixer_env_players(env);
  for (int i = 0; i < steps; i++) {
    int actions[4];
    for (int k = 0; k < 4; k++) {
      seed = seed * 1664525u + 1013904223u;
      actions[k] = (int)((seed >> 8) % 18);
    }
    sixer_players_result r = step(env, actions, players);
    if (!ram_log) continue;
    memcpy(ram_log + 160 * i, sixer_env_ram(env), 128);
    for (int k = 0; k < 4; k++) ram_log[160 * i + 128 + k] = (uint8_t)r.executed[k];
  }
}

static void test_states(void **state) {
  (void)state;
  enum { STEPS = 60 };
  static uint8_t first[160 * STEPS], second[160 * STEPS];
  sixer_error error;
  for (int d = 0; d < 2; d++) {
    sixer_config config = config_of(4, (sixer_dialect)d);
    config.sticky = 0.6f;
    sixer_env *env = make(paddles, &config), *other = make(paddles, &config);
    random_play(env, 1, 30, NULL);
    size_t size = sixer_env_state_size(env, ALL);
    uint8_t *saved = malloc(size), *again = malloc(size);
    sixer_env_save(env, ALL, saved);
    random_play(env, 2, STEPS, first);
    random_play(other, 9, 17, NULL);
    assert_int_equal(sixer_env_load(other, saved, size, &error), SIXER_OK);
    sixer_env_save(other, ALL, again);
    assert_memory_equal(saved, again, size);
    random_play(other, 2, STEPS, second);
    assert_memory_equal(first, second, sizeof first);

    /* any other byte in any place: refused with nothing changed, or a state that can be played */
    uint8_t *before = malloc(size), *after = malloc(size);
    for (size_t at = 0; at < 3400 && at < size; at++) {
      static const uint8_t values[] = {0, 1, 18, 127, 255};
      uint8_t kept = saved[at];
      saved[at] = values[at % sizeof values];
      sixer_env_save(other, ALL, before);
      if (sixer_env_load(other, saved, size, &error)) {
        sixer_env_save(other, ALL, after);
        assert_memory_equal(before, after, size);
      }
      saved[at] = kept;
    }
    free(before);
    free(after);

    /* of one player, of another dialect, of another number of players */
    sixer_config one = sixer_config_default(), swapped = config_of(4, (sixer_dialect)!d);
    sixer_env *alone = make(paddles, &one), *foreign = make(paddles, &swapped),
              *two = make_plain(paddles, 2, (sixer_dialect)d);
    char text[200];
    assert_int_equal(sixer_env_load(alone, saved, size, &error), SIXER_ERR_STATE);
    snprintf(text, sizeof text,
             "the state is of 4 players in dialect %s, this env of 1 in dialect sixer",
             sixer_dialect_name((sixer_dialect)d));
    assert_string_equal(error.message, text);
    assert_int_equal(sixer_env_load(foreign, saved, size, &error), SIXER_ERR_STATE);
    snprintf(text, sizeof text,
             "the state is of 4 players in dialect %s, this env of 4 in dialect %s",
             sixer_dialect_name((sixer_dialect)d), sixer_dialect_name((sixer_dialect)!d));
    assert_string_equal(error.message, text);
    assert_int_equal(sixer_env_load(two, saved, size, &error), SIXER_ERR_STATE);
    uint8_t *short_state = malloc(sixer_env_state_size(alone, 0));
    sixer_env_save(alone, 0, short_state);
    assert_int_equal(sixer_env_load(env, short_state, sixer_env_state_size(alone, 0), &error),
                     SIXER_ERR_STATE);
    snprintf(text, sizeof text,
             "the state is of 1 player in dialect sixer, this env of 4 in dialect %s",
             sixer_dialect_name((sixer_dialect)d));
    assert_string_equal(error.message, text);
    free(short_state);
    free(saved);
    free(again);
    sixer_env_destroy(env);
    sixer_env_destroy(other);
    sixer_env_destroy(alone);
    sixer_env_destroy(foreign);
    sixer_env_destroy(two);
  }
}

static void record(const sixer_config *config) {
  sixer_error error;
  sixer_recorder *recorder;
  sixer_env *env = make(paddles, config);
  unlink(tape_path);
  if (sixer_recorder_open(tape_path, env, "two and two", &recorder, &error))
    fail_msg("%s", error.message);
  uint32_t seed = 3;
  for (int i = 0; i < 400; i++) {
    int actions[4];
    for (int k = 0; k < 4; k++)
      actions[k] = (int)((seed = seed * 1664525u + 1013904223u) >> 8) % 18;
    float turn = i % 50 < 25 ? 1 : 0.25f;
    sixer_input input = {.action_a = actions[0],
                         .action_b = actions[1],
                         .action_c = actions[2],
                         .action_d = actions[3],
                         .strength_a = 1,
                         .strength_b = turn,
                         .strength_c = 1,
                         .strength_d = turn};
    if (i % 90 == 17) input.frames = 1;
    sixer_result result;
    sixer_players_result all;
    assert_int_equal(sixer_env_step_players_input(env, input, &all, &error), SIXER_OK);
    result = (sixer_result){.reward = all.reward[0],
                            .lives = all.lives[0],
                            .over = all.over,
                            .terminal = all.terminal,
                            .truncated = all.truncated,
                            .end = all.end,
                            .executed = all.executed[0],
                            .frames = all.frames};
    assert_int_equal(sixer_recorder_step(recorder, input, &result), SIXER_OK);
    if (i == 200) {
      sixer_env_set_mode(env, 5, &error);
      sixer_env_reset(env);
      sixer_recorder_reset(recorder);
    }
    if (i == 300) {
      sixer_env_set_ram(env, PAY, 3);
      sixer_recorder_state(recorder);
    }
  }
  if (sixer_recorder_close(recorder, &error)) fail_msg("%s", error.message);
  sixer_env_destroy(env);
}

static void test_tapes(void **state) {
  (void)state;
  sixer_error error = {SIXER_OK, ""};
  for (int d = 0; d < 2; d++) {
    sixer_config config = config_of(4, (sixer_dialect)d);
    config.sticky = 0.3f;
    config.frame_skip = 2;
    config.turn_limit = 77;
    record(&config);
    sixer_tape *tape;
    sixer_env *env;
    sixer_tape_event event;
    if (sixer_tape_open(tape_path, &tape, &error)) fail_msg("%s", error.message);
    sixer_tape_info info = sixer_tape_describe(tape);
    assert_true(info.complete);
    assert_int_equal(info.config.players, 4);
    assert_int_equal(info.config.dialect, d);
    assert_int_equal(info.config.turn_limit, 77);
    assert_false(sixer_tape_rules_changed(tape, paddles));
    if (sixer_tape_env(tape, paddles, &env, &error)) fail_msg("%s", error.message);
    do {
      if (sixer_tape_play(tape, env, &event, &error)) fail_msg("%s", error.message);
    } while (event.kind != SIXER_TAPE_END);
    sixer_env_destroy(env);

    /* on an env of another dialect, or of fewer players: nothing is played */
    sixer_tape_rewind(tape);
    env = make_plain(paddles, 4, (sixer_dialect)!d);
    assert_int_equal(sixer_tape_play(tape, env, &event, &error), SIXER_ERR_TAPE);
    char text[300];
    snprintf(text, sizeof text,
             "%s is of 4 players in dialect %s, the env of 4 in dialect %s: create it with the "
             "settings of the tape",
             tape_path, sixer_dialect_name((sixer_dialect)d),
             sixer_dialect_name((sixer_dialect)!d));
    assert_string_equal(error.message, text);
    assert_int_equal(sixer_env_status(env).episode_frames, 0);
    sixer_env_destroy(env);
    sixer_config one = sixer_config_default();
    env = make(paddles, &one);
    assert_int_equal(sixer_tape_play(tape, env, &event, &error), SIXER_ERR_TAPE);
    sixer_env_destroy(env);
    sixer_tape_close(tape);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joysticks),      cmocka_unit_test(test_paddles),
      cmocka_unit_test(test_paddle_buttons), cmocka_unit_test(test_sticky),
      cmocka_unit_test(test_results),        cmocka_unit_test(test_one_player),
      cmocka_unit_test(test_wrong_actions),  cmocka_unit_test(test_wrong_settings),
      cmocka_unit_test(test_modes),          cmocka_unit_test(test_states),
      cmocka_unit_test(test_tapes),          cmocka_unit_test(test_corrections)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
