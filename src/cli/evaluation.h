/* An evaluation: result files and published agents under a protocol, normalized and aggregated. `sixer eval` prints it,
 * and `sixer report` makes a page of it; both have the figures from here. */
#ifndef SIXER_CLI_EVALUATION_H
#define SIXER_CLI_EVALUATION_H

#include "cli/cli.h"
#include "cli/out.h"
#include "cli/stores.h"
#include "sixer/scores.h"
#include "util/os.h"

enum { EVALUATION_FILES_MAX = 4096 };

/* What the user asks for. */
typedef struct evaluation_options {
  const char *protocol, *against, *normalize, *agent, *limit, *checkpoint, *baselines, *relative;
  bool partial, strict, means;
  int64_t replicates, seed, threads, frames_per_step;
  double confidence;
  store_rows *stores; /* those of the files that are stores of `sixer lab` */
} evaluation_options;

/* The options that `sixer eval` and `sixer report` share, for a table of option_def; `o` is an evaluation_options. */
#define EVALUATION_OPTIONS(o)                                                                      \
  {"protocol", OPTION_TEXT, &(o).protocol, "NAME|FILE",                                            \
   "protocol of the scores: `sixer eval --protocols` lists them; by default the one that the "     \
   "rows "                                                                                         \
   "name"},                                                                                        \
      {"against", OPTION_TEXT, &(o).against, "NAMES",                                              \
       "published results to compare with, separated by commas"},                                  \
      {"agent", OPTION_TEXT, &(o).agent, "NAME",                                                   \
       "name of the agent in files without such a column"},                                        \
      {"normalize", OPTION_TEXT, &(o).normalize, "KIND",                                           \
       "human, record, scripted, random, inter-algorithm, baseline, relative or none; by default " \
       "what the protocol says"},                                                                  \
      {"baselines", OPTION_TEXT, &(o).baselines, "FILE",                                           \
       "scores of the baseline policies, for baseline normalization"},                             \
      {"relative-to", OPTION_TEXT, &(o).relative, "NAME",                                          \
       "agent that is 100 %, of the files or published"},                                          \
      {"frames-per-step", OPTION_INT, &(o).frames_per_step, "N",                                   \
       "frames of a step, for logs that count steps; by default guessed, with a warning"},         \
      {"limit", OPTION_TEXT, &(o).limit, "TIME",                                                   \
       "of play: 5min, 30min, none; by default the protocol's last"},                              \
      {"partial", OPTION_FLAG, &(o).partial, NULL,                                                 \
       "go on when an agent lacks games of the protocol"},                                         \
      {"means", OPTION_FLAG, &(o).means, NULL,                                                     \
       "count one mean per game of every agent, as of published ones: aggregates of both are "     \
       "then alike"},                                                                              \
      {"strict", OPTION_FLAG, &(o).strict, NULL, "fail when there is any warning"},                \
      {"replicates", OPTION_INT, &(o).replicates, "N", "of the bootstrap"},                        \
      {"confidence", OPTION_REAL, &(o).confidence, "P", "of intervals"},                           \
      {"seed", OPTION_INT, &(o).seed, "N", "of the bootstrap"}, {                                  \
    "threads", OPTION_INT, &(o).threads, "N", "0: all processors"                                  \
  }

/* An agent after normalization, with only the games that have constants and scores. */
typedef struct entrant {
  sixer_agent_scores agent;
  double *scores; /* game after game */
  size_t *runs, total, games;
  size_t *game; /* numbers in the protocol */
  double *means;
  bool several; /* some game has several runs */
  sixer_interval aggregates[SIXER_AGGREGATE_COUNT];
  size_t classes[SIXER_CLASS_COUNT];
  sixer_interval model; /* of the runs alone */
} entrant;

typedef struct evaluation {
  const char *command; /* "eval" or "report", for messages */
  const sixer_published *published;
  const sixer_protocol *protocol;
  sixer_protocol_info info;
  sixer_scores_config config;
  bool means;           /* every agent enters with one number per game */
  sixer_scores *scores; /* the agents that are compared */
  sixer_scores *other;  /* those that normalization refers to */
  const char *kind;     /* of normalization */
  sixer_scale scale;
  double *low, *high; /* its constants, one per game of the protocol; NaN where there are none */
  sixer_bootstrap settings;
  entrant *entrants;
  size_t count;
  struct evaluation_block *blocks;
} evaluation;

/* Open the protocol that the options name, else the one that the rows of the files name. */
int evaluation_open_protocol(const char *command_name, const evaluation_options *options,
                             const char *const *files, int file_count, sixer_protocol **protocol);

/* Check the options that are numbers: CLI_OK, or CLI_USAGE after a message. */
int evaluation_check_options(const char *command_name, const evaluation_options *options);

/* Read, normalize and aggregate. CLI_OK, or another status after a message; evaluation_end() in both cases. */
int evaluation_begin(evaluation *s, const char *command_name, const evaluation_options *options,
                     const char *const *files, int file_count, const sixer_published *published,
                     const sixer_protocol *protocol);
void evaluation_end(evaluation *s);

/* Say what is wrong; returns the status. */
int evaluation_fail(const char *command_name, const sixer_error *error);

/* Zeroed memory that is freed by evaluation_end(); NULL if there is none. */
void *evaluation_allocate(evaluation *s, size_t size);

/* Add a warning to those of the files. */
sixer_err evaluation_warn(evaluation *s, sixer_error *error, const char *warning,
                          const char *format, ...) OS_PRINTF(4, 5);

/* The rows of a store that a protocol scores, or those of training for curves. NULL: there are none. */
const char *evaluation_store_rows(const store_rows *store, const sixer_protocol *protocol,
                                  bool curves, size_t *size);

/* What to add to the checkpoint: where evaluations are scored, files of their episodes do not say how long the agents
 * had trained. "" otherwise. */
const char *evaluation_checkpoint_note(const evaluation *s);

/* Letters of NAME in an argument NAME=FILE; 0 if it is a plain file. */
size_t evaluation_name_length(const char *argument);

/* Patterns of the arguments NAME=PATTERN that have the name of argument `first`. Returns how many; 0 if an earlier
 * argument has the name too. */
size_t evaluation_patterns(const char *const *files, int file_count, int first,
                           const char **patterns);

/* Two agents on the games that both have, with raw scores. */
typedef struct agent_pair {
  size_t games;
  size_t *game;                /* numbers in the protocol */
  double *means, *sds, *sizes; /* 2 x games: first agent, second agent */
  double *scores[2];
  size_t *runs[2];
} agent_pair;

sixer_err evaluation_pair(evaluation *s, const sixer_agent_scores *x, const sixer_agent_scores *y,
                          agent_pair *made, sixer_error *error);

/* The points of profiles: from 0 to 800 % as in Agarwal et al. 2021, denser at the lower end, where SABER's classes
 * are. */
enum { EVALUATION_POINTS = 26 };
extern const double evaluation_points[EVALUATION_POINTS];

/* Tables of an evaluation: eval_tables.c. */
void show_head(out *o, const evaluation *s, const evaluation_options *options);
void show_aggregates(out *o, const evaluation *s);
void show_model(out *o, const evaluation *s); /* nothing if the protocol has no model */
void show_classes(out *o, const evaluation *s);
void show_levels(out *o, const evaluation *s);
sixer_err show_comparisons(out *o, evaluation *s, sixer_error *error);
sixer_err show_profile(out *o, const evaluation *s, const char *which, sixer_error *error);
void show_games(out *o, const evaluation *s);

#endif
