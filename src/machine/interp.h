/* What the translator borrows from the interpreter. */
#ifndef SIXER_MACHINE_INTERP_H
#define SIXER_MACHINE_INTERP_H

#include "machine/cpu_plain.h"
#include "machine/machine.h"

/* Interpret until the frame stops, one instruction must be executed plainly, or cycle `until`; with memory_only also when
 * the program leaves console memory. */
void interp_run(machine *m, bool memory_only, int32_t until);

/* Run a frame by a function that does not count instructions, and returns false when the frame has come to interp_limit():
 * there may be too many then. It is rewound and run again, counted. */
typedef bool interp_runner(machine *m, const cpu_bus *bus);
void interp_frame(machine *m, interp_runner *run);

/* The cycle up to which a frame that begins or goes on now cannot have too many instructions. */
static inline int32_t interp_limit(const machine *m) {
  return m->c->cycles + 2 * FRAME_INSTRUCTIONS; /* none takes less than two cycles */
}

/* Do these five bytes wait for the timer: a load of it, and a branch back to the load while it is not 0 (BNE), below 0x80
 * (BPL) or not below (BMI)? Or BIT of its status, and BPL? Returns the branch; 0: something else. */
int interp_waits(const uint8_t *code);

/* How many times such a loop of `cycles` cycles can run for sure before it ends, if the timer is read at the end of its
 * first `first` cycles. */
int interp_idle_turns(const console *c, int32_t now, int first, int cycles, int branch);

#endif
