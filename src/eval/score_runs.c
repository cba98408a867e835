/* From rows to agents: rows are sorted into agents, games and runs, the episodes of a run are averaged as the protocol
 * says, and each agent gets the scores of its runs. Duplicates are errors; games, episodes and runs that are missing
 * are warnings, or errors where a figure would have no meaning. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/score_rows.h"
#include "util/sort.h"

/* Runs that are numbers are sorted as numbers, others as text. */
static int compare_runs(const char *a, const char *b) {
  double x, y;
  if (a == b || !strcmp(a, b)) return 0; /* most of a file's rows */
  if (number_read(a, NUMBER_FINITE, &x) && number_read(b, NUMBER_FINITE, &y) && x != y)
    return x < y ? -1 : 1;
  return strcmp(a, b);
}

/* By agent, levels of training first, game, run, level, episode, line. */
static int compare_rows(const void *a, const void *b) {
  const score_row *x = a, *y = b;
  int order = x->agent == y->agent ? 0 : strcmp(x->agent, y->agent);
  if (!order) order = y->training - x->training;
  if (!order) order = (x->game > y->game) - (x->game < y->game);
  if (!order) order = compare_runs(x->run, y->run);
  if (!order) order = x->level - y->level;
  if (!order) order = (x->episode > y->episode) - (x->episode < y->episode);
  if (!order) order = (x->file > y->file) - (x->file < y->file);
  return order ? order : x->line - y->line;
}

bool score_row_same_run(const score_row *x, const score_row *y) {
  return !strcmp(x->agent, y->agent) && x->training == y->training && x->game == y->game &&
         !strcmp(x->run, y->run);
}

/* Whether an episode can follow another one of its run. */
sixer_err score_row_check_order(const sixer_scores *s, const score_row *last, const score_row *next,
                                sixer_error *error) {
  const char *game = s->info.games[next->game];
  if (last->unit != next->unit)
    return sixer_fail(
        error, SIXER_ERR_FILE,
        "%s: the score of %s, run %.30s, is given twice (also in %.150s); give the files "
        "other seeds, or name their folder if they are parts of one run",
        next->origin, game, next->run, last->origin);
  if (next->cumulative && last->file == next->file && next->line < last->line)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s:%d: the steps of %s fall in the lines after this one; if there are "
                      "several runs or agents, give them a column 'seed' or 'agent'",
                      next->origin, next->line, game);
  if (last->episode == next->episode && !next->cumulative && !next->timed)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s:%d: episode %g of %s is given twice (also in line %d)", next->origin,
                      next->line, next->episode, game, last->line);
  return SIXER_OK;
}

/* Reduce the episodes of every run to its score. */
static sixer_err average_episodes(sixer_scores *s, const char *origin, score_row *rows,
                                  size_t *count, sixer_error *error) {
  size_t out = 0, short_runs = 0, least = SIZE_MAX;
  int64_t *frames = arena_alloc(&s->arena, (*count + 1) * sizeof *frames);
  double *scores = arena_alloc(&s->arena, (*count + 1) * sizeof *scores);
  if (!frames || !scores) return arena_no_memory(error);
  for (size_t i = 0, end; i < *count; i = end) {
    for (end = i; end < *count && score_row_same_run(&rows[i], &rows[end]); end++) {
      sixer_err err =
          end > i ? score_row_check_order(s, &rows[end - 1], &rows[end], error) : SIXER_OK;
      if (err) return err;
      frames[end - i] = rows[end].frames;
      if (rows[end].cumulative && end > i) frames[end - i] -= rows[end - 1].frames;
      scores[end - i] = rows[end].score;
    }
    size_t averaged = end - i, wanted = (size_t)s->info.episodes;
    score_row reduced = rows[i];
    if (s->info.score_of == SIXER_SCORE_TRAINING) {
      sixer_error inner;
      sixer_err err = sixer_checkpoint_mean(frames, scores, end - i, s->checkpoint,
                                            s->info.length_in_episodes, s->info.include_crossing,
                                            wanted, &reduced.score, &averaged, &inner);
      if (err)
        return sixer_fail(error, SIXER_ERR_FILE, "%s: %s, run '%.30s' of %.60s: %.300s",
                          rows[i].origin, s->info.games[rows[i].game], rows[i].run, rows[i].agent,
                          inner.message);
    } else {
      double sum = 0;
      for (size_t k = 0; k < averaged; k++) sum += scores[k];
      reduced.score = sum / (double)averaged;
      if (averaged > wanted)
        return sixer_fail(
            error, SIXER_ERR_FILE,
            "%s: %s, run '%.30s' of %.60s has %zu evaluation episodes; %s averages %zu",
            rows[i].origin, s->info.games[rows[i].game], rows[i].run, rows[i].agent, averaged,
            s->info.name, wanted);
    }
    if (averaged < wanted) {
      short_runs++;
      if (averaged < least) least = averaged;
    }
    reduced.frames = -1;
    rows[out++] = reduced;
  }
  *count = out;
  if (short_runs)
    return scores_warn(s, error, "few-episodes",
                       "%zu runs of %s have fewer episodes than the %d that %s averages (the "
                       "shortest %zu): all they "
                       "have was averaged, with more noise than the protocol allows",
                       short_runs, origin, s->info.episodes, s->info.name, least);
  return SIXER_OK;
}

/* Reduce the episodes of every run to its mean on levels of the test, each played equally often, and to its mean on
 * levels of training. */
static sixer_err average_levels(sixer_scores *s, const char *origin, score_row *rows, size_t *count,
                                sixer_error *error) {
  size_t out = 0, short_runs = 0, least = SIZE_MAX;
  size_t wanted = (size_t)(s->info.test_levels[1] - s->info.test_levels[0] + 1);
  size_t of_each = (size_t)s->info.episodes / wanted;
  for (size_t i = 0, end; i < *count; i = end) {
    size_t levels = 0, plays = 0, fewest = SIZE_MAX;
    double sum = 0;
    for (end = i; end < *count && score_row_same_run(&rows[i], &rows[end]); end++) {
      bool same_level = end > i && rows[end].level == rows[end - 1].level;
      if (same_level && rows[end].episode == rows[end - 1].episode)
        return sixer_fail(error, SIXER_ERR_FILE,
                          "%s:%d: level %d of %s is given twice (also in line %d); number several "
                          "episodes on a level in a column 'episode'",
                          rows[end].origin, rows[end].line, rows[end].level,
                          s->info.games[rows[i].game], rows[end - 1].line);
      if (!same_level && levels && plays < fewest) fewest = plays;
      levels += !same_level;
      plays = same_level ? plays + 1 : 1;
      if (!rows[i].training && plays > of_each)
        return sixer_fail(
            error, SIXER_ERR_FILE,
            "%s:%d: level %d of %s is played more than %zu times; %s tests every level "
            "equally often",
            rows[end].origin, rows[end].line, rows[end].level, s->info.games[rows[i].game], of_each,
            s->info.name);
      sum += rows[end].score;
    }
    if (plays < fewest) fewest = plays;
    if (!rows[i].training && (levels < wanted || fewest < of_each)) {
      short_runs++;
      if (levels < least) least = levels;
    }
    score_row reduced = rows[i];
    reduced.score = sum / (double)(end - i);
    reduced.frames = -1;
    rows[out++] = reduced;
  }
  *count = out;
  if (short_runs)
    return scores_warn(s, error, "missing-levels",
                       "%zu runs of %s were not tested %zu times on every one of the %zu "
                       "levels of %s (the least on %zu): all they have was averaged, and some "
                       "levels are harder than others",
                       short_runs, origin, of_each, wanted, s->info.name, least);
  return SIXER_OK;
}

/* Put sorted rows, all of one agent, into it. */
static sixer_err fill_agent(sixer_scores *s, const char *origin, const score_row *rows,
                            size_t count, sixer_error *error) {
  for (size_t i = 0; i < s->agent_count; i++) {
    if (!strcmp(s->agents[i].name, rows[0].agent))
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%s: the agent '%.60s' was already read; use other names, or NAME=FILE for "
                        "files that are runs of one agent",
                        origin, rows[0].agent);
  }
  eval_agent *agent = scores_add_agent(s, rows[0].agent);
  if (!agent) return arena_no_memory(error);
  size_t fewest = SIZE_MAX, most = 0, missing = 0, first = 0;
  char lacking[200] = ""; /* a message has 500 bytes */
  for (size_t end; first < count && rows[first].training; first = end) {
    double sum = 0;
    for (end = first; end < count && rows[end].training && rows[end].game == rows[first].game;
         end++)
      sum += rows[end].score;
    agent->trained[rows[first].game] = sum / (double)(end - first);
  }
  for (size_t i = first, end; i < count; i = end) {
    size_t g = rows[i].game, runs;
    for (end = i; end < count && rows[end].game == g; end++) {
      if (end > i && !strcmp(rows[end].run, rows[end - 1].run))
        return sixer_fail(error, SIXER_ERR_FILE,
                          "%s:%d: the score of %s%s%.30s is given twice (also in %.100s%s%d)%s",
                          rows[end].origin, rows[end].line, s->info.games[g],
                          *rows[end].run ? ", run " : "", rows[end].run,
                          rows[end].file == rows[end - 1].file ? "line " : rows[end - 1].origin,
                          rows[end].file == rows[end - 1].file ? "" : ":", rows[end - 1].line,
                          *rows[end].run ? "" : "; give several runs a column 'run'");
    }
    runs = end - i;
    double *scores = arena_alloc(&s->arena, runs * sizeof *scores), sum = 0, squares = 0;
    if (!scores) return arena_no_memory(error);
    for (size_t k = 0; k < runs; k++) sum += scores[k] = rows[i + k].score;
    agent->runs[g] = runs;
    agent->scores[g] = scores;
    agent->means[g] = sum / (double)runs;
    for (size_t k = 0; k < runs; k++)
      squares += (scores[k] - agent->means[g]) * (scores[k] - agent->means[g]);
    if (runs > 1 && isfinite(agent->means[g])) {
      agent->sds[g] = sqrt(squares / (double)(runs - 1));
      agent->sizes[g] = (double)runs;
    }
    if (runs < fewest) fewest = runs;
    if (runs > most) most = runs;
  }
  for (size_t g = 0; g < s->info.game_count; g++) {
    if (agent->runs[g]) continue;
    scores_append_name(lacking, sizeof lacking, s->info.games[g]);
    missing++;
  }
  if (missing && !s->partial)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s: %.60s lacks %zu of the %zu games of %s: %s (--partial goes on with "
                      "the games there are)",
                      origin, agent->name, missing, s->info.game_count, s->info.name, lacking);
  sixer_err err = SIXER_OK;
  if (missing)
    err = scores_warn(
        s, error, "missing-games",
        "%s has %zu of the %zu games of %s; its figures are over those and cannot be compared with "
        "published ones over all. Missing: %s",
        agent->name, s->info.game_count - missing, s->info.game_count, s->info.name, lacking);
  if (!err && most == 1)
    err = scores_warn(s, error, "one-run",
                      "%s has one run per game: no intervals and no tests are possible, and "
                      "luck cannot be told from "
                      "skill (%s asks for %d)",
                      agent->name, s->info.name, s->info.trials);
  if (!err && fewest != most)
    err = scores_warn(
        s, error, "unequal-runs",
        "%s has from %zu to %zu runs per game: games with more runs weigh more in the IQM, the "
        "optimality gap and profiles of runs",
        agent->name, fewest, most);
  if (!err && most > 1 && fewest < (size_t)s->info.trials && fewest == most)
    err = scores_warn(s, error, "fewer-trials", "%s has %zu runs per game; %s asks for %d",
                      agent->name, most, s->info.name, s->info.trials);
  return err;
}

sixer_err score_batch_finish(sixer_scores *s, score_batch *b, const char *origin,
                             sixer_error *error) {
  sixer_err err = SIXER_OK;
  sort_stable(b->rows, b->count, sizeof *b->rows, compare_rows);
  if (s->keeps_courses) return score_courses_keep(s, origin, b->rows, b->count, b->kind, error);
  if (b->kind == ROWS_LEVELS)
    err = average_levels(s, origin, b->rows, &b->count, error);
  else if (b->kind == ROWS_EPISODES)
    err = average_episodes(s, origin, b->rows, &b->count, error);
  for (size_t i = 0, end; !err && i < b->count; i = end) {
    for (end = i; end < b->count && !strcmp(b->rows[end].agent, b->rows[i].agent); end++) {}
    err = fill_agent(s, origin, b->rows + i, end - i, error);
  }
  return err;
}
