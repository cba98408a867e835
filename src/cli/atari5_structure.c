/* sixer atari5 structure: how well single games predict the median, and which games correlate. */
#include <math.h>
#include <stdlib.h>

#include "cli/atari5.h"
#include "cli/cli.h"
#include "util/error.h"
#include "util/sort.h"

typedef struct pair {
  size_t i, j; /* games */
  double r;    /* their correlation; r2 of the fit where there is only one game */
} pair;

static int compare_pairs(const void *a, const void *b) {
  double x = ((const pair *)a)->r, y = ((const pair *)b)->r;
  return (x < y) - (x > y);
}

/* The median predicted from each game alone, the best first. */
static sixer_err show_single(out *o, const sixer_score_table_info *d, sixer_error *error) {
  size_t games = d->data.games;
  pair *order = calloc(games, sizeof *order);
  sixer_fit *fits = calloc(games, sizeof *fits);
  sixer_err err = order && fits ? SIXER_OK : sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  for (size_t g = 0; !err && g < games; g++) {
    int game = (int)g;
    err = sixer_subset_fit(&d->data, &game, 1, true, SIXER_FOLDS_INDEX, 0, 0, &fits[g], error);
    order[g] = (pair){g, 0, fits[g].r2};
  }
  if (!err) {
    sort_stable(order, games, sizeof *order, compare_pairs);
    out_table(o, "single", "the median predicted from one game (with intercept)",
              "game|r2|intercept|slope|algorithms");
    for (size_t i = 0; i < games; i++) {
      const sixer_fit *fit = &fits[order[i].i];
      out_text(o, d->games[order[i].i]);
      out_number(o, fit->r2, 3);
      out_number(o, fit->intercept, 2);
      out_number(o, fit->coefficients[0], 2);
      out_int(o, (long long)fit->rows);
    }
  }
  free(order);
  free(fits);
  return err;
}

/* Pairs of games by correlation: all of them, or the ends of the list. */
static sixer_err show_correlations(out *o, const sixer_score_table_info *d, bool all,
                                   sixer_error *error) {
  size_t games = d->data.games, count = 0;
  double *r = calloc(games * games, sizeof *r);
  pair *pairs = calloc(games * games, sizeof *pairs);
  sixer_err err = r && pairs ? sixer_games_correlate(&d->data, r, error)
                             : sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  for (size_t i = 0; !err && i < games; i++) {
    for (size_t j = i + 1; j < games; j++) {
      if (!isnan(r[i * games + j])) pairs[count++] = (pair){i, j, r[i * games + j]};
    }
  }
  if (!err) {
    sort_stable(pairs, count, sizeof *pairs, compare_pairs);
    out_table(o, "correlations",
              all ? "correlation of log scores, all pairs"
                  : "correlation of log scores: the 24 most alike, and negative ones below -0.5",
              "game|other|correlation");
    for (size_t i = 0; i < count; i++) {
      if (!all && i >= 24 && pairs[i].r > -0.5) continue;
      out_text(o, d->games[pairs[i].i]);
      out_text(o, d->games[pairs[i].j]);
      out_number(o, pairs[i].r, 3);
    }
  }
  free(r);
  free(pairs);
  return err;
}

int atari5_structure(const atari5_options *opt, const sixer_score_table *table, out *o) {
  sixer_score_table_info d = sixer_score_table_describe(table);
  sixer_error error;
  sixer_err err = show_single(o, &d, &error);
  if (!err) err = show_correlations(o, &d, opt->games, &error);
  if (err) return atari5_fail(&error);
  atari5_print(o, table);
  return CLI_OK;
}
