/* Welch's t-test and the paired-comparison table of Bellemare et al. 2013.
 *
 * The two-tailed p of Student's t with v degrees of freedom is the regularized incomplete beta
 * function I_x(v/2, 1/2) at x = v / (v + t^2). It is evaluated with the continued fraction of
 * DLMF 8.17.22 by the modified Lentz method, on the side where that converges quickly. */
#include <math.h>
#include <stdlib.h>

#include "eval/eval_table.h"
#include "util/rounded.h"

/* The continued fraction of I_x(a, b), for x below (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x) {
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabs(d) < tiny ? tiny : d);
  double h = d;
  for (int m = 1; m <= 100000; m++) {
    double step[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                      -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
    double change = 1;
    for (int i = 0; i < 2; i++) {
      d = 1 + step[i] * d;
      c = 1 + step[i] / c;
      d = 1 / (fabs(d) < tiny ? tiny : d);
      if (fabs(c) < tiny) c = tiny;
      h *= change = d * c;
    }
    if (fabs(change - 1) < 1e-16) break;
  }
  return h;
}

/* ln of Gamma(a + 1/2) / Gamma(a), by its expansion for large a. Smaller ones are led there by
 * Gamma(a + 1) = a Gamma(a): the difference of two logarithms of Gamma would cancel. */
static double log_gamma_step(double a) {
  double factor = 1;
  while (a <= 50) {
    factor *= a / (a + 0.5);
    a += 1;
  }
  double i = 1 / a, square = i * i;
  double tail = i * (1 / 8. - square * (1 / 192. - square * (1 / 640. - square * 17 / 14336)));
  return 0.5 * rounded_log(a) - tail + rounded_log(factor);
}

double sixer_student_p(double t, double df) {
  if (isnan(t) || isnan(df) || df <= 0) return NAN;
  if (isinf(t)) return 0;
  if (isinf(df)) return rounded_erfc(fabs(t) * sqrt(0.5));
  if (t == 0) return 1;
  /* nearly normal: the fraction would take long, and Wallace's transformation (1959) errs by less
   * than 1 / df^2 */
  if (df > 1e7)
    return rounded_erfc((8 * df + 1) / (8 * df + 3) * sqrt(0.5 * df * rounded_log1p(t * t / df)));
  double a = 0.5 * df, b = 0.5, square = t * t;
  double x = df / (df + square), y = square / (df + square); /* y = 1 - x, without cancellation */
  /* ln of x^a y^b / B(a, b), where 1 / B(a, 1/2) is Gamma(a + 1/2) / Gamma(a) / sqrt(pi) */
  const double root_pi = 1.77245385090551602730;
  double log_ratio = log_gamma_step(a);
  double front =
      rounded_exp(-a * rounded_log1p(square / df) + b * rounded_log(y) + log_ratio) / root_pi;
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, y) / b;
}

sixer_err sixer_welch_test(double mean1, double sd1, double n1, double mean2, double sd2, double n2,
                           sixer_welch *out, sixer_error *error) {
  if (!isfinite(mean1) || !isfinite(mean2) || !(sd1 >= 0) || !(sd2 >= 0) || isinf(sd1) ||
      isinf(sd2))
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "a Welch test needs finite means and deviations: found %g (%g) and %g (%g)",
                      mean1, sd1, mean2, sd2);
  if (!(n1 >= 2) || !(n2 >= 2))
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "a Welch test needs at least two runs of each agent: found %g and %g", n1,
                      n2);
  /* errors of the means; they are never squared alone, so that tiny ones do not vanish */
  double e1 = sd1 / sqrt(n1), e2 = sd2 / sqrt(n2), both = rounded_hypot(e1, e2),
         difference = mean1 - mean2;
  if (both == 0) {
    *out =
        (sixer_welch){difference == 0 ? 0 : copysign(INFINITY, difference), NAN, difference == 0};
    return SIXER_OK;
  }
  double f1 = (e1 / both) * (e1 / both), f2 = (e2 / both) * (e2 / both);
  out->t = difference / both;
  out->df = 1 / (f1 * f1 / (n1 - 1) + f2 * f2 / (n2 - 1));
  out->p = sixer_student_p(out->t, out->df);
  return SIXER_OK;
}

static void moments(const double *values, size_t count, double *mean, double *sd) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++) sum += values[i];
  *mean = sum / (double)count;
  for (size_t i = 0; i < count; i++) squares += (values[i] - *mean) * (values[i] - *mean);
  *sd = sqrt(squares / (double)(count - 1));
}

sixer_err sixer_welch_samples(const double *a, size_t a_count, const double *b, size_t b_count,
                              sixer_welch *out, sixer_error *error) {
  if (a_count < 2 || b_count < 2)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "a Welch test needs at least two runs of each agent: found %zu and %zu",
                      a_count, b_count);
  double mean_a, sd_a, mean_b, sd_b;
  moments(a, a_count, &mean_a, &sd_a);
  moments(b, b_count, &mean_b, &sd_b);
  return sixer_welch_test(mean_a, sd_a, (double)a_count, mean_b, sd_b, (double)b_count, out, error);
}

sixer_err sixer_welch_table(const double *means, const double *sds, const double *sizes,
                            size_t agents, size_t games, double significance, size_t *better,
                            size_t *untested, sixer_error *error) {
  if (!(significance > 0 && significance < 1))
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "the level of significance is %g; it must lie between 0 and 1", significance);
  size_t *won = calloc(agents * agents + 1, sizeof *won),
         *skipped = calloc(agents * agents + 1, sizeof *skipped);
  sixer_err err = won && skipped ? SIXER_OK : arena_no_memory(error);
  for (size_t i = 0; !err && i < agents; i++) {
    for (size_t j = i + 1; !err && j < agents; j++) {
      for (size_t g = 0; !err && g < games; g++) {
        size_t x = i * games + g, y = j * games + g;
        sixer_welch test;
        if (!(sizes[x] >= 2) || !(sizes[y] >= 2)) {
          skipped[i * agents + j]++;
          skipped[j * agents + i]++;
          continue;
        }
        err =
            sixer_welch_test(means[x], sds[x], sizes[x], means[y], sds[y], sizes[y], &test, error);
        if (!err && test.p < significance) won[test.t > 0 ? i * agents + j : j * agents + i]++;
      }
    }
  }
  for (size_t i = 0; !err && i < agents * agents; i++) {
    better[i] = won[i];
    if (untested) untested[i] = skipped[i];
  }
  free(won);
  free(skipped);
  return err;
}
