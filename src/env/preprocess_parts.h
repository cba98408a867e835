/* What the files of preprocessing share: preprocess.c (colors, pooling, memory), resize.c (the arithmetic of a
 * resize) and row_cache.c (the fast way). */
#ifndef SIXER_ENV_PREPROCESS_PARTS_H
#define SIXER_ENV_PREPROCESS_PARTS_H

#include "env/env.h"
#include "env/preprocess.h"

/* ---- resize.c -------------------------------------------------------------------------------------------------- */

/* One axis of a resize: which source pixels a destination pixel is made of, and their weights. */
typedef struct resize_entry {
  int source;
  float weight;
} resize_entry;

struct resize_axis {
  int source, count; /* sizes */
  int box;           /* source pixels per destination pixel, if all are alike */
  int *first;        /* count + 1 positions in `entries` */
  int *pattern;      /* destination pixels with equal weights have equal numbers */
  resize_entry *entries;
  int most; /* entries of one destination pixel; they are of neighboring source pixels */
  /* If there are no more than three: the first source pixel of each, once more as avx2_area_row() wants it, and three
   * rows of weights, filled up with zeros. `padded` to whole vectors. */
  int padded, *from, *pick;
  float *three;
  /* enlargement: pixels low[d] and high[d] with weights in 1/2048 */
  int *low, *high;
  int32_t *weight_low, *weight_high;
};

enum { LANES = 8 /* floats in a vector; rows are padded to whole vectors */ };

resize_axis *resize_axis_make(int source, int count);
void resize_axis_free(resize_axis *axis);
size_t resize_axis_memory(const resize_axis *axis);

/* Fill in the fields for enlargements. resize_axis_make() does this if the axis itself is enlarged. */
void resize_axis_interpolate(resize_axis *axis);

/* The same fields for bilinear interpolation between the centers of pixels, to any size. */
void resize_axis_bilinear(resize_axis *axis);

/* Floats from one row of sums to the next: whole vectors. */
static inline size_t resize_stride(const preprocess *p) {
  return ((size_t)p->width * (size_t)p->channels + LANES - 1) / LANES * LANES;
}

/* Horizontal step of an area resize: the weighted sums of a row, in float32, in order. */
void resize_area_row(const preprocess *p, const uint8_t *restrict source, float *restrict sums);

/* Vertical step: the sums of the source rows of destination row d, weighted, added up in order and rounded. */
void resize_add_rows(const preprocess *p, int d, const float *const *sums, uint8_t *out);

/* The first source row of destination row d; the others follow it. */
static inline int resize_first_source(const preprocess *p, int d) {
  return p->y->entries[p->y->first[d]].source;
}

/* ---- preprocess.c ---------------------------------------------------------------------------------------------- */

/* One row of both pictures, colored and pooled; `second` may be NULL. */
void preprocess_color_row(const preprocess *p, const palette *colors, const uint8_t *first,
                          const uint8_t *second, uint8_t *raw);

/* ---- row_cache.c ----------------------------------------------------------------------------------------------- */

enum {
  ROW_CACHE_SUMMANDS = 4 /* source rows of a destination row, at most, that the cache can handle */
};

size_t row_cache_size(const preprocess *p); /* bytes; 0 if this config has no use for it */
void row_cache_init(struct row_cache *cache, const preprocess *p);

/* preprocess_run() for area resizes with no more than ROW_CACHE_SUMMANDS source rows each. */
void row_cache_run(const preprocess *p, preprocess_scratch *s, const palette *colors,
                   const machine_rows *first, const machine_rows *second, uint8_t *out);

#endif
