/* The 6507, one instruction at a time over any bus: the plain core's processor and the one the single-step tests
 * run. */
#ifndef SIXER_MACHINE_CPU_PLAIN_H
#define SIXER_MACHINE_CPU_PLAIN_H

#include "machine/machine.h"
#include "machine/opcodes.h"

typedef struct cpu_bus {
  void *context;
  uint8_t (*read)(void *context, uint16_t address);
  void (*write)(void *context, uint16_t address, uint8_t value);
  /* the reference's other processor: every access takes its cycle when it happens */
  bool cycle_exact;
} cpu_bus;

/* Execute one instruction: registers, cycles, jammed and last_read of the console. Unless cycle_exact, all accesses of
 * an instruction happen at its last cycle. */
void cpu_plain_step(console *c, const cpu_bus *bus);

enum { FLAG_C = 0x01, FLAG_Z = 0x02, FLAG_I = 0x04, FLAG_D = 0x08, FLAG_V = 0x40, FLAG_N = 0x80 };

/* Decimal and odd arithmetic, shared with the fast cores: new A, flags in *p. */
uint8_t cpu_adc(uint8_t a, uint8_t m, uint8_t *p);
uint8_t cpu_sbc(uint8_t a, uint8_t m, uint8_t *p);
uint8_t cpu_arr(uint8_t a, uint8_t m, uint8_t *p);

#endif
