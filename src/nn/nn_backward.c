/* The backward pass of the fast engine, with or without the optimizer's step inside it.
 *
 * With the step inside, the weights of a layer change while the layer is worked on. That is safe: convolutions read
 * copies that were transposed before, and an item of a dense layer owns a block of inputs, of which it computes the
 * derivatives before it changes the weights. */
#include <math.h>
#include <string.h>

#include "nn/nn_fast.h"

/* A finished piece of the gradient: `count` floats that belong at `offset` of a block. The next one belongs `next`
 * floats further on; 0: not known. */
static void finish_before(const fast_pass *p, const float *gradient, size_t offset, size_t count,
                          ptrdiff_t next) {
  if (p->step)
    p->f->kernels->step(p->step, p->weights + offset, p->first + offset, p->second + offset,
                        gradient, count, next);
}

static void finish(const fast_pass *p, const float *gradient, size_t offset, size_t count) {
  finish_before(p, gradient, offset, count, 0);
}

/* ---- Dense layers ---------------------------------------------------------------------------------------------- */

/* One layer, or two that share their inputs (the streams). */
typedef struct dense_call {
  fast_pass *pass;
  int count;
  const nn_matrix *m[2];
  const float *dy[2], *columns[2]; /* [rows][outputs], and panels of 16 rows */
  size_t dy_row[2];
  const float *x;
  size_t x_row;
  float *dx; /* NULL: not wanted */
  size_t dx_row;
  bool masked;       /* the inputs came through a ReLU */
  float *dx_columns; /* NULL: not wanted */
} dense_call;

/* The derivatives by inputs k..k+count-1, for the rows from `begin` on: one chain through all outputs of all layers.
 * Here the weights are broadcast and vectors run over rows, so the weights need no transposed copy. */
static void dense_dx(const dense_call *d, int k, int count, int begin, int rows,
                     fast_scratch *scratch) {
  fast *f = d->pass->f;
  const float *block = d->pass->block;
  int row_panels = (rows + NN_PANEL - 1) / NN_PANEL;
  bool started = false;
  for (int i = 0; i < d->count; i++) {
    const nn_matrix *m = d->m[i];
    const float *noise = fast_noise(d->pass, m);
    for (int first = 0; first < fast_panels(m); first += FAST_BACK_PANELS) {
      int panels = fast_min(FAST_BACK_PANELS, fast_panels(m) - first);
      size_t place = ((size_t)first * (size_t)m->k + (size_t)k) * NN_PANEL;
      const float *a = block + m->weight + place;
      ptrdiff_t a_panel = (ptrdiff_t)m->k * NN_PANEL;
      for (int p = 0; noise && p < panels; p++) {
        size_t at = place + (size_t)p * (size_t)m->k * NN_PANEL;
        f->kernels->compose(block + m->weight + at, block + m->sigma_weight + at,
                            noise + m->noise_in + k,
                            noise + m->noise_out + (size_t)(first + p) * NN_PANEL, count,
                            scratch->weights + (ptrdiff_t)p * FAST_BACK_K * NN_PANEL);
      }
      if (noise) a = scratch->weights, a_panel = (ptrdiff_t)FAST_BACK_K * NN_PANEL;
      ptrdiff_t a_outer[FAST_BACK_PANELS], b_outer[FAST_BACK_PANELS];
      for (int p = 0; p < panels; p++) {
        a_outer[p] = p * a_panel;
        b_outer[p] = (ptrdiff_t)p * NN_PANEL * NN_PANEL;
      }
      nn_tile t = {.start = started ? NN_FROM_C : NN_FROM_ZERO,
                   .fetch = noise ? NN_FETCH_NOTHING : NN_FETCH_A,
                   .outer = panels,
                   .inner = NN_PANEL,
                   .a_outer = a_outer,
                   .b_outer = b_outer,
                   .a_inner = 1,
                   .b_inner = NN_PANEL,
                   .a_row = NN_PANEL,
                   .c_row = NN_PANEL,
                   .b_panel = (ptrdiff_t)m->padded * NN_PANEL,
                   .c_panel = (ptrdiff_t)FAST_BACK_K * NN_PANEL};
      f->kernels->tile(
          &t, count, row_panels, a,
          d->columns[i] + ((size_t)begin * (size_t)m->padded + (size_t)first * NN_PANEL * NN_PANEL),
          scratch->transposed);
      started = true;
    }
  }
  /* from columns to rows */
  for (int r = 0; r < rows; r++) {
    float *from =
        scratch->transposed + (ptrdiff_t)(r / NN_PANEL) * FAST_BACK_K * NN_PANEL + r % NN_PANEL;
    const float *x = d->x + (size_t)(begin + r) * d->x_row + k;
    float *to = d->dx + (size_t)(begin + r) * d->dx_row + k;
    f->kernels->turn(from, d->masked ? x : NULL, to, (size_t)count);
    for (int i = 0; d->dx_columns && i < count; i++) from[i * NN_PANEL] = to[i];
  }
  int inputs = d->m[0]->k;
  for (int p = 0; d->dx_columns && p < row_panels; p++)
    memcpy(d->dx_columns + ((size_t)begin * (size_t)inputs +
                            ((size_t)p * (size_t)inputs + (size_t)k) * NN_PANEL),
           scratch->transposed + (ptrdiff_t)p * FAST_BACK_K * NN_PANEL,
           (size_t)count * NN_PANEL * sizeof(float));
}

/* The gradient of sigmas, from that of the means, for `rows` rows of a panel. */
static void finish_sigma(const dense_call *d, const nn_matrix *m, const float *gradient, int panel,
                         int k, int count, ptrdiff_t next, fast_scratch *scratch) {
  const fast_pass *p = d->pass;
  size_t at = m->sigma_weight + ((size_t)panel * (size_t)m->k + (size_t)k) * NN_PANEL;
  size_t floats = (size_t)count * NN_PANEL;
  float *to = p->step ? scratch->gradient_sigma : p->gradients + at;
  if (p->noise)
    p->f->kernels->sigma(gradient, p->noise + m->noise_in + k,
                         p->noise + m->noise_out + (size_t)panel * NN_PANEL, count, to);
  else
    memset(to, 0, floats * sizeof(float));
  finish_before(p, to, at, floats, next);
}

/* The gradients of weights k..k+count-1 of a group of panels. */
static void dense_dw(const dense_call *d, int i, int first, int k, int count,
                     fast_scratch *scratch) {
  const fast_pass *p = d->pass;
  const nn_matrix *m = d->m[i];
  const ptrdiff_t zero = 0;
  int panels = fast_min(FAST_BACK_PANELS, fast_panels(m) - first);
  size_t at = m->weight + ((size_t)first * (size_t)m->k + (size_t)k) * NN_PANEL;
  ptrdiff_t panel = (ptrdiff_t)(p->step ? FAST_BACK_K : m->k) * NN_PANEL;
  float *gradient = p->step ? scratch->gradient : p->gradients + at;
  for (int begin = 0; begin < p->rows; begin += FAST_ROWS) {
    nn_tile t = {.start = begin ? NN_FROM_C : NN_FROM_ZERO,
                 .outer = 1,
                 .inner = fast_min(FAST_ROWS, p->rows - begin),
                 .a_outer = &zero,
                 .b_outer = &zero,
                 .a_inner = (ptrdiff_t)d->x_row,
                 .b_inner = (ptrdiff_t)d->dy_row[i],
                 .a_row = 1,
                 .c_row = NN_PANEL,
                 .b_panel = NN_PANEL,
                 .c_panel = panel};
    p->f->kernels->tile(&t, count, panels, d->x + (size_t)begin * d->x_row + k,
                        d->dy[i] + (size_t)begin * d->dy_row[i] + (size_t)first * NN_PANEL,
                        gradient);
  }
  for (int j = 0; j < panels; j++) {
    /* the same inputs of the next panel come next */
    ptrdiff_t next = first + j + 1 < fast_panels(m) ? (ptrdiff_t)m->k * NN_PANEL : 0;
    if (m->noisy) finish_sigma(d, m, gradient + j * panel, first + j, k, count, next, scratch);
    finish_before(p, gradient + j * panel, at + (size_t)j * (size_t)m->k * NN_PANEL,
                  (size_t)count * NN_PANEL, next);
  }
}

static void dense_bias(const dense_call *d, int i) {
  const fast_pass *p = d->pass;
  const nn_matrix *m = d->m[i];
  size_t count = (size_t)m->padded;
  float *gradient = p->gradients + m->bias;
  memset(gradient, 0, count * sizeof(float));
  p->f->kernels->add_rows(d->dy[i], (ptrdiff_t)d->dy_row[i], p->rows, m->padded, gradient);
  if (m->noisy) {
    float *sigma = p->gradients + m->sigma_bias;
    for (size_t n = 0; n < count; n++)
      sigma[n] = p->noise && n < (size_t)m->n ? gradient[n] * p->noise[m->noise_out + n] : 0;
    finish(p, sigma, m->sigma_bias, count);
  }
  finish(p, gradient, m->bias, count);
}

/* Items: the biases, then blocks of inputs. */
static void dense_item(void *context, int item, int thread) {
  const dense_call *d = context;
  fast_scratch *scratch = &d->pass->f->scratch[thread];
  if (item < d->count) {
    dense_bias(d, item);
    return;
  }
  int k = (item - d->count) * FAST_BACK_K, count = fast_min(FAST_BACK_K, d->m[0]->k - k);
  for (int begin = 0; begin < d->pass->rows; begin += FAST_ROWS)
    dense_dx(d, k, count, begin, fast_min(FAST_ROWS, d->pass->rows - begin), scratch);
  for (int i = 0; i < d->count; i++)
    for (int first = 0; first < fast_panels(d->m[i]); first += FAST_BACK_PANELS)
      dense_dw(d, i, first, k, count, scratch);
}

static void dense_backward(dense_call *d) {
  int blocks = (d->m[0]->k + FAST_BACK_K - 1) / FAST_BACK_K;
  pool_run(d->pass->f->pool, dense_item, d, d->count + blocks);
}

/* The embedding: few inputs, many outputs, no derivatives by the inputs. */
static void embedding_item(void *context, int item, int thread) {
  const dense_call *d = context;
  if (item == 0) {
    dense_bias(d, 0);
    return;
  }
  for (int k = 0; k < d->m[0]->k; k += FAST_BACK_K)
    dense_dw(d, 0, (item - 1) * FAST_BACK_PANELS, k, fast_min(FAST_BACK_K, d->m[0]->k - k),
             &d->pass->f->scratch[thread]);
}

/* ---- LayerNorm ------------------------------------------------------------------------------------------------- */

static void clear_affine(const fast_pass *p, const nn_affine *affine) {
  memset(p->gradients + affine->scale, 0, (size_t)affine->size * sizeof(float));
  memset(p->gradients + affine->shift, 0, (size_t)affine->size * sizeof(float));
}

static void finish_affine(const fast_pass *p, const nn_affine *affine) {
  finish(p, p->gradients + affine->scale, affine->scale, (size_t)affine->size);
  finish(p, p->gradients + affine->shift, affine->shift, (size_t)affine->size);
}

typedef struct hidden_norm_call {
  fast_pass *pass;
  int stream;
} hidden_norm_call;

static void hidden_affine_item(void *context, int panel, int thread) {
  (void)thread;
  const hidden_norm_call *c = context;
  const fast_pass *p = c->pass;
  fast *f = p->f;
  const nn_affine *affine = &f->layout->hidden_norm[c->stream];
  size_t at = (size_t)panel * NN_PANEL;
  f->kernels->norm_affine(p->a->hidden_z[c->stream] + at, (ptrdiff_t)f->hidden_row,
                          f->d.hidden[c->stream] + at, (ptrdiff_t)f->hidden_row,
                          p->a->hidden_moments[c->stream], p->rows,
                          p->gradients + affine->scale + at, p->gradients + affine->shift + at);
}

static void hidden_norm_item(void *context, int row, int thread) {
  (void)thread;
  const hidden_norm_call *c = context;
  const fast_pass *p = c->pass;
  fast *f = p->f;
  const nn_affine *affine = &f->layout->hidden_norm[c->stream];
  size_t at = (size_t)row * f->hidden_row, hidden = (size_t)affine->size;
  float *dy = f->d.hidden[c->stream] + at;
  f->kernels->norm_backward(p->a->hidden_z[c->stream] + at, affine->size,
                            p->a->hidden_moments[c->stream] + 2 * row, p->block + affine->scale,
                            dy);
  float *column = f->d_hidden_columns[c->stream] +
                  ((size_t)row / NN_PANEL * hidden * NN_PANEL + (size_t)row % NN_PANEL);
  for (size_t k = 0; k < hidden; k++) column[k * NN_PANEL] = dy[k];
}

static void hidden_norm_backward(fast_pass *p, int stream) {
  const nn_affine *affine = &p->f->layout->hidden_norm[stream];
  hidden_norm_call c = {p, stream};
  clear_affine(p, affine);
  pool_run(p->f->pool, hidden_affine_item, &c, affine->size / NN_PANEL);
  pool_run(p->f->pool, hidden_norm_item, &c, p->rows);
  finish_affine(p, affine);
}

/* A panel of channels; with NN_NORM_LAYER of one position. */
static void conv_affine_item(void *context, int item, int thread) {
  (void)thread;
  const fast_pass *p = context;
  fast *f = p->f;
  const nn_conv_layer *c = &f->layout->conv[p->layer];
  const fast_grid *grid = &f->grid[p->layer + 1];
  const float *z = p->a->conv_z[p->layer], *dy = f->d.conv[p->layer + 1];
  const float *moments = p->a->conv_moments[p->layer];
  float *d_scale = p->gradients + c->norm.scale, *d_shift = p->gradients + c->norm.shift;
  int filters = c->matrix.n, panels = filters / NN_PANEL;
  size_t at = (size_t)(item % panels) * NN_PANEL;
  if (f->layout->spec.norm == NN_NORM_LAYER) {
    int position = item / panels;
    size_t place = (size_t)position * (size_t)filters + at;
    f->kernels->norm_affine(z + place, (ptrdiff_t)c->outputs,
                            dy + f->c_rows[p->layer][position] + at, (ptrdiff_t)grid->sample,
                            moments, p->batch, d_scale + place, d_shift + place);
    return;
  }
  int width = c->out_width;
  for (int b = 0; b < p->batch; b++)
    for (int y = 0; y < c->out_height; y++) {
      size_t position = ((size_t)b * (size_t)c->out_height + (size_t)y) * (size_t)width;
      f->kernels->norm_affine(z + position * (size_t)filters + at, filters,
                              dy + (size_t)b * grid->sample + f->c_rows[p->layer][y * width] + at,
                              filters, moments + 2 * position, width, d_scale + at, d_shift + at);
    }
}

static void conv_norm_item(void *context, int sample, int thread) {
  const fast_pass *p = context;
  fast *f = p->f;
  const nn_conv_layer *c = &f->layout->conv[p->layer];
  const float *z = p->a->conv_z[p->layer] + (size_t)sample * c->outputs;
  const float *scale = p->block + c->norm.scale;
  const ptrdiff_t *rows = f->c_rows[p->layer];
  float *dy = f->d.conv[p->layer + 1] + (size_t)sample * f->grid[p->layer + 1].sample;
  int filters = c->matrix.n, positions = c->out_height * c->out_width;
  size_t groups = c->outputs / (size_t)c->norm.size;
  const float *moments = p->a->conv_moments[p->layer] + 2 * (size_t)sample * groups;
  if (f->layout->spec.norm == NN_NORM_CHANNELS) {
    for (int i = 0; i < positions; i++)
      f->kernels->norm_backward(z + (ptrdiff_t)i * filters, filters, moments + 2 * i, scale,
                                dy + rows[i]);
    return;
  }
  float *dense = f->scratch[thread].y;
  for (int i = 0; i < positions; i++)
    memcpy(dense + (ptrdiff_t)i * filters, dy + rows[i], (size_t)filters * sizeof(float));
  f->kernels->norm_backward(z, c->norm.size, moments, scale, dense);
  for (int i = 0; i < positions; i++)
    memcpy(dy + rows[i], dense + (ptrdiff_t)i * filters, (size_t)filters * sizeof(float));
}

static void conv_norm_backward(fast_pass *p) {
  const nn_conv_layer *c = &p->f->layout->conv[p->layer];
  int panels = c->matrix.n / NN_PANEL;
  if (p->f->layout->spec.norm == NN_NORM_LAYER) panels *= c->out_height * c->out_width;
  clear_affine(p, &c->norm);
  pool_run(p->f->pool, conv_affine_item, p, panels);
  pool_run(p->f->pool, conv_norm_item, p, p->batch);
  finish_affine(p, &c->norm);
}

/* ---- Convolutions ---------------------------------------------------------------------------------------------- */

/* One position of a kernel: weights [inputs / 16][positions][outputs][16] from [outputs / 16][positions,
 * inputs][16]. */
static void turn_item(void *context, int tap, int thread) {
  (void)thread;
  const fast_pass *p = context;
  const nn_conv_layer *c = &p->f->layout->conv[p->layer];
  const nn_matrix *m = &c->matrix;
  int taps = c->kernel * c->kernel;
  const float *w = p->block + m->weight;
  float *turned = p->f->turned[p->layer];
  for (int n0 = 0; n0 < m->n; n0 += NN_PANEL)
    for (int channel = 0; channel < c->channels; channel++) {
      const float *from =
          w + (ptrdiff_t)n0 * m->k + (ptrdiff_t)(tap * c->channels + channel) * NN_PANEL;
      float *to = turned + ((ptrdiff_t)(channel / NN_PANEL * taps + tap) * m->n + n0) * NN_PANEL +
                  channel % NN_PANEL;
      for (int n = 0; n < NN_PANEL; n++) to[n * NN_PANEL] = from[n];
    }
}

/* Gradients of a piece of a layer's weights: units are rows of the kernel of two panels, so that a tile can have both.
 * A piece goes through the samples once, in order: through several at once if they are small, in blocks of rows if they
 * are large, so that chains are long enough to hide their ends and the numbers of a block fit the cache. */
enum { UNIT_PANELS = 2 };
static int conv_pairs(const nn_matrix *m) {
  return (fast_panels(m) + UNIT_PANELS - 1) / UNIT_PANELS;
}

static void conv_dw(const fast_pass *p, int piece, int thread) {
  enum { BLOCK = 100 }; /* positions */
  fast *f = p->f;
  const nn_conv_layer *c = &f->layout->conv[p->layer];
  const nn_matrix *m = &c->matrix;
  const fast_grid *in = &f->grid[p->layer], *out = &f->grid[p->layer + 1];
  int pairs = conv_pairs(m), units = c->kernel * pairs, inner = c->kernel * c->channels;
  int begin = units * piece / p->pieces, end = units * (piece + 1) / p->pieces;
  int rows = fast_min(c->out_height, c->out_width > BLOCK ? 1 : BLOCK / c->out_width);
  /* observations are converted one at a time */
  int samples = p->layer && rows == c->out_height ? BLOCK / (rows * c->out_width) : 1;
  float *gradient = p->gradients + m->weight, *bias = p->gradients + m->bias;
  ptrdiff_t a_outer[BLOCK], b_outer[BLOCK];
  nn_tile t = {.inner = c->out_width,
               .a_outer = a_outer,
               .b_outer = b_outer,
               .a_inner = (ptrdiff_t)c->stride * c->channels,
               .b_inner = m->n,
               .a_row = 1,
               .c_row = NN_PANEL,
               .b_panel = NN_PANEL,
               .c_panel = (ptrdiff_t)m->k * NN_PANEL};
  if (samples < 1) samples = 1;
  if (piece == 0) memset(bias, 0, (size_t)m->padded * sizeof(float));
  for (int b = 0; b < p->batch; b += samples) {
    int count = fast_min(samples, p->batch - b);
    const float *x = f->scratch[thread].conv[0];
    if (p->layer == 0)
      fast_read_observation(f, f->observation_copies[b], f->scratch[thread].conv[0]);
    else
      x = p->a->conv[p->layer] + (size_t)b * in->sample;
    const float *dy = f->d.conv[p->layer + 1] + (size_t)b * out->sample + out->first;
    for (int y = 0; y < c->out_height; y += rows) {
      t.outer = 0;
      for (int i = 0; i < count; i++)
        for (int j = y; j < fast_min(y + rows, c->out_height); j++, t.outer++) {
          a_outer[t.outer] = i * (ptrdiff_t)in->sample + j * c->stride * (ptrdiff_t)in->row;
          b_outer[t.outer] = i * (ptrdiff_t)out->sample + j * (ptrdiff_t)out->row;
        }
      t.start = b == 0 && y == 0 ? NN_FROM_ZERO : NN_FROM_C;
      for (int unit = begin; unit < end; unit++) {
        int ky = unit / pairs, panel = unit % pairs * UNIT_PANELS;
        f->kernels->tile(&t, inner, fast_min(UNIT_PANELS, fast_panels(m) - panel),
                         x + (size_t)ky * in->row, dy + (size_t)panel * NN_PANEL,
                         gradient + ((ptrdiff_t)panel * m->k + (ptrdiff_t)ky * inner) * NN_PANEL);
      }
      for (int i = 0; piece == 0 && i < t.outer; i++)
        f->kernels->add_rows(dy + b_outer[i], m->n, c->out_width, m->n, bias);
    }
  }
  for (int unit = begin; unit < end; unit++) {
    int ky = unit / pairs, first = unit % pairs * UNIT_PANELS;
    for (int panel = first; panel < fast_min(first + UNIT_PANELS, fast_panels(m)); panel++) {
      size_t at = ((size_t)panel * (size_t)m->k + (size_t)ky * (size_t)inner) * NN_PANEL;
      finish(p, gradient + at, m->weight + at, (size_t)inner * NN_PANEL);
    }
  }
  if (piece == 0) finish(p, bias, m->bias, (size_t)m->padded);
}

/* Derivatives by a row of a layer's inputs, for a group of samples. The rows of a tile are samples: at one position
 * of the input they all have the same positions of the kernel, so there is nothing to pad. */
static void conv_dx(const fast_pass *p, int begin, int samples, int row) {
  fast *f = p->f;
  const nn_conv_layer *c = &f->layout->conv[p->layer];
  const nn_matrix *m = &c->matrix;
  const fast_grid *in = &f->grid[p->layer], *out = &f->grid[p->layer + 1];
  ptrdiff_t a_outer[FAST_MAX_TAPS], b_outer[FAST_MAX_TAPS];
  float *dx = f->d.conv[p->layer];
  nn_tile t = {.start = NN_FROM_ZERO,
               .end = NN_END_MASK,
               .inner = m->n,
               .a_outer = a_outer,
               .b_outer = b_outer,
               .a_inner = 1,
               .b_inner = NN_PANEL,
               .a_row = (ptrdiff_t)out->sample,
               .c_row = (ptrdiff_t)in->sample,
               .b_panel = (ptrdiff_t)c->kernel * c->kernel * m->n * NN_PANEL,
               .c_panel = NN_PANEL,
               .mask = ((intptr_t)p->a->conv[p->layer] - (intptr_t)dx) / (intptr_t)sizeof(float)};
  for (int column = 0; column < c->width; column++) {
    t.outer = 0;
    for (int ky = 0; ky < c->kernel; ky++) {
      int y = row + c->before - ky;
      if (y < 0 || y % c->stride || y / c->stride >= c->out_height) continue;
      for (int kx = 0; kx < c->kernel; kx++) {
        int x = column + c->before - kx;
        if (x < 0 || x % c->stride || x / c->stride >= c->out_width) continue;
        a_outer[t.outer] = y / c->stride * (ptrdiff_t)out->row + x / c->stride * m->n;
        b_outer[t.outer++] = (ptrdiff_t)(ky * c->kernel + kx) * m->n * NN_PANEL;
      }
    }
    f->kernels->tile(&t, samples, c->channels / NN_PANEL,
                     f->d.conv[p->layer + 1] + (size_t)begin * out->sample + out->first,
                     f->turned[p->layer],
                     dx + (size_t)begin * in->sample + in->first + (size_t)row * in->row +
                         (size_t)(column * c->channels));
  }
}

/* Items: pieces of the weights, then rows of inputs of groups of samples. */
static void conv_item(void *context, int item, int thread) {
  const fast_pass *p = context;
  const nn_conv_layer *c = &p->f->layout->conv[p->layer];
  if (item < p->pieces) {
    conv_dw(p, item, thread);
    return;
  }
  item -= p->pieces;
  int groups = (p->batch + p->f->kernels->group - 1) / p->f->kernels->group;
  int group = item / c->height, begin = (int)((int64_t)p->batch * group / groups);
  conv_dx(p, begin, (int)((int64_t)p->batch * (group + 1) / groups) - begin, item % c->height);
}

static void conv_backward(fast_pass *p) {
  fast *f = p->f;
  const nn_conv_layer *c = &f->layout->conv[p->layer];
  int units = c->kernel * conv_pairs(&c->matrix);
  int groups = (p->batch + f->kernels->group - 1) / f->kernels->group;
  if (f->layout->spec.norm) conv_norm_backward(p);
  if (p->layer > 0) pool_run(f->pool, turn_item, p, c->kernel * c->kernel);
  p->pieces = f->threads == 1 ? 1 : fast_min(units, 2 * f->threads);
  pool_run(f->pool, conv_item, p, p->pieces + (p->layer > 0 ? groups * c->height : 0));
}

/* ---- Heads, embedding, all ------------------------------------------------------------------------------------- */

static void head_item(void *context, int row, int thread) {
  (void)thread;
  const fast_pass *p = context;
  fast *f = p->f;
  const nn_layout *l = f->layout;
  float *d[2] = {NULL, NULL};
  for (int s = 0; s < l->streams; s++)
    d[s] = f->d.output[s] + (size_t)row * (size_t)l->output[s].padded;
  size_t width = (size_t)l->spec.actions * (size_t)l->spec.atoms;
  nn_head_backward(&l->spec, p->d_outputs + (size_t)row * width, d[0], d[1]);
  for (int s = 0; s < l->streams; s++) {
    size_t outputs = (size_t)l->output[s].padded;
    float *column = f->d_output_columns[s] +
                    ((size_t)row / NN_PANEL * outputs * NN_PANEL + (size_t)row % NN_PANEL);
    for (size_t n = 0; n < outputs; n++) column[n * NN_PANEL] = d[s][n];
  }
}

/* One state: the derivatives of its quantile samples become those of the embedding, in place, and of the trunk. */
static void mix_item(void *context, int state, int thread) {
  (void)thread;
  const fast_pass *p = context;
  fast *f = p->f;
  int convs = f->layout->spec.convs;
  size_t features = (size_t)f->layout->features;
  const float *psi = p->a->conv[convs] + (size_t)state * f->features_row;
  float *d_psi = f->d.conv[convs] + (size_t)state * f->features_row;
  memset(d_psi, 0, features * sizeof(float));
  for (int t = 0; t < p->tau_count; t++) {
    size_t at = (size_t)(state * p->tau_count + t) * f->features_row;
    f->kernels->mix_backward(f->d.mixed + at, p->a->phi + at, psi, f->d.mixed + at, d_psi,
                             features);
  }
  f->kernels->mask(psi, d_psi, features);
}

void fast_backward(fast *f, fast_pass *p) {
  const nn_layout *l = f->layout;
  const nn_spec *spec = &l->spec;
  p->a = &f->kept;
  p->batch = f->batch, p->rows = f->rows;
  p->tau_count = f->rows / f->batch;
  pool_run(f->pool, head_item, p, p->rows);
  for (int s = 0; s < l->streams; s++) {
    dense_call output = {.pass = p,
                         .count = 1,
                         .m = {&l->output[s]},
                         .dy = {f->d.output[s]},
                         .dy_row = {(size_t)l->output[s].padded},
                         .columns = {f->d_output_columns[s]},
                         .x = p->a->hidden[s],
                         .x_row = f->hidden_row,
                         .dx = f->d.hidden[s],
                         .dx_row = f->hidden_row,
                         .masked = true,
                         .dx_columns = spec->norm ? NULL : f->d_hidden_columns[s]};
    dense_backward(&output);
    if (spec->norm) hidden_norm_backward(p, s);
  }
  int trunk = spec->convs;
  dense_call hidden = {.pass = p,
                       .count = l->streams,
                       .m = {&l->hidden[0], &l->hidden[1]},
                       .dy = {f->d.hidden[0], f->d.hidden[1]},
                       .dy_row = {f->hidden_row, f->hidden_row},
                       .columns = {f->d_hidden_columns[0], f->d_hidden_columns[1]},
                       .x = spec->cosines ? p->a->mixed : p->a->conv[trunk],
                       .x_row = f->features_row,
                       .dx = spec->cosines ? f->d.mixed : f->d.conv[trunk],
                       .dx_row = f->features_row,
                       .masked = !spec->cosines};
  dense_backward(&hidden);
  if (spec->cosines) {
    pool_run(f->pool, mix_item, p, p->batch);
    dense_call embedding = {.pass = p,
                            .count = 1,
                            .m = {&l->embedding},
                            .dy = {f->d.mixed},
                            .dy_row = {f->features_row},
                            .x = p->a->cosine,
                            .x_row = f->cosine_row};
    int groups = (fast_panels(&l->embedding) + FAST_BACK_PANELS - 1) / FAST_BACK_PANELS;
    pool_run(f->pool, embedding_item, &embedding, 1 + groups);
  }
  for (p->layer = spec->convs - 1; p->layer >= 0; p->layer--) conv_backward(p);
}
