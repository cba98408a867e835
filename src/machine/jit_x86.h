/* x86-64 for the translator: which registers it uses, and the instruction forms that jit_x86.c writes and
 * jit_disassemble.c reads. The names are those of the processor manuals. */
#ifndef SIXER_MACHINE_JIT_X86_H
#define SIXER_MACHINE_JIT_X86_H

#include "machine/machine.h"

#define HOST_NAME "x86-64"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };
typedef int host_reg;

/* The registers of jit_encoder.h. C preserves rbx, rbp and r12..r15. */
enum { C = RBX, M = RBP, CARRY = R9, NZ = R10, LOG = R11, A = R12, X = R13, Y = R14, CYCLES = R15 };
enum { T0 = RAX, T1 = RCX, T2 = RDX, T3 = RSI, T4 = RDI, T5 = R8 };

/* C points to memory: most fields of the console have short displacements. */
#define C_POINT offsetof(console, ram)
#define M_POINT 0

/* Bytes of the check of the guard (op_jump_if_mem32): cmp and jge. */
enum { GUARD_BYTES = 13 };
_Static_assert(offsetof(machine, frame.guard) > 127, "its displacement has four bytes");

/* What a C function may change, see op_call_c(); and no jump is too far. */
enum { CALLS_KEEP_ALL = 0, MAX_NEAR = INT32_MAX };

/* Conditions, as they are encoded in jcc, setcc and cmovcc. */
typedef enum x86_cond {
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
} x86_cond;

/* The eight operations that share their encodings, and the shifts: the number is part of opcode or ModRM byte. */
typedef enum x86_alu {
  ALU_ADD,
  ALU_OR,
  ALU_ADC,
  ALU_SBB,
  ALU_AND,
  ALU_SUB,
  ALU_XOR,
  ALU_CMP
} x86_alu;
enum { SHIFT_RCL = 2, SHIFT_RCR, SHIFT_SHL, SHIFT_SHR };

/* Opcodes. Those that follow the byte 0F have TWO_BYTE added. "rm" is the operand that may be memory, "r" is the
 * register; the destination comes first. X86_ALU + (operation << 3) + form is an instruction of x86_alu. */
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
  X86_MOV_R_IMM = 0xB8, /* + register */
  X86_SHIFT_RM_IMM8 = 0xC1,
  X86_RET = 0xC3,
  X86_MOV_RM8_IMM8 = 0xC6,
  X86_MOV_RM_IMM = 0xC7,
  X86_SHIFT_RM8_1 = 0xD0,
  X86_CALL = 0xE8,
  X86_JMP = 0xE9,
  X86_GROUP3_RM8 = 0xF6, /* ModRM.reg: GROUP3_ */
  X86_GROUP3_RM = 0xF7,
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
enum { GROUP3_TEST };
enum { GROUP4_INC, GROUP4_DEC };
enum { GROUP5_CALL = 2, GROUP5_JMP = 4 };
enum { BT_IMM = 4 };

/* Prefixes, and the parts of the bytes ModRM and SIB. */
enum { PREFIX_WORD = 0x66, PREFIX_REX = 0x40, REX_W = 8, REX_R = 4, REX_X = 2, REX_B = 1 };
enum { MOD_MEM_8 = 0x40, MOD_MEM_32 = 0x80, MOD_REG = 0xC0, RM_SIB = 4, SIB_NO_INDEX = 0x24 };

#endif
