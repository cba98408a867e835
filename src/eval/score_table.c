/* Score tables: scores of many algorithms on many games, as data for a subset search.
 *
 * A table is read from a user's file or made of the data of the Atari-5 paper. Raw scores become percentages of a
 * human's score, and those become log scores. The target of an algorithm is the log score of its median percentage. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval_stats.h"
#include "eval/eval_table.h"
#include "sixer/scores.h"
#include "util/sort.h"

enum { COOKIE = 0x5C07AB };

struct sixer_score_table {
  memory_arena arena;
  sixer_score_table_info info;
  sixer_warning *warnings;
  size_t warning_count, warning_room;
};

/* What the columns of a user's file mean, and the names in it. */
typedef struct file_scores {
  eval_table table;
  int algorithm, game, score; /* columns */
  const char **names, **games;
  size_t name_count, game_count;
  double *low, *high; /* random and human score of each game */
  int group;          /* column; -1 if there is none */
} file_scores;

sixer_score_table_config sixer_score_table_config_default(void) {
  return (sixer_score_table_config){
      .cookie = COOKIE, .min_games = 40, .target = SIXER_AGGREGATE_MEDIAN};
}

static sixer_err warn(sixer_score_table *t, const char *name, const char *text,
                      sixer_error *error) {
  if (t->warning_count == t->warning_room) {
    size_t room = t->warning_room ? 2 * t->warning_room : 16;
    sixer_warning *warnings = arena_alloc(&t->arena, room * sizeof *warnings);
    if (!warnings) return arena_no_memory(error);
    if (t->warning_count) memcpy(warnings, t->warnings, t->warning_count * sizeof *warnings);
    t->warnings = warnings;
    t->warning_room = room;
  }
  if (!text) return arena_no_memory(error);
  t->warnings[t->warning_count++] = (sixer_warning){name, text};
  return SIXER_OK;
}

/* ---- targets and groups ---- */

/* What is predicted of an algorithm: an aggregate of its percentages, which are sorted. */
static double target_of(sixer_aggregate target, const double *sorted, size_t count) {
  if (target == SIXER_AGGREGATE_MEDIAN) return eval_median_sorted(sorted, count);
  size_t cut = target == SIXER_AGGREGATE_IQM ? count / 4 : 0;
  double sum = 0;
  for (size_t i = cut; i < count - cut; i++) sum += sorted[i];
  return sum / (double)(count - 2 * cut);
}

static sixer_err check_target(sixer_aggregate target, sixer_error *error) {
  if (target == SIXER_AGGREGATE_MEDIAN || target == SIXER_AGGREGATE_MEAN ||
      target == SIXER_AGGREGATE_IQM)
    return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_ARGUMENT, "the target is a median, a mean or an IQM");
}

/* Numbers of groups by their names: names[a] of each row. */
static sixer_err number_groups(sixer_score_table *t, const char *const *names, size_t rows,
                               sixer_error *error) {
  int *groups = arena_alloc(&t->arena, (rows + 1) * sizeof *groups);
  if (!groups) return arena_no_memory(error);
  for (size_t a = 0; a < rows; a++) {
    size_t first = 0;
    while (strcmp(names[first], names[a])) first++;
    groups[a] = first < a ? groups[first] : (int)t->info.groups++;
  }
  t->info.data.groups = groups;
  return SIXER_OK;
}

/* ---- reading ---- */

static size_t find_name(const char *const *list, size_t count, const char *name) {
  size_t i = 0;
  while (i < count && strcmp(list[i], name)) i++;
  return i;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static sixer_err read_table(memory_arena *arena, const char *path, eval_table *table,
                            sixer_error *error) {
  char *text;
  size_t size;
  sixer_err err = arena_read_file(arena, path, &text, &size, error);
  return err ? err : eval_table_parse(arena, text, size, path, table, error);
}

/* The game of a row: its id if the name is known in any spelling, else the name itself. */
static const char *game_of(const file_scores *f, const sixer_published *published, size_t row) {
  const char *name = eval_table_field(&f->table, row, f->game);
  const char *id = sixer_published_game(published, name);
  return id ? id : name;
}

/* Algorithms and games, each once, in order of appearance. */
static sixer_err collect_names(memory_arena *arena, file_scores *f,
                               const sixer_published *published, sixer_error *error) {
  const eval_table *t = &f->table;
  f->algorithm = eval_table_column(t, "algorithm");
  if (f->algorithm < 0) f->algorithm = eval_table_column(t, "agent");
  f->game = eval_table_column(t, "game");
  f->score = eval_table_column(t, "score");
  if (f->algorithm < 0 || f->game < 0 || f->score < 0)
    return sixer_fail(error, SIXER_ERR_FILE, "%s: the columns algorithm, game and score are needed",
                      t->origin);
  f->names = arena_alloc(arena, (t->rows + 1) * sizeof *f->names);
  f->games = arena_alloc(arena, (t->rows + 1) * sizeof *f->games);
  if (!f->names || !f->games) return arena_no_memory(error);
  for (size_t r = 0; r < t->rows; r++) {
    const char *name = eval_table_field(t, r, f->algorithm), *game = game_of(f, published, r);
    if (find_name(f->names, f->name_count, name) == f->name_count) f->names[f->name_count++] = name;
    if (find_name(f->games, f->game_count, game) == f->game_count) f->games[f->game_count++] = game;
  }
  if (!f->name_count) return sixer_fail(error, SIXER_ERR_FILE, "%s: no scores", t->origin);
  return SIXER_OK;
}

/* Random and human scores from the file of the config, else from Table 12 of the paper. A percentage is a score between
 * 0 and 100. */
static sixer_err read_constants(memory_arena *arena, file_scores *f,
                                const sixer_score_table_config *config, sixer_error *error) {
  eval_table t;
  const char *path = config->constants;
  f->low = arena_alloc(arena, f->game_count * sizeof *f->low);
  f->high = arena_alloc(arena, f->game_count * sizeof *f->high);
  if (!f->low || !f->high) return arena_no_memory(error);
  sixer_err err = path ? read_table(arena, path, &t, error)
                       : eval_table_published(arena, "reference_scores.csv", &t, error);
  if (err) return err;
  int game = eval_table_column(&t, "game");
  int random = eval_table_column(&t, path ? "random" : "random_atari5");
  int human = eval_table_column(&t, path ? "human" : "human_atari5");
  if (game < 0 || random < 0 || human < 0)
    return sixer_fail(error, SIXER_ERR_FILE, "%s: the columns game, random and human are needed",
                      path);
  for (size_t g = 0; g < f->game_count; g++) {
    f->low[g] = 0;
    f->high[g] = config->percent ? 100 : NAN;
    for (size_t r = 0; !config->percent && r < t.rows; r++) {
      if (strcmp(eval_table_field(&t, r, game), f->games[g])) continue;
      if (!number_read(eval_table_field(&t, r, random), NUMBER_FINITE, &f->low[g]) ||
          !number_read(eval_table_field(&t, r, human), NUMBER_FINITE, &f->high[g]))
        f->high[g] = NAN;
    }
    if (isnan(f->high[g]) || f->high[g] == f->low[g])
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%s: there are no random and human scores of '%.60s'; give them with "
                        "--constants FILE, or say "
                        "--percent if scores are percentages already",
                        f->table.origin, f->games[g]);
  }
  return SIXER_OK;
}

/* Percentages, algorithms x games; NaN where the file has no score. */
static sixer_err read_percents(const file_scores *f, const sixer_published *published,
                               double *percents, sixer_error *error) {
  const eval_table *t = &f->table;
  for (size_t i = 0; i < f->name_count * f->game_count; i++) percents[i] = NAN;
  for (size_t r = 0; r < t->rows; r++) {
    const char *name = eval_table_field(t, r, f->algorithm), *game = game_of(f, published, r);
    const char *text = eval_table_field(t, r, f->score);
    size_t a = find_name(f->names, f->name_count, name),
           g = find_name(f->games, f->game_count, game);
    double *percent = &percents[a * f->game_count + g], score;
    if (!number_read(text, NUMBER_FINITE, &score))
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%s:%d: the score of %.60s is '%.30s', not a finite number", t->origin,
                        t->lines[r], game, text);
    if (!isnan(*percent))
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%s:%d: %.60s has a second score of %.60s; average runs first", t->origin,
                        t->lines[r], name, game);
    *percent = 100 * (score - f->low[g]) / (f->high[g] - f->low[g]);
  }
  return SIXER_OK;
}

/* The groups of a user's algorithms. An algorithm must not have rows of two groups. */
static sixer_err group_file(sixer_score_table *t, const file_scores *f, size_t kept,
                            sixer_error *error) {
  const char **names = arena_alloc(&t->arena, (kept + 1) * sizeof *names);
  if (!names) return arena_no_memory(error);
  for (size_t r = 0; r < f->table.rows; r++) {
    size_t a = find_name(f->names, kept, eval_table_field(&f->table, r, f->algorithm));
    const char *group = eval_table_field(&f->table, r, f->group);
    if (a == kept) continue;
    if (names[a] && strcmp(names[a], group))
      return sixer_fail(error, SIXER_ERR_FILE,
                        "%s:%d: %.60s is of the group '%.60s' here and of '%.60s' before",
                        f->table.origin, f->table.lines[r], f->names[a], group, names[a]);
    names[a] = group;
  }
  return number_groups(t, names, kept, error);
}

/* Log scores and their targets. A median of few games says little, so algorithms with fewer than `min_games` are left
 * out. */
static sixer_err fill(sixer_score_table *t, file_scores *f, const double *percents,
                      const sixer_score_table_config *config, sixer_error *error) {
  size_t min_games = config->min_games;
  size_t games = f->game_count, kept = 0;
  double *x = arena_alloc(&t->arena, f->name_count * games * sizeof *x),
         *y = arena_alloc(&t->arena, f->name_count * sizeof *y),
         *known = arena_alloc(&t->arena, games * sizeof *known);
  if (!x || !y || !known) return arena_no_memory(error);
  for (size_t a = 0; a < f->name_count; a++) {
    size_t count = 0;
    for (size_t g = 0; g < games; g++) {
      double percent = percents[a * games + g];
      x[kept * games + g] = isnan(percent) ? NAN : sixer_log_score(percent);
      if (!isnan(percent)) known[count++] = percent;
    }
    if (count < min_games) continue;
    sort_stable(known, count, sizeof *known, eval_compare_doubles);
    f->names[kept] = f->names[a];
    y[kept++] = sixer_log_score(target_of(config->target, known, count));
  }
  if (!kept)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s: no algorithm has scores of %zu games (--min-games)", f->table.origin,
                      min_games);
  t->info = (sixer_score_table_info){{x, y, kept, games, NULL},
                                     (const char *const *)f->names,
                                     (const char *const *)f->games,
                                     NULL,
                                     f->low,
                                     f->high,
                                     0};
  sixer_err err = f->group < 0 ? SIXER_OK : group_file(t, f, kept, error);
  if (err) return err;
  if (kept == f->name_count) return SIXER_OK;
  return warn(
      t, "few-games",
      arena_format(&t->arena,
                   "%zu of %zu algorithms have scores of fewer than %zu games and were left "
                   "out",
                   f->name_count - kept, f->name_count, min_games),
      error);
}

static sixer_err read_file(sixer_score_table *t, const char *path, const sixer_published *published,
                           const sixer_score_table_config *config, sixer_error *error) {
  file_scores f = {0};
  sixer_err err = read_table(&t->arena, path, &f.table, error);
  if (!err) err = collect_names(&t->arena, &f, published, error);
  if (!err) err = check_target(config->target, error);
  if (err) return err;
  f.group = config->group ? eval_table_column(&f.table, config->group) : -1;
  if (config->group && f.group < 0)
    return sixer_fail(error, SIXER_ERR_FILE, "%s: there is no column '%.60s' to group by", path,
                      config->group);
  if (config->by_name) sort_stable(f.names, f.name_count, sizeof *f.names, compare_names);
  if ((err = read_constants(&t->arena, &f, config, error))) return err;
  double *percents = arena_alloc(&t->arena, f.name_count * f.game_count * sizeof *percents);
  if (!percents) return arena_no_memory(error);
  err = read_percents(&f, published, percents, error);
  return err ? err : fill(t, &f, percents, config, error);
}

/* ---- the interface ---- */

sixer_err sixer_score_table_read(const char *path, const sixer_published *published,
                                 const sixer_score_table_config *config, sixer_score_table **table,
                                 sixer_error *error) {
  if (config->cookie != COOKIE)
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "the config was not made by sixer_score_table_config_default()");
  sixer_score_table *t = calloc(1, sizeof *t);
  if (!t) return arena_no_memory(error);
  const char *origin = arena_copy(&t->arena, path, strlen(path));
  sixer_err err = origin ? read_file(t, origin, published, config, error) : arena_no_memory(error);
  if (err) {
    sixer_score_table_destroy(t);
    return err;
  }
  *table = t;
  return SIXER_OK;
}

/* Another target than the median, and the groups, of the paper's data. */
static sixer_err complete_published(sixer_score_table *t, const sixer_published *published,
                                    sixer_aggregate target, sixer_error *error) {
  sixer_score_table_info *info = &t->info;
  size_t rows = info->data.rows, games = info->data.games;
  eval_table algorithms, reference;
  sixer_err err = eval_table_published(&t->arena, "atari5_algorithms.csv", &algorithms, error);
  if (!err) err = eval_table_published(&t->arena, "reference_scores.csv", &reference, error);
  if (err) return err;
  int file = eval_table_column(&algorithms, "repo_source_file"),
      random = eval_table_column(&reference, "random_atari5"),
      human = eval_table_column(&reference, "human_atari5");
  double *low = arena_alloc(&t->arena, games * sizeof *low),
         *high = arena_alloc(&t->arena, games * sizeof *high),
         *known = arena_alloc(&t->arena, games * sizeof *known),
         *y = arena_alloc(&t->arena, rows * sizeof *y);
  const char **names = arena_alloc(&t->arena, rows * sizeof *names);
  if (!low || !high || !known || !y || !names) return arena_no_memory(error);
  for (size_t g = 0; g < games; g++) {
    for (size_t r = 0; r < reference.rows; r++) {
      if (strcmp(eval_table_field(&reference, r, 0), info->games[g])) continue;
      number_read(eval_table_field(&reference, r, random), NUMBER_FINITE, &low[g]);
      number_read(eval_table_field(&reference, r, human), NUMBER_FINITE, &high[g]);
    }
  }
  for (size_t a = 0; a < rows; a++) {
    for (size_t r = 0; r < algorithms.rows; r++) {
      if (!strcmp(eval_table_field(&algorithms, r, 0), info->names[a]))
        names[a] = eval_table_field(&algorithms, r, file);
    }
    for (size_t i = 0; i < sixer_published_count(published); i++) {
      const sixer_result_set *set = sixer_published_get(published, i);
      if (strcmp(set->source, "atari5") || strcmp(set->agent, info->names[a])) continue;
      for (size_t k = 0; k < set->count; k++) {
        size_t g = find_name(info->games, games, set->games[k]);
        known[k] = 100 * (set->means[k] - low[g]) / (high[g] - low[g]);
      }
      sort_stable(known, set->count, sizeof *known, eval_compare_doubles);
      y[a] = sixer_log_score(target_of(target, known, set->count));
    }
  }
  if (target != SIXER_AGGREGATE_MEDIAN) info->data.y = y;
  info->low = low;
  info->high = high;
  return number_groups(t, names, rows, error);
}

sixer_err sixer_score_table_published(const sixer_published *published, bool by_name,
                                      sixer_aggregate target, sixer_score_table **table,
                                      sixer_error *error) {
  sixer_err err = check_target(target, error);
  if (err) return err;
  sixer_score_table *t = calloc(1, sizeof *t);
  if (!t) return arena_no_memory(error);
  t->info.data = sixer_published_atari5(published, by_name, &t->info.names, &t->info.games);
  if ((err = complete_published(t, published, target, error))) {
    sixer_score_table_destroy(t);
    return err;
  }
  *table = t;
  return SIXER_OK;
}

void sixer_score_table_destroy(sixer_score_table *table) {
  if (!table) return;
  arena_free(&table->arena);
  free(table);
}

sixer_err sixer_score_table_exclude_sparse(sixer_score_table *table, size_t min_algorithms,
                                           sixer_error *error) {
  const sixer_regression_data *data = &table->info.data;
  bool *excluded = arena_alloc(&table->arena, data->games * sizeof *excluded);
  if (!excluded) return arena_no_memory(error);
  for (size_t g = 0; g < data->games; g++) {
    size_t count = 0;
    for (size_t a = 0; a < data->rows; a++) count += !isnan(data->x[a * data->games + g]);
    if (!(excluded[g] = count < min_algorithms)) continue;
    sixer_err err =
        warn(table, "sparse-game",
             arena_format(&table->arena,
                          "%s has scores of %zu algorithms, fewer than %zu, and is left out",
                          table->info.games[g], count, min_algorithms),
             error);
    if (err) return err;
  }
  table->info.excluded = excluded;
  return SIXER_OK;
}

sixer_score_table_info sixer_score_table_describe(const sixer_score_table *table) {
  return table->info;
}

size_t sixer_score_table_warning_count(const sixer_score_table *table) {
  return table->warning_count;
}

sixer_warning sixer_score_table_warning(const sixer_score_table *table, size_t index) {
  return index < table->warning_count ? table->warnings[index] : (sixer_warning){NULL, NULL};
}
