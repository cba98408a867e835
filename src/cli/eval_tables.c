/* The tables of an evaluation: see evaluation.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/evaluation.h"

static sixer_err no_memory(sixer_error *error) {
  *error = (sixer_error){SIXER_ERR_MEMORY, "out of memory"};
  return error->code;
}

/* The estimates of the protocol's model. Their intervals have two parts: the noise of the runs, and the error of the
 * model, which is known for games of the Atari-5 data. */
void show_model(out *o, const evaluation *s) {
  bool model = false;
  for (size_t i = 0; i < s->count; i++) model |= !isnan(s->entrants[i].model.value);
  if (!model) return;
  const char *games[SIXER_SUBSET_MAX];
  size_t size = 0;
  double sd = NAN;
  char title[300];
  sixer_error error;
  for (size_t g = 0; g < s->info.game_count && size < SIXER_SUBSET_MAX; g++) {
    if (sixer_protocol_coefficient(s->protocol, s->info.games[g]) != 0)
      games[size++] = s->info.games[g];
  }
  bool stated = !isnan(s->info.model_error);
  if (stated) sd = s->info.model_error;
  bool known = stated || !sixer_model_error(s->published, games, size, &sd, &error);
  if (!strcmp(s->info.name, "atari5"))
    snprintf(title, sizeof title, "%s score: estimated median over 57 games, percent of human",
             s->info.title);
  else
    snprintf(title, sizeof title, "score of the model of %s%s%s, percent of human", s->info.title,
             s->info.model_target ? ": estimated " : "",
             s->info.model_target ? s->info.model_target : "");
  size_t used = strlen(title);
  if (known)
    snprintf(title + used, sizeof title - used,
             " (low, high: runs and model together; the error of the model is %.3f in log10)", sd);
  else
    snprintf(title + used, sizeof title - used,
             " (intervals of the runs alone: the error of the model is not known)");
  out_table(o, "model", title,
            "agent|score|low|high|runs_low|runs_high|model_low|model_high|model_error");
  for (size_t i = 0; i < s->count; i++) {
    sixer_interval runs = s->entrants[i].model, alone = {runs.value, NAN, NAN},
                   none = {NAN, NAN, NAN};
    bool fits = known && !isnan(runs.value);
    sixer_interval both = fits ? sixer_model_interval(runs, sd, s->settings.confidence) : runs;
    alone = fits ? sixer_model_interval(alone, sd, s->settings.confidence) : none;
    out_text(o, s->entrants[i].agent.name);
    out_number(o, runs.value, 1);
    out_number(o, both.low, 1);
    out_number(o, both.high, 1);
    out_number(o, runs.low, 1);
    out_number(o, runs.high, 1);
    out_number(o, alone.low, 1);
    out_number(o, alone.high, 1);
    out_number(o, fits ? sd : NAN, 3);
  }
}

void show_aggregates(out *o, const evaluation *s) {
  bool percent = strcmp(s->kind, "none") != 0;
  double unit = percent ? 100 : 1;
  char title[200];
  snprintf(title, sizeof title, "aggregates (%s-normalized%s)", s->kind,
           percent ? ", percent" : "");
  if (!percent) snprintf(title, sizeof title, "aggregates (raw scores: large games dominate)");
  out_table(o, "aggregates", title,
            "agent|games|runs|median|median_low|median_high|mean|mean_low|mean_high|iqm|iqm_low|"
            "iqm_high|gap|gap_low|gap_high|"
            "capped_mean");
  for (size_t i = 0; i < s->count; i++) {
    const entrant *e = &s->entrants[i];
    static const int order[] = {SIXER_AGGREGATE_MEDIAN, SIXER_AGGREGATE_MEAN, SIXER_AGGREGATE_IQM,
                                SIXER_AGGREGATE_OPTIMALITY_GAP};
    out_text(o, e->agent.name);
    out_int(o, (long long)e->games);
    out_int(o, (long long)e->total);
    for (size_t k = 0; k < 4; k++) {
      const sixer_interval *v = &e->aggregates[order[k]];
      out_number(o, unit * v->value, 2);
      out_number(o, unit * v->low, 2);
      out_number(o, unit * v->high, 2);
    }
    out_number(o, unit * e->aggregates[SIXER_AGGREGATE_CAPPED_MEAN].value, 2);
  }
}

void show_classes(out *o, const evaluation *s) {
  if (strcmp(s->kind, "human") != 0 && strcmp(s->kind, "record") != 0) return;
  out_table(o, "classes", "games by class: below 1 %, 10 %, 50 %, 100 %, and above",
            "agent|failing|poor|medium|fair|superhuman");
  for (size_t i = 0; i < s->count; i++) {
    out_text(o, s->entrants[i].agent.name);
    for (int c = 0; c < SIXER_CLASS_COUNT; c++) out_int(o, (long long)s->entrants[i].classes[c]);
  }
}

sixer_err evaluation_pair(evaluation *s, const sixer_agent_scores *x, const sixer_agent_scores *y,
                          agent_pair *made, sixer_error *error) {
  const sixer_agent_scores *agents[2] = {x, y};
  agent_pair p = {0};
  size_t totals[2] = {0};
  for (size_t g = 0; g < s->info.game_count; g++) {
    if (!x->runs[g] || !y->runs[g]) continue;
    p.games++;
    for (int side = 0; side < 2; side++) totals[side] += agents[side]->runs[g];
  }
  p.means = evaluation_allocate(s, 2 * p.games * sizeof *p.means);
  p.sds = evaluation_allocate(s, 2 * p.games * sizeof *p.sds);
  p.sizes = evaluation_allocate(s, 2 * p.games * sizeof *p.sizes);
  p.game = evaluation_allocate(s, p.games * sizeof *p.game);
  if (!p.means || !p.sds || !p.sizes || !p.game) return no_memory(error);
  for (int side = 0; side < 2; side++) {
    const sixer_agent_scores *agent = agents[side];
    size_t at = (size_t)side * p.games, run = 0, game = 0;
    p.scores[side] = evaluation_allocate(s, totals[side] * sizeof *p.scores[side]);
    p.runs[side] = evaluation_allocate(s, p.games * sizeof *p.runs[side]);
    if (!p.scores[side] || !p.runs[side]) return no_memory(error);
    for (size_t g = 0; g < s->info.game_count; g++) {
      if (!x->runs[g] || !y->runs[g]) continue;
      p.means[at] = agent->means[g];
      p.sds[at] = agent->sds[g];
      p.sizes[at++] = agent->sizes[g];
      p.game[game] = g;
      p.runs[side][game++] = agent->runs[g];
      for (size_t r = 0; r < agent->runs[g]; r++) p.scores[side][run++] = agent->scores[g][r];
    }
  }
  *made = p;
  return SIXER_OK;
}

/* Every pair once: games higher and lower, significantly so, and the probability of improvement. */
sixer_err show_comparisons(out *o, evaluation *s, sixer_error *error) {
  if (s->count < 2) return SIXER_OK;
  size_t pairs_untested = 0, most_untested = 0;
  char title[200];
  snprintf(title, sizeof title, "comparisons (significant: Welch, p < %g)", s->info.significance);
  out_table(
      o, "comparisons", title,
      "first|second|games|better|worse|equal|significantly_better|significantly_worse|untested|"
      "improvement|improvement_low|improvement_high");
  for (size_t i = 0; i < s->count; i++) {
    for (size_t k = i + 1; k < s->count; k++) {
      const entrant *x = &s->entrants[i], *y = &s->entrants[k];
      size_t better, worse, equal, won[4], untested[4];
      agent_pair p = {0};
      sixer_err err = evaluation_pair(s, &x->agent, &y->agent, &p, error);
      if (!err && !p.games) {
        err = evaluation_warn(s, error, "no-common-games", "%s and %s have no game in common",
                              x->agent.name, y->agent.name);
        if (err) return err;
        continue;
      }
      sixer_interval improvement = {NAN, NAN, NAN};
      sixer_sample sx = {p.scores[0], p.runs[0], p.games}, sy = {p.scores[1], p.runs[1], p.games};
      if (!err)
        err = sixer_games_compare(p.means, p.means + p.games, p.games, &better, &worse, &equal,
                                  error);
      if (!err)
        err = sixer_welch_table(p.means, p.sds, p.sizes, 2, p.games, s->info.significance, won,
                                untested, error);
      if (!err && x->several && y->several)
        err = sixer_bootstrap_improvement(&sx, &sy, &s->settings, &improvement, error);
      if (!err && untested[1]) {
        pairs_untested++;
        if (untested[1] > most_untested) most_untested = untested[1];
      }
      if (err) return err;
      out_text(o, x->agent.name);
      out_text(o, y->agent.name);
      out_int(o, (long long)p.games);
      out_int(o, (long long)better);
      out_int(o, (long long)worse);
      out_int(o, (long long)equal);
      out_number(o, untested[1] == p.games ? NAN : (double)won[1], 0);
      out_number(o, untested[1] == p.games ? NAN : (double)won[2], 0);
      out_int(o, (long long)untested[1]);
      out_number(o, improvement.value, 3);
      out_number(o, improvement.low, 3);
      out_number(o, improvement.high, 3);
    }
  }
  if (pairs_untested)
    return evaluation_warn(s, error, "untested",
                           "%zu of %zu comparisons have games without a known deviation over runs "
                           "on both sides (up to %zu "
                           "games): these could not be tested",
                           pairs_untested, s->count * (s->count - 1) / 2, most_untested);
  return SIXER_OK;
}

void show_games(out *o, const evaluation *s) {
  bool percent = strcmp(s->kind, "none") != 0;
  out_table(o, "games", percent ? "games (normalized: percent)" : "games",
            "game|agent|runs|score|sd|normalized");
  for (size_t g = 0; g < s->info.game_count; g++) {
    for (size_t i = 0; i < s->count; i++) {
      const sixer_agent_scores *a = &s->entrants[i].agent;
      if (!a->runs[g]) continue;
      double z = NAN;
      for (size_t k = 0; k < s->entrants[i].games; k++) {
        if (s->entrants[i].game[k] == g) z = s->entrants[i].means[k];
      }
      out_text(o, s->info.games[g]);
      out_text(o, a->name);
      out_int(o, (long long)a->runs[g]);
      out_number(o, a->means[g], 2);
      out_number(o, a->sds[g], 2);
      out_number(o, percent ? 100 * z : z, 2);
    }
  }
}

/* What an agent does on levels that it was trained on and on those that it never saw. */
void show_levels(out *o, const evaluation *s) {
  bool any = false;
  for (size_t i = 0; i < s->count; i++) {
    for (size_t g = 0; g < s->info.game_count; g++) any |= !isnan(s->entrants[i].agent.trained[g]);
  }
  if (!any) return;
  out_table(o, "levels",
            "levels of training and of the test (gap: what is lost; in percent of the range of "
            "the normalization)",
            "agent|game|training|test|gap|gap_percent");
  for (size_t i = 0; i < s->count; i++) {
    const sixer_agent_scores *a = &s->entrants[i].agent;
    for (size_t g = 0; g < s->info.game_count; g++) {
      if (!a->runs[g] || isnan(a->trained[g])) continue;
      double gap = a->trained[g] - a->means[g];
      out_text(o, a->name);
      out_text(o, s->info.games[g]);
      out_number(o, a->trained[g], 2);
      out_number(o, a->means[g], 2);
      out_number(o, gap, 2);
      out_number(o, 100 * gap / fabs(s->high[g] - s->low[g]), 2);
    }
  }
}

const double evaluation_points[EVALUATION_POINTS] = {
    0,   0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7,
    0.8, 0.9,  1,    1.25, 1.5, 1.75, 2,   2.5,  3,   4,   5,   6,   8};

sixer_err show_profile(out *o, const evaluation *s, const char *which, sixer_error *error) {
  sixer_profile kind = !strcmp(which, "games")      ? SIXER_PROFILE_GAMES
                       : !strcmp(which, "at-least") ? SIXER_PROFILE_AT_LEAST
                                                    : SIXER_PROFILE_RUNS;
  out_table(o, "profile",
            kind == SIXER_PROFILE_RUNS ? "share of runs above x (performance profile)"
            : kind == SIXER_PROFILE_GAMES
                ? "share of games with a mean above x"
                : "share of games with a mean of x or more (score distribution)",
            "agent|x|share|low|high");
  for (size_t i = 0; i < s->count; i++) {
    const entrant *e = &s->entrants[i];
    sixer_sample sample = {e->scores, e->runs, e->games};
    sixer_interval band[EVALUATION_POINTS];
    double values[EVALUATION_POINTS];
    sixer_err err =
        sixer_profile_compute(&sample, kind, evaluation_points, EVALUATION_POINTS, values, error);
    if (!err && e->several)
      err = sixer_bootstrap_profile(&sample, kind, evaluation_points, EVALUATION_POINTS,
                                    &s->settings, band, error);
    if (err) return err;
    for (size_t p = 0; p < EVALUATION_POINTS; p++) {
      out_text(o, e->agent.name);
      out_number(o, evaluation_points[p], 2);
      out_number(o, values[p], 3);
      out_number(o, e->several ? band[p].low : NAN, 3);
      out_number(o, e->several ? band[p].high : NAN, 3);
    }
  }
  return SIXER_OK;
}

void show_head(out *o, const evaluation *s, const evaluation_options *opt) {
  char text[300];
  snprintf(text, sizeof text, "%s@%d#%s", s->info.name, s->info.version, s->info.hash);
  out_text_value(o, "protocol", "protocol", text);
  out_text_value(o, "normalization", "normalization", s->kind);
  snprintf(text, sizeof text, "%s", s->info.name);
  if (!strcmp(s->kind, "baseline"))
    snprintf(text, sizeof text, "range of the policies of %s", opt->baselines);
  if (!strcmp(s->kind, "relative"))
    snprintf(text, sizeof text, "random of %s, and %s", s->info.name, opt->relative);
  if (!strcmp(s->kind, "inter-algorithm")) snprintf(text, sizeof text, "range of the agents below");
  if (!strcmp(s->kind, "none")) snprintf(text, sizeof text, "none");
  out_text_value(o, "constants", "constants", text);
  out_text_value(o, "headline", "headline", s->info.aggregate);
  snprintf(text, sizeof text, "%lld %s%s", (long long)s->config.checkpoint,
           s->info.length_in_episodes ? "episodes" : "frames", evaluation_checkpoint_note(s));
  out_text_value(o, "checkpoint", "checkpoint", text);
  snprintf(text, sizeof text, s->config.limit ? "%d frames" : "none", s->config.limit);
  out_text_value(o, "limit", "play limit", text);
}
