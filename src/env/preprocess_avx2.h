/* The busiest parts of preprocess.c for processors with AVX2: the same products and sums in the same order, so the same
 * bytes. */
#ifndef SIXER_ENV_PREPROCESS_AVX2_H
#define SIXER_ENV_PREPROCESS_AVX2_H

#include "env/preprocess.h"

bool avx2_works(void);
bool avx2_permutes(void); /* it also has byte permutations over whole tables (AVX-512 VBMI) */

/* A row of palette bytes in gray, pooled with another one unless that is NULL. False: not with these colors. */
bool avx2_gray_row(const preprocess *p, const palette *colors, const uint8_t *first,
                   const uint8_t *second, uint8_t *gray);

/* Eight weighted sums of three neighbors at once, `count` in all: from[d] is the first of the three, pick[d] tells it
 * by its distance from from[d / 4 * 4] (AREA_PICK), and three rows of `count` weights follow each other. Reads up to
 * 16 bytes from the first one of each four. */
enum {
  AREA_PICK = (int)0x80808000
}; /* plus the distance; the other bytes of an integer become 0 */
void avx2_area_row(const int *from, const int *pick, const float *weights, int count,
                   const uint8_t *source, float *sums);

/* `count` rows of sums with their weights, added up in order and rounded; writes up to seven bytes more than `row`. */
void avx2_add_rows(const float *const *sums, const float *weights, int count, int row,
                   uint8_t *out);

#endif
