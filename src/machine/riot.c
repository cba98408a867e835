/* The RIOT's timer and ports.
 *
 * The timer is not decremented cycle by cycle: a read computes its value from the cycle of the last write. After it has
 * run out, the cycle of the first read is stored, and later values are computed from that (docs/console.md, 4.2). */
#include "machine/riot.h"

void riot_reset(machine *m) {
  m->c->riot = (riot_state){.value = (uint8_t)(25 + machine_draw(m) % 75), .shift = 6};
}

void riot_rebase(machine *m, int32_t cycles) {
  m->c->riot.set_cycle -= cycles;
  m->c->riot.read_cycle -= cycles;
}

static uint8_t read_timer(console *c) {
  riot_state *r = &c->riot;
  uint32_t passed = (uint32_t)(c->cycles - 1 - r->set_cycle);
  int32_t whole = (int32_t)r->value << r->shift;
  int32_t value = r->value - (int32_t)(passed >> r->shift) - 1;
  if (value >= 0) return (uint8_t)value;
  value = whole - (int32_t)passed - 1;
  if (value <= -2 && !r->read_after) {
    r->read_after = 1;
    r->read_cycle = c->cycles;
  }
  if (r->read_after) {
    value = r->value - (int32_t)(passed >> r->shift) - (r->read_cycle - (r->set_cycle + whole));
  }
  return (uint8_t)value;
}

static uint8_t read_status(const console *c) {
  const riot_state *r = &c->riot;
  uint32_t passed = (uint32_t)(c->cycles - 1 - r->set_cycle);
  return r->value - (int32_t)(passed >> r->shift) - 1 >= 0 || r->read_after ? 0x00 : 0x80;
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
