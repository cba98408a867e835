/* Play in a window (SDL2). */
#ifndef SIXER_CLI_WINDOW_H
#define SIXER_CLI_WINDOW_H

#include "cli/player.h"

typedef struct window_settings {
  int scale; /* initial size of the window: rows of pixels per line */
  bool fullscreen;
  bool mute;
  bool crt;           /* the lines of a television: dark between the rows */
  const char *keys;   /* of --keys; NULL: none */
  const char *script; /* events of a test, and its clock; NULL: none */
} window_settings;

/* False if this build has no window; `error` says how to get one. */
bool window_available(sixer_error *error);

/* Show the player until it is finished or the window is closed. */
sixer_err window_run(player *p, const window_settings *settings, sixer_error *error);

#endif
