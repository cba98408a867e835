/* Parts of a report: distributions of scores, and SABER's classes of games. */
#include <math.h>
#include <string.h>

#include "cli/report_parts.h"
#include "util/rounded.h"

enum { FINE_POINTS = 161, FINE_REPLICATES = 1000 };

/* Points that are dense along the axis of the plot, from 0 to 800 %: a profile falls in steps, and straight lines
 * between few points would hide where. */
static const double *fine_points(report *r) {
  enum { LINEAR = 40 };
  double *points = report_numbers(r, FINE_POINTS), unit = report_unit(r->s);
  for (int k = 0; points && k < FINE_POINTS; k++)
    points[k] = k <= LINEAR ? unit * k / LINEAR
                            : unit * rounded_pow(8 / unit,
                                                 (double)(k - LINEAR) / (FINE_POINTS - 1 - LINEAR));
  return points;
}

static sixer_err add_profile(report *r, report_part *part, sixer_profile kind, const char *name,
                             const char *title, sixer_error *error) {
  evaluation *s = r->s;
  plot_marks *marks = evaluation_allocate(s, (2 * s->count + 1) * sizeof *marks);
  const double *points = fine_points(r);
  if (!marks || !points) return report_no_memory(error);
  size_t mark_count = 0;
  for (int bands = 1; bands >= 0; bands--) {
    for (size_t i = 0; i < s->count; i++) {
      const entrant *e = &s->entrants[i];
      sixer_sample sample = {e->scores, e->runs, e->games};
      double *y = report_numbers(r, FINE_POINTS), *low = report_numbers(r, FINE_POINTS),
             *high = report_numbers(r, FINE_POINTS);
      const char **hover = evaluation_allocate(s, sizeof *hover);
      if (!y || !low || !high || !hover) return report_no_memory(error);
      if (!bands) {
        sixer_err err = sixer_profile_compute(&sample, kind, points, FINE_POINTS, y, error);
        if (err) return err;
        hover[0] = e->agent.name;
        marks[mark_count++] = (plot_marks){.kind = PLOT_LINE,
                                           .color = (int)i,
                                           .hover = hover,
                                           .x = points,
                                           .y = y,
                                           .count = FINE_POINTS};
      } else if (e->several) {
        sixer_interval band[FINE_POINTS];
        sixer_bootstrap settings = s->settings;
        if (settings.replicates > FINE_REPLICATES) settings.replicates = FINE_REPLICATES;
        sixer_err err =
            sixer_bootstrap_profile(&sample, kind, points, FINE_POINTS, &settings, band, error);
        if (err) return err;
        for (size_t k = 0; k < FINE_POINTS; k++) {
          low[k] = band[k].low;
          high[k] = band[k].high;
        }
        marks[mark_count++] = (plot_marks){.kind = PLOT_BAND,
                                           .color = (int)i,
                                           .low = low,
                                           .high = high,
                                           .x = points,
                                           .y = y,
                                           .count = FINE_POINTS};
      }
    }
  }
  plot p = {.title = title,
            .x = {.title = "normalized score x",
                  .percent = true,
                  .low = 0,
                  .high = 8,
                  .fixed = true,
                  .scale = PLOT_SYMLOG,
                  .unit = report_unit(s)},
            .y = {.title = kind == SIXER_PROFILE_RUNS ? "share of runs" : "share of games",
                  .percent = true,
                  .low = 0,
                  .high = 1,
                  .fixed = true},
            .height = 280,
            .marks = marks,
            .mark_count = mark_count,
            .legend = report_names_with_games(r),
            .legend_count = s->count,
            .reference = 1};
  return report_plot_add(r, part, name, &p, error);
}

sixer_err report_fill_profiles(report *r, sixer_error *error) {
  evaluation *s = r->s;
  if (!report_is_percent(s)) return SIXER_OK;
  report_part *part =
      report_add(r, "profiles", "Score distributions",
                 "The performance profile is the share of all runs with a normalized score above x "
                 "(Agarwal et "
                 "al. 2021); the score distribution is the share of games whose mean is x or more "
                 "(Bellemare et "
                 "al. 2013). Bands are point-wise %g %% intervals. The scale is linear near zero.",
                 100 * s->settings.confidence);
  if (!part) return report_no_memory(error);
  sixer_err err = add_profile(r, part, SIXER_PROFILE_RUNS, "profile-runs",
                              "Performance profile: share of runs above x", error);
  if (!err)
    err = add_profile(r, part, SIXER_PROFILE_AT_LEAST, "profile-games",
                      "Score distribution: share of games at x or more", error);
  part->closed = true;
  if (!err) err = show_profile(part->table, s, "runs", error);
  if (!err) err = show_profile(part->table, s, "at-least", error);
  return err;
}

sixer_err report_fill_classes(report *r, sixer_error *error) {
  evaluation *s = r->s;
  if (strcmp(s->kind, "human") != 0 && strcmp(s->kind, "record") != 0) return SIXER_OK;
  report_part *part = report_add(
      r, "classes", "Classes of games",
      "How many games are failing (below 1 %%), poor (below 10 %%), medium (below 50 %%), fair "
      "(below 100 %%) and superhuman, after SABER; 100 %% is %s.",
      !strcmp(s->kind, "record") ? "the human world record"
                                 : "the human reference of the protocol");
  const char **names = evaluation_allocate(s, SIXER_CLASS_COUNT * sizeof *names);
  plot_marks *marks = evaluation_allocate(s, (s->count + 1) * sizeof *marks);
  if (!part || !names || !marks) return report_no_memory(error);
  double thick = 0.8 / (double)s->count;
  for (int c = 0; c < SIXER_CLASS_COUNT; c++) names[c] = sixer_class_name(c);
  for (size_t i = 0; i < s->count; i++) {
    const entrant *e = &s->entrants[i];
    double *x = report_numbers(r, SIXER_CLASS_COUNT), *y = report_numbers(r, SIXER_CLASS_COUNT);
    const char **hover = evaluation_allocate(s, SIXER_CLASS_COUNT * sizeof *hover);
    if (!x || !y || !hover) return report_no_memory(error);
    for (int c = 0; c < SIXER_CLASS_COUNT; c++) {
      x[c] = (double)e->classes[c];
      y[c] = c - 0.4 + thick * ((double)i + 0.5);
      hover[c] = report_format(r, "%s: %zu of %zu games %s", e->agent.name, e->classes[c], e->games,
                               names[c]);
    }
    marks[i] = (plot_marks){.kind = PLOT_BAR,
                            .color = (int)i,
                            .size = 0.92 * thick,
                            .x = x,
                            .y = y,
                            .hover = hover,
                            .count = SIXER_CLASS_COUNT};
  }
  plot p = {.title = "Games by class",
            .x = {.title = "games", .low = NAN, .high = NAN},
            .y = {.names = names, .name_count = SIXER_CLASS_COUNT, .low = NAN, .high = NAN},
            .height = SIXER_CLASS_COUNT * fmax(24, 9 * (double)s->count + 8),
            .marks = marks,
            .mark_count = s->count,
            .legend = report_names_with_games(r),
            .legend_count = s->count,
            .reference = NAN};
  part->closed = true;
  show_classes(part->table, s);
  return report_plot_add(r, part, "classes", &p, error);
}
