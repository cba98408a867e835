/* The console as a whole: power, reset and the bus. */
#include <string.h>

#include "machine/cart.h"
#include "machine/riot.h"
#include "machine/tia_cache.h"
#include "machine/tia_fast.h"
#include "machine/tia_work.h"

void machine_attach(machine *m, machine_core *core) {
  bool plain = core == machine_frame_plain;
  m->tia_read = plain ? tia_plain_read : tia_fast_read;
  m->tia_write = plain ? tia_plain_write : tia_fast_write;
  m->tia_direct = !cart_claims(m->cart, 0x0000) && !cart_claims(m->cart, 0x0200);
}

void machine_restored(machine *m) { cart_map(m); }

/* Guesses are indices: forget those of tables of another size. */
static void mind_tables(machine *m) {
  if (m->work && m->hints.known_bits != m->work->bits.known)
    m->hints = (tia_hints){.known_bits = m->work->bits.known};
}

void machine_copy(machine *to, const machine *from) {
  const machine own = *to;
  *to = *from;
  to->c = own.c;
  to->picture[0] = own.picture[0];
  to->picture[1] = own.picture[1];
  to->work = own.work;
  to->beam.segments = own.beam.segments;
  to->jit = own.jit;
  to->objects = own.objects;
  to->notes = own.notes;
  memcpy(to->c, from->c, sizeof(console) + from->cart->xram_size);
  mind_tables(to);
  machine_restored(to);
}

/* ---- Working memory -------------------------------------------------------------------------------------------- */

size_t machine_work_size(int machines) { return tia_work_size(machines); }

void machine_work_init(tia_work *work, int machines) { tia_work_init(work, machines); }

void machine_lend(machine *m, uint8_t *const picture[2], tia_work *work) {
  m->picture[0] = picture[0];
  m->picture[1] = picture[1];
  m->work = work;
  m->beam.segments = work->segments;
  mind_tables(m);
}

uint8_t *machine_picture(const machine *m, int which) {
  if (m->work) tia_rows_finish(m, which);
  return m->picture[which];
}

machine_rows machine_rows_of(const machine *m, const uint8_t *picture) {
  for (int i = 0; m->work && i < 2; i++) {
    if (picture != m->picture[i]) continue;
    return (machine_rows){picture, m->work->row_stamp[i], m->work->row_waits[i],
                          m->work->cached[0].pixels, sizeof m->work->cached[0]};
  }
  return (machine_rows){.pixels = picture};
}

uint32_t machine_newest_stamp(const machine *m) { return m->work ? m->work->newest_stamp : 0; }

/* ---- Power ----------------------------------------------------------------------------------------------------- */

void machine_picture_replaced(machine *m, int which) {
  if (!m->work) return;
  memset(m->work->row_stamp[which], 0, sizeof m->work->row_stamp[which]);
  for (int y = 0; y < SCREEN_MAX_LINES; y++) tia_row_waits(m->work, which, y, 0);
}

uint32_t machine_draw(machine *m) {
  /* after a restore the generator may be ahead of the state: seed it again and repeat the state's draws */
  if (m->rng_draws > m->c->draws) {
    mt_seed(&m->rng, m->rng_seed);
    m->rng_draws = 0;
  }
  mt_skip(&m->rng, m->c->draws - m->rng_draws);
  m->rng_draws = m->c->draws;
  m->c->draws++;
  m->rng_draws++;
  return mt_next(&m->rng);
}

void machine_power_on(machine *m, uint32_t system_seed) {
  console *c = m->c;
  memset(c, 0, sizeof *c + m->cart->xram_size);
  c->p = 0x30;
  if (m->cart->type == CART_DPC) c->chip.dpc.random = 1;
  m->rng_seed = system_seed;
  m->rng_draws = 0;
  mt_seed(&m->rng, system_seed);
  for (int i = 0; i < 128; i++) c->ram[i] = (uint8_t)machine_draw(m);
  riot_reset(m);
}

void machine_move_origin(machine *m, int32_t cycles) {
  riot_rebase(m, cycles);
  tia_rebase(m, cycles);
  cart_rebase(m, cycles);
  m->c->cycles -= cycles;
}

void machine_rebase(machine *m) { machine_move_origin(m, m->c->cycles); }

void machine_reset(machine *m) {
  console *c = m->c;
  machine_rebase(m);
  riot_reset(m);
  tia_reset(m);
  cart_reset(m);
  c->a = c->x = c->y = 0;
  c->sp = 0xFF;
  c->p = 0x30;
  c->jammed = 0;
  c->last_read = 1;
  c->pc = machine_peek(m, 0xFFFC);
  c->pc |= (uint16_t)(machine_peek(m, 0xFFFD) << 8);
}

int machine_scanlines(const machine *m) {
  return (tia_clock(m->c) - m->c->tia.frame_start) / LINE_CLOCKS;
}

/* ---- The bus --------------------------------------------------------------------------------------------------- */

uint8_t machine_peek(machine *m, uint16_t address) {
  uint16_t a = address & 0x1FFF;
  uint8_t value;
  if (a & 0x1000)
    value = cart_read(m, address);
  else if (cart_claims(m->cart, a))
    value = cart_read_low(m, a);
  else if (!(a & 0x80))
    value = m->tia_read(m, a);
  else if (!(a & 0x200))
    value = m->c->ram[a & 0x7F];
  else
    value = riot_read(m, a);
  m->c->bus = value;
  return value;
}

void machine_poke(machine *m, uint16_t address, uint8_t value) {
  uint16_t a = address & 0x1FFF;
  if (a & 0x1000)
    cart_write(m, address, value);
  else if (cart_claims(m->cart, a))
    cart_write_low(m, a, value);
  else if (!(a & 0x80))
    m->tia_write(m, a, value);
  else if (!(a & 0x200))
    m->c->ram[a & 0x7F] = value;
  else
    riot_write(m, a, value);
  m->c->bus = value;
}
