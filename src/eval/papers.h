/* How the items of a paper are put together: each paper's file adds its items and figures here.
 *
 * A failure is remembered and everything after it does nothing, so that the papers' files read like the papers. */
#ifndef SIXER_EVAL_PAPERS_H
#define SIXER_EVAL_PAPERS_H

#include "eval/eval_table.h"
#include "sixer/papers.h"
#include "util/os.h"

typedef struct paper_builder {
  memory_arena *arena;
  const sixer_published *published;
  const char *paper;
  eval_table printed; /* papers_printed.csv */
  struct paper_item {
    sixer_paper_item item;
    sixer_paper_figure *figures;
    size_t room;
  } * items;
  size_t count, room;
  sixer_err err;
  sixer_error *error;
} paper_builder;

/* Begin an item. */
void paper_item(paper_builder *b, const char *kind, int number, const char *title, const char *how);

/* Add a figure. Its printed value and note are in papers_printed.csv under its label; `digits` are used if there is
 * none, that is, for plots. */
void paper_figure(paper_builder *b, double ours, int digits, const char *format, ...)
    OS_PRINTF(4, 5);

/* Add a figure whose printed value is a cell of another table. `note` is used if they differ. */
void paper_compare(paper_builder *b, double ours, const char *printed, const char *note,
                   const char *format, ...) OS_PRINTF(5, 6);

/* The figures that were added last are only bounds. */
void paper_bound(paper_builder *b, const char *note);

/* A published table, and its cells. Without the column, and where a cell is empty, the number is NaN. */
eval_table paper_table(paper_builder *b, const char *name);
const char *paper_text(const eval_table *t, size_t row, const char *column);
double paper_number(const eval_table *t, size_t row, const char *column);
size_t paper_row(const eval_table *t, const char *game); /* t->rows if there is none */

/* Remember a failure. */
bool paper_ok(paper_builder *b, sixer_err err);

void paper_bellemare2013(paper_builder *b);
void paper_machado2018(paper_builder *b);
void paper_saber(paper_builder *b);
void paper_atari5(paper_builder *b);

#endif
