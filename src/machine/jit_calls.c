/* The border between translated code and C: functions that translated code calls, and the fixed pieces of code
 * that exist once per jit (entering and leaving, and accesses whose address is known only at run time).
 *
 * Fixed pieces take the address in T0, the byte on the bus or the byte to write in T2, and in T1 the cycles that
 * CYCLES does not have yet. They return by op_return_done(), or by op_return_bail() if the instruction has to bail. */
#include <stddef.h>
#include <string.h>

#include "machine/cart.h"
#include "machine/interp.h"
#include "machine/jit_parts.h"
#include "machine/riot.h"

#ifdef SIXER_JIT

/* ---- What translated code calls --------------------------------------------------------------------------------- */

/* A read at any address. `bus` is the byte that was transferred before it. */
OS_UNIX_CALL uint32_t jit_read(machine *m, uint32_t address, uint32_t bus, uint32_t unused) {
  (void)unused;
  m->c->bus = (uint8_t)bus;
  if (!(address & TIA_MASK) && m->tia_direct) return tia_fast_read(m, (uint16_t)address);
  return machine_peek(m, (uint16_t)address);
}

OS_UNIX_CALL uint32_t jit_read_tia(machine *m, uint32_t address, uint32_t bus, uint32_t unused) {
  (void)unused;
  m->c->bus = (uint8_t)bus;
  return tia_fast_read(m, (uint16_t)address);
}

OS_UNIX_CALL uint32_t jit_read_riot(machine *m, uint32_t address, uint32_t bus, uint32_t unused) {
  (void)bus, (void)unused;
  return riot_read(m, (uint16_t)address);
}

/* A write at any address. Writes to the TIA are logged if they can be, as in the interpreter. */
OS_UNIX_CALL uint32_t jit_write(machine *m, uint32_t address, uint32_t value, uint32_t unused) {
  (void)unused;
  int which = address & 0x3F;
  m->c->bus = (uint8_t)value;
  if (address & TIA_MASK)
    machine_poke(m, (uint16_t)address, (uint8_t)value);
  else if (tia_fast_can_note(m, which, m->c->cycles))
    tia_fast_note(m, which, (uint8_t)value, m->c->cycles);
  else
    tia_fast_write(m, (uint16_t)address, (uint8_t)value);
  return 0;
}

uint8_t jit_pack_flags(const machine *m) {
  return (uint8_t)((m->run.nz & NZ_NEGATIVE ? FLAG_N : 0) | (m->run.v ? FLAG_V : 0) | FLAGS_PUSHED |
                   m->run.rest | (m->run.nz & 0xFF ? 0 : FLAG_Z) | m->run.carry);
}

void jit_unpack_flags(machine *m, uint8_t p) {
  m->run.nz = (p & FLAG_Z ? 0u : 1u) | (p & 0x80u) << 1;
  m->run.v = (p >> 6) & 1;
  m->run.rest = p & (FLAG_D | FLAG_I);
  m->run.carry = p & FLAG_C;
}

/* PLA if the stack pointer is in the TIA or wraps around. It reads at the old stack pointer, and then at the new
 * one. */
OS_UNIX_CALL uint32_t jit_pull(machine *m, uint32_t unused1, uint32_t unused2, uint32_t unused3) {
  (void)unused1, (void)unused2, (void)unused3;
  console *c = m->c;
  c->bus = OPCODE_PLA;
  machine_peek(m, 0x100 | c->sp);
  return machine_peek(m, 0x100 | ++c->sp);
}

/* ADC or SBC in decimal mode. Returns the new A. */
OS_UNIX_CALL uint32_t jit_decimal(machine *m, uint32_t a, uint32_t value, uint32_t subtract) {
  uint8_t p = jit_pack_flags(m);
  uint8_t result =
      subtract ? cpu_sbc((uint8_t)a, (uint8_t)value, &p) : cpu_adc((uint8_t)a, (uint8_t)value, &p);
  jit_unpack_flags(m, p);
  return result;
}

/* A loop that waits for the timer: add the cycles of the turns that it makes for certain, up to the guard
 * (interp_idle_turns). The loop itself then makes the last ones. */
OS_UNIX_CALL uint32_t jit_wait(machine *m, uint32_t first, uint32_t turn, uint32_t how) {
  int turns = interp_idle_turns(m->c, m->c->cycles, (int)first, (int)turn, (int)how);
  int32_t until_guard = (m->frame.guard - m->c->cycles) / (int32_t)turn;
  if (turns > until_guard) turns = until_guard;
  if (turns > 0) m->c->cycles += turns * (int32_t)turn;
  return 0;
}

/* ---- Entering and leaving; accesses ------------------------------------------------------------------------------ */

/* enter(machine, console, block): a C function that jumps to a block. */
void jit_emit_enter(code *k) {
  op_begin(k);
  op_add_pointer(k, C, ARG1, C_POINT);
  op_load8(k, A, IN_C(a));
  op_load8(k, X, IN_C(x));
  op_load8(k, Y, IN_C(y));
  op_load32(k, CYCLES, IN_C(cycles));
  jit_take_log(k);
  jit_take_flags(k);
  op_jump_reg(k, ARG2);
}

/* Return from enter(). The result, why translated code is left, is in RESULT. */
void jit_emit_leave(code *k) {
  op_store8(k, A, IN_C(a));
  op_store8(k, X, IN_C(x));
  op_store8(k, Y, IN_C(y));
  op_store32(k, CYCLES, IN_C(cycles));
  jit_show_log(k);
  jit_show_flags(k);
  op_end(k);
}

/* Jump if the address in T0 is one of console memory. Changes T3. */
static uint8_t *jump_if_ram(code *k) {
  op_alu_imm(k, DO_AND, T3, T0, RAM_MASK);
  return op_jump_if_imm(k, T3, IF_EQUAL, RAM_BITS);
}

/* Call function(machine, T0, T2) at cycle CYCLES + T1. */
static void call_with_cycles(code *k, uint64_t function) {
  op_alu(k, DO_ADD, T1, T1, CYCLES);
  op_store32(k, T1, IN_C(cycles));
  op_mov(k, ARG1, T0);
  jit_call_c_from(k, function, true);
}

/* Read the TIA's inputs INPT0..5 and the two unused registers after them, and return; the same as
 * tia_fast_read(). With any other address, continue with the code that follows. */
static void read_input(code *k) {
  enum { INPUTS = 0x08 }; /* bit 3 tells the inputs from the collisions */
  op_alu_imm(k, DO_AND, T3, T0, TIA_MASK | INPUTS);
  uint8_t *another = op_jump_if_imm(k, T3, IF_NOT_EQUAL, INPUTS);
  op_alu_imm(k, DO_AND, T2, T2, 0x3F); /* bits that the TIA does not drive: those of the bus */
  op_alu_imm(k, DO_AND, T0, T0, 7);
  uint8_t *fire = op_jump_if_imm(k, T0, IF_NOT_BELOW, 4);
  op_alu(k, DO_ADD, T1, T1, CYCLES);
  /* a paddle reads 1 once its capacitor is charged */
  op_set_if_mem32(k, T0, T1, IF_ABOVE, at_index(M, T0, 2, OF_M(frame.charged_after)));
  op_shift_left(k, T0, T0, 7);
  op_alu(k, DO_OR, T0, T0, T2);
  op_return_done(k);
  op_land(k, fire);
  uint8_t *nothing = op_jump_if_imm(k, T0, IF_NOT_BELOW, 6);
  op_load8(k, T0, at_index(M, T0, 0, OF_M(input.fire) - 4));
  op_alu(k, DO_OR, T0, T0, T2);
  op_return_done(k);
  op_land(k, nothing);
  op_mov(k, T0, T2);
  op_return_done(k);
  op_land(k, another);
}

/* Read at the address in T0: memory and ROM here, the chips by calls of C. The byte is returned in T0. Bails at
 * hotspots. */
void jit_emit_read_any(code *k) {
  uint8_t *ram = jump_if_ram(k);
  uint8_t *chips = op_jump_if_bit(k, T0, CART_BIT, false);
  op_bits(k, T4, T0, CART_PAGE_SHIFT, CART_PAGE_BITS);
  op_load_pointer(k, T3, IN_M(pages));
  op_load_pointer(k, T4, at_index(T3, T4, POINTER_SCALE, 0));
  uint8_t *none = op_jump_if_null(k, T4);
  op_alu_imm(k, DO_AND, T0, T0, 63);
  op_load8(k, T0, at_index(T4, T0, 0, 0));
  op_return_done(k);
  op_land(k, ram);
  op_alu_imm(k, DO_AND, T0, T0, 0x7F);
  op_load8(k, T0, at_index(C, T0, 0, OF_C(ram)));
  op_return_done(k);
  op_land(k, chips);
  read_input(k);
  const uint8_t *chips_here = op_here(k);
  call_with_cycles(k, POINTER(jit_read));
  op_return_done(k);
  op_land(k, none);
  op_alu_imm(k, DO_AND, T3, T0, LAST_PAGE << CART_PAGE_SHIFT);
  op_aim(k, op_jump_if_imm(k, T3, IF_NOT_EQUAL, LAST_PAGE << CART_PAGE_SHIFT), chips_here);
  /* the last page, which is plain ROM up to its hotspots */
  op_alu_imm(k, DO_AND, T0, T0, 63);
  uint8_t *hotspot = op_jump_if_mem32(k, T0, IF_NOT_LESS, IN_M(tail_size));
  op_load_pointer(k, T3, IN_M(tail));
  op_load8(k, T0, at_index(T3, T0, 0, 0));
  op_return_done(k);
  op_land(k, hotspot);
  op_return_bail(k);
}

/* The same, faster for addresses of the TIA's inputs. */
void jit_emit_read_input(code *k, const uint8_t *read_any) {
  read_input(k);
  op_jump_to(k, read_any);
}

/* Log the write of a value, already masked, to a register of kind TIA_LEVEL at cycle CYCLES + T1, as
 * tia_fast_note() does it. `before` is scratch. Changes T1, T5 and, if the write is logged, `which`. */
static void note_level(code *k, host_reg which, host_reg value, host_reg before) {
  const mem shadow = at_index(M, which, 1, OF_M(frame.shadow));
  op_load16(k, before, shadow);
  uint8_t *same = op_jump_if(k, before, IF_EQUAL, value);
  op_store16(k, value, shadow);
  /* a different value: the next write to the register that this one disturbs has to be logged */
  op_mov_pointer(k, T5, POINTER(tia_disturbs));
  op_load8(k, T5, at_index(T5, which, 0, 0));
  op_alu_imm(k, DO_AND, before, before, ~SHADOW_MUST_LOG);
  op_note_difference(k, at_index(M, T5, 1, OF_M(frame.shadow)), before, value);
  op_alu(k, DO_ADD, T1, T1, CYCLES);
  op_shift_left(k, which, which, 8);
  op_alu(k, DO_ADD, which, which, value);
  op_log(k, LOG, T1, 0, 0, which);
  op_land(k, same);
}

/* Log a write to the TIA and return, if the register at the address in T0 is of kind TIA_LEVEL. Otherwise
 * continue with the code that follows. */
static void note_any(code *k) {
  uint64_t levels = 0;
  for (int i = 0; i < 64; i++) levels |= (uint64_t)(tia_kind_of[i] == TIA_LEVEL) << i;
  op_alu_imm(k, DO_AND, T3, T0, 0x3F);
  uint8_t *another = op_jump_unless_member(k, levels, T3);
  op_mov_pointer(k, T4, POINTER(tia_mask));
  op_load8(k, T4, at_index(T4, T3, 0, 0));
  op_alu(k, DO_AND, T4, T4, T2);
  note_level(k, T3, T4, T0);
  op_return_done(k);
  op_land(k, another);
}

/* PHP with the stack pointer at ENAM0, ENAM1 or ENABL (in T0). These registers have bit 1 only, which is Z in
 * the status byte. */
void jit_emit_push_enable(code *k) {
  op_set_if_zero8(k, T2, NZ);
  op_alu(k, DO_ADD, T2, T2, T2);
  note_level(k, T0, T2, T3);
  op_return(k);
}

/* Write the byte in T2 to the address in T0. Bails at addresses that may switch banks. */
void jit_emit_write_any(code *k) {
  uint8_t *ram = jump_if_ram(k);
  uint8_t *cartridge_space = op_jump_if_bit(k, T0, CART_BIT, true);
  uint8_t *riot = op_jump_if_bit(k, T0, 0x80, true);
  note_any(k);
  op_land(k, riot);
  const uint8_t *call = op_here(k);
  op_store32(k, T1, IN_M(run.crossed));
  call_with_cycles(k, POINTER(jit_write));
  op_load32(k, CYCLES, IN_C(cycles));
  op_alu_mem32(k, DO_SUB, CYCLES, IN_M(run.crossed));
  op_return_done(k);
  op_land(k, ram);
  op_alu_imm(k, DO_AND, T0, T0, 0x7F);
  op_store8(k, T2, at_index(C, T0, 0, OF_C(ram)));
  op_return_done(k);
  /* the cartridge may have memory here, which C knows; the last page may switch banks */
  op_land(k, cartridge_space);
  op_alu_imm(k, DO_AND, T3, T0, LAST_PAGE << CART_PAGE_SHIFT);
  op_aim(k, op_jump_if_imm(k, T3, IF_NOT_EQUAL, LAST_PAGE << CART_PAGE_SHIFT), call);
  op_return_bail(k);
}

#endif
