/* The beam of the fast TIA: lines that are over. */
#include "machine/tia_segments.h"

#include "machine/tia_cache.h"

/* With all that it calls inside: every line that is not known ends here. */
__attribute__((flatten)) const cached_line *tia_close_line(machine *m) {
  if (!m->beam.count) tia_open_line(m);
  if (m->objects) tia_objects_note(m);
  const cached_line *line = tia_cache_draw(m, SCREEN_WIDTH);
  tia_end_line(m);
  return line;
}

/* The window ends with its last line drawn but not ended: below the window, the reference processes no line's end. */
static void close_window(machine *m) {
  tia_beam *b = &m->beam;
  if (!b->count) tia_open_line(m);
  if (m->objects) tia_objects_note(m);
  tia_cache_draw(m, SCREEN_WIDTH);
  b->x_from = b->cx_from = SCREEN_WIDTH;
  b->last = BEAM_OVER;
}

void tia_advance_far(machine *m, int32_t until) {
  tia_beam *b = &m->beam;
  if (until > m->frame.stop) until = m->frame.stop;
  while (until > b->end) tia_close_line(m);
  if (!b->count) tia_open_line(m);
  b->last = until;
  if (until == m->frame.stop) close_window(m);
}
