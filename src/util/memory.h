/* How much memory this process may still use. */
#ifndef SIXER_UTIL_MEMORY_H
#define SIXER_UTIL_MEMORY_H

#include <stdint.h>

/* Bytes that can be used without swapping: what the system calls available, or less if the process runs under a limit
 * (control group, address space). UINT64_MAX if that cannot be found out. */
uint64_t memory_available(void);

#endif
