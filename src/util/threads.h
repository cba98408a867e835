/* A small pool of threads: the same work on many numbered items.
 *
 * Two ways to use it, one at a time. pool_for() runs items 0..count-1 and returns when all are done; the caller works
 * too, and each thread begins with a range of its own, the same one every time, so that what it keeps for them stays
 * warm. pool_push() hands items over and returns at once; the work itself says when they are done. Items are claimed
 * with one atomic operation each; locks are taken only to sleep and to wake. */
#ifndef SIXER_UTIL_THREADS_H
#define SIXER_UTIL_THREADS_H

#include <stdbool.h>

typedef struct thread_pool thread_pool;

/* The work on an item. Threads have numbers 0..threads-1, and no two run at once with the same number. */
typedef void pool_work(void *context, int item, int thread);

/* `threads` includes the caller. At most `max_items` items are under way at once. Threads are pinned to processors
 * first_cpu, first_cpu + 1, ... unless it is negative. NULL if threads or memory cannot be had. */
thread_pool *pool_create(int threads, int max_items, int first_cpu, pool_work *work, void *context);
void pool_destroy(thread_pool *pool); /* finishes what was pushed; NULL is allowed */

/* Run items 0..count-1. Nothing may be pushed and unfinished. */
void pool_for(thread_pool *pool, int count);

/* Have items worked on by the pool's own threads. Starts one more of them at first, which takes the caller's number;
 * false if it cannot be had, and then nothing was pushed. */
bool pool_push(thread_pool *pool, const int *items, int count);

/* Processors of this machine that we may run on. */
int pool_processors(void);

#endif
