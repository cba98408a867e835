/* `sixer apex`: training with many actors and one learner (sixer/apex.h).
 *
 *     learner    the run itself: its files are those of `sixer train`
 *     actor      joins the run of a server and plays for it; everything else it finds there
 *     local      both on this machine, with a private Redis server */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/apex_display.h"
#include "cli/apex_local.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/image.h"
#include "util/threads.h"
#include "util/os.h"
#include "util/os_terminal.h"
#include "util/os_process.h"

enum { OPTIONS = 3000 };

typedef struct apex_options {
  const char *preset, *set, *protocol, *frames, *episodes, *updates, *out, *label, *server,
      *password_file, *authority, *run, *priorities, *epsilons, *store, *layout, *image;
  int64_t seed, actors, block, fetch, lead, threads, index, evaluation;
  double checkpoint_every, timeout, patience, pace;
  bool free, lockstep, resume, force, reset, quiet, json;
} apex_options;

typedef struct apex_plan {
  const apex_options *o;
  char options[OPTIONS], label[64], path[4096], name[200], url[200];
  sixer_rom *rom;
  sixer_protocol *protocol;
  sixer_apex_settings settings;
} apex_plan;

/* ---- Settings -------------------------------------------------------------------------------------------------- */

static int bad(const char *text) { return cli_error("apex", CLI_USAGE, "%s", text); }

static int read_budget(const char *option, const char *text, int64_t *out) {
  if (!text || cli_parse_count(text, out)) return CLI_OK;
  return cli_error("apex", CLI_USAGE, "--%s is a number such as 10M or 200000, found '%s'", option,
                   text);
}

/* Actors compute priorities unless the agent draws uniformly. */
static bool draws_by_priority(const char *agent, const char *options) {
  sixer_agent *a;
  sixer_error error;
  char text[OPTIONS];
  if (sixer_agent_create(agent, options, 1, &a, &error)) return false;
  sixer_agent_settings(a, text, sizeof text);
  sixer_agent_destroy(a);
  const char *omega = strstr(text, ",omega=");
  return omega && strtod(omega + 7, NULL) > 0;
}

static int read_rules(apex_plan *p, const char *agent) {
  const apex_options *o = p->o;
  sixer_apex_settings *s = &p->settings;
  sixer_error error;
  s->actors = (int)o->actors;
  s->block = (int)o->block;
  s->fetch = (int)o->fetch;
  s->lead = (int)o->lead;
  s->synchronized = !o->free;
  bool ladder = !strcmp(agent, "apex-dqn");
  if (o->epsilons && strcmp(o->epsilons, "agent") != 0 && strcmp(o->epsilons, "ladder") != 0)
    return bad("--epsilons is agent (the agent's own) or ladder (another one for each actor)");
  if (o->epsilons) ladder = !strcmp(o->epsilons, "ladder");
  s->ladder = ladder;
  if (o->priorities && strcmp(o->priorities, "actor") != 0 && strcmp(o->priorities, "max") != 0)
    return bad("--priorities is actor (computed) or max (the largest so far)");
  s->priorities =
      o->priorities ? !strcmp(o->priorities, "actor") : draws_by_priority(agent, p->options);
  if (strcmp(o->layout, "blocks") != 0 && strcmp(o->layout, "saber") != 0)
    return bad(
        "--layout is blocks, or saber (a record of every transition, and the tree of priorities in "
        "the server)");
  s->saber = !strcmp(o->layout, "saber");
  if (s->saber && !strcmp(o->store, "memory"))
    return bad("--layout saber is one of a Redis server; --store memory has blocks only");
  if (!o->lockstep) return CLI_OK;
  if (s->saber)
    return bad(
        "--layout saber has no --lockstep: what it draws depends on when actors have written, so "
        "that no run equals another");
  if (o->free || o->actors != 1) return bad("--lockstep is for one actor that is synchronized");
  if (sixer_apex_lockstep(s, &error)) return cli_error("apex", CLI_USAGE, "%s", error.message);
  return CLI_OK;
}

static int read_run(apex_plan *p, const char *agent, const char *game) {
  const apex_options *o = p->o;
  sixer_apex_settings *s = &p->settings;
  sixer_error error;
  int n =
      snprintf(p->options, sizeof p->options, "%s%s%s%s", o->preset ? "preset=" : "",
               o->preset ? o->preset : "", o->preset && o->set ? "," : "", o->set ? o->set : "");
  if (n >= (int)sizeof p->options) return bad("--set is too long");
  sixer_agent *made;
  if (sixer_agent_create(agent, p->options, 1, &made, &error))
    return cli_error("apex", CLI_USAGE, "%s", error.message);
  sixer_agent_destroy(made);
  if (sixer_protocol_open(o->protocol, &p->protocol, &error))
    return cli_error("apex", CLI_USAGE, "%s", error.message);
  if (image_open("apex", game, NULL, IMAGE_REFUSE, &p->rom, &error))
    return cli_error("apex", CLI_FAILED, "%s", error.message);
  s->train.agent = agent;
  s->train.options = p->options;
  int status = read_rules(p, agent);
  if (!status) status = read_budget("frames", o->frames, &s->train.frames);
  if (!status) status = read_budget("episodes", o->episodes, &s->train.episodes);
  if (!status) status = read_budget("updates", o->updates, &s->updates);
  if (status) return status;
  sixer_rom_info info = sixer_rom_describe(p->rom);
  snprintf(p->label, sizeof p->label, "%.60s", o->label ? o->label : agent);
  const char *id = info.game ? info.game : info.title;
  snprintf(p->name, sizeof p->name, "%s %" PRId64, id, o->seed);
  snprintf(p->path, sizeof p->path, "%.3800s/%s_%s_%" PRId64, o->out, p->label, id, o->seed);
  s->train.label = p->label;
  s->train.rom = p->rom;
  s->train.protocol = p->protocol;
  s->train.seed = (uint32_t)o->seed;
  s->train.evaluation = (int)o->evaluation;
  s->train.threads = o->threads ? (int)o->threads : 1;
  s->train.path = p->path;
  s->resume = o->resume;
  s->reset = o->reset;
  return CLI_OK;
}

static int check_folder(const apex_plan *p) {
  char path[4200];
  if (os_mkdir(p->o->out) && errno != EEXIST)
    return cli_error("apex", CLI_FAILED, "%s: %s; choose another folder with --out", p->o->out,
                     strerror(errno));
  snprintf(path, sizeof path, "%s.episodes.tsv", p->path);
  if (os_access(path, OS_EXISTS) || p->o->resume || p->o->force) return CLI_OK;
  return cli_error("apex", CLI_FAILED,
                   "%s exists already: --resume continues it, --force replaces it, and another "
                   "--out keeps both",
                   p->path);
}

/* ---- The result ------------------------------------------------------------------------------------------------ */

static void print_result(const apex_plan *plan, const sixer_apex_progress *p, double seconds,
                         bool json) {
  const sixer_train_progress *t = &p->train;
  if (!json) {
    printf("%-24s %10" PRId64 " frames  %7" PRId64 " episode%s  %" PRId64 " updates", plan->name,
           t->frames, t->episodes, cli_s(t->episodes), p->updates);
    if (t->averaged) printf("  last %d: %.2f  best %g", t->averaged, t->mean, t->best);
    printf("  replay ratio %.2f  %.1f updates stale%s\n", p->replay_ratio, p->staleness,
           p->finished ? "" : "  (unfinished)");
    return;
  }
  printf("{\"run\": ");
  cli_print_json(plan->path);
  printf(", \"frames\": %" PRId64 ", \"episodes\": %" PRId64 ", \"steps\": %" PRId64
         ", \"updates\": %" PRId64 ", \"mean\": ",
         t->frames, t->episodes, t->steps, p->updates);
  if (isfinite(t->mean))
    printf("%.17g", t->mean);
  else
    printf("null");
  printf(", \"averaged\": %d, \"published\": %" PRId64
         ", \"replay_ratio\": %.6g, \"staleness\": %.6g, "
         "\"store_bytes\": %" PRId64
         ", \"store_bytes_per_step\": %.6g, \"seconds\": %.3f, "
         "\"finished\": %s}\n",
         t->averaged, p->published, p->replay_ratio, p->staleness, p->store_bytes, p->store_step,
         seconds, p->finished ? "true" : "false");
}

/* ---- Roles ----------------------------------------------------------------------------------------------------- */

/* The learner's work, and that of the crew beside it if there is one. */
static int learn(apex_plan *p, local_crew *crew, const char *url) {
  sixer_apex_learner *learner;
  sixer_error error = {0};
  if (sixer_apex_learner_create(&p->settings, &learner, &error))
    return cli_error("apex", CLI_FAILED, "%s", error.message);
  int status = crew ? local_start_actors(crew, &p->settings, url) : CLI_OK;
  double begun = cli_seconds(), saved = begun;
  sixer_apex_progress progress = sixer_apex_learner_progress(learner);
  apex_display d = apex_display_begin(p->name, p->settings.actors, p->o->quiet, &progress);
  sixer_err err = SIXER_OK;
  while (!status && !err && !progress.finished && !cli_interrupted) {
    err = sixer_apex_learner_run(learner, 0.1, &error);
    progress = sixer_apex_learner_progress(learner);
    if (!err && crew && !progress.finished) status = local_watch(crew, url);
    if (!err && cli_seconds() - saved >= p->o->checkpoint_every) {
      err = sixer_apex_learner_save(learner, &error);
      saved = cli_seconds();
    }
    apex_display_show(&d, &progress, crew ? crew->restarts : 0);
  }
  apex_display_clear(&d);
  if (err) status = cli_error("apex", CLI_FAILED, "%s", error.message);
  if (!progress.finished && (!err || error.code == SIXER_ERR_STATE)) {
    if (sixer_apex_learner_save(learner, &error))
      status = cli_error("apex", CLI_FAILED, "%s", error.message);
    else
      fprintf(stderr,
              "sixer apex: %s, a checkpoint was written; repeat the command with --resume to "
              "continue\n",
              cli_interrupted ? "interrupted" : "stopped");
    if (!status) status = CLI_FAILED;
  }
  print_result(p, &progress, cli_seconds() - begun, p->o->json);
  sixer_apex_learner_destroy(learner);
  return status;
}

static int run_local(apex_plan *p) {
  static local_crew crew;
  char url[120];
  int status = CLI_OK;
  bool memory = !strcmp(p->o->store, "memory");
  if (!memory && strcmp(p->o->store, "redis") != 0) return bad("--store is redis or memory");
  if (p->o->server)
    return bad("`local` starts its own server; `learner --server` uses another one");
  if (!memory && !sixer_apex_has_redis())
    return cli_error("apex", CLI_FAILED,
                     "this build has no client for Redis: install hiredis (Debian: libhiredis-dev "
                     "libssl-dev redis-server, or scripts/setup) and build again; --store memory "
                     "works without it, with threads of this process");
  if (memory) {
    p->settings.memory = sixer_apex_memory_create();
    if (!p->settings.memory) return cli_error("apex", CLI_FAILED, "out of memory");
  } else {
    status = local_start_server(&crew, url, sizeof url);
    p->settings.server = url;
  }
  if (!status) status = learn(p, &crew, memory ? NULL : url);
  local_stop(&crew);
  sixer_apex_memory_destroy(p->settings.memory);
  p->settings.server = NULL;
  p->settings.memory = NULL;
  return status;
}

static int run_actor(const apex_plan *p) {
  const apex_options *o = p->o;
  sixer_apex_actor *actor;
  sixer_error error;
  if (sixer_apex_actor_create(&p->settings, (int)o->index, &actor, &error))
    return cli_error("apex", CLI_FAILED, "actor: %s", error.message);
  sixer_apex_actor_state s = sixer_apex_actor_progress(actor);
  bool terminal = os_is_terminal(OS_STDERR) && !o->quiet;
  if (!o->quiet) fprintf(stderr, "sixer apex: actor %d plays %s\n", s.index, s.game);
  double begun = cli_seconds(), drawn = 0;
  sixer_err err = SIXER_OK;
  while (!err && !s.finished && !cli_interrupted) {
    err = sixer_apex_actor_run(actor, 0.1, &error);
    s = sixer_apex_actor_progress(actor);
    if (!terminal || cli_seconds() - drawn < 0.2) continue;
    drawn = cli_seconds();
    fprintf(stderr,
            "\ractor %d  %" PRId64 " frames  %.0f frames/s  %" PRId64
            " episodes  weights of step %" PRId64 "  %s\033[K",
            s.index, s.frames, (double)s.frames / (drawn - begun), s.episodes, s.version,
            !s.connected ? "server away"
            : s.waiting  ? "waiting"
                         : "playing");
  }
  if (terminal) fprintf(stderr, "\n");
  int index = s.index;
  sixer_apex_actor_destroy(actor);
  if (err) return cli_error("apex", CLI_FAILED, "actor %d: %s", index, error.message);
  return CLI_OK;
}

/* ---- The command ----------------------------------------------------------------------------------------------- */

static int check_numbers(const apex_options *o) {
  const cli_limit limits[] = {{"actors", o->actors, 1, LOCAL_ACTORS},
                              {"block", o->block, 1, 256},
                              {"fetch", o->fetch, 1, 1000000},
                              {"lead", o->lead, 0, 1000000},
                              {"threads", o->threads, 0, 256},
                              {"seed", o->seed, 1, INT32_MAX - 1},
                              {"evaluation", o->evaluation, -1, INT32_MAX},
                              {"index", o->index, -1, LOCAL_ACTORS - 1},
                              {NULL, 0, 0, 0}};
  int status = cli_check_limits("apex", limits);
  if (status) return status;
  if (!(o->checkpoint_every > 0)) return bad("--checkpoint-every is above 0 seconds");
  if (o->resume && (o->force || o->reset))
    return bad("--resume continues a run; --force and --reset remove it");
  return CLI_OK;
}

static int run_role(apex_plan *p, const char *const *arguments, int count) {
  const apex_options *o = p->o;
  const char *role = count ? arguments[0] : "";
  bool actor = !strcmp(role, "actor"), learner = !strcmp(role, "learner");
  if (!count)
    return bad("say what to be, as in: sixer apex local rainbow pong --actors 2 (learner, actor)");
  if (!actor && !learner && strcmp(role, "local") != 0) return cli_unknown_word("apex", role);
  if (count != (actor ? 1 : 3))
    return bad(actor ? "an actor finds agent and game in the server: sixer apex actor --server URL"
                     : "name an agent and a game, as in: sixer apex local rainbow pong");
  sixer_apex_settings *s = &p->settings;
  *s = sixer_apex_settings_default();
  s->server = o->server;
  s->password_file = o->password_file;
  s->authority = o->authority;
  s->run = o->run;
  s->timeout = o->timeout;
  s->patience = o->patience;
  s->image = o->image;
  s->pace = o->pace;
  if ((actor || learner) && !o->server)
    return bad(
        "--server is where learner and actors meet: redis://HOST[:PORT], rediss://HOST or "
        "unix:PATH");
  cli_catch_interrupts();
  os_ignore_broken_pipes();
  if (actor) {
    s->train.threads = o->threads ? (int)o->threads : 1;
    return run_actor(p);
  }
  int status = read_run(p, arguments[1], arguments[2]);
  if (!status) status = check_folder(p);
  if (status) return status;
  return learner ? learn(p, NULL, NULL) : run_local(p);
}

int cmd_apex(int argc, char **argv) {
  apex_options o = {.protocol = "saber",
                    .out = "runs",
                    .run = "apex",
                    .store = "redis",
                    .layout = "blocks",
                    .seed = 1,
                    .actors = 1,
                    .block = 32,
                    .fetch = 400,
                    .lead = 800,
                    .threads = 0,
                    .index = -1,
                    .evaluation = -1,
                    .checkpoint_every = 300,
                    .timeout = 5,
                    .patience = 60};
  const option_def options[] = {
      {"preset", OPTION_TEXT, &o.preset, "NAME", "settings of a paper; --set overrides them"},
      {"set", OPTION_TEXT, &o.set, "LIST", "options of the agent: name=value,..."},
      {"protocol", OPTION_TEXT, &o.protocol, "NAME", "a name or a file, as in sixer train"},
      {"frames", OPTION_TEXT, &o.frames, "N", "train for N frames of all actors, such as 10M"},
      {"episodes", OPTION_TEXT, &o.episodes, "N", "or for N episodes"},
      {"updates", OPTION_TEXT, &o.updates, "N", "or for N updates of the network"},
      {"evaluation", OPTION_INT, &o.evaluation, "N",
       "episodes without learning after training; -1: as the protocol says"},
      {"seed", OPTION_INT, &o.seed, "S", "seed of the run"},
      {"actors", OPTION_INT, &o.actors, "N", "actors; each has its slice of the replay memory"},
      {"free", OPTION_FLAG, &o.free, NULL, "free-running: learner and actors never wait"},
      {"lockstep", OPTION_FLAG, &o.lockstep, NULL,
       "one actor, weights after every update: equal to sixer train, bit for bit"},
      {"lead", OPTION_INT, &o.lead, "N", "synchronized: steps that actors may be ahead"},
      {"fetch", OPTION_INT, &o.fetch, "N", "steps between fetches of weights"},
      {"block", OPTION_INT, &o.block, "N", "steps that an actor writes at once"},
      {"priorities", OPTION_TEXT, &o.priorities, "WHO",
       "first priority of a step: actor (computed) or max (the largest so far); actor if the agent "
       "has priorities"},
      {"epsilons", OPTION_TEXT, &o.epsilons, "KIND",
       "agent: as its options say; ladder: 0.4^(1+7i/(N-1)) for actor i; ladder for apex-dqn"},
      {"server", OPTION_TEXT, &o.server, "URL",
       "redis://HOST[:PORT][/DATABASE], rediss://... (TLS) or unix:PATH"},
      {"password-file", OPTION_TEXT, &o.password_file, "FILE",
       "its password, the first line; otherwise the variable SIXER_REDIS_PASSWORD"},
      {"ca", OPTION_TEXT, &o.authority, "FILE", "certificates that rediss:// is checked with"},
      {"run", OPTION_TEXT, &o.run, "NAME", "name of the run in the server"},
      {"reset", OPTION_FLAG, &o.reset, NULL,
       "learner: remove what the server has under the name of the run"},
      {"index", OPTION_INT, &o.index, "I", "actor: which one to be; -1: one that is missing"},
      {"image", OPTION_TEXT, &o.image, "FILE",
       "actor: the cartridge image, if it is not found by the game's name"},
      {"pace", OPTION_REAL, &o.pace, "F",
       "actor, local: frames per second that an actor plays at most (60: real time); 0: no limit"},
      {"store", OPTION_TEXT, &o.store, "KIND",
       "local: redis (processes and a private server) or memory (threads of this process)"},
      {"layout", OPTION_TEXT, &o.layout, "KIND",
       "learner, local: blocks of steps and a copy at the learner, or saber: as the SABER paper's "
       "program, to compare"},
      {"threads", OPTION_INT, &o.threads, "N", "threads of the network; 0: one"},
      {"timeout", OPTION_REAL, &o.timeout, "S", "seconds that the server may take to answer"},
      {"patience", OPTION_REAL, &o.patience, "S", "seconds that the server may be away"},
      {"out", OPTION_TEXT, &o.out, "DIR", "folder for the results"},
      {"label", OPTION_TEXT, &o.label, "NAME", "name of the agent in files and rows"},
      {"resume", OPTION_FLAG, &o.resume, NULL, "continue an interrupted run"},
      {"force", OPTION_FLAG, &o.force, NULL, "replace a run that exists"},
      {"checkpoint-every", OPTION_REAL, &o.checkpoint_every, "S", "seconds between checkpoints"},
      {"quiet", OPTION_FLAG, &o.quiet, NULL, "no display"},
      {"json", OPTION_FLAG, &o.json, NULL, "print the result as JSON"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  const char *arguments[3];
  int status, count = cli_parse(
                  "apex",
                  "Train with many actors and one learner, as in Ape-X and the SABER paper: actors "
                  "play, a Redis server holds their steps and the weights, the learner updates the "
                  "network. The files of the run are those of `sixer train`.\n\n"
                  "  sixer apex local rainbow duskrain --preset quick --actors 2 --frames 200k\n"
                  "  sixer apex local apex-dqn pong --actors 4 --free --frames 10M\n"
                  "  sixer apex learner rainbow pong --server redis://node1 --actors 10 --free\n"
                  "  sixer apex actor --server redis://node1\n\n"
                  "Synchronized (the default, at most 4 actors) a run is a function of its seed. "
                  "docs/apex.md describes ten machines, passwords, TLS and failures.",
                  options, argc, argv, arguments, 3, &status);
  if (count < 0) return status;
  status = check_numbers(&o);
  if (status) return status;
  apex_plan plan = {.o = &o};
  status = run_role(&plan, arguments, count);
  sixer_rom_close(plan.rom);
  sixer_protocol_close(plan.protocol);
  return status;
}
