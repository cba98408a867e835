/* The translator: 6507 code of a cartridge into machine code of the host, block by block, when it is first reached.
 * docs/translator.md explains it.
 *
 * It translates instructions in plain ROM of cartridges whose 4K window shows one bank at a time, and of types E0 (four
 * windows) and FE. The rest (code in RAM, hotspots, most undocumented opcodes) is executed by the interpreter or the
 * plain processor one instruction at a time. A jit belongs to one thread.
 *
 * The memory of translated code is either writable or executable, never both. It is writable only while blocks are
 * translated. All blocks that are reachable by fixed jumps are translated together, so this is seldom. */
#ifndef SIXER_MACHINE_JIT_H
#define SIXER_MACHINE_JIT_H

#include <stddef.h>

#include "machine/machine.h"
#include "util/os_cpu.h"

/* Defined where there is a translator. */
#if OS_X86_64 || OS_ARM64 || OS_WASM32
#define SIXER_JIT
#endif

/* A bank can be addressed at eight places of the address space (bits 13..15). Addresses in its code differ from place
 * to place, so each has translations of its own. */
enum { JIT_CODE_BYTES = 1 << 19, JIT_WINDOW = 4096, JIT_MIRRORS = 8 };

/* The block that begins at a byte of a bank. */
typedef struct jit_entry {
  _Alignas(8) const uint8_t *code; /* NULL: there is none */
  uint16_t pc;                     /* its address */
  uint8_t refused : 1;             /* the instruction cannot be translated */
  uint8_t wanted : 1; /* something jumps here: other blocks end where this one begins */
  /* The block may be entered behind its check of the guard if no more instructions than these were executed since the
   * last check. */
  uint8_t slack;
  uint32_t root; /* translation number `root` began here; 0: none did */
} jit_entry;

/* What the code from an offset on, up to that of the next note, belongs to. For listings. */
typedef enum jit_note_kind {
  NOTE_BLOCK,       /* a block begins: the check of the guard */
  NOTE_INSTRUCTION, /* an instruction */
  NOTE_END,         /* the end of a block that goes on in another one */
  NOTE_RARE,        /* a rare path of the block */
  NOTE_EXIT         /* the way out for jumps to `pc`, for which there is no block */
} jit_note_kind;
typedef struct jit_note {
  uint32_t offset; /* in jit.memory */
  jit_note_kind kind;
  uint16_t pc;
  uint8_t bank;
  uint8_t bytes[3];  /* of the instruction */
  const char *cause; /* NOTE_RARE: why the path is taken */
} jit_note;
typedef void jit_note_taker(void *context, const jit_note *note);

typedef struct jit {
  const cartridge *cart;
  uint8_t *memory;  /* JIT_CODE_BYTES, whole pages */
  size_t used;      /* bytes of it */
  size_t constants; /* bytes at its end (code.end) */
  uint32_t roots;   /* translations so far; each may have made several blocks */
  bool full;        /* nothing more is translated */
  bool writable;    /* as opposed to executable */
  /* The system has refused to change the protection of the memory. Code may not be executable, so no code is
   * entered. */
  bool unusable;
  /* Fixed pieces of code (jit_calls.c): the ways in and out, and accesses that are not inlined. */
  const uint8_t *enter, *leave;
  const uint8_t *read_any, *read_input, *write_any, *push_enable;
  jit_note_taker *take_note; /* told about everything that is translated; NULL: nobody */
  void *note_context;
  jit_entry entry[]; /* banks * JIT_MIRRORS * JIT_WINDOW */
} jit;

/* The processor whose code it makes, "x86-64", "AArch64" or "WebAssembly"; NULL if there is no translator. */
const char *jit_host(void);

/* Size of the jit of a cartridge; 0 if it cannot be translated, or not on this processor. */
size_t jit_size(const cartridge *cart);

/* Map memory for code and make a jit in zeroed memory of jit_size() bytes. False if the system refuses; nothing is held
 * then. jit_close() unmaps the memory for code; the caller frees the rest. */
bool jit_open(jit *j, const cartridge *cart);
void jit_close(jit *j);

/* Can translated code be run? False for ever after the system has refused to make memory writable or executable; the
 * caller uses another core then. */
bool jit_usable(const jit *j);

/* Does it translate this cartridge? */
bool jit_is_for(const jit *j, const cartridge *cart);

/* Bytes that it holds, those for code included. */
size_t jit_memory(const jit *j);

/* Translate into `copy`, which was opened and not used yet, what `original` has translated, in the same order. Its
 * take_note is then told what the code of `original` consists of: the code is the same except for pointers to the jit
 * itself. False if it is not. */
bool jit_replay(jit *copy, const jit *original);

/* An instruction of translated code as text, as objdump writes it; for x86-64, "objdump -M intel". */
typedef struct jit_text {
  int length;    /* bytes; the text of what is no instruction of ours is "(bad)", of length 1 */
  char text[64]; /* "mov    BYTE PTR [rbx+0x5],r12b" */
  /* what the memory operand or the constant is: "ram $85", "frame.guard"; "" if nothing is known */
  char note[32];
  int32_t target; /* offset that it jumps to or calls; -1: it does not */
} jit_text;

/* Disassemble the instruction at `bytes`, which has `offset` in its memory and is followed by `size` bytes at most. */
void jit_disassemble(const uint8_t *bytes, uint32_t offset, size_t size, jit_text *out);

/* Run translated code from console.pc, which is in the cartridge's window, until it is left. False if the instruction
 * at console.pc must be executed by another core; this is so for every instruction of a jit that is not usable. */
bool jit_run(machine *m);

#endif
