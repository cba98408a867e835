/* Lines of the fast TIA.
 *
 * A line is drawn in three passes over 160 bytes: each object sets its bit where it is lit; colors are painted where bits
 * are set; pairs of bits are collisions. Most lines are not drawn at all but found in the cache. */
#include "machine/tia_line.h"

#include <stddef.h>
#include <string.h>

/* ---- Which objects are lit ------------------------------------------------------------------------------------- */

const uint8_t tia_copy_count[8] = {1, 2, 2, 3, 2, 1, 3, 1};
const uint8_t tia_copies[8][3] = {{0},     {0, 16}, {0, 32},     {0, 16, 32},
                                  {0, 64}, {0},     {0, 32, 64}, {0}};

/* Light a run of pixels, around the edge of the screen if need be. */
static inline void light(uint8_t *lit, int x, int count, uint8_t bit) {
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
  for (int i = skip; i < tia_copy_count[mode]; i++) {
    int x = pos + tia_copies[mode][i];
    for (unsigned bits = graphic; bits; bits = bits << 1 & 0xFF, x += width) {
      if (bits & 0x80) light(lit, x >= SCREEN_WIDTH ? x - SCREEN_WIDTH : x, width, bit);
    }
  }
}

static void light_missile(uint8_t *lit, const tia_look *look, int n) {
  int star = n ? STAR_NORMAL : look->star, code = look->nusiz[n] >> 4 & 3,
      mode = look->nusiz[n] & 7;
  if (star == STAR_HIDDEN) return;
  int width = 1 << (star == STAR_WIDE ? code | 1 : code);
  for (int i = 0; i < tia_copy_count[mode]; i++) {
    light(lit, look->pos[M0 + n] + tia_copies[mode][i], width, (uint8_t)(1 << (M0 + n)));
  }
}

/* The forty columns of the playfield, leftmost in bit 0. */
static uint64_t playfield_columns(const tia_look *look) {
  uint64_t left = (uint64_t)look->pf[0] >> 4 | (uint64_t)tia_reversed[look->pf[1]] << 4 |
                  (uint64_t)look->pf[2] << 12;
  uint64_t right = left;
  if (look->reflect) {
    right = (uint64_t)tia_reversed[look->pf[2]] | (uint64_t)look->pf[1] << 8 |
            (uint64_t)(tia_reversed[look->pf[0]] & 0x0F) << 16;
  }
  return left | right << 20;
}

/* Four columns of the playfield are sixteen pixels. */
#define COLUMN(n, k) (n >> k & 1) << PF, (n >> k & 1) << PF, (n >> k & 1) << PF, (n >> k & 1) << PF
#define FOUR_COLUMNS(n) \
  { COLUMN(n, 0), COLUMN(n, 1), COLUMN(n, 2), COLUMN(n, 3) }
static const uint8_t four_columns[16][16] = {
    FOUR_COLUMNS(0),  FOUR_COLUMNS(1),  FOUR_COLUMNS(2),  FOUR_COLUMNS(3),
    FOUR_COLUMNS(4),  FOUR_COLUMNS(5),  FOUR_COLUMNS(6),  FOUR_COLUMNS(7),
    FOUR_COLUMNS(8),  FOUR_COLUMNS(9),  FOUR_COLUMNS(10), FOUR_COLUMNS(11),
    FOUR_COLUMNS(12), FOUR_COLUMNS(13), FOUR_COLUMNS(14), FOUR_COLUMNS(15)};

/* The playfield of pixels from .. to - 1 and around them; clears what was there. */
static void light_playfield(uint8_t *lit, const tia_look *look, int from, int to) {
  uint64_t columns = playfield_columns(look);
  for (int x = from & ~15; x < to; x += 16)
    memcpy(lit + x, four_columns[columns >> (x / 4) & 15], 16);
}

/* All objects at pixels from .. to - 1. Others may be lit too, but are not used. */
static void light_all(uint8_t lit[SCREEN_WIDTH], const tia_look *look, int from, int to) {
  light_playfield(lit, look, from, to);
  if (look->graphic[0]) light_player(lit, look, 0);
  if (look->graphic[1]) light_player(lit, look, 1);
  if (look->enabled >> M0 & 1) light_missile(lit, look, 0);
  if (look->enabled >> M1 & 1) light_missile(lit, look, 1);
  if (look->enabled >> BL & 1) light(lit, look->pos[BL], 1 << (look->ctrl >> 4 & 3), 1 << BL);
}

/* ---- Drawing --------------------------------------------------------------------------------------------------- */

/* Sixteen pixels at a time, in the compilers' own vectors: the same on every processor. */
typedef uint8_t pixels16 __attribute__((vector_size(16)));
enum { GROUPS = SCREEN_WIDTH / 16, HALF = GROUPS / 2 };

typedef union line_bytes {
  uint8_t byte[SCREEN_WIDTH];
  pixels16 group[GROUPS];
} line_bytes;

/* Colors are painted over each other, three layers on the background. */
typedef struct layers {
  uint8_t objects[3], color[3];
} layers;

enum { ANY_P0 = 1 << P0 | 1 << M0, ANY_P1 = 1 << P1 | 1 << M1, ANY_PF = 1 << PF | 1 << BL };
static const layers normal = {{ANY_PF, ANY_P1, ANY_P0}, {COLOR_PF, COLOR_P1, COLOR_P0}};
static const layers score_left = {{1 << BL, ANY_P1, ANY_P0 | 1 << PF},
                                  {COLOR_PF, COLOR_P1, COLOR_P0}};
static const layers score_right = {{1 << BL, ANY_P1 | 1 << PF, ANY_P0},
                                   {COLOR_PF, COLOR_P1, COLOR_P0}};
static const layers priority = {{ANY_P1, ANY_P0, ANY_PF}, {COLOR_P1, COLOR_P0, COLOR_PF}};

static inline pixels16 all(uint8_t value) { return (pixels16){0} + value; }

static void paint(line_bytes *out, const line_bytes *lit, int first, int end, const layers *order,
                  const tia_look *look) {
  const pixels16 back = all(look->color[COLOR_BK]);
  const pixels16 on0 = all(order->objects[0]), color0 = all(look->color[order->color[0]]);
  const pixels16 on1 = all(order->objects[1]), color1 = all(look->color[order->color[1]]);
  const pixels16 on2 = all(order->objects[2]), color2 = all(look->color[order->color[2]]);
  for (int i = first; i < end; i++) {
    pixels16 l = lit->group[i];
    pixels16 off0 = (pixels16)((l & on0) == 0), off1 = (pixels16)((l & on1) == 0),
             off2 = (pixels16)((l & on2) == 0);
    pixels16 color = (back & off0) | (color0 & ~off0);
    color = (color & off1) | (color1 & ~off1);
    out->group[i] = (color & off2) | (color2 & ~off2);
  }
}

/* Pixels x .. end - 1, by groups; what is around them in `out` is of no use. */
static void draw_pixels(line_bytes *out, const line_bytes *lit, const tia_look *look, int x,
                        int end) {
  bool score = look->ctrl & 2, high = look->ctrl & 4;
  bool only_playfield = !look->graphic[0] && !look->graphic[1] && !look->enabled;
  int first = x / 16, last = (end + 15) / 16;
  if (score && (!high || only_playfield)) {
    paint(out, lit, first, last < HALF ? last : HALF, &score_left, look);
    paint(out, lit, first > HALF ? first : HALF, last, &score_right, look);
  } else {
    paint(out, lit, first, last, high ? &priority : &normal, look);
  }
  if (look->blank && x < 8) memset(out->byte, 0, 8);
}

static bool any(pixels16 v) {
  uint64_t half[2];
  memcpy(half, &v, sizeof half);
  return half[0] | half[1];
}

/* The latches of pixels x .. end - 1. Destroys what is lit around them. */
static uint16_t latch(line_bytes *lit, int x, int end) {
  static const struct {
    uint8_t both;
    uint16_t latch;
  } pair[15] = {
      {1 << M0 | 1 << P0, CX_M0P0}, {1 << M0 | 1 << P1, CX_M0P1}, {1 << M1 | 1 << P1, CX_M1P1},
      {1 << M1 | 1 << P0, CX_M1P0}, {1 << P0 | 1 << BL, CX_P0BL}, {1 << P0 | 1 << PF, CX_P0PF},
      {1 << P1 | 1 << BL, CX_P1BL}, {1 << P1 | 1 << PF, CX_P1PF}, {1 << M0 | 1 << BL, CX_M0BL},
      {1 << M0 | 1 << PF, CX_M0PF}, {1 << M1 | 1 << BL, CX_M1BL}, {1 << M1 | 1 << PF, CX_M1PF},
      {1 << BL | 1 << PF, CX_BLPF}, {1 << M0 | 1 << M1, CX_M0M1}, {1 << P0 | 1 << P1, CX_P0P1},
  };
  int first = x / 16, last = (end + 15) / 16;
  memset(lit->byte + 16 * first, 0, (size_t)(x - 16 * first));
  memset(lit->byte + end, 0, (size_t)(16 * last - end));
  pixels16 several = {0};
  for (int i = first; i < last; i++)
    several |= lit->group[i] & (lit->group[i] - 1); /* more than one bit */
  if (!any(several)) return 0;
  pixels16 lit_somewhere = {0};
  for (int i = first; i < last; i++) lit_somewhere |= lit->group[i];
  uint64_t half[2];
  memcpy(half, &lit_somewhere, sizeof half);
  uint64_t fold = half[0] | half[1];
  fold |= fold >> 32, fold |= fold >> 16, fold |= fold >> 8;
  uint16_t latches = 0;
  for (int k = 0; k < 15; k++) {
    if ((fold & pair[k].both) != pair[k].both) continue;
    pixels16 found = {0}, both = all(pair[k].both);
    for (int i = first; i < last; i++) found |= (pixels16)((lit->group[i] & both) == both);
    if (any(found)) latches |= pair[k].latch;
  }
  return latches;
}

/* Draw pixels x_begin .. x_end - 1 (if `pixels` is not NULL) and return the collisions of cx_begin .. x_end - 1. */
static uint16_t draw_segments(const tia_segment *s, int count, uint8_t *pixels, int x_begin,
                              int cx_begin, int x_end) {
  line_bytes lit, out;
  uint16_t latches = 0;
  memset(&lit, 0, sizeof lit);
  for (int i = 0; i < count; i++) {
    int from = s[i].x, to = i + 1 < count ? s[i + 1].x : SCREEN_WIDTH;
    if (to > x_end) to = x_end;
    if (from >= to) continue;
    const tia_look *look = &s[i].look;
    int x = from > x_begin ? from : x_begin, cx = from > cx_begin ? from : cx_begin;
    if (look->vblank) {
      if (pixels && x < to) memset(pixels + x, 0, (size_t)(to - x));
      continue;
    }
    light_all(lit.byte, look, from, to);
    if (pixels && x < to) {
      draw_pixels(&out, &lit, look, x, to);
      memcpy(pixels + x, out.byte + x, (size_t)(to - x));
    }
    if (cx < to) latches |= latch(&lit, cx, to);
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
  for (int set = 0; set < 128; set++) {
    fill_visible(&cache->visible[set], set);
    cache->possible[set] = tia_collisions(set & 0x3F);
  }
  for (int i = 0; i < KNOWN_LINES; i++) cache->known[i].count = 0xFF;
}

/* A look as three words. */
typedef struct look_words {
  uint64_t a, b, c;
} look_words;

static inline look_words words_of(const tia_look *look) {
  look_words w;
  memcpy(&w, look, sizeof w);
  return w;
}
_Static_assert(sizeof(look_words) == sizeof(tia_look), "looks are used as words");
_Static_assert(offsetof(tia_look, blank) == 14 && offsetof(tia_look, vblank) == 15,
               "looks are used as words");

/* The segment's look without what cannot show, so that lines that look alike have equal keys. */
static inline look_words canonical(const line_cache *cache, const tia_segment *s) {
  look_words look = words_of(&s->look), bits = words_of(&cache->visible[s->set]);
  if (look.b >> 56) return (look_words){0, (uint64_t)1 << 56, 0}; /* the beam is off */
  if (s->x >= 8) bits.b &= ~((uint64_t)0xFF << 48);
  return (look_words){look.a & bits.a, look.b & bits.b, look.c & bits.c};
}

static inline bool same_look(const tia_segment *s, look_words look) {
  look_words other = words_of(&s->look);
  return !((look.a ^ other.a) | (look.b ^ other.b) | (look.c ^ other.c));
}

/* The key of the line; 0 if it is too long to be kept. */
static int make_key(const line_cache *cache, const tia_line *l, tia_segment *key) {
  int count = 0;
  for (int i = 0; i < l->count; i++) {
    if (count == KEY_SEGMENTS) return 0;
    look_words look = canonical(cache, &l->segments[i]);
    if (count && same_look(&key[count - 1], look)) continue;
    memcpy(&key[count].look, &look, sizeof look);
    memset(&key[count].x, 0, sizeof key->x + sizeof key->set + sizeof key->pad);
    key[count++].x = l->segments[i].x;
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

/* Are these the segments of the cached line? As make_key() would find it. */
static inline bool matches(const line_cache *cache, const tia_line *l, const cached_line *line) {
  const tia_segment *k = line->key, *const k_end = k + line->count;
  for (const tia_segment *s = l->segments, *const end = s + l->count; s < end; s++) {
    look_words look = canonical(cache, s);
    if (k < k_end && k->x == s->x && same_look(k, look))
      k++;
    else if (k == line->key || !same_look(k - 1, look))
      return false;
  }
  return k == k_end;
}

static const cached_line *find_line(line_cache *cache, const tia_segment *key, int count) {
  uint64_t hash = hash_key(key, count);
  cached_line *line = &cache->line[hash >> (64 - LINE_CACHE_BITS)];
  if (line->hash == hash && line->count == count &&
      !memcmp(line->key, key, (size_t)count * sizeof *key)) {
    return line;
  }
  line->hash = hash;
  line->count = (uint16_t)count;
  line->stamp = ++cache->stamp;
  memcpy(line->key, key, (size_t)count * sizeof *key);
  line->collisions = draw_segments(key, count, line->pixels, 0, 0, SCREEN_WIDTH);
  return line;
}

/* The line in the cache; NULL if it is too long to be kept. The row is likely to look as it did in the last frame. */
static inline const cached_line *find(machine *m) {
  line_cache *cache = m->lines;
  tia_line *l = &m->line;
  const cached_line *line = &cache->line[l->seen[l->y]];
  if (matches(cache, l, line)) return line;
  tia_segment key[KEY_SEGMENTS];
  int count = make_key(cache, l, key);
  if (!count) return NULL;
  line = find_line(cache, key, count);
  l->seen[l->y] = (uint16_t)(line - cache->line);
  return line;
}

uint16_t tia_line_possible(const machine *m) {
  const tia_line *l = &m->line;
  uint16_t possible = 0;
  for (int i = 0; i < l->count; i++) possible |= m->lines->possible[l->segments[i].set];
  return possible;
}

const cached_line *tia_line_draw(machine *m, int x_end) {
  tia_line *l = &m->line;
  uint16_t *latches = &m->c->tia.collisions;
  if (!m->draw && !(tia_line_possible(m) & ~*latches)) return NULL; /* nobody looks */
  const cached_line *line = l->x_from == 0 && x_end == SCREEN_WIDTH ? find(m) : NULL;
  if (line && l->cx_from == 0) {
    tia_line_use(m, line);
    return line;
  }
  uint8_t *row = m->draw ? m->picture[m->current] + l->y * SCREEN_WIDTH : NULL;
  *latches |= draw_segments(l->segments, l->count, row, l->x_from, l->cx_from, x_end);
  if (row) m->lines->drawn[m->current][l->y] = 0;
  return line;
}
