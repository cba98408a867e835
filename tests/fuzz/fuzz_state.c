/* Saved states: those of an env and of a vec with fields changed, several at once, and any bytes. Each is refused
 * with a message, or played, and what play leaves is accepted again.
 *
 * The first byte of an input chooses the kind of state and the game; the rest are changes (fuzz_edits.h).
 *
 * runs: 400 */
#include <assert.h>
#include <stdlib.h>

#include "fuzz/fuzz_edits.h"
#include "sixer/sixer.h"
#include "sixer/vec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const games[] = {"sporefall", "duskrain"};
enum { GAMES = 2, ALL = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE };

typedef struct subject {
  sixer_rom *rom;
  sixer_env *env;
  sixer_vec *vec;
  uint8_t *obs;
  uint8_t *states[5]; /* by flags; the last one is of the vec */
  size_t sizes[5];
} subject;

static subject subjects[GAMES];

static void make(subject *s, const char *name) {
  sixer_config config = sixer_config_default();
  sixer_vec_config settings = sixer_vec_config_default();
  settings.threads = 1;
  int failed =
      sixer_rom_open(name, NULL, &s->rom, NULL) || sixer_env_create(s->rom, &config, &s->env, NULL);
  const sixer_vec_slot slots[2] = {{s->rom, SIXER_MODE_DEFAULT, 0},
                                   {s->rom, SIXER_MODE_DEFAULT, 0}};
  failed = failed || sixer_vec_create(slots, 2, &settings, &s->vec, NULL);
  if (failed) abort();
  for (int i = 0; i < 90; i++) sixer_env_step(s->env, i % SIXER_ACTION_COUNT, NULL);
  for (int flags = 0; flags < 4; flags++) {
    s->sizes[flags] = sixer_env_state_size(s->env, flags);
    s->states[flags] = malloc(s->sizes[flags]);
    sixer_env_save(s->env, flags, s->states[flags]);
  }
  s->obs = malloc(2 * sixer_vec_describe(s->vec).obs_size);
  const sixer_vec_out out = {.rows = 2, .obs = s->obs};
  const int32_t actions[2] = {1, 2}, one[1] = {0};
  sixer_vec_reset(s->vec, NULL, NULL, &out, NULL);
  for (int i = 0; i < 20; i++) sixer_vec_step(s->vec, actions, NULL, &out, NULL);
  s->sizes[4] = sixer_vec_state_size(s->vec, 0, SIXER_SAVE_CONTROLLER);
  s->states[4] = malloc(s->sizes[4]);
  if (sixer_vec_save(s->vec, one, 1, SIXER_SAVE_CONTROLLER, (void *const *)&s->states[4],
                     &s->sizes[4], NULL))
    abort();
}

static void play_env(subject *s, const uint8_t *state, size_t size, int flags) {
  sixer_error error = {SIXER_OK, ""};
  if (sixer_env_load(s->env, state, size, &error)) {
    assert(error.message[0]);
    return;
  }
  sixer_result result;
  sixer_env_step(s->env, state[40] % SIXER_ACTION_COUNT, &result);
  sixer_env_screen(s->env);
  if (result.over) sixer_env_reset(s->env);
  uint8_t *after = malloc(s->sizes[flags]);
  sixer_env_save(s->env, flags, after);
  sixer_err err = sixer_env_load(s->env, after, s->sizes[flags], &error);
  assert(!err);
  (void)err;
  free(after);
}

static void play_vec(subject *s, const uint8_t *state, size_t size) {
  sixer_error error = {SIXER_OK, ""};
  const int32_t one[1] = {0}, actions[2] = {0, 1};
  const void *states[1] = {state};
  if (sixer_vec_load(s->vec, one, 1, states, &size, &error)) {
    assert(error.message[0]);
    return;
  }
  const sixer_vec_out out = {.rows = 2, .obs = s->obs};
  sixer_vec_observe(s->vec, NULL, 0, &out, NULL);
  sixer_err err = sixer_vec_step(s->vec, actions, NULL, &out, &error);
  assert(!err);
  (void)err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!subjects[0].rom) {
    for (int i = 0; i < GAMES; i++) make(&subjects[i], games[i]);
  }
  if (size < 1) return 0;
  subject *s = &subjects[data[0] % GAMES];
  const int kind = data[0] / GAMES % 6;
  if (kind == 5) { /* any bytes */
    play_env(s, data + 1, size - 1 > 41 ? size - 1 : 0, 0);
    play_vec(s, data + 1, size - 1);
    return 0;
  }
  uint8_t *bytes = malloc(s->sizes[kind]);
  memcpy(bytes, s->states[kind], s->sizes[kind]);
  /* of pixels and generators there are many, and little depends on them: change what is before them */
  const size_t reach = s->sizes[kind] < 700 ? s->sizes[kind] : 700;
  fuzz_edit(bytes, reach, data + 1, size - 1);
  if (kind < 4)
    play_env(s, bytes, s->sizes[kind], kind);
  else
    play_vec(s, bytes, s->sizes[kind]);
  free(bytes);
  return 0;
}
