/* Runs as rows of the store: adding those of an experiment, claiming one, and telling how it goes. */
#ifndef SIXER_LAB_JOBS_H
#define SIXER_LAB_JOBS_H

#include "lab/store.h"

/* Who works: what tells a living program from a dead one. */
typedef struct job_owner {
  char name[128]; /* unique: host, boot, process and moment */
  char host[96];
  int64_t pid,
      start; /* of the process, in clock ticks since boot; 0 where the system does not tell */
} job_owner;

void job_owner_make(job_owner *owner);

/* A run that was claimed. */
typedef struct job {
  int64_t id;
  char label[64], agent[64], game[STORE_PATH], path[STORE_PATH]; /* path: with the store's folder */
  char *options, *protocol;                                      /* allocated */
  char protocol_hash[65], rom[33];
  int64_t seed, frames_budget, episodes_budget, evaluation_budget;
  int mode, difficulty;
  double seconds; /* of work before */
} job;

void job_free(job *j);

/* Release the runs of owners that are dead: those of this host whose process is gone, and those of other hosts that
 * have not shown life for two minutes. */
sixer_err jobs_take_over(sixer_store *s, const job_owner *owner, sixer_error *error);

/* Claim the first waiting run, or the run `only`; *found is false if there is none. */
sixer_err jobs_claim(sixer_store *s, const job_owner *owner, int64_t only, job *out, bool *found,
                     sixer_error *error);

/* Show that the owner is alive, in all of its runs. */
sixer_err jobs_beat(sixer_store *s, const job_owner *owner, sixer_error *error);

/* Inside of a transaction: end the work on a run. `state` is done, failed or waiting. SIXER_ERR_STATE if the run does
 * not belong to the owner any more. */
sixer_err jobs_release(sixer_store *s, const job_owner *owner, const job *j, const char *state,
                       const char *why, sixer_error *error);

/* Inside of a transaction: note how far the run is. SIXER_ERR_STATE likewise. */
sixer_err jobs_progress(sixer_store *s, const job_owner *owner, const job *j,
                        const sixer_train_progress *progress, double score, double seconds,
                        sixer_error *error);

#endif
