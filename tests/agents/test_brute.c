/* The Brute: exploration as published; with a deterministic emulator it repeats its best episode and improves on it,
 * with sticky actions it does not; it is saved and loaded in the middle of an episode; hostile bytes are rejected. Also
 * its parts: the hash of screens and the logarithm. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agents/agent.h"
#include "agents/linear/brute.h"
#include "support/damaged_sections.h"
#include "util/hash.h"
#include "util/real.h"

static const char game_name[] = "sporefall";

typedef struct player {
  sixer_rom *rom;
  sixer_env *env;
  sixer_agent *agent;
} player;

static player make_player(float sticky, uint64_t seed) {
  player p;
  sixer_error error;
  assert_int_equal(sixer_rom_open(game_name, NULL, &p.rom, &error), SIXER_OK);
  assert_int_equal(sixer_agent_create("brute", "preset=machado2018", seed, &p.agent, &error),
                   SIXER_OK);
  assert_true(sixer_agent_learns(p.agent));
  sixer_config config = sixer_config_default();
  config.sticky = sticky;
  config.frame_skip = 5;
  config.max_frames = 1500;
  config.color_averaging = true;
  config.picture = false;
  sixer_agent_prepare(p.agent, &config);
  assert_false(config.color_averaging);
  assert_true(config.picture);
  assert_int_equal(sixer_env_create(p.rom, &config, &p.env, &error), SIXER_OK);
  return p;
}

static void destroy_player(player *p) {
  sixer_agent_destroy(p->agent);
  sixer_env_destroy(p->env);
  sixer_rom_close(p->rom);
}

/* One step; true if the episode went on. */
static bool step(player *p, bool learn, int64_t *score) {
  sixer_error error;
  sixer_result result;
  int action;
  assert_int_equal(
      sixer_agent_act(p->agent, p->env, sixer_rom_legal_actions(p->rom), &action, &error),
      SIXER_OK);
  assert_int_equal(sixer_env_step(p->env, action, &result), SIXER_OK);
  if (learn) assert_int_equal(sixer_agent_learn(p->agent, p->env, &result, &error), SIXER_OK);
  *score += result.reward;
  if (result.over) {
    sixer_env_reset(p->env);
    sixer_agent_reset(p->agent);
  }
  return !result.over;
}

static int64_t play_episode(player *p, bool learn) {
  int64_t score = 0;
  while (step(p, learn, &score)) continue;
  return score;
}

/* ---- Parts ----------------------------------------------------------------------------------------------------- */

static void test_exploration(void **state) {
  (void)state;
  static const struct {
    int formula;
    double n, epsilon;
  } published[] = {{1, 1, 0.0721},     {1, 10, 0.0209},   {1, 100, 0.0108},
                   {1, 1000, 0.00724}, {0, 0, 0.00721},   {0, 1, 0.00455},
                   {0, 10, 0.00201},   {0, 100, 0.00108}, {0, 1000, 0.00072}};
  for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
    double epsilon = brute_exploration(published[i].formula, published[i].n);
    assert_true(fabs(epsilon / published[i].epsilon - 1) < 0.006);
  }
}

static void test_log(void **state) {
  (void)state;
  uint64_t rng = 1;
  for (int i = 0; i < 60000; i++) {
    double x = i < 2000 ? i + 1 : ldexp(agent_real(&rng) + 0x1p-60, (int)(i % 2000) - 1000);
    double right = log(x), ours = real_log(x);
    assert_true(fabs(ours - right) <=
                2 * (nextafter(fabs(right), INFINITY) - fabs(right)) + 0x1p-1070);
  }
  assert_true(real_log(1) == 0);
  assert_true(fabs(real_log(5e-324) - log(5e-324)) < 1e-12);
}

static void test_hash(void **state) {
  (void)state;
  static uint8_t screen[33600 + 8];
  uint64_t rng = 7;
  for (size_t i = 0; i < sizeof screen; i++) screen[i] = (uint8_t)agent_draw(&rng);
  /* the value is the same on every machine: saved trees depend on it */
  assert_int_equal(hash_bytes("sixer", 5, 0), 0x3823efc6b2bd14a4u);
  assert_int_equal(hash_bytes(screen, 33600, 3), 0xa6723f9c5c2e0112u);
  /* alignment does not matter, seed and size do */
  uint8_t shifted[1001];
  memcpy(shifted + 1, screen, 1000);
  assert_int_equal(hash_bytes(shifted + 1, 1000, 3), hash_bytes(screen, 1000, 3));
  assert_int_not_equal(hash_bytes(screen, 1000, 3), hash_bytes(screen, 1000, 4));
  uint8_t zeros[130] = {0};
  for (size_t i = 0; i < 129; i++)
    assert_int_not_equal(hash_bytes(zeros, i, 0), hash_bytes(zeros, i + 1, 0));
  /* every bit of the input changes about half of the output */
  uint64_t base = hash_bytes(screen, 200, 0);
  for (int bit = 0; bit < 1600; bit++) {
    screen[bit / 8] ^= (uint8_t)(1 << bit % 8);
    int changed = __builtin_popcountll(base ^ hash_bytes(screen, 200, 0));
    assert_true(changed > 8 && changed < 56);
    screen[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
}

/* ---- Learning -------------------------------------------------------------------------------------------------- */

/* The value of the first state of an episode, by asking for it after one choice that is not learned from. */
static double root_value(player *p) {
  sixer_error error;
  int action;
  assert_int_equal(
      sixer_agent_act(p->agent, p->env, sixer_rom_legal_actions(p->rom), &action, &error),
      SIXER_OK);
  double value = sixer_agent_learned(p->agent).value;
  sixer_agent_reset(p->agent);
  return value;
}

/* Learn for some episodes: the mean score of the last quarter, and the best. */
static double train(player *p, int episodes, int64_t *best) {
  int64_t last = 0;
  *best = INT64_MIN;
  for (int i = 0; i < episodes; i++) {
    int64_t score = play_episode(p, true);
    if (score > *best) *best = score;
    if (i >= episodes - episodes / 4) last += score;
  }
  return (double)last / (episodes / 4);
}

/* Sanitized, this takes 15 times as long: fewer episodes, in which the gap does not show yet. */
#ifdef __SANITIZE_ADDRESS__
enum { EPISODES = 40 };
#else
enum { EPISODES = 160 };
#endif

static void test_gap(void **state) {
  (void)state;
  player p = make_player(0, 3), q = make_player(0.25f, 3);
  int64_t best, best_sticky;
  double score = train(&p, EPISODES, &best), sticky = train(&q, EPISODES, &best_sticky);
  printf("deterministic %.1f (best %d), sticky %.1f (best %d)\n", score, (int)best, sticky,
         (int)best_sticky);
  if (EPISODES == 160) assert_true(score > 1.6 * sticky);
  /* resets of this game are equal, so the value of the start is the best score found */
  assert_true(root_value(&p) == (double)best);
  /* playing does not change what was learned */
  int64_t nodes = sixer_agent_learned(p.agent).features;
  for (int i = 0; i < 5; i++) play_episode(&p, false);
  assert_int_equal(sixer_agent_learned(p.agent).features, nodes);
  assert_true(root_value(&p) == (double)best);
  destroy_player(&p);
  destroy_player(&q);
}

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

static void test_save(void **state) {
  (void)state;
  sixer_error error;
  uint64_t rng = 5;
  player a = make_player(0.1f, 9);
  for (int round = 0; round < 4; round++) {
    int64_t score = 0;
    for (int i = agent_below(&rng, 700); i >= 0; i--) step(&a, true, &score);
    void *bytes, *end_a, *end_b;
    size_t size, size_a, size_b;
    assert_int_equal(sixer_agent_save(a.agent, &bytes, &size, &error), SIXER_OK);
    int flags = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE;
    size_t state_size = sixer_env_state_size(a.env, flags);
    void *env_state = malloc(state_size);
    sixer_env_save(a.env, flags, env_state);
    player b = make_player(0.1f, 77);
    int64_t ignored = 0;
    if (round % 2) /* the agent that is loaded into may know other things */
      for (int i = 0; i < 100; i++) step(&b, true, &ignored);
    assert_int_equal(sixer_env_load(b.env, env_state, state_size, &error), SIXER_OK);
    assert_int_equal(sixer_agent_load(b.agent, b.env, bytes, size, &error), SIXER_OK);
    int64_t score_a = 0, score_b = 0;
    for (int i = 0; i < 500; i++) {
      step(&a, true, &score_a);
      step(&b, true, &score_b);
    }
    assert_int_equal(score_a, score_b);
    assert_int_equal(sixer_agent_save(a.agent, &end_a, &size_a, &error), SIXER_OK);
    assert_int_equal(sixer_agent_save(b.agent, &end_b, &size_b, &error), SIXER_OK);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(end_a, end_b, size_a);
    free(end_a), free(end_b), free(bytes), free(env_state);
    destroy_player(&b);
  }
  destroy_player(&a);
}

static void test_hostile(void **state) {
  (void)state;
  sixer_error error;
  uint64_t rng = 11;
  player a = make_player(0, 9), b = make_player(0, 10);
  int64_t score = 0;
  for (int i = 0; i < 400; i++) step(&a, true, &score);
  void *bytes;
  size_t size;
  assert_int_equal(sixer_agent_save(a.agent, &bytes, &size, &error), SIXER_OK);
  int accepted = 0;
  for (int k = 0; k < 600; k++) {
    void *hostile;
    size_t hostile_size;
    uint64_t at = agent_draw(&rng);
    assert_true(damage_sections(bytes, size, k < 200 ? at % 400 : at, agent_below(&rng, 8),
                                &hostile, &hostile_size));
    if (!sixer_agent_load(b.agent, b.env, hostile, hostile_size, &error)) accepted++;
    /* accepted or not, it plays on */
    for (int i = 0; i < 3; i++) step(&b, i > 0, &score);
    free(hostile);
  }
  assert_true(accepted < 560); /* hashes, counts and rewards may be anything; links may not */
  for (size_t cut = 0; cut < size; cut += 1 + size / 50)
    assert_int_equal(sixer_agent_load(b.agent, b.env, bytes, cut, &error), SIXER_ERR_STATE);
  free(bytes);
  destroy_player(&a);
  destroy_player(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exploration), cmocka_unit_test(test_log),
      cmocka_unit_test(test_hash),        cmocka_unit_test(test_gap),
      cmocka_unit_test(test_save),        cmocka_unit_test(test_hostile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
