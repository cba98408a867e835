/* The rare paths of a block, written behind it.
 *
 * A block jumps here when an access turns out not to be the usual one, when decimal mode is on, or when it must be
 * left. The block's code assumes that none of this happens, so the common path has no taken jumps. */
#include "machine/jit_parts.h"

#ifdef SIXER_JIT

const char *const jit_cold_names[COLD_KINDS] = {
    [COLD_EXIT] = "leave: the next instruction is not translated",
    [COLD_GUARD] = "leave: the guard was reached",
    [COLD_BAIL] = "leave: another core executes this instruction",
    [COLD_STOP] = "leave: the frame is over",
    [COLD_READ] = "zero-page read of the TIA",
    [COLD_ANY] = "read that is not of plain ROM",
    [COLD_WRITE] = "zero-page write to the TIA",
    [COLD_DECIMAL] = "decimal mode",
    [COLD_PULL] = "PLA not from memory",
    [COLD_ENABLE] = "PHP to an enable register of the TIA",
    [COLD_WAIT] = "WSYNC in another line than expected",
    [COLD_FLAG] = "the fetcher is at its top or bottom",
    [COLD_RETURN] = "leave: there is no block at the return address"};

/* Store what the translator knew at the jump, and leave. */
static void leave(translator *t, const cold *c, left how) {
  code *k = &t->k;
  if (c->nz != NZ_STORED) jit_store_nz(t, c->nz);
  if (c->carry != CARRY_STORED) x_mov_imm(k, CARRY, c->carry);
  jit_add_cycles(k, c->cycles);
  x_store_imm16(k, C, OF_C(pc), c->pc);
  x_mov_imm(k, RAX, (int)how);
  x_jump_to(k, t->j->leave);
}

/* The byte that was read is in eax: put it where the block expects it and go on. */
static void deliver(translator *t, const cold *c) {
  if (c->value != RAX) x_mov(&t->k, c->value, RAX);
  x_jump_to(&t->k, c->back);
}

/* A read in the zero page below memory: that is the TIA, for which read_any never bails. */
static void read_zero_page(translator *t, const cold *c) {
  code *k = &t->k;
  x_mov_imm(k, RDX, c->bus);
  x_mov_imm(k, RCX, c->cycles);
  x_call_near(k, t->j->read_input);
  deliver(t, c);
}

static void read_any(translator *t, const cold *c) {
  code *k = &t->k;
  jit_load_address(k, RAX, c->address, 0);
  /* edx = high byte of the address before the index was added: what is on the bus */
  if (c->bus >= 0)
    x_mov_imm(k, RDX, c->bus);
  else
    x_shift_imm(k, SHIFT_SHR, RDX, 8);
  /* the index has crossed a page if the high byte is another one now */
  x_zero_extend16(k, RAX, RAX);
  x_mov(k, RCX, RAX);
  x_shift_imm(k, SHIFT_SHR, RCX, 8);
  x_alu(k, ALU_XOR, RCX, RDX);
  x_alu_imm(k, ALU_AND, RCX, 1);
  x_store32(k, RCX, M, OF_M(run.crossed));
  x_mov_imm(k, RCX, c->cycles + c->own);
  x_call_near(k, t->j->read_any);
  uint8_t *bails = x_jump_if(k, CC_B);
  deliver(t, c);
  /* another core executes it, and adds the cycle for a crossed page again */
  x_land(k, bails);
  x_alu_load(k, ALU_SUB, CYCLES, M, OF_M(run.crossed));
  leave(t, c, LEFT_TO_PLAIN);
}

/* A write in the zero page below memory: to the TIA, which may end the frame. */
static void write_zero_page(translator *t, const cold *c) {
  code *k = &t->k;
  if (c->value != RDX) x_mov(k, RDX, c->value);
  x_mov_imm(k, RCX, c->cycles);
  x_call_near(k, t->j->write_any);
  x_alu_mem8_imm(k, ALU_CMP, M, OF_M(stop), 0);
  uint8_t *running = x_jump_if(k, CC_E);
  if (c->pushes) x_dec_mem8(k, C, OF_C(sp));
  leave(t, c, LEFT_BY_JUMP);
  x_land(k, running);
  x_jump_to(k, c->back);
}

/* PLA reads at SP, then at SP + 1. If both are in the TIA, the first read changes only the upper bits of the byte on
 * the bus; the TIA gives its lower bits to the second read, and they are still those of the opcode. So the first read
 * can be left out. In all other cases C makes both reads. */
static void pull(translator *t, const cold *c) {
  code *k = &t->k;
  x_alu_imm(k, ALU_CMP, RAX, 0x7F);
  uint8_t *elsewhere = x_jump_if(k, CC_AE);
  x_alu_imm(k, ALU_ADD, RAX, 1);
  x_mov_imm(k, RDX, OPCODE_PLA);
  x_mov_imm(k, RCX, c->cycles);
  x_call_near(k, t->j->read_any);
  x_inc_mem8(k, C, OF_C(sp));
  x_mov(k, A, RAX);
  x_jump_to(k, c->back);
  x_land(k, elsewhere);
  jit_add_cycles(k, c->cycles);
  x_store32(k, CYCLES, C, OF_C(cycles));
  jit_add_cycles(k, -c->cycles);
  x_lea64(k, RDI, M, 0);
  jit_call_c(k, (uint64_t)(uintptr_t)jit_pull);
  x_mov(k, A, RAX);
  x_jump_to(k, c->back);
}

/* ADC or SBC in decimal mode. N and Z may be known to the translator only and not be in NZ: jit_decimal() does not use
 * them, and after it they are those of A. */
static void decimal(translator *t, const cold *c) {
  code *k = &t->k;
  if (c->carry != CARRY_STORED) x_mov_imm(k, CARRY, c->carry);
  jit_load(k, RAX, c->what);
  x_lea64(k, RDI, M, 0);
  x_mov(k, RSI, A);
  x_mov(k, RDX, RAX);
  x_mov_imm(k, RCX, c->value);
  jit_call_c(k, (uint64_t)(uintptr_t)jit_decimal);
  x_mov(k, A, RAX);
  x_jump_to(k, c->back);
}

void jit_emit_cold(translator *t, const cold *c) {
  code *k = &t->k;
  x_land(k, c->from);
  switch (c->kind) {
    case COLD_EXIT: leave(t, c, LEFT_TO_PLAIN); break;
    case COLD_GUARD: leave(t, c, LEFT_BY_JUMP); break;
    case COLD_BAIL: leave(t, c, LEFT_TO_PLAIN); break;
    case COLD_STOP:
      x_store8(k, -1 - c->bus, C, OF_C(bus));
      leave(t, c, LEFT_BY_JUMP);
      break;
    case COLD_READ: read_zero_page(t, c); break;
    case COLD_ANY: read_any(t, c); break;
    case COLD_WRITE: write_zero_page(t, c); break;
    case COLD_PULL: pull(t, c); break;
    case COLD_ENABLE:
      x_mov_imm(k, RCX, c->cycles);
      x_call_near(k, t->j->push_enable);
      x_jump_to(k, c->back);
      break;
    case COLD_WAIT:
      jit_find_line_end(k);
      x_jump_to(k, c->back);
      break;
    case COLD_DECIMAL: decimal(t, c); break;
    case COLD_FLAG: jit_emit_flag(k, c); break;
    case COLD_RETURN: /* the address that was pulled is in ecx */
      x_alu_imm(k, ALU_ADD, RCX, 1);
      x_store16(k, RCX, C, OF_C(pc));
      x_mov_imm(k, RAX, LEFT_BY_RTS);
      x_jump_to(k, t->j->leave);
      break;
  }
}

#endif
