/* Full-tree search: breadth first, to the end of the budget (Bellemare et al. 2013, section 3.2). All children of a
 * node are generated, then those of the next oldest node. The value of a node is its reward and the discounted best
 * value below; the action with the best value is chosen. */
#include <stdlib.h>

#include "agents/planning/planner.h"

static const agent_option options[] = {PLANNER_OPTIONS("133000"), /* appendix C of the paper */
                                       PLANNER_JOBS,
                                       PLANNER_DISCOUNT("0.999"),
                                       PLANNER_DUPLICATES("0"),
                                       {NULL, 0, 0, NULL, 0, 0, NULL, NULL}};

/* The queue is t->work. A node is in it at most once, so it cannot overflow. Nodes of the reused tree are charged to
 * the budget as if they were generated now. */
static void search(planner *p, expansion *items, int batch) {
  tree *t = &p->tree;
  int32_t head = 0, tail = 0;
  bool full = false;
  t->work[tail++] = TREE_ROOT;
  while (head < tail && !full && !(head && planner_spent(p))) {
    /* take the next nodes, as many as fit into the budget at full cost; a node of the reused tree ends the batch */
    int count = 0, cost = p->skip * t->action_count;
    while (count < batch && head + count < tail) {
      int32_t index = t->work[head + count];
      if (t->nodes[index].child != TREE_NONE) break;
      if (count && p->frames && p->used + (int64_t)count * cost >= p->frames) break;
      items[count].node = index;
      items[count].done = false;
      count++;
    }
    if (count == 0) {
      /* of the reused tree: it has its children already */
      for (int32_t c = t->nodes[t->work[head++]].child; c != TREE_NONE; c = t->nodes[c].sibling) {
        p->used += t->nodes[c].frames;
        if (!t->nodes[c].over) t->work[tail++] = c;
      }
      continue;
    }
    expansion_run(p, items, count);
    for (int i = 0; i < count && !full; i++, head++) {
      full = !expansion_apply(p, &items[i], NULL);
      for (int32_t c = t->nodes[items[i].node].child; c != TREE_NONE; c = t->nodes[c].sibling) {
        if (!t->nodes[c].over) t->work[tail++] = c;
      }
    }
  }
}

static sixer_err act(sixer_agent *agent, sixer_env *env, sixer_list actions, int *action,
                     sixer_error *error) {
  planner *p = (planner *)agent;
  sixer_err err = planner_begin(p, env, actions, error);
  if (err) return err;
  int batch = expansion_batch(p);
  expansion *items = expansion_create(p, batch);
  if (!items) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a search");
  search(p, items, batch);
  expansion_destroy(items);
  tree_backup(&p->tree, p->discount);
  return planner_end(p, planner_best_child(p), action);
}

const agent_class agent_full_tree = {
    .name = "full-tree",
    .summary = "plan by breadth-first search (Bellemare et al. 2013)",
    .size = sizeof(planner),
    .options = options,
    .create = planner_check,
    .act = act,
    .reset = planner_reset,
    .save = planner_save,
    .load = planner_load,
    .destroy = planner_destroy};
