/* The collection of sixer/scores.h: scores of agents under a protocol, from result files (score_read.c) and published
 * tables (score_published.c). A mistake in a file is an error; something that changes the meaning of a figure is a
 * warning with a name. */
#ifndef SIXER_EVAL_SCORES_H
#define SIXER_EVAL_SCORES_H

#include "eval/eval_table.h"
#include "sixer/scores.h"
#include "util/os.h"

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

/* What a run did in the course of its training: a point for each episode, or means as a file has them. */
typedef struct eval_course {
  const char *agent, *run;
  size_t game, count;
  double *frames, *scores; /* frames of training up to each point */
  bool episodes;
} eval_course;

struct sixer_scores {
  memory_arena arena;
  const sixer_protocol *protocol;
  sixer_protocol_info info;
  const sixer_published *published;
  int64_t checkpoint;   /* of training, in frames (episodes for some protocols) */
  int limit;            /* frames of play that count; 0: the whole episode */
  bool partial;         /* agents may lack games */
  int frames_per_step;  /* of log files that count steps; 0: by the id of the environment */
  bool keeps_courses;   /* files become courses instead of scores */
  eval_course *courses; /* by agent, game and run */
  size_t course_count, course_room;
  eval_agent *agents;
  size_t agent_count, agent_room;
  sixer_warning *warnings;
  size_t warning_count, warning_room;
};

/* A file. The files of a unit are parts of one run, such as those of parallel environments. */
typedef struct eval_source {
  const char *path;
  const char *text; /* NULL: it is read from the path */
  size_t size;
  size_t unit;
} eval_source;

/* Read files together. With `agent` all are runs of this agent; else files and rows that name no agent belong to
 * `default_agent`. */
sixer_err scores_read_sources(sixer_scores *scores, const eval_source *sources, size_t count,
                              const char *agent, const char *default_agent, sixer_error *error);

/* The files that patterns and folders stand for: score_files.c. */
sixer_err scores_list_files(memory_arena *arena, const char *const *patterns, size_t count,
                            const eval_source **sources, size_t *source_count, sixer_error *error);

/* The place of a game in the protocol, by its id; -1: it is not part of it. */
int scores_game_index(const sixer_scores *scores, const char *game);

/* Add an agent without scores. NULL: no memory. */
eval_agent *scores_add_agent(sixer_scores *scores, const char *name);

/* Add a warning; `name` is static. */
sixer_err scores_warn(sixer_scores *scores, sixer_error *error, const char *name,
                      const char *format, ...) OS_PRINTF(4, 5);

/* Append to a list of names in a message, with an ellipsis when there is no more room. */
void scores_append_name(char *list, size_t size, const char *name);

#endif
