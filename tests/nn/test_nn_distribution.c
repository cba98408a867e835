/* Softmax, expected values and losses of distributions: the version that this processor gets gives the same bytes as
 * the one that is compiled here, for a processor without any extension. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "nn/nn.h"
#include "util/random.h"

__typeof__(nn_softmax) plain_softmax;
__typeof__(nn_categorical_values) plain_values;
__typeof__(nn_loss_categorical) plain_categorical;
__typeof__(nn_loss_quantile) plain_quantile;

#define NN_DISTRIBUTION_FMA   /* this copy chooses no other one */
#define nn_softmax            plain_softmax
#define nn_categorical_values plain_values
#define nn_loss_categorical   plain_categorical
#define nn_loss_quantile      plain_quantile
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "nn/nn_distribution.c"
#undef nn_softmax
#undef nn_categorical_values
#undef nn_loss_categorical
#undef nn_loss_quantile

enum { BATCH = 5, ACTIONS = 3, MOST = 51, OUTPUTS = BATCH * ACTIONS * MOST };

/* Small numbers, large ones, and now and then one that exp() cannot reach. */
static void fill(uint64_t *seed, float *x, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const int scale = random_below(seed, 40);
    x[i] = (float)(2 * random_real(seed) - 1) * (scale == 0 ? 300.0f : scale < 20 ? 1.0f : 10.0f);
  }
}

static void fill_shares(uint64_t *seed, float *p, int count) {
  float sum = 0;
  for (int i = 0; i < count; i++) sum += p[i] = (float)random_real(seed);
  for (int i = 0; i < count; i++) p[i] /= sum;
}

static void test_categorical(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int round = 0; round < 200; round++) {
    const nn_support support = {2 + random_below(&seed, MOST - 1), -10, 10};
    const int atoms = support.atoms;
    float outputs[OUTPUTS], target[BATCH * MOST], weight[BATCH], loss[2][BATCH];
    float values[2][BATCH * ACTIONS], p[2][MOST], d[2][OUTPUTS];
    int action[BATCH];
    fill(&seed, outputs, OUTPUTS);
    for (int b = 0; b < BATCH; b++) {
      fill_shares(&seed, target + (ptrdiff_t)b * atoms, atoms);
      action[b] = random_below(&seed, ACTIONS);
      weight[b] = (float)random_real(&seed);
    }
    nn_softmax(outputs, atoms, p[0]);
    plain_softmax(outputs, atoms, p[1]);
    assert_memory_equal(p[0], p[1], (size_t)atoms * sizeof(float));
    nn_categorical_values(&support, outputs, BATCH * ACTIONS, values[0]);
    plain_values(&support, outputs, BATCH * ACTIONS, values[1]);
    assert_memory_equal(values[0], values[1], sizeof values[0]);
    nn_loss_categorical(outputs, BATCH, ACTIONS, atoms, action, target, weight, 0.5f, loss[0],
                        d[0]);
    plain_categorical(outputs, BATCH, ACTIONS, atoms, action, target, weight, 0.5f, loss[1], d[1]);
    assert_memory_equal(loss[0], loss[1], sizeof loss[0]);
    assert_memory_equal(d[0], d[1], (size_t)(BATCH * ACTIONS * atoms) * sizeof(float));
  }
}

static void test_quantile(void **state) {
  (void)state;
  enum { TAUS = 8 };
  uint64_t seed = 2;
  for (int round = 0; round < 200; round++) {
    float outputs[BATCH * TAUS * ACTIONS], target[BATCH * TAUS], taus[BATCH * TAUS];
    float loss[2][BATCH], d[2][BATCH * TAUS * ACTIONS];
    int action[BATCH];
    fill(&seed, outputs, sizeof outputs / sizeof *outputs);
    fill(&seed, target, sizeof target / sizeof *target);
    for (int i = 0; i < BATCH * TAUS; i++) taus[i] = (float)random_real(&seed);
    for (int b = 0; b < BATCH; b++) action[b] = random_below(&seed, ACTIONS);
    nn_loss_quantile(outputs, BATCH, TAUS, ACTIONS, taus, action, target, TAUS, NULL, 0.2f, 1,
                     loss[0], d[0]);
    plain_quantile(outputs, BATCH, TAUS, ACTIONS, taus, action, target, TAUS, NULL, 0.2f, 1,
                   loss[1], d[1]);
    assert_memory_equal(loss[0], loss[1], sizeof loss[0]);
    assert_memory_equal(d[0], d[1], sizeof d[0]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_categorical),
                                     cmocka_unit_test(test_quantile)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
