/* sixer eval: result files under a protocol, beside published agents. Reads, normalizes, aggregates
 * with intervals, compares, and says what was left out. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/out.h"
#include "sixer/scores.h"

static const char name[] = "eval";
static const char description[] =
    "Scores of agents under a protocol: normalized, aggregated with bootstrap intervals, "
    "compared.\n\n"
    "A result file is CSV or TSV with the columns game and score, and if there are any: agent, run "
    "(or seed),\n"
    "frames (of training), limit, protocol. With a column episode its rows are episodes, averaged "
    "as the protocol says;\n"
    "under a protocol with levels, such as sixer-levels, a column level does the same.\n\n"
    "  sixer eval scores.csv --protocol saber --against rainbow\n"
    "  sixer eval --protocol saber --against rainbow,rainbow_iqn --games\n"
    "  sixer eval --list        published results\n"
    "  sixer eval --show saber  a protocol in full, with its hash";

typedef struct options {
  const char *protocol, *against, *normalize, *agent, *limit, *checkpoint, *baselines, *relative,
      *show, *profile;
  bool list, protocols, games, partial, strict, json, tsv;
  int64_t replicates, seed, threads;
  double confidence;
} options;

/* Memory that is freed at the end of the evaluation. */
typedef struct block {
  struct block *next;
  max_align_t bytes[];
} block;

typedef struct evaluation {
  const sixer_protocol *protocol;
  sixer_protocol_info info;
  sixer_scores_config config;
  sixer_scores *scores; /* the agents that are compared */
  sixer_scores *other;  /* those that normalization refers to */
  block *blocks;
} evaluation;

/* An agent after normalization, with only the games that have constants and scores. */
typedef struct entrant {
  sixer_agent_scores agent;
  double *scores; /* game after game */
  size_t *runs, total, games;
  size_t *game; /* numbers in the protocol */
  double *means;
  bool several; /* some game has several runs */
  sixer_interval aggregates[SIXER_AGGREGATE_COUNT];
  size_t classes[SIXER_CLASS_COUNT];
  sixer_interval model;
} entrant;

static int fail(const sixer_error *error) {
  bool usage = error->code == SIXER_ERR_ARGUMENT || error->code == SIXER_ERR_CONFIG;
  return cli_error(name, usage ? CLI_USAGE : CLI_FAILED, "%s", error->message);
}

static void *allocate(evaluation *s, size_t size) {
  block *made = calloc(1, sizeof *made + size);
  if (!made) return NULL;
  made->next = s->blocks;
  s->blocks = made;
  return made->bytes;
}

static sixer_err no_memory(sixer_error *error) {
  *error = (sixer_error){SIXER_ERR_MEMORY, "out of memory"};
  return error->code;
}

/* Add a warning to those of the files. */
static sixer_err warn(evaluation *s, sixer_error *error, const char *warning, const char *format,
                      ...) __attribute__((format(printf, 4, 5)));
static sixer_err warn(evaluation *s, sixer_error *error, const char *warning, const char *format,
                      ...) {
  char text[1000];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return sixer_scores_warn(s->scores, warning, text, error);
}

static int fail_with(int status, const char *text) { return cli_error(name, status, "%s", text); }

/* ---- lists ---- */

static int list_published(const sixer_published *published, out *o) {
  out_table(o, "published", "published results",
            "id|agent|games|frames|limit|trials|protocol|license");
  for (size_t i = 0; i < sixer_published_count(published); i++) {
    const sixer_result_set *s = sixer_published_get(published, i);
    out_text(o, s->id);
    out_text(o, s->agent);
    out_int(o, (long long)s->count);
    out_number(o, s->frames ? (double)s->frames : NAN, 0);
    out_int(o, s->limit);
    out_number(o, s->trials ? s->trials : NAN, 0);
    out_text(o, s->protocol);
    out_text(o, s->license);
  }
  out_print(o, stdout);
  return CLI_OK;
}

static int list_protocols(out *o) {
  out_table(o, "protocols", "protocols",
            "name|version|games|sticky|actions|skip|max_frames|score_of|trials|hash|title");
  for (const char *const *n = sixer_protocol_names(); *n; n++) {
    static const char *const of[] = {"training", "evaluation", "best-evaluation"};
    sixer_protocol *p;
    sixer_error error;
    if (sixer_protocol_open(*n, &p, &error)) return fail(&error);
    sixer_protocol_info info = sixer_protocol_describe(p);
    out_text(o, info.name);
    out_int(o, info.version);
    out_int(o, (long long)info.game_count);
    out_number(o, info.sticky, 2);
    out_text(o, info.minimal_actions ? "minimal" : "full");
    out_int(o, info.frame_skip);
    out_int(o, info.max_frames);
    out_text(o, of[info.score_of]);
    out_int(o, info.trials);
    info.hash[16] = 0;
    out_text(o, info.hash);
    out_text(o, info.title);
    sixer_protocol_close(p);
  }
  out_print(o, stdout);
  return CLI_OK;
}

static int show_protocol(const char *which) {
  sixer_protocol *p;
  sixer_error error;
  if (sixer_protocol_open(which, &p, &error)) return fail(&error);
  sixer_protocol_info info = sixer_protocol_describe(p);
  printf("# %s@%d\n# sha256 of what follows the next line: %s\n\n%s", info.name, info.version,
         info.hash, sixer_protocol_text(p));
  sixer_protocol_close(p);
  return CLI_OK;
}

/* ---- options that are lists or times ---- */

static bool parse_count(const char *text, int64_t *value) {
  char *end;
  double number = strtod(text, &end);
  if (end == text || !(number >= 0) || number > 1e15) return false;
  if (!strcmp(end, "M")) number *= 1e6;
  if (!strcmp(end, "k")) number *= 1e3;
  if (*end && strcmp(end, "M") && strcmp(end, "k")) return false;
  *value = llround(number);
  return (double)*value == number;
}

static int choose_limit(evaluation *s, const char *text) {
  int64_t frames = 0;
  size_t length = strlen(text);
  if (!strcmp(text, "5min"))
    frames = 18000;
  else if (!strcmp(text, "30min"))
    frames = 108000;
  else if (strcmp(text, "none") && !parse_count(text, &frames))
    return cli_error(name, CLI_USAGE,
                     "--limit wants 5min, 30min, none or a number of frames, found '%.*s'",
                     (int)length, text);
  for (size_t i = 0; i < s->info.limit_count; i++) {
    if (s->info.limits[i] == frames) {
      s->config.limit = (int)frames;
      return CLI_OK;
    }
  }
  return cli_error(name, CLI_USAGE, "%s keeps no scores after %lld frames of play", s->info.name,
                   (long long)frames);
}

static int choose_checkpoint(evaluation *s, const char *text) {
  if (!parse_count(text, &s->config.checkpoint))
    return cli_error(name, CLI_USAGE, "--checkpoint wants a number such as 50M, found '%s'", text);
  for (size_t i = 0; i < s->info.checkpoint_count; i++) {
    if (s->info.checkpoints[i] == s->config.checkpoint) return CLI_OK;
  }
  return cli_error(name, CLI_USAGE,
                   "%s reports no scores at %lld; `sixer eval --show %s` lists its checkpoints",
                   s->info.name, (long long)s->config.checkpoint, s->info.name);
}

/* Add each of a comma-separated list of published results. */
static int add_against(sixer_scores *scores, const char *list, sixer_error *error) {
  while (*list) {
    size_t length = strcspn(list, ",");
    char *one = strndup(list, length);
    if (!one) return fail_with(CLI_FAILED, "out of memory");
    sixer_err err = sixer_scores_add_published(scores, one, error);
    free(one);
    if (err) return fail(error);
    list += length + (list[length] == ',');
  }
  return CLI_OK;
}

/* ---- normalization and aggregates ---- */

/* Collect the normalized scores of the games that have constants and scores. */
static sixer_err normalize(evaluation *s, size_t index, sixer_scale scale, const double *low,
                           const double *high, entrant *e, sixer_error *error) {
  size_t games = s->info.game_count, total = 0;
  *e = (entrant){.agent = sixer_scores_agent(s->scores, index), .model = {NAN, NAN, NAN}};
  const sixer_agent_scores *agent = &e->agent;
  for (size_t g = 0; g < games; g++) total += agent->runs[g];
  e->scores = allocate(s, (total + 1) * sizeof *e->scores);
  e->means = allocate(s, (games + 1) * sizeof *e->means);
  e->runs = allocate(s, (games + 1) * sizeof *e->runs);
  e->game = allocate(s, (games + 1) * sizeof *e->game);
  if (!e->scores || !e->means || !e->runs || !e->game) return no_memory(error);
  for (size_t g = 0; g < games; g++) {
    if (!agent->runs[g] || isnan(low[g])) continue;
    double sum = 0;
    for (size_t r = 0; r < agent->runs[g]; r++) {
      sixer_err err = sixer_scores_normalize(scale, &agent->scores[g][r], &low[g], &high[g], 1,
                                             &e->scores[e->total], error);
      if (err) return err;
      double z = e->scores[e->total++];
      sum += isinf(z) ? s->info.endless : z;
    }
    /* endless in every run stays endless, for the classes */
    bool endless = true;
    for (size_t r = 0; r < agent->runs[g]; r++) endless &= isinf(agent->scores[g][r]);
    e->means[e->games] = endless ? INFINITY : sum / (double)agent->runs[g];
    e->runs[e->games] = agent->runs[g];
    e->several |= agent->runs[g] > 1;
    e->game[e->games++] = g;
  }
  return SIXER_OK;
}

/* The protocol's model: all its games are needed. */
static sixer_err model_score(const evaluation *s, const sixer_bootstrap *settings, entrant *e,
                             sixer_error *error) {
  double coefficients[SIXER_SUBSET_MAX] = {0};
  size_t wanted = 0, have = 0;
  for (size_t g = 0; g < s->info.game_count; g++)
    wanted += sixer_protocol_coefficient(s->protocol, s->info.games[g]) != 0;
  for (size_t i = 0; i < e->games && i < SIXER_SUBSET_MAX; i++) {
    coefficients[i] = sixer_protocol_coefficient(s->protocol, s->info.games[e->game[i]]);
    have += coefficients[i] != 0;
  }
  if (!wanted || have < wanted || e->games > SIXER_SUBSET_MAX) return SIXER_OK;
  sixer_sample sample = {e->scores, e->runs, e->games};
  sixer_err err = sixer_bootstrap_model(&sample, coefficients, settings, &e->model, error);
  if (!e->several) e->model.low = e->model.high = NAN;
  return err;
}

static sixer_err aggregate(const evaluation *s, const char *kind, const sixer_bootstrap *settings,
                           entrant *e, sixer_error *error) {
  sixer_sample sample = {e->scores, e->runs, e->games};
  sixer_err err;
  if (e->several) {
    err = sixer_bootstrap_aggregates(&sample, settings, e->aggregates, error);
  } else {
    double values[SIXER_AGGREGATE_COUNT];
    err = sixer_aggregates_compute(&sample, settings->cap, values, error);
    for (int a = 0; !err && a < SIXER_AGGREGATE_COUNT; a++)
      e->aggregates[a] = (sixer_interval){values[a], NAN, NAN};
  }
  if (!err) err = sixer_classes_count(e->means, e->games, e->classes, error);
  if (!err && strcmp(kind, "human") == 0) err = model_score(s, settings, e, error);
  return err;
}

/* ---- what is shown ---- */

static void show_aggregates(out *o, const evaluation *s, const char *kind, const entrant *entrants,
                            size_t count) {
  bool percent = strcmp(kind, "none") != 0, model = false;
  double unit = percent ? 100 : 1;
  char title[200];
  snprintf(title, sizeof title, "aggregates (%s-normalized%s)", kind, percent ? ", percent" : "");
  if (!percent) snprintf(title, sizeof title, "aggregates (raw scores: large games dominate)");
  out_table(o, "aggregates", title,
            "agent|games|runs|median|median_low|median_high|mean|mean_low|mean_high|iqm|iqm_low|"
            "iqm_high|gap|gap_low|gap_high|"
            "capped_mean");
  for (size_t i = 0; i < count; i++) {
    const entrant *e = &entrants[i];
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
    model |= !isnan(e->model.value);
  }
  if (model) {
    snprintf(title, sizeof title, "%s score: estimated median over 57 games, percent of human",
             s->info.title);
    out_table(o, "model", title, "agent|score|low|high");
    for (size_t i = 0; i < count; i++) {
      out_text(o, entrants[i].agent.name);
      out_number(o, entrants[i].model.value, 1);
      out_number(o, entrants[i].model.low, 1);
      out_number(o, entrants[i].model.high, 1);
    }
  }
  if (!strcmp(kind, "human") || !strcmp(kind, "record")) {
    out_table(o, "classes", "games by class: below 1 %, 10 %, 50 %, 100 %, and above",
              "agent|failing|poor|medium|fair|superhuman");
    for (size_t i = 0; i < count; i++) {
      out_text(o, entrants[i].agent.name);
      for (int c = 0; c < SIXER_CLASS_COUNT; c++) out_int(o, (long long)entrants[i].classes[c]);
    }
  }
}

/* Two agents on the games that both have, with raw scores. */
typedef struct pair {
  size_t games;
  double *means, *sds, *sizes; /* 2 x games: first agent, second agent */
  double *scores[2];
  size_t *runs[2];
} pair;

static sixer_err make_pair(evaluation *s, const sixer_agent_scores *x, const sixer_agent_scores *y,
                           pair *made, sixer_error *error) {
  const sixer_agent_scores *agents[2] = {x, y};
  pair p = {0};
  size_t totals[2] = {0};
  for (size_t g = 0; g < s->info.game_count; g++) {
    if (!x->runs[g] || !y->runs[g]) continue;
    p.games++;
    for (int side = 0; side < 2; side++) totals[side] += agents[side]->runs[g];
  }
  p.means = allocate(s, 2 * p.games * sizeof *p.means);
  p.sds = allocate(s, 2 * p.games * sizeof *p.sds);
  p.sizes = allocate(s, 2 * p.games * sizeof *p.sizes);
  if (!p.means || !p.sds || !p.sizes) return no_memory(error);
  for (int side = 0; side < 2; side++) {
    const sixer_agent_scores *agent = agents[side];
    size_t at = (size_t)side * p.games, run = 0, game = 0;
    p.scores[side] = allocate(s, totals[side] * sizeof *p.scores[side]);
    p.runs[side] = allocate(s, p.games * sizeof *p.runs[side]);
    if (!p.scores[side] || !p.runs[side]) return no_memory(error);
    for (size_t g = 0; g < s->info.game_count; g++) {
      if (!x->runs[g] || !y->runs[g]) continue;
      p.means[at] = agent->means[g];
      p.sds[at] = agent->sds[g];
      p.sizes[at++] = agent->sizes[g];
      p.runs[side][game++] = agent->runs[g];
      for (size_t r = 0; r < agent->runs[g]; r++) p.scores[side][run++] = agent->scores[g][r];
    }
  }
  *made = p;
  return SIXER_OK;
}

/* Every pair once: games higher and lower, significantly so, and the probability of improvement. */
static sixer_err show_comparisons(out *o, evaluation *s, const sixer_bootstrap *settings,
                                  const entrant *entrants, size_t count, sixer_error *error) {
  if (count < 2) return SIXER_OK;
  size_t pairs_untested = 0, most_untested = 0;
  char title[200];
  snprintf(title, sizeof title, "comparisons (significant: Welch, p < %g)", s->info.significance);
  out_table(
      o, "comparisons", title,
      "first|second|games|better|worse|equal|significantly_better|significantly_worse|untested|"
      "improvement|improvement_low|improvement_high");
  for (size_t i = 0; i < count; i++) {
    for (size_t k = i + 1; k < count; k++) {
      const entrant *x = &entrants[i], *y = &entrants[k];
      size_t better, worse, equal, won[4], untested[4];
      pair p = {0};
      sixer_err err = make_pair(s, &x->agent, &y->agent, &p, error);
      if (!err && !p.games) {
        err = warn(s, error, "no-common-games", "%s and %s have no game in common", x->agent.name,
                   y->agent.name);
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
        err = sixer_bootstrap_improvement(&sx, &sy, settings, &improvement, error);
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
    return warn(s, error, "untested",
                "%zu of %zu comparisons have games without a known deviation over runs "
                "on both sides (up to %zu "
                "games): these could not be tested",
                pairs_untested, count * (count - 1) / 2, most_untested);
  return SIXER_OK;
}

static void show_games(out *o, const evaluation *s, const char *kind, const entrant *entrants,
                       size_t count) {
  bool percent = strcmp(kind, "none") != 0;
  out_table(o, "games", percent ? "games (normalized: percent)" : "games",
            "game|agent|runs|score|sd|normalized");
  for (size_t g = 0; g < s->info.game_count; g++) {
    for (size_t i = 0; i < count; i++) {
      const sixer_agent_scores *a = &entrants[i].agent;
      if (!a->runs[g]) continue;
      double z = NAN;
      for (size_t k = 0; k < entrants[i].games; k++) {
        if (entrants[i].game[k] == g) z = entrants[i].means[k];
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
static void show_levels(out *o, const evaluation *s, const double *low, const double *high,
                        const entrant *entrants, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    for (size_t g = 0; g < s->info.game_count; g++) any |= !isnan(entrants[i].agent.trained[g]);
  }
  if (!any) return;
  out_table(o, "levels",
            "levels of training and of the test (gap: what is lost; in percent of the range of "
            "the normalization)",
            "agent|game|training|test|gap|gap_percent");
  for (size_t i = 0; i < count; i++) {
    const sixer_agent_scores *a = &entrants[i].agent;
    for (size_t g = 0; g < s->info.game_count; g++) {
      if (!a->runs[g] || isnan(a->trained[g])) continue;
      double gap = a->trained[g] - a->means[g];
      out_text(o, a->name);
      out_text(o, s->info.games[g]);
      out_number(o, a->trained[g], 2);
      out_number(o, a->means[g], 2);
      out_number(o, gap, 2);
      out_number(o, 100 * gap / fabs(high[g] - low[g]), 2);
    }
  }
}

static sixer_err show_profile(out *o, const sixer_bootstrap *settings, const char *which,
                              const entrant *entrants, size_t count, sixer_error *error) {
  /* from 0 to 800 % as in Agarwal et al. 2021, denser at the lower end, where SABER's classes are
   */
  static const double points[] = {0,    0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3,
                                  0.4,  0.5,  0.6,  0.7,  0.8, 0.9,  1,   1.25, 1.5,
                                  1.75, 2,    2.5,  3,    4,   5,    6,   8};
  enum { POINTS = sizeof points / sizeof *points };
  sixer_profile kind = !strcmp(which, "games")      ? SIXER_PROFILE_GAMES
                       : !strcmp(which, "at-least") ? SIXER_PROFILE_AT_LEAST
                                                    : SIXER_PROFILE_RUNS;
  out_table(o, "profile",
            kind == SIXER_PROFILE_RUNS ? "share of runs above x (performance profile)"
            : kind == SIXER_PROFILE_GAMES
                ? "share of games with a mean above x"
                : "share of games with a mean of x or more (score distribution)",
            "agent|x|share|low|high");
  for (size_t i = 0; i < count; i++) {
    const entrant *e = &entrants[i];
    sixer_sample sample = {e->scores, e->runs, e->games};
    sixer_interval band[POINTS];
    double values[POINTS];
    sixer_err err = sixer_profile_compute(&sample, kind, points, POINTS, values, error);
    if (!err && e->several)
      err = sixer_bootstrap_profile(&sample, kind, points, POINTS, settings, band, error);
    if (err) return err;
    for (size_t p = 0; p < POINTS; p++) {
      out_text(o, e->agent.name);
      out_number(o, points[p], 2);
      out_number(o, values[p], 3);
      out_number(o, e->several ? band[p].low : NAN, 3);
      out_number(o, e->several ? band[p].high : NAN, 3);
    }
  }
  return SIXER_OK;
}

static void show_head(out *o, const evaluation *s, const char *kind, const options *opt) {
  char text[300];
  snprintf(text, sizeof text, "%s@%d#%s", s->info.name, s->info.version, s->info.hash);
  out_text_value(o, "protocol", "protocol", text);
  out_text_value(o, "normalization", "normalization", kind);
  snprintf(text, sizeof text, "%s", s->info.name);
  if (!strcmp(kind, "baseline"))
    snprintf(text, sizeof text, "range of the policies of %s", opt->baselines);
  if (!strcmp(kind, "relative"))
    snprintf(text, sizeof text, "random of %s, and %s", s->info.name, opt->relative);
  if (!strcmp(kind, "inter-algorithm")) snprintf(text, sizeof text, "range of the agents below");
  if (!strcmp(kind, "none")) snprintf(text, sizeof text, "none");
  out_text_value(o, "constants", "constants", text);
  out_text_value(o, "headline", "headline", s->info.aggregate);
  snprintf(text, sizeof text, "%lld %s", (long long)s->config.checkpoint,
           s->info.length_in_episodes ? "episodes" : "frames");
  out_text_value(o, "checkpoint", "checkpoint", text);
  snprintf(text, sizeof text, s->config.limit ? "%d frames" : "none", s->config.limit);
  out_text_value(o, "limit", "play limit", text);
}

/* ---- the command ---- */

/* Read the files and published results that the options name. */
static int read_scores(const options *opt, const char *const *files, int file_count,
                       const sixer_published *published, evaluation *s) {
  sixer_error error;
  sixer_scores_config for_other = s->config;
  for_other.partial = true;
  if (sixer_scores_create(s->protocol, published, &s->config, &s->scores, &error) ||
      sixer_scores_create(s->protocol, published, &for_other, &s->other, &error))
    return fail(&error);
  for (int i = 0; i < file_count; i++) {
    if (sixer_scores_read(s->scores, files[i], opt->agent ? opt->agent : files[i], &error))
      return fail(&error);
  }
  int status = opt->against ? add_against(s->scores, opt->against, &error) : CLI_OK;
  if (status) return status;
  if (opt->baselines && sixer_scores_read(s->other, opt->baselines, "baseline", &error))
    return fail(&error);
  return CLI_OK;
}

/* The constants of the normalization, from the protocol or from other agents. */
static int find_constants(const options *opt, const char *kind, evaluation *s, sixer_scale *scale,
                          double *low, double *high) {
  sixer_error error;
  bool own = false;
  size_t count = 0;
  sixer_agent_scores *others = NULL;
  if (opt->relative) {
    others = allocate(s, sizeof *others);
    for (size_t i = 0; others && i < sixer_scores_agent_count(s->scores); i++) {
      sixer_agent_scores agent = sixer_scores_agent(s->scores, i);
      if (strcmp(agent.name, opt->relative)) continue;
      *others = agent;
      count = 1;
      own = true;
    }
    if (!own && sixer_scores_add_published(s->other, opt->relative, &error)) return fail(&error);
  }
  if (!own) {
    count = sixer_scores_agent_count(s->other);
    others = allocate(s, (count + 1) * sizeof *others);
    for (size_t i = 0; others && i < count; i++) others[i] = sixer_scores_agent(s->other, i);
  }
  if (!others) return fail_with(CLI_FAILED, "out of memory");
  if (sixer_scores_constants(s->scores, kind, others, count, scale, low, high, &error))
    return fail(&error);
  return CLI_OK;
}

/* Print what was found with its warnings, unless they are errors. */
static int print_all(const options *opt, const evaluation *s, out *o) {
  bool table = !opt->json && !opt->tsv;
  size_t count = sixer_scores_warning_count(s->scores);
  out_table(o, "warnings", NULL, "name|text");
  for (size_t i = 0; i < count; i++) {
    sixer_warning warning = sixer_scores_warning(s->scores, i);
    out_text(o, warning.name);
    out_text(o, warning.text);
    if (table || opt->strict)
      fprintf(stderr, "sixer eval: warning (%s): %s\n", warning.name, warning.text);
  }
  if (opt->strict && count)
    return cli_error(name, CLI_FAILED, "%zu warnings, and --strict was given: no figures", count);
  out_print(o, stdout);
  return CLI_OK;
}

static int evaluate_scores(const options *opt, const char *const *files, int file_count,
                           const sixer_published *published, evaluation *s, out *o) {
  sixer_error error;
  sixer_err err = SIXER_OK;
  int status = CLI_OK;
  if (opt->limit) status = choose_limit(s, opt->limit);
  if (!status && opt->checkpoint) status = choose_checkpoint(s, opt->checkpoint);
  if (!status) status = read_scores(opt, files, file_count, published, s);
  if (status) return status;
  const char *kind = opt->normalize   ? opt->normalize
                     : opt->relative  ? "relative"
                     : opt->baselines ? "baseline"
                                      : s->info.normalization;

  size_t games = s->info.game_count, count = sixer_scores_agent_count(s->scores);
  double *low = allocate(s, games * sizeof *low), *high = allocate(s, games * sizeof *high);
  entrant *entrants = allocate(s, (count + 1) * sizeof *entrants);
  sixer_scale scale = SIXER_SCALE_RANGE;
  if (!low || !high || !entrants) return fail_with(CLI_FAILED, "out of memory");
  status = find_constants(opt, kind, s, &scale, low, high);
  if (status) return status;
  if (strcmp(kind, s->info.normalization))
    err = warn(
        s, &error, "other-normalization",
        "%s normalizes by %s, and %s was asked for: compare these figures with such figures only",
        s->info.name, s->info.normalization, kind);

  sixer_bootstrap settings = sixer_bootstrap_default();
  settings.replicates = (size_t)opt->replicates;
  settings.confidence = opt->confidence;
  settings.seed = (uint64_t)opt->seed;
  settings.threads = (int)opt->threads;
  settings.cap = isnan(s->info.endless) ? 2 : s->info.endless;
  for (size_t i = 0; !err && i < count; i++) {
    entrant *e = &entrants[i];
    err = normalize(s, i, scale, low, high, e, &error);
    if (!err && !e->games)
      return cli_error(name, CLI_USAGE, "%s has no game with constants for %s normalization",
                       e->agent.name, kind);
    if (!err) err = aggregate(s, kind, &settings, e, &error);
    size_t endless = 0;
    for (size_t g = 0; !err && g < e->games; g++) endless += isinf(e->means[g]);
    if (!err && endless)
      err = warn(s, &error, "endless",
                 "%s plays without end in %zu games, which count as %g %% in means", e->agent.name,
                 endless, 100 * s->info.endless);
  }
  if (!err) {
    show_head(o, s, kind, opt);
    show_aggregates(o, s, kind, entrants, count);
    show_levels(o, s, low, high, entrants, count);
    err = show_comparisons(o, s, &settings, entrants, count, &error);
    if (!err && opt->profile)
      err = show_profile(o, &settings, opt->profile, entrants, count, &error);
    if (!err && opt->games) show_games(o, s, kind, entrants, count);
  }
  return err ? fail(&error) : print_all(opt, s, o);
}

static int evaluate(const options *opt, const char *const *files, int file_count,
                    const sixer_published *published, sixer_protocol *protocol, out *o) {
  evaluation s = {.protocol = protocol,
                  .info = sixer_protocol_describe(protocol),
                  .config = sixer_scores_config_default(protocol)};
  s.config.partial = opt->partial;
  int status = evaluate_scores(opt, files, file_count, published, &s, o);
  sixer_scores_destroy(s.other);
  sixer_scores_destroy(s.scores);
  while (s.blocks) {
    block *next = s.blocks->next;
    free(s.blocks);
    s.blocks = next;
  }
  return status;
}

int cmd_eval(int argc, char **argv) {
  options opt = {.protocol = NULL, .replicates = 50000, .confidence = 0.95};
  const option_def defs[] = {
      {"protocol", OPTION_TEXT, &opt.protocol, "NAME|FILE",
       "protocol of the scores: `--protocols` lists them"},
      {"against", OPTION_TEXT, &opt.against, "NAMES",
       "published results to compare with, separated by commas"},
      {"agent", OPTION_TEXT, &opt.agent, "NAME",
       "name of the agent in files without such a column"},
      {"normalize", OPTION_TEXT, &opt.normalize, "KIND",
       "human, record, scripted, random, inter-algorithm, baseline, relative or none; by default "
       "what the protocol says"},
      {"baselines", OPTION_TEXT, &opt.baselines, "FILE",
       "scores of the baseline policies, for baseline normalization"},
      {"relative-to", OPTION_TEXT, &opt.relative, "NAME",
       "agent that is 100 %, of the files or published"},
      {"checkpoint", OPTION_TEXT, &opt.checkpoint, "FRAMES",
       "of training, such as 50M; by default the protocol's last"},
      {"limit", OPTION_TEXT, &opt.limit, "TIME",
       "of play: 5min, 30min, none; by default the protocol's last"},
      {"games", OPTION_FLAG, &opt.games, NULL, "show every game"},
      {"profile", OPTION_TEXT, &opt.profile, "KIND",
       "show a distribution: runs, games or at-least"},
      {"partial", OPTION_FLAG, &opt.partial, NULL,
       "go on when an agent lacks games of the protocol"},
      {"strict", OPTION_FLAG, &opt.strict, NULL, "fail when there is any warning"},
      {"replicates", OPTION_INT, &opt.replicates, "N", "of the bootstrap"},
      {"confidence", OPTION_REAL, &opt.confidence, "P", "of intervals"},
      {"seed", OPTION_INT, &opt.seed, "N", "of the bootstrap"},
      {"threads", OPTION_INT, &opt.threads, "N", "0: all processors"},
      {"tsv", OPTION_FLAG, &opt.tsv, NULL, "tab-separated tables"},
      {"json", OPTION_FLAG, &opt.json, NULL, "everything as JSON"},
      {"list", OPTION_FLAG, &opt.list, NULL, "list the published results"},
      {"protocols", OPTION_FLAG, &opt.protocols, NULL, "list the protocols"},
      {"show", OPTION_TEXT, &opt.show, "NAME|FILE", "show a protocol in full, with its hash"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL},
  };
  enum { FILES_MAX = 256 };
  const char *files[FILES_MAX];
  int status, count = cli_parse(name, description, defs, argc, argv, files, FILES_MAX, &status);
  if (count < 0) return status;
  if (opt.json && opt.tsv) return fail_with(CLI_USAGE, "choose one of --json and --tsv");
  if (opt.replicates < 2) return fail_with(CLI_USAGE, "--replicates must be at least 2");
  if (opt.threads < 0 || opt.threads > 256)
    return fail_with(CLI_USAGE, "--threads must be from 0 to 256");
  if (opt.profile && strcmp(opt.profile, "runs") && strcmp(opt.profile, "games") &&
      strcmp(opt.profile, "at-least"))
    return fail_with(CLI_USAGE, "--profile wants runs, games or at-least");
  if (opt.show) return show_protocol(opt.show);

  sixer_published *published;
  sixer_protocol *protocol = NULL;
  sixer_error error;
  if (sixer_published_open(&published, &error)) return fail(&error);
  out *o = out_create(opt.json ? OUT_JSON : opt.tsv ? OUT_TSV : OUT_TABLE);
  if (opt.list) {
    status = list_published(published, o);
  } else if (opt.protocols) {
    status = list_protocols(o);
  } else if (!count && !opt.against) {
    status = fail_with(
        CLI_USAGE, "nothing to evaluate: name a result file, or published results with --against");
  } else if (!opt.protocol) {
    status = fail_with(CLI_USAGE,
                       "which protocol were the scores made under? Say --protocol NAME "
                       "(`--protocols` lists them)");
  } else if (sixer_protocol_open(opt.protocol, &protocol, &error)) {
    status = fail(&error);
  } else {
    status = evaluate(&opt, files, count, published, protocol, o);
  }
  out_destroy(o);
  sixer_protocol_close(protocol);
  sixer_published_close(published);
  return status;
}
