/* Agents choose actions: baselines, planners and learners, all behind one small interface.
 *
 *     sixer_agent *agent;
 *     sixer_agent_create("uct", "simulations=500,horizon=300", 1, &agent, &error);
 *     sixer_result result = {0};
 *     while (!result.over) {
 *       int action;
 *       if (sixer_agent_act(agent, env, sixer_rom_legal_actions(rom), &action, &error)) break;
 *       sixer_env_step(env, action, &result);
 *     }
 *     sixer_agent_reset(agent);  // before the next episode
 *     sixer_agent_destroy(agent);
 *
 * An agent makes its choices from a generator of its own, seeded on creation: same seed, same env, same actions. It
 * reads the env and never changes it. An agent belongs to one thread at a time, and may use threads itself. */
#ifndef SIXER_AGENTS_H
#define SIXER_AGENTS_H

#include "sixer/sixer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sixer_agent sixer_agent;

/* The agents there are: index from 0 until `name` is NULL. Static. */
typedef struct sixer_agent_info {
  const char *name;    /* "uct", "random", ... */
  const char *summary; /* one line */
} sixer_agent_info;
SIXER_API sixer_agent_info sixer_agent_at(int index);

/* The options of an agent, by index from 0 until `name` is NULL. Static. Kinds: an integer, a real number, yes or no
 * (1 or 0), or one of a list of words ("ram|screen"). */
typedef struct sixer_agent_option {
  const char *name;
  const char *value;   /* the default, as text */
  const char *choices; /* of an option whose value is a word; else NULL */
  const char *help;
} sixer_agent_option;
SIXER_API sixer_agent_option sixer_agent_option_at(const char *agent, int index);

/* The presets of an agent: options under a name, such as the settings of a paper. By index from 0 until `name` is NULL.
 * Static. */
typedef struct sixer_agent_preset {
  const char *name;
  const char *options; /* "name=value,name=value,..." */
  const char *source;  /* where the values come from, one line */
} sixer_agent_preset;
SIXER_API sixer_agent_preset sixer_agent_preset_at(const char *agent, int index);

/* Create an agent by name. `options` is "name=value,name=value,..." or NULL for the defaults. It may begin with
 * "preset=NAME": the options of that preset, which those behind it override. SIXER_ERR_ARGUMENT, with a message that
 * lists what there is and the nearest names, for an unknown agent, preset or option or a value out of range. */
SIXER_API sixer_err sixer_agent_create(const char *name, const char *options, uint64_t seed,
                                       sixer_agent **agent, sixer_error *error);
SIXER_API void sixer_agent_destroy(sixer_agent *agent); /* NULL is allowed */

/* Choose one of `actions` in the env's current state. The env is read and never changed: its bytes and its generators
 * are as before. An env whose episode is over is refused with SIXER_ERR_ARGUMENT. */
SIXER_API sixer_err sixer_agent_act(sixer_agent *agent, sixer_env *env, sixer_list actions,
                                    int *action, sixer_error *error);

/* All settings of an agent as text that sixer_agent_create() takes: every option with its value, in the order of
 * sixer_agent_option_at(). Works as snprintf(): returns the length of the whole text and writes at most `size`
 * bytes. */
SIXER_API size_t sixer_agent_settings(const sixer_agent *agent, char *text, size_t size);

/* The episode is over, or the agent is put before another env: forget what belongs to it. What was learned stays, and
 * the generator goes on. */
SIXER_API void sixer_agent_reset(sixer_agent *agent);

/* ---- Learning --------------------------------------------------------------------------------------------------
 *
 *     sixer_config config = sixer_config_default();
 *     sixer_agent_create("sarsa", "preset=machado2018", 1, &agent, &error);
 *     sixer_agent_prepare(agent, &config);
 *     sixer_env_create(rom, &config, &env, &error);
 *     for (;;) {  // episodes
 *       sixer_result result = {0};
 *       while (!result.over) {
 *         int action;
 *         if (sixer_agent_act(agent, env, sixer_rom_legal_actions(rom), &action, &error)) return 1;
 *         sixer_env_step(env, action, &result);
 *         if (sixer_agent_learn(agent, env, &result, &error)) return 1;
 *       }
 *       sixer_env_reset(env);
 *       sixer_agent_reset(agent);
 *     }
 *
 * Without the calls of sixer_agent_learn() the same agent plays with what it has learned so far. The first choice binds
 * a learner to its list of actions; another list later is refused with SIXER_ERR_ARGUMENT. */

SIXER_API bool sixer_agent_learns(const sixer_agent *agent);

/* Fit the settings of an env to what the agent looks at: color averaging, no picture for agents that read RAM only. All
 * other settings stay as they are. Call it before sixer_env_create(). */
SIXER_API void sixer_agent_prepare(const sixer_agent *agent, sixer_config *config);

/* Learn from what followed the last choice of sixer_agent_act(): call it after the sixer_env_step() that carried the
 * choice out, with its result, before the env is reset. Agents that do not learn ignore it. SIXER_ERR_ARGUMENT if there
 * was no choice to learn from; SIXER_ERR_DIVERGED if the learned values have grown beyond bounds. */
SIXER_API sixer_err sixer_agent_learn(sixer_agent *agent, sixer_env *env,
                                      const sixer_result *result, sixer_error *error);

/* How far a learner is; all zero for agents that do not learn. Times are in seconds since creation. */
typedef struct sixer_agent_progress {
  int64_t steps;        /* calls of sixer_agent_learn() */
  int64_t features;     /* features that were ever active */
  int64_t memory;       /* bytes of weights, traces and tables */
  int active;           /* features active in the last state */
  int max_active;       /* most of them in one state: what the step size is divided by */
  double reward_unit;   /* points that count as a reward of 1; 0: no reward was seen yet */
  double value;         /* of the last choice, in those units */
  double error;         /* of the last prediction (the temporal difference), in those units */
  double features_time; /* spent on finding the active features */
  double learning_time; /* spent on values and updates */
} sixer_agent_progress;
SIXER_API sixer_agent_progress sixer_agent_learned(const sixer_agent *agent);

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

/* An agent in the middle of an episode as bytes, so that a run can be interrupted: its generator and what it has found
 * out. *bytes is allocated and is the caller's to free(). Loading is into an agent with the same name and options,
 * before an env in the state in which the other's was; it then goes on as the other would have. Bytes of another agent
 * or another game are refused with SIXER_ERR_STATE, and the agent is as after a reset. */
SIXER_API sixer_err sixer_agent_save(const sixer_agent *agent, void **bytes, size_t *size,
                                     sixer_error *error);
SIXER_API sixer_err sixer_agent_load(sixer_agent *agent, sixer_env *env, const void *bytes,
                                     size_t size, sixer_error *error);

/* What the last choice took; all zero for agents that do not plan. Times are in seconds. */
typedef struct sixer_agent_stats {
  int64_t frames;      /* emulated for the search, those below included */
  int64_t replayed;    /* of them, emulated again because a state was not kept (memory limit) */
  int64_t simulations; /* roll-outs */
  int64_t expanded;    /* nodes whose children were generated */
  int64_t nodes;       /* in the tree when the choice was made */
  int64_t reused;      /* of them, from earlier choices */
  int64_t memory;      /* bytes of the tree: nodes and states */
  int depth;           /* of the deepest node, in steps below the env's state */
  double value;        /* expected return of the choice, in points */
  double seconds;      /* the choice took */
  double emulation;    /* of them in emulation, summed over the jobs */
  /* The memory limit was reached: states were dropped, or the search ended early. */
  bool limited;
} sixer_agent_stats;
SIXER_API sixer_agent_stats sixer_agent_last(const sixer_agent *agent);

/* ---- Backgrounds ----------------------------------------------------------------------------------------------- */

/* Features on tiles of the screen leave out the background: the color that each pixel shows most often. Learners sample
 * it themselves when they begin; this makes a file of it, for their option `background`. `screens` screens, one per
 * decision, are taken from play under `config` that mostly repeats one action and then is random, a function of the
 * seed; with tapes of the game, from random play that begins at moments drawn from the tapes. If `pixels` is not NULL,
 * 210 rows of 160 palette bytes are written there. The file is replaced at once if it exists. */
#define SIXER_BACKGROUND_SIZE (210 * 160)
SIXER_API sixer_err sixer_background_make(const sixer_rom *rom, const sixer_config *config,
                                          int64_t screens, uint64_t seed, const char *const *tapes,
                                          int tape_count, const char *path, uint8_t *pixels,
                                          sixer_error *error);

#ifdef __cplusplus
}
#endif
#endif
