/* The inner loops of the subset search, included once per instruction set by subset.c, which first defines the names of
 * the functions and KERNEL_TARGET. They are written with vectors of eight doubles, one lane per candidate for the last
 * game; the compiler cuts these to what the instruction set has. Lanes never meet, and products and sums are never
 * fused, so that the bits are the same everywhere. */

/* Border a prefix of `n` games with eight candidates: the pivot, the coefficient of the candidate, and those of the
 * prefix. t: 0 is all rows, above it the training rows of fold t - 1. */
static inline __attribute__((always_inline)) void KERNEL_BORDER(const worker *w,
                                                                const level_state *level, size_t t,
                                                                const size_t *game, int n,
                                                                size_t column, lanes *pivot_out,
                                                                lanes *last_out, lanes *u) {
  const size_t stride = w->stride, width = w->width;
  const double *inverse = level->inverse + t, *beta = level->beta + t;
  const double *gram = w->gram + t * w->columns * stride + column;
  lanes g[SIXER_SUBSET_MAX];
  lanes pivot = *(const lanes_at *)(w->diagonal + t * stride + column);
  lanes last = *(const lanes_at *)(w->moment + t * stride + column);
  UNROLL
  for (int i = 0; i < n; i++) g[i] = *(const lanes_at *)(gram + game[i] * stride);
  UNROLL
  for (int i = 0; i < n; i++) {
    lanes sum = inverse[(size_t)(i * n) * width] * g[0];
    UNROLL
    for (int j = 1; j < n; j++) sum += inverse[(size_t)(i * n + j) * width] * g[j];
    u[i] = sum;
    pivot -= g[i] * sum;
    last -= g[i] * beta[(size_t)i * width];
  }
  last /= pivot;
  UNROLL
  for (int i = 0; i < n; i++) u[i] = beta[(size_t)i * width] - u[i] * last;
  *pivot_out = pivot;
  *last_out = last;
}

/* Evaluate the candidates at columns column..column+7 after a prefix of `n` games. error[] gets the cross-validated mean
 * squared error; status[] 0 for fit, else which rule left the subset out. */
static inline __attribute__((always_inline)) void KERNEL_BLOCK(const worker *w,
                                                               const level_state *level,
                                                               const size_t *game, int n,
                                                               size_t column, double error[LANES],
                                                               int64_t status[LANES]) {
  const size_t stride = w->stride;
  lanes u[SIXER_SUBSET_MAX], pivot, last, total = {0};
  KERNEL_BORDER(w, level, 0, game, n, column, &pivot, &last, u);
  lanes_mask weak = pivot <= PIVOT_TOLERANCE * *(const lanes_at *)(w->diagonal + column);
  lanes_mask minus = last < 0;
  UNROLL
  for (int i = 0; i < n; i++) minus |= u[i] < 0;
  lanes_mask left_out = weak | minus;
  int64_t all = -1;
  UNROLL
  for (int i = 0; i < LANES; i++) all &= left_out[i];
  if (!all) {
    for (size_t f = 0; f < w->fold_count; f++) {
      KERNEL_BORDER(w, level, f + 1, game, n, column, &pivot, &last, u);
      weak |=
          pivot <= PIVOT_TOLERANCE * *(const lanes_at *)(w->diagonal + (f + 1) * stride + column);
      lanes squares = {0};
      for (size_t r = w->fold_start[f]; r < w->fold_start[f + 1]; r++) {
        const double *x = w->fold_x + r * stride;
        lanes residual = w->fold_y[r] - last * *(const lanes_at *)(x + column);
        UNROLL
        for (int i = 0; i < n; i++) residual -= u[i] * x[game[i]];
        squares += residual * residual;
      }
      total += squares * w->fold_weight[f];
    }
  }
  *(lanes_at *)error = total;
  *(lanes_mask_at *)status = (weak & STATUS_UNFIT) | (~weak & minus & STATUS_NEGATIVE);
}

/* Extend the prefix of n games by `column`, for all rows and every fold at once. False if that game adds nothing. */
KERNEL_TARGET static bool KERNEL_EXTEND(worker *w, size_t n, size_t column) {
  const level_state *from = &w->levels[n];
  level_state *to = &w->levels[n + 1];
  size_t width = w->width, stride = w->stride, block = w->columns * stride, m = n + 1;
  for (size_t t0 = 0; t0 < w->fold_count + 1; t0 += LANES) {
    double g[SIXER_SUBSET_MAX][LANES], whole[LANES], product[LANES];
    lanes u[SIXER_SUBSET_MAX];
    for (size_t k = 0; k < LANES; k++) {
      /* lanes beyond the folds repeat the first: they are never read */
      size_t t = t0 + k <= w->fold_count ? t0 + k : 0;
      whole[k] = w->diagonal[t * stride + column];
      product[k] = w->moment[t * stride + column];
      for (size_t i = 0; i < n; i++) g[i][k] = w->gram[t * block + w->game[i] * stride + column];
    }
    lanes pivot = *(lanes_at *)whole, last = *(lanes_at *)product;
    for (size_t i = 0; i < n; i++) {
      lanes sum = {0};
      for (size_t j = 0; j < n; j++)
        sum +=
            *(const lanes_at *)(from->inverse + (i * n + j) * width + t0) * *(const lanes_at *)g[j];
      u[i] = sum;
    }
    for (size_t i = 0; i < n; i++) {
      pivot -= *(const lanes_at *)g[i] * u[i];
      last -= *(const lanes_at *)g[i] * *(const lanes_at *)(from->beta + i * width + t0);
    }
    lanes_mask weak = pivot <= PIVOT_TOLERANCE * *(const lanes_at *)whole;
    for (size_t k = 0; k < LANES; k++) {
      if (weak[k] && t0 + k <= w->fold_count) return false;
    }
    last /= pivot;
    for (size_t i = 0; i < n; i++) {
      lanes share = u[i] / pivot;
      for (size_t j = 0; j < n; j++)
        *(lanes_at *)(to->inverse + (i * m + j) * width + t0) =
            *(const lanes_at *)(from->inverse + (i * n + j) * width + t0) + share * u[j];
      *(lanes_at *)(to->inverse + (i * m + n) * width + t0) = -share;
      *(lanes_at *)(to->inverse + (n * m + i) * width + t0) = -share;
      *(lanes_at *)(to->beta + i * width + t0) =
          *(const lanes_at *)(from->beta + i * width + t0) - u[i] * last;
    }
    *(lanes_at *)(to->inverse + (n * m + n) * width + t0) = 1 / pivot;
    *(lanes_at *)(to->beta + n * width + t0) = last;
  }
  w->game[n] = column;
  return true;
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

#undef KERNEL_BORDER
#undef KERNEL_BLOCK
#undef KERNEL_NAME
#undef KERNEL_EXTEND
#undef KERNEL_TARGET
