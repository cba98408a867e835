/* The emulator as a model. */
#include "agents/planning/model.h"

#include <string.h>
#include <time.h>

#include "agents/agent.h"
#include "env/state.h"

double model_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The settings of a model, given those of the env that is played. */
static sixer_config settings(const sixer_config *played, bool picture) {
  sixer_config config = *played;
  config.picture = picture;
  config.sound = false;
  config.color_averaging = picture && played->color_averaging;
  config.seed = 0;
  return config;
}

sixer_err model_create(model *m, const sixer_env *env, bool picture, sixer_error *error) {
  if (env->seated) {
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "planners search for one player, and this env has the rules for %d",
                      env->players);
  }
  sixer_config config = settings(sixer_env_config(env), picture);
  const sixer_rom *rom = sixer_env_rom(env);
  int skip = config.frame_skip_max > config.frame_skip ? config.frame_skip_max : config.frame_skip;
  *m = (model){.random = config.sticky > 0 || config.random_action > 0 || config.delay_max > 0 ||
                         skip > config.frame_skip,
               .draws = 2 * skip,
               .size = env_snapshot_size(rom)};
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
}

void model_load(model *m, const void *snapshot) { env_snapshot_load(m->env, snapshot); }

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
  /* a sticky action repeats these */
  control->last_action[0] = m->env->now.executed;
  control->last_action[1] = ACTION_B;
  control->last_strength[0] = 1;
  control->last_strength[1] = 0;
}

outcome model_step(model *m, int action) {
  double before = model_clock();
  sixer_result result = {0};
  sixer_env_step(m->env, action, &result);
  m->frames += result.frames;
  m->seconds += model_clock() - before;
  return (outcome){result.reward, (uint16_t)(result.frames > 65535 ? 65535 : result.frames),
                   result.over};
}
