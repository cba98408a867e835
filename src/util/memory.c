/* See memory.h. */
#include "util/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The number in a file of one number; UINT64_MAX if there is none ("max"). */
static uint64_t file_number(const char *path) {
  FILE *file = fopen(path, "r");
  unsigned long long value;
  if (!file) return UINT64_MAX;
  if (fscanf(file, "%llu", &value) != 1) value = UINT64_MAX;
  fclose(file);
  return value;
}

/* Linux: the estimate of the kernel, caches that can be dropped included. */
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
#ifdef _SC_PHYS_PAGES
  if (available == UINT64_MAX) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages > 0 && size > 0) available = (uint64_t)pages * (uint64_t)size;
  }
#endif
  return available;
}

/* What a limit leaves. File caches count as used in a control group, although they can be dropped; so this errs on the
 * careful side only where the limit is tight. */
static uint64_t left(uint64_t limit, uint64_t used) {
  if (limit == UINT64_MAX || used == UINT64_MAX) return UINT64_MAX;
  return limit > used ? limit - used : 0;
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

uint64_t memory_available(void) {
  uint64_t available = system_available();
  uint64_t group =
      left(file_number("/sys/fs/cgroup/memory.max"), file_number("/sys/fs/cgroup/memory.current"));
  if (group != UINT64_MAX) group += group_cache();
  if (group < available) available = group;
  struct rlimit limit;
  if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY &&
      limit.rlim_cur < available)
    available = limit.rlim_cur;
  return available;
}
