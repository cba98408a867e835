/* CRC-32 by folding against zlib's: all lengths up to some blocks, any begin, in one piece and in two; and the
 * constants of src/util/crc.c, which are powers of x modulo the polynomial. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <zlib.h>

#include "util/crc.h"
#include "util/random.h"

enum { SIZE = 1 << 16 };

static void test_against_zlib(void **state) {
  (void)state;
  uint8_t *bytes = malloc(SIZE);
  uint64_t rng = 1;
  assert_non_null(bytes);
  for (int i = 0; i < SIZE; i++) bytes[i] = (uint8_t)random_next(&rng);
  for (size_t size = 0; size < 700; size++) {
    const uint32_t before = (uint32_t)random_next(&rng);
    const uint8_t *at = bytes + random_below(&rng, 64);
    assert_int_equal(crc_add(before, at, size), crc32_z(before, at, size));
  }
  for (int i = 0; i < 300; i++) {
    const size_t size = (size_t)random_below(&rng, SIZE), first = size / 3;
    const uint32_t right = (uint32_t)crc32_z(0, bytes, size);
    assert_int_equal(crc_add(0, bytes, size), right);
    assert_int_equal(crc_add(crc_add(0, bytes, first), bytes + first, size - first), right);
  }
  assert_int_equal(crc_add(0, "123456789", 9), 0xCBF43926);
  free(bytes);
}

/* x^n mod P, reflected, shifted by one. */
static uint64_t constant(int n) {
  uint64_t power = 1, reflected = 0;
  for (int i = 0; i < n; i++) {
    power <<= 1;
    if (power >> 32) power ^= 0x104C11DB7;
  }
  for (int i = 0; i < 32; i++) reflected |= (power >> i & 1) << (31 - i);
  return reflected << 1;
}

static void test_constants(void **state) {
  (void)state;
  assert_true(constant(512 + 32) == 0x154442bd4 && constant(512 - 32) == 0x1c6e41596);
  assert_true(constant(128 + 32) == 0x1751997d0 && constant(128 - 32) == 0x0ccaa009e);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_zlib),
                                     cmocka_unit_test(test_constants)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
