/* Play in the terminal. A character cell shows two pixels, one above the other: an upper half block in the color of the
 * upper pixel on a background of the lower one's. Only cells that changed are written. Most terminals report when a key
 * is pressed but not when it is released, so a direction counts as held for HOLD_FRAMES after each press. Terminals
 * with kitty's keyboard protocol report releases too: it is requested at the start. */
#include "cli/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/pace.h"
#include "cli/terminal_input.h"
#include "util/os.h"
#include "util/os_process.h"

/* ---- Colors ---------------------------------------------------------------------------------------------------- */

bool terminal_colors_by_name(const char *name, terminal_colors *colors) {
  static const char *const names[] = {"24bit", "256", "16", "none"};
  if (!strcmp(name, "auto")) {
    const char *can = os_getenv("COLORTERM"), *term = os_getenv("TERM"),
               *without = os_getenv("NO_COLOR");
    *colors = without && *without                                         ? COLORS_NONE
              : can && (strstr(can, "truecolor") || strstr(can, "24bit")) ? COLORS_24BIT
              : term && (strstr(term, "direct") || strstr(term, "kitty")) ? COLORS_24BIT
              : term && strstr(term, "256")                               ? COLORS_256
              : term && strcmp(term, "dumb") != 0                         ? COLORS_16
                                                                          : COLORS_NONE;
    return true;
  }
  for (int i = 0; i < 4; i++) {
    if (!strcmp(names[i], name)) {
      *colors = (terminal_colors)i;
      return true;
    }
  }
  return false;
}

static int squared(int a) { return a * a; }

/* Of xterm's 256: a cube of six levels a channel from 16 on, and 24 grays from 232 on. */
static int color_256(uint32_t rgb) {
  static const int levels[] = {0, 95, 135, 175, 215, 255};
  int channel[3] = {(int)(rgb >> 16 & 255), (int)(rgb >> 8 & 255), (int)(rgb & 255)};
  int closest[3], distance = 0;
  for (int i = 0; i < 3; i++) {
    closest[i] = 0;
    for (int k = 1; k < 6; k++) {
      if (abs(levels[k] - channel[i]) < abs(levels[closest[i]] - channel[i])) closest[i] = k;
    }
    distance += squared(levels[closest[i]] - channel[i]);
  }
  int mean = (channel[0] + channel[1] + channel[2]) / 3;
  int gray = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10, level = 8 + 10 * gray;
  int gray_distance =
      squared(level - channel[0]) + squared(level - channel[1]) + squared(level - channel[2]);
  if (gray_distance < distance) return 232 + gray;
  return 16 + 36 * closest[0] + 6 * closest[1] + closest[2];
}

/* Of the 16 basic ones, as most terminals draw them. */
static int color_16(uint32_t rgb) {
  static const uint32_t basic[16] = {0x000000, 0xAA0000, 0x00AA00, 0xAA5500, 0x0000AA, 0xAA00AA,
                                     0x00AAAA, 0xAAAAAA, 0x555555, 0xFF5555, 0x55FF55, 0xFFFF55,
                                     0x5555FF, 0xFF55FF, 0x55FFFF, 0xFFFFFF};
  int best = 0, best_distance = 1 << 30;
  for (int i = 0; i < 16; i++) {
    int distance = 0;
    for (int shift = 0; shift < 24; shift += 8)
      distance += squared((int)(basic[i] >> shift & 255) - (int)(rgb >> shift & 255));
    if (distance < best_distance) {
      best = i;
      best_distance = distance;
    }
  }
  return best;
}

/* A color as the terminal shows it, so that cells that would look the same compare equal. */
static uint32_t reduce(uint32_t rgb, terminal_colors colors) {
  switch (colors) {
    case COLORS_24BIT: return rgb;
    case COLORS_256: return (uint32_t)color_256(rgb);
    case COLORS_16: return (uint32_t)color_16(rgb);
    case COLORS_NONE: break;
  }
  return ((rgb >> 16 & 255) * 30 + (rgb >> 8 & 255) * 59 + (rgb & 255) * 11) / 100;
}

static void put_color(FILE *out, uint32_t color, bool ground, terminal_colors colors) {
  switch (colors) {
    case COLORS_24BIT:
      fprintf(out, "\033[%d;2;%u;%u;%um", ground ? 48 : 38, color >> 16 & 255, color >> 8 & 255,
              color & 255);
      break;
    case COLORS_256: fprintf(out, "\033[%d;5;%um", ground ? 48 : 38, color); break;
    case COLORS_16:
      fprintf(out, "\033[%um", (ground ? 40 : 30) + (color > 7 ? 52 + color : color));
      break;
    case COLORS_NONE: break;
  }
}

/* ---- Pictures -------------------------------------------------------------------------------------------------- */

typedef struct cell {
  uint32_t upper, lower;
} cell;

/* The mean color of the part of the picture that a pixel of the terminal covers. */
static uint32_t mean_color(const uint8_t *rgb, int width, int height, int x, int y, int columns,
                           int rows) {
  int x0 = x * width / columns, x1 = (x + 1) * width / columns;
  int y0 = y * height / rows, y1 = (y + 1) * height / rows;
  if (x1 == x0) x1++;
  if (y1 == y0) y1++;
  unsigned sum[3] = {0}, count = (unsigned)((x1 - x0) * (y1 - y0));
  for (int v = y0; v < y1; v++) {
    const uint8_t *at = rgb + 3 * (v * width + x0);
    for (int u = x0; u < x1; u++, at += 3) {
      for (int i = 0; i < 3; i++) sum[i] += at[i];
    }
  }
  return sum[0] / count << 16 | sum[1] / count << 8 | sum[2] / count;
}

static void make_cells(cell *cells, const uint8_t *rgb, int rgb_width, int rgb_height, int width,
                       int height, terminal_colors colors) {
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      cell *c = &cells[y * width + x];
      c->upper =
          reduce(mean_color(rgb, rgb_width, rgb_height, x, 2 * y, width, 2 * height), colors);
      c->lower =
          reduce(mean_color(rgb, rgb_width, rgb_height, x, 2 * y + 1, width, 2 * height), colors);
    }
  }
}

/* Print a cell. `set` holds the terminal's current colors; only those that differ are set again. */
static void put_cell(FILE *out, const cell *c, cell *set, terminal_colors colors) {
  if (colors == COLORS_NONE) {
    static const char shades[] = " .:-=+*#%@";
    fputc(shades[(c->upper + c->lower) / 2 * 9 / 255], out);
    return;
  }
  if (set->upper != c->upper && c->upper != c->lower) {
    put_color(out, c->upper, false, colors);
    set->upper = c->upper;
  }
  if (set->lower != c->lower) {
    put_color(out, c->lower, true, colors);
    set->lower = c->lower;
  }
  fputs(c->upper == c->lower ? " " : "\xE2\x96\x80", out);
}

static const cell no_colors = {UINT32_MAX, UINT32_MAX};

void terminal_picture(FILE *out, const uint8_t *rgb, int rgb_width, int rgb_height, int width,
                      int height, terminal_colors colors) {
  cell *cells = calloc((size_t)width * (size_t)height, sizeof *cells);
  if (!cells) return;
  make_cells(cells, rgb, rgb_width, rgb_height, width, height, colors);
  for (int y = 0; y < height; y++) {
    cell set = no_colors;
    for (int x = 0; x < width; x++) put_cell(out, &cells[y * width + x], &set, colors);
    fputs(colors == COLORS_NONE ? "\n" : "\033[0m\n", out);
  }
  free(cells);
}

/* ---- The screen ------------------------------------------------------------------------------------------------ */

enum {
  MIN_COLUMNS = 40,
  MIN_LINES = 14,
  HOLD_FRAMES = 14,
  SWITCH_FRAMES = 6, /* for which SELECT and RESET are pressed: games act once */
  BACK_STEPS = 60,
  PANEL_COLUMNS = 36
};

typedef struct terminal {
  player *p;
  key_map keys;
  terminal_colors colors;
  os_terminal_mode before;
  int columns, lines, width, height; /* of the terminal; of the picture, in cells */
  cell *shown;
  uint8_t *rgb;
  FILE *out;
  char *buffer;
  size_t buffer_size;
  int held[KEYS_HELD]; /* frames left, per command; -1: until it is released */
  bool releases;       /* the terminal reports key releases */
  bool suspend;        /* asked for by a key */
  char last_status[400];
} terminal;

static volatile sig_atomic_t stopped; /* set by a signal: end the loop and restore the terminal */

static void on_signal(int number) {
  (void)number;
  stopped = 1;
}

static bool measure(terminal *t) {
  int columns, lines;
  terminal_size(&columns, &lines);
  bool same = t->columns == columns && t->lines == lines;
  t->columns = columns;
  t->lines = lines;
  return same;
}

/* Predictions are shown beside the picture if there is room for both. */
static bool has_panel(const terminal *t) {
  return insight_has_panel(&t->p->insight) && t->columns >= MIN_COLUMNS + PANEL_COLUMNS;
}

/* The largest picture of the right shape: a cell is about half as wide as high, so its pixels are square. */
static bool place_picture(terminal *t) {
  int rows = sixer_env_height(t->p->env), room = 2 * (t->lines - 2);
  double shape = 160 * 12.0 / 7 / rows;
  t->width = t->columns;
  if (has_panel(t)) t->width -= PANEL_COLUMNS;
  t->height = (int)(t->width / shape);
  if (t->height > room) {
    t->height = room;
    t->width = (int)(room * shape);
  }
  if (t->width > 160) t->width = 160;
  t->height /= 2;
  free(t->shown);
  t->shown = calloc((size_t)t->width * (size_t)t->height, sizeof *t->shown);
  if (!t->shown) return false;
  for (int i = 0; i < t->width * t->height; i++) t->shown[i] = no_colors;
  t->last_status[0] = 0;
  return true;
}

static void flush_screen(terminal *t) {
  os_stream_flush(t->out, &t->buffer, &t->buffer_size);
  size_t size = t->buffer_size, done = 0;
  while (done < size && !stopped) {
    ptrdiff_t n = os_write(OS_STDOUT, t->buffer + done, size - done);
    if (n > 0)
      done += (size_t)n;
    else if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
      os_terminal_wait_output();
    } else {
      break;
    }
  }
  rewind(t->out);
}

static void draw_ram(terminal *t) {
  const uint8_t *ram = sixer_env_ram(t->p->env);
  for (int row = 0; row < 8; row++) {
    fprintf(t->out, "\033[%d;%dH\033[0m%02x", row + 1, t->columns - 50, 0x80 + 16 * row);
    for (int i = 0; i < 16; i++) fprintf(t->out, " %02x", ram[16 * row + i]);
  }
}

/* A distribution or a bar in one line of `columns` characters. */
static void put_bar(terminal *t, const insight *in, int a, int columns) {
  static const char *const blocks[] = {" ",
                                       "\xE2\x96\x81",
                                       "\xE2\x96\x82",
                                       "\xE2\x96\x83",
                                       "\xE2\x96\x84",
                                       "\xE2\x96\x85",
                                       "\xE2\x96\x86",
                                       "\xE2\x96\x87",
                                       "\xE2\x96\x88"};
  int filled = (int)(insight_place(in, in->values[a]) * columns + 0.5);
  for (int i = 0; i < columns; i++) {
    float most = 0;
    for (int k = i * in->bins / columns; k < (i + 1) * in->bins / columns; k++)
      most = in->distribution[a][k] > most ? in->distribution[a][k] : most;
    int eighths = in->bins ? (int)(most * 8 + 0.5f) : i < filled ? 8 : 0;
    if (t->colors == COLORS_NONE)
      fputc(" .:-=+*#@"[eighths], t -> out);
    else
      fputs(blocks[eighths], t->out);
  }
}

/* What the network predicts, to the right of the picture: action, value, distribution. */
static void draw_panel(terminal *t) {
  enum { TEXT = 24 };
  const insight *in = &t->p->insight;
  char title[80];
  insight_title(in, title, sizeof title);
  int room = t->columns - t->width - TEXT - 1;
  if (room > INSIGHT_BINS) room = INSIGHT_BINS;
  fprintf(t->out, "\033[1;%dH\033[0m%-.*s\033[K", t->width + 2, room + TEXT - 2, title);
  for (int a = 0; a < in->count && a + 2 <= t->lines - 1; a++) {
    fprintf(t->out, "\033[%d;%dH\033[0m%s%c%-13s %7.3f ", a + 2, t->width + 2,
            a == in->best ? "\033[1m" : "", a == in->best ? '>' : ' ',
            sixer_action_name(in->actions[a]), in->values[a]);
    put_bar(t, in, a, room);
  }
  fputs("\033[0m", t->out);
}

/* The tint of what the network looks at. */
static void tint(terminal *t, int rows) {
  for (int i = 0; i < 160 * rows; i++) {
    const int column = i % 160, row = i / 160;
    uint8_t *at = t->rgb + 3 * i;
    uint32_t color = insight_tint(&t->p->insight, (uint32_t)(at[0] << 16 | at[1] << 8 | at[2]),
                                  (column + 0.5) / 160, (row + 0.5) / rows);
    for (int k = 0; k < 3; k++) at[k] = (uint8_t)(color >> (16 - 8 * k));
  }
}

/* The keys, over the picture. */
static void draw_help(terminal *t) {
  char keys[60];
  const char *meaning;
  for (int i = 0; i < t->height && keys_help(&t->keys, true, i, keys, sizeof keys, &meaning); i++) {
    int room = t->columns - 26;
    fprintf(t->out, "\033[%d;1H\033[0m %-22s  %-.*s\033[K", i + 1, keys, room > 0 ? room : 0,
            meaning);
  }
}

/* Draw everything anew: something else was on the screen. */
static void start_over(terminal *t) {
  fputs("\033[0m\033[2J", t->out);
  place_picture(t);
}

static void draw(terminal *t) {
  player *p = t->p;
  if (!measure(t)) {
    fputs("\033[0m\033[2J", t->out);
    if (!place_picture(t)) return;
  }
  bool panel = has_panel(t);
  bool ram = p->overlay == OVERLAY_RAM && t->columns - t->width >= 51 && !panel;
  if (sixer_env_rgb(p->env, t->rgb)) return;
  player_look(p);
  if (p->insight.shown == INSIGHT_SALIENCY) tint(t, sixer_env_height(p->env));
  cell *cells = calloc((size_t)t->width * (size_t)t->height, sizeof *cells);
  if (!cells) return;
  make_cells(cells, t->rgb, 160, sixer_env_height(p->env), t->width, t->height, t->colors);
  cell set = no_colors;
  for (int y = 0; y < t->height; y++) {
    int at = -1; /* where the cursor is in this line */
    for (int x = 0; x < t->width; x++) {
      const cell *c = &cells[y * t->width + x];
      cell *old = &t->shown[y * t->width + x];
      if (c->upper == old->upper && c->lower == old->lower) continue;
      if (at != x) fprintf(t->out, "\033[%d;%dH", y + 1, x + 1);
      put_cell(t->out, c, &set, t->colors);
      *old = *c;
      at = x + 1;
    }
  }
  free(cells);
  fputs("\033[0m", t->out);
  if (ram) draw_ram(t);
  if (panel) draw_panel(t);
  if (p->help) draw_help(t);
  char status[400];
  player_status(p, status, sizeof status);
  if (p->notice_frames > 0) snprintf(status, sizeof status, "%s", p->notice);
  if (strcmp(status, t->last_status) != 0) {
    fprintf(t->out, "\033[%d;1H\033[K%.*s", t->height + 1, t->columns - 1, status);
    snprintf(t->last_status, sizeof t->last_status, "%s", status);
  }
  flush_screen(t);
}

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

static void hold(terminal *t, key_command what, bool down) {
  int first = what / 5 * 5, direction = what % 5;
  /* without releases, another direction replaces the one before */
  for (int i = 0; !t->releases && down && what <= DO_B_FIRE && direction < 4 && i < 4; i++)
    t->held[first + i] = 0;
  int frames = what == DO_SELECT || what == DO_RESET ? SWITCH_FRAMES : HOLD_FRAMES;
  t->held[what] = !down ? 0 : t->releases ? -1 : frames;
}

static void go_back(player *p) {
  p->rewinding = true;
  for (int i = 0; i < BACK_STEPS; i++) player_advance(p);
  p->rewinding = false;
}

static void on_key(terminal *t, int key, bool down) {
  player *p = t->p;
  if (!down) {
    /* shift may have been released before the key: end whatever the key can hold */
    for (int i = 0; i < t->keys.count; i++) {
      key_binding b = t->keys.bound[i];
      if ((b.key & KEY_PLAIN) == (key & KEY_PLAIN) && b.command < KEYS_HELD) t->held[b.command] = 0;
    }
    return;
  }
  key_command what = keys_find(&t->keys, key);
  if (what <= DO_RESET) {
    hold(t, what, true);
  } else if (player_key(p, what)) {
    if (what == DO_OVERLAY || what == DO_INSIGHT || what == DO_HELP) start_over(t);
  } else if (what == DO_FAST || what == DO_FASTER) {
    int speed = what == DO_FAST ? 4 : 16;
    p->speed = p->speed == speed ? 1 : speed;
  } else if (what == DO_BACK) {
    go_back(p);
  } else if (what == DO_RELEASE) {
    memset(t->held, 0, sizeof t->held);
  }
}

static void read_keys(terminal *t) {
  char text[512];
  ptrdiff_t n = os_read(OS_STDIN, text, sizeof text);
  if (n == 0) t->p->finished = true; /* the terminal is gone */
  for (int i = 0; i < n;) {
    terminal_event event;
    i += terminal_decode(text + i, (int)n - i, &event);
    if (event.releases) t->releases = true;
    if (event.key == KEY_CONTROL_C)
      player_do(t->p, PLAYER_QUIT, 0);
    else if (event.key == KEY_CONTROL_Z)
      t->suspend = true;
    else if (event.key)
      on_key(t, event.key, event.down);
  }
}

static void apply_held(terminal *t) {
  player *p = t->p;
  p->buttons[0] = p->buttons[1] = p->pressed = 0;
  for (int i = 0; i < 10; i++) {
    if (t->held[i]) p->buttons[i / 5] |= 1 << i % 5;
  }
  if (t->held[DO_SELECT]) p->pressed |= SIXER_SWITCH_SELECT;
  if (t->held[DO_RESET]) p->pressed |= SIXER_SWITCH_RESET;
}

static void frame_passed(terminal *t) {
  for (int i = 0; i < KEYS_HELD; i++) {
    if (t->held[i] > 0) t->held[i]--;
  }
}

/* ---- Life ------------------------------------------------------------------------------------------------------ */

static void suspend(terminal *t) {
  terminal_suspend(&t->before);
  memset(t->held, 0, sizeof t->held);
  t->suspend = false;
  start_over(t);
}

static void loop(terminal *t) {
  player *p = t->p;
  pacer pace;
  double drawn = 0;
  pacer_begin(&pace, cli_seconds(), session_frame_rate(sixer_rom_describe(p->rom).format));
  while (!p->finished && !stopped) {
    int wait = (int)(1000 * pacer_wait(&pace, cli_seconds()));
    const int input = OS_STDIN;
    bool ready;
    if (os_wait_readable(&input, 1, wait, &ready) > 0) read_keys(t);
    if (t->suspend) {
      suspend(t);
      pacer_begin(&pace, cli_seconds(), session_frame_rate(sixer_rom_describe(p->rom).format));
    }
    int due = pacer_due(&pace, cli_seconds(), p->speed);
    while (due > 0 && !p->finished) {
      apply_held(t);
      int frames = player_advance(p);
      frame_passed(t);
      due -= frames > 0 ? frames : 1;
    }
    if (due < 0) pace.next += -due * pace.period / p->speed;
    /* 30 pictures a second are enough for a terminal */
    if (cli_seconds() - drawn >= 1.0 / 32) {
      drawn = cli_seconds();
      draw(t);
    }
  }
}

sixer_err terminal_run(player *p, terminal_colors colors, const char *keys, sixer_error *error) {
  terminal t = {.p = p, .colors = colors};
  sixer_err err = keys_open(&t.keys, true, p->seats.people > 1, keys, error);
  if (err) return err;
  err = terminal_check(MIN_COLUMNS, MIN_LINES, &t.before, error);
  if (err) return err;
  measure(&t);
  t.rgb = malloc((size_t)sixer_env_height(p->env) * 160 * 3);
  t.out = os_stream_open(&t.buffer, &t.buffer_size);
  if (!t.rgb || !t.out || !place_picture(&t)) {
    free(t.rgb);
    if (t.out) os_stream_close(t.out, &t.buffer, &t.buffer_size);
    free(t.buffer);
    free(t.shown);
    return sixer_fail(error, SIXER_ERR_FILE, "out of memory for the terminal");
  }
  os_handlers handlers;
  stopped = 0;
  os_handlers_set(on_signal, &handlers);
  terminal_enter(&t.before);
  char keys_shown[200];
  keys_greeting(&t.keys, false, p->seats.people > 1, keys_shown, sizeof keys_shown);
  player_say(p, "%s", keys_shown);
  loop(&t);
  terminal_leave(&t.before);
  os_handlers_restore(&handlers);
  os_stream_close(t.out, &t.buffer, &t.buffer_size);
  free(t.buffer);
  free(t.rgb);
  free(t.shown);
  return SIXER_OK;
}
