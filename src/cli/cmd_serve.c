/* `sixer serve`: environments for agents in other programs, over stdin and stdout, a Unix socket or loopback TCP. Each
 * connection has a thread and an environment of its own. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "sixer/serve.h"
#include "util/os.h"
#include "util/os_process.h"
#include "util/os_socket.h"
#include "util/os_thread.h"

enum { MAX_CLIENTS = 1024 };

typedef struct server {
  sixer_serve_settings settings;
  int64_t clients; /* at the same time */
  double timeout;
  bool quiet;
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t left;
  int connections[MAX_CLIENTS]; /* -1: free */
  int active;
} server;

typedef struct guest {
  server *s;
  int slot, connection;
} guest;

/* ---- One client ------------------------------------------------------------------------------------------------ */

static void *guest_main(void *context) {
  guest *g = context;
  server *s = g->s;
  sixer_error error;
  if (sixer_serve_talk(g->connection, g->connection, &s->settings, &error) && !s->quiet &&
      !cli_interrupted)
    fprintf(stderr, "sixer serve: client %d: %s\n", g->slot, error.message);
  pthread_mutex_lock(&s->lock);
  os_close(g->connection);
  s->connections[g->slot] = -1;
  s->active--;
  pthread_cond_signal(&s->left);
  pthread_mutex_unlock(&s->lock);
  free(g);
  return NULL;
}

static void turn_away(int connection, const char *why) {
  char text[200];
  int length = snprintf(text, sizeof text, "{\"ok\": false, \"error\": \"%s\"}\n", why);
  os_send_at_once(connection, text, (size_t)length); /* if it fails, it is gone */
  os_close(connection);
}

static void welcome(server *s, int connection) {
  os_socket_settings(connection, s->timeout > 0 ? s->timeout : 60, s->timeout);
  guest *g = malloc(sizeof *g);
  int slot = 0;
  pthread_mutex_lock(&s->lock);
  while (slot < s->clients && s->connections[slot] >= 0) slot++;
  bool room = g && slot < s->clients;
  if (room) {
    *g = (guest){s, slot, connection};
    s->connections[slot] = connection;
    s->active++;
  }
  pthread_mutex_unlock(&s->lock);
  pthread_t thread;
  if (room && !os_thread_start(&thread, guest_main, g)) {
    pthread_detach(thread);
    return;
  }
  if (room) {
    pthread_mutex_lock(&s->lock);
    s->connections[slot] = -1;
    s->active--;
    pthread_mutex_unlock(&s->lock);
  }
  free(g);
  turn_away(connection, "there are as many clients as this server takes (--clients)");
}

/* ---- Listening ------------------------------------------------------------------------------------------------- */

/* A socket that no program listens on is what a killed server leaves; anything else is not touched. */
static int clear_path(const char *path) {
  os_status status;
  if (os_lstat(path, &status)) return CLI_OK;
  if (status.kind != OS_SOCKET)
    return cli_error("serve", CLI_FAILED, "%s exists and is not a socket", path);
  int probe = os_connect_local(path, os_seconds() + 5);
  if (probe >= 0) {
    os_close(probe);
    return cli_error("serve", CLI_FAILED, "another program listens on %s", path);
  }
  os_unlink(path);
  return CLI_OK;
}

static int listen_unix(const char *path, int *out) {
  if (strlen(path) > OS_LOCAL_PATH_MAX)
    return cli_error("serve", CLI_USAGE, "the path of a socket has at most %d bytes",
                     OS_LOCAL_PATH_MAX);
  int status = clear_path(path);
  if (status) return status;
  *out = os_listen_local(path);
  if (*out >= 0) return CLI_OK;
  return cli_error("serve", CLI_FAILED, "%s: cannot listen there: %s", path, strerror(errno));
}

static int listen_tcp(int64_t *port, int *out) {
  int number = (int)*port;
  *out = os_listen_loopback(&number);
  if (*out < 0)
    return cli_error("serve", CLI_FAILED, "port %d: cannot listen there: %s", number,
                     strerror(errno));
  *port = number;
  return CLI_OK;
}

/* Accept clients until the program is interrupted; then cut them off and wait for their threads. */
static void accept_all(server *s, int listener, bool once) {
  bool seen = false;
  while (!cli_interrupted && !(once && seen)) {
    int connection = os_accept(listener, 200);
    if (connection < 0) continue;
    seen = true;
    welcome(s, connection);
  }
  pthread_mutex_lock(&s->lock);
  while (s->active) {
    for (int i = 0; cli_interrupted && i < s->clients; i++) {
      if (s->connections[i] >= 0) os_socket_shut(s->connections[i]);
    }
    struct timespec soon = {.tv_sec = (time_t)os_wall_seconds() + 1};
    pthread_cond_timedwait(&s->left, &s->lock, &soon);
  }
  pthread_mutex_unlock(&s->lock);
}

/* ---- The command ----------------------------------------------------------------------------------------------- */

static const char description[] =
    "Serve environments to agents in any language. A message is a line of JSON, or MessagePack for "
    "speed; docs/serve.md describes them all, and examples/serve has clients in Python, "
    "JavaScript and Go. Without --socket and --tcp, one agent is served over stdin and stdout:\n\n"
    "  echo '{\"do\": \"make\", \"game\": \"duskrain\", \"ram\": true}' | sixer serve\n"
    "  sixer serve --socket /tmp/sixer.sock       any number of agents, each with its own game\n"
    "  sixer serve pong --tcp 5000                on 127.0.0.1 only\n\n"
    "`sixer bench serve` measures the steps per second.";

int cmd_serve(int argc, char **argv) {
  const char *path = NULL, *game = NULL;
  int64_t port = -1;
  bool paths = false, once = false;
  server *s = calloc(1, sizeof *s);
  if (!s) return cli_error("serve", CLI_FAILED, "out of memory");
  s->clients = 64;
  const option_def options[] = {
      {"socket", OPTION_TEXT, &path, "PATH", "listen on a Unix socket, for this user only"},
      {"tcp", OPTION_INT, &port, "PORT", "listen on 127.0.0.1; 0: on any free port"},
      {"clients", OPTION_INT, &s->clients, "N", "connections at the same time; more are refused"},
      {"timeout", OPTION_REAL, &s->timeout, "S",
       "close connections that are silent for S seconds; 0: never"},
      {"paths", OPTION_FLAG, &paths, NULL, "clients may name files as games, not only ids"},
      {"once", OPTION_FLAG, &once, NULL, "end after the first client"},
      {"quiet", OPTION_FLAG, &s->quiet, NULL, "say nothing about clients that are cut off"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  int status, count = cli_parse("serve", description, options, argc, argv, &game, 1, &status);
  const cli_limit limits[] = {
      {"tcp", port, -1, 65535}, {"clients", s->clients, 1, MAX_CLIENTS}, {NULL, 0, 0, 0}};
  if (count >= 0) status = cli_check_limits("serve", limits);
  if (count >= 0 && !status && (!(s->timeout >= 0) || s->timeout > 1e6))
    status =
        cli_error("serve", CLI_USAGE, "--timeout is 0 to 1000000 seconds, found %g", s->timeout);
  if (count >= 0 && !status && path && port >= 0)
    status = cli_error("serve", CLI_USAGE, "choose one of --socket and --tcp");
  if (count < 0 || status) {
    free(s);
    return status;
  }
  s->settings = sixer_serve_settings_default();
  s->settings.game = game;
  s->settings.paths = paths;
  sixer_error error;
  sixer_rom *rom = NULL;
  int listener = -1;
  os_ignore_broken_pipes();
  /* what every client would be told is said now */
  if (game && sixer_rom_open(game, NULL, &rom, &error))
    status = cli_error("serve", CLI_FAILED, "%s", error.message);
  sixer_rom_close(rom);
  if (!status && !path && port < 0) {
    if (sixer_serve_talk(OS_STDIN, OS_STDOUT, &s->settings, &error))
      status = cli_error("serve", CLI_FAILED, "%s", error.message);
    free(s);
    return status;
  }
  /* before anybody is told that it listens: from then on an interruption removes the socket */
  cli_catch_interrupts();
  if (!status) status = path ? listen_unix(path, &listener) : listen_tcp(&port, &listener);
  if (!status) {
    if (path)
      printf("listening on %s\n", path);
    else
      printf("listening on 127.0.0.1:%lld\n", (long long)port);
    fflush(stdout);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->left, NULL);
    for (int i = 0; i < MAX_CLIENTS; i++) s->connections[i] = -1;
    accept_all(s, listener, once);
    os_close(listener);
    if (path) os_unlink(path);
    pthread_cond_destroy(&s->left);
    pthread_mutex_destroy(&s->lock);
  }
  free(s);
  return status;
}
