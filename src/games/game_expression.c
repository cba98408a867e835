/* Expressions of the rules language. Each leaves its value on the interpreter's stack. The functions follow the grammar
 * from the bottom up: primary, unary, product, sum, comparison, negation, conjunction, expression. A `define` is
 * compiled again wherever it is used, so that its arguments become constants too. */
#include <string.h>

#include "games/game_parse.h"

void parse_enter(parser *p) {
  if (++p->depth > MAX_DEPTH) FAIL(p, "too deeply nested");
}

static void only_with_memory(parser *p) {
  if (p->program == PROGRAM_QUERY) FAIL(p, "a report knows variables only: keep the value in one");
  p->reads = true;
}

int32_t parse_constant(parser *p, int32_t min, int32_t max, const char *what) {
  int start = p->g->code_count, line = now(p)->line, column = now(p)->column;
  int32_t value;
  parse_expression(p);
  if (!parse_constant_since(p, start, &value)) {
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
  parse_sign(p, '[', "'['");
  token t = *now(p);
  int start = p->g->code_count;
  int32_t address;
  parse_expression(p);
  if (parse_constant_since(p, start, &address)) {
    if (ram) check_ram_address(p, &t, address);
    if (address < 0 || address > 0xFFFF) {
      lex_fail_at(&p->lex, t.line, t.column, "addresses end at 0xFFFF");
    }
    drop_constant(p);
    parse_emit(p, ram ? OP_RAM : OP_MEM, ram ? address & 0x7F : 0, 0, ram ? 0 : address, 1);
  } else {
    parse_emit(p, ram ? OP_RAM_AT : OP_MEM_AT, 0, 0, 0, 0);
  }
  parse_sign(p, ']', "']'");
}

/* bcd(low), bcd(low, middle), bcd(low, middle, high). Constant addresses go into one instruction, as is usual; computed
 * ones (inside a define, say) are read one by one. */
static void bcd_bytes(parser *p) {
  only_with_memory(p);
  next(p);
  parse_sign(p, '(', "'('");
  int32_t packed = 0, address, scale = 1;
  int count = 0, constants = 0; /* arguments; how many of the first ones are constants */
  do {
    token t = *now(p);
    if (count == 3) FAIL(p, "bcd() takes at most three addresses");
    int start = p->g->code_count;
    parse_expression(p);
    bool constant = parse_constant_since(p, start, &address);
    if (constant) check_ram_address(p, &t, address);
    if (constant && constants == count) {
      drop_constant(p);
      packed |= (address & 0x7F) << 8 * constants++;
    } else {
      parse_emit(p, OP_RAM_AT, 0, 0, 0, 0);
      parse_emit(p, OP_DEC, 0, 0, 0, 0);
      parse_emit(p, OP_MUL_CONST, 0, 0, scale, 0);
      if (constants == count && count) parse_emit(p, OP_BCD1 + constants - 1, 0, 0, packed, 1);
      if (count) parse_emit(p, OP_ADD, 0, 0, 0, -1);
    }
    scale *= 100;
    count++;
  } while (take_sign(p, ','));
  parse_sign(p, ')', "')' or ','");
  if (constants == count) parse_emit(p, OP_BCD1 + count - 1, 0, 0, packed, 1);
}

typedef enum range_kind { RANGE_ANY, RANGE_ALL, RANGE_COUNT, RANGE_SUM } range_kind;

/* any(i in 0 .. 7 : expression), and all, count, sum */
static void over_range(parser *p, range_kind kind) {
  next(p);
  parse_sign(p, '(', "'('");
  token name = parse_new_name(p, "a name for the number that counts");
  if (!take_word(p, "in")) parse_fail_expected(p, "'in'");
  int32_t first = parse_constant(p, 0, 0xFFFF, "the first number");
  parse_sign(p, SIGN_TO, "'..'");
  int32_t last = parse_constant(p, first, 0xFFFF, "the last number");
  parse_sign(p, ':', "':'");

  int names = p->name_count, slot = parse_new_local(p);
  parse_add_name(p, &name, NAME_LOCAL, slot);
  bool adds = kind == RANGE_COUNT || kind == RANGE_SUM;
  emit_push(p, first);
  parse_emit(p, OP_SET_LOCAL, slot, 0, 0, -1);
  if (adds) emit_push(p, 0);

  /* the body, once for each number */
  int64_t weight = p->weight;
  p->weight *= last - first + 1;
  int body = label(p), out = -1;
  parse_expression(p);
  if (kind == RANGE_COUNT) parse_emit_truth(p, body);
  if (adds) {
    parse_emit(p, OP_ADD, 0, 0, 0, -1);
  } else {
    out = parse_emit(p, kind == RANGE_ALL ? OP_JUMP_ZERO : OP_JUMP_TRUE, 0, 0, 0, -1);
  }
  parse_emit(p, OP_NEXT, slot, last, body, 0);
  p->weight = weight;

  label(p);
  if (!adds) {
    emit_push(p, kind == RANGE_ALL);
    int end = parse_emit(p, OP_JUMP, 0, 0, 0, -1);
    jump_here(p, out);
    emit_push(p, kind == RANGE_ANY);
    jump_here(p, end);
  }
  p->name_count = names;
  parse_sign(p, ')', "')'");
}

/* Functions of one, two or three values. */
static void plain_function(parser *p, int code, int count) {
  int starts[3] = {0}, given = 0, line = now(p)->line, column = now(p)->column;
  next(p);
  parse_sign(p, '(', "'('");
  do {
    if (given == count) FAIL(p, "this function takes %d values, not more", count);
    starts[given++] = p->g->code_count;
    parse_expression(p);
    if (count == 3 && given > 1) { /* clamp(x, low, high) is min(max(x, low), high) */
      parse_emit_binary(p, given == 2 ? OP_MAX : OP_MIN, starts[0], starts[given - 1]);
    }
  } while (take_sign(p, ','));
  if (given < count) {
    lex_fail_at(&p->lex, line, column, "this function takes %d values, found %d", count, given);
  }
  parse_sign(p, ')', "')'");
  if (count == 1) parse_emit_unary(p, code, starts[0]);
  if (count == 2) parse_emit_binary(p, code, starts[0], starts[1]);
}

/* Compile the body of a define with its parameters bound to the values that follow in brackets. */
static void expand(parser *p, int index) {
  const define_entry *d = &p->defines[index];
  if (++p->expansions > MAX_EXPANSIONS) FAIL(p, "definitions are used too often");
  parse_enter(p);
  next(p);
  name_entry bound[MAX_PARAMETERS];
  for (int i = 0; i < d->count; i++) {
    parse_sign(p, i ? ',' : '(', i ? "','" : "'('");
    int start = p->g->code_count;
    bound[i] = (name_entry){d->parameters[i], d->lengths[i], NAME_CONSTANT, 0};
    parse_expression(p);
    if (parse_constant_since(p, start, &bound[i].value)) {
      drop_constant(p);
    } else {
      bound[i].kind = NAME_LOCAL;
      bound[i].value = parse_new_local(p);
      parse_emit(p, OP_SET_LOCAL, bound[i].value, 0, 0, -1);
    }
  }
  if (d->count) parse_sign(p, ')', "')'");

  lex_place back = p->lex.place;
  int names = p->name_count, base = p->scope_base, limit = p->define_limit;
  if (names + d->count > MAX_NAMES) FAIL(p, "too many names");
  memcpy(p->names + names, bound, (size_t)d->count * sizeof *bound);
  p->scope_base = names;
  p->name_count = names + d->count;
  p->define_limit = index;
  p->lex.place = d->body;
  parse_expression(p);
  p->lex.place = back;
  p->name_count = names;
  p->scope_base = base;
  p->define_limit = limit;
  leave(p);
}

static void name_value(parser *p) {
  const name_entry *n = parse_find_name(p, now(p));
  if (!n) FAIL_TOKEN(p, "unknown name '%.*s'");
  switch (n->kind) {
    case NAME_VAR:
    case NAME_LOCAL:
      p->reads = true;
      parse_emit(p, n->kind == NAME_VAR ? OP_VAR : OP_LOCAL, n->value, 0, 0, 1);
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
void parse_only_in(parser *p, program_kind kind) {
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
    parse_expression(p);
    parse_sign(p, ')', "')'");
    return;
  }
  if (now(p)->kind != TOKEN_NAME) parse_fail_expected(p, "a value");
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
    parse_only_in(p, PROGRAM_RULES);
    p->g->asks_fixed = true;
    parse_emit(p, OP_FIXED, 0, 0, 0, 1);
    next(p);
  } else if (p->g->for_players && is_word(p, "ma")) {
    parse_emit(p, OP_MA, 0, 0, 0, 1);
    next(p);
  } else if (p->g->for_players && (is_word(p, "correct_start") || is_word(p, "correct_serve"))) {
    const int bit = is_word(p, "correct_start") ? GAME_CORRECT_START : GAME_CORRECT_SERVE;
    parse_emit(p, OP_CORRECT, 0, 0, bit, 1);
    next(p);
  } else if (is_word(p, "mode") || is_word(p, "level")) {
    parse_only_in(p, PROGRAM_SELECT);
    parse_emit(p, is_word(p, "mode") ? OP_MODE : OP_LEVEL, 0, 0, 0, 1);
    next(p);
  } else if (is_word(p, "random")) {
    parse_only_in(p, PROGRAM_SELECT);
    next(p);
    parse_sign(p, '(', "'('");
    int32_t bound = parse_constant(p, 1, INT32_MAX, "the bound of random()");
    parse_sign(p, ')', "')'");
    parse_emit(p, OP_RANDOM, 0, 0, bound, 1);
  } else if (parse_is_reserved(now(p))) {
    parse_fail_expected(p, "a value");
  } else {
    name_value(p);
  }
}

static void unary(parser *p) {
  if (!is_sign(p, '-')) {
    primary(p);
    return;
  }
  parse_enter(p);
  next(p);
  int start = p->g->code_count;
  unary(p);
  parse_emit_unary(p, OP_NEG, start);
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
    parse_emit_binary(p, code, left, right);
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
    parse_emit_binary(p, code, left, right);
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
  parse_emit_binary(p, code, left, right);
  if (find_operator(p, table)) FAIL(p, "comparisons do not chain: join them with 'and'");
}

static void negation(parser *p) {
  if (!is_word(p, "not")) {
    comparison(p);
    return;
  }
  parse_enter(p);
  next(p);
  int start = p->g->code_count;
  negation(p);
  parse_emit_unary(p, OP_NOT, start);
  leave(p);
}

/* `and` and `or` evaluate their right side only when it matters, and give 0 or 1. */
static void logic(parser *p, bool is_and, void operand(parser *)) {
  operand(p);
  while (take_word(p, is_and ? "and" : "or")) {
    skip_lines(p);
    int decided = parse_emit(p, is_and ? OP_JUMP_ZERO : OP_JUMP_TRUE, 0, 0, 0, -1);
    int right = label(p);
    operand(p);
    parse_emit_truth(p, right);
    int end = parse_emit(p, OP_JUMP, 0, 0, 0, -1);
    jump_here(p, decided);
    emit_push(p, !is_and);
    jump_here(p, end);
  }
}
static void conjunction(parser *p) { logic(p, true, negation); }

void parse_expression(parser *p) {
  parse_enter(p);
  logic(p, false, conjunction);
  if (take_sign(p, '?')) {
    skip_lines(p);
    int otherwise = parse_emit(p, OP_JUMP_ZERO, 0, 0, 0, -1);
    label(p);
    parse_expression(p);
    skip_lines(p);
    parse_sign(p, ':', "':'");
    skip_lines(p);
    int end = parse_emit(p, OP_JUMP, 0, 0, 0, -1);
    jump_here(p, otherwise);
    parse_expression(p);
    jump_here(p, end);
  }
  leave(p);
}
