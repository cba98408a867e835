/* <sys/random.h> for targets with a glibc before 2.25, which has no getrandom(): the system call itself. Linux has
 * had it since 3.17; before that it fails, as getrandom() may. */
#pragma once
#include_next <sys/random.h>
#if defined(__GLIBC__)
#if !__GLIBC_PREREQ(2, 25)
#include <sys/syscall.h>
#include <unistd.h>
#ifndef GRND_NONBLOCK
#define GRND_NONBLOCK 1
#endif
static inline ssize_t getrandom(void *bytes, size_t size, unsigned flags) {
  return (ssize_t)syscall(SYS_getrandom, bytes, size, flags);
}
#endif
#endif
