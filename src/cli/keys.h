/* Keys: which key does what while somebody plays, in the window and in the terminal.
 *
 * A map is written as text, one command a line, "fire = space, left ctrl". The defaults are such a text, and so is a
 * person's own file, whose lines replace those of the same commands:
 *
 *     # keys of the console's switches
 *     select = F8, t
 *     [terminal]
 *     quit = q
 *
 * Lines below [window] or [terminal] are for that one only. A key does one thing: if a line gives it to a command, it
 * is taken from the command that had it by default. docs/play.md describes the format. */
#ifndef SIXER_CLI_KEYS_H
#define SIXER_CLI_KEYS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sixer/sixer.h"

/* What a key can do. Those up to KEYS_HELD last as long as the key is held; the order is that of the help. */
typedef enum key_command {
  DO_UP,
  DO_DOWN,
  DO_LEFT,
  DO_RIGHT,
  DO_FIRE,
  DO_B_UP,
  DO_B_DOWN,
  DO_B_LEFT,
  DO_B_RIGHT,
  DO_B_FIRE,
  DO_SELECT,
  DO_RESET,
  DO_BACK,
  DO_FAST,
  DO_FASTER,
  KEYS_HELD,
  DO_LEFT_DIFFICULTY = KEYS_HELD,
  DO_RIGHT_DIFFICULTY,
  DO_COLOR,
  DO_NEW_GAME,
  DO_MODE,
  DO_MODE_BACK,
  DO_DIFFICULTY,
  DO_DIFFICULTY_BACK,
  DO_LEVEL,
  DO_LEVEL_BACK,
  DO_PAUSE,
  DO_FRAME,
  DO_SLOT_0,
  DO_SLOT_9 = DO_SLOT_0 + 9,
  DO_SAVE,
  DO_LOAD,
  DO_FULLSCREEN,
  DO_SCREENSHOT,
  DO_OVERLAY,
  DO_INSIGHT,
  DO_MUTE,
  DO_MOUSE,
  DO_RELEASE,
  DO_HELP,
  DO_QUIT,
  KEYS_COMMANDS,
  DO_NOTHING = KEYS_COMMANDS
} key_command;

/* A key is its character, small letters for letters, or one of these; plus what is held with it. */
enum {
  KEY_BACKSPACE = 8,
  KEY_TAB = 9,
  KEY_ENTER = 13,
  KEY_ESCAPE = 27,
  KEY_DELETE = 127,
  KEY_UP = 256,
  KEY_DOWN,
  KEY_LEFT,
  KEY_RIGHT,
  KEY_HOME,
  KEY_END,
  KEY_INSERT,
  KEY_PAGE_UP,
  KEY_PAGE_DOWN,
  KEY_F1,
  KEY_PAD_0 = KEY_F1 + 12,
  KEY_PAD_PERIOD = KEY_PAD_0 + 10,
  KEY_PAD_DIVIDE,
  KEY_PAD_MULTIPLY,
  KEY_PAD_MINUS,
  KEY_PAD_PLUS,
  KEY_PAD_ENTER,
  KEY_LEFT_CTRL,
  KEY_RIGHT_CTRL,
  KEY_LEFT_SHIFT,
  KEY_RIGHT_SHIFT,
  KEY_LEFT_ALT,
  KEY_RIGHT_ALT,
  KEY_SHIFT = 0x1000,
  KEY_ALT = 0x2000,
  KEY_PLAIN = 0x0FFF
};

enum { KEYS_MAX = 128, KEYS_FILE_MAX = 1 << 16 };

typedef struct key_binding {
  uint16_t key;
  uint8_t command;
} key_binding;

typedef struct key_map {
  key_binding bound[KEYS_MAX];
  int count;
} key_map;

/* The defaults of the window or the terminal. */
key_map keys_default(bool terminal);

/* Apply lines of text to a map. `origin` names them in errors, which say the line and the nearest name. Nothing is
 * changed on failure. */
sixer_err keys_read(key_map *map, bool terminal, const char *text, const char *origin,
                    sixer_error *error);

/* The map that somebody gets: the defaults (those for two people at one keyboard, if `two`), then the file sixer/keys
 * in $XDG_CONFIG_HOME or ~/.config if there is one, then `option`: a file, or lines with semicolons between,
 * "fire = x; select = F8". NULL: no option. */
sixer_err keys_open(key_map *map, bool terminal, bool two, const char *option, sixer_error *error);

/* What a key does; DO_NOTHING if nothing. A key that is not bound with shift or alt does what it does without. */
key_command keys_find(const key_map *map, int key);

/* The keys of a command as text, "F2, n"; empty if it has none. */
void keys_names(const key_map *map, key_command command, char *text, size_t size);

/* The first key of a command, "F2"; "no key" if it has none. */
void keys_first(const key_map *map, key_command command, char *text, size_t size);

/* The line that is shown when play begins: keys of the map for the stick and the button (unless `mouse`: then the key
 * that lets the mouse go), for a new game, for the list of keys and for quitting. If `two`, the keys of both people. */
void keys_greeting(const key_map *map, bool mouse, bool two, char *text, size_t size);

/* Line `index` of the list of keys for people: the keys and what they do. False after the last. */
bool keys_help(const key_map *map, bool terminal, int index, char *keys, size_t size,
               const char **meaning);

/* Print a map in the form in which it is read. */
void keys_print(const key_map *map, FILE *out);

#endif
