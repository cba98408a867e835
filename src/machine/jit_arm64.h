/* AArch64 for the translator: which registers it uses, and the instructions that jit_arm64.c writes and
 * jit_disassemble_arm64.c reads. An instruction is a word; the names below are those of the processor manual. */
#ifndef SIXER_MACHINE_JIT_ARM64_H
#define SIXER_MACHINE_JIT_ARM64_H

#include "machine/machine.h"

#define HOST_NAME "AArch64"

typedef int
    host_reg; /* the number of a register; 31 is the stack pointer, or zero, by instruction */

/* The registers of jit_encoder.h. C preserves x19..x28. The system may own x18. */
enum { C = 19, M, A, X, Y, CYCLES, CARRY, NZ, LOG, KEPT_LINK, FRAME, LINK, ZERO };
enum { SP_REG = ZERO };
enum { T0 = 0, T3, T2, T1, T4, T5 };

/* Scratch of single operations: addresses and constants in x16, values in x17. After a fixed piece of code has
 * returned, w17 says whether the instruction must bail. */
enum { ADDRESS = 16, VALUE = 17, BAILS = VALUE };

/* C points to address 0 of the zero page, so that an index into it needs no offset. M points to what is used most;
 * offsets of bytes reach 4095. */
#define C_POINT (offsetof(console, ram) - 0x80)
#define M_POINT offsetof(machine, frame)

/* Bytes of the check of the guard (op_jump_if_mem32): ldr, cmp and b.ge. */
enum { GUARD_BYTES = 12 };

/* What a C function may change, see op_call_c(); and how far tbz reaches. */
enum { CALLS_KEEP_ALL = 1, MAX_NEAR = 1 << 15 };

/* Conditions, as they are encoded in b.cond, cset and csel. An odd one is the inverse of the one before. */
typedef enum arm_cond {
  CC_EQ,
  CC_NE,
  CC_CS, /* not below, unsigned: no borrow */
  CC_CC,
  CC_MI,
  CC_PL,
  CC_VS,
  CC_VC,
  CC_HI,
  CC_LS,
  CC_GE,
  CC_LT
} arm_cond;

/* Instructions with all fields 0, on 32 bits; WIDE makes them work on 64. */
#define WIDE UINT32_C(0x80000000)
enum { BY_LSL, BY_LSR }; /* how the second register is shifted */
enum {
  ARM_ADD_IMM = 0x11000000,
  ARM_SUB_IMM = 0x51000000,
  ARM_SUBS_IMM = 0x71000000,
  IMM_SHIFTED = 1 << 22, /* the immediate of these three is shifted by 12 bits */
  ARM_ADD = 0x0B000000,  /* shifted register */
  ARM_ADDS = 0x2B000000,
  ARM_SUB = 0x4B000000,
  ARM_SUBS = 0x6B000000,
  ARM_EXTENDED = 1 << 21, /* added to these four: the second operand is a byte */
  ARM_ADCS = 0x3A000000,
  ARM_SBCS = 0x7A000000,
  ARM_AND = 0x0A000000, /* shifted register */
  ARM_ORR = 0x2A000000,
  ARM_EOR = 0x4A000000,
  ARM_ANDS = 0x6A000000,
  LOGICAL_IMM = 0x08000000, /* added to these four */
  ARM_MOVN = 0x12800000,
  ARM_MOVZ = 0x52800000,
  ARM_MOVK = 0x72800000,
  ARM_UBFM = 0x53000000,
  ARM_LSRV = 0x1AC02400,
  ARM_MUL = 0x1B007C00,
  ARM_CSEL = 0x1A800000,
  ARM_CSET = 0x1A9F07E0, /* csinc with two zeros, the condition inverted */
  /* loads and stores: the width is in the two upper bits */
  ARM_STORE = 0x39000000,
  ARM_STORE_UNSCALED = 0x38000000,
  ARM_STORE_POST = 0x38000400, /* the base is advanced afterwards */
  ARM_STORE_INDEX = 0x38206800,
  IS_LOAD = 1 << 22,      /* added to these four */
  INDEX_SCALED = 1 << 12, /* the index of a register form is shifted by the width */
  ARM_LDR_LITERAL = 0x58000000,
  ARM_STP = 0x29000000,
  ARM_STP_PRE = 0x29800000,
  ARM_LDP = 0x29400000,
  ARM_LDP_POST = 0x28C00000,
  ARM_B = 0x14000000,
  ARM_B_COND = 0x54000000,
  ARM_CBZ = 0x34000000,
  ARM_TBZ = 0x36000000,
  IF_NONZERO = 1 << 24, /* makes them cbnz and tbnz */
};
#define ARM_BL  UINT32_C(0x94000000)
#define ARM_BR  UINT32_C(0xD61F0000)
#define ARM_BLR UINT32_C(0xD63F0000)
#define ARM_RET UINT32_C(0xD65F03C0)

#endif
