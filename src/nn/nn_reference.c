/* The passes as plain loops over their definitions: slow, on one thread, and the authority on what every byte is.
 * The fast engine must give the same. Each output is one chain of fused multiply-adds; the loops below state its
 * order.
 *
 * Activations of a sample are (row, column, channel). In `conv` layer i reads activation i and writes activation i +
 * 1; activation 0 is the observation as floats. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/nn_net.h"
#include "nn/nn_sum.h"

typedef struct activations {
  float *conv[NN_MAX_CONVS + 1];
  float *conv_z[NN_MAX_CONVS]; /* before LayerNorm; only with it */
  float *cosine, *phi;         /* embedding: its inputs and outputs per quantile sample */
  float *mixed; /* inputs of the hidden layers: the last convolution, times phi with an embedding */
  float *hidden[2], *hidden_z[2], *output[2];
} activations;

typedef struct reference {
  nn_engine engine;
  nn_net *net;
  activations kept, other, d; /* d: derivatives by each */
  float *composed;
  int batch, rows; /* of the pass that was kept; rows: states x quantile samples */
} reference;

static bool take_activations(const nn_net *net, activations *a) {
  const nn_layout *l = &net->layout;
  size_t batch = (size_t)net->options.max_batch;
  size_t rows = batch * (size_t)(l->spec.cosines ? net->options.max_taus : 1);
  size_t features = (size_t)l->features, hidden = (size_t)l->spec.hidden;
  bool good = (a->conv[0] = nn_memory(batch * l->conv[0].inputs * sizeof(float))) != NULL;
  for (int i = 0; i < l->spec.convs; i++) {
    good = good && (a->conv[i + 1] = nn_memory(batch * l->conv[i].outputs * sizeof(float)));
    if (l->spec.norm)
      good = good && (a->conv_z[i] = nn_memory(batch * l->conv[i].outputs * sizeof(float)));
  }
  if (l->spec.cosines) {
    good = good && (a->cosine = nn_memory(rows * (size_t)l->spec.cosines * sizeof(float)));
    good = good && (a->phi = nn_memory(rows * features * sizeof(float)));
    good = good && (a->mixed = nn_memory(rows * features * sizeof(float)));
  }
  for (int s = 0; s < l->streams; s++) {
    good = good && (a->hidden[s] = nn_memory(rows * hidden * sizeof(float)));
    if (l->spec.norm) good = good && (a->hidden_z[s] = nn_memory(rows * hidden * sizeof(float)));
    good = good && (a->output[s] = nn_memory(rows * (size_t)l->output[s].n * sizeof(float)));
  }
  return good;
}

static void free_activations(activations *a) {
  for (int i = 0; i <= NN_MAX_CONVS; i++) nn_free(a->conv[i]);
  for (int i = 0; i < NN_MAX_CONVS; i++) nn_free(a->conv_z[i]);
  nn_free(a->cosine), nn_free(a->phi), nn_free(a->mixed);
  for (int s = 0; s < 2; s++) nn_free(a->hidden[s]), nn_free(a->hidden_z[s]), nn_free(a->output[s]);
}

/* ---- Dense layers ---------------------------------------------------------------------------------------------- */

/* y[r][n] = bias[n] + sum over k, in order. */
static void dense_forward(const nn_matrix *m, const float *block, const float *x, int rows,
                          float *y) {
  for (int r = 0; r < rows; r++) {
    for (int n = 0; n < m->n; n++) {
      float sum = block[m->bias + (size_t)n];
      for (int k = 0; k < m->k; k++)
        sum = fmaf(x[(size_t)r * (size_t)m->k + (size_t)k], block[nn_weight(m, k, n)], sum);
      y[(size_t)r * (size_t)m->n + (size_t)n] = sum;
    }
  }
}

/* dx[r][k] = sum over n, in order; `more`: the chain goes on from what dx holds. Outputs are padded to a multiple of
 * 16 with zeros, and the chain goes through them: that can only turn -0 into 0. */
static void dense_backward_x(const nn_matrix *m, const float *block, const float *dy, int rows,
                             float *dx, bool more) {
  for (int r = 0; r < rows; r++) {
    for (int k = 0; k < m->k; k++) {
      float *to = &dx[(size_t)r * (size_t)m->k + (size_t)k];
      float sum = more ? *to : 0;
      for (int n = 0; n < m->n; n++)
        sum = fmaf(dy[(size_t)r * (size_t)m->n + (size_t)n], block[nn_weight(m, k, n)], sum);
      if (m->padded > m->n) sum = fmaf(0, 0, sum);
      *to = sum;
    }
  }
}

/* dw[k][n] and db[n]: sums over rows, in order. The gradient of a sigma is that of its mean, times the noise. */
static void dense_backward_w(const nn_matrix *m, const float *noise, const float *x,
                             const float *dy, int rows, float *gradients) {
  for (int n = 0; n < m->n; n++) {
    for (int k = 0; k < m->k; k++) {
      float sum = 0;
      for (int r = 0; r < rows; r++)
        sum = fmaf(x[(size_t)r * (size_t)m->k + (size_t)k],
                   dy[(size_t)r * (size_t)m->n + (size_t)n], sum);
      gradients[nn_weight(m, k, n)] = sum;
    }
    float sum = 0;
    for (int r = 0; r < rows; r++) sum += dy[(size_t)r * (size_t)m->n + (size_t)n];
    gradients[m->bias + (size_t)n] = sum;
  }
  if (!m->noisy || !noise) return;
  const float *in = noise + m->noise_in, *out = noise + m->noise_out;
  for (int n = 0; n < m->n; n++) {
    for (int k = 0; k < m->k; k++) {
      size_t i = nn_weight(m, k, n);
      gradients[i - m->weight + m->sigma_weight] = gradients[i] * (out[n] * in[k]);
    }
    gradients[m->sigma_bias + (size_t)n] = gradients[m->bias + (size_t)n] * out[n];
  }
}

/* ---- Convolutions ---------------------------------------------------------------------------------------------- */

/* The input with its zeros, at row y and column x of the padded picture. */
static float input_at(const nn_conv_layer *c, const float *x, int row, int column, int channel) {
  row -= c->before, column -= c->before;
  if (row < 0 || column < 0 || row >= c->height || column >= c->width) return 0;
  return x[((size_t)row * (size_t)c->width + (size_t)column) * (size_t)c->channels +
           (size_t)channel];
}

/* y = bias + sum over (row, column, channel) of the kernel. Zeros of the padding are multiplied like other numbers. */
static void conv_forward(const nn_conv_layer *c, const float *block, const float *x, int batch,
                         float *y) {
  const nn_matrix *m = &c->matrix;
  for (int b = 0; b < batch; b++, x += c->inputs)
    for (int oy = 0; oy < c->out_height; oy++)
      for (int ox = 0; ox < c->out_width; ox++)
        for (int n = 0; n < m->n; n++) {
          float sum = block[m->bias + (size_t)n];
          for (int ky = 0, k = 0; ky < c->kernel; ky++)
            for (int kx = 0; kx < c->kernel; kx++)
              for (int channel = 0; channel < c->channels; channel++, k++)
                sum = fmaf(input_at(c, x, oy * c->stride + ky, ox * c->stride + kx, channel),
                           block[nn_weight(m, k, n)], sum);
          *y++ = sum;
        }
}

/* dw = sum over (sample, row, column) of the outputs; db likewise. */
static void conv_backward_w(const nn_conv_layer *c, const float *x, const float *dy, int batch,
                            float *gradients) {
  const nn_matrix *m = &c->matrix;
  for (int n = 0; n < m->n; n++) {
    for (int ky = 0, k = 0; ky < c->kernel; ky++)
      for (int kx = 0; kx < c->kernel; kx++)
        for (int channel = 0; channel < c->channels; channel++, k++) {
          float sum = 0;
          const float *d = dy + n;
          for (int b = 0; b < batch; b++)
            for (int oy = 0; oy < c->out_height; oy++)
              for (int ox = 0; ox < c->out_width; ox++, d += m->n)
                sum = fmaf(input_at(c, x + (size_t)b * c->inputs, oy * c->stride + ky,
                                    ox * c->stride + kx, channel),
                           *d, sum);
          gradients[nn_weight(m, k, n)] = sum;
        }
    float sum = 0;
    size_t positions = (size_t)batch * (size_t)c->out_height * (size_t)c->out_width;
    for (size_t i = 0; i < positions; i++) sum += dy[i * (size_t)m->n + (size_t)n];
    gradients[m->bias + (size_t)n] = sum;
  }
}

/* dx = sum over (row, column of the kernel, filter), of those that reach an output. */
static void conv_backward_x(const nn_conv_layer *c, const float *block, const float *dy, int batch,
                            float *dx) {
  const nn_matrix *m = &c->matrix;
  for (int b = 0; b < batch; b++, dy += c->outputs)
    for (int row = c->before; row < c->before + c->height; row++)
      for (int column = c->before; column < c->before + c->width; column++)
        for (int channel = 0; channel < c->channels; channel++) {
          float sum = 0;
          for (int ky = 0; ky < c->kernel; ky++)
            for (int kx = 0; kx < c->kernel; kx++) {
              int oy = row - ky, ox = column - kx;
              if (oy < 0 || ox < 0 || oy % c->stride || ox % c->stride) continue;
              oy /= c->stride, ox /= c->stride;
              if (oy >= c->out_height || ox >= c->out_width) continue;
              const float *d = dy + ((size_t)oy * (size_t)c->out_width + (size_t)ox) * (size_t)m->n;
              int k = (ky * c->kernel + kx) * c->channels + channel;
              for (int n = 0; n < m->n; n++) sum = fmaf(d[n], block[nn_weight(m, k, n)], sum);
            }
          *dx++ = sum;
        }
}

/* ---- LayerNorm and ReLU ---------------------------------------------------------------------------------------- */

/* Written so that NaN stays NaN: a diverged network must show in its loss. */
static void relu(float *x, size_t count) {
  for (size_t i = 0; i < count; i++) x[i] = 0 > x[i] ? 0 : x[i];
}

static void relu_backward(const float *y, float *dy, size_t count) {
  for (size_t i = 0; i < count; i++) dy[i] = y[i] > 0 ? dy[i] : 0;
}

/* Mean and 1 / standard deviation of a group. */
static void moments(const float *z, int size, float epsilon, float *mean, float *inverse) {
  *mean = nn_sum(z, (size_t)size) / (float)size;
  float variance = 0;
  for (int begin = 0; begin < size; begin += NN_SUM_BLOCK) {
    float deviation[NN_SUM_BLOCK];
    int count = size - begin < NN_SUM_BLOCK ? size - begin : NN_SUM_BLOCK;
    for (int i = 0; i < count; i++) deviation[i] = z[begin + i] - *mean;
    variance += nn_dot_block(deviation, deviation, (size_t)count);
  }
  *inverse = 1 / sqrtf(variance / (float)size + epsilon);
}

static void norm_forward(const nn_affine *a, const float *block, float epsilon, const float *z,
                         size_t groups, float *y) {
  const float *scale = block + a->scale, *shift = block + a->shift;
  for (size_t g = 0; g < groups; g++, z += a->size, y += a->size) {
    float mean, inverse;
    moments(z, a->size, epsilon, &mean, &inverse);
    for (int i = 0; i < a->size; i++) y[i] = fmaf((z[i] - mean) * inverse, scale[i], shift[i]);
  }
}

/* dy becomes dz. With x = (z - mean) inverse and g = dy scale:
 * dz = inverse (g - mean(g) - x mean(g x)). The gradients of scale and shift are sums over the groups, in order. */
static void norm_backward(const nn_affine *a, const float *block, float epsilon, const float *z,
                          size_t groups, float *dy, float *gradients) {
  const float *scale = block + a->scale;
  float *d_scale = gradients + a->scale, *d_shift = gradients + a->shift;
  for (size_t group = 0; group < groups; group++, z += a->size, dy += a->size) {
    float mean, inverse, sum = 0, dot = 0;
    moments(z, a->size, epsilon, &mean, &inverse);
    for (int begin = 0; begin < a->size; begin += NN_SUM_BLOCK) {
      float x[NN_SUM_BLOCK], g[NN_SUM_BLOCK];
      int count = a->size - begin < NN_SUM_BLOCK ? a->size - begin : NN_SUM_BLOCK;
      for (int i = 0; i < count; i++) {
        x[i] = (z[begin + i] - mean) * inverse;
        g[i] = dy[begin + i] * scale[begin + i];
        d_scale[begin + i] = fmaf(dy[begin + i], x[i], d_scale[begin + i]);
        d_shift[begin + i] += dy[begin + i];
      }
      sum += nn_sum_block(g, (size_t)count);
      dot += nn_dot_block(g, x, (size_t)count);
    }
    float mean_g = sum / (float)a->size, mean_gx = dot / (float)a->size;
    for (int i = 0; i < a->size; i++) {
      float x = (z[i] - mean) * inverse;
      dy[i] = inverse * fmaf(-x, mean_gx, dy[i] * scale[i] - mean_g);
    }
  }
}

/* ---- Passes ---------------------------------------------------------------------------------------------------- */

static const float *effective(reference *r, const float *block, const float *noise) {
  if (!noise || r->net->layout.spec.noisy == NN_NOISY_NONE) return block;
  nn_compose(r->net, block, noise, r->composed);
  return r->composed;
}

static void read_observations(const nn_spec *spec, const uint8_t *const *observations, int batch,
                              float *x) {
  size_t area = (size_t)spec->height * (size_t)spec->width;
  for (int b = 0; b < batch; b++)
    for (size_t i = 0; i < area; i++)
      for (int c = 0; c < spec->channels; c++)
        *x++ = (float)observations[b][(size_t)c * area + i] * (1.0f / 255);
}

static void forward(nn_engine *engine, const float *block, const float *noise,
                    const uint8_t *const *observations, int batch, const float *taus, int tau_count,
                    float *outputs, bool keep) {
  reference *r = (reference *)engine;
  const nn_layout *l = &r->net->layout;
  const nn_spec *spec = &l->spec;
  activations *a = keep ? &r->kept : &r->other;
  size_t features = (size_t)l->features;
  int rows = batch * (spec->cosines ? tau_count : 1);
  if (keep) r->batch = batch, r->rows = rows;
  const float *w = effective(r, block, noise);

  read_observations(spec, observations, batch, a->conv[0]);
  for (int i = 0; i < spec->convs; i++) {
    const nn_conv_layer *c = &l->conv[i];
    float *y = a->conv[i + 1];
    size_t count = (size_t)batch * c->outputs;
    conv_forward(c, w, a->conv[i], batch, spec->norm ? a->conv_z[i] : y);
    if (spec->norm)
      norm_forward(&c->norm, w, spec->norm_epsilon, a->conv_z[i], count / (size_t)c->norm.size, y);
    relu(y, count);
  }

  const float *x = a->conv[spec->convs];
  if (spec->cosines) {
    nn_cosines(taus, (size_t)rows, spec->cosines, (size_t)spec->cosines, a->cosine);
    dense_forward(&l->embedding, w, a->cosine, rows, a->phi);
    relu(a->phi, (size_t)rows * features);
    for (size_t i = 0; i < (size_t)rows * features; i++)
      a->mixed[i] = a->phi[i] * x[i / features / (size_t)tau_count * features + i % features];
    x = a->mixed;
  }
  for (int s = 0; s < l->streams; s++) {
    size_t count = (size_t)rows * (size_t)spec->hidden;
    dense_forward(&l->hidden[s], w, x, rows, spec->norm ? a->hidden_z[s] : a->hidden[s]);
    if (spec->norm)
      norm_forward(&l->hidden_norm[s], w, spec->norm_epsilon, a->hidden_z[s], (size_t)rows,
                   a->hidden[s]);
    relu(a->hidden[s], count);
    dense_forward(&l->output[s], w, a->hidden[s], rows, a->output[s]);
  }
  size_t width = (size_t)spec->actions * (size_t)spec->atoms;
  for (size_t i = 0; i < (size_t)rows; i++)
    nn_head_forward(spec, a->output[0] + i * (size_t)l->output[0].n,
                    l->streams == 2 ? a->output[1] + i * width : NULL, outputs + i * width);
}

static void backward(nn_engine *engine, const float *block, const float *noise,
                     const float *d_outputs, float *gradients) {
  reference *r = (reference *)engine;
  const nn_layout *l = &r->net->layout;
  const nn_spec *spec = &l->spec;
  activations *a = &r->kept, *d = &r->d;
  int batch = r->batch, rows = r->rows;
  size_t features = (size_t)l->features, width = (size_t)spec->actions * (size_t)spec->atoms;
  const float *w = effective(r, block, noise);
  memset(gradients, 0, l->floats * sizeof(float));

  for (size_t i = 0; i < (size_t)rows; i++)
    nn_head_backward(spec, d_outputs + i * width, d->output[0] + i * (size_t)l->output[0].n,
                     l->streams == 2 ? d->output[1] + i * width : NULL);
  /* the inputs of the hidden layers: one chain through the value stream, then the advantage stream */
  const float *x = spec->cosines ? a->mixed : a->conv[spec->convs];
  float *dx = spec->cosines ? d->mixed : d->conv[spec->convs];
  for (int s = 0; s < l->streams; s++) {
    float *dh = d->hidden[s];
    dense_backward_w(&l->output[s], noise, a->hidden[s], d->output[s], rows, gradients);
    dense_backward_x(&l->output[s], w, d->output[s], rows, dh, false);
    relu_backward(a->hidden[s], dh, (size_t)rows * (size_t)spec->hidden);
    if (spec->norm)
      norm_backward(&l->hidden_norm[s], w, spec->norm_epsilon, a->hidden_z[s], (size_t)rows, dh,
                    gradients);
    dense_backward_w(&l->hidden[s], noise, x, dh, rows, gradients);
    dense_backward_x(&l->hidden[s], w, dh, rows, dx, s > 0);
  }

  if (spec->cosines) {
    int taus = rows / batch;
    const float *psi = a->conv[spec->convs];
    float *d_psi = d->conv[spec->convs];
    for (size_t b = 0; b < (size_t)batch; b++)
      for (size_t k = 0; k < features; k++) {
        float sum = 0;
        for (size_t t = 0; t < (size_t)taus; t++) {
          size_t i = (b * (size_t)taus + t) * features + k;
          sum = fmaf(dx[i], a->phi[i], sum);
          d->phi[i] = a->phi[i] > 0 ? dx[i] * psi[b * features + k] : 0;
        }
        d_psi[b * features + k] = sum;
      }
    dense_backward_w(&l->embedding, NULL, a->cosine, d->phi, rows, gradients);
  }

  for (int i = spec->convs - 1; i >= 0; i--) {
    const nn_conv_layer *c = &l->conv[i];
    size_t count = (size_t)batch * c->outputs;
    float *dy = d->conv[i + 1];
    relu_backward(a->conv[i + 1], dy, count);
    if (spec->norm)
      norm_backward(&c->norm, w, spec->norm_epsilon, a->conv_z[i], count / (size_t)c->norm.size, dy,
                    gradients);
    conv_backward_w(c, a->conv[i], dy, batch, gradients);
    if (i > 0) conv_backward_x(c, w, dy, batch, d->conv[i]);
  }
}

static void destroy(nn_engine *engine) {
  reference *r = (reference *)engine;
  free_activations(&r->kept);
  free_activations(&r->other);
  free_activations(&r->d);
  nn_free(r->composed);
  free(r);
}

nn_engine *nn_reference_create(nn_net *net) {
  reference *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  *r = (reference){.engine = {destroy, forward, backward, NULL}, .net = net};
  if (take_activations(net, &r->kept) && take_activations(net, &r->other) &&
      take_activations(net, &r->d) && (r->composed = nn_block_create(net)))
    return &r->engine;
  destroy(&r->engine);
  return NULL;
}
