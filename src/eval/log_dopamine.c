/* Dopamine's logs: logs/log_N is a pickle of everything up to iteration N. An iteration trains for a number of steps
 * and then evaluates for another; both play whole episodes.
 *
 *     {"iteration_0": {"train_episode_lengths": [812, ...], "train_episode_returns": [-20.0, ...],
 *                      "train_average_return": [...], "eval_episode_lengths": [...], ...}, "iteration_1": ...}
 *
 * Under a protocol that scores training, the episodes of training are read, with the steps of training so far; under
 * one that scores an evaluation, the episodes of the last one. A step is an agent's: 4 frames. The file names neither
 * game nor agent nor seed; its path does, as in dqn/Pong/1/logs/log_199 or dqn_Pong_seed1/logs/log_199. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/log_file.h"
#include "eval/log_pickle.h"
#include "util/sort.h"

enum { FRAMES_PER_STEP = 4 };

/* ---- the path ---- */

enum { MAX_PIECES = 24 };

typedef struct piece {
  const char *at;
  size_t length;
} piece;

static bool is_game(memory_arena *arena, const sixer_scores *s, const char *text, size_t length) {
  char *name = arena_copy(arena, text, length);
  return name && (scores_game_index(s, name) >= 0 || sixer_published_game(s->published, name));
}

/* Find a game in a part of the path, such as dqn_Pong_seed1: the longest run of its pieces that names one. */
static bool find_game(memory_arena *arena, const sixer_scores *s, piece part, piece *game) {
  piece pieces[MAX_PIECES];
  size_t count = 0;
  for (size_t i = 0; i < part.length && count < MAX_PIECES;) {
    size_t start = i;
    while (i < part.length && !strchr("_-.=, ", part.at[i])) i++;
    if (i > start) pieces[count++] = (piece){part.at + start, i - start};
    i += i == start;
  }
  for (size_t length = count; length; length--) {
    for (size_t i = 0; i + length <= count; i++) {
      const piece *first = &pieces[i], *last = &pieces[i + length - 1];
      *game = (piece){first->at, (size_t)(last->at + last->length - first->at)};
      if (!is_game(arena, s, game->at, game->length)) continue;
      /* Pong-ram is another task, which the reader of rows refuses by its name */
      if (i + length < count && !strncmp(game->at + game->length, "-ram", 4)) game->length += 4;
      return true;
    }
  }
  return false;
}

static bool all_digits(piece part) {
  size_t i = 0;
  while (i < part.length && isdigit((unsigned char)part.at[i])) i++;
  return i && i == part.length;
}

/* Without separators around. */
static piece trim(piece part) {
  for (; part.length && strchr("_-.=, ", *part.at); part.at++) part.length--;
  while (part.length && strchr("_-.=, ", part.at[part.length - 1])) part.length--;
  return part;
}

/* Game, agent and run, as far as the path names them. */
static sixer_err read_path(memory_arena *arena, const sixer_scores *s, const char *origin,
                           log_file *file, const char **game, sixer_error *error) {
  piece parts[MAX_PIECES], found;
  size_t count = 0, at;
  /* the last folders, without the file's name */
  const char *stop = strrchr(origin, '/');
  while (stop && stop > origin && count < MAX_PIECES) {
    const char *start = stop;
    while (start > origin && start[-1] != '/') start--;
    if (start < stop) parts[count++] = (piece){start, (size_t)(stop - start)};
    stop = start > origin ? start - 1 : NULL;
  }
  for (at = 0; at < count && !find_game(arena, s, parts[at], &found); at++) {}
  if (at == count)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s: a log of Dopamine names no game; name it in the path, as in "
                      "dqn/Pong/1/logs/log_199 or dqn_Pong_seed1/logs/log_199",
                      origin);
  *game = arena_copy(arena, found.at, found.length);
  piece before = trim((piece){parts[at].at, (size_t)(found.at - parts[at].at)});
  const char *rest = found.at + found.length;
  piece after = trim((piece){rest, parts[at].length - (size_t)(rest - parts[at].at)});
  if (!before.length && at + 1 < count) before = parts[at + 1];
  if (!all_digits(after) && at && all_digits(parts[at - 1])) after = parts[at - 1];
  bool dots = before.length && strspn(before.at, ".") >= before.length;
  if (before.length && !dots) file->agent = arena_copy(arena, before.at, before.length);
  if (all_digits(after)) file->run = arena_copy(arena, after.at, after.length);
  bool memory =
      *game && (file->agent || !before.length || dots) && (file->run || !all_digits(after));
  return memory ? SIXER_OK : arena_no_memory(error);
}

/* ---- iterations ---- */

typedef struct iteration {
  int64_t number;
  const pickle_value *lengths, *returns; /* of its episodes of training */
  const pickle_value
      *tests[2]; /* lengths and returns of those of its evaluation; NULL: it has none */
} iteration;

static int compare_iterations(const void *a, const void *b) {
  const iteration *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

/* The N of "iteration_N"; -1: it is another key. */
static int64_t iteration_number(const pickle_value *key) {
  static const char prefix[] = "iteration_";
  size_t n = sizeof prefix - 1;
  if (key->kind != PICKLE_TEXT || strncmp(key->text, prefix, n)) return -1;
  piece digits = {key->text + n, key->size - n};
  return all_digits(digits) && digits.length <= 9 ? strtoll(digits.at, NULL, 10) : -1;
}

/* Lists of the same length, of numbers that can be lengths and returns. */
static sixer_err check_episodes(const pickle_value *lengths, const pickle_value *returns,
                                int64_t number, const char *origin, sixer_error *error) {
  const char *what = NULL;
  if (lengths->kind != PICKLE_LIST || returns->kind != PICKLE_LIST)
    what = "the episodes are not in lists";
  else if (lengths->count != returns->count)
    what = "there are not as many lengths of episodes as returns";
  for (size_t i = 0; !what && i < lengths->count; i++) {
    const pickle_value *length = lengths->items[i], *score = returns->items[i];
    if (length->kind != PICKLE_NUMBER || !(length->number >= 0 && length->number < 1e12))
      what = "the length of an episode is not a number of steps";
    else if (score->kind != PICKLE_NUMBER || !isfinite(score->number))
      what = score->kind != PICKLE_NUMBER ? "the return of an episode is not a number"
             : isnan(score->number)       ? "the return of an episode is NaN"
                                          : "the return of an episode is infinite";
  }
  return what ? sixer_fail(error, SIXER_ERR_FILE, "%s: iteration %lld: %s", origin,
                           (long long)number, what)
              : SIXER_OK;
}

/* The iterations of a log in their order, none of which is missing. `limit`: how many episodes the file can hold;
 * a damaged one may use a list again and again. */
static sixer_err read_iterations(memory_arena *arena, const pickle_value *log, const char *origin,
                                 size_t limit, iteration **list, size_t *count,
                                 sixer_error *error) {
  size_t found = 0, episodes = 0;
  bool averages = false;
  iteration *made =
      arena_alloc(arena, (log->kind == PICKLE_DICT ? log->count / 2 + 1 : 1) * sizeof *made);
  if (!made) return arena_no_memory(error);
  for (size_t i = 0; log->kind == PICKLE_DICT && i + 1 < log->count; i += 2) {
    const pickle_value *content = log->items[i + 1];
    iteration it = {.number = iteration_number(log->items[i])};
    if (it.number < 0) continue;
    it.lengths = pickle_get(content, "train_episode_lengths");
    it.returns = pickle_get(content, "train_episode_returns");
    it.tests[0] = pickle_get(content, "eval_episode_lengths");
    it.tests[1] = pickle_get(content, "eval_episode_returns");
    averages |= pickle_get(content, "Train/AverageReturns") != NULL;
    if (!it.lengths || !it.returns) continue;
    sixer_err err = check_episodes(it.lengths, it.returns, it.number, origin, error);
    if (!err && it.tests[0] && it.tests[1])
      err = check_episodes(it.tests[0], it.tests[1], it.number, origin, error);
    if (err) return err;
    episodes += it.lengths->count;
    if (episodes > limit)
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%s: the iterations share their lists of episodes; the file is damaged",
                        origin);
    made[found++] = it;
  }
  if (!found)
    return sixer_fail(
        error, SIXER_ERR_FILE, "%s: %s", origin,
        averages ? "the file has averages only; those in Dopamine's folder logs/ have the episodes"
                 : "a pickle that is not a log of Dopamine (iteration_0 with "
                   "train_episode_returns); write the scores as JSON or CSV");
  sort_stable(made, found, sizeof *made, compare_iterations);
  for (size_t i = 0; i < found; i++) {
    if (made[i].number != (int64_t)i)
      return sixer_fail(error, SIXER_ERR_FILE,
                        made[i].number < (int64_t)i
                            ? "%s: iteration %zu is there twice"
                            : "%s: iteration %zu is missing, and with it the count of frames",
                        origin, made[i].number < (int64_t)i ? i - 1 : i);
  }
  *list = made;
  *count = found;
  return SIXER_OK;
}

/* ---- rows ---- */

typedef struct row_list {
  memory_arena *arena;
  eval_table table;
  size_t room;
} row_list;

static sixer_err add_row(row_list *rows, const char *game, double score, double number,
                         double length, sixer_error *error) {
  eval_table *t = &rows->table;
  const char **fields = t->fields + t->rows * t->columns;
  char texts[3][32];
  number_text(score, texts[0]);
  number_text(number, texts[1]);
  number_text(length, texts[2]);
  fields[0] = game;
  for (size_t i = 1; i < t->columns; i++) {
    fields[i] = arena_copy(rows->arena, texts[i - 1], strlen(texts[i - 1]));
    if (!fields[i]) return arena_no_memory(error);
  }
  t->lines[t->rows] = (int)(t->rows + 1);
  t->rows++;
  return SIXER_OK;
}

/* An empty table with room for the rows. */
static sixer_err begin_rows(memory_arena *arena, const char *const *names, size_t columns,
                            size_t room, const char *origin, row_list *rows, sixer_error *error) {
  eval_table t = {.columns = columns};
  t.origin = arena_copy(arena, origin, strlen(origin));
  t.names = arena_alloc(arena, columns * sizeof *t.names);
  t.fields = arena_alloc(arena, (room + 1) * columns * sizeof *t.fields);
  t.lines = arena_alloc(arena, (room + 1) * sizeof *t.lines);
  if (!t.origin || !t.names || !t.fields || !t.lines) return arena_no_memory(error);
  memcpy(t.names, names, columns * sizeof *names);
  *rows = (row_list){arena, t, room};
  return SIXER_OK;
}

static sixer_err add_training(memory_arena *arena, const iteration *list, size_t count,
                              const char *game, const char *origin, row_list *rows,
                              sixer_error *error) {
  static const char *const names[] = {"game", "score", "global_step"};
  size_t episodes = 0;
  double steps = 0;
  for (size_t i = 0; i < count; i++) episodes += list[i].lengths->count;
  sixer_err err = begin_rows(arena, names, 3, episodes, origin, rows, error);
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; !err && k < list[i].lengths->count; k++) {
      steps += list[i].lengths->items[k]->number;
      err = add_row(rows, game, list[i].returns->items[k]->number, steps, 0, error);
    }
  }
  return err;
}

static sixer_err add_evaluation(memory_arena *arena, const iteration *last, const char *game,
                                const char *origin, row_list *rows, sixer_error *error) {
  static const char *const names[] = {"game", "score", "episode", "l"};
  const pickle_value *lengths = last->tests[0], *returns = last->tests[1];
  if (!lengths || !returns)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s: the protocol scores evaluations, and iteration %lld has none "
                      "(Runner.evaluation_steps)",
                      origin, (long long)last->number);
  sixer_err err = begin_rows(arena, names, 4, lengths->count, origin, rows, error);
  for (size_t k = 0; !err && k < lengths->count; k++)
    err =
        add_row(rows, game, returns->items[k]->number, (double)k, lengths->items[k]->number, error);
  return err;
}

sixer_err log_dopamine_parse(memory_arena *arena, const char *text, size_t size, const char *origin,
                             const sixer_scores *scores, log_file *file, sixer_error *error) {
  const pickle_value *log;
  const char *game = NULL;
  iteration *list = NULL;
  size_t count = 0;
  row_list rows = {0};
  sixer_err err = pickle_parse(arena, text, size, origin, &log, error);
  if (!err) err = read_iterations(arena, log, origin, size, &list, &count, error);
  if (!err) err = read_path(arena, scores, origin, file, &game, error);
  if (err) return err;
  bool training = scores->info.score_of == SIXER_SCORE_TRAINING || scores->keeps_courses;
  err = training ? add_training(arena, list, count, game, origin, &rows, error)
                 : add_evaluation(arena, &list[count - 1], game, origin, &rows, error);
  if (!err && !rows.table.rows)
    err = sixer_fail(error, SIXER_ERR_FILE, "%s: the log has no episodes of %s", origin,
                     training ? "training" : "its last evaluation");
  if (err) return err;
  if (!training) {
    double steps = 0;
    for (size_t i = 0; i < count; i++) {
      for (size_t k = 0; k < list[i].lengths->count; k++)
        steps += list[i].lengths->items[k]->number;
    }
    file->note = arena_format(arena,
                              "%s: the episodes of its last evaluation count, that of iteration "
                              "%lld, after %.0f steps of training",
                              origin, (long long)list[count - 1].number, steps);
    if (!file->note) return arena_no_memory(error);
  }
  file->frames_per_step = FRAMES_PER_STEP;
  file->table = rows.table;
  return SIXER_OK;
}
