/* The first word and the rest of a line's state as vectors: tia_work.h says what they hold. */
#ifndef SIXER_MACHINE_TIA_WORDS_H
#define SIXER_MACHINE_TIA_WORDS_H

#include "machine/tia_work.h"

typedef uint64_t word16 __attribute__((vector_size(16), aligned(1), may_alias));
static inline word16 get16(const void *from) { return *(const word16 *)from; }
static inline void put16(void *to, word16 word) { *(word16 *)to = word; }
#if defined(__wasm_simd128__) /* taking a vector apart is slow there */
typedef signed char bytes16 __attribute__((vector_size(16)));
static inline bool is_zero(word16 word) { return !__builtin_wasm_any_true_v128((bytes16)word); }
#elif defined(TIA_LINES_AVX2) /* in tia_lines_avx2.c */
static inline bool is_zero(word16 word) { return _mm_testz_si128((__m128i)word, (__m128i)word); }
#else
static inline bool is_zero(word16 word) { return !(word[0] | word[1]); }
#endif

static inline const void *first_of(const tia_state *t) { return (const uint8_t *)t + LINE_STATE; }
static inline const void *rest_of(const tia_state *t) { return (const uint8_t *)t + REST_STATE; }

/* The bits of these bytes of the first word; each argument has a bit for a byte. */
static inline tia_word first_word(const tia_tables *tables, int motions, int mirrors, int pos,
                                  int colors) {
  const int bytes =
      motions << FIRST_HM | mirrors << FIRST_REFP | pos << FIRST_POS | colors << FIRST_COLOR;
  return (tia_word){{tables->spread[bytes & 0xFF], tables->spread[bytes >> 8]}};
}

static inline bool same_rest(const known_rest *known, const void *rest) {
  const uint8_t *r = rest;
  return is_zero((get16(&known->word[0]) ^ get16(r)) | (get16(&known->word[1]) ^ get16(r + 16)));
}

#endif
