/* Bootstrap intervals of any statistic: percentile, basic, and bias-corrected and accelerated (BCa; Efron 1987). The
 * acceleration of several strata is that of SciPy's bootstrap(): every stratum's jackknife values enter with the size
 * of the stratum. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval_stats.h"
#include "sixer/curves.h"
#include "util/arena.h"
#include "util/rounded.h"
#include "util/sort.h"

/* The share of a normal distribution below x, and its inverse by bisection, to the last bit that erfc() gives. */
static double normal_below(double x) { return 0.5 * rounded_erfc(-x / sqrt(2)); }

static double normal_inverse(double p) {
  double low = -40, high = 40;
  if (!(p > 0 && p < 1)) return p <= 0 ? -INFINITY : INFINITY;
  for (int i = 0; i < 200; i++) {
    double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    if (normal_below(middle) < p)
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}

/* Skewness of the influence of the runs, over 6; NaN if none has any. */
static double acceleration(const double *left_out, const size_t *runs, size_t games) {
  double cubes = 0, squares = 0;
  for (size_t g = 0; g < games; left_out += runs[g++]) {
    double n = (double)runs[g], mean = 0, cube = 0, square = 0;
    if (runs[g] < 2) continue;
    for (size_t r = 0; r < runs[g]; r++) mean += left_out[r];
    mean /= n;
    for (size_t r = 0; r < runs[g]; r++) {
      double u = (n - 1) * (mean - left_out[r]);
      square += u * u;
      cube += u * u * u;
    }
    cubes += cube / (n * n * n);
    squares += square / (n * n);
  }
  return cubes / rounded_pow(squares, 1.5) / 6;
}

sixer_err sixer_interval_compute(sixer_interval_kind kind, double value, double *replicates,
                                 size_t count, const double *left_out, const size_t *runs,
                                 size_t games, double confidence, sixer_interval *out,
                                 sixer_error *error) {
  double tail = 0.5 * (1 - confidence), first = tail, last = 1 - tail;
  if (!(confidence > 0 && confidence < 1))
    return sixer_fail(error, SIXER_ERR_CONFIG, "a confidence of %g; it must lie between 0 and 1",
                      confidence);
  if (count < 2 || isnan(value))
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "an interval needs a value and at least two replicates");
  size_t below = 0, equal = 0;
  for (size_t i = 0; i < count; i++) {
    if (isnan(replicates[i]))
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "the statistic is NaN in replicate %zu", i);
    below += replicates[i] < value;
    equal += replicates[i] == value;
  }
  if (kind == SIXER_INTERVAL_BCA) {
    if (!left_out)
      return sixer_fail(error, SIXER_ERR_ARGUMENT,
                        "a BCa interval needs the values without each run");
    double z0 = normal_inverse(((double)below + 0.5 * (double)equal) / (double)count);
    double a = acceleration(left_out, runs, games), z = normal_inverse(tail);
    double low = z0 + z, high = z0 - z;
    first = normal_below(z0 + low / (1 - a * low));
    last = normal_below(z0 + high / (1 - a * high));
    if (!isfinite(z0) || isnan(first) || isnan(last)) {
      *out = (sixer_interval){value, NAN, NAN};
      return SIXER_OK;
    }
  }
  sort_stable(replicates, count, sizeof *replicates, eval_compare_doubles);
  double low = eval_quantile_sorted(replicates, count, first);
  double high = eval_quantile_sorted(replicates, count, last);
  *out = kind == SIXER_INTERVAL_BASIC ? (sixer_interval){value, 2 * value - high, 2 * value - low}
                                      : (sixer_interval){value, low, high};
  return SIXER_OK;
}

/* ---- a statistic as a function ---- */

typedef struct work {
  const sixer_curve_set *set;
  size_t total, width; /* runs, bytes of a run */
  double *scores;      /* of a sample that is made */
  size_t *runs, *drawn;
} work;

static sixer_err check_set(const sixer_curve_set *set, size_t *total, sixer_error *error) {
  *total = 0;
  if (!set->games || !set->points)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "there are no games or no points");
  for (size_t g = 0; g < set->games; g++) {
    if (!set->runs[g]) return sixer_fail(error, SIXER_ERR_ARGUMENT, "game %zu has no runs", g);
    *total += set->runs[g];
  }
  for (size_t i = 0; i < *total * set->points; i++) {
    if (isnan(set->scores[i])) return sixer_fail(error, SIXER_ERR_ARGUMENT, "score %zu is NaN", i);
  }
  return SIXER_OK;
}

/* The sample of a replicate. */
static sixer_curve_set draw_sample(const work *w, uint64_t seed, size_t replicate) {
  const sixer_curve_set *set = w->set;
  sixer_bootstrap_draw(set->runs, set->games, seed, replicate, w->drawn);
  for (size_t g = 0, start = 0, i = 0; g < set->games; start += set->runs[g++]) {
    for (size_t r = 0; r < set->runs[g]; r++, i++)
      memcpy(w->scores + i * set->points, set->scores + (start + w->drawn[i]) * set->points,
             w->width);
  }
  return (sixer_curve_set){w->scores, set->runs, set->games, set->points};
}

/* The sample without one run. */
static sixer_curve_set leave_out(const work *w, size_t game, size_t run) {
  const sixer_curve_set *set = w->set;
  memcpy(w->runs, set->runs, set->games * sizeof *w->runs);
  w->runs[game]--;
  size_t before = run * set->points;
  for (size_t g = 0; g < game; g++) before += set->runs[g] * set->points;
  memcpy(w->scores, set->scores, before * sizeof *w->scores);
  memcpy(w->scores + before, set->scores + before + set->points,
         (w->total * set->points - before - set->points) * sizeof *w->scores);
  return (sixer_curve_set){w->scores, w->runs, set->games, set->points};
}

sixer_err sixer_bootstrap_statistic(const sixer_curve_set *set, sixer_statistic *statistic,
                                    void *context, size_t count, sixer_interval_kind kind,
                                    const sixer_bootstrap *settings, sixer_interval *out,
                                    sixer_error *error) {
  memory_arena arena = {0};
  work w = {.set = set, .width = set->points * sizeof(double)};
  size_t n = settings->replicates;
  sixer_err err = check_set(set, &w.total, error);
  if (!err && (settings->cookie != sixer_bootstrap_default().cookie || n < 2 || n > 1000000000))
    err = sixer_fail(error, SIXER_ERR_CONFIG,
                     "settings of a bootstrap must come from sixer_bootstrap_default(), with 2 to "
                     "1,000,000,000 replicates");
  if (!err && settings->resample_games)
    err = sixer_fail(error, SIXER_ERR_CONFIG,
                     "the games of a statistic stay as they are: they cannot be drawn");
  if (err) return err;
  w.scores = arena_alloc(&arena, w.total * w.width);
  w.runs = arena_alloc(&arena, set->games * sizeof *w.runs);
  w.drawn = arena_alloc(&arena, w.total * sizeof *w.drawn);
  double *values = arena_alloc(&arena, (count + 1) * sizeof *values);
  double *one = arena_alloc(&arena, (count + 1) * sizeof *one);
  double *replicates = arena_alloc(&arena, (count * n + 1) * sizeof *replicates);
  double *left_out = arena_alloc(&arena, (count * w.total + 1) * sizeof *left_out);
  sixer_interval *made = arena_alloc(&arena, (count + 1) * sizeof *made);
  if (!w.scores || !w.runs || !w.drawn || !values || !one || !replicates || !left_out || !made) {
    arena_free(&arena);
    return arena_no_memory(error);
  }
  statistic(context, set, values);
  for (size_t r = 0; r < n; r++) {
    sixer_curve_set sample = draw_sample(&w, settings->seed, r);
    statistic(context, &sample, one);
    for (size_t k = 0; k < count; k++) replicates[k * n + r] = one[k];
  }
  for (size_t g = 0, i = 0; kind == SIXER_INTERVAL_BCA && g < set->games; g++) {
    for (size_t r = 0; r < set->runs[g]; r++, i++) {
      if (set->runs[g] < 2) continue;
      sixer_curve_set sample = leave_out(&w, g, r);
      statistic(context, &sample, one);
      for (size_t k = 0; k < count; k++) left_out[k * w.total + i] = one[k];
    }
  }
  for (size_t k = 0; !err && k < count; k++)
    err = sixer_interval_compute(kind, values[k], replicates + k * n, n, left_out + k * w.total,
                                 set->runs, set->games, settings->confidence, &made[k], error);
  if (!err && count) memcpy(out, made, count * sizeof *out);
  arena_free(&arena);
  return err;
}
