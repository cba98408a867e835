/* Nested cross-validation: how well the method works that found a subset, not how well that subset did in the
 * comparison which it won.
 *
 * An outer loop leaves out one fold of rows, the search chooses games on the rest by its own cross-validation, and the
 * fit of those games predicts the rows that were left out. No row has a part in choosing or fitting what predicts
 * it. */
#include <math.h>
#include <string.h>

#include "eval/eval_table.h"
#include "eval/regression.h"
#include "util/rounded.h"

typedef struct sums {
  double squares, absolutes, y, variance;
} sums;

/* Whether a row has all games of a fit; *estimate is what the fit predicts for it. */
static bool predict(const sixer_regression_data *data, size_t row, const sixer_fit *fit,
                    double *estimate) {
  *estimate = fit->intercept;
  for (size_t i = 0; i < fit->size; i++)
    *estimate += fit->coefficients[i] * data->x[row * data->games + (size_t)fit->games[i]];
  return !isnan(*estimate);
}

sixer_err sixer_subset_nested(const sixer_regression_data *data, const sixer_search *search,
                              int outer, sixer_nested *out, sixer_error *error) {
  sixer_search s = *search;
  sixer_search_result result;
  sixer_nested n = {.mse = NAN, .mae = NAN, .r2 = NAN, .relative_error = NAN};
  s.top = 1;
  s.reference = NULL;
  s.progress = NULL;
  if (outer < 2 || outer > FOLDS_MAX || (size_t)outer > data->rows)
    return sixer_fail(
        error, SIXER_ERR_ARGUMENT,
        "%d outer folds of %zu rows; from 2 to %d are possible, and no more than rows", outer,
        data->rows, FOLDS_MAX);
  sixer_err err = sixer_subset_search(data, &s, &n.whole, &result, error);
  if (err) return err;
  if (!result.found)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "no subset of %zu games can be fitted without negative coefficients", s.size);

  memory_arena arena = {0};
  size_t rows = data->rows, games = data->games;
  double *x = arena_alloc(&arena, rows * games * sizeof *x),
         *y = arena_alloc(&arena, rows * sizeof *y);
  int *groups = arena_alloc(&arena, rows * sizeof *groups);
  uint32_t *fold = arena_alloc(&arena, rows * sizeof *fold),
           *work = arena_alloc(&arena, rows * sizeof *work);
  if (!x || !y || !groups || !fold || !work) err = arena_no_memory(error);
  if (!err) {
    eval_folds_assign(s.kind, outer, s.seed, data->groups, rows, fold, work);
    memset(work, 0, rows * sizeof *work); /* from here on: whether the row was predicted */
  }
  sums t = {0};
  for (int f = 0; !err && f < outer; f++) {
    sixer_regression_data rest = {x, y, 0, games, data->groups ? groups : NULL};
    sixer_fit fit;
    for (size_t r = 0; r < rows; r++) {
      if (fold[r] == (uint32_t)f) continue;
      memcpy(x + rest.rows * games, data->x + r * games, games * sizeof *x);
      if (data->groups) groups[rest.rows] = data->groups[r];
      y[rest.rows++] = data->y[r];
    }
    if (rest.rows == rows) continue; /* fewer groups than folds */
    err = sixer_subset_search(&rest, &s, &fit, &result, error);
    if (err) break;
    n.searches += result.found > 0;
    n.same += result.found && !memcmp(fit.games, n.whole.games, s.size * sizeof *fit.games);
    for (size_t r = 0; r < rows; r++) {
      double estimate;
      if (fold[r] != (uint32_t)f) continue;
      if (!result.found || !predict(data, r, &fit, &estimate)) {
        n.skipped++;
        continue;
      }
      double residual = data->y[r] - estimate;
      t.squares += residual * residual;
      t.absolutes += fabs(residual);
      t.y += data->y[r];
      work[r] = 1;
      n.rows++;
    }
    if (search->progress) search->progress(search->context, f + 1, outer);
  }
  if (!err && n.rows) {
    double mean = t.y / (double)n.rows;
    for (size_t r = 0; r < rows; r++)
      t.variance += work[r] * (data->y[r] - mean) * (data->y[r] - mean) / (double)n.rows;
    n.mse = t.squares / (double)n.rows;
    n.mae = t.absolutes / (double)n.rows;
    n.r2 = 1 - n.mse / t.variance;
    n.relative_error = rounded_log(10) * n.mae;
  }
  if (!err) *out = n;
  arena_free(&arena);
  return err;
}
