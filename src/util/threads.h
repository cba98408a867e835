/* A pool of threads that do the same work on many numbered items.
 *
 * There are two ways to use a pool, one at a time. pool_run() works on items 0..count-1 and returns when all are done.
 * The caller works too. Each thread begins with a range of its own, which is the same for the same count, so that what
 * it caches for its items stays useful; a thread that is done takes items of others. pool_push() queues items and
 * returns at once; the work itself reports when they are done.
 *
 * Which thread works on an item is not determined. Results that must not depend on the number of threads must not
 * depend on the `thread` argument; use it only to find scratch memory.
 *
 * Items are claimed with one atomic operation each; locks are taken only to sleep and to wake. */
#ifndef SIXER_UTIL_THREADS_H
#define SIXER_UTIL_THREADS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct thread_pool thread_pool;

/* The work on an item. `thread` is 0..threads-1, and no two threads run at once with the same number. */
typedef void pool_work(void *context, int item, int thread);

/* `threads` includes the caller of pool_run(). At most `max_pushed` items are queued at once; 0 if pool_push() is not
 * used. Threads are pinned to processors first_cpu, first_cpu + 1, ... unless it is negative. NULL if a thread cannot
 * be started or memory is out. */
thread_pool *pool_create(int threads, int max_pushed, int first_cpu);
void pool_destroy(thread_pool *pool); /* finishes what was pushed; NULL is allowed */

/* Is this a forked child of the process that started the pool's threads? They stayed behind: pool_run() then does
 * everything in the calling thread, pool_push() is refused, and what was pushed before is never finished. */
bool pool_forked(const thread_pool *pool);

/* Call work(context, i, thread) for each i of 0..count-1. No pushed item may be unfinished. */
void pool_run(thread_pool *pool, pool_work *work, void *context, int count);

/* Queue items for the pool's own threads. The first call starts one more thread, which takes the caller's number; false
 * if it cannot be started, and then nothing was pushed. `work` and `context` must be those of all unfinished items. */
bool pool_push(thread_pool *pool, pool_work *work, void *context, const int *items, int count);

/* The same as pool_run() with pool_threads(threads, count) threads that live only for this call. If they cannot be
 * started, the caller does everything. */
void pool_run_once(int threads, pool_work *work, void *context, int count);

/* How many threads to use for so many items: `wanted`, or one per processor if that is 0; from 1 to 256, and not more
 * than items. */
int pool_threads(int wanted, size_t items);

/* Processors of this machine that this process may run on. */
int pool_processors(void);

#endif
