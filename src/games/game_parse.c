/* Tokens, names and instructions of the parser of definitions: see game_parse.h. */
#include "games/game_parse.h"

#include <stdio.h>

/* ---- Tokens ---------------------------------------------------------------------------------------------------- */

_Noreturn void parse_fail_expected(parser *p, const char *what) {
  char buffer[64];
  const char *found = lex_show(&p->lex, buffer, sizeof buffer);
  FAIL(p, "expected %s, found %s", what, found);
}

void parse_sign(parser *p, int sign, const char *shown) {
  if (!take_sign(p, sign)) parse_fail_expected(p, shown);
}

void parse_line_end(parser *p) {
  if (now(p)->kind != TOKEN_LINE) parse_fail_expected(p, "the end of the line");
  next(p);
}

int32_t parse_number(parser *p, int32_t min, int32_t max, const char *what) {
  token t = *now(p);
  bool negative = take_sign(p, '-');
  if (now(p)->kind != TOKEN_NUMBER) parse_fail_expected(p, what);
  int32_t value = now(p)->number;
  bool too_large = value < 0;
  if (negative) value = -value;
  if (too_large || value < min || value > max) {
    lex_fail_at(&p->lex, t.line, t.column, "%s must be between %d and %d", what, min, max);
  }
  next(p);
  return value;
}

void parse_copy(parser *p, char *target, size_t size, const char *what) {
  if ((size_t)now(p)->length >= size) FAIL(p, "%s is longer than %zu characters", what, size - 1);
  memcpy(target, now(p)->at, (size_t)now(p)->length);
  target[now(p)->length] = 0;
  next(p);
}

int parse_action(parser *p) {
  for (int i = 0; i < SIXER_ACTION_COUNT; i++) {
    if (take_word(p, game_action_name(i))) return i;
  }
  parse_fail_expected(p, "an action such as NOOP or UPFIRE");
}

/* ---- Names ----------------------------------------------------------------------------------------------------- */

static const char *const reserved[] = {
    "if",     "else",  "while",   "repeat", "let", "press", "act",  "select", "and",  "or",
    "not",    "ram",   "mem",     "bcd",    "dec", "u8",    "i8",   "min",    "max",  "abs",
    "bits",   "clamp", "count",   "sum",    "any", "all",   "mode", "level",  "true", "false",
    "random", "fixed", "advance", "to",     "in",  "for",   "reset"};

bool parse_is_reserved(const token *t) {
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
    if (same(t, reserved[i])) return true;
  }
  return false;
}

/* Words of rules for several players only. Elsewhere they are free for names, as before there was such a block. */
static bool is_players_word(const parser *p, const token *t) {
  return p->g->for_players &&
         (same(t, "ma") || same(t, "wait") || same(t, "correct_start") || same(t, "correct_serve"));
}

/* Names of a `define` that is being expanded hide those of the program around it, but not those of the file. */
const name_entry *parse_find_name(const parser *p, const token *t) {
  for (int i = p->name_count - 1; i >= 0; i--) {
    if (i < p->scope_base && i >= p->global_count) continue;
    const name_entry *n = &p->names[i];
    if (n->kind == NAME_DEFINE && n->value >= p->define_limit) continue;
    if (n->length == t->length && !memcmp(n->text, t->at, (size_t)t->length)) return n;
  }
  return NULL;
}

void parse_add_name(parser *p, const token *t, name_kind kind, int32_t value) {
  if (parse_is_reserved(t) || is_players_word(p, t)) {
    lex_fail_at(&p->lex, t->line, t->column, "'%.*s' is a word of the language", t->length, t->at);
  }
  if (parse_find_name(p, t)) {
    lex_fail_at(&p->lex, t->line, t->column, "'%.*s' is already the name of something else",
                t->length, t->at);
  }
  if (p->name_count == MAX_NAMES) lex_fail_at(&p->lex, t->line, t->column, "too many names");
  p->names[p->name_count++] = (name_entry){t->at, t->length, kind, value};
}

token parse_new_name(parser *p, const char *what) {
  token t = *now(p);
  if (t.kind != TOKEN_NAME) parse_fail_expected(p, what);
  if (t.at[0] >= '0' && t.at[0] <= '9') FAIL(p, "a name begins with a letter");
  if (t.length > 31) FAIL(p, "this name is longer than 31 characters");
  next(p);
  return t;
}

/* ---- Instructions ---------------------------------------------------------------------------------------------- */

int parse_emit(parser *p, int code, int a, int b, int32_t constant, int growth) {
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

/* The constant that the code from `start` on pushes, if it does only that. */
bool parse_constant_since(const parser *p, int start, int32_t *value) {
  const game *g = p->g;
  if (g->code_count != start + 1 || start < p->fence || g->code[start].code != OP_PUSH)
    return false;
  *value = g->code[start].constant;
  return true;
}

void parse_emit_unary(parser *p, int code, int start) {
  int32_t x;
  if (!parse_constant_since(p, start, &x)) {
    parse_emit(p, code, 0, 0, 0, 0);
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
void parse_emit_truth(parser *p, int start) {
  const game *g = p->g;
  int last = g->code_count > p->fence ? g->code[g->code_count - 1].code : OP_END;
  if ((last >= OP_EQ && last <= OP_FIXED) || last == OP_NOT || last == OP_BOOL) return;
  parse_emit_unary(p, OP_BOOL, start);
}

/* An operator on the value computed from `left` on and the one computed from `right` on. */
void parse_emit_binary(parser *p, int code, int left, int right) {
  int32_t x, y;
  bool has_immediate = code != OP_MIN && code != OP_MAX;
  if (!parse_constant_since(p, right, &y)) {
    parse_emit(p, code, 0, 0, 0, -1);
    return;
  }
  drop_constant(p);
  if (parse_constant_since(p, left, &x)) {
    p->g->code[left].constant = game_operate(code, x, y);
  } else if (has_immediate) {
    parse_emit(p, code + 1, 0, 0, y, 0);
  } else {
    emit_push(p, y);
    parse_emit(p, code, 0, 0, 0, -1);
  }
}

int parse_new_local(parser *p) {
  if (p->locals == GAME_MAX_LOCALS) FAIL(p, "too many names in one program");
  return p->locals++;
}
