/* Memory of Linux and macOS: see os_memory.h. */
#if !defined(_WIN32)
#include "util/os_memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <libkern/OSCacheControl.h>
#include <mach/mach.h>
#endif

#if !defined(MAP_NORESERVE)
#define MAP_NORESERVE 0
#endif

/* ---- Pages ------------------------------------------------------------------------------------------------------ */

static void *map(void *at, size_t size, int protection, int flags) {
  void *pages = mmap(at, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

void *os_pages_reserve(size_t size) { return map(NULL, size, PROT_NONE, MAP_NORESERVE); }
void *os_pages_take(size_t size) { return map(NULL, size, PROT_READ | PROT_WRITE, 0); }

bool os_pages_commit(void *pages, size_t size) {
  return mprotect(pages, size, PROT_READ | PROT_WRITE) == 0;
}

/* Mapping over the same addresses drops the pages at once. */
bool os_pages_drop(void *pages, size_t size) {
  return map(pages, size, PROT_NONE, MAP_NORESERVE | MAP_FIXED) != NULL;
}

void os_pages_enlarge(void *pages, size_t size) {
#if defined(MADV_HUGEPAGE)
  madvise(pages, size, MADV_HUGEPAGE);
#else
  (void)pages, (void)size;
#endif
}

/* Large pages begin at multiples of their size: take one more, and give back what is before and behind. */
void *os_pages_take_large(size_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  uint8_t *taken = os_pages_take(size + OS_LARGE_PAGE);
  if (!taken) return NULL;
  const size_t before = -(uintptr_t)taken & (OS_LARGE_PAGE - 1);
  if (before) munmap(taken, before);
  munmap(taken + before + size, OS_LARGE_PAGE - before);
  os_pages_enlarge(taken + before, size);
  return taken + before;
#else
  return os_pages_take(size);
#endif
}

void os_pages_free(void *pages, size_t size) { munmap(pages, size); }

/* ---- Machine code ----------------------------------------------------------------------------------------------- */

#if defined(__APPLE__) && defined(__aarch64__)

/* On Apple's processors pages for code are mapped with MAP_JIT, and each thread switches them for itself. Programs with
 * the hardened runtime need the entitlement com.apple.security.cs.allow-jit; without it mmap() fails. */
void *os_code_take(size_t size) {
  void *code = map(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_JIT);
  if (code) pthread_jit_write_protect_np(0);
  return code;
}

bool os_code_protect(void *code, size_t size, bool writable) {
  pthread_jit_write_protect_np(!writable);
  if (!writable) sys_icache_invalidate(code, size);
  return true;
}

#else

void *os_code_take(size_t size) { return map(NULL, size, PROT_READ | PROT_WRITE, 0); }

bool os_code_protect(void *code, size_t size, bool writable) {
  if (mprotect(code, size, writable ? PROT_READ | PROT_WRITE : PROT_READ | PROT_EXEC)) return false;
  if (!writable) __builtin___clear_cache((char *)code, (char *)code + size);
  return true;
}

#endif

void os_code_free(void *code, size_t size) { munmap(code, size); }

/* ---- Blocks ----------------------------------------------------------------------------------------------------- */

void *os_aligned(size_t size) {
  if (size > SIZE_MAX - 63) return NULL;
  size = (size + 63) / 64 * 64;
#if defined(__APPLE__) /* has aligned_alloc() since macOS 10.15 */
  void *memory;
  return posix_memalign(&memory, 64, size) ? NULL : memory;
#else
  return aligned_alloc(64, size);
#endif
}

void os_aligned_free(void *memory) { free(memory); }

/* ---- How much --------------------------------------------------------------------------------------------------- */

#if defined(__APPLE__)

static uint64_t system_available(void) {
  vm_statistics64_data_t pages;
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  if (host_statistics64(mach_host_self(), HOST_VM_INFO64, (host_info64_t)&pages, &count))
    return UINT64_MAX;
  return ((uint64_t)pages.free_count + pages.inactive_count) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t group_available(void) { return UINT64_MAX; }

uint64_t os_memory_resident(void) {
  struct mach_task_basic_info info;
  mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
  if (task_info(mach_task_self(), MACH_TASK_BASIC_INFO, (task_info_t)&info, &count)) return 0;
  return info.resident_size;
}

#else

/* The number in a file of one number; UINT64_MAX if there is none ("max"). */
static uint64_t file_number(const char *path) {
  FILE *file = fopen(path, "r");
  unsigned long long value;
  if (!file) return UINT64_MAX;
  if (fscanf(file, "%llu", &value) != 1) value = UINT64_MAX;
  fclose(file);
  return value;
}

/* The estimate of the kernel, caches that can be dropped included. */
static uint64_t system_available(void) {
  FILE *file = fopen("/proc/meminfo", "r");
  char line[200];
  unsigned long long kilobytes;
  uint64_t available = UINT64_MAX;
  if (file) {
    while (available == UINT64_MAX && fgets(line, sizeof line, file)) {
      if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1) available = kilobytes * 1024;
    }
    fclose(file);
  }
  if (available == UINT64_MAX) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages > 0 && size > 0) available = (uint64_t)pages * (uint64_t)size;
  }
  return available;
}

static uint64_t group_cache(void) {
  FILE *file = fopen("/sys/fs/cgroup/memory.stat", "r");
  char line[200];
  unsigned long long bytes, sum = 0;
  if (!file) return 0;
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "inactive_file %llu", &bytes) == 1) sum += bytes;
  }
  fclose(file);
  return sum;
}

/* What the limit of a control group leaves. File caches count as used there, although most of them can be dropped. */
static uint64_t group_available(void) {
  uint64_t limit = file_number("/sys/fs/cgroup/memory.max");
  uint64_t used = file_number("/sys/fs/cgroup/memory.current");
  if (limit == UINT64_MAX || used == UINT64_MAX) return UINT64_MAX;
  return (limit > used ? limit - used : 0) + group_cache();
}

uint64_t os_memory_resident(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  unsigned long total = 0, pages = 0;
  int found = file ? fscanf(file, "%lu %lu", &total, &pages) : 0;
  if (file) fclose(file);
  return found == 2 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

#endif

uint64_t os_memory_available(void) {
  uint64_t available = system_available(), group = group_available();
  if (group < available) available = group;
  struct rlimit limit;
  if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY &&
      limit.rlim_cur < available)
    available = limit.rlim_cur;
  return available;
}
#endif
