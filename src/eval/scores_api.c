/* The functions of sixer/scores.h: they check arguments and give read-only views of the collection in eval/scores.h. */
#include "sixer/scores.h"

#include <assert.h>
#include <stdlib.h>

#include "eval/scores.h"

enum { COOKIE = 0x5C04E5 };

struct sixer_scores {
  eval_scores inner;
};

sixer_scores_config sixer_scores_config_default(const sixer_protocol *protocol) {
  eval_scores start;
  eval_scores_begin(&start, protocol, NULL);
  return (sixer_scores_config){
      .cookie = COOKIE, .checkpoint = start.checkpoint, .limit = start.limit};
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
  if (!made) return eval_no_memory(error);
  eval_scores_begin(&made->inner, protocol, published);
  made->inner.checkpoint = config->checkpoint;
  made->inner.limit = config->limit;
  made->inner.partial = config->partial;
  *scores = made;
  return SIXER_OK;
}

void sixer_scores_destroy(sixer_scores *scores) {
  if (!scores) return;
  eval_scores_end(&scores->inner);
  free(scores);
}

sixer_err sixer_scores_read(sixer_scores *scores, const char *path, const char *default_agent,
                            sixer_error *error) {
  return eval_scores_read(&scores->inner, path, default_agent, error);
}

sixer_err sixer_scores_parse(sixer_scores *scores, const char *text, size_t size,
                             const char *origin, const char *default_agent, sixer_error *error) {
  return eval_scores_parse(&scores->inner, text, size, origin, default_agent, error);
}

sixer_err sixer_scores_add_published(sixer_scores *scores, const char *name, sixer_error *error) {
  return eval_scores_add_published(&scores->inner, name, error);
}

size_t sixer_scores_agent_count(const sixer_scores *scores) { return scores->inner.agent_count; }

sixer_agent_scores sixer_scores_agent(const sixer_scores *scores, size_t index) {
  assert(index < scores->inner.agent_count);
  if (index >= scores->inner.agent_count) return (sixer_agent_scores){0};
  const eval_agent *agent = &scores->inner.agents[index];
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

sixer_err sixer_scores_constants(sixer_scores *scores, const char *kind,
                                 const sixer_agent_scores *others, size_t other_count,
                                 sixer_scale *scale, double *low, double *high,
                                 sixer_error *error) {
  return eval_scores_constants(&scores->inner, kind, others, other_count, scale, low, high, error);
}

size_t sixer_scores_warning_count(const sixer_scores *scores) {
  return scores->inner.warning_count;
}

sixer_warning sixer_scores_warning(const sixer_scores *scores, size_t index) {
  assert(index < scores->inner.warning_count);
  if (index >= scores->inner.warning_count) return (sixer_warning){NULL, NULL};
  return scores->inner.warnings[index];
}

sixer_err sixer_scores_warn(sixer_scores *scores, const char *name, const char *text,
                            sixer_error *error) {
  return eval_scores_warn(&scores->inner, error, name, "%s", text);
}
