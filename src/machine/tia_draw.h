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

/* The style of a segment is everything that decides how objects are painted, apart from where they are: four colors as
 * in a look, the first lowest, bits 1 and 2 of CTRLPF, and whether the first eight pixels are black. */
enum { STYLE_CTRL = 32, STYLE_BLANK = 40, SCORE = 2, PRIORITY = 4 };

static inline uint64_t style_of(const tia_look *look, int x) {
  uint32_t colors;
  memcpy(&colors, look->color, sizeof colors);
  return little_32(colors) | (uint64_t)(look->ctrl & (SCORE | PRIORITY)) << STYLE_CTRL |
         (uint64_t)(look->blank & (x < 8)) << STYLE_BLANK;
}

/* Draw pixels x_begin .. x_end - 1 of a line (unless `pixels` is NULL), and return the collisions of pixels cx_begin ..
 * x_end - 1. Pixels to the right of x_end may be overwritten, up to a multiple of 32. */
uint16_t tia_draw_segments(const tia_tables *tables, const tia_segment *s, int count,
                           uint8_t *pixels, int x_begin, int cx_begin, int x_end);

#endif
