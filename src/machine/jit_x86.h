/* Writing x86-64 instructions: one function per form that the translator uses.
 *
 * An instruction is [prefixes] opcode [ModRM [SIB] [displacement]] [immediate]. The names below are those of the
 * processor manuals; in `x_verb_...(k, ..., r, base, d)` the memory operand is [base + d], in the `_index` forms it is
 * [base + (index << scale) + d]. Numbers in names are the width of the memory operand in bits; functions without one
 * work on 32 bits, which clears the upper half of a destination register. jit_disassemble.c reads every form back. */
#ifndef SIXER_MACHINE_JIT_X86_H
#define SIXER_MACHINE_JIT_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };
typedef int host_reg;

/* Conditions, as they are encoded in jcc, setcc and cmovcc. */
typedef enum cond {
  CC_O,
  CC_NO,
  CC_B, /* below, unsigned: the carry flag is set */
  CC_AE,
  CC_E,
  CC_NE,
  CC_BE,
  CC_A,
  CC_S,
  CC_NS,
  CC_L = 12, /* less, signed */
  CC_GE
} cond;

/* The eight operations that share their encodings, and the shifts: the number is part of opcode or ModRM byte. */
typedef enum alu_op {
  ALU_ADD,
  ALU_OR,
  ALU_ADC,
  ALU_SBB,
  ALU_AND,
  ALU_SUB,
  ALU_XOR,
  ALU_CMP
} alu_op;
typedef enum shift_op { SHIFT_RCL = 2, SHIFT_RCR, SHIFT_SHL, SHIFT_SHR } shift_op;

/* Opcodes. Those that follow the byte 0F have TWO_BYTE added. "rm" is the operand that may be memory, "r" is the
 * register; the destination comes first. X86_ALU + (operation << 3) + form is an instruction of alu_op. */
enum { TWO_BYTE = 0x100 };
enum x86_opcode {
  X86_ALU = 0x00,
  ALU_RM8_R8 = 0,
  ALU_RM_R = 1,
  ALU_R8_RM8 = 2,
  ALU_R_RM = 3,
  X86_PUSH = 0x50, /* + register */
  X86_POP = 0x58,  /* + register */
  X86_IMUL_IMM = 0x69,
  X86_IMUL_IMM8 = 0x6B,
  X86_ALU_RM8_IMM8 = 0x80, /* ModRM.reg is the operation */
  X86_ALU_RM_IMM = 0x81,
  X86_ALU_RM_IMM8 = 0x83, /* the immediate is sign-extended */
  X86_TEST_RM8_R8 = 0x84,
  X86_TEST_RM_R = 0x85,
  X86_MOV_RM8_R8 = 0x88,
  X86_MOV_RM_R = 0x89,
  X86_MOV_R_RM = 0x8B,
  X86_LEA = 0x8D,
  X86_TEST_AL_IMM8 = 0xA8,
  X86_TEST_EAX_IMM = 0xA9,
  X86_MOV_R_IMM = 0xB8, /* + register */
  X86_SHIFT_RM_IMM8 = 0xC1,
  X86_RET = 0xC3,
  X86_MOV_RM8_IMM8 = 0xC6,
  X86_MOV_RM_IMM = 0xC7,
  X86_SHIFT_RM8_1 = 0xD0,
  X86_CALL = 0xE8,
  X86_JMP = 0xE9,
  X86_GROUP3_RM = 0xF7, /* ModRM.reg: GROUP3_ */
  X86_CLC = 0xF8,
  X86_STC = 0xF9,
  X86_GROUP4_RM8 = 0xFE, /* ModRM.reg: GROUP4_ */
  X86_GROUP5_RM = 0xFF,  /* ModRM.reg: GROUP5_ */
  X86_CMOVCC = TWO_BYTE | 0x40,
  X86_JCC = TWO_BYTE | 0x80,
  X86_SETCC = TWO_BYTE | 0x90,
  X86_BT_RM_R = TWO_BYTE | 0xA3,
  X86_MOVZX_R_RM8 = TWO_BYTE | 0xB6,
  X86_MOVZX_R_RM16 = TWO_BYTE | 0xB7,
  X86_BT_RM_IMM8 = TWO_BYTE | 0xBA /* ModRM.reg: 4 */
};
enum { GROUP3_TEST = 0, GROUP3_NOT = 2 };
enum { GROUP4_INC, GROUP4_DEC };
enum { GROUP5_CALL = 2, GROUP5_JMP = 4 };
enum { BT_IMM = 4 };

/* Prefixes, and the parts of the bytes ModRM and SIB. */
enum { PREFIX_WORD = 0x66, PREFIX_REX = 0x40, REX_W = 8, REX_R = 4, REX_X = 2, REX_B = 1 };
enum { MOD_MEM_8 = 0x40, MOD_MEM_32 = 0x80, MOD_REG = 0xC0, RM_SIB = 4, SIB_NO_INDEX = 0x24 };

typedef struct code {
  uint8_t *at, *end;
  bool full; /* there was no room: what was written cannot be used */
} code;

/* ---- Encoding -------------------------------------------------------------------------------------------------- */

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

/* The width of an operation if it is not 32 bits. BYTES writes the REX prefix always: without it, registers 4..7 would
 * be ah, ch, dh and bh. */
enum { WIDE = 1, WORD16 = 2, BYTES = 4 };

static inline void x_opcode(code *k, int opcode, int how, int r, int index, int base) {
  if (how & WORD16) x_byte(k, PREFIX_WORD);
  int rex = PREFIX_REX | (how & WIDE ? REX_W : 0) | (r >> 3) << 2 | (index >> 3) << 1 | (base >> 3);
  if (rex != PREFIX_REX || (how & BYTES)) x_byte(k, rex);
  if (opcode & TWO_BYTE) x_byte(k, 0x0F);
  x_byte(k, opcode);
}

/* A displacement or an immediate that is stored in a byte where one is enough. */
static inline bool x_is_short(ptrdiff_t value) { return value >= -128 && value < 128; }
static inline void x_short_or_long(code *k, ptrdiff_t value) {
  if (x_is_short(value))
    x_byte(k, (int)value & 0xFF);
  else
    x_long(k, (int32_t)value);
}
static inline int x_mod(ptrdiff_t d) { return x_is_short(d) ? MOD_MEM_8 : MOD_MEM_32; }

/* An instruction with a register and [base + d], with [base + (index << scale) + d], and with two registers. `r` is a
 * register or the number of an operation. */
static inline void x_mem(code *k, int opcode, int how, int r, host_reg base, ptrdiff_t d) {
  x_opcode(k, opcode, how, r, 0, base);
  x_byte(k, x_mod(d) | (r & 7) << 3 | (base & 7));
  if ((base & 7) == RSP) x_byte(k, SIB_NO_INDEX);
  x_short_or_long(k, d);
}
static inline void x_mem_index(code *k, int opcode, int how, int r, host_reg base, host_reg index,
                               int scale, ptrdiff_t d) {
  x_opcode(k, opcode, how, r, index, base);
  x_byte(k, RM_SIB | x_mod(d) | (r & 7) << 3);
  x_byte(k, scale << 6 | (index & 7) << 3 | (base & 7));
  x_short_or_long(k, d);
}
static inline void x_reg(code *k, int opcode, int how, int r, host_reg rm) {
  x_opcode(k, opcode, how, r, 0, rm);
  x_byte(k, MOD_REG | (r & 7) << 3 | (rm & 7));
}

/* ---- Moving ---------------------------------------------------------------------------------------------------- */

static inline void x_mov(code *k, host_reg to, host_reg from) {
  x_reg(k, X86_MOV_RM_R, 0, from, to);
}
static inline void x_mov64(code *k, host_reg to, host_reg from) {
  x_reg(k, X86_MOV_RM_R, WIDE, from, to);
}
static inline void x_mov_imm(code *k, host_reg r, int32_t value) {
  x_opcode(k, X86_MOV_R_IMM | (r & 7), 0, 0, 0, r);
  x_long(k, value);
}
static inline void x_mov_imm64(code *k, host_reg r, uint64_t value) {
  x_opcode(k, X86_MOV_R_IMM | (r & 7), WIDE, 0, 0, r);
  x_quad(k, value);
}
static inline void x_zero_extend8(code *k, host_reg to, host_reg from) {
  x_reg(k, X86_MOVZX_R_RM8, 0, to, from);
}
static inline void x_zero_extend16(code *k, host_reg to, host_reg from) {
  x_reg(k, X86_MOVZX_R_RM16, 0, to, from);
}
static inline void x_mov_if(code *k, cond c, host_reg to, host_reg from) {
  x_reg(k, X86_CMOVCC | (int)c, 0, to, from);
}
/* lea: adds without touching the flags. */
static inline void x_lea(code *k, host_reg r, host_reg base, ptrdiff_t d) {
  x_mem(k, X86_LEA, 0, r, base, d);
}
static inline void x_lea64(code *k, host_reg r, host_reg base, ptrdiff_t d) {
  x_mem(k, X86_LEA, WIDE, r, base, d);
}
static inline void x_lea_index(code *k, host_reg r, host_reg base, host_reg index, int scale,
                               ptrdiff_t d) {
  x_mem_index(k, X86_LEA, 0, r, base, index, scale, d);
}

/* Loads of 8 and 16 bits clear the rest of the register. */
static inline void x_load8(code *k, host_reg r, host_reg base, ptrdiff_t d) {
  x_mem(k, X86_MOVZX_R_RM8, 0, r, base, d);
}
static inline void x_load16(code *k, host_reg r, host_reg base, ptrdiff_t d) {
  x_mem(k, X86_MOVZX_R_RM16, 0, r, base, d);
}
static inline void x_load32(code *k, host_reg r, host_reg base, ptrdiff_t d) {
  x_mem(k, X86_MOV_R_RM, 0, r, base, d);
}
static inline void x_load64(code *k, host_reg r, host_reg base, ptrdiff_t d) {
  x_mem(k, X86_MOV_R_RM, WIDE, r, base, d);
}
static inline void x_load8_index(code *k, host_reg r, host_reg base, host_reg index, ptrdiff_t d) {
  x_mem_index(k, X86_MOVZX_R_RM8, 0, r, base, index, 0, d);
}
static inline void x_load16_index(code *k, host_reg r, host_reg base, host_reg index, int scale,
                                  ptrdiff_t d) {
  x_mem_index(k, X86_MOVZX_R_RM16, 0, r, base, index, scale, d);
}
static inline void x_load64_index(code *k, host_reg r, host_reg base, host_reg index, int scale,
                                  ptrdiff_t d) {
  x_mem_index(k, X86_MOV_R_RM, WIDE, r, base, index, scale, d);
}
static inline void x_store8(code *k, host_reg r, host_reg base, ptrdiff_t d) {
  x_mem(k, X86_MOV_RM8_R8, BYTES, r, base, d);
}
static inline void x_store16(code *k, host_reg r, host_reg base, ptrdiff_t d) {
  x_mem(k, X86_MOV_RM_R, WORD16, r, base, d);
}
static inline void x_store32(code *k, host_reg r, host_reg base, ptrdiff_t d) {
  x_mem(k, X86_MOV_RM_R, 0, r, base, d);
}
static inline void x_store64(code *k, host_reg r, host_reg base, ptrdiff_t d) {
  x_mem(k, X86_MOV_RM_R, WIDE, r, base, d);
}
static inline void x_store8_index(code *k, host_reg r, host_reg base, host_reg index, ptrdiff_t d) {
  x_mem_index(k, X86_MOV_RM8_R8, BYTES, r, base, index, 0, d);
}
static inline void x_store16_index(code *k, host_reg r, host_reg base, host_reg index, int scale,
                                   ptrdiff_t d) {
  x_mem_index(k, X86_MOV_RM_R, WORD16, r, base, index, scale, d);
}
static inline void x_store_imm8(code *k, host_reg base, ptrdiff_t d, int value) {
  x_mem(k, X86_MOV_RM8_IMM8, 0, 0, base, d);
  x_byte(k, value);
}
static inline void x_store_imm8_index(code *k, host_reg base, host_reg index, ptrdiff_t d,
                                      int value) {
  x_mem_index(k, X86_MOV_RM8_IMM8, 0, 0, base, index, 0, d);
  x_byte(k, value);
}
static inline void x_store_imm16(code *k, host_reg base, ptrdiff_t d, int value) {
  x_mem(k, X86_MOV_RM_IMM, WORD16, 0, base, d);
  x_word(k, value);
}
static inline void x_store_imm32(code *k, host_reg base, ptrdiff_t d, int32_t value) {
  x_mem(k, X86_MOV_RM_IMM, 0, 0, base, d);
  x_long(k, value);
}

/* ---- Arithmetic ------------------------------------------------------------------------------------------------ */

/* `to` op= `from`; ALU_CMP only sets the flags. Forms with 8 in the name work on the lowest byte of a register. */
static inline void x_alu(code *k, alu_op op, host_reg to, host_reg from) {
  x_reg(k, X86_ALU + (int)op * 8 + ALU_RM_R, 0, from, to);
}
static inline void x_alu8(code *k, alu_op op, host_reg to, host_reg from) {
  x_reg(k, X86_ALU + (int)op * 8 + ALU_RM8_R8, BYTES, from, to);
}
static inline void x_alu_imm(code *k, alu_op op, host_reg r, int32_t value) {
  x_reg(k, x_is_short(value) ? X86_ALU_RM_IMM8 : X86_ALU_RM_IMM, 0, (int)op, r);
  x_short_or_long(k, value);
}
static inline void x_alu64_imm8(code *k, alu_op op, host_reg r, int value) {
  x_reg(k, X86_ALU_RM_IMM8, WIDE, (int)op, r);
  x_byte(k, value);
}
static inline void x_alu8_imm(code *k, alu_op op, host_reg r, int value) {
  x_reg(k, X86_ALU_RM8_IMM8, BYTES, (int)op, r);
  x_byte(k, value);
}
static inline void x_alu_load(code *k, alu_op op, host_reg r, host_reg base, ptrdiff_t d) {
  x_mem(k, X86_ALU + (int)op * 8 + ALU_R_RM, 0, r, base, d);
}
static inline void x_alu_load8(code *k, alu_op op, host_reg r, host_reg base, ptrdiff_t d) {
  x_mem(k, X86_ALU + (int)op * 8 + ALU_R8_RM8, BYTES, r, base, d);
}
static inline void x_alu_load_index(code *k, alu_op op, host_reg r, host_reg base, host_reg index,
                                    int scale, ptrdiff_t d) {
  x_mem_index(k, X86_ALU + (int)op * 8 + ALU_R_RM, 0, r, base, index, scale, d);
}
static inline void x_alu_mem8_imm(code *k, alu_op op, host_reg base, ptrdiff_t d, int value) {
  x_mem(k, X86_ALU_RM8_IMM8, 0, (int)op, base, d);
  x_byte(k, value);
}
/* The register is one of RAX..RBX: there is no REX prefix. */
static inline void x_alu_mem8(code *k, alu_op op, host_reg base, ptrdiff_t d, host_reg r) {
  x_mem(k, X86_ALU + (int)op * 8 + ALU_RM8_R8, 0, r, base, d);
}
static inline void x_alu_mem16(code *k, alu_op op, host_reg base, ptrdiff_t d, host_reg r) {
  x_mem(k, X86_ALU + (int)op * 8 + ALU_RM_R, WORD16, r, base, d);
}
static inline void x_alu_mem8_index(code *k, alu_op op, host_reg base, host_reg index, int scale,
                                    ptrdiff_t d, host_reg r) {
  x_mem_index(k, X86_ALU + (int)op * 8 + ALU_RM8_R8, BYTES, r, base, index, scale, d);
}
static inline void x_alu_mem16_index(code *k, alu_op op, host_reg base, host_reg index, int scale,
                                     ptrdiff_t d, host_reg r) {
  x_mem_index(k, X86_ALU + (int)op * 8 + ALU_RM_R, WORD16, r, base, index, scale, d);
}

static inline void x_inc8(code *k, host_reg r) { x_reg(k, X86_GROUP4_RM8, BYTES, GROUP4_INC, r); }
static inline void x_dec8(code *k, host_reg r) { x_reg(k, X86_GROUP4_RM8, BYTES, GROUP4_DEC, r); }
static inline void x_inc_mem8(code *k, host_reg base, ptrdiff_t d) {
  x_mem(k, X86_GROUP4_RM8, 0, GROUP4_INC, base, d);
}
static inline void x_dec_mem8(code *k, host_reg base, ptrdiff_t d) {
  x_mem(k, X86_GROUP4_RM8, 0, GROUP4_DEC, base, d);
}
static inline void x_not(code *k, host_reg r) { x_reg(k, X86_GROUP3_RM, 0, GROUP3_NOT, r); }
static inline void x_shift_imm(code *k, shift_op op, host_reg r, int by) {
  x_reg(k, X86_SHIFT_RM_IMM8, 0, (int)op, r);
  x_byte(k, by);
}
static inline void x_shift8_once(code *k, shift_op op, host_reg r) {
  x_reg(k, X86_SHIFT_RM8_1, BYTES, (int)op, r);
}
static inline void x_mul_imm(code *k, host_reg r, int32_t value) {
  x_reg(k, x_is_short(value) ? X86_IMUL_IMM8 : X86_IMUL_IMM, 0, r, r);
  x_short_or_long(k, value);
}

/* ---- Flags ----------------------------------------------------------------------------------------------------- */

static inline void x_test8(code *k, host_reg r) { x_reg(k, X86_TEST_RM8_R8, BYTES, r, r); }
static inline void x_test(code *k, host_reg r) { x_reg(k, X86_TEST_RM_R, 0, r, r); }
static inline void x_test64(code *k, host_reg r) { x_reg(k, X86_TEST_RM_R, WIDE, r, r); }
static inline void x_test_imm(code *k, host_reg r, int32_t value) {
  x_reg(k, X86_GROUP3_RM, 0, GROUP3_TEST, r);
  x_long(k, value);
}
static inline void x_test_eax_imm(code *k, int32_t value) {
  x_opcode(k, X86_TEST_EAX_IMM, 0, 0, 0, RAX);
  x_long(k, value);
}
static inline void x_test_al_imm(code *k, int value) {
  x_opcode(k, X86_TEST_AL_IMM8, 0, 0, 0, RAX);
  x_byte(k, value);
}
/* The carry flag becomes bit number `bit` of a register, or the bit that another register says. */
static inline void x_bit_to_carry_imm(code *k, host_reg r, int bit) {
  x_reg(k, X86_BT_RM_IMM8, 0, BT_IMM, r);
  x_byte(k, bit);
}
static inline void x_bit_to_carry64(code *k, host_reg r, host_reg bit) {
  x_reg(k, X86_BT_RM_R, WIDE, bit, r);
}
/* The lowest byte becomes 0 or 1. RSI and RDI need x_set_any(). */
static inline void x_set(code *k, cond c, host_reg r) { x_reg(k, X86_SETCC | (int)c, 0, 0, r); }
static inline void x_set_any(code *k, cond c, host_reg r) {
  x_reg(k, X86_SETCC | (int)c, BYTES, 0, r);
}
static inline void x_set_mem(code *k, cond c, host_reg base, ptrdiff_t d) {
  x_mem(k, X86_SETCC | (int)c, 0, 0, base, d);
}
static inline void x_clear_carry(code *k) { x_byte(k, X86_CLC); }
static inline void x_set_carry(code *k) { x_byte(k, X86_STC); }

/* ---- Jumps ----------------------------------------------------------------------------------------------------- */

/* Forward jumps return the place of their 32-bit distance, which is filled in later: x_land() makes the jump lead to
 * the present end of the code, x_aim() to any target. */
static inline uint8_t *x_jump(code *k) {
  x_byte(k, X86_JMP);
  x_long(k, 0);
  return k->at - 4;
}
static inline uint8_t *x_jump_if(code *k, cond c) {
  x_opcode(k, X86_JCC | (int)c, 0, 0, 0, 0);
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
static inline void x_jump_reg(code *k, host_reg r) { x_reg(k, X86_GROUP5_RM, 0, GROUP5_JMP, r); }
static inline void x_call_near(code *k, const uint8_t *target) {
  x_byte(k, X86_CALL);
  x_long(k, 0);
  x_aim(k, k->at - 4, target);
}
/* C code may be farther away than 2 GB. */
static inline void x_call_c(code *k, uint64_t function) {
  x_mov_imm64(k, RAX, function);
  x_reg(k, X86_GROUP5_RM, 0, GROUP5_CALL, RAX);
}
static inline void x_return(code *k) { x_byte(k, X86_RET); }
static inline void x_push(code *k, host_reg r) { x_opcode(k, X86_PUSH | (r & 7), 0, 0, 0, r); }
static inline void x_pop(code *k, host_reg r) { x_opcode(k, X86_POP | (r & 7), 0, 0, 0, r); }

#endif
