/* `sixer bench plan`: how fast the planners are, against the emulation alone.
 *
 * Each game is played for some steps; then decisions are made from there at the budgets of the papers, each by a new
 * agent without a tree to reuse. Beside them, in the same runs, the speed of the console alone on one thread, without
 * pictures. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "sixer/agents.h"

enum { MAX_GAMES = 64, WARM_UP = 60, SKIP = 5 };

typedef struct plan_bench {
  int64_t jobs, runs, decisions;
  const char *core;
  bool tsv;
} plan_bench;

/* ---- The console alone ----------------------------------------------------------------------------------------- */

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
  sixer_list actions = sixer_rom_legal_actions(rom);
  for (int i = 0; i < WARM_UP; i++) {
    rng = rng * 6364136223846793005u + 1442695040888963407u;
    sixer_env_step(env, actions.items[(rng >> 33) % (uint64_t)actions.count], NULL);
  }
  return env;
}

/* Frames per second of random play. */
static double raw_speed(const sixer_rom *rom, sixer_core core, int64_t frames) {
  sixer_env *env = start(rom, core);
  if (!env) return 0;
  sixer_list actions = sixer_rom_legal_actions(rom);
  uint64_t rng = 7;
  double spent = 0, begin = cli_seconds();
  int64_t done = 0;
  while (done < frames) {
    sixer_result result;
    rng = rng * 6364136223846793005u + 1442695040888963407u;
    sixer_env_step(env, actions.items[(rng >> 33) % (uint64_t)actions.count], &result);
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

static int decide(const plan_bench *b, const sixer_rom *rom, sixer_core core,
                  const char *agent_name, const char *options, int64_t jobs, figures *best) {
  *best = (figures){0};
  sixer_env *env = start(rom, core);
  int status = env ? CLI_OK : CLI_FAILED;
  for (int64_t run = 0; !status && run < b->runs; run++) {
    char text[200];
    sixer_error error;
    sixer_agent *agent = NULL;
    double frames = 0, seconds = 0, emulation = 0;
    snprintf(text, sizeof text, "%s,jobs=%lld", options, (long long)jobs);
    for (int64_t i = 0; !status && i < b->decisions; i++) {
      int action;
      if (sixer_agent_create(agent_name, text, (uint64_t)i, &agent, &error) ||
          sixer_agent_act(agent, env, sixer_rom_legal_actions(rom), &action, &error)) {
        status = cli_error("bench", CLI_FAILED, "%s", error.message);
        break;
      }
      sixer_agent_stats s = sixer_agent_last(agent);
      frames += (double)s.frames;
      seconds += s.seconds;
      emulation += s.emulation;
      best->per_node = (double)s.memory / (double)(s.nodes + 1);
      best->nodes = s.nodes;
      sixer_agent_destroy(agent);
      agent = NULL;
    }
    sixer_agent_destroy(agent);
    if (!status && frames / seconds > best->speed) {
      best->speed = frames / seconds;
      best->share = emulation / (seconds * (double)jobs);
      best->seconds = seconds / (double)b->decisions;
    }
  }
  sixer_env_destroy(env);
  return status;
}

static int measure(const plan_bench *b, const char *game, sixer_core core) {
  static const struct {
    const char *agent, *options;
  } works[] = {{"uct", "simulations=500,horizon=300"},
               {"full-tree", "frames=133000"},
               {"iw1", "frames=150000"},
               {"p-iw1", "frames=150000"}};
  sixer_rom *rom;
  sixer_error error;
  if (sixer_rom_open(game, NULL, &rom, &error))
    return cli_error("bench", CLI_FAILED, "%s", error.message);
  int status = CLI_OK;
  for (size_t w = 0; w < sizeof works / sizeof works[0] && !status; w++) {
    for (int64_t jobs = 1; jobs <= b->jobs && !status; jobs += b->jobs > 1 ? b->jobs - 1 : 1) {
      figures f;
      double raw = 0;
      for (int64_t run = 0; run < b->runs; run++) {
        double speed = raw_speed(rom, core, 20000);
        if (speed > raw) raw = speed;
      }
      status = decide(b, rom, core, works[w].agent, works[w].options, jobs, &f);
      if (status) break;
      if (b->tsv) {
        printf("%s\t%s\t%s\t%lld\t%.0f\t%.0f\t%.3f\t%.4f\t%.4f\t%lld\t%.0f\t%d\n", game,
               works[w].agent, works[w].options, (long long)jobs, f.speed, raw, f.speed / raw,
               f.share, f.seconds, (long long)f.nodes, f.per_node, SIXER_BEHAVIOR);
      } else {
        printf("%-18s %-10s %4lld %12.0f %12.0f %7.2f x %8.1f %% %10.3f %9lld %9.0f\n", game,
               works[w].agent, (long long)jobs, f.speed, raw, f.speed / raw, 100 * f.share,
               f.seconds, (long long)f.nodes, f.per_node);
      }
      fflush(stdout);
      if (b->jobs == 1) break;
    }
  }
  sixer_rom_close(rom);
  return status;
}

int bench_plan(int argc, char **argv) {
  plan_bench b = {.jobs = 2, .runs = 3, .decisions = 1, .core = "auto"};
  const option_def options[] = {
      {"jobs", OPTION_INT, &b.jobs, "N", "measure with one job and with so many"},
      {"runs", OPTION_INT, &b.runs, "N", "runs of which the best counts"},
      {"decisions", OPTION_INT, &b.decisions, "N", "of a run"},
      {"core", OPTION_TEXT, &b.core, "CORE", "auto, plain, interp or jit"},
      {"tsv", OPTION_FLAG, &b.tsv, NULL, "tab-separated values instead of a table"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  static const char *const cores[] = {"auto", "plain", "interp", "jit"};
  const char *games[MAX_GAMES] = {"pong"};
  int status,
      count = cli_parse(
          "bench",
          "plan: decisions of the planners at the budgets of the papers. The speed of all jobs\n"
          "together stands beside that of the console alone on one thread; then the share of\n"
          "the jobs' time that is emulation, the seconds of a decision, the nodes of its tree\n"
          "and the bytes of a node with its state. Without games: pong.",
          options, argc, argv, games, MAX_GAMES, &status);
  if (count < 0) return status;
  if (b.jobs < 1 || b.jobs > 256 || b.runs < 1 || b.decisions < 1)
    return cli_error("bench", CLI_USAGE,
                     "--jobs is 1 to 256, --runs and --decisions are 1 or more");
  int core = 0;
  while (core < 4 && strcmp(cores[core], b.core)) core++;
  if (core == 4)
    return cli_error("bench", CLI_USAGE, "--core is auto, plain, interp or jit, found '%s'",
                     b.core);
  if (b.tsv)
    printf(
        "game\tagent\toptions\tjobs\tframes_per_second\traw_frames_per_second\tratio\temulation\t"
        "seconds_per_decision\tnodes\tbytes_per_node\tbehavior\n");
  else
    printf("%-18s %-10s %4s %12s %12s %9s %10s %10s %9s %9s\n", "game", "agent", "jobs", "frames/s",
           "raw, 1 job", "ratio", "emulation", "s/decision", "nodes", "B/node");
  for (int i = 0; i < (count ? count : 1) && !status; i++)
    status = measure(&b, games[i], (sixer_core)core);
  return status;
}
