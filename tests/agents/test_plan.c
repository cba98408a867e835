/* The planners against plain implementations of the same algorithms: pointers instead of indices, full states
 * instead of differences, lists that are searched from end to end instead of queues, every byte of memory looked at.
 * Trees of several decisions are compared node by node, without and with sticky actions. The result must not depend
 * on the number of jobs, the memory limit or an interruption, and the env that is played must not change.
 * label: long, 25 s */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agents/linear/prost.h"
#include "agents/planning/planner.h"
#include "env/state.h"
#include "support/damaged_sections.h"

/* ---- Cartridges ------------------------------------------------------------------------------------------------ */

/* A cartridge of our own in some 60 bytes: it counts frames, moves a byte of memory by the stick, and scores for a game
 * whose rules read a score at these places. */
static sixer_rom *tiny_rom(void) {
  static const uint8_t program[] = {
      0xA2, 0x7F,       /*       LDX #$7F    */
      0xA9, 0x00,       /*       LDA #0      */
      0x95, 0x80,       /* clear STA $80,X   */
      0xCA,             /*       DEX         */
      0x10, 0xFB,       /*       BPL clear   */
      0xA9, 0x02,       /* frame LDA #2      */
      0x85, 0x00,       /*       STA VSYNC   */
      0x85, 0x02,       /*       STA WSYNC   */
      0x85, 0x02,       /*       STA WSYNC   */
      0x85, 0x02,       /*       STA WSYNC   */
      0xA9, 0x00,       /*       LDA #0      */
      0x85, 0x00,       /*       STA VSYNC   */
      0xE6, 0xA0,       /*       INC $A0     ; frames */
      0xAD, 0x80, 0x02, /*       LDA SWCHA   */
      0x30, 0x02,       /*       BMI right   ; bit 7 clear: pushed right */
      0xE6, 0xA1,       /*       INC $A1     */
      0x0A,             /* right ASL         */
      0x30, 0x02,       /*       BMI left    */
      0xC6, 0xA1,       /*       DEC $A1     */
      0x0A,             /* left  ASL         */
      0x30, 0x05,       /*       BMI down    */
      0xA5, 0xA1,       /*       LDA $A1     */
      0x18,             /*       CLC         */
      0x65, 0xA2,       /*       ADC $A2     */
      0x85, 0xA2,       /*       STA $A2     */
      0xA5, 0xA1,       /* down  LDA $A1     ; the score: a quarter of the place */
      0x4A,             /*       LSR         */
      0x4A,             /*       LSR         */
      0x29, 0x07,       /*       AND #7      */
      0x85, 0x8E,       /*       STA $8E     ; pong: player's points */
      0xA2, 0xF0,       /*       LDX #240    */
      0x85, 0x02,       /* line  STA WSYNC   */
      0xCA,             /*       DEX         */
      0xD0, 0xFB,       /*       BNE line    */
      0xF0, 0xC4,       /*       BEQ frame   */
  };
  uint8_t image[4096];
  memset(image, 0xEA, sizeof image);
  memcpy(image, program, sizeof program);
  image[0xFFC] = 0x00, image[0xFFD] = 0xF0;
  sixer_rom *rom;
  sixer_error error;
  if (sixer_rom_create(image, sizeof image, "tiny", "pong", &rom, &error))
    fail_msg("%s", error.message);
  return rom;
}

/* The cartridges to test on: the tiny one and a game of ours, then games of the reference package, if they are
 * found. */
static int open_roms(sixer_rom **roms, int most) {
  static const char *const games[] = {"breakout", "seaquest"};
  int count = 0;
  sixer_error error;
  roms[count++] = tiny_rom();
  if (sixer_rom_open("sporefall", NULL, &roms[count++], &error)) fail_msg("%s", error.message);
  for (int i = 0; i < most; i++) {
    if (!sixer_rom_open(games[i], NULL, &roms[count], NULL)) count++;
  }
  if (count == 2 && most)
    printf("SKIPPED in part: no images of games found; set SIXER_ROMS or install ale_py\n");
  return count;
}

static sixer_env *make_env(const sixer_rom *rom, float sticky) {
  sixer_config config = sixer_config_default();
  config.sticky = sticky;
  config.frame_skip = 5;
  config.max_frames = 2000;
  config.seed = 3;
  sixer_env *env;
  sixer_error error;
  if (sixer_env_create(rom, &config, &env, &error)) fail_msg("%s", error.message);
  return env;
}

/* Some way into the game, where it is interesting. */
static void warm_up(sixer_env *env, int steps) {
  sixer_list actions = sixer_rom_minimal_actions(sixer_env_rom(env));
  uint64_t rng = 5;
  for (int i = 0; i < steps && !sixer_env_status(env).over; i++)
    sixer_env_step(
        env, i == 0 ? SIXER_ACTION_FIRE : actions.items[agent_below(&rng, actions.count)], NULL);
}

static const int few[] = {SIXER_ACTION_NOOP, SIXER_ACTION_FIRE, SIXER_ACTION_UP, SIXER_ACTION_RIGHT,
                          SIXER_ACTION_LEFT};
static const sixer_list few_actions = {few, 5};

/* ---- The plain planners ---------------------------------------------------------------------------------------- */

typedef struct plain_node {
  struct plain_node *parent, *children[SIXER_ACTION_COUNT]; /* in the order of generation */
  int child_count, action, frames, reward, visits, order;
  bool over, tried[SIXER_ACTION_COUNT], open, novel, blocked, seen;
  double value, path;
  bool solved, met; /* roll-outs */
  int still, feature_count;
  uint16_t *features; /* of the screen: basic ones */
  uint8_t *state;
} plain_node;

typedef struct plain {
  const char *algorithm;
  uint64_t rng, seed; /* seed: of the model's draws in this decision */
  model sampler;
  sixer_env *model; /* that of the sampler */
  const sixer_rom *rom;
  size_t size;
  sixer_list actions;
  plain_node *root;
  double discount, exploration, scale, table[128 * 256];
  int64_t frames, used, simulations, horizon;
  int nodes;
  plain_node *everything[100000]; /* in order of generation, for lists */
  bool screen;                    /* roll-outs look at it */
  uint8_t *background;
  uint16_t *depths; /* by atom */
} plain;

static void take(plain *p, const sixer_env *env, uint8_t *state) {
  env_snapshot_take(env, state);
  if (!p->sampler.random)
    memset(state + env_snapshot_episode(p->rom) + offsetof(episode, executed), 0, sizeof(int32_t));
}

static void free_node(plain_node *n) {
  free(n->features);
  free(n->state);
  free(n);
}

static plain_node *new_node(plain *p, plain_node *parent, int action) {
  plain_node *n = calloc(1, sizeof *n);
  n->state = malloc(p->size);
  n->parent = parent;
  n->action = action;
  n->order = p->nodes;
  p->everything[p->nodes++] = n;
  return n;
}

/* The seed of the model's draws in a step: a hash of the actions that lead there. */
static uint64_t path_seed(const plain *p, const plain_node *n, int action) {
  uint64_t seed = p->seed;
  for (; n != p->root; n = n->parent) {
    seed ^= (uint64_t)n->action + 1;
    seed = agent_draw(&seed);
  }
  seed ^= (uint64_t)action + 101;
  return agent_draw(&seed);
}

static plain_node *generate(plain *p, plain_node *parent, int action) {
  sixer_result result;
  plain_node *n = new_node(p, parent, action);
  env_snapshot_load(p->model, parent->state);
  model_seed(&p->sampler, path_seed(p, parent, action));
  sixer_env_step(p->model, p->actions.items[action], &result);
  take(p, p->model, n->state);
  n->reward = result.reward;
  n->over = result.over;
  n->frames = result.frames;
  parent->tried[action] = true;
  parent->children[parent->child_count++] = n;
  return n;
}

static double back_up(plain *p, plain_node *n) {
  double best = -INFINITY;
  for (int i = 0; i < n->child_count; i++) best = fmax(best, back_up(p, n->children[i]));
  return n->value = n->reward + (n->child_count ? p->discount * best : 0);
}

static bool under(const plain_node *n, const plain_node *root) {
  while (n && n != root) n = n->parent;
  return n == root;
}

static plain_node *best_child(plain *p) {
  plain_node *best[SIXER_ACTION_COUNT];
  int count = 0;
  double value = -INFINITY;
  bool alive = false;
  for (int i = 0; i < p->root->child_count; i++) value = fmax(value, p->root->children[i]->value);
  for (int i = 0; i < p->root->child_count; i++)
    alive |= p->root->children[i]->value == value && !p->root->children[i]->over;
  for (int i = 0; i < p->root->child_count; i++) {
    plain_node *c = p->root->children[i];
    if (c->value == value && (!alive || !c->over)) best[count++] = c;
  }
  return best[count > 1 ? agent_below(&p->rng, count) : 0];
}

static int depth_of(const plain *p, const plain_node *n) {
  int depth = 0;
  for (; n != p->root; n = n->parent) depth++;
  return depth;
}

/* Breadth first: the queue is a list that only grows. */
static void plain_full_tree(plain *p) {
  static plain_node *queue[100000];
  int head = 0, tail = 0;
  queue[tail++] = p->root;
  while (head < tail && p->used < p->frames) {
    plain_node *n = queue[head++];
    bool reused = n->child_count > 0;
    for (int a = 0; a < p->actions.count && !reused; a++) generate(p, n, a);
    for (int i = 0; i < n->child_count; i++) {
      p->used += n->children[i]->frames;
      if (!n->children[i]->over) queue[tail++] = n->children[i];
    }
  }
}

static bool enter_atoms(plain *p, const plain_node *n, double score) {
  const uint8_t *ram = n->state + env_snapshot_ram(p->rom);
  bool novel = false;
  for (int i = 0; i < 128; i++) {
    if (score > p->table[i * 256 + ram[i]]) p->table[i * 256 + ram[i]] = score, novel = true;
  }
  return novel;
}

/* The three novelty searches: open nodes are marked, and the next one is found by looking at all of them. */
static void plain_novelty(plain *p) {
  bool by_reward = !strcmp(p->algorithm, "p-iw1"), two = !strcmp(p->algorithm, "2bfs");
  int entered = 0, turn = 0;
  for (int i = 0; i < 128 * 256; i++) p->table[i] = -INFINITY;
  for (int i = 0; i < p->nodes; i++) p->everything[i]->open = false;
  p->root->path = 0;
  p->root->open = p->root->novel = true;
  p->root->order = entered++;
  enter_atoms(p, p->root, 0);
  /* a reused branch as large as the budget is not searched any further */
  for (int i = 0; i < p->nodes; i++) p->everything[i]->blocked = false;
  for (int i = 0; i < p->root->child_count; i++) {
    int size = 0;
    for (int k = 0; k < p->nodes; k++) size += under(p->everything[k], p->root->children[i]);
    for (int k = 0; k < p->nodes && size >= p->frames / 5; k++)
      p->everything[k]->blocked |= under(p->everything[k], p->root->children[i]);
  }
  do {
    plain_node *next = NULL;
    for (int i = 0; i < p->nodes; i++) {
      plain_node *n = p->everything[i];
      if (!n->open) continue;
      double keys[2] = {0, 0}, best[2] = {0, 0};
      if (by_reward) keys[0] = n->path, best[0] = next ? next->path : 0;
      if (two) {
        keys[turn] = n->novel, keys[!turn] = n->path;
        if (next) best[turn] = next->novel, best[!turn] = next->path;
      }
      bool better = !next || keys[0] > best[0] || (keys[0] == best[0] && keys[1] > best[1]);
      /* among equals the first generated (best first), or the first that entered the queue (breadth first) */
      bool equal = next && keys[0] == best[0] && keys[1] == best[1];
      if (better || (equal && !by_reward && !two && n->order < next->order)) next = n;
    }
    if (!next) break;
    next->open = false;
    turn = !turn;
    bool reused = next->child_count > 0;
    if (!reused) {
      if ((int64_t)depth_of(p, next) * 5 >= p->horizon || next->blocked) continue;
      int order[SIXER_ACTION_COUNT];
      for (int i = 0; i < p->actions.count; i++) order[i] = i;
      for (int i = p->actions.count - 1; i > 0; i--) {
        int k = agent_below(&p->rng, i + 1), other = order[i];
        order[i] = order[k];
        order[k] = other;
      }
      for (int i = 0; i < p->actions.count; i++) p->used += generate(p, next, order[i])->frames;
    }
    for (int i = 0; i < next->child_count; i++) {
      plain_node *c = next->children[i];
      c->path = next->path + (two ? pow(p->discount, depth_of(p, c) - 1) : 1) * c->reward;
      c->novel = enter_atoms(p, c, by_reward ? c->path : 0);
      c->open = (c->novel || two) && !c->over;
      c->order = entered++;
    }
  } while (p->used < p->frames);
}

static void count_return(plain_node *n, double result) {
  n->value = n->value * n->visits / (n->visits + 1) + result / (n->visits + 1);
  n->visits++;
}

/* UCT, recursively as in the paper. Returns false if a duplicate was met and the simulation begins again. */
static bool sample(plain *p, plain_node *n, int depth, uint64_t rng, double *result) {
  int free_actions = 0;
  double rest = 0;
  if (n->over || depth * 5 >= p->horizon) {
    *result = n->reward;
  } else {
    for (int a = 0; a < p->actions.count; a++) free_actions += !n->tried[a];
    if (free_actions) {
      int pick = agent_below(&p->rng, free_actions), action = 0;
      for (;; action++) {
        if (!n->tried[action] && pick-- == 0) break;
      }
      plain_node *c = generate(p, n, action);
      if (c->reward && p->scale == 0) p->scale = abs(c->reward);
      for (int i = 0; i < n->child_count - 1; i++) {
        if (!memcmp(n->children[i]->state, c->state, p->size)) {
          n->child_count--;
          p->nodes--;
          free_node(c);
          return false;
        }
      }
      double weight = 1;
      bool over = c->over;
      for (int64_t left = p->horizon - 5 * (depth + 1); left > 0 && !over; left -= 5) {
        sixer_result step;
        sixer_env_step(p->model, p->actions.items[agent_below(&rng, p->actions.count)], &step);
        rest += weight * step.reward;
        weight *= p->discount;
        over = step.over;
        if (step.reward && p->scale == 0) p->scale = abs(step.reward);
      }
      double all = rest + c->reward;
      c->value = all;
      c->visits = 1;
      *result = n->reward + p->discount * all;
    } else {
      plain_node *best = NULL;
      double bound = 0;
      int ties = 0;
      for (int i = 0; i < n->child_count; i++) {
        plain_node *c = n->children[i];
        double b = c->value / (p->scale > 0 ? p->scale : 1) +
                   p->exploration * sqrt(log(n->visits) / c->visits);
        if (!best || b > bound)
          best = c, bound = b, ties = 1;
        else if (b == bound && agent_below(&p->rng, ++ties) == 0)
          best = c;
      }
      double below;
      if (!sample(p, best, depth + 1, rng, &below)) return false;
      *result = n->reward + p->discount * below;
    }
  }
  count_return(n, *result);
  return true;
}

static int open_step(plain *p, int action, uint64_t *rng, bool *over) {
  sixer_result step;
  model_seed(&p->sampler, agent_draw(rng));
  sixer_env_step(p->model, p->actions.items[action], &step);
  *over = step.over;
  return step.reward;
}

/* UCT under randomness: a node is a sequence of actions. Goes on below `n` from where the model is; returns what comes
 * after. Once the episode is over the way down is still chosen, and nothing is counted. */
static double open_sample(plain *p, plain_node *n, int depth, uint64_t *rng, bool over,
                          int *first) {
  plain_node *unreached[SIXER_ACTION_COUNT], *child = NULL;
  int untried[SIXER_ACTION_COUNT], new_count = 0, unreached_count = 0, ties = 0;
  if (depth * 5 >= p->horizon) return 0;
  for (int a = 0; a < p->actions.count; a++) {
    if (!n->tried[a]) untried[new_count++] = a;
  }
  for (int i = 0; i < n->child_count; i++) {
    if (n->children[i]->visits == 0) unreached[unreached_count++] = n->children[i];
  }
  bool leaf = new_count + unreached_count > 0;
  if (leaf) {
    int pick = agent_below(&p->rng, new_count + unreached_count);
    if (pick < new_count) {
      child = new_node(p, n, untried[pick]);
      child->frames = 5;
      n->tried[untried[pick]] = true;
      n->children[n->child_count++] = child;
    } else {
      child = unreached[pick - new_count];
    }
  } else {
    double bound = 0;
    for (int i = 0; i < n->child_count; i++) {
      plain_node *c = n->children[i];
      double b = c->value / (p->scale > 0 ? p->scale : 1) +
                 p->exploration * sqrt(log(n->visits) / c->visits);
      if (!child || b > bound)
        child = c, bound = b, ties = 1;
      else if (b == bound && agent_below(&p->rng, ++ties) == 0)
        child = c;
    }
  }
  bool reached = !over;
  int reward = reached ? open_step(p, child->action, rng, &over) : 0;
  if (reward && !*first) *first = abs(reward);
  double below = 0, weight = leaf ? 1 : p->discount;
  if (!leaf) below = open_sample(p, child, depth + 1, rng, over, first);
  for (int64_t left = p->horizon - 5 * (depth + 1); leaf && left > 0 && !over; left -= 5) {
    int action = agent_below(rng, p->actions.count);
    int more = open_step(p, action, rng, &over);
    if (more && !*first) *first = abs(more);
    below += weight * more;
    weight *= p->discount;
  }
  double result = reward + (leaf ? below : p->discount * below);
  if (reached) count_return(child, result);
  return reached ? result : 0;
}

static plain_node *plain_uct(plain *p) {
  while (p->root->visits < p->simulations) {
    uint64_t rng = agent_draw(&p->rng);
    double result;
    if (p->sampler.random) {
      int first = 0;
      env_snapshot_load(p->model, p->root->state);
      count_return(p->root, p->discount * open_sample(p, p->root, 0, &rng, false, &first));
      if (p->scale == 0) p->scale = first;
      continue;
    }
    while (!sample(p, p->root, 0, rng, &result)) continue;
  }
  plain_node *best = NULL;
  int ties = 0;
  for (int i = 0; i < p->root->child_count; i++) {
    plain_node *c = p->root->children[i];
    if (!best || c->visits > best->visits)
      best = c, ties = 1;
    else if (c->visits == best->visits && agent_below(&p->rng, ++ties) == 0)
      best = c;
  }
  return best;
}

/* ---- Roll-outs, plainly ---------------------------------------------------------------------------------------- */

static void plain_features(plain *p, sixer_env *env, plain_node *n) {
  n->feature_count = 0;
  n->features = calloc(PROST_BASIC, sizeof *n->features);
  if (!p->screen) {
    for (int i = 0; i < 128; i++)
      n->features[n->feature_count++] = (uint16_t)(256 * i + sixer_env_ram(env)[i]);
    return;
  }
  const uint8_t *screen = sixer_env_screen(env);
  for (int tile = 0; tile < 14 * 16; tile++) {
    for (int color = 0; color < 128; color++) {
      bool on = false;
      for (int y = tile / 16 * 15; y < tile / 16 * 15 + 15; y++) {
        for (int x = tile % 16 * 10; x < tile % 16 * 10 + 10; x++) {
          uint8_t pixel = screen[y * 160 + x];
          on |= pixel / 2 == color && pixel != p->background[y * 160 + x];
        }
      }
      if (on) n->features[n->feature_count++] = (uint16_t)(tile * 128 + color);
    }
  }
}

static void plain_background(plain *p) {
  static int counts[160 * 210][128];
  uint64_t rng = agent_draw(&p->rng);
  memset(counts, 0, sizeof counts);
  p->background = calloc(1, 160 * 210);
  env_snapshot_load(p->model, p->root->state);
  for (int i = 0; i < 100; i++) {
    sixer_result result;
    model_seed(&p->sampler, agent_draw(&rng));
    sixer_env_step(p->model, p->actions.items[agent_below(&rng, p->actions.count)], &result);
    if (result.over) {
      env_snapshot_load(p->model, p->root->state);
      continue;
    }
    for (int k = 0; k < 160 * 210; k++) counts[k][sixer_env_screen(p->model)[k] / 2]++;
  }
  for (int k = 0; k < 160 * 210; k++) {
    int most = 0;
    for (int c = 0; c < 128; c++) most = counts[k][c] > counts[k][most] ? c : most;
    p->background[k] = (uint8_t)(2 * most);
  }
}

/* Which atoms are new: bit 0, one was never reached so early; bit 1, one is reached nowhere earlier. */
static int plain_test(plain *p, const plain_node *n) {
  int result = 0, depth = depth_of(p, n), count = 0;
  static uint32_t atoms[4000000];
  for (int i = 0; i < n->feature_count; i++) {
    atoms[count++] = n->features[i];
    for (int k = 0; p->screen && k < n->feature_count; k++)
      atoms[count++] = prost_space(n->features[i], n->features[k]);
    for (int k = 0; p->screen && n->parent && k < n->parent->feature_count; k++)
      atoms[count++] = prost_time(n->parent->features[k], n->features[i]);
  }
  for (int i = 0; i < count; i++) {
    if (p->depths[atoms[i]] > depth) result |= 1;
    if (p->depths[atoms[i]] == depth) result |= 2;
  }
  for (int i = 0; i < count; i++) {
    if (p->depths[atoms[i]] > depth) p->depths[atoms[i]] = (uint16_t)depth;
  }
  return result;
}

static void plain_solve(plain *p, plain_node *n) {
  n->solved = true;
  if (n == p->root) return;
  for (int a = 0; a < p->actions.count; a++) {
    if (!n->parent->tried[a]) return;
  }
  for (int i = 0; i < n->parent->child_count; i++) {
    if (!n->parent->children[i]->solved) return;
  }
  plain_solve(p, n->parent);
}

static void plain_roll_out(plain *p, plain_node *n) {
  plain_node *open[SIXER_ACTION_COUNT];
  int actions[SIXER_ACTION_COUNT], count = 0;
  if (p->used >= p->frames) return;
  for (int a = 0; a < p->actions.count; a++) {
    plain_node *there = NULL;
    for (int i = 0; i < n->child_count; i++) {
      if (n->children[i]->action == a) there = n->children[i];
    }
    if (there && there->solved) continue;
    actions[count] = a;
    open[count++] = there;
  }
  if (!count) {
    plain_solve(p, n);
    return;
  }
  int pick = agent_below(&p->rng, count);
  plain_node *c = open[pick];
  if (!c) {
    c = generate(p, n, actions[pick]);
    p->used += c->frames;
    if (!c->over) plain_features(p, p->model, c);
    bool same = c->feature_count == n->feature_count;
    for (int i = 0; same && i < c->feature_count; i++) same = c->features[i] == n->features[i];
    c->still = same ? n->still + 1 : 0;
  }
  bool first = !c->met;
  c->met = true;
  if (c->over || depth_of(p, c) * 5 > p->horizon) {
    plain_solve(p, c);
    return;
  }
  if (c->still == 0 || c->still > 30) {
    int found = plain_test(p, c);
    if (!(found & 1) && (first || !(found & 2))) {
      plain_solve(p, c);
      return;
    }
  }
  plain_roll_out(p, c);
}

static void plain_rollouts(plain *p, sixer_env *env) {
  if (p->screen && !p->background) plain_background(p);
  if (!p->root->features) plain_features(p, env, p->root);
  for (int i = 0; i < PROST_COUNT; i++) p->depths[i] = 65535;
  for (int i = 0; i < p->nodes; i++) p->everything[i]->solved = p->everything[i]->met = false;
  plain_test(p, p->root);
  while (!p->root->solved && p->used < p->frames) plain_roll_out(p, p->root);
}

/* ---- Choices --------------------------------------------------------------------------------------------------- */

/* Forget all but what is under the new root; the lists keep the order of generation. */
static void set_plain_root(plain *p, plain_node *root) {
  int kept = 0;
  for (int i = 0; i < p->nodes; i++) {
    plain_node *n = p->everything[i];
    n->seen = !under(n, root);
  }
  for (int i = 0; i < p->nodes; i++) {
    plain_node *n = p->everything[i];
    if (!n->seen)
      p->everything[kept++] = n;
    else
      free_node(n);
  }
  for (int i = 0; i < kept; i++) p->everything[i]->seen = false;
  p->nodes = kept;
  p->root = root;
  root->parent = NULL;
}

static int plain_act(plain *p, sixer_env *env) {
  if (!p->root) {
    p->root = new_node(p, NULL, 0);
    take(p, env, p->root->state);
  }
  p->used = 0;
  p->seed = agent_draw(&p->rng);
  plain_node *choice;
  if (!strcmp(p->algorithm, "uct")) {
    choice = plain_uct(p);
  } else {
    if (!strcmp(p->algorithm, "full-tree"))
      plain_full_tree(p);
    else if (!strcmp(p->algorithm, "rollout-iw1"))
      plain_rollouts(p, env);
    else
      plain_novelty(p);
    back_up(p, p->root);
    choice = best_child(p);
  }
  return choice->action;
}

static void plain_choose(plain *p, int action, const sixer_env *env) {
  if (p->sampler.random) {
    /* the sampled future is not what happened: the tree is not reused */
    for (int i = 0; i < p->nodes; i++) free_node(p->everything[i]);
    p->nodes = 0;
    p->root = NULL;
    return;
  }
  for (int i = 0; i < p->root->child_count; i++) {
    if (p->root->children[i]->action != action) continue;
    uint8_t *state = malloc(p->size);
    take(p, env, state);
    assert_memory_equal(p->root->children[i]->state, state, p->size);
    free(state);
    set_plain_root(p, p->root->children[i]);
    return;
  }
  fail_msg("the action is not in the plain tree");
}

/* ---- Comparison ------------------------------------------------------------------------------------------------ */

static int compare_nodes(planner *p, int32_t index, const plain_node *n, const char *name) {
  tree *t = &p->tree;
  const node *m = &t->nodes[index];
  int count = 1, i = 0;
  bool uct = !strcmp(name, "uct");
  if (n->parent) {
    assert_int_equal(m->action, n->action);
    assert_int_equal(m->reward, n->reward);
    assert_int_equal(m->over, n->over);
    assert_int_equal(m->frames, n->frames);
  }
  /* the same sums in the same order: equal to the last bit */
  if (m->value != n->value)
    fail_msg("%s: value %.17g, plain %.17g, depth %d visits %d %d", name, m->value, n->value,
             m->depth, m->visits, n->visits);
  if (uct) assert_int_equal(m->visits, n->visits);
  if (!uct || !p->models[0].random) {
    uint8_t *state = malloc(t->size);
    int64_t replayed = 0;
    tree_state(t, index, &p->models[0], state, &replayed);
    assert_memory_equal(state, n->state, t->size);
    free(state);
  }
  for (int32_t c = m->child; c != TREE_NONE; c = t->nodes[c].sibling) {
    assert_true(i < n->child_count);
    count += compare_nodes(p, c, n->children[i++], name);
  }
  assert_int_equal(i, n->child_count);
  return count;
}

static void compare_planner(const char *name, const char *options, const sixer_rom *rom,
                            int decisions, double share, float sticky) {
  sixer_env *env = make_env(rom, sticky);
  warm_up(env, 30);
  plain *p = calloc(1, sizeof *p);
  sixer_agent *agent;
  sixer_error error;
  if (sixer_agent_create(name, options, 77, &agent, &error)) fail_msg("%s", error.message);
  planner *tested = (planner *)agent;
  tested->share = share;
  *p = (plain){.algorithm = name,
               .rng = 77,
               .rom = rom,
               .size = env_snapshot_size(rom),
               .actions = few_actions,
               .discount = tested->discount,
               .exploration = tested->exploration,
               .frames = tested->frames,
               .simulations = tested->simulations,
               .horizon = tested->horizon};
  p->screen = tested->picture;
  p->depths = malloc(PROST_COUNT * sizeof *p->depths);
  assert_int_equal(model_create(&p->sampler, env, 0, true, &error), SIXER_OK);
  p->model = p->sampler.env;
  int64_t nodes = 0;
  for (int i = 0; i < decisions && !sixer_env_status(env).over; i++) {
    int action, plain_action = plain_act(p, env);
    if (sixer_agent_act(agent, env, few_actions, &action, &error)) fail_msg("%s", error.message);
    nodes += compare_nodes(tested, TREE_ROOT, p->root, name);
    assert_int_equal(action, few[plain_action]);
    assert_int_equal(agent->rng, p->rng);
    assert_int_equal(tested->tree.count, p->nodes);
    sixer_env_step(env, action, NULL);
    if (!sixer_env_status(env).over) plain_choose(p, plain_action, env);
  }
  assert_true(nodes > decisions);
  assert_int_equal(tested->tree.limited, share < 0.01);
  for (int i = 0; i < p->nodes; i++) free_node(p->everything[i]);
  model_destroy(&p->sampler);
  free(p->depths);
  free(p->background);
  free(p);
  sixer_agent_destroy(agent);
  sixer_env_destroy(env);
}

static const struct {
  const char *name, *options;
} planners[] = {
    {"full-tree", "frames=600"},
    {"full-tree", "frames=333,discount=0.9"},
    {"iw1", "frames=600"},
    {"iw1", "frames=800,horizon=30,discount=0.9"},
    {"p-iw1", "frames=600"},
    {"2bfs", "frames=500,discount=0.9"},
    {"uct", "simulations=30,horizon=40"},
    {"uct", "simulations=100,horizon=20,exploration=1"},
    {"rollout-iw1", "frames=500,atoms=ram,discount=0.9"},
    {"rollout-iw1", "frames=500,atoms=screen,horizon=100"},
};
enum { PLANNERS = sizeof planners / sizeof planners[0] };

static void node_for_node(void **unused) {
  (void)unused;
  sixer_rom *roms[6];
  int count = open_roms(roms, 2);
  for (int r = 0; r < count; r++) {
    for (int i = 0; i < PLANNERS; i++) {
      compare_planner(planners[i].name, planners[i].options, roms[r], 4, 1.0 / 3, 0);
      if (r < 2) /* ours: the plain ones take their time */
        compare_planner(planners[i].name, planners[i].options, roms[r], 3, 1.0 / 3, 0.25f);
    }
    sixer_rom_close(roms[r]);
  }
}

/* Which features there are, and that mirrored pairs are one. */
static void features_of_pairs(void **unused) {
  (void)unused;
  uint64_t rng = 1;
  uint8_t *seen = calloc(1, PROST_COUNT);
  int64_t space = 0;
  /* every offset between two tiles occurs from one of the four corners */
  for (int corner = 0; corner < 4; corner++) {
    int row = corner & 1 ? 13 : 0, column = corner & 2 ? 15 : 0;
    for (int tile = 0; tile < 14 * 16; tile++) {
      for (int a = 0; a < 128; a++) {
        for (int b = 0; b < 128; b++) {
          uint32_t feature =
              prost_space((uint16_t)((row * 16 + column) * 128 + a), (uint16_t)(tile * 128 + b));
          assert_true(feature >= PROST_BASIC && feature < PROST_BASIC + PROST_SPACE);
          space += !seen[feature];
          seen[feature] = 1;
        }
      }
    }
  }
  assert_int_equal(space, 6856768); /* as published */
  assert_int_equal(PROST_TIME, 13713408);
  assert_int_equal(PROST_BASIC, 28672);
  for (int i = 0; i < 10000; i++) {
    uint16_t p = (uint16_t)agent_below(&rng, PROST_BASIC),
             q = (uint16_t)agent_below(&rng, PROST_BASIC);
    assert_int_equal(prost_space(p, q), prost_space(q, p));
    assert_true(prost_time(p, q) >= PROST_BASIC + PROST_SPACE && prost_time(p, q) < PROST_COUNT);
  }
  free(seen);
}

/* With next to no memory, states are played again, and the tree is the same. */
static void little_memory(void **unused) {
  (void)unused;
  sixer_rom *rom = tiny_rom();
  for (int i = 0; i < PLANNERS; i++) {
    compare_planner(planners[i].name, planners[i].options, rom, 3, 1e-6, 0);
  }
  sixer_rom_close(rom);
}

/* ---- What must not matter -------------------------------------------------------------------------------------- */

/* Play with an agent; the actions go to `played`, and what it did to *sum. With `stop`, it is saved there and another
 * one goes on. */
static int play(const sixer_rom *rom, const char *name, const char *options, float sticky,
                int steps, int stop, int *played, sixer_agent_stats *sum) {
  sixer_env *env = make_env(rom, sticky);
  sixer_agent *agent;
  sixer_error error;
  if (sixer_agent_create(name, options, 9, &agent, &error)) fail_msg("%s: %s", name, error.message);
  int count = 0;
  for (; count < steps && !sixer_env_status(env).over; count++) {
    if (count == stop) {
      void *bytes;
      size_t size;
      assert_int_equal(sixer_agent_save(agent, &bytes, &size, &error), SIXER_OK);
      sixer_agent_destroy(agent);
      assert_int_equal(sixer_agent_create(name, options, 1000, &agent, &error), SIXER_OK);
      if (sixer_agent_load(agent, env, bytes, size, &error))
        fail_msg("%s: %s", name, error.message);
      free(bytes);
    }
    if (sixer_agent_act(agent, env, few_actions, &played[count], &error))
      fail_msg("%s: %s", name, error.message);
    sixer_agent_stats s = sixer_agent_last(agent);
    sum->nodes += s.nodes;
    sum->replayed += s.replayed;
    sum->limited |= s.limited;
    if (sum->memory < s.memory) sum->memory = s.memory;
    sixer_env_step(env, played[count], NULL);
  }
  sixer_agent_destroy(agent);
  sixer_env_destroy(env);
  return count;
}

enum { STEPS = 6 };

static void compare_play(const sixer_rom *rom, const char *name, const char *options,
                         const char *other, float sticky, int stop) {
  int one[STEPS], two[STEPS];
  sixer_agent_stats a = {0}, b = {0};
  int count = play(rom, name, options, sticky, STEPS, -1, one, &a);
  assert_int_equal(play(rom, name, other, sticky, STEPS, stop, two, &b), count);
  assert_memory_equal(one, two, (size_t)count * sizeof(int));
  assert_int_equal(a.nodes, b.nodes);
}

static void jobs_do_not_matter(void **unused) {
  (void)unused;
  sixer_rom *roms[6];
  int count = open_roms(roms, 0);
  for (int r = 0; r < count; r++) {
    for (int i = 0; i < PLANNERS; i++) {
      for (int sticky = 0; sticky < 2; sticky++) {
        char one[200], many[200];
        if (!strcmp(planners[i].name, "rollout-iw1")) continue; /* one job only */
        bool uct = !strcmp(planners[i].name, "uct");
        /* UCT depends on the number of jobs, but not on which is faster */
        snprintf(one, sizeof one, "%s,jobs=%d", planners[i].options, uct ? 3 : 1);
        snprintf(many, sizeof many, "%s,jobs=3", planners[i].options);
        compare_play(roms[r], planners[i].name, one, many, sticky ? 0.25f : 0, -1);
      }
    }
    sixer_rom_close(roms[r]);
  }
}

static void interruption_does_not_matter(void **unused) {
  (void)unused;
  sixer_rom *rom = tiny_rom();
  for (int i = 0; i < PLANNERS; i++) {
    for (int stop = 0; stop < STEPS; stop += 3) {
      compare_play(rom, planners[i].name, planners[i].options, planners[i].options, 0, stop);
      compare_play(rom, planners[i].name, planners[i].options, planners[i].options, 0.25f, stop);
    }
  }
  sixer_rom_close(rom);
}

/* The states are dropped first: frames are played again, and the play is the same. Then the nodes do not fit either:
 * the search ends early, says so, and still chooses. */
static void memory_limits(void **unused) {
  (void)unused;
  static const struct {
    const char *name, *plenty, *few_states, *few_nodes;
  } cases[] = {
      {"full-tree", "frames=6000", "frames=6000,memory=0.1", "frames=60000,memory=0.05"},
      {"iw1", "frames=6000", "frames=6000,memory=0.2", "frames=60000,memory=0.05"},
      {"p-iw1", "frames=6000", "frames=6000,memory=0.3", "frames=60000,memory=0.05"},
      {"2bfs", "frames=6000", "frames=6000,memory=0.25", "frames=60000,memory=0.05"},
      {"uct", "simulations=600,horizon=60,exploration=100,duplicates=0",
       "simulations=600,horizon=60,exploration=100,duplicates=0,memory=0.05",
       "simulations=1500,horizon=60,exploration=100,duplicates=0,memory=0.05"},
      /* its features are larger than its states, and fill their half first */
      {"rollout-iw1", "frames=3000,atoms=ram", NULL, "frames=60000,atoms=ram,memory=0.2"},
  };
  sixer_rom *rom = tiny_rom();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int one[STEPS], two[STEPS];
    sixer_agent_stats a = {0}, b = {0}, c = {0};
    play(rom, cases[i].name, cases[i].plenty, 0, STEPS, -1, one, &a);
    assert_false(a.limited);
    assert_int_equal(a.replayed, 0);
    printf("%s: %lld nodes", cases[i].name, (long long)a.nodes);
    if (cases[i].few_states) {
      play(rom, cases[i].name, cases[i].few_states, 0, STEPS, -1, two, &b);
      printf("; %lld, %lld frames again", (long long)b.nodes, (long long)b.replayed);
      assert_true(b.limited);
      assert_true(b.replayed > 0);
      assert_int_equal(a.nodes, b.nodes);
      assert_memory_equal(one, two, sizeof one);
    }
    play(rom, cases[i].name, cases[i].few_nodes, 0, 2, -1, two, &c);
    printf("; %lld nodes in %lld bytes\n", (long long)c.nodes / 2, (long long)c.memory);
    assert_true(c.limited);
    double megabytes = strtod(strstr(cases[i].few_nodes, "memory=") + 7, NULL);
    assert_true((double)c.memory <= megabytes * 1048576 + 4096);
    assert_true(c.nodes >= 2 * few_actions.count);
  }
  sixer_rom_close(rom);
}

/* ---- What the env must not notice ------------------------------------------------------------------------------ */

static void env_is_not_disturbed(void **unused) {
  (void)unused;
  sixer_rom *roms[6];
  int count = open_roms(roms, 0);
  for (int r = 0; r < count; r++) {
    for (int i = 0; i < PLANNERS; i++) {
      sixer_env *with = make_env(roms[r], 0.25f), *without = make_env(roms[r], 0.25f);
      int flags = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE;
      size_t size = sixer_env_state_size(with, flags);
      uint8_t *before = malloc(size), *after = malloc(size);
      sixer_agent *agent;
      assert_int_equal(sixer_agent_create(planners[i].name, planners[i].options, 4, &agent, NULL),
                       SIXER_OK);
      for (int k = 0; k < 4; k++) {
        int action;
        sixer_env_save(with, flags, before);
        assert_int_equal(sixer_agent_act(agent, with, few_actions, &action, NULL), SIXER_OK);
        sixer_env_save(with, flags, after);
        assert_memory_equal(before, after, size);
        sixer_env_step(with, action, NULL);
        sixer_env_step(without, action, NULL);
        sixer_env_save(with, flags, before);
        sixer_env_save(without, flags, after);
        assert_memory_equal(before, after, size);
      }
      sixer_agent_destroy(agent);
      sixer_env_destroy(with);
      sixer_env_destroy(without);
      free(before);
      free(after);
    }
    sixer_rom_close(roms[r]);
  }
}

/* The model's draws are its own: the env's seed does not change what is planned from the same state. */
static void no_peeking(void **unused) {
  (void)unused;
  sixer_rom *rom = tiny_rom();
  for (int i = 0; i < PLANNERS; i++) {
    int actions[2];
    int64_t nodes[2];
    double values[2];
    for (int k = 0; k < 2; k++) {
      sixer_config config = sixer_config_default();
      config.frame_skip = 5;
      config.seed = (uint32_t)k;
      sixer_env *env;
      sixer_agent *agent;
      assert_int_equal(sixer_env_create(rom, &config, &env, NULL), SIXER_OK);
      assert_int_equal(sixer_agent_create(planners[i].name, planners[i].options, 4, &agent, NULL),
                       SIXER_OK);
      assert_int_equal(sixer_agent_act(agent, env, few_actions, &actions[k], NULL), SIXER_OK);
      nodes[k] = sixer_agent_last(agent).nodes;
      values[k] = sixer_agent_last(agent).value;
      sixer_agent_destroy(agent);
      sixer_env_destroy(env);
    }
    assert_int_equal(actions[0], actions[1]);
    assert_int_equal(nodes[0], nodes[1]);
    assert_true(values[0] == values[1]);
  }
  sixer_rom_close(rom);
}

/* ---- What must matter ------------------------------------------------------------------------------------------ */

/* Ten times the budget is not worse on a game of ours, over ten seeds. */
static void larger_budgets(void **unused) {
  (void)unused;
  static const struct {
    const char *name, *options[2];
  } cases[] = {{"uct", {"simulations=2,horizon=60", "simulations=20,horizon=60"}},
               {"iw1", {"frames=100", "frames=1000"}}};
  sixer_rom *rom;
  assert_int_equal(sixer_rom_open("sporefall", NULL, &rom, NULL), SIXER_OK);
  sixer_list actions = sixer_rom_minimal_actions(rom);
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    int64_t sums[2] = {0};
    for (int budget = 0; budget < 2; budget++) {
      for (uint64_t seed = 1; seed <= 10; seed++) {
        sixer_env *env = make_env(rom, 0);
        sixer_agent *agent;
        assert_int_equal(
            sixer_agent_create(cases[c].name, cases[c].options[budget], seed, &agent, NULL),
            SIXER_OK);
        for (int i = 0; i < 24 && !sixer_env_status(env).over; i++) {
          int action;
          assert_int_equal(sixer_agent_act(agent, env, actions, &action, NULL), SIXER_OK);
          sixer_env_step(env, action, NULL);
        }
        sums[budget] += sixer_env_status(env).score;
        sixer_agent_destroy(agent);
        sixer_env_destroy(env);
      }
    }
    printf("%s on sporefall, ten seeds: %lld points with %s, %lld with %s\n", cases[c].name,
           (long long)sums[0], cases[c].options[0], (long long)sums[1], cases[c].options[1]);
    assert_true(sums[1] >= sums[0]);
    assert_true(sums[1] > 0);
  }
  sixer_rom_close(rom);
}

/* ---- Bad input ------------------------------------------------------------------------------------------------- */

static void bad_options(void **unused) {
  (void)unused;
  static const struct {
    const char *agent, *options, *says;
  } cases[] = {
      {"bfs", NULL, "there is no agent 'bfs' (did you mean '2bfs'?); there are: "},
      {"uct", "depth=4", "uct has no option 'depth'; it has: frames, "},
      {"uct", "simulations", "needs a value: simulations=500"},
      {"uct", "simulations=many", "is a number from 0 to 1e+09, found 'many'"},
      {"uct", "discount=1.5", "is a number from 0 to 1, found '1.5'"},
      {"uct", "discount=nan", "is a number"},
      {"uct", "reuse=perhaps", "is 1 or 0, found 'perhaps'"},
      {"iw1", "atoms=words", "is one of bytes|bits, found 'words'"},
      {"uct", "simulations=0", "uct has no budget"},
      {"full-tree", "frames=0", "full-tree has no budget"},
      {"iw1", "frames=0", "iw1 has no budget"},
      {"p-iw1", "frames=0,seconds=0", "p-iw1 has no budget"},
      {"2bfs", "frames=0", "2bfs has no budget"},
      {"rollout-iw1", "frames=0", "rollout-iw1 has no budget"},
      {"full-tree", "jobs=0", "is a number from 1 to 256"},
      {"full-tree", "memory=0", "is a number from 0.05"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sixer_agent *agent = NULL;
    sixer_error error = {0};
    assert_int_equal(sixer_agent_create(cases[i].agent, cases[i].options, 1, &agent, &error),
                     SIXER_ERR_ARGUMENT);
    if (!strstr(error.message, cases[i].says))
      fail_msg("'%s' does not say '%s'", error.message, cases[i].says);
    assert_null(agent);
  }
}

static void bad_acts(void **unused) {
  (void)unused;
  sixer_rom *rom = tiny_rom();
  sixer_env *env = make_env(rom, 0);
  sixer_agent *agent;
  sixer_error error;
  int action = -7;
  for (int i = 0; i < PLANNERS; i++) {
    bool uct = !strcmp(planners[i].name, "uct");
    assert_int_equal(
        sixer_agent_create(planners[i].name, uct ? "frames=24,simulations=0" : "frames=24", 1,
                           &agent, &error),
        SIXER_OK);
    assert_int_equal(sixer_agent_act(agent, env, few_actions, &action, &error), SIXER_ERR_ARGUMENT);
    assert_non_null(
        strstr(error.message, "24 frames is below one expansion: 5 actions of 5 frames"));
    assert_int_equal(action, -7);
    sixer_agent_destroy(agent);
    /* so little time that nothing fits: still a choice from something that was looked at */
    assert_int_equal(
        sixer_agent_create(planners[i].name,
                           uct ? "frames=0,simulations=0,seconds=1e-9" : "frames=0,seconds=1e-9", 1,
                           &agent, &error),
        SIXER_OK);
    assert_int_equal(sixer_agent_act(agent, env, few_actions, &action, &error), SIXER_OK);
    assert_true(sixer_agent_last(agent).nodes >= 1);
    sixer_agent_destroy(agent);
    action = -7;
  }
  assert_int_equal(sixer_agent_create("full-tree", "frames=25", 1, &agent, &error), SIXER_OK);
  sixer_list none = {few, 0};
  assert_int_equal(sixer_agent_act(agent, env, none, &action, &error), SIXER_ERR_ARGUMENT);
  const int odd[] = {0, 18};
  assert_int_equal(sixer_agent_act(agent, env, (sixer_list){odd, 2}, &action, &error),
                   SIXER_ERR_ACTION);
  sixer_agent_destroy(agent);

  /* the episode ends while planning, and then for real */
  for (int i = 0; i < PLANNERS; i++) {
    sixer_env_reset(env);
    while (sixer_env_status(env).episode_frames < 1990) sixer_env_step(env, 0, NULL);
    assert_int_equal(sixer_agent_create(planners[i].name, planners[i].options, 1, &agent, &error),
                     SIXER_OK);
    while (!sixer_env_status(env).over) {
      assert_int_equal(sixer_agent_act(agent, env, few_actions, &action, &error), SIXER_OK);
      sixer_env_step(env, action, NULL);
    }
    action = -7;
    assert_int_equal(sixer_agent_act(agent, env, few_actions, &action, &error), SIXER_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "the episode is over"));
    assert_int_equal(action, -7);
    sixer_agent_destroy(agent);
  }
  sixer_env_destroy(env);
  sixer_rom_close(rom);
}

/* Whatever bytes are given to load, nothing breaks; and what was saved and then damaged is refused or harmless. */
static void bad_saved_agents(void **unused) {
  (void)unused;
  sixer_rom *rom = tiny_rom();
  uint64_t rng = 1;
  for (int i = 0; i < PLANNERS; i++) {
    sixer_env *env = make_env(rom, 0);
    sixer_agent *agent;
    sixer_error error;
    void *bytes;
    size_t size;
    int action;
    assert_int_equal(sixer_agent_create(planners[i].name, planners[i].options, 1, &agent, &error),
                     SIXER_OK);
    assert_int_equal(sixer_agent_act(agent, env, few_actions, &action, &error), SIXER_OK);
    assert_int_equal(sixer_agent_save(agent, &bytes, &size, &error), SIXER_OK);
    sixer_env_step(env, action, NULL);
    for (size_t cut = 0; cut < size; cut += 1 + size / 40) {
      assert_int_equal(sixer_agent_load(agent, env, bytes, cut, &error), SIXER_ERR_STATE);
    }
    for (int k = 0; k < 300; k++) {
      /* by chance: the checksums tell */
      uint8_t *broken = malloc(size);
      memcpy(broken, bytes, size);
      broken[agent_draw(&rng) % size] ^= (uint8_t)(1 << agent_below(&rng, 8));
      assert_int_equal(sixer_agent_load(agent, env, broken, size, &error), SIXER_ERR_STATE);
      free(broken);
      /* on purpose, with right checksums */
      void *hostile;
      size_t hostile_size;
      uint64_t at = agent_draw(&rng);
      assert_true(damage_sections(bytes, size, k < 150 ? at % 300 : at, agent_below(&rng, 8),
                                  &hostile, &hostile_size));
      if (!sixer_agent_load(agent, env, hostile, hostile_size, &error))
        assert_int_equal(sixer_agent_act(agent, env, few_actions, &action, &error), SIXER_OK);
      free(hostile);
    }
    sixer_agent *other;
    assert_int_equal(sixer_agent_create(i == 0 ? "uct" : "full-tree", NULL, 1, &other, &error),
                     SIXER_OK);
    if (strcmp(planners[i].name, "full-tree") || i == 0) {
      assert_int_equal(sixer_agent_load(other, env, bytes, size, &error), SIXER_ERR_STATE);
      assert_non_null(strstr(error.message, "the saved one"));
    }
    sixer_agent_destroy(other);
    free(bytes);
    sixer_agent_destroy(agent);
    sixer_env_destroy(env);
  }
  sixer_rom_close(rom);
}

/* sixer_agent_tree() shows the tree of the last choice: parents come first, and the choice is a child of the root. */
static void tree_to_look_at(void **state) {
  (void)state;
  enum { MAX = 3000 };
  static sixer_tree_node nodes[MAX];
  static const char *const names[] = {"uct", "full-tree", "iw1", "rollout-iw1", "2bfs", "random"};
  sixer_error error;
  sixer_rom *rom;
  sixer_env *env;
  assert_int_equal(sixer_rom_open("sporefall", NULL, &rom, &error), SIXER_OK);
  sixer_config config = sixer_config_default();
  config.frame_skip = 5;
  config.sticky = 0;
  assert_int_equal(sixer_env_create(rom, &config, &env, &error), SIXER_OK);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    sixer_agent *agent;
    int action;
    const char *options = strcmp(names[k], "random") ? "frames=2000" : NULL;
    assert_int_equal(sixer_agent_create(names[k], options, 1, &agent, &error), SIXER_OK);
    assert_int_equal(sixer_agent_tree(agent, nodes, MAX), 0);
    assert_int_equal(sixer_agent_act(agent, env, sixer_rom_minimal_actions(rom), &action, &error),
                     SIXER_OK);
    int count = sixer_agent_tree(agent, nodes, MAX);
    if (!options) {
      assert_int_equal(count, 0);
    } else {
      assert_int_equal(count, sixer_agent_last(agent).nodes + 1);
      assert_in_range(count, 2, MAX);
      assert_int_equal(nodes[0].parent, -1);
      double best = -1e300, chosen = -1e300;
      int depth = 0;
      for (int i = 1; i < count; i++) {
        assert_in_range(nodes[i].parent, 0, i - 1);
        assert_int_equal(nodes[i].depth, nodes[nodes[i].parent].depth + 1);
        assert_in_range(nodes[i].action, 0, 17);
        if (nodes[i].depth > depth) depth = nodes[i].depth;
        if (nodes[i].parent) continue;
        best = fmax(best, nodes[i].value);
        if (nodes[i].action == action) chosen = nodes[i].value;
      }
      assert_int_equal(depth, sixer_agent_last(agent).depth);
      assert_true(k == 0 ? chosen > -1e300 : chosen == best); /* UCT chooses by its own rule */
      if (k == 0) assert_true(nodes[0].visits > 0);
    }
    sixer_agent_destroy(agent);
  }
  sixer_env_destroy(env);
  sixer_rom_close(rom);
}

/* With an argument, only the tests whose names match the pattern. */
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(node_for_node),      cmocka_unit_test(little_memory),
      cmocka_unit_test(jobs_do_not_matter), cmocka_unit_test(interruption_does_not_matter),
      cmocka_unit_test(memory_limits),      cmocka_unit_test(features_of_pairs),
      cmocka_unit_test(larger_budgets),     cmocka_unit_test(env_is_not_disturbed),
      cmocka_unit_test(no_peeking),         cmocka_unit_test(bad_options),
      cmocka_unit_test(bad_acts),           cmocka_unit_test(bad_saved_agents),
      cmocka_unit_test(tree_to_look_at),
  };
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
