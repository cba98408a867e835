/* Text files that are small and would take long, or much memory: settings with very many keys, of which each is
 * compared with all others, and JSON objects of which one has many keys and the others have nearly none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "eval/log_file.h"
#include "util/toml.h"

static void test_many_keys(void **state) {
  (void)state;
  enum { KEYS = 200000 };
  char *text = malloc(20 * KEYS);
  size_t size = 0;
  for (int i = 0; i < KEYS; i++) size += (size_t)sprintf(text + size, "k%d = 1\n", i);
  memory_arena arena = {0};
  toml_document doc;
  sixer_error error = {SIXER_OK, ""};
  assert_int_equal(toml_parse(&arena, text, "many.toml", &doc, &error), SIXER_ERR_CONFIG);
  assert_string_equal(error.message, "many.toml:10001: more than 10000 keys in a file");
  arena_free(&arena);
  free(text);
}

/* `rows` objects with one key of many, after one that has them all; one in `every` has all of them too. */
static sixer_err parse_sparse(int rows, int every, sixer_error *error) {
  char *text = malloc(((size_t)rows + 2) * 40 + (size_t)(rows / every + 2) * 2000);
  size_t size = 0;
  for (int i = 0; i < rows; i++) {
    size += (size_t)sprintf(text + size, "{\"game\": \"pong\"");
    for (int k = 0; k < 60 && i % every == 0; k++)
      size += (size_t)sprintf(text + size, ", \"score_%d\": 1", k);
    size += (size_t)sprintf(text + size, "}\n");
  }
  memory_arena arena = {0};
  log_file file;
  sixer_err err = log_file_parse(&arena, text, size, "sparse.json", NULL, &file, error);
  if (!err) assert_int_equal(file.table.rows, rows);
  arena_free(&arena);
  free(text);
  return err;
}

static void test_sparse_objects(void **state) {
  (void)state;
  sixer_error error = {SIXER_OK, ""};
  assert_int_equal(parse_sparse(1000, 1000, &error), SIXER_OK);
  assert_int_equal(parse_sparse(20000, 10, &error), SIXER_OK);
  assert_int_equal(parse_sparse(20000, 20000, &error), SIXER_ERR_FILE);
  assert_non_null(strstr(error.message, "20000 objects have 61 different keys"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_many_keys),
                                     cmocka_unit_test(test_sparse_objects)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
