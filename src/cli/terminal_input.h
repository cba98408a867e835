/* The terminal as a device: its raw mode, and its keys as events. */
#ifndef SIXER_CLI_TERMINAL_INPUT_H
#define SIXER_CLI_TERMINAL_INPUT_H

#include <stdbool.h>

#include "cli/keys.h"
#include "sixer/sixer.h"
#include "util/os_terminal.h"

/* Is there a terminal that can position its cursor, of at least this size? Also reads its settings. */
sixer_err terminal_check(int min_columns, int min_lines, os_terminal_mode *before,
                         sixer_error *error);

/* Its size in characters; 80 x 24 if it does not say. */
void terminal_size(int *columns, int *lines);

/* Raw mode on the alternate screen, and back. */
void terminal_enter(const os_terminal_mode *before);
void terminal_leave(const os_terminal_mode *before);

/* Back to the shell, as control Z does in other programs. Returns when the shell lets this program go on. */
void terminal_suspend(const os_terminal_mode *before);

enum { KEY_CONTROL_C = 3, KEY_CONTROL_Z = 26 };

typedef struct terminal_event {
  int key;       /* as in keys.h, or KEY_CONTROL_C or _Z; 0: nothing that is known */
  bool down;     /* pressed, not released */
  bool releases; /* the reply to our query: this terminal reports releases */
} terminal_event;

/* Decode the first event of what was read; returns the bytes that it took, at least 1. */
int terminal_decode(const char *text, int size, terminal_event *event);

#endif
