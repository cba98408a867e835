/* A fuzz target as an ordinary program, for builds without libFuzzer: it runs the kept inputs, then random changes of
 * them, and ends with status 0. Any failure ends it by an assertion, a signal or a sanitizer.
 *
 *   fuzz_NAME [--runs N] [--seed N] FILE|FOLDER...
 *
 * The changes are the same for the same seed and inputs. An input that fails is written to fuzz-NAME.failed. */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_INPUTS = 1000, MAX_SIZE = 1 << 16 };

typedef struct input {
  uint8_t *bytes;
  size_t size;
} input;

static input inputs[MAX_INPUTS];
static int input_count;
static input current;
static const char *name;

static void add_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || input_count == MAX_INPUTS) {
    fprintf(stderr, "%s: cannot be used\n", path);
    exit(2);
  }
  uint8_t *bytes = malloc(MAX_SIZE);
  inputs[input_count++] = (input){bytes, fread(bytes, 1, MAX_SIZE, file)};
  fclose(file);
}

static int not_hidden(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static void add(const char *path) {
  struct stat info;
  struct dirent **names;
  if (stat(path, &info) || !S_ISDIR(info.st_mode)) {
    add_file(path);
    return;
  }
  const int count = scandir(path, &names, not_hidden, alphasort);
  for (int i = 0; i < count; i++) {
    char full[4096];
    snprintf(full, sizeof full, "%s/%s", path, names[i]->d_name);
    add_file(full);
    free(names[i]);
  }
  if (count >= 0) free(names);
}

static void keep_input(int number) {
  char path[300];
  snprintf(path, sizeof path, "%s.failed", name);
  FILE *file = fopen(path, "wb");
  if (file) {
    fwrite(current.bytes, 1, current.size, file);
    fclose(file);
    fprintf(stderr, "the input of %zu bytes is in %s\n", current.size, path);
  }
  signal(number, SIG_DFL);
  raise(number);
}

static void run(const uint8_t *bytes, size_t size) {
  uint8_t *exact = malloc(size ? size : 1); /* so that the sanitizer sees reads beyond the end */
  if (size) memcpy(exact, bytes, size);
  current = (input){exact, size};
  LLVMFuzzerTestOneInput(exact, size);
  free(exact);
}

/* Some random changes: bytes, numbers, pieces left out, repeated or taken from another input. */
static size_t change(uint64_t *random, uint8_t *bytes, size_t size) {
  for (int n = 1 + random_below(random, 8); n > 0; n--) {
    const size_t at = size ? (size_t)random_below(random, (int)size) : 0;
    const size_t length = size ? 1 + (size_t)random_below(random, 32) : 0;
    const input *other = &inputs[random_below(random, input_count)];
    switch (random_below(random, 7)) {
      case 0: /* a random byte */
        if (size) bytes[at] = (uint8_t)(random_next(random) >> 56);
        break;
      case 1: /* a bit */
        if (size) bytes[at] ^= (uint8_t)(1 << random_below(random, 8));
        break;
      case 2: /* an extreme number */
        if (size >= at + 4 && size >= 4)
          memset(bytes + at, random_below(random, 2) ? 0xFF : 0x00,
                 1 + (size_t)random_below(random, 4));
        break;
      case 3: /* leave out */
        if (at + length < size) {
          memmove(bytes + at, bytes + at + length, size - at - length);
          size -= length;
        }
        break;
      case 4: /* repeat */
        if (at + length < size && size + length <= MAX_SIZE) {
          memmove(bytes + at + length, bytes + at, size - at);
          size += length;
        }
        break;
      case 5: /* a piece of another */
        if (other->size) {
          const size_t from = (size_t)random_below(random, (int)other->size);
          size_t count = 1 + (size_t)random_below(random, 64);
          if (count > other->size - from) count = other->size - from;
          if (at + count > MAX_SIZE) count = MAX_SIZE - at;
          memcpy(bytes + at, other->bytes + from, count);
          if (at + count > size) size = at + count;
        }
        break;
      default: /* cut off */
        if (random_below(random, 4) == 0) size = at;
        break;
    }
  }
  return size;
}

int main(int argc, char **argv) {
  long runs = 1000;
  uint64_t random = 1;
  name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--runs") && i + 1 < argc)
      runs = atol(argv[++i]);
    else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
      random = strtoull(argv[++i], NULL, 10);
    else
      add(argv[i]);
  }
  signal(SIGSEGV, keep_input);
  signal(SIGABRT, keep_input);
  signal(SIGFPE, keep_input);
  signal(SIGBUS, keep_input);
  for (int i = 0; i < input_count; i++) run(inputs[i].bytes, inputs[i].size);
  if (!input_count) inputs[input_count++] = (input){(uint8_t *)strdup("0"), 1};
  uint8_t *bytes = malloc(MAX_SIZE + 64);
  for (long n = 0; n < runs; n++) {
    const input *from = &inputs[random_below(&random, input_count)];
    memcpy(bytes, from->bytes, from->size);
    const size_t size = change(&random, bytes, from->size);
    run(bytes, size);
  }
  printf("%s: %d kept inputs, %ld changed ones\n", name, input_count, runs);
  free(bytes);
  for (int i = 0; i < input_count; i++) free(inputs[i].bytes);
  return 0;
}
