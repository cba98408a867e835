/* The elementary functions of the networks: the fused multiply-add without the instruction against the C library's,
 * which is exact; exp and cos within the error that they promise; padding; settings that are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nn/nn.h"
#include "nn/nn_math.h"
#include "util/random.h"
#include "util/real.h"

static void expect_fma(float a, float b, float c) {
  float got = nn_fma(a, b, c), expected = fmaf(a, b, c);
  if (memcmp(&got, &expected, sizeof got) != 0 && !(isnan(got) && isnan(expected))) {
    print_error("fma(%a, %a, %a) is %a, expected %a\n", (double)a, (double)b, (double)c,
                (double)got, (double)expected);
    fail();
  }
}

static float any_float(uint64_t *seed, int spread) {
  float x = (float)(2 * random_real(seed) - 1);
  return ldexpf(x, random_below(seed, 2 * spread + 1) - spread);
}

static void test_fma(void **state) {
  (void)state;
  /* rounding the sum to double first gives 0x1.002p0 here */
  assert_true(nn_fma(0x1.001p0f, 0x1.001p0f, 0x1p-60f) == 0x1.002002p0f);
  expect_fma(INFINITY, 1, 1);
  expect_fma(INFINITY, 1, -INFINITY);
  expect_fma(NAN, 1, 1);
  expect_fma(3e38f, 10, -INFINITY);
  expect_fma(0, -1, 0);
  uint64_t seed = 1;
  for (int i = 0; i < 300000; i++) {
    float a = any_float(&seed, 20), b = any_float(&seed, 20);
    expect_fma(a, b, any_float(&seed, 40));
    expect_fma(a, b, -(a * b));                                               /* cancels */
    expect_fma(a, b, ldexpf(a * b, random_below(&seed, 61) - 30));            /* near a tie */
    expect_fma(a * 0x1p-80f, b * 0x1p-60f, any_float(&seed, 10) * 0x1p-140f); /* subnormal */
  }
}

static void test_exp_and_cos(void **state) {
  (void)state;
  for (double x = -86; x < 88; x += 0.0137) {
    double exact = exp((double)(float)x);
    assert_true(fabs(nn_exp((float)x) - exact) < exact * 2 * 0x1p-24);
  }
  assert_true(nn_exp(0) == 1 && nn_exp(-88) == 0 && isnan(nn_exp(NAN)) && isfinite(nn_exp(1000)));
  for (double x = -70; x < 70; x += 0.00371)
    assert_true(fabs(real_cos_pi(x) - cos(3.14159265358979323846 * x)) < 1e-13);
  assert_true(real_cos_pi(0.5) == 0 && real_cos_pi(1) == -1 && real_cos_pi(64) == 1);
}

static void test_project(void **state) {
  (void)state;
  nn_support support = {51, -10, 10};
  float p[51], moved[51];
  for (int i = 0; i < 51; i++) p[i] = 1.0f / 51;
  nn_project(&support, p, 0, 1, moved); /* onto itself: no mass is lost where b is an integer */
  for (int i = 0; i < 51; i++) assert_true(fabsf(moved[i] - p[i]) < 1e-6f);
  nn_project(&support, p, 0.1f, 0,
             moved); /* everything at 0.1: between atoms 25 (0) and 26 (0.4) */
  assert_true(fabsf(moved[25] - 0.75f) < 1e-5f && fabsf(moved[26] - 0.25f) < 1e-5f);
  nn_project(&support, p, 100, 1, moved); /* beyond the support */
  assert_true(fabsf(moved[50] - 1) < 1e-5f);
}

static void test_specs(void **state) {
  (void)state;
  nn_tensor table[NN_MAX_TENSORS];
  int tensors;
  nn_spec spec = nn_spec_dqn(18);
  assert_int_equal(nn_parameters(&spec, table, &tensors), 1693362); /* Mnih et al. 2015 */
  assert_int_equal(tensors, 10);
  assert_string_equal(table[0].name, "conv1.weight");
  spec.atoms = 51, spec.dueling = true, spec.noisy = NN_NOISY_OUTPUTS;
  assert_int_equal(nn_parameters(&spec, NULL, NULL), 7496754); /* Rainbow */
  spec.atoms = 1, spec.cosines = 64;
  assert_int_equal(nn_parameters(&spec, NULL, NULL), 6725894); /* Rainbow-IQN */
  nn_conv conv = {.kernel = 4, .stride = 2};
  nn_same_padding(21, &conv);
  assert_true(conv.pad_before == 1 && conv.pad_after == 2);
  sixer_error error;
  nn_net *net;
  spec = nn_spec_dqn(18);
  spec.hidden = 100;
  assert_int_equal(nn_check(&spec, &error), SIXER_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "multiple of 16, not 100"));
  spec = nn_spec_dqn(18);
  spec.conv[2].kernel = 12;
  assert_int_equal(nn_check(&spec, &error), SIXER_ERR_ARGUMENT);
  spec = nn_spec_dqn(18);
  assert_int_equal(nn_create(&spec, &(nn_options){.max_batch = 0}, &net, &error),
                   SIXER_ERR_ARGUMENT);
  assert_int_equal(nn_create(&spec, &(nn_options){.max_batch = 1, .max_taus = 2}, &net, &error),
                   SIXER_ERR_ARGUMENT);
}

/* The largest of many weights is close below the bound of their distribution: sqrt(sqrt(3) / inputs) where TensorFlow
 * and JAX have variance_scaling(1 / sqrt(3), "fan_in", "uniform"); noisy layers have 1 / sqrt(inputs). */
static void test_scaling(void **state) {
  (void)state;
  for (int noisy = 0; noisy < 2; noisy++) {
    nn_spec spec = nn_spec_dqn(18);
    spec.init = NN_INIT_SCALING;
    if (noisy) spec.noisy = NN_NOISY_INPUTS, spec.sigma0 = 0.1f;
    nn_net *net;
    sixer_error error;
    assert_int_equal(nn_create(&spec, &(nn_options){.max_batch = 1, .threads = 1}, &net, &error),
                     SIXER_OK);
    nn_tensor table[NN_MAX_TENSORS];
    int tensors;
    const size_t count = nn_parameters(&spec, table, &tensors);
    float *block = nn_block_create(net), *canonical = malloc(count * sizeof(float));
    assert_non_null(block);
    assert_non_null(canonical);
    nn_initialize(net, block, 1);
    nn_export(net, block, canonical);
    float largest[2] = {0, 0}; /* of the first convolution, of the dense layer */
    for (int i = 0; i < tensors; i++) {
      const bool first = !strcmp(table[i].name, "conv1.weight");
      if (!first && strcmp(table[i].name, "hidden.weight") != 0) continue;
      for (size_t j = 0; j < table[i].count; j++) {
        const float size = fabsf(canonical[table[i].offset + j]);
        if (size > largest[!first]) largest[!first] = size;
      }
    }
    const double bounds[2] = {sqrt(sqrt(3.0) / 256),
                              noisy ? 1 / sqrt(3136) : sqrt(sqrt(3.0) / 3136)};
    for (int i = 0; i < 2; i++) {
      const double share = largest[i] / bounds[i];
      if (share < 0.99 || share > 1.000001) {
        print_error("layer %d, noisy %d: %g of the bound\n", i, noisy, share);
        fail();
      }
    }
    free(canonical);
    nn_block_destroy(block);
    nn_destroy(net);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_fma), cmocka_unit_test(test_scaling),
                                     cmocka_unit_test(test_exp_and_cos),
                                     cmocka_unit_test(test_project), cmocka_unit_test(test_specs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
