/* The emulator as a model: a second env that planners load with a state and step from there, usually without drawing
 * pictures.
 *
 * If the settings have randomness (sticky actions, random frame skips and others), the model uses random numbers of its
 * own. It never reads the generators of the env that is played, so a planner cannot predict them. It does use what an
 * agent can see: the last action that was executed.
 *
 * In a game for several players the model acts for one of them and takes the rewards of that one; the others are taken
 * to do nothing. A snapshot then has what such envs remember besides.
 *
 * A step is a function of the state, the action and the seed. So a state that was not stored can be recomputed by
 * repeating the steps, and the result does not depend on which thread makes a step. */
#ifndef SIXER_AGENTS_PLANNING_MODEL_H
#define SIXER_AGENTS_PLANNING_MODEL_H

#include "sixer/sixer.h"

typedef struct model {
  sixer_env *env;
  sixer_config played; /* settings of the env that is modeled */
  bool random;         /* steps use random numbers: call model_seed() before each */
  int draws;           /* most numbers that a step takes from the env's generator */
  size_t size;         /* bytes of a snapshot */
  int player;          /* whose actions are planned, from 0 on */
  int64_t frames;      /* emulated so far */
  double seconds;      /* spent on these frames */
} model;

typedef struct outcome {
  int32_t reward;
  uint16_t frames;
  bool over;
} outcome;

/* Create a model of `env` for one of its players, from 0 on. `picture`: the model draws pictures. */
sixer_err model_create(model *m, const sixer_env *env, int player, bool picture,
                       sixer_error *error);
void model_destroy(model *m);

/* Does the model have the rom and the settings of this env? */
bool model_fits(const model *m, const sixer_env *env);

/* Copy the state of an env into a snapshot of model.size bytes. Without randomness the last executed action is set to
 * zero: the future does not depend on it, and two actions with the same effect then give equal bytes. */
void model_take(const model *m, const sixer_env *env, void *snapshot);
void model_load(model *m, const void *snapshot);

/* Seed the random numbers of the next step. Sticky actions will repeat the last executed action. Does nothing if steps
 * have no randomness. */
void model_seed(model *m, uint64_t seed);

outcome model_step(model *m, int action);

double model_clock(void); /* seconds, monotonic */

#endif
