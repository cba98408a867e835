/* Parts of a report: the median at every limit of play that the protocol has. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/report_parts.h"

/* Add the agents of the files and published ones at another limit of play. */
static sixer_err read_at_limit(report *r, sixer_scores *scores, sixer_error *error) {
  evaluation *s = r->s;
  const char **patterns = evaluation_allocate(s, (size_t)(r->file_count + 1) * sizeof *patterns);
  sixer_err err = patterns ? SIXER_OK : report_no_memory(error);
  for (int i = 0; !err && i < r->file_count; i++) {
    size_t length = evaluation_name_length(r->files[i]);
    const store_rows *store = stores_find(r->options->stores, r->files[i]);
    if (store) {
      size_t size;
      const char *text = evaluation_store_rows(store, s->protocol, false, &size);
      err = sixer_scores_parse(scores, text, size, store->path, store->path, error);
      continue;
    }
    if (!length) {
      err = sixer_scores_read(scores, r->files[i],
                              r->options->agent ? r->options->agent : r->files[i], error);
      continue;
    }
    size_t count = evaluation_patterns(r->files, r->file_count, i, patterns);
    char *agent = report_format(r, "%.*s", (int)length, r->files[i]);
    if (!agent) return report_no_memory(error);
    if (count) err = sixer_scores_read_runs(scores, agent, patterns, count, error);
  }
  for (const char *list = r->options->against; !err && list && *list;) {
    size_t length = strcspn(list, ",");
    char *one = report_format(r, "%.*s", (int)length, list);
    if (!one) return report_no_memory(error);
    err = sixer_scores_add_published(scores, one, error);
    list += length + (list[length] == ',');
  }
  return err;
}

/* The median over games of the agents at a limit of play; *games is over how many. */
static double median_at_limit(const report *r, const sixer_agent_scores *agent, double *sorted,
                              size_t *games) {
  const evaluation *s = r->s;
  size_t n = 0;
  for (size_t g = 0; g < s->info.game_count; g++) {
    double z;
    sixer_error ignored;
    if (!agent->runs[g] || isnan(s->low[g])) continue;
    if (sixer_scores_normalize(s->scale, &agent->means[g], &s->low[g], &s->high[g], 1, &z,
                               &ignored))
      continue;
    sorted[n++] = isinf(z) && !isnan(s->info.endless) ? s->info.endless : z;
  }
  *games = n;
  for (size_t i = 1; i < n; i++) {
    double z = sorted[i];
    size_t k = i;
    for (; k && sorted[k - 1] > z; k--) sorted[k] = sorted[k - 1];
    sorted[k] = z;
  }
  return !n ? NAN : n % 2 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
}

sixer_err report_fill_limits(report *r, sixer_error *error) {
  evaluation *s = r->s;
  size_t limits = s->info.limit_count, cells = limits * s->count;
  /* constants of the agents themselves would be those of one limit */
  bool own = !strcmp(s->kind, "inter-algorithm") || !strcmp(s->kind, "relative");
  if (limits < 2 || own) return SIXER_OK;
  report_part *part = report_add(
      r, "limits", "Limits of play",
      "The median over games by how much of an episode counts: scores of the same plays after each "
      "of the limits of %s.",
      s->info.name);
  double *x = report_numbers(r, cells), *y = report_numbers(r, cells),
         *sorted = report_numbers(r, s->info.game_count);
  plot_marks *marks = evaluation_allocate(s, (limits + 1) * sizeof *marks);
  const char **legend = evaluation_allocate(s, (limits + 1) * sizeof *legend);
  const char **hover = evaluation_allocate(s, (cells + 1) * sizeof *hover);
  if (!part || !x || !y || !sorted || !marks || !legend || !hover) return report_no_memory(error);
  out_table(part->table, "limits",
            report_is_percent(s) ? "median over games, percent" : "median over games",
            "agent|limit|games|median");
  double thick = 0.8 / (double)limits;
  size_t shown = 0;
  for (size_t l = 0; l < limits; l++) {
    sixer_scores *scores = NULL;
    sixer_scores_config config = s->config;
    char time[60];
    config.limit = s->info.limits[l];
    if (config.limit)
      report_frames_text(config.limit, time);
    else
      snprintf(time, sizeof time, "whole episodes");
    sixer_err err = sixer_scores_create(s->protocol, s->published, &config, &scores, error);
    if (!err) err = read_at_limit(r, scores, error);
    if (err && err != SIXER_ERR_MEMORY) {
      /* not every file has them; the report says so */
      char *reason =
          report_format(r, "the comparison of limits of play lacks %s: %s", time, error->message);
      sixer_scores_destroy(scores);
      if (!reason) return report_no_memory(error);
      err = sixer_scores_warn(s->scores, "no-limit", reason, error);
      if (err) return err;
      continue;
    }
    for (size_t i = 0; !err && i < s->count; i++) {
      size_t games = 0, at = shown * s->count + i;
      for (size_t k = 0; k < sixer_scores_agent_count(scores); k++) {
        sixer_agent_scores agent = sixer_scores_agent(scores, k);
        bool same = !strcmp(agent.name, s->entrants[i].agent.name);
        /* a published result has the limit in its id */
        const sixer_result_set *a = agent.published, *b = s->entrants[i].agent.published;
        if (a && b) same = !strcmp(a->source, b->source) && !strcmp(a->agent, b->agent);
        if (!same) continue;
        x[at] = median_at_limit(r, &agent, sorted, &games);
        char value[48];
        report_score_text(s, x[at], value);
        hover[at] = report_format(r, "%s, %s: %s over %zu games", s->entrants[i].agent.name, time,
                                  value, games);
      }
      if (!games) x[at] = NAN;
      y[at] = (double)i - 0.4 + thick * ((double)shown + 0.5);
      if (!games) continue;
      out_text(part->table, s->entrants[i].agent.name);
      out_text(part->table, time);
      out_int(part->table, (long long)games);
      out_number(part->table, report_is_percent(s) ? 100 * x[at] : x[at], 2);
    }
    sixer_scores_destroy(scores);
    if (err) return err;
    marks[shown] = (plot_marks){.kind = PLOT_BAR,
                                .color = (int)shown,
                                .size = 0.92 * thick,
                                .x = x + shown * s->count,
                                .y = y + shown * s->count,
                                .hover = hover + shown * s->count,
                                .count = s->count};
    legend[shown++] = report_format(r, "%s", time);
  }
  if (!shown) {
    out_destroy(part->table);
    r->count--;
    return SIXER_OK;
  }
  plot p = {
      .title = "Median over games by the limit of play",
      .x = {.title = "median over games", .percent = report_is_percent(s), .low = NAN, .high = NAN},
      .y = {.names = report_names(r), .name_count = s->count, .low = NAN, .high = NAN},
      .height = (double)s->count * 46,
      .marks = marks,
      .mark_count = shown,
      .legend = legend,
      .legend_count = shown,
      .reference = NAN};
  part->closed = true;
  return report_plot_add(r, part, "limits", &p, error);
}
