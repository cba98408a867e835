/* The structs of agents and their options; internal to src/agents.
 *
 * An agent is a file with one `const agent_class`, listed in agent.c. Its struct begins with a `sixer_agent`. Options
 * are a table; agent.c parses the text of sixer_agent_create() into the fields that the table names, so that an agent
 * never reads text itself. */
#ifndef SIXER_AGENTS_AGENT_H
#define SIXER_AGENTS_AGENT_H

#include "env/env.h"
#include "sixer/agents.h"
#include "util/random.h"
#include "util/sections.h"

enum { AGENT_TEXT_SIZE = 512 };

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
  sixer_err (*learn)(sixer_agent *agent, sixer_env *env, const sixer_result *result,
                     sixer_error *error);
  sixer_agent_progress (*learned)(const sixer_agent *agent);
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
  uint64_t rng; /* state of the generator, splitmix64; seeded before create is called */
  sixer_agent_stats last;
};

/* An agent as sections of a container: "agent" (name, settings, generator), "agent.state" and those of its class. See
 * sixer_agent_save() and sixer_agent_load(). Failures of the writer are reported when it is closed. */
sixer_err agent_write(const sixer_agent *agent, sections_writer *out, sixer_error *error);
sixer_err agent_read(sixer_agent *agent, sixer_env *env, sections_reader *in, sixer_error *error);

/* The agents, by file. */
extern const agent_class agent_random, agent_const, agent_perturb; /* baselines.c */
extern const agent_class agent_full_tree;                          /* planning/full_tree.c */
extern const agent_class agent_uct;                                /* planning/uct.c */
extern const agent_class agent_iw1, agent_p_iw1, agent_2bfs;       /* planning/iw.c */
extern const agent_class agent_rollout_iw1;                        /* planning/rollout_iw.c */
extern const agent_class agent_brute;                              /* linear/brute.c */
extern const agent_class agent_sarsa;                              /* linear/sarsa.c */

/* ---- The agent's generator ------------------------------------------------------------------------------------- */

static inline uint64_t agent_draw(uint64_t *rng) { return random_next(rng); }

/* Uniform in 0..count-1. */
static inline int agent_below(uint64_t *rng, int count) { return random_below(rng, count); }

/* Uniform in [0, 1). */
static inline double agent_real(uint64_t *rng) { return random_real(rng); }

#endif
