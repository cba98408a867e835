/* Published results as agents of the collection. */
#include <math.h>
#include <string.h>

#include "eval/scores.h"

/* Of the results of an agent that were published under this protocol, the one at this checkpoint and limit. A name with
 * an @ chooses one itself. */
static sixer_err choose_set(const sixer_scores *s, const char *name, const sixer_result_set **set,
                            sixer_error *error) {
  const sixer_result_set *named = *set;
  bool own = named->protocol && !strcmp(named->protocol, s->info.name);
  if (!own || !named->frames || strchr(name, '@')) return SIXER_OK;
  char list[300] = "";
  for (size_t i = 0; i < sixer_published_count(s->published); i++) {
    const sixer_result_set *other = sixer_published_get(s->published, i);
    if (!other->protocol || strcmp(other->protocol, named->protocol) ||
        strcmp(other->source, named->source) || strcmp(other->agent, named->agent))
      continue;
    if (other->frames == s->checkpoint && other->limit == s->limit) {
      *set = other;
      return SIXER_OK;
    }
    scores_append_name(list, sizeof list, other->id);
  }
  return sixer_fail(error, SIXER_ERR_ARGUMENT,
                    "%s was not published at %lld frames of training with %d frames of play (0: "
                    "whole episodes); choose from %s",
                    named->id, (long long)s->checkpoint, s->limit, list);
}

sixer_err sixer_scores_add_published(sixer_scores *s, const char *name, sixer_error *error) {
  const sixer_result_set *set;
  sixer_err err = sixer_published_find(s->published, name, s->info.name, &set, error);
  if (!err) err = choose_set(s, name, &set, error);
  if (err) return err;
  for (size_t i = 0; i < s->agent_count; i++) {
    if (!strcmp(s->agents[i].name, set->id))
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "'%s' is given twice", set->id);
  }
  eval_agent *agent = scores_add_agent(s, set->id);
  if (!agent) return arena_no_memory(error);
  agent->published = set;
  size_t have = 0;
  char lacking[400] = "";
  for (size_t i = 0; i < set->count; i++) {
    int g = scores_game_index(s, set->games[i]);
    if (g < 0 || (isinf(set->means[i]) && isnan(s->info.endless))) continue;
    double *score = arena_alloc(&s->arena, sizeof *score);
    if (!score) return arena_no_memory(error);
    *score = set->means[i];
    agent->runs[g] = 1;
    agent->scores[g] = score;
    agent->means[g] = set->means[i];
    if (!isnan(set->sds[i]) && set->trials > 1) {
      agent->sds[g] = set->sds[i];
      agent->sizes[g] = set->trials;
    }
    have++;
  }
  if (!have)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "%s has no game of %s", set->id, s->info.name);
  for (size_t g = 0; g < s->info.game_count; g++) {
    if (!agent->runs[g]) scores_append_name(lacking, sizeof lacking, s->info.games[g]);
  }
  if (!set->protocol || strcmp(set->protocol, s->info.name))
    err = scores_warn(
        s, error, "mixed-protocols",
        "%s was %s%s, not under %s: differences may come from the protocol, not from the agent",
        set->id, set->protocol ? "made under " : "collected from papers with various protocols",
        set->protocol ? set->protocol : "", s->info.name);
  if (!err && set->limit != s->limit && set->protocol && !strcmp(set->source, "saber") &&
      set->trials)
    err = scores_warn(s, error, "mixed-limits",
                      "%s counts %d frames of play per episode (0: all), the others %d", set->id,
                      set->limit, s->limit);
  if (!err && set->frames && set->frames != s->checkpoint && !s->info.length_in_episodes)
    err = scores_warn(s, error, "mixed-checkpoints",
                      "%s was trained for %lld frames, the others for %lld", set->id,
                      (long long)set->frames, (long long)s->checkpoint);
  if (!err && *lacking)
    err = scores_warn(s, error, "missing-games",
                      "%s was published on %zu of the %zu games of %s; comparisons are over "
                      "the games that both have. "
                      "Missing: %s",
                      set->id, have, s->info.game_count, s->info.name, lacking);
  return err;
}
