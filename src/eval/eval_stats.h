/* Pieces of statistics that several files of this folder use. */
#ifndef SIXER_EVAL_STATS_H
#define SIXER_EVAL_STATS_H

#include "sixer/eval.h"

int eval_compare_doubles(const void *a, const void *b); /* for qsort; no NaN */

/* Fail unless every game has a run and no score is NaN, or infinite where `infinite` is false. *total becomes the
 * number of scores; it may be NULL. */
sixer_err eval_sample_check(const sixer_sample *sample, const char *what, bool infinite,
                            size_t *total, sixer_error *error);
sixer_err eval_same_games(const sixer_sample *x, const sixer_sample *y, sixer_error *error);

double eval_median_sorted(const double *sorted, size_t count);
double eval_trimmed_mean_sorted(const double *sorted,
                                size_t count); /* a quarter dropped at each end */

/* The q-quantile (0..1) of sorted values, interpolated linearly between order statistics. */
double eval_quantile_sorted(const double *sorted, size_t count, double q);

/* The x for which a standard normal variable lies within -x..x with this probability. */
double eval_normal_width(double confidence);

#endif
