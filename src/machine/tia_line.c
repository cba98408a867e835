/* Lines of the fast TIA.
 *
 * A line is drawn in three passes over 160 bytes: each object sets its bit where it is lit; a table turns the six bits
 * into one of four colors; another into collision latches. Most lines are not drawn at all but found in the cache. */
#include "machine/tia_line.h"

#include <string.h>

/* ---- Tables over the 64 sets of lit objects -------------------------------------------------------------------- */

#define HAS(l, o) ((l) >> (o)&1)
#define LIT_P0(l) (HAS(l, P0) | HAS(l, M0))
#define LIT_P1(l) (HAS(l, P1) | HAS(l, M1))
#define COLOR_NORMAL(l) \
  (LIT_P0(l) ? COLOR_P0 : LIT_P1(l) ? COLOR_P1 : HAS(l, PF) | HAS(l, BL) ? COLOR_PF : COLOR_BK)
#define COLOR_SCORE_LEFT(l) \
  (LIT_P0(l) | HAS(l, PF) ? COLOR_P0 : LIT_P1(l) ? COLOR_P1 : HAS(l, BL) ? COLOR_PF : COLOR_BK)
#define COLOR_SCORE_RIGHT(l) \
  (LIT_P0(l) ? COLOR_P0 : LIT_P1(l) | HAS(l, PF) ? COLOR_P1 : HAS(l, BL) ? COLOR_PF : COLOR_BK)
#define COLOR_PRIORITY(l) \
  (HAS(l, PF) | HAS(l, BL) ? COLOR_PF : LIT_P0(l) ? COLOR_P0 : LIT_P1(l) ? COLOR_P1 : COLOR_BK)
#define BOTH(l, a, b, latch) (HAS(l, a) & HAS(l, b) ? (latch) : 0)
#define COLLISIONS(l)                                                               \
  (BOTH(l, M0, P0, CX_M0P0) | BOTH(l, M0, P1, CX_M0P1) | BOTH(l, M1, P1, CX_M1P1) | \
   BOTH(l, M1, P0, CX_M1P0) | BOTH(l, P0, BL, CX_P0BL) | BOTH(l, P0, PF, CX_P0PF) | \
   BOTH(l, P1, BL, CX_P1BL) | BOTH(l, P1, PF, CX_P1PF) | BOTH(l, M0, BL, CX_M0BL) | \
   BOTH(l, M0, PF, CX_M0PF) | BOTH(l, M1, BL, CX_M1BL) | BOTH(l, M1, PF, CX_M1PF) | \
   BOTH(l, BL, PF, CX_BLPF) | BOTH(l, M0, M1, CX_M0M1) | BOTH(l, P0, P1, CX_P0P1))
#define FOUR(f, l)    f(l), f(l + 1), f(l + 2), f(l + 3)
#define SIXTEEN(f, l) FOUR(f, l), FOUR(f, l + 4), FOUR(f, l + 8), FOUR(f, l + 12)
#define ALL(f) \
  { SIXTEEN(f, 0), SIXTEEN(f, 16), SIXTEEN(f, 32), SIXTEEN(f, 48) }

enum { NORMAL, SCORE_LEFT, SCORE_RIGHT, PRIORITY };
static const uint8_t color_of[4][64] = {ALL(COLOR_NORMAL), ALL(COLOR_SCORE_LEFT),
                                        ALL(COLOR_SCORE_RIGHT), ALL(COLOR_PRIORITY)};
static const uint16_t latches_of[64] = ALL(COLLISIONS);

/* ---- Which objects are lit ------------------------------------------------------------------------------------- */

static const uint8_t copy_count[8] = {1, 2, 2, 3, 2, 1, 3, 1};
static const uint8_t copies[8][3] = {{0},     {0, 16}, {0, 32},     {0, 16, 32},
                                     {0, 64}, {0},     {0, 32, 64}, {0}};

/* Light a run of pixels, around the edge of the screen if need be. */
static void light(uint8_t *lit, int x, int count, uint8_t bit) {
  for (int i = 0; i < count; i++) {
    if (x >= SCREEN_WIDTH) x -= SCREEN_WIDTH;
    lit[x++] |= bit;
  }
}

static void light_player(uint8_t *lit, const tia_look *look, int n) {
  int mode = look->nusiz[n] & 7, pos = look->pos[P0 + n];
  bool skip = look->skip_first >> n & 1;
  uint8_t graphic = look->graphic[n], bit = (uint8_t)(1 << (P0 + n));
  int width = mode == 5 ? 2 : mode == 7 ? 4 : 1;
  if (width > 1) pos++; /* stretched players come a pixel late */
  for (int i = skip; i < copy_count[mode]; i++) {
    for (int b = 0; b < 8; b++) {
      if (graphic >> (7 - b) & 1) light(lit, pos + copies[mode][i] + b * width, width, bit);
    }
  }
}

static void light_missile(uint8_t *lit, const tia_look *look, int n) {
  int star = n ? STAR_NORMAL : look->star, code = look->nusiz[n] >> 4 & 3,
      mode = look->nusiz[n] & 7;
  if (star == STAR_HIDDEN) return;
  int width = 1 << (star == STAR_WIDE ? code | 1 : code);
  for (int i = 0; i < copy_count[mode]; i++) {
    light(lit, look->pos[M0 + n] + copies[mode][i], width, (uint8_t)(1 << (M0 + n)));
  }
}

/* The twenty playfield bits in the order of the screen, leftmost first. */
static uint32_t playfield_bits(const tia_look *look) {
  uint32_t pf1 = look->pf[1];
  pf1 = (pf1 & 0xF0) >> 4 | (pf1 & 0x0F) << 4;
  pf1 = (pf1 & 0xCC) >> 2 | (pf1 & 0x33) << 2;
  pf1 = (pf1 & 0xAA) >> 1 | (pf1 & 0x55) << 1;
  return (uint32_t)look->pf[0] >> 4 | pf1 << 4 | (uint32_t)look->pf[2] << 12;
}

static void light_playfield(uint8_t *lit, const tia_look *look) {
  uint32_t bits = playfield_bits(look);
  for (int i = 0; i < 20; i++, bits >>= 1) {
    uint32_t four = (bits & 1) * (0x01010101u << PF);
    int right = look->reflect ? 39 - i : 20 + i;
    memcpy(lit + 4 * i, &four, 4);
    memcpy(lit + 4 * right, &four, 4);
  }
}

/* All objects over the whole line; the caller uses the part that it needs. */
static void light_all(uint8_t lit[SCREEN_WIDTH], const tia_look *look) {
  memset(lit, 0, SCREEN_WIDTH);
  if (look->pf[0] | look->pf[1] | look->pf[2]) light_playfield(lit, look);
  if (look->graphic[0]) light_player(lit, look, 0);
  if (look->graphic[1]) light_player(lit, look, 1);
  if (look->enabled >> M0 & 1) light_missile(lit, look, 0);
  if (look->enabled >> M1 & 1) light_missile(lit, look, 1);
  if (look->enabled >> BL & 1) light(lit, look->pos[BL], 1 << (look->ctrl >> 4 & 3), 1 << BL);
}

/* ---- Drawing --------------------------------------------------------------------------------------------------- */

/* Most groups of four pixels show the background or the playfield alone. */
static void paint(uint8_t *pixels, const uint8_t *lit, int x, int end, const uint8_t *table,
                  const tia_look *look) {
  const uint32_t plain[2] = {look->color[table[0]] * 0x01010101u,
                             look->color[table[1 << PF]] * 0x01010101u};
  for (; x & 3 && x < end; x++) pixels[x] = look->color[table[lit[x]]];
  for (; x + 4 <= end; x += 4) {
    uint32_t four;
    memcpy(&four, lit + x, 4);
    if (four == 0 || four == 0x01010101u << PF) {
      memcpy(pixels + x, &plain[four != 0], 4);
    } else {
      for (int i = 0; i < 4; i++) pixels[x + i] = look->color[table[lit[x + i]]];
    }
  }
  for (; x < end; x++) pixels[x] = look->color[table[lit[x]]];
}

static void draw_pixels(uint8_t *pixels, const uint8_t *lit, const tia_look *look, int x, int end) {
  bool score = look->ctrl & 2, priority = look->ctrl & 4;
  bool only_playfield = !look->graphic[0] && !look->graphic[1] && !look->enabled;
  if (score && (!priority || only_playfield)) {
    int middle = x > 80 ? x : end < 80 ? end : 80;
    paint(pixels, lit, x, middle, color_of[SCORE_LEFT], look);
    paint(pixels, lit, middle, end, color_of[SCORE_RIGHT], look);
  } else {
    paint(pixels, lit, x, end, color_of[priority ? PRIORITY : NORMAL], look);
  }
  if (look->blank && x < 8) memset(pixels + x, 0, (size_t)((end < 8 ? end : 8) - x));
}

static uint16_t latch(const uint8_t *lit, int x, int end) {
  uint16_t latches = 0;
  for (; x & 3 && x < end; x++) latches |= latches_of[lit[x]];
  for (; x + 4 <= end; x += 4) {
    uint32_t four;
    memcpy(&four, lit + x, 4);
    if (four == 0 || four == 0x01010101u << PF) continue;
    for (int i = 0; i < 4; i++) latches |= latches_of[lit[x + i]];
  }
  for (; x < end; x++) latches |= latches_of[lit[x]];
  return latches;
}

/* Draw pixels x_begin .. x_end - 1 (if `pixels` is not NULL) and return the collisions of cx_begin .. x_end - 1. */
static uint16_t draw_segments(const tia_segment *s, int count, uint8_t *pixels, int x_begin,
                              int cx_begin, int x_end) {
  uint8_t lit[SCREEN_WIDTH];
  uint16_t latches = 0;
  for (int i = 0; i < count; i++) {
    int from = s[i].x, to = i + 1 < count ? s[i + 1].x : SCREEN_WIDTH;
    if (to > x_end) to = x_end;
    if (from >= to) continue;
    const tia_look *look = &s[i].look;
    if (look->vblank) {
      int x = from > x_begin ? from : x_begin;
      if (pixels && x < to) memset(pixels + x, 0, (size_t)(to - x));
      continue;
    }
    light_all(lit, look);
    int x = from > x_begin ? from : x_begin, cx = from > cx_begin ? from : cx_begin;
    if (pixels && x < to) draw_pixels(pixels, lit, look, x, to);
    if (cx < to) latches |= latch(lit, cx, to);
  }
  return latches;
}

uint16_t tia_line_collisions(const machine *m, int x_begin, int x_end) {
  const tia_line *l = &m->line;
  return draw_segments(l->segments, l->count, NULL, x_end, x_begin, x_end);
}

const tia_segment *tia_line_look_at(const machine *m, int x) {
  const tia_line *l = &m->line;
  int i = l->count - 1;
  while (i > 0 && l->segments[i].x > x) i--;
  return &l->segments[i];
}

/* ---- The cache ------------------------------------------------------------------------------------------------- */

/* Objects that are on, as an index: bits P0, P1, M0, M1, BL, PF, and bit 6 for the score mode. */
static inline int shown_set(const tia_look *look) {
  bool pf = look->pf[0] | look->pf[1] | look->pf[2];
  return (look->graphic[0] != 0) | (look->graphic[1] != 0) << P1 | look->enabled | pf << PF |
         (look->ctrl & 2) << 5;
}

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

void line_cache_init(line_cache *cache) {
  for (int set = 0; set < 128; set++) fill_visible(&cache->visible[set], set);
}

/* Remove what cannot show, so that lines that look alike have equal keys. */
static inline void canonical(const line_cache *cache, tia_segment *out, const tia_segment *in) {
  static const tia_look dark = {.vblank = 1};
  uint64_t look[3], bits[3];
  if (in->look.vblank) {
    *out = (tia_segment){.look = dark, .x = in->x};
    return;
  }
  memcpy(look, &in->look, sizeof look);
  memcpy(bits, &cache->visible[shown_set(&in->look)], sizeof bits);
  for (int i = 0; i < 3; i++) look[i] &= bits[i];
  memcpy(&out->look, look, sizeof look);
  if (in->x >= 8) out->look.blank = 0;
  out->x = in->x;
  memset(out->pad, 0, sizeof out->pad);
}

/* The key of the line; 0 if it is too long to be kept. */
static int make_key(const line_cache *cache, const tia_line *l, tia_segment *key) {
  int count = 0;
  for (int i = 0; i < l->count; i++) {
    if (count == KEY_SEGMENTS) return 0;
    canonical(cache, &key[count], &l->segments[i]);
    if (count && !memcmp(&key[count].look, &key[count - 1].look, sizeof(tia_look))) continue;
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

static const cached_line *find_line(line_cache *cache, const tia_segment *key, int count) {
  uint64_t hash = hash_key(key, count);
  cached_line *line = &cache->line[hash >> (64 - LINE_CACHE_BITS)];
  if (line->hash == hash && line->count == (uint32_t)count &&
      !memcmp(line->key, key, (size_t)count * sizeof *key)) {
    return line;
  }
  line->hash = hash;
  line->count = (uint32_t)count;
  memcpy(line->key, key, (size_t)count * sizeof *key);
  line->collisions = draw_segments(key, count, line->pixels, 0, 0, SCREEN_WIDTH);
  return line;
}

void tia_line_draw(machine *m, int x_end) {
  tia_line *l = &m->line;
  uint8_t *row = m->draw ? m->picture[m->current] + l->row : NULL;
  uint16_t *latches = &m->c->tia.collisions;
  if (l->x_from == 0 && x_end == SCREEN_WIDTH) {
    tia_segment key[KEY_SEGMENTS];
    int count = make_key(m->lines, l, key);
    if (count) {
      const cached_line *line = find_line(m->lines, key, count);
      if (row) memcpy(row, line->pixels, SCREEN_WIDTH);
      *latches |= l->cx_from == 0
                      ? line->collisions
                      : draw_segments(key, count, NULL, SCREEN_WIDTH, l->cx_from, SCREEN_WIDTH);
      return;
    }
  }
  *latches |= draw_segments(l->segments, l->count, row, l->x_from, l->cx_from, x_end);
}
