/* `sixer lab films`: for each game of a store, the agent with the highest score plays a few episodes with what it has
 * learned; the best of them becomes a tape and a film. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/lab.h"
#include "cli/model_files.h"
#include "sixer/tape.h"
#include "util/replace.h"
#include "util/text.h"
#include "util/os.h"

enum { MAX_GAMES = 200, FILM_SECONDS = 40 };

typedef struct best_run {
  int64_t id;
  char label[64], game[64], path[4200];
  double score;
} best_run;

typedef struct best_list {
  best_run runs[MAX_GAMES];
  int count;
} best_list;

static bool keep_best(void *context, const sixer_lab_run *run) {
  best_list *list = context;
  if (isnan(run->score) || !strcmp(run->agent, "pipe")) return true;
  int i = 0;
  while (i < list->count && strcmp(list->runs[i].game, run->game) != 0) i++;
  if (i == MAX_GAMES || (i < list->count && list->runs[i].score >= run->score)) return true;
  best_run *best = &list->runs[i];
  *best = (best_run){.id = run->id, .score = run->score};
  snprintf(best->label, sizeof best->label, "%.63s", run->label);
  text_clean(best->label); /* a store may come from elsewhere */
  snprintf(best->game, sizeof best->game, "%.63s", run->game);
  snprintf(best->path, sizeof best->path, "%.4000s.checkpoint", run->path);
  if (i == list->count) list->count++;
  return true;
}

typedef struct player {
  const sixer_model *model;
  const sixer_rom *rom;
  sixer_config config;
  sixer_list actions;
  char by[1000];
} player;

/* One episode with this seed; recorded if `tape` is not NULL. */
static sixer_err play(const player *p, uint32_t seed, const char *tape, double *score,
                      sixer_error *error) {
  sixer_env *env = NULL;
  sixer_agent *agent = NULL;
  sixer_recorder *recorder = NULL;
  sixer_config config = p->config;
  config.seed = seed;
  config.picture = true;
  sixer_err err = sixer_env_create(p->rom, &config, &env, error);
  if (!err) err = sixer_model_agent(p->model, p->rom, &agent, error);
  if (!err && tape) err = sixer_recorder_open(tape, env, p->by, &recorder, error);
  sixer_result result = {0};
  *score = 0;
  while (!err && !result.over && !cli_interrupted) {
    sixer_input input = {.strength_a = 1};
    err = sixer_agent_act(agent, env, p->actions, &input.action_a, error);
    if (err) break;
    sixer_env_step_input(env, input, &result);
    *score += result.reward;
    if (recorder && sixer_recorder_step(recorder, input, &result)) break; /* closing says why */
  }
  if (recorder) {
    sixer_error closing;
    sixer_err closed = sixer_recorder_close(recorder, &closing);
    if (closed && !err) {
      err = closed;
      *error = closing;
    }
  }
  sixer_agent_destroy(agent);
  sixer_env_destroy(env);
  return err;
}

static int make_film(const char *tape, const char *film) {
  char from[4300], to[4300], seconds[20];
  snprintf(from, sizeof from, "%s", tape);
  snprintf(to, sizeof to, "%s", film);
  snprintf(seconds, sizeof seconds, "%d", FILM_SECONDS);
  char *arguments[] = {from, "--video", to, "--to", seconds, "--json", NULL};
  /* what it prints is not for here */
  fflush(stdout);
  int kept = os_dup(OS_STDOUT), nothing = os_open_nothing(true);
  if (kept < 0 || nothing < 0 || os_dup2(nothing, OS_STDOUT) < 0) return CLI_FAILED;
  os_close(nothing);
  int status = cmd_replay(6, arguments);
  fflush(stdout);
  os_dup2(kept, OS_STDOUT);
  os_close(kept);
  clearerr(stdout);
  return status;
}

static sixer_err film_run(const lab_options *o, const best_run *run, char *tape, char *film,
                          size_t size, double *best, sixer_error *error) {
  sixer_model *model;
  sixer_rom *rom = NULL;
  sixer_err err = sixer_model_open(run->path, &model, error);
  if (err) return err;
  player p = {.model = model};
  err = model_rom("lab", model, NULL, NULL, &rom, error);
  p.rom = rom;
  if (!err) err = sixer_model_config(model, rom, &p.config, &p.actions, error);
  model_describe(model, p.by, sizeof p.by);
  uint32_t seed = 1;
  *best = -INFINITY;
  for (uint32_t k = 1; !err && k <= o->episodes && !cli_interrupted; k++) {
    double score;
    err = play(&p, k, NULL, &score, error);
    if (!err && score > *best) {
      *best = score;
      seed = k;
    }
  }
  snprintf(tape, size, "%.4000s/%s.tape", o->output, run->game);
  snprintf(film, size, "%.4000s/%s.gif", o->output, run->game);
  replacement *r = err ? NULL : replace_reserve(tape);
  if (!err && !r) {
    error->code = err = SIXER_ERR_FILE;
    snprintf(error->message, sizeof error->message, "%.300s: cannot be written: %s", tape,
             strerror(errno));
  }
  if (!err) err = play(&p, seed, r->temporary, best, error);
  if (!err && !replace_commit(r)) {
    error->code = err = SIXER_ERR_FILE;
    snprintf(error->message, sizeof error->message, "%.300s: cannot be written: %s", tape,
             strerror(errno));
  } else if (err) {
    replace_abandon(r);
  }
  sixer_rom_close(rom);
  sixer_model_close(model);
  return err;
}

int lab_films(const lab_options *o, const char *path) {
  if (!o->output) return cli_error("lab", CLI_USAGE, "name the folder for the films: -o DIR");
  if (os_mkdir(o->output) && errno != EEXIST)
    return cli_error("lab", CLI_FAILED, "%s: %s", o->output, strerror(errno));
  sixer_store *store;
  sixer_error error;
  if (sixer_store_open(path, SIXER_STORE_WRITE, &store, &error))
    return cli_error("lab", CLI_FAILED, "%s", error.message);
  best_list *list = calloc(1, sizeof *list);
  int status = CLI_OK;
  if (!list) status = cli_error("lab", CLI_FAILED, "out of memory");
  if (!status && sixer_lab_each(store, "done", keep_best, list, &error))
    status = cli_error("lab", CLI_FAILED, "%s", error.message);
  if (!status && !list->count)
    status = cli_error("lab", CLI_FAILED, "%s: no run is done yet", path);
  cli_catch_interrupts();
  for (int i = 0; !status && i < list->count; i++) {
    char tape[4200], film[4200];
    double score;
    if (film_run(o, &list->runs[i], tape, film, sizeof tape, &score, &error)) {
      status = cli_error("lab", CLI_FAILED, "%s: %s", list->runs[i].game, error.message);
      break;
    }
    if (cli_interrupted) {
      status = cli_error("lab", CLI_FAILED, "interrupted");
      break;
    }
    status = make_film(tape, film);
    if (status) break;
    cli_print(stdout, "%s: %s on %s, %g points\n", film, list->runs[i].label, list->runs[i].game,
              score);
    if (sixer_lab_add_file(store, list->runs[i].id, "tape", tape, score, &error) ||
        sixer_lab_add_file(store, list->runs[i].id, "film", film, score, &error))
      status = cli_error("lab", CLI_FAILED, "%s", error.message);
  }
  free(list);
  sixer_store_close(store);
  return status;
}
