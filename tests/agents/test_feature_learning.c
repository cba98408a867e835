/* Sarsa(lambda) learns a game of ours with each feature set, and goes on with the same bytes after it was saved in the
 * middle of an episode.
 * label: long, 20 s */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sixer/agents.h"

#define SAME   ",epsilon=0.05,averaging=0,background_screens=1000,disco_screens=3000"
#define COMMON ",alpha=1,gamma=0.99" SAME
/* With memory and with hashes learning is slower; a shorter horizon shows it in as many steps. */
#define SHORT ",alpha=0.5,gamma=0.9" SAME

typedef struct learner {
  sixer_rom *rom;
  sixer_env *env;
  sixer_agent *agent;
  double sum;
  int episodes;
} learner;

static learner create(const char *agent, const char *options) {
  learner l = {0};
  sixer_error error;
  sixer_config config = sixer_config_default();
  config.frame_skip = 5;
  config.max_frames = 3000;
  config.seed = 2;
  if (sixer_rom_open("duskrain", NULL, &l.rom, &error) ||
      sixer_agent_create(agent, options, 1, &l.agent, &error))
    fail_msg("%s", error.message);
  sixer_agent_prepare(l.agent, &config);
  if (sixer_env_create(l.rom, &config, &l.env, &error)) fail_msg("%s", error.message);
  return l;
}

static void destroy(learner *l) {
  sixer_agent_destroy(l->agent);
  sixer_env_destroy(l->env);
  sixer_rom_close(l->rom);
}

static void play(learner *l, int steps) {
  sixer_error error;
  sixer_result result;
  int action;
  for (int i = 0; i < steps; i++) {
    if (sixer_agent_act(l->agent, l->env, sixer_rom_legal_actions(l->rom), &action, &error))
      fail_msg("%s", error.message);
    sixer_env_step(l->env, action, &result);
    if (sixer_agent_learns(l->agent) && sixer_agent_learn(l->agent, l->env, &result, &error))
      fail_msg("%s", error.message);
    if (!result.over) continue;
    l->sum += (double)sixer_env_status(l->env).score;
    l->episodes++;
    sixer_env_reset(l->env);
    sixer_agent_reset(l->agent);
  }
}

/* The mean score of the episodes that end in steps 6,000 to 10,000. */
static double late_score(const char *agent, const char *options) {
  learner l = create(agent, options);
  play(&l, 6000);
  l.sum = l.episodes = 0;
  play(&l, 4000);
  double mean = l.sum / l.episodes;
  print_message("%-34.34s %6.1f points\n", options, mean);
  destroy(&l);
  return mean;
}

static void test_learning(void **state) {
  (void)state;
  double random = late_score("random", "");
  assert_true(late_score("sarsa", "features=basic" COMMON) > 2.5 * random);
  assert_true(late_score("sarsa", "features=bass" COMMON) > 2.5 * random);
  assert_true(late_score("sarsa", "features=b-prost" COMMON) > 2.5 * random);
  assert_true(late_score("sarsa", "features=disco" COMMON) > 2.5 * random);
  assert_true(late_score("sarsa", "features=ram" SHORT) > 2.5 * random);
  assert_true(late_score("sarsa", "features=lsh,lsh_binarize=onehot" SHORT) > 2.5 * random);
}

static void *saved(const learner *l, size_t *size) {
  sixer_error error;
  void *bytes;
  if (sixer_agent_save(l->agent, &bytes, size, &error)) fail_msg("%s", error.message);
  return bytes;
}

static void check_saving(const char *options) {
  learner a = create("sarsa", options), b = create("sarsa", options);
  sixer_error error;
  size_t size, other_size, state_size;
  play(&a, 777);
  const int flags = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE;
  state_size = sixer_env_state_size(a.env, flags);
  void *state = malloc(state_size), *bytes = saved(&a, &size);
  sixer_env_save(a.env, flags, state);
  if (sixer_env_load(b.env, state, state_size, &error) ||
      sixer_agent_load(b.agent, b.env, bytes, size, &error))
    fail_msg("%s: %s", options, error.message);
  free(bytes);
  free(state);
  play(&a, 500);
  play(&b, 500);
  bytes = saved(&a, &size);
  void *other = saved(&b, &other_size);
  if (size != other_size || memcmp(bytes, other, size) != 0)
    fail_msg("%s: not the same after loading", options);
  free(bytes);
  free(other);
  destroy(&a);
  destroy(&b);
}

static void test_saving(void **state) {
  (void)state;
  static const char *const sets[] = {"basic", "bass", "disco", "lsh", "ram", "b-pros", "b-prost"};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    char options[200];
    snprintf(options, sizeof options, "features=%s" COMMON, sets[i]);
    check_saving(options);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_saving),
                                     cmocka_unit_test(test_learning)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
