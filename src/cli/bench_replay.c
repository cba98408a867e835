/* `sixer bench replay`: what the replay memory of the deep agents takes, and how fast it is.
 *
 * An agent plays each game; what a deep agent would see is stored, as in its training. Then batches are drawn and
 * decoded. Bytes per step are those of compressed frames with the table that finds them, and of everything else that is
 * kept of a step. Times are processor time of the thread, and the best of several rounds. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "sixer/agents.h"

enum { MAX_GAMES = 512, N_MAX = 64 };

typedef struct replay_bench {
  int64_t steps, seed, n;
  const char *agent, *set;
  double sticky;
  bool uniform, tsv;
  double sums[4];
} replay_bench;

static const char *const usual_games[] = {"pong", "breakout", "seaquest", "ms_pacman",
                                          "space_invaders"};

static sixer_err measure(const replay_bench *b, const sixer_rom *rom, sixer_replay_figures *f,
                         sixer_error *error) {
  sixer_config config = sixer_config_default();
  config.frame_skip = 4;
  config.sticky = (float)b->sticky;
  config.seed = (uint32_t)b->seed;
  config.max_frames = 108000;
  sixer_agent *player;
  sixer_err err = sixer_agent_create(b->agent, b->set, (uint64_t)b->seed, &player, error);
  if (err) return err;
  err = sixer_replay_measure(rom, &config, player, b->steps, (int)b->n, !b->uniform, f, error);
  sixer_agent_destroy(player);
  return err;
}

static void print_row(const replay_bench *b, const char *name, const sixer_replay_figures *f) {
  if (b->tsv)
    printf("%s\t%s\t%lld\t%lld\t%d\t%.1f\t%.1f\t%.2f\t%.1f\t%d\n", name, b->agent,
           (long long)b->steps, (long long)b->n, b->uniform, f->frame_bytes, f->other_bytes,
           f->add_time * 1e6, f->batch_time * 1e6, SIXER_BEHAVIOR);
  else
    printf("%-18s %10.1f %8.1f %8.1f %10.2f %12.1f\n", name, f->frame_bytes, f->other_bytes,
           f->frame_bytes + f->other_bytes, f->add_time * 1e6, f->batch_time * 1e6);
  fflush(stdout);
}

int bench_replay(int argc, char **argv) {
  replay_bench b = {.steps = 10000, .seed = 1, .n = 3, .agent = "random", .sticky = 0.25};
  const option_def options[] = {
      {"agent", OPTION_TEXT, &b.agent, "NAME", "who plays, such as uct; random if not given"},
      {"set", OPTION_TEXT, &b.set, "LIST", "options of the agent: name=value,..."},
      {"steps", OPTION_INT, &b.steps, "N", "steps to play and to keep"},
      {"n", OPTION_INT, &b.n, "N", "steps between a state and its next state"},
      {"uniform", OPTION_FLAG, &b.uniform, NULL, "without priorities"},
      {"sticky", OPTION_REAL, &b.sticky, "P", "probability that a frame repeats the action before"},
      {"seed", OPTION_INT, &b.seed, "S", "seed of environment and agent"},
      {"tsv", OPTION_FLAG, &b.tsv, NULL, "tab-separated values instead of a table"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  const char *games[MAX_GAMES];
  int status, count = cli_parse("bench",
                                "replay: the replay memory of the deep agents. An agent plays each "
                                "game at frame skip 4;\n"
                                "its 84 x 84 frames are stored. Bytes per step: of frames, of the "
                                "rest (actions, rewards,\n"
                                "priorities), and both. Then microseconds to add a step, and to "
                                "draw and decode a batch\n"
                                "of 32 transitions. Without games: pong, breakout, seaquest, "
                                "ms_pacman, space_invaders.",
                                options, argc, argv, games, MAX_GAMES, &status);
  if (count < 0) return status;
  if (b.steps < 100 || b.n < 1 || b.n > N_MAX || b.seed < 0 || !(b.sticky >= 0 && b.sticky <= 1))
    return cli_error("bench", CLI_USAGE,
                     "--steps is 100 or more, --n 1 to %d, --seed 0 or more, --sticky 0 to 1",
                     N_MAX);
  const char *const *list = count ? games : usual_games;
  if (!count) count = (int)(sizeof usual_games / sizeof *usual_games);
  if (b.tsv)
    printf(
        "game\tagent\tsteps\tn\tuniform\tframe_bytes\tother_bytes\tadd_us\tbatch_us\tbehavior\n");
  else
    printf("%-18s %10s %8s %8s %10s %12s\n", "game", "frames, B", "rest, B", "both, B", "add, us",
           "batch, us");
  for (int i = 0; i < count; i++) {
    sixer_rom *rom;
    sixer_error error;
    sixer_replay_figures f = {0};
    if (sixer_rom_open(list[i], NULL, &rom, &error))
      return cli_error("bench", CLI_FAILED, "%s", error.message);
    sixer_err err = measure(&b, rom, &f, &error);
    sixer_rom_close(rom);
    if (err) return cli_error("bench", CLI_FAILED, "%s: %s", list[i], error.message);
    print_row(&b, list[i], &f);
    const double values[4] = {f.frame_bytes, f.other_bytes, f.add_time, f.batch_time};
    for (int k = 0; k < 4; k++) b.sums[k] += values[k] / count;
  }
  if (count > 1 && !b.tsv)
    print_row(&b, "(mean)", &(sixer_replay_figures){b.sums[0], b.sums[1], b.sums[2], b.sums[3]});
  return CLI_OK;
}
