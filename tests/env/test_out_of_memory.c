/* Out of memory is an error, not a crash: each operation is repeated once for every allocation that it makes, and that
 * allocation fails. The result is an error of that kind, or success without the optional part that the memory was for
 * (a translator, say), and everything can be freed. The sanitize build checks for leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sixer/vec.h"

/* ---- Allocations that fail (tests/CMakeLists.txt puts these in front of the C library's) ----------------------- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static atomic_int until_failure; /* 1: the next one fails; 0 or less: none does */
static atomic_bool failed;

static bool fails(void) {
  if (atomic_load(&until_failure) <= 0 || atomic_fetch_sub(&until_failure, 1) != 1) return false;
  return atomic_store(&failed, true), true;
}
void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) {
  return fails() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *memory, size_t size) {
  return fails() ? NULL : __real_realloc(memory, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

/* ---- What is done ---------------------------------------------------------------------------------------------- */

enum { ENVS = 3 };

static sixer_err use_env(const sixer_rom *rom, sixer_error *error) {
  sixer_config config = sixer_config_default();
  config.color_averaging = config.objects = true;
  sixer_env *env = NULL;
  sixer_err err = sixer_env_create(rom, &config, &env, error);
  if (err) return err;
  for (int i = 0; i < 2; i++) sixer_env_step(env, i, NULL);
  sixer_env_destroy(env);
  config.objects = false;
  err = sixer_env_create(rom, &config, &env, error);
  for (int i = 0; i < 3 && !err; i++) sixer_env_reset(env); /* these are recorded (reset_cache.h) */
  if (!err) sixer_env_destroy(env);
  return err;
}

static sixer_err use_vec(const sixer_rom *rom, sixer_obs obs, sixer_error *error) {
  sixer_vec_config config = sixer_vec_config_default();
  config.obs = obs;
  config.threads = 2;
  config.autoreset = SIXER_AUTORESET_SAME;
  config.env.color_averaging = obs == SIXER_OBS_RGB;
  config.env.max_frames = 7;
  sixer_vec_slot slots[ENVS];
  for (int i = 0; i < ENVS; i++) slots[i] = (sixer_vec_slot){rom, SIXER_MODE_DEFAULT, 0};
  sixer_vec *vec = NULL;
  sixer_err err = sixer_vec_create(slots, ENVS, &config, &vec, error);
  if (err) return err;
  int32_t actions[ENVS] = {0}, ids[ENVS] = {0, 1, 2}, from[2] = {0, 1}, to[2] = {1, 2};
  err = sixer_vec_reset(vec, NULL, NULL, NULL, error);
  for (int i = 0; i < 3 && !err; i++) err = sixer_vec_step(vec, actions, NULL, NULL, error);
  if (!err) err = sixer_vec_send(vec, ids, ENVS, actions, NULL, error);
  if (!err) err = sixer_vec_recv(vec, ENVS, NULL, error);
  if (!err) err = sixer_vec_copy(vec, from, to, 2, SIXER_SAVE_CONTROLLER, error);
  if (!err) err = sixer_vec_step(vec, actions, NULL, NULL, error);
  sixer_vec_destroy(vec);
  return err;
}

typedef enum work { WORK_ENV, WORK_GRAY, WORK_RGB, WORK_RAM, WORKS } work;

static sixer_err do_work(work what, sixer_error *error) {
  sixer_rom *rom = NULL;
  sixer_err err = sixer_rom_open("sixer/duskrain", NULL, &rom, error);
  if (err) return err;
  static const sixer_obs obs[WORKS] = {
      [WORK_GRAY] = SIXER_OBS_GRAY, [WORK_RGB] = SIXER_OBS_RGB, [WORK_RAM] = SIXER_OBS_RAM};
  err = what == WORK_ENV ? use_env(rom, error) : use_vec(rom, obs[what], error);
  sixer_rom_close(rom);
  return err;
}

static void test_every_allocation(void **state) {
  (void)state;
  for (work what = 0; what < WORKS; what++) {
    sixer_error error = {0};
    atomic_store(&until_failure, 0);
    if (do_work(what, &error)) fail_msg("without a failure: %s", error.message);
    int errors = 0, n = 1;
    for (;; n++) {
      atomic_store(&failed, false);
      atomic_store(&until_failure, n);
      error = (sixer_error){0};
      sixer_err err = do_work(what, &error);
      atomic_store(&until_failure, 0);
      if (!atomic_load(&failed)) break; /* there are no more */
      if (err && (err != SIXER_ERR_MEMORY || error.code != SIXER_ERR_MEMORY || !error.message[0]))
        fail_msg("allocation %d of work %d: error %d, '%s'", n, (int)what, (int)err, error.message);
      errors += err != SIXER_OK;
    }
    printf("work %d: %d allocations, %d of them needed\n", (int)what, n - 1, errors);
    assert_true(errors > 5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
