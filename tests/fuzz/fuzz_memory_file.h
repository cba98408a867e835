/* Bytes as a file, for functions that take a path. */
#ifndef TESTS_FUZZ_MEMORY_FILE_H
#define TESTS_FUZZ_MEMORY_FILE_H

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* The path of a file with these bytes. The file is the same at every call. */
static inline const char *fuzz_file(const void *bytes, size_t size) {
  static int file = -1;
  static char path[64];
  if (file < 0) {
    file = memfd_create("fuzz", 0);
    assert(file >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  }
  int cut = ftruncate(file, 0);
  assert(cut == 0);
  ssize_t written = size ? pwrite(file, bytes, size, 0) : 0;
  assert(written == (ssize_t)size);
  (void)cut;
  (void)written;
  return path;
}

#endif
