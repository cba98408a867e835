/* Small networks of every kind for the tests of src/nn, and a training loop without a game: states, targets and
 * rewards are random numbers. */
#ifndef TESTS_NN_NETWORKS_H
#define TESTS_NN_NETWORKS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/nn.h"
#include "util/hash.h"
#include "util/little.h"
#include "util/random.h"

typedef struct network_case {
  const char *name;
  nn_spec spec;
  int batch, taus;
  nn_optimizer optimizer;
} network_case;

#define ADAM \
  { .kind = NN_ADAM, .rate = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1.5e-4 }
#define ADAM_CLIPPED                                                                \
  {                                                                                 \
    .kind = NN_ADAM, .rate = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1.5e-4, \
    .epsilon_before_correction = true, .max_norm = 0.5                              \
  }
#define RADAM \
  { .kind = NN_RADAM, .rate = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-5, .max_norm = 10 }
#define RMSPROP \
  { .kind = NN_RMSPROP, .rate = 2.5e-4, .beta1 = 0.95, .beta2 = 0.95, .epsilon = 0.01 }

static const network_case network_cases[] = {
    {"dqn",
     {.channels = 4,
      .height = 36,
      .width = 44,
      .convs = 3,
      .conv = {{.filters = 32, .kernel = 8, .stride = 4},
               {.filters = 64, .kernel = 4, .stride = 2},
               {.filters = 64, .kernel = 3, .stride = 1, .pad_before = 1, .pad_after = 1}},
      .hidden = 144,
      .actions = 18,
      .atoms = 1},
     13,
     0,
     ADAM},
    {"dqn, same padding, RMSProp",
     {.channels = 4,
      .height = 21,
      .width = 26,
      .convs = 2,
      .conv = {{.filters = 16, .kernel = 8, .stride = 4, .pad_before = 2, .pad_after = 3},
               {.filters = 48, .kernel = 4, .stride = 2, .pad_before = 1, .pad_after = 2}},
      .hidden = 80,
      .actions = 4,
      .atoms = 1,
      .init = NN_INIT_XAVIER},
     7,
     0,
     RMSPROP},
    {"c51",
     {.channels = 4,
      .height = 20,
      .width = 20,
      .convs = 2,
      .conv = {{.filters = 32, .kernel = 5, .stride = 5},
               {.filters = 64, .kernel = 3, .stride = 1}},
      .hidden = 64,
      .actions = 6,
      .atoms = 51,
      .init = NN_INIT_SCALING},
     9,
     0,
     ADAM_CLIPPED},
    {"rainbow",
     {.channels = 4,
      .height = 25,
      .width = 25,
      .convs = 2,
      .conv = {{.filters = 32, .kernel = 5, .stride = 5},
               {.filters = 64, .kernel = 5, .stride = 5}},
      .hidden = 256,
      .dueling = true,
      .noisy = NN_NOISY_OUTPUTS,
      .sigma0 = 0.5f,
      .actions = 5,
      .atoms = 51},
     32,
     0,
     ADAM},
    {"iqn",
     {.channels = 4,
      .height = 20,
      .width = 20,
      .convs = 2,
      .conv = {{.filters = 16, .kernel = 4, .stride = 2},
               {.filters = 32, .kernel = 3, .stride = 2}},
      .cosines = 64,
      .hidden = 48,
      .actions = 7,
      .atoms = 1},
     5,
     8,
     ADAM},
    {"rainbow-iqn",
     {.channels = 4,
      .height = 14,
      .width = 14,
      .convs = 2,
      .conv = {{.filters = 16, .kernel = 4, .stride = 2},
               {.filters = 32, .kernel = 3, .stride = 1}},
      .cosines = 13,
      .hidden = 32,
      .dueling = true,
      .noisy = NN_NOISY_INPUTS,
      .sigma0 = 0.1f,
      .actions = 18,
      .atoms = 1},
     9,
     17,
     ADAM},
    {"pqn",
     {.channels = 4,
      .height = 28,
      .width = 28,
      .convs = 3,
      .conv = {{.filters = 32, .kernel = 8, .stride = 4},
               {.filters = 64, .kernel = 4, .stride = 2},
               {.filters = 64, .kernel = 2, .stride = 1}},
      .norm = NN_NORM_CHANNELS,
      .norm_epsilon = 1e-6f,
      .hidden = 64,
      .actions = 6,
      .atoms = 1,
      .init = NN_INIT_HE},
     33,
     0,
     RADAM},
    {"pqn, norm of layers",
     {.channels = 3,
      .height = 50,
      .width = 50,
      .convs = 2,
      .conv = {{.filters = 16, .kernel = 3, .stride = 2},
               {.filters = 16, .kernel = 4, .stride = 3, .pad_before = 1, .pad_after = 2}},
      .norm = NN_NORM_LAYER,
      .norm_epsilon = 1e-5f,
      .hidden = 32,
      .actions = 3,
      .atoms = 1},
     6,
     0,
     RADAM},
    {"one state, one filter row",
     {.channels = 1,
      .height = 8,
      .width = 8,
      .convs = 1,
      .conv = {{.filters = 16, .kernel = 1, .stride = 3}},
      .hidden = 16,
      .actions = 1,
      .atoms = 1},
     1,
     0,
     ADAM},
};
enum { NETWORK_CASES = sizeof network_cases / sizeof network_cases[0] };

/* Everything that a training of some updates gives. */
typedef struct trained {
  size_t parameters, outputs;
  float *weights, *first, *second, *gradients, *values;
} trained;

static inline void trained_free(trained *t) {
  free(t->weights), free(t->first), free(t->second), free(t->gradients), free(t->values);
}

/* Train and return the result in the canonical layout; `values` are the outputs of all passes. False, with a message
 * on stderr, if the net cannot be created. */
static inline bool train_network(const network_case *c, nn_set set, int threads, int updates,
                                 trained *out) {
  const nn_spec *spec = &c->spec;
  nn_options options = {.max_batch = c->batch, .max_taus = c->taus, .threads = threads, .set = set};
  sixer_error error;
  nn_net *net;
  if (nn_create(spec, &options, &net, &error)) {
    fprintf(stderr, "%s: %s\n", c->name, error.message);
    return false;
  }
#ifdef NETWORK_CREATED /* test_nn_wide.c */
  NETWORK_CREATED(net);
#endif
  uint64_t seed = 99;
  size_t size = (size_t)spec->channels * (size_t)spec->height * (size_t)spec->width;
  size_t batch = (size_t)c->batch, rows = batch * (size_t)(c->taus ? c->taus : 1);
  size_t width = (size_t)spec->actions * (size_t)spec->atoms, count = rows * width;
  float *online = nn_block_create(net), *target = nn_block_create(net);
  float *gradients = nn_block_create(net);
  float *noise = malloc((nn_noise_floats(net) + 1) * sizeof(float));
  float *values = calloc(2 * (size_t)updates * count, sizeof(float));
  float *d = malloc(count * sizeof(float)), *taus = malloc(rows * sizeof(float));
  float *loss = malloc(batch * sizeof(float)), *goal = malloc(batch * 64 * sizeof(float));
  int *action = malloc(batch * sizeof(int));
  uint8_t *pixels = malloc(2 * batch * size);
  const uint8_t **states = malloc(2 * batch * sizeof *states);
  nn_optimizer optimizer = c->optimizer;
  nn_optimizer_create(net, &optimizer, &error);
  nn_initialize(net, online, 3);
  nn_initialize(net, target, 4);
  for (int u = 0; u < updates; u++) {
    for (size_t i = 0; i < 2 * batch * size; i++) pixels[i] = (uint8_t)random_next(&seed);
    for (size_t b = 0; b < 2 * batch; b++) states[b] = pixels + b * size;
    for (size_t b = 0; b < batch; b++) action[b] = random_below(&seed, spec->actions);
    for (size_t i = 0; i < rows; i++) taus[i] = (float)random_real(&seed);
    for (size_t i = 0; i < batch * 64; i++) goal[i] = (float)(2 * random_real(&seed) - 1);
    const float *used = spec->noisy && u % 3 != 2 ? noise : NULL;
    if (used) nn_draw_noise(net, noise, 17, (uint64_t)u);
    float *q = values + 2 * (size_t)u * count, *next = q + count;
    nn_forward(net, online, used, states, c->batch, c->taus ? taus : NULL, c->taus, q, true);
    nn_forward(net, target, used, states + batch, c->batch, c->taus ? taus : NULL, c->taus, next,
               false);
    if (c->taus) {
      nn_loss_quantile(q, c->batch, c->taus, spec->actions, taus, action, goal, 5, NULL,
                       1.0f / (float)c->batch, 1, loss, d);
    } else if (spec->atoms > 1) {
      nn_support support = {spec->atoms, -10, 10};
      float p[64];
      for (size_t b = 0; b < batch; b++) {
        nn_softmax(next + b * width, spec->atoms, p);
        float moved[64];
        nn_project(&support, p, goal[b], 0.97f, moved);
        memcpy(goal + b * 64, moved, sizeof moved);
      }
      for (size_t b = 0; b < batch; b++)
        memmove(goal + b * (size_t)spec->atoms, goal + b * 64, (size_t)spec->atoms * sizeof(float));
      nn_loss_categorical(q, c->batch, spec->actions, spec->atoms, action, goal, NULL,
                          1.0f / (float)c->batch, loss, d);
    } else {
      for (size_t b = 0; b < batch; b++) goal[b] += 0.9f * next[b * width];
      nn_loss_huber(q, c->batch, spec->actions, action, goal, NULL, 1, loss, d);
    }
    if (u == 0) nn_backward(net, online, used, d, gradients);
    nn_update(net, &optimizer, online, used, d);
  }
  size_t parameters = nn_parameters(spec, NULL, NULL);
  *out = (trained){.parameters = parameters,
                   .outputs = 2 * (size_t)updates * count,
                   .weights = malloc(parameters * sizeof(float)),
                   .first = malloc(parameters * sizeof(float)),
                   .second = malloc(parameters * sizeof(float)),
                   .gradients = malloc(parameters * sizeof(float)),
                   .values = values};
  nn_export(net, online, out->weights);
  nn_export(net, optimizer.first, out->first);
  nn_export(net, optimizer.second, out->second);
  nn_export(net, gradients, out->gradients);
  nn_optimizer_destroy(&optimizer);
  nn_block_destroy(online), nn_block_destroy(target), nn_block_destroy(gradients);
  free(noise), free(d), free(taus), free(loss), free(goal), free(action), free(pixels);
  free(states);
  nn_destroy(net);
  return true;
}

/* Of floats, as they are stored: little-endian. */
static inline uint64_t add_floats(const float *values, size_t count, uint64_t h) {
  float *copy = malloc(count * sizeof *copy);
  memcpy(copy, values, count * sizeof *copy);
  little_numbers(copy, count, sizeof *copy);
  h = hash_bytes(copy, count * sizeof *copy, h);
  free(copy);
  return h;
}

static inline uint64_t trained_digest(const trained *t) {
  uint64_t h = add_floats(t->values, t->outputs, 0);
  h = add_floats(t->gradients, t->parameters, h);
  h = add_floats(t->weights, t->parameters, h);
  h = add_floats(t->first, t->parameters, h);
  return add_floats(t->second, t->parameters, h);
}

#endif
