/* The emulator as a model. */
#include "agents/planning/model.h"

#include <string.h>

#include "agents/agent.h"
#include "env/state.h"
#include "sixer/players.h"
#include "util/little.h"
#include "util/os.h"

double model_clock(void) { return os_seconds(); }

/* The settings of a model, given those of the env that is played. */
static sixer_config settings(const sixer_config *played, bool picture) {
  sixer_config config = *played;
  config.picture = picture;
  config.sound = false;
  config.color_averaging = picture && played->color_averaging;
  config.seed = 0;
  return config;
}

/* ---- Several players -------------------------------------------------------------------------------------------- */

static const little_run seats_form[] = {{4, 6}, {1, 4}, /* up to `held`, padding */
                                        {4, 3}, {8, 7},
                                        {4, 1}, {1, 4}, /* up to `frames`, padding */
                                        {0, 0}};

/* What a snapshot has behind that of an env for one player. */
static size_t seats_size(const sixer_env *env) {
  if (!env->seated) return 0;
  size_t vars = (size_t)game_var_count(env->rules) * sizeof(int32_t);
  return (sizeof env->seats + vars + 7) & ~(size_t)7;
}

/* Turn seats and variables into the byte order of snapshots, or back. */
static void seats_little(const sixer_env *env, void *seats, void *vars) {
  little_structs(seats, 1, sizeof(env_seats), seats_form);
  little_numbers(vars, (size_t)game_var_count(env->rules), sizeof(int32_t));
}

/* What only tells of the last step is left out: nothing that follows depends on it, but the player's own action if it
 * may stick. */
static void take_seats(const model *m, const sixer_env *env, uint8_t *out) {
  env_seats seats = env->seats;
  for (int i = 1; i < SIXER_PLAYERS_MAX; i++) {
    if (!m->random || i != m->player) seats.executed[i - 1] = 0;
  }
  memset(seats.last_action, 0, sizeof seats.last_action);
  memset(seats.last_strength, 0, sizeof seats.last_strength);
  memset(seats.reward, 0, sizeof seats.reward);
  seats.frames = 0;
  memset(out, 0, seats_size(env));
  memcpy(out, &seats, sizeof seats);
  memcpy(out + sizeof seats, env->vars, (size_t)game_var_count(env->rules) * sizeof(int32_t));
  seats_little(env, out, out + sizeof seats);
}

static void load_seats(sixer_env *env, const uint8_t *in) {
  memcpy(&env->seats, in, sizeof env->seats);
  memcpy(env->vars, in + sizeof env->seats, (size_t)game_var_count(env->rules) * sizeof(int32_t));
  seats_little(env, &env->seats, env->vars);
}

/* Sticky actions repeat the last one of the player; the others did nothing. */
static void set_last_actions(model *m) {
  sixer_env *env = m->env;
  int own = m->player ? env->seats.executed[m->player - 1] : env->now.executed;
  env->control.last_action[0] = m->player == 0 ? own : 0;
  env->control.last_action[1] = ACTION_B + (m->player == 1 ? own : 0);
  env->control.last_strength[0] = env->control.last_strength[1] = 1;
  for (int i = 0; i < 2; i++) {
    env->seats.last_action[i] = m->player == 2 + i ? own : 0;
    env->seats.last_strength[i] = 1;
  }
}

/* The player's action, while the others do nothing. */
static outcome step_player(model *m, int action) {
  int actions[SIXER_PLAYERS_MAX] = {0};
  sixer_players_result result = {0};
  actions[m->player] = action;
  sixer_env_step_players(m->env, actions, m->env->players, &result, NULL);
  return (outcome){result.reward[m->player],
                   (uint16_t)(result.frames > 65535 ? 65535 : result.frames),
                   result.ended[m->player]};
}

/* ---- The model -------------------------------------------------------------------------------------------------- */

sixer_err model_create(model *m, const sixer_env *env, int player, bool picture,
                       sixer_error *error) {
  if (player >= env->players)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "player %d cannot plan: the mode has %d",
                      player + 1, env->players);
  sixer_config config = settings(sixer_env_config(env), picture);
  if (env->seated) config.mode = env->now.mode; /* it decides how many players there are */
  const sixer_rom *rom = sixer_env_rom(env);
  int skip = config.frame_skip_max > config.frame_skip ? config.frame_skip_max : config.frame_skip;
  *m = (model){.random = config.sticky > 0 || config.random_action > 0 || config.delay_max > 0 ||
                         skip > config.frame_skip,
               .draws = (env->players > 2 ? env->players : 2) * skip,
               .size = env_snapshot_size(rom) + seats_size(env),
               .player = player};
  memcpy(&m->played, sixer_env_config(env), sizeof m->played);
  return sixer_env_create(rom, &config, &m->env, error);
}

void model_destroy(model *m) {
  sixer_env_destroy(m->env);
  m->env = NULL;
}

/* Configs are compared as bytes, padding included. If only the padding differs, the planner makes a new model: that
 * costs time, not correctness. */
bool model_fits(const model *m, const sixer_env *env) {
  const void *played = &m->played, *config = sixer_env_config(env);
  return m->env->rom == sixer_env_rom(env) && !memcmp(played, config, sizeof m->played);
}

void model_take(const model *m, const sixer_env *env, void *snapshot) {
  env_snapshot_take(env, snapshot);
  if (!m->random) {
    uint8_t *at =
        (uint8_t *)snapshot + env_snapshot_episode(env->rom) + offsetof(episode, executed);
    memset(at, 0, sizeof(int32_t));
  }
  if (env->seated) take_seats(m, env, (uint8_t *)snapshot + env_snapshot_size(env->rom));
}

void model_load(model *m, const void *snapshot) {
  env_snapshot_load(m->env, snapshot);
  if (m->env->seated)
    load_seats(m->env, (const uint8_t *)snapshot + env_snapshot_size(m->env->rom));
}

/* Seeding the env's Mersenne Twister and generating its block of 624 numbers takes longer than emulating a frame. A
 * step uses only a few numbers, so write just those, at the end of the block, and let the generator go on there. */
void model_seed(model *m, uint64_t seed) {
  if (!m->random) return;
  controller *control = &m->env->control;
  if (m->draws > MT_WORDS) {
    mt_seed(&control->rng, (uint32_t)agent_draw(&seed));
  } else {
    control->rng.index = (uint32_t)(MT_WORDS - m->draws);
    for (int i = MT_WORDS - m->draws; i < MT_WORDS; i++)
      control->rng.word[i] = (uint32_t)(agent_draw(&seed) >> 32);
  }
  control->replace.state = agent_draw(&seed);
  control->skip.state = agent_draw(&seed);
  control->delay.state = agent_draw(&seed);
  if (m->env->seated) {
    set_last_actions(m);
    return;
  }
  /* a sticky action repeats these */
  control->last_action[0] = m->env->now.executed;
  control->last_action[1] = ACTION_B;
  control->last_strength[0] = 1;
  control->last_strength[1] = 0;
}

outcome model_step(model *m, int action) {
  double before = model_clock();
  if (m->env->seated) {
    outcome made = step_player(m, action);
    m->frames += made.frames;
    m->seconds += model_clock() - before;
    return made;
  }
  sixer_result result = {0};
  sixer_env_step(m->env, action, &result);
  m->frames += result.frames;
  m->seconds += model_clock() - before;
  return (outcome){result.reward, (uint16_t)(result.frames > 65535 ? 65535 : result.frames),
                   result.over};
}
