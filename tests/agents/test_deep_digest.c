/* label: long
 * The same parameters after 1,000 updates of every learner with a network: with 1, 2, 3 and 8 threads, with every set
 * of kernels that this processor has, and as in the table below, which never changes: it covers compilers and other
 * processors (test_compilers.sh, test_aarch64.sh). Whole training, from the game to the optimizer, with tiny networks.
 *
 *     test_deep_digest test_golden     only the comparison with the table */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "agents/deep/learner.h"
#include "sixer/train.h"
#include "util/hash.h"
#include "util/little.h"

#define SMALL     "memory=300,start=40,period=1,batch=4,target_period=20,trunk=quick,size=20,hidden=16"
#define QUANTILES ",taus=4,target_taus=3,choice_taus=5,cosines=16"

static const struct {
  const char *name, *options;
  uint64_t digest;
} cases[] = {
    {"dqn", SMALL, 0xc0ae813f6f52423e},
    {"dqn", SMALL ",double=1,loss=huber,optimizer=rmsprop,rate=0.001,rate_epsilon=1e-5",
     0xc0c16d6d508004f5},
    {"c51", SMALL, 0xe94864be0fae83d8},
    {"rainbow", SMALL, 0x65b9b19a2ff7446e},
    {"der", SMALL ",max_norm=0.1", 0x4b34241c05e33fb8},
    {"iqn", SMALL QUANTILES, 0x38709d5b654157cc},
    {"rainbow-iqn", SMALL QUANTILES, 0x76de5120841e21c3},
    {"pqn", "envs=8,rollout=4,epochs=2,batch=8,trunk=quick,size=20,hidden=16", 0x3f2395df60274e44},
};
enum { CASES = sizeof cases / sizeof cases[0], UPDATES = 1000 };

static sixer_rom *rom;
static sixer_protocol *protocol;

/* Train case i until so many updates are done; a digest of parameters and moments in the canonical layout. */
static uint64_t digest_of(int i, int threads, const char *kernels) {
  sixer_error error;
  sixer_train *train;
  sixer_train_settings s = sixer_train_settings_default();
  s.agent = cases[i].name;
  s.options = cases[i].options;
  s.rom = rom;
  s.protocol = protocol;
  s.frames = 1000000;
  s.threads = threads;
  assert_int_equal(setenv("SIXER_NN", kernels, 1), 0);
  if (sixer_train_create(&s, &train, &error)) fail_msg("%s", error.message);
  sixer_agent *agent = sixer_train_agent(train);
  while (sixer_agent_learned(agent).updates < UPDATES)
    if (sixer_train_run(train, 1, &error)) fail_msg("%s", error.message);
  const deep *d = (const deep *)agent;
  size_t count = nn_parameters(nn_net_spec(d->net), NULL, NULL);
  float *values = malloc(count * sizeof *values);
  uint64_t digest = 0;
  const float *const blocks[] = {d->online, d->optimizer.first, d->optimizer.second};
  for (int k = 0; k < 3; k++) {
    nn_export(d->net, blocks[k], values);
    little_numbers(values, count, sizeof *values);
    digest = hash_bytes(values, count * sizeof *values, digest);
  }
  free(values);
  sixer_train_destroy(train);
  return digest;
}

static void expect(int i, int threads, const char *kernels) {
  uint64_t digest = digest_of(i, threads, kernels);
  if (digest != cases[i].digest)
    fail_msg("%s, %s: %d threads, kernels '%s': digest 0x%016llx, expected 0x%016llx",
             cases[i].name, cases[i].options, threads, kernels, (unsigned long long)digest,
             (unsigned long long)cases[i].digest);
}

static void test_golden(void **state) {
  (void)state;
  for (int i = 0; i < CASES; i++) expect(i, 1, "");
}

static void test_threads(void **state) {
  (void)state;
  static const int threads[] = {2, 3, 8};
  for (int i = 0; i < CASES; i++)
    for (int t = 0; t < 3; t++) expect(i, threads[t], "");
}

/* All sets below the best one, which the tests above use. The plain kernels are slow: dqn and c51 only. test_nn_same
 * has all layers with all sets. */
static void test_kernels(void **state) {
  (void)state;
  static const char *const sets[] = {"plain", "neon", "avx2", "avx512"};
  int best = 3;
  while (!nn_set_works(nn_set_by_name(sets[best]))) best--;
  for (int i = 0; i < CASES; i++)
    if (i == 0 || i == 2) expect(i, 2, "plain");
  for (int k = 1; k < best; k++)
    for (int i = 0; i < CASES && nn_set_works(nn_set_by_name(sets[k])); i++) expect(i, 2, sets[k]);
}

static int open_game(void **state) {
  (void)state;
  sixer_error error;
  return sixer_rom_open("duskrain", NULL, &rom, &error) ||
         sixer_protocol_open("atari100k", &protocol, &error);
}

static int close_game(void **state) {
  (void)state;
  sixer_protocol_close(protocol);
  sixer_rom_close(rom);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden), cmocka_unit_test(test_threads),
                                     cmocka_unit_test(test_kernels)};
  return cmocka_run_group_tests(tests, open_game, close_game);
}
