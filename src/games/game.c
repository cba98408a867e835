/* What a compiled game can tell and do: its lists and properties, and the interpreter that runs its rules after each
 * frame and its procedure for selecting a mode. The interpreter trusts the compiler's checks (game_code.h), so it has
 * none of its own; it costs some 2 ns per instruction, and the rules of most games have ten to twenty. */
#include "games/game.h"

#include <assert.h>
#include <string.h>

#include "games/game_code.h"
#include "util/os.h"

const char *game_action_name(int action) {
  static const char *const names[] = {
      "NOOP",     "FIRE",     "UP",          "RIGHT",      "LEFT",          "DOWN",
      "UPRIGHT",  "UPLEFT",   "DOWNRIGHT",   "DOWNLEFT",   "UPFIRE",        "RIGHTFIRE",
      "LEFTFIRE", "DOWNFIRE", "UPRIGHTFIRE", "UPLEFTFIRE", "DOWNRIGHTFIRE", "DOWNLEFTFIRE"};
  return action >= 0 && action < SIXER_ACTION_COUNT ? names[action] : NULL;
}

const char *game_id(const game *g) { return g->id; }
const char *game_hash(const game *g) { return g->hash; }
const char *game_title(const game *g) { return g->title; }
const char *game_gymnasium_name(const game *g) { return g->gymnasium; }
const char *game_gymnasium_id(const game *g) { return g->gymnasium_id; }
bool game_gymnasium_legacy(const game *g) { return g->legacy; }
int game_md5_count(const game *g) { return g->md5_count; }
const char *game_md5_at(const game *g, int index) { return g->md5[index]; }
const char (*game_md5s(const game *g))[33] { return g->md5; }
const game_properties *game_console(const game *g) { return &g->console; }
sixer_list game_modes(const game *g) { return (sixer_list){g->modes, g->mode_count}; }
int game_level_count(const game *g) { return g->level_count; }
int game_default_mode(const game *g) { return g->default_mode; }
int game_var_count(const game *g) { return g->var_count; }
const char *game_var_name(const game *g, int index) { return g->vars[index].name; }

sixer_list game_difficulties(const game *g) {
  return (sixer_list){g->difficulties, g->difficulty_count};
}
sixer_list game_legal_actions(const game *g) { return (sixer_list){g->legal, g->legal_count}; }
sixer_list game_minimal_actions(const game *g) {
  return (sixer_list){g->minimal, g->minimal_count};
}
sixer_list game_start_actions(const game *g) { return (sixer_list){g->start, g->start_count}; }

bool game_is_legal(const game *g, int action) {
  for (int i = 0; i < g->legal_count; i++) {
    if (g->legal[i] == action) return true;
  }
  return false;
}

bool game_has_md5(const game *g, const char *md5_hex) {
  for (int i = 0; i < g->md5_count; i++) {
    if (!strcasecmp(g->md5[i], md5_hex)) return true;
  }
  return false;
}

game_counter game_score_counter(const game *g) {
  for (int i = 0; i < g->var_count; i++) {
    if (g->vars[i].modulus) return (game_counter){g->vars[i].modulus, g->vars[i].unit};
  }
  return (game_counter){0, 0};
}

bool game_has_corrections(const game *g) { return g->asks_fixed || game_score_counter(g).modulus; }

int game_var_index(const game *g, const char *name) {
  for (int i = 0; i < g->var_count; i++) {
    if (!strcmp(g->vars[i].name, name)) return i;
  }
  return -1;
}

void game_init(const game *g, int32_t *vars) {
  for (int i = 0; i < g->var_count; i++) vars[i] = g->vars[i].initial;
}

void game_reset(const game *g, int32_t *vars) {
  for (int i = 0; i < g->var_count; i++) {
    if (!g->vars[i].unreset) vars[i] = g->vars[i].initial;
  }
}

void game_restore(const game *g, int32_t *vars, const int32_t *saved) {
  for (int i = 0; i < g->var_count; i++) {
    if (!g->vars[i].unsaved) vars[i] = saved[i];
  }
}

/* ---- Several players ------------------------------------------------------------------------------------------- */

const game *game_players(const game *g) { return g->players; }
bool game_only_players(const game *g) { return g->alone; }
int game_turn_variable(const game *g) { return g->turn_var; }
int game_turn_limit(const game *g) { return g->turn_limit; }

sixer_list game_player_modes(const game *g, sixer_dialect dialect, int players) {
  if (!g->for_players || players < 1 || players > GAME_MAX_PLAYERS) return (sixer_list){NULL, 0};
  return (sixer_list){g->player_modes[dialect][players - 1],
                      g->player_mode_count[dialect][players - 1]};
}

int game_players_of_mode(const game *g, sixer_dialect dialect, int mode) {
  static const int order[] = {4, 2, 1, 3};
  for (int i = 0; i < GAME_MAX_PLAYERS; i++) {
    sixer_list modes = game_player_modes(g, dialect, order[i]);
    for (int k = 0; k < modes.count; k++) {
      if (modes.items[k] == mode) return order[i];
    }
  }
  return 0;
}

/* ---- The interpreter ------------------------------------------------------------------------------------------- */

static inline int32_t operate(int opcode, int32_t x, int32_t y) {
  uint32_t ux = (uint32_t)x, uy = (uint32_t)y;
  switch (opcode) {
    case OP_ADD: return (int32_t)(ux + uy);
    case OP_SUB: return (int32_t)(ux - uy);
    case OP_MUL: return (int32_t)(ux * uy);
    case OP_DIV: return y == 0 ? 0 : y == -1 ? (int32_t)(0 - ux) : x / y;
    case OP_MOD: return y == 0 || y == -1 ? 0 : x % y;
    case OP_AND: return x & y;
    case OP_OR: return x | y;
    case OP_XOR: return x ^ y;
    case OP_SHL: return (int32_t)(ux << (uy & 31));
    case OP_SHR: return x >> (uy & 31);
    case OP_EQ: return x == y;
    case OP_NE: return x != y;
    case OP_LT: return x < y;
    case OP_LE: return x <= y;
    case OP_GT: return x > y;
    case OP_GE: return x >= y;
    case OP_MIN: return x < y ? x : y;
    case OP_MAX: return x > y ? x : y;
  }
  assert(!"an operator on two values");
  return 0;
}

int32_t game_operate(int opcode, int32_t x, int32_t y) { return operate(opcode, x, y); }

static inline int32_t decimal(uint32_t byte) {
  return (int32_t)(10 * (byte >> 4 & 15) + (byte & 15));
}

/* The difference of a counter that went from `old` to `now`. With fixed scoring, a change from its last quarter to its
 * first counts as a roll-over; any other decrease is taken as it is: points lost, or a score that was cleared. */
static inline int32_t gained(int32_t old, int32_t now, int32_t modulus, bool fixed) {
  int32_t gain = (int32_t)((uint32_t)now - (uint32_t)old);
  if (fixed && modulus && old >= modulus - modulus / 4 && now < modulus / 4) gain += modulus;
  return gain;
}

typedef struct run_context {
  const game *g;
  int32_t *vars;
  const game_view *view;
  const game_host *host; /* NULL outside mode procedures */
  int mode, level;
  bool fixed, ma;
  int corrections; /* GAME_CORRECT_... that apply */
} run_context;

static inline int32_t peek(const game_view *view, int32_t address) {
  return view && view->peek ? view->peek(view->machine, (uint16_t)address) : 0;
}

/* Each instruction ends with its own indirect jump to the next ("computed goto", a GNU extension that gcc, clang and
 * emscripten have). Processors predict these far better than one common jump, and the rules run twice as fast. */
#define NEXT                \
  do {                      \
    op++;                   \
    goto *labels[op->code]; \
  } while (0)
#define JUMP                  \
  do {                        \
    op = code + op->constant; \
    goto *labels[op->code];   \
  } while (0)
#define PUSH(value)           \
  do {                        \
    int32_t pushed = (value); \
    *spare++ = top;           \
    top = pushed;             \
  } while (0)
#define POP() (popped = top, top = *--spare, popped)

/* The analyzer cannot know what the compiler of the rules guarantees: every pop follows a push, and a program reads
 * only what its caller gives it. NOLINTBEGIN(clang-analyzer-*) */

/* Run the program that begins at `at` and return what it leaves on the stack, if anything. The topmost value is kept
 * out of the array, where the compiler can hold it in a register. */
static int32_t run(const run_context *c, int at) {
#define GAME_OPCODE(name) &&do_##name,
  static const void *const labels[] = {GAME_OPCODES};
#undef GAME_OPCODE
  int32_t stack[GAME_MAX_STACK + 1], locals[GAME_MAX_LOCALS];
  int32_t top = 0, popped, *spare = stack;
  const uint8_t *ram = c->view ? c->view->ram : NULL;
  const game_op *code = c->g->code, *op = code + at;
  int32_t *vars = c->vars;
  int frames = 0,
      progress = 0; /* of a mode procedure: frames asked for, and how often any were emulated */
  goto *labels[op->code];

do_END:
  return top;
do_PUSH:
  PUSH(op->constant);
  NEXT;
do_VAR:
  PUSH(vars[op->a]);
  NEXT;
do_SET_VAR:
  vars[op->a] = POP();
  NEXT;
do_LOCAL:
  PUSH(locals[op->a]);
  NEXT;
do_SET_LOCAL:
  locals[op->a] = POP();
  NEXT;
do_RAM:
  PUSH(ram[op->a]);
  NEXT;
do_RAM_AT:
  top = ram[top & 0x7F];
  NEXT;
do_MEM:
  PUSH(peek(c->view, op->constant));
  NEXT;
do_MEM_AT:
  top = peek(c->view, top);
  NEXT;
do_BCD1:
  PUSH(decimal(ram[op->constant & 0x7F]));
  NEXT;
do_BCD2:
  PUSH(decimal(ram[op->constant & 0x7F]) + 100 * decimal(ram[op->constant >> 8 & 0x7F]));
  NEXT;
do_BCD3:
  PUSH(decimal(ram[op->constant & 0x7F]) + 100 * decimal(ram[op->constant >> 8 & 0x7F]) +
       10000 * decimal(ram[op->constant >> 16 & 0x7F]));
  NEXT;
do_DEC:
  top = decimal((uint32_t)top);
  NEXT;
do_U8:
  top &= 255;
  NEXT;
do_I8:
  top = (int8_t)(uint8_t)top;
  NEXT;
do_ABS:
  top = top < 0 ? (int32_t)(0 - (uint32_t)top) : top;
  NEXT;
do_BITS:
  top = __builtin_popcount((uint32_t)top);
  NEXT;
do_NEG:
  top = (int32_t)(0 - (uint32_t)top);
  NEXT;
do_NOT:
  top = !top;
  NEXT;
do_BOOL:
  top = top != 0;
  NEXT;
do_MIN:
  top = operate(OP_MIN, *--spare, top);
  NEXT;
do_MAX:
  top = operate(OP_MAX, *--spare, top);
  NEXT;
#define OPERATOR(name)                                             \
  do_##name : top = operate(OP_##name, *--spare, top);             \
  NEXT;                                                            \
  do_##name##_CONST : top = operate(OP_##name, top, op->constant); \
  NEXT;
  GAME_OPERATORS(OPERATOR)
do_MA:
  PUSH(c->ma);
  NEXT;
do_CORRECT:
  PUSH((c->corrections & op->constant) != 0);
  NEXT;
do_FIXED:
  PUSH(c->fixed);
  NEXT;
do_MODE:
  PUSH(c->mode);
  NEXT;
do_LEVEL:
  PUSH(c->level);
  NEXT;
do_ADVANCE : {
  int32_t before = vars[op->a];
  vars[op->a] = top;
  top = gained(before, top, op->constant, c->fixed);
  NEXT;
}
do_JUMP:
  JUMP;
do_JUMP_ZERO:
  if (!POP()) JUMP;
  NEXT;
do_JUMP_TRUE:
  if (POP()) JUMP;
  NEXT;
do_NEXT:
  if (locals[op->a]++ < op->b) JUMP;
  NEXT;

do_PRESS : {
  int hold = POP();
  hold = hold < 1 ? 1 : hold > 1000 ? 1000 : hold;
  c->host->press_select(c->host->env, hold);
  frames += hold + 1;
  progress++;
  NEXT;
}
do_ACT:
  progress += !c->host->over(c->host->env);
  c->host->act(c->host->env, op->constant);
  frames++;
  NEXT;
do_WAIT:
  c->host->wait(c->host->env, op->constant);
  frames += op->constant;
  progress++;
  NEXT;
do_RESET:
  c->host->soft_reset(c->host->env);
  frames += 4;
  progress++;
  NEXT;
do_RANDOM:
  PUSH((int32_t)(c->host->draw(c->host->env) % (uint32_t)op->constant));
  NEXT;
do_POKE:
  c->host->poke(c->host->env, 0x80 + op->a, (uint8_t)POP());
  NEXT;
do_TURN:
  locals[op->a] = progress;
  NEXT;
do_AGAIN:
  if (progress != locals[op->a] && frames < GAME_MAX_SELECT_FRAMES) JUMP;
  NEXT;
}
/* NOLINTEND(clang-analyzer-*) */

int game_last_read(const game *g) {
  int last = -1;
  for (const game_op *op = g->code + g->step; op->code != OP_END; op++) {
    if (op->code == OP_RAM) last = op->a;
    if (op->code >= OP_BCD1 && op->code <= OP_BCD3)
      last = op->constant >> (8 * (op->code - OP_BCD1)) & 0x7F;
  }
  return last;
}

bool game_reads_bus(const game *g) {
  for (int i = 0; i < g->code_count; i++) {
    if (g->code[i].code == OP_MEM || g->code[i].code == OP_MEM_AT) return true;
  }
  return false;
}

bool game_keeps_vars(const game *g) {
  for (const game_op *op = g->code + g->step; op->code != OP_END; op++) {
    if ((op->code == OP_SET_VAR || op->code == OP_ADVANCE) && g->vars[op->a].unreset) return true;
  }
  return false;
}

bool game_same_kept(const game *g, const int32_t *vars, const int32_t *others) {
  const bool all = game_keeps_vars(g);
  for (int i = 0; i < g->var_count; i++) {
    if ((all || g->vars[i].unreset) && vars[i] != others[i]) return false;
  }
  return true;
}

game_outcome game_step(const game *g, int32_t *vars, const game_view *view, sixer_scoring scoring) {
  run_context context = {g, vars, view, NULL, 0, 0, scoring == SIXER_SCORING_FIXED, false, 0};
  run(&context, g->step);
  return (game_outcome){vars[GAME_VAR_REWARD], game_terminal(g, vars)};
}

game_outcome game_step_players(const game *g, int32_t *vars, const game_view *view,
                               sixer_scoring scoring, sixer_dialect dialect, int corrections) {
  run_context context = {.g = g,
                         .vars = vars,
                         .view = view,
                         .fixed = scoring == SIXER_SCORING_FIXED,
                         .ma = dialect == SIXER_DIALECT_MA,
                         .corrections = corrections};
  run(&context, g->step);
  return (game_outcome){vars[GAME_VAR_REWARD], game_terminal(g, vars)};
}

/* The queries only read variables: the compiler lets them neither assign nor look at memory. */
static int32_t query(const game *g, const int32_t *vars, int at) {
  run_context context = {g, (int32_t *)vars, NULL, NULL, 0, 0, false, false, 0};
  return run(&context, at);
}

int game_lives(const game *g, const int32_t *vars) { return query(g, vars, g->lives); }

int game_lives_of(const game *g, const int32_t *vars, int player) {
  int more = player > 0 ? g->more_lives[player - 1] : -1;
  return query(g, vars, more >= 0 ? more : g->lives);
}

bool game_terminal(const game *g, const int32_t *vars) {
  return g->terminal < 0 ? vars[GAME_VAR_TERMINAL] != 0 : query(g, vars, g->terminal) != 0;
}

void game_select_mode(const game *g, int mode, int level, int32_t *vars, const game_view *view,
                      const game_host *host) {
  game_select_players(g, mode, level, vars, view, host, SIXER_DIALECT_SIXER, 0);
}

void game_select_players(const game *g, int mode, int level, int32_t *vars, const game_view *view,
                         const game_host *host, sixer_dialect dialect, int corrections) {
  bool ma = dialect == SIXER_DIALECT_MA;
  if (g->select < 0) return;
  run_context context = {.g = g,
                         .vars = vars,
                         .view = view,
                         .host = host,
                         .mode = ma ? mode : mode - g->mode_offset,
                         .level = level,
                         .ma = ma,
                         .corrections = corrections};
  run(&context, g->select);
}
