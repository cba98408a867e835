/* Rows that a frame leaves unfinished.
 *
 * The reference brings its picture up to the beam whenever the TIA is accessed, also by accesses that change
 * nothing. So it draws a line in pieces, and with each piece it may write a few pixels ahead of the beam
 * (tia_overshoot). Later pieces hide them, except in the row in which the frame ends: the pieces of that row
 * are worked out here, from a log that has every access. */
#include "machine/tia_unfinished.h"

#include <string.h>

#include "machine/tia_cache.h"
#include "machine/tia_log.h"
#include "machine/tia_segments.h"

typedef struct pieces {
  int32_t at;     /* clock up to which the line is drawn */
  bool blank;     /* HMOVE was strobed: the next piece is the first one with the blank */
  uint8_t zeroed; /* pixels before this one were blanked ahead of the beam */
  int count;
  int16_t begin[2 * LINE_CYCLES]; /* pixels */
} pieces;

static void add_piece(machine *m, pieces *p, int32_t until) {
  const tia_beam *b = &m->beam;
  if (until > m->frame.stop) until = m->frame.stop;
  if (until <= p->at) return;
  int from = until - b->begin;
  if (p->blank && from < LINE_BLANK) p->zeroed = (uint8_t)(LINE_BLANK + 8 - from);
  p->blank = false;
  p->begin[p->count++] = (int16_t)tia_pixel_at(p->at - b->begin);
  p->at = until;
}

/* The first logged access whose effect may be in the line of the beam; no delay is longer than 4 cycles. */
static const uint32_t *log_of_line(const machine *m) {
  const uint32_t *w = m->frame.log_end;
  while (w > m->work->log && log_cycle(w[-1]) >= m->beam.begin / 3 - 4) w--;
  return w;
}

void tia_advance_to_access(machine *m) {
  tia_log_process(m, m->frame.log_end);
  for (const uint32_t *w = log_of_line(m); w < m->frame.log_end; w++)
    tia_advance(m, log_effect(&m->frame, *w));
}

/* The look of pixel x of the line of the beam. */
static const tia_look *look_at(const tia_beam *b, int x) {
  int i = b->count - 1;
  while (i > 0 && b->segments[i].x > x) i--;
  return &b->segments[i].look;
}

void tia_finish_row(machine *m, int from, int x) {
  const tia_frame *f = &m->frame;
  const tia_beam *b = &m->beam;
  uint8_t *row = m->picture[m->current] + b->y * SCREEN_WIDTH;
  tia_row_finish(m, m->current, b->y);
  m->work->row_stamp[m->current][b->y] = 0;
  bool continued = f->resumed >= b->begin;
  pieces p = {.at = continued ? f->resumed : b->begin, .blank = b->blank_open};
  for (const uint32_t *w = log_of_line(m); w < f->log_end; w++) {
    const int32_t clock = 3 * log_cycle(*w);
    const int reg = (int)log_register(*w);
    const uint8_t note = m->work->log_notes[w - m->work->log];
    add_piece(m, &p, log_effect(f, *w));
    if (reg == RESP0 || reg == RESP1) add_piece(m, &p, clock + note);
    if (reg == HMOVE && note && clock >= b->begin) p.blank = true;
  }
  if (p.zeroed > x) memset(row + x, 0, (size_t)(p.zeroed - x));
  for (int i = 0; i < p.count; i++) {
    int begin = p.begin[i], end = i + 1 < p.count ? p.begin[i + 1] : x;
    if (end > begin) tia_overshoot(look_at(b, end - 1), row, begin, end, x);
  }
  /* a continued frame without an access has drawn nothing */
  if (p.count && m->c->tia.look.blank && from >= LINE_BLANK && x < 8)
    memset(row + x, 0, (size_t)(8 - x));
}
