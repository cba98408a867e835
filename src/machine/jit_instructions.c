/* Translating instructions, operands apart. */
#include <stddef.h>
#include <string.h>

#include "machine/jit_parts.h"

#if defined(__x86_64__) && defined(__linux__)

/* ---- Instructions ------------------------------------------------------------------------------------------------ */

static void result_in_eax(translator *t) {
  jit_store_nz(t, RAX);
  t->nz = NZ_STORED;
}

/* The host's flags are those of the last result, and stay so until something else is translated. */
static void host_has_flags(translator *t) { t->flags_at = t->k.at; }

/* Arithmetic of bytes, as in x_alu_imm(): register and operand. */
static void alu(code *k, int which, host_reg r, operand o) {
  if (o.where == CONSTANT) {
    x_reg(k, 0x80, BYTES, which, r);
    x_byte(k, o.value);
  } else if (o.where == IN_MEMORY) {
    x_mem(k, which << 3 | 2, BYTES, r, C, o.value);
  } else {
    x_reg(k, which << 3, BYTES, RAX, r);
  }
}
enum { ALU_ADD, ALU_OR, ALU_ADC, ALU_SBB, ALU_AND, ALU_SUB, ALU_XOR };

static void add_with_carry(translator *t, bool subtract, operand o) {
  code *k = &t->k;
  x_alu_mem_imm8(k, 7, BYTES, M, OF_M(run.rest), FLAG_D);
  cold *c = jit_add_cold(t, COLD_DECIMAL,
                         x_jump_if(k, CC_AE)); /* D is the higher of the two flags in `rest` */
  c->value = subtract;
  c->what = o;
  if (t->carry == subtract) {
    alu(k, subtract ? ALU_SUB : ALU_ADD, A, o);
  } else if (subtract) {
    jit_settle_carry(t);
    x_alu_imm(k, 7, CARRY, 1); /* borrow where the carry is clear */
    alu(k, ALU_SBB, A, o);
  } else {
    jit_settle_carry(t);
    x_reg(k, 0x1BA, 0, 4, CARRY), x_byte(k, 0); /* bt */
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

/* Where an operand that is read had better go. */
static host_reg place_for(action what) {
  return what == DO_LDA ? A : what == DO_LDX ? X : what == DO_LDY ? Y : RAX;
}

static void logic(translator *t, int which, operand o) {
  alu(&t->k, which, A, o);
  t->nz = A;
  host_has_flags(t);
}

static void act(translator *t, action what, operand o) {
  switch (what) {
    case DO_ORA: logic(t, ALU_OR, o); break;
    case DO_AND: logic(t, ALU_AND, o); break;
    case DO_EOR: logic(t, ALU_XOR, o); break;
    case DO_LDA:
    case DO_LDX:
    case DO_LDY:
      if (o.where != IN_EAX) jit_load(&t->k, place_for(what), o);
      t->nz = place_for(what);
      break;
    case DO_ADC: add_with_carry(t, false, o); break;
    case DO_SBC: add_with_carry(t, true, o); break;
    case DO_CMP: compare(t, A, o); break;
    case DO_CPX: compare(t, X, o); break;
    case DO_CPY: compare(t, Y, o); break;
    case DO_BIT: bit_test(t, o); break;
  }
}

typedef enum shift { DO_ASL, DO_ROL, DO_LSR, DO_ROR, DO_DEC = 6, DO_INC } shift;

/* Shift or count the byte in register r. */
static void shift_reg(translator *t, shift what, host_reg r) {
  code *k = &t->k;
  static const uint8_t which[4] = {4, 2, 5, 3}; /* shl, rcl, shr, rcr */
  if (what == DO_DEC || what == DO_INC) {
    x_reg(k, 0xFE, BYTES, what == DO_INC ? 0 : 1, r);
    return;
  }
  if (what == DO_ROL || what == DO_ROR) {
    jit_settle_carry(t);
    x_reg(k, 0x1BA, 0, 4, CARRY), x_byte(k, 0); /* bt */
  }
  x_reg(k, 0xD0, BYTES, which[what], r);
  jit_set_carry(k, CC_B);
  t->carry = CARRY_STORED;
}

static bool modify(translator *t, shift what, mode how, const uint8_t *b, int cycles) {
  code *k = &t->k;
  uint16_t address = how == ZPG ? b[1] : (uint16_t)(b[1] | b[2] << 8);
  if (how == ZPX) {
    jit_zero_page_address(t, b[1], X);
    x_mov(k, RDX, RAX);
    x_reg(k, 0x84, BYTES, RAX, RAX);
    x_store_imm32(k, M, OF_M(run.crossed), 0);
    jit_add_cold(t, COLD_BAIL, x_jump_if(k, CC_NS));
    x_mem_index(k, 0x1B6, 0, RAX, C, RDX, 0, ZERO_PAGE);
    shift_reg(t, what, RAX);
    x_mem_index(k, 0x88, BYTES, RAX, C, RDX, 0, ZERO_PAGE);
  } else if ((how == ZPG || how == ABS) && jit_is_ram(address)) {
    x_load8(k, RAX, C, RAM_AT(address & 0x7F));
    shift_reg(t, what, RAX);
    x_store8(k, RAX, C, RAM_AT(address & 0x7F));
  } else if ((how == ZPG || how == ABS) && jit_is_tia(address) &&
             tia_kind_of[address & 0x3F] != TIA_CALL) {
    t->cycles += cycles;
    jit_read_fixed(t, address, how == ZPG ? b[1] : b[2]);
    shift_reg(t, what, RAX);
    result_in_eax(t);
    jit_write_fixed(t, address, RAX, (uint16_t)(t->pc + jit_length(b[0])));
    return true;
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
  host_has_flags(t);
}

/* Flags and registers. False if it is none of these. */
static bool simple(translator *t, uint8_t opcode) {
  code *k = &t->k;
  switch (opcode) {
    case 0x18:
    case 0x38: t->carry = opcode >> 5 & 1; break;
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
  jit_store_zero_page(t, value_reg, cycles, (uint16_t)(t->pc + 1), true);
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
  jit_add_cold(t, COLD_BAIL, x_jump_if(k, CC_AE));
}

static void pull_a(translator *t) {
  code *k = &t->k;
  x_load8(k, RAX, C, OF_C(sp));
  x_mem(k, 0x8D, 0, RCX, RAX, -0x80);
  x_alu_imm(k, 7, RCX, 0x7F);
  cold *c = jit_add_cold(t, COLD_PULL, x_jump_if(k, CC_AE));
  c->cycles += 4;
  x_mem_index(k, 0x1B6, 0, A, C, RAX, 0, ZERO_PAGE + 1);
  x_mem(k, 0xFE, 0, 0, C, OF_C(sp));
  c->back = k->at;
  t->nz = A;
  t->cycles += 4;
}

/* edx = the flags as they are pushed */
static void pack_flags(translator *t) {
  code *k = &t->k;
  jit_settle_flags(t);
  x_reg(k, 0x84, BYTES, NZ, NZ);
  x_reg(k, 0x190 + CC_E, 0, 0, RAX);
  x_reg(k, 0x1B6, 0, RAX, RAX);
  x_mem_index(k, 0x8D, 0, RDX, CARRY, RAX, 1, 0x30); /* carry + 2 Z + 0x30 */
  x_mov(k, RAX, NZ);                                 /* N is bit 7 or bit 8 */
  x_shift_imm(k, SHIFT_RIGHT, RAX, 1);
  x_reg(k, 0x09, 0, NZ, RAX);
  x_alu_imm(k, 4, RAX, FLAG_N);
  x_reg(k, 0x09, 0, RAX, RDX);
  x_alu_mem_imm8(k, 7, BYTES, M, OF_M(run.v), 0);
  x_reg(k, 0x190 + CC_NE, 0, 0, RAX);
  x_reg(k, 0x1B6, 0, RAX, RAX);
  x_shift_imm(k, SHIFT_LEFT, RAX, 6);
  x_reg(k, 0x09, 0, RAX, RDX);
  x_load8(k, RAX, M, OF_M(run.rest));
  x_reg(k, 0x09, 0, RAX, RDX);
}

/* The flags are those in eax. */
static void unpack_flags(translator *t) {
  code *k = &t->k;
  x_mov(k, CARRY, RAX);
  x_alu_imm(k, 4, CARRY, FLAG_C);
  x_mov(k, NZ, RAX);
  x_reg(k, 0xF7, 0, 2, NZ); /* not */
  x_shift_imm(k, SHIFT_RIGHT, NZ, 1);
  x_alu_imm(k, 4, NZ, 1); /* 0 for Z */
  x_mov(k, RCX, RAX);
  x_alu_imm(k, 4, RCX, FLAG_N);
  x_mem_index(k, 0x8D, 0, NZ, NZ, RCX, 1, 0); /* N in bit 8 */
  x_mov(k, RCX, RAX);
  x_shift_imm(k, SHIFT_RIGHT, RCX, 6);
  x_alu_imm(k, 4, RCX, 1);
  x_store8(k, RCX, M, OF_M(run.v));
  x_alu_imm(k, 4, RAX, FLAG_D | FLAG_I);
  x_store8(k, RAX, M, OF_M(run.rest));
  t->nz = NZ_STORED;
  t->carry = CARRY_STORED;
}

/* Games turn missiles and the ball on and off by it. */
static void push_flags(translator *t) {
  code *k = &t->k;
  jit_settle_flags(t);
  x_load8(k, RAX, C, OF_C(sp));
  x_mem(k, 0x8D, 0, RCX, RAX, -ENAM0);
  x_alu_imm(k, 7, RCX, ENABL - ENAM0 + 1);
  cold *c = jit_add_cold(t, COLD_ENABLE, x_jump_if(k, CC_B));
  c->cycles += 3;
  pack_flags(t);
  x_load8(k, RAX, C, OF_C(sp));
  jit_store_zero_page(t, RDX, 3, (uint16_t)(t->pc + 1), true);
  c->back = k->at;
  x_mem(k, 0xFE, 0, 1, C, OF_C(sp));
  t->cycles += 3;
}

static void pull_flags(translator *t) {
  code *k = &t->k;
  need_stack(t, 0x80, 0x7F);
  x_mem_index(k, 0x1B6, 0, RAX, C, RAX, 0, ZERO_PAGE + 1);
  x_mem(k, 0xFE, 0, 0, C, OF_C(sp));
  unpack_flags(t);
  t->cycles += 4;
}

/* BRK: some games call a subroutine by it. */
static bool breaks(translator *t) {
  code *k = &t->k;
  const uint8_t *low = jit_direct(t, 0xFFFE), *high = jit_direct(t, 0xFFFF);
  const uint16_t back = (uint16_t)(t->pc + 2);
  if (!low || !high) return false;
  pack_flags(t);
  need_stack(t, 0x82, 0x7E);
  x_mem_index(k, 0xC6, 0, 0, C, RAX, 0, ZERO_PAGE);
  x_byte(k, back >> 8);
  x_mem_index(k, 0xC6, 0, 0, C, RAX, 0, ZERO_PAGE - 1);
  x_byte(k, back & 0xFF);
  x_mem_index(k, 0x88, BYTES, RDX, C, RAX, 0, ZERO_PAGE - 2);
  x_alu_mem_imm8(k, 5, BYTES, C, OF_C(sp), 3);
  x_alu_mem_imm8(k, 1, BYTES, M, OF_M(run.rest), FLAG_I);
  t->cycles += 7;
  jit_settle_cycles(t);
  jit_link(t, x_jump(k), (uint16_t)(*low | *high << 8), *high);
  jit_want(t, back);
  return true;
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
  jit_settle(t);
  jit_link(t, x_jump(k), target, b[2]);
  jit_want(t, (uint16_t)(back + 1));
}

/* Go on at the address in ecx: in its translation, or out. */
void jit_jump_dynamic(translator *t, int how) {
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
  } else if (t->switched) {
    x_mem(k, 0x1B7, 0, RDX, C, OF_C(bank));
  }
  if (j->cart->type == CART_E0 || t->switched) {
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
  x_mov_imm(k, RAX, how);
  x_jump_to(k, j->leave);
}

/* The address in ecx must be plain ROM of this bank, or the instruction is left to the plain processor. */
static void need_direct(translator *t) {
  code *k = &t->k;
  int begin = t->plain_begin, size = t->plain_size;
  if (t->j->cart->type == CART_E0) begin = 0, size = LAST_PAGE << CART_PAGE_SHIFT;
  if (t->j->cart->type == CART_FE) begin = 0, size = JIT_WINDOW;
  x_mov(k, RDX, RCX);
  x_alu_imm(k, 4, RDX, 0x1FFF);
  x_alu_imm(k, 5, RDX, 0x1000 + begin);
  x_alu_imm(k, 7, RDX, size);
  jit_add_cold(t, COLD_BAIL, x_jump_if(k, CC_AE));
}

static void return_subroutine(translator *t) {
  code *k = &t->k;
  need_stack(t, 0x80, 0x7E);
  x_mem_index(k, 0x1B7, 0, RCX, C, RAX, 0, ZERO_PAGE + 1);
  need_direct(t); /* the chip reads the byte it returns to */
  x_alu_mem_imm8(k, 0, BYTES, C, OF_C(sp), 2);
  t->cycles += 6;
  jit_settle(t);
  x_alu_imm(k, 0, RCX, 1);
  x_reg(k, 0x1B7, 0, RCX, RCX);
  jit_jump_dynamic(t, LEFT_BY_RTS);
}

static void return_interrupt(translator *t) {
  code *k = &t->k;
  need_stack(t, 0x80, 0x7D);
  x_mem_index(k, 0x1B7, 0, RDX, C, RAX, 0, ZERO_PAGE + 2);
  x_mem_index(k, 0x1B6, 0, RAX, C, RAX, 0, ZERO_PAGE + 1);
  x_alu_mem_imm8(k, 0, BYTES, C, OF_C(sp), 3);
  unpack_flags(t);
  x_mov(k, RCX, RDX);
  x_shift_imm(k, SHIFT_RIGHT, RDX, 8);
  x_store8(k, RDX, C, OF_C(bus));
  t->cycles += 6;
  jit_settle_cycles(t);
  jit_jump_dynamic(t, LEFT_BY_JUMP);
}

/* JMP through a pointer in console memory. */
static bool jump_indirect(translator *t, const uint8_t *b) {
  code *k = &t->k;
  uint16_t low = (uint16_t)(b[1] | b[2] << 8),
           high = (uint16_t)((low & 0xFF00) | ((low + 1) & 0xFF));
  if (!jit_is_ram(low) || !jit_is_ram(high)) return false;
  x_load8(k, RCX, C, RAM_AT(low & 0x7F));
  x_load8(k, RAX, C, RAM_AT(high & 0x7F));
  x_store8(k, RAX, C, OF_C(bus));
  x_shift_imm(k, SHIFT_LEFT, RAX, 8);
  x_reg(k, 0x01, 0, RAX, RCX);
  t->cycles += 5;
  jit_settle(t);
  jit_jump_dynamic(t, LEFT_BY_JUMP);
  return true;
}

/* The host's condition for that of the branch, by flags that are tested if they are not there already. */
static cond branch_condition(translator *t, uint8_t opcode, bool has_flags) {
  code *k = &t->k;
  const bool set = opcode & 0x20; /* branches where the flag is set */
  switch (opcode & 0xC0) {
    case 0x00: /* N */
      if (!has_flags && t->nz == NZ_STORED) {
        x_opcode(k, 0xF7, 0, 0, 0, NZ), x_byte(k, 0xC0 | (NZ & 7)), x_long(k, 0x180); /* test */
        return set ? CC_NE : CC_E;
      }
      if (!has_flags) x_reg(k, 0x84, BYTES, t->nz, t->nz);
      return set ? CC_S : CC_NS;
    case 0xC0: /* Z */
      if (!has_flags) {
        const host_reg r = t->nz == NZ_STORED ? NZ : t->nz;
        x_reg(k, 0x84, BYTES, r, r);
      }
      return set ? CC_E : CC_NE;
    case 0x40: x_alu_mem_imm8(k, 7, BYTES, M, OF_M(run.v), 0); return set ? CC_NE : CC_E;
    default:
      jit_settle_carry(t);
      x_reg(k, 0x85, 0, CARRY, CARRY);
      return set ? CC_NE : CC_E;
  }
}

static void branch(translator *t, const uint8_t *b) {
  code *k = &t->k;
  uint16_t next = (uint16_t)(t->pc + 2), target = (uint16_t)(next + (int8_t)b[1]);
  int extra = (next ^ target) & 0xFF00 ? 2 : 1;
  const cond taken = branch_condition(t, b[0], t->flags_at == k->at);
  /* these do not touch the host's flags */
  jit_settle_flags(t);
  t->cycles += 2 + extra;
  jit_settle_cycles(t);
  t->cycles = -extra; /* if it is not taken */
  jit_link(t, x_jump_if(k, taken), target, b[1]);
}

/* ---- Decoding ---------------------------------------------------------------------------------------------------- */

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
  if (!jit_accessible(how, b)) return REFUSED;
  act(t, what, jit_read_operand(t, how, b, cpu_cycles[b[0]], place_for(what)));
  return DONE;
}

static outcome store(translator *t, int value_reg, mode how, const uint8_t *b) {
  if (!jit_accessible(how, b)) return REFUSED;
  jit_write_operand(t, how, b, value_reg, cpu_cycles[b[0]]);
  return DONE;
}

outcome jit_translate_one(translator *t, const uint8_t *b) {
  uint8_t opcode = b[0];
  mode how;
  if (simple(t, opcode)) return DONE;
  switch (opcode) {
    case 0x10:
    case 0x30:
    case 0x50:
    case 0x70:
    case 0x90:
    case 0xB0:
    case 0xD0:
    case 0xF0: branch(t, b); return DONE;
    case 0x4C:
      t->cycles += 3;
      jit_settle(t);
      jit_link(t, x_jump(&t->k), (uint16_t)(b[1] | b[2] << 8), b[2]);
      return ENDED;
    case 0x20: jump_subroutine(t, b); return ENDED;
    case 0x6C: return jump_indirect(t, b) ? ENDED : REFUSED;
    case 0x60: return_subroutine(t); return ENDED;
    case 0x00: return breaks(t) ? ENDED : REFUSED;
    case 0x40: return_interrupt(t); return ENDED;
    case 0x08: push_flags(t); return DONE;
    case 0x28: pull_flags(t); return DONE;
    case 0x48: push(t, A, 3); return DONE;
    case 0x68: pull_a(t); return DONE;
    case 0xA2: return load(t, DO_LDX, IMM, b);
    case 0xA6: return load(t, DO_LDX, ZPG, b);
    case 0xB6: return load(t, DO_LDX, ZPY, b);
    case 0xAE: return load(t, DO_LDX, ABS, b);
    case 0xBE: return load(t, DO_LDX, ABY, b);
    case 0xA0: return load(t, DO_LDY, IMM, b);
    case 0xA4: return load(t, DO_LDY, ZPG, b);
    case 0xB4: return load(t, DO_LDY, ZPX, b);
    case 0xAC: return load(t, DO_LDY, ABS, b);
    case 0xBC: return load(t, DO_LDY, ABX, b);
    case 0xE0: return load(t, DO_CPX, IMM, b);
    case 0xE4: return load(t, DO_CPX, ZPG, b);
    case 0xEC: return load(t, DO_CPX, ABS, b);
    case 0xC0: return load(t, DO_CPY, IMM, b);
    case 0xC4: return load(t, DO_CPY, ZPG, b);
    case 0xCC: return load(t, DO_CPY, ABS, b);
    case 0x24: return load(t, DO_BIT, ZPG, b);
    case 0x2C: return load(t, DO_BIT, ABS, b);
    case 0x86: return store(t, X, ZPG, b);
    case 0x96: return store(t, X, ZPY, b);
    case 0x8E: return store(t, X, ABS, b);
    case 0x84: return store(t, Y, ZPG, b);
    case 0x94: return store(t, Y, ZPX, b);
    case 0x8C: return store(t, Y, ABS, b);
    default: break;
  }
  if (!decode_mode(opcode, &how)) return REFUSED;
  if ((opcode & 3) == 1) {
    static const action row[8] = {DO_ORA, DO_AND, DO_EOR, DO_ADC, DO_LDA, DO_LDA, DO_CMP, DO_SBC};
    if (opcode >> 5 == 4) return how == IMM ? REFUSED : store(t, A, how, b);
    return load(t, row[opcode >> 5], how, b);
  }
  if (opcode >> 5 == 4 || opcode >> 5 == 5) return REFUSED;
  return modify(t, (shift)(opcode >> 5), how, b, cpu_cycles[opcode]) ? DONE : REFUSED;
}

#endif
