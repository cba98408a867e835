/* Vectors of envs with several players: rows of an entry per player equal the envs stepped alone, on a cartridge of the
 * tests that shows its inputs, with any number of threads; a player that is out does nothing; wrong actions change
 * nothing. */
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
#include "sixer/vec.h"
#include "util/md5.h"

enum { N = 5, PLAYERS = 4, STEPS = 120, OUT = 0x70, PAY = 0x76 };

static sixer_rom *rom;

static int set_up(void **state) {
  (void)state;
  char folder[] = "/tmp/sixer-test-vec-players-XXXXXX", path[100], file[200], hex[33];
  static uint8_t bytes[65536];
  snprintf(file, sizeof file, "%s/cartridges/paddles.bin", TESTS_DIR);
  FILE *in = fopen(file, "rb");
  if (!in || !mkdtemp(folder)) return 1;
  size_t size = fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  md5_hex(bytes, size, hex);
  setenv("SIXER_GAMES", folder, 1);
  snprintf(path, sizeof path, "%s/four.game", folder);
  FILE *out = fopen(path, "w");
  fprintf(
      out,
      "game four\ntitle \"Four\"\nactions NOOP FIRE RIGHT LEFT\nmd5 %s\n"
      "left_controller paddles\nright_controller paddles\nplayers {\n  modes for 4 : 1\n"
      "  keep out_3 = 0\n  report lives = 0, 0, -out_3, 0\n  step {\n    out_3 = ram[0xF2]\n"
      "    reward = ram[0x80] + ram[0xF6]\n    reward_2 = -ram[0x81]\n    reward_3 = ram[0x82]\n"
      "    reward_4 = ram[0x83] - 100\n    terminal = ram[0x80] > 168\n  }\n"
      "  select { reset }\n}\n",
      hex);
  fclose(out);
  sixer_error error;
  if (sixer_rom_open(file, NULL, &rom, &error)) fail_msg("%s", error.message);
  unlink(path);
  return rmdir(folder);
}

static int tear_down(void **state) {
  (void)state;
  sixer_rom_close(rom);
  return 0;
}

static sixer_vec_config settings(sixer_dialect dialect, int threads) {
  sixer_vec_config config = sixer_vec_config_default();
  config.env.players = PLAYERS;
  config.env.dialect = dialect;
  config.env.sticky = 0.4f;
  config.env.frame_skip =
      1; /* a vec stops a step at the end of an episode, without the draws of its other frames */
  config.env.seed = 70;
  config.threads = threads;
  config.obs = SIXER_OBS_RAM;
  config.pool = SIXER_POOL_NONE;
  config.height = config.width = 0;
  config.stack = 1;
  config.noop_max = 0;
  config.clip_rewards = false;
  config.fire_start = false;
  return config;
}

typedef struct arrays {
  uint8_t obs[N * 128], terminated[N], ended[N * PLAYERS];
  int32_t rewards[N * PLAYERS], lives[N * PLAYERS], executed[N * PLAYERS];
} arrays;

static sixer_vec_out out_of(arrays *a) {
  return (sixer_vec_out){.rows = N,
                         .obs = a->obs,
                         .terminated = a->terminated,
                         .ended = a->ended,
                         .rewards = a->rewards,
                         .lives = a->lives,
                         .executed = a->executed};
}

static sixer_vec *make(const sixer_vec_config *config) {
  sixer_vec_slot slots[N];
  sixer_vec *vec;
  sixer_error error;
  for (int i = 0; i < N; i++) slots[i] = (sixer_vec_slot){rom, SIXER_MODE_DEFAULT, 0};
  if (sixer_vec_create(slots, N, config, &vec, &error)) fail_msg("%s", error.message);
  return vec;
}

static void test_same_as_alone(void **state) {
  (void)state;
  for (int d = 0; d < 2; d++) {
    sixer_error error;
    sixer_vec_config config = settings((sixer_dialect)d, 1 + d * 2);
    sixer_vec *vec = make(&config);
    assert_int_equal(sixer_vec_describe(vec).players, PLAYERS);
    sixer_env *envs[N];
    bool over[N] = {false};
    for (int i = 0; i < N; i++) {
      sixer_config one = config.env;
      one.seed += (uint32_t)i;
      one.max_frames = 0;
      if (sixer_env_create(rom, &one, &envs[i], &error)) fail_msg("%s", error.message);
      sixer_env_reset(envs[i]);
    }
    static arrays a;
    sixer_vec_out out = out_of(&a);
    if (sixer_vec_reset(vec, NULL, NULL, &out, &error)) fail_msg("%s", error.message);
    uint32_t random = 9;
    int ends = 0;
    for (int s = 0; s < STEPS; s++) {
      int32_t actions[N * PLAYERS];
      for (int k = 0; k < N * PLAYERS; k++)
        actions[k] = (int32_t)((random = random * 1664525u + 1013904223u) >> 8) & 3;
      if (s == 40) {
        sixer_vec_set_ram(vec, 1, OUT + 2, 1, &error);
        sixer_env_set_ram(envs[1], OUT + 2, 1);
      }
      if (sixer_vec_step(vec, actions, NULL, &out, &error)) fail_msg("%s", error.message);
      for (int i = 0; i < N; i++) {
        sixer_players_result r = {.players = PLAYERS};
        if (over[i]) {
          sixer_env_reset(envs[i]);
          r = sixer_env_players_result(envs[i]);
        } else {
          int codes[PLAYERS];
          bool out_3 = sixer_env_players_result(envs[i]).lives[2] < 0;
          for (int k = 0; k < PLAYERS; k++)
            codes[k] = sixer_vec_actions(vec, i).items[actions[i * PLAYERS + k]];
          if (out_3 && d == SIXER_DIALECT_SIXER) codes[2] = 0;
          if (sixer_env_step_players(envs[i], codes, PLAYERS, &r, &error))
            fail_msg("%s", error.message);
        }
        over[i] = r.over;
        ends += r.over;
        assert_memory_equal(a.obs + 128 * i, sixer_env_ram(envs[i]), 128);
        assert_int_equal(a.terminated[i], r.over);
        for (int k = 0; k < PLAYERS; k++) {
          assert_int_equal(a.rewards[i * PLAYERS + k], r.reward[k]);
          assert_int_equal(a.lives[i * PLAYERS + k], r.lives[k]);
          assert_int_equal(a.ended[i * PLAYERS + k], r.ended[k]);
          assert_int_equal(a.executed[i * PLAYERS + k], r.executed[k]);
        }
      }
    }
    assert_true(ends > 0); /* episodes ended and were reset by the next step */
    for (int i = 0; i < N; i++) sixer_env_destroy(envs[i]);
    sixer_vec_destroy(vec);
  }
}

static void test_wrong(void **state) {
  (void)state;
  sixer_error error;
  sixer_vec_config config = settings(SIXER_DIALECT_SIXER, 1);
  sixer_vec *vec = make(&config), *none = NULL;
  static arrays a;
  sixer_vec_out out = out_of(&a);
  assert_int_equal(sixer_vec_reset(vec, NULL, NULL, &out, &error), SIXER_OK);
  int32_t actions[N * PLAYERS] = {0};
  actions[2 * PLAYERS + 3] = 4;
  int64_t frames = sixer_vec_status(vec, 0).frames;
  assert_int_equal(sixer_vec_step(vec, actions, NULL, &out, &error), SIXER_ERR_ACTION);
  assert_string_equal(error.message, "the action of player 4 of env 2 is 4; it has 0 to 3");
  assert_int_equal(sixer_vec_status(vec, 0).frames, frames);
  sixer_vec_destroy(vec);
  sixer_vec_slot slot = {rom, SIXER_MODE_DEFAULT, 0};
  config.env.players = 3;
  assert_int_equal(sixer_vec_create(&slot, 1, &config, &none, &error), SIXER_ERR_FLAVOR);
  assert_string_equal(error.message,
                      "env 0: Four has no mode for 3 players in dialect sixer, but for 4");
  config.env.players = 0;
  assert_int_equal(sixer_vec_create(&slot, 1, &config, &none, &error), SIXER_ERR_CONFIG);
  config.env.players = 4;
  config.life_loss = SIXER_LIFE_LOSS_END;
  assert_int_equal(sixer_vec_create(&slot, 1, &config, &none, &error), SIXER_ERR_CONFIG);
  assert_null(none);
}

/* Saved, played on, loaded into another env of the vec: the same future. */
static void test_states(void **state) {
  (void)state;
  sixer_error error;
  sixer_vec_config config = settings(SIXER_DIALECT_SIXER, 2);
  sixer_vec *vec = make(&config);
  static arrays a, b;
  sixer_vec_out out = out_of(&a), again = out_of(&b);
  assert_int_equal(sixer_vec_reset(vec, NULL, NULL, &out, &error), SIXER_OK);
  int32_t actions[N * PLAYERS], from = 1, to = 3;
  for (int k = 0; k < N * PLAYERS; k++) actions[k] = k % PLAYERS;
  for (int i = 0; i < 5; i++) sixer_vec_step(vec, actions, NULL, &out, &error);
  size_t size = sixer_vec_state_size(vec, from, SIXER_SAVE_CONTROLLER);
  void *bytes = malloc(size);
  const void *loaded = bytes;
  assert_int_equal(sixer_vec_save(vec, &from, 1, SIXER_SAVE_CONTROLLER, &bytes, &size, &error),
                   SIXER_OK);
  for (int i = 0; i < 10; i++) sixer_vec_step(vec, actions, NULL, &out, &error);
  assert_int_equal(sixer_vec_load(vec, &to, 1, &loaded, &size, &error), SIXER_OK);
  for (int i = 0; i < 10; i++) sixer_vec_step(vec, actions, NULL, &again, &error);
  assert_memory_equal(a.obs + 128 * from, b.obs + 128 * to, 128);
  assert_memory_equal(a.rewards + PLAYERS * from, b.rewards + PLAYERS * to,
                      PLAYERS * sizeof *a.rewards);
  free(bytes);
  sixer_vec_destroy(vec);
}

/* Copied while the players of two envs turn their paddles apart: the same future, with the generators of the source or,
 * where no action sticks, without them. In a cycle of copies, a source is put aside as a state. */
static void test_copies(void **state) {
  (void)state;
  for (int variant = 0; variant < 4; variant++) {
    const bool cycle = variant & 1;
    const int flags = variant & 2 ? 0 : SIXER_SAVE_CONTROLLER;
    sixer_error error;
    sixer_vec_config config = settings(SIXER_DIALECT_SIXER, 1);
    if (!flags) config.env.sticky = 0;
    sixer_vec *vec = make(&config);
    static arrays a;
    sixer_vec_out out = out_of(&a);
    assert_int_equal(sixer_vec_reset(vec, NULL, NULL, &out, &error), SIXER_OK);
    int32_t actions[N * PLAYERS] = {0};
    for (int k = 0; k < PLAYERS; k++) {
      actions[PLAYERS + k] = 2;     /* env 1: RIGHT */
      actions[3 * PLAYERS + k] = 3; /* env 3: LEFT */
    }
    for (int i = 0; i < 6; i++) sixer_vec_step(vec, actions, NULL, &out, &error);
    for (int k = 0; k < PLAYERS; k++) /* every paddle is elsewhere */
      assert_int_not_equal(a.obs[128 + k], a.obs[3 * 128 + k]);
    uint8_t ram[128];
    int32_t executed[PLAYERS];
    memcpy(ram, a.obs + 128, sizeof ram);
    memcpy(executed, a.executed + PLAYERS, sizeof executed);
    const int32_t from[] = {1, 3}, to[] = {3, 1};
    assert_int_equal(sixer_vec_copy(vec, from, to, cycle ? 2 : 1, flags, &error), SIXER_OK);
    assert_int_equal(sixer_vec_observe(vec, NULL, 0, &out, &error), SIXER_OK);
    assert_memory_equal(a.obs + 3 * 128, ram, sizeof ram);
    assert_memory_equal(a.executed + 3 * PLAYERS, executed, sizeof executed);
    if (cycle) { /* the other way, too: env 1 goes on from where the players turned left */
      const int32_t one[] = {3}, back[] = {1};
      assert_int_not_equal(a.obs[128 + 3], ram[3]);
      assert_int_equal(sixer_vec_copy(vec, one, back, 1, flags, &error), SIXER_OK);
    }
    for (int k = 0; k < PLAYERS; k++) actions[PLAYERS + k] = actions[3 * PLAYERS + k] = 0;
    for (int i = 0; i < 4; i++) {
      assert_int_equal(sixer_vec_step(vec, actions, NULL, &out, &error), SIXER_OK);
      assert_memory_equal(a.obs + 128, a.obs + 3 * 128, 128);
      assert_memory_equal(a.rewards + PLAYERS, a.rewards + 3 * PLAYERS,
                          PLAYERS * sizeof *a.rewards);
    }
    sixer_vec_destroy(vec);
  }
}

/* A plain state, of the console and the rules alone, tells who is out, and what each player did last. */
static void test_plain_states(void **state) {
  (void)state;
  sixer_error error;
  sixer_vec_config config = settings(SIXER_DIALECT_SIXER, 1);
  config.env.sticky = 0;
  sixer_vec *vec = make(&config);
  static arrays a;
  sixer_vec_out out = out_of(&a);
  assert_int_equal(sixer_vec_reset(vec, NULL, NULL, &out, &error), SIXER_OK);
  int32_t actions[N * PLAYERS] = {0}, from = 1, to = 3;
  for (int k = 0; k < PLAYERS; k++) actions[PLAYERS + k] = 3 - k;
  sixer_vec_set_ram(vec, from, OUT + 2, 1, &error);
  for (int i = 0; i < 3; i++) sixer_vec_step(vec, actions, NULL, &out, &error);
  const uint8_t out_3[PLAYERS] = {false, false, true, false};
  assert_memory_equal(a.ended + PLAYERS * from, out_3, PLAYERS);
  size_t size = sixer_vec_state_size(vec, from, SIXER_SAVE_PLAIN);
  void *bytes = malloc(size);
  const void *loaded = bytes;
  assert_int_equal(sixer_vec_save(vec, &from, 1, SIXER_SAVE_PLAIN, &bytes, &size, &error),
                   SIXER_OK);
  assert_int_equal(sixer_vec_load(vec, &to, 1, &loaded, &size, &error), SIXER_OK);
  assert_int_equal(sixer_vec_observe(vec, NULL, 0, &out, &error), SIXER_OK);
  assert_memory_equal(a.ended + PLAYERS * to, out_3, PLAYERS);
  assert_memory_equal(a.executed + PLAYERS * to, a.executed + PLAYERS * from,
                      PLAYERS * sizeof *a.executed);
  assert_int_equal(a.executed[PLAYERS * to + 1], sixer_vec_actions(vec, from).items[2]);
  free(bytes);
  sixer_vec_destroy(vec);
}

/* Actions that are replaced by random ones: not those of a player that is out, in dialect sixer. */
static void test_random_actions(void **state) {
  (void)state;
  for (int d = 0; d < 2; d++) {
    sixer_error error;
    sixer_vec_config config = settings((sixer_dialect)d, 1);
    config.env.sticky = 0;
    config.env.random_action = 1;
    sixer_vec *vec = make(&config);
    static arrays a;
    sixer_vec_out out = out_of(&a);
    assert_int_equal(sixer_vec_reset(vec, NULL, NULL, &out, &error), SIXER_OK);
    int32_t actions[N * PLAYERS] = {0};
    sixer_vec_set_ram(vec, 1, OUT + 2, 1, &error);
    assert_int_equal(sixer_vec_step(vec, actions, NULL, &out, &error), SIXER_OK);
    assert_true(a.ended[PLAYERS + 2]);
    int acted[PLAYERS] = {0};
    for (int i = 0; i < 12; i++) {
      assert_int_equal(sixer_vec_step(vec, actions, NULL, &out, &error), SIXER_OK);
      for (int k = 0; k < PLAYERS; k++) acted[k] += a.executed[PLAYERS + k] != SIXER_ACTION_NOOP;
    }
    for (int k = 0; k < PLAYERS; k++)
      assert_int_equal(acted[k] > 0, k != 2 || d == SIXER_DIALECT_MA);
    sixer_vec_destroy(vec);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_as_alone), cmocka_unit_test(test_wrong),
      cmocka_unit_test(test_states),        cmocka_unit_test(test_copies),
      cmocka_unit_test(test_plain_states),  cmocka_unit_test(test_random_actions)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
