/* `sixer bench serve`: steps per second of an agent in another process, over a Unix socket, with screens.
 *
 * For each game `sixer serve` is started as a child, on a pair of Unix sockets where there are such. This process is
 * the agent: it sends a request, reads the reply with the screen whole, parses it, and sends the next. The best of
 * several rounds counts; processor time is that of both processes.
 *
 * The two take turns, so one processor is enough for both. On two, each message wakes the other processor, which takes
 * 50 us and more on virtual machines: both ways are measured. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "util/message.h"
#include "util/os.h"
#include "util/os_cpu.h"
#include "util/os_process.h"

enum { MAX_GAMES = 512 };

typedef struct serve_bench {
  int64_t steps, rounds, skip;
  const char *screen;
  bool json, tsv;
} serve_bench;

typedef struct client {
  os_talk server;
  message_stream stream;
  message reply;
  message_writer request;
} client;

static ptrdiff_t read_some(void *context, void *bytes, size_t size) {
  const client *c = context;
  return os_read(c->server.from, bytes, size);
}

static bool write_all(void *context, const void *bytes, size_t size) {
  const client *c = context;
  return os_talk_write(&c->server, bytes, size) == (ptrdiff_t)size;
}

/* Send the request and wait for a good reply. */
static bool ask(client *c, sixer_error *error) {
  bool ok = false;
  const char *why = "no reply";
  if (message_end(&c->request, error) || message_send(&c->stream, &c->request, error)) return false;
  if (message_receive(&c->stream, &c->reply, error) != MESSAGE_GOT) return false;
  if (message_get_flag(&c->reply, "ok", &ok, error)) return false;
  if (ok) return true;
  message_get_text(&c->reply, "error", &why, NULL);
  snprintf(error->message, sizeof error->message, "%.400s", why);
  return false;
}

typedef struct figures {
  double rate; /* steps per second by the clock */
  size_t bytes;
} figures;

static bool play(const serve_bench *b, client *c, const char *game, figures *f,
                 sixer_error *error) {
  bool packed = !b->json;
  c->stream.packed = packed;
  if (packed && !write_all(c, "msgpack 1\n", 10)) return false;
  message_begin(&c->request, packed);
  message_put_text(&c->request, "do", "make");
  message_put_text(&c->request, "game", game);
  message_put_text(&c->request, "screen", b->screen);
  message_put_int(&c->request, "frame_skip", b->skip);
  if (!ask(c, error)) return false;
  const message_field *legal = message_find(&c->reply, "actions");
  int actions[SIXER_ACTION_COUNT], count = 0;
  for (; legal && (size_t)count < legal->size && count < SIXER_ACTION_COUNT; count++)
    actions[count] = (int)legal->numbers[count];
  uint32_t random = 1;
  for (int64_t round = 0; round < b->rounds; round++) {
    double start = cli_seconds();
    for (int64_t i = 0; i < b->steps; i++) {
      random = random * 1664525u + 1013904223u;
      message_begin(&c->request, packed);
      message_put_text(&c->request, "do", "step");
      message_put_int(&c->request, "action", count ? actions[(random >> 16) % (unsigned)count] : 0);
      if (!ask(c, error)) return false;
      bool over = false;
      message_get_flag(&c->reply, "over", &over, NULL);
      f->bytes = c->stream.at;
      if (!over) continue;
      message_begin(&c->request, packed);
      message_put_text(&c->request, "do", "reset");
      if (!ask(c, error)) return false;
    }
    double rate = (double)b->steps / (cli_seconds() - start);
    if (rate > f->rate) f->rate = rate;
  }
  return true;
}

/* Start a server and play; *cpu is microseconds of processor time per step on both sides. */
static int measure(const serve_bench *b, const char *game, figures *f, double *cpu) {
  char self[OS_PATH_MAX];
  sixer_error error = {SIXER_OK, "the server ended"};
  client c = {0};
  double before = os_process_seconds();
  fflush(stdout);
  if (!os_program_path(self, sizeof self))
    return cli_error("bench", CLI_FAILED, "the file of this program is not known");
  char *const argv[] = {self, "serve", "--paths", NULL};
  if (!os_talk_begin(argv, false, false, &c.server))
    return cli_error("bench", CLI_FAILED, "no process: %s", strerror(errno));
  c.stream = (message_stream){
      .context = &c, .read = read_some, .write = write_all, .limit = 1 << 24, .begun = true};
  bool good = play(b, &c, game, f, &error);
  message_stream_free(&c.stream);
  message_writer_free(&c.request);
  message_free(&c.reply);
  os_talk_close(&c.server);
  os_wait(c.server.child, true, NULL);
  double after = os_process_seconds();
  *cpu = 1e6 * (after - before) / (double)(b->steps * b->rounds);
  return good ? CLI_OK : cli_error("bench", CLI_FAILED, "%s: %s", game, error.message);
}

/* The same with both processes on this processor. */
static int measure_on_one(const serve_bench *b, const char *game, figures *f, double *cpu) {
  os_affinity all;
  if (!os_pin_here(&all))
    return cli_error("bench", CLI_FAILED, "this process cannot choose its processor: %s",
                     strerror(errno));
  int status = measure(b, game, f, cpu);
  if (!os_unpin(&all))
    return cli_error("bench", CLI_FAILED, "this process cannot choose its processors: %s",
                     strerror(errno));
  return status;
}

int bench_serve(int argc, char **argv) {
  serve_bench b = {.steps = 20000, .rounds = 3, .skip = 1, .screen = "indexed"};
  const option_def options[] = {
      {"steps", OPTION_INT, &b.steps, "N", "steps of a round"},
      {"rounds", OPTION_INT, &b.rounds, "N", "rounds; the best counts"},
      {"frame-skip", OPTION_INT, &b.skip, "N", "frames of a step"},
      {"screen", OPTION_TEXT, &b.screen, "KIND", "none, gray, rgb or indexed"},
      {"json", OPTION_FLAG, &b.json, NULL, "messages as JSON, not as MessagePack"},
      {"tsv", OPTION_FLAG, &b.tsv, NULL, "tab-separated values instead of a table"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  const char *games[MAX_GAMES];
  int status,
      count = cli_parse("bench",
                        "serve: one environment in another process, as with `sixer serve "
                        "--socket`. Steps per second by the clock with a screen in every "
                        "reply, bytes of a reply, and processor time of both sides. First with "
                        "both processes on one processor, then wherever the system puts "
                        "them.",
                        options, argc, argv, games, MAX_GAMES, &status);
  if (count < 0) return status;
  const cli_limit limits[] = {{"steps", b.steps, 1, 100000000},
                              {"rounds", b.rounds, 1, 1000},
                              {"frame-skip", b.skip, 1, 10000},
                              {NULL, 0, 0, 0}};
  if ((status = cli_check_limits("bench", limits))) return status;
  if (!count) games[count++] = "duskrain";
  if (b.tsv)
    printf(
        "game\tscreen\tform\tframe_skip\tprocessors\tsteps_per_second\tbytes\tcpu_us\tbehavior\n");
  else
    printf("%-18s %8s %8s %10s %12s %12s %14s\n", "game", "screen", "form", "processors", "steps/s",
           "bytes", "processor, us");
  for (int i = 0; i < 2 * count && !status; i++) {
    const char *game = games[i / 2], *form = b.json ? "JSON" : "msgpack";
    const char *processors = i % 2 ? "any" : "1";
    figures f = {0};
    double cpu = 0;
    status = i % 2 ? measure(&b, game, &f, &cpu) : measure_on_one(&b, game, &f, &cpu);
    if (status) break;
    if (b.tsv)
      printf("%s\t%s\t%s\t%lld\t%s\t%.0f\t%zu\t%.1f\t%d\n", game, b.screen, form, (long long)b.skip,
             processors, f.rate, f.bytes, cpu, SIXER_BEHAVIOR);
    else
      printf("%-18s %8s %8s %10s %12.0f %12zu %14.1f\n", game, b.screen, form, processors, f.rate,
             f.bytes, cpu);
  }
  return status;
}
