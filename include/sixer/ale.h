/* Hooks for a drop-in replacement of ale-py's ALEInterface, which the Python package is made with. Programs of your own
 * need none of this: sixer.h does the same in a simpler way.
 *
 * Three things differ from sixer.h. A step can be run frame by frame, so that something can happen between two frames.
 * An env can be restarted with another seed, which is cheaper than creating a new one. And states follow the
 * reference's rules: they do not contain the remembered action of sticky actions, and the old picture stays until the
 * next frame. */
#ifndef SIXER_ALE_H
#define SIXER_ALE_H

#include "sixer/sixer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A step, frame by frame ------------------------------------------------------------------------------------
 *
 *     sixer_act act = sixer_act_begin(env, input);
 *     while (act.left > 0) sixer_act_frame(env, &act);
 *     int reward = sixer_act_end(env, &act);
 *
 * does what sixer_env_step_input() does, for actions in 0..17. */
typedef struct sixer_act {
  sixer_input input;
  int frames; /* of the whole step */
  int left;   /* frames still to run */
  int wait;   /* frames until the action takes effect; the one before it is held until then */
  /* How many of the last frames are drawn at once: as many as the screen is made of (two with color averaging). May be
   * set before the first frame: 0 if nobody is expected to look at the screen, `frames` if somebody looks after each. A
   * wrong guess costs time and changes nothing: a frame that was not drawn is drawn when the screen is asked for. */
  int shown;
  int64_t reward; /* so far, before clamping */
} sixer_act;

SIXER_API sixer_act sixer_act_begin(sixer_env *env, sixer_input input);

/* Run one frame. Call it only while `left` is above 0. */
SIXER_API void sixer_act_frame(sixer_env *env, sixer_act *act);

/* Run the frames that are left and make the sound. Returns the reward, clamped as the config says. */
SIXER_API int sixer_act_end(sixer_env *env, sixer_act *act);

/* ---- Restarting ------------------------------------------------------------------------------------------------ */

/* Power the console on again: the env is as after sixer_env_create() with its config and this seed. What the library
 * remembers about the cartridge (cached resets, translated code) is kept. */
SIXER_API void sixer_env_restart(sixer_env *env, uint32_t seed);

/* ---- States as the reference saves them ------------------------------------------------------------------------ */

/* What the reference keeps in a state beside the console. */
typedef struct sixer_ale_fields {
  int frames, episode_frames; /* since creation; since the last reset */
  int mode, difficulty;
  int paddle[2];              /* positions, in ohms */
  int paddle_min, paddle_max; /* their limits */
} sixer_ale_fields;

/* Write a state of sixer_env_state_size(env, flags) bytes, and the fields. With SIXER_SAVE_CONTROLLER the state
 * contains the generators, but a NOOP in place of the remembered action. `flags` must not contain
 * SIXER_SAVE_PICTURE. */
SIXER_API void sixer_ale_save(sixer_env *env, int flags, void *state, sixer_ale_fields *fields);

/* Load such a state; the fields override what it contains. The remembered action stays that of the env, and the screen
 * shows the old picture until the next frame. SIXER_ERR_STATE, and nothing changed, if a field has a value that this
 * game cannot have, or if the state is damaged or of another image. */
SIXER_API sixer_err sixer_ale_load(sixer_env *env, const void *state, size_t size,
                                   const sixer_ale_fields *fields, sixer_error *error);

/* The same without any check, for searches that load states of their own very often: `state` and `fields` must be what
 * sixer_ale_save() has written for this very env. With anything else, also with states of another env, the behavior is
 * undefined. */
SIXER_API void sixer_ale_restore(sixer_env *env, const void *state, const sixer_ale_fields *fields);

/* Saving and loading for multi-agent-ale-py (players.h, dialect ma): the state has all fields, and loading it leaves
 * remembered actions and picture as they are. */
SIXER_API void sixer_ma_save(sixer_env *env, int flags, void *state);
SIXER_API sixer_err sixer_ma_load(sixer_env *env, const void *state, size_t size,
                                  sixer_error *error);

#ifdef __cplusplus
}
#endif
#endif
