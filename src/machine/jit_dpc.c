/* The DPC chip (cart_dpc.c): reads of its fetchers at fixed addresses, and code in the last page, where each byte that
 * is fetched clocks the random register.
 *
 * Pitfall II reads fetchers some 1,600 times in a frame, so this is translated; only the level of the music is computed
 * by C. The code for a fetcher does what fetch() of cart_dpc.c does. The registers of the chip are in console.chip, in
 * front of the memory. */
#include "machine/cart.h"
#include "machine/jit_parts.h"

#ifdef SIXER_JIT

bool jit_is_dpc(const translator *t, uint16_t address) {
  return t->j->cart->type == CART_DPC && (address & 0x1FC0) == CART_BIT;
}

OS_UNIX_CALL uint32_t jit_music(machine *m, uint32_t unused1, uint32_t unused2, uint32_t unused3) {
  (void)unused1, (void)unused2, (void)unused3;
  return dpc_music_level(m);
}

/* Clock the random register so many times. Leaves it in T1. */
static void clock_random(code *k, int times) {
  op_load8(k, T1, IN_C(chip.dpc.random));
  op_mov_pointer(k, T2, POINTER(dpc_next_random));
  for (int i = 0; i < times; i++) op_load8(k, T1, at_index(T2, T1, 0, 0));
  op_store8(k, T1, IN_C(chip.dpc.random));
}

/* The flag is set where the low byte of the counter, in T0, is the top, and cleared where it is the bottom. Both are
 * rare. */
static void update_flag(translator *t, int fetcher) {
  code *k = &t->k;
  const mem top_at = at(C, OF_C(chip.dpc.top) + fetcher),
            bottom_at = at(C, OF_C(chip.dpc.bottom) + fetcher);
  cold *top = jit_add_cold(t, COLD_FLAG, op_jump_if_mem8(k, T0, IF_EQUAL, top_at));
  cold *bottom = jit_add_cold(t, COLD_FLAG, op_jump_if_mem8(k, T0, IF_EQUAL, bottom_at));
  top->own = bottom->own = fetcher;
  top->value = 0xFF;
  bottom->value = 0x00;
  top->back = bottom->back = op_here(k);
}

void jit_emit_flag(code *k, const cold *c) {
  op_store_imm8(k, at(C, OF_C(chip.dpc.flag) + c->own), c->value);
  op_jump_to(k, c->back);
}

/* Count the counter in T0 down, in memory only. Changes T2. A fetcher that makes music is counted by its clock. */
static void count_down(code *k, int fetcher) {
  enum { FIRST_MUSIC = 5 };
  uint8_t *plays = NULL;
  if (fetcher >= FIRST_MUSIC) {
    const mem music = at(C, OF_C(chip.dpc.music) + fetcher - FIRST_MUSIC);
    plays = op_jump_if_mem8_zero(k, music, false);
  }
  op_alu_imm(k, DO_SUB, T2, T0, 1);
  op_alu_imm(k, DO_AND, T2, T2, DPC_LAST);
  op_store16(k, T2, at(C, OF_C(chip.dpc.counter) + 2 * fetcher));
  if (plays) op_land(k, plays);
}

void jit_read_dpc(translator *t, uint16_t address, host_reg into) {
  code *k = &t->k;
  const int fetcher = address & 7, function = address >> 3 & 7;
  const mem flag = at(C, OF_C(chip.dpc.flag) + fetcher);
  clock_random(k, 1);
  op_load16(k, T0, at(C, OF_C(chip.dpc.counter) + 2 * fetcher));
  update_flag(t, fetcher);
  count_down(k, fetcher);
  switch (function) {
    case DPC_NUMBER:
      if (fetcher < 4) {
        op_mov(k, into, T1);
        break;
      }
      jit_show_cycles(t);
      jit_call_c(k, POINTER(jit_music));
      if (into != RESULT) op_mov(k, into, RESULT);
      break;
    case DPC_BYTE:
    case DPC_MASKED: /* a counter has 11 bits, so that DPC_LAST - counter is counter ^ DPC_LAST */
      op_alu_imm(k, DO_XOR, T0, T0, DPC_LAST);
      op_mov_pointer(k, T2, POINTER(t->j->cart->image + DPC_DISPLAY));
      op_load8(k, into, at_index(T2, T0, 0, 0));
      if (function == DPC_MASKED)
        op_logic8(k, DO_AND, into, (operand){IN_MEMORY, (int)flag.offset});
      break;
    case DPC_FLAG: op_load8(k, into, flag); break;
    default: op_mov_imm(k, into, 0); break;
  }
}

/* ---- Code in the last page ------------------------------------------------------------------------------------- */

enum { HOTSPOTS = 0xFF8 };

const uint8_t *jit_clocked(const translator *t, uint16_t address) {
  const int offset = address & 0xFFF;
  if (t->j->cart->type != CART_DPC || !(address & CART_BIT)) return NULL;
  if (offset < LAST_PAGE << CART_PAGE_SHIFT || offset >= HOTSPOTS) return NULL;
  return t->j->cart->image + t->bank * 4096 + offset;
}

void jit_clock_fetches(translator *t, int length) {
  int clocks = 0;
  for (int i = 0; i < length; i++) clocks += jit_clocked(t, (uint16_t)(t->pc + i)) != NULL;
  if (clocks) clock_random(&t->k, clocks);
}

#endif
