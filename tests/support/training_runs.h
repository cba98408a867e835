/* Training runs of a test: their files in a folder, starting and running them. The file that includes this defines
 * `folder` before. Errors end the test. */
#ifndef SIXER_TESTS_TRAINING_RUNS_H
#define SIXER_TESTS_TRAINING_RUNS_H

static inline void path_of(const char *run, const char *ending, char *path) {
  snprintf(path, 300, "%s/%s%s%s", folder, run, *ending ? "." : "", ending);
}

static inline uint8_t *read_file(const char *run, const char *ending, size_t *size) {
  char path[300];
  path_of(run, ending, path);
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s is missing", path);
  uint8_t *bytes = malloc(1 << 24);
  *size = fread(bytes, 1, 1 << 24, file);
  fclose(file);
  return bytes;
}

static inline void write_file(const char *run, const char *ending, const void *bytes, size_t size) {
  char path[300];
  path_of(run, ending, path);
  FILE *file = fopen(path, "wb");
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

static inline void same_file(const char *one, const char *other, const char *ending) {
  size_t a, b;
  uint8_t *x = read_file(one, ending, &a), *y = read_file(other, ending, &b);
  if (a != b || memcmp(x, y, a) != 0) fail_msg("%s and %s differ in %s", one, other, ending);
  free(x);
  free(y);
}

static inline sixer_train *start(const sixer_train_settings *s, bool resume) {
  sixer_error error;
  sixer_train *t = NULL;
  if (resume ? sixer_train_resume(s, &t, &error) : sixer_train_create(s, &t, &error))
    fail_msg("%s", error.message);
  return t;
}

static inline void run_on(sixer_train *t, int64_t steps) {
  sixer_error error;
  if (sixer_train_run(t, steps, &error)) fail_msg("%s", error.message);
}

#endif
