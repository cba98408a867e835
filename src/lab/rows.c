/* Reading the row files of training runs (docs/training.md) into the store.
 *
 * The files are the truth while a run is under way: its checkpoint knows their sizes and checksums. Rows are final once
 * a checkpoint was written after them, and only then they are stored. So the store always holds a prefix of the final
 * rows, whenever the program is killed, and the next one appends what is missing. */
#include "lab/rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/number.h"
#include "util/os.h"

enum { MAX_COLUMNS = 40 };

/* A table of tab-separated values, line by line. */
typedef struct tsv {
  FILE *file;
  char *line, *head;
  size_t room;
  const char *names[MAX_COLUMNS], *fields[MAX_COLUMNS];
  int columns, count;
} tsv;

static int split(char *line, const char **fields) {
  int count = 0;
  line[strcspn(line, "\r\n")] = 0;
  for (char *at = line; at && count < MAX_COLUMNS;) {
    fields[count++] = at;
    at = strchr(at, '\t');
    if (at) *at++ = 0;
  }
  return count;
}

static void tsv_close(tsv *t) {
  if (t->file) fclose(t->file);
  free(t->line);
  free(t->head);
  *t = (tsv){0};
}

/* False if the file is not there. */
static bool tsv_open(tsv *t, const job *j, const char *ending) {
  char path[STORE_PATH + 40];
  *t = (tsv){0};
  snprintf(path, sizeof path, "%s.%s", j->path, ending);
  t->file = os_fopen(path, "r");
  if (!t->file) return false;
  if (os_getline(&t->line, &t->room, t->file) <= 0 || !(t->head = strdup(t->line))) {
    tsv_close(t);
    return false;
  }
  t->columns = split(t->head, t->names);
  return true;
}

/* The next whole line; false at the end. */
static bool tsv_next(tsv *t) {
  ssize_t length = os_getline(&t->line, &t->room, t->file);
  if (length <= 0 || t->line[length - 1] != '\n') return false;
  t->count = split(t->line, t->fields);
  return true;
}

static const char *tsv_field(const tsv *t, const char *name) {
  for (int i = 0; i < t->columns && i < t->count; i++) {
    if (!strcmp(t->names[i], name)) return t->fields[i];
  }
  return NULL;
}

/* NaN if there is no such number. */
static double tsv_real(const tsv *t, const char *name) {
  const char *text = tsv_field(t, name);
  double value;
  return text && number_read(text, NUMBER_INF | NUMBER_NAN, &value) ? value : NAN;
}

static int64_t tsv_int(const tsv *t, const char *name) {
  const char *text = tsv_field(t, name);
  return text ? strtoll(text, NULL, 10) : 0;
}

/* The scores after the first play times: the columns score_N in their order. */
static void tsv_limits(const tsv *t, double scores[3]) {
  int found = 0;
  scores[0] = scores[1] = scores[2] = NAN;
  for (int i = 0; i < t->columns && i < t->count && found < 3; i++) {
    if (!strncmp(t->names[i], "score_", 6)) number_read(t->fields[i], NUMBER_INF, &scores[found++]);
  }
}

/* ---- Rows ------------------------------------------------------------------------------------------------------ */

static void bind_episode(sqlite3_stmt *q, const tsv *t, int64_t run, const char *phase) {
  double limits[3], none = NAN;
  tsv_limits(t, limits);
  bool lives = tsv_field(t, "lives") != NULL;
  store_bind(q, "itiirrrriitriii", run, phase, tsv_int(t, "episode"), tsv_int(t, "frames"),
             tsv_real(t, "score"), limits[0], limits[1], limits[2], tsv_int(t, "steps"),
             tsv_int(t, "total_frames"), tsv_field(t, "end"),
             lives ? (double)tsv_int(t, "lives") : none, tsv_int(t, "mode"),
             tsv_int(t, "difficulty"), tsv_int(t, "level"));
}

static const char insert_episode[] =
    "INSERT INTO episodes (run_id, phase, number, frames, score, score_1, score_2, score_3, steps, "
    "total_frames, \"end\", lives, mode, difficulty, level) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, "
    "?8, ?9, ?10, ?11, CAST(?12 AS INTEGER), ?13, ?14, ?15)";
static const char insert_curve[] =
    "INSERT INTO curve (run_id, frames, episodes, steps, mean, averaged, best, features) VALUES "
    "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

enum { FILE_EPISODES, FILE_EVALUATION, FILE_CURVE, FILES };
static const char *const endings[FILES] = {"episodes.tsv", "evaluation.tsv", "curve.tsv"};

static void bind_row(sqlite3_stmt *q, const tsv *t, int64_t run, int which) {
  if (which == FILE_CURVE)
    store_bind(q, "iiiiriri", run, tsv_int(t, "frames"), tsv_int(t, "episodes"),
               tsv_int(t, "steps"), tsv_real(t, "mean"), tsv_int(t, "averaged"),
               tsv_real(t, "best"), tsv_int(t, "features"));
  else
    bind_episode(q, t, run, which == FILE_EVALUATION ? "evaluation" : "training");
}

static sixer_err import_file(sixer_store *s, const job *j, rows_state *state, int which,
                             sixer_error *error) {
  tsv t;
  if (!tsv_open(&t, j, endings[which])) return SIXER_OK;
  if (state->offset[which]) fseek(t.file, state->offset[which], SEEK_SET);
  sqlite3_stmt *q;
  sixer_err err =
      store_prepare(s, &q, error, which == FILE_CURVE ? insert_curve : insert_episode, "");
  long offset = ftell(t.file);
  while (!err && tsv_next(&t)) {
    offset = ftell(t.file);
    if (state->read[which]++ < state->stored[which]) continue;
    bind_row(q, &t, j->id, which);
    if (sqlite3_step(q) != SQLITE_DONE) err = store_fail(s, error);
    sqlite3_reset(q);
    state->stored[which]++;
  }
  state->offset[which] = offset;
  sqlite3_finalize(q);
  tsv_close(&t);
  return err;
}

static sixer_err import_scores(sixer_store *s, const job *j, sixer_error *error) {
  tsv t;
  sixer_err err = store_run(s, error, "DELETE FROM scores WHERE run_id = ?1", "i", j->id);
  if (err || !tsv_open(&t, j, "scores.tsv")) return err;
  while (!err && tsv_next(&t)) {
    double limits[3];
    tsv_limits(&t, limits);
    err = store_run(s, error,
                    "INSERT OR REPLACE INTO scores (run_id, at, score, score_1, score_2, score_3, "
                    "averaged) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                    "iirrrri", j->id, tsv_int(&t, "frames"), tsv_real(&t, "score"), limits[0],
                    limits[1], limits[2], tsv_int(&t, "averaged"));
  }
  tsv_close(&t);
  return err;
}

static sixer_err count_rows(sixer_store *s, const job *j, rows_state *state, sixer_error *error) {
  *state = (rows_state){.known = true};
  sixer_err err = store_number(
      s, 0, &state->stored[FILE_EPISODES], error,
      "SELECT COUNT(*) FROM episodes WHERE run_id = ?1 AND phase = 'training'", "i", j->id);
  if (!err)
    err = store_number(s, 0, &state->stored[FILE_EVALUATION], error,
                       "SELECT COUNT(*) FROM episodes WHERE run_id = ?1 AND phase = 'evaluation'",
                       "i", j->id);
  if (!err)
    err = store_number(s, 0, &state->stored[FILE_CURVE], error,
                       "SELECT COUNT(*) FROM curve WHERE run_id = ?1", "i", j->id);
  return err;
}

sixer_err rows_import(sixer_store *s, const job *j, rows_state *state, sixer_error *error) {
  sixer_err err = state->known ? SIXER_OK : count_rows(s, j, state, error);
  for (int i = 0; i < FILES && !err; i++) err = import_file(s, j, state, i, error);
  return err ? err : import_scores(s, j, error);
}

sixer_err rows_remove(sixer_store *s, int64_t run, sixer_error *error) {
  sixer_err err = store_run(s, error, "DELETE FROM episodes WHERE run_id = ?1", "i", run);
  if (!err) err = store_run(s, error, "DELETE FROM curve WHERE run_id = ?1", "i", run);
  if (!err) err = store_run(s, error, "DELETE FROM scores WHERE run_id = ?1", "i", run);
  if (!err) err = store_run(s, error, "DELETE FROM files WHERE run_id = ?1", "i", run);
  return err;
}

sixer_err rows_note_file(sixer_store *s, const job *j, const char *kind, const char *ending,
                         int64_t frames, sixer_error *error) {
  char path[STORE_PATH + 40];
  os_status info;
  snprintf(path, sizeof path, "%s.%s", j->path, ending);
  if (os_stat(path, &info)) return SIXER_OK;
  const char *relative = path + strlen(s->folder) + 1;
  return store_run(s, error,
                   "INSERT OR REPLACE INTO files (run_id, kind, path, bytes, frames) VALUES (?1, "
                   "?2, ?3, ?4, ?5)",
                   "ittii", j->id, kind, relative, (int64_t)info.size, frames);
}
