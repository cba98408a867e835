/* The run store: opening, versions, transactions and errors. The tables are in src/lab/migrations, one file for each
 * version of the schema; docs/store.md describes them.
 *
 * A store is a SQLite file in WAL mode, so that people can read it while programs write. Every change is a transaction
 * that takes the write lock at its begin: two programs never decide on the same stale picture. A commit is synchronized
 * with the disk. */
#include "lab/store.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/embedded.h"
#include "util/os.h"

enum { APPLICATION = 0x366c6162, /* "6lab" */ BUSY_MS = 10000 };

void store_now(char text[32]) {
  time_t now = time(NULL);
  struct tm parts;
  os_utc(now, &parts);
  strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

double store_seconds(void) { return os_wall_seconds(); }

const char *store_text(sqlite3_stmt *statement, int column) {
  const char *text = (const char *)sqlite3_column_text(statement, column);
  return text ? text : "";
}

double store_real(sqlite3_stmt *statement, int column) {
  return sqlite3_column_type(statement, column) == SQLITE_NULL
             ? NAN
             : sqlite3_column_double(statement, column);
}

/* ---- Errors ---------------------------------------------------------------------------------------------------- */

sixer_err store_fail(const sixer_store *s, sixer_error *error) {
  int code = sqlite3_errcode(s->db);
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%.300s is locked: another program has been writing for more than %d "
                        "seconds; wait for it or end it",
                        s->path, BUSY_MS / 1000);
    case SQLITE_FULL:
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%.300s: the disk is full; what was stored before is kept", s->path);
    case SQLITE_READONLY:
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%.300s cannot be written: the file or its folder is read-only", s->path);
    case SQLITE_CANTOPEN:
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%.300s cannot be opened: is there a folder to "
                        "write to?",
                        s->path);
    case SQLITE_NOTADB:
      return sixer_fail(error, SIXER_ERR_STATE, "%.300s is not a store: it is not a SQLite file",
                        s->path);
    case SQLITE_CORRUPT:
      return sixer_fail(error, SIXER_ERR_STATE,
                        "%.300s is damaged (%s); `sqlite3 FILE .recover` saves what is readable",
                        s->path, sqlite3_errmsg(s->db));
    case SQLITE_NOMEM: return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
    case SQLITE_IOERR:
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%.300s: %s; is the disk full? What was stored before is kept", s->path,
                        sqlite3_errmsg(s->db));
    default:
      return sixer_fail(error, SIXER_ERR_STATE, "%.300s: %s", s->path, sqlite3_errmsg(s->db));
  }
}

/* ---- Statements ------------------------------------------------------------------------------------------------ */

static void bind_list(sqlite3_stmt *statement, const char *kinds, va_list values) {
  for (int i = 1; *kinds; kinds++, i++) {
    if (*kinds == 'i') {
      sqlite3_bind_int64(statement, i, va_arg(values, int64_t));
    } else if (*kinds == 'r') {
      double value = va_arg(values, double);
      if (isnan(value))
        sqlite3_bind_null(statement, i);
      else
        sqlite3_bind_double(statement, i, value);
    } else {
      const char *text = va_arg(values, const char *);
      sqlite3_bind_text(statement, i, text, -1, SQLITE_TRANSIENT); /* NULL binds NULL */
    }
  }
}

void store_bind(sqlite3_stmt *statement, const char *kinds, ...) {
  va_list values;
  va_start(values, kinds);
  bind_list(statement, kinds, values);
  va_end(values);
}

sixer_err store_prepare(sixer_store *s, sqlite3_stmt **statement, sixer_error *error,
                        const char *sql, const char *kinds, ...) {
  *statement = NULL;
  if (sqlite3_prepare_v2(s->db, sql, -1, statement, NULL) != SQLITE_OK) return store_fail(s, error);
  va_list values;
  va_start(values, kinds);
  bind_list(*statement, kinds, values);
  va_end(values);
  return SIXER_OK;
}

sixer_err store_run(sixer_store *s, sixer_error *error, const char *sql, const char *kinds, ...) {
  sqlite3_stmt *statement;
  sixer_err err = SIXER_OK;
  if (sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL) != SQLITE_OK)
    return store_fail(s, error);
  va_list values;
  va_start(values, kinds);
  bind_list(statement, kinds, values);
  va_end(values);
  int step;
  do step = sqlite3_step(statement);
  while (step == SQLITE_ROW);
  if (step != SQLITE_DONE) err = store_fail(s, error);
  sqlite3_finalize(statement);
  return err;
}

sixer_err store_number(sixer_store *s, int64_t none, int64_t *number, sixer_error *error,
                       const char *sql, const char *kinds, ...) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL) != SQLITE_OK)
    return store_fail(s, error);
  va_list values;
  va_start(values, kinds);
  bind_list(statement, kinds, values);
  va_end(values);
  sixer_err err = SIXER_OK;
  int step = sqlite3_step(statement);
  if (step == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
    *number = sqlite3_column_int64(statement, 0);
  else if (step == SQLITE_ROW || step == SQLITE_DONE)
    *number = none;
  else
    err = store_fail(s, error);
  sqlite3_finalize(statement);
  return err;
}

sixer_err store_begin(sixer_store *s, sixer_error *error) {
  pthread_mutex_lock(&s->lock);
  sixer_err err = s->can_write ? store_run(s, error, "BEGIN IMMEDIATE", "")
                               : sixer_fail(error, SIXER_ERR_FILE,
                                            "%.300s was opened for reading only", s->path);
  if (err) pthread_mutex_unlock(&s->lock);
  return err;
}

sixer_err store_end(sixer_store *s, sixer_err err, sixer_error *error) {
  if (!err) err = store_run(s, error, "COMMIT", "");
  if (err && !sqlite3_get_autocommit(s->db)) store_run(s, NULL, "ROLLBACK", "");
  pthread_mutex_unlock(&s->lock);
  return err;
}

/* ---- Versions -------------------------------------------------------------------------------------------------- */

static sixer_err run_script(sixer_store *s, const char *sql, sixer_error *error) {
  return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? SIXER_OK : store_fail(s, error);
}

/* Bring the schema from its version to the newest, one migration after the other, in one transaction. */
static sixer_err migrate(sixer_store *s, sixer_error *error) {
  sixer_err err = store_begin(s, error);
  if (err) return err;
  int64_t version;
  err = store_number(s, 0, &version, error, "PRAGMA user_version", ""); /* again, under the lock */
  int number = 0;
  for (const embedded_file *file = embedded_lab; file->name && !err; file++) {
    if (++number > version) err = run_script(s, file->text, error);
  }
  char sql[100];
  snprintf(sql, sizeof sql, "PRAGMA user_version = %d; PRAGMA application_id = %d", STORE_VERSION,
           APPLICATION);
  if (!err) err = run_script(s, sql, error);
  return store_end(s, err, error);
}

static sixer_err check_version(sixer_store *s, sixer_store_mode mode, sixer_error *error) {
  int64_t version, application, tables;
  /* a program that was killed while it made the store leaves a file without tables */
  sixer_err err = store_number(s, 0, &tables, error, "SELECT COUNT(*) FROM sqlite_master", "");
  if (!err && !tables && mode != SIXER_STORE_CREATE)
    return sixer_fail(error, SIXER_ERR_FILE, "there is no store '%.300s': the file is empty",
                      s->path);
  if (!err) err = store_number(s, 0, &version, error, "PRAGMA user_version", "");
  if (!err) err = store_number(s, 0, &application, error, "PRAGMA application_id", "");
  if (err) return err;
  if (tables && application != APPLICATION)
    return sixer_fail(error, SIXER_ERR_STATE,
                      "%.300s is a SQLite file, but not a store of sixer; name another file",
                      s->path);
  if (version > STORE_VERSION)
    return sixer_fail(error, SIXER_ERR_STATE,
                      "%.300s is a store of version %d, made by a newer sixer; this one (%s) reads "
                      "up to version %d",
                      s->path, (int)version, SIXER_VERSION, STORE_VERSION);
  if (version == STORE_VERSION) return SIXER_OK;
  if (!s->can_write)
    return sixer_fail(error, SIXER_ERR_STATE,
                      "%.300s is a store of version %d: open it for writing once (sixer lab "
                      "resume) to bring it to version %d",
                      s->path, (int)version, STORE_VERSION);
  return migrate(s, error);
}

/* ---- Opening --------------------------------------------------------------------------------------------------- */

static void find_folder(sixer_store *s) {
  const char *slash = os_last_separator(s->path);
  if (slash)
    snprintf(s->folder, sizeof s->folder, "%.*s", (int)(slash - s->path) + (slash == s->path),
             s->path);
  else
    snprintf(s->folder, sizeof s->folder, ".");
}

/* In a folder that cannot be written, SQLite cannot make the files that readers of a WAL share. Without a log, the file
 * is whole and can be read as it is. */
static bool only_file(const sixer_store *s) {
  char path[STORE_PATH + 8];
  os_status info;
  snprintf(path, sizeof path, "%s-wal", s->path);
  return os_access(s->folder, OS_MAY_WRITE) != 0 && (os_stat(path, &info) || info.size == 0);
}

/* The path as a URI of SQLite: only these characters mean something there. */
static void make_uri(const sixer_store *s, char *uri, size_t size) {
  size_t n = (size_t)snprintf(uri, size, "file:");
  for (const char *c = s->path; *c && n + 20 < size; c++) {
    if (*c == '%' || *c == '?' || *c == '#')
      n += (size_t)snprintf(uri + n, size - n, "%%%02x", (unsigned char)*c);
    else
      uri[n++] = *c;
  }
  snprintf(uri + n, size - n, "?immutable=1");
}

static sixer_err open_file(sixer_store *s, sixer_store_mode mode, sixer_error *error) {
  if (mode != SIXER_STORE_CREATE && os_access(s->path, OS_EXISTS))
    return sixer_fail(error, SIXER_ERR_FILE,
                      "there is no store '%.300s'; `sixer lab run EXPERIMENT.toml` makes one",
                      s->path);
  os_status info;
  if (!os_stat(s->path, &info) && info.kind != OS_FILE)
    return sixer_fail(error, SIXER_ERR_FILE, "%.300s is %s; a store is a file", s->path,
                      info.kind == OS_FOLDER ? "a folder" : "no ordinary file");
  int flags = s->can_write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  if (mode == SIXER_STORE_CREATE) flags |= SQLITE_OPEN_CREATE;
  char uri[3 * STORE_PATH];
  bool immutable = mode == SIXER_STORE_READ && only_file(s);
  if (immutable) make_uri(s, uri, sizeof uri);
  if (sqlite3_open_v2(immutable ? uri : s->path, &s->db,
                      flags | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_URI, NULL) != SQLITE_OK)
    return s->db ? store_fail(s, error) : sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  sqlite3_busy_timeout(s->db, BUSY_MS);
  sixer_err err = check_version(s, mode, error);
  if (!err && s->can_write)
    err = run_script(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", error);
  return err ? err : run_script(s, "PRAGMA foreign_keys = ON", error);
}

sixer_err sixer_store_open(const char *path, sixer_store_mode mode, sixer_store **store,
                           sixer_error *error) {
  if (!*path || strlen(path) > STORE_PATH - 100)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "the path of the store is empty or too long");
  sixer_store *s = calloc(1, sizeof *s);
  if (!s) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  snprintf(s->path, sizeof s->path, "%s", path);
  s->can_write = mode != SIXER_STORE_READ;
  pthread_mutex_init(&s->lock, NULL);
  find_folder(s);
  sixer_err err = open_file(s, mode, error);
  if (err)
    sixer_store_close(s);
  else
    *store = s;
  return err;
}

void sixer_store_close(sixer_store *s) {
  if (!s) return;
  sqlite3_close_v2(s->db);
  pthread_mutex_destroy(&s->lock);
  free(s);
}
