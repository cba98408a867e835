/* Lines of the fast TIA: from segments to pixels and collisions. */
#ifndef SIXER_MACHINE_TIA_LINE_H
#define SIXER_MACHINE_TIA_LINE_H

#include "machine/tia_fast.h"

/* Draw the pixels of the line up to x_end that are not drawn yet, and latch their collisions. */
void tia_line_draw(machine *m, int x_end);

/* The collisions of pixels x_begin .. x_end - 1 of the line. */
uint16_t tia_line_collisions(const machine *m, int x_begin, int x_end);

/* The segment that decides pixel x. */
const tia_segment *tia_line_look_at(const machine *m, int x);

#endif
