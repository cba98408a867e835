/* The Brute (Machado et al. 2018, section 5 and appendix A): an open-loop learner that remembers everything.
 *
 * Its state is the whole history of actions and observations since the reset. The histories that occurred form a tree.
 * A node is a history h; it is reached from its parent by an action and an outcome, the observation that followed.
 * Every node counts its visits, and after each episode the values along its path are recomputed, from the end to the
 * start:
 *
 *     q(h, a) = sum over outcomes o of n(h, a, o) / n(h, a) * (r(o) + gamma * value(o))
 *     value(h) = max over the actions tried in h of q(h, a);   0 if the episode ended in h
 *
 * It acts greedily on q, ties broken uniformly, and with probability epsilon(n(h)) uniformly. In a node without tried
 * actions it acts uniformly. If the emulator is deterministic it finds and repeats the best episode seen, and improves
 * on it by exploring; under sticky actions it hardly ever meets a history again. That gap is what the paper is about.
 *
 * An outcome is told by a 64-bit hash of the screen, the reward and the end of the episode. The first observations hang
 * below node 0, which stands for the console before the reset: resets are not always equal, because some games read
 * console memory that earlier episodes have left.
 *
 * A node and the edge that leads to it are one record of 32 bytes. At most one is added per step: 10 million, or
 * 320 MB, in 50 million frames with frame skip 5. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agents/agent.h"
#include "agents/linear/brute.h"
#include "util/hash.h"
#include "util/real.h"

typedef struct node {
  uint64_t hash;  /* of the outcome that leads here */
  uint32_t child; /* the child added last, or 0; children have higher numbers than their parent */
  /* the child of the same parent added before this one, or 0; it has a lower number */
  uint32_t sibling;
  uint32_t count;   /* visits */
  int32_t reward;   /* of the step that leads here */
  float value;      /* of the best action that was tried here */
  uint8_t action;   /* of the step that leads here; START for a first observation */
  uint8_t terminal; /* 1 if the episode ended here */
  uint8_t zero[2];
} node;
_Static_assert(sizeof(node) == 32, "one node is 32 bytes");
static const little_run node_form[] = {{8, 1}, {4, 5}, {1, 4}, {0, 0}};

enum { CHUNK_BITS = 15, CHUNK = 1 << CHUNK_BITS, START = 255, WIDTH = 160 };

typedef struct brute {
  sixer_agent base;
  /* settings */
  int formula; /* index into "b|a" */
  double gamma;
  /* the tree, in chunks that never move */
  node **chunks;
  uint32_t nodes, chunk_count;
  /* the episode: the node of each history since the reset, the last one being the present */
  uint32_t *path;
  size_t length, capacity;
  int64_t learned; /* steps learned from, in all */
  int64_t steps;   /* choices since the reset */
  int64_t score;   /* at the last choice; tells the reward where learn() is not called */
  uint64_t start;  /* hash of the first observation */
  int action;      /* the last choice, while the step that carries it out is not known; else -1 */
  bool counted;    /* the present visit is in the present node's count */
  bool lost;       /* the present history is not in the tree */
} brute;

static node *at(const brute *b, uint32_t n) {
  assert(b->chunks && n >> CHUNK_BITS < b->chunk_count);
  /* the analyzer does not see that the chunks below chunk_count are allocated */
  return &b->chunks[n >> CHUNK_BITS][n & (CHUNK - 1)];  // NOLINT(clang-analyzer-core.*)
}

/* ---- The tree -------------------------------------------------------------------------------------------------- */

static sixer_err no_memory(sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for the tree of the Brute");
}

/* Append an empty node. */
static sixer_err add_node(brute *b, uint32_t *number, sixer_error *error) {
  if (b->nodes == UINT32_MAX)
    return sixer_fail(error, SIXER_ERR_MEMORY, "the tree of the Brute is full: 2^32 nodes");
  if (b->nodes >> CHUNK_BITS == b->chunk_count) {
    node **chunks = realloc(b->chunks, (b->chunk_count + 1) * sizeof *chunks);
    if (!chunks) return no_memory(error);
    b->chunks = chunks;
    chunks[b->chunk_count] = calloc(CHUNK, sizeof(node));
    if (!chunks[b->chunk_count]) return no_memory(error);
    b->chunk_count++;
  }
  *number = b->nodes++;
  return SIXER_OK;
}

static uint32_t find_child(const brute *b, uint32_t parent, int action, uint64_t hash) {
  uint32_t n = at(b, parent)->child;
  while (n && (at(b, n)->hash != hash || at(b, n)->action != action)) n = at(b, n)->sibling;
  return n;
}

static sixer_err add_child(brute *b, uint32_t parent, node child, uint32_t *number,
                           sixer_error *error) {
  sixer_err err = add_node(b, number, error);
  if (err) return err;
  child.sibling = at(b, parent)->child;
  *at(b, *number) = child;
  at(b, parent)->child = *number;
  return SIXER_OK;
}

/* q of every action of a node; minus infinity for those that were never tried. */
static void action_values(const brute *b, uint32_t n, double q[SIXER_ACTION_COUNT]) {
  double sum[SIXER_ACTION_COUNT] = {0}, count[SIXER_ACTION_COUNT] = {0};
  for (uint32_t c = at(b, n)->child; c; c = at(b, c)->sibling) {
    const node *o = at(b, c);
    sum[o->action] += o->count * (o->reward + b->gamma * (double)o->value);
    count[o->action] += o->count;
  }
  for (int a = 0; a < SIXER_ACTION_COUNT; a++) q[a] = count[a] > 0 ? sum[a] / count[a] : -INFINITY;
}

/* The values along the finished episode, from its end to its start. */
static void back_up(brute *b) {
  for (size_t i = b->length - 1; i-- > 0;) {
    double q[SIXER_ACTION_COUNT], best = -INFINITY;
    action_values(b, b->path[i], q);
    for (int a = 0; a < SIXER_ACTION_COUNT; a++) best = q[a] > best ? q[a] : best;
    at(b, b->path[i])->value = (float)best;
  }
}

/* ---- The present history --------------------------------------------------------------------------------------- */

static sixer_err append_path(brute *b, uint32_t n, sixer_error *error) {
  if (b->length == b->capacity) {
    size_t capacity = b->capacity ? 2 * b->capacity : 4096;
    uint32_t *path = realloc(b->path, capacity * sizeof *path);
    if (!path) return no_memory(error);
    b->path = path;
    b->capacity = capacity;
  }
  b->path[b->length++] = n;
  return SIXER_OK;
}

static uint32_t present(const brute *b) { return b->length ? b->path[b->length - 1] : 0; }

static void count_visit(brute *b) {
  node *n = at(b, present(b));
  if (n->count < UINT32_MAX) n->count++;
  b->counted = true;
}

static sixer_err observe(sixer_env *env, int reward, bool terminal, uint64_t *hash,
                         sixer_error *error) {
  const uint8_t *screen = sixer_env_screen(env);
  if (!screen)
    return sixer_fail(error, SIXER_ERR_PICTURE,
                      "the Brute looks at the screen, and this env does not draw it");
  uint64_t seed = (uint64_t)(uint32_t)reward << 1 | terminal;
  *hash = hash_bytes(screen, (size_t)sixer_env_height(env) * WIDTH, seed);
  return SIXER_OK;
}

/* Follow an outcome that is in the tree; else the history is lost. */
static sixer_err follow(brute *b, int action, uint64_t hash, sixer_error *error) {
  if (b->lost) return SIXER_OK;
  uint32_t n = find_child(b, present(b), action, hash);
  b->counted = false;
  if (n) return append_path(b, n, error);
  b->lost = true;
  return SIXER_OK;
}

/* Go to an outcome, add it if it is new, and count the visit. */
static sixer_err grow(brute *b, node outcome, sixer_error *error) {
  uint32_t n = find_child(b, present(b), outcome.action, outcome.hash);
  sixer_err err = n ? SIXER_OK : add_child(b, present(b), outcome, &n, error);
  if (!err) err = append_path(b, n, error);
  if (!err) count_visit(b);
  return err;
}

/* ---- Acting and learning --------------------------------------------------------------------------------------- */

double brute_exploration(int formula, double n) {
  double epsilon = formula == 0 ? 0.005 / real_log(n + 2) : 0.05 / real_log(n + 1);
  return epsilon < 1 ? epsilon : 1;
}

static sixer_err act(sixer_agent *agent, sixer_env *env, sixer_list actions, int *action,
                     sixer_error *error) {
  brute *b = (brute *)agent;
  int64_t score = sixer_env_status(env).score;
  sixer_err err = SIXER_OK;
  if (b->steps == 0) {
    err = observe(env, 0, false, &b->start, error);
    if (!err) err = follow(b, START, b->start, error);
  } else if (b->action >= 0) { /* learn() was not called: only playing */
    uint64_t hash;
    err = observe(env, (int)(score - b->score), false, &hash, error);
    if (!err) err = follow(b, b->action, hash, error);
  }
  if (err) return err;

  uint32_t here = b->lost ? 0 : present(b);
  int tied[SIXER_ACTION_COUNT], count = 0;
  if (here) {
    double visits = at(b, here)->count + (b->counted ? 0.0 : 1.0);
    double q[SIXER_ACTION_COUNT], best = -INFINITY;
    if (agent_real(&agent->rng) >= brute_exploration(b->formula, visits)) {
      action_values(b, here, q);
      for (int i = 0; i < actions.count; i++) {
        double value = q[actions.items[i]];
        if (value > best) best = value, count = 0;
        if (value == best && value > -INFINITY) tied[count++] = actions.items[i];
      }
    }
  }
  *action = count ? tied[agent_below(&agent->rng, count)]
                  : actions.items[agent_below(&agent->rng, actions.count)];
  b->action = *action;
  b->score = score;
  b->steps++;
  return SIXER_OK;
}

static sixer_err learn(sixer_agent *agent, sixer_env *env, const sixer_result *result,
                       sixer_error *error) {
  brute *b = (brute *)agent;
  if (b->action < 0)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "learn follows a choice: call act first");
  uint64_t hash;
  sixer_err err = observe(env, result->reward, result->over, &hash, error);
  if (err) return err;
  /* the first observation enters the tree with the first step that is learned from */
  if (b->steps == 1 && b->lost) {
    b->lost = false;
    err = grow(b, (node){.hash = b->start, .action = START}, error);
  } else if (!b->lost && !b->counted) {
    count_visit(b);
  }
  if (b->lost || err) return err; /* a history that began without learning has no place */
  node outcome = {.hash = hash,
                  .reward = result->reward,
                  .action = (uint8_t)b->action,
                  .terminal = result->over ? 1 : 0};
  err = grow(b, outcome, error);
  b->action = -1;
  b->learned++;
  if (!err && result->over) back_up(b);
  return err;
}

static void reset(sixer_agent *agent) {
  brute *b = (brute *)agent;
  b->length = 0;
  b->steps = b->score = 0;
  b->start = 0;
  b->action = -1;
  b->counted = b->lost = false;
}

static void prepare(const sixer_agent *agent, sixer_config *config) {
  (void)agent;
  config->color_averaging = false;
  config->picture = true;
}

static sixer_agent_progress learned(const sixer_agent *agent) {
  const brute *b = (const brute *)agent;
  return (sixer_agent_progress){
      .steps = b->learned,
      .features = b->nodes,
      .memory = (int64_t)b->chunk_count * CHUNK * (int64_t)sizeof(node) +
                (int64_t)(b->capacity * sizeof *b->path),
      .value = b->lost ? 0 : (double)at(b, present(b))->value,
  };
}

/* ---- Life ------------------------------------------------------------------------------------------------------ */

static sixer_err create(sixer_agent *agent, sixer_error *error) {
  uint32_t root;
  reset(agent);
  return add_node((brute *)agent, &root, error);
}

/* Forget everything that was learned. */
static void clear(brute *b) {
  for (uint32_t i = 0; i < b->chunk_count; i++) free(b->chunks[i]);
  free(b->chunks);
  free(b->path);
  b->chunks = NULL;
  b->path = NULL;
  b->nodes = b->chunk_count = 0;
  b->capacity = 0;
  b->learned = 0;
  reset(&b->base);
}

static void destroy(sixer_agent *agent) { clear((brute *)agent); }

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

static sixer_err save(const sixer_agent *agent, sections_writer *out, sixer_error *error) {
  (void)error;
  const brute *b = (const brute *)agent;
  sections_put_u64(out, b->nodes);
  sections_put_u64(out, b->length);
  sections_put_i64(out, b->learned);
  sections_put_i64(out, b->steps);
  sections_put_i64(out, b->score);
  sections_put_u64(out, b->start);
  sections_put_i64(out, b->action);
  sections_put_u64(out, (uint64_t)b->counted | (uint64_t)b->lost << 1);
  sections_begin(out, "agent.path");
  sections_put_array(out, b->path, b->length);
  sections_begin(out, "agent.tree");
  for (uint32_t n = 0; n < b->nodes; n += CHUNK) {
    uint32_t count = b->nodes - n < CHUNK ? b->nodes - n : CHUNK;
    sections_put_structs(out, at(b, n), count, sizeof(node), node_form);
  }
  return SIXER_OK;
}

/* NULL if the nodes form a tree: every node but the root is the child of exactly one other. Numbers rise from parent to
 * child and fall from sibling to sibling, so that links cannot form a circle. Else what is wrong. */
static const char *check_tree(const brute *b) {
  assert(b->nodes > 0); /* the root */
  uint8_t *reached = calloc(b->nodes, 1);
  if (!reached) return "there is no memory to check the tree";
  const char *wrong = NULL;
  for (uint32_t n = 0; n < b->nodes && !wrong; n++) {
    const node *o = at(b, n);
    bool first = o->action == START;
    if (n && !reached[n]) wrong = "a node of the tree has no parent before it";
    if (n && !first && o->action >= SIXER_ACTION_COUNT) wrong = "a node has no action";
    if (n && o->count == 0) wrong = "a node was never visited";
    if (o->terminal > 1 || o->zero[0] || o->zero[1] || !isfinite(o->value))
      wrong = "a node holds impossible values";
    if (o->terminal && o->child) wrong = "an episode goes on after its end";
    uint32_t last = UINT32_MAX;
    uint32_t c = o->child;
    while (c && !wrong) {
      if (c <= n || c >= last || c >= b->nodes || reached[c]) {
        wrong = "the links of the tree are wrong";
      } else if ((n == 0) != (at(b, c)->action == START)) {
        wrong = "a first observation is in the middle of the tree";
      } else {
        reached[last = c] = 1;
        c = at(b, c)->sibling;
      }
    }
  }
  free(reached);
  return wrong;
}

static const char *check_episode(const brute *b) {
  uint32_t parent = 0;
  for (size_t i = 0; i < b->length; i++) {
    uint32_t n = b->path[i];
    if (n == 0 || n >= b->nodes) return "the episode leaves the tree";
    uint32_t c = at(b, parent)->child;
    while (c && c != n) c = at(b, c)->sibling;
    if (!c) return "the episode jumps in the tree";
    parent = n;
  }
  if (b->action < -1 || b->action >= SIXER_ACTION_COUNT) return "there is no such action";
  if (b->steps < 0 || b->steps > AGENT_COUNT_MAX || b->learned < 0 ||
      b->learned > AGENT_COUNT_MAX || b->score < -AGENT_COUNT_MAX || b->score > AGENT_COUNT_MAX)
    return "its counters are out of range";
  if ((b->length == 0) != (b->steps == 0 || b->lost) || (b->steps == 0 && b->action >= 0))
    return "the episode has an impossible length";
  return NULL;
}

static sixer_err read_tree(brute *b, sections_reader *in, sixer_error *error) {
  uint64_t nodes = sections_get_u64(in), length = sections_get_u64(in);
  b->learned = sections_get_i64(in);
  b->steps = sections_get_i64(in);
  b->score = sections_get_i64(in);
  b->start = sections_get_u64(in);
  int64_t action = sections_get_i64(in);
  uint64_t flags = sections_get_u64(in);
  b->action = action >= -1 && action < SIXER_ACTION_COUNT ? (int)action : SIXER_ACTION_COUNT;
  b->counted = flags & 1;
  b->lost = flags >> 1 & 1;

  if (!sections_find(in, "agent.path") || sections_left(in) != length * sizeof(uint32_t) ||
      length > UINT32_MAX)
    sections_fail(in, "the episode of the Brute has another length than it says");
  uint32_t n;
  for (uint64_t i = 0; i < length && !sections_failed(in); i++) {
    sections_get_array(in, &n, 1);
    sixer_err err = append_path(b, n, error);
    if (err) return err;
  }
  if (!sections_find(in, "agent.tree") || nodes < 1 || nodes >= UINT32_MAX ||
      sections_left(in) != nodes * sizeof(node))
    sections_fail(in, "the tree of the Brute has another size than it says");
  while (!sections_failed(in) && b->nodes < nodes) {
    sixer_err err = add_node(b, &n, error);
    if (err) return err;
  }
  for (uint64_t i = 0; i < nodes && !sections_failed(in); i += CHUNK)
    sections_get_structs(in, at(b, (uint32_t)i), nodes - i < CHUNK ? nodes - i : CHUNK,
                         sizeof(node), node_form);
  if (!sections_failed(in)) {
    const char *wrong = check_tree(b);
    if (!wrong) wrong = check_episode(b);
    if (wrong) sections_fail(in, wrong);
  }
  return SIXER_OK;
}

static sixer_err load(sixer_agent *agent, sixer_env *env, sections_reader *in, sixer_error *error) {
  (void)env;
  brute *b = (brute *)agent;
  clear(b);
  sixer_err err = read_tree(b, in, error);
  if (!err && !sections_failed(in)) return SIXER_OK;
  clear(b);
  sixer_err again = create(agent, error);
  return err ? err : again;
}

static const agent_option options[] = {
    {"formula", AGENT_CHOICE, offsetof(brute, formula), "b", 0, 0, "b|a",
     "exploration in a history that was met n times: b is 0.005 / log(n + 2), a is "
     "0.05 / log(n + 1)"},
    {"gamma", AGENT_REAL, offsetof(brute, gamma), "1", 0, 1, NULL, "discount per step"},
    {0}};

static const agent_preset presets[] = {
    {"machado2018", "formula=b,gamma=1", "Machado et al. 2018, appendix B: as it was run"},
    {"machado2018-a", "formula=a,gamma=1", "Machado et al. 2018, appendix A: as it is described"},
    {0}};

const agent_class agent_brute = {.name = "brute",
                                 .summary = "remembers every history and repeats the best",
                                 .size = sizeof(brute),
                                 .options = options,
                                 .presets = presets,
                                 .create = create,
                                 .prepare = prepare,
                                 .act = act,
                                 .learn = learn,
                                 .learned = learned,
                                 .reset = reset,
                                 .save = save,
                                 .load = load,
                                 .destroy = destroy};
