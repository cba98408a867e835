/* The interpreter as functions: one per opcode, each of which ends by jumping to the next one. For clang, which merges
 * the jumps of the form with labels (interp_body.h) into a few that the host predicts badly.
 *
 * The registers of the 6507 are parameters, so they stay in registers of the host from function to function. What calls
 * C (slow_read and so on) is a function of its own that is jumped to as well: otherwise the function of each opcode
 * would save and restore registers, even when it does not call.
 *
 * An instruction whose accesses are not the usual ones, such as one that modifies a register of the TIA, is left to the
 * plain processor before it has changed anything (leave). */
#include "util/os_cpu.h"

#if defined(__clang__) && OS_X86_64
/* `regcall`, used below, wants vector registers to be saved around calls of C if functions could use them */
#pragma clang attribute push(__attribute__((target("general-regs-only"))), apply_to = function)
#define SIXER_NO_VECTORS
#endif

#include "machine/interp_parts.h"

#ifdef INTERP_TAIL_CALLS

/* ---- Functions of opcodes -------------------------------------------------------------------------------------- */

/* What is not worth a register. */
typedef struct run_state run_state;

/* a, x, y and the carry are bytes. They are passed as wider numbers, since clang would extend bytes again in each
 * function. */
#define PARAMETERS                                                                       \
  run_state *s, console *c, const uint8_t *code, int32_t cycles, uint32_t a, uint32_t x, \
      uint32_t y, uint32_t nz MORE_PARAMETERS(carry)
#define ARGUMENTS s, c, code, cycles, a, x, y, nz MORE_ARGUMENTS

/* Eight parameters are in registers by most conventions; the carry, and accesses that are handed over to another
 * function, are in the state then. On x86-64, `regcall` passes eleven and leaves two registers that a function may
 * change. The last two parameters make these four: after an access they are of no use, which FORGET() says. */
#ifdef SIXER_NO_VECTORS
#define CONVENTION             __attribute__((regcall))
#define MORE_PARAMETERS(carry) , uint32_t carry, uintptr_t spare0, uintptr_t spare1
#define MORE_ARGUMENTS         , carry, spare0, spare1
#define FORGET()               __asm__("" : "=r"(spare0), "=r"(spare1))
#define CARRY                  carry
#define ADDRESS                spare0
#define DATA                   spare1
#else
#define CONVENTION
#define MORE_PARAMETERS(carry)
#define MORE_ARGUMENTS
#define FORGET() ((void)0)
#define CARRY    s->carry
#define ADDRESS  s->address
#define DATA     s->data
#endif

typedef CONVENTION void handler(PARAMETERS);
#define HANDLER CONVENTION __attribute__((noinline)) static void

/* Go on with another function. */
#define GO(function)                                        \
  do {                                                      \
    FORGET();                                               \
    __attribute__((musttail)) return (function)(ARGUMENTS); \
  } while (0)

/* The same with an access: its address, and the byte to be written, or on the bus before a read. */
#define HAND_OVER(function, address_, data_)                \
  do {                                                      \
    ADDRESS = (uint16_t)(address_);                         \
    DATA = (uint8_t)(data_);                                \
    __attribute__((musttail)) return (function)(ARGUMENTS); \
  } while (0)

struct run_state {
  code_run run, other; /* the current run, and the one before it */
  uintptr_t bias;      /* address of an instruction minus its address in the host's memory */
  const uint8_t *const *pages;
  machine *m;
  int32_t until;
  uint16_t outside; /* bits of addresses at which to leave */
  uint16_t watched; /* 0x1000: the cartridge watches all addresses */
  uint8_t v, rest;  /* V; D and I */
  /* where there are no parameters for them: */
  uint8_t carry, data;
  uint16_t address;
  handler *then;      /* what goes on after a slow read */
  int32_t note_until; /* writes to the TIA before this cycle are logged without a call */
  uint64_t banks;
};

#define V    s->v
#define REST s->rest
#define SP   c->sp

#define PC() ((uint16_t)((uintptr_t)code + s->bias))

static handler *const handlers[256];

#define EXECUTE() GO(handlers[code[0]])
#define NEXT()                                             \
  do {                                                     \
    if (__builtin_expect(code >= s->run.end, 0)) GO(fall); \
    EXECUTE();                                             \
  } while (0)
#define GO_TO(target)           \
  do {                          \
    c->pc = (uint16_t)(target); \
    GO(jump);                   \
  } while (0)

/* ---- Finding code ---------------------------------------------------------------------------------------------- */

/* Leave at the instruction at `code`: the frame is over, or the plain processor has to execute it. */
HANDLER leave(PARAMETERS) {
  FORGET();
  c->a = (uint8_t)a, c->x = (uint8_t)x, c->y = (uint8_t)y;
  c->p = PACK_P();
  c->pc = PC();
  c->cycles = cycles;
}

/* Find the run of the instruction at c->pc. */
HANDLER arrive(PARAMETERS) {
  const uint16_t pc = c->pc;
  const bool over = s->m->stop || cycles >= s->until;
  code_run run = {c->ram, c->ram, pc};
  if (!over) {
    s->other = s->run;
    if (!(pc & s->outside)) run = interp_find_run(s->m, pc);
  }
  s->run = run;
  s->bias = run.pc - (uintptr_t)run.begin;
  code = run.begin + (uint16_t)(pc - run.pc);
  if (code >= run.end) GO(leave);
  EXECUTE();
}

/* The end of the run was reached. */
HANDLER fall(PARAMETERS) {
  c->pc = PC();
  GO(arrive);
}

/* Jump to c->pc, which is most often in one of the two runs. */
HANDLER jump(PARAMETERS) {
  uint16_t offset = (uint16_t)(c->pc - s->run.pc);
  if (cycles >= s->until) GO(arrive);
  if (offset >= s->run.end - s->run.begin) {
    offset = (uint16_t)(c->pc - s->other.pc);
    if (offset >= s->other.end - s->other.begin) GO(arrive);
    const code_run swap = s->run;
    s->run = s->other;
    s->other = swap;
    s->bias = s->run.pc - (uintptr_t)s->run.begin;
  }
  code = s->run.begin + offset;
  EXECUTE();
}

/* Go where the branch at `code` leads. */
HANDLER take_branch(PARAMETERS) {
  const uint16_t after = (uint16_t)(PC() + 2), target = (uint16_t)(after + (int8_t)code[1]);
  cycles += 1 + (((target ^ after) >> 8) != 0);
  code += 2 + (int8_t)code[1];
  if (cycles < s->until && code >= s->run.begin && code < s->run.end) EXECUTE();
  GO_TO(target);
}

/* The branch at `code` goes back by three bytes. In a loop that waits for the timer, skip all but one of the turns that
 * it makes for certain. */
HANDLER wait_for_timer(PARAMETERS) {
  const uint16_t after = (uint16_t)(PC() + 2), target = (uint16_t)(after - 5);
  if (code - 3 >= s->run.begin && (target & 0x1000) && interp_waits(code - 3)) {
    const int crossed = ((target ^ after) >> 8) != 0, turn = 7 + crossed,
              turns = interp_idle_turns(c, cycles + 1 + crossed, 4, turn, code[0]);
    if (turns > 1) cycles += turn * (turns - 1);
  }
  GO(take_branch);
}

/* ---- Accesses other than to memory and plain ROM --------------------------------------------------------------- */

/* An access may have switched banks, or ended the frame: then NEXT and jumps look for the code again. */
static void look_at_banks(run_state *s, const console *c, uint16_t address) {
  const bool switched = (address | s->watched) & 0x1000 && banks_of(c) != s->banks;
  if (switched) {
    s->pages = s->m->pages;
    s->banks = banks_of(c);
  }
  if (switched || s->m->stop) {
    s->run.end = s->run.begin;
    s->other.end = s->other.begin;
  }
}

HANDLER slow_read(PARAMETERS) {
  const uint16_t address = (uint16_t)ADDRESS;
  const uint8_t data = interp_slow_read(s->m, address, (uint8_t)DATA, cycles);
  look_at_banks(s, c, address);
  HAND_OVER(s->then, 0, data);
}

HANDLER slow_write(PARAMETERS) {
  const uint16_t address = (uint16_t)ADDRESS;
  const uint8_t data = (uint8_t)DATA;
  cycles = interp_slow_write(s->m, address, data, cycles, true);
  look_at_banks(s, c, address);
  c->bus = data;
  NEXT();
}

/* A write in the zero page, below memory, that is logged; WSYNC; or another one. */
HANDLER note_write(PARAMETERS) {
  const int reg = ADDRESS & 0x3F;
  const uint8_t data = (uint8_t)DATA;
  if (tia_kind_of[reg] != TIA_CALL)
    tia_fast_note(s->m, reg, data, cycles);
  else if (reg == WSYNC)
    cycles = tia_line_end(&s->m->frame, cycles);
  else
    HAND_OVER(slow_write, ADDRESS, data);
  c->bus = data;
  NEXT();
}

/* The same, whatever it is. Most writes leave the register of the TIA as it is; of these nothing is noted. */
HANDLER write_zero_page(PARAMETERS) {
  const int reg = ADDRESS & 0x3F;
  const uint8_t data = (uint8_t)DATA;
  if (cycles >= s->note_until) HAND_OVER(slow_write, ADDRESS, data);
  if (tia_kind_of[reg] != TIA_LEVEL || s->m->frame.shadow[reg] != (data & tia_mask[reg]))
    HAND_OVER(note_write, ADDRESS, data);
  c->bus = data;
  NEXT();
}

/* ---- Decimal mode ---------------------------------------------------------------------------------------------- */

#define DECIMAL(name, operation)                      \
  HANDLER name(PARAMETERS) {                          \
    uint8_t flags = PACK_P();                         \
    a = operation((uint8_t)a, (uint8_t)DATA, &flags); \
    UNPACK_P(flags);                                  \
    NEXT();                                           \
  }
DECIMAL(decimal_adc, cpu_adc)
DECIMAL(decimal_sbc, cpu_sbc)
DECIMAL(decimal_arr, cpu_arr)

#define DO_ADC()                                        \
  do {                                                  \
    if (REST & FLAG_D) HAND_OVER(decimal_adc, 0, data); \
    ADD(data);                                          \
  } while (0)
#define DO_SBC()                                        \
  do {                                                  \
    if (REST & FLAG_D) HAND_OVER(decimal_sbc, 0, data); \
    ADD((uint8_t)~data);                                \
  } while (0)
#define DO_ARR() HAND_OVER(decimal_arr, 0, data)

/* ---- Addresses ------------------------------------------------------------------------------------------------- */

/* Each sets `address`, `fetched` (the last byte on the bus before the access) and `length` (of the instruction); and,
 * if an index is added, `low`, the sum of the low bytes, which tells whether a page is crossed. */
#define ZP()          (address = fetched = code[1], length = 2)
#define ZP_INDEXED(r) (address = (uint8_t)(code[1] + (r)), fetched = code[1], length = 2)
#define ABSOLUTE()    (address = (uint16_t)(code[1] | code[2] << 8), fetched = code[2], length = 3)
#define ABS_INDEXED(r)                               \
  (low = (uint32_t)code[1] + (r), fetched = code[2], \
   address = (uint16_t)(low + ((uint32_t)fetched << 8)), length = 3)
#define POINTER(zero_page, index)                         \
  do {                                                    \
    const uint32_t zp_ = (uint8_t)(zero_page);            \
    if (zp_ < 0x80 || zp_ == 0xFF) GO(leave);             \
    low = (uint32_t)c->ram[zp_ - 0x80] + (index);         \
    fetched = c->ram[zp_ - 0x7F];                         \
    address = (uint16_t)(low + ((uint32_t)fetched << 8)); \
    length = 2;                                           \
  } while (0)
#define INDIRECT_X()    POINTER(code[1] + x, 0)
#define INDIRECT_Y()    POINTER(code[1], y)
#define CROSSED()       (cycles += (int32_t)(low >> 8))
#define IS_RAM(address) (((address)&0x1280) == 0x0080)

/* ---- Opcodes, by pattern --------------------------------------------------------------------------------------- */

/* The parameters of the functions of opcodes, and bytes of them with a promise that they are not wider. */
#define WIDE_PARAMETERS                                                                            \
  run_state *s, console *c, const uint8_t *code, int32_t cycles, uint32_t wide_a, uint32_t wide_x, \
      uint32_t wide_y, uint32_t nz MORE_PARAMETERS(wide_carry)
#define TAKE_BYTE(name, limit)             \
  __builtin_assume(wide_##name < (limit)); \
  uint8_t name = (uint8_t)wide_##name
#ifdef SIXER_NO_VECTORS
#define TAKE_CARRY() TAKE_BYTE(carry, 2)
#else
#define TAKE_CARRY() ((void)0)
#endif
#define TAKE_BYTES() \
  TAKE_BYTE(a, 256); \
  TAKE_BYTE(x, 256); \
  TAKE_BYTE(y, 256); \
  TAKE_CARRY()

#define OPCODE(op)                               \
  HANDLER op_##op(WIDE_PARAMETERS) {             \
    TAKE_BYTES();                                \
    uint16_t address = 0;                        \
    uint32_t low = 0;                            \
    uint8_t data = 0, address2 = 0, fetched = 0; \
    int length = 0;                              \
    (void)address, (void)low, (void)data, (void)address2, (void)fetched, (void)length;
#define END_OF_OPCODE }

/* The mode has found the address: pass the instruction, and count its cycles. */
#define PASS(op) (code += length, cycles += cpu_cycles[0x##op])

/* What is done with the byte that was read, in a function of its own for the case that slow_read() has read it. */
#define READ_THEN(op, what)            \
  HANDLER then_##op(WIDE_PARAMETERS) { \
    TAKE_BYTES();                      \
    uint8_t data = (uint8_t)DATA;      \
    (void)data;                        \
    what;                              \
    NEXT();                            \
  }
#define SLOW_READ(op)                       \
  do {                                      \
    s->then = then_##op;                    \
    HAND_OVER(slow_read, address, fetched); \
  } while (0)

#define READS_AND(op, mode, crossed, what)                          \
  READ_THEN(op, what)                                               \
  OPCODE(op)                                                        \
  const uint8_t *page;                                              \
  mode;                                                             \
  PASS(op);                                                         \
  crossed;                                                          \
  if ((address & 0x1000) && (page = s->pages[(address >> 6) & 63])) \
    data = page[address & 63];                                      \
  else if (IS_RAM(address))                                         \
    data = c->ram[address & 0x7F];                                  \
  else                                                              \
    SLOW_READ(op);                                                  \
  c->bus = data;                                                    \
  what;                                                             \
  NEXT();                                                           \
  END_OF_OPCODE
#define READS(op, mode, what)   READS_AND(op, mode, (void)0, what)
#define READS_X(op, mode, what) READS_AND(op, mode, CROSSED(), what)
#define READS_ZP(op, mode, what)          \
  READ_THEN(op, what)                     \
  OPCODE(op)                              \
  mode;                                   \
  PASS(op);                               \
  if (!(address & 0x80)) SLOW_READ(op);   \
  c->bus = data = c->ram[address & 0x7F]; \
  what;                                   \
  NEXT();                                 \
  END_OF_OPCODE
#define IMMEDIATE(op, what) \
  OPCODE(op)                \
  c->bus = data = code[1];  \
  length = 2;               \
  PASS(op);                 \
  what;                     \
  NEXT();                   \
  END_OF_OPCODE
#define STORES(op, mode, value)                               \
  OPCODE(op)                                                  \
  mode;                                                       \
  PASS(op);                                                   \
  data = (uint8_t)(value);                                    \
  if (!IS_RAM(address)) HAND_OVER(slow_write, address, data); \
  c->bus = c->ram[address & 0x7F] = data;                     \
  NEXT();                                                     \
  END_OF_OPCODE
#define STORES_ZP(op, mode, value)                                  \
  OPCODE(op)                                                        \
  mode;                                                             \
  PASS(op);                                                         \
  data = (uint8_t)(value);                                          \
  if (!(address & 0x80)) HAND_OVER(write_zero_page, address, data); \
  c->bus = c->ram[address & 0x7F] = data;                           \
  NEXT();                                                           \
  END_OF_OPCODE
#define MODIFIES(op, mode, what, then)    \
  OPCODE(op)                              \
  mode;                                   \
  if (!IS_RAM(address)) GO(leave);        \
  PASS(op);                               \
  data = c->ram[address & 0x7F];          \
  what;                                   \
  c->bus = c->ram[address & 0x7F] = data; \
  then;                                   \
  NEXT();                                 \
  END_OF_OPCODE
#define IMPLIED(op, what) \
  OPCODE(op)              \
  c->bus = 0x##op;        \
  length = 1;             \
  PASS(op);               \
  what;                   \
  NEXT();                 \
  END_OF_OPCODE
#define ACCUMULATOR(op, what) IMPLIED(op, (data = a, what, NZ(a = data)))
#define BRANCHES(op, condition)              \
  OPCODE(op)                                 \
  cycles += cpu_cycles[0x##op];              \
  c->bus = code[1];                          \
  if (condition) {                           \
    if (code[1] == 0xFB) GO(wait_for_timer); \
    GO(take_branch);                         \
  }                                          \
  code += 2;                                 \
  NEXT();                                    \
  END_OF_OPCODE

#include "machine/interp_opcodes.h"

/* ---- Jumps and the stack --------------------------------------------------------------------------------------- */

OPCODE(4C) /* JMP */
c->bus = code[2];
cycles += cpu_cycles[0x4C];
GO_TO(code[1] | code[2] << 8);
END_OF_OPCODE

/* JMP (): the high byte is taken from the same page as the low byte. */
OPCODE(6C)
ABSOLUTE();
const uint16_t next = (uint16_t)((address & 0xFF00) | ((address + 1) & 0xFF));
if (!IS_RAM(address) || !IS_RAM(next)) GO(leave);
PASS(6C);
data = c->ram[address & 0x7F];
c->bus = c->ram[next & 0x7F];
GO_TO(data | c->bus << 8);
END_OF_OPCODE

OPCODE(20) /* JSR */
const uint16_t back = (uint16_t)(PC() + 2);
data = code[1];
if (SP < 0x81) GO(leave);
c->ram[SP - 0x80] = (uint8_t)(back >> 8);
c->ram[SP - 0x81] = (uint8_t)back;
SP -= 2;
cycles += cpu_cycles[0x20];
c->bus = code[2]; /* read last: if the code is in RAM, the pushes may have changed it */
GO_TO(data | c->bus << 8);
END_OF_OPCODE

/* RTS reads the byte at the address that it pulls, before it adds 1. */
HANDLER then_60(PARAMETERS) { GO(jump); }
OPCODE(60)
const uint8_t *page;
if (SP < 0x80 || SP > 0xFD) GO(leave);
fetched = c->ram[SP - 0x7E];
address = (uint16_t)(c->ram[SP - 0x7F] | fetched << 8);
SP += 2;
cycles += cpu_cycles[0x60];
c->pc = (uint16_t)(address + 1);
if ((address & 0x1000) && (page = s->pages[(address >> 6) & 63]))
  c->bus = page[address & 63];
else if (IS_RAM(address))
  c->bus = c->ram[address & 0x7F];
else
  SLOW_READ(60);
GO(jump);
END_OF_OPCODE

/* PHA and PHP. The stack is mapped like the zero page, unless the cartridge watches all addresses. */
#define PUSHES(op, value)                                         \
  OPCODE(op)                                                      \
  address = SP--;                                                 \
  length = 1;                                                     \
  PASS(op);                                                       \
  data = (value);                                                 \
  if (!(address & 0x80)) {                                        \
    if (s->watched) HAND_OVER(slow_write, 0x100 | address, data); \
    HAND_OVER(write_zero_page, address, data);                    \
  }                                                               \
  c->bus = c->ram[address & 0x7F] = data;                         \
  NEXT();                                                         \
  END_OF_OPCODE
PUSHES(48, a)
PUSHES(08, PACK_P())

/* PLA and PLP. They read at the old stack pointer, and then at the new one; games let it point to the TIA. */
HANDLER slow_pull(PARAMETERS) {
  const uint16_t address = 0x100 | SP;
  const uint8_t data = interp_slow_read(s->m, address, (uint8_t)DATA, cycles);
  look_at_banks(s, c, address);
  SP++;
  HAND_OVER(slow_read, 0x100 | SP, data);
}
#define PULLS(op, what)              \
  READ_THEN(op, what)                \
  OPCODE(op)                         \
  length = 1;                        \
  PASS(op);                          \
  if (SP < 0x80 || SP > 0xFE) {      \
    s->then = then_##op;             \
    HAND_OVER(slow_pull, 0, 0x##op); \
  }                                  \
  SP++;                              \
  c->bus = data = c->ram[SP - 0x80]; \
  what;                              \
  NEXT();                            \
  END_OF_OPCODE
PULLS(68, NZ(a = data))
PULLS(28, UNPACK_P(data))

/* BRK, RTI and JAM are rare: the plain processor executes them. */
#define op_00 leave
#define op_02 leave
#define op_12 leave
#define op_22 leave
#define op_32 leave
#define op_40 leave
#define op_42 leave
#define op_52 leave
#define op_62 leave
#define op_72 leave
#define op_92 leave
#define op_B2 leave
#define op_D2 leave
#define op_F2 leave

#define ROW(r)                                                                            \
  op_##r##0, op_##r##1, op_##r##2, op_##r##3, op_##r##4, op_##r##5, op_##r##6, op_##r##7, \
      op_##r##8, op_##r##9, op_##r##A, op_##r##B, op_##r##C, op_##r##D, op_##r##E, op_##r##F
static handler *const handlers[256] = {ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5),
                                       ROW(6), ROW(7), ROW(8), ROW(9), ROW(A), ROW(B),
                                       ROW(C), ROW(D), ROW(E), ROW(F)};

void interp_run_calls(machine *m, bool ram_only, int32_t until) {
  console *const c = m->c;
  const uint8_t *const code = c->ram;
  const int32_t cycles = c->cycles;
  const uint8_t a = c->a, x = c->x, y = c->y;
  uint32_t nz;
  run_state state = {.run = {c->ram, c->ram, 0},
                     .other = {c->ram, c->ram, 0},
                     .pages = m->pages,
                     .m = m,
                     .until = until,
                     .outside = ram_only ? 0x1000 : 0,
                     .watched = m->tia_direct ? 0 : 0x1000,
                     .note_until = m->tia_direct ? m->frame.note_until : INT32_MIN,
                     .banks = banks_of(c)},
            *const s = &state;
#ifdef SIXER_NO_VECTORS
  uint8_t carry;
  const uintptr_t spare0 = 0, spare1 = 0;
#endif
  UNPACK_P(c->p);
  arrive(ARGUMENTS);
}

#endif

#ifdef SIXER_NO_VECTORS
#pragma clang attribute pop
#endif
