/* Threads with enough stack on every system. */
#ifndef SIXER_UTIL_OS_THREAD_H
#define SIXER_UTIL_OS_THREAD_H

#include <pthread.h>

/* pthread_create() with a stack of OS_STACK bytes at least. The translator needs 150 KB; a thread has 128 KB with musl
 * and 512 KB on macOS by default. The status is that of pthread_create(). */
enum { OS_STACK = 1 << 20 };
int os_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

#endif
