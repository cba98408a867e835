/* JSON as a table: an array of objects, or objects one after the other (JSON lines). An object is a row, its keys are
 * columns. Keys that no column of a result file has, and values that are arrays or objects, are skipped. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "eval/log_file.h"
#include "util/os.h"

enum { MAX_DEPTH = 64, MAX_NAMES = 64 };
/* A table has a field for every key in every row. Objects that leave out nearly all keys would make a large table of a
 * small file. */
enum { FIELDS_FREE = 1 << 16, FIELDS_PER_VALUE = 16 };

typedef enum json_status { JSON_DONE, JSON_CUT, JSON_BAD, JSON_NO_MEMORY } json_status;

/* One field of the table. */
typedef struct cell {
  size_t row, column;
  const char *text;
} cell;

typedef struct json {
  memory_arena *arena;
  const char *at, *end;
  int line;
  const char *wrong; /* what was expected, if the status is JSON_BAD */
  const char *names[MAX_NAMES];
  size_t columns, rows;
  cell *cells;
  size_t count, room;
  int *lines;
  size_t line_room;
} json;

static json_status bad(json *j, const char *wrong) {
  if (j->at == j->end) return JSON_CUT;
  j->wrong = wrong;
  return JSON_BAD;
}

static void skip_space(json *j) {
  for (; j->at < j->end && strchr(" \t\r\n", *j->at) && *j->at; j->at++) j->line += *j->at == '\n';
}

static bool take(json *j, char c) {
  skip_space(j);
  if (j->at == j->end || *j->at != c) return false;
  j->at++;
  return true;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = (char)(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The number of the four hexadecimal digits behind \u; -1 if they are not there. */
static int read_unicode(json *j) {
  int code = 0;
  for (int i = 0; i < 4; i++, j->at++) {
    int digit = j->at < j->end ? hex_digit(*j->at) : -1;
    if (digit < 0) return -1;
    code = 16 * code + digit;
  }
  return code;
}

/* UTF-8; a half of a surrogate pair becomes '?'. */
static char *put_character(char *out, int code) {
  if (code >= 0xd800 && code < 0xe000) code = '?';
  if (code < 0x80) {
    *out++ = (char)code;
  } else if (code < 0x800) {
    *out++ = (char)(0xc0 | code >> 6);
    *out++ = (char)(0x80 | (code & 0x3f));
  } else {
    *out++ = (char)(0xe0 | code >> 12);
    *out++ = (char)(0x80 | (code >> 6 & 0x3f));
    *out++ = (char)(0x80 | (code & 0x3f));
  }
  return out;
}

/* A string, after its opening quote. `text` may be NULL: it is skipped. */
static json_status read_string(json *j, const char **text) {
  static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  const char *stop = j->at;
  for (; stop < j->end && *stop != '"'; stop++) {
    if (*stop == '\\' && stop + 1 < j->end) stop++;
  }
  if (stop >= j->end) return JSON_CUT;
  char *out = arena_alloc(j->arena, (size_t)(stop - j->at) + 1);
  if (!out) return JSON_NO_MEMORY;
  if (text) *text = out;
  while (j->at < stop) {
    char c = *j->at;
    if ((unsigned char)c < 0x20) return bad(j, "a string without control characters");
    j->at++;
    if (c != '\\') {
      *out++ = c;
      continue;
    }
    c = *j->at++;
    const char *escape = c ? strchr(escapes, c) : NULL;
    if (escape) {
      *out++ = meanings[escape - escapes];
    } else {
      int code = c == 'u' ? read_unicode(j) : -1;
      if (code <= 0) return bad(j, "an escape sequence such as \\n or \\u00e9");
      out = put_character(out, code);
    }
  }
  j->at = stop + 1;
  return JSON_DONE;
}

/* A number or a word; Python's NaN and Infinity are among them. null becomes an empty field. */
static json_status read_word(json *j, const char **text) {
  const char *start = j->at;
  while (j->at < j->end && (isalnum((unsigned char)*j->at) || (*j->at && strchr("+-.", *j->at))))
    j->at++;
  if (j->at == start) return bad(j, "a value");
  if (j->at == j->end) return JSON_CUT;
  size_t length = (size_t)(j->at - start);
  double number;
  char *word = arena_copy(j->arena, start, length);
  if (!word) return JSON_NO_MEMORY;
  if (!strcmp(word, "null"))
    *word = 0;
  else if (!strcmp(word, "Infinity"))
    memcpy(word, "inf", sizeof "inf");
  else if (!strcmp(word, "-Infinity"))
    memcpy(word, "-inf", sizeof "-inf");
  else if (!strcmp(word, "NaN"))
    memcpy(word, "nan", sizeof "nan");
  else if (strcmp(word, "true") && strcmp(word, "false") &&
           !number_read(word, NUMBER_FINITE, &number)) {
    j->at = start;
    return bad(j, "a value (texts have quotes)");
  }
  *text = word;
  return JSON_DONE;
}

/* Skip an array or an object; `at` is at its bracket. */
static json_status skip_nested(json *j) {
  int depth = 0;
  do {
    char c = *j->at;
    if (c == '"') {
      j->at++;
      json_status status = read_string(j, NULL);
      if (status) return status;
      continue;
    }
    if (c == '[' || c == '{') depth++;
    if (c == ']' || c == '}') depth--;
    j->line += c == '\n';
    if (depth > MAX_DEPTH) return bad(j, "fewer than 64 levels of brackets");
    j->at++;
  } while (depth && j->at < j->end);
  return depth ? JSON_CUT : JSON_DONE;
}

static bool is_known(const char *name) {
  static const char *const known[] = {
      "game",    "env",       "env_id",   "task",  "agent",           "algorithm",
      "algo",    "run",       "seed",     "trial", "frames",          "frames_millions",
      "limit",   "eval_time", "protocol", "level", "episode",         "score",
      "mean",    "return",    "reward",   "step",  "episodic_return", "global_step",
      "t_start", "iteration", NULL};
  for (const char *const *k = known; *k; k++) {
    if (!strcasecmp(*k, name)) return true;
  }
  return !strncasecmp(name, "score_", 6);
}

static json_status add_cell(json *j, const char *name, const char *text) {
  size_t column = 0;
  if (!is_known(name)) return JSON_DONE;
  while (column < j->columns && strcasecmp(j->names[column], name)) column++;
  if (column == MAX_NAMES) return bad(j, "fewer than 64 scores in an object");
  if (column == j->columns) j->names[j->columns++] = name;
  for (size_t i = j->count; i-- > 0 && j->cells[i].row == j->rows;) {
    if (j->cells[i].column == column) return bad(j, "every key only once in an object");
  }
  if (j->count == j->room) {
    size_t room = j->room ? 2 * j->room : 256;
    cell *more = arena_alloc(j->arena, room * sizeof *more);
    if (!more) return JSON_NO_MEMORY;
    if (j->count) memcpy(more, j->cells, j->count * sizeof *more);
    j->cells = more;
    j->room = room;
  }
  j->cells[j->count++] = (cell){j->rows, column, text};
  return JSON_DONE;
}

/* One object, after its opening brace. */
static json_status read_object(json *j) {
  if (take(j, '}')) return JSON_DONE;
  for (;;) {
    const char *name, *text = NULL;
    if (!take(j, '"')) return bad(j, "a key in quotes");
    json_status status = read_string(j, &name);
    if (status) return status;
    if (!take(j, ':')) return bad(j, "':' after a key");
    skip_space(j);
    if (j->at == j->end) return JSON_CUT;
    if (*j->at == '"') {
      j->at++;
      status = read_string(j, &text);
    } else {
      status = *j->at == '{' || *j->at == '[' ? skip_nested(j) : read_word(j, &text);
    }
    if (!status && text) status = add_cell(j, name, text);
    if (status) return status;
    if (take(j, '}')) return JSON_DONE;
    if (!take(j, ',')) return bad(j, "',' or '}' after a value");
  }
}

static json_status add_row(json *j, int line) {
  if (j->rows == j->line_room) {
    size_t room = j->line_room ? 2 * j->line_room : 64;
    int *more = arena_alloc(j->arena, room * sizeof *more);
    if (!more) return JSON_NO_MEMORY;
    if (j->rows) memcpy(more, j->lines, j->rows * sizeof *more);
    j->lines = more;
    j->line_room = room;
  }
  j->lines[j->rows++] = line;
  return JSON_DONE;
}

/* All objects of the text. */
static json_status read_objects(json *j) {
  bool array = take(j, '[');
  if (array && take(j, ']')) return JSON_DONE;
  for (;;) {
    skip_space(j);
    if (!array && j->at == j->end) return JSON_DONE;
    int line = j->line;
    if (!take(j, '{')) return bad(j, "an object in braces");
    size_t before = j->count;
    json_status status = read_object(j);
    if (!status) status = add_row(j, line);
    if (status) {
      j->count = before;
      if (status == JSON_CUT) j->line = line;
      return status;
    }
    if (!array) continue;
    if (take(j, ']')) break;
    if (!take(j, ',')) return bad(j, "',' or ']' after an object");
  }
  skip_space(j);
  return j->at == j->end ? JSON_DONE : bad(j, "nothing after the array");
}

sixer_err log_json_parse(memory_arena *arena, const char *text, size_t size, const char *origin,
                         log_file *file, sixer_error *error) {
  json j = {.arena = arena, .at = text, .end = text + size, .line = 1};
  if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) j.at += 3; /* byte order mark */
  json_status status = read_objects(&j);
  if (status == JSON_NO_MEMORY) return arena_no_memory(error);
  if (status == JSON_BAD)
    return sixer_fail(error, SIXER_ERR_FILE, "%s:%d: not JSON: %s is expected here", origin, j.line,
                      j.wrong);
  if (!j.rows || !j.columns)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s: no complete object with keys such as \"game\" and \"score\"", origin);
  if (j.rows * j.columns > FIELDS_FREE + FIELDS_PER_VALUE * j.count)
    return sixer_fail(
        error, SIXER_ERR_FILE,
        "%s: %zu objects have %zu different keys and %zu values in all: these are not "
        "the rows of one table",
        origin, j.rows, j.columns, j.count);
  eval_table t = {.columns = j.columns, .rows = j.rows, .lines = j.lines};
  t.origin = arena_copy(arena, origin, strlen(origin));
  t.names = arena_alloc(arena, j.columns * sizeof *t.names);
  t.fields = arena_alloc(arena, j.rows * j.columns * sizeof *t.fields);
  if (!t.origin || !t.names || !t.fields) return arena_no_memory(error);
  memcpy(t.names, j.names, j.columns * sizeof *t.names);
  for (size_t i = 0; i < j.rows * j.columns; i++) t.fields[i] = "";
  for (size_t i = 0; i < j.count; i++)
    t.fields[j.cells[i].row * j.columns + j.cells[i].column] = j.cells[i].text;
  if (status == JSON_CUT && !(file->cut = arena_format(arena, "in line %d", j.line)))
    return arena_no_memory(error);
  file->table = t;
  return SIXER_OK;
}
