/* What `sixer apex local` starts beside the learner: a private Redis server and actors, as processes or threads. They
 * end when the program does, however it ends. */
#ifndef SIXER_CLI_APEX_LOCAL_H
#define SIXER_CLI_APEX_LOCAL_H

#include <pthread.h>

#include "sixer/apex.h"

enum { LOCAL_ACTORS = 400 };

typedef struct local_actor {
  int64_t process; /* 0: none */
  double started;
  int failures;
  /* in threads instead */
  pthread_t thread;
  bool threaded;
  struct local_crew *crew;
  int index;
} local_actor;

typedef struct local_crew {
  char folder[88], socket[100]; /* of the server; empty: none */
  int64_t server;
  double server_started;
  int restarts; /* of the server and of actors */
  int actors;
  local_actor actor[LOCAL_ACTORS];
  const sixer_apex_settings *settings; /* of actors in threads */
  volatile bool stop;
  pthread_mutex_t lock;
  sixer_error error; /* of a thread */
} local_crew;

/* Start redis-server in a temporary folder, on a Unix socket, with a random password that is put into
 * $SIXER_REDIS_PASSWORD. `url` gets its address. CLI_OK, or CLI_FAILED after a message. */
int local_start_server(local_crew *crew, char *url, size_t size);

/* Start all actors: processes that join `url`, or threads if that is NULL. */
int local_start_actors(local_crew *crew, const sixer_apex_settings *settings, const char *url);

/* Start again whoever has died. CLI_FAILED, after a message, if one of them keeps dying. */
int local_watch(local_crew *crew, const char *url);

/* End all of it, and remove the folder. */
void local_stop(local_crew *crew);

#endif
