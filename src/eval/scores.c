/* The collection of scores: its settings, its agents and its warnings. score_*.c add to it. */
#include "eval/scores.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

enum { COOKIE = 0x5C04E5 };

sixer_scores_config sixer_scores_config_default(const sixer_protocol *protocol) {
  sixer_protocol_info info = sixer_protocol_describe(protocol);
  return (sixer_scores_config){.cookie = COOKIE,
                               .checkpoint = info.checkpoints[info.checkpoint_count - 1],
                               .limit = info.limits[info.limit_count - 1]};
}

static sixer_err check_config(const sixer_protocol_info *info, const sixer_scores_config *config,
                              sixer_error *error) {
  bool checkpoint = false, limit = false;
  if (config->cookie != COOKIE)
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "the config was not made by sixer_scores_config_default()");
  for (size_t i = 0; i < info->checkpoint_count; i++)
    checkpoint |= info->checkpoints[i] == config->checkpoint;
  for (size_t i = 0; i < info->limit_count; i++) limit |= info->limits[i] == config->limit;
  if (!checkpoint)
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "%s reports no scores at %lld; `sixer eval --show %s` lists its checkpoints",
                      info->name, (long long)config->checkpoint, info->name);
  if (config->frames_per_step < 0 || config->frames_per_step > 1000)
    return sixer_fail(error, SIXER_ERR_CONFIG, "frames_per_step is %d; it is from 1 to 1000, or 0",
                      config->frames_per_step);
  if (!limit)
    return sixer_fail(error, SIXER_ERR_CONFIG, "%s keeps no scores after %d frames of play",
                      info->name, config->limit);
  return SIXER_OK;
}

sixer_err sixer_scores_create(const sixer_protocol *protocol, const sixer_published *published,
                              const sixer_scores_config *config, sixer_scores **scores,
                              sixer_error *error) {
  sixer_protocol_info info = sixer_protocol_describe(protocol);
  sixer_err err = check_config(&info, config, error);
  if (err) return err;
  sixer_scores *made = malloc(sizeof *made);
  if (!made) return arena_no_memory(error);
  *made = (sixer_scores){.protocol = protocol,
                         .info = info,
                         .published = published,
                         .checkpoint = config->checkpoint,
                         .limit = config->limit,
                         .partial = config->partial,
                         .frames_per_step = config->frames_per_step};
  *scores = made;
  return SIXER_OK;
}

void sixer_scores_destroy(sixer_scores *scores) {
  if (!scores) return;
  arena_free(&scores->arena);
  free(scores);
}

/* ---- agents ---- */

int scores_game_index(const sixer_scores *s, const char *game) {
  for (size_t g = 0; g < s->info.game_count; g++) {
    if (!strcmp(s->info.games[g], game)) return (int)g;
  }
  return -1;
}

eval_agent *scores_add_agent(sixer_scores *s, const char *name) {
  if (s->agent_count == s->agent_room) {
    size_t room = s->agent_room ? 2 * s->agent_room : 8;
    eval_agent *more = arena_alloc(&s->arena, room * sizeof *more);
    if (!more) return NULL;
    if (s->agent_count) memcpy(more, s->agents, s->agent_count * sizeof *more);
    s->agents = more;
    s->agent_room = room;
  }
  size_t games = s->info.game_count;
  eval_agent *agent = &s->agents[s->agent_count];
  *agent = (eval_agent){.name = arena_copy(&s->arena, name, strlen(name)),
                        .runs = arena_alloc(&s->arena, games * sizeof *agent->runs),
                        .scores = arena_alloc(&s->arena, games * sizeof *agent->scores),
                        .means = arena_alloc(&s->arena, games * sizeof *agent->means),
                        .sds = arena_alloc(&s->arena, games * sizeof *agent->sds),
                        .sizes = arena_alloc(&s->arena, games * sizeof *agent->sizes),
                        .trained = arena_alloc(&s->arena, games * sizeof *agent->trained)};
  if (!agent->name || !agent->runs || !agent->scores || !agent->means || !agent->sds ||
      !agent->sizes || !agent->trained)
    return NULL;
  for (size_t g = 0; g < games; g++) agent->means[g] = agent->sds[g] = agent->trained[g] = NAN;
  s->agent_count++;
  return agent;
}

size_t sixer_scores_agent_count(const sixer_scores *scores) { return scores->agent_count; }

sixer_agent_scores sixer_scores_agent(const sixer_scores *scores, size_t index) {
  assert(index < scores->agent_count);
  if (index >= scores->agent_count) return (sixer_agent_scores){0};
  const eval_agent *agent = &scores->agents[index];
  return (sixer_agent_scores){
      .name = agent->name,
      .published = agent->published,
      .runs = agent->runs,
      .scores = (const double *const *)agent->scores,
      .means = agent->means,
      .sds = agent->sds,
      .sizes = agent->sizes,
      .trained = agent->trained,
  };
}

/* ---- warnings ---- */

sixer_err scores_warn(sixer_scores *scores, sixer_error *error, const char *name,
                      const char *format, ...) {
  char text[1000];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  text_clean(text); /* names of agents come from files */
  if (scores->warning_count == scores->warning_room) {
    size_t room = scores->warning_room ? 2 * scores->warning_room : 16;
    sixer_warning *more = arena_alloc(&scores->arena, room * sizeof *more);
    if (!more) return arena_no_memory(error);
    if (scores->warning_count) memcpy(more, scores->warnings, scores->warning_count * sizeof *more);
    scores->warnings = more;
    scores->warning_room = room;
  }
  const char *copy = arena_copy(&scores->arena, text, strlen(text));
  if (!copy) return arena_no_memory(error);
  scores->warnings[scores->warning_count++] = (sixer_warning){name, copy};
  return SIXER_OK;
}

size_t sixer_scores_warning_count(const sixer_scores *scores) { return scores->warning_count; }

sixer_warning sixer_scores_warning(const sixer_scores *scores, size_t index) {
  assert(index < scores->warning_count);
  if (index >= scores->warning_count) return (sixer_warning){NULL, NULL};
  return scores->warnings[index];
}

sixer_err sixer_scores_warn(sixer_scores *scores, const char *name, const char *text,
                            sixer_error *error) {
  return scores_warn(scores, error, name, "%s", text);
}

void scores_append_name(char *list, size_t size, const char *name) {
  size_t used = strlen(list);
  if (used + strlen(name) + 8 < size) {
    snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
  } else if (used + 6 < size && (used < 3 || strcmp(list + used - 3, "..."))) {
    memcpy(list + used, ", ...", sizeof ", ...");
  }
}
