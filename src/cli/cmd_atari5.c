/* sixer atari5: small sets of games that stand for all of them (Aitchison, Sweetser, Hutter 2023).
 * Scores from the paper's models, the exhaustive search for one's own, how games hang together,
 * where the models err, and what runs cost. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/out.h"
#include "eval/eval_stats.h"
#include "eval/scores.h"
#include "sixer/eval.h"

static const char name[] = "atari5";
static const char description[] =
    "Small sets of games that predict the median over many.\n\n"
    "  sixer atari5 score FILE      Atari-1, -3, -5, -10 scores of a result file (columns game, "
    "score; agent, run)\n"
    "  sixer atari5 search [FILE]   the best subset of the paper's data, or of FILE (columns "
    "algorithm, game, score)\n"
    "  sixer atari5 nest [FILE]     all six subsets in the paper's order\n"
    "  sixer atari5 structure       how well single games predict the median, and which are alike\n"
    "  sixer atari5 errors          where Atari-5 errs: by type of algorithm, and by strength\n"
    "  sixer atari5 models          the paper's models\n"
    "  sixer atari5 cost            what an experiment costs on 57 games, on ten and on five";

typedef struct options {
  int64_t size, top, splits, seed, folds, threads, min_games, min_algorithms;
  const char *fold_kind, *require, *exclude, *reference, *constants;
  bool games, percent, json, tsv;
  double hours, frames, fps, runs, gpu_price, cpu_price, gpu_watts, cpu_watts, co2;
} options;

/* ---- helpers ---- */

static int fail(const sixer_error *error) {
  bool usage = error->code == SIXER_ERR_ARGUMENT || error->code == SIXER_ERR_CONFIG;
  return cli_error(name, usage ? CLI_USAGE : CLI_FAILED, "%s", error->message);
}

static int no_memory(void) { return cli_error(name, CLI_FAILED, "out of memory"); }

/* A model of the paper: Table 9. */
typedef struct model {
  const char *name;
  const char *games[SIXER_SUBSET_MAX];
  double coefficients[SIXER_SUBSET_MAX];
  size_t size;
} model;

enum { MODELS = 6 };
static const char *const model_names[MODELS] = {"atari_1",  "atari_3",     "atari_5",
                                                "atari_10", "atari_3_val", "atari_5_val"};

static sixer_err load_models(eval_arena *arena, model *models, sixer_error *error) {
  eval_table t;
  sixer_err err = eval_table_published(arena, "atari5_models.csv", &t, error);
  for (size_t m = 0; !err && m < MODELS; m++) {
    models[m] = (model){.name = model_names[m]};
    for (size_t r = 0; r < t.rows; r++) {
      if (strcmp(eval_table_field(&t, r, 0), model_names[m]) || models[m].size == SIXER_SUBSET_MAX)
        continue;
      models[m].games[models[m].size] = eval_table_field(&t, r, eval_table_column(&t, "game"));
      eval_number(eval_table_field(&t, r, eval_table_column(&t, "coefficient")), EVAL_FINITE,
                  &models[m].coefficients[models[m].size++]);
    }
  }
  return err;
}

/* ---- score ---- */

/* The 57 games under the settings of atari5, so that the same checks apply to the file. */
static sixer_err protocol_of_57(eval_arena *arena, const char *const *games, size_t count,
                                sixer_protocol **protocol, sixer_error *error) {
  eval_table t;
  sixer_err err = eval_table_published(arena, "reference_scores.csv", &t, error);
  char *text = err ? NULL : eval_alloc(arena, 40000);
  if (err || !text) return err ? err : eval_no_memory(error);
  size_t n = (size_t)snprintf(
      text, 40000,
      "name = \"atari57\"\nbase = \"atari5\"\n[score]\naggregate = \"median\"\n[games]\nlist = [");
  for (size_t g = 0; g < count; g++)
    n += (size_t)snprintf(text + n, 40000 - n, "%s\"%s\"", g ? ", " : "", games[g]);
  n += (size_t)snprintf(text + n, 40000 - n,
                        "]\n[model]\n%s = 1\n[constants]\ncolumns = [\"random\", \"human\"]\n",
                        games[0]);
  for (size_t r = 0; r < t.rows; r++) {
    const char *random = eval_table_field(&t, r, eval_table_column(&t, "random_atari5"));
    const char *human = eval_table_field(&t, r, eval_table_column(&t, "human_atari5"));
    if (*human)
      n += (size_t)snprintf(text + n, 40000 - n, "%s = [%s, %s]\n", eval_table_field(&t, r, 0),
                            random, human);
  }
  return sixer_protocol_parse(text, "atari57", protocol, error);
}

/* Predictions of the other games from the five or ten, Tables 10 and 11. */
static sixer_err show_predictions(out *o, eval_scores *s, const char *file, const char *label,
                                  const double *percents, const char *agent, sixer_error *error) {
  eval_table t;
  sixer_err err = eval_table_published(&s->arena, file, &t, error);
  if (err) return err;
  for (size_t r = 0; r < t.rows; r++) {
    double coefficients[SIXER_SUBSET_MAX], inputs[SIXER_SUBSET_MAX], intercept, actual = NAN;
    size_t count = 0;
    bool complete = true;
    eval_number(eval_table_field(&t, r, 1), EVAL_FINITE, &intercept);
    for (size_t c = 2; c < t.columns; c++) {
      eval_number(eval_table_field(&t, r, (int)c), EVAL_FINITE, &coefficients[count]);
      for (size_t g = 0; g < s->info.game_count; g++) {
        if (!strcmp(s->info.games[g], t.names[c])) inputs[count] = percents[g];
      }
      complete &= !isnan(inputs[count++]);
    }
    if (!complete) return SIXER_OK;
    for (size_t g = 0; g < s->info.game_count; g++) {
      if (!strcmp(s->info.games[g], eval_table_field(&t, r, 0))) actual = percents[g];
    }
    out_text(o, agent);
    out_text(o, label);
    out_text(o, eval_table_field(&t, r, 0));
    out_number(o, sixer_model_predict(intercept, coefficients, inputs, count), 1);
    out_number(o, actual, 1);
  }
  return SIXER_OK;
}

static int run_score(const options *opt, const char *file, const sixer_published *published,
                     out *o) {
  eval_arena arena = {0};
  eval_scores s;
  sixer_protocol *protocol = NULL;
  sixer_error error;
  model models[MODELS];
  const char *const *games;
  sixer_regression_data data = sixer_published_atari5(published, false, NULL, &games);
  sixer_err err = load_models(&arena, models, &error);
  if (!err) err = protocol_of_57(&arena, games, data.games, &protocol, &error);
  if (err) {
    eval_free(&arena);
    return fail(&error);
  }
  eval_scores_begin(&s, protocol, published);
  s.partial = true;
  err = eval_scores_read(&s, file, file, &error);
  double *percents = eval_alloc(&arena, (s.agent_count + 1) * data.games * sizeof *percents);
  if (!err && !percents) err = eval_no_memory(&error);
  size_t any = 0;
  out_text_value(o, "meaning", NULL,
                 "estimates of the median human-normalized percentage over 57 games; compare like "
                 "with like only");
  out_table(o, "scores", "scores (percent of human; the models estimate the median over 57 games)",
            "agent|atari_1|atari_3|atari_5|atari_10|atari_3_val|atari_5_val|games|median");
  for (size_t a = 0; !err && a < s.agent_count; a++) {
    double *z = percents + a * data.games, known[64];
    size_t count = 0;
    for (size_t g = 0; g < s.info.game_count; g++) {
      double low = sixer_protocol_constant(protocol, "random", s.info.games[g]);
      double high = sixer_protocol_constant(protocol, "human", s.info.games[g]);
      z[g] = 100 * (s.agents[a].means[g] - low) / (high - low);
      if (!isnan(z[g])) known[count++] = z[g];
    }
    qsort(known, count, sizeof *known, eval_compare_doubles);
    out_text(o, s.agents[a].name);
    for (size_t m = 0; m < MODELS; m++) {
      double inputs[SIXER_SUBSET_MAX];
      bool complete = true;
      for (size_t i = 0; i < models[m].size; i++) {
        for (size_t g = 0; g < s.info.game_count; g++) {
          if (!strcmp(s.info.games[g], models[m].games[i])) inputs[i] = z[g];
        }
        complete &= !isnan(inputs[i]);
      }
      any += complete;
      out_number(
          o,
          complete ? sixer_model_predict(0, models[m].coefficients, inputs, models[m].size) : NAN,
          1);
    }
    out_int(o, (long long)count);
    /* the paper: a median needs at least 40 games */
    out_number(o, count >= 40 ? eval_median_sorted(known, count) : NAN, 1);
  }
  if (!err && !any)
    err = sixer_fail(&error, SIXER_ERR_FILE,
                     "%s: no model can be computed. Atari-1 needs name_this_game; Atari-3 also "
                     "battle_zone and phoenix; Atari-5 "
                     "also double_dunk and qbert",
                     file);
  if (!err && opt->games) {
    out_table(o, "predictions", "predicted scores of every game (percent of human)",
              "agent|from|game|predicted|actual");
    for (size_t a = 0; !err && a < s.agent_count; a++) {
      err = show_predictions(o, &s, "atari5_game_models.csv", "atari_5", percents + a * data.games,
                             s.agents[a].name, &error);
      if (!err)
        err = show_predictions(o, &s, "atari10_game_models.csv", "atari_10",
                               percents + a * data.games, s.agents[a].name, &error);
    }
  }
  if (!err) {
    out_table(o, "warnings", NULL, "name|text");
    for (size_t i = 0; i < s.warning_count; i++) {
      /* that games are missing is the point here */
      if (!strcmp(s.warnings[i].name, "missing-games")) continue;
      out_text(o, s.warnings[i].name);
      out_text(o, s.warnings[i].text);
      if (!opt->json && !opt->tsv)
        fprintf(stderr, "sixer atari5: warning (%s): %s\n", s.warnings[i].name, s.warnings[i].text);
    }
    out_print(o, stdout);
  }
  eval_scores_end(&s);
  sixer_protocol_close(protocol);
  eval_free(&arena);
  return err ? fail(&error) : CLI_OK;
}

/* ---- data for the search ---- */

typedef struct dataset {
  sixer_regression_data data;
  const char *const *names, *const *games;
  bool *excluded;
  char *warnings[128]; /* name, then text */
  size_t warning_count;
} dataset;

/* Say something about the data on stderr, and keep it for the results. */
static void warn(eval_arena *arena, dataset *d, const char *warning, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void warn(eval_arena *arena, dataset *d, const char *warning, const char *format, ...) {
  char text[300];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fprintf(stderr, "sixer atari5: warning (%s): %s\n", warning, text);
  if (d->warning_count + 2 > sizeof d->warnings / sizeof *d->warnings) return;
  d->warnings[d->warning_count++] = eval_copy(arena, warning, strlen(warning));
  d->warnings[d->warning_count++] = eval_copy(arena, text, strlen(text));
}

static void print_with_warnings(out *o, const dataset *d) {
  out_table(o, "warnings", NULL, "name|text");
  for (size_t i = 0; i < d->warning_count; i++) out_text(o, d->warnings[i]);
  out_print(o, stdout);
}

static int find_name(const char *const *list, size_t count, const char *text, size_t length) {
  for (size_t i = 0; i < count; i++) {
    if (strlen(list[i]) == length && !strncmp(list[i], text, length)) return (int)i;
  }
  return -1;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A user's own scores: rows are algorithms, in order of appearance or sorted. */
static sixer_err load_data(eval_arena *arena, const options *opt, const char *file,
                           const sixer_published *published, bool by_name, dataset *d,
                           sixer_error *error) {
  char *text;
  size_t size;
  eval_table t, constants;
  sixer_err err = eval_read_file(arena, file, &text, &size, error);
  if (!err) err = eval_table_parse(arena, text, size, file, &t, error);
  if (err) return err;
  int agent = eval_table_column(&t, "algorithm"), game = eval_table_column(&t, "game"),
      score = eval_table_column(&t, "score");
  if (agent < 0) agent = eval_table_column(&t, "agent");
  if (agent < 0 || game < 0 || score < 0)
    return sixer_fail(error, SIXER_ERR_FILE, "%s: the columns algorithm, game and score are needed",
                      file);
  const char **names = eval_alloc(arena, (t.rows + 1) * sizeof *names),
             **games = eval_alloc(arena, (t.rows + 1) * sizeof *games);
  if (!names || !games) return eval_no_memory(error);
  size_t rows = 0, columns = 0;
  for (size_t r = 0; r < t.rows; r++) {
    const char *a = eval_table_field(&t, r, agent), *g = eval_table_field(&t, r, game);
    const char *id = sixer_published_game(published, g);
    if (id) g = id;
    if (find_name(names, rows, a, strlen(a)) < 0) names[rows++] = a;
    if (find_name(games, columns, g, strlen(g)) < 0) games[columns++] = g;
  }
  if (!rows) return sixer_fail(error, SIXER_ERR_FILE, "%s: no scores", file);
  if (by_name) qsort(names, rows, sizeof *names, compare_names);

  /* constants: a file of one's own, or Table 12; none for percentages */
  double *low = eval_alloc(arena, columns * sizeof *low),
         *high = eval_alloc(arena, columns * sizeof *high);
  if (!low || !high) return eval_no_memory(error);
  if (opt->constants) {
    if ((err = eval_read_file(arena, opt->constants, &text, &size, error))) return err;
    err = eval_table_parse(arena, text, size, opt->constants, &constants, error);
  } else {
    err = eval_table_published(arena, "reference_scores.csv", &constants, error);
  }
  if (err) return err;
  int constant_game = eval_table_column(&constants, "game");
  int random = eval_table_column(&constants, opt->constants ? "random" : "random_atari5");
  int human = eval_table_column(&constants, opt->constants ? "human" : "human_atari5");
  if (constant_game < 0 || random < 0 || human < 0)
    return sixer_fail(error, SIXER_ERR_FILE, "%s: the columns game, random and human are needed",
                      opt->constants);
  for (size_t g = 0; g < columns; g++) {
    low[g] = 0;
    high[g] = opt->percent ? 100 : NAN;
    for (size_t r = 0; !opt->percent && r < constants.rows; r++) {
      if (strcmp(eval_table_field(&constants, r, constant_game), games[g])) continue;
      if (!eval_number(eval_table_field(&constants, r, random), EVAL_FINITE, &low[g]) ||
          !eval_number(eval_table_field(&constants, r, human), EVAL_FINITE, &high[g]))
        high[g] = NAN;
    }
    if (isnan(high[g]) || high[g] == low[g])
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%s: there are no random and human scores of '%.60s'; give them with "
                        "--constants FILE, or say "
                        "--percent if scores are percentages already",
                        file, games[g]);
  }

  double *x = eval_alloc(arena, rows * columns * sizeof *x),
         *y = eval_alloc(arena, rows * sizeof *y);
  double *known = eval_alloc(arena, columns * sizeof *known),
         *percents = eval_alloc(arena, rows * columns * sizeof *percents);
  if (!x || !y || !known || !percents) return eval_no_memory(error);
  for (size_t i = 0; i < rows * columns; i++) x[i] = percents[i] = NAN;
  for (size_t r = 0; r < t.rows; r++) {
    const char *a = eval_table_field(&t, r, agent), *g = eval_table_field(&t, r, game);
    const char *id = sixer_published_game(published, g);
    if (id) g = id;
    size_t row = (size_t)find_name(names, rows, a, strlen(a)),
           column = (size_t)find_name(games, columns, g, strlen(g));
    double value;
    if (!eval_number(eval_table_field(&t, r, score), EVAL_FINITE, &value))
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%s:%d: the score of %.60s is '%.30s', not a finite number", file,
                        t.lines[r], g, eval_table_field(&t, r, score));
    if (!isnan(x[row * columns + column]))
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%s:%d: %.60s has a second score of %.60s; average runs first", file,
                        t.lines[r], a, g);
    percents[row * columns + column] = 100 * (value - low[column]) / (high[column] - low[column]);
    x[row * columns + column] = sixer_log_score(percents[row * columns + column]);
  }

  /* algorithms with too few games have no median worth the name */
  size_t kept = 0;
  for (size_t a = 0; a < rows; a++) {
    size_t count = 0;
    for (size_t g = 0; g < columns; g++) {
      if (!isnan(x[a * columns + g])) known[count++] = percents[a * columns + g];
    }
    if (count < (size_t)opt->min_games) continue;
    qsort(known, count, sizeof *known, eval_compare_doubles);
    memmove(x + kept * columns, x + a * columns, columns * sizeof *x);
    names[kept] = names[a];
    y[kept++] = sixer_log_score(eval_median_sorted(known, count));
  }
  if (!kept)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s: no algorithm has scores of %lld games (--min-games)", file,
                      (long long)opt->min_games);
  *d = (dataset){.data = {x, y, kept, columns}, .names = names, .games = games};
  if (kept < rows)
    warn(arena, d, "few-games",
         "%zu of %zu algorithms have scores of fewer than %lld games and were left out",
         rows - kept, rows, (long long)opt->min_games);
  return SIXER_OK;
}

static sixer_err exclude_sparse(eval_arena *arena, const options *opt, dataset *d,
                                sixer_error *error) {
  d->excluded = eval_alloc(arena, d->data.games);
  if (!d->excluded) return eval_no_memory(error);
  for (size_t g = 0; g < d->data.games; g++) {
    size_t count = 0;
    for (size_t a = 0; a < d->data.rows; a++) count += !isnan(d->data.x[a * d->data.games + g]);
    d->excluded[g] = count < (size_t)opt->min_algorithms;
    if (d->excluded[g])
      warn(arena, d, "sparse-game",
           "%s has scores of %zu algorithms, fewer than %lld, and is left out", d->games[g], count,
           (long long)opt->min_algorithms);
  }
  return SIXER_OK;
}

/* Numbers of a comma-separated list of games; -1 after a message. */
static int parse_games(const dataset *d, const char *list, int *games) {
  int count = 0;
  while (list && *list) {
    size_t length = strcspn(list, ",");
    int g = find_name(d->games, d->data.games, list, length);
    if (g < 0 || count == SIXER_SUBSET_MAX) {
      cli_error(name, CLI_USAGE,
                g < 0 ? "there is no game '%.*s' in the data" : "more than 16 games up to '%.*s'",
                (int)length, list);
      return -1;
    }
    games[count++] = g;
    list += length + (list[length] == ',');
  }
  return count;
}

static bool choose_folds(const options *opt, sixer_search *search) {
  if (!strcmp(opt->fold_kind, "index")) {
    search->kind = SIXER_FOLDS_INDEX;
  } else if (!strcmp(opt->fold_kind, "paper")) {
    search->kind = SIXER_FOLDS_NUMPY;
    search->seed = 1982;
  } else if (!strcmp(opt->fold_kind, "shuffled")) {
    search->kind = SIXER_FOLDS_SHUFFLED;
    search->seed = (uint32_t)opt->seed;
  } else {
    return false;
  }
  return true;
}

static void show_progress(void *context, double done, double total) {
  cli_progress_show(context, done, total, NULL);
}

static void show_fit(out *o, const dataset *d, const char *label, const sixer_fit *fit) {
  char games[500] = "", coefficients[300] = "";
  for (size_t i = 0; i < fit->size; i++) {
    size_t g = strlen(games), c = strlen(coefficients);
    snprintf(games + g, sizeof games - g, "%s%s", i ? " " : "", d->games[fit->games[i]]);
    snprintf(coefficients + c, sizeof coefficients - c, "%s%.4f", i ? " " : "",
             fit->coefficients[i]);
  }
  out_text(o, label);
  out_number(o, fit->cv_mse, 6);
  out_number(o, fit->cv_r2, 4);
  out_number(o, 100 * fit->relative_error, 2);
  out_number(o, fit->r2, 4);
  out_int(o, (long long)fit->rows);
  out_text(o, games);
  out_text(o, coefficients);
}
static const char fit_columns[] = "%s|cv_mse|cv_r2|relative_error|r2|algorithms|games|coefficients";

/* ---- search ---- */

static int compare_ranks(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* The rank of a subset over many seeded splits, beside its error. */
static sixer_err show_splits(out *o, const options *opt, const dataset *d, sixer_search search,
                             sixer_error *error) {
  uint64_t *ranks = calloc((size_t)opt->splits, sizeof *ranks);
  double mse = 0, r2 = 0, relative = 0;
  size_t first = 0, left_out = 0, count = 0;
  cli_progress bar;
  sixer_err err = ranks ? SIXER_OK : eval_no_memory(error);
  cli_progress_begin(&bar, "splits");
  search.kind = SIXER_FOLDS_SHUFFLED;
  search.progress = NULL;
  search.top = 1;
  for (int64_t i = 0; !err && i < opt->splits; i++) {
    sixer_fit best, fit;
    sixer_search_result result;
    search.seed = (uint32_t)(opt->seed + i);
    err = sixer_subset_search(&d->data, &search, &best, &result, error);
    if (!err)
      err = sixer_subset_fit(&d->data, search.reference, search.size, false, search.kind,
                             search.folds, search.seed, &fit, error);
    if (err) break;
    cli_progress_show(&bar, (double)i, (double)opt->splits, NULL);
    if (!result.reference_rank) {
      left_out++;
      continue;
    }
    ranks[count++] = result.reference_rank;
    first += result.reference_rank == 1;
    mse += fit.cv_mse;
    r2 += fit.cv_r2;
    relative += fit.relative_error;
  }
  cli_progress_end(&bar);
  if (!err) {
    qsort(ranks, count, sizeof *ranks, compare_ranks);
    out_table(o, "splits", "the reference subset over seeded splits: rank, and means of its errors",
              "splits|first_seed|times_first|best_rank|median_rank|worst_rank|cv_mse|cv_r2|"
              "relative_error");
    out_int(o, (long long)count);
    out_int(o, (long long)opt->seed);
    out_int(o, (long long)first);
    out_number(o, count ? (double)ranks[0] : NAN, 0);
    out_number(o, count ? (double)ranks[count / 2] : NAN, 0);
    out_number(o, count ? (double)ranks[count - 1] : NAN, 0);
    out_number(o, mse / (double)count, 6);
    out_number(o, r2 / (double)count, 4);
    out_number(o, 100 * relative / (double)count, 2);
  }
  free(ranks);
  return err;
}

static void show_search(out *o, const sixer_search_result *result, double seconds) {
  out_table(o, "search", "search",
            "subsets|negative|unfit|seconds|subsets_per_second|reference_rank|reference_cv_mse");
  out_int(o, (long long)result->subsets);
  out_int(o, (long long)result->negative);
  out_int(o, (long long)result->unfit);
  out_number(o, seconds, 3);
  out_number(o, (double)result->subsets / seconds, 0);
  out_number(o, result->reference_rank ? (double)result->reference_rank : NAN, 0);
  out_number(o, result->reference_cv_mse, 6);
}

static int run_search(const options *opt, eval_arena *arena, dataset *d, bool paper, out *o) {
  sixer_search search = sixer_search_default();
  sixer_search_result result;
  sixer_error error;
  cli_progress bar;
  int required[SIXER_SUBSET_MAX], reference[SIXER_SUBSET_MAX], excluded[SIXER_SUBSET_MAX];
  if (!choose_folds(opt, &search))
    return cli_error(name, CLI_USAGE, "--folds wants index, paper or shuffled, found '%s'",
                     opt->fold_kind);
  int required_count = parse_games(d, opt->require, required),
      excluded_count = parse_games(d, opt->exclude, excluded);
  const char *wanted = opt->reference;
  if (!wanted && paper && opt->size == 5)
    wanted = "battle_zone,double_dunk,name_this_game,phoenix,qbert";
  int reference_count = parse_games(d, wanted, reference);
  if (required_count < 0 || excluded_count < 0 || reference_count < 0) return CLI_USAGE;
  if (reference_count && reference_count != opt->size)
    return cli_error(name, CLI_USAGE, "the reference has %d games, the subsets %lld",
                     reference_count, (long long)opt->size);
  if (opt->splits && !reference_count)
    return cli_error(name, CLI_USAGE, "--splits ranks a subset: name it with --reference");
  for (int i = 0; i < excluded_count; i++) d->excluded[excluded[i]] = true;
  search.size = (size_t)opt->size;
  search.required = required;
  search.required_count = (size_t)required_count;
  search.excluded = d->excluded;
  search.folds = (int)opt->folds;
  search.top = (size_t)opt->top;
  search.threads = (int)opt->threads;
  search.reference = reference_count ? reference : NULL;
  search.progress = show_progress;
  search.context = &bar;
  sixer_fit *fits = eval_alloc(arena, search.top * sizeof *fits);
  if (!fits) return no_memory();
  double start = cli_seconds();
  cli_progress_begin(&bar, "subsets");
  sixer_err err = sixer_subset_search(&d->data, &search, fits, &result, &error);
  cli_progress_end(&bar);
  if (err) return fail(&error);
  if (!result.found)
    return cli_error(name, CLI_FAILED,
                     "none of %llu subsets has a fit without negative coefficients (%llu have one, "
                     "%llu lack rows)",
                     (unsigned long long)result.subsets, (unsigned long long)result.negative,
                     (unsigned long long)result.unfit);
  show_search(o, &result, cli_seconds() - start);
  char columns[200];
  snprintf(columns, sizeof columns, fit_columns, "rank");
  out_table(o, "subsets", "best subsets (relative_error in percent)", columns);
  for (size_t i = 0; i < result.found; i++) {
    char rank[32];
    snprintf(rank, sizeof rank, "%zu", i + 1);
    show_fit(o, d, rank, &fits[i]);
  }
  if (opt->splits) err = show_splits(o, opt, d, search, &error);
  if (err) return fail(&error);
  print_with_warnings(o, d);
  return CLI_OK;
}

/* ---- nest ---- */

/* Six searches, each resting on the ones before: sizes 5, 3 inside it, 1 inside that; 3 without the
 * five, extended to 5; and the five extended to 10 without those. */
static int run_nest(const options *opt, eval_arena *arena, dataset *d, out *o) {
  sixer_search search = sixer_search_default();
  sixer_error error;
  sixer_fit fits[MODELS];
  static const struct {
    const char *label;
    size_t size;
    int inside, extends, without[2];
  } steps[MODELS] = {{"best-5", 5, -1, -1, {-1, -1}},     {"best-3", 3, 0, -1, {-1, -1}},
                     {"best-1", 1, 1, -1, {-1, -1}},      {"validation-3", 3, -1, -1, {0, -1}},
                     {"validation-5", 5, -1, 3, {0, -1}}, {"best-10", 10, -1, 0, {4, -1}}};
  bool *excluded = eval_alloc(arena, d->data.games);
  if (!excluded) return no_memory();
  if (!choose_folds(opt, &search))
    return cli_error(name, CLI_USAGE, "--folds wants index, paper or shuffled, found '%s'",
                     opt->fold_kind);
  char columns[200];
  snprintf(columns, sizeof columns, fit_columns, "set");
  out_table(o, "subsets", "nested subsets (relative_error in percent)", columns);
  search.folds = (int)opt->folds;
  search.threads = (int)opt->threads;
  search.excluded = excluded;
  for (size_t i = 0; i < MODELS; i++) {
    sixer_search_result result;
    cli_progress bar;
    memcpy(excluded, d->excluded, d->data.games);
    for (size_t g = 0; steps[i].inside >= 0 && g < d->data.games; g++) {
      bool in = false;
      for (size_t k = 0; k < fits[steps[i].inside].size; k++)
        in |= fits[steps[i].inside].games[k] == (int)g;
      excluded[g] |= !in;
    }
    for (size_t w = 0; w < 2 && steps[i].without[w] >= 0; w++) {
      const sixer_fit *other = &fits[steps[i].without[w]];
      for (size_t k = 0; k < other->size; k++) excluded[other->games[k]] = true;
    }
    search.size = steps[i].size;
    search.required = steps[i].extends >= 0 ? fits[steps[i].extends].games : NULL;
    search.required_count = steps[i].extends >= 0 ? fits[steps[i].extends].size : 0;
    search.progress = show_progress;
    search.context = &bar;
    cli_progress_begin(&bar, steps[i].label);
    sixer_err err = sixer_subset_search(&d->data, &search, &fits[i], &result, &error);
    cli_progress_end(&bar);
    if (err) return fail(&error);
    if (!result.found)
      return cli_error(name, CLI_FAILED, "%s: no subset without negative coefficients",
                       steps[i].label);
    show_fit(o, d, steps[i].label, &fits[i]);
  }
  print_with_warnings(o, d);
  return CLI_OK;
}

/* ---- structure ---- */

typedef struct link {
  size_t i, j;
  double r;
} link;

static int compare_links(const void *a, const void *b) {
  double x = ((const link *)a)->r, y = ((const link *)b)->r;
  return (x < y) - (x > y);
}

static int run_structure(const options *opt, eval_arena *arena, const dataset *d, out *o) {
  size_t games = d->data.games, count = 0;
  sixer_error error;
  double *r = eval_alloc(arena, games * games * sizeof *r);
  link *links = eval_alloc(arena, games * games * sizeof *links),
       *single = eval_alloc(arena, games * sizeof *single);
  sixer_fit *fits = eval_alloc(arena, games * sizeof *fits);
  if (!r || !links || !single || !fits) return no_memory();
  for (size_t g = 0; g < games; g++) {
    int game = (int)g;
    if (sixer_subset_fit(&d->data, &game, 1, true, SIXER_FOLDS_INDEX, 0, 0, &fits[g], &error))
      return fail(&error);
    single[g] = (link){g, 0, fits[g].r2};
  }
  qsort(single, games, sizeof *single, compare_links);
  out_table(o, "single", "the median predicted from one game (with intercept)",
            "game|r2|intercept|slope|algorithms");
  for (size_t i = 0; i < games; i++) {
    const sixer_fit *fit = &fits[single[i].i];
    out_text(o, d->games[single[i].i]);
    out_number(o, fit->r2, 3);
    out_number(o, fit->intercept, 2);
    out_number(o, fit->coefficients[0], 2);
    out_int(o, (long long)fit->rows);
  }
  if (sixer_games_correlate(&d->data, r, &error)) return fail(&error);
  for (size_t i = 0; i < games; i++) {
    for (size_t j = i + 1; j < games; j++) {
      if (!isnan(r[i * games + j])) links[count++] = (link){i, j, r[i * games + j]};
    }
  }
  qsort(links, count, sizeof *links, compare_links);
  out_table(o, "correlations",
            opt->games
                ? "correlation of log scores, all pairs"
                : "correlation of log scores: the 24 most alike, and negative ones below -0.5",
            "game|other|correlation");
  for (size_t i = 0; i < count; i++) {
    if (!opt->games && i >= 24 && links[i].r > -0.5) continue;
    out_text(o, d->games[links[i].i]);
    out_text(o, d->games[links[i].j]);
    out_number(o, links[i].r, 3);
  }
  print_with_warnings(o, d);
  return CLI_OK;
}

/* ---- errors ---- */

typedef struct group {
  const char *label;
  double errors[64], squares[64];
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

static int run_errors(eval_arena *arena, const dataset *d, out *o) {
  model models[MODELS];
  eval_table t;
  sixer_error error;
  sixer_err err = load_models(arena, models, &error);
  if (!err) err = eval_table_published(arena, "atari5_algorithms.csv", &t, &error);
  group *types = eval_alloc(arena, 16 * sizeof *types),
        *thirds = eval_alloc(arena, 3 * sizeof *thirds);
  if (!err && (!types || !thirds)) err = eval_no_memory(&error);
  if (err) return fail(&error);
  const model *five = &models[2];
  size_t type_count = 0, complete = 0, at = 0;
  int columns[SIXER_SUBSET_MAX], type_column = eval_table_column(&t, "type");
  for (size_t i = 0; i < five->size; i++)
    columns[i] = find_name(d->games, d->data.games, five->games[i], strlen(five->games[i]));
  for (size_t pass = 0; pass < 2; pass++) {
    for (size_t a = 0; a < d->data.rows; a++) {
      double value = 0;
      for (size_t i = 0; i < five->size; i++)
        value += five->coefficients[i] * d->data.x[a * d->data.games + (size_t)columns[i]];
      if (isnan(value)) continue;
      if (pass == 0) {
        complete++;
        continue;
      }
      double median = sixer_log_score_inverse(d->data.y[a]);
      double relative = (sixer_log_score_inverse(value) - median) / median;
      const char *type = eval_table_field(&t, a, type_column);
      size_t k = 0;
      while (k < type_count && strcmp(types[k].label, type)) k++;
      if (k == type_count && type_count < 16) types[type_count++].label = type;
      group *homes[2] = {&types[k], &thirds[3 * at++ / complete]};
      for (size_t h = 0; h < 2; h++) {
        homes[h]->errors[homes[h]->count] = relative;
        homes[h]->squares[homes[h]->count++] = relative * relative;
      }
    }
  }
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
  out_table(o, "tests", "Welch tests between thirds: p", "first|second|bias|accuracy");
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = i + 1; k < 3; k++) {
      sixer_welch bias, accuracy;
      err = sixer_welch_samples(thirds[i].errors, thirds[i].count, thirds[k].errors,
                                thirds[k].count, &bias, &error);
      if (!err)
        err = sixer_welch_samples(thirds[i].squares, thirds[i].count, thirds[k].squares,
                                  thirds[k].count, &accuracy, &error);
      if (err) return fail(&error);
      out_text(o, thirds[i].label);
      out_text(o, thirds[k].label);
      out_number(o, bias.p, 3);
      out_number(o, accuracy.p, 3);
    }
  }
  out_print(o, stdout);
  return CLI_OK;
}

/* ---- models and cost ---- */

static int run_models(eval_arena *arena, out *o) {
  model models[MODELS];
  sixer_error error;
  if (load_models(arena, models, &error)) return fail(&error);
  out_table(o, "models",
            "models of the paper (Table 9): 10^(sum of coefficient * log10(1 + percent)) - 1",
            "model|game|coefficient");
  for (size_t m = 0; m < MODELS; m++) {
    for (size_t i = 0; i < models[m].size; i++) {
      out_text(o, models[m].name);
      out_text(o, models[m].games[i]);
      out_number(o, models[m].coefficients[i], 4);
    }
  }
  out_print(o, stdout);
  return CLI_OK;
}

static int run_cost(const options *opt, out *o) {
  double hours = opt->hours;
  if (isnan(hours)) {
    if (isnan(opt->fps))
      return cli_error(name, CLI_USAGE,
                       "cost needs --hours per game and run, or --fps (frames per second)");
    hours = opt->frames / opt->fps / 3600;
  }
  if (!(hours > 0) || !(opt->runs >= 1) || !(opt->gpu_price >= 0) || !(opt->cpu_price >= 0) ||
      !(opt->gpu_watts >= 0) || !(opt->cpu_watts >= 0) || !(opt->co2 >= 0))
    return cli_error(name, CLI_USAGE,
                     "hours and runs must be positive, and no price or power negative");
  static const struct {
    const char *label;
    double games;
  } sets[] = {{"atari57", 57}, {"atari10", 10}, {"atari5", 5}, {"atari3", 3}, {"atari1", 1}};
  out_table(o, "cost", "cost of one experiment", "set|games|runs|hours|price|kwh|co2_kg");
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    sixer_cost_input input = {sets[i].games,  opt->runs,      hours,          opt->gpu_price,
                              opt->cpu_price, opt->gpu_watts, opt->cpu_watts, opt->co2};
    sixer_cost cost = sixer_cost_estimate(&input);
    out_text(o, sets[i].label);
    out_number(o, sets[i].games, 0);
    out_number(o, opt->runs, 0);
    out_number(o, cost.hours, 1);
    out_number(o, cost.price, 2);
    out_number(o, cost.kwh, 1);
    out_number(o, cost.co2_kg, 1);
  }
  out_print(o, stdout);
  return CLI_OK;
}

/* ---- the command ---- */

static int dispatch(const options *opt, const char *action, const char *file,
                    const sixer_published *published, out *o) {
  eval_arena arena = {0};
  sixer_error error;
  int status = CLI_OK;
  bool search = !strcmp(action, "search"), nest = !strcmp(action, "nest");
  bool structure = !strcmp(action, "structure"), errors = !strcmp(action, "errors");
  if (!strcmp(action, "score")) {
    if (!file) return cli_error(name, CLI_USAGE, "score needs a result file");
    return run_score(opt, file, published, o);
  }
  if (file && (errors || (!search && !nest && !structure)))
    return cli_error(name, CLI_USAGE, "'%s' takes no file, found '%s'", action, file);
  if (!strcmp(action, "models")) {
    status = run_models(&arena, o);
  } else if (!strcmp(action, "cost")) {
    status = run_cost(opt, o);
  } else if (search || nest || structure || errors) {
    dataset d = {0};
    bool by_name = !strcmp(opt->fold_kind, "paper") && !errors;
    sixer_err err = SIXER_OK;
    if (file) {
      err = load_data(&arena, opt, file, published, by_name, &d, &error);
    } else {
      d.data = sixer_published_atari5(published, by_name, &d.names, &d.games);
    }
    out_text_value(o, "data", "data", file ? file : "the Atari-5 paper: 62 algorithms, 57 games");
    out_text_value(o, "constants", "constants",
                   !file            ? "Atari-5, Table 12"
                   : opt->percent   ? "none: scores are percentages"
                   : opt->constants ? opt->constants
                                    : "Atari-5, Table 12");
    out_text_value(o, "folds", "folds", opt->fold_kind);
    if (!err && (search || nest)) err = exclude_sparse(&arena, opt, &d, &error);
    status = err      ? fail(&error)
             : search ? run_search(opt, &arena, &d, !file, o)
             : nest   ? run_nest(opt, &arena, &d, o)
             : errors ? run_errors(&arena, &d, o)
                      : run_structure(opt, &arena, &d, o);
  } else {
    status = cli_error(name, CLI_USAGE, "there is no action '%s'", action);
  }
  eval_free(&arena);
  return status;
}

int cmd_atari5(int argc, char **argv) {
  options opt = {.size = 5,
                 .top = 5,
                 .folds = 10,
                 .min_games = 40,
                 .min_algorithms = 40,
                 .fold_kind = "index",
                 .hours = NAN,
                 .fps = NAN,
                 .frames = 200e6,
                 .runs = 1,
                 .co2 = 0.417}; /* 0.92 pounds, the USA in 2019: appendix A of the paper */
  const option_def defs[] = {
      {"games", OPTION_FLAG, &opt.games, NULL, "score: predict every game; structure: all pairs"},
      {"size", OPTION_INT, &opt.size, "N", "search: games in a subset"},
      {"require", OPTION_TEXT, &opt.require, "GAMES", "search: games that every subset has"},
      {"exclude", OPTION_TEXT, &opt.exclude, "GAMES", "search: games that none has"},
      {"top", OPTION_INT, &opt.top, "N", "search: how many of the best to show"},
      {"folds", OPTION_TEXT, &opt.fold_kind, "KIND",
       "index, paper (as in the paper) or shuffled (with --seed)"},
      {"fold-count", OPTION_INT, &opt.folds, "N", "search: of the cross-validation"},
      {"seed", OPTION_INT, &opt.seed, "N", "search: of shuffled folds and of --splits"},
      {"splits", OPTION_INT, &opt.splits, "N",
       "search: rank the reference over so many seeded splits"},
      {"reference", OPTION_TEXT, &opt.reference, "GAMES",
       "search: subset to rank; the paper's for its data"},
      {"min-games", OPTION_INT, &opt.min_games, "N",
       "search FILE: an algorithm with fewer games is left out"},
      {"min-algorithms", OPTION_INT, &opt.min_algorithms, "N",
       "search: a game with fewer algorithms is left out"},
      {"constants", OPTION_TEXT, &opt.constants, "FILE",
       "search FILE: columns game, random, human"},
      {"percent", OPTION_FLAG, &opt.percent, NULL, "search FILE: scores are percentages already"},
      {"hours", OPTION_REAL, &opt.hours, "H", "cost: of computing per game and run"},
      {"frames", OPTION_REAL, &opt.frames, "N", "cost: of training per game and run, with --fps"},
      {"fps", OPTION_REAL, &opt.fps, "N", "cost: frames per second"},
      {"runs", OPTION_REAL, &opt.runs, "N", "cost: per game"},
      {"gpu-price", OPTION_REAL, &opt.gpu_price, "P", "cost: per hour"},
      {"cpu-price", OPTION_REAL, &opt.cpu_price, "P", "cost: per hour"},
      {"gpu-watts", OPTION_REAL, &opt.gpu_watts, "W", "cost"},
      {"cpu-watts", OPTION_REAL, &opt.cpu_watts, "W", "cost"},
      {"co2", OPTION_REAL, &opt.co2, "KG", "cost: per kilowatt-hour"},
      {"threads", OPTION_INT, &opt.threads, "N", "0: all processors"},
      {"tsv", OPTION_FLAG, &opt.tsv, NULL, "tab-separated tables"},
      {"json", OPTION_FLAG, &opt.json, NULL, "everything as JSON"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL},
  };
  const char *arguments[2] = {NULL, NULL};
  int status, count = cli_parse(name, description, defs, argc, argv, arguments, 2, &status);
  if (count < 0) return status;
  if (!count)
    return cli_error(name, CLI_USAGE,
                     "what to do? score, search, nest, structure, errors, models or cost");
  if (opt.json && opt.tsv) return cli_error(name, CLI_USAGE, "choose one of --json and --tsv");
  if (opt.size < 1 || opt.size > SIXER_SUBSET_MAX)
    return cli_error(name, CLI_USAGE, "--size must be from 1 to %d", SIXER_SUBSET_MAX);
  if (opt.top < 1 || opt.top > 100000)
    return cli_error(name, CLI_USAGE, "--top must be from 1 to 100000");
  if (opt.folds < 2 || opt.folds > 1000)
    return cli_error(name, CLI_USAGE, "--fold-count must be from 2 to 1000");
  if (opt.splits < 0 || opt.splits > 1000000)
    return cli_error(name, CLI_USAGE, "--splits must be from 0 to 1000000");
  if (opt.seed < 0 || opt.seed > UINT32_MAX)
    return cli_error(name, CLI_USAGE, "--seed must be from 0 to 4294967295");
  if (opt.threads < 0 || opt.threads > 256)
    return cli_error(name, CLI_USAGE, "--threads must be from 0 to 256");
  if (opt.min_games < 1 || opt.min_algorithms < 1)
    return cli_error(name, CLI_USAGE, "--min-games and --min-algorithms must be at least 1");
  sixer_published *published;
  sixer_error error;
  if (sixer_published_open(&published, &error)) return fail(&error);
  out *o = out_create(opt.json ? OUT_JSON : opt.tsv ? OUT_TSV : OUT_TABLE);
  status = dispatch(&opt, arguments[0], arguments[1], published, o);
  out_destroy(o);
  sixer_published_close(published);
  return status;
}
