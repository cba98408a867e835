/* Planners in games for several players: the model does what the env does if the others do nothing, from any state, for
 * every player; and a planner finds rewards that only its player gets. The cartridges are the tests' own, with a
 * definition made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agents/agent.h"
#include "agents/planning/model.h"
#include "sixer/players.h"
#include "util/md5.h"

static char folder[] = "/tmp/sixer-test-plan-XXXXXX";
static sixer_rom *paddles;

/* paddles.bin counts in 0x80 to 0x83 how long each paddle's capacitor takes to charge: a player is paid as long as its
 * own paddle is turned further than at the start. `seen` depends on the past, so it must be in every snapshot. */
#define RULES                                                                                 \
  "players {\n  modes for 1 : 1\n  modes for 2 : 2\n  modes for 4 : 4\n"                      \
  "  keep seen = 0, two = false unreset\n  report lives = 0, 0, 0, 0\n"                       \
  "  step {\n    seen = seen + ram[0x80] + ram[0x81]\n    reward = ram[0x80] > 140 ? 1 : 0\n" \
  "    reward_2 = ram[0x81] > 140 ? 1 : 0\n    reward_3 = ram[0x82] + seen\n"                 \
  "    reward_4 = ram[0x83] - seen\n    terminal = false\n  }\n"                              \
  "  select {\n    two = mode == 2\n    reset\n  }\n}\n"

static int set_up(void **state) {
  (void)state;
  char file[300], path[200], hex[33];
  static uint8_t bytes[65536];
  if (!mkdtemp(folder)) return 1;
  setenv("SIXER_GAMES", folder, 1);
  snprintf(file, sizeof file, "%s/cartridges/paddles.bin", TESTS_DIR);
  FILE *in = fopen(file, "rb");
  if (!in) return 1;
  size_t size = fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  md5_hex(bytes, size, hex);
  snprintf(path, sizeof path, "%s/paddles.game", folder);
  FILE *out = fopen(path, "w");
  if (!out) return 1;
  fprintf(out,
          "game paddles\ntitle \"paddles\"\nactions all\nmd5 %s\nleft_controller paddles\n"
          "right_controller paddles\n" RULES,
          hex);
  fclose(out);
  sixer_error error;
  bool failed = sixer_rom_open(file, NULL, &paddles, &error);
  if (failed) print_error("%s\n", error.message);
  unlink(path);
  return failed;
}

static int tear_down(void **state) {
  (void)state;
  sixer_rom_close(paddles);
  return rmdir(folder);
}

static sixer_env *make(int players, float sticky) {
  sixer_config config = sixer_config_default();
  sixer_error error;
  sixer_env *env = NULL;
  config.players = players;
  config.sticky = sticky;
  config.frame_skip = 3;
  if (sixer_env_create(paddles, &config, &env, &error)) fail_msg("%s", error.message);
  return env;
}

/* Play at random, then let player `player` act alone in the env and in a model that was loaded with its state. */
static void compare(int players, int player) {
  sixer_env *env = make(players, 0);
  sixer_error error;
  model m;
  uint64_t seed = 17;
  assert_int_equal(model_create(&m, env, player, false, &error), SIXER_OK);
  uint8_t *snapshot = malloc(m.size), *after = malloc(m.size), *modeled = malloc(m.size);
  for (int round = 0; round < 30; round++) {
    int actions[SIXER_PLAYERS_MAX] = {0};
    for (int i = 0; i < players; i++) actions[i] = random_below(&seed, SIXER_ACTION_COUNT);
    sixer_env_step_players(env, actions, players, NULL, NULL);
    model_take(&m, env, snapshot);
    model_load(&m, snapshot);
    for (int k = 0; k < 4; k++) {
      int alone[SIXER_PLAYERS_MAX] = {0};
      sixer_players_result result;
      alone[player] = random_below(&seed, SIXER_ACTION_COUNT);
      assert_int_equal(sixer_env_step_players(env, alone, players, &result, &error), SIXER_OK);
      outcome made = model_step(&m, alone[player]);
      assert_int_equal(made.reward, result.reward[player]);
      assert_int_equal(made.frames, result.frames);
      model_take(&m, env, after);
      model_take(&m, m.env, modeled);
      assert_memory_equal(after, modeled, m.size);
    }
  }
  free(snapshot);
  free(after);
  free(modeled);
  model_destroy(&m);
  sixer_env_destroy(env);
}

static void models_follow_the_env(void **state) {
  (void)state;
  for (int player = 0; player < 2; player++) compare(2, player);
  for (int player = 0; player < 4; player++) compare(4, player);
}

static void no_such_player(void **state) {
  (void)state;
  sixer_env *env = make(2, 0);
  sixer_error error;
  sixer_agent *agent;
  int action;
  assert_int_equal(sixer_agent_create("iw1", "frames=600", 1, &agent, &error), SIXER_OK);
  assert_int_equal(sixer_agent_sit(agent, 4, &error), SIXER_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "no player 4"));
  assert_int_equal(sixer_agent_sit(agent, -1, &error), SIXER_ERR_ARGUMENT);
  assert_int_equal(sixer_agent_sit(agent, 2, &error), SIXER_OK);
  assert_int_equal(sixer_agent_act(agent, env, sixer_rom_legal_actions(paddles), &action, &error),
                   SIXER_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "player 3 cannot plan: the mode has 2"));
  sixer_agent_destroy(agent);
  sixer_env_destroy(env);
}

/* Who turns its own paddle is paid: planners for players 1 and 2 do that, with and without sticky actions. */
static void planners_play_their_player(void **state) {
  (void)state;
  for (int sticky = 0; sticky < 2; sticky++) {
    for (int player = 0; player < 2; player++) {
      sixer_env *env = make(2, sticky ? 0.25f : 0);
      sixer_error error;
      sixer_agent *agent;
      assert_int_equal(sixer_agent_create("uct", "frames=3000,horizon=90", 1, &agent, &error),
                       SIXER_OK);
      assert_int_equal(sixer_agent_sit(agent, player, &error), SIXER_OK);
      sixer_players_result result = {0};
      for (int i = 0; i < 40; i++) {
        int actions[SIXER_PLAYERS_MAX] = {0};
        if (sixer_agent_act(agent, env, sixer_rom_legal_actions(paddles), &actions[player], &error))
          fail_msg("%s", error.message);
        sixer_env_step_players(env, actions, 2, &result, &error);
      }
      /* the other one stays where it is */
      if (!(result.score[player] > result.score[!player] + 20))
        fail_msg("player %d: %lld points, the other %lld", player + 1,
                 (long long)result.score[player], (long long)result.score[!player]);
      sixer_agent_destroy(agent);
      sixer_env_destroy(env);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(models_follow_the_env),
      cmocka_unit_test(no_such_player),
      cmocka_unit_test(planners_play_their_player),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
