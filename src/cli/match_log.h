/* The games of a tournament in a file, each as soon as it has been played, so that a tournament that was interrupted or
 * killed goes on with the games that are missing. The file is a table of tab-separated values behind comments that say
 * what was played. */
#ifndef SIXER_CLI_MATCH_LOG_H
#define SIXER_CLI_MATCH_LOG_H

#include "cli/match.h"

typedef struct match_log match_log;

/* Create the file, or, with `resume`, read it if it is there: the games of `m` that it has are filled in and marked as
 * played. It is an error if the file is there without `resume`, is of another match, or is in use. A last line that was
 * cut off is dropped. */
sixer_err match_log_open(const char *path, bool resume, match *m, match_log **log,
                         sixer_error *error);

/* Add a game. It is in the file when this returns, even if the program is killed then. */
sixer_err match_log_add(match_log *log, const match *m, const match_game *game, sixer_error *error);

void match_log_close(match_log *log); /* NULL is allowed */

/* "none", "game over" or "limit", and back. */
const char *match_end_name(sixer_end end);

#endif
