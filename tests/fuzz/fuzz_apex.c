/* Ape-X with a server or a partner that means harm: blocks and weights are refused, or an actor can have written them,
 * and the learner learns from them; whatever a server answers, the calls of the store end; a run that an actor joins is
 * understood or refused. Checksums are mended.
 *
 * The first byte of an input says what the rest is: bytes of a block, changes (fuzz_edits.h) of a block or of weights,
 * answers of a server to a learner or to an actor, or a line of the description of a run (its number, then the text).
 *
 * runs: 400 */
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zlib.h>

#include "agents/deep/apex_run.h"
#include "agents/deep/apex_saber.h"
#include "fuzz/fuzz_edits.h"
#include "util/os_thread.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BLOCK = 4, SIDE = 20, ACTORS = 2, WEIGHTS = 50, CRC_AT = 40, FIRST_AT = 16, RENEW = 200 };
#define OPTIONS \
  "memory=2000,start=20,period=4,batch=4,target_period=50,trunk=quick,size=20,hidden=16,n=3"

/* ---- What there is to change ----------------------------------------------------------------------------------- */

static sixer_rom *rom;
static sixer_protocol *protocol;
static sixer_apex_settings settings;
static char meta[APEX_META];
static int64_t ring;
static apex_form form;
static uint8_t *block, *changed, *weights;
static size_t block_size, weights_size;

/* The learner, and the place that it looks for blocks of actor 0 in. */
static struct {
  sixer_apex_memory *memory;
  sixer_apex_learner *learner;
  apex_store *actor;
  apex_head head;
  int blocks;
} run;

static void stop_learner(void) {
  apex_store_close(run.actor);
  sixer_apex_learner_destroy(run.learner);
  sixer_apex_memory_destroy(run.memory);
  memset(&run, 0, sizeof run);
}

static void start_learner(void) {
  sixer_error error;
  int index = 0;
  run.memory = sixer_apex_memory_create();
  settings.memory = run.memory;
  if (sixer_apex_learner_create(&settings, &run.learner, &error)) {
    fprintf(stderr, "%s\n", error.message);
    abort();
  }
  run.actor = apex_store_memory(run.memory->memory);
  if (run.actor->class->join(run.actor, NULL, &index, &run.head, &error) != APEX_OK) abort();
}

static void make(void) {
  sixer_error error;
  if (sixer_rom_open("sporefall", NULL, &rom, &error) ||
      sixer_protocol_open("saber", &protocol, &error))
    abort();
  settings = sixer_apex_settings_default();
  settings.train.agent = "rainbow";
  settings.train.options = OPTIONS;
  settings.train.rom = rom;
  settings.train.protocol = protocol;
  settings.train.seed = 3;
  settings.train.frames = 1000000;
  settings.actors = ACTORS;
  settings.block = BLOCK;
  settings.fetch = 20;
  settings.synchronized = false;
  settings.patience = 0;
  start_learner();
  memcpy(meta, run.actor->meta_found, sizeof meta);
  const sixer_train *t = sixer_apex_learner_train(run.learner);
  const deep *d = (const deep *)t->agent;
  const apex_rules rules = apex_rules_of(&settings);
  form = apex_form_of(d, &rules);
  ring = apex_ring(&rules, d->o.memory);
  weights_size = apex_weights_size(nn_parameters(nn_net_spec(d->net), NULL, NULL));
  weights = malloc(weights_size);
  if (run.actor->class->fetch(run.actor, d->steps, weights, weights_size, &error) != APEX_OK)
    abort();
  apex_block *b = calloc(1, sizeof *b);
  uint8_t *frames = malloc(BLOCK * SIDE * SIDE);
  b->count = BLOCK;
  for (int i = 0; i < BLOCK; i++) {
    b->steps[i] = (apex_step){.action = 1, .frames = 5, .reward = 1, .priority = 0.5f};
    for (int k = 0; k < SIDE * SIDE; k++)
      frames[i * SIDE * SIDE + k] = (uint8_t)(k % 9 ? 40 : k * (i + 1));
  }
  b->steps[0].flags = APEX_FIRST;
  b->steps[2].flags = APEX_TERMINAL;
  b->episodes[b->episode_count++] =
      (apex_episode){.position = 2, .end = 1, .frames = 9, .steps = 3};
  block = malloc(apex_block_bound(&form));
  changed = malloc(apex_block_bound(&form) + (1 << 16));
  block_size = apex_block_write(&form, b, frames, block);
  free(frames);
  free(b);
}

/* ---- Blocks and weights ---------------------------------------------------------------------------------------- */

static void read_block(uint8_t *bytes, size_t size) {
  sixer_error error;
  const int64_t first = run.head.base + run.head.blocks * BLOCK;
  if (size >= CRC_AT + 8) {
    memset(bytes + CRC_AT, 0, 4);
    const uint32_t crc = (uint32_t)crc32_z(0, bytes, size);
    memcpy(bytes + CRC_AT, &crc, 4);
  }
  apex_block *b = calloc(1, sizeof *b);
  bool good = apex_block_read(&form, bytes, size, b);
  if (good) {
    assert(b->count == BLOCK && b->actor < ACTORS && b->episode_count <= BLOCK);
    good = b->actor == 0;
  }
  free(b);
  if (!good) return;
  memcpy(bytes + FIRST_AT, &first, 8); /* the learner takes no other */
  memset(bytes + CRC_AT, 0, 4);
  const uint32_t crc = (uint32_t)crc32_z(0, bytes, size);
  memcpy(bytes + CRC_AT, &crc, 4);
  apex_news news;
  if (run.actor->class->put(run.actor, &run.head, bytes, size, &news, &error) != APEX_OK) abort();
  sixer_err err = SIXER_OK;
  for (int i = 0; i < 3 && !err; i++) {
    err = sixer_apex_learner_run(run.learner, 1e-4, &error);
    assert(!err || error.message[0]);
  }
  if (!err && ++run.blocks < RENEW) return;
  stop_learner();
  start_learner();
}

static void read_weights(const uint8_t *data, size_t size) {
  float numbers[WEIGHTS], found[WEIGHTS];
  uint8_t bytes[400];
  const size_t length = apex_weights_size(WEIGHTS);
  assert(length <= sizeof bytes);
  for (int i = 0; i < WEIGHTS; i++) numbers[i] = (float)i;
  apex_weights_write(7, numbers, WEIGHTS, bytes);
  fuzz_edit(bytes, length, data, size);
  const uint32_t crc = (uint32_t)crc32_z(0, bytes + 32, length - 32);
  memcpy(bytes + 24, &crc, 4);
  if (!apex_weights_read(bytes, length, 7, found, WEIGHTS)) return;
  for (int i = 0; i < WEIGHTS; i++) assert(isfinite(found[i]));
}

/* ---- A server -------------------------------------------------------------------------------------------------- */

static char url[120];
static int listener = -1;
/* A copy of the input: a connection that the client has closed already may be accepted after the input's end. */
static struct {
  pthread_mutex_t lock;
  uint8_t *data;
  size_t size;
} answers = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Give every connection all answers at once, and hear what it says to its end. */
static void *serve(void *unused) {
  static uint8_t heard[1 << 16];
  (void)unused;
  for (;;) {
    const int s = accept(listener, NULL, NULL);
    if (s < 0) return NULL;
    pthread_mutex_lock(&answers.lock);
    ssize_t sent = send(s, answers.data, answers.size, MSG_NOSIGNAL);
    (void)sent;
    pthread_mutex_unlock(&answers.lock);
    shutdown(s, SHUT_WR);
    while (read(s, heard, sizeof heard) > 0) {}
    close(s);
  }
}

static void start_server(void) {
  char folder[] = "/tmp/sixer-fuzz-XXXXXX";
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  pthread_t thread;
  if (!mkdtemp(folder)) abort();
  snprintf(to.sun_path, sizeof to.sun_path, "%s/server", folder);
  snprintf(url, sizeof url, "unix:%s", to.sun_path);
  listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&to, sizeof to) || listen(listener, 8) ||
      os_thread_start(&thread, serve, NULL))
    abort();
  pthread_detach(thread);
}

static bool take(void *context, const uint8_t *bytes, size_t size) {
  apex_block *b = context;
  return apex_block_read(&form, bytes, size, b);
}

/* A new connection for the client: what it has not read is given again. */
static void answer(const uint8_t *data, size_t size) {
  uint8_t *copy = malloc(size ? size : 1);
  if (!copy) abort();
  memcpy(copy, data, size);
  pthread_mutex_lock(&answers.lock);
  free(answers.data);
  answers.data = copy;
  answers.size = size;
  pthread_mutex_unlock(&answers.lock);
}

static void take_row(void *context, int place, int position, const saber_row *row) {
  (void)place;
  (void)position;
  if (!row) return;
  assert(row->action < form.actions && isfinite(row->reward));
  memcpy(context, row->frame, SIDE * SIDE);
}

/* The calls of the SABER paper's layout. */
static void draw_from(apex_store *s) {
  enum { COUNT = 3 };
  const saber_class *c = s->class->saber;
  const double points[COUNT] = {0, 0.4, 0.9};
  const saber_place places[COUNT] = {{0, -2}, {0, 5}, {1, 1000}};
  int64_t records[COUNT];
  double priorities[COUNT], total;
  uint8_t frame[SIDE * SIDE];
  sixer_error error = {SIXER_OK, ""};
  if (c->find(s, s->saber, points, COUNT, records, priorities, &total, &error) == APEX_OK) {
    for (int i = 0; i < COUNT; i++)
      assert(records[i] >= 0 && records[i] < s->saber->leaves && isfinite(priorities[i]));
  }
  c->read(s, s->saber, places, COUNT, 7, take_row, frame, &error);
  c->set(s, s->saber, places, points, COUNT, 1, &error);
  c->clear(s, &error);
}

static void learn_from(const uint8_t *data, size_t size, bool reset, bool records) {
  apex_store *s = NULL;
  sixer_error error = {SIXER_OK, ""};
  apex_head heads[ACTORS];
  apex_usage usage;
  bool found;
  answer(data, size);
  if (apex_store_redis(url, NULL, NULL, "r", 5, &s, &error)) abort();
  const saber_shape shape = {form, 100, 256, 4, 3, 0.99};
  if (records) s->saber = &shape;
  const apex_store_class *c = s->class;
  if (c->claim(s, "agent=x\n", ACTORS, 4, reset, &found, &error) == APEX_OK) {
    if (!found) c->begin(s, (int64_t[ACTORS]){0}, &error);
    apex_block *b = calloc(1, sizeof *b);
    if (c->heads(s, heads, &error) == APEX_OK) c->blocks(s, 0, 0, 2, take, b, &error);
    free(b);
    if (records) draw_from(s);
    c->publish(s, 3, block, block_size, 2, &error);
    c->note(s, (int64_t[ACTORS]){0}, false, &error);
    c->usage(s, &usage, &error);
  } else {
    assert(error.message[0]);
  }
  apex_store_close(s);
}

static void act_for(const uint8_t *data, size_t size, bool records) {
  apex_store *s = NULL;
  sixer_error error = {SIXER_OK, ""};
  apex_head head;
  apex_news news;
  int actor = -1;
  uint8_t fetched[300];
  answer(data, size);
  if (apex_store_redis(url, NULL, NULL, "r", 5, &s, &error)) abort();
  const saber_shape shape = {form, 100, 256, 4, 3, 0.99};
  if (records) s->saber = &shape;
  const apex_store_class *c = s->class;
  if (c->join(s, NULL, &actor, &head, &error) == APEX_OK) {
    assert(actor >= 0 && actor < REPLAY_SLICES_MAX && head.blocks >= 0);
    c->fetch(s, 3, fetched, sizeof fetched, &error);
    c->look(s, &news, &error);
    c->put(s, &head, block, block_size, &news, &error);
  } else {
    assert(error.message[0]);
  }
  apex_store_close(s);
}

/* ---- Descriptions ---------------------------------------------------------------------------------------------- */

/* The description with the value of a line replaced. */
static void describe(char *out, int number, const char *value, size_t size) {
  const char *line = meta;
  for (int i = 0; i < number && strchr(line, '\n'); i++) line = strchr(line, '\n') + 1;
  if (!*line) line = meta;
  const size_t name = strcspn(line, "=\n"),
               begin = (size_t)(line - meta) + name + (line[name] == '=');
  size_t end = begin + strcspn(meta + begin, "\n");
  if (begin + size + strlen(meta + end) + 1 > APEX_META) size = 0;
  memcpy(out, meta, begin);
  memcpy(out + begin, value, size);
  strcpy(out + begin + size, meta + end);
}

static void join_run(const uint8_t *data, size_t size) {
  sixer_error error = {SIXER_OK, ""};
  sixer_apex_settings s = settings;
  sixer_apex_actor *actor = NULL;
  char *text = calloc(1, APEX_META);
  bool found;
  const size_t length = strnlen((const char *)data + 1, size - 1);
  describe(text, data[0] % 40, (const char *)data + 1, length);
  s.memory = sixer_apex_memory_create();
  apex_store *learner = apex_store_memory(s.memory->memory);
  if (learner->class->claim(learner, text, ACTORS, ring, false, &found, &error) == APEX_OK) {
    learner->class->begin(learner, (int64_t[ACTORS]){0}, &error);
    learner->class->publish(learner, 0, weights, weights_size, 2, &error);
    if (sixer_apex_actor_create(&s, -1, &actor, &error))
      assert(error.message[0]);
    else
      sixer_apex_actor_run(actor, 1e-4, &error);
  }
  sixer_apex_actor_destroy(actor);
  apex_store_close(learner);
  sixer_apex_memory_destroy(s.memory);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!rom) {
    make();
    if (sixer_apex_has_redis()) start_server();
  }
  if (size < 2) return 0;
  const int kind = data[0] % 6;
  data++, size--;
  switch (kind) {
    case 0: /* any bytes */
      if (size > apex_block_bound(&form)) return 0;
      memcpy(changed, data, size);
      read_block(changed, size);
      break;
    case 1:
      memcpy(changed, block, block_size);
      fuzz_edit(changed, block_size, data, size);
      read_block(changed, block_size);
      break;
    case 2: read_weights(data, size); break;
    case 3:
      if (listener >= 0) learn_from(data + 1, size - 1, data[0] & 1, data[0] & 2);
      break;
    case 4:
      if (listener >= 0) act_for(data, size, false);
      if (listener >= 0) act_for(data, size, true);
      break;
    default: join_run(data, size); break;
  }
  return 0;
}
