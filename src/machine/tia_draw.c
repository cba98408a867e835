/* Drawing: from segments to pixels and collisions.
 *
 * A line is drawn from bits: for each object, one bit for every pixel where it is lit. Colors are painted where
 * bits are set, and pairs of objects that have a bit in common collide. */
#include "machine/tia_draw.h"

#include "machine/tia_paint.h"
#include "util/os_cpu.h"

_Static_assert(offsetof(tia_look, reflect) >= 16 && offsetof(tia_look, pf) >= 16,
               "the playfield is lit by the third word of a look");

/* Find the pixels of the objects that are on. Those that are lit as in the look before it stay as they are. */
static inline void light_objects(const tia_tables *tables, line_bits objects[6],
                                 const tia_look *look, const tia_look *before, int set) {
  bool moved = true, other_playfield = true;
  if (before) {
    const look_words a = words_of(look), b = words_of(before), shape = words_of(&tables->shape);
    moved = ((a.a ^ b.a) & shape.a) | ((a.b ^ b.b) & shape.b) | ((a.c ^ b.c) & shape.c);
    other_playfield = (a.c ^ b.c) & word_of(&tables->playfield, 2);
  }
  for (int n = 0; n < 2; n++) {
    if (!moved && look->graphic[n] == before->graphic[n]) continue;
    objects[P0 + n] = dark();
    if (set >> (P0 + n) & 1) light_player(&objects[P0 + n], look, n);
  }
  if (moved) {
    for (int n = 0; n < 2; n++) {
      objects[M0 + n] = dark();
      if (set >> (M0 + n) & 1) light_missile(&objects[M0 + n], look, n);
    }
    objects[BL] = dark();
    if (set >> BL & 1) light_ball(&objects[BL], look);
  }
  if (other_playfield) objects[PF] = set >> PF & 1 ? light_playfield(tables, look) : dark();
}

/* Paint the objects of a piece up to pixel end - 1; `lit` has the pixels of each object. */
static void paint_objects(const tia_tables *tables, const line_bits lit[6], const tia_piece *r,
                          int end, uint8_t *pixels) {
  static const line_bits left = {.word = {~(uint64_t)0, 0xFFFF, 0, 0}};
  const tia_front front = tia_front_of(r);
  paint p;
  p.colors = (uint32_t)r->style;
  p.x = r->x;
  p.end = end;
  for (int h = 0; h < 2; h++) {
    bits128 p0 = lit[P0].half[h] | lit[M0].half[h], p1 = lit[P1].half[h] | lit[M1].half[h],
            pf = lit[PF].half[h] | lit[BL].half[h];
    if (front.score) {
      p0 |= lit[PF].half[h] & left.half[h];
      p1 |= lit[PF].half[h] & ~left.half[h];
      pf = lit[BL].half[h];
    }
    /* what is in front hides what is behind */
    if (front.playfield) {
      p0 &= ~pf;
      p1 &= ~pf;
    }
    p1 &= ~p0;
    p.shown[COLOR_P0].half[h] = p0;
    p.shown[COLOR_P1].half[h] = p1;
    p.shown[COLOR_PF].half[h] = pf & ~(p0 | p1);
  }
  tia_paint_by_words(tables, &p, pixels);
}

static inline void paint_piece(const tia_tables *tables, const line_bits lit[6], const tia_piece *r,
                               int end, uint8_t *pixels) {
  if (!pixels || r->x >= end) return;
  if (r->set)
    paint_objects(tables, lit, r, end, pixels);
  else
    tia_paint_back(pixels, r->style >> 8 * COLOR_BK & 0xFF, r->x, end);
  tia_paint_blank(r, pixels);
}

static uint16_t draw(const tia_tables *tables, const tia_segment *s, int count, uint8_t *pixels,
                     int x_begin, int cx_begin, int x_end) {
  line_bits line[6];    /* pixels of the objects, segments so far */
  line_bits objects[6]; /* the same if the whole line were this segment */
  const tia_look *before = NULL;
  tia_piece open = {.x = SCREEN_WIDTH};
  int sets = 0; /* objects that were on in some segment */
#pragma GCC unroll 6
  for (int k = 0; k < 6; k++) line[k] = dark();
  for (int i = 0; i < count; i++) {
    int from = s[i].x, to = i + 1 < count ? s[i + 1].x : SCREEN_WIDTH;
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
    const line_bits here = pixels_between(tables, from, to);
    if (set == 1 << PF) {
      const line_bits playfield = light_playfield(tables, look);
      add_bits(&line[PF], both(&playfield, &here));
      continue;
    }
    light_objects(tables, objects, look, before, set);
    before = look;
    for (unsigned left = (unsigned)set; left; left &= left - 1) {
      const int k = __builtin_ctz(left);
      add_bits(&line[k], both(&objects[k], &here));
    }
  }
  paint_piece(tables, line, &open, x_end, pixels);
  const uint16_t possible = tables->possible[sets];
  return possible && cx_begin < x_end
             ? latch(line, possible, pixels_between(tables, cx_begin, x_end))
             : 0;
}

uint16_t tia_draw_segments(const tia_tables *tables, const tia_segment *s, int count,
                           uint8_t *pixels, int x_begin, int cx_begin, int x_end) {
#if OS_X86_64
  if (tables->painter == PAINT_BY_64)
    return tia_draw_avx512(tables, s, count, pixels, x_begin, cx_begin, x_end);
  if (tables->painter == PAINT_BY_32)
    return tia_draw_avx2(tables, s, count, pixels, x_begin, cx_begin, x_end);
#endif
  return draw(tables, s, count, pixels, x_begin, cx_begin, x_end);
}

static uint16_t collide(const tia_tables *tables, const tia_segment *s, int count, uint16_t wanted,
                        int x_begin, int x_end) {
  uint16_t latches = 0;
  for (int i = 0; i < count; i++) {
    const tia_part part = tia_part_of(s, i, count, x_begin, x_end);
    const uint16_t possible = tables->possible[s[i].set] & wanted & ~latches;
    if (!possible || part.from >= part.to) continue;
    line_bits objects[6];
    light_objects(tables, objects, &s[i].look, NULL, s[i].set);
    latches |= latch(objects, possible, pixels_between(tables, part.from, part.to));
  }
  return latches;
}

uint16_t tia_collide_segments(const tia_tables *tables, const tia_segment *s, int count,
                              uint16_t wanted, int x_begin, int x_end) {
#if OS_X86_64
  if (tables->painter == PAINT_BY_64)
    return tia_collide_avx512(tables, s, count, wanted, x_begin, x_end);
  if (tables->painter == PAINT_BY_32)
    return tia_collide_avx2(tables, s, count, wanted, x_begin, x_end);
#endif
  return collide(tables, s, count, wanted, x_begin, x_end);
}
