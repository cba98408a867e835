/* Parts of a report: estimates from a few games, by the model of the Atari-5 paper and by that of the protocol. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/report_parts.h"

/* The scores of an agent on the games of a model, in percent of human as the Atari-5 paper has it; false if it lacks
 * one. */
static bool model_sample(const evaluation *s, const sixer_protocol *human, const entrant *e,
                         const sixer_subset_model *model, double *scores, size_t *runs) {
  size_t at = 0;
  for (size_t m = 0; m < model->size; m++) {
    size_t g = 0;
    while (g < s->info.game_count && strcmp(s->info.games[g], model->games[m]) != 0) g++;
    if (g == s->info.game_count || !e->agent.runs[g]) return false;
    double low = sixer_protocol_constant(human, "random", model->games[m]);
    double high = sixer_protocol_constant(human, "human", model->games[m]);
    runs[m] = e->agent.runs[g];
    for (size_t k = 0; k < runs[m]; k++) {
      if (isinf(e->agent.scores[g][k])) return false;
      scores[at++] = (e->agent.scores[g][k] - low) / (high - low);
    }
  }
  return true;
}

/* What a model estimates, and how well. */
typedef struct estimator {
  const sixer_subset_model *model;
  const sixer_protocol *human; /* has the constants */
  double sd;                   /* of the model, in log10; NaN: it is not known */
  const char *what;            /* "estimated median over 57 games" */
} estimator;

/* The table and the plot of a part. */
static sixer_err estimate(report *r, const estimator *by, report_part *part, sixer_error *error) {
  evaluation *s = r->s;
  out *o = part->table;
  const sixer_subset_model *model = by->model;
  sixer_err err = SIXER_OK;
  const char **names = evaluation_allocate(s, (s->count + 1) * sizeof *names);
  plot_marks *marks = evaluation_allocate(s, (2 * s->count + 1) * sizeof *marks);
  double *x = report_numbers(r, s->count), *y = report_numbers(r, s->count),
         *low = report_numbers(r, s->count), *high = report_numbers(r, s->count);
  size_t shown = 0;
  if (!names || !marks || !x || !y || !low || !high) return report_no_memory(error);
  char title[200];
  snprintf(title, sizeof title, "%s, percent of human", by->what);
  out_table(o, part->id, title,
            "agent|score|low|high|runs_low|runs_high|model_low|model_high|model_error");
  for (size_t i = 0; i < s->count; i++) {
    const entrant *e = &s->entrants[i];
    size_t total = 0, runs[SIXER_SUBSET_MAX];
    for (size_t g = 0; g < s->info.game_count; g++) total += e->agent.runs[g];
    double *scores = report_numbers(r, total);
    if (!scores) return report_no_memory(error);
    if (!model_sample(s, by->human, e, model, scores, runs)) continue;
    bool several = false;
    for (size_t m = 0; m < model->size; m++) several |= runs[m] > 1;
    sixer_sample sample = {scores, runs, model->size};
    sixer_interval v;
    err = sixer_bootstrap_model(&sample, model->coefficients, &s->settings, &v, error);
    if (err) return err;
    if (!several) v.low = v.high = NAN;
    sixer_interval both = v, alone = {v.value, NAN, NAN};
    if (!isnan(by->sd)) {
      both = sixer_model_interval(v, by->sd, s->settings.confidence);
      alone = sixer_model_interval(alone, by->sd, s->settings.confidence);
    }
    out_text(o, e->agent.name);
    out_number(o, v.value, 1);
    out_number(o, both.low, 1);
    out_number(o, both.high, 1);
    out_number(o, v.low, 1);
    out_number(o, v.high, 1);
    out_number(o, alone.low, 1);
    out_number(o, alone.high, 1);
    out_number(o, by->sd, 3);
    names[shown] = e->agent.name;
    x[shown] = v.value / 100;
    y[shown] = (double)shown;
    low[shown] = both.low / 100;
    high[shown] = both.high / 100;
    marks[2 * shown] = (plot_marks){.kind = PLOT_INTERVAL,
                                    .color = (int)i,
                                    .x = x + shown,
                                    .y = y + shown,
                                    .low = low + shown,
                                    .high = high + shown,
                                    .count = 1};
    marks[2 * shown + 1] =
        (plot_marks){.kind = PLOT_DOT, .color = (int)i, .x = x + shown, .y = y + shown, .count = 1};
    shown++;
  }
  if (!shown) { /* no agent has the games */
    out_destroy(part->table);
    r->count--;
    return SIXER_OK;
  }
  plot p = {.title = report_format(r, "%s: %s", part->title, by->what),
            .x = {.title = "estimate, human-normalized", .percent = true, .low = NAN, .high = NAN},
            .y = {.names = names, .name_count = shown, .low = NAN, .high = NAN},
            .marks = marks,
            .mark_count = 2 * shown,
            .reference = 1};
  part->closed = true;
  return report_plot_add(r, part, part->id, &p, error);
}

static const sixer_subset_model *atari5_model(const evaluation *s) {
  size_t count;
  const sixer_subset_model *models = sixer_published_models(s->published, &count);
  for (size_t i = 0; i < count; i++) {
    if (!models[i].target && !strcmp(models[i].name, "atari_5")) return &models[i];
  }
  return NULL;
}

sixer_err report_fill_atari5(report *r, sixer_error *error) {
  evaluation *s = r->s;
  size_t found = 0;
  const sixer_subset_model *model = atari5_model(s);
  for (size_t m = 0; model && m < model->size; m++) {
    for (size_t g = 0; g < s->info.game_count; g++)
      found += !strcmp(s->info.games[g], model->games[m]);
  }
  if (!model || found < model->size) return SIXER_OK;
  report_part *part = report_add(
      r, "atari5", "Atari-5",
      "The median over 57 games that the model of Aitchison et al. 2023 estimates from %s, %s, %s, "
      "%s and %s, with the human scores of that paper. The interval holds the noise of the runs "
      "and the error of the model; the table has both apart. Agents that lack one of the five "
      "games are left out.",
      model->games[0], model->games[1], model->games[2], model->games[3], model->games[4]);
  if (!part) return report_no_memory(error);
  sixer_protocol *human;
  estimator by = {.model = model, .what = "estimated median over 57 games"};
  sixer_err err = sixer_model_error(s->published, model->games, model->size, &by.sd, error);
  if (!err) err = sixer_published_protocol57(s->published, &human, error);
  if (err) return err;
  by.human = human;
  err = estimate(r, &by, part, error);
  sixer_protocol_close(human);
  return err;
}

/* The model that the protocol itself has; its size is 0 if it has none, or if it is that of Atari-5. */
static sixer_subset_model own_model(const evaluation *s) {
  sixer_subset_model model = {.name = s->info.name};
  const sixer_subset_model *other = atari5_model(s);
  size_t same = 0;
  for (size_t g = 0; g < s->info.game_count; g++) {
    double coefficient = sixer_protocol_coefficient(s->protocol, s->info.games[g]);
    if (coefficient == 0) continue;
    if (model.size == SIXER_SUBSET_MAX) return (sixer_subset_model){.size = 0};
    model.games[model.size] = s->info.games[g];
    model.coefficients[model.size++] = coefficient;
    for (size_t m = 0; other && m < other->size; m++)
      same += !strcmp(other->games[m], s->info.games[g]) && other->coefficients[m] == coefficient;
  }
  if (other && same == other->size && same == model.size) model.size = 0;
  return model;
}

sixer_err report_fill_model(report *r, sixer_error *error) {
  evaluation *s = r->s;
  sixer_subset_model model = own_model(s);
  if (!model.size) return SIXER_OK;
  const char *target = s->info.model_target ? s->info.model_target : "aggregate";
  bool known = !isnan(s->info.model_error);
  report_part *part = report_add(
      r, "model", "Model",
      "The %s that the model of %s estimates from %zu games. %s Agents that lack one of the games "
      "are left out.",
      target, s->info.title, model.size,
      known ? "The interval holds the noise of the runs and the error of the model; the table has "
              "both apart."
            : "The interval holds the noise of the runs alone: the protocol does not state the "
              "error of the model (model_error).");
  if (!part) return report_no_memory(error);
  estimator by = {.model = &model,
                  .human = s->protocol,
                  .sd = s->info.model_error,
                  .what = report_format(r, "estimated %s", target)};
  return by.what ? estimate(r, &by, part, error) : report_no_memory(error);
}
