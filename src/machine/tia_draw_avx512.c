/* Drawing with AVX-512: 64 pixels are painted at once, and bits are masks as they are. */
#include "util/os_cpu.h"

#if OS_X86_64
#include <immintrin.h>

#define TARGET  __attribute__((target("avx2,avx512bw,avx512vl")))
#define DRAW    tia_draw_avx512
#define COLLIDE tia_collide_avx512
#include "machine/tia_draw_body.h"

/* Three words of bits: what a line has. */
typedef struct masks {
  __mmask64 word[LINE_WORDS];
} masks;
INLINE masks masks_of(__m256i bits) {
  return (masks){{(__mmask64)_mm256_extract_epi64(bits, 0),
                  (__mmask64)_mm256_extract_epi64(bits, 1),
                  (__mmask64)_mm256_extract_epi64(bits, 2)}};
}

INLINE void paint_bits(const tia_tables *tables, const __m256i shown[3], bool players,
                       uint32_t colors, int x, int end, uint8_t *out) {
  __m512i color[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) color[i] = _mm512_set1_epi8((char)(colors >> 8 * i));
  const masks here = masks_of(between(tables, x, end));
  const masks p0 = masks_of(shown[COLOR_P0]), p1 = masks_of(shown[COLOR_P1]),
              pf = masks_of(shown[COLOR_PF]);
#pragma GCC unroll 3
  for (int w = 0; w < LINE_WORDS; w++) {
    __m512i pixels = _mm512_mask_blend_epi8(pf.word[w], color[COLOR_BK], color[COLOR_PF]);
    if (players) {
      pixels = _mm512_mask_blend_epi8(p1.word[w], pixels, color[COLOR_P1]);
      pixels = _mm512_mask_blend_epi8(p0.word[w], pixels, color[COLOR_P0]);
    }
    _mm512_mask_storeu_epi8(out + 64 * w, here.word[w], pixels);
  }
}

#endif
