/* Log files of training libraries as tables. A file's format is recognized by its contents, and every format becomes an
 * eval_table, so that one reader (score_rows.c) checks them all:
 *
 * - Stable-Baselines3's monitor files: log_monitor.c
 * - TensorBoard event files with the scalars of CleanRL: log_events.c
 * - Dopamine's logs, which are Python pickles: log_dopamine.c, log_pickle.c
 * - JSON and JSON lines: log_json.c
 * - everything else is CSV or TSV: eval_table.c
 *
 * The files are not trusted. A file that was cut off in the middle gives what is complete, and `cut` says so. */
#ifndef SIXER_EVAL_LOG_FILE_H
#define SIXER_EVAL_LOG_FILE_H

#include "eval/eval_table.h"
#include "eval/scores.h"

typedef enum log_format { LOG_TABLE, LOG_MONITOR, LOG_EVENTS, LOG_DOPAMINE, LOG_JSON } log_format;

typedef struct log_file {
  log_format format;
  eval_table table;
  const char *agent, *run; /* as the folder's name says; NULL if it does not */
  const char *cut;         /* where the file breaks off; NULL: it is complete */
  const char *note;        /* which of its episodes count; NULL: all */
  int frames_per_step;     /* of the format; 0: by the id of the environment */
} log_file;

/* `origin` is the path of the file: CleanRL and Dopamine write game, agent and seed there only. `scores`: whose
 * protocol says which episodes count. */
sixer_err log_file_parse(memory_arena *arena, const char *text, size_t size, const char *origin,
                         const sixer_scores *scores, log_file *file, sixer_error *error);

sixer_err log_monitor_parse(memory_arena *arena, const char *text, size_t size, const char *origin,
                            log_file *file, sixer_error *error);
bool log_events_recognize(const char *text, size_t size);
sixer_err log_events_parse(memory_arena *arena, const char *text, size_t size, const char *origin,
                           log_file *file, sixer_error *error);
sixer_err log_dopamine_parse(memory_arena *arena, const char *text, size_t size, const char *origin,
                             const sixer_scores *scores, log_file *file, sixer_error *error);
sixer_err log_json_parse(memory_arena *arena, const char *text, size_t size, const char *origin,
                         log_file *file, sixer_error *error);

#endif
