/* Neural networks of the DQN family: one network described as data, its passes, losses and optimizers.
 *
 * A network is convolutions, then optionally a quantile embedding (IQN), then one dense hidden layer per stream (two
 * streams if it is dueling) and the outputs: `actions` x `atoms` numbers per state. All its parameters are one block
 * of floats, so a target network is a second block and a copy is nn_block_copy(). An optimizer's moments are blocks
 * of the same shape. Everything in a net (the struct) is working memory: the same net serves online and target
 * parameters.
 *
 *     nn_spec spec = nn_spec_dqn(18);
 *     nn_net *net;
 *     nn_create(&spec, &(nn_options){.max_batch = 32, .threads = 2}, &net, &error);
 *     float *online = nn_block_create(net), *target = nn_block_create(net);
 *     nn_initialize(net, online, seed);
 *     nn_optimizer adam = {.kind = NN_ADAM, .rate = 6.25e-5, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1.5e-4};
 *     nn_optimizer_create(net, &adam, &error);
 *     ...
 *     nn_forward(net, target, NULL, next_states, 32, NULL, 0, next_q, false);
 *     nn_forward(net, online, NULL, states, 32, NULL, 0, q, true);
 *     nn_loss_huber(q, 32, 18, actions, targets, NULL, 1.0f / 32, losses, d_q);
 *     nn_update(net, &adam, online, NULL, d_q);
 *
 * The same bytes everywhere. Results do not depend on threads, compiler or instruction set: every output is one
 * chain of fused multiply-adds in a fixed order of k, and every other sum has a written order (nn_sum.h). docs/nn.md
 * lists the orders.
 *
 * A net belongs to one thread at a time; its own threads work only inside a call. Nothing but nn_create(),
 * nn_block_create() and nn_optimizer_create() allocates. */
#ifndef SIXER_NN_NN_H
#define SIXER_NN_NN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sixer/sixer.h"
#include "util/threads.h"

/* ---- Networks as data ------------------------------------------------------------------------------------------ */

enum { NN_MAX_CONVS = 4, NN_MAX_TENSORS = 48 };

typedef struct nn_conv {
  int filters; /* a multiple of 16 */
  int kernel, stride;
  /* Rows and columns of zeros above and left of the picture, and below and right of it. nn_same_padding() gives
   * those of TensorFlow's "same". */
  int pad_before, pad_after;
} nn_conv;

/* LayerNorm follows every convolution and every hidden layer, before the ReLU. */
typedef enum nn_norm {
  NN_NORM_NONE,
  NN_NORM_CHANNELS, /* over the channels of each position (Flax, PQN as published) */
  NN_NORM_LAYER     /* over the whole layer of a sample (PyTorch, CleanRL's PQN) */
} nn_norm;

/* Factorized noisy layers (Fortunato et al. 2018). sigma_w starts at sigma0 / sqrt(inputs). */
typedef enum nn_noisy {
  NN_NOISY_NONE,
  NN_NOISY_INPUTS, /* sigma_b starts at sigma0 / sqrt(inputs): the paper, Dopamine */
  NN_NOISY_OUTPUTS /* sigma_b starts at sigma0 / sqrt(outputs): SABER's program */
} nn_noisy;

/* How means start. With every form, LayerNorm starts with scale 1 and shift 0. */
typedef enum nn_init {
  NN_INIT_TORCH, /* weights and biases uniform in +-1/sqrt(inputs): Mnih et al. 2015, PyTorch's default */
  NN_INIT_XAVIER, /* weights uniform in +-sqrt(6/(inputs+outputs)), biases 0: Dopamine's DQN */
  /* Weights uniform in +-sqrt(sqrt(3)/inputs), so that their variance is 1/sqrt(3)/inputs, biases 0; noisy layers as
   * NN_INIT_TORCH: Dopamine's C51, Rainbow, IQN */
  NN_INIT_SCALING,
  NN_INIT_HE /* weights normal with variance 2/inputs, biases 0: PQN */
} nn_init;

typedef struct nn_spec {
  int channels, height,
      width; /* of an observation: planes of bytes, which the network divides by 255 */
  int convs; /* 1 to NN_MAX_CONVS */
  nn_conv conv[NN_MAX_CONVS];
  nn_norm norm;
  float norm_epsilon; /* 1e-6 in Flax, 1e-5 in PyTorch */
  int cosines; /* of the quantile embedding, cos(pi i tau) with i = 1..cosines; 0: no embedding */
  int hidden;  /* units of each stream's hidden layer, a multiple of 16 */
  bool dueling;
  nn_noisy noisy; /* of hidden and output layers */
  float sigma0;
  int actions, atoms;
  nn_init init;
} nn_spec;

/* The network of Mnih et al. 2015: 8x8/4 32, 4x4/2 64, 3x3/1 64, 512 hidden, one output per action. */
nn_spec nn_spec_dqn(int actions);
/* TensorFlow's "same": outputs = ceil(size / stride); of an odd number of zeros, the extra one is at the end. */
void nn_same_padding(int size, nn_conv *conv);

/* A tensor in the canonical layout, in which tensors follow each other as in this table, each in C order. Shapes are
 * PyTorch's: convolutions (filters, channels, rows, columns), dense layers (outputs, inputs), where the inputs of a
 * hidden layer count (channel, row, column). */
typedef struct nn_tensor {
  char name[40]; /* "conv1.weight", "value.hidden.sigma_bias", ... */
  int dims, shape[4];
  size_t offset, count; /* in floats */
} nn_tensor;

/* The tensors of a network. Returns the number of parameters (floats of the canonical layout); the table and its
 * count may be NULL. SIXER_ERR_ARGUMENT through nn_check() is what makes a spec valid; this expects a valid one. */
size_t nn_parameters(const nn_spec *spec, nn_tensor table[NN_MAX_TENSORS], int *tensors);
sixer_err nn_check(const nn_spec *spec, sixer_error *error);

/* ---- Nets ------------------------------------------------------------------------------------------------------ */

/* Kernels. All give the same bytes. NN_SET_BEST is $SIXER_NN if that is set ("reference", "plain", "avx2", "avx512",
 * "neon" or "wasm"), else the fastest that this processor has. */
typedef enum nn_set {
  NN_SET_BEST,
  NN_SET_REFERENCE, /* plain loops over the definitions, one thread: what the others are tested against */
  NN_SET_PLAIN, /* the fast passes with kernels in portable C */
  NN_SET_AVX2,
  NN_SET_AVX512,
  NN_SET_NEON,
  NN_SET_WASM /* WebAssembly with SIMD */
} nn_set;
bool nn_set_works(nn_set set);       /* on this processor */
const char *nn_set_name(nn_set set); /* "avx2" */
nn_set nn_set_by_name(const char *); /* NN_SET_BEST if no set has that name */

typedef struct nn_options {
  int max_batch; /* states in a pass, 1 to 65,536 */
  int max_taus;  /* quantile samples per state; only with cosines */
  int threads;   /* 0: one per processor */
  nn_set set;
} nn_options;

typedef struct nn_net nn_net;
sixer_err nn_create(const nn_spec *spec, const nn_options *options, nn_net **net,
                    sixer_error *error);
void nn_destroy(nn_net *net); /* NULL is allowed */
const nn_spec *nn_net_spec(const nn_net *net);
nn_set nn_net_set(const nn_net *net); /* which kernels were chosen */
/* Work of the caller's own on the threads of the net, as pool_run() does it: between passes, never inside of one. */
void nn_run(nn_net *net, pool_work *work, void *context, int count);

/* A block: all parameters in the layout of the kernels (the same for every set, with padding that is always zero).
 * Aligned and zeroed; NULL without memory. */
float *nn_block_create(const nn_net *net);
void nn_block_destroy(float *block);
size_t nn_block_floats(const nn_net *net);
void nn_block_copy(const nn_net *net, float *to, const float *from);

/* Between a block and the canonical layout of nn_parameters() floats. */
void nn_export(const nn_net *net, const float *block, float *canonical);
void nn_import(const nn_net *net, float *block, const float *canonical);

/* Start parameters. Each number is a function of seed, tensor and index. */
void nn_initialize(const nn_net *net, float *block, uint64_t seed);

/* ---- Noise ----------------------------------------------------------------------------------------------------- */

/* One sample of the factorized noise of all noisy layers: nn_noise_floats() numbers f(x) = sign(x) sqrt|x| of
 * standard normal x, a function of (seed, index). A pass with NULL instead of noise uses the means only. */
size_t nn_noise_floats(const nn_net *net);
void nn_draw_noise(const nn_net *net, float *noise, uint64_t seed, uint64_t index);
/* Parameters whose means are mean + sigma x noise: a pass over `composed` with NULL noise gives the same bytes as a
 * pass over `block` with this noise, and costs less if the same noise serves many passes (acting). */
void nn_compose(nn_net *net, const float *block, const float *noise, float *composed);

/* ---- Passes ---------------------------------------------------------------------------------------------------- */

/* Outputs of `batch` states: observations[i] points to the state's channels x height x width bytes. With cosines
 * there are taus[batch][tau_count]; else tau_count is 0 and taus NULL. outputs[batch][tau_count or
 * 1][actions][atoms]. With `keep` what nn_backward() needs is kept until the next pass with `keep`; the observations
 * must live as long. */
void nn_forward(nn_net *net, const float *block, const float *noise,
                const uint8_t *const *observations, int batch, const float *taus, int tau_count,
                float *outputs, bool keep);

/* Gradients of all parameters, given the derivative of the loss by the outputs of the last pass with `keep`, whose
 * block and noise are given again. `gradients` is a block and is overwritten. */
void nn_backward(nn_net *net, const float *block, const float *noise, const float *d_outputs,
                 float *gradients);

/* ---- Losses ---------------------------------------------------------------------------------------------------- */

/* All losses take the outputs of a pass, the action taken in each state, weights per state (NULL: 1) and `scale`, by
 * which every gradient is multiplied: 1 for a sum over the batch, 1/batch for a mean. They write the loss of each
 * state (without weight and scale; may be NULL) and the derivative by all outputs. */

/* Outputs [batch][actions]. Huber loss with threshold 1 of q - target: gradient clipped to [-1, 1]. */
void nn_loss_huber(const float *outputs, int batch, int actions, const int *action,
                   const float *target, const float *weight, float scale, float *loss,
                   float *d_outputs);
/* Half the square of q - target: gradient q - target. For the mean of whole squares give 2/batch as scale. */
void nn_loss_squared(const float *outputs, int batch, int actions, const int *action,
                     const float *target, const float *weight, float scale, float *loss,
                     float *d_outputs);

/* Categorical distributions (C51) over `atoms` values from low to high, equally spaced. */
typedef struct nn_support {
  int atoms;
  float low, high;
} nn_support;
/* The value of an atom. */
float nn_support_value(const nn_support *support, int atom);
/* Softmax of `count` logits; `logits` and `p` may be the same. */
void nn_softmax(const float *logits, int count, float *p);
/* Expected values of logits[rows][atoms], as many as rows = batch x actions. */
void nn_categorical_values(const nn_support *support, const float *logits, size_t rows,
                           float *values);
/* The distribution p (of the values z) moved to reward + discount z and projected back onto the support: Bellemare et
 * al. 2017, algorithm 1. discount is gamma^n, or 0 after the end of an episode. */
void nn_project(const nn_support *support, const float *p, float reward, float discount,
                float *projected);
/* Outputs are logits [batch][actions][atoms]; targets are distributions [batch][atoms]. Cross-entropy. */
void nn_loss_categorical(const float *outputs, int batch, int actions, int atoms, const int *action,
                         const float *target, const float *weight, float scale, float *loss,
                         float *d_outputs);

/* Outputs [batch][tau_count][actions] at taus[batch][tau_count]; target samples [batch][target_count]. Quantile Huber
 * loss with threshold kappa > 0: the sum over taus of the mean over target samples. */
void nn_loss_quantile(const float *outputs, int batch, int tau_count, int actions,
                      const float *taus, const int *action, const float *target, int target_count,
                      const float *weight, float scale, float kappa, float *loss, float *d_outputs);

/* ---- Optimizers ------------------------------------------------------------------------------------------------ */

typedef enum nn_optimizer_kind {
  NN_ADAM,
  NN_RADAM,
  NN_RMSPROP /* centered: Mnih et al. 2015. beta1 is the decay of the mean, beta2 that of the square; often equal */
} nn_optimizer_kind;

/* Set the upper part; nn_optimizer_create() sets the lower part to that of a new optimizer. A checkpoint stores the
 * lower part and both blocks (nn_export() works on them too). */
typedef struct nn_optimizer {
  nn_optimizer_kind kind;
  double rate; /* may be changed between updates */
  double beta1, beta2;
  /* Adam, RAdam: added to sqrt(v). RMSProp: added inside the square root. */
  double epsilon;
  /* Add epsilon to sqrt(v) before the bias correction instead of after it (TensorFlow's Adam, PyTorch's RAdam). */
  bool epsilon_before_correction;
  double max_norm; /* clip gradients to this global norm; 0: do not */

  uint64_t steps;
  double beta1_power, beta2_power; /* beta^steps, by repeated multiplication */
  float *first, *second;           /* moments */
} nn_optimizer;
sixer_err nn_optimizer_create(const nn_net *net, nn_optimizer *optimizer, sixer_error *error);
void nn_optimizer_destroy(nn_optimizer *optimizer); /* its blocks */

/* The root of the sum of squares of a block of gradients. */
float nn_gradient_norm(nn_net *net, const float *gradients);
/* One step with these gradients, scaled to max_norm first if that is set and they exceed it. */
void nn_optimize(nn_net *net, nn_optimizer *optimizer, float *block, const float *gradients);
/* nn_backward() and nn_optimize() in one: the same bytes in less time, because each piece of the gradient is used
 * while it is in the cache. */
void nn_update(nn_net *net, nn_optimizer *optimizer, float *block, const float *noise,
               const float *d_outputs);

/* ---- Measuring ------------------------------------------------------------------------------------------------- */

/* Multiplications with an addition that a forward pass makes per state (with one quantile sample), and those of them
 * in the first convolution, which has no derivatives by its inputs: a backward pass makes twice as many less those. */
double nn_products(const nn_spec *spec, double *first);
/* Do nothing but multiply-adds in registers with this set of kernels: `steps` rounds of them. Returns the number of
 * floating-point operations. The speed of this is the peak that kernels are compared with. */
size_t nn_peak(nn_set set, size_t steps);

#endif
