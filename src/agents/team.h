/* A team of threads that shares out numbered pieces of work. */
#ifndef SIXER_AGENTS_TEAM_H
#define SIXER_AGENTS_TEAM_H

typedef struct team team;

/* A piece of work: `worker` is 0..jobs-1, `index` 0..count-1. */
typedef void team_work(void *context, int worker, int index);

/* A team of `jobs` workers, the caller being one of them. NULL if threads or memory are lacking. */
team *team_create(int jobs);
void team_destroy(team *t); /* NULL is allowed */

/* Do work(context, ., 0) ... work(context, ., count - 1), in no particular order, and return when all is done. */
void team_run(team *t, team_work *work, void *context, int count);

#endif
