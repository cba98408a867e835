/* How fast Ape-X is on a Redis server: see sixer_apex_measure().
 *
 * Steps of random play are recorded first. Then actors (threads with connections of their own) encode and write blocks
 * of them as real actors do; batches are drawn through the server, and from a copy of the blocks while actors write;
 * the same steps are written and drawn in the layout of the SABER paper (apex_saber.h); and weights as large as
 * Rainbow's are published to ten actors while one more client asks the server for nothing. */
#include "agents/deep/apex_block.h"
#include "agents/deep/apex_link.h"
#include "agents/deep/apex_saber.h"
#include "agents/deep/apex_store.h"
#include "sixer/apex.h"
#include "util/error.h"

#ifndef SIXER_HAVE_REDIS

sixer_err sixer_apex_measure(const char *server, const sixer_rom *rom, double seconds,
                             sixer_apex_figures *figures, sixer_error *error) {
  (void)server;
  (void)rom;
  (void)seconds;
  (void)figures;
  return sixer_fail(error, SIXER_ERR_ARGUMENT, "this build has no client for Redis");
}

#else

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/deep/observe.h"
#include "agents/deep/sum_tree.h"
#include "util/random.h"
#include "util/os.h"
#include "util/os_thread.h"

enum {
  SIDE = 84,
  SIZE = SIDE * SIDE,
  BLOCK = 32,
  RECORDED = 128 * BLOCK, /* steps */
  ACTORS = 4,
  RING = 1024, /* blocks of an actor */
  BATCH = 32,
  AHEAD = 3,
  STACK = 4,
  FRAMES = STACK + AHEAD,
  PACE = 5000, /* steps per second of an actor that appends while batches are drawn */
  LISTENERS = 10,
  WEIGHTS = 7500000,      /* numbers of Rainbow's network */
  SABER_MEMORY = 1 << 20, /* transitions that the tree of the SABER paper's layout has leaves for */
  SABER_BLOCKS = 128      /* that are written in that layout */
};

#define META "bench"

typedef struct recording {
  uint8_t *frames; /* [RECORDED][SIZE] */
  apex_step steps[RECORDED];
  apex_form form;
} recording;

typedef struct place {
  const char *server, *run;
} place;

static double now(void) { return os_seconds(); }

static void sleep_until(double time) {
  double left = time - now();
  if (left > 0 && left < 1) os_pause(left);
}

static sixer_err out_of_memory(sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for what is measured");
}

static sixer_err failed(apex_result result, sixer_error *error) {
  if (result == APEX_OK) return SIXER_OK;
  if (!error->message[0]) sixer_fail(error, SIXER_ERR_STATE, "the server gave another answer");
  return SIXER_ERR_STATE;
}

static sixer_err open_store(const place *p, apex_store **out, sixer_error *error) {
  return apex_store_redis(p->server, NULL, NULL, p->run, 30, out, error);
}

/* Begin an epoch with a first version of weights, which actors wait for. */
static sixer_err open_run(apex_store *store, const int64_t *bases, sixer_error *error) {
  sixer_err err = failed(store->class->begin(store, bases, error), error);
  const uint8_t nothing[1] = {0};
  if (err) return err;
  return failed(store->class->publish(store, 0, nothing, sizeof nothing, 2, error), error);
}

static sixer_err open_link(const place *p, redis_link **out, sixer_error *error) {
  link_address address;
  sixer_err err = link_parse(p->server, &address, error);
  if (!err) err = link_password(NULL, &address, error);
  if (err) return err;
  address.timeout = 30;
  *out = link_create(&address);
  if (!*out) return out_of_memory(error);
  return link_ready(*out, error) ? SIXER_OK : SIXER_ERR_STATE;
}

/* ---- Recording ------------------------------------------------------------------------------------------------- */

static sixer_err record(const sixer_rom *rom, recording *r, sixer_error *error) {
  sixer_config config = sixer_config_default();
  config.frame_skip = 4;
  const observe_settings settings = {.width = SIDE, .height = SIDE};
  observer *eye = NULL;
  sixer_env *env = NULL;
  sixer_err err = observe_create(&settings, &eye, error);
  if (!err) {
    observe_prepare(eye, &config);
    err = sixer_env_create(rom, &config, &env, error);
  }
  sixer_list actions = sixer_rom_legal_actions(rom);
  r->form = (apex_form){SIDE, SIDE, actions.count, BLOCK, ACTORS};
  uint64_t random = 1;
  bool first = true;
  for (int i = 0; i < RECORDED && !err; i++) {
    err = observe_frame(eye, env, first, r->frames + (size_t)i * SIZE, error);
    int lane = random_below(&random, actions.count);
    sixer_result result = {0};
    if (!err) sixer_env_step(env, actions.items[lane], &result);
    bool last = result.over || i == RECORDED - 1; /* the recording is played again and again */
    r->steps[i] =
        (apex_step){.action = (uint8_t)lane,
                    .flags = (uint8_t)((first ? APEX_FIRST : 0) | (last ? APEX_TERMINAL : 0)),
                    .frames = 4,
                    .reward = (float)(result.reward > 0   ? 1
                                      : result.reward < 0 ? -1
                                                          : 0),
                    .priority = 0.1f + (float)random_real(&random)};
    first = last;
    if (last) sixer_env_reset(env);
  }
  observe_destroy(eye);
  sixer_env_destroy(env);
  return err;
}

/* ---- Appending ------------------------------------------------------------------------------------------------- */

typedef struct appender {
  const recording *r;
  const place *at;
  atomic_bool *stop;
  double pace;   /* steps per second; 0: as many as it can */
  int64_t least; /* blocks to write whatever `stop` says */
  int actor;
  int64_t steps, bytes;
  double spent; /* processor time */
  sixer_error error;
  sixer_err err;
  pthread_t thread;
} appender;

static void *append(void *context) {
  appender *a = context;
  apex_store *store = NULL;
  apex_block *b = calloc(1, sizeof *b);
  uint8_t *bytes = malloc(apex_block_bound(&a->r->form));
  apex_head head = {0};
  apex_news news;
  a->err = b && bytes ? open_store(a->at, &store, &a->error) : out_of_memory(&a->error);
  if (!a->err)
    a->err = failed(store->class->join(store, META, &a->actor, &head, &a->error), &a->error);
  double began = now();
  for (int64_t k = 0; !a->err && (k < a->least || !atomic_load(a->stop)); k++) {
    int position = (int)((head.blocks + a->actor * 17) * BLOCK % RECORDED);
    *b = (apex_block){
        .actor = a->actor, .count = BLOCK, .first = head.base + head.blocks * BLOCK, .version = 0};
    memcpy(b->steps, a->r->steps + position, BLOCK * sizeof *b->steps);
    size_t size = apex_block_write(&a->r->form, b, a->r->frames + (size_t)position * SIZE, bytes);
    a->err = failed(store->class->put(store, &head, bytes, size, &news, &a->error), &a->error);
    a->steps += BLOCK;
    a->bytes += (int64_t)size;
    if (a->pace > 0) sleep_until(began + (double)a->steps / a->pace);
  }
  a->spent = os_thread_seconds();
  free(b);
  free(bytes);
  apex_store_close(store);
  return NULL;
}

static sixer_err start_appenders(appender *a, const recording *r, const place *at, double pace,
                                 int64_t least, atomic_bool *stop, sixer_error *error) {
  atomic_store(stop, false);
  for (int i = 0; i < ACTORS; i++) {
    a[i] = (appender){.r = r, .at = at, .stop = stop, .pace = pace, .least = least, .actor = i};
    if (os_thread_start(&a[i].thread, append, &a[i])) {
      atomic_store(stop, true);
      while (i-- > 0) pthread_join(a[i].thread, NULL);
      return out_of_memory(error);
    }
  }
  return SIXER_OK;
}

static sixer_err end_appenders(appender *a, atomic_bool *stop, sixer_error *error) {
  sixer_err err = SIXER_OK;
  atomic_store(stop, true);
  for (int i = 0; i < ACTORS; i++) {
    pthread_join(a[i].thread, NULL);
    if (a[i].err) *error = a[i].error, err = a[i].err;
  }
  return err;
}

/* ---- Batches --------------------------------------------------------------------------------------------------- */

/* A tree of priorities as the learner has it, for `count` steps. */
static sixer_err make_tree(sum_tree *tree, int64_t count, uint64_t *random, sixer_error *error) {
  if (!sum_tree_create(tree, count)) return out_of_memory(error);
  for (int64_t i = 0; i < count; i++) tree->nodes[tree->leaves + i] = 0.1 + random_real(random);
  sum_tree_rebuild(tree);
  return SIXER_OK;
}

/* Seconds of processor time that the server has used. */
static sixer_err server_time(redis_link *link, double *out, sixer_error *error) {
  redisReply *r;
  link_add(link, "INFO", "cpu", NULL);
  if (!link_expect(link, REDIS_REPLY_STRING, &r, error)) return SIXER_ERR_STATE;
  const char *system = strstr(r->str, "used_cpu_sys:"), *user = strstr(r->str, "used_cpu_user:");
  *out = (system ? atof(system + 13) : 0) + (user ? atof(user + 14) : 0);
  freeReplyObject(r);
  return SIXER_OK;
}

/* Batches that are drawn through the server: the blocks of the next one are on their way while one is decoded. */
typedef struct reading {
  redis_link *link;
  const place *at;
  const recording *r;
  sum_tree tree;
  uint64_t random;
  struct {
    int64_t drawn[BATCH];
    int first[BATCH], last[BATCH]; /* frame, counted from the begin of the first block */
  } asked[2];
  int next; /* which of them is read next */
  apex_block block;
  uint8_t frame[SIZE];
  uint8_t *planes; /* [BATCH][FRAMES][SIZE] */
} reading;

/* Draw a batch by the tree and ask for the blocks that hold the frames of its transitions. */
static void ask_batch(reading *d, int which) {
  const double part = sum_tree_total(&d->tree) / BATCH;
  for (int i = 0; i < BATCH; i++) {
    int64_t leaf = sum_tree_find(&d->tree, part * (i + random_real(&d->random)));
    int64_t step = leaf % (RING * BLOCK);
    if (step < STACK) step = STACK;
    if (step > RING * BLOCK - FRAMES) step = RING * BLOCK - FRAMES;
    const int64_t first = step - STACK + 1, block = first / BLOCK;
    d->asked[which].drawn[i] = leaf;
    d->asked[which].first[i] = (int)(first % BLOCK);
    d->asked[which].last[i] = (int)(first % BLOCK) + FRAMES - 1;
    for (int k = 0; k <= d->asked[which].last[i] / BLOCK; k++) {
      char key[160];
      snprintf(key, sizeof key, "sixer:%s:b:%d:%" PRId64, d->at->run, (int)(leaf / (RING * BLOCK)),
               block + k);
      link_add(d->link, "GET", key, NULL);
    }
  }
}

/* Read and decode the batch that was asked for before, and ask for the next. */
static sixer_err batch_by_server(reading *d, sixer_error *error) {
  const int which = d->next;
  d->next = 1 - which;
  ask_batch(d, d->next);
  for (int i = 0; i < BATCH; i++) {
    const int first = d->asked[which].first[i], last = d->asked[which].last[i];
    uint8_t *plane = d->planes + (size_t)i * FRAMES * SIZE;
    for (int k = 0; k <= last / BLOCK; k++) {
      redisReply *reply;
      if (!link_expect(d->link, REDIS_REPLY_STRING, &reply, error)) return SIXER_ERR_STATE;
      bool good = apex_block_open(&d->r->form, (const uint8_t *)reply->str, reply->len, &d->block);
      const uint8_t *code = d->block.codes;
      for (int f = 0; f < BLOCK && k * BLOCK + f <= last && good; f++) {
        good = apex_block_frame(&d->r->form, &d->block, f, &code, d->frame);
        if (k * BLOCK + f < first) continue;
        memcpy(plane, d->frame, SIZE);
        plane += SIZE;
      }
      freeReplyObject(reply);
      if (!good) return sixer_fail(error, SIXER_ERR_STATE, "a block came back damaged");
    }
    sum_tree_set(&d->tree, d->asked[which].drawn[i], 0.1 + random_real(&d->random));
  }
  return SIXER_OK;
}

static sixer_err measure_server(redis_link *link, const recording *r, const place *at,
                                double seconds, sixer_apex_figures *f, sixer_error *error) {
  reading *d = calloc(1, sizeof *d);
  if (!d) return out_of_memory(error);
  *d = (reading){.link = link, .at = at, .r = r, .random = 1};
  d->planes = malloc((size_t)BATCH * FRAMES * SIZE);
  sixer_err err = d->planes ? make_tree(&d->tree, (int64_t)ACTORS * RING * BLOCK, &d->random, error)
                            : out_of_memory(error);
  double served = 0, served_end = 0;
  if (!err) err = server_time(link, &served, error);
  if (!err) ask_batch(d, d->next);
  int64_t batches = 0;
  double began = now(), cpu = os_thread_seconds();
  for (; !err && (now() - began < seconds || batches < 20); batches++)
    err = batch_by_server(d, error);
  f->batch_rate = (double)batches / (now() - began);
  f->batch_time = (os_thread_seconds() - cpu) / (double)(batches ? batches : 1);
  link_drop(link); /* with the answers that nobody reads any more */
  if (!err && !link_ready(link, error)) err = SIXER_ERR_STATE;
  if (!err) err = server_time(link, &served_end, error);
  f->batch_server_time = (served_end - served) / (double)(batches + 1);
  sum_tree_free(&d->tree);
  free(d->planes);
  free(d);
  return err;
}

typedef struct copier {
  const recording *r;
  replay *memory;
  int actor;
  uint8_t *frame;
  apex_block block;
} copier;

static bool copy_block(void *context, const uint8_t *bytes, size_t size) {
  copier *c = context;
  if (!apex_block_open(&c->r->form, bytes, size, &c->block)) return false;
  const uint8_t *code = c->block.codes;
  for (int i = 0; i < c->block.count; i++) {
    const apex_step *s = &c->block.steps[i];
    if (!apex_block_frame(&c->r->form, &c->block, i, &code, c->frame)) return false;
    int64_t id = replay_add_to(c->memory, c->actor,
                               &(replay_step){.frame = c->frame,
                                              .action = s->action,
                                              .reward = s->reward,
                                              .first = s->flags & APEX_FIRST,
                                              .terminal = s->flags & APEX_TERMINAL});
    double priority = (double)s->priority;
    replay_set_priorities(c->memory, &id, &priority, 1);
  }
  return true;
}

/* Copy what the actors have written since. */
static sixer_err follow(apex_store *store, copier *c, int64_t copied[ACTORS], sixer_error *error) {
  apex_head heads[ACTORS];
  sixer_err err = failed(store->class->heads(store, heads, error), error);
  for (int a = 0; a < ACTORS && !err; a++) {
    if (heads[a].blocks - copied[a] > RING) copied[a] = heads[a].blocks - RING;
    while (copied[a] < heads[a].blocks && !err) {
      int64_t many = heads[a].blocks - copied[a];
      if (many > 64) many = 64;
      c->actor = a;
      err =
          failed(store->class->blocks(store, a, copied[a], (int)many, copy_block, c, error), error);
      copied[a] += many;
    }
  }
  return err;
}

static int64_t blocks_of(const int64_t copied[ACTORS]) {
  int64_t sum = 0;
  for (int a = 0; a < ACTORS; a++) sum += copied[a];
  return sum;
}

static sixer_err measure_copy(apex_store *store, const recording *r, const place *at,
                              double seconds, sixer_apex_figures *f, sixer_error *error) {
  replay_settings s = replay_settings_default();
  s.capacity = (int64_t)ACTORS * RING * BLOCK;
  s.n = AHEAD;
  s.prioritized = true;
  s.slices = ACTORS;
  s.seed = 5;
  copier *c = calloc(1, sizeof *c);
  if (!c) return out_of_memory(error);
  *c = (copier){.r = r, .frame = malloc(SIZE)};
  sixer_err err = c->frame ? replay_create(&s, &c->memory, error) : out_of_memory(error);
  replay_batch *batch = err ? NULL : replay_batch_create(c->memory, BATCH);
  if (!err && !batch) err = out_of_memory(error);
  int64_t copied[ACTORS] = {0}, batches = 0, followed = 0;
  double following = 0;
  if (!err) err = follow(store, c, copied, error);
  appender appenders[ACTORS];
  atomic_bool stop;
  if (!err) err = start_appenders(appenders, r, at, PACE, 0, &stop, error);
  if (!err) {
    double began = now(), looked = began, cpu = os_thread_seconds();
    uint64_t random = 9;
    while (!err && now() - began < seconds) {
      double priorities[BATCH];
      if (!replay_sample(c->memory, batch, BATCH, (uint64_t)batches++))
        err = sixer_fail(error, SIXER_ERR_STATE, "nothing can be drawn");
      for (int i = 0; i < BATCH; i++) priorities[i] = 0.1 + random_real(&random);
      replay_set_priorities(c->memory, batch->steps, priorities, BATCH);
      if (!err && now() - looked > 0.005) {
        double begun = os_thread_seconds();
        int64_t had = blocks_of(copied);
        err = follow(store, c, copied, error);
        followed += (blocks_of(copied) - had) * BLOCK;
        following += os_thread_seconds() - begun;
        looked = now();
      }
    }
    cpu = os_thread_seconds() - cpu;
    f->copy_rate = (double)batches / (now() - began);
    f->copy_time = (cpu - following) / (double)batches;
    f->follow_time = followed ? following / (double)followed : 0;
    sixer_error other;
    sixer_err ended = end_appenders(appenders, &stop, &other);
    if (!err && ended) *error = other, err = ended;
  }
  replay_batch_destroy(batch);
  replay_destroy(c->memory);
  free(c->frame);
  free(c);
  return err;
}

/* ---- The layout of the SABER paper ----------------------------------------------------------------------------- */

/* Write blocks as actor 0 does. */
static sixer_err append_records(apex_store *store, const recording *r, sixer_error *error) {
  apex_block *b = calloc(1, sizeof *b);
  uint8_t *bytes = malloc(apex_block_bound(&r->form));
  apex_head head;
  apex_news news;
  int actor = 0;
  sixer_err err = b && bytes ? SIXER_OK : out_of_memory(error);
  if (!err) err = failed(store->class->join(store, META, &actor, &head, error), error);
  for (int k = 0; k < SABER_BLOCKS && !err; k++) {
    *b = (apex_block){.count = BLOCK, .first = (int64_t)k * BLOCK};
    memcpy(b->steps, r->steps + (size_t)k * BLOCK, BLOCK * sizeof *b->steps);
    size_t size = apex_block_write(&r->form, b, r->frames + (size_t)k * BLOCK * SIZE, bytes);
    err = failed(store->class->put(store, &head, bytes, size, &news, error), error);
  }
  free(b);
  free(bytes);
  return err;
}

/* Draw for so long, and change all priorities. */
static sixer_err draw_records(apex_store *store, redis_link *link, const saber_shape *h,
                              const replay *r, double seconds, sixer_apex_figures *f,
                              sixer_error *error) {
  saber *s = saber_create(h, r, BATCH, 3);
  replay_batch *batch = replay_batch_create(r, BATCH);
  const int64_t low[ACTORS] = {0}, high[ACTORS] = {SABER_BLOCKS * BLOCK};
  double served = 0, served_end = 0;
  sixer_err err = s && batch ? server_time(link, &served, error) : out_of_memory(error);
  uint64_t random = 3;
  int64_t batches = 0;
  double began = now(), cpu = os_thread_seconds(), noted = began;
  while (!err && (now() - began < seconds || batches < 4 * SABER_BATCHES)) {
    err = failed(saber_fill(s, store, low, high, error), error);
    while (!err && saber_source(s)->draw(saber_source(s), &batch)) {
      double priorities[BATCH];
      for (int i = 0; i < BATCH; i++) priorities[i] = 0.1 + random_real(&random);
      saber_source(s)->set(saber_source(s), batch, priorities);
      batches++;
    }
    if (!err && now() - noted > 1) { /* renew the lease */
      err = failed(store->class->note(store, (int64_t[ACTORS]){0}, false, error), error);
      noted = now();
    }
  }
  if (batches) {
    f->saber_batch_rate = (double)batches / (now() - began);
    f->saber_batch_time = (os_thread_seconds() - cpu) / (double)batches;
    if (!err) err = server_time(link, &served_end, error);
    f->saber_server_time = (served_end - served) / (double)batches;
  }
  saber_destroy(s);
  replay_batch_destroy(batch);
  return err;
}

static sixer_err measure_saber(const char *server, redis_link *link, const recording *r,
                               double seconds, sixer_apex_figures *f, sixer_error *error) {
  const place at = {server, "bench-saber"};
  const saber_shape h = {.form = r->form,
                         .room = SABER_MEMORY / ACTORS,
                         .leaves = SABER_MEMORY,
                         .stack = STACK,
                         .n = AHEAD,
                         .gamma = 0.99};
  const int64_t bases[ACTORS] = {0};
  replay_settings rs = replay_settings_default(); /* the shape of batches */
  rs.capacity = 100;
  rs.n = AHEAD;
  replay *shape = NULL;
  apex_store *store = NULL, *actor = NULL;
  apex_usage before, after;
  bool found;
  sixer_err err = replay_create(&rs, &shape, error);
  if (!err) err = open_store(&at, &store, error);
  if (!err) err = open_store(&at, &actor, error);
  if (!err) {
    store->saber = actor->saber = &h;
    err = failed(store->class->claim(store, META, ACTORS, RING, true, &found, error), error);
  }
  if (!err) err = open_run(store, bases, error);
  if (!err) err = failed(store->class->usage(store, &before, error), error);
  double began = now();
  if (!err) err = append_records(actor, r, error);
  f->saber_append_rate = SABER_BLOCKS * BLOCK / (now() - began);
  if (!err) err = failed(store->class->usage(store, &after, error), error);
  if (!err) {
    f->saber_step_bytes = (double)(after.bytes - before.bytes) / (SABER_BLOCKS * BLOCK);
    err = draw_records(store, link, &h, shape, seconds, f, error);
  }
  apex_store_close(actor);
  apex_store_close(store);
  replay_destroy(shape);
  return err;
}

/* ---- Weights --------------------------------------------------------------------------------------------------- */

typedef struct listener {
  const place *at;
  atomic_int *joined;
  atomic_bool *stop;
  int actor;
  size_t size;
  double done; /* when it had the weights */
  sixer_err err;
  sixer_error error;
  pthread_t thread;
} listener;

static void *listen_for(void *context) {
  listener *l = context;
  apex_store *store = NULL;
  apex_head head;
  apex_news news = {.version = -1};
  uint8_t *bytes = malloc(l->size);
  l->err = bytes ? open_store(l->at, &store, &l->error) : out_of_memory(&l->error);
  if (!l->err)
    l->err = failed(store->class->join(store, META, &l->actor, &head, &l->error), &l->error);
  atomic_fetch_add(l->joined, 1);
  while (!l->err && news.version < 1 && !atomic_load(l->stop)) {
    l->err = failed(store->class->look(store, &news, &l->error), &l->error);
    sleep_until(now() + 0.005);
  }
  if (!l->err && news.version >= 1)
    l->err = failed(store->class->fetch(store, 1, bytes, l->size, &l->error), &l->error);
  l->done = now();
  apex_store_close(store);
  free(bytes);
  return NULL;
}

typedef struct probe {
  const place *at;
  atomic_bool *stop;
  double longest;
  sixer_err err;
  sixer_error error;
  pthread_t thread;
} probe;

static void *ask_again(void *context) {
  probe *p = context;
  redis_link *link = NULL;
  p->err = open_link(p->at, &link, &p->error);
  while (!p->err && !atomic_load(p->stop)) {
    double began = now();
    link_add(link, "PING", NULL);
    if (!link_skip(link, 1, &p->error)) p->err = SIXER_ERR_STATE;
    double took = now() - began;
    if (took > p->longest) p->longest = took;
    sleep_until(now() + 0.001);
  }
  link_destroy(link);
  return NULL;
}

static sixer_err measure_weights(const char *server, sixer_apex_figures *f, sixer_error *error) {
  const place at = {server, "bench-weights"};
  const size_t size = apex_weights_size(WEIGHTS);
  float *weights = calloc(WEIGHTS, sizeof *weights);
  uint8_t *bytes = malloc(size);
  apex_store *store = NULL;
  bool found;
  int64_t bases[LISTENERS] = {0};
  atomic_bool stop;
  atomic_int joined;
  atomic_init(&stop, false);
  atomic_init(&joined, 0);
  sixer_err err = weights && bytes ? open_store(&at, &store, error) : out_of_memory(error);
  if (!err)
    err = failed(store->class->claim(store, META, LISTENERS, 8, false, &found, error), error);
  if (!err) err = open_run(store, bases, error);
  listener listeners[LISTENERS];
  probe asking = {.at = &at, .stop = &stop};
  int started = 0;
  bool probing = false;
  if (!err) {
    apex_weights_write(1, weights, WEIGHTS, bytes);
    for (; started < LISTENERS; started++) {
      listeners[started] =
          (listener){.at = &at, .joined = &joined, .stop = &stop, .actor = started, .size = size};
      if (os_thread_start(&listeners[started].thread, listen_for, &listeners[started])) break;
    }
    probing = !os_thread_start(&asking.thread, ask_again, &asking);
    if (started < LISTENERS || !probing) err = out_of_memory(error);
    while (!err && atomic_load(&joined) < LISTENERS) sleep_until(now() + 0.01);
  }
  double began = now();
  if (!err) err = failed(store->class->publish(store, 1, bytes, size, 2, error), error);
  if (err) atomic_store(&stop, true);
  for (int i = 0; i < started; i++) {
    pthread_join(listeners[i].thread, NULL);
    if (listeners[i].err && !err) *error = listeners[i].error, err = listeners[i].err;
    if (listeners[i].done - began > f->weights_time) f->weights_time = listeners[i].done - began;
  }
  atomic_store(&stop, true);
  if (probing) pthread_join(asking.thread, NULL);
  if (asking.err && !err) *error = asking.error, err = asking.err;
  f->weights_wait = asking.longest;
  apex_store_close(store);
  free(weights);
  free(bytes);
  return err;
}

/* ---- All of it ------------------------------------------------------------------------------------------------- */

static sixer_err measure_blocks(apex_store *store, redis_link *link, const recording *r,
                                const place *at, double seconds, sixer_apex_figures *f,
                                sixer_error *error) {
  apex_usage before, after;
  appender appenders[ACTORS];
  atomic_bool stop;
  sixer_err err = failed(store->class->usage(store, &before, error), error);
  /* fill all rings once: memory; then time what is written into them again */
  if (!err) err = start_appenders(appenders, r, at, 0, RING, &stop, error);
  if (!err) err = end_appenders(appenders, &stop, error);
  if (!err) err = failed(store->class->usage(store, &after, error), error);
  if (err) return err;
  f->step_bytes = (double)(after.bytes - before.bytes) / ((double)ACTORS * RING * BLOCK);
  int64_t bytes = 0, steps = 0;
  double spent = 0, began = now();
  err = start_appenders(appenders, r, at, 0, 0, &stop, error);
  if (err) return err;
  sleep_until(now() + 0.5);
  while (now() - began < seconds) sleep_until(now() + 0.05);
  err = end_appenders(appenders, &stop, error);
  double took = now() - began;
  for (int i = 0; i < ACTORS; i++) {
    bytes += appenders[i].bytes;
    steps += appenders[i].steps;
    spent += appenders[i].spent;
  }
  if (err || !steps) return err;
  f->append_rate = (double)steps / took;
  f->append_time = spent / (double)steps;
  f->block_bytes = (double)bytes / (double)steps;
  return measure_server(link, r, at, seconds, f, error);
}

sixer_err sixer_apex_measure(const char *server, const sixer_rom *rom, double seconds,
                             sixer_apex_figures *figures, sixer_error *error) {
  const place at = {server, "bench"};
  sixer_apex_figures f = {0};
  recording *r = calloc(1, sizeof *r);
  if (r) r->frames = malloc((size_t)RECORDED * SIZE);
  apex_store *store = NULL;
  redis_link *link = NULL;
  bool found;
  const int64_t bases[ACTORS] = {0};
  error->message[0] = 0;
  sixer_err err = r && r->frames ? record(rom, r, error) : out_of_memory(error);
  if (!err) err = open_store(&at, &store, error);
  if (!err) err = open_link(&at, &link, error);
  if (!err)
    err = failed(store->class->claim(store, META, ACTORS, RING, true, &found, error), error);
  if (!err) err = open_run(store, bases, error);
  if (!err) err = measure_blocks(store, link, r, &at, seconds, &f, error);
  if (!err)
    err = failed(store->class->note(store, bases, false, error), error); /* renew the lease */
  if (!err) err = measure_copy(store, r, &at, seconds, &f, error);
  if (!err) err = measure_saber(server, link, r, seconds, &f, error);
  if (!err) err = measure_weights(server, &f, error);
  link_destroy(link);
  apex_store_close(store);
  if (r) free(r->frames);
  free(r);
  if (!err) *figures = f;
  return err;
}

#endif
