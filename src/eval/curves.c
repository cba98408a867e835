/* Learning curves on plain arrays: sixer/curves.h. */
#include "sixer/curves.h"

#include <math.h>
#include <string.h>

#include "eval/eval_stats.h"
#include "util/arena.h"

sixer_err sixer_curve_sample(const sixer_curve *curve, size_t window, const double *points,
                             size_t count, double *out, sixer_error *error) {
  size_t width = curve->episodes ? window : 1, end = 0;
  if (!window) return sixer_fail(error, SIXER_ERR_ARGUMENT, "a window of 0 episodes has no mean");
  for (size_t i = 0; i < curve->count; i++) {
    if (isnan(curve->scores[i]) || !isfinite(curve->frames[i]))
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "point %zu of the curve is not a number", i);
    if (i && curve->frames[i] < curve->frames[i - 1])
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "the frames of the curve fall at point %zu", i);
  }
  for (size_t p = 0; p < count; p++) {
    if (p && !(points[p] >= points[p - 1]))
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "point %zu is below the one before", p);
    while (end < curve->count && curve->frames[end] <= points[p]) end++;
    out[p] = NAN;
    /* after the last point nothing is known */
    if (!end || (end == curve->count && curve->frames[end - 1] < points[p])) continue;
    /* summed anew, so that a long curve gathers no rounding errors */
    size_t start = end > width ? end - width : 0;
    double sum = 0;
    for (size_t i = start; i < end; i++) sum += curve->scores[i];
    out[p] = sum / (double)(end - start);
  }
  return SIXER_OK;
}

static sixer_err check_points(const double *frames, const double *scores, size_t count,
                              size_t least, sixer_error *error) {
  if (count < least)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "%zu points; at least %zu are needed", count,
                      least);
  for (size_t i = 0; i < count; i++) {
    if (isnan(scores[i]) || !isfinite(frames[i]))
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "point %zu of the curve is not a number", i);
    if (i && !(frames[i] > frames[i - 1]))
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "frames must rise, and point %zu does not", i);
  }
  return SIXER_OK;
}

sixer_err sixer_curve_area(const double *frames, const double *scores, size_t count, double *out,
                           sixer_error *error) {
  sixer_err err = check_points(frames, scores, count, 2, error);
  double area = 0;
  if (err) return err;
  for (size_t i = 1; i < count; i++)
    area += 0.5 * (scores[i] + scores[i - 1]) * (frames[i] - frames[i - 1]);
  *out = area / (frames[count - 1] - frames[0]);
  return SIXER_OK;
}

sixer_err sixer_curve_reach(const double *frames, const double *scores, size_t count, double level,
                            double *out, sixer_error *error) {
  sixer_err err = check_points(frames, scores, count, 1, error);
  if (!err && isnan(level)) err = sixer_fail(error, SIXER_ERR_ARGUMENT, "the level is NaN");
  if (err) return err;
  *out = INFINITY;
  for (size_t i = 0; i < count; i++) {
    if (scores[i] < level) continue;
    double share = i ? (level - scores[i - 1]) / (scores[i] - scores[i - 1]) : 0;
    *out = i ? frames[i - 1] + share * (frames[i] - frames[i - 1]) : frames[0];
    if (isinf(scores[i])) *out = frames[i];
    break;
  }
  return SIXER_OK;
}

sixer_err sixer_curves_aggregate(const sixer_curve_set *set, sixer_aggregate aggregate,
                                 const sixer_bootstrap *settings, sixer_interval *out,
                                 sixer_error *error) {
  memory_arena arena = {0};
  size_t total = 0;
  sixer_err err = SIXER_OK;
  if ((int)aggregate < 0 || aggregate >= SIXER_AGGREGATE_COUNT)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "there is no aggregate %d", (int)aggregate);
  for (size_t g = 0; g < set->games; g++) total += set->runs[g];
  double *slice = arena_alloc(&arena, (total + 1) * sizeof *slice);
  sixer_interval *made = arena_alloc(&arena, (set->points + 1) * sizeof *made);
  if (!slice || !made) err = arena_no_memory(error);
  sixer_bootstrap one = *settings;
  one.aggregates = 1u << aggregate;
  one.values = NULL;
  for (size_t p = 0; !err && p < set->points; p++) {
    for (size_t i = 0; i < total; i++) slice[i] = set->scores[i * set->points + p];
    sixer_sample sample = {slice, set->runs, set->games};
    sixer_interval all[SIXER_AGGREGATE_COUNT];
    err = sixer_bootstrap_aggregates(&sample, &one, all, error);
    if (!err) made[p] = all[aggregate];
  }
  if (!err && set->points) memcpy(out, made, set->points * sizeof *out);
  arena_free(&arena);
  return err;
}
