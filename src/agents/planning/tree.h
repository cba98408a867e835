/* The search tree that all planners share.
 *
 * Nodes are in one array and refer to each other by index. Node 0 is the root, and a node comes after its parent. A
 * node stands for the console's state one action (a few frames) after its parent's.
 *
 * A state is stored as its difference from the parent's state, with a full copy at every 25th level. A difference takes
 * 50 to 110 bytes in most games, a full copy about 400 (more if the cartridge has memory). With its node (48 bytes) and
 * its place in `work` (4 bytes), a state costs 100 to 160 bytes.
 *
 * The memory limit is divided: a third for states (tree.share), the rest for nodes. A state that does not fit is not
 * stored. When it is needed, it is recomputed by replaying the actions from the nearest ancestor whose state is stored;
 * that costs time and changes no result. When the nodes' part is full, tree_add() fails and the search ends with the
 * nodes it has. */
#ifndef SIXER_AGENTS_PLANNING_TREE_H
#define SIXER_AGENTS_PLANNING_TREE_H

#include "agents/planning/model.h"
#include "util/little.h"

enum { TREE_NONE = -1, TREE_ROOT = 0, TREE_DEPTH_MAX = 1 << 30 };

typedef struct node {
  /* indices; TREE_NONE if there is none */
  int32_t parent;
  int32_t child;   /* the first one */
  int32_t sibling; /* the next one */
#if LITTLE_HOST
  uint32_t tried : 18; /* bit i: action i of the list was emulated here */
  uint32_t action : 5; /* that led here: index into the list of actions */
  uint32_t chain : 5;  /* differences to apply to the nearest full copy; 0: this is a full copy */
  uint32_t kept : 1;   /* its state is stored */
  uint32_t over : 1;   /* the episode ends here */
  uint32_t pruned : 1; /* IW: not novel; Rollout-IW: solved, nothing new below */
  uint32_t seen : 1;   /* 2BFS: taken from a queue; Rollout-IW: visited */
#else /* big-endian machines begin with the highest bit; saved trees are the same number */
  uint32_t seen : 1, pruned : 1, over : 1, kept : 1, chain : 5, action : 5, tried : 18;
#endif
  int32_t depth;  /* steps since the planner was reset */
  int32_t reward; /* of the step that led here */
  double value;   /* return, beginning with that step */
  union {
    double path; /* IW: rewards from the root to here */
    struct {
      int32_t visits;
      int32_t extra; /* UCT: simulations under way; Rollout-IW: offset of the features */
    };
  };
  uint32_t state;  /* offset of its state in tree.states, in units of 8 bytes */
  uint16_t frames; /* emulated in the step that led here */
  uint16_t still;  /* Rollout-IW: steps since the features changed */
} node;

_Static_assert(sizeof(node) == 48, "trees have millions of nodes; docs/agents/planning.md says 48");

typedef struct tree_bytes {
  uint8_t *data;
  size_t used, capacity;
} tree_bytes;

typedef struct tree {
  node *nodes;
  int32_t count, capacity;
  int32_t *work; /* scratch for walks of the tree: `capacity` indices */
  tree_bytes states;
  size_t limit;                    /* bytes, for nodes and states together */
  double share;                    /* fraction of the limit that is for states */
  bool limited;                    /* a node or a state did not fit */
  size_t size;                     /* bytes of a full state */
  int actions[SIXER_ACTION_COUNT]; /* the actions to choose from */
  int action_count;
  uint64_t seed;    /* of the model's random numbers in this tree */
  uint8_t *scratch; /* room for three states */
} tree;

bool tree_create(tree *t, size_t limit, double share, size_t state_size);
void tree_destroy(tree *t);

/* Drop all nodes and start with a root that has this state. False if out of memory. */
bool tree_start(tree *t, const void *state, int32_t depth);

/* Append a child; TREE_NONE if the tree is full. May move the array: pointers to nodes become invalid. */
int32_t tree_add(tree *t, int32_t parent, int action, outcome o);

/* Store the state of a node if there is room. `parent_state` is that of its parent. */
void tree_keep(tree *t, int32_t node, const void *state, const void *parent_state);

/* Find an older sibling that has the same state; TREE_NONE if there is none. `state` is the node's. The model `m` is
 * used to recompute states that were not stored; *replayed grows by the frames that this took. */
int32_t tree_same_sibling(tree *t, int32_t node, const void *state, model *m, int64_t *replayed);

/* Remove the node that was added last. Its action still counts as tried. */
void tree_remove_last(tree *t);

/* Write the state of a node to `state`. If it was not stored it is recomputed with the model; then *replayed grows by
 * the frames that this took. */
void tree_state(tree *t, int32_t node, model *m, void *state, int64_t *replayed);

/* The same for a child of a node whose state the caller has. */
void tree_child_state(tree *t, int32_t child, model *m, const void *parent_state, void *state,
                      int64_t *replayed);

/* The seed of the model's random numbers for an action at a node. It depends on tree.seed and on the actions from the
 * root only, not on the order of the search. */
uint64_t tree_step_seed(const tree *t, int32_t node, int action);

/* Make a node the root and drop everything outside its subtree. `state` is its state. */
void tree_reroot(tree *t, int32_t node, const void *state);

/* value = reward + discount * (best value of the children), from the leaves to the root. */
void tree_backup(tree *t, double discount);

/* Check every index, offset and length of a tree that was read from a file: false if any could lead out of bounds or
 * into a loop. */
bool tree_fits(const tree *t);

/* Allocate room for this many nodes and bytes of states, even above the limit. False if out of memory. */
bool tree_reserve(tree *t, int32_t nodes, size_t bytes);

size_t tree_memory(const tree *t);
int tree_depth(const tree *t); /* steps from the root to the deepest node */

#endif
