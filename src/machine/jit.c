/* Translating 6507 code into x86-64.
 *
 * A *trace* begins where the processor arrives and follows the program until it cannot: an unconditional jump, an
 * instruction that is left to the plain processor, or one that is translated already. Everything reachable from it by
 * jumps with fixed targets is translated with it, so that traces can jump into each other directly.
 *
 * While translated code runs: rbx is the console, rbp the machine, r12..r14 are A, X, Y, r15 the cycle counter, and r11 the
 * end of the TIA's log. r9 is the carry, 0 or 1, and r10 tells N and Z: the last result, with bit 8 set where N does not
 * follow from it.
 * The other flags are in machine.run. N and Z are those of A, X or Y most of the time, which the translator knows,
 * and stores only where somebody could look. Cycles are added up during translation and put into r15 only before
 * an access that depends on them and at the ends of traces.
 *
 * An access whose address is not known in advance may turn out to concern the cartridge. Then nothing of the
 * instruction has happened yet, and it is left to the plain processor ("bail"). */
#include "machine/jit.h"

#include <stddef.h>
#include <string.h>

#include "machine/cart.h"
#include "machine/cpu_plain.h"
#include "machine/interp.h"
#include "machine/riot.h"
#include "machine/tia_fast.h"

#if defined(__x86_64__) && defined(__linux__)

#include <sys/mman.h>

#include "machine/jit_x86.h"

enum { C = RBX, M = RBP, CARRY = R9, NZ = R10, LOG = R11, A = R12, X = R13, Y = R14, CYCLES = R15 };
/* rbx points to memory, whose addresses are then short */
#define OF_C(field)   ((ptrdiff_t)offsetof(console, field) - (ptrdiff_t)offsetof(console, ram))
#define OF_M(field)   ((ptrdiff_t)offsetof(machine, field))
#define RAM_AT(index) (OF_C(ram) + (index))
#define ZERO_PAGE     OF_C(ram) - 0x80 /* address 0x80 is the first byte of memory */

/* What translated code says when it comes back. */
enum { LEFT_BY_JUMP, LEFT_BY_RTS, LEFT_TO_PLAIN };

enum { NZ_STORED = -1 };
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
  COLD_WRITE,   /* likewise a write */
  COLD_DECIMAL, /* decimal arithmetic */
  COLD_PULL     /* a pull that is not from memory */
} cold_kind;

typedef struct cold {
  cold_kind kind;
  uint8_t *from; /* jump that leads here */
  const uint8_t *back;
  uint16_t pc;
  int8_t nz;   /* register that N and Z follow, or NZ_STORED */
  int cycles;  /* not yet in r15 */
  int bus;     /* byte on the bus; -1 - r: that in register r */
  int value;   /* register of the value to be written; for COLD_DECIMAL 1 is SBC */
  bool pushes; /* COLD_WRITE: the stack pointer has still to go down */
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
  int nz;
  int cycles;    /* not yet in r15 */
  int unguarded; /* instructions since the guard was looked at */
  int colds, fixups, works;
  cold cold[MAX_COLD];
  fixup fix[MAX_FIXUPS];
  uint16_t work[MAX_WORK];
} translator;

/* ---- What translated code calls --------------------------------------------------------------------------------- */

static uint32_t jit_read(machine *m, uint32_t address, uint32_t bus) {
  m->c->bus = (uint8_t)bus;
  if (!(address & 0x1080) && m->tia_direct) return tia_fast_read(m, (uint16_t)address);
  return machine_peek(m, (uint16_t)address);
}

static uint32_t jit_read_tia(machine *m, uint32_t address, uint32_t bus) {
  m->c->bus = (uint8_t)bus;
  return tia_fast_read(m, (uint16_t)address);
}

static uint32_t jit_read_riot(machine *m, uint32_t address) {
  return riot_read(m, (uint16_t)address);
}

static void jit_write(machine *m, uint32_t address, uint32_t value) {
  int which = address & 0x3F;
  if (address & 0x1080)
    machine_poke(m, (uint16_t)address, (uint8_t)value);
  else if (tia_fast_can_note(m, which, m->c->cycles))
    tia_fast_note(m, which, (uint8_t)value, m->c->cycles);
  else
    tia_fast_write(m, (uint16_t)address, (uint8_t)value);
}

static uint8_t pack_flags(const machine *m) {
  return (uint8_t)((m->run.nz & 0x180 ? FLAG_N : 0) | (m->run.v ? FLAG_V : 0) | 0x30 | m->run.rest |
                   (m->run.nz & 0xFF ? 0 : FLAG_Z) | m->run.carry);
}

static void unpack_flags(machine *m, uint8_t p) {
  m->run.nz = (p & FLAG_Z ? 0u : 1u) | (p & 0x80u) << 1;
  m->run.v = (p >> 6) & 1;
  m->run.rest = p & (FLAG_D | FLAG_I);
  m->run.carry = p & FLAG_C;
}

/* PLA, also where the stack has run into the TIA: it reads at the old place and at the new one. */
static uint32_t jit_pull(machine *m) {
  console *c = m->c;
  c->bus = 0x68;
  machine_peek(m, 0x100 | c->sp);
  return machine_peek(m, 0x100 | ++c->sp);
}

static uint32_t jit_push_flags(machine *m) { return pack_flags(m); }

static void jit_pull_flags(machine *m, uint32_t p) { unpack_flags(m, (uint8_t)p); }

static uint32_t jit_decimal(machine *m, uint32_t a, uint32_t value, uint32_t subtract) {
  uint8_t p = pack_flags(m);
  uint8_t result =
      subtract ? cpu_sbc((uint8_t)a, (uint8_t)value, &p) : cpu_adc((uint8_t)a, (uint8_t)value, &p);
  unpack_flags(m, p);
  return result;
}

/* A loop that waits for the timer to reach 0: pass the turns that find it running. */
static void jit_wait(machine *m, uint32_t first, uint32_t turn, uint32_t how) {
  int turns = interp_idle_turns(m->c, m->c->cycles, (int)first, (int)turn, (int)how);
  int32_t until_guard = (m->line.guard - m->c->cycles) / (int32_t)turn;
  if (turns > until_guard) turns = until_guard;
  if (turns <= 0) return;
  m->c->cycles += turns * (int32_t)turn;
}

/* ---- Small pieces ------------------------------------------------------------------------------------------------ */

enum {
  LAST_PAGE = CART_PAGES - 1,
  FIRST_HOTSPOT = 0xFF0
}; /* of all the types that are translated */

static int page_of(uint16_t address) { return (address >> CART_PAGE_SHIFT) & (CART_PAGES - 1); }

/* Cartridges of type E0 have four windows, of which the last shows slice 7 for ever. What is translated is the code of a
 * slice in a window; what the other windows show is not known. */
enum { E0_HOTSPOT = 0xFE0, E0_FIXED = 3, E0_FIXED_SLICE = 7 };
static int window_of(uint16_t address) { return address >> 10 & 3; }
static int slice_at(const translator *t, uint16_t address) {
  int window = window_of(address);
  return window == t->window ? t->bank : window == E0_FIXED ? E0_FIXED_SLICE : -1;
}

/* Is code at this address of the part that is being translated? */
static bool is_here(const translator *t, uint16_t pc) {
  return t->j->cart->type != CART_E0 || window_of(pc) == t->window;
}

/* The byte at an address, if it is plain ROM that nobody notices being read. */
static const uint8_t *direct(const translator *t, uint16_t address) {
  const cartridge *cart = t->j->cart;
  if (!(address & 0x1000)) return NULL;
  if (cart->type == CART_E0) {
    int slice = slice_at(t, address);
    bool hotspot = (address & 0xFFF) >= E0_HOTSPOT;
    return slice < 0 || hotspot ? NULL : cart->image + slice * 1024 + (address & 0x3FF);
  }
  if (cart->type == CART_FE) return cart->image + (address & 0x2000 ? 0 : 4096) + (address & 0xFFF);
  const uint8_t *page = cart->pages[t->bank][page_of(address)];
  if (page) return page + (address & 63);
  bool quiet =
      page_of(address) == LAST_PAGE && (address & 0xFFF) < FIRST_HOTSPOT && cart->type != CART_DPC;
  return quiet ? cart->image + t->bank * 4096 + (address & 0xFFF) : NULL;
}

static bool is_ram(uint16_t address) { return (address & 0x1280) == 0x0080; }
static bool is_tia(uint16_t address) { return !(address & 0x1080); }

/* C code may add to the log and look at flags, and is free to use their registers. */
static void show_registers(code *k) {
  x_mem(k, 0x89, WIDE, LOG, M, OF_M(line.log_end));
  x_store32(k, NZ, M, OF_M(run.nz));
  x_store32(k, CARRY, M, OF_M(run.carry));
}
static void take_registers(code *k) {
  x_mem(k, 0x8B, WIDE, LOG, M, OF_M(line.log_end));
  x_load32(k, NZ, M, OF_M(run.nz));
  x_load32(k, CARRY, M, OF_M(run.carry));
}
static void call_c(code *k, uint64_t function) {
  show_registers(k);
  x_call_c(k, function);
  take_registers(k);
}

static void set_carry(code *k, cond when) { x_reg(k, 0x190 + (int)when, 0, 0, CARRY); }

static void store_nz(translator *t, int r) {
  if (r != NZ) x_mov(&t->k, NZ, r);
}

static void settle_nz(translator *t) {
  if (t->nz != NZ_STORED) store_nz(t, t->nz);
  t->nz = NZ_STORED;
}

static void add_cycles(code *k, int cycles) {
  if (cycles) x_alu_imm(k, 0, CYCLES, cycles);
}

static void settle_cycles(translator *t) {
  add_cycles(&t->k, t->cycles);
  t->cycles = 0;
}

/* The counter is about to be looked at by C code. */
static void show_cycles(translator *t) {
  settle_cycles(t);
  x_store32(&t->k, CYCLES, C, OF_C(cycles));
}

static cold *add_cold(translator *t, cold_kind kind, uint8_t *from) {
  if (t->colds == MAX_COLD) {
    t->k.full = true;
    return &t->cold[0];
  }
  cold *c = &t->cold[t->colds++];
  *c = (cold){.kind = kind, .from = from, .pc = t->pc, .nz = (int8_t)t->nz, .cycles = t->cycles};
  return c;
}

static jit_entry *entry_of(jit *j, int bank, uint16_t pc) {
  return &j->entry[(bank * JIT_MIRRORS + (pc >> 13)) * JIT_WINDOW + (pc & 0xFFF)];
}

static void want(translator *t, uint16_t pc) {
  if (!is_here(t, pc) || !direct(t, pc) || t->works == MAX_WORK) return;
  jit_entry *e = entry_of(t->j, t->bank, pc);
  if (e->wanted && (e->code || e->refused)) return;
  e->wanted = 1;
  t->work[t->works++] = pc;
}

/* A jump to another trace. */
static void link(translator *t, uint8_t *from, uint16_t pc, uint8_t bus) {
  if (t->fixups == MAX_FIXUPS) {
    t->k.full = true;
    return;
  }
  t->fix[t->fixups++] = (fixup){from, pc, bus};
  want(t, pc);
}

/* Leave if the frame is about to be too long. */
static void look_at_guard(translator *t) {
  t->unguarded = 0;
  x_mem(&t->k, 0x3B, 0, CYCLES, M, OF_M(line.guard));
  add_cold(t, COLD_GUARD, x_jump_if(&t->k, CC_GE));
}

/* ---- Operands ---------------------------------------------------------------------------------------------------- */

typedef enum mode { IMM, ZPG, ZPX, ZPY, ABS, ABX, ABY, IZX, IZY } mode;

static int mode_length(mode how) { return how == ABS || how == ABX || how == ABY ? 3 : 2; }

/* Can this operand be had? If not, the instruction is left to the plain processor. */
static bool readable(const translator *t, mode how, const uint8_t *b) {
  uint16_t word = (uint16_t)(b[1] | b[2] << 8);
  if (how == ABS) return !(word & 0x1000) || direct(t, word) || page_of(word) != LAST_PAGE;
  if (how == IZY) return b[1] >= 0x80 && b[1] < 0xFF;
  return true;
}

static bool writable(mode how, const uint8_t *b) {
  if (how == ABS) return !(b[2] & 0x10) || page_of((uint16_t)(b[1] | b[2] << 8)) != LAST_PAGE;
  if (how == IZY) return b[1] >= 0x80 && b[1] < 0xFF;
  return true;
}

/* A read at a fixed address: by C code, unless it is known to be some page of ROM. */
static void read_fixed(translator *t, uint16_t address, uint8_t bus) {
  if (t->j->cart->type == CART_E0 && (address & 0x1000) && page_of(address) != LAST_PAGE) {
    x_mem(&t->k, 0x8B, WIDE, RCX, M, OF_M(own_pages) + 8 * page_of(address));
    x_load8(&t->k, RAX, RCX, address & 63);
    return;
  }
  show_cycles(t);
  x_mem(&t->k, 0x8D, WIDE, RDI, M, 0);
  x_mov_imm(&t->k, RSI, address);
  x_mov_imm(&t->k, RDX, bus);
  if (is_tia(address))
    call_c(&t->k, (uint64_t)(uintptr_t)jit_read_tia);
  else if (!(address & 0x1000))
    call_c(&t->k, (uint64_t)(uintptr_t)jit_read_riot);
  else
    call_c(&t->k, (uint64_t)(uintptr_t)jit_read);
}

/* eax = (index + zero_page) & 0xFF */
static void zero_page_address(translator *t, uint8_t zero_page, reg index) {
  x_mem(&t->k, 0x8D, 0, RAX, index, zero_page);
  x_reg(&t->k, 0x1B6, 0, RAX, RAX);
}

/* eax = base + index; a crossed page costs a read a cycle, which is noted for a bail. */
static void indexed_address(translator *t, uint16_t base, reg index, bool read) {
  code *k = &t->k;
  x_mem(k, 0x8D, 0, RAX, index, base & 0xFF);
  if (read) {
    x_mov(k, RCX, RAX);
    x_shift_imm(k, SHIFT_RIGHT, RCX, 8);
    x_store32(k, RCX, M, OF_M(run.crossed));
    x_reg(k, 0x01, 0, RCX, CYCLES);
  }
  if (base & 0xFF00) x_alu_imm(k, 0, RAX, base & 0xFF00);
  x_reg(k, 0x1B7, 0, RAX, RAX);
}

/* eax = pointer + Y, edx = high byte of the pointer */
static void pointer_address(translator *t, uint8_t zero_page, bool read) {
  code *k = &t->k;
  x_load8(k, RAX, C, ZERO_PAGE + zero_page);
  x_load8(k, RDX, C, ZERO_PAGE + zero_page + 1);
  x_reg(k, 0x01, 0, Y, RAX);
  if (read) {
    x_mov(k, RCX, RAX);
    x_shift_imm(k, SHIFT_RIGHT, RCX, 8);
    x_store32(k, RCX, M, OF_M(run.crossed));
    x_reg(k, 0x01, 0, RCX, CYCLES);
  }
  x_mov(k, RCX, RDX);
  x_shift_imm(k, SHIFT_LEFT, RCX, 8);
  x_reg(k, 0x01, 0, RCX, RAX);
  x_reg(k, 0x1B7, 0, RAX, RAX);
}

/* eax = pointer at zero_page + X, edx = its high byte; bails where the pointer is not in memory. */
static void indexed_pointer(translator *t, uint8_t zero_page) {
  code *k = &t->k;
  x_store_imm32(k, M, OF_M(run.crossed), 0);
  zero_page_address(t, zero_page, X);
  x_mem(k, 0x8D, 0, RCX, RAX, -0x80);
  x_alu_imm(k, 7, RCX, 0x7F);
  add_cold(t, COLD_BAIL, x_jump_if(k, CC_AE));
  x_mem_index(k, 0x1B6, 0, RDX, C, RAX, 0, ZERO_PAGE + 1);
  x_mem_index(k, 0x1B6, 0, RAX, C, RAX, 0, ZERO_PAGE);
  x_mov(k, RCX, RDX);
  x_shift_imm(k, SHIFT_LEFT, RCX, 8);
  x_reg(k, 0x01, 0, RCX, RAX);
}

/* Read eax (bus byte in edx) into eax, wherever it leads. `cycles` are those of this instruction. */
static void read_dynamic(translator *t, int cycles) {
  x_mov_imm(&t->k, RCX, t->cycles + cycles);
  x_call_near(&t->k, t->j->read_any);
  add_cold(t, COLD_BAIL, x_jump_if(&t->k, CC_B));
}

/* Are all 256 bytes that an index can reach plain ROM? */
static const uint8_t *direct_table(const translator *t, uint16_t base) {
  const uint8_t *first = direct(t, base), *last = direct(t, (uint16_t)(base + 255));
  if (!first || !last || last - first != 255 || ((base + 255) & 0x1000) == 0) return NULL;
  for (int i = 64; i < 255; i += 64) {
    if (direct(t, (uint16_t)(base + i)) != first + i) return NULL;
  }
  return first;
}

/* Bring the operand into eax and count the instruction's cycles. */
static void read_operand(translator *t, mode how, const uint8_t *b, int cycles) {
  code *k = &t->k;
  uint16_t word = (uint16_t)(b[1] | b[2] << 8);
  reg index = how == ABY || how == ZPY ? Y : X;
  switch (how) {
    case IMM: x_mov_imm(k, RAX, b[1]); break;
    case ZPG:
    case ABS: {
      uint16_t address = how == ZPG ? b[1] : word;
      if (is_ram(address)) {
        x_load8(k, RAX, C, RAM_AT(address & 0x7F));
      } else if (direct(t, address)) {
        x_mov_imm(k, RAX, *direct(t, address));
      } else {
        t->cycles += cycles;
        read_fixed(t, address, how == ZPG ? b[1] : b[2]);
        return;
      }
      break;
    }
    case ZPX:
    case ZPY: {
      zero_page_address(t, b[1], index);
      x_reg(k, 0x84, BYTES, RAX, RAX);
      cold *c = add_cold(t, COLD_READ, x_jump_if(k, CC_NS));
      c->cycles += cycles;
      c->bus = b[1];
      x_mem_index(k, 0x1B6, 0, RAX, C, RAX, 0, ZERO_PAGE);
      c->back = k->at;
      break;
    }
    case ABX:
    case ABY: {
      const uint8_t *table = direct_table(t, word);
      if (table) {
        x_mov_imm64(k, RDX, (uint64_t)(uintptr_t)table);
        if (b[1]) {
          /* the sum of the low bytes carries: one cycle more */
          x_mem(k, 0x8D, 0, RCX, index, b[1]);
          x_shift_imm(k, SHIFT_RIGHT, RCX, 8);
          x_reg(k, 0x01, 0, RCX, CYCLES);
        }
        x_mem_index(k, 0x1B6, 0, RAX, RDX, index, 0, 0);
      } else {
        indexed_address(t, word, index, true);
        x_mov_imm(k, RDX, b[2]);
        read_dynamic(t, cycles);
      }
      break;
    }
    case IZX:
      indexed_pointer(t, b[1]);
      read_dynamic(t, cycles);
      break;
    case IZY:
      pointer_address(t, b[1], true);
      read_dynamic(t, cycles);
      break;
  }
  t->cycles += cycles;
}

/* The frame may be over after a write to the TIA. */
static void check_stop(translator *t, uint16_t next, int value_reg) {
  x_alu_mem_imm8(&t->k, 7, BYTES, M, OF_M(stop), 0);
  cold *c = add_cold(t, COLD_STOP, x_jump_if(&t->k, CC_NE));
  c->pc = next;
  c->bus = -1 - value_reg;
}

/* Put a write into the TIA's log. */
static void log_entry(translator *t, int tia_reg, int value_reg) {
  code *k = &t->k;
  x_mem(k, 0x8D, 0, RCX, CYCLES, t->cycles);
  x_shift_imm(k, SHIFT_LEFT, RCX, 16);
  if (tia_kind_of[tia_reg] == TIA_STROBE)
    x_alu_imm(k, 0, RCX, tia_reg << 8);
  else
    x_mem_index(k, 0x8D, 0, RCX, RCX, value_reg, 0, tia_reg << 8);
  x_store32(k, RCX, LOG, 0);
  x_reg(k, 0x83, WIDE, 0, LOG), x_byte(k, 4);
}

/* A write to the TIA, as tia_fast_note() does it. */
static void note_write(translator *t, int tia_reg, int value_reg) {
  code *k = &t->k;
  const ptrdiff_t shadow = OF_M(line.shadow) + tia_reg * 2,
                  other = OF_M(line.shadow) + tia_disturbs[tia_reg] * 2;
  switch ((tia_kind)tia_kind_of[tia_reg]) {
    case TIA_NOTHING:
    case TIA_CALL: return;
    case TIA_SOUND: x_store8(k, value_reg, M, OF_M(audio) + tia_reg - AUDC0); return;
    case TIA_STROBE:
      log_entry(t, tia_reg, RAX);
      if (tia_reg == HMCLR) {
        for (int i = 0; i < 5; i++) x_store_imm16(k, M, OF_M(line.shadow) + (HMP0 + i) * 2, 0);
      }
      return;
    default: break;
  }
  if (tia_mask[tia_reg] != 0xFF) {
    x_mov(k, RAX, value_reg);
    x_alu_imm(k, 4, RAX, tia_mask[tia_reg]);
    value_reg = RAX;
  }
  if (tia_kind_of[tia_reg] == TIA_ALWAYS) {
    log_entry(t, tia_reg, value_reg);
    return;
  }
  uint8_t *same;
  if (tia_disturbs[tia_reg]) {
    x_mem(k, 0x1B7, 0, RCX, M, shadow);
    x_reg(k, 0x39, 0, value_reg, RCX);
    same = x_jump_if(k, CC_E);
    x_alu_imm(k, 4, RCX, ~SHADOW_MUST_LOG);
    x_reg(k, 0x39, 0, value_reg, RCX);
    x_reg(k, 0x195, 0, 0, RCX); /* setne cl */
    x_mem(k, 0x08, 0, RCX, M, other + 1);
  } else {
    x_mem(k, 0x39, WORD16, value_reg, M, shadow);
    same = x_jump_if(k, CC_E);
  }
  x_mem(k, 0x89, WORD16, value_reg, M, shadow);
  log_entry(t, tia_reg, value_reg);
  x_land(k, same);
}

/* WSYNC: the processor waits for the end of the line, unless it is there. As tia_line_end() has it; cycles are below the
 * cut, for which a product is as good as a quotient. */
static void wait_for_line(translator *t) {
  code *k = &t->k;
  enum { SHIFT = 22, FACTOR = (1 << SHIFT) / LINE_CYCLES + 1 };
  x_mem(k, 0x8D, 0, RCX, CYCLES, t->cycles + LINE_CYCLES - 1);
  t->cycles = 0;
  x_mem(k, 0x03, 0, RCX, M, OF_M(line.phase));
  x_opcode(k, 0x69, 0, RCX, 0, RCX), x_byte(k, 0xC9), x_long(k, FACTOR);
  x_shift_imm(k, SHIFT_RIGHT, RCX, SHIFT);
  x_opcode(k, 0x6B, 0, CYCLES, 0, RCX), x_byte(k, 0xF9), x_byte(k, LINE_CYCLES);
  x_mem(k, 0x2B, 0, CYCLES, M, OF_M(line.phase));
}

static void write_fixed(translator *t, uint16_t address, int value_reg, uint16_t next) {
  code *k = &t->k;
  if (is_tia(address) && tia_kind_of[address & 0x3F] != TIA_CALL) {
    note_write(t, address & 0x3F, value_reg);
    return;
  }
  if (is_tia(address) && (address & 0x3F) == WSYNC) {
    wait_for_line(t);
    return;
  }
  show_cycles(t);
  x_mem(k, 0x8D, WIDE, RDI, M, 0);
  x_mov_imm(k, RSI, address);
  x_mov(k, RDX, value_reg);
  call_c(k, (uint64_t)(uintptr_t)jit_write);
  if (is_tia(address)) check_stop(t, next, value_reg);
}

/* Store to the zero-page address in eax: memory, or the TIA out of line. */
static void store_zero_page(translator *t, int value_reg, int cycles, uint16_t next, bool pushes) {
  code *k = &t->k;
  x_reg(k, 0x84, BYTES, RAX, RAX);
  cold *c = add_cold(t, COLD_WRITE, x_jump_if(k, CC_NS));
  c->cycles += cycles;
  c->pc = next;
  c->value = value_reg;
  c->pushes = pushes;
  x_mem_index(k, 0x88, BYTES, value_reg, C, RAX, 0, ZERO_PAGE);
  c->back = k->at;
}

static void write_operand(translator *t, mode how, const uint8_t *b, int value_reg, int cycles) {
  code *k = &t->k;
  uint16_t word = (uint16_t)(b[1] | b[2] << 8), next = (uint16_t)(t->pc + mode_length(how));
  switch (how) {
    case ZPG:
    case ABS: {
      uint16_t address = how == ZPG ? b[1] : word;
      t->cycles += cycles;
      if (is_ram(address))
        x_store8(k, value_reg, C, RAM_AT(address & 0x7F));
      else
        write_fixed(t, address, value_reg, next);
      return;
    }
    case ZPX:
    case ZPY:
      zero_page_address(t, b[1], how == ZPY ? Y : X);
      store_zero_page(t, value_reg, cycles, next, false);
      t->cycles += cycles;
      return;
    case ABX: indexed_address(t, word, X, false); break;
    case ABY: indexed_address(t, word, Y, false); break;
    case IZX: indexed_pointer(t, b[1]); break;
    case IZY: pointer_address(t, b[1], false); break;
    default: break;
  }
  x_store_imm32(k, M, OF_M(run.crossed), 0);
  x_mov_imm(k, RCX, t->cycles + cycles);
  x_mov(k, RDX, value_reg);
  x_call_near(k, t->j->write_any);
  add_cold(t, COLD_BAIL, x_jump_if(k, CC_B));
  t->cycles += cycles;
  check_stop(t, next, value_reg);
}

/* ---- Instructions ------------------------------------------------------------------------------------------------ */

static void result_in_eax(translator *t) {
  store_nz(t, RAX);
  t->nz = NZ_STORED;
}

static void add_with_carry(translator *t, bool subtract) {
  code *k = &t->k;
  x_alu_mem_imm8(k, 7, BYTES, M, OF_M(run.rest), FLAG_D);
  cold *c = add_cold(t, COLD_DECIMAL,
                     x_jump_if(k, CC_AE)); /* D is the higher of the two flags in `rest` */
  c->value = subtract;
  if (subtract) {
    x_alu_imm(k, 7, CARRY, 1); /* borrow where the carry is clear */
    x_reg(k, 0x18, BYTES, RAX, A);
    set_carry(k, CC_AE);
  } else {
    x_reg(k, 0x1BA, 0, 4, CARRY), x_byte(k, 0); /* bt */
    x_reg(k, 0x10, BYTES, RAX, A);
    set_carry(k, CC_B);
  }
  x_set_mem(k, CC_O, M, OF_M(run.v));
  c->back = k->at;
  t->nz = A;
}

static void compare(translator *t, int r) {
  code *k = &t->k;
  x_mov(k, NZ, r);
  x_reg(k, 0x28, BYTES, RAX, NZ);
  set_carry(k, CC_AE);
  t->nz = NZ_STORED;
}

static void bit_test(translator *t) {
  code *k = &t->k;
  x_mov(k, NZ, RAX);
  x_alu_imm(k, 4, NZ, 0x80);
  x_reg(k, 0x01, 0, NZ, NZ); /* N in bit 8 */
  x_mov(k, RCX, RAX);
  x_reg(k, 0x21, 0, A, RCX);
  x_reg(k, 0x09, 0, RCX, NZ);
  x_shift_imm(k, SHIFT_RIGHT, RAX, 6);
  x_alu_imm(k, 4, RAX, 1);
  x_store8(k, RAX, M, OF_M(run.v));
  t->nz = NZ_STORED;
}

typedef enum action {
  DO_ORA,
  DO_AND,
  DO_EOR,
  DO_ADC,
  DO_LDA,
  DO_CMP,
  DO_SBC,
  DO_LDX,
  DO_LDY,
  DO_CPX,
  DO_CPY,
  DO_BIT
} action;

static void act(translator *t, action what) {
  code *k = &t->k;
  switch (what) {
    case DO_ORA: x_reg(k, 0x09, 0, RAX, A), t->nz = A; break;
    case DO_AND: x_reg(k, 0x21, 0, RAX, A), t->nz = A; break;
    case DO_EOR: x_reg(k, 0x31, 0, RAX, A), t->nz = A; break;
    case DO_LDA: x_mov(k, A, RAX), t->nz = A; break;
    case DO_LDX: x_mov(k, X, RAX), t->nz = X; break;
    case DO_LDY: x_mov(k, Y, RAX), t->nz = Y; break;
    case DO_ADC: add_with_carry(t, false); break;
    case DO_SBC: add_with_carry(t, true); break;
    case DO_CMP: compare(t, A); break;
    case DO_CPX: compare(t, X); break;
    case DO_CPY: compare(t, Y); break;
    case DO_BIT: bit_test(t); break;
  }
}

typedef enum shift { DO_ASL, DO_ROL, DO_LSR, DO_ROR, DO_DEC = 6, DO_INC } shift;

/* Shift or count the byte in register r. */
static void shift_reg(translator *t, shift what, reg r) {
  code *k = &t->k;
  static const uint8_t which[4] = {4, 2, 5, 3}; /* shl, rcl, shr, rcr */
  if (what == DO_DEC || what == DO_INC) {
    x_reg(k, 0xFE, BYTES, what == DO_INC ? 0 : 1, r);
    return;
  }
  if (what == DO_ROL || what == DO_ROR) { x_reg(k, 0x1BA, 0, 4, CARRY), x_byte(k, 0); /* bt */ }
  x_reg(k, 0xD0, BYTES, which[what], r);
  set_carry(k, CC_B);
}

static bool modify(translator *t, shift what, mode how, const uint8_t *b, int cycles) {
  code *k = &t->k;
  uint16_t address = how == ZPG ? b[1] : (uint16_t)(b[1] | b[2] << 8);
  if (how == ZPX) {
    zero_page_address(t, b[1], X);
    x_mov(k, RDX, RAX);
    x_reg(k, 0x84, BYTES, RAX, RAX);
    x_store_imm32(k, M, OF_M(run.crossed), 0);
    add_cold(t, COLD_BAIL, x_jump_if(k, CC_NS));
    x_mem_index(k, 0x1B6, 0, RAX, C, RDX, 0, ZERO_PAGE);
    shift_reg(t, what, RAX);
    x_mem_index(k, 0x88, BYTES, RAX, C, RDX, 0, ZERO_PAGE);
  } else if ((how == ZPG || how == ABS) && is_ram(address)) {
    x_load8(k, RAX, C, RAM_AT(address & 0x7F));
    shift_reg(t, what, RAX);
    x_store8(k, RAX, C, RAM_AT(address & 0x7F));
  } else {
    return false;
  }
  result_in_eax(t);
  t->cycles += cycles;
  return true;
}

static void transfer(translator *t, int to, int from) {
  x_mov(&t->k, to, from);
  t->nz = to;
}

static void count_reg(translator *t, int r, bool up) {
  x_reg(&t->k, 0xFE, BYTES, up ? 0 : 1, r);
  t->nz = r;
}

/* Flags and registers. False if it is none of these. */
static bool simple(translator *t, uint8_t opcode) {
  code *k = &t->k;
  switch (opcode) {
    case 0x18:
    case 0x38: x_mov_imm(k, CARRY, opcode >> 5 & 1); break;
    case 0xB8: x_store_imm8(k, M, OF_M(run.v), 0); break;
    case 0x58: x_alu_mem_imm8(k, 4, BYTES, M, OF_M(run.rest), FLAG_D); break;
    case 0x78: x_alu_mem_imm8(k, 1, BYTES, M, OF_M(run.rest), FLAG_I); break;
    case 0xD8: x_alu_mem_imm8(k, 4, BYTES, M, OF_M(run.rest), FLAG_I); break;
    case 0xF8: x_alu_mem_imm8(k, 1, BYTES, M, OF_M(run.rest), FLAG_D); break;
    case 0xAA: transfer(t, X, A); break;
    case 0xA8: transfer(t, Y, A); break;
    case 0x8A: transfer(t, A, X); break;
    case 0x98: transfer(t, A, Y); break;
    case 0xBA: x_load8(k, X, C, OF_C(sp)), t->nz = X; break;
    case 0x9A: x_store8(k, X, C, OF_C(sp)); break;
    case 0xE8: count_reg(t, X, true); break;
    case 0xCA: count_reg(t, X, false); break;
    case 0xC8: count_reg(t, Y, true); break;
    case 0x88: count_reg(t, Y, false); break;
    case 0xEA: break;
    case 0x0A:
    case 0x2A:
    case 0x4A:
    case 0x6A:
      shift_reg(t, (shift)(opcode >> 5), A);
      t->nz = A;
      break;
    default: return false;
  }
  t->cycles += 2;
  return true;
}

static void push(translator *t, int value_reg, int cycles) {
  x_load8(&t->k, RAX, C, OF_C(sp));
  store_zero_page(t, value_reg, cycles, (uint16_t)(t->pc + 1), true);
  x_mem(&t->k, 0xFE, 0, 1, C, OF_C(sp));
  t->cycles += cycles;
}

/* Bail unless low <= SP < low + count; leaves SP in eax. */
static void need_stack(translator *t, int low, int count) {
  code *k = &t->k;
  x_store_imm32(k, M, OF_M(run.crossed), 0);
  x_load8(k, RAX, C, OF_C(sp));
  x_mem(k, 0x8D, 0, RCX, RAX, -low);
  x_alu_imm(k, 7, RCX, count);
  add_cold(t, COLD_BAIL, x_jump_if(k, CC_AE));
}

static void pull_a(translator *t) {
  code *k = &t->k;
  x_load8(k, RAX, C, OF_C(sp));
  x_mem(k, 0x8D, 0, RCX, RAX, -0x80);
  x_alu_imm(k, 7, RCX, 0x7F);
  cold *c = add_cold(t, COLD_PULL, x_jump_if(k, CC_AE));
  c->cycles += 4;
  x_mem_index(k, 0x1B6, 0, A, C, RAX, 0, ZERO_PAGE + 1);
  x_mem(k, 0xFE, 0, 0, C, OF_C(sp));
  c->back = k->at;
  t->nz = A;
  t->cycles += 4;
}

static void push_flags(translator *t) {
  code *k = &t->k;
  settle_nz(t);
  x_mem(k, 0x8D, WIDE, RDI, M, 0);
  call_c(k, (uint64_t)(uintptr_t)jit_push_flags);
  x_mov(k, RDX, RAX);
  x_store32(k, RDX, M, OF_M(run.crossed)); /* kept there over the call that a write to the TIA is */
  x_load8(k, RAX, C, OF_C(sp));
  store_zero_page(t, RDX, 3, (uint16_t)(t->pc + 1), true);
  x_mem(k, 0xFE, 0, 1, C, OF_C(sp));
  t->cycles += 3;
}

static void pull_flags(translator *t) {
  code *k = &t->k;
  need_stack(t, 0x80, 0x7F);
  x_mem_index(k, 0x1B6, 0, RSI, C, RAX, 0, ZERO_PAGE + 1);
  x_mem(k, 0xFE, 0, 0, C, OF_C(sp));
  x_mem(k, 0x8D, WIDE, RDI, M, 0);
  call_c(k, (uint64_t)(uintptr_t)jit_pull_flags);
  t->nz = NZ_STORED;
  t->cycles += 4;
}

static void jump_subroutine(translator *t, const uint8_t *b) {
  code *k = &t->k;
  uint16_t back = (uint16_t)(t->pc + 2), target = (uint16_t)(b[1] | b[2] << 8);
  need_stack(t, 0x81, 0x7F);
  x_mem_index(k, 0xC6, 0, 0, C, RAX, 0, ZERO_PAGE);
  x_byte(k, back >> 8);
  x_mem_index(k, 0xC6, 0, 0, C, RAX, 0, ZERO_PAGE - 1);
  x_byte(k, back & 0xFF);
  x_alu_mem_imm8(k, 5, BYTES, C, OF_C(sp), 2);
  t->cycles += 6;
  settle_nz(t);
  settle_cycles(t);
  link(t, x_jump(k), target, b[2]);
  want(t, (uint16_t)(back + 1));
}

/* Go on at the address in ecx: in its translation, or out. */
static void jump_dynamic(translator *t) {
  code *k = &t->k;
  const jit *j = t->j;
  x_mem(k, 0x89, WORD16, RCX, C, OF_C(pc));
  x_mov(k, RAX, RCX);
  x_mov(k, RDX, RCX);
  x_alu_imm(k, 4, RAX, 0x0FFF);
  x_alu_imm(k, 4, RDX, 0xE000);
  x_shift_imm(k, SHIFT_RIGHT, RDX, 1);
  x_reg(k, 0x01, 0, RDX, RAX);
  x_shift_imm(k, SHIFT_LEFT, RAX, 4);
  _Static_assert(sizeof(jit_entry) == 16, "entries are found by shifting");
  if (j->cart->type == CART_E0) {
    /* the slice of its window */
    x_mov(k, RSI, RCX);
    x_shift_imm(k, SHIFT_RIGHT, RSI, 10);
    x_alu_imm(k, 4, RSI, 3);
    x_mem_index(k, 0x1B7, 0, RDX, C, RSI, 1, OF_C(bank));
    x_mov_imm(k, RDI, E0_FIXED_SLICE);
    x_alu_imm(k, 7, RSI, E0_FIXED);
    x_reg(k, 0x144, 0, RDX, RDI); /* cmove edx, edi */
    x_shift_imm(k, SHIFT_LEFT, RDX, 19);
    _Static_assert(JIT_MIRRORS * JIT_WINDOW * sizeof(jit_entry) == 1 << 19, "so are banks");
    x_reg(k, 0x01, 0, RDX, RAX);
    x_mov_imm64(k, RDX, (uint64_t)(uintptr_t)&j->entry[0]);
  } else {
    x_mov_imm64(k, RDX, (uint64_t)(uintptr_t)&j->entry[t->bank * JIT_MIRRORS * JIT_WINDOW]);
  }
  x_mem_index(k, 0x39, WORD16, RCX, RDX, RAX, 0, offsetof(jit_entry, pc));
  uint8_t *other = x_jump_if(k, CC_NE);
  x_mem_index(k, 0x8B, WIDE, RDX, RDX, RAX, 0, offsetof(jit_entry, code));
  x_reg(k, 0x85, WIDE, RDX, RDX);
  uint8_t *none = x_jump_if(k, CC_E);
  x_byte(k, 0xFF); /* jmp rdx */
  x_byte(k, 0xE2);
  x_land(k, other);
  x_land(k, none);
}

/* The address in ecx must be plain ROM of this bank, or the instruction is left to the plain processor. */
static void need_direct(translator *t) {
  code *k = &t->k;
  const cartridge *cart = t->j->cart;
  int first = 0, end = CART_PAGES;
  if (cart->type == CART_E0) {
    end = CART_PAGES - 1;
  } else if (cart->type != CART_FE) {
    while (first < CART_PAGES && !cart->pages[t->bank][first]) first++;
    while (end > first && !cart->pages[t->bank][end - 1]) end--;
  }
  x_mov(k, RDX, RCX);
  x_alu_imm(k, 4, RDX, 0x1FFF);
  x_alu_imm(k, 5, RDX, 0x1000 + first * 64);
  x_alu_imm(k, 7, RDX, (end - first) * 64);
  add_cold(t, COLD_BAIL, x_jump_if(k, CC_AE));
}

static void return_subroutine(translator *t) {
  code *k = &t->k;
  need_stack(t, 0x80, 0x7E);
  x_mem_index(k, 0x1B7, 0, RCX, C, RAX, 0, ZERO_PAGE + 1);
  need_direct(t); /* the chip reads the byte it returns to */
  x_alu_mem_imm8(k, 0, BYTES, C, OF_C(sp), 2);
  t->cycles += 6;
  settle_nz(t);
  settle_cycles(t);
  x_alu_imm(k, 0, RCX, 1);
  x_reg(k, 0x1B7, 0, RCX, RCX);
  jump_dynamic(t);
  x_mov_imm(k, RAX, LEFT_BY_RTS);
  x_jump_to(k, t->j->leave);
}

/* JMP through a pointer in console memory. */
static bool jump_indirect(translator *t, const uint8_t *b) {
  code *k = &t->k;
  uint16_t low = (uint16_t)(b[1] | b[2] << 8),
           high = (uint16_t)((low & 0xFF00) | ((low + 1) & 0xFF));
  if (!is_ram(low) || !is_ram(high)) return false;
  x_load8(k, RCX, C, RAM_AT(low & 0x7F));
  x_load8(k, RAX, C, RAM_AT(high & 0x7F));
  x_store8(k, RAX, C, OF_C(bus));
  x_shift_imm(k, SHIFT_LEFT, RAX, 8);
  x_reg(k, 0x01, 0, RAX, RCX);
  t->cycles += 5;
  settle_nz(t);
  settle_cycles(t);
  jump_dynamic(t);
  x_mov_imm(k, RAX, LEFT_BY_JUMP);
  x_jump_to(k, t->j->leave);
  return true;
}

static void branch(translator *t, const uint8_t *b) {
  code *k = &t->k;
  uint16_t next = (uint16_t)(t->pc + 2), target = (uint16_t)(next + (int8_t)b[1]);
  int extra = (next ^ target) & 0xFF00 ? 2 : 1;
  settle_nz(t);
  t->cycles += 2 + extra;
  settle_cycles(t);
  t->cycles = -extra; /* if it is not taken */
  cond taken;
  switch (b[0]) {
    case 0x10:
    case 0x30:
      x_opcode(k, 0xF7, 0, 0, 0, NZ), x_byte(k, 0xC0 | (NZ & 7)), x_long(k, 0x180); /* test */
      taken = b[0] == 0x10 ? CC_E : CC_NE;
      break;
    case 0xD0:
    case 0xF0:
      x_reg(k, 0x84, BYTES, NZ, NZ);
      taken = b[0] == 0xD0 ? CC_NE : CC_E;
      break;
    case 0x50:
    case 0x70:
      x_alu_mem_imm8(k, 7, BYTES, M, OF_M(run.v), 0);
      taken = b[0] == 0x50 ? CC_E : CC_NE;
      break;
    default:
      x_reg(k, 0x85, 0, CARRY, CARRY);
      taken = b[0] == 0x90 ? CC_E : CC_NE;
      break;
  }
  link(t, x_jump_if(k, taken), target, b[1]);
}

/* ---- Decoding ---------------------------------------------------------------------------------------------------- */

typedef enum outcome { DONE, ENDED, REFUSED } outcome;

/* The regular part of the opcode table: column 1 (and its addressing modes by row), column 2's shifts. */
static bool decode_mode(uint8_t opcode, mode *how) {
  switch (opcode & 0x1F) {
    case 0x01: *how = IZX; return true;
    case 0x05:
    case 0x06: *how = ZPG; return true;
    case 0x09: *how = IMM; return true;
    case 0x0D:
    case 0x0E: *how = ABS; return true;
    case 0x11: *how = IZY; return true;
    case 0x15:
    case 0x16: *how = ZPX; return true;
    case 0x19: *how = ABY; return true;
    case 0x1D:
    case 0x1E: *how = ABX; return true;
    default: return false;
  }
}

static outcome load(translator *t, action what, mode how, const uint8_t *b) {
  if (!readable(t, how, b)) return REFUSED;
  read_operand(t, how, b, cpu_cycles[b[0]]);
  act(t, what);
  return DONE;
}

static outcome store(translator *t, int value_reg, mode how, const uint8_t *b) {
  if (!writable(how, b)) return REFUSED;
  write_operand(t, how, b, value_reg, cpu_cycles[b[0]]);
  return DONE;
}

static outcome translate_one(translator *t, const uint8_t *b, int *length) {
  uint8_t opcode = b[0];
  mode how;
  *length = 1;
  if (simple(t, opcode)) return DONE;
  switch (opcode) {
    case 0x10:
    case 0x30:
    case 0x50:
    case 0x70:
    case 0x90:
    case 0xB0:
    case 0xD0:
    case 0xF0:
      *length = 2;
      branch(t, b);
      return DONE;
    case 0x4C:
      t->cycles += 3;
      settle_nz(t);
      settle_cycles(t);
      link(t, x_jump(&t->k), (uint16_t)(b[1] | b[2] << 8), b[2]);
      return ENDED;
    case 0x20: jump_subroutine(t, b); return ENDED;
    case 0x6C: return jump_indirect(t, b) ? ENDED : REFUSED;
    case 0x60: return_subroutine(t); return ENDED;
    case 0x08: push_flags(t); return DONE;
    case 0x28: pull_flags(t); return DONE;
    case 0x48: push(t, A, 3); return DONE;
    case 0x68: pull_a(t); return DONE;
    case 0xA2: *length = 2; return load(t, DO_LDX, IMM, b);
    case 0xA6: *length = 2; return load(t, DO_LDX, ZPG, b);
    case 0xB6: *length = 2; return load(t, DO_LDX, ZPY, b);
    case 0xAE: *length = 3; return load(t, DO_LDX, ABS, b);
    case 0xBE: *length = 3; return load(t, DO_LDX, ABY, b);
    case 0xA0: *length = 2; return load(t, DO_LDY, IMM, b);
    case 0xA4: *length = 2; return load(t, DO_LDY, ZPG, b);
    case 0xB4: *length = 2; return load(t, DO_LDY, ZPX, b);
    case 0xAC: *length = 3; return load(t, DO_LDY, ABS, b);
    case 0xBC: *length = 3; return load(t, DO_LDY, ABX, b);
    case 0xE0: *length = 2; return load(t, DO_CPX, IMM, b);
    case 0xE4: *length = 2; return load(t, DO_CPX, ZPG, b);
    case 0xEC: *length = 3; return load(t, DO_CPX, ABS, b);
    case 0xC0: *length = 2; return load(t, DO_CPY, IMM, b);
    case 0xC4: *length = 2; return load(t, DO_CPY, ZPG, b);
    case 0xCC: *length = 3; return load(t, DO_CPY, ABS, b);
    case 0x24: *length = 2; return load(t, DO_BIT, ZPG, b);
    case 0x2C: *length = 3; return load(t, DO_BIT, ABS, b);
    case 0x86: *length = 2; return store(t, X, ZPG, b);
    case 0x96: *length = 2; return store(t, X, ZPY, b);
    case 0x8E: *length = 3; return store(t, X, ABS, b);
    case 0x84: *length = 2; return store(t, Y, ZPG, b);
    case 0x94: *length = 2; return store(t, Y, ZPX, b);
    case 0x8C: *length = 3; return store(t, Y, ABS, b);
    default: break;
  }
  if (!decode_mode(opcode, &how)) return REFUSED;
  *length = mode_length(how);
  if ((opcode & 3) == 1) {
    static const action row[8] = {DO_ORA, DO_AND, DO_EOR, DO_ADC, DO_LDA, DO_LDA, DO_CMP, DO_SBC};
    if (opcode >> 5 == 4) return how == IMM ? REFUSED : store(t, A, how, b);
    return load(t, row[opcode >> 5], how, b);
  }
  if (opcode >> 5 == 4 || opcode >> 5 == 5) return REFUSED;
  return modify(t, (shift)(opcode >> 5), how, b, cpu_cycles[opcode]) ? DONE : REFUSED;
}

/* ---- Out of line -------------------------------------------------------------------------------------------------- */

static void leave(translator *t, const cold *c, int cycles, int how) {
  code *k = &t->k;
  if (c->nz != NZ_STORED) store_nz(t, c->nz);
  add_cycles(k, cycles);
  x_store_imm16(k, C, OF_C(pc), c->pc);
  x_mov_imm(k, RAX, how);
  x_jump_to(k, t->j->leave);
}

static void emit_cold(translator *t, const cold *c) {
  code *k = &t->k;
  x_land(k, c->from);
  switch (c->kind) {
    case COLD_EXIT: leave(t, c, c->cycles, LEFT_TO_PLAIN); break;
    case COLD_GUARD: leave(t, c, c->cycles, LEFT_BY_JUMP); break;
    case COLD_BAIL:
      x_mem(k, 0x2B, 0, CYCLES, M, OF_M(run.crossed));
      leave(t, c, c->cycles, LEFT_TO_PLAIN);
      break;
    case COLD_STOP:
      x_store8(k, (-1 - c->bus), C, OF_C(bus));
      leave(t, c, c->cycles, LEFT_BY_JUMP);
      break;
    case COLD_READ:
      add_cycles(k, c->cycles);
      x_store32(k, CYCLES, C, OF_C(cycles));
      add_cycles(k, -c->cycles);
      x_mem(k, 0x8D, WIDE, RDI, M, 0);
      x_mov(k, RSI, RAX);
      x_mov_imm(k, RDX, c->bus);
      call_c(k, (uint64_t)(uintptr_t)jit_read);
      x_jump_to(k, c->back);
      break;
    case COLD_WRITE: {
      add_cycles(k, c->cycles);
      x_store32(k, CYCLES, C, OF_C(cycles));
      x_mem(k, 0x8D, WIDE, RDI, M, 0);
      x_mov(k, RSI, RAX);
      x_mov(k, RDX, c->value);
      call_c(k, (uint64_t)(uintptr_t)jit_write);
      x_load32(k, CYCLES, C, OF_C(cycles));
      add_cycles(k, -c->cycles);
      x_alu_mem_imm8(k, 7, BYTES, M, OF_M(stop), 0);
      uint8_t *running = x_jump_if(k, CC_E);
      if (c->value == RDX) x_load32(k, RDX, M, OF_M(run.crossed));
      x_store8(k, c->value, C, OF_C(bus));
      if (c->pushes) x_mem(k, 0xFE, 0, 1, C, OF_C(sp));
      leave(t, c, c->cycles, LEFT_BY_JUMP);
      x_land(k, running);
      x_jump_to(k, c->back);
      break;
    }
    case COLD_PULL:
      add_cycles(k, c->cycles);
      x_store32(k, CYCLES, C, OF_C(cycles));
      add_cycles(k, -c->cycles);
      x_mem(k, 0x8D, WIDE, RDI, M, 0);
      call_c(k, (uint64_t)(uintptr_t)jit_pull);
      x_mov(k, A, RAX);
      x_jump_to(k, c->back);
      break;
    case COLD_DECIMAL:
      x_mem(k, 0x8D, WIDE, RDI, M, 0);
      x_mov(k, RSI, A);
      x_mov(k, RDX, RAX);
      x_mov_imm(k, RCX, c->value);
      /* N and Z may be those of a register; the helper packs and unpacks all flags, and they are set anew after it */
      call_c(k, (uint64_t)(uintptr_t)jit_decimal);
      x_mov(k, A, RAX);
      x_jump_to(k, c->back);
      break;
  }
}

/* ---- Traces -------------------------------------------------------------------------------------------------------- */

/* The three bytes at pc, if all are plain ROM in a row. */
static const uint8_t *instruction(const translator *t, uint16_t pc) {
  const uint8_t *b = is_here(t, pc) ? direct(t, pc) : NULL;
  return b && direct(t, (uint16_t)(pc + 2)) == b + 2 ? b : NULL;
}

/* Does the instruction take more time than its own? */
static bool is_wsync(const uint8_t *b) {
  bool absolute = b[0] == 0x8C || b[0] == 0x8D || b[0] == 0x8E;
  bool zero_page = b[0] == 0x84 || b[0] == 0x85 || b[0] == 0x86;
  uint16_t address = absolute ? (uint16_t)(b[1] | b[2] << 8) : b[1];
  return (absolute || zero_page) && is_tia(address) && (address & 0x3F) == WSYNC;
}

static int waits_for_timer(const translator *t, uint16_t pc, const uint8_t *b) {
  return direct(t, (uint16_t)(pc + 4)) == b + 4 ? interp_waits(b) : 0;
}

static void begin_trace(translator *t, uint16_t pc, const uint8_t *b) {
  code *k = &t->k;
  t->pc = pc;
  t->nz = NZ_STORED;
  t->cycles = 0;
  t->colds = 0;
  if (waits_for_timer(t, pc, b)) {
    show_cycles(t);
    x_mem(k, 0x8D, WIDE, RDI, M, 0);
    x_mov_imm(k, RSI, 4);
    x_mov_imm(k, RDX, 7 + (((pc + 5) ^ pc) & 0xFF00 ? 1 : 0));
    x_mov_imm(k, RCX, waits_for_timer(t, pc, b));
    call_c(k, (uint64_t)(uintptr_t)jit_wait);
    x_load32(k, CYCLES, C, OF_C(cycles));
  }
  look_at_guard(t);
}

static void end_trace(translator *t) {
  for (int i = 0; i < t->colds && !t->k.full; i++) emit_cold(t, &t->cold[i]);
}

static void translate_trace(translator *t, uint16_t pc) {
  jit_entry *e = entry_of(t->j, t->bank, pc);
  if (e->code || e->refused) return;
  const uint8_t *b = instruction(t, pc);
  uint8_t *begin = t->k.at;
  if (!b) {
    e->refused = 1;
    return;
  }
  begin_trace(t, pc, b);
  for (int n = 0; n < MAX_TRACE && !t->k.full; n++) {
    int length;
    bool joins = n > 0 && entry_of(t->j, t->bank, t->pc)->wanted;
    b = instruction(t, t->pc);
    bool crowded = n == MAX_TRACE - 1 || t->unguarded >= MAX_UNGUARDED || t->colds > MAX_COLD - 8;
    if (joins || crowded) {
      /* already translated, or long enough: go on there */
      settle_nz(t);
      settle_cycles(t);
      link(t, x_jump(&t->k), t->pc, 0);
      break;
    }
    uint8_t *here = t->k.at;
    int nz = t->nz, cycles = t->cycles, colds = t->colds, fixups = t->fixups, works = t->works;
    outcome o = b ? translate_one(t, b, &length) : REFUSED;
    /* what comes after the end of the window is fetched from the chips, which show what is left on the bus */
    if (o == DONE && !((t->pc + length) & 0x1000)) o = REFUSED;
    if (o == REFUSED) {
      t->k.at = here;
      t->nz = nz, t->cycles = cycles, t->colds = colds, t->fixups = fixups, t->works = works;
      if (n == 0) {
        t->k.at = begin;
        e->refused = 1;
        return;
      }
      add_cold(t, COLD_EXIT, x_jump(&t->k));
      break;
    }
    if (o == ENDED) break;
    t->unguarded++;
    bool branched = (b[0] & 0x1F) == 0x10, waited = is_wsync(b);
    t->pc = (uint16_t)(t->pc + length);
    if (branched && !instruction(t, t->pc)) {
      /* nothing follows that could be translated */
      add_cold(t, COLD_EXIT, x_jump(&t->k));
      break;
    }
    if (waited) look_at_guard(t);
  }
  end_trace(t);
  if (t->k.full) return;
  e->code = begin;
  e->pc = pc;
}

/* Lead the jumps between traces to where they belong, or out. */
static void resolve(translator *t) {
  code *k = &t->k;
  for (int i = 0; i < t->fixups && !k->full; i++) {
    const fixup *f = &t->fix[i];
    int bank = is_here(t, f->pc) ? t->bank : E0_FIXED_SLICE;
    const jit_entry *e = direct(t, f->pc) ? entry_of(t->j, bank, f->pc) : NULL;
    if (e && e->code && e->pc == f->pc) {
      x_aim(k, f->from, e->code);
    } else {
      x_land(k, f->from);
      x_store_imm16(k, C, OF_C(pc), f->pc);
      x_store_imm8(k, C, OF_C(bus), f->bus);
      x_mov_imm(k, RAX, LEFT_BY_JUMP);
      x_jump_to(k, t->j->leave);
    }
  }
}

static bool protect(jit *j, bool writable_now) {
  if (j->writable == writable_now) return true;
  j->writable = writable_now;
  return mprotect(j->memory, JIT_CODE_BYTES,
                  writable_now ? PROT_READ | PROT_WRITE : PROT_READ | PROT_EXEC) == 0;
}

/* Translate what begins at pc in this bank and all that it leads to. */
static void translate(jit *j, int bank, uint16_t pc) {
  translator t;
  t.j = j;
  t.bank = bank;
  t.window = window_of(pc);
  t.fixups = t.works = 0;
  if (j->full || !protect(j, true)) return;
  t.k = (code){j->memory + j->used, j->memory + JIT_CODE_BYTES, false};
  want(&t, pc);
  int done = 0;
  while (done < t.works && !t.k.full && t.fixups < MAX_FIXUPS - MAX_TRACE)
    translate_trace(&t, t.work[done++]);
  resolve(&t);
  if (t.k.full) {
    /* out of room: forget this attempt; what was there before still works */
    j->full = true;
    for (int i = 0; i < t.works; i++) {
      jit_entry *e = entry_of(j, bank, t.work[i]);
      if (e->code >= j->memory + j->used) e->code = NULL;
    }
  } else {
    j->used = (size_t)(t.k.at - j->memory);
  }
  entry_of(j, bank, pc)->refused |= !entry_of(j, bank, pc)->code;
  if (!protect(j, false)) j->full = true;
}

/* ---- The way in and out, and accesses ------------------------------------------------------------------------------ */

static void emit_enter(code *k) {
  static const uint8_t pushes[] = {0x53, 0x55, 0x41, 0x54, 0x41,
                                   0x55, 0x41, 0x56, 0x41, 0x57}; /* rbx rbp r12..r15 */
  for (size_t i = 0; i < sizeof pushes; i++) x_byte(k, pushes[i]);
  x_opcode(k, 0x83, WIDE, 5, 0, RSP), x_byte(k, 0xEC), x_byte(k, 8);
  x_reg(k, 0x89, WIDE, RDI, M);
  x_mem(k, 0x8D, WIDE, C, RSI, offsetof(console, ram));
  x_load8(k, A, C, OF_C(a));
  x_load8(k, X, C, OF_C(x));
  x_load8(k, Y, C, OF_C(y));
  x_load32(k, CYCLES, C, OF_C(cycles));
  take_registers(k);
  x_byte(k, 0xFF), x_byte(k, 0xE2); /* jmp rdx */
}

static void emit_leave(code *k) {
  static const uint8_t pops[] = {0x41, 0x5F, 0x41, 0x5E, 0x41, 0x5D, 0x41, 0x5C, 0x5D, 0x5B, 0xC3};
  x_store8(k, A, C, OF_C(a));
  x_store8(k, X, C, OF_C(x));
  x_store8(k, Y, C, OF_C(y));
  x_store32(k, CYCLES, C, OF_C(cycles));
  show_registers(k);
  x_opcode(k, 0x83, WIDE, 0, 0, RSP), x_byte(k, 0xC4), x_byte(k, 8);
  for (size_t i = 0; i < sizeof pops; i++) x_byte(k, pops[i]);
}

/* ecx = eax & 0x1280; compared with memory's 0x0080 */
static uint8_t *jump_if_ram(code *k) {
  x_mov(k, RSI, RAX);
  x_alu_imm(k, 4, RSI, 0x1280);
  x_alu_imm(k, 7, RSI, 0x0080);
  return x_jump_if(k, CC_E);
}

/* The bus from here on belongs to C: cycles are r15 + ecx. */
static void call_with_cycles(code *k, uint64_t function) {
  x_reg(k, 0x01, 0, CYCLES, RCX);
  x_store32(k, RCX, C, OF_C(cycles));
  x_mem(k, 0x8D, WIDE, RDI, M, 0);
  x_mov(k, RSI, RAX);
  x_opcode(k, 0x83, WIDE, 5, 0, RSP), x_byte(k, 0xEC), x_byte(k, 8);
  call_c(k, function);
  x_opcode(k, 0x83, WIDE, 0, 0, RSP), x_byte(k, 0xC4), x_byte(k, 8);
}

/* Address in eax, byte on the bus in edx, cycles to come in ecx: the byte in eax, carry clear; or carry set: bail. */
static void emit_read_any(code *k) {
  uint8_t *ram = jump_if_ram(k);
  x_opcode(k, 0xA9, 0, 0, 0, RAX), x_long(k, 0x1000); /* test eax, 0x1000 */
  uint8_t *chips = x_jump_if(k, CC_E);
  x_mem(k, 0x89, 0, RCX, RSP, -8);
  x_mov(k, RCX, RAX);
  x_shift_imm(k, SHIFT_RIGHT, RCX, CART_PAGE_SHIFT);
  x_alu_imm(k, 4, RCX, CART_PAGES - 1);
  x_mem(k, 0x8B, WIDE, RSI, M, OF_M(pages));
  x_mem_index(k, 0x8B, WIDE, RCX, RSI, RCX, 3, 0);
  x_reg(k, 0x85, WIDE, RCX, RCX);
  uint8_t *none = x_jump_if(k, CC_E);
  x_alu_imm(k, 4, RAX, 63); /* clears the carry */
  x_mem_index(k, 0x1B6, 0, RAX, RCX, RAX, 0, 0);
  x_byte(k, 0xC3);
  x_land(k, ram);
  x_alu_imm(k, 4, RAX, 0x7F);
  x_mem_index(k, 0x1B6, 0, RAX, C, RAX, 0, OF_C(ram));
  x_byte(k, 0xC3);
  x_land(k, chips);
  const uint8_t *chips_here = k->at;
  call_with_cycles(k, (uint64_t)(uintptr_t)jit_read);
  x_byte(k, 0xF8); /* clc */
  x_byte(k, 0xC3);
  x_land(k, none);
  x_mov(k, RSI, RAX);
  x_alu_imm(k, 4, RSI, LAST_PAGE << CART_PAGE_SHIFT);
  x_alu_imm(k, 7, RSI, LAST_PAGE << CART_PAGE_SHIFT);
  x_mem(k, 0x8B, 0, RCX, RSP, -8); /* ecx was saved there */
  uint8_t *quiet = x_jump_if(k, CC_NE);
  x_byte(k, 0xF9); /* stc */
  x_byte(k, 0xC3);
  x_aim(k, quiet, chips_here);
}

/* Address in eax, byte in edx, cycles to come in ecx. */
static void emit_write_any(code *k) {
  uint8_t *ram = jump_if_ram(k);
  x_opcode(k, 0xA9, 0, 0, 0, RAX), x_long(k, 0x1000);
  uint8_t *cartridge_space = x_jump_if(k, CC_NE);
  x_store32(k, RCX, M, OF_M(run.crossed));
  call_with_cycles(k, (uint64_t)(uintptr_t)jit_write);
  x_load32(k, CYCLES, C, OF_C(cycles));
  x_mem(k, 0x2B, 0, CYCLES, M, OF_M(run.crossed));
  x_byte(k, 0xF8);
  x_byte(k, 0xC3);
  x_land(k, ram);
  x_alu_imm(k, 4, RAX, 0x7F);
  x_mem_index(k, 0x88, BYTES, RDX, C, RAX, 0, OF_C(ram));
  x_byte(k, 0xC3);
  x_land(k, cartridge_space);
  x_byte(k, 0xF9);
  x_byte(k, 0xC3);
}

/* ---- Public --------------------------------------------------------------------------------------------------------- */

static int banks_of(const cartridge *cart) {
  int banks = 0;
  while (banks < CART_MAX_BANKS && cart->pages[banks][CART_PAGES / 2]) banks++;
  return banks;
}

size_t jit_size(const cartridge *cart) {
  int banks = cart->type == CART_UA ? 0 : banks_of(cart); /* UA listens below its window */
  if (cart->type == CART_FE) banks = 1;
  if (cart->type == CART_E0) banks = 8;
  return banks ? sizeof(jit) + (size_t)banks * JIT_MIRRORS * JIT_WINDOW * sizeof(jit_entry) : 0;
}

uint8_t *jit_map_memory(void) {
  void *memory =
      mmap(NULL, JIT_CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void jit_unmap_memory(uint8_t *memory) {
  if (memory) munmap(memory, JIT_CODE_BYTES);
}

bool jit_init(jit *j, const cartridge *cart, uint8_t *memory) {
  code k = {memory, memory + JIT_CODE_BYTES, false};
  j->cart = cart;
  j->memory = memory;
  j->writable = true;
  j->enter = k.at;
  emit_enter(&k);
  j->leave = k.at;
  emit_leave(&k);
  j->read_any = k.at;
  emit_read_any(&k);
  j->write_any = k.at;
  emit_write_any(&k);
  j->used = (size_t)(k.at - memory);
  return protect(j, false);
}

/* The bank in which the next instruction is. */
static int bank_now(const machine *m) {
  const console *c = m->c;
  if (m->cart->type != CART_E0) return c->bank[0];
  int window = window_of(c->pc);
  return window == E0_FIXED ? E0_FIXED_SLICE : c->bank[window];
}

/* Run translated code from the console's pc, if there is any. */
static int run_translated(machine *m) {
  console *c = m->c;
  jit *j = m->jit;
  const int bank = bank_now(m);
  jit_entry *e = entry_of(j, bank, c->pc);
  if (!e->code && !e->refused) translate(j, bank, c->pc);
  if (!e->code || e->pc != c->pc) return LEFT_TO_PLAIN;
  int (*enter)(machine *, console *, const uint8_t *);
  memcpy(&enter, &j->enter, sizeof enter);
  unpack_flags(m, c->p);
  c->last_read = 1;
  int how = enter(m, c, e->code);
  c->p = pack_flags(m);
  if (how == LEFT_BY_RTS) {
    const uint8_t *page = m->pages[((c->pc - 1) >> CART_PAGE_SHIFT) & (CART_PAGES - 1)];
    if (page) c->bus = page[(c->pc - 1) & 63];
  }
  return how;
}

/* A frame; false if it may take too many instructions. */
static bool run_frame(machine *m, const cpu_bus *bus) {
  console *c = m->c;
  const int32_t until = interp_limit(m);
  while (!m->stop && !c->jammed) {
    if (c->cycles >= until) return false;
    if (c->cycles >= m->line.guard) {
      tia_fast_log_all(m);
      interp_run(m, false, until);
    } else if (!(c->pc & 0x1000)) {
      interp_run(m, true, until);
      if (c->pc & 0x1000) continue;
    } else if (run_translated(m) != LEFT_TO_PLAIN) {
      continue;
    }
    if (!m->stop && c->cycles < until) cpu_plain_step(c, bus);
  }
  return true;
}

void machine_frame_jit(machine *m) {
  if (m->jit && tia_fast_can(m))
    interp_frame(m, run_frame);
  else
    machine_frame_interp(m);
}

#else /* no translator for this processor */

size_t jit_size(const cartridge *cart) { return cart ? 0 : 0; }
uint8_t *jit_map_memory(void) { return NULL; }
void jit_unmap_memory(uint8_t *memory) { (void)memory; }
bool jit_init(jit *j, const cartridge *cart, uint8_t *memory) {
  return j && cart && memory && false;
}
void machine_frame_jit(machine *m) { machine_frame_interp(m); }

#endif
