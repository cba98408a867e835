/* The rows of result files, between the reader of a file and the agents of the collection:
 *
 *     file -> table (log_file.c, eval_table.c) -> rows (score_rows.c) -> runs (score_runs.c) -> agents (scores.c)
 *
 * score_read.c leads a batch of files through these steps. */
#ifndef SIXER_EVAL_SCORE_ROWS_H
#define SIXER_EVAL_SCORE_ROWS_H

#include "eval/scores.h"

/* One score: of a run, or of an episode. */
typedef struct score_row {
  const char *agent, *run;
  size_t game;
  double score;
  double episode;
  int64_t frames;  /* of training, or of the episode */
  int level;       /* -1: none is given */
  bool training;   /* the level is one of training */
  bool cumulative; /* frames are those of training up to the end of the episode */
  bool timed;      /* the episode's number is the time of its end: two may be equal */
  const char *origin;
  int line;
  size_t file, unit; /* numbers in the batch; the files of a unit are one run */
} score_row;

/* Rows are scores of runs, or episodes in one of two ways. */
typedef enum score_kind { ROWS_NONE, ROWS_SCORES, ROWS_EPISODES, ROWS_LEVELS } score_kind;

/* The rows of the files that are read together, and what the warnings about them need. */
typedef struct score_batch {
  const eval_source *sources;
  size_t source_count;
  const char *agent; /* whose runs they all are; NULL: as the files say */
  score_row *rows;
  size_t count, room;
  score_kind kind;
  bool limits;            /* there is a column of limits */
  char foreign[600];      /* games outside the protocol */
  size_t unstated;        /* rows without a protocol */
  const char *guess;      /* id of a game whose frames per step are not known; NULL: none */
  double guessed;         /* frames per step that were taken for it */
  const char *told;       /* the agent that the first file names */
  size_t units, seedless; /* units, and those that name no seed */
  size_t last_seedless;   /* 1 + the unit that was counted last */
  const char *last_name;  /* name of the game in the row before, and its index */
  int last_game;
} score_batch;

/* Where a table has what a row needs; -1: it has no such column. */
typedef struct score_columns {
  int game, score, agent, run, frames, millions, limit, protocol, episode, level;
  int steps;            /* of training at the end of the episode */
  int length;           /* of the episode in steps */
  int frames_per_step;  /* 0: by the id of the environment */
  const char *run_text; /* of files without a column */
  bool timed;
} score_columns;

/* Find the columns of a table by their names. `length` and `timed` are the caller's. */
sixer_err score_columns_find(const sixer_scores *scores, const eval_table *table,
                             score_columns *columns, sixer_error *error);

/* Read row `r` of a table; *use tells whether it counts. Rows without an agent belong to `default_agent`. */
sixer_err score_row_read(sixer_scores *scores, score_batch *batch, const eval_table *table,
                         const score_columns *columns, size_t r, const char *default_agent,
                         score_row *out, bool *use, sixer_error *error);

/* Whether two rows are of the same agent, game and run, and whether an episode can follow another one of its run. */
bool score_row_same_run(const score_row *x, const score_row *y);
sixer_err score_row_check_order(const sixer_scores *scores, const score_row *last,
                                const score_row *next, sixer_error *error);

/* Keep the course of every run of sorted rows. */
sixer_err score_courses_keep(sixer_scores *scores, const char *origin, const score_row *rows,
                             size_t count, score_kind kind, sixer_error *error);

/* Sort the rows of a batch, reduce the episodes of every run to one score, and add the agents to the collection.
 * `origin` stands for the files in messages. */
sixer_err score_batch_finish(sixer_scores *scores, score_batch *batch, const char *origin,
                             sixer_error *error);

#endif
