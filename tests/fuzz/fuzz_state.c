/* Saved states: those of an env and of a vec, of one player and of several, with fields changed, several at once, and
 * any bytes. Each is refused with a message, or played, and what play leaves is accepted again.
 *
 * The first byte of an input chooses the kind of state and the game; the rest are changes (fuzz_edits.h).
 *
 * runs: 400 */
#include <assert.h>
#include <stdlib.h>

#include "fuzz/fuzz_edits.h"
#include "sixer/players.h"
#include "sixer/vec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
  const char *name;
  int players, in_vec; /* 0 players: as many as the mode has, which a state may change */
  sixer_dialect dialect;
} games[] = {{"sporefall", 1, 1, SIXER_DIALECT_SIXER},
             {"duskrain", 1, 1, SIXER_DIALECT_SIXER},
             {"wispherd", 2, 2, SIXER_DIALECT_SIXER},
             {"hearthring", 4, 4, SIXER_DIALECT_SIXER},
             {"hearthring", 0, 2, SIXER_DIALECT_MA}};
enum { GAMES = sizeof games / sizeof *games };
/* Bytes at the beginning of a state that are changed, of its part for several players, and of a vec's header. */
enum { REACH = 700, SEATS = 72, VEC_HEADER = 132 };

typedef struct subject {
  sixer_rom *rom;
  sixer_env *env;
  sixer_vec *vec;
  uint8_t *obs;
  uint8_t *states[5]; /* by flags; the last one is of the vec */
  size_t sizes[5];
  bool seated; /* states have a part for several players */
} subject;

static subject subjects[GAMES];

/* Step with actions of which most differ; those of players that are out are refused. */
static void step(sixer_env *env, int seed, sixer_players_result *result) {
  int actions[SIXER_PLAYERS_MAX];
  const int players = sixer_env_players(env);
  for (int i = 0; i < players; i++) actions[i] = (seed + 5 * i) % SIXER_ACTION_COUNT;
  if (!sixer_env_step_players(env, actions, players, result, NULL)) return;
  memset(actions, 0, sizeof actions);
  if (sixer_env_step_players(env, actions, players, result, NULL)) abort();
}

static void make(subject *s, int game) {
  sixer_config config = sixer_config_default();
  sixer_vec_config settings = sixer_vec_config_default();
  config.players = games[game].players;
  settings.env.players = games[game].in_vec;
  config.dialect = settings.env.dialect = games[game].dialect;
  settings.threads = 1;
  s->seated = config.players != 1;
  int failed = sixer_rom_open(games[game].name, NULL, &s->rom, NULL) ||
               sixer_env_create(s->rom, &config, &s->env, NULL);
  const sixer_vec_slot slots[2] = {{s->rom, SIXER_MODE_DEFAULT, 0},
                                   {s->rom, SIXER_MODE_DEFAULT, 0}};
  failed = failed || sixer_vec_create(slots, 2, &settings, &s->vec, NULL);
  if (failed) abort();
  for (int i = 0; i < 90; i++) step(s->env, i, NULL);
  for (int flags = 0; flags < 4; flags++) {
    s->sizes[flags] = sixer_env_state_size(s->env, flags);
    s->states[flags] = malloc(s->sizes[flags]);
    sixer_env_save(s->env, flags, s->states[flags]);
  }
  s->obs = malloc(2 * sixer_vec_describe(s->vec).obs_size);
  const sixer_vec_out out = {.rows = 2, .obs = s->obs};
  const int32_t actions[2 * SIXER_PLAYERS_MAX] = {1, 2, 0, 1, 2, 0, 1, 2}, one[1] = {0};
  sixer_vec_reset(s->vec, NULL, NULL, &out, NULL);
  for (int i = 0; i < 20; i++) sixer_vec_step(s->vec, actions, NULL, &out, NULL);
  s->sizes[4] = sixer_vec_state_size(s->vec, 0, SIXER_SAVE_CONTROLLER);
  s->states[4] = malloc(s->sizes[4]);
  if (sixer_vec_save(s->vec, one, 1, SIXER_SAVE_CONTROLLER, (void *const *)&s->states[4],
                     &s->sizes[4], NULL))
    abort();
}

/* Where the part for several players ends in a state; 0: it has none. */
static size_t seats_end(const subject *s, int kind) {
  return !s->seated ? 0 : kind < 4 ? s->sizes[kind & 1] : VEC_HEADER + s->sizes[1];
}

/* It begins with the dialect and the number of players: the edits are at the right place. */
static void check_seats(const subject *s, int game) {
  for (int kind = 0; kind < 5 && s->seated; kind++) {
    int32_t found[2];
    memcpy(found, s->states[kind] + seats_end(s, kind) - SEATS, sizeof found);
    const int players = kind < 4 ? sixer_env_players(s->env) : games[game].in_vec;
    if (found[0] != (int32_t)games[game].dialect || found[1] != players) abort();
  }
}

static void play_env(subject *s, const uint8_t *state, size_t size, int flags) {
  sixer_error error = {SIXER_OK, ""};
  if (sixer_env_load(s->env, state, size, &error)) {
    assert(error.message[0]);
    return;
  }
  sixer_players_result result;
  step(s->env, state[40], &result);
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
  const int32_t one[1] = {0}, actions[2 * SIXER_PLAYERS_MAX] = {0, 1, 2, 0, 1, 2, 0, 1};
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

/* Change the beginning of a state, and its part for several players, which ends at `end` (0: it has none). Of
 * pixels and generators there are many, and little depends on them. */
static void edit(uint8_t *bytes, size_t size, size_t end, const uint8_t *data, size_t length) {
  uint8_t part[REACH + SEATS];
  const size_t head = size < REACH ? size : REACH, tail = end >= head + SEATS ? SEATS : 0;
  memcpy(part, bytes, head);
  memcpy(part + head, bytes + end - tail, tail);
  fuzz_edit(part, head + tail, data, length);
  memcpy(bytes, part, head);
  memcpy(bytes + end - tail, part + head, tail);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!subjects[0].rom) {
    for (int i = 0; i < GAMES; i++) {
      make(&subjects[i], i);
      check_seats(&subjects[i], i);
    }
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
  edit(bytes, s->sizes[kind], seats_end(s, kind), data + 1, size - 1);
  if (kind < 4)
    play_env(s, bytes, s->sizes[kind], kind);
  else
    play_vec(s, bytes, s->sizes[kind]);
  free(bytes);
  return 0;
}
