/* Reading, normalizing and aggregating the scores of an evaluation: see evaluation.h. */
#include "cli/evaluation.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sixer/catalog.h"
#include "util/nearest.h"
#include "util/os.h"

struct evaluation_block {
  struct evaluation_block *next;
  max_align_t bytes[];
};

int evaluation_fail(const char *command_name, const sixer_error *error) {
  bool usage = error->code == SIXER_ERR_ARGUMENT || error->code == SIXER_ERR_CONFIG;
  return cli_error(command_name, usage ? CLI_USAGE : CLI_FAILED, "%s", error->message);
}

static int fail(const evaluation *s, const sixer_error *error) {
  return evaluation_fail(s->command, error);
}

void *evaluation_allocate(evaluation *s, size_t size) {
  struct evaluation_block *made = calloc(1, sizeof *made + size);
  if (!made) return NULL;
  made->next = s->blocks;
  s->blocks = made;
  return made->bytes;
}

static sixer_err no_memory(sixer_error *error) {
  *error = (sixer_error){SIXER_ERR_MEMORY, "out of memory"};
  return error->code;
}

sixer_err evaluation_warn(evaluation *s, sixer_error *error, const char *warning,
                          const char *format, ...) {
  char text[1000];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return sixer_scores_warn(s->scores, warning, text, error);
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
    return cli_error(s->command, CLI_USAGE,
                     "--limit wants 5min, 30min, none or a number of frames, found '%.*s'",
                     (int)length, text);
  for (size_t i = 0; i < s->info.limit_count; i++) {
    if (s->info.limits[i] == frames) {
      s->config.limit = (int)frames;
      return CLI_OK;
    }
  }
  return cli_error(s->command, CLI_USAGE, "%s keeps no scores after %lld frames of play",
                   s->info.name, (long long)frames);
}

static int choose_checkpoint(evaluation *s, const char *text) {
  if (!parse_count(text, &s->config.checkpoint))
    return cli_error(s->command, CLI_USAGE, "--checkpoint wants a number such as 50M, found '%s'",
                     text);
  for (size_t i = 0; i < s->info.checkpoint_count; i++) {
    if (s->info.checkpoints[i] == s->config.checkpoint) return CLI_OK;
  }
  return cli_error(s->command, CLI_USAGE,
                   "%s reports no scores at %lld; `sixer eval --show %s` lists its checkpoints",
                   s->info.name, (long long)s->config.checkpoint, s->info.name);
}

/* Add each of a comma-separated list of published results. */
static int add_against(const evaluation *s, const char *list, sixer_error *error) {
  while (*list) {
    size_t length = strcspn(list, ",");
    char *one = os_strndup(list, length);
    if (!one) return cli_error(s->command, CLI_FAILED, "out of memory");
    sixer_err err = sixer_scores_add_published(s->scores, one, error);
    free(one);
    if (err) return fail(s, error);
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
  e->scores = evaluation_allocate(s, (total + 1) * sizeof *e->scores);
  e->means = evaluation_allocate(s, (games + 1) * sizeof *e->means);
  e->runs = evaluation_allocate(s, (games + 1) * sizeof *e->runs);
  e->game = evaluation_allocate(s, (games + 1) * sizeof *e->game);
  if (!e->scores || !e->means || !e->runs || !e->game) return no_memory(error);
  for (size_t g = 0; g < games; g++) {
    if (!agent->runs[g] || isnan(low[g])) continue;
    double sum = 0;
    size_t first = e->total;
    for (size_t r = 0; r < agent->runs[g]; r++) {
      sixer_err err = sixer_scores_normalize(scale, &agent->scores[g][r], &low[g], &high[g], 1,
                                             &e->scores[e->total], error);
      if (err) return err;
      double z = e->scores[e->total++];
      sum += isinf(z) ? s->info.endless : z;
    }
    /* a score that is infinite in every run stays infinite: classes of scores are made from it */
    bool endless = true;
    for (size_t r = 0; r < agent->runs[g]; r++) endless &= isinf(agent->scores[g][r]);
    e->means[e->games] = endless ? INFINITY : sum / (double)agent->runs[g];
    if (s->means) {
      e->scores[first] = e->means[e->games];
      e->total = first + 1;
    }
    e->runs[e->games] = e->total - first;
    e->several |= e->total - first > 1;
    e->game[e->games++] = g;
  }
  return SIXER_OK;
}

/* A mean of several runs is less extreme than the runs: IQM and gap of means are not those of runs. */
static sixer_err warn_of_means(evaluation *s, const entrant *entrants, size_t count,
                               sixer_error *error) {
  bool several = false, single = false;
  for (size_t i = 0; i < count; i++) {
    several |= entrants[i].several;
    single |= !entrants[i].several;
  }
  for (size_t i = 0; several && single && i < count; i++) {
    if (entrants[i].several) continue;
    sixer_err err =
        evaluation_warn(s, error, "means-beside-runs",
                        "%s has one number per game and others have several runs: IQM, gap and "
                        "profiles of both are not comparable (medians and means over games are); "
                        "--means counts one mean per game of all",
                        entrants[i].agent.name);
    if (err) return err;
  }
  return SIXER_OK;
}

/* Is the game one of the catalog? Its names are offered as suggestions. */
static bool in_catalog(const sixer_catalog *catalog, const char *game, nearest *near) {
  bool known = false;
  for (int i = 0; catalog && i < sixer_catalog_count(catalog); i++) {
    const char *id = sixer_catalog_game(catalog, i).id;
    known |= !strcmp(id, game);
    nearest_offer(near, id, strlen(id));
  }
  return known;
}

/* A game of the protocol that nobody knows is probably misspelled. */
static sixer_err warn_of_games(evaluation *s, sixer_error *error) {
  sixer_catalog *builtin = NULL, *own = NULL;
  sixer_error ignored; /* of the user's folder: other commands report it */
  sixer_err err = sixer_catalog_open_builtin(&builtin, error);
  if (!err && sixer_catalog_open(NULL, &own, &ignored)) own = NULL;
  for (size_t g = 0; !err && g < s->info.game_count; g++) {
    const char *game = s->info.games[g];
    nearest near;
    nearest_begin(&near, game);
    /* both are asked: each adds its names to those that are near */
    bool known = in_catalog(builtin, game, &near), users = in_catalog(own, game, &near);
    if (!known && !users && !sixer_published_game(s->published, game))
      err = evaluation_warn(s, error, "unknown-game", "%s names a game that is not known, '%s'%s",
                            s->info.name, game, nearest_hint(&near));
  }
  sixer_catalog_close(builtin);
  sixer_catalog_close(own);
  return err;
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

/* Letters of NAME in an argument NAME=FILE; 0 if it is a plain file. */
size_t evaluation_name_length(const char *argument) {
  const char *equals = strchr(argument, '=');
  os_status about;
  if (!equals || memchr(argument, '/', (size_t)(equals - argument)) || !os_stat(argument, &about))
    return 0;
  return (size_t)(equals - argument);
}

size_t evaluation_patterns(const char *const *files, int file_count, int first,
                           const char **patterns) {
  size_t length = evaluation_name_length(files[first]), count = 0;
  for (int k = 0; k < file_count; k++) {
    if (evaluation_name_length(files[k]) != length || strncmp(files[k], files[first], length) != 0)
      continue;
    if (k < first) return 0;
    patterns[count++] = files[k] + length + 1;
  }
  return count;
}

const char *evaluation_checkpoint_note(const evaluation *s) {
  bool files = false;
  for (size_t i = 0; i < sixer_scores_agent_count(s->scores); i++)
    files |= !sixer_scores_agent(s->scores, i).published;
  return files && s->info.score_of != SIXER_SCORE_TRAINING
             ? " by the protocol; files of episodes do not say it"
             : "";
}

const char *evaluation_store_rows(const store_rows *store, const sixer_protocol *protocol,
                                  bool curves, size_t *size) {
  bool training = curves || sixer_protocol_describe(protocol).score_of == SIXER_SCORE_TRAINING;
  *size = training ? store->training_size : store->evaluation_size;
  return training ? store->training : store->evaluation;
}

/* Read the rows of a store. */
static int read_store(evaluation *s, const store_rows *store, sixer_error *error) {
  size_t size;
  const char *text = evaluation_store_rows(store, s->protocol, false, &size);
  if (!text)
    return cli_error(
        s->command, CLI_FAILED,
        "%s: the store has no episodes that %s scores; `sixer lab status %s` shows how "
        "far it is",
        store->path, s->info.name, store->path);
  sixer_err err = sixer_scores_parse(s->scores, text, size, store->path, store->path, error);
  if (!err && store->done < store->runs)
    err = evaluation_warn(s, error, "unfinished-runs",
                          "%s: %d of %d runs are done; what the others have so far counts, "
                          "`sixer lab resume` goes on with them",
                          store->path, store->done, store->runs);
  /* where an evaluation is scored, its rows do not say how long the agent had trained */
  double wanted = (double)s->config.checkpoint;
  if (!err && s->info.score_of != SIXER_SCORE_TRAINING && !s->info.length_in_episodes &&
      store->frames_most > 0 && (store->frames_least < wanted || store->frames_most > wanted))
    err =
        evaluation_warn(s, error, "other-training",
                        "%s: the runs had trained for %.0f to %.0f frames when they were "
                        "evaluated, not for the %.0f of %s",
                        store->path, store->frames_least, store->frames_most, wanted, s->info.name);
  return err ? fail(s, error) : CLI_OK;
}

/* Read the files and published results that the options name. */
static int read_scores(const evaluation_options *opt, const char *const *files, int file_count,
                       const sixer_published *published, evaluation *s) {
  sixer_error error;
  sixer_scores_config for_other = s->config;
  for_other.partial = true;
  if (sixer_scores_create(s->protocol, published, &s->config, &s->scores, &error) ||
      sixer_scores_create(s->protocol, published, &for_other, &s->other, &error))
    return fail(s, &error);
  for (int i = 0; i < file_count; i++) {
    size_t length = evaluation_name_length(files[i]);
    const store_rows *store = stores_find(opt->stores, files[i]);
    if (store) {
      int status = read_store(s, store, &error);
      if (status) return status;
      continue;
    }
    if (!length) {
      if (sixer_scores_read(s->scores, files[i], opt->agent ? opt->agent : files[i], &error))
        return fail(s, &error);
      continue;
    }
    const char **patterns = evaluation_allocate(s, (size_t)(file_count + 1) * sizeof *patterns);
    char *agent = evaluation_allocate(s, length + 1);
    if (!agent || !patterns) return cli_error(s->command, CLI_FAILED, "out of memory");
    memcpy(agent, files[i], length);
    size_t count = evaluation_patterns(files, file_count, i, patterns);
    if (count && sixer_scores_read_runs(s->scores, agent, patterns, count, &error))
      return fail(s, &error);
  }
  int status = opt->against ? add_against(s, opt->against, &error) : CLI_OK;
  if (status) return status;
  if (opt->baselines && sixer_scores_read(s->other, opt->baselines, "baseline", &error))
    return fail(s, &error);
  return CLI_OK;
}

/* The constants of the normalization, from the protocol or from other agents. */
static int find_constants(const evaluation_options *opt, evaluation *s) {
  sixer_error error;
  bool own = false;
  size_t count = 0;
  sixer_agent_scores *others = NULL;
  if (opt->relative) {
    others = evaluation_allocate(s, sizeof *others);
    for (size_t i = 0; others && i < sixer_scores_agent_count(s->scores); i++) {
      sixer_agent_scores agent = sixer_scores_agent(s->scores, i);
      if (strcmp(agent.name, opt->relative)) continue;
      *others = agent;
      count = 1;
      own = true;
    }
    if (!own && sixer_scores_add_published(s->other, opt->relative, &error)) return fail(s, &error);
  }
  if (!own) {
    count = sixer_scores_agent_count(s->other);
    others = evaluation_allocate(s, (count + 1) * sizeof *others);
    for (size_t i = 0; others && i < count; i++) others[i] = sixer_scores_agent(s->other, i);
  }
  if (!others) return cli_error(s->command, CLI_FAILED, "out of memory");
  if (sixer_scores_constants(s->scores, s->kind, others, count, &s->scale, s->low, s->high, &error))
    return fail(s, &error);
  return CLI_OK;
}

static int evaluate(const evaluation_options *opt, const char *const *files, int file_count,
                    evaluation *s) {
  sixer_error error;
  sixer_err err = SIXER_OK;
  int status = CLI_OK;
  if (opt->limit) status = choose_limit(s, opt->limit);
  if (!status && opt->checkpoint) status = choose_checkpoint(s, opt->checkpoint);
  if (!status) status = read_scores(opt, files, file_count, s->published, s);
  if (status) return status;
  s->kind = opt->normalize   ? opt->normalize
            : opt->relative  ? "relative"
            : opt->baselines ? "baseline"
                             : s->info.normalization;

  size_t games = s->info.game_count;
  s->count = sixer_scores_agent_count(s->scores);
  s->low = evaluation_allocate(s, games * sizeof *s->low);
  s->high = evaluation_allocate(s, games * sizeof *s->high);
  s->entrants = evaluation_allocate(s, (s->count + 1) * sizeof *s->entrants);
  if (!s->low || !s->high || !s->entrants)
    return cli_error(s->command, CLI_FAILED, "out of memory");
  status = find_constants(opt, s);
  if (status) return status;
  if (strcmp(s->kind, s->info.normalization) != 0)
    err = evaluation_warn(
        s, &error, "other-normalization",
        "%s normalizes by %s, and %s was asked for: compare these figures with such figures only",
        s->info.name, s->info.normalization, s->kind);

  for (size_t i = 0; !err && i < s->count; i++) {
    entrant *e = &s->entrants[i];
    err = normalize(s, i, s->scale, s->low, s->high, e, &error);
    if (!err && !e->games)
      return cli_error(s->command, CLI_USAGE, "%s has no game with constants for %s normalization",
                       e->agent.name, s->kind);
    if (!err) err = aggregate(s, s->kind, &s->settings, e, &error);
    size_t endless = 0;
    for (size_t g = 0; !err && g < e->games; g++) endless += isinf(e->means[g]);
    if (!err && endless)
      err = evaluation_warn(s, &error, "endless",
                            "%s plays without end in %zu games, which count as %g %% in means",
                            e->agent.name, endless, 100 * s->info.endless);
  }
  if (!err) err = warn_of_means(s, s->entrants, s->count, &error);
  if (!err && !strcmp(s->kind, "inter-algorithm"))
    err = evaluation_warn(
        s, &error, "fixed-range",
        "inter-algorithm scores are relative to the range of these agents' means, which stays the "
        "same "
        "in all replicates: the figures change with the set of agents that is compared");
  if (!err) err = warn_of_games(s, &error);
  return err ? fail(s, &error) : CLI_OK;
}

int evaluation_open_protocol(const char *command_name, const evaluation_options *options,
                             const char *const *files, int file_count, sixer_protocol **protocol) {
  sixer_error error;
  char stated[200] = "", wanted[200];
  if (options->protocol)
    return sixer_protocol_open(options->protocol, protocol, &error)
               ? evaluation_fail(command_name, &error)
               : CLI_OK;
  for (const store_rows *store = options->stores; store; store = store->next)
    snprintf(stated, sizeof stated, "%s", store->protocol);
  for (int i = 0; i < file_count && !*stated; i++) {
    size_t length = evaluation_name_length(files[i]);
    const char *pattern = files[i] + (length ? length + 1 : 0);
    if (sixer_scores_find_protocol(&pattern, 1, stated, sizeof stated, &error))
      return evaluation_fail(command_name, &error);
  }
  if (!*stated)
    return cli_error(command_name, CLI_USAGE,
                     "which protocol were the scores made under? %sSay --protocol NAME "
                     "(`sixer eval --protocols` lists them)",
                     file_count ? "The files do not name it. " : "");
  /* NAME@VERSION#HASH, of which a part may be missing: the rows are compared with it in full when they are read */
  for (const char *end = "#"; end; end = *end == '#' ? "@#" : NULL) {
    snprintf(wanted, sizeof wanted, "%s", stated);
    wanted[strcspn(wanted, end)] = 0;
    if (!strchr(wanted, '/') && !sixer_protocol_open(wanted, protocol, &error)) return CLI_OK;
  }
  return cli_error(command_name, CLI_FAILED,
                   "the rows were made under '%.100s', which is none of the protocols here; name "
                   "its file with --protocol FILE",
                   stated);
}

int evaluation_check_options(const char *command_name, const evaluation_options *options) {
  if (options->replicates < 2)
    return cli_error(command_name, CLI_USAGE, "--replicates must be at least 2");
  if (options->frames_per_step < 0 || options->frames_per_step > 1000)
    return cli_error(command_name, CLI_USAGE, "--frames-per-step must be from 1 to 1000");
  if (options->threads < 0 || options->threads > 256)
    return cli_error(command_name, CLI_USAGE, "--threads must be from 0 to 256");
  return CLI_OK;
}

int evaluation_begin(evaluation *s, const char *command_name, const evaluation_options *options,
                     const char *const *files, int file_count, const sixer_published *published,
                     const sixer_protocol *protocol) {
  *s = (evaluation){.command = command_name,
                    .published = published,
                    .protocol = protocol,
                    .info = sixer_protocol_describe(protocol),
                    .config = sixer_scores_config_default(protocol),
                    .means = options->means,
                    .settings = sixer_bootstrap_default()};
  s->config.partial = options->partial;
  s->config.frames_per_step = (int)options->frames_per_step;
  s->settings.replicates = (size_t)options->replicates;
  s->settings.confidence = options->confidence;
  s->settings.seed = (uint64_t)options->seed;
  s->settings.threads = (int)options->threads;
  s->settings.cap = isnan(s->info.endless) ? 2 : s->info.endless;
  return evaluate(options, files, file_count, s);
}

void evaluation_end(evaluation *s) {
  sixer_scores_destroy(s->other);
  sixer_scores_destroy(s->scores);
  while (s->blocks) {
    struct evaluation_block *next = s->blocks->next;
    free(s->blocks);
    s->blocks = next;
  }
}
