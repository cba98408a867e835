/* Containers of sections: what was written is read; damage of any kind is found before anything is handed out; a file
 * that cannot be finished leaves the old one in place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "util/sections.h"

static char folder[] = "/tmp/sixer-sections-XXXXXX";
static char path[100];

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/file", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder); /* fails if a draft was left */
}

static uint32_t next(uint32_t *random) { return *random = *random * 1664525u + 1013904223u; }

/* Three small sections and one larger than all buffers, put in pieces of many sizes. */
static void fill(sections_writer *w) {
  uint32_t random = 1;
  sections_begin(w, "settings");
  sections_put_text(w, "alpha=0.5");
  sections_put_text(w, "");
  sections_begin(w, "empty");
  sections_begin(w, "weights.0-17_x");
  uint8_t *piece = malloc(200000);
  for (size_t size = 1; size < 200000; size = size * 3 / 2 + 1) {
    for (size_t i = 0; i < size; i++) piece[i] = (uint8_t)(next(&random) >> 24);
    sections_put(w, piece, size);
    sections_put_u64(w, size);
  }
  free(piece);
  sections_begin(w, "numbers");
  sections_put_i64(w, -5);
  sections_put_f64(w, 0.1);
}

static void check_filled(sections_reader *r) {
  static const char *const names[] = {"settings", "empty", "weights.0-17_x", "numbers"};
  uint64_t size;
  for (size_t i = 0; i < 4; i++) assert_string_equal(sections_name_at(r, i, &size), names[i]);
  assert_int_equal(size, 16);
  assert_null(sections_name_at(r, 4, NULL));
  assert_false(sections_find(r, "end"));
  assert_false(sections_find(r, "nothing"));
  assert_int_equal(sections_left(r), 0);
  /* in another order than they were written in */
  assert_true(sections_find(r, "numbers"));
  assert_int_equal(sections_get_i64(r), -5);
  assert_true(sections_get_f64(r) == 0.1);
  assert_int_equal(sections_left(r), 0);
  assert_true(sections_find(r, "weights.0-17_x"));
  uint32_t random = 1;
  uint8_t *piece = malloc(200000);
  for (size_t length = 1; length < 200000; length = length * 3 / 2 + 1) {
    sections_get(r, piece, length);
    for (size_t i = 0; i < length; i++)
      if (piece[i] != (uint8_t)(next(&random) >> 24)) fail_msg("byte %zu of %zu", i, length);
    assert_int_equal(sections_get_u64(r), length);
  }
  free(piece);
  char text[10];
  assert_true(sections_find(r, "settings"));
  sections_get_text(r, text, sizeof text);
  assert_string_equal(text, "alpha=0.5");
  sections_get_text(r, text, sizeof text);
  assert_string_equal(text, "");
  assert_true(sections_find(r, "empty"));
  assert_int_equal(sections_left(r), 0);
  assert_false(sections_failed(r));
  /* beyond the end: zeros, and the failure sticks */
  uint64_t value = 7;
  sections_get(r, &value, sizeof value);
  assert_int_equal(value, 0);
  assert_true(sections_failed(r));
  assert_true(sections_find(r, "numbers"));
  assert_int_equal(sections_get_i64(r), 0);
  assert_string_equal(sections_reason(r), "a section is too short");
}

static void what_is_written_is_read(void **state) {
  (void)state;
  sections_message message;
  sections_writer *w = sections_create(NULL);
  fill(w);
  assert_int_equal(sections_written(w), 16);
  void *bytes;
  size_t size;
  assert_true(sections_take(w, &bytes, &size, message));
  sections_reader *r = sections_open_memory(bytes, size, message);
  assert_non_null(r);
  check_filled(r);
  sections_free(r);

  w = sections_create(path);
  fill(w);
  assert_true(access(path, F_OK) != 0); /* not before it is complete */
  assert_true(sections_close(w, message));
  r = sections_open(path, message);
  assert_non_null(r);
  check_filled(r);
  sections_free(r);

  /* file and memory hold the same bytes, and begin as they should */
  FILE *file = fopen(path, "rb");
  uint8_t *copy = malloc(size + 1);
  assert_int_equal(fread(copy, 1, size + 1, file), size);
  fclose(file);
  assert_memory_equal(copy, bytes, size);
  assert_true(sections_recognize(bytes, size));
  assert_false(sections_recognize(bytes, 8));
  assert_false(sections_recognize("tape of another kind", 20));
  free(copy);
  free(bytes);
}

/* Every bit of a small container is protected, and so is its length. */
static void damage_is_found(void **state) {
  (void)state;
  sections_message message;
  sections_writer *w = sections_create(NULL);
  sections_begin(w, "one");
  sections_put_u64(w, 0x0123456789ABCDEFu);
  sections_begin(w, "two");
  sections_put_text(w, "text");
  uint8_t *bytes;
  size_t size;
  assert_true(sections_take(w, (void **)&bytes, &size, message));
  uint8_t *copy = malloc(size + 1);
  for (size_t bit = 0; bit < 8 * size; bit++) {
    memcpy(copy, bytes, size);
    copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
    sections_reader *r = sections_open_memory(copy, size, message);
    if (r) fail_msg("bit %zu of byte %zu is not protected", bit % 8, bit / 8);
  }
  for (size_t length = 0; length < size; length++) {
    uint8_t *shorter = malloc(length ? length : 1); /* so that reading beyond it is noticed */
    memcpy(shorter, bytes, length);
    assert_null(sections_open_memory(shorter, length, message));
    free(shorter);
  }
  memcpy(copy, bytes, size);
  copy[size] = 0;
  assert_null(sections_open_memory(copy, size + 1, message));
  assert_non_null(strstr(message, "bytes follow its end"));
  /* a huge size, which is found before anything is added to it */
  uint64_t huge = UINT64_MAX - 20;
  memcpy(copy, bytes, size);
  memcpy(copy + 16 + 24, &huge, sizeof huge);
  assert_null(sections_open_memory(copy, size, message));
  assert_non_null(strstr(message, "shorter than it says"));
  /* a whole section is cut out */
  size_t first = 40 + 8, rest = size - 16 - first;
  memcpy(copy, bytes, 16);
  memcpy(copy + 16, bytes + 16 + first, rest);
  assert_null(sections_open_memory(copy, 16 + rest, message));
  assert_non_null(strstr(message, "sections are missing"));
  /* the same section twice */
  uint8_t *twice = malloc(size + first);
  memcpy(twice, bytes, 16 + first);
  memcpy(twice + 16 + first, bytes + 16, size - 16);
  assert_null(sections_open_memory(twice, size + first, message));
  assert_non_null(strstr(message, "same name"));
  free(twice);
  copy[8] = 2;
  memcpy(copy, bytes, 8);
  assert_null(sections_open_memory(copy, size, message));
  assert_non_null(strstr(message, "another format version"));
  free(copy);
  free(bytes);
  assert_null(sections_open_memory(NULL, 0, message));
}

static void texts_are_checked(void **state) {
  (void)state;
  sections_message message;
  sections_writer *w = sections_create(NULL);
  sections_begin(w, "text");
  sections_put_u64(w, 3);
  sections_put(w, "a\0b", 3);
  sections_begin(w, "long");
  sections_put_text(w, "more than fits");
  sections_begin(w, "huge");
  sections_put_u64(w, UINT64_MAX);
  void *bytes;
  size_t size;
  assert_true(sections_take(w, &bytes, &size, message));
  static const char *const names[] = {"text", "long", "huge"};
  for (int i = 0; i < 3; i++) {
    sections_reader *r = sections_open_memory(bytes, size, message);
    char text[8] = "xxxxxxx";
    assert_true(sections_find(r, names[i]));
    sections_get_text(r, text, sizeof text);
    assert_true(sections_failed(r));
    assert_string_equal(text, "");
    sections_free(r);
  }
  free(bytes);
}

static void bad_names_are_refused(void **state) {
  (void)state;
  static const char *const names[] = {"",    "Weights",  "a b", "123456789012345678901234",
                                      "end", "w\xc3\xa4"};
  sections_message message;
  void *bytes;
  size_t size;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    sections_writer *w = sections_create(NULL);
    sections_begin(w, names[i]);
    assert_false(sections_take(w, &bytes, &size, message));
  }
  sections_writer *w = sections_create(NULL);
  sections_begin(w, "a");
  sections_begin(w, "a");
  assert_false(sections_take(w, &bytes, &size, message));
  w = sections_create(NULL);
  sections_put_u64(w, 1);
  assert_false(sections_take(w, &bytes, &size, message));
  w = sections_create(NULL);
  sections_begin(w, "a");
  sections_reject(w, "the agent is ill");
  assert_false(sections_take(w, &bytes, &size, message));
  assert_string_equal(message, "the agent is ill");
}

/* Files that cannot be written: the old one stays, no draft is left (remove_folder() would fail). */
static void old_files_stay(void **state) {
  (void)state;
  sections_message message;
  sections_writer *w = sections_create(path);
  fill(w);
  assert_true(sections_close(w, message));
  struct rlimit limit, old;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &old);
  limit = old;
  limit.rlim_cur = 150000;
  setrlimit(RLIMIT_FSIZE, &limit);
  w = sections_create(path);
  fill(w);
  bool closed = sections_close(w, message);
  setrlimit(RLIMIT_FSIZE, &old);
  assert_false(closed);
  assert_non_null(strstr(message, "cannot be written: File too large"));
  sections_reader *r = sections_open(path, message);
  assert_non_null(r);
  check_filled(r);
  sections_free(r);
  w = sections_create(path);
  fill(w);
  sections_abandon(w);
  w = sections_create("/nowhere/at/all");
  fill(w);
  assert_false(sections_close(w, message));
  assert_string_equal(message, "/nowhere/at/all: cannot be written: No such file or directory");
  assert_null(sections_open("/nowhere/at/all", message));
  assert_null(sections_open(folder, message));
  assert_non_null(strstr(message, "is not a file"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read), cmocka_unit_test(damage_is_found),
      cmocka_unit_test(texts_are_checked),       cmocka_unit_test(bad_names_are_refused),
      cmocka_unit_test(old_files_stay),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
