/* A team of threads. Workers take indices of a round of work from a counter until there are none. A round is over when
 * its last piece is done, not when all workers have looked in: on a busy machine some of them come late, find that the
 * round has passed, and wait for the next. Rounds follow each other closely, so both sides look out for some
 * microseconds before they sleep. */
#include "agents/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct team {
  int threads; /* those that were started, beside the caller */
  pthread_t *thread;
  pthread_mutex_t lock;
  pthread_cond_t wake, done;
  bool quit;
  /* the round; changed under the lock */
  team_work *work;
  void *context;
  uint32_t count;
  _Atomic uint64_t next;   /* number of the round in the high half, next index in the low half */
  _Atomic uint32_t undone; /* pieces of this round */
  atomic_int numbers;      /* of workers, given out as they start */
};

typedef struct round_of_work {
  uint32_t number, count;
  team_work *work;
  void *context;
} round_of_work;

static uint32_t round_number(const team *t) { return (uint32_t)(atomic_load(&t->next) >> 32); }

/* Take pieces of a round as long as it is the present one. */
static void work_off(team *t, const round_of_work *r, int worker) {
  for (;;) {
    uint64_t at = atomic_load(&t->next);
    do {
      if (at >> 32 != r->number || (uint32_t)at >= r->count) return;
    } while (!atomic_compare_exchange_weak(&t->next, &at, at + 1));
    r->work(r->context, worker, (int)(uint32_t)at);
    if (atomic_fetch_sub(&t->undone, 1) == 1) {
      pthread_mutex_lock(&t->lock);
      pthread_cond_signal(&t->done);
      pthread_mutex_unlock(&t->lock);
    }
  }
}

enum { LOOKS = 2000 };

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void *live(void *context) {
  team *t = context;
  int worker = 1 + atomic_fetch_add(&t->numbers, 1);
  uint32_t seen = 0;
  for (;;) {
    for (int i = 0; i < LOOKS && round_number(t) == seen; i++) pause_briefly();
    pthread_mutex_lock(&t->lock);
    while (round_number(t) == seen && !t->quit) pthread_cond_wait(&t->wake, &t->lock);
    bool quit = t->quit;
    round_of_work r = {round_number(t), t->count, t->work, t->context};
    pthread_mutex_unlock(&t->lock);
    if (quit) return NULL;
    seen = r.number;
    work_off(t, &r, worker);
  }
}

team *team_create(int jobs) {
  team *t = calloc(1, sizeof *t);
  if (!t) return NULL;
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
  if (t->threads == 0 || count <= 1) {
    for (int i = 0; i < count; i++) work(context, 0, i);
    return;
  }
  pthread_mutex_lock(&t->lock);
  round_of_work r = {round_number(t) + 1, (uint32_t)count, work, context};
  t->work = work;
  t->context = context;
  t->count = r.count;
  atomic_store(&t->undone, r.count);
  atomic_store(&t->next, (uint64_t)r.number << 32);
  pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->lock);
  work_off(t, &r, 0);
  for (int i = 0; i < LOOKS && atomic_load(&t->undone) > 0; i++) pause_briefly();
  if (atomic_load(&t->undone) == 0) return;
  pthread_mutex_lock(&t->lock);
  while (atomic_load(&t->undone) > 0) pthread_cond_wait(&t->done, &t->lock);
  pthread_mutex_unlock(&t->lock);
}
