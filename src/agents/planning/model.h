/* The emulator as a model: an env without pictures that is put into any state and steps from there.
 *
 * Under sticky actions and the other randomness of the env's settings the model draws for itself: it never sees the
 * generators of the env that is played. What it does know is what an agent can see, the action that was executed last.
 * Each step from a given state with a given seed has one outcome, so that a state that was not kept can be had again,
 * and so that it does not matter which thread makes the step. */
#ifndef SIXER_AGENTS_PLANNING_MODEL_H
#define SIXER_AGENTS_PLANNING_MODEL_H

#include "sixer/sixer.h"

typedef struct model {
  sixer_env *env;
  sixer_config played; /* settings of the env that is modeled */
  bool random;         /* steps draw; seeds matter */
  int draws;           /* of the env's generator in a step, at most */
  size_t size;         /* of a snapshot */
  int64_t frames;      /* emulated so far ... */
  double seconds;      /* ... and the time it took */
} model;

typedef struct outcome {
  int32_t reward;
  uint16_t frames;
  bool over;
} outcome;

/* A model of `env`; with `picture` it draws. */
sixer_err model_create(model *m, const sixer_env *env, bool picture, sixer_error *error);
void model_destroy(model *m);

/* Is it a model of envs like this one? */
bool model_fits(const model *m, const sixer_env *env);

/* The state of an env as a snapshot of model.size bytes. Without randomness the last action is left out, because the
 * future does not depend on it: states that two actions lead to can then be equal. */
void model_take(const model *m, const sixer_env *env, void *snapshot);
void model_load(model *m, const void *snapshot);

/* Seed the model's own draws for the next step, and take the action executed last for what sticks; without effect if
 * there are no draws. */
void model_seed(model *m, uint64_t seed);

outcome model_step(model *m, int action);

double model_clock(void); /* seconds, monotonic */

#endif
