/* Work in independent parts on several threads. Parts are handed out by one counter; what a part
 * computes must not depend on who computes it, so that results are the same for any number of
 * threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "eval/eval_stats.h"

enum { THREADS_MAX = 256 };

typedef struct pool {
  atomic_size_t next;
  atomic_int threads;
  size_t parts;
  eval_work *work;
  void *context;
} pool;

static void *run_parts(void *argument) {
  pool *p = argument;
  int thread = atomic_fetch_add(&p->threads, 1);
  for (size_t part; (part = atomic_fetch_add(&p->next, 1)) < p->parts;)
    p->work(p->context, part, thread);
  return NULL;
}

int eval_threads(int wanted, size_t parts) {
  long threads = wanted > 0 ? wanted : sysconf(_SC_NPROCESSORS_ONLN);
  if (threads > THREADS_MAX) threads = THREADS_MAX;
  if (threads > 0 && (size_t)threads > parts) threads = (long)parts;
  return threads < 1 ? 1 : (int)threads;
}

void eval_parallel(size_t parts, int threads, eval_work *work, void *context) {
  pool p = {.parts = parts, .work = work, .context = context};
  pthread_t ids[THREADS_MAX];
  int wanted = eval_threads(threads, parts), started = 0;
  /* where no thread can be had, this one does the rest */
  while (started + 1 < wanted && pthread_create(&ids[started], NULL, run_parts, &p) == 0) started++;
  run_parts(&p);
  for (int i = 0; i < started; i++) pthread_join(ids[i], NULL);
}
