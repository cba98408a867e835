/* The weights of a linear learner and their eligibility traces; internal to src/agents/linear.
 *
 * Q(s, a) is the sum of the weights w[f][a] of the features f that are active in s. After each step, every weight with
 * a trace e changes by alpha * delta * e. A trace is set when its feature is active and its action taken, and decays by
 * gamma * lambda per step until it is cut off.
 *
 * Traces are not stored one by one. All features that are active at step s get the trace 1 for the action taken then,
 * so their traces are equal for life: a cohort. For each step s one number is kept, A[s] = sum over t >= s of
 * alpha_t * delta_t * (gamma * lambda)^(t - s): what the weights of that cohort have changed by. A feature has a mask
 * of the cohorts it still belongs to, one bit per age, at most one cohort per action. Its weight for action a is
 * w[f][a] + A[s], s being the cohort of that action. A[s] is added to w[f][a], once, when its value is final or the
 * feature leaves the cohort because a younger trace replaces it. So a step costs one pass over the active features
 * and `window` additions, whereas there may be a hundred thousand traces.
 *
 *     bit k of the mask, after a visit at step `now`: the feature belongs to cohort now - k
 *     cohort s receives its last update at step s + window - 1; from step s + window + 1 on, A[s] is final
 *
 * The eager form stores a trace per weight and a list of those that are not zero. It is needed for accumulating traces
 * and for windows that do not fit into the mask, and it is the reference of the tests.
 *
 * Memory: a record per feature, in address space that was reserved for all ids; records that were never visited are
 * zero and take no memory. Steps are counted from 1; before the counter has used up its bits, compact() settles every
 * final cohort and renumbers. Settling a final cohort early or late is the same single addition to the same weight, so
 * results do not depend on when that happens. */
#ifndef SIXER_AGENTS_LINEAR_WEIGHTS_H
#define SIXER_AGENTS_LINEAR_WEIGHTS_H

#include "agents/linear/features.h"
#include "util/region.h"

enum {
  WEIGHTS_LANES = SIXER_ACTION_COUNT,
  WEIGHTS_STEP_BITS = 18,                     /* of the word before the weights of a record */
  WEIGHTS_MASK_BITS = 64 - WEIGHTS_STEP_BITS, /* the rest of it: the mask */
  WEIGHTS_WINDOW = WEIGHTS_MASK_BITS - 1,     /* longest life of a trace that can be lazy */
  WEIGHTS_FLUSH = 255 /* so many floats are summed before the sum is added to a double */
};

/* A listed trace of the eager form. */
typedef struct weights_trace {
  uint32_t id, lane;
} weights_trace;

typedef enum weights_set { WEIGHTS_PLAIN, WEIGHTS_AVX2, WEIGHTS_AVX512, WEIGHTS_BEST } weights_set;

typedef struct weights_settings {
  double decay;  /* gamma * lambda */
  double cutoff; /* traces below it are zero */
  float initial; /* value of a weight that was never updated */
  bool eager;
  bool accumulate;  /* traces grow by 1 instead of becoming 1; eager only */
  bool clear_other; /* a visit clears the traces of the actions that were not taken */
  bool counts;      /* a feature that is listed several times counts as often in Q */
  bool numbered;    /* ids are given in order, without gaps */
  uint32_t max_count;
  uint32_t period; /* steps between compactions; 0: as many as fit. For tests */
  weights_set set;
} weights_settings;

typedef struct weights weights;
typedef void weights_visit_kernel(weights *w, const feature_list *raw);

struct weights {
  weights_settings settings;
  int lanes;     /* actions */
  int window;    /* steps in which a trace is not zero */
  size_t stride; /* bytes of a record: step and mask, weights, traces if they are eager */
  region records;
  uint32_t count;   /* ids below it have records */
  uint32_t visited; /* records that were ever visited */
  weights_visit_kernel *kernel;

  /* the state that was visited last */
  feature_list phi;
  const feature_list *raw; /* the caller's list, with repetitions */
  double q[WEIGHTS_LANES];
  int cohorts[64]; /* how many features of phi belong to the cohort of each age */

  /* cohorts */
  double decay[64];                  /* (gamma * lambda)^k for k < window, then 0 */
  uint32_t now;                      /* step of the last visit */
  uint32_t first;                    /* step of the first visit in this episode */
  uint32_t limit;                    /* value of `now` at which compact() is due */
  double *sum;                       /* by step s: A[s] */
  uint8_t *lane;                     /* by step s: position of the action that was taken */
  uint64_t lane_mask[WEIGHTS_LANES]; /* ages of the cohorts of an action */
  bool taken;                        /* was an action taken in the state visited last? */

  weights_trace *traces; /* eager form: the traces that are not zero */
  size_t trace_count, trace_capacity;
};

/* Steps in which a trace of 1 at the first is not below `cutoff`. */
int weights_window(double decay, double cutoff);

sixer_err weights_create(weights *w, const weights_settings *settings, int lanes,
                         sixer_error *error);
void weights_destroy(weights *w); /* a struct of zeros is allowed */

/* The ids below `count` may be visited from now on. */
bool weights_grow(weights *w, uint32_t count);

/* All traces end; the next visit begins an episode. */
void weights_begin(weights *w);

/* Visit the next state, whose active features are listed: phi becomes the list without repetitions, q the values of
 * all actions. The list must stay as it is until the next visit. False: no memory. */
bool weights_visit(weights *w, const feature_list *raw);

/* In the state visited last, the action of `lane` is taken: its traces are set. Once per state; more calls do
 * nothing. */
bool weights_take(weights *w, int lane);

/* Change the weights by `change` (alpha * delta) times the traces as they were after weights_take(). The values q of
 * the state visited since then, if `visited`, follow. */
void weights_update(weights *w, double change, bool visited);

/* Add what is final to the weights and start counting steps from 1 again. */
void weights_compact(weights *w);

/* Forget the records of the ids from `count` on. */
void weights_forget(weights *w, uint32_t count);

/* The weight of a feature for an action, with what its cohort has not added to it yet. */
float weights_value(const weights *w, uint32_t id, int lane);

size_t weights_memory(const weights *w);

/* Section "agent.weights". The features and their count are loaded first. */
void weights_save(const weights *w, sections_writer *out);
sixer_err weights_load(weights *w, sections_reader *in, sixer_error *error);

/* ---- Records, for visit.c and tests ---------------------------------------------------------------------------- */

static inline uint8_t *weights_record(const weights *w, uint32_t id) {
  return w->records.data + (size_t)id * w->stride;
}
static inline uint64_t *record_meta(uint8_t *record) { return (uint64_t *)record; }
static inline float *record_weights(uint8_t *record) { return (float *)(record + 8); }

static inline uint32_t meta_step(uint64_t meta) {
  return (uint32_t)(meta & ((1u << WEIGHTS_STEP_BITS) - 1));
}
static inline uint64_t meta_mask(uint64_t meta) { return meta >> WEIGHTS_STEP_BITS; }
static inline uint64_t meta_make(uint64_t mask, uint32_t step) {
  return mask << WEIGHTS_STEP_BITS | step;
}

/* visit.c: the kernels by instruction set. */
bool weights_set_works(weights_set set);
weights_visit_kernel *weights_kernel(weights_set set, int lanes);

#endif
