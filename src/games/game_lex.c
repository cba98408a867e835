/* Splits a definition into tokens. Comments begin with # and run to the end of the line; a line ends a statement,
 * except inside brackets. Any byte string is accepted or refused with a place and a reason. */
#include "games/game_lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lex_fail_at(lexer *lex, int line, int column, const char *format, ...) {
  lex->error.code = SIXER_ERR_GAME;
  int used = snprintf(lex->error.message, sizeof lex->error.message, "%.200s:%d:%d: ", lex->name,
                      line, column);
  va_list args;
  va_start(args, format);
  vsnprintf(lex->error.message + used, sizeof lex->error.message - (size_t)used, format, args);
  va_end(args);
  longjmp(*lex->trouble, 1);
}

const char *lex_show(const lexer *lex, char *buffer, size_t size) {
  const token *t = &lex->place.token;
  switch (t->kind) {
    case TOKEN_END: return "the end of the file";
    case TOKEN_LINE: return "the end of the line";
    default: break;
  }
  int length = t->length > 40 ? 40 : t->length;
  snprintf(buffer, size, "'%.*s'", length, t->at);
  return buffer;
}

static bool is_letter(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(int c) { return c >= '0' && c <= '9'; }

static int hex_value(int c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* A number, or a name that begins with a digit (an MD5, "4K"): digits followed by letters are one token. */
static void lex_number(lexer *lex, token *t) {
  const char *p = t->at, *end = lex->end;
  while (p < end && (is_letter(*p) || is_digit(*p))) p++;
  t->length = (int)(p - t->at);
  int base = 10;
  const char *digits = t->at;
  if (t->length > 2 && t->at[0] == '0' && t->at[1] == 'x') base = 16, digits += 2;
  int64_t value = 0;
  for (const char *d = digits; d < p; d++) {
    int digit = hex_value(*d);
    if (digit < 0 || digit >= base) {
      if (base == 16) {
        lex_fail_at(lex, t->line, t->column, "'%.*s' is not a number",
                    t->length > 40 ? 40 : t->length, t->at);
      }
      t->kind = TOKEN_NAME;
      return;
    }
    if (value <= INT32_MAX) value = value * base + digit;
  }
  t->kind = TOKEN_NUMBER;
  /* -1: too large, unless it is read as a name */
  t->number = value > INT32_MAX ? -1 : (int32_t)value;
}

static int pair(int first, int second) {
  if (second == '=') {
    switch (first) {
      case '=': return SIGN_EQ;
      case '!': return SIGN_NE;
      case '<': return SIGN_LE;
      case '>': return SIGN_GE;
    }
  }
  if (first == '<' && second == '<') return SIGN_SHL;
  if (first == '>' && second == '>') return SIGN_SHR;
  if (first == '.' && second == '.') return SIGN_TO;
  return 0;
}

void lex_next(lexer *lex) {
  lex_place *place = &lex->place;
  const char *p = place->next, *end = lex->end;
  bool line_has_content = place->token.kind != TOKEN_LINE && place->token.kind != TOKEN_END;
  token *t = &place->token;

  for (;; p++) {
    if (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) continue;
    if (p < end && *p == '#') {
      while (p < end && *p != '\n') p++;
    }
    if (p < end && *p == '\n') {
      if (line_has_content && !place->depth) {
        *t = (token){TOKEN_LINE, 0, 0, p, 1, place->line, (int)(p - place->line_start) + 1};
        place->next = p + 1;
        place->line++;
        place->line_start = p + 1;
        return;
      }
      place->line++;
      place->line_start = p + 1;
      continue;
    }
    break;
  }

  *t = (token){TOKEN_END, 0, 0, p, 1, place->line, (int)(p - place->line_start) + 1};
  place->next = p;
  if (p == end) {
    if (line_has_content) t->kind = TOKEN_LINE;
    return;
  }
  unsigned char c = (unsigned char)*p;
  if (is_letter(c)) {
    while (p < end && (is_letter(*p) || is_digit(*p))) p++;
    t->kind = TOKEN_NAME;
    t->length = (int)(p - t->at);
  } else if (is_digit(c)) {
    lex_number(lex, t);
  } else if (c == '"') {
    t->at = ++p;
    while (p < end && *p != '"' && *p != '\n') p++;
    if (p == end || *p != '"')
      lex_fail_at(lex, t->line, t->column, "this text has no closing quote");
    t->kind = TOKEN_TEXT;
    t->length = (int)(p - t->at);
    place->next = p + 1;
    return;
  } else if (c && strchr("()[]{},:?+-*/%&|^<>=!.", c)) {
    int both = p + 1 < end ? pair(c, p[1]) : 0;
    t->kind = TOKEN_SIGN;
    t->sign = both ? both : c;
    t->length = both ? 2 : 1;
    if (c == '(' || c == '[') place->depth++;
    if ((c == ')' || c == ']') && place->depth > 0) place->depth--;
  } else if (c >= 33 && c < 127) {
    lex_fail_at(lex, t->line, t->column, "unexpected character '%c'", c);
  } else {
    lex_fail_at(lex, t->line, t->column, "unexpected byte 0x%02X", c);
  }
  place->next = t->at + t->length;
}

void lex_begin(lexer *lex, const char *name, const char *text, size_t length) {
  lex->name = name;
  lex->end = text + length;
  lex->place = (lex_place){text, 1, text, 0, {TOKEN_LINE, 0, 0, text, 0, 1, 1}};
  lex->error = (sixer_error){SIXER_OK, ""};
}
