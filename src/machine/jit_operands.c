/* Translating operands: reads and writes of memory, ROM and the chips. */
#include <stddef.h>
#include <string.h>

#include "machine/cart.h"
#include "machine/jit_parts.h"

#ifdef SIXER_JIT

/* ---- Addresses, flags and cycles -------------------------------------------------------------------------------- */

static int page_of(uint16_t address) { return (address >> CART_PAGE_SHIFT) & (CART_PAGES - 1); }

/* Cartridges of type E0 have four windows, the last of which always shows slice 7. Code is translated for one
 * slice in one window; what the other windows show at run time is not known. */
int jit_window_of(uint16_t address) { return address >> 10 & 3; }
static int slice_at(const translator *t, uint16_t address) {
  int window = jit_window_of(address);
  return window == t->window ? t->bank : window == E0_FIXED ? E0_FIXED_SLICE : -1;
}

/* Does this address belong to the window that is being translated? Only type E0 has several. */
bool jit_is_here(const translator *t, uint16_t pc) {
  return t->j->cart->type != CART_E0 || jit_window_of(pc) == t->window;
}

/* The byte at an address, if it is plain ROM: constant, and read without side effects. */
const uint8_t *jit_direct(const translator *t, uint16_t address) {
  const cartridge *cart = t->j->cart;
  if (!(address & CART_BIT)) return NULL;
  if (cart->type == CART_E0) {
    int slice = slice_at(t, address);
    bool hotspot = (address & 0xFFF) >= E0_HOTSPOT;
    return slice < 0 || hotspot ? NULL : cart->image + slice * 1024 + (address & 0x3FF);
  }
  if (cart->type == CART_FE) return cart->image + (address & 0x2000 ? 0 : 4096) + (address & 0xFFF);
  const uint8_t *page = cart->pages[t->bank][page_of(address)];
  if (page) return page + (address & 63);
  bool quiet = page_of(address) == LAST_PAGE && (address & 0xFFF) < cart_quiet_end(cart->type);
  return quiet ? cart->image + t->bank * 4096 + (address & 0xFFF) : NULL;
}

/* The byte at an address, if it can be a part of a translated instruction. */
const uint8_t *jit_code_at(const translator *t, uint16_t pc) {
  const uint8_t *b = jit_direct(t, pc);
  return b ? b : jit_clocked(t, pc);
}

bool jit_is_ram(uint16_t address) { return (address & RAM_MASK) == RAM_BITS; }
bool jit_is_tia(uint16_t address) { return !(address & TIA_MASK); }

/* Before and after a call of C, which may add to the log, use the flags, and change their registers. */
void jit_show_registers(code *k) {
  x_store64(k, LOG, M, OF_M(frame.log_end));
  x_store32(k, NZ, M, OF_M(run.nz));
  x_store32(k, CARRY, M, OF_M(run.carry));
}
void jit_take_registers(code *k) {
  x_load64(k, LOG, M, OF_M(frame.log_end));
  x_load32(k, NZ, M, OF_M(run.nz));
  x_load32(k, CARRY, M, OF_M(run.carry));
}
void jit_call_c(code *k, uint64_t function) {
  jit_show_registers(k);
  x_call_c(k, function);
  jit_take_registers(k);
}

void jit_set_carry(code *k, cond when) { x_set(k, when, CARRY); }

void jit_store_nz(translator *t, int r) {
  if (r != NZ) x_mov(&t->k, NZ, r);
}

void jit_settle_carry(translator *t) {
  if (t->carry != CARRY_STORED) x_mov_imm(&t->k, CARRY, t->carry);
  t->carry = CARRY_STORED;
}

/* Store the 6507's flags in their registers, where code expects them that is reached from several places. Does
 * not change the host's flags. */
void jit_settle_flags(translator *t) {
  if (t->nz != NZ_STORED) jit_store_nz(t, t->nz);
  t->nz = NZ_STORED;
  jit_settle_carry(t);
}

void jit_add_cycles(code *k, int cycles) {
  if (cycles) x_lea(k, CYCLES, CYCLES, cycles); /* lea does not change the host's flags */
}

void jit_settle_cycles(translator *t) {
  jit_add_cycles(&t->k, t->cycles);
  t->cycles = 0;
}

/* Store everything that the translator has put off: flags and cycles. */
void jit_settle(translator *t) {
  jit_settle_flags(t);
  jit_settle_cycles(t);
}

/* Store the cycle counter for C code. */
void jit_show_cycles(translator *t) {
  jit_settle_cycles(t);
  x_store32(&t->k, CYCLES, C, OF_C(cycles));
}

cold *jit_add_cold(translator *t, cold_kind kind, uint8_t *from) {
  if (t->colds == MAX_COLD) {
    t->k.full = true;
    return &t->cold[0];
  }
  cold *c = &t->cold[t->colds++];
  *c = (cold){.kind = kind,
              .from = from,
              .pc = t->pc,
              .nz = (int8_t)t->nz,
              .carry = (int8_t)t->carry,
              .cycles = t->cycles};
  return c;
}

jit_entry *jit_entry_of(jit *j, int bank, uint16_t pc) {
  return &j->entry[(bank * JIT_MIRRORS + (pc >> 13)) * JIT_WINDOW + (pc & 0xFFF)];
}

void jit_want(translator *t, uint16_t pc) {
  if (!jit_is_here(t, pc) || !jit_code_at(t, pc) || t->works == MAX_WORK) return;
  jit_entry *e = jit_entry_of(t->j, t->bank, pc);
  if (e->wanted && (e->code || e->refused)) return;
  e->wanted = 1;
  t->work[t->works++] = pc;
}

/* Note that the jump at `from` leads to the block at pc, which is translated later. */
void jit_link(translator *t, uint8_t *from, uint16_t pc, uint8_t bus) {
  if (t->fixups == MAX_FIXUPS) {
    t->k.full = true;
    return;
  }
  t->fix[t->fixups++] = (fixup){from, pc, bus, (uint8_t)(t->unguarded + 1)};
  jit_want(t, pc);
}

/* Leave if the guard is reached. */
void jit_check_guard(translator *t) {
  t->unguarded = 0;
  x_alu_load(&t->k, ALU_CMP, CYCLES, M, OF_M(frame.guard));
  jit_add_cold(t, COLD_GUARD, x_jump_if(&t->k, CC_GE));
}

/* ---- Operands ---------------------------------------------------------------------------------------------------- */

/* Does an access switch the slice of another E0 window than the one that this code is in? The code continues
 * after it. */
static bool switches_elsewhere(const translator *t, uint16_t address) {
  const int offset = address & 0xFFF;
  return t->j->cart->type == CART_E0 && (address & CART_BIT) && offset >= E0_HOTSPOT &&
         offset < E0_HOTSPOT + 24 && (offset - E0_HOTSPOT) >> 3 != t->window;
}

/* May an access switch banks? Then the next instruction is looked up at run time. */
static bool may_switch(const translator *t, uint16_t address) {
  return (address & CART_BIT) && page_of(address) == LAST_PAGE && !switches_elsewhere(t, address);
}

/* Can this operand be translated? A pointer has to be in console memory with both bytes. */
bool jit_accessible(cpu_addressing how, const uint8_t *b) {
  return how != IZY || (b[1] >= 0x80 && b[1] < 0xFF);
}

/* Read an input of the TIA (INPT0..5) into eax: bit 7 is the input, bits 0..5 remain from the bus. */
static void read_input(translator *t, int reg, uint8_t bus) {
  code *k = &t->k;
  const int noise = bus & 0x3F;
  if (reg >= 14) {
    x_mov_imm(k, RAX, noise);
    return;
  }
  if (reg >= 12) {
    x_load8(k, RAX, M, OF_M(input.fire) + reg - 12);
  } else {
    x_lea(k, RAX, CYCLES, t->cycles);
    x_alu_load(k, ALU_CMP, RAX, M, OF_M(frame.charged_after) + 4 * (reg - 8));
    x_set(k, CC_A, RAX);
    x_zero_extend8(k, RAX, RAX);
    x_shift_imm(k, SHIFT_SHL, RAX, 7);
  }
  if (noise) x_alu_imm(k, ALU_OR, RAX, noise);
}

/* Read at a fixed address that is neither console memory nor plain ROM, by C code in most cases. A page of an E0
 * cartridge is read through the table of pages, since which slice it shows is known only at run time. */
void jit_read_fixed(translator *t, uint16_t address, uint8_t bus, host_reg into) {
  code *k = &t->k;
  if (jit_is_dpc(t, address)) {
    jit_read_dpc(t, address, into);
    return;
  }
  if (t->j->cart->type == CART_E0 && (address & CART_BIT) && page_of(address) != LAST_PAGE) {
    x_load64(k, RCX, M, OF_M(own_pages) + 8 * page_of(address));
    x_load8(k, into, RCX, address & 63);
    return;
  }
  if (jit_is_tia(address) && (address & 0x0F) >= 8) {
    read_input(t, address & 0x0F, bus);
  } else {
    t->switched = may_switch(t, address);
    jit_show_cycles(t);
    x_lea64(k, RDI, M, 0);
    x_mov_imm(k, RSI, address);
    x_mov_imm(k, RDX, bus);
    if (jit_is_tia(address))
      jit_call_c(k, (uint64_t)(uintptr_t)jit_read_tia);
    else if (!(address & CART_BIT))
      jit_call_c(k, (uint64_t)(uintptr_t)jit_read_riot);
    else
      jit_call_c(k, (uint64_t)(uintptr_t)jit_read);
  }
  if (into != RAX) x_mov(k, into, RAX);
}

/* eax = (index + zero_page) & 0xFF */
void jit_zero_page_address(translator *t, uint8_t zero_page, host_reg index) {
  x_lea(&t->k, RAX, index, zero_page);
  x_zero_extend8(&t->k, RAX, RAX);
}

/* An address that is known at run time: the sum of one or two registers and a number. It may exceed 16 bits. */
void jit_load_address(code *k, host_reg into, dynamic_address from, int offset) {
  if (from.index < 0)
    x_lea(k, into, from.base, from.offset + offset);
  else
    x_lea_index(k, into, from.base, from.index, 0, from.offset + offset);
}

/* index + base. A read takes a cycle more if the sum of the low bytes carries: a page is crossed. */
static dynamic_address indexed_address(translator *t, uint16_t base, host_reg index, bool read) {
  code *k = &t->k;
  if (read && (base & 0xFF)) {
    x_lea(k, RCX, index, base & 0xFF);
    x_shift_imm(k, SHIFT_SHR, RCX, 8);
    x_alu(k, ALU_ADD, CYCLES, RCX);
  }
  return (dynamic_address){index, -1, base};
}

/* pointer + Y, with the pointer in edx. */
static dynamic_address pointer_address(translator *t, uint8_t zero_page, bool read) {
  code *k = &t->k;
  x_load16(k, RDX, C, ZERO_PAGE + zero_page);
  if (read) {
    x_mov(k, RAX, RDX);
    x_alu8(k, ALU_ADD, RAX, Y);
    x_alu_imm(k, ALU_ADC, CYCLES, 0); /* a page is crossed */
  }
  return (dynamic_address){RDX, Y, 0};
}

/* The pointer at zero_page + X, in edx; bails if it is not in console memory. */
static dynamic_address indexed_pointer(translator *t, uint8_t zero_page) {
  code *k = &t->k;
  jit_zero_page_address(t, zero_page, X);
  x_lea(k, RCX, RAX, -0x80);
  x_alu_imm(k, ALU_CMP, RCX, 0x7F);
  jit_add_cold(t, COLD_BAIL, x_jump_if(k, CC_AE));
  x_load16_index(k, RDX, C, RAX, 0, ZERO_PAGE);
  return (dynamic_address){RDX, -1, 0};
}

/* Find the longest stretch of the bank's window that is plain ROM. */
void jit_find_plain(translator *t) {
  const cartridge *cart = t->j->cart;
  const uint8_t *const *pages = cart->pages[t->bank];
  int first = 0, end = CART_PAGES;
  t->plain_begin = t->plain_size = 0;
  if (cart->type == CART_E0 || cart->type == CART_FE) return;
  while (first < CART_PAGES && !pages[first]) first++;
  while (end > first && !pages[end - 1]) end--;
  const int mask = cart->type == CART_2K ? 0x7FF : 0xFFF;
  for (int i = first; i < end; i++) {
    if (pages[i] != pages[first] + ((i - first) * 64 & mask)) return;
  }
  if (first == end) return;
  const uint8_t *tail =
      end == LAST_PAGE ? jit_direct(t, 0x1000 | LAST_PAGE << CART_PAGE_SHIFT) : NULL;
  if (mask != 0xFFF && end - first < CART_PAGES) return;
  t->plain = pages[first];
  t->plain_begin = first * 64;
  t->plain_size = (end - first) * 64;
  if (tail == t->plain + t->plain_size)
    t->plain_size += cart_quiet_end(cart->type) - (LAST_PAGE << CART_PAGE_SHIFT);
  t->plain_mask = mask;
}

/* rsi + rcx = where the byte at an address is in plain ROM; jumps if it is not there. */
static int aim_at_plain(translator *t, dynamic_address from, uint8_t *elsewhere[2]) {
  code *k = &t->k;
  if (t->plain_size && t->plain_mask == 0xFFF) {
    jit_load_address(k, RCX, from, -(CART_BIT + t->plain_begin));
    x_alu_imm(k, ALU_AND, RCX, 0x1FFF);
    x_alu_imm(k, ALU_CMP, RCX, t->plain_size);
    elsewhere[0] = x_jump_if(k, CC_AE);
    x_mov_imm64(k, RSI, (uint64_t)(uintptr_t)t->plain);
    return 1;
  }
  jit_load_address(k, RCX, from, 0);
  x_test_imm(k, RCX, CART_BIT);
  elsewhere[0] = x_jump_if(k, CC_E);
  if (t->plain_size) {
    x_alu_imm(k, ALU_AND, RCX, t->plain_mask);
    x_mov_imm64(k, RSI, (uint64_t)(uintptr_t)t->plain);
    return 1;
  }
  x_load64(k, RSI, M, OF_M(pages));
  x_mov(k, RAX, RCX);
  x_shift_imm(k, SHIFT_SHR, RAX, CART_PAGE_SHIFT);
  x_alu_imm(k, ALU_AND, RAX, CART_PAGES - 1);
  x_load64_index(k, RSI, RSI, RAX, 3, 0);
  x_test64(k, RSI);
  elsewhere[1] = x_jump_if(k, CC_E);
  x_alu_imm(k, ALU_AND, RCX, 63);
  return 2;
}

/* Read from an address. Plain ROM, the common case, is read here, the rest in a rare path. `high` is the high byte of
 * the address before the index was added, which is on the bus; if it is negative, the pointer is in edx. `cycles` are
 * those of this instruction. */
static void read_dynamic(translator *t, dynamic_address from, int high, int cycles, host_reg into) {
  code *k = &t->k;
  uint8_t *elsewhere[2];
  const int ways = aim_at_plain(t, from, elsewhere);
  x_load8_index(k, into, RSI, RCX, 0);
  for (int i = 0; i < ways; i++) {
    cold *c = jit_add_cold(t, COLD_ANY, elsewhere[i]);
    c->bus = high;
    c->own = cycles;
    c->value = into;
    c->address = from;
    c->back = k->at;
  }
}

/* Read from an address below the cartridge's window. */
static void read_low(translator *t, dynamic_address from, int high, int cycles, host_reg into) {
  code *k = &t->k;
  jit_load_address(k, RAX, from, 0);
  x_mov_imm(k, RDX, high);
  x_mov_imm(k, RCX, t->cycles + cycles);
  x_call_near(k, t->j->read_input);
  if (into != RAX) x_mov(k, into, RAX);
}

void jit_load(code *k, host_reg into, operand from) {
  if (from.where == CONSTANT)
    x_mov_imm(k, into, from.value);
  else if (from.where == IN_MEMORY)
    x_load8(k, into, C, from.value);
  else if (into != RAX)
    x_mov(k, into, RAX);
}

/* The first of the 256 bytes that an index can reach, if all of them are plain ROM; NULL otherwise. */
static const uint8_t *direct_table(const translator *t, uint16_t base) {
  const uint8_t *first = jit_direct(t, base), *last = jit_direct(t, (uint16_t)(base + 255));
  if (!first || !last || last - first != 255 || ((base + 255) & 0x1000) == 0) return NULL;
  for (int i = 64; i < 255; i += 64) {
    if (jit_direct(t, (uint16_t)(base + i)) != first + i) return NULL;
  }
  return first;
}

/* Find the operand and count the instruction's cycles. If it is neither constant nor at a fixed place in memory,
 * it is read into `into`. */
operand jit_read_operand(translator *t, cpu_addressing how, const uint8_t *b, int cycles,
                         host_reg into) {
  code *k = &t->k;
  uint16_t word = (uint16_t)(b[1] | b[2] << 8);
  host_reg index = how == ABY || how == ZPY ? Y : X;
  operand found = {IN_EAX, 0};
  switch (how) {
    case IMM: found = (operand){CONSTANT, b[1]}; break;
    case ZPG:
    case ABS: {
      uint16_t address = how == ZPG ? b[1] : word;
      if (jit_is_ram(address)) {
        found = (operand){IN_MEMORY, RAM_AT(address & 0x7F)};
      } else if (jit_direct(t, address)) {
        found = (operand){CONSTANT, *jit_direct(t, address)};
      } else {
        t->cycles += cycles;
        jit_read_fixed(t, address, how == ZPG ? b[1] : b[2], into);
        return found;
      }
      break;
    }
    case ZPX:
    case ZPY: {
      jit_zero_page_address(t, b[1], index);
      x_test8(k, RAX);
      cold *c = jit_add_cold(t, COLD_READ, x_jump_if(k, CC_NS));
      c->cycles += cycles;
      c->bus = b[1];
      c->value = into;
      x_load8_index(k, into, C, RAX, ZERO_PAGE);
      c->back = k->at;
      break;
    }
    case ABX:
    case ABY: {
      const uint8_t *table = direct_table(t, word);
      if (table) {
        x_mov_imm64(k, RDX, (uint64_t)(uintptr_t)table);
        if (b[1]) {
          /* a cycle if a page is crossed */
          x_lea(k, RCX, index, b[1]);
          x_shift_imm(k, SHIFT_SHR, RCX, 8);
          x_alu(k, ALU_ADD, CYCLES, RCX);
        }
        x_load8_index(k, into, RDX, index, 0);
      } else {
        const dynamic_address from = indexed_address(t, word, index, true);
        if (word + 255 < 0x1000)
          read_low(t, from, b[2], cycles, into);
        else
          read_dynamic(t, from, b[2], cycles, into);
      }
      break;
    }
    case IZX: read_dynamic(t, indexed_pointer(t, b[1]), -1, cycles, into); break;
    case IZY: read_dynamic(t, pointer_address(t, b[1], true), -1, cycles, into); break;
    default: break; /* no other mode reads */
  }
  t->cycles += cycles;
  return found;
}

/* Leave if the write to the TIA that was just made has ended the frame. */
static void check_stop(translator *t, uint16_t next, int value_reg) {
  x_alu_mem8_imm(&t->k, ALU_CMP, M, OF_M(stop), 0);
  cold *c = jit_add_cold(t, COLD_STOP, x_jump_if(&t->k, CC_NE));
  c->pc = next;
  c->bus = -1 - value_reg;
}

/* Put a write into the TIA's log. */
static void log_entry(translator *t, int tia_reg, int value_reg) {
  code *k = &t->k;
  x_lea(k, RCX, CYCLES, t->cycles);
  x_shift_imm(k, SHIFT_SHL, RCX, 16);
  if (tia_kind_of[tia_reg] == TIA_STROBE)
    x_alu_imm(k, ALU_ADD, RCX, tia_reg << 8);
  else
    x_lea_index(k, RCX, RCX, value_reg, 0, tia_reg << 8);
  x_store32(k, RCX, LOG, 0);
  x_alu64_imm8(k, ALU_ADD, LOG, 4);
}

/* Write to a register of the TIA; the same as tia_fast_note(). */
static void note_write(translator *t, int tia_reg, int value_reg) {
  code *k = &t->k;
  const ptrdiff_t shadow = OF_M(frame.shadow) + tia_reg * 2,
                  other = OF_M(frame.shadow) + tia_disturbs[tia_reg] * 2;
  switch ((tia_kind)tia_kind_of[tia_reg]) {
    case TIA_NOTHING:
    case TIA_CALL: return;
    case TIA_SOUND: x_store8(k, value_reg, M, OF_M(audio) + tia_reg - AUDC0); return;
    case TIA_STROBE:
      log_entry(t, tia_reg, RAX);
      if (tia_reg == HMCLR) {
        for (int i = 0; i < 5; i++) x_store_imm16(k, M, OF_M(frame.shadow) + (HMP0 + i) * 2, 0);
      }
      return;
    default: break;
  }
  if (tia_mask[tia_reg] != 0xFF) {
    x_mov(k, RAX, value_reg);
    x_alu_imm(k, ALU_AND, RAX, tia_mask[tia_reg]);
    value_reg = RAX;
  }
  if (tia_kind_of[tia_reg] == TIA_ALWAYS) {
    log_entry(t, tia_reg, value_reg);
    return;
  }
  uint8_t *same;
  if (tia_disturbs[tia_reg]) {
    x_load16(k, RCX, M, shadow);
    x_alu(k, ALU_CMP, RCX, value_reg);
    same = x_jump_if(k, CC_E);
    x_alu_imm(k, ALU_AND, RCX, ~SHADOW_MUST_LOG);
    x_alu(k, ALU_CMP, RCX, value_reg);
    x_set(k, CC_NE, RCX);
    x_alu_mem8(k, ALU_OR, M, other + 1, RCX);
  } else {
    x_alu_mem16(k, ALU_CMP, M, shadow, value_reg);
    same = x_jump_if(k, CC_E);
  }
  x_store16(k, value_reg, M, shadow);
  log_entry(t, tia_reg, value_reg);
  x_land(k, same);
}

/* WSYNC: the processor waits for the end of the line, unless the line has just ended. Programs usually wait once
 * per line, so the end is guessed (frame.next_end) and the guess is checked. The new value of r15 then depends on
 * the guess alone, and the host executes the code that follows without waiting for the sum of the cycles before. */
static void wait_for_line(translator *t) {
  code *k = &t->k;
  x_load32(k, RCX, M, OF_M(frame.next_end));
  x_mov(k, RDX, RCX);
  x_lea(k, RAX, CYCLES, t->cycles);
  x_alu(k, ALU_SUB, RDX, RAX);
  x_alu_imm(k, ALU_CMP, RDX, LINE_CYCLES);
  cold *c = jit_add_cold(t, COLD_WAIT, x_jump_if(k, CC_AE));
  c->back = k->at;
  x_mov(k, CYCLES, RCX);
  x_alu_imm(k, ALU_ADD, RCX, LINE_CYCLES);
  x_store32(k, RCX, M, OF_M(frame.next_end));
  t->cycles = 0;
}

/* ecx = the end of the line that cycle eax is in; the same as tia_line_end(). Division by LINE_CYCLES is done by
 * multiplication with its reciprocal, rounded up; this is exact because cycles are below the cut. */
void jit_find_line_end(code *k) {
  enum { SHIFT = 22, FACTOR = (1 << SHIFT) / LINE_CYCLES + 1 };
  x_lea(k, RCX, RAX, LINE_CYCLES - 1);
  x_alu_load(k, ALU_ADD, RCX, M, OF_M(frame.phase));
  x_mul_imm(k, RCX, FACTOR);
  x_shift_imm(k, SHIFT_SHR, RCX, SHIFT);
  x_mul_imm(k, RCX, LINE_CYCLES);
  x_alu_load(k, ALU_SUB, RCX, M, OF_M(frame.phase));
}

void jit_write_fixed(translator *t, uint16_t address, int value_reg, uint16_t next) {
  code *k = &t->k;
  if (jit_is_tia(address) && tia_kind_of[address & 0x3F] != TIA_CALL) {
    note_write(t, address & 0x3F, value_reg);
    return;
  }
  if (jit_is_tia(address) && (address & 0x3F) == WSYNC) {
    wait_for_line(t);
    return;
  }
  t->switched = may_switch(t, address);
  jit_show_cycles(t);
  x_lea64(k, RDI, M, 0);
  x_mov_imm(k, RSI, address);
  x_mov(k, RDX, value_reg);
  jit_call_c(k, (uint64_t)(uintptr_t)jit_write);
  if (jit_is_tia(address)) check_stop(t, next, value_reg);
}

/* Store to the zero-page address in eax: console memory here, the TIA in a rare path. */
void jit_store_zero_page(translator *t, int value_reg, int cycles, uint16_t next, bool pushes) {
  code *k = &t->k;
  x_test8(k, RAX);
  cold *c = jit_add_cold(t, COLD_WRITE, x_jump_if(k, CC_NS));
  c->cycles += cycles;
  c->pc = next;
  c->value = value_reg;
  c->pushes = pushes;
  x_store8_index(k, value_reg, C, RAX, ZERO_PAGE);
  c->back = k->at;
}

void jit_write_operand(translator *t, cpu_addressing how, const uint8_t *b, int value_reg,
                       int cycles) {
  code *k = &t->k;
  uint16_t word = (uint16_t)(b[1] | b[2] << 8), next = (uint16_t)(t->pc + cpu_length(b[0]));
  dynamic_address to = {RAX, -1, 0};
  switch (how) {
    case ZPG:
    case ABS: {
      uint16_t address = how == ZPG ? b[1] : word;
      t->cycles += cycles;
      if (jit_is_ram(address))
        x_store8(k, value_reg, C, RAM_AT(address & 0x7F));
      else
        jit_write_fixed(t, address, value_reg, next);
      return;
    }
    case ZPX:
    case ZPY:
      jit_zero_page_address(t, b[1], how == ZPY ? Y : X);
      jit_store_zero_page(t, value_reg, cycles, next, false);
      t->cycles += cycles;
      return;
    case ABX: to = indexed_address(t, word, X, false); break;
    case ABY: to = indexed_address(t, word, Y, false); break;
    case IZX: to = indexed_pointer(t, b[1]); break;
    case IZY: to = pointer_address(t, b[1], false); break;
    default: break;
  }
  jit_load_address(k, RAX, to, 0);
  x_zero_extend16(k, RAX, RAX);
  x_mov_imm(k, RCX, t->cycles + cycles);
  x_mov(k, RDX, value_reg);
  x_call_near(k, t->j->write_any);
  jit_add_cold(t, COLD_BAIL, x_jump_if(k, CC_B));
  t->cycles += cycles;
  check_stop(t, next, value_reg);
}

#endif
