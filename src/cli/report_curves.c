/* Learning curves in a report: see report.h. A figure at some frames of training is over all runs that it names; where
 * the shortest run ends, the curve ends. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report_parts.h"
#include "util/os.h"

enum { POINTS_MAX = 120, PLOTS_MAX = 250 };

/* ---- reading ---- */

int report_read_curves(const char *command_name, const evaluation_options *options,
                       const report_files *files, const sixer_published *published,
                       const sixer_protocol *protocol, sixer_curves **curves) {
  sixer_error error;
  sixer_scores_config config = sixer_scores_config_default(protocol);
  config.frames_per_step = (int)options->frames_per_step;
  const char **patterns = calloc((size_t)files->count + 1, sizeof *patterns);
  if (!patterns) return cli_error(command_name, CLI_FAILED, "out of memory");
  sixer_err err = sixer_curves_create(protocol, published, &config, curves, &error);
  for (int i = 0; !err && i < files->count; i++) {
    const char *file = files->files[i];
    size_t length = evaluation_name_length(file);
    const store_rows *store = stores_find(options->stores, file);
    if (store) {
      size_t size;
      const char *text = evaluation_store_rows(store, protocol, true, &size);
      if (text) err = sixer_curves_parse(*curves, text, size, file, file, &error);
      continue;
    }
    if (!length) {
      err = sixer_curves_read(*curves, file, options->agent ? options->agent : file, &error);
      continue;
    }
    size_t count = evaluation_patterns(files->files, files->count, i, patterns);
    char *agent = os_strndup(file, length);
    if (!agent) {
      free(patterns);
      return cli_error(command_name, CLI_FAILED, "out of memory");
    }
    if (count) err = sixer_curves_read_runs(*curves, agent, patterns, count, &error);
    free(agent);
  }
  free(patterns);
  return err ? evaluation_fail(command_name, &error) : CLI_OK;
}

/* The name of a run for people: files without a seed are numbered. */
static const char *run_name(const char *run) {
  return *run == '#' ? run + 1 + strspn(run + 1, "0") : run;
}

/* The run that ends first. */
typedef struct shortest {
  const char *agent, *run;
  size_t game;
  double frames;
} shortest;

char *report_choose_checkpoint(const sixer_curves *curves, const sixer_protocol *protocol,
                               char note[500]) {
  sixer_protocol_info info = sixer_protocol_describe(protocol);
  shortest least = {.frames = INFINITY};
  if (info.score_of != SIXER_SCORE_TRAINING || info.length_in_episodes) return NULL;
  for (size_t a = 0; a < sixer_curves_agent_count(curves); a++) {
    for (size_t g = 0; g < info.game_count; g++) {
      for (size_t r = 0; r < sixer_curves_run_count(curves, a, g); r++) {
        sixer_curve c = sixer_curves_run(curves, a, g, r);
        if (!c.episodes) return NULL; /* scores name their checkpoint */
        if (c.frames[c.count - 1] < least.frames)
          least =
              (shortest){sixer_curves_agent(curves, a), run_name(c.run), g, c.frames[c.count - 1]};
      }
    }
  }
  int64_t chosen = 0;
  for (size_t i = 0; i < info.checkpoint_count; i++) {
    if ((double)info.checkpoints[i] <= least.frames && info.checkpoints[i] > chosen)
      chosen = info.checkpoints[i];
  }
  if (!chosen || chosen == info.checkpoints[info.checkpoint_count - 1]) return NULL;
  char *text = malloc(32);
  if (text) snprintf(text, 32, "%lld", (long long)chosen);
  snprintf(note, 500,
           "scores are those at %lld frames, the last checkpoint of %s that every run reaches: the "
           "shortest, run '%.30s' of %.60s on %s, has %.0f frames (--checkpoint chooses another)",
           (long long)chosen, info.name, least.run, least.agent, info.games[least.game],
           least.frames);
  return text;
}

/* ---- common points ---- */

typedef struct grid {
  double *points;
  size_t count;
} grid;

/* Round numbers up to the longest run. */
static sixer_err make_grid(report *r, grid *made, sixer_error *error) {
  double longest = 0;
  for (size_t a = 0; a < sixer_curves_agent_count(r->curves); a++) {
    for (size_t g = 0; g < r->s->info.game_count; g++) {
      for (size_t k = 0; k < sixer_curves_run_count(r->curves, a, g); k++) {
        sixer_curve c = sixer_curves_run(r->curves, a, g, k);
        longest = fmax(longest, c.frames[c.count - 1]);
      }
    }
  }
  double ticks[POINTS_MAX + 2];
  size_t count = plot_ticks(0, longest, POINTS_MAX, ticks, POINTS_MAX + 2);
  made->points = evaluation_allocate(r->s, (count + 1) * sizeof *made->points);
  if (!made->points) return report_no_memory(error);
  made->count = 0;
  for (size_t i = 0; i < count; i++) {
    if (ticks[i] > 0) made->points[made->count++] = ticks[i];
  }
  return SIXER_OK;
}

/* The runs of an agent on one game at the points of the grid: `runs` rows. */
typedef struct course {
  size_t runs, from, to; /* points at which all runs have a value */
  double *scores;        /* runs x points of the grid */
  double ends, latest;   /* where the shortest and the longest run end */
} course;

static sixer_err sample_course(report *r, const grid *at, size_t agent, size_t game, course *made,
                               sixer_error *error) {
  size_t runs = sixer_curves_run_count(r->curves, agent, game);
  size_t window = r->s->info.score_of == SIXER_SCORE_TRAINING ? (size_t)r->s->info.episodes : 100;
  *made = (course){.runs = runs, .ends = INFINITY};
  if (!runs) return SIXER_OK;
  made->scores = evaluation_allocate(r->s, runs * (at->count + 1) * sizeof *made->scores);
  if (!made->scores) return report_no_memory(error);
  made->to = at->count;
  for (size_t k = 0; k < runs; k++) {
    sixer_curve c = sixer_curves_run(r->curves, agent, game, k);
    double *row = made->scores + k * at->count;
    sixer_err err = sixer_curve_sample(&c, window, at->points, at->count, row, error);
    if (err) return err;
    made->ends = fmin(made->ends, c.frames[c.count - 1]);
    made->latest = fmax(made->latest, c.frames[c.count - 1]);
    size_t from = 0, to = at->count;
    while (from < to && isnan(row[from])) from++;
    while (to > from && isnan(row[to - 1])) to--;
    if (from > made->from) made->from = from;
    if (to < made->to) made->to = to;
  }
  if (made->to < made->from) made->to = made->from;
  return SIXER_OK;
}

/* ---- plots ---- */

typedef struct lines {
  plot_marks *marks;
  size_t count, room;
} lines;

/* Room for the lines and bands of all agents, and for their runs on one game. */
static lines *make_lines(report *r, size_t game) {
  lines *l = evaluation_allocate(r->s, sizeof *l);
  if (!l) return NULL;
  for (size_t a = 0; a < sixer_curves_agent_count(r->curves); a++)
    l->room += 2 + sixer_curves_run_count(r->curves, a, game);
  l->marks = evaluation_allocate(r->s, (l->room + 1) * sizeof *l->marks);
  return l->marks ? l : NULL;
}

static void add_marks(lines *l, plot_marks m) {
  if (l->count < l->room) l->marks[l->count++] = m;
}

/* The number of an agent among those of the evaluation: its color. */
static int color_of(const report *r, const char *agent) {
  for (size_t i = 0; i < r->s->count; i++) {
    if (!strcmp(r->s->entrants[i].agent.name, agent)) return (int)i;
  }
  return 0;
}

/* A line with its band. */
static sixer_err add_line(report *r, lines *l, const grid *at, size_t from, size_t count, int color,
                          const char *name, const sixer_interval *band, sixer_error *error) {
  double *y = evaluation_allocate(r->s, 3 * (count + 1) * sizeof *y);
  const char **hover = evaluation_allocate(r->s, sizeof *hover);
  if (!y || !hover) return report_no_memory(error);
  double *low = y + count + 1, *high = low + count + 1;
  hover[0] = name;
  for (size_t p = 0; p < count; p++) {
    y[p] = band[p].value;
    low[p] = band[p].low;
    high[p] = band[p].high;
  }
  add_marks(l, (plot_marks){.kind = PLOT_BAND,
                            .color = color,
                            .x = at->points + from,
                            .y = y,
                            .low = low,
                            .high = high,
                            .count = count});
  add_marks(l, (plot_marks){.kind = PLOT_LINE,
                            .color = color,
                            .x = at->points + from,
                            .y = y,
                            .hover = hover,
                            .count = count});
  return SIXER_OK;
}

static const char **names(report *r) {
  const char **list = evaluation_allocate(r->s, (r->s->count + 1) * sizeof *list);
  for (size_t i = 0; list && i < r->s->count; i++) list[i] = r->s->entrants[i].agent.name;
  return list;
}

/* How many of the evaluation's agents have curves: published ones come after them. */
static size_t agents_with_curves(const report *r) {
  size_t count = 0;
  for (size_t i = 0; i < r->s->count; i++) count += !r->s->entrants[i].agent.published;
  return count;
}

static sixer_bootstrap band_settings(const report *r) {
  sixer_bootstrap settings = r->s->settings;
  if (settings.replicates > 2000) settings.replicates = 2000;
  return settings;
}

/* Mean over the runs of a game with its band; thin lines are the runs. */
static sixer_err plot_game(report *r, report_part *part, const grid *at, size_t game,
                           sixer_error *error) {
  lines *l = make_lines(r, game);
  if (!l) return report_no_memory(error);
  sixer_bootstrap settings = band_settings(r);
  for (size_t a = 0; a < sixer_curves_agent_count(r->curves); a++) {
    const char *agent = sixer_curves_agent(r->curves, a);
    course c;
    sixer_err err = sample_course(r, at, a, game, &c, error);
    if (err) return err;
    if (!c.runs) continue;
    int color = color_of(r, agent);
    for (size_t k = 0; c.runs > 1 && k < c.runs; k++)
      add_marks(l, (plot_marks){.kind = PLOT_LINE,
                                .color = color,
                                .faint = true,
                                .x = at->points,
                                .y = c.scores + k * at->count,
                                .count = at->count});
    size_t count = c.to - c.from;
    sixer_interval band[POINTS_MAX + 2];
    for (size_t p = 0; p < count; p++) {
      double sum = 0;
      for (size_t k = 0; k < c.runs; k++) sum += c.scores[k * at->count + c.from + p];
      band[p] = (sixer_interval){sum / (double)c.runs, NAN, NAN};
    }
    if (c.runs > 1 && count) {
      double *set = evaluation_allocate(r->s, c.runs * count * sizeof *set);
      if (!set) return report_no_memory(error);
      for (size_t k = 0; k < c.runs; k++)
        memcpy(set + k * count, c.scores + k * at->count + c.from, count * sizeof *set);
      sixer_curve_set curves = {set, &c.runs, 1, count};
      err = sixer_curves_aggregate(&curves, SIXER_AGGREGATE_MEAN, &settings, band, error);
      if (err) return err;
    }
    err = add_line(r, l, at, c.from, count, color, agent, band, error);
    if (err) return err;
    for (size_t p = 0; p < count; p++) {
      out_text(part->table, agent);
      out_text(part->table, r->s->info.games[game]);
      out_int(part->table, (long long)at->points[c.from + p]);
      out_int(part->table, (long long)c.runs);
      out_number(part->table, band[p].value, 2);
      out_number(part->table, band[p].low, 2);
      out_number(part->table, band[p].high, 2);
    }
  }
  if (!l->count) return SIXER_OK;
  plot p = {.title = report_format(r, "Learning curve: %s", r->s->info.games[game]),
            .x = {.title = "frames of training", .low = 0, .high = NAN},
            .y = {.title = "score", .low = NAN, .high = NAN},
            .height = 230,
            .marks = l->marks,
            .mark_count = l->count,
            .legend = names(r),
            .legend_count = agents_with_curves(r),
            .reference = NAN};
  if (!p.title || !p.legend) return report_no_memory(error);
  return report_plot_add(r, part, report_format(r, "curve-%s", r->s->info.games[game]), &p, error);
}

/* All games of an agent, normalized, at the points where every run has a value. */
typedef struct whole {
  sixer_curve_set set;
  size_t from;
  double ends;        /* where the shortest run ends */
  const char *limits; /* on this game */
} whole;

static sixer_err gather(report *r, const grid *at, size_t agent, whole *made, sixer_error *error) {
  evaluation *s = r->s;
  size_t games = s->info.game_count, total = 0, used = 0, from = 0, to = at->count;
  course *all = evaluation_allocate(s, (games + 1) * sizeof *all);
  size_t *runs = evaluation_allocate(s, (games + 1) * sizeof *runs);
  if (!all || !runs) return report_no_memory(error);
  *made = (whole){.ends = INFINITY};
  for (size_t g = 0; g < games; g++) {
    if (isnan(s->low[g])) continue;
    sixer_err err = sample_course(r, at, agent, g, &all[g], error);
    if (err) return err;
    if (!all[g].runs) continue;
    runs[used++] = all[g].runs;
    total += all[g].runs;
    if (all[g].from > from) from = all[g].from;
    if (all[g].to < to) to = all[g].to;
    if (all[g].ends < made->ends) {
      made->ends = all[g].ends;
      made->limits = s->info.games[g];
    }
  }
  if (!total || to <= from) return SIXER_OK;
  size_t count = to - from, i = 0;
  double *scores = evaluation_allocate(s, total * count * sizeof *scores);
  if (!scores) return report_no_memory(error);
  for (size_t g = 0; g < games; g++) {
    for (size_t k = 0; k < all[g].runs; k++) {
      for (size_t p = from; p < to; p++, i++) {
        sixer_err err = sixer_scores_normalize(s->scale, &all[g].scores[k * at->count + p],
                                               &s->low[g], &s->high[g], 1, &scores[i], error);
        if (err) return err;
        if (isinf(scores[i])) scores[i] = s->settings.cap;
      }
    }
  }
  made->set = (sixer_curve_set){scores, runs, used, count};
  made->from = from;
  return SIXER_OK;
}

/* IQM over all games, its area, and the table of both. */
static sixer_err plot_all(report *r, report_part *part, const grid *at, sixer_error *error) {
  evaluation *s = r->s;
  lines *l = make_lines(r, 0);
  if (!l) return report_no_memory(error);
  sixer_bootstrap settings = band_settings(r);
  bool percent = strcmp(s->kind, "none") != 0;
  out_table(part->table, "areas",
            "area under the curve of each agent: the IQM over runs of the mean height, normalized",
            "agent|games|runs|frames|area|low|high");
  size_t agents = sixer_curves_agent_count(r->curves);
  sixer_interval(*bands)[POINTS_MAX + 2] = evaluation_allocate(s, (agents + 1) * sizeof *bands);
  whole *all = evaluation_allocate(s, (agents + 1) * sizeof *all);
  if (!bands || !all) return report_no_memory(error);
  for (size_t a = 0; a < agents; a++) {
    const char *agent = sixer_curves_agent(r->curves, a);
    sixer_err err = gather(r, at, a, &all[a], error);
    if (err) return err;
    const sixer_curve_set *set = &all[a].set;
    size_t total = 0;
    if (!set->points) continue;
    for (size_t g = 0; g < set->games; g++) total += set->runs[g];
    err = sixer_curves_aggregate(set, SIXER_AGGREGATE_IQM, &settings, bands[a], error);
    if (err) return err;
    bool several = total > set->games;
    for (size_t p = 0; !several && p < set->points; p++) bands[a][p].low = bands[a][p].high = NAN;
    err = add_line(r, l, at, all[a].from, set->points, color_of(r, agent), agent, bands[a], error);
    double *areas = evaluation_allocate(s, total * sizeof *areas);
    if (!err && !areas) return report_no_memory(error);
    for (size_t i = 0; !err && set->points > 1 && i < total; i++)
      err = sixer_curve_area(at->points + all[a].from, set->scores + i * set->points, set->points,
                             &areas[i], error);
    sixer_interval area[SIXER_AGGREGATE_COUNT];
    sixer_sample sample = {areas, set->runs, set->games};
    if (!err) err = sixer_bootstrap_aggregates(&sample, &s->settings, area, error);
    if (err) return err;
    if (set->points < 2) continue;
    sixer_interval v = area[SIXER_AGGREGATE_IQM];
    double unit = percent ? 100 : 1;
    out_text(part->table, agent);
    out_int(part->table, (long long)set->games);
    out_int(part->table, (long long)total);
    out_int(part->table, (long long)at->points[all[a].from + set->points - 1]);
    out_number(part->table, unit * v.value, 2);
    out_number(part->table, several ? unit * v.low : NAN, 2);
    out_number(part->table, several ? unit * v.high : NAN, 2);
  }
  out_table(part->table, "iqm_curve", "IQM over all games by frames of training, normalized",
            "agent|frames|iqm|low|high");
  for (size_t a = 0; a < agents; a++) {
    for (size_t p = 0; p < all[a].set.points; p++) {
      double unit = percent ? 100 : 1;
      out_text(part->table, sixer_curves_agent(r->curves, a));
      out_int(part->table, (long long)at->points[all[a].from + p]);
      out_number(part->table, unit * bands[a][p].value, 2);
      out_number(part->table, unit * bands[a][p].low, 2);
      out_number(part->table, unit * bands[a][p].high, 2);
    }
  }
  if (!l->count) return SIXER_OK;
  plot p = {.title = "IQM over all games and runs, by frames of training",
            .x = {.title = "frames of training", .low = 0, .high = NAN},
            .y = {.title = percent ? "IQM, normalized" : "IQM",
                  .percent = percent,
                  .low = NAN,
                  .high = NAN},
            .height = 280,
            .marks = l->marks,
            .mark_count = l->count,
            .legend = names(r),
            .legend_count = agents_with_curves(r),
            .reference = NAN};
  if (!p.legend) return report_no_memory(error);
  return report_plot_add(r, part, "curve-iqm", &p, error);
}

/* Every run: how long it is, and when it reaches shares of the normalization. */
static sixer_err list_runs(report *r, report_part *part, const grid *at, sixer_error *error) {
  static const double levels[] = {0.1, 0.5, 1};
  evaluation *s = r->s;
  out_table(
      part->table, "runs",
      "runs: episodes and frames of training, mean height of the curve (raw), and the frames "
      "at which the running mean reaches 10, 50 and 100 % of the normalization",
      "agent|game|run|points|frames|area|to 10 %=reach_10|to 50 %=reach_50|to 100 %=reach_100");
  for (size_t a = 0; a < sixer_curves_agent_count(r->curves); a++) {
    for (size_t g = 0; g < s->info.game_count; g++) {
      course c;
      sixer_err err = sample_course(r, at, a, g, &c, error);
      for (size_t k = 0; !err && k < c.runs; k++) {
        sixer_curve run = sixer_curves_run(r->curves, a, g, k);
        const double *row = c.scores + k * at->count;
        size_t from = 0, to = at->count;
        double area = NAN, reach[3] = {NAN, NAN, NAN};
        while (from < to && isnan(row[from])) from++;
        while (to > from && isnan(row[to - 1])) to--;
        if (to > from + 1)
          err = sixer_curve_area(at->points + from, row + from, to - from, &area, error);
        for (int i = 0; !err && to > from && !isnan(s->low[g]) && i < 3; i++) {
          /* a level is a share of the way from low to high, which leads downward in no game of the protocols */
          double level = s->low[g] + levels[i] * (s->high[g] - s->low[g]);
          if (s->scale == SIXER_SCALE_RANDOM) level = levels[i] * fabs(s->low[g]);
          if (s->scale == SIXER_SCALE_ABSOLUTE)
            level = s->low[g] + levels[i] * fabs(s->high[g] - s->low[g]);
          err =
              sixer_curve_reach(at->points + from, row + from, to - from, level, &reach[i], error);
        }
        if (err) return err;
        out_text(part->table, sixer_curves_agent(r->curves, a));
        out_text(part->table, s->info.games[g]);
        out_text(part->table, *run.run ? run_name(run.run) : NULL);
        out_int(part->table, (long long)run.count);
        out_int(part->table, (long long)run.frames[run.count - 1]);
        out_number(part->table, area, 2);
        for (int i = 0; i < 3; i++) {
          if (isinf(reach[i]))
            out_text(part->table, "not reached");
          else
            out_number(part->table, reach[i], 0);
        }
      }
      if (err) return err;
    }
  }
  return SIXER_OK;
}

/* Runs of different lengths: the curves end with the shortest. */
static sixer_err warn_of_lengths(report *r, const grid *at, sixer_error *error) {
  double step = at->count > 1 ? at->points[1] - at->points[0] : 0;
  for (size_t a = 0; a < sixer_curves_agent_count(r->curves); a++) {
    size_t uneven = 0;
    double ends = INFINITY, latest = 0;
    const char *example = NULL;
    for (size_t g = 0; g < r->s->info.game_count; g++) {
      course c;
      sixer_err err = sample_course(r, at, a, g, &c, error);
      if (err) return err;
      if (!c.runs) continue;
      uneven += c.latest - c.ends > step;
      if (c.ends < ends) {
        ends = c.ends;
        example = r->s->info.games[g];
      }
      latest = fmax(latest, c.latest);
    }
    if (!example || latest - ends <= step) continue;
    sixer_err err = evaluation_warn(
        r->s, error, "short-curves",
        "the runs of %s have different lengths: the shortest, on %s, has %.0f frames, the longest "
        "%.0f; the curve over all games ends with the shortest run, and so do those of %zu games",
        sixer_curves_agent(r->curves, a), example, ends, latest, uneven);
    if (err) return err;
  }
  return SIXER_OK;
}

sixer_err report_fill_curves(report *r, sixer_error *error) {
  evaluation *s = r->s;
  bool any = false;
  for (size_t a = 0; r->curves && a < sixer_curves_agent_count(r->curves); a++) {
    for (size_t g = 0; g < s->info.game_count; g++) {
      for (size_t k = 0; k < sixer_curves_run_count(r->curves, a, g); k++)
        any |= sixer_curves_run(r->curves, a, g, k).count > 1;
    }
  }
  if (!any) return SIXER_OK;
  grid at = {0};
  sixer_err err = make_grid(r, &at, error);
  if (err || !at.count) return err;
  report_part *part = report_add(
      r, "curves", "Learning curves",
      "The running mean of the last %d episodes by frames of training. The first plot is the IQM "
      "over all games and runs of an agent, normalized; then comes each game with raw scores: the "
      "mean over runs, and the runs as thin lines. Bands are point-wise %g %% bootstrap intervals. "
      "A curve begins and ends where every run that it is over has a value.",
      s->info.score_of == SIXER_SCORE_TRAINING ? s->info.episodes : 100,
      100 * s->settings.confidence);
  if (!part) return report_no_memory(error);
  part->closed = true;
  err = plot_all(r, part, &at, error);
  if (!err) err = list_runs(r, part, &at, error);
  if (!err)
    out_table(part->table, "game_curves", "mean over the runs of a game by frames of training",
              "agent|game|frames|runs|mean|low|high");
  size_t plots = 0;
  for (size_t g = 0; !err && g < s->info.game_count && plots < PLOTS_MAX; g++) {
    size_t before = part->plot_count;
    err = plot_game(r, part, &at, g, error);
    plots += part->plot_count > before;
  }
  return err ? err : warn_of_lengths(r, &at, error);
}
