/* Byte order: numbers and structs are turned on big-endian machines and left alone on others, and turning twice changes
 * nothing. The functions that turn are called directly, so that little-endian machines test them too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "util/little.h"

static void test_numbers(void **state) {
  (void)state;
  const uint8_t stored[8] = {0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01};
  uint64_t eight;
  uint32_t four[2];
  uint16_t two;
  memcpy(&eight, stored, 8);
  memcpy(four, stored, 8);
  memcpy(&two, stored, 2);
  assert_true(little_64(eight) == 0x0102030405060708u);
  assert_true(little_32(four[0]) == 0x05060708u);
  assert_true(little_16(two) == 0x0708u);
  little_numbers(four, 2, 4);
  assert_true(four[0] == 0x05060708u && four[1] == 0x01020304u);
  for (int at = 0; at < 8; at++) assert_int_equal(eight >> BYTE_SHIFT(at) & 0xFF, stored[at]);
}

static void test_turn(void **state) {
  (void)state;
  uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  little_turn(bytes, 8, 1);
  assert_memory_equal(bytes, ((uint8_t[]){1, 2, 3, 4, 5, 6, 7, 8}), 8);
  little_turn(bytes, 4, 2);
  assert_memory_equal(bytes, ((uint8_t[]){2, 1, 4, 3, 6, 5, 8, 7}), 8);
  little_turn(bytes, 4, 2);
  little_turn(bytes, 2, 4);
  assert_memory_equal(bytes, ((uint8_t[]){4, 3, 2, 1, 8, 7, 6, 5}), 8);
  little_turn(bytes, 2, 4);
  little_turn(bytes, 1, 8);
  assert_memory_equal(bytes, ((uint8_t[]){8, 7, 6, 5, 4, 3, 2, 1}), 8);
}

typedef struct mixed {
  uint32_t a;
  uint16_t b[2];
  char c[4];
  uint32_t d;
} mixed;

static void test_structs(void **state) {
  (void)state;
  static const little_run form[] = {{4, 1}, {2, 2}, {1, 4}, {4, 1}, {0, 0}};
  mixed two[2] = {{0x01020304, {0x0506, 0x0708}, "abc", 0x090A0B0C}, {1, {2, 3}, "xyz", 4}};
  mixed before[2];
  memcpy(before, two, sizeof two);
  assert_int_equal(little_size(form), sizeof(mixed));
  little_turn_structs(two, 2, sizeof *two, form);
  assert_true(two[0].a == 0x04030201 && two[0].b[0] == 0x0605 && two[0].b[1] == 0x0807);
  assert_string_equal(two[0].c, "abc");
  assert_true(two[0].d == 0x0C0B0A09 && two[1].a == 0x01000000 && two[1].d == 0x04000000);
  little_turn_structs(two, 2, sizeof *two, form);
  assert_memory_equal(two, before, sizeof two);
  little_structs(two, 2, sizeof *two, form); /* what is stored begins with the lowest byte */
  assert_int_equal(*(const uint8_t *)two, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_turn),
                                     cmocka_unit_test(test_structs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
