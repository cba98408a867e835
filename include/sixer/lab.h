/* The lab: experiments of many runs, kept in a store, resumed after any interruption.
 *
 *     sixer_store *store;
 *     sixer_lab_added added;
 *     if (sixer_store_open("first.db", SIXER_STORE_CREATE, &store, &error) ||
 *         sixer_lab_add(store, "first.toml", &added, &error))
 *       return puts(error.message), 1;
 *     sixer_lab_settings settings = sixer_lab_settings_default();
 *     sixer_lab_result result;
 *     if (sixer_lab_work(store, &settings, &result, &error)) return puts(error.message), 1;
 *     printf("%d runs done, %d failed\n", result.done, result.failed);
 *     sixer_store_close(store);
 *
 * A store is one SQLite file; docs/store.md describes its tables, docs/lab.md experiment files. Each run is a training
 * run (train.h) with files of its own in a folder beside the store. Rows enter the store when a checkpoint has made
 * them final, so that a program can be killed at any moment: the next one takes over its runs at their last checkpoints
 * and stores the same rows as if nothing had happened. Any number of programs can work on one store; a run is claimed
 * by one of them at a time. */
#ifndef SIXER_LAB_H
#define SIXER_LAB_H

#include <signal.h>

#include "sixer/train.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sixer_store sixer_store;

typedef enum sixer_store_mode {
  SIXER_STORE_READ,  /* it must exist, and nothing is changed */
  SIXER_STORE_WRITE, /* it must exist; an older version of its schema is brought to the newest */
  SIXER_STORE_CREATE /* made if it does not exist */
} sixer_store_mode;

/* Open a store. SIXER_ERR_STATE for a file that is not a store, or of a newer version; SIXER_ERR_FILE if it is missing,
 * locked or cannot be written. A store may be used by several threads. */
SIXER_API sixer_err sixer_store_open(const char *path, sixer_store_mode mode, sixer_store **store,
                                     sixer_error *error);
SIXER_API void sixer_store_close(sixer_store *store); /* NULL is allowed */

/* ---- Experiments ----------------------------------------------------------------------------------------------- */

typedef struct sixer_lab_added {
  char name[64]; /* of the experiment */
  int runs;      /* that it consists of */
  int added;     /* of them, new in the store */
  int missing;   /* runs on games whose cartridge image is not on this machine */
  char gap[400]; /* the first of those games, in words; empty if there is none */
} sixer_lab_added;

/* The name of an experiment, after checking the whole file. */
SIXER_API sixer_err sixer_lab_name(const char *path, char *name, size_t size, sixer_error *error);

/* Read an experiment file and add its runs, those that are not in the store yet. Everything is checked first: an
 * unknown key, agent, option or game is SIXER_ERR_CONFIG with the line and the nearest names, and nothing is added.
 * Runs on games without an image are added in the state "missing"; they become runnable when the experiment is added
 * again and the image is there. */
SIXER_API sixer_err sixer_lab_add(sixer_store *store, const char *path, sixer_lab_added *added,
                                  sixer_error *error);

/* ---- Work ------------------------------------------------------------------------------------------------------ */

/* A run that is being worked on, for display. */
typedef struct sixer_lab_job {
  int64_t run; /* its id in the store */
  char name[160];
  sixer_train_progress progress;
  double seconds; /* of work in this process */
  double rate;    /* frames per second, lately */
  double left;    /* seconds until its training is done; NaN: not known yet */
} sixer_lab_job;

typedef struct sixer_lab_counts {
  int waiting, running, done, failed, missing, away;
  int64_t frames, episodes; /* of all runs together */
  double share;             /* of all work that is done, 0 to 1: the mean over the runs */
} sixer_lab_counts;

typedef struct sixer_lab_settings {
  uint32_t cookie; /* set by sixer_lab_settings_default() and checked */
  int jobs;        /* runs at the same time; 0: as many as processors */
  int threads;     /* of each run's agent; 0: the processors that the jobs leave */
  double
      checkpoint_every; /* seconds; 30. A checkpoint that takes long is made less often, at most every minute */
  int64_t only; /* id of the only run to work on; 0: all */
  /* If not NULL: when *stop becomes nonzero, runs are saved and released. */
  const volatile sig_atomic_t *stop;
  /* Called ten times a second from the thread that called sixer_lab_work(), with the runs that are being worked on; may
   * be NULL. */
  void (*show)(void *context, const sixer_lab_job *jobs, int count, const sixer_lab_counts *all);
  /* Called when a run has ended, from any thread, one call at a time; `error` is NULL if it succeeded. May be NULL. */
  void (*ended)(void *context, const sixer_lab_job *job, const char *error);
  void *context;
} sixer_lab_settings;

SIXER_API sixer_lab_settings sixer_lab_settings_default(void);

typedef struct sixer_lab_result {
  int done, failed; /* by this call */
  bool stopped;     /* by *stop */
} sixer_lab_result;

/* Work on the store's runs until none is waiting. Runs whose owner has died are taken over. A run that fails is kept
 * with its error; the others go on. An error of the store itself ends the work. */
SIXER_API sixer_err sixer_lab_work(sixer_store *store, const sixer_lab_settings *settings,
                                   sixer_lab_result *result, sixer_error *error);

/* Put failed runs, and those that were split off (below) and did not come back, in the queue again. With `fresh` their
 * files and rows are removed, so that they start from the beginning. */
SIXER_API sixer_err sixer_lab_retry(sixer_store *store, bool fresh, int *count, sixer_error *error);

/* ---- Looking --------------------------------------------------------------------------------------------------- */

SIXER_API sixer_err sixer_lab_count(sixer_store *store, sixer_lab_counts *counts,
                                    sixer_error *error);

/* A run as it is in the store. */
typedef struct sixer_lab_run {
  int64_t id;
  const char *label, *agent, *game, *state, *error, *protocol, *path;
  int64_t seed, frames, episodes, frames_budget;
  double share, mean, best, evaluation_mean, score, seconds;
  int evaluated, attempts;
} sixer_lab_run;

/* Call `each` for every run in the order of their ids, or for those in one state. Texts live during the call. It stops
 * when `each` returns false. */
SIXER_API sixer_err sixer_lab_each(sixer_store *store, const char *state,
                                   bool (*each)(void *context, const sixer_lab_run *run),
                                   void *context, sixer_error *error);

/* Remember a file that belongs to a run, such as a tape or a film; `score` may be NaN. */
SIXER_API sixer_err sixer_lab_add_file(sixer_store *store, int64_t run, const char *kind,
                                       const char *path, double score, sixer_error *error);

/* ---- Exchange -------------------------------------------------------------------------------------------------- */

typedef enum sixer_lab_form { SIXER_LAB_CSV, SIXER_LAB_JSON } sixer_lab_form;

/* Write all tables into a folder: runs.csv, episodes.csv and so on, or as JSON lines (.jsonl). Beside them are
 * scores.tsv and evaluation.tsv in the form of `sixer train`, which `sixer eval` reads; if the store has runs of
 * several protocols, one file for each, scores-NAME.tsv. Each file is replaced whole. */
SIXER_API sixer_err sixer_lab_export(sixer_store *store, const char *folder, sixer_lab_form form,
                                     sixer_error *error);

typedef struct sixer_lab_merged {
  int added;    /* runs that were not in the store */
  int replaced; /* runs that were, in an earlier state */
  int kept;     /* runs that were already as far */
} sixer_lab_merged;

/* Add the runs of an exported folder. A run that is in the store already is replaced if the other is further. All or
 * nothing. */
SIXER_API sixer_err sixer_lab_import(sixer_store *store, const char *folder,
                                     sixer_lab_merged *merged, sixer_error *error);

/* Add the runs of another store, with copies of their files. */
SIXER_API sixer_err sixer_lab_merge(sixer_store *store, const char *other, sixer_lab_merged *merged,
                                    sixer_error *error);

/* Copy one waiting run into a new store at `path`, to be worked on elsewhere, and mark it as away here. Merging that
 * store brings it back. */
SIXER_API sixer_err sixer_lab_split(sixer_store *store, int64_t run, const char *path,
                                    sixer_error *error);

#ifdef __cplusplus
}
#endif
#endif
