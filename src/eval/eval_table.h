/* Tables of text: reading comma- or tab-separated values. Tables come from users, so every error names
 * the file, the line and what was found there. */
#ifndef SIXER_EVAL_TABLE_H
#define SIXER_EVAL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "sixer/eval.h"
#include "util/arena.h"
#include "util/number.h"

/* A table: a header and rows, each with as many fields as the header. Quoted fields and CRLF are
 * understood; the separator is a tab if the header has one, else a comma; empty lines and lines
 * starting with '#' are skipped. */
typedef struct eval_table {
  const char *origin; /* file name, for messages */
  size_t columns, rows;
  const char **names;  /* of the columns */
  const char **fields; /* rows x columns; spaces around are removed */
  int *lines;          /* line number of each row */
} eval_table;

sixer_err eval_table_parse(memory_arena *arena, const char *text, size_t size, const char *origin,
                           eval_table *table, sixer_error *error);
int eval_table_column(const eval_table *table, const char *name); /* -1 if there is none */
const char *eval_table_field(const eval_table *table, size_t row, int column);

/* A published table by name. The tables are compiled in and well formed, so this fails only without memory. */
sixer_err eval_table_published(memory_arena *arena, const char *name, eval_table *table,
                               sixer_error *error);

#endif
