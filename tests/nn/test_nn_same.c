/* The same bytes everywhere: passes and updates of every kind of network with every set of kernels that this
 * processor has and with 1, 3 and 8 threads (the plain ones with 3 only), against the reference; and all of them
 * against digests that never change, with 2 threads, which covers compilers and other processors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nn/networks.h"

enum { UPDATES = 4 };

/* Digests of outputs, gradients, weights and moments after UPDATES updates. */
static const uint64_t golden[NETWORK_CASES] = {
    0x09ae9d9fb8cdd93b, 0x9ef728acd6e814df, 0x57d2ad1bc11183ef,
    0xc14b14133dd70883, 0xbecfc44618d56457, 0x58ffc46992b601fc,
    0xaf30423d2a3a99ed, 0x22d4fa0c68719913, 0x8f288ae3159aa81c};

static void expect_equal(const char *name, nn_set set, int threads, const char *what,
                         const float *a, const float *b, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (memcmp(&a[i], &b[i], sizeof *a) != 0) {
      print_error("%s, %s, %d threads: %s %zu of %zu is %.9g, the reference has %.9g\n", name,
                  nn_set_name(set), threads, what, i, count, (double)a[i], (double)b[i]);
      fail();
    }
}

static void test_sets_and_threads(void **state) {
  (void)state;
  static const int threads[] = {1, 3, 8};
  for (int i = 0; i < NETWORK_CASES; i++) {
    const network_case *c = &network_cases[i];
    trained reference;
    assert_true(train_network(c, NN_SET_REFERENCE, 1, UPDATES, &reference));
    for (nn_set set = NN_SET_PLAIN; set <= NN_SET_WASM; set++) {
      if (!nn_set_works(set)) continue;
      for (int t = 0; t < 3; t++) {
        if (set == NN_SET_PLAIN && threads[t] != 3) continue; /* slow */
        trained got;
        assert_true(train_network(c, set, threads[t], UPDATES, &got));
        expect_equal(c->name, set, threads[t], "output", got.values, reference.values, got.outputs);
        expect_equal(c->name, set, threads[t], "gradient", got.gradients, reference.gradients,
                     got.parameters);
        expect_equal(c->name, set, threads[t], "weight", got.weights, reference.weights,
                     got.parameters);
        expect_equal(c->name, set, threads[t], "first moment", got.first, reference.first,
                     got.parameters);
        expect_equal(c->name, set, threads[t], "second moment", got.second, reference.second,
                     got.parameters);
        trained_free(&got);
      }
    }
    trained_free(&reference);
  }
}

/* A pass over composed parameters is the pass with noise. */
static void test_compose(void **state) {
  (void)state;
  const network_case *c = &network_cases[3];
  assert_int_equal(c->spec.noisy, NN_NOISY_OUTPUTS);
  for (nn_set set = NN_SET_REFERENCE; set <= NN_SET_WASM; set++) {
    if (!nn_set_works(set)) continue;
    nn_options options = {.max_batch = 2, .threads = 2, .set = set};
    sixer_error error;
    nn_net *net;
    assert_int_equal(nn_create(&c->spec, &options, &net, &error), SIXER_OK);
    float *block = nn_block_create(net), *composed = nn_block_create(net);
    float *noise = malloc(nn_noise_floats(net) * sizeof(float));
    size_t size = (size_t)c->spec.channels * (size_t)c->spec.height * (size_t)c->spec.width;
    uint8_t *pixels = malloc(2 * size);
    for (size_t i = 0; i < 2 * size; i++) pixels[i] = (uint8_t)(i * 37);
    const uint8_t *states[2] = {pixels, pixels + size};
    float noisy[2 * 5 * 51], quiet[2 * 5 * 51], means[2 * 5 * 51];
    nn_initialize(net, block, 1);
    nn_draw_noise(net, noise, 2, 3);
    nn_forward(net, block, noise, states, 2, NULL, 0, noisy, false);
    nn_compose(net, block, noise, composed);
    nn_forward(net, composed, NULL, states, 2, NULL, 0, quiet, false);
    nn_forward(net, block, NULL, states, 2, NULL, 0, means, false);
    assert_memory_equal(noisy, quiet, sizeof noisy);
    assert_memory_not_equal(noisy, means, sizeof noisy);
    nn_block_destroy(block), nn_block_destroy(composed), nn_destroy(net);
    free(noise), free(pixels);
  }
}

static void test_golden(void **state) {
  (void)state;
  bool same = true;
  for (int i = 0; i < NETWORK_CASES; i++) {
    trained got;
    assert_true(train_network(&network_cases[i], NN_SET_BEST, 2, UPDATES, &got));
    uint64_t digest = trained_digest(&got);
    if (digest != golden[i]) {
      print_error("%s: digest 0x%016llx, expected 0x%016llx\n", network_cases[i].name,
                  (unsigned long long)digest, (unsigned long long)golden[i]);
      same = false;
    }
    trained_free(&got);
  }
  assert_true(same);
}

/* ---- For test_nn_numpy.py -------------------------------------------------------------------------------------- */

/* `test_nn_same --write FILE NUMBERS...`: one forward and one backward pass, and three steps of the optimizer, of the
 * network that the numbers describe. The file holds floats: parameters, states, taus, noise, derivatives by the
 * outputs, outputs, gradients, parameters afterwards. The names and shapes of tensors go to stdout. */
static int write_case(int argc, char **argv) {
  double v[64] = {0};
  for (int i = 1; i < argc && i < 64; i++) v[i - 1] = atof(argv[i]);
  const double *next = v;
  network_case c = {.name = "written"};
  nn_spec *s = &c.spec;
  s->channels = (int)*next++, s->height = (int)*next++, s->width = (int)*next++;
  s->convs = (int)*next++;
  for (int i = 0; i < s->convs; i++, next += 5)
    s->conv[i] = (nn_conv){(int)next[0], (int)next[1], (int)next[2], (int)next[3], (int)next[4]};
  s->norm = (nn_norm)*next++, s->norm_epsilon = (float)*next++, s->cosines = (int)*next++;
  s->hidden = (int)*next++, s->dueling = *next++ != 0, s->noisy = (nn_noisy)*next++;
  s->sigma0 = (float)*next++, s->actions = (int)*next++, s->atoms = (int)*next++;
  s->init = (nn_init)*next++, c.batch = (int)*next++, c.taus = (int)*next++;
  nn_optimizer o = {.kind = (nn_optimizer_kind)next[0],
                    .rate = next[1],
                    .beta1 = next[2],
                    .beta2 = next[3],
                    .epsilon = next[4],
                    .max_norm = next[6]};
  o.epsilon_before_correction = next[5] != 0;
  sixer_error error;
  nn_net *net;
  nn_options options = {.max_batch = c.batch, .max_taus = c.taus, .threads = 2};
  FILE *file = fopen(argv[0], "wb");
  if (!file || nn_create(s, &options, &net, &error) || nn_optimizer_create(net, &o, &error)) {
    fprintf(stderr, "%s\n", file ? error.message : argv[0]);
    return 1;
  }
  nn_tensor table[NN_MAX_TENSORS];
  int tensors;
  size_t count = nn_parameters(s, table, &tensors), batch = (size_t)c.batch;
  for (int i = 0; i < tensors; i++) {
    printf("%s %zu", table[i].name, table[i].offset);
    for (int d = 0; d < table[i].dims; d++) printf(" %d", table[i].shape[d]);
    printf("\n");
  }
  size_t size = (size_t)s->channels * (size_t)s->height * (size_t)s->width;
  size_t rows = batch * (size_t)(c.taus ? c.taus : 1);
  size_t outputs = rows * (size_t)s->actions * (size_t)s->atoms;
  float *block = nn_block_create(net), *gradients = nn_block_create(net);
  float *canonical = malloc(count * sizeof(float)), *noise = malloc((nn_noise_floats(net) + 1) * 4);
  float *floats = malloc((batch * size + rows + 2 * outputs) * sizeof(float));
  float *taus = floats + batch * size, *d = taus + rows, *q = d + outputs;
  uint8_t *pixels = malloc(batch * size);
  const uint8_t **states = malloc(batch * sizeof *states);
  uint64_t seed = 12;
  nn_initialize(net, block, 5);
  nn_export(net, block, canonical);
  for (int i = 0; i < tensors; i++)
    for (size_t k = 0; strstr(table[i].name, "_norm") && k < table[i].count; k++)
      canonical[table[i].offset + k] += (float)(random_real(&seed) - 0.5);
  nn_import(net, block, canonical);
  for (size_t i = 0; i < batch * size; i++) floats[i] = pixels[i] = (uint8_t)random_next(&seed);
  for (size_t b = 0; b < batch; b++) states[b] = pixels + b * size;
  for (size_t i = 0; i < rows; i++) taus[i] = (float)random_real(&seed);
  for (size_t i = 0; i < outputs; i++) d[i] = (float)(random_real(&seed) - 0.5);
  nn_draw_noise(net, noise, 3, 4);
  const float *used = s->noisy ? noise : NULL;
  nn_forward(net, block, used, states, c.batch, c.taus ? taus : NULL, c.taus, q, true);
  nn_backward(net, block, used, d, gradients);
  fwrite(canonical, sizeof(float), count, file);
  fwrite(floats, sizeof(float), batch * size + rows, file);
  fwrite(noise, sizeof(float), nn_noise_floats(net), file);
  fwrite(d, sizeof(float), 2 * outputs, file);
  nn_export(net, gradients, canonical);
  fwrite(canonical, sizeof(float), count, file);
  for (int i = 0; i < 3; i++) nn_optimize(net, &o, block, gradients);
  nn_export(net, block, canonical);
  fwrite(canonical, sizeof(float), count, file);
  nn_optimizer_destroy(&o);
  nn_block_destroy(block), nn_block_destroy(gradients), nn_destroy(net);
  free(canonical), free(noise), free(floats), free(pixels), free(states);
  return fclose(file) ? 1 : 0;
}

int main(int argc, char **argv) {
  if (argc > 2 && !strcmp(argv[1], "--write")) return write_case(argc - 2, argv + 2);
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sets_and_threads),
                                     cmocka_unit_test(test_compose), cmocka_unit_test(test_golden)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
