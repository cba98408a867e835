/* Tables of text: see eval_table.h. */
#include "eval/eval_table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/embedded.h"
#include "util/os.h"

/* ---- files ---- */

const char *sixer_published_file(const char *name, size_t *size) {
  static const char folder[] = "data/published/";
  for (const embedded_file *file = embedded_eval; file->name; file++) {
    if (strncmp(file->name, folder, sizeof folder - 1)) continue;
    if (!strcmp(file->name + sizeof folder - 1, name)) {
      if (size) *size = file->size;
      return file->text;
    }
  }
  return NULL;
}

/* ---- tables ---- */

enum { MAX_COLUMNS = 4096 };

/* One line of a table while it is being read: `at` moves to the start of the next one. */
typedef struct reader {
  const char *at, *end;
  char separator;
  int line;
} reader;

static bool at_line_end(const reader *r) {
  return r->at == r->end || *r->at == '\n' || *r->at == '\r';
}

static void skip_line_end(reader *r) {
  if (r->at < r->end && *r->at == '\r') r->at++;
  if (r->at < r->end && *r->at == '\n') r->at++;
  r->line++;
}

/* Skip empty lines and comments; false at the end of the text. */
static bool find_line(reader *r) {
  for (;;) {
    const char *p = r->at;
    while (p < r->end && (*p == ' ' || *p == '\t')) p++;
    if (p == r->end) return false;
    if (*p != '#' && *p != '\n' && *p != '\r') return true;
    while (p < r->end && *p != '\n' && *p != '\r') p++;
    r->at = p;
    skip_line_end(r);
  }
}

/* Read one field into fresh memory and stop at the separator or the end of the line. NULL: see
 * *err. */
static char *read_field(memory_arena *arena, reader *r, const char *origin, sixer_err *err,
                        sixer_error *error) {
  while (!at_line_end(r) && *r->at == ' ') r->at++;
  if (at_line_end(r) || *r->at != '"') {
    const char *start = r->at;
    while (!at_line_end(r) && *r->at != r->separator) r->at++;
    const char *stop = r->at;
    while (stop > start && stop[-1] == ' ') stop--;
    char *field = arena_copy(arena, start, (size_t)(stop - start));
    if (!field) *err = arena_no_memory(error);
    return field;
  }
  int first_line = r->line;
  const char *start = ++r->at;
  size_t length = 0;
  const char *p = start;
  for (; p < r->end && !(*p == '"' && (p + 1 == r->end || p[1] != '"')); p++, length++) {
    if (*p == '"') p++;
    if (*p == '\n') r->line++;
  }
  if (p == r->end) {
    *err =
        sixer_fail(error, SIXER_ERR_FILE, "%s:%d: a quoted field does not end", origin, first_line);
    return NULL;
  }
  char *field = arena_alloc(arena, length + 1);
  if (!field) {
    *err = arena_no_memory(error);
    return NULL;
  }
  char *out = field;
  for (const char *q = start; q < p; q++) {
    *out++ = *q;
    if (*q == '"') q++;
  }
  r->at = p + 1;
  while (!at_line_end(r) && *r->at == ' ') r->at++;
  if (!at_line_end(r) && *r->at != r->separator) {
    *err = sixer_fail(error, SIXER_ERR_FILE, "%s:%d: text after a quoted field", origin, r->line);
    return NULL;
  }
  return field;
}

sixer_err eval_table_parse(memory_arena *arena, const char *text, size_t size, const char *origin,
                           eval_table *table, sixer_error *error) {
  reader r = {text, text + size, ',', 1};
  sixer_err err = SIXER_OK;
  if (memchr(text, 0, size))
    return sixer_fail(error, SIXER_ERR_FILE, "%s: not a text file (it holds a zero byte)", origin);
  if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) r.at += 3; /* byte order mark */
  if (!find_line(&r))
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s: empty; a header line such as \"game,score\" is needed", origin);
  const char *stop = r.at;
  while (stop < r.end && *stop != '\n' && *stop != '\r') {
    if (*stop++ == '\t') r.separator = '\t';
  }

  /* every line gives at most one row; the header may have line breaks in quotes, so its columns are counted by
   * reading */
  size_t room = 0, lines = 1;
  for (const char *p = r.at; p < r.end; p++)
    lines += *p == '\n' || (*p == '\r' && (p + 1 == r.end || p[1] != '\n'));
  eval_table t = {.origin = arena_copy(arena, origin, strlen(origin))};
  t.lines = arena_alloc(arena, lines * sizeof *t.lines);
  if (!t.origin || !t.lines) return arena_no_memory(error);

  for (;;) {
    char *name = read_field(arena, &r, origin, &err, error);
    if (!name) return err;
    if (!*name)
      return sixer_fail(error, SIXER_ERR_FILE, "%s:%d: column %zu of the header has no name",
                        origin, r.line, t.columns + 1);
    for (size_t i = 0; i < t.columns; i++) {
      if (!strcmp(t.names[i], name))
        return sixer_fail(error, SIXER_ERR_FILE, "%s:%d: two columns are called '%s'", origin,
                          r.line, name);
    }
    if (t.columns == MAX_COLUMNS)
      return sixer_fail(error, SIXER_ERR_FILE, "%s: the header has more than %d columns", origin,
                        MAX_COLUMNS);
    if (t.columns == room) {
      room = room ? 2 * room : 16;
      const char **larger = arena_alloc(arena, room * sizeof *larger);
      if (!larger) return arena_no_memory(error);
      if (t.columns) memcpy(larger, t.names, t.columns * sizeof *larger);
      t.names = larger;
    }
    t.names[t.columns++] = name;
    if (at_line_end(&r)) break;
    r.at++;
  }
  skip_line_end(&r);
  t.fields = arena_alloc(arena, lines * t.columns * sizeof *t.fields);
  if (!t.fields) return arena_no_memory(error);

  while (find_line(&r)) {
    int line = r.line;
    size_t count = 0;
    for (;;) {
      char *field = read_field(arena, &r, origin, &err, error);
      if (!field) return err;
      if (count < t.columns) t.fields[t.rows * t.columns + count] = field;
      count++;
      if (at_line_end(&r)) break;
      r.at++;
    }
    skip_line_end(&r);
    if (count != t.columns)
      return sixer_fail(error, SIXER_ERR_FILE, "%s:%d: %zu fields, but the header has %zu", origin,
                        line, count, t.columns);
    t.lines[t.rows++] = line;
  }
  *table = t;
  return SIXER_OK;
}

int eval_table_column(const eval_table *table, const char *name) {
  for (size_t i = 0; i < table->columns; i++) {
    if (!strcasecmp(table->names[i], name)) return (int)i;
  }
  return -1;
}

const char *eval_table_field(const eval_table *table, size_t row, int column) {
  return table->fields[row * table->columns + (size_t)column];
}

sixer_err eval_table_published(memory_arena *arena, const char *name, eval_table *table,
                               sixer_error *error) {
  size_t size;
  const char *text = sixer_published_file(name, &size);
  if (!text)
    return sixer_fail(error, SIXER_ERR_FILE, "the library was built without the table %s", name);
  return eval_table_parse(arena, text, size, name, table, error);
}
