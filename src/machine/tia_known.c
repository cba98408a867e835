/* Known lines.
 *
 * 84 % of a game's lines are what the same row was a frame ago. A known line has the bytes of the state that a
 * line began with, its writes, and the bytes that it ended with. Where the next line begins the same way and
 * has the same writes, its end is copied: nothing is processed, and its pixels are those of the cached line
 * that it was drawn as, if the row does not show them already.
 *
 * Many lines differ only in what cannot matter to them, such as the position of an object that is not on. So
 * the first 16 of the 48 bytes (motions, mirroring, positions, colors) are compared without the bits that did
 * not matter when the line was learned (`any`), and of these, those that the line leaves alone keep their
 * values (`keep`).
 *
 * Three guesses find the known line: the one that came after the last one (`next`), the one that this row was
 * (`known_row`), and a hash table of the state and the log. */
#include "machine/tia_known.h"

#include <string.h>

#include "machine/tia_cache.h"
#include "machine/tia_entries.h"
#include "machine/tia_log.h"
#include "machine/tia_runs.h"
#include "machine/tia_segments.h"
#include "machine/tia_words.h"

/* ---- Comparing ------------------------------------------------------------------------------------------------- */

/* Writes in the log of a known line. */
static inline int known_count(const known_line *k) { return UNCOUNTED - k->uncounted; }

/* Is a line with this state and these writes, and no others below `over`, this one? `from` is the entry of its first
 * cycle. */
static inline bool is_known(const known_line *k, const uint32_t *w, uint32_t from, uint32_t over,
                            word16 first, const void *rest) {
  const int count = known_count(k);
  if (count > KNOWN_LOG) return false;
  const word16 matters = ~get16(&k->any);
#if defined(TIA_LINES_AVX2)
  return none_differs(entries_differ(w, from, k->log, count) |
                      state_differs(first, get16(&k->before), matters, rest, &k->rest_before)) &
         (w[count] >= over);
#else
  return same_entries(w, from, k->log, count) && w[count] >= over &&
         is_zero((first ^ get16(&k->before)) & matters) && same_rest(&k->rest_before, rest);
#endif
}

/* Is it the line of the beam? */
static inline bool beam_is_known(const machine *m, const known_line *k, uint32_t from,
                                 uint32_t over) {
  const tia_state *t = &m->c->tia;
  return is_known(k, m->beam.log_done, from, over, get16(first_of(t)), rest_of(t));
}

/* Is it the one that this row was? */
static inline bool is_known_row(const machine *m) {
  const tia_beam *b = &m->beam;
  const uint32_t from = (uint32_t)(b->begin / 3) << 16;
  return beam_is_known(m, &m->work->known[m->hints.known_row[b->y]], from,
                       from + log_line_over(LINE_CYCLES));
}

/* Where a line would be known, and a tag that tells it from most others that would be there. */
typedef struct known_place {
  uint32_t index, tag;
} known_place;

/* Lines that could be the same must have the same place: what may not matter is left out of the hash. */
static known_place known_at(const tia_work *work, int set, word16 first, const void *rest,
                            const uint32_t *w, int count, uint32_t from) {
  const tia_tables *const tables = &work->tables;
  const int bits = work->bits.known;
  uint64_t s[sizeof(known_rest) / 8], h;
  first &= ~get16(&tables->unseen[set & 63]);
  memcpy(s, rest, sizeof s);
  h = (first[0] * 0x9E3779B97F4A7C15u ^ first[1]) * 0xD6E8FEB86659FD93u;
  h += (s[0] * 0xA0761D6478BD642Fu ^ s[1]) * 0xE7037ED1A0B428DBu;
  h ^= h >> 32;
  h += (s[2] * 0x8EBC6AF09C88C6E3u ^ s[3]) * 0x589965CC75374CC3u;
  const uint64_t both = from | (uint64_t)from << 32;
  int i = 0;
  for (; i < count - 1; i += 2) { /* two entries at once, as in same_entries() */
    uint64_t entries;
    memcpy(&entries, w + i, sizeof entries);
    h = (h ^ h >> 29 ^ (entries - both)) * 0x9E3779B97F4A7C15u;
  }
  if (i < count) h = (h ^ h >> 29 ^ (w[i] - from)) * 0x9E3779B97F4A7C15u;
  h = (h ^ h >> 31) * 0x9E3779B97F4A7C15u;
  return (known_place){(uint32_t)(h >> (64 - bits)), (uint32_t)h};
}

/* ---- Learning -------------------------------------------------------------------------------------------------- */

/* Can a line with this log be known? Not if it may begin the stars of Cosmic Ark, which depend on an earlier line's
 * HMOVE, nor if its last write falls on the first cycle of the next line. */
static bool can_be_known(const uint32_t *w, int count, uint32_t from) {
  for (int i = 0; i < count; i++) {
    if ((w[i] & 0xFFFF) == (HMM0 << 8 | 0x60)) return false;
  }
  if (count && w[count - 1] - from >= LINE_CYCLES << 16) return false;
  return count <= KNOWN_LOG;
}

static bool has_cxclr(const uint32_t *w, int count) {
  for (int i = 0; i < count; i++) {
    if (log_register(w[i]) == CXCLR) return true;
  }
  return false;
}

/* Sets of objects of a line: those that were on, and those that were on while the beam was not off (VBLANK). */
typedef struct line_sets {
  int on, shown;
} line_sets;

static line_sets sets_of_line(const tia_beam *b) {
  line_sets sets = {0, 0};
  for (int i = 0; i < b->count; i++) {
    const tia_segment *s = &b->segments[i];
    sets.on |= s->set;
    if (!s->look.vblank) sets.shown |= s->set;
  }
  return sets;
}

/* What a write means to the first word, by register: sets of objects, of players and of colors, and two marks. */
enum {
  ALL = 31,        /* objects P0 to BL */
  SETS_MOTION = 0, /* objects whose motion it sets */
  PLACES = 5,      /* objects that it puts somewhere, from wherever they were */
  DEPENDS = 10,    /* objects that it puts somewhere that depends on where they, or others, were */
  COLORS = 15,     /* of P0, P1, PF */
  MIRRORS = 18,    /* players */
  CLEARS_COLLISIONS = 20, /* marks: CXCLR */
  MOVES = 21              /* HMOVE */
};
static const uint32_t meaning[CXCLR + 3] = {
    [HMOVE] = 1 << MOVES,
    [HMP0] = 1 << (SETS_MOTION + P0),
    [HMP1] = 1 << (SETS_MOTION + P1),
    [HMM0] = 1 << (SETS_MOTION + M0),
    [HMM1] = 1 << (SETS_MOTION + M1),
    [HMBL] = 1 << (SETS_MOTION + BL),
    [HMCLR] = ALL << SETS_MOTION,
    [RESP0] = 1 << (DEPENDS + P0),
    [RESP1] = 1 << (DEPENDS + P1),
    [RESM0] = 1 << (PLACES + M0),
    [RESM1] = 1 << (PLACES + M1),
    [RESBL] = 1 << (PLACES + BL),
    /* puts a missile where its player is */
    [RESMP0] = (ALL & ~(1 << BL)) << DEPENDS,
    [RESMP1] = (ALL & ~(1 << BL)) << DEPENDS,
    [COLUP0] = 1 << (COLORS + COLOR_P0),
    [COLUP1] = 1 << (COLORS + COLOR_P1),
    [COLUPF] = 1 << (COLORS + COLOR_PF),
    [REFP0] = 1 << MIRRORS,
    [REFP1] = 2 << MIRRORS,
    [CXCLR] = 1 << CLEARS_COLLISIONS,
};
_Static_assert(LOG_LOOK == CXCLR + 2, "the last register of a log");

/* Which bits of the first word did not matter to this line (any), and which of them does it leave alone (keep)? */
static void find_freedom(const tia_tables *tables, known_line *k, line_sets sets, bool stars) {
  enum { SCORE_MODE = 1 << 6, P0_BITS = 1 << P0 | 1 << M0, P1_BITS = 1 << P1 | 1 << M1 };
  uint32_t done = 0; /* what the writes so far mean */
  int hmoves = 0, used = sets.shown;
  k->hmove = 0xFF;
  for (int i = 0; i < known_count(k); i++) {
    const uint32_t one = meaning[log_register(k->log[i])];
    if (one >> MOVES) {
      hmoves++;
      k->hmove = (uint8_t)log_cycle(k->log[i]);
      /* moves by or from something else than at the beginning */
      used |= (int)(done >> SETS_MOTION | done >> PLACES);
    }
    done |= one;
  }
  const int moved = done >> SETS_MOTION & ALL, strobed = done >> PLACES & ALL,
            colored = done >> COLORS & 7, mirrored = done >> MIRRORS & 3;
  int free = ALL & ~(used | (int)(done >> DEPENDS));
  if (stars) free &= ~(1 << M0);
  k->latched = done >> CLEARS_COLLISIONS & 1 ? 0 : 0xFFFF;
  k->hmove_pulls = hmoves && tia_motion[k->hmove][0];
  if (hmoves > 1) free = 0;
  const int motions = hmoves || stars ? free : ALL, mirrors = ~sets.on & 3;
  int colors = 0;
  if (!(sets.shown & (P0_BITS | SCORE_MODE))) colors |= 1 << COLOR_P0;
  if (!(sets.shown & (P1_BITS | SCORE_MODE))) colors |= 1 << COLOR_P1;
  if (!(sets.shown & (1 << PF | 1 << BL))) colors |= 1 << COLOR_PF;
  k->any = first_word(tables, motions, mirrors, free, colors);
  k->keep =
      first_word(tables, motions & ~moved, mirrors & ~mirrored, free & ~strobed, colors & ~colored);
  k->keep_pos = (uint8_t)(free & ~strobed);
}

/* Make an entry match nothing. */
static void forget(known_line *k) {
  k->uncounted = 0;
  k->log[0] = 0; /* no entry of a line's log: register 0 is VSYNC, which is not logged */
  k->steady = 0;
}

/* Note the writes of the line and the state that it began with. */
static void know(known_line *k, const tia_state *before, const uint32_t *w, int count,
                 uint32_t from) {
  put16(&k->before, get16(first_of(before)));
  memcpy(&k->rest_before, rest_of(before), sizeof k->rest_before);
  for (int i = 0; i < count; i++) k->log[i] = w[i] - from;
  k->uncounted = (uint8_t)(UNCOUNTED - count);
}

/* Process a line and note what it does. */
static __attribute__((noinline)) void learn_line(machine *m, known_line *k, uint32_t from,
                                                 uint32_t over) {
  tia_beam *b = &m->beam;
  tia_state *t = &m->c->tia;
  const tia_state before = *t;
  const int32_t begin = b->begin;
  const uint32_t *const w = b->log_done;
  const int count = log_count_until(b->log_done, over);
  forget(k);
  t->collisions = 0; /* to learn which ones the line itself latches */
  tia_log_process(m, w + count);
  if (b->begin != begin) { /* the last write takes effect in the next line: not to be known */
    if (!has_cxclr(w, count)) t->collisions |= before.collisions;
    return;
  }
  const line_sets sets = sets_of_line(b);
  const cached_line *line = NULL;
  if (m->draw) {
    line = tia_close_line(m);
    if (line) k->slot = (uint16_t)(line - m->work->cached);
  } else {
    t->collisions |= tia_beam_collisions(m, (uint16_t)~t->collisions, b->cx_from, SCREEN_WIDTH);
    tia_end_line(m);
  }
  k->collisions = t->collisions;
  k->stamp = line ? m->work->cached_stamp[k->slot] : NOT_DRAWN;
  know(k, &before, w, count, from);
  find_freedom(&m->work->tables, k, sets, before.star_on | t->star_on);
  put16(&k->after, get16(first_of(t)) & ~get16(&k->keep));
  memcpy(&k->rest_after, rest_of(t), sizeof k->rest_after);
  k->set = b->set;
  k->steady = !count && same_rest(&k->rest_before, &k->rest_after);
  t->collisions |= before.collisions & k->latched;
  if (m->draw && !line) forget(k); /* without pixels it cannot be repeated in a drawn frame */
}

/* ---- Repeating ------------------------------------------------------------------------------------------------- */

bool tia_known_lines_pay(tia_hints *h) {
  enum { TRIAL = 4, PAUSE = 60 /* frames */ };
  if (++h->frames <= TRIAL) return true;
  if (h->frames == TRIAL + 1 && 2 * h->hits < h->tries) h->pause = 1;
  if (h->frames == TRIAL + PAUSE) h->frames = h->hits = h->tries = h->pause = 0;
  return !h->pause;
}

/* Do the line's HMOVE to the objects that are elsewhere than when it was learned. */
static inline word16 moved(const tia_tables *tables, word16 first, const known_line *k) {
  const int8_t *by = tia_motion[k->hmove];
#if defined(TIA_LINES_AVX2)
  (void)tables;
  const __m128i word = (__m128i)first;
  const word16 positions =
      (word16)_mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, 0, 0);
  const __m128i objects = _mm_and_si128((__m128i)get16(&k->keep), (__m128i)positions);
  /* motions in the places of positions, and what they mean in this cycle */
  const __m128i motions = _mm_slli_si128(word, FIRST_POS - FIRST_HM);
  const __m128i steps = _mm_shuffle_epi8((__m128i)get16(by), motions);
  const __m128i to = _mm_add_epi8(word, _mm_and_si128(steps, objects));
  /* to the right end (then it is above all positions), beyond it, or neither */
  const __m128i over = _mm_sub_epi8(to, _mm_set1_epi8((char)SCREEN_WIDTH));
  const __m128i below = _mm_cmpeq_epi8(_mm_max_epu8(to, _mm_set1_epi8(-15)), to);
  const __m128i inside = _mm_min_epu8(to, over);
  const __m128i back = _mm_and_si128(below, _mm_set1_epi8(2 * SCREEN_WIDTH - 256));
  return (word16)_mm_blendv_epi8(word, _mm_add_epi8(inside, back), objects);
#else
  if (!(first[0] & tables->spread[0x1F]) && !k->hmove_pulls) return first; /* FIRST_HM is 0 */
  uint8_t bytes[sizeof(tia_word)], *pos = bytes + FIRST_POS, *hm = bytes + FIRST_HM;
  put16(bytes, first);
  for (unsigned left = k->keep_pos; left; left &= left - 1) {
    const int i = __builtin_ctz(left), motion = by[hm[i]];
    if (motion) pos[i] = tia_moved(pos[i], motion);
  }
  return get16(bytes);
#endif
}

/* Show a known line in a row that shows something else. False: its pixels are no longer in the cache. */
static bool show_known(machine *m, const known_line *k, int32_t y) {
  if (m->work->cached_stamp[k->slot] != k->stamp) return false;
  tia_cache_show(m, k->slot, y);
  return true;
}

/* The run that begins in this row, if one of the last two that did is right. */
static inline known_run *guessed_run(machine *m, const uint32_t *w, uint32_t from, word16 first,
                                     const void *rest, int32_t y, int32_t y_until) {
  uint16_t *const guess = m->hints.run_row[y];
  known_run *const runs = m->work->runs, *r = &runs[guess[0]];
  if (tia_is_run(r, w, from, first, rest, y_until - y)) return r;
  r = &runs[guess[1]];
  if (!tia_is_run(r, w, from, first, rest, y_until - y)) return NULL;
  guess[1] = guess[0];
  guess[0] = (uint16_t)(r - runs);
  return r;
}

/* Are more than half of this row's lines learned, or two of five without pictures? Then it is not worth looking for
 * known ones. With pictures, most noise is found by tia_row_is_noise(). */
static inline bool learning_is_fruitless(const tia_hints *h, int32_t y) {
  return tia_is_noise(h, &h->learned[y]);
}
static inline void row_was_learned(tia_hints *h, int32_t y) {
  tia_row_was_new(h, &h->learned[y], h->undrawn ? 2 : 3);
}

static inline bool is_hopeless(const tia_hints *h, int32_t y) {
  return tia_row_is_noise(h, y) || learning_is_fruitless(h, y);
}

/* Where in the table a line is, or is to be learned; index is NOWHERE if it cannot be known. */
static const uint32_t NOWHERE = UINT32_MAX;
static known_place look_up(tia_work *work, int set, const tia_walk *line, uint32_t over) {
  const uint32_t *const w = line->log;
  const int count = log_count_until(w, over);
  if (!can_be_known(w, count, line->from)) return (known_place){NOWHERE, 0};
  known_place at = known_at(work, set, line->first, line->rest, w, count, line->from);
  /* two places, beside each other: the one where it is, or the one that was not looked at last */
  const uint32_t *const tags = work->known_tag;
  uint8_t *const other = &work->known_other[at.index / 2];
  if (tags[at.index] != at.tag)
    at.index = tags[at.index ^ 1] == at.tag ? at.index ^ 1 : (at.index & ~1u) | *other;
  *other = ~at.index & 1;
  return at;
}

/* Fetch what beam_is_known() looks at in most lines. */
static inline void prefetch_line(const known_line *k) {
  __builtin_prefetch(k);
  __builtin_prefetch(&k->stamp);
  __builtin_prefetch(&k->rest_before);
}

/* Repeat runs and lines as long as they are known: those that the beam has left at clock `until`, inside the window.
 * Meanwhile the state is kept aside: its first word in a variable, the rest in the known line or run that was repeated
 * last. Runs are tried at the beginning, at the beginning of a block, and after a run. The lines between are noted:
 * they may be a run the next time. Returns where the next line is to be learned, or NOWHERE. */
static known_place repeat_lines(machine *m, int32_t until) {
  enum { RUN_AT_LEAST = 3 /* lines */ };
  tia_beam *const b = &m->beam;
  tia_hints *const h = &m->hints;
  tia_state *const t = &m->c->tia;
  tia_work *const work = m->work;
  known_line *const known = work->known;
  const uint32_t *const shown = m->draw ? work->row_stamp[m->current] : NULL;
  const uint32_t *w = b->log_done;
  known_line *last = &known[h->last_known];
  const void *rest = rest_of(t);
  word16 first = get16(first_of(t));
  unsigned collisions = t->collisions;
  int32_t y = b->y;
  const int32_t y_until = y + (until - b->end + LINE_CLOCKS - 1) / LINE_CLOCKS;
  uint32_t from = (uint32_t)(b->begin / 3) << 16;
  uint32_t hmove = LOG_OVER;    /* when the last HMOVE was, as in the log */
  uint16_t *next = &last->next; /* the guess which line comes now */
  int set = b->set;
  const uint32_t *w_stop = w + RUN_LOG;
  tia_walk start; /* of the lines to be noted */
  start.y = y;
  /* row before which runs are tried */
  int32_t try_at = y_until - y < RUN_AT_LEAST ? y_until : y;
  known_place at = {NOWHERE, 0};
  for (; y < y_until; y++, from += LINE_CYCLES << 16) {
    if (y == try_at || w > w_stop) {
      if (y - start.y >= RUN_AT_LEAST)
        tia_runs_note(m, &start, &(tia_walk){first, rest, w, from, y});
      if (tia_block_end(y) < y_until)
        tia_run_prefetch(&work->runs[h->run_row[tia_block_end(y)][0]]);
      while (y_until - y >= RUN_AT_LEAST) {
        known_run *r = guessed_run(m, w, from, first, rest, y, y_until);
        if (!r) break;
        tia_run_prefetch(&work->runs[h->run_row[y + r->lines][0]]);
        if (shown && !tia_run_is_shown(r, shown + y) && !tia_run_show(m, r, y)) {
          r->lines = 0; /* of no more use */
          break;
        }
        r->used = 1;
        next = &r->next;
        prefetch_line(&known[*next]);
        first = tia_after_run(r, first);
        rest = &r->rest_after;
        collisions = (collisions & r->latched) | r->collisions;
        if (r->hmove) hmove = from + ((uint32_t)(r->hmove - 1) << 16);
        w += r->count;
        from += (uint32_t)(r->lines * LINE_CYCLES) << 16;
        y += r->lines;
        last = &known[r->last];
        set = r->set;
      }
      start = (tia_walk){first, rest, w, from, y};
      if (y == y_until) break;
      try_at = tia_block_end(y);
      w_stop = w + RUN_LOG - KNOWN_LOG;
    }
    const uint32_t over = from + log_line_over(LINE_CYCLES);
    known_line *k = &known[h->known_row[y]];
    bool guessed = is_known(k, w, from, over, first, rest);
    if (!guessed) {
      k = &known[*next];
      guessed = is_known(k, w, from, over, first, rest);
    }
    if (!guessed || (shown && shown[y] != k->stamp && !show_known(m, k, y))) {
      if (is_hopeless(h, y)) break;
      const tia_walk here = {first, rest, w, from, y};
      at = look_up(work, set, &here, over);
      if (at.index == NOWHERE) break;
      *next = h->known_row[y] = (uint16_t)at.index;
      k = &known[at.index];
      if (work->known_tag[at.index] != at.tag || !is_known(k, w, from, over, first, rest) ||
          (shown && shown[y] != k->stamp && !show_known(m, k, y)))
        break;
      at.index = NOWHERE;
      if (y - start.y >= RUN_AT_LEAST) tia_runs_note(m, &start, &here);
      start = here;
    }
    const uint16_t index = (uint16_t)(k - known);
    *next = h->known_row[y] = index;
    prefetch_line(&known[h->known_row[y + KNOWN_AHEAD]]);
    collisions = (collisions & k->latched) | k->collisions;
    if (k->hmove != 0xFF) {
      hmove = from + ((uint32_t)k->hmove << 16);
      first = moved(&work->tables, first, k);
    }
    const word16 before = first;
    first = (first & get16(&k->keep)) | get16(&k->after);
    w += known_count(k);
    rest = &k->rest_after;
    last = k;
    next = &k->next;
    set = k->set;
    if (!k->steady || !is_zero(first ^ before)) continue;
    /* it has changed nothing: up to the next write, all lines of the block are this one */
    int32_t same = (log_cycle(*w) - 1 - log_cycle(from)) / LINE_CYCLES;
    if (same > y_until - y) same = y_until - y;
    if (same > try_at - y) same = try_at - y;
    for (; same > 1; same--, from += LINE_CYCLES << 16) {
      if (shown && shown[y + 1] != k->stamp && !show_known(m, k, y + 1)) break;
      h->known_row[++y] = index;
    }
  }
  if (y == b->y) return at;
  if (y - start.y >= RUN_AT_LEAST) tia_runs_note(m, &start, &(tia_walk){first, rest, w, from, y});
  put16((uint8_t *)t + LINE_STATE, first);
  memcpy((uint8_t *)t + REST_STATE, rest, sizeof(known_rest));
  t->collisions = (uint16_t)collisions;
  if (hmove != LOG_OVER) t->last_hmove = 3 * log_cycle(hmove);
  h->hits += (uint32_t)(y - b->y);
  h->tries += (uint32_t)(y - b->y);
  h->last_known = (uint32_t)(last - known);
  b->log_done += w - b->log_done;
  b->set = (uint8_t)set;
  b->end += (y - b->y) * LINE_CLOCKS;
  b->begin = b->end - LINE_CLOCKS;
  b->y = y;
  return at;
}

/* Fetch what will be compared with the next line, while this one is processed. */
static void prefetch_row(const machine *m, int32_t y) {
  prefetch_line(&m->work->known[m->hints.known_row[y]]);
  if (y < SCREEN_MAX_LINES) tia_run_prefetch(&m->work->runs[m->hints.run_row[y][0]]);
}

void tia_known_lines(machine *m, int32_t clock) {
  tia_beam *b = &m->beam;
  tia_hints *h = &m->hints;
  const int32_t until = clock <= m->frame.stop ? clock : m->frame.stop;
  while (b->end < until && tia_line_is_untouched(m)) {
    known_place at = {NOWHERE, 0};
    if (!is_hopeless(h, b->y) || is_known_row(m)) {
      at = repeat_lines(m, until);
      if (b->end >= until) break;
    }
    const int32_t cycle = b->begin / 3, row = b->y;
    prefetch_row(m, row + 1);
    b->log_line = cycle;
    if (at.index != NOWHERE) h->tries++;
    if (at.index == NOWHERE || !tia_lines_are_learned(h)) {
      tia_log_process_line(m);
      continue;
    }
    m->work->known_tag[at.index] = at.tag;
    row_was_learned(h, b->y);
    learn_line(m, &m->work->known[at.index], (uint32_t)cycle << 16,
               log_line_over(cycle + LINE_CYCLES));
    h->last_known = at.index;
    m->work->known[at.index].next = h->known_row[row + 1];
  }
  b->log_line = b->begin / 3;
}

/* ---- Collisions in the middle of a line ------------------------------------------------------------------------- */

/* Process the line up to this clock and look at its pixels, for these collisions. */
static uint16_t collisions_so_far(machine *m, int32_t clock, uint16_t wanted) {
  tia_beam *b = &m->beam;
  tia_log_process(m, m->frame.log_end);
  tia_advance(m, clock);
  const uint16_t latches = m->c->tia.collisions;
  if (b->last == BEAM_OVER) return latches; /* this was past the end of the window */
  int x = tia_pixel_at(b->last - b->begin);
  return latches | tia_beam_collisions(m, wanted & ~latches, b->cx_from, x);
}

/* The same, and back again, so that the line can still become a known one. */
static void learn_collisions(machine *m, known_line *k, int count, uint32_t from, int32_t clock,
                             uint16_t wanted) {
  const tia_state before = m->c->tia;
  const tia_beam beam = m->beam;
  m->c->tia.collisions = 0;
  forget(k);
  k->collisions = collisions_so_far(m, clock, wanted);
  const line_sets sets = sets_of_line(&m->beam);
  bool stars = before.star_on | m->c->tia.star_on;
  m->c->tia = before;
  m->beam = beam;
  know(k, &before, m->beam.log_done, count, from);
  find_freedom(&m->work->tables, k, sets, stars);
}

/* The clock to which writes have brought the beam, if one of the last two cycles was written in; 0 if not. Of ordinary
 * programs none reads so soon: these run in the TIA, whose registers they execute. A write with a delay has then
 * brought the beam further than the read does, even a write that changes nothing and that tia_log_process() passes. */
static inline int32_t reach_of_writes(const machine *m, int32_t cycle) {
  enum {
    SOON = 2
  }; /* in three cycles, the beam passes all delays but that of RESP, which is never passed over */
  const uint32_t *const done = m->beam.log_done;
  int32_t reach = 0;
  for (const uint32_t *w = m->frame.log_end; w > done && log_cycle(w[-1]) >= cycle - SOON; w--) {
    const int32_t until = log_effect(&m->frame, w[-1]);
    if (until > reach) reach = until;
  }
  return reach;
}

uint16_t tia_known_collisions(machine *m, int32_t cycle, uint16_t wanted) {
#if defined(TIA_LINES_CHOICE)
  if (tia_has_avx2(m)) return tia_known_collisions_avx2(m, cycle, wanted);
#endif
  tia_frame *f = &m->frame;
  tia_beam *b = &m->beam;
  tia_hints *h = &m->hints;
  const int32_t clock = 3 * cycle;
  tia_log_catch_up(m, cycle);
  const uint16_t latches = m->c->tia.collisions;
  if (b->last == BEAM_OVER) return latches;
  const int32_t reach = reach_of_writes(m, cycle);
  if (reach > clock) return collisions_so_far(m, reach, wanted);
  /* a question is an entry of the log, too: what is known up to one pixel, or of one register, is no answer for
   * another */
  const uint32_t from = (uint32_t)(b->begin / 3) << 16;
  int count = (int)(f->log_end - b->log_done) + 1;
  f->log_end[0] = (uint32_t)cycle << 16 | LOG_LOOK << 8 | (uint32_t)__builtin_ctz(wanted);
  f->log_end[1] = LOG_OVER;
  if (!tia_line_is_untouched(m) || !can_be_known(b->log_done, count, from))
    return collisions_so_far(m, clock, wanted);
  if ((!(wanted & ~latches) || clock <= b->begin + LINE_BLANK) && !has_cxclr(b->log_done, count))
    return latches;
  known_line *known = m->work->known, *k = &known[known[h->last_read].next];
  if (!beam_is_known(m, k, from, LOG_OVER)) {
    k = &known[known_at(m->work, b->set, get16(first_of(&m->c->tia)), rest_of(&m->c->tia),
                        b->log_done, count, from)
                   .index];
    known[h->last_read].next = (uint16_t)(k - known);
    if (!beam_is_known(m, k, from, LOG_OVER)) {
      b->log_line = b->begin / 3;
      learn_collisions(m, k, count, from, clock, wanted);
    }
  }
  h->last_read = (uint32_t)(k - known);
  return (latches & k->latched) | k->collisions;
}
