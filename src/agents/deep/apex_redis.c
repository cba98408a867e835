/* The store of Ape-X in a Redis server. See apex_store.h.
 *
 * Keys, all below "sixer:RUN:":
 *
 *     meta               hash: format, text (the run's settings and protocol), actors, ring; written once
 *     epoch              a random number; another one is another history (apex_store.h)
 *     b:ACTOR:K          block number K modulo the ring of an actor (apex_block.h), written whole
 *     a:ACTOR            hash: base, blocks, version; changed in the same transaction as the block
 *     t:J, p:I           transitions and priorities, in the layout of the SABER paper (apex_saber_redis.c)
 *     w:VERSION:PIECE    weights in pieces of 256 KB; w:current (version and size) is set when all are there
 *     w:versions         set of the versions that have pieces
 *     l                  hash of the learner: finished, and how many blocks of each actor it has copied
 *     learner, actor:I   leases: who is there. They expire by the server's clock; no other clock is compared
 *
 * Every write is a transaction that watches the writer's lease (and the epoch): who has lost it writes nothing.
 * Whatever is read is checked for kind, size and range. Nothing outside of these keys is ever touched. */
#include "agents/deep/apex_store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/deep/apex_redis.h"
#include "agents/deep/apex_saber_redis.h"
#include "agents/deep/replay.h"
#include "sixer/apex.h"
#include "util/error.h"
#include "util/os.h"

#ifndef SIXER_HAVE_REDIS

bool sixer_apex_has_redis(void) { return false; }

sixer_err apex_store_redis(const char *url, const char *password_file, const char *authority,
                           const char *run, double timeout, apex_store **out, sixer_error *error) {
  (void)url;
  (void)password_file;
  (void)authority;
  (void)run;
  (void)timeout;
  (void)out;
  return sixer_fail(error, SIXER_ERR_ARGUMENT,
                    "this build has no client for Redis: install hiredis (Debian: libhiredis-dev "
                    "libssl-dev redis-server, or scripts/setup) and build again");
}

#else

bool sixer_apex_has_redis(void) { return true; }

enum { PIECE = 256 << 10, SCAN_ROUNDS = 1 << 20 };
#define FORMAT    "1"
#define RING_MAX  (INT64_C(1) << 40)
#define COUNT_MAX (INT64_C(1) << 50)

/* ---- The learner ----------------------------------------------------------------------------------------------- */

static int64_t info_number(const char *info, const char *name) {
  const char *at = strstr(info, name);
  return at ? strtoll(at + strlen(name), NULL, 10) : -1;
}

static apex_result get_info(redis_store *s, char *info, size_t size, sixer_error *error) {
  link_add(s->link, "INFO", "memory", NULL);
  redisReply *r;
  if (!link_expect(s->link, REDIS_REPLY_STRING, &r, error)) return redis_failure(error);
  snprintf(info, size, "%.*s", (int)(r->len < size ? r->len : size - 1), r->str);
  freeReplyObject(r);
  return APEX_OK;
}

/* Can the server hold the blocks, and will it keep them? */
static apex_result check_server(redis_store *s, int actors, int64_t ring, sixer_error *error) {
  char info[8192];
  apex_result result = get_info(s, info, sizeof info, error);
  if (result != APEX_OK) return result;
  int64_t limit = info_number(info, "\nmaxmemory:"), used = info_number(info, "\nused_memory:");
  if (limit <= 0) return APEX_OK;
  const char *policy = strstr(info, "\nmaxmemory_policy:");
  if (policy && strncmp(policy + 18, "noeviction", 10) != 0) {
    sixer_fail(error, SIXER_ERR_STATE,
               "the server removes keys when its memory is full (maxmemory-policy %.*s): it would "
               "lose steps in silence. Set maxmemory-policy noeviction",
               (int)strcspn(policy + 18, "\r\n"), policy + 18);
    return APEX_REFUSED;
  }
  /* 32 steps of a block at 1 KB each: more than most games take. Records of 84 x 84 pixels take 8 KB */
  const saber_shape *records = s->base.saber;
  int64_t needed = records ? records->room * actors * 8000 : ring * actors * 32 * 1000;
  if (limit - used >= needed) return APEX_OK;
  sixer_fail(error, SIXER_ERR_STATE,
             "the server may use %.1f MB more (maxmemory), and the steps of this run may come to "
             "%.0f MB: raise maxmemory, or choose a smaller memory",
             (double)(limit - used) * 1e-6, (double)needed * 1e-6);
  return APEX_REFUSED;
}

/* Look for keys of the run; remove them, or only count those that are not leases. */
static apex_result scan(redis_store *s, bool clear, int64_t *count, sixer_error *error) {
  char pattern[REDIS_KEY], cursor[24] = "0", lease[REDIS_KEY], leases[REDIS_KEY];
  redis_key(s, pattern, "*");
  redis_key(s, lease, "learner");
  redis_key(s, leases, "actor:");
  *count = 0;
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
      if (!name[0] || !strcmp(name, lease)) continue;
      if (clear) {
        link_add(s->link, "UNLINK", name, NULL);
        removed++;
      } else if (strncmp(name, leases, strlen(leases)) != 0) {
        ++*count;
      }
    }
    freeReplyObject(r);
    if (!link_skip(s->link, removed, error)) return redis_failure(error);
  } while (cursor[0] && strcmp(cursor, "0") != 0);
  return APEX_OK;
}

static apex_result differs(const char *found, const char *meta, const char *run,
                           sixer_error *error) {
  while (*found && *found == *meta) found++, meta++;
  /* back to the begin of the line is not needed: the rest of both lines says it */
  sixer_fail(error, SIXER_ERR_STATE,
             "run '%s' in the server has other settings: there '%.*s', here '%.*s'. Another --run "
             "keeps both, --reset removes what is there",
             run, (int)strcspn(found, "\n") > 120 ? 120 : (int)strcspn(found, "\n"), found,
             (int)strcspn(meta, "\n") > 120 ? 120 : (int)strcspn(meta, "\n"), meta);
  return APEX_REFUSED;
}

/* Read `meta` of the server: *found, format, text, actors, ring. */
static apex_result read_meta(redis_store *s, bool *found, char *text, int64_t *actors,
                             int64_t *ring, sixer_error *error) {
  char k[REDIS_KEY], format[24];
  redisReply *r;
  link_add(s->link, "HMGET", redis_key(s, k, "meta"), "format", "text", "actors", "ring", NULL);
  if (!link_expect(s->link, REDIS_REPLY_ARRAY, &r, error)) return redis_failure(error);
  const redisReply *first = redis_element(r, 0);
  *found = first && first->type != REDIS_REPLY_NIL;
  redis_text_of(first, format, sizeof format);
  redis_text_of(redis_element(r, 1), text, APEX_META);
  *actors = redis_number_of(redis_element(r, 2), REPLAY_SLICES_MAX);
  *ring = redis_number_of(redis_element(r, 3), RING_MAX);
  freeReplyObject(r);
  if (!*found) return APEX_OK;
  if (strcmp(format, FORMAT) != 0) {
    sixer_fail(error, SIXER_ERR_STATE,
               "run '%s' in the server was made by another version: its format is '%.20s', this is "
               "%s. Another --run keeps both, --reset removes what is there",
               s->run, format, FORMAT);
    return APEX_REFUSED;
  }
  if (!text[0] || *actors < 1 || *ring < 1) return redis_damaged(s, "the description", error);
  return APEX_OK;
}

/* Forget the weights of an earlier learner. */
static apex_result clear_weights(redis_store *s, sixer_error *error) {
  char k[REDIS_KEY], current[REDIS_KEY];
  redisReply *r;
  link_add(s->link, "SMEMBERS", redis_key(s, k, "w:versions"), NULL);
  if (!link_expect(s->link, REDIS_REPLY_ARRAY, &r, error)) return redis_failure(error);
  int removed = 0;
  for (size_t i = 0; i < r->elements && i < 1000; i++) {
    int64_t version = redis_number_of(r->element[i], COUNT_MAX);
    for (int piece = 0; version >= 0 && piece < 1024; piece++) {
      char name[REDIS_KEY];
      link_add(s->link, "UNLINK", redis_key(s, name, "w:%" PRId64 ":%d", version, piece), NULL);
      removed++;
    }
  }
  freeReplyObject(r);
  link_add(s->link, "UNLINK", k, redis_key(s, current, "w:current"), NULL);
  s->version_count = 0;
  return link_skip(s->link, removed + 1, error) ? APEX_OK : redis_failure(error);
}

static apex_result claim(apex_store *base, const char *meta, int actors, int64_t ring, bool reset,
                         bool *found, sixer_error *error) {
  redis_store *s = (redis_store *)base;
  char holder[REDIS_TOKEN], k[REDIS_KEY], number[24], count[24];
  bool taken;
  if (!link_ready(s->link, error)) return redis_failure(error);
  apex_result result = check_server(s, actors, ring, error);
  if (result != APEX_OK) return result;
  if (!redis_take_lease(s, "learner", &taken, holder, error)) return redis_failure(error);
  if (!taken) {
    sixer_fail(error, SIXER_ERR_STATE,
               "run '%s' in the server has a learner already (%.100s); it is given up %d seconds "
               "after its last sign of life",
               s->run, holder[0] ? holder : "just now", atoi(REDIS_LEASE) / 1000);
    return APEX_REFUSED;
  }
  s->learner = true;
  int64_t there, actors_found = 0, ring_found = 0;
  if (reset && (result = scan(s, true, &there, error)) != APEX_OK) return result;
  char *text = base->meta_found;
  result = read_meta(s, found, text, &actors_found, &ring_found, error);
  if (result != APEX_OK) return result;
  if (*found && strcmp(text, meta) != 0) return differs(text, meta, s->run, error);
  if (*found && (actors_found != actors || ring_found != ring))
    return redis_damaged(s, "the description", error);
  if (!*found) {
    result = scan(s, false, &there, error);
    if (result != APEX_OK) return result;
    if (there)
      return redis_refused(
          error,
          "the server has keys under the name of this run, but no run of sixer: another "
          "--run leaves them alone, --reset removes them");
    link_add(s->link, "HSET", redis_key(s, k, "meta"), "format", FORMAT, "text", meta, "actors",
             redis_decimal(count, actors), "ring", redis_decimal(number, ring), NULL);
    if (!link_skip(s->link, 1, error)) return redis_failure(error);
  }
  s->actors = actors;
  s->ring = ring;
  link_add(s->link, "GET", redis_key(s, k, "epoch"), NULL);
  if (!redis_get_text(s, s->epoch, sizeof s->epoch, error)) return redis_failure(error);
  *found = s->epoch[0] != 0;
  return clear_weights(s, error);
}

static apex_result begin(apex_store *base, const int64_t *bases, sixer_error *error) {
  redis_store *s = (redis_store *)base;
  char k[REDIS_KEY], number[24];
  uint64_t epoch = 0;
  bool done;
  if (!os_random(&epoch, sizeof epoch, true))
    return redis_refused(error, "there are no random numbers");
  snprintf(s->epoch, sizeof s->epoch, "%016" PRIx64, epoch | 1);
  link_add(s->link, "MULTI", NULL);
  link_add(s->link, "SET", redis_key(s, k, "epoch"), s->epoch, NULL);
  link_add(s->link, "DEL", redis_key(s, k, "l"), NULL);
  for (int i = 0; i < s->actors; i++)
    link_add(s->link, "HSET", redis_key(s, k, "a:%d", i), "base", redis_decimal(number, bases[i]),
             "blocks", "0", "version", "0", NULL);
  if (!redis_finish(s, 2 + s->actors, &done, error)) return redis_failure(error);
  return APEX_OK;
}

/* base, blocks and version out of a reply; false if they cannot be. */
static bool read_head(const redisReply *r, const char *epoch, apex_head *head) {
  head->base = redis_number_of(redis_element(r, 0), COUNT_MAX);
  head->blocks = redis_number_of(redis_element(r, 1), COUNT_MAX);
  head->version = redis_number_of(redis_element(r, 2), COUNT_MAX);
  head->epoch = strtoull(epoch, NULL, 16);
  return head->base >= 0 && head->blocks >= 0 && head->version >= 0;
}

static apex_result heads(apex_store *base, apex_head *out, sixer_error *error) {
  redis_store *s = (redis_store *)base;
  char k[REDIS_KEY], epoch[24];
  if (!link_connected(s->link)) return redis_lost(error, "the connection was lost");
  link_add(s->link, "GET", redis_key(s, k, "epoch"), NULL);
  for (int i = 0; i < s->actors; i++) {
    link_add(s->link, "HMGET", redis_key(s, k, "a:%d", i), "base", "blocks", "version", NULL);
    link_add(s->link, "EXISTS", redis_key(s, k, "actor:%d", i), NULL);
  }
  if (!redis_get_text(s, epoch, sizeof epoch, error)) return redis_failure(error);
  bool good = true;
  for (int i = 0; i < s->actors; i++) {
    redisReply *r, *alive;
    if (!link_expect(s->link, REDIS_REPLY_ARRAY, &r, error)) return redis_failure(error);
    good = read_head(r, epoch, &out[i]) && good;
    freeReplyObject(r);
    if (!link_expect(s->link, REDIS_REPLY_INTEGER, &alive, error)) return redis_failure(error);
    out[i].alive = alive->integer != 0;
    freeReplyObject(alive);
  }
  if (strcmp(epoch, s->epoch) != 0) {
    sixer_fail(error, SIXER_ERR_STATE, "the server has lost the run, or another learner took it");
    return APEX_EPOCH;
  }
  return good ? APEX_OK : redis_damaged(s, "the head of an actor", error);
}

static apex_result blocks(apex_store *base, int actor, int64_t first, int count,
                          bool (*take)(void *context, const uint8_t *bytes, size_t size),
                          void *context, sixer_error *error) {
  redis_store *s = (redis_store *)base;
  char k[REDIS_KEY];
  for (int i = 0; i < count; i++)
    link_add(s->link, "GET", redis_key(s, k, "b:%d:%" PRId64, actor, (first + i) % s->ring), NULL);
  apex_result result = APEX_OK;
  for (int i = 0; i < count; i++) {
    redisReply *r;
    if (!link_reply(s->link, &r, error)) return redis_failure(error);
    if (result == APEX_OK && r->type == REDIS_REPLY_NIL) result = APEX_ABSENT;
    if (result == APEX_OK &&
        (r->type != REDIS_REPLY_STRING || !take(context, (const uint8_t *)r->str, (size_t)r->len)))
      result = APEX_REFUSED;
    freeReplyObject(r);
  }
  return result == APEX_REFUSED ? redis_damaged(s, "a block", error) : result;
}

static int pieces_of(size_t size) { return (int)((size + PIECE - 1) / PIECE); }

static apex_result publish(apex_store *base, int64_t version, const uint8_t *bytes, size_t size,
                           int keep, sixer_error *error) {
  redis_store *s = (redis_store *)base;
  char k[REDIS_KEY], v[REDIS_KEY], text[60], number[24];
  const int pieces = pieces_of(size);
  if (!link_connected(s->link)) return redis_lost(error, "the connection was lost");
  link_add(s->link, "SADD", redis_key(s, v, "w:versions"), redis_decimal(number, version), NULL);
  if (!link_skip(s->link, 1, error)) return redis_failure(error);
  for (int i = 0; i < pieces;
       i++) { /* two on their way, so that others get their turn between them */
    size_t at = (size_t)i * PIECE, part = size - at < PIECE ? size - at : PIECE;
    redis_key(s, k, "w:%" PRId64 ":%d", version, i);
    const char *arguments[3] = {"SET", k, (const char *)bytes + at};
    const size_t sizes[3] = {3, strlen(k), part};
    link_add_sized(s->link, 3, arguments, sizes);
    if (i > 0 && !link_skip(s->link, 1, error)) return redis_failure(error);
  }
  if (pieces && !link_skip(s->link, 1, error)) return redis_failure(error);
  apex_result result = redis_watch_learner(s, error);
  if (result != APEX_OK) return result;
  snprintf(text, sizeof text, "%" PRId64 " %zu", version, size);
  link_add(s->link, "MULTI", NULL);
  link_add(s->link, "SET", redis_key(s, k, "w:current"), text, NULL);
  result = redis_learner_writes(s, 1, error);
  if (result != APEX_OK) return result;
  if (!s->version_count || s->versions[s->version_count - 1] != version)
    s->versions[s->version_count++] = version;
  int removed = 0;
  while (s->version_count > keep || s->version_count == REDIS_VERSIONS) {
    for (int i = 0; i < pieces; i++, removed++)
      link_add(s->link, "UNLINK", redis_key(s, k, "w:%" PRId64 ":%d", s->versions[0], i), NULL);
    link_add(s->link, "SREM", v, redis_decimal(number, s->versions[0]), NULL);
    removed++;
    memmove(s->versions, s->versions + 1, (size_t)--s->version_count * sizeof *s->versions);
  }
  return link_skip(s->link, removed, error) ? APEX_OK : redis_failure(error);
}

static apex_result note(apex_store *base, const int64_t *taken, bool finished, sixer_error *error) {
  redis_store *s = (redis_store *)base;
  char k[REDIS_KEY], field[40], number[24];
  apex_result result = redis_watch_learner(s, error);
  if (result != APEX_OK) return result;
  link_add(s->link, "MULTI", NULL);
  redis_key(s, k, "l");
  link_add(s->link, "HSET", k, "finished", finished ? "1" : "0", NULL);
  for (int i = 0; i < s->actors; i++) {
    snprintf(field, sizeof field, "taken:%d", i);
    link_add(s->link, "HSET", k, field, redis_decimal(number, taken[i]), NULL);
  }
  return redis_learner_writes(s, 1 + s->actors, error);
}

static apex_result usage(apex_store *base, apex_usage *out, sixer_error *error) {
  redis_store *s = (redis_store *)base;
  char info[8192];
  apex_result result = get_info(s, info, sizeof info, error);
  int64_t used = result == APEX_OK ? info_number(info, "\nused_memory:") : 0;
  out->bytes = used > 0 ? used : 0;
  return result;
}

/* ---- Actors ---------------------------------------------------------------------------------------------------- */

static apex_result take_slice(redis_store *s, int *actor, sixer_error *error) {
  char name[24], holder[REDIS_TOKEN] = "";
  const int wanted = *actor;
  if (wanted >= s->actors) {
    sixer_fail(error, SIXER_ERR_ARGUMENT, "the run has actors 0 to %d, and no actor %d",
               s->actors - 1, wanted);
    return APEX_REFUSED;
  }
  for (int i = wanted >= 0 ? wanted : 0; i < s->actors && (wanted < 0 || i == wanted); i++) {
    bool taken;
    snprintf(name, sizeof name, "actor:%d", i);
    if (!redis_take_lease(s, name, &taken, holder, error)) return redis_failure(error);
    if (!taken) continue;
    s->actor = *actor = i;
    return APEX_OK;
  }
  char text[400];
  if (wanted >= 0)
    snprintf(text, sizeof text, "actor %d is there already: %.150s", wanted, holder);
  else
    snprintf(text, sizeof text, "all %d actors of the run are there already", s->actors);
  return redis_lost(error, text); /* a lease may run out */
}

static apex_result join(apex_store *base, const char *meta, int *actor, apex_head *head,
                        sixer_error *error) {
  redis_store *s = (redis_store *)base;
  char k[REDIS_KEY], e[REDIS_KEY], current[60];
  bool found = false;
  int64_t actors;
  if (!link_ready(s->link, error)) return redis_failure(error);
  apex_result result = read_meta(s, &found, base->meta_found, &actors, &s->ring, error);
  if (result != APEX_OK) return result;
  link_add(s->link, "GET", redis_key(s, e, "epoch"), NULL);
  link_add(s->link, "GET", redis_key(s, k, "w:current"), NULL);
  if (!redis_get_text(s, s->epoch, sizeof s->epoch, error) ||
      !redis_get_text(s, current, sizeof current, error))
    return redis_failure(error);
  if (!found || !s->epoch[0] || !current[0]) {
    char text[160];
    snprintf(text, sizeof text, "there is no learner of run '%s' in the server", s->run);
    return redis_lost(error, text);
  }
  if (meta && strcmp(meta, base->meta_found) != 0)
    return redis_refused(error, "the server has another run under this name now");
  s->actors = (int)actors;
  result = take_slice(s, actor, error);
  if (result != APEX_OK) return result;
  redisReply *r;
  link_add(s->link, "HMGET", redis_key(s, k, "a:%d", *actor), "base", "blocks", "version", NULL);
  if (!link_expect(s->link, REDIS_REPLY_ARRAY, &r, error)) return redis_failure(error);
  bool good = read_head(r, s->epoch, head);
  freeReplyObject(r);
  return good ? APEX_OK : redis_damaged(s, "the head of the actor", error);
}

/* Ask for lease, epoch, and what the learner tells; `watched`: lease and epoch must stay as they are. */
static apex_result ask(redis_store *s, bool watched, apex_news *news, sixer_error *error) {
  char a[REDIS_KEY], e[REDIS_KEY], k[REDIS_KEY], field[40], holder[REDIS_TOKEN], epoch[24],
      current[60];
  if (!link_connected(s->link)) return redis_lost(error, "the connection was lost");
  redis_key(s, a, "actor:%d", s->actor);
  redis_key(s, e, "epoch");
  snprintf(field, sizeof field, "taken:%d", s->actor);
  if (watched) link_add(s->link, "WATCH", a, e, NULL);
  link_add(s->link, "GET", a, NULL);
  link_add(s->link, "GET", e, NULL);
  link_add(s->link, "HMGET", redis_key(s, k, "l"), "finished", field, NULL);
  link_add(s->link, "GET", redis_key(s, k, "w:current"), NULL);
  redisReply *r;
  if (!link_skip(s->link, watched ? 1 : 0, error) ||
      !redis_get_text(s, holder, sizeof holder, error) ||
      !redis_get_text(s, epoch, sizeof epoch, error) ||
      !link_expect(s->link, REDIS_REPLY_ARRAY, &r, error))
    return redis_failure(error);
  int64_t finished = redis_number_of(redis_element(r, 0), 1),
          taken = redis_number_of(redis_element(r, 1), COUNT_MAX);
  freeReplyObject(r);
  if (!redis_get_text(s, current, sizeof current, error)) return redis_failure(error);
  *news = (apex_news){.finished = finished == 1, .taken = taken > 0 ? taken : 0, .version = -1};
  int64_t version, size;
  if (sscanf(current, "%18" SCNd64 " %18" SCNd64, &version, &size) == 2 && version >= 0 &&
      size >= 0) {
    news->version = version;
    news->weights = size;
  }
  if (strcmp(epoch, s->epoch) != 0) {
    link_drop(s->link);
    sixer_fail(error, SIXER_ERR_STATE, "the learner has begun anew");
    return APEX_EPOCH;
  }
  if (!strcmp(holder, s->token)) return APEX_OK;
  link_drop(s->link);
  return redis_lost(error, holder[0] ? "another actor has taken the slice" : "the lease ran out");
}

static apex_result put(apex_store *base, apex_head *head, const uint8_t *bytes, size_t size,
                       apex_news *news, sixer_error *error) {
  redis_store *s = (redis_store *)base;
  char k[REDIS_KEY], a[REDIS_KEY], lease[REDIS_KEY], number[24], version[24];
  apex_result result = ask(s, true, news, error);
  if (result != APEX_OK) return result;
  saber_writing *w = NULL;
  if (base->saber) {
    result = saber_prepare(s, bytes, size, &w, error);
    if (result != APEX_OK) return result;
    bytes = w->bytes;
    size = w->size;
  }
  redis_key(s, k, "b:%d:%" PRId64, s->actor, head->blocks % s->ring);
  const char *arguments[3] = {"SET", k, (const char *)bytes};
  const size_t sizes[3] = {3, strlen(k), size};
  bool done;
  link_add(s->link, "MULTI", NULL);
  link_add_sized(s->link, 3, arguments, sizes);
  link_add(s->link, "HSET", redis_key(s, a, "a:%d", s->actor), "blocks",
           redis_decimal(number, head->blocks + 1), "version",
           redis_decimal(version, head->version), NULL);
  link_add(s->link, "PEXPIRE", redis_key(s, lease, "actor:%d", s->actor), REDIS_LEASE, NULL);
  const int records = w ? saber_write(s, w) : 0;
  saber_written(w);
  if (!redis_finish(s, 3 + records, &done, error)) return redis_failure(error);
  if (!done) {
    link_drop(s->link);
    return redis_lost(error, "the slice was taken by another actor, or the learner began anew");
  }
  head->blocks++;
  return APEX_OK;
}

static apex_result look(apex_store *base, apex_news *news, sixer_error *error) {
  redis_store *s = (redis_store *)base;
  char k[REDIS_KEY];
  bool done;
  apex_result result = ask(s, true, news, error);
  if (result != APEX_OK) return result;
  link_add(s->link, "MULTI", NULL);
  link_add(s->link, "PEXPIRE", redis_key(s, k, "actor:%d", s->actor), REDIS_LEASE, NULL);
  if (!redis_finish(s, 1, &done, error)) return redis_failure(error);
  if (done) return APEX_OK;
  link_drop(s->link);
  return redis_lost(error, "the lease ran out");
}

static apex_result fetch(apex_store *base, int64_t version, uint8_t *bytes, size_t size,
                         sixer_error *error) {
  redis_store *s = (redis_store *)base;
  char k[REDIS_KEY];
  const int pieces = pieces_of(size);
  if (!link_connected(s->link)) return redis_lost(error, "the connection was lost");
  apex_result result = APEX_OK;
  int asked = 0;
  for (int i = 0; i < pieces && (result == APEX_OK || i < asked); i++) {
    for (; result == APEX_OK && asked < pieces && asked < i + 2; asked++)
      link_add(s->link, "GET", redis_key(s, k, "w:%" PRId64 ":%d", version, asked), NULL);
    redisReply *r;
    if (!link_reply(s->link, &r, error)) return redis_failure(error);
    size_t at = (size_t)i * PIECE, part = size - at < PIECE ? size - at : PIECE;
    if (r->type == REDIS_REPLY_STRING && (size_t)r->len == part)
      memcpy(bytes + at, r->str, part);
    else
      result = APEX_ABSENT; /* not published yet, or replaced by a newer one */
    freeReplyObject(r);
  }
  return result;
}

static void close_store(apex_store *base) {
  redis_store *s = (redis_store *)base;
  sixer_error ignored;
  char name[24], k[REDIS_KEY], holder[REDIS_TOKEN];
  /* give the lease back, if it is ours */
  if (link_connected(s->link) && (s->learner || s->actor >= 0)) {
    snprintf(name, sizeof name, s->learner ? "learner" : "actor:%d", s->actor);
    link_add(s->link, "WATCH", redis_key(s, k, "%s", name), NULL);
    link_add(s->link, "GET", k, NULL);
    bool done;
    if (link_skip(s->link, 1, &ignored) && redis_get_text(s, holder, sizeof holder, &ignored) &&
        !strcmp(holder, s->token)) {
      link_add(s->link, "MULTI", NULL);
      link_add(s->link, "DEL", k, NULL);
      redis_finish(s, 1, &done, &ignored);
    }
  }
  link_destroy(s->link);
  free(s);
}

static const apex_store_class redis_class = {.close = close_store,
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
                                             .fetch = fetch,
                                             .saber = &saber_redis_class};

sixer_err apex_store_redis(const char *url, const char *password_file, const char *authority,
                           const char *run, double timeout, apex_store **out, sixer_error *error) {
  link_address address;
  sixer_err err = link_parse(url, &address, error);
  if (!err) err = link_password(password_file, &address, error);
  if (err) return err;
  address.timeout = timeout;
  snprintf(address.authority, sizeof address.authority, "%s", authority ? authority : "");
  redis_store *s = calloc(1, sizeof *s);
  if (s) s->link = link_create(&address);
  os_forget(address.password, sizeof address.password);
  if (!s || !s->link) {
    free(s);
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a connection");
  }
  s->base.class = &redis_class;
  snprintf(s->run, sizeof s->run, "%s", run);
  s->actor = -1;
  redis_make_token(s->token);
  *out = &s->base;
  return SIXER_OK;
}

#endif
