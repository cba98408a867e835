/* Where translated code and C meet. */
#include <stddef.h>
#include <string.h>

#include "machine/cart.h"
#include "machine/interp.h"
#include "machine/jit_parts.h"
#include "machine/riot.h"

#ifdef SIXER_JIT

/* ---- What translated code calls --------------------------------------------------------------------------------- */

uint32_t jit_read(machine *m, uint32_t address, uint32_t bus) {
  m->c->bus = (uint8_t)bus;
  if (!(address & 0x1080) && m->tia_direct) return tia_fast_read(m, (uint16_t)address);
  return machine_peek(m, (uint16_t)address);
}

uint32_t jit_read_tia(machine *m, uint32_t address, uint32_t bus) {
  m->c->bus = (uint8_t)bus;
  return tia_fast_read(m, (uint16_t)address);
}

uint32_t jit_read_riot(machine *m, uint32_t address) { return riot_read(m, (uint16_t)address); }

void jit_write(machine *m, uint32_t address, uint32_t value) {
  int which = address & 0x3F;
  m->c->bus = (uint8_t)value;
  if (address & 0x1080)
    machine_poke(m, (uint16_t)address, (uint8_t)value);
  else if (tia_fast_can_note(m, which, m->c->cycles))
    tia_fast_note(m, which, (uint8_t)value, m->c->cycles);
  else
    tia_fast_write(m, (uint16_t)address, (uint8_t)value);
}

uint8_t jit_pack_flags(const machine *m) {
  return (uint8_t)((m->run.nz & 0x180 ? FLAG_N : 0) | (m->run.v ? FLAG_V : 0) | 0x30 | m->run.rest |
                   (m->run.nz & 0xFF ? 0 : FLAG_Z) | m->run.carry);
}

void jit_unpack_flags(machine *m, uint8_t p) {
  m->run.nz = (p & FLAG_Z ? 0u : 1u) | (p & 0x80u) << 1;
  m->run.v = (p >> 6) & 1;
  m->run.rest = p & (FLAG_D | FLAG_I);
  m->run.carry = p & FLAG_C;
}

/* PLA where the stack runs into the TIA or out of it: it reads at the old place and at the new one. */
uint32_t jit_pull(machine *m) {
  console *c = m->c;
  c->bus = 0x68;
  machine_peek(m, 0x100 | c->sp);
  return machine_peek(m, 0x100 | ++c->sp);
}

uint32_t jit_decimal(machine *m, uint32_t a, uint32_t value, uint32_t subtract) {
  uint8_t p = jit_pack_flags(m);
  uint8_t result =
      subtract ? cpu_sbc((uint8_t)a, (uint8_t)value, &p) : cpu_adc((uint8_t)a, (uint8_t)value, &p);
  jit_unpack_flags(m, p);
  return result;
}

/* A loop that waits for the timer to reach 0: pass the turns that find it running. */
void jit_wait(machine *m, uint32_t first, uint32_t turn, uint32_t how) {
  int turns = interp_idle_turns(m->c, m->c->cycles, (int)first, (int)turn, (int)how);
  int32_t until_guard = (m->frame.guard - m->c->cycles) / (int32_t)turn;
  if (turns > until_guard) turns = until_guard;
  if (turns <= 0) return;
  m->c->cycles += turns * (int32_t)turn;
}

/* ---- The way in and out, and accesses ------------------------------------------------------------------------------ */

void jit_emit_enter(code *k) {
  static const uint8_t pushes[] = {0x53, 0x55, 0x41, 0x54, 0x41,
                                   0x55, 0x41, 0x56, 0x41, 0x57}; /* rbx rbp r12..r15 */
  for (size_t i = 0; i < sizeof pushes; i++) x_byte(k, pushes[i]);
  x_alu64_imm8(k, ALU_SUB, RSP, 8);
  x_mov64(k, M, RDI);
  x_lea64(k, C, RSI, offsetof(console, ram));
  x_load8(k, A, C, OF_C(a));
  x_load8(k, X, C, OF_C(x));
  x_load8(k, Y, C, OF_C(y));
  x_load32(k, CYCLES, C, OF_C(cycles));
  jit_take_registers(k);
  x_jump_reg(k, RDX);
}

void jit_emit_leave(code *k) {
  static const uint8_t pops[] = {0x41, 0x5F, 0x41, 0x5E, 0x41, 0x5D, 0x41, 0x5C, 0x5D, 0x5B, 0xC3};
  x_store8(k, A, C, OF_C(a));
  x_store8(k, X, C, OF_C(x));
  x_store8(k, Y, C, OF_C(y));
  x_store32(k, CYCLES, C, OF_C(cycles));
  jit_show_registers(k);
  x_alu64_imm8(k, ALU_ADD, RSP, 8);
  for (size_t i = 0; i < sizeof pops; i++) x_byte(k, pops[i]);
}

/* ecx = eax & 0x1280; compared with memory's 0x0080 */
static uint8_t *jump_if_ram(code *k) {
  x_mov(k, RSI, RAX);
  x_alu_imm(k, ALU_AND, RSI, 0x1280);
  x_alu_imm(k, ALU_CMP, RSI, 0x0080);
  return x_jump_if(k, CC_E);
}

/* The bus from here on belongs to C: cycles are r15 + ecx. */
static void call_with_cycles(code *k, uint64_t function) {
  x_alu(k, ALU_ADD, RCX, CYCLES);
  x_store32(k, RCX, C, OF_C(cycles));
  x_lea64(k, RDI, M, 0);
  x_mov(k, RSI, RAX);
  x_alu64_imm8(k, ALU_SUB, RSP, 8);
  jit_call_c(k, function);
  x_alu64_imm8(k, ALU_ADD, RSP, 8);
}

/* INPT0..5 and the two places behind them, as tia_fast_read() has them; goes on with any other address. */
static void read_input(code *k) {
  x_mov(k, RSI, RAX);
  x_alu_imm(k, ALU_AND, RSI, 0x1088);
  x_alu_imm(k, ALU_CMP, RSI, 0x0008);
  uint8_t *another = x_jump_if(k, CC_NE);
  x_alu_imm(k, ALU_AND, RDX, 0x3F); /* of the bus */
  x_alu_imm(k, ALU_AND, RAX, 7);
  x_alu_imm(k, ALU_CMP, RAX, 4);
  uint8_t *fire = x_jump_if(k, CC_AE);
  x_alu(k, ALU_ADD, RCX, CYCLES);
  x_alu_load_index(k, ALU_CMP, RCX, M, RAX, 2, OF_M(frame.charged_after)); /* cmp */
  x_set(k, CC_A, RAX);                                                     /* seta al */
  x_zero_extend8(k, RAX, RAX);
  x_shift_imm(k, SHIFT_SHL, RAX, 7);
  x_alu(k, ALU_OR, RAX, RDX); /* or: clears the carry */
  x_return(k);
  x_land(k, fire);
  x_alu_imm(k, ALU_CMP, RAX, 6);
  uint8_t *nothing = x_jump_if(k, CC_AE);
  x_load8_index(k, RAX, M, RAX, OF_M(input.fire) - 4);
  x_alu(k, ALU_OR, RAX, RDX);
  x_return(k);
  x_land(k, nothing); /* the carry is clear */
  x_mov(k, RAX, RDX);
  x_return(k);
  x_land(k, another);
}

/* Address in eax, byte on the bus in edx, cycles to come in ecx: the byte in eax, carry clear; or carry set: bail. */
void jit_emit_read_any(code *k) {
  uint8_t *ram = jump_if_ram(k);
  x_test_eax_imm(k, 0x1000);
  uint8_t *chips = x_jump_if(k, CC_E);
  x_store32(k, RCX, RSP, -8);
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
  x_load32(k, RCX, RSP, -8); /* ecx was saved there */
  uint8_t *memory = x_jump_if(k, CC_NE);
  /* the last page, up to its hotspots */
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

/* The same for addresses that are likely to be inputs. */
void jit_emit_read_input(code *k, const uint8_t *read_any) {
  read_input(k);
  x_jump_to(k, read_any);
}

/* Note a value, which is masked, in a register that has a level, at r15 + ecx. Uses r8. */
static void note_level(code *k, host_reg which, host_reg value, host_reg before) {
  x_load16_index(k, before, M, which, 1, OF_M(frame.shadow));
  x_alu(k, ALU_CMP, before, value);
  uint8_t *same = x_jump_if(k, CC_E);
  x_store16_index(k, value, M, which, 1, OF_M(frame.shadow));
  /* if it is another one than before, the next write to the register that it disturbs matters */
  x_alu_imm(k, ALU_AND, before, ~SHADOW_MUST_LOG);
  x_alu(k, ALU_CMP, before, value);
  x_set_any(k, CC_NE, before);
  x_mov_imm64(k, R8, (uint64_t)(uintptr_t)tia_disturbs);
  x_load8_index(k, R8, R8, which, 0);
  x_alu_mem8_index(k, ALU_OR, M, R8, 1, OF_M(frame.shadow) + 1, before);
  /* log it */
  x_alu(k, ALU_ADD, RCX, CYCLES);
  x_shift_imm(k, SHIFT_SHL, RCX, 16);
  x_shift_imm(k, SHIFT_SHL, which, 8);
  x_alu(k, ALU_ADD, RCX, which);
  x_alu(k, ALU_ADD, RCX, value);
  x_store32(k, RCX, LOG, 0);
  x_alu64_imm8(k, ALU_ADD, LOG, 4);
  x_land(k, same);
}

/* A write to the TIA at the address in eax (1 or less in its high byte), as tia_fast_note() does it; goes on if it has to
 * be done by a call. */
static void note_any(code *k) {
  uint64_t levels = 0;
  for (int i = 0; i < 64; i++) levels |= (uint64_t)(tia_kind_of[i] == TIA_LEVEL) << i;
  x_mov(k, RSI, RAX);
  x_alu_imm(k, ALU_AND, RSI, 0x3F);
  x_mov_imm64(k, RDI, levels);
  x_bit_to_carry64(k, RDI, RSI); /* bt rdi, rsi */
  uint8_t *another = x_jump_if(k, CC_AE);
  x_mov_imm64(k, RDI, (uint64_t)(uintptr_t)tia_mask);
  x_load8_index(k, RDI, RDI, RSI, 0);
  x_alu(k, ALU_AND, RDI, RDX);
  note_level(k, RSI, RDI, RAX);
  x_clear_carry(k);
  x_return(k);
  x_land(k, another);
}

/* PHP to the enable register in eax, which the zero flag alone decides. Cycles to come in ecx. */
void jit_emit_push_enable(code *k) {
  x_alu(k, ALU_XOR, RDX, RDX);
  x_test8(k, NZ);
  x_set(k, CC_E, RDX);
  x_alu(k, ALU_ADD, RDX, RDX);
  note_level(k, RAX, RDX, RSI);
  x_return(k);
}

/* Address in eax, byte in edx, cycles to come in ecx: carry clear; or carry set: bail. */
void jit_emit_write_any(code *k) {
  uint8_t *ram = jump_if_ram(k);
  x_test_eax_imm(k, 0x1000);
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
  x_land(k, cartridge_space); /* where it may have memory; bail if it may switch */
  x_mov(k, RSI, RAX);
  x_alu_imm(k, ALU_AND, RSI, LAST_PAGE << CART_PAGE_SHIFT);
  x_alu_imm(k, ALU_CMP, RSI, LAST_PAGE << CART_PAGE_SHIFT);
  x_aim(k, x_jump_if(k, CC_NE), call);
  x_set_carry(k);
  x_return(k);
}

#endif
