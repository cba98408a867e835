/* What DQN and its descendants share: looking, exploring, replay memory, schedule, target network, checkpoints.
 *
 *     step t:    see the frame, choose an action (epsilon-greedily, or with a noisy network), play it
 *     learn:     store frame, action, clipped reward and end in the replay memory; t = t + 1
 *                if t >= start and t is a multiple of `period`: one update from a batch of the memory
 *                if t is a multiple of `target_period`: copy the network to the target network
 *
 * What differs between agents is a deep_method: the network, the values of actions that it predicts, and the loss of a
 * batch. Each agent's file has its method, its options with the values of its paper, and its presets.
 *
 * Everything is a function of settings and seed. The schedule counts steps, never time. Random numbers are functions of
 * (seed, stream, index): no draw depends on how many there were before it. So a run that was stopped and resumed is the
 * same to the byte, with any number of threads. */
#ifndef SIXER_AGENTS_DEEP_LEARNER_H
#define SIXER_AGENTS_DEEP_LEARNER_H

#include "agents/agent.h"
#include "agents/deep/observe.h"
#include "agents/deep/replay.h"
#include "nn/nn.h"

enum { DEEP_STACK = 4 }; /* frames of a state: Mnih et al. 2015 */

/* Streams of random numbers. The numbers are part of what a seed means: never change them. */
typedef enum deep_stream {
  DEEP_WEIGHTS,      /* start parameters */
  DEEP_ACT,          /* exploration in training, two numbers per step */
  DEEP_PLAY,         /* and in evaluation */
  DEEP_BATCH,        /* samples of the replay memory */
  DEEP_NOISE_ACT,    /* of noisy networks: acting, */
  DEEP_NOISE_PLAY,   /* acting in evaluation, */
  DEEP_NOISE_ONLINE, /* the states of a batch, */
  DEEP_NOISE_CHOICE, /* choosing the actions of its next states, */
  DEEP_NOISE_TARGET, /* evaluating them */
  DEEP_TAUS_ACT,     /* of quantile networks, likewise */
  DEEP_TAUS_PLAY,
  DEEP_TAUS_ONLINE,
  DEEP_TAUS_CHOICE,
  DEEP_TAUS_TARGET
} deep_stream;

typedef enum deep_trunk { TRUNK_NATURE, TRUNK_SMALL, TRUNK_QUICK } deep_trunk;
typedef enum deep_padding { PADDING_NONE, PADDING_ONE, PADDING_SAME } deep_padding;
typedef enum deep_optimizer { DEEP_ADAM, DEEP_ADAM_TF, DEEP_RMSPROP, DEEP_RADAM } deep_optimizer;
typedef enum deep_loss { LOSS_HUBER, LOSS_SQUARED } deep_loss;

/* The options of all agents; an agent's table names those that it has, and leaves the others zero. */
typedef struct deep_options {
  /* what it sees */
  int64_t size; /* rows and columns of a frame */
  int resize, pool;
  bool clip_rewards;
  /* the network */
  int trunk, padding, init;
  int64_t hidden;
  bool dueling;
  double sigma0; /* of noisy layers; 0: they are plain */
  int sigma_bias;
  int64_t atoms;
  double v_max;
  int64_t cosines, taus, target_taus, choice_taus;
  /* the schedule, in steps */
  int64_t memory, start, period, target_period, batch;
  /* the target */
  double gamma;
  int64_t n;
  bool twice; /* double Q-learning */
  int loss;
  /* the optimizer */
  int optimizer;
  double rate, decay, rate_epsilon, max_norm;
  /* exploration */
  double epsilon_start, epsilon, epsilon_evaluation;
  int64_t epsilon_steps;
  int64_t noise_period; /* steps that act with the same noise */
  bool noise_evaluation;
  /* priorities */
  double omega; /* 0: uniform */
  double beta_start, beta;
  int64_t beta_steps;
  int invalid;
  /* of PQN, which has no memory: environments, steps of each between two updates, passes over them, and the rest */
  int64_t envs, rollout, epochs;
  double lambda;
  int norm;
} deep_options;

typedef struct deep deep;

typedef struct deep_method {
  /* Complete the description of the network; what the options say of all networks is filled in. NULL: nothing to add.
   * */
  void (*describe)(const deep *d, nn_spec *spec);
  /* Values of all actions in `count` states, q[count][actions], by these parameters. `taus` and `index` say which
   * quantile samples are drawn. */
  void (*values)(deep *d, const float *block, const float *noise, const uint8_t *const *states,
                 int count, deep_stream taus, uint64_t index, float *q);
  /* The loss of d->batch: fill d->losses (of each sample) and d->d_outputs (the derivative of the weighted mean by the
   * outputs of the pass over the states, which must be the last with `keep`). Returns the noise of that pass. */
  const float *(*loss)(deep *d);
  /* The predicted distribution of the return in a state, into d->points (by action) and d->points_at, d->point_count
   * numbers each; and how many that is for these options. NULL: the network predicts values only. */
  void (*distribution)(deep *d, const uint8_t *state);
  int (*points)(const deep *d);
  sixer_distribution kind;
} deep_method;

/* Where batches come from if not from the replay memory. draw: *batch becomes the next one, and the one that it was is
 * the source's again; false if there is none. set: the priorities of its samples. */
typedef struct deep_source deep_source;
struct deep_source {
  bool (*draw)(deep_source *source, replay_batch **batch);
  void (*set)(deep_source *source, const replay_batch *batch, const double *priorities);
};

struct deep {
  sixer_agent base; /* its generator is never advanced: it is the seed */
  deep_options o;
  const deep_method *method;
  observer *observer;
  /* Of the learner of Ape-X: slices of its memory, one per actor. Its steps are counted apart from those in the memory.
   * 0 in all other agents. */
  int slices;
  bool remote;         /* its memory is in a server, and the one here has hardly any room */
  deep_source *source; /* NULL: the replay memory */

  /* made for the list of actions at the first choice */
  bool bound;
  int actions[SIXER_ACTION_COUNT], action_count;
  nn_net *net;
  float *online, *target; /* parameters; no target in an agent without memory, or that only plays */
  float *composed;        /* parameters with noise, to act with; NULL if the network is not noisy */
  nn_optimizer optimizer;
  replay *replay; /* NULL in an agent that only plays, or that learns from what it just played */
  replay_batch *batch;
  /* of a batch: outputs of the network for states and next states, and what is computed from them */
  float *outputs, *next_outputs, *d_outputs, *q, *targets, *losses, *weights, *taus, *next_taus;
  float *noise[3];
  double *priorities;
  float *points, *points_at; /* see sixer_agent_view; NULL without distribution */
  int point_count;

  /* what was learned, beside parameters and memory */
  int64_t steps, updates;
  int64_t refilled;   /* step at which the memory was empty, because it was not saved; 0 at first */
  int64_t played;     /* choices made in evaluation */
  double loss, value; /* running means, to be shown */

  /* the state before which it stands */
  bool first;  /* no step of this episode was stored yet */
  bool seen;   /* the newest frame of the stack is the env at these frames */
  bool chosen; /* `lane` was chosen for it */
  int64_t seen_frames;
  int seen_episode_frames;
  int lane; /* position of the action in the list */
  double last_epsilon;
  /* the noise that `composed` is made with, and the updates that went before; -1: none */
  int64_t composed_index, composed_updates;
  uint8_t *stack; /* DEEP_STACK frames, oldest first */
};

/* ---- The hooks of an agent_class ------------------------------------------------------------------------------- */

sixer_err deep_create(sixer_agent *agent, const deep_method *method, sixer_error *error);
void deep_destroy(sixer_agent *agent);
void deep_prepare(const sixer_agent *agent, sixer_config *config);
sixer_err deep_bind_agent(sixer_agent *agent, sixer_list actions, sixer_error *error);
sixer_err deep_act(sixer_agent *agent, sixer_env *env, sixer_list actions, int *action,
                   sixer_error *error);
void deep_reset(sixer_agent *agent);
void deep_evaluate(sixer_agent *agent);
sixer_err deep_learn(sixer_agent *agent, sixer_env *env, const sixer_result *result,
                     sixer_error *error);
sixer_agent_progress deep_learned(const sixer_agent *agent);
sixer_err deep_look(sixer_agent *agent, sixer_env *env, sixer_list actions, sixer_agent_view *view,
                    sixer_error *error);
sixer_err deep_saliency(sixer_agent *agent, sixer_env *env, sixer_list actions, int cells,
                        float *map, sixer_error *error);
int deep_repeat(sixer_agent *agent);
sixer_err deep_save(const sixer_agent *agent, sections_writer *out, sixer_error *error);
sixer_err deep_load(sixer_agent *agent, sixer_env *env, sections_reader *in, sixer_error *error);

#define DEEP_HOOKS                                                                            \
  .size = sizeof(deep), .act = deep_act, .reset = deep_reset, .prepare = deep_prepare,        \
  .bind = deep_bind_agent, .learn = deep_learn, .learned = deep_learned, .look = deep_look,   \
  .saliency = deep_saliency, .evaluate = deep_evaluate, .save = deep_save, .load = deep_load, \
  .repeat = deep_repeat, .destroy = deep_destroy

/* ---- For methods ----------------------------------------------------------------------------------------------- */

/* The seed of a stream, and number `index` of it: 64 random bits. */
uint64_t deep_stream_seed(const deep *d, deep_stream stream);
uint64_t deep_random(const deep *d, deep_stream stream, uint64_t index);

/* Noise for pass `index` of a stream, drawn into d->noise[which]; NULL if the network is not noisy. */
const float *deep_noise(deep *d, int which, deep_stream stream, uint64_t index);

/* `count` quantile samples for each of `batch` states, uniform between 0 and 1: taus[batch][stride], the first `count`
 * of each row. */
void deep_draw_taus(const deep *d, deep_stream stream, uint64_t index, int batch, int count,
                    int stride, float *taus);

/* The probability of exploring in the next choice. */
double deep_epsilon(const deep *d);

/* The first of the largest values. */
int deep_argmax(const float *values, int count);

/* Be ready to choose: have a network, and see the env as it stands in d->stack. */
sixer_err deep_stand_before(deep *d, sixer_env *env, sixer_list actions, sixer_error *error);

/* Make everything for a list of actions: done at the first choice. Tests call it to have a learner without a game. */
sixer_err deep_bind(deep *d, sixer_list actions, sixer_error *error);

/* As after creation. */
void deep_unlearn(deep *d);

/* The priority of a transition with this loss. */
double deep_priority(const deep *d, float loss);

/* One update from the replay memory. */
sixer_err deep_update(deep *d, sixer_error *error);

/* ---- Options of all agents ------------------------------------------------------------------------------------- */

/* Rows of an agent's table of options, by topic. Arguments are default values, as texts. */
#define DEEP_FIELD(name) offsetof(deep, o.name)

#define DEEP_OBSERVATION                                                                    \
  {"size", AGENT_INT, DEEP_FIELD(size), "84", 20, 84, NULL, "rows and columns of a frame"}, \
      {"resize",                                                                            \
       AGENT_CHOICE,                                                                        \
       DEEP_FIELD(resize),                                                                  \
       "area",                                                                              \
       0,                                                                                   \
       0,                                                                                   \
       "area|bilinear",                                                                     \
       "how the screen is made small"},                                                     \
      {"pool",                                                                              \
       AGENT_CHOICE,                                                                        \
       DEEP_FIELD(pool),                                                                    \
       "gray",                                                                              \
       0,                                                                                   \
       0,                                                                                   \
       "gray|rgb|small",                                                                    \
       "the maximum of two frames is taken of gray, of colors, or of small frames"},        \
  {                                                                                         \
    "clip_rewards", AGENT_FLAG, DEEP_FIELD(clip_rewards), "1", 0, 0, NULL,                  \
        "rewards count as -1, 0 or 1"                                                       \
  }

#define DEEP_NETWORK(TRUNK, HIDDEN, INIT)                                                      \
  {"trunk",                                                                                    \
   AGENT_CHOICE,                                                                               \
   DEEP_FIELD(trunk),                                                                          \
   TRUNK,                                                                                      \
   0,                                                                                          \
   0,                                                                                          \
   "nature|small|quick",                                                                       \
   "convolutions: those of 2015, two of DER (2019), two tiny ones"},                           \
      {"padding",                                                                              \
       AGENT_CHOICE,                                                                           \
       DEEP_FIELD(padding),                                                                    \
       "none",                                                                                 \
       0,                                                                                      \
       0,                                                                                      \
       "none|one|same",                                                                        \
       "zeros around pictures: none, one row and column before the first convolution, or all " \
       "that keep the size (Dopamine)"},                                                       \
      {"hidden",                                                                               \
       AGENT_INT,                                                                              \
       DEEP_FIELD(hidden),                                                                     \
       HIDDEN,                                                                                 \
       16,                                                                                     \
       4096,                                                                                   \
       NULL,                                                                                   \
       "units of the hidden layer, or of each stream; a multiple of 16"},                      \
  {                                                                                            \
    "init", AGENT_CHOICE, DEEP_FIELD(init), INIT, 0, 0, "torch|xavier|scaling|he",             \
        "how parameters start"                                                                 \
  }

#define DEEP_SCHEDULE(MEMORY, START, PERIOD, BATCH, TARGET_PERIOD)                                   \
  {"memory",                                                                                         \
   AGENT_INT,                                                                                        \
   DEEP_FIELD(memory),                                                                               \
   MEMORY,                                                                                           \
   100,                                                                                              \
   100e6,                                                                                            \
   NULL,                                                                                             \
   "steps that the replay memory holds"},                                                            \
      {"start", AGENT_INT, DEEP_FIELD(start), START, 1, 1e9, NULL, "steps before the first update"}, \
      {"period", AGENT_INT, DEEP_FIELD(period), PERIOD, 1, 1e6, NULL, "steps between updates"},      \
      {"batch",          AGENT_INT, DEEP_FIELD(batch),         BATCH, 1,                             \
       REPLAY_BATCH_MAX, NULL,      "transitions of an update"},                                     \
  {                                                                                                  \
    "target_period", AGENT_INT, DEEP_FIELD(target_period), TARGET_PERIOD, 1, 1e9, NULL,              \
        "steps between copies to the target network"                                                 \
  }

#define DEEP_TARGET(N, DOUBLE)                                                                  \
  {"gamma", AGENT_REAL, DEEP_FIELD(gamma), "0.99", 0, 1, NULL, "discount per step"},            \
      {"n", AGENT_INT, DEEP_FIELD(n), N, 1, REPLAY_N_MAX, NULL, "steps until the bootstrap"}, { \
    "double", AGENT_FLAG, DEEP_FIELD(twice), DOUBLE, 0, 0, NULL,                                \
        "the online network chooses the action that the target network evaluates"               \
  }

#define DEEP_OPTIMIZERS "adam|adam-tf|rmsprop|radam"
#define DEEP_OPTIMIZERS_HELP \
  "adam; adam-tf adds epsilon before the bias correction; centered RMSProp; rectified Adam"
#define DEEP_OPTIMIZER(KIND, RATE, EPSILON)                                                         \
  {"optimizer", AGENT_CHOICE,    DEEP_FIELD(optimizer), KIND, 0,                                    \
   0,           DEEP_OPTIMIZERS, DEEP_OPTIMIZERS_HELP},                                             \
      {"rate", AGENT_REAL, DEEP_FIELD(rate), RATE, 1e-12, 1, NULL, "learning rate"},                \
      {"rate_epsilon",                                                                              \
       AGENT_REAL,                                                                                  \
       DEEP_FIELD(rate_epsilon),                                                                    \
       EPSILON,                                                                                     \
       0,                                                                                           \
       1,                                                                                           \
       NULL,                                                                                        \
       "added to the root of squared gradients (rmsprop: below the root)"},                         \
      {"decay", AGENT_REAL, DEEP_FIELD(decay), "0.95", 0, 0.9999, NULL, "of the means of rmsprop"}, \
  {                                                                                                 \
    "max_norm", AGENT_REAL, DEEP_FIELD(max_norm), "0", 0, 1e6, NULL,                                \
        "longer gradients are shortened to this norm; 0: none are"                                  \
  }

#define DEEP_EXPLORATION(START, FINAL, STEPS, EVALUATION)                                     \
  {"epsilon_start",                                                                           \
   AGENT_REAL,                                                                                \
   DEEP_FIELD(epsilon_start),                                                                 \
   START,                                                                                     \
   0,                                                                                         \
   1,                                                                                         \
   NULL,                                                                                      \
   "probability of a uniformly drawn action before the first update"},                        \
      {"epsilon", AGENT_REAL, DEEP_FIELD(epsilon), FINAL, 0, 1, NULL, "and in the end"},      \
      {"epsilon_steps",                                                                       \
       AGENT_INT,                                                                             \
       DEEP_FIELD(epsilon_steps),                                                             \
       STEPS,                                                                                 \
       0,                                                                                     \
       1e10,                                                                                  \
       NULL,                                                                                  \
       "steps from the first update until then"},                                             \
  {                                                                                           \
    "epsilon_evaluation", AGENT_REAL, DEEP_FIELD(epsilon_evaluation), EVALUATION, 0, 1, NULL, \
        "and when it is evaluated"                                                            \
  }

#define DEEP_NOISE(SIGMA0, BIAS, PERIOD, EVALUATION)                                      \
  {"sigma0",                                                                              \
   AGENT_REAL,                                                                            \
   DEEP_FIELD(sigma0),                                                                    \
   SIGMA0,                                                                                \
   0,                                                                                     \
   10,                                                                                    \
   NULL,                                                                                  \
   "start of the noise of noisy layers; 0: plain layers"},                                \
      {"sigma_bias",                                                                      \
       AGENT_CHOICE,                                                                      \
       DEEP_FIELD(sigma_bias),                                                            \
       BIAS,                                                                              \
       0,                                                                                 \
       0,                                                                                 \
       "inputs|outputs",                                                                  \
       "the noise of biases starts at sigma0 / sqrt(inputs or outputs of the layer)"},    \
      {"noise_period",                                                                    \
       AGENT_INT,                                                                         \
       DEEP_FIELD(noise_period),                                                          \
       PERIOD,                                                                            \
       1,                                                                                 \
       1e6,                                                                               \
       NULL,                                                                              \
       "steps that act with the same noise"},                                             \
  {                                                                                       \
    "noise_evaluation", AGENT_FLAG, DEEP_FIELD(noise_evaluation), EVALUATION, 0, 0, NULL, \
        "act with noise when it is evaluated, too"                                        \
  }

#define DEEP_PRIORITIES(OMEGA, BETA_START, BETA, STEPS, INVALID)                  \
  {"omega",                                                                       \
   AGENT_REAL,                                                                    \
   DEEP_FIELD(omega),                                                             \
   OMEGA,                                                                         \
   0,                                                                             \
   1,                                                                             \
   NULL,                                                                          \
   "priority of a transition: its loss to this power; 0: all equal"},             \
      {"beta_start",                                                              \
       AGENT_REAL,                                                                \
       DEEP_FIELD(beta_start),                                                    \
       BETA_START,                                                                \
       0,                                                                         \
       1,                                                                         \
       NULL,                                                                      \
       "exponent that corrects losses for priorities, at the first update"},      \
      {"beta", AGENT_REAL, DEEP_FIELD(beta), BETA, 0, 1, NULL, "and in the end"}, \
      {"beta_steps",                                                              \
       AGENT_INT,                                                                 \
       DEEP_FIELD(beta_steps),                                                    \
       STEPS,                                                                     \
       0,                                                                         \
       1e10,                                                                      \
       NULL,                                                                      \
       "steps from the first update until then"},                                 \
  {                                                                               \
    "invalid", AGENT_CHOICE, DEEP_FIELD(invalid), INVALID, 0, 0, "redraw|shift",  \
        "what happens if a drawn step has no complete transition"                 \
  }

#endif
