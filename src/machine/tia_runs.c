/* Runs of known lines.
 *
 * Where nothing moves, the lines of a frame are those of the frame before: many known lines in a row. A run has what
 * they do together, so that they are compared and repeated at once. It is to its lines what a known line is to its
 * writes, and has the same parts: the state and the writes that it begins with, and the state and the collisions that
 * it ends with.
 *
 * A known line takes some bytes of the first word as they come and leaves them as they are (keep), and sets all others.
 * So after some lines, each byte of the first word is either still the one that the run began with, or follows from
 * the run. Composing a run is keeping account of this, line by line: the bytes that a line compares and that are still
 * those of the beginning are bytes that the run must compare (`need`), all others it need not; the bytes that are still
 * those of the beginning after the last line are those that the run keeps. An HMOVE in the run moves objects that no
 * line looks at, from wherever they are; by how much depends on their motions, so that these must be compared, too. The
 * moves of a run add up to one sum for each object.
 *
 * A run is complete in itself: it holds no matter what becomes of the known lines that it was made of. */
#include "machine/tia_runs.h"

#include <string.h>

#include "machine/tia_cache.h"
#include "util/little.h"

bool tia_run_show(machine *m, const known_run *r, int32_t y) {
  for (int i = 0; i < r->lines; i++) {
    if (m->work->row_stamp[m->current][y + i] == r->stamp[i]) continue;
    if (m->work->cached_stamp[r->slot[i]] != r->stamp[i]) return false;
    tia_cache_show(m, r->slot[i], y + i);
  }
  return true;
}

/* ---- Composing ------------------------------------------------------------------------------------------------- */

/* A run that may be overwritten: in turn, but one that was used since its last turn is passed over. */
static known_run *oldest(tia_work *work) {
  const uint32_t runs = (uint32_t)1 << work->bits.runs;
  for (uint32_t i = 0;; i++) {
    known_run *r = &work->runs[work->newest_run++ % runs];
    if (!r->used || i == runs) return r;
    r->used = 0;
  }
}

static void compose(const machine *m, known_run *r, const tia_walk *start, const tia_walk *end) {
  const known_line *const known = m->work->known;
  const uint16_t *const rows = &m->hints.known_row[start->y];
  const word16 first = start->first, after = end->first;
  word16 need = {0, 0},
         own = ~need; /* bytes that must be equal; bytes that are still those of the beginning */
  unsigned collisions = 0, latched = 0xFFFF;
  known_rest rest; /* start->rest may be in a run that is overwritten: this one */
  memcpy(&rest, start->rest, sizeof rest);
  r->hmove = 0;
  r->lines = (uint8_t)(end->y - start->y);
  for (int i = 0; i < r->lines; i++) {
    const known_line *k = &known[rows[i]];
    need |= own & ~get16(&k->any);
    if (k->hmove != 0xFF) {
      const tia_word motions = first_word(&m->work->tables, k->keep_pos, 0, 0, 0);
      need |= own & get16(&motions);
      r->hmove = (uint16_t)(i * LINE_CYCLES + k->hmove + 1);
    }
    own &= get16(&k->keep);
    collisions = (collisions & k->latched) | k->collisions;
    latched &= k->latched;
    r->stamp[i] = k->stamp;
    r->slot[i] = k->slot;
  }
  put16(&r->before, first);
  put16(&r->need, need);
  put16(&r->keep, own);
  put16(&r->after, after & ~own);
  r->rest_before = rest;
  memcpy(&r->rest_after, end->rest, sizeof r->rest_after);
  r->collisions = (uint16_t)collisions;
  r->latched = (uint16_t)latched;
  /* an object that is still where it was, apart from HMOVEs, has been moved by the difference */
  uint8_t from[sizeof(tia_word)], to[sizeof(tia_word)], kept[sizeof(tia_word)];
  put16(from, first);
  put16(to, after);
  put16(kept, own);
  r->moves = 0;
  for (int i = 0; i < 5; i++) {
    const int at = FIRST_POS + i;
    r->by[i] = (uint8_t)tia_distance(to[at], from[at]);
    if (kept[at] && r->by[i]) r->moves |= (uint8_t)(1 << i);
  }
  r->count = (uint8_t)(end->log - start->log);
  for (int i = 0; i < r->count; i++) r->log[i] = start->log[i] - start->from;
  r->last = rows[r->lines - 1];
  r->set = known[r->last].set;
  r->next = known[r->last].next;
  r->used = 1;
}

void tia_runs_note(machine *m, const tia_walk *start, const tia_walk *end) {
  tia_work *work = m->work;
  const uint16_t *rows = m->hints.known_row;
  if (end->log - start->log > RUN_LOG) return;
  /* four indices at once; those behind the end make no difference */
  enum { AT_ONCE = 4 };
  _Static_assert(KNOWN_AHEAD >= AT_ONCE - 1, "the table goes on behind the last row");
  uint64_t h = (uint64_t)(end->y - start->y), four;
  for (int32_t y = start->y; y < end->y; y += AT_ONCE) {
    memcpy(&four, rows + y, sizeof four);
    const int left = end->y - y;
    if (left < AT_ONCE) four = little_64(four) << 16 * (AT_ONCE - left);
    h = (h ^ h >> 32 ^ four) * 0x9E3779B97F4A7C15u;
  }
  run_note *note = &work->run_notes[h >> (64 - work->bits.run_notes)];
  uint16_t *guess = m->hints.run_row[start->y];
  if (note->tag != (uint32_t)h) { /* not seen before, or not for long */
    note->tag = (uint32_t)h;
    note->run = 0;
    return;
  }
  known_run *r = &work->runs[note->run];
  const int32_t lines = end->y - start->y;
  if (r->lines != lines ||
      !tia_is_run(r, start->log, start->from, start->first, start->rest, lines)) {
    r = oldest(work);
    compose(m, r, start, end);
    note->run = (uint16_t)(r - work->runs);
  }
  if (guess[0] == note->run) return;
  guess[1] = guess[0];
  guess[0] = note->run;
}
