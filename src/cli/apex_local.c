/* See apex_local.h. */
#include "cli/apex_local.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "util/os.h"
#include "util/os_process.h"
#include "util/os_socket.h"
#include "util/os_thread.h"

enum { FAILURES = 5 /* in a row, each within ten seconds */ };

/* A child that ends with this process and does not hear the terminal's Ctrl-C, which is passed on. */
static int64_t start(char *const argv[], const char *program) {
  const os_spawn_settings s = {.input = OS_NOTHING,
                               .output = OS_NOTHING,
                               .errors = OS_SAME,
                               .own_group = true,
                               .ends_with_us = true};
  return os_spawn(program, argv, &s);
}

/* ---- The server ------------------------------------------------------------------------------------------------ */

static bool answers(const char *path) {
  int s = os_connect_local(path, os_seconds() + 5);
  if (s >= 0) os_close(s);
  return s >= 0;
}

static int run_server(local_crew *c) {
  char settings[100];
  snprintf(settings, sizeof settings, "%.87s/redis.conf", c->folder);
  char *argv[] = {"redis-server", settings, NULL};
  c->server = start(argv, "redis-server");
  c->server_started = cli_seconds();
  if (c->server < 0)
    return cli_error("apex", CLI_FAILED, "a process cannot be started: %s", strerror(errno));
  for (int i = 0; i < 1000; i++) {
    int status;
    if (answers(c->socket)) return CLI_OK;
    if (os_wait(c->server, false, &status) > 0) {
      c->server = 0;
      if (status == 127)
        return cli_error("apex", CLI_FAILED,
                         "redis-server was not found (Debian: redis-server; scripts/setup installs "
                         "it); --store memory works without it, with threads of this process");
      return cli_error("apex", CLI_FAILED, "redis-server has ended at once; %s/redis.log says why",
                       c->folder);
    }
    os_pause(0.01);
  }
  return cli_error("apex", CLI_FAILED, "redis-server does not answer at %s", c->socket);
}

int local_start_server(local_crew *c, char *url, size_t size) {
  uint64_t words[4];
  char password[65];
  if (!os_temporary_folder("sixer-apex", c->folder, sizeof c->folder)) {
    c->folder[0] = 0;
    return cli_error("apex", CLI_FAILED, "no folder can be made in %s: %s", os_temporary_place(),
                     strerror(errno));
  }
  if (!os_random(words, sizeof words, true))
    return cli_error("apex", CLI_FAILED, "there are no random numbers for a password");
  snprintf(password, sizeof password, "%016" PRIx64 "%016" PRIx64 "%016" PRIx64 "%016" PRIx64,
           words[0], words[1], words[2], words[3]);
  snprintf(c->socket, sizeof c->socket, "%.87s/redis.sock", c->folder);
  char path[100];
  snprintf(path, sizeof path, "%.87s/redis.conf", c->folder);
  int file = os_open(path, OS_WRITE | OS_CREATE | OS_NEW | OS_PRIVATE);
  FILE *out = file >= 0 ? os_fdopen(file, "w") : NULL;
  if (!out) return cli_error("apex", CLI_FAILED, "%s: %s", path, strerror(errno));
  fprintf(out,
          "port 0\nunixsocket %s\nunixsocketperm 700\nrequirepass %s\nsave \"\"\nappendonly no\n"
          "daemonize no\nlogfile %s/redis.log\nloglevel warning\ndir %s\nmaxmemory 0\n"
          "maxmemory-policy noeviction\n",
          c->socket, password, c->folder, c->folder);
  if (fclose(out)) return cli_error("apex", CLI_FAILED, "%s: %s", path, strerror(errno));
  os_setenv("SIXER_REDIS_PASSWORD", password, true);
  snprintf(url, size, "unix:%s", c->socket);
  return run_server(c);
}

/* ---- Actors ---------------------------------------------------------------------------------------------------- */

static int start_process(local_crew *c, int index, const char *url) {
  char number[12], patience[32], pace[32];
  snprintf(number, sizeof number, "%d", index);
  snprintf(patience, sizeof patience, "%g", c->settings->patience);
  snprintf(pace, sizeof pace, "%g", c->settings->pace);
  char *argv[] = {"sixer",
                  "apex",
                  "actor",
                  "--server",
                  (char *)url,
                  "--run",
                  (char *)c->settings->run,
                  "--index",
                  number,
                  "--patience",
                  patience,
                  "--pace",
                  pace,
                  "--quiet",
                  c->settings->image ? "--image" : NULL,
                  (char *)c->settings->image,
                  NULL};
  local_actor *a = &c->actor[index];
  char self[OS_PATH_MAX];
  a->process = os_program_path(self, sizeof self) ? start(argv, self) : -1;
  a->started = cli_seconds();
  return a->process > 0
             ? CLI_OK
             : cli_error("apex", CLI_FAILED, "a process cannot be started: %s", strerror(errno));
}

static void *act(void *context) {
  local_actor *own = context;
  local_crew *c = own->crew;
  sixer_apex_actor *actor = NULL;
  sixer_error error;
  sixer_err err = sixer_apex_actor_create(c->settings, own->index, &actor, &error);
  while (!err && !c->stop && !sixer_apex_actor_progress(actor).finished)
    err = sixer_apex_actor_run(actor, 0.1, &error);
  sixer_apex_actor_destroy(actor);
  if (err) {
    pthread_mutex_lock(&c->lock);
    c->error = error;
    pthread_mutex_unlock(&c->lock);
  }
  return NULL;
}

int local_start_actors(local_crew *c, const sixer_apex_settings *settings, const char *url) {
  c->settings = settings;
  c->actors = settings->actors;
  pthread_mutex_init(&c->lock, NULL);
  int status = CLI_OK;
  for (int i = 0; i < c->actors && !status; i++) {
    local_actor *a = &c->actor[i];
    if (url) {
      status = start_process(c, i, url);
      continue;
    }
    a->crew = c;
    a->index = i;
    a->threaded = !os_thread_start(&a->thread, act, a);
    if (!a->threaded) status = cli_error("apex", CLI_FAILED, "a thread cannot be started");
  }
  return status;
}

static int watch_process(local_crew *c, int i, const char *url) {
  local_actor *a = &c->actor[i];
  int status;
  if (!a->process || os_wait(a->process, false, &status) <= 0) return CLI_OK;
  a->process = 0;
  if (status == CLI_OK) return CLI_OK; /* the run has ended */
  a->failures = cli_seconds() - a->started < 10 ? a->failures + 1 : 1;
  if (a->failures >= FAILURES)
    return cli_error("apex", CLI_FAILED, "actor %d has failed %d times in a row", i, FAILURES);
  c->restarts++;
  return start_process(c, i, url);
}

int local_watch(local_crew *c, const char *url) {
  int status = CLI_OK;
  if (c->server && os_wait(c->server, false, NULL) > 0) {
    c->server = 0;
    if (cli_seconds() - c->server_started < 1)
      return cli_error("apex", CLI_FAILED, "redis-server keeps ending");
    c->restarts++;
    status = run_server(c);
  }
  for (int i = 0; i < c->actors && !status; i++) status = watch_process(c, i, url);
  pthread_mutex_lock(&c->lock);
  if (c->error.code) status = cli_error("apex", CLI_FAILED, "an actor: %s", c->error.message);
  pthread_mutex_unlock(&c->lock);
  return status;
}

/* ---- The end --------------------------------------------------------------------------------------------------- */

/* Wait for a process that was told to end; after five seconds it is killed. */
static void wait_for(int64_t process) {
  for (int i = 0; i < 500; i++) {
    if (os_wait(process, false, NULL) != 0) return;
    os_pause(0.01);
  }
  os_end(process, true);
  os_wait(process, true, NULL);
}

void local_stop(local_crew *c) {
  c->stop = true;
  for (int i = 0; i < c->actors; i++) {
    if (c->actor[i].process) os_end(c->actor[i].process, false);
  }
  for (int i = 0; i < c->actors; i++) {
    if (c->actor[i].process) wait_for(c->actor[i].process);
    if (c->actor[i].threaded) pthread_join(c->actor[i].thread, NULL);
  }
  if (c->server) {
    os_end(c->server, false);
    wait_for(c->server);
  }
  static const char *const files[] = {"redis.conf", "redis.sock", "redis.log"};
  for (size_t i = 0; c->folder[0] && i < sizeof files / sizeof files[0]; i++) {
    char path[120];
    snprintf(path, sizeof path, "%.87s/%s", c->folder, files[i]);
    os_unlink(path);
  }
  if (c->folder[0]) os_rmdir(c->folder);
  os_unsetenv("SIXER_REDIS_PASSWORD");
}
