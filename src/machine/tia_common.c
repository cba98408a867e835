/* The TIA's registers, shapes and frames: everything but the drawing of lines. */
#include <string.h>

#include "machine/tia.h"

const uint8_t tia_delay[64] = {
    [VBLANK] = 1, [NUSIZ0] = 8, [NUSIZ1] = 8, [REFP0] = 1, [REFP1] = 1,
    [RESM0] = 8,  [RESM1] = 8,  [GRP0] = 1,   [GRP1] = 1,
};

/* ---- Shapes ---------------------------------------------------------------------------------------------------- */

const uint8_t tia_copy_count[8] = {1, 2, 2, 3, 2, 1, 3, 1};
const uint8_t tia_copies[8][3] = {{0},     {0, 16}, {0, 32},     {0, 16, 32},
                                  {0, 64}, {0},     {0, 32, 64}, {0}};

int tia_player_bit(int nusiz, bool skip_first, int d) {
  int mode = nusiz & 7;
  if (mode == 5) return d >= 1 && d <= 16 && !skip_first ? 7 - (d - 1) / 2 : -1;
  if (mode == 7) return d >= 1 && d <= 32 && !skip_first ? 7 - (d - 1) / 4 : -1;
  for (int i = skip_first; i < tia_copy_count[mode]; i++) {
    int from = tia_copies[mode][i];
    if (d >= from && d < from + 8) return 7 - (d - from);
  }
  return -1;
}

bool tia_missile_at(int nusiz, int star, int d) {
  if (star == STAR_HIDDEN) return false;
  int code = (nusiz >> 4) & 3, width = 1 << (star == STAR_WIDE ? code | 1 : code);
  for (int i = 0; i < tia_copy_count[nusiz & 7]; i++) {
    int from = tia_copies[nusiz & 7][i];
    if (d >= from && d < from + width) return true;
  }
  return false;
}

bool tia_playfield_at(const tia_look *look, int x) {
  int column = x < 80 ? x / 4 : look->reflect ? 39 - x / 4 : x / 4 - 20;
  if (column < 4) return look->pf[0] >> (4 + column) & 1;
  if (column < 12) return look->pf[1] >> (11 - column) & 1;
  return look->pf[2] >> (column - 12) & 1;
}

uint8_t tia_color(const tia_look *look, int lit, bool left_half, bool only_playfield) {
  const uint8_t *color = look->color;
  bool p0 = lit & (1 << P0 | 1 << M0), p1 = lit & (1 << P1 | 1 << M1);
  bool pf = lit & 1 << PF, score = look->ctrl & 2, priority = look->ctrl & 4;
  if (priority && !(only_playfield && score)) {
    if (pf || lit & 1 << BL) return color[COLOR_PF];
    return p0 ? color[COLOR_P0] : p1 ? color[COLOR_P1] : color[COLOR_BK];
  }
  if (p0) return color[COLOR_P0];
  if (pf && score && left_half) return color[COLOR_P0]; /* covers player 1, as player 0 does */
  if (p1) return color[COLOR_P1];
  if (pf) return color[score ? COLOR_P1 : COLOR_PF];
  return color[lit & 1 << BL ? COLOR_PF : COLOR_BK];
}

uint16_t tia_collisions(int lit) {
  static const struct {
    uint8_t a, b;
    uint16_t latch;
  } pair[15] = {
      {M0, P0, CX_M0P0}, {M0, P1, CX_M0P1}, {M1, P1, CX_M1P1}, {M1, P0, CX_M1P0}, {P0, BL, CX_P0BL},
      {P0, PF, CX_P0PF}, {P1, BL, CX_P1BL}, {P1, PF, CX_P1PF}, {M0, BL, CX_M0BL}, {M0, PF, CX_M0PF},
      {M1, BL, CX_M1BL}, {M1, PF, CX_M1PF}, {BL, PF, CX_BLPF}, {M0, M1, CX_M0M1}, {P0, P1, CX_P0P1},
  };
  uint16_t latches = 0;
  if (!(lit & (lit - 1))) return 0; /* fewer than two objects */
  for (int i = 0; i < 15; i++) {
    if ((lit >> pair[i].a & 1) && (lit >> pair[i].b & 1)) latches |= pair[i].latch;
  }
  return latches;
}

/* ---- The overshoot --------------------------------------------------------------------------------------------- */

/* The reference draws pixels in groups of four and sometimes completes the last group beyond the end of the part that
 * it draws. The next part covers it, so this shows only in a row that the end of a frame leaves unfinished
 * (docs/console.md, 7.2). */

#define SET1(a)    (1 << (a))
#define SET2(a, b) (1 << (a) | 1 << (b))

static int enabled_set(const tia_look *look) {
  int set = look->enabled & (1 << M0 | 1 << M1 | 1 << BL);
  if (look->graphic[0]) set |= 1 << P0;
  if (look->graphic[1]) set |= 1 << P1;
  if (look->pf[0] | look->pf[1] | look->pf[2]) set |= 1 << PF;
  return set;
}

static bool set_overshoots(int set, bool score) {
  switch (set) {
    case SET1(PF):
    case SET1(P0):
    case SET1(P1):
    case SET2(P0, P1):
    case SET1(M0):
    case SET1(M1):
    case SET1(BL):
    case SET2(M0, M1):
    case SET2(M0, BL):
    case SET2(M1, BL):
    case SET2(P1, BL): return true;
    case SET2(PF, P0):
    case SET2(PF, P1):
    case SET2(PF, BL): return !score;
    default: return false;
  }
}

static bool touches(const tia_look *look, int set, int x) {
  for (int n = 0; n < 2; n++) {
    if ((set >> (P0 + n) & 1) && tia_player_bit(look->nusiz[n], look->skip_first >> n & 1,
                                                tia_distance(x, look->pos[P0 + n])) >= 0) {
      return true;
    }
    if ((set >> (M0 + n) & 1) && tia_missile_at(look->nusiz[n], n ? STAR_NORMAL : look->star,
                                                tia_distance(x, look->pos[M0 + n]))) {
      return true;
    }
  }
  return (set >> BL & 1) && tia_ball_at(look->ctrl, tia_distance(x, look->pos[BL]));
}

void tia_overshoot(const tia_look *look, uint8_t *row, int x_begin, int x_end, int x_first) {
  int group = x_end & ~3, set = enabled_set(look);
  if (x_end == group || group < x_begin || look->vblank || !set_overshoots(set, look->ctrl & 2))
    return;
  for (int x = group; x < group + 4; x++) {
    if (touches(look, set, x)) return;
  }
  int lit = tia_playfield_at(look, group) ? 1 << PF : 0;
  uint8_t color = tia_color(look, lit, group < 80, set == 1 << PF);
  if (x_first < x_end) x_first = x_end;
  if (x_first < group + 4) memset(row + x_first, color, (size_t)(group + 4 - x_first));
}

/* ---- Registers ------------------------------------------------------------------------------------------------- */

#define R2(n) n, n + 2 * 64, n + 1 * 64, n + 3 * 64
#define R4(n) R2(n), R2(n + 2 * 16), R2(n + 1 * 16), R2(n + 3 * 16)
#define R6(n) R4(n), R4(n + 2 * 4), R4(n + 1 * 4), R4(n + 3 * 4)
const uint8_t tia_reversed[256] = {R6(0), R6(2), R6(1), R6(3)};

void tia_update_graphics(tia_state *t) {
  for (int n = 0; n < 2; n++) {
    uint8_t graphic = t->vdel[n] ? t->old_grp[n] : t->grp[n];
    t->look.graphic[n] = t->refp[n] ? tia_reversed[graphic] : graphic;
  }
}

/* How far HMOVE moves an object, by the cycle of the line and the object's motion register. The whole motion happens at
 * once. Late in horizontal blank, some of the motion to the left is lost. In the visible part objects move to the left
 * only, and most writes have no effect. */
#define PLAIN_MOTION(n) ((n) < 8 ? -(n) : 16 - (n))
#define LOST(cycle)     ((3 * (cycle) + 1) / 4)
#define EARLY(n, cycle) (PLAIN_MOTION(n) > LOST(cycle) - 9 ? PLAIN_MOTION(n) : LOST(cycle) - 9)
#define LATE(n, cycle) \
  (PLAIN_MOTION(n) - LOST(cycle) + 47 < 0 ? PLAIN_MOTION(n) - LOST(cycle) + 47 : 0)
#define MOTION(n, cycle) \
  ((cycle) <= 20 ? EARLY(n, cycle) : (cycle) <= 74 ? LATE(n, cycle) : PLAIN_MOTION(n))
#define MOTIONS4(n, cycle) \
  MOTION(n, cycle), MOTION(n + 1, cycle), MOTION(n + 2, cycle), MOTION(n + 3, cycle)
#define AT(cycle) \
  { MOTIONS4(0, cycle), MOTIONS4(4, cycle), MOTIONS4(8, cycle), MOTIONS4(12, cycle) }
#define AT4(cycle) AT(cycle), AT(cycle + 1), AT(cycle + 2), AT(cycle + 3)
const int8_t tia_motion[LINE_CYCLES][16] = {
    AT4(0),  AT4(4),  AT4(8),  AT4(12), AT4(16), AT4(20), AT4(24), AT4(28), AT4(32), AT4(36),
    AT4(40), AT4(44), AT4(48), AT4(52), AT4(56), AT4(60), AT4(64), AT4(68), AT4(72)};

resp_region tia_resp_region(int nusiz, int old_pos, int new_pos) {
  int mode = nusiz & 7, e = tia_distance(new_pos, old_pos),
      width = mode == 5   ? 16
              : mode == 7 ? 32
                          : 8;
  for (int i = 0; i < tia_copy_count[mode]; i++) {
    int from = tia_copies[mode][i];
    if (e >= from && e < from + 4) return RESP_DELAY;
    if (e >= from + 4 && e < from + 4 + width) return RESP_DISPLAY;
  }
  return RESP_OUTSIDE;
}

/* The position of an object after a write to its reset register at `hpos`. Shortly after HMOVE some differ. */
int tia_strobe_position(const tia_state *t, int reg, int32_t clock, int hpos) {
  int32_t since = cycle_sub(clock, t->last_hmove);
  switch (reg) {
    case RESP0:
    case RESP1: return hpos < LINE_BLANK ? 3 : (hpos - LINE_BLANK + 5) % SCREEN_WIDTH;
    case RESM0:
      if (since == 60 && hpos == 69) return 8;
      break;
    case RESM1:
      if (since == 9 && hpos == 18) return 3;
      break;
    case RESBL:
      if (since == 54 && (hpos == 60 || hpos == 69)) return 10;
      if (since == 9 && hpos == 18) return 3;
      if (since == 21 && hpos == 30) return 6;
      if (since == 18 && hpos == 27) return 5;
      break;
    default: break;
  }
  return hpos < LINE_BLANK ? 2 : (hpos - LINE_BLANK + 4) % SCREEN_WIDTH;
}

static void write_color(machine *m, int which, uint8_t value) {
  tia_state *t = &m->c->tia;
  bool lost = m->config.color_loss && (t->frame_lines & 1);
  t->look.color[which] = (uint8_t)((value & 0xFE) | lost);
}

static void write_vsync(machine *m, uint8_t value, int32_t clock) {
  tia_state *t = &m->c->tia;
  if (value & 2) {
    t->vsync_ready = clock + LINE_CLOCKS;
  } else if (clock >= t->vsync_ready) {
    t->vsync_ready = NEVER;
    t->partial = 0;
    m->stop = true;
  }
}

static void write_vblank(machine *m, uint8_t value, int32_t clock) {
  tia_state *t = &m->c->tia;
  if (value & 0x80) {
    t->dump = 1;
  } else if (t->dump) {
    t->dump = 0;
    t->dump_off = clock / 3;
  }
  t->vblank = value;
  t->look.vblank = (value >> 1) & 1;
}

static void write_resmp(tia_state *t, int n, uint8_t value) {
  bool hold = value & 2;
  if (t->resmp[n] && !hold) {
    int mode = t->look.nusiz[n] & 7;
    t->look.pos[M0 + n] = tia_moved(t->look.pos[P0 + n], mode == 5 ? 8 : mode == 7 ? 16 : 4);
    if (n == 0) t->look.star = STAR_NORMAL;
  }
  t->resmp[n] = hold;
  tia_update_enables(t);
}

/* Stops the processor until the next line, but only if its previous access was a read: in this way the reference
 * ignores the second write of read-modify-write instructions. */
static void write_wsync(console *c) {
  if (!c->last_read) return;
  int wait = 76 - (c->cycles - c->tia.frame_start / 3) % 76;
  if (wait < 76) c->cycles += wait;
}

void tia_store(machine *m, int reg, uint8_t value, int32_t clock, int hpos) {
  tia_state *t = &m->c->tia;
  tia_look *look = &t->look;
  switch (reg) {
    case VSYNC: write_vsync(m, value, clock); break;
    case VBLANK: write_vblank(m, value, clock); break;
    case WSYNC: write_wsync(m->c); break;
    case NUSIZ0:
    case NUSIZ1:
      look->nusiz[reg - NUSIZ0] = value & 0x37;
      look->skip_first &= (uint8_t) ~(1 << (reg - NUSIZ0));
      if (reg == NUSIZ0) look->star = STAR_NORMAL;
      break;
    case COLUP0:
    case COLUP1:
    case COLUPF:
    case COLUBK: write_color(m, reg - COLUP0, value); break;
    case CTRLPF:
      t->ctrlpf = value;
      look->ctrl = value & 0x36;
      if (hpos < 147) look->reflect = value & 1;
      break;
    case REFP0:
    case REFP1:
      t->refp[reg - REFP0] = (value >> 3) & 1;
      tia_update_graphics(t);
      break;
    case PF0: look->pf[0] = value & 0xF0; break;
    case PF1: look->pf[1] = value; break;
    case PF2: look->pf[2] = value; break;
    case RESP0:
    case RESP1: {
      int n = reg - RESP0, pos = tia_strobe_position(t, reg, clock, hpos);
      look->skip_first &= (uint8_t) ~(1 << n);
      if (tia_resp_region(look->nusiz[n], look->pos[n], pos) != RESP_DELAY)
        look->skip_first |= (uint8_t)(1 << n);
      look->pos[n] = (uint8_t)pos;
      break;
    }
    case RESM0:
    case RESM1:
    case RESBL:
      look->pos[M0 + reg - RESM0] = (uint8_t)tia_strobe_position(t, reg, clock, hpos);
      if (reg == RESM0) look->star = STAR_NORMAL;
      break;
    case AUDC0:
    case AUDC1:
    case AUDF0:
    case AUDF1:
    case AUDV0:
    case AUDV1: m->audio[reg - AUDC0] = value; break;
    case GRP0:
      t->grp[0] = value;
      t->old_grp[1] = t->grp[1];
      tia_update_graphics(t);
      break;
    case GRP1:
      t->grp[1] = value;
      t->old_grp[0] = t->grp[0];
      t->old_enabl = t->enabl;
      tia_update_graphics(t);
      tia_update_enables(t);
      break;
    case ENAM0:
    case ENAM1:
      t->enam[reg - ENAM0] = (value >> 1) & 1;
      tia_update_enables(t);
      break;
    case ENABL:
      t->enabl = (value >> 1) & 1;
      tia_update_enables(t);
      break;
    case HMM0:
      /* the stars of Cosmic Ark: HMM0 written while its motion is applied */
      if (cycle_sub(clock, t->last_hmove) == 63 && t->hm[M0] == 7 && value >> 4 == 6)
        t->star_on = 1, t->star_count = 0;
      t->hm[M0] = value >> 4;
      break;
    case HMP0:
    case HMP1:
    case HMM1:
    case HMBL: t->hm[reg - HMP0] = value >> 4; break;
    case VDELP0:
    case VDELP1:
      t->vdel[reg - VDELP0] = value & 1;
      tia_update_graphics(t);
      break;
    case VDELBL:
      t->vdel_bl = value & 1;
      tia_update_enables(t);
      break;
    case RESMP0:
    case RESMP1: write_resmp(t, reg - RESMP0, value); break;
    case HMOVE: tia_strobe_hmove(m, clock, hpos); break;
    case HMCLR: memset(t->hm, 0, sizeof t->hm); break;
    case CXCLR: t->collisions = 0; break;
    default: break;
  }
}

uint32_t tia_charged_after(const machine *m, int paddle) {
  const int32_t ohms = m->input.ohms[paddle];
  if (ohms == 0) return 0;
  if (ohms == OHMS_INFINITE || m->c->tia.dump) return UINT32_MAX;
  double needed = ((1.6 * ohms) * 0.01e-6) * 1.19e6;
  return (uint32_t)m->c->tia.dump_off + (uint32_t)(int32_t)needed;
}

uint8_t tia_load(const machine *m, int reg) {
  uint8_t noise = m->c->bus & 0x3F;
  if (reg < 8) return (uint8_t)(noise | (m->c->tia.collisions >> (2 * reg) & 3) << 6);
  if (reg < 12)
    return (uint8_t)(noise | ((uint32_t)m->c->cycles > tia_charged_after(m, reg - 8) ? 0x80 : 0));
  if (reg < 14) return noise | m->input.fire[reg - 12];
  return noise;
}

/* ---- Frames ---------------------------------------------------------------------------------------------------- */

void tia_reset(machine *m) {
  tia_state *t = &m->c->tia;
  uint8_t partial = t->partial, grayed = t->grayed;
  memset(t, 0, sizeof *t);
  t->partial = partial;
  t->grayed = grayed;
  t->to_end = LINE_CLOCKS;
  t->vsync_ready = NEVER;
  for (int i = 0; i < 2; i++) {
    memset(m->picture[i], 0, SCREEN_WIDTH * SCREEN_MAX_LINES);
    machine_picture_replaced(m, i);
  }
}

void tia_rebase(machine *m, int32_t cycles) {
  tia_state *t = &m->c->tia;
  t->vsync_ready = cycle_sub(t->vsync_ready, 3 * cycles);
  /* an HMOVE of hours ago stays long ago: it must not come back as one of the future */
  const int32_t long_ago = -(1 << 30);
  t->last_hmove = t->last_hmove < long_ago + 3 * cycles ? long_ago : t->last_hmove - 3 * cycles;
  t->dump_off = cycle_sub(t->dump_off, cycles);
}

/* A program that never writes to the TIA is in the same frame forever. Take whole lines out of the count before it
 * overflows: as many as 16 bits can count, so that frame_lines is not changed. The window is over, and what remembers a
 * time sees the same differences. */
static void shorten_endless(machine *m) {
  enum { PIECE = 65536 * LINE_CYCLES };
  const int32_t cycles = (m->c->cycles - ENDLESS_CYCLES / 2) / PIECE * PIECE;
  const int32_t dump_off = m->c->tia.dump_off;
  machine_move_origin(m, cycles);
  /* paddles differ: tia_charged_after() takes a time before the frame for one far in the future */
  m->c->tia.dump_off = dump_off < 0 ? dump_off : dump_off < cycles ? 0 : dump_off - cycles;
}

void tia_begin_frame(machine *m) {
  console *c = m->c;
  tia_state *t = &c->tia;
  if (!t->partial) {
    m->current ^= 1;
    int32_t phase = (tia_clock(c) - t->frame_start) % LINE_CLOCKS;
    machine_rebase(m);
    t->frame_start = -phase;
    t->last = tia_window_start(m);
    t->to_end = LINE_CLOCKS;
    t->row = 0;
    t->grayed = 0;
    if (m->config.color_loss) {
      for (int i = 0; i < 4; i++)
        t->look.color[i] = (uint8_t)((t->look.color[i] & 0xFE) | (t->frame_lines & 1));
    }
  }
  if (c->cycles >= ENDLESS_CYCLES) shorten_endless(m);
  t->partial = 1;
  m->stop = false;
}

void tia_end_frame(machine *m) {
  tia_state *t = &m->c->tia;
  m->c->last_read = 1; /* the next instruction begins with a read */
  int lines = machine_scanlines(m);
  if (!t->partial) {
    t->frame_lines = (uint16_t)lines;
    t->grayed = 0;
  } else if (!t->grayed) {
    int first = lines > m->config.first_line ? lines : m->config.first_line;
    uint8_t *picture = machine_picture(m, m->current);
    machine_picture_replaced(m, m->current);
    for (int line = first; line < m->config.first_line + m->config.lines; line++) {
      uint8_t *row = picture + (line - m->config.first_line) * SCREEN_WIDTH;
      for (int x = 0; x < SCREEN_WIDTH; x++) row[x] = (row[x] & 0x0F) >> 1;
    }
    t->grayed = 1;
  }
}
