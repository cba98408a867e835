/* The RIOT: timer and ports. Its 128 bytes of memory are console.ram. */
#ifndef SIXER_MACHINE_RIOT_H
#define SIXER_MACHINE_RIOT_H

#include "machine/machine.h"

void riot_reset(machine *m);
void riot_rebase(machine *m, int32_t cycles);
uint8_t riot_read(machine *m, uint16_t address);
void riot_write(machine *m, uint16_t address, uint8_t value);

#endif
