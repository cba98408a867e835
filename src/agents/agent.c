/* The agents by name, and their options. */
#include "agents/agent.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/nearest.h"
#include "util/number.h"

static const agent_class *const classes[] = {
    &agent_random,    &agent_const,       &agent_perturb, &agent_scripted,
    &agent_full_tree, &agent_uct,         &agent_iw1,     &agent_p_iw1,
    &agent_2bfs,      &agent_rollout_iw1, &agent_brute,   &agent_sarsa,
    &agent_dqn,       &agent_c51,         &agent_rainbow, &agent_der,
    &agent_iqn,       &agent_rainbow_iqn, &agent_pqn,     &agent_apex_dqn,
    &agent_pipe,      &agent_python,      NULL,
};

sixer_agent_info sixer_agent_at(int index) {
  int count = (int)(sizeof classes / sizeof classes[0]) - 1;
  if (index < 0 || index >= count) return (sixer_agent_info){NULL, NULL};
  return (sixer_agent_info){classes[index]->name, classes[index]->summary};
}

static const agent_class *find_class(const char *name) {
  for (int i = 0; classes[i]; i++) {
    if (!strcmp(classes[i]->name, name)) return classes[i];
  }
  return NULL;
}

sixer_agent_option sixer_agent_option_at(const char *agent, int index) {
  const agent_class *class = find_class(agent);
  if (!class || index < 0) return (sixer_agent_option){NULL, NULL, NULL, NULL};
  for (const agent_option *o = class->options; o->name; o++) {
    if (index-- == 0) return (sixer_agent_option){o->name, o->value, o->choices, o->help};
  }
  return (sixer_agent_option){NULL, NULL, NULL, NULL};
}

sixer_agent_preset sixer_agent_preset_at(const char *agent, int index) {
  const agent_class *class = find_class(agent);
  if (!class || !class->presets || index < 0) return (sixer_agent_preset){NULL, NULL, NULL};
  for (const agent_preset *p = class->presets; p->name; p++) {
    if (index-- == 0) return (sixer_agent_preset){p->name, p->options, p->source};
  }
  return (sixer_agent_preset){NULL, NULL, NULL};
}

/* ---- Options --------------------------------------------------------------------------------------------------- */

/* The index of a word in "one|two|three"; -1 if it is none of them. */
static int find_choice(const char *choices, const char *word) {
  size_t length = strlen(word);
  int index = 0;
  for (const char *at = choices; at; at = strchr(at, '|'), at = at ? at + 1 : NULL, index++) {
    if (strcspn(at, "|") == length && !strncmp(at, word, length)) return index;
  }
  return -1;
}

static sixer_err bad_value(const agent_class *class, const agent_option *o, const char *value,
                           sixer_error *error) {
  if (o->kind == AGENT_CHOICE) {
    nearest close;
    nearest_begin(&close, value);
    nearest_offer_list(&close, o->choices);
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "option %s of %s is one of %s, found '%s'%s",
                      o->name, class->name, o->choices, value, nearest_hint(&close));
  }
  if (o->kind == AGENT_TEXT) {
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "option %s of %s is longer than %d bytes: '%.40s...'", o->name, class->name,
                      AGENT_TEXT_SIZE - 1, value);
  }
  if (o->kind == AGENT_FLAG) {
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "option %s of %s is 1 or 0, found '%s'", o->name,
                      class->name, value);
  }
  return sixer_fail(error, SIXER_ERR_ARGUMENT,
                    "option %s of %s is a number from %g to %g, found '%s'", o->name, class->name,
                    o->min, o->max, value);
}

static sixer_err store(sixer_agent *agent, const agent_option *o, const char *value,
                       sixer_error *error) {
  char *field = (char *)agent + o->offset, *end;
  errno = 0;
  switch (o->kind) {
    case AGENT_INT: {
      long long number = strtoll(value, &end, 10);
      if (end == value || *end || errno || (double)number < o->min || (double)number > o->max)
        return bad_value(agent->class, o, value, error);
      *(int64_t *)field = number;
      return SIXER_OK;
    }
    case AGENT_REAL: {
      double number = strtod(value, &end);
      if (end == value || *end || !(number >= o->min && number <= o->max))
        return bad_value(agent->class, o, value, error);
      *(double *)field = number;
      return SIXER_OK;
    }
    case AGENT_FLAG: {
      int yes = find_choice("0|no|1|yes", value);
      if (yes < 0) return bad_value(agent->class, o, value, error);
      *(bool *)field = yes >= 2;
      return SIXER_OK;
    }
    case AGENT_CHOICE: {
      int index = find_choice(o->choices, value);
      if (index < 0) return bad_value(agent->class, o, value, error);
      *(int *)field = index;
      return SIXER_OK;
    }
    case AGENT_TEXT: {
      size_t length = strlen(value);
      if (length >= AGENT_TEXT_SIZE) return bad_value(agent->class, o, value, error);
      memcpy(field, value, length + 1);
      return SIXER_OK;
    }
  }
  return SIXER_ERR_ARGUMENT;
}

static sixer_err unknown_option(const agent_class *class, const char *name, sixer_error *error) {
  char list[400] = "";
  size_t at = 0;
  nearest close;
  nearest_begin(&close, name);
  for (const agent_option *o = class->options; o->name; o++) {
    nearest_offer(&close, o->name, strlen(o->name));
    if (at < sizeof list - 40)
      at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", o->name);
  }
  return sixer_fail(error, SIXER_ERR_ARGUMENT, "%s has no option '%s'%s; it has: %s", class->name,
                    name, nearest_hint(&close), list[0] ? list : "none");
}

static sixer_err unknown_preset(const agent_class *class, const char *name, sixer_error *error) {
  char list[400] = "";
  size_t at = 0;
  nearest close;
  nearest_begin(&close, name);
  for (const agent_preset *p = class->presets; p && p->name; p++) {
    nearest_offer(&close, p->name, strlen(p->name));
    if (at < sizeof list - 40)
      at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", p->name);
  }
  return sixer_fail(error, SIXER_ERR_ARGUMENT, "%s has no preset '%s'%s; it has: %s", class->name,
                    name, nearest_hint(&close), list[0] ? list : "none");
}

/* One "name=value" after the other; `first`: the text may begin with a preset. */
static sixer_err parse_text(sixer_agent *agent, const char *text, bool first, sixer_error *error) {
  const agent_class *class = agent->class;
  for (; text && *text; first = false) {
    char item[AGENT_TEXT_SIZE + 40];
    size_t length = strcspn(text, ",");
    if (length >= sizeof item)
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "an option of %s is too long: '%.40s...'",
                        class->name, text);
    memcpy(item, text, length);
    item[length] = 0;
    text += length + (text[length] == ',');
    char *equals = strchr(item, '=');
    if (equals) *equals = 0;
    if (!strcmp(item, "preset")) {
      if (!first)
        return sixer_fail(error, SIXER_ERR_ARGUMENT,
                          "preset=... must be the first option of %s: the others override it",
                          class->name);
      const agent_preset *p = class->presets;
      while (p && p->name && (!equals || strcmp(p->name, equals + 1) != 0)) p++;
      if (!p || !p->name) return unknown_preset(class, equals ? equals + 1 : "", error);
      sixer_err err = parse_text(agent, p->options, false, error);
      if (err) return err;
      continue;
    }
    const agent_option *o = class->options;
    while (o->name && strcmp(o->name, item) != 0) o++;
    if (!o->name) return unknown_option(class, item, error);
    if (!equals)
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "option %s of %s needs a value: %s=%s", o->name,
                        class->name, o->name, o->value);
    sixer_err err = store(agent, o, equals + 1, error);
    if (err) return err;
  }
  return SIXER_OK;
}

static sixer_err parse_options(sixer_agent *agent, const char *text, sixer_error *error) {
  for (const agent_option *o = agent->class->options; o->name; o++) {
    sixer_err err = store(agent, o, o->value, error);
    if (err) return err;
  }
  return parse_text(agent, text, true, error);
}

size_t sixer_agent_settings(const sixer_agent *agent, char *text, size_t size) {
  size_t at = 0;
  for (const agent_option *o = agent->class->options; o->name; o++) {
    const char *field = (const char *)agent + o->offset;
    char number[40];
    const char *value = number;
    int length = -1;
    if (o->kind == AGENT_INT) {
      snprintf(number, sizeof number, "%lld", (long long)*(const int64_t *)field);
    } else if (o->kind == AGENT_REAL) {
      value = number_text(*(const double *)field, number);
    } else if (o->kind == AGENT_FLAG) {
      value = *(const bool *)field ? "1" : "0";
    } else if (o->kind == AGENT_CHOICE) {
      value = o->choices;
      for (int i = *(const int *)field; i > 0; i--) value = strchr(value, '|') + 1;
      length = (int)strcspn(value, "|");
    } else {
      value = field;
    }
    if (length < 0) length = (int)strlen(value);
    at += (size_t)snprintf(at < size ? text + at : NULL, at < size ? size - at : 0, "%s%s=%.*s",
                           at ? "," : "", o->name, length, value);
  }
  if (at == 0 && size > 0) text[0] = 0;
  return at;
}

/* ---- Life ------------------------------------------------------------------------------------------------------ */

static sixer_err unknown_agent(const char *name, sixer_error *error) {
  char list[300] = "";
  size_t at = 0;
  nearest close;
  nearest_begin(&close, name);
  for (int i = 0; classes[i]; i++) {
    nearest_offer(&close, classes[i]->name, strlen(classes[i]->name));
    if (at < sizeof list - 40)
      at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", classes[i]->name);
  }
  return sixer_fail(error, SIXER_ERR_ARGUMENT, "there is no agent '%s'%s; there are: %s", name,
                    nearest_hint(&close), list);
}

static sixer_err create(const char *name, const char *options, uint64_t seed, bool no_files,
                        sixer_agent **out, sixer_error *error) {
  const agent_class *class = find_class(name);
  if (!class) return unknown_agent(name, error);
  sixer_agent *agent = calloc(1, class->size);
  if (!agent) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for an agent");
  agent->class = class;
  agent->rng = seed;
  agent->threads = 1;
  agent->test_epsilon = NAN;
  agent->no_files = no_files;
  sixer_err err = parse_options(agent, options, error);
  if (err) {
    free(agent);
    return err;
  }
  if (class->create) err = class->create(agent, error);
  if (err) {
    sixer_agent_destroy(agent);
    return err;
  }
  *out = agent;
  return SIXER_OK;
}

sixer_err sixer_agent_create(const char *name, const char *options, uint64_t seed,
                             sixer_agent **out, sixer_error *error) {
  return create(name, options, seed, false, out, error);
}

sixer_err agent_create_stored(const char *name, const char *options, uint64_t seed,
                              sixer_agent **out, sixer_error *error) {
  return create(name, options, seed, true, out, error);
}

void sixer_agent_destroy(sixer_agent *agent) {
  if (!agent) return;
  if (agent->class->destroy) agent->class->destroy(agent);
  free(agent);
}

static sixer_err check_choice(const sixer_env *env, sixer_list actions, sixer_error *error) {
  if (actions.count < 1 || actions.count > SIXER_ACTION_COUNT)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "%d actions to choose from; 1 to %d are possible",
                      actions.count, SIXER_ACTION_COUNT);
  for (int i = 0; i < actions.count; i++) {
    if (actions.items[i] < 0 || actions.items[i] >= SIXER_ACTION_COUNT)
      return sixer_fail(error, SIXER_ERR_ACTION, "%d is not an action; they are 0 to %d",
                        actions.items[i], SIXER_ACTION_COUNT - 1);
  }
  if (sixer_env_status(env).over)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "the episode is over: reset env and agent first");
  return SIXER_OK;
}

sixer_err sixer_agent_act(sixer_agent *agent, sixer_env *env, sixer_list actions, int *action,
                          sixer_error *error) {
  sixer_err err = check_choice(env, actions, error);
  if (err) return err;
  agent->last = (sixer_agent_stats){0};
  return agent->class->act(agent, env, actions, action, error);
}

sixer_err sixer_agent_end(sixer_agent *agent, sixer_env *env, sixer_error *error) {
  return agent->class->ended ? agent->class->ended(agent, env, error) : SIXER_OK;
}

sixer_err sixer_agent_sit(sixer_agent *agent, int player, sixer_error *error) {
  if (player < 0 || player >= SIXER_PLAYERS_MAX)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "there is no player %d; they are 0 to %d", player,
                      SIXER_PLAYERS_MAX - 1);
  sixer_agent_reset(agent);
  agent->player = player;
  return SIXER_OK;
}

sixer_err sixer_agent_look(sixer_agent *agent, sixer_env *env, sixer_list actions,
                           sixer_agent_view *view, sixer_error *error) {
  sixer_err err = check_choice(env, actions, error);
  if (err) return err;
  if (!agent->class->look)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "%s does not predict values", agent->class->name);
  return agent->class->look(agent, env, actions, view, error);
}

int sixer_agent_repeat_passes(sixer_agent *agent) {
  return agent->class->repeat ? agent->class->repeat(agent) : 0;
}

sixer_err sixer_agent_saliency(sixer_agent *agent, sixer_env *env, sixer_list actions, int cells,
                               float *map, sixer_error *error) {
  sixer_err err = check_choice(env, actions, error);
  if (err) return err;
  if (cells < 1 || cells > SIXER_SALIENCY_CELLS)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "a saliency map has 1 to %d cells a side, found %d", SIXER_SALIENCY_CELLS,
                      cells);
  if (!agent->class->saliency)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "%s has no network to look into",
                      agent->class->name);
  return agent->class->saliency(agent, env, actions, cells, map, error);
}

void sixer_agent_reset(sixer_agent *agent) {
  if (agent->class->reset) agent->class->reset(agent);
}

bool sixer_agent_learns(const sixer_agent *agent) { return agent->class->learn != NULL; }

void sixer_agent_prepare(const sixer_agent *agent, sixer_config *config) {
  if (agent->class->prepare) agent->class->prepare(agent, config);
}

sixer_err sixer_agent_learn(sixer_agent *agent, sixer_env *env, const sixer_result *result,
                            sixer_error *error) {
  return agent->class->learn ? agent->class->learn(agent, env, result, error) : SIXER_OK;
}

void sixer_agent_evaluate(sixer_agent *agent, bool evaluating) {
  if (agent->evaluating == evaluating) return;
  agent->evaluating = evaluating;
  if (agent->class->evaluate) agent->class->evaluate(agent);
}

void sixer_agent_use_threads(sixer_agent *agent, int threads) {
  agent->threads = threads < 1 ? 1 : threads > AGENT_THREADS ? AGENT_THREADS : threads;
}

sixer_agent_progress sixer_agent_learned(const sixer_agent *agent) {
  return agent->class->learned ? agent->class->learned(agent) : (sixer_agent_progress){0};
}

sixer_agent_stats sixer_agent_last(const sixer_agent *agent) { return agent->last; }

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

sixer_err agent_write(const sixer_agent *agent, sections_writer *out, sixer_error *error) {
  size_t size = sixer_agent_settings(agent, NULL, 0) + 1;
  char *settings = malloc(size);
  if (!settings) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a saved agent");
  sixer_agent_settings(agent, settings, size);
  sections_begin(out, "agent");
  sections_put_text(out, agent->class->name);
  sections_put_text(out, settings);
  sections_put_u64(out, agent->rng);
  sections_begin(out, "agent.state");
  free(settings);
  return agent->class->save ? agent->class->save(agent, out, error) : SIXER_OK;
}

/* A saved agent can be loaded only into an agent with the same settings. */
static sixer_err check_settings(const sixer_agent *agent, const char *saved, sixer_error *error) {
  size_t size = sixer_agent_settings(agent, NULL, 0) + 1;
  char *settings = malloc(size);
  if (!settings) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a saved agent");
  sixer_agent_settings(agent, settings, size);
  sixer_err err = SIXER_OK;
  if (!number_same_settings(settings, saved)) {
    /* name the first option that differs */
    size_t at = 0;
    for (size_t i = 0; settings[i] && settings[i] == saved[i]; i++) {
      if (settings[i] == ',') at = i + 1;
    }
    err = sixer_fail(error, SIXER_ERR_STATE,
                     "the saved %s has other settings: %.*s, and this one %.*s", agent->class->name,
                     (int)strcspn(saved + at, ","), saved + at, (int)strcspn(settings + at, ","),
                     settings + at);
  }
  free(settings);
  return err;
}

enum { SETTINGS_SIZE = 16384 };

sixer_err agent_read(sixer_agent *agent, sixer_env *env, sections_reader *in, sixer_error *error) {
  char name[64] = "", *settings = calloc(1, SETTINGS_SIZE);
  sixer_agent_reset(agent);
  if (!settings) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a saved agent");
  sixer_err err = SIXER_OK;
  if (!sections_find(in, "agent"))
    err = sixer_fail(error, SIXER_ERR_STATE, "there is no saved agent in it");
  sections_get_text(in, name, sizeof name);
  sections_get_text(in, settings, SETTINGS_SIZE);
  uint64_t rng = sections_get_u64(in);
  if (!err && (sections_failed(in) || sections_left(in) || !sections_find(in, "agent.state")))
    err = sixer_fail(error, SIXER_ERR_STATE, "the saved agent is damaged: its head is not whole");
  if (!err && strcmp(name, agent->class->name) != 0)
    err = sixer_fail(error, SIXER_ERR_STATE, "this agent is %s, the saved one %s",
                     agent->class->name, name);
  if (!err && agent->class->learn) err = check_settings(agent, settings, error);
  free(settings);
  if (!err && agent->class->load) err = agent->class->load(agent, env, in, error);
  if (!err && (sections_failed(in) || sections_left(in)))
    err = sixer_fail(error, SIXER_ERR_STATE, "the saved agent is damaged: %s",
                     sections_failed(in) ? sections_reason(in) : "it has too many bytes");
  if (err)
    sixer_agent_reset(agent);
  else
    agent->rng = rng;
  return err;
}

sixer_err sixer_agent_save(const sixer_agent *agent, void **bytes, size_t *size,
                           sixer_error *error) {
  sections_writer *out = sections_create(NULL);
  if (!out) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a saved agent");
  sixer_err err = agent_write(agent, out, error);
  if (err) {
    sections_abandon(out);
    return err;
  }
  sections_message message;
  if (!sections_take(out, bytes, size, message))
    return sixer_fail(error, SIXER_ERR_MEMORY, "the agent cannot be saved: %s", message);
  return SIXER_OK;
}

sixer_err sixer_agent_load(sixer_agent *agent, sixer_env *env, const void *bytes, size_t size,
                           sixer_error *error) {
  sections_message message;
  sixer_agent_reset(agent);
  sections_reader *in = sections_open_memory(bytes, size, message);
  if (!in) return sixer_fail(error, SIXER_ERR_STATE, "this is not a saved agent: %s", message);
  sixer_err err = agent_read(agent, env, in, error);
  sections_free(in);
  return err;
}
