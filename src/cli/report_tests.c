/* Parts of a report: probabilities of improvement, and Welch's tests corrected for their number. */
#include <math.h>

#include "cli/report_parts.h"

sixer_err report_fill_improvement(report *r, sixer_error *error) {
  evaluation *s = r->s;
  if (s->count < 2) return SIXER_OK;
  size_t pairs = s->count * (s->count - 1) / 2, at = 0;
  report_part *part = report_add(
      r, "improvement", "Probability of improvement",
      "How likely a run of the first agent is to beat a run of the second on a game, the mean over "
      "the games that both have; ties count half. It needs several runs of both. The table also "
      "has "
      "the games with a higher and a lower mean, and those that differ significantly (Welch, p < "
      "%g, without correction).",
      s->info.significance);
  const char **names = evaluation_allocate(s, (pairs + 1) * sizeof *names);
  double *x = report_numbers(r, pairs), *y = report_numbers(r, pairs),
         *low = report_numbers(r, pairs), *high = report_numbers(r, pairs);
  const char **hover = evaluation_allocate(s, (pairs + 1) * sizeof *hover);
  if (!part || !names || !x || !y || !low || !high || !hover) return report_no_memory(error);
  for (size_t i = 0; i < s->count; i++) {
    for (size_t k = i + 1; k < s->count; k++) {
      const entrant *a = &s->entrants[i], *b = &s->entrants[k];
      if (!a->several || !b->several) continue;
      agent_pair p;
      sixer_interval v;
      sixer_err err = evaluation_pair(s, &a->agent, &b->agent, &p, error);
      if (err) return err;
      if (!p.games) continue;
      sixer_sample first = {p.scores[0], p.runs[0], p.games};
      sixer_sample second = {p.scores[1], p.runs[1], p.games};
      err = sixer_bootstrap_improvement(&first, &second, &s->settings, &v, error);
      if (err) return err;
      names[at] = report_format(r, "%s > %s", a->agent.name, b->agent.name);
      x[at] = v.value;
      y[at] = (double)at;
      low[at] = v.low;
      high[at] = v.high;
      hover[at] = report_format(r, "P(%s) = %.3f (%.3f to %.3f), %zu games", names[at], v.value,
                                v.low, v.high, p.games);
      if (!names[at] || !hover[at]) return report_no_memory(error);
      at++;
    }
  }
  sixer_err err = SIXER_OK;
  if (at) {
    plot_marks marks[] = {{.kind = PLOT_INTERVAL,
                           .x = x,
                           .y = y,
                           .low = low,
                           .high = high,
                           .hover = hover,
                           .count = at},
                          {.kind = PLOT_DOT, .x = x, .y = y, .hover = hover, .count = at}};
    plot p = {.title = "Probability of improvement",
              .x = {.title = "P(first > second)", .low = 0, .high = 1, .fixed = true},
              .y = {.names = names, .name_count = at, .low = NAN, .high = NAN},
              .marks = marks,
              .mark_count = 2,
              .reference = 0.5};
    err = report_plot_add(r, part, "improvement", &p, error);
  }
  part->closed = at > 0;
  if (!err) err = show_comparisons(part->table, s, error);
  return err;
}

/* One test: a game and a pair of agents. */
typedef struct test {
  size_t first, second, game;
  double means[2];
  sixer_welch welch;
} test;

sixer_err report_fill_tests(report *r, sixer_error *error) {
  static const char *const names[] = {"none", "Holm", "Benjamini-Hochberg"};
  evaluation *s = r->s;
  if (s->count < 2) return SIXER_OK;
  size_t games = s->info.game_count, pairs = s->count * (s->count - 1) / 2, total = 0;
  test *tests = evaluation_allocate(s, (pairs * games + 1) * sizeof *tests);
  if (!tests) return report_no_memory(error);
  for (size_t i = 0; i < s->count; i++) {
    for (size_t k = i + 1; k < s->count; k++) {
      const sixer_agent_scores *a = &s->entrants[i].agent, *b = &s->entrants[k].agent;
      for (size_t g = 0; g < games; g++) {
        if (!(a->sizes[g] >= 2) || !(b->sizes[g] >= 2) || isinf(a->means[g]) || isinf(b->means[g]))
          continue;
        test *t = &tests[total];
        *t = (test){.first = i, .second = k, .game = g, .means = {a->means[g], b->means[g]}};
        sixer_err err = sixer_welch_test(a->means[g], a->sds[g], a->sizes[g], b->means[g],
                                         b->sds[g], b->sizes[g], &t->welch, error);
        if (err) return err;
        total++;
      }
    }
  }
  double *p = report_numbers(r, total), *adjusted = report_numbers(r, total);
  if (!p || !adjusted) return report_no_memory(error);
  for (size_t i = 0; i < total; i++) p[i] = tests[i].welch.p;
  sixer_err err = SIXER_OK;
  if (total) {
    sixer_correction kind = r->correction == CORRECT_HOLM ? SIXER_CORRECTION_HOLM
                            : r->correction == CORRECT_BH ? SIXER_CORRECTION_BH
                                                          : SIXER_CORRECTION_NONE;
    err = sixer_p_adjust(kind, p, total, adjusted, error);
  }
  if (err) return err;
  report_part *part = report_add(
      r, "tests", "Tests per game",
      "%s Welch's t-test of every pair of agents on every game where both have a deviation over at "
      "least two runs: %zu tests. Correction for so many tests: %s%s. A difference is significant "
      "where the adjusted p is below %g, the level of the protocol.",
      total ? "" : "No game can be tested: a test needs at least two runs of both agents.", total,
      names[r->correction],
      r->correction == CORRECT_HOLM ? ", which bounds the chance of any false one"
      : r->correction == CORRECT_BH ? ", which bounds the expected share of false ones"
                                    : "",
      s->info.significance);
  if (!part) return report_no_memory(error);
  if (!total) return SIXER_OK;
  out *o = part->table;
  out_table(o, "significant", "games with a significant difference, after correction",
            "first|second|tested|first better=first_better|second better=second_better");
  for (size_t i = 0, end; i < total; i = end) {
    size_t better = 0, worse = 0;
    for (end = i;
         end < total && tests[end].first == tests[i].first && tests[end].second == tests[i].second;
         end++) {
      bool significant = adjusted[end] < s->info.significance;
      better += significant && tests[end].welch.t > 0;
      worse += significant && tests[end].welch.t < 0;
    }
    out_text(o, s->entrants[tests[i].first].agent.name);
    out_text(o, s->entrants[tests[i].second].agent.name);
    out_int(o, (long long)(end - i));
    out_int(o, (long long)better);
    out_int(o, (long long)worse);
  }
  out_table(
      o, "tests", "every test",
      "game|first|second|mean=first_mean|mean=second_mean|t|df|p|adjusted p=adjusted_p|verdict");
  for (size_t i = 0; i < total; i++) {
    const test *t = &tests[i];
    out_text(o, s->info.games[t->game]);
    out_text(o, s->entrants[t->first].agent.name);
    out_text(o, s->entrants[t->second].agent.name);
    out_number(o, t->means[0], 2);
    out_number(o, t->means[1], 2);
    out_number(o, t->welch.t, 2);
    out_number(o, t->welch.df, 1);
    out_number(o, p[i], 5);
    out_number(o, adjusted[i], 5);
    out_text(o, !(adjusted[i] < s->info.significance) ? "no difference shown"
                : t->welch.t > 0                      ? "first better"
                                                      : "second better");
  }
  part->closed = true;
  return SIXER_OK;
}
