/* A small pool of threads: see threads.h. */
#include "util/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "util/os.h"
#include "util/os_cpu.h"
#include "util/os_memory.h"
#include "util/os_thread.h"

enum {
  SPINS = 500, /* some 20 microseconds: about as long as it takes to wake a thread */
  THREADS_MAX = 256
};

/* A thread's range of items: the next one in the low half and the end in the high half, so that one atomic operation
 * changes both. */
typedef struct lane {
  _Alignas(64) _Atomic uint64_t range;
} lane;

typedef struct worker {
  thread_pool *pool;
  pthread_t id;
  int number;
} worker;

struct thread_pool {
  int threads, max_pushed, first_cpu;
  /* Changed only while nothing is under way. Workers read them after claiming an item, which orders the reads after
   * these writes. */
  pool_work *work;
  void *context;
  lane *lanes;
  worker *workers; /* number 0 is the caller, or the thread that stands in for it */
  int started;     /* of workers 1 .. threads - 1 */
  bool stand_in;   /* worker 0 is a thread too */
  int64_t home;    /* the process that has the threads */

  _Alignas(64) _Atomic int left; /* items of pool_run() that are not done */
  /* pushed items: a ring between `head` and `tail` */
  _Alignas(64) _Atomic uint64_t head;
  _Atomic uint64_t tail;
  _Atomic int *ring;

  _Alignas(64) _Atomic uint32_t news; /* changes whenever there is something to do */
  _Atomic int sleepers;
  _Atomic bool caller_sleeps, stop;
  pthread_mutex_t lock;
  pthread_cond_t wake, done;
};

int pool_processors(void) { return os_processors(); }

int pool_threads(int wanted, size_t items) {
  int threads = wanted > 0 ? wanted : pool_processors();
  if (threads > THREADS_MAX) threads = THREADS_MAX;
  if ((size_t)threads > items) threads = (int)items;
  return threads < 1 ? 1 : threads;
}

/* ---- Claiming items -------------------------------------------------------------------------------------------- */

static int claim_from(lane *l) {
  uint64_t range = atomic_load_explicit(&l->range, memory_order_acquire);
  while ((uint32_t)range < range >> 32) {
    if (atomic_compare_exchange_weak_explicit(&l->range, &range, range + 1, memory_order_acq_rel,
                                              memory_order_acquire)) {
      return (int)(uint32_t)range;
    }
  }
  return -1;
}

/* The thread's own range first, then what others have left. */
static int claim(thread_pool *p, int thread) {
  for (int i = 0; i < p->threads; i++) {
    int lane_number = thread + i < p->threads ? thread + i : thread + i - p->threads;
    int item = claim_from(&p->lanes[lane_number]);
    if (item >= 0) return item;
  }
  return -1;
}

static int claim_pushed(thread_pool *p) {
  uint64_t head = atomic_load_explicit(&p->head, memory_order_relaxed);
  while (head < atomic_load_explicit(&p->tail, memory_order_acquire)) {
    int item = atomic_load_explicit(&p->ring[head % (uint64_t)p->max_pushed], memory_order_relaxed);
    if (atomic_compare_exchange_weak_explicit(&p->head, &head, head + 1, memory_order_acq_rel,
                                              memory_order_relaxed)) {
      return item;
    }
  }
  return -1;
}

/* ---- Threads --------------------------------------------------------------------------------------------------- */

static void finish_item(thread_pool *p) {
  if (atomic_fetch_sub(&p->left, 1) == 1 && atomic_load(&p->caller_sleeps)) {
    pthread_mutex_lock(&p->lock);
    pthread_cond_signal(&p->done);
    pthread_mutex_unlock(&p->lock);
  }
}

/* Work until there is nothing to claim. Thread 0 takes only what was pushed: in pool_run() the caller is number 0. */
static void work_off(thread_pool *p, int thread) {
  for (;;) {
    int item = thread > 0 ? claim(p, thread) : -1;
    if (item >= 0) {
      p->work(p->context, item, thread);
      finish_item(p);
    } else if ((item = claim_pushed(p)) >= 0) {
      p->work(p->context, item, thread);
    } else {
      return;
    }
  }
}

static void wait_for_news(thread_pool *p, uint32_t seen) {
  for (int i = 0; i < SPINS; i++) {
    if (atomic_load_explicit(&p->news, memory_order_acquire) != seen) return;
    os_relax();
  }
  pthread_mutex_lock(&p->lock);
  atomic_fetch_add(&p->sleepers, 1);
  while (atomic_load(&p->news) == seen) pthread_cond_wait(&p->wake, &p->lock);
  atomic_fetch_sub(&p->sleepers, 1);
  pthread_mutex_unlock(&p->lock);
}

static void tell_all(thread_pool *p) {
  atomic_fetch_add(&p->news, 1);
  if (atomic_load(&p->sleepers) == 0) return;
  pthread_mutex_lock(&p->lock);
  pthread_cond_broadcast(&p->wake);
  pthread_mutex_unlock(&p->lock);
}

static void pin(const thread_pool *p, int number) {
  if (p->first_cpu >= 0) os_pin_thread((p->first_cpu + number) % os_processors_on());
}

static void *run_worker(void *argument) {
  worker *w = argument;
  thread_pool *p = w->pool;
  pin(p, w->number);
  for (;;) {
    uint32_t seen = atomic_load(&p->news);
    work_off(p, w->number);
    if (atomic_load(&p->stop)) return NULL;
    wait_for_news(p, seen);
  }
}

static bool start(thread_pool *p, int number) {
  p->workers[number] = (worker){.pool = p, .number = number};
  return os_thread_start(&p->workers[number].id, run_worker, &p->workers[number]) == 0;
}

thread_pool *pool_create(int threads, int max_pushed, int first_cpu) {
  thread_pool *p = os_aligned(sizeof *p);
  if (!p) return NULL;
  *p = (thread_pool){
      .threads = threads, .max_pushed = max_pushed, .first_cpu = first_cpu, .home = os_pid()};
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->wake, NULL);
  pthread_cond_init(&p->done, NULL);
  p->lanes = os_aligned((size_t)threads * sizeof *p->lanes);
  p->workers = calloc((size_t)threads, sizeof *p->workers);
  p->ring = calloc((size_t)max_pushed + 1, sizeof *p->ring);
  if (p->lanes && p->workers && p->ring) {
    for (int i = 0; i < threads; i++) atomic_init(&p->lanes[i].range, 0);
    while (p->started < threads - 1 && start(p, p->started + 1)) p->started++;
    if (p->started == threads - 1) return p;
  }
  pool_destroy(p);
  return NULL;
}

bool pool_forked(const thread_pool *p) {
  return (p->started || p->stand_in) && p->home != os_pid();
}

void pool_destroy(thread_pool *p) {
  if (!p) return;
  /* In a forked child the threads do not exist, and a lock may be held forever by one of them. */
  if (!pool_forked(p)) {
    atomic_store(&p->stop, true);
    tell_all(p);
    for (int i = 1; i <= p->started; i++) pthread_join(p->workers[i].id, NULL);
    if (p->stand_in) pthread_join(p->workers[0].id, NULL);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->wake);
    pthread_cond_destroy(&p->done);
  }
  os_aligned_free(p->lanes);
  free(p->workers);
  free((void *)p->ring);
  os_aligned_free(p);
}

/* ---- Work ------------------------------------------------------------------------------------------------------ */

static void wait_until_done(thread_pool *p) {
  for (int i = 0; i < SPINS; i++) {
    if (atomic_load_explicit(&p->left, memory_order_acquire) == 0) return;
    os_relax();
  }
  pthread_mutex_lock(&p->lock);
  atomic_store(&p->caller_sleeps, true);
  while (atomic_load(&p->left)) pthread_cond_wait(&p->done, &p->lock);
  atomic_store(&p->caller_sleeps, false);
  pthread_mutex_unlock(&p->lock);
}

void pool_run(thread_pool *p, pool_work *work, void *context, int count) {
  if (p->threads == 1 || count <= 1 || pool_forked(p)) {
    for (int i = 0; i < count; i++) work(context, i, 0);
    return;
  }
  p->work = work;
  p->context = context;
  atomic_store(&p->left, count);
  for (int i = 0; i < p->threads; i++) {
    uint64_t begin = (uint64_t)count * (uint64_t)i / (uint64_t)p->threads;
    uint64_t end = (uint64_t)count * (uint64_t)(i + 1) / (uint64_t)p->threads;
    atomic_store_explicit(&p->lanes[i].range, end << 32 | begin, memory_order_release);
  }
  tell_all(p);
  for (int item = claim(p, 0); item >= 0; item = claim(p, 0)) {
    work(context, item, 0);
    finish_item(p);
  }
  wait_until_done(p);
}

void pool_run_once(int threads, pool_work *work, void *context, int count) {
  threads = pool_threads(threads, count > 0 ? (size_t)count : 0);
  thread_pool *p = threads > 1 ? pool_create(threads, 0, -1) : NULL;
  if (p) {
    pool_run(p, work, context, count);
    pool_destroy(p);
  } else {
    for (int i = 0; i < count; i++) work(context, i, 0);
  }
}

bool pool_push(thread_pool *p, pool_work *work, void *context, const int *items, int count) {
  if (pool_forked(p)) return false;
  if (!p->stand_in) {
    if (!start(p, 0)) return false;
    p->home = os_pid(); /* without other threads, the pool may have come here by a fork */
    p->stand_in = true;
  }
  if (p->work != work || p->context != context) { /* then no item is unfinished */
    p->work = work;
    p->context = context;
  }
  uint64_t tail = atomic_load_explicit(&p->tail, memory_order_relaxed);
  for (int i = 0; i < count; i++)
    atomic_store_explicit(&p->ring[(tail + (uint64_t)i) % (uint64_t)p->max_pushed], items[i],
                          memory_order_relaxed);
  atomic_store_explicit(&p->tail, tail + (uint64_t)count, memory_order_release);
  tell_all(p);
  return true;
}
