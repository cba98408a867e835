/* Models: checkpoints of training runs, opened to play with. See train.h. */
#include <stdlib.h>
#include <string.h>

#include "agents/agent.h"
#include "agents/train_parts.h"
#include "util/error.h"
#include "util/number.h"

struct sixer_model {
  char path[TRAIN_PATH];
  char text[TRAIN_TEXT];   /* settings, a line each */
  char fields[TRAIN_TEXT]; /* the same, each ended by a zero byte */
  sections_reader *reader;
  sixer_train_progress progress;
  bool playable; /* it has env and agent */
};

sixer_err sixer_model_open(const char *path, sixer_model **model, sixer_error *error) {
  sixer_model *m = calloc(1, sizeof *m);
  if (!m) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a model");
  snprintf(m->path, sizeof m->path, "%s", path);
  int limits, averaged;
  double mean;
  train_counters c;
  sixer_err err = train_open(path, &m->reader, m->text, sizeof m->text, &limits, error);
  if (!err) {
    if (!sections_find(m->reader, "counters")) sections_fail(m->reader, "it has no counters");
    train_get_counters(m->reader, &c, NULL, limits, &mean, &averaged);
    m->playable = sections_find(m->reader, "env");
    if (sections_failed(m->reader)) err = train_damaged(m->reader, path, error);
  }
  if (err) {
    sixer_model_close(m);
    return err;
  }
  m->progress = train_progress(&c, mean, averaged);
  for (size_t i = 0; m->text[i]; i++) m->fields[i] = m->text[i] == '\n' ? '\0' : m->text[i];
  *model = m;
  return SIXER_OK;
}

void sixer_model_close(sixer_model *m) {
  if (!m) return;
  sections_free(m->reader);
  free(m);
}

const char *sixer_model_text(const sixer_model *m) { return m->text; }

const char *sixer_model_setting(const sixer_model *m, const char *name) {
  size_t length = strlen(name);
  for (const char *at = m->fields; *at; at += strlen(at) + 1) {
    if (!strncmp(at, name, length) && at[length] == '=') return at + length + 1;
  }
  return NULL;
}

sixer_train_progress sixer_model_progress(const sixer_model *m) { return m->progress; }

const char *sixer_model_section(const sixer_model *m, int index, uint64_t *size) {
  return index < 0 ? NULL : sections_name_at(m->reader, (size_t)index, size);
}

/* The value of a setting, or an empty text. Invalid values are rejected by sixer_env_create() and
 * agent_create_stored(). */
static const char *setting(const sixer_model *m, const char *name) {
  const char *value = sixer_model_setting(m, name);
  return value ? value : "";
}

static int number(const sixer_model *m, const char *name) {
  return (int)strtol(setting(m, name), NULL, 10);
}

sixer_err sixer_model_config(const sixer_model *m, const sixer_rom *rom, sixer_config *config,
                             sixer_list *actions, sixer_error *error) {
  sixer_rom_info info = sixer_rom_describe(rom);
  const char *made = setting(m, "rom");
  if (strcmp(info.md5, made) != 0)
    return sixer_fail(error, SIXER_ERR_STATE,
                      "%.150s was trained on %.50s (an image with MD5 %.32s), not on %.50s (%s)",
                      m->path, setting(m, "game"), made, info.game ? info.game : info.title,
                      info.md5);
  if (number(m, "behavior") != SIXER_BEHAVIOR)
    return sixer_fail(error, SIXER_ERR_STATE,
                      "%.150s was trained with behavior %.20s of the environment, this is %d",
                      m->path, setting(m, "behavior"), SIXER_BEHAVIOR);
  sixer_config c = sixer_config_default();
  double sticky = 0;
  if (!number_read(setting(m, "sticky"), NUMBER_FINITE, &sticky))
    return sixer_fail(error, SIXER_ERR_STATE, "%.150s: its setting sticky is '%.50s'", m->path,
                      setting(m, "sticky"));
  c.sticky = (float)sticky;
  c.frame_skip = number(m, "frame_skip");
  c.mode = number(m, "mode");
  c.difficulty = number(m, "difficulty");
  c.level = number(m, "level");
  c.levels = number(m, "levels");
  c.max_frames = number(m, "max_frames");
  c.noop_starts = number(m, "noop_starts");
  c.stuck_limit = number(m, "stuck_frames");
  c.end_on_life_loss = !strcmp(setting(m, "life_loss"), "terminal");
  c.color_averaging = number(m, "color_averaging") != 0;
  c.picture = number(m, "picture") != 0;
  if (!strcmp(setting(m, "scoring"), "fixed")) c.scoring = SIXER_SCORING_FIXED;
  if (config) *config = c;
  if (actions)
    *actions = !strcmp(setting(m, "actions"), "minimal") ? sixer_rom_minimal_actions(rom)
                                                         : sixer_rom_legal_actions(rom);
  return SIXER_OK;
}

sixer_err sixer_model_export(const sixer_model *m, const char *path, sixer_error *error) {
  return model_export(m->reader, m->path, path, error);
}

sixer_err sixer_model_import(const sixer_model *m, const char *weights, const char *path,
                             sixer_error *error) {
  return model_import(m->reader, m->path, weights, path, error);
}

sixer_err sixer_model_agent(const sixer_model *m, const sixer_rom *rom, sixer_agent **agent,
                            sixer_error *error) {
  sixer_config config;
  sixer_env *env = NULL;
  sixer_agent *made = NULL;
  sixer_err err = sixer_model_config(m, rom, &config, NULL, error);
  if (err) return err;
  if (!m->playable)
    return sixer_fail(
        error, SIXER_ERR_STATE,
        "%.200s holds the result of an evaluation and no agent; the checkpoint beside "
        "it has one",
        m->path);
  /* a file that somebody sent must not start programs */
  if (!strcmp(setting(m, "agent"), "pipe") || !strcmp(setting(m, "agent"), "python"))
    return sixer_fail(error, SIXER_ERR_STATE,
                      "%.200s is of an agent that is a program of its own; it is not started from "
                      "a file (`sixer lab resume` goes on with its run)",
                      m->path);
  uint64_t seed = strtoull(setting(m, "seed"), NULL, 10);
  err = agent_create_stored(setting(m, "agent"), setting(m, "options"), 2 * seed - 1, &made, error);
  if (!err) sixer_agent_evaluate(made, true);
  if (!err) err = sixer_env_create(rom, &config, &env, error);
  /* agent_read() needs the env in the state in which the agent was saved */
  if (!err) err = train_get_env(m->reader, env, m->path, error);
  if (!err) err = agent_read(made, env, m->reader, error);
  sixer_env_destroy(env);
  if (err) {
    sixer_agent_destroy(made);
    return err;
  }
  sixer_agent_reset(made);
  *agent = made;
  return SIXER_OK;
}
