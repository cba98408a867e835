/* The interpreter: the portable fast core, and what the translator leaves to it. */
#ifndef SIXER_MACHINE_INTERP_H
#define SIXER_MACHINE_INTERP_H

#include "machine/cpu_plain.h"
#include "machine/machine.h"

/* Interpret until the frame stops, cycle `until` is reached, or the next instruction must be executed by the plain
 * processor; with ram_only, also until the program leaves console memory. */
void interp_run(machine *m, bool ram_only, int32_t until);

/* The same without a limit of cycles, but for at most `left` instructions. Returns how many of them are left. */
int interp_run_counted(machine *m, int left);

/* Are these five bytes a loop that waits for the timer? Such a loop loads the timer and branches back to the load while
 * it is not 0 (BNE), below 0x80 (BPL) or not below 0x80 (BMI), or it tests the timer's status with BIT and BPL. Returns
 * the opcode of the branch; 0 if they are something else. */
int interp_waits(const uint8_t *code);

/* The number of turns that such a loop makes for certain from cycle `now` on. A turn takes `cycles` cycles, and the
 * timer is read at the end of the first `first` of them. `branch` is what interp_waits() returned. */
int interp_idle_turns(const console *c, int32_t now, int first, int cycles, int branch);

#endif
