/* The fast engine: memory, planned once, and the passes over it; internal to src/nn.
 *
 * Work is split over threads by outputs only, so no sum ever depends on the split. Each step of a pass is a number of
 * items for the pool; an item writes outputs that no other item writes. */
#ifndef SIXER_NN_FAST_H
#define SIXER_NN_FAST_H

#include "nn/nn_kernels.h"
#include "nn/nn_net.h"

enum {
  /* Dense layers, forward: panels and inputs that are worked on together, and inputs with noise, whose weights are
   * composed in between. */
  FAST_PANELS = 4,
  FAST_K = 784,
  FAST_NOISY_K = 128,
  /* and backward */
  FAST_BACK_PANELS = 8,
  FAST_BACK_K = 64,
  FAST_ROWS = 128,       /* rows that are worked on together */
  FAST_POSITIONS = 1024, /* positions of a convolution in one tile */
  FAST_MAX_TAPS = NN_MAX_KERNEL * NN_MAX_KERNEL
};

/* Where the numbers of a sample are: row, column, channel; with zeros around where the next convolution pads. */
typedef struct fast_grid {
  size_t row, sample; /* strides */
  size_t first;       /* offset of row 0, column 0 */
} fast_grid;

/* Activations of a pass. conv[i] is the input of convolution i, the last one the trunk's output. */
typedef struct fast_activations {
  float *conv[NN_MAX_CONVS + 1];
  float *conv_z[NN_MAX_CONVS], *conv_moments[NN_MAX_CONVS];
  float *cosine, *phi, *mixed;
  float *hidden[2], *hidden_z[2], *hidden_moments[2], *output[2];
} fast_activations;

/* Memory of one thread. */
typedef struct fast_scratch {
  float *conv[NN_MAX_CONVS]; /* conv[0]: the observation as floats */
  float *z, *y, *moments;
  float *weights; /* composed: FAST_GROUP_PANELS x FAST_K x 16 */
  float *gradient, *gradient_sigma, *transposed;
} fast_scratch;

typedef struct fast {
  nn_engine engine;
  nn_net *net;
  const nn_layout *layout;
  const nn_kernels *kernels;
  thread_pool *pool;
  int threads;

  fast_grid grid[NN_MAX_CONVS + 1];
  ptrdiff_t *a_rows[NN_MAX_CONVS],
      *c_rows[NN_MAX_CONVS];                   /* of the positions of a convolution's output */
  size_t features_row, hidden_row, cosine_row; /* strides of rows */
  fast_activations kept, other, d;
  float *d_hidden_columns[2],
      *d_output_columns[2];    /* panels of 16 rows: [rows / 16][outputs][16] */
  float *turned[NN_MAX_CONVS]; /* weights of a convolution with inputs and outputs exchanged */
  fast_scratch *scratch;       /* [threads] */

  /* the pass that was kept */
  const uint8_t *const *observations;
  const uint8_t **observation_copies;
  int batch, rows;
} fast;

/* What items of a pass need. */
typedef struct fast_pass {
  fast *f;
  const float *block, *noise;
  const uint8_t *const *observations;
  int batch, rows, tau_count;
  bool keep;
  fast_activations *a;
  int layer, pieces;
  /* backward */
  const float *d_outputs;
  float *gradients;
  /* the step to take at once with every gradient, or NULL: gradients are stored */
  const nn_step *step;
  float *weights, *first, *second;
} fast_pass;

void fast_forward(nn_engine *engine, const float *block, const float *noise,
                  const uint8_t *const *observations, int batch, const float *taus, int tau_count,
                  float *outputs, bool keep);
void fast_backward(fast *f, fast_pass *pass);

/* An observation as floats, with the zeros of the first convolution around it. */
void fast_read_observation(fast *f, const uint8_t *planes, float *x);

static inline int fast_panels(const nn_matrix *m) { return m->padded / NN_PANEL; }
static inline int fast_min(int a, int b) { return a < b ? a : b; }
/* The noise of a matrix in this pass, or NULL. */
static inline const float *fast_noise(const fast_pass *p, const nn_matrix *m) {
  return m->noisy ? p->noise : NULL;
}

#endif
