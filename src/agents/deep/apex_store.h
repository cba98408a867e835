/* Where the actors and the learner of Ape-X meet: one interface, two stores.
 *
 *     apex_store_memory()   threads of one process share memory
 *     apex_store_redis()    processes on any machines share a Redis server
 *
 * The store keeps, for each actor, a ring of the blocks that it wrote and its head (how many); the weights that the
 * learner published, by version; and who is there. An `epoch` is a history without a break: it begins when a learner
 * starts from a state that the blocks of the store do not continue, and whenever a server comes back empty. Actors that
 * meet another epoch than theirs join again.
 *
 * A store is used by one thread at a time. In-process stores are opened once for each thread that takes part. */
#ifndef SIXER_AGENTS_DEEP_APEX_STORE_H
#define SIXER_AGENTS_DEEP_APEX_STORE_H

#include "sixer/sixer.h"

typedef enum apex_result {
  APEX_OK,
  APEX_ABSENT, /* there is no such version or block */
  APEX_EPOCH,  /* another epoch has begun: join again */
  APEX_LOST,   /* the connection, or the lease: try again; the error says more */
  APEX_REFUSED /* trying again does not help; the error says why */
} apex_result;

typedef struct apex_head {
  int64_t base;    /* steps of the actor before the epoch */
  int64_t blocks;  /* that it wrote in this epoch */
  int64_t version; /* of its weights */
  uint64_t epoch;
  bool alive;
} apex_head;

/* What the learner tells the actors. */
typedef struct apex_news {
  bool finished;   /* the run has ended */
  int64_t taken;   /* blocks of this actor that the learner has copied */
  int64_t version; /* the newest that was published; -1: none */
  int64_t weights; /* its size in bytes */
} apex_news;

/* Of the server, for displays. */
typedef struct apex_usage {
  int64_t bytes; /* that it uses; 0 if that is not known */
} apex_usage;

enum { APEX_META = 16000 /* bytes of the text that describes a run */ };

typedef struct apex_store apex_store;
typedef struct saber_class saber_class; /* apex_saber.h */
typedef struct apex_store_class {
  void (*close)(apex_store *s);

  /* Of the learner. claim: become the learner of the run that `meta` describes, of so many actors with rings of `ring`
   * blocks. *found: the store has blocks of this run. With `reset`, whatever the store has under the run's name is
   * removed first. */
  apex_result (*claim)(apex_store *s, const char *meta, int actors, int64_t ring, bool reset,
                       bool *found, sixer_error *error);
  apex_result (*begin)(apex_store *s, const int64_t *bases, sixer_error *error); /* a new epoch */
  apex_result (*heads)(apex_store *s, apex_head *heads, sixer_error *error);
  /* Blocks first..first+count-1 of an actor, in order, each to `take`. */
  apex_result (*blocks)(apex_store *s, int actor, int64_t first, int count,
                        bool (*take)(void *context, const uint8_t *bytes, size_t size),
                        void *context, sixer_error *error);
  /* Publish a version and keep it beside the `keep` - 1 versions before it. */
  apex_result (*publish)(apex_store *s, int64_t version, const uint8_t *bytes, size_t size,
                         int keep, sixer_error *error);
  /* Renew the claim; say how many blocks of each actor were taken, and whether the run has ended. */
  apex_result (*note)(apex_store *s, const int64_t *taken, bool finished, sixer_error *error);
  apex_result (*usage)(apex_store *s, apex_usage *usage, sixer_error *error);

  /* Of an actor. join: take slice `actor`, or any that is free if it is -1. *actor becomes the slice. */
  apex_result (*join)(apex_store *s, const char *meta, int *actor, apex_head *head,
                      sixer_error *error);
  /* Write block number head->blocks, which becomes one more. */
  apex_result (*put)(apex_store *s, apex_head *head, const uint8_t *bytes, size_t size,
                     apex_news *news, sixer_error *error);
  apex_result (*look)(apex_store *s, apex_news *news, sixer_error *error); /* and renew the lease */
  apex_result (*fetch)(apex_store *s, int64_t version, uint8_t *bytes, size_t size,
                       sixer_error *error);

  const saber_class *saber; /* the layout of the SABER paper; NULL: the store has no such layout */
} apex_store_class;

struct apex_store {
  const apex_store_class *class;
  char meta_found[APEX_META]; /* of the run that an actor has joined, or that refused a learner */
  const struct saber_shape
      *saber; /* the user chose that layout; NULL: blocks. It outlives the store */
};

static inline void apex_store_close(apex_store *s) {
  if (s) s->class->close(s);
}

/* ---- In one process -------------------------------------------------------------------------------------------- */

typedef struct apex_memory apex_memory;

apex_memory *apex_memory_create(void);    /* NULL if there is no memory */
void apex_memory_destroy(apex_memory *m); /* after all its stores were closed; NULL is allowed */

/* A store for one thread. NULL if there is no memory. */
apex_store *apex_store_memory(apex_memory *m);

/* ---- Redis ----------------------------------------------------------------------------------------------------- */

/* `url` is redis://HOST[:PORT][/DB], rediss:// likewise with TLS, or unix:PATH. The password comes from a file, or from
 * the environment ($SIXER_REDIS_PASSWORD) if that is NULL; `authority` is a file with certificates that the server's is
 * checked with, or NULL for those of the system. Every call ends within some multiple of `timeout` seconds.
 * SIXER_ERR_ARGUMENT for a URL that cannot be; the server is met at the first call. */
sixer_err apex_store_redis(const char *url, const char *password_file, const char *authority,
                           const char *run, double timeout, apex_store **out, sixer_error *error);

#endif
