/* SDL's keys as keys of keys.h. */
#include "cli/window_keys.h"

#ifdef SIXER_HAVE_SDL

#include "cli/keys.h"

int window_key(SDL_Keycode sym) {
  static const struct {
    SDL_Keycode sym;
    int key;
  } table[] = {
      /* those that are not characters */
      {SDLK_RETURN, KEY_ENTER},
      {SDLK_BACKSPACE, KEY_BACKSPACE},
      {SDLK_UP, KEY_UP},
      {SDLK_DOWN, KEY_DOWN},
      {SDLK_LEFT, KEY_LEFT},
      {SDLK_RIGHT, KEY_RIGHT},
      {SDLK_HOME, KEY_HOME},
      {SDLK_END, KEY_END},
      {SDLK_INSERT, KEY_INSERT},
      {SDLK_PAGEUP, KEY_PAGE_UP},
      {SDLK_PAGEDOWN, KEY_PAGE_DOWN},
      {SDLK_KP_0, KEY_PAD_0},
      {SDLK_KP_PERIOD, KEY_PAD_PERIOD},
      {SDLK_KP_DIVIDE, KEY_PAD_DIVIDE},
      {SDLK_KP_MULTIPLY, KEY_PAD_MULTIPLY},
      {SDLK_KP_MINUS, KEY_PAD_MINUS},
      {SDLK_KP_PLUS, KEY_PAD_PLUS},
      {SDLK_KP_ENTER, KEY_PAD_ENTER},
      {SDLK_LCTRL, KEY_LEFT_CTRL},
      {SDLK_RCTRL, KEY_RIGHT_CTRL},
      {SDLK_LSHIFT, KEY_LEFT_SHIFT},
      {SDLK_RSHIFT, KEY_RIGHT_SHIFT},
      {SDLK_LALT, KEY_LEFT_ALT},
      {SDLK_RALT, KEY_RIGHT_ALT},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    if (table[i].sym == sym) return table[i].key;
  }
  if (sym >= SDLK_F1 && sym <= SDLK_F12) return KEY_F1 + (int)(sym - SDLK_F1);
  if (sym >= SDLK_KP_1 && sym <= SDLK_KP_9) return KEY_PAD_0 + 1 + (int)(sym - SDLK_KP_1);
  return sym > 0 && sym < 128 ? (int)sym : 0;
}

#else
typedef int window_keys_unused;
#endif
