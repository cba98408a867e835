/* Lines of the fast TIA: from segments to pixels and collisions. */
#ifndef SIXER_MACHINE_TIA_LINE_H
#define SIXER_MACHINE_TIA_LINE_H

#include <string.h>

#include "machine/tia_fast.h"

/* Draw the pixels of the line up to x_end that are not drawn yet, and latch their collisions. Returns the line in the
 * cache, if it is there. */
const cached_line *tia_line_draw(machine *m, int x_end);

/* Is this row new in more than two of three frames? Then it takes longer to look for it than to draw it. Every so often, try
 * again. */
static inline bool tia_line_is_noise(const tia_frame *l) {
  enum { OFTEN = 32, FRAMES = 16 };
  return l->missed[l->y] >= OFTEN && l->frame % FRAMES;
}

/* A row of pixels, by vectors: a call or a string instruction would take longer. */
static inline void tia_line_copy(uint8_t *to, const uint8_t *from) {
  typedef uint8_t pixels16 __attribute__((vector_size(16), aligned(1), may_alias));
#pragma GCC unroll 10
  for (int x = 0; x < SCREEN_WIDTH; x += 16) *(pixels16 *)(to + x) = *(const pixels16 *)(from + x);
}

/* Show a line of the cache in this row, which may show it already. */
static inline void tia_line_show(machine *m, const cached_line *line, int y) {
  uint32_t *drawn = &m->work->drawn[m->current][y];
  if (*drawn == line->stamp) return;
  *drawn = line->stamp;
  tia_line_copy(m->picture[m->current] + y * SCREEN_WIDTH, line->pixels);
}

/* Collisions that the line could have, by the objects that are on. */
uint16_t tia_line_possible(const machine *m);

/* The collisions of pixels x_begin .. x_end - 1 of the line. */
uint16_t tia_line_collisions(const machine *m, int x_begin, int x_end);

/* The segment that decides pixel x. */
const tia_segment *tia_line_look_at(const machine *m, int x);

#endif
