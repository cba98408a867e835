/* How fast networks are: see sixer_network_measure(). */
#include <stdio.h>
#include <stdlib.h>

#include "nn/nn.h"
#include "sixer/agents.h"
#include "util/error.h"
#include "util/random.h"
#include "util/os.h"

enum { ACTIONS = 18, SIZE = 4 * 84 * 84, DQN_BATCH = 32, PQN_BATCH = 128, PEAK_STEPS = 200000 };

/* A network with everything that an update needs. */
typedef struct subject {
  nn_net *net;
  float *online, *target;
  nn_optimizer optimizer;
} subject;

typedef struct measuring {
  double (*clock)(void);
  uint8_t *pixels;
  const uint8_t *states[2 * PQN_BATCH];
  int action[PQN_BATCH];
  float goal[PQN_BATCH], q[PQN_BATCH * ACTIONS], next[PQN_BATCH * ACTIONS], d[PQN_BATCH * ACTIONS];
} measuring;

static void keep_best(double *best, double time) {
  if (*best == 0 || time < *best) *best = time;
}

static void subject_destroy(subject *s) {
  nn_optimizer_destroy(&s->optimizer);
  nn_block_destroy(s->online);
  nn_block_destroy(s->target);
  nn_destroy(s->net);
}

static sixer_err subject_create(subject *s, const nn_spec *spec, const nn_options *options,
                                sixer_error *error) {
  sixer_err err = nn_create(spec, options, &s->net, error);
  if (!err) err = nn_optimizer_create(s->net, &s->optimizer, error);
  if (err) return err;
  s->online = nn_block_create(s->net);
  s->target = nn_block_create(s->net);
  if (!s->online || !s->target)
    return sixer_fail(error, SIXER_ERR_MEMORY, "no memory for the networks to measure");
  nn_initialize(s->net, s->online, 1);
  nn_initialize(s->net, s->target, 2);
  return SIXER_OK;
}

static void round_of(measuring *m, subject *dqn, subject *pqn, sixer_network_figures *f) {
  double begin = os_thread_seconds();
  double operations = (double)nn_peak(nn_net_set(dqn->net), PEAK_STEPS);
  double rate = operations / (os_thread_seconds() - begin);
  if (rate > f->peak) f->peak = rate;

  begin = m->clock();
  nn_forward(dqn->net, dqn->target, NULL, m->states + DQN_BATCH, DQN_BATCH, NULL, 0, m->next,
             false);
  nn_forward(dqn->net, dqn->online, NULL, m->states, DQN_BATCH, NULL, 0, m->q, true);
  for (int b = 0; b < DQN_BATCH; b++) {
    float best = m->next[b * ACTIONS];
    for (int a = 1; a < ACTIONS; a++)
      best = m->next[b * ACTIONS + a] > best ? m->next[b * ACTIONS + a] : best;
    m->goal[b] = 0.99f * best;
  }
  nn_loss_huber(m->q, DQN_BATCH, ACTIONS, m->action, m->goal, NULL, 1.0f / DQN_BATCH, NULL, m->d);
  nn_update(dqn->net, &dqn->optimizer, dqn->online, NULL, m->d);
  keep_best(&f->dqn_update, m->clock() - begin);

  begin = m->clock();
  nn_forward(pqn->net, pqn->online, NULL, m->states, PQN_BATCH, NULL, 0, m->q, true);
  nn_loss_squared(m->q, PQN_BATCH, ACTIONS, m->action, m->goal, NULL, 1.0f / PQN_BATCH, NULL, m->d);
  nn_update(pqn->net, &pqn->optimizer, pqn->online, NULL, m->d);
  keep_best(&f->pqn_update, m->clock() - begin);

  begin = m->clock();
  nn_forward(dqn->net, dqn->online, NULL, m->states, PQN_BATCH, NULL, 0, m->q, false);
  keep_best(&f->forward_128, m->clock() - begin);
  for (int i = 0; i < 8; i++) {
    begin = m->clock();
    nn_forward(dqn->net, dqn->online, NULL, m->states + i, 1, NULL, 0, m->q, false);
    keep_best(&f->act, m->clock() - begin);
  }
}

sixer_err sixer_network_measure(const char *kernels, int threads, int rounds,
                                sixer_network_figures *figures, sixer_error *error) {
  nn_set set = kernels ? nn_set_by_name(kernels) : NN_SET_BEST;
  if (kernels && (set == NN_SET_BEST || set == NN_SET_REFERENCE || !nn_set_works(set)))
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "this processor cannot run the kernels '%s'; try avx512, avx2, neon or plain",
                      kernels);
  if (threads < 0 || rounds < 1)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "threads must be 0 or more and rounds 1 or more");
  nn_spec dqn_spec = nn_spec_dqn(ACTIONS), pqn_spec = dqn_spec;
  pqn_spec.norm = NN_NORM_CHANNELS;
  nn_options options = {.max_batch = PQN_BATCH, .threads = threads, .set = set};
  subject dqn = {
      .optimizer = {
          .kind = NN_ADAM, .rate = 6.25e-5, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1.5e-4}};
  subject pqn = {.optimizer = {.kind = NN_RADAM,
                               .rate = 2.5e-4,
                               .beta1 = 0.9,
                               .beta2 = 0.999,
                               .epsilon = 1e-8,
                               .max_norm = 10}};
  sixer_err err = subject_create(&dqn, &dqn_spec, &options, error);
  if (!err) err = subject_create(&pqn, &pqn_spec, &options, error);
  measuring *m = calloc(1, sizeof *m);
  if (m) m->pixels = malloc((size_t)2 * PQN_BATCH * SIZE);
  if (!err && (!m || !m->pixels))
    err = sixer_fail(error, SIXER_ERR_MEMORY, "no memory for the states to measure with");
  if (!err) {
    double first, products = nn_products(&dqn_spec, &first);
    sixer_network_figures f = {.dqn_work = 2 * DQN_BATCH * (4 * products - first),
                               .pqn_work = 2 * PQN_BATCH * (3 * products - first)};
    snprintf(f.kernels, sizeof f.kernels, "%s", nn_set_name(nn_net_set(dqn.net)));
    m->clock = threads == 1 ? os_thread_seconds : os_seconds;
    uint64_t random = 1;
    for (size_t i = 0; i < (size_t)2 * PQN_BATCH * SIZE; i++)
      m->pixels[i] = (uint8_t)random_next(&random);
    for (int b = 0; b < 2 * PQN_BATCH; b++) m->states[b] = m->pixels + (size_t)b * SIZE;
    for (int b = 0; b < PQN_BATCH; b++) m->action[b] = random_below(&random, ACTIONS);
    for (int i = 0; i < rounds; i++) round_of(m, &dqn, &pqn, &f);
    *figures = f;
  }
  subject_destroy(&dqn);
  subject_destroy(&pqn);
  if (m) free(m->pixels);
  free(m);
  return err;
}
