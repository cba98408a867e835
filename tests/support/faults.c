/* Preloaded into a program: lets the n-th call of a function fail, as if memory or the disk had run out, or kills the
 * program there.
 *
 *   SIXER_FAULT=malloc:17     the 17th allocation fails (malloc, calloc, realloc and aligned_alloc are counted
 * together)
 *   SIXER_FAULT=fsync:1       and so on: mmap, mprotect, pthread_create, fsync, rename, link, write, open
 *   SIXER_FAULT=kill-write:2  the second write puts half of its bytes into the file, then SIGKILL ends the program;
 *                             likewise kill-fwrite, kill-fsync and kill-rename (before the call), kill-renamed (after)
 *   SIXER_FAULT_COUNT=FILE    at the end, the number of calls is written there
 *
 * Number 0 fails never. tests/cli/test_faults.py and test_killed_writes.py go through the numbers. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What glibc calls its own: these exist for programs that replace malloc(). */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static char chosen[32];
static long number = -1;
static atomic_long calls;

__attribute__((constructor)) static void choose(void) {
  const char *text = getenv("SIXER_FAULT"), *colon = text ? strchr(text, ':') : NULL;
  if (!colon || (size_t)(colon - text) >= sizeof chosen) return;
  memcpy(chosen, text, (size_t)(colon - text));
  number = atol(colon + 1);
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("SIXER_FAULT_COUNT");
  char text[32];
  number = -1;
  const int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&calls));
  const int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
  if (file < 0) return;
  if (write(file, text, (size_t)length) != length) abort();
  close(file);
}

/* Is this call the one that fails? */
static bool fails(const char *function) {
  return number >= 0 && !strcmp(function, chosen) && atomic_fetch_add(&calls, 1) + 1 == number;
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

void *malloc(size_t size) {
  if (!fails("malloc")) return __libc_malloc(size);
  errno = ENOMEM;
  return NULL;
}

void *calloc(size_t count, size_t size) {
  if (!fails("malloc")) return __libc_calloc(count, size);
  errno = ENOMEM;
  return NULL;
}

void *realloc(void *memory, size_t size) {
  if (!fails("malloc")) return __libc_realloc(memory, size);
  errno = ENOMEM;
  return NULL;
}

void *aligned_alloc(size_t alignment, size_t size) {
  if (!fails("malloc")) return __libc_memalign(alignment, size);
  errno = ENOMEM;
  return NULL;
}

/* The function of this name in the library that would have been called. */
#define NEXT(type, name) ((type)(void (*)(void))dlsym(RTLD_NEXT, name))

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  typedef void *mmap_type(void *, size_t, int, int, int, off_t);
  if (!fails("mmap"))
    return NEXT(mmap_type *, "mmap")(address, size, protection, flags, file, offset);
  errno = ENOMEM;
  return MAP_FAILED;
}

int mprotect(void *address, size_t size, int protection) {
  typedef int mprotect_type(void *, size_t, int);
  if (!fails("mprotect")) return NEXT(mprotect_type *, "mprotect")(address, size, protection);
  errno = EACCES;
  return -1;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument) {
  typedef int create_type(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (fails("pthread_create")) return EAGAIN;
  return NEXT(create_type *, "pthread_create")(thread, attributes, start, argument);
}

int fsync(int file) {
  typedef int fsync_type(int);
  if (fails("kill-fsync")) die();
  if (!fails("fsync")) return NEXT(fsync_type *, "fsync")(file);
  errno = EIO;
  return -1;
}

int rename(const char *from, const char *to) {
  typedef int rename_type(const char *, const char *);
  if (fails("kill-rename")) die();
  if (!fails("rename")) {
    const int result = NEXT(rename_type *, "rename")(from, to);
    if (fails("kill-renamed")) die();
    return result;
  }
  errno = ENOSPC;
  return -1;
}

int link(const char *from, const char *to) {
  typedef int link_type(const char *, const char *);
  if (!fails("link")) return NEXT(link_type *, "link")(from, to);
  errno = ENOSPC;
  return -1;
}

ssize_t write(int file, const void *bytes, size_t size) {
  typedef ssize_t write_type(int, const void *, size_t);
  if (fails("kill-write")) {
    const ssize_t half = NEXT(write_type *, "write")(file, bytes, size / 2);
    (void)half;
    die();
  }
  if (!fails("write")) return NEXT(write_type *, "write")(file, bytes, size);
  errno = ENOSPC;
  return -1;
}

int open(const char *path, int flags, ...) {
  typedef int open_type(const char *, int, ...);
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (!fails("open")) return NEXT(open_type *, "open")(path, flags, mode);
  errno = EMFILE;
  return -1;
}

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *file) {
  typedef size_t fwrite_type(const void *, size_t, size_t, FILE *);
  if (fails("kill-fwrite")) {
    NEXT(fwrite_type *, "fwrite")(bytes, 1, size * count / 2, file);
    fflush(file);
    die();
  }
  return NEXT(fwrite_type *, "fwrite")(bytes, size, count, file);
}
