/* The byte order of consoles in saved states (util/little.h): which of a console's bytes are numbers. */
#include "machine/cart.h"
#include "util/little.h"

void console_little(const cartridge *cart, void *console_bytes) {
  static const little_run all[] = {{4, 1},   {2, 1}, {1, 10},
                                   {8, 1},                    /* cycles, pc, registers, draws */
                                   {4, 2},   {1, 4},          /* riot */
                                   {4, 7},   {2, 2}, {1, 56}, /* tia */
                                   {2, 4},   {1, 4},          /* bank, padding */
                                   {1, 72},                   /* chip, by type: below */
                                   {1, 128}, /* ram; memory on the cartridge is bytes, too */
                                   {0, 0}};
  static const little_run dpc[] = {{2, 8}, {1, 28}, {4, 1}, {8, 1}, {0, 0}};
  static const little_run ar[] = {{1, 4}, {2, 1}, {0, 0}}; /* ar_chip in cart.c */
  uint8_t *chip = (uint8_t *)console_bytes + offsetof(console, chip);
  little_structs(console_bytes, 1, sizeof(console), all);
  if (cart->type == CART_DPC) little_structs(chip, 1, sizeof(cart_dpc), dpc);
  if (cart->type == CART_AR) little_structs(chip, 1, 6, ar);
}
