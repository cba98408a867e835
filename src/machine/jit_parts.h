/* What the parts of the translator share.
 *
 *   jit.c               finds blocks and translates them; enters translated code
 *   jit_instructions.c  translates one instruction, operands apart
 *   jit_operands.c      translates operands: reads and writes of memory, ROM and the chips
 *   jit_dpc.c           the chip of Pitfall II: its reads, and code in its page
 *   jit_cold.c          writes the rare paths of a block behind it
 *   jit_calls.c         C functions that translated code calls, and the fixed pieces of code
 *   jit_encoder.h       operations as machine code: jit_x86.c, jit_arm64.c
 *   jit_disassemble*.c  read it back
 *
 * Registers have the names of jit_encoder.h. Of the scratch registers, T0 has addresses, bytes that are read, and
 * results; T1 and T2 have cycles and the byte on the bus when a fixed piece of code is called; T5 is used in fixed
 * pieces only. V, D and I are in machine.run, SP and PC in the console. */
#ifndef SIXER_MACHINE_JIT_PARTS_H
#define SIXER_MACHINE_JIT_PARTS_H

#include "machine/jit.h"

#ifdef SIXER_JIT

#include "machine/cpu_plain.h"
#include "machine/jit_encoder.h"
#include "machine/tia_fast.h"

/* Offsets from C and from M, and fields as places in memory. Address 0x80 of the zero page is the first byte of
 * memory. */
#define OF_C(field)   ((ptrdiff_t)offsetof(console, field) - (ptrdiff_t)C_POINT)
#define OF_M(field)   ((ptrdiff_t)offsetof(machine, field) - (ptrdiff_t)M_POINT)
#define IN_C(field)   at(C, OF_C(field))
#define IN_M(field)   at(M, OF_M(field))
#define RAM_AT(index) (OF_C(ram) + (index))
#define ZERO_PAGE     (OF_C(ram) - 0x80)

/* Bits of an address. The cartridge has bit 12 set. Without it, bit 7 is clear for the TIA, and bit 9 tells memory from
 * the RIOT. */
enum {
  CART_BIT = 0x1000,
  TIA_MASK = 0x1080, /* all clear: the TIA */
  RAM_MASK = 0x1280, /* equal to RAM_BITS: memory */
  RAM_BITS = 0x0080
};

enum { NZ_NEGATIVE = 0x180 }; /* the bits of NZ that mean N */
enum { FLAGS_PUSHED = 0x30 }; /* bits 4 and 5 of the status byte are set whenever it is pushed */

/* Why translated code was left: what translated code returns. */
typedef enum left {
  LEFT_BY_JUMP, /* go on at console.pc in any way */
  LEFT_BY_RTS,  /* likewise; the byte on the bus is the one in front of console.pc */
  LEFT_TO_PLAIN /* the instruction at console.pc must be executed by another core */
} left;

enum { MAX_BLOCK = 400, MAX_COLD = 800, MAX_FIXUPS = 4096, MAX_WORK = 4096 };

/* Bytes of a rare path at most; an instruction has 8 of them at most. A block and its rare paths have no more bytes
 * than MAX_NEAR. */
enum { MAX_COLD_BYTES = 256 };

/* Instructions between two checks of the guard. They must take fewer cycles than TIA_GUARD. */
enum { MAX_UNGUARDED = 100 };
_Static_assert(MAX_UNGUARDED * 8 + 100 < TIA_GUARD, "the longest instructions take 8 cycles");

/* A block leaves so many of them to those that jump behind its check, at most. */
enum { MAX_SLACK = 60 };

/* Values of translator.nz and translator.carry: the flags are in their registers. */
enum { NZ_STORED = -1, CARRY_STORED = -1 };

/* The rare paths of a block. They are written behind it ("cold"), so that the common path is short and runs straight
 * on. */
typedef enum cold_kind {
  COLD_EXIT,    /* leave: the next instruction is not translated */
  COLD_GUARD,   /* leave: the guard was reached */
  COLD_BAIL,    /* leave: this instruction has done nothing yet, another core executes it */
  COLD_STOP,    /* leave: the frame is over */
  COLD_READ,    /* a zero-page read that is not of memory */
  COLD_ANY,     /* a read that is not of plain ROM */
  COLD_WRITE,   /* a zero-page write that is not to memory */
  COLD_DECIMAL, /* ADC or SBC in decimal mode */
  COLD_PULL,    /* PLA that does not pull from memory */
  COLD_ENABLE,  /* PHP to ENAM0, ENAM1 or ENABL */
  COLD_WAIT,    /* WSYNC in another line than expected */
  COLD_FLAG,    /* a fetcher of the DPC chip is at its top or bottom */
  COLD_RETURN   /* leave: RTS to an address without a block */
} cold_kind;
enum { COLD_KINDS = COLD_RETURN + 1 };

/* An address that is known at run time: base + index + offset. There is no index if it is negative. */
typedef struct dynamic_address {
  host_reg base, index;
  int offset;
} dynamic_address;

typedef struct cold {
  cold_kind kind;
  uint8_t *from;       /* the jump that leads here */
  const uint8_t *back; /* where it leads back to */
  uint16_t pc;         /* the instruction, or the next one after a write that may end the frame */
  int8_t nz, carry;    /* as in translator, at the jump */
  int cycles;          /* not yet in CYCLES */
  int own;             /* COLD_ANY: cycles of this instruction; COLD_FLAG: the fetcher */
  int bus; /* byte on the bus; -1: the high byte of the pointer in T2 (COLD_ANY); -1 - r: in register r (COLD_STOP) */
  int value;    /* register to read into or write; COLD_DECIMAL: 1 for SBC; COLD_FLAG: the flag */
  bool pushes;  /* COLD_WRITE: the stack pointer is still to be decremented */
  operand what; /* COLD_DECIMAL */
  dynamic_address address; /* COLD_ANY */
} cold;

/* A jump to another block, whose distance is filled in when all blocks are written. */
typedef struct fixup {
  uint8_t *from;
  uint16_t pc;
  uint8_t bus;       /* byte on the bus after the jump, for the case that translated code is left */
  uint8_t unguarded; /* instructions since the last check of the guard, with the one that jumps */
} fixup;

typedef struct translator {
  jit *j;
  code k;
  int bank;
  int window;  /* for E0: the one that shows `bank` */
  uint16_t pc; /* of the instruction being translated */
  /* The longest stretch of the bank's window whose reads have no side effects: offset, size, and its bytes. Offsets are
   * masked by plain_mask, as a window of 4K may show 2K twice. */
  int plain_begin, plain_size, plain_mask;
  const uint8_t *plain;
  int nz;        /* register whose value N and Z are those of, or NZ_STORED */
  int carry;     /* known value that CARRY does not have yet, or CARRY_STORED */
  int cycles;    /* not yet in CYCLES */
  int unguarded; /* instructions since the last check of the guard */
  bool switched; /* the cartridge may show another bank after the instruction */
  int colds, fixups, works;
  cold cold[MAX_COLD];
  fixup fix[MAX_FIXUPS];
  uint16_t work[MAX_WORK]; /* addresses at which blocks are wanted */
} translator;

/* jit_jump_dynamic() finds entries and banks by shifts. */
enum { ENTRY_SHIFT = 4, BANK_SHIFT = 19 };
_Static_assert(sizeof(jit_entry) == 1 << ENTRY_SHIFT, "size of an entry");
_Static_assert(JIT_MIRRORS *JIT_WINDOW * sizeof(jit_entry) == 1 << BANK_SHIFT, "entries of a bank");

enum { CART_PAGE_BITS = 6, LAST_PAGE = CART_PAGES - 1 };

/* Cartridges of type E0 have four windows of 1K; the last one always shows slice 7. Hotspots begin at this offset. */
enum { E0_HOTSPOT = 0xFE0, E0_FIXED = 3, E0_FIXED_SLICE = 7 };

/* DONE: the next instruction follows. ENDED: the block ends with this one. REFUSED: it is not translated. */
typedef enum outcome { DONE, ENDED, REFUSED } outcome;

/* C functions that translated code calls, and the fixed pieces of code: jit_calls.c. */
c_function jit_read, jit_read_tia, jit_read_riot, jit_write, jit_pull, jit_decimal, jit_wait;
uint8_t jit_pack_flags(const machine *m);
void jit_unpack_flags(machine *m, uint8_t p);
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
const uint8_t *jit_code_at(const translator *t, uint16_t pc);
bool jit_is_ram(uint16_t address);
bool jit_is_tia(uint16_t address);
void jit_show_log(code *k);
void jit_take_log(code *k);
void jit_show_flags(code *k);
void jit_take_flags(code *k);
void jit_call_c(code *k, uint64_t function);
void jit_call_c_from(code *k, uint64_t function, bool in_piece);
void jit_call_c_with_flags(code *k, uint64_t function);
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
void jit_check_guard(translator *t);
bool jit_accessible(cpu_addressing how, const uint8_t *b);
void jit_read_fixed(translator *t, uint16_t address, uint8_t bus, host_reg into);
void jit_write_fixed(translator *t, uint16_t address, int value_reg, uint16_t next);
void jit_zero_page_address(translator *t, uint8_t zero_page, host_reg index);
void jit_find_plain(translator *t);
void jit_find_line_end(code *k);
void jit_load_address(code *k, host_reg into, dynamic_address from);
operand jit_read_operand(translator *t, cpu_addressing how, const uint8_t *b, int cycles,
                         host_reg into);
void jit_store_zero_page(translator *t, int value_reg, int cycles, uint16_t next, bool pushes);
void jit_write_operand(translator *t, cpu_addressing how, const uint8_t *b, int value_reg,
                       int cycles);

/* The chip of Pitfall II: jit_dpc.c. jit_clocked() is the byte at an address of the page in which each fetch clocks the
 * chip, NULL if it is elsewhere or a hotspot; jit_clock_fetches() emits the clocks of an instruction. */
bool jit_is_dpc(const translator *t, uint16_t address);
void jit_read_dpc(translator *t, uint16_t address, host_reg into);
void jit_emit_flag(code *k, const cold *c);
c_function jit_music;
const uint8_t *jit_clocked(const translator *t, uint16_t address);
void jit_clock_fetches(translator *t, int length);

/* Instructions: jit_instructions.c. */
void jit_jump_dynamic(translator *t, left how);
outcome jit_translate_one(translator *t, const uint8_t *b);

/* Rare paths: jit_cold.c. */
extern const char *const jit_cold_names[]; /* why each kind is taken */
void jit_emit_cold(translator *t, const cold *c);

#endif

#endif
