/* The fast TIA: collecting segments. tia_line.c turns them into pixels. */
#include "machine/tia_fast.h"

#include <string.h>

#include "machine/tia_line.h"

static inline int visible(int32_t clock_in_line) {
  int x = clock_in_line - LINE_BLANK;
  return x < 0 ? 0 : x > SCREEN_WIDTH ? SCREEN_WIDTH : x;
}

/* Begin a line with the look as it is. */
static void open_line(machine *m) {
  tia_line *l = &m->line;
  l->segments[0].look = m->c->tia.look;
  l->segments[0].x = 0;
  l->count = 1;
  l->x_from = l->cx_from = 0;
  l->zeroed = 0;
  l->calls = 0;
  l->blank_new = m->c->tia.look.blank;
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

/* The window ends with its last line drawn but not ended: nothing below it is ever processed. */
static void close_window(machine *m) {
  tia_line *l = &m->line;
  tia_line_draw(m, SCREEN_WIDTH);
  l->x_from = l->cx_from = SCREEN_WIDTH;
  l->last = NEVER;
}

/* The general case of advance(): lines or the window end, or the reference blanks pixels ahead of the beam, which
 * show if the frame ends in this row. */
static __attribute__((noinline)) void advance_far(machine *m, int32_t until) {
  tia_line *l = &m->line;
  if (until > l->stop) until = l->stop;
  int32_t from = l->last;
  while (until > l->end) {
    close_line(m);
    from = l->begin;
  }
  if (l->blank_new) {
    int at = until - l->begin;
    if (at < LINE_BLANK) l->zeroed = (uint8_t)(LINE_BLANK + 8 - at);
    l->blank_new = 0;
  }
  l->calls = l->calls << 16 | (uint64_t)(from - l->begin);
  l->last = until;
  if (until == l->stop) close_window(m);
}

/* Everything before clock `until` is decided. The end of a line is processed only when the beam has passed it. */
static inline void advance(machine *m, int32_t until) {
  tia_line *l = &m->line;
  if (until <= l->last) return;
  if (until >= l->end || l->blank_new) {
    advance_far(m, until);
    return;
  }
  l->calls = l->calls << 16 | (uint64_t)(l->last - l->begin);
  l->last = until;
}

/* The look has changed: it holds from the beam on. */
static inline void changed(machine *m) {
  tia_line *l = &m->line;
  int x = l->last - l->begin - LINE_BLANK;
  if (x < 0) x = 0;
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

/* The position in the line, visible or not. */
static inline int hpos_of(machine *m, int32_t clock) {
  tia_line *l = &m->line;
  int32_t hpos = clock - l->beam;
  if ((uint32_t)hpos >= LINE_CLOCKS) {
    hpos = (clock - m->c->tia.frame_start) % LINE_CLOCKS;
    l->beam = clock - hpos;
  }
  return hpos;
}

/* ---- Registers that are written most ---------------------------------------------------------------------------- */

static inline void set(machine *m, uint8_t *where, uint8_t value) {
  if (*where == value) return;
  *where = value;
  changed(m);
}

static void set_graphics(machine *m) {
  tia_look *look = &m->c->tia.look;
  uint8_t before[2] = {look->graphic[0], look->graphic[1]};
  tia_update_graphics(&m->c->tia);
  if (before[0] != look->graphic[0] || before[1] != look->graphic[1]) changed(m);
}

static void set_enables(machine *m) {
  uint8_t before = m->c->tia.look.enabled;
  tia_update_enables(&m->c->tia);
  if (before != m->c->tia.look.enabled) changed(m);
}

static void write_hmove(machine *m, int32_t clock, int hpos) {
  tia_line *l = &m->line;
  tia_look *look = &m->c->tia.look;
  /* past the first eight pixels, an earlier blank has done its work and a new one waits for the next line */
  bool late = l->last - l->begin >= LINE_BLANK + 8, before = look->blank;
  if (late) look->blank = 0;
  tia_store(m, HMOVE, 0, clock, hpos);
  if (late && look->blank) l->blank_late = 1;
  if (!late && look->blank && !before) l->blank_new = 1;
  changed(m);
}

static void write_resp(machine *m, int reg, int32_t clock, int hpos) {
  const tia_look *look = &m->c->tia.look;
  int n = reg - RESP0, pos = tia_strobe_position(&m->c->tia, reg, clock, hpos);
  if (tia_resp_region(look->nusiz[n], look->pos[n], pos) == RESP_DISPLAY) advance(m, clock + 11);
  tia_store(m, reg, 0, clock, hpos);
  changed(m);
}

void tia_fast_write(machine *m, uint16_t address, uint8_t value) {
  tia_state *t = &m->c->tia;
  tia_line *l = &m->line;
  int reg = address & 0x3F;
  int32_t clock = tia_clock(m->c);
  int hpos = hpos_of(m, clock);
  if (clock >= l->cut) {
    m->stop = true;
    t->partial = 0;
  }
  advance(m, clock + tia_write_delay(reg, hpos));
  switch (reg) {
    case WSYNC:
      if (m->c->last_read && hpos) m->c->cycles += (LINE_CLOCKS - hpos) / 3;
      break;
    case COLUP0:
    case COLUP1:
    case COLUPF:
    case COLUBK: {
      bool lost = m->config.color_loss && (t->frame_lines & 1);
      set(m, &t->look.color[reg - COLUP0], (uint8_t)((value & 0xFE) | lost));
      break;
    }
    case PF0: set(m, &t->look.pf[0], value & 0xF0); break;
    case PF1: set(m, &t->look.pf[1], value); break;
    case PF2: set(m, &t->look.pf[2], value); break;
    case GRP0:
      t->grp[0] = value;
      t->old_grp[1] = t->grp[1];
      set_graphics(m);
      break;
    case GRP1:
      t->grp[1] = value;
      t->old_grp[0] = t->grp[0];
      set_graphics(m);
      if (t->old_enabl != t->enabl) {
        t->old_enabl = t->enabl;
        set_enables(m);
      }
      break;
    case ENAM0:
    case ENAM1:
      t->enam[reg - ENAM0] = (value >> 1) & 1;
      set_enables(m);
      break;
    case ENABL:
      t->enabl = (value >> 1) & 1;
      set_enables(m);
      break;
    case RESP0:
    case RESP1: write_resp(m, reg, clock, hpos); break;
    case HMOVE: write_hmove(m, clock, hpos); break;
    case CXCLR:
      t->collisions = 0;
      l->cx_from = (uint8_t)visible(l->last - l->begin);
      break;
    case VSYNC:
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
    default: {
      tia_look before = t->look;
      tia_store(m, reg, value, clock, hpos);
      if (memcmp(&before, &t->look, sizeof before) != 0) changed(m);
      break;
    }
  }
}

/* ---- Frames ---------------------------------------------------------------------------------------------------- */

bool tia_fast_can(const machine *m) {
  const tia_state *t = &m->c->tia;
  return !t->partial || t->last >= tia_window_start(m);
}

void tia_fast_begin(machine *m) {
  tia_line *l = &m->line;
  tia_state *t = &m->c->tia;
  int from = LINE_CLOCKS - t->to_end, x = visible(from);
  l->start = tia_window_start(m);
  l->stop = tia_window_stop(m);
  l->last = t->last;
  l->begin = t->last - from;
  l->end = l->begin + LINE_CLOCKS;
  l->beam = t->frame_start;
  l->cut = t->frame_start + LINE_CLOCKS * (m->config.max_lines + 1);
  l->blank_late = 0;
  open_line(m);
  /* an interrupted frame goes on in the middle of a line */
  l->calls = (uint64_t)from * 0x0001000100010001u;
  l->row = t->row - (uint32_t)x;
  l->x_from = l->cx_from = l->segments[0].x = (uint8_t)x;
  if (from >= LINE_BLANK + 8) l->blank_late = t->look.blank;
  if (t->last >= l->stop) l->last = NEVER;
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
  bool closed = l->last == NEVER;
  if (closed) l->last = l->stop;
  int from = l->last - l->begin, x = visible(from);
  if (l->last > l->begin) {
    if (!closed) tia_line_draw(m, x);
    if (m->draw && x < SCREEN_WIDTH) finish_row(m, from, x);
    if (from >= LINE_BLANK + 8) t->look.blank = l->blank_late;
  }
  t->last = l->last;
  t->to_end = l->end - l->last;
  t->row = l->row + (uint32_t)x;
}
