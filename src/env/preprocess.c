/* From palette pictures to observations: colors, pooling of two frames, and the choice of how to resize. resize.c has
 * the arithmetic of the resize, row_cache.c the fast way for the usual sizes. */
#include "env/preprocess.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "env/preprocess_avx2.h"
#include "env/preprocess_parts.h"
#include "util/os_memory.h"

sixer_err preprocess_make(preprocess *p, const sixer_vec_config *config, int source_height,
                          sixer_error *error) {
  bool native = config->height == 0 && config->width == 0;
  *p = (preprocess){
      .source_height = source_height,
      .height = native ? source_height : config->height,
      .width = native ? SCREEN_WIDTH : config->width,
      .channels = config->obs == SIXER_OBS_RGB ? 3 : 1,
      .obs = config->obs,
      .pool = config->pool,
  };
  p->avx2 = avx2_works();
  p->vbmi = p->avx2 && avx2_permutes();
  if (config->obs == SIXER_OBS_RAM) {
    p->height = 1;
    p->width = 128;
    return SIXER_OK;
  }
  if (p->height == source_height && p->width == SCREEN_WIDTH) return SIXER_OK;
  /* if one axis is enlarged, both are interpolated */
  bool larger = p->height > source_height || p->width > SCREEN_WIDTH;
  p->x = resize_axis_make(SCREEN_WIDTH, p->width);
  p->y = resize_axis_make(source_height, p->height);
  if (!p->x || !p->y) {
    preprocess_free(p);
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for pictures of %d x %d",
                      config->height, config->width);
  }
  if (larger) {
    p->resize = RESIZE_LINEAR;
    resize_axis_interpolate(p->x);
    resize_axis_interpolate(p->y);
  } else {
    p->resize = p->x->box && p->y->box ? RESIZE_BOX : RESIZE_AREA;
  }
  return SIXER_OK;
}

void preprocess_use_bilinear(preprocess *p) {
  if (p->resize == RESIZE_NONE) return;
  resize_axis_bilinear(p->x);
  resize_axis_bilinear(p->y);
  p->resize = RESIZE_LINEAR;
}

void preprocess_free(preprocess *p) {
  resize_axis_free(p->x);
  resize_axis_free(p->y);
  p->x = p->y = NULL;
}

size_t preprocess_memory(const preprocess *p) {
  return resize_axis_memory(p->x) + resize_axis_memory(p->y);
}

size_t preprocess_raw_size(const preprocess *p) {
  return (size_t)p->source_height * SCREEN_WIDTH * (size_t)p->channels;
}

size_t preprocess_out_size(const preprocess *p) {
  return (size_t)p->height * (size_t)p->width * (size_t)p->channels;
}

/* ---- Working memory -------------------------------------------------------------------------------------------- */

/* A row of sums for each source row, and one for the destination. */
static size_t row_count(const preprocess *p) {
  return (size_t)(p->source_height + 1) * resize_stride(p);
}

size_t preprocess_scratch_size(const preprocess *p) {
  return row_count(p) * (sizeof(float) + sizeof(int32_t)) + 3 * preprocess_raw_size(p) +
         row_cache_size(p);
}

sixer_err preprocess_scratch_make(preprocess_scratch *s, const preprocess *p, sixer_error *error) {
  *s = (preprocess_scratch){0};
  s->rows = os_aligned(row_count(p) * sizeof *s->rows);
  s->ints = malloc(row_count(p) * sizeof *s->ints);
  s->raw[0] = malloc(3 * preprocess_raw_size(p));
  bool made = s->rows && s->ints && s->raw[0];
  if (made && row_cache_size(p)) {
    s->cache = os_aligned(row_cache_size(p));
    made = s->cache != NULL;
    if (made) row_cache_init(s->cache, p);
  }
  if (!made) {
    preprocess_scratch_free(s);
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for preprocessing");
  }
  for (int i = 1; i < 3; i++) s->raw[i] = s->raw[i - 1] + preprocess_raw_size(p);
  return SIXER_OK;
}

void preprocess_scratch_free(preprocess_scratch *s) {
  os_aligned_free(s->rows);
  free(s->ints);
  free(s->raw[0]);
  os_aligned_free(s->cache);
  *s = (preprocess_scratch){0};
}

/* ---- Colors and pooling ---------------------------------------------------------------------------------------- */

static void color_pixels(const preprocess *p, const palette *colors, const uint8_t *restrict screen,
                         uint8_t *restrict raw, int pixels) {
  switch (p->obs) {
    case SIXER_OBS_GRAY:
      /* pixels come in runs, so eight equal ones are written at once */
      for (int i = 0; i < pixels; i += 8) {
        uint64_t eight, first = screen[i] * 0x0101010101010101u;
        memcpy(&eight, screen + i, sizeof eight);
        if (eight == first) {
          eight = colors->gray[screen[i]] * 0x0101010101010101u;
          memcpy(raw + i, &eight, sizeof eight);
        } else {
          for (int k = i; k < i + 8; k++) raw[k] = colors->gray[screen[k]];
        }
      }
      break;
    case SIXER_OBS_RGB:
      for (int i = 0; i < pixels; i++) {
        uint32_t color = colors->rgb[screen[i]];
        raw[3 * i] = (uint8_t)(color >> 16);
        raw[3 * i + 1] = (uint8_t)(color >> 8);
        raw[3 * i + 2] = (uint8_t)color;
      }
      break;
    case SIXER_OBS_PALETTE: memcpy(raw, screen, (size_t)pixels); break;
    case SIXER_OBS_RAM: assert(!"RAM has no colors"); break;
  }
}

void preprocess_color(const preprocess *p, const palette *colors, const uint8_t *screen,
                      uint8_t *raw) {
  color_pixels(p, colors, screen, raw, p->source_height * SCREEN_WIDTH);
}

static void pool_bytes(sixer_pool pool, uint8_t *restrict raw, const uint8_t *restrict other,
                       size_t size) {
  if (pool == SIXER_POOL_MAX) {
    for (size_t i = 0; i < size; i++) raw[i] = raw[i] > other[i] ? raw[i] : other[i];
  } else if (pool == SIXER_POOL_MEAN) {
    for (size_t i = 0; i < size; i++) raw[i] = (uint8_t)((raw[i] + other[i] + 1) >> 1);
  }
}

void preprocess_pool(const preprocess *p, uint8_t *raw, const uint8_t *other) {
  pool_bytes(p->pool, raw, other, preprocess_raw_size(p));
}

void preprocess_color_row(const preprocess *p, const palette *colors, const uint8_t *first,
                          const uint8_t *second, uint8_t *raw) {
  if (p->avx2 && p->obs == SIXER_OBS_GRAY && avx2_gray_row(p, colors, first, second, raw)) return;
  color_pixels(p, colors, first, raw, SCREEN_WIDTH);
  if (second) {
    uint8_t other[3 * SCREEN_WIDTH];
    color_pixels(p, colors, second, other, SCREEN_WIDTH);
    pool_bytes(p->pool, raw, other, (size_t)(SCREEN_WIDTH * p->channels));
  }
}

/* ---- All of it ------------------------------------------------------------------------------------------------- */

static bool same_row(const uint8_t *a, const uint8_t *b) { return !memcmp(a, b, SCREEN_WIDTH); }

/* Colors and pooling alone, to a picture of the same size. */
static void run_color(const preprocess *p, const palette *colors, const machine_rows *first,
                      const machine_rows *second, uint8_t *out) {
  const size_t row = (size_t)(SCREEN_WIDTH * p->channels);
  const uint8_t *above_a = NULL, *above_b = NULL;
  for (int y = 0; y < p->source_height; y++, out += row) {
    const uint8_t *a = machine_row(first, y), *b = second ? machine_row(second, y) : NULL;
    if (y && same_row(a, above_a) && (!b || same_row(b, above_b)))
      memcpy(out, out - row, row);
    else
      preprocess_color_row(p, colors, a, b && !same_row(a, b) ? b : NULL, out);
    above_a = a;
    above_b = b;
  }
}

void preprocess_run(const preprocess *p, preprocess_scratch *s, const palette *colors,
                    const machine_rows *first, const machine_rows *second, uint8_t *out) {
  if (p->resize == RESIZE_NONE) {
    run_color(p, colors, first, second, out);
  } else if (p->resize == RESIZE_AREA && p->y->most <= ROW_CACHE_SUMMANDS) {
    row_cache_run(p, s, colors, first, second, out);
  } else {
    run_color(p, colors, first, second, s->raw[0]);
    preprocess_resize(p, s, s->raw[0], out);
  }
}
