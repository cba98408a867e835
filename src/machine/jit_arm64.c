/* The encoder for AArch64 (jit_encoder.h).
 *
 * The flags of the host are of 32 bits. For ADC and SBC, bytes are shifted into the upper 8 bits, where the host's
 * carry and overflow are those of the 6507; all else is done without flags: registers of the 6507 are zero-extended
 * bytes, so cbz and tbz test them. code.known is a register that is known to be a byte, which NZ may not be.
 *
 * 64-bit constants are at the end of the memory for code, in reach of ldr. */
#include "machine/jit.h"

#if defined(SIXER_JIT) && OS_ARM64

#include <string.h>

#include "machine/jit_encoder.h"

/* ---- Encoding -------------------------------------------------------------------------------------------------- */

static void put(code *k, uint32_t instruction) {
  if (k->end - k->at < 4) {
    k->full = true;
    return;
  }
  memcpy(k->at, &instruction, 4);
  k->at += 4;
}

/* Instructions with a destination and one or two sources. */
static void put2(code *k, uint32_t opcode, int d, int n) {
  put(k, opcode | (uint32_t)(n << 5 | d));
}
static void put3(code *k, uint32_t opcode, int d, int n, int m) {
  put2(k, opcode | (uint32_t)m << 16, d, n);
}
static void put3_shifted(code *k, uint32_t opcode, int d, int n, int m, int shift, int by) {
  put3(k, opcode | (uint32_t)shift << 22 | (uint32_t)by << 10, d, n, m);
}

/* The 16 bits of a constant that a move can write. */
static void put_move16(code *k, uint32_t opcode, int d, uint32_t bits, int half) {
  put(k, opcode | (uint32_t)half << 21 | bits << 5 | (uint32_t)d);
}

/* d = bits `rotate` to `last` of n, moved to bit 0. If rotate is greater than last: bits 0 to last, moved up by
 * 32 - rotate. */
static void put_bits(code *k, int d, int n, int rotate, int last) {
  put2(k, ARM_UBFM | (uint32_t)(rotate & 31) << 16 | (uint32_t)last << 10, d, n);
}

/* The fields of a logical immediate: a run of ones in an element of 2, 4, ... 32 bits, rotated, and repeated. False
 * if the value is none. */
static bool logical_fields(uint32_t value, uint32_t *fields) {
  for (uint32_t size = 2; size <= 32; size *= 2) {
    const uint32_t mask = size == 32 ? UINT32_MAX : (1u << size) - 1, element = value & mask;
    uint32_t repeated = 0;
    for (uint32_t i = 0; i < 32; i += size) repeated |= element << i;
    if (repeated != value) continue;
    for (uint32_t ones = 1; ones < size; ones++) {
      const uint32_t run = (1u << ones) - 1;
      for (uint32_t by = 0; by < size; by++) {
        const uint32_t rotated = by ? (run >> by | run << (size - by)) & mask : run;
        if (rotated != element) continue;
        *fields = by << 16 | (((~(2 * size - 1) & 0x3F) | (ones - 1)) << 10);
        return true;
      }
    }
  }
  return false;
}

/* d = n op value, for and, orr, eor and ands. */
static void put_logical_imm(code *k, uint32_t opcode, int d, int n, uint32_t value) {
  uint32_t fields;
  if (logical_fields(value, &fields)) {
    put2(k, (opcode + LOGICAL_IMM) | fields, d, n);
  } else {
    op_mov_imm(k, ADDRESS, (int32_t)value);
    put3(k, opcode, d, n, ADDRESS);
  }
}

/* d = n + value, on 32 or, with WIDE, on 64 bits; `n` and d may be the stack pointer. */
static void put_add_imm(code *k, uint32_t wide, int d, int n, int32_t value) {
  const uint32_t size = value < 0 ? 0 - (uint32_t)value : (uint32_t)value;
  const uint32_t opcode = wide | (value < 0 ? ARM_SUB_IMM : ARM_ADD_IMM);
  if (size >> 24) {
    op_mov_pointer(k, ADDRESS, (uint64_t)(int64_t)value);
    put3(k, wide | ARM_ADD, d, n, ADDRESS);
    return;
  }
  if (size >> 12) {
    put2(k, opcode | IMM_SHIFTED | (size >> 12) << 10, d, n);
    n = d;
  }
  if ((size & 0xFFF) || (!size && d != n)) put2(k, opcode | (size & 0xFFF) << 10, d, n);
}

static void put_compare(code *k, int a, int b) { put3(k, ARM_SUBS, ZERO, a, b); }
static void put_compare_imm(code *k, int a, int32_t value) {
  if (value >= 0 && value < 0x1000) {
    put2(k, ARM_SUBS_IMM | (uint32_t)value << 10, ZERO, a);
  } else if (value >= 0 && !(value & 0xFFF) && value < 0x1000000) {
    put2(k, ARM_SUBS_IMM | IMM_SHIFTED | (uint32_t)value >> 12 << 10, ZERO, a);
  } else {
    op_mov_imm(k, ADDRESS, value);
    put_compare(k, a, ADDRESS);
  }
}
static void put_set(code *k, arm_cond c, int d) {
  put(k, ARM_CSET | (uint32_t)(c ^ 1) << 12 | (uint32_t)d);
}

static arm_cond code_of(cond c) {
  static const arm_cond codes[] = {
      [IF_EQUAL] = CC_EQ,     [IF_NOT_EQUAL] = CC_NE, [IF_BELOW] = CC_CC,
      [IF_NOT_BELOW] = CC_CS, [IF_ABOVE] = CC_HI,     [IF_NOT_LESS] = CC_GE};
  return codes[c];
}

/* ---- Memory ---------------------------------------------------------------------------------------------------- */

enum { WIDTH_8, WIDTH_16, WIDTH_32, WIDTH_64 }; /* as in instructions: log2 of bytes */

static bool is_scaled(ptrdiff_t offset, int width) {
  return offset >= 0 && !(offset & ((1 << width) - 1)) && offset >> width < 0x1000;
}
static bool is_unscaled(ptrdiff_t offset) { return offset >= -256 && offset < 256; }

/* A place that one instruction can access; changes x16 if it has to. */
static mem reachable(code *k, mem m, int width) {
  if (m.index != NO_INDEX) {
    if (m.offset == 0 && (m.scale == 0 || m.scale == width)) return m;
    put3_shifted(k, WIDE | ARM_ADD, ADDRESS, m.base, m.index, BY_LSL, m.scale);
    m = at(ADDRESS, m.offset);
  }
  if (is_scaled(m.offset, width) || is_unscaled(m.offset)) return m;
  put_add_imm(k, WIDE, ADDRESS, m.base, (int32_t)m.offset);
  return at(ADDRESS, 0);
}

static void put_access(code *k, uint32_t load, int width, int r, mem m) {
  const uint32_t kind = load | (uint32_t)width << 30;
  m = reachable(k, m, width);
  if (m.index != NO_INDEX)
    put3(k, kind | ARM_STORE_INDEX | (m.scale ? INDEX_SCALED : 0), r, m.base, m.index);
  else if (is_scaled(m.offset, width))
    put2(k, kind | ARM_STORE | (uint32_t)(m.offset >> width) << 10, r, m.base);
  else
    put2(k, kind | ARM_STORE_UNSCALED | ((uint32_t)m.offset & 0x1FF) << 12, r, m.base);
}

void op_load8(code *k, host_reg r, mem from) { put_access(k, IS_LOAD, WIDTH_8, r, from); }
void op_load16(code *k, host_reg r, mem from) { put_access(k, IS_LOAD, WIDTH_16, r, from); }
void op_load32(code *k, host_reg r, mem from) { put_access(k, IS_LOAD, WIDTH_32, r, from); }
void op_load_pointer(code *k, host_reg r, mem from) { put_access(k, IS_LOAD, WIDTH_64, r, from); }
void op_store8(code *k, host_reg r, mem to) { put_access(k, 0, WIDTH_8, r, to); }
void op_store16(code *k, host_reg r, mem to) { put_access(k, 0, WIDTH_16, r, to); }
void op_store32(code *k, host_reg r, mem to) { put_access(k, 0, WIDTH_32, r, to); }
void op_store_pointer(code *k, host_reg r, mem to) { put_access(k, 0, WIDTH_64, r, to); }

/* A register with this value: the zero register, or w17. */
static host_reg constant_in(code *k, int value) {
  if (!value) return ZERO;
  op_mov_imm(k, VALUE, value);
  return VALUE;
}
void op_store_imm8(code *k, mem to, int value) { op_store8(k, constant_in(k, value & 0xFF), to); }
void op_store_imm16(code *k, mem to, int value) {
  op_store16(k, constant_in(k, value & 0xFFFF), to);
}

/* The register that has the operand; w17 if it had to be put into one. */
static host_reg operand_in(code *k, operand o) {
  if (o.where == IN_T0) return T0;
  op_load_operand(k, VALUE, o);
  return VALUE;
}
void op_load_operand(code *k, host_reg r, operand from) {
  if (from.where == CONSTANT)
    op_mov_imm(k, r, from.value);
  else if (from.where == IN_MEMORY)
    op_load8(k, r, at(C, from.value));
  else if (r != T0)
    op_mov(k, r, T0);
}

/* ---- Moving ---------------------------------------------------------------------------------------------------- */

static void is_byte(code *k, host_reg r) {
  k->known = r;
  k->known_at = k->at;
}
static bool knows_byte(const code *k, host_reg r) {
  return r == A || r == X || r == Y || (k->known_at == k->at && k->known == r);
}

/* The instruction at `before` has changed register r and nothing else. */
static void keep_known(code *k, const uint8_t *before, host_reg r) {
  if (k->known_at == before && k->known != r) k->known_at = k->at;
}

void op_mov(code *k, host_reg to, host_reg from) {
  const uint8_t *before = k->at;
  put3(k, ARM_ORR, to, ZERO, from);
  keep_known(k, before, to);
}
void op_mov_imm(code *k, host_reg r, int32_t value) {
  const uint8_t *before = k->at;
  const uint32_t bits = (uint32_t)value, low = bits & 0xFFFF, high = bits >> 16;
  if (high == 0xFFFF) {
    put_move16(k, ARM_MOVN, r, low ^ 0xFFFF, 0);
  } else if (low == 0xFFFF && high) {
    put_move16(k, ARM_MOVN, r, high ^ 0xFFFF, 1);
  } else if (!low && high) {
    put_move16(k, ARM_MOVZ, r, high, 1);
  } else {
    put_move16(k, ARM_MOVZ, r, low, 0);
    if (high) put_move16(k, ARM_MOVK, r, high, 1);
  }
  keep_known(k, before, r);
}

/* Constants are kept once each. */
void op_mov_pointer(code *k, host_reg r, uint64_t value) {
  uint8_t *found = k->end;
  while (found < k->top && memcmp(found, &value, 8) != 0) found += 8;
  if (found == k->top) {
    if (k->end - k->at < 12) {
      k->full = true;
      return;
    }
    found = k->end -= 8;
    memcpy(found, &value, 8);
  }
  put(k, ARM_LDR_LITERAL | ((uint32_t)(found - k->at) >> 2 & 0x7FFFF) << 5 | (uint32_t)r);
}
void op_zero_extend8(code *k, host_reg to, host_reg from) { put_bits(k, to, from, 0, 7); }
void op_zero_extend16(code *k, host_reg to, host_reg from) { put_bits(k, to, from, 0, 15); }
void op_mov_if_equal(code *k, host_reg to, host_reg from, host_reg r, int value) {
  put_compare_imm(k, r, value);
  put3(k, ARM_CSEL | CC_EQ << 12, to, from, to);
}
void op_set_if(code *k, host_reg to, host_reg a, cond c, host_reg b) {
  put_compare(k, a, b);
  put_set(k, code_of(c), to);
}
void op_set_if_mem32(code *k, host_reg to, host_reg a, cond c, mem b) {
  op_load32(k, VALUE, b);
  op_set_if(k, to, a, c, VALUE);
}
void op_set_if_zero8(code *k, host_reg to, host_reg r) {
  put_logical_imm(k, ARM_ANDS, ZERO, r, 0xFF);
  put_set(k, CC_EQ, to);
}

/* ---- Arithmetic ------------------------------------------------------------------------------------------------ */

static const uint32_t alu_codes[] = {[DO_ADD] = ARM_ADD,
                                     [DO_SUB] = ARM_SUB,
                                     [DO_AND] = ARM_AND,
                                     [DO_OR] = ARM_ORR,
                                     [DO_XOR] = ARM_EOR};

void op_alu(code *k, alu op, host_reg to, host_reg a, host_reg b) {
  put3(k, alu_codes[op], to, a, b);
}
void op_alu_imm(code *k, alu op, host_reg to, host_reg a, int32_t value) {
  const uint8_t *before = k->at;
  if (op == DO_ADD || op == DO_SUB)
    put_add_imm(k, 0, to, a, op == DO_ADD ? value : -value);
  else
    put_logical_imm(k, alu_codes[op], to, a, (uint32_t)value);
  keep_known(k, before, to);
}
void op_alu_mem32(code *k, alu op, host_reg r, mem from) {
  op_load32(k, VALUE, from);
  op_alu(k, op, r, r, VALUE);
}
void op_add_scaled(code *k, host_reg to, host_reg a, host_reg b, int scale, int32_t value) {
  put3_shifted(k, ARM_ADD, to, a, b, BY_LSL, scale);
  if (value) put_add_imm(k, 0, to, to, value);
}
void op_add_pointer(code *k, host_reg to, host_reg from, ptrdiff_t offset) {
  put_add_imm(k, WIDE, to, from, (int32_t)offset);
}
void op_shift_left(code *k, host_reg to, host_reg from, int by) {
  put_bits(k, to, from, 32 - by, 31 - by);
}
void op_shift_right(code *k, host_reg to, host_reg from, int by) { put_bits(k, to, from, by, 31); }
void op_bits(code *k, host_reg to, host_reg from, int lowest, int count) {
  put_bits(k, to, from, lowest, lowest + count - 1);
}
void op_mul_imm(code *k, host_reg r, int32_t value) {
  op_mov_imm(k, VALUE, value);
  put3(k, ARM_MUL, r, r, VALUE);
}

void op_add_mem8(code *k, mem to, int value) {
  to = reachable(k, to, WIDTH_8);
  op_load8(k, VALUE, to);
  put_add_imm(k, 0, VALUE, VALUE, value);
  op_store8(k, VALUE, to);
}
/* The constants of these two are single bits, which are logical immediates: x16 stays free. */
void op_and_mem8(code *k, mem to, int value) {
  to = reachable(k, to, WIDTH_8);
  op_load8(k, VALUE, to);
  put_logical_imm(k, ARM_AND, VALUE, VALUE, (uint32_t)value);
  op_store8(k, VALUE, to);
}
void op_or_mem8(code *k, mem to, int value) {
  to = reachable(k, to, WIDTH_8);
  op_load8(k, VALUE, to);
  put_logical_imm(k, ARM_ORR, VALUE, VALUE, (uint32_t)value);
  op_store8(k, VALUE, to);
}

void op_note_difference(code *k, mem to, host_reg a, host_reg b) {
  to = reachable(k, to, WIDTH_16);
  op_set_if(k, a, a, IF_NOT_EQUAL, b);
  op_load16(k, VALUE, to);
  put3_shifted(k, ARM_ORR, VALUE, VALUE, a, BY_LSL, 8);
  op_store16(k, VALUE, to);
}
void op_log(code *k, host_reg log, host_reg cycle, int more, int tag, host_reg value) {
  if (more) {
    put_add_imm(k, 0, T1, cycle, more);
    cycle = T1;
  }
  if (tag || value < 0) {
    op_mov_imm(k, VALUE, tag);
    if (value >= 0) op_alu(k, DO_ADD, VALUE, VALUE, value);
    value = VALUE;
  }
  put3_shifted(k, ARM_ADD, VALUE, value, cycle, BY_LSL, 16);
  put2(k, ARM_STORE_POST | WIDTH_32 << 30 | 4 << 12, VALUE, log);
}

static void add_carry_of(code *k, host_reg r, host_reg sum) {
  put3_shifted(k, ARM_ADD, r, r, sum, BY_LSR, 8);
}
void op_add_crossing(code *k, host_reg r, host_reg index, host_reg low) {
  put3(k, ARM_ADD | ARM_EXTENDED, VALUE, index, low);
  add_carry_of(k, r, VALUE);
}
void op_add_crossing_imm(code *k, host_reg r, host_reg index, int low) {
  put_add_imm(k, 0, VALUE, index, low);
  add_carry_of(k, r, VALUE);
}

/* ---- Bytes of the 6507 ----------------------------------------------------------------------------------------- */

void op_logic8(code *k, alu op, host_reg r, operand o) {
  if (o.where == CONSTANT && o.value)
    put_logical_imm(k, alu_codes[op], r, r, (uint32_t)o.value);
  else
    op_alu(k, op, r, r, o.where == CONSTANT ? ZERO : operand_in(k, o));
  is_byte(k, r);
}

/* w17 = the operand << 24, and below it ones or zeros. */
static void load_shifted(code *k, operand o, bool ones) {
  if (o.where == CONSTANT) {
    op_mov_imm(k, VALUE, (int32_t)((uint32_t)o.value << 24 | (ones ? 0xFFFFFF : 0)));
    return;
  }
  op_shift_left(k, VALUE, operand_in(k, o), 24);
  if (ones) put_logical_imm(k, ARM_ORR, VALUE, VALUE, 0xFFFFFF);
}

/* The result is in the upper byte of w16, and the flags are the host's. */
static void deliver(code *k, host_reg r, mem v) {
  op_shift_right(k, r, ADDRESS, 24);
  put_set(k, CC_CS, CARRY);
  put_set(k, CC_VS, VALUE);
  op_store8(k, VALUE, v);
}
void op_add8(code *k, host_reg r, operand o, bool with_carry, mem v) {
  load_shifted(k, o, with_carry); /* through the ones below the bytes, the carry gets into them */
  if (with_carry) {
    op_shift_left(k, ADDRESS, r, 24);
    put_compare_imm(k, CARRY, 1);
    put3(k, ARM_ADCS, ADDRESS, ADDRESS, VALUE);
  } else {
    put3_shifted(k, ARM_ADDS, ADDRESS, VALUE, r, BY_LSL, 24);
  }
  deliver(k, r, v);
}
void op_sub8(code *k, host_reg r, operand o, bool with_carry, mem v) {
  load_shifted(k, o, false);
  op_shift_left(k, ADDRESS, r, 24);
  if (with_carry) put_compare_imm(k, CARRY, 1);
  put3(k, with_carry ? ARM_SBCS : ARM_SUBS, ADDRESS, ADDRESS, VALUE);
  deliver(k, r, v);
}
void op_compare8(code *k, host_reg to, host_reg r, operand o) {
  if (o.where == CONSTANT)
    put2(k, ARM_SUBS_IMM | ((uint32_t)o.value & 0xFF) << 10, to, r);
  else
    put3(k, ARM_SUBS, to, r, operand_in(k, o));
  put_set(k, CC_CS, CARRY);
  op_zero_extend8(k, to, to);
  is_byte(k, to);
}
void op_count8(code *k, host_reg r, int by) {
  put_add_imm(k, 0, r, r, by);
  op_zero_extend8(k, r, r);
  is_byte(k, r);
}
void op_shift8(code *k, shift8 how, host_reg r) {
  switch (how) {
    case SHIFT_ASL:
      op_shift_right(k, CARRY, r, 7);
      put_bits(k, r, r, 31, 6); /* bits 0 to 6, moved up by one */
      break;
    case SHIFT_ROL:
      put3_shifted(k, ARM_ADD, r, CARRY, r, BY_LSL, 1);
      op_shift_right(k, CARRY, r, 8);
      op_zero_extend8(k, r, r);
      break;
    case SHIFT_LSR:
      op_bits(k, CARRY, r, 0, 1);
      op_shift_right(k, r, r, 1);
      break;
    case SHIFT_ROR:
      put3_shifted(k, ARM_ADD, VALUE, r, CARRY, BY_LSL, 8);
      op_bits(k, CARRY, r, 0, 1);
      op_shift_right(k, r, VALUE, 1);
      break;
  }
}

/* ---- Jumps ----------------------------------------------------------------------------------------------------- */

static uint8_t *put_jump(code *k, uint32_t instruction) {
  uint8_t *from = k->at;
  put(k, instruction);
  return from;
}
static uint8_t *put_jump_if(code *k, arm_cond c) { return put_jump(k, ARM_B_COND | (uint32_t)c); }

uint8_t *op_jump(code *k) { return put_jump(k, ARM_B); }

/* The distance in words has 26, 19 or 14 bits, by instruction; only that of tbz can be too small. */
void op_aim(code *k, uint8_t *from, const uint8_t *target) {
  if (k->full) return;
  const ptrdiff_t words = (target - from) / 4;
  uint32_t instruction;
  memcpy(&instruction, from, 4);
  if ((instruction & 0x7C000000) == ARM_B) {
    instruction = (instruction & ~UINT32_C(0x3FFFFFF)) | ((uint32_t)words & 0x3FFFFFF);
  } else if ((instruction & 0x7E000000) == ARM_TBZ) {
    if (words < -(1 << 13) || words >= 1 << 13) k->full = true;
    instruction = (instruction & ~UINT32_C(0x7FFE0)) | ((uint32_t)words & 0x3FFF) << 5;
  } else {
    instruction = (instruction & ~UINT32_C(0xFFFFE0)) | ((uint32_t)words & 0x7FFFF) << 5;
  }
  memcpy(from, &instruction, 4);
}
const uint8_t *op_here(code *k) {
  k->known_at = NULL;
  return k->at;
}
void op_land(code *k, uint8_t *from) { op_aim(k, from, op_here(k)); }
void op_jump_to(code *k, const uint8_t *target) { op_aim(k, op_jump(k), target); }
void op_jump_reg(code *k, host_reg r) { put2(k, ARM_BR, 0, r); }

uint8_t *op_jump_if(code *k, host_reg a, cond c, host_reg b) {
  put_compare(k, a, b);
  return put_jump_if(k, code_of(c));
}
uint8_t *op_jump_if_imm(code *k, host_reg a, cond c, int32_t b) {
  put_compare_imm(k, a, b);
  return put_jump_if(k, code_of(c));
}
uint8_t *op_jump_if_mem32(code *k, host_reg a, cond c, mem b) {
  op_load32(k, VALUE, b);
  return op_jump_if(k, a, c, VALUE);
}
uint8_t *op_jump_if_mem16(code *k, mem a, cond c, host_reg b) {
  op_load16(k, VALUE, a);
  return op_jump_if(k, VALUE, c, b);
}
uint8_t *op_jump_if_mem8(code *k, host_reg a, cond c, mem b) {
  op_load8(k, VALUE, b);
  put3(k, ARM_SUBS | ARM_EXTENDED, ZERO, VALUE, a);
  return put_jump_if(k, code_of(c));
}
uint8_t *op_jump_if_zero(code *k, host_reg r, bool zero) {
  return put_jump(k, ARM_CBZ | (zero ? 0 : IF_NONZERO) | (uint32_t)r);
}
uint8_t *op_jump_if_zero8(code *k, host_reg r, bool zero) {
  if (knows_byte(k, r)) return op_jump_if_zero(k, r, zero);
  return op_jump_if_any(k, r, 0xFF, !zero);
}
uint8_t *op_jump_if_null(code *k, host_reg r) { return put_jump(k, WIDE | ARM_CBZ | (uint32_t)r); }

/* tbz or tbnz with a single bit. */
static uint32_t test_bit(host_reg r, int bit, bool set) {
  const uint32_t number = (uint32_t)__builtin_ctz((unsigned)bit);
  return ARM_TBZ | (set ? IF_NONZERO : 0) | number << 19 | (uint32_t)r;
}
uint8_t *op_jump_if_bit(code *k, host_reg r, int bit, bool set) {
  return put_jump(k, test_bit(r, bit, set));
}
uint8_t *op_jump_if_mem8_bit(code *k, mem a, int bit) {
  op_load8(k, VALUE, a);
  return op_jump_if_bit(k, VALUE, bit, true);
}
uint8_t *op_jump_unless_member(code *k, uint64_t set, host_reg r) {
  op_mov_pointer(k, VALUE, set);
  put3(k, WIDE | ARM_LSRV, VALUE, VALUE, r);
  return op_jump_if_bit(k, VALUE, 1, false);
}

/* A single bit is tested by tbz; that does not reach far, so it jumps over a jump. */
uint8_t *op_jump_if_any(code *k, host_reg r, int mask, bool any) {
  if (knows_byte(k, r)) mask &= 0xFF;
  if (!(mask & (mask - 1))) {
    put(k, test_bit(r, mask, !any) | 2 << 5);
    return op_jump(k);
  }
  put_logical_imm(k, ARM_ANDS, ZERO, r, (uint32_t)mask);
  return put_jump_if(k, any ? CC_NE : CC_EQ);
}
uint8_t *op_jump_if_mem8_zero(code *k, mem a, bool zero) {
  op_load8(k, VALUE, a);
  return op_jump_if_zero(k, VALUE, zero);
}

/* ---- Functions ------------------------------------------------------------------------------------------------- */

/* A fixed piece of code was called: it needs its own return address again. */
void op_call_c(code *k, uint64_t function, bool in_piece) {
  if (in_piece) put3(k, WIDE | ARM_ORR, KEPT_LINK, ZERO, LINK);
  op_add_pointer(k, 0, M, -(ptrdiff_t)M_POINT);
  op_mov_pointer(k, ADDRESS, function);
  put2(k, ARM_BLR, 0, ADDRESS);
  if (in_piece) put3(k, WIDE | ARM_ORR, LINK, ZERO, KEPT_LINK);
}
void op_call(code *k, const uint8_t *piece) { op_aim(k, put_jump(k, ARM_BL), piece); }
void op_return(code *k) { put(k, ARM_RET); }
void op_return_done(code *k) {
  op_mov_imm(k, BAILS, 0);
  op_return(k);
}
void op_return_bail(code *k) {
  op_mov_imm(k, BAILS, 1);
  op_return(k);
}
uint8_t *op_jump_if_bails(code *k) { return op_jump_if_zero(k, BAILS, false); }

/* Pairs of registers are stored from the stack pointer on: x29 and x30 first, then x19 to x28. */
enum { SAVED_BYTES = 96 };
static void put_pair(code *k, uint32_t opcode, int first, int second, int offset) {
  put3(k, WIDE | opcode | (uint32_t)(offset / 8 & 0x7F) << 15 | (uint32_t)second << 10, first,
       SP_REG, 0);
}
void op_begin(code *k) {
  put_pair(k, ARM_STP_PRE, FRAME, LINK, -SAVED_BYTES);
  for (int r = C; r < FRAME; r += 2) put_pair(k, ARM_STP, r, r + 1, 16 + (r - C) * 8);
  op_add_pointer(k, M, 0, M_POINT);
}
void op_end(code *k) {
  for (int r = C; r < FRAME; r += 2) put_pair(k, ARM_LDP, r, r + 1, 16 + (r - C) * 8);
  put_pair(k, ARM_LDP_POST, FRAME, LINK, SAVED_BYTES);
  put(k, ARM_RET);
}

#endif
