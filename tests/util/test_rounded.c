/* util/rounded.h and util/sort.h: elementary functions whose every bit is known, and a sort that keeps the order of
 * equals. The expected values were computed with 200 bits and rounded once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/rounded.h"
#include "util/sort.h"

static double pow_of_ten(double x) { return rounded_pow(10, x); }
static double discounted(double x) { return rounded_pow(0.995, x); }
static double hypot_with_three(double x) { return rounded_hypot(x, 3); }

static const struct {
  double (*function)(double);
  double x, expected;
} known[] = {
    {rounded_exp, -0x1.ed44ac963f43cp+7, 0x1.22742b8716ed8p-356},
    {rounded_exp, -0x1.e8cfa7f3e7e86p+8, 0x1.bc0c083bb704ep-706},
    {rounded_exp, 0x1.a69dd48ce676cp+7, 0x1.ce85f33ad47e9p+304},
    {rounded_exp, -0x1.2b4b6adca374cp+9, 0x1.561d137b2cc84p-864},
    {rounded_exp, 0x1.91e0e1fbc8350p+5, 0x1.63735f0564b4bp+72},
    {rounded_exp, -0x1.78122f320631ep+7, 0x1.a64a737a7c4dap-272},
    {rounded_exp, -0x1.356697b9e6a11p+9, 0x1.3228b01887fe0p-893},
    {rounded_exp, 0x1.4d1eefd24f500p+3, 0x1.034d7f617aefap+15},
    {rounded_log, 0x1.1d4afe77b0270p-922, -0x1.3f7c971b246bap+9},
    {rounded_log, 0x1.ad2e1ba4ffd34p-133, -0x1.6eb0003535974p+6},
    {rounded_log, 0x1.92ee4444c0ee5p-858, -0x1.29222304f3c8bp+9},
    {rounded_log, 0x1.2b96880f62ce0p-816, -0x1.1ab9b60f6ddf6p+9},
    {rounded_log, 0x1.78150c0b6edfep-151, -0x1.a11f54040eb1ap+6},
    {rounded_log, 0x1.61fcbae4c704bp+651, 0x1.c3901a142829cp+8},
    {rounded_log, 0x1.21ad35296f878p-750, -0x1.03de4f639a520p+9},
    {rounded_log, 0x1.4b43fe33257dap-552, -0x1.7e5c083c10c07p+8},
    {rounded_log, 0x1.00000446a49eap+0, 0x1.11a9255eeb99dp-22},
    {rounded_log, 0x1.00000f05ca605p+0, 0x1.e0b93def23003p-21},
    {rounded_log, 0x1.000002964f2d5p+0, 0x1.4b2794fba09d3p-23},
    {rounded_log, 0x1.fffff910fbec1p-1, -0x1.bbc107fd359fcp-23},
    {rounded_log, 0x1.00000ffb000d8p+0, 0x1.ff5ff1b9feff1p-21},
    {rounded_log, 0x1.ffffe192598a6p-1, -0x1.e6da75d1887dbp-21},
    {rounded_log, 0x1.00000c07387a5p+0, 0x1.80e7063f284edp-21},
    {rounded_log, 0x1.fffff1e183db1p-1, -0x1.c3cf8ad8c9c85p-22},
    {rounded_log10, 0x1.89726086479e1p-11, -0x1.8ff5a47f898efp+1},
    {rounded_log10, 0x1.645e45d79f202p-12, -0x1.bbfe64293ffcfp+1},
    {rounded_log10, 0x1.a36538d7c3c9ap-4, -0x1.fabeb6edddaf0p-1},
    {rounded_log10, 0x1.8d814ea582026p+18, 0x1.670462aeeda3cp+2},
    {rounded_log10, 0x1.250eb96b71c4ap-9, -0x1.5345742a907d7p+1},
    {rounded_log10, 0x1.6bbfd0012f6dep+8, 0x1.47c85d36cf7dap+1},
    {rounded_log10, 0x1.f99bfefbe36bep+10, 0x1.a726ea4713c18p+1},
    {rounded_log10, 0x1.632be2700c63bp-1, -0x1.4549aebbc0460p-3},
    {rounded_log1p, 0x1.e57d6f4301402p-18, 0x1.e57cfc2c94ff3p-18},
    {rounded_log1p, 0x1.e63d9ebdd75aap-47, 0x1.e63d9ebdd7570p-47},
    {rounded_log1p, 0x1.aa0f5fe197d0ap-47, 0x1.aa0f5fe197cdep-47},
    {rounded_log1p, 0x1.669f2b526aec4p-38, 0x1.669f2b5266ff8p-38},
    {rounded_log1p, 0x1.cf2b406f83226p-10, 0x1.cec2a04b93c59p-10},
    {rounded_log1p, 0x1.ab3843f2bf73ap-25, 0x1.ab38434082444p-25},
    {rounded_log1p, 0x1.f06b68e2ebcd8p-32, 0x1.f06b68e10a7d5p-32},
    {rounded_log1p, 0x1.22f0a43b2e52bp-15, 0x1.22ef59970d0e3p-15},
    {pow_of_ten, 0x1.1423058822be8p+0, 0x1.7f89f24d071f4p+3},
    {pow_of_ten, -0x1.3558ec61d0060p-2, 0x1.febe5c3154089p-2},
    {pow_of_ten, 0x1.09900554f175fp+2, 0x1.b8d2f9f03122dp+13},
    {pow_of_ten, 0x1.a53dd8b04ba3ap+1, 0x1.e8874c51cf119p+10},
    {pow_of_ten, -0x1.9b340a10d9fd4p-1, 0x1.4241116d73fbep-3},
    {pow_of_ten, 0x1.15bc71fb3c622p+1, 0x1.27b1d10f98101p+7},
    {pow_of_ten, 0x1.ba0d80ae97f04p+0, 0x1.aa70c996d8f2bp+5},
    {pow_of_ten, 0x1.38144648baf1ap+2, 0x1.25c365b4e4877p+16},
    {discounted, 0x1.1180000000000p+11, 0x1.217b38ce18ec5p-16},
    {discounted, 0x1.b000000000000p+9, 0x1.af1d135190894p-7},
    {discounted, 0x1.6f80000000000p+11, 0x1.ab52f0344dd0bp-22},
    {discounted, 0x1.6300000000000p+8, 0x1.598f6412199eep-3},
    {discounted, 0x1.3980000000000p+10, 0x1.e84bc76c99119p-10},
    {discounted, 0x1.1be0000000000p+11, 0x1.7dea237581fe3p-17},
    {discounted, 0x1.c800000000000p+8, 0x1.a09120f714349p-4},
    {discounted, 0x1.6ec0000000000p+10, 0x1.4fc2a468182b4p-11},
    {rounded_erf, -0x1.d7da0d84dc8f2p+1, -0x1.fffff9c6428bap-1},
    {rounded_erf, 0x1.58818e13deef8p+0, 0x1.e2ce106731503p-1},
    {rounded_erf, 0x1.0eebaa476f06ap+1, 0x1.fe963e42d5c19p-1},
    {rounded_erf, 0x1.2b1d3f9404268p-1, 0x1.2ebfab1360d9bp-1},
    {rounded_erf, 0x1.807d4168bfcd6p+1, 0x1.fffd2c6c63c9dp-1},
    {rounded_erf, -0x1.7d71f1a8edbdcp+0, -0x1.ee07699a5cba5p-1},
    {rounded_erf, 0x1.8ff70459a54a4p+0, 0x1.f21adb44ff2eep-1},
    {rounded_erf, 0x1.8289fcfe4c288p-1, 0x1.6dbcef5df13c6p-1},
    {rounded_erfc, 0x1.ba248b3c70810p+3, 0x1.f1d4e97424986p-281},
    {rounded_erfc, 0x1.475bc9c3f9fc0p+3, 0x1.c7aa66c821ad8p-156},
    {rounded_erfc, 0x1.55bebb9b6db69p+4, 0x1.7fdcfcf05b76ap-664},
    {rounded_erfc, 0x1.8654ffcba80efp+4, 0x1.eb5b953e28553p-865},
    {rounded_erfc, 0x1.57f69804db5c7p+3, 0x1.0a281977552f4p-171},
    {rounded_erfc, 0x1.042aa7d3c51eap+4, 0x1.9f569e4fbdeb0p-387},
    {rounded_erfc, -0x1.3d9715597bf0cp+0, 0x1.ebaf8afbd3ee9p+0},
    {rounded_erfc, 0x1.157e073bf50cep+4, 0x1.140df77eaf118p-439},
    {hypot_with_three, 0x1.02d9fea4e5b63p+6, 0x1.032129cfb1a93p+6},
    {hypot_with_three, 0x1.8d3d06320fd5fp+6, 0x1.8d6b69fa05e23p+6},
    {hypot_with_three, 0x1.48c519204833ap+6, 0x1.48fd249c7ead4p+6},
    {hypot_with_three, 0x1.c75a54775357dp+4, 0x1.c9e0325a9c2a2p+4},
    {hypot_with_three, 0x1.34a21660b43b4p+5, 0x1.35909ce806f89p+5},
    {hypot_with_three, 0x1.0b7609c159aadp+6, 0x1.0bbaeb0c6c3edp+6},
    {hypot_with_three, 0x1.20ce33e109a60p+1, 0x1.e07bd50b9663ap+1},
    {hypot_with_three, 0x1.715b31d38be18p+5, 0x1.722298b7d4e60p+5},
};

static void test_known(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    double found = known[i].function(known[i].x);
    if (found != known[i].expected)
      fail_msg("row %zu: %a gives %a instead of %a", i, known[i].x, found, known[i].expected);
  }
}

static void test_exact(void **state) {
  (void)state;
  for (int n = -300; n <= 300; n += 3) assert_true(rounded_log10(rounded_pow(10, n)) == n);
  for (int n = 0; n <= 22; n++) {
    double power = 1;
    for (int i = 0; i < n; i++) power *= 10;
    assert_true(rounded_pow(10, n) == power);
  }
  for (int n = -1074; n < 1024; n++) assert_true(rounded_pow(2, n) == ldexp(1, n));
  assert_true(rounded_hypot(3, 4) == 5 && rounded_hypot(-3e300, 4e300) == 5e300);
  assert_true(rounded_exp(0) == 1 && rounded_log(1) == 0 && rounded_erf(0) == 0 &&
              rounded_erfc(0) == 1);
}

static void test_limits(void **state) {
  (void)state;
  assert_true(rounded_exp(-1000) == 0 && isinf(rounded_exp(1000)) && isnan(rounded_exp(NAN)));
  assert_true(isinf(rounded_log(0)) && isnan(rounded_log(-1)) && isinf(rounded_log10(INFINITY)));
  assert_true(isinf(rounded_log1p(-1)) && isnan(rounded_log1p(-2)) &&
              rounded_log1p(1e-300) == 1e-300);
  assert_true(rounded_pow(0, 0) == 1 && rounded_pow(0, 2) == 0 && isinf(rounded_pow(0, -1)));
  assert_true(isnan(rounded_pow(-1, 0.5)) && rounded_pow(0.5, INFINITY) == 0 &&
              isinf(rounded_pow(9, 999)));
  assert_true(rounded_erf(INFINITY) == 1 && rounded_erf(-9) == -1 && rounded_erfc(30) == 0);
  assert_true(rounded_erfc(-INFINITY) == 2 && isnan(rounded_erfc(NAN)) &&
              isnan(rounded_hypot(NAN, 1)));
  assert_true(rounded_hypot(0, 0) == 0 && rounded_hypot(0x1p-1074, 0) == 0x1p-1074);
}

/* The C library's functions are near on all machines. */
static void test_near_library(void **state) {
  (void)state;
  uint32_t n = 12345;
  for (int i = 0; i < 20000; i++) {
    n = n * 1664525u + 1013904223u;
    double x = (n >> 8) / 16777216.0 * 20 + 1e-9, y = x - 10;
    double pairs[][2] = {{rounded_exp(y), exp(y)},       {rounded_log(x), log(x)},
                         {rounded_log10(x), log10(x)},   {rounded_log1p(x), log1p(x)},
                         {rounded_pow(x, y), pow(x, y)}, {rounded_erf(y), erf(y)},
                         {rounded_erfc(y), erfc(y)},     {rounded_hypot(x, y), hypot(x, y)}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
      double a = pairs[k][0], b = pairs[k][1];
      if (!(fabs(a - b) <= 1e-13 * fabs(b))) fail_msg("function %zu of %a: %a and %a", k, x, a, b);
    }
  }
}

typedef struct {
  int key, place;
  char more[5]; /* a size that no word has */
} element;

static int by_key(const void *a, const void *b) {
  return ((const element *)a)->key - ((const element *)b)->key;
}

static int by_half(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a >> 32, y = *(const uint64_t *)b >> 32;
  return (x > y) - (x < y);
}

static void test_sort(void **state) {
  (void)state;
  uint32_t n = 1;
  for (size_t count = 0; count < 200; count++) {
    element *list = calloc(count + 1, sizeof *list);
    uint64_t *words = calloc(count + 1, sizeof *words);
    assert_true(list && words);
    for (size_t i = 0; i < count; i++) {
      n = n * 1664525u + 1013904223u;
      list[i] = (element){(int)(n >> 24) % 11, (int)i, "four"};
      words[i] = (uint64_t)((n >> 20) % 7) << 32 | i;
    }
    sort_stable(list, count, sizeof *list, by_key);
    sort_stable(words, count, sizeof *words, by_half);
    for (size_t i = 1; i < count; i++) {
      const element *a = &list[i - 1], *b = &list[i];
      assert_true(a->key < b->key || (a->key == b->key && a->place < b->place));
      assert_true(words[i - 1] < words[i]);
      assert_string_equal(b->more, "four");
    }
    free(list);
    free(words);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known), cmocka_unit_test(test_exact), cmocka_unit_test(test_limits),
      cmocka_unit_test(test_near_library), cmocka_unit_test(test_sort)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
