/* The RIOT's timer and ports.
 *
 * The timer is not decremented cycle by cycle: a read computes its value from the cycle of the last write. After it has
 * run out, the cycle of the first read is stored, and later values are computed from that (docs/console.md, 4.2). */
#include "machine/riot.h"

void riot_reset(machine *m) {
  m->c->riot = (riot_state){.value = (uint8_t)(25 + machine_draw(m) % 75), .shift = 6};
}

void riot_rebase(machine *m, int32_t cycles) {
  m->c->riot.set_cycle = cycle_sub(m->c->riot.set_cycle, cycles);
  m->c->riot.read_cycle = cycle_sub(m->c->riot.read_cycle, cycles);
}

/* The timer's value while it counts intervals; negative after it has run out. */
static int32_t interval_value(const console *c, uint32_t passed) {
  return cycle_sub(c->riot.value - 1, (int32_t)(passed >> c->riot.shift));
}

static uint8_t read_timer(console *c) {
  riot_state *r = &c->riot;
  const uint32_t passed = (uint32_t)cycle_sub(c->cycles - 1, r->set_cycle);
  const int32_t whole = (int32_t)r->value << r->shift;
  int32_t value = interval_value(c, passed);
  if (value >= 0) return (uint8_t)value;
  value = cycle_sub(whole - 1, (int32_t)passed);
  if (value <= -2 && !r->read_after) {
    r->read_after = 1;
    r->read_cycle = c->cycles;
  }
  /* one byte of the result is read, so unsigned arithmetic gives the same */
  if (r->read_after) {
    return (uint8_t)(r->value - (passed >> r->shift) -
                     ((uint32_t)r->read_cycle - ((uint32_t)r->set_cycle + (uint32_t)whole)));
  }
  return (uint8_t)value;
}

static uint8_t read_status(const console *c) {
  const uint32_t passed = (uint32_t)cycle_sub(c->cycles - 1, c->riot.set_cycle);
  return interval_value(c, passed) >= 0 || c->riot.read_after ? 0x00 : 0x80;
}

uint8_t riot_read(machine *m, uint16_t address) {
  switch (address & 7) {
    case 0: return m->input.swcha;
    case 1: return m->c->riot.ddra;
    case 2: return m->input.swchb;
    case 3: return 0;
    case 4:
    case 6: return read_timer(m->c);
    default: return read_status(m->c);
  }
}

void riot_write(machine *m, uint16_t address, uint8_t value) {
  static const uint8_t shifts[4] = {0, 3, 6, 10};
  riot_state *r = &m->c->riot;
  if ((address & 7) == 1) r->ddra = value;
  if ((address & 0x14) == 0x14 && (address & 7) >= 4) {
    r->value = value;
    r->shift = shifts[address & 3];
    r->set_cycle = m->c->cycles;
    r->read_after = 0;
  }
}
