/* The queue of runs: claims, owners and their signs of life.
 *
 * A claim is one UPDATE inside of a transaction that holds the store's write lock, so no two programs get the same run.
 * It names its owner. All later changes are made `WHERE owner = me`: a program that was taken for dead, because its
 * machine slept, notices that its run has gone and leaves it alone. */
#include "lab/jobs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/random.h"
#include "util/os.h"
#include "util/os_cpu.h"

enum { SILENCE = 120 /* seconds after which an owner on another host counts as dead */ };

/* ---- Owners ---------------------------------------------------------------------------------------------------- */

void job_owner_make(job_owner *o) {
  char boot[40] = "", name[50] = "";
  os_host_name(name, sizeof name);
  name[48] = 0;
  os_boot_name(boot, sizeof boot);
  *o = (job_owner){.pid = os_pid(), .start = os_process_start(os_pid())};
  snprintf(o->host, sizeof o->host, "%s/%.36s", name, boot);
  /* two stores that one process has open are two owners */
  uint64_t mixed = random_mix((uint64_t)(store_seconds() * 1e9) ^ (uint64_t)(uintptr_t)o);
  snprintf(o->name, sizeof o->name, "%s %" PRId64 " %08" PRIx64, name, o->pid, mixed >> 32);
}

/* Is the owner of a row alive? On this host the process tells, elsewhere its heartbeat. */
static bool is_alive(const job_owner *me, const char *host, int64_t pid, int64_t start,
                     double beat) {
  if (!strcmp(host, me->host) && me->start) return os_process_start(pid) == start && start;
  return store_seconds() - beat < SILENCE;
}

sixer_err jobs_take_over(sixer_store *s, const job_owner *owner, sixer_error *error) {
  sixer_err err = store_begin(s, error);
  if (err) return err;
  sqlite3_stmt *q = NULL;
  err = store_prepare(s, &q, error,
                      "SELECT id, host, pid, process_start, heartbeat FROM runs WHERE state = "
                      "'running' AND owner <> ?1",
                      "t", owner->name);
  int step = SQLITE_DONE;
  while (!err && (step = sqlite3_step(q)) == SQLITE_ROW) {
    if (is_alive(owner, store_text(q, 1), sqlite3_column_int64(q, 2), sqlite3_column_int64(q, 3),
                 sqlite3_column_double(q, 4)))
      continue;
    err = store_run(s, error, "UPDATE runs SET state = 'waiting', owner = NULL WHERE id = ?1", "i",
                    sqlite3_column_int64(q, 0));
  }
  if (!err && step != SQLITE_DONE) err = store_fail(s, error);
  sqlite3_finalize(q);
  return store_end(s, err, error);
}

/* ---- Claims ---------------------------------------------------------------------------------------------------- */

static void describe_machine(char *text, size_t size) {
  char system[60], model[100];
  os_system_name(system, sizeof system);
  os_processor_name(model, sizeof model);
  snprintf(text, size, "%.41s, %.90s, %d processors", system,
           model[0] ? model : "unknown processor", os_processors_on());
}

static void copy_column(char *out, size_t size, sqlite3_stmt *q, int column) {
  snprintf(out, size, "%s", store_text(q, column));
}

void job_free(job *j) {
  free(j->options);
  free(j->protocol);
  j->options = j->protocol = NULL;
}

static sixer_err read_job(const sixer_store *s, sqlite3_stmt *q, job *out, sixer_error *error) {
  *out = (job){.id = sqlite3_column_int64(q, 0)};
  copy_column(out->label, sizeof out->label, q, 1);
  copy_column(out->agent, sizeof out->agent, q, 2);
  copy_column(out->game, sizeof out->game, q, 4);
  snprintf(out->path, sizeof out->path, "%.2000s/%.2000s", s->folder, store_text(q, 5));
  out->mode = sqlite3_column_int(q, 6);
  out->difficulty = sqlite3_column_int(q, 7);
  out->seed = sqlite3_column_int64(q, 8);
  out->frames_budget = sqlite3_column_int64(q, 9);
  out->episodes_budget = sqlite3_column_int64(q, 10);
  out->evaluation_budget = sqlite3_column_int64(q, 11);
  out->seconds = sqlite3_column_double(q, 12);
  copy_column(out->protocol_hash, sizeof out->protocol_hash, q, 14);
  copy_column(out->rom, sizeof out->rom, q, 15);
  out->options = strdup(store_text(q, 3));
  out->protocol = strdup(store_text(q, 13));
  if (out->options && out->protocol) return SIXER_OK;
  job_free(out);
  return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
}

static sixer_err claim(sixer_store *s, const job_owner *owner, int64_t only, job *out, bool *found,
                       sixer_error *error) {
  sqlite3_stmt *q;
  sixer_err err = store_prepare(
      s, &q, error,
      "SELECT r.id, r.label, r.agent, r.options, r.game, r.path, r.mode, r.difficulty, r.seed, "
      "r.frames_budget, r.episodes_budget, r.evaluation_budget, r.seconds, p.text, p.hash, r.rom "
      "FROM runs r JOIN protocols p ON p.id = r.protocol_id "
      "WHERE r.state = 'waiting' AND (?1 = 0 OR r.id = ?1) ORDER BY r.id LIMIT 1",
      "i", only);
  if (err) return err;
  int step = sqlite3_step(q);
  if (step == SQLITE_ROW)
    err = read_job(s, q, out, error);
  else if (step != SQLITE_DONE)
    err = store_fail(s, error);
  *found = !err && step == SQLITE_ROW;
  sqlite3_finalize(q);
  if (!*found) return err;
  char machine[200], now[32];
  describe_machine(machine, sizeof machine);
  store_now(now);
  err = store_run(s, error,
                  "UPDATE runs SET state = 'running', owner = ?2, host = ?3, pid = ?4, "
                  "process_start = ?5, heartbeat = ?6, attempts = attempts + 1, error = NULL, "
                  "machine = ?7, version = ?8, started = COALESCE(started, ?9), ended = NULL "
                  "WHERE id = ?1",
                  "ittiirttt", out->id, owner->name, owner->host, owner->pid, owner->start,
                  store_seconds(), machine, SIXER_VERSION, now);
  if (err) job_free(out);
  return err;
}

sixer_err jobs_claim(sixer_store *s, const job_owner *owner, int64_t only, job *out, bool *found,
                     sixer_error *error) {
  *found = false;
  sixer_err err = store_begin(s, error);
  if (err) return err;
  err = claim(s, owner, only, out, found, error);
  bool claimed = !err && *found;
  err = store_end(s, err, error);
  if (err && claimed) job_free(out);
  if (err) *found = false;
  return err;
}

sixer_err jobs_beat(sixer_store *s, const job_owner *owner, sixer_error *error) {
  sixer_err err = store_begin(s, error);
  if (err) return err;
  err = store_run(s, error, "UPDATE runs SET heartbeat = ?2 WHERE state = 'running' AND owner = ?1",
                  "tr", owner->name, store_seconds());
  return store_end(s, err, error);
}

static sixer_err still_mine(sixer_store *s, sixer_error *error) {
  if (sqlite3_changes(s->db) == 1) return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_STATE,
                    "the run was taken over by another program; its results come from there");
}

sixer_err jobs_release(sixer_store *s, const job_owner *owner, const job *j, const char *state,
                       const char *why, sixer_error *error) {
  char now[32];
  store_now(now);
  sixer_err err = store_run(
      s, error,
      "UPDATE runs SET state = ?3, error = ?4, owner = NULL, ended = CASE WHEN ?3 = "
      "'waiting' THEN NULL ELSE ?5 END WHERE id = ?1 AND owner = ?2 AND state = 'running'",
      "itttt", j->id, owner->name, state, why, now);
  return err ? err : still_mine(s, error);
}

sixer_err jobs_progress(sixer_store *s, const job_owner *owner, const job *j,
                        const sixer_train_progress *p, double score, double seconds,
                        sixer_error *error) {
  double share = p->finished ? 1 : p->share;
  if (p->evaluation && !p->finished) {
    /* episodes without learning count as a tenth of the work */
    share = 0.9 * p->share + 0.1 * p->evaluated / p->evaluation;
  }
  sixer_err err = store_run(
      s, error,
      "UPDATE runs SET share = ?3, frames = ?4, steps = ?5, episodes = ?6, mean = ?7, best = ?8, "
      "evaluated = ?9, evaluation_frames = ?10, evaluation_mean = ?11, score = ?12, seconds = ?13, "
      "heartbeat = ?14 WHERE id = ?1 AND owner = ?2 AND state = 'running'",
      "itriiirriirrrr", j->id, owner->name, share, p->frames, p->steps, p->episodes, p->mean,
      p->best, (int64_t)p->evaluated, p->evaluation_frames, p->evaluated ? p->evaluation_mean : NAN,
      score, seconds, store_seconds());
  return err ? err : still_mine(s, error);
}

/* ---- Retry ----------------------------------------------------------------------------------------------------- */

static void remove_files(const sixer_store *s, const char *path) {
  static const char *const endings[] = {"checkpoint",     "evaluation", "episodes.tsv",
                                        "evaluation.tsv", "curve.tsv",  "scores.tsv"};
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    char full[2 * STORE_PATH];
    snprintf(full, sizeof full, "%s/%s.%s", s->folder, path, endings[i]);
    os_unlink(full);
  }
}

/* Forget everything about the runs in this state, and remove their files. */
static sixer_err start_over(sixer_store *s, sixer_error *error) {
  static const char *const tables[] = {"episodes", "curve", "scores", "files"};
  sqlite3_stmt *q;
  sixer_err err = SIXER_OK;
  for (size_t i = 0; i < sizeof tables / sizeof tables[0] && !err; i++) {
    char sql[200];
    snprintf(sql, sizeof sql,
             "DELETE FROM %s WHERE run_id IN (SELECT id FROM runs WHERE state IN ('failed', "
             "'away'))",
             tables[i]);
    err = store_run(s, error, sql, "");
  }
  if (!err)
    err = store_run(s, error,
                    "UPDATE runs SET share = 0, frames = 0, steps = 0, episodes = 0, mean = NULL, "
                    "best = NULL, evaluated = 0, evaluation_frames = 0, evaluation_mean = NULL, "
                    "score = NULL, seconds = 0, started = NULL WHERE state IN ('failed', 'away')",
                    "");
  if (!err)
    err =
        store_prepare(s, &q, error, "SELECT path FROM runs WHERE state IN ('failed', 'away')", "");
  if (err) return err;
  while (sqlite3_step(q) == SQLITE_ROW) remove_files(s, store_text(q, 0));
  sqlite3_finalize(q);
  return SIXER_OK;
}

sixer_err sixer_lab_retry(sixer_store *s, bool fresh, int *count, sixer_error *error) {
  sixer_err err = store_begin(s, error);
  if (err) return err;
  if (fresh) err = start_over(s, error);
  if (!err)
    err = store_run(s, error,
                    "UPDATE runs SET state = 'waiting', error = NULL, owner = NULL, ended = NULL "
                    "WHERE state IN ('failed', 'away')",
                    "");
  int changed = sqlite3_changes(s->db);
  err = store_end(s, err, error);
  if (!err && count) *count = changed;
  return err;
}

/* ---- Looking --------------------------------------------------------------------------------------------------- */

sixer_err sixer_lab_count(sixer_store *s, sixer_lab_counts *counts, sixer_error *error) {
  sqlite3_stmt *q;
  pthread_mutex_lock(&s->lock);
  sixer_err err = store_prepare(s, &q, error,
                                "SELECT state, COUNT(*), SUM(frames), SUM(episodes), SUM(share) "
                                "FROM runs GROUP BY state",
                                "");
  sixer_lab_counts c = {0};
  double share = 0;
  int total = 0, step = SQLITE_DONE;
  while (!err && (step = sqlite3_step(q)) == SQLITE_ROW) {
    static const char *const states[] = {"waiting", "running", "done", "failed", "missing", "away"};
    int *const numbers[] = {&c.waiting, &c.running, &c.done, &c.failed, &c.missing, &c.away};
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
      if (!strcmp(states[i], store_text(q, 0))) *numbers[i] = sqlite3_column_int(q, 1);
    }
    total += sqlite3_column_int(q, 1);
    c.frames += sqlite3_column_int64(q, 2);
    c.episodes += sqlite3_column_int64(q, 3);
    share += sqlite3_column_double(q, 4);
  }
  if (!err && step != SQLITE_DONE) err = store_fail(s, error);
  sqlite3_finalize(q);
  pthread_mutex_unlock(&s->lock);
  c.share = total ? share / total : 0;
  if (!err) *counts = c;
  return err;
}

sixer_err sixer_lab_each(sixer_store *s, const char *state,
                         bool (*each)(void *context, const sixer_lab_run *run), void *context,
                         sixer_error *error) {
  sqlite3_stmt *q;
  pthread_mutex_lock(&s->lock);
  sixer_err err = store_prepare(
      s, &q, error,
      "SELECT r.id, r.label, r.agent, r.game, r.state, r.error, p.name, r.path, r.seed, r.frames, "
      "r.episodes, r.frames_budget, r.share, r.mean, r.best, r.evaluation_mean, r.score, "
      "r.seconds, r.evaluated, r.attempts FROM runs r JOIN protocols p ON p.id = r.protocol_id "
      "WHERE ?1 IS NULL OR r.state = ?1 ORDER BY r.id",
      "t", state);
  int step = SQLITE_DONE;
  while (!err && (step = sqlite3_step(q)) == SQLITE_ROW) {
    char path[2 * STORE_PATH];
    snprintf(path, sizeof path, "%s/%s", s->folder, store_text(q, 7));
    sixer_lab_run run = {.id = sqlite3_column_int64(q, 0),
                         .label = store_text(q, 1),
                         .agent = store_text(q, 2),
                         .game = store_text(q, 3),
                         .state = store_text(q, 4),
                         .error = (const char *)sqlite3_column_text(q, 5),
                         .protocol = store_text(q, 6),
                         .path = path,
                         .seed = sqlite3_column_int64(q, 8),
                         .frames = sqlite3_column_int64(q, 9),
                         .episodes = sqlite3_column_int64(q, 10),
                         .frames_budget = sqlite3_column_int64(q, 11),
                         .share = sqlite3_column_double(q, 12),
                         .mean = store_real(q, 13),
                         .best = store_real(q, 14),
                         .evaluation_mean = store_real(q, 15),
                         .score = store_real(q, 16),
                         .seconds = sqlite3_column_double(q, 17),
                         .evaluated = sqlite3_column_int(q, 18),
                         .attempts = sqlite3_column_int(q, 19)};
    if (!each(context, &run)) {
      step = SQLITE_DONE;
      break;
    }
  }
  if (!err && step != SQLITE_DONE) err = store_fail(s, error);
  sqlite3_finalize(q);
  pthread_mutex_unlock(&s->lock);
  return err;
}

sixer_err sixer_lab_add_file(sixer_store *s, int64_t run, const char *kind, const char *path,
                             double score, sixer_error *error) {
  sixer_err err = store_begin(s, error);
  if (err) return err;
  err = store_run(s, error,
                  "INSERT OR REPLACE INTO files (run_id, kind, path, bytes, frames, score) VALUES "
                  "(?1, ?2, ?3, 0, 0, ?4)",
                  "ittr", run, kind, path, score);
  return store_end(s, err, error);
}
