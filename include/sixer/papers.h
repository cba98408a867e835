/* The tables and figures of four papers, computed again from the published data.
 *
 * A paper has items: tables, figures, and what its text says. An item has figures, each with our value beside the
 * printed one. A complete program, which prints what does not agree with Machado et al. 2018:
 *
 *     #include <sixer/papers.h>
 *     #include <stdio.h>
 *
 *     int main(void) {
 *       sixer_error error;
 *       sixer_paper *paper;
 *       if (sixer_paper_open("machado2018", &paper, &error)) return puts(error.message), 1;
 *       for (size_t i = 0; i < sixer_paper_count(paper); i++) {
 *         sixer_paper_item item = sixer_paper_get(paper, i);
 *         for (size_t k = 0; k < item.count; k++)
 *           if (item.figures[k].verdict == SIXER_VERDICT_DIFFERS)
 *             printf("%s: %g, printed %g\n", item.figures[k].label, item.figures[k].ours,
 *                    item.figures[k].printed);
 *       }
 *       sixer_paper_close(paper);
 *     }
 */
#ifndef SIXER_PAPERS_H
#define SIXER_PAPERS_H

#include "sixer/eval.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sixer_verdict {
  SIXER_VERDICT_EQUAL,   /* in every printed digit; a half may be rounded either way */
  SIXER_VERDICT_CUT_OFF, /* equal in every printed digit if ours is cut off instead of rounded */
  SIXER_VERDICT_DIFFERS, /* `note` says why, as far as that is known */
  SIXER_VERDICT_BOUND, /* ours is only an upper bound: what the exact figure needs was not published */
  SIXER_VERDICT_PLOTTED, /* the paper shows it in a plot, without a number */
} sixer_verdict;

/* "equal", "cut off", "differs", "bound", "plotted"; NULL if there is no such verdict. */
SIXER_API const char *sixer_verdict_name(int verdict);

typedef struct sixer_paper_figure {
  const char *label;
  double ours;
  double printed; /* NaN: no number is printed */
  int digits;     /* after the decimal point, as printed */
  sixer_verdict verdict;
  const char *note; /* NULL if there is nothing to say */
} sixer_paper_figure;

typedef struct sixer_paper_item {
  const char *kind; /* "table", "figure" or "text" */
  int number;       /* 0 of the text */
  const char *title;
  const char *how; /* from which data, and what cannot be computed */
  const sixer_paper_figure *figures;
  size_t count;
} sixer_paper_item;

typedef struct sixer_paper sixer_paper;

/* The names of the papers, ended by NULL. Static. */
SIXER_API const char *const *sixer_paper_names(void);

/* Compute everything of a paper: "bellemare2013", "machado2018", "saber" (or "toromanoff2019") or "atari5" (or
 * "aitchison2023"). It takes a fraction of a second. */
SIXER_API sixer_err sixer_paper_open(const char *name, sixer_paper **paper, sixer_error *error);
SIXER_API void sixer_paper_close(sixer_paper *paper); /* NULL is allowed */

SIXER_API const char *sixer_paper_title(const sixer_paper *paper);
SIXER_API size_t sixer_paper_count(const sixer_paper *paper);

/* An item. The pointers live as long as the paper. */
SIXER_API sixer_paper_item sixer_paper_get(const sixer_paper *paper, size_t index);

#ifdef __cplusplus
}
#endif
#endif
