/* The fast TIA, as the cores use it. docs/fast-core.md explains how it works and what its words mean.
 *
 * While a frame runs, nothing is drawn and no write is processed. A core appends writes that change something to a log,
 * most of them without a call (tia_fast_note). The log is processed line by line when the frame is over, or when a
 * program reads collisions. A line that did the same to the same state before is repeated from what is known of it
 * (tia_known.c); others are turned into segments (tia_log.c, tia_segments.c), which are drawn (tia_draw.c) unless the
 * cache has the line already (tia_cache.c).
 *
 * How an unfinished line looks depends on every access to the TIA, also on those that change nothing. If a frame turns
 * out to end inside of its window, it is rewound and run again with every access of its last line logged, and the next
 * frame is expected to end at the same place (tia_frame.c, tia_unfinished.c). */
#ifndef SIXER_MACHINE_TIA_FAST_H
#define SIXER_MACHINE_TIA_FAST_H

#include <string.h>

#include "machine/tia.h"

/* More cycles than translated code runs between two comparisons with its guard. */
enum { TIA_GUARD = 1000 };

/* Read and write a register at the cycle of the console. These do everything; the functions below are short cuts. */
uint8_t tia_fast_read(machine *m, uint16_t address);
void tia_fast_write(machine *m, uint16_t address, uint8_t value);

/* Derive charged_after: the frame begins, or VBLANK holds or lets go the paddles' capacitors. */
void tia_fast_note_paddles(machine *m);

/* What a core has to do for a write to a register. */
typedef enum tia_kind {
  TIA_NOTHING,
  TIA_CALL,   /* tia_fast_write(): it may end the frame, take time, or show at once */
  TIA_SOUND,  /* put it into machine.audio */
  TIA_STROBE, /* log it; the value is of no use */
  TIA_ALWAYS, /* log it */
  TIA_LEVEL   /* log it unless the register holds this value already */
} tia_kind;
extern const uint8_t tia_kind_of[64];
extern const uint8_t tia_mask[64]; /* the bits of a register that have a meaning */

/* A level whose next write has an effect even if it writes the same value, once this register has changed; 0: none. */
extern const uint8_t tia_disturbs[64];

/* In the high byte of tia_frame.shadow: the next write must be logged. */
enum { SHADOW_MUST_LOG = 0x100, SHADOW_UNKNOWN = 0xFFFF };

/* Append to the log. */
static inline void tia_fast_log(machine *m, int reg, uint8_t value, int32_t cycle) {
  *m->frame.log_end++ = (uint32_t)cycle << 16 | (uint32_t)reg << 8 | (value & tia_mask[reg]);
}

/* May tia_fast_note() be used for this write? It must also be the only one of its cycle. If not: tia_fast_write(). */
static inline bool tia_fast_can_note(const machine *m, int reg, int32_t cycle) {
  return cycle < m->frame.note_until && tia_kind_of[reg] != TIA_CALL;
}

static inline void tia_fast_note(machine *m, int reg, uint8_t value, int32_t cycle) {
  tia_frame *f = &m->frame;
  tia_kind kind = (tia_kind)tia_kind_of[reg];
  if (kind == TIA_LEVEL) {
    uint16_t *shadow = &f->shadow[reg], before = *shadow;
    value &= tia_mask[reg];
    if (before == value) return;
    *shadow = value;
    if (tia_disturbs[reg] && (before & ~SHADOW_MUST_LOG) != value)
      f->shadow[tia_disturbs[reg]] |= SHADOW_MUST_LOG;
  } else if (kind == TIA_SOUND) {
    m->audio[reg - AUDC0] = value;
    return;
  } else if (kind == TIA_NOTHING) {
    return;
  } else if (reg == HMCLR) {
    memset(&f->shadow[HMP0], 0, 5 * sizeof f->shadow[0]);
  }
  tia_fast_log(m, reg, value, cycle);
}

/* The cycle at which the line of this cycle ends; a cycle at which a line begins is the end of the line before. */
static inline int32_t tia_line_end(const tia_frame *f, int32_t cycle) {
  return (cycle + f->phase + LINE_CYCLES - 1) / LINE_CYCLES * LINE_CYCLES - f->phase;
}

/* From now on, log every access. */
static inline void tia_fast_log_all(machine *m) {
  tia_frame *f = &m->frame;
  if (m->c->cycles < f->every) f->every = m->c->cycles;
  if (f->every < f->note_until) f->note_until = f->every;
}

/* ---- Frames: tia_frame.c --------------------------------------------------------------------------------------- */

/* Can the fast TIA draw this frame? Not if it continues one that was interrupted by a reset: that one draws above its
 * window. The plain core runs it then. */
bool tia_fast_can(const machine *m);

/* Around a frame. tia_fast_end() returns false if it has rewound the frame: run it again, from tia_fast_begin() on. */
void tia_fast_begin(machine *m);
bool tia_fast_end(machine *m);

/* Go back to where the frame began. */
void tia_fast_rewind(machine *m);

/* Make empty working memory of zeroed memory. */
size_t tia_work_size(int machines);
void tia_work_init(struct tia_work *work, int machines);

#endif
