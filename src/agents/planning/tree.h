/* The tree that all planners search in.
 *
 * Nodes are in one array and name each other by index; node 0 is the root, and a node comes after its parent. A node
 * is the console's state after one action (some frames) from its parent's. Its state is kept as what differs from the
 * parent's, with a full copy now and then, so that a node costs some 150 bytes instead of 500. When the memory limit
 * does not allow that, nodes are without a state, and it is had again by playing the actions from the nearest ancestor
 * that has one.
 *
 * The memory limit is divided: a third for states, two thirds for nodes. States that do not fit are not kept, which
 * costs time and changes nothing else; where all states are kept they take about as much as the nodes. When nodes do
 * not fit, the tree is full and a search must end with what it has. */
#ifndef SIXER_AGENTS_PLANNING_TREE_H
#define SIXER_AGENTS_PLANNING_TREE_H

#include "agents/planning/model.h"

enum { TREE_NONE = -1, TREE_ROOT = 0 };

typedef struct node {
  int32_t parent, child,
      sibling;         /* child: the first; sibling: the next; TREE_NONE if there is none */
  uint32_t tried : 18; /* bit i: action i of the list was emulated here */
  uint32_t action : 5; /* that led here: index into the list of actions */
  uint32_t chain : 5;  /* states between this one and the full copy it is based on */
  uint32_t kept : 1;   /* its state is kept */
  uint32_t over : 1;   /* the episode is over here */
  uint32_t pruned : 1; /* width: not novel; roll-outs: nothing new below */
  uint32_t seen : 1;   /* roll-outs: was visited */
  int32_t depth;       /* steps since the planner was reset */
  int32_t reward;      /* of the step that led here */
  double value;        /* return from the step that led here on */
  union {
    double path; /* rewards from the root to here */
    struct {
      int32_t visits;
      int32_t extra; /* UCT: simulations on the way; roll-outs: where the features are */
    };
  };
  uint32_t state;  /* where it is kept, in units of 8 bytes */
  uint16_t frames; /* emulated in the step that led here */
  uint16_t still;  /* roll-outs: steps without a change of features */
} node;

_Static_assert(sizeof(node) == 48, "a node is kept small");

typedef struct tree_bytes {
  uint8_t *data;
  size_t used, capacity;
} tree_bytes;

typedef struct tree {
  node *nodes;
  int32_t count, capacity;
  int32_t *work; /* `capacity` indices for whoever walks the tree */
  tree_bytes states;
  size_t limit;                    /* bytes, for nodes and states together */
  double share;                    /* of the limit for states */
  bool limited;                    /* something did not fit */
  size_t size;                     /* of a state */
  int actions[SIXER_ACTION_COUNT]; /* what to choose from */
  int action_count;
  uint64_t seed;    /* of the model's draws in this tree */
  uint8_t *scratch; /* three states */
} tree;

bool tree_create(tree *t, size_t limit, double share, size_t state_size);
void tree_destroy(tree *t);

/* Begin anew with a root that has this state. False if there is no memory. */
bool tree_start(tree *t, const void *state, int32_t depth);

/* Append a child; TREE_NONE if the tree is full. Pointers to nodes are good until then. */
int32_t tree_add(tree *t, int32_t parent, int action, outcome o);

/* Keep the state of a node. `parent_state` is that of its parent. */
void tree_keep(tree *t, int32_t node, const void *state, const void *parent_state);

/* The sibling of a node, generated before it, that has the same state; TREE_NONE if there is none. `state` is the
 * node's and `m` a model to play states with that were not kept. */
int32_t tree_same_sibling(tree *t, int32_t node, const void *state, model *m, int64_t *replayed);

/* Take the node back that was added last; it stays tried. */
void tree_remove_last(tree *t);

/* The state of a node into `state`, played again with the model if it was not kept; then *replayed grows by the
 * frames that this took. */
void tree_state(tree *t, int32_t node, model *m, void *state, int64_t *replayed);

/* The same for a child of a node whose state is at hand. */
void tree_child_state(tree *t, int32_t child, model *m, const void *parent_state, void *state,
                      int64_t *replayed);

/* The seed of the model's draws in the step that leads from a node by an action. Depends on the path only. */
uint64_t tree_step_seed(const tree *t, int32_t node, int action);

/* Keep only the subtree under a node, which becomes the root; `state` is its state. */
void tree_reroot(tree *t, int32_t node, const void *state);

/* value = reward + discount * (best value of the children), from the leaves to the root. */
void tree_backup(tree *t, double discount);

/* Could the nodes and states be those of a tree? For trees that come from outside. */
bool tree_fits(const tree *t);

/* Make room for so many nodes and bytes of states, whatever the limit. */
bool tree_reserve(tree *t, int32_t nodes, size_t bytes);

size_t tree_memory(const tree *t);
int tree_depth(const tree *t); /* of the deepest node below the root */

#endif
