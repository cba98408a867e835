/* The tiles of nn_avx512.c with vectors of 16 floats in portable C: the same text, run on any processor, gives the
 * bytes of the reference. What this leaves out is that each AVX-512 instruction does what its name says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nn/nn_kernels.h"
#include "nn/nn_math.h"
#include "nn/nn_net.h"

/* else compiling takes minutes */
#define NOINLINE __attribute__((noinline))
#define TARGET
typedef struct vec {
  float lane[16];
} vec;
enum { WIDTH = 16, PER_PANEL = 1 };

#define FUNCTION(name, expression)                       \
  static NOINLINE vec name(vec a, vec b, vec c) {        \
    vec out;                                             \
    for (int i = 0; i < 16; i++) {                       \
      float x = a.lane[i], y = b.lane[i], z = c.lane[i]; \
      (void)y, (void)z;                                  \
      out.lane[i] = (expression);                        \
    }                                                    \
    return out;                                          \
  }
FUNCTION(vec_add, x + y)
FUNCTION(vec_sub, x - y)
FUNCTION(vec_mul, x *y)
FUNCTION(vec_div, x / y)
FUNCTION(vec_sqrt, sqrtf(x))
FUNCTION(vec_fma, nn_fma(x, y, z))
FUNCTION(vec_relu, 0 > x ? 0 : x)
FUNCTION(vec_abs, fabsf(x))
FUNCTION(vec_negate, -x)
FUNCTION(vec_positive, x > 0 ? y : 0)
FUNCTION(vec_less, x < y ? 1.0f : 0.0f)
FUNCTION(vec_choose, x != 0 ? y : z)

static NOINLINE vec vec_set(float x) {
  vec out;
  for (int i = 0; i < 16; i++) out.lane[i] = x;
  return out;
}
static NOINLINE vec vec_load(const float *from) {
  vec out;
  for (int i = 0; i < 16; i++) out.lane[i] = from[i];
  return out;
}
static NOINLINE void vec_store(float *to, vec v) {
  for (int i = 0; i < 16; i++) to[i] = v.lane[i];
}
#define SET(x)                 vec_set(x)
#define LOAD(p)                vec_load(p)
#define STORE(p, v)            vec_store(p, v)
#define ADD(a, b)              vec_add(a, b, a)
#define SUB(a, b)              vec_sub(a, b, a)
#define MUL(a, b)              vec_mul(a, b, a)
#define DIV(a, b)              vec_div(a, b, a)
#define SQRT(a)                vec_sqrt(a, a, a)
#define FMA(a, b, c)           vec_fma(a, b, c)
#define RELU(v)                vec_relu(v, v, v)
#define ABS(v)                 vec_abs(v, v, v)
#define NEGATE(v)              vec_negate(v, v, v)
#define POSITIVE(m, v)         vec_positive(m, v, v)
#define IF_LESS(a, b, yes, no) vec_choose(vec_less(a, b, a), yes, no)
#define ACCUMULATE(sum, a, b)  (sum) = vec_fma(a, b, sum)
#include "nn/nn_wide_body.h"

static void convert4(const uint8_t *planes, size_t area, size_t count, float *x) {
  for (size_t i = 0; i < count; i++)
    for (size_t c = 0; c < 4; c++) *x++ = (float)planes[c * area + i] * (1.0f / 255);
}

static const nn_kernels wide = {.group = 12,
                                .tile = tile,
                                .convert4 = convert4,
                                .step = step,
                                .square_block = square_block,
                                .add_rows = add_rows,
                                .compose = compose,
                                .sigma = sigma,
                                .multiply = multiply,
                                .mask = mask,
                                .mix_backward = mix_backward,
                                .norm = norm,
                                .norm_backward = norm_backward,
                                .norm_affine = norm_affine,
                                .turn = turn,
                                .peak = peak};

/* Nets of the tests get these kernels. */
static void use_wide(nn_net *net) {
  net->engine->destroy(net->engine);
  net->kernels = &wide;
  net->engine = nn_fast_create(net, &wide);
}
#define NETWORK_CREATED(net) \
  if (nn_net_set(net) == NN_SET_PLAIN) use_wide(net)
#include "nn/networks.h"

static void test_wide(void **state) {
  (void)state;
  for (int i = 0; i < NETWORK_CASES; i++) {
    trained reference, got;
    assert_true(train_network(&network_cases[i], NN_SET_REFERENCE, 1, 2, &reference));
    assert_true(train_network(&network_cases[i], NN_SET_PLAIN, 2, 2, &got));
    if (trained_digest(&got) != trained_digest(&reference)) {
      print_error("%s: the wide tiles differ from the reference\n", network_cases[i].name);
      fail();
    }
    trained_free(&reference);
    trained_free(&got);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_wide)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
