/* sixer atari5 score: estimates of the median over 57 games from a result file that may have only a few. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/atari5.h"
#include "cli/cli.h"
#include "util/error.h"

enum { GAMES_MAX = 64, MEDIAN_GAMES = 40 }; /* the paper: a median needs at least 40 games */

/* Percentages of a human's score; NaN where the agent has no score. */
static void percents_of(const sixer_protocol *protocol, const sixer_protocol_info *info,
                        const sixer_agent_scores *agent, double *percents) {
  for (size_t g = 0; g < info->game_count; g++) {
    double low = sixer_protocol_constant(protocol, "random", info->games[g]);
    double high = sixer_protocol_constant(protocol, "human", info->games[g]);
    percents[g] = 100 * (agent->means[g] - low) / (high - low);
  }
}

/* The median of the games that have a score, and their number; NaN if there are too few. */
static sixer_err median_of(const double *percents, size_t games, double *median, size_t *count,
                           sixer_error *error) {
  double known[GAMES_MAX], aggregates[SIXER_AGGREGATE_COUNT];
  size_t runs[GAMES_MAX];
  *median = NAN;
  *count = 0;
  for (size_t g = 0; g < games && *count < GAMES_MAX; g++) {
    runs[*count] = 1;
    if (!isnan(percents[g])) known[(*count)++] = percents[g];
  }
  if (*count < MEDIAN_GAMES) return SIXER_OK;
  sixer_sample sample = {known, runs, *count};
  sixer_err err = sixer_aggregates_compute(&sample, NAN, aggregates, error);
  if (!err) *median = aggregates[SIXER_AGGREGATE_MEDIAN];
  return err;
}

/* One row for each agent: the estimate of every model and the median itself. */
static sixer_err show_scores(out *o, const sixer_scores *scores, const sixer_protocol_info *info,
                             const sixer_subset_model *models, size_t model_count,
                             const double *percents, const char *file, sixer_error *error) {
  size_t agents = sixer_scores_agent_count(scores), count, estimates = 0;
  out_table(o, "scores", "scores (percent of human; the models estimate the median over 57 games)",
            "agent|atari_1|atari_3|atari_5|atari_10|atari_3_val|atari_5_val|games|median");
  for (size_t a = 0; a < agents; a++) {
    const double *z = percents + a * info->game_count;
    double median;
    out_text(o, sixer_scores_agent(scores, a).name);
    for (size_t m = 0; m < model_count && !models[m].target; m++) {
      double estimate = sixer_subset_model_predict(&models[m], info->games, z, info->game_count);
      estimates += !isnan(estimate);
      out_number(o, estimate, 1);
    }
    sixer_err err = median_of(z, info->game_count, &median, &count, error);
    if (err) return err;
    out_int(o, (long long)count);
    out_number(o, median, 1);
  }
  if (estimates) return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_FILE,
                    "%s: no model can be computed. Atari-1 needs name_this_game; Atari-3 also "
                    "battle_zone and phoenix; Atari-5 also double_dunk and qbert",
                    file);
}

/* The runs of an agent on the games of a model as fractions of a human's score. False if it lacks one. */
static bool sample_of(const sixer_protocol *protocol, const sixer_protocol_info *info,
                      const sixer_agent_scores *agent, const sixer_subset_model *model,
                      double *fractions, size_t *runs) {
  for (size_t i = 0; i < model->size; i++) {
    size_t g = 0;
    while (g < info->game_count && strcmp(info->games[g], model->games[i]) != 0) g++;
    if (g == info->game_count || !agent->runs[g]) return false;
    double low = sixer_protocol_constant(protocol, "random", model->games[i]);
    double high = sixer_protocol_constant(protocol, "human", model->games[i]);
    runs[i] = agent->runs[g];
    for (size_t r = 0; r < runs[i]; r++) *fractions++ = (agent->scores[g][r] - low) / (high - low);
  }
  return true;
}

/* A row: the estimate of a model with its interval and both parts of it. */
static sixer_err show_interval(out *o, const sixer_published *published,
                               const sixer_protocol *protocol, const sixer_protocol_info *info,
                               const sixer_agent_scores *agent, const sixer_subset_model *model,
                               double *fractions, sixer_error *error) {
  size_t runs[SIXER_SUBSET_MAX];
  if (!sample_of(protocol, info, agent, model, fractions, runs)) return SIXER_OK;
  sixer_sample sample = {fractions, runs, model->size};
  sixer_bootstrap settings = sixer_bootstrap_default();
  sixer_interval of_runs;
  double sd;
  sixer_err err = sixer_bootstrap_model(&sample, model->coefficients, &settings, &of_runs, error);
  if (!err) err = sixer_model_error(published, model->games, model->size, &sd, error);
  if (err) return err;
  bool several = false;
  for (size_t i = 0; i < model->size; i++) several |= runs[i] > 1;
  if (!several) of_runs.low = of_runs.high = NAN;
  sixer_interval alone = {of_runs.value, NAN, NAN};
  sixer_interval both = sixer_model_interval(of_runs, sd, settings.confidence);
  alone = sixer_model_interval(alone, sd, settings.confidence);
  out_text(o, agent->name);
  out_text(o, model->name);
  out_number(o, both.value, 1);
  out_number(o, both.low, 1);
  out_number(o, both.high, 1);
  out_number(o, of_runs.low, 1);
  out_number(o, of_runs.high, 1);
  out_number(o, alone.low, 1);
  out_number(o, alone.high, 1);
  out_number(o, sd, 3);
  return SIXER_OK;
}

static sixer_err show_intervals(out *o, const sixer_published *published,
                                const sixer_protocol *protocol, const sixer_protocol_info *info,
                                const sixer_scores *scores, const sixer_subset_model *models,
                                size_t model_count, sixer_error *error) {
  sixer_err err = SIXER_OK;
  out_table(o, "intervals",
            "95 % intervals (low, high: noise of the runs and error of the model together; the "
            "error is of log10)",
            "agent|model|score|low|high|runs_low|runs_high|model_low|model_high|model_error");
  for (size_t a = 0; !err && a < sixer_scores_agent_count(scores); a++) {
    sixer_agent_scores agent = sixer_scores_agent(scores, a);
    size_t total = 0;
    for (size_t g = 0; g < info->game_count; g++) total += agent.runs[g];
    double *fractions = malloc((total + 1) * sizeof *fractions);
    if (!fractions) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
    for (size_t m = 0; !err && m < model_count && !models[m].target; m++)
      err = show_interval(o, published, protocol, info, &agent, &models[m], fractions, error);
    free(fractions);
  }
  return err;
}

/* Scores of single games, predicted from the five or ten (Tables 10 and 11) beside what they are. The interval is that
 * of the model's error: a game that is one of the five has none. */
static void show_predictions(out *o, const sixer_published *published, const sixer_scores *scores,
                             const sixer_protocol_info *info, const sixer_subset_model *models,
                             size_t model_count, const double *percents) {
  out_table(o, "predictions",
            "predicted scores of every game (percent of human; low, high: 95 % by the model's "
            "cross-validated error alone; r2: cross-validated)",
            "agent|from|game|predicted|low|high|r2|algorithms|actual");
  for (size_t m = 0; m < model_count; m++) {
    if (!models[m].target) continue;
    sixer_fit fit = {.cv_mse = NAN, .cv_r2 = NAN};
    bool fitted = false;
    for (size_t a = 0; a < sixer_scores_agent_count(scores); a++) {
      const double *z = percents + a * info->game_count;
      double predicted = sixer_subset_model_predict(&models[m], info->games, z, info->game_count);
      if (isnan(predicted)) continue; /* the agent lacks a game that the model needs */
      double actual = NAN;
      for (size_t g = 0; g < info->game_count; g++) {
        if (!strcmp(info->games[g], models[m].target)) actual = z[g];
      }
      /* too few algorithms report some games: then the error is not known */
      if (!fitted && sixer_prediction_error(published, models[m].games, models[m].size,
                                            models[m].target, &fit, NULL))
        fit = (sixer_fit){.cv_mse = NAN, .cv_r2 = NAN};
      fitted = true;
      sixer_interval i = {predicted, NAN, NAN};
      if (!isnan(fit.cv_mse)) i = sixer_model_interval(i, sqrt(fit.cv_mse), 0.95);
      out_text(o, sixer_scores_agent(scores, a).name);
      out_text(o, models[m].name);
      out_text(o, models[m].target);
      out_number(o, predicted, 1);
      out_number(o, i.low, 1);
      out_number(o, i.high, 1);
      out_number(o, fit.cv_r2, 3);
      out_int(o, (long long)fit.rows);
      out_number(o, actual, 1);
    }
  }
}

static void show_warnings(out *o, const atari5_options *opt, const sixer_scores *scores) {
  out_table(o, "warnings", NULL, "name|text");
  for (size_t i = 0; i < sixer_scores_warning_count(scores); i++) {
    sixer_warning warning = sixer_scores_warning(scores, i);
    /* estimates from a few games are what this action is for */
    if (!strcmp(warning.name, "missing-games")) continue;
    out_text(o, warning.name);
    out_text(o, warning.text);
    if (!opt->json && !opt->tsv) atari5_warn(warning);
  }
}

int atari5_score(const atari5_options *opt, const char *file, const sixer_published *published,
                 out *o) {
  sixer_protocol *protocol = NULL;
  sixer_scores *scores = NULL;
  double *percents = NULL;
  sixer_error error;
  size_t model_count;
  const sixer_subset_model *models = sixer_published_models(published, &model_count);
  if (sixer_published_protocol57(published, &protocol, &error)) return atari5_fail(&error);
  sixer_protocol_info info = sixer_protocol_describe(protocol);
  sixer_scores_config config = sixer_scores_config_default(protocol);
  config.partial = true;
  sixer_err err = sixer_scores_create(protocol, published, &config, &scores, &error);
  if (!err) err = sixer_scores_read(scores, file, file, &error);
  size_t agents = err ? 0 : sixer_scores_agent_count(scores);
  if (!err && !(percents = calloc(agents * info.game_count + 1, sizeof *percents)))
    err = sixer_fail(&error, SIXER_ERR_MEMORY, "out of memory");
  for (size_t a = 0; !err && a < agents; a++) {
    sixer_agent_scores agent = sixer_scores_agent(scores, a);
    percents_of(protocol, &info, &agent, percents + a * info.game_count);
  }
  if (!err) {
    out_text_value(o, "meaning", NULL,
                   "estimates of the median human-normalized percentage over 57 games; compare "
                   "like with like only");
    err = show_scores(o, scores, &info, models, model_count, percents, file, &error);
  }
  if (!err)
    err = show_intervals(o, published, protocol, &info, scores, models, model_count, &error);
  if (!err) {
    if (opt->games) show_predictions(o, published, scores, &info, models, model_count, percents);
    show_warnings(o, opt, scores);
    out_print(o, stdout);
  }
  free(percents);
  sixer_scores_destroy(scores);
  sixer_protocol_close(protocol);
  return err ? atari5_fail(&error) : CLI_OK;
}
