/* The DPC chip of Pitfall II: 8K of program in two banks, and eight "fetchers" that return the bytes of 2K of graphics
 * one after the other, so that the program needs no index register. Three of them can make music instead.
 *
 * Reads of 0x000..0x07F and 0xFC0..0xFFF and all writes go through the chip and clock its random register first. */
#include "machine/cart.h"

static void clock_random(cart_dpc *d) {
  unsigned r = d->random, bit = ((r >> 7) ^ (r >> 5) ^ (r >> 4) ^ (r >> 3)) & 1;
  d->random = (uint8_t)(r << 1 | (bit ^ 1));
}

/* Advance the music fetchers to the processor's cycle. The music clock has 15750 Hz, the processor 1.19 MHz. */
static void update_music(machine *m) {
  cart_dpc *d = &m->c->chip.dpc;
  int32_t cycles = cycle_sub(m->c->cycles, d->stamp);
  d->stamp = m->c->cycles;
  double clocks = 15750.0 * cycles / 1193191.66666667 + d->fraction;
  int whole = (int)clocks;
  d->fraction = clocks - whole;
  if (whole <= 0) return;
  for (int f = 5; f < 8; f++) {
    if (!d->music[f - 5]) continue;
    int top = d->top[f] + 1, low = d->counter[f] & 0xFF;
    if (d->top[f]) {
      low -= whole % top;
      if (low < 0) low += top;
    } else {
      low = 0;
    }
    if (low <= d->bottom[f])
      d->flag[f] = 0x00;
    else if (low <= d->top[f])
      d->flag[f] = 0xFF;
    d->counter[f] = (uint16_t)((d->counter[f] & 0x700) | low);
  }
}

static uint8_t music_level(machine *m) {
  static const uint8_t amplitude[8] = {0x00, 0x04, 0x05, 0x09, 0x06, 0x0A, 0x0B, 0x0F};
  const cart_dpc *d = &m->c->chip.dpc;
  update_music(m);
  int index = 0;
  for (int i = 0; i < 3; i++) index |= (d->music[i] && d->flag[5 + i]) << i;
  return amplitude[index];
}

static uint8_t fetch(machine *m, uint16_t offset) {
  cart_dpc *d = &m->c->chip.dpc;
  int i = offset & 7, function = (offset >> 3) & 7;
  uint8_t low = (uint8_t)d->counter[i], value = 0;
  if (low == d->top[i])
    d->flag[i] = 0xFF;
  else if (low == d->bottom[i])
    d->flag[i] = 0x00;
  const uint8_t *display = m->cart->image + 8192;
  switch (function) {
    case 0: value = i < 4 ? d->random : music_level(m); break;
    case 1: value = display[2047 - d->counter[i]]; break;
    case 2: value = display[2047 - d->counter[i]] & d->flag[i]; break;
    case 7: value = d->flag[i]; break;
    default: break;
  }
  if (i < 5 || !d->music[i - 5]) d->counter[i] = (d->counter[i] - 1) & 0x7FF;
  return value;
}

static void touch(machine *m, uint16_t offset) {
  if (offset == 0xFF8 || offset == 0xFF9) {
    m->c->bank[0] = offset - 0xFF8;
    cart_map(m);
  }
}

uint8_t dpc_read(machine *m, uint16_t offset) {
  if (offset < 0x080 || offset >= 0xFC0) clock_random(&m->c->chip.dpc);
  if (offset < 0x040) return fetch(m, offset);
  touch(m, offset);
  return m->cart->image[m->c->bank[0] * 4096 + offset];
}

void dpc_write(machine *m, uint16_t offset, uint8_t value) {
  cart_dpc *d = &m->c->chip.dpc;
  clock_random(d);
  touch(m, offset);
  if (offset < 0x040 || offset >= 0x080) return;
  int i = offset & 7;
  bool music = i >= 5 && d->music[i - 5];
  switch ((offset >> 3) & 7) {
    case 0: d->top[i] = value, d->flag[i] = 0; break;
    case 1: d->bottom[i] = value; break;
    case 2:
      d->counter[i] = (uint16_t)((d->counter[i] & 0x700) | (music ? d->top[i] : value));
      break;
    case 3:
      d->counter[i] = (uint16_t)((d->counter[i] & 0xFF) | (value & 7) << 8);
      if (i >= 5) d->music[i - 5] = (value >> 4) & 1;
      break;
    case 6: d->random = 1; break;
    default: break;
  }
}

/* As in the reference, the fetchers and the random register keep their values. */
void dpc_reset(machine *m) {
  m->c->chip.dpc.stamp = m->c->cycles;
  m->c->chip.dpc.fraction = 0;
  m->c->bank[0] = 1;
}
