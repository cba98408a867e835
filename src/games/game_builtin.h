/* The definitions of games/ as text, in alphabetical order of ids. The table is written by cmake/embed.cmake. */
#ifndef SIXER_GAMES_GAME_BUILTIN_H
#define SIXER_GAMES_GAME_BUILTIN_H

#include <stddef.h>

typedef struct game_builtin {
  const char *id, *text;
  size_t length;
} game_builtin;

extern const game_builtin game_builtins[];
extern const int game_builtin_total;

#endif
