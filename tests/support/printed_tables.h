/* Numbers of published tables by row and column, and comparison with what a paper prints, to its last digit. Include it
 * after cmocka.h. */
#ifndef TESTS_PRINTED_TABLES_H
#define TESTS_PRINTED_TABLES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "eval/eval_table.h"

static inline void ok(sixer_err err, const sixer_error *error) {
  if (err) fail_msg("%s", error->message);
}

/* A table of data/published. */
static inline eval_table published_table(memory_arena *arena, const char *name) {
  eval_table t;
  sixer_error error;
  ok(eval_table_published(arena, name, &t, &error), &error);
  return t;
}

static inline const char *text(const eval_table *t, size_t row, const char *column) {
  int c = eval_table_column(t, column);
  if (c < 0) fail_msg("%s has no column %s", t->origin, column);
  return eval_table_field(t, row, c);
}

/* NaN if the field is empty. */
static inline double number(const eval_table *t, size_t row, const char *column) {
  double value = NAN;
  const char *field = text(t, row, column);
  if (*field && !number_read(field, NUMBER_FINITE, &value))
    fail_msg("%s: '%s' is no number", column, field);
  return value;
}

static inline double rounded(double value, int digits) {
  char buffer[64];
  snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return strtod(buffer, NULL);
}

#define assert_printed(value, printed, digits)                              \
  do {                                                                      \
    double v_ = (value), p_ = (printed);                                    \
    if (fabs(rounded(v_, digits) - p_) > 1e-9)                              \
      fail_msg("%s: computed %.10g, printed %.*f", #value, v_, digits, p_); \
  } while (0)

#endif
