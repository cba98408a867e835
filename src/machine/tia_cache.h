/* The cache of drawn lines: from the segments of a line to its row in the picture. */
#ifndef SIXER_MACHINE_TIA_CACHE_H
#define SIXER_MACHINE_TIA_CACHE_H

#include "machine/tia_work.h"

/* Draw the pixels of the line of the beam up to x_end that are not drawn yet, and latch their collisions. Returns the
 * line in the cache, or NULL if it is not there. Without machine.draw, only latches collisions. */
const cached_line *tia_cache_draw(machine *m, int x_end);

/* Rows that change often cost less if their lines are drawn each time than if they are looked up, kept and learned as
 * known ones in vain. A row whose line was new in more than one of four frames, for a hundred frames and more, is noise
 * for the next ROW_PAUSE frames. Then it has the same time again: it may have calmed down, or have shown many lines in
 * turn that take a while to learn. In every 32nd frame it is looked up all the same, so that what it mostly shows is
 * known. */
enum { ROW_NEW = 3, ROW_NOISE = 192, ROW_PAUSE = 4096 };
static inline bool tia_row_pauses(const tia_hints *h, const tia_row *row) {
  return row->often >= ROW_NOISE && (uint16_t)(h->number - row->last) < ROW_PAUSE;
}
static inline bool tia_is_noise(const tia_hints *h, const tia_row *row) {
  return tia_row_pauses(h, row) && h->frames % 32 != 0;
}
static inline bool tia_row_is_noise(const tia_hints *h, int32_t y) {
  return tia_is_noise(h, &h->missed[y]);
}

/* The line was new. Each frame since the last time makes up for it by `calm` of the ROW_NEW that it counts. */
static inline void tia_row_was_new(const tia_hints *h, tia_row *row, int calm) {
  if (tia_row_pauses(h, row)) return;
  const int before = row->often - calm * (uint16_t)(h->number - row->last - 1);
  row->often = (uint16_t)((before > 0 ? before : 0) + ROW_NEW);
  row->last = h->number;
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
