/* The layout of the SABER paper's program in a Redis server (apex_saber.h). Keys, below "sixer:RUN:":
 *
 *     t:J      hash of transition J = actor x room + step % room: step (its number among those of the actor), timestep
 *              (in its episode), state (the frame), action, reward, nonterminal
 *     p:I      node I of the tree of priorities, a number as text. 0 is the root, 2I+1 and 2I+2 are the children of I,
 *              transition J is node leaves - 1 + J
 *     p:max    the largest priority that the learner has set
 *
 * A priority is changed by adding the difference to its leaf and to all nodes above (INCRBYFLOAT), so that leaf and
 * sums agree whoever else adds to them meanwhile. The difference is that from the value which was read before: if
 * learner and actor write the same leaf at the same time, it is wrong until it is written again, as in the published
 * program. */
#include "agents/deep/apex_saber_redis.h"

#ifdef SIXER_HAVE_REDIS

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

enum { SCAN_ROUNDS = 1 << 20, FIELDS = 6 };
#define STEP_MAX (INT64_C(1) << 50)

/* A priority: nothing is 0. False if the reply is no finite number. */
static bool value_of(const redisReply *r, double *out) {
  char text[64], *end;
  *out = 0;
  if (r->type == REDIS_REPLY_NIL) return true;
  redis_text_of(r, text, sizeof text);
  if (!text[0]) return false;
  *out = strtod(text, &end);
  return !*end && isfinite(*out);
}

static apex_result get_value(redis_store *s, double *out, sixer_error *error) {
  redisReply *r;
  if (!link_reply(s->link, &r, error)) return redis_failure(error);
  bool good = value_of(r, out);
  freeReplyObject(r);
  return good ? APEX_OK : redis_damaged(s, "a priority", error);
}

static void ask_node(redis_store *s, int64_t node) {
  char k[REDIS_KEY];
  link_add(s->link, "GET", redis_key(s, k, "p:%" PRId64, node), NULL);
}

/* Add to a leaf and to all nodes above it; returns the number of commands. */
static int add_priority(redis_store *s, const saber_shape *h, int64_t record, double difference) {
  char k[REDIS_KEY], by[40];
  int count = 0;
  snprintf(by, sizeof by, "%.17g", difference);
  for (int64_t node = h->leaves - 1 + record;; node = (node - 1) / 2) {
    link_add(s->link, "INCRBYFLOAT", redis_key(s, k, "p:%" PRId64, node), by, NULL);
    count++;
    if (node == 0) return count;
  }
}

/* ---- Writing a block ------------------------------------------------------------------------------------------- */

void saber_written(saber_writing *w) {
  if (!w) return;
  free((void *)w->bytes);
  free(w->frame);
  free(w);
}

static saber_place place_of(const redis_store *s, const saber_writing *w, int i) {
  return (saber_place){s->actor, w->block.first + i};
}

apex_result saber_prepare(redis_store *s, const uint8_t *bytes, size_t size, saber_writing **out,
                          sixer_error *error) {
  const saber_shape *h = s->base.saber;
  const apex_form without = saber_block_form(&h->form);
  saber_writing *w = calloc(1, sizeof *w);
  uint8_t *slim = malloc(apex_block_bound(&without));
  if (w) w->frame = calloc(1, (size_t)h->form.width * (size_t)h->form.height);
  if (!w || !slim || !w->frame) {
    free(slim);
    saber_written(w);
    return redis_refused(error, "out of memory for a block");
  }
  w->bytes = slim;
  apex_result result = APEX_OK;
  if (!apex_block_read(&h->form, bytes, size, &w->block))
    result = redis_refused(error, "a block of the actor cannot be read");
  char k[REDIS_KEY];
  if (result == APEX_OK) {
    w->size = apex_block_write(&without, &w->block, w->frame, slim);
    for (int i = 0; i < w->block.count; i++)
      ask_node(s, h->leaves - 1 + saber_record(h, place_of(s, w, i)));
    link_add(s->link, "GET", redis_key(s, k, "p:max"), NULL);
  }
  for (int i = 0; i <= w->block.count && result == APEX_OK; i++)
    result = get_value(s, i < w->block.count ? &w->before[i] : &w->highest, error);
  if (!(w->highest > 0)) w->highest = 1;
  if (result == APEX_OK)
    *out = w;
  else
    saber_written(w);
  return result;
}

int saber_write(redis_store *s, saber_writing *w) {
  const saber_shape *h = s->base.saber;
  const uint8_t *code = w->block.codes;
  const size_t size = (size_t)h->form.width * (size_t)h->form.height;
  int count = 0;
  for (int i = 0; i < w->block.count; i++) {
    const apex_step *step = &w->block.steps[i];
    const saber_place place = place_of(s, w, i);
    char k[REDIS_KEY], number[24], timestep[24], action[24], reward[40];
    apex_block_frame(&h->form, &w->block, i, &code, w->frame);
    s->timestep = step->flags & APEX_FIRST ? 0 : s->timestep + 1;
    snprintf(action, sizeof action, "%d", step->action);
    snprintf(reward, sizeof reward, "%.9g", (double)step->reward);
    const char *words[] = {"HSET",        redis_key(s, k, "t:%" PRId64, saber_record(h, place)),
                           "step",        redis_decimal(number, place.step),
                           "timestep",    redis_decimal(timestep, s->timestep),
                           "state",       (const char *)w->frame,
                           "action",      action,
                           "reward",      reward,
                           "nonterminal", step->flags & APEX_TERMINAL ? "0" : "1"};
    enum { WORDS = sizeof words / sizeof words[0], STATE = 7 };
    size_t sizes[WORDS];
    for (int j = 0; j < WORDS; j++) sizes[j] = j == STATE ? size : strlen(words[j]);
    link_add_sized(s->link, WORDS, words, sizes);
    double priority = step->priority >= 0 ? (double)step->priority : w->highest;
    count += 1 + add_priority(s, h, saber_record(h, place), priority - w->before[i]);
  }
  return count;
}

/* ---- Drawing --------------------------------------------------------------------------------------------------- */

static apex_result saber_clear(apex_store *base, sixer_error *error) {
  redis_store *s = (redis_store *)base;
  static const char *const kinds[] = {"t:*", "p:*"};
  for (int kind = 0; kind < 2; kind++) {
    char pattern[REDIS_KEY], cursor[24] = "0";
    redis_key(s, pattern, "%s", kinds[kind]);
    int rounds = 0;
    do {
      redisReply *r;
      if (++rounds > SCAN_ROUNDS) return redis_damaged(s, "the list of the keys", error);
      link_add(s->link, "SCAN", cursor, "MATCH", pattern, "COUNT", "1000", NULL);
      if (!link_expect(s->link, REDIS_REPLY_ARRAY, &r, error)) return redis_failure(error);
      const redisReply *list = redis_element(r, 1);
      redis_text_of(redis_element(r, 0), cursor, sizeof cursor);
      int removed = 0;
      for (size_t i = 0; list && list->type == REDIS_REPLY_ARRAY && i < list->elements; i++) {
        char name[REDIS_KEY];
        redis_text_of(list->element[i], name, sizeof name);
        /* the pattern's own begin: a server that answers with other keys loses none */
        if (!name[0] || strncmp(name, pattern, strlen(pattern) - 1) != 0) continue;
        link_add(s->link, "UNLINK", name, NULL);
        removed++;
      }
      freeReplyObject(r);
      if (!link_skip(s->link, removed, error)) return redis_failure(error);
    } while (cursor[0] && strcmp(cursor, "0") != 0);
  }
  return APEX_OK;
}

static apex_result saber_find(apex_store *base, const saber_shape *h, const double *points,
                              int count, int64_t *records, double *priorities, double *total,
                              sixer_error *error) {
  redis_store *s = (redis_store *)base;
  if (!link_connected(s->link)) return redis_lost(error, "the connection was lost");
  ask_node(s, 0);
  apex_result result = get_value(s, total, error);
  if (result != APEX_OK) return result;
  if (!(*total > 0)) return APEX_ABSENT;
  double *left = priorities; /* of each point: what is left of it at its node */
  for (int i = 0; i < count; i++) {
    left[i] = points[i] * *total;
    records[i] = 0; /* the node, until the leaves are reached */
  }
  for (int64_t width = 1; width < h->leaves; width *= 2) {
    for (int i = 0; i < count; i++) ask_node(s, 2 * records[i] + 1);
    for (int i = 0; i < count; i++) {
      double sum = 0;
      result = get_value(s, &sum, error);
      if (result != APEX_OK) return result;
      const bool right = left[i] > sum;
      if (right) left[i] -= sum;
      records[i] = 2 * records[i] + 1 + right;
    }
  }
  for (int i = 0; i < count; i++) ask_node(s, records[i]);
  for (int i = 0; i < count && result == APEX_OK; i++) {
    records[i] -= h->leaves - 1;
    result = get_value(s, &priorities[i], error);
  }
  return result;
}

/* A record of step `step`; false if it is none, which is an answer that no actor can have caused. *there: it is that of
 * the step, and not of one before or after it. */
static bool read_row(const saber_shape *h, const redisReply *r, int64_t step, saber_row *row,
                     bool *there) {
  const redisReply *fields[FIELDS];
  if (r->type != REDIS_REPLY_ARRAY || r->elements != FIELDS) return false;
  for (size_t i = 0; i < FIELDS; i++) fields[i] = r->element[i];
  *there = false;
  if (fields[0]->type == REDIS_REPLY_NIL) return true;
  const int64_t number = redis_number_of(fields[0], STEP_MAX);
  const int64_t timestep = redis_number_of(fields[1], STEP_MAX);
  const int64_t action = redis_number_of(fields[3], h->form.actions - 1);
  const int64_t nonterminal = redis_number_of(fields[5], 1);
  double reward;
  if (number < 0 || timestep < 0 || action < 0 || nonterminal < 0 ||
      !value_of(fields[4], &reward) || fabs(reward) > 3e38 ||
      fields[2]->type != REDIS_REPLY_STRING ||
      (size_t)fields[2]->len != (size_t)h->form.width * (size_t)h->form.height)
    return false;
  *row = (saber_row){.first = timestep == 0,
                     .terminal = nonterminal == 0,
                     .action = (int)action,
                     .reward = (float)reward,
                     .frame = (const uint8_t *)fields[2]->str};
  *there = number == step;
  return true;
}

static apex_result saber_read(apex_store *base, const saber_shape *h, const saber_place *places,
                              int count, int length,
                              void (*take)(void *context, int place, int position,
                                           const saber_row *row),
                              void *context, sixer_error *error) {
  redis_store *s = (redis_store *)base;
  char k[REDIS_KEY];
  enum { AT_ONCE = 64 };                              /* places: the answers take some MB */
  for (int from = 0; from < count; from += AT_ONCE) { /* records before step 0: not asked for */
    const int to = from + AT_ONCE < count ? from + AT_ONCE : count;
    for (int i = from; i < to; i++) {
      for (int p = 0; p < length; p++) {
        const saber_place place = {places[i].actor, places[i].step + p};
        if (place.step < 0) continue;
        link_add(s->link, "HMGET", redis_key(s, k, "t:%" PRId64, saber_record(h, place)), "step",
                 "timestep", "state", "action", "reward", "nonterminal", NULL);
      }
    }
    for (int i = from; i < to; i++) {
      for (int p = 0; p < length; p++) {
        saber_row row;
        bool there = false;
        redisReply *r;
        if (places[i].step + p >= 0) {
          if (!link_expect(s->link, REDIS_REPLY_ARRAY, &r, error)) return redis_failure(error);
          bool good = read_row(h, r, places[i].step + p, &row, &there);
          take(context, i, p, good && there ? &row : NULL);
          freeReplyObject(r);
          if (!good) return redis_damaged(s, "a transition", error);
        } else {
          take(context, i, p, NULL);
        }
      }
    }
  }
  return APEX_OK;
}

static apex_result saber_set(apex_store *base, const saber_shape *h, const saber_place *places,
                             const double *priorities, int count, double highest,
                             sixer_error *error) {
  redis_store *s = (redis_store *)base;
  char k[REDIS_KEY], text[40];
  double *before = calloc((size_t)count, sizeof *before);
  bool *there = calloc((size_t)count, sizeof *there);
  if (!before || !there) {
    free(before);
    free(there);
    return redis_refused(error, "out of memory for priorities");
  }
  apex_result result = redis_watch_learner(s, error);
  for (int i = 0; i < count && result == APEX_OK; i++) {
    const int64_t record = saber_record(h, places[i]);
    link_add(s->link, "HGET", redis_key(s, k, "t:%" PRId64, record), "step", NULL);
    ask_node(s, h->leaves - 1 + record);
  }
  for (int i = 0; i < count && result == APEX_OK; i++) {
    redisReply *r;
    if (!link_reply(s->link, &r, error)) {
      result = redis_failure(error);
      break;
    }
    there[i] = redis_number_of(r, STEP_MAX) == places[i].step;
    freeReplyObject(r);
    result = get_value(s, &before[i], error);
  }
  if (result == APEX_OK) {
    int commands = 1;
    link_add(s->link, "MULTI", NULL);
    snprintf(text, sizeof text, "%.17g", highest);
    link_add(s->link, "SET", redis_key(s, k, "p:max"), text, NULL);
    for (int i = 0; i < count; i++) {
      if (there[i])
        commands += add_priority(s, h, saber_record(h, places[i]), priorities[i] - before[i]);
    }
    result = redis_learner_writes(s, commands, error);
  }
  free(before);
  free(there);
  return result;
}

const saber_class saber_redis_class = {saber_clear, saber_find, saber_read, saber_set};

#endif
