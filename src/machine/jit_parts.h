/* What the parts of the translator share. While translated code runs: rbx points to the console's memory, rbp is the machine,
 * r12..r14 are A, X, Y, r15 the cycle counter, and r11 the end of the TIA's log. r9 is the carry, 0 or 1, and r10 tells N and
 * Z: the last result, with bit 8 set where N does not follow from it. The other flags are in machine.run. */
#ifndef SIXER_MACHINE_JIT_PARTS_H
#define SIXER_MACHINE_JIT_PARTS_H

#if defined(__x86_64__) && defined(__linux__)

#include "machine/cpu_plain.h"
#include "machine/jit.h"
#include "machine/jit_x86.h"
#include "machine/tia_fast.h"

enum { C = RBX, M = RBP, CARRY = R9, NZ = R10, LOG = R11, A = R12, X = R13, Y = R14, CYCLES = R15 };
/* rbx points to memory, whose addresses are then short */
#define OF_C(field)   ((ptrdiff_t)offsetof(console, field) - (ptrdiff_t)offsetof(console, ram))
#define OF_M(field)   ((ptrdiff_t)offsetof(machine, field))
#define RAM_AT(index) (OF_C(ram) + (index))
#define ZERO_PAGE     OF_C(ram) - 0x80 /* address 0x80 is the first byte of memory */

/* What translated code says when it comes back. */
enum { LEFT_BY_JUMP, LEFT_BY_RTS, LEFT_TO_PLAIN };

enum { NZ_STORED = -1, CARRY_STORED = -1 };
enum { MAX_TRACE = 400, MAX_COLD = 800, MAX_FIXUPS = 4096, MAX_WORK = 4096 };
/* Instructions between two looks at the guard: they must not take longer than TIA_GUARD. */
enum { MAX_UNGUARDED = 100 };
_Static_assert(MAX_UNGUARDED * 8 + 100 < TIA_GUARD, "the longest instructions take 8 cycles");

typedef enum cold_kind {
  COLD_EXIT,    /* leave with the instruction at pc next */
  COLD_GUARD,   /* the same, to be looked at by the caller */
  COLD_BAIL,    /* leave with this instruction undone */
  COLD_STOP,    /* the frame is over */
  COLD_READ,    /* zero page read that is not memory */
  COLD_ANY,     /* a read that is not of plain ROM */
  COLD_WRITE,   /* likewise a write */
  COLD_DECIMAL, /* decimal arithmetic */
  COLD_PULL,    /* a pull that is not from memory */
  COLD_ENABLE,  /* PHP to ENAM0, ENAM1 or ENABL */
  COLD_WAIT     /* WSYNC in another line than expected */
} cold_kind;

/* Where an operand is: a constant, a place in the console's memory (from rbx), or eax. */
typedef enum place { CONSTANT, IN_MEMORY, IN_EAX } place;
typedef struct operand {
  place where;
  int value;
} operand;

typedef struct cold {
  cold_kind kind;
  uint8_t *from; /* jump that leads here */
  const uint8_t *back;
  uint16_t pc;
  int8_t nz;    /* register that N and Z follow, or NZ_STORED */
  int8_t carry; /* as in translator */
  int cycles;   /* not yet in r15 */
  int own;      /* COLD_ANY: cycles of this instruction */
  int bus;      /* byte on the bus; -1 - r: that in register r */
  int value;    /* register of the value to be written or read; for COLD_DECIMAL 1 is SBC */
  bool pushes;  /* COLD_WRITE: the stack pointer has still to go down */
  operand what; /* COLD_DECIMAL */
} cold;

typedef struct fixup {
  uint8_t *from;
  uint16_t pc;
  uint8_t bus;
} fixup;

typedef struct translator {
  jit *j;
  code k;
  int bank;
  int window;  /* for E0: the one that shows `bank` */
  uint16_t pc; /* of the instruction being translated */
  /* A stretch of the bank's window whose reads nobody notices, and what it shows; a window of 4K may show 2K twice. */
  int plain_begin, plain_size, plain_mask;
  const uint8_t *plain;
  int nz;
  int carry;               /* 0 or 1, which r9 has yet to become; CARRY_STORED */
  const uint8_t *flags_at; /* where the host's flags were those of the last result */
  int cycles;              /* not yet in r15 */
  int unguarded;           /* instructions since the guard was looked at */
  bool switched;           /* the cartridge may show another bank after the instruction */
  int colds, fixups, works;
  cold cold[MAX_COLD];
  fixup fix[MAX_FIXUPS];
  uint16_t work[MAX_WORK];
} translator;

enum { LAST_PAGE = CART_PAGES - 1 };

enum { E0_HOTSPOT = 0xFE0, E0_FIXED = 3, E0_FIXED_SLICE = 7 };

typedef enum mode { IMM, ZPG, ZPX, ZPY, ABS, ABX, ABY, IZX, IZY } mode;

typedef enum outcome { DONE, ENDED, REFUSED } outcome;

/* C that translated code calls, and the way into it and back: jit_calls.c. */
uint32_t jit_read(machine *m, uint32_t address, uint32_t bus);
uint32_t jit_read_tia(machine *m, uint32_t address, uint32_t bus);
uint32_t jit_read_riot(machine *m, uint32_t address);
void jit_write(machine *m, uint32_t address, uint32_t value);
uint8_t jit_pack_flags(const machine *m);
void jit_unpack_flags(machine *m, uint8_t p);
uint32_t jit_pull(machine *m);
uint32_t jit_decimal(machine *m, uint32_t a, uint32_t value, uint32_t subtract);
void jit_wait(machine *m, uint32_t first, uint32_t turn, uint32_t how);
void jit_emit_enter(code *k);
void jit_emit_leave(code *k);
void jit_emit_read_any(code *k);
void jit_emit_read_input(code *k, const uint8_t *read_any);
void jit_emit_write_any(code *k);
void jit_emit_push_enable(code *k);

/* Small pieces of code, and operands: jit_operands.c. */
int jit_window_of(uint16_t address);
bool jit_is_here(const translator *t, uint16_t pc);
const uint8_t *jit_direct(const translator *t, uint16_t address);
bool jit_is_ram(uint16_t address);
bool jit_is_tia(uint16_t address);
void jit_show_registers(code *k);
void jit_take_registers(code *k);
void jit_call_c(code *k, uint64_t function);
void jit_set_carry(code *k, cond when);
void jit_store_nz(translator *t, int r);
void jit_settle_carry(translator *t);
void jit_settle_flags(translator *t);
void jit_add_cycles(code *k, int cycles);
void jit_settle_cycles(translator *t);
void jit_settle(translator *t);
void jit_show_cycles(translator *t);
cold *jit_add_cold(translator *t, cold_kind kind, uint8_t *from);
jit_entry *jit_entry_of(jit *j, int bank, uint16_t pc);
void jit_want(translator *t, uint16_t pc);
void jit_link(translator *t, uint8_t *from, uint16_t pc, uint8_t bus);
void jit_look_at_guard(translator *t);
int jit_length(uint8_t opcode);
bool jit_accessible(mode how, const uint8_t *b);
void jit_read_fixed(translator *t, uint16_t address, uint8_t bus);
void jit_write_fixed(translator *t, uint16_t address, int value_reg, uint16_t next);
void jit_zero_page_address(translator *t, uint8_t zero_page, host_reg index);
void jit_find_plain(translator *t);
void jit_find_line_end(code *k);
void jit_load(code *k, host_reg into, operand from);
operand jit_read_operand(translator *t, mode how, const uint8_t *b, int cycles, host_reg into);
void jit_store_zero_page(translator *t, int value_reg, int cycles, uint16_t next, bool pushes);
void jit_write_operand(translator *t, mode how, const uint8_t *b, int value_reg, int cycles);

/* Instructions: jit_instructions.c. */
void jit_jump_dynamic(translator *t, int how);
outcome jit_translate_one(translator *t, const uint8_t *b);

#endif

#endif
