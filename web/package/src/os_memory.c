/* Memory in the browser: in place of src/util/os_memory.c. The engine's memory can grow up to a limit that the linker
 * was told (CMakeLists.txt); a browser may give less, which is noticed when it is asked for. There are no pages to
 * protect: region.c does without, and translated code is compiled by JavaScript (src/machine/jit_wasm_module.c). */
#include "util/os_memory.h"

#include <stdlib.h>

static uint64_t taken(void) { return (uint64_t)__builtin_wasm_memory_size(0) << 16; }

uint64_t os_memory_available(void) {
  const uint64_t limit = (uint64_t)SIXER_WEB_MEMORY << 20;
  return limit > taken() ? limit - taken() : 0;
}

uint64_t os_memory_resident(void) { return taken(); }

void *os_aligned(size_t size) {
  return size > SIZE_MAX - 63 ? NULL : aligned_alloc(64, (size + 63) / 64 * 64);
}

void os_aligned_free(void *memory) { free(memory); }

/* Blocks of zeros; there are no large pages. */
void *os_pages_take(size_t size) { return calloc(1, size); }
void *os_pages_take_large(size_t size) { return os_pages_take(size); }
void os_pages_enlarge(void *pages, size_t size) { (void)pages, (void)size; }
void os_pages_free(void *pages, size_t size) {
  (void)size;
  free(pages);
}

/* Translated code before it is compiled, which is data here. */
void *os_code_take(size_t size) { return malloc(size); }
bool os_code_protect(void *code, size_t size, bool writable) {
  (void)code, (void)size, (void)writable;
  return true;
}
void os_code_free(void *code, size_t size) {
  (void)size;
  free(code);
}
