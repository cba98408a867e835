/* Parts of a report: aggregates with intervals, over all games of an agent and over those that all have; the scores of
 * single games. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cli/report_parts.h"
#include "util/rounded.h"

/* ---- aggregates ---- */

/* One aggregate of every agent, with intervals. */
static sixer_err plot_aggregate(report *r, report_part *part, const char *file, const char *title,
                                const char **names, const sixer_interval *values,
                                sixer_error *error) {
  evaluation *s = r->s;
  double *x = report_numbers(r, s->count), *y = report_numbers(r, s->count),
         *low = report_numbers(r, s->count), *high = report_numbers(r, s->count);
  const char **hover = evaluation_allocate(s, (s->count + 1) * sizeof *hover);
  plot_marks *marks = evaluation_allocate(s, (2 * s->count + 1) * sizeof *marks);
  if (!x || !y || !low || !high || !hover || !marks || !names || !file)
    return report_no_memory(error);
  for (size_t i = 0; i < s->count; i++) {
    const sixer_interval *v = &values[i];
    char value[48], from[48], to[48];
    x[i] = v->value;
    y[i] = (double)i;
    low[i] = v->low;
    high[i] = v->high;
    report_score_text(s, v->value, value);
    report_score_text(s, v->low, from);
    report_score_text(s, v->high, to);
    hover[i] = isnan(v->low) ? report_format(r, "%s: %s", names[i], value)
                             : report_format(r, "%s: %s (%s to %s)", names[i], value, from, to);
    marks[2 * i] = (plot_marks){.kind = PLOT_INTERVAL,
                                .color = (int)i,
                                .y = y + i,
                                .low = low + i,
                                .high = high + i,
                                .x = x + i,
                                .hover = hover + i,
                                .count = 1};
    marks[2 * i + 1] = (plot_marks){
        .kind = PLOT_DOT, .color = (int)i, .x = x + i, .y = y + i, .hover = hover + i, .count = 1};
  }
  plot p = {.title = title,
            .x = {.title = title, .percent = report_is_percent(s), .low = 0, .high = NAN},
            .y = {.names = names, .name_count = s->count, .low = NAN, .high = NAN},
            .marks = marks,
            .mark_count = 2 * s->count,
            .reference = NAN};
  return report_plot_add(r, part, file, &p, error);
}

/* The games that all agents have: their number, and the sample of each agent. */
static sixer_err common_sample(report *r, const entrant *e, sixer_sample *made, bool *several,
                               sixer_error *error) {
  evaluation *s = r->s;
  double *scores = report_numbers(r, e->total);
  size_t *runs = evaluation_allocate(s, (e->games + 1) * sizeof *runs), used = 0, from = 0, to = 0;
  if (!scores || !runs) return report_no_memory(error);
  *several = false;
  for (size_t k = 0; k < e->games; from += e->runs[k++]) {
    bool all = true;
    for (size_t i = 0; i < s->count && all; i++) {
      bool has = false;
      for (size_t g = 0; g < s->entrants[i].games; g++) has |= s->entrants[i].game[g] == e->game[k];
      all = has;
    }
    if (!all) continue;
    memcpy(scores + to, e->scores + from, e->runs[k] * sizeof *scores);
    to += e->runs[k];
    *several |= e->runs[k] > 1;
    runs[used++] = e->runs[k];
  }
  *made = (sixer_sample){scores, runs, used};
  return SIXER_OK;
}

/* Agents with other games are compared on those that all have. */
static sixer_err add_common(report *r, report_part *part, sixer_error *error) {
  evaluation *s = r->s;
  size_t common = 0;
  bool differ = false;
  sixer_interval *median = evaluation_allocate(s, (s->count + 1) * sizeof *median);
  sixer_interval *iqm = evaluation_allocate(s, (s->count + 1) * sizeof *iqm);
  if (!median || !iqm) return report_no_memory(error);
  for (size_t i = 0; i < s->count; i++) {
    const entrant *e = &s->entrants[i];
    sixer_sample sample = {0};
    bool several = false;
    sixer_err err = common_sample(r, e, &sample, &several, error);
    if (err) return err;
    common = sample.games;
    differ |= sample.games != e->games;
    if (!common) return SIXER_OK;
    sixer_interval all[SIXER_AGGREGATE_COUNT];
    err = sixer_bootstrap_aggregates(&sample, &s->settings, all, error);
    if (err) return err;
    median[i] = all[SIXER_AGGREGATE_MEDIAN];
    iqm[i] = all[SIXER_AGGREGATE_IQM];
    if (!several) median[i].low = median[i].high = iqm[i].low = iqm[i].high = NAN;
  }
  if (!differ) return SIXER_OK;
  out_table(part->table, "common",
            report_format(r, "the same on the %zu games that all agents have", common),
            "agent|games|median|median_low|median_high|iqm|iqm_low|iqm_high");
  for (size_t i = 0; i < s->count; i++) {
    double unit = report_is_percent(s) ? 100 : 1;
    out_text(part->table, s->entrants[i].agent.name);
    out_int(part->table, (long long)common);
    for (int k = 0; k < 2; k++) {
      const sixer_interval *v = k ? &iqm[i] : &median[i];
      out_number(part->table, unit * v->value, 2);
      out_number(part->table, unit * v->low, 2);
      out_number(part->table, unit * v->high, 2);
    }
  }
  sixer_err err =
      plot_aggregate(r, part, "aggregates-common-median",
                     report_format(r, "Median over the %zu games that all agents have", common),
                     report_names(r), median, error);
  return err ? err
             : plot_aggregate(
                   r, part, "aggregates-common-iqm",
                   report_format(r, "IQM over the %zu games that all agents have", common),
                   report_names(r), iqm, error);
}

sixer_err report_fill_aggregates(report *r, sixer_error *error) {
  static const struct {
    int which;
    const char *name, *title;
  } panels[] = {{SIXER_AGGREGATE_MEDIAN, "median", "Median over games"},
                {SIXER_AGGREGATE_IQM, "iqm", "Interquartile mean (IQM) over runs"},
                {SIXER_AGGREGATE_MEAN, "mean", "Mean over games"},
                {SIXER_AGGREGATE_OPTIMALITY_GAP, "gap", "Optimality gap (lower is better)"}};
  evaluation *s = r->s;
  report_part *part = report_add(
      r, "aggregates", "Aggregates",
      "Figures over all games of an agent, %s. The bars are %g %% intervals of the stratified "
      "bootstrap: they hold the noise of the runs. Agents with one number per game have none.",
      report_is_percent(s) ? "normalized"
                           : "of raw scores, in which games with large scores dominate",
      100 * s->settings.confidence);
  const char **names = report_names_with_games(r);
  sixer_interval *values = evaluation_allocate(s, (s->count + 1) * sizeof *values);
  if (!part || !names || !values) return report_no_memory(error);
  for (size_t k = 0; k < 4; k++) {
    for (size_t i = 0; i < s->count; i++) values[i] = s->entrants[i].aggregates[panels[k].which];
    sixer_err err = plot_aggregate(r, part, report_format(r, "aggregates-%s", panels[k].name),
                                   panels[k].title, names, values, error);
    if (err) return err;
  }
  part->closed = true;
  show_aggregates(part->table, s);
  show_levels(part->table, s);
  return add_common(r, part, error);
}

/* ---- games ---- */

sixer_err report_fill_games(report *r, sixer_error *error) {
  evaluation *s = r->s;
  size_t games = s->info.game_count, shown = 0;
  report_part *part = report_add(
      r, "games", "Games",
      "The mean score of each agent on each game, %s. Lines are one standard deviation over runs "
      "to both sides, where it is known. The scale is linear near zero and logarithmic beyond. "
      "Games "
      "without constants for the normalization, and those that only published agents have, are in "
      "the table alone.",
      report_is_percent(s) ? "normalized" : "raw");
  size_t *row_of = evaluation_allocate(s, (games + 1) * sizeof *row_of);
  const char **names = evaluation_allocate(s, (games + 1) * sizeof *names);
  plot_marks *marks = evaluation_allocate(s, (2 * s->count + 1) * sizeof *marks);
  if (!part || !row_of || !names || !marks) return report_no_memory(error);
  /* beside agents of files, published ones show the games of those */
  bool files = false;
  for (size_t i = 0; i < s->count; i++) files |= !s->entrants[i].agent.published;
  for (size_t g = 0; g < games; g++) {
    bool any = false;
    for (size_t i = 0; i < s->count; i++) {
      if (files && s->entrants[i].agent.published) continue;
      for (size_t k = 0; k < s->entrants[i].games; k++) any |= s->entrants[i].game[k] == g;
    }
    row_of[g] = any ? shown : SIZE_MAX;
    if (any) names[shown++] = s->info.games[g];
  }
  double thick = 0.8 / (double)s->count, largest = 1;
  for (size_t i = 0; i < s->count; i++) {
    const entrant *e = &s->entrants[i];
    double *x = report_numbers(r, e->games), *y = report_numbers(r, e->games),
           *low = report_numbers(r, e->games), *high = report_numbers(r, e->games);
    const char **hover = evaluation_allocate(s, (e->games + 1) * sizeof *hover);
    if (!x || !y || !low || !high || !hover) return report_no_memory(error);
    size_t n = 0;
    for (size_t from = 0; from < e->games; from++) {
      size_t g = e->game[from], k = n;
      char value[48];
      if (row_of[g] == SIZE_MAX) continue;
      n++;
      double range =
          s->scale == SIXER_SCALE_RANDOM ? fabs(s->low[g]) : fabs(s->high[g] - s->low[g]);
      double sd = e->agent.sds[g] / (range > 0 ? range : 1);
      x[k] = e->means[from];
      largest = isfinite(x[k]) && fabs(x[k]) > largest ? fabs(x[k]) : largest;
      y[k] = (double)row_of[g] - 0.4 + thick * ((double)i + 0.5);
      bool known = e->agent.sizes[g] > 1 && isfinite(x[k]);
      low[k] = known ? x[k] - sd : NAN;
      high[k] = known ? x[k] + sd : NAN;
      report_score_text(s, x[k], value);
      hover[k] = report_format(r, "%s, %s: %s (raw %.6g%s%.4g, %zu run%s)", s->info.games[g],
                               e->agent.name, value, e->agent.means[g], known ? " \xc2\xb1 " : "",
                               known ? e->agent.sds[g] : 0, e->agent.runs[g],
                               e->agent.runs[g] == 1 ? "" : "s");
      if (!known)
        hover[k] = report_format(r, "%s, %s: %s (raw %.6g)", s->info.games[g], e->agent.name, value,
                                 e->agent.means[g]);
    }
    marks[i] = (plot_marks){.kind = PLOT_BAR,
                            .color = (int)i,
                            .size = 0.92 * thick,
                            .x = x,
                            .y = y,
                            .hover = hover,
                            .count = n};
    marks[s->count + i] = (plot_marks){.kind = PLOT_INTERVAL,
                                       .color = (int)i,
                                       .faint = true,
                                       .x = x,
                                       .y = y,
                                       .low = low,
                                       .high = high,
                                       .hover = hover,
                                       .count = n};
  }
  double height = (double)shown * fmax(16, 9 * (double)s->count + 6);
  plot p = {.title = "Score of each game",
            .x = {.title = report_is_percent(s) ? "normalized score" : "score",
                  .scale = PLOT_SYMLOG,
                  .unit = report_unit(s) > 0
                              ? report_unit(s)
                              : fmax(1, rounded_pow(10, floor(rounded_log10(largest)) - 3)),
                  .percent = report_is_percent(s),
                  .low = NAN,
                  .high = NAN},
            .y = {.names = names, .name_count = shown, .low = NAN, .high = NAN},
            .height = height,
            .marks = marks,
            .mark_count = 2 * s->count,
            .legend = report_names(r),
            .legend_count = s->count,
            .reference = report_is_percent(s) ? 1 : NAN};
  part->closed = true;
  show_games(part->table, s);
  return report_plot_add(r, part, "games", &p, error);
}
