/* `sixer bench deep`: whole training of the deep agents, against the passes of their networks alone.
 *
 * A run trains as `sixer train` does: emulation, observation, acting, replay memory, updates. In turns with it the
 * passes of its updates are repeated and nothing else is done. The share is what training reaches of the speed that
 * those passes alone would allow. With one thread times are processor time of the thread; with more they are by the
 * clock, and right only on a machine that is otherwise idle. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "sixer/train.h"
#include "util/os.h"

enum { MAX_GAMES = 64 };

typedef struct deep_bench {
  int64_t pieces, updates, threads, seed;
  const char *agent, *preset, *set;
  bool tsv;
} deep_bench;

typedef struct deep_figures {
  double training, alone; /* seconds per update: of the best piece */
  double frames;          /* of training, per update */
} deep_figures;

/* Agents as they train most of the time: the memory is past its start, and few actions are random. */
static const struct {
  const char *agent, *preset, *set;
} works[] = {
    {"dqn", "dopamine", "memory=50000,start=1000,epsilon_start=0.01"},
    {"pqn", "gallici2024", "epsilon_start=0.001"},
};
enum { WORKS = sizeof works / sizeof works[0] };

/* Train until `updates` more are done. */
static sixer_err train_updates(sixer_train *train, int64_t updates, sixer_error *error) {
  sixer_agent *agent = sixer_train_agent(train);
  int64_t end = sixer_agent_learned(agent).updates + updates;
  while (sixer_agent_learned(agent).updates < end) {
    sixer_err err = sixer_train_run(train, 1, error);
    if (err) return err;
  }
  return SIXER_OK;
}

static void keep_best(double *best, double time) {
  if (*best == 0 || time < *best) *best = time;
}

static sixer_err measure(const deep_bench *b, sixer_train *train, int threads, deep_figures *f,
                         sixer_error *error) {
  double (*const clock)(void) = threads == 1 ? os_thread_seconds : os_seconds;
  sixer_agent *agent = sixer_train_agent(train);
  sixer_err err = sixer_train_run(train, 1, error);
  if (!err && !sixer_agent_learned(agent).kernels) {
    snprintf(error->message, sizeof error->message, "the agent has no network that it trains");
    return SIXER_ERR_ARGUMENT;
  }
  if (!err) err = train_updates(train, 1, error);
  /* from the end of an update of PQN, which is many updates of the network, to the end of the next */
  int unit = err ? 1 : sixer_agent_repeat_passes(agent);
  if (!err) err = train_updates(train, unit > 1 ? unit - 1 : 10, error);
  int64_t updates = (b->updates + unit - 1) / unit * unit;
  for (int64_t i = 0; !err && i < b->pieces; i++) {
    int64_t frames = sixer_train_progress_of(train).frames;
    double begin = clock();
    err = train_updates(train, updates, error);
    keep_best(&f->training, (clock() - begin) / (double)updates);
    f->frames = (double)(sixer_train_progress_of(train).frames - frames) / (double)updates;
    begin = clock();
    for (int64_t k = 0; k < updates; k += unit) sixer_agent_repeat_passes(agent);
    keep_best(&f->alone, (clock() - begin) / (double)updates);
  }
  return err;
}

static void print_row(const deep_bench *b, const char *agent, const char *game, int threads,
                      const deep_figures *f) {
  if (b->tsv)
    printf("%s\t%s\t%d\t%.1f\t%.4f\t%.4f\t%.2f\t%d\n", agent, game, threads,
           f->frames / f->training, f->training * 1e3, f->alone * 1e3, 100 * f->alone / f->training,
           SIXER_BEHAVIOR);
  else
    printf("%-12s %-16s %7d %10.0f %12.3f %12.3f %8.1f %%\n", agent, game, threads,
           f->frames / f->training, f->training * 1e3, f->alone * 1e3,
           100 * f->alone / f->training);
  fflush(stdout);
}

static int run(const deep_bench *b, const char *agent, const char *preset, const char *set,
               const char *game) {
  sixer_rom *rom;
  sixer_protocol *protocol;
  sixer_error error;
  char options[1000];
  snprintf(options, sizeof options, "%s%s%s%s", preset ? "preset=" : "", preset ? preset : "",
           preset && set ? "," : "", set ? set : "");
  if (sixer_rom_open(game, NULL, &rom, &error))
    return cli_error("bench", CLI_FAILED, "%s", error.message);
  if (sixer_protocol_open("dopamine", &protocol, &error)) {
    sixer_rom_close(rom);
    return cli_error("bench", CLI_FAILED, "%s", error.message);
  }
  sixer_err err = SIXER_OK;
  for (int i = 0; i < (b->threads > 1 ? 2 : 1) && !err; i++) {
    sixer_train_settings settings = sixer_train_settings_default();
    settings.agent = agent;
    settings.options = options;
    settings.rom = rom;
    settings.protocol = protocol;
    settings.seed = (uint32_t)b->seed;
    settings.frames = INT64_C(1000000000);
    settings.threads = i ? (int)b->threads : 1;
    sixer_train *train = NULL;
    deep_figures f = {0};
    err = sixer_train_create(&settings, &train, &error);
    if (!err) err = measure(b, train, settings.threads, &f, &error);
    if (!err) print_row(b, agent, game, settings.threads, &f);
    sixer_train_destroy(train);
  }
  sixer_protocol_close(protocol);
  sixer_rom_close(rom);
  return err ? cli_error("bench", CLI_FAILED, "%s on %s: %s", agent, game, error.message) : CLI_OK;
}

int bench_deep(int argc, char **argv) {
  deep_bench b = {.pieces = 8, .updates = 50, .threads = 2, .seed = 1};
  const option_def options[] = {
      {"agent", OPTION_TEXT, &b.agent, "NAME", "only this agent, with --preset and --set"},
      {"preset", OPTION_TEXT, &b.preset, "NAME", "its preset"},
      {"set", OPTION_TEXT, &b.set, "LIST", "its options: name=value,..."},
      {"pieces", OPTION_INT, &b.pieces, "N", "pieces of training of which the best counts"},
      {"updates", OPTION_INT, &b.updates, "N", "updates in a piece, or somewhat more"},
      {"threads", OPTION_INT, &b.threads, "N",
       "threads of the rows with more than one; 1: no such rows"},
      {"seed", OPTION_INT, &b.seed, "S", "seed of environments and agent"},
      {"tsv", OPTION_FLAG, &b.tsv, NULL, "tab-separated values instead of a table"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  const char *games[MAX_GAMES];
  int status,
      count = cli_parse(
          "bench",
          "deep: whole training of agents with networks. In turns with it the passes of its "
          "network "
          "are\n"
          "repeated alone. Frames per second of training, milliseconds per update of training and "
          "of "
          "the\n"
          "passes, and the share: what training reaches of the speed that the passes alone would "
          "allow.\n"
          "One thread is measured in processor time; several by the clock, on an idle machine "
          "only.\n"
          "Without --agent: dqn, and pqn with 128 environments. Without games: pong.",
          options, argc, argv, games, MAX_GAMES, &status);
  if (count < 0) return status;
  const cli_limit limits[] = {{"pieces", b.pieces, 1, 100000},
                              {"updates", b.updates, 1, 1000000},
                              {"threads", b.threads, 1, 256},
                              {"seed", b.seed, 1, 1000000000},
                              {NULL, 0, 0, 0}};
  if ((status = cli_check_limits("bench", limits))) return status;
  if (!b.agent && (b.preset || b.set))
    return cli_error("bench", CLI_USAGE, "--preset and --set are of --agent, which is missing");
  static const char *const usual[] = {"pong"};
  const char *const *list = count ? games : usual;
  if (!count) count = 1;
  if (b.tsv)
    printf("agent\tgame\tthreads\tframes_per_second\ttraining_ms\tpasses_ms\tshare\tbehavior\n");
  else
    printf("%-12s %-16s %7s %10s %12s %12s %10s\n", "agent", "game", "threads", "frames/s",
           "training, ms", "passes, ms", "share");
  for (int i = 0; i < count && !status; i++) {
    if (b.agent) status = run(&b, b.agent, b.preset, b.set, list[i]);
    for (int k = 0; k < WORKS && !b.agent && !status; k++)
      status = run(&b, works[k].agent, works[k].preset, works[k].set, list[i]);
  }
  return status;
}
