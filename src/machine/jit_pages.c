/* Pages of memory for code. Linux, and macOS on x86-64: the protection of the pages is changed. macOS on ARM: pages are
 * mapped for both, and each thread switches for itself whether it may write or execute them. */
#include "machine/jit_pages.h"

#include "machine/jit.h"

#ifdef SIXER_JIT

#include <sys/mman.h>

#if defined(__APPLE__) && defined(__aarch64__)

#include <libkern/OSCacheControl.h>
#include <pthread.h>

void *jit_pages_create(size_t size) {
  const int protection = PROT_READ | PROT_WRITE | PROT_EXEC;
  void *pages = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_JIT, -1, 0);
  if (pages == MAP_FAILED) return NULL;
  pthread_jit_write_protect_np(0);
  return pages;
}
bool jit_pages_writable(void *pages, size_t size) {
  (void)pages, (void)size;
  pthread_jit_write_protect_np(0);
  return true;
}
bool jit_pages_executable(void *pages, size_t size) {
  pthread_jit_write_protect_np(1);
  sys_icache_invalidate(pages, size);
  return true;
}

#else

void *jit_pages_create(size_t size) {
  void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}
bool jit_pages_writable(void *pages, size_t size) {
  return mprotect(pages, size, PROT_READ | PROT_WRITE) == 0;
}
bool jit_pages_executable(void *pages, size_t size) {
  __builtin___clear_cache((char *)pages, (char *)pages + size); /* nothing to do on x86-64 */
  return mprotect(pages, size, PROT_READ | PROT_EXEC) == 0;
}

#endif

void jit_pages_free(void *pages, size_t size) { munmap(pages, size); }

#endif
