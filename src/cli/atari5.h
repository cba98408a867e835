/* What the actions of `sixer atari5` share: options, the data they work on, and the function of each action. */
#ifndef SIXER_CLI_ATARI5_H
#define SIXER_CLI_ATARI5_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/out.h"
#include "sixer/scores.h"

extern const char atari5_name[]; /* "atari5", for cli_error() */

typedef struct atari5_options {
  int64_t size, top, splits, seed, folds, threads, min_games, min_algorithms;
  const char *fold_kind, *require, *exclude, *reference, *constants, *target, *group, *export;
  bool games, percent, json, tsv, nested, allow_negative;
  double hours, frames, fps, runs, gpu_price, cpu_price, gpu_watts, cpu_watts, co2;
} atari5_options;

/* Print an error of the library and return the exit status. */
int atari5_fail(const sixer_error *error);
int atari5_no_memory(void);

/* Print a warning to stderr. */
void atari5_warn(sixer_warning warning);

/* The number of a game in the table; -1 if it is not there. */
int atari5_find_game(const sixer_score_table_info *table, const char *name, size_t length);

/* Add the table's warnings to the results and print everything to stdout. */
void atari5_print(out *o, const sixer_score_table *table);

/* The actions. Each returns the exit status. */
int atari5_score(const atari5_options *opt, const char *file, const sixer_published *published,
                 out *o);
/* `paper`: the table is the paper's data, whose Atari-5 is the default reference. */
int atari5_search(const atari5_options *opt, const sixer_score_table *table, bool paper, out *o);
/* Write the best subset as a protocol to the path of --export. CLI_OK, or the status after a message. */
int atari5_export(const atari5_options *opt, const sixer_score_table_info *d, const sixer_fit *fit,
                  double sd);
int atari5_nest(const atari5_options *opt, const sixer_score_table *table, out *o);
int atari5_structure(const atari5_options *opt, const sixer_score_table *table, out *o);
/* The table is the paper's data in the order of Table 8. */
int atari5_errors(const sixer_score_table *table, const sixer_published *published, out *o);
int atari5_models(const sixer_published *published, out *o);
int atari5_cost(const atari5_options *opt, out *o);

#endif
