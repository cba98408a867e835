/* WebAssembly for the translator: which locals are its registers, and the instructions that jit_wasm.c writes and
 * jit_wasm_module.c reads. The names are those of the specification.
 *
 * Code is kept as instructions of WebAssembly, except for jumps, which it does not have: in their place are *marks*,
 * bytes that are no instructions. jit_wasm_module.c makes functions of all this when it is complete. */
#ifndef SIXER_MACHINE_JIT_WASM_H
#define SIXER_MACHINE_JIT_WASM_H

#include "machine/machine.h"

#define HOST_NAME "WebAssembly"

typedef int host_reg; /* the number of a local, of 32 bits */

/* The registers of jit_encoder.h. The first three are parameters of a function that C calls, the first nine those of a
 * fixed piece of code. */
enum { M, T3, T2, T1, T0, C, CYCLES, LOG, NZ, A, X, Y, CARRY, T4, T5 };
enum { RUN_PARAMETERS = 3, PIECE_PARAMETERS = 9, PIECE_RESULTS = 4 };

/* Scratch of single operations; whether the instruction must bail, after a piece; and the part of the function that is
 * executed next (jit_wasm_module.c). */
enum { SUM = T5 + 1, VALUE, BAILS, LABEL, WASM_LOCALS };

#define C_POINT 0
#define M_POINT 0

/* Marks: the byte, and what follows it.
 *   ENTRY     a place that can be entered: the number of its part (2 bytes) and of its function in the table (4)
 *   JUMP      the target, a pointer (4)
 *   JUMP_IF   the same; the condition is on the stack
 *   CALL      of a piece: a pointer (4)
 *   JUMP_REG  a local (1) that has the pointer to an entry */
enum { MARK_ENTRY = 0xE0, MARK_JUMP, MARK_JUMP_IF, MARK_CALL, MARK_JUMP_REG };
enum { ENTRY_LABEL = 1, ENTRY_FUNCTION = 3, ENTRY_BYTES = 7, JUMP_BYTES = 5 };

/* Bytes of the beginning of a block with its check of the guard (op_jump_if_mem32): the entry, two local.get, i32.load
 * with an offset of two bytes, i32.ge_s, and the jump. */
enum { GUARD_BYTES = ENTRY_BYTES + 2 + 2 + 4 + 1 + JUMP_BYTES };
_Static_assert(offsetof(machine, frame.guard) > 127 && offsetof(machine, frame.guard) < 16384,
               "its offset has two bytes");

/* C functions have locals of their own, and no jump is too far. */
enum { CALLS_KEEP_ALL = 1, MAX_NEAR = INT32_MAX };

enum wasm_opcode {
  WASM_UNREACHABLE = 0x00,
  WASM_BLOCK = 0x02,
  WASM_LOOP = 0x03,
  WASM_IF = 0x04,
  WASM_END = 0x0B,
  WASM_BR = 0x0C,
  WASM_BR_IF = 0x0D,
  WASM_BR_TABLE = 0x0E,
  WASM_RETURN = 0x0F,
  WASM_CALL = 0x10,
  WASM_CALL_INDIRECT = 0x11,
  WASM_SELECT = 0x1B,
  WASM_GET = 0x20,
  WASM_SET = 0x21,
  WASM_TEE = 0x22,
  WASM_LOAD = 0x28,
  WASM_LOAD8_U = 0x2D,
  WASM_LOAD16_U = 0x2F,
  WASM_STORE = 0x36,
  WASM_STORE8 = 0x3A,
  WASM_STORE16 = 0x3B,
  WASM_STORE_LAST = 0x3E,
  WASM_CONST = 0x41,
  WASM_CONST64 = 0x42,
  WASM_EQZ = 0x45,
  WASM_EQ = 0x46,
  WASM_NE = 0x47,
  WASM_LT_U = 0x49,
  WASM_GT_U = 0x4B,
  WASM_GE_S = 0x4E,
  WASM_GE_U = 0x4F,
  WASM_ADD = 0x6A,
  WASM_SUB = 0x6B,
  WASM_MUL = 0x6C,
  WASM_AND = 0x71,
  WASM_OR = 0x72,
  WASM_XOR = 0x73,
  WASM_SHL = 0x74,
  WASM_SHR_U = 0x76,
  WASM_SHR_U64 = 0x88,
  WASM_WRAP = 0xA7,
  WASM_EXTEND_U = 0xAD
};
enum { WASM_I32 = 0x7F, WASM_FUNCREF = 0x70, WASM_FUNCTION = 0x60, WASM_NO_RESULT = 0x40 };

/* Types of functions in a module. */
enum { TYPE_C, TYPE_RUN, TYPE_PIECE };

#endif
