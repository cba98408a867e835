/* See apex_share.h. The agent trains in one process, and in turns with that beside an actor that has a thread and a
 * connection of its own. All updates are the same work. The processor time of the learner is that of its thread, of
 * the server that of its process. The actor plays in advance, up to its lead, and then waits: its time is that of a
 * step, waiting included, times the steps of an update.
 *
 * Other work on the machine makes processor time longer (caches, the other thread of a core), never shorter. So the
 * shortest time of all pieces is taken, of each part by itself. */
#include "cli/apex_share.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "util/os.h"
#include "util/os_process.h"
#include "util/os_thread.h"

enum { WARM_UP = 20 /* updates */ };

typedef struct player {
  const sixer_apex_settings *settings;
  atomic_bool stop;
  atomic_llong steps;
  _Atomic double seconds; /* of the processor, when it had made these steps */
  sixer_err err;
  sixer_error error;
  pthread_t thread;
} player;

static void *play(void *context) {
  player *p = context;
  sixer_apex_actor *actor = NULL;
  p->err = sixer_apex_actor_create(p->settings, 0, &actor, &p->error);
  while (!p->err && !atomic_load(&p->stop)) {
    p->err = sixer_apex_actor_run(actor, 0.05, &p->error);
    if (p->err) break;
    atomic_store(&p->seconds, os_thread_seconds());
    atomic_store(&p->steps, sixer_apex_actor_progress(actor).steps);
  }
  sixer_apex_actor_destroy(actor);
  return NULL;
}

static sixer_err train_updates(sixer_train *train, int64_t updates, sixer_error *error) {
  sixer_agent *agent = sixer_train_agent(train);
  int64_t end = sixer_agent_learned(agent).updates + updates;
  sixer_err err = SIXER_OK;
  while (!err && sixer_agent_learned(agent).updates < end) err = sixer_train_run(train, 1, error);
  return err;
}

static sixer_err learn_updates(sixer_apex_learner *learner, player *p, int64_t updates,
                               sixer_error *error) {
  int64_t end = sixer_apex_learner_progress(learner).updates + updates;
  sixer_err err = SIXER_OK;
  while (!err && sixer_apex_learner_progress(learner).updates < end) {
    err = sixer_apex_learner_run(learner, 0.001, error);
    if (!err && p->err) *error = p->error, err = p->err;
  }
  return err;
}

static void keep_shortest(double *shortest, double time) {
  if (!(*shortest > 0) || time < *shortest) *shortest = time;
}

/* One piece of each: seconds per update, and of the actor per step if it has played enough of them. */
static sixer_err measure_piece(const share_work *w, sixer_train *train, sixer_apex_learner *learner,
                               player *p, int64_t server, share_figures *f, sixer_error *error) {
  double begin = os_thread_seconds();
  sixer_err err = train_updates(train, w->updates, error);
  keep_shortest(&f->single, (os_thread_seconds() - begin) / (double)w->updates);
  if (err) return err;
  const int64_t first = sixer_apex_learner_progress(learner).updates;
  const int64_t steps = atomic_load(&p->steps);
  const double served = os_child_seconds(server), played = atomic_load(&p->seconds);
  begin = os_thread_seconds();
  err = learn_updates(learner, p, w->updates, error);
  if (err) return err;
  const double spent = os_thread_seconds() - begin;
  const double updates = (double)(sixer_apex_learner_progress(learner).updates - first);
  const int64_t more = atomic_load(&p->steps) - steps;
  keep_shortest(&f->learner, spent / updates);
  keep_shortest(&f->server, (os_child_seconds(server) - served) / updates);
  if (4 * more >= 3 * w->updates * w->period)
    keep_shortest(&f->actor,
                  (atomic_load(&p->seconds) - played) / (double)more * (double)w->period);
  return SIXER_OK;
}

static sixer_err measure_pieces(const share_work *w, sixer_train *train,
                                sixer_apex_learner *learner, player *p, int64_t server,
                                share_figures *f, sixer_error *error) {
  const int64_t warm_up = w->updates < WARM_UP ? w->updates : WARM_UP;
  sixer_err err = train_updates(train, warm_up, error);
  if (!err) err = learn_updates(learner, p, warm_up, error);
  for (int64_t i = 0; i < w->pieces && !err; i++)
    err = measure_piece(w, train, learner, p, server, f, error);
  if (err || f->actor > 0) return err;
  snprintf(error->message, sizeof error->message,
           "the actor has not played enough meanwhile: take more updates or more pieces");
  return SIXER_ERR_STATE;
}

static sixer_err measure(const share_work *w, sixer_train *train, const sixer_apex_settings *s,
                         int64_t server, share_figures *f, sixer_error *error) {
  sixer_apex_learner *learner;
  if (os_child_seconds(server) < 0) {
    snprintf(error->message, sizeof error->message, "the server has no clock");
    return SIXER_ERR_STATE;
  }
  sixer_err err = sixer_apex_learner_create(s, &learner, error);
  if (err) return err;
  player p = {.settings = s};
  atomic_init(&p.stop, false);
  atomic_init(&p.steps, 0);
  atomic_init(&p.seconds, 0);
  if (os_thread_start(&p.thread, play, &p)) {
    snprintf(error->message, sizeof error->message, "a thread cannot be started");
    err = SIXER_ERR_MEMORY;
  } else {
    err = measure_pieces(w, train, learner, &p, server, f, error);
    atomic_store(&p.stop, true);
    pthread_join(p.thread, NULL);
  }
  sixer_apex_learner_destroy(learner);
  return err;
}

sixer_err share_measure(const share_work *w, const char *url, int64_t server, const sixer_rom *rom,
                        share_figures *figures, sixer_error *error) {
  sixer_apex_settings s = sixer_apex_settings_default();
  sixer_protocol *protocol;
  sixer_train *train = NULL;
  sixer_err err = sixer_protocol_open("saber", &protocol, error);
  if (err) return err;
  s.train.agent = w->agent;
  s.train.options = w->options;
  s.train.rom = rom;
  s.train.protocol = protocol;
  s.train.frames = INT64_C(1000000000);
  s.train.threads = 1;
  s.server = url;
  s.run = w->priorities ? "share" : "share-max";
  s.reset = true;
  s.priorities = w->priorities;
  err = sixer_train_create(&s.train, &train, error);
  if (!err) err = measure(w, train, &s, server, figures, error);
  sixer_train_destroy(train);
  sixer_protocol_close(protocol);
  return err;
}
