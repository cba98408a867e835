/* The operating system as src/util/os*.h shows it: files, folders, names with blanks and emoji, streams into memory,
 * children, pages, and the features of the processor, which must be those that the compiler's own check finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/os.h"
#include "util/os_cpu.h"
#include "util/os_memory.h"
#include "util/os_process.h"
#include "util/os_thread.h"

static char folder[OS_PATH_MAX];

static const char *in_folder(const char *name) {
  static char paths[4][OS_PATH_MAX + 300];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void put(const char *name, const char *text) {
  FILE *file = os_fopen(in_folder(name), "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static int make(void **state) {
  (void)state;
  return os_temporary_folder("sixer test ü 🎮", folder, sizeof folder) ? 0 : -1;
}

static int clear(void **state) {
  (void)state;
  return os_rmdir(folder);
}

static void test_files(void **state) {
  (void)state;
  os_status status;
  put("a b ü.txt", "one\r\ntwo");
  assert_int_equal(os_stat(in_folder("a b ü.txt"), &status), 0);
  assert_int_equal(status.kind, OS_FILE);
  assert_int_equal(status.size, 8); /* no text mode has changed it */
  assert_int_equal(os_stat(folder, &status), 0);
  assert_int_equal(status.kind, OS_FOLDER);
  assert_int_equal(os_stat(in_folder("none"), &status), -1);
  assert_int_equal(errno, ENOENT);
  /* 'x': it must be new */
  assert_null(os_fopen(in_folder("a b ü.txt"), "wx"));
  assert_int_equal(errno, EEXIST);
  /* bytes at a place do not move the position */
  int file = os_open(in_folder("a b ü.txt"), OS_READ | OS_WRITE);
  char bytes[4] = {0};
  assert_true(file >= 0);
  assert_int_equal(os_read_at(file, bytes, 3, 5), 3);
  assert_string_equal(bytes, "two");
  assert_int_equal(os_write_at(file, "TWO", 3, 5), 3);
  assert_int_equal(os_read(file, bytes, 3), 3);
  assert_string_equal(bytes, "one");
  assert_int_equal(os_truncate(file, 2), 0);
  assert_int_equal(os_sync(file), 0);
  assert_int_equal(os_close(file), 0);
  FILE *stream = os_fopen(in_folder("a b ü.txt"), "a");
  fputs("!", stream);
  fclose(stream);
  char *line = NULL;
  size_t room = 0;
  stream = os_fopen(in_folder("a b ü.txt"), "r");
  assert_int_equal(os_getline(&line, &room, stream), 3);
  assert_string_equal(line, "on!");
  free(line);
  fclose(stream);
  assert_int_equal(os_unlink(in_folder("a b ü.txt")), 0);
}

static void test_names(void **state) {
  (void)state;
  put("1", "first");
  put("2", "second");
  assert_int_equal(os_rename_new(in_folder("1"), in_folder("2")), -1);
  assert_int_equal(errno, EEXIST);
  assert_int_equal(os_rename(in_folder("1"), in_folder("2")), 0); /* replaces */
  assert_int_equal(os_access(in_folder("1"), OS_EXISTS), -1);
  assert_int_equal(os_rename_new(in_folder("2"), in_folder("1")), 0);
  assert_int_equal(os_mkdir(in_folder("1")), -1);
  assert_int_equal(errno, EEXIST);
  assert_int_equal(os_unlink(in_folder("1")), 0);
  assert_int_equal(os_unlink(in_folder("1")), -1);
  assert_int_equal(errno, ENOENT);
}

static bool any(const char *name) { return name[0] != '.'; }

static void test_folders(void **state) {
  (void)state;
  static const char *const names[] = {"b.csv", "a.csv", "c.txt", "🎮.csv"};
  os_names found;
  for (int i = 0; i < 4; i++) put(names[i], "");
  assert_true(os_folder_names(folder, any, &found));
  assert_int_equal(found.count, 4);
  assert_string_equal(found.at[0], "a.csv");
  assert_string_equal(found.at[3], "🎮.csv");
  os_names_free(&found);
  assert_true(os_glob(in_folder("[ab].c*"), &found));
  assert_int_equal(found.count, 2);
  assert_string_equal(found.at[1], in_folder("b.csv"));
  os_names_free(&found);
  assert_true(os_glob(in_folder("*.none"), &found));
  assert_int_equal(found.count, 0);
  assert_null(os_folder_open(in_folder("none")));
  for (int i = 0; i < 4; i++) assert_int_equal(os_unlink(in_folder(names[i])), 0);
}

static void test_streams(void **state) {
  (void)state;
  char *text = NULL;
  size_t size = 0;
  FILE *stream = os_stream_open(&text, &size);
  assert_non_null(stream);
  fputs("a longer text", stream);
  assert_true(os_stream_flush(stream, &text, &size));
  assert_int_equal(size, 13);
  rewind(stream);
  fputs("short", stream);
  assert_true(os_stream_flush(stream, &text, &size));
  assert_int_equal(size, 5);
  assert_memory_equal(text, "short", 5);
  os_stream_close(stream, &text, &size);
  free(text);
}

static void test_children(void **state) {
  (void)state;
  char line[100];
  char *const echo[] = {"echo", "a \"b\" \\ c", NULL}, *const none[] = {"no-such-program-1", NULL};
  char *const cat[] = {"cat", NULL};
  assert_true(os_first_line(echo, line, sizeof line));
  assert_string_equal(line, "a \"b\" \\ c");
  assert_false(os_first_line(none, line, sizeof line));
  os_talk talk;
  bool ready = false;
  int status = -1;
  assert_true(os_talk_begin(cat, true, true, &talk));
  assert_int_equal(os_wait_readable(&talk.from, 1, 1, &ready), 0);
  assert_int_equal(os_talk_write(&talk, "ping", 4), 4);
  assert_int_equal(os_wait_readable(&talk.from, 1, 20000, &ready), 1);
  assert_int_equal(os_read(talk.from, line, sizeof line), 4);
  os_talk_close(&talk);
  assert_int_equal(os_wait(talk.child, true, &status), 1);
  assert_int_equal(status, 0);
  os_close(talk.errors);
  assert_false(os_talk_begin(none, true, true, &talk));
  assert_int_equal(errno, ENOENT);
}

static void test_pages(void **state) {
  (void)state;
  enum { SIZE = 1 << 21 };
  char *pages = os_pages_reserve(4 * SIZE);
  assert_non_null(pages);
  assert_true(os_pages_commit(pages, SIZE));
  assert_int_equal(pages[SIZE - 1], 0);
  pages[7] = 1;
  assert_true(os_pages_drop(pages, SIZE));
  assert_true(os_pages_commit(pages, SIZE));
  assert_int_equal(pages[7], 0);
  os_pages_free(pages, 4 * SIZE);
  void *aligned = os_aligned(100);
  assert_int_equal((uintptr_t)aligned % 64, 0);
  os_aligned_free(aligned);
  assert_true(os_memory_resident() > 100000);
}

static void test_processor(void **state) {
  (void)state;
#if OS_X86_64
  __builtin_cpu_init();
#define SAME(feature, name) assert_int_equal(os_cpu_has(feature), !!__builtin_cpu_supports(name))
  SAME(OS_CPU_SSE41, "sse4.1");
  SAME(OS_CPU_PCLMUL, "pclmul");
  SAME(OS_CPU_FMA, "fma");
  SAME(OS_CPU_BMI, "bmi");
  SAME(OS_CPU_BMI2, "bmi2");
  SAME(OS_CPU_AVX2, "avx2");
  SAME(OS_CPU_AVX512F, "avx512f");
  SAME(OS_CPU_AVX512DQ, "avx512dq");
  SAME(OS_CPU_AVX512BW, "avx512bw");
  SAME(OS_CPU_AVX512VL, "avx512vl");
  SAME(OS_CPU_AVX512VBMI, "avx512vbmi");
#endif
  assert_true(os_processors() >= 1 && os_processors() <= os_processors_on());
}

/* A thread has OS_STACK bytes of stack, less what the system keeps of it for itself. */
static void *use_stack(void *argument) {
  volatile char room[OS_STACK - 64 * 1024];
  for (size_t i = sizeof room; i; i -= 1024)
    room[i - 1024] = 1; /* from the top on, as a stack grows */
  *(int *)argument = room[0];
  return NULL;
}

static void test_thread(void **state) {
  (void)state;
  pthread_t thread;
  int done = 0;
  assert_int_equal(os_thread_start(&thread, use_stack, &done), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(done, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_files),     cmocka_unit_test(test_names),
      cmocka_unit_test(test_folders),   cmocka_unit_test(test_streams),
      cmocka_unit_test(test_children),  cmocka_unit_test(test_pages),
      cmocka_unit_test(test_processor), cmocka_unit_test(test_thread)};
  return cmocka_run_group_tests(tests, make, clear);
}
