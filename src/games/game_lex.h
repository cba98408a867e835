/* Tokens of a definition, and the error that ends its compilation. Used by the files of the compiler only
 * (game_parse.h). */
#ifndef SIXER_GAMES_GAME_LEX_H
#define SIXER_GAMES_GAME_LEX_H

#include <setjmp.h>

#include "sixer/sixer.h"
#include "util/os.h"

typedef enum token_kind {
  TOKEN_END,  /* of the text */
  TOKEN_LINE, /* end of a line that holds something */
  TOKEN_NAME,
  TOKEN_NUMBER,
  TOKEN_TEXT, /* in double quotes */
  TOKEN_SIGN, /* an operator or bracket; `sign` is its first character, or one of the pairs below */
} token_kind;

enum {
  SIGN_EQ = 256, /* == */
  SIGN_NE,       /* != */
  SIGN_LE,       /* <= */
  SIGN_GE,       /* >= */
  SIGN_SHL,      /* << */
  SIGN_SHR,      /* >> */
  SIGN_TO,       /* .. */
};

typedef struct token {
  token_kind kind;
  int sign;
  int32_t number;
  /* the token in the text of the definition; without quotes if it is a text */
  const char *at;
  int length;
  int line, column;
} token;

/* A place in the text, to come back to. */
typedef struct lex_place {
  const char *next;
  int line;
  const char *line_start;
  int depth; /* of round and square brackets: inside them lines do not end */
  token token;
} lex_place;

typedef struct lexer {
  const char *name; /* of the file */
  const char *end;
  lex_place place;
  jmp_buf *trouble; /* where lex_fail jumps to */
  sixer_error error;
} lexer;

/* Begin before the first token: lex_next() reads it. */
void lex_begin(lexer *lex, const char *name, const char *text, size_t length);
void lex_next(lexer *lex);

/* Record "NAME:LINE:COLUMN: reason" and leave by *trouble. */
_Noreturn void lex_fail_at(lexer *lex, int line, int column, const char *format, ...)
    OS_PRINTF(4, 5);

/* The present token as a person would name it, for messages; `buffer` holds it. */
const char *lex_show(const lexer *lex, char *buffer, size_t size);

#endif
