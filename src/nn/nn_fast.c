/* Memory of the fast engine, and what connects it to nn_net. */
#include "nn/nn_fast.h"

#include <stdlib.h>
#include <string.h>

static float *floats(size_t count, bool *good) {
  float *memory = *good ? nn_memory(count * sizeof(float)) : NULL;
  if (!memory) *good = false;
  return memory;
}

/* ---- Activations ----------------------------------------------------------------------------------------------- */

/* Those of the trunk are only kept for the backward pass; other passes have them in a thread's scratch memory. */
static bool take_activations(fast *f, fast_activations *a, bool trunk, bool derivative) {
  const nn_layout *l = f->layout;
  const nn_spec *spec = &l->spec;
  size_t batch = (size_t)f->net->options.max_batch;
  size_t rows = batch * (size_t)(spec->cosines ? f->net->options.max_taus : 1);
  rows = (rows + 15) / 16 * 16;
  bool good = true;
  for (int i = 0; i < spec->convs; i++) {
    const nn_conv_layer *c = &l->conv[i];
    if (trunk || i == spec->convs - 1)
      a->conv[i + 1] = floats(batch * f->grid[i + 1].sample, &good);
    if (!trunk || derivative || !spec->norm) continue;
    a->conv_z[i] = floats(batch * c->outputs, &good);
    a->conv_moments[i] = floats(2 * batch * c->outputs / (size_t)c->norm.size, &good);
  }
  if (spec->cosines) {
    if (!derivative) a->cosine = floats(rows * f->cosine_row, &good);
    if (!derivative) a->phi = floats(rows * f->features_row, &good);
    a->mixed = floats(rows * f->features_row, &good);
  }
  for (int s = 0; s < l->streams; s++) {
    a->hidden[s] = floats(rows * f->hidden_row, &good);
    a->output[s] = floats(rows * (size_t)l->output[s].padded, &good);
    if (!spec->norm || derivative) continue;
    a->hidden_z[s] = floats(rows * f->hidden_row, &good);
    a->hidden_moments[s] = floats(2 * rows, &good);
  }
  return good;
}

static void free_activations(fast_activations *a) {
  for (int i = 0; i <= NN_MAX_CONVS; i++) nn_free(a->conv[i]);
  for (int i = 0; i < NN_MAX_CONVS; i++) nn_free(a->conv_z[i]), nn_free(a->conv_moments[i]);
  nn_free(a->cosine), nn_free(a->phi), nn_free(a->mixed);
  for (int s = 0; s < 2; s++) {
    nn_free(a->hidden[s]), nn_free(a->hidden_z[s]), nn_free(a->hidden_moments[s]);
    nn_free(a->output[s]);
  }
}

static bool take_scratch(fast *f, fast_scratch *s) {
  const nn_layout *l = f->layout;
  bool good = true;
  size_t largest = 0;
  for (int i = 0; i < l->spec.convs; i++) {
    s->conv[i] = floats(f->grid[i].sample, &good);
    if (l->conv[i].outputs > largest) largest = l->conv[i].outputs;
  }
  if (l->spec.norm) {
    s->z = floats(largest, &good);
    s->y = floats(largest, &good);
    s->moments = floats(2 * largest, &good);
  }
  s->weights = floats((size_t)FAST_PANELS * FAST_NOISY_K * NN_PANEL, &good);
  s->gradient = floats((size_t)FAST_BACK_PANELS * FAST_BACK_K * NN_PANEL, &good);
  s->gradient_sigma = floats((size_t)FAST_BACK_K * NN_PANEL, &good);
  s->transposed = floats((size_t)FAST_ROWS * FAST_BACK_K, &good);
  return good;
}

static void free_scratch(fast_scratch *s) {
  for (int i = 0; i < NN_MAX_CONVS; i++) nn_free(s->conv[i]);
  nn_free(s->z), nn_free(s->y), nn_free(s->moments), nn_free(s->weights), nn_free(s->gradient);
  nn_free(s->gradient_sigma), nn_free(s->transposed);
}

/* ---- The engine ------------------------------------------------------------------------------------------------ */

static void destroy(nn_engine *engine) {
  fast *f = (fast *)engine;
  free_activations(&f->kept);
  free_activations(&f->other);
  free_activations(&f->d);
  for (int i = 0; i < NN_MAX_CONVS; i++) {
    free(f->a_rows[i]), free(f->c_rows[i]);
    nn_free(f->turned[i]);
  }
  for (int s = 0; s < 2; s++) nn_free(f->d_hidden_columns[s]), nn_free(f->d_output_columns[s]);
  for (int i = 0; f->scratch && i < f->threads; i++) free_scratch(&f->scratch[i]);
  free(f->scratch);
  free(f->observation_copies);
  free(f);
}

static void backward(nn_engine *engine, const float *block, const float *noise,
                     const float *d_outputs, float *gradients) {
  fast *f = (fast *)engine;
  fast_pass pass = {
      .f = f, .block = block, .noise = noise, .d_outputs = d_outputs, .gradients = gradients};
  fast_backward(f, &pass);
}

/* Gradients of dense layers are used while they are in the cache; those of convolutions go through `gradients`. */
static void update(nn_engine *engine, const nn_step *step, nn_optimizer *o, float *block,
                   const float *noise, const float *d_outputs, float *gradients) {
  fast *f = (fast *)engine;
  fast_pass pass = {.f = f,
                    .block = block,
                    .noise = noise,
                    .d_outputs = d_outputs,
                    .gradients = gradients,
                    .step = step,
                    .weights = block,
                    .first = o->first,
                    .second = o->second};
  fast_backward(f, &pass);
}

/* Strides are not a multiple of 4,096 bytes: samples would share a few sets of the cache. */
static void plan_grids(fast *f) {
  const nn_layout *l = f->layout;
  for (int i = 0; i < l->spec.convs; i++) {
    const nn_conv_layer *c = &l->conv[i];
    fast_grid *g = &f->grid[i];
    g->row = (size_t)c->padded_width * (size_t)c->channels;
    g->sample = ((size_t)c->padded_height * g->row + 15) / 16 * 16 + 16;
    g->first = (size_t)c->before * g->row + (size_t)c->before * (size_t)c->channels;
  }
  const nn_conv_layer *last = &l->conv[l->spec.convs - 1];
  f->grid[l->spec.convs] = (fast_grid){.row = (size_t)last->out_width * (size_t)last->matrix.n,
                                       .sample = last->outputs + 16};
  f->features_row = last->outputs + 16;
  f->hidden_row = (size_t)l->spec.hidden + 16;
  f->cosine_row = ((size_t)l->spec.cosines + 15) / 16 * 16;
}

static bool plan_positions(fast *f, int layer) {
  const nn_conv_layer *c = &f->layout->conv[layer];
  const fast_grid *in = &f->grid[layer], *out = &f->grid[layer + 1];
  size_t positions = (size_t)c->out_height * (size_t)c->out_width;
  ptrdiff_t *a = f->a_rows[layer] = malloc(positions * sizeof *a);
  ptrdiff_t *to = f->c_rows[layer] = malloc(positions * sizeof *to);
  if (!a || !to) return false;
  for (int y = 0; y < c->out_height; y++)
    for (int x = 0; x < c->out_width; x++) {
      *a++ = y * c->stride * (ptrdiff_t)in->row + x * c->stride * c->channels;
      *to++ = (ptrdiff_t)out->first + y * (ptrdiff_t)out->row + x * c->matrix.n;
    }
  return true;
}

_Static_assert(FAST_BACK_PANELS *FAST_BACK_K <= FAST_PANELS * FAST_NOISY_K, "weights share memory");

nn_engine *nn_fast_create(nn_net *net, const nn_kernels *kernels) {
  fast *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  *f = (fast){.engine = {destroy, fast_forward, backward, update},
              .net = net,
              .layout = &net->layout,
              .kernels = kernels,
              .pool = net->pool,
              .threads = net->options.threads};
  const nn_layout *l = f->layout;
  plan_grids(f);
  f->scratch = calloc((size_t)f->threads, sizeof *f->scratch);
  f->observation_copies = calloc((size_t)net->options.max_batch, sizeof *f->observation_copies);
  bool good = f->scratch && f->observation_copies && take_activations(f, &f->kept, true, false) &&
              take_activations(f, &f->other, false, false) &&
              take_activations(f, &f->d, true, true);
  for (int i = 0; good && i < f->threads; i++) good = take_scratch(f, &f->scratch[i]);
  for (int i = 0; good && i < l->spec.convs; i++) {
    good = plan_positions(f, i);
    if (i > 0)
      f->turned[i] = floats((size_t)l->conv[i].matrix.k * (size_t)l->conv[i].matrix.n, &good);
  }
  size_t rows =
      (size_t)net->options.max_batch * (size_t)(l->spec.cosines ? net->options.max_taus : 1);
  rows = (rows + 15) / 16 * 16;
  for (int s = 0; good && s < l->streams; s++) {
    f->d_hidden_columns[s] = floats(rows * (size_t)l->hidden[s].padded, &good);
    f->d_output_columns[s] = floats(rows * (size_t)l->output[s].padded, &good);
  }
  if (good) return &f->engine;
  destroy(&f->engine);
  return NULL;
}
