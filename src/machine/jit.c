/* Translating 6507 code into x86-64.
 *
 * A *trace* begins where the processor arrives and follows the program until it cannot: an unconditional jump, an
 * instruction that is left to the plain processor, or one that is translated already. Everything reachable from it by
 * jumps with fixed targets is translated with it, so that traces can jump into each other directly.
 *
 * N and Z are those of A, X or Y most of the time, which the translator knows,
 * and stores only where somebody could look. Cycles are added up during translation and put into r15 only before
 * an access that depends on them and at the ends of traces.
 *
 * An access whose address is not known in advance may turn out to concern the cartridge. Then nothing of the
 * instruction has happened yet, and it is left to the plain processor ("bail"). */
#include "machine/jit.h"

#include <stddef.h>
#include <string.h>

#include "machine/interp.h"
#include "machine/jit_parts.h"

#if defined(__x86_64__) && defined(__linux__)

#include <sys/mman.h>

/* ---- Out of line -------------------------------------------------------------------------------------------------- */

static void leave(translator *t, const cold *c, int cycles, int how) {
  code *k = &t->k;
  if (c->nz != NZ_STORED) jit_store_nz(t, c->nz);
  if (c->carry != CARRY_STORED) x_mov_imm(k, CARRY, c->carry);
  jit_add_cycles(k, cycles);
  x_store_imm16(k, C, OF_C(pc), c->pc);
  x_mov_imm(k, RAX, how);
  x_jump_to(k, t->j->leave);
}

static void emit_cold(translator *t, const cold *c) {
  code *k = &t->k;
  x_land(k, c->from);
  switch (c->kind) {
    case COLD_EXIT: leave(t, c, c->cycles, LEFT_TO_PLAIN); break;
    case COLD_GUARD: leave(t, c, c->cycles, LEFT_BY_JUMP); break;
    case COLD_BAIL:
      x_mem(k, 0x2B, 0, CYCLES, M, OF_M(run.crossed));
      leave(t, c, c->cycles, LEFT_TO_PLAIN);
      break;
    case COLD_STOP:
      x_store8(k, (-1 - c->bus), C, OF_C(bus));
      leave(t, c, c->cycles, LEFT_BY_JUMP);
      break;
    case COLD_READ: /* of the TIA, so read_any does not bail */
      x_mov_imm(k, RDX, c->bus);
      x_mov_imm(k, RCX, c->cycles);
      x_call_near(k, t->j->read_input);
      if (c->value != RAX) x_mov(k, c->value, RAX);
      x_jump_to(k, c->back);
      break;
    case COLD_ANY: {
      /* edx = the high byte before the index was added */
      if (c->bus >= 0)
        x_mov_imm(k, RDX, c->bus);
      else
        x_shift_imm(k, SHIFT_RIGHT, RDX, 8);
      x_reg(k, 0x1B7, 0, RAX, RAX);
      x_mov(k, RCX, RAX);
      x_shift_imm(k, SHIFT_RIGHT, RCX, 8);
      x_reg(k, 0x31, 0, RDX, RCX);
      x_alu_imm(k, 4, RCX, 1);
      x_store32(k, RCX, M, OF_M(run.crossed));
      x_mov_imm(k, RCX, c->cycles + c->own);
      x_call_near(k, t->j->read_any);
      uint8_t *bails = x_jump_if(k, CC_B);
      if (c->value != RAX) x_mov(k, c->value, RAX);
      x_jump_to(k, c->back);
      x_land(k, bails);
      x_mem(k, 0x2B, 0, CYCLES, M, OF_M(run.crossed));
      leave(t, c, c->cycles, LEFT_TO_PLAIN);
      break;
    }
    case COLD_WRITE: {
      if (c->value != RDX) x_mov(k, RDX, c->value);
      x_mov_imm(k, RCX, c->cycles);
      x_call_near(k, t->j->write_any);
      x_alu_mem_imm8(k, 7, BYTES, M, OF_M(stop), 0);
      uint8_t *running = x_jump_if(k, CC_E);
      if (c->pushes) x_mem(k, 0xFE, 0, 1, C, OF_C(sp));
      leave(t, c, c->cycles, LEFT_BY_JUMP);
      x_land(k, running);
      x_jump_to(k, c->back);
      break;
    }
    case COLD_PULL: {
      /* of two reads of the TIA, the first leaves the low bits of the bus to the second, and they are still the opcode's */
      x_alu_imm(k, 7, RAX, 0x7F);
      uint8_t *elsewhere = x_jump_if(k, CC_AE);
      x_alu_imm(k, 0, RAX, 1);
      x_mov_imm(k, RDX, 0x68);
      x_mov_imm(k, RCX, c->cycles);
      x_call_near(k, t->j->read_any);
      x_mem(k, 0xFE, 0, 0, C, OF_C(sp));
      x_mov(k, A, RAX);
      x_jump_to(k, c->back);
      x_land(k, elsewhere);
      jit_add_cycles(k, c->cycles);
      x_store32(k, CYCLES, C, OF_C(cycles));
      jit_add_cycles(k, -c->cycles);
      x_mem(k, 0x8D, WIDE, RDI, M, 0);
      jit_call_c(k, (uint64_t)(uintptr_t)jit_pull);
      x_mov(k, A, RAX);
      x_jump_to(k, c->back);
      break;
    }
    case COLD_ENABLE:
      x_mov_imm(k, RCX, c->cycles);
      x_call_near(k, t->j->push_enable);
      x_jump_to(k, c->back);
      break;
    case COLD_WAIT:
      jit_find_line_end(k);
      x_jump_to(k, c->back);
      break;
    case COLD_DECIMAL:
      if (c->carry != CARRY_STORED) x_mov_imm(k, CARRY, c->carry);
      jit_load(k, RAX, c->what);
      x_mem(k, 0x8D, WIDE, RDI, M, 0);
      x_mov(k, RSI, A);
      x_mov(k, RDX, RAX);
      x_mov_imm(k, RCX, c->value);
      /* N and Z may be those of a register; the helper packs and unpacks all flags, and they are set anew after it */
      jit_call_c(k, (uint64_t)(uintptr_t)jit_decimal);
      x_mov(k, A, RAX);
      x_jump_to(k, c->back);
      break;
  }
}

/* ---- Traces -------------------------------------------------------------------------------------------------------- */

/* Three bytes from pc on, if those of the instruction are plain ROM in a row. */
static const uint8_t *instruction(const translator *t, uint16_t pc) {
  const uint8_t *b = jit_is_here(t, pc) ? jit_direct(t, pc) : NULL;
  if (!b) return NULL;
  const int last = jit_length(b[0]) - 1;
  const bool whole = last == 0 || jit_direct(t, (uint16_t)(pc + last)) == b + last;
  return whole && b + 2 < t->j->cart->image + t->j->cart->size ? b : NULL;
}

/* Code goes on in another window of an E0 cartridge. */
static bool goes_elsewhere(const translator *t) {
  return t->j->cart->type == CART_E0 && !jit_is_here(t, t->pc);
}

/* Does the instruction take more time than its own? */
static bool is_wsync(const uint8_t *b) {
  bool absolute = b[0] == 0x8C || b[0] == 0x8D || b[0] == 0x8E;
  bool zero_page = b[0] == 0x84 || b[0] == 0x85 || b[0] == 0x86;
  uint16_t address = absolute ? (uint16_t)(b[1] | b[2] << 8) : b[1];
  return (absolute || zero_page) && jit_is_tia(address) && (address & 0x3F) == WSYNC;
}

static int waits_for_timer(const translator *t, uint16_t pc, const uint8_t *b) {
  return jit_direct(t, (uint16_t)(pc + 4)) == b + 4 ? interp_waits(b) : 0;
}

static void begin_trace(translator *t, uint16_t pc, const uint8_t *b) {
  code *k = &t->k;
  t->pc = pc;
  t->nz = NZ_STORED;
  t->carry = CARRY_STORED;
  t->flags_at = NULL;
  t->cycles = 0;
  t->colds = 0;
  if (waits_for_timer(t, pc, b)) {
    jit_show_cycles(t);
    x_mem(k, 0x8D, WIDE, RDI, M, 0);
    x_mov_imm(k, RSI, 4);
    x_mov_imm(k, RDX, 7 + (((pc + 5) ^ pc) & 0xFF00 ? 1 : 0));
    x_mov_imm(k, RCX, waits_for_timer(t, pc, b));
    jit_call_c(k, (uint64_t)(uintptr_t)jit_wait);
    x_load32(k, CYCLES, C, OF_C(cycles));
  }
  jit_look_at_guard(t);
}

static void end_trace(translator *t) {
  for (int i = 0; i < t->colds && !t->k.full; i++) emit_cold(t, &t->cold[i]);
}

static void translate_trace(translator *t, uint16_t pc) {
  jit_entry *e = jit_entry_of(t->j, t->bank, pc);
  if (e->code || e->refused) return;
  const uint8_t *b = instruction(t, pc);
  uint8_t *begin = t->k.at;
  if (!b) {
    e->refused = 1;
    return;
  }
  begin_trace(t, pc, b);
  for (int n = 0; n < MAX_TRACE && !t->k.full; n++) {
    bool joins = n > 0 && jit_entry_of(t->j, t->bank, t->pc)->wanted;
    b = instruction(t, t->pc);
    bool crowded = n == MAX_TRACE - 1 || t->unguarded >= MAX_UNGUARDED || t->colds > MAX_COLD - 8;
    if (joins || crowded || (n > 0 && goes_elsewhere(t))) {
      /* already translated, long enough, or in another window: go on there */
      jit_settle(t);
      jit_link(t, x_jump(&t->k), t->pc, 0);
      break;
    }
    uint8_t *here = t->k.at;
    int nz = t->nz, carry = t->carry, cycles = t->cycles, colds = t->colds, fixups = t->fixups,
        works = t->works;
    t->switched = false;
    const int length = b ? jit_length(b[0]) : 0;
    outcome o = b ? jit_translate_one(t, b) : REFUSED;
    /* what comes after the end of the window is fetched from the chips, which show what is left on the bus */
    if (o == DONE && !((t->pc + length) & 0x1000)) o = REFUSED;
    if (o == REFUSED) {
      t->k.at = here;
      t->nz = nz, t->carry = carry, t->cycles = cycles, t->colds = colds, t->fixups = fixups,
      t->works = works;
      if (n == 0) {
        t->k.at = begin;
        e->refused = 1;
        return;
      }
      jit_add_cold(t, COLD_EXIT, x_jump(&t->k));
      break;
    }
    if (o == ENDED) break;
    t->unguarded++;
    bool branched = (b[0] & 0x1F) == 0x10, waited = is_wsync(b);
    t->pc = (uint16_t)(t->pc + length);
    if (branched && !instruction(t, t->pc) && !goes_elsewhere(t)) {
      /* nothing follows that could be translated */
      jit_add_cold(t, COLD_EXIT, x_jump(&t->k));
      break;
    }
    if (t->switched) {
      jit_settle(t);
      x_mov_imm(&t->k, RCX, t->pc);
      jit_jump_dynamic(t, LEFT_BY_JUMP);
      t->switched = false;
      break;
    }
    if (waited) jit_look_at_guard(t);
  }
  end_trace(t);
  if (t->k.full) return;
  e->code = begin;
  e->pc = pc;
}

/* Lead the jumps between traces to where they belong, or out. */
static void resolve(translator *t) {
  code *k = &t->k;
  for (int i = 0; i < t->fixups && !k->full; i++) {
    const fixup *f = &t->fix[i];
    int bank = jit_is_here(t, f->pc) ? t->bank : E0_FIXED_SLICE;
    const jit_entry *e = jit_direct(t, f->pc) ? jit_entry_of(t->j, bank, f->pc) : NULL;
    if (e && e->code && e->pc == f->pc) {
      x_aim(k, f->from, e->code);
    } else {
      x_land(k, f->from);
      x_store_imm8(k, C, OF_C(bus), f->bus);
      if (t->j->cart->type == CART_E0 && (f->pc & 0x1000)) {
        x_mov_imm(k, RCX, f->pc);
        jit_jump_dynamic(t, LEFT_BY_JUMP);
        continue;
      }
      x_store_imm16(k, C, OF_C(pc), f->pc);
      x_mov_imm(k, RAX, LEFT_BY_JUMP);
      x_jump_to(k, t->j->leave);
    }
  }
}

static bool protect(jit *j, bool writable_now) {
  if (j->writable == writable_now) return true;
  j->writable = writable_now;
  return mprotect(j->memory, JIT_CODE_BYTES,
                  writable_now ? PROT_READ | PROT_WRITE : PROT_READ | PROT_EXEC) == 0;
}

/* Translate what begins at pc in this bank and all that it leads to. */
static void translate(jit *j, int bank, uint16_t pc) {
  translator t;
  t.j = j;
  t.bank = bank;
  t.window = jit_window_of(pc);
  jit_find_plain(&t);
  t.fixups = t.works = 0;
  if (j->full || !protect(j, true)) return;
  t.k = (code){j->memory + j->used, j->memory + JIT_CODE_BYTES, false};
  jit_want(&t, pc);
  int done = 0;
  while (done < t.works && !t.k.full && t.fixups < MAX_FIXUPS - MAX_TRACE)
    translate_trace(&t, t.work[done++]);
  resolve(&t);
  if (t.k.full) {
    /* out of room: forget this attempt; what was there before still works */
    j->full = true;
    for (int i = 0; i < t.works; i++) {
      jit_entry *e = jit_entry_of(j, bank, t.work[i]);
      if (e->code >= j->memory + j->used) e->code = NULL;
    }
  } else {
    j->used = (size_t)(t.k.at - j->memory);
  }
  jit_entry_of(j, bank, pc)->refused |= !jit_entry_of(j, bank, pc)->code;
  if (!protect(j, false)) j->full = true;
}

/* ---- Public --------------------------------------------------------------------------------------------------------- */

static int banks_of(const cartridge *cart) {
  int banks = 0;
  while (banks < CART_MAX_BANKS && cart->pages[banks][CART_PAGES / 2]) banks++;
  return banks;
}

size_t jit_size(const cartridge *cart) {
  int banks = cart->type == CART_UA ? 0 : banks_of(cart); /* UA listens below its window */
  if (cart->type == CART_FE) banks = 1;
  if (cart->type == CART_E0) banks = 8;
  return banks ? sizeof(jit) + (size_t)banks * JIT_MIRRORS * JIT_WINDOW * sizeof(jit_entry) : 0;
}

uint8_t *jit_map_memory(void) {
  void *memory =
      mmap(NULL, JIT_CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void jit_unmap_memory(uint8_t *memory) {
  if (memory) munmap(memory, JIT_CODE_BYTES);
}

bool jit_init(jit *j, const cartridge *cart, uint8_t *memory) {
  code k = {memory, memory + JIT_CODE_BYTES, false};
  j->cart = cart;
  j->memory = memory;
  j->writable = true;
  j->enter = k.at;
  jit_emit_enter(&k);
  j->leave = k.at;
  jit_emit_leave(&k);
  j->read_any = k.at;
  jit_emit_read_any(&k);
  j->read_input = k.at;
  jit_emit_read_input(&k, j->read_any);
  j->write_any = k.at;
  jit_emit_write_any(&k);
  j->push_enable = k.at;
  jit_emit_push_enable(&k);
  j->used = (size_t)(k.at - memory);
  return protect(j, false);
}

/* The bank in which the next instruction is. */
static int bank_now(const machine *m) {
  const console *c = m->c;
  if (m->cart->type != CART_E0) return c->bank[0];
  int window = jit_window_of(c->pc);
  return window == E0_FIXED ? E0_FIXED_SLICE : c->bank[window];
}

/* Run translated code from the console's pc, if there is any. */
static int run_translated(machine *m) {
  console *c = m->c;
  jit *j = m->jit;
  const int bank = bank_now(m);
  jit_entry *e = jit_entry_of(j, bank, c->pc);
  if (!e->code && !e->refused) translate(j, bank, c->pc);
  if (!e->code || e->pc != c->pc) return LEFT_TO_PLAIN;
  int (*enter)(machine *, console *, const uint8_t *);
  memcpy(&enter, &j->enter, sizeof enter);
  jit_unpack_flags(m, c->p);
  c->last_read = 1;
  int how = enter(m, c, e->code);
  c->p = jit_pack_flags(m);
  if (how == LEFT_BY_RTS) {
    const uint8_t *page = m->pages[((c->pc - 1) >> CART_PAGE_SHIFT) & (CART_PAGES - 1)];
    if (page) c->bus = page[(c->pc - 1) & 63];
  }
  return how;
}

/* A frame; false if it may take too many instructions. */
static bool run_frame(machine *m, const cpu_bus *bus) {
  console *c = m->c;
  const int32_t until = interp_limit(m);
  while (!m->stop && !c->jammed) {
    if (c->cycles >= until) return false;
    if (c->cycles >= m->frame.guard) {
      tia_fast_log_all(m);
      interp_run(m, false, until);
    } else if (!(c->pc & 0x1000)) {
      interp_run(m, true, until);
      if (c->pc & 0x1000) continue;
    } else if (run_translated(m) != LEFT_TO_PLAIN) {
      continue;
    }
    if (!m->stop && c->cycles < until) cpu_plain_step(c, bus);
  }
  return true;
}

void machine_frame_jit(machine *m) {
  if (m->jit && tia_fast_can(m))
    interp_frame(m, run_frame);
  else
    machine_frame_interp(m);
}

#else /* no translator for this processor */

size_t jit_size(const cartridge *cart) { return cart ? 0 : 0; }
uint8_t *jit_map_memory(void) { return NULL; }
void jit_unmap_memory(uint8_t *memory) { (void)memory; }
bool jit_init(jit *j, const cartridge *cart, uint8_t *memory) {
  return j && cart && memory && false;
}
void machine_frame_jit(machine *m) { machine_frame_interp(m); }

#endif

/* ---- Life of a translator -------------------------------------------------------------------------------------- */

bool jit_open(jit *j, const cartridge *cart) {
  uint8_t *memory = jit_map_memory();
  if (memory && jit_init(j, cart, memory)) return true;
  jit_unmap_memory(memory);
  return false;
}

void jit_close(jit *j) { jit_unmap_memory(j->memory); }

bool jit_is_for(const jit *j, const cartridge *cart) { return j->cart == cart; }

size_t jit_memory(const jit *j) { return jit_size(j->cart) + JIT_CODE_BYTES; }
