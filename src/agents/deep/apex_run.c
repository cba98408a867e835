/* See apex_run.h. */
#include "agents/deep/apex_run.h"

#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/os.h"

enum {
  COOKIE = 0xA9E0,
  SYNCHRONIZED_MAX = 4 /* actors, as in the program of Toromanoff et al. 2019 */
};

#define PAUSE_MOST 0.02 /* seconds */

sixer_apex_settings sixer_apex_settings_default(void) {
  return (sixer_apex_settings){.cookie = COOKIE,
                               .train = sixer_train_settings_default(),
                               .run = "apex",
                               .timeout = 5,
                               .patience = 60,
                               .actors = 1,
                               .block = 32,
                               .fetch = 400,
                               .lead = 800,
                               .synchronized = true};
}

sixer_apex_memory *sixer_apex_memory_create(void) {
  sixer_apex_memory *m = calloc(1, sizeof *m);
  if (m && !(m->memory = apex_memory_create())) {
    free(m);
    m = NULL;
  }
  return m;
}

void sixer_apex_memory_destroy(sixer_apex_memory *m) {
  if (!m) return;
  apex_memory_destroy(m->memory);
  free(m);
}

sixer_err apex_check(const sixer_apex_settings *s, sixer_error *error) {
  if (s->cookie != COOKIE)
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "these settings were not made by sixer_apex_settings_default()");
  if (!s->server == !s->memory)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "Ape-X needs a server (redis://HOST, rediss://HOST or unix:PATH) or a memory "
                      "of the process");
  size_t length = s->run ? strlen(s->run) : 0;
  if (length < 1 || length > 60 ||
      strspn(s->run, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") != length)
    return sixer_fail(
        error, SIXER_ERR_ARGUMENT,
        "the name of a run has 1 to 60 letters, digits, '-', '_' and '.', found '%.80s'",
        s->run ? s->run : "");
  if (!(s->timeout >= 0.01 && s->timeout <= 600) || !(s->patience >= 0 && s->patience <= 1e6))
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "the time-out of a call is 0.01 to 600 seconds, found %g, and the patience 0 "
                      "to 1,000,000, found %g",
                      s->timeout, s->patience);
  if (s->saber && s->memory)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "the layout of the SABER paper is one of a Redis server; the memory of a "
                      "process has blocks only");
  if (!(s->pace >= 0 && s->pace <= 1e9))
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "an actor plays 0 (no limit) to 1e9 frames per second, found %g", s->pace);
  return SIXER_OK;
}

apex_rules apex_rules_of(const sixer_apex_settings *s) {
  return (apex_rules){.actors = s->actors,
                      .block = s->block,
                      .fetch = s->fetch,
                      .lead = s->synchronized ? s->lead : 0,
                      .synchronized = s->synchronized,
                      .priorities = s->priorities,
                      .ladder = s->ladder,
                      .saber = s->saber};
}

/* A step is written once its block is full and, with priorities, its transition complete. Would an actor wait for
 * weights that need steps which it has not written yet? */
static bool would_lock(const apex_rules *r, const deep *d) {
  int64_t held = r->priorities ? r->block + d->o.n : r->block;
  return r->lead < (int64_t)r->actors * held &&
         (r->priorities || r->fetch % (r->block * r->actors));
}

sixer_err apex_check_rules(const apex_rules *r, const deep *d, sixer_error *error) {
  if (r->actors < 1 || r->actors > REPLAY_SLICES_MAX || r->block < 1 || r->block > APEX_BLOCK_MAX ||
      r->fetch < 1 || r->fetch > 1000000 || r->lead < 0 || r->lead > 1000000)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "Ape-X has 1 to %d actors, blocks of 1 to %d steps, and 1 to 1,000,000 steps "
                      "between fetches and of lead; found %d, %d, %d and %d",
                      REPLAY_SLICES_MAX, APEX_BLOCK_MAX, r->actors, r->block, r->fetch, r->lead);
  if (d->o.memory / r->actors < 4 * (d->o.n + DEEP_STACK + r->block))
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "a memory of %lld steps is too small for %d actors and blocks of %d",
                      (long long)d->o.memory, r->actors, r->block);
  if (r->priorities && !(d->o.omega > 0))
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "actors cannot compute priorities: this agent draws uniformly (omega = 0)");
  if (r->saber && !(d->o.omega > 0))
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "the layout of the SABER paper is for agents with priorities: this one draws "
                      "uniformly (omega = 0)");
  if (!r->synchronized) return SIXER_OK;
  if (r->actors > SYNCHRONIZED_MAX)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "at most %d actors can be synchronized, found %d: let them run freely",
                      SYNCHRONIZED_MAX, r->actors);
  if (r->fetch % r->actors || r->lead % r->fetch || r->lead / r->fetch > 60)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "synchronized, the steps between fetches (%d) are a multiple of the actors "
                      "(%d), and the lead (%d) a multiple of them, at most 60 times",
                      r->fetch, r->actors, r->lead);
  if (would_lock(r, d))
    return sixer_fail(
        error, SIXER_ERR_ARGUMENT,
        "an actor would wait for weights that need steps of its unfinished block: the "
        "lead (%d) is at least actors x (block%s) = %lld",
        r->lead, r->priorities ? " + n" : "",
        (long long)(r->actors * (r->block + (r->priorities ? d->o.n : 0))));
  return SIXER_OK;
}

void apex_print_rules(const apex_rules *r, char *text, size_t size) {
  snprintf(text, size,
           "apex=actors %d block %d fetch %d lead %d synchronized %d priorities %d ladder %d%s\n",
           r->actors, r->block, r->fetch, r->lead, r->synchronized, r->priorities, r->ladder,
           r->saber ? " layout saber" : "");
}

bool apex_parse_rules(const char *text, apex_rules *r) {
  int n[7], length = 0;
  char again[200];
  if (sscanf(text,
             "apex=actors %9d block %9d fetch %9d lead %9d synchronized %1d priorities %1d ladder "
             "%1d%n",
             &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &length) != 7)
    return false;
  *r = (apex_rules){n[0],      n[1],      n[2],      n[3],
                    n[4] == 1, n[5] == 1, n[6] == 1, !strncmp(text + length, " layout", 7)};
  apex_print_rules(r, again, sizeof again);
  return !strncmp(again, text, strlen(again));
}

deep *apex_deep(sixer_train *t, sixer_error *error) {
  if (t->agent->class->learn != deep_learn || ((deep *)t->agent)->o.memory == 0) {
    sixer_fail(
        error, SIXER_ERR_ARGUMENT,
        "%s has no replay memory that actors could fill; rainbow, rainbow-iqn, apex-dqn, der, "
        "iqn, c51 and dqn have one",
        t->agent_name);
    return NULL;
  }
  return (deep *)t->agent;
}

apex_form apex_form_of(const deep *d, const apex_rules *r) {
  return (apex_form){.width = (int)d->o.size,
                     .height = (int)d->o.size,
                     .actions = d->action_count,
                     .block = r->block,
                     .actors = r->actors};
}

int64_t apex_ring(const apex_rules *r, int64_t memory) {
  int64_t ring = memory / r->actors / r->block + 1;
  int64_t ahead = r->lead / r->block + 64;
  return ring > ahead ? ring : ahead;
}

sixer_err apex_open_store(const sixer_apex_settings *s, apex_store **store, sixer_error *error) {
  if (s->server)
    return apex_store_redis(s->server, s->password_file, s->authority, s->run, s->timeout, store,
                            error);
  *store = apex_store_memory(s->memory->memory);
  return *store ? SIXER_OK : sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a store");
}

sixer_err sixer_apex_lockstep(sixer_apex_settings *s, sixer_error *error) {
  sixer_agent *agent;
  if (!s->train.agent) return sixer_fail(error, SIXER_ERR_ARGUMENT, "lockstep needs an agent");
  sixer_err err = sixer_agent_create(s->train.agent, s->train.options, 1, &agent, error);
  if (err) return err;
  int64_t period = agent->class->learn == deep_learn ? ((deep *)agent)->o.period : 0;
  sixer_agent_destroy(agent);
  if (period < 1 || period > APEX_BLOCK_MAX)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "in lockstep an agent updates every 1 to %d steps, found %lld",
                      APEX_BLOCK_MAX, (long long)period);
  s->synchronized = true;
  s->priorities = s->ladder = s->saber = false;
  s->actors = 1;
  s->block = s->fetch = (int)period;
  s->lead = 0;
  return SIXER_OK;
}

double apex_clock(void) { return os_seconds(); }

void apex_pause(double seconds) { os_pause(seconds); }

void apex_wait(double *since, double least) {
  double now = apex_clock();
  if (!*since) *since = now;
  double pause = (now - *since) / 8;
  apex_pause(pause < least ? least : pause > PAUSE_MOST ? PAUSE_MOST : pause);
}
