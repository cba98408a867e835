/* What the two forms of the interpreter share: runs of code, accesses of the chips, flags, and what each operation
 * does.
 *
 * An operation is a macro over the names a, x, y and nz, which are variables in both forms; CARRY, V, REST and SP,
 * which each form defines; and `data`, the operand. */
#ifndef SIXER_MACHINE_INTERP_PARTS_H
#define SIXER_MACHINE_INTERP_PARTS_H

#include <string.h>

#include "machine/cart.h"
#include "machine/cpu_plain.h"
#include "machine/interp.h"
#include "machine/tia_fast.h"
#include "util/os_cpu.h"

/* Defined where the compiler can be told that a call at the end of a function is a jump (interp_tail.c). */
#if defined(__clang__) && (OS_X86_64 || OS_ARM64)
#if __has_attribute(musttail)
#define INTERP_TAIL_CALLS
#endif
#endif

/* A run: instructions may begin at the bytes from `begin`, which is at address `pc`, up to but not including
 * `end`. Two more bytes follow, so that three can be read everywhere. */
typedef struct code_run {
  const uint8_t *begin, *end;
  uint16_t pc;
} code_run;

code_run interp_find_run(const machine *m, uint16_t pc);

/* Accesses other than to console memory and plain ROM. `bus` is the last byte on the data bus. A write returns the
 * cycle after it. */
uint8_t interp_slow_read(machine *m, uint16_t address, uint8_t bus, int32_t cycles);
int32_t interp_slow_write(machine *m, uint16_t address, uint8_t value, int32_t cycles,
                          bool last_read);

/* interp_run() by calls, if INTERP_TAIL_CALLS. */
void interp_run_calls(machine *m, bool ram_only, int32_t until);

/* In WebAssembly (interp_refused.c): execute instructions of this run, which console.pc is in. Returns whether the one
 * at console.pc was refused; else the run, or the time, is over. */
bool interp_labels(machine *m, const code_run *where, int32_t until);

/* An access to the cartridge other than to plain ROM may switch banks. If the cartridge watches all addresses
 * (`watched`), an access to a chip may, too. */
static inline uint64_t banks_of(const console *c) {
  uint64_t banks;
  _Static_assert(sizeof c->bank == sizeof banks, "all that says what the cartridge shows");
  memcpy(&banks, c->bank, sizeof banks);
  return banks;
}

/* ---- Flags ----------------------------------------------------------------------------------------------------- */

/* N and Z are kept as the last result: Z if its low byte is 0, N if bit 7 or bit 8 is set. Bit 8 is for BIT and
 * PLP. */
#define ZERO()     (!(nz & 0xFF))
#define NEGATIVE() (nz & 0x180)
#define PACK_P() \
  ((uint8_t)((NEGATIVE() ? 0x80 : 0) | V | 0x30 | REST | (ZERO() ? FLAG_Z : 0) | CARRY))
#define UNPACK_P(value)                               \
  do {                                                \
    uint8_t p_ = (value);                             \
    nz = (p_ & FLAG_Z ? 0u : 1u) | (p_ & 0x80u) << 1; \
    V = p_ & FLAG_V;                                  \
    REST = p_ & (FLAG_D | FLAG_I);                    \
    CARRY = p_ & FLAG_C;                              \
  } while (0)

#define NZ(value) (nz = (value))

/* ---- Operations ------------------------------------------------------------------------------------------------ */

/* What instructions do with `data`. */
#define DO_LDA()   NZ(a = data)
#define DO_LDX()   NZ(x = data)
#define DO_LDY()   NZ(y = data)
#define DO_LAX()   NZ(a = x = data)
#define DO_AND()   NZ(a &= data)
#define DO_ORA()   NZ(a |= data)
#define DO_EOR()   NZ(a ^= data)
#define DO_NOP()   ((void)0)
#define DO_LAS()   NZ(a = x = SP = data & SP)
#define DO_BIT()   (nz = (a & data) | (data & 0x80) << 1, V = data & FLAG_V)
#define COMPARE(r) (CARRY = (r) >= data, nz = (uint8_t)((r)-data))
#define DO_CMP()   COMPARE(a)
#define DO_CPX()   COMPARE(x)
#define DO_CPY()   COMPARE(y)
#define ADD(operand)                                     \
  do {                                                   \
    uint8_t o_ = (operand);                              \
    unsigned sum_ = (unsigned)a + o_ + CARRY;            \
    V = (uint8_t)((~(a ^ o_) & (a ^ sum_) & 0x80) >> 1); \
    CARRY = (uint8_t)(sum_ >> 8);                        \
    NZ(a = (uint8_t)sum_);                               \
  } while (0)
#define DO_ANC() (NZ(a &= data), CARRY = a >> 7)
#define DO_ASR() (a &= data, CARRY = a & 1, NZ(a >>= 1))
#define DO_ANE() NZ(a = (a | 0xEE) & x & data)
#define DO_LXA() NZ(a = x = (a | 0xEE) & data)
#define DO_SBX() (CARRY = (a & x) >= data, NZ(x = (uint8_t)((a & x) - data)))

/* Read-modify-write: change `data`. */
#define DO_ASL()   (CARRY = data >> 7, data = (uint8_t)(data << 1))
#define DO_LSR()   (CARRY = data & 1, data >>= 1)
#define DO_ROL()   (address2 = CARRY, CARRY = data >> 7, data = (uint8_t)(data << 1 | address2))
#define DO_ROR()   (address2 = CARRY, CARRY = data & 1, data = (uint8_t)(data >> 1 | address2 << 7))
#define DO_INC()   (data++)
#define DO_DEC()   (data--)
#define THEN_NZ()  NZ(data)
#define THEN_SLO() NZ(a |= data)
#define THEN_RLA() NZ(a &= data)
#define THEN_SRE() NZ(a ^= data)
#define THEN_RRA() DO_ADC()
#define THEN_ISB() DO_SBC()
#define THEN_DCP() COMPARE(a)

/* The high byte of the address plus 1, which some undocumented stores write. */
#define HIGH() ((uint8_t)((address >> 8) + 1))

#endif
