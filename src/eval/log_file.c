/* Recognizing a log file: see log_file.h. */
#include "eval/log_file.h"

#include <string.h>

#include "eval/log_pickle.h"

sixer_err log_file_parse(memory_arena *arena, const char *text, size_t size, const char *origin,
                         const sixer_scores *scores, log_file *file, sixer_error *error) {
  log_file made = {.format = LOG_TABLE};
  const char *at = text, *end = text + size;
  sixer_err err;
  if (size >= 16 && !memcmp(at, "SQLite format 3", 16))
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s: an SQLite database; `sixer eval FILE` and `sixer report FILE` read a "
                      "store of `sixer lab`, without NAME= before it",
                      origin);
  if (size >= 3 && !memcmp(at, "\xef\xbb\xbf", 3)) at += 3; /* byte order mark */
  while (at < end && *at && strchr(" \t\r\n", *at)) at++;
  if (log_events_recognize(text, size)) {
    made.format = LOG_EVENTS;
  } else if (pickle_recognize(text, size)) {
    made.format = LOG_DOPAMINE;
  } else if (at < end && *at == '#') {
    const char *next = at + 1;
    while (next < end && *next == ' ') next++;
    if (next < end && *next == '{') made.format = LOG_MONITOR;
  } else if (at < end && (*at == '{' || *at == '[')) {
    made.format = LOG_JSON;
  }
  switch (made.format) {
    case LOG_MONITOR: err = log_monitor_parse(arena, text, size, origin, &made, error); break;
    case LOG_EVENTS: err = log_events_parse(arena, text, size, origin, &made, error); break;
    case LOG_DOPAMINE:
      err = log_dopamine_parse(arena, text, size, origin, scores, &made, error);
      break;
    case LOG_JSON: err = log_json_parse(arena, text, size, origin, &made, error); break;
    default: err = eval_table_parse(arena, text, size, origin, &made.table, error); break;
  }
  if (!err) *file = made;
  return err;
}
