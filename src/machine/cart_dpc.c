/* The DPC chip of Pitfall II: 8K of program in two banks, and eight "fetchers" that return the bytes of 2K of graphics
 * one after the other, so that the program needs no index register. Three of them can make music instead.
 *
 * Reads of 0x000..0x07F and 0xFC0..0xFFF and all writes go through the chip and clock its random register first. */
#include "machine/cart.h"

/* ---- The random register --------------------------------------------------------------------------------------- */

/* A shift register: the new bit is 1 if the bits 7, 5, 4 and 3 are an even number of ones. */
#define NEXT(r)       (uint8_t)((r) << 1 | (1 ^ (((r) >> 7 ^ (r) >> 5 ^ (r) >> 4 ^ (r) >> 3) & 1)))
#define NEXT_OF_4(r)  NEXT(r), NEXT((r) + 1), NEXT((r) + 2), NEXT((r) + 3)
#define NEXT_OF_16(r) NEXT_OF_4(r), NEXT_OF_4((r) + 4), NEXT_OF_4((r) + 8), NEXT_OF_4((r) + 12)
#define NEXT_OF_64(r) \
  NEXT_OF_16(r), NEXT_OF_16((r) + 16), NEXT_OF_16((r) + 32), NEXT_OF_16((r) + 48)
const uint8_t dpc_next_random[256] = {NEXT_OF_64(0), NEXT_OF_64(64), NEXT_OF_64(128),
                                      NEXT_OF_64(192)};

static void clock_random(cart_dpc *d) { d->random = dpc_next_random[d->random]; }

/* ---- Music ----------------------------------------------------------------------------------------------------- */

/* Clocks of the music in so many cycles: it has 15750 Hz, the processor 1.19 MHz. The product and the quotient are
 * rounded to double, as in the reference. */
#define CLOCKS(cycles) (15750.0 * (cycles) / 1193191.66666667)
#define CLOCKS_OF_4(n) CLOCKS(n), CLOCKS((n) + 1), CLOCKS((n) + 2), CLOCKS((n) + 3)
#define CLOCKS_OF_16(n) \
  CLOCKS_OF_4(n), CLOCKS_OF_4((n) + 4), CLOCKS_OF_4((n) + 8), CLOCKS_OF_4((n) + 12)
#define CLOCKS_OF_64(n) \
  CLOCKS_OF_16(n), CLOCKS_OF_16((n) + 16), CLOCKS_OF_16((n) + 32), CLOCKS_OF_16((n) + 48)

/* Programs ask for the level once a line, and a line has 76 cycles: most quotients are known in advance. */
enum { CLOCKS_KNOWN = 128 };
static const double clocks_of[CLOCKS_KNOWN] = {CLOCKS_OF_64(0), CLOCKS_OF_64(64)};

/* Count fetcher f down by so many clocks, from `top` again after 0, and set its flag by where it is then. */
static void play(cart_dpc *d, int f, int clocks) {
  const int top = d->top[f];
  int low = 0;
  if (top) {
    low = (d->counter[f] & 0xFF) - (clocks <= top ? clocks : clocks % (top + 1));
    if (low < 0) low += top + 1;
  }
  if (low <= d->bottom[f])
    d->flag[f] = 0x00;
  else if (low <= top)
    d->flag[f] = 0xFF;
  d->counter[f] = (uint16_t)((d->counter[f] & 0x700) | low);
}

/* Advance the music fetchers to the processor's cycle. */
static void update_music(machine *m) {
  cart_dpc *d = &m->c->chip.dpc;
  const int32_t cycles = cycle_sub(m->c->cycles, d->stamp);
  d->stamp = m->c->cycles;
  const double passed = (uint32_t)cycles < CLOCKS_KNOWN ? clocks_of[cycles] : CLOCKS(cycles),
               clocks = passed + d->fraction;
  const int whole = (int)clocks;
  d->fraction = clocks - whole;
  if (whole <= 0) return;
  for (int i = 0; i < 3; i++) {
    if (d->music[i]) play(d, 5 + i, whole);
  }
}

uint8_t dpc_music_level(machine *m) {
  static const uint8_t amplitude[8] = {0x00, 0x04, 0x05, 0x09, 0x06, 0x0A, 0x0B, 0x0F};
  const cart_dpc *d = &m->c->chip.dpc;
  update_music(m);
  return amplitude[(d->music[0] & d->flag[5]) | (d->music[1] & d->flag[6]) << 1 |
                   (d->music[2] & d->flag[7]) << 2];
}

/* ---- Fetchers -------------------------------------------------------------------------------------------------- */

static uint8_t fetch(machine *m, uint16_t address) {
  cart_dpc *d = &m->c->chip.dpc;
  const int i = address & 7, function = address >> 3 & 7;
  const uint8_t *display = m->cart->image + DPC_DISPLAY, low = (uint8_t)d->counter[i];
  uint8_t value = 0;
  clock_random(d);
  if (low == d->top[i])
    d->flag[i] = 0xFF;
  else if (low == d->bottom[i])
    d->flag[i] = 0x00;
  switch (function) {
    case DPC_NUMBER: value = i < 4 ? d->random : dpc_music_level(m); break;
    case DPC_BYTE: value = display[DPC_LAST - d->counter[i]]; break;
    case DPC_MASKED: value = display[DPC_LAST - d->counter[i]] & d->flag[i]; break;
    case DPC_FLAG: value = d->flag[i]; break;
    default: break;
  }
  if (i < 5 || !d->music[i - 5]) d->counter[i] = (d->counter[i] - 1) & DPC_LAST;
  return value;
}

/* ---- The window ------------------------------------------------------------------------------------------------ */

static void touch(machine *m, uint16_t offset) {
  if (offset == 0xFF8 || offset == 0xFF9) {
    m->c->bank[0] = offset - 0xFF8;
    cart_map(m);
  }
}

uint8_t dpc_read(machine *m, uint16_t offset) {
  if (offset < 0x040) return fetch(m, offset);
  if (offset < 0x080 || offset >= 0xFC0) clock_random(&m->c->chip.dpc);
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
