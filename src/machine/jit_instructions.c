/* Translating single instructions; jit_operands.c finds their operands.
 *
 * jit_translate_one() is the switch over the operations of opcodes.h. What has no case there is refused: the
 * instruction is executed by the interpreter or the plain processor, and translated code is entered again after it. */
#include <stddef.h>
#include <string.h>

#include "machine/jit_parts.h"

#ifdef SIXER_JIT

/* ---- Arithmetic -------------------------------------------------------------------------------- */

/* N and Z are those of the byte in T0. */
static void result_in_t0(translator *t) {
  jit_store_nz(t, T0);
  t->nz = NZ_STORED;
}

/* ADC and SBC. Decimal mode is handled out of line by the plain processor's functions. */
static void add_with_carry(translator *t, bool subtract, operand o) {
  code *k = &t->k;
  cold *c = jit_add_cold(t, COLD_DECIMAL, op_jump_if_mem8_bit(k, IN_M(run.rest), FLAG_D));
  c->value = subtract;
  c->what = o;
  /* CLC before ADC, SEC before SBC: the carry has no effect */
  const bool with_carry = t->carry != (int)subtract;
  if (with_carry) jit_settle_carry(t);
  (subtract ? op_sub8 : op_add8)(k, A, o, with_carry, IN_M(run.v));
  c->back = op_here(k);
  t->carry = CARRY_STORED;
  t->nz = A;
}

static void compare(translator *t, int r, operand o) {
  op_compare8(&t->k, NZ, r, o);
  t->carry = CARRY_STORED;
  t->nz = NZ_STORED;
}

static void bit_test(translator *t, operand o) {
  code *k = &t->k;
  op_load_operand(k, T0, o);
  op_alu_imm(k, DO_AND, NZ, T0, FLAG_N);
  op_alu(k, DO_AND, T1, T0, A);
  op_add_scaled(k, NZ, T1, NZ, 1,
                0);         /* N is bit 7 of the operand, not of the result: keep it in bit 8 */
  op_bits(k, T0, T0, 6, 1); /* V is bit 6 */
  op_store8(k, T0, IN_M(run.v));
  t->nz = NZ_STORED;
}

static void logic(translator *t, alu op, operand o) {
  op_logic8(&t->k, op, A, o);
  t->nz = A;
}

/* The register that an operand is read into: loads read straight into theirs. */
static host_reg place_for(cpu_operation op) {
  switch (op) {
    case LDA: return A;
    case LDX: return X;
    case LDY: return Y;
    default: return T0;
  }
}

/* What an instruction that reads does with its operand. */
static void use_operand(translator *t, cpu_operation op, operand o) {
  switch (op) {
    case ORA: logic(t, DO_OR, o); break;
    case AND: logic(t, DO_AND, o); break;
    case EOR: logic(t, DO_XOR, o); break;
    case ADC: add_with_carry(t, false, o); break;
    case SBC: add_with_carry(t, true, o); break;
    case CMP: compare(t, A, o); break;
    case CPX: compare(t, X, o); break;
    case CPY: compare(t, Y, o); break;
    case BIT: bit_test(t, o); break;
    default: /* LDA, LDX, LDY */
      if (o.where != IN_T0) op_load_operand(&t->k, place_for(op), o);
      t->nz = place_for(op);
      break;
  }
}

/* ---- Shifts and counters ----------------------------------------------------------------------- */

/* Shift or count the byte in register r. INC and DEC leave the carry alone. */
static void modify_reg(translator *t, cpu_operation op, host_reg r) {
  code *k = &t->k;
  if (op == ROL || op == ROR) jit_settle_carry(t);
  switch (op) {
    case INC: op_count8(k, r, 1); return;
    case DEC: op_count8(k, r, -1); return;
    case ASL: op_shift8(k, SHIFT_ASL, r); break;
    case ROL: op_shift8(k, SHIFT_ROL, r); break;
    case LSR: op_shift8(k, SHIFT_LSR, r); break;
    default: op_shift8(k, SHIFT_ROR, r); break;
  }
  t->carry = CARRY_STORED;
}

/* Read, modify, write. Only console memory and TIA registers at fixed addresses are translated. */
static outcome modify(translator *t, cpu_operation op, cpu_addressing how, const uint8_t *b) {
  code *k = &t->k;
  const int cycles = cpu_cycles[b[0]];
  const uint16_t address = how == ZPG ? b[1] : (uint16_t)(b[1] | b[2] << 8);
  const bool fixed = how == ZPG || how == ABS;
  if (how == ACC) {
    modify_reg(t, op, A);
    t->nz = A;
    t->cycles += cycles;
    return DONE;
  }
  if (how == ZPX) {
    jit_zero_page_address(t, b[1], X);
    op_mov(k, T2, T0);
    jit_add_cold(t, COLD_BAIL, op_jump_if_bit(k, T0, 0x80, false)); /* not memory */
    op_load8(k, T0, at_index(C, T2, 0, ZERO_PAGE));
    modify_reg(t, op, T0);
    op_store8(k, T0, at_index(C, T2, 0, ZERO_PAGE));
  } else if (fixed && jit_is_ram(address)) {
    op_load8(k, T0, at(C, RAM_AT(address & 0x7F)));
    modify_reg(t, op, T0);
    op_store8(k, T0, at(C, RAM_AT(address & 0x7F)));
  } else if (fixed && jit_is_tia(address) && tia_kind_of[address & 0x3F] != TIA_CALL) {
    t->cycles += cycles;
    jit_read_fixed(t, address, how == ZPG ? b[1] : b[2], T0);
    modify_reg(t, op, T0);
    result_in_t0(t);
    jit_write_fixed(t, address, T0, (uint16_t)(t->pc + cpu_length(b[0])));
    return DONE;
  } else {
    return REFUSED;
  }
  result_in_t0(t);
  t->cycles += cycles;
  return DONE;
}

/* ---- Instructions without an operand ----------------------------------------------------------- */

static void transfer(translator *t, int to, int from) {
  op_mov(&t->k, to, from);
  t->nz = to;
}

static void count_reg(translator *t, cpu_operation op, int r) {
  modify_reg(t, op, r);
  t->nz = r;
}

/* Flags and registers; they take two cycles each. */
static outcome implied(translator *t, cpu_operation op) {
  code *k = &t->k;
  switch (op) {
    case CLC: t->carry = 0; break;
    case SEC: t->carry = 1; break;
    case CLV: op_store_imm8(k, IN_M(run.v), 0); break;
    /* `rest` holds only D and I: clearing one is keeping the other */
    case CLI: op_and_mem8(k, IN_M(run.rest), FLAG_D); break;
    case SEI: op_or_mem8(k, IN_M(run.rest), FLAG_I); break;
    case CLD: op_and_mem8(k, IN_M(run.rest), FLAG_I); break;
    case SED: op_or_mem8(k, IN_M(run.rest), FLAG_D); break;
    case TAX: transfer(t, X, A); break;
    case TAY: transfer(t, Y, A); break;
    case TXA: transfer(t, A, X); break;
    case TYA: transfer(t, A, Y); break;
    case TSX: op_load8(k, X, IN_C(sp)), t->nz = X; break;
    case TXS: op_store8(k, X, IN_C(sp)); break;
    case INX: count_reg(t, INC, X); break;
    case DEX: count_reg(t, DEC, X); break;
    case INY: count_reg(t, INC, Y); break;
    case DEY: count_reg(t, DEC, Y); break;
    default: break; /* NOP */
  }
  t->cycles += 2;
  return DONE;
}

/* ---- The stack --------------------------------------------------------------------------------- */

static void push(translator *t, int value_reg, int cycles) {
  op_load8(&t->k, T0, IN_C(sp));
  jit_store_zero_page(t, value_reg, cycles, (uint16_t)(t->pc + 1), true);
  op_add_mem8(&t->k, IN_C(sp), -1);
  t->cycles += cycles;
}

/* Bail unless low <= SP < low + count, so that everything the instruction pushes or pulls is in memory. Leaves SP in
 * T0. */
static void need_stack(translator *t, int low, int count) {
  code *k = &t->k;
  op_load8(k, T0, IN_C(sp));
  op_alu_imm(k, DO_SUB, T1, T0, low);
  jit_add_cold(t, COLD_BAIL, op_jump_if_imm(k, T1, IF_NOT_BELOW, count));
}

static void pull_a(translator *t) {
  code *k = &t->k;
  op_load8(k, T0, IN_C(sp));
  op_alu_imm(k, DO_SUB, T1, T0, 0x80);
  cold *c = jit_add_cold(t, COLD_PULL, op_jump_if_imm(k, T1, IF_NOT_BELOW, 0x7F));
  c->cycles += 4;
  op_load8(k, A, at_index(C, T0, 0, ZERO_PAGE + 1));
  op_add_mem8(k, IN_C(sp), 1);
  c->back = op_here(k);
  t->nz = A;
  t->cycles += 4;
}

/* T2 = the status byte as PHP and BRK push it. */
static void pack_flags(translator *t) {
  code *k = &t->k;
  jit_settle_flags(t);
  op_set_if_zero8(k, T0, NZ);
  op_add_scaled(k, T2, CARRY, T0, 1, FLAGS_PUSHED); /* carry + 2 Z + the two bits that are set */
  op_shift_right(k, T0, NZ, 1);                     /* N is bit 7 or bit 8 */
  op_alu(k, DO_OR, T0, T0, NZ);
  op_alu_imm(k, DO_AND, T0, T0, FLAG_N);
  op_alu(k, DO_OR, T2, T2, T0);
  op_load8(k, T0, IN_M(run.v));
  op_shift_left(k, T0, T0, 6);
  op_alu(k, DO_OR, T2, T2, T0);
  op_load8(k, T0, IN_M(run.rest));
  op_alu(k, DO_OR, T2, T2, T0);
}

/* Set all flags from the status byte in T0. */
static void unpack_flags(translator *t) {
  code *k = &t->k;
  op_alu_imm(k, DO_AND, CARRY, T0, FLAG_C);
  op_bits(k, NZ, T0, 1, 1);
  op_alu_imm(k, DO_XOR, NZ, NZ, 1); /* the result that N and Z are told by: 0 if Z, else 1 ... */
  op_alu_imm(k, DO_AND, T1, T0, FLAG_N);
  op_add_scaled(k, NZ, NZ, T1, 1, 0); /* ... with N in bit 8 */
  op_bits(k, T1, T0, 6, 1);
  op_store8(k, T1, IN_M(run.v));
  op_alu_imm(k, DO_AND, T0, T0, FLAG_D | FLAG_I);
  op_store8(k, T0, IN_M(run.rest));
  t->nz = NZ_STORED;
  t->carry = CARRY_STORED;
}

/* PHP. Games let the stack pointer point to an enable register of the TIA and switch missiles and ball with the zero
 * flag, which is bit 1 of what is pushed; that case has a short way of its own. */
static void push_flags(translator *t) {
  code *k = &t->k;
  jit_settle_flags(t);
  op_load8(k, T0, IN_C(sp));
  op_alu_imm(k, DO_SUB, T1, T0, ENAM0);
  cold *c = jit_add_cold(t, COLD_ENABLE, op_jump_if_imm(k, T1, IF_BELOW, ENABL - ENAM0 + 1));
  c->cycles += 3;
  pack_flags(t);
  op_load8(k, T0, IN_C(sp));
  jit_store_zero_page(t, T2, 3, (uint16_t)(t->pc + 1), true);
  c->back = op_here(k);
  op_add_mem8(k, IN_C(sp), -1);
  t->cycles += 3;
}

static void pull_flags(translator *t) {
  code *k = &t->k;
  need_stack(t, 0x80, 0x7F);
  op_load8(k, T0, at_index(C, T0, 0, ZERO_PAGE + 1));
  op_add_mem8(k, IN_C(sp), 1);
  unpack_flags(t);
  t->cycles += 4;
}

/* ---- Jumps ------------------------------------------------------------------------------------- */

static outcome jump(translator *t, const uint8_t *b) {
  t->cycles += 3;
  jit_settle(t);
  jit_link(t, op_jump(&t->k), (uint16_t)(b[1] | b[2] << 8), b[2]);
  return ENDED;
}

/* Push a return address to the place below SP, which is in T0. */
static void push_return(code *k, uint16_t back) {
  op_store_imm8(k, at_index(C, T0, 0, ZERO_PAGE), back >> 8);
  op_store_imm8(k, at_index(C, T0, 0, ZERO_PAGE - 1), back & 0xFF);
}

/* BRK: some games call a subroutine by it. */
static outcome break_instruction(translator *t) {
  code *k = &t->k;
  const uint8_t *low = jit_direct(t, 0xFFFE), *high = jit_direct(t, 0xFFFF);
  const uint16_t back = (uint16_t)(t->pc + 2);
  if (!low || !high) return REFUSED;
  pack_flags(t);
  need_stack(t, 0x82, 0x7E);
  push_return(k, back);
  op_store8(k, T2, at_index(C, T0, 0, ZERO_PAGE - 2));
  op_add_mem8(k, IN_C(sp), -3);
  op_or_mem8(k, IN_M(run.rest), FLAG_I);
  t->cycles += 7;
  jit_settle_cycles(t);
  jit_link(t, op_jump(k), (uint16_t)(*low | *high << 8), *high);
  jit_want(t, back);
  return ENDED;
}

static outcome jump_subroutine(translator *t, const uint8_t *b) {
  code *k = &t->k;
  uint16_t back = (uint16_t)(t->pc + 2), target = (uint16_t)(b[1] | b[2] << 8);
  need_stack(t, 0x81, 0x7F);
  push_return(k, back);
  op_add_mem8(k, IN_C(sp), -2);
  t->cycles += 6;
  jit_settle(t);
  jit_link(t, op_jump(k), target, b[2]);
  jit_want(t, (uint16_t)(back + 1));
  return ENDED;
}

/* Go on at the address in T1: jump to its translation if the table of entries has one, else leave. */
void jit_jump_dynamic(translator *t, left how) {
  code *k = &t->k;
  const jit *j = t->j;
  op_store16(k, T1, IN_C(pc));
  /* T0 = offset of the entry within those of its bank: all bits of the address but bit 12 choose it */
  op_alu_imm(k, DO_AND, T0, T1, 0x0FFF);
  op_alu_imm(k, DO_AND, T2, T1, 0xE000);
  op_shift_right(k, T2, T2, 1);
  op_alu(k, DO_ADD, T0, T0, T2);
  op_shift_left(k, T0, T0, ENTRY_SHIFT);
  if (j->cart->type == CART_E0) {
    /* the slice that its window shows */
    op_bits(k, T3, T1, 10, 2);
    op_load16(k, T2, at_index(C, T3, 1, OF_C(bank)));
    op_mov_imm(k, T4, E0_FIXED_SLICE);
    op_mov_if_equal(k, T2, T4, T3, E0_FIXED);
  } else if (t->switched) {
    op_load16(k, T2, IN_C(bank));
  }
  if (j->cart->type == CART_E0 || t->switched) {
    op_shift_left(k, T2, T2, BANK_SHIFT);
    op_alu(k, DO_ADD, T0, T0, T2);
    op_mov_pointer(k, T2, POINTER(&j->entry[0]));
  } else {
    op_mov_pointer(k, T2, POINTER(&j->entry[t->bank * JIT_MIRRORS * JIT_WINDOW]));
  }
  /* the entry may belong to an address that differs in bit 12, or have no code */
  const mem pc = at_index(T2, T0, 0, offsetof(jit_entry, pc));
  uint8_t *other = op_jump_if_mem16(k, pc, IF_NOT_EQUAL, T1);
  op_load_pointer(k, T2, at_index(T2, T0, 0, offsetof(jit_entry, code)));
  uint8_t *none = op_jump_if_null(k, T2);
  op_jump_reg(k, T2);
  op_land(k, other);
  op_land(k, none);
  op_mov_imm(k, RESULT, (int)how);
  op_jump_to(k, j->leave);
}

/* Bail unless the address in T1 is plain ROM of this bank. */
static void need_direct(translator *t) {
  code *k = &t->k;
  int begin = t->plain_begin, size = t->plain_size;
  if (t->j->cart->type == CART_E0) begin = 0, size = LAST_PAGE << CART_PAGE_SHIFT;
  if (t->j->cart->type == CART_FE) begin = 0, size = JIT_WINDOW;
  op_alu_imm(k, DO_AND, T2, T1, 0x1FFF);
  op_alu_imm(k, DO_SUB, T2, T2, CART_BIT + begin);
  jit_add_cold(t, COLD_BAIL, op_jump_if_imm(k, T2, IF_NOT_BELOW, size));
}

/* RTS if the cartridge's window is one stretch of plain ROM. The return address is nearly always in the same mirror of
 * the window, so that the distance from its beginning finds both whether it is plain ROM and the entry of the block.
 * Another mirror bails. */
static outcome return_in_window(translator *t) {
  code *k = &t->k;
  const int window = (t->pc & 0xF000) + t->plain_begin,
            end = t->plain_begin + t->plain_size < JIT_WINDOW ? t->plain_size : t->plain_size - 1;
  const jit_entry *first = jit_entry_of(t->j, t->bank, (uint16_t)window);
  need_stack(t, 0x80, 0x7E);
  op_load16(k, T1, at_index(C, T0, 0, ZERO_PAGE + 1));
  op_alu_imm(k, DO_SUB, T2, T1, window);
  jit_add_cold(t, COLD_BAIL, op_jump_if_imm(k, T2, IF_NOT_BELOW, end));
  op_add_mem8(k, IN_C(sp), 2);
  t->cycles += 6;
  jit_settle(t);
  /* the entry after that of the address which was pulled; it cannot belong to another address */
  op_shift_left(k, T2, T2, ENTRY_SHIFT);
  op_mov_pointer(k, T0, POINTER(first + 1));
  op_load_pointer(k, T2, at_index(T0, T2, 0, offsetof(jit_entry, code)));
  jit_add_cold(t, COLD_RETURN, op_jump_if_null(k, T2));
  op_jump_reg(k, T2);
  return ENDED;
}

static outcome return_subroutine(translator *t) {
  code *k = &t->k;
  if (t->plain_size && t->plain_mask == 0xFFF) return return_in_window(t);
  need_stack(t, 0x80, 0x7E);
  op_load16(k, T1, at_index(C, T0, 0, ZERO_PAGE + 1));
  need_direct(t); /* RTS reads the byte at the address that it pulls, before it adds 1 */
  op_add_mem8(k, IN_C(sp), 2);
  t->cycles += 6;
  jit_settle(t);
  op_alu_imm(k, DO_ADD, T1, T1, 1);
  op_zero_extend16(k, T1, T1);
  jit_jump_dynamic(t, LEFT_BY_RTS);
  return ENDED;
}

static outcome return_interrupt(translator *t) {
  code *k = &t->k;
  need_stack(t, 0x80, 0x7D);
  op_load16(k, T2, at_index(C, T0, 0, ZERO_PAGE + 2));
  op_load8(k, T0, at_index(C, T0, 0, ZERO_PAGE + 1));
  op_add_mem8(k, IN_C(sp), 3);
  unpack_flags(t);
  op_mov(k, T1, T2);
  op_shift_right(k, T2, T2, 8);
  op_store8(k, T2, IN_C(bus));
  t->cycles += 6;
  jit_settle_cycles(t);
  jit_jump_dynamic(t, LEFT_BY_JUMP);
  return ENDED;
}

/* JMP through a pointer in console memory. The high byte is taken from the same page as the low byte. */
static outcome jump_indirect(translator *t, const uint8_t *b) {
  code *k = &t->k;
  uint16_t low = (uint16_t)(b[1] | b[2] << 8),
           high = (uint16_t)((low & 0xFF00) | ((low + 1) & 0xFF));
  if (!jit_is_ram(low) || !jit_is_ram(high)) return REFUSED;
  op_load8(k, T1, at(C, RAM_AT(low & 0x7F)));
  op_load8(k, T0, at(C, RAM_AT(high & 0x7F)));
  op_store8(k, T0, IN_C(bus));
  op_shift_left(k, T0, T0, 8);
  op_alu(k, DO_ADD, T1, T1, T0);
  t->cycles += 5;
  jit_settle(t);
  jit_jump_dynamic(t, LEFT_BY_JUMP);
  return ENDED;
}

/* ---- Branches ---------------------------------------------------------------------------------- */

/* Jump if the branch is taken. `nz` is the register that N and Z are those of. */
static uint8_t *jump_if_taken(code *k, cpu_operation op, host_reg nz) {
  switch (op) {
    case BPL: return op_jump_if_any(k, nz, nz == NZ ? NZ_NEGATIVE : FLAG_N, false);
    case BMI: return op_jump_if_any(k, nz, nz == NZ ? NZ_NEGATIVE : FLAG_N, true);
    case BNE: return op_jump_if_zero8(k, nz, false);
    case BEQ: return op_jump_if_zero8(k, nz, true);
    case BVC: return op_jump_if_mem8_zero(k, IN_M(run.v), true);
    case BVS: return op_jump_if_mem8_zero(k, IN_M(run.v), false);
    default: return op_jump_if_zero(k, CARRY, op == BCC);
  }
}

static void branch(translator *t, cpu_operation op, const uint8_t *b) {
  uint16_t next = (uint16_t)(t->pc + 2), target = (uint16_t)(next + (int8_t)b[1]);
  int extra = (next ^ target) & 0xFF00 ? 2 : 1;
  const host_reg nz = t->nz == NZ_STORED ? NZ : t->nz;
  jit_settle_flags(t);
  t->cycles += 2 + extra;
  jit_settle_cycles(t);
  t->cycles = -extra; /* if it is not taken */
  jit_link(t, jump_if_taken(&t->k, op, nz), target, b[1]);
}

/* ---- Decoding ---------------------------------------------------------------------------------- */

static outcome load(translator *t, cpu_operation op, cpu_addressing how, const uint8_t *b) {
  if (!jit_accessible(how, b)) return REFUSED;
  use_operand(t, op, jit_read_operand(t, how, b, cpu_cycles[b[0]], place_for(op)));
  return DONE;
}

static outcome store(translator *t, int value_reg, cpu_addressing how, const uint8_t *b) {
  if (!jit_accessible(how, b)) return REFUSED;
  jit_write_operand(t, how, b, value_reg, cpu_cycles[b[0]]);
  return DONE;
}

outcome jit_translate_one(translator *t, const uint8_t *b) {
  const cpu_operation op = cpu_opcodes[b[0]].operation;
  const cpu_addressing how = cpu_opcodes[b[0]].addressing;
  switch (op) {
    case ORA:
    case AND:
    case EOR:
    case ADC:
    case SBC:
    case CMP:
    case CPX:
    case CPY:
    case BIT:
    case LDA:
    case LDX:
    case LDY: return load(t, op, how, b);
    case STA: return store(t, A, how, b);
    case STX: return store(t, X, how, b);
    case STY: return store(t, Y, how, b);
    case ASL:
    case ROL:
    case LSR:
    case ROR:
    case INC:
    case DEC: return modify(t, op, how, b);
    case CLC:
    case SEC:
    case CLV:
    case CLI:
    case SEI:
    case CLD:
    case SED:
    case TAX:
    case TAY:
    case TXA:
    case TYA:
    case TSX:
    case TXS:
    case INX:
    case DEX:
    case INY:
    case DEY: return implied(t, op);
    case NOP: return how == IMP ? implied(t, op) : REFUSED; /* the others read an operand */
    case BPL:
    case BMI:
    case BVC:
    case BVS:
    case BCC:
    case BCS:
    case BNE:
    case BEQ: branch(t, op, b); return DONE;
    case JMP: return how == IND ? jump_indirect(t, b) : jump(t, b);
    case JSR: return jump_subroutine(t, b);
    case RTS: return return_subroutine(t);
    case RTI: return return_interrupt(t);
    case BRK: return break_instruction(t);
    case PHA: push(t, A, 3); return DONE;
    case PLA: pull_a(t); return DONE;
    case PHP: push_flags(t); return DONE;
    case PLP: pull_flags(t); return DONE;
    default: return REFUSED;
  }
}

#endif
