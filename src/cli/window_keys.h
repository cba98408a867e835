/* SDL's keys as keys of keys.h. */
#ifndef SIXER_CLI_WINDOW_KEYS_H
#define SIXER_CLI_WINDOW_KEYS_H

#ifdef SIXER_HAVE_SDL

#include <SDL.h>

#include "sixer/sixer.h"

/* The key of an SDL key; 0: none that is known here. */
int window_key(SDL_Keycode sym);

/* Start SDL's video; an error if there is no display. */
sixer_err window_start(sixer_error *error);

#endif
#endif
