/* The tape that a command writes. A new tape is written under its own name while it is recorded, so that a program that
 * is killed leaves a readable one. A tape that is replaced (--force) stays until the new one is complete: the new one
 * is recorded into a hidden file beside it and renamed at the end. */
#ifndef SIXER_CLI_TAPE_OUTPUT_H
#define SIXER_CLI_TAPE_OUTPUT_H

#include <stdbool.h>

#include "sixer/sixer.h"
#include "util/replace.h"

typedef struct tape_output {
  const char *target; /* as the user called it */
  const char *path;   /* record here: sixer_recorder_open() */
  replacement *beside;
} tape_output;

/* Choose where to record. Nothing is written yet. A file that exists is refused unless `force`; what is not a plain
 * file is never replaced. */
sixer_err tape_output_begin(tape_output *o, const char *target, bool force, sixer_error *error);

/* The recorder was closed, or never opened. If all went well the tape is put in place. Else a tape with `steps` steps
 * stays where it was recorded and is named on stderr, and one without steps is removed. */
sixer_err tape_output_end(tape_output *o, bool well, int64_t steps, sixer_error *error);

#endif
