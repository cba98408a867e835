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
  if (c->carry != CARRY_STORED) op_mov_imm(k, CARRY, c->carry);
  jit_add_cycles(k, c->cycles);
  op_store_imm16(k, IN_C(pc), c->pc);
  op_mov_imm(k, RESULT, (int)how);
  op_jump_to(k, t->j->leave);
}

/* The byte that was read is in T0: put it where the block expects it and go on. */
static void deliver(translator *t, const cold *c) {
  if (c->value != T0) op_mov(&t->k, c->value, T0);
  op_jump_to(&t->k, c->back);
}

/* A read in the zero page below memory: that is the TIA, for which read_any never bails. */
static void read_zero_page(translator *t, const cold *c) {
  code *k = &t->k;
  op_mov_imm(k, T2, c->bus);
  op_mov_imm(k, T1, c->cycles);
  op_call(k, t->j->read_input);
  deliver(t, c);
}

static void read_any(translator *t, const cold *c) {
  code *k = &t->k;
  jit_load_address(k, T0, c->address);
  /* T2 = high byte of the address before the index was added: what is on the bus */
  if (c->bus >= 0)
    op_mov_imm(k, T2, c->bus);
  else
    op_shift_right(k, T2, T2, 8);
  /* the index has crossed a page if the high byte is another one now */
  op_zero_extend16(k, T0, T0);
  op_shift_right(k, T1, T0, 8);
  op_alu(k, DO_XOR, T1, T1, T2);
  op_alu_imm(k, DO_AND, T1, T1, 1);
  op_store32(k, T1, IN_M(run.crossed));
  op_mov_imm(k, T1, c->cycles + c->own);
  op_call(k, t->j->read_any);
  uint8_t *bails = op_jump_if_bails(k);
  deliver(t, c);
  /* another core executes it, and adds the cycle for a crossed page again */
  op_land(k, bails);
  op_alu_mem32(k, DO_SUB, CYCLES, IN_M(run.crossed));
  leave(t, c, LEFT_TO_PLAIN);
}

/* A write in the zero page below memory: to the TIA, which may end the frame. */
static void write_zero_page(translator *t, const cold *c) {
  code *k = &t->k;
  if (c->value != T2) op_mov(k, T2, c->value);
  op_mov_imm(k, T1, c->cycles);
  op_call(k, t->j->write_any);
  uint8_t *running = op_jump_if_mem8_zero(k, IN_M(stop), true);
  if (c->pushes) op_add_mem8(k, IN_C(sp), -1);
  leave(t, c, LEFT_BY_JUMP);
  op_land(k, running);
  op_jump_to(k, c->back);
}

/* PLA reads at SP, then at SP + 1. If both are in the TIA, the first read changes only the upper bits of the byte on
 * the bus; the TIA gives its lower bits to the second read, and they are still those of the opcode. So the first read
 * can be left out. In all other cases C makes both reads. */
static void pull(translator *t, const cold *c) {
  code *k = &t->k;
  uint8_t *elsewhere = op_jump_if_imm(k, T0, IF_NOT_BELOW, 0x7F);
  op_alu_imm(k, DO_ADD, T0, T0, 1);
  op_mov_imm(k, T2, OPCODE_PLA);
  op_mov_imm(k, T1, c->cycles);
  op_call(k, t->j->read_any);
  op_add_mem8(k, IN_C(sp), 1);
  op_mov(k, A, T0);
  op_jump_to(k, c->back);
  op_land(k, elsewhere);
  jit_add_cycles(k, c->cycles);
  op_store32(k, CYCLES, IN_C(cycles));
  jit_add_cycles(k, -c->cycles);
  jit_call_c(k, POINTER(jit_pull));
  op_mov(k, A, RESULT);
  op_jump_to(k, c->back);
}

/* ADC or SBC in decimal mode. N and Z may be known to the translator only and not be in NZ: jit_decimal() does not use
 * them, and after it they are those of A. */
static void decimal(translator *t, const cold *c) {
  code *k = &t->k;
  if (c->carry != CARRY_STORED) op_mov_imm(k, CARRY, c->carry);
  op_load_operand(k, ARG2, c->what);
  op_mov(k, ARG1, A);
  op_mov_imm(k, ARG3, c->value);
  jit_call_c_with_flags(k, POINTER(jit_decimal));
  op_mov(k, A, RESULT);
  op_jump_to(k, c->back);
}

void jit_emit_cold(translator *t, const cold *c) {
  code *k = &t->k;
  op_land(k, c->from);
  switch (c->kind) {
    case COLD_EXIT: leave(t, c, LEFT_TO_PLAIN); break;
    case COLD_GUARD: leave(t, c, LEFT_BY_JUMP); break;
    case COLD_BAIL: leave(t, c, LEFT_TO_PLAIN); break;
    case COLD_STOP:
      op_store8(k, -1 - c->bus, IN_C(bus));
      leave(t, c, LEFT_BY_JUMP);
      break;
    case COLD_READ: read_zero_page(t, c); break;
    case COLD_ANY: read_any(t, c); break;
    case COLD_WRITE: write_zero_page(t, c); break;
    case COLD_PULL: pull(t, c); break;
    case COLD_ENABLE:
      op_mov_imm(k, T1, c->cycles);
      op_call(k, t->j->push_enable);
      op_jump_to(k, c->back);
      break;
    case COLD_WAIT:
      jit_find_line_end(k);
      op_jump_to(k, c->back);
      break;
    case COLD_DECIMAL: decimal(t, c); break;
    case COLD_FLAG: jit_emit_flag(k, c); break;
    case COLD_RETURN: /* the address that was pulled is in T1 */
      op_alu_imm(k, DO_ADD, T1, T1, 1);
      op_store16(k, T1, IN_C(pc));
      op_mov_imm(k, RESULT, LEFT_BY_RTS);
      op_jump_to(k, t->j->leave);
      break;
  }
}

#endif
