/* What the translator borrows from the interpreter. */
#ifndef SIXER_MACHINE_INTERP_H
#define SIXER_MACHINE_INTERP_H

#include "machine/machine.h"

/* Interpret until the frame stops, instructions run out, or one must be executed plainly; with memory_only also when the
 * program leaves console memory. Returns the instructions left. */
int interp_run(machine *m, int left, bool memory_only);

/* How many times a loop of `cycles` cycles can run before the timer, read at the end of its first `first` cycles, shows
 * 0: the wait for the end of the vertical blank. */
int interp_idle_turns(const console *c, int32_t now, int first, int cycles);

#endif
