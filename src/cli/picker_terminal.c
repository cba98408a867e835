/* The picker in the terminal: titles on the left, the picture of the selected game on the right. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/picker.h"
#include "cli/terminal_input.h"
#include "util/error.h"
#include "util/os.h"
#include "util/os_process.h"

enum {
  MIN_COLUMNS = 40,
  MIN_LINES = 14,
  PAUSE = 60 /* ms that a game is selected before it is painted */
};

static volatile sig_atomic_t stopped;

static void on_signal(int number) {
  (void)number;
  stopped = 1;
}

typedef struct screen {
  picker *p;
  terminal_colors colors;
  int columns, lines, list_width, rows, first;
} screen;

static void place(screen *s) {
  terminal_size(&s->columns, &s->lines);
  s->list_width = s->columns >= 72 ? 30 : s->columns / 2 - 4;
  s->rows = s->lines - 3;
  if (s->p->selected < s->first) s->first = s->p->selected;
  if (s->p->selected >= s->first + s->rows) s->first = s->p->selected - s->rows + 1;
}

/* The picture goes through a buffer, because terminal_picture() writes whole lines. */
static void draw_picture(const screen *s, const picker_game *g) {
  int room = s->columns - s->list_width - 3, left = s->list_width + 4;
  double shape = 160 * 12.0 / 7 / g->height; /* of cells that are two pixels high */
  int width = room < 160 ? room : 160, height = (int)(width / shape / 2);
  if (height > s->rows) {
    height = s->rows;
    width = (int)(2 * height * shape);
  }
  if (width < 2 || height < 1) return;
  char *text = NULL;
  size_t size = 0;
  FILE *out = os_stream_open(&text, &size);
  if (!out) return;
  terminal_picture(out, g->rgb, 160, g->height, width, height, s->colors);
  os_stream_close(out, &text, &size);
  int line = 2;
  for (char *at = text, *end; at && (end = strchr(at, '\n')); at = end + 1)
    printf("\033[%d;%dH%.*s", line++, left, (int)(end - at), at);
  free(text);
}

static void draw(screen *s) {
  picker *p = s->p;
  place(s);
  printf("\033[0m\033[H\033[2J");
  if (p->search[0])
    printf("games with '%.*s': %d", s->columns - 24, p->search, p->shown_count);
  else
    printf("%.*s", s->columns - 1, "Which game? Type to search.");
  for (int row = 0; row < s->rows && s->first + row < p->shown_count; row++) {
    int at = s->first + row;
    const picker_game *g = &p->games[p->shown[at]];
    printf("\033[%d;1H%s%c %-*.*s\033[0m", row + 2, at == p->selected ? "\033[7m" : "",
           at == p->selected ? '>' : ' ', s->list_width, s->list_width, g->title);
  }
  const picker_game *g = picker_selected(p);
  if (g && g->rgb) draw_picture(s, g);
  if (g && g->tried && !g->rgb)
    printf("\033[2;%dH%.*s", s->list_width + 4, s->columns - s->list_width - 4,
           "its image cannot be played");
  printf("\033[%d;1H%.*s", s->lines, s->columns - 1,
         "up, down: choose   Enter: play   Esc: quit   (sixer play GAME starts a game at once)");
  fflush(stdout);
}

static void read_keys(screen *s, const os_terminal_mode *before) {
  char text[512];
  ptrdiff_t n = os_read(OS_STDIN, text, sizeof text);
  if (n == 0) s->p->ended = true; /* the terminal is gone */
  for (int i = 0; i < n && !s->p->chosen;) {
    terminal_event event;
    i += terminal_decode(text + i, (int)n - i, &event);
    if (event.key == KEY_CONTROL_C)
      s->p->ended = true;
    else if (event.key == KEY_CONTROL_Z)
      terminal_suspend(before);
    else if (event.key && event.down)
      picker_key(s->p, event.key, 1, s->rows);
  }
}

sixer_err picker_run_terminal(picker *p, terminal_colors colors, sixer_error *error) {
  os_terminal_mode before;
  sixer_err err = terminal_check(MIN_COLUMNS, MIN_LINES, &before, error);
  if (err) return err;
  screen s = {.p = p, .colors = colors};
  os_handlers handlers;
  stopped = 0;
  os_handlers_set(on_signal, &handlers);
  fflush(stdout);
  terminal_enter(&before);
  draw(&s);
  while (!p->chosen && !p->ended && !stopped) {
    const int input = OS_STDIN;
    bool ready;
    picker_game *g = picker_selected(p);
    int columns = s.columns, lines = s.lines;
    if (os_wait_readable(&input, 1, g && !g->tried ? PAUSE : 500, &ready) > 0) {
      read_keys(&s, &before);
      draw(&s);
    } else if (g && picker_paint(g)) {
      draw(&s);
    } else {
      terminal_size(&columns, &lines);
      if (columns != s.columns || lines != s.lines) draw(&s);
    }
  }
  terminal_leave(&before);
  os_handlers_restore(&handlers);
  if (stopped) p->chosen = false;
  return SIXER_OK;
}
