/* Hooks for a drop-in replacement of ale-py: see sixer/ale.h. */
#include "sixer/ale.h"

#include <string.h>

#include "env/act.h"
#include "env/state.h"

sixer_act sixer_act_begin(sixer_env *env, sixer_input input) { return act_begin_step(env, input); }

void sixer_act_frame(sixer_env *env, sixer_act *act) { act_frame(env, act); }

int sixer_act_end(sixer_env *env, sixer_act *act) { return act_finish(env, act); }

void sixer_env_restart(sixer_env *env, uint32_t seed) {
  env->config.seed = seed;
  memset(env->sound, 0, sizeof env->sound);
  env_boot(env, seed);
}

/* ---- States ---------------------------------------------------------------------------------------------------- */

/* What sticky actions remember, which states of the reference do not contain. */
typedef struct remembered {
  int32_t action[2];
  float strength[2];
} remembered;

static remembered remembered_of(const controller *c) {
  remembered r;
  memcpy(r.action, c->last_action, sizeof r.action);
  memcpy(r.strength, c->last_strength, sizeof r.strength);
  return r;
}

static void remember(controller *c, const remembered *r) {
  memcpy(c->last_action, r->action, sizeof r->action);
  memcpy(c->last_strength, r->strength, sizeof r->strength);
}

void sixer_ale_save(sixer_env *env, int flags, void *state, sixer_ale_fields *fields) {
  static const remembered nothing = {{0, ACTION_B}, {0, 0}};
  const episode *now = &env->now;
  const remembered live = remembered_of(&env->control);
  remember(&env->control, &nothing);
  sixer_env_save(env, flags, state);
  remember(&env->control, &live);
  *fields = (sixer_ale_fields){.frames = (int)now->frames,
                               .episode_frames = now->episode_frames,
                               .mode = now->mode,
                               .difficulty = now->difficulty,
                               .paddle = {now->paddle[0], now->paddle[1]},
                               .paddle_min = env->paddle_min,
                               .paddle_max = env->paddle_max};
}

void sixer_ale_restore(sixer_env *env, const void *state, const sixer_ale_fields *fields) {
  const remembered live = remembered_of(&env->control);
  const bool known = env->picture_known, blended = env->blended;
  env_state_apply(env, state, false);
  env->picture_known = known;
  env->blended = blended;
  remember(&env->control, &live);
  memcpy(env->now.paddle, fields->paddle, sizeof env->now.paddle);
  env->now.frames = fields->frames;
  env->now.episode_frames = fields->episode_frames;
  env->now.mode = fields->mode;
  env->now.difficulty = fields->difficulty;
  env->paddle_min = fields->paddle_min;
  env->paddle_max = fields->paddle_max;
}

static bool fields_fit(const sixer_env *env, const sixer_ale_fields *f) {
  sixer_list modes = sixer_rom_modes(env->rom);
  bool mode_fits = false;
  for (int i = 0; i < modes.count; i++) mode_fits = mode_fits || modes.items[i] == f->mode;
  return mode_fits && f->difficulty >= 0 && f->difficulty <= 3 && f->frames >= 0 &&
         f->episode_frames >= 0 && f->paddle[0] >= 0 && f->paddle[1] >= 0 && f->paddle_min >= 0 &&
         f->paddle_max >= f->paddle_min;
}

sixer_err sixer_ale_load(sixer_env *env, const void *state, size_t size,
                         const sixer_ale_fields *fields, sixer_error *error) {
  if (!fields_fit(env, fields)) {
    return sixer_fail(error, SIXER_ERR_STATE,
                      "the state holds a mode, difficulty, frame number or paddle that this game "
                      "cannot have; was it saved by another game?");
  }
  sixer_err err = env_state_check(env, state, size, error);
  if (!err) sixer_ale_restore(env, state, fields);
  return err;
}

void sixer_ma_save(sixer_env *env, int flags, void *state) {
  const controller control = env->control;
  const env_seats seats = env->seats;
  env->control.last_action[0] = 0;
  env->control.last_action[1] = ACTION_B;
  memset(env->control.last_strength, 0, sizeof env->control.last_strength);
  memset(env->seats.last_action, 0, sizeof env->seats.last_action);
  memset(env->seats.last_strength, 0, sizeof env->seats.last_strength);
  sixer_env_save(env, flags, state);
  env->control = control;
  env->seats = seats;
}

sixer_err sixer_ma_load(sixer_env *env, const void *state, size_t size, sixer_error *error) {
  const controller live = env->control;
  const env_seats seats = env->seats;
  bool known = env->picture_known, blended = env->blended;
  sixer_err err = sixer_env_load(env, state, size, error);
  if (err) return err;
  env->picture_known = known;
  env->blended = blended;
  memcpy(env->control.last_action, live.last_action, sizeof live.last_action);
  memcpy(env->control.last_strength, live.last_strength, sizeof live.last_strength);
  memcpy(env->seats.last_action, seats.last_action, sizeof seats.last_action);
  memcpy(env->seats.last_strength, seats.last_strength, sizeof seats.last_strength);
  return SIXER_OK;
}
