/* How fast Ape-X is on a Redis server: see sixer_apex_measure().
 *
 * Steps of random play are recorded first. Then actors (threads with connections of their own) encode and write blocks
 * of them as real actors do; batches are drawn through the server, and from a copy of the blocks while actors write;
 * the layout of the SABER paper is filled and drawn from beside it; and weights as large as Rainbow's are published to
 * ten actors while one more client asks the server for nothing. */
#include "agents/deep/apex_block.h"
#include "agents/deep/apex_link.h"
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
#include <time.h>

#include "agents/deep/observe.h"
#include "agents/deep/sum_tree.h"
#include "util/random.h"

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
  WEIGHTS = 7500000,  /* numbers of Rainbow's network */
  SABER_LEVELS = 20,  /* of the tree of a million transitions */
  SABER_STEPS = 4096, /* that are written */
  SABER_DRAWN = 5 * BATCH,
  SABER_APPEND = 256 /* transitions that are sent together */
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

static double seconds_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void) { return seconds_of(CLOCK_MONOTONIC); }

static void sleep_until(double time) {
  double left = time - now();
  struct timespec t = {0, left > 0 ? (long)(left * 1e9) : 0};
  if (left > 0 && left < 1) nanosleep(&t, NULL);
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
  a->spent = seconds_of(CLOCK_THREAD_CPUTIME_ID);
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
    if (pthread_create(&a[i].thread, NULL, append, &a[i])) {
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

/* Draw a batch by the tree and read the blocks that hold the frames of its transitions; decode them. */
static sixer_err batch_by_server(redis_link *link, const place *at, const recording *r,
                                 sum_tree *tree, uint64_t *random, uint8_t *frame,
                                 sixer_error *error) {
  int64_t drawn[BATCH];
  int wanted[BATCH], count[BATCH];
  double part = sum_tree_total(tree) / BATCH;
  for (int i = 0; i < BATCH; i++) {
    int64_t leaf = sum_tree_find(tree, part * (i + random_real(random)));
    int64_t step = leaf % (RING * BLOCK);
    if (step < STACK) step = STACK;
    if (step > RING * BLOCK - FRAMES) step = RING * BLOCK - FRAMES;
    drawn[i] = leaf;
    int64_t first = step - STACK + 1, last = step + AHEAD, block = first / BLOCK;
    wanted[i] = (int)(last % BLOCK);
    count[i] = (int)(last / BLOCK - block) + 1;
    for (int k = 0; k < count[i]; k++) {
      char key[160];
      snprintf(key, sizeof key, "sixer:%s:b:%d:%" PRId64, at->run, (int)(leaf / (RING * BLOCK)),
               block + k);
      link_add(link, "GET", key, NULL);
    }
  }
  apex_block *b = malloc(sizeof *b);
  sixer_err err = b ? SIXER_OK : out_of_memory(error);
  for (int i = 0; i < BATCH && !err; i++) {
    for (int k = 0; k < count[i] && !err; k++) {
      redisReply *reply;
      if (!link_expect(link, REDIS_REPLY_STRING, &reply, error)) {
        err = SIXER_ERR_STATE;
        break;
      }
      const uint8_t *bytes = (const uint8_t *)reply->str, *code;
      if (!apex_block_open(&r->form, bytes, reply->len, b))
        err = sixer_fail(error, SIXER_ERR_STATE, "a block came back damaged");
      code = b->codes;
      int last = k == count[i] - 1 ? wanted[i] : BLOCK - 1;
      for (int f = 0; f <= last && !err; f++)
        if (!apex_block_frame(&r->form, b, f, &code, frame))
          err = sixer_fail(error, SIXER_ERR_STATE, "a frame came back damaged");
      freeReplyObject(reply);
    }
    sum_tree_set(tree, drawn[i], 0.1 + random_real(random));
  }
  free(b);
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
  int64_t copied[ACTORS] = {0}, batches = 0;
  if (!err) err = follow(store, c, copied, error);
  appender appenders[ACTORS];
  atomic_bool stop;
  if (!err) err = start_appenders(appenders, r, at, PACE, 0, &stop, error);
  if (!err) {
    double began = now(), looked = began, cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    uint64_t random = 9;
    while (!err && now() - began < seconds) {
      double priorities[BATCH];
      if (!replay_sample(c->memory, batch, BATCH, (uint64_t)batches++))
        err = sixer_fail(error, SIXER_ERR_STATE, "nothing can be drawn");
      for (int i = 0; i < BATCH; i++) priorities[i] = 0.1 + random_real(&random);
      replay_set_priorities(c->memory, batch->steps, priorities, BATCH);
      if (!err && now() - looked > 0.005) {
        err = follow(store, c, copied, error);
        looked = now();
      }
    }
    f->copy_rate = (double)batches / (now() - began);
    f->copy_time = (seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu) / (double)batches;
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

static void saber_key(const place *at, char key[160], const char *name, int64_t number) {
  snprintf(key, 160, "sixer:%s:saber:%s%" PRId64, at->run, name, number);
}

/* Add to the priority of a transition and of all that contain it: 21 commands. */
static int saber_raise(redis_link *link, const place *at, int64_t transition, const char *by) {
  char key[160];
  int count = 0;
  for (int64_t i = (INT64_C(1) << SABER_LEVELS) - 1 + transition;; i = (i - 1) / 2) {
    saber_key(at, key, "priorities:", i);
    link_add(link, "INCRBYFLOAT", key, by, NULL);
    count++;
    if (i == 0) return count;
  }
}

static bool saber_append(redis_link *link, const recording *r, const place *at, int64_t first,
                         sixer_error *error) {
  int count = 0;
  for (int64_t j = first; j < first + SABER_APPEND; j++) {
    char key[160], step[24], action[24];
    saber_key(at, key, "transitions", j);
    snprintf(step, sizeof step, "%" PRId64, j);
    snprintf(action, sizeof action, "%d", r->steps[j % RECORDED].action);
    const char *words[] = {
        "HSET",   key,           "timestep",
        step,     "state",       (const char *)r->frames + (size_t)(j % RECORDED) * SIZE,
        "action", action,        "reward",
        "0",      "nonterminal", "1"};
    size_t sizes[12];
    for (int i = 0; i < 12; i++) sizes[i] = i == 5 ? SIZE : strlen(words[i]);
    link_add_sized(link, 12, words, sizes);
    count += 1 + saber_raise(link, at, j, "0.5");
  }
  return link_skip(link, count, error);
}

/* Five batches at once: find the transitions level by level, read them, write priorities back. */
static bool saber_draw(redis_link *link, const place *at, uint64_t *random, sixer_error *error) {
  double points[SABER_DRAWN];
  int64_t nodes[SABER_DRAWN];
  char key[160];
  redisReply *reply;
  for (int i = 0; i < SABER_DRAWN; i++) {
    points[i] = 0.5 * SABER_STEPS * (i + random_real(random)) / SABER_DRAWN;
    nodes[i] = 0;
  }
  for (int level = 0; level < SABER_LEVELS; level++) {
    for (int i = 0; i < SABER_DRAWN; i++) {
      saber_key(at, key, "priorities:", 2 * nodes[i] + 1);
      link_add(link, "GET", key, NULL);
    }
    for (int i = 0; i < SABER_DRAWN; i++) {
      if (!link_reply(link, &reply, error)) return false;
      double left = reply->type == REDIS_REPLY_STRING ? atof(reply->str) : 0;
      freeReplyObject(reply);
      bool right = points[i] > left;
      if (right) points[i] -= left;
      nodes[i] = 2 * nodes[i] + 1 + right;
    }
  }
  for (int i = 0; i < SABER_DRAWN; i++) {
    int64_t drawn = nodes[i] - ((INT64_C(1) << SABER_LEVELS) - 1);
    if (drawn < 0) drawn = 0;
    if (drawn > SABER_STEPS - FRAMES) drawn = SABER_STEPS - FRAMES;
    nodes[i] = drawn;
    for (int k = 0; k < FRAMES; k++) {
      saber_key(at, key, "transitions", drawn + k);
      link_add(link, "HMGET", key, "timestep", "state", "action", "reward", "nonterminal", NULL);
    }
  }
  if (!link_skip(link, SABER_DRAWN * FRAMES, error)) return false;
  int count = 0;
  for (int i = 0; i < SABER_DRAWN; i++)
    count += saber_raise(link, at, nodes[i], i % 2 ? "0.25" : "-0.25");
  return link_skip(link, count, error);
}

static sixer_err measure_saber(apex_store *store, redis_link *link, const recording *r,
                               const place *at, double seconds, sixer_apex_figures *f,
                               sixer_error *error) {
  apex_usage before, after;
  sixer_err err = failed(store->class->usage(store, &before, error), error);
  double began = now();
  for (int64_t j = 0; j < SABER_STEPS && !err; j += SABER_APPEND)
    if (!saber_append(link, r, at, j, error)) err = SIXER_ERR_STATE;
  f->saber_append_rate = SABER_STEPS / (now() - began);
  if (!err) err = failed(store->class->usage(store, &after, error), error);
  if (err) return err;
  f->saber_step_bytes = (double)(after.bytes - before.bytes) / SABER_STEPS;
  uint64_t random = 3;
  int64_t batches = 0;
  for (began = now(); !err && now() - began < seconds; batches += SABER_DRAWN / BATCH)
    if (!saber_draw(link, at, &random, error)) err = SIXER_ERR_STATE;
  f->saber_batch_rate = (double)batches / (now() - began);
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
      if (pthread_create(&listeners[started].thread, NULL, listen_for, &listeners[started])) break;
    }
    probing = !pthread_create(&asking.thread, NULL, ask_again, &asking);
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
  uint64_t random = 1;
  sum_tree tree = {0};
  uint8_t *frame = malloc(SIZE);
  err = frame ? make_tree(&tree, (int64_t)ACTORS * RING * BLOCK, &random, error)
              : out_of_memory(error);
  int64_t batches = 0;
  double cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  for (began = now(); !err && now() - began < seconds; batches++)
    err = batch_by_server(link, at, r, &tree, &random, frame, error);
  f->batch_rate = (double)batches / (now() - began);
  f->batch_time = (seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu) / (double)(batches ? batches : 1);
  sum_tree_free(&tree);
  free(frame);
  return err;
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
  if (!err) err = measure_saber(store, link, r, &at, seconds, &f, error);
  if (!err) err = measure_weights(server, &f, error);
  link_destroy(link);
  apex_store_close(store);
  if (r) free(r->frames);
  free(r);
  if (!err) *figures = f;
  return err;
}

#endif
