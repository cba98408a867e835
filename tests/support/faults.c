/* Preloaded into a program: lets the n-th call of a function fail, as if memory or the disk had run out, or kills the
 * program there.
 *
 *   SIXER_FAULT=malloc:17     the 17th allocation fails (malloc, calloc, realloc and aligned_alloc are counted
 * together)
 *   SIXER_FAULT=fsync:1       and so on: mmap, mprotect, pthread_create, fsync, rename, link, write, open
 *   SIXER_FAULT=kill-write:2  the second write puts half of its bytes into the file, then SIGKILL ends the program;
 *                             likewise kill-fwrite, kill-fsync and kill-rename (before the call), kill-renamed (after)
 *   SIXER_FAULT=none:0        nothing fails
 *   SIXER_FAULT_COUNT=FILE    at the end, a line "NAME CALLS" for each of these names is written there
 *
 * tests/cli/test_faults.py and test_killed_writes.py go through the numbers. */
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

/* The calls that are counted. */
enum call {
  CALL_MALLOC,
  CALL_MMAP,
  CALL_MPROTECT,
  CALL_PTHREAD_CREATE,
  CALL_FSYNC,
  CALL_RENAME,
  CALL_LINK,
  CALL_WRITE,
  CALL_OPEN,
  CALL_KILL_WRITE,
  CALL_KILL_FWRITE,
  CALL_KILL_FSYNC,
  CALL_KILL_RENAME,
  CALL_KILL_RENAMED,
  CALLS
};
static const char *const names[CALLS] = {
    [CALL_MALLOC] = "malloc",
    [CALL_MMAP] = "mmap",
    [CALL_MPROTECT] = "mprotect",
    [CALL_PTHREAD_CREATE] = "pthread_create",
    [CALL_FSYNC] = "fsync",
    [CALL_RENAME] = "rename",
    [CALL_LINK] = "link",
    [CALL_WRITE] = "write",
    [CALL_OPEN] = "open",
    [CALL_KILL_WRITE] = "kill-write",
    [CALL_KILL_FWRITE] = "kill-fwrite",
    [CALL_KILL_FSYNC] = "kill-fsync",
    [CALL_KILL_RENAME] = "kill-rename",
    [CALL_KILL_RENAMED] = "kill-renamed",
};

static int chosen = CALLS;
static long number = -1; /* of the call that fails; -1: calls are not counted */
static atomic_long calls[CALLS];

__attribute__((constructor)) static void choose(void) {
  const char *text = getenv("SIXER_FAULT"), *colon = text ? strchr(text, ':') : NULL;
  if (!colon) return;
  const size_t length = (size_t)(colon - text);
  for (int i = 0; i < CALLS; i++) {
    if (strlen(names[i]) == length && !memcmp(names[i], text, length)) chosen = i;
  }
  number = atol(colon + 1);
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("SIXER_FAULT_COUNT");
  char text[64 * CALLS];
  int length = 0;
  number = -1;
  for (int i = 0; i < CALLS; i++)
    length += snprintf(text + length, sizeof text - (size_t)length, "%s %ld\n", names[i],
                       atomic_load(&calls[i]));
  const int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
  if (file < 0) return;
  if (write(file, text, (size_t)length) != length) abort();
  close(file);
}

/* Is this call the one that fails? */
static bool fails(enum call call) {
  return number >= 0 && atomic_fetch_add(&calls[call], 1) + 1 == number && (int)call == chosen;
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

void *malloc(size_t size) {
  if (!fails(CALL_MALLOC)) return __libc_malloc(size);
  errno = ENOMEM;
  return NULL;
}

void *calloc(size_t count, size_t size) {
  if (!fails(CALL_MALLOC)) return __libc_calloc(count, size);
  errno = ENOMEM;
  return NULL;
}

void *realloc(void *memory, size_t size) {
  if (!fails(CALL_MALLOC)) return __libc_realloc(memory, size);
  errno = ENOMEM;
  return NULL;
}

void *aligned_alloc(size_t alignment, size_t size) {
  if (!fails(CALL_MALLOC)) return __libc_memalign(alignment, size);
  errno = ENOMEM;
  return NULL;
}

/* The function of this name in the library that would have been called. */
#define NEXT(type, name) ((type)(void (*)(void))dlsym(RTLD_NEXT, name))

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  typedef void *mmap_type(void *, size_t, int, int, int, off_t);
  if (!fails(CALL_MMAP))
    return NEXT(mmap_type *, "mmap")(address, size, protection, flags, file, offset);
  errno = ENOMEM;
  return MAP_FAILED;
}

int mprotect(void *address, size_t size, int protection) {
  typedef int mprotect_type(void *, size_t, int);
  if (!fails(CALL_MPROTECT)) return NEXT(mprotect_type *, "mprotect")(address, size, protection);
  errno = EACCES;
  return -1;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument) {
  typedef int create_type(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (fails(CALL_PTHREAD_CREATE)) return EAGAIN;
  return NEXT(create_type *, "pthread_create")(thread, attributes, start, argument);
}

int fsync(int file) {
  typedef int fsync_type(int);
  if (fails(CALL_KILL_FSYNC)) die();
  if (!fails(CALL_FSYNC)) return NEXT(fsync_type *, "fsync")(file);
  errno = EIO;
  return -1;
}

int rename(const char *from, const char *to) {
  typedef int rename_type(const char *, const char *);
  if (fails(CALL_KILL_RENAME)) die();
  if (!fails(CALL_RENAME)) {
    const int result = NEXT(rename_type *, "rename")(from, to);
    if (fails(CALL_KILL_RENAMED)) die();
    return result;
  }
  errno = ENOSPC;
  return -1;
}

int link(const char *from, const char *to) {
  typedef int link_type(const char *, const char *);
  if (!fails(CALL_LINK)) return NEXT(link_type *, "link")(from, to);
  errno = ENOSPC;
  return -1;
}

ssize_t write(int file, const void *bytes, size_t size) {
  typedef ssize_t write_type(int, const void *, size_t);
  if (fails(CALL_KILL_WRITE)) {
    const ssize_t half = NEXT(write_type *, "write")(file, bytes, size / 2);
    (void)half;
    die();
  }
  if (!fails(CALL_WRITE)) return NEXT(write_type *, "write")(file, bytes, size);
  errno = ENOSPC;
  return -1;
}

int open(const char *path, int flags, ...) {
  typedef int open_type(const char *, int, ...);
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (!fails(CALL_OPEN)) return NEXT(open_type *, "open")(path, flags, mode);
  errno = EMFILE;
  return -1;
}

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *file) {
  typedef size_t fwrite_type(const void *, size_t, size_t, FILE *);
  if (fails(CALL_KILL_FWRITE)) {
    NEXT(fwrite_type *, "fwrite")(bytes, 1, size * count / 2, file);
    fflush(file);
    die();
  }
  return NEXT(fwrite_type *, "fwrite")(bytes, size, count, file);
}
