/* The fast TIA: collecting segments. tia_line.c turns them into pixels. */
#include "machine/tia_fast.h"

#include <string.h>

#include "machine/tia_line.h"

static inline int visible(int32_t clock_in_line) {
  int x = clock_in_line - LINE_BLANK;
  return x < 0 ? 0 : x;
}

/* Begin a line with the look as it is. */
static inline void open_line(machine *m) {
  tia_line *l = &m->line;
  l->segments[0].look = m->c->tia.look;
  l->segments[0].x = 0;
  l->count = 1;
  l->x_from = l->cx_from = 0;
  l->zeroed = 0;
}

/* The beam has left the line: draw it, and do what the end of a line does. */
static void close_line(machine *m) {
  tia_line *l = &m->line;
  tia_state *t = &m->c->tia;
  tia_line_draw(m, SCREEN_WIDTH);
  t->look.blank = l->blank_late;
  l->blank_late = 0;
  tia_end_of_line(t);
  l->begin = l->end;
  l->end += LINE_CLOCKS;
  l->row += SCREEN_WIDTH;
  open_line(m);
}

/* Pixels that the reference blanks before the beam reaches them; they show if the frame ends in this row. */
static void note_early_blank(tia_line *l, int32_t from, int32_t to) {
  if (from - l->begin >= LINE_BLANK || to - l->begin >= LINE_BLANK) return;
  int zeroed = LINE_BLANK + 8 - (to - l->begin);
  if (zeroed > l->zeroed) l->zeroed = (uint8_t)zeroed;
}

/* The window ends with its last line drawn but not ended: nothing below it is ever processed. */
static void close_window(machine *m) {
  tia_line_draw(m, SCREEN_WIDTH);
  m->line.x_from = m->line.cx_from = SCREEN_WIDTH;
}

static void cross_lines(machine *m, int32_t until) {
  tia_line *l = &m->line;
  while (until > l->end) close_line(m);
  if (m->c->tia.look.blank) note_early_blank(l, l->begin, until);
  l->calls = 0;
  l->last = until;
  if (until == l->stop) close_window(m);
}

/* Everything before clock `until` is decided. The end of a line is processed only when the beam has passed it. */
static inline void advance(machine *m, int32_t until) {
  tia_line *l = &m->line;
  if (until <= l->last || until < l->start || l->last >= l->stop) return;
  if (until > l->stop) until = l->stop;
  if (until > l->end) {
    cross_lines(m, until);
    return;
  }
  if (m->c->tia.look.blank) note_early_blank(l, l->last, until);
  l->calls = l->calls << 16 | (uint64_t)(l->last - l->begin);
  l->last = until;
  if (until == l->stop) close_window(m);
}

/* The look has changed: it holds from the beam on. */
static inline void changed(machine *m) {
  tia_line *l = &m->line;
  int x = visible(l->last - l->begin);
  tia_segment *s = &l->segments[l->count - 1];
  if (s->x != x) {
    if (x >= SCREEN_WIDTH) return;
    if (l->count < SEGMENTS_MAX) l->count++, s++;
    s->x = (uint8_t)x;
  }
  s->look = m->c->tia.look;
}

/* Collisions so far, those of the unfinished line included. */
static uint16_t collisions_now(machine *m) {
  tia_line *l = &m->line;
  uint16_t latches = m->c->tia.collisions;
  int x = visible(l->last - l->begin);
  return x > l->cx_from ? latches | tia_line_collisions(m, l->cx_from, x) : latches;
}

uint8_t tia_fast_read(machine *m, uint16_t address) {
  int reg = address & 0x0F;
  advance(m, tia_clock(m->c));
  if (reg < 8) {
    uint8_t noise = m->c->bus & 0x3F;
    return (uint8_t)(noise | (collisions_now(m) >> (2 * reg) & 3) << 6);
  }
  return tia_load(m, reg);
}

/* The position in the line. The line that is being collected is nearly always the right one. */
static inline int hpos_of(const machine *m, int32_t clock) {
  int32_t h = clock - m->line.begin;
  return (uint32_t)h < LINE_CLOCKS ? h : (clock - m->c->tia.frame_start) % LINE_CLOCKS;
}

void tia_fast_write(machine *m, uint16_t address, uint8_t value) {
  tia_state *t = &m->c->tia;
  tia_line *l = &m->line;
  int reg = address & 0x3F;
  int32_t clock = tia_clock(m->c);
  int hpos = hpos_of(m, clock);
  advance(m, clock + tia_write_delay(reg, hpos));
  if (clock >= l->cut) {
    m->stop = true;
    t->partial = 0;
  }
  switch (reg) {
    case RESP0:
    case RESP1: {
      int n = reg - RESP0, pos = tia_strobe_position(t, reg, clock, hpos);
      if (tia_resp_region(t->look.nusiz[n], t->look.pos[n], pos) == RESP_DISPLAY)
        advance(m, clock + 11);
      tia_store(m, reg, value, clock, hpos);
      changed(m);
      break;
    }
    case CXCLR:
      t->collisions = 0;
      l->cx_from = (uint8_t)visible(l->last - l->begin);
      break;
    case HMOVE: {
      /* past the first eight pixels, an earlier blank has done its work and a new one waits for the next line */
      bool late = l->last - l->begin >= LINE_BLANK + 8;
      if (late) t->look.blank = 0;
      tia_store(m, reg, value, clock, hpos);
      if (late && t->look.blank) l->blank_late = 1;
      changed(m);
      break;
    }
    case VSYNC:
    case WSYNC:
    case RSYNC:
    case AUDC0:
    case AUDC1:
    case AUDF0:
    case AUDF1:
    case AUDV0:
    case AUDV1:
    case HMP0:
    case HMP1:
    case HMM0:
    case HMM1:
    case HMBL:
    case HMCLR: tia_store(m, reg, value, clock, hpos); break;
    default:
      tia_store(m, reg, value, clock, hpos);
      changed(m);
      break;
  }
}

/* ---- Frames ---------------------------------------------------------------------------------------------------- */

void tia_fast_begin(machine *m) {
  tia_line *l = &m->line;
  tia_state *t = &m->c->tia;
  int from = LINE_CLOCKS - t->to_end;
  l->start = tia_window_start(m);
  l->stop = tia_window_stop(m);
  l->last = t->last;
  l->begin = t->last - from;
  l->end = l->begin + LINE_CLOCKS;
  l->calls = (uint64_t)from * 0x0001000100010001u;
  l->cut = t->frame_start + LINE_CLOCKS * (m->config.max_lines + 1);
  l->blank_late = 0;
  open_line(m);
  /* an interrupted frame goes on in the middle of a line */
  int x = visible(from);
  l->row = t->row - (uint32_t)x;
  l->x_from = l->cx_from = l->segments[0].x = (uint8_t)x;
  if (from >= LINE_BLANK + 8) l->blank_late = t->look.blank;
}

/* The row stays as it is: what the reference wrote ahead of the beam shows. */
static void finish_row(machine *m, int from, int x) {
  tia_line *l = &m->line;
  uint8_t *row = m->picture[m->current] + l->row;
  if (l->zeroed > x) memset(row + x, 0, (size_t)(l->zeroed - x));
  for (int piece = 3; piece >= 0; piece--) {
    int begin = visible((int32_t)(l->calls >> (16 * piece) & 0xFFFF));
    int end = piece ? visible((int32_t)(l->calls >> (16 * (piece - 1)) & 0xFFFF)) : x;
    if (end > begin) tia_overshoot(&tia_line_look_at(m, end - 1)->look, row, begin, end, x);
  }
  if (m->c->tia.look.blank && from >= LINE_BLANK && x < 8) memset(row + x, 0, (size_t)(8 - x));
}

void tia_fast_end(machine *m) {
  tia_line *l = &m->line;
  tia_state *t = &m->c->tia;
  int from = l->last - l->begin, x = visible(from);
  if (l->last > l->begin || l->last >= l->stop) {
    tia_line_draw(m, x);
    if (m->draw && x < SCREEN_WIDTH) finish_row(m, from, x);
    if (from >= LINE_BLANK + 8) t->look.blank = l->blank_late;
  }
  t->last = l->last;
  t->to_end = l->end - l->last;
  t->row = l->row + (uint32_t)x;
}
