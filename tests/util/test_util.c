/* Small pieces of src/util: generators, texts from outside, and threads that share out items. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdatomic.h>
#include <string.h>

#include "util/number.h"
#include "util/mt19937.h"
#include "util/random.h"
#include "util/text.h"
#include "util/threads.h"

/* The first outputs for the seed 1234567, as published with implementations of splitmix64. */
static void test_random_is_splitmix64(void **state) {
  (void)state;
  static const uint64_t wanted[] = {6457827717110365317u, 3203168211198807973u,
                                    9817491932198370423u, 4593380528125082431u,
                                    16408922859458223821u};
  uint64_t s = 1234567;
  for (int i = 0; i < 5; i++) assert_int_equal(random_next(&s), wanted[i]);
}

static void test_random_ranges(void **state) {
  (void)state;
  int counts[7] = {0};
  double sum = 0;
  uint64_t s = 1;
  for (int i = 0; i < 70000; i++) counts[random_below(&s, 7)]++;
  for (int i = 0; i < 7; i++) assert_in_range(counts[i], 9600, 10400);
  for (int i = 0; i < 10000; i++) {
    double x = random_real(&s);
    assert_true(x >= 0 && x < 1);
    sum += x;
  }
  assert_true(sum > 4850 && sum < 5150);
}

enum { ITEMS = 1000, THREADS = 4 };

typedef struct round {
  atomic_int done[ITEMS];
  atomic_int busy[THREADS];
  atomic_int wrong;
} round;

static void touch(void *context, int item, int thread) {
  round *r = context;
  if (thread < 0 || thread >= THREADS || atomic_fetch_add(&r->busy[thread], 1)) r->wrong++;
  atomic_fetch_add(&r->done[item], 1);
  atomic_fetch_sub(&r->busy[thread], 1);
}

static void touch_twice(void *context, int item, int thread) {
  touch(context, item, thread);
  touch(context, item, thread);
}

static void expect_done(round *r, int count, int times) {
  assert_int_equal(r->wrong, 0);
  for (int i = 0; i < ITEMS; i++) assert_int_equal(r->done[i], i < count ? times : 0);
  memset(r, 0, sizeof *r);
}

/* Every item once, whatever the count, with work that changes from round to round. */
static void test_pool_rounds(void **state) {
  (void)state;
  static round r;
  thread_pool *pool = pool_create(THREADS, 0, -1);
  assert_non_null(pool);
  for (int i = 0; i < 300; i++) {
    int count = i % 3 ? i % 11 : ITEMS - i;
    pool_run(pool, i % 2 ? touch : touch_twice, &r, count);
    expect_done(&r, count, i % 2 ? 1 : 2);
  }
  pool_destroy(pool);
  pool_run_once(THREADS, touch, &r, ITEMS);
  expect_done(&r, ITEMS, 1);
  pool_run_once(1, touch, &r, 5);
  expect_done(&r, 5, 1);
}

static void test_pool_push(void **state) {
  (void)state;
  static round r;
  int items[100];
  thread_pool *pool = pool_create(THREADS, 100, -1);
  assert_non_null(pool);
  for (int i = 0; i < 100; i++) items[i] = i;
  assert_true(pool_push(pool, touch, &r, items, 60));
  assert_true(pool_push(pool, touch, &r, items + 60, 40));
  pool_destroy(pool); /* finishes what was pushed */
  expect_done(&r, 100, 1);
}

static void test_pool_threads(void **state) {
  (void)state;
  assert_int_equal(pool_threads(3, 10), 3);
  assert_int_equal(pool_threads(3, 2), 2);
  assert_int_equal(pool_threads(3, 0), 1);
  assert_int_equal(pool_threads(1000, 100000), 256);
  assert_int_equal(pool_threads(0, 100000), pool_processors() < 256 ? pool_processors() : 256);
}

static void test_mersenne_twister(void **state) {
  (void)state;
  mt19937 one, other;
  uint32_t last = 0;
  mt_seed(&one, 5489); /* the 10,000th number of this seed is in the C++ standard, 28.5.6 */
  for (int i = 0; i < 10000; i++) last = mt_next(&one);
  assert_int_equal(last, 4123659995u);
  static const uint64_t counts[] = {0, 1, 623, 624, 625, 1247, 1248, 1249, 100000};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    mt_seed(&one, 7);
    mt_seed(&other, 7);
    mt_next(&one), mt_next(&other);
    for (uint64_t k = 0; k < counts[i]; k++) mt_next(&one);
    mt_skip(&other, counts[i]);
    for (int k = 0; k < 700; k++) assert_int_equal(mt_next(&one), mt_next(&other));
  }
}

static void test_texts(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"plain", "plain"},
      {"a\tb\nc", "a\tb\nc"},
      {"\033[31mred\007", "?[31mred?"},
      {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8E\xAE", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8E\xAE"},
      {"\xC2\x9B", "??"},           /* CSI as one character */
      {"\xC0\x80", "??"},           /* too long a form */
      {"\xED\xA0\x80", "???"},      /* half of a pair */
      {"\xF4\x90\x80\x80", "????"}, /* beyond U+10FFFF */
      {"x\xE2\x82", "x??"},         /* cut off */
      {"\x7F", "?"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    char text[40];
    strcpy(text, pairs[i][0]);
    text_clean(text);
    assert_string_equal(text, pairs[i][1]);
  }
}

/* The buffer has the text, whatever the number is: it is what some callers use. */
static void test_number_text(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {{__builtin_nan(""), "nan"},
               {__builtin_inf(), "inf"},
               {-__builtin_inf(), "-inf"},
               {0.1, "0.1"},
               {-0.0, "0"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char buffer[32] = "?";
    assert_string_equal(number_text(cases[i].value, buffer), cases[i].text);
    assert_string_equal(buffer, cases[i].text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mersenne_twister),
      cmocka_unit_test(test_number_text),
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_random_is_splitmix64),
      cmocka_unit_test(test_random_ranges),
      cmocka_unit_test(test_pool_rounds),
      cmocka_unit_test(test_pool_push),
      cmocka_unit_test(test_pool_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
