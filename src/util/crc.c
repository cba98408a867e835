/* See crc.h.
 *
 * A message is a polynomial over the field of two elements, its checksum the remainder modulo P. Sixteen bytes A that
 * are followed by d more bits contribute A x^d, and the remainder stays the same if x^d is replaced by x^d mod P. So
 * the begin of a message can be folded into what follows: its two halves are multiplied by two constants of 32 bits and
 * added, without carries, to the sixteen bytes that lie d bits behind. Four such streams run side by side, 512 bits
 * apart; then the four are folded into one. What is left are sixteen bytes and the rest of the message, which zlib
 * finishes.
 *
 * Bits are reflected: the first bit of a message is the lowest of its first byte. So the low half of a register is 64
 * bits further from the end than the high half, and a product lies one bit too low, which the constants make up for:
 * for a distance d they are x^(d+32) mod P and x^(d-32) mod P, reflected and shifted by one. tests/util/test_crc.c
 * computes them.
 * Gopal, Ozturk et al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction, Intel 2009. */
#include "util/crc.h"

#include <zlib.h>

#include "util/os_cpu.h"

#if OS_X86_64
#include <immintrin.h>

enum { LEAST = 128 /* bytes; fewer are left to zlib */ };

/* for distances of 512 and 128 bits */
static const uint64_t far_low = 0x154442bd4, far_high = 0x1c6e41596;
static const uint64_t near_low = 0x1751997d0, near_high = 0x0ccaa009e;

__attribute__((target("pclmul,sse4.1"))) static inline __m128i fold(__m128i a, __m128i by,
                                                                    __m128i onto) {
  return _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(a, by, 0x00), onto),
                       _mm_clmulepi64_si128(a, by, 0x11));
}

__attribute__((target("pclmul,sse4.1"))) static uint32_t fold_all(uint32_t crc, const uint8_t *in,
                                                                  size_t size) {
  const __m128i far = _mm_set_epi64x((long long)far_high, (long long)far_low);
  const __m128i near = _mm_set_epi64x((long long)near_high, (long long)near_low);
  __m128i x[4];
  for (int i = 0; i < 4; i++) x[i] = _mm_loadu_si128((const __m128i *)(in + (size_t)i * 16));
  x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128((int)~crc)); /* what came before */
  for (in += 64, size -= 64; size >= 64; in += 64, size -= 64) {
    for (int i = 0; i < 4; i++)
      x[i] = fold(x[i], far, _mm_loadu_si128((const __m128i *)(in + (size_t)i * 16)));
  }
  for (int i = 0; i < 3; i++) x[i + 1] = fold(x[i], near, x[i + 1]);
  uint8_t left[16];
  _mm_storeu_si128((__m128i *)left, x[3]);
  /* a register of zeros to begin with: zlib inverts it before and after */
  crc = (uint32_t)crc32_z(0xFFFFFFFF, left, sizeof left);
  return (uint32_t)crc32_z(crc, in, size);
}

uint32_t crc_add(uint32_t crc, const void *bytes, size_t size) {
  if (size >= LEAST && os_cpu_has(OS_CPU_PCLMUL) && os_cpu_has(OS_CPU_SSE41))
    return fold_all(crc, bytes, size);
  return (uint32_t)crc32_z(crc, bytes, size);
}

#else

uint32_t crc_add(uint32_t crc, const void *bytes, size_t size) {
  return (uint32_t)crc32_z(crc, bytes, size);
}

#endif
