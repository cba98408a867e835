/* Resizing of pictures: area averages to smaller sizes, interpolation to larger ones. docs/vectors.md has the
 * arithmetic, which is that of the reference; every product and sum is rounded to float32 by itself. This is the plain
 * way, which looks at every pixel; row_cache.c does the same with cached rows, and the tests compare the two. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "env/preprocess_avx2.h"
#include "env/preprocess_parts.h"

/* Vectors of floats: element by element IEEE arithmetic, on any processor. */
typedef float floats __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t ints __attribute__((vector_size(LANES * sizeof(int32_t))));
_Static_assert(FLT_EVAL_METHOD == 0, "float arithmetic must round to float after every operation");

/* ---- Tables ---------------------------------------------------------------------------------------------------- */

static bool equal_weights(const resize_axis *a, int d, int other) {
  int count = a->first[d + 1] - a->first[d];
  if (a->first[other + 1] - a->first[other] != count) return false;
  for (int i = 0; i < count; i++) {
    if (a->entries[a->first[d] + i].weight != a->entries[a->first[other] + i].weight) return false;
  }
  return true;
}

static void fill_area(resize_axis *a) {
  double inverse = (double)a->count / a->source, scale = 1.0 / inverse;
  int at = 0;
  for (int d = 0; d < a->count; d++) {
    double f1 = d * scale, f2 = f1 + scale, cell = fmin(scale, a->source - f1);
    int s1 = (int)ceil(f1), s2 = (int)floor(f2);
    if (s2 > a->source - 1) s2 = a->source - 1;
    if (s1 > s2) s1 = s2;
    a->first[d] = at;
    if (s1 - f1 > 1e-3) a->entries[at++] = (resize_entry){s1 - 1, (float)((s1 - f1) / cell)};
    for (int s = s1; s < s2; s++) a->entries[at++] = (resize_entry){s, (float)(1.0 / cell)};
    if (f2 - s2 > 1e-3)
      a->entries[at++] = (resize_entry){s2, (float)(fmin(fmin(f2 - s2, 1.0), cell) / cell)};
  }
  a->first[a->count] = at;
  for (int d = 0; d < a->count; d++) {
    int count = a->first[d + 1] - a->first[d];
    if (count > a->most) a->most = count;
    a->from[d] = a->entries[a->first[d]].source;
    for (int i = 0; i < count && i < 3; i++)
      a->three[i * a->padded + d] = a->entries[a->first[d] + i].weight;
    int other = 0;
    while (!equal_weights(a, d, other)) other++;
    a->pattern[d] = other;
  }
  for (int d = 0; d < a->padded; d++)
    a->pick[d] = AREA_PICK + (d < a->count ? a->from[d] - a->from[d / 4 * 4] : 0);
}

void resize_axis_interpolate(resize_axis *a) {
  double inverse = (double)a->count / a->source, scale = 1.0 / inverse;
  for (int d = 0; d < a->count; d++) {
    int s = (int)floor(d * scale);
    float f = (float)((d + 1) - (s + 1) * inverse);
    f = f <= 0 ? 0 : f - floorf(f);
    if (s >= a->source - 1) s = a->source - 1, f = 0;
    a->low[d] = s;
    a->high[d] = s + 1 < a->source ? s + 1 : a->source - 1;
    a->weight_low[d] = (int32_t)rintf((1.0f - f) * 2048);
    a->weight_high[d] = (int32_t)rintf(f * 2048);
  }
}

void resize_axis_bilinear(resize_axis *a) {
  double scale = 1.0 / ((double)a->count / a->source);
  for (int d = 0; d < a->count; d++) {
    float f = (float)((d + 0.5) * scale - 0.5);
    int s = (int)floorf(f);
    f -= (float)s;
    if (s < 0) s = 0, f = 0;
    if (s >= a->source - 1) s = a->source - 1, f = 0;
    a->low[d] = s;
    a->high[d] = s + 1 < a->source ? s + 1 : a->source - 1;
    a->weight_low[d] = (int32_t)rintf((1.0f - f) * 2048);
    a->weight_high[d] = (int32_t)rintf(f * 2048);
  }
}

void resize_axis_free(resize_axis *a) {
  if (!a) return;
  free(a->first);
  free(a->pattern);
  free(a->entries);
  free(a->three);
  free(a->from);
  free(a->low);
  free(a);
}

resize_axis *resize_axis_make(int source, int count) {
  resize_axis *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  a->source = source;
  a->count = count;
  a->first = calloc((size_t)count + 1, sizeof *a->first);
  a->pattern = calloc((size_t)count, sizeof *a->pattern);
  a->entries = calloc((size_t)source + 2 * (size_t)count, sizeof *a->entries);
  a->padded = (count + LANES - 1) / LANES * LANES;
  a->three = calloc(3 * (size_t)a->padded, sizeof *a->three);
  a->from = calloc(2 * (size_t)a->padded, sizeof *a->from);
  a->low = calloc(4 * (size_t)count, sizeof *a->low);
  if (!a->first || !a->pattern || !a->entries || !a->three || !a->from || !a->low) {
    resize_axis_free(a);
    return NULL;
  }
  a->pick = a->from + a->padded;
  a->high = a->low + count;
  a->weight_low = a->high + count;
  a->weight_high = a->weight_low + count;
  double scale = 1.0 / ((double)count / source), rounded = rint(scale);
  a->box = fabs(scale - rounded) < DBL_EPSILON ? (int)rounded : 0;
  if (count <= source)
    fill_area(a);
  else
    resize_axis_interpolate(a);
  return a;
}

size_t resize_axis_memory(const resize_axis *a) {
  if (!a) return 0;
  size_t n = (size_t)a->count;
  return sizeof *a + (2 * n + 1) * sizeof *a->first +
         (3 * sizeof *a->three + 2 * sizeof *a->from) * (size_t)a->padded + 4 * n * sizeof *a->low +
         ((size_t)a->source + 2 * n) * sizeof *a->entries;
}

/* ---- Rows ------------------------------------------------------------------------------------------------------ */

/* To the nearest integer, halves to the even one, as rintf() does but several at once: a float from 2^23 on has no
 * fraction. */
static uint8_t saturate(float value) {
  const float shift = 0x1.8p23f;
  float rounded = value + shift - shift;
  return rounded < 0 ? 0 : rounded > 255 ? 255 : (uint8_t)rounded;
}

void resize_area_row(const preprocess *p, const uint8_t *restrict source, float *restrict sums) {
  const resize_axis *x = p->x;
  int channels = p->channels;
  float pixels[3 * (SCREEN_WIDTH + 3)];
  int size = SCREEN_WIDTH * channels;
  for (int i = 0; i < size; i++) pixels[i] = source[i];
  if (x->most > 3) {
    for (int d = 0; d < x->count; d++) {
      for (int c = 0; c < channels; c++) {
        float sum = 0;
        for (int e = x->first[d]; e < x->first[d + 1]; e++)
          sum += pixels[x->entries[e].source * channels + c] * x->entries[e].weight;
        *sums++ = sum;
      }
    }
    return;
  }
  /* three pixels for every sum: a weight of 0 adds exactly nothing */
  for (int i = size; i < size + 3 * channels; i++) pixels[i] = 0;
  const float *w0 = x->three, *w1 = w0 + x->padded, *w2 = w1 + x->padded;
  for (int d = 0; d < x->count; d++) {
    const float *from = pixels + x->from[d] * channels;
    for (int c = 0; c < channels; c++) {
      float sum = from[c] * w0[d];
      sum += from[channels + c] * w1[d];
      sum += from[2 * channels + c] * w2[d];
      *sums++ = sum;
    }
  }
}

void resize_add_rows(const preprocess *p, int d, const float *const *sums, uint8_t *out) {
  const resize_entry *entries = p->y->entries + p->y->first[d];
  int count = p->y->first[d + 1] - p->y->first[d], row = p->width * p->channels;
  for (int i = 0; i < row; i += LANES) {
    floats sum = *(const floats *)(sums[0] + i) * entries[0].weight;
    for (int e = 1; e < count; e++) sum += *(const floats *)(sums[e] + i) * entries[e].weight;
    /* the same rounding; the integer is in the low bits */
    ints rounded = (ints)(sum + 0x1.8p23f);
    int last = row - i < LANES ? row - i : LANES;
    for (int k = 0; k < last; k++) {
      int value = rounded[k] - 0x4B400000;
      out[i + k] = (uint8_t)(value > 255 ? 255 : value);
    }
  }
}

/* ---- Pictures -------------------------------------------------------------------------------------------------- */

static void resize_area(const preprocess *p, preprocess_scratch *s, const uint8_t *raw,
                        uint8_t *out) {
  size_t source_row = (size_t)SCREEN_WIDTH * (size_t)p->channels, stride = resize_stride(p);
  const float *sums[SCREEN_MAX_LINES];
  for (int y = 0; y < p->source_height; y++) {
    resize_area_row(p, raw + (size_t)y * source_row, s->rows + (size_t)y * stride);
    sums[y] = s->rows + (size_t)y * stride;
  }
  for (int d = 0; d < p->height; d++)
    resize_add_rows(p, d, sums + resize_first_source(p, d),
                    out + (size_t)d * (size_t)(p->width * p->channels));
}

static void resize_box(const preprocess *p, const uint8_t *raw, uint8_t *out) {
  int bx = p->x->box, by = p->y->box, channels = p->channels;
  bool four = bx == 2 && by == 2;
  float part = 1.0f / (float)(bx * by);
  for (int y = 0; y < p->height; y++) {
    for (int x = 0; x < p->width; x++) {
      for (int c = 0; c < channels; c++) {
        int sum = 0;
        for (int j = 0; j < by; j++) {
          for (int i = 0; i < bx; i++)
            sum += raw[((y * by + j) * SCREEN_WIDTH + x * bx + i) * channels + c];
        }
        *out++ = four ? (uint8_t)((sum + 2) >> 2) : saturate((float)sum * part);
      }
    }
  }
}

static void resize_linear(const preprocess *p, preprocess_scratch *s, const uint8_t *raw,
                          uint8_t *out) {
  int channels = p->channels, row = p->width * channels;
  const resize_axis *ax = p->x, *ay = p->y;
  for (int y = 0; y < p->source_height; y++) {
    const uint8_t *source = raw + y * SCREEN_WIDTH * channels;
    int32_t *h = s->ints + (size_t)y * (size_t)row;
    for (int x = 0; x < p->width; x++) {
      for (int c = 0; c < channels; c++) {
        *h++ = source[ax->low[x] * channels + c] * ax->weight_low[x] +
               source[ax->high[x] * channels + c] * ax->weight_high[x];
      }
    }
  }
  for (int y = 0; y < p->height; y++) {
    const int32_t *h0 = s->ints + (size_t)ay->low[y] * (size_t)row,
                  *h1 = s->ints + (size_t)ay->high[y] * (size_t)row;
    int32_t w0 = ay->weight_low[y], w1 = ay->weight_high[y];
    for (int i = 0; i < row; i++) {
      int32_t value = (((w0 * (h0[i] >> 4)) >> 16) + ((w1 * (h1[i] >> 4)) >> 16) + 2) >> 2;
      *out++ = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
  }
}

void preprocess_resize(const preprocess *p, preprocess_scratch *s, const uint8_t *raw,
                       uint8_t *out) {
  switch (p->resize) {
    case RESIZE_NONE: memcpy(out, raw, preprocess_raw_size(p)); break;
    case RESIZE_AREA: resize_area(p, s, raw, out); break;
    case RESIZE_BOX: resize_box(p, raw, out); break;
    case RESIZE_LINEAR: resize_linear(p, s, raw, out); break;
  }
}
