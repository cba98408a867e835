/* The act loop: an action is held for several frames, and only the frames that can be seen are drawn.
 *
 * Single environments, vectors, planners' models and the Python interface all use this loop: begin an act, run its
 * frames, read the sum of rewards. They differ in what they do between two frames, and in how many of the last
 * frames they need as pictures (`shown`). Frames that are not drawn can be drawn later (pictures.h): a wrong `shown`
 * costs time but never changes a picture. */
#ifndef SIXER_ENV_ACT_H
#define SIXER_ENV_ACT_H

#include "env/env.h"
#include "sixer/ale.h"

/* The state of an act, documented in sixer/ale.h. */
typedef sixer_act env_act;

/* Begin an act of this many frames. Its delay is drawn if the config has one. `shown` is set to the number of frames
 * that the screen is made of: one, two with color averaging, none without pictures. */
env_act act_begin(sixer_env *env, sixer_input input, int frames);

/* Begin a step: the same, with the random choices of the config (another action, the number of frames). */
env_act act_begin_step(sixer_env *env, sixer_input input);

/* Run the next frame and add its reward. Once the episode is over, no frame runs, but the random numbers for sticky
 * actions are still drawn, as the reference does. */
void act_frame(sixer_env *env, env_act *act);

/* Run the frames that are left and make the sound. Returns the sum of rewards, clamped to the config's range. */
int act_finish(sixer_env *env, env_act *act);

/* ---- Parts, for other loops ------------------------------------------------------------------------------------ */

/* One frame under an input; `arrived`: the action takes effect now. Returns the reward. */
int act_one_frame(sixer_env *env, sixer_input input, bool arrived);

/* The random choices of a step, each from its own stream: another action, the number of frames, the delay in frames. */
void act_draw_action(sixer_env *env, sixer_input *input);
int act_draw_frames(sixer_env *env);
int act_draw_delay(sixer_env *env);

#endif
