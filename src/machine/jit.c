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

#ifdef SIXER_JIT

#include <sys/mman.h>

/* ---- Traces -------------------------------------------------------------------------------------------------------- */

/* Three bytes from pc on, if those of the instruction are plain ROM in a row. */
static const uint8_t *instruction(const translator *t, uint16_t pc) {
  const uint8_t *b = jit_is_here(t, pc) ? jit_direct(t, pc) : NULL;
  if (!b) return NULL;
  const int last = cpu_length(b[0]) - 1;
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

static void begin_block(translator *t, uint16_t pc, const uint8_t *b) {
  code *k = &t->k;
  t->pc = pc;
  t->nz = NZ_STORED;
  t->carry = CARRY_STORED;
  t->flags_at = NULL;
  t->cycles = 0;
  t->colds = 0;
  if (waits_for_timer(t, pc, b)) {
    jit_show_cycles(t);
    x_lea64(k, RDI, M, 0);
    x_mov_imm(k, RSI, 4);
    x_mov_imm(k, RDX, 7 + (((pc + 5) ^ pc) & 0xFF00 ? 1 : 0));
    x_mov_imm(k, RCX, waits_for_timer(t, pc, b));
    jit_call_c(k, (uint64_t)(uintptr_t)jit_wait);
    x_load32(k, CYCLES, C, OF_C(cycles));
  }
  jit_check_guard(t);
}

static void end_block(translator *t) {
  for (int i = 0; i < t->colds && !t->k.full; i++) jit_emit_cold(t, &t->cold[i]);
}

static void translate_block(translator *t, uint16_t pc) {
  jit_entry *e = jit_entry_of(t->j, t->bank, pc);
  if (e->code || e->refused) return;
  const uint8_t *b = instruction(t, pc);
  uint8_t *begin = t->k.at;
  if (!b) {
    e->refused = 1;
    return;
  }
  begin_block(t, pc, b);
  for (int n = 0; n < MAX_BLOCK && !t->k.full; n++) {
    bool joins = n > 0 && jit_entry_of(t->j, t->bank, t->pc)->wanted;
    b = instruction(t, t->pc);
    bool crowded = n == MAX_BLOCK - 1 || t->unguarded >= MAX_UNGUARDED || t->colds > MAX_COLD - 8;
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
    const int length = b ? cpu_length(b[0]) : 0;
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
    if (waited) jit_check_guard(t);
  }
  end_block(t);
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
  while (done < t.works && !t.k.full && t.fixups < MAX_FIXUPS - MAX_BLOCK)
    translate_block(&t, t.work[done++]);
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

/* Write the pieces of code that all blocks use. */
static void write_pieces(jit *j) {
  code k = {j->memory, j->memory + JIT_CODE_BYTES, false};
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
  j->used = (size_t)(k.at - j->memory);
}

bool jit_open(jit *j, const cartridge *cart) {
  void *memory =
      mmap(NULL, JIT_CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  j->cart = cart;
  j->memory = memory;
  j->writable = true;
  write_pieces(j);
  if (protect(j, false)) return true;
  jit_close(j);
  return false;
}

void jit_close(jit *j) { munmap(j->memory, JIT_CODE_BYTES); }

/* The bank in which the next instruction is. */
static int bank_now(const machine *m) {
  const console *c = m->c;
  if (m->cart->type != CART_E0) return c->bank[0];
  int window = jit_window_of(c->pc);
  return window == E0_FIXED ? E0_FIXED_SLICE : c->bank[window];
}

bool jit_run(machine *m) {
  console *c = m->c;
  jit *j = m->jit;
  const int bank = bank_now(m);
  jit_entry *e = jit_entry_of(j, bank, c->pc);
  if (!e->code && !e->refused) translate(j, bank, c->pc);
  if (!e->code || e->pc != c->pc) return false;
  left (*enter)(machine *, console *, const uint8_t *);
  memcpy(&enter, &j->enter, sizeof enter);
  jit_unpack_flags(m, c->p);
  c->last_read = 1;
  const left how = enter(m, c, e->code);
  c->p = jit_pack_flags(m);
  if (how == LEFT_BY_RTS) {
    const uint8_t *page = m->pages[((c->pc - 1) >> CART_PAGE_SHIFT) & (CART_PAGES - 1)];
    if (page) c->bus = page[(c->pc - 1) & 63];
  }
  return how != LEFT_TO_PLAIN;
}

#else /* no translator for this processor */

size_t jit_size(const cartridge *cart) { return cart ? 0 : 0; }
bool jit_open(jit *j, const cartridge *cart) { return j && cart && false; }
void jit_close(jit *j) { (void)j; }
bool jit_run(machine *m) { return m && false; }

#endif

bool jit_is_for(const jit *j, const cartridge *cart) { return j->cart == cart; }

size_t jit_memory(const jit *j) { return jit_size(j->cart) + JIT_CODE_BYTES; }
