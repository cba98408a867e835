/* Curves from files: the collection of sixer/curves.h. The readers, checks and warnings are those of scores.c, which
 * keeps the course of every run when it is asked to. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "eval/scores.h"
#include "sixer/curves.h"

struct sixer_curves {
  sixer_scores *scores;
};

sixer_err sixer_curves_create(const sixer_protocol *protocol, const sixer_published *published,
                              const sixer_scores_config *config, sixer_curves **curves,
                              sixer_error *error) {
  sixer_curves *made = malloc(sizeof *made);
  if (!made) return arena_no_memory(error);
  sixer_err err = sixer_scores_create(protocol, published, config, &made->scores, error);
  if (err) {
    free(made);
    return err;
  }
  made->scores->partial = true;
  made->scores->keeps_courses = true;
  *curves = made;
  return SIXER_OK;
}

void sixer_curves_destroy(sixer_curves *curves) {
  if (!curves) return;
  sixer_scores_destroy(curves->scores);
  free(curves);
}

sixer_err sixer_curves_read(sixer_curves *curves, const char *path, const char *default_agent,
                            sixer_error *error) {
  return sixer_scores_read(curves->scores, path, default_agent, error);
}

sixer_err sixer_curves_read_runs(sixer_curves *curves, const char *agent,
                                 const char *const *patterns, size_t count, sixer_error *error) {
  return sixer_scores_read_runs(curves->scores, agent, patterns, count, error);
}

sixer_err sixer_curves_parse(sixer_curves *curves, const char *text, size_t size,
                             const char *origin, const char *default_agent, sixer_error *error) {
  return sixer_scores_parse(curves->scores, text, size, origin, default_agent, error);
}

/* The courses are sorted by agent, game and run. */

/* The first course of the agent with this number; the number of courses if there is none. */
static size_t first_course(const sixer_scores *s, size_t agent) {
  size_t at = 0, number = 0;
  while (at < s->course_count) {
    if (number == agent) return at;
    const char *name = s->courses[at].agent;
    while (at < s->course_count && !strcmp(s->courses[at].agent, name)) at++;
    number++;
  }
  return at;
}

size_t sixer_curves_agent_count(const sixer_curves *curves) {
  size_t count = 0;
  while (first_course(curves->scores, count) < curves->scores->course_count) count++;
  return count;
}

const char *sixer_curves_agent(const sixer_curves *curves, size_t agent) {
  size_t at = first_course(curves->scores, agent);
  assert(at < curves->scores->course_count);
  return at < curves->scores->course_count ? curves->scores->courses[at].agent : NULL;
}

/* The first of the agent's runs on a game, and how many there are. */
static size_t find_runs(const sixer_scores *s, size_t agent, size_t game, size_t *count) {
  size_t at = first_course(s, agent), first = 0;
  *count = 0;
  if (at == s->course_count) return 0;
  for (const char *name = s->courses[at].agent;
       at < s->course_count && !strcmp(s->courses[at].agent, name); at++) {
    if (s->courses[at].game != game) continue;
    if (!*count) first = at;
    ++*count;
  }
  return first;
}

size_t sixer_curves_run_count(const sixer_curves *curves, size_t agent, size_t game) {
  size_t count;
  find_runs(curves->scores, agent, game, &count);
  return count;
}

sixer_curve sixer_curves_run(const sixer_curves *curves, size_t agent, size_t game, size_t run) {
  size_t count, first = find_runs(curves->scores, agent, game, &count);
  assert(run < count);
  if (run >= count) return (sixer_curve){.count = 0};
  const eval_course *c = &curves->scores->courses[first + run];
  return (sixer_curve){c->run, c->frames, c->scores, c->count, c->episodes};
}

size_t sixer_curves_warning_count(const sixer_curves *curves) {
  return curves->scores->warning_count;
}

sixer_warning sixer_curves_warning(const sixer_curves *curves, size_t index) {
  assert(index < curves->scores->warning_count);
  if (index >= curves->scores->warning_count) return (sixer_warning){NULL, NULL};
  return curves->scores->warnings[index];
}
