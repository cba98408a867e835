/* Tables of text: see eval_table.h. Numbers have a decimal point whatever the program's locale is. */
#include "eval/eval_table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/embedded.h"

/* ---- files ---- */

sixer_err eval_read_file(eval_arena *arena, const char *path, char **text, size_t *size,
                         sixer_error *error) {
  enum { LIMIT = 1 << 30 };
  FILE *file = fopen(path, "rb");
  if (!file) return sixer_fail(error, SIXER_ERR_FILE, "%s: %s", path, strerror(errno));
  char *buffer = NULL;
  size_t used = 0, room = 0;
  sixer_err err = SIXER_OK;
  for (;;) {
    if (used == room) {
      room = room ? 2 * room : 1 << 16;
      char *larger = room <= LIMIT ? realloc(buffer, room) : NULL;
      if (!larger) {
        err = room <= LIMIT ? eval_no_memory(error)
                            : sixer_fail(error, SIXER_ERR_FILE, "%s: larger than 1 GB", path);
        break;
      }
      buffer = larger;
    }
    size_t got = fread(buffer + used, 1, room - used, file);
    used += got;
    if (got == 0) {
      if (ferror(file)) err = sixer_fail(error, SIXER_ERR_FILE, "%s: %s", path, strerror(errno));
      break;
    }
  }
  fclose(file);
  if (!err && !(*text = eval_copy(arena, buffer ? buffer : "", used))) err = eval_no_memory(error);
  if (!err) *size = used;
  free(buffer);
  return err;
}

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
static char *read_field(eval_arena *arena, reader *r, const char *origin, sixer_err *err,
                        sixer_error *error) {
  while (!at_line_end(r) && *r->at == ' ') r->at++;
  if (at_line_end(r) || *r->at != '"') {
    const char *start = r->at;
    while (!at_line_end(r) && *r->at != r->separator) r->at++;
    const char *stop = r->at;
    while (stop > start && stop[-1] == ' ') stop--;
    char *field = eval_copy(arena, start, (size_t)(stop - start));
    if (!field) *err = eval_no_memory(error);
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
  char *field = eval_alloc(arena, length + 1);
  if (!field) {
    *err = eval_no_memory(error);
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

sixer_err eval_table_parse(eval_arena *arena, const char *text, size_t size, const char *origin,
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

  /* every line gives at most one row, every separator at most one column */
  size_t columns = 1, lines = 1;
  for (const char *p = r.at; p < stop; p++) columns += *p == r.separator;
  for (const char *p = r.at; p < r.end; p++)
    lines += *p == '\n' || (*p == '\r' && (p + 1 == r.end || p[1] != '\n'));
  eval_table t = {.origin = eval_copy(arena, origin, strlen(origin))};
  t.names = eval_alloc(arena, columns * sizeof *t.names);
  t.lines = eval_alloc(arena, lines * sizeof *t.lines);
  if (!t.origin || !t.names || !t.lines) return eval_no_memory(error);

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
    t.names[t.columns++] = name;
    if (at_line_end(&r)) break;
    r.at++;
  }
  skip_line_end(&r);
  t.fields = eval_alloc(arena, lines * t.columns * sizeof *t.fields);
  if (!t.fields) return eval_no_memory(error);

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
    if (!strcmp(table->names[i], name)) return (int)i;
  }
  return -1;
}

const char *eval_table_field(const eval_table *table, size_t row, int column) {
  return table->fields[row * table->columns + (size_t)column];
}

/* Numbers of up to 15 digits with a small exponent: digits and power of ten are both exact doubles,
 * so that one operation rounds correctly (Clinger 1990). It does not look at the locale. False if
 * the text is anything else. */
static bool plain_number(const char *p, double *value) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  bool minus = *p == '-';
  if (*p == '-' || *p == '+') p++;
  long long digits = 0;
  int count = 0, seen = 0, exponent = 0;
  for (bool point = false; (*p >= '0' && *p <= '9') || (*p == '.' && !point); p++) {
    if (*p == '.') {
      point = true;
      continue;
    }
    seen++;
    if (count || *p != '0') count++;
    if (count > 15) return false;
    digits = 10 * digits + (*p - '0');
    exponent -= point;
  }
  if (!seen) return false;
  if (*p == 'e' || *p == 'E') {
    p++;
    bool down = *p == '-';
    if (*p == '-' || *p == '+') p++;
    int e = 0, e_digits = 0;
    for (; *p >= '0' && *p <= '9' && e_digits < 4; p++, e_digits++) e = 10 * e + (*p - '0');
    if (!e_digits) return false;
    exponent += down ? -e : e;
  }
  if (*p || exponent < -22 || exponent > 22) return false;
  double v = (double)digits;
  v = exponent < 0 ? v / powers[-exponent] : v * powers[exponent];
  *value = minus ? -v : v;
  return true;
}

bool eval_number(const char *text, int allow, double *value) {
  char *end;
  if (plain_number(text, value)) return true;
  /* strtod also knows hexadecimal and nan(...), which no score is written in */
  for (const char *p = text; *p; p++) {
    if (*p == 'x' || *p == 'X' || *p == '(' || *p == ',' || isspace((unsigned char)*p))
      return false;
  }
  double v = strtod(text, &end);
  if (end == text || *end) return false;
  if (isnan(v) && !(allow & EVAL_NAN)) return false;
  if (isinf(v) && !(allow & EVAL_INF)) return false;
  *value = v;
  return true;
}

sixer_err eval_table_published(eval_arena *arena, const char *name, eval_table *table,
                               sixer_error *error) {
  size_t size;
  const char *text = sixer_published_file(name, &size);
  if (!text)
    return sixer_fail(error, SIXER_ERR_FILE, "the library was built without the table %s", name);
  return eval_table_parse(arena, text, size, name, table, error);
}

const char *eval_number_text(double value, char buffer[32]) {
  if (isnan(value)) return "nan";
  if (isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == floor(value) && fabs(value) < 1e15) {
    snprintf(buffer, 32, "%.0f", value == 0 ? 0 : value); /* and no -0 */
    return buffer;
  }
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(buffer, 32, "%.*g", digits, value);
    if (strtod(buffer, NULL) == value) break;
  }
  for (char *p = buffer; *p; p++) {
    if (*p == ',') *p = '.'; /* the program's locale may have a decimal comma */
  }
  return buffer;
}
