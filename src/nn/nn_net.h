/* Inside src/nn: the layout of a block of parameters, and the struct behind nn_net.
 *
 * Every layer with weights is a matrix of k inputs by n outputs, stored in panels of 16 outputs: panel p holds, for
 * each k in order, the weights of outputs 16p..16p+15. A kernel that computes 16 outputs reads a panel from front to
 * back. Outputs are padded to a multiple of 16 with zeros, whose gradients are zero too. The k of a convolution
 * count (row, column, channel), activations are (row, column, channel) as well. */
#ifndef SIXER_NN_NET_H
#define SIXER_NN_NET_H

#include "nn/nn.h"
#include "util/threads.h"

enum { NN_PANEL = 16, NN_MAX_KERNEL = 16 };

/* Offsets are floats from the start of a block, or of the noise. */
typedef struct nn_matrix {
  int k, n, padded; /* padded: n rounded up to panels */
  size_t weight, bias;
  bool noisy;
  size_t sigma_weight, sigma_bias, noise_in, noise_out;
} nn_matrix;

/* LayerNorm behind a layer: groups of `size` values with a scale and a shift each. */
typedef struct nn_affine {
  int size;
  size_t scale, shift;
} nn_affine;

typedef struct nn_conv_layer {
  int channels, height, width;     /* of the input */
  int out_height, out_width;       /* filters are matrix.n */
  int kernel, stride, before;      /* `before`: zeros above and left */
  int padded_height, padded_width; /* of the input with its zeros */
  size_t inputs, padded, outputs;  /* floats of a sample: input, input with zeros, output */
  nn_matrix matrix;
  nn_affine norm;
} nn_conv_layer;

typedef struct nn_layout {
  nn_spec spec;
  nn_conv_layer conv[NN_MAX_CONVS];
  int features;        /* outputs of the last convolution */
  nn_matrix embedding; /* cosines -> features */
  int streams;         /* dueling: 0 is the value, 1 the advantage */
  nn_matrix hidden[2], output[2];
  nn_affine hidden_norm[2];
  size_t floats, noise_floats;
} nn_layout;

void nn_layout_make(const nn_spec *spec, nn_layout *layout);

/* Index of weight (k, n) in a matrix. */
static inline size_t nn_weight(const nn_matrix *m, int k, int n) {
  return m->weight + ((size_t)(n / NN_PANEL) * (size_t)m->k + (size_t)k) * NN_PANEL +
         (size_t)(n % NN_PANEL);
}

/* A tensor and where its numbers are in a block. Its canonical index is (n, k); each of the two counts (channel, row,
 * column) there and (row, column, channel) in the block. A vector has k = 0 rows. */
typedef struct nn_piece {
  nn_tensor tensor;
  size_t block;
  int n[3], k[3]; /* channels, rows, columns */
  /* What the start value needs. */
  enum { NN_PIECE_WEIGHT, NN_PIECE_BIAS, NN_PIECE_SIGMA, NN_PIECE_ONE, NN_PIECE_ZERO } kind;
  int inputs, outputs; /* fan-in and fan-out */
  float start;         /* of sigmas */
  bool noisy;          /* means of a noisy layer */
} nn_piece;
int nn_pieces(const nn_layout *layout, nn_piece pieces[NN_MAX_TENSORS]);
/* Index in a block of a canonical index (n, k); k is 0 for vectors. */
size_t nn_piece_index(const nn_piece *piece, size_t n, size_t k);

/* ---- Engines --------------------------------------------------------------------------------------------------- */

/* Working memory and passes: the reference (nn_reference.c) or the fast one (nn_fast.c). */
typedef struct nn_engine nn_engine;
struct nn_step;
struct nn_kernels;
struct nn_engine {
  void (*destroy)(nn_engine *engine);
  void (*forward)(nn_engine *engine, const float *block, const float *noise,
                  const uint8_t *const *observations, int batch, const float *taus, int tau_count,
                  float *outputs, bool keep);
  void (*backward)(nn_engine *engine, const float *block, const float *noise,
                   const float *d_outputs, float *gradients);
  /* Backward, with a step of the optimizer for every gradient. `gradients` is for the engine's use. NULL: there is
   * none. */
  void (*update)(nn_engine *engine, const struct nn_step *step, nn_optimizer *optimizer,
                 float *block, const float *noise, const float *d_outputs, float *gradients);
};

struct nn_net {
  nn_layout layout;
  nn_options options; /* with threads and set resolved */
  thread_pool *pool;
  nn_engine *engine;
  const struct nn_kernels *kernels; /* NULL: the reference */
  float *gradients;                 /* for nn_update() */
  float *sums;                      /* of blocks of 4,096, for nn_gradient_norm() */
};

nn_engine *nn_reference_create(nn_net *net); /* NULL without memory */
nn_engine *nn_fast_create(nn_net *net, const struct nn_kernels *kernels);

/* Zeroed memory aligned to 64 bytes; NULL without. */
void *nn_memory(size_t bytes);
void nn_free(void *memory); /* NULL is allowed */

/* The cosines of taus: out[count][stride], cos(pi i tau) for i = 1..cosines. */
void nn_cosines(const float *taus, size_t count, int cosines, size_t stride, float *out);

/* Outputs of the streams to outputs of the network, for one state or one quantile sample, and the derivatives back. */
void nn_head_forward(const nn_spec *spec, const float *value, const float *advantage, float *out);
void nn_head_backward(const nn_spec *spec, const float *d_out, float *d_value, float *d_advantage);

#endif
