/* What the translator borrows from the interpreter. */
#ifndef SIXER_MACHINE_INTERP_H
#define SIXER_MACHINE_INTERP_H

#include "machine/machine.h"

/* Interpret until the frame stops, instructions run out, or one must be executed plainly; with memory_only also when the
 * program leaves console memory. Returns the instructions left. */
int interp_run(machine *m, int left, bool memory_only);

/* Do these five bytes wait for the timer: a load of it, and a branch back to the load while it is not 0 (BNE), below 0x80
 * (BPL) or not below (BMI)? Or BIT of its status, and BPL? Returns the branch; 0: something else. */
int interp_waits(const uint8_t *code);

/* How many times such a loop of `cycles` cycles can run for sure before it ends, if the timer is read at the end of its
 * first `first` cycles. */
int interp_idle_turns(const console *c, int32_t now, int first, int cycles, int branch);

#endif
