/* The parts that all planners share: settings, models, the tree that is kept between decisions, budgets, and the final
 * choice of an action. */
#ifndef SIXER_AGENTS_PLANNING_PLANNER_H
#define SIXER_AGENTS_PLANNING_PLANNER_H

#include "agents/agent.h"
#include "agents/planning/tree.h"
#include "util/threads.h"

typedef struct planner {
  sixer_agent base;

  /* settings, filled from the agent's options; limits: 0 means none */
  int64_t frames;      /* to emulate per decision */
  int64_t simulations; /* UCT: per decision, including those of the reused tree */
  int64_t nodes;       /* of the tree */
  int64_t horizon;     /* frames that the search looks ahead */
  int64_t jobs;        /* threads */
  double seconds;      /* per decision */
  double memory;       /* megabytes */
  double part;         /* fraction of `memory` that is for the tree; set by planner_check() */
  double share; /* fraction of the tree's memory that is for states; set by planner_check() */
  double discount, exploration;
  bool reuse;      /* keep the subtree of the chosen action for the next decision */
  bool normalize;  /* UCT: divide rewards by the first one of the episode */
  bool duplicates; /* drop a child that has the same state as a sibling */
  int atoms;       /* IW and Rollout-IW: which features novelty is measured on */

  /* the env that is played */
  bool ready;     /* models, pool and tree exist */
  bool has_paths; /* nodes hold node.path, not visits */
  bool picture;   /* models draw pictures; set by the class's `create` */
  model *models;  /* one per job */
  thread_pool *pool;
  tree tree;
  int skip;       /* most frames of a step */
  int32_t chosen; /* child of the root that was chosen last; TREE_NONE: none */
  uint8_t *here;  /* state of the env */
  int32_t step;   /* decisions since the reset */

  /* this decision */
  double began;     /* model_clock() at its start */
  int64_t used;     /* frames charged to the budget */
  int64_t replayed; /* frames emulated again for states that were not stored; not charged */
} planner;

#define PLANNER_OFFSET(field) offsetof(planner, field)

/* Rows that are the same in the option tables of several planners. */
/* clang-format off */
#define PLANNER_OPTIONS(frames_default)                                                            \
  {"frames", AGENT_INT, PLANNER_OFFSET(frames), frames_default, 0, 1e15, NULL,                     \
   "frames to emulate per decision; 0: no limit"},                                                 \
  {"seconds", AGENT_REAL, PLANNER_OFFSET(seconds), "0", 0, 1e9, NULL,                              \
   "time per decision; 0: no limit"},                                                              \
  {"memory", AGENT_REAL, PLANNER_OFFSET(memory), "1024", 0.05, 1e6, NULL,                          \
   "megabytes for the tree"},                                                                      \
  {"reuse", AGENT_FLAG, PLANNER_OFFSET(reuse), "1", 0, 1, NULL,                                    \
   "keep the subtree of the chosen action"}
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

/* Set defaults and check that there is a budget; every planner's `create` calls it. */
sixer_err planner_check(sixer_agent *agent, sixer_error *error);
void planner_destroy(sixer_agent *agent);
void planner_reset(sixer_agent *agent);

/* Save and load the tree and the number of the decision. */
sixer_err planner_save(const sixer_agent *agent, sections_writer *out, sixer_error *error);
sixer_err planner_load(sixer_agent *agent, sixer_env *env, sections_reader *in, sixer_error *error);

/* Begin a decision: make models of the env if there are none, and a tree whose root is the env's state. The tree of the
 * last decision is reused if it can be. */
sixer_err planner_begin(planner *p, sixer_env *env, sixer_list actions, sixer_error *error);

/* Has the time or frame budget been used up? */
bool planner_spent(const planner *p);

/* A child of the root with the highest value; ties are broken at random. Among equal children those that do not end the
 * episode are preferred. */
int32_t planner_best_child(planner *p);

/* End a decision: return the action that leads to `child` and fill the statistics. */
sixer_err planner_end(planner *p, int32_t child, int *action);

/* ---- expand.c: expansion of nodes, by several threads ---------------------------------------------------------- */

typedef struct expansion {
  int32_t node;
  bool done; /* the children have been emulated */
  outcome outcomes[SIXER_ACTION_COUNT];
  uint8_t *parent; /* state of the node */
  uint8_t *states; /* states of the children, in the order of actions */
} expansion;

/* Allocate `count` expansions with their states in one block; NULL if out of memory. */
expansion *expansion_create(const planner *p, int count);
void expansion_destroy(expansion *items); /* NULL is allowed */

/* How many expansions to run at once: enough to keep the jobs busy, one if there is one job. */
int expansion_batch(const planner *p);

/* Emulate the children of all expansions that are not done. */
void expansion_run(planner *p, expansion *items, int count);

/* Add the children to the tree in this order of action indices (NULL: 0, 1, 2, ...). If the tree is full, adds none and
 * returns false. */
bool expansion_apply(planner *p, expansion *e, const uint8_t *order);

#endif
