/* Consoles that come from outside: saved states of this and of earlier versions.
 *
 * A state may be any bytes. machine_fits() accepts only values that the machine itself could have produced, as far as
 * an array is indexed by them or a loop is bounded by them. */
#include <stddef.h>
#include <string.h>

#include "machine/cart.h"

bool machine_fits(const machine *m, const console *c) {
  const tia_state *t = &c->tia;
  const int32_t bound = 1 << 28; /* no clock of a frame comes near it */
  if (!cart_fits(m->cart, c)) return false;
  if (c->cycles < 0 || c->cycles >= bound || c->draws >> 32 || c->riot.shift > 10) return false;
  if (t->frame_start > 0 || t->frame_start <= -LINE_CLOCKS || t->frame_start % 3 ||
      t->last <= -bound || t->last >= bound)
    return false;
  if (t->to_end < 0 || t->to_end > LINE_CLOCKS || t->look.star > STAR_HIDDEN) return false;
  if (t->look.enabled & ~(1 << M0 | 1 << M1 | 1 << BL)) return false;
  for (int i = 0; i < 5; i++) {
    if (t->look.pos[i] >= SCREEN_WIDTH || t->hm[i] > 15) return false;
  }
  int32_t left = t->frame_start + LINE_CLOCKS * (m->config.first_line + m->config.lines) - t->last;
  if (left <= 0) return true;
  /* the beam is where the row says, and the rows to come are in the buffer */
  int from = LINE_CLOCKS - t->to_end, x = from > LINE_BLANK ? from - LINE_BLANK : 0;
  if (left % LINE_CLOCKS != t->to_end % LINE_CLOCKS ||
      t->row % SCREEN_WIDTH != (uint32_t)x % SCREEN_WIDTH)
    return false;
  int64_t end = (int64_t)t->row - x + SCREEN_WIDTH +
                (int64_t)((left - t->to_end) / LINE_CLOCKS) * SCREEN_WIDTH;
  return t->row >= (uint32_t)x && end <= SCREEN_WIDTH * SCREEN_MAX_LINES;
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
