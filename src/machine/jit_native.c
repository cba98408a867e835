/* Operations of hosts that execute code where it was written, x86-64 and AArch64: see jit_encoder.h. */
#include "machine/jit.h"

#if defined(SIXER_JIT) && !OS_WASM32

#include <string.h>

#include "machine/jit_encoder.h"

const uint8_t *op_entry(code *k) { return op_here(k); }

uint32_t op_run(const uint8_t *begin, machine *m, void *arg1, const uint8_t *arg2) {
  uint32_t(OS_UNIX_CALL * run)(machine *, void *, const uint8_t *);
  memcpy(&run, &begin, sizeof run);
  return run(m, arg1, arg2);
}

bool op_publish(code *k, uint8_t *from, const uint8_t *begin, const uint8_t *leave) {
  (void)k, (void)from, (void)begin, (void)leave;
  return true;
}
void op_withdraw(uint8_t *memory, size_t size) { (void)memory, (void)size; }

#endif
