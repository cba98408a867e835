/* Atari-5 (Aitchison et al. 2023): every table that follows from its data, by fitting its models again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/papers.h"
#include "util/sort.h"

enum { PAPER_FOLDS = 10, PAPER_SEED = 1982, ROWS_MAX = 80, GAMES_MAX = 64 };

typedef struct data {
  sixer_regression_data rows, sorted; /* as in Table 8, and by name */
  const char *const *names, *const *games;
  eval_table fits; /* atari5_model_fit.csv */
} data;

static int game_index(const data *d, const char *game) {
  for (size_t g = 0; g < d->rows.games; g++) {
    if (!strcmp(d->games[g], game)) return (int)g;
  }
  return -1;
}

/* The games of a row of Table 2 in rising order. */
static size_t model_games(const data *d, const char *model, int *games) {
  size_t r = 0, count = 0;
  while (r < d->fits.rows && strcmp(paper_text(&d->fits, r, "model"), model)) r++;
  for (const char *p = paper_text(&d->fits, r, "games"); *p && count < SIXER_SUBSET_MAX;) {
    char name[40];
    size_t length = strcspn(p, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, p);
    int game = game_index(d, name);
    size_t at = count++;
    for (; at > 0 && games[at - 1] > game; at--) games[at] = games[at - 1];
    games[at] = game;
    p += length + (p[length] == ' ');
  }
  return count;
}

static void tables_2_and_9(paper_builder *b, const data *d) {
  paper_item(b, "table", 2, "Models for each size of the subset",
             "Fitted again with the folds of the paper's repository: algorithms by name, NumPy's "
             "shuffle with seed 1982. DQN-7 has negative coefficients, which a search leaves out "
             "unless --allow-negative is given.");
  for (size_t r = 0; r < d->fits.rows; r++) {
    int games[SIXER_SUBSET_MAX];
    const char *model = paper_text(&d->fits, r, "model");
    size_t size = model_games(d, model, games);
    sixer_fit fit;
    if (!paper_ok(b, sixer_subset_fit(&d->sorted, games, size, false, SIXER_FOLDS_NUMPY,
                                      PAPER_FOLDS, PAPER_SEED, &fit, b->error)))
      return;
    paper_compare(b, fit.cv_r2, paper_text(&d->fits, r, "r2"), NULL, "%s R2", model);
    paper_compare(b, 100 * fit.relative_error, paper_text(&d->fits, r, "rel_err_pct"), NULL,
                  "%s relative error, percent", model);
  }
  eval_table t = paper_table(b, "atari5_models.csv");
  paper_item(b, "table", 9, "Coefficients of the models", "Least squares on the data of Table 8.");
  for (size_t r = 0; r < t.rows && !b->err; r++) {
    int games[SIXER_SUBSET_MAX];
    const char *model = paper_text(&t, r, "model"), *game = paper_text(&t, r, "game");
    size_t size = model_games(d, model, games);
    sixer_fit fit;
    if (!paper_ok(b, sixer_subset_fit(&d->rows, games, size, false, SIXER_FOLDS_INDEX, 0, 0, &fit,
                                      b->error)))
      return;
    for (size_t i = 0; i < size; i++) {
      if (fit.games[i] == game_index(d, game))
        paper_compare(b, fit.coefficients[i], paper_text(&t, r, "coefficient"), NULL, "%s %s",
                      model, game);
    }
  }
}

static size_t algorithm(const data *d, const char *name) {
  size_t a = 0;
  while (a < d->rows.rows && strcmp(d->names[a], name)) a++;
  return a;
}

/* Table 3: the estimate of Atari-5's model from the published coefficients. */
static void tables_3_to_5(paper_builder *b, const data *d) {
  static const struct {
    const char *printed, *name;
  } agents[] = {{"MuZero", "MuZero"},
                {"Agent57", "Agent57"},
                {"Ape-X", "Ape-X"},
                {"IQN", "IQN"},
                {"Rainbow DQN", "Rainbow (noop)"}};
  eval_table t = paper_table(b, "atari5_summary.csv");
  size_t count;
  const sixer_subset_model *five = &sixer_published_models(b->published, &count)[2];
  paper_item(b, "table", 3, "Estimates for well-known algorithms",
             "The model of Table 9 on the data. The paper cuts its scores off.");
  for (size_t r = 0; r < t.rows; r++) {
    if (strcmp(paper_text(&t, r, "table"), "3")) continue;
    const char *name = "";
    for (size_t i = 0; i < 5; i++) {
      if (!strcmp(agents[i].printed, paper_text(&t, r, "algorithm"))) name = agents[i].name;
    }
    size_t a = algorithm(d, name);
    if (a == d->rows.rows) continue;
    double log_estimate = five->intercept, median = sixer_log_score_inverse(d->rows.y[a]);
    for (size_t i = 0; i < five->size; i++)
      log_estimate += five->coefficients[i] *
                      d->rows.x[a * d->rows.games + (size_t)game_index(d, five->games[i])];
    double estimate = sixer_log_score_inverse(log_estimate);
    paper_compare(b, median, paper_text(&t, r, "median"), NULL, "%s median", name);
    paper_compare(b, estimate, paper_text(&t, r, "atari5_prediction"), NULL, "%s Atari-5", name);
    paper_compare(b, 100 * fabs(estimate - median) / median, paper_text(&t, r, "rel_error_pct"),
                  NULL, "%s relative error, percent", name);
  }

  paper_item(b, "table", 5, "Scores relative to Rainbow",
             "Table 4 divided by its row of Rainbow. The data of Table 4 was not published, and it "
             "is printed in whole numbers, so that quotients have an error of up to 0.01.");
  size_t rainbow = t.rows;
  for (size_t r = 0; r < t.rows; r++) {
    if (!strcmp(paper_text(&t, r, "table"), "4") &&
        !strcmp(paper_text(&t, r, "algorithm"), "Rainbow"))
      rainbow = r;
  }
  for (size_t r = 0; r < t.rows; r++) {
    if (strcmp(paper_text(&t, r, "table"), "5")) continue;
    size_t from = 0;
    while (from < t.rows &&
           (strcmp(paper_text(&t, from, "table"), "4") ||
            strcmp(paper_text(&t, from, "algorithm"), paper_text(&t, r, "algorithm"))))
      from++;
    static const char note[] = "within the rounding of Table 4's whole numbers";
    double median = paper_number(&t, from, "median") / paper_number(&t, rainbow, "median");
    double estimate = paper_number(&t, from, "atari5_prediction") /
                      paper_number(&t, rainbow, "atari5_prediction");
    paper_compare(b, median, paper_text(&t, r, "median"), note, "%s median",
                  paper_text(&t, r, "algorithm"));
    paper_compare(b, estimate, paper_text(&t, r, "atari5_prediction"), note, "%s Atari-5",
                  paper_text(&t, r, "algorithm"));
    paper_compare(b, 100 * fabs(estimate - median) / median, paper_text(&t, r, "rel_error_pct"),
                  note, "%s relative error, percent", paper_text(&t, r, "algorithm"));
  }
}

static void table_6(paper_builder *b) {
  eval_table t = paper_table(b, "atari5_cost.csv");
  static const char *const kinds[] = {"standard", "preemptive"};
  paper_item(b, "table", 6, "Costs", "Prices and hours of appendix A. The paper cuts off.");
  for (size_t r = 0; r < t.rows; r++) {
    const char *name = paper_text(&t, r, "algorithm");
    for (size_t k = 0; k < 2; k++) {
      char column[40];
      sixer_cost_input input = {.games = paper_number(&t, r, "games"),
                                .runs = 1,
                                .hours = paper_number(&t, r, "hours_per_game")};
      snprintf(column, sizeof column, "gpu_price_%s", kinds[k]);
      input.gpu_price = paper_number(&t, r, column);
      snprintf(column, sizeof column, "cpu_price_%s", kinds[k]);
      input.cpu_price = paper_number(&t, r, column);
      sixer_cost cost = sixer_cost_estimate(&input);
      if (!k)
        paper_compare(b, cost.hours, paper_text(&t, r, "gpu_hours"), NULL, "%s GPU hours", name);
      snprintf(column, sizeof column, "cost_%s", kinds[k]);
      paper_compare(b, cost.price, paper_text(&t, r, column), NULL, "%s cost, %s", name, kinds[k]);
    }
  }
}

static void table_8(paper_builder *b, const data *d) {
  eval_table t = paper_table(b, "atari5_algorithms.csv");
  paper_item(b, "table", 8, "Algorithms of the data set",
             "Games with a score, and the median of their normalized scores.");
  for (size_t r = 0; r < t.rows; r++) {
    const char *name = paper_text(&t, r, "algorithm");
    size_t a = algorithm(d, name), known = 0;
    if (a == d->rows.rows) continue;
    for (size_t g = 0; g < d->rows.games; g++) known += !isnan(d->rows.x[a * d->rows.games + g]);
    paper_compare(b, (double)known, paper_text(&t, r, "games"), NULL, "%s games", name);
    paper_compare(b, sixer_log_score_inverse(d->rows.y[a]), paper_text(&t, r, "median_score"), NULL,
                  "%s median", name);
  }
}

/* ---- models of single games ---- */

/* The fit of one game from the games of a subset, with intercept; *squares is the sum of squares about the mean. */
static sixer_err fit_game(const data *d, const int *games, size_t size, int target, sixer_fit *fit,
                          double *squares, sixer_error *error) {
  double x[ROWS_MAX * SIXER_SUBSET_MAX], y[ROWS_MAX], mean = 0;
  int columns[SIXER_SUBSET_MAX];
  size_t rows = 0;
  for (size_t i = 0; i < size; i++) columns[i] = (int)i;
  for (size_t a = 0; a < d->rows.rows && rows < ROWS_MAX; a++) {
    const double *row = d->rows.x + a * d->rows.games;
    bool complete = !isnan(row[target]);
    for (size_t i = 0; i < size; i++) {
      x[rows * size + i] = row[games[i]];
      complete &= !isnan(row[games[i]]);
    }
    if (!complete) continue;
    mean += row[target];
    y[rows++] = row[target];
  }
  if (rows) mean /= (double)rows;
  *squares = 0;
  for (size_t k = 0; k < rows; k++) *squares += (y[k] - mean) * (y[k] - mean);
  sixer_regression_data one = {x, y, rows, size, NULL};
  return sixer_subset_fit(&one, columns, size, true, SIXER_FOLDS_INDEX, 0, 0, fit, error);
}

typedef struct explained {
  double share;
  int above;
  double r2[GAMES_MAX];
} explained;

static explained game_models(paper_builder *b, const data *d, const char *model, int number,
                             const char *file, const char *title) {
  eval_table t = paper_table(b, file);
  explained e = {0};
  double left = 0, total = 0;
  int games[SIXER_SUBSET_MAX];
  size_t size = model_games(d, model, games);
  paper_item(b, "table", number, title,
             "Least squares with intercept on the data of Table 8, game by game.");
  for (size_t r = 0; r < t.rows && !b->err; r++) {
    const char *game = paper_text(&t, r, "game");
    int target = game_index(d, game);
    sixer_fit fit;
    double squares;
    if (target < 0 || target >= GAMES_MAX) continue;
    if (!paper_ok(b, fit_game(d, games, size, target, &fit, &squares, b->error))) return e;
    paper_compare(b, fit.intercept, paper_text(&t, r, "intercept"), NULL, "%s intercept", game);
    for (size_t i = 0; i < size; i++)
      paper_compare(b, fit.coefficients[i], paper_text(&t, r, d->games[games[i]]), NULL,
                    "%s from %s", game, d->games[games[i]]);
    e.r2[target] = fit.r2;
    e.above += fit.r2 > 0.8;
    total += squares;
    left += (1 - fit.r2) * squares;
  }
  e.share = total > 0 ? 1 - left / total : NAN;
  return e;
}

static void table_12(paper_builder *b) {
  eval_table t = paper_table(b, "reference_scores.csv");
  sixer_protocol *protocol = NULL;
  if (!paper_ok(b, sixer_protocol_open("atari57", &protocol, b->error))) return;
  paper_item(b, "table", 12, "Random and human scores",
             "Data: ours are the constants of the protocol atari57.");
  for (size_t r = 0; r < t.rows; r++) {
    const char *game = paper_text(&t, r, "game");
    if (!*paper_text(&t, r, "human_atari5")) continue;
    paper_compare(b, sixer_protocol_constant(protocol, "random", game),
                  paper_text(&t, r, "random_atari5"), NULL, "%s random", game);
    paper_compare(b, sixer_protocol_constant(protocol, "human", game),
                  paper_text(&t, r, "human_atari5"), NULL, "%s human", game);
  }
  sixer_protocol_close(protocol);
}

/* ---- figures and text ---- */

typedef struct pair {
  size_t i, j;
  double r;
} pair;

static int compare_pairs(const void *a, const void *b) {
  double x = ((const pair *)a)->r, y = ((const pair *)b)->r;
  return (x < y) - (x > y);
}

static void figure_2(paper_builder *b, const data *d, sixer_fit *fits) {
  paper_item(b, "figure", 2, "The median predicted from single games",
             "R2 of a fit with intercept, the best first.");
  pair order[GAMES_MAX];
  for (size_t g = 0; g < d->rows.games; g++) {
    int game = (int)g;
    if (!paper_ok(b, sixer_subset_fit(&d->rows, &game, 1, true, SIXER_FOLDS_INDEX, 0, 0, &fits[g],
                                      b->error)))
      return;
    order[g] = (pair){g, 0, fits[g].r2};
  }
  sort_stable(order, d->rows.games, sizeof *order, compare_pairs);
  for (size_t g = 0; g < d->rows.games; g++)
    paper_figure(b, order[g].r, 3, "%s", d->games[order[g].i]);
}

/* Section 5.4: thirds of the algorithms by median. */
static void figure_3(paper_builder *b, const data *d) {
  double errors[3][ROWS_MAX], squares[3][ROWS_MAX];
  size_t counts[3] = {0}, complete[ROWS_MAX], total = 0, models;
  const sixer_subset_model *five = &sixer_published_models(b->published, &models)[2];
  static const char *const thirds[] = {"high", "medium", "low"};
  for (size_t a = 0; a < d->rows.rows && total < ROWS_MAX; a++) { /* rows fall by median */
    bool all = true;
    for (size_t i = 0; i < five->size; i++)
      all &= !isnan(d->rows.x[a * d->rows.games + (size_t)game_index(d, five->games[i])]);
    if (all) complete[total++] = a;
  }
  for (size_t k = 0; k < total; k++) {
    size_t a = complete[k], third = 3 * k / total;
    double sum = five->intercept, median = sixer_log_score_inverse(d->rows.y[a]);
    for (size_t i = 0; i < five->size; i++)
      sum += five->coefficients[i] *
             d->rows.x[a * d->rows.games + (size_t)game_index(d, five->games[i])];
    double error = (sixer_log_score_inverse(sum) - median) / median;
    errors[third][counts[third]] = error;
    squares[third][counts[third]++] = error * error;
  }
  paper_item(b, "figure", 3, "Errors by strength of the algorithm",
             "Thirds of the 44 algorithms that have all five games. The paper reports no "
             "significant difference at 5 %, which holds if every p is above 0.05.");
  for (size_t i = 0; i < 3; i++) {
    double bias = 0, square = 0;
    for (size_t k = 0; k < counts[i]; k++) {
      bias += errors[i][k] / (double)counts[i];
      square += squares[i][k] / (double)counts[i];
    }
    paper_figure(b, 100 * bias, 1, "%s: bias, percent", thirds[i]);
    paper_figure(b, 100 * sqrt(square), 1, "%s: RMS relative error, percent", thirds[i]);
  }
  for (size_t i = 0; i < 3; i++) {
    for (size_t j = i + 1; j < 3; j++) {
      sixer_welch bias, accuracy;
      if (!paper_ok(b, sixer_welch_samples(errors[i], counts[i], errors[j], counts[j], &bias,
                                           b->error)) ||
          !paper_ok(b, sixer_welch_samples(squares[i], counts[i], squares[j], counts[j], &accuracy,
                                           b->error)))
        return;
      paper_figure(b, bias.p, 3, "%s and %s: p of the bias", thirds[i], thirds[j]);
      paper_figure(b, accuracy.p, 3, "%s and %s: p of the accuracy", thirds[i], thirds[j]);
    }
  }
}

static void figures(paper_builder *b, const data *d, const explained *five, const explained *ten) {
  sixer_fit fits[GAMES_MAX];
  size_t games = d->rows.games;
  figure_2(b, d, fits);
  figure_3(b, d);
  paper_item(b, "figure", 4, "How well Atari-5 predicts each game",
             "R2 of the models of Table 10.");
  for (size_t g = 0; g < games; g++) paper_figure(b, five->r2[g], 3, "%s", d->games[g]);

  double *r = arena_alloc(b->arena, games * games * sizeof *r);
  pair *pairs = arena_alloc(b->arena, games * games * sizeof *pairs);
  size_t count = 0;
  if (!r || !pairs) {
    paper_ok(b, arena_no_memory(b->error));
    return;
  }
  if (!paper_ok(b, sixer_games_correlate(&d->rows, r, b->error))) return;
  for (size_t i = 0; i < games; i++) {
    for (size_t j = i + 1; j < games; j++) {
      if (!isnan(r[i * games + j])) pairs[count++] = (pair){i, j, r[i * games + j]};
    }
  }
  sort_stable(pairs, count, sizeof *pairs, compare_pairs);
  paper_item(b, "figure", 5, "The 24 pairs of games that are most alike",
             "Correlation of log scores.");
  for (size_t i = 0; i < 24 && i < count; i++)
    paper_figure(b, pairs[i].r, 3, "%s and %s", d->games[pairs[i].i], d->games[pairs[i].j]);

  static const char *const negative[] = {"alien", "frostbite", "ms_pacman", "riverraid"};
  paper_item(b, "text", 0, "Figures in the text",
             "Correlations are cut off in the paper, not rounded. Not computed: the estimate for "
             "Go-Explore (section 5.3), whose scores are not among the data.");
  paper_figure(b, fits[game_index(d, "zaxxon")].r2, 3,
               "R2 of the best single game, zaxxon (section 5.1)");
  paper_figure(b, fits[game_index(d, "surround")].r2, 3,
               "R2 of the worst single game, surround (section 5.1)");
  paper_figure(b, fits[game_index(d, "name_this_game")].intercept, 2,
               "name_this_game alone: intercept (section 5.1)");
  paper_figure(b, fits[game_index(d, "name_this_game")].coefficients[0], 2,
               "name_this_game alone: slope (section 5.1)");
  paper_figure(b, five->above, 0, "games with R2 above 0.8 (section 5.5)");
  paper_figure(b, 100 * five->share, 1, "variance explained by Atari-5, percent (section 5.5)");
  paper_figure(b, 100 * ten->share, 1, "variance explained by Atari-10, percent (section 5.5)");
  for (size_t i = 0; i < 4; i++)
    paper_figure(b, r[(size_t)game_index(d, "skiing") * games + (size_t)game_index(d, negative[i])],
                 2, "correlation of skiing and %s (section 6)", negative[i]);
  /* 57 games of 375 hours at 400 + 215 W; 0.92 pounds of CO2 per kilowatt-hour */
  sixer_cost cost =
      sixer_cost_estimate(&(sixer_cost_input){57, 1, 375, 0, 0, 400, 215, 0.92 * 0.45359237});
  paper_figure(b, cost.kwh / 1000, 3, "energy for Agent57, MWh (appendix A)");
  paper_figure(b, cost.co2_kg / 907.18474, 2, "CO2 for Agent57, short tons (appendix A)");
}

void paper_atari5(paper_builder *b) {
  data d;
  d.rows = sixer_published_atari5(b->published, false, &d.names, &d.games);
  d.sorted = sixer_published_atari5(b->published, true, NULL, NULL);
  d.fits = paper_table(b, "atari5_model_fit.csv");
  if (b->err || d.rows.games > GAMES_MAX || d.rows.rows > ROWS_MAX) return;
  tables_2_and_9(b, &d);
  tables_3_to_5(b, &d);
  table_6(b);
  table_8(b, &d);
  explained five = game_models(b, &d, "atari_5", 10, "atari5_game_models.csv",
                               "Models of each game from Atari-5");
  explained ten = game_models(b, &d, "atari_10", 11, "atari10_game_models.csv",
                              "Models of each game from Atari-10");
  table_12(b);
  if (!b->err) figures(b, &d, &five, &ten);
}
