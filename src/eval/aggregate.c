/* Normalized scores and their statistics: means, medians, interquartile means, classes, distributions.
 *
 * Definitions are those of the papers: Bellemare et al. 2013 (ranges, mean, median, score
 * distribution), Toromanoff et al. 2019 (records, 200 % for play without end, classes), Agarwal et
 * al. 2021 (interquartile mean, optimality gap, performance profiles, probability of improvement).
 * Sums run in the order of the data, in double precision. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval_stats.h"
#include "eval/eval_table.h"
#include "util/sort.h"

int eval_compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

sixer_err eval_sample_check(const sixer_sample *sample, const char *what, bool infinite,
                            size_t *total, sixer_error *error) {
  size_t count = 0;
  if (!sample->games) return sixer_fail(error, SIXER_ERR_ARGUMENT, "%s: no games", what);
  for (size_t g = 0; g < sample->games; g++) {
    if (!sample->runs[g])
      return sixer_fail(error, SIXER_ERR_ARGUMENT,
                        "%s: game %zu has no runs; leave it out or give its scores", what, g);
    for (size_t r = 0; r < sample->runs[g]; r++, count++) {
      double score = sample->scores[count];
      if (isnan(score) || (isinf(score) && (!infinite || score < 0)))
        return sixer_fail(
            error, SIXER_ERR_ARGUMENT, "%s: game %zu, run %zu: the score is %s", what, g, r,
            isnan(score) ? "NaN" : "infinite, and there is no cap that says what it counts");
    }
  }
  if (total) *total = count;
  return SIXER_OK;
}

/* ---- normalization ---- */

sixer_err sixer_scores_normalize(sixer_scale scale, const double *scores, const double *low,
                                 const double *high, size_t count, double *out,
                                 sixer_error *error) {
  for (size_t i = 0; i < count; i++) {
    double hi = scale == SIXER_SCALE_RANDOM ? 0 : high[i];
    if (isnan(scores[i]) || isnan(low[i]) || isnan(hi) || isinf(low[i]) || isinf(hi))
      return sixer_fail(error, SIXER_ERR_ARGUMENT,
                        "entry %zu: score %g with constants %g and %g cannot be normalized", i,
                        scores[i], low[i], hi);
    double width = scale == SIXER_SCALE_RANDOM ? low[i] : hi - low[i];
    if (width == 0 && scale != SIXER_SCALE_INTER)
      return sixer_fail(error, SIXER_ERR_ARGUMENT,
                        "entry %zu: the range of its constants is empty (%g); leave this game out, "
                        "or choose another "
                        "normalization",
                        i, low[i]);
  }
  for (size_t i = 0; i < count; i++) {
    double s = scores[i], l = low[i];
    switch (scale) {
      case SIXER_SCALE_RANGE: out[i] = (s - l) / (high[i] - l); break;
      case SIXER_SCALE_ABSOLUTE: out[i] = (s - l) / fabs(high[i] - l); break;
      case SIXER_SCALE_RANDOM: out[i] = s / fabs(l); break;
      case SIXER_SCALE_INTER: out[i] = high[i] == l ? 1 : (s - l) / (high[i] - l); break;
    }
  }
  return SIXER_OK;
}

sixer_err sixer_scores_range(const double *scores, size_t agents, size_t games, double *low,
                             double *high, sixer_error *error) {
  if (!agents) return sixer_fail(error, SIXER_ERR_ARGUMENT, "a range needs at least one agent");
  for (size_t i = 0; i < agents * games; i++) {
    if (!isfinite(scores[i]))
      return sixer_fail(error, SIXER_ERR_ARGUMENT,
                        "agent %zu, game %zu: the score %g has no place in a range", i / games,
                        i % games, scores[i]);
  }
  for (size_t g = 0; g < games; g++) {
    low[g] = high[g] = scores[g];
    for (size_t a = 1; a < agents; a++) {
      low[g] = fmin(low[g], scores[a * games + g]);
      high[g] = fmax(high[g], scores[a * games + g]);
    }
  }
  return SIXER_OK;
}

/* ---- aggregates ---- */

const char *sixer_aggregate_name(int aggregate) {
  static const char *const names[] = {"mean", "median", "iqm", "optimality_gap", "capped_mean"};
  return aggregate < 0 || aggregate >= SIXER_AGGREGATE_COUNT ? NULL : names[aggregate];
}

double eval_median_sorted(const double *sorted, size_t count) {
  return count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

double eval_trimmed_mean_sorted(const double *sorted, size_t count) {
  size_t drop = count / 4;
  double sum = 0;
  for (size_t i = drop; i < count - drop; i++) sum += sorted[i];
  return sum / (double)(count - 2 * drop);
}

sixer_err sixer_aggregates_compute(const sixer_sample *sample, double cap,
                                   double out[SIXER_AGGREGATE_COUNT], sixer_error *error) {
  size_t total;
  sixer_err err = eval_sample_check(sample, "scores", !isnan(cap), &total, error);
  if (err) return err;
  double *scores = malloc(total * sizeof *scores), *means = malloc(sample->games * sizeof *means);
  if (!scores || !means) {
    free(scores);
    free(means);
    return arena_no_memory(error);
  }
  double mean = 0, capped = 0, reached = 0;
  for (size_t g = 0, i = 0; g < sample->games; g++) {
    double sum = 0;
    for (size_t r = 0; r < sample->runs[g]; r++, i++) {
      scores[i] = isinf(sample->scores[i]) ? cap : sample->scores[i];
      sum += scores[i];
      reached += fmin(scores[i], 1);
    }
    means[g] = sum / (double)sample->runs[g];
    mean += means[g];
    capped += isnan(cap) ? means[g] : fmin(means[g], cap);
  }
  sort_stable(scores, total, sizeof *scores, eval_compare_doubles);
  sort_stable(means, sample->games, sizeof *means, eval_compare_doubles);
  out[SIXER_AGGREGATE_MEAN] = mean / (double)sample->games;
  out[SIXER_AGGREGATE_MEDIAN] = eval_median_sorted(means, sample->games);
  out[SIXER_AGGREGATE_IQM] = eval_trimmed_mean_sorted(scores, total);
  out[SIXER_AGGREGATE_OPTIMALITY_GAP] = 1 - reached / (double)total;
  out[SIXER_AGGREGATE_CAPPED_MEAN] = capped / (double)sample->games;
  free(scores);
  free(means);
  return SIXER_OK;
}

/* ---- classes and histograms ---- */

const char *sixer_class_name(int cls) {
  static const char *const names[] = {"failing", "poor", "medium", "fair", "superhuman"};
  return cls < 0 || cls >= SIXER_CLASS_COUNT ? NULL : names[cls];
}

sixer_err sixer_histogram_count(const double *scores, size_t count, const double *edges,
                                size_t edge_count, size_t *out, sixer_error *error) {
  for (size_t i = 0; i < edge_count; i++) {
    if (isnan(edges[i]) || (i && edges[i] <= edges[i - 1]))
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "edge %zu of the histogram does not rise", i);
  }
  for (size_t i = 0; i < count; i++) {
    if (isnan(scores[i])) return sixer_fail(error, SIXER_ERR_ARGUMENT, "score %zu is NaN", i);
  }
  memset(out, 0, (edge_count + 1) * sizeof *out);
  for (size_t i = 0; i < count; i++) {
    size_t bin = 0;
    while (bin < edge_count && scores[i] >= edges[bin]) bin++;
    out[bin]++;
  }
  return SIXER_OK;
}

sixer_err sixer_classes_count(const double *scores, size_t count, size_t out[SIXER_CLASS_COUNT],
                              sixer_error *error) {
  static const double edges[] = {0.01, 0.10, 0.50, 1.00};
  return sixer_histogram_count(scores, count, edges, SIXER_CLASS_COUNT - 1, out, error);
}

/* ---- distributions and comparisons ---- */

sixer_err sixer_profile_compute(const sixer_sample *sample, sixer_profile kind,
                                const double *points, size_t count, double *out,
                                sixer_error *error) {
  size_t total;
  sixer_err err = eval_sample_check(sample, "scores", true, &total, error);
  if (err) return err;
  for (size_t i = 0; i < count; i++) {
    if (isnan(points[i]))
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "point %zu of the profile is NaN", i);
  }
  for (size_t p = 0; p < count; p++) {
    size_t above = 0;
    for (size_t g = 0, i = 0; g < sample->games; g++) {
      double sum = 0;
      for (size_t r = 0; r < sample->runs[g]; r++, i++) {
        sum += sample->scores[i];
        if (kind == SIXER_PROFILE_RUNS) above += sample->scores[i] > points[p];
      }
      double mean = sum / (double)sample->runs[g];
      if (kind == SIXER_PROFILE_GAMES) above += mean > points[p];
      if (kind == SIXER_PROFILE_AT_LEAST) above += mean >= points[p];
    }
    out[p] = (double)above / (double)(kind == SIXER_PROFILE_RUNS ? total : sample->games);
  }
  return SIXER_OK;
}

sixer_err eval_same_games(const sixer_sample *x, const sixer_sample *y, sixer_error *error) {
  sixer_err err = eval_sample_check(x, "first agent", true, NULL, error);
  if (!err) err = eval_sample_check(y, "second agent", true, NULL, error);
  if (!err && x->games != y->games)
    err = sixer_fail(error, SIXER_ERR_ARGUMENT,
                     "the agents have %zu and %zu games; compare them on the same ones", x->games,
                     y->games);
  return err;
}

sixer_err sixer_improvement_compute(const sixer_sample *x, const sixer_sample *y, double *out,
                                    sixer_error *error) {
  sixer_err err = eval_same_games(x, y, error);
  if (err) return err;
  double sum = 0;
  const double *a = x->scores, *b = y->scores;
  for (size_t g = 0; g < x->games; g++) {
    double won = 0;
    for (size_t i = 0; i < x->runs[g]; i++) {
      for (size_t k = 0; k < y->runs[g]; k++) won += a[i] > b[k] ? 1 : a[i] == b[k] ? 0.5 : 0;
    }
    sum += won / ((double)x->runs[g] * (double)y->runs[g]);
    a += x->runs[g];
    b += y->runs[g];
  }
  *out = sum / (double)x->games;
  return SIXER_OK;
}

sixer_err sixer_games_compare(const double *a, const double *b, size_t games, size_t *better,
                              size_t *worse, size_t *equal, sixer_error *error) {
  size_t counts[3] = {0};
  for (size_t g = 0; g < games; g++) {
    if (isnan(a[g]) || isnan(b[g]))
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "game %zu has no score for one of the agents",
                        g);
    counts[a[g] > b[g] ? 0 : a[g] < b[g] ? 1 : 2]++;
  }
  *better = counts[0];
  *worse = counts[1];
  *equal = counts[2];
  return SIXER_OK;
}
