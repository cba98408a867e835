/* Play in the terminal. A character cell shows two pixels, one above the other: an upper half block in the color of the
 * upper pixel on a background of the lower one's. Only cells that changed are written. Most terminals report when a key
 * is pressed but not when it is released, so a direction counts as held for HOLD_FRAMES after each press. Terminals
 * with kitty's keyboard protocol report releases too: it is requested at the start. */
#include "cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/pace.h"

const char *const terminal_keys[] = {"arrows, w a s d|stick",
                                     "space|button",
                                     "x|release everything",
                                     "Enter|new game",
                                     "n, N|next, previous mode",
                                     "v, V|next, previous difficulty",
                                     "e, E|next, previous level",
                                     "p|pause",
                                     ".|one frame",
                                     "backspace|go back a second",
                                     "f, F|4 times, 16 times as fast; again: normal",
                                     "0 to 9|choose a slot",
                                     "k, l|save to the slot, load from it",
                                     "c|screenshot",
                                     "o|score and memory",
                                     "q, Esc|quit",
                                     NULL};

/* ---- Colors ---------------------------------------------------------------------------------------------------- */

bool terminal_colors_by_name(const char *name, terminal_colors *colors) {
  static const char *const names[] = {"24bit", "256", "16", "none"};
  if (!strcmp(name, "auto")) {
    const char *can = getenv("COLORTERM"), *term = getenv("TERM");
    *colors = can && (strstr(can, "truecolor") || strstr(can, "24bit"))   ? COLORS_24BIT
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
  int nearest[3], distance = 0;
  for (int i = 0; i < 3; i++) {
    nearest[i] = 0;
    for (int k = 1; k < 6; k++) {
      if (abs(levels[k] - channel[i]) < abs(levels[nearest[i]] - channel[i])) nearest[i] = k;
    }
    distance += squared(levels[nearest[i]] - channel[i]);
  }
  int mean = (channel[0] + channel[1] + channel[2]) / 3;
  int gray = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10, level = 8 + 10 * gray;
  int gray_distance =
      squared(level - channel[0]) + squared(level - channel[1]) + squared(level - channel[2]);
  if (gray_distance < distance) return 232 + gray;
  return 16 + 36 * nearest[0] + 6 * nearest[1] + nearest[2];
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

enum { MIN_COLUMNS = 40, MIN_LINES = 14, HOLD_FRAMES = 14, BACK_STEPS = 60 };

typedef struct terminal {
  player *p;
  terminal_colors colors;
  struct termios before;
  int flags;                         /* of stdin, before */
  int columns, lines, width, height; /* of the terminal; of the picture, in cells */
  cell *shown;
  uint8_t *rgb;
  FILE *out;
  char *buffer;
  size_t buffer_size;
  int held[5];   /* frames left, per button; -1: until it is released */
  bool releases; /* the terminal reports key releases */
  char last_status[400];
} terminal;

static volatile sig_atomic_t stopped; /* set by a signal: end the loop and restore the terminal */

static void on_signal(int number) {
  (void)number;
  stopped = 1;
}

static bool measure(terminal *t) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    size.ws_col = 80;
    size.ws_row = 24;
  }
  bool same = t->columns == size.ws_col && t->lines == size.ws_row;
  t->columns = size.ws_col;
  t->lines = size.ws_row;
  return same;
}

/* The largest picture of the right shape: a cell is about half as wide as high, so its pixels are square. */
static bool place_picture(terminal *t) {
  int rows = sixer_env_height(t->p->env), room = 2 * (t->lines - 2);
  double shape = 160 * 12.0 / 7 / rows;
  t->width = t->columns;
  t->height = (int)(t->width / shape);
  if (t->height > room) {
    t->height = room;
    t->width = (int)(room * shape);
  }
  if (t->width > 160) t->width = 160;
  t->height /= 2;
  free(t->shown);
  t->shown = malloc((size_t)t->width * (size_t)t->height * sizeof *t->shown);
  if (!t->shown) return false;
  for (int i = 0; i < t->width * t->height; i++) t->shown[i] = no_colors;
  t->last_status[0] = 0;
  return true;
}

static void flush_screen(terminal *t) {
  fflush(t->out);
  size_t size = (size_t)ftell(t->out), done = 0;
  while (done < size && !stopped) {
    ssize_t n = write(STDOUT_FILENO, t->buffer + done, size - done);
    if (n > 0)
      done += (size_t)n;
    else if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
      struct pollfd wait = {STDOUT_FILENO, POLLOUT, 0};
      poll(&wait, 1, 100);
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

static void draw(terminal *t) {
  player *p = t->p;
  if (!measure(t)) {
    fputs("\033[0m\033[2J", t->out);
    if (!place_picture(t)) return;
  }
  bool ram = p->overlay == OVERLAY_RAM && t->columns - t->width >= 51;
  if (sixer_env_rgb(p->env, t->rgb)) return;
  cell *cells = malloc((size_t)t->width * (size_t)t->height * sizeof *cells);
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
  char status[400];
  player_status(p, status, sizeof status);
  if (p->notice_frames > 0) snprintf(status, sizeof status, "%s", p->notice);
  if (strcmp(status, t->last_status) != 0) {
    fprintf(t->out, "\033[%d;1H\033[K%.*s", t->height + 1, t->columns - 1, status);
    strcpy(t->last_status, status);
  }
  flush_screen(t);
}

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

static void hold(terminal *t, int button, bool down) {
  for (int i = 0; i < 5; i++) {
    if (button != 1 << i) {
      /* without releases, another direction replaces the one before */
      if (!t->releases && down && i < 4 && button != BUTTON_FIRE) t->held[i] = 0;
      continue;
    }
    t->held[i] = !down ? 0 : t->releases ? -1 : HOLD_FRAMES;
  }
}

static int button_of(int key) {
  switch (key) {
    case 'w': return BUTTON_UP;
    case 's': return BUTTON_DOWN;
    case 'a': return BUTTON_LEFT;
    case 'd': return BUTTON_RIGHT;
    case ' ': return BUTTON_FIRE;
    default: return 0;
  }
}

static void on_key(terminal *t, int key, bool down) {
  player *p = t->p;
  int button = button_of(key);
  if (button) hold(t, button, down);
  if (button || !down) return;
  switch (key) {
    case 'q':
    case 3: /* control C */
    case 27: player_do(p, PLAYER_QUIT, 0); break;
    case 'x': memset(t->held, 0, sizeof t->held); break;
    case '\r':
    case '\n': player_do(p, PLAYER_RESET, 0); break;
    case 'n':
    case 'N': player_do(p, PLAYER_MODE, key == 'n' ? 1 : -1); break;
    case 'v':
    case 'V': player_do(p, PLAYER_DIFFICULTY, key == 'v' ? 1 : -1); break;
    case 'e':
    case 'E': player_do(p, PLAYER_LEVEL, key == 'e' ? 1 : -1); break;
    case 'p': player_do(p, PLAYER_PAUSE, 0); break;
    case '.': player_do(p, PLAYER_STEP, 0); break;
    case 'f': p->speed = p->speed == 4 ? 1 : 4; break;
    case 'F': p->speed = p->speed == 16 ? 1 : 16; break;
    case 'k': player_do(p, PLAYER_SAVE, 0); break;
    case 'l': player_do(p, PLAYER_LOAD, 0); break;
    case 'c': player_do(p, PLAYER_SCREENSHOT, 0); break;
    case 'o':
      player_do(p, PLAYER_OVERLAY, 0);
      fputs("\033[0m\033[2J", t->out);
      place_picture(t);
      break;
    case 8:
    case 127:
      p->rewinding = true;
      for (int i = 0; i < BACK_STEPS; i++) player_advance(p);
      p->rewinding = false;
      break;
    default:
      if (key >= '0' && key <= '9') player_do(p, PLAYER_SLOT, key - '0');
  }
}

/* A sequence that began with escape: arrows, or a key of kitty's protocol "code;modifiers:event u". Returns its length,
 * 0 if it is not complete. */
static int on_sequence(terminal *t, const char *text, int size) {
  if (size < 3) return 0;
  if (text[1] != '[' && text[1] != 'O') return 2;
  int end = 2;
  while (end < size && (text[end] < '@' || text[end] > '~')) end++;
  if (end == size) return size < 30 ? 0 : size;
  int code = 0, modifiers = 1, event = 1;
  sscanf(text + 2, "%d;%d:%d", &code, &modifiers, &event);
  bool down = event != 3;
  char last = text[end];
  const char *arrows = "ABDC", *arrow = strchr(arrows, last);
  if (text[2] == '?' && last == 'u') {
    t->releases = true; /* the reply to our query: the protocol is supported */
  } else if (last == 'u') {
    if (code >= 'a' && code <= 'z' && (modifiers - 1) & 1) code -= 32;
    on_key(t, (modifiers - 1) & 4 && code == 'c' ? 3 : code, down);
  } else if (arrow) {
    hold(t, 1 << (arrow - arrows), down);
  }
  return end + 1;
}

static void read_keys(terminal *t) {
  char text[512];
  ssize_t n = read(STDIN_FILENO, text, sizeof text);
  if (n == 0) t->p->finished = true; /* the terminal is gone */
  for (int i = 0; i < n;) {
    if (text[i] == 27 && i + 1 < n) {
      int used = on_sequence(t, text + i, (int)n - i);
      i += used ? used : (int)n - i;
    } else {
      on_key(t, (unsigned char)text[i++], true);
    }
  }
}

static void apply_held(terminal *t) {
  t->p->buttons[0] = 0;
  for (int i = 0; i < 5; i++) {
    if (t->held[i]) t->p->buttons[0] |= 1 << i;
  }
}

static void frame_passed(terminal *t) {
  for (int i = 0; i < 5; i++) {
    if (t->held[i] > 0) t->held[i]--;
  }
}

/* ---- Life ------------------------------------------------------------------------------------------------------ */

static void say(const char *sequence) {
  if (write(STDOUT_FILENO, sequence, strlen(sequence)) < 0) return;
}

static void enter(terminal *t) {
  struct termios raw = t->before;
  raw.c_iflag &= (tcflag_t) ~(ICRNL | IXON);
  raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO | ISIG);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  /* alternate screen, no cursor; request the key protocol and query whether it is supported */
  say("\033[?1049h\033[?25l\033[2J\033[>3u\033[?u");
}

static void leave(terminal *t) {
  say("\033[<u\033[0m\033[?25h\033[?1049l");
  tcsetattr(STDIN_FILENO, TCSANOW, &t->before);
}

static void loop(terminal *t) {
  player *p = t->p;
  pacer pace;
  double drawn = 0;
  pacer_begin(&pace, cli_seconds(), session_frame_rate(sixer_rom_describe(p->rom).format));
  while (!p->finished && !stopped) {
    struct pollfd keys = {STDIN_FILENO, POLLIN, 0};
    int wait = (int)(1000 * pacer_wait(&pace, cli_seconds()));
    if (poll(&keys, 1, wait) > 0) read_keys(t);
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

sixer_err terminal_run(player *p, terminal_colors colors, sixer_error *error) {
  terminal t = {.p = p, .colors = colors};
  if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
    return sixer_fail(error, SIXER_ERR_FILE,
                      "--terminal needs a terminal on both input and output");
  if (getenv("TERM") && !strcmp(getenv("TERM"), "dumb"))
    return sixer_fail(
        error, SIXER_ERR_FILE,
        "TERM=dumb: this terminal cannot position the cursor; use another one, or a window");
  measure(&t);
  if (t.columns < MIN_COLUMNS || t.lines < MIN_LINES)
    return sixer_fail(
        error, SIXER_ERR_FILE,
        "the terminal has %d columns and %d lines; at least %d and %d are needed: enlarge "
        "it or use a smaller font",
        t.columns, t.lines, MIN_COLUMNS, MIN_LINES);
  t.rgb = malloc((size_t)sixer_env_height(p->env) * 160 * 3);
  t.out = open_memstream(&t.buffer, &t.buffer_size);
  if (!t.rgb || !t.out || !place_picture(&t) || tcgetattr(STDIN_FILENO, &t.before) != 0) {
    free(t.rgb);
    if (t.out) fclose(t.out);
    free(t.buffer);
    free(t.shown);
    return sixer_fail(error, SIXER_ERR_FILE, "the terminal cannot be used: %s", strerror(errno));
  }
  struct sigaction action = {.sa_handler = on_signal}, old[3];
  const int signals[] = {SIGTERM, SIGHUP, SIGINT};
  stopped = 0;
  for (int i = 0; i < 3; i++) sigaction(signals[i], &action, &old[i]);
  enter(&t);
  loop(&t);
  leave(&t);
  for (int i = 0; i < 3; i++) sigaction(signals[i], &old[i], NULL);
  fclose(t.out);
  free(t.buffer);
  free(t.rgb);
  free(t.shown);
  return SIXER_OK;
}
