/* Joining stores: a run is copied with all of its rows and files, under the id that it has here. Which of two copies of
 * a run is kept does not depend on the order of merging: done before not done, then more frames. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/merge.h"
#include "util/replace.h"
#include "util/os.h"

#define RUN_COLUMNS                                                                                \
  "key, label, agent, options, game, rom, mode, difficulty, seed, frames_budget, "                 \
  "episodes_budget, evaluation_budget, behavior, version, machine, path, attempts, error, added, " \
  "started, ended, seconds, share, frames, steps, episodes, mean, best, evaluated, "               \
  "evaluation_frames, evaluation_mean, score"

static const char copy_sources[] =
    "INSERT OR IGNORE INTO main.%s SELECT NULL, %s FROM other.%s WHERE id = ?1";

/* ---- Files ----------------------------------------------------------------------------------------------------- */

static sixer_err copy_file(const char *from, const char *to, sixer_error *error) {
  FILE *in = os_fopen(from, "rb");
  if (!in && errno == ENOENT) return SIXER_OK;
  replacement *r = in ? replace_open(to) : NULL;
  char piece[1 << 16];
  size_t size;
  bool ok = r != NULL;
  while (ok && (size = fread(piece, 1, sizeof piece, in)) > 0)
    ok = fwrite(piece, 1, size, r->file) == size;
  if (ok && ferror(in)) ok = false;
  int reason = errno;
  if (in) fclose(in);
  if (ok)
    ok = replace_commit(r);
  else
    replace_abandon(r);
  return ok ? SIXER_OK
            : sixer_fail(error, SIXER_ERR_FILE, "%.200s: cannot be copied to %.200s: %s", from, to,
                         strerror(ok       ? 0
                                  : reason ? reason
                                           : errno));
}

static sixer_err copy_files(const merge_source *m, const char *path, sixer_error *error) {
  static const char *const endings[] = {"checkpoint",     "evaluation", "episodes.tsv",
                                        "evaluation.tsv", "curve.tsv",  "scores.tsv"};
  char from[2 * STORE_PATH], to[2 * STORE_PATH];
  snprintf(to, sizeof to, "%s/%s", m->into->folder, path);
  *strrchr(to, '/') = 0;
  if (os_mkdir(to) && errno != EEXIST)
    return sixer_fail(error, SIXER_ERR_FILE, "%.300s: cannot be made: %s", to, strerror(errno));
  sixer_err err = SIXER_OK;
  for (size_t i = 0; i < sizeof endings / sizeof endings[0] && !err; i++) {
    snprintf(from, sizeof from, "%s/%s.%s", m->folder, path, endings[i]);
    snprintf(to, sizeof to, "%s/%s.%s", m->into->folder, path, endings[i]);
    err = copy_file(from, to, error);
  }
  return err;
}

/* The paths in a store are a stranger's: they stay below its folder. */
static bool is_inside(const char *path) {
  return strchr(path, '/') && path[0] != '/' && !strstr(path, "..");
}

/* ---- Runs ------------------------------------------------------------------------------------------------------ */

static sixer_err copy_rows(sixer_store *s, int64_t from, int64_t to, sixer_error *error) {
  static const char *const tables[][2] = {
      {"episodes",
       "phase, number, frames, score, score_1, score_2, score_3, steps, total_frames, "
       "\"end\", lives, mode, difficulty, level"},
      {"curve", "frames, episodes, steps, mean, averaged, best, features"},
      {"scores", "at, score, score_1, score_2, score_3, averaged"},
      {"files", "kind, path, bytes, frames, score"}};
  sixer_err err = SIXER_OK;
  for (size_t i = 0; i < sizeof tables / sizeof tables[0] && !err; i++) {
    char sql[600];
    snprintf(sql, sizeof sql,
             "INSERT INTO main.%s (run_id, %s) SELECT ?2, %s FROM other.%s WHERE run_id = ?1",
             tables[i][0], tables[i][1], tables[i][1], tables[i][0]);
    err = store_run(s, error, sql, "ii", from, to);
  }
  return err;
}

/* The experiment and the protocol of a run. */
static sixer_err copy_origin(sixer_store *s, int64_t experiment, int64_t protocol,
                             sixer_error *error) {
  char sql[300];
  snprintf(sql, sizeof sql, copy_sources, "experiments", "name, text, hash, added", "experiments");
  sixer_err err = store_run(s, error, sql, "i", experiment);
  snprintf(sql, sizeof sql, copy_sources, "protocols", "name, version, hash, text, limits",
           "protocols");
  return err ? err : store_run(s, error, sql, "i", protocol);
}

static sixer_err copy_run(const merge_source *m, int64_t from, int64_t here, sixer_error *error) {
  sixer_store *s = m->into;
  sixer_err err = SIXER_OK;
  if (here) err = store_run(s, error, "DELETE FROM main.runs WHERE id = ?1", "i", here);
  if (!err)
    err = store_run(
        s, error,
        "INSERT INTO main.runs (id, experiment_id, protocol_id, state, " RUN_COLUMNS
        ") SELECT NULLIF(?2, 0), (SELECT e.id FROM main.experiments e WHERE e.hash = (SELECT hash "
        "FROM other.experiments WHERE id = r.experiment_id)), (SELECT p.id FROM main.protocols p "
        "WHERE p.hash = (SELECT hash FROM other.protocols WHERE id = r.protocol_id)), CASE WHEN "
        "state IN ('running', 'away') THEN 'waiting' ELSE state END, " RUN_COLUMNS
        " FROM other.runs r WHERE r.id = ?1",
        "ii", from, here);
  int64_t to = here ? here : sqlite3_last_insert_rowid(s->db);
  return err ? err : copy_rows(s, from, to, error);
}

typedef struct pair {
  int64_t from, here, experiment, protocol;
  char path[500];
  bool better;
} pair;

/* All runs of the other store beside those here, decided before anything is changed. */
static sixer_err list_pairs(const merge_source *m, int64_t only, pair **out, size_t *count,
                            sixer_error *error) {
  sqlite3_stmt *q;
  sixer_err err = store_prepare(
      m->into, &q, error,
      "SELECT o.id, h.id, o.experiment_id, o.protocol_id, o.path, h.id IS NULL OR h.state = 'away' "
      "OR (h.state = 'missing' AND o.state <> 'missing') OR (h.state NOT IN ('done', 'running') "
      "AND (o.state = 'done' OR o.frames + o.evaluation_frames > h.frames + h.evaluation_frames)) "
      "FROM other.runs o LEFT JOIN main.runs h ON h.key = o.key WHERE ?1 = 0 OR o.id = ?1 ORDER BY "
      "o.id",
      "i", only);
  size_t room = 0;
  int step = SQLITE_DONE;
  while (!err && (step = sqlite3_step(q)) == SQLITE_ROW) {
    if (*count == room) {
      room = room ? 2 * room : 64;
      pair *more = realloc(*out, room * sizeof *more);
      if (!more) {
        err = sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
        break;
      }
      *out = more;
    }
    pair *p = &(*out)[*count];
    *p = (pair){sqlite3_column_int64(q, 0),
                sqlite3_column_int64(q, 1),
                sqlite3_column_int64(q, 2),
                sqlite3_column_int64(q, 3),
                "",
                sqlite3_column_int(q, 5)};
    snprintf(p->path, sizeof p->path, "%s", store_text(q, 4));
    if (!is_inside(p->path))
      err = sixer_fail(error, SIXER_ERR_STATE,
                       "the run %lld has its files at '%.100s', outside of the store's folder",
                       (long long)p->from, p->path);
    (*count)++;
  }
  if (!err && step != SQLITE_DONE) err = store_fail(m->into, error);
  sqlite3_finalize(q);
  return err;
}

static sixer_err merge_all(const merge_source *m, int64_t only, sixer_lab_merged *merged,
                           sixer_error *error) {
  pair *pairs = NULL;
  size_t count = 0;
  sixer_err err = list_pairs(m, only, &pairs, &count, error);
  for (size_t i = 0; i < count && !err; i++) {
    const pair *p = &pairs[i];
    if (!p->better) {
      merged->kept++;
      continue;
    }
    err = copy_origin(m->into, p->experiment, p->protocol, error);
    if (!err) err = copy_run(m, p->from, p->here, error);
    if (!err && m->folder) err = copy_files(m, p->path, error);
    if (p->here)
      merged->replaced++;
    else
      merged->added++;
  }
  free(pairs);
  return err;
}

sixer_err merge_runs(const merge_source *m, const char *other, int64_t only,
                     sixer_lab_merged *merged, sixer_error *error) {
  sixer_store *s = m->into;
  sixer_lab_merged counted = {0};
  sixer_err err = store_run(s, error, "ATTACH ?1 AS other", "t", other);
  if (err) return err;
  err = store_begin(s, error);
  if (!err) err = store_end(s, merge_all(m, only, &counted, error), error);
  store_run(s, NULL, "DETACH other", "");
  if (!err && merged) *merged = counted;
  return err;
}

sixer_err sixer_lab_merge(sixer_store *s, const char *other, sixer_lab_merged *merged,
                          sixer_error *error) {
  sixer_store *o;
  /* opened for writing: an older version is brought to ours */
  sixer_err err = sixer_store_open(other, SIXER_STORE_WRITE, &o, error);
  if (err) return err;
  char here[OS_PATH_MAX], there[OS_PATH_MAX];
  if (os_realpath(s->path, here) && os_realpath(other, there) && !strcmp(here, there)) {
    sixer_store_close(o);
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "%.300s: a store cannot be merged with itself",
                      other);
  }
  char folder[STORE_PATH];
  snprintf(folder, sizeof folder, "%s", o->folder);
  sixer_store_close(o);
  return merge_runs(&(merge_source){s, folder}, other, 0, merged, error);
}

sixer_err sixer_lab_split(sixer_store *s, int64_t run, const char *path, sixer_error *error) {
  int64_t waiting;
  sixer_err err =
      store_number(s, 0, &waiting, error,
                   "SELECT COUNT(*) FROM runs WHERE id = ?1 AND state = 'waiting'", "i", run);
  if (err) return err;
  if (!waiting)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "the run %lld is not waiting: it does not exist, is done, or is worked on "
                      "elsewhere (`sixer lab status` lists the runs)",
                      (long long)run);
  if (os_access(path, OS_EXISTS) == 0)
    return sixer_fail(error, SIXER_ERR_FILE, "%.300s exists already; name another file", path);
  sixer_store *piece;
  err = sixer_store_open(path, SIXER_STORE_CREATE, &piece, error);
  if (err) return err;
  err = merge_runs(&(merge_source){piece, s->folder}, s->path, run, NULL, error);
  sixer_store_close(piece);
  if (!err) err = store_begin(s, error);
  if (err) {
    os_unlink(path);
    return err;
  }
  err = store_run(s, error,
                  "UPDATE runs SET state = 'away', heartbeat = ?2 WHERE id = ?1 AND state = "
                  "'waiting'",
                  "ir", run, store_seconds());
  return store_end(s, err, error);
}
