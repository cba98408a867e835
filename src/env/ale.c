/* Hooks for a drop-in replacement of ale-py: see sixer/ale.h. */
#include "sixer/ale.h"

#include <string.h>

#include "env/act.h"

sixer_act sixer_act_begin(sixer_env *env, sixer_input input) { return act_begin_step(env, input); }

void sixer_act_frame(sixer_env *env, sixer_act *act) { act_frame(env, act); }

int sixer_act_end(sixer_env *env, sixer_act *act) { return act_finish(env, act); }

void sixer_env_restart(sixer_env *env, uint32_t seed) {
  env->config.seed = seed;
  memset(env->sound, 0, sizeof env->sound);
  env_boot(env, seed);
}

void sixer_ale_save(sixer_env *env, int flags, void *state, sixer_ale_fields *fields) {
  const episode *now = &env->now;
  controller control = env->control;
  env->control.last_action[0] = 0;
  env->control.last_action[1] = ACTION_B;
  env->control.last_strength[0] = env->control.last_strength[1] = 0;
  sixer_env_save(env, flags, state);
  env->control = control;
  *fields = (sixer_ale_fields){.frames = (int)now->frames,
                               .episode_frames = now->episode_frames,
                               .mode = now->mode,
                               .difficulty = now->difficulty,
                               .paddle = {now->paddle[0], now->paddle[1]},
                               .paddle_min = env->paddle_min,
                               .paddle_max = env->paddle_max};
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
  controller live = env->control;
  bool known = env->picture_known, blended = env->blended;
  sixer_err err = sixer_env_load(env, state, size, error);
  if (err) return err;
  env->picture_known = known;
  env->blended = blended;
  memcpy(env->control.last_action, live.last_action, sizeof live.last_action);
  memcpy(env->control.last_strength, live.last_strength, sizeof live.last_strength);
  memcpy(env->now.paddle, fields->paddle, sizeof env->now.paddle);
  env->now.frames = fields->frames;
  env->now.episode_frames = fields->episode_frames;
  env->now.mode = fields->mode;
  env->now.difficulty = fields->difficulty;
  env->paddle_min = fields->paddle_min;
  env->paddle_max = fields->paddle_max;
  return SIXER_OK;
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
