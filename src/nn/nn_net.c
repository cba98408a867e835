/* Nets and blocks: creation, start values, noise, the canonical layout, and the small parts that every engine
 * shares. */
#include "nn/nn_net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/nn_kernels.h"
#include "nn/nn_sum.h"
#include "util/error.h"
#include "util/random.h"
#include "util/real.h"
#include "util/os.h"
#include "util/os_cpu.h"
#include "util/os_memory.h"

/* ---- Instruction sets ------------------------------------------------------------------------------------------ */

static const char *const set_names[] = {"best",   "reference", "plain", "avx2",
                                        "avx512", "neon",      "wasm"};

const char *nn_set_name(nn_set set) { return set_names[set]; }

nn_set nn_set_by_name(const char *name) {
  for (int i = NN_SET_REFERENCE; i <= NN_SET_WASM; i++)
    if (!strcmp(name, set_names[i])) return (nn_set)i;
  return NN_SET_BEST;
}

static const nn_kernels *kernels_of(nn_set set) {
  if (set == NN_SET_PLAIN) return &nn_kernels_plain;
#if OS_X86_64
  if (set == NN_SET_AVX2 && os_cpu_has(OS_CPU_AVX2) && os_cpu_has(OS_CPU_FMA))
    return &nn_kernels_avx2;
  if (set == NN_SET_AVX512 && os_cpu_has(OS_CPU_AVX512F) && os_cpu_has(OS_CPU_AVX512DQ) &&
      os_cpu_has(OS_CPU_AVX2))
    return &nn_kernels_avx512;
#elif OS_ARM64
  if (set == NN_SET_NEON) return &nn_kernels_neon;
#elif defined(__wasm_simd128__)
  if (set == NN_SET_WASM) return &nn_kernels_wasm;
#endif
  return NULL;
}

bool nn_set_works(nn_set set) {
  return set == NN_SET_BEST || set == NN_SET_REFERENCE || kernels_of(set);
}

size_t nn_peak(nn_set set, size_t steps) {
  const nn_kernels *kernels = kernels_of(set);
  float result;
  return (kernels ? kernels : &nn_kernels_plain)->peak(steps, &result);
}

static sixer_err choose_set(nn_set *set, sixer_error *error) {
  const char *name = os_getenv("SIXER_NN");
  if (*set == NN_SET_BEST && name && *name) {
    *set = nn_set_by_name(name);
    if (*set == NN_SET_BEST)
      return sixer_fail(error, SIXER_ERR_ARGUMENT,
                        "SIXER_NN is '%s'; there are reference, plain, avx2, avx512, neon and wasm",
                        name);
  }
  static const nn_set best[] = {NN_SET_AVX512, NN_SET_AVX2, NN_SET_NEON, NN_SET_WASM, NN_SET_PLAIN};
  for (int i = 0; *set == NN_SET_BEST; i++)
    if (nn_set_works(best[i])) *set = best[i];
  if (!nn_set_works(*set))
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "this processor cannot run the kernels '%s'",
                      nn_set_name(*set));
  return SIXER_OK;
}

/* ---- Memory ---------------------------------------------------------------------------------------------------- */

/* In front of the memory that the caller sees. */
typedef struct memory_header {
  void *base;
  size_t mapped; /* bytes of a mapping; 0: from os_aligned() */
} memory_header;

enum { HEADER = 64, LARGE_PAGE = 1 << 21 };

/* Large memory is mapped, which zeroes pages when they are first used, and in large pages where the system has them:
 * fewer misses of the address cache. */
void *nn_memory(size_t bytes) {
  char *base, *memory;
  size_t mapped = 0;
  if (bytes > SIZE_MAX / 2) return NULL;
  if (bytes >= LARGE_PAGE) {
    mapped = bytes + 2 * (size_t)LARGE_PAGE;
    base = os_pages_take(mapped);
    if (!base) return NULL;
    uintptr_t aligned = ((uintptr_t)base + HEADER + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    memory = base + (aligned - (uintptr_t)base);
    os_pages_enlarge(memory, bytes);
    *(memory_header *)(void *)(memory - HEADER) = (memory_header){base, mapped};
    return memory;
  }
  size_t size = (bytes + HEADER + 63) / 64 * 64;
  base = os_aligned(size);
  if (!base) return NULL;
  memset(base, 0, size);
  memory = base + HEADER;
  *(memory_header *)(void *)(memory - HEADER) = (memory_header){base, mapped};
  return memory;
}

void nn_free(void *memory) {
  if (!memory) return;
  memory_header header = *(memory_header *)(void *)((char *)memory - HEADER);
  if (header.mapped)
    os_pages_free(header.base, header.mapped);
  else
    os_aligned_free(header.base);
}

float *nn_block_create(const nn_net *net) { return nn_memory(net->layout.floats * sizeof(float)); }
void nn_block_destroy(float *block) { nn_free(block); }
size_t nn_block_floats(const nn_net *net) { return net->layout.floats; }
void nn_block_copy(const nn_net *net, float *to, const float *from) {
  memcpy(to, from, net->layout.floats * sizeof(float));
}

/* ---- Nets ------------------------------------------------------------------------------------------------------ */

sixer_err nn_create(const nn_spec *spec, const nn_options *options, nn_net **out,
                    sixer_error *error) {
  sixer_err err = nn_check(spec, error);
  if (err) return err;
  nn_options o = *options;
  if (o.max_batch < 1 || o.max_batch > 65536)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "a net's largest batch must be 1 to 65536, not %d",
                      o.max_batch);
  if (spec->cosines ? o.max_taus < 1 || o.max_taus > 1024 : o.max_taus != 0)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "a net's quantile samples must be %s, not %d",
                      spec->cosines ? "1 to 1024" : "0 without cosines", o.max_taus);
  err = choose_set(&o.set, error);
  if (err) return err;
  o.threads = pool_threads(o.threads, 256);
  nn_net *net = calloc(1, sizeof *net);
  if (net) {
    net->options = o;
    nn_layout_make(spec, &net->layout);
    net->pool = pool_create(o.threads, 0, -1);
    net->kernels = kernels_of(o.set);
    if (net->pool)
      net->engine = net->kernels ? nn_fast_create(net, net->kernels) : nn_reference_create(net);
    net->gradients = net->engine ? nn_block_create(net) : NULL;
    net->sums =
        net->engine ? malloc((net->layout.floats / NN_SUM_BLOCK + 1) * sizeof(float)) : NULL;
  }
  if (!net || !net->gradients || !net->sums) {
    nn_destroy(net);
    return sixer_fail(error, SIXER_ERR_MEMORY,
                      "no memory for a network with batches of %d; try a smaller batch",
                      o.max_batch);
  }
  *out = net;
  return SIXER_OK;
}

void nn_destroy(nn_net *net) {
  if (!net) return;
  if (net->engine) net->engine->destroy(net->engine);
  pool_destroy(net->pool);
  nn_block_destroy(net->gradients);
  free(net->sums);
  free(net);
}

const nn_spec *nn_net_spec(const nn_net *net) { return &net->layout.spec; }
nn_set nn_net_set(const nn_net *net) { return net->options.set; }
void nn_run(nn_net *net, pool_work *work, void *context, int count) {
  pool_run(net->pool, work, context, count);
}

void nn_forward(nn_net *net, const float *block, const float *noise,
                const uint8_t *const *observations, int batch, const float *taus, int tau_count,
                float *outputs, bool keep) {
  net->engine->forward(net->engine, block, noise, observations, batch, taus, tau_count, outputs,
                       keep);
}

void nn_backward(nn_net *net, const float *block, const float *noise, const float *d_outputs,
                 float *gradients) {
  net->engine->backward(net->engine, block, noise, d_outputs, gradients);
}

/* ---- Canonical layout ------------------------------------------------------------------------------------------ */

static size_t piece_rows(const nn_piece *p) {
  return (size_t)p->n[0] * (size_t)p->n[1] * (size_t)p->n[2];
}

void nn_export(const nn_net *net, const float *block, float *canonical) {
  nn_piece pieces[NN_MAX_TENSORS];
  int count = nn_pieces(&net->layout, pieces);
  for (int i = 0; i < count; i++) {
    const nn_piece *p = &pieces[i];
    size_t rows = piece_rows(p), columns = p->tensor.count / rows;
    float *to = canonical + p->tensor.offset;
    for (size_t n = 0; n < rows; n++)
      for (size_t k = 0; k < columns; k++) *to++ = block[nn_piece_index(p, n, k)];
  }
}

void nn_import(const nn_net *net, float *block, const float *canonical) {
  nn_piece pieces[NN_MAX_TENSORS];
  int count = nn_pieces(&net->layout, pieces);
  for (int i = 0; i < count; i++) {
    const nn_piece *p = &pieces[i];
    size_t rows = piece_rows(p), columns = p->tensor.count / rows;
    const float *from = canonical + p->tensor.offset;
    for (size_t n = 0; n < rows; n++)
      for (size_t k = 0; k < columns; k++) block[nn_piece_index(p, n, k)] = *from++;
  }
}

/* ---- Random numbers -------------------------------------------------------------------------------------------- */

/* Two standard normal numbers by the polar method (Marsaglia): no sine or cosine. */
static void draw_normal(uint64_t *state, double x[2]) {
  double u, v, s;
  do {
    u = 2 * random_real(state) - 1;
    v = 2 * random_real(state) - 1;
    s = u * u + v * v;
  } while (s >= 1 || s == 0);
  double scale = sqrt(-2 * real_log(s) / s);
  x[0] = u * scale;
  x[1] = v * scale;
}

static float start_value(nn_init init, const nn_piece *p, uint64_t state) {
  double inputs = p->inputs, bound = 0;
  if (init == NN_INIT_SCALING && p->noisy) init = NN_INIT_TORCH;
  switch (p->kind) {
    case NN_PIECE_ONE: return 1;
    case NN_PIECE_ZERO: return 0;
    case NN_PIECE_SIGMA: return p->start;
    case NN_PIECE_BIAS:
      if (init != NN_INIT_TORCH) return 0;
      bound = 1 / sqrt(inputs);
      break;
    case NN_PIECE_WEIGHT:
      if (init == NN_INIT_HE) {
        double x[2];
        draw_normal(&state, x);
        return (float)(sqrt(2 / inputs) * x[0]);
      }
      bound = init == NN_INIT_XAVIER    ? sqrt(6 / (inputs + p->outputs))
              : init == NN_INIT_SCALING ? sqrt(sqrt(3.0) / inputs)
                                        : 1 / sqrt(inputs);
      break;
  }
  return (float)((2 * random_real(&state) - 1) * bound);
}

void nn_initialize(const nn_net *net, float *block, uint64_t seed) {
  nn_piece pieces[NN_MAX_TENSORS];
  int count = nn_pieces(&net->layout, pieces);
  memset(block, 0, net->layout.floats * sizeof(float));
  for (int i = 0; i < count; i++) {
    const nn_piece *p = &pieces[i];
    size_t rows = piece_rows(p), columns = p->tensor.count / rows;
    uint64_t stream = random_mix(random_mix(seed) + (uint64_t)i);
    for (size_t n = 0; n < rows; n++)
      for (size_t k = 0; k < columns; k++)
        block[nn_piece_index(p, n, k)] =
            start_value(net->layout.spec.init, p, random_mix(stream + n * columns + k));
  }
}

size_t nn_noise_floats(const nn_net *net) { return net->layout.noise_floats; }

void nn_draw_noise(const nn_net *net, float *noise, uint64_t seed, uint64_t index) {
  uint64_t state = random_mix(random_mix(seed) + index);
  for (size_t i = 0; i < net->layout.noise_floats; i += 2) {
    double x[2];
    draw_normal(&state, x);
    for (size_t j = 0; j < 2; j++) noise[i + j] = (float)(x[j] < 0 ? -sqrt(-x[j]) : sqrt(x[j]));
  }
}

/* mean + sigma (f(v) f(u)): the product of the noise is rounded first, the rest is fused. */
static void compose_weight_panel(const nn_matrix *m, const float *block, const float *noise,
                                 int panel, float *composed) {
  const float *in = noise + m->noise_in, *out = noise + m->noise_out + (size_t)panel * NN_PANEL;
  size_t at = (size_t)panel * (size_t)m->k * NN_PANEL;
  for (int k = 0; k < m->k; k++)
    for (int j = 0; j < NN_PANEL; j++) {
      size_t i = at + (size_t)(k * NN_PANEL + j);
      composed[m->weight + i] =
          fmaf(block[m->sigma_weight + i], out[j] * in[k], block[m->weight + i]);
    }
}

typedef struct compose_call {
  const nn_net *net;
  const nn_matrix *m;
  const float *block, *noise;
  float *composed;
} compose_call;

static void compose_panel(void *context, int panel, int thread) {
  (void)thread;
  const compose_call *c = context;
  const nn_matrix *m = c->m;
  size_t at = (size_t)panel * (size_t)m->k * NN_PANEL;
  if (c->net->kernels)
    c->net->kernels->compose(
        c->block + m->weight + at, c->block + m->sigma_weight + at, c->noise + m->noise_in,
        c->noise + m->noise_out + (size_t)panel * NN_PANEL, m->k, c->composed + m->weight + at);
  else
    compose_weight_panel(m, c->block, c->noise, panel, c->composed);
}

static void compose_matrix(nn_net *net, const nn_matrix *m, const float *block, const float *noise,
                           float *composed) {
  compose_call call = {net, m, block, noise, composed};
  pool_run(net->pool, compose_panel, &call, m->padded / NN_PANEL);
  for (size_t n = 0; n < (size_t)m->n; n++)
    composed[m->bias + n] =
        fmaf(block[m->sigma_bias + n], noise[m->noise_out + n], block[m->bias + n]);
}

void nn_compose(nn_net *net, const float *block, const float *noise, float *composed) {
  const nn_layout *l = &net->layout;
  memcpy(composed, block, l->floats * sizeof(float));
  if (!noise || l->spec.noisy == NN_NOISY_NONE) return;
  for (int s = 0; s < l->streams; s++) {
    compose_matrix(net, &l->hidden[s], block, noise, composed);
    compose_matrix(net, &l->output[s], block, noise, composed);
  }
}

/* ---- Parts of the engines -------------------------------------------------------------------------------------- */

void nn_cosines(const float *taus, size_t count, int cosines, size_t stride, float *out) {
  for (size_t t = 0; t < count; t++)
    for (int i = 0; i < cosines; i++)
      out[t * stride + (size_t)i] = (float)real_cos_pi((double)(i + 1) * taus[t]);
}

/* Dueling (Wang et al. 2016): value + (advantage - mean advantage), per atom; the mean adds actions in order. */
void nn_head_forward(const nn_spec *spec, const float *value, const float *advantage, float *out) {
  int actions = spec->actions, atoms = spec->atoms;
  if (!spec->dueling) {
    memcpy(out, value, (size_t)actions * (size_t)atoms * sizeof(float));
    return;
  }
  for (int i = 0; i < atoms; i++) {
    float mean = 0;
    for (int a = 0; a < actions; a++) mean += advantage[a * atoms + i];
    mean /= (float)actions;
    for (int a = 0; a < actions; a++)
      out[a * atoms + i] = value[i] + (advantage[a * atoms + i] - mean);
  }
}

void nn_head_backward(const nn_spec *spec, const float *d_out, float *d_value, float *d_advantage) {
  int actions = spec->actions, atoms = spec->atoms;
  if (!spec->dueling) {
    memcpy(d_value, d_out, (size_t)actions * (size_t)atoms * sizeof(float));
    return;
  }
  for (int i = 0; i < atoms; i++) {
    float sum = 0;
    for (int a = 0; a < actions; a++) sum += d_out[a * atoms + i];
    d_value[i] = sum;
    float mean = sum / (float)actions;
    for (int a = 0; a < actions; a++) d_advantage[a * atoms + i] = d_out[a * atoms + i] - mean;
  }
}
