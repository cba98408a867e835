/* What the planners share: settings, the models, the tree of the last decision, budgets, and the final choice. */
#ifndef SIXER_AGENTS_PLANNING_PLANNER_H
#define SIXER_AGENTS_PLANNING_PLANNER_H

#include "agents/agent.h"
#include "agents/planning/tree.h"
#include "util/threads.h"

typedef struct planner {
  sixer_agent base;

  /* settings, filled from the agent's options; 0: no limit */
  int64_t frames;      /* to emulate per decision */
  int64_t simulations; /* per decision, those of the reused tree included (UCT) */
  int64_t nodes;       /* of the tree */
  int64_t horizon;     /* frames that the search looks ahead */
  int64_t jobs;
  double seconds; /* per decision */
  double memory;  /* megabytes of the tree */
  double part;    /* of it for the tree; set by planner_check */
  double share;   /* of it for states; set by planner_check */
  double discount, exploration;
  bool reuse;      /* keep the subtree of the chosen action */
  bool normalize;  /* UCT: divide rewards by the first one */
  bool duplicates; /* drop children whose state a sibling has */
  int atoms;       /* width-based: what novelty is about */

  /* the env that is played */
  bool ready;
  bool picture;  /* the model draws; set by create */
  model *models; /* one per job */
  thread_pool *pool;
  tree tree;
  int skip;       /* frames of a step, at most */
  int32_t chosen; /* child of the root that was chosen last; TREE_NONE: none */
  uint8_t *here;  /* state of the env */
  int32_t step;   /* decisions since the reset */

  /* this decision */
  double began;
  int64_t used; /* frames charged to the budget */
  int64_t replayed;
} planner;

#define PLANNER_OFFSET(field) offsetof(planner, field)

/* Rows of option tables that are the same everywhere. */
/* clang-format off */
#define PLANNER_OPTIONS(frames_default)                                                            \
  {"frames", AGENT_INT, PLANNER_OFFSET(frames), frames_default, 0, 1e15, NULL,                     \
   "frames to emulate per decision; 0: no limit"},                                                 \
  {"seconds", AGENT_REAL, PLANNER_OFFSET(seconds), "0", 0, 1e9, NULL,                              \
   "time per decision; 0: no limit"},                                                              \
  {"memory", AGENT_REAL, PLANNER_OFFSET(memory), "1024", 0.05, 1e6, NULL,                          \
   "megabytes for the tree"},                                                                      \
  {"reuse", AGENT_FLAG, PLANNER_OFFSET(reuse), "1", 0, 1, NULL,                                    \
   "keep the part of the tree that remains true"}
#define PLANNER_JOBS {"jobs", AGENT_INT, PLANNER_OFFSET(jobs), "1", 1, 256, NULL, "threads"}
#define PLANNER_DISCOUNT(value)                                                                    \
  {"discount", AGENT_REAL, PLANNER_OFFSET(discount), value, 0, 1, NULL,                            \
   "of each step's rewards against those of the step before"}
#define PLANNER_HORIZON(value)                                                                     \
  {"horizon", AGENT_INT, PLANNER_OFFSET(horizon), value, 1, 1e6, NULL, "frames to look ahead"}
#define PLANNER_DUPLICATES(value)                                                                  \
  {"duplicates", AGENT_FLAG, PLANNER_OFFSET(duplicates), value, 0, 1, NULL,                        \
   "drop an action that leads to the same state as another"}
/* clang-format on */

/* Is there a budget at all? For `create`. */
sixer_err planner_check(sixer_agent *agent, sixer_error *error);
void planner_destroy(sixer_agent *agent);
void planner_reset(sixer_agent *agent);

/* The tree and where the search stands in the episode. */
sixer_err planner_save(const sixer_agent *agent, sections_writer *out, sixer_error *error);
sixer_err planner_load(sixer_agent *agent, sixer_env *env, sections_reader *in, sixer_error *error);

/* Begin a decision: models of the env, and a tree whose root is the env's state, with what can be reused. */
sixer_err planner_begin(planner *p, sixer_env *env, sixer_list actions, sixer_error *error);

/* Has the time or frame budget been used up? */
bool planner_spent(const planner *p);

/* A child of the root, drawn among those with the highest value; where some of these end the episode and others do
 * not, among the others. */
int32_t planner_best_child(planner *p);

/* End a decision: the action that leads to `child`, and the statistics. */
sixer_err planner_end(planner *p, int32_t child, int *action);

/* ---- expand.c: all children of nodes, emulated by all jobs ----------------------------------------------------- */

typedef struct expansion {
  int32_t node;
  bool done; /* the children have been emulated */
  outcome outcomes[SIXER_ACTION_COUNT];
  uint8_t *parent, *states; /* of the node, and of its children one after the other */
} expansion;

/* Space for `count` expansions in one piece; NULL if there is no memory. */
expansion *expansion_create(const planner *p, int count);
void expansion_destroy(expansion *items); /* NULL is allowed */

/* How many expansions to make at once: enough to keep the jobs busy, one if there is one job. */
int expansion_batch(const planner *p);

/* Emulate the children of those that are not done. */
void expansion_run(planner *p, expansion *items, int count);

/* Add the children to the tree in this order of action indices (NULL: 0, 1, 2, ...). False if the tree is full: then
 * none was added. */
bool expansion_apply(planner *p, expansion *e, const uint8_t *order);

#endif
