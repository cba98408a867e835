/* The log of the fast TIA, and how it is processed.
 *
 * An entry is cycle << 16 | register << 8 | value, so that entries in order of time are in numeric order. Cycles are
 * those of the frame; writes beyond cycle 65535 are not logged, which is far below every window. */
#ifndef SIXER_MACHINE_TIA_LOG_H
#define SIXER_MACHINE_TIA_LOG_H

#include "machine/tia_paint.h"
#include "util/os_cpu.h"

enum {
  LOG_ACCESS = CXCLR + 1, /* in place of a register: a read, or a write without effect */
  LOG_LOOK                /* ... somebody asks for the collisions up to here */
};

static const uint32_t LOG_OVER = 0xFFFFFFFF; /* after the last entry */

static inline int32_t log_cycle(uint32_t entry) { return (int32_t)(entry >> 16); }
static inline unsigned log_register(uint32_t entry) { return entry >> 8 & 0xFF; }

/* Clocks from the beginning of its line to this cycle. */
static inline int tia_hpos(const tia_frame *f, int32_t cycle) {
  return 3 * ((cycle + f->phase) % LINE_CYCLES);
}

/* The clock at which this entry takes effect. */
static inline int32_t log_effect(const tia_frame *f, uint32_t entry) {
  const int32_t cycle = log_cycle(entry);
  return 3 * cycle + tia_write_delay((int)log_register(entry), tia_hpos(f, cycle));
}

/* Entries below this value are processed before the end of the line that ends at this cycle; those at exactly this
 * cycle are. */
static inline uint32_t log_line_over(int32_t cycle) { return (uint32_t)cycle << 16 | 0xFFFF; }

/* How many entries from here on are below `over`? LOG_OVER is behind the last one. */
static inline int log_count_until(const uint32_t *w, uint32_t over) {
  const uint32_t *end = w;
  while (*end < over) end++;
  return (int)(end - w);
}

/* Process entries up to `end`, which is one of the log. */
void tia_log_process(machine *m, const uint32_t *end);

/* The beam has left the line: process its part of the log, draw it and end it. */
void tia_log_process_line(machine *m);

/* Process all lines that the beam has left at this cycle, and nothing of the line in which it is: that may still become
 * a known one. If the window is over then, process the whole log. */
void tia_log_catch_up(machine *m, int32_t cycle);

/* This and the look-up of collisions are compiled a second time (tia_lines_avx2.c), with all that they call. */
#if OS_X86_64 && !defined(TIA_LINES_AVX2)
#define TIA_LINES_CHOICE
void tia_log_catch_up_avx2(machine *m, int32_t cycle);
uint16_t tia_known_collisions_avx2(machine *m, int32_t cycle, uint16_t wanted);
static inline bool tia_has_avx2(const machine *m) {
  return m->work->tables.painter != PAINT_BY_WORDS;
}
#endif

#endif
