/* Compiles a definition (docs/games.md) in one pass: each line is checked and turned into lists, variables and
 * instructions as it is read. Expressions leave their value on the interpreter's stack; constants are folded and put
 * into the instructions that use them. Everything that could make a run fail or loop forever is rejected, with line and
 * column. This file reads the lines; game_statement.c reads blocks in braces, game_expression.c expressions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "games/game_parse.h"
#include "util/sha256.h"
#include "util/sort.h"

/* ---- Lines of the file ----------------------------------------------------------------------------------------- */

typedef enum key {
  KEY_GAME,
  KEY_TITLE,
  KEY_GYMNASIUM,
  KEY_MD5,
  KEY_CARTRIDGE,
  KEY_FORMAT,
  KEY_FIRST_LINE,
  KEY_LINES,
  KEY_LEFT_CONTROLLER,
  KEY_RIGHT_CONTROLLER,
  KEY_LEFT_DIFFICULTY,
  KEY_RIGHT_DIFFICULTY,
  KEY_TELEVISION,
  KEY_SWAP_PORTS,
  KEY_SWAP_PADDLES,
  KEY_HMOVE_BLANKS,
  KEY_PADDLE_MIN,
  KEY_PADDLE_MAX,
  KEY_ACTIONS,
  KEY_ILLEGAL,
  KEY_START,
  KEY_MODES,
  KEY_DEFAULT_MODE,
  KEY_DIFFICULTIES,
  KEY_LEVELS,
  KEY_STEP,
  KEY_SELECT,
  KEY_REPORT_LIVES,
  KEY_REPORT_TERMINAL,
  KEY_PLAYERS,
  KEY_MODE_OFFSET,
  KEY_TURN_LIMIT,
  KEY_COUNT, /* of those that appear once; the others have no bit in parser.seen */
  KEY_KEEP = KEY_COUNT,
  KEY_COUNTER,
  KEY_DEFINE,
  KEY_REPORT,
} key;
_Static_assert(KEY_COUNT <= 64, "parser.seen has a bit for each");

static const struct {
  const char *word;
  key key;
} keys[] = {
    {"game", KEY_GAME},
    {"title", KEY_TITLE},
    {"gymnasium", KEY_GYMNASIUM},
    {"md5", KEY_MD5},
    {"cartridge", KEY_CARTRIDGE},
    {"format", KEY_FORMAT},
    {"first_line", KEY_FIRST_LINE},
    {"lines", KEY_LINES},
    {"left_controller", KEY_LEFT_CONTROLLER},
    {"right_controller", KEY_RIGHT_CONTROLLER},
    {"left_difficulty", KEY_LEFT_DIFFICULTY},
    {"right_difficulty", KEY_RIGHT_DIFFICULTY},
    {"television", KEY_TELEVISION},
    {"swap_ports", KEY_SWAP_PORTS},
    {"swap_paddles", KEY_SWAP_PADDLES},
    {"hmove_blanks", KEY_HMOVE_BLANKS},
    {"paddle_min", KEY_PADDLE_MIN},
    {"paddle_max", KEY_PADDLE_MAX},
    {"actions", KEY_ACTIONS},
    {"illegal", KEY_ILLEGAL},
    {"start", KEY_START},
    {"modes", KEY_MODES},
    {"default_mode", KEY_DEFAULT_MODE},
    {"difficulties", KEY_DIFFICULTIES},
    {"levels", KEY_LEVELS},
    {"keep", KEY_KEEP},
    {"counter", KEY_COUNTER},
    {"define", KEY_DEFINE},
    {"step", KEY_STEP},
    {"select", KEY_SELECT},
    {"report", KEY_REPORT},
    {"players", KEY_PLAYERS},
    {"mode_offset", KEY_MODE_OFFSET},
    {"turn_limit", KEY_TURN_LIMIT},
};

static bool has_seen(const parser *p, key k) { return p->seen >> k & 1; }

static void see(parser *p, key k) {
  if (has_seen(p, k)) FAIL_TOKEN(p, "a second line '%.*s'");
  p->seen |= (uint64_t)1 << k;
}

static bool is_id_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static void game_line(parser *p) {
  const token *t = now(p);
  if (t->kind != TOKEN_NAME && t->kind != TOKEN_NUMBER) parse_fail_expected(p, "the game's id");
  for (int i = 0; i < t->length; i++) {
    if (!is_id_letter(t->at[i])) FAIL(p, "an id consists of small letters, digits and _");
  }
  p->g->id_line = t->line;
  p->g->id_column = t->column;
  parse_copy(p, p->g->id, sizeof p->g->id, "the id");
}

static void title_line(parser *p) {
  if (now(p)->kind != TOKEN_TEXT) parse_fail_expected(p, "a title in quotes");
  if (!now(p)->length) FAIL(p, "the title is empty");
  for (int i = 0; i < now(p)->length; i++) {
    unsigned char c = (unsigned char)now(p)->at[i];
    if (c < 32 || c > 126) FAIL(p, "the title holds something other than ASCII letters and signs");
  }
  parse_copy(p, p->g->title, sizeof p->g->title, "the title");
}

/* gymnasium NAME [v0 v4] v5 */
static void gymnasium_line(parser *p) {
  if (now(p)->kind != TOKEN_NAME) parse_fail_expected(p, "the name in Gymnasium's ids");
  parse_copy(p, p->g->gymnasium, sizeof p->g->gymnasium, "the name");
  if (take_word(p, "v0")) {
    if (!take_word(p, "v4")) parse_fail_expected(p, "'v4'");
    p->g->legacy = true;
  }
  if (!take_word(p, "v5")) parse_fail_expected(p, "'v5'");
}

static void md5_line(parser *p) {
  game *g = p->g;
  do {
    const token *t = now(p);
    char hex[33] = "";
    bool good = (t->kind == TOKEN_NAME || t->kind == TOKEN_NUMBER) && t->length == 32;
    for (int i = 0; good && i < 32; i++) {
      char c = t->at[i];
      if (c >= 'A' && c <= 'F') c = (char)(c - 'A' + 'a');
      good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
      hex[i] = c;
    }
    if (!good) parse_fail_expected(p, "an MD5 of 32 hexadecimal digits");
    if (game_has_md5(g, hex)) FAIL(p, "this MD5 appears twice");
    if (g->md5_count == GAME_MAX_MD5) FAIL(p, "more than %d MD5s", GAME_MAX_MD5);
    g->md5_line[g->md5_count] = t->line;
    g->md5_column[g->md5_count] = t->column;
    memcpy(g->md5[g->md5_count++], hex, sizeof hex);
    next(p);
  } while (now(p)->kind != TOKEN_LINE);
}

/* One of a few words; the result is its place among them. */
static int one_of(parser *p, const char *const *words, int count) {
  char list[120] = "";
  for (int i = 0; i < count; i++) {
    if (take_word(p, words[i])) return i;
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s'%s'", i ? " or " : "", words[i]);
  }
  parse_fail_expected(p, list);
}

static void console_line(parser *p, key k) {
  static const char *const no_yes[] = {"no", "yes"}, *const sticks[] = {"joystick", "paddles"},
                           *const switches[] = {"B", "A"}, *const televisions[] = {"color", "bw"},
                           *const formats[] = {"NTSC", "PAL", "PAL60", "SECAM"};
  game *g = p->g;
  game_properties *c = &g->console;
  switch (k) {
    case KEY_CARTRIDGE:
      if (now(p)->kind != TOKEN_NAME && now(p)->kind != TOKEN_NUMBER) {
        parse_fail_expected(p, "a cartridge type");
      }
      parse_copy(p, g->cartridge, sizeof g->cartridge, "the type");
      c->cartridge = g->cartridge;
      break;
    case KEY_FORMAT:
      snprintf(g->format, sizeof g->format, "%s", formats[one_of(p, formats, 4)]);
      c->format = g->format;
      break;
    case KEY_FIRST_LINE: c->first_line = parse_number(p, 0, 64, "the first line"); break;
    case KEY_LINES: c->lines = parse_number(p, 100, 256, "the number of lines"); break;
    case KEY_LEFT_CONTROLLER: c->left_paddles = one_of(p, sticks, 2); break;
    case KEY_RIGHT_CONTROLLER: c->right_paddles = one_of(p, sticks, 2); break;
    case KEY_LEFT_DIFFICULTY: c->left_difficulty_a = one_of(p, switches, 2); break;
    case KEY_RIGHT_DIFFICULTY: c->right_difficulty_a = one_of(p, switches, 2); break;
    case KEY_TELEVISION: c->black_and_white = one_of(p, televisions, 2); break;
    case KEY_SWAP_PORTS: c->swap_ports = one_of(p, no_yes, 2); break;
    case KEY_SWAP_PADDLES: c->swap_paddles = one_of(p, no_yes, 2); break;
    case KEY_HMOVE_BLANKS: c->no_hmove_blanks = !one_of(p, no_yes, 2); break;
    case KEY_PADDLE_MIN: c->paddle_min = parse_number(p, 0, 10000000, "a limit in ohms"); break;
    case KEY_PADDLE_MAX: c->paddle_max = parse_number(p, 0, 10000000, "a limit in ohms"); break;
    default: break;
  }
}

/* actions NOOP FIRE ..., or all of them; whatever their order, lists ascend by the actions' numbers. */
static void action_list(parser *p, bool chosen[SIXER_ACTION_COUNT]) {
  if (take_word(p, "all")) {
    for (int i = 0; i < SIXER_ACTION_COUNT; i++) chosen[i] = true;
    return;
  }
  do {
    int line = now(p)->line, column = now(p)->column, action = parse_action(p);
    if (chosen[action]) {
      lex_fail_at(&p->lex, line, column, "%s appears twice", game_action_name(action));
    }
    chosen[action] = true;
  } while (now(p)->kind != TOKEN_LINE);
}

static void actions_line(parser *p, bool illegal) {
  game *g = p->g;
  bool chosen[SIXER_ACTION_COUNT] = {false};
  action_list(p, chosen);
  if (illegal && chosen[SIXER_ACTION_NOOP]) FAIL(p, "NOOP is always legal");
  int *list = illegal ? g->legal : g->minimal, count = 0;
  for (int a = 0; a < SIXER_ACTION_COUNT; a++) {
    if (chosen[a] != illegal) list[count++] = a;
  }
  *(illegal ? &g->legal_count : &g->minimal_count) = count;
}

/* start NOOP*60 FIRE RESET */
static void start_line(parser *p) {
  game *g = p->g;
  do {
    int action = take_word(p, "RESET") ? GAME_ACTION_RESET : parse_action(p), times = 1;
    if (take_sign(p, '*')) times = parse_number(p, 1, GAME_MAX_START, "the number of frames");
    if (g->start_count + times > GAME_MAX_START) FAIL(p, "over %d frames to start", GAME_MAX_START);
    while (times--) g->start[g->start_count++] = action;
  } while (now(p)->kind != TOKEN_LINE);
}

/* 0, 4 .. 44 by 4, 128: numbers and ranges, ascending; a comma may end a line. */
static void number_list(parser *p, int *items, int *count, int max_count, int max_value,
                        const char *what) {
  do {
    skip_lines(p);
    int32_t first = parse_number(p, 0, max_value, what), last = first, by = 1;
    if (take_sign(p, SIGN_TO)) {
      last = parse_number(p, first, max_value, what);
      if (take_word(p, "by")) by = parse_number(p, 1, max_value, "the distance");
    }
    for (int32_t value = first; value <= last; value += by) {
      if (*count && value <= items[*count - 1]) FAIL(p, "the numbers must ascend");
      if (*count == max_count) FAIL(p, "more than %d numbers", max_count);
      items[(*count)++] = value;
    }
  } while (take_sign(p, ','));
}

/* ": 6 digits of 10", ": 256 values": how a counter counts */
static void counter_size(parser *p, game_var *v) {
  parse_sign(p, ':', "':' and the size of the counter, such as ': 6 digits'");
  int64_t modulus = 1, number = parse_number(p, 1, 100000000, "the size of the counter");
  if (is_word(p, "digits")) {
    if (number > 9) FAIL(p, "a counter has at most 9 digits");
    while (number--) modulus *= 10;
  } else if (is_word(p, "values")) {
    modulus = number;
  } else {
    parse_fail_expected(p, "'digits' or 'values'");
  }
  next(p);
  v->unit = take_word(p, "of") ? parse_number(p, 1, 1000000, "the unit") : 1;
  if (modulus * v->unit > 1000000000) FAIL(p, "a counter holds at most 1000000000");
  v->modulus = (int32_t)(modulus * v->unit);
}

/* keep NAME = NUMBER [unreset] [unsaved], ...  and  counter NAME = NUMBER : SIZE */
static void variable_line(parser *p, bool counter) {
  game *g = p->g;
  do {
    skip_lines(p);
    token name = parse_new_name(p, "a name");
    if (g->var_count == GAME_MAX_VARS) FAIL(p, "more than %d variables", GAME_MAX_VARS - 2);
    game_var *v = &g->vars[g->var_count];
    memcpy(v->name, name.at, (size_t)name.length);
    parse_sign(p, '=', "'='");
    if (is_word(p, "true") || is_word(p, "false")) {
      v->initial = is_word(p, "true");
      next(p);
    } else {
      v->initial = parse_number(p, -INT32_MAX, INT32_MAX, "the first value");
    }
    if (counter) counter_size(p, v);
    for (;;) {
      if (take_word(p, "unreset")) {
        v->unreset = true;
      } else if (take_word(p, "unsaved")) {
        v->unsaved = true;
      } else {
        break;
      }
    }
    parse_add_name(p, &name, NAME_VAR, g->var_count++);
    p->global_count = p->scope_base = p->name_count;
  } while (take_sign(p, ','));
}

/* define NAME = EXPRESSION, define NAME(PARAMETERS) = EXPRESSION. The body is compiled once here, to find its errors
 * even if it is never used, and thrown away. */
static void define_line(parser *p) {
  game *g = p->g;
  token name = parse_new_name(p, "a name");
  if (p->define_count == MAX_DEFINES) FAIL(p, "more than %d definitions", MAX_DEFINES);
  define_entry *d = &p->defines[p->define_count];
  parse_begin_program(p, PROGRAM_RULES);
  if (take_sign(p, '(')) {
    do {
      if (d->count == MAX_PARAMETERS) FAIL(p, "more than %d parameters", MAX_PARAMETERS);
      token parameter = parse_new_name(p, "a parameter");
      parse_add_name(p, &parameter, NAME_LOCAL, parse_new_local(p));
      d->parameters[d->count] = parameter.at;
      d->lengths[d->count++] = parameter.length;
    } while (take_sign(p, ','));
    parse_sign(p, ')', "')'");
  }
  parse_sign(p, '=', "'='");
  skip_lines(p);
  d->body = p->lex.place;
  int code = g->code_count;
  bool asks_fixed = g->asks_fixed;
  parse_expression(p);
  g->code_count = code;
  g->asks_fixed = asks_fixed;
  p->name_count = p->global_count;
  parse_add_name(p, &name, NAME_DEFINE, p->define_count++);
  p->define_limit = p->define_count;
  p->global_count = p->scope_base = p->name_count;
}

static void report_line(parser *p) {
  bool lives = is_word(p, "lives");
  if (!lives && !is_word(p, "terminal")) parse_fail_expected(p, "'lives' or 'terminal'");
  see(p, lives ? KEY_REPORT_LIVES : KEY_REPORT_TERMINAL);
  next(p);
  parse_sign(p, '=', "'='");
  skip_lines(p);
  *(lives ? &p->g->lives : &p->g->terminal) = parse_query(p);
  for (int i = 0; lives && p->g->for_players && take_sign(p, ','); i++) {
    if (i == GAME_MAX_PLAYERS - 1) FAIL(p, "there are at most %d players", GAME_MAX_PLAYERS);
    skip_lines(p);
    p->g->more_lives[i] = parse_query(p);
  }
}

/* ---- Several players ------------------------------------------------------------------------------------------- */

static int compare_numbers(const void *x, const void *y) {
  return *(const int *)x - *(const int *)y;
}

/* modes for PLAYERS [only sixer] : LIST. The numbers are those of dialect ma. */
static void player_modes_line(parser *p) {
  game *g = p->g;
  int list[GAME_MAX_PLAYER_MODES], count = 0;
  if (!take_word(p, "for")) parse_fail_expected(p, "'for' and the number of players");
  int seats = parse_number(p, 1, GAME_MAX_PLAYERS, "the number of players") - 1;
  bool only = take_word(p, "only");
  if (only && !take_word(p, "sixer")) parse_fail_expected(p, "'sixer'");
  if (!only && g->player_mode_count[SIXER_DIALECT_MA][seats])
    FAIL(p, "a second list of modes for %d players", seats + 1);
  parse_sign(p, ':', "':' and the modes");
  number_list(p, list, &count, GAME_MAX_PLAYER_MODES, 1000000, "a mode");
  for (int d = 0; d < GAME_DIALECTS; d++) {
    if (only && d != SIXER_DIALECT_SIXER) continue;
    int *modes = g->player_modes[d][seats], *total = &g->player_mode_count[d][seats];
    if (*total + count > GAME_MAX_PLAYER_MODES)
      FAIL(p, "more than %d modes for %d players", GAME_MAX_PLAYER_MODES, seats + 1);
    memcpy(modes + *total, list, (size_t)count * sizeof *list);
    *total += count;
    sort_stable(modes, (size_t)*total, sizeof *modes, compare_numbers);
    for (int i = 1; i < *total; i++) {
      if (modes[i] == modes[i - 1]) FAIL(p, "mode %d appears twice", modes[i]);
    }
  }
}

/* turn_limit FRAMES: a variable of that name, which resets leave alone; the env's settings may change it. */
static void turn_limit_line(parser *p) {
  static const token name = {.kind = TOKEN_NAME, .at = "turn_limit", .length = 10};
  game *g = p->g;
  if (g->var_count == GAME_MAX_VARS) FAIL(p, "more than %d variables", GAME_MAX_VARS);
  g->turn_var = g->var_count;
  g->turn_limit = parse_number(p, 1, 1000000, "the number of frames");
  game_var *v = &g->vars[g->var_count];
  *v = (game_var){.initial = g->turn_limit, .unreset = true};
  snprintf(v->name, sizeof v->name, "turn_limit");
  parse_add_name(p, &name, NAME_VAR, g->var_count++);
  p->global_count = p->scope_base = p->name_count;
}

static bool possible_for_players(key k) {
  switch (k) {
    case KEY_ACTIONS:
    case KEY_START:
    case KEY_MODES:
    case KEY_MODE_OFFSET:
    case KEY_TURN_LIMIT:
    case KEY_STEP:
    case KEY_SELECT:
    case KEY_KEEP:
    case KEY_COUNTER:
    case KEY_DEFINE:
    case KEY_REPORT: return true;
    default: return false;
  }
}

static void declare_built_in(parser *p, int count) {
  static const char *const names[] = {"reward", "terminal", "reward_2", "reward_3", "reward_4"};
  game *g = p->g;
  for (int i = 0; i < count; i++) {
    snprintf(g->vars[i].name, sizeof g->vars[i].name, "%s", names[i]);
    p->names[p->name_count++] = (name_entry){names[i], (int)strlen(names[i]), NAME_VAR, i};
  }
  g->var_count = g->built_in = count;
  g->terminal = g->select = g->step = g->turn_var = -1;
  for (int i = 0; i < GAME_MAX_PLAYERS - 1; i++) g->more_lives[i] = -1;
}

/* What rules for several players must have, and what follows from the rest. */
static void finish_players(parser *p) {
  game *g = p->g;
  int modes = 0;
  for (int seats = 0; seats < GAME_MAX_PLAYERS; seats++) {
    sixer_list list = game_player_modes(g, SIXER_DIALECT_SIXER, seats + 1);
    modes += list.count;
    for (int i = 0; i < list.count; i++) {
      int mode = g->player_modes[SIXER_DIALECT_SIXER][seats][i] += g->mode_offset;
      if (mode < 0) FAIL(p, "mode_offset makes a mode negative");
    }
  }
  if (!modes) FAIL(p, "the block 'players' has no line 'modes for N : ...'");
  if (g->step < 0) FAIL(p, "the block 'players' has no line 'step { ... }'");
  if (g->select < 0) FAIL(p, "the block 'players' has no line 'select { ... }'");
  if (has_seen(p, KEY_REPORT_LIVES)) return;
  parse_begin_program(p, PROGRAM_QUERY);
  g->lives = g->code_count;
  emit_push(p, 0);
  parse_emit(p, OP_END, 0, 0, 0, 0);
}

static void line(parser *p);

/* players { lines }. A game inside the game: it sees the definitions made so far, but no variables. */
static void players_line(parser *p) {
  game *outer = p->g, *g = calloc(1, sizeof *g);
  if (!g) FAIL(p, "out of memory");
  outer->players = g;
  g->for_players = true;
  p->g = g;

  name_entry names[MAX_NAMES];
  int name_count = p->name_count;
  uint64_t seen = p->seen;
  memcpy(names, p->names, sizeof names);
  p->name_count = 0;
  p->seen = 0;
  declare_built_in(p, GAME_VARS_BUILT_IN_PLAYERS);
  for (int i = 0; i < name_count; i++) {
    if (names[i].kind == NAME_DEFINE) p->names[p->name_count++] = names[i];
  }
  p->global_count = p->scope_base = p->name_count;

  parse_sign(p, '{', "'{'");
  skip_lines(p);
  while (!is_sign(p, '}')) {
    line(p);
    skip_lines(p);
  }
  finish_players(p);
  memcpy(p->names, names, sizeof names);
  p->name_count = p->global_count = p->scope_base = name_count;
  g->minimal_count = p->seen >> KEY_ACTIONS & 1 ? g->minimal_count : -1;
  g->start_count = p->seen >> KEY_START & 1 ? g->start_count : -1;
  p->seen = seen;
  p->g = outer;
  p->players_end = (size_t)(now(p)->at + 1 - p->text);
  next(p);
}

/* Give the rules for several players what they share with the others. */
static void share_identity(const game *g, game *to) {
  memcpy(to->id, g->id, sizeof to->id);
  memcpy(to->title, g->title, sizeof to->title);
  memcpy(to->gymnasium, g->gymnasium, sizeof to->gymnasium);
  memcpy(to->gymnasium_id, g->gymnasium_id, sizeof to->gymnasium_id);
  memcpy(to->md5, g->md5, sizeof to->md5);
  to->md5_count = g->md5_count;
  to->console = g->console;
  memcpy(to->difficulties, g->difficulties, sizeof to->difficulties);
  to->difficulty_count = g->difficulty_count;
  to->level_count = g->level_count;
  memcpy(to->legal, g->legal, sizeof to->legal);
  to->legal_count = g->legal_count;
  if (to->minimal_count < 0) {
    memcpy(to->minimal, g->minimal, sizeof to->minimal);
    to->minimal_count = g->minimal_count;
  }
  if (to->start_count < 0) {
    memcpy(to->start, g->start, sizeof to->start);
    to->start_count = g->start_count;
  }
}

/* A definition without a step has rules for several players only. One player plays by them if there are modes for one;
 * otherwise it is like an image without rules. */
static void finish_alone(parser *p) {
  game *g = p->g;
  const game *from = g->players;
  g->step_shared = true;
  g->alone = from->player_mode_count[SIXER_DIALECT_SIXER][0] == 0;
  if (g->alone) {
    parse_begin_program(p, PROGRAM_RULES);
    g->step = g->code_count;
    parse_emit(p, OP_END, 0, 0, 0, 0);
    return;
  }
  memcpy(g->code, from->code, sizeof g->code);
  memcpy(g->vars, from->vars, sizeof g->vars);
  g->code_count = from->code_count;
  g->var_count = from->var_count;
  g->step = from->step;
  g->lives = from->lives;
  g->terminal = from->terminal;
  g->select = from->select;
  g->mode_offset = from->mode_offset;
  p->seen |= (uint64_t)1 << KEY_REPORT_LIVES;
  sixer_list modes = game_player_modes(from, SIXER_DIALECT_SIXER, 1);
  memcpy(g->modes, modes.items, (size_t)modes.count * sizeof *g->modes);
  g->mode_count = modes.count;
}

static void line(parser *p) {
  game *g = p->g;
  size_t i = 0, count = sizeof keys / sizeof *keys;
  if (now(p)->kind != TOKEN_NAME) parse_fail_expected(p, "a word that begins a line");
  while (i < count && !is_word(p, keys[i].word)) i++;
  if (i == count) FAIL_TOKEN(p, "unknown word '%.*s' at the beginning of a line");
  key k = keys[i].key;
  bool inside = g->for_players;
  if (inside && !possible_for_players(k))
    FAIL_TOKEN(p, "'%.*s' is not possible inside the block 'players'");
  if (!inside && (k == KEY_MODE_OFFSET || k == KEY_TURN_LIMIT))
    FAIL_TOKEN(p, "'%.*s' is possible inside the block 'players' only");
  if (k == KEY_PLAYERS) p->players_begin = (size_t)(now(p)->at - p->text);
  if (k < KEY_COUNT && !(inside && k == KEY_MODES)) see(p, k);
  next(p);
  switch (k) {
    case KEY_GAME: game_line(p); break;
    case KEY_TITLE: title_line(p); break;
    case KEY_GYMNASIUM: gymnasium_line(p); break;
    case KEY_MD5: md5_line(p); break;
    case KEY_ACTIONS: actions_line(p, false); break;
    case KEY_ILLEGAL: actions_line(p, true); break;
    case KEY_START: start_line(p); break;
    case KEY_MODES:
      if (inside) {
        player_modes_line(p);
        break;
      }
      number_list(p, g->modes, &g->mode_count, GAME_MAX_FLAVORS, 1000000, "a mode");
      break;
    case KEY_DEFAULT_MODE: g->default_mode = parse_number(p, 0, 1000000, "the mode"); break;
    case KEY_DIFFICULTIES:
      number_list(p, g->difficulties, &g->difficulty_count, 4, 3, "a difficulty");
      break;
    case KEY_LEVELS: g->level_count = parse_number(p, 2, 1000000, "the number of levels"); break;
    case KEY_KEEP: variable_line(p, false); break;
    case KEY_COUNTER: variable_line(p, true); break;
    case KEY_DEFINE: define_line(p); break;
    case KEY_STEP: g->step = parse_program(p, PROGRAM_RULES); break;
    case KEY_SELECT: g->select = parse_program(p, PROGRAM_SELECT); break;
    case KEY_REPORT: report_line(p); break;
    case KEY_PLAYERS: players_line(p); break;
    case KEY_MODE_OFFSET: g->mode_offset = parse_number(p, -1000, 1000, "the difference"); break;
    case KEY_TURN_LIMIT: turn_limit_line(p); break;
    default: console_line(p, k); break;
  }
  parse_line_end(p);
}

/* ---- The file -------------------------------------------------------------------------------------------------- */

/* Gymnasium's rule: the id in title case without its underscores ("ms_pacman" is MsPacman). */
static void derive_gymnasium(game *g) {
  bool start = true;
  char *out = g->gymnasium;
  for (const char *in = g->id; *in; in++) {
    bool letter = *in >= 'a' && *in <= 'z';
    if (*in != '_') *out++ = letter && start ? (char)(*in - 'a' + 'A') : *in;
    start = !letter;
  }
  *out = 0;
}

/* If nothing is reported, lives are the variable of that name, or 1; none are left when the game is over. */
static void default_lives(parser *p) {
  game *g = p->g;
  int lives = game_var_index(g, "lives");
  if (g->terminal >= 0) FAIL(p, "'report terminal' needs a 'report lives' too");
  parse_begin_program(p, PROGRAM_QUERY);
  g->lives = g->code_count;
  parse_emit(p, OP_VAR, GAME_VAR_TERMINAL, 0, 0, 1);
  int alive = parse_emit(p, OP_JUMP_ZERO, 0, 0, 0, -1);
  emit_push(p, 0);
  int end = parse_emit(p, OP_JUMP, 0, 0, 0, -1);
  jump_here(p, alive);
  if (lives >= 0) {
    parse_emit(p, OP_VAR, lives, 0, 0, 1);
  } else {
    emit_push(p, 1);
  }
  jump_here(p, end);
  parse_emit(p, OP_END, 0, 0, 0, 0);
}

/* Check that everything required is there, and fill in what follows from it. */
static void finish(parser *p) {
  game *g = p->g;
  static const struct {
    key key;
    const char *line;
  } needed[] = {{KEY_GAME, "game ID"},
                {KEY_TITLE, "title \"...\""},
                {KEY_MD5, "md5 ..."},
                {KEY_ACTIONS, "actions ..."},
                {KEY_STEP, "step { ... }"}};
  if (g->players && !has_seen(p, KEY_STEP)) {
    finish_alone(p);
    p->seen |= (uint64_t)1 << KEY_STEP;
  }
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
    if (!has_seen(p, needed[i].key)) FAIL(p, "the file has no line '%s'", needed[i].line);
  }
  if (g->console.first_line + g->console.lines > 300)
    FAIL(p, "first_line %d and lines %d: a picture has 300 rows", g->console.first_line,
         g->console.lines);
  bool in_reference = has_seen(p, KEY_GYMNASIUM);
  if (!in_reference) derive_gymnasium(g);
  snprintf(g->gymnasium_id, sizeof g->gymnasium_id, in_reference ? "ALE/%s-v5" : "sixer/%s-v0",
           g->gymnasium);
  if (g->step_shared) g->gymnasium_id[0] = 0; /* ids are for games with rules for one player */
  if (!g->level_count) g->level_count = 1;
  if (g->level_count > 1 && g->select < 0) FAIL(p, "there are levels but no line 'select { ... }'");
  if (!g->mode_count) g->modes[g->mode_count++] = 0;
  if (!has_seen(p, KEY_DEFAULT_MODE)) g->default_mode = g->modes[0];
  bool known = false;
  for (int i = 0; i < g->mode_count; i++) known |= g->modes[i] == g->default_mode;
  if (!known) FAIL(p, "the default mode %d is not one of the modes", g->default_mode);
  if (g->mode_count > 1 && g->select < 0)
    FAIL(p, "there are several modes but no line 'select { ... }'");
  if (!g->difficulty_count) g->difficulties[g->difficulty_count++] = 0;
  for (int i = 0; i < g->minimal_count; i++) {
    const char *name = game_action_name(g->minimal[i]);
    if (!game_is_legal(g, g->minimal[i])) FAIL(p, "%s is both an action and illegal", name);
  }
  const game_properties *c = &g->console;
  if (c->paddle_min >= 0 && c->paddle_max >= 0 && c->paddle_min > c->paddle_max) {
    FAIL(p, "paddle_min is above paddle_max");
  }
  if (!has_seen(p, KEY_REPORT_LIVES)) default_lives(p);
  if (g->players) share_identity(g, g->players);
}

static void parse_file(parser *p) {
  game *g = p->g;
  g->console =
      (game_properties){.first_line = 34, .lines = 210, .paddle_min = -1, .paddle_max = -1};
  for (int i = 0; i < SIXER_ACTION_COUNT; i++) g->legal[g->legal_count++] = i;
  declare_built_in(p, GAME_VARS_BUILT_IN);
  p->global_count = p->scope_base = p->name_count;
  next(p);
  skip_lines(p);
  while (now(p)->kind != TOKEN_END) {
    line(p);
    skip_lines(p);
  }
  finish(p);
}

/* See game_hash(). Titles are the only quoted texts, and stay as they are. The text from `skip` to `skip_end` is left
 * out. */
static bool hash_text(const char *text, size_t length, size_t skip, size_t skip_end,
                      char hash[65]) {
  char *plain = malloc(length + 1);
  if (!plain) return false;
  size_t n = 0;
  bool quoted = false;
  for (size_t i = 0; i < length; i++) {
    if (i >= skip && i < skip_end) continue;
    if (text[i] == '#' && !quoted) {
      while (i + 1 < length && text[i + 1] != '\n') i++;
      continue;
    }
    bool space = !quoted && strchr(" \t\r\n", text[i]) && text[i];
    if (space && (n == 0 || plain[n - 1] == ' ')) continue;
    if (text[i] == '"') quoted = !quoted;
    plain[n++] = space ? ' ' : text[i];
  }
  while (n && plain[n - 1] == ' ') n--;
  sha256_hex(plain, n, hash);
  free(plain);
  return true;
}

sixer_err game_compile(const char *name, const char *text, size_t length, game **out,
                       sixer_error *error) {
  jmp_buf trouble;
  parser *const p = calloc(1, sizeof *p);
  game *const g = calloc(1, sizeof *g);
  if (!p || !g) {
    free(p);
    free(g);
    if (error) *error = (sixer_error){SIXER_ERR_MEMORY, "out of memory"};
    return SIXER_ERR_MEMORY;
  }
  p->g = g;
  p->lex.trouble = &trouble;
  p->text = text;
  lex_begin(&p->lex, name, text, length);
  if (setjmp(trouble)) {
    if (error) *error = p->lex.error;
    game_free(g);
    free(p);
    return SIXER_ERR_GAME;
  }
  parse_file(p);
  size_t begin = g->step_shared ? 0 : p->players_begin, end = g->step_shared ? 0 : p->players_end;
  free(p);
  if (!hash_text(text, length, begin, end, g->hash) ||
      (g->players && !hash_text(text, length, 0, 0, g->players->hash))) {
    game_free(g);
    if (error) *error = (sixer_error){SIXER_ERR_MEMORY, "out of memory"};
    return SIXER_ERR_MEMORY;
  }
  *out = g;
  return SIXER_OK;
}

void game_free(game *g) {
  if (g) free(g->players);
  free(g);
}
