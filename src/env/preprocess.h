/* From the console's picture to an observation's: colors, pooling of two frames, resize.
 *
 * The resize is that of the reference (INTER_AREA of the image library that it uses), in float32 with every product and
 * every sum rounded by itself, so that the bytes are the same on every compiler and processor. */
#ifndef SIXER_ENV_PREPROCESS_H
#define SIXER_ENV_PREPROCESS_H

#include "env/palette.h"
#include "machine/machine.h"
#include "sixer/vec.h"

typedef struct resize_axis resize_axis;

/* How pictures of one height become observations; constant, shared by threads. */
typedef struct preprocess {
  int source_height, height, width; /* sizes in pixels; sources are 160 wide */
  int channels;                     /* 1 or 3 */
  sixer_obs obs;
  sixer_pool pool;
  enum { RESIZE_NONE, RESIZE_AREA, RESIZE_BOX, RESIZE_LINEAR } resize;
  bool avx2,
      vbmi; /* instructions that the processor has (preprocess_avx2.h); results do not depend on them */
  resize_axis *x, *y;
} preprocess;

sixer_err preprocess_make(preprocess *p, const sixer_vec_config *config, int source_height,
                          sixer_error *error);
/* Interpolate between the nearest four source pixels instead of averaging areas (INTER_LINEAR of the same library),
 * although the picture becomes smaller. Call it after preprocess_make(), before a scratch is made. */
void preprocess_use_bilinear(preprocess *p);
void preprocess_free(preprocess *p);
size_t preprocess_memory(const preprocess *p);

/* Working memory, one per thread, large enough for the highest pictures of a vec. Its cache is not state: every
 * entry is a function of pixels. Use it with one config only. */
typedef struct preprocess_scratch {
  float *rows;     /* of the resize */
  int32_t *ints;   /* the same for enlargements */
  uint8_t *raw[3]; /* colored pictures: source_height * 160 * channels */
  struct row_cache *cache;
} preprocess_scratch;

sixer_err preprocess_scratch_make(preprocess_scratch *s, const preprocess *highest,
                                  sixer_error *error);
void preprocess_scratch_free(preprocess_scratch *s);
size_t preprocess_scratch_size(const preprocess *highest);

/* Bytes of a colored picture before the resize, and of one after it. */
size_t preprocess_raw_size(const preprocess *p);
size_t preprocess_out_size(const preprocess *p);

/* Color a picture of palette bytes. */
void preprocess_color(const preprocess *p, const palette *colors, const uint8_t *screen,
                      uint8_t *raw);

/* Pool a colored picture into another: raw = pool(raw, other). */
void preprocess_pool(const preprocess *p, uint8_t *raw, const uint8_t *other);

/* Resize a colored picture. */
void preprocess_resize(const preprocess *p, preprocess_scratch *s, const uint8_t *raw,
                       uint8_t *out);

/* Empty the cache. Needed when stamps of rows start again from 1. */
void preprocess_forget(const preprocess *p, preprocess_scratch *s);

/* The whole way from palette bytes to an observation. `second` is pooled with `first`, unless it is NULL. Rows with
 * equal stamps must have equal pixels in all pictures that this scratch is used for. */
void preprocess_run(const preprocess *p, preprocess_scratch *s, const palette *colors,
                    const machine_rows *first, const machine_rows *second, uint8_t *out);

#endif
