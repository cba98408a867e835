/* Tables of the store as files: CSV or JSON lines, and the result files that `sixer eval` reads. And back. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lab/merge.h"
#include "util/number.h"
#include "util/replace.h"
#include "util/os.h"
#include "util/gz_file.h"

enum { MAX_COLUMNS = 64, MAX_FIELD = 16 << 20 };

/* In an order in which foreign keys are there before they are used. */
static const char *const tables[] = {"experiments", "protocols", "runs", "episodes",
                                     "curve",       "scores",    "files"};
enum { TABLES = sizeof tables / sizeof tables[0] };

static sixer_err file_error(const char *path, sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_FILE, "%.300s: cannot be written: %s", path, strerror(errno));
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

/* A field of CSV. NULL is nothing; an empty text is "". */
static void put_csv(FILE *file, const char *text) {
  if (!text) return;
  if (*text && !strpbrk(text, ",\"\r\n")) {
    fputs(text, file);
    return;
  }
  putc('"', file);
  for (; *text; text++) {
    if (*text == '"') putc('"', file);
    putc(*text, file);
  }
  putc('"', file);
}

static void put_json(FILE *file, const char *text) {
  putc('"', file);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if (*c == '"' || *c == '\\')
      fprintf(file, "\\%c", *c);
    else if (*c < 32)
      fprintf(file, "\\u%04x", *c);
    else
      putc(*c, file);
  }
  putc('"', file);
}

/* A value as text: a number with as few digits as give the same one again. NULL for NULL. */
static const char *value_text(sqlite3_stmt *q, int column, char number[32]) {
  switch (sqlite3_column_type(q, column)) {
    case SQLITE_NULL: return NULL;
    case SQLITE_FLOAT: return number_text(sqlite3_column_double(q, column), number);
    default: return (const char *)sqlite3_column_text(q, column);
  }
}

static void put_row(FILE *file, sqlite3_stmt *q, sixer_lab_form form) {
  int columns = sqlite3_column_count(q);
  for (int i = 0; i < columns; i++) {
    char number[32];
    const char *text = value_text(q, i, number);
    if (form == SIXER_LAB_CSV) {
      if (i) putc(',', file);
      put_csv(file, text);
      continue;
    }
    fputs(i ? ", " : "{", file);
    put_json(file, sqlite3_column_name(q, i));
    fputs(": ", file);
    if (!text ||
        (sqlite3_column_type(q, i) == SQLITE_FLOAT && !isfinite(sqlite3_column_double(q, i))))
      fputs("null", file);
    else if (sqlite3_column_type(q, i) == SQLITE_TEXT)
      put_json(file, text);
    else
      fputs(text, file);
  }
  fputs(form == SIXER_LAB_CSV ? "\n" : "}\n", file);
}

static sixer_err write_query(sixer_store *s, const char *path, const char *sql, sixer_lab_form form,
                             sixer_error *error) {
  sqlite3_stmt *q;
  sixer_err err = store_prepare(s, &q, error, sql, "");
  if (err) return err;
  replacement *r = replace_open(path);
  if (!r) err = file_error(path, error);
  for (int i = 0; !err && form == SIXER_LAB_CSV && i < sqlite3_column_count(q); i++)
    fprintf(r->file, "%s%s%s", i ? "," : "", sqlite3_column_name(q, i),
            i + 1 == sqlite3_column_count(q) ? "\n" : "");
  int step = SQLITE_DONE;
  while (!err && (step = sqlite3_step(q)) == SQLITE_ROW) put_row(r->file, q, form);
  if (!err && step != SQLITE_DONE) err = store_fail(s, error);
  sqlite3_finalize(q);
  if (err) {
    replace_abandon(r);
    return err;
  }
  return replace_commit(r) ? SIXER_OK : file_error(path, error);
}

/* ---- Result files ---------------------------------------------------------------------------------------------- */

/* Tab-separated values of a query; texts of a store have no tabs. */
static sixer_err write_tsv(sixer_store *s, const char *path, const char *head, const char *sql,
                           int64_t protocol, sixer_error *error) {
  sqlite3_stmt *q;
  sixer_err err = store_prepare(s, &q, error, sql, "i", protocol);
  if (err) return err;
  replacement *r = replace_open(path);
  if (!r) err = file_error(path, error);
  if (!err) fprintf(r->file, "%s\n", head);
  int step = SQLITE_DONE;
  while (!err && (step = sqlite3_step(q)) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(q); i++) {
      char number[32];
      const char *text = value_text(q, i, number);
      fprintf(r->file, "%s%s", i ? "\t" : "", text ? text : "");
    }
    putc('\n', r->file);
  }
  if (!err && step != SQLITE_DONE) err = store_fail(s, error);
  sqlite3_finalize(q);
  if (err) {
    replace_abandon(r);
    return err;
  }
  return replace_commit(r) ? SIXER_OK : file_error(path, error);
}

#define ORIGIN                                                                                  \
  "p.name || '@' || p.version || '#' || p.hash, r.rom, r.version, r.behavior, r.agent || CASE " \
  "WHEN r.options = '' THEN '' ELSE ':' || r.options END"

/* The columns score_N of a protocol with several play times, as in `sixer train`: names and expressions. */
static void name_limits(const char *limits, const char *table, char *heads, char *columns,
                        size_t size) {
  heads[0] = columns[0] = 0;
  char copy[100], *rest = copy;
  snprintf(copy, sizeof copy, "%s", limits);
  if (!strchr(copy, ' ')) return; /* only one */
  int number = 0;
  for (const char *limit; (limit = os_strsep(&rest, " "));) {
    if (++number > 3 || !strcmp(limit, "0")) continue; /* the whole episode is `score` */
    snprintf(heads + strlen(heads), size - strlen(heads), "score_%s\t", limit);
    snprintf(columns + strlen(columns), size - strlen(columns), "%s.score_%d, ", table, number);
  }
}

static sixer_err write_results(sixer_store *s, const char *folder, int64_t protocol,
                               const char *name, const char *limits, bool several,
                               sixer_error *error) {
  char path[2 * STORE_PATH], heads[200], columns[200], head[600], sql[1500], suffix[80] = "";
  if (several) snprintf(suffix, sizeof suffix, "-%.70s", name);
  snprintf(path, sizeof path, "%s/scores%s.tsv", folder, suffix);
  name_limits(limits, "c", heads, columns, sizeof heads);
  snprintf(head, sizeof head,
           "agent\tgame\trun\tframes\t%sscore\taveraged\tmode\tdifficulty\tprotocol\trom\tversion\t"
           "behavior\tsettings",
           heads);
  snprintf(sql, sizeof sql,
           "SELECT r.label, r.game, r.seed, c.at, %sc.score, c.averaged, MAX(r.mode, 0), "
           "r.difficulty, " ORIGIN
           " FROM scores c JOIN runs r ON r.id = c.run_id JOIN protocols p ON p.id = r.protocol_id "
           "WHERE p.id = ?1 AND r.state = 'done' ORDER BY r.label, r.game, r.seed, c.at",
           columns);
  sixer_err err = write_tsv(s, path, head, sql, protocol, error);
  static const char *const phases[][2] = {{"training", "episodes"}, {"evaluation", "evaluation"}};
  name_limits(limits, "e", heads, columns, sizeof heads);
  for (int i = 0; i < 2 && !err; i++) {
    snprintf(path, sizeof path, "%s/%s%s.tsv", folder, phases[i][1], suffix);
    snprintf(head, sizeof head,
             "agent\tgame\trun\tepisode\tframes\t%sscore\tsteps\ttotal_frames\tend\tlives\tmode\t"
             "difficulty\tlevel\tprotocol\trom\tversion\tbehavior\tsettings",
             heads);
    snprintf(sql, sizeof sql,
             "SELECT r.label, r.game, r.seed, e.number, e.frames, %se.score, e.steps, "
             "e.total_frames, e.\"end\", e.lives, e.mode, e.difficulty, e.level, " ORIGIN
             " FROM episodes e JOIN runs r ON r.id = e.run_id JOIN protocols p ON p.id = "
             "r.protocol_id WHERE p.id = ?1 AND e.phase = '%s' ORDER BY r.label, r.game, r.seed, "
             "e.number",
             columns, phases[i][0]);
    err = write_tsv(s, path, head, sql, protocol, error);
  }
  return err;
}

static sixer_err write_all_results(sixer_store *s, const char *folder, sixer_error *error) {
  sqlite3_stmt *q;
  int64_t several;
  sixer_err err = store_number(s, 0, &several, error, "SELECT COUNT(*) FROM protocols", "");
  if (!err)
    err = store_prepare(s, &q, error, "SELECT id, name, limits FROM protocols ORDER BY id", "");
  if (err) return err;
  int step = SQLITE_DONE;
  while (!err && (step = sqlite3_step(q)) == SQLITE_ROW)
    err = write_results(s, folder, sqlite3_column_int64(q, 0), store_text(q, 1), store_text(q, 2),
                        several > 1, error);
  if (!err && step != SQLITE_DONE) err = store_fail(s, error);
  sqlite3_finalize(q);
  return err;
}

sixer_err sixer_lab_export(sixer_store *s, const char *folder, sixer_lab_form form,
                           sixer_error *error) {
  if (os_mkdir(folder) && errno != EEXIST)
    return sixer_fail(error, SIXER_ERR_FILE, "%.300s: cannot be made: %s", folder, strerror(errno));
  pthread_mutex_lock(&s->lock);
  /* one picture of the store, whatever others write in the meantime */
  sixer_err err = store_run(s, error, "BEGIN", "");
  for (int i = 0; i < TABLES && !err; i++) {
    char path[2 * STORE_PATH], sql[100];
    snprintf(path, sizeof path, "%s/%s.%s", folder, tables[i],
             form == SIXER_LAB_CSV ? "csv" : "jsonl");
    snprintf(sql, sizeof sql, "SELECT * FROM %s", tables[i]);
    err = write_query(s, path, sql, form, error);
  }
  if (!err) err = write_all_results(s, folder, error);
  if (!sqlite3_get_autocommit(s->db)) store_run(s, NULL, "ROLLBACK", "");
  pthread_mutex_unlock(&s->lock);
  return err;
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

/* One file of an import. */
typedef struct table_reader {
  sixer_store *s;
  gzFile file; /* gzip-compressed files are decompressed while reading */
  const char *path, *table;
  int line;
  char *names[MAX_COLUMNS];
  bool real[MAX_COLUMNS], too_long;
  int columns;
  sqlite3_stmt *insert;
  sixer_error *error;
} table_reader;

static sixer_err bad_line(const table_reader *t, const char *what) {
  return sixer_fail(t->error, SIXER_ERR_STATE, "%.250s:%d: %s", t->path, t->line, what);
}

/* Prepare the insertion; unknown columns are an error, and so is a table without its columns. */
static sixer_err prepare_insert(table_reader *t) {
  char sql[4000], values[600] = "";
  int n = snprintf(sql, sizeof sql, "INSERT INTO %s (", t->table);
  for (int i = 0; i < t->columns; i++) {
    char find[200];
    sqlite3_stmt *q;
    snprintf(find, sizeof find, "SELECT type FROM pragma_table_info('%s') WHERE name = ?1",
             t->table);
    sixer_err err = store_prepare(t->s, &q, t->error, find, "t", t->names[i]);
    if (err) return err;
    bool found = sqlite3_step(q) == SQLITE_ROW;
    t->real[i] = found && !strcmp(store_text(q, 0), "REAL");
    sqlite3_finalize(q);
    if (!found)
      return bad_line(t,
                      "a column that the table does not have; was it exported by a newer version?");
    n += snprintf(sql + n, sizeof sql - (size_t)n, "%s\"%s\"", i ? ", " : "", t->names[i]);
    snprintf(values + strlen(values), sizeof values - strlen(values), "%s?%d", i ? ", " : "",
             i + 1);
  }
  snprintf(sql + n, sizeof sql - (size_t)n, ") VALUES (%s)", values);
  return store_prepare(t->s, &t->insert, t->error, sql, "");
}

/* Bind a value. Reals are converted here: SQLite's own conversion can be off by the last bit. */
static sixer_err bind_value(table_reader *t, int column, const char *text) {
  double value;
  if (!text) {
    sqlite3_bind_null(t->insert, column + 1);
  } else if (t->real[column]) {
    if (!number_read(text, NUMBER_INF, &value)) return bad_line(t, "a value that is not a number");
    sqlite3_bind_double(t->insert, column + 1, value);
  } else {
    sqlite3_bind_text(t->insert, column + 1, text, -1, SQLITE_TRANSIENT);
  }
  return SIXER_OK;
}

static sixer_err insert_row(table_reader *t) {
  int step = sqlite3_step(t->insert);
  sqlite3_reset(t->insert);
  if (step == SQLITE_DONE) return SIXER_OK;
  if ((step & 0xff) == SQLITE_CONSTRAINT) {
    char what[300];
    snprintf(what, sizeof what, "the row does not fit: %s", sqlite3_errmsg(t->s->db));
    return bad_line(t, what);
  }
  return store_fail(t->s, t->error);
}

/* Room for `n` bytes and a zero in `*out`. False if there is no memory or `n` is more than any field or line can be: a
 * small compressed file could otherwise fill the memory. */
static bool make_room(char **out, size_t *room, size_t n) {
  if (n + 1 <= *room) return true;
  if (n >= MAX_FIELD) return false;
  size_t more = *room ? 2 * *room : 256;
  char *grown = realloc(*out, more);
  if (!grown) return false;
  *out = grown;
  *room = more;
  return true;
}

/* The next field of CSV into `out` (grown as needed). *ends: the row's last. *null: nothing at all. False at the end of
 * the file, and if the field is too long. */
static bool next_field(table_reader *t, char **out, size_t *room, bool *ends, bool *null) {
  size_t n = 0;
  int c = gzgetc(t->file);
  if (c == EOF) return false;
  bool quoted = c == '"';
  *null = !quoted;
  if (quoted) c = gzgetc(t->file);
  for (;; c = gzgetc(t->file)) {
    if (c == EOF || (!quoted && (c == ',' || c == '\n'))) break;
    if (c == '\n') t->line++;
    if (quoted && c == '"') {
      c = gzgetc(t->file);
      if (c != '"') {
        quoted = false;
        if (c == EOF || c == ',' || c == '\n') break;
      }
    }
    if (!quoted && c == '\r') continue;
    *null = false;
    if (!make_room(out, room, n + 1)) {
      t->too_long = true;
      return false;
    }
    (*out)[n++] = (char)c;
  }
  if (!make_room(out, room, n)) return false;
  (*out)[n] = 0;
  *ends = c != ',';
  return true;
}

static sixer_err read_csv(table_reader *t) {
  char *field = NULL;
  size_t room = 0;
  bool ends = false, null;
  sixer_err err = SIXER_OK;
  t->line = 1;
  while (!ends && t->columns < MAX_COLUMNS && next_field(t, &field, &room, &ends, &null))
    t->names[t->columns++] = strdup(field);
  if (!ends || !t->columns) err = bad_line(t, "the names of the columns are missing");
  for (int i = 0; i < t->columns && !err; i++) {
    if (!t->names[i]) err = sixer_fail(t->error, SIXER_ERR_MEMORY, "out of memory");
  }
  if (!err) err = prepare_insert(t);
  for (int column = 0; !err; column++) {
    if (!column) t->line++;
    if (!next_field(t, &field, &room, &ends, &null)) break;
    if (column < t->columns) err = bind_value(t, column, null ? NULL : field);
    if (!ends || err) continue;
    err = column + 1 == t->columns ? insert_row(t) : bad_line(t, "another number of fields");
    column = -1;
  }
  free(field);
  return err;
}

/* A line of JSON: SQLite itself takes it apart. */
static sixer_err read_json_line(table_reader *t, const char *line) {
  sqlite3_stmt *q;
  sixer_err err;
  if (!t->insert) {
    err = store_prepare(t->s, &q, t->error, "SELECT key FROM json_each(?1)", "t", line);
    while (!err && sqlite3_step(q) == SQLITE_ROW && t->columns < MAX_COLUMNS)
      t->names[t->columns++] = strdup(store_text(q, 0));
    sqlite3_finalize(q);
    if (!err && !t->columns) err = bad_line(t, "not a JSON object");
    if (!err) err = prepare_insert(t);
    if (err) return err;
  }
  err = store_prepare(t->s, &q, t->error, "SELECT type, atom, ?1 -> fullkey FROM json_each(?1)",
                      "t", line);
  int column = 0, step = SQLITE_DONE;
  while (!err && (step = sqlite3_step(q)) == SQLITE_ROW && column < t->columns) {
    const char *type = store_text(q, 0);
    err = bind_value(t, column,
                     !strcmp(type, "null") ? NULL : store_text(q, !strcmp(type, "text") ? 1 : 2));
    column++;
  }
  if (!err && (step != SQLITE_DONE || column != t->columns))
    err = bad_line(t, "not a JSON object with the keys of the first line");
  sqlite3_finalize(q);
  return err ? err : insert_row(t);
}

/* The next line into `out` (grown as needed), without its end. False at the end of the file, and if it is too long. */
static bool next_line(table_reader *t, char **out, size_t *room) {
  size_t n = 0;
  int c = gzgetc(t->file);
  if (c == EOF) return false;
  for (; c != EOF && c != '\n'; c = gzgetc(t->file)) {
    if (!make_room(out, room, n + 1)) {
      t->too_long = true;
      return false;
    }
    (*out)[n++] = (char)c;
  }
  if (!make_room(out, room, n)) return false;
  (*out)[n] = 0;
  return true;
}

static sixer_err read_json(table_reader *t) {
  char *line = NULL;
  size_t room = 0;
  sixer_err err = SIXER_OK;
  while (!err && next_line(t, &line, &room)) {
    t->line++;
    err = read_json_line(t, line);
  }
  free(line);
  return err;
}

static sixer_err read_table(sixer_store *s, const char *folder, const char *table,
                            sixer_error *error) {
  static const char *const endings[] = {"csv", "csv.gz", "jsonl", "jsonl.gz"};
  char path[2 * STORE_PATH];
  gzFile file = NULL;
  bool json = false;
  for (int i = 0; i < 4 && !file; i++) {
    json = i >= 2;
    snprintf(path, sizeof path, "%s/%s.%s", folder, table, endings[i]);
    file = gz_file_open(path); /* plain files are read as they are */
  }
  if (!file)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%.250s has neither %s.csv nor %s.jsonl, nor either with .gz: is it a folder "
                      "of `sixer lab export`?",
                      folder, table, table);
  table_reader t = {.s = s, .file = file, .path = path, .table = table, .error = error};
  sixer_err err = json ? read_json(&t) : read_csv(&t);
  int problem = Z_OK;
  gzerror(file, &problem);
  if (t.too_long) err = bad_line(&t, "a value that is too long, or out of memory");
  if (!err && problem != Z_OK) err = bad_line(&t, "the compressed file is damaged or cut off");
  for (int i = 0; i < t.columns; i++) free(t.names[i]);
  sqlite3_finalize(t.insert);
  gzclose(file);
  return err;
}

sixer_err sixer_lab_import(sixer_store *s, const char *folder, sixer_lab_merged *merged,
                           sixer_error *error) {
  /* into a store of its own first, with all its checks, then merged */
  char place[OS_PATH_MAX], path[OS_PATH_MAX + 20];
  if (!os_temporary_folder("sixer-import", place, sizeof place))
    return sixer_fail(error, SIXER_ERR_FILE, "%.200s: cannot be written: %s", os_temporary_place(),
                      strerror(errno));
  snprintf(path, sizeof path, "%s/import.db", place);
  sixer_store *read = NULL;
  sixer_err err = sixer_store_open(path, SIXER_STORE_CREATE, &read, error);
  if (!err) {
    err = store_begin(read, error);
    for (int i = 0; i < TABLES && !err; i++) err = read_table(read, folder, tables[i], error);
    err = store_end(read, err, error);
    sixer_store_close(read);
  }
  if (!err) err = merge_runs(&(merge_source){s, NULL}, path, 0, merged, error);
  os_unlink(path);
  char other[OS_PATH_MAX + 40];
  snprintf(other, sizeof other, "%s-wal", path);
  os_unlink(other);
  snprintf(other, sizeof other, "%s-shm", path);
  os_unlink(other);
  os_rmdir(place);
  return err;
}
