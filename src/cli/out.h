/* Results of a command in several forms: aligned tables to read, tab-separated values and JSON for programs, and tables
 * for papers and pages (LaTeX, Markdown, CSV, HTML). A command fills in named values and tables; out_print() writes
 * them in the chosen form. */
#ifndef SIXER_CLI_OUT_H
#define SIXER_CLI_OUT_H

#include <stdbool.h>
#include <stdio.h>

typedef enum out_form {
  OUT_TABLE,
  OUT_TSV,
  OUT_JSON,
  OUT_LATEX, /* tabular with the rules of booktabs */
  OUT_MARKDOWN,
  OUT_CSV,  /* numbers in full; the tables are separated by an empty line */
  OUT_HTML, /* <table> elements only */
} out_form;

typedef struct out out;

out *out_create(out_form form);
void out_destroy(out *o);

/* A named value at the top. `title` is shown in OUT_TABLE; NULL hides the value there. Texts are
 * copied. */
void out_text_value(out *o, const char *key, const char *title, const char *text);
void out_number_value(out *o, const char *key, const char *title, double number, int digits);

/* Start a table. Columns are separated by '|'. "error=random_error" has the title `error` in OUT_TABLE
 * and the name `random_error` in OUT_TSV and OUT_JSON, where names must differ. Then give the cells of
 * one row after the other. */
void out_table(out *o, const char *key, const char *title, const char *columns);
void out_text(out *o, const char *text); /* NULL: an empty cell, null in JSON */
/* NaN is an empty cell. `digits` after the decimal point apply to OUT_TABLE only. */
void out_number(out *o, double number, int digits);
void out_int(out *o, long long number);
/* Several numbers in one cell: an array in JSON, separated by blanks elsewhere. */
void out_numbers(out *o, const double *numbers, size_t count, int digits);

/* Write in the form chosen at creation, or in another one. */
void out_print(const out *o, FILE *file);
void out_print_as(const out *o, out_form form, FILE *file);

#endif
