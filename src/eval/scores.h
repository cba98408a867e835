/* The collection behind sixer/scores.h: scores of agents under a protocol, from result files and published tables. A
 * mistake in a file is an error; something that changes the meaning of a figure is a warning with a name. */
#ifndef SIXER_EVAL_SCORES_H
#define SIXER_EVAL_SCORES_H

#include "eval/eval_table.h"
#include "sixer/scores.h"

/* One agent's raw scores on the games of the protocol, in its order. */
typedef struct eval_agent {
  const char *name;
  const sixer_result_set *published; /* NULL if from a file */
  size_t *runs;                      /* per game; 0 where there is none */
  double **scores;                   /* per game */
  double *means;                     /* NaN where there is none; infinite if any run is */
  double *sds, *sizes;               /* for tests: size 0 where no deviation is known */
  double *trained;                   /* means on the levels of training; NaN where there is none */
} eval_agent;

typedef struct eval_scores {
  eval_arena arena;
  const sixer_protocol *protocol;
  sixer_protocol_info info;
  const sixer_published *published;
  int64_t checkpoint; /* of training, in frames (episodes for some protocols) */
  int limit;          /* frames of play that count; 0: the whole episode */
  bool partial;       /* agents may lack games */
  eval_agent *agents;
  size_t agent_count, agent_room;
  sixer_warning *warnings;
  size_t warning_count, warning_room;
} eval_scores;

/* Start with the protocol's last checkpoint and last limit. */
void eval_scores_begin(eval_scores *scores, const sixer_protocol *protocol,
                       const sixer_published *published);
void eval_scores_end(eval_scores *scores);

/* As sixer_scores_read() and sixer_scores_parse(), which describe the columns. */
sixer_err eval_scores_read(eval_scores *scores, const char *path, const char *default_agent,
                           sixer_error *error);
sixer_err eval_scores_parse(eval_scores *scores, const char *text, size_t size, const char *origin,
                            const char *default_agent, sixer_error *error);

/* Add a published result, by name. */
sixer_err eval_scores_add_published(eval_scores *scores, const char *name, sixer_error *error);

sixer_err eval_scores_warn(eval_scores *scores, sixer_error *error, const char *name,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/* As sixer_scores_constants(). */
sixer_err eval_scores_constants(eval_scores *scores, const char *kind,
                                const sixer_agent_scores *others, size_t other_count,
                                sixer_scale *scale, double *low, double *high, sixer_error *error);

#endif
