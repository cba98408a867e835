/* As much of cmocka as the tests need that also run in WebAssembly, for which there is no cmocka: a test that fails
 * says where and ends the program. */
#ifndef TESTS_WEB_CMOCKA_H
#define TESTS_WEB_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define fail_msg(...)                      \
  do {                                     \
    printf("%s:%d: ", __FILE__, __LINE__); \
    printf(__VA_ARGS__);                   \
    printf("\n");                          \
    exit(1);                               \
  } while (0)
#define assert_true(x)                      \
  do {                                      \
    if (!(x)) fail_msg("%s is not so", #x); \
  } while (0)
#define assert_false(x)    assert_true(!(x))
#define assert_non_null(x) assert_true((x) != NULL)
#define assert_int_equal(a, b)                                       \
  do {                                                               \
    const long long a_ = (long long)(a), b_ = (long long)(b);        \
    if (a_ != b_) fail_msg("%s is %lld, expected %lld", #a, a_, b_); \
  } while (0)

struct CMUnitTest {
  const char *name;
  void (*test)(void **state);
};
#define cmocka_unit_test(function) \
  { #function, function }
#define cmocka_run_group_tests(tests, setup, teardown) \
  run_tests(tests, sizeof(tests) / sizeof *(tests))

static inline int run_tests(const struct CMUnitTest *tests, size_t count) {
  for (size_t i = 0; i < count; i++) {
    void *state = NULL;
    tests[i].test(&state);
    printf("passed: %s\n", tests[i].name);
  }
  return 0;
}

#endif
