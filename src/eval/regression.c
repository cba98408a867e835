/* Linear models of log scores: the transform of the Atari-5 paper, least squares, cross-validation,
 * correlation.
 *
 * The folds of the Atari-5 paper are not in its text. Its repository shuffles, with seed 1982; the
 * rest was found by trying: with algorithms sorted by name, the complete rows shuffled by NumPy's
 * legacy generator and cut into ten consecutive parts, and errors averaged over folds, all fourteen
 * figures of its Table 2 come out as printed (tests/eval/test_eval_atari5.c). */
#include "eval/regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval_table.h"
#include "util/mt19937.h"
#include "util/random.h"
#include "util/rounded.h"
#include "util/sort.h"

double sixer_log_score(double percent) { return rounded_log10(1 + fmax(0, percent)); }
double sixer_log_score_inverse(double value) { return rounded_pow(10, value) - 1; }

double sixer_model_predict(double intercept, const double *coefficients, const double *percents,
                           size_t count) {
  double sum = intercept;
  for (size_t i = 0; i < count; i++) sum += coefficients[i] * sixer_log_score(percents[i]);
  return sixer_log_score_inverse(sum);
}

/* ---- folds ---- */

/* A number from 0..last as NumPy's legacy generator draws it: masked bits, rejected until they fit.
 */
static uint32_t numpy_interval(mt19937 *mt, uint32_t last) {
  uint32_t mask = last, value;
  for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
  while ((value = mt_next(mt) & mask) > last) {}
  return value;
}

/* Uniform in 0..last without bias: draws that would favor some numbers are rejected (Lemire 2019). */
static uint32_t own_interval(uint64_t *state, uint32_t last) {
  for (;;) {
    uint64_t z = random_rounds(*state += RANDOM_STEP);
    uint64_t product = (z >> 32) * ((uint64_t)last + 1);
    uint32_t low = (uint32_t)product,
             limit = (uint32_t)(-(uint64_t)((uint64_t)last + 1) % ((uint64_t)last + 1));
    if (low >= limit) return (uint32_t)(product >> 32);
  }
}

void eval_folds_assign(sixer_folds kind, int folds, uint32_t seed, const int *groups, size_t count,
                       uint32_t *fold, uint32_t *work) {
  if (kind == SIXER_FOLDS_GROUPED && groups) {
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++) {
      size_t first = 0;
      while (groups[first] != groups[i]) first++;
      fold[i] = first < i ? fold[first] : next++ % (uint32_t)folds;
    }
    return;
  }
  if (kind == SIXER_FOLDS_INDEX || kind == SIXER_FOLDS_GROUPED) {
    for (size_t i = 0; i < count; i++) fold[i] = (uint32_t)(i % (size_t)folds);
    return;
  }
  mt19937 mt;
  uint64_t state = seed;
  if (kind == SIXER_FOLDS_NUMPY) mt_seed(&mt, seed);
  for (size_t i = 0; i < count; i++) work[i] = (uint32_t)i;
  for (size_t i = count; i-- > 1;) {
    size_t j = kind == SIXER_FOLDS_NUMPY ? numpy_interval(&mt, (uint32_t)i)
                                         : own_interval(&state, (uint32_t)i);
    uint32_t swap = work[i];
    work[i] = work[j];
    work[j] = swap;
  }
  size_t small = count / (size_t)folds, larger = count % (size_t)folds, at = 0;
  for (size_t f = 0; f < (size_t)folds; f++) {
    for (size_t k = 0; k < small + (f < larger); k++) fold[work[at++]] = (uint32_t)f;
  }
}

/* ---- least squares ---- */

bool eval_least_squares(double *a, double *b, size_t rows, size_t columns, double *solution) {
  if (rows < columns) return false;
  for (size_t k = 0; k < columns; k++) {
    /* what is left of column k below the diagonal, against its whole length */
    double whole = 0, rest = 0;
    for (size_t i = 0; i < rows; i++) {
      double square = a[i * columns + k] * a[i * columns + k];
      whole += square;
      if (i >= k) rest += square;
    }
    if (!(rest > PIVOT_TOLERANCE * whole)) return false;
    double alpha = a[k * columns + k] > 0 ? -sqrt(rest) : sqrt(rest);
    double head = a[k * columns + k] - alpha,
           scale = -1 / (alpha * head); /* 2 / |v|^2 for v = (head, a[k+1..]) */
    for (size_t j = k + 1; j <= columns; j++) {
      double dot = head * (j < columns ? a[k * columns + j] : b[k]);
      for (size_t i = k + 1; i < rows; i++)
        dot += a[i * columns + k] * (j < columns ? a[i * columns + j] : b[i]);
      dot *= scale;
      for (size_t i = k; i < rows; i++) {
        double v = i == k ? head : a[i * columns + k];
        if (j < columns) {
          a[i * columns + j] -= dot * v;
        } else {
          b[i] -= dot * v;
        }
      }
    }
    a[k * columns + k] = alpha;
  }
  for (size_t k = columns; k-- > 0;) {
    double sum = b[k];
    for (size_t j = k + 1; j < columns; j++) sum -= a[k * columns + j] * solution[j];
    solution[k] = sum / a[k * columns + k];
  }
  return true;
}

static int compare_ints(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

sixer_err eval_regression_check(const sixer_regression_data *data, sixer_error *error) {
  if (!data->rows || !data->games)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "the data has no rows or no games");
  for (size_t r = 0; r < data->rows; r++) {
    if (!isfinite(data->y[r]))
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "row %zu: the target is %g", r, data->y[r]);
    for (size_t g = 0; g < data->games; g++) {
      if (isinf(data->x[r * data->games + g]))
        return sixer_fail(error, SIXER_ERR_ARGUMENT, "row %zu, game %zu: the value is infinite", r,
                          g);
    }
  }
  return SIXER_OK;
}

sixer_err sixer_subset_fit(const sixer_regression_data *data, const int *games, size_t size,
                           bool intercept, sixer_folds kind, int folds, uint32_t seed,
                           sixer_fit *out, sixer_error *error) {
  sixer_fit fit = {.size = size, .cv_mse = NAN, .cv_mae = NAN, .cv_r2 = NAN, .relative_error = NAN};
  memory_arena arena = {0};
  sixer_err err = eval_regression_check(data, error);
  if (err) return err;
  if (!size || size > SIXER_SUBSET_MAX)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "%zu games; from 1 to %d are possible", size,
                      SIXER_SUBSET_MAX);
  if (folds > FOLDS_MAX)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "%d folds; at most %d", folds, FOLDS_MAX);
  memcpy(fit.games, games, size * sizeof *games);
  sort_stable(fit.games, size, sizeof *fit.games, compare_ints);
  for (size_t i = 0; i < size; i++) {
    if (fit.games[i] < 0 || (size_t)fit.games[i] >= data->games ||
        (i && fit.games[i] == fit.games[i - 1]))
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "game number %d is out of range or given twice",
                        fit.games[i]);
  }

  /* the rows that have all games */
  size_t columns = size + intercept;
  double *x = arena_alloc(&arena, data->rows * columns * sizeof *x),
         *y = arena_alloc(&arena, data->rows * sizeof *y);
  double *a = arena_alloc(&arena, data->rows * columns * sizeof *a),
         *b = arena_alloc(&arena, data->rows * sizeof *b);
  uint32_t *fold = arena_alloc(&arena, data->rows * sizeof *fold);
  uint32_t *work = arena_alloc(&arena, data->rows * sizeof *work);
  int *group = arena_alloc(&arena, data->rows * sizeof *group);
  double solution[SIXER_SUBSET_MAX + 1];
  if (!x || !y || !a || !b || !fold || !work || !group) err = arena_no_memory(error);
  double mean = 0, variance = 0;
  for (size_t r = 0; !err && r < data->rows; r++) {
    bool complete = true;
    for (size_t i = 0; i < size; i++) {
      double value = data->x[r * data->games + (size_t)fit.games[i]];
      complete &= !isnan(value);
      x[fit.rows * columns + i] = value;
    }
    if (intercept) x[fit.rows * columns + size] = 1;
    y[fit.rows] = data->y[r];
    if (data->groups) group[fit.rows] = data->groups[r];
    if (complete) mean += y[fit.rows++];
  }
  mean /= (double)fit.rows;
  for (size_t r = 0; !err && r < fit.rows; r++)
    variance += (y[r] - mean) * (y[r] - mean) / (double)fit.rows;

  /* one fit of all rows, then one for each fold: of the rows outside it */
  int used = 0;
  double mse_sum = 0, mae_sum = 0;
  if (!err && folds > 1)
    eval_folds_assign(kind, folds, seed, data->groups ? group : NULL, fit.rows, fold, work);
  for (int f = -1; !err && f < (folds > 1 ? folds : 0); f++) {
    size_t train = 0;
    for (size_t r = 0; r < fit.rows; r++) {
      if (f >= 0 && fold[r] == (uint32_t)f) continue;
      memcpy(a + train * columns, x + r * columns, columns * sizeof *a);
      b[train++] = y[r];
    }
    size_t tested = f < 0 ? fit.rows : fit.rows - train;
    if (!tested) continue;
    if (!eval_least_squares(a, b, train, columns, solution)) {
      err = sixer_fail(
          error, SIXER_ERR_ARGUMENT,
          "%zu rows have all %zu games%s: too few, or games that say the same, for a fit", train,
          size, f < 0 ? "" : " outside one of the folds");
      break;
    }
    double squares = 0, absolutes = 0;
    for (size_t r = 0; r < fit.rows; r++) {
      if (f >= 0 && fold[r] != (uint32_t)f) continue;
      double residual = y[r];
      for (size_t i = 0; i < columns; i++) residual -= solution[i] * x[r * columns + i];
      squares += residual * residual;
      absolutes += fabs(residual);
    }
    if (f < 0) {
      memcpy(fit.coefficients, solution, size * sizeof *solution);
      fit.intercept = intercept ? solution[size] : 0;
      fit.mae = absolutes / (double)fit.rows;
      fit.r2 = 1 - squares / (double)fit.rows / variance;
    } else {
      mse_sum += squares / (double)tested;
      mae_sum += absolutes / (double)tested;
      used++;
    }
  }
  if (!err && used) {
    fit.cv_mse = mse_sum / used;
    fit.cv_mae = mae_sum / used;
    fit.cv_r2 = 1 - fit.cv_mse / variance;
    fit.relative_error = rounded_log(10) * fit.cv_mae;
  }
  if (!err) *out = fit;
  arena_free(&arena);
  return err;
}

/* ---- correlation ---- */

sixer_err sixer_games_correlate(const sixer_regression_data *data, double *out,
                                sixer_error *error) {
  sixer_err err = eval_regression_check(data, error);
  if (err) return err;
  for (size_t i = 0; i < data->games; i++) {
    for (size_t j = i; j < data->games; j++) {
      double mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0;
      size_t n = 0;
      for (int pass = 0; pass < 2; pass++) {
        for (size_t r = 0; r < data->rows; r++) {
          double x = data->x[r * data->games + i], y = data->x[r * data->games + j];
          if (isnan(x) || isnan(y)) continue;
          if (pass == 0) {
            mean_x += x;
            mean_y += y;
            n++;
          } else {
            xx += (x - mean_x) * (x - mean_x);
            xy += (x - mean_x) * (y - mean_y);
            yy += (y - mean_y) * (y - mean_y);
          }
        }
        if (pass == 0 && n) {
          mean_x /= (double)n;
          mean_y /= (double)n;
        }
      }
      double r = n < 3 || xx == 0 || yy == 0 ? NAN : i == j ? 1 : xy / sqrt(xx * yy);
      out[i * data->games + j] = out[j * data->games + i] = r;
    }
  }
  return SIXER_OK;
}

/* ---- cost ---- */

sixer_cost sixer_cost_estimate(const sixer_cost_input *input) {
  sixer_cost cost = {.hours = input->games * input->runs * input->hours};
  cost.price = cost.hours * (input->gpu_price + input->cpu_price);
  cost.kwh = cost.hours * (input->gpu_watts + input->cpu_watts) / 1000;
  cost.co2_kg = cost.kwh * input->co2_per_kwh;
  return cost;
}
