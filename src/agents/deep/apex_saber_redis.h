/* The layout of the SABER paper in a Redis server: what the Redis store needs of it. See apex_saber_redis.c. */
#ifndef SIXER_AGENTS_DEEP_APEX_SABER_REDIS_H
#define SIXER_AGENTS_DEEP_APEX_SABER_REDIS_H

#include "agents/deep/apex_redis.h"
#include "agents/deep/apex_saber.h"

#ifdef SIXER_HAVE_REDIS

extern const saber_class saber_redis_class;

/* A block on its way into the server. */
typedef struct saber_writing {
  apex_block block;
  const uint8_t *bytes; /* the block without frames */
  size_t size;
  double before[APEX_BLOCK_MAX]; /* priorities of the records that it replaces */
  double highest;                /* for steps without a priority */
  uint8_t *frame;
} saber_writing;

/* Read what must be known of the server before the transaction. *out is freed by saber_written(). */
apex_result saber_prepare(redis_store *s, const uint8_t *bytes, size_t size, saber_writing **out,
                          sixer_error *error);
/* Add the commands that write records and priorities; returns how many. */
int saber_write(redis_store *s, saber_writing *w);
void saber_written(saber_writing *w); /* NULL is allowed */

#endif
#endif
