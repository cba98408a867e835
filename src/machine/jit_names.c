/* Names for what translated code accesses: fields of the machine and the console, and constants. */
#include "machine/cart.h"
#include "machine/jit_parts.h"

#ifdef SIXER_JIT

#include "machine/jit_text.h"

/* Fields that translated code accesses. */
static const struct {
  int base;
  ptrdiff_t begin;
  size_t size;
  const char *name;
} fields[] = {
#define CONSOLE(field) \
  { C, OF_C(field), sizeof((console *)0)->field, #field }
#define MACHINE(field) \
  { M, OF_M(field), sizeof((machine *)0)->field, #field }
    CONSOLE(a),
    CONSOLE(x),
    CONSOLE(y),
    CONSOLE(sp),
    CONSOLE(pc),
    CONSOLE(bus),
    CONSOLE(cycles),
    CONSOLE(bank),
    CONSOLE(chip.dpc.counter),
    CONSOLE(chip.dpc.top),
    CONSOLE(chip.dpc.bottom),
    CONSOLE(chip.dpc.flag),
    CONSOLE(chip.dpc.music),
    CONSOLE(chip.dpc.random),
    MACHINE(run.carry),
    MACHINE(run.nz),
    MACHINE(run.v),
    MACHINE(run.rest),
    MACHINE(run.crossed),
    MACHINE(frame.log_end),
    MACHINE(frame.shadow),
    MACHINE(frame.phase),
    MACHINE(frame.next_end),
    MACHINE(frame.guard),
    MACHINE(frame.charged_after),
    MACHINE(stop),
    MACHINE(audio),
    MACHINE(input.fire),
    MACHINE(pages),
    MACHINE(own_pages),
    MACHINE(tail),
    MACHINE(tail_size),
#undef CONSOLE
#undef MACHINE
};

void jit_name_memory(text *t, mem spot) {
  static const char digits[] = "0123456789ABCDEF";
  const ptrdiff_t from_ram = spot.offset - OF_C(ram);
  if (spot.base == C && spot.index == NO_INDEX && from_ram >= 0 && from_ram < 128) {
    const char address[] = {
        'r', 'a', 'm', ' ', '$', digits[8 | from_ram >> 4], digits[from_ram & 15], 0};
    text_put(t, address);
    return;
  }
  if (spot.base == C && spot.index != NO_INDEX && from_ram <= 0) {
    text_put(t, from_ram ? "zero page" : "ram");
    return;
  }
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    const ptrdiff_t offset = spot.offset - fields[i].begin;
    if (spot.base != fields[i].base || offset < 0 || (size_t)offset >= fields[i].size) continue;
    text_put(t, fields[i].name);
    if (offset) {
      text_put(t, "+");
      text_put_hex(t, (uint64_t)offset);
    }
    return;
  }
}

void jit_name_constant(text *t, uint64_t value) {
#define IS(thing) \
  if (value == (uint64_t)(uintptr_t)thing) text_put(t, #thing)
  IS(jit_read);
  IS(jit_read_tia);
  IS(jit_read_riot);
  IS(jit_write);
  IS(jit_pull);
  IS(jit_decimal);
  IS(jit_wait);
  IS(jit_music);
  IS(dpc_next_random);
  IS(tia_mask);
  IS(tia_disturbs);
#undef IS
}

#endif
