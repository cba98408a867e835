/* Lines of the fast TIA.
 *
 * A line is drawn from bits: for each object, those of the pixels where it is lit. Colors are painted where bits are set,
 * and pairs of objects that share bits collide. Most lines are not drawn at all but found in the cache. */
#include "machine/tia_line.h"

#include <stddef.h>
#include <string.h>

#include "machine/tia_paint.h"

typedef uint64_t pixels16 __attribute__((vector_size(16), aligned(1), may_alias));

/* A look as three words. */
typedef struct look_words {
  uint64_t a, b, c;
} look_words;

/* One by one: compilers take a copy of the whole through memory. */
static inline uint64_t word_of(const tia_look *look, int k) {
  uint64_t word;
  memcpy(&word, (const uint8_t *)look + 8 * k, sizeof word);
  return word;
}
static inline look_words words_of(const tia_look *look) {
  return (look_words){word_of(look, 0), word_of(look, 1), word_of(look, 2)};
}
static inline void put_words(tia_look *look, look_words words) {
  memcpy(look, &words.a, sizeof words.a);
  memcpy((uint8_t *)look + 8, &words.b, sizeof words.b);
  memcpy((uint8_t *)look + 16, &words.c, sizeof words.c);
}
_Static_assert(sizeof(look_words) == sizeof(tia_look), "looks are used as words");

/* ---- Drawing --------------------------------------------------------------------------------------------------- */

/* Light the objects of a look that are on and do not look as in the look before it. */
static inline void light_objects(const tia_work *work, line_bits objects[6], const tia_look *look,
                                 const tia_look *before, int set) {
  bool anew = true, other_playfield = true;
  if (before) {
    const look_words a = words_of(look), b = words_of(before), shape = words_of(&work->shape);
    anew = ((a.a ^ b.a) & shape.a) | ((a.b ^ b.b) & shape.b) | ((a.c ^ b.c) & shape.c);
    other_playfield = (a.c ^ b.c) & word_of(&work->playfield, 2);
  }
  for (int n = 0; n < 2; n++) {
    if (!anew && look->graphic[n] == before->graphic[n]) continue;
    objects[P0 + n] = dark();
    if (set >> (P0 + n) & 1) light_player(&objects[P0 + n], look, n);
  }
  if (anew) {
    for (int n = 0; n < 2; n++) {
      objects[M0 + n] = dark();
      if (set >> (M0 + n) & 1) light_missile(&objects[M0 + n], look, n);
    }
    objects[BL] = dark();
    if (set >> BL & 1) light_ball(&objects[BL], look);
  }
  if (other_playfield) objects[PF] = set >> PF & 1 ? light_playfield(work, look) : dark();
}

/* Everything that decides how objects are painted, where they are apart: colors as in a look, bits 1 and 2 of CTRLPF, and
 * whether the first eight pixels are black. */
enum { STYLE_CTRL = 32, STYLE_BLANK = 40, SCORE = 2, HIGH = 4 };

/* Neighboring segments of the same style are painted together: a run. */
typedef struct run {
  int x;          /* where it begins; it ends where the next one does */
  int set;        /* objects that are on somewhere in it */
  uint64_t style; /* ... */
  uint64_t used;  /* ... those bits of it that show */
} run;

static inline uint64_t style_of(const tia_look *look, int x) {
  uint32_t colors;
  memcpy(&colors, look->color, sizeof colors);
  return colors | (uint64_t)(look->ctrl & (SCORE | HIGH)) << STYLE_CTRL |
         (uint64_t)(look->blank && x < 8) << STYLE_BLANK;
}

/* With both bits, the playfield has the players' colors where it is alone on, and else is in front. */
static inline bool is_odd(const run *r) {
  const uint64_t odd = (uint64_t)(SCORE | HIGH) << STYLE_CTRL;
  return (r->style & r->used & odd) == odd;
}

/* Can two neighbors be painted together? Then the second is added to the first. */
static inline bool join(run *a, const run *b) {
  if ((a->style ^ b->style) & a->used & b->used) return false;
  if (is_odd(a) || is_odd(b)) return false;
  a->style = (a->style & a->used) | (b->style & b->used);
  a->used |= b->used;
  a->set |= b->set;
  return true;
}

/* Paint the objects of a run, which ends at this pixel; `lit` has where they are. */
static void paint_objects(const tia_work *work, const line_bits lit[6], const run *r, int end,
                          uint8_t *pixels) {
  static const line_bits left = {.word = {~(uint64_t)0, 0xFFFF, 0, 0}};
  const unsigned ctrl = (r->style & r->used) >> STYLE_CTRL & 0xFF;
  const bool score = ctrl & SCORE && (!(ctrl & HIGH) || r->set == 1 << PF),
             high = ctrl & HIGH && !score;
  paint p;
  p.colors = (uint32_t)r->style;
  p.players = score || r->set & (1 << P0 | 1 << P1 | 1 << M0 | 1 << M1);
  p.x = r->x;
  p.end = end;
  for (int h = 0; h < 2; h++) {
    bits128 p0 = lit[P0].half[h] | lit[M0].half[h], p1 = lit[P1].half[h] | lit[M1].half[h],
            pf = lit[PF].half[h] | lit[BL].half[h];
    if (score) {
      p0 |= lit[PF].half[h] & left.half[h];
      p1 |= lit[PF].half[h] & ~left.half[h];
      pf = lit[BL].half[h];
    }
    /* what is in front hides what is behind */
    if (high) {
      p0 &= ~pf;
      p1 &= ~pf;
    }
    p1 &= ~p0;
    p.shown[COLOR_P0].half[h] = p0;
    p.shown[COLOR_P1].half[h] = p1;
    p.shown[COLOR_PF].half[h] = pf & ~(p0 | p1);
  }
  tia_paint(work->painter, work, &p, pixels);
}

static inline void paint_run(const tia_work *work, const line_bits lit[6], const run *r, int end,
                             uint8_t *pixels) {
  if (!pixels || r->x >= end) return;
  if (r->set)
    paint_objects(work, lit, r, end, pixels);
  else
    tia_paint_back(pixels, r->style >> 8 * COLOR_BK & 0xFF, r->x, end);
  if (r->style & (uint64_t)1 << STYLE_BLANK && r->x < 8)
    memset(pixels + r->x, 0, (size_t)(8 - r->x));
}

/* Draw pixels x_begin .. x_end - 1 (if `pixels` is not NULL) and return the collisions of cx_begin .. x_end - 1. */
static uint16_t draw_segments(const tia_work *work, const tia_segment *s, int count,
                              uint8_t *pixels, int x_begin, int cx_begin, int x_end) {
  line_bits line[6], objects[6];
  const tia_look *before = NULL;
  run open = {.x = SCREEN_WIDTH};
  int sets = 0; /* all objects that were on */
#pragma GCC unroll 6
  for (int k = 0; k < 6; k++) line[k] = dark();
  for (int i = 0; i < count; i++) {
    int from = s[i].x, to = i + 1 < count ? s[i + 1].x : SCREEN_WIDTH;
    if (to > x_end) to = x_end;
    if (from >= to) continue;
    const tia_look *look = &s[i].look;
    const int x = from > x_begin ? from : x_begin, set = look->vblank ? 0 : s[i].set & 0x3F;
    run r = {x, set, style_of(look, from), work->style[s[i].set]};
    if (look->vblank) r.style = 0, r.used = ~(uint64_t)0;
    if (open.x == SCREEN_WIDTH || !join(&open, &r)) {
      paint_run(work, line, &open, x, pixels);
      open = r;
    }
    if (!set) continue;
    sets |= set;
    const line_bits here = pixels_between(work, from, to);
    if (set == 1 << PF) {
      const line_bits playfield = light_playfield(work, look);
      add_bits(&line[PF], both(&playfield, &here));
      continue;
    }
    light_objects(work, objects, look, before, set);
    before = look;
    for (unsigned left = (unsigned)set; left; left &= left - 1) {
      const int k = __builtin_ctz(left);
      add_bits(&line[k], both(&objects[k], &here));
    }
  }
  paint_run(work, line, &open, x_end, pixels);
  const uint16_t possible = work->possible[sets];
  return possible && cx_begin < x_end ? latch(line, possible, pixels_between(work, cx_begin, x_end))
                                      : 0;
}

uint16_t tia_line_collisions(const machine *m, int x_begin, int x_end) {
  const tia_frame *l = &m->frame;
  return draw_segments(m->work, l->segments, l->count, NULL, x_end, x_begin, x_end);
}

const tia_segment *tia_line_look_at(const machine *m, int x) {
  const tia_frame *l = &m->frame;
  int i = l->count - 1;
  while (i > 0 && l->segments[i].x > x) i--;
  return &l->segments[i];
}

/* ---- The cache ------------------------------------------------------------------------------------------------- */

/* Which bits of a look can show when these objects are on. */
static void fill_visible(tia_look *bits, int set) {
  bool p0 = set >> P0 & 1, p1 = set >> P1 & 1, m0 = set >> M0 & 1, m1 = set >> M1 & 1,
       bl = set >> BL & 1;
  bool pf = set >> PF & 1, score = pf && set >> 6 & 1;
  memset(bits, 0xFF, sizeof *bits);
  if (!p0) bits->pos[P0] = 0, bits->skip_first &= 0xFE;
  if (!p1) bits->pos[P1] = 0, bits->skip_first &= 0xFD;
  if (!m0) bits->pos[M0] = bits->star = 0, bits->nusiz[0] = p0 ? 7 : 0;
  if (!m1) bits->pos[M1] = 0, bits->nusiz[1] = p1 ? 7 : 0;
  if (!bl) bits->pos[BL] = 0, bits->ctrl &= 0x06;
  if (!pf) bits->reflect = 0, bits->ctrl &= 0x34;
  if (!pf && !bl) bits->ctrl = bits->color[COLOR_PF] = 0;
  if (!p0 && !m0 && !score) bits->color[COLOR_P0] = 0;
  if (!p1 && !m1 && !score) bits->color[COLOR_P1] = 0;
}

/* Which bits of the first word of a state may not matter when only these objects are on. */
static tia_word unseen_bits(int set) {
  enum { LOOK = offsetof(tia_state, look) - offsetof(tia_state, hm) };
  bool p0 = set >> P0 & 1, p1 = set >> P1 & 1, m0 = set >> M0 & 1, m1 = set >> M1 & 1,
       bl = set >> BL & 1, pf = set >> PF & 1;
  uint8_t bytes[sizeof(tia_word)] = {0}, *color = bytes + LOOK + offsetof(tia_look, color);
  memset(bytes, 0xFF, 5); /* motions */
  for (int i = 0; i < 5; i++) bytes[LOOK + offsetof(tia_look, pos) + i] = set >> i & 1 ? 0 : 0xFF;
  bytes[5] = p0 ? 0 : 0xFF; /* mirrored players */
  bytes[6] = p1 ? 0 : 0xFF;
  color[COLOR_P0] = p0 || m0 ? 0 : 0xFF;
  color[COLOR_P1] = p1 || m1 ? 0 : 0xFF;
  color[COLOR_PF] = pf || bl ? 0 : 0xFF;
  tia_word word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

void tia_work_init(tia_work *work) {
  for (int set = 0; set < 128; set++) {
    fill_visible(&work->visible[set], set);
    work->possible[set] = tia_collisions(set & 0x3F);
    work->style[set] = (uint64_t)0xFF << STYLE_BLANK | style_of(&work->visible[set], SCREEN_WIDTH);
  }
  for (int set = 0; set < 64; set++) work->unseen[set] = unseen_bits(set);
  for (int x = 0; x < SCREEN_WIDTH; x++) {
    memcpy(work->before[x + 1], work->before[x], sizeof work->before[x]);
    work->before[x + 1][x >> 6] |= (uint64_t)1 << (x & 63);
  }
  for (int bits = 0; bits < 256; bits++) {
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = bits >> i & 1 ? 0xFF : 0;
    work->columns[bits] = (uint32_t)doubled(doubled((uint64_t)bits));
    memcpy(&work->spread[bits], bytes, sizeof bytes);
  }
  work->painter = tia_best_painter();
  tia_look *shape = &work->shape;
  memset(shape->pos, 0xFF, sizeof shape->pos);
  memset(shape->nusiz, 0xFF, sizeof shape->nusiz);
  shape->ctrl = shape->enabled = shape->skip_first = shape->star = 0xFF;
  tia_look playfield = {.reflect = 0xFF, .pf = {0xFF, 0xFF, 0xFF}};
  work->playfield = playfield;
}

_Static_assert(offsetof(tia_look, blank) == 14 && offsetof(tia_look, vblank) == 15,
               "looks are used as words");

/* The segment's look without what cannot show, so that lines that look alike have equal keys. */
static inline look_words canonical(const tia_work *work, const tia_segment *s) {
  look_words look = words_of(&s->look), bits = words_of(&work->visible[s->set]);
  if (look.b >> 56) return (look_words){0, (uint64_t)1 << 56, 0}; /* the beam is off */
  if (s->x >= 8) bits.b &= ~((uint64_t)0xFF << 48);
  return (look_words){look.a & bits.a, look.b & bits.b, look.c & bits.c};
}

static inline bool same_look(const tia_segment *s, look_words look) {
  look_words other = words_of(&s->look);
  return !((look.a ^ other.a) | (look.b ^ other.b) | (look.c ^ other.c));
}

/* The key of the line; 0 if it is too long to be kept. */
static int make_key(const tia_work *work, const tia_frame *l, tia_segment *key) {
  int count = 0;
  for (int i = 0; i < l->count; i++) {
    if (count == KEY_SEGMENTS) return 0;
    look_words look = canonical(work, &l->segments[i]);
    if (count && same_look(&key[count - 1], look)) continue;
    put_words(&key[count].look, look);
    memset(&key[count].x, 0, sizeof key->x + sizeof key->set + sizeof key->pad);
    key[count].x = l->segments[i].x;
    key[count].set = key[count].look.vblank ? 0 : l->segments[i].set;
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
             b = (word[1] ^ (word[2] << 1 | word[2] >> 63) ^ word[3] << 40);
    h = (a ^ a >> 29 ^ b) * 0xA0761D6478BD642Fu;
    h ^= h >> 32;
  }
  return h;
}

_Static_assert(sizeof(tia_segment) == 32 && sizeof(tia_look) == 24,
               "looks and segments are used as words");

static inline bool same_key(const tia_segment *a, const tia_segment *b, int count) {
  pixels16 differ = {0, 0};
  for (const pixels16 *p = (const pixels16 *)a,
                      *q = (const pixels16 *)b, *const end = p + 2 * count;
       p < end; p++, q++)
    differ |= *p ^ *q;
  return !(differ[0] | differ[1]);
}

/* The line in the cache, where it is drawn if it was not; NULL if it is too long to be kept. */
static const cached_line *find(machine *m) {
  tia_work *work = m->work;
  uint8_t *missed = &m->frame.missed[m->frame.y];
  tia_segment key[KEY_SEGMENTS];
  int count = make_key(work, &m->frame, key);
  if (!count) return NULL;
  uint64_t hash = hash_key(key, count);
  const uint64_t slot = hash >> (64 - LINE_CACHE_BITS);
  cached_line *line = &work->line[slot];
  if (work->hash[slot] == hash && line->count == count && same_key(line->key, key, count)) {
    *missed -= *missed > 1 ? 2 : *missed;
    return line;
  }
  if (*missed < 0xFF) ++*missed;
  work->hash[slot] = hash;
  line->count = (uint16_t)count;
  line->stamp = ++work->stamp;
  memcpy(line->key, key, (size_t)count * sizeof *key);
  line->collisions = draw_segments(work, key, count, line->pixels, 0, 0, SCREEN_WIDTH);
  return line;
}

uint16_t tia_line_possible(const machine *m) {
  const tia_frame *l = &m->frame;
  uint16_t possible = 0;
  for (int i = 0; i < l->count; i++) possible |= m->work->possible[l->segments[i].set];
  return possible;
}

const cached_line *tia_line_draw(machine *m, int x_end) {
  tia_frame *l = &m->frame;
  uint16_t *latches = &m->c->tia.collisions;
  if (!m->draw) { /* nobody looks */
    if (tia_line_possible(m) & ~*latches) *latches |= tia_line_collisions(m, l->cx_from, x_end);
    return NULL;
  }
  const bool whole = l->x_from == 0 && x_end == SCREEN_WIDTH;
  const cached_line *line = whole && !tia_line_is_noise(l) ? find(m) : NULL;
  if (line) {
    tia_line_show(m, line, l->y);
    *latches |= l->cx_from ? tia_line_collisions(m, l->cx_from, x_end) : line->collisions;
    return line;
  }
  /* the pixels to the right stay what they are */
  uint8_t *row = m->picture[m->current] + l->y * SCREEN_WIDTH, drawn[SCREEN_WIDTH];
  *latches |= draw_segments(m->work, l->segments, l->count, whole ? row : drawn, l->x_from,
                            l->cx_from, x_end);
  if (!whole && x_end > l->x_from)
    memcpy(row + l->x_from, drawn + l->x_from, (size_t)(x_end - l->x_from));
  m->work->drawn[m->current][l->y] = 0;
  return line;
}
