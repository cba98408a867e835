/* Two learners play a game of ours against each other and learn from nothing else. Afterwards each is better against a
 * fixed opponent, Random, than before, in the seat that it has learned to play.
 * label: long, 10 s */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sixer/agents.h"
#include "sixer/players.h"

enum { SEATS = 2, EPISODES = 700, TESTS = 60 };

/* A shorter horizon and a small background model show it in seconds. */
static const char options[] = "preset=machado2018,gamma=0.95,averaging=0,background_screens=200";

typedef struct duel {
  sixer_rom *rom;
  sixer_env *env;
  sixer_list actions;
} duel;

static duel create(uint32_t seed) {
  duel d = {0};
  sixer_error error;
  sixer_config config = sixer_config_default();
  config.players = SEATS;
  config.frame_skip = 5;
  config.max_frames = 3000;
  config.sticky = 0.25;
  config.seed = seed;
  if (sixer_rom_open("hearthring", NULL, &d.rom, &error) ||
      sixer_env_create(d.rom, &config, &d.env, &error))
    fail_msg("%s", error.message);
  d.actions = sixer_rom_player_actions(d.rom, config.dialect, SEATS);
  return d;
}

static void destroy(duel *d) {
  sixer_env_destroy(d->env);
  sixer_rom_close(d->rom);
}

static sixer_agent *seat(const char *name, const char *text, int player) {
  sixer_agent *agent;
  sixer_error error;
  if (sixer_agent_create(name, text, (uint64_t)player + 1, &agent, &error) ||
      sixer_agent_sit(agent, player, &error))
    fail_msg("%s", error.message);
  return agent;
}

/* Play episodes; `learning`: those who can learn do. Returns the mean score of each seat. */
static void play(duel *d, sixer_agent *agents[SEATS], int episodes, bool learning,
                 double score[SEATS]) {
  sixer_error error;
  memset(score, 0, SEATS * sizeof *score);
  for (int e = 0; e < episodes; e++) {
    sixer_env_reset(d->env);
    sixer_players_result now = sixer_env_players_result(d->env);
    while (!now.over) {
      int chosen[SEATS] = {0};
      bool acted[SEATS];
      for (int i = 0; i < SEATS; i++) {
        acted[i] = !now.ended[i];
        if (acted[i] && sixer_agent_act(agents[i], d->env, d->actions, &chosen[i], &error))
          fail_msg("%s", error.message);
      }
      if (sixer_env_step_players(d->env, chosen, SEATS, &now, &error))
        fail_msg("%s", error.message);
      for (int i = 0; i < SEATS; i++) {
        /* the same step as this player sees it */
        const sixer_result own = {.reward = now.reward[i],
                                  .lives = now.lives[i],
                                  .over = now.ended[i],
                                  .terminal = now.terminal || now.lives[i] < 0,
                                  .truncated = now.truncated,
                                  .end = now.end,
                                  .executed = now.executed[i],
                                  .frames = now.frames};
        if (learning && acted[i] && sixer_agent_learn(agents[i], d->env, &own, &error))
          fail_msg("%s", error.message);
      }
    }
    for (int i = 0; i < SEATS; i++) {
      score[i] += (double)now.score[i] / episodes;
      sixer_agent_reset(agents[i]);
    }
  }
}

/* The mean score of an agent in its seat against Random, without learning. */
static double against_random(duel *d, sixer_agent *agent, int player, int episodes) {
  sixer_agent *both[SEATS];
  double score[SEATS];
  sixer_agent *random = seat("random", "", 1 - player);
  both[player] = agent;
  both[1 - player] = random;
  sixer_agent_evaluate(agent, true);
  play(d, both, episodes, false, score);
  sixer_agent_evaluate(agent, false);
  sixer_agent_destroy(random);
  return score[player] - score[1 - player];
}

static void test_two_learners(void **state) {
  (void)state;
  duel d = create(1), test = create(1000);
  sixer_agent *agents[SEATS];
  double before[SEATS], after[SEATS], score[SEATS];
  for (int i = 0; i < SEATS; i++) {
    sixer_agent *random = seat("random", "", i);
    before[i] = against_random(&test, random, i, TESTS);
    sixer_agent_destroy(random);
    agents[i] = seat("sarsa", options, i);
  }
  play(&d, agents, EPISODES, true, score);
  for (int i = 0; i < SEATS; i++) {
    after[i] = against_random(&test, agents[i], i, TESTS);
    print_message("player %d: %.1f ahead of Random, %.1f before learning\n", i + 1, after[i],
                  before[i]);
    assert_true(after[i] > before[i] + 3);
    sixer_agent_destroy(agents[i]);
  }
  destroy(&d);
  destroy(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_learners)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
