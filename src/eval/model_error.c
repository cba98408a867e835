/* How far a model's estimate may be from what it estimates.
 *
 * An estimate of the median over 57 games from a few games has two errors. One comes from the runs: with other seeds
 * the few games would have other scores. The other comes from the model: even with perfectly known scores of the few
 * games, the median of the 57 lies beside the estimate. The bootstrap sees the first alone. The second is measured by
 * cross-validation on the algorithms of the Atari-5 paper. Both are errors of log10(1 + percent) and independent, so
 * their squares add. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval_stats.h"
#include "sixer/eval.h"
#include "util/error.h"
#include "util/rounded.h"

enum { PAPER_FOLDS = 10, PAPER_SEED = 1982 };

/* The number of a game in the data. */
static sixer_err find_game(const char *const *known, size_t count, const char *game, int *found,
                           sixer_error *error) {
  size_t g = 0;
  while (g < count && strcmp(known[g], game) != 0) g++;
  *found = (int)g;
  if (g < count) return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_ARGUMENT,
                    "%s is not one of the %zu games of the Atari-5 data, by which the error of "
                    "a model is known",
                    game, count);
}

/* The numbers of games, in rising order. */
static sixer_err find_games(const char *const *known, size_t known_count, const char *const *games,
                            size_t count, int *chosen, sixer_error *error) {
  if (count < 1 || count > SIXER_SUBSET_MAX)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "a model has 1 to %d games, found %zu",
                      SIXER_SUBSET_MAX, count);
  for (size_t i = 0; i < count; i++) {
    int g;
    sixer_err err = find_game(known, known_count, games[i], &g, error);
    if (err) return err;
    size_t at = i;
    for (; at > 0 && chosen[at - 1] > g; at--) chosen[at] = chosen[at - 1];
    chosen[at] = g;
  }
  return SIXER_OK;
}

sixer_err sixer_model_error(const sixer_published *published, const char *const *games,
                            size_t count, double *sd, sixer_error *error) {
  const char *const *known;
  sixer_regression_data data = sixer_published_atari5(published, true, NULL, &known);
  int chosen[SIXER_SUBSET_MAX];
  sixer_fit fit;
  *sd = NAN;
  sixer_err err = find_games(known, data.games, games, count, chosen, error);
  if (!err)
    err = sixer_subset_fit(&data, chosen, count, false, SIXER_FOLDS_NUMPY, PAPER_FOLDS, PAPER_SEED,
                           &fit, error);
  if (!err) *sd = sqrt(fit.cv_mse);
  return err;
}

sixer_err sixer_prediction_error(const sixer_published *published, const char *const *games,
                                 size_t count, const char *target, sixer_fit *fit,
                                 sixer_error *error) {
  const char *const *known;
  sixer_regression_data data = sixer_published_atari5(published, true, NULL, &known);
  int chosen[SIXER_SUBSET_MAX], wanted;
  sixer_err err = find_games(known, data.games, games, count, chosen, error);
  if (!err) err = find_game(known, data.games, target, &wanted, error);
  if (err) return err;
  /* only algorithms that report the game */
  double *x = malloc((data.rows * data.games + 1) * sizeof *x);
  double *y = malloc((data.rows + 1) * sizeof *y);
  size_t rows = 0;
  for (size_t r = 0; x && y && r < data.rows; r++) {
    const double *row = data.x + r * data.games;
    if (isnan(row[wanted])) continue;
    memcpy(x + rows * data.games, row, data.games * sizeof *x);
    y[rows++] = row[wanted];
  }
  if (x && y) {
    sixer_regression_data reported = {.x = x, .y = y, .rows = rows, .games = data.games};
    err = sixer_subset_fit(&reported, chosen, count, true, SIXER_FOLDS_NUMPY, PAPER_FOLDS,
                           PAPER_SEED, fit, error);
  } else {
    err = sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  }
  free(x);
  free(y);
  return err;
}

double eval_normal_width(double confidence) {
  double low = 0, high = 40;
  for (int i = 0; i < 100; i++) {
    double middle = 0.5 * (low + high);
    if (rounded_erf(middle / sqrt(2)) < confidence)
      low = middle;
    else
      high = middle;
  }
  return high;
}

sixer_interval sixer_model_interval(sixer_interval runs, double sd, double confidence) {
  double value = sixer_log_score(runs.value), width = sd * eval_normal_width(confidence);
  double below = isnan(runs.low) ? 0 : value - sixer_log_score(runs.low);
  double above = isnan(runs.high) ? 0 : sixer_log_score(runs.high) - value;
  return (sixer_interval){
      runs.value, fmax(0, sixer_log_score_inverse(value - sqrt(below * below + width * width))),
      sixer_log_score_inverse(value + sqrt(above * above + width * width))};
}
