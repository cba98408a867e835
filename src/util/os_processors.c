/* Processors, threads and where they run, on Linux and macOS: see os_cpu.h and os_thread.h. */
#if !defined(_WIN32)
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "util/os_cpu.h"
#include "util/os_thread.h"

int os_processors_on(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (int)count : 1;
}

int os_thread_start(pthread_t *thread, void *(*run)(void *), void *argument) {
#if defined(__EMSCRIPTEN__) /* has no threads, and not all of their attributes */
  return pthread_create(thread, NULL, run, argument);
#else
  pthread_attr_t attributes;
  size_t stack;
  int status = pthread_attr_init(&attributes);
  if (status) return status;
  status = pthread_attr_getstacksize(&attributes, &stack);
  if (!status && stack < OS_STACK) status = pthread_attr_setstacksize(&attributes, OS_STACK);
  if (!status) status = pthread_create(thread, &attributes, run, argument);
  pthread_attr_destroy(&attributes);
  return status;
#endif
}

#if defined(__linux__)

_Static_assert(sizeof(cpu_set_t) <= sizeof(os_affinity), "room for the set of processors");

int os_processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? os_processors_on() : CPU_COUNT(&set);
}

void os_pin_thread(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)processor, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

bool os_pin_here(os_affinity *before) {
  cpu_set_t all, one;
  const int here = sched_getcpu();
  if (here < 0 || sched_getaffinity(0, sizeof all, &all)) return false;
  memcpy(before->saved, &all, sizeof all);
  CPU_ZERO(&one);
  CPU_SET(here, &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

bool os_unpin(const os_affinity *before) {
  cpu_set_t all;
  memcpy(&all, before->saved, sizeof all);
  return sched_setaffinity(0, sizeof all, &all) == 0;
}

#else /* macOS has no such calls */

int os_processors(void) { return os_processors_on(); }
void os_pin_thread(int processor) { (void)processor; }
bool os_pin_here(os_affinity *before) {
  memset(before, 0, sizeof *before);
  return false;
}
bool os_unpin(const os_affinity *before) {
  (void)before;
  return false;
}

#endif
#endif
