/* Cartridges as the bus sees them. An address is "in the window" when its bit 12 is set. */
#ifndef SIXER_MACHINE_CART_H
#define SIXER_MACHINE_CART_H

#include "machine/machine.h"

/* Access the window with the full 16-bit address. */
uint8_t cart_read(machine *m, uint16_t address);
void cart_write(machine *m, uint16_t address, uint8_t value);

/* Some types also take over addresses below the window: true if they do so for this one. */
static inline bool cart_claims(const cartridge *cart, uint16_t address) {
  switch (cart->type) {
    case CART_3F:
    case CART_3E:
    case CART_MC: return (address & 0x1FFF) < 0x40;
    case CART_UA: return (address & 0x1F80) == 0x0200;
    default: return false;
  }
}
uint8_t cart_read_low(machine *m, uint16_t address);
void cart_write_low(machine *m, uint16_t address, uint8_t value);

/* System reset: initial banks, memory refilled from the generator. */
void cart_reset(machine *m);

/* Draws of the system generator that this takes. */
uint32_t cart_reset_draws(const cartridge *cart);

/* The cycle counter is about to go back by `cycles`. */
void cart_rebase(machine *m, int32_t cycles);

/* Derive m->pages from the banks of the state: after a reset, a restored state, or a switch. */
void cart_map(machine *m);

/* Could this cartridge have left its part of a console like this? For states that come from outside: banks that the
 * image does not have would be read out of bounds. */
bool cart_fits(const cartridge *cart, const console *c);

/* The offset in the window up to which its last page can be read without the cartridge noticing. */
int cart_quiet_end(cart_type type);

/* ---- The chip of Pitfall II: cart_dpc.c ------------------------------------------------------------------------ */

enum { DPC_DISPLAY = 8192, DPC_LAST = 0x7FF }; /* the graphics in the image, and their last byte */

/* Offsets below 0x040 in the window read a fetcher: bits 0..2 are its number, bits 3..5 one of these functions. Other
 * functions return 0. */
typedef enum dpc_function {
  DPC_NUMBER, /* fetchers 0..3: a random number; 4..7: the level of the music */
  DPC_BYTE,   /* the byte that the fetcher is at */
  DPC_MASKED, /* the same, or 0 where its flag is clear */
  DPC_FLAG = 7
} dpc_function;

/* The random register after its next clock, and the level of the music at the processor's cycle. Translated code uses
 * these. */
extern const uint8_t dpc_next_random[256];
uint8_t dpc_music_level(machine *m);

/* Accesses of the window. */
uint8_t dpc_read(machine *m, uint16_t address);
void dpc_write(machine *m, uint16_t address, uint8_t value);
void dpc_reset(machine *m);

#endif
