/* The cache of drawn lines: from the segments of a line to its row in the picture. */
#ifndef SIXER_MACHINE_TIA_CACHE_H
#define SIXER_MACHINE_TIA_CACHE_H

#include "machine/tia_work.h"

/* Draw the pixels of the line of the beam up to x_end that are not drawn yet, and latch their collisions. Returns the
 * line in the cache, or NULL if it is not there. Without machine.draw, only latches collisions. */
const cached_line *tia_cache_draw(machine *m, int x_end);

/* Is the line of this row new in more than two of three frames? Then looking it up takes longer than drawing
 * it. In every 16th frame, it is looked up all the same. */
static inline bool tia_all_rows_are_looked_up(const tia_hints *h) { return h->frames % 16 == 0; }
static inline bool tia_row_is_noise(const tia_hints *h, int32_t y) {
  enum { OFTEN = 32 };
  return h->missed[y] >= OFTEN && !tia_all_rows_are_looked_up(h);
}

/* Copy a row of pixels by vectors: a call of memcpy() or a string instruction would take longer. */
static inline void tia_copy_row(uint8_t *to, const uint8_t *from) {
  typedef uint8_t pixels16 __attribute__((vector_size(16), aligned(1), may_alias));
#pragma GCC unroll 10
  for (int x = 0; x < SCREEN_WIDTH; x += 16) *(pixels16 *)(to + x) = *(const pixels16 *)(from + x);
}

/* Show a line of the cache in this row, which may show it already. */
static inline void tia_cache_show(machine *m, const cached_line *line, int y) {
  uint32_t *shown = &m->work->row_stamp[m->current][y];
  if (*shown == line->stamp) return;
  *shown = line->stamp;
  tia_copy_row(m->picture[m->current] + y * SCREEN_WIDTH, line->pixels);
}

/* The collisions of pixels x_begin .. x_end - 1 of the line of the beam, if they are `wanted`. */
uint16_t tia_beam_collisions(const machine *m, uint16_t wanted, int x_begin, int x_end);

#endif
