/* The picker: a list of the games that can be played here, with a picture of each, for `sixer play` without a game. The
 * list, the search and the keys are the same in the window and in the terminal; each draws it in its own way. */
#ifndef SIXER_CLI_PICKER_H
#define SIXER_CLI_PICKER_H

#include "cli/keys.h"
#include "cli/terminal.h"
#include "sixer/sixer.h"

typedef struct picker_game {
  char id[64], title[80];
  bool tried;   /* a picture was asked for */
  uint8_t *rgb; /* 160 pixels a row; NULL: not made yet, or the image cannot be played */
  int height;
} picker_game;

typedef struct picker {
  picker_game *games; /* in the order of their titles */
  int count;
  int *shown; /* indices of the games that match the search */
  int shown_count;
  int selected; /* index into shown */
  char search[40];
  bool chosen, ended; /* a game was chosen; or nobody wants one */
} picker;

/* List the games whose images are found. Fails if there is no memory: games of our own are always there. */
sixer_err picker_open(picker *p, sixer_error *error);
void picker_close(picker *p);

/* The game that is selected; NULL if the search finds none. */
picker_game *picker_selected(picker *p);

/* A key of keys.h. `columns`: games that stand side by side; `page`: games on a page. */
void picker_key(picker *p, int key, int columns, int page);

/* Play a few seconds for the picture of a game, unless that has been done. False if nothing had to be done. */
bool picker_paint(picker_game *game);

/* Let a person choose. The id goes to `id`, which is empty if nobody chose. */
sixer_err picker_run_terminal(picker *p, terminal_colors colors, sixer_error *error);
sixer_err picker_run_window(picker *p, const char *script, sixer_error *error);

#endif
