/* Results of a command in three forms: aligned tables to read, tab-separated values and JSON for
 * programs. A command fills in named values and tables; out_print() writes them in the chosen form.
 */
#ifndef SIXER_CLI_OUT_H
#define SIXER_CLI_OUT_H

#include <stdbool.h>
#include <stdio.h>

typedef enum out_form { OUT_TABLE, OUT_TSV, OUT_JSON } out_form;

typedef struct out out;

out *out_create(out_form form);
void out_destroy(out *o);

/* A named value at the top. `title` is shown in OUT_TABLE; NULL hides the value there. Texts are
 * copied. */
void out_text_value(out *o, const char *key, const char *title, const char *text);
void out_number_value(out *o, const char *key, const char *title, double number, int digits);

/* Start a table. Columns are separated by '|'. Then give the cells of one row after the other. */
void out_table(out *o, const char *key, const char *title, const char *columns);
void out_text(out *o, const char *text); /* NULL: an empty cell, null in JSON */
/* NaN is an empty cell. `digits` after the decimal point apply to OUT_TABLE only. */
void out_number(out *o, double number, int digits);
void out_int(out *o, long long number);

void out_print(const out *o, FILE *file);

#endif
