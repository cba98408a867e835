/* The row in which a frame ends before its line is over. */
#ifndef SIXER_MACHINE_TIA_UNFINISHED_H
#define SIXER_MACHINE_TIA_UNFINISHED_H

#include "machine/tia_work.h"

/* Process the log, with the beam brought to where the last access has brought it. Every access of the line of the beam
 * was logged. */
void tia_advance_to_access(machine *m);

/* Draw what the reference has drawn ahead of the beam, which is at pixel x, `from` clocks from the line's
 * beginning. The pixels to the left of x are drawn. */
void tia_finish_row(machine *m, int from, int x);

#endif
