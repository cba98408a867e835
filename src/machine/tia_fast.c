/* The fast TIA: accesses of the cores. What goes into the log, and what is done at once. */
#include "machine/tia_fast.h"

#include "machine/tia_known.h"
#include "machine/tia_log.h"

const uint8_t tia_kind_of[64] = {
    [VSYNC] = TIA_CALL,    [VBLANK] = TIA_CALL,  [WSYNC] = TIA_CALL,   [NUSIZ0] = TIA_ALWAYS,
    [NUSIZ1] = TIA_ALWAYS, /* show a hidden first copy, too */
    [COLUP0] = TIA_LEVEL,  [COLUP1] = TIA_LEVEL, [COLUPF] = TIA_LEVEL, [COLUBK] = TIA_LEVEL,
    [CTRLPF] = TIA_ALWAYS, /* reflects at once, or from the next line of the window on */
    [REFP0] = TIA_LEVEL,   [REFP1] = TIA_LEVEL,  [PF0] = TIA_LEVEL,    [PF1] = TIA_LEVEL,
    [PF2] = TIA_LEVEL,     [RESP0] = TIA_STROBE, [RESP1] = TIA_STROBE, [RESM0] = TIA_STROBE,
    [RESM1] = TIA_STROBE,  [RESBL] = TIA_STROBE, [AUDC0] = TIA_SOUND,  [AUDC1] = TIA_SOUND,
    [AUDF0] = TIA_SOUND,   [AUDF1] = TIA_SOUND,  [AUDV0] = TIA_SOUND,  [AUDV1] = TIA_SOUND,
    [GRP0] = TIA_LEVEL,    [GRP1] = TIA_LEVEL,   [ENAM0] = TIA_LEVEL,  [ENAM1] = TIA_LEVEL,
    [ENABL] = TIA_LEVEL,   [HMP0] = TIA_LEVEL,   [HMP1] = TIA_LEVEL,   [HMM0] = TIA_LEVEL,
    [HMM1] = TIA_LEVEL,    [HMBL] = TIA_LEVEL,   [VDELP0] = TIA_LEVEL, [VDELP1] = TIA_LEVEL,
    [VDELBL] = TIA_LEVEL,  [RESMP0] = TIA_LEVEL, [RESMP1] = TIA_LEVEL, [HMOVE] = TIA_STROBE,
    [HMCLR] = TIA_STROBE,  [CXCLR] = TIA_STROBE,
};

const uint8_t tia_mask[64] = {
    [VBLANK] = 0xFF, [NUSIZ0] = 0x37, [NUSIZ1] = 0x37, [COLUP0] = 0xFE, [COLUP1] = 0xFE,
    [COLUPF] = 0xFE, [COLUBK] = 0xFE, [CTRLPF] = 0xFF, [REFP0] = 0x08,  [REFP1] = 0x08,
    [PF0] = 0xF0,    [PF1] = 0xFF,    [PF2] = 0xFF,    [GRP0] = 0xFF,   [GRP1] = 0xFF,
    [ENAM0] = 0x02,  [ENAM1] = 0x02,  [ENABL] = 0x02,  [HMP0] = 0xF0,   [HMP1] = 0xF0,
    [HMM0] = 0xF0,   [HMM1] = 0xF0,   [HMBL] = 0xF0,   [VDELP0] = 0x01, [VDELP1] = 0x01,
    [VDELBL] = 0x01, [RESMP0] = 0x02, [RESMP1] = 0x02,
};

/* A write to one player's graphic latches the other one's for the delayed display (VDELP), and a write to GRP1
 * latches the ball's enable bit (VDELBL). */
const uint8_t tia_disturbs[64] = {[GRP0] = GRP1, [GRP1] = GRP0, [ENABL] = GRP1};

/* ---- Accesses -------------------------------------------------------------------------------------------------- */

/* An access that changes nothing: it only brings the beam to this cycle. */
static void log_access(machine *m, int32_t cycle) {
  const uint32_t entry = (uint32_t)cycle << 16 | LOG_ACCESS << 8;
  if (cycle > 0xFFFF)
    m->frame.ended = cycle; /* does not fit into the log; far below every window */
  else if (m->frame.log_end == m->work->log || m->frame.log_end[-1] != entry)
    tia_fast_log(m, LOG_ACCESS, 0, cycle);
}

uint8_t tia_fast_read(machine *m, uint16_t address) {
  int reg = address & 0x0F;
  if (m->c->cycles >= m->frame.every) log_access(m, m->c->cycles);
  uint8_t noise = m->c->bus & 0x3F;
  if (reg >= 12) return tia_load(m, reg);
  if (reg >= 8)
    return (uint8_t)(noise | ((uint32_t)m->c->cycles > m->frame.charged_after[reg - 8] ? 0x80 : 0));
  uint16_t latches = tia_known_collisions(m, m->c->cycles, (uint16_t)(3u << 2 * reg));
  return (uint8_t)(noise | (latches >> (2 * reg) & 3) << 6);
}

void tia_fast_note_paddles(machine *m) {
  for (int i = 0; i < 4; i++) m->frame.charged_after[i] = tia_charged_after(m, i);
}

/* What VSYNC, VBLANK and WSYNC do at once, beside what the log does later. */
static void write_at_once(machine *m, int reg, uint8_t value) {
  console *c = m->c;
  tia_state *t = &c->tia;
  if (reg == WSYNC) {
    if (c->last_read) c->cycles = tia_line_end(&m->frame, c->cycles);
  } else if (reg == VSYNC) {
    m->frame.ended = c->cycles;
    tia_store(m, VSYNC, value, tia_clock(c), 0);
  } else if (value & 0x80) { /* hold the capacitors of the paddles empty */
    t->dump = 1;
    tia_fast_note_paddles(m);
  } else if (t->dump) {
    t->dump = 0;
    t->dump_off = c->cycles;
    tia_fast_note_paddles(m);
  }
}

/* A write so late that it ends the frame as too long. */
static void write_beyond(machine *m, int reg, uint8_t value) {
  console *c = m->c;
  tia_frame *f = &m->frame;
  const int32_t cycle = c->cycles;
  tia_log_catch_up(m, cycle);
  f->ended = cycle;
  m->stop = true;
  c->tia.partial = 0;
  if (m->beam.last != BEAM_OVER) { /* still inside the window */
    if (tia_kind_of[reg] == TIA_CALL) write_at_once(m, reg, value);
    if (tia_kind_of[reg] == TIA_SOUND) m->audio[reg - AUDC0] = value;
    tia_fast_log(m, reg == VSYNC || reg == WSYNC ? LOG_ACCESS : reg, value, cycle);
    return;
  }
  c->tia.look.blank = 0;
  tia_store(m, reg, value, 3 * cycle, tia_hpos(f, cycle));
  m->beam.blank_late |= c->tia.look.blank;
}

void tia_fast_write(machine *m, uint16_t address, uint8_t value) {
  console *c = m->c;
  tia_frame *f = &m->frame;
  int reg = address & 0x3F;
  const int32_t cycle = c->cycles;
  tia_kind kind = (tia_kind)tia_kind_of[reg];
  if (cycle >= f->cut) {
    write_beyond(m, reg, value);
    return;
  }
  if (kind == TIA_CALL) write_at_once(m, reg, value);
  if (kind == TIA_SOUND) m->audio[reg - AUDC0] = value;
  if (kind == TIA_NOTHING || kind == TIA_SOUND || reg == VSYNC || reg == WSYNC) {
    if (cycle >= f->every) log_access(m, cycle);
    return;
  }
  /* not tia_fast_note(): of two pushes in one cycle, the first matters even if it changes nothing (tia_log.c) */
  if (f->log_end > m->beam.log_done && f->log_end[-1] >> 16 == (uint32_t)cycle) f->pushed = 1;
  if (kind == TIA_LEVEL) {
    f->shadow[reg] = value & tia_mask[reg];
    f->shadow[tia_disturbs[reg]] |= SHADOW_MUST_LOG;
  }
  if (reg == HMCLR) memset(&f->shadow[HMP0], 0, 5 * sizeof f->shadow[0]);
  tia_fast_log(m, reg, value, cycle);
}
