/* The store of Ape-X within one process. See apex_store.h.
 *
 * One lock guards everything; blocks and weights are copied in and out. A learner or an actor whose store was closed is
 * gone. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "agents/deep/apex_store.h"
#include "util/error.h"

enum { VERSIONS = 64 };

typedef struct bytes {
  uint8_t *data;
  size_t size;
} bytes;

typedef struct slot {
  apex_head head;
  int64_t taken;
  const apex_store *owner; /* NULL: free */
  bytes *ring;
} slot;

struct apex_memory {
  pthread_mutex_t lock;
  char meta[APEX_META];
  int actors;
  int64_t ring, epoch;
  slot *slots;
  const apex_store *learner;
  bool finished;
  int64_t version; /* newest; -1: none */
  struct {
    int64_t version;
    bytes weights;
  } kept[VERSIONS];
};

typedef struct memory_store {
  apex_store base;
  apex_memory *m;
  int actor; /* -1: none */
  int64_t epoch;
} memory_store;

static apex_result refused(sixer_error *error, const char *why) {
  sixer_fail(error, SIXER_ERR_STATE, "%s", why);
  return APEX_REFUSED;
}

static bool copy(bytes *to, const uint8_t *data, size_t size) {
  uint8_t *room = realloc(to->data, size ? size : 1);
  if (!room) return false;
  memcpy(room, data, size);
  *to = (bytes){room, size};
  return true;
}

static void free_slots(apex_memory *m) {
  for (int i = 0; i < m->actors && m->slots; i++) {
    for (int64_t k = 0; k < m->ring && m->slots[i].ring; k++) free(m->slots[i].ring[k].data);
    free(m->slots[i].ring);
  }
  free(m->slots);
  m->slots = NULL;
  m->actors = 0;
}

apex_memory *apex_memory_create(void) {
  apex_memory *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  pthread_mutex_init(&m->lock, NULL);
  m->version = -1;
  return m;
}

void apex_memory_destroy(apex_memory *m) {
  if (!m) return;
  free_slots(m);
  for (int i = 0; i < VERSIONS; i++) free(m->kept[i].weights.data);
  pthread_mutex_destroy(&m->lock);
  free(m);
}

/* ---- The learner ----------------------------------------------------------------------------------------------- */

static apex_result claim_locked(memory_store *s, const char *meta, int actors, int64_t ring,
                                bool reset, bool *found, sixer_error *error) {
  apex_memory *m = s->m;
  if (m->learner && m->learner != &s->base) return refused(error, "the run has a learner already");
  *found = m->meta[0] && !reset;
  if (*found && strcmp(m->meta, meta) != 0)
    return refused(error, "the memory holds a run with other settings");
  m->learner = &s->base;
  if (*found) return APEX_OK;
  free_slots(m);
  m->slots = calloc((size_t)actors, sizeof *m->slots);
  m->actors = m->slots ? actors : 0;
  m->ring = ring;
  for (int i = 0; i < m->actors; i++) {
    m->slots[i].ring = calloc((size_t)ring, sizeof *m->slots[i].ring);
    if (!m->slots[i].ring) return refused(error, "out of memory for the blocks of the actors");
  }
  if (!m->slots) return refused(error, "out of memory for the blocks of the actors");
  memcpy(m->meta, meta, strlen(meta) + 1);
  m->finished = false;
  m->version = -1;
  return APEX_OK;
}

static apex_result claim(apex_store *base, const char *meta, int actors, int64_t ring, bool reset,
                         bool *found, sixer_error *error) {
  memory_store *s = (memory_store *)base;
  pthread_mutex_lock(&s->m->lock);
  apex_result result = claim_locked(s, meta, actors, ring, reset, found, error);
  pthread_mutex_unlock(&s->m->lock);
  return result;
}

static apex_result begin(apex_store *base, const int64_t *bases, sixer_error *error) {
  (void)error;
  apex_memory *m = ((memory_store *)base)->m;
  pthread_mutex_lock(&m->lock);
  m->epoch++;
  for (int i = 0; i < m->actors; i++) {
    m->slots[i].head = (apex_head){.base = bases[i]};
    m->slots[i].owner = NULL;
    m->slots[i].taken = 0;
  }
  pthread_mutex_unlock(&m->lock);
  return APEX_OK;
}

static apex_result heads(apex_store *base, apex_head *out, sixer_error *error) {
  (void)error;
  apex_memory *m = ((memory_store *)base)->m;
  pthread_mutex_lock(&m->lock);
  for (int i = 0; i < m->actors; i++) {
    out[i] = m->slots[i].head;
    out[i].alive = m->slots[i].owner != NULL;
    out[i].epoch = (uint64_t)m->epoch;
  }
  pthread_mutex_unlock(&m->lock);
  return APEX_OK;
}

static apex_result blocks(apex_store *base, int actor, int64_t first, int count,
                          bool (*take)(void *context, const uint8_t *bytes, size_t size),
                          void *context, sixer_error *error) {
  apex_memory *m = ((memory_store *)base)->m;
  apex_result result = APEX_OK;
  pthread_mutex_lock(&m->lock);
  const slot *l = &m->slots[actor];
  if (first < 0 || first + count > l->head.blocks || first < l->head.blocks - m->ring)
    result = APEX_ABSENT;
  for (int i = 0; i < count && result == APEX_OK; i++) {
    const bytes *b = &l->ring[(first + i) % m->ring];
    if (!take(context, b->data, b->size)) result = refused(error, "a block cannot be read");
  }
  pthread_mutex_unlock(&m->lock);
  return result;
}

static apex_result publish(apex_store *base, int64_t version, const uint8_t *data, size_t size,
                           int keep, sixer_error *error) {
  apex_memory *m = ((memory_store *)base)->m;
  apex_result result = APEX_OK;
  if (keep > VERSIONS) keep = VERSIONS;
  pthread_mutex_lock(&m->lock);
  int oldest = 0;
  for (int i = 0; i < keep; i++) {
    if (m->kept[i].weights.data && m->kept[i].version == version) {
      oldest = i;
      break;
    }
    int64_t age = m->kept[i].weights.data ? m->kept[i].version : -1;
    int64_t best = m->kept[oldest].weights.data ? m->kept[oldest].version : -1;
    if (age < best) oldest = i;
  }
  if (copy(&m->kept[oldest].weights, data, size)) {
    m->kept[oldest].version = version;
    m->version = version;
  } else {
    result = refused(error, "out of memory for weights");
  }
  pthread_mutex_unlock(&m->lock);
  return result;
}

static apex_result note(apex_store *base, const int64_t *taken, bool finished, sixer_error *error) {
  (void)error;
  apex_memory *m = ((memory_store *)base)->m;
  pthread_mutex_lock(&m->lock);
  for (int i = 0; i < m->actors; i++) m->slots[i].taken = taken[i];
  m->finished = finished;
  pthread_mutex_unlock(&m->lock);
  return APEX_OK;
}

static apex_result usage(apex_store *base, apex_usage *out, sixer_error *error) {
  (void)error;
  apex_memory *m = ((memory_store *)base)->m;
  out->bytes = 0;
  pthread_mutex_lock(&m->lock);
  for (int i = 0; i < m->actors; i++) {
    for (int64_t k = 0; k < m->ring; k++) out->bytes += (int64_t)m->slots[i].ring[k].size;
  }
  pthread_mutex_unlock(&m->lock);
  return APEX_OK;
}

/* ---- Actors ---------------------------------------------------------------------------------------------------- */

static apex_result join_locked(memory_store *s, const char *meta, int *actor, apex_head *head,
                               sixer_error *error) {
  apex_memory *m = s->m;
  if (!m->meta[0] || m->version < 0) {
    sixer_fail(error, SIXER_ERR_STATE, "there is no learner yet");
    return APEX_LOST;
  }
  memcpy(s->base.meta_found, m->meta, sizeof m->meta);
  if (meta && strcmp(meta, m->meta) != 0)
    return refused(error, "the memory holds a run with other settings");
  for (int i = 0; i < m->actors; i++) {
    if ((*actor >= 0 && *actor != i) || (m->slots[i].owner && m->slots[i].owner != &s->base))
      continue;
    m->slots[i].owner = &s->base;
    s->actor = *actor = i;
    s->epoch = m->epoch;
    *head = m->slots[i].head;
    head->epoch = (uint64_t)m->epoch;
    return APEX_OK;
  }
  return refused(error, "every slice has an actor");
}

static apex_result join(apex_store *base, const char *meta, int *actor, apex_head *head,
                        sixer_error *error) {
  memory_store *s = (memory_store *)base;
  pthread_mutex_lock(&s->m->lock);
  apex_result result = join_locked(s, meta, actor, head, error);
  pthread_mutex_unlock(&s->m->lock);
  return result;
}

/* The lock is held. */
static apex_result tell(const memory_store *s, apex_news *news) {
  const apex_memory *m = s->m;
  if (s->epoch != m->epoch) return APEX_EPOCH;
  *news = (apex_news){
      .finished = m->finished, .taken = m->slots[s->actor].taken, .version = m->version};
  for (int i = 0; i < VERSIONS; i++) {
    if (m->kept[i].weights.data && m->kept[i].version == m->version)
      news->weights = (int64_t)m->kept[i].weights.size;
  }
  return APEX_OK;
}

static apex_result put(apex_store *base, apex_head *head, const uint8_t *data, size_t size,
                       apex_news *news, sixer_error *error) {
  memory_store *s = (memory_store *)base;
  apex_memory *m = s->m;
  pthread_mutex_lock(&m->lock);
  apex_result result = tell(s, news);
  if (result == APEX_OK) {
    slot *l = &m->slots[s->actor];
    if (copy(&l->ring[head->blocks % m->ring], data, size)) {
      head->blocks++;
      l->head = *head;
    } else {
      result = refused(error, "out of memory for a block");
    }
  }
  pthread_mutex_unlock(&m->lock);
  return result;
}

static apex_result look(apex_store *base, apex_news *news, sixer_error *error) {
  (void)error;
  memory_store *s = (memory_store *)base;
  pthread_mutex_lock(&s->m->lock);
  apex_result result = tell(s, news);
  pthread_mutex_unlock(&s->m->lock);
  return result;
}

static apex_result fetch(apex_store *base, int64_t version, uint8_t *out, size_t size,
                         sixer_error *error) {
  (void)error;
  apex_memory *m = ((memory_store *)base)->m;
  apex_result result = APEX_ABSENT;
  pthread_mutex_lock(&m->lock);
  for (int i = 0; i < VERSIONS && result == APEX_ABSENT; i++) {
    const bytes *w = &m->kept[i].weights;
    if (!w->data || m->kept[i].version != version || w->size != size) continue;
    memcpy(out, w->data, size);
    result = APEX_OK;
  }
  pthread_mutex_unlock(&m->lock);
  return result;
}

static void close_store(apex_store *base) {
  memory_store *s = (memory_store *)base;
  apex_memory *m = s->m;
  pthread_mutex_lock(&m->lock);
  if (m->learner == base) m->learner = NULL;
  for (int i = 0; i < m->actors; i++) {
    if (m->slots[i].owner == base) m->slots[i].owner = NULL;
  }
  pthread_mutex_unlock(&m->lock);
  free(s);
}

static const apex_store_class memory_class = {.close = close_store,
                                              .claim = claim,
                                              .begin = begin,
                                              .heads = heads,
                                              .blocks = blocks,
                                              .publish = publish,
                                              .note = note,
                                              .usage = usage,
                                              .join = join,
                                              .put = put,
                                              .look = look,
                                              .fetch = fetch};

apex_store *apex_store_memory(apex_memory *m) {
  memory_store *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->base.class = &memory_class;
  s->m = m;
  s->actor = -1;
  return &s->base;
}
