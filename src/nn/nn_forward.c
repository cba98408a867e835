/* The forward pass of the fast engine. With enough states, an item is one state through all convolutions, so that its
 * activations stay in the cache; with fewer states than threads, layers are split by positions. Dense layers are
 * split by groups of outputs and of rows. */
#include <math.h>
#include <string.h>

#include "nn/nn_fast.h"

/* ---- Observations ---------------------------------------------------------------------------------------------- */

void fast_read_observation(fast *f, const uint8_t *planes, float *x) {
  const nn_spec *spec = &f->layout->spec;
  const nn_conv_layer *c = &f->layout->conv[0];
  size_t area = (size_t)spec->height * (size_t)spec->width;
  size_t channels = (size_t)spec->channels, width = (size_t)spec->width;
  if (channels == 4 && c->padded == c->inputs) {
    f->kernels->convert4(planes, area, area, x);
    return;
  }
  for (size_t y = 0; y < (size_t)spec->height; y++) {
    float *to = x + f->grid[0].first + y * f->grid[0].row;
    if (channels == 4) {
      f->kernels->convert4(planes + y * width, area, width, to);
      continue;
    }
    for (size_t i = 0; i < width; i++)
      for (size_t channel = 0; channel < channels; channel++)
        *to++ = (float)planes[channel * area + y * width + i] * (1.0f / 255);
  }
}

/* ---- Convolutions ---------------------------------------------------------------------------------------------- */

/* Positions begin..end-1 of a layer's output of one sample. With LayerNorm the result is z, else y. */
static void conv_positions(fast *f, int layer, const float *block, const float *x, float *y,
                           float *z, int begin, int end) {
  const nn_conv_layer *c = &f->layout->conv[layer];
  const nn_matrix *m = &c->matrix;
  ptrdiff_t a_outer[NN_MAX_KERNEL], b_outer[NN_MAX_KERNEL];
  int inner = c->kernel * c->channels;
  for (int ky = 0; ky < c->kernel; ky++) {
    a_outer[ky] = ky * (ptrdiff_t)f->grid[layer].row;
    b_outer[ky] = ky * (ptrdiff_t)inner * NN_PANEL;
  }
  nn_tile t = {.start = NN_FROM_BIAS,
               .end = z ? NN_END_PLAIN : NN_END_RELU,
               .outer = c->kernel,
               .inner = inner,
               .a_outer = a_outer,
               .b_outer = b_outer,
               .a_inner = 1,
               .b_inner = NN_PANEL,
               .c_row = m->n,
               .b_panel = (ptrdiff_t)m->k * NN_PANEL,
               .c_panel = NN_PANEL,
               .bias = block + m->bias};
  /* a tile takes so many rows */
  for (; begin < end; begin += FAST_POSITIONS) {
    t.a_rows = f->a_rows[layer] + begin;
    t.c_rows = z ? NULL : f->c_rows[layer] + begin;
    f->kernels->tile(&t, fast_min(FAST_POSITIONS, end - begin), fast_panels(m), x,
                     block + m->weight, z ? z + (ptrdiff_t)begin * m->n : y);
  }
}

/* LayerNorm and ReLU of a sample. */
static void conv_norm(fast *f, int layer, const float *block, const float *z, float *moments,
                      float *y, fast_scratch *scratch) {
  const nn_conv_layer *c = &f->layout->conv[layer];
  const float *scale = block + c->norm.scale, *shift = block + c->norm.shift;
  float epsilon = f->layout->spec.norm_epsilon;
  int filters = c->matrix.n, positions = c->out_height * c->out_width;
  const ptrdiff_t *to = f->c_rows[layer];
  if (f->layout->spec.norm == NN_NORM_CHANNELS) {
    for (int p = 0; p < positions; p++)
      f->kernels->norm(z + (ptrdiff_t)p * filters, filters, epsilon, scale, shift, moments + 2 * p,
                       y + to[p]);
    return;
  }
  f->kernels->norm(z, c->norm.size, epsilon, scale, shift, moments, scratch->y);
  for (int p = 0; p < positions; p++)
    memcpy(y + to[p], scratch->y + (ptrdiff_t)p * filters, (size_t)filters * sizeof(float));
}

/* Where a layer of a sample is: in the activations, or in a thread's memory if the pass is not kept. */
static float *conv_memory(const fast_pass *p, const fast_scratch *scratch, int layer, int sample) {
  fast *f = p->f;
  if (layer > 0 && (p->keep || layer == f->layout->spec.convs))
    return p->a->conv[layer] + (size_t)sample * f->grid[layer].sample;
  return scratch->conv[layer];
}

static float *z_memory(const fast_pass *p, const fast_scratch *scratch, int layer, int sample) {
  if (!p->f->layout->spec.norm) return NULL;
  if (p->keep) return p->a->conv_z[layer] + (size_t)sample * p->f->layout->conv[layer].outputs;
  return scratch->z;
}

static float *moments_memory(const fast_pass *p, const fast_scratch *scratch, int layer,
                             int sample) {
  const nn_conv_layer *c = &p->f->layout->conv[layer];
  if (!p->keep) return scratch->moments;
  return p->a->conv_moments[layer] + 2 * (size_t)sample * (c->outputs / (size_t)c->norm.size);
}

static void trunk_of_sample(void *context, int sample, int thread) {
  fast_pass *p = context;
  fast *f = p->f;
  fast_scratch *scratch = &f->scratch[thread];
  fast_read_observation(f, p->observations[sample], scratch->conv[0]);
  for (int i = 0; i < f->layout->spec.convs; i++) {
    const nn_conv_layer *c = &f->layout->conv[i];
    float *y = conv_memory(p, scratch, i + 1, sample), *z = z_memory(p, scratch, i, sample);
    conv_positions(f, i, p->block, conv_memory(p, scratch, i, sample), y, z, 0,
                   c->out_height * c->out_width);
    if (z) conv_norm(f, i, p->block, z, moments_memory(p, scratch, i, sample), y, scratch);
  }
}

/* A piece of a layer of the only sample, whose activations are in the memory of thread 0. */
static void trunk_piece(void *context, int piece, int thread) {
  (void)thread;
  fast_pass *p = context;
  fast *f = p->f;
  fast_scratch *scratch = &f->scratch[0];
  const nn_conv_layer *c = &f->layout->conv[p->layer];
  int positions = c->out_height * c->out_width;
  conv_positions(f, p->layer, p->block, conv_memory(p, scratch, p->layer, 0),
                 conv_memory(p, scratch, p->layer + 1, 0), z_memory(p, scratch, p->layer, 0),
                 positions * piece / p->pieces, positions * (piece + 1) / p->pieces);
}

static void trunk_forward(fast_pass *p) {
  fast *f = p->f;
  if (p->batch > 1 || f->threads == 1) {
    pool_run(f->pool, trunk_of_sample, p, p->batch);
    return;
  }
  fast_scratch *scratch = &f->scratch[0];
  fast_read_observation(f, p->observations[0], scratch->conv[0]);
  for (int i = 0; i < f->layout->spec.convs; i++) {
    p->layer = i;
    p->pieces = 2 * f->threads;
    pool_run(f->pool, trunk_piece, p, p->pieces);
    if (f->layout->spec.norm)
      conv_norm(f, i, p->block, z_memory(p, scratch, i, 0), moments_memory(p, scratch, i, 0),
                conv_memory(p, scratch, i + 1, 0), scratch);
  }
}

/* ---- Dense layers ---------------------------------------------------------------------------------------------- */

typedef struct dense_call {
  fast_pass *pass;
  const nn_matrix *m;
  const float *x;
  float *y;
  size_t x_row, y_row;
  int rows, groups; /* groups of panels */
  int end;          /* NN_END_RELU or NN_END_PLAIN */
} dense_call;

/* One group of panels and one block of rows. Inputs come in blocks, so that those of all rows and the weights of the
 * panels stay in the cache; a chain that goes through memory between blocks is the same chain. */
static void dense_item(void *context, int item, int thread) {
  const dense_call *d = context;
  fast *f = d->pass->f;
  const nn_matrix *m = d->m;
  const float *block = d->pass->block, *noise = fast_noise(d->pass, m);
  float *composed = f->scratch[thread].weights;
  int first = item % d->groups * FAST_PANELS, begin = item / d->groups * FAST_ROWS;
  int panels = fast_min(FAST_PANELS, fast_panels(m) - first);
  int rows = fast_min(FAST_ROWS, d->rows - begin);
  const ptrdiff_t zero = 0;
  float bias[FAST_PANELS * NN_PANEL];
  for (int i = 0; i < panels * NN_PANEL; i++) {
    size_t n = (size_t)(first * NN_PANEL + i);
    bias[i] = block[m->bias + n];
    if (noise) bias[i] = fmaf(block[m->sigma_bias + n], noise[m->noise_out + n], bias[i]);
  }
  int step = noise ? FAST_NOISY_K : rows == 1 ? m->k : FAST_K;
  for (int k = 0; k < m->k; k += step) {
    int count = fast_min(step, m->k - k);
    size_t place = ((size_t)first * (size_t)m->k + (size_t)k) * NN_PANEL;
    const float *b = block + m->weight + place;
    ptrdiff_t b_panel = (ptrdiff_t)m->k * NN_PANEL;
    for (int p = 0; noise && p < panels; p++) {
      size_t at = place + (size_t)p * (size_t)m->k * NN_PANEL;
      f->kernels->compose(block + m->weight + at, block + m->sigma_weight + at,
                          noise + m->noise_in + k,
                          noise + m->noise_out + (size_t)(first + p) * NN_PANEL, count,
                          composed + (ptrdiff_t)p * FAST_NOISY_K * NN_PANEL);
    }
    if (noise) b = composed, b_panel = (ptrdiff_t)FAST_NOISY_K * NN_PANEL;
    nn_tile t = {.start = k ? NN_FROM_C : NN_FROM_BIAS,
                 .end = k + count == m->k ? d->end : NN_END_PLAIN,
                 .fetch = noise ? NN_FETCH_NOTHING : NN_FETCH_B,
                 .outer = 1,
                 .inner = count,
                 .a_outer = &zero,
                 .b_outer = &zero,
                 .a_inner = 1,
                 .b_inner = NN_PANEL,
                 .a_row = (ptrdiff_t)d->x_row,
                 .c_row = (ptrdiff_t)d->y_row,
                 .b_panel = b_panel,
                 .c_panel = NN_PANEL,
                 .bias = bias};
    f->kernels->tile(&t, rows, panels, d->x + (size_t)begin * d->x_row + k, b,
                     d->y + (size_t)begin * d->y_row + (size_t)first * NN_PANEL);
  }
}

static void dense_forward(fast_pass *p, const nn_matrix *m, const float *x, size_t x_row, float *y,
                          size_t y_row, int end) {
  dense_call d = {.pass = p,
                  .m = m,
                  .x = x,
                  .y = y,
                  .x_row = x_row,
                  .y_row = y_row,
                  .rows = p->rows,
                  .groups = (fast_panels(m) + FAST_PANELS - 1) / FAST_PANELS,
                  .end = end};
  pool_run(p->f->pool, dense_item, &d, d.groups * ((p->rows + FAST_ROWS - 1) / FAST_ROWS));
}

/* ---- Quantile embedding, heads --------------------------------------------------------------------------------- */

static void mix_row(void *context, int row, int thread) {
  (void)thread;
  fast_pass *p = context;
  fast *f = p->f;
  size_t at = (size_t)row * f->features_row;
  const float *psi =
      p->a->conv[f->layout->spec.convs] + (size_t)(row / p->tau_count) * f->features_row;
  f->kernels->multiply(p->a->phi + at, psi, p->a->mixed + at, (size_t)f->layout->features);
}

typedef struct norm_call {
  fast_pass *pass;
  int stream;
} norm_call;

static void norm_row(void *context, int row, int thread) {
  (void)thread;
  const norm_call *n = context;
  fast *f = n->pass->f;
  const nn_affine *affine = &f->layout->hidden_norm[n->stream];
  const float *block = n->pass->block;
  size_t at = (size_t)row * f->hidden_row;
  f->kernels->norm(n->pass->a->hidden_z[n->stream] + at, affine->size, f->layout->spec.norm_epsilon,
                   block + affine->scale, block + affine->shift,
                   n->pass->a->hidden_moments[n->stream] + 2 * row,
                   n->pass->a->hidden[n->stream] + at);
}

void fast_forward(nn_engine *engine, const float *block, const float *noise,
                  const uint8_t *const *observations, int batch, const float *taus, int tau_count,
                  float *outputs, bool keep) {
  fast *f = (fast *)engine;
  const nn_layout *l = f->layout;
  const nn_spec *spec = &l->spec;
  fast_pass pass = {.f = f,
                    .block = block,
                    .noise = noise,
                    .observations = observations,
                    .batch = batch,
                    .rows = batch * (spec->cosines ? tau_count : 1),
                    .tau_count = tau_count,
                    .keep = keep,
                    .a = keep ? &f->kept : &f->other};
  if (keep) {
    f->batch = batch, f->rows = pass.rows;
    memcpy(f->observation_copies, observations, (size_t)batch * sizeof *observations);
  }
  trunk_forward(&pass);
  fast_activations *a = pass.a;
  const float *x = a->conv[spec->convs];
  if (spec->cosines) {
    nn_cosines(taus, (size_t)pass.rows, spec->cosines, f->cosine_row, a->cosine);
    dense_forward(&pass, &l->embedding, a->cosine, f->cosine_row, a->phi, f->features_row,
                  NN_END_RELU);
    pool_run(f->pool, mix_row, &pass, pass.rows);
    x = a->mixed;
  }
  for (int s = 0; s < l->streams; s++) {
    dense_forward(&pass, &l->hidden[s], x, f->features_row,
                  spec->norm ? a->hidden_z[s] : a->hidden[s], f->hidden_row,
                  spec->norm ? NN_END_PLAIN : NN_END_RELU);
    norm_call n = {&pass, s};
    if (spec->norm) pool_run(f->pool, norm_row, &n, pass.rows);
  }
  for (int s = 0; s < l->streams; s++)
    dense_forward(&pass, &l->output[s], a->hidden[s], f->hidden_row, a->output[s],
                  (size_t)l->output[s].padded, NN_END_PLAIN);
  size_t width = (size_t)spec->actions * (size_t)spec->atoms;
  for (size_t i = 0; i < (size_t)pass.rows; i++)
    nn_head_forward(spec, a->output[0] + i * (size_t)l->output[0].padded,
                    l->streams == 2 ? a->output[1] + i * (size_t)l->output[1].padded : NULL,
                    outputs + i * width);
}
