/* Statements of the rules language, and whole programs: the rules of a step, the procedure that selects a mode, and
 * reports. Loops that could never end, and work without a bound, are refused here. */
#include "games/game_parse.h"

/* A statement ends with its line, or just before the brace that closes its block. */
static void end_statement(parser *p) {
  if (!is_sign(p, '}')) parse_line_end(p);
}

static void if_statement(parser *p) {
  parse_enter(p);
  next(p);
  parse_expression(p);
  int otherwise = parse_emit(p, OP_JUMP_ZERO, 0, 0, 0, -1);
  label(p);
  parse_block(p);
  if (take_word(p, "else")) {
    int end = parse_emit(p, OP_JUMP, 0, 0, 0, 0);
    jump_here(p, otherwise);
    if (is_word(p, "if")) {
      if_statement(p);
    } else {
      parse_block(p);
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
  int slot = parse_new_local(p), start = label(p);
  p->reads = p->emulates = false;
  parse_expression(p);
  if (!p->reads) {
    lex_fail_at(&p->lex, line, column, "this loop never ends: nothing in its condition can change");
  }
  int end = parse_emit(p, OP_JUMP_ZERO, 0, 0, 0, -1);
  parse_emit(p, OP_TURN, slot, 0, 0, 0);
  parse_block(p);
  if (!p->emulates) {
    lex_fail_at(&p->lex, line, column,
                "this loop never ends: it neither presses select, acts nor resets");
  }
  parse_emit(p, OP_AGAIN, slot, 0, start, 0);
  jump_here(p, end);
  p->emulates |= emulated;
}

static void repeat_statement(parser *p) {
  next(p);
  int32_t times = parse_constant(p, 1, 1000, "the number of times");
  int slot = parse_new_local(p);
  emit_push(p, 1);
  parse_emit(p, OP_SET_LOCAL, slot, 0, 0, -1);
  int64_t weight = p->weight;
  p->weight *= times;
  int body = label(p);
  parse_block(p);
  parse_emit(p, OP_NEXT, slot, times, body, 0);
  p->weight = weight;
  label(p);
}

/* press select [for FRAMES] */
static void press_statement(parser *p) {
  next(p);
  if (!take_word(p, "select")) parse_fail_expected(p, "'select'");
  if (take_word(p, "for")) {
    int start = p->g->code_count, line = now(p)->line, column = now(p)->column;
    int32_t frames;
    parse_expression(p);
    if (parse_constant_since(p, start, &frames) && (frames < 1 || frames > 1000)) {
      lex_fail_at(&p->lex, line, column, "select is held for 1 to 1000 frames");
    }
  } else {
    emit_push(p, 1);
  }
  parse_emit(p, OP_PRESS, 0, 0, 0, -1);
  p->emulates = true;
}

/* ram[ADDRESS] = VALUE */
static void poke_statement(parser *p) {
  next(p);
  parse_sign(p, '[', "'['");
  int32_t address = parse_constant(p, 0x80, 0xFF, "the address");
  parse_sign(p, ']', "']'");
  parse_sign(p, '=', "'='");
  skip_lines(p);
  parse_expression(p);
  parse_emit(p, OP_POKE, address & 0x7F, 0, 0, -1);
}

/* NAME = VALUE, NAME = advance COUNTER to VALUE */
static void assignment(parser *p) {
  const name_entry *n = parse_find_name(p, now(p));
  if (!n || (n->kind != NAME_VAR && n->kind != NAME_LOCAL)) {
    FAIL_TOKEN(p,
               "unknown variable '%.*s': declare it with 'keep' or 'counter', or inside the "
               "rules with 'let'");
  }
  name_kind kind = n->kind;
  int slot = n->value;
  next(p);
  parse_sign(p, '=', "'='");
  skip_lines(p);
  if (is_word(p, "advance")) {
    parse_only_in(p, PROGRAM_RULES);
    next(p);
    const name_entry *counter = now(p)->kind == TOKEN_NAME ? parse_find_name(p, now(p)) : NULL;
    if (!counter || counter->kind != NAME_VAR || counter->value < p->g->built_in) {
      parse_fail_expected(p, "a variable declared with 'counter' or 'keep'");
    }
    int variable = counter->value;
    next(p);
    if (!take_word(p, "to")) parse_fail_expected(p, "'to'");
    parse_expression(p);
    parse_emit(p, OP_ADVANCE, variable, 0, p->g->vars[variable].modulus, 0);
  } else {
    parse_expression(p);
  }
  parse_emit(p, kind == NAME_VAR ? OP_SET_VAR : OP_SET_LOCAL, slot, 0, 0, -1);
}

static void let_statement(parser *p) {
  next(p);
  token name = parse_new_name(p, "a name");
  parse_sign(p, '=', "'='");
  skip_lines(p);
  parse_expression(p);
  int slot = parse_new_local(p);
  parse_emit(p, OP_SET_LOCAL, slot, 0, 0, -1);
  parse_add_name(p, &name, NAME_LOCAL, slot);
}

static void act_statement(parser *p) {
  next(p);
  parse_emit(p, OP_ACT, 0, 0, parse_action(p), 0);
  p->emulates = true;
}

/* wait FRAMES */
static void wait_statement(parser *p) {
  next(p);
  parse_emit(p, OP_WAIT, 0, 0, parse_number(p, 1, 1000, "the number of frames"), 0);
  p->emulates = true;
}

static void reset_statement(parser *p) {
  next(p);
  parse_emit(p, OP_RESET, 0, 0, 0, 0);
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
  if (now(p)->kind != TOKEN_NAME) parse_fail_expected(p, "a statement");
  size_t i = 0, count = sizeof statements / sizeof *statements;
  while (i < count && !is_word(p, statements[i].word)) i++;
  if (p->g->for_players && is_word(p, "wait")) {
    parse_only_in(p, PROGRAM_SELECT);
    wait_statement(p);
  } else if (i == count) {
    assignment(p);
  } else {
    if (statements[i].select_only) parse_only_in(p, PROGRAM_SELECT);
    statements[i].parse(p);
  }
  end_statement(p);
}

void parse_block(parser *p) {
  parse_enter(p);
  int names = p->name_count;
  parse_sign(p, '{', "'{'");
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

void parse_begin_program(parser *p, program_kind kind) {
  p->program = kind;
  p->global_count = p->scope_base = p->name_count;
  p->define_limit = p->define_count;
  p->depth = p->stack = p->locals = 0;
  p->work = 0;
  p->weight = 1;
  p->reads = p->emulates = false;
  label(p);
}

int parse_program(parser *p, program_kind kind) {
  parse_begin_program(p, kind);
  int start = p->g->code_count;
  parse_block(p);
  parse_emit(p, OP_END, 0, 0, 0, 0);
  return start;
}

int parse_query(parser *p) {
  parse_begin_program(p, PROGRAM_QUERY);
  int start = p->g->code_count;
  parse_expression(p);
  parse_emit(p, OP_END, 0, 0, 0, 0);
  return start;
}
