/* Runs of known lines: what several lines in a row did to the TIA, to be repeated at once. */
#ifndef SIXER_MACHINE_TIA_RUNS_H
#define SIXER_MACHINE_TIA_RUNS_H

#include "machine/tia_entries.h"

/* A place between two lines, and the state there. */
typedef struct tia_walk {
  word16 first;        /* the first word of the state ... */
  const void *rest;    /* ... and the rest of it */
  const uint32_t *log; /* entries before this one are done */
  uint32_t from;       /* the first cycle of the line, as in the log */
  int32_t y;           /* row */
} tia_walk;

typedef uint32_t entries4 __attribute__((vector_size(16), aligned(4), may_alias));
static inline entries4 get_entries(const uint32_t *from) { return *(const entries4 *)from; }

/* Rows of the screen are divided into blocks of RUN_LINES rows, and no run crosses the border of a block: then a line
 * that changes breaks no run but that of its block. */
static inline int32_t tia_block_end(int32_t y) { return (y | (RUN_LINES - 1)) + 1; }

/* Can the lines from here on be this run? `from` is the entry of its first cycle; `left` lines are over. */
static inline bool tia_is_run(const known_run *r, const uint32_t *w, uint32_t from, word16 first,
                              const void *rest, int32_t left) {
  const int count = r->count;
  if ((uint32_t)(r->lines - 1) >= (uint32_t)left) return false;
  /* the first one tells most runs that are not this one; an empty log has the end of the run there */
  if (w[0] - from != r->log[0] && count) return false;
  const int over = w[count] >= from + log_line_over(r->lines * LINE_CYCLES);
#if defined(TIA_LINES_AVX2)
  const int same =
      none_differs(state_differs(first, get16(&r->before), get16(&r->need), rest, &r->rest_before));
  if (!(over & same)) return false;
  return same_entries(w, from, r->log, count);
#else
  return over && same_entries(w, from, r->log, count) &&
         is_zero((first ^ get16(&r->before)) & get16(&r->need)) && same_rest(&r->rest_before, rest);
#endif
}

/* Fetch what tia_is_run() and tia_run_is_shown() look at. */
static inline void tia_run_prefetch(const known_run *r) {
  __builtin_prefetch(&r->before);
  __builtin_prefetch(&r->rest_before);
  __builtin_prefetch(&r->lines);
  __builtin_prefetch(&r->stamp[RUN_LINES / 2]);
  __builtin_prefetch(r->log);
}

/* Do the rows from here on show the lines of this run already? */
static inline bool tia_run_is_shown(const known_run *r, const uint32_t *shown) {
#if defined(TIA_LINES_AVX2)
  _Static_assert(RUN_LINES == 2 * EIGHT, "two comparisons");
  const __m256i upper = get32(shown) ^ get32(r->stamp);
  const __m256i lower = get32(shown + EIGHT) ^ get32(r->stamp + EIGHT);
  return none_differs((upper & entries_first(r->lines)) |
                      (lower & entries_first(r->lines - EIGHT)));
#else
  int i = 0;
  entries4 differ = {0};
  for (; i + 4 <= r->lines; i += 4) differ |= get_entries(shown + i) ^ get_entries(r->stamp + i);
  uint32_t tail = 0;
  for (; i < r->lines; i++) tail |= shown[i] ^ r->stamp[i];
  return is_zero((word16)differ) && !tail;
#endif
}

/* The first word after the run. */
static inline word16 tia_after_run(const known_run *r, word16 first) {
  if (r->moves) {
    uint8_t bytes[sizeof(tia_word)], *pos = bytes + FIRST_POS;
    put16(bytes, first);
    for (unsigned left = r->moves; left; left &= left - 1) {
      const int i = __builtin_ctz(left);
      pos[i] = tia_moved(pos[i], r->by[i]);
    }
    first = get16(bytes);
  }
  return (first & get16(&r->keep)) | get16(&r->after);
}

/* Show the lines of a run in rows that show something else. False: not all of them are in the cache any longer. */
bool tia_run_show(machine *m, const known_run *r, int32_t y);

/* The lines from `start` to `end` were known ones, of one block; their indices are in hints.known_row. If the same ones
 * were noted before, make a run of them. */
void tia_runs_note(machine *m, const tia_walk *start, const tia_walk *end);

#endif
