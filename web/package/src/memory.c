/* How much memory there is: in place of src/util/memory.c. The engine's memory can grow up to a limit that the linker
 * was told (CMakeLists.txt); a browser may give less, which is noticed when it is asked for. */
#include "util/memory.h"

uint64_t memory_available(void) {
  const uint64_t limit = (uint64_t)SIXER_WEB_MEMORY << 20,
                 used = (uint64_t)__builtin_wasm_memory_size(0) << 16;
  return limit > used ? limit - used : 0;
}
