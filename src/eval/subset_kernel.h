/* The inner loop of the subset search, included once per instruction set by subset.c, which defines KERNEL_NAME and
 * KERNEL_TARGET first. It is written with vectors of eight doubles, one lane per candidate for the last game; the
 * compiler cuts them to what the instruction set has. Lanes never meet, and products and sums are never fused, so that
 * the bits are the same everywhere. */

/* Border the inverse of a prefix of `n` games with the candidates of one block: gain of the last coefficient, its
 * pivot, and all coefficients. t: 0 is all rows, above it the training rows of fold t - 1. */
#define BORDER(t, n)                                                                   \
  do {                                                                                 \
    const double *k_ = level->inverse + (t);                                           \
    const double *b_ = level->beta + (t);                                              \
    pivot = *(const lanes_at *)(w->diagonal + (t)*stride + column);                    \
    last = *(const lanes_at *)(w->moment + (t)*stride + column);                       \
    for (int i = 0; i < (n); i++)                                                      \
      g[i] = *(const lanes_at *)(w->gram + ((t)*columns + game[i]) * stride + column); \
    for (int i = 0; i < (n); i++) {                                                    \
      lanes sum = k_[(size_t)(i * (n)) * width] * g[0];                                \
      for (int j = 1; j < (n); j++) sum += k_[(size_t)(i * (n) + j) * width] * g[j];   \
      u[i] = sum;                                                                      \
    }                                                                                  \
    for (int i = 0; i < (n); i++) {                                                    \
      pivot -= g[i] * u[i];                                                            \
      last -= g[i] * b_[(size_t)i * width];                                            \
    }                                                                                  \
    last /= pivot;                                                                     \
    for (int i = 0; i < (n); i++) u[i] = b_[(size_t)i * width] - u[i] * last;          \
  } while (0)

/* Evaluate one block of candidates at columns column..column+7 after a prefix of `n` games. error[] gets the
 * cross-validated mean squared error; status[] 0 for fit, else which rule left the subset out. */
static inline __attribute__((always_inline)) void KERNEL_BLOCK(const worker *w,
                                                               const level_state *level,
                                                               const size_t *game, int n,
                                                               size_t column, double error[LANES],
                                                               int64_t status[LANES]) {
  const size_t stride = w->stride, columns = w->columns, width = w->width;
  lanes g[SIXER_SUBSET_MAX], u[SIXER_SUBSET_MAX], pivot, last, total = {0};
  BORDER(0, n);
  lanes_mask weak = pivot <= PIVOT_TOLERANCE * *(const lanes_at *)(w->diagonal + column);
  lanes_mask minus = last < 0;
  for (int i = 0; i < n; i++) minus |= u[i] < 0;
  lanes_mask left_out = weak | minus;
  int64_t all = -1;
  for (int i = 0; i < LANES; i++) all &= left_out[i];
  if (!all) {
    for (size_t f = 0; f < w->fold_count; f++) {
      BORDER(f + 1, n);
      weak |=
          pivot <= PIVOT_TOLERANCE * *(const lanes_at *)(w->diagonal + (f + 1) * stride + column);
      lanes squares = {0};
      for (size_t r = w->fold_start[f]; r < w->fold_start[f + 1]; r++) {
        const double *x = w->fold_x + r * stride;
        lanes residual = w->fold_y[r] - last * *(const lanes_at *)(x + column);
        for (int i = 0; i < n; i++) residual -= u[i] * x[game[i]];
        squares += residual * residual;
      }
      total += squares * w->fold_weight[f];
    }
  }
  *(lanes_at *)error = total;
  lanes_mask result = (weak & STATUS_UNFIT) | (~weak & minus & STATUS_NEGATIVE);
  *(lanes_mask_at *)status = result;
}

KERNEL_TARGET static void KERNEL_NAME(const worker *w, const level_state *level, const size_t *game,
                                      int n, size_t column, double error[LANES],
                                      int64_t status[LANES]) {
  switch (n) {
    case 1: KERNEL_BLOCK(w, level, game, 1, column, error, status); break;
    case 2: KERNEL_BLOCK(w, level, game, 2, column, error, status); break;
    case 3: KERNEL_BLOCK(w, level, game, 3, column, error, status); break;
    case 4: KERNEL_BLOCK(w, level, game, 4, column, error, status); break;
    case 9: KERNEL_BLOCK(w, level, game, 9, column, error, status); break;
    default: KERNEL_BLOCK(w, level, game, n, column, error, status); break;
  }
}

#undef BORDER
#undef KERNEL_BLOCK
#undef KERNEL_NAME
#undef KERNEL_TARGET
