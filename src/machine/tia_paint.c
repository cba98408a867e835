/* Painting: from bits to pixels, for processors without AVX2 and with AVX-512. tia_draw_avx2.c has a third version. All
 * give the same bytes. */
#include "machine/tia_paint.h"

#include <string.h>

#include "util/os_cpu.h"

#if OS_X86_64
#include <immintrin.h>

#endif

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

#if OS_X86_64
__attribute__((target("avx512bw"))) void tia_paint_by_64(const tia_tables *tables, const paint *p,
                                                         uint8_t *out) {
  const __m512i back = _mm512_set1_epi8((char)color_of(p, COLOR_BK));
  const __m512i p0 = _mm512_set1_epi8((char)color_of(p, COLOR_P0)),
                p1 = _mm512_set1_epi8((char)color_of(p, COLOR_P1)),
                pf = _mm512_set1_epi8((char)color_of(p, COLOR_PF));
  const line_bits here = pixels_between(tables, p->x, p->end);
  for (int w = p->x >> 6; 64 * w < p->end; w++) {
    __m512i pixels = _mm512_mask_blend_epi8(p->shown[COLOR_PF].word[w], back, pf);
    pixels = _mm512_mask_blend_epi8(p->shown[COLOR_P1].word[w], pixels, p1);
    pixels = _mm512_mask_blend_epi8(p->shown[COLOR_P0].word[w], pixels, p0);
    _mm512_mask_storeu_epi8(out + 64 * w, here.word[w], pixels);
  }
}
#endif

tia_painter tia_best_painter(void) {
#if OS_X86_64
  if (os_cpu_has(OS_CPU_AVX512BW)) return PAINT_BY_64;
  if (os_cpu_has(OS_CPU_AVX2)) return PAINT_BY_32;
#endif
  return PAINT_BY_WORDS;
}
