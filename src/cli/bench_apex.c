/* `sixer bench apex`: what a Redis server and the blocks of Ape-X can carry on this machine. It starts a private server
 * for each game. Rates are by the clock: compare them with one another, and use a machine that is otherwise idle. */
#include <stdio.h>

#include "cli/apex_local.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "sixer/apex.h"

enum { MAX_GAMES = 64 };

static void print_text(const char *game, const sixer_apex_figures *f) {
  printf("%s\n", game);
  printf("  steps/s appended by 4 actors          %12.0f   %.2f us of processor time each\n",
         f->append_rate, f->append_time * 1e6);
  printf("  batches/s through the server          %12.0f   %.3f ms of the learner\n", f->batch_rate,
         f->batch_time * 1e3);
  printf("  batches/s from the learner's copy     %12.0f   %.3f ms of the learner\n", f->copy_rate,
         f->copy_time * 1e3);
  printf("  bytes of the server per step          %12.0f   %.0f of them sent\n", f->step_bytes,
         f->block_bytes);
  printf("  layout of the SABER paper: steps/s    %12.0f\n", f->saber_append_rate);
  printf("  ... batches/s                         %12.0f   %.0f and %.0f times fewer\n",
         f->saber_batch_rate, f->batch_rate / f->saber_batch_rate,
         f->copy_rate / f->saber_batch_rate);
  printf("  ... bytes per step                    %12.0f\n", f->saber_step_bytes);
  printf(
      "  30 MB of weights to 10 actors, ms     %12.1f   longest wait of another client %.1f ms\n",
      f->weights_time * 1e3, f->weights_wait * 1e3);
}

static int run(const char *game, double seconds, bool tsv) {
  sixer_error error = {0};
  sixer_rom *rom;
  if (sixer_rom_open(game, NULL, &rom, &error))
    return cli_error("bench", CLI_FAILED, "%s", error.message);
  static local_crew crew; /* large */
  crew = (local_crew){0};
  char url[200];
  int status = local_start_server(&crew, url, sizeof url);
  sixer_apex_figures f;
  if (!status && sixer_apex_measure(url, rom, seconds, &f, &error))
    status = cli_error("bench", CLI_FAILED, "%s: %s", game, error.message);
  local_stop(&crew);
  sixer_rom_close(rom);
  if (status) return status;
  if (tsv)
    printf("%s\t%.0f\t%.3f\t%.1f\t%.4f\t%.1f\t%.4f\t%.1f\t%.1f\t%.0f\t%.1f\t%.1f\t%.2f\t%.2f\n",
           game, f.append_rate, f.append_time * 1e6, f.batch_rate, f.batch_time * 1e3, f.copy_rate,
           f.copy_time * 1e3, f.step_bytes, f.block_bytes, f.saber_append_rate, f.saber_batch_rate,
           f.saber_step_bytes, f.weights_time * 1e3, f.weights_wait * 1e3);
  else
    print_text(game, &f);
  fflush(stdout);
  return CLI_OK;
}

int bench_apex(int argc, char **argv) {
  double seconds = 2;
  bool tsv = false;
  const option_def options[] = {
      {"seconds", OPTION_REAL, &seconds, "S", "for each figure"},
      {"tsv", OPTION_FLAG, &tsv, NULL, "tab-separated values instead of text"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  const char *games[MAX_GAMES];
  int status,
      count = cli_parse(
          "bench",
          "apex: Ape-X on a private Redis server, with steps of random play. Steps per second that "
          "4\n"
          "actors encode and append; batches of 32 transitions (7 frames each) per second that a\n"
          "learner draws and decodes, block by block from the server, and from its own copy while "
          "4\n"
          "actors append 5,000 steps per second each and it follows them; memory of the server "
          "per\n"
          "step; the same in the layout of the SABER paper (a hash per transition, priorities in "
          "the\n"
          "server); and how long 30 MB of weights take to 10 actors, and another client waits "
          "then.\n"
          "Without games: pong, breakout, seaquest, ms_pacman, space_invaders.",
          options, argc, argv, games, MAX_GAMES, &status);
  if (count < 0) return status;
  if (!(seconds > 0 && seconds <= 3600))
    return cli_error("bench", CLI_USAGE, "--seconds is above 0 and at most 3600");
  if (!sixer_apex_has_redis())
    return cli_error("bench", CLI_FAILED,
                     "this build has no client for Redis: install hiredis (Debian: libhiredis-dev "
                     "libssl-dev redis-server, or scripts/setup) and build again");
  static const char *const usual[] = {"pong", "breakout", "seaquest", "ms_pacman",
                                      "space_invaders"};
  const char *const *list = count ? games : usual;
  if (!count) count = (int)(sizeof usual / sizeof *usual);
  if (tsv)
    printf(
        "game\tappend_rate\tappend_us\tbatch_rate\tbatch_ms\tcopy_rate\tcopy_ms\tstep_bytes\t"
        "block_bytes\tsaber_append_rate\tsaber_batch_rate\tsaber_step_bytes\tweights_ms\t"
        "weights_wait_ms\n");
  for (int i = 0; i < count && !status; i++) status = run(list[i], seconds, tsv);
  return status;
}
