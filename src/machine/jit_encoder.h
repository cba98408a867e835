/* The encoder: operations of the translator, written as machine code of the host.
 *
 * The translator (jit.c, jit_instructions.c, ...) says what is to be done by calling the functions below; each appends
 * the code of one operation. There is an implementation for every host: jit_x86.c for x86-64, jit_arm64.c for AArch64,
 * jit_wasm.c for WebAssembly. docs/translator.md tells what a new one needs.
 *
 * Registers have names of the translator; a host's header says which of its own they are:
 *
 *   C          the console: [C + OF_C(field)] is a field of it. Where exactly it points is the host's choice (C_POINT).
 *   M          the machine: [M + OF_M(field)], likewise (M_POINT)
 *   A, X, Y    of the 6507, zero-extended: the upper 24 bits are 0
 *   CYCLES     console.cycles, without those that the translator has not added yet (translator.cycles)
 *   CARRY      C: 0 or 1
 *   NZ         the last result: Z if its low byte is 0, N if bit 7 or bit 8 is set
 *   LOG        machine.frame.log_end: where the TIA's next write is logged
 *   T0..T5     scratch. No operation changes one that it is not given, except where its comment says so.
 *   ARG1..3    arguments of C functions, T3, T2 and T1; the first argument is always the machine
 *   RESULT     of C functions, T0
 *
 * Operations work on 32 bits and clear the upper half of a 64-bit register, unless their name has another width. A byte
 * or half word that is loaded is zero-extended. A destination may be one of the sources. */
#ifndef SIXER_MACHINE_JIT_ENCODER_H
#define SIXER_MACHINE_JIT_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/os_cpu.h"

#if OS_X86_64
#include "machine/jit_x86.h"
#elif OS_ARM64
#include "machine/jit_arm64.h"
#elif OS_WASM32
#include "machine/jit_wasm.h"
#endif

enum { ARG1 = T3, ARG2 = T2, ARG3 = T1, RESULT = T0 };

/* Where code is written. */
typedef struct code {
  uint8_t *at;
  uint8_t *end; /* constants that the host keeps beside the code begin here, and go up to `top` */
  uint8_t *top;
  bool full; /* there was no room: what was written cannot be used */
  /* If `at` is still known_at, the result of the last operation on bytes is in register `known`, and the host's flags,
   * or its upper bits, are those of the byte; and the same for the host's carry being clear. */
  const uint8_t *known_at, *no_carry_at;
  host_reg known;
} code;

/* A place in memory: base + (index << scale) + offset. */
typedef struct mem {
  host_reg base, index;
  int scale;
  ptrdiff_t offset;
} mem;
enum { NO_INDEX = -1 };
static inline mem at(host_reg base, ptrdiff_t offset) { return (mem){base, NO_INDEX, 0, offset}; }
static inline mem at_index(host_reg base, host_reg index, int scale, ptrdiff_t offset) {
  return (mem){base, index, scale, offset};
}

/* The operand of an instruction: a constant, a byte at an offset from C, or the byte in T0. */
typedef enum place { CONSTANT, IN_MEMORY, IN_T0 } place;
typedef struct operand {
  place where;
  int value;
} operand;

/* Comparisons; "below" and "above" are of unsigned numbers, "less" of signed ones. */
typedef enum cond {
  IF_EQUAL,
  IF_NOT_EQUAL,
  IF_BELOW,
  IF_NOT_BELOW,
  IF_ABOVE,
  IF_NOT_LESS,
} cond;

typedef enum alu { DO_ADD, DO_SUB, DO_AND, DO_OR, DO_XOR } alu;
typedef enum shift8 { SHIFT_ASL, SHIFT_ROL, SHIFT_LSR, SHIFT_ROR } shift8;

#define POINTER(p) ((uint64_t)(uintptr_t)(p))

/* Pointers have this size: 1 << POINTER_SCALE. */
enum { POINTER_SCALE = sizeof(void *) == 8 ? 3 : 2 };

/* What C functions that translated code calls look like; not all of them use all arguments. WebAssembly calls a
 * function only by its exact type. */
typedef OS_UNIX_CALL uint32_t c_function(machine *m, uint32_t arg1, uint32_t arg2, uint32_t arg3);

/* ---- Moving ---------------------------------------------------------------------------------------------------- */

void op_mov(code *k, host_reg to, host_reg from);
void op_mov_imm(code *k, host_reg r, int32_t value);
void op_mov_pointer(code *k, host_reg r, uint64_t value); /* of a POINTER() */
void op_zero_extend8(code *k, host_reg to, host_reg from);
void op_zero_extend16(code *k, host_reg to, host_reg from);

/* Move if r == value; set to 1 if the comparison holds, or if the low byte of r is 0, and to 0 if not. */
void op_mov_if_equal(code *k, host_reg to, host_reg from, host_reg r, int value);
void op_set_if(code *k, host_reg to, host_reg a, cond c, host_reg b);
void op_set_if_mem32(code *k, host_reg to, host_reg a, cond c, mem b);
void op_set_if_zero8(code *k, host_reg to, host_reg r);

void op_load8(code *k, host_reg r, mem from);
void op_load16(code *k, host_reg r, mem from);
void op_load32(code *k, host_reg r, mem from);
void op_load_pointer(code *k, host_reg r, mem from);
void op_store8(code *k, host_reg r, mem to);
void op_store16(code *k, host_reg r, mem to);
void op_store32(code *k, host_reg r, mem to);
void op_store_pointer(code *k, host_reg r, mem to);
void op_store_imm8(code *k, mem to, int value);
void op_store_imm16(code *k, mem to, int value);
void op_load_operand(code *k, host_reg r, operand from);

/* ---- Arithmetic ------------------------------------------------------------------------------------------------ */

/* to = a op b. If `to` is b, the operation is commutative. */
void op_alu(code *k, alu op, host_reg to, host_reg a, host_reg b);
void op_alu_imm(code *k, alu op, host_reg to, host_reg a, int32_t value);
void op_alu_mem32(code *k, alu op, host_reg r, mem from); /* DO_ADD or DO_SUB */
void op_add_scaled(code *k, host_reg to, host_reg a, host_reg b, int scale, int32_t value);
void op_add_pointer(code *k, host_reg to, host_reg from, ptrdiff_t offset);
void op_shift_left(code *k, host_reg to, host_reg from, int by);
void op_shift_right(code *k, host_reg to, host_reg from, int by);
void op_bits(code *k, host_reg to, host_reg from, int lowest, int count); /* some of them */
void op_mul_imm(code *k, host_reg r, int32_t value);

/* Bytes in memory. The value of op_and_mem8() and op_or_mem8() is a single bit. */
void op_add_mem8(code *k, mem to, int value);
void op_and_mem8(code *k, mem to, int value);
void op_or_mem8(code *k, mem to, int value);

/* Set bit 8 of a word of 16 bits in memory if the registers differ. Changes a. */
void op_note_difference(code *k, mem to, host_reg a, host_reg b);

/* Append (cycle + more) << 16 | tag | value to the list that ends at `log`, and move `log` on. The tag has the low
 * byte 0. There is no value if it is negative. Changes T1, which may be `cycle`. */
void op_log(code *k, host_reg log, host_reg cycle, int more, int tag, host_reg value);

/* r += the carry of the addition of two bytes: 1 if an index crosses a page. The byte is the low byte of a register,
 * or a constant; the index is a byte already. Change T0 and T1. */
void op_add_crossing(code *k, host_reg r, host_reg index, host_reg low);
void op_add_crossing_imm(code *k, host_reg r, host_reg index, int low);

/* ---- Bytes of the 6507 ----------------------------------------------------------------------------------------- */

/* Registers are bytes before and after these. op_add8() and op_sub8() are ADC and SBC in binary mode: they take the
 * carry from CARRY if `with_carry`, else they take the one that changes nothing; they set CARRY, and store V. */
void op_logic8(code *k, alu op, host_reg r, operand o);
void op_add8(code *k, host_reg r, operand o, bool with_carry, mem v);
void op_sub8(code *k, host_reg r, operand o, bool with_carry, mem v);
void op_compare8(code *k, host_reg to, host_reg r, operand o); /* to = r - o; CARRY = r >= o */
void op_count8(code *k, host_reg r, int by);                   /* 1 or -1 */
void op_shift8(code *k, shift8 how, host_reg r); /* the bit that falls out goes to CARRY */

/* ---- Jumps ----------------------------------------------------------------------------------------------------- */

/* Jumps forward return a value by which their target is set later: op_land() makes the jump lead to the present end of
 * the code, op_aim() to any place. A place to which code jumps back is what op_here() returns; op_entry() is the same
 * for one that can also be reached by op_jump_reg() and op_run(). */
uint8_t *op_jump(code *k);
void op_aim(code *k, uint8_t *from, const uint8_t *target);
void op_land(code *k, uint8_t *from);
const uint8_t *op_here(code *k);
const uint8_t *op_entry(code *k);
void op_jump_to(code *k, const uint8_t *target);
void op_jump_reg(code *k, host_reg r);

uint8_t *op_jump_if(code *k, host_reg a, cond c, host_reg b);
uint8_t *op_jump_if_imm(code *k, host_reg a, cond c, int32_t b);
uint8_t *op_jump_if_mem32(code *k, host_reg a, cond c, mem b);

/* Is it equal, or not equal? b has 16 bits; of a, the low byte is compared. */
uint8_t *op_jump_if_mem16(code *k, mem a, cond c, host_reg b);
uint8_t *op_jump_if_mem8(code *k, host_reg a, cond c, mem b);

/* Is a register, its low byte, a pointer, or a byte in memory zero, or not zero? */
uint8_t *op_jump_if_zero(code *k, host_reg r, bool zero);
uint8_t *op_jump_if_zero8(code *k, host_reg r, bool zero);
uint8_t *op_jump_if_null(code *k, host_reg r);
uint8_t *op_jump_if_mem8_zero(code *k, mem a, bool zero);

/* Is any of these bits set, or none? */
uint8_t *op_jump_if_any(code *k, host_reg r, int mask, bool any);

/* Is a single bit, given as 1 << number, set? Is bit r of a constant clear (changes T4)? The targets of these are in
 * the same block or its rare paths, no more than MAX_NEAR bytes away. */
uint8_t *op_jump_if_bit(code *k, host_reg r, int bit, bool set);
uint8_t *op_jump_if_mem8_bit(code *k, mem a, int bit);
uint8_t *op_jump_unless_member(code *k, uint64_t set, host_reg r);

/* ---- Functions ------------------------------------------------------------------------------------------------- */

/* Call C: function(machine, ARG1, ARG2, ARG3). Of the registers above, A, X, Y, C, M and CYCLES survive it; the
 * others do if CALLS_KEEP_ALL. `in_piece`: this is a fixed piece of code, which itself was called. */
void op_call_c(code *k, uint64_t function, bool in_piece);

/* Fixed pieces of code: call one, and return from one. A piece sees C, M, CYCLES, LOG, NZ and T0..T3; it may change
 * CYCLES, LOG and T0, which the caller then has, and T1..T5, which the caller must not rely on. op_return_done() and
 * op_return_bail() tell whether the instruction must bail, which the caller finds out by op_jump_if_bails(), at once;
 * after op_return() it must not ask. */
void op_call(code *k, const uint8_t *piece);
void op_return(code *k);
void op_return_done(code *k);
void op_return_bail(code *k);
uint8_t *op_jump_if_bails(code *k);

/* A function that C calls, by op_run(): op_begin() saves what C wants back and sets M; op_end() restores it and returns
 * RESULT. */
void op_begin(code *k);
void op_end(code *k);

/* Call the function at `begin` with the machine, ARG1 and ARG2, which is an entry or NULL. */
uint32_t op_run(const uint8_t *begin, machine *m, void *arg1, const uint8_t *arg2);

/* What was written from `from` on is complete and will be run, by the function at `begin`; `leave` is where the
 * code that leads to op_end() begins. Most hosts have nothing to do here. False if the
 * system refuses. op_withdraw() undoes it for all code that begins at `memory` and has so many bytes. */
bool op_publish(code *k, uint8_t *from, const uint8_t *begin, const uint8_t *leave);
void op_withdraw(uint8_t *memory, size_t size);

#endif
