/* Reading experiment files.
 *
 *     name = "first"
 *     protocol = "sixer-levels"
 *     games = ["duskrain", "hedgelight"]   # without it: those of the protocol
 *     trials = 2
 *     frames = "100k"
 *
 *     [agent.sarsa]                        # an agent under the label "sarsa", with options
 *     preset = "machado2018"
 *
 *     [sweep.sarsa]                        # one agent for each combination
 *     alpha = [0.1, 0.25, 0.5]
 *
 *     [budget.sarsa]                       # what is special about it
 *     frames = "1M"
 *
 * Sections are resolved into a flat list of agents; each is created once, which checks its options and gives all of
 * them as text. */
#include "lab/experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sixer/agents.h"
#include "sixer/catalog.h"
#include "util/error.h"
#include "util/nearest.h"
#include "util/number.h"
#include "util/os.h"
#include "util/random.h"
#include "util/rounded.h"
#include "util/toml.h"

enum { MAX_SWEPT = 16, MAX_COMBINATIONS = 10000, LABEL = 60 };

typedef struct reader {
  experiment *e;
  toml_document doc;
  sixer_error *error;
  size_t room; /* of agents */
  /* the games of the library and of this user; opened at the first question, since opening takes milliseconds */
  sixer_catalog **catalogs;
  /* defaults of [budget.X] */
  int64_t frames, episodes, evaluation, trials;
} reader;

/* ---- Values ---------------------------------------------------------------------------------------------------- */

static sixer_err wrong(const reader *r, const toml_entry *e, const char *wanted) {
  char number[32];
  const char *found = e->value.kind == TOML_STRING   ? e->value.string
                      : e->value.kind == TOML_NUMBER ? number_text(e->value.number, number)
                      : e->value.kind == TOML_BOOL   ? (e->value.flag ? "true" : "false")
                      : e->value.count               ? "an array"
                                                     : "an empty array";
  return sixer_fail(r->error, SIXER_ERR_CONFIG, "%.200s:%d: '%s' is %s, found %.80s", r->e->path,
                    e->line, e->key, wanted, found);
}

static sixer_err unknown(const reader *r, const toml_entry *e, const char *where,
                         const char *words) {
  nearest close;
  nearest_begin(&close, e->key);
  nearest_offer_list(&close, words);
  return sixer_fail(r->error, SIXER_ERR_CONFIG, "%.200s:%d: '%s' is not a key of %s%s", r->e->path,
                    e->line, e->key, where, nearest_hint(&close));
}

/* A count: a number, or a text such as "10M" or "200k". */
static sixer_err read_count(const reader *r, const toml_entry *e, double lowest, double highest,
                            int64_t *out) {
  double value = NAN;
  if (e->value.kind == TOML_NUMBER) value = e->value.number;
  if (e->value.kind == TOML_STRING && strlen(e->value.string) < 20) {
    char digits[24];
    snprintf(digits, sizeof digits, "%s", e->value.string);
    size_t length = strlen(digits);
    const char *unit = length ? strchr("kMG", digits[length - 1]) : NULL;
    double factor = 1;
    if (unit && *unit) {
      factor = *unit == 'k' ? 1e3 : *unit == 'M' ? 1e6 : 1e9;
      digits[length - 1] = 0;
    }
    if (number_read(digits, NUMBER_FINITE, &value)) value *= factor;
  }
  char wanted[100];
  snprintf(wanted, sizeof wanted, "a whole number from %.0f to %.0f, such as 200000 or \"200k\"",
           lowest, highest);
  if (!(value >= lowest && value <= highest) || value != floor(value)) return wrong(r, e, wanted);
  *out = (int64_t)value;
  return SIXER_OK;
}

static sixer_err read_text(const reader *r, const toml_entry *e, size_t longest, const char **out) {
  if (e->value.kind != TOML_STRING || !*e->value.string) return wrong(r, e, "a text in quotes");
  if (strlen(e->value.string) > longest) return wrong(r, e, "a shorter text");
  *out = e->value.string;
  return SIXER_OK;
}

/* The names after the point of a section, "sarsa" of [agent.sarsa]; NULL if it is of another kind. */
static const char *part(const char *section, const char *kind) {
  size_t length = strlen(kind);
  return !strncmp(section, kind, length) && section[length] == '.' ? section + length + 1 : NULL;
}

/* ---- Games ----------------------------------------------------------------------------------------------------- */

/* A path is looked at when the run is made; an id must be known. */
static sixer_err check_game(const reader *r, const toml_entry *e, const char *id) {
  if (strchr(id, '/') || strchr(id, '.')) return SIXER_OK;
  nearest close;
  nearest_begin(&close, id);
  for (int own = 0; own < 2; own++) {
    sixer_catalog **place = &r->catalogs[own];
    if (!*place &&
        (own ? sixer_catalog_open(NULL, place, NULL) : sixer_catalog_open_builtin(place, NULL)))
      continue;
    const sixer_catalog *catalog = *place;
    bool found = false;
    for (int i = 0; i < sixer_catalog_count(catalog); i++) {
      const char *name = sixer_catalog_game(catalog, i).id;
      found |= !strcmp(name, id);
      nearest_offer(&close, name, strlen(name));
    }
    if (found) return SIXER_OK;
  }
  return sixer_fail(r->error, SIXER_ERR_CONFIG,
                    "%.200s:%d: there is no game '%.60s'%s; `sixer games` lists them", r->e->path,
                    e->line, id, nearest_hint(&close));
}

static sixer_err read_games(const reader *r, const toml_entry *e, const char *const **games,
                            size_t *count) {
  if (e->value.kind != TOML_STRINGS || !e->value.count)
    return wrong(r, e, "an array of names, as in [\"duskrain\", \"pong\"]");
  if (e->value.count > EXPERIMENT_GAMES)
    return sixer_fail(r->error, SIXER_ERR_CONFIG, "%.200s:%d: %zu games; at most %d are possible",
                      r->e->path, e->line, e->value.count, EXPERIMENT_GAMES);
  for (size_t i = 0; i < e->value.count; i++) {
    sixer_err err = check_game(r, e, e->value.strings[i]);
    if (err) return err;
    for (size_t k = 0; k < i; k++) {
      if (!strcmp(e->value.strings[k], e->value.strings[i]))
        return sixer_fail(r->error, SIXER_ERR_CONFIG, "%.200s:%d: the game '%.60s' is given twice",
                          r->e->path, e->line, e->value.strings[i]);
    }
  }
  *games = e->value.strings;
  *count = e->value.count;
  return SIXER_OK;
}

/* ---- The top of the file --------------------------------------------------------------------------------------- */

static sixer_err read_budget(const reader *r, const toml_entry *e, int64_t *frames,
                             int64_t *episodes, int64_t *evaluation, int64_t *trials, bool *known) {
  *known = true;
  if (!strcmp(e->key, "frames")) return read_count(r, e, 1, 1e15, frames);
  if (!strcmp(e->key, "episodes")) return read_count(r, e, 1, 1e15, episodes);
  if (!strcmp(e->key, "evaluation")) return read_count(r, e, 0, 1e9, evaluation);
  if (!strcmp(e->key, "trials")) return read_count(r, e, 1, 10000, trials);
  *known = false;
  return SIXER_OK;
}

static sixer_err read_protocol(const reader *r, const toml_entry *e) {
  const char *name = "";
  sixer_err err = read_text(r, e, 4000, &name);
  if (err) return err;
  /* a file is found from the folder of the experiment */
  const char *slash = os_last_separator(r->e->path);
  if (slash && !os_is_absolute(name) && (strchr(name, '/') || strstr(name, ".toml"))) {
    name = arena_format(&r->e->arena, "%.*s/%s", (int)(slash - r->e->path), r->e->path, name);
    if (!name) return arena_no_memory(r->error);
  }
  sixer_error inner;
  if (sixer_protocol_open(name, &r->e->protocol, &inner))
    return sixer_fail(r->error, SIXER_ERR_CONFIG, "%.200s:%d: %.260s", r->e->path, e->line,
                      inner.message);
  return SIXER_OK;
}

static sixer_err read_top(reader *r, const toml_entry *e) {
  static const char keys[] = "name|protocol|games|trials|seed|frames|episodes|evaluation";
  bool known;
  sixer_err err = read_budget(r, e, &r->frames, &r->episodes, &r->evaluation, &r->trials, &known);
  if (err || known) return err;
  if (!strcmp(e->key, "name")) {
    if ((err = read_text(r, e, 60, &r->e->name))) return err;
    for (const char *c = r->e->name; *c; c++) {
      if (*c == '/' || (unsigned char)*c < 33 || *r->e->name == '.')
        return wrong(r, e, "a word that can be the name of a file");
    }
    return SIXER_OK;
  }
  if (!strcmp(e->key, "protocol")) return read_protocol(r, e);
  if (!strcmp(e->key, "games")) return read_games(r, e, &r->e->games, &r->e->game_count);
  if (!strcmp(e->key, "seed")) {
    int64_t seed = 1;
    err = read_count(r, e, 1, INT32_MAX - 10000, &seed);
    if (!err) r->e->seed = (uint32_t)seed;
    return err;
  }
  return unknown(r, e, "an experiment", keys);
}

/* ---- Agents ---------------------------------------------------------------------------------------------------- */

/* The words of a command as one text; blanks and backslashes inside of words are escaped. */
static const char *command_text(const reader *r, const toml_value *v) {
  size_t size = 1;
  for (size_t i = 0; i < v->count; i++) size += 2 * strlen(v->strings[i]) + 1;
  char *text = arena_alloc(&r->e->arena, size), *out = text;
  if (!text) return NULL;
  for (size_t i = 0; i < v->count; i++) {
    if (i) *out++ = ' ';
    for (const char *c = v->strings[i]; *c; c++) {
      if (*c == ' ' || *c == '\\') *out++ = '\\';
      *out++ = *c;
    }
  }
  *out = 0;
  return text;
}

static const char *value_text(const reader *r, const toml_entry *e) {
  const toml_value *v = &e->value;
  char number[32];
  if (v->kind == TOML_STRINGS && !strcmp(e->key, "command")) return command_text(r, v);
  if (v->kind == TOML_STRING) return v->string;
  if (v->kind == TOML_BOOL) return v->flag ? "1" : "0";
  if (v->kind != TOML_NUMBER) return NULL;
  number_text(v->number, number);
  return arena_copy(&r->e->arena, number, strlen(number));
}

/* Append ",name=value" to a text of options. */
static bool append(char *options, const char *name, const char *value) {
  size_t at = strlen(options);
  int n = snprintf(options + at, EXPERIMENT_OPTIONS - at, "%s%s=%s", at ? "," : "", name, value);
  return n >= 0 && (size_t)n < EXPERIMENT_OPTIONS - at;
}

/* The options of [agent.LABEL]: the preset first, whatever the order in the file. `name` becomes the agent's. */
static sixer_err read_options(const reader *r, const char *label, const char **name,
                              char *options) {
  options[0] = 0;
  *name = label;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < r->doc.count; i++) {
      const toml_entry *e = &r->doc.entries[i];
      const char *of = part(e->section, "agent");
      if (!of || strcmp(of, label) != 0) continue;
      if (!strcmp(e->key, "agent")) {
        sixer_err err = read_text(r, e, 60, name);
        if (err) return err;
        continue;
      }
      if (*name == label && !sixer_agent_option_at(label, 0).name) {
        if (!strcmp(e->key, "command")) *name = "pipe";
        if (!strcmp(e->key, "class")) *name = "python";
      }
      if ((pass == 0) != !strcmp(e->key, "preset")) continue;
      const char *text = value_text(r, e);
      if (!text) return wrong(r, e, "a single value; lists belong into [sweep.NAME]");
      if (strchr(text, ',')) return wrong(r, e, "a value without a comma");
      if (!append(options, e->key, text)) return wrong(r, e, "shorter: the options are too long");
    }
  }
  return SIXER_OK;
}

static sixer_err add_agent(reader *r, const char *label, const char *name, const char *options,
                           const char *base, int line) {
  experiment *x = r->e;
  sixer_agent *agent;
  sixer_error inner;
  if (!*label || strlen(label) > LABEL)
    return sixer_fail(r->error, SIXER_ERR_CONFIG,
                      "%.200s:%d: the label '%.70s' is longer than %d "
                      "characters",
                      x->path, line, label, LABEL);
  if (sixer_agent_create(name, options, 1, &agent, &inner))
    return sixer_fail(r->error, SIXER_ERR_CONFIG, "%.150s:%d: %.300s", x->path, line,
                      inner.message);
  size_t length = sixer_agent_settings(agent, NULL, 0);
  char *full = arena_alloc(&x->arena, length + 1);
  if (full) sixer_agent_settings(agent, full, length + 1);
  sixer_agent_destroy(agent);
  if (x->agent_count == r->room) {
    size_t room = r->room ? 2 * r->room : 16;
    experiment_agent *more = arena_alloc(&x->arena, room * sizeof *more);
    if (!more) return arena_no_memory(r->error);
    if (x->agent_count) memcpy(more, x->agents, x->agent_count * sizeof *more);
    x->agents = more;
    r->room = room;
  }
  experiment_agent a = {.label = arena_copy(&x->arena, label, strlen(label)),
                        .name = arena_copy(&x->arena, name, strlen(name)),
                        .options = full,
                        .games = x->games,
                        .game_count = x->game_count,
                        .line = line};
  int64_t frames = r->frames, episodes = r->episodes, evaluation = r->evaluation,
          trials = r->trials;
  for (size_t i = 0; i < r->doc.count; i++) {
    const toml_entry *e = &r->doc.entries[i];
    const char *of = part(e->section, "budget");
    if (!of || strcmp(of, base) != 0) continue;
    bool known;
    sixer_err err = read_budget(r, e, &frames, &episodes, &evaluation, &trials, &known);
    if (!err && !known && !strcmp(e->key, "games"))
      err = read_games(r, e, &a.games, &a.game_count);
    else if (!err && !known)
      err = unknown(r, e, "[budget.NAME]", "frames|episodes|evaluation|trials|games");
    if (err) return err;
  }
  a.frames = frames;
  a.episodes = episodes;
  a.evaluation = (int)evaluation;
  a.trials = (int)trials;
  if (!a.label || !a.name || !full) return arena_no_memory(r->error);
  x->agents[x->agent_count++] = a;
  return SIXER_OK;
}

/* ---- Sweeps ---------------------------------------------------------------------------------------------------- */

/* One option of a sweep: a list of values, or a range. */
typedef struct swept {
  const toml_entry *entry;
  double low, high;
  bool log, whole, range;
} swept;

/* "0.01..1", "0.01..1 log", "1..8 int" */
static bool read_range(const char *text, swept *s) {
  char low[40], high[40];
  const char *dots = strstr(text, "..");
  if (!dots || dots - text >= 40) return false;
  snprintf(low, sizeof low, "%.*s", (int)(dots - text), text);
  const char *blank = strchr(dots + 2, ' ');
  snprintf(high, sizeof high, "%.*s", blank ? (int)(blank - dots - 2) % 40 : 39, dots + 2);
  if (blank) {
    s->log = !strcmp(blank, " log");
    s->whole = !strcmp(blank, " int");
    if (!s->log && !s->whole) return false;
  }
  s->range = true;
  return number_read(low, NUMBER_FINITE, &s->low) && number_read(high, NUMBER_FINITE, &s->high) &&
         s->low < s->high && (!s->log || s->low > 0);
}

static size_t value_count(const swept *s) { return s->entry->value.count; }

/* The value of a list by index, or one drawn from the range. */
static const char *swept_value(const reader *r, const swept *s, size_t index, uint64_t *rng) {
  char number[32];
  double value;
  if (!s->range) {
    const toml_value *v = &s->entry->value;
    if (v->kind == TOML_STRINGS) return v->strings[index];
    value = v->numbers[index];
  } else if (s->whole) {
    value = s->low + floor(random_real(rng) * (s->high - s->low + 1));
  } else {
    double u = random_real(rng);
    value = s->log ? s->low * rounded_pow(s->high / s->low, u) : s->low + u * (s->high - s->low);
    char rounded[32]; /* four digits: settings that a person can type again */
    snprintf(rounded, sizeof rounded, "%.4g", value);
    number_read(rounded, NUMBER_FINITE, &value);
  }
  number_text(value, number);
  return arena_copy(&r->e->arena, number, strlen(number));
}

static sixer_err read_swept(const reader *r, const toml_entry *e, swept *s) {
  *s = (swept){.entry = e};
  if (e->value.kind == TOML_STRING) {
    if (!read_range(e->value.string, s))
      return wrong(r, e,
                   "an array of values, or a range such as \"0.01..1\", \"0.01..1 log\" or "
                   "\"1..8 int\"");
    return SIXER_OK;
  }
  if ((e->value.kind != TOML_NUMBERS && e->value.kind != TOML_STRINGS) || !e->value.count)
    return wrong(r, e, "an array of values, or a range such as \"0.01..1 log\"");
  return SIXER_OK;
}

static sixer_err add_combination(reader *r, const char *label, const char *name,
                                 const char *options, const swept *axes, int count, size_t number,
                                 const size_t *index, uint64_t *rng, int line) {
  char all[EXPERIMENT_OPTIONS], title[EXPERIMENT_OPTIONS] = "";
  snprintf(all, sizeof all, "%s", options);
  for (int k = 0; k < count; k++) {
    const char *value = swept_value(r, &axes[k], index ? index[k] : 0, rng);
    if (!value) return arena_no_memory(r->error);
    if (!append(all, axes[k].entry->key, value) || !append(title, axes[k].entry->key, value))
      return wrong(r, axes[k].entry, "shorter: the options are too long");
  }
  char full[2 * EXPERIMENT_OPTIONS];
  snprintf(full, sizeof full, "%s %s", label, title);
  if (strlen(full) > LABEL) snprintf(full, sizeof full, "%s #%zu", label, number + 1);
  return add_agent(r, full, name, all, label, line);
}

/* Draw `samples` combinations: each value of a list is as likely as the others. */
static sixer_err add_samples(reader *r, const char *label, const char *name, const char *options,
                             const swept *axes, int count, int64_t samples, uint64_t seed,
                             int line) {
  uint64_t rng = seed;
  for (int64_t i = 0; i < samples; i++) {
    size_t index[MAX_SWEPT] = {0};
    for (int k = 0; k < count; k++) {
      if (!axes[k].range) index[k] = (size_t)random_below(&rng, (int)value_count(&axes[k]));
    }
    sixer_err err =
        add_combination(r, label, name, options, axes, count, (size_t)i, index, &rng, line);
    if (err) return err;
  }
  return SIXER_OK;
}

static sixer_err add_grid(reader *r, const char *label, const char *name, const char *options,
                          const swept *axes, int count, int line) {
  size_t total = 1;
  for (int k = 0; k < count; k++) {
    if (axes[k].range)
      return sixer_fail(r->error, SIXER_ERR_CONFIG,
                        "%.200s:%d: a range needs `samples`, the number of draws, in [sweep.%s]",
                        r->e->path, axes[k].entry->line, label);
    total *= value_count(&axes[k]);
    if (total > MAX_COMBINATIONS)
      return sixer_fail(r->error, SIXER_ERR_CONFIG,
                        "%.200s:%d: the sweep has more than %d combinations", r->e->path,
                        axes[k].entry->line, MAX_COMBINATIONS);
  }
  for (size_t i = 0; i < total; i++) {
    size_t index[MAX_SWEPT], rest = i;
    for (int k = count; k-- > 0; rest /= value_count(&axes[k]))
      index[k] = rest % value_count(&axes[k]);
    sixer_err err = add_combination(r, label, name, options, axes, count, i, index, NULL, line);
    if (err) return err;
  }
  return SIXER_OK;
}

static sixer_err add_section(reader *r, const char *label, int line) {
  const char *name;
  char options[EXPERIMENT_OPTIONS];
  sixer_err err = read_options(r, label, &name, options);
  if (err) return err;
  swept axes[MAX_SWEPT];
  int count = 0;
  int64_t samples = 0, seed = 1;
  for (size_t i = 0; i < r->doc.count && !err; i++) {
    const toml_entry *e = &r->doc.entries[i];
    const char *of = part(e->section, "sweep");
    if (!of || strcmp(of, label) != 0) continue;
    if (!strcmp(e->key, "samples")) {
      err = read_count(r, e, 1, MAX_COMBINATIONS, &samples);
    } else if (!strcmp(e->key, "sample-seed")) {
      err = read_count(r, e, 1, INT32_MAX, &seed);
    } else if (count == MAX_SWEPT) {
      err = wrong(r, e, "one option too many for a sweep");
    } else {
      err = read_swept(r, e, &axes[count++]);
    }
  }
  if (err) return err;
  if (!count) return add_agent(r, label, name, options, label, line);
  return samples ? add_samples(r, label, name, options, axes, count, samples, (uint64_t)seed, line)
                 : add_grid(r, label, name, options, axes, count, line);
}

/* ---- All of it ------------------------------------------------------------------------------------------------- */

static bool has_agent(const reader *r, const char *label) {
  for (size_t i = 0; i < r->doc.head_count; i++) {
    const char *of = part(r->doc.heads[i].name, "agent");
    if (of && !strcmp(of, label)) return true;
  }
  return false;
}

/* Sections that belong to no agent are mistakes: their settings would be without effect. */
static sixer_err check_sections(const reader *r) {
  for (size_t i = 0; i < r->doc.head_count; i++) {
    const char *name = r->doc.heads[i].name;
    const char *of = part(name, "budget");
    if (!of) of = part(name, "sweep");
    if (part(name, "agent") || (of && has_agent(r, of))) continue;
    nearest close;
    nearest_begin(&close, name);
    for (size_t k = 0; k < r->doc.head_count; k++) {
      const char *label = part(r->doc.heads[k].name, "agent");
      char other[80];
      for (int kind = 0; label && kind < 3; kind++) {
        static const char *const kinds[] = {"agent", "budget", "sweep"};
        snprintf(other, sizeof other, "%s.%.60s", kinds[kind], label);
        if (strcmp(other, name) != 0) nearest_offer(&close, other, strlen(other));
      }
    }
    return sixer_fail(r->error, SIXER_ERR_CONFIG,
                      "%.200s:%d: [%.60s] is none of [agent.NAME], [sweep.NAME] and [budget.NAME] "
                      "with the name of an agent%s",
                      r->e->path, r->doc.heads[i].line, name, nearest_hint(&close));
  }
  return SIXER_OK;
}

static sixer_err read_all(reader *r) {
  experiment *x = r->e;
  sixer_err err = check_sections(r);
  for (size_t i = 0; i < r->doc.count && !err; i++) {
    if (!*r->doc.entries[i].section) err = read_top(r, &r->doc.entries[i]);
  }
  if (err) return err;
  if (!x->protocol)
    return sixer_fail(r->error, SIXER_ERR_CONFIG,
                      "%.200s: name the protocol, as in: protocol = \"machado2018\"", x->path);
  sixer_protocol_info info = sixer_protocol_describe(x->protocol);
  if (info.limit_count > 3)
    return sixer_fail(r->error, SIXER_ERR_CONFIG,
                      "%.200s: the protocol takes %zu scores of an episode; a store keeps three",
                      x->path, info.limit_count);
  if (!x->games) {
    x->games = info.games;
    x->game_count = info.game_count;
  }
  for (size_t i = 0; i < r->doc.head_count && !err; i++) {
    const char *label = part(r->doc.heads[i].name, "agent");
    if (label) err = add_section(r, label, r->doc.heads[i].line);
  }
  if (err) return err;
  if (!x->agent_count)
    return sixer_fail(r->error, SIXER_ERR_CONFIG,
                      "%.200s: it names no agent; add a section such as [agent.random]", x->path);
  double runs = 0;
  for (size_t i = 0; i < x->agent_count; i++)
    runs += (double)x->agents[i].game_count * x->agents[i].trials;
  if (runs > EXPERIMENT_RUNS)
    return sixer_fail(r->error, SIXER_ERR_CONFIG, "%.200s: %.0f runs; at most %d are possible",
                      x->path, runs, EXPERIMENT_RUNS);
  return SIXER_OK;
}

/* "first" of "experiments/first.toml" */
static const char *stem(memory_arena *arena, const char *path) {
  const char *slash = os_last_separator(path), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
  return arena_copy(arena, name, length > 60 ? 60 : length);
}

sixer_err experiment_open(const char *path, experiment *out, sixer_error *error) {
  *out = (experiment){.path = path, .seed = 1};
  sixer_catalog *catalogs[2] = {NULL, NULL};
  reader r = {.e = out, .error = error, .catalogs = catalogs, .evaluation = -1, .trials = 1};
  char *text;
  size_t size;
  sixer_err err = arena_read_file(&out->arena, path, &text, &size, error);
  if (!err && strlen(text) != size)
    err = sixer_fail(error, SIXER_ERR_CONFIG, "%.300s: not a text: it holds a zero byte", path);
  if (!err) err = toml_parse(&out->arena, text, path, &r.doc, error);
  if (!err) {
    out->text = text;
    out->name = stem(&out->arena, path);
    err = read_all(&r);
  }
  for (int i = 0; i < 2; i++) sixer_catalog_close(catalogs[i]);
  if (err) experiment_close(out);
  return err;
}

void experiment_close(experiment *e) {
  sixer_protocol_close(e->protocol);
  arena_free(&e->arena);
  *e = (experiment){0};
}
