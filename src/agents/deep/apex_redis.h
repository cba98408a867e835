/* What the files of the Redis store share: the store itself, keys, answers, transactions, leases. See apex_redis.c. */
#ifndef SIXER_AGENTS_DEEP_APEX_REDIS_H
#define SIXER_AGENTS_DEEP_APEX_REDIS_H

#include "agents/deep/apex_link.h"
#include "agents/deep/apex_store.h"
#include "util/os.h"

#ifdef SIXER_HAVE_REDIS

enum { REDIS_KEY = 160, REDIS_TOKEN = 200, REDIS_VERSIONS = 80 };
#define REDIS_LEASE "15000" /* ms */

typedef struct redis_store {
  apex_store base;
  redis_link *link;
  char run[64], token[REDIS_TOKEN], epoch[24];
  int actors, actor; /* actor: -1 none */
  int64_t ring;
  int64_t
      timestep; /* of the last step that was written, in its episode; for the SABER paper's layout */
  bool learner;
  int64_t versions[REDIS_VERSIONS]; /* that were published, oldest first */
  int version_count;
} redis_store;

/* "sixer:RUN:" and what follows; returns `out`. */
const char *redis_key(const redis_store *s, char out[REDIS_KEY], const char *format, ...)
    OS_PRINTF(3, 4);
const char *redis_decimal(char out[24], int64_t value);

/* What an error means: was it the connection, which may come back, or the server's word? */
apex_result redis_failure(const sixer_error *error);
apex_result redis_refused(sixer_error *error, const char *text);
apex_result redis_lost(sixer_error *error, const char *text);
apex_result redis_damaged(redis_store *s, const char *what, sixer_error *error);

/* A text of a bulk reply; "" for nil or if it does not fit. A whole number within bounds; -1 if it is none. An element
 * of a list; NULL if there is none. */
void redis_text_of(const redisReply *r, char *out, size_t size);
int64_t redis_number_of(const redisReply *r, int64_t most);
const redisReply *redis_element(const redisReply *r, size_t index);
/* The next reply as a text, "" for nil. */
bool redis_get_text(redis_store *s, char *out, size_t size, sixer_error *error);

/* Send a transaction of `count` commands that were added between MULTI and EXEC. *done: it was carried out. */
bool redis_finish(redis_store *s, int count, bool *done, sixer_error *error);

/* Who this is: machine, process, and a random number. */
void redis_make_token(char out[REDIS_TOKEN]);
/* Take a lease, also of a process that is known to be dead. *taken; else `holder` has it. */
bool redis_take_lease(redis_store *s, const char *name, bool *taken, char holder[REDIS_TOKEN],
                      sixer_error *error);
/* Is the lease of the learner still ours? It is watched from here on. Then carry out the rest of a transaction. */
apex_result redis_watch_learner(redis_store *s, sixer_error *error);
apex_result redis_learner_writes(redis_store *s, int count, sixer_error *error);

#endif
#endif
