/* The structs of agents and their options; internal to src/agents.
 *
 * An agent is a file with one `const agent_class`, listed in agent.c. Its struct begins with a `sixer_agent`. Options
 * are a table; agent.c parses the text of sixer_agent_create() into the fields that the table names, so that an agent
 * never reads text itself. */
#ifndef SIXER_AGENTS_AGENT_H
#define SIXER_AGENTS_AGENT_H

#include <signal.h>

#include "env/env.h"
#include "sixer/agents.h"
#include "sixer/vec.h"
#include "util/random.h"
#include "util/sections.h"

enum { AGENT_TEXT_SIZE = 512, AGENT_THREADS = 256 };

/* Counters of a saved agent are at most this, so that they can go on counting: a file may hold any number. */
#define AGENT_COUNT_MAX ((int64_t)1 << 60)

typedef enum agent_kind {
  AGENT_INT,    /* int64_t */
  AGENT_REAL,   /* double */
  AGENT_FLAG,   /* bool: 1 or 0, yes or no */
  AGENT_CHOICE, /* int: index into `choices`, words separated by | */
  AGENT_TEXT    /* char[AGENT_TEXT_SIZE]: a file name or the like; no comma in it */
} agent_kind;

typedef struct agent_option {
  const char *name; /* NULL ends the table */
  agent_kind kind;
  size_t offset;     /* of the field in the agent's struct */
  const char *value; /* the default, as text */
  double min, max;   /* of numbers; both included */
  const char *choices;
  const char *help;
} agent_option;

/* A named set of options. The options are text and are parsed like those of a user. */
typedef struct agent_preset {
  const char *name; /* NULL ends the table */
  const char *options;
  const char *source;
} agent_preset;

/* Of learners that play many environments at once. The training loop owns the vector; the learner owns the memory that
 * observations are written to, so that they are not copied. The loop, after bind():
 *
 *     reset the vector; observations to room(agent, false)
 *     for ever:
 *       act(); step the vector, reset the envs whose episode is over, observations to room(agent, true); learn()
 *       while (updating()) update()
 *
 * Between the last update() and the next act() there is nothing but what save() writes: checkpoints are made then. */
typedef struct agent_vector {
  /* How many environments. Sets what their observations are: `obs`, `pool`, `height`, `width`, `stack`. */
  int (*describe)(const sixer_agent *agent, sixer_vec_config *config);
  sixer_err (*bind)(sixer_agent *agent, sixer_list actions, sixer_error *error);
  /* Where the observations of all envs belong: those of the states in which it acts next, or after the next step. */
  uint8_t *(*room)(sixer_agent *agent, bool next);
  void (*act)(sixer_agent *agent, int32_t *lanes); /* positions in the list of actions */
  /* The rewards that followed, and whether an episode (or a life that counts as one) ended. */
  void (*learn)(sixer_agent *agent, const int32_t *rewards, const uint8_t *ends);
  bool (*updating)(const sixer_agent *agent);
  sixer_err (*update)(sixer_agent *agent, sixer_error *error); /* a piece of the update */
  bool (*resting)(const sixer_agent *agent);                   /* a checkpoint can be made */
} agent_vector;

typedef struct agent_class {
  const char *name, *summary;
  size_t size; /* of the agent's struct */
  const agent_option *options;
  const agent_preset *presets; /* NULL: none */
  /* Check settings that only make sense together and allocate; may be NULL. On failure, destroy is called. */
  sixer_err (*create)(sixer_agent *agent, sixer_error *error);
  sixer_err (*act)(sixer_agent *agent, sixer_env *env, sixer_list actions, int *action,
                   sixer_error *error);
  void (*reset)(sixer_agent *agent); /* may be NULL */
  /* Of learners; NULL in all others. See sixer_agent_prepare(), _learn() and _learned(). `act` must not change what was
   * learned. If `learn` was called for the state in which `act` is called, it may already have drawn the action. */
  void (*prepare)(const sixer_agent *agent, sixer_config *config);
  /* Make everything for a list of actions, so that what is impossible is found before a run begins; may be NULL. */
  sixer_err (*bind)(sixer_agent *agent, sixer_list actions, sixer_error *error);
  sixer_err (*learn)(sixer_agent *agent, sixer_env *env, const sixer_result *result,
                     sixer_error *error);
  sixer_agent_progress (*learned)(const sixer_agent *agent);
  /* `look` of learners that predict values, `saliency` of those with a network; NULL in all others. See
   * sixer_agent_look() and sixer_agent_saliency(). */
  sixer_err (*look)(sixer_agent *agent, sixer_env *env, sixer_list actions, sixer_agent_view *view,
                    sixer_error *error);
  sixer_err (*saliency)(sixer_agent *agent, sixer_env *env, sixer_list actions, int cells,
                        float *map, sixer_error *error);
  /* An episode without learning has ended, and the env shows its end; may be NULL. With learning, `learn` tells. */
  sixer_err (*ended)(sixer_agent *agent, sixer_env *env, sixer_error *error);
  const agent_vector *vector;        /* NULL: it learns from a single env */
  int (*repeat)(sixer_agent *agent); /* see sixer_agent_repeat_passes() */
  /* sixer_agent_evaluate() was called and changed `evaluating`; may be NULL. */
  void (*evaluate)(sixer_agent *agent);
  /* Save and load everything except the generator; NULL if there is nothing. The section "agent.state" is open; more
   * sections may follow, with names that begin with "agent.". `load` must check every byte: after an error the agent is
   * reset. */
  sixer_err (*save)(const sixer_agent *agent, sections_writer *out, sixer_error *error);
  sixer_err (*load)(sixer_agent *agent, sixer_env *env, sections_reader *in, sixer_error *error);
  /* frees what create allocated, not the struct; may be NULL */
  void (*destroy)(sixer_agent *agent);
} agent_class;

struct sixer_agent {
  const agent_class *class;
  uint64_t rng;    /* state of the generator, splitmix64; seeded before create is called */
  bool evaluating; /* sixer_agent_evaluate() */
  int threads;     /* sixer_agent_use_threads() */
  int player;      /* sixer_agent_sit() */
  /* Share of random actions when it is evaluated under a protocol that states it; NaN: the agent's own. */
  double test_epsilon;
  bool light;    /* leaves its replay memory out when it is saved */
  bool no_files; /* agent_create_stored() made it: it opens none that its options name */
  const volatile sig_atomic_t *stop; /* nonzero: it waits for nothing any more; NULL: none */
  sixer_agent_stats last;
};

/* As sixer_agent_create(), with options that come from a file or a message, which may be anybody's: no file that they
 * name is opened. What such a file holds must be part of what agent_read() reads. */
sixer_err agent_create_stored(const char *name, const char *options, uint64_t seed,
                              sixer_agent **agent, sixer_error *error);

/* An agent as sections of a container: "agent" (name, settings, generator), "agent.state" and those of its class. See
 * sixer_agent_save() and sixer_agent_load(). Failures of the writer are reported when it is closed. */
sixer_err agent_write(const sixer_agent *agent, sections_writer *out, sixer_error *error);
sixer_err agent_read(sixer_agent *agent, sixer_env *env, sections_reader *in, sixer_error *error);

/* The agents, by file. */
extern const agent_class agent_random, agent_const, agent_perturb; /* baselines.c */
extern const agent_class agent_scripted;                           /* scripted.c */
extern const agent_class agent_pipe, agent_python;                 /* pipe.c */
extern const agent_class agent_full_tree;                          /* planning/full_tree.c */
extern const agent_class agent_uct;                                /* planning/uct.c */
extern const agent_class agent_iw1, agent_p_iw1, agent_2bfs;       /* planning/iw.c */
extern const agent_class agent_rollout_iw1;                        /* planning/rollout_iw.c */
extern const agent_class agent_brute;                              /* linear/brute.c */
extern const agent_class agent_sarsa;                              /* linear/sarsa.c */
extern const agent_class agent_dqn;                                /* deep/dqn.c */
extern const agent_class agent_c51;                                /* deep/c51.c */
extern const agent_class agent_rainbow, agent_der;                 /* deep/rainbow.c */
extern const agent_class agent_iqn, agent_rainbow_iqn;             /* deep/iqn.c */
extern const agent_class agent_pqn;                                /* deep/pqn.c */
extern const agent_class agent_apex_dqn;                           /* deep/apex_dqn.c */

/* ---- The agent's generator ------------------------------------------------------------------------------------- */

static inline uint64_t agent_draw(uint64_t *rng) { return random_next(rng); }

/* Uniform in 0..count-1. */
static inline int agent_below(uint64_t *rng, int count) { return random_below(rng, count); }

/* Uniform in [0, 1). */
static inline double agent_real(uint64_t *rng) { return random_real(rng); }

#endif
