/* The border between translated code and C: functions that translated code calls, and the fixed pieces of code
 * that exist once per jit (entering and leaving, and accesses whose address is known only at run time).
 *
 * Fixed pieces take the address in eax, the byte on the bus or the byte to write in edx, and in ecx the cycles
 * that r15 does not have yet. They return with the carry clear, or set if the instruction has to bail. */
#include <stddef.h>
#include <string.h>

#include "machine/cart.h"
#include "machine/interp.h"
#include "machine/jit_parts.h"
#include "machine/riot.h"

#ifdef SIXER_JIT

/* ---- What translated code calls --------------------------------------------------------------------------------- */

/* A read at any address. `bus` is the byte that was transferred before it. */
OS_UNIX_CALL uint32_t jit_read(machine *m, uint32_t address, uint32_t bus) {
  m->c->bus = (uint8_t)bus;
  if (!(address & TIA_MASK) && m->tia_direct) return tia_fast_read(m, (uint16_t)address);
  return machine_peek(m, (uint16_t)address);
}

OS_UNIX_CALL uint32_t jit_read_tia(machine *m, uint32_t address, uint32_t bus) {
  m->c->bus = (uint8_t)bus;
  return tia_fast_read(m, (uint16_t)address);
}

OS_UNIX_CALL uint32_t jit_read_riot(machine *m, uint32_t address) {
  return riot_read(m, (uint16_t)address);
}

/* A write at any address. Writes to the TIA are logged if they can be, as in the interpreter. */
OS_UNIX_CALL void jit_write(machine *m, uint32_t address, uint32_t value) {
  int which = address & 0x3F;
  m->c->bus = (uint8_t)value;
  if (address & TIA_MASK)
    machine_poke(m, (uint16_t)address, (uint8_t)value);
  else if (tia_fast_can_note(m, which, m->c->cycles))
    tia_fast_note(m, which, (uint8_t)value, m->c->cycles);
  else
    tia_fast_write(m, (uint16_t)address, (uint8_t)value);
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
OS_UNIX_CALL uint32_t jit_pull(machine *m) {
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
OS_UNIX_CALL void jit_wait(machine *m, uint32_t first, uint32_t turn, uint32_t how) {
  int turns = interp_idle_turns(m->c, m->c->cycles, (int)first, (int)turn, (int)how);
  int32_t until_guard = (m->frame.guard - m->c->cycles) / (int32_t)turn;
  if (turns > until_guard) turns = until_guard;
  if (turns <= 0) return;
  m->c->cycles += turns * (int32_t)turn;
}

/* ---- Entering and leaving; accesses ------------------------------------------------------------------------------ */

/* The registers that a C function preserves for its caller. */
static const host_reg saved[] = {RBX, RBP, R12, R13, R14, R15};
enum { SAVED = sizeof saved / sizeof *saved };

/* enter(machine, console, block): a C function that jumps to a block. */
void jit_emit_enter(code *k) {
  for (int i = 0; i < SAVED; i++) x_push(k, saved[i]);
  x_alu64_imm8(k, ALU_SUB, RSP, 8); /* the stack is aligned to 16 bytes at calls of C */
  x_mov64(k, M, RDI);
  x_lea64(k, C, RSI, offsetof(console, ram));
  x_load8(k, A, C, OF_C(a));
  x_load8(k, X, C, OF_C(x));
  x_load8(k, Y, C, OF_C(y));
  x_load32(k, CYCLES, C, OF_C(cycles));
  jit_take_registers(k);
  x_jump_reg(k, RDX);
}

/* Return from enter(). The result, why translated code is left, is in eax. */
void jit_emit_leave(code *k) {
  x_store8(k, A, C, OF_C(a));
  x_store8(k, X, C, OF_C(x));
  x_store8(k, Y, C, OF_C(y));
  x_store32(k, CYCLES, C, OF_C(cycles));
  jit_show_registers(k);
  x_alu64_imm8(k, ALU_ADD, RSP, 8);
  for (int i = SAVED - 1; i >= 0; i--) x_pop(k, saved[i]);
  x_return(k);
}

/* Jump if the address in eax is one of console memory. Changes esi. */
static uint8_t *jump_if_ram(code *k) {
  x_mov(k, RSI, RAX);
  x_alu_imm(k, ALU_AND, RSI, RAM_MASK);
  x_alu_imm(k, ALU_CMP, RSI, RAM_BITS);
  return x_jump_if(k, CC_E);
}

/* Call function(machine, eax, edx) at cycle r15 + ecx. The call of this fixed piece has pushed 8
 * bytes; 8 more keep the stack aligned. */
static void call_with_cycles(code *k, uint64_t function) {
  x_alu(k, ALU_ADD, RCX, CYCLES);
  x_store32(k, RCX, C, OF_C(cycles));
  x_lea64(k, RDI, M, 0);
  x_mov(k, RSI, RAX);
  x_alu64_imm8(k, ALU_SUB, RSP, 8);
  jit_call_c(k, function);
  x_alu64_imm8(k, ALU_ADD, RSP, 8);
}

/* Read the TIA's inputs INPT0..5 and the two unused registers after them, and return; the same as
 * tia_fast_read(). With any other address, continue with the code that follows. */
static void read_input(code *k) {
  enum { INPUTS = 0x08 }; /* bit 3 tells the inputs from the collisions */
  x_mov(k, RSI, RAX);
  x_alu_imm(k, ALU_AND, RSI, TIA_MASK | INPUTS);
  x_alu_imm(k, ALU_CMP, RSI, INPUTS);
  uint8_t *another = x_jump_if(k, CC_NE);
  x_alu_imm(k, ALU_AND, RDX, 0x3F); /* bits that the TIA does not drive: those of the bus */
  x_alu_imm(k, ALU_AND, RAX, 7);
  x_alu_imm(k, ALU_CMP, RAX, 4);
  uint8_t *fire = x_jump_if(k, CC_AE);
  x_alu(k, ALU_ADD, RCX, CYCLES);
  x_alu_load_index(k, ALU_CMP, RCX, M, RAX, 2, OF_M(frame.charged_after));
  x_set(k, CC_A, RAX); /* a paddle reads 1 once its capacitor is charged */
  x_zero_extend8(k, RAX, RAX);
  x_shift_imm(k, SHIFT_SHL, RAX, 7);
  x_alu(k, ALU_OR, RAX, RDX); /* clears the carry */
  x_return(k);
  x_land(k, fire);
  x_alu_imm(k, ALU_CMP, RAX, 6);
  uint8_t *nothing = x_jump_if(k, CC_AE);
  x_load8_index(k, RAX, M, RAX, OF_M(input.fire) - 4);
  x_alu(k, ALU_OR, RAX, RDX);
  x_return(k);
  x_land(k, nothing); /* the carry is clear, by the jump's condition */
  x_mov(k, RAX, RDX);
  x_return(k);
  x_land(k, another);
}

/* Read at the address in eax: memory and ROM here, the chips by calls of C. The byte is returned in eax. Bails at
 * hotspots. */
void jit_emit_read_any(code *k) {
  uint8_t *ram = jump_if_ram(k);
  x_test_eax_imm(k, CART_BIT);
  uint8_t *chips = x_jump_if(k, CC_E);
  x_store32(k, RCX, RSP, -8); /* below the stack, which nothing uses before it is loaded again */
  x_mov(k, RCX, RAX);
  x_shift_imm(k, SHIFT_SHR, RCX, CART_PAGE_SHIFT);
  x_alu_imm(k, ALU_AND, RCX, CART_PAGES - 1);
  x_load64(k, RSI, M, OF_M(pages));
  x_load64_index(k, RCX, RSI, RCX, 3, 0);
  x_test64(k, RCX);
  uint8_t *none = x_jump_if(k, CC_E);
  x_alu_imm(k, ALU_AND, RAX, 63); /* clears the carry */
  x_load8_index(k, RAX, RCX, RAX, 0);
  x_return(k);
  x_land(k, ram);
  x_alu_imm(k, ALU_AND, RAX, 0x7F);
  x_load8_index(k, RAX, C, RAX, OF_C(ram));
  x_return(k);
  x_land(k, chips);
  read_input(k);
  const uint8_t *chips_here = k->at;
  call_with_cycles(k, (uint64_t)(uintptr_t)jit_read);
  x_clear_carry(k);
  x_return(k);
  x_land(k, none);
  x_mov(k, RSI, RAX);
  x_alu_imm(k, ALU_AND, RSI, LAST_PAGE << CART_PAGE_SHIFT);
  x_alu_imm(k, ALU_CMP, RSI, LAST_PAGE << CART_PAGE_SHIFT);
  x_load32(k, RCX, RSP, -8); /* does not change the flags */
  uint8_t *memory = x_jump_if(k, CC_NE);
  /* the last page, which is plain ROM up to its hotspots */
  x_alu_imm(k, ALU_AND, RAX, 63);
  x_alu_load(k, ALU_CMP, RAX, M, OF_M(tail_size));
  uint8_t *hotspot = x_jump_if(k, CC_GE);
  x_load64(k, RCX, M, OF_M(tail));
  x_load8_index(k, RAX, RCX, RAX, 0);
  x_clear_carry(k);
  x_return(k);
  x_land(k, hotspot);
  x_set_carry(k);
  x_return(k);
  x_aim(k, memory, chips_here);
}

/* The same, faster for addresses of the TIA's inputs. */
void jit_emit_read_input(code *k, const uint8_t *read_any) {
  read_input(k);
  x_jump_to(k, read_any);
}

/* Log the write of a value, already masked, to a register of kind TIA_LEVEL at cycle r15 + ecx, as
 * tia_fast_note() does it. `before` is scratch. Changes ecx, r8 and, if the write is logged, `which`. */
static void note_level(code *k, host_reg which, host_reg value, host_reg before) {
  x_load16_index(k, before, M, which, 1, OF_M(frame.shadow));
  x_alu(k, ALU_CMP, before, value);
  uint8_t *same = x_jump_if(k, CC_E);
  x_store16_index(k, value, M, which, 1, OF_M(frame.shadow));
  /* a different value: the next write to the register that this one disturbs has to be logged */
  x_alu_imm(k, ALU_AND, before, ~SHADOW_MUST_LOG);
  x_alu(k, ALU_CMP, before, value);
  x_set_any(k, CC_NE, before);
  x_mov_imm64(k, R8, (uint64_t)(uintptr_t)tia_disturbs);
  x_load8_index(k, R8, R8, which, 0);
  x_alu_mem8_index(k, ALU_OR, M, R8, 1, OF_M(frame.shadow) + 1, before);
  /* the entry: cycle << 16 | register << 8 | value */
  x_alu(k, ALU_ADD, RCX, CYCLES);
  x_shift_imm(k, SHIFT_SHL, RCX, 16);
  x_shift_imm(k, SHIFT_SHL, which, 8);
  x_alu(k, ALU_ADD, RCX, which);
  x_alu(k, ALU_ADD, RCX, value);
  x_store32(k, RCX, LOG, 0);
  x_alu64_imm8(k, ALU_ADD, LOG, 4);
  x_land(k, same);
}

/* Log a write to the TIA and return, if the register at the address in eax is of kind TIA_LEVEL. Otherwise
 * continue with the code that follows. */
static void note_any(code *k) {
  uint64_t levels = 0;
  for (int i = 0; i < 64; i++) levels |= (uint64_t)(tia_kind_of[i] == TIA_LEVEL) << i;
  x_mov(k, RSI, RAX);
  x_alu_imm(k, ALU_AND, RSI, 0x3F);
  x_mov_imm64(k, RDI, levels);
  x_bit_to_carry64(k, RDI, RSI);
  uint8_t *another = x_jump_if(k, CC_AE);
  x_mov_imm64(k, RDI, (uint64_t)(uintptr_t)tia_mask);
  x_load8_index(k, RDI, RDI, RSI, 0);
  x_alu(k, ALU_AND, RDI, RDX);
  note_level(k, RSI, RDI, RAX);
  x_clear_carry(k);
  x_return(k);
  x_land(k, another);
}

/* PHP with the stack pointer at ENAM0, ENAM1 or ENABL (in eax). These registers have bit 1 only, which is Z in
 * the status byte. */
void jit_emit_push_enable(code *k) {
  x_alu(k, ALU_XOR, RDX, RDX);
  x_test8(k, NZ);
  x_set(k, CC_E, RDX);
  x_alu(k, ALU_ADD, RDX, RDX);
  note_level(k, RAX, RDX, RSI);
  x_return(k);
}

/* Write the byte in edx to the address in eax. Bails at addresses that may switch banks. */
void jit_emit_write_any(code *k) {
  uint8_t *ram = jump_if_ram(k);
  x_test_eax_imm(k, CART_BIT);
  uint8_t *cartridge_space = x_jump_if(k, CC_NE);
  x_test_al_imm(k, 0x80);
  uint8_t *riot = x_jump_if(k, CC_NE);
  note_any(k);
  x_land(k, riot);
  const uint8_t *call = k->at;
  x_store32(k, RCX, M, OF_M(run.crossed));
  call_with_cycles(k, (uint64_t)(uintptr_t)jit_write);
  x_load32(k, CYCLES, C, OF_C(cycles));
  x_alu_load(k, ALU_SUB, CYCLES, M, OF_M(run.crossed));
  x_clear_carry(k);
  x_return(k);
  x_land(k, ram);
  x_alu_imm(k, ALU_AND, RAX, 0x7F);
  x_store8_index(k, RDX, C, RAX, OF_C(ram));
  x_return(k);
  /* the cartridge may have memory here, which C knows; the last page may switch banks */
  x_land(k, cartridge_space);
  x_mov(k, RSI, RAX);
  x_alu_imm(k, ALU_AND, RSI, LAST_PAGE << CART_PAGE_SHIFT);
  x_alu_imm(k, ALU_CMP, RSI, LAST_PAGE << CART_PAGE_SHIFT);
  x_aim(k, x_jump_if(k, CC_NE), call);
  x_set_carry(k);
  x_return(k);
}

#endif
