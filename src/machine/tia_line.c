/* Lines of the fast TIA.
 *
 * A line is drawn from bits: for each object, those of the pixels where it is lit. Colors are painted where bits are set,
 * and pairs of objects that share bits collide. Most lines are not drawn at all but found in the cache. */
#include "machine/tia_line.h"

#include <stddef.h>
#include <string.h>

/* ---- Which objects are lit ------------------------------------------------------------------------------------- */

/* The pixels of a line as bits, pixel 0 in bit 0 of the first word. */
enum { LINE_WORDS = 3 };
typedef struct line_bits {
  uint64_t word[LINE_WORDS];
} line_bits;

/* Set up to 32 bits from pixel x on, around the edge of the screen if need be. */
static inline void light(line_bits *line, int x, uint64_t bits, int width) {
  if (x >= SCREEN_WIDTH) x -= SCREEN_WIDTH;
  int over = x + width - SCREEN_WIDTH;
  if (over > 0) {
    line->word[0] |= bits >> (width - over);
    bits &= ((uint64_t)1 << (width - over)) - 1;
  }
  int shift = x & 63;
  line->word[x >> 6] |= bits << shift;
  if (shift + width > 64) line->word[(x >> 6) + 1] |= bits >> (64 - shift);
}

/* Every bit twice. */
static inline uint64_t doubled(uint64_t bits) {
  bits = (bits | bits << 8) & 0x00FF00FF;
  bits = (bits | bits << 4) & 0x0F0F0F0F;
  bits = (bits | bits << 2) & 0x33333333;
  bits = (bits | bits << 1) & 0x55555555;
  return bits | bits << 1;
}

static void light_player(line_bits *line, const tia_look *look, int n) {
  int mode = look->nusiz[n] & 7, pos = look->pos[P0 + n], width = 8;
  uint64_t bits = tia_reversed[look->graphic[n]];
  if (mode == 5 || mode == 7) {
    pos++; /* stretched players come a pixel late */
    bits = doubled(bits), width = 16;
    if (mode == 7) bits = doubled(bits), width = 32;
  }
  for (int i = look->skip_first >> n & 1; i < tia_copy_count[mode]; i++)
    light(line, pos + tia_copies[mode][i], bits, width);
}

static void light_missile(line_bits *line, const tia_look *look, int n) {
  int star = n ? STAR_NORMAL : look->star, code = look->nusiz[n] >> 4 & 3,
      mode = look->nusiz[n] & 7;
  if (star == STAR_HIDDEN) return;
  int width = 1 << (star == STAR_WIDE ? code | 1 : code);
  for (int i = 0; i < tia_copy_count[mode]; i++)
    light(line, look->pos[M0 + n] + tia_copies[mode][i], (1u << width) - 1, width);
}

static void light_ball(line_bits *line, const tia_look *look) {
  int width = 1 << (look->ctrl >> 4 & 3);
  light(line, look->pos[BL], (1u << width) - 1, width);
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

static line_bits light_playfield(const line_cache *cache, const tia_look *look) {
  const uint32_t *wide = cache->columns;
  uint64_t c = playfield_columns(look);
  return (line_bits){{wide[c & 0xFF] | (uint64_t)wide[c >> 8 & 0xFF] << 32,
                      wide[c >> 16 & 0xFF] | (uint64_t)wide[c >> 24 & 0xFF] << 32, wide[c >> 32]}};
}

/* Pixels from .. to - 1. */
static inline line_bits between(const line_cache *cache, int from, int to) {
  const uint64_t *a = cache->before[from], *b = cache->before[to];
  return (line_bits){{b[0] & ~a[0], b[1] & ~a[1], b[2] & ~a[2]}};
}

/* ---- Drawing --------------------------------------------------------------------------------------------------- */

typedef uint64_t pixels16 __attribute__((vector_size(16), aligned(1), may_alias));

/* The background from pixel x on, by sixteens: what is to the left of x stays, what is to the right of the end does not. */
static inline void fill(uint8_t *out, uint64_t color, int x, int end) {
  static const uint8_t edge[32] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                   0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
  const pixels16 sixteen = {color, color};
  const pixels16 stay = *(const pixels16 *)(edge + 16 - (x & 15));
  pixels16 *at = (pixels16 *)(out + (x & ~15));
  *at = (*at & stay) | (sixteen & ~stay);
  for (x = (x & ~15) + 16; x < end; x += 16) *++at = sixteen;
}

/* Pixels x .. end - 1; what is to the right of them, up to a multiple of sixteen, is of no use. */
static inline void draw_pixels(const line_cache *cache, uint8_t *out, const line_bits object[6],
                               const tia_look *look, int x, int end) {
  static const uint64_t left_half[LINE_WORDS] = {~(uint64_t)0, 0xFFFF, 0};
  const uint64_t ones = 0x0101010101010101u, back = ones * look->color[COLOR_BK],
                 turn_pf = ones * look->color[COLOR_PF] ^ back,
                 turn_p0 = ones * look->color[COLOR_P0] ^ back,
                 turn_p1 = ones * look->color[COLOR_P1] ^ back;
  bool only_playfield = !look->graphic[0] && !look->graphic[1] && !look->enabled;
  bool high = look->ctrl & 4, score = look->ctrl & 2 && (!high || only_playfield);
  const line_bits shown = between(cache, x, end);
  fill(out, back, x, end);
  for (int w = x >> 6; w <= (end - 1) >> 6; w++) {
    uint64_t p0 = object[P0].word[w] | object[M0].word[w];
    uint64_t p1 = object[P1].word[w] | object[M1].word[w];
    uint64_t pf = object[PF].word[w];
    if (score) { /* the playfield has the players' colors */
      p0 |= pf & left_half[w];
      p1 |= pf & ~left_half[w];
      pf = 0;
    }
    pf |= object[BL].word[w];
    /* what is in front hides what is behind */
    if (high && !score) {
      p0 &= ~pf;
      p1 &= ~(p0 | pf);
    } else {
      p1 &= ~p0;
      pf &= ~(p0 | p1);
    }
    uint8_t *const at = out + 64 * w;
    for (uint64_t any = (p0 | p1 | pf) & shown.word[w]; any;) {
      const int eighth = __builtin_ctzll(any) & ~7;
      const uint8_t here = (uint8_t)(shown.word[w] >> eighth);
      uint64_t pixels;
      memcpy(&pixels, at + eighth, sizeof pixels);
      pixels ^= cache->spread[pf >> eighth & here] & turn_pf;
      pixels ^= cache->spread[p1 >> eighth & here] & turn_p1;
      pixels ^= cache->spread[p0 >> eighth & here] & turn_p0;
      memcpy(at + eighth, &pixels, sizeof pixels);
      any &= ~((uint64_t)0xFF << eighth);
    }
  }
}

/* The same where nothing but the playfield is on, in its own color. */
static inline void draw_playfield(const line_cache *cache, uint8_t *out, const tia_look *look,
                                  int x, int end) {
  const uint64_t ones = 0x0101010101010101u, back = ones * look->color[COLOR_BK],
                 turn = ones * look->color[COLOR_PF] ^ back;
  const line_bits playfield = light_playfield(cache, look), shown = between(cache, x, end);
  fill(out, back, x, end);
  for (int w = x >> 6; w <= (end - 1) >> 6; w++) {
    uint8_t *const at = out + 64 * w;
    for (uint64_t bits = playfield.word[w] & shown.word[w]; bits;) {
      const int eighth = __builtin_ctzll(bits) & ~7;
      uint64_t pixels;
      memcpy(&pixels, at + eighth, sizeof pixels);
      pixels ^= cache->spread[bits >> eighth & 0xFF] & turn;
      memcpy(at + eighth, &pixels, sizeof pixels);
      bits &= ~((uint64_t)0xFF << eighth);
    }
  }
}

/* The latches of some pixels. */
static uint16_t latch(const line_bits objects[6], uint16_t possible, line_bits pixels) {
  static const uint8_t pair[16][2] = {{M0, P0}, {M0, P1}, {M1, P1}, {M1, P0}, {P0, BL}, {P0, PF},
                                      {P1, BL}, {P1, PF}, {M0, BL}, {M0, PF}, {M1, BL}, {M1, PF},
                                      {0, 0},   {BL, PF}, {M0, M1}, {P0, P1}}; /* by bits of CX_ */
  uint16_t latches = 0;
  for (unsigned left = possible; left; left &= left - 1) {
    int k = __builtin_ctz(left);
    const uint64_t *a = objects[pair[k][0]].word, *b = objects[pair[k][1]].word;
    if (((a[0] & b[0] & pixels.word[0]) | (a[1] & b[1] & pixels.word[1]) |
         (a[2] & b[2] & pixels.word[2])))
      latches |= (uint16_t)(1u << k);
  }
  return latches;
}

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

/* Light the objects of a look that are on and do not look as in the look before it. */
static inline void light_objects(const line_cache *cache, line_bits objects[6],
                                 const tia_look *look, const tia_look *before, int set) {
  bool anew = true;
  if (before) {
    const look_words a = words_of(look), b = words_of(before), shape = words_of(&cache->shape);
    anew = ((a.a ^ b.a) & shape.a) | ((a.b ^ b.b) & shape.b) | ((a.c ^ b.c) & shape.c);
  }
  for (int n = 0; n < 2; n++) {
    if (!anew && look->graphic[n] == before->graphic[n]) continue;
    objects[P0 + n] = (line_bits){{0}};
    if (set >> (P0 + n) & 1) light_player(&objects[P0 + n], look, n);
  }
  if (anew) {
    for (int n = 0; n < 2; n++) {
      objects[M0 + n] = (line_bits){{0}};
      if (set >> (M0 + n) & 1) light_missile(&objects[M0 + n], look, n);
    }
    objects[BL] = (line_bits){{0}};
    if (set >> BL & 1) light_ball(&objects[BL], look);
  }
  objects[PF] = set >> PF & 1 ? light_playfield(cache, look) : (line_bits){{0}};
}

/* Draw pixels x_begin .. x_end - 1 (if `pixels` is not NULL) and return the collisions of cx_begin .. x_end - 1. */
static uint16_t draw_segments(const line_cache *cache, const tia_segment *s, int count,
                              uint8_t *pixels, int x_begin, int cx_begin, int x_end) {
  line_bits objects[6];
  const tia_look *before = NULL;
  uint16_t latches = 0;
  for (int i = 0; i < count; i++) {
    int from = s[i].x, to = i + 1 < count ? s[i + 1].x : SCREEN_WIDTH;
    if (to > x_end) to = x_end;
    if (from >= to) continue;
    const tia_look *look = &s[i].look;
    int x = from > x_begin ? from : x_begin, cx = from > cx_begin ? from : cx_begin;
    if (look->vblank) {
      if (pixels && x < to) fill(pixels, 0, x, to);
      continue;
    }
    const int set = s[i].set & 0x3F;
    if (!set || (set == 1 << PF && !(look->ctrl & 2))) { /* nothing can collide */
      if (!pixels || x >= to) continue;
      if (set)
        draw_playfield(cache, pixels, look, x, to);
      else
        fill(pixels, 0x0101010101010101u * look->color[COLOR_BK], x, to);
      if (look->blank && x < 8) memset(pixels + x, 0, (size_t)(8 - x));
      continue;
    }
    light_objects(cache, objects, look, before, set);
    before = look;
    if (pixels && x < to) {
      draw_pixels(cache, pixels, objects, look, x, to);
      if (look->blank && x < 8) memset(pixels + x, 0, (size_t)(8 - x));
    }
    const uint16_t possible = cache->possible[set] & (uint16_t)~latches;
    if (possible && cx < to) latches |= latch(objects, possible, between(cache, cx, to));
  }
  return latches;
}

uint16_t tia_line_collisions(const machine *m, int x_begin, int x_end) {
  const tia_line *l = &m->line;
  return draw_segments(m->lines, l->segments, l->count, NULL, x_end, x_begin, x_end);
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

void line_cache_init(line_cache *cache) {
  for (int set = 0; set < 128; set++) {
    fill_visible(&cache->visible[set], set);
    cache->possible[set] = tia_collisions(set & 0x3F);
  }
  for (int set = 0; set < 64; set++) cache->unseen[set] = unseen_bits(set);
  for (int x = 0; x < SCREEN_WIDTH; x++) {
    memcpy(cache->before[x + 1], cache->before[x], sizeof cache->before[x]);
    cache->before[x + 1][x >> 6] |= (uint64_t)1 << (x & 63);
  }
  for (int bits = 0; bits < 256; bits++) {
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = bits >> i & 1 ? 0xFF : 0;
    cache->columns[bits] = (uint32_t)doubled(doubled((uint64_t)bits));
    memcpy(&cache->spread[bits], bytes, sizeof bytes);
  }
  tia_look *shape = &cache->shape;
  memset(shape->pos, 0xFF, sizeof shape->pos);
  memset(shape->nusiz, 0xFF, sizeof shape->nusiz);
  shape->ctrl = shape->enabled = shape->skip_first = shape->star = 0xFF;
}

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
    put_words(&key[count].look, look);
    memset(&key[count].x, 0, sizeof key->x + sizeof key->set + sizeof key->pad);
    key[count].x = l->segments[i].x;
    key[count].set = key[count].look.vblank ? 0 : l->segments[i].set & 0x3F;
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
  line_cache *cache = m->lines;
  uint8_t *missed = &m->line.missed[m->line.y];
  tia_segment key[KEY_SEGMENTS];
  int count = make_key(cache, &m->line, key);
  if (!count) return NULL;
  uint64_t hash = hash_key(key, count);
  cached_line *line = &cache->line[hash >> (64 - LINE_CACHE_BITS)];
  if (line->hash == hash && line->count == count && same_key(line->key, key, count)) {
    *missed = 0;
    return line;
  }
  if (*missed < 0xFF) ++*missed;
  line->hash = hash;
  line->count = (uint16_t)count;
  line->stamp = ++cache->stamp;
  memcpy(line->key, key, (size_t)count * sizeof *key);
  line->collisions = draw_segments(cache, key, count, line->pixels, 0, 0, SCREEN_WIDTH);
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
  const bool whole = l->x_from == 0 && x_end == SCREEN_WIDTH;
  const cached_line *line = whole && !tia_line_is_noise(l) ? find(m) : NULL;
  if (line) {
    if (m->draw) tia_line_show(m, line, l->y);
    *latches |= l->cx_from ? tia_line_collisions(m, l->cx_from, x_end) : line->collisions;
    return line;
  }
  /* the pixels to the right stay what they are */
  uint8_t *row = m->draw ? m->picture[m->current] + l->y * SCREEN_WIDTH : NULL;
  uint8_t drawn[SCREEN_WIDTH];
  *latches |= draw_segments(m->lines, l->segments, l->count, whole || !row ? row : drawn, l->x_from,
                            l->cx_from, x_end);
  if (row && !whole && x_end > l->x_from)
    memcpy(row + l->x_from, drawn + l->x_from, (size_t)(x_end - l->x_from));
  if (row) m->lines->drawn[m->current][l->y] = 0;
  return line;
}
