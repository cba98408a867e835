/* Keys of terminals: characters, the sequences of xterm and its relatives, and kitty's keyboard protocol. */
#include "cli/terminal_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/os.h"
#include "util/os_terminal.h"
#include "util/os_process.h"

/* ---- Modes ----------------------------------------------------------------------------------------------------- */

void terminal_size(int *columns, int *lines) {
  *columns = 80;
  *lines = 24;
  os_terminal_size(OS_STDOUT, columns, lines);
}

sixer_err terminal_check(int min_columns, int min_lines, os_terminal_mode *before,
                         sixer_error *error) {
  if (!os_is_terminal(OS_STDOUT) || !os_is_terminal(OS_STDIN))
    return sixer_fail(error, SIXER_ERR_FILE,
                      "--terminal needs a terminal on both input and output");
  const char *kind = os_getenv("TERM");
  if (kind && !strcmp(kind, "dumb"))
    return sixer_fail(
        error, SIXER_ERR_FILE,
        "TERM=dumb: this terminal cannot position the cursor; use another one, or a window");
  int columns, lines;
  terminal_size(&columns, &lines);
  if (columns < min_columns || lines < min_lines)
    return sixer_fail(
        error, SIXER_ERR_FILE,
        "the terminal has %d columns and %d lines; at least %d and %d are needed: enlarge "
        "it or use a smaller font",
        columns, lines, min_columns, min_lines);
  if (!os_terminal_read_mode(before))
    return sixer_fail(error, SIXER_ERR_FILE, "the terminal cannot be used: %s", strerror(errno));
  return SIXER_OK;
}

static void say(const char *sequence) {
  if (os_write(OS_STDOUT, sequence, strlen(sequence)) < 0) return;
}

void terminal_enter(const os_terminal_mode *before) {
  os_terminal_raw(before);
  /* alternate screen, no cursor; request the key protocol and query whether it is supported */
  say("\033[?1049h\033[?25l\033[2J\033[>3u\033[?u");
}

void terminal_leave(const os_terminal_mode *before) {
  say("\033[<u\033[0m\033[?25h\033[?1049l");
  os_terminal_restore(before);
}

void terminal_suspend(const os_terminal_mode *before) {
  terminal_leave(before);
  os_suspend();
  terminal_enter(before);
}

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

static int key_of_character(int c) {
  if (c >= 'A' && c <= 'Z') return KEY_SHIFT | (c + 'a' - 'A');
  return c == '\n' ? KEY_ENTER : c == 127 ? KEY_BACKSPACE : c < 127 ? c : 0;
}

/* Sequences that end in a letter. */
static int key_of_letter(char last) {
  static const char letters[] = "ABDCHFPQRS";
  static const int keys[] = {KEY_UP,  KEY_DOWN, KEY_LEFT,   KEY_RIGHT,  KEY_HOME,
                             KEY_END, KEY_F1,   KEY_F1 + 1, KEY_F1 + 2, KEY_F1 + 3};
  const char *found = strchr(letters, last);
  return found && last ? keys[found - letters] : 0;
}

/* Sequences of a number and "~". */
static int key_of_number(int number) {
  static const int keys[] = {0,           KEY_HOME,      KEY_INSERT, KEY_DELETE, KEY_END,
                             KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_HOME,   KEY_END};
  if (number >= 1 && number <= 8) return keys[number];
  if (number >= 11 && number <= 15) return KEY_F1 + number - 11;
  if (number >= 17 && number <= 21) return KEY_F1 + number - 12;
  return number == 23 || number == 24 ? KEY_F1 + number - 13 : 0;
}

/* Codes of kitty's protocol. */
static int key_of_code(int code) {
  enum { PAD_0 = 57399, PAD_LEFT = 57417, PAD_INSERT = 57425 };
  static const int arrows[] = {4, 6, 8, 2}; /* the keypad without num lock */
  if (code >= PAD_0 && code < PAD_0 + 16) return KEY_PAD_0 + code - PAD_0;
  if (code >= PAD_LEFT && code < PAD_LEFT + 4) return KEY_PAD_0 + arrows[code - PAD_LEFT];
  if (code == PAD_INSERT) return KEY_PAD_0;
  return code > 0 && code <= 127 ? key_of_character(code) : 0;
}

/* A sequence that began with escape: arrows and function keys, or "code;modifiers:event u". */
static int decode_sequence(const char *text, int size, terminal_event *event) {
  if (size < 3 || (text[1] != '[' && text[1] != 'O')) return size < 3 ? size : 2;
  int end = 2;
  while (end < size && (text[end] < '@' || text[end] > '~')) end++;
  if (end == size) return size;
  char last = text[end], numbers[40];
  int length = end - 2 < 39 ? end - 2 : 39, code = 0, modifiers = 1, kind = 1;
  memcpy(numbers, text + 2, (size_t)length);
  numbers[length] = 0;
  sscanf(numbers, "%d;%d:%d", &code, &modifiers, &kind);
  modifiers = modifiers > 0 ? modifiers - 1 : 0;
  bool control = modifiers & 4;
  event->down = kind != 3;
  if (last == 'u' && numbers[0] == '?')
    event->releases = true;
  else if (last == 'u' && control && (code == 'c' || code == 'z'))
    event->key = code == 'c' ? KEY_CONTROL_C : KEY_CONTROL_Z;
  else
    event->key = last == 'u'   ? key_of_code(code)
                 : last == '~' ? key_of_number(code)
                               : key_of_letter(last);
  if (event->key && modifiers & 1) event->key |= KEY_SHIFT;
  if (event->key && modifiers & 2) event->key |= KEY_ALT;
  return end + 1;
}

int terminal_decode(const char *text, int size, terminal_event *event) {
  *event = (terminal_event){.down = true};
  if (text[0] == 27 && size > 1) return decode_sequence(text, size, event);
  event->key = key_of_character((unsigned char)text[0]);
  return 1;
}
