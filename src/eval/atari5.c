/* The models of the Atari-5 paper, and the protocol under which their inputs are checked.
 *
 * Table 9 has a row for each model and game; a model predicts the median over 57 games. Tables 10 and 11 have a row for
 * each game that is predicted and a column for each game that it is predicted from. */
#include "eval/atari5.h"

#include <math.h>
#include <string.h>

#include "eval/eval_table.h"

/* ---- models ---- */

static const char *const median_models[] = {"atari_1",  "atari_3",     "atari_5",
                                            "atari_10", "atari_3_val", "atari_5_val"};
enum { MEDIAN_MODELS = sizeof median_models / sizeof *median_models };

/* A cell of a published table, which is known to be a number. */
static double number(const eval_table *t, size_t row, int column) {
  double value = NAN;
  number_read(eval_table_field(t, row, column), NUMBER_FINITE, &value);
  return value;
}

static void add_term(sixer_subset_model *model, const char *game, double coefficient) {
  if (model->size == SIXER_SUBSET_MAX) return;
  model->games[model->size] = game;
  model->coefficients[model->size++] = coefficient;
}

static sixer_subset_model median_model(const eval_table *t, const char *name) {
  sixer_subset_model model = {.name = name};
  int game = eval_table_column(t, "game"), coefficient = eval_table_column(t, "coefficient");
  for (size_t r = 0; r < t->rows; r++) {
    if (!strcmp(eval_table_field(t, r, 0), name))
      add_term(&model, eval_table_field(t, r, game), number(t, r, coefficient));
  }
  return model;
}

static sixer_subset_model game_model(const eval_table *t, size_t row, const char *name) {
  sixer_subset_model model = {
      .name = name, .target = eval_table_field(t, row, 0), .intercept = number(t, row, 1)};
  for (size_t c = 2; c < t->columns; c++) add_term(&model, t->names[c], number(t, row, (int)c));
  return model;
}

sixer_err eval_atari5_models(memory_arena *arena, sixer_subset_model **models, size_t *count,
                             sixer_error *error) {
  eval_table medians, five, ten;
  sixer_err err = eval_table_published(arena, "atari5_models.csv", &medians, error);
  if (!err) err = eval_table_published(arena, "atari5_game_models.csv", &five, error);
  if (!err) err = eval_table_published(arena, "atari10_game_models.csv", &ten, error);
  if (err) return err;
  sixer_subset_model *list =
      arena_alloc(arena, (MEDIAN_MODELS + five.rows + ten.rows) * sizeof *list);
  if (!list) return arena_no_memory(error);
  size_t n = 0;
  for (size_t m = 0; m < MEDIAN_MODELS; m++) list[n++] = median_model(&medians, median_models[m]);
  for (size_t r = 0; r < five.rows; r++) list[n++] = game_model(&five, r, "atari_5");
  for (size_t r = 0; r < ten.rows; r++) list[n++] = game_model(&ten, r, "atari_10");
  *models = list;
  *count = n;
  return SIXER_OK;
}

double sixer_subset_model_predict(const sixer_subset_model *model, const char *const *games,
                                  const double *percents, size_t count) {
  double inputs[SIXER_SUBSET_MAX];
  for (size_t i = 0; i < model->size; i++) {
    size_t g = 0;
    while (g < count && strcmp(games[g], model->games[i])) g++;
    if (g == count || isnan(percents[g])) return NAN;
    inputs[i] = percents[g];
  }
  return sixer_model_predict(model->intercept, model->coefficients, inputs, model->size);
}

/* ---- the protocol ---- */

sixer_err sixer_published_protocol57(const sixer_published *published, sixer_protocol **protocol,
                                     sixer_error *error) {
  (void)published;
  return sixer_protocol_open("atari57", protocol, error);
}
