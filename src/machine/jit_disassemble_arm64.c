#include "machine/jit_parts.h"
#if defined(SIXER_JIT) && defined(__aarch64__)
#include <stdio.h>
#include <string.h>
void jit_disassemble(const uint8_t *bytes, uint32_t offset, size_t size, jit_text *out) {
  uint32_t w;
  memcpy(&w, bytes, 4);
  (void)offset;
  (void)size;
  *out = (jit_text){.length = 4, .target = -1};
  snprintf(out->text, sizeof out->text, ".inst 0x%08x", w);
}
#endif
