/* From a table to rows: finds the columns and reads each row, with errors that name the line for NaN, unknown games and
 * scores of another protocol. */
#include "eval/score_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/embedded.h"
#include "util/nearest.h"

static int find_column(const eval_table *t, const char *const *names) {
  for (; *names; names++) {
    int c = eval_table_column(t, *names);
    if (c >= 0) return c;
  }
  return -1;
}

sixer_err score_columns_find(const sixer_scores *s, const eval_table *t, score_columns *c,
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
  c->score = find_column(
      t, (const char *const[]){"score", "mean", "return", "episodic_return", "reward", NULL});
  bool frames = c->frames >= 0 || c->millions >= 0 || c->level >= 0;
  c->steps = frames ? -1 : find_column(t, (const char *const[]){"global_step", "step", NULL});
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
    for (size_t i = 0; i < t->columns; i++) scores_append_name(list, sizeof list, t->names[i]);
    return sixer_fail(error, SIXER_ERR_FILE, "%s: there is no column '%s'; found are: %s",
                      t->origin, c->game < 0 ? "game" : "score", list);
  }
  if (c->frames >= 0 && c->millions >= 0)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s: 'frames' and 'frames_millions' cannot both be given", t->origin);
  if (c->episode >= 0 && c->frames < 0 && c->steps < 0 && c->length < 0 && c->level < 0 &&
      !s->info.length_in_episodes)
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
    if (number_read(minutes, NUMBER_FINITE, &value) && value > 0 && value < 1e5 &&
        value * 3600 == floor(value * 3600))
      return (int)(value * 3600);
    return -1;
  }
  return number_read(text, NUMBER_FINITE, &value) && value >= 0 && value < 2e9 &&
                 value == floor(value)
             ? (int)value
             : -1;
}

/* Whether a row's protocol is the one in use: "saber", "saber@1", "saber@1#hash" or "saber#hash";
 * hashes may be cut. */
static bool same_protocol(const sixer_scores *s, const char *text) {
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
static sixer_err read_level(const sixer_scores *s, const eval_table *t, int column, size_t r,
                            score_row *out, sixer_error *error) {
  const int *train = s->info.train_levels, *test = s->info.test_levels;
  const char *text = eval_table_field(t, r, column);
  double level;
  if (!number_read(text, NUMBER_FINITE, &level) || level != floor(level) || fabs(level) > 1e6)
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

/* The id of a game of the protocol, or of one of our own games (their images are in the library), by itself or as
 * Gymnasium spells it, such as sixer/Duskrain-v0. NULL if it is neither. */
static const char *own_game(sixer_scores *s, const char *name) {
  char id[40];
  size_t n = 0;
  bool spelled = !strncmp(name, "sixer/", 6);
  for (name += spelled ? 6 : 0; *name && *name != '-' && n + 1 < sizeof id; name++)
    id[n++] = (char)(spelled && *name >= 'A' && *name <= 'Z' ? *name + ('a' - 'A') : *name);
  id[n] = 0;
  if (*name && (!spelled || strcmp(name, "-v0") != 0)) return NULL;
  if (scores_game_index(s, id) >= 0) return arena_copy(&s->arena, id, n);
  for (const embedded_file *f = embedded_roms; f->name; f++) {
    const char *image = strrchr(f->name, '/') + 1;
    if (n && n == strlen(image) - strlen(".bin") && !strncmp(image, id, n))
      return arena_copy(&s->arena, id, n);
  }
  return NULL;
}

static sixer_err unknown_game(const sixer_scores *s, const char *origin, int line, const char *name,
                              sixer_error *error) {
  static const char *const tasks[][2] = {{"Deterministic", "it has another frame skip"},
                                         {"-ram", "its agent does not see the screen"}};
  for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
    if (strstr(name, tasks[i][0]))
      return sixer_fail(
          error, SIXER_ERR_FILE,
          "%s:%d: '%.60s' is another task than the game of %s: %s. To take its scores "
          "nevertheless, write the id of the game",
          origin, line, name, s->info.name, tasks[i][1]);
  }
  nearest near;
  nearest_begin(&near, name);
  for (size_t g = 0; g < s->info.game_count; g++)
    nearest_offer(&near, s->info.games[g], strlen(s->info.games[g]));
  const char *hint = nearest_hint(&near);
  return sixer_fail(error, SIXER_ERR_FILE, "%s:%d: there is no game '%.60s'%s%s", origin, line,
                    name, *hint ? hint : "; ids are written as in ", *hint ? "" : s->info.games[0]);
}

/* Frames of a step of an environment, by its id. Gymnasium's v5 repeat an action for 4 frames, older ids for 2 to 4 at
 * random, and NoFrameskip is meant for wrappers that do it: then a step of the agent has the protocol's frames, and a
 * step of the environment inside has one. */
static double frames_per_step(sixer_scores *s, score_batch *b, const char *id, bool inside,
                              int of_format) {
  if (s->frames_per_step) return s->frames_per_step;
  const char *version = strrchr(id, '-');
  double frames = s->info.frame_skip;
  if (of_format)
    frames = of_format;
  else if (strstr(id, "NoFrameskip"))
    frames = inside ? 1 : frames;
  else if (version && !strcmp(version, "-v5"))
    frames = 4;
  else if (version && strncmp(id, "sixer/", 6) &&
           (!strcmp(version, "-v4") || !strcmp(version, "-v0")))
    frames = 3;
  if (!b->guess) {
    b->guess = id;
    b->guessed = frames;
  }
  return frames;
}

/* Frames of training, or of the episode. */
static sixer_err read_frames(sixer_scores *s, score_batch *b, const eval_table *t,
                             const score_columns *c, size_t r, score_row *out, sixer_error *error) {
  int column = c->frames >= 0     ? c->frames
               : c->millions >= 0 ? c->millions
               : c->steps >= 0    ? c->steps
                                  : c->length;
  double frames;
  if (column < 0) return SIXER_OK;
  const char *text = eval_table_field(t, r, column);
  if (!number_read(text, NUMBER_FINITE, &frames) || frames < 0 || frames > 1e15)
    return sixer_fail(error, SIXER_ERR_FILE, "%s:%d: the number of %s is not a number", t->origin,
                      out->line, column == c->steps || column == c->length ? "steps" : "frames");
  if (column == c->millions) frames *= 1e6;
  if (column == c->steps || column == c->length)
    frames *= frames_per_step(s, b, eval_table_field(t, r, c->game), column == c->length,
                              c->frames_per_step);
  out->frames = (int64_t)llround(frames);
  out->cumulative = column == c->steps;
  return SIXER_OK;
}

sixer_err score_row_read(sixer_scores *s, score_batch *b, const eval_table *t,
                         const score_columns *c, size_t r, const char *default_agent,
                         score_row *out, bool *use, sixer_error *error) {
  const char *name = eval_table_field(t, r, c->game), *text = eval_table_field(t, r, c->score);
  bool again = b->last_name && !strcmp(b->last_name, name);
  int line = t->lines[r], game = again ? b->last_game : scores_game_index(s, name);
  *use = false;
  if (game < 0) {
    const char *id = sixer_published_game(s->published, name);
    if (!id) id = own_game(s, name);
    if (!id) return unknown_game(s, t->origin, line, name, error);
    if ((game = scores_game_index(s, id)) < 0) {
      if (!strstr(b->foreign, id)) scores_append_name(b->foreign, sizeof b->foreign, id);
      return SIXER_OK;
    }
  }
  b->last_name = name;
  b->last_game = game;
  bool stated = c->protocol >= 0 && *eval_table_field(t, r, c->protocol) &&
                strcmp(eval_table_field(t, r, c->protocol), "unstated-protocol") != 0;
  if (stated && !same_protocol(s, eval_table_field(t, r, c->protocol)))
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
  score_row made = {.game = (size_t)game,
                    .line = line,
                    .frames = -1,
                    .level = -1,
                    .origin = t->origin,
                    .timed = c->timed};
  made.agent = c->agent >= 0 ? eval_table_field(t, r, c->agent) : default_agent;
  made.run = c->run >= 0 ? eval_table_field(t, r, c->run) : c->run_text;
  if (c->run >= 0 && !*made.run)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s:%d: the %s is missing; number the runs in every row, or in none",
                      t->origin, line, t->names[c->run]);
  if (!*made.agent)
    return sixer_fail(error, SIXER_ERR_FILE, "%s:%d: the agent has no name", t->origin, line);
  if (!strcmp(text, "infinite")) text = "inf";
  if (!number_read(text, NUMBER_INF, &made.score) || made.score == -INFINITY) {
    double nan;
    bool is_nan = number_read(text, NUMBER_NAN | NUMBER_INF, &nan) && isnan(nan);
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s:%d: the score of %s is %s; leave the row out if there is none", t->origin,
                      line, s->info.games[game],
                      is_nan  ? "NaN"
                      : *text ? "not a number"
                              : "empty");
  }
  /* far beyond every game; sums of the largest numbers would be infinite */
  if (fabs(made.score) > 1e15 && !isinf(made.score))
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s:%d: the score of %s is %.6g; no game counts to 1e15", t->origin, line,
                      s->info.games[game], made.score);
  if (isinf(made.score) && isnan(s->info.endless))
    return sixer_fail(
        error, SIXER_ERR_FILE,
        "%s:%d: the score of %s is infinite, but every episode ends under %s (max_frames %d)",
        t->origin, line, s->info.games[game], s->info.name, s->info.max_frames);
  sixer_err err = read_frames(s, b, t, c, r, &made, error);
  if (err) return err;
  if (made.cumulative) made.episode = (double)made.frames;
  if (c->episode >= 0 &&
      !number_read(eval_table_field(t, r, c->episode), NUMBER_FINITE, &made.episode))
    return sixer_fail(error, SIXER_ERR_FILE, "%s:%d: the number of the episode is not a number",
                      t->origin, line);
  if (c->level >= 0 && (err = read_level(s, t, c->level, r, &made, error))) return err;
  b->unstated += !stated;
  *out = made;
  *use = true;
  return SIXER_OK;
}
