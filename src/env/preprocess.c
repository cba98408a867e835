/* Colors, pooling and resizing of pictures. docs/vectors.md has the arithmetic of the resize. */
#include "env/preprocess.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "env/env.h"

/* One axis of a resize: which source pixels a destination pixel is made of, and their weights. */
typedef struct resize_entry {
  int source;
  float weight;
} resize_entry;

struct resize_axis {
  int source, count; /* sizes */
  int box;           /* source pixels per destination pixel, if all are alike */
  int *first;        /* count + 1 positions in `entries` */
  resize_entry *entries;
  /* enlargement: pixels low[d] and high[d] with weights in 1/2048 */
  int *low, *high;
  int32_t *weight_low, *weight_high;
};

/* ---- Tables ---------------------------------------------------------------------------------------------------- */

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
}

static void fill_linear(resize_axis *a) {
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

static void free_axis(resize_axis *a) {
  if (!a) return;
  free(a->first);
  free(a->entries);
  free(a->low);
  free(a);
}

static resize_axis *make_axis(int source, int count) {
  resize_axis *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  a->source = source;
  a->count = count;
  a->first = calloc((size_t)count + 1, sizeof *a->first);
  a->entries = calloc((size_t)source + 2 * (size_t)count, sizeof *a->entries);
  a->low = calloc(4 * (size_t)count, sizeof *a->low);
  if (!a->first || !a->entries || !a->low) {
    free_axis(a);
    return NULL;
  }
  a->high = a->low + count;
  a->weight_low = a->high + count;
  a->weight_high = a->weight_low + count;
  double scale = 1.0 / ((double)count / source), rounded = rint(scale);
  a->box = fabs(scale - rounded) < DBL_EPSILON ? (int)rounded : 0;
  if (count <= source)
    fill_area(a);
  else
    fill_linear(a);
  return a;
}

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
  if (config->obs == SIXER_OBS_RAM) {
    p->height = 1;
    p->width = 128;
    return SIXER_OK;
  }
  if (p->height == source_height && p->width == SCREEN_WIDTH) return SIXER_OK;
  /* if one axis is enlarged, both are interpolated */
  bool larger = p->height > source_height || p->width > SCREEN_WIDTH;
  p->x = make_axis(SCREEN_WIDTH, p->width);
  p->y = make_axis(source_height, p->height);
  if (!p->x || !p->y) {
    preprocess_free(p);
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for pictures of %d x %d",
                      config->height, config->width);
  }
  if (larger) {
    p->resize = RESIZE_LINEAR;
    fill_linear(p->x);
    fill_linear(p->y);
  } else {
    p->resize = p->x->box && p->y->box ? RESIZE_BOX : RESIZE_AREA;
  }
  return SIXER_OK;
}

void preprocess_free(preprocess *p) {
  free_axis(p->x);
  free_axis(p->y);
  p->x = p->y = NULL;
}

static size_t axis_memory(const resize_axis *a) {
  if (!a) return 0;
  size_t n = (size_t)a->count;
  return sizeof *a + (n + 1) * sizeof *a->first + 4 * n * sizeof *a->low +
         ((size_t)a->source + 2 * n) * sizeof *a->entries;
}

size_t preprocess_memory(const preprocess *p) { return axis_memory(p->x) + axis_memory(p->y); }

size_t preprocess_raw_size(const preprocess *p) {
  return (size_t)p->source_height * SCREEN_WIDTH * (size_t)p->channels;
}

size_t preprocess_out_size(const preprocess *p) {
  return (size_t)p->height * (size_t)p->width * (size_t)p->channels;
}

/* ---- Working memory -------------------------------------------------------------------------------------------- */

/* A row of sums for each source row, and one for the destination. */
static size_t row_count(const preprocess *p) {
  return (size_t)(p->source_height + 1) * (size_t)p->width * (size_t)p->channels;
}

size_t preprocess_scratch_size(const preprocess *p) {
  return row_count(p) * (sizeof(float) + sizeof(int32_t)) + 3 * preprocess_raw_size(p);
}

sixer_err preprocess_scratch_make(preprocess_scratch *s, const preprocess *p, sixer_error *error) {
  *s = (preprocess_scratch){0};
  s->rows = malloc(row_count(p) * sizeof *s->rows);
  s->ints = malloc(row_count(p) * sizeof *s->ints);
  s->raw[0] = malloc(3 * preprocess_raw_size(p));
  if (!s->rows || !s->ints || !s->raw[0]) {
    preprocess_scratch_free(s);
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for preprocessing");
  }
  for (int i = 1; i < 3; i++) s->raw[i] = s->raw[i - 1] + preprocess_raw_size(p);
  return SIXER_OK;
}

void preprocess_scratch_free(preprocess_scratch *s) {
  free(s->rows);
  free(s->ints);
  free(s->raw[0]);
  *s = (preprocess_scratch){0};
}

/* ---- Colors and pooling ---------------------------------------------------------------------------------------- */

static void color_row(const preprocess *p, const palette *colors, const uint8_t *row,
                      uint8_t *raw) {
  if (p->obs == SIXER_OBS_GRAY) {
    for (int x = 0; x < SCREEN_WIDTH; x++) raw[x] = colors->gray[row[x]];
    return;
  }
  for (int x = 0; x < SCREEN_WIDTH; x++, raw += 3) {
    uint32_t color = colors->rgb[row[x]];
    raw[0] = (uint8_t)(color >> 16);
    raw[1] = (uint8_t)(color >> 8);
    raw[2] = (uint8_t)color;
  }
}

void preprocess_color(const preprocess *p, const palette *colors, const uint8_t *screen,
                      uint8_t *raw) {
  if (p->obs == SIXER_OBS_RAM) return;
  if (p->obs == SIXER_OBS_PALETTE) {
    memcpy(raw, screen, (size_t)p->source_height * SCREEN_WIDTH);
    return;
  }
  size_t size = (size_t)SCREEN_WIDTH * (size_t)p->channels;
  for (int y = 0; y < p->source_height; y++, screen += SCREEN_WIDTH, raw += size) {
    if (y > 0 && !memcmp(screen, screen - SCREEN_WIDTH, SCREEN_WIDTH))
      memcpy(raw, raw - size, size);
    else
      color_row(p, colors, screen, raw);
  }
}

void preprocess_pool(const preprocess *p, uint8_t *restrict raw, const uint8_t *restrict other) {
  size_t size = preprocess_raw_size(p);
  if (p->pool == SIXER_POOL_MAX) {
    for (size_t i = 0; i < size; i++) raw[i] = raw[i] > other[i] ? raw[i] : other[i];
  } else if (p->pool == SIXER_POOL_MEAN) {
    for (size_t i = 0; i < size; i++) raw[i] = (uint8_t)((raw[i] + other[i] + 1) >> 1);
  }
}

/* ---- Resizing -------------------------------------------------------------------------------------------------- */

/* To the nearest integer, halves to the even one, as rintf() does; this way several at once. The sum is exact to the
 * integer because a float from 2^23 on has no fraction. */
static uint8_t saturate(float value) {
  const float shift = 0x1.8p23f;
  float rounded = value + shift - shift;
  return rounded < 0 ? 0 : rounded > 255 ? 255 : (uint8_t)rounded;
}

static void area_row(const resize_axis *x, int channels, const uint8_t *source, float *sums) {
  for (int d = 0; d < x->count; d++) {
    for (int c = 0; c < channels; c++) {
      float sum = 0;
      for (int e = x->first[d]; e < x->first[d + 1]; e++)
        sum += (float)source[x->entries[e].source * channels + c] * x->entries[e].weight;
      *sums++ = sum;
    }
  }
}

/* Do two output rows come from the same sums with the same weights? */
static bool same_sources(const resize_axis *y, const float *const *sums, int d, int other) {
  const resize_entry *a = y->entries + y->first[d], *b = y->entries + y->first[other];
  int count = y->first[d + 1] - y->first[d];
  if (y->first[other + 1] - y->first[other] != count) return false;
  for (int i = 0; i < count; i++) {
    if (sums[a[i].source] != sums[b[i].source] || a[i].weight != b[i].weight) return false;
  }
  return true;
}

/* Console pictures have many equal rows, one below the other: their sums are made once, and so are the output rows
 * that come from equal ones. With a scale of 2.5, as usual, weights repeat every two rows. */
static void resize_area(const preprocess *p, preprocess_scratch *s, const uint8_t *raw,
                        uint8_t *out) {
  size_t source_row = (size_t)SCREEN_WIDTH * (size_t)p->channels;
  int row = p->width * p->channels;
  float *next = s->rows, *sum = s->rows + (size_t)p->source_height * (size_t)row;
  const float *sums[SCREEN_MAX_LINES];
  for (int y = 0; y < p->source_height; y++, raw += source_row) {
    if (y > 0 && !memcmp(raw, raw - source_row, source_row)) {
      sums[y] = sums[y - 1];
      continue;
    }
    area_row(p->x, p->channels, raw, next);
    sums[y] = next;
    next += row;
  }
  for (int d = 0; d < p->height; d++, out += row) {
    int like = d >= 2 && same_sources(p->y, sums, d, d - 2)   ? 2
               : d >= 1 && same_sources(p->y, sums, d, d - 1) ? 1
                                                              : 0;
    if (like) {
      memcpy(out, out - like * row, (size_t)row);
      continue;
    }
    const resize_entry *e = p->y->entries + p->y->first[d],
                       *end = p->y->entries + p->y->first[d + 1];
    const float *h = sums[e->source];
    for (int i = 0; i < row; i++) sum[i] = e->weight * h[i];
    for (e++; e < end; e++) {
      h = sums[e->source];
      for (int i = 0; i < row; i++) sum[i] += e->weight * h[i];
    }
    for (int i = 0; i < row; i++) out[i] = saturate(sum[i]);
  }
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

void preprocess_run(const preprocess *p, preprocess_scratch *s, const palette *colors,
                    const uint8_t *first, const uint8_t *second, uint8_t *out) {
  preprocess_color(p, colors, first, s->raw[0]);
  if (second) {
    preprocess_color(p, colors, second, s->raw[1]);
    preprocess_pool(p, s->raw[0], s->raw[1]);
  }
  preprocess_resize(p, s, s->raw[0], out);
}
