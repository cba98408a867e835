/* A connection to a Redis server: addresses, sockets, TLS, commands and replies.
 *
 * hiredis writes commands and parses replies; the bytes go through a transport of our own, which has a deadline for
 * every call, raises no SIGPIPE, and speaks TLS (Debian's hiredis does not). Commands are collected and sent together,
 * then their replies are read in order.
 *
 *     link_add(l, "SET", key, value, NULL);
 *     link_add(l, "GET", key, NULL);
 *     redisReply *r;
 *     while (link_reply(l, &r, error)) ...
 *
 * After an error the connection is closed, and the next call connects again. */
#ifndef SIXER_AGENTS_DEEP_APEX_LINK_H
#define SIXER_AGENTS_DEEP_APEX_LINK_H

#ifdef SIXER_HAVE_REDIS
#include <hiredis/hiredis.h>
#endif

#include "sixer/sixer.h"

enum {
  LINK_REPLY_MAX = 256 << 20, /* bytes of replies that are read before they are parsed */
  LINK_ELEMENTS = 1 << 20,    /* of an answer that is a list */
  LINK_DEPTH = 7              /* of lists in lists */
};

typedef struct link_address {
  char host[256], path[108]; /* one of them is empty */
  char port[8], password[512], authority[1024];
  int database;
  bool tls;
  double timeout;
} link_address;

/* Parse a URL. A password in it is refused: others can read command lines. */
sixer_err link_parse(const char *url, link_address *address, sixer_error *error);
/* The first line of a file, or $SIXER_REDIS_PASSWORD if there is no file. */
sixer_err link_password(const char *file, link_address *address, sixer_error *error);

#ifdef SIXER_HAVE_REDIS
typedef struct redis_link redis_link;
redis_link *link_create(const link_address *address); /* NULL: no memory */
void link_destroy(redis_link *l);                     /* NULL is allowed */
void link_drop(redis_link *l);                        /* close the connection */
bool link_connected(const redis_link *l);

/* Connect, authenticate and select the database, if that is not done. */
bool link_ready(redis_link *l, sixer_error *error);

/* Collect a command: texts up to a NULL; or arguments with sizes. */
void link_add(redis_link *l, const char *first, ...) __attribute__((sentinel));
void link_add_sized(redis_link *l, int count, const char **arguments, const size_t *sizes);

/* The next reply, which is the caller's to free with freeReplyObject(). Sends what was collected. */
bool link_reply(redis_link *l, redisReply **reply, sixer_error *error);
/* The same, and it must be of this kind (REDIS_REPLY_...); an error of the server becomes *error. */
bool link_expect(redis_link *l, int type, redisReply **reply, sixer_error *error);
bool link_skip(redis_link *l, int count, sixer_error *error); /* none of them may be an error */
#endif

#endif
