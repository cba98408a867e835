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
  l->segments[0].set = l->set;
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
  if (m->objects) tia_objects_note(m);
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
  if (m->objects) tia_objects_note(m);
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
  s->set = l->set;
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

/* ---- Registers ------------------------------------------------------------------------------------------------- */

/* A write beyond the longest frame ends it. */
static inline int32_t arrive(machine *m) {
  int32_t clock = tia_clock(m->c);
  if (clock >= m->line.cut) {
    m->stop = true;
    m->c->tia.partial = 0;
  }
  return clock;
}

static inline void set(machine *m, uint8_t *where, uint8_t value) {
  if (*where == value) return;
  *where = value;
  changed(m);
}

static inline void write_color(machine *m, int which, uint8_t value) {
  advance(m, arrive(m));
  bool lost = m->config.color_loss && (m->c->tia.frame_lines & 1);
  set(m, &m->c->tia.look.color[which], (uint8_t)((value & 0xFE) | lost));
}
static void write_colup0(machine *m, uint8_t value) { write_color(m, COLOR_P0, value); }
static void write_colup1(machine *m, uint8_t value) { write_color(m, COLOR_P1, value); }
static void write_colupf(machine *m, uint8_t value) { write_color(m, COLOR_PF, value); }
static void write_colubk(machine *m, uint8_t value) { write_color(m, COLOR_BK, value); }

static inline void write_pf(machine *m, int which, uint8_t value) {
  int32_t clock = arrive(m);
  advance(m, clock + tia_write_delay(PF0, hpos_of(m, clock)));
  uint8_t *pf = m->c->tia.look.pf;
  if (pf[which] == value) return;
  pf[which] = value;
  m->line.set = (uint8_t)((m->line.set & ~(1 << PF)) | ((pf[0] | pf[1] | pf[2]) != 0) << PF);
  changed(m);
}
static void write_pf0(machine *m, uint8_t value) { write_pf(m, 0, value & 0xF0); }
static void write_pf1(machine *m, uint8_t value) { write_pf(m, 1, value); }
static void write_pf2(machine *m, uint8_t value) { write_pf(m, 2, value); }

static inline uint8_t displayed(const tia_state *t, int n) {
  uint8_t graphic = t->vdel[n] ? t->old_grp[n] : t->grp[n];
  return t->refp[n] ? tia_reversed[graphic] : graphic;
}

static inline void set_graphics(machine *m) {
  tia_state *t = &m->c->tia;
  uint8_t g0 = displayed(t, 0), g1 = displayed(t, 1);
  if (g0 == t->look.graphic[0] && g1 == t->look.graphic[1]) return;
  t->look.graphic[0] = g0;
  t->look.graphic[1] = g1;
  m->line.set = (uint8_t)((m->line.set & ~(1 << P0 | 1 << P1)) | (g0 != 0) << P0 | (g1 != 0) << P1);
  changed(m);
}

static void set_enables(machine *m) {
  uint8_t before = m->c->tia.look.enabled;
  tia_update_enables(&m->c->tia);
  if (before == m->c->tia.look.enabled) return;
  m->line.set = (uint8_t)((m->line.set & ~(1 << M0 | 1 << M1 | 1 << BL)) | m->c->tia.look.enabled);
  changed(m);
}

static void write_grp0(machine *m, uint8_t value) {
  tia_state *t = &m->c->tia;
  advance(m, arrive(m) + 1);
  t->grp[0] = value;
  t->old_grp[1] = t->grp[1];
  set_graphics(m);
}

static void write_grp1(machine *m, uint8_t value) {
  tia_state *t = &m->c->tia;
  advance(m, arrive(m) + 1);
  t->grp[1] = value;
  t->old_grp[0] = t->grp[0];
  set_graphics(m);
  if (t->old_enabl != t->enabl) {
    t->old_enabl = t->enabl;
    set_enables(m);
  }
}

static inline void write_enable(machine *m, uint8_t *where, uint8_t value) {
  advance(m, arrive(m));
  value = (value >> 1) & 1;
  if (*where == value) return;
  *where = value;
  set_enables(m);
}
static void write_enam0(machine *m, uint8_t value) { write_enable(m, &m->c->tia.enam[0], value); }
static void write_enam1(machine *m, uint8_t value) { write_enable(m, &m->c->tia.enam[1], value); }
static void write_enabl(machine *m, uint8_t value) { write_enable(m, &m->c->tia.enabl, value); }

static inline void write_hm(machine *m, int which, uint8_t value) {
  advance(m, arrive(m));
  m->c->tia.hm[which] = value >> 4;
}
static void write_hmp0(machine *m, uint8_t value) { write_hm(m, P0, value); }
static void write_hmp1(machine *m, uint8_t value) { write_hm(m, P1, value); }
static void write_hmm1(machine *m, uint8_t value) { write_hm(m, M1, value); }
static void write_hmbl(machine *m, uint8_t value) { write_hm(m, BL, value); }

static void write_wsync(machine *m, uint8_t value) {
  (void)value;
  int32_t clock = arrive(m);
  int hpos = hpos_of(m, clock);
  advance(m, clock);
  if (m->c->last_read && hpos) m->c->cycles += (LINE_CLOCKS - hpos) / 3;
}

static void write_hmove(machine *m, uint8_t value) {
  tia_line *l = &m->line;
  tia_look *look = &m->c->tia.look;
  int32_t clock = arrive(m);
  advance(m, clock);
  /* past the first eight pixels, an earlier blank has done its work and a new one waits for the next line */
  bool late = l->last - l->begin >= LINE_BLANK + 8, before = look->blank;
  if (late) look->blank = 0;
  tia_store(m, HMOVE, value, clock, hpos_of(m, clock));
  if (late && look->blank) l->blank_late = 1;
  if (!late && look->blank && !before) l->blank_new = 1;
  changed(m);
}

static inline void write_resp(machine *m, int reg, uint8_t value) {
  const tia_look *look = &m->c->tia.look;
  int32_t clock = arrive(m);
  int hpos = hpos_of(m, clock);
  advance(m, clock);
  int n = reg - RESP0, pos = tia_strobe_position(&m->c->tia, reg, clock, hpos);
  if (tia_resp_region(look->nusiz[n], look->pos[n], pos) == RESP_DISPLAY) advance(m, clock + 11);
  tia_store(m, reg, value, clock, hpos);
  changed(m);
}
static void write_resp0(machine *m, uint8_t value) { write_resp(m, RESP0, value); }
static void write_resp1(machine *m, uint8_t value) { write_resp(m, RESP1, value); }

static void write_cxclr(machine *m, uint8_t value) {
  (void)value;
  advance(m, arrive(m));
  m->c->tia.collisions = 0;
  m->line.cx_from = (uint8_t)visible(m->line.last - m->line.begin);
}

/* Registers that do not show: sound, VSYNC, motion. */
static inline void write_hidden(machine *m, int reg, uint8_t value) {
  int32_t clock = arrive(m);
  advance(m, clock);
  tia_store(m, reg, value, clock, 0);
}
static void write_vsync(machine *m, uint8_t value) { write_hidden(m, VSYNC, value); }
static void write_hmm0(machine *m, uint8_t value) { write_hidden(m, HMM0, value); }
static void write_hmclr(machine *m, uint8_t value) { write_hidden(m, HMCLR, value); }
static void write_unused(machine *m, uint8_t value) { write_hidden(m, RSYNC, value); }
#define AUDIO(name, REG)                        \
  static void name(machine *m, uint8_t value) { \
    advance(m, arrive(m));                      \
    m->audio[REG - AUDC0] = value;              \
  }
AUDIO(write_audc0, AUDC0)
AUDIO(write_audc1, AUDC1)
AUDIO(write_audf0, AUDF0)
AUDIO(write_audf1, AUDF1)
AUDIO(write_audv0, AUDV0)
AUDIO(write_audv1, AUDV1)

/* All others, by the common code. */
static inline void write_look(machine *m, int reg, uint8_t value) {
  tia_look *look = &m->c->tia.look, before = *look;
  int32_t clock = arrive(m);
  int hpos = hpos_of(m, clock);
  advance(m, clock + tia_delay[reg]);
  before = *look; /* the end of a line may have changed it */
  tia_store(m, reg, value, clock, hpos);
  if (memcmp(&before, look, sizeof before) == 0) return;
  m->line.set = (uint8_t)tia_shown_set(look);
  changed(m);
}
#define LOOK(name, REG) \
  static void name(machine *m, uint8_t value) { write_look(m, REG, value); }
LOOK(write_vblank, VBLANK)
LOOK(write_nusiz0, NUSIZ0)
LOOK(write_nusiz1, NUSIZ1)
LOOK(write_ctrlpf, CTRLPF)
LOOK(write_refp0, REFP0)
LOOK(write_refp1, REFP1)
LOOK(write_resm0, RESM0)
LOOK(write_resm1, RESM1)
LOOK(write_resbl, RESBL)
LOOK(write_vdelp0, VDELP0)
LOOK(write_vdelp1, VDELP1)
LOOK(write_vdelbl, VDELBL)
LOOK(write_resmp0, RESMP0)
LOOK(write_resmp1, RESMP1)

tia_writer *const tia_writers[64] = {
    write_vsync,  write_vblank, write_wsync,  write_unused, write_nusiz0, write_nusiz1,
    write_colup0, write_colup1, write_colupf, write_colubk, write_ctrlpf, write_refp0,
    write_refp1,  write_pf0,    write_pf1,    write_pf2,    write_resp0,  write_resp1,
    write_resm0,  write_resm1,  write_resbl,  write_audc0,  write_audc1,  write_audf0,
    write_audf1,  write_audv0,  write_audv1,  write_grp0,   write_grp1,   write_enam0,
    write_enam1,  write_enabl,  write_hmp0,   write_hmp1,   write_hmm0,   write_hmm1,
    write_hmbl,   write_vdelp0, write_vdelp1, write_vdelbl, write_resmp0, write_resmp1,
    write_hmove,  write_hmclr,  write_cxclr,  write_unused, write_unused, write_unused,
    write_unused, write_unused, write_unused, write_unused, write_unused, write_unused,
    write_unused, write_unused, write_unused, write_unused, write_unused, write_unused,
    write_unused, write_unused, write_unused, write_unused,
};

void tia_fast_write(machine *m, uint16_t address, uint8_t value) {
  tia_writers[address & 0x3F](m, value);
}

/* ---- Frames ---------------------------------------------------------------------------------------------------- */

bool tia_fast_can(const machine *m) {
  const tia_state *t = &m->c->tia;
  return !t->partial || t->last >= tia_window_start(m);
}

void tia_fast_begin(machine *m) {
  tia_line *l = &m->line;
  tia_state *t = &m->c->tia;
  if (m->objects && t->row == 0) tia_objects_clear(m->objects);
  int from = LINE_CLOCKS - t->to_end, x = visible(from);
  l->start = tia_window_start(m);
  l->stop = tia_window_stop(m);
  l->last = t->last;
  l->begin = t->last - from;
  l->end = l->begin + LINE_CLOCKS;
  l->beam = t->frame_start;
  l->cut = t->frame_start + LINE_CLOCKS * (m->config.max_lines + 1);
  l->blank_late = 0;
  l->set = (uint8_t)tia_shown_set(&t->look);
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
