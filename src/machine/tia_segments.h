/* The beam of the fast TIA: how a line is collected as segments.
 *
 * A line is opened with one segment, the look that it begins with. Whoever changes the look brings the beam to
 * the clock of the change (tia_advance), changes it, and says so (tia_changed): a new segment begins at the
 * beam. When the beam passes the end of the line, the line is drawn and the next one begins. */
#ifndef SIXER_MACHINE_TIA_SEGMENTS_H
#define SIXER_MACHINE_TIA_SEGMENTS_H

#include "machine/tia_work.h"

/* The pixel at a clock of a line: 0 in horizontal blank, SCREEN_WIDTH after the last pixel. */
static inline int tia_pixel_at(int32_t clock_in_line) {
  int x = clock_in_line - LINE_BLANK;
  return x < 0 ? 0 : x > SCREEN_WIDTH ? SCREEN_WIDTH : x;
}

/* Begin the line of the beam with the look as it is. Lines are opened only when they are needed: known lines never. */
static inline void tia_open_line(machine *m) {
  tia_beam *b = &m->beam;
  b->segments[0].look = m->c->tia.look;
  b->segments[0].x = 0;
  b->segments[0].set = b->set;
  b->count = 1;
  b->blank_open = m->c->tia.look.blank;
}

/* Do what the end of a line does to the state, and go to the next line. */
static inline void tia_end_line(machine *m) {
  tia_beam *b = &m->beam;
  m->c->tia.look.blank = b->blank_late;
  b->blank_late = 0;
  tia_end_of_line(&m->c->tia);
  b->begin = b->end;
  b->end += LINE_CLOCKS;
  b->y++;
  b->count = 0;
  b->x_from = b->cx_from = 0;
}

/* Draw the line of the beam and end it. Returns it in the cache, or NULL if it is not there. */
const cached_line *tia_close_line(machine *m);

/* The general case of tia_advance(): a line or the window ends. */
void tia_advance_far(machine *m, int32_t until);

/* Everything before clock `until` is decided. The end of a line is processed only when the beam has passed it: a write
 * at exactly that clock comes first. */
static inline void tia_advance(machine *m, int32_t until) {
  tia_beam *b = &m->beam;
  if (until <= b->last) return;
  if (until >= b->end)
    tia_advance_far(m, until);
  else
    b->last = until;
}

/* The look has changed: it holds from the beam on. The line is open. */
static inline void tia_changed(machine *m) {
  tia_beam *b = &m->beam;
  int x = b->last - b->begin - LINE_BLANK;
  if (x < 0) x = 0;
  tia_segment *s = &b->segments[b->count - 1];
  if (s->x != x) {
    if (x >= SCREEN_WIDTH) return;
    /* SEGMENTS_MAX is not reached: the visible part of a line takes 54 cycles, an instruction three or more, and none
     * makes more than two changes */
    if (b->count < SEGMENTS_MAX) b->count++, s++;
    s->x = (uint8_t)x;
  }
  s->look = m->c->tia.look;
  s->set = b->set;
}

/* Objects as boxes (tia_objects.c): forget those of the last frame; note those of the line that is over. */
void tia_objects_clear(tia_objects *o);
void tia_objects_note(machine *m);

#endif
