/* The log of the fast TIA: from writes to segments.
 *
 * One switch has what each register does to the look and when. The plain core does the same by tia_store(), which is
 * called here for the registers that are written less often. */
#include "machine/tia_log.h"

#include <string.h>

#include "machine/tia_known.h"
#include "machine/tia_segments.h"
#include "util/little.h"

/* ---- Registers ------------------------------------------------------------------------------------------------- */

/* Player n's graphic is now this byte, before mirroring. */
static inline void show_graphic(machine *m, int n, uint8_t byte) {
  tia_state *t = &m->c->tia;
  if (t->refp[n]) byte = tia_reversed[byte];
  if (byte == t->look.graphic[n]) return;
  t->look.graphic[n] = byte;
  m->beam.set = (uint8_t)((m->beam.set & ~(1 << n)) | (byte != 0) << n);
  tia_changed(m);
}

enum { PF_WORD = offsetof(tia_look, pf) / 8 * 8 };
_Static_assert(offsetof(tia_look, pf) + 3 <= PF_WORD + 8, "PF0..PF2 are in one word");

/* Store a byte of the playfield by rewriting its 64-bit word. The look is copied right afterwards, by words; a
 * byte store followed by a word load would stall store forwarding (about 12 cycles on current x86). */
static inline void put_playfield(tia_look *look, unsigned n, uint8_t value) {
  const unsigned shift = BYTE_SHIFT((unsigned)offsetof(tia_look, pf) - PF_WORD + n);
  uint64_t word;
  memcpy(&word, (uint8_t *)look + PF_WORD, sizeof word);
  word = (word & ~((uint64_t)0xFF << shift)) | (uint64_t)value << shift;
  memcpy((uint8_t *)look + PF_WORD, &word, sizeof word);
}

static inline void show_enables(machine *m) {
  uint8_t before = m->c->tia.look.enabled;
  tia_update_enables(&m->c->tia);
  if (before == m->c->tia.look.enabled) return;
  m->beam.set = (uint8_t)((m->beam.set & ~(1 << M0 | 1 << M1 | 1 << BL)) | m->c->tia.look.enabled);
  tia_changed(m);
}

static inline void write_hmove(machine *m, int32_t cycle, int hpos, uint8_t *note) {
  tia_beam *b = &m->beam;
  tia_look *look = &m->c->tia.look;
  /* past the first eight pixels, an earlier blank has done its work and a new one waits for the next line */
  bool late = b->last - b->begin >= LINE_BLANK + 8, before = look->blank;
  if (late) look->blank = 0;
  tia_strobe_hmove(m, 3 * cycle, hpos);
  if (late && look->blank) b->blank_late = 1;
  *note = !late && look->blank && !before;
  if (*note && 3 * cycle < b->begin) b->blank_open = 1; /* it was before this line */
  tia_changed(m);
}

static inline void write_resp(machine *m, int reg, int32_t cycle, int hpos, uint8_t *note) {
  const tia_look *look = &m->c->tia.look;
  int32_t clock = 3 * cycle;
  int n = reg - RESP0, pos = tia_strobe_position(&m->c->tia, reg, clock, hpos);
  /* a player that is being drawn is finished with the position it had */
  *note = tia_resp_region(look->nusiz[n], look->pos[n], pos) == RESP_DISPLAY ? 11 : 0;
  tia_advance(m, clock + *note);
  tia_store(m, reg, 0, clock, hpos);
  tia_changed(m);
}

/* Registers that are written less often. */
static void write_by_store(machine *m, int reg, uint8_t value, int32_t cycle, int hpos) {
  tia_look *look = &m->c->tia.look, before = *look;
  tia_store(m, reg, value, 3 * cycle, hpos);
  if (memcmp(&before, look, sizeof before) == 0) return;
  m->beam.set = (uint8_t)tia_shown_set(look);
  tia_changed(m);
}

/* ---- Processing ------------------------------------------------------------------------------------------------ */

/* A write that changes nothing is passed over without bringing the beam there: the next write is later. The exception
 * are two writes in one cycle, of which the one with the longer delay may come first; frame.pushed tells. */
void tia_log_process(machine *m, const uint32_t *end) {
  tia_beam *b = &m->beam;
  tia_state *t = &m->c->tia;
  const bool pushed = m->frame.pushed;
  const uint32_t *w = b->log_done;
  b->log_done += end - w;
  if (!b->count) tia_open_line(m);
  for (; w < end; w++) {
    uint8_t value = (uint8_t)*w, *where;
    const unsigned reg = log_register(*w);
    const int32_t cycle = log_cycle(*w);
    while (cycle >= b->log_line + LINE_CYCLES) b->log_line += LINE_CYCLES;
    const int hpos = 3 * (cycle - b->log_line);
    switch (reg) {
      case COLUP0:
      case COLUP1:
      case COLUPF:
      case COLUBK:
        value |= m->frame.color_lost;
        where = &t->look.color[reg - COLUP0];
        if (*where == value) continue;
        tia_advance(m, 3 * cycle);
        *where = value;
        tia_changed(m);
        continue;
      case PF0:
      case PF1:
      case PF2:
        where = &t->look.pf[reg - PF0];
        if (*where == value && !pushed) continue;
        tia_advance(m, 3 * cycle + tia_write_delay(PF0, hpos));
        put_playfield(&t->look, reg - PF0, value);
        b->set = (uint8_t)((b->set & ~(1 << PF)) |
                           ((t->look.pf[0] | t->look.pf[1] | t->look.pf[2]) != 0) << PF);
        tia_changed(m);
        continue;
      case GRP0:
        t->old_grp[1] = t->grp[1];
        if (t->grp[0] == value && !t->vdel[1] && !pushed) continue;
        tia_advance(m, 3 * cycle + 1);
        t->grp[0] = value;
        if (!t->vdel[0]) show_graphic(m, 0, value);
        if (t->vdel[1]) show_graphic(m, 1, t->old_grp[1]);
        continue;
      case GRP1:
        t->old_grp[0] = t->grp[0];
        if (t->grp[1] == value && !t->vdel[0] && t->old_enabl == t->enabl && !pushed) continue;
        tia_advance(m, 3 * cycle + 1);
        t->grp[1] = value;
        if (t->vdel[0]) show_graphic(m, 0, t->old_grp[0]);
        if (!t->vdel[1]) show_graphic(m, 1, value);
        if (t->old_enabl != t->enabl) {
          t->old_enabl = t->enabl;
          show_enables(m);
        }
        continue;
      case ENAM0:
      case ENAM1:
        value >>= 1;
        if (t->enam[reg - ENAM0] == value) continue;
        tia_advance(m, 3 * cycle);
        t->enam[reg - ENAM0] = value;
        show_enables(m);
        continue;
      case ENABL:
        value >>= 1;
        if (t->enabl == value) continue;
        tia_advance(m, 3 * cycle);
        t->enabl = value;
        show_enables(m);
        continue;
      case HMP0:
      case HMP1:
      case HMM1:
      case HMBL: t->hm[reg - HMP0] = value >> 4; continue;
      case HMM0:
        if (value == 0x60) /* may begin the stars of Cosmic Ark */
          tia_store(m, HMM0, value, 3 * cycle, 0);
        else
          t->hm[M0] = value >> 4;
        continue;
      case HMCLR: memset(t->hm, 0, sizeof t->hm); continue;
      case HMOVE:
        tia_advance(m, 3 * cycle);
        write_hmove(m, cycle, hpos, &m->work->log_notes[w - m->work->log]);
        continue;
      case NUSIZ0:
      case NUSIZ1:
        if (t->look.nusiz[reg - NUSIZ0] == value &&
            !(t->look.skip_first | t->look.star | t->star_on | pushed))
          continue;
        goto by_store;
      case REFP0:
      case REFP1:
        if (t->refp[reg - REFP0] == value >> 3 && !pushed) continue;
        goto by_store;
      case CTRLPF:
      case RESM0:
      case RESM1:
      case RESBL:
      case VDELP0:
      case VDELP1:
      case VDELBL:
      case RESMP0:
      case RESMP1:
      by_store:
        tia_advance(m, 3 * cycle + tia_delay[reg]);
        write_by_store(m, (int)reg, value, cycle, hpos);
        continue;
      case VBLANK:
        tia_advance(m, 3 * cycle + tia_delay[VBLANK]);
        t->vblank = value;
        if (t->look.vblank == (value >> 1 & 1)) continue;
        t->look.vblank = value >> 1 & 1;
        tia_changed(m);
        continue;
      case RESP0:
      case RESP1:
        tia_advance(m, 3 * cycle);
        write_resp(m, (int)reg, cycle, hpos, &m->work->log_notes[w - m->work->log]);
        continue;
      case CXCLR:
        tia_advance(m, 3 * cycle);
        t->collisions = 0;
        b->cx_from = (uint8_t)tia_pixel_at(b->last - b->begin);
        continue;
      default: continue;
    }
  }
}

void tia_log_process_line(machine *m) {
  tia_beam *b = &m->beam;
  const int32_t begin = b->begin;
  tia_log_process(m, b->log_done + log_count_until(b->log_done, log_line_over(b->end / 3)));
  if (b->begin != begin)
    return; /* its last write takes effect in the next line, and has ended it */
  tia_close_line(m);
}

void tia_log_catch_up(machine *m, int32_t cycle) {
#if defined(TIA_LINES_CHOICE)
  if (tia_has_avx2(m)) {
    tia_log_catch_up_avx2(m, cycle);
    return;
  }
#endif
  tia_frame *f = &m->frame;
  tia_beam *b = &m->beam;
  const int32_t clock = 3 * cycle;
  *f->log_end = LOG_OVER;
  while (b->last != BEAM_OVER && clock > b->end && b->end < f->stop) {
    if (tia_line_is_untouched(m))
      tia_known_lines(m, clock);
    else
      tia_log_process_line(m);
  }
  if (clock >= f->stop || b->last == BEAM_OVER) {
    tia_log_process(m, f->log_end);
    tia_advance(m, clock);
  }
}
