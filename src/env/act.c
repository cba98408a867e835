/* The act loop: see act.h. */
#include "env/act.h"

#include "env/pictures.h"

/* ---- Draws ----------------------------------------------------------------------------------------------------- */

void act_draw_action(sixer_env *env, sixer_input *input) {
  draw_stream *stream = &env->control.replace;
  int *actions[] = {&input->action_a, &input->action_b, &input->action_c, &input->action_d};
  for (int i = 0; i < env->players && i < SIXER_PLAYERS_MAX && env->config.random_action > 0; i++) {
    sixer_list legal = sixer_rom_legal_actions(env->rom);
    if (stream_real(stream) >= env->config.random_action) continue;
    int drawn = legal.items[stream_below(stream, legal.count)];
    if (!seats_barred(env, i)) *actions[i] = drawn; /* the number is drawn nevertheless */
  }
}

int act_draw_frames(sixer_env *env) {
  int skip = env->config.frame_skip, more = env->config.frame_skip_max - skip;
  return more > 0 ? skip + stream_below(&env->control.skip, more + 1) : skip;
}

int act_draw_delay(sixer_env *env) {
  int most = env->config.delay_max;
  return most > 0 ? stream_below(&env->control.delay, most + 1) : 0;
}

/* ---- Acts ------------------------------------------------------------------------------------------------------ */

env_act act_begin(sixer_env *env, sixer_input input, int frames) {
  int shown = !env->pictures ? 0 : env->blend || env->two_pictures ? 2 : 1;
  int wait = act_draw_delay(env);
  if (env->seated) seats_begin(env);
  return (env_act){.input = input, .frames = frames, .left = frames, .wait = wait, .shown = shown};
}

env_act act_begin_step(sixer_env *env, sixer_input input) {
  act_draw_action(env, &input);
  int frames = act_draw_frames(env);
  return act_begin(env, input, frames);
}

int act_one_frame(sixer_env *env, sixer_input input, bool arrived) {
  if (env->seated) return seats_one_frame(env, &input, arrived);
  controller *control = &env->control;
  double p = env->config.sticky;
  /* the reference draws for both players in every frame, whether or not the number is used */
  if (mt_real(&control->rng) >= p && arrived) {
    control->last_action[0] = input.action_a;
    control->last_strength[0] = input.strength_a;
  }
  if (mt_real(&control->rng) >= p && arrived) {
    control->last_action[1] = input.action_b + ACTION_B;
    control->last_strength[1] = input.strength_b;
  }
  if (!(input.switches & SIXER_SWITCH_RUN) && env_end(env) != SIXER_END_NONE) return 0;
  int a = control->last_action[0], b = control->last_action[1];
  if (!env_is_legal(env, a)) a = 0;
  if (!env_is_legal(env, b - ACTION_B)) b = ACTION_B;
  env->switches = input.switches;
  env_emulate(env, a, b, control->last_strength[0], control->last_strength[1], 1);
  env->switches = 0;
  env->now.executed = a;
  env_count_frame(env);
  if (env->now.reward)
    env->now.since_reward = 0;
  else if (env->now.since_reward < INT32_MAX)
    env->now.since_reward++;
  env->now.score += env->now.reward;
  return env->now.reward;
}

void act_frame(sixer_env *env, env_act *act) {
  if (env->pictures) env->pictures->wanted = act->left <= act->shown;
  act->reward += act_one_frame(env, act->input, act->frames - act->left >= act->wait);
  act->left--;
  if (env->pictures) env->pictures->wanted = false;
}

int act_finish(sixer_env *env, env_act *act) {
  const sixer_config *config = &env->config;
  while (act->left > 0) act_frame(env, act);
  if (config->sound) audio_samples(&env->audio, env->m.audio, env->sound, SIXER_SOUND_SAMPLES);
  return act->reward < config->reward_min   ? config->reward_min
         : act->reward > config->reward_max ? config->reward_max
                                            : (int)act->reward;
}
