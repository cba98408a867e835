/* The parts of `sixer lab`. */
#ifndef SIXER_CLI_LAB_H
#define SIXER_CLI_LAB_H

#include "cli/cli.h"
#include "sixer/lab.h"

typedef struct lab_options {
  const char *store, *output, *ray;
  int64_t jobs, threads, only, episodes;
  double checkpoint_every;
  bool quiet, runs, fresh, slurm, json;
} lab_options;

/* lab_status.c: `sixer lab status`; and the same as JSON for a store that is open. */
int lab_status(const lab_options *o, const char *path);
int lab_print_status(const lab_options *o, sixer_store *store);

/* lab_films.c: tapes and films of the best agent of each game. */
int lab_films(const lab_options *o, const char *path);

#endif
