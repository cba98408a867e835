/* The encoder for x86-64 (jit_encoder.h).
 *
 * An instruction is [prefixes] opcode [ModRM [SIB] [displacement]] [immediate]. The host's flags are those of the
 * 6507's bytes, as far as the arithmetic of bytes sets them: code.known says when a branch needs no test because of
 * this. mov, movzx, lea and setcc leave the flags alone. */
#include "machine/jit.h"

#if defined(SIXER_JIT) && OS_X86_64

#include <string.h>

#include "machine/jit_encoder.h"

/* ---- Encoding -------------------------------------------------------------------------------------------------- */

static void put_byte(code *k, int value) {
  if (k->at < k->end)
    *k->at++ = (uint8_t)value;
  else
    k->full = true;
}
static void put_word(code *k, int value) { put_byte(k, value), put_byte(k, value >> 8); }
static void put_long(code *k, int32_t value) {
  put_word(k, value & 0xFFFF), put_word(k, (int)((uint32_t)value >> 16));
}

/* The width of an operation if it is not 32 bits. With BYTES, registers 4..7 need a REX prefix: without it, they would
 * be ah, ch, dh and bh. */
enum { WIDE = 1, WORD16 = 2, BYTES = 4 };

static void put_opcode(code *k, int opcode, int how, int r, int index, int base) {
  if (how & WORD16) put_byte(k, PREFIX_WORD);
  int rex = PREFIX_REX | (how & WIDE ? REX_W : 0) | (r >> 3) << 2 | (index >> 3) << 1 | (base >> 3);
  if (rex != PREFIX_REX || (how & BYTES)) put_byte(k, rex);
  if (opcode & TWO_BYTE) put_byte(k, 0x0F);
  put_byte(k, opcode);
}
static int bytes_of(host_reg r) { return r >= RSP ? BYTES : 0; }

/* A displacement or an immediate that is stored in a byte where one is enough. */
static bool is_short(ptrdiff_t value) { return value >= -128 && value < 128; }
static void put_short_or_long(code *k, ptrdiff_t value) {
  if (is_short(value))
    put_byte(k, (int)value & 0xFF);
  else
    put_long(k, (int32_t)value);
}

/* An instruction with a register and a memory operand, or with two registers. `r` is a register or the number of an
 * operation. */
static void put_mem(code *k, int opcode, int how, int r, mem m) {
  const int mod = is_short(m.offset) ? MOD_MEM_8 : MOD_MEM_32;
  if (m.index == NO_INDEX) {
    put_opcode(k, opcode, how, r, 0, m.base);
    put_byte(k, mod | (r & 7) << 3 | (m.base & 7));
    if ((m.base & 7) == RSP) put_byte(k, SIB_NO_INDEX);
  } else {
    put_opcode(k, opcode, how, r, m.index, m.base);
    put_byte(k, RM_SIB | mod | (r & 7) << 3);
    put_byte(k, m.scale << 6 | (m.index & 7) << 3 | (m.base & 7));
  }
  put_short_or_long(k, m.offset);
}
static void put_reg(code *k, int opcode, int how, int r, host_reg rm) {
  put_opcode(k, opcode, how, r, 0, rm);
  put_byte(k, MOD_REG | (r & 7) << 3 | (rm & 7));
}

/* The eight operations of x86_alu: `to` op= `from`, on 32 bits and on bytes. */
static void put_alu(code *k, x86_alu op, host_reg to, host_reg from) {
  put_reg(k, X86_ALU + (int)op * 8 + ALU_RM_R, 0, from, to);
}
static void put_alu_imm(code *k, x86_alu op, host_reg r, int32_t value) {
  put_reg(k, is_short(value) ? X86_ALU_RM_IMM8 : X86_ALU_RM_IMM, 0, (int)op, r);
  put_short_or_long(k, value);
}
static void put_alu_load(code *k, x86_alu op, host_reg r, mem from) {
  put_mem(k, X86_ALU + (int)op * 8 + ALU_R_RM, 0, r, from);
}
static void put_alu8(code *k, x86_alu op, host_reg r, operand o) {
  switch (o.where) {
    case CONSTANT:
      put_reg(k, X86_ALU_RM8_IMM8, bytes_of(r), (int)op, r);
      put_byte(k, o.value);
      break;
    case IN_MEMORY:
      put_mem(k, X86_ALU + (int)op * 8 + ALU_R8_RM8, bytes_of(r), r, at(C, o.value));
      break;
    case IN_T0: put_reg(k, X86_ALU + (int)op * 8 + ALU_RM8_R8, bytes_of(r), T0, r); break;
  }
}
static void put_alu_mem8_imm(code *k, x86_alu op, mem to, int value) {
  put_mem(k, X86_ALU_RM8_IMM8, 0, (int)op, to);
  put_byte(k, value);
}
static void put_test8(code *k, host_reg r) { put_reg(k, X86_TEST_RM8_R8, bytes_of(r), r, r); }
static void put_set(code *k, x86_cond c, host_reg r) {
  put_reg(k, X86_SETCC | (int)c, bytes_of(r), 0, r);
}
static uint8_t *put_jump_if(code *k, x86_cond c) {
  put_opcode(k, X86_JCC | (int)c, 0, 0, 0, 0);
  put_long(k, 0);
  return k->at - 4;
}

static x86_cond code_of(cond c) {
  static const x86_cond codes[] = {
      [IF_EQUAL] = CC_E,      [IF_NOT_EQUAL] = CC_NE, [IF_BELOW] = CC_B,
      [IF_NOT_BELOW] = CC_AE, [IF_ABOVE] = CC_A,      [IF_NOT_LESS] = CC_GE};
  return codes[c];
}

/* ---- What is known of the host's flags ------------------------------------------------------------------------- */

/* They are those of the byte in a register. */
static void has_flags_of(code *k, host_reg r) {
  k->known = r;
  k->known_at = k->at;
}
static bool knows_flags_of(const code *k, host_reg r) {
  return k->known_at == k->at && k->known == r;
}

/* What was known at `before` is so still: the instruction since then has changed register r, but no flag. */
static void keep_flags(code *k, const uint8_t *before, host_reg r) {
  if (k->known_at == before && k->known != r) k->known_at = k->at;
  if (k->no_carry_at == before) k->no_carry_at = k->at;
}

/* ---- Moving ---------------------------------------------------------------------------------------------------- */

void op_mov(code *k, host_reg to, host_reg from) {
  const uint8_t *before = k->at;
  put_reg(k, X86_MOV_RM_R, 0, from, to);
  keep_flags(k, before, to);
}
void op_mov_imm(code *k, host_reg r, int32_t value) {
  const uint8_t *before = k->at;
  put_opcode(k, X86_MOV_R_IMM | (r & 7), 0, 0, 0, r);
  put_long(k, value);
  keep_flags(k, before, r);
}
void op_mov_pointer(code *k, host_reg r, uint64_t value) {
  put_opcode(k, X86_MOV_R_IMM | (r & 7), WIDE, 0, 0, r);
  put_long(k, (int32_t)value), put_long(k, (int32_t)(value >> 32));
}
void op_zero_extend8(code *k, host_reg to, host_reg from) {
  put_reg(k, X86_MOVZX_R_RM8, bytes_of(from), to, from);
}
void op_zero_extend16(code *k, host_reg to, host_reg from) {
  put_reg(k, X86_MOVZX_R_RM16, 0, to, from);
}
void op_mov_if_equal(code *k, host_reg to, host_reg from, host_reg r, int value) {
  put_alu_imm(k, ALU_CMP, r, value);
  put_reg(k, X86_CMOVCC | CC_E, 0, to, from);
}
static void set_register(code *k, x86_cond c, host_reg to) {
  put_set(k, c, to);
  op_zero_extend8(k, to, to);
}
/* A whole word is changed: an op_load16() follows, which would wait until a byte has left the store buffer. */
void op_note_difference(code *k, mem to, host_reg a, host_reg b) {
  put_alu(k, ALU_CMP, a, b);
  set_register(k, CC_NE, a);
  op_shift_left(k, a, a, 8);
  put_mem(k, X86_ALU + ALU_OR * 8 + ALU_RM_R, WORD16, a, to);
}
void op_set_if(code *k, host_reg to, host_reg a, cond c, host_reg b) {
  put_alu(k, ALU_CMP, a, b);
  set_register(k, code_of(c), to);
}
void op_set_if_mem32(code *k, host_reg to, host_reg a, cond c, mem b) {
  put_alu_load(k, ALU_CMP, a, b);
  set_register(k, code_of(c), to);
}
void op_set_if_zero8(code *k, host_reg to, host_reg r) {
  put_test8(k, r);
  set_register(k, CC_E, to);
}

static void put_load(code *k, int opcode, int how, host_reg r, mem from) {
  const uint8_t *before = k->at;
  put_mem(k, opcode, how, r, from);
  keep_flags(k, before, r);
}
void op_load8(code *k, host_reg r, mem from) { put_load(k, X86_MOVZX_R_RM8, 0, r, from); }
void op_load16(code *k, host_reg r, mem from) { put_load(k, X86_MOVZX_R_RM16, 0, r, from); }
void op_load32(code *k, host_reg r, mem from) { put_load(k, X86_MOV_R_RM, 0, r, from); }
void op_load_pointer(code *k, host_reg r, mem from) { put_load(k, X86_MOV_R_RM, WIDE, r, from); }

static void put_store(code *k, int opcode, int how, int r, mem to) {
  const uint8_t *before = k->at;
  put_mem(k, opcode, how, r, to);
  keep_flags(k, before, NO_INDEX);
}
void op_store8(code *k, host_reg r, mem to) { put_store(k, X86_MOV_RM8_R8, bytes_of(r), r, to); }
void op_store16(code *k, host_reg r, mem to) { put_store(k, X86_MOV_RM_R, WORD16, r, to); }
void op_store32(code *k, host_reg r, mem to) { put_store(k, X86_MOV_RM_R, 0, r, to); }
void op_store_pointer(code *k, host_reg r, mem to) { put_store(k, X86_MOV_RM_R, WIDE, r, to); }
void op_store_imm8(code *k, mem to, int value) {
  put_mem(k, X86_MOV_RM8_IMM8, 0, 0, to);
  put_byte(k, value);
}
void op_store_imm16(code *k, mem to, int value) {
  put_mem(k, X86_MOV_RM_IMM, WORD16, 0, to);
  put_word(k, value);
}
void op_load_operand(code *k, host_reg r, operand from) {
  if (from.where == CONSTANT)
    op_mov_imm(k, r, from.value);
  else if (from.where == IN_MEMORY)
    op_load8(k, r, at(C, from.value));
  else if (r != T0)
    op_mov(k, r, T0);
}

/* ---- Arithmetic ------------------------------------------------------------------------------------------------ */

static const x86_alu alu_codes[] = {[DO_ADD] = ALU_ADD,
                                    [DO_SUB] = ALU_SUB,
                                    [DO_AND] = ALU_AND,
                                    [DO_OR] = ALU_OR,
                                    [DO_XOR] = ALU_XOR};

static void clears_carry(code *k, alu op) {
  if (op != DO_ADD && op != DO_SUB) k->no_carry_at = k->at;
}

/* lea: adds without touching the flags. */
static void put_lea(code *k, host_reg to, mem sum) { put_load(k, X86_LEA, 0, to, sum); }

void op_alu(code *k, alu op, host_reg to, host_reg a, host_reg b) {
  const host_reg other = to == b ? a : b;
  if (to != a && to != b) op_mov(k, to, a);
  put_alu(k, alu_codes[op], to, other);
  clears_carry(k, op);
}
void op_alu_imm(code *k, alu op, host_reg to, host_reg a, int32_t value) {
  if (op == DO_ADD || op == DO_SUB) {
    put_lea(k, to, at(a, op == DO_ADD ? value : -value));
    return;
  }
  if (to != a) op_mov(k, to, a);
  put_alu_imm(k, alu_codes[op], to, value);
  clears_carry(k, op);
}
void op_alu_mem32(code *k, alu op, host_reg r, mem from) {
  put_alu_load(k, alu_codes[op], r, from);
}
void op_add_scaled(code *k, host_reg to, host_reg a, host_reg b, int scale, int32_t value) {
  put_lea(k, to, at_index(a, b, scale, value));
}
void op_add_pointer(code *k, host_reg to, host_reg from, ptrdiff_t offset) {
  put_load(k, X86_LEA, WIDE, to, at(from, offset));
}
static void put_shift(code *k, int how, host_reg to, host_reg from, int by) {
  if (to != from) op_mov(k, to, from);
  put_reg(k, X86_SHIFT_RM_IMM8, 0, how, to);
  put_byte(k, by);
}
void op_shift_left(code *k, host_reg to, host_reg from, int by) {
  put_shift(k, SHIFT_SHL, to, from, by);
}
void op_shift_right(code *k, host_reg to, host_reg from, int by) {
  put_shift(k, SHIFT_SHR, to, from, by);
}
void op_bits(code *k, host_reg to, host_reg from, int lowest, int count) {
  op_shift_right(k, to, from, lowest);
  op_alu_imm(k, DO_AND, to, to, (1 << count) - 1);
}
void op_mul_imm(code *k, host_reg r, int32_t value) {
  put_reg(k, is_short(value) ? X86_IMUL_IMM8 : X86_IMUL_IMM, 0, r, r);
  put_short_or_long(k, value);
}

void op_add_mem8(code *k, mem to, int value) {
  if (value == 1 || value == -1)
    put_mem(k, X86_GROUP4_RM8, 0, value == 1 ? GROUP4_INC : GROUP4_DEC, to);
  else
    put_alu_mem8_imm(k, ALU_ADD, to, value);
}
void op_and_mem8(code *k, mem to, int value) { put_alu_mem8_imm(k, ALU_AND, to, value); }
void op_or_mem8(code *k, mem to, int value) { put_alu_mem8_imm(k, ALU_OR, to, value); }

void op_log(code *k, host_reg log, host_reg cycle, int more, int tag, host_reg value) {
  if (more || cycle != T1) put_lea(k, T1, at(cycle, more));
  op_shift_left(k, T1, T1, 16);
  if (value < 0)
    put_lea(k, T1, at(T1, tag));
  else
    put_lea(k, T1, at_index(T1, value, 0, tag));
  op_store32(k, T1, at(log, 0));
  op_add_pointer(k, log, log, 4);
}

void op_add_crossing(code *k, host_reg r, host_reg index, host_reg low) {
  op_mov(k, T0, low);
  put_reg(k, X86_ALU + ALU_ADD * 8 + ALU_RM8_R8, bytes_of(index), index, T0);
  put_alu_imm(k, ALU_ADC, r, 0);
}
void op_add_crossing_imm(code *k, host_reg r, host_reg index, int low) {
  put_lea(k, T1, at(index, low));
  op_shift_right(k, T1, T1, 8);
  put_alu(k, ALU_ADD, r, T1);
}

/* ---- Bytes of the 6507 ----------------------------------------------------------------------------------------- */

void op_logic8(code *k, alu op, host_reg r, operand o) {
  put_alu8(k, alu_codes[op], r, o);
  has_flags_of(k, r);
}
void op_add8(code *k, host_reg r, operand o, bool with_carry, mem v) {
  if (with_carry) {
    put_reg(k, X86_BT_RM_IMM8, 0, BT_IMM, CARRY);
    put_byte(k, 0);
  }
  put_alu8(k, with_carry ? ALU_ADC : ALU_ADD, r, o);
  put_set(k, CC_B, CARRY);
  put_mem(k, X86_SETCC | CC_O, 0, 0, v);
}
void op_sub8(code *k, host_reg r, operand o, bool with_carry, mem v) {
  /* the host's borrow is the inverse of the 6507's carry */
  if (with_carry) put_alu_imm(k, ALU_CMP, CARRY, 1);
  put_alu8(k, with_carry ? ALU_SBB : ALU_SUB, r, o);
  put_set(k, CC_AE, CARRY);
  put_mem(k, X86_SETCC | CC_O, 0, 0, v);
}
void op_compare8(code *k, host_reg to, host_reg r, operand o) {
  op_mov(k, to, r);
  put_alu8(k, ALU_SUB, to, o);
  put_set(k, CC_AE, CARRY);
  has_flags_of(k, to);
}
void op_count8(code *k, host_reg r, int by) {
  put_reg(k, X86_GROUP4_RM8, bytes_of(r), by > 0 ? GROUP4_INC : GROUP4_DEC, r);
  has_flags_of(k, r);
}
void op_shift8(code *k, shift8 how, host_reg r) {
  static const int codes[] = {[SHIFT_ASL] = SHIFT_SHL,
                              [SHIFT_ROL] = SHIFT_RCL,
                              [SHIFT_LSR] = SHIFT_SHR,
                              [SHIFT_ROR] = SHIFT_RCR};
  if (how == SHIFT_ROL || how == SHIFT_ROR) {
    put_reg(k, X86_BT_RM_IMM8, 0, BT_IMM, CARRY);
    put_byte(k, 0);
  }
  put_reg(k, X86_SHIFT_RM8_1, bytes_of(r), codes[how], r);
  put_set(k, CC_B, CARRY);
}

/* ---- Jumps ----------------------------------------------------------------------------------------------------- */

/* A jump is known by the place of its 32-bit distance. */
uint8_t *op_jump(code *k) {
  put_byte(k, X86_JMP);
  put_long(k, 0);
  return k->at - 4;
}
void op_aim(code *k, uint8_t *from, const uint8_t *target) {
  if (k->full) return;
  int32_t distance = (int32_t)(target - (from + 4));
  memcpy(from, &distance, 4);
}
const uint8_t *op_here(code *k) {
  k->known_at = k->no_carry_at = NULL;
  return k->at;
}
void op_land(code *k, uint8_t *from) { op_aim(k, from, op_here(k)); }
void op_jump_to(code *k, const uint8_t *target) { op_aim(k, op_jump(k), target); }
void op_jump_reg(code *k, host_reg r) { put_reg(k, X86_GROUP5_RM, 0, GROUP5_JMP, r); }

uint8_t *op_jump_if(code *k, host_reg a, cond c, host_reg b) {
  put_alu(k, ALU_CMP, a, b);
  return put_jump_if(k, code_of(c));
}
uint8_t *op_jump_if_imm(code *k, host_reg a, cond c, int32_t b) {
  put_alu_imm(k, ALU_CMP, a, b);
  return put_jump_if(k, code_of(c));
}
uint8_t *op_jump_if_mem32(code *k, host_reg a, cond c, mem b) {
  put_alu_load(k, ALU_CMP, a, b);
  return put_jump_if(k, code_of(c));
}
uint8_t *op_jump_if_mem16(code *k, mem a, cond c, host_reg b) {
  put_mem(k, X86_ALU + ALU_CMP * 8 + ALU_RM_R, WORD16, b, a);
  return put_jump_if(k, code_of(c));
}
uint8_t *op_jump_if_mem8(code *k, host_reg a, cond c, mem b) {
  put_mem(k, X86_ALU + ALU_CMP * 8 + ALU_R8_RM8, bytes_of(a), a, b);
  return put_jump_if(k, code_of(c));
}
uint8_t *op_jump_if_zero(code *k, host_reg r, bool zero) {
  put_reg(k, X86_TEST_RM_R, 0, r, r);
  return put_jump_if(k, zero ? CC_E : CC_NE);
}
uint8_t *op_jump_if_zero8(code *k, host_reg r, bool zero) {
  if (!knows_flags_of(k, r)) put_test8(k, r);
  return put_jump_if(k, zero ? CC_E : CC_NE);
}
uint8_t *op_jump_if_null(code *k, host_reg r) {
  put_reg(k, X86_TEST_RM_R, WIDE, r, r);
  return put_jump_if(k, CC_E);
}
uint8_t *op_jump_if_any(code *k, host_reg r, int mask, bool any) {
  const bool known = knows_flags_of(k, r);
  if (mask == 0x80 || (known && (mask & 0xFF) == 0x80)) {
    /* the sign of the byte */
    if (!known) put_test8(k, r);
    return put_jump_if(k, any ? CC_S : CC_NS);
  }
  put_reg(k, X86_GROUP3_RM, 0, GROUP3_TEST, r);
  put_long(k, mask);
  return put_jump_if(k, any ? CC_NE : CC_E);
}
uint8_t *op_jump_if_bit(code *k, host_reg r, int bit, bool set) {
  return op_jump_if_any(k, r, bit, set);
}
uint8_t *op_jump_if_mem8_bit(code *k, mem a, int bit) {
  put_mem(k, X86_GROUP3_RM8, 0, GROUP3_TEST, a);
  put_byte(k, bit);
  return put_jump_if(k, CC_NE);
}
uint8_t *op_jump_if_mem8_zero(code *k, mem a, bool zero) {
  put_alu_mem8_imm(k, ALU_CMP, a, 0);
  return put_jump_if(k, zero ? CC_E : CC_NE);
}
uint8_t *op_jump_unless_member(code *k, uint64_t set, host_reg r) {
  op_mov_pointer(k, T4, set);
  put_reg(k, X86_BT_RM_R, WIDE, r, T4);
  return put_jump_if(k, CC_AE);
}

/* ---- Functions ------------------------------------------------------------------------------------------------- */

static void move_stack(code *k, x86_alu op) {
  put_reg(k, X86_ALU_RM_IMM8, WIDE, (int)op, RSP);
  put_byte(k, 8);
}

/* The function may be farther away than 2 GB. A fixed piece was called, which has pushed 8 bytes: 8 more keep the stack
 * aligned to 16. */
void op_call_c(code *k, uint64_t function, bool in_piece) {
  op_add_pointer(k, RDI, M, -M_POINT);
  if (in_piece) move_stack(k, ALU_SUB);
  op_mov_pointer(k, RAX, function);
  put_reg(k, X86_GROUP5_RM, 0, GROUP5_CALL, RAX);
  if (in_piece) move_stack(k, ALU_ADD);
}

/* The carry flag is set for those who bail. */
void op_call(code *k, const uint8_t *piece) {
  put_byte(k, X86_CALL);
  put_long(k, 0);
  op_aim(k, k->at - 4, piece);
}
void op_return(code *k) { put_byte(k, X86_RET); }
void op_return_done(code *k) {
  if (k->no_carry_at != k->at) put_byte(k, X86_CLC);
  op_return(k);
}
void op_return_bail(code *k) {
  put_byte(k, X86_STC);
  op_return(k);
}
uint8_t *op_jump_if_bails(code *k) { return put_jump_if(k, CC_B); }

/* The registers that a C function preserves for its caller. */
static const host_reg saved[] = {RBX, RBP, R12, R13, R14, R15};
enum { SAVED = sizeof saved / sizeof *saved };

void op_begin(code *k) {
  for (int i = 0; i < SAVED; i++) put_opcode(k, X86_PUSH | (saved[i] & 7), 0, 0, 0, saved[i]);
  move_stack(k, ALU_SUB); /* the stack is aligned to 16 bytes at calls of C */
  op_add_pointer(k, M, RDI, M_POINT);
}
void op_end(code *k) {
  move_stack(k, ALU_ADD);
  for (int i = SAVED - 1; i >= 0; i--) put_opcode(k, X86_POP | (saved[i] & 7), 0, 0, 0, saved[i]);
  put_byte(k, X86_RET);
}

#endif
