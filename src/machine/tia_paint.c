/* Painting: from bits to pixels, for all processors. tia_draw_avx2.c and tia_draw_avx512.c have their own versions. All
 * give the same bytes. */
#include "machine/tia_paint.h"

#include <string.h>

#include "util/os_cpu.h"

typedef uint64_t pixels16 __attribute__((vector_size(16), aligned(1), may_alias));

static inline uint8_t color_of(const paint *p, int which) {
  return (uint8_t)(p->colors >> 8 * which);
}

void tia_paint_back(uint8_t *out, uint8_t color, int x, int end) {
  static const uint8_t edge[32] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                   0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
  const uint64_t eight = 0x0101010101010101u * color;
  const pixels16 sixteen = {eight, eight};
  const pixels16 stay = *(const pixels16 *)(edge + 16 - (x & 15));
  pixels16 *at = (pixels16 *)(out + (x & ~15));
  *at = (*at & stay) | (sixteen & ~stay);
  for (x = (x & ~15) + 16; x < end; x += 16) *++at = sixteen;
}

/* Eight pixels at once, where something shows. */
void tia_paint_by_words(const tia_tables *tables, const paint *p, uint8_t *out) {
  const uint64_t ones = 0x0101010101010101u, back = ones * color_of(p, COLOR_BK);
  uint64_t turn[3];
  for (int i = 0; i < 3; i++) turn[i] = ones * color_of(p, i) ^ back;
  const line_bits here = pixels_between(tables, p->x, p->end);
  tia_paint_back(out, color_of(p, COLOR_BK), p->x, p->end);
  for (int w = p->x >> 6; w <= (p->end - 1) >> 6; w++) {
    const uint64_t p0 = p->shown[COLOR_P0].word[w] & here.word[w],
                   p1 = p->shown[COLOR_P1].word[w] & here.word[w],
                   pf = p->shown[COLOR_PF].word[w] & here.word[w];
    uint8_t *const at = out + 64 * w;
    for (uint64_t any = p0 | p1 | pf; any;) {
      const int eighth = __builtin_ctzll(any) & ~7;
      uint64_t pixels;
      memcpy(&pixels, at + eighth, sizeof pixels);
      pixels ^= tables->spread[pf >> eighth & 0xFF] & turn[COLOR_PF];
      pixels ^= tables->spread[p1 >> eighth & 0xFF] & turn[COLOR_P1];
      pixels ^= tables->spread[p0 >> eighth & 0xFF] & turn[COLOR_P0];
      memcpy(at + eighth, &pixels, sizeof pixels);
      any &= ~((uint64_t)0xFF << eighth);
    }
  }
}

tia_painter tia_best_painter(void) {
#if OS_X86_64
  if (os_cpu_has(OS_CPU_AVX512BW) && os_cpu_has(OS_CPU_AVX512VL)) return PAINT_BY_64;
  if (os_cpu_has(OS_CPU_AVX2)) return PAINT_BY_32;
#endif
  return PAINT_BY_WORDS;
}
