/* The encoder for WebAssembly (jit_encoder.h).
 *
 * Its machine has a stack: an operation pushes locals and constants, computes, and sets a local. Between operations the
 * stack is empty. There are no flags and no known registers: the browser's compiler sees through it all. Pointers have
 * 32 bits. */
#include "machine/jit.h"

#if defined(SIXER_JIT) && OS_WASM32

#include <string.h>

#include "machine/jit_encoder.h"

/* ---- Encoding -------------------------------------------------------------------------------------------------- */

static void put(code *k, int byte) {
  if (k->at >= k->end) {
    k->full = true;
    return;
  }
  *k->at++ = (uint8_t)byte;
}
static void put_unsigned(code *k, uint32_t value) {
  for (; value > 0x7F; value >>= 7) put(k, (int)(value & 0x7F) | 0x80);
  put(k, (int)value);
}
static void put_signed(code *k, int64_t value) {
  for (; value < -64 || value > 63; value >>= 7) put(k, (int)(value & 0x7F) | 0x80);
  put(k, (int)(value & 0x7F));
}

static void get(code *k, host_reg r) { put(k, WASM_GET), put(k, r); }
static void set(code *k, host_reg r) { put(k, WASM_SET), put(k, r); }
static void constant(code *k, int32_t value) { put(k, WASM_CONST), put_signed(k, value); }

/* The stack's top, and an operation with a constant. */
static void with(code *k, int opcode, int32_t value) { constant(k, value), put(k, opcode); }

static int opcode_of(cond c) {
  static const uint8_t codes[] = {
      [IF_EQUAL] = WASM_EQ,       [IF_NOT_EQUAL] = WASM_NE, [IF_BELOW] = WASM_LT_U,
      [IF_NOT_BELOW] = WASM_GE_U, [IF_ABOVE] = WASM_GT_U,   [IF_NOT_LESS] = WASM_GE_S};
  return codes[c];
}
static int opcode_of_alu(alu op) {
  static const uint8_t codes[] = {[DO_ADD] = WASM_ADD,
                                  [DO_SUB] = WASM_SUB,
                                  [DO_AND] = WASM_AND,
                                  [DO_OR] = WASM_OR,
                                  [DO_XOR] = WASM_XOR};
  return codes[op];
}

/* ---- Memory ---------------------------------------------------------------------------------------------------- */

/* Push the address of a place, except for an offset that is not negative, which instructions add themselves. */
static void put_address(code *k, mem m) {
  get(k, m.base);
  if (m.index != NO_INDEX) {
    get(k, m.index);
    if (m.scale) with(k, WASM_SHL, m.scale);
    put(k, WASM_ADD);
  }
  if (m.offset < 0) with(k, WASM_ADD, (int32_t)m.offset);
}
static void put_access(code *k, int opcode, mem m) {
  put(k, opcode), put(k, 0); /* no alignment is promised */
  put_unsigned(k, m.offset < 0 ? 0 : (uint32_t)m.offset);
}
static void push_memory(code *k, int opcode, mem m) { put_address(k, m), put_access(k, opcode, m); }

static void load(code *k, int opcode, host_reg r, mem m) { push_memory(k, opcode, m), set(k, r); }
static void store(code *k, int opcode, host_reg r, mem m) {
  put_address(k, m), get(k, r), put_access(k, opcode, m);
}
void op_load8(code *k, host_reg r, mem from) { load(k, WASM_LOAD8_U, r, from); }
void op_load16(code *k, host_reg r, mem from) { load(k, WASM_LOAD16_U, r, from); }
void op_load32(code *k, host_reg r, mem from) { load(k, WASM_LOAD, r, from); }
void op_load_pointer(code *k, host_reg r, mem from) { load(k, WASM_LOAD, r, from); }
void op_store8(code *k, host_reg r, mem to) { store(k, WASM_STORE8, r, to); }
void op_store16(code *k, host_reg r, mem to) { store(k, WASM_STORE16, r, to); }
void op_store32(code *k, host_reg r, mem to) { store(k, WASM_STORE, r, to); }
void op_store_pointer(code *k, host_reg r, mem to) { store(k, WASM_STORE, r, to); }
void op_store_imm8(code *k, mem to, int value) {
  put_address(k, to), constant(k, value), put_access(k, WASM_STORE8, to);
}
void op_store_imm16(code *k, mem to, int value) {
  put_address(k, to), constant(k, value), put_access(k, WASM_STORE16, to);
}

static void push_operand(code *k, operand o) {
  if (o.where == CONSTANT)
    constant(k, o.value);
  else if (o.where == IN_MEMORY)
    push_memory(k, WASM_LOAD8_U, at(C, o.value));
  else
    get(k, T0);
}
void op_load_operand(code *k, host_reg r, operand from) { push_operand(k, from), set(k, r); }

/* A byte in memory, changed by a constant. */
static void change8(code *k, mem m, int opcode, int value) {
  put_address(k, m);
  push_memory(k, WASM_LOAD8_U, m);
  with(k, opcode, value);
  put_access(k, WASM_STORE8, m);
}
void op_add_mem8(code *k, mem to, int value) { change8(k, to, WASM_ADD, value); }
void op_and_mem8(code *k, mem to, int value) { change8(k, to, WASM_AND, value); }
void op_or_mem8(code *k, mem to, int value) { change8(k, to, WASM_OR, value); }

void op_note_difference(code *k, mem to, host_reg a, host_reg b) {
  put_address(k, to);
  push_memory(k, WASM_LOAD16_U, to);
  get(k, a), get(k, b), put(k, WASM_NE);
  with(k, WASM_SHL, 8);
  put(k, WASM_OR);
  put_access(k, WASM_STORE16, to);
}
void op_log(code *k, host_reg log, host_reg cycle, int more, int tag, host_reg value) {
  get(k, log);
  get(k, cycle);
  if (more) with(k, WASM_ADD, more);
  with(k, WASM_SHL, 16);
  if (tag) with(k, WASM_OR, tag);
  if (value >= 0) get(k, value), put(k, WASM_OR);
  put_access(k, WASM_STORE, at(log, 0));
  op_add_pointer(k, log, log, 4);
}

/* ---- Moving ---------------------------------------------------------------------------------------------------- */

void op_mov(code *k, host_reg to, host_reg from) { get(k, from), set(k, to); }
void op_mov_imm(code *k, host_reg r, int32_t value) { constant(k, value), set(k, r); }
void op_mov_pointer(code *k, host_reg r, uint64_t value) { op_mov_imm(k, r, (int32_t)value); }
static void mask(code *k, host_reg to, host_reg from, int32_t bits) {
  get(k, from), with(k, WASM_AND, bits), set(k, to);
}
void op_zero_extend8(code *k, host_reg to, host_reg from) { mask(k, to, from, 0xFF); }
void op_zero_extend16(code *k, host_reg to, host_reg from) { mask(k, to, from, 0xFFFF); }
void op_mov_if_equal(code *k, host_reg to, host_reg from, host_reg r, int value) {
  get(k, from), get(k, to);
  get(k, r), with(k, WASM_EQ, value);
  put(k, WASM_SELECT), set(k, to);
}
void op_set_if(code *k, host_reg to, host_reg a, cond c, host_reg b) {
  get(k, a), get(k, b), put(k, opcode_of(c)), set(k, to);
}
void op_set_if_mem32(code *k, host_reg to, host_reg a, cond c, mem b) {
  get(k, a), push_memory(k, WASM_LOAD, b), put(k, opcode_of(c)), set(k, to);
}
void op_set_if_zero8(code *k, host_reg to, host_reg r) {
  get(k, r), with(k, WASM_AND, 0xFF), put(k, WASM_EQZ), set(k, to);
}

/* ---- Arithmetic ------------------------------------------------------------------------------------------------ */

void op_alu(code *k, alu op, host_reg to, host_reg a, host_reg b) {
  get(k, a), get(k, b), put(k, opcode_of_alu(op)), set(k, to);
}
void op_alu_imm(code *k, alu op, host_reg to, host_reg a, int32_t value) {
  get(k, a), with(k, opcode_of_alu(op), value), set(k, to);
}
void op_alu_mem32(code *k, alu op, host_reg r, mem from) {
  get(k, r), push_memory(k, WASM_LOAD, from), put(k, opcode_of_alu(op)), set(k, r);
}
void op_add_scaled(code *k, host_reg to, host_reg a, host_reg b, int scale, int32_t value) {
  get(k, a), get(k, b);
  if (scale) with(k, WASM_SHL, scale);
  put(k, WASM_ADD);
  if (value) with(k, WASM_ADD, value);
  set(k, to);
}
void op_add_pointer(code *k, host_reg to, host_reg from, ptrdiff_t offset) {
  get(k, from);
  if (offset) with(k, WASM_ADD, (int32_t)offset);
  set(k, to);
}
void op_shift_left(code *k, host_reg to, host_reg from, int by) {
  get(k, from), with(k, WASM_SHL, by), set(k, to);
}
void op_shift_right(code *k, host_reg to, host_reg from, int by) {
  get(k, from), with(k, WASM_SHR_U, by), set(k, to);
}
void op_bits(code *k, host_reg to, host_reg from, int lowest, int count) {
  get(k, from);
  if (lowest) with(k, WASM_SHR_U, lowest);
  with(k, WASM_AND, (1 << count) - 1), set(k, to);
}
void op_mul_imm(code *k, host_reg r, int32_t value) {
  get(k, r), with(k, WASM_MUL, value), set(k, r);
}

/* r += the carry of the sum of two bytes, which is on the stack. */
static void add_carry(code *k, host_reg r) {
  with(k, WASM_SHR_U, 8), get(k, r), put(k, WASM_ADD), set(k, r);
}
void op_add_crossing(code *k, host_reg r, host_reg index, host_reg low) {
  get(k, low), with(k, WASM_AND, 0xFF), get(k, index), put(k, WASM_ADD), add_carry(k, r);
}
void op_add_crossing_imm(code *k, host_reg r, host_reg index, int low) {
  get(k, index), with(k, WASM_ADD, low), add_carry(k, r);
}

/* ---- Bytes of the 6507 ----------------------------------------------------------------------------------------- */

void op_logic8(code *k, alu op, host_reg r, operand o) {
  get(k, r), push_operand(k, o), put(k, opcode_of_alu(op)), set(k, r);
}

/* SUM has nine bits: the carry and the result. */
static void split_sum(code *k, host_reg r) {
  op_shift_right(k, CARRY, SUM, 8);
  op_zero_extend8(k, r, SUM);
}

/* r + VALUE + carry. There is an overflow if both have the sign that the sum has not. */
static void add(code *k, host_reg r, bool with_carry, int carry, mem v) {
  get(k, r), get(k, VALUE), put(k, WASM_ADD);
  if (with_carry)
    get(k, CARRY), put(k, WASM_ADD);
  else if (carry)
    with(k, WASM_ADD, carry);
  set(k, SUM);
  put_address(k, v);
  get(k, r), get(k, SUM), put(k, WASM_XOR);
  get(k, VALUE), get(k, SUM), put(k, WASM_XOR), put(k, WASM_AND);
  with(k, WASM_SHR_U, 7), with(k, WASM_AND, 1);
  put_access(k, WASM_STORE8, v);
  split_sum(k, r);
}
void op_add8(code *k, host_reg r, operand o, bool with_carry, mem v) {
  push_operand(k, o), set(k, VALUE);
  add(k, r, with_carry, 0, v);
}
void op_sub8(code *k, host_reg r, operand o, bool with_carry, mem v) {
  push_operand(k, o), with(k, WASM_XOR, 0xFF), set(k, VALUE);
  add(k, r, with_carry, 1, v);
}
void op_compare8(code *k, host_reg to, host_reg r, operand o) {
  push_operand(k, o), set(k, VALUE);
  get(k, r), get(k, VALUE), put(k, WASM_GE_U), set(k, CARRY);
  get(k, r), get(k, VALUE), put(k, WASM_SUB), with(k, WASM_AND, 0xFF), set(k, to);
}
void op_count8(code *k, host_reg r, int by) {
  get(k, r), with(k, WASM_ADD, by), with(k, WASM_AND, 0xFF), set(k, r);
}
void op_shift8(code *k, shift8 how, host_reg r) {
  switch (how) {
    case SHIFT_ASL:
      op_shift_right(k, CARRY, r, 7);
      get(k, r), with(k, WASM_SHL, 1), with(k, WASM_AND, 0xFF), set(k, r);
      break;
    case SHIFT_ROL:
      get(k, r), with(k, WASM_SHL, 1), get(k, CARRY), put(k, WASM_OR), set(k, SUM);
      split_sum(k, r);
      break;
    case SHIFT_LSR:
      mask(k, CARRY, r, 1);
      op_shift_right(k, r, r, 1);
      break;
    case SHIFT_ROR:
      get(k, CARRY), with(k, WASM_SHL, 8), get(k, r), put(k, WASM_OR), set(k, SUM);
      mask(k, CARRY, r, 1);
      op_shift_right(k, r, SUM, 1);
      break;
  }
}

/* ---- Jumps ----------------------------------------------------------------------------------------------------- */

static void put_pointer(code *k, const uint8_t *p) {
  for (int i = 0; i < 32; i += 8) put(k, (int)((uintptr_t)p >> i & 0xFF));
}
static uint8_t *put_mark(code *k, int mark_) {
  uint8_t *from = k->at;
  put(k, mark_), put_pointer(k, NULL);
  return from;
}
static uint8_t *jump_if(code *k) { return put_mark(k, MARK_JUMP_IF); }

uint8_t *op_jump(code *k) { return put_mark(k, MARK_JUMP); }
void op_aim(code *k, uint8_t *from, const uint8_t *target) {
  if (!k->full) memcpy(from + 1, &target, sizeof target);
}
const uint8_t *op_here(code *k) { return k->at; }
const uint8_t *op_entry(code *k) {
  const uint8_t *here = k->at;
  put(k, MARK_ENTRY);
  for (int i = 1; i < ENTRY_BYTES; i++) put(k, 0);
  return here;
}
void op_land(code *k, uint8_t *from) { op_aim(k, from, k->at); }
void op_jump_to(code *k, const uint8_t *target) { op_aim(k, op_jump(k), target); }
void op_jump_reg(code *k, host_reg r) { put(k, MARK_JUMP_REG), put(k, r); }

uint8_t *op_jump_if(code *k, host_reg a, cond c, host_reg b) {
  get(k, a), get(k, b), put(k, opcode_of(c));
  return jump_if(k);
}
uint8_t *op_jump_if_imm(code *k, host_reg a, cond c, int32_t b) {
  get(k, a), with(k, opcode_of(c), b);
  return jump_if(k);
}
uint8_t *op_jump_if_mem32(code *k, host_reg a, cond c, mem b) {
  get(k, a), push_memory(k, WASM_LOAD, b), put(k, opcode_of(c));
  return jump_if(k);
}
uint8_t *op_jump_if_mem16(code *k, mem a, cond c, host_reg b) {
  push_memory(k, WASM_LOAD16_U, a), get(k, b), put(k, opcode_of(c));
  return jump_if(k);
}
uint8_t *op_jump_if_mem8(code *k, host_reg a, cond c, mem b) {
  get(k, a), with(k, WASM_AND, 0xFF), push_memory(k, WASM_LOAD8_U, b), put(k, opcode_of(c));
  return jump_if(k);
}

/* Is the stack's top zero, or not? */
static uint8_t *jump_if_zero(code *k, bool zero) {
  if (zero) put(k, WASM_EQZ);
  return jump_if(k);
}
uint8_t *op_jump_if_zero(code *k, host_reg r, bool zero) {
  get(k, r);
  return jump_if_zero(k, zero);
}
uint8_t *op_jump_if_any(code *k, host_reg r, int mask_, bool any) {
  get(k, r), with(k, WASM_AND, mask_);
  return jump_if_zero(k, !any);
}
uint8_t *op_jump_if_zero8(code *k, host_reg r, bool zero) {
  if (r == A || r == X || r == Y) return op_jump_if_zero(k, r, zero);
  return op_jump_if_any(k, r, 0xFF, !zero);
}
uint8_t *op_jump_if_null(code *k, host_reg r) { return op_jump_if_zero(k, r, true); }
uint8_t *op_jump_if_mem8_zero(code *k, mem a, bool zero) {
  push_memory(k, WASM_LOAD8_U, a);
  return jump_if_zero(k, zero);
}
uint8_t *op_jump_if_bit(code *k, host_reg r, int bit, bool set_) {
  return op_jump_if_any(k, r, bit, set_);
}
uint8_t *op_jump_if_mem8_bit(code *k, mem a, int bit) {
  push_memory(k, WASM_LOAD8_U, a), with(k, WASM_AND, bit);
  return jump_if(k);
}
uint8_t *op_jump_unless_member(code *k, uint64_t set_, host_reg r) {
  put(k, WASM_CONST64), put_signed(k, (int64_t)set_);
  get(k, r), put(k, WASM_EXTEND_U), put(k, WASM_SHR_U64), put(k, WASM_WRAP);
  with(k, WASM_AND, 1);
  return jump_if_zero(k, true);
}

/* ---- Functions ------------------------------------------------------------------------------------------------- */

/* Functions of C are called by their numbers in the table, which is what their pointers are. */
void op_call_c(code *k, uint64_t function, bool in_piece) {
  (void)in_piece;
  get(k, M), get(k, ARG1), get(k, ARG2), get(k, ARG3);
  constant(k, (int32_t)function);
  put(k, WASM_CALL_INDIRECT), put(k, TYPE_C), put(k, 0);
  set(k, RESULT);
}

/* A piece is a function of its own: it gets its registers as parameters, and returns those that it may change. */
void op_call(code *k, const uint8_t *piece) {
  for (host_reg r = 0; r < PIECE_PARAMETERS; r++) get(k, r);
  op_aim(k, put_mark(k, MARK_CALL), piece);
  set(k, BAILS), set(k, LOG), set(k, CYCLES), set(k, T0);
}
void op_return(code *k) {
  get(k, T0), get(k, CYCLES), get(k, LOG), get(k, BAILS);
  put(k, WASM_RETURN);
}
void op_return_done(code *k) {
  op_mov_imm(k, BAILS, 0);
  op_return(k);
}
void op_return_bail(code *k) {
  op_mov_imm(k, BAILS, 1);
  op_return(k);
}
uint8_t *op_jump_if_bails(code *k) { return op_jump_if_zero(k, BAILS, false); }

void op_begin(code *k) { (void)k; }
void op_end(code *k) { get(k, RESULT), put(k, WASM_RETURN); }

#endif
