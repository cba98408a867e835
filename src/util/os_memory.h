/* Memory from the operating system: pages that are reserved, used and given back, pages for machine code, and aligned
 * blocks. */
#ifndef SIXER_UTIL_OS_MEMORY_H
#define SIXER_UTIL_OS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Pages: sizes are multiples of 64 KB ------------------------------------------------------------------------ */

/* Address space without memory; NULL if there is not that much. */
void *os_pages_reserve(size_t size);

/* Memory of zeros; NULL if there is not that much. */
void *os_pages_take(size_t size);

/* The same, in large pages if the system has them: for what is accessed at random all the time, since each page takes a
 * place in the processor's cache of addresses. */
enum { OS_LARGE_PAGE = 1 << 21 };
void *os_pages_take_large(size_t size);

/* Make a part of a reservation usable. It reads as zeros and takes memory when it is first written. */
bool os_pages_commit(void *pages, size_t size);

/* Give the memory of a part back and keep the address space. False if that failed: the part is as it was. */
bool os_pages_drop(void *pages, size_t size);

/* Wish for large pages, if the system has them. */
void os_pages_enlarge(void *pages, size_t size);
void os_pages_free(void *pages, size_t size); /* all of what was reserved or taken */

/* ---- Machine code: pages are writable or executable, never both ------------------------------------------------- */

/* Pages that are writable; NULL if there are none. */
void *os_code_take(size_t size);

/* Switch them. False where the system forbids it. What was written is seen by the processor afterwards. On macOS the
 * switch holds for the calling thread. */
bool os_code_protect(void *code, size_t size, bool writable);
void os_code_free(void *code, size_t size);

/* ---- Blocks ----------------------------------------------------------------------------------------------------- */

/* Aligned to 64 bytes; freed by os_aligned_free() only. NULL: out of memory. */
void *os_aligned(size_t size);
void os_aligned_free(void *memory);

/* ---- How much --------------------------------------------------------------------------------------------------- */

/* Bytes that this process may still take, as far as the system tells; UINT64_MAX: it does not. */
uint64_t os_memory_available(void);

/* Bytes of memory that this process takes now; 0: not known. */
uint64_t os_memory_resident(void);

#endif
