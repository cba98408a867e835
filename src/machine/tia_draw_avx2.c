/* Drawing with AVX2: 32 pixels are painted at once. */
#include "util/os_cpu.h"

#if OS_X86_64
#include <immintrin.h>

#define TARGET  __attribute__((target("avx2")))
#define DRAW    tia_draw_avx2
#define COLLIDE tia_collide_avx2
#include "machine/tia_draw_body.h"

INLINE void store(void *to, __m256i value) { _mm256_storeu_si256(to, value); }

/* 32 bits as bytes of 0 or 0xFF. */
INLINE __m256i spread_32(const uint32_t *bits) {
  const __m256i each = _mm256_set1_epi64x((long long)0x8040201008040201u);
  const __m256i which =
      _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
  const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32((int)*bits), which);
  return _mm256_cmpeq_epi8(_mm256_and_si256(bytes, each), each);
}

/* The colors of a piece, and where those in front of the background show. */
typedef struct painting {
  __m256i color[4];
  line_bits shown[3];
} painting;

INLINE __m256i painted_32(const painting *p, bool players, int part) {
  const __m256i pixels = _mm256_blendv_epi8(p->color[COLOR_BK], p->color[COLOR_PF],
                                            spread_32(&p->shown[COLOR_PF].part[part]));
  if (!players) return pixels;
  return _mm256_blendv_epi8(
      _mm256_blendv_epi8(pixels, p->color[COLOR_P1], spread_32(&p->shown[COLOR_P1].part[part])),
      p->color[COLOR_P0], spread_32(&p->shown[COLOR_P0].part[part]));
}

INLINE void paint_bits(const tia_tables *tables, const __m256i shown[3], bool players,
                       uint32_t colors, int x, int end, uint8_t *out) {
  painting p;
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) p.color[i] = _mm256_set1_epi8((char)(colors >> 8 * i));
#pragma GCC unroll 3
  for (int i = 0; i < 3; i++) store(&p.shown[i], shown[i]);
  if (!x && end == SCREEN_WIDTH) { /* mostly */
#pragma GCC unroll 5
    for (int part = 0; part < SCREEN_WIDTH / 32; part++)
      store(out + 32 * part, painted_32(&p, players, part));
    return;
  }
  int part = x >> 5;
  if (x & 31) { /* pixels to the left of x stay */
    const __m256i old = load(out + 32 * part);
    const line_bits here = pixels_between(tables, x, SCREEN_WIDTH);
    store(out + 32 * part,
          _mm256_blendv_epi8(old, painted_32(&p, players, part), spread_32(&here.part[part])));
    part++;
  }
  for (; 32 * part < end; part++) store(out + 32 * part, painted_32(&p, players, part));
}

#endif
