/* Keys, answers, transactions and leases of the Redis store. See apex_redis.h. */
#include "agents/deep/apex_redis.h"

#ifdef SIXER_HAVE_REDIS

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/os.h"

const char *redis_key(const redis_store *s, char out[REDIS_KEY], const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = snprintf(out, REDIS_KEY, "sixer:%s:", s->run);
  vsnprintf(out + n, (size_t)(REDIS_KEY - n), format, list);
  va_end(list);
  return out;
}

const char *redis_decimal(char out[24], int64_t value) {
  snprintf(out, 24, "%" PRId64, value);
  return out;
}

/* ---- Answers --------------------------------------------------------------------------------------------------- */

/* Was it the connection, which may come back, or the server's word? */
apex_result redis_failure(const sixer_error *error) {
  if (error->code == SIXER_ERR_FILE || strstr(error->message, "says: LOADING") ||
      strstr(error->message, "says: BUSY") || strstr(error->message, "says: MASTERDOWN"))
    return APEX_LOST;
  return APEX_REFUSED;
}

apex_result redis_refused(sixer_error *error, const char *text) {
  sixer_fail(error, SIXER_ERR_STATE, "%s", text);
  return APEX_REFUSED;
}

apex_result redis_damaged(redis_store *s, const char *what, sixer_error *error) {
  link_drop(s->link);
  sixer_fail(error, SIXER_ERR_STATE, "%s of run '%s' in the server cannot be", what, s->run);
  return APEX_REFUSED;
}

/* A text of a bulk reply; "" for nil or if it does not fit. */
void redis_text_of(const redisReply *r, char *out, size_t size) {
  out[0] = 0;
  if (r && r->type == REDIS_REPLY_STRING && (size_t)r->len < size &&
      memchr(r->str, 0, (size_t)r->len) == NULL) {
    memcpy(out, r->str, (size_t)r->len);
    out[r->len] = 0;
  }
}

/* A whole number within bounds; -1 if it is none. */
int64_t redis_number_of(const redisReply *r, int64_t most) {
  char text[24];
  redis_text_of(r, text, sizeof text);
  size_t digits = strlen(text);
  if (digits < 1 || digits > 18 || strspn(text, "0123456789") != digits) return -1;
  int64_t value = strtoll(text, NULL, 10);
  return value <= most ? value : -1;
}

const redisReply *redis_element(const redisReply *r, size_t index) {
  return r->type == REDIS_REPLY_ARRAY && index < r->elements ? r->element[index] : NULL;
}

/* The next reply as a text, "" for nil. */
bool redis_get_text(redis_store *s, char *out, size_t size, sixer_error *error) {
  redisReply *r;
  if (!link_reply(s->link, &r, error)) return false;
  bool failed = r->type == REDIS_REPLY_ERROR;
  if (failed)
    sixer_fail(error, SIXER_ERR_STATE, "the Redis server says: %.200s", r->str);
  else
    redis_text_of(r, out, size);
  freeReplyObject(r);
  if (failed) link_drop(s->link);
  return !failed;
}

/* Send a transaction of `count` commands that were added between MULTI and EXEC. *done: it was carried out. */
bool redis_finish(redis_store *s, int count, bool *done, sixer_error *error) {
  redisReply *r;
  link_add(s->link, "EXEC", NULL);
  /* +OK and one +QUEUED for each; a command that was refused makes EXEC fail */
  char refusal[300] = "";
  for (int i = 0; i <= count; i++) {
    if (!link_reply(s->link, &r, error)) return false;
    if (r->type == REDIS_REPLY_ERROR && !refusal[0])
      snprintf(refusal, sizeof refusal, "%s", r->str);
    freeReplyObject(r);
  }
  if (!link_reply(s->link, &r, error)) return false;
  if (r->type == REDIS_REPLY_ERROR && !refusal[0]) snprintf(refusal, sizeof refusal, "%s", r->str);
  *done = r->type == REDIS_REPLY_ARRAY;
  freeReplyObject(r);
  if (!refusal[0]) return true;
  sixer_fail(error, SIXER_ERR_STATE, "the Redis server says: %.200s%s", refusal,
             !strncmp(refusal, "OOM", 3)
                 ? "; its memory is full (maxmemory): give it more, or the run a smaller memory"
                 : "");
  return false;
}

apex_result redis_lost(sixer_error *error, const char *text) {
  sixer_fail(error, SIXER_ERR_FILE, "%s", text);
  return APEX_LOST;
}

/* ---- Leases ---------------------------------------------------------------------------------------------------- */

/* Who this is: machine, process, and a random number. */
void redis_make_token(char out[REDIS_TOKEN]) {
  char host[65] = "", boot[40] = "";
  uint64_t number = 0;
  os_host_name(host, sizeof host);
  os_boot_name(boot, sizeof boot);
  if (!os_random(&number, sizeof number, true)) number = (uint64_t)os_pid();
  snprintf(out, REDIS_TOKEN, "%s %s %" PRIu64 " %" PRId64 " %016" PRIx64, host, boot,
           os_process_space(), os_pid(), number);
}

/* Does the token belong to a process of this machine that is gone? */
static bool is_dead(const redis_store *s, const char *token) {
  char mine[REDIS_TOKEN], theirs[REDIS_TOKEN];
  int64_t pid = 0;
  snprintf(mine, sizeof mine, "%s", s->token);
  snprintf(theirs, sizeof theirs, "%s", token);
  char *parts[2] = {mine, theirs};
  for (int i = 0; i < 2; i++) { /* cut off process and number */
    char *number = strrchr(parts[i], ' ');
    if (number) *number = 0;
    char *process = number ? strrchr(parts[i], ' ') : NULL;
    if (!process) return false;
    if (i == 1) pid = strtoll(process + 1, NULL, 10);
    *process = 0;
  }
  return !strcmp(mine, theirs) && pid > 0 && os_process_gone(pid);
}

/* Take a lease, also of a process that is known to be dead. *taken; else `holder` has it. */
bool redis_take_lease(redis_store *s, const char *name, bool *taken, char holder[REDIS_TOKEN],
                      sixer_error *error) {
  char k[REDIS_KEY];
  redis_key(s, k, "%s", name);
  link_add(s->link, "WATCH", k, NULL);
  link_add(s->link, "GET", k, NULL);
  if (!link_skip(s->link, 1, error) || !redis_get_text(s, holder, REDIS_TOKEN, error)) return false;
  *taken = false;
  if (holder[0] && strcmp(holder, s->token) != 0 && !is_dead(s, holder)) {
    link_add(s->link, "UNWATCH", NULL);
    return link_skip(s->link, 1, error);
  }
  link_add(s->link, "MULTI", NULL);
  link_add(s->link, "SET", k, s->token, "PX", REDIS_LEASE, NULL);
  return redis_finish(s, 1, taken, error);
}

/* Is the lease still ours? It is watched from here on. */
apex_result redis_watch_learner(redis_store *s, sixer_error *error) {
  char k[REDIS_KEY], e[REDIS_KEY], holder[REDIS_TOKEN], epoch[24];
  if (!link_connected(s->link)) return redis_lost(error, "the connection was lost");
  redis_key(s, k, "learner");
  redis_key(s, e, "epoch");
  link_add(s->link, "WATCH", k, e, NULL);
  link_add(s->link, "GET", k, NULL);
  link_add(s->link, "GET", e, NULL);
  if (!link_skip(s->link, 1, error) || !redis_get_text(s, holder, sizeof holder, error) ||
      !redis_get_text(s, epoch, sizeof epoch, error))
    return redis_failure(error);
  if (!strcmp(holder, s->token) && !strcmp(epoch, s->epoch)) return APEX_OK;
  if (holder[0] && strcmp(holder, s->token) != 0) {
    sixer_fail(error, SIXER_ERR_STATE, "another learner has taken the run over: %.150s", holder);
    return APEX_REFUSED;
  }
  link_drop(s->link);
  return redis_lost(error, "the lease of the learner ran out, or the server came back empty");
}

/* Carry out the rest of a transaction of the learner. */
apex_result redis_learner_writes(redis_store *s, int count, sixer_error *error) {
  char k[REDIS_KEY];
  bool done;
  link_add(s->link, "PEXPIRE", redis_key(s, k, "learner"), REDIS_LEASE, NULL);
  if (!redis_finish(s, count + 1, &done, error)) return redis_failure(error);
  if (done) return APEX_OK;
  link_drop(s->link);
  return redis_lost(error, "the lease of the learner was lost");
}

#endif
