/* A training run from inside: shared by train.c (the loop), train_rows.c (its row files) and train_save.c (its
 * checkpoints). */
#ifndef SIXER_AGENTS_TRAIN_PARTS_H
#define SIXER_AGENTS_TRAIN_PARTS_H

#include <stdio.h>

#include "sixer/tape.h"
#include "sixer/train.h"
#include "util/sections.h"

enum {
  TRAIN_LAYOUT = 1,       /* of the sections "train", "counters" and "rows" */
  TRAIN_MEAN = 100,       /* episodes of the mean that is shown */
  TRAIN_RING_MAX = 10000, /* episodes that a protocol may average */
  TRAIN_SCORES = SIXER_CHECKPOINTS_MAX + 1,
  TRAIN_CURVE = 100000, /* frames between rows of the learning curve */
  TRAIN_PATH = 4096,
  TRAIN_TEXT = 6000
};

/* A file of rows that grows. Size and CRC-32 are those of what was written, so that a checkpoint can tell where the
 * file stood and whether that part is still the same. */
typedef struct row_file {
  char path[TRAIN_PATH];
  FILE *file; /* NULL: rows are not kept */
  uint64_t size;
  uint32_t crc;
  bool lives; /* episodes have the column; files of early 0.2.0 do not, and go on without it */
} row_file;

/* ROWS_TESTS are in the section "tests" of a checkpoint, the others in "rows". */
enum { ROWS_EPISODES, ROWS_CURVE, ROWS_EVALUATION, ROWS_TESTS, ROWS_COUNT };

typedef enum train_phase { TRAIN_LEARNING, TRAIN_EVALUATING, TRAIN_FINISHED } train_phase;

/* The part of a checkpoint beside agent, env and rows. */
typedef struct train_counters {
  train_phase phase;
  int64_t frames, steps, episodes;         /* of training */
  int64_t evaluated, evaluation_frames;    /* without learning */
  double evaluation_sum[SIXER_LIMITS_MAX]; /* of the scores */
  double best, last;                       /* scores of episodes of training */
  int64_t curve_next;                      /* frames of the next row of the curve */
  /* the episode that is being played */
  int64_t episode_steps;
  int lives;
  sixer_tally tally;
  /* the last episodes of training, oldest first from `ring_first` on */
  int ring_first, ring_count;
  /* scores by the protocol */
  int checkpoints; /* of the protocol that were passed */
  int score_count;
  sixer_train_score scores[TRAIN_SCORES];
} train_counters;

/* Evaluations during training, of which one may be played: train_test.c. */
typedef struct train_test train_test;
typedef struct train_tests {
  int64_t count;                 /* that have ended */
  int64_t next;                  /* frames (or episodes) of training at which the next one begins */
  bool running;                  /* one has begun */
  double last;                   /* mean score of the last one, at the longest play time */
  double best[SIXER_LIMITS_MAX]; /* mean scores of the best one */
  int64_t best_at, best_episodes;
} train_tests;

/* The environments of a learner that plays many at once: train_vector.c. */
typedef struct train_vector train_vector;

struct sixer_train {
  char agent_name[64], label[64], path[TRAIN_PATH];
  char *options; /* all of them, in full */
  char text[TRAIN_TEXT];
  char extra[400]; /* more lines of `text`: settings of Ape-X, or nothing */
  const sixer_rom *rom;
  sixer_rom_info rom_info;
  const sixer_protocol *protocol;
  sixer_protocol_info info;
  char protocol_text[200]; /* name@version#hash */
  uint32_t seed;
  int64_t frames_budget, episodes_budget;
  int evaluation;
  sixer_config config;
  sixer_list actions;
  sixer_agent *agent;
  sixer_env *env;       /* with a vector: for the episodes without learning */
  train_vector *vector; /* NULL: the agent learns from the env */
  train_counters c;
  train_tests tests;
  train_test *test; /* NULL: none is played now */
  void *best;       /* the best agent so far, as bytes of sixer_agent_save(); NULL: none */
  size_t best_size;
  char tapes[TRAIN_PATH];   /* folder; empty: none */
  sixer_recorder *recorder; /* of the episodes after training */
  int ring_size;
  int64_t *ring_frames;
  double (*ring_scores)[SIXER_LIMITS_MAX];
  row_file rows[ROWS_COUNT];
};

/* The name of a file of the run. */
void train_path(const char *path, const char *ending, char *out, size_t size);

/* ---- train_rows.c ---------------------------------------------------------------------------------------------- */

/* Open the row files: new ones with their heads, or those that exist, cut off where the sizes say. */
sixer_err rows_create(sixer_train *t, int which, sixer_error *error);
sixer_err rows_reopen(sixer_train *t, int which, uint64_t size, uint32_t crc, sixer_error *error);
void rows_close(sixer_train *t);
sixer_err rows_sync(sixer_train *t, sixer_error *error); /* fsync() */

sixer_err rows_add_episode(sixer_train *t, int which, const sixer_status *status,
                           sixer_error *error);
sixer_err rows_add_curve(sixer_train *t, sixer_error *error);
sixer_err rows_add_test(sixer_train *t, const double *scores, int64_t episodes, int64_t frames,
                        sixer_error *error);
sixer_err rows_write_scores(const sixer_train *t, sixer_error *error); /* rewrites the whole file */

/* ---- train.c --------------------------------------------------------------------------------------------------- */

/* Create a run from its settings, at its start, without files. */
sixer_err train_prepare(const sixer_train_settings *settings, sixer_train **out,
                        sixer_error *error);
/* The mean of the last episodes, at most `wanted` of them. */
double train_mean(const sixer_train *t, int wanted, int limit, int *averaged);
bool train_budget_reached(const sixer_train *t);
void train_describe(sixer_train *t); /* fills `text` */
/* Training is over: write its last checkpoint, and begin the episodes without learning. */
sixer_err train_end(sixer_train *t, sixer_error *error);
/* An episode of training, in c.tally, has ended: its row, the curve, scores of checkpoints. `frames` is how many were
 * played since the one before it ended. */
sixer_err train_count_episode(sixer_train *t, int64_t frames, const sixer_status *status,
                              sixer_error *error);
sixer_train_progress train_progress(const train_counters *c, double mean, int averaged);

/* ---- train_test.c ---------------------------------------------------------------------------------------------- */

bool train_test_due(const sixer_train *t);
/* Begin an evaluation, with a checkpoint before it; or one that a checkpoint says has begun. */
sixer_err train_test_begin(sixer_train *t, sixer_error *error);
sixer_err train_test_start(sixer_train *t, sixer_error *error);
/* t->test is NULL again when it has ended. */
sixer_err train_test_step(sixer_train *t, sixer_error *error);
sixer_err train_test_take_best(sixer_train *t, sixer_error *error);
void train_test_destroy(sixer_train *t);
/* Sections "tests" and "best", if the protocol has evaluations during training. */
void train_test_save(const sixer_train *t, sections_writer *w);
sixer_err train_test_load(sixer_train *t, sections_reader *r, const char *path, uint64_t *size,
                          uint32_t *crc, sixer_error *error);
/* A tape in the folder of the run's tapes, if it has one; `what` is the end of its name. */
sixer_err train_tape_open(const sixer_train *t, const char *what, sixer_env *env,
                          sixer_recorder **recorder, sixer_error *error);

/* ---- train_vector.c -------------------------------------------------------------------------------------------- */

sixer_err train_vector_create(sixer_train *t, sixer_error *error);
void train_vector_destroy(train_vector *v); /* NULL is allowed */
int train_vector_count(const sixer_train *t);
/* The learner is between two updates: a checkpoint can be made. */
bool train_vector_resting(const sixer_train *t);
/* Not more was played than the budget wants: the run was within it before its last update. */
bool train_vector_within(const sixer_train *t);
/* A step of all envs, or a piece of an update. */
sixer_err train_vector_step(sixer_train *t, sixer_error *error);
/* The section "vector". The agent is loaded before. */
sixer_err train_vector_save(const sixer_train *t, sections_writer *w, sixer_error *error);
sixer_err train_vector_load(sixer_train *t, sections_reader *r, const char *path,
                            sixer_error *error);

/* ---- train_save.c ---------------------------------------------------------------------------------------------- */

/* Begin or resume a run that is prepared: its files. */
sixer_err train_begin(sixer_train *t, bool resume, sixer_error *error);
/* Open a checkpoint, read its settings into `text` and the number of its play times into *limits. */
sixer_err train_open(const char *path, sections_reader **out, char *text, size_t size, int *limits,
                     sixer_error *error);
sixer_err train_damaged(const sections_reader *r, const char *path, sixer_error *error);
/* The section "counters", into a run too if there is one; and the mean of the last episodes, which is not among
 * them. */
void train_get_counters(sections_reader *r, train_counters *c, sixer_train *t, int limits,
                        double *mean, int *averaged);
sixer_err train_get_env(sections_reader *r, sixer_env *env, const char *path, sixer_error *error);

/* ---- train_weights.c ------------------------------------------------------------------------------------------- */

/* See sixer_model_export() and sixer_model_import(). `model` is the path of the checkpoint, for messages. */
sixer_err model_export(sections_reader *r, const char *model, const char *path, sixer_error *error);
sixer_err model_import(sections_reader *r, const char *model, const char *weights, const char *path,
                       sixer_error *error);

#endif
