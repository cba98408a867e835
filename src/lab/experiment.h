/* Experiment files: what they say, as a list of runs. docs/lab.md describes the keys. */
#ifndef SIXER_LAB_EXPERIMENT_H
#define SIXER_LAB_EXPERIMENT_H

#include "sixer/eval.h"
#include "util/arena.h"

enum { EXPERIMENT_RUNS = 100000, EXPERIMENT_OPTIONS = 4000, EXPERIMENT_GAMES = 5000 };

/* An agent with its settings: one of a sweep counts as one. */
typedef struct experiment_agent {
  const char *label, *name;
  const char *options; /* all of them, in full */
  const char *const *games;
  size_t game_count;
  int64_t frames, episodes;
  int evaluation, trials;
  int line; /* of its section, for messages */
} experiment_agent;

typedef struct experiment {
  memory_arena arena;
  const char *path, *name;
  const char *text; /* the whole file */
  sixer_protocol *protocol;
  const char *const *games; /* of all agents */
  size_t game_count;
  uint32_t seed;
  experiment_agent *agents;
  size_t agent_count;
} experiment;

/* Read and check a file. Everything lives until experiment_close(), which takes an experiment of zeros too. */
sixer_err experiment_open(const char *path, experiment *out, sixer_error *error);
void experiment_close(experiment *e);

#endif
