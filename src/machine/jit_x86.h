/* Writing x86-64 instructions: only the forms that the translator uses. */
#ifndef SIXER_MACHINE_JIT_X86_H
#define SIXER_MACHINE_JIT_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };
typedef int host_reg;
typedef enum cond {
  CC_O,
  CC_NO,
  CC_B,
  CC_AE,
  CC_E,
  CC_NE,
  CC_BE,
  CC_A,
  CC_S,
  CC_NS,
  CC_L = 12,
  CC_GE
} cond;

typedef struct code {
  uint8_t *at, *end;
  bool full; /* ran out of room: what was written is useless */
} code;

static inline void x_byte(code *k, int value) {
  if (k->at < k->end)
    *k->at++ = (uint8_t)value;
  else
    k->full = true;
}
static inline void x_word(code *k, int value) { x_byte(k, value), x_byte(k, value >> 8); }
static inline void x_long(code *k, int32_t value) {
  x_word(k, value & 0xFFFF), x_word(k, (int)((uint32_t)value >> 16));
}
static inline void x_quad(code *k, uint64_t value) {
  x_long(k, (int32_t)value), x_long(k, (int32_t)(value >> 32));
}

/* Opcodes above 0xFF have the prefix 0F; WIDE makes the operation 64 bits; WORD16 makes it 16. */
enum { WIDE = 1, WORD16 = 2, BYTES = 4 };

static inline void x_opcode(code *k, int opcode, int how, int r, int index, int base) {
  if (how & WORD16) x_byte(k, 0x66);
  int rex = 0x40 | (how & WIDE ? 8 : 0) | (r >> 3) << 2 | (index >> 3) << 1 | base >> 3;
  if (rex != 0x40 || (how & BYTES)) x_byte(k, rex);
  if (opcode > 0xFF) x_byte(k, 0x0F);
  x_byte(k, opcode);
}

/* op r, [base + displacement] or the other way round, as the opcode says. */
static inline void x_displacement(code *k, ptrdiff_t displacement) {
  if (displacement >= -128 && displacement < 128)
    x_byte(k, (int)displacement & 0xFF);
  else
    x_long(k, (int32_t)displacement);
}
static inline int x_mod(ptrdiff_t displacement) {
  return displacement >= -128 && displacement < 128 ? 0x40 : 0x80;
}
static inline void x_mem(code *k, int opcode, int how, int r, host_reg base,
                         ptrdiff_t displacement) {
  x_opcode(k, opcode, how, r, 0, base);
  x_byte(k, x_mod(displacement) | (r & 7) << 3 | (base & 7));
  if ((base & 7) == RSP) x_byte(k, 0x24);
  x_displacement(k, displacement);
}

/* op r, [base + index * (1 << scale) + displacement] */
static inline void x_mem_index(code *k, int opcode, int how, int r, host_reg base, host_reg index,
                               int scale, ptrdiff_t displacement) {
  x_opcode(k, opcode, how, r, index, base);
  x_byte(k, 0x04 | x_mod(displacement) | (r & 7) << 3);
  x_byte(k, scale << 6 | (index & 7) << 3 | (base & 7));
  x_displacement(k, displacement);
}

/* op with two registers: `rm` is the destination of the usual opcodes. */
static inline void x_reg(code *k, int opcode, int how, int r, host_reg rm) {
  x_opcode(k, opcode, how, r, 0, rm);
  x_byte(k, 0xC0 | (r & 7) << 3 | (rm & 7));
}

static inline void x_mov_imm(code *k, host_reg r, int32_t value) {
  x_opcode(k, 0xB8 | (r & 7), 0, 0, 0, r);
  x_long(k, value);
}
static inline void x_mov_imm64(code *k, host_reg r, uint64_t value) {
  x_opcode(k, 0xB8 | (r & 7), WIDE, 0, 0, r);
  x_quad(k, value);
}

/* Arithmetic with a constant: which = 0 add, 1 or, 4 and, 5 sub, 7 cmp. */
static inline void x_alu_imm(code *k, int which, host_reg r, int32_t value) {
  bool small = value >= -128 && value < 128;
  x_reg(k, small ? 0x83 : 0x81, 0, which, r);
  x_displacement(k, value);
}
enum { SHIFT_LEFT = 4, SHIFT_RIGHT = 5 };
static inline void x_shift_imm(code *k, int which, host_reg r, int by) {
  x_reg(k, 0xC1, 0, which, r);
  x_byte(k, by);
}
static inline void x_alu_mem_imm8(code *k, int which, int how, host_reg base,
                                  ptrdiff_t displacement, int value) {
  x_mem(k, how & BYTES ? 0x80 : 0x83, how & ~BYTES, which, base, displacement);
  x_byte(k, value);
}
static inline void x_store_imm8(code *k, host_reg base, ptrdiff_t displacement, int value) {
  x_mem(k, 0xC6, 0, 0, base, displacement);
  x_byte(k, value);
}
static inline void x_store_imm16(code *k, host_reg base, ptrdiff_t displacement, int value) {
  x_mem(k, 0xC7, WORD16, 0, base, displacement);
  x_word(k, value);
}

static inline void x_store_imm32(code *k, host_reg base, ptrdiff_t displacement, int32_t value) {
  x_mem(k, 0xC7, 0, 0, base, displacement);
  x_long(k, value);
}

/* movzx r, byte [base + displacement] and its kin. */
static inline void x_load8(code *k, host_reg r, host_reg base, ptrdiff_t d) {
  x_mem(k, 0x1B6, 0, r, base, d);
}
static inline void x_store8(code *k, host_reg r, host_reg base, ptrdiff_t d) {
  x_mem(k, 0x88, BYTES, r, base, d);
}
static inline void x_load32(code *k, host_reg r, host_reg base, ptrdiff_t d) {
  x_mem(k, 0x8B, 0, r, base, d);
}
static inline void x_store32(code *k, host_reg r, host_reg base, ptrdiff_t d) {
  x_mem(k, 0x89, 0, r, base, d);
}
static inline void x_set_mem(code *k, cond c, host_reg base, ptrdiff_t d) {
  x_mem(k, 0x190 + c, 0, 0, base, d);
}
static inline void x_mov(code *k, host_reg to, host_reg from) { x_reg(k, 0x89, 0, from, to); }

/* Jumps: return where the 32-bit distance stands; x_land() makes it lead to the present place, x_aim() elsewhere. */
static inline uint8_t *x_jump(code *k) {
  x_byte(k, 0xE9);
  x_long(k, 0);
  return k->at - 4;
}
static inline uint8_t *x_jump_if(code *k, cond c) {
  x_byte(k, 0x0F);
  x_byte(k, 0x80 | c);
  x_long(k, 0);
  return k->at - 4;
}
static inline void x_aim(const code *k, uint8_t *from, const uint8_t *target) {
  if (k->full) return;
  int32_t distance = (int32_t)(target - (from + 4));
  memcpy(from, &distance, 4);
}
static inline void x_land(const code *k, uint8_t *from) { x_aim(k, from, k->at); }
static inline void x_jump_to(code *k, const uint8_t *target) { x_aim(k, x_jump(k), target); }
static inline void x_call_near(code *k, const uint8_t *target) {
  x_byte(k, 0xE8);
  x_long(k, 0);
  x_aim(k, k->at - 4, target);
}
static inline void x_call_c(code *k, uint64_t function) {
  x_mov_imm64(k, RAX, function);
  x_byte(k, 0xFF);
  x_byte(k, 0xD0);
}

#endif
