/* Datasets from tapes: NumPy arrays and a manifest in a folder (docs/tapes.md). */
#ifndef SIXER_CLI_EXPORT_H
#define SIXER_CLI_EXPORT_H

#include <stdbool.h>

#include "sixer/tape.h"

typedef struct dataset dataset;

/* Begin a dataset in a new folder. `observations` is a list of screen, rgb, gray and ram, or "none". On failure NULL
 * and an error. */
dataset *dataset_create(const char *folder, const char *observations, sixer_error *error);

/* Add all of a tape, played on `env`, which is new. With `verify` digests that differ are errors. */
sixer_err dataset_begin_tape(dataset *d, const char *path, const sixer_tape *tape, sixer_env *env,
                             sixer_error *error);
sixer_err dataset_add(dataset *d, sixer_env *env, const sixer_tape_event *event,
                      sixer_error *error);
sixer_err dataset_end_tape(dataset *d, sixer_error *error);

int64_t dataset_steps(const dataset *d); /* so far */

/* Finish. The folder appears only now, and only if `keep`. */
sixer_err dataset_close(dataset *d, bool keep, sixer_error *error);

#endif
