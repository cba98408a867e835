/* The DPC chip (cart_dpc.c): reads of its fetchers at fixed addresses, and code in the last page, where each byte that
 * is fetched clocks the random register.
 *
 * Pitfall II reads fetchers some 1,600 times in a frame, so this is translated; only the level of the music is computed
 * by C. The code for a fetcher does what fetch() of cart_dpc.c does. The registers of the chip are in console.chip, in
 * front of the memory that rbx points to. */
#include "machine/cart.h"
#include "machine/jit_parts.h"

#ifdef SIXER_JIT

bool jit_is_dpc(const translator *t, uint16_t address) {
  return t->j->cart->type == CART_DPC && (address & 0x1FC0) == CART_BIT;
}

OS_UNIX_CALL uint32_t jit_music(machine *m) { return dpc_music_level(m); }

/* Clock the random register so many times. Leaves it in ecx. */
static void clock_random(code *k, int times) {
  x_load8(k, RCX, C, OF_C(chip.dpc.random));
  x_mov_imm64(k, RDX, (uint64_t)(uintptr_t)dpc_next_random);
  for (int i = 0; i < times; i++) x_load8_index(k, RCX, RDX, RCX, 0);
  x_store8(k, RCX, C, OF_C(chip.dpc.random));
}

/* The flag is set where the low byte of the counter, in al, is the top, and cleared where it is the bottom. Both are
 * rare. */
static void update_flag(translator *t, int fetcher) {
  code *k = &t->k;
  x_alu_load8(k, ALU_CMP, RAX, C, OF_C(chip.dpc.top) + fetcher);
  cold *top = jit_add_cold(t, COLD_FLAG, x_jump_if(k, CC_E));
  x_alu_load8(k, ALU_CMP, RAX, C, OF_C(chip.dpc.bottom) + fetcher);
  cold *bottom = jit_add_cold(t, COLD_FLAG, x_jump_if(k, CC_E));
  top->own = bottom->own = fetcher;
  top->value = 0xFF;
  bottom->value = 0x00;
  top->back = bottom->back = k->at;
}

void jit_emit_flag(code *k, const cold *c) {
  x_store_imm8(k, C, OF_C(chip.dpc.flag) + c->own, c->value);
  x_jump_to(k, c->back);
}

/* Count the counter in eax down, in memory only. Changes edx. A fetcher that makes music is counted by its clock. */
static void count_down(code *k, int fetcher) {
  enum { FIRST_MUSIC = 5 };
  uint8_t *plays = NULL;
  if (fetcher >= FIRST_MUSIC) {
    x_alu_mem8_imm(k, ALU_CMP, C, OF_C(chip.dpc.music) + fetcher - FIRST_MUSIC, 0);
    plays = x_jump_if(k, CC_NE);
  }
  x_lea(k, RDX, RAX, -1);
  x_alu_imm(k, ALU_AND, RDX, DPC_LAST);
  x_store16(k, RDX, C, OF_C(chip.dpc.counter) + 2 * fetcher);
  if (plays) x_land(k, plays);
}

void jit_read_dpc(translator *t, uint16_t address, host_reg into) {
  code *k = &t->k;
  const int fetcher = address & 7, function = address >> 3 & 7;
  clock_random(k, 1);
  x_load16(k, RAX, C, OF_C(chip.dpc.counter) + 2 * fetcher);
  update_flag(t, fetcher);
  count_down(k, fetcher);
  switch (function) {
    case DPC_NUMBER:
      if (fetcher < 4) {
        x_mov(k, into, RCX);
        break;
      }
      jit_show_cycles(t);
      x_lea64(k, RDI, M, 0);
      jit_call_c(k, (uint64_t)(uintptr_t)jit_music);
      if (into != RAX) x_mov(k, into, RAX);
      break;
    case DPC_BYTE:
    case DPC_MASKED: /* a counter has 11 bits, so that DPC_LAST - counter is counter ^ DPC_LAST */
      x_alu_imm(k, ALU_XOR, RAX, DPC_LAST);
      x_mov_imm64(k, RDX, (uint64_t)(uintptr_t)(t->j->cart->image + DPC_DISPLAY));
      x_load8_index(k, into, RDX, RAX, 0);
      if (function == DPC_MASKED) x_alu_load8(k, ALU_AND, into, C, OF_C(chip.dpc.flag) + fetcher);
      break;
    case DPC_FLAG: x_load8(k, into, C, OF_C(chip.dpc.flag) + fetcher); break;
    default: x_mov_imm(k, into, 0); break;
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
