/* Drawing with the bits of a whole line in one register of 256: the same as tia_draw.c.
 *
 * Included by the file of an instruction set, which defines TARGET (the attribute of its functions), the names DRAW and
 * COLLIDE, and after this paint_bits(). */
#include "machine/tia_draw.h"
#include "machine/tia_lit.h"
#include "machine/tia_paint.h"

#define INLINE static inline __attribute__((always_inline)) TARGET

/* Paint pixels x .. end - 1; those to the right, up to a multiple of 32, may be overwritten. `shown` has where each
 * color in front of the background shows: no pixel has two of them, and players' colors are there only if `players`. */
INLINE void paint_bits(const tia_tables *tables, const __m256i shown[3], bool players,
                       uint32_t colors, int x, int end, uint8_t *out);

INLINE __m256i load(const void *from) { return _mm256_loadu_si256(from); }

/* Pixels from .. to - 1. */
INLINE __m256i between(const tia_tables *tables, int from, int to) {
  return _mm256_andnot_si256(load(tables->before[from]), load(tables->before[to]));
}

/* ---- Lighting -------------------------------------------------------------------------------------------------- */

/* An object is lit by shifting its bits to its place: one shift of four words at once, for all copies but a far one.
 * Bits may go past the right edge, up to 256; the edge of the screen is at 160, and what is beyond comes in at the
 * left. */

/* A number that makes copies of bits by multiplication, for the copies that are less than 64 pixels away; modes
 * with a copy at 64 pixels are FAR_COPIES. By the low three bits of NUSIZ. */
static const uint64_t near_copies[8] = {1,
                                        1 | (uint64_t)1 << 16,
                                        1 | (uint64_t)1 << 32,
                                        1 | (uint64_t)1 << 16 | (uint64_t)1 << 32,
                                        1,
                                        1,
                                        1 | (uint64_t)1 << 32,
                                        1};
enum { FAR_COPIES = 1 << 4 | 1 << 6, STRETCHED = 1 << 5 | 1 << 7 }; /* by the same */

/* These bits from pixel x on, on a line of 256 pixels. */
INLINE __m256i lit_at(uint64_t bits, int x) {
  const __m256i words = _mm256_setr_epi64x(0, 64, 128, 192);
  const __m256i all = _mm256_set1_epi64x((long long)bits), by = _mm256_set1_epi64x(x);
  /* a shift by 64 or more, or by less than 0, gives 0 */
  return _mm256_or_si256(_mm256_sllv_epi64(all, _mm256_sub_epi64(by, words)),
                         _mm256_srlv_epi64(all, _mm256_sub_epi64(words, by)));
}

/* What is beyond the right edge comes in at the left. */
INLINE __m256i around_edge(__m256i line) {
  const __m256i screen = _mm256_setr_epi32(-1, -1, -1, -1, -1, 0, 0, 0);
  const __m256i beyond = _mm256_andnot_si256(screen, line);
  const __m256i to_left =
      _mm256_setr_epi32(5, 6, 7, 0, 0, 0, 0, 0); /* part 0 of `beyond` is empty */
  return _mm256_or_si256(_mm256_and_si256(screen, line),
                         _mm256_permutevar8x32_epi32(beyond, to_left));
}

INLINE __m256i lit_copies(uint64_t bits, int mode, unsigned skip_first, int x) {
  __m256i line = lit_at(bits * (near_copies[mode] - skip_first), x);
  if (FAR_COPIES >> mode & 1) line = _mm256_or_si256(line, lit_at(bits, x + 64));
  return around_edge(line);
}

INLINE __m256i lit_player(const tia_look *look, int n) {
  const int mode = look->nusiz[n] & 7;
  int x = look->pos[P0 + n];
  uint64_t bits = tia_reversed[look->graphic[n]];
  if (STRETCHED >> mode & 1) {
    x++; /* stretched players come a pixel late */
    bits = doubled(bits);
    if (mode == 7) bits = doubled(bits);
  }
  return lit_copies(bits, mode, look->skip_first >> n & 1, x);
}

INLINE __m256i lit_missile(const tia_look *look, int n) {
  const int star = n ? STAR_NORMAL : look->star;
  int code = look->nusiz[n] >> 4 & 3;
  if (star == STAR_WIDE) code |= 1;
  const uint64_t bits = star == STAR_HIDDEN ? 0 : ((uint64_t)1 << (1 << code)) - 1;
  return lit_copies(bits, look->nusiz[n] & 7, 0, look->pos[M0 + n]);
}

INLINE __m256i lit_ball(const tia_look *look) {
  return around_edge(lit_at(((uint64_t)1 << (1 << (look->ctrl >> 4 & 3))) - 1, look->pos[BL]));
}

INLINE __m256i lit_playfield(const tia_tables *tables, const tia_look *look) {
  const uint32_t *wide = tables->columns;
  const uint64_t c = playfield_columns(look);
  return _mm256_setr_epi64x(
      (long long)(wide[c & 0xFF] | (uint64_t)wide[c >> 8 & 0xFF] << 32),
      (long long)(wide[c >> 16 & 0xFF] | (uint64_t)wide[c >> 24 & 0xFF] << 32), wide[c >> 32], 0);
}

/* ---- Painting -------------------------------------------------------------------------------------------------- */

INLINE void paint_objects(const tia_tables *tables, const __m256i lit[6], const tia_piece *r,
                          int end, uint8_t *pixels) {
  const tia_front front = tia_front_of(r);
  __m256i p0 = _mm256_or_si256(lit[P0], lit[M0]), p1 = _mm256_or_si256(lit[P1], lit[M1]),
          pf = _mm256_or_si256(lit[PF], lit[BL]);
  if (front.score) {
    const __m256i left = _mm256_setr_epi64x(-1, 0xFFFF, 0, 0);
    p0 = _mm256_or_si256(p0, _mm256_and_si256(lit[PF], left));
    p1 = _mm256_or_si256(p1, _mm256_andnot_si256(left, lit[PF]));
    pf = lit[BL];
  }
  /* what is in front hides what is behind */
  if (front.playfield) {
    p0 = _mm256_andnot_si256(pf, p0);
    p1 = _mm256_andnot_si256(pf, p1);
  }
  p1 = _mm256_andnot_si256(p0, p1);
  pf = _mm256_andnot_si256(_mm256_or_si256(p0, p1), pf);
  const __m256i shown[3] = {[COLOR_P0] = p0, [COLOR_P1] = p1, [COLOR_PF] = pf};
  if (front.players)
    paint_bits(tables, shown, true, (uint32_t)r->style, r->x, end, pixels);
  else
    paint_bits(tables, shown, false, (uint32_t)r->style, r->x, end, pixels);
}

INLINE void paint_piece(const tia_tables *tables, const __m256i lit[6], const tia_piece *r, int end,
                        uint8_t *pixels) {
  if (!pixels || r->x >= end) return;
  if (r->set)
    paint_objects(tables, lit, r, end, pixels);
  else
    tia_paint_back(pixels, r->style >> 8 * COLOR_BK & 0xFF, r->x, end);
  tia_paint_blank(r, pixels);
}

/* ---- A line ---------------------------------------------------------------------------------------------------- */

/* The pixels where two objects or more are lit. */
INLINE __m256i lit_twice(const __m256i lit[6]) {
  __m256i seen = lit[0], twice = _mm256_setzero_si256();
#pragma GCC unroll 6
  for (int k = 1; k < 6; k++) {
    twice = _mm256_or_si256(twice, _mm256_and_si256(seen, lit[k]));
    seen = _mm256_or_si256(seen, lit[k]);
  }
  return twice;
}

/* The collisions, among possible ones, that these pixels latch. */
INLINE uint16_t latched_by_pairs(const __m256i lit[6], uint16_t possible, __m256i pixels) {
  uint16_t latches = 0;
  for (unsigned left = possible; left; left &= left - 1) {
    const int k = __builtin_ctz(left);
    const __m256i overlap = _mm256_and_si256(lit[tia_pairs[k][0]], lit[tia_pairs[k][1]]);
    if (!_mm256_testz_si256(overlap, pixels)) latches |= (uint16_t)(1u << k);
  }
  return latches;
}

/* The same; most lines have no pixel in which two objects are lit. */
INLINE uint16_t latched(const __m256i lit[6], uint16_t possible, __m256i pixels) {
  return _mm256_testz_si256(lit_twice(lit), pixels) ? 0 : latched_by_pairs(lit, possible, pixels);
}

/* Where an object is lit, if it is on. */
#define LIT_IF_ON(object, bits) (set >> (object)&1 ? (bits) : _mm256_setzero_si256())

TARGET uint16_t COLLIDE(const tia_tables *tables, const tia_segment *s, int count, uint16_t wanted,
                        int x_begin, int x_end) {
  uint16_t latches = 0;
  for (int i = 0; i < count; i++) {
    const tia_part part = tia_part_of(s, i, count, x_begin, x_end);
    const int set = s[i].set;
    const uint16_t possible = tables->possible[set] & wanted & ~latches;
    if (!possible || part.from >= part.to) continue;
    const tia_look *look = &s[i].look;
    const __m256i lit[6] = {
        LIT_IF_ON(P0, lit_player(look, 0)),  LIT_IF_ON(P1, lit_player(look, 1)),
        LIT_IF_ON(M0, lit_missile(look, 0)), LIT_IF_ON(M1, lit_missile(look, 1)),
        LIT_IF_ON(BL, lit_ball(look)),       LIT_IF_ON(PF, lit_playfield(tables, look))};
    latches |= latched(lit, possible, between(tables, part.from, part.to));
  }
  return latches;
}

TARGET uint16_t DRAW(const tia_tables *tables, const tia_segment *s, int count, uint8_t *pixels,
                     int x_begin, int cx_begin, int x_end) {
  __m256i line[6]; /* pixels of the objects, segments so far */
  tia_piece open = {.x = SCREEN_WIDTH};
  int sets = 0; /* objects that were on in some segment */
#pragma GCC unroll 6
  for (int k = 0; k < 6; k++) line[k] = _mm256_setzero_si256();
  for (int i = 0; i < count; i++) {
    const int from = s[i].x;
    int to = i + 1 < count ? s[i + 1].x : SCREEN_WIDTH;
    if (to > x_end) to = x_end;
    if (from >= to) continue;
    const tia_look *look = &s[i].look;
    const tia_piece r = tia_piece_of(tables, &s[i], x_begin);
    if (open.x == SCREEN_WIDTH) {
      open = r;
    } else if (!tia_join(&open, &r)) {
      paint_piece(tables, line, &open, r.x, pixels);
      open = r;
    }
    const int set = r.set;
    if (!set) continue;
    sets |= set;
    const __m256i here = between(tables, from, to);
#define ADD(object, bits) \
  if (set >> (object)&1) line[object] = _mm256_or_si256(line[object], _mm256_and_si256(here, bits))
    ADD(P0, lit_player(look, 0));
    ADD(P1, lit_player(look, 1));
    ADD(M0, lit_missile(look, 0));
    ADD(M1, lit_missile(look, 1));
    ADD(BL, lit_ball(look));
    ADD(PF, lit_playfield(tables, look));
#undef ADD
  }
  paint_piece(tables, line, &open, x_end, pixels);
  const uint16_t possible = tables->possible[sets];
  return possible && cx_begin < x_end ? latched(line, possible, between(tables, cx_begin, x_end))
                                      : 0;
}
