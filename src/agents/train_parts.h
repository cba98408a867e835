/* A training run from inside: shared by train.c (the loop), train_rows.c (its row files) and train_save.c (its
 * checkpoints). */
#ifndef SIXER_AGENTS_TRAIN_PARTS_H
#define SIXER_AGENTS_TRAIN_PARTS_H

#include <stdio.h>

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
} row_file;

enum { ROWS_EPISODES, ROWS_CURVE, ROWS_EVALUATION, ROWS_COUNT };

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

struct sixer_train {
  char agent_name[64], label[64], path[TRAIN_PATH];
  char *options; /* all of them, in full */
  char text[TRAIN_TEXT];
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
  sixer_env *env;
  train_counters c;
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
sixer_err rows_write_scores(const sixer_train *t, sixer_error *error); /* rewrites the whole file */

/* ---- train.c --------------------------------------------------------------------------------------------------- */

/* Create a run from its settings, at its start, without files. */
sixer_err train_prepare(const sixer_train_settings *settings, sixer_train **out,
                        sixer_error *error);
/* The mean of the last episodes, at most `wanted` of them. */
double train_mean(const sixer_train *t, int wanted, int limit, int *averaged);
bool train_budget_reached(const sixer_train *t);
sixer_train_progress train_progress(const train_counters *c, double mean, int averaged);

/* ---- train_save.c ---------------------------------------------------------------------------------------------- */

/* Open a checkpoint, read its settings into `text` and the number of its play times into *limits. */
sixer_err train_open(const char *path, sections_reader **out, char *text, size_t size, int *limits,
                     sixer_error *error);
sixer_err train_damaged(const sections_reader *r, const char *path, sixer_error *error);
/* The section "counters", into a run too if there is one; and the mean of the last episodes, which is not among
 * them. */
void train_get_counters(sections_reader *r, train_counters *c, sixer_train *t, int limits,
                        double *mean, int *averaged);
sixer_err train_get_env(sections_reader *r, sixer_env *env, const char *path, sixer_error *error);

#endif
