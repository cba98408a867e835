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

/* Before and after a call of C, which may add to the log, and use and change the flags. */
void jit_show_log(code *k) { op_store_pointer(k, LOG, IN_M(frame.log_end)); }
void jit_take_log(code *k) { op_load_pointer(k, LOG, IN_M(frame.log_end)); }
void jit_show_flags(code *k) {
  op_store32(k, NZ, IN_M(run.nz));
  op_store32(k, CARRY, IN_M(run.carry));
}
void jit_take_flags(code *k) {
  op_load32(k, NZ, IN_M(run.nz));
  op_load32(k, CARRY, IN_M(run.carry));
}

/* Call C from a block, or from a fixed piece. C looks at the log, but not at N, Z and C: these are stored and loaded
 * only if a call would lose them. */
void jit_call_c_from(code *k, uint64_t function, bool in_piece) {
  jit_show_log(k);
  if (!CALLS_KEEP_ALL) jit_show_flags(k);
  op_call_c(k, function, in_piece);
  jit_take_log(k);
  if (!CALLS_KEEP_ALL) jit_take_flags(k);
}
void jit_call_c(code *k, uint64_t function) { jit_call_c_from(k, function, false); }

/* Call C that uses and changes the flags. */
void jit_call_c_with_flags(code *k, uint64_t function) {
  if (CALLS_KEEP_ALL) jit_show_flags(k);
  jit_call_c(k, function);
  if (CALLS_KEEP_ALL) jit_take_flags(k);
}

void jit_store_nz(translator *t, int r) {
  if (r != NZ) op_mov(&t->k, NZ, r);
}

void jit_settle_carry(translator *t) {
  if (t->carry != CARRY_STORED) op_mov_imm(&t->k, CARRY, t->carry);
  t->carry = CARRY_STORED;
}

/* Store the 6507's flags in their registers, where code expects them that is reached from several places. */
void jit_settle_flags(translator *t) {
  if (t->nz != NZ_STORED) jit_store_nz(t, t->nz);
  t->nz = NZ_STORED;
  jit_settle_carry(t);
}

void jit_add_cycles(code *k, int cycles) {
  if (cycles) op_alu_imm(k, DO_ADD, CYCLES, CYCLES, cycles);
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
  op_store32(&t->k, CYCLES, IN_C(cycles));
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
  jit_add_cold(t, COLD_GUARD, op_jump_if_mem32(&t->k, CYCLES, IF_NOT_LESS, IN_M(frame.guard)));
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

/* Read an input of the TIA (INPT0..5) into T0: bit 7 is the input, bits 0..5 remain from the bus. */
static void read_input(translator *t, int reg, uint8_t bus) {
  code *k = &t->k;
  const int noise = bus & 0x3F;
  if (reg >= 14) {
    op_mov_imm(k, T0, noise);
    return;
  }
  if (reg >= 12) {
    op_load8(k, T0, at(M, OF_M(input.fire) + reg - 12));
  } else {
    op_alu_imm(k, DO_ADD, T0, CYCLES, t->cycles);
    op_set_if_mem32(k, T0, T0, IF_ABOVE, at(M, OF_M(frame.charged_after) + 4 * (reg - 8)));
    op_shift_left(k, T0, T0, 7);
  }
  if (noise) op_alu_imm(k, DO_OR, T0, T0, noise);
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
    op_load_pointer(k, T1, at(M, OF_M(own_pages) + (page_of(address) << POINTER_SCALE)));
    op_load8(k, into, at(T1, address & 63));
    return;
  }
  if (jit_is_tia(address) && (address & 0x0F) >= 8) {
    read_input(t, address & 0x0F, bus);
  } else {
    t->switched = may_switch(t, address);
    jit_show_cycles(t);
    op_mov_imm(k, ARG1, address);
    op_mov_imm(k, ARG2, bus);
    if (jit_is_tia(address))
      jit_call_c(k, POINTER(jit_read_tia));
    else if (!(address & CART_BIT))
      jit_call_c(k, POINTER(jit_read_riot));
    else
      jit_call_c(k, POINTER(jit_read));
  }
  if (into != T0) op_mov(k, into, T0);
}

/* T0 = (index + zero_page) & 0xFF */
void jit_zero_page_address(translator *t, uint8_t zero_page, host_reg index) {
  op_alu_imm(&t->k, DO_ADD, T0, index, zero_page);
  op_zero_extend8(&t->k, T0, T0);
}

/* An address that is known at run time: the sum of one or two registers and a number. It may exceed 16 bits. */
void jit_load_address(code *k, host_reg into, dynamic_address from) {
  if (from.index < 0)
    op_alu_imm(k, DO_ADD, into, from.base, from.offset);
  else
    op_add_scaled(k, into, from.base, from.index, 0, from.offset);
}

/* index + base. A read takes a cycle more if the sum of the low bytes carries: a page is crossed. */
static dynamic_address indexed_address(translator *t, uint16_t base, host_reg index, bool read) {
  if (read && (base & 0xFF)) op_add_crossing_imm(&t->k, CYCLES, index, base & 0xFF);
  return (dynamic_address){index, -1, base};
}

/* pointer + Y, with the pointer in T2. */
static dynamic_address pointer_address(translator *t, uint8_t zero_page, bool read) {
  op_load16(&t->k, T2, at(C, ZERO_PAGE + zero_page));
  if (read) op_add_crossing(&t->k, CYCLES, Y, T2);
  return (dynamic_address){T2, Y, 0};
}

/* The pointer at zero_page + X, in T2; bails if it is not in console memory. */
static dynamic_address indexed_pointer(translator *t, uint8_t zero_page) {
  code *k = &t->k;
  jit_zero_page_address(t, zero_page, X);
  op_alu_imm(k, DO_SUB, T1, T0, 0x80);
  jit_add_cold(t, COLD_BAIL, op_jump_if_imm(k, T1, IF_NOT_BELOW, 0x7F));
  op_load16(k, T2, at_index(C, T0, 0, ZERO_PAGE));
  return (dynamic_address){T2, -1, 0};
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

/* T3 + T1 = where the byte at an address is in plain ROM; jumps if it is not there. */
static int aim_at_plain(translator *t, dynamic_address from, uint8_t *elsewhere[2]) {
  code *k = &t->k;
  if (t->plain_size && t->plain_mask == 0xFFF) {
    from.offset = (from.offset - CART_BIT - t->plain_begin) & 0x1FFF;
    jit_load_address(k, T1, from);
    op_alu_imm(k, DO_AND, T1, T1, 0x1FFF);
    elsewhere[0] = op_jump_if_imm(k, T1, IF_NOT_BELOW, t->plain_size);
    op_mov_pointer(k, T3, POINTER(t->plain));
    return 1;
  }
  jit_load_address(k, T1, from);
  elsewhere[0] = op_jump_if_bit(k, T1, CART_BIT, false);
  if (t->plain_size) {
    op_alu_imm(k, DO_AND, T1, T1, t->plain_mask);
    op_mov_pointer(k, T3, POINTER(t->plain));
    return 1;
  }
  op_load_pointer(k, T3, IN_M(pages));
  op_bits(k, T0, T1, CART_PAGE_SHIFT, CART_PAGE_BITS);
  op_load_pointer(k, T3, at_index(T3, T0, POINTER_SCALE, 0));
  elsewhere[1] = op_jump_if_null(k, T3);
  op_alu_imm(k, DO_AND, T1, T1, 63);
  return 2;
}

/* Read from an address. Plain ROM, the common case, is read here, the rest in a rare path. `high` is the high byte of
 * the address before the index was added, which is on the bus; if it is negative, the pointer is in T2. `cycles` are
 * those of this instruction. */
static void read_dynamic(translator *t, dynamic_address from, int high, int cycles, host_reg into) {
  code *k = &t->k;
  uint8_t *elsewhere[2];
  const int ways = aim_at_plain(t, from, elsewhere);
  op_load8(k, into, at_index(T3, T1, 0, 0));
  for (int i = 0; i < ways; i++) {
    cold *c = jit_add_cold(t, COLD_ANY, elsewhere[i]);
    c->bus = high;
    c->own = cycles;
    c->value = into;
    c->address = from;
    c->back = op_here(k);
  }
}

/* Read from an address below the cartridge's window. */
static void read_low(translator *t, dynamic_address from, int high, int cycles, host_reg into) {
  code *k = &t->k;
  jit_load_address(k, T0, from);
  op_mov_imm(k, T2, high);
  op_mov_imm(k, T1, t->cycles + cycles);
  op_call(k, t->j->read_input);
  if (into != T0) op_mov(k, into, T0);
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
  operand found = {IN_T0, 0};
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
      cold *c = jit_add_cold(t, COLD_READ, op_jump_if_bit(k, T0, 0x80, false));
      c->cycles += cycles;
      c->bus = b[1];
      c->value = into;
      op_load8(k, into, at_index(C, T0, 0, ZERO_PAGE));
      c->back = op_here(k);
      break;
    }
    case ABX:
    case ABY: {
      const uint8_t *table = direct_table(t, word);
      if (table) {
        op_mov_pointer(k, T2, POINTER(table));
        if (b[1]) op_add_crossing_imm(k, CYCLES, index, b[1]);
        op_load8(k, into, at_index(T2, index, 0, 0));
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
  cold *c = jit_add_cold(t, COLD_STOP, op_jump_if_mem8_zero(&t->k, IN_M(stop), false));
  c->pc = next;
  c->bus = -1 - value_reg;
}

/* Put a write into the TIA's log. */
static void log_entry(translator *t, int tia_reg, int value_reg) {
  const bool strobe = tia_kind_of[tia_reg] == TIA_STROBE;
  op_log(&t->k, LOG, CYCLES, t->cycles, tia_reg << 8, strobe ? -1 : value_reg);
}

/* Write to a register of the TIA; the same as tia_fast_note(). */
static void note_write(translator *t, int tia_reg, int value_reg) {
  code *k = &t->k;
  const mem shadow = at(M, OF_M(frame.shadow) + tia_reg * 2),
            other = at(M, OF_M(frame.shadow) + tia_disturbs[tia_reg] * 2);
  switch ((tia_kind)tia_kind_of[tia_reg]) {
    case TIA_NOTHING:
    case TIA_CALL: return;
    case TIA_SOUND: op_store8(k, value_reg, at(M, OF_M(audio) + tia_reg - AUDC0)); return;
    case TIA_STROBE:
      log_entry(t, tia_reg, T0);
      if (tia_reg == HMCLR) {
        for (int i = 0; i < 5; i++)
          op_store_imm16(k, at(M, OF_M(frame.shadow) + (HMP0 + i) * 2), 0);
      }
      return;
    default: break;
  }
  if (tia_mask[tia_reg] != 0xFF) {
    op_alu_imm(k, DO_AND, T0, value_reg, tia_mask[tia_reg]);
    value_reg = T0;
  }
  if (tia_kind_of[tia_reg] == TIA_ALWAYS) {
    log_entry(t, tia_reg, value_reg);
    return;
  }
  uint8_t *same;
  if (tia_disturbs[tia_reg]) {
    op_load16(k, T1, shadow);
    same = op_jump_if(k, T1, IF_EQUAL, value_reg);
    op_alu_imm(k, DO_AND, T1, T1, ~SHADOW_MUST_LOG);
    op_note_difference(k, other, T1, value_reg);
  } else {
    same = op_jump_if_mem16(k, shadow, IF_EQUAL, value_reg);
  }
  op_store16(k, value_reg, shadow);
  log_entry(t, tia_reg, value_reg);
  op_land(k, same);
}

/* WSYNC: the processor waits for the end of the line, unless the line has just ended. Programs usually wait once
 * per line, so the end is guessed (frame.next_end) and the guess is checked. The new value of CYCLES then depends on
 * the guess alone, and the host executes the code that follows without waiting for the sum of the cycles before. */
static void wait_for_line(translator *t) {
  code *k = &t->k;
  op_load32(k, T1, IN_M(frame.next_end));
  op_alu_imm(k, DO_ADD, T0, CYCLES, t->cycles);
  op_alu(k, DO_SUB, T2, T1, T0);
  cold *c = jit_add_cold(t, COLD_WAIT, op_jump_if_imm(k, T2, IF_NOT_BELOW, LINE_CYCLES));
  c->back = op_here(k);
  op_mov(k, CYCLES, T1);
  op_alu_imm(k, DO_ADD, T1, T1, LINE_CYCLES);
  op_store32(k, T1, IN_M(frame.next_end));
  t->cycles = 0;
}

/* T1 = the end of the line that cycle T0 is in; the same as tia_line_end(). Division by LINE_CYCLES is done by
 * multiplication with its reciprocal, rounded up; this is exact because cycles are below the cut. */
void jit_find_line_end(code *k) {
  enum { SHIFT = 22, FACTOR = (1 << SHIFT) / LINE_CYCLES + 1 };
  op_alu_imm(k, DO_ADD, T1, T0, LINE_CYCLES - 1);
  op_alu_mem32(k, DO_ADD, T1, IN_M(frame.phase));
  op_mul_imm(k, T1, FACTOR);
  op_shift_right(k, T1, T1, SHIFT);
  op_mul_imm(k, T1, LINE_CYCLES);
  op_alu_mem32(k, DO_SUB, T1, IN_M(frame.phase));
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
  op_mov(k, ARG2, value_reg);
  op_mov_imm(k, ARG1, address);
  jit_call_c(k, POINTER(jit_write));
  if (jit_is_tia(address)) check_stop(t, next, value_reg);
}

/* Store to the zero-page address in T0: console memory here, the TIA in a rare path. */
void jit_store_zero_page(translator *t, int value_reg, int cycles, uint16_t next, bool pushes) {
  code *k = &t->k;
  cold *c = jit_add_cold(t, COLD_WRITE, op_jump_if_bit(k, T0, 0x80, false));
  c->cycles += cycles;
  c->pc = next;
  c->value = value_reg;
  c->pushes = pushes;
  op_store8(k, value_reg, at_index(C, T0, 0, ZERO_PAGE));
  c->back = op_here(k);
}

void jit_write_operand(translator *t, cpu_addressing how, const uint8_t *b, int value_reg,
                       int cycles) {
  code *k = &t->k;
  uint16_t word = (uint16_t)(b[1] | b[2] << 8), next = (uint16_t)(t->pc + cpu_length(b[0]));
  dynamic_address to = {T0, -1, 0};
  switch (how) {
    case ZPG:
    case ABS: {
      uint16_t address = how == ZPG ? b[1] : word;
      t->cycles += cycles;
      if (jit_is_ram(address))
        op_store8(k, value_reg, at(C, RAM_AT(address & 0x7F)));
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
  jit_load_address(k, T0, to);
  op_zero_extend16(k, T0, T0);
  op_mov_imm(k, T1, t->cycles + cycles);
  op_mov(k, T2, value_reg);
  op_call(k, t->j->write_any);
  jit_add_cold(t, COLD_BAIL, op_jump_if_bails(k));
  t->cycles += cycles;
  check_stop(t, next, value_reg);
}

#endif
