/* A team of threads: workers sleep until there is work, take indices from a counter, and sleep again. */
#include "agents/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct team {
  int jobs, threads; /* threads: those that were started */
  pthread_t *thread;
  pthread_mutex_t lock;
  pthread_cond_t wake, done;
  unsigned round; /* raised for each team_run */
  int working;    /* threads that have not finished this round */
  bool quit;
  team_work *work;
  void *context;
  int count;
  atomic_int next;
  atomic_int numbers; /* of workers, given out as they start */
};

static void work_off(team *t, int worker) {
  for (int i; (i = atomic_fetch_add(&t->next, 1)) < t->count;) t->work(t->context, worker, i);
}

static void *live(void *context) {
  team *t = context;
  int worker = 1 + atomic_fetch_add(&t->numbers, 1);
  unsigned seen = 0;
  pthread_mutex_lock(&t->lock);
  for (;;) {
    while (t->round == seen && !t->quit) pthread_cond_wait(&t->wake, &t->lock);
    if (t->quit) break;
    seen = t->round;
    pthread_mutex_unlock(&t->lock);
    work_off(t, worker);
    pthread_mutex_lock(&t->lock);
    if (--t->working == 0) pthread_cond_signal(&t->done);
  }
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

team *team_create(int jobs) {
  team *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->jobs = jobs;
  t->thread = calloc((size_t)jobs, sizeof *t->thread);
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->wake, NULL);
  pthread_cond_init(&t->done, NULL);
  bool ok = t->thread;
  while (ok && t->threads < jobs - 1) {
    ok = pthread_create(&t->thread[t->threads], NULL, live, t) == 0;
    t->threads += ok;
  }
  if (ok) return t;
  team_destroy(t);
  return NULL;
}

void team_destroy(team *t) {
  if (!t) return;
  pthread_mutex_lock(&t->lock);
  t->quit = true;
  pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->lock);
  for (int i = 0; i < t->threads; i++) pthread_join(t->thread[i], NULL);
  pthread_cond_destroy(&t->wake);
  pthread_cond_destroy(&t->done);
  pthread_mutex_destroy(&t->lock);
  free(t->thread);
  free(t);
}

void team_run(team *t, team_work *work, void *context, int count) {
  if (t->threads == 0 || count == 1) {
    for (int i = 0; i < count; i++) work(context, 0, i);
    return;
  }
  pthread_mutex_lock(&t->lock);
  t->work = work;
  t->context = context;
  t->count = count;
  atomic_store(&t->next, 0);
  t->working = t->threads;
  t->round++;
  pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->lock);
  work_off(t, 0);
  pthread_mutex_lock(&t->lock);
  while (t->working > 0) pthread_cond_wait(&t->done, &t->lock);
  pthread_mutex_unlock(&t->lock);
}
