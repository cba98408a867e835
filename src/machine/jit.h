/* The translator: 6507 code of a cartridge into x86-64 machine code, a bank at a time, as it is reached.
 *
 * Only what can be decided once is translated: instructions that lie in plain ROM of cartridges whose window shows one
 * bank at a time, or slices in windows of their own (E0). Everything else (code in memory, hotspots, odd opcodes) is executed by the other cores, one
 * instruction at a time, and translated code is entered again after it. Translated code belongs to one thread.
 *
 * Its memory is either writable or executable, never both: pages are writable while instructions are translated, and
 * that happens for everything reachable at once, so seldom. */
#ifndef SIXER_MACHINE_JIT_H
#define SIXER_MACHINE_JIT_H

#include <stddef.h>

#include "machine/machine.h"

/* A bank may be seen at eight places of the address space, with other addresses in its code each time. */
enum { JIT_CODE_BYTES = 1 << 19, JIT_WINDOW = 4096, JIT_MIRRORS = 8 };

/* Where the translation of a bank's byte begins. */
typedef struct jit_entry {
  const uint8_t *code; /* NULL: not translated */
  uint16_t pc;         /* its address */
  uint8_t refused;     /* it cannot be translated */
  uint8_t wanted;      /* something jumps here: traces end at it */
  uint8_t pad[4];
} jit_entry;

typedef struct jit {
  const cartridge *cart;
  uint8_t *memory; /* JIT_CODE_BYTES, whole pages */
  size_t used;
  bool full;
  bool writable;
  const uint8_t *enter, *leave; /* the way into translated code and back */
  const uint8_t *read_any, *read_input, *write_any, *push_enable;
  jit_entry entry[]; /* banks * JIT_MIRRORS * JIT_WINDOW */
} jit;

/* Can this cartridge be translated on this machine, and how large is its jit? 0: no. */
size_t jit_size(const cartridge *cart);

/* Make one in zeroed memory of jit_size() bytes, with `memory` from jit_map_memory(). False if it cannot be used. */
bool jit_init(jit *j, const cartridge *cart, uint8_t *memory);

/* Pages for code, and back. NULL if the system refuses. */
uint8_t *jit_map_memory(void);
void jit_unmap_memory(uint8_t *memory);

/* Both steps at once: map pages for code and make a translator in zeroed memory of jit_size() bytes. False if the
 * system refuses; nothing is held then. jit_close() gives the pages back; the caller frees the rest. */
bool jit_open(jit *j, const cartridge *cart);
void jit_close(jit *j);

/* Does it translate this cartridge? */
bool jit_is_for(const jit *j, const cartridge *cart);

/* Bytes that it holds, pages for code included. */
size_t jit_memory(const jit *j);

#endif
