/* Learning curves and intervals of any statistic in C: a statistic as a callback equals the built-in aggregate, and bad
 * input is refused. SciPy's intervals are compared in tests/python/test_curves.py. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sixer/curves.h"

/* Mean over the games of the mean of the last point, and of the first. */
static void ends(void *context, const sixer_curve_set *sample, double *values) {
  size_t *calls = context, run = 0;
  values[0] = values[1] = 0;
  for (size_t g = 0; g < sample->games; g++) {
    double first = 0, last = 0;
    for (size_t r = 0; r < sample->runs[g]; r++, run++) {
      first += sample->scores[run * sample->points];
      last += sample->scores[(run + 1) * sample->points - 1];
    }
    values[0] += first / (double)sample->runs[g] / (double)sample->games;
    values[1] += last / (double)sample->runs[g] / (double)sample->games;
  }
  ++*calls;
}

static void test_statistic(void **state) {
  (void)state;
  enum { POINTS = 3 };
  static const size_t runs[] = {4, 1, 3};
  double scores[8 * POINTS];
  for (int i = 0; i < 8 * POINTS; i++) scores[i] = fmod(i * 7.3, 5) + (double)(i % POINTS);
  sixer_curve_set set = {scores, runs, 3, POINTS};
  sixer_bootstrap settings = sixer_bootstrap_default();
  sixer_interval band[POINTS], mine[2], basic[2], bca[2];
  sixer_error error;
  size_t calls = 0;
  settings.replicates = 777;
  settings.seed = 12;
  assert_int_equal(sixer_curves_aggregate(&set, SIXER_AGGREGATE_MEAN, &settings, band, &error), 0);
  assert_int_equal(sixer_bootstrap_statistic(&set, ends, &calls, 2, SIXER_INTERVAL_PERCENTILE,
                                             &settings, mine, &error),
                   0);
  assert_int_equal(calls, 778);
  for (int k = 0; k < 2; k++) {
    const sixer_interval *b = &band[k ? POINTS - 1 : 0];
    assert_true(fabs(mine[k].value - b->value) < 1e-12 && fabs(mine[k].low - b->low) < 1e-12 &&
                fabs(mine[k].high - b->high) < 1e-12);
  }
  assert_int_equal(sixer_bootstrap_statistic(&set, ends, &calls, 2, SIXER_INTERVAL_BASIC, &settings,
                                             basic, &error),
                   0);
  assert_true(fabs(basic[0].low - (2 * mine[0].value - mine[0].high)) < 1e-12);
  assert_int_equal(
      sixer_bootstrap_statistic(&set, ends, &calls, 2, SIXER_INTERVAL_BCA, &settings, bca, &error),
      0);
  assert_int_equal(calls, 3 * 778 + 7); /* the game with one run is never left out */
  assert_true(bca[0].low < bca[0].value && bca[0].value < bca[0].high);
  settings.resample_games = true;
  assert_int_equal(sixer_bootstrap_statistic(&set, ends, &calls, 2, SIXER_INTERVAL_BASIC, &settings,
                                             basic, &error),
                   SIXER_ERR_CONFIG);
  settings.resample_games = false;
  scores[5] = NAN;
  assert_int_equal(sixer_bootstrap_statistic(&set, ends, &calls, 2, SIXER_INTERVAL_BASIC, &settings,
                                             basic, &error),
                   SIXER_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "score 5 is NaN"));
}

static void test_sample(void **state) {
  (void)state;
  static const double frames[] = {10, 10, 30, 60}, scores[] = {1, 3, 5, INFINITY};
  sixer_curve curve = {"1", frames, scores, 3, true};
  double points[] = {0, 9, 10, 29, 30, 31}, out[6];
  sixer_error error;
  assert_int_equal(sixer_curve_sample(&curve, 2, points, 6, out, &error), 0);
  assert_true(isnan(out[0]) && isnan(out[1]) && isnan(out[5]));
  assert_true(out[2] == 2 && out[3] == 2 && out[4] == 4);
  curve.episodes = false;
  assert_int_equal(sixer_curve_sample(&curve, 100, points, 6, out, &error), 0);
  assert_true(out[3] == 3 && out[4] == 5);
  points[1] = -1;
  assert_int_equal(sixer_curve_sample(&curve, 2, points, 6, out, &error), SIXER_ERR_ARGUMENT);
  assert_int_equal(sixer_curve_sample(&curve, 0, points, 1, out, &error), SIXER_ERR_ARGUMENT);
  double reached;
  static const double rising[] = {10, 20, 30, 60};
  assert_int_equal(sixer_curve_reach(rising, scores, 4, 100, &reached, &error), 0);
  assert_true(reached == 60); /* play without end is above every level */
  assert_int_equal(sixer_curve_area(rising, scores, 1, &reached, &error), SIXER_ERR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_statistic),
                                     cmocka_unit_test(test_sample)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
