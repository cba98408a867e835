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

/* Rows of pictures wait for their pixels until somebody looks (tia_rows_finish): of the rows that a cached line is
 * shown in, most show another one before that, or are known by their stamps. This row waits for this line, and no
 * longer for another one; 0: for none. */
static inline void tia_row_waits(tia_work *work, int which, int y, uint32_t line_plus_1) {
  uint16_t *const waits = &work->row_waits[which][y];
  work->cached_rows[*waits]--;
  work->cached_rows[line_plus_1]++;
  *waits = (uint16_t)line_plus_1;
}

/* Show a line of the cache in this row, which may show it already. */
static inline void tia_cache_show(machine *m, uint32_t slot, int y) {
  tia_work *const work = m->work;
  uint32_t *const shown = &work->row_stamp[m->current][y];
  const uint32_t stamp = work->cached_stamp[slot];
  if (*shown == stamp) return;
  *shown = stamp;
  tia_row_waits(work, m->current, y, slot + 1);
}

/* Give this row, or all rows of a picture, the pixels that they wait for. */
void tia_row_finish(const machine *m, int which, int y);
void tia_rows_finish(const machine *m, int which);

/* The collisions of pixels x_begin .. x_end - 1 of the line of the beam, if they are `wanted`. */
uint16_t tia_beam_collisions(const machine *m, uint16_t wanted, int x_begin, int x_end);

#endif
