/* `sixer bench apex`: what a Redis server and the blocks of Ape-X can carry on this machine. It starts a private server
 * for each game. Rates by the clock need a machine that is otherwise idle; processor time is disturbed less. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/apex_local.h"
#include "cli/apex_share.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "sixer/apex.h"

enum { MAX_GAMES = 64 };

/* Batches per second that processor time allows: of one core for learner and server together; and of the learner's
 * core, of which following 4 actors takes a part. */
enum { FOLLOWED = 20000 /* steps per second */ };

static double server_batches(const sixer_apex_figures *f) {
  return 1 / (f->batch_time + f->batch_server_time);
}
static double copy_batches(const sixer_apex_figures *f) {
  return (1 - FOLLOWED * f->follow_time) / f->copy_time;
}
static double saber_batches(const sixer_apex_figures *f) {
  return 1 / (f->saber_batch_time + f->saber_server_time);
}

static void print_text(const char *game, const sixer_apex_figures *f) {
  printf("%-38s  by the clock   by processor time\n", game);
  printf("  steps/s appended by 4 actors          %12.0f   %.2f us of an actor each\n",
         f->append_rate, f->append_time * 1e6);
  printf(
      "  batches/s through the server          %12.0f   %.0f: %.3f ms of the learner, %.3f of the "
      "server\n",
      f->batch_rate, server_batches(f), f->batch_time * 1e3, f->batch_server_time * 1e3);
  printf(
      "  batches/s from the learner's copy     %12.0f   %.0f: %.3f ms of the learner, and %.2f us "
      "per step of actors\n",
      f->copy_rate, copy_batches(f), f->copy_time * 1e3, f->follow_time * 1e6);
  printf("  bytes of the server per step          %12.0f   %.0f of them sent\n", f->step_bytes,
         f->block_bytes);
  printf("  layout of the SABER paper: steps/s    %12.0f\n", f->saber_append_rate);
  printf(
      "  ... batches/s                         %12.0f   %.0f: %.3f ms of the learner, %.3f of the "
      "server\n",
      f->saber_batch_rate, saber_batches(f), f->saber_batch_time * 1e3, f->saber_server_time * 1e3);
  printf("  ... times fewer                       %7.1f %4.1f   %.1f and %.1f\n",
         f->batch_rate / f->saber_batch_rate, f->copy_rate / f->saber_batch_rate,
         server_batches(f) / saber_batches(f), copy_batches(f) / saber_batches(f));
  printf("  ... bytes per step                    %12.0f\n", f->saber_step_bytes);
  printf(
      "  30 MB of weights to 10 actors, ms     %12.1f   longest wait of another client %.1f ms\n",
      f->weights_time * 1e3, f->weights_wait * 1e3);
}

typedef struct apex_bench {
  double seconds;
  bool tsv, share;
  const char *agent, *set;
  int64_t pieces, updates, period;
} apex_bench;

static void print_share(const apex_bench *b, const char *game, bool priorities,
                        const share_figures *f) {
  const char *who = priorities ? "actor" : "max";
  double sum = f->learner + f->actor + f->server;
  if (b->tsv)
    printf("%s\t%s\t%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.2f\t%.2f\n", game, b->agent, who, f->single * 1e3,
           f->learner * 1e3, f->actor * 1e3, f->server * 1e3, 100 * f->single / sum,
           100 * f->single / f->learner);
  else
    printf("%-16s %-12s %-10s %10.3f %10.3f %10.3f %10.3f %8.1f %% %8.1f %%\n", game, b->agent, who,
           f->single * 1e3, f->learner * 1e3, f->actor * 1e3, f->server * 1e3,
           100 * f->single / sum, 100 * f->single / f->learner);
}

/* The agent's option `period`: steps between updates. */
static int find_period(apex_bench *b) {
  sixer_agent *agent;
  sixer_error error;
  char text[3000];
  if (sixer_agent_create(b->agent, b->set, 1, &agent, &error))
    return cli_error("bench", CLI_USAGE, "%s", error.message);
  sixer_agent_settings(agent, text, sizeof text);
  sixer_agent_destroy(agent);
  const char *at = strstr(text, ",period=");
  b->period = at ? strtoll(at + 8, NULL, 10) : 0;
  if (b->period > 0) return CLI_OK;
  return cli_error("bench", CLI_USAGE, "%s has no replay memory that actors could fill", b->agent);
}

/* The share with priorities by the actor, and with the largest so far. */
static int run_share(const apex_bench *b, const char *game, const char *url, int64_t server,
                     const sixer_rom *rom) {
  for (int i = 0; i < 2; i++) {
    const share_work work = {.agent = b->agent,
                             .options = b->set,
                             .period = b->period,
                             .pieces = b->pieces,
                             .updates = b->updates,
                             .priorities = i == 0};
    share_figures f = {0};
    sixer_error error = {0};
    if (share_measure(&work, url, server, rom, &f, &error))
      return cli_error("bench", CLI_FAILED, "%s: %s", game, error.message);
    print_share(b, game, work.priorities, &f);
  }
  return CLI_OK;
}

static int run_carried(const apex_bench *b, const char *game, const char *url,
                       const sixer_rom *rom) {
  sixer_error error = {0};
  sixer_apex_figures f;
  if (sixer_apex_measure(url, rom, b->seconds, &f, &error))
    return cli_error("bench", CLI_FAILED, "%s: %s", game, error.message);
  if (b->tsv)
    printf(
        "%s\t%.0f\t%.3f\t%.1f\t%.4f\t%.4f\t%.1f\t%.4f\t%.3f\t%.1f\t%.1f\t%.0f\t%.1f\t%.4f\t%.4f\t%."
        "1f\t%.2f\t%.2f\n",
        game, f.append_rate, f.append_time * 1e6, f.batch_rate, f.batch_time * 1e3,
        f.batch_server_time * 1e3, f.copy_rate, f.copy_time * 1e3, f.follow_time * 1e6,
        f.step_bytes, f.block_bytes, f.saber_append_rate, f.saber_batch_rate,
        f.saber_batch_time * 1e3, f.saber_server_time * 1e3, f.saber_step_bytes,
        f.weights_time * 1e3, f.weights_wait * 1e3);
  else
    print_text(game, &f);
  return CLI_OK;
}

static int run(const apex_bench *b, const char *game) {
  sixer_error error = {0};
  sixer_rom *rom;
  if (sixer_rom_open(game, NULL, &rom, &error))
    return cli_error("bench", CLI_FAILED, "%s", error.message);
  static local_crew crew; /* large */
  crew = (local_crew){0};
  char url[200];
  int status = local_start_server(&crew, url, sizeof url);
  if (!status)
    status = b->share ? run_share(b, game, url, crew.server, rom) : run_carried(b, game, url, rom);
  local_stop(&crew);
  sixer_rom_close(rom);
  fflush(stdout);
  return status;
}

int bench_apex(int argc, char **argv) {
  apex_bench b = {.seconds = 2,
                  .agent = "rainbow",
                  .set = "preset=saber,memory=50000,start=1000",
                  .pieces = 6,
                  .updates = 100}; /* in which the weights are published once */
  const option_def options[] = {
      {"seconds", OPTION_REAL, &b.seconds, "S", "for each figure"},
      {"share", OPTION_FLAG, &b.share, NULL, "what it costs beside training in one process"},
      {"agent", OPTION_TEXT, &b.agent, "NAME", "--share: an agent with priorities"},
      {"set", OPTION_TEXT, &b.set, "LIST", "--share: its options"},
      {"pieces", OPTION_INT, &b.pieces, "N", "--share: pieces of training, in turns"},
      {"updates", OPTION_INT, &b.updates, "N", "--share: updates in a piece"},
      {"tsv", OPTION_FLAG, &b.tsv, NULL, "tab-separated values instead of text"},
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
          "By processor time, which other work hardly disturbs: batches per second of one core "
          "for\n"
          "learner and server together, and of a core that also follows the 4 actors.\n"
          "Without games: pong, breakout, seaquest, ms_pacman, space_invaders.\n\n"
          "--share: an agent trains in one process, and in turns with that beside one "
          "synchronized\n"
          "actor. Milliseconds of processor time per update, the shortest of all pieces: in one\n"
          "process; of the learner, of the actor and of the server. Then the share of the updates "
          "of one process that the three\n"
          "together reach at equal processor time, and the learner's if the others have cores of\n"
          "their own. Without games: pong.",
          options, argc, argv, games, MAX_GAMES, &status);
  if (count < 0) return status;
  if (!(b.seconds > 0 && b.seconds <= 3600))
    return cli_error("bench", CLI_USAGE, "--seconds is above 0 and at most 3600");
  const cli_limit limits[] = {
      {"pieces", b.pieces, 1, 1000}, {"updates", b.updates, 1, 1000000}, {NULL, 0, 0, 0}};
  if ((status = cli_check_limits("bench", limits))) return status;
  if (b.share && (status = find_period(&b))) return status;
  if (!sixer_apex_has_redis())
    return cli_error("bench", CLI_FAILED,
                     "this build has no client for Redis: install hiredis (Debian: libhiredis-dev "
                     "libssl-dev redis-server, or scripts/setup) and build again");
  static const char *const usual[] = {"pong", "breakout", "seaquest", "ms_pacman",
                                      "space_invaders"};
  const char *const *list = count ? games : usual;
  if (!count) count = b.share ? 1 : (int)(sizeof usual / sizeof *usual);
  if (b.share)
    printf(b.tsv ? "game\tagent\tpriorities\tsingle_ms\tlearner_ms\tactor_ms\tserver_ms\tshare\t"
                   "learner_share\n"
                 : "game             agent        priorities    one, ms    learner      actor     "
                   "server      share    learner's\n");
  else if (b.tsv)
    printf(
        "game\tappend_rate\tappend_us\tbatch_rate\tbatch_ms\tbatch_server_ms\tcopy_rate\tcopy_ms\t"
        "follow_us\tstep_bytes\tblock_bytes\tsaber_append_rate\tsaber_batch_rate\tsaber_batch_ms\t"
        "saber_server_ms\tsaber_step_bytes\tweights_ms\tweights_wait_ms\n");
  for (int i = 0; i < count && !status; i++) status = run(&b, list[i]);
  return status;
}
