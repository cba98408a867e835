/* Shapes, offsets and names: what a spec means in memory and in files (nn_net.h, nn_parameters()). */
#include <stdio.h>
#include <string.h>

#include "nn/nn_net.h"
#include "util/error.h"

nn_spec nn_spec_dqn(int actions) {
  return (nn_spec){.channels = 4,
                   .height = 84,
                   .width = 84,
                   .convs = 3,
                   .conv = {{.filters = 32, .kernel = 8, .stride = 4},
                            {.filters = 64, .kernel = 4, .stride = 2},
                            {.filters = 64, .kernel = 3, .stride = 1}},
                   .norm_epsilon = 1e-6f,
                   .hidden = 512,
                   .actions = actions,
                   .atoms = 1};
}

void nn_same_padding(int size, nn_conv *conv) {
  int outputs = (size + conv->stride - 1) / conv->stride;
  int zeros = (outputs - 1) * conv->stride + conv->kernel - size;
  if (zeros < 0) zeros = 0;
  conv->pad_before = zeros / 2;
  conv->pad_after = zeros - zeros / 2;
}

static int out_size(const nn_conv *c, int size) {
  return (size + c->pad_before + c->pad_after - c->kernel) / c->stride + 1;
}

/* ---- Checking -------------------------------------------------------------------------------------------------- */

static bool in_range(const char *what, int value, int low, int high, sixer_error *error) {
  if (value >= low && value <= high) return true;
  sixer_fail(error, SIXER_ERR_ARGUMENT, "a network's %s must be %d to %d, not %d", what, low, high,
             value);
  return false;
}

static bool is_panels(const char *what, int value, sixer_error *error) {
  if (value % NN_PANEL == 0) return true;
  sixer_fail(error, SIXER_ERR_ARGUMENT, "a network's %s must be a multiple of %d, not %d", what,
             NN_PANEL, value);
  return false;
}

sixer_err nn_check(const nn_spec *s, sixer_error *error) {
  if (!in_range("channels", s->channels, 1, 64, error) ||
      !in_range("height", s->height, 1, 1024, error) ||
      !in_range("width", s->width, 1, 1024, error) ||
      !in_range("convolutions", s->convs, 1, NN_MAX_CONVS, error) ||
      !in_range("hidden units", s->hidden, 1, 8192, error) ||
      !is_panels("hidden units", s->hidden, error) ||
      !in_range("cosines", s->cosines, 0, 1024, error) ||
      !in_range("actions", s->actions, 1, 1024, error) ||
      !in_range("atoms", s->atoms, 1, 1024, error))
    return SIXER_ERR_ARGUMENT;
  int height = s->height, width = s->width;
  for (int i = 0; i < s->convs; i++) {
    const nn_conv *c = &s->conv[i];
    if (!in_range("filters", c->filters, 1, 1024, error) ||
        !is_panels("filters", c->filters, error) ||
        !in_range("kernel size", c->kernel, 1, NN_MAX_KERNEL, error) ||
        !in_range("stride", c->stride, 1, 64, error) ||
        !in_range("padding", c->pad_before, 0, c->kernel - 1, error) ||
        !in_range("padding", c->pad_after, 0, c->kernel - 1, error))
      return SIXER_ERR_ARGUMENT;
    if (height + c->pad_before + c->pad_after < c->kernel ||
        width + c->pad_before + c->pad_after < c->kernel)
      return sixer_fail(error, SIXER_ERR_ARGUMENT,
                        "convolution %d has a kernel of %d x %d and an input of %d x %d only",
                        i + 1, c->kernel, c->kernel, height, width);
    height = out_size(c, height);
    width = out_size(c, width);
  }
  if (s->norm < NN_NORM_NONE || s->norm > NN_NORM_LAYER || s->noisy < NN_NOISY_NONE ||
      s->noisy > NN_NOISY_OUTPUTS || s->init < NN_INIT_TORCH || s->init > NN_INIT_HE ||
      !(s->norm_epsilon >= 0) || !(s->sigma0 >= 0))
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "a network's settings are out of range");
  return SIXER_OK;
}

/* ---- Layout ---------------------------------------------------------------------------------------------------- */

static size_t take(size_t *used, size_t floats) {
  size_t offset = *used;
  *used += (floats + NN_PANEL - 1) / NN_PANEL * NN_PANEL;
  return offset;
}

static nn_matrix take_matrix(nn_layout *l, int k, int n, bool noisy) {
  nn_matrix m = {
      .k = k, .n = n, .padded = (n + NN_PANEL - 1) / NN_PANEL * NN_PANEL, .noisy = noisy};
  m.weight = take(&l->floats, (size_t)k * (size_t)m.padded);
  m.bias = take(&l->floats, (size_t)m.padded);
  if (noisy) {
    m.sigma_weight = take(&l->floats, (size_t)k * (size_t)m.padded);
    m.sigma_bias = take(&l->floats, (size_t)m.padded);
    m.noise_in = take(&l->noise_floats, (size_t)k);
    m.noise_out = take(&l->noise_floats, (size_t)m.padded);
  }
  return m;
}

static nn_affine take_affine(nn_layout *l, int size) {
  nn_affine a = {.size = size};
  a.scale = take(&l->floats, (size_t)size);
  a.shift = take(&l->floats, (size_t)size);
  return a;
}

void nn_layout_make(const nn_spec *spec, nn_layout *l) {
  *l = (nn_layout){.spec = *spec, .streams = spec->dueling ? 2 : 1};
  int channels = spec->channels, height = spec->height, width = spec->width;
  for (int i = 0; i < spec->convs; i++) {
    const nn_conv *c = &spec->conv[i];
    nn_conv_layer *layer = &l->conv[i];
    layer->channels = channels, layer->height = height, layer->width = width;
    layer->kernel = c->kernel, layer->stride = c->stride, layer->before = c->pad_before;
    layer->padded_height = height + c->pad_before + c->pad_after;
    layer->padded_width = width + c->pad_before + c->pad_after;
    layer->out_height = out_size(c, height), layer->out_width = out_size(c, width);
    layer->inputs = (size_t)channels * (size_t)height * (size_t)width;
    layer->padded = (size_t)channels * (size_t)layer->padded_height * (size_t)layer->padded_width;
    layer->outputs = (size_t)c->filters * (size_t)layer->out_height * (size_t)layer->out_width;
    layer->matrix = take_matrix(l, c->kernel * c->kernel * channels, c->filters, false);
    channels = c->filters, height = layer->out_height, width = layer->out_width;
    if (spec->norm == NN_NORM_CHANNELS) layer->norm = take_affine(l, channels);
    if (spec->norm == NN_NORM_LAYER) layer->norm = take_affine(l, (int)layer->outputs);
  }
  l->features = channels * height * width;
  if (spec->cosines) l->embedding = take_matrix(l, spec->cosines, l->features, false);
  for (int s = 0; s < l->streams; s++) {
    l->hidden[s] = take_matrix(l, l->features, spec->hidden, spec->noisy != NN_NOISY_NONE);
    if (spec->norm != NN_NORM_NONE) l->hidden_norm[s] = take_affine(l, spec->hidden);
  }
  for (int s = 0; s < l->streams; s++) {
    int outputs = l->streams == 2 && s == 0 ? spec->atoms : spec->actions * spec->atoms;
    l->output[s] = take_matrix(l, spec->hidden, outputs, spec->noisy != NN_NOISY_NONE);
  }
}

/* ---- Names ----------------------------------------------------------------------------------------------------- */

typedef struct piece_list {
  const nn_layout *layout;
  nn_piece *pieces;
  int count;
  size_t floats;
} piece_list;

/* n and k as (channels, rows, columns); k[0] = 0: a vector. `shape4`: show k as three dimensions. */
static nn_piece *add(piece_list *list, const char *layer, const char *name, size_t block,
                     const int n[3], const int k[3], bool shape4) {
  nn_piece *p = &list->pieces[list->count++];
  *p = (nn_piece){.block = block};
  snprintf(p->tensor.name, sizeof p->tensor.name, "%s.%s", layer, name);
  memcpy(p->n, n, sizeof p->n);
  if (k) memcpy(p->k, k, sizeof p->k);
  int outputs = n[0] * n[1] * n[2], inputs = k ? k[0] * k[1] * k[2] : 1;
  p->tensor.count = (size_t)outputs * (size_t)inputs;
  p->tensor.offset = list->floats;
  list->floats += p->tensor.count;
  if (shape4 && k) {
    p->tensor.dims = 4;
    memcpy(p->tensor.shape, (int[]){outputs, k[0], k[1], k[2]}, sizeof p->tensor.shape);
  } else if (shape4) {
    p->tensor.dims = 3;
    memcpy(p->tensor.shape, (int[]){n[0], n[1], n[2], 0}, sizeof p->tensor.shape);
  } else {
    p->tensor.dims = k ? 2 : 1;
    memcpy(p->tensor.shape, (int[]){outputs, k ? inputs : 0, 0, 0}, sizeof p->tensor.shape);
  }
  return p;
}

static void add_matrix(piece_list *list, const char *layer, const nn_matrix *m, const int n[3],
                       const int k[3], bool shape4) {
  const nn_spec *spec = &list->layout->spec;
  int inputs = m->k, outputs = shape4 ? n[0] * k[1] * k[2] : m->n;
  for (int sigma = 0; sigma <= (m->noisy ? 1 : 0); sigma++) {
    nn_piece *w = add(list, layer, sigma ? "sigma_weight" : "weight",
                      sigma ? m->sigma_weight : m->weight, n, k, shape4);
    w->inputs = inputs, w->outputs = outputs;
    w->kind = sigma ? NN_PIECE_SIGMA : NN_PIECE_WEIGHT;
    nn_piece *b = add(list, layer, sigma ? "sigma_bias" : "bias", sigma ? m->sigma_bias : m->bias,
                      n, NULL, false);
    b->inputs = inputs, b->outputs = outputs;
    b->kind = sigma ? NN_PIECE_SIGMA : NN_PIECE_BIAS;
    w->noisy = b->noisy = m->noisy;
    if (sigma) {
      w->start = spec->sigma0 / __builtin_sqrtf((float)inputs);
      b->start = spec->noisy == NN_NOISY_INPUTS ? w->start
                                                : spec->sigma0 / __builtin_sqrtf((float)outputs);
    }
  }
}

static void add_affine(piece_list *list, const char *layer, const nn_affine *a, const int n[3],
                       bool shape4) {
  char name[24];
  snprintf(name, sizeof name, "%s_norm", layer);
  add(list, name, "weight", a->scale, n, NULL, shape4)->kind = NN_PIECE_ONE;
  add(list, name, "bias", a->shift, n, NULL, shape4)->kind = NN_PIECE_ZERO;
}

int nn_pieces(const nn_layout *l, nn_piece pieces[NN_MAX_TENSORS]) {
  const nn_spec *spec = &l->spec;
  piece_list list = {.layout = l, .pieces = pieces};
  for (int i = 0; i < spec->convs; i++) {
    const nn_conv_layer *c = &l->conv[i];
    char name[16];
    snprintf(name, sizeof name, "conv%d", i + 1);
    add_matrix(&list, name, &c->matrix, (int[]){c->matrix.n, 1, 1},
               (int[]){c->channels, c->kernel, c->kernel}, true);
    if (spec->norm == NN_NORM_CHANNELS)
      add_affine(&list, name, &c->norm, (int[]){c->matrix.n, 1, 1}, false);
    if (spec->norm == NN_NORM_LAYER)
      add_affine(&list, name, &c->norm, (int[]){c->matrix.n, c->out_height, c->out_width}, true);
  }
  const nn_conv_layer *last = &l->conv[spec->convs - 1];
  const int features[3] = {last->matrix.n, last->out_height, last->out_width};
  if (spec->cosines)
    add_matrix(&list, "embedding", &l->embedding, features, (int[]){spec->cosines, 1, 1}, false);
  for (int s = 0; s < l->streams; s++) {
    const char *stream = l->streams == 1 ? "" : s ? "advantage." : "value.";
    char name[24];
    snprintf(name, sizeof name, "%shidden", stream);
    add_matrix(&list, name, &l->hidden[s], (int[]){l->hidden[s].n, 1, 1}, features, false);
    if (spec->norm != NN_NORM_NONE)
      add_affine(&list, name, &l->hidden_norm[s], (int[]){l->hidden[s].n, 1, 1}, false);
    snprintf(name, sizeof name, "%soutput", stream);
    add_matrix(&list, name, &l->output[s], (int[]){l->output[s].n, 1, 1},
               (int[]){spec->hidden, 1, 1}, false);
  }
  return list.count;
}

/* (channel, row, column) to (row, column, channel). */
static size_t channels_last(const int size[3], size_t index) {
  size_t area = (size_t)size[1] * (size_t)size[2];
  return index % area * (size_t)size[0] + index / area;
}

size_t nn_piece_index(const nn_piece *p, size_t n, size_t k) {
  size_t row = channels_last(p->n, n);
  if (p->k[0] == 0) return p->block + row;
  size_t rows = (size_t)p->k[0] * (size_t)p->k[1] * (size_t)p->k[2];
  return p->block + (row / NN_PANEL * rows + channels_last(p->k, k)) * NN_PANEL + row % NN_PANEL;
}

size_t nn_parameters(const nn_spec *spec, nn_tensor table[NN_MAX_TENSORS], int *tensors) {
  nn_layout layout;
  nn_piece pieces[NN_MAX_TENSORS] = {0};
  nn_layout_make(spec, &layout);
  int count = nn_pieces(&layout, pieces);
  if (table)
    for (int i = 0; i < count; i++) table[i] = pieces[i].tensor;
  if (tensors) *tensors = count;
  return pieces[count - 1].tensor.offset + pieces[count - 1].tensor.count;
}

double nn_products(const nn_spec *spec, double *first) {
  nn_layout layout;
  nn_layout_make(spec, &layout);
  double sum = 0;
  for (int i = 0; i < spec->convs; i++) {
    const nn_conv_layer *c = &layout.conv[i];
    sum += (double)c->out_height * c->out_width * c->matrix.k * c->matrix.n;
    if (i == 0 && first) *first = sum;
  }
  sum += (double)layout.embedding.k * layout.embedding.n;
  for (int s = 0; s < layout.streams; s++)
    sum += (double)layout.hidden[s].k * layout.hidden[s].n +
           (double)layout.output[s].k * layout.output[s].n;
  return sum;
}
