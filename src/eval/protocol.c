/* Protocols: what defines a score, read from a text file.
 *
 * toml.c reads the file. If it names a base, the entries of the base are used for what the file does not say. The
 * whole is checked and written in canonical form: sections and keys in a fixed order, games and columns sorted, numbers
 * in their shortest form, and nothing that does not define a score. The SHA-256 of that text is the protocol's hash.
 * Built-in protocols are the files of protocols/, compiled into the library. A test freezes their hashes, so that a
 * name and version always mean the same settings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval_table.h"
#include "eval/protocol.h"
#include "util/embedded.h"
#include "util/nearest.h"
#include "util/os.h"
#include "util/sha256.h"
#include "util/sort.h"
#include "util/toml.h"

struct sixer_protocol {
  memory_arena arena;
  sixer_protocol_info info;
  const char *text;
  const char **columns;
  size_t column_count;
  double *constants; /* games x columns, in the order of info.games */
  double *model;     /* per game; NULL if there is none */
};

/* ---- checking ---- */

typedef struct rule {
  const char *section, *key;
  toml_kind kind;
  const char *choices; /* of a string: "|one|two|"; NULL: any */
  double low, high;    /* of a number, and of the entries of an array of numbers */
  bool whole;          /* only whole numbers */
  bool nan_allowed;
  bool defines;  /* enters the hash */
  bool optional; /* may be missing, and then does not enter it */
} rule;

/* Every key that there is, in the order of the canonical form. */
static const rule rules[] = {
    {"", "name", TOML_STRING, NULL, 0, 0, false, false, false, false},
    {"", "version", TOML_NUMBER, NULL, 1, 1e6, true, false, false, true},
    {"", "title", TOML_STRING, NULL, 0, 0, false, false, false, true},
    {"", "source", TOML_STRING, NULL, 0, 0, false, false, false, true},
    {"", "base", TOML_STRING, NULL, 0, 0, false, false, false, true},
    {"games", "list", TOML_STRINGS, NULL, 0, 0, false, false, true, false},
    {"games", "tuning", TOML_STRINGS, NULL, 0, 0, false, false, true, false},
    {"environment", "flavors", TOML_STRING, NULL, 0, 0, false, false, true, false},
    {"environment", "sticky", TOML_NUMBER, NULL, 0, 1, false, false, true, false},
    {"environment", "actions", TOML_STRING, "|full|minimal|", 0, 0, false, false, true, false},
    {"environment", "frame_skip", TOML_NUMBER, NULL, 1, 1000, true, false, true, false},
    {"environment", "noop_starts", TOML_NUMBER, NULL, 0, 100000, true, false, true, false},
    {"environment", "life_loss", TOML_STRING, "|ignored|terminal-in-training|terminal|", 0, 0,
     false, false, true, false},
    {"environment", "max_frames", TOML_NUMBER, NULL, 0, 2147483647, true, false, true, false},
    {"environment", "stuck_frames", TOML_NUMBER, NULL, 0, 2147483647, true, false, true, false},
    {"environment", "scoring", TOML_STRING, "|ale|fixed|", 0, 0, false, false, true, false},
    {"levels", "train", TOML_NUMBERS, NULL, 0, 255, true, false, true, true},
    {"levels", "test", TOML_NUMBERS, NULL, 0, 255, true, false, true, true},
    {"training", "unit", TOML_STRING, "|frames|episodes|", 0, 0, false, false, true, false},
    {"training", "length", TOML_NUMBER, NULL, 1, 1e15, true, false, true, false},
    {"training", "checkpoints", TOML_NUMBERS, NULL, 1, 1e15, true, false, true, false},
    {"training", "evaluation_interval", TOML_NUMBER, NULL, 1, 1e15, true, false, true, true},
    {"training", "evaluation_length", TOML_NUMBER, NULL, 1, 1e15, true, false, true, true},
    {"score", "of", TOML_STRING, "|training|evaluation|best-evaluation|", 0, 0, false, false, true,
     false},
    {"score", "episodes", TOML_NUMBER, NULL, 1, 1e9, true, false, true, false},
    {"score", "test_epsilon", TOML_NUMBER, NULL, 0, 1, false, false, true, true},
    {"score", "planning_budget", TOML_NUMBER, NULL, 1, 1e15, true, false, true, true},
    {"score", "include_crossing", TOML_BOOL, NULL, 0, 0, false, false, true, false},
    {"score", "limits", TOML_NUMBERS, NULL, 0, 2147483647, true, false, true, false},
    {"score", "trials", TOML_NUMBER, NULL, 1, 1e6, true, false, true, false},
    {"score", "significance", TOML_NUMBER, NULL, 1e-9, 0.5, false, false, true, false},
    {"score", "aggregate", TOML_STRING, "|median|mean|iqm|model|", 0, 0, false, false, true, false},
    {"score", "model_target", TOML_STRING, "|median|mean|iqm|", 0, 0, false, false, true, true},
    {"score", "model_error", TOML_NUMBER, NULL, 0, 10, false, false, true, true},
    {"normalization", "default", TOML_STRING,
     "|human|record|scripted|random|inter-algorithm|baseline|none|", 0, 0, false, false, true,
     false},
    {"normalization", "endless", TOML_NUMBER, NULL, 0, 1e9, false, true, true, false},
};
enum { RULE_COUNT = sizeof rules / sizeof *rules };

static const char *kind_text(toml_kind kind) {
  static const char *const texts[] = {"a string in quotes", "a number", "true or false",
                                      "an array of strings", "an array of numbers"};
  return texts[kind];
}

static sixer_err check_number(const toml_document *doc, const toml_entry *e, const rule *r,
                              double number, sixer_error *error) {
  if (isnan(number) && r->nan_allowed) return SIXER_OK;
  if (!(number >= r->low && number <= r->high) || (r->whole && number != floor(number)))
    return sixer_fail(error, SIXER_ERR_CONFIG, "%s:%d: %s = %g is out of range: %s%g to %g",
                      doc->origin, e->line, e->key, number, r->whole ? "a whole number from " : "",
                      r->low, r->high);
  return SIXER_OK;
}

static sixer_err check_entry(const toml_document *doc, const toml_entry *e, sixer_error *error) {
  if (!strcmp(e->section, "model")) {
    if (e->value.kind != TOML_NUMBER || isnan(e->value.number) || e->value.number < 0)
      return sixer_fail(error, SIXER_ERR_CONFIG,
                        "%s:%d: the coefficient of %s must be a number that is not negative",
                        doc->origin, e->line, e->key);
    return SIXER_OK;
  }
  if (!strcmp(e->section, "constants")) {
    toml_kind want = !strcmp(e->key, "columns") ? TOML_STRINGS : TOML_NUMBERS;
    if (e->value.kind != want || !e->value.count)
      return sixer_fail(error, SIXER_ERR_CONFIG, "%s:%d: %s wants %s", doc->origin, e->line, e->key,
                        kind_text(want));
    return SIXER_OK;
  }
  for (const rule *r = rules; r < rules + RULE_COUNT; r++) {
    if (strcmp(r->section, e->section) || strcmp(r->key, e->key)) continue;
    bool empty_array = e->value.kind == TOML_STRINGS && e->value.count == 0;
    if (e->value.kind != r->kind && !(empty_array && r->kind == TOML_NUMBERS))
      return sixer_fail(error, SIXER_ERR_CONFIG, "%s:%d: %s wants %s", doc->origin, e->line, e->key,
                        kind_text(r->kind));
    if (r->kind == TOML_NUMBER) return check_number(doc, e, r, e->value.number, error);
    for (size_t i = 0; r->kind == TOML_NUMBERS && i < e->value.count; i++) {
      sixer_err err = check_number(doc, e, r, e->value.numbers[i], error);
      if (err) return err;
    }
    if (r->choices) {
      char pattern[64];
      snprintf(pattern, sizeof pattern, "|%.60s|", e->value.string);
      if (!*e->value.string || strchr(e->value.string, '|') || !strstr(r->choices, pattern))
        return sixer_fail(error, SIXER_ERR_CONFIG, "%s:%d: %s cannot be \"%.60s\"; choose from %s",
                          doc->origin, e->line, e->key, e->value.string, r->choices);
    }
    return SIXER_OK;
  }
  return sixer_fail(
      error, SIXER_ERR_CONFIG,
      "%s:%d: there is no setting '%s' in section [%s]; protocols/saber.toml shows all there are",
      doc->origin, e->line, e->key, e->section);
}

/* ---- bases ---- */

static const embedded_file *find_builtin(const char *name, size_t length) {
  for (const embedded_file *file = embedded_eval; file->name; file++) {
    const char *stem = file->name + sizeof "protocols/" - 1;
    if (!strncmp(file->name, "protocols/", sizeof "protocols/" - 1) &&
        !strncmp(stem, name, length) && !strcmp(stem + length, ".toml"))
      return file;
  }
  return NULL;
}

const char *const *sixer_protocol_names(void) {
  static const char *const names[] = {"atari100k",    "atari5",      "atari57",    "bellemare2013",
                                      "dopamine",     "machado2018", "nature2015", "saber",
                                      "sixer-levels", NULL};
  return names;
}

static bool is_path(const char *name) {
  size_t length = strlen(name);
  return strchr(name, '/') || (length > 5 && !strcmp(name + length - 5, ".toml"));
}

static sixer_err unknown_protocol(const char *name, sixer_error *error) {
  char list[256] = "";
  nearest close;
  nearest_begin(&close, name);
  for (const char *const *n = sixer_protocol_names(); *n; n++) {
    size_t used = strlen(list);
    nearest_offer(&close, *n, strlen(*n));
    snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", *n);
  }
  return sixer_fail(error, SIXER_ERR_CONFIG,
                    "there is no protocol '%.80s'%s; built in are %s, and a file of your own is "
                    "named by its path",
                    name, nearest_hint(&close), list);
}

/* The text of a protocol by name or path, and what to call it in messages. A path is relative to
 * `folder_of`. */
static sixer_err load_text(memory_arena *arena, const char *name, const char *folder_of,
                           const char **text, const char **origin, int *version,
                           sixer_error *error) {
  *version = 0;
  if (is_path(name)) {
    os_status info;
    const char *slash = folder_of ? os_last_separator(folder_of) : NULL;
    const char *path =
        slash && !os_is_absolute(name)
            ? arena_format(arena, "%.*s/%s", (int)(slash - folder_of), folder_of, name)
            : arena_copy(arena, name, strlen(name));
    if (!path) return arena_no_memory(error);
    if (!os_stat(path, &info) && info.kind != OS_FILE)
      return sixer_fail(error, SIXER_ERR_CONFIG, "%s: %s is a file", path,
                        folder_of ? "the base of a protocol" : "a protocol");
    char *bytes;
    size_t size;
    sixer_err err = arena_read_file(arena, path, &bytes, &size, error);
    if (err) return err;
    if (strlen(bytes) != size)
      return sixer_fail(error, SIXER_ERR_CONFIG, "%s: not a text file (it holds a zero byte)",
                        path);
    *text = bytes;
    *origin = path;
    return SIXER_OK;
  }
  const embedded_file *file = find_builtin(name, strlen(name));
  const char *at = strchr(name, '@');
  if (!file && at) {
    double number;
    if (!number_read(at + 1, NUMBER_FINITE, &number) || number < 1 || number > 1e6 ||
        number != floor(number))
      return unknown_protocol(name, error);
    file = find_builtin(name, (size_t)(at - name));
    *version = (int)number;
  }
  if (!file) return unknown_protocol(name, error);
  *text = file->text;
  *origin = file->name;
  return SIXER_OK;
}

/* Read a document and everything it is based on; entries of its own come first and win. Without `files`, bases are
 * built in. */
static sixer_err load_document(memory_arena *arena, const char *text, const char *origin, int depth,
                               bool files, toml_document *doc, sixer_error *error) {
  sixer_err err = toml_parse(arena, text, origin, doc, error);
  for (size_t i = 0; !err && i < doc->count; i++) err = check_entry(doc, &doc->entries[i], error);
  if (err) return err;
  const toml_entry *base = toml_find(doc, "", "base");
  if (!base) return SIXER_OK;
  if (depth >= 8)
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "%s:%d: bases are nested more than 8 deep, or in a circle", origin,
                      base->line);

  if (!files && is_path(base->value.string))
    return sixer_fail(error, SIXER_ERR_CONFIG, "%s:%d: its base is a file, which is not opened",
                      origin, base->line);

  const char *base_text = NULL, *base_origin = NULL;
  int version = 0;
  toml_document parent;
  if ((err =
           load_text(arena, base->value.string, origin, &base_text, &base_origin, &version, error)))
    return err;
  if ((err = load_document(arena, base_text, base_origin, depth + 1, files, &parent, error)))
    return err;
  const toml_entry *parent_version = toml_find(&parent, "", "version");
  if (version && parent_version && (int)parent_version->value.number != version)
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "%s:%d: there is no version %d of %s; it is at version %d", origin,
                      base->line, version, base_origin, (int)parent_version->value.number);

  /* new columns replace all constants, and a model replaces the whole model */
  bool new_columns = toml_find(doc, "constants", "columns") != NULL, new_model = false;
  for (size_t i = 0; i < doc->count; i++) new_model |= !strcmp(doc->entries[i].section, "model");
  size_t own = doc->count;
  for (size_t i = 0; i < parent.count; i++) {
    toml_entry item = parent.entries[i];
    item.own = false;
    if (!item.section[0] || (new_columns && !strcmp(item.section, "constants")) ||
        (new_model && !strcmp(item.section, "model")))
      continue;
    bool given = false;
    for (size_t k = 0; k < own && !given; k++)
      given =
          !strcmp(doc->entries[k].section, item.section) && !strcmp(doc->entries[k].key, item.key);
    if (!given && (err = toml_add(arena, doc, item, error))) return err;
  }
  return SIXER_OK;
}

/* ---- resolving ---- */

static int compare_strings(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int find_string(const char *const *list, size_t count, const char *text) {
  for (size_t i = 0; i < count; i++) {
    if (!strcmp(list[i], text)) return (int)i;
  }
  return -1;
}

/* A sorted copy of a list of names, checked for duplicates and spelling. */
static sixer_err sorted_names(memory_arena *arena, const toml_document *doc, const toml_entry *e,
                              const char *const **out, sixer_error *error) {
  const char **names = arena_alloc(arena, (e->value.count + 1) * sizeof *names);
  if (!names) return arena_no_memory(error);
  for (size_t i = 0; i < e->value.count; i++) {
    const char *name = e->value.strings[i];
    if (!*name || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
      return sixer_fail(
          error, SIXER_ERR_CONFIG,
          "%s:%d: '%.60s' in %s is not an id; ids are lower-case letters, digits and '_'",
          doc->origin, e->line, name, e->key);
    names[i] = name;
  }
  if (e->value.count) sort_stable(names, e->value.count, sizeof *names, compare_strings);
  for (size_t i = 1; i < e->value.count; i++) {
    if (!strcmp(names[i - 1], names[i]))
      return sixer_fail(error, SIXER_ERR_CONFIG, "%s:%d: %s is in %s twice", doc->origin, e->line,
                        names[i], e->key);
  }
  *out = names;
  return SIXER_OK;
}

static double get_number(const toml_document *doc, const char *section, const char *key) {
  return toml_find(doc, section, key)->value.number;
}
static const char *get_string(const toml_document *doc, const char *section, const char *key) {
  return toml_find(doc, section, key)->value.string;
}

/* Which of "|one|two|" a choice is. */
static int choice(const char *choices, const char *text) {
  int index = 0;
  for (const char *p = choices + 1; *p; index++) {
    size_t length = strcspn(p, "|");
    if (strlen(text) == length && !strncmp(p, text, length)) return index;
    p += length + 1;
  }
  return -1;
}

static sixer_err read_constants(sixer_protocol *p, const toml_document *doc, sixer_error *error) {
  const sixer_protocol_info *info = &p->info;
  const toml_entry *columns = toml_find(doc, "constants", "columns");
  const char *const *sorted = NULL;
  if (columns) {
    sixer_err err = sorted_names(&p->arena, doc, columns, &sorted, error);
    if (err) return err;
    p->columns = (const char **)sorted;
    p->column_count = columns->value.count;
  }
  p->constants =
      arena_alloc(&p->arena, (info->game_count * p->column_count + 1) * sizeof *p->constants);
  if (!p->constants) return arena_no_memory(error);
  for (size_t i = 0; i < info->game_count * p->column_count; i++) p->constants[i] = NAN;
  for (size_t i = 0; i < doc->count; i++) {
    const toml_entry *e = &doc->entries[i];
    bool model = !strcmp(e->section, "model");
    if ((strcmp(e->section, "constants") && !model) || e == columns) continue;
    int game = find_string(info->games, info->game_count, e->key);
    if (game < 0) {
      /* a base may know more games than are used here */
      if (!e->own && !model) continue;
      return sixer_fail(error, SIXER_ERR_CONFIG, "%s:%d: %s is not in the list of games",
                        doc->origin, e->line, e->key);
    }
    if (model) {
      if (!p->model && !(p->model = arena_alloc(&p->arena, info->game_count * sizeof *p->model)))
        return arena_no_memory(error);
      p->model[game] = e->value.number;
      continue;
    }
    if (!columns || e->value.count != columns->value.count)
      return sixer_fail(error, SIXER_ERR_CONFIG,
                        "%s:%d: %s has %zu constants, but there are %zu columns", doc->origin,
                        e->line, e->key, e->value.count, columns ? columns->value.count : 0);
    for (size_t c = 0; c < p->column_count; c++) {
      int to = find_string(p->columns, p->column_count, columns->value.strings[c]);
      p->constants[(size_t)game * p->column_count + (size_t)to] = e->value.numbers[c];
    }
  }
  return SIXER_OK;
}

/* Games with levels: some to train on and others to be tested on, each range as its first and last level. */
static sixer_err read_levels(sixer_protocol_info *info, const toml_document *doc,
                             sixer_error *error) {
  static const char *const keys[2] = {"train", "test"};
  const toml_entry *ranges[2] = {toml_find(doc, "levels", "train"),
                                 toml_find(doc, "levels", "test")};
  int *levels[2] = {info->train_levels, info->test_levels};
  for (int k = 0; k < 2; k++) {
    levels[k][0] = levels[k][1] = -1;
    if (!ranges[0] && !ranges[1]) continue;
    if (!ranges[k])
      return sixer_fail(error, SIXER_ERR_CONFIG, "%s: levels.%s is missing beside levels.%s",
                        doc->origin, keys[k], keys[1 - k]);
    const double *numbers = ranges[k]->value.numbers;
    if (ranges[k]->value.count != 2 || numbers[0] > numbers[1])
      return sixer_fail(error, SIXER_ERR_CONFIG,
                        "%s:%d: %s wants the first and the last level, such as [0, 199]",
                        doc->origin, ranges[k]->line, keys[k]);
    for (int i = 0; i < 2; i++) levels[k][i] = (int)numbers[i];
  }
  if (!ranges[0]) return SIXER_OK;
  if (info->train_levels[0] <= info->test_levels[1] &&
      info->test_levels[0] <= info->train_levels[1])
    return sixer_fail(error, SIXER_ERR_CONFIG, "%s:%d: levels of the test are trained on too",
                      doc->origin, ranges[1]->line);
  int count = info->test_levels[1] - info->test_levels[0] + 1;
  if (info->score_of == SIXER_SCORE_TRAINING || info->episodes % count)
    return sixer_fail(
        error, SIXER_ERR_CONFIG,
        "%s: the %d levels of the test want evaluation episodes, equally many on each", doc->origin,
        count);
  return SIXER_OK;
}

/* A whole number from 0 to 255 after a word: "mode 4". Moves *text behind it; -1 if there is none. */
static int read_switch(const char **text, const char *word) {
  size_t length = strlen(word);
  if (strncmp(*text, word, length) || (*text)[length] != ' ') return -1;
  const char *p = *text + length + 1;
  int number = 0, digits = 0;
  for (; *p >= '0' && *p <= '9' && digits < 4; p++, digits++) number = 10 * number + (*p - '0');
  if (!digits || number > 255) return -1;
  *text = p;
  return number;
}

/* "default", "all", "mode 4", "difficulty 1" or "mode 4, difficulty 1". Whether a game has that flavor is seen when it
 * is opened. */
static sixer_err read_flavors(sixer_protocol_info *info, const toml_document *doc,
                              sixer_error *error) {
  const toml_entry *e = toml_find(doc, "environment", "flavors");
  const char *text = info->flavors = e->value.string;
  info->mode = info->difficulty = -1;
  info->all_flavors = !strcmp(text, "all");
  if (info->all_flavors || !strcmp(text, "default")) return SIXER_OK;
  info->mode = read_switch(&text, "mode");
  if (info->mode < 0 || !strncmp(text, ", ", 2)) {
    if (info->mode >= 0) text += 2;
    info->difficulty = read_switch(&text, "difficulty");
    if (info->difficulty < 0) text = "?";
  }
  if (!*text) return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_CONFIG,
                    "%s:%d: flavors cannot be \"%.60s\"; write \"default\", \"all\", \"mode 4\", "
                    "\"difficulty 1\" or \"mode 4, difficulty 1\"",
                    doc->origin, e->line, info->flavors);
}

/* What happens between training and score: evaluations during training, the test's own exploration, planning. */
static sixer_err read_testing(sixer_protocol_info *info, const toml_document *doc,
                              sixer_error *error) {
  const toml_entry *interval = toml_find(doc, "training", "evaluation_interval"),
                   *length = toml_find(doc, "training", "evaluation_length"),
                   *epsilon = toml_find(doc, "score", "test_epsilon"),
                   *budget = toml_find(doc, "score", "planning_budget"),
                   *target = toml_find(doc, "score", "model_target"),
                   *sd = toml_find(doc, "score", "model_error");
  info->evaluation_interval = interval ? (int64_t)interval->value.number : 0;
  info->evaluation_length = length ? (int64_t)length->value.number : 0;
  info->test_epsilon = epsilon ? epsilon->value.number : NAN;
  info->planning_budget = budget ? (int64_t)budget->value.number : 0;
  info->model_target = target ? target->value.string : NULL;
  info->model_error = sd ? sd->value.number : NAN;
  if (length && !interval)
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "%s:%d: evaluation_length needs evaluation_interval beside it", doc->origin,
                      length->line);
  if (interval && info->evaluation_interval > info->length)
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "%s:%d: evaluation_interval = %lld is longer than the training, %lld",
                      doc->origin, interval->line, (long long)info->evaluation_interval,
                      (long long)info->length);
  if (epsilon && info->score_of == SIXER_SCORE_TRAINING)
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "%s:%d: test_epsilon is of evaluation episodes, and score.of = \"training\" "
                      "has none",
                      doc->origin, epsilon->line);
  return SIXER_OK;
}

static sixer_err resolve(sixer_protocol *p, const toml_document *doc, sixer_error *error) {
  sixer_protocol_info *info = &p->info;
  for (const rule *r = rules; r < rules + RULE_COUNT; r++) {
    if (!r->optional && !toml_find(doc, r->section, r->key))
      return sixer_fail(error, SIXER_ERR_CONFIG,
                        "%s: %s%s%s is missing; give it, or name a base that has it", doc->origin,
                        r->section, r->section[0] ? "." : "", r->key);
  }
  info->name = get_string(doc, "", "name");
  if (!*info->name ||
      strspn(info->name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != strlen(info->name))
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "%s: the name '%.60s' must be of lower-case letters, digits, '_' and '-'",
                      doc->origin, info->name);
  const toml_entry *optional;
  info->version = (optional = toml_find(doc, "", "version")) ? (int)optional->value.number : 1;
  info->title = (optional = toml_find(doc, "", "title")) ? optional->value.string : info->name;
  info->source = (optional = toml_find(doc, "", "source")) ? optional->value.string : "";
  info->base = (optional = toml_find(doc, "", "base")) ? optional->value.string : NULL;

  const toml_entry *list = toml_find(doc, "games", "list"),
                   *tuning = toml_find(doc, "games", "tuning");
  sixer_err err = sorted_names(&p->arena, doc, list, &info->games, error);
  if (!err) err = sorted_names(&p->arena, doc, tuning, &info->tuning, error);
  if (err) return err;
  info->game_count = list->value.count;
  info->tuning_count = tuning->value.count;
  if (!info->game_count)
    return sixer_fail(error, SIXER_ERR_CONFIG, "%s: the list of games is empty", doc->origin);

  if ((err = read_flavors(info, doc, error))) return err;
  info->sticky = get_number(doc, "environment", "sticky");
  info->minimal_actions = get_string(doc, "environment", "actions")[0] == 'm';
  info->frame_skip = (int)get_number(doc, "environment", "frame_skip");
  info->noop_starts = (int)get_number(doc, "environment", "noop_starts");
  info->life_loss = (sixer_life_rule)choice("|ignored|terminal-in-training|terminal|",
                                            get_string(doc, "environment", "life_loss"));
  info->max_frames = (int)get_number(doc, "environment", "max_frames");
  info->stuck_frames = (int)get_number(doc, "environment", "stuck_frames");
  info->fixed_scoring = get_string(doc, "environment", "scoring")[0] == 'f';
  info->length_in_episodes = get_string(doc, "training", "unit")[0] == 'e';
  info->length = (int64_t)get_number(doc, "training", "length");
  info->score_of = (sixer_score_of)choice("|training|evaluation|best-evaluation|",
                                          get_string(doc, "score", "of"));
  info->episodes = (int)get_number(doc, "score", "episodes");
  info->include_crossing = toml_find(doc, "score", "include_crossing")->value.flag;
  info->trials = (int)get_number(doc, "score", "trials");
  info->significance = get_number(doc, "score", "significance");
  info->aggregate = get_string(doc, "score", "aggregate");
  info->normalization = get_string(doc, "normalization", "default");
  info->endless = get_number(doc, "normalization", "endless");

  if ((err = read_levels(info, doc, error))) return err;
  if ((err = read_testing(info, doc, error))) return err;
  const toml_value *points = &toml_find(doc, "training", "checkpoints")->value;
  const toml_value *limits = &toml_find(doc, "score", "limits")->value;
  if (!points->count || points->count > SIXER_CHECKPOINTS_MAX || !limits->count ||
      limits->count > SIXER_LIMITS_MAX)
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "%s: from 1 to %d checkpoints and from 1 to %d limits are possible",
                      doc->origin, SIXER_CHECKPOINTS_MAX, SIXER_LIMITS_MAX);
  info->checkpoint_count = points->count;
  for (size_t i = 0; i < points->count; i++) {
    info->checkpoints[i] = (int64_t)points->numbers[i];
    if ((i && info->checkpoints[i] <= info->checkpoints[i - 1]) ||
        info->checkpoints[i] > info->length)
      return sixer_fail(error, SIXER_ERR_CONFIG,
                        "%s: checkpoints must rise and lie within the training length",
                        doc->origin);
  }
  info->limit_count = limits->count;
  for (size_t i = 0; i < limits->count; i++) {
    info->limits[i] = (int)limits->numbers[i];
    if (i && (!info->limits[i - 1] || (info->limits[i] && info->limits[i] <= info->limits[i - 1])))
      return sixer_fail(error, SIXER_ERR_CONFIG,
                        "%s: limits must rise, with 0 (whole episodes) last; %d follows %d",
                        doc->origin, info->limits[i], info->limits[i - 1]);
    if (info->frame_skip && info->limits[i] % info->frame_skip)
      return sixer_fail(error, SIXER_ERR_CONFIG,
                        "%s: the limit %d is not a multiple of frame_skip = %d: no step ends there",
                        doc->origin, info->limits[i], info->frame_skip);
    if (info->max_frames && info->limits[i] > info->max_frames)
      return sixer_fail(error, SIXER_ERR_CONFIG, "%s: the limit %d is beyond max_frames = %d",
                        doc->origin, info->limits[i], info->max_frames);
  }
  if ((err = read_constants(p, doc, error))) return err;
  if (!strcmp(info->aggregate, "model") && !p->model)
    return sixer_fail(error, SIXER_ERR_CONFIG, "%s: aggregate = \"model\" needs a [model] section",
                      doc->origin);
  return SIXER_OK;
}

/* ---- canonical form ---- */

typedef struct writer {
  char *text;
  size_t used, room;
} writer;

/* Append a text. With room 0 nothing is written: the first pass only counts the bytes. */
static void put(writer *w, const char *text) {
  size_t length = strlen(text);
  if (w->used + length < w->room) memcpy(w->text + w->used, text, length + 1);
  w->used += length;
}

static void put_number(writer *w, double number) {
  char buffer[32];
  put(w, number_text(number, buffer));
}

static void put_names(writer *w, const char *const *names, size_t count) {
  put(w, "[");
  for (size_t i = 0; i < count; i++) {
    put(w, i ? ", \"" : "\"");
    put(w, names[i]);
    put(w, "\"");
  }
  put(w, "]");
}

static void put_value(writer *w, const sixer_protocol *p, const rule *r, const toml_value *v) {
  if (!strcmp(r->section, "games")) {
    bool list = !strcmp(r->key, "list");
    put_names(w, list ? p->info.games : p->info.tuning,
              list ? p->info.game_count : p->info.tuning_count);
    return;
  }
  switch (r->kind) {
    case TOML_STRING:
      put(w, "\"");
      put(w, v->string);
      put(w, "\"");
      break;
    case TOML_NUMBER: put_number(w, v->number); break;
    case TOML_BOOL: put(w, v->flag ? "true" : "false"); break;
    case TOML_STRINGS: put_names(w, v->strings, v->count); break;
    case TOML_NUMBERS:
      put(w, "[");
      for (size_t i = 0; i < v->count; i++) {
        if (i) put(w, ", ");
        put_number(w, v->numbers[i]);
      }
      put(w, "]");
      break;
  }
}

static void put_protocol(writer *w, const sixer_protocol *p, const toml_document *doc) {
  const char *section = "";
  w->used = 0;
  for (const rule *r = rules; r < rules + RULE_COUNT; r++) {
    const toml_entry *e = toml_find(doc, r->section, r->key);
    if (!r->defines || !e) continue;
    if (strcmp(section, r->section)) {
      put(w, section[0] ? "\n[" : "[");
      put(w, section = r->section);
      put(w, "]\n");
    }
    put(w, r->key);
    put(w, " = ");
    put_value(w, p, r, &e->value);
    put(w, "\n");
  }
  if (p->model) {
    put(w, "\n[model]\n");
    for (size_t g = 0; g < p->info.game_count; g++) {
      if (p->model[g] == 0) continue;
      put(w, p->info.games[g]);
      put(w, " = ");
      put_number(w, p->model[g]);
      put(w, "\n");
    }
  }
  if (p->column_count) {
    put(w, "\n[constants]\ncolumns = ");
    put_names(w, p->columns, p->column_count);
    put(w, "\n");
    for (size_t g = 0; g < p->info.game_count; g++) {
      put(w, p->info.games[g]);
      put(w, " = [");
      for (size_t c = 0; c < p->column_count; c++) {
        if (c) put(w, ", ");
        put_number(w, p->constants[g * p->column_count + c]);
      }
      put(w, "]\n");
    }
  }
}

/* Fill a protocol from its text. */
static sixer_err build(sixer_protocol *p, const char *text, const char *origin, int version,
                       bool files, sixer_error *error) {
  toml_document doc;
  sixer_err err = load_document(&p->arena, text, origin, 0, files, &doc, error);
  if (!err) err = resolve(p, &doc, error);
  if (err) return err;
  if (version && version != p->info.version)
    return sixer_fail(error, SIXER_ERR_CONFIG, "there is no version %d of %s; it is at version %d",
                      version, p->info.name, p->info.version);
  writer w = {0};
  put_protocol(&w, p, &doc);
  w.room = w.used + 1;
  if (!(w.text = arena_alloc(&p->arena, w.room))) return arena_no_memory(error);
  put_protocol(&w, p, &doc);
  p->text = w.text;
  sha256_hex(w.text, w.used, p->info.hash);
  return SIXER_OK;
}

/* A file may use the name of a built-in protocol only if it is equal to it. Old versions are in NAME@VERSION.toml. */
static sixer_err check_name(const sixer_protocol *p, const char *origin, sixer_error *error) {
  char old[100];
  int length = snprintf(old, sizeof old, "%.80s@%d", p->info.name, p->info.version);
  const embedded_file *file = find_builtin(old, (size_t)length);
  if (!file) file = find_builtin(p->info.name, strlen(p->info.name));
  if (!file) return SIXER_OK;
  sixer_protocol builtin = {0};
  sixer_err err = build(&builtin, file->text, file->name, 0, false, error);
  if (!err && (strcmp(builtin.info.hash, p->info.hash) || builtin.info.version != p->info.version))
    err = sixer_fail(error, SIXER_ERR_CONFIG,
                     "%s: the name '%s' belongs to a built-in protocol, and this one differs from "
                     "it; give it another "
                     "name, with base = \"%s\" and only what differs",
                     origin, p->info.name, p->info.name);
  arena_free(&builtin.arena);
  return err;
}

static sixer_err open_text(const char *text, const char *origin, bool builtin, int version,
                           bool files, memory_arena *arena, sixer_protocol **protocol,
                           sixer_error *error) {
  sixer_protocol *p = calloc(1, sizeof *p);
  if (!p) return arena_no_memory(error);
  if (arena) {
    p->arena = *arena; /* holds the text and its origin */
    arena->blocks = NULL;
  }
  sixer_err err = build(p, text, origin, version, files, error);
  if (!err && !builtin) err = check_name(p, origin, error);
  if (err) {
    sixer_protocol_close(p);
    return err;
  }
  *protocol = p;
  return SIXER_OK;
}

static sixer_err parse(const char *text, const char *origin, bool files, sixer_protocol **protocol,
                       sixer_error *error) {
  memory_arena arena = {0};
  const char *copy = arena_copy(&arena, origin, strlen(origin));
  if (!copy) return arena_no_memory(error);
  return open_text(text, copy, false, 0, files, &arena, protocol, error);
}

sixer_err sixer_protocol_parse(const char *text, const char *origin, sixer_protocol **protocol,
                               sixer_error *error) {
  return parse(text, origin, true, protocol, error);
}

sixer_err protocol_parse_stored(const char *text, const char *origin, sixer_protocol **protocol,
                                sixer_error *error) {
  return parse(text, origin, false, protocol, error);
}

sixer_err sixer_protocol_open(const char *name_or_path, sixer_protocol **protocol,
                              sixer_error *error) {
  memory_arena arena = {0};
  const char *text = NULL, *origin = NULL;
  int version;
  sixer_err err = load_text(&arena, name_or_path, NULL, &text, &origin, &version, error);
  if (!err)
    err = open_text(text, origin, !is_path(name_or_path), version, true, &arena, protocol, error);
  arena_free(&arena);
  return err;
}

void sixer_protocol_close(sixer_protocol *protocol) {
  if (!protocol) return;
  arena_free(&protocol->arena);
  free(protocol);
}

sixer_protocol_info sixer_protocol_describe(const sixer_protocol *protocol) {
  return protocol->info;
}

double sixer_protocol_constant(const sixer_protocol *protocol, const char *column,
                               const char *game) {
  int c = find_string(protocol->columns, protocol->column_count, column);
  int g = find_string(protocol->info.games, protocol->info.game_count, game);
  return c < 0 || g < 0 ? NAN : protocol->constants[(size_t)g * protocol->column_count + (size_t)c];
}

double sixer_protocol_coefficient(const sixer_protocol *protocol, const char *game) {
  int g = find_string(protocol->info.games, protocol->info.game_count, game);
  return g < 0 || !protocol->model ? 0 : protocol->model[g];
}

const char *sixer_protocol_text(const sixer_protocol *protocol) { return protocol->text; }
