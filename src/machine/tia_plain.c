/* The plain TIA: one color clock after the other. The reference that the fast one is tested against. */
#include <string.h>

#include "machine/tia.h"

/* Which objects are lit at pixel x. */
static int lit_at(const tia_look *look, int x) {
  int lit = 0;
  for (int n = 0; n < 2; n++) {
    if (look->graphic[n]) {
      int bit = tia_player_bit(look->nusiz[n], look->skip_first >> n & 1,
                               tia_distance(x, look->pos[P0 + n]));
      if (bit >= 0 && (look->graphic[n] >> bit & 1)) lit |= 1 << (P0 + n);
    }
    if ((look->enabled >> (M0 + n) & 1) &&
        tia_missile_at(look->nusiz[n], n ? STAR_NORMAL : look->star,
                       tia_distance(x, look->pos[M0 + n]))) {
      lit |= 1 << (M0 + n);
    }
  }
  if ((look->enabled >> BL & 1) && tia_ball_at(look->ctrl, tia_distance(x, look->pos[BL])))
    lit |= 1 << BL;
  if (tia_playfield_at(look, x)) lit |= 1 << PF;
  return lit;
}

static void draw_pixel(tia_state *t, uint8_t *row, int x) {
  const tia_look *look = &t->look;
  if (look->vblank) {
    row[x] = 0;
    return;
  }
  int lit = lit_at(look, x);
  bool only_playfield = !look->graphic[0] && !look->graphic[1] && !look->enabled;
  row[x] = tia_color(look, lit, x < 80, only_playfield);
  t->collisions |= tia_collisions(lit);
}

/* ---- Notes ----------------------------------------------------------------------------------------------------- */

/* The object that is seen, by the rules of tia_color(), and in *color whose color it has. */
static int seen(const tia_look *look, int lit, bool left_half, bool only_playfield, int *color) {
  const bool pf = lit & 1 << PF, score = look->ctrl & 2;
  const int p0 = lit & 1 << P0 ? P0 : lit & 1 << M0 ? M0 : -1;
  const int p1 = lit & 1 << P1 ? P1 : lit & 1 << M1 ? M1 : -1;
  const bool above = look->ctrl & 4 && !(only_playfield && score);
  if (above && (pf || lit & 1 << BL)) return *color = COLOR_PF, pf ? PF : BL;
  if (p0 >= 0) return *color = COLOR_P0, p0;
  if (pf && score && left_half && !above) return *color = COLOR_P0, PF;
  if (p1 >= 0) return *color = COLOR_P1, p1;
  if (pf) return *color = score ? COLOR_P1 : COLOR_PF, PF;
  if (lit & 1 << BL) return *color = COLOR_PF, BL;
  return *color = COLOR_BK, NOTE_BACKGROUND;
}

static void note_blank(uint16_t *notes, int count) {
  for (int i = 0; i < count; i++) notes[i] = NOTE_BLANK << 8;
}

/* Note what makes `count` pixels from x on. */
static void note_pixels(const tia_look *look, uint16_t *notes, int x, int count) {
  const bool only_playfield = !look->graphic[0] && !look->graphic[1] && !look->enabled;
  if (look->vblank) {
    note_blank(notes, count);
    return;
  }
  for (int i = 0; i < count; i++) {
    int color, lit = lit_at(look, x + i);
    int top = seen(look, lit, x + i < 80, only_playfield, &color);
    notes[i] = (uint16_t)(lit | top << 8 | color << 12);
  }
}

/* ---- Time ------------------------------------------------------------------------------------------------------ */

/* Draw up to clock `until`, within the visible window. The end of a line is processed only when drawing goes past it:
 * a write at exactly that moment comes first. */
static void catch_up(machine *m, int32_t until) {
  tia_state *t = &m->c->tia;
  int32_t stop = tia_window_stop(m);
  if (until < tia_window_start(m) || t->last >= stop || t->last >= until) return;
  if (until > stop) until = stop;
  do {
    int from = LINE_CLOCKS - t->to_end, count;
    bool line_done = until > t->last + t->to_end;
    if (line_done) {
      count = t->to_end;
      t->to_end = LINE_CLOCKS;
    } else {
      count = until - t->last;
      t->to_end -= count;
    }
    t->last += count;
    int skip = from < LINE_BLANK ? LINE_BLANK - from : 0;
    if (skip > count) skip = count;
    from += skip;
    count -= skip;
    /* `row` counts pixels drawn; the row begins where x is 0 */
    int x = from > LINE_BLANK ? from - LINE_BLANK : 0;
    uint8_t *row = m->picture[m->current] + t->row - x;
    for (int i = 0; i < count; i++) draw_pixel(t, row, x + i);
    if (m->notes) note_pixels(&t->look, m->notes + t->row, x, count);
    if (count) tia_overshoot(&t->look, row, x, x + count, x + count);
    t->row += (uint32_t)count;
    if (t->look.blank && from < LINE_BLANK + 8) {
      memset(row + x, 0, (size_t)(LINE_BLANK + 8 - from));
      if (m->notes) note_blank(m->notes + t->row - count, LINE_BLANK + 8 - from);
      if (from + count >= LINE_BLANK + 8) t->look.blank = 0;
    }
    if (line_done) tia_end_of_line(t);
  } while (t->last < until);
}

uint8_t tia_plain_read(machine *m, uint16_t address) {
  catch_up(m, tia_clock(m->c));
  return tia_load(m, address & 0x0F);
}

void tia_plain_write(machine *m, uint16_t address, uint8_t value) {
  tia_state *t = &m->c->tia;
  int reg = address & 0x3F;
  int32_t clock = tia_clock(m->c);
  int hpos = (clock - t->frame_start) % LINE_CLOCKS;
  catch_up(m, clock + tia_write_delay(reg, hpos));
  if ((clock - t->frame_start) / LINE_CLOCKS > m->config.max_lines) {
    m->stop = true;
    t->partial = 0;
  }
  /* a player that is being drawn is finished with the position it had */
  if (reg == RESP0 || reg == RESP1) {
    int n = reg - RESP0, pos = tia_strobe_position(t, reg, clock, hpos);
    if (tia_resp_region(t->look.nusiz[n], t->look.pos[n], pos) == RESP_DISPLAY)
      catch_up(m, clock + 11);
  }
  tia_store(m, reg, value, clock, hpos);
}
