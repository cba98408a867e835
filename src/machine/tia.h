/* The TIA: registers, and the rules that both of its implementations share (tia_common.c).
 *
 * tia_plain.c draws one color clock after the other and is the reference of the tests: every access first brings the
 * picture up to the beam, so that a write changes only what comes after it. The fast TIA (tia_fast.h) logs writes and
 * draws whole lines later. */
#ifndef SIXER_MACHINE_TIA_H
#define SIXER_MACHINE_TIA_H

#include "machine/machine.h"

/* Write registers. */
enum {
  VSYNC,
  VBLANK,
  WSYNC,
  RSYNC,
  NUSIZ0,
  NUSIZ1,
  COLUP0,
  COLUP1,
  COLUPF,
  COLUBK,
  CTRLPF,
  REFP0,
  REFP1,
  PF0,
  PF1,
  PF2,
  RESP0,
  RESP1,
  RESM0,
  RESM1,
  RESBL,
  AUDC0,
  AUDC1,
  AUDF0,
  AUDF1,
  AUDV0,
  AUDV1,
  GRP0,
  GRP1,
  ENAM0,
  ENAM1,
  ENABL,
  HMP0,
  HMP1,
  HMM0,
  HMM1,
  HMBL,
  VDELP0,
  VDELP1,
  VDELBL,
  RESMP0,
  RESMP1,
  HMOVE,
  HMCLR,
  CXCLR
};

/* Clocks from a write to its effect on the picture; the playfield's depend on the phase of the line. */
extern const uint8_t tia_delay[64];
static inline int tia_write_delay(int reg, int hpos) {
  static const uint8_t playfield[4] = {4, 5, 2, 3};
  return reg >= PF0 && reg <= PF2 ? playfield[(hpos / 3) & 3] : tia_delay[reg];
}

static inline int32_t tia_clock(const console *c) { return 3 * c->cycles; }
static inline int32_t tia_window_start(const machine *m) {
  return m->c->tia.frame_start + LINE_CLOCKS * m->config.first_line;
}
static inline int32_t tia_window_stop(const machine *m) {
  return tia_window_start(m) + LINE_CLOCKS * m->config.lines;
}

/* Does an object cover the pixel at distance d (0..159) to the right of its position? For players: the bit of
 * the graphic that is shown there (7 is the leftmost), or -1 if none is. */
int tia_player_bit(int nusiz, bool skip_first, int d);
bool tia_missile_at(int nusiz, int star, int d);
static inline bool tia_ball_at(int ctrl, int d) { return d < 1 << ((ctrl >> 4) & 3); }
static inline int tia_distance(int x, int pos) {
  return x >= pos ? x - pos : x - pos + SCREEN_WIDTH;
}
static inline uint8_t tia_moved(int pos, int by) {
  pos += by;
  return (uint8_t)(pos >= SCREEN_WIDTH ? pos - SCREEN_WIDTH : pos < 0 ? pos + SCREEN_WIDTH : pos);
}
/* How far HMOVE moves an object, by the cycle of the line and the object's motion. */
extern const int8_t tia_motion[LINE_CYCLES][16];

/* Distances at which the copies of players and missiles start, by the low bits of NUSIZ. */
extern const uint8_t tia_copy_count[8], tia_copies[8][3];

bool tia_playfield_at(const tia_look *look, int x);

/* Bytes with their bits in reverse. */
extern const uint8_t tia_reversed[256];

/* Effects that both implementations apply when their picture is up to date. */
void tia_update_graphics(tia_state *t);
static inline void tia_update_enables(tia_state *t) {
  uint8_t on = 0;
  if (t->enam[0] && !t->resmp[0]) on |= 1 << M0;
  if (t->enam[1] && !t->resmp[1]) on |= 1 << M1;
  if (t->vdel_bl ? t->old_enabl : t->enabl) on |= 1 << BL;
  t->look.enabled = on;
}

/* STAR_ of a line of the Cosmic Ark effect, by star_count. */
static inline uint8_t tia_star(int count) {
  return count == 1 ? STAR_WIDE : count == 2 ? STAR_HIDDEN : STAR_NORMAL;
}

static inline void tia_end_of_line(tia_state *t) {
  static const uint8_t star_step[4] = {18, 33, 0, 17};
  t->look.reflect = t->ctrlpf & 1;
  t->look.skip_first = 0;
  if (t->star_on) {
    t->star_count = (t->star_count + 1) & 3;
    t->look.pos[M0] = tia_moved(t->look.pos[M0], -star_step[t->star_count]);
    t->look.star = tia_star(t->star_count);
  }
}

static inline void tia_strobe_hmove(machine *m, int32_t clock, int hpos) {
  tia_state *t = &m->c->tia;
  int cycle = hpos / 3;
  const int8_t *by = tia_motion[cycle];
  if (by[0] || t->hm[P0] | t->hm[P1] | t->hm[M0] | t->hm[M1] | t->hm[BL]) {
    for (int i = 0; i < 5; i++) t->look.pos[i] = tia_moved(t->look.pos[i], by[t->hm[i]]);
  }
  t->look.skip_first = 0;
  t->look.star = STAR_NORMAL;
  t->star_on = 0;
  t->last_hmove = clock;
  if (m->config.hmove_blanks && (cycle <= 20 || cycle == 75)) t->look.blank = 1;
}

int tia_strobe_position(const tia_state *t, int reg, int32_t clock, int hpos);

/* Where a player's new position falls relative to its copies at the old one (docs/console.md, section 6). */
typedef enum resp_region { RESP_OUTSIDE, RESP_DELAY, RESP_DISPLAY } resp_region;
resp_region tia_resp_region(int nusiz, int old_pos, int new_pos);

/* Everything that a write to a register does. The caller has brought the picture up to the clock of its effect. */
void tia_store(machine *m, int reg, uint8_t value, int32_t clock, int hpos);

/* A paddle input reads 1 once its capacitor has charged through the paddle's resistance: after this cycle. No
 * read is as early as cycle 0. */
uint32_t tia_charged_after(const machine *m, int paddle);

/* Value of a read register, collisions included; the picture must be up to date. */
uint8_t tia_load(const machine *m, int reg);

/* Frames. */
void tia_reset(machine *m);
void tia_rebase(machine *m, int32_t cycles);
void tia_begin_frame(machine *m); /* unless an interrupted one goes on */
void tia_end_frame(machine *m);   /* counts lines, dims what an interrupted frame did not reach */

uint8_t tia_plain_read(machine *m, uint16_t address);
void tia_plain_write(machine *m, uint16_t address, uint8_t value);

/* Color of a pixel by what is lit there, and the latches that its overlaps set. `lit` has bits 1 << P0 .. 1 << PF. */
uint8_t tia_color(const tia_look *look, int lit, bool left_half, bool only_playfield);
uint16_t tia_collisions(int lit);

/* The reference draws four pixels at once where it can, and so writes up to three pixels more than asked. They
 * are redrawn later and so only show in a row that the frame's end leaves unfinished. `row` is the row's first
 * pixel; pixels before x_first are left alone. */
void tia_overshoot(const tia_look *look, uint8_t *row, int x_begin, int x_end, int x_first);

#endif
