/* Least squares and folds, shared by the single fit and the search. */
#ifndef SIXER_EVAL_REGRESSION_H
#define SIXER_EVAL_REGRESSION_H

#include "sixer/eval.h"

enum { FOLDS_MAX = 1000 };

/* A column counts as collinear when less than this share of its squared length is left. */
#define PIVOT_TOLERANCE 1e-10

/* Put `count` rows into folds: fold[i] for row i. `work` has room for `count` numbers. groups[i] is the group of row
 * i; NULL: every row is its own. */
void eval_folds_assign(sixer_folds kind, int folds, uint32_t seed, const int *groups, size_t count,
                       uint32_t *fold, uint32_t *work);

/* Least squares by Householder reflections: `a` is rows x columns, row after row, and is
 * overwritten, as is `b`. False if there are fewer rows than columns or if columns are collinear.
 */
bool eval_least_squares(double *a, double *b, size_t rows, size_t columns, double *solution);

/* The search with a chosen instruction set (0 plain, 1 AVX2, 2 AVX-512, -1 the best that the processor
 * has; one that it lacks is replaced by the next lower). raw[0..found-1], unless NULL, gets the errors before the final
 * fit by reflections: a test compares their bits between instruction sets. */
sixer_err eval_subset_search(const sixer_regression_data *data, const sixer_search *search,
                             int instructions, sixer_fit *fits, double *raw,
                             sixer_search_result *result, sixer_error *error);

/* Targets are finite, predictors finite or NaN. */
sixer_err eval_regression_check(const sixer_regression_data *data, sixer_error *error);

#endif
