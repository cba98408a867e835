/* Tables of text: reading comma- or tab-separated values and numbers. Tables come from users, so every error names
 * the file, the line and what was found there. */
#ifndef SIXER_EVAL_TABLE_H
#define SIXER_EVAL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "eval/eval_arena.h"
#include "sixer/eval.h"

/* Read a whole file; the text ends with a zero byte. Errors name the file. */
sixer_err eval_read_file(eval_arena *arena, const char *path, char **text, size_t *size,
                         sixer_error *error);

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

sixer_err eval_table_parse(eval_arena *arena, const char *text, size_t size, const char *origin,
                           eval_table *table, sixer_error *error);
int eval_table_column(const eval_table *table, const char *name); /* -1 if there is none */
const char *eval_table_field(const eval_table *table, size_t row, int column);

/* Convert a text that is a number from its first to its last character; inf and nan only if `allow` has their bits.
 * False if the text is not a number. */
enum { EVAL_FINITE = 0, EVAL_INF = 1, EVAL_NAN = 2 };
bool eval_number(const char *text, int allow, double *value);

/* A published table by name. The tables are compiled in and well formed, so this fails only without memory. */
sixer_err eval_table_published(eval_arena *arena, const char *name, eval_table *table,
                               sixer_error *error);

/* The shortest decimal that reads back as the same double; "nan" and "inf" otherwise. */
const char *eval_number_text(double value, char buffer[32]);

#endif
