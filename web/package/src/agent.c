/* Agents, training and models. The engine sixer-play.wasm is linked without this file, and so without all of them. */
#include "web.h"

/* ---- What there is ---------------------------------------------------------------------------------------------- */

WEB void web_agent_at(int index) {
  const sixer_agent_info i = sixer_agent_at(index);
  web_begin();
  web_put_text(i.name);
  web_put_text(i.summary);
}
WEB void web_agent_option_at(const char *agent, int index) {
  const sixer_agent_option o = sixer_agent_option_at(agent, index);
  web_begin();
  web_put_text(o.name);
  web_put_text(o.value);
  web_put_text(o.choices);
  web_put_text(o.help);
}
WEB void web_agent_preset_at(const char *agent, int index) {
  const sixer_agent_preset p = sixer_agent_preset_at(agent, index);
  web_begin();
  web_put_text(p.name);
  web_put_text(p.options);
  web_put_text(p.source);
}

/* ---- Agents ----------------------------------------------------------------------------------------------------- */

WEB sixer_agent *web_agent_create(const char *name, const char *options, uint32_t seed) {
  sixer_agent *agent = NULL;
  return sixer_agent_create(name, options, seed, &agent, &web_error) ? NULL : agent;
}
WEB void web_agent_destroy(sixer_agent *agent) { sixer_agent_destroy(agent); }

/* The actions that an agent chooses from: `count` numbers, or the legal ones of the env's rom if there is no array. */
static sixer_list list_of(sixer_env *env, const int *actions, int count) {
  return actions ? (sixer_list){actions, count} : sixer_rom_legal_actions(sixer_env_rom(env));
}

WEB int web_agent_act(sixer_agent *agent, sixer_env *env, const int *actions, int count) {
  int action;
  sixer_err err = sixer_agent_act(agent, env, list_of(env, actions, count), &action, &web_error);
  return err ? -(int)err : action;
}
WEB int web_agent_sit(sixer_agent *agent, int player) {
  return sixer_agent_sit(agent, player, &web_error);
}
WEB int web_agent_settings(const sixer_agent *agent, char *text, int size) {
  return (int)sixer_agent_settings(agent, text, (size_t)size);
}
WEB int web_agent_end(sixer_agent *agent, sixer_env *env) {
  return sixer_agent_end(agent, env, &web_error);
}
WEB void web_agent_reset(sixer_agent *agent) { sixer_agent_reset(agent); }
WEB int web_agent_learns(const sixer_agent *agent) { return sixer_agent_learns(agent); }

/* The result of the step is in web_out. */
WEB int web_agent_learn(sixer_agent *agent, sixer_env *env) {
  const sixer_result result = {.reward = (int)web_out[0],
                               .lives = (int)web_out[1],
                               .over = web_out[2] != 0,
                               .terminal = web_out[3] != 0,
                               .truncated = web_out[4] != 0,
                               .end = (sixer_end)web_out[5],
                               .executed = (int)web_out[6],
                               .frames = (int)web_out[7]};
  return sixer_agent_learn(agent, env, &result, &web_error);
}
WEB void web_agent_evaluate(sixer_agent *agent, int evaluating) {
  sixer_agent_evaluate(agent, evaluating);
}

WEB void web_agent_progress(const sixer_agent *agent) {
  const sixer_agent_progress p = sixer_agent_learned(agent);
  web_begin();
  const double values[] = {(double)p.steps,
                           (double)p.updates,
                           (double)p.features,
                           (double)p.memory,
                           p.active,
                           p.max_active,
                           p.reward_unit,
                           p.value,
                           p.error,
                           p.loss,
                           (double)p.refilled,
                           p.epsilon};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) web_put(values[i]);
  web_put_text(p.kernels);
  web_put(p.features_time);
  web_put(p.learning_time);
}

WEB void web_agent_last(const sixer_agent *agent) {
  const sixer_agent_stats s = sixer_agent_last(agent);
  web_begin();
  const double values[] = {
      (double)s.frames, (double)s.replayed, (double)s.simulations, (double)s.expanded,
      (double)s.nodes,  (double)s.reused,   (double)s.memory,      s.depth,
      s.value,          s.seconds,          s.emulation,           s.limited};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) web_put(values[i]);
}

WEB int web_agent_look(sixer_agent *agent, sixer_env *env, const int *actions, int count) {
  sixer_agent_view v;
  sixer_err err = sixer_agent_look(agent, env, list_of(env, actions, count), &v, &web_error);
  if (err) return err;
  web_begin();
  web_put(v.actions);
  for (int i = 0; i < SIXER_ACTION_COUNT; i++) web_put(v.values[i]);
  web_put((double)(uintptr_t)v.pixels);
  web_put(v.frames);
  web_put(v.height);
  web_put(v.width);
  web_put(v.kind);
  web_put(v.points);
  web_put((double)(uintptr_t)v.distribution);
  web_put((double)(uintptr_t)v.at);
  return SIXER_OK;
}

WEB int web_agent_saliency(sixer_agent *agent, sixer_env *env, const int *actions, int count,
                           int cells, float *map) {
  return sixer_agent_saliency(agent, env, list_of(env, actions, count), cells, map, &web_error);
}

WEB int web_agent_tree(const sixer_agent *agent, sixer_tree_node *nodes, int max) {
  _Static_assert(sizeof(sixer_tree_node) == 32, "six numbers of 32 bits and one of 64");
  return sixer_agent_tree(agent, nodes, max);
}

WEB void *web_agent_save(const sixer_agent *agent) {
  void *bytes;
  size_t size;
  if (sixer_agent_save(agent, &bytes, &size, &web_error)) return NULL;
  web_begin();
  web_put((double)size);
  return bytes;
}
WEB int web_agent_load(sixer_agent *agent, sixer_env *env, const void *bytes, size_t size) {
  return sixer_agent_load(agent, env, bytes, size, &web_error);
}

/* Fit the settings that JavaScript is filling in to what the agent looks at. */
WEB void web_config_prepare(const sixer_agent *agent) {
  sixer_agent_prepare(agent, &web_config.env);
}

/* ---- Training --------------------------------------------------------------------------------------------------- */

typedef struct web_train {
  sixer_train *train;
  sixer_protocol *protocol;
} web_train;

WEB void web_train_destroy(web_train *t) {
  if (!t) return;
  sixer_train_destroy(t->train);
  sixer_protocol_close(t->protocol);
  free(t);
}

/* `numbers`: seed, mode, difficulty, level, levels, frames, episodes, evaluation, refill. `protocol` is a name or a
 * text. */
WEB web_train *web_train_create(const sixer_rom *rom, const char *agent, const char *options,
                                const char *label, const char *protocol, const char *path,
                                const double *numbers) {
  web_train *t = calloc(1, sizeof *t);
  if (!t) {
    sixer_fail(&web_error, SIXER_ERR_MEMORY, "out of memory for a run");
    return NULL;
  }
  sixer_err err = strchr(protocol, '\n')
                      ? sixer_protocol_parse(protocol, "protocol", &t->protocol, &web_error)
                      : sixer_protocol_open(protocol, &t->protocol, &web_error);
  sixer_train_settings s = sixer_train_settings_default();
  s.agent = agent;
  s.options = options;
  s.label = label;
  s.rom = rom;
  s.protocol = t->protocol;
  s.seed = (uint32_t)numbers[0];
  s.mode = (int)numbers[1];
  s.difficulty = (int)numbers[2];
  s.level = (int)numbers[3];
  s.levels = (int)numbers[4];
  s.frames = (int64_t)numbers[5];
  s.episodes = (int64_t)numbers[6];
  s.evaluation = (int)numbers[7];
  s.refill = numbers[8] != 0;
  s.path = path;
  if (!err) err = sixer_train_create(&s, &t->train, &web_error);
  if (!err) return t;
  web_train_destroy(t);
  return NULL;
}

void web_put_progress(const sixer_train_progress *p) {
  web_begin();
  const double values[] = {(double)p->frames,
                           (double)p->steps,
                           (double)p->episodes,
                           (double)p->frames_budget,
                           (double)p->episodes_budget,
                           p->share,
                           p->mean,
                           p->best,
                           p->last,
                           p->averaged,
                           p->trained,
                           p->finished,
                           p->evaluation,
                           p->evaluated,
                           p->evaluation_mean,
                           (double)p->evaluation_frames,
                           (double)p->tests,
                           p->best_test,
                           p->last_test,
                           (double)p->refilled};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) web_put(values[i]);
}

WEB int web_train_run(web_train *t, double steps) {
  return sixer_train_run(t->train, (int64_t)steps, &web_error);
}
WEB int web_train_save(web_train *t) { return sixer_train_save(t->train, &web_error); }
WEB void web_train_progress(const web_train *t) {
  const sixer_train_progress p = sixer_train_progress_of(t->train);
  web_put_progress(&p);
}
WEB sixer_env *web_train_env(web_train *t) { return sixer_train_env(t->train); }
WEB sixer_agent *web_train_agent(web_train *t) { return sixer_train_agent(t->train); }

/* ---- Models ----------------------------------------------------------------------------------------------------- */

WEB sixer_model *web_model_open(const char *path) {
  sixer_model *model = NULL;
  return sixer_model_open(path, &model, &web_error) ? NULL : model;
}
WEB void web_model_close(sixer_model *model) { sixer_model_close(model); }
WEB const char *web_model_setting(const sixer_model *model, const char *name) {
  return sixer_model_setting(model, name);
}
WEB const char *web_model_text(const sixer_model *model) { return sixer_model_text(model); }
WEB void web_model_progress(const sixer_model *model) {
  const sixer_train_progress p = sixer_model_progress(model);
  web_put_progress(&p);
}
WEB const char *web_model_section(const sixer_model *model, int index) {
  uint64_t size = 0;
  const char *name = sixer_model_section(model, index, &size);
  web_begin();
  web_put((double)size);
  return name;
}
WEB sixer_agent *web_model_agent(const sixer_model *model, const sixer_rom *rom) {
  sixer_agent *agent = NULL;
  return sixer_model_agent(model, rom, &agent, &web_error) ? NULL : agent;
}
WEB int web_config_of_model(const sixer_model *model, const sixer_rom *rom) {
  sixer_list actions;
  sixer_err err = sixer_model_config(model, rom, &web_config.env, &actions, &web_error);
  if (err) return err;
  web_begin();
  web_put_list(actions);
  return SIXER_OK;
}
