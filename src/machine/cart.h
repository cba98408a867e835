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

/* The chip of Pitfall II: cart_dpc.c. */
uint8_t dpc_read(machine *m, uint16_t address);
void dpc_write(machine *m, uint16_t address, uint8_t value);
void dpc_reset(machine *m);

#endif
