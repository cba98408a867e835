/* Gradients of whole networks and of losses against finite differences, for every kind of layer. The loss of a
 * network is a fixed random combination of its outputs, summed in double. A central difference of a function with
 * ReLUs is right unless a unit changes sides, so a few mismatches are allowed; a wrong formula fails by the
 * hundreds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nn/nn.h"
#include "util/random.h"

enum { BATCH = 3, TAUS = 2, MAX_OUTPUTS = 4096 };

static nn_spec small_spec(void) {
  return (nn_spec){
      .channels = 2,
      .height = 9,
      .width = 11,
      .convs = 2,
      .conv = {{.filters = 16, .kernel = 3, .stride = 2, .pad_before = 1, .pad_after = 0},
               {.filters = 16, .kernel = 2, .stride = 1, .pad_before = 0, .pad_after = 1}},
      .norm_epsilon = 1e-3f,
      .hidden = 16,
      .actions = 3,
      .atoms = 1};
}

typedef struct problem {
  nn_net *net;
  float *block, *gradients, *noise;
  uint8_t *pixels;
  const uint8_t *observations[BATCH];
  float taus[BATCH * TAUS];
  float mix[MAX_OUTPUTS], outputs[MAX_OUTPUTS];
  int tau_count;
  size_t count;
} problem;

static void problem_create(problem *p, const nn_spec *spec, bool noise, uint64_t seed) {
  memset(p, 0, sizeof *p);
  sixer_error error;
  p->tau_count = spec->cosines ? TAUS : 0;
  nn_options options = {.max_batch = BATCH, .max_taus = p->tau_count, .threads = 1};
  assert_int_equal(nn_create(spec, &options, &p->net, &error), SIXER_OK);
  p->block = nn_block_create(p->net);
  p->gradients = nn_block_create(p->net);
  nn_initialize(p->net, p->block, seed);
  size_t size = (size_t)spec->channels * (size_t)spec->height * (size_t)spec->width;
  p->pixels = malloc(BATCH * size);
  for (size_t i = 0; i < BATCH * size; i++) p->pixels[i] = (uint8_t)random_next(&seed);
  for (int b = 0; b < BATCH; b++) p->observations[b] = p->pixels + (size_t)b * size;
  for (int i = 0; i < BATCH * TAUS; i++) p->taus[i] = (float)random_real(&seed);
  p->count = (size_t)BATCH * (size_t)(spec->cosines ? TAUS : 1) * (size_t)spec->actions *
             (size_t)spec->atoms;
  for (size_t i = 0; i < p->count; i++) p->mix[i] = (float)(2 * random_real(&seed) - 1);
  if (noise) {
    p->noise = malloc(nn_noise_floats(p->net) * sizeof(float));
    nn_draw_noise(p->net, p->noise, seed, 7);
  }
}

static void problem_destroy(problem *p) {
  nn_block_destroy(p->block);
  nn_block_destroy(p->gradients);
  nn_destroy(p->net);
  free(p->noise);
  free(p->pixels);
}

static double problem_loss(problem *p) {
  nn_forward(p->net, p->block, p->noise, p->observations, BATCH, p->tau_count ? p->taus : NULL,
             p->tau_count, p->outputs, true);
  double sum = 0;
  for (size_t i = 0; i < p->count; i++) sum += (double)p->mix[i] * p->outputs[i];
  return sum;
}

/* Every parameter of small tensors, some of large ones. */
static void check_spec(const char *name, const nn_spec *spec, bool noise) {
  problem p;
  problem_create(&p, spec, noise, 11);
  nn_tensor table[NN_MAX_TENSORS];
  int tensors;
  size_t parameters = nn_parameters(spec, table, &tensors);
  float *weights = malloc(parameters * sizeof(float)),
        *gradients = malloc(parameters * sizeof(float));
  nn_export(p.net, p.block, weights);
  /* LayerNorm starts with 1 and 0; other values tell more */
  uint64_t seed = 5;
  for (int t = 0; t < tensors; t++)
    if (strstr(table[t].name, "_norm"))
      for (size_t i = 0; i < table[t].count; i++)
        weights[table[t].offset + i] += (float)(random_real(&seed) - 0.5);
  nn_import(p.net, p.block, weights);
  problem_loss(&p);
  nn_backward(p.net, p.block, p.noise, p.mix, p.gradients);
  nn_export(p.net, p.gradients, gradients);
  for (int t = 0; t < tensors; t++) {
    double scale = 0;
    for (size_t i = 0; i < table[t].count; i++)
      scale = fmax(scale, fabs(gradients[table[t].offset + i]));
    size_t step = table[t].count > 64 ? table[t].count / 64 : 1, checked = 0, wrong = 0;
    for (size_t i = 0; i < table[t].count; i += step) {
      float *w = &weights[table[t].offset + i], old = *w;
      double found[2];
      float change = 4e-4f;
      for (int side = 0; side < 2; side++) {
        *w = side ? old - change : old + change;
        nn_import(p.net, p.block, weights);
        found[side] = problem_loss(&p);
      }
      *w = old;
      double slope = (found[0] - found[1]) / (2.0 * change);
      double got = gradients[table[t].offset + i];
      checked++;
      if (fabs(slope - got) > 0.02 * scale + 1e-3) wrong++;
    }
    if (wrong > checked / 10) {
      print_error("%s, %s: %zu of %zu gradients differ from finite differences\n", name,
                  table[t].name, wrong, checked);
      fail();
    }
    if (!noise && strstr(table[t].name, "sigma")) continue;
    if (scale == 0) {
      print_error("%s, %s: all gradients are zero\n", name, table[t].name);
      fail();
    }
  }
  free(weights);
  free(gradients);
  problem_destroy(&p);
}

static void test_networks(void **state) {
  (void)state;
  nn_spec spec = small_spec();
  check_spec("plain", &spec, false);
  spec.atoms = 5;
  check_spec("atoms", &spec, false);
  spec.dueling = true;
  check_spec("dueling", &spec, false);
  spec.noisy = NN_NOISY_OUTPUTS;
  spec.sigma0 = 0.5f;
  check_spec("noisy", &spec, true);
  check_spec("noisy, without noise", &spec, false);
  spec.cosines = 7;
  spec.atoms = 1;
  check_spec("quantiles, dueling, noisy", &spec, true);
  spec = small_spec();
  spec.cosines = 7;
  check_spec("quantiles", &spec, false);
  spec = small_spec();
  spec.norm = NN_NORM_CHANNELS;
  check_spec("norm of channels", &spec, false);
  spec.norm = NN_NORM_LAYER;
  check_spec("norm of layers", &spec, false);
}

/* ---- Losses ---------------------------------------------------------------------------------------------------- */

enum { STATES = 4, ACTIONS = 3, ATOMS = 7, SAMPLES = 5 };
typedef struct loss_case {
  int kind;
  float outputs[STATES * SAMPLES * ACTIONS * ATOMS], d[STATES * SAMPLES * ACTIONS * ATOMS];
  float taus[STATES * SAMPLES], target[STATES * ATOMS], weight[STATES];
  int action[STATES];
  size_t count;
} loss_case;

static double weighted_loss(loss_case *c) {
  float loss[STATES];
  if (c->kind == 0)
    nn_loss_huber(c->outputs, STATES, ACTIONS, c->action, c->target, c->weight, 0.25f, loss, c->d);
  if (c->kind == 1)
    nn_loss_squared(c->outputs, STATES, ACTIONS, c->action, c->target, c->weight, 0.25f, loss,
                    c->d);
  if (c->kind == 2)
    nn_loss_categorical(c->outputs, STATES, ACTIONS, ATOMS, c->action, c->target, c->weight, 0.25f,
                        loss, c->d);
  if (c->kind == 3)
    nn_loss_quantile(c->outputs, STATES, SAMPLES, ACTIONS, c->taus, c->action, c->target, ATOMS,
                     c->weight, 0.25f, 0.8f, loss, c->d);
  double sum = 0;
  for (int b = 0; b < STATES; b++) sum += 0.25 * (double)c->weight[b] * loss[b];
  return sum;
}

static void test_losses(void **state) {
  (void)state;
  const size_t counts[] = {STATES * ACTIONS, STATES * ACTIONS, STATES * ACTIONS * ATOMS,
                           STATES * SAMPLES * ACTIONS};
  for (int kind = 0; kind < 4; kind++) {
    loss_case c = {.kind = kind, .count = counts[kind]};
    uint64_t seed = 17;
    for (size_t i = 0; i < c.count; i++) c.outputs[i] = (float)(4 * random_real(&seed) - 2);
    for (int i = 0; i < STATES * SAMPLES; i++) c.taus[i] = (float)random_real(&seed);
    for (int i = 0; i < STATES * ATOMS; i++) c.target[i] = (float)(2 * random_real(&seed) - 1);
    if (kind == 2)
      for (int b = 0; b < STATES; b++)
        nn_softmax(c.target + b * ATOMS, ATOMS, c.target + b * ATOMS);
    for (int b = 0; b < STATES; b++) {
      c.weight[b] = (float)(0.5 + random_real(&seed));
      c.action[b] = random_below(&seed, ACTIONS);
    }
    weighted_loss(&c);
    float d[STATES * SAMPLES * ACTIONS * ATOMS];
    memcpy(d, c.d, sizeof d);
    for (size_t i = 0; i < c.count; i++) {
      float old = c.outputs[i], change = 1e-3f;
      c.outputs[i] = old + change;
      double up = weighted_loss(&c);
      c.outputs[i] = old - change;
      double down = weighted_loss(&c);
      c.outputs[i] = old;
      double slope = (up - down) / (2.0 * change);
      if (fabs(slope - d[i]) > 2e-3) {
        print_error("loss %d, output %zu: %g, finite difference %g\n", kind, i, (double)d[i],
                    slope);
        fail();
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_networks),
                                     cmocka_unit_test(test_losses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
