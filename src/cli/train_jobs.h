/* Concurrent training runs: what `sixer train` does once everything is checked. */
#ifndef SIXER_CLI_TRAIN_JOBS_H
#define SIXER_CLI_TRAIN_JOBS_H

#include "cli/cli.h"
#include "sixer/train.h"

typedef enum trial_state { TRIAL_WAITING, TRIAL_RUNNING, TRIAL_DONE, TRIAL_STOPPED } trial_state;

/* One run: a game and a seed. */
typedef struct trial {
  sixer_train_settings settings;
  char name[200]; /* "pong 1" */
  char path[4096];
  /* filled by the jobs */
  trial_state state;
  sixer_error error; /* code 0: none */
  sixer_train_progress progress, begun;
  sixer_train_score scores[SIXER_CHECKPOINTS_MAX + 1];
  int score_count;
  double seconds;               /* of work in this process */
  double rate;                  /* frames per second, lately */
  int64_t saved_frames;         /* of the last checkpoint; -1: none */
  double printed;               /* when its last progress line was written */
  sixer_agent_progress learned; /* of the learner */
  double updates_rate;          /* updates of its network per second, lately */
} trial;

typedef struct train_jobs {
  trial *trials;
  int count;
  int jobs; /* 0: as many as processors */
  bool resume, quiet;
  double checkpoint_every; /* seconds */
} train_jobs;

/* Run all of them; returns CLI_OK, or CLI_FAILED if one failed or all were interrupted, after messages. */
int train_jobs_run(train_jobs *jobs);

#endif
