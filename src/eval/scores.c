/* Reading result files. Rows are sorted into agents, games and runs. Duplicates, NaN, unknown games, other protocols
 * and incomplete sets are either errors that name the line, or warnings that say what was left out and what that
 * means. */
#include "eval/scores.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
  const char *agent, *run;
  size_t game;
  double score;
  double episode;
  int64_t frames; /* of training, or of the episode */
  int level;      /* -1: none is given */
  bool training;  /* the level is one of training */
  int line;
} row;

void eval_scores_begin(eval_scores *scores, const sixer_protocol *protocol,
                       const sixer_published *published) {
  *scores = (eval_scores){
      .protocol = protocol, .published = published, .info = sixer_protocol_describe(protocol)};
  scores->checkpoint = scores->info.checkpoints[scores->info.checkpoint_count - 1];
  scores->limit = scores->info.limits[scores->info.limit_count - 1];
}

void eval_scores_end(eval_scores *scores) { eval_free(&scores->arena); }

sixer_err eval_scores_warn(eval_scores *scores, sixer_error *error, const char *name,
                           const char *format, ...) {
  char text[1000];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (scores->warning_count == scores->warning_room) {
    size_t room = scores->warning_room ? 2 * scores->warning_room : 16;
    sixer_warning *more = eval_alloc(&scores->arena, room * sizeof *more);
    if (!more) return eval_no_memory(error);
    if (scores->warning_count) memcpy(more, scores->warnings, scores->warning_count * sizeof *more);
    scores->warnings = more;
    scores->warning_room = room;
  }
  const char *copy = eval_copy(&scores->arena, text, strlen(text));
  if (!copy) return eval_no_memory(error);
  scores->warnings[scores->warning_count++] = (sixer_warning){name, copy};
  return SIXER_OK;
}

static int game_index(const eval_scores *s, const char *game) {
  for (size_t g = 0; g < s->info.game_count; g++) {
    if (!strcmp(s->info.games[g], game)) return (int)g;
  }
  return -1;
}

static eval_agent *add_agent(eval_scores *s, const char *name) {
  if (s->agent_count == s->agent_room) {
    size_t room = s->agent_room ? 2 * s->agent_room : 8;
    eval_agent *more = eval_alloc(&s->arena, room * sizeof *more);
    if (!more) return NULL;
    if (s->agent_count) memcpy(more, s->agents, s->agent_count * sizeof *more);
    s->agents = more;
    s->agent_room = room;
  }
  size_t games = s->info.game_count;
  eval_agent *agent = &s->agents[s->agent_count];
  *agent = (eval_agent){.name = eval_copy(&s->arena, name, strlen(name)),
                        .runs = eval_alloc(&s->arena, games * sizeof *agent->runs),
                        .scores = eval_alloc(&s->arena, games * sizeof *agent->scores),
                        .means = eval_alloc(&s->arena, games * sizeof *agent->means),
                        .sds = eval_alloc(&s->arena, games * sizeof *agent->sds),
                        .sizes = eval_alloc(&s->arena, games * sizeof *agent->sizes),
                        .trained = eval_alloc(&s->arena, games * sizeof *agent->trained)};
  if (!agent->name || !agent->runs || !agent->scores || !agent->means || !agent->sds ||
      !agent->sizes || !agent->trained)
    return NULL;
  for (size_t g = 0; g < games; g++) agent->means[g] = agent->sds[g] = agent->trained[g] = NAN;
  s->agent_count++;
  return agent;
}

/* Append to a list of names in a message, with an ellipsis when there is no more room. */
static void append_name(char *list, size_t size, const char *name) {
  size_t used = strlen(list);
  if (used + strlen(name) + 8 < size) {
    snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
  } else if (used + 6 < size && (used < 3 || strcmp(list + used - 3, "..."))) {
    strcat(list, ", ...");
  }
}

/* ---- columns ---- */

typedef struct columns {
  int game, score, agent, run, frames, millions, limit, protocol, episode, level;
} columns;

static int find_column(const eval_table *t, const char *const *names) {
  for (; *names; names++) {
    int c = eval_table_column(t, *names);
    if (c >= 0) return c;
  }
  return -1;
}

static sixer_err find_columns(const eval_scores *s, const eval_table *t, columns *c,
                              sixer_error *error) {
  c->game = find_column(t, (const char *const[]){"game", "env", "env_id", "task", NULL});
  c->agent = find_column(t, (const char *const[]){"agent", "algorithm", "algo", NULL});
  c->run = find_column(t, (const char *const[]){"run", "seed", "trial", NULL});
  c->frames = eval_table_column(t, "frames");
  c->millions = eval_table_column(t, "frames_millions");
  c->limit = find_column(t, (const char *const[]){"limit", "eval_time", NULL});
  c->protocol = eval_table_column(t, "protocol");
  c->episode = eval_table_column(t, "episode");
  c->level = s->info.test_levels[0] >= 0 ? eval_table_column(t, "level") : -1;
  c->score = find_column(t, (const char *const[]){"score", "mean", "return", NULL});
  bool limits = false;
  char name[32];
  for (size_t i = 0; i < t->columns; i++) limits |= !strncmp(t->names[i], "score_", 6);
  if (limits && s->limit) {
    snprintf(name, sizeof name, "score_%d", s->limit);
    c->score = eval_table_column(t, name);
    if (c->score < 0)
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%s: there is no column %s for scores after %d frames of play", t->origin,
                        name, s->limit);
  }
  if (c->game < 0 || c->score < 0) {
    char list[200] = "";
    for (size_t i = 0; i < t->columns; i++) append_name(list, sizeof list, t->names[i]);
    return sixer_fail(error, SIXER_ERR_FILE, "%s: there is no column '%s'; found are: %s",
                      t->origin, c->game < 0 ? "game" : "score", list);
  }
  if (c->frames >= 0 && c->millions >= 0)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s: 'frames' and 'frames_millions' cannot both be given", t->origin);
  if (c->episode >= 0 && c->frames < 0 && c->level < 0 && !s->info.length_in_episodes)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s: a file of episodes needs a column 'frames', the length of each episode",
                      t->origin);
  return SIXER_OK;
}

/* A time limit as text: "5min", "30min", frames, or "none", "full", "saber" for no limit. -1 if it
 * is none of these. */
static int parse_limit(const char *text) {
  double value;
  size_t length = strlen(text);
  if (!strcmp(text, "none") || !strcmp(text, "full") || !strcmp(text, "saber")) return 0;
  if (length > 3 && !strcmp(text + length - 3, "min") && length < 20) {
    char minutes[20];
    memcpy(minutes, text, length - 3);
    minutes[length - 3] = 0;
    if (eval_number(minutes, EVAL_FINITE, &value) && value > 0 && value < 1e5 &&
        value * 3600 == floor(value * 3600))
      return (int)(value * 3600);
    return -1;
  }
  return eval_number(text, EVAL_FINITE, &value) && value >= 0 && value < 2e9 &&
                 value == floor(value)
             ? (int)value
             : -1;
}

/* Whether a row's protocol is the one in use: "saber", "saber@1", "saber@1#hash" or "saber#hash";
 * hashes may be cut. */
static bool same_protocol(const eval_scores *s, const char *text) {
  char name[100];
  const char *hash = strchr(text, '#');
  size_t length = hash ? (size_t)(hash - text) : strlen(text);
  if (length >= sizeof name) return false;
  memcpy(name, text, length);
  name[length] = 0;
  if (hash && (strlen(hash + 1) < 8 || strncmp(hash + 1, s->info.hash, strlen(hash + 1))))
    return false;
  char *version = strchr(name, '@');
  if (version) {
    char wanted[16];
    snprintf(wanted, sizeof wanted, "%d", s->info.version);
    if (strcmp(version + 1, wanted)) return false;
    *version = 0;
  }
  return !strcmp(name, s->info.name);
}

/* ---- rows ---- */

/* The level of a row: whose episode it is, or an error. */
static sixer_err read_level(const eval_scores *s, const eval_table *t, int column, size_t r,
                            row *out, sixer_error *error) {
  const int *train = s->info.train_levels, *test = s->info.test_levels;
  const char *text = eval_table_field(t, r, column);
  double level;
  if (!eval_number(text, EVAL_FINITE, &level) || level != floor(level) || fabs(level) > 1e6)
    return sixer_fail(error, SIXER_ERR_FILE, "%s:%d: the level '%.30s' is not a whole number",
                      t->origin, out->line, text);
  out->level = (int)level;
  out->training = out->level >= train[0] && out->level <= train[1];
  if (!out->training && (out->level < test[0] || out->level > test[1]))
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s:%d: level %d is not one of %s, which trains on %d to %d and tests on %d "
                      "to %d",
                      t->origin, out->line, out->level, s->info.name, train[0], train[1], test[0],
                      test[1]);
  return SIXER_OK;
}

/* Our own games as Gymnasium spells them, such as sixer/Duskrain-v0: their number, or -1. */
static int own_game_index(const eval_scores *s, const char *name) {
  char id[40];
  size_t n = 0;
  if (strncmp(name, "sixer/", 6)) return -1;
  for (name += 6; *name && *name != '-' && n + 1 < sizeof id; name++)
    id[n++] = (char)(*name >= 'A' && *name <= 'Z' ? *name + ('a' - 'A') : *name);
  id[n] = 0;
  return !*name || !strcmp(name, "-v0") ? game_index(s, id) : -1;
}

/* Read one row; *use tells whether it counts. */
static sixer_err read_row(eval_scores *s, const eval_table *t, const columns *c, size_t r,
                          const char *default_agent, row *out, bool *use, char *foreign,
                          size_t foreign_size, sixer_error *error) {
  const char *name = eval_table_field(t, r, c->game), *text = eval_table_field(t, r, c->score);
  int line = t->lines[r], game = game_index(s, name);
  *use = false;
  if (game < 0) game = own_game_index(s, name);
  if (game < 0) {
    const char *id = sixer_published_game(s->published, name);
    if (!id)
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%s:%d: there is no game '%.60s'; ids are written as in %s", t->origin,
                        line, name, s->info.games[0]);
    if ((game = game_index(s, id)) < 0) {
      if (!strstr(foreign, id)) append_name(foreign, foreign_size, id);
      return SIXER_OK;
    }
  }
  if (c->protocol >= 0 && !same_protocol(s, eval_table_field(t, r, c->protocol)))
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s:%d: mixed protocols: the score was made under '%.80s', not under "
                      "%s@%d#%.16s; scores of "
                      "different protocols cannot be compared",
                      t->origin, line, eval_table_field(t, r, c->protocol), s->info.name,
                      s->info.version, s->info.hash);
  if (c->limit >= 0) {
    int limit = parse_limit(eval_table_field(t, r, c->limit));
    if (limit < 0)
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%s:%d: the limit '%.30s' is not a time such as 5min, 30min, none or 18000",
                        t->origin, line, eval_table_field(t, r, c->limit));
    if (limit != s->limit) return SIXER_OK;
  }
  row made = {.game = (size_t)game, .line = line, .frames = -1, .level = -1};
  made.agent = c->agent >= 0 ? eval_table_field(t, r, c->agent) : default_agent;
  made.run = c->run >= 0 ? eval_table_field(t, r, c->run) : "";
  if (!*made.agent)
    return sixer_fail(error, SIXER_ERR_FILE, "%s:%d: the agent has no name", t->origin, line);
  if (!strcmp(text, "infinite")) text = "inf";
  if (!eval_number(text, EVAL_INF, &made.score) || made.score == -INFINITY) {
    double nan;
    bool is_nan = eval_number(text, EVAL_NAN | EVAL_INF, &nan) && isnan(nan);
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s:%d: the score of %s is %s; leave the row out if there is none", t->origin,
                      line, s->info.games[game],
                      is_nan  ? "NaN"
                      : *text ? "not a number"
                              : "empty");
  }
  if (isinf(made.score) && isnan(s->info.endless))
    return sixer_fail(
        error, SIXER_ERR_FILE,
        "%s:%d: the score of %s is infinite, but every episode ends under %s (max_frames %d)",
        t->origin, line, s->info.games[game], s->info.name, s->info.max_frames);
  if (c->frames >= 0 || c->millions >= 0) {
    double frames;
    if (!eval_number(eval_table_field(t, r, c->frames >= 0 ? c->frames : c->millions), EVAL_FINITE,
                     &frames) ||
        frames < 0)
      return sixer_fail(error, SIXER_ERR_FILE, "%s:%d: the number of frames is not a number",
                        t->origin, line);
    made.frames = (int64_t)llround(c->millions >= 0 ? frames * 1e6 : frames);
  }
  if (c->episode >= 0 &&
      !eval_number(eval_table_field(t, r, c->episode), EVAL_FINITE, &made.episode))
    return sixer_fail(error, SIXER_ERR_FILE, "%s:%d: the number of the episode is not a number",
                      t->origin, line);
  if (c->level >= 0) {
    sixer_err err = read_level(s, t, c->level, r, &made, error);
    if (err) return err;
  }
  *out = made;
  *use = true;
  return SIXER_OK;
}

/* Runs that are numbers are sorted as numbers, others as text. */
static int compare_runs(const char *a, const char *b) {
  double x, y;
  if (eval_number(a, EVAL_FINITE, &x) && eval_number(b, EVAL_FINITE, &y) && x != y)
    return x < y ? -1 : 1;
  return strcmp(a, b);
}

/* By agent, levels of training first, game, run, level, episode, line. */
static int compare_rows(const void *a, const void *b) {
  const row *x = a, *y = b;
  int order = strcmp(x->agent, y->agent);
  if (!order) order = y->training - x->training;
  if (!order) order = (x->game > y->game) - (x->game < y->game);
  if (!order) order = compare_runs(x->run, y->run);
  if (!order) order = x->level - y->level;
  if (!order) order = (x->episode > y->episode) - (x->episode < y->episode);
  return order ? order : x->line - y->line;
}

static bool same_run(const row *x, const row *y) {
  return !strcmp(x->agent, y->agent) && x->training == y->training && x->game == y->game &&
         !strcmp(x->run, y->run);
}

/* Reduce the episodes of every run to its score. */
static sixer_err average_episodes(eval_scores *s, const eval_table *t, row *rows, size_t *count,
                                  sixer_error *error) {
  size_t out = 0, short_runs = 0, least = SIZE_MAX;
  int64_t *frames = eval_alloc(&s->arena, (*count + 1) * sizeof *frames);
  double *scores = eval_alloc(&s->arena, (*count + 1) * sizeof *scores);
  if (!frames || !scores) return eval_no_memory(error);
  for (size_t i = 0, end; i < *count; i = end) {
    for (end = i; end < *count && same_run(&rows[i], &rows[end]); end++) {
      if (end > i && rows[end].episode == rows[end - 1].episode)
        return sixer_fail(error, SIXER_ERR_FILE,
                          "%s:%d: episode %g of %s is given twice (also in line %d)", t->origin,
                          rows[end].line, rows[end].episode, s->info.games[rows[i].game],
                          rows[end - 1].line);
      frames[end - i] = rows[end].frames;
      scores[end - i] = rows[end].score;
    }
    size_t averaged = end - i, wanted = (size_t)s->info.episodes;
    row reduced = rows[i];
    if (s->info.score_of == SIXER_SCORE_TRAINING) {
      sixer_error inner;
      sixer_err err = sixer_checkpoint_mean(frames, scores, end - i, s->checkpoint,
                                            s->info.length_in_episodes, s->info.include_crossing,
                                            wanted, &reduced.score, &averaged, &inner);
      if (err)
        return sixer_fail(error, SIXER_ERR_FILE, "%s: %s, run '%.30s' of %.60s: %.300s", t->origin,
                          s->info.games[rows[i].game], rows[i].run, rows[i].agent, inner.message);
    } else {
      double sum = 0;
      for (size_t k = 0; k < averaged; k++) sum += scores[k];
      reduced.score = sum / (double)averaged;
      if (averaged > wanted)
        return sixer_fail(
            error, SIXER_ERR_FILE,
            "%s: %s, run '%.30s' of %.60s has %zu evaluation episodes; %s averages %zu", t->origin,
            s->info.games[rows[i].game], rows[i].run, rows[i].agent, averaged, s->info.name,
            wanted);
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
    return eval_scores_warn(s, error, "few-episodes",
                            "%zu runs of %s have fewer episodes than the %d that %s averages (the "
                            "shortest %zu): all they "
                            "have was averaged, with more noise than the protocol allows",
                            short_runs, t->origin, s->info.episodes, s->info.name, least);
  return SIXER_OK;
}

/* Reduce the episodes of every run to its mean on levels of the test, each played equally often, and to its mean on
 * levels of training. */
static sixer_err average_levels(eval_scores *s, const eval_table *t, row *rows, size_t *count,
                                sixer_error *error) {
  size_t out = 0, short_runs = 0, least = SIZE_MAX;
  size_t wanted = (size_t)(s->info.test_levels[1] - s->info.test_levels[0] + 1);
  size_t of_each = (size_t)s->info.episodes / wanted;
  for (size_t i = 0, end; i < *count; i = end) {
    size_t levels = 0, plays = 0, fewest = SIZE_MAX;
    double sum = 0;
    for (end = i; end < *count && same_run(&rows[i], &rows[end]); end++) {
      bool same_level = end > i && rows[end].level == rows[end - 1].level;
      if (same_level && rows[end].episode == rows[end - 1].episode)
        return sixer_fail(error, SIXER_ERR_FILE,
                          "%s:%d: level %d of %s is given twice (also in line %d); number several "
                          "episodes on a level in a column 'episode'",
                          t->origin, rows[end].line, rows[end].level, s->info.games[rows[i].game],
                          rows[end - 1].line);
      if (!same_level && levels && plays < fewest) fewest = plays;
      levels += !same_level;
      plays = same_level ? plays + 1 : 1;
      if (!rows[i].training && plays > of_each)
        return sixer_fail(
            error, SIXER_ERR_FILE,
            "%s:%d: level %d of %s is played more than %zu times; %s tests every level "
            "equally often",
            t->origin, rows[end].line, rows[end].level, s->info.games[rows[i].game], of_each,
            s->info.name);
      sum += rows[end].score;
    }
    if (plays < fewest) fewest = plays;
    if (!rows[i].training && (levels < wanted || fewest < of_each)) {
      short_runs++;
      if (levels < least) least = levels;
    }
    row reduced = rows[i];
    reduced.score = sum / (double)(end - i);
    reduced.frames = -1;
    rows[out++] = reduced;
  }
  *count = out;
  if (short_runs)
    return eval_scores_warn(s, error, "missing-levels",
                            "%zu runs of %s were not tested %zu times on every one of the %zu "
                            "levels of %s (the least on %zu): all they have was averaged, and some "
                            "levels are harder than others",
                            short_runs, t->origin, of_each, wanted, s->info.name, least);
  return SIXER_OK;
}

/* Put sorted rows, all of one agent, into it. */
static sixer_err fill_agent(eval_scores *s, const eval_table *t, const row *rows, size_t count,
                            sixer_error *error) {
  for (size_t i = 0; i < s->agent_count; i++) {
    if (!strcmp(s->agents[i].name, rows[0].agent))
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%s: the agent '%.60s' was already read; use other names", t->origin,
                        rows[0].agent);
  }
  eval_agent *agent = add_agent(s, rows[0].agent);
  if (!agent) return eval_no_memory(error);
  size_t fewest = SIZE_MAX, most = 0, missing = 0, first = 0;
  char lacking[600] = "";
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
                          "%s:%d: the score of %s%s%.30s is given twice (also in line %d)%s",
                          t->origin, rows[end].line, s->info.games[g],
                          *rows[end].run ? ", run " : "", rows[end].run, rows[end - 1].line,
                          *rows[end].run ? "" : "; give several runs a column 'run'");
    }
    runs = end - i;
    double *scores = eval_alloc(&s->arena, runs * sizeof *scores), sum = 0, squares = 0;
    if (!scores) return eval_no_memory(error);
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
    append_name(lacking, sizeof lacking, s->info.games[g]);
    missing++;
  }
  if (missing && !s->partial)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s: %.60s lacks %zu of the %zu games of %s: %.300s (--partial goes on with "
                      "the games there are)",
                      t->origin, agent->name, missing, s->info.game_count, s->info.name, lacking);
  sixer_err err = SIXER_OK;
  if (missing)
    err = eval_scores_warn(
        s, error, "missing-games",
        "%s has %zu of the %zu games of %s; its figures are over those and cannot be compared with "
        "published ones over all. Missing: %s",
        agent->name, s->info.game_count - missing, s->info.game_count, s->info.name, lacking);
  if (!err && most == 1)
    err = eval_scores_warn(s, error, "one-run",
                           "%s has one run per game: no intervals and no tests are possible, and "
                           "luck cannot be told from "
                           "skill (%s asks for %d)",
                           agent->name, s->info.name, s->info.trials);
  if (!err && fewest != most)
    err = eval_scores_warn(
        s, error, "unequal-runs",
        "%s has from %zu to %zu runs per game: games with more runs weigh more in the IQM, the "
        "optimality gap and profiles of runs",
        agent->name, fewest, most);
  if (!err && most > 1 && fewest < (size_t)s->info.trials && fewest == most)
    err = eval_scores_warn(s, error, "fewer-trials", "%s has %zu runs per game; %s asks for %d",
                           agent->name, most, s->info.name, s->info.trials);
  return err;
}

/* Keep the rows of the checkpoint that is asked for. */
static sixer_err choose_checkpoint(const eval_scores *s, const eval_table *t, row *rows,
                                   size_t *count, sixer_error *error) {
  size_t kept = 0;
  char found[200] = "";
  for (size_t i = 0; i < *count; i++) {
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)rows[i].frames);
    if (rows[i].frames == s->checkpoint) {
      rows[kept++] = rows[i];
    } else if (!strstr(found, text)) {
      append_name(found, sizeof found, text);
    }
  }
  if (!kept && *count)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s: no scores at %lld frames; there are some at %s (--checkpoint chooses)",
                      t->origin, (long long)s->checkpoint, found);
  *count = kept;
  return SIXER_OK;
}

sixer_err eval_scores_parse(eval_scores *s, const char *text, size_t size, const char *origin,
                            const char *default_agent, sixer_error *error) {
  eval_table t;
  columns c = {0};
  sixer_err err = eval_table_parse(&s->arena, text, size, origin, &t, error);
  if (!err) err = find_columns(s, &t, &c, error);
  row *rows = err ? NULL : eval_alloc(&s->arena, (t.rows + 1) * sizeof *rows);
  if (!err && !rows) err = eval_no_memory(error);
  if (err) return err;
  size_t count = 0;
  char foreign[600] = "";
  for (size_t r = 0; r < t.rows; r++) {
    bool use;
    err = read_row(s, &t, &c, r, default_agent, &rows[count], &use, foreign, sizeof foreign, error);
    if (err) return err;
    count += use;
  }
  /* where training is counted in episodes, frames say nothing about checkpoints */
  if (c.episode < 0 && c.level < 0 && (c.frames >= 0 || c.millions >= 0) &&
      !s->info.length_in_episodes)
    err = choose_checkpoint(s, &t, rows, &count, error);
  if (err) return err;
  if (!count)
    return sixer_fail(error, SIXER_ERR_FILE, "%s: no score of a game of %s%s", origin, s->info.name,
                      c.limit >= 0 ? " with the limit asked for (--limit)" : "");
  if (*foreign &&
      (err = eval_scores_warn(s, error, "other-games", "left out because they are not in %s: %s",
                              s->info.name, foreign)))
    return err;
  qsort(rows, count, sizeof *rows, compare_rows);
  if (c.level >= 0)
    err = average_levels(s, &t, rows, &count, error);
  else if (c.episode >= 0)
    err = average_episodes(s, &t, rows, &count, error);
  for (size_t i = 0, end; !err && i < count; i = end) {
    for (end = i; end < count && !strcmp(rows[end].agent, rows[i].agent); end++) {}
    err = fill_agent(s, &t, rows + i, end - i, error);
  }
  return err;
}

sixer_err eval_scores_read(eval_scores *scores, const char *path, const char *default_agent,
                           sixer_error *error) {
  char *text;
  size_t size;
  sixer_err err = eval_read_file(&scores->arena, path, &text, &size, error);
  return err ? err : eval_scores_parse(scores, text, size, path, default_agent, error);
}

/* ---- published results ---- */

sixer_err eval_scores_add_published(eval_scores *s, const char *name, sixer_error *error) {
  const sixer_result_set *set;
  sixer_err err = sixer_published_find(s->published, name, s->info.name, &set, error);
  if (err) return err;
  for (size_t i = 0; i < s->agent_count; i++) {
    if (!strcmp(s->agents[i].name, set->id))
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "'%s' is given twice", set->id);
  }
  eval_agent *agent = add_agent(s, set->id);
  if (!agent) return eval_no_memory(error);
  agent->published = set;
  size_t have = 0;
  char lacking[400] = "";
  for (size_t i = 0; i < set->count; i++) {
    int g = game_index(s, set->games[i]);
    if (g < 0 || (isinf(set->means[i]) && isnan(s->info.endless))) continue;
    double *score = eval_alloc(&s->arena, sizeof *score);
    if (!score) return eval_no_memory(error);
    *score = set->means[i];
    agent->runs[g] = 1;
    agent->scores[g] = score;
    agent->means[g] = set->means[i];
    if (!isnan(set->sds[i]) && set->trials > 1) {
      agent->sds[g] = set->sds[i];
      agent->sizes[g] = set->trials;
    }
    have++;
  }
  if (!have)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "%s has no game of %s", set->id, s->info.name);
  for (size_t g = 0; g < s->info.game_count; g++) {
    if (!agent->runs[g]) append_name(lacking, sizeof lacking, s->info.games[g]);
  }
  if (!set->protocol || strcmp(set->protocol, s->info.name))
    err = eval_scores_warn(
        s, error, "mixed-protocols",
        "%s was %s%s, not under %s: differences may come from the protocol, not from the agent",
        set->id, set->protocol ? "made under " : "collected from papers with various protocols",
        set->protocol ? set->protocol : "", s->info.name);
  if (!err && set->limit != s->limit && set->protocol && !strcmp(set->source, "saber") &&
      set->trials)
    err = eval_scores_warn(s, error, "mixed-limits",
                           "%s counts %d frames of play per episode (0: all), the others %d",
                           set->id, set->limit, s->limit);
  if (!err && set->frames && set->frames != s->checkpoint && !s->info.length_in_episodes)
    err = eval_scores_warn(s, error, "mixed-checkpoints",
                           "%s was trained for %lld frames, the others for %lld", set->id,
                           (long long)set->frames, (long long)s->checkpoint);
  if (!err && *lacking)
    err = eval_scores_warn(s, error, "missing-games",
                           "%s was published on %zu of the %zu games of %s; comparisons are over "
                           "the games that both have. "
                           "Missing: %s",
                           set->id, have, s->info.game_count, s->info.name, lacking);
  return err;
}

/* ---- constants ---- */

sixer_err eval_scores_constants(eval_scores *s, const char *kind, const sixer_agent_scores *others,
                                size_t other_count, sixer_scale *scale, double *low, double *high,
                                sixer_error *error) {
  size_t games = s->info.game_count, left_out = 0;
  char lacking[400] = "";
  bool human = !strcmp(kind, "human") || !strcmp(kind, "scripted"),
       record = !strcmp(kind, "record"), random = !strcmp(kind, "random");
  bool inter = !strcmp(kind, "inter-algorithm"), baseline = !strcmp(kind, "baseline");
  bool relative = !strcmp(kind, "relative"), none = !strcmp(kind, "none");
  if (!human && !record && !random && !inter && !baseline && !relative && !none)
    return sixer_fail(
        error, SIXER_ERR_ARGUMENT,
        "there is no normalization '%.40s'; choose from human, record, scripted, random, "
        "inter-algorithm, baseline, "
        "relative, none",
        kind);
  if ((baseline || relative) && !other_count)
    return sixer_fail(
        error, SIXER_ERR_ARGUMENT,
        baseline
            ? "baseline normalization needs the scores of the baseline policies (--baselines "
              "FILE); %s "
              "publishes only the best of them"
            : "%s: relative normalization needs the agent to compare with (--relative-to NAME)",
        s->info.name);
  *scale = record || relative ? SIXER_SCALE_ABSOLUTE
           : random           ? SIXER_SCALE_RANDOM
           : inter            ? SIXER_SCALE_INTER
                              : SIXER_SCALE_RANGE;
  bool missing_column = true;
  for (size_t g = 0; g < games; g++) {
    const char *game = s->info.games[g];
    low[g] = high[g] = NAN;
    if (none) {
      low[g] = 0;
      high[g] = 1;
    } else if (inter || baseline) {
      size_t count = inter ? s->agent_count : other_count;
      for (size_t a = 0; a < count; a++) {
        double mean = inter ? s->agents[a].means[g] : others[a].means[g];
        if (inter && isnan(mean)) {
          low[g] = high[g] =
              NAN; /* an agent lacks this game, so the range of all agents is unknown */
          break;
        }
        if (isnan(mean)) continue;
        if (isinf(mean))
          return sixer_fail(error, SIXER_ERR_ARGUMENT,
                            "%s: %s plays without end, which has no place in a range",
                            inter ? s->agents[a].name : others[a].name, game);
        low[g] = isnan(low[g]) ? mean : fmin(low[g], mean);
        high[g] = isnan(high[g]) ? mean : fmax(high[g], mean);
      }
    } else {
      low[g] = sixer_protocol_constant(s->protocol, "random", game);
      high[g] = relative ? others[0].means[g]
                : random ? low[g]
                         : sixer_protocol_constant(s->protocol, kind, game);
      if (isinf(high[g])) high[g] = NAN;
    }
    missing_column &= isnan(low[g]) || isnan(high[g]);
    bool empty = *scale != SIXER_SCALE_INTER && (random ? low[g] == 0 : low[g] == high[g]);
    if (isnan(low[g]) || isnan(high[g]) || empty) {
      low[g] = high[g] = NAN;
      left_out++;
      append_name(lacking, sizeof lacking, game);
    }
  }
  if (missing_column)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "%s has no constants for %s normalization; --normalize chooses another",
                      s->info.name, kind);
  if (left_out)
    return eval_scores_warn(s, error, "no-constant",
                            "%zu of the %zu games of %s have no usable constants for %s "
                            "normalization and are left out: %s",
                            left_out, games, s->info.name, kind, lacking);
  return SIXER_OK;
}
