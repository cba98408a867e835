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

/* In a game for several players (players.h), choose for this one of them, from 0 on; 0 after creation. All players see
 * the same screen. Planners take the others to do nothing, and rewards are those of this player. The agent is reset. */
SIXER_API sixer_err sixer_agent_sit(sixer_agent *agent, int player, sixer_error *error);

/* All settings of an agent as text that sixer_agent_create() takes: every option with its value, in the order of
 * sixer_agent_option_at(). Works as snprintf(): returns the length of the whole text and writes at most `size`
 * bytes. */
SIXER_API size_t sixer_agent_settings(const sixer_agent *agent, char *text, size_t size);

/* The episode is over, nothing was learned from its last step, and the env shows its end: tell the agent. It matters to
 * those that are programs of their own, which get their last reward. */
SIXER_API sixer_err sixer_agent_end(sixer_agent *agent, sixer_env *env, sixer_error *error);

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

/* From now on choose as in an evaluation (true), or as in training (false, as after creation). It matters to learners
 * that explore less or without noise when they are evaluated. An agent that is saved while it is evaluated may leave
 * out what only learning needs. */
SIXER_API void sixer_agent_evaluate(sixer_agent *agent, bool evaluating);

/* How many threads a learner may use, the caller's included; 1 after creation. Choices and what is learned do not
 * depend on it. Call it before the first choice. */
SIXER_API void sixer_agent_use_threads(sixer_agent *agent, int threads);

/* How far a learner is; all zero for agents that do not learn. Times are in seconds since creation. */
typedef struct sixer_agent_progress {
  int64_t steps;      /* calls of sixer_agent_learn() */
  int64_t updates;    /* of a network; 0 for linear learners */
  int64_t features;   /* features that were ever active; 0 for networks */
  int64_t memory;     /* bytes of weights, traces and tables, or of networks and replay memory */
  int active;         /* features active in the last state */
  int max_active;     /* most of them in one state: what the step size is divided by */
  double reward_unit; /* points that count as a reward of 1; 0: no reward was seen yet */
  double value;       /* of the last choice, in those units */
  double error;       /* of the last prediction (the temporal difference), in those units */
  double loss;        /* of a network: mean over its last 100 updates or so */
  int64_t refilled;   /* step at which it began to fill an empty replay memory again; 0: never */
  double epsilon;     /* probability of a uniformly drawn action in the last choice */
  /* Instructions that the network is computed with ("avx512", "avx2", "neon", "wasm", "plain"); NULL if there is none
   * yet. */
  const char *kernels;
  double features_time; /* spent on finding the active features */
  double learning_time; /* spent on values and updates */
} sixer_agent_progress;
SIXER_API sixer_agent_progress sixer_agent_learned(const sixer_agent *agent);

/* What a learner predicts for the env as it stands: without noise, and where values are means of random samples, always
 * of the same; and what its network sees. A linear learner (sarsa) has values only: there are no frames then, and
 * `pixels` is NULL. Its next choice is drawn with them, so look at states in which it will act or has just acted. With
 * that, looking changes no choice. SIXER_ERR_ARGUMENT for agents that do not predict. */
typedef enum sixer_distribution {
  SIXER_DISTRIBUTION_NONE,     /* values only */
  SIXER_DISTRIBUTION_ATOMS,    /* the probability of each value `at` (C51, Rainbow, DER) */
  SIXER_DISTRIBUTION_QUANTILES /* the value that the return is below with probability `at` (IQN) */
} sixer_distribution;

typedef struct sixer_agent_view {
  int actions;                       /* of the list */
  double values[SIXER_ACTION_COUNT]; /* one for each */
  /* `frames` pictures of `height` x `width` bytes, oldest first; valid until the agent's next call */
  const uint8_t *pixels;
  int frames, height, width;
  /* The predicted distribution of the return: `points` numbers for each action, one action after the other, and what
   * each of them belongs to, in ascending order. NULL without distribution; valid until the agent's next call. */
  sixer_distribution kind;
  int points;
  const float *distribution, *at;
} sixer_agent_view;
SIXER_API sixer_err sixer_agent_look(sixer_agent *agent, sixer_env *env, sixer_list actions,
                                     sixer_agent_view *view, sixer_error *error);

/* Where a learner with a network looks: how much its values change if a spot of what it sees is blurred (Greydanus et
 * al. 2018). The observation is divided into `cells` x `cells` spots, 1 to SIXER_SALIENCY_CELLS; map[row * cells +
 * column] is half the sum over the actions of the squared change. It takes one pass of the network for each spot, and
 * changes no later choice. */
#define SIXER_SALIENCY_CELLS 32
SIXER_API sixer_err sixer_agent_saliency(sixer_agent *agent, sixer_env *env, sixer_list actions,
                                         int cells, float *map, sixer_error *error);

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

/* The tree of the last choice of a planner, to look at: the first `max` nodes in an order in which parents come before
 * their children; node 0 is the env's state. Returns how many nodes there are, 0 for agents that do not plan. */
typedef struct sixer_tree_node {
  int32_t parent; /* index; -1 at the root */
  int32_t action; /* that led here */
  int32_t depth;  /* steps below the root */
  int32_t visits; /* of UCT and Rollout-IW; else 0 */
  int32_t reward; /* of the step that led here */
  int32_t over;   /* 1: the episode ends here */
  double value;   /* expected return, beginning with that step, as the planner counts it */
} sixer_tree_node;
SIXER_API int sixer_agent_tree(const sixer_agent *agent, sixer_tree_node *nodes, int max);

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

/* ---- Replay memory --------------------------------------------------------------------------------------------- */

/* What the replay memory of the deep agents takes in a game, and how fast it is; `sixer bench replay`. */
typedef struct sixer_replay_figures {
  double frame_bytes; /* per step: compressed frames and the table that finds them */
  double other_bytes; /* per step: action, reward, flags, priority */
  double add_time;    /* seconds of processor time to add a step */
  double
      batch_time; /* and to draw and decode a batch of 32 transitions; the best of several rounds */
} sixer_replay_figures;

/* Let `player` play `steps` steps in an env of this config and keep what a deep agent would see: 84 x 84 pixels of the
 * last two frames of each step. Transitions look `n` steps ahead. Use config.frame_skip = 4 for the usual setting. */
SIXER_API sixer_err sixer_replay_measure(const sixer_rom *rom, const sixer_config *config,
                                         sixer_agent *player, int64_t steps, int n,
                                         bool prioritized, sixer_replay_figures *figures,
                                         sixer_error *error);

/* ---- Networks -------------------------------------------------------------------------------------------------- */

/* How fast the networks of the deep agents are here; `sixer bench nn`. The network is that of Mnih et al. 2015 with 18
 * actions. Times are seconds and the best of all rounds: processor time of the thread with one thread, time by the
 * clock with more. */
typedef struct sixer_network_figures {
  char kernels[16]; /* "avx2", ... */
  double
      peak; /* fused multiply-adds in registers on one thread: floating-point operations per second */
  double dqn_update; /* batch of 32: target pass, online pass, Huber loss, backward pass, Adam */
  double dqn_work;   /* floating-point operations of that, without those of the loss and of Adam */
  double
      pqn_update; /* batch of 128 with LayerNorm: pass, backward pass, RAdam with a norm of at most 10 */
  double pqn_work;    /* without LayerNorm and RAdam */
  double forward_128; /* pass of 128 states */
  double act;         /* pass of one state */
} sixer_network_figures;

/* `kernels` is avx512, avx2, neon, wasm or plain, or NULL for the fastest; SIXER_ERR_ARGUMENT if this processor cannot
 * run them. `threads` is 0 for one per processor. Every round measures each figure once. */
SIXER_API sixer_err sixer_network_measure(const char *kernels, int threads, int rounds,
                                          sixer_network_figures *figures, sixer_error *error);

/* Do the passes of the network of the last update once more, on the same states, and nothing else: how fast training
 * would be if playing took no time; `sixer bench deep`. Of PQN all passes of a rollout, those by which it acts as well.
 * Returns how many updates that was; 0: it has no network, or made no update yet. It changes what was learned, so the
 * agent is of no use for anything but measuring afterwards. */
SIXER_API int sixer_agent_repeat_passes(sixer_agent *agent);

#ifdef __cplusplus
}
#endif
#endif
