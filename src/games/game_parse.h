/* The parser of definitions: what its files share. game_parse.c holds tokens, names and instructions, game_expression.c
 * expressions, game_statement.c statements and whole programs, game_compile.c the lines of a file. Every function
 * leaves by lex_fail_at() when the text is wrong. */
#ifndef SIXER_GAMES_GAME_PARSE_H
#define SIXER_GAMES_GAME_PARSE_H

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
  const char *text; /* of the whole definition */
  game *g;
  uint64_t seen;                     /* which keys have been read, a bit each */
  size_t players_begin, players_end; /* the text of the block `players`; equal if there is none */

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

/* A message about the present token, which takes the place of %.*s. */
#define FAIL_TOKEN(p, format) FAIL(p, format, now(p)->length > 40 ? 40 : now(p)->length, now(p)->at)

static inline const token *now(const parser *p) { return &p->lex.place.token; }
static inline void next(parser *p) { lex_next(&p->lex); }

static inline bool same(const token *t, const char *word) {
  return (t->kind == TOKEN_NAME || t->kind == TOKEN_NUMBER) && (size_t)t->length == strlen(word) &&
         !memcmp(t->at, word, (size_t)t->length);
}

static inline bool is_word(const parser *p, const char *word) { return same(now(p), word); }

static inline bool is_sign(const parser *p, int sign) {
  return now(p)->kind == TOKEN_SIGN && now(p)->sign == sign;
}

static inline bool take_word(parser *p, const char *word) {
  if (!is_word(p, word)) return false;
  next(p);
  return true;
}

static inline bool take_sign(parser *p, int sign) {
  if (!is_sign(p, sign)) return false;
  next(p);
  return true;
}

static inline void skip_lines(parser *p) {
  while (now(p)->kind == TOKEN_LINE) next(p);
}

/* Fail with "expected WHAT, found" the present token. */
_Noreturn void parse_fail_expected(parser *p, const char *what);

/* Take what must come next, or fail. `shown` and `what` name it in the message. */
void parse_sign(parser *p, int sign, const char *shown);
void parse_line_end(parser *p);
int32_t parse_number(parser *p, int32_t min, int32_t max, const char *what);
int parse_action(parser *p);
token parse_new_name(parser *p, const char *what);

/* Copy the text of the present token into `size` bytes, and go on to the next. */
void parse_copy(parser *p, char *target, size_t size, const char *what);

/* ---- Names ----------------------------------------------------------------------------------------------------- */

/* Is it a word of the language? */
bool parse_is_reserved(const token *t);

/* NULL if the name means nothing here. */
const name_entry *parse_find_name(const parser *p, const token *t);
void parse_add_name(parser *p, const token *t, name_kind kind, int32_t value);

/* A slot for a value that lives as long as the program runs. */
int parse_new_local(parser *p);

/* ---- Instructions ---------------------------------------------------------------------------------------------- */

/* Append an instruction and return its index. `growth` is how many values it adds to the stack. */
int parse_emit(parser *p, int code, int a, int b, int32_t constant, int growth);

/* Operators on values whose code begins at the given indices. Constants are folded. */
void parse_emit_unary(parser *p, int code, int start);
void parse_emit_binary(parser *p, int code, int left, int right);
void parse_emit_truth(parser *p, int start); /* makes the value 0 or 1 */

/* True, and the constant, if the code from `start` on does nothing but push one. */
bool parse_constant_since(const parser *p, int start, int32_t *value);

static inline void emit_push(parser *p, int32_t constant) {
  parse_emit(p, OP_PUSH, 0, 0, constant, 1);
}

/* A place that is jumped to: what comes after is not merged with what stands before. */
static inline int label(parser *p) { return p->fence = p->g->code_count; }

static inline void jump_here(parser *p, int jump) { p->g->code[jump].constant = label(p); }

/* Take that constant out of the code. */
static inline void drop_constant(parser *p) {
  p->g->code_count--;
  p->stack--;
}

/* ---- Parts of a program ---------------------------------------------------------------------------------------- */

/* Count nested expressions and blocks, so that no text exhausts the C stack. */
void parse_enter(parser *p);
static inline void leave(parser *p) { p->depth--; }

void parse_expression(parser *p); /* leaves its value on the interpreter's stack */
void parse_block(parser *p);      /* statements in braces */

/* An expression that must be a constant; it leaves no code. */
int32_t parse_constant(parser *p, int32_t min, int32_t max, const char *what);

/* Fail if the present token is used in a program of another kind. */
void parse_only_in(parser *p, program_kind kind);

/* ---- Programs -------------------------------------------------------------------------------------------------- */

void parse_begin_program(parser *p, program_kind kind);

/* Compile a block, or an expression that reports something; returns where its code begins. */
int parse_program(parser *p, program_kind kind);
int parse_query(parser *p);

#endif
