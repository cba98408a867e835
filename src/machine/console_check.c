/* Consoles that come from outside: saved states of this and of earlier versions.
 *
 * A state may be any bytes. machine_fits() accepts only a console that some program could have left at the end of a
 * frame: every field has a value that play can reach, and fields that follow from others do so. The cores rely on it:
 * they index arrays by these fields, and agree with each other only on such consoles. */
#include <stddef.h>
#include <string.h>

#include "machine/cart.h"
#include "machine/tia.h"

static bool is_flag(unsigned value) { return value <= 1; }

static bool all_zero(const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (bytes[i]) return false;
  }
  return true;
}

/* The system generator fills memory at power-on and sets the timer; each reset sets the timer and fills the memory on
 * the cartridge. Loading repeats the draws at the next reset, so their number is limited: 2^28 take a fifth of a
 * second. */
static bool draws_fit(const machine *m, uint64_t draws) {
  const uint64_t first = sizeof m->c->ram + 1, each = 1 + (uint64_t)cart_reset_draws(m->cart);
  return draws >= first + each && draws < 1 << 28 && (draws - first) % each == 0;
}

static bool processor_fits(const console *c) {
  /* a frame begins below ENDLESS_CYCLES, and an instruction waits for a line at most */
  const int32_t most = ENDLESS_CYCLES + FRAME_INSTRUCTIONS * (LINE_CYCLES + 8);
  return c->cycles >= 0 && c->cycles < most && (c->p & 0x30) == 0x30 && is_flag(c->jammed) &&
         c->last_read == 1 && all_zero(c->pad, sizeof c->pad);
}

static bool timer_fits(const riot_state *r) {
  return (r->shift == 0 || r->shift == 3 || r->shift == 6 || r->shift == 10) &&
         is_flag(r->read_after);
}

/* Registers, and what is derived from them: what objects show, and how. */
static bool registers_fit(const machine *m, const tia_state *t) {
  const tia_look *look = &t->look;
  for (int i = 0; i < 5; i++) {
    if (look->pos[i] >= SCREEN_WIDTH || t->hm[i] > 15) return false;
  }
  for (int n = 0; n < 2; n++) {
    if (!is_flag(t->refp[n]) || !is_flag(t->vdel[n]) || !is_flag(t->resmp[n]) ||
        !is_flag(t->enam[n]) || (look->nusiz[n] & ~0x37))
      return false;
  }
  if (!is_flag(t->vdel_bl) || !is_flag(t->enabl) || !is_flag(t->old_enabl)) return false;
  tia_state derived = *t;
  tia_update_graphics(&derived);
  tia_update_enables(&derived);
  return derived.look.graphic[0] == look->graphic[0] &&
         derived.look.graphic[1] == look->graphic[1] && derived.look.enabled == look->enabled &&
         look->ctrl == (t->ctrlpf & 0x36) && is_flag(look->reflect) && look->skip_first <= 3 &&
         look->vblank == (t->vblank >> 1 & 1) && t->dump == t->vblank >> 7 &&
         !(look->pf[0] & 0x0F) && look->no_blanks == 0 &&
         look->blank <= (m->config.hmove_blanks ? 1 : 0) &&
         !(t->collisions & 1 << 12 /* the one bit that is no latch */);
}

/* The effect of Cosmic Ark: a shape other than the normal one belongs to a line of its cycle of four. */
static bool star_fits(const tia_state *t) {
  if (!is_flag(t->star_on) || t->star_count > 3) return false;
  if (t->look.star == STAR_NORMAL) return true;
  return t->star_on && t->look.star == tia_star(t->star_count);
}

/* Bit 0 of colors is 1 in frames that lose their color (PAL): all four have it or none. */
static bool colors_fit(const machine *m, const tia_state *t) {
  const int lost = t->look.color[0] & 1;
  for (int i = 1; i < 4; i++) {
    if ((t->look.color[i] & 1) != lost) return false;
  }
  if (!m->config.color_loss) return !lost;
  return !t->partial || lost == (t->frame_lines & 1);
}

/* The beam of a frame that will be continued: it is where the row says, not ahead of the processor by more than a write
 * can be, and the rows to come are in the buffer. */
static bool beam_fits(const machine *m, const console *c) {
  enum { WRITE_AHEAD = 11 };
  const tia_state *t = &c->tia;
  const int first = m->config.first_line;
  const int from = LINE_CLOCKS - t->to_end, x = from > LINE_BLANK ? from - LINE_BLANK : 0;
  const int32_t begin = t->last - from - t->frame_start; /* of the beam's line, from line 0 on */
  if (begin < 0 || begin % LINE_CLOCKS || t->row < (uint32_t)x) return false;
  const int32_t line = begin / LINE_CLOCKS, y = (int32_t)(t->row - (uint32_t)x) / SCREEN_WIDTH;
  if ((t->row - (uint32_t)x) % SCREEN_WIDTH) return false;
  /* after a reset, an interrupted frame goes on above the window */
  const bool reset = t->frame_start == 0 && y == line;
  if (!reset && (line < first || y != line - first)) return false;
  if (line + (from == LINE_CLOCKS) > first + m->config.lines) return false;
  if (!reset && line == first && from == 0) return true; /* nothing was drawn yet */
  return t->last <= 3 * c->cycles + WRITE_AHEAD;
}

static bool frame_fits(const machine *m, const console *c) {
  const tia_state *t = &c->tia;
  const int32_t bound = LINE_CLOCKS * 2 * SCREEN_MAX_LINES;
  if (t->frame_start > 0 || t->frame_start <= -LINE_CLOCKS || t->frame_start % 3 ||
      t->last <= -bound || t->last >= bound || t->to_end < 0 || t->to_end > LINE_CLOCKS ||
      t->row > SCREEN_WIDTH * SCREEN_MAX_LINES)
    return false;
  /* a frame that was interrupted is gray below the beam; a reset keeps both flags */
  if (!is_flag(t->partial) || t->grayed != t->partial || t->last_hmove > 3 * c->cycles)
    return false;
  return !t->partial || beam_fits(m, c);
}

bool machine_fits(const machine *m, const console *c) {
  const tia_state *t = &c->tia;
  return cart_fits(m->cart, c) && draws_fit(m, c->draws) && processor_fits(c) &&
         timer_fits(&c->riot) && registers_fit(m, t) && star_fits(t) && colors_fit(m, t) &&
         all_zero(t->pad, sizeof t->pad) && frame_fits(m, c);
}

/* Layout 2 has moved the 48 bytes of the TIA that a line changes. */
void console_from_layout_1(console *c) {
  enum { FIRST = offsetof(tia_state, hm), BYTES = offsetof(tia_state, dump) - FIRST };
  /* where each byte was, by its place now */
  static const uint8_t was[BYTES] = {
      39, 40, 41, 42, 43, 31, 32, /* hm, refp */
      0,  1,  2,  3,  4,  16, 17, 18, 19, 5,
      6,  7,  8,  9,                          /* look: pos, color, graphic, nusiz, ctrl */
      14, 15, 10, 11, 12, 13, 20, 21, 22, 23, /* blank, vblank, enabled, reflect ... pf */
      24, 25, 26, 27, 28, 29, 30, 33, 34, 35,
      36, 37, 38, 44, /* grp ... vdel_bl, resmp ... ctrlpf */
      45, 46, 47};
  _Static_assert(BYTES == 48, "layout changed: raise LAYOUT");
  uint8_t old[BYTES], *now = (uint8_t *)&c->tia + FIRST;
  memcpy(old, now, sizeof old);
  for (int i = 0; i < BYTES; i++) now[i] = old[was[i]];
}
