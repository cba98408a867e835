/* sixer atari5 errors: the relative error of the paper's Atari-5, grouped by type of algorithm and by thirds of the
 * ranking. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/atari5.h"
#include "cli/cli.h"
#include "util/error.h"

enum { TYPES_MAX = 16, MEMBERS_MAX = 64 }; /* the paper has 62 algorithms, of fewer types */

/* Algorithms of one type, or of one third of the ranking. */
typedef struct group {
  const char *label;
  double errors[MEMBERS_MAX], squares[MEMBERS_MAX]; /* relative errors */
  size_t count;
} group;

static void show_groups(out *o, const group *groups, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const group *g = &groups[i];
    double sum = 0, squares = 0, absolute = 0;
    for (size_t k = 0; k < g->count; k++) {
      sum += g->errors[k];
      squares += g->squares[k];
      absolute += fabs(g->errors[k]);
    }
    double n = (double)g->count;
    out_text(o, g->label);
    out_int(o, (long long)g->count);
    out_number(o, 100 * sum / n, 1);
    out_number(o, 100 * absolute / n, 1);
    out_number(o, 100 * sqrt(squares / n), 1);
  }
}

static void add_error(group *g, double error) {
  if (g->count == MEMBERS_MAX) return;
  g->errors[g->count] = error;
  g->squares[g->count++] = error * error;
}

/* The relative error of the model for each algorithm; NaN where a score that it needs is missing. Returns how many are
 * not NaN. */
static size_t relative_errors(const sixer_score_table_info *d, const sixer_subset_model *model,
                              double *errors) {
  size_t complete = 0;
  for (size_t a = 0; a < d->data.rows; a++) {
    double value = 0, median = sixer_log_score_inverse(d->data.y[a]);
    for (size_t i = 0; i < model->size; i++) {
      int game = atari5_find_game(d, model->games[i], strlen(model->games[i]));
      value += model->coefficients[i] * d->data.x[a * d->data.games + (size_t)game];
    }
    errors[a] = isnan(value) ? NAN : (sixer_log_score_inverse(value) - median) / median;
    complete += !isnan(value);
  }
  return complete;
}

/* Put each error into the group of its algorithm's type and of its third. Algorithms are ordered by median. */
static size_t fill_groups(const double *errors, const char *const *type_of, size_t rows,
                          size_t complete, group *types, group *thirds) {
  size_t type_count = 0, at = 0;
  for (size_t a = 0; a < rows; a++) {
    if (isnan(errors[a])) continue;
    size_t k = 0;
    while (k < type_count && strcmp(types[k].label, type_of[a])) k++;
    if (k == type_count && type_count < TYPES_MAX) types[type_count++].label = type_of[a];
    if (k < TYPES_MAX) add_error(&types[k], errors[a]);
    assert(complete > 0);
    add_error(&thirds[3 * at++ / complete], errors[a]);
  }
  return type_count;
}

static sixer_err show_tests(out *o, const group *thirds, sixer_error *error) {
  out_table(o, "tests", "Welch tests between thirds: p", "first|second|bias|accuracy");
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = i + 1; k < 3; k++) {
      const group *x = &thirds[i], *y = &thirds[k];
      sixer_welch bias, accuracy;
      sixer_err err = sixer_welch_samples(x->errors, x->count, y->errors, y->count, &bias, error);
      if (!err)
        err = sixer_welch_samples(x->squares, x->count, y->squares, y->count, &accuracy, error);
      if (err) return err;
      out_text(o, x->label);
      out_text(o, y->label);
      out_number(o, bias.p, 3);
      out_number(o, accuracy.p, 3);
    }
  }
  return SIXER_OK;
}

static const sixer_subset_model *find_model(const sixer_published *published, const char *name) {
  size_t count, i = 0;
  const sixer_subset_model *models = sixer_published_models(published, &count);
  while (i < count && (models[i].target || strcmp(models[i].name, name))) i++;
  return i < count ? &models[i] : NULL;
}

int atari5_errors(const sixer_score_table *table, const sixer_published *published, out *o) {
  sixer_score_table_info d = sixer_score_table_describe(table);
  sixer_error error;
  double *errors = calloc(d.data.rows, sizeof *errors);
  group *types = calloc(TYPES_MAX, sizeof *types), *thirds = calloc(3, sizeof *thirds);
  sixer_err err =
      errors && types && thirds ? SIXER_OK : sixer_fail(&error, SIXER_ERR_MEMORY, "out of memory");
  if (!err) {
    size_t complete = relative_errors(&d, find_model(published, "atari_5"), errors);
    size_t type_count = fill_groups(errors, sixer_published_atari5_types(published), d.data.rows,
                                    complete, types, thirds);
    thirds[0].label = "high";
    thirds[1].label = "middle";
    thirds[2].label = "low";
    out_table(o, "types",
              "Atari-5 against the true median, by type of algorithm (percent; types are ours)",
              "type|algorithms|bias|mean_error|rms_error");
    show_groups(o, types, type_count);
    out_table(o, "thirds", "and by thirds of the true median (percent)",
              "third|algorithms|bias|mean_error|rms_error");
    show_groups(o, thirds, 3);
    err = show_tests(o, thirds, &error);
  }
  if (!err) out_print(o, stdout);
  free(errors);
  free(types);
  free(thirds);
  return err ? atari5_fail(&error) : CLI_OK;
}
