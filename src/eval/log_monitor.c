/* Stable-Baselines3's monitor files: a line of JSON after a '#', then CSV with a row per episode: r (the sum of
 * rewards), l (steps), t (seconds since t_start), and columns of the user's own, which are skipped.
 *
 *     #{"t_start": 1700000000.5, "env_id": "PongNoFrameskip-v4"}
 *     r,l,t
 *     -21.0,3056,4.2
 *
 * The table that is made of it has the time of an episode's end as its number: the files of parallel environments,
 * which are one run, are merged in the order of time, as stable_baselines3.common.monitor.load_results() does. */
#include <stdio.h>
#include <string.h>

#include "eval/log_file.h"

/* The first line: the game and the time of the start. */
static sixer_err read_head(memory_arena *arena, const char *text, size_t size, const char *origin,
                           const char **game, double *start, sixer_error *error) {
  log_file head = {0};
  sixer_error inner = {SIXER_OK, ""};
  sixer_err err = log_json_parse(arena, text, size, origin, &head, &inner);
  if (err == SIXER_ERR_MEMORY) return arena_no_memory(error);
  int env = err ? -1 : eval_table_column(&head.table, "env_id");
  int at = err ? -1 : eval_table_column(&head.table, "t_start");
  if (err || head.cut)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s:1: the first line of a monitor file is not complete JSON", origin);
  *game = env < 0 ? "" : eval_table_field(&head.table, 0, env);
  if (!**game || !strcmp(*game, "None"))
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s:1: the monitor file does not name its game; write \"env_id\": "
                      "\"ALE/Pong-v5\" or the like into its first line",
                      origin);
  if (at < 0 || !number_read(eval_table_field(&head.table, 0, at), NUMBER_FINITE, start))
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s:1: the first line of a monitor file lacks \"t_start\", a time in seconds",
                      origin);
  return SIXER_OK;
}

sixer_err log_monitor_parse(memory_arena *arena, const char *text, size_t size, const char *origin,
                            log_file *file, sixer_error *error) {
  static const char *const names[] = {"game", "score", "l", "episode"};
  enum { COLUMNS = sizeof names / sizeof *names };
  const char *game = "", *open = memchr(text, '{', size), *stop = memchr(text, '\n', size);
  double start = 0;
  if (!open) open = text;
  size_t head = stop && stop > open ? (size_t)(stop - open) : size - (size_t)(open - text);
  sixer_err err = read_head(arena, open, head, origin, &game, &start, error);
  if (err) return err;

  /* every complete line ends with a line break; the numbers of another may lack digits */
  size_t whole = size;
  while (whole && text[whole - 1] != '\n') whole--;
  if (whole < size && !(file->cut = arena_copy(arena, "in its last line", 16)))
    return arena_no_memory(error);
  eval_table raw;
  err = eval_table_parse(arena, text, whole, origin, &raw, error);
  if (err) return err;
  int columns[3];
  for (int i = 0; i < 3; i++) {
    columns[i] = eval_table_column(&raw, (const char *const[]){"r", "l", "t"}[i]);
    if (columns[i] < 0)
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%s: a monitor file has the columns r, l and t; %c is missing", origin,
                        "rlt"[i]);
  }
  eval_table t = {.origin = raw.origin, .columns = COLUMNS, .rows = raw.rows, .lines = raw.lines};
  t.names = arena_alloc(arena, sizeof names);
  t.fields = arena_alloc(arena, (t.rows + 1) * COLUMNS * sizeof *t.fields);
  if (!t.names || !t.fields) return arena_no_memory(error);
  memcpy(t.names, names, sizeof names);
  for (size_t r = 0; r < t.rows; r++) {
    const char **fields = t.fields + r * COLUMNS;
    double seconds;
    char number[32];
    fields[0] = game;
    for (int i = 0; i < 2; i++) fields[1 + i] = eval_table_field(&raw, r, columns[i]);
    if (!number_read(eval_table_field(&raw, r, columns[2]), NUMBER_FINITE, &seconds))
      return sixer_fail(error, SIXER_ERR_FILE, "%s:%d: the time '%.30s' is not a number", origin,
                        raw.lines[r], eval_table_field(&raw, r, columns[2]));
    number_text(start + seconds, number);
    fields[3] = arena_copy(arena, number, strlen(number));
    if (!fields[3]) return arena_no_memory(error);
  }
  file->table = t;
  return SIXER_OK;
}
