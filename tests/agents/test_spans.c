/* Compressed frames and sums: spans and keys round trip, never touch anything outside of their buffers, whatever the
 * code is; the sum tree against plain sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agents/deep/spans.h"
#include "agents/deep/sum_tree.h"
#include "sixer/vec.h"
#include "util/random.h"

/* Encode b after a and by itself into blocks of exactly the size that is needed, so that a sanitizer sees everything
 * that is out of bounds, and decode them again. */
static void round_trip(const uint8_t *a, const uint8_t *b, int width, int height) {
  size_t size = (size_t)width * (size_t)height;
  uint8_t *code = malloc(size + SPANS_SLACK), *frame = malloc(size);
  size_t bytes = spans_encode(a, b, size, code);
  assert_true(bytes <= size);
  uint8_t *exact = malloc(bytes ? bytes : 1);
  memcpy(exact, code, bytes);
  memcpy(frame, a, size);
  assert_true(spans_decode(frame, size, exact, bytes));
  assert_memory_equal(frame, b, size);
  free(exact);

  bytes = spans_encode_key(b, width, height, code);
  assert_true(bytes >= 1 && bytes <= size);
  exact = malloc(bytes);
  memcpy(exact, code, bytes);
  memset(frame, 0xA5, size);
  assert_true(spans_decode_key(frame, width, height, exact, bytes));
  assert_memory_equal(frame, b, size);
  free(exact);
  free(code);
  free(frame);
}

static void test_random_frames(void **state) {
  (void)state;
  uint64_t rng = 1;
  for (int round = 0; round < 4000; round++) {
    int width = 1 + random_below(&rng, round % 10 ? 90 : 255);
    int height = 1 + random_below(&rng, round % 10 ? 90 : 128);
    size_t size = (size_t)width * (size_t)height;
    uint8_t *a = malloc(size), *b = malloc(size);
    int colors = 1 + random_below(&rng, round % 3 ? 4 : 256);
    int changes = random_below(&rng, 4) ? random_below(&rng, (int)size + 1) : (int)size;
    int run = 1 + random_below(&rng, 300);
    for (size_t i = 0; i < size; i++)
      a[i] = i % (size_t)run ? a[i - 1] : (uint8_t)random_below(&rng, colors);
    memcpy(b, a, size);
    for (int i = 0; i < changes; i++)
      b[random_below(&rng, (int)size)] = (uint8_t)random_below(&rng, colors);
    round_trip(a, b, width, height);
    round_trip(a, a, width, height);
    free(a);
    free(b);
  }
}

/* Lengths around the bounds of a byte: skips and spans of 250..520 pixels. */
static void test_long_spans(void **state) {
  (void)state;
  static uint8_t a[84 * 84], b[84 * 84];
  for (int skip = 250; skip <= 520; skip++) {
    for (int length = 1; length <= 520; length += length < 250 ? 83 : 1) {
      memset(b, 0, sizeof b);
      memset(b + skip, 9, (size_t)length);
      round_trip(a, b, 84, 84);
    }
  }
}

/* Random bytes as a code: refused or decoded, never out of bounds (the sanitizers look). */
static void test_random_codes(void **state) {
  (void)state;
  uint64_t rng = 7;
  int good = 0;
  for (int round = 0; round < 20000; round++) {
    int width = 1 + random_below(&rng, 20), height = 1 + random_below(&rng, 20);
    size_t size = (size_t)width * (size_t)height, bytes = (size_t)random_below(&rng, 40);
    uint8_t *code = malloc(bytes ? bytes : 1), *frame = calloc(1, size);
    for (size_t i = 0; i < bytes; i++)
      code[i] = (uint8_t)random_below(&rng, random_below(&rng, 4) ? 6 : 256);
    good += spans_decode(frame, size, code, bytes);
    good += spans_decode_key(frame, width, height, code, bytes);
    free(code);
    free(frame);
  }
  assert_true(good > 100 && good < 39000);
}

/* Pictures of our own games, as a deep agent sees them. */
static void test_real_screens(void **state) {
  (void)state;
  const char *const games[] = {"afterglow", "duskrain", "hedgelight"};
  for (int g = 0; g < 3; g++) {
    sixer_rom *rom;
    assert_int_equal(sixer_rom_open(games[g], NULL, &rom, NULL), SIXER_OK);
    sixer_vec_config config = sixer_vec_config_default();
    config.threads = 1;
    config.stack = 1;
    sixer_vec_slot slot = {rom, SIXER_MODE_DEFAULT, 0};
    sixer_vec *vec;
    assert_int_equal(sixer_vec_create(&slot, 1, &config, &vec, NULL), SIXER_OK);
    static uint8_t frames[2][84 * 84];
    sixer_vec_out out = {.rows = 1, .obs = frames[0]};
    assert_int_equal(sixer_vec_reset(vec, NULL, NULL, &out, NULL), SIXER_OK);
    uint64_t rng = 3;
    for (int i = 1; i < 500; i++) {
      int32_t action = random_below(&rng, sixer_vec_actions(vec, 0).count);
      out.obs = frames[i % 2];
      assert_int_equal(sixer_vec_step(vec, &action, NULL, &out, NULL), SIXER_OK);
      round_trip(frames[(i + 1) % 2], frames[i % 2], 84, 84);
    }
    sixer_vec_destroy(vec);
    sixer_rom_close(rom);
  }
}

static void test_sum_tree(void **state) {
  (void)state;
  uint64_t rng = 4;
  for (int round = 0; round < 50; round++) {
    int64_t count = 1 + random_below(&rng, 200);
    double values[200] = {0};
    sum_tree t, again;
    assert_true(sum_tree_create(&t, count) && sum_tree_create(&again, count));
    for (int step = 0; step < 300; step++) {
      /* integers, so that plain sums are exact in any order */
      int at = random_below(&rng, (int)count);
      values[at] = random_below(&rng, 3) ? random_below(&rng, 1000) : 0;
      sum_tree_set(&t, at, values[at]);
      double total = 0;
      for (int i = 0; i < count; i++) total += values[i];
      assert_true(sum_tree_total(&t) == total && sum_tree_get(&t, at) == values[at]);
      if (total == 0) continue;
      double point = random_real(&rng) * total, sum = 0;
      if (step % 10 == 0) point = random_below(&rng, (int)total + 1);
      int wanted = 0;
      for (int i = 0; i < count; i++) {
        if (values[i] == 0) continue;
        wanted = i;
        sum += values[i];
        if (point <= sum) break;
      }
      assert_int_equal(sum_tree_find(&t, point), wanted);
      /* beyond the end: the last that is not 0 */
      assert_true(values[sum_tree_find(&t, total * 2)] > 0);
    }
    /* sums depend on the numbers alone, not on their past: real numbers, set in another order */
    for (int i = 0; i < count; i++) sum_tree_set(&t, i, values[i] = random_real(&rng));
    for (int64_t i = count - 1; i >= 0; i--) sum_tree_set(&again, i, values[i]);
    assert_memory_equal(t.nodes + 1, again.nodes + 1, (size_t)(2 * t.leaves - 1) * sizeof *t.nodes);
    sum_tree_rebuild(&again);
    assert_memory_equal(t.nodes + 1, again.nodes + 1, (size_t)(2 * t.leaves - 1) * sizeof *t.nodes);
    sum_tree_free(&t);
    sum_tree_free(&again);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_frames), cmocka_unit_test(test_long_spans),
      cmocka_unit_test(test_random_codes), cmocka_unit_test(test_real_screens),
      cmocka_unit_test(test_sum_tree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
