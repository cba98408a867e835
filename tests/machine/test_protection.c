/* A process may lose the right to change the protection of memory while it runs, for example by a sandbox that it
 * applies to itself. The core jit then goes on with the interpreter: each call of mprotect() in a run fails in turn,
 * alone or with all that follow it, and memory, screens and rewards are those of the core interp. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "machine/jit.h"
#include "sixer/sixer.h"

/* ---- Calls that fail (tests/CMakeLists.txt puts this in front of the C library's) ------------------------------ */

int __real_mprotect(void *memory, size_t size, int protection);
int __wrap_mprotect(void *memory, size_t size, int protection);

enum { NEVER_FAILS = -1 };
static int calls, first_failure = NEVER_FAILS; /* number of the first call that fails, from 0 on */
static bool later_fail;                        /* and all calls after it */

int __wrap_mprotect(void *memory, size_t size, int protection) {
  const int call = calls++;
  if (first_failure == NEVER_FAILS || call < first_failure || (call > first_failure && !later_fail))
    return __real_mprotect(memory, size, protection);
  errno = EACCES;
  return -1;
}

/* ---- What is done ---------------------------------------------------------------------------------------------- */

enum { STEPS = 150, RAM = 128 };

typedef struct record {
  uint32_t digest[STEPS];
} record;

static uint32_t digest(uint32_t hash, const void *bytes, size_t size) {
  for (const uint8_t *b = bytes; size--; b++) hash = (hash ^ *b) * 16777619u; /* FNV-1a */
  return hash;
}

static void play(const char *game, sixer_core core, record *r) {
  sixer_rom *rom;
  sixer_env *env;
  sixer_config config = sixer_config_default();
  config.core = core;
  calls = 0;
  assert_int_equal(sixer_rom_open(game, NULL, &rom, NULL), SIXER_OK);
  assert_int_equal(sixer_env_create(rom, &config, &env, NULL), SIXER_OK);
  const size_t pixels = (size_t)sixer_env_height(env) * 160;
  for (int i = 0; i < STEPS; i++) {
    sixer_result result;
    sixer_env_step(env, i / 7 % 18, &result);
    uint32_t d = digest(2166136261u, sixer_env_ram(env), RAM);
    d = digest(d, sixer_env_screen(env), pixels);
    r->digest[i] = digest(d, &result.reward, sizeof result.reward);
    if (result.over) sixer_env_reset(env);
  }
  sixer_env_destroy(env);
  sixer_rom_close(rom);
}

static void fail_each_call(const char *game) {
  static record expected, found;
  first_failure = NEVER_FAILS;
  play(game, SIXER_CORE_INTERP, &expected);
  play(game, SIXER_CORE_JIT, &found);
  assert_memory_equal(&found, &expected, sizeof found);
  const int count = calls;
  printf("%s: %d calls of mprotect\n", game, count);
#ifdef SIXER_JIT
  assert_true(count >= 3); /* the fixed pieces, and at least one translation */
#endif
  for (int i = 0; i < 2 * count; i++) {
    first_failure = i / 2;
    later_fail = i % 2;
    play(game, SIXER_CORE_JIT, &found);
    assert_true(calls > first_failure);
    assert_memory_equal(&found, &expected, sizeof found);
  }
}

static void ignore_line(void *context, const char *text) { (void)context, (void)text; }

static void the_interpreter_goes_on(void **unused) {
  (void)unused;
  fail_each_call("hedgelight");
  fail_each_call("cragfast");
}

/* Who asks what runs is told why it is not the translator. */
static void the_reason_is_told(void **unused) {
  (void)unused;
  sixer_rom *rom;
  sixer_env *env;
  sixer_error error = {0};
  sixer_config config = sixer_config_default();
  config.core = SIXER_CORE_JIT;
  first_failure = calls = 0;
  later_fail = true;
  assert_int_equal(sixer_rom_open("hedgelight", NULL, &rom, NULL), SIXER_OK);
  assert_int_equal(sixer_env_create(rom, &config, &env, NULL), SIXER_OK);
  assert_int_equal(sixer_env_list_code(env, ignore_line, NULL, &error), SIXER_ERR_CONFIG);
#ifdef SIXER_JIT
  assert_non_null(strstr(error.message, "interp: the system refuses executable memory"));
#else
  assert_non_null(strstr(error.message, "interp: there is no translator"));
#endif
  sixer_env_destroy(env);
  sixer_rom_close(rom);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_interpreter_goes_on),
                                     cmocka_unit_test(the_reason_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
