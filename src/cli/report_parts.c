/* Parts of a report and what fills them: see report.h and report_parts.h. */
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report_parts.h"

const char report_ids[] =
    "protocol, warnings, ratings, aggregates, games, curves, profiles, classes, improvement, "
    "tests, atari5, "
    "model, limits";

sixer_err report_no_memory(sixer_error *error) {
  *error = (sixer_error){SIXER_ERR_MEMORY, "out of memory"};
  return error->code;
}

/* ---- parts and plots ---- */

char *report_format(report *r, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  char *text = length < 0 ? NULL : evaluation_allocate(r->s, (size_t)length + 1);
  if (text) vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  va_end(args);
  return text;
}

bool report_wants(const report *r, const char *id) {
  size_t length = strlen(id);
  for (const char *p = r->only; p && *p;) {
    size_t n = strcspn(p, ",");
    if (n == length && !strncmp(p, id, n)) return true;
    p += n + (p[n] == ',');
  }
  return !r->only;
}

report_part *report_add(report *r, const char *id, const char *title, const char *format, ...) {
  if (r->count == REPORT_PARTS_MAX) return NULL;
  va_list args;
  va_start(args, format);
  char text[2000];
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  report_part *part = &r->parts[r->count];
  *part = (report_part){.id = id, .title = title, .text = report_format(r, "%s", text)};
  if (!part->text) return NULL;
  part->table = out_create(OUT_HTML);
  r->count++;
  return part;
}

sixer_err report_plot_add(report *r, report_part *part, const char *name, const plot *drawn,
                          sixer_error *error) {
  if (part->plot_count == REPORT_PLOTS_MAX) return SIXER_OK;
  plot *copy = evaluation_allocate(r->s, sizeof *copy);
  plot_marks *marks = evaluation_allocate(r->s, (drawn->mark_count + 1) * sizeof *marks);
  char *own = report_format(r, "%s", name);
  if (!copy || !marks || !own) return report_no_memory(error);
  *copy = *drawn;
  memcpy(marks, drawn->marks, drawn->mark_count * sizeof *marks);
  copy->marks = marks;
  part->plots[part->plot_count++] = (report_plot){own, copy};
  return SIXER_OK;
}

void report_end(report *r) {
  for (size_t i = 0; i < r->count; i++) out_destroy(r->parts[i].table);
  r->count = 0;
}

/* ---- small helpers ---- */

bool report_is_percent(const evaluation *s) { return strcmp(s->kind, "none") != 0; }

double report_unit(const evaluation *s) {
  return !report_is_percent(s) ? 0 : !strcmp(s->kind, "record") ? 0.01 : 0.1;
}

double *report_numbers(report *r, size_t count) {
  return evaluation_allocate(r->s, (count + 1) * sizeof(double));
}

const char **report_names(report *r) {
  const char **names = evaluation_allocate(r->s, (r->s->count + 1) * sizeof *names);
  for (size_t i = 0; names && i < r->s->count; i++) names[i] = r->s->entrants[i].agent.name;
  return names;
}

const char **report_names_with_games(report *r) {
  const char **names = report_names(r);
  bool differ = false;
  for (size_t i = 0; i < r->s->count; i++)
    differ |= r->s->entrants[i].games != r->s->entrants[0].games;
  for (size_t i = 0; names && differ && i < r->s->count; i++) {
    size_t games = r->s->entrants[i].games;
    names[i] = report_format(r, "%s (%zu game%s)", names[i], games, games == 1 ? "" : "s");
    if (!names[i]) return NULL;
  }
  return names;
}

void report_score_text(const evaluation *s, double value, char text[48]) {
  if (isinf(value))
    snprintf(text, 48, "without end");
  else if (report_is_percent(s))
    snprintf(text, 48, "%.4g %%", 100 * value);
  else
    snprintf(text, 48, "%.6g", value);
}

sixer_err report_fill(report *r, sixer_error *error) {
  static const struct {
    const char *id;
    sixer_err (*fill)(report *r, sixer_error *error);
  } all[] = {{"ratings", report_fill_ratings},
             {"aggregates", report_fill_aggregates},
             {"games", report_fill_games},
             {"curves", report_fill_curves},
             {"profiles", report_fill_profiles},
             {"classes", report_fill_classes},
             {"improvement", report_fill_improvement},
             {"tests", report_fill_tests},
             {"atari5", report_fill_atari5},
             {"model", report_fill_model},
             {"limits", report_fill_limits},
             {"protocol", report_fill_protocol},
             {"warnings", report_fill_warnings}};
  sixer_err err = SIXER_OK;
  /* warnings come last: the other parts add some */
  for (size_t i = 0; !err && i < sizeof all / sizeof *all; i++) {
    if (report_wants(r, all[i].id)) err = all[i].fill(r, error);
  }
  return err;
}
