/* Files that are replaced whole: the new content appears at the end and not before, failures leave the old file and
 * nothing else, links stay links, FIFOs are written to, permissions are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/replace.h"

static char folder[] = "/tmp/sixer-replace-XXXXXX";

/* ---- Calls of the library that are watched: these stand in for those of the C library ---------------------------- */

static ino_t synchronized_file;
static bool synchronized_folder, renamed_unsynchronized;

int fsync(int descriptor) {
  struct stat status;
  if (!fstat(descriptor, &status)) {
    if (S_ISDIR(status.st_mode))
      synchronized_folder = true;
    else
      synchronized_file = status.st_size ? status.st_ino : 0;
  }
  return (int)syscall(SYS_fsync, descriptor);
}

int rename(const char *from, const char *to) {
  struct stat status;
  if (!stat(from, &status) && status.st_ino != synchronized_file) renamed_unsynchronized = true;
  synchronized_folder = false;
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static char *in_folder(const char *name) {
  static char paths[4][400];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void expect_content(const char *path, const char *wanted) {
  char text[100] = "";
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  assert_string_equal(text, wanted);
}

/* The number of files in the folder, hidden ones included. */
static int files(void) {
  int count = 0;
  DIR *directory = opendir(folder);
  for (struct dirent *entry; (entry = readdir(directory));)
    count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
  closedir(directory);
  return count;
}

static void remove_files(void) {
  DIR *directory = opendir(folder);
  for (struct dirent *entry; (entry = readdir(directory));) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    unlink(path);
  }
  closedir(directory);
}

static int set_up(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  remove_files();
  return rmdir(folder);
}

static int clean(void **state) {
  (void)state;
  remove_files();
  return 0;
}

static void test_replaces_at_the_end(void **state) {
  (void)state;
  const char *path = in_folder("a.csv");
  assert_true(replace_bytes(path, "old", 3));
  assert_int_equal(chmod(path, 0640), 0);
  replacement *r = replace_open(path), *other = replace_open(path);
  assert_non_null(r);
  assert_non_null(other);
  assert_string_not_equal(r->temporary, other->temporary);
  fputs("new", r->file);
  fputs("newest", other->file);
  fflush(r->file);
  expect_content(path, "old");
  assert_true(replace_commit(r));
  expect_content(path, "new");
  assert_true(replace_commit(other));
  expect_content(path, "newest");
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0640);
  assert_int_equal(files(), 1);
}

/* The content is on the disk before it gets its name, or a power failure could leave an empty file there. */
static void test_synchronizes_before_the_rename(void **state) {
  (void)state;
  const char *path = in_folder("a.csv");
  assert_true(replace_bytes(path, "old", 3));
  for (int by_others = 0; by_others < 2; by_others++) {
    replacement *r = by_others ? replace_reserve(path) : replace_open(path);
    FILE *file = by_others ? fopen(r->temporary, "wbx") : r->file;
    fputs("new", file);
    if (by_others) fclose(file);
    struct stat status;
    assert_int_equal(stat(r->temporary, &status), 0);
    synchronized_file = 0;
    renamed_unsynchronized = false;
    assert_true(replace_commit(r));
    assert_false(renamed_unsynchronized);
    assert_true(synchronized_folder);
    assert_int_equal(synchronized_file, status.st_ino);
  }
}

static void test_abandon(void **state) {
  (void)state;
  const char *path = in_folder("a.csv");
  assert_true(replace_bytes(path, "old", 3));
  replacement *r = replace_open(path);
  fputs("new", r->file);
  replace_abandon(r);
  replace_abandon(NULL);
  expect_content(path, "old");
  assert_int_equal(files(), 1);
}

static void test_disk_full(void **state) {
  (void)state;
  const char *path = in_folder("a.bin");
  char bytes[5000] = "new";
  assert_true(replace_bytes(path, "old", 3));
  struct rlimit limit, small;
  getrlimit(RLIMIT_FSIZE, &limit);
  small = limit;
  small.rlim_cur = 4096;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  bool ok = replace_bytes(path, bytes, sizeof bytes);
  int reason = errno;
  setrlimit(RLIMIT_FSIZE, &limit);
  assert_false(ok);
  assert_int_equal(reason, EFBIG);
  expect_content(path, "old");
  assert_int_equal(files(), 1);
}

static void test_folder_missing_or_in_the_way(void **state) {
  (void)state;
  assert_false(replace_bytes(in_folder("none/a.csv"), "x", 1));
  assert_int_equal(errno, ENOENT);
  assert_null(replace_open(folder));
  assert_int_equal(errno, EISDIR);
  assert_int_equal(files(), 0);
}

static void test_new_only(void **state) {
  (void)state;
  const char *path = in_folder("a.bin");
  replacement *r = replace_open(path), *second = replace_open(path);
  fputs("first", r->file);
  fputs("second", second->file);
  assert_true(replace_commit_new(r));
  assert_false(replace_commit_new(second));
  assert_int_equal(errno, EEXIST);
  expect_content(path, "first");
  assert_int_equal(files(), 1);
}

static void test_links(void **state) {
  (void)state;
  struct stat status;
  const char *link = in_folder("link"), *middle = in_folder("middle"), *file = in_folder("file");
  assert_int_equal(symlink("middle", link), 0);
  assert_int_equal(symlink(file, middle), 0);
  assert_true(replace_bytes(link, "one", 3)); /* it points to nothing yet */
  expect_content(file, "one");
  assert_true(replace_bytes(link, "two", 3));
  expect_content(file, "two");
  assert_int_equal(lstat(link, &status), 0);
  assert_true(S_ISLNK(status.st_mode));
  assert_int_equal(files(), 3);
  const char *loop = in_folder("loop");
  assert_int_equal(symlink("loop", loop), 0);
  assert_false(replace_bytes(loop, "x", 1));
  assert_int_equal(errno, ELOOP);
}

static void test_devices(void **state) {
  (void)state;
  struct stat status;
  assert_true(replace_bytes("/dev/null", "x", 1));
  assert_int_equal(stat("/dev/null", &status), 0);
  assert_true(S_ISCHR(status.st_mode));
  assert_false(replace_bytes("/dev/full", "x", 1));
  assert_int_equal(errno, ENOSPC);
  const char *fifo = in_folder("fifo");
  assert_int_equal(mkfifo(fifo, 0600), 0);
  int reader = open(fifo, O_RDONLY | O_NONBLOCK);
  assert_true(replace_bytes(fifo, "through", 7));
  char text[20] = "";
  assert_int_equal(read(reader, text, sizeof text), 7);
  assert_string_equal(text, "through");
  close(reader);
  assert_int_equal(stat(fifo, &status), 0);
  assert_true(S_ISFIFO(status.st_mode));
}

static void test_reserve(void **state) {
  (void)state;
  const char *path = in_folder("film.mp4");
  replacement *r = replace_reserve(path);
  assert_non_null(r);
  assert_null(r->file);
  assert_string_equal(strrchr(r->temporary, '.'), ".mp4");
  assert_int_equal(files(), 0);
  FILE *file = fopen(r->temporary, "wbx");
  fputs("film", file);
  fclose(file);
  assert_true(replace_commit(r));
  expect_content(path, "film");
  r = replace_reserve(path);
  assert_false(replace_commit(r)); /* nobody wrote it */
  expect_content(path, "film");
  assert_int_equal(files(), 1);
}

static void test_long_names(void **state) {
  (void)state;
  char name[256];
  memset(name, 'n', 255);
  name[255] = 0;
  assert_true(replace_bytes(in_folder(name), "x", 1));
  assert_int_equal(files(), 1);
  name[100] = '.';
  assert_true(replace_bytes(in_folder(name), "x", 1));
  assert_int_equal(files(), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_replaces_at_the_end, clean),
      cmocka_unit_test_teardown(test_synchronizes_before_the_rename, clean),
      cmocka_unit_test_teardown(test_abandon, clean),
      cmocka_unit_test_teardown(test_disk_full, clean),
      cmocka_unit_test_teardown(test_folder_missing_or_in_the_way, clean),
      cmocka_unit_test_teardown(test_new_only, clean),
      cmocka_unit_test_teardown(test_links, clean),
      cmocka_unit_test_teardown(test_devices, clean),
      cmocka_unit_test_teardown(test_reserve, clean),
      cmocka_unit_test_teardown(test_long_names, clean),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
