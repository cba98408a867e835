/* Learning the distribution of returns as probabilities of fixed values. See categorical.h.
 *
 *     p(s, a)    probabilities of the values z_0 .. z_50, a softmax of the network's outputs; Q is their mean
 *     a*         = argmax_a Q(s', a), by the target network, or by the online network ("double")
 *     target     the distribution of R + gamma^n z under p_target(s', a*), projected onto the values z
 *     loss       cross-entropy of p(s, a) and the target
 *
 * R is the discounted sum of n rewards; s' is the state n steps later. With noisy layers (Fortunato et al. 2018) each
 * of the passes draws its own noise, one sample for the whole batch. */
#include "agents/deep/categorical.h"

static nn_support support_of(const deep *d) {
  return (nn_support){
      .atoms = (int)d->o.atoms, .low = (float)-d->o.v_max, .high = (float)d->o.v_max};
}

static void describe(const deep *d, nn_spec *spec) { spec->atoms = (int)d->o.atoms; }

static void values(deep *d, const float *block, const float *noise, const uint8_t *const *states,
                   int count, deep_stream taus, uint64_t index, float *q) {
  (void)taus;
  (void)index;
  nn_support support = support_of(d);
  nn_forward(d->net, block, noise, states, count, NULL, 0, d->outputs, false);
  nn_categorical_values(&support, d->outputs, (size_t)(count * d->action_count), q);
}

static const float *loss(deep *d) {
  const replay_batch *b = d->batch;
  const nn_support support = support_of(d);
  const int count = b->count, actions = d->action_count, atoms = support.atoms;
  const uint8_t *const *next_states = (const uint8_t *const *)b->next_states;
  const uint64_t update = (uint64_t)d->updates;

  /* the action that the next state is evaluated for */
  if (d->o.twice)
    values(d, d->online, deep_noise(d, 0, DEEP_NOISE_CHOICE, update), next_states, count, 0, 0,
           d->q);
  nn_forward(d->net, d->target, deep_noise(d, 1, DEEP_NOISE_TARGET, update), next_states, count,
             NULL, 0, d->next_outputs, false);
  if (!d->o.twice)
    nn_categorical_values(&support, d->next_outputs, (size_t)(count * actions), d->q);

  /* its distribution, one step back */
  for (int i = 0; i < count; i++) {
    int best = deep_argmax(d->q + i * actions, actions);
    float *p = d->next_outputs + (size_t)(i * actions + best) * (size_t)atoms;
    nn_softmax(p, atoms, p);
    nn_project(&support, p, b->rewards[i], b->discounts[i], d->targets + (size_t)(i * atoms));
  }

  const float *noise = deep_noise(d, 2, DEEP_NOISE_ONLINE, update);
  nn_forward(d->net, d->online, noise, (const uint8_t *const *)b->states, count, NULL, 0,
             d->outputs, true);
  nn_loss_categorical(d->outputs, count, actions, atoms, b->actions, d->targets, d->weights,
                      1.0f / (float)count, d->losses, d->d_outputs);
  return noise;
}

static void distribution(deep *d, const uint8_t *state) {
  const nn_support support = support_of(d);
  const uint8_t *const states[] = {state};
  nn_forward(d->net, d->online, NULL, states, 1, NULL, 0, d->outputs, false);
  for (int a = 0; a < d->action_count; a++)
    nn_softmax(d->outputs + a * support.atoms, support.atoms, d->points + a * support.atoms);
  for (int i = 0; i < support.atoms; i++) d->points_at[i] = nn_support_value(&support, i);
}

static int points(const deep *d) { return (int)d->o.atoms; }

const deep_method categorical_method = {.describe = describe,
                                        .values = values,
                                        .loss = loss,
                                        .distribution = distribution,
                                        .points = points,
                                        .kind = SIXER_DISTRIBUTION_ATOMS};
