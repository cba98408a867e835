/* What replay memory takes in a game: see sixer_replay_measure(). */

#include "agents/deep/observe.h"
#include "agents/deep/replay.h"
#include "sixer/agents.h"
#include "util/error.h"
#include "util/os.h"

enum { SIDE = 84, BATCH = 32, BATCHES = 20, ROUNDS = 15 };

/* Play and fill the memory. Returns the time of adding through *spent. */
static sixer_err fill(replay *memory, sixer_env *env, observer *eye, sixer_list actions,
                      sixer_agent *player, int64_t steps, double *spent, sixer_error *error) {
  uint8_t frame[SIDE * SIDE];
  bool first = true;
  *spent = 0;
  for (int64_t i = 0; i < steps; i++) {
    int action, index = 0;
    sixer_result result;
    sixer_err err = observe_frame(eye, env, first, frame, error);
    if (!err) err = sixer_agent_act(player, env, actions, &action, error);
    if (err) return err;
    while (actions.items[index] != action) index++;
    sixer_env_step(env, action, &result);
    float reward = result.reward > 0 ? 1 : result.reward < 0 ? -1 : 0;
    double begin = os_thread_seconds();
    replay_add(memory, &(replay_step){frame, index, reward, first, result.over});
    *spent += os_thread_seconds() - begin;
    first = result.over;
    if (!first) continue;
    sixer_env_reset(env);
    sixer_agent_reset(player);
  }
  return SIXER_OK;
}

/* The time of a batch. */
static double sample(const replay *memory, replay_batch *batch) {
  double best = 0;
  uint64_t draw = 0;
  for (int round = 0; round < ROUNDS; round++) {
    double begin = os_thread_seconds();
    for (int i = 0; i < BATCHES; i++) replay_sample(memory, batch, BATCH, draw++);
    double each = (os_thread_seconds() - begin) / BATCHES;
    if (round == 0 || each < best) best = each;
  }
  return best;
}

sixer_err sixer_replay_measure(const sixer_rom *rom, const sixer_config *config,
                               sixer_agent *player, int64_t steps, int n, bool prioritized,
                               sixer_replay_figures *figures, sixer_error *error) {
  replay_settings settings = replay_settings_default();
  settings.capacity = steps;
  settings.n = n;
  settings.prioritized = prioritized;
  sixer_config seen = *config;
  replay *memory = NULL;
  replay_batch *batch = NULL;
  observer *eye = NULL;
  sixer_env *env = NULL;
  double spent = 0;
  const observe_settings look = {SIDE, SIDE, OBSERVE_AREA, OBSERVE_GRAY};
  sixer_err err = replay_create(&settings, &memory, error);
  if (!err && !(batch = replay_batch_create(memory, BATCH)))
    err = sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a batch");
  if (!err) err = observe_create(&look, &eye, error);
  if (!err) {
    observe_prepare(eye, &seen);
    err = sixer_env_create(rom, &seen, &env, error);
  }
  if (!err)
    err = fill(memory, env, eye, sixer_rom_minimal_actions(rom), player, steps, &spent, error);
  if (!err) {
    replay_use use = replay_memory(memory);
    double kept = (double)replay_size(memory);
    *figures = (sixer_replay_figures){.frame_bytes = (double)use.frames / kept,
                                      .other_bytes = (double)(use.steps + use.tree) / kept,
                                      .add_time = spent / (double)steps,
                                      .batch_time = sample(memory, batch)};
  }
  sixer_env_destroy(env);
  observe_destroy(eye);
  replay_batch_destroy(batch);
  replay_destroy(memory);
  return err;
}
