/* The protocol that result files name themselves, so that it need not be said again. Only the head of a file is looked
 * at: when all its rows are read, each one is checked (score_rows.c). */
#include <stdio.h>
#include <string.h>

#include "eval/log_file.h"
#include "eval/score_rows.h"

enum { HEAD = 1 << 16 };

/* What the first rows of a table name; "" if they name nothing. */
static const char *in_table(const eval_table *t) {
  int column = eval_table_column(t, "protocol");
  for (size_t r = 0; column >= 0 && r < t->rows; r++) {
    const char *text = eval_table_field(t, r, column);
    if (*text && strcmp(text, "unstated-protocol") != 0) return text;
  }
  return "";
}

/* What the head of a file names. A file that cannot be read names nothing: the reader of scores says what is wrong. */
static const char *in_file(memory_arena *arena, const char *path) {
  char *text;
  size_t size;
  log_file file = {0};
  sixer_error ignored = {SIXER_OK, ""};
  if (arena_read_file(arena, path, &text, &size, &ignored)) return "";
  if (size > HEAD) {
    size_t whole = HEAD;
    while (whole && text[whole - 1] != '\n') whole--;
    size = whole ? whole : HEAD;
  }
  const char *start = text;
  while (start < text + size && *start && strchr(" \t\r\n", *start)) start++;
  bool json = start < text + size && (*start == '{' || *start == '[');
  sixer_err err = json ? log_json_parse(arena, text, size, path, &file, &ignored)
                       : eval_table_parse(arena, text, size, path, &file.table, &ignored);
  return err ? "" : in_table(&file.table);
}

sixer_err sixer_scores_find_protocol(const char *const *patterns, size_t count, char *text,
                                     size_t size, sixer_error *error) {
  memory_arena arena = {0};
  *text = 0;
  sixer_err err = SIXER_OK;
  for (size_t i = 0; !err && !*text && i < count; i++) {
    const eval_source *sources;
    size_t files;
    err = scores_list_files(&arena, &patterns[i], 1, &sources, &files, error);
    for (size_t k = 0; !err && !*text && k < files; k++) {
      memory_arena one = {0};
      snprintf(text, size, "%s", in_file(&one, sources[k].path));
      arena_free(&one);
    }
  }
  arena_free(&arena);
  return err;
}
