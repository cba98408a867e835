/* Translating blocks of 6507 code into machine code, and running them. docs/translator.md has the whole story.
 *
 * A *block* begins where the processor arrives and follows the program until it cannot: an unconditional jump, an
 * instruction that is not translated, or the beginning of another block. All blocks that are reachable from it by jumps
 * with fixed targets are translated with it, so that blocks jump into each other directly.
 *
 * N and Z are mostly those of A, X or Y. The translator knows of which, and stores them only where they could be looked
 * at. Cycles are added up during translation and put into CYCLES only before an access that depends on them and at the
 * ends of blocks.
 *
 * An access whose address is not known in advance may turn out to be one of the cartridge's. Then nothing of the
 * instruction has happened yet, and it is left to another core: translated code *bails*. */
#include "machine/jit.h"

#include <stddef.h>
#include <string.h>

#include "machine/interp.h"
#include "machine/jit_parts.h"
#include "util/os_memory.h"

#ifdef SIXER_JIT

/* ---- Blocks ---------------------------------------------------------------------------------------------------- */

/* The instruction at pc, if it is ROM of the part that is being translated. Three bytes can be read. */
static const uint8_t *instruction(const translator *t, uint16_t pc) {
  const uint8_t *b = jit_is_here(t, pc) ? jit_code_at(t, pc) : NULL;
  if (!b) return NULL;
  const int last = cpu_length(b[0]) - 1;
  const bool whole = last == 0 || jit_code_at(t, (uint16_t)(pc + last)) == b + last;
  return whole && b + 2 < t->j->cart->image + t->j->cart->size ? b : NULL;
}

/* Does the code go on in another window of an E0 cartridge? */
static bool goes_elsewhere(const translator *t) {
  return t->j->cart->type == CART_E0 && !jit_is_here(t, t->pc);
}

/* Is this a store to WSYNC, which takes more time than its own cycles? */
static bool is_wsync(const uint8_t *b) {
  const cpu_opcode o = cpu_opcodes[b[0]];
  if (o.operation != STA && o.operation != STX && o.operation != STY) return false;
  if (o.addressing != ZPG && o.addressing != ABS) return false;
  const uint16_t address = o.addressing == ABS ? (uint16_t)(b[1] | b[2] << 8) : b[1];
  return jit_is_tia(address) && (address & 0x3F) == WSYNC;
}

static int waits_for_timer(const translator *t, uint16_t pc, const uint8_t *b) {
  return jit_direct(t, (uint16_t)(pc + 4)) == b + 4 ? interp_waits(b) : 0;
}

static void note(const translator *t, jit_note_kind kind, const uint8_t *at, uint16_t pc,
                 const uint8_t *b, const char *cause) {
  const jit *j = t->j;
  if (!j->take_note) return;
  jit_note n = {(uint32_t)(at - j->memory), kind, pc, (uint8_t)t->bank, {0}, cause};
  if (b) memcpy(n.bytes, b, sizeof n.bytes);
  j->take_note(j->note_context, &n);
}

/* How many instructions may have been executed since the last check of the guard when the block at pc is entered behind
 * its own check: as many as the jumps to it that are known so far need. */
static int slack_for(const translator *t, uint16_t pc) {
  int slack = 0;
  for (int i = 0; i < t->fixups; i++) {
    const fixup *f = &t->fix[i];
    if (f->pc == pc && f->unguarded > slack && f->unguarded <= MAX_SLACK) slack = f->unguarded;
  }
  return slack;
}

/* Returns the slack of the block. */
static int begin_block(translator *t, uint16_t pc, const uint8_t *b) {
  code *k = &t->k;
  t->pc = pc;
  t->nz = NZ_STORED;
  t->carry = CARRY_STORED;
  op_entry(k);
  t->cycles = 0;
  t->colds = 0;
  if (waits_for_timer(t, pc, b)) {
    /* jit_wait(m, 4, turn, branch): a turn is a load of 4 cycles and a taken branch */
    jit_show_cycles(t);
    op_mov_imm(k, ARG1, 4);
    op_mov_imm(k, ARG2, 7 + (((pc + 5) ^ pc) & 0xFF00 ? 1 : 0));
    op_mov_imm(k, ARG3, waits_for_timer(t, pc, b));
    jit_call_c(k, POINTER(jit_wait));
    op_load32(k, CYCLES, IN_C(cycles));
    jit_check_guard(t);
    return 0;
  }
  jit_check_guard(t);
  return t->unguarded = slack_for(t, pc);
}

static void write_rare_paths(translator *t) {
  for (int i = 0; i < t->colds && !t->k.full; i++) {
    note(t, NOTE_RARE, t->k.at, t->cold[i].pc, NULL, jit_cold_names[t->cold[i].kind]);
    jit_emit_cold(t, &t->cold[i]);
  }
}

/* What an instruction changes while it is translated, so that it can be undone. */
typedef struct mark {
  uint8_t *at;
  int nz, carry, cycles, colds, fixups, works;
} mark;

static mark mark_of(const translator *t) {
  return (mark){t->k.at, t->nz, t->carry, t->cycles, t->colds, t->fixups, t->works};
}

static void go_back(translator *t, mark to) {
  t->k.at = to.at;
  op_here(&t->k);
  t->nz = to.nz, t->carry = to.carry, t->cycles = to.cycles;
  t->colds = to.colds, t->fixups = to.fixups, t->works = to.works;
}

/* Translate the instruction at t->pc. One whose fetches clock a chip must not bail: another core would fetch it
 * again. */
static outcome translate_next(translator *t, const uint8_t *b, int length) {
  const int colds = t->colds;
  const uint8_t *begin = t->k.at;
  jit_clock_fetches(t, length);
  const bool clocked = t->k.at != begin;
  const outcome o = jit_translate_one(t, b);
  for (int i = colds; i < t->colds && clocked; i++) {
    if (t->cold[i].kind == COLD_BAIL || t->cold[i].kind == COLD_ANY) return REFUSED;
  }
  return o;
}

/* Translate the instructions of a block from t->pc on. False if the first of them is not translated. */
static bool translate_instructions(translator *t, uint8_t *begin) {
  for (int n = 0; n < MAX_BLOCK && !t->k.full; n++) {
    const bool joins = n > 0 && jit_entry_of(t->j, t->bank, t->pc)->wanted;
    const ptrdiff_t bytes = t->k.at - begin + (t->colds + 8) * (ptrdiff_t)MAX_COLD_BYTES;
    const bool crowded = n == MAX_BLOCK - 1 || t->unguarded >= MAX_UNGUARDED ||
                         t->colds > MAX_COLD - 8 || bytes > MAX_NEAR;
    if (joins || crowded || (n > 0 && goes_elsewhere(t))) {
      /* another block begins here, this one is long enough, or the window ends: go on there */
      note(t, NOTE_END, t->k.at, t->pc, NULL, NULL);
      jit_settle(t);
      jit_link(t, op_jump(&t->k), t->pc, 0);
      return true;
    }
    const uint8_t *b = instruction(t, t->pc);
    const int length = b ? cpu_length(b[0]) : 0;
    const mark here = mark_of(t);
    t->switched = false;
    outcome o = b ? translate_next(t, b, length) : REFUSED;
    /* the next instruction is outside of the window: fetching it reads the chips, which use the byte on the bus */
    if (o == DONE && !((t->pc + length) & CART_BIT)) o = REFUSED;
    if (o == REFUSED) {
      go_back(t, here);
      if (n == 0) return false;
      note(t, NOTE_END, t->k.at, t->pc, NULL, NULL);
      jit_add_cold(t, COLD_EXIT, op_jump(&t->k));
      return true;
    }
    if (n == 0) note(t, NOTE_BLOCK, begin, t->pc, NULL, NULL);
    note(t, NOTE_INSTRUCTION, here.at, t->pc, b, NULL);
    if (o == ENDED) return true;
    t->unguarded++;
    t->pc = (uint16_t)(t->pc + length);
    if (cpu_opcodes[b[0]].addressing == REL && !instruction(t, t->pc) && !goes_elsewhere(t)) {
      /* the branch was not taken, and what follows is not translated */
      jit_add_cold(t, COLD_EXIT, op_jump(&t->k));
      return true;
    }
    if (t->switched) {
      jit_settle(t);
      op_mov_imm(&t->k, T1, t->pc);
      jit_jump_dynamic(t, LEFT_BY_JUMP);
      t->switched = false;
      return true;
    }
    if (is_wsync(b)) jit_check_guard(t);
  }
  return true;
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
  e->slack = (uint8_t)begin_block(t, pc, b);
  if (!translate_instructions(t, begin)) {
    t->k.at = begin;
    e->refused = 1;
    return;
  }
  write_rare_paths(t);
  if (t->k.full) return;
  e->code = begin;
  e->pc = pc;
}

/* Fill in the jumps between blocks. Where there is no block, a jump leads to code that leaves. */
static void resolve(translator *t) {
  code *k = &t->k;
  for (int i = 0; i < t->fixups && !k->full; i++) {
    const fixup *f = &t->fix[i];
    int bank = jit_is_here(t, f->pc) ? t->bank : E0_FIXED_SLICE;
    const jit_entry *e = jit_code_at(t, f->pc) ? jit_entry_of(t->j, bank, f->pc) : NULL;
    if (e && e->code && e->pc == f->pc) {
      op_aim(k, f->from, e->code + (f->unguarded <= e->slack ? GUARD_BYTES : 0));
      continue;
    }
    note(t, NOTE_EXIT, k->at, f->pc, NULL, NULL);
    op_land(k, f->from);
    op_store_imm8(k, IN_C(bus), f->bus);
    if (t->j->cart->type == CART_E0 && (f->pc & CART_BIT)) {
      op_mov_imm(k, T1, f->pc);
      jit_jump_dynamic(t, LEFT_BY_JUMP);
      continue;
    }
    op_store_imm16(k, IN_C(pc), f->pc);
    op_mov_imm(k, RESULT, LEFT_BY_JUMP);
    op_jump_to(k, t->j->leave);
  }
}

/* Make the memory for code writable, or executable. A process can lose the right to do so at any time, for example by a
 * sandbox that is applied after start. */
static bool protect(jit *j, bool writable) {
  if (j->unusable) return false;
  if (j->writable == writable) return true;
  if (!os_code_protect(j->memory, JIT_CODE_BYTES, writable)) {
    j->unusable = true;
    return false;
  }
  j->writable = writable;
  return true;
}

/* Where the next code is written. */
static code code_of(const jit *j) {
  uint8_t *top = j->memory + JIT_CODE_BYTES;
  return (code){.at = j->memory + j->used, .end = top - j->constants, .top = top};
}

/* Translate the block that begins at pc in this bank, and all blocks that it leads to. */
static void translate(jit *j, int bank, uint16_t pc) {
  translator t;
  t.j = j;
  t.bank = bank;
  t.window = jit_window_of(pc);
  jit_find_plain(&t);
  t.fixups = t.works = 0;
  if (j->full || !protect(j, true)) return;
  jit_entry *root = jit_entry_of(j, bank, pc);
  root->root = ++j->roots;
  t.k = code_of(j);
  jit_want(&t, pc);
  int done = 0;
  while (done < t.works && !t.k.full && t.fixups < MAX_FIXUPS - MAX_BLOCK)
    translate_block(&t, t.work[done++]);
  resolve(&t);
  if (t.k.full) {
    /* out of room: drop the blocks of this attempt; those from before stay usable */
    j->full = true;
    for (int i = 0; i < t.works; i++) {
      jit_entry *e = jit_entry_of(j, bank, t.work[i]);
      if (e->code >= j->memory + j->used) e->code = NULL;
    }
  } else {
    if (!op_publish(&t.k, j->memory + j->used, j->enter, j->leave)) j->unusable = true;
    j->used = (size_t)(t.k.at - j->memory);
  }
  j->constants = (size_t)(t.k.top - t.k.end);
  root->refused |= !root->code;
  protect(j, false);
}

/* The entry at which translation number `root` began, and its address and bank, which follow from its index. */
static bool find_root(const jit *j, uint32_t root, int *bank, uint16_t *pc) {
  const size_t entries = (jit_size(j->cart) - sizeof(jit)) / sizeof(jit_entry);
  for (size_t i = 0; i < entries; i++) {
    if (j->entry[i].root != root) continue;
    *bank = (int)(i / (JIT_MIRRORS * JIT_WINDOW));
    *pc = (uint16_t)((i / JIT_WINDOW % JIT_MIRRORS) << 13 | CART_BIT | i % JIT_WINDOW);
    return true;
  }
  return false;
}

bool jit_replay(jit *copy, const jit *original) {
  int bank = 0;
  uint16_t pc = 0;
  for (uint32_t root = 1; root <= original->roots; root++) {
    if (!find_root(original, root, &bank, &pc)) return false;
    translate(copy, bank, pc);
  }
  return copy->used == original->used;
}

/* ---- Life of a jit --------------------------------------------------------------------------------------------- */

const char *jit_host(void) { return HOST_NAME; }

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
  code k = code_of(j);
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
  j->constants = (size_t)(k.top - k.end);
}

bool jit_open(jit *j, const cartridge *cart) {
  void *memory = os_code_take(JIT_CODE_BYTES);
  if (!memory) return false;
  j->cart = cart;
  j->memory = memory;
  j->writable = true;
  write_pieces(j);
  if (protect(j, false)) return true;
  jit_close(j);
  return false;
}

void jit_close(jit *j) {
  op_withdraw(j->memory, j->used);
  os_code_free(j->memory, JIT_CODE_BYTES);
}

/* ---- Running --------------------------------------------------------------------------------------------------- */

/* The bank, or slice of an E0 cartridge, that the instruction at console.pc is in. */
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
  if (j->unusable || !e->code || e->pc != c->pc) return false;
  jit_unpack_flags(m, c->p);
  c->last_read = 1;
  const left how = (left)op_run(j->enter, m, c, e->code);
  c->p = jit_pack_flags(m);
  if (how == LEFT_BY_RTS) {
    const uint8_t *page = m->pages[((c->pc - 1) >> CART_PAGE_SHIFT) & (CART_PAGES - 1)];
    if (page) c->bus = page[(c->pc - 1) & 63];
  }
  return how != LEFT_TO_PLAIN;
}

#else /* no translator for this processor */

const char *jit_host(void) { return NULL; }
size_t jit_size(const cartridge *cart) { return cart ? 0 : 0; }
bool jit_open(jit *j, const cartridge *cart) { return j && cart && false; }
void jit_close(jit *j) { (void)j; }
bool jit_run(machine *m) { return m && false; }
bool jit_replay(jit *copy, const jit *original) { return copy && original && false; }
void jit_disassemble(const uint8_t *bytes, uint32_t offset, size_t size, jit_text *out) {
  (void)bytes, (void)offset, (void)size;
  *out = (jit_text){.length = 1, .target = -1};
}

#endif

bool jit_usable(const jit *j) { return !j->unusable; }

bool jit_is_for(const jit *j, const cartridge *cart) { return j->cart == cart; }

size_t jit_memory(const jit *j) { return jit_size(j->cart) + JIT_CODE_BYTES; }
