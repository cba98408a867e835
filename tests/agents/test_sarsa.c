/* Sarsa(lambda): it learns to play a game of ours; the same seed gives the same bytes on every compiler; lazy and eager
 * traces make the same choices; a learner that is saved and loaded at any moment goes on as if nothing had happened;
 * playing and looking change nothing of what was learned; misuse and hostile bytes are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agents/agent.h"
#include "support/damaged_sections.h"
#include "util/hash.h"

typedef struct player {
  sixer_rom *rom;
  sixer_env *env;
  sixer_agent *agent;
  sixer_list actions;
  int64_t frames, score;
} player;

static player make_player(const char *name, const char *options, uint64_t seed) {
  player p = {0};
  sixer_error error;
  assert_int_equal(sixer_rom_open(name, NULL, &p.rom, &error), SIXER_OK);
  assert_int_equal(sixer_agent_create("sarsa", options, 2 * seed - 1, &p.agent, &error), SIXER_OK);
  sixer_config config = sixer_config_default();
  config.seed = (uint32_t)(2 * seed);
  config.frame_skip = 5;
  config.max_frames = 3000;
  sixer_agent_prepare(p.agent, &config);
  assert_int_equal(sixer_env_create(p.rom, &config, &p.env, &error), SIXER_OK);
  p.actions = sixer_rom_legal_actions(p.rom);
  return p;
}

static void destroy_player(player *p) {
  sixer_agent_destroy(p->agent);
  sixer_env_destroy(p->env);
  sixer_rom_close(p->rom);
}

static int act(player *p) {
  sixer_error error;
  int action;
  if (sixer_agent_act(p->agent, p->env, p->actions, &action, &error)) fail_msg("%s", error.message);
  return action;
}

/* Carry a choice out. True if the episode went on; else the next one has begun, and `score` is what it brought. */
static bool follow(player *p, int action, bool learn) {
  sixer_error error;
  sixer_result result;
  sixer_env_step(p->env, action, &result);
  p->frames += result.frames;
  if (learn && sixer_agent_learn(p->agent, p->env, &result, &error)) fail_msg("%s", error.message);
  if (!result.over) return true;
  p->score = sixer_env_status(p->env).score;
  sixer_env_reset(p->env);
  sixer_agent_reset(p->agent);
  return false;
}

static void play_steps(player *p, int steps, bool learn) {
  for (int i = 0; i < steps; i++) follow(p, act(p), learn);
}

static double play_episodes(player *p, int episodes, bool learn) {
  double sum = 0;
  for (int i = 0; i < episodes; i++) {
    while (follow(p, act(p), learn)) continue;
    sum += (double)p->score;
  }
  return sum / episodes;
}

/* ---- Learning -------------------------------------------------------------------------------------------------- */

static void test_learns(void **state) {
  (void)state;
#ifdef __SANITIZE_ADDRESS__
  skip(); /* half of the test's time, on paths that the others take too; the release build runs it */
#endif
  player novice = make_player("duskrain", "epsilon=1", 1);
  double random = play_episodes(&novice, 20, false);
  destroy_player(&novice);
  player p = make_player("duskrain", "preset=machado2018,alpha=1,epsilon=0.05", 1);
  while (p.frames < 60000) play_episodes(&p, 1, true);
  double while_learning = play_episodes(&p, 10, true);
  double after = play_episodes(&p, 10, false);
  print_message("random %.1f, while learning %.1f, after %.1f\n", random, while_learning, after);
  assert_true(while_learning > 2.5 * random);
  assert_true(after > 2.5 * random);
  sixer_agent_progress progress = sixer_agent_learned(p.agent);
  assert_true(progress.steps > 12000);
  assert_true(progress.features > 10000);
  assert_true(progress.memory > progress.features * 80);
  assert_true(progress.max_active > 500);
  assert_true(progress.reward_unit == 1);
  destroy_player(&p);
}

/* The first reward that is not zero counts as 1, whatever its size. */
static void test_reward_unit(void **state) {
  (void)state;
  player p = make_player("afterglow", "epsilon=1", 1);
  int64_t first = 0;
  while (!first) {
    int64_t before = sixer_env_status(p.env).score;
    assert_true(sixer_agent_learned(p.agent).reward_unit == 0);
    sixer_error error;
    sixer_result result;
    sixer_env_step(p.env, act(&p), &result);
    assert_int_equal(sixer_agent_learn(p.agent, p.env, &result, &error), SIXER_OK);
    first = sixer_env_status(p.env).score - before;
    if (result.over) {
      sixer_env_reset(p.env);
      sixer_agent_reset(p.agent);
    }
  }
  assert_true(sixer_agent_learned(p.agent).reward_unit == (double)llabs(first));
  destroy_player(&p);
}

/* Eager traces are visited one by one; sanitized, fewer steps are compared. */
static void test_lazy_against_eager(void **state) {
  (void)state;
#ifdef __SANITIZE_ADDRESS__
  enum { STEPS = 300 };
#else
  enum { STEPS = 1500 };
#endif
  player a = make_player("sporefall", "epsilon=0.1", 3),
         b = make_player("sporefall", "epsilon=0.1,eager=1", 3);
  for (int i = 0; i < STEPS; i++) {
    int action = act(&a);
    assert_int_equal(act(&b), action);
    follow(&a, action, true);
    follow(&b, action, true);
  }
  assert_int_equal(sixer_agent_learned(a.agent).features, sixer_agent_learned(b.agent).features);
  destroy_player(&a);
  destroy_player(&b);
}

static uint64_t digest(const player *p) {
  void *bytes;
  size_t size;
  sixer_error error;
  assert_int_equal(sixer_agent_save(p->agent, &bytes, &size, &error), SIXER_OK);
  uint64_t hash = hash_bytes(bytes, size, 0);
  free(bytes);
  return hash;
}

/* The same of the weights, traces and features alone, without settings and counters. */
static uint64_t weights_digest(const player *p) {
  static const char *const names[] = {"agent.features", "agent.cohorts", "agent.weights",
                                      "agent.traces"};
  void *bytes;
  size_t size;
  sixer_error error;
  sections_message message;
  assert_int_equal(sixer_agent_save(p->agent, &bytes, &size, &error), SIXER_OK);
  sections_reader *in = sections_open_memory(bytes, size, message);
  uint64_t hash = 0;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    assert_true(sections_find(in, names[i]));
    size_t part = (size_t)sections_left(in);
    uint8_t *data = malloc(part + 1);
    sections_get(in, data, part);
    hash = hash_bytes(data, part, hash);
    free(data);
  }
  sections_free(in);
  free(bytes);
  return hash;
}

/* What was learned after 1,500 steps, to the last bit: on every compiler, at every level of optimization. */
static void test_golden(void **state) {
  (void)state;
  static const struct {
    const char *name, *options;
    uint64_t digest;
  } golden[] = {
      {"duskrain", "preset=machado2018", 0xbadbb3d9289788feu},
      {"sporefall", "preset=machado2018-program,epsilon=0.05", 0x62a0dbe757b78a43u},
      {"undervault", "traces=accumulating,alpha=0.1,epsilon=0.5", 0x6e0146f6249c73b9u},
  };
  int wrong = 0;
  for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
    player p = make_player(golden[i].name, golden[i].options, 7);
    play_steps(&p, 1500, true);
    uint64_t found = weights_digest(&p);
    if (found != golden[i].digest)
      print_error("%s: 0x%016llx\n", golden[i].name, (unsigned long long)found);
    wrong += found != golden[i].digest;
    destroy_player(&p);
  }
  assert_int_equal(wrong, 0);
}

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

/* An env and its agent, into another pair. */
static void restore(const player *from, player *to) {
  sixer_error error;
  int flags = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE;
  size_t size = sixer_env_state_size(from->env, flags);
  void *bytes = malloc(size);
  sixer_env_save(from->env, flags, bytes);
  assert_int_equal(sixer_env_load(to->env, bytes, size, &error), SIXER_OK);
  free(bytes);
  assert_int_equal(sixer_agent_save(from->agent, &bytes, &size, &error), SIXER_OK);
  if (sixer_agent_load(to->agent, to->env, bytes, size, &error)) fail_msg("%s", error.message);
  free(bytes);
}

static void test_saving(void **state) {
  (void)state;
  static const char *const options[] = {"epsilon=0.1", "epsilon=0.1,traces=accumulating",
                                        "features=ram,epsilon=0.1", "features=lsh,epsilon=0.1",
                                        "epsilon=0.1,initial=0.01,lambda=0.98"};
  uint64_t rng = 12;
  for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
    player a = make_player("sporefall", options[k], 5);
    for (int round = 0; round < 3; round++) {
      play_steps(&a, round == 0 ? 0 : agent_below(&rng, 150), true);
      player b = make_player("sporefall", options[k], 77);
      play_steps(&b, 30, true); /* whatever it learned before is gone */
      bool between = agent_below(&rng, 2);
      int action = between ? act(&a) : 0; /* between the choice and what it led to */
      restore(&a, &b);
      assert_true(digest(&a) == digest(&b));
      if (between) {
        follow(&a, action, true);
        follow(&b, action, true);
      }
      int steps = 20 + agent_below(&rng, 60);
      play_steps(&a, steps, true);
      play_steps(&b, steps, true);
      assert_true(digest(&a) == digest(&b));
      assert_true(a.frames > 0 || b.frames > 0);
      destroy_player(&b);
    }
    destroy_player(&a);
  }
}

static void test_hostile_bytes(void **state) {
  (void)state;
  player p = make_player("undervault", "epsilon=0.5", 2);
  play_steps(&p, 60, true);
  void *bytes, *damaged;
  size_t size, damaged_size;
  sixer_error error;
  assert_int_equal(sixer_agent_save(p.agent, &bytes, &size, &error), SIXER_OK);
  uint64_t rng = 3;
  int refused = 0;
  player q = make_player("undervault", "epsilon=0.5", 2);
  for (int i = 0; i < 150; i++) {
    uint64_t at = i % 2 ? agent_draw(&rng) : agent_draw(&rng) % 1200;
    assert_true(damage_sections(bytes, size, at, agent_below(&rng, 8), &damaged, &damaged_size));
    bool bad = sixer_agent_load(q.agent, q.env, damaged, damaged_size, &error) != SIXER_OK;
    refused += bad;
    if (bad) assert_true(sixer_agent_learned(q.agent).steps <= 61); /* nothing, or as before */
    sixer_agent_reset(q.agent);
    int action;
    if (i % 10 == 0 && !sixer_agent_act(q.agent, q.env, q.actions, &action, &error))
      follow(&q, action, true);
    free(damaged);
  }
  assert_true(refused > 30);
  assert_int_equal(sixer_agent_load(q.agent, q.env, bytes, size, &error), SIXER_OK);
  /* other settings are named */
  player other = make_player("undervault", "epsilon=0.25", 2);
  assert_int_equal(sixer_agent_load(other.agent, other.env, bytes, size, &error), SIXER_ERR_STATE);
  assert_non_null(strstr(error.message, "epsilon=0.5, and this one epsilon=0.25"));
  free(bytes);
  destroy_player(&p);
  destroy_player(&q);
  destroy_player(&other);
}

/* ---- Playing --------------------------------------------------------------------------------------------------- */

static void test_playing_changes_nothing(void **state) {
  (void)state;
  static const char *const options[] = {"epsilon=0.1", "epsilon=0.1,eager=1",
                                        "epsilon=0.1,features=basic"};
  for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
    player a = make_player("duskrain", options[k], 9);
    play_episodes(&a, 1, true);
    play_steps(&a, 50, true);
    sixer_env_reset(a.env);
    sixer_agent_reset(a.agent);
    uint64_t rng = a.agent->rng, before = digest(&a);
    int64_t features = sixer_agent_learned(a.agent).features;
    play_episodes(&a, 2, false);
    play_steps(&a, 7, false);
    sixer_agent_reset(a.agent);
    a.agent->rng = rng;
    if (k < 2) assert_true(digest(&a) == before);
    if (k < 2) assert_int_equal(sixer_agent_learned(a.agent).features, features);
    destroy_player(&a);
  }
}

/* The same state, asked twice, gets the same answer; and the action that learning has drawn is the one that is
 * given. */
static void test_asking_twice(void **state) {
  (void)state;
  player p = make_player("sporefall", "epsilon=1", 4);
  for (int i = 0; i < 40; i++) {
    int action = act(&p);
    assert_int_equal(act(&p), action);
    follow(&p, action, i % 3 != 0);
  }
  destroy_player(&p);
}

/* Looking gives the value of every action, the chosen one's among them, and changes no choice and nothing learned. */
static void test_looking(void **state) {
  (void)state;
  enum { LEARNING = 250 };
  static const char *const options[] = {"epsilon=0.1", "epsilon=0.1,eager=1",
                                        "epsilon=0.1,features=ram"};
  for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
    player a = make_player("duskrain", options[k], 3), b = make_player("duskrain", options[k], 3);
    int spread = 0;
    for (int i = 0; i < 400; i++) {
      sixer_error error;
      sixer_agent_view view;
      assert_int_equal(sixer_agent_look(b.agent, b.env, b.actions, &view, &error), SIXER_OK);
      assert_int_equal(view.actions, b.actions.count);
      assert_int_equal(view.frames, 0);
      assert_null(view.pixels);
      assert_int_equal(view.kind, SIXER_DISTRIBUTION_NONE);
      int first = act(&a), second = act(&b);
      assert_int_equal(first, second);
      int lane = 0;
      while (b.actions.items[lane] != second) lane++;
      if (i > LEARNING) /* while it learns, `value` is from before the last update */
        assert_true(view.values[lane] == sixer_agent_learned(b.agent).value);
      for (int n = 1; n < view.actions; n++) spread += view.values[n] != view.values[0];
      follow(&a, first, i < LEARNING);
      follow(&b, second, i < LEARNING);
    }
    assert_true(spread > 400);
    assert_true(digest(&a) == digest(&b));
    destroy_player(&a);
    destroy_player(&b);
  }
}

static void test_misuse(void **state) {
  (void)state;
  sixer_error error;
  sixer_agent *agent;
  static const struct {
    const char *options, *message;
  } bad[] = {
      {"lambda=2", "option lambda of sarsa is a number from 0 to 1, found '2'"},
      {"lamda=0.9", "sarsa has no option 'lamda' (did you mean 'lambda'"},
      {"features=blobprost", "did you mean 'blob-prost'"},
      {"preset=machado", "(did you mean 'machado2018'"},
      {"alpha=0.5,preset=machado2018", "must be the first option"},
      {"neighborhood=0", "option neighborhood of sarsa is a number from 1 to 32"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    assert_int_equal(sixer_agent_create("sarsa", bad[i].options, 1, &agent, &error),
                     SIXER_ERR_ARGUMENT);
    if (!strstr(error.message, bad[i].message))
      fail_msg("'%s' does not say '%s'", error.message, bad[i].message);
  }

  player p = make_player("sporefall", "epsilon=1", 4);
  sixer_result result = {0};
  assert_int_equal(sixer_agent_learn(p.agent, p.env, &result, &error), SIXER_ERR_ARGUMENT);
  play_steps(&p, 3, true);
  assert_int_equal(sixer_agent_learn(p.agent, p.env, &result, &error), SIXER_ERR_ARGUMENT);
  int few[] = {0, 1, 2}, action;
  assert_int_equal(sixer_agent_act(p.agent, p.env, (sixer_list){few, 3}, &action, &error),
                   SIXER_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "another list of actions: 18 of them, found 3"));
  play_steps(&p, 3, true);
  destroy_player(&p);

  /* settings are given back as they were understood, and can be read again */
  char text[2000], again[2000];
  assert_int_equal(sixer_agent_create("sarsa", "preset=machado2018,alpha=0.1,eager=yes,initial=10",
                                      1, &agent, &error),
                   SIXER_OK);
  size_t length = sixer_agent_settings(agent, text, sizeof text);
  assert_int_equal(length, strlen(text));
  assert_non_null(strstr(text, "features=blob-prost,alpha=0.1,lambda=0.9,"));
  assert_non_null(strstr(text, ",eager=1,"));
  assert_null(strstr(text, "e+")); /* 10, not 1e+01 */
  sixer_agent_destroy(agent);
  assert_int_equal(sixer_agent_create("sarsa", text, 1, &agent, &error), SIXER_OK);
  sixer_agent_settings(agent, again, sizeof again);
  assert_string_equal(text, again);
  sixer_agent_destroy(agent);
}

static void test_divergence(void **state) {
  (void)state;
  player p = make_player("duskrain", "alpha=5,divide_alpha=0,epsilon=1", 4);
  sixer_error error;
  sixer_result result;
  sixer_err err = SIXER_OK;
  for (int i = 0; i < 3000 && !err; i++) {
    int action = act(&p);
    sixer_env_step(p.env, action, &result);
    err = sixer_agent_learn(p.agent, p.env, &result, &error);
    if (!err && result.over) {
      sixer_env_reset(p.env);
      sixer_agent_reset(p.agent);
    }
  }
  assert_int_equal(err, SIXER_ERR_DIVERGED);
  assert_non_null(strstr(error.message, "learning has diverged at step"));
  destroy_player(&p);
}

int main(int argc, char **argv) {
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_learns),
      cmocka_unit_test(test_reward_unit),
      cmocka_unit_test(test_lazy_against_eager),
      cmocka_unit_test(test_golden),
      cmocka_unit_test(test_saving),
      cmocka_unit_test(test_hostile_bytes),
      cmocka_unit_test(test_playing_changes_nothing),
      cmocka_unit_test(test_asking_twice),
      cmocka_unit_test(test_looking),
      cmocka_unit_test(test_misuse),
      cmocka_unit_test(test_divergence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
