/* One tile of ROWS rows and COLUMNS vectors; included once for each. No include guard.
 *
 * Each accumulator is a variable of its own: compilers keep arrays of vectors in memory. There are two kinds of
 * rows. TILE_CONTIGUOUS: those of a are adjacent floats and those of c adjacent panels, so one pointer serves them
 * all. Else each row has a pointer and the loop one index, which counts adjacent floats of a and adjacent panels of
 * b. The file that includes this defines the vectors (nn_avx2.c shows how).
 *
 * The weights of a dense layer are larger than the caches next to the processor, and processors do not fetch ahead
 * across pages of memory. So a tile can fetch its weights ahead: panels of b by TILE_AHEAD steps, or rows of a by
 * OUTER_AHEAD steps of `outer`. */
#define PASTE_(a, b, c, d, e) a##b##c##d##e
#define PASTE(a, b, c, d, e)  PASTE_(a, b, c, d, e)
#if TILE_CONTIGUOUS
#define NAME PASTE(tile_, ROWS, x, COLUMNS, _s)
#else
#define NAME PASTE(tile_, ROWS, x, COLUMNS, _p)
#endif

#define EACH_1(M)  M(0)
#define EACH_2(M)  EACH_1(M) M(1)
#define EACH_3(M)  EACH_2(M) M(2)
#define EACH_4(M)  EACH_3(M) M(3)
#define EACH_5(M)  EACH_4(M) M(4)
#define EACH_6(M)  EACH_5(M) M(5)
#define EACH_7(M)  EACH_6(M) M(6)
#define EACH_8(M)  EACH_7(M) M(7)
#define EACH_9(M)  EACH_8(M) M(8)
#define EACH_10(M) EACH_9(M) M(9)
#define EACH_11(M) EACH_10(M) M(10)
#define EACH_12(M) EACH_11(M) M(11)
#define OF_1(M, i) M(i, 0)
#define OF_2(M, i) OF_1(M, i) M(i, 1)
#define OF_4(M, i) OF_2(M, i) M(i, 2) M(i, 3)
#define OF_8(M, i) OF_4(M, i) M(i, 4) M(i, 5) M(i, 6) M(i, 7)

#define EACH      PASTE(EACH_, ROWS, , , )
#define OF        PASTE(OF_, COLUMNS, , , )
#define PANEL(j)  ((j) / PER_PANEL)
#define WITHIN(j) ((j) % PER_PANEL * WIDTH)

#define DECLARE_(i, j) vec c##i##_##j;
#define DECLARE(i)     OF(DECLARE_, i)
#define ZERO_(i, j)    c##i##_##j = SET(0);
#define ZERO(i)        OF(ZERO_, i)
#define FROM_C_(i, j)  c##i##_##j = LOAD(c + C_ROW(i) + PANEL(j) * t->c_panel + WITHIN(j));
#define FROM_C(i)      OF(FROM_C_, i)
#define BIAS_(i, j)    c##i##_##j = LOAD(bias + (j)*WIDTH);
#define BIAS(i)        OF(BIAS_, i)
#define RELU_(i, j)    c##i##_##j = RELU(c##i##_##j);
#define END_RELU(i)    OF(RELU_, i)
#define MASK_(i, j) \
  c##i##_##j =      \
      POSITIVE(LOAD(c + t->mask + C_ROW(i) + PANEL(j) * t->c_panel + WITHIN(j)), c##i##_##j);
#define END_MASK(i)   OF(MASK_, i)
#define STORE_(i, j)  STORE(c + C_ROW(i) + PANEL(j) * t->c_panel + WITHIN(j), c##i##_##j);
#define TO_C(i)       OF(STORE_, i)
#define READ_B_(u, j) vec b##j = LOAD(y + (u)*B_INNER + PANEL(j) * b_panel + WITHIN(j));
#define FETCH_B_(u, j)      \
  if ((j) % PER_PANEL == 0) \
    __builtin_prefetch(y + ((u) + TILE_AHEAD) * B_INNER + PANEL(j) * b_panel);
#define FETCH_A(i) __builtin_prefetch(a##i + t->a_outer[o + OUTER_AHEAD]);
#define POINTER(i) const float *a##i = a + a_rows[i];
#define FMA_(i, j) ACCUMULATE(c##i##_##j, x##i, b##j);
#if TILE_CONTIGUOUS
#define C_ROW(i) ((i)*16)
#define B_INNER  b_inner
#define MULTIPLY(i)     \
  vec x##i = SET(x[i]); \
  OF(FMA_, i)
#else
#define C_ROW(i) c_rows[i]
#define B_INNER  16
#define MULTIPLY(i)               \
  vec x##i = SET(a##i[k + step]); \
  OF(FMA_, i)
#define STEP(u)               \
  {                           \
    const ptrdiff_t step = u; \
    OF(READ_B_, u)            \
    EACH(MULTIPLY)            \
  }
#endif

static TARGET void NAME(const nn_tile *t, const float *a, const ptrdiff_t *a_rows, const float *b,
                        float *c, const ptrdiff_t *c_rows, const float *bias) {
  const ptrdiff_t b_panel = t->b_panel;
  (void)b_panel, (void)a_rows, (void)c_rows;
  EACH(DECLARE)
  if (t->start == NN_FROM_ZERO) {
    EACH(ZERO)
  } else if (t->start == NN_FROM_C) {
    EACH(FROM_C)
  } else {
    EACH(BIAS)
  }
#if TILE_CONTIGUOUS
  const ptrdiff_t a_inner = t->a_inner, b_inner = t->b_inner;
  for (int o = 0; o < t->outer; o++) {
    const float *x = a + t->a_outer[o], *y = b + t->b_outer[o];
    for (int n = t->inner; n > 0; n--, x += a_inner, y += b_inner) {
      OF(READ_B_, 0)
      EACH(MULTIPLY)
    }
  }
#else
  const bool fetch_b = t->fetch == NN_FETCH_B;
  EACH(POINTER)
  for (int o = 0; o < t->outer; o++) {
    const float *y = b + t->b_outer[o];
    ptrdiff_t k = t->a_outer[o];
    const ptrdiff_t end = k + t->inner;
    if (t->fetch == NN_FETCH_A && o + OUTER_AHEAD < t->outer) { EACH(FETCH_A) }
    /* by four: the loop becomes short enough for its end to be predicted */
    for (; k + 4 <= end; k += 4, y += 4 * B_INNER) {
      if (fetch_b) { OF(FETCH_B_, 0) OF(FETCH_B_, 1) OF(FETCH_B_, 2) OF(FETCH_B_, 3) }
      STEP(0) STEP(1) STEP(2) STEP(3)
    }
    for (; k < end; k++, y += B_INNER) STEP(0)
  }
#endif
  if (t->end == NN_END_RELU) {
    EACH(END_RELU)
  } else if (t->end == NN_END_MASK) {
    EACH(END_MASK)
  }
  EACH(TO_C)
}

#undef PASTE_
#undef PASTE
#undef NAME
#undef EACH_1
#undef EACH_2
#undef EACH_3
#undef EACH_4
#undef EACH_5
#undef EACH_6
#undef EACH_7
#undef EACH_8
#undef EACH_9
#undef EACH_10
#undef EACH_11
#undef EACH_12
#undef OF_1
#undef OF_2
#undef OF_4
#undef OF_8
#undef EACH
#undef OF
#undef PANEL
#undef WITHIN
#undef DECLARE_
#undef DECLARE
#undef ZERO_
#undef ZERO
#undef FROM_C_
#undef FROM_C
#undef BIAS_
#undef BIAS
#undef RELU_
#undef END_RELU
#undef MASK_
#undef END_MASK
#undef STORE_
#undef TO_C
#undef READ_B_
#undef FETCH_B_
#undef FETCH_A
#undef POINTER
#undef FMA_
#undef MULTIPLY
#undef C_ROW
#undef B_INNER
#undef STEP
#undef TILE_CONTIGUOUS
#undef ROWS
