/* Any byte string as a definition: it is refused with a message, or it is a game whose rules and procedures run to
 * their end on any memory.
 *
 * runs: 3000 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "games/game.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t next_random(uint32_t *state) { return *state = *state * 1664525u + 1013904223u; }

/* An env that is memory and a generator; it ends after a while, so that most procedures are cut short. */
typedef struct fake_env {
  uint8_t ram[128];
  uint32_t random;
  int acts;
} fake_env;

static void scramble(fake_env *e) {
  for (int i = 0; i < 4; i++)
    e->ram[next_random(&e->random) >> 25] = (uint8_t)(next_random(&e->random) >> 24);
}
static void press(void *env, int frames) {
  assert(frames >= 1 && frames <= 1000);
  scramble(env);
}
static void act(void *env, int action) {
  assert(action >= 0 && action < SIXER_ACTION_COUNT);
  ((fake_env *)env)->acts++;
  scramble(env);
}
static void soft_reset(void *env) { scramble(env); }
static uint32_t draw(void *env) { return next_random(&((fake_env *)env)->random); }
static void poke(void *env, int address, uint8_t value) {
  assert(address >= 0x80 && address <= 0xFF);
  ((fake_env *)env)->ram[address - 0x80] = value;
}
static bool over(void *env) { return ((fake_env *)env)->acts > 20; }
static uint8_t peek(void *machine, uint16_t address) {
  return (uint8_t)(((fake_env *)machine)->random >> 13 ^ address);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  game *g = NULL;
  sixer_error error = {SIXER_OK, ""};
  sixer_err err = game_compile("fuzz", (const char *)data, size, &g, &error);
  if (err) {
    assert(!g && error.code == err && !strncmp(error.message, "fuzz:", 5) &&
           strlen(error.message) > 12);
    return 0;
  }
  fake_env env = {{0}, 1, 0};
  int32_t vars[GAME_MAX_VARS], saved[GAME_MAX_VARS] = {0};
  game_view view = {env.ram, peek, &env};
  game_host host = {&env, press, act, soft_reset, draw, poke, over, press};
  assert(game_var_count(g) <= GAME_MAX_VARS && game_modes(g).count > 0);
  game_init(g, vars);
  for (int i = 0; i < 3; i++) {
    game_reset(g, vars);
    game_select_mode(g, game_modes(g).items[i % game_modes(g).count], i % game_level_count(g), vars,
                     &view, &host);
    for (int k = 0; k < 3; k++) {
      scramble(&env);
      game_outcome outcome = game_step(g, vars, &view, (sixer_scoring)(k & 1));
      assert(outcome.terminal == game_terminal(g, vars));
      game_lives(g, vars);
    }
    memcpy(saved, vars, sizeof *vars * (size_t)game_var_count(g));
    game_restore(g, vars, saved);
  }
  const game *several = game_players(g);
  for (int n = 1; several && n <= GAME_MAX_PLAYERS; n++) {
    for (int d = 0; d < GAME_DIALECTS; d++) {
      sixer_list modes = game_player_modes(several, (sixer_dialect)d, n);
      if (!modes.count) continue;
      game_init(several, vars);
      game_select_players(several, modes.items[0], 0, vars, &view, &host, (sixer_dialect)d,
                          d ? 0 : -1);
      scramble(&env);
      game_step_players(several, vars, &view, SIXER_SCORING_ALE, (sixer_dialect)d, d ? 0 : -1);
      for (int p = 0; p < n; p++) game_lives_of(several, vars, p);
    }
  }
  game_free(g);
  return 0;
}
