/* `sixer train`: train agents on games, and store episodes, scores and checkpoints.
 *
 * Everything is checked before anything is written: agent, options, protocol, images, folder. Then each game and seed
 * is a run of its own (sixer/train.h), and --jobs of them run at the same time. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/image.h"
#include "cli/session.h"
#include "cli/settings_file.h"
#include "cli/train_jobs.h"
#include "util/os.h"
#include "util/replace.h"
#include "util/sort.h"
#include "util/threads.h"

enum { MAX_GAMES = 128, MAX_TRIALS = 1000, OPTIONS = 3000 };
#define NONE INT64_MIN /* an option that was not given */

typedef struct train_options {
  const char *settings, *preset, *set, *protocol, *frames, *episodes, *out, *label, *actions,
      *scoring, *tapes, *replay;
  int64_t seed, mode, difficulty, level, levels, trials, jobs, threads, evaluation, frame_skip,
      max_frames, noop_starts;
  double sticky, checkpoint_every;
  bool resume, force, json, list;
} train_options;

typedef struct plan {
  const train_options *o;
  const settings_file *file; /* empty if there is none */
  const char *agent;
  char options[OPTIONS], label[64];
  sixer_protocol *protocol;
  sixer_rom *roms[MAX_GAMES];
  int games;
  int64_t frames, episodes;
  trial *trials;
  int count;
} plan;

/* ---- Reading options ------------------------------------------------------------------------------------------- */

static int read_budget(plan *p) {
  const train_options *o = p->o;
  if (o->frames && !cli_parse_count(o->frames, &p->frames))
    return cli_error("train", CLI_USAGE, "--frames is a number such as 10M or 200000, found '%s'",
                     o->frames);
  if (o->episodes && !cli_parse_count(o->episodes, &p->episodes))
    return cli_error("train", CLI_USAGE, "--episodes is a number such as 5000, found '%s'",
                     o->episodes);
  return CLI_OK;
}

static int read_agent(plan *p) {
  const train_options *o = p->o;
  /* later options override earlier ones: preset, file, command line */
  const char *preset = o->preset ? o->preset : "", *set = o->set ? o->set : "";
  const char *file = p->file->options ? p->file->options : "";
  int n =
      snprintf(p->options, sizeof p->options, "%s%s%s%s%s%s", o->preset ? "preset=" : "", preset,
               o->preset && *file ? "," : "", file, (o->preset || *file) && *set ? "," : "", set);
  if (n >= (int)sizeof p->options) return cli_error("train", CLI_USAGE, "--set is too long");
  if (o->label && (!*o->label || strlen(o->label) > 60))
    return cli_error("train", CLI_USAGE, "--label has 1 to 60 characters");
  snprintf(p->label, sizeof p->label, "%s", o->label ? o->label : p->agent);
  sixer_agent *agent;
  sixer_error error;
  if (sixer_agent_create(p->agent, p->options, 1, &agent, &error)) {
    int line = *file ? settings_file_agent_line(p->file, p->agent, o->preset) : 0;
    if (line) return cli_error("train", CLI_USAGE, "%s:%d: %s", o->settings, line, error.message);
    return cli_error("train", CLI_USAGE, "%s", error.message);
  }
  sixer_agent_destroy(agent);
  return CLI_OK;
}

/* ---- Protocol -------------------------------------------------------------------------------------------------- */

static void change(char *text, size_t size, const char *format, ...) OS_PRINTF(3, 4);
static void change(char *text, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  size_t at = strlen(text);
  vsnprintf(text + at, size - at, format, args);
  va_end(args);
}

/* What the options change of a protocol's [environment]; empty if nothing. */
static void changes_of(const train_options *o, const sixer_protocol_info *info, char *text,
                       size_t size) {
  *text = 0;
  if (!isnan(o->sticky) && o->sticky != info->sticky)
    change(text, size, "sticky = %.9g\n", o->sticky);
  if (o->actions && strcmp(o->actions, info->minimal_actions ? "minimal" : "full") != 0)
    change(text, size, "actions = \"%.20s\"\n", o->actions);
  if (o->frame_skip != NONE && o->frame_skip != info->frame_skip)
    change(text, size, "frame_skip = %" PRId64 "\n", o->frame_skip);
  if (o->max_frames != NONE && o->max_frames != info->max_frames)
    change(text, size, "max_frames = %" PRId64 "\n", o->max_frames);
  if (o->noop_starts != NONE && o->noop_starts != info->noop_starts)
    change(text, size, "noop_starts = %" PRId64 "\n", o->noop_starts);
  if (o->scoring && strcmp(o->scoring, info->fixed_scoring ? "fixed" : "ale") != 0)
    change(text, size, "scoring = \"%.20s\"\n", o->scoring);
  if (o->mode != NONE || o->difficulty != NONE) {
    change(text, size, "flavors = \"");
    if (o->mode != NONE) change(text, size, "mode %" PRId64, o->mode);
    if (o->difficulty != NONE)
      change(text, size, "%sdifficulty %" PRId64, o->mode != NONE ? ", " : "", o->difficulty);
    change(text, size, "\"\n");
  }
  /* scores are taken at the end of an episode then */
  if (o->max_frames != NONE && o->max_frames != info->max_frames)
    change(text, size, "[score]\nlimits = [%" PRId64 "]\n", o->max_frames);
}

/* The protocol, or one derived from it if options differ: a score made in another way has another hash. The derived one
 * is kept beside the results, for `sixer eval`. */
static int read_protocol(plan *p, char *derived, size_t size) {
  const train_options *o = p->o;
  sixer_error error;
  derived[0] = 0;
  if (sixer_protocol_open(o->protocol, &p->protocol, &error))
    return cli_error("train", CLI_USAGE, "%s", error.message);
  sixer_protocol_info info = sixer_protocol_describe(p->protocol);
  char changes[500], text[1600];
  changes_of(o, &info, changes, sizeof changes);
  if (!changes[0]) return CLI_OK;
  snprintf(text, sizeof text,
           "# %.60s with what the options of the command changed\nname = \"%.60s-changed\"\n"
           "base = \"%.800s\"\n[environment]\n%s",
           info.name, info.name, o->protocol, changes);
  sixer_protocol_close(p->protocol);
  p->protocol = NULL;
  if (sixer_protocol_parse(text, "the options", &p->protocol, &error)) {
    const char *reason =
        strstr(error.message, ": "); /* behind the line of a text that nobody sees */
    return cli_error("train", CLI_USAGE, "%s", reason ? reason + 2 : error.message);
  }
  snprintf(derived, size, "%s", text);
  return CLI_OK;
}

static int write_protocol(const plan *p, const char *text) {
  if (!text[0]) return CLI_OK;
  char path[4200];
  snprintf(path, sizeof path, "%.4000s/%.80s.toml", p->o->out,
           sixer_protocol_describe(p->protocol).name);
  if (replace_bytes(path, text, strlen(text))) return CLI_OK;
  return cli_error("train", CLI_FAILED, "%s: cannot be written: %s", path, strerror(errno));
}

/* ---- Runs ------------------------------------------------------------------------------------------------------ */

static void name_run(const plan *p, trial *t, const char *game) {
  char label[64];
  snprintf(label, sizeof label, "%s", p->label);
  for (char *c = label; *c; c++) {
    if (*c == '/' || *c == ' ' || (*c == '.' && c == label)) *c = '-'; /* no hidden files */
  }
  snprintf(t->name, sizeof t->name, "%s %u", game, t->settings.seed);
  snprintf(t->path, sizeof t->path, "%.3800s/%s_%s_%u", p->o->out, label, game, t->settings.seed);
}

/* The threads of each of so many runs: what was asked for, or its share of the processors. */
static int threads_of(const train_options *o, int64_t runs) {
  if (o->threads) return (int)o->threads;
  int processors = pool_processors();
  int64_t jobs = o->jobs ? o->jobs : processors;
  if (jobs > runs) jobs = runs;
  return jobs < processors ? (int)(processors / jobs) : 1;
}

/* One run per game and seed. The first of each game is created once without files, which checks its settings. */
static int make_trials(plan *p, const char *const *games) {
  const train_options *o = p->o;
  p->trials = calloc((size_t)(p->games * o->trials), sizeof *p->trials);
  if (!p->trials) return cli_error("train", CLI_FAILED, "out of memory");
  for (int g = 0; g < p->games; g++) {
    sixer_error error;
    if (image_open("train", games[g], NULL, IMAGE_REFUSE, &p->roms[g], &error))
      return cli_error("train", CLI_FAILED, "%s", error.message);
    sixer_rom_info info = sixer_rom_describe(p->roms[g]);
    for (int64_t i = 0; i < o->trials; i++) {
      trial *t = &p->trials[p->count++];
      sixer_train_settings s = sixer_train_settings_default();
      s.agent = p->agent;
      s.options = p->options;
      s.label = p->label;
      s.rom = p->roms[g];
      s.protocol = p->protocol;
      s.seed = (uint32_t)(o->seed + i);
      if (o->mode != NONE) s.mode = (int)o->mode;
      if (o->difficulty != NONE) s.difficulty = (int)o->difficulty;
      if (o->level != NONE) s.level = (int)o->level;
      s.levels = (int)o->levels;
      s.frames = p->frames;
      s.episodes = p->episodes;
      s.evaluation = (int)o->evaluation;
      s.threads = threads_of(o, p->games * o->trials);
      s.refill = !strcmp(o->replay, "refill");
      s.tapes = o->tapes;
      t->settings = s;
      t->saved_frames = -1;
      name_run(p, t, info.game ? info.game : info.title);
      sixer_train *train;
      if (i == 0 && sixer_train_create(&s, &train, &error))
        return cli_error("train", CLI_FAILED, "%s: %s", games[g], error.message);
      if (i == 0) sixer_train_destroy(train);
      t->settings.path = t->path;
    }
    for (int k = 0; k < g; k++) {
      if (!strcmp(p->trials[k * o->trials].path, p->trials[g * o->trials].path))
        return cli_error("train", CLI_USAGE, "%s is given twice", games[g]);
    }
  }
  return CLI_OK;
}

/* Make a folder and those above it. */
static bool make_folders(const char *path) {
  char part[4096];
  snprintf(part, sizeof part, "%s", path);
  for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (os_mkdir(part) && errno != EEXIST) return false;
    *slash = '/';
  }
  if (os_mkdir(part) && errno != EEXIST) return false;
  os_status info;
  if (os_stat(part, &info)) return false;
  errno = ENOTDIR;
  return info.kind == OS_FOLDER && !os_access(part, OS_MAY_WRITE | OS_MAY_RUN);
}

static bool has_file(const trial *t, const char *ending) {
  char path[4200];
  snprintf(path, sizeof path, "%s.%s", t->path, ending);
  return os_access(path, OS_EXISTS) == 0;
}

static int check_folder(const plan *p) {
  const train_options *o = p->o;
  if (!make_folders(o->out))
    return cli_error("train", CLI_FAILED, "%s: %s; choose another folder with --out", o->out,
                     strerror(errno));
  if (o->tapes && !make_folders(o->tapes))
    return cli_error("train", CLI_FAILED, "%s: %s; choose another folder with --tapes", o->tapes,
                     strerror(errno));
  for (int i = 0; i < p->count; i++) {
    const trial *t = &p->trials[i];
    bool there = has_file(t, "checkpoint") || has_file(t, "episodes.tsv");
    if (there && !o->resume && !o->force)
      return cli_error("train", CLI_FAILED,
                       "%s exists already: --resume continues it, --force replaces it, and another "
                       "--out keeps both",
                       t->path);
  }
  return CLI_OK;
}

/* ---- Results --------------------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Append a file of scores, without its head unless it is the first; files with other columns are left out. */
static void append_scores(FILE *out, const char *path, char **head) {
  FILE *in = os_fopen(path, "r");
  if (!in) return;
  char *line = NULL;
  size_t size = 0;
  if (os_getline(&line, &size, in) > 0) {
    if (!*head && (*head = strdup(line))) fputs(line, out);
    bool fits = *head && !strcmp(*head, line);
    while (fits && os_getline(&line, &size, in) > 0) fputs(line, out);
  }
  free(line);
  fclose(in);
}

/* The names of the folder's files of scores, sorted; -1 if it cannot be read. */
static int list_scores(const char *folder, char ***names) {
  int count = 0;
  os_folder *entries = os_folder_open(folder);
  if (!entries) return -1;
  for (const char *e; (e = os_folder_next(entries));) {
    size_t length = strlen(e);
    if (length < 12 || e[0] == '.' || strcmp(e + length - 11, ".scores.tsv") != 0) continue;
    char **more = realloc(*names, (size_t)(count + 1) * sizeof *more);
    if (more) *names = more;
    if (!more || !(more[count] = strdup(e))) break;
    count++;
  }
  os_folder_close(entries);
  if (count) sort_stable(*names, (size_t)count, sizeof **names, by_name);
  return count;
}

/* DIR/scores.tsv: the scores of all runs of the folder in one file. */
static int merge_scores(const char *folder) {
  char path[4200], **names = NULL, *head = NULL;
  snprintf(path, sizeof path, "%.4000s/scores.tsv", folder);
  replace_clean(path, false);
  int count = list_scores(folder, &names);
  replacement *r = count >= 0 ? replace_open(path) : NULL;
  for (int i = 0; i < count; i++) {
    char from[4400];
    snprintf(from, sizeof from, "%.4000s/%.300s", folder, names[i]);
    if (r) append_scores(r->file, from, &head);
    free(names[i]);
  }
  free(names);
  free(head);
  if (r && replace_commit(r)) return CLI_OK;
  return cli_error("train", CLI_FAILED, "%s: cannot be written: %s", path, strerror(errno));
}

static void print_trial(const trial *t) {
  const sixer_train_progress *p = &t->progress;
  printf("%-24s %10" PRId64 " frames  %7" PRId64 " episode%s", t->name, p->frames, p->episodes,
         cli_s(p->episodes));
  if (p->averaged) printf("  last %d: %.2f  best %g", p->averaged, p->mean, p->best);
  if (p->tests)
    printf("  %" PRId64 " test%s: best %.2f, last %.2f", p->tests, cli_s(p->tests), p->best_test,
           p->last_test);
  if (p->evaluated) printf("  evaluation of %d: %.2f", p->evaluated, p->evaluation_mean);
  double frames =
      (double)(p->frames + p->evaluation_frames - t->begun.frames - t->begun.evaluation_frames);
  if (t->seconds > 0 && frames > 0) printf("  %.0f frames/s", frames / t->seconds);
  printf("%s\n", t->state == TRIAL_DONE ? "" : "  (unfinished)");
}

static void print_number(double value) {
  if (isfinite(value))
    printf("%.17g", value);
  else
    printf("null");
}

static void print_json(const plan *p) {
  printf("{\"agent\": ");
  cli_print_json(p->agent);
  printf(", \"options\": ");
  cli_print_json(p->options);
  sixer_protocol_info info = sixer_protocol_describe(p->protocol);
  printf(", \"protocol\": \"%s@%d#%s\", \"out\": ", info.name, info.version, info.hash);
  cli_print_json(p->o->out);
  printf(", \"runs\": [");
  for (int i = 0; i < p->count; i++) {
    const trial *t = &p->trials[i];
    const sixer_train_progress *g = &t->progress;
    sixer_rom_info rom = sixer_rom_describe(t->settings.rom);
    printf("%s\n  {\"game\": ", i ? "," : "");
    cli_print_json(rom.game ? rom.game : rom.title);
    printf(", \"seed\": %u, \"path\": ", t->settings.seed);
    cli_print_json(t->path);
    printf(", \"finished\": %s, \"frames\": %" PRId64 ", \"steps\": %" PRId64
           ", \"episodes\": %" PRId64 ", \"mean\": ",
           t->state == TRIAL_DONE ? "true" : "false", g->frames, g->steps, g->episodes);
    print_number(g->mean);
    printf(", \"averaged\": %d, \"best\": ", g->averaged);
    print_number(g->best);
    printf(", \"tests\": %" PRId64 ", \"best_test\": ", g->tests);
    print_number(g->best_test);
    printf(", \"last_test\": ");
    print_number(g->last_test);
    printf(", \"evaluated\": %d, \"evaluation_mean\": ", g->evaluated);
    print_number(g->evaluated ? g->evaluation_mean : NAN);
    printf(", \"scores\": [");
    for (int k = 0; k < t->score_count; k++) {
      printf("%s{\"at\": %" PRId64 ", \"score\": ", k ? ", " : "", t->scores[k].at);
      print_number(t->scores[k].score[info.limit_count - 1]);
      printf(", \"averaged\": %d}", t->scores[k].episodes);
    }
    printf("], \"seconds\": %.3f, \"memory\": %" PRId64 ", \"error\": ", t->seconds,
           t->learned.memory);
    cli_print_json(t->error.code ? t->error.message : NULL);
    printf("}");
  }
  printf("\n]}\n");
}

/* ---- The command ----------------------------------------------------------------------------------------------- */

static int check_numbers(const train_options *o) {
  const cli_limit limits[] = {{"trials", o->trials, 1, MAX_TRIALS},
                              {"jobs", o->jobs, 0, 1024},
                              {"threads", o->threads, 0, 256},
                              {"seed", o->seed, 1, INT32_MAX - o->trials},
                              {"evaluation", o->evaluation, -1, INT32_MAX},
                              {"level", o->level, 0, 1000000},
                              {"levels", o->levels, 1, 1000000},
                              {"mode", o->mode, 0, 255},
                              {"difficulty", o->difficulty, 0, 3},
                              {NULL, 0, 0, 0}};
  int status = cli_check_limits("train", limits);
  if (status) return status;
  if (!(o->checkpoint_every > 0))
    return cli_error("train", CLI_USAGE, "--checkpoint-every is above 0 seconds, found %g",
                     o->checkpoint_every);
  if (strcmp(o->replay, "include") != 0 && strcmp(o->replay, "refill") != 0)
    return cli_error("train", CLI_USAGE, "--checkpoint-replay is include or refill, found '%s'",
                     o->replay);
  if (o->levels > 1 && o->level == NONE)
    return cli_error("train", CLI_USAGE, "--levels needs --level, the first of them");
  if (o->resume && o->force)
    return cli_error("train", CLI_USAGE,
                     "--resume continues runs and --force replaces them: give only one of them");
  return CLI_OK;
}

static int run(plan *p, const char *const *games) {
  const train_options *o = p->o;
  char derived[1600];
  int status = read_budget(p);
  if (!status) status = read_agent(p);
  if (!status) status = read_protocol(p, derived, sizeof derived);
  if (!status) status = make_trials(p, games);
  if (!status) status = check_folder(p);
  if (!status) status = write_protocol(p, derived);
  if (status) return status;
  train_jobs jobs = {.trials = p->trials,
                     .count = p->count,
                     .jobs = (int)o->jobs,
                     .resume = o->resume,
                     .checkpoint_every = o->checkpoint_every};
  status = train_jobs_run(&jobs);
  int merged = merge_scores(o->out);
  if (o->json)
    print_json(p);
  else
    for (int i = 0; i < p->count; i++) print_trial(&p->trials[i]);
  return status ? status : merged;
}

static void append_help(char *text, size_t size, const char *format, ...) OS_PRINTF(3, 4);
static void append_help(char *text, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  size_t at = strlen(text);
  if (at < size) vsnprintf(text + at, size - at, format, args);
  va_end(args);
}

static void describe(char *text, size_t size) {
  snprintf(text, size,
           "Train an agent on games under a protocol, and store everything in a folder: a "
           "checkpoint per run, which is also a model to play with, every episode, a learning "
           "curve, and scores that `sixer eval` reads. The same seed gives the same bytes, however "
           "many jobs work and however often the run was interrupted.\n\n"
           "  sixer train sarsa pong --preset machado2018 --frames 10M\n"
           "  sixer train sarsa pong freeway --trials 5 --jobs 2 --out runs/linear\n"
           "  sixer train sarsa pong --preset machado2018 --frames 10M --resume\n"
           "  sixer train --settings linear.toml --frames 1M\n"
           "  sixer watch runs/sarsa_pong_1.checkpoint\n\n"
           "Agents:\n");
  for (int i = 0; sixer_agent_at(i).name; i++) {
    sixer_agent_info a = sixer_agent_at(i);
    append_help(text, size, "  %-14s %s\n", a.name, a.summary);
    for (int k = 0; sixer_agent_preset_at(a.name, k).name; k++) {
      sixer_agent_preset preset = sixer_agent_preset_at(a.name, k);
      append_help(text, size, "    --preset %-22s %s\n", preset.name, preset.source);
    }
  }
  append_help(text, size, "\n`sixer train --list` shows their options.");
}

static int print_list(void) {
  session_list_agents(stdout);
  return CLI_OK;
}

static const train_options defaults = {.protocol = "machado2018",
                                       .out = "runs",
                                       .replay = "include",
                                       .seed = 1,
                                       .mode = NONE,
                                       .difficulty = NONE,
                                       .level = NONE,
                                       .levels = 1,
                                       .trials = 1,
                                       .jobs = 0,
                                       .evaluation = -1,
                                       .frame_skip = NONE,
                                       .max_frames = NONE,
                                       .noop_starts = NONE,
                                       .sticky = NAN,
                                       .checkpoint_every = 300};

/* Options that say what to do with a run, not how it is made. */
static const char *const only_typed[] = {"settings", "set",  "resume", "force",
                                         "json",     "list", NULL};

/* Everything after the command line and the file are read. */
static int train(const train_options *o, const settings_file *file, const char *const *arguments,
                 int count) {
  const char *agent = count ? arguments[0] : file->agent;
  const char *const *games = count ? arguments + 1 : file->games;
  int game_count = count ? count - 1 : (int)file->game_count;
  if (count == 1 && file->games) {
    games = file->games;
    game_count = (int)file->game_count;
  }
  if (!agent || game_count < 1)
    return cli_error(
        "train", CLI_USAGE,
        "name an agent and a game, as in: sixer train sarsa pong (--list shows the agents)");
  if (game_count > MAX_GAMES)
    return cli_error("train", CLI_USAGE, "%s: at most %d games, found %d", o->settings, MAX_GAMES,
                     game_count);
  int status = check_numbers(o);
  if (status) return status;
  plan p = {.o = o, .file = file, .agent = agent, .games = game_count};
  status = run(&p, games);
  free(p.trials);
  for (int i = 0; i < p.games; i++) sixer_rom_close(p.roms[i]);
  sixer_protocol_close(p.protocol);
  return status;
}

int cmd_train(int argc, char **argv) {
  train_options o = defaults;
  const option_def definitions[] = {
      {"settings", OPTION_TEXT, &o.settings, "FILE",
       "a file of settings, [train] and [agent]; other options override it"},
      {"preset", OPTION_TEXT, &o.preset, "NAME", "settings of a paper; --set overrides them"},
      {"set", OPTION_TEXT, &o.set, "LIST", "options of the agent: name=value,..."},
      {"protocol", OPTION_TEXT, &o.protocol, "NAME",
       "sets stickiness, actions, limits and scoring: a name or a file"},
      {"frames", OPTION_TEXT, &o.frames, "N",
       "train for N frames, such as 10M; without --frames and --episodes: as the protocol says"},
      {"episodes", OPTION_TEXT, &o.episodes, "N", "train for N episodes"},
      {"evaluation", OPTION_INT, &o.evaluation, "N",
       "episodes without learning after training; -1: as the protocol says"},
      {"seed", OPTION_INT, &o.seed, "S", "seed of the first trial; each further trial adds 1"},
      {"trials", OPTION_INT, &o.trials, "N", "runs of each game"},
      {"jobs", OPTION_INT, &o.jobs, "N", "runs at the same time; 0: as many as processors"},
      {"threads", OPTION_INT, &o.threads, "N",
       "threads of each run's agent, if it can use them; 0: the processors that the jobs leave"},
      {"out", OPTION_TEXT, &o.out, "DIR", "folder for the results"},
      {"resume", OPTION_FLAG, &o.resume, NULL, "continue interrupted runs"},
      {"force", OPTION_FLAG, &o.force, NULL, "replace runs that exist"},
      {"checkpoint-every", OPTION_REAL, &o.checkpoint_every, "S", "seconds between checkpoints"},
      {"checkpoint-replay", OPTION_TEXT, &o.replay, "HOW",
       "replay memory in checkpoints: include, or refill: small checkpoints, but a resumed run "
       "plays without learning until its memory is filled again, and differs"},
      {"tapes", OPTION_TEXT, &o.tapes, "DIR", "folder for tapes of the episodes without learning"},
      {"label", OPTION_TEXT, &o.label, "NAME",
       "name of the agent in files and rows; the agent's own if it is not given"},
      {"mode", OPTION_INT, &o.mode, "M", "mode of the game"},
      {"difficulty", OPTION_INT, &o.difficulty, "D", "difficulty of the game"},
      {"level", OPTION_INT, &o.level, "N", "first level to train on, in games with levels"},
      {"levels", OPTION_INT, &o.levels, "N", "number of levels; each episode draws one"},
      {"sticky", OPTION_REAL, &o.sticky, "P", "stickiness, instead of the protocol's"},
      {"actions", OPTION_TEXT, &o.actions, "SET", "full or minimal, instead of the protocol's"},
      {"frame-skip", OPTION_INT, &o.frame_skip, "K",
       "frames per action, instead of the protocol's"},
      {"max-frames", OPTION_INT, &o.max_frames, "N",
       "frames per episode, instead of the protocol's"},
      {"noop-starts", OPTION_INT, &o.noop_starts, "N",
       "NOOP frames at the start, at most; instead of the protocol's"},
      {"scoring", OPTION_TEXT, &o.scoring, "KIND", "ale or fixed, instead of the protocol's"},
      {"json", OPTION_FLAG, &o.json, NULL, "print the results as JSON"},
      {"list", OPTION_FLAG, &o.list, NULL, "list the agents and their options"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  const char *arguments[MAX_GAMES + 1];
  static char description[16000];
  describe(description, sizeof description);
  int status, count = cli_parse("train", description, definitions, argc, argv, arguments,
                                MAX_GAMES + 1, &status);
  if (count < 0) return status;
  if (o.list) return print_list();
  settings_file file = {0};
  if (o.settings) {
    /* again: the file over the defaults, then the command line over the file */
    const char *path = o.settings;
    o = defaults;
    status = settings_file_read(&file, path, "train", definitions, only_typed);
    if (!status)
      count = cli_parse("train", description, definitions, argc, argv, arguments, MAX_GAMES + 1,
                        &status);
  }
  if (!status) status = train(&o, &file, arguments, count);
  settings_file_free(&file);
  return status;
}
