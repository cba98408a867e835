/* A listing of the machine code that the translator has made: sixer_env_list_code().
 *
 * The translator does not record which code belongs to which instruction. So a second translator translates the same
 * blocks in the same order with notes switched on, and the code of the first is printed with the notes of the
 * second. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "env/env.h"
#include "machine/jit.h"
#include "machine/opcodes.h"
#include "util/os.h"

typedef struct listing {
  const jit *j;
  jit_note *notes; /* in the order of their offsets */
  size_t count, room;
  bool failed; /* out of memory */
  void (*line)(void *context, const char *text);
  void *context;
} listing;

static void keep_note(void *context, const jit_note *note) {
  listing *l = context;
  if (l->count == l->room) {
    const size_t room = l->room ? 2 * l->room : 4096;
    jit_note *notes = realloc(l->notes, room * sizeof *notes);
    if (!notes) {
      l->failed = true;
      return;
    }
    l->notes = notes;
    l->room = room;
  }
  l->notes[l->count++] = *note;
}

OS_PRINTF(2, 3) static void print(listing *l, const char *format, ...) {
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  l->line(l->context, text);
}

/* ---- What a jump leads to -------------------------------------------------------------------------------------- */

typedef struct piece {
  const char *name;
  const uint8_t *code;
} piece;
enum { PIECES = 6 };

static void find_pieces(const jit *j, piece pieces[PIECES]) {
  const piece found[PIECES] = {{"enter", j->enter},         {"leave", j->leave},
                               {"read_any", j->read_any},   {"read_input", j->read_input},
                               {"write_any", j->write_any}, {"push_enable", j->push_enable}};
  for (int i = 0; i < PIECES; i++) pieces[i] = found[i];
}

static int compare_offset(const void *key, const void *note) {
  const uint32_t a = *(const uint32_t *)key, b = ((const jit_note *)note)->offset;
  return (a > b) - (a < b);
}

/* Write the name of the code at this offset: a block, a way out, a rare path or a fixed piece. */
static void name_target(const listing *l, uint32_t offset, char *text, size_t size) {
  piece pieces[PIECES];
  find_pieces(l->j, pieces);
  *text = 0;
  for (int i = 0; i < PIECES; i++) {
    if (l->j->memory + offset == pieces[i].code) snprintf(text, size, "%s", pieces[i].name);
  }
  const jit_note *n = bsearch(&offset, l->notes, l->count, sizeof *n, compare_offset);
  if (!n) return;
  /* instructions without code have the offset of what follows: the first note at an offset is the right one */
  while (n > l->notes && n[-1].offset == offset) n--;
  for (; n < l->notes + l->count && n->offset == offset; n++) {
    if (n->kind == NOTE_BLOCK) snprintf(text, size, "block $%04X", n->pc);
    if (n->kind == NOTE_RARE) snprintf(text, size, "%s", n->cause);
    if (n->kind == NOTE_EXIT) snprintf(text, size, "way out to $%04X", n->pc);
    const bool first = n->kind == NOTE_INSTRUCTION && n > l->notes && n[-1].kind == NOTE_BLOCK;
    if (first && n[-1].offset != offset)
      snprintf(text, size, "block $%04X, behind its guard", n->pc);
  }
}

/* ---- Lines ----------------------------------------------------------------------------------------------------- */

static void print_code(listing *l, uint32_t begin, uint32_t end) {
  for (uint32_t at = begin; at < end;) {
    jit_text x;
    char bytes[40] = "", note[80] = "";
    jit_disassemble(l->j->memory + at, at, end - at, &x);
    for (int i = 0; i < x.length; i++)
      snprintf(bytes + 3 * i, sizeof bytes - 3 * (size_t)i, "%02x ",
               l->j->memory[at + (uint32_t)i]);
    if (x.target >= 0)
      name_target(l, (uint32_t)x.target, note, sizeof note);
    else
      snprintf(note, sizeof note, "%s", x.note);
    if (*note)
      print(l, "  %06x  %-31s%-44s; %s", at, bytes, x.text, note);
    else
      print(l, "  %06x  %-31s%s", at, bytes, x.text);
    at += (uint32_t)x.length;
  }
}

static void print_note(listing *l, const jit_note *n) {
  switch (n->kind) {
    case NOTE_BLOCK:
      print(l, "%s", "");
      print(l, "block $%04X, bank %d", n->pc, n->bank);
      break;
    case NOTE_INSTRUCTION: {
      char text[CPU_TEXT], bytes[12] = "";
      const int length = cpu_disassemble(n->bytes, n->pc, text) ? cpu_length(n->bytes[0]) : 0;
      for (int i = 0; i < length; i++)
        snprintf(bytes + 3 * i, sizeof bytes - 3 * (size_t)i, "%02X ", n->bytes[i]);
      print(l, "$%04X  %-10s%s", n->pc, bytes, text);
      break;
    }
    case NOTE_END: print(l, "$%04X  not in this block", n->pc); break;
    case NOTE_RARE: print(l, "rare path, $%04X: %s", n->pc, n->cause); break;
    case NOTE_EXIT: print(l, "way out to $%04X, which has no block", n->pc); break;
  }
}

static void print_all(listing *l) {
  const uint32_t used = (uint32_t)l->j->used;
  piece pieces[PIECES];
  size_t blocks = 0, instructions = 0;
  while (l->count && l->notes[l->count - 1].offset >= used)
    l->count--; /* drop the notes of a block that did not fit */
  for (size_t i = 0; i < l->count; i++) {
    blocks += l->notes[i].kind == NOTE_BLOCK;
    instructions += l->notes[i].kind == NOTE_INSTRUCTION;
  }
  print(l, "%zu blocks of %zu instructions: %u bytes of %s", blocks, instructions, used,
        jit_host());
  find_pieces(l->j, pieces);
  const uint32_t first = l->count ? l->notes[0].offset : used;
  for (int i = 0; i < PIECES; i++) {
    const uint32_t begin = (uint32_t)(pieces[i].code - l->j->memory);
    const uint32_t end = i + 1 < PIECES ? (uint32_t)(pieces[i + 1].code - l->j->memory) : first;
    print(l, "%s", "");
    print(l, "fixed piece: %s", pieces[i].name);
    print_code(l, begin, end);
  }
  for (size_t i = 0; i < l->count; i++) {
    print_note(l, &l->notes[i]);
    print_code(l, l->notes[i].offset, i + 1 < l->count ? l->notes[i + 1].offset : used);
  }
}

sixer_err sixer_env_list_code(const sixer_env *env, void (*line)(void *context, const char *text),
                              void *context, sixer_error *error) {
  const cartridge *cart = env->m.cart;
  const size_t size = jit_size(cart);
  if (env->run_frame != machine_frame_jit) {
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "%s: chosen by the setting core or cycle_cpu, or by SIXER_CORE; nothing is "
                      "translated",
                      env->run_frame == machine_frame_plain ? "plain" : "interp");
  }
  if (!jit_host()) {
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "interp: there is no translator for this processor and system; there is one "
                      "for x86-64 and AArch64 with Linux and macOS");
  }
  if (!size) {
    return sixer_fail(error, SIXER_ERR_CONFIG, "interp: cartridges of type %s are not translated",
                      cart_type_name(cart->type));
  }
  if (!env->m.jit || !jit_usable(env->m.jit)) {
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "interp: the system refuses executable memory, so nothing is translated");
  }
  listing l = {.j = env->m.jit, .line = line, .context = context};
  jit *copy = calloc(1, size);
  sixer_err err = SIXER_OK;
  if (!copy || !jit_open(copy, cart)) {
    free(copy);
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a second translator");
  }
  copy->take_note = keep_note;
  copy->note_context = &l;
  if (!jit_replay(copy, l.j) || l.failed)
    err = sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for the listing");
  else
    print_all(&l);
  jit_close(copy);
  free(copy);
  free(l.notes);
  return err;
}
