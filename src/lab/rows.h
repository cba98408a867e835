/* From the row files of a training run into the store. */
#ifndef SIXER_LAB_ROWS_H
#define SIXER_LAB_ROWS_H

#include "lab/jobs.h"

/* How far the files of a run have been stored. Zeros: not known yet. */
typedef struct rows_state {
  bool known;
  long offset[3];  /* in bytes: episodes, evaluation, curve */
  int64_t read[3]; /* rows in front of the offset */
  int64_t
      stored[3]; /* rows in the store: more than `read` after resuming from an older checkpoint */
} rows_state;

/* Inside of a transaction: store the rows that were written since the last call. Call it after a checkpoint has made
 * them final. Scores are replaced. After a transaction that failed, set the state to zeros. */
sixer_err rows_import(sixer_store *s, const job *j, rows_state *state, sixer_error *error);

/* Inside of a transaction: remove all rows of a run. */
sixer_err rows_remove(sixer_store *s, int64_t run, sixer_error *error);

/* Inside of a transaction: note a file of the run, if it is there. */
sixer_err rows_note_file(sixer_store *s, const job *j, const char *kind, const char *ending,
                         int64_t frames, sixer_error *error);

#endif
