/* The published results: tables of five papers (data/published/README.md), read into one set of scores per agent and
 * setting.
 *
 * A set is named SOURCE/AGENT, with @TIME and @FRAMES where a source has several:
 * "saber/rainbow@30min", "machado2018/dqn@50M". Names are compared without regard to case and
 * punctuation. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/atari5.h"
#include "eval/eval_stats.h"
#include "eval/eval_table.h"
#include "util/sort.h"

enum { DATA_ROWS_MAX = 256 };

struct sixer_published {
  memory_arena arena;
  eval_table games, reference, algorithms;
  sixer_result_set *sets;
  size_t count, room;
  /* the data of the Atari-5 paper, in the order of Table 8 and by name */
  sixer_regression_data atari5[2];
  const char **atari5_names[2];
  const char **atari5_games;
  const char **atari5_types; /* in the order of Table 8 */
  sixer_subset_model *models;
  size_t model_count;
};

/* ---- names ---- */

/* Letters and digits only, in lower case. */
static void squeeze(const char *text, size_t length, char *out, size_t room) {
  size_t n = 0;
  for (size_t i = 0; i < length && n + 1 < room; i++) {
    unsigned char c = (unsigned char)text[i];
    if (isalnum(c)) out[n++] = (char)tolower(c);
  }
  out[n] = 0;
}

static bool alike(const char *a, size_t a_length, const char *b, size_t b_length) {
  char x[128], y[128];
  squeeze(a, a_length, x, sizeof x);
  squeeze(b, b_length, y, sizeof y);
  return x[0] && !strcmp(x, y);
}

const char *sixer_published_game(const sixer_published *published, const char *name) {
  /* as Gymnasium writes it: "ALE/MsPacman-v5", "MsPacmanNoFrameskip-v4" */
  const char *slash = strrchr(name, '/');
  if (slash) name = slash + 1;
  size_t length = strlen(name);
  const char *version = strstr(name, "-v");
  if (version && version[2] && strspn(version + 2, "0123456789") == strlen(version + 2))
    length = (size_t)(version - name);
  /* "-ram" and "Deterministic" are other tasks: the first does not see the screen, the second has another frame skip */
  static const char *const suffixes[] = {"NoFrameskip"};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    size_t n = strlen(suffixes[i]);
    if (length > n && !strncmp(name + length - n, suffixes[i], n)) length -= n;
  }

  const eval_table *t = &published->games;
  for (size_t r = 0; r < t->rows; r++) {
    const char *id = eval_table_field(t, r, 0);
    if (alike(id, strlen(id), name, length)) return id;
    for (size_t c = 1; c < t->columns && !strncmp(t->names[c], "name_", 5); c++) {
      for (const char *p = eval_table_field(t, r, (int)c); *p;) {
        size_t n = strcspn(p, "|");
        if (alike(p, n, name, length)) return id;
        p += n + (p[n] == '|');
      }
    }
  }
  return NULL;
}

/* Letters and digits in lower case, everything else as single hyphens. */
static char *slug(memory_arena *arena, const char *text) {
  char *out = arena_alloc(arena, strlen(text) + 1);
  size_t n = 0;
  for (const char *p = text; out && *p; p++) {
    if (isalnum((unsigned char)*p)) {
      out[n++] = (char)tolower((unsigned char)*p);
    } else if (n && out[n - 1] != '-') {
      out[n++] = '-';
    }
  }
  if (n && out[n - 1] == '-') out[n - 1] = 0;
  return out;
}

/* ---- sets ---- */

/* Start a set with room for `games` games; NULL without memory. */
static sixer_result_set *add_set(sixer_published *p, size_t games) {
  if (p->count == p->room) {
    size_t room = p->room ? 2 * p->room : 64;
    sixer_result_set *sets = arena_alloc(&p->arena, room * sizeof *sets);
    if (!sets) return NULL;
    if (p->count) memcpy(sets, p->sets, p->count * sizeof *sets);
    p->sets = sets;
    p->room = room;
  }
  sixer_result_set *set = &p->sets[p->count++];
  *set = (sixer_result_set){.license = "facts"};
  set->games = arena_alloc(&p->arena, games * sizeof *set->games);
  set->means = arena_alloc(&p->arena, games * sizeof *set->means);
  set->sds = arena_alloc(&p->arena, games * sizeof *set->sds);
  return set->games && set->means && set->sds ? set : NULL;
}

static void add_score(sixer_result_set *set, const char *game, double mean, double sd) {
  ((const char **)set->games)[set->count] = game;
  ((double *)set->means)[set->count] = mean;
  ((double *)set->sds)[set->count++] = sd;
}

/* A number of a table that is known to be well formed; NaN if the cell is empty. */
static double cell(const eval_table *t, size_t row, int column) {
  double value = NAN;
  const char *text = column < 0 ? "" : eval_table_field(t, row, column);
  return *text && number_read(text, NUMBER_FINITE, &value) ? value : NAN;
}

/* One column of a table with a row per game. */
static sixer_err add_column(sixer_published *p, const eval_table *t, const char *mean,
                            const char *sd, sixer_result_set details, sixer_error *error) {
  sixer_result_set *set = add_set(p, t->rows);
  if (!set || !details.id) return arena_no_memory(error);
  int game = eval_table_column(t, "game"), mean_column = eval_table_column(t, mean);
  int sd_column = sd ? eval_table_column(t, sd) : -1;
  details.games = set->games;
  details.means = set->means;
  details.sds = set->sds;
  if (!details.license) details.license = "facts";
  *set = details;
  for (size_t r = 0; r < t->rows; r++) {
    double value = cell(t, r, mean_column);
    if (!isnan(value)) add_score(set, eval_table_field(t, r, game), value, cell(t, r, sd_column));
  }
  return SIXER_OK;
}

static sixer_err add_bellemare(sixer_published *p, sixer_error *error) {
  static const struct {
    const char *table, *column;
    int trials;
  } columns[] = {
      {"bellemare2013_rl.csv", "basic", 30},
      {"bellemare2013_rl.csv", "bass", 30},
      {"bellemare2013_rl.csv", "disco", 30},
      {"bellemare2013_rl.csv", "lsh", 30},
      {"bellemare2013_rl.csv", "ram", 30},
      {"bellemare2013_rl.csv", "random", 0},
      {"bellemare2013_rl.csv", "const", 0},
      {"bellemare2013_rl.csv", "perturb", 0},
      {"bellemare2013_planning.csv", "full_tree", 0},
      {"bellemare2013_planning.csv", "uct", 0},
  };
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    eval_table t;
    sixer_err err = eval_table_published(&p->arena, columns[i].table, &t, error);
    if (err) return err;
    sixer_result_set details = {
        .id = arena_format(&p->arena, "bellemare2013/%s", columns[i].column),
        .agent = columns[i].column,
        .source = "bellemare2013",
        .protocol = "bellemare2013",
        .limit = 18000,
        .trials = columns[i].trials};
    if ((err = add_column(p, &t, columns[i].column, NULL, details, error))) return err;
  }
  return SIXER_OK;
}

static sixer_err add_machado(sixer_published *p, sixer_error *error) {
  static const struct {
    const char *table, *agent;
    int trials;
  } tables[] = {{"machado2018_dqn.csv", "dqn", 5},
                {"machado2018_sarsa_blobprost.csv", "sarsa_blobprost", 24}};
  static const int millions[] = {200, 100, 50, 10};
  for (size_t i = 0; i < 2; i++) {
    eval_table t;
    sixer_err err = eval_table_published(&p->arena, tables[i].table, &t, error);
    for (size_t k = 0; !err && k < 4; k++) {
      const char *mean = arena_format(&p->arena, "mean_%dM", millions[k]);
      const char *sd = arena_format(&p->arena, "std_%dM", millions[k]);
      sixer_result_set details = {
          .id = k ? arena_format(&p->arena, "machado2018/%s@%dM", tables[i].agent, millions[k])
                  : arena_format(&p->arena, "machado2018/%s", tables[i].agent),
          .agent = tables[i].agent,
          .source = "machado2018",
          .protocol = "machado2018",
          .limit = 18000,
          .frames = (int64_t)millions[k] * 1000000,
          .trials = tables[i].trials};
      if (!mean || !sd) return arena_no_memory(error);
      err = add_column(p, &t, mean, sd, details, error);
    }
    if (err) return err;
  }
  return SIXER_OK;
}

static sixer_err add_saber(sixer_published *p, sixer_error *error) {
  eval_table t;
  sixer_err err = eval_table_published(&p->arena, "saber_rainbow_iqn.csv", &t, error);
  if (err) return err;
  int game = eval_table_column(&t, "game"), agent = eval_table_column(&t, "algorithm");
  int time = eval_table_column(&t, "eval_time"), frames = eval_table_column(&t, "frames_millions");
  int mean = eval_table_column(&t, "mean"), sd = eval_table_column(&t, "std");
  int infinite = eval_table_column(&t, "infinite");
  static const struct {
    const char *name, *suffix;
    int limit;
  } times[] = {{"saber", "", 0}, {"30min", "@30min", 108000}, {"5min", "@5min", 18000}};
  static const char *const agents[] = {"rainbow", "rainbow_iqn"}, *const millions[] = {"200", "100",
                                                                                       "50", "10"};
  for (size_t a = 0; a < 2; a++) {
    for (size_t k = 0; k < 4; k++) {
      for (size_t l = 0; l < 3; l++) {
        sixer_result_set *set = NULL;
        for (size_t r = 0; r < t.rows; r++) {
          if (strcmp(eval_table_field(&t, r, agent), agents[a]) ||
              strcmp(eval_table_field(&t, r, time), times[l].name) ||
              strcmp(eval_table_field(&t, r, frames), millions[k]))
            continue;
          if (!set) {
            if (!(set = add_set(p, t.rows))) return arena_no_memory(error);
            set->id = arena_format(&p->arena, "saber/%s%s%s%s%s", agents[a], times[l].suffix,
                                   k ? "@" : "", k ? millions[k] : "", k ? "M" : "");
            if (!set->id) return arena_no_memory(error);
            set->agent = agents[a];
            set->source = set->protocol = "saber";
            set->limit = times[l].limit;
            set->frames = (int64_t)(atof(millions[k]) * 1e6);
            set->trials = 5; /* where a deviation is given; one run otherwise */
          }
          double value = eval_table_field(&t, r, infinite)[0] == '1' ? INFINITY : cell(&t, r, mean);
          if (!isnan(value)) add_score(set, eval_table_field(&t, r, game), value, cell(&t, r, sd));
        }
      }
    }
  }
  static const struct {
    const char *column, *agent;
  } constants[] = {
      {"random_saber", "random"}, {"human_saber", "human"}, {"world_record_saber", "world_record"}};
  for (size_t i = 0; !err && i < 3; i++) {
    sixer_result_set details = {.id = arena_format(&p->arena, "saber/%s", constants[i].agent),
                                .agent = constants[i].agent,
                                .source = "saber",
                                .protocol = i ? NULL : "saber"};
    err = add_column(p, &p->reference, constants[i].column, NULL, details, error);
  }
  return err;
}

/* ---- the data of the Atari-5 paper ---- */

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static sixer_err add_atari5(sixer_published *p, sixer_error *error) {
  eval_table parts[2];
  const eval_table *algorithms = &p->algorithms, *games = &p->games, *reference = &p->reference;
  sixer_err err = eval_table_published(&p->arena, "atari5_scores.csv", &parts[0], error);
  if (!err)
    err = eval_table_published(&p->arena, "atari5_scores_paperswithcode.csv", &parts[1], error);
  if (err) return err;

  size_t rows = algorithms->rows, count = 0;
  double low[DATA_ROWS_MAX], high[DATA_ROWS_MAX], work[DATA_ROWS_MAX];
  p->atari5_games = arena_alloc(&p->arena, games->rows * sizeof *p->atari5_games);
  if (!p->atari5_games) return arena_no_memory(error);
  int member = eval_table_column(games, "atari57"), type = eval_table_column(algorithms, "type");
  int random = eval_table_column(reference, "random_atari5"),
      human = eval_table_column(reference, "human_atari5");
  for (size_t g = 0; g < games->rows && count < DATA_ROWS_MAX; g++) {
    if (eval_table_field(games, g, member)[0] != '1') continue;
    /* both tables have the same rows; a test compares them */
    low[count] = cell(reference, g, random);
    high[count] = cell(reference, g, human);
    p->atari5_games[count++] = eval_table_field(games, g, 0);
  }

  double *x = arena_alloc(&p->arena, rows * count * sizeof *x),
         *y = arena_alloc(&p->arena, rows * sizeof *y);
  const char **names = arena_alloc(&p->arena, rows * sizeof *names);
  p->atari5_types = arena_alloc(&p->arena, rows * sizeof *p->atari5_types);
  if (!x || !y || !names || !p->atari5_types) return arena_no_memory(error);
  for (size_t i = 0; i < rows * count; i++) x[i] = NAN;
  for (size_t a = 0; a < rows; a++) {
    sixer_result_set *set = add_set(p, count);
    names[a] = eval_table_field(algorithms, a, 0);
    p->atari5_types[a] = eval_table_field(algorithms, a, type);
    char *name = slug(&p->arena, names[a]);
    if (!set || !name || !(set->id = arena_format(&p->arena, "atari5/%s", name)))
      return arena_no_memory(error);
    set->agent = names[a];
    set->source = "atari5";
    set->limit = 108000;
    size_t known = 0;
    for (int k = 0; k < 2; k++) {
      for (size_t r = 0; r < parts[k].rows; r++) {
        if (strcmp(eval_table_field(&parts[k], r, 0), names[a])) continue;
        size_t g = 0;
        while (g < count && strcmp(p->atari5_games[g], eval_table_field(&parts[k], r, 1))) g++;
        if (g == count) continue;
        double score = cell(&parts[k], r, 2);
        set->license = k ? "CC-BY-SA-4.0" : "MIT";
        add_score(set, p->atari5_games[g], score, NAN);
        work[known] = 100 * (score - low[g]) / (high[g] - low[g]);
        x[a * count + g] = sixer_log_score(work[known++]);
      }
    }
    if (!known)
      return sixer_fail(error, SIXER_ERR_FILE, "atari5_scores: no scores of %s", names[a]);
    sort_stable(work, known, sizeof *work, eval_compare_doubles);
    y[a] = sixer_log_score(eval_median_sorted(work, known));
  }
  p->atari5[0] = (sixer_regression_data){x, y, rows, count, NULL};
  p->atari5_names[0] = names;

  /* the same rows sorted by name */
  double *x2 = arena_alloc(&p->arena, rows * count * sizeof *x),
         *y2 = arena_alloc(&p->arena, rows * sizeof *y);
  const char **sorted = arena_alloc(&p->arena, rows * sizeof *sorted);
  if (!x2 || !y2 || !sorted) return arena_no_memory(error);
  memcpy(sorted, names, rows * sizeof *names);
  sort_stable(sorted, rows, sizeof *sorted, compare_names);
  for (size_t a = 0; a < rows; a++) {
    size_t from = 0;
    while (names[from] != sorted[a]) from++;
    memcpy(x2 + a * count, x + from * count, count * sizeof *x);
    y2[a] = y[from];
  }
  p->atari5[1] = (sixer_regression_data){x2, y2, rows, count, NULL};
  p->atari5_names[1] = sorted;
  return SIXER_OK;
}

/* ---- the interface ---- */

sixer_err sixer_published_open(sixer_published **published, sixer_error *error) {
  sixer_published *p = calloc(1, sizeof *p);
  if (!p) return arena_no_memory(error);
  sixer_err err = eval_table_published(&p->arena, "games.csv", &p->games, error);
  if (!err) err = eval_table_published(&p->arena, "reference_scores.csv", &p->reference, error);
  if (!err) err = eval_table_published(&p->arena, "atari5_algorithms.csv", &p->algorithms, error);
  if (!err) err = add_bellemare(p, error);
  if (!err) err = add_machado(p, error);
  if (!err) err = add_saber(p, error);
  if (!err) err = add_atari5(p, error);
  if (!err) err = eval_atari5_models(&p->arena, &p->models, &p->model_count, error);
  if (err) {
    sixer_published_close(p);
    return err;
  }
  *published = p;
  return SIXER_OK;
}

void sixer_published_close(sixer_published *published) {
  if (!published) return;
  arena_free(&published->arena);
  free(published);
}

size_t sixer_published_count(const sixer_published *published) { return published->count; }

const sixer_result_set *sixer_published_get(const sixer_published *published, size_t index) {
  return index < published->count ? &published->sets[index] : NULL;
}

sixer_err sixer_published_find(const sixer_published *published, const char *name,
                               const char *protocol, const sixer_result_set **result,
                               sixer_error *error) {
  const sixer_result_set *found = NULL;
  size_t matches = 0;
  bool whole = strchr(name, '/') != NULL, preferred = false;
  char list[300] = "";
  for (size_t i = 0; i < published->count; i++) {
    const sixer_result_set *set = &published->sets[i];
    const char *id = whole ? set->id : strchr(set->id, '/') + 1;
    if (!alike(id, strlen(id), name, strlen(name))) continue;
    bool fits = protocol && set->protocol && !strcmp(set->protocol, protocol);
    if (fits && !preferred) matches = 0;
    if (preferred && !fits) continue;
    preferred |= fits;
    found = set;
    matches++;
  }
  if (matches == 1) {
    *result = found;
    return SIXER_OK;
  }

  /* list what the user may have meant: all ids that contain the text */
  char wanted[128], have[128];
  squeeze(name, strlen(name), wanted, sizeof wanted);
  for (size_t i = 0; i < published->count; i++) {
    const char *id = published->sets[i].id;
    squeeze(id, strlen(id), have, sizeof have);
    size_t used = strlen(list);
    if (strstr(have, wanted) && used + strlen(id) + 3 < sizeof list)
      snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", id);
  }
  if (matches > 1)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "'%.80s' is the name of several published results; choose from %s", name,
                      list);
  return sixer_fail(error, SIXER_ERR_ARGUMENT,
                    "there is no published result '%.80s'%s%s; `sixer eval --list` shows all", name,
                    *list ? "; similar are " : "", list);
}

sixer_regression_data sixer_published_atari5(const sixer_published *published, bool by_name,
                                             const char *const **names, const char *const **games) {
  if (names) *names = (const char *const *)published->atari5_names[by_name];
  if (games) *games = (const char *const *)published->atari5_games;
  return published->atari5[by_name];
}

const char *const *sixer_published_atari5_types(const sixer_published *published) {
  return (const char *const *)published->atari5_types;
}

const sixer_subset_model *sixer_published_models(const sixer_published *published, size_t *count) {
  *count = published->model_count;
  return published->models;
}
