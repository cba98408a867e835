/* `sixer bench plan`: how fast the planners are, against the emulation alone.
 *
 * Each game is played for some steps; then decisions are made from there at the budgets of the papers, each by a new
 * agent without a tree to reuse. Every run measures in turn the console alone on one thread, without pictures, and the
 * planner, so that both have the same share of a busy machine; the best run of each counts. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "sixer/agents.h"

enum { MAX_GAMES = 64, WARM_UP = 60, SKIP = 5, RAW_FRAMES = 20000 };

typedef struct plan_bench {
  int64_t jobs, runs, decisions;
  const char *agent; /* NULL: all */
  sixer_core core;
  bool tsv;
} plan_bench;

/* ---- The console alone ----------------------------------------------------------------------------------------- */

/* The action of a random player. */
static int random_action(const sixer_rom *rom, uint64_t *rng) {
  sixer_list actions = sixer_rom_legal_actions(rom);
  *rng = *rng * 6364136223846793005u + 1442695040888963407u;
  return actions.items[(*rng >> 33) % (uint64_t)actions.count];
}

static sixer_env *start(const sixer_rom *rom, sixer_core core) {
  sixer_config config = sixer_config_default();
  config.core = core;
  config.sticky = 0;
  config.frame_skip = SKIP;
  config.picture = false;
  sixer_env *env = NULL;
  sixer_error error;
  if (sixer_env_create(rom, &config, &env, &error)) {
    cli_error("bench", CLI_FAILED, "%s", error.message);
    return NULL;
  }
  uint64_t rng = 1;
  for (int i = 0; i < WARM_UP; i++) sixer_env_step(env, random_action(rom, &rng), NULL);
  return env;
}

/* Frames per second of random play. */
static double raw_speed(const sixer_rom *rom, sixer_core core, int64_t frames) {
  sixer_env *env = start(rom, core);
  if (!env) return 0;
  uint64_t rng = 7;
  double spent = 0, begin = cli_seconds();
  int64_t done = 0;
  while (done < frames) {
    sixer_result result;
    sixer_env_step(env, random_action(rom, &rng), &result);
    done += result.frames;
    if (result.over) {
      spent += cli_seconds() - begin;
      sixer_env_reset(env);
      begin = cli_seconds();
    }
  }
  spent += cli_seconds() - begin;
  sixer_env_destroy(env);
  return (double)done / spent;
}

/* ---- Decisions ------------------------------------------------------------------------------------------------- */

typedef struct figures {
  double speed;    /* frames per second, all jobs together */
  double share;    /* of the time of all jobs in emulation */
  double seconds;  /* per decision */
  double per_node; /* bytes */
  int64_t nodes;
} figures;

/* Measure one run of decisions from the env's current state; *best is replaced if this run was faster. */
static int decide(const plan_bench *b, const sixer_rom *rom, sixer_env *env, const char *agent_name,
                  const char *options, int64_t jobs, figures *best) {
  char text[200];
  double frames = 0, seconds = 0, emulation = 0;
  figures f = {0};
  snprintf(text, sizeof text, "%s,jobs=%lld", options, (long long)jobs);
  for (int64_t i = 0; i < b->decisions; i++) {
    int action;
    sixer_error error;
    sixer_agent *agent = NULL;
    if (sixer_agent_create(agent_name, text, (uint64_t)i, &agent, &error) ||
        sixer_agent_act(agent, env, sixer_rom_legal_actions(rom), &action, &error)) {
      sixer_agent_destroy(agent);
      return cli_error("bench", CLI_FAILED, "%s", error.message);
    }
    sixer_agent_stats s = sixer_agent_last(agent);
    frames += (double)s.frames;
    seconds += s.seconds;
    emulation += s.emulation;
    f.per_node = (double)s.memory / (double)(s.nodes + 1);
    f.nodes = s.nodes;
    sixer_agent_destroy(agent);
  }
  f.speed = frames / seconds;
  f.share = emulation / (seconds * (double)jobs);
  f.seconds = seconds / (double)b->decisions;
  if (f.speed > best->speed) *best = f;
  return CLI_OK;
}

static const struct {
  const char *agent, *options;
} works[] = {{"uct", "simulations=500,horizon=300"},
             {"full-tree", "frames=133000"},
             {"iw1", "frames=150000"},
             {"p-iw1", "frames=150000"}};
enum { WORKS = sizeof works / sizeof works[0] };

static int measure(const plan_bench *b, const char *game, const sixer_rom *rom, int w,
                   int64_t jobs) {
  sixer_env *env = start(rom, b->core);
  if (!env) return CLI_FAILED;
  figures f = {0};
  double raw = 0;
  int status = CLI_OK;
  for (int64_t run = 0; run < b->runs && !status; run++) {
    double speed = raw_speed(rom, b->core, RAW_FRAMES);
    if (speed > raw) raw = speed;
    status = decide(b, rom, env, works[w].agent, works[w].options, jobs, &f);
  }
  sixer_env_destroy(env);
  if (status) return status;
  if (b->tsv) {
    printf("%s\t%s\t%s\t%lld\t%.0f\t%.0f\t%.3f\t%.4f\t%.4f\t%lld\t%.0f\t%d\n", game, works[w].agent,
           works[w].options, (long long)jobs, f.speed, raw, f.speed / raw, f.share, f.seconds,
           (long long)f.nodes, f.per_node, SIXER_BEHAVIOR);
  } else {
    printf("%-18s %-10s %4lld %12.0f %12.0f %7.2f x %8.1f %% %10.3f %9lld %9.0f\n", game,
           works[w].agent, (long long)jobs, f.speed, raw, f.speed / raw, 100 * f.share, f.seconds,
           (long long)f.nodes, f.per_node);
  }
  fflush(stdout);
  return CLI_OK;
}

static int measure_game(const plan_bench *b, const char *game) {
  sixer_rom *rom;
  sixer_error error;
  if (sixer_rom_open(game, NULL, &rom, &error))
    return cli_error("bench", CLI_FAILED, "%s", error.message);
  int status = CLI_OK;
  for (int w = 0; w < WORKS && !status; w++) {
    if (b->agent && strcmp(b->agent, works[w].agent) != 0) continue;
    status = measure(b, game, rom, w, 1);
    if (!status && b->jobs > 1) status = measure(b, game, rom, w, b->jobs);
  }
  sixer_rom_close(rom);
  return status;
}

int bench_plan(int argc, char **argv) {
  plan_bench b = {.jobs = 2, .runs = 3, .decisions = 1};
  const char *core_name = "auto";
  const option_def options[] = {
      {"jobs", OPTION_INT, &b.jobs, "N", "measure with one job and with N"},
      {"runs", OPTION_INT, &b.runs, "N", "runs of which the best counts"},
      {"decisions", OPTION_INT, &b.decisions, "N", "decisions per run"},
      {"agent", OPTION_TEXT, &b.agent, "NAME", "measure only uct, full-tree, iw1 or p-iw1"},
      {"core", OPTION_TEXT, &core_name, "CORE", "auto, plain, interp or jit"},
      {"tsv", OPTION_FLAG, &b.tsv, NULL, "tab-separated values instead of a table"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  static const char *const cores[] = {"auto", "plain", "interp", "jit"};
  const char *games[MAX_GAMES] = {"pong", "up_n_down"};
  int status,
      count = cli_parse(
          "bench",
          "plan: measure decisions of the planners with the budgets of their papers. Columns:\n"
          "frames per second of all jobs together and of the emulator alone on one thread, their\n"
          "ratio, the share of the jobs' time that is emulation, seconds per decision, nodes of\n"
          "the tree, and bytes per node with its state. Without games: pong, and up_n_down, where\n"
          "iw1 reaches the 30,000 nodes that its budget allows.",
          options, argc, argv, games, MAX_GAMES, &status);
  if (count < 0) return status;
  const cli_limit limits[] = {{"jobs", b.jobs, 1, 256},
                              {"runs", b.runs, 1, INT64_MAX},
                              {"decisions", b.decisions, 1, INT64_MAX},
                              {NULL, 0, 0, 0}};
  if ((status = cli_check_limits("bench", limits))) return status;
  int core = 0, work = 0;
  while (core < 4 && strcmp(cores[core], core_name) != 0) core++;
  if (core == 4)
    return cli_error("bench", CLI_USAGE, "--core is auto, plain, interp or jit, found '%s'",
                     core_name);
  b.core = (sixer_core)core;
  while (b.agent && work < WORKS && strcmp(works[work].agent, b.agent) != 0) work++;
  if (work == WORKS)
    return cli_error("bench", CLI_USAGE, "--agent is uct, full-tree, iw1 or p-iw1, found '%s'",
                     b.agent);
  if (b.tsv)
    printf(
        "game\tagent\toptions\tjobs\tframes_per_second\traw_frames_per_second\tratio\temulation\t"
        "seconds_per_decision\tnodes\tbytes_per_node\tbehavior\n");
  else
    printf("%-18s %-10s %4s %12s %12s %9s %10s %10s %9s %9s\n", "game", "agent", "jobs", "frames/s",
           "raw, 1 job", "ratio", "emulation", "s/decision", "nodes", "B/node");
  for (int i = 0; i < (count ? count : 2) && !status; i++) status = measure_game(&b, games[i]);
  return status;
}
