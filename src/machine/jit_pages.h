/* Pages of memory for code: writable or executable, never both (jit_pages.c). */
#ifndef SIXER_MACHINE_JIT_PAGES_H
#define SIXER_MACHINE_JIT_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Writable pages, or NULL if the system refuses. */
void *jit_pages_create(size_t size);
void jit_pages_free(void *pages, size_t size);

/* Make them writable, or executable: what was written can be executed then. False if the system refuses, which may
 * happen at any time. Both are called by the thread that writes. */
bool jit_pages_writable(void *pages, size_t size);
bool jit_pages_executable(void *pages, size_t size);

#endif
