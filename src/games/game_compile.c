/* Compiles a definition (docs/games.md) in one pass: each line is checked and turned into lists, variables and
 * instructions as it is read. Expressions leave their value on the interpreter's stack; constants are folded and put
 * into the instructions that use them. A `define` is compiled anew wherever it is used, so that its arguments become
 * constants too. Everything that could make a run fail or go on for ever is refused here, with its place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "games/game_code.h"
#include "games/game_lex.h"

enum {
  MAX_NAMES = 160,
  MAX_DEFINES = 48,
  MAX_PARAMETERS = 6,
  MAX_DEPTH = 48,
  MAX_EXPANSIONS = 2000
};

typedef enum name_kind { NAME_VAR, NAME_LOCAL, NAME_CONSTANT, NAME_DEFINE } name_kind;

typedef struct name_entry {
  const char *text;
  int length;
  name_kind kind;
  int32_t value; /* slot, constant, or index of the define */
} name_entry;

typedef struct define_entry {
  const char *parameters[MAX_PARAMETERS];
  int lengths[MAX_PARAMETERS], count;
  lex_place body;
} define_entry;

typedef enum program_kind { PROGRAM_RULES, PROGRAM_SELECT, PROGRAM_QUERY } program_kind;

typedef struct parser {
  lexer lex;
  game *g;
  uint32_t seen; /* which keys have been read, a bit each */

  /* names: those of the file first, then those of the program being compiled */
  name_entry names[MAX_NAMES];
  int name_count, global_count, scope_base;
  define_entry defines[MAX_DEFINES];
  int define_count, define_limit, expansions;

  /* the program being compiled */
  program_kind program;
  int depth;         /* of nested expressions and blocks */
  int stack, locals; /* now in use */
  int fence; /* instructions before this one are jumped over or to: they are not merged with later ones */
  int64_t work, weight;
  bool reads, emulates; /* seen since these were last cleared */
} parser;

/* ---- Tokens ---------------------------------------------------------------------------------------------------- */

#define FAIL(p, ...) \
  lex_fail_at(&(p)->lex, (p)->lex.place.token.line, (p)->lex.place.token.column, __VA_ARGS__)

static const token *now(const parser *p) { return &p->lex.place.token; }
static void next(parser *p) { lex_next(&p->lex); }

static _Noreturn void fail_expected(parser *p, const char *what) {
  char buffer[64];
  const char *found = lex_show(&p->lex, buffer, sizeof buffer);
  FAIL(p, "expected %s, found %s", what, found);
}

/* A message about the present token, which takes the place of %.*s. */
#define FAIL_TOKEN(p, format) FAIL(p, format, now(p)->length > 40 ? 40 : now(p)->length, now(p)->at)

static bool same(const token *t, const char *word) {
  return (t->kind == TOKEN_NAME || t->kind == TOKEN_NUMBER) && (size_t)t->length == strlen(word) &&
         !memcmp(t->at, word, (size_t)t->length);
}
static bool is_word(const parser *p, const char *word) { return same(now(p), word); }
static bool is_sign(const parser *p, int sign) {
  return now(p)->kind == TOKEN_SIGN && now(p)->sign == sign;
}

static bool take_word(parser *p, const char *word) {
  if (!is_word(p, word)) return false;
  next(p);
  return true;
}

static bool take_sign(parser *p, int sign) {
  if (!is_sign(p, sign)) return false;
  next(p);
  return true;
}

static void expect_sign(parser *p, int sign, const char *shown) {
  if (!take_sign(p, sign)) fail_expected(p, shown);
}

static void skip_lines(parser *p) {
  while (now(p)->kind == TOKEN_LINE) next(p);
}

static void expect_line(parser *p) {
  if (now(p)->kind != TOKEN_LINE) fail_expected(p, "the end of the line");
  next(p);
}

/* A statement ends with its line, or just before the brace that closes its block. */
static void end_statement(parser *p) {
  if (!is_sign(p, '}')) expect_line(p);
}

static int32_t expect_number(parser *p, int32_t min, int32_t max, const char *what) {
  token t = *now(p);
  bool negative = take_sign(p, '-');
  if (now(p)->kind != TOKEN_NUMBER) fail_expected(p, what);
  int32_t value = now(p)->number;
  bool too_large = value < 0;
  if (negative) value = -value;
  if (too_large || value < min || value > max) {
    lex_fail_at(&p->lex, t.line, t.column, "%s must be between %d and %d", what, min, max);
  }
  next(p);
  return value;
}

static void copy_token(parser *p, char *target, size_t size, const char *what) {
  if ((size_t)now(p)->length >= size) FAIL(p, "%s is longer than %zu characters", what, size - 1);
  memcpy(target, now(p)->at, (size_t)now(p)->length);
  target[now(p)->length] = 0;
  next(p);
}

/* ---- Names ----------------------------------------------------------------------------------------------------- */

static const char *const reserved[] = {
    "if",     "else",  "while",   "repeat", "let", "press", "act",  "select", "and",  "or",
    "not",    "ram",   "mem",     "bcd",    "dec", "u8",    "i8",   "min",    "max",  "abs",
    "bits",   "clamp", "count",   "sum",    "any", "all",   "mode", "level",  "true", "false",
    "random", "fixed", "advance", "to",     "in",  "for",   "reset"};

static bool is_reserved(const token *t) {
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
    if (same(t, reserved[i])) return true;
  }
  return false;
}

/* Names of a `define` that is being expanded hide those of the program around it, but not those of the file. */
static const name_entry *find_name(const parser *p, const token *t) {
  for (int i = p->name_count - 1; i >= 0; i--) {
    if (i < p->scope_base && i >= p->global_count) continue;
    const name_entry *n = &p->names[i];
    if (n->kind == NAME_DEFINE && n->value >= p->define_limit) continue;
    if (n->length == t->length && !memcmp(n->text, t->at, (size_t)t->length)) return n;
  }
  return NULL;
}

static void add_name(parser *p, const token *t, name_kind kind, int32_t value) {
  if (is_reserved(t)) {
    lex_fail_at(&p->lex, t->line, t->column, "'%.*s' is a word of the language", t->length, t->at);
  }
  if (find_name(p, t)) {
    lex_fail_at(&p->lex, t->line, t->column, "'%.*s' is already the name of something else",
                t->length, t->at);
  }
  if (p->name_count == MAX_NAMES) lex_fail_at(&p->lex, t->line, t->column, "too many names");
  p->names[p->name_count++] = (name_entry){t->at, t->length, kind, value};
}

static token expect_new_name(parser *p, const char *what) {
  token t = *now(p);
  if (t.kind != TOKEN_NAME) fail_expected(p, what);
  if (t.at[0] >= '0' && t.at[0] <= '9') FAIL(p, "a name begins with a letter");
  if (t.length > 31) FAIL(p, "this name is longer than 31 characters");
  next(p);
  return t;
}

/* ---- Instructions ---------------------------------------------------------------------------------------------- */

static int emit(parser *p, int code, int a, int b, int32_t constant, int growth) {
  game *g = p->g;
  if (g->code_count == GAME_MAX_CODE) FAIL(p, "the rules are too long");
  p->stack += growth;
  if (p->stack > GAME_MAX_STACK) FAIL(p, "this expression is too deeply nested");
  p->work += p->weight;
  int limit = p->program == PROGRAM_SELECT ? GAME_MAX_SELECT_WORK : GAME_MAX_WORK;
  if (p->work > limit) FAIL(p, "too much work for one frame: over %d operations", limit);
  g->code[g->code_count] = (game_op){(uint8_t)code, (uint8_t)a, (uint16_t)b, constant};
  return g->code_count++;
}

static void emit_push(parser *p, int32_t constant) { emit(p, OP_PUSH, 0, 0, constant, 1); }

/* A place that is jumped to: what comes after is not merged with what stands before. */
static int label(parser *p) { return p->fence = p->g->code_count; }
static void jump_here(parser *p, int jump) { p->g->code[jump].constant = label(p); }

/* The constant that the code from `start` on pushes, if it does only that. */
static bool constant_since(const parser *p, int start, int32_t *value) {
  const game *g = p->g;
  if (g->code_count != start + 1 || start < p->fence || g->code[start].code != OP_PUSH)
    return false;
  *value = g->code[start].constant;
  return true;
}

/* Take that constant out of the code. */
static void drop_constant(parser *p) {
  p->g->code_count--;
  p->stack--;
}

static void emit_unary(parser *p, int code, int start) {
  int32_t x;
  if (!constant_since(p, start, &x)) {
    emit(p, code, 0, 0, 0, 0);
    return;
  }
  switch (code) {
    case OP_NEG: x = (int32_t)(0 - (uint32_t)x); break;
    case OP_NOT: x = !x; break;
    case OP_BOOL: x = x != 0; break;
    case OP_U8: x &= 255; break;
    case OP_I8: x = (int8_t)(uint8_t)x; break;
    case OP_ABS: x = x < 0 ? (int32_t)(0 - (uint32_t)x) : x; break;
    case OP_BITS: x = __builtin_popcount((uint32_t)x); break;
    case OP_DEC: x = 10 * (x >> 4 & 15) + (x & 15); break;
  }
  p->g->code[start].constant = x;
}

/* Make the value that was computed from `start` on 0 or 1. */
static void emit_truth(parser *p, int start) {
  const game *g = p->g;
  int last = g->code_count > p->fence ? g->code[g->code_count - 1].code : OP_END;
  if ((last >= OP_EQ && last <= OP_FIXED) || last == OP_NOT || last == OP_BOOL) return;
  emit_unary(p, OP_BOOL, start);
}

/* An operator on the value computed from `left` on and the one computed from `right` on. */
static void emit_binary(parser *p, int code, int left, int right) {
  int32_t x, y;
  bool has_immediate = code != OP_MIN && code != OP_MAX;
  if (!constant_since(p, right, &y)) {
    emit(p, code, 0, 0, 0, -1);
    return;
  }
  drop_constant(p);
  if (constant_since(p, left, &x)) {
    p->g->code[left].constant = game_operate(code, x, y);
  } else if (has_immediate) {
    emit(p, code + 1, 0, 0, y, 0);
  } else {
    emit_push(p, y);
    emit(p, code, 0, 0, 0, -1);
  }
}

static int new_local(parser *p) {
  if (p->locals == GAME_MAX_LOCALS) FAIL(p, "too many names in one program");
  return p->locals++;
}

/* ---- Expressions ----------------------------------------------------------------------------------------------- */

static void expression(parser *p);

static void enter(parser *p) {
  if (++p->depth > MAX_DEPTH) FAIL(p, "too deeply nested");
}
static void leave(parser *p) { p->depth--; }

static void only_with_memory(parser *p) {
  if (p->program == PROGRAM_QUERY) FAIL(p, "a report knows variables only: keep the value in one");
  p->reads = true;
}

static int32_t constant_argument(parser *p, int32_t min, int32_t max, const char *what) {
  int start = p->g->code_count, line = now(p)->line, column = now(p)->column;
  int32_t value;
  expression(p);
  if (!constant_since(p, start, &value)) {
    lex_fail_at(&p->lex, line, column, "%s must be a constant", what);
  }
  if (value < min || value > max) {
    lex_fail_at(&p->lex, line, column, "%s must be between %d and %d (0x%X and 0x%X), found %d",
                what, min, max, (unsigned)min, (unsigned)max, value);
  }
  drop_constant(p);
  return value;
}

static void check_ram_address(parser *p, const token *t, int32_t address) {
  if (address >= 0x80 && address <= 0xFF) return;
  lex_fail_at(&p->lex, t->line, t->column, "RAM lies at 0x80 to 0xFF, not at 0x%X",
              (unsigned)address);
}

/* ram[...] and mem[...] */
static void memory_byte(parser *p, bool ram) {
  only_with_memory(p);
  next(p);
  expect_sign(p, '[', "'['");
  token t = *now(p);
  int start = p->g->code_count;
  int32_t address;
  expression(p);
  if (constant_since(p, start, &address)) {
    if (ram) check_ram_address(p, &t, address);
    if (address < 0 || address > 0xFFFF) {
      lex_fail_at(&p->lex, t.line, t.column, "addresses end at 0xFFFF");
    }
    drop_constant(p);
    emit(p, ram ? OP_RAM : OP_MEM, ram ? address & 0x7F : 0, 0, ram ? 0 : address, 1);
  } else {
    emit(p, ram ? OP_RAM_AT : OP_MEM_AT, 0, 0, 0, 0);
  }
  expect_sign(p, ']', "']'");
}

/* bcd(low), bcd(low, middle), bcd(low, middle, high). Constant addresses go into one instruction, as is usual; computed
 * ones (inside a define, say) are read one by one. */
static void bcd_bytes(parser *p) {
  only_with_memory(p);
  next(p);
  expect_sign(p, '(', "'('");
  int32_t packed = 0, address, scale = 1;
  int count = 0, constants = 0; /* arguments; how many of the first ones are constants */
  do {
    token t = *now(p);
    if (count == 3) FAIL(p, "bcd() takes at most three addresses");
    int start = p->g->code_count;
    expression(p);
    bool constant = constant_since(p, start, &address);
    if (constant) check_ram_address(p, &t, address);
    if (constant && constants == count) {
      drop_constant(p);
      packed |= (address & 0x7F) << 8 * constants++;
    } else {
      emit(p, OP_RAM_AT, 0, 0, 0, 0);
      emit(p, OP_DEC, 0, 0, 0, 0);
      emit(p, OP_MUL_CONST, 0, 0, scale, 0);
      if (constants == count && count) emit(p, OP_BCD1 + constants - 1, 0, 0, packed, 1);
      if (count) emit(p, OP_ADD, 0, 0, 0, -1);
    }
    scale *= 100;
    count++;
  } while (take_sign(p, ','));
  expect_sign(p, ')', "')' or ','");
  if (constants == count) emit(p, OP_BCD1 + count - 1, 0, 0, packed, 1);
}

typedef enum range_kind { RANGE_ANY, RANGE_ALL, RANGE_COUNT, RANGE_SUM } range_kind;

/* any(i in 0 .. 7 : expression), and all, count, sum */
static void over_range(parser *p, range_kind kind) {
  next(p);
  expect_sign(p, '(', "'('");
  token name = expect_new_name(p, "a name for the number that counts");
  if (!take_word(p, "in")) fail_expected(p, "'in'");
  int32_t first = constant_argument(p, 0, 0xFFFF, "the first number");
  expect_sign(p, SIGN_TO, "'..'");
  int32_t last = constant_argument(p, first, 0xFFFF, "the last number");
  expect_sign(p, ':', "':'");

  int names = p->name_count, slot = new_local(p);
  add_name(p, &name, NAME_LOCAL, slot);
  bool adds = kind == RANGE_COUNT || kind == RANGE_SUM;
  emit_push(p, first);
  emit(p, OP_SET_LOCAL, slot, 0, 0, -1);
  if (adds) emit_push(p, 0);

  /* the body, once for each number */
  int64_t weight = p->weight;
  p->weight *= last - first + 1;
  int body = label(p), out = -1;
  expression(p);
  if (kind == RANGE_COUNT) emit_truth(p, body);
  if (adds) {
    emit(p, OP_ADD, 0, 0, 0, -1);
  } else {
    out = emit(p, kind == RANGE_ALL ? OP_JUMP_ZERO : OP_JUMP_TRUE, 0, 0, 0, -1);
  }
  emit(p, OP_NEXT, slot, last, body, 0);
  p->weight = weight;

  label(p);
  if (!adds) {
    emit_push(p, kind == RANGE_ALL);
    int end = emit(p, OP_JUMP, 0, 0, 0, -1);
    jump_here(p, out);
    emit_push(p, kind == RANGE_ANY);
    jump_here(p, end);
  }
  p->name_count = names;
  expect_sign(p, ')', "')'");
}

/* Functions of one, two or three values. */
static void plain_function(parser *p, int code, int count) {
  int starts[3] = {0}, given = 0, line = now(p)->line, column = now(p)->column;
  next(p);
  expect_sign(p, '(', "'('");
  do {
    if (given == count) FAIL(p, "this function takes %d values, not more", count);
    starts[given++] = p->g->code_count;
    expression(p);
    if (count == 3 && given > 1) { /* clamp(x, low, high) is min(max(x, low), high) */
      emit_binary(p, given == 2 ? OP_MAX : OP_MIN, starts[0], starts[given - 1]);
    }
  } while (take_sign(p, ','));
  if (given < count) {
    lex_fail_at(&p->lex, line, column, "this function takes %d values, found %d", count, given);
  }
  expect_sign(p, ')', "')'");
  if (count == 1) emit_unary(p, code, starts[0]);
  if (count == 2) emit_binary(p, code, starts[0], starts[1]);
}

/* Compile the body of a define with its parameters bound to the values that follow in brackets. */
static void expand(parser *p, int index) {
  const define_entry *d = &p->defines[index];
  if (++p->expansions > MAX_EXPANSIONS) FAIL(p, "definitions are used too often");
  enter(p);
  next(p);
  name_entry bound[MAX_PARAMETERS];
  for (int i = 0; i < d->count; i++) {
    expect_sign(p, i ? ',' : '(', i ? "','" : "'('");
    int start = p->g->code_count;
    bound[i] = (name_entry){d->parameters[i], d->lengths[i], NAME_CONSTANT, 0};
    expression(p);
    if (constant_since(p, start, &bound[i].value)) {
      drop_constant(p);
    } else {
      bound[i].kind = NAME_LOCAL;
      bound[i].value = new_local(p);
      emit(p, OP_SET_LOCAL, bound[i].value, 0, 0, -1);
    }
  }
  if (d->count) expect_sign(p, ')', "')'");

  lex_place back = p->lex.place;
  int names = p->name_count, base = p->scope_base, limit = p->define_limit;
  if (names + d->count > MAX_NAMES) FAIL(p, "too many names");
  memcpy(p->names + names, bound, (size_t)d->count * sizeof *bound);
  p->scope_base = names;
  p->name_count = names + d->count;
  p->define_limit = index;
  p->lex.place = d->body;
  expression(p);
  p->lex.place = back;
  p->name_count = names;
  p->scope_base = base;
  p->define_limit = limit;
  leave(p);
}

static void name_value(parser *p) {
  const name_entry *n = find_name(p, now(p));
  if (!n) FAIL_TOKEN(p, "unknown name '%.*s'");
  switch (n->kind) {
    case NAME_VAR:
    case NAME_LOCAL:
      p->reads = true;
      emit(p, n->kind == NAME_VAR ? OP_VAR : OP_LOCAL, n->value, 0, 0, 1);
      next(p);
      break;
    case NAME_CONSTANT:
      emit_push(p, n->value);
      next(p);
      break;
    case NAME_DEFINE: expand(p, n->value); break;
  }
}

/* Words that are known in one kind of program only. */
static void only_in(parser *p, program_kind kind) {
  if (p->program == kind) return;
  FAIL_TOKEN(p, kind == PROGRAM_RULES ? "'%.*s' is possible in the rules of a step only"
                                      : "'%.*s' is possible while a mode is selected only");
}

static void primary(parser *p) {
  static const struct {
    const char *name;
    int code, count;
  } functions[] = {{"dec", OP_DEC, 1},   {"u8", OP_U8, 1},   {"i8", OP_I8, 1},   {"abs", OP_ABS, 1},
                   {"bits", OP_BITS, 1}, {"min", OP_MIN, 2}, {"max", OP_MAX, 2}, {"clamp", 0, 3}};
  static const char *const ranges[] = {"any", "all", "count", "sum"}; /* as range_kind */

  if (now(p)->kind == TOKEN_NUMBER) {
    if (now(p)->number < 0) FAIL(p, "this number is larger than 2147483647");
    emit_push(p, now(p)->number);
    next(p);
    return;
  }
  if (take_sign(p, '(')) {
    expression(p);
    expect_sign(p, ')', "')'");
    return;
  }
  if (now(p)->kind != TOKEN_NAME) fail_expected(p, "a value");
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (is_word(p, functions[i].name)) {
      plain_function(p, functions[i].code, functions[i].count);
      return;
    }
  }
  for (int i = 0; i < 4; i++) {
    if (is_word(p, ranges[i])) {
      over_range(p, (range_kind)i);
      return;
    }
  }
  if (is_word(p, "ram") || is_word(p, "mem")) {
    memory_byte(p, is_word(p, "ram"));
  } else if (is_word(p, "bcd")) {
    bcd_bytes(p);
  } else if (is_word(p, "true") || is_word(p, "false")) {
    emit_push(p, is_word(p, "true"));
    next(p);
  } else if (is_word(p, "fixed")) {
    only_in(p, PROGRAM_RULES);
    p->g->asks_fixed = true;
    emit(p, OP_FIXED, 0, 0, 0, 1);
    next(p);
  } else if (is_word(p, "mode") || is_word(p, "level")) {
    only_in(p, PROGRAM_SELECT);
    emit(p, is_word(p, "mode") ? OP_MODE : OP_LEVEL, 0, 0, 0, 1);
    next(p);
  } else if (is_word(p, "random")) {
    only_in(p, PROGRAM_SELECT);
    next(p);
    expect_sign(p, '(', "'('");
    int32_t bound = constant_argument(p, 1, INT32_MAX, "the bound of random()");
    expect_sign(p, ')', "')'");
    emit(p, OP_RANDOM, 0, 0, bound, 1);
  } else if (is_reserved(now(p))) {
    fail_expected(p, "a value");
  } else {
    name_value(p);
  }
}

static void unary(parser *p) {
  if (!is_sign(p, '-')) {
    primary(p);
    return;
  }
  enter(p);
  next(p);
  int start = p->g->code_count;
  unary(p);
  emit_unary(p, OP_NEG, start);
  leave(p);
}

typedef struct operator_entry {
  int sign, code;
} operator_entry;

static int find_operator(const parser *p, const operator_entry *table) {
  if (now(p)->kind != TOKEN_SIGN) return 0;
  while (table->sign && table->sign != now(p)->sign) table++;
  return table->code;
}

static void product(parser *p) {
  static const operator_entry table[] = {{'*', OP_MUL}, {'/', OP_DIV},      {'%', OP_MOD},
                                         {'&', OP_AND}, {SIGN_SHL, OP_SHL}, {SIGN_SHR, OP_SHR},
                                         {0, 0}};
  int left = p->g->code_count, code;
  unary(p);
  while ((code = find_operator(p, table))) {
    next(p);
    skip_lines(p);
    int right = p->g->code_count;
    unary(p);
    emit_binary(p, code, left, right);
  }
}

static void sum(parser *p) {
  static const operator_entry table[] = {
      {'+', OP_ADD}, {'-', OP_SUB}, {'|', OP_OR}, {'^', OP_XOR}, {0, 0}};
  int left = p->g->code_count, code;
  product(p);
  while ((code = find_operator(p, table))) {
    next(p);
    skip_lines(p);
    int right = p->g->code_count;
    product(p);
    emit_binary(p, code, left, right);
  }
}

static void comparison(parser *p) {
  static const operator_entry table[] = {
      {SIGN_EQ, OP_EQ}, {SIGN_NE, OP_NE}, {'<', OP_LT}, {SIGN_LE, OP_LE},
      {'>', OP_GT},     {SIGN_GE, OP_GE}, {0, 0}};
  int left = p->g->code_count, code;
  sum(p);
  if (!(code = find_operator(p, table))) return;
  next(p);
  skip_lines(p);
  int right = p->g->code_count;
  sum(p);
  emit_binary(p, code, left, right);
  if (find_operator(p, table)) FAIL(p, "comparisons do not chain: join them with 'and'");
}

static void negation(parser *p) {
  if (!is_word(p, "not")) {
    comparison(p);
    return;
  }
  enter(p);
  next(p);
  int start = p->g->code_count;
  negation(p);
  emit_unary(p, OP_NOT, start);
  leave(p);
}

/* `and` and `or` evaluate their right side only when it matters, and give 0 or 1. */
static void logic(parser *p, bool is_and, void operand(parser *)) {
  operand(p);
  while (take_word(p, is_and ? "and" : "or")) {
    skip_lines(p);
    int decided = emit(p, is_and ? OP_JUMP_ZERO : OP_JUMP_TRUE, 0, 0, 0, -1);
    int right = label(p);
    operand(p);
    emit_truth(p, right);
    int end = emit(p, OP_JUMP, 0, 0, 0, -1);
    jump_here(p, decided);
    emit_push(p, !is_and);
    jump_here(p, end);
  }
}
static void conjunction(parser *p) { logic(p, true, negation); }

static void expression(parser *p) {
  enter(p);
  logic(p, false, conjunction);
  if (take_sign(p, '?')) {
    skip_lines(p);
    int otherwise = emit(p, OP_JUMP_ZERO, 0, 0, 0, -1);
    label(p);
    expression(p);
    skip_lines(p);
    expect_sign(p, ':', "':'");
    skip_lines(p);
    int end = emit(p, OP_JUMP, 0, 0, 0, -1);
    jump_here(p, otherwise);
    expression(p);
    jump_here(p, end);
  }
  leave(p);
}

/* ---- Statements ------------------------------------------------------------------------------------------------ */

static void block(parser *p);

static void if_statement(parser *p) {
  enter(p);
  next(p);
  expression(p);
  int otherwise = emit(p, OP_JUMP_ZERO, 0, 0, 0, -1);
  label(p);
  block(p);
  if (take_word(p, "else")) {
    int end = emit(p, OP_JUMP, 0, 0, 0, 0);
    jump_here(p, otherwise);
    if (is_word(p, "if")) {
      if_statement(p);
    } else {
      block(p);
    }
    jump_here(p, end);
  } else {
    jump_here(p, otherwise);
  }
  leave(p);
}

/* Loops that provably never end are refused; the others are bounded when they run (game_select_mode). */
static void while_statement(parser *p) {
  int line = now(p)->line, column = now(p)->column;
  next(p);
  bool emulated = p->emulates;
  int slot = new_local(p), start = label(p);
  p->reads = p->emulates = false;
  expression(p);
  if (!p->reads) {
    lex_fail_at(&p->lex, line, column, "this loop never ends: nothing in its condition can change");
  }
  int end = emit(p, OP_JUMP_ZERO, 0, 0, 0, -1);
  emit(p, OP_TURN, slot, 0, 0, 0);
  block(p);
  if (!p->emulates) {
    lex_fail_at(&p->lex, line, column,
                "this loop never ends: it neither presses select, acts nor resets");
  }
  emit(p, OP_AGAIN, slot, 0, start, 0);
  jump_here(p, end);
  p->emulates |= emulated;
}

static void repeat_statement(parser *p) {
  next(p);
  int32_t times = constant_argument(p, 1, 1000, "the number of times");
  int slot = new_local(p);
  emit_push(p, 1);
  emit(p, OP_SET_LOCAL, slot, 0, 0, -1);
  int64_t weight = p->weight;
  p->weight *= times;
  int body = label(p);
  block(p);
  emit(p, OP_NEXT, slot, times, body, 0);
  p->weight = weight;
  label(p);
}

static int expect_action(parser *p) {
  for (int i = 0; i < SIXER_ACTION_COUNT; i++) {
    if (take_word(p, game_action_name(i))) return i;
  }
  fail_expected(p, "an action such as NOOP or UPFIRE");
}

/* press select [for FRAMES] */
static void press_statement(parser *p) {
  next(p);
  if (!take_word(p, "select")) fail_expected(p, "'select'");
  if (take_word(p, "for")) {
    int start = p->g->code_count, line = now(p)->line, column = now(p)->column;
    int32_t frames;
    expression(p);
    if (constant_since(p, start, &frames) && (frames < 1 || frames > 1000)) {
      lex_fail_at(&p->lex, line, column, "select is held for 1 to 1000 frames");
    }
  } else {
    emit_push(p, 1);
  }
  emit(p, OP_PRESS, 0, 0, 0, -1);
  p->emulates = true;
}

/* ram[ADDRESS] = VALUE */
static void poke_statement(parser *p) {
  next(p);
  expect_sign(p, '[', "'['");
  int32_t address = constant_argument(p, 0x80, 0xFF, "the address");
  expect_sign(p, ']', "']'");
  expect_sign(p, '=', "'='");
  skip_lines(p);
  expression(p);
  emit(p, OP_POKE, address & 0x7F, 0, 0, -1);
}

/* NAME = VALUE, NAME = advance COUNTER to VALUE */
static void assignment(parser *p) {
  const name_entry *n = find_name(p, now(p));
  if (!n || (n->kind != NAME_VAR && n->kind != NAME_LOCAL)) {
    FAIL_TOKEN(p,
               "unknown variable '%.*s': declare it with 'keep' or 'counter', or inside the "
               "rules with 'let'");
  }
  name_kind kind = n->kind;
  int slot = n->value;
  next(p);
  expect_sign(p, '=', "'='");
  skip_lines(p);
  if (is_word(p, "advance")) {
    only_in(p, PROGRAM_RULES);
    next(p);
    const name_entry *counter = now(p)->kind == TOKEN_NAME ? find_name(p, now(p)) : NULL;
    if (!counter || counter->kind != NAME_VAR || counter->value <= GAME_VAR_TERMINAL) {
      fail_expected(p, "a variable declared with 'counter' or 'keep'");
    }
    int variable = counter->value;
    next(p);
    if (!take_word(p, "to")) fail_expected(p, "'to'");
    expression(p);
    emit(p, OP_ADVANCE, variable, 0, p->g->vars[variable].modulus, 0);
  } else {
    expression(p);
  }
  emit(p, kind == NAME_VAR ? OP_SET_VAR : OP_SET_LOCAL, slot, 0, 0, -1);
}

static void let_statement(parser *p) {
  next(p);
  token name = expect_new_name(p, "a name");
  expect_sign(p, '=', "'='");
  skip_lines(p);
  expression(p);
  int slot = new_local(p);
  emit(p, OP_SET_LOCAL, slot, 0, 0, -1);
  add_name(p, &name, NAME_LOCAL, slot);
}

static void act_statement(parser *p) {
  next(p);
  emit(p, OP_ACT, 0, 0, expect_action(p), 0);
  p->emulates = true;
}

static void reset_statement(parser *p) {
  next(p);
  emit(p, OP_RESET, 0, 0, 0, 0);
  p->emulates = true;
}

static void statement(parser *p) {
  static const struct {
    const char *word;
    bool select_only;
    void (*parse)(parser *);
  } statements[] = {{"if", false, if_statement},        {"let", false, let_statement},
                    {"press", true, press_statement},   {"act", true, act_statement},
                    {"reset", true, reset_statement},   {"while", true, while_statement},
                    {"repeat", true, repeat_statement}, {"ram", true, poke_statement}};
  if (now(p)->kind != TOKEN_NAME) fail_expected(p, "a statement");
  size_t i = 0, count = sizeof statements / sizeof *statements;
  while (i < count && !is_word(p, statements[i].word)) i++;
  if (i == count) {
    assignment(p);
  } else {
    if (statements[i].select_only) only_in(p, PROGRAM_SELECT);
    statements[i].parse(p);
  }
  end_statement(p);
}

static void block(parser *p) {
  enter(p);
  int names = p->name_count;
  expect_sign(p, '{', "'{'");
  skip_lines(p);
  while (!is_sign(p, '}')) {
    statement(p);
    skip_lines(p);
  }
  next(p);
  p->name_count = names;
  leave(p);
}

/* ---- Programs -------------------------------------------------------------------------------------------------- */

static void begin_program(parser *p, program_kind kind) {
  p->program = kind;
  p->global_count = p->scope_base = p->name_count;
  p->define_limit = p->define_count;
  p->depth = p->stack = p->locals = 0;
  p->work = 0;
  p->weight = 1;
  p->reads = p->emulates = false;
  label(p);
}

static int compile_block(parser *p, program_kind kind) {
  begin_program(p, kind);
  int start = p->g->code_count;
  block(p);
  emit(p, OP_END, 0, 0, 0, 0);
  return start;
}

static int compile_query(parser *p) {
  begin_program(p, PROGRAM_QUERY);
  int start = p->g->code_count;
  expression(p);
  emit(p, OP_END, 0, 0, 0, 0);
  return start;
}

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
  KEY_COUNT, /* of those that appear once; the others have no bit in parser.seen */
  KEY_KEEP = KEY_COUNT,
  KEY_COUNTER,
  KEY_DEFINE,
  KEY_REPORT,
} key;
_Static_assert(KEY_COUNT <= 32, "parser.seen has a bit for each");

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
};

static bool has_seen(const parser *p, key k) { return p->seen >> k & 1; }

static void see(parser *p, key k) {
  if (has_seen(p, k)) FAIL_TOKEN(p, "a second line '%.*s'");
  p->seen |= 1u << k;
}

static bool is_id_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static void game_line(parser *p) {
  const token *t = now(p);
  if (t->kind != TOKEN_NAME && t->kind != TOKEN_NUMBER) fail_expected(p, "the game's id");
  for (int i = 0; i < t->length; i++) {
    if (!is_id_letter(t->at[i])) FAIL(p, "an id consists of small letters, digits and _");
  }
  p->g->id_line = t->line;
  p->g->id_column = t->column;
  copy_token(p, p->g->id, sizeof p->g->id, "the id");
}

static void title_line(parser *p) {
  if (now(p)->kind != TOKEN_TEXT) fail_expected(p, "a title in quotes");
  if (!now(p)->length) FAIL(p, "the title is empty");
  for (int i = 0; i < now(p)->length; i++) {
    unsigned char c = (unsigned char)now(p)->at[i];
    if (c < 32 || c > 126) FAIL(p, "the title holds something other than ASCII letters and signs");
  }
  copy_token(p, p->g->title, sizeof p->g->title, "the title");
}

/* gymnasium NAME [v0 v4] v5 */
static void gymnasium_line(parser *p) {
  if (now(p)->kind != TOKEN_NAME) fail_expected(p, "the name in Gymnasium's ids");
  copy_token(p, p->g->gymnasium, sizeof p->g->gymnasium, "the name");
  if (take_word(p, "v0")) {
    if (!take_word(p, "v4")) fail_expected(p, "'v4'");
    p->g->legacy = true;
  }
  if (!take_word(p, "v5")) fail_expected(p, "'v5'");
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
    if (!good) fail_expected(p, "an MD5 of 32 hexadecimal digits");
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
  fail_expected(p, list);
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
        fail_expected(p, "a cartridge type");
      }
      copy_token(p, g->cartridge, sizeof g->cartridge, "the type");
      c->cartridge = g->cartridge;
      break;
    case KEY_FORMAT:
      strcpy(g->format, formats[one_of(p, formats, 4)]);
      c->format = g->format;
      break;
    case KEY_FIRST_LINE: c->first_line = expect_number(p, 0, 64, "the first line"); break;
    case KEY_LINES: c->lines = expect_number(p, 100, 256, "the number of lines"); break;
    case KEY_LEFT_CONTROLLER: c->left_paddles = one_of(p, sticks, 2); break;
    case KEY_RIGHT_CONTROLLER: c->right_paddles = one_of(p, sticks, 2); break;
    case KEY_LEFT_DIFFICULTY: c->left_difficulty_a = one_of(p, switches, 2); break;
    case KEY_RIGHT_DIFFICULTY: c->right_difficulty_a = one_of(p, switches, 2); break;
    case KEY_TELEVISION: c->black_and_white = one_of(p, televisions, 2); break;
    case KEY_SWAP_PORTS: c->swap_ports = one_of(p, no_yes, 2); break;
    case KEY_SWAP_PADDLES: c->swap_paddles = one_of(p, no_yes, 2); break;
    case KEY_HMOVE_BLANKS: c->no_hmove_blanks = !one_of(p, no_yes, 2); break;
    case KEY_PADDLE_MIN: c->paddle_min = expect_number(p, 0, 10000000, "a limit in ohms"); break;
    case KEY_PADDLE_MAX: c->paddle_max = expect_number(p, 0, 10000000, "a limit in ohms"); break;
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
    int line = now(p)->line, column = now(p)->column, action = expect_action(p);
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
    int action = take_word(p, "RESET") ? GAME_ACTION_RESET : expect_action(p), times = 1;
    if (take_sign(p, '*')) times = expect_number(p, 1, GAME_MAX_START, "the number of frames");
    if (g->start_count + times > GAME_MAX_START) FAIL(p, "over %d frames to start", GAME_MAX_START);
    while (times--) g->start[g->start_count++] = action;
  } while (now(p)->kind != TOKEN_LINE);
}

/* 0, 4 .. 44 by 4, 128: numbers and ranges, ascending; a comma may end a line. */
static void number_list(parser *p, int *items, int *count, int max_count, int max_value,
                        const char *what) {
  do {
    skip_lines(p);
    int32_t first = expect_number(p, 0, max_value, what), last = first, by = 1;
    if (take_sign(p, SIGN_TO)) {
      last = expect_number(p, first, max_value, what);
      if (take_word(p, "by")) by = expect_number(p, 1, max_value, "the distance");
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
  expect_sign(p, ':', "':' and the size of the counter, such as ': 6 digits'");
  int64_t modulus = 1, number = expect_number(p, 1, 100000000, "the size of the counter");
  if (is_word(p, "digits")) {
    if (number > 9) FAIL(p, "a counter has at most 9 digits");
    while (number--) modulus *= 10;
  } else if (is_word(p, "values")) {
    modulus = number;
  } else {
    fail_expected(p, "'digits' or 'values'");
  }
  next(p);
  v->unit = take_word(p, "of") ? expect_number(p, 1, 1000000, "the unit") : 1;
  if (modulus * v->unit > 1000000000) FAIL(p, "a counter holds at most 1000000000");
  v->modulus = (int32_t)(modulus * v->unit);
}

/* keep NAME = NUMBER [unreset] [unsaved], ...  and  counter NAME = NUMBER : SIZE */
static void variable_line(parser *p, bool counter) {
  game *g = p->g;
  do {
    skip_lines(p);
    token name = expect_new_name(p, "a name");
    if (g->var_count == GAME_MAX_VARS) FAIL(p, "more than %d variables", GAME_MAX_VARS - 2);
    game_var *v = &g->vars[g->var_count];
    memcpy(v->name, name.at, (size_t)name.length);
    expect_sign(p, '=', "'='");
    if (is_word(p, "true") || is_word(p, "false")) {
      v->initial = is_word(p, "true");
      next(p);
    } else {
      v->initial = expect_number(p, -INT32_MAX, INT32_MAX, "the first value");
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
    add_name(p, &name, NAME_VAR, g->var_count++);
    p->global_count = p->scope_base = p->name_count;
  } while (take_sign(p, ','));
}

/* define NAME = EXPRESSION, define NAME(PARAMETERS) = EXPRESSION. The body is compiled once here, to find its errors
 * even if it is never used, and thrown away. */
static void define_line(parser *p) {
  game *g = p->g;
  token name = expect_new_name(p, "a name");
  if (p->define_count == MAX_DEFINES) FAIL(p, "more than %d definitions", MAX_DEFINES);
  define_entry *d = &p->defines[p->define_count];
  begin_program(p, PROGRAM_RULES);
  if (take_sign(p, '(')) {
    do {
      if (d->count == MAX_PARAMETERS) FAIL(p, "more than %d parameters", MAX_PARAMETERS);
      token parameter = expect_new_name(p, "a parameter");
      add_name(p, &parameter, NAME_LOCAL, new_local(p));
      d->parameters[d->count] = parameter.at;
      d->lengths[d->count++] = parameter.length;
    } while (take_sign(p, ','));
    expect_sign(p, ')', "')'");
  }
  expect_sign(p, '=', "'='");
  skip_lines(p);
  d->body = p->lex.place;
  int code = g->code_count;
  bool asks_fixed = g->asks_fixed;
  expression(p);
  g->code_count = code;
  g->asks_fixed = asks_fixed;
  p->name_count = p->global_count;
  add_name(p, &name, NAME_DEFINE, p->define_count++);
  p->define_limit = p->define_count;
  p->global_count = p->scope_base = p->name_count;
}

static void report_line(parser *p) {
  bool lives = is_word(p, "lives");
  if (!lives && !is_word(p, "terminal")) fail_expected(p, "'lives' or 'terminal'");
  see(p, lives ? KEY_REPORT_LIVES : KEY_REPORT_TERMINAL);
  next(p);
  expect_sign(p, '=', "'='");
  skip_lines(p);
  *(lives ? &p->g->lives : &p->g->terminal) = compile_query(p);
}

static void line(parser *p) {
  game *g = p->g;
  size_t i = 0, count = sizeof keys / sizeof *keys;
  if (now(p)->kind != TOKEN_NAME) fail_expected(p, "a word that begins a line");
  while (i < count && !is_word(p, keys[i].word)) i++;
  if (i == count) FAIL_TOKEN(p, "unknown word '%.*s' at the beginning of a line");
  key k = keys[i].key;
  if (k < KEY_COUNT) see(p, k);
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
      number_list(p, g->modes, &g->mode_count, GAME_MAX_FLAVORS, 1000000, "a mode");
      break;
    case KEY_DEFAULT_MODE: g->default_mode = expect_number(p, 0, 1000000, "the mode"); break;
    case KEY_DIFFICULTIES:
      number_list(p, g->difficulties, &g->difficulty_count, 4, 3, "a difficulty");
      break;
    case KEY_LEVELS: g->level_count = expect_number(p, 2, 1000000, "the number of levels"); break;
    case KEY_KEEP: variable_line(p, false); break;
    case KEY_COUNTER: variable_line(p, true); break;
    case KEY_DEFINE: define_line(p); break;
    case KEY_STEP: g->step = compile_block(p, PROGRAM_RULES); break;
    case KEY_SELECT: g->select = compile_block(p, PROGRAM_SELECT); break;
    case KEY_REPORT: report_line(p); break;
    default: console_line(p, k); break;
  }
  expect_line(p);
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
  begin_program(p, PROGRAM_QUERY);
  g->lives = g->code_count;
  emit(p, OP_VAR, GAME_VAR_TERMINAL, 0, 0, 1);
  int alive = emit(p, OP_JUMP_ZERO, 0, 0, 0, -1);
  emit_push(p, 0);
  int end = emit(p, OP_JUMP, 0, 0, 0, -1);
  jump_here(p, alive);
  if (lives >= 0) {
    emit(p, OP_VAR, lives, 0, 0, 1);
  } else {
    emit_push(p, 1);
  }
  jump_here(p, end);
  emit(p, OP_END, 0, 0, 0, 0);
}

/* What must be there, and what follows from what is. */
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
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
    if (!has_seen(p, needed[i].key)) FAIL(p, "the file has no line '%s'", needed[i].line);
  }
  bool in_reference = has_seen(p, KEY_GYMNASIUM);
  if (!in_reference) derive_gymnasium(g);
  snprintf(g->gymnasium_id, sizeof g->gymnasium_id, in_reference ? "ALE/%s-v5" : "sixer/%s-v0",
           g->gymnasium);
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
}

static void parse_file(parser *p) {
  game *g = p->g;
  static const char *const built_in[] = {"reward",
                                         "terminal"}; /* GAME_VAR_REWARD, GAME_VAR_TERMINAL */
  g->console =
      (game_properties){.first_line = 34, .lines = 210, .paddle_min = -1, .paddle_max = -1};
  for (int i = 0; i < SIXER_ACTION_COUNT; i++) g->legal[g->legal_count++] = i;
  g->terminal = g->select = -1;
  for (int i = 0; i < 2; i++) {
    strcpy(g->vars[i].name, built_in[i]);
    p->names[i] = (name_entry){built_in[i], (int)strlen(built_in[i]), NAME_VAR, i};
  }
  g->var_count = p->name_count = p->global_count = p->scope_base = 2;
  next(p);
  skip_lines(p);
  while (now(p)->kind != TOKEN_END) {
    line(p);
    skip_lines(p);
  }
  finish(p);
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
  lex_begin(&p->lex, name, text, length);
  if (setjmp(trouble)) {
    if (error) *error = p->lex.error;
    free(g);
    free(p);
    return SIXER_ERR_GAME;
  }
  parse_file(p);
  free(p);
  *out = g;
  return SIXER_OK;
}

void game_free(game *g) { free(g); }
