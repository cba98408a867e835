/* Known lines: what a line did to the TIA, to be repeated without processing it (tia_work.h has the type). */
#ifndef SIXER_MACHINE_TIA_KNOWN_H
#define SIXER_MACHINE_TIA_KNOWN_H

#include "machine/tia_work.h"

/* Can the line of the beam be a known one: is nothing of it processed yet, and is it worth looking? */
static inline bool tia_line_is_untouched(const machine *m) {
  return !(m->beam.count | m->frame.no_known | m->frame.pushed) && m->beam.begin >= 0;
}

/* Repeat or learn the lines that the beam has left at this clock, as long as they are untouched and inside the
 * window. */
void tia_known_lines(machine *m, int32_t clock);

/* Are known lines worth looking for in this frame? Not while most lines are new. To be asked once per frame. */
bool tia_known_lines_pay(tia_hints *h);

/* What the line of the beam has latched up to this cycle, with latches from before it. Only those in `wanted`
 * need to be right. The line can still become a known one afterwards. */
uint16_t tia_known_collisions(machine *m, int32_t cycle, uint16_t wanted);

/* Where one frame in so many is drawn, lines are learned in drawn frames alone: one that was learned without its pixels
 * is of no use to a drawn frame. */
static inline bool tia_lines_are_learned(const tia_hints *h) {
  enum { OFTEN_DRAWN = 8 };
  return !h->undrawn || h->undrawn >= OFTEN_DRAWN;
}

#endif
