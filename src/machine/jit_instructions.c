/* Translating single instructions; jit_operands.c finds their operands.
 *
 * jit_translate_one() is the switch over the operations of opcodes.h. What has no case there is refused: the
 * instruction is executed by the interpreter or the plain processor, and translated code is entered again after it. */
#include <stddef.h>
#include <string.h>

#include "machine/jit_parts.h"

#ifdef SIXER_JIT

/* ---- Arithmetic -------------------------------------------------------------------------------- */

/* N and Z are those of the byte in eax. */
static void result_in_eax(translator *t) {
  jit_store_nz(t, RAX);
  t->nz = NZ_STORED;
}

/* The host's sign and zero flags are those of the last result. A branch that is translated next, before any other code
 * is emitted, uses them without a test. */
static void host_has_flags(translator *t) { t->flags_at = t->k.at; }

/* r op= operand, on bytes. */
static void alu(code *k, alu_op op, host_reg r, operand o) {
  switch (o.where) {
    case CONSTANT: x_alu8_imm(k, op, r, o.value); break;
    case IN_MEMORY: x_alu_load8(k, op, r, C, o.value); break;
    case IN_EAX: x_alu8(k, op, r, RAX); break;
  }
}

/* ADC and SBC. Decimal mode is handled out of line by the plain processor's functions. */
static void add_with_carry(translator *t, bool subtract, operand o) {
  code *k = &t->k;
  /* `rest` holds D and I only, and D is the higher bit: not below means that D is set */
  x_alu_mem8_imm(k, ALU_CMP, M, OF_M(run.rest), FLAG_D);
  cold *c = jit_add_cold(t, COLD_DECIMAL, x_jump_if(k, CC_AE));
  c->value = subtract;
  c->what = o;
  if (t->carry == subtract) {
    /* CLC before ADC, SEC before SBC: the carry has no effect */
    alu(k, subtract ? ALU_SUB : ALU_ADD, A, o);
  } else if (subtract) {
    jit_settle_carry(t);
    x_alu_imm(k, ALU_CMP, CARRY, 1); /* the host's borrow is the inverse of the 6502's carry */
    alu(k, ALU_SBB, A, o);
  } else {
    jit_settle_carry(t);
    x_bit_to_carry_imm(k, CARRY, 0);
    alu(k, ALU_ADC, A, o);
  }
  jit_set_carry(k, subtract ? CC_AE : CC_B);
  t->carry = CARRY_STORED;
  x_set_mem(k, CC_O, M, OF_M(run.v));
  c->back = k->at;
  t->nz = A;
}

static void compare(translator *t, int r, operand o) {
  code *k = &t->k;
  x_mov(k, NZ, r);
  alu(k, ALU_SUB, NZ, o);
  jit_set_carry(k, CC_AE);
  t->carry = CARRY_STORED;
  t->nz = NZ_STORED;
  host_has_flags(t);
}

static void bit_test(translator *t, operand o) {
  code *k = &t->k;
  jit_load(k, RAX, o);
  x_mov(k, NZ, RAX);
  x_alu_imm(k, ALU_AND, NZ, FLAG_N);
  x_alu(k, ALU_ADD, NZ, NZ); /* N is bit 7 of the operand, not of the result: keep it in bit 8 */
  x_mov(k, RCX, RAX);
  x_alu(k, ALU_AND, RCX, A);
  x_alu(k, ALU_OR, NZ, RCX);
  x_shift_imm(k, SHIFT_SHR, RAX, 6); /* V is bit 6 */
  x_alu_imm(k, ALU_AND, RAX, 1);
  x_store8(k, RAX, M, OF_M(run.v));
  t->nz = NZ_STORED;
}

static void logic(translator *t, alu_op op, operand o) {
  alu(&t->k, op, A, o);
  t->nz = A;
  host_has_flags(t);
}

/* The register that an operand is read into: loads read straight into theirs. */
static host_reg place_for(cpu_operation op) {
  switch (op) {
    case LDA: return A;
    case LDX: return X;
    case LDY: return Y;
    default: return RAX;
  }
}

/* What an instruction that reads does with its operand. */
static void use_operand(translator *t, cpu_operation op, operand o) {
  switch (op) {
    case ORA: logic(t, ALU_OR, o); break;
    case AND: logic(t, ALU_AND, o); break;
    case EOR: logic(t, ALU_XOR, o); break;
    case ADC: add_with_carry(t, false, o); break;
    case SBC: add_with_carry(t, true, o); break;
    case CMP: compare(t, A, o); break;
    case CPX: compare(t, X, o); break;
    case CPY: compare(t, Y, o); break;
    case BIT: bit_test(t, o); break;
    default: /* LDA, LDX, LDY */
      if (o.where != IN_EAX) jit_load(&t->k, place_for(op), o);
      t->nz = place_for(op);
      break;
  }
}

/* ---- Shifts and counters ----------------------------------------------------------------------- */

/* Shift or count the byte in register r. INC and DEC leave the carry alone. */
static void modify_reg(translator *t, cpu_operation op, host_reg r) {
  code *k = &t->k;
  switch (op) {
    case INC: x_inc8(k, r); return;
    case DEC: x_dec8(k, r); return;
    case ROL:
    case ROR:
      jit_settle_carry(t);
      x_bit_to_carry_imm(k, CARRY, 0);
      x_shift8_once(k, op == ROL ? SHIFT_RCL : SHIFT_RCR, r);
      break;
    default: x_shift8_once(k, op == ASL ? SHIFT_SHL : SHIFT_SHR, r); break; /* ASL, LSR */
  }
  jit_set_carry(k, CC_B);
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
    x_mov(k, RDX, RAX);
    x_test8(k, RAX);
    jit_add_cold(t, COLD_BAIL, x_jump_if(k, CC_NS)); /* below 0x80: not memory */
    x_load8_index(k, RAX, C, RDX, ZERO_PAGE);
    modify_reg(t, op, RAX);
    x_store8_index(k, RAX, C, RDX, ZERO_PAGE);
  } else if (fixed && jit_is_ram(address)) {
    x_load8(k, RAX, C, RAM_AT(address & 0x7F));
    modify_reg(t, op, RAX);
    x_store8(k, RAX, C, RAM_AT(address & 0x7F));
  } else if (fixed && jit_is_tia(address) && tia_kind_of[address & 0x3F] != TIA_CALL) {
    t->cycles += cycles;
    jit_read_fixed(t, address, how == ZPG ? b[1] : b[2], RAX);
    modify_reg(t, op, RAX);
    result_in_eax(t);
    jit_write_fixed(t, address, RAX, (uint16_t)(t->pc + cpu_length(b[0])));
    return DONE;
  } else {
    return REFUSED;
  }
  result_in_eax(t);
  t->cycles += cycles;
  return DONE;
}

/* ---- Instructions without an operand ----------------------------------------------------------- */

static void transfer(translator *t, int to, int from) {
  x_mov(&t->k, to, from);
  t->nz = to;
}

static void count_reg(translator *t, cpu_operation op, int r) {
  modify_reg(t, op, r);
  t->nz = r;
  host_has_flags(t);
}

/* Flags and registers; they take two cycles each. */
static outcome implied(translator *t, cpu_operation op) {
  code *k = &t->k;
  switch (op) {
    case CLC: t->carry = 0; break;
    case SEC: t->carry = 1; break;
    case CLV: x_store_imm8(k, M, OF_M(run.v), 0); break;
    /* `rest` holds only D and I: clearing one is keeping the other */
    case CLI: x_alu_mem8_imm(k, ALU_AND, M, OF_M(run.rest), FLAG_D); break;
    case SEI: x_alu_mem8_imm(k, ALU_OR, M, OF_M(run.rest), FLAG_I); break;
    case CLD: x_alu_mem8_imm(k, ALU_AND, M, OF_M(run.rest), FLAG_I); break;
    case SED: x_alu_mem8_imm(k, ALU_OR, M, OF_M(run.rest), FLAG_D); break;
    case TAX: transfer(t, X, A); break;
    case TAY: transfer(t, Y, A); break;
    case TXA: transfer(t, A, X); break;
    case TYA: transfer(t, A, Y); break;
    case TSX: x_load8(k, X, C, OF_C(sp)), t->nz = X; break;
    case TXS: x_store8(k, X, C, OF_C(sp)); break;
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
  x_load8(&t->k, RAX, C, OF_C(sp));
  jit_store_zero_page(t, value_reg, cycles, (uint16_t)(t->pc + 1), true);
  x_dec_mem8(&t->k, C, OF_C(sp));
  t->cycles += cycles;
}

/* Bail unless low <= SP < low + count, so that everything the instruction pushes or pulls is in memory. Leaves SP in
 * eax. */
static void need_stack(translator *t, int low, int count) {
  code *k = &t->k;
  x_load8(k, RAX, C, OF_C(sp));
  x_lea(k, RCX, RAX, -low);
  x_alu_imm(k, ALU_CMP, RCX, count);
  jit_add_cold(t, COLD_BAIL, x_jump_if(k, CC_AE));
}

static void pull_a(translator *t) {
  code *k = &t->k;
  x_load8(k, RAX, C, OF_C(sp));
  x_lea(k, RCX, RAX, -0x80);
  x_alu_imm(k, ALU_CMP, RCX, 0x7F);
  cold *c = jit_add_cold(t, COLD_PULL, x_jump_if(k, CC_AE));
  c->cycles += 4;
  x_load8_index(k, A, C, RAX, ZERO_PAGE + 1);
  x_inc_mem8(k, C, OF_C(sp));
  c->back = k->at;
  t->nz = A;
  t->cycles += 4;
}

/* edx = the status byte as PHP and BRK push it. */
static void pack_flags(translator *t) {
  code *k = &t->k;
  jit_settle_flags(t);
  x_test8(k, NZ);
  x_set(k, CC_E, RAX);
  x_zero_extend8(k, RAX, RAX);
  x_lea_index(k, RDX, CARRY, RAX, 1, FLAGS_PUSHED); /* carry + 2 Z + the two bits that are set */
  x_mov(k, RAX, NZ);                                /* N is bit 7 or bit 8 */
  x_shift_imm(k, SHIFT_SHR, RAX, 1);
  x_alu(k, ALU_OR, RAX, NZ);
  x_alu_imm(k, ALU_AND, RAX, FLAG_N);
  x_alu(k, ALU_OR, RDX, RAX);
  x_alu_mem8_imm(k, ALU_CMP, M, OF_M(run.v), 0);
  x_set(k, CC_NE, RAX);
  x_zero_extend8(k, RAX, RAX);
  x_shift_imm(k, SHIFT_SHL, RAX, 6);
  x_alu(k, ALU_OR, RDX, RAX);
  x_load8(k, RAX, M, OF_M(run.rest));
  x_alu(k, ALU_OR, RDX, RAX);
}

/* Set all flags from the status byte in eax. */
static void unpack_flags(translator *t) {
  code *k = &t->k;
  x_mov(k, CARRY, RAX);
  x_alu_imm(k, ALU_AND, CARRY, FLAG_C);
  x_mov(k, NZ, RAX);
  x_not(k, NZ);
  x_shift_imm(k, SHIFT_SHR, NZ, 1);
  x_alu_imm(k, ALU_AND, NZ, 1); /* the result that N and Z are told by: 0 if Z, else 1 ... */
  x_mov(k, RCX, RAX);
  x_alu_imm(k, ALU_AND, RCX, FLAG_N);
  x_lea_index(k, NZ, NZ, RCX, 1, 0); /* ... with N in bit 8 */
  x_mov(k, RCX, RAX);
  x_shift_imm(k, SHIFT_SHR, RCX, 6);
  x_alu_imm(k, ALU_AND, RCX, 1);
  x_store8(k, RCX, M, OF_M(run.v));
  x_alu_imm(k, ALU_AND, RAX, FLAG_D | FLAG_I);
  x_store8(k, RAX, M, OF_M(run.rest));
  t->nz = NZ_STORED;
  t->carry = CARRY_STORED;
}

/* PHP. Games let the stack pointer point to an enable register of the TIA and switch missiles and ball with the zero
 * flag, which is bit 1 of what is pushed; that case has a short way of its own. */
static void push_flags(translator *t) {
  code *k = &t->k;
  jit_settle_flags(t);
  x_load8(k, RAX, C, OF_C(sp));
  x_lea(k, RCX, RAX, -ENAM0);
  x_alu_imm(k, ALU_CMP, RCX, ENABL - ENAM0 + 1);
  cold *c = jit_add_cold(t, COLD_ENABLE, x_jump_if(k, CC_B));
  c->cycles += 3;
  pack_flags(t);
  x_load8(k, RAX, C, OF_C(sp));
  jit_store_zero_page(t, RDX, 3, (uint16_t)(t->pc + 1), true);
  c->back = k->at;
  x_dec_mem8(k, C, OF_C(sp));
  t->cycles += 3;
}

static void pull_flags(translator *t) {
  code *k = &t->k;
  need_stack(t, 0x80, 0x7F);
  x_load8_index(k, RAX, C, RAX, ZERO_PAGE + 1);
  x_inc_mem8(k, C, OF_C(sp));
  unpack_flags(t);
  t->cycles += 4;
}

/* ---- Jumps ------------------------------------------------------------------------------------- */

static outcome jump(translator *t, const uint8_t *b) {
  t->cycles += 3;
  jit_settle(t);
  jit_link(t, x_jump(&t->k), (uint16_t)(b[1] | b[2] << 8), b[2]);
  return ENDED;
}

/* Push a return address to the place below SP, which is in eax. */
static void push_return(code *k, uint16_t back) {
  x_store_imm8_index(k, C, RAX, ZERO_PAGE, back >> 8);
  x_store_imm8_index(k, C, RAX, ZERO_PAGE - 1, back & 0xFF);
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
  x_store8_index(k, RDX, C, RAX, ZERO_PAGE - 2);
  x_alu_mem8_imm(k, ALU_SUB, C, OF_C(sp), 3);
  x_alu_mem8_imm(k, ALU_OR, M, OF_M(run.rest), FLAG_I);
  t->cycles += 7;
  jit_settle_cycles(t);
  jit_link(t, x_jump(k), (uint16_t)(*low | *high << 8), *high);
  jit_want(t, back);
  return ENDED;
}

static outcome jump_subroutine(translator *t, const uint8_t *b) {
  code *k = &t->k;
  uint16_t back = (uint16_t)(t->pc + 2), target = (uint16_t)(b[1] | b[2] << 8);
  need_stack(t, 0x81, 0x7F);
  push_return(k, back);
  x_alu_mem8_imm(k, ALU_SUB, C, OF_C(sp), 2);
  t->cycles += 6;
  jit_settle(t);
  jit_link(t, x_jump(k), target, b[2]);
  jit_want(t, (uint16_t)(back + 1));
  return ENDED;
}

/* Go on at the address in ecx: jump to its translation if the table of entries has one, else leave. */
void jit_jump_dynamic(translator *t, left how) {
  code *k = &t->k;
  const jit *j = t->j;
  x_store16(k, RCX, C, OF_C(pc));
  /* eax = offset of the entry within those of its bank: all bits of the address but bit 12 choose it */
  x_mov(k, RAX, RCX);
  x_mov(k, RDX, RCX);
  x_alu_imm(k, ALU_AND, RAX, 0x0FFF);
  x_alu_imm(k, ALU_AND, RDX, 0xE000);
  x_shift_imm(k, SHIFT_SHR, RDX, 1);
  x_alu(k, ALU_ADD, RAX, RDX);
  x_shift_imm(k, SHIFT_SHL, RAX, ENTRY_SHIFT);
  if (j->cart->type == CART_E0) {
    /* the slice that its window shows */
    x_mov(k, RSI, RCX);
    x_shift_imm(k, SHIFT_SHR, RSI, 10);
    x_alu_imm(k, ALU_AND, RSI, 3);
    x_load16_index(k, RDX, C, RSI, 1, OF_C(bank));
    x_mov_imm(k, RDI, E0_FIXED_SLICE);
    x_alu_imm(k, ALU_CMP, RSI, E0_FIXED);
    x_mov_if(k, CC_E, RDX, RDI);
  } else if (t->switched) {
    x_load16(k, RDX, C, OF_C(bank));
  }
  if (j->cart->type == CART_E0 || t->switched) {
    x_shift_imm(k, SHIFT_SHL, RDX, BANK_SHIFT);
    x_alu(k, ALU_ADD, RAX, RDX);
    x_mov_imm64(k, RDX, (uint64_t)(uintptr_t)&j->entry[0]);
  } else {
    x_mov_imm64(k, RDX, (uint64_t)(uintptr_t)&j->entry[t->bank * JIT_MIRRORS * JIT_WINDOW]);
  }
  /* the entry may belong to an address that differs in bit 12, or have no code */
  x_alu_mem16_index(k, ALU_CMP, RDX, RAX, 0, offsetof(jit_entry, pc), RCX);
  uint8_t *other = x_jump_if(k, CC_NE);
  x_load64_index(k, RDX, RDX, RAX, 0, offsetof(jit_entry, code));
  x_test64(k, RDX);
  uint8_t *none = x_jump_if(k, CC_E);
  x_jump_reg(k, RDX);
  x_land(k, other);
  x_land(k, none);
  x_mov_imm(k, RAX, (int)how);
  x_jump_to(k, j->leave);
}

/* Bail unless the address in ecx is plain ROM of this bank. */
static void need_direct(translator *t) {
  code *k = &t->k;
  int begin = t->plain_begin, size = t->plain_size;
  if (t->j->cart->type == CART_E0) begin = 0, size = LAST_PAGE << CART_PAGE_SHIFT;
  if (t->j->cart->type == CART_FE) begin = 0, size = JIT_WINDOW;
  x_mov(k, RDX, RCX);
  x_alu_imm(k, ALU_AND, RDX, 0x1FFF);
  x_alu_imm(k, ALU_SUB, RDX, CART_BIT + begin);
  x_alu_imm(k, ALU_CMP, RDX, size);
  jit_add_cold(t, COLD_BAIL, x_jump_if(k, CC_AE));
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
  x_load16_index(k, RCX, C, RAX, 0, ZERO_PAGE + 1);
  x_lea(k, RDX, RCX, -window);
  x_alu_imm(k, ALU_CMP, RDX, end);
  jit_add_cold(t, COLD_BAIL, x_jump_if(k, CC_AE));
  x_alu_mem8_imm(k, ALU_ADD, C, OF_C(sp), 2);
  t->cycles += 6;
  jit_settle(t);
  /* the entry after that of the address which was pulled; it cannot belong to another address */
  x_shift_imm(k, SHIFT_SHL, RDX, ENTRY_SHIFT);
  x_mov_imm64(k, RAX, (uint64_t)(uintptr_t)(first + 1));
  x_load64_index(k, RDX, RAX, RDX, 0, offsetof(jit_entry, code));
  x_test64(k, RDX);
  jit_add_cold(t, COLD_RETURN, x_jump_if(k, CC_E));
  x_jump_reg(k, RDX);
  return ENDED;
}

static outcome return_subroutine(translator *t) {
  code *k = &t->k;
  if (t->plain_size && t->plain_mask == 0xFFF) return return_in_window(t);
  need_stack(t, 0x80, 0x7E);
  x_load16_index(k, RCX, C, RAX, 0, ZERO_PAGE + 1);
  need_direct(t); /* RTS reads the byte at the address that it pulls, before it adds 1 */
  x_alu_mem8_imm(k, ALU_ADD, C, OF_C(sp), 2);
  t->cycles += 6;
  jit_settle(t);
  x_alu_imm(k, ALU_ADD, RCX, 1);
  x_zero_extend16(k, RCX, RCX);
  jit_jump_dynamic(t, LEFT_BY_RTS);
  return ENDED;
}

static outcome return_interrupt(translator *t) {
  code *k = &t->k;
  need_stack(t, 0x80, 0x7D);
  x_load16_index(k, RDX, C, RAX, 0, ZERO_PAGE + 2);
  x_load8_index(k, RAX, C, RAX, ZERO_PAGE + 1);
  x_alu_mem8_imm(k, ALU_ADD, C, OF_C(sp), 3);
  unpack_flags(t);
  x_mov(k, RCX, RDX);
  x_shift_imm(k, SHIFT_SHR, RDX, 8);
  x_store8(k, RDX, C, OF_C(bus));
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
  x_load8(k, RCX, C, RAM_AT(low & 0x7F));
  x_load8(k, RAX, C, RAM_AT(high & 0x7F));
  x_store8(k, RAX, C, OF_C(bus));
  x_shift_imm(k, SHIFT_SHL, RAX, 8);
  x_alu(k, ALU_ADD, RCX, RAX);
  t->cycles += 5;
  jit_settle(t);
  jit_jump_dynamic(t, LEFT_BY_JUMP);
  return ENDED;
}

/* ---- Branches ---------------------------------------------------------------------------------- */

/* Make the host's flags tell the flag that the branch tests, unless they do so already. Returns the host's condition
 * under which the branch is taken. */
static cond branch_condition(translator *t, cpu_operation op, bool has_flags) {
  code *k = &t->k;
  switch (op) {
    case BPL:
    case BMI:
      if (!has_flags && t->nz == NZ_STORED) {
        x_test_imm(k, NZ, NZ_NEGATIVE);
        return op == BMI ? CC_NE : CC_E;
      }
      if (!has_flags) x_test8(k, t->nz);
      return op == BMI ? CC_S : CC_NS;
    case BNE:
    case BEQ:
      if (!has_flags) x_test8(k, t->nz == NZ_STORED ? NZ : t->nz);
      return op == BEQ ? CC_E : CC_NE;
    case BVC:
    case BVS: x_alu_mem8_imm(k, ALU_CMP, M, OF_M(run.v), 0); return op == BVS ? CC_NE : CC_E;
    default: /* BCC, BCS */
      jit_settle_carry(t);
      x_test(k, CARRY);
      return op == BCS ? CC_NE : CC_E;
  }
}

static void branch(translator *t, cpu_operation op, const uint8_t *b) {
  code *k = &t->k;
  uint16_t next = (uint16_t)(t->pc + 2), target = (uint16_t)(next + (int8_t)b[1]);
  int extra = (next ^ target) & 0xFF00 ? 2 : 1;
  const cond taken = branch_condition(t, op, t->flags_at == k->at);
  /* mov and lea do not change the host's flags */
  jit_settle_flags(t);
  t->cycles += 2 + extra;
  jit_settle_cycles(t);
  t->cycles = -extra; /* if it is not taken */
  jit_link(t, x_jump_if(k, taken), target, b[1]);
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
