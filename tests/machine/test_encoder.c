/* The operations of the encoder (src/machine/jit_encoder.h): each is written as machine code, executed with random
 * registers and memory, and compared with what it means in C. Registers and bytes of memory that an operation must
 * leave alone are compared as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "machine/jit.h"

#ifdef SIXER_JIT

#include "machine/jit_encoder.h"
#include "util/os_memory.h"

enum { ROUNDS = 60, CODE_BYTES = 1 << 18, REGISTERS = 32 };

/* Registers have the width of pointers, and are in memory as such. */
enum { WIDTH = 1 << POINTER_SCALE };

/* Memory around the place that C points to. The registers are loaded from it and stored into it. */
enum { HALF = 8192, IN = 0, OUT = IN + WIDTH * REGISTERS, RESERVED = 16 * REGISTERS };

typedef struct state {
  uint64_t r[REGISTERS];
  uint8_t memory[2 * HALF];
} state;

static const host_reg all[] = {A, X, Y, CYCLES, CARRY, NZ, LOG, T0, T1, T2, T3, T4, T5};
static const host_reg scratch[] = {T0, T1, T2, T3, T4, T5};
enum { ALL = sizeof all / sizeof *all };

static uint32_t seed = 1;
static uint32_t draw(uint32_t below) {
  seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
  return seed % below;
}
/* A number of a random size: small ones, round ones and all others. */
static int32_t draw_number(void) {
  const uint32_t bits = draw(UINT32_MAX) >> draw(32);
  return (int32_t)(draw(4) ? bits : 0 - bits);
}
static host_reg draw_register(void) { return scratch[draw(6)]; }
/* Another one than these two. */
static host_reg draw_other(host_reg a, host_reg b) {
  host_reg r;
  do r = draw_register();
  while (r == a || r == b);
  return r;
}

/* ---- What is under test ---------------------------------------------------------------------------------------- */

/* A test writes an operation and changes `s` as it should. Before that, it may choose what the registers begin with. */
typedef struct subject {
  code *k;
  state *begin, *s;
  uint32_t lost; /* bit r: register r may have any value afterwards */
} subject;

static void set(subject *t, host_reg r, uint64_t value) { t->begin->r[r] = t->s->r[r] = value; }
static uint32_t get(const subject *t, host_reg r) { return (uint32_t)t->s->r[r]; }
static uint8_t *byte_at(subject *t, ptrdiff_t offset) { return t->s->memory + HALF + offset; }
static uint64_t value_at(subject *t, ptrdiff_t offset, int bytes) {
  uint64_t value = 0;
  memcpy(&value, byte_at(t, offset), (size_t)bytes); /* hosts are little-endian */
  return value;
}
static void put_at(subject *t, ptrdiff_t offset, int bytes, uint64_t value) {
  memcpy(byte_at(t, offset), &value, (size_t)bytes);
}

/* A place in memory, near or far, with or without an index, and its offset from C. */
static mem draw_place(subject *t, ptrdiff_t *offset, host_reg not_this) {
  static const int from[] = {RESERVED, RESERVED + 500, 4000, -300, -200, -5000};
  ptrdiff_t d = from[draw(6)] + (ptrdiff_t)draw(64);
  *offset = d;
  if (draw(2)) return at(C, d);
  const host_reg index = draw_other(not_this, T1);
  const int scale = (int)draw(4), value = (int)draw(32);
  set(t, index, (uint64_t)value);
  return at_index(C, index, scale, d - ((ptrdiff_t)value << scale));
}

/* A byte as the operand of an instruction, and its value. */
static operand draw_operand(subject *t, int *value) {
  *value = (int)draw(256);
  switch (draw(3)) {
    case 0: return (operand){CONSTANT, *value};
    case 1: {
      const int offset = RESERVED + (int)draw(200);
      t->begin->memory[HALF + offset] = (uint8_t)*value;
      put_at(t, offset, 1, (uint64_t)*value);
      return (operand){IN_MEMORY, offset};
    }
    default: set(t, T0, (uint64_t)*value); return (operand){IN_T0, 0};
  }
}

static bool holds(cond c, uint32_t a, uint32_t b) {
  switch (c) {
    case IF_EQUAL: return a == b;
    case IF_NOT_EQUAL: return a != b;
    case IF_BELOW: return a < b;
    case IF_NOT_BELOW: return a >= b;
    case IF_ABOVE: return a > b;
    default: return (int32_t)a >= (int32_t)b;
  }
}
static uint32_t compute(alu op, uint32_t a, uint32_t b) {
  switch (op) {
    case DO_ADD: return a + b;
    case DO_SUB: return a - b;
    case DO_AND: return a & b;
    case DO_OR: return a | b;
    default: return a ^ b;
  }
}

/* A jump: a register tells whether it was taken. */
static void check_jump(subject *t, uint8_t *from, bool taken) {
  op_mov_imm(t->k, CYCLES, 1);
  uint8_t *end = op_jump(t->k);
  op_land(t->k, from);
  op_mov_imm(t->k, CYCLES, 2);
  op_land(t->k, end);
  t->s->r[CYCLES] = taken ? 2 : 1;
}

static void test_moves(subject *t, int which) {
  const host_reg to = draw_register(), from = draw_register();
  const int32_t number = draw_number();
  const uint64_t wide = (uint64_t)draw(UINT32_MAX) << 32 | draw(UINT32_MAX);
  state *s = t->s;
  switch (which) {
    case 0: op_mov(t->k, to, from), s->r[to] = get(t, from); break;
    case 1: op_mov_imm(t->k, to, number), s->r[to] = (uint32_t)number; break;
    case 2: op_mov_pointer(t->k, to, wide), s->r[to] = (uintptr_t)wide; break;
    case 3: op_zero_extend8(t->k, to, from), s->r[to] = get(t, from) & 0xFF; break;
    case 4: op_zero_extend16(t->k, to, from), s->r[to] = get(t, from) & 0xFFFF; break;
    case 5: {
      const host_reg r = draw_other(to, from);
      const int value = (int)draw(3);
      set(t, r, draw(3));
      op_mov_if_equal(t->k, to, from, r, value);
      if ((int)get(t, r) == value) s->r[to] = get(t, from);
      break;
    }
    case 6: {
      const host_reg b = draw_register();
      const cond c = (cond)draw(IF_NOT_LESS + 1);
      if (draw(2)) set(t, b, get(t, from));
      op_set_if(t->k, to, from, c, b);
      s->r[to] = holds(c, get(t, from), get(t, b));
      break;
    }
    case 7: {
      ptrdiff_t offset;
      const mem spot = draw_place(t, &offset, from);
      const cond c = (cond)draw(IF_NOT_LESS + 1);
      op_set_if_mem32(t->k, to, from, c, spot);
      s->r[to] = holds(c, get(t, from), (uint32_t)value_at(t, offset, 4));
      break;
    }
    case 8:
      if (draw(2)) set(t, from, draw(4) << 8);
      op_set_if_zero8(t->k, to, from), s->r[to] = !(get(t, from) & 0xFF);
      break;
    default: {
      int value;
      const operand o = draw_operand(t, &value);
      op_load_operand(t->k, to, o), s->r[to] = (uint32_t)value;
    }
  }
}
enum { MOVES = 10 };

static void test_memory(subject *t, int which) {
  const host_reg r = draw_register();
  ptrdiff_t offset;
  const mem spot = draw_place(t, &offset, r);
  const int number = (int)draw(256), word = (int)draw(65536), bit = 1 << draw(8);
  state *s = t->s;
  switch (which) {
    case 0: op_load8(t->k, r, spot), s->r[r] = value_at(t, offset, 1); break;
    case 1: op_load16(t->k, r, spot), s->r[r] = value_at(t, offset, 2); break;
    case 2: op_load32(t->k, r, spot), s->r[r] = value_at(t, offset, 4); break;
    case 3: op_load_pointer(t->k, r, spot), s->r[r] = value_at(t, offset, WIDTH); break;
    case 4: op_store8(t->k, r, spot), put_at(t, offset, 1, s->r[r]); break;
    case 5: op_store16(t->k, r, spot), put_at(t, offset, 2, s->r[r]); break;
    case 6: op_store32(t->k, r, spot), put_at(t, offset, 4, s->r[r]); break;
    case 7: op_store_pointer(t->k, r, spot), put_at(t, offset, WIDTH, s->r[r]); break;
    case 8: op_store_imm8(t->k, spot, number), put_at(t, offset, 1, (uint64_t)number); break;
    case 9: op_store_imm16(t->k, spot, word), put_at(t, offset, 2, (uint64_t)word); break;
    case 10: {
      const int by = (int)draw(7) - 3;
      op_add_mem8(t->k, spot, by);
      put_at(t, offset, 1, value_at(t, offset, 1) + (uint64_t)by);
      break;
    }
    case 11: op_and_mem8(t->k, spot, bit), *byte_at(t, offset) &= (uint8_t)bit; break;
    case 12: op_or_mem8(t->k, spot, bit), *byte_at(t, offset) |= (uint8_t)bit; break;
    default: {
      const host_reg b = draw_other(r, spot.index);
      if (draw(2)) set(t, b, get(t, r));
      op_note_difference(t->k, spot, r, b);
      if (get(t, r) != get(t, b)) *byte_at(t, offset + 1) |= 1;
      t->lost |= 1u << r;
    }
  }
}
enum { MEMORY = 14 };

static void test_arithmetic(subject *t, int which) {
  const host_reg to = draw_register(), a = draw_register();
  const host_reg b = to == a ? draw_register() : draw_other(to, -1);
  const alu op = (alu)draw(DO_XOR + 1);
  const int32_t number = draw_number();
  const int by = (int)draw(31) + 1;
  state *s = t->s;
  switch (which) {
    case 0: op_alu(t->k, op, to, a, b), s->r[to] = compute(op, get(t, a), get(t, b)); break;
    case 1: {
      op_alu_imm(t->k, op, to, a, number);
      s->r[to] = compute(op, get(t, a), (uint32_t)number);
      break;
    }
    case 2: {
      ptrdiff_t offset;
      const mem spot = draw_place(t, &offset, to);
      const alu sum = draw(2) ? DO_ADD : DO_SUB;
      op_alu_mem32(t->k, sum, to, spot);
      s->r[to] = compute(sum, get(t, to), (uint32_t)value_at(t, offset, 4));
      break;
    }
    case 3: {
      const int scale = (int)draw(4);
      op_add_scaled(t->k, to, a, b, scale, number);
      s->r[to] = get(t, a) + (get(t, b) << scale) + (uint32_t)number;
      break;
    }
    case 4:
      op_add_pointer(t->k, to, a, number >> 8);
      s->r[to] = (uintptr_t)(s->r[a] + (uint64_t)(number >> 8));
      break;
    case 5: op_shift_left(t->k, to, a, by), s->r[to] = get(t, a) << by; break;
    case 6: op_shift_right(t->k, to, a, by), s->r[to] = get(t, a) >> by; break;
    case 7: {
      const int count = 1 + (int)draw((uint32_t)(32 - by) < 12 ? (uint32_t)(32 - by) : 12);
      op_bits(t->k, to, a, by, count);
      s->r[to] = get(t, a) >> by & ((1u << count) - 1);
      break;
    }
    default: op_mul_imm(t->k, to, number), s->r[to] = get(t, to) * (uint32_t)number;
  }
}
enum { ARITHMETIC = 9 };

/* Operations on bytes: of A, X, Y and T0. */
static void test_bytes(subject *t, int which) {
  static const host_reg bytes[] = {A, X, Y, T0};
  const host_reg r = bytes[draw(3)], any = bytes[draw(4)];
  const int before = (int)draw(256), carry = (int)draw(2);
  const mem v = at(C, RESERVED + 300);
  state *s = t->s;
  int value;
  set(t, any, (uint64_t)before), set(t, r, (uint64_t)before), set(t, CARRY, (uint64_t)carry);
  switch (which) {
    case 0: {
      static const alu ops[] = {DO_AND, DO_OR, DO_XOR};
      const alu op = ops[draw(3)];
      op_logic8(t->k, op, r, draw_operand(t, &value));
      s->r[r] = compute(op, (uint32_t)before, (uint32_t)value);
      break;
    }
    case 1:
    case 2: {
      const bool with_carry = draw(2), subtract = which == 2;
      const operand o = draw_operand(t, &value);
      (subtract ? op_sub8 : op_add8)(t->k, r, o, with_carry, v);
      const int more = with_carry ? carry : subtract, other = subtract ? value ^ 0xFF : value;
      const int sum = before + other + more;
      const int sign = (int8_t)before + (int8_t)other + more;
      s->r[r] = (uint8_t)sum;
      s->r[CARRY] = (uint64_t)(sum >> 8);
      put_at(t, v.offset, 1, sign < -128 || sign > 127);
      break;
    }
    case 3: {
      const operand o = draw_operand(t, &value);
      op_compare8(t->k, NZ, r, o);
      s->r[NZ] = (uint8_t)(before - value);
      s->r[CARRY] = before >= value;
      break;
    }
    case 4: op_count8(t->k, any, 1), s->r[any] = (uint8_t)(before + 1); break;
    case 5: op_count8(t->k, any, -1), s->r[any] = (uint8_t)(before - 1); break;
    case 6:
      op_shift8(t->k, SHIFT_ASL, any);
      s->r[any] = (uint8_t)(before << 1), s->r[CARRY] = (uint64_t)(before >> 7);
      break;
    case 7:
      op_shift8(t->k, SHIFT_ROL, any);
      s->r[any] = (uint8_t)(before << 1 | carry), s->r[CARRY] = (uint64_t)(before >> 7);
      break;
    case 8:
      op_shift8(t->k, SHIFT_LSR, any);
      s->r[any] = (uint64_t)(before >> 1), s->r[CARRY] = (uint64_t)(before & 1);
      break;
    case 9:
      op_shift8(t->k, SHIFT_ROR, any);
      s->r[any] = (uint64_t)(before >> 1 | carry << 7), s->r[CARRY] = (uint64_t)(before & 1);
      break;
    case 10:
      op_add_crossing(t->k, CYCLES, r, T2);
      s->r[CYCLES] = get(t, CYCLES) + ((get(t, T2) & 0xFF) + (uint32_t)before) / 256;
      t->lost |= 1u << T0 | 1u << T1;
      break;
    case 11:
      value = 1 + (int)draw(255);
      op_add_crossing_imm(t->k, CYCLES, r, value);
      s->r[CYCLES] = get(t, CYCLES) + (uint32_t)(value + before) / 256;
      t->lost |= 1u << T0 | 1u << T1;
      break;
    default: {
      /* the log: three forms */
      const int more = (int)draw(100) - 10, tag = (int)draw(64) << 8;
      const bool strobe = draw(2);
      const ptrdiff_t end = RESERVED + 400;
      op_add_pointer(t->k, LOG, C, end);
      op_log(t->k, LOG, CYCLES, more, tag, strobe ? -1 : r);
      put_at(t, end, 4,
             (get(t, CYCLES) + (uint32_t)more) * 65536 + (uint32_t)(tag + (strobe ? 0 : before)));
      op_add_pointer(t->k, T4, LOG, -end - 4);
      op_add_pointer(t->k, T5, C, 0);
      op_alu(t->k, DO_SUB, T4, T4, T5); /* 0 if it has moved on */
      s->r[T4] = 0;
      t->lost |= 1u << LOG | 1u << T1 | 1u << T5;
    }
  }
}
enum { BYTES_TESTS = 13 };

static void test_jumps(subject *t, int which) {
  const host_reg a = draw_register(), b = draw_register();
  const cond c = (cond)draw(IF_NOT_LESS + 1);
  const bool flag = draw(2);
  const int bit = 1 << draw(8), number = draw_number();
  ptrdiff_t offset;
  code *k = t->k;
  switch (which) {
    case 0:
      if (draw(2)) set(t, a, get(t, b));
      check_jump(t, op_jump_if(k, a, c, b), holds(c, get(t, a), get(t, b)));
      break;
    case 1:
      if (draw(2)) set(t, a, (uint32_t)number);
      check_jump(t, op_jump_if_imm(k, a, c, number), holds(c, get(t, a), (uint32_t)number));
      break;
    case 2: {
      const mem spot = draw_place(t, &offset, a);
      if (draw(2)) set(t, a, value_at(t, offset, 4));
      check_jump(t, op_jump_if_mem32(k, a, c, spot),
                 holds(c, get(t, a), (uint32_t)value_at(t, offset, 4)));
      break;
    }
    case 3: {
      const mem spot = draw_place(t, &offset, a);
      const cond same = draw(2) ? IF_EQUAL : IF_NOT_EQUAL;
      set(t, a, flag ? value_at(t, offset, 2) : draw(65536));
      check_jump(t, op_jump_if_mem16(k, spot, same, a),
                 holds(same, (uint32_t)value_at(t, offset, 2), get(t, a)));
      break;
    }
    case 4: {
      const mem spot = draw_place(t, &offset, a);
      const cond same = draw(2) ? IF_EQUAL : IF_NOT_EQUAL;
      set(t, a, draw(1000) << 8 | (flag ? value_at(t, offset, 1) : draw(256)));
      check_jump(t, op_jump_if_mem8(k, a, same, spot),
                 holds(same, get(t, a) & 0xFF, (uint32_t)value_at(t, offset, 1)));
      break;
    }
    case 5:
      if (draw(2)) set(t, a, 0);
      check_jump(t, op_jump_if_zero(k, a, flag), (get(t, a) == 0) == flag);
      break;
    case 6:
      if (draw(2)) set(t, a, draw(UINT32_MAX) & ~0xFFu);
      check_jump(t, op_jump_if_zero8(k, a, flag), ((get(t, a) & 0xFF) == 0) == flag);
      break;
    case 7:
      set(t, a, flag ? 0 : UINT64_C(1) << (8 * WIDTH / 2 + (int)draw(16)));
      check_jump(t, op_jump_if_null(k, a), flag);
      break;
    case 8: {
      const int mask = draw(2) ? 0x180 : bit;
      check_jump(t, op_jump_if_any(k, a, mask, flag), ((get(t, a) & (uint32_t)mask) != 0) == flag);
      break;
    }
    case 9:
      check_jump(t, op_jump_if_bit(k, a, bit << 5, flag),
                 !!(get(t, a) & (uint32_t)bit << 5) == flag);
      break;
    case 10: {
      const mem spot = draw_place(t, &offset, -1);
      check_jump(t, op_jump_if_mem8_bit(k, spot, bit), *byte_at(t, offset) & bit);
      break;
    }
    case 11: {
      const mem spot = draw_place(t, &offset, -1);
      if (draw(2)) {
        put_at(t, offset, 1, 0);
        t->begin->memory[HALF + offset] = 0;
      }
      check_jump(t, op_jump_if_mem8_zero(k, spot, flag), (*byte_at(t, offset) == 0) == flag);
      break;
    }
    case 12: {
      const uint64_t members = (uint64_t)draw(UINT32_MAX) << 32 | draw(UINT32_MAX);
      const host_reg r = draw_other(T4, -1);
      set(t, r, draw(64));
      check_jump(t, op_jump_unless_member(k, members, r), !(members >> get(t, r) & 1));
      t->lost |= 1u << T4;
      break;
    }
    case 13: {
      /* the branch after an operation on bytes, which knows its result already, or not any more */
      int value;
      const bool merge = draw(2), moved = draw(2), sign = draw(2);
      set(t, A, draw(256));
      const operand o = draw_operand(t, &value);
      op_compare8(k, NZ, A, o);
      t->s->r[NZ] = (uint8_t)((int)get(t, A) - value);
      t->s->r[CARRY] = (int)get(t, A) >= value;
      if (moved) op_mov(k, T2, A), t->s->r[T2] = get(t, A);
      op_alu_imm(k, DO_ADD, T3, T3, 7), t->s->r[T3] = get(t, T3) + 7;
      if (merge) op_here(k);
      if (sign)
        check_jump(t, op_jump_if_any(k, NZ, 0x180, flag), ((get(t, NZ) & 0x180) != 0) == flag);
      else
        check_jump(t, op_jump_if_zero8(k, NZ, flag), (get(t, NZ) == 0) == flag);
      break;
    }
    default: {
      /* backward, and through a register: count T2 down to 0 */
      set(t, T2, 1 + draw(9));
      set(t, T3, 0);
      const uint8_t *again = op_entry(k);
      op_alu_imm(k, DO_ADD, T3, T3, 1);
      op_alu_imm(k, DO_SUB, T2, T2, 1);
      uint8_t *done = op_jump_if_imm(k, T2, IF_EQUAL, 0);
      if (flag) {
        op_mov_pointer(k, T4, POINTER(again));
        op_jump_reg(k, T4);
        t->lost |= 1u << T4;
      } else {
        op_jump_to(k, again);
      }
      op_land(k, done);
      t->s->r[T3] = get(t, T2), t->s->r[T2] = 0;
    }
  }
}
enum { JUMPS = 15 };

static machine subject_machine;
static uint32_t seen[4];
OS_UNIX_CALL static uint32_t observer(machine *m, uint32_t a, uint32_t b, uint32_t c) {
  seen[0] = m == &subject_machine, seen[1] = a, seen[2] = b, seen[3] = c;
  return a + 2 * b + 3 * c;
}

/* Calls: of C from a block, and of pieces, one of which calls C; a piece says whether to bail. */
static void test_calls(subject *t, int which) {
  code *k = t->k;
  const uint32_t sum = get(t, ARG1) + 2 * get(t, ARG2) + 3 * get(t, ARG3);
  if (which == 0) {
    op_call_c(k, POINTER(observer), false);
  } else {
    uint8_t *over = op_jump(k);
    const uint8_t *piece = op_here(k);
    if (which == 1) op_call_c(k, POINTER(observer), true);
    const bool bails = draw(2);
    if (draw(2))
      op_alu_imm(k, DO_OR, T4, T4, 1); /* leaves the carry of x86-64 clear, which it knows */
    if (which == 3)
      op_return(k);
    else if (bails)
      op_return_bail(k);
    else
      op_return_done(k);
    op_land(k, over);
    op_call(k, piece);
    if (which != 3) check_jump(t, op_jump_if_bails(k), bails);
    t->lost |= 1u << T4;
  }
  if (which >= 2) return;
  t->s->r[RESULT] = sum;
  for (int i = 1; i < 6; i++) t->lost |= 1u << scratch[i];
  if (!CALLS_KEEP_ALL) t->lost |= 1u << NZ | 1u << CARRY | 1u << LOG;
}
enum { CALLS = 4 };

/* ---- Running --------------------------------------------------------------------------------------------------- */

typedef void test_function(subject *t, int which);
static const struct group {
  const char *name;
  test_function *write;
  int count;
} groups[] = {{"move", test_moves, MOVES},
              {"memory", test_memory, MEMORY},
              {"arithmetic", test_arithmetic, ARITHMETIC},
              {"bytes", test_bytes, BYTES_TESTS},
              {"jump", test_jumps, JUMPS},
              {"call", test_calls, CALLS}};
enum { GROUPS = sizeof groups / sizeof *groups, MOST = 16 };

typedef struct prepared {
  const uint8_t *code;
  state begin, expected;
  uint32_t lost;
} prepared;
static prepared tests[GROUPS][MOST];

/* What the registers and the memory begin with. LOG and pointers have 64 bits, the others 32. */
static void draw_state(state *s) {
  memset(s, 0, sizeof *s);
  for (size_t i = 0; i < sizeof s->memory; i += 4) {
    const uint32_t word = draw(UINT32_MAX);
    memcpy(s->memory + i, &word, 4);
  }
  for (int i = 0; i < ALL; i++) s->r[all[i]] = (uint32_t)draw_number();
  for (int i = 0; i < 3; i++) s->r[all[i]] &= 0xFF; /* A, X, Y */
  s->r[CARRY] &= 1, s->r[NZ] &= 0x1FF;
}

static void write_one(code *k, prepared *p, test_function *write, int which) {
  subject t = {k, &p->begin, &p->expected, 0};
  draw_state(&p->begin);
  p->expected = p->begin;
  uint8_t *from = k->at;
  p->code = op_entry(k);
  op_begin(k);
  op_add_pointer(k, C, ARG1, 0);
  for (int i = 0; i < ALL; i++) op_load_pointer(k, all[i], at(C, IN + WIDTH * all[i]));
  write(&t, which);
  for (int i = 0; i < ALL; i++) op_store_pointer(k, all[i], at(C, OUT + WIDTH * all[i]));
  op_end(k);
  assert_true(op_publish(k, from, p->code, NULL));
  p->lost = t.lost;
}

static void run_one(prepared *p, const struct group *g, int which) {
  static state world;
  world = p->begin;
  uint8_t *middle = world.memory + HALF;
  for (int i = 0; i < REGISTERS; i++) memcpy(middle + IN + WIDTH * i, &p->begin.r[i], WIDTH);
  op_run(p->code, &subject_machine, middle, NULL);
  for (int i = 0; i < ALL; i++) {
    uint64_t found = 0;
    memcpy(&found, middle + OUT + WIDTH * all[i], WIDTH);
    if (found == p->expected.r[all[i]] || p->lost >> all[i] & 1) continue;
    fail_msg("%s %d: register %d is %llx, expected %llx, was %llx", g->name, which, all[i],
             (unsigned long long)found, (unsigned long long)p->expected.r[all[i]],
             (unsigned long long)p->begin.r[all[i]]);
  }
  if (g->write == test_calls && which < 2) {
    assert_true(seen[0]);
    assert_int_equal(seen[1], (uint32_t)p->begin.r[ARG1]);
    assert_int_equal(seen[2], (uint32_t)p->begin.r[ARG2]);
    assert_int_equal(seen[3], (uint32_t)p->begin.r[ARG3]);
  }
  memcpy(middle, p->expected.memory + HALF, RESERVED);
  if (!memcmp(world.memory, p->expected.memory, sizeof world.memory)) return;
  for (size_t i = 0; i < sizeof world.memory; i++) {
    if (world.memory[i] != p->expected.memory[i])
      fail_msg("%s %d: byte %td is %02x, expected %02x", g->name, which, (ptrdiff_t)i - HALF,
               world.memory[i], p->expected.memory[i]);
  }
}

static void operations_mean_what_they_say(void **unused) {
  (void)unused;
  uint8_t *pages = os_code_take(CODE_BYTES);
  assert_non_null(pages);
  for (int round = 0; round < ROUNDS; round++) {
    code k = {.at = pages, .end = pages + CODE_BYTES, .top = pages + CODE_BYTES};
    assert_true(os_code_protect(pages, CODE_BYTES, true));
    for (int g = 0; g < GROUPS; g++) {
      for (int i = 0; i < groups[g].count; i++) write_one(&k, &tests[g][i], groups[g].write, i);
    }
    assert_false(k.full);
    assert_true(os_code_protect(pages, CODE_BYTES, false));
    for (int g = 0; g < GROUPS; g++) {
      for (int i = 0; i < groups[g].count; i++) run_one(&tests[g][i], &groups[g], i);
    }
    op_withdraw(pages, (size_t)(k.at - pages));
  }
  os_code_free(pages, CODE_BYTES);
}

/* Code that does not fit is not written beyond the end, and says so. */
static void no_room(void **unused) {
  (void)unused;
  static uint8_t memory[64 + 16];
  for (size_t room = 0; room < 64; room += 4) {
    memset(memory, 0xA5, sizeof memory);
    code k = {.at = memory, .end = memory + room, .top = memory + room};
    for (int i = 0; i < 10; i++) op_mov_pointer(&k, T0, POINTER(memory + i));
    assert_true(k.full);
    for (size_t i = room; i < sizeof memory; i++) assert_int_equal(memory[i], 0xA5);
  }
}

int main(void) {
  const struct CMUnitTest list[] = {cmocka_unit_test(operations_mean_what_they_say),
                                    cmocka_unit_test(no_room)};
  return cmocka_run_group_tests(list, NULL, NULL);
}

#else

int main(void) {
  puts("SKIPPED: there is no translator for this processor");
  return 77;
}

#endif
