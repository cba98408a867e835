/* The cache of drawn lines.
 *
 * Pixels and collisions of a line follow from its segments. Its key is these segments without what cannot show, such as
 * the position of a missile that is off: lines that look alike have equal keys. The cache is a hash table of keys with
 * two places for each hash: a new line replaces the one that was not looked up last. */
#include "machine/tia_cache.h"

#include <string.h>

#include "machine/tia_draw.h"

typedef uint64_t bytes16 __attribute__((vector_size(16), aligned(1), may_alias));

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

/* Bytes of a look in its second word. */
#define SHIFT_IN_B(field) BYTE_SHIFT(offsetof(tia_look, field) - 8)
_Static_assert(offsetof(tia_look, blank) == 14 && offsetof(tia_look, vblank) == 15,
               "both are in the second word");

/* The segment's look without what cannot show. */
static inline look_words canonical(const tia_tables *tables, const tia_segment *s) {
  look_words look = words_of(&s->look), bits = words_of(&tables->visible[s->set]);
  if (look.b >> SHIFT_IN_B(vblank) & 0xFF) /* the beam is off */
    return (look_words){0, (uint64_t)1 << SHIFT_IN_B(vblank), 0};
  if (s->x >= 8) bits.b &= ~((uint64_t)0xFF << SHIFT_IN_B(blank));
  return (look_words){look.a & bits.a, look.b & bits.b, look.c & bits.c};
}

static inline bool same_look(const tia_segment *s, look_words look) {
  look_words other = words_of(&s->look);
  return !((look.a ^ other.a) | (look.b ^ other.b) | (look.c ^ other.c));
}

/* Make the key of a line. Returns its segments, 0 if there are too many. */
static int make_key(const tia_tables *tables, const tia_beam *b, tia_segment *key) {
  int count = 0;
  for (int i = 0; i < b->count; i++) {
    if (count == KEY_SEGMENTS) return 0;
    look_words look = canonical(tables, &b->segments[i]);
    if (count && same_look(&key[count - 1], look)) continue;
    put_words(&key[count].look, look);
    memset(&key[count].x, 0, sizeof key->x + sizeof key->set + sizeof key->pad);
    key[count].x = b->segments[i].x;
    key[count].set = key[count].look.vblank ? 0 : b->segments[i].set;
    count++;
  }
  return count;
}

static uint64_t hash_key(const tia_segment *key, int count) {
  uint64_t h = 0x9E3779B97F4A7C15u;
  for (int i = 0; i < count; i++) {
    uint64_t word[4];
    memcpy(word, &key[i], sizeof word);
    /* two products side by side, then one over both */
    uint64_t a = (word[0] ^ h) * 0xD6E8FEB86659FD93u,
             b = (word[1] ^ (word[2] << 1 | word[2] >> 63) ^ little_64(word[3]) << 40);
    h = (a ^ a >> 29 ^ b) * 0xA0761D6478BD642Fu;
    h ^= h >> 32;
  }
  return h;
}

_Static_assert(sizeof(tia_segment) == 32, "segments of a key are compared as two vectors");

static inline bool same_key(const tia_segment *a, const tia_segment *b, int count) {
  bytes16 differ = {0, 0};
  for (const bytes16 *p = (const bytes16 *)a, *q = (const bytes16 *)b, *const end = p + 2 * count;
       p < end; p++, q++)
    differ |= *p ^ *q;
  return !(differ[0] | differ[1]);
}

/* ---- Rows ------------------------------------------------------------------------------------------------------ */

/* Copy a row of pixels by vectors: a call of memcpy() or a string instruction would take longer. */
static inline void copy_row(uint8_t *to, const uint8_t *from) {
  typedef uint8_t pixels16 __attribute__((vector_size(16), aligned(1), may_alias));
#pragma GCC unroll 10
  for (int x = 0; x < SCREEN_WIDTH; x += 16) *(pixels16 *)(to + x) = *(const pixels16 *)(from + x);
}

static inline void finish_row(const machine *m, int which, int y) {
  const uint32_t line = m->work->row_waits[which][y];
  copy_row(m->picture[which] + y * SCREEN_WIDTH, m->work->cached[line - 1].pixels);
  tia_row_waits(m->work, which, y, 0);
}

/* Finish the rows that wait for a line which is about to be replaced. */
static __attribute__((noinline)) void finish_rows_of(const machine *m, uint32_t line_plus_1) {
  for (int which = 0; which < 2; which++) {
    for (int y = 0; y < SCREEN_MAX_LINES; y++) {
      if (m->work->row_waits[which][y] == line_plus_1) finish_row(m, which, y);
    }
  }
}

#if !defined(TIA_LINES_AVX2)
void tia_row_finish(const machine *m, int which, int y) {
  if (m->work->row_waits[which][y]) finish_row(m, which, y);
}

void tia_rows_finish(const machine *m, int which) {
  for (int y = 0; y < SCREEN_MAX_LINES; y++) tia_row_finish(m, which, y);
}
#endif

/* ---- Lines ----------------------------------------------------------------------------------------------------- */

/* The line of the beam in the cache, where it is drawn if it was not; NULL if it has too many segments. */
static const cached_line *find(machine *m) {
  tia_work *work = m->work;
  tia_segment key[KEY_SEGMENTS];
  int count = make_key(&work->tables, &m->beam, key);
  if (!count) return NULL;
  uint64_t hash = hash_key(key, count);
  uint64_t slot = hash >> (64 - work->bits.cached);
  uint8_t *const other = &work->cached_other[slot / 2];
  if (work->cached_hash[slot] != hash)
    slot = work->cached_hash[slot ^ 1] == hash ? slot ^ 1 : (slot & ~(uint64_t)1) | *other;
  *other = ~slot & 1;
  cached_line *line = &work->cached[slot];
  if (work->cached_hash[slot] == hash && line->count == count && same_key(line->key, key, count)) {
    return line;
  }
  tia_row_was_new(&m->hints, &m->hints.missed[m->beam.y], 1);
  if (work->cached_rows[slot + 1]) finish_rows_of(m, (uint32_t)slot + 1);
  work->cached_hash[slot] = hash;
  work->cached_stamp[slot] = ++work->newest_stamp;
  line->count = (uint16_t)count;
  memcpy(line->key, key, (size_t)count * sizeof *key);
  line->collisions = tia_draw_segments(&work->tables, key, count, line->pixels, 0, 0, SCREEN_WIDTH);
  return line;
}

uint16_t tia_beam_collisions(const machine *m, uint16_t wanted, int x_begin, int x_end) {
  const tia_beam *b = &m->beam;
  return tia_collide_segments(&m->work->tables, b->segments, b->count, wanted, x_begin, x_end);
}

const cached_line *tia_cache_draw(machine *m, int x_end) {
  tia_beam *b = &m->beam;
  uint16_t *latches = &m->c->tia.collisions;
  if (!m->draw) { /* nobody looks */
    *latches |= tia_beam_collisions(m, (uint16_t) ~*latches, b->cx_from, x_end);
    return NULL;
  }
  const bool whole = b->x_from == 0 && x_end == SCREEN_WIDTH;
  const cached_line *line = whole && !tia_row_is_noise(&m->hints, b->y) ? find(m) : NULL;
  if (line) {
    tia_cache_show(m, (uint32_t)(line - m->work->cached), b->y);
    *latches |= b->cx_from ? tia_beam_collisions(m, (uint16_t) ~*latches, b->cx_from, x_end)
                           : line->collisions;
    return line;
  }
  /* a part of a line is drawn aside: painters write more pixels than asked, and those to the right must stay */
  uint8_t *row = m->picture[m->current] + b->y * SCREEN_WIDTH, aside[SCREEN_WIDTH];
  if (!whole) tia_row_finish(m, m->current, b->y);
  *latches |= tia_draw_segments(&m->work->tables, b->segments, b->count, whole ? row : aside,
                                b->x_from, b->cx_from, x_end);
  if (!whole && x_end > b->x_from)
    memcpy(row + b->x_from, aside + b->x_from, (size_t)(x_end - b->x_from));
  m->work->row_stamp[m->current][b->y] = 0;
  tia_row_waits(m->work, m->current, b->y, 0);
  return NULL;
}
