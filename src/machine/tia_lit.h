/* Where objects are lit: the pixels of a line as bits. */
#ifndef SIXER_MACHINE_TIA_LIT_H
#define SIXER_MACHINE_TIA_LIT_H

#include "machine/tia_work.h"

/* The pixels of a line as bits, pixel 0 in bit 0 of the first word. The last word is padding to whole
 * vectors. */
enum { LINE_WORDS = 3 };
typedef uint64_t bits128 __attribute__((vector_size(16), may_alias));
typedef union line_bits {
  uint64_t word[LINE_WORDS + 1];
  uint32_t part[2 * (LINE_WORDS + 1)]; /* halves of words, on x86 */
  bits128 half[2];
} line_bits;

static inline line_bits dark(void) { return (line_bits){.half = {{0}}}; }

static inline line_bits both(const line_bits *a, const line_bits *b) {
  return (line_bits){.half = {a->half[0] & b->half[0], a->half[1] & b->half[1]}};
}

static inline void add_bits(line_bits *to, line_bits bits) {
  to->half[0] |= bits.half[0];
  to->half[1] |= bits.half[1];
}

static inline bool any_bit(line_bits bits) {
  const bits128 any = bits.half[0] | bits.half[1];
  return any[0] | any[1];
}

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

static inline void light_player(line_bits *line, const tia_look *look, int n) {
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

static inline void light_missile(line_bits *line, const tia_look *look, int n) {
  int star = n ? STAR_NORMAL : look->star, code = look->nusiz[n] >> 4 & 3,
      mode = look->nusiz[n] & 7;
  if (star == STAR_HIDDEN) return;
  int width = 1 << (star == STAR_WIDE ? code | 1 : code);
  for (int i = 0; i < tia_copy_count[mode]; i++)
    light(line, look->pos[M0 + n] + tia_copies[mode][i], (1u << width) - 1, width);
}

static inline void light_ball(line_bits *line, const tia_look *look) {
  int width = 1 << (look->ctrl >> 4 & 3);
  light(line, look->pos[BL], (1u << width) - 1, width);
}

/* The forty columns of the playfield, leftmost in bit 0. */
static inline uint64_t playfield_columns(const tia_look *look) {
  uint64_t left = (uint64_t)look->pf[0] >> 4 | (uint64_t)tia_reversed[look->pf[1]] << 4 |
                  (uint64_t)look->pf[2] << 12;
  uint64_t right = left;
  if (look->reflect) {
    right = (uint64_t)tia_reversed[look->pf[2]] | (uint64_t)look->pf[1] << 8 |
            (uint64_t)(tia_reversed[look->pf[0]] & 0x0F) << 16;
  }
  return left | right << 20;
}

static inline line_bits light_playfield(const tia_tables *tables, const tia_look *look) {
  const uint32_t *wide = tables->columns;
  uint64_t c = playfield_columns(look);
  /* as vectors at once: stores of words followed by a vector load would stall store forwarding */
  return (line_bits){.half = {{wide[c & 0xFF] | (uint64_t)wide[c >> 8 & 0xFF] << 32,
                               wide[c >> 16 & 0xFF] | (uint64_t)wide[c >> 24 & 0xFF] << 32},
                              {wide[c >> 32], 0}}};
}

/* Pixels from .. to - 1. */
static inline line_bits pixels_between(const tia_tables *tables, int from, int to) {
  const bits128 *a = (const bits128 *)tables->before[from],
                *b = (const bits128 *)tables->before[to];
  return (line_bits){.half = {b[0] & ~a[0], b[1] & ~a[1]}};
}

/* The two objects of a collision, by bits of CX_. */
static const uint8_t tia_pairs[16][2] = {{M0, P0}, {M0, P1}, {M1, P1}, {M1, P0}, {P0, BL}, {P0, PF},
                                         {P1, BL}, {P1, PF}, {M0, BL}, {M0, PF}, {M1, BL}, {M1, PF},
                                         {0, 0},   {BL, PF}, {M0, M1}, {P0, P1}};

/* The collisions, among possible ones, that these pixels latch. */
static inline uint16_t latch(const line_bits objects[6], uint16_t possible, line_bits pixels) {
  uint16_t latches = 0;
  for (unsigned left = possible; left; left &= left - 1) {
    int k = __builtin_ctz(left);
    const line_bits overlap = both(&objects[tia_pairs[k][0]], &objects[tia_pairs[k][1]]);
    if (any_bit(both(&overlap, &pixels))) latches |= (uint16_t)(1u << k);
  }
  return latches;
}

#endif
