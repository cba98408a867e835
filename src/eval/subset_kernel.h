/* The inner loops of the subset search, included by subset.c once per instruction set and width,
 * with the names of the functions, KERNEL_TARGET and the types `lanes...` defined. They are written
 * with vectors of eight (or, where few are left, four) doubles, one lane per candidate for the last
 * game; the compiler cuts these to what the instruction set has. No operation mixes lanes, and products
 * and sums are never fused, so that results have the same bits with every instruction set. */

/* Border a prefix of `n` games with a candidate per lane: the pivot, the coefficient of the
 * candidate, and those of the prefix. t: 0 is all rows, above it the training rows of fold t - 1.
 */
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

/* Evaluate the candidates at columns column..column+LANES-1 after a prefix of `n` games. error[]
 * gets the cross-validated mean squared error; status[] 0 for fit, else which rule left the subset
 * out. */
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

#ifdef KERNEL_EXTEND
/* Extend the prefix of n games by `column`, for all rows and every fold at once, a fold per lane.
 * False if that game adds nothing. */
KERNEL_TARGET static bool KERNEL_EXTEND(worker *w, size_t n, size_t column) {
  const level_state *from = &w->levels[n];
  level_state *to = &w->levels[n + 1];
  size_t width = w->width, m = n + 1;
  for (size_t t = 0; t < w->fold_count + 1; t += LANES) {
    lanes g[SIXER_SUBSET_MAX], u[SIXER_SUBSET_MAX];
    const lanes whole = *(const lanes_at *)(w->by_fold + (column * w->stride + column) * width + t);
    lanes pivot = whole, last = *(const lanes_at *)(w->moment_by_fold + column * width + t);
    for (size_t i = 0; i < n; i++)
      g[i] = *(const lanes_at *)(w->by_fold + (w->game[i] * w->stride + column) * width + t);
    for (size_t i = 0; i < n; i++) {
      lanes sum = *(const lanes_at *)(from->inverse + i * n * width + t) * g[0];
      for (size_t j = 1; j < n; j++)
        sum += *(const lanes_at *)(from->inverse + (i * n + j) * width + t) * g[j];
      u[i] = sum;
      pivot -= g[i] * sum;
      last -= g[i] * *(const lanes_at *)(from->beta + i * width + t);
    }
    lanes_mask weak = pivot <= PIVOT_TOLERANCE * whole;
    for (size_t k = 0; k < LANES; k++) {
      if (weak[k] && t + k <= w->fold_count)
        return false; /* lanes beyond the folds are never read */
    }
    lanes reciprocal = 1 / pivot;
    last *= reciprocal;
    for (size_t i = 0; i < n; i++) {
      lanes share = u[i] * reciprocal;
      for (size_t j = 0; j < n; j++)
        *(lanes_at *)(to->inverse + (i * m + j) * width + t) =
            *(const lanes_at *)(from->inverse + (i * n + j) * width + t) + share * u[j];
      *(lanes_at *)(to->inverse + (i * m + n) * width + t) = -share;
      *(lanes_at *)(to->inverse + (n * m + i) * width + t) = -share;
      *(lanes_at *)(to->beta + i * width + t) =
          *(const lanes_at *)(from->beta + i * width + t) - u[i] * last;
    }
    *(lanes_at *)(to->inverse + (n * m + n) * width + t) = reciprocal;
    *(lanes_at *)(to->beta + n * width + t) = last;
  }
  w->game[n] = column;
  return true;
}
#endif

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
#undef LANES
#undef lanes
#undef lanes_at
#undef lanes_mask
#undef lanes_mask_at
#undef KERNEL_TARGET
