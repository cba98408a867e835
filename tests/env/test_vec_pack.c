/* vec_pack.h: whatever is packed comes back, and bytes that were not made by it do no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "env/vec_pack.h"

static uint32_t draw(uint32_t *state) { return (*state = *state * 1664525u + 1013904223u) >> 8; }

/* Bytes with runs of zeros and of others, shorter and longer. */
static void fill(uint8_t *bytes, size_t size, uint32_t *random) {
  for (size_t at = 0; at < size;) {
    size_t run = 1 + draw(random) % (draw(random) % 4 ? 5 : 400);
    const uint32_t kind = draw(random) % 3;
    for (; run && at < size; run--)
      bytes[at++] = kind == 0 ? 0 : kind == 1 ? (uint8_t)draw(random) : 7;
  }
}

static void test_round_trip(void **unused) {
  (void)unused;
  uint32_t random = 1;
  static const size_t distances[] = {0, 1, 2, 3, 7, 8, 9, 84, 160, 336, 480, 5000};
  for (int i = 0; i < 2000; i++) {
    const size_t size = draw(&random) % 3 ? draw(&random) % 40 : draw(&random) % 4000;
    uint8_t *bytes = malloc(size + 1), *same = malloc(size + 1), *packed = malloc(pack_bound(size));
    fill(bytes, size, &random);
    memcpy(same, bytes, size);
    const size_t middle = size / 3, late = size / 2;
    const pack_range ranges[3] = {{0, distances[draw(&random) % 12]},
                                  {middle, distances[draw(&random) % 12]},
                                  {late, distances[draw(&random) % 12]}};
    pack_differ(same, size, ranges, 3);
    const size_t length = pack_runs(same, size, packed);
    assert_int_equal(length, pack_runs(same, size, NULL));
    assert_true(length <= pack_bound(size));
    memset(same, 0xAA, size);
    assert_true(unpack_runs(packed, length, same, size));
    pack_restore(same, size, ranges, 3);
    assert_memory_equal(same, bytes, size);

    /* of other sizes, cut off, or changed: refused or harmless; exact allocations let the sanitizers see */
    assert_false(size > 0 && unpack_runs(packed, length, same, size - 1));
    assert_false(length > 0 && unpack_runs(packed, length - 1, same, size));
    if (length > 0) {
      uint8_t *wrong = malloc(length);
      memcpy(wrong, packed, length);
      wrong[draw(&random) % length] = (uint8_t)draw(&random);
      unpack_runs(wrong, length, same, size);
      free(wrong);
    }
    free(bytes);
    free(same);
    free(packed);
  }
}

static void test_endless(void **unused) {
  (void)unused;
  uint8_t bytes[16];
  const uint8_t nothing[64] = {0}, far[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0};
  assert_false(unpack_runs(nothing, sizeof nothing, bytes, sizeof bytes));
  assert_false(unpack_runs(far, sizeof far, bytes, sizeof bytes));
  assert_true(unpack_runs(nothing, 0, bytes, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip),
                                     cmocka_unit_test(test_endless)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
