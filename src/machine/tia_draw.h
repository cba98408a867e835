/* Drawing: from segments to pixels and collisions. */
#ifndef SIXER_MACHINE_TIA_DRAW_H
#define SIXER_MACHINE_TIA_DRAW_H

#include <string.h>

#include "machine/tia_work.h"
#include "util/little.h"

/* A look as three words. */
typedef struct look_words {
  uint64_t a, b, c;
} look_words;
_Static_assert(sizeof(look_words) == sizeof(tia_look), "a look is three words");

/* Words one by one: compilers take a copy of the whole struct through memory. */
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

/* ---- Styles ---------------------------------------------------------------------------------------------------- */

/* The style of a segment is everything that decides how objects are painted, apart from where they are: four colors as
 * in a look, the first lowest, bits 1 and 2 of CTRLPF, and whether the first eight pixels are black. */
enum { STYLE_CTRL = 32, STYLE_BLANK = 40, SCORE = 2, PRIORITY = 4 };
_Static_assert(offsetof(tia_look, blank) == offsetof(tia_look, ctrl) + 1, "both are read at once");

static inline uint64_t style_of(const tia_look *look, int x) {
  uint32_t colors;
  uint16_t ctrl_blank;
  memcpy(&colors, look->color, sizeof colors);
  memcpy(&ctrl_blank, &look->ctrl, sizeof ctrl_blank);
  const uint64_t kept = (SCORE | PRIORITY) | (x < 8 ? 1 << (STYLE_BLANK - STYLE_CTRL) : 0);
  return little_32(colors) | (little_16(ctrl_blank) & kept) << STYLE_CTRL;
}

/* Neighboring segments of the same style are painted together: a piece. */
typedef struct tia_piece {
  int x;          /* where it begins; it ends where the next one does */
  int set;        /* objects that are on somewhere in it */
  uint64_t style; /* as by style_of() */
  uint64_t used;  /* those bits of it that show */
} tia_piece;

/* The piece of one segment; pixels to the left of x_begin are not painted. */
static inline tia_piece tia_piece_of(const tia_tables *tables, const tia_segment *s, int x_begin) {
  const int x = s->x > x_begin ? s->x : x_begin;
  if (s->look.vblank) return (tia_piece){x, 0, 0, ~(uint64_t)0};
  return (tia_piece){x, s->set & 0x3F, style_of(&s->look, s->x), tables->style[s->set]};
}

/* Can two neighbors be painted together? Then the second is added to the first.
 *
 * With both bits set, the score mode counts only while no object but the playfield is on; otherwise the priority does.
 * That depends on each segment's own set, so that such pieces cannot be joined. */
static inline bool tia_join(tia_piece *a, const tia_piece *b) {
  const uint64_t odd = (uint64_t)(SCORE | PRIORITY) << STYLE_CTRL;
  if ((a->style ^ b->style) & a->used & b->used) return false;
  const uint64_t style = (a->style & a->used) | (b->style & b->used);
  if ((style & odd) == odd &&
      ((a->style & a->used & odd) == odd || (b->style & b->used & odd) == odd))
    return false;
  a->style = style;
  a->used |= b->used;
  a->set |= b->set;
  return true;
}

/* What covers what in a piece. */
typedef struct tia_front {
  bool score;     /* the playfield has the players' colors */
  bool playfield; /* playfield and ball are in front of the players */
  bool players;   /* something has the players' colors */
} tia_front;

static inline tia_front tia_front_of(const tia_piece *p) {
  const unsigned ctrl = (p->style & p->used) >> STYLE_CTRL & 0xFF;
  const bool score = ctrl & SCORE && (!(ctrl & PRIORITY) || p->set == 1 << PF);
  return (tia_front){score, ctrl & PRIORITY && !score,
                     score || p->set & (1 << P0 | 1 << P1 | 1 << M0 | 1 << M1)};
}

/* The first eight pixels are black after an HMOVE. */
static inline void tia_paint_blank(const tia_piece *p, uint8_t *pixels) {
  if (!(p->style & (uint64_t)1 << STYLE_BLANK)) return;
  if (!p->x)
    memset(pixels, 0, 8); /* mostly: one store */
  else if (p->x < 8)
    memset(pixels + p->x, 0, (size_t)(8 - p->x));
}

/* ---- Lines ----------------------------------------------------------------------------------------------------- */

/* Draw pixels x_begin .. x_end - 1 of a line (unless `pixels` is NULL), and return the collisions of pixels cx_begin ..
 * x_end - 1. Pixels to the right of x_end may be overwritten, up to a multiple of 32. */
uint16_t tia_draw_segments(const tia_tables *tables, const tia_segment *s, int count,
                           uint8_t *pixels, int x_begin, int cx_begin, int x_end);

/* Only the collisions of pixels x_begin .. x_end - 1, and of these only `wanted` ones. Two objects collide in a pixel,
 * so both are on in its segment: most segments have no such two. */
uint16_t tia_collide_segments(const tia_tables *tables, const tia_segment *s, int count,
                              uint16_t wanted, int x_begin, int x_end);

/* The part of segment i of `count` that is in these pixels; empty if the beam is off. */
typedef struct tia_part {
  int from, to;
} tia_part;
static inline tia_part tia_part_of(const tia_segment *s, int i, int count, int x_begin, int x_end) {
  const int to = i + 1 < count ? s[i + 1].x : SCREEN_WIDTH;
  if (s[i].look.vblank) return (tia_part){0, 0};
  return (tia_part){s[i].x > x_begin ? s[i].x : x_begin, to < x_end ? to : x_end};
}

/* The same two, on a processor with AVX2, or with AVX-512. */
__typeof__(tia_draw_segments) tia_draw_avx2, tia_draw_avx512;
__typeof__(tia_collide_segments) tia_collide_avx2, tia_collide_avx512;

#endif
