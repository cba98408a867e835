/* The translator: 6507 code of a cartridge into x86-64 machine code, block by block, when it is first reached.
 * docs/translator.md explains it.
 *
 * It translates instructions in plain ROM of cartridges whose 4K window shows one bank at a time, and of types E0 (four
 * windows) and FE. The rest (code in RAM, hotspots, most undocumented opcodes) is executed by the interpreter or the plain
 * processor one instruction at a time. A jit belongs to one thread.
 *
 * The memory of translated code is either writable or executable, never both. It is writable only while blocks are
 * translated. All blocks that are reachable by fixed jumps are translated together, so this is seldom. */
#ifndef SIXER_MACHINE_JIT_H
#define SIXER_MACHINE_JIT_H

#include <stddef.h>

#include "machine/machine.h"

/* Defined where there is a translator. */
#if defined(__x86_64__) && defined(__linux__)
#define SIXER_JIT
#endif

/* A bank can be addressed at eight places of the address space (bits 13..15). Addresses in its code differ from place to
 * place, so each has translations of its own. */
enum { JIT_CODE_BYTES = 1 << 19, JIT_WINDOW = 4096, JIT_MIRRORS = 8 };

/* The block that begins at a byte of a bank. */
typedef struct jit_entry {
  const uint8_t *code; /* NULL: there is none */
  uint16_t pc;         /* its address */
  uint8_t refused;     /* the instruction cannot be translated */
  uint8_t wanted;      /* something jumps here: other blocks end where this one begins */
  uint32_t root;       /* translation number `root` began here; 0: none did */
} jit_entry;

typedef struct jit {
  const cartridge *cart;
  uint8_t *memory; /* JIT_CODE_BYTES, whole pages */
  size_t used;     /* bytes of it */
  uint32_t roots;  /* translations so far; each may have made several blocks */
  bool full;       /* nothing more is translated */
  bool writable;
  /* Fixed pieces of code (jit_calls.c): the ways in and out, and accesses that are not inlined. */
  const uint8_t *enter, *leave;
  const uint8_t *read_any, *read_input, *write_any, *push_enable;
  struct jit_notes *notes; /* where translations are recorded; NULL: they are not */
  jit_entry entry[];       /* banks * JIT_MIRRORS * JIT_WINDOW */
} jit;

/* Size of the jit of a cartridge; 0 if it cannot be translated, or not on this processor. */
size_t jit_size(const cartridge *cart);

/* Map memory for code and make a jit in zeroed memory of jit_size() bytes. False if the system refuses; nothing is held
 * then. jit_close() unmaps the memory for code; the caller frees the rest. */
bool jit_open(jit *j, const cartridge *cart);
void jit_close(jit *j);

/* Does it translate this cartridge? */
bool jit_is_for(const jit *j, const cartridge *cart);

/* Bytes that it holds, those for code included. */
size_t jit_memory(const jit *j);

/* Run translated code from console.pc, which is in the cartridge's window, until it is left. False if the instruction at
 * console.pc must be executed by another core. */
bool jit_run(machine *m);

#endif
