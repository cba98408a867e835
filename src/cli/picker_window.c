/* The picker in the window: a grid of pictures with titles. It is drawn into one canvas of a fixed size, which the
 * window shows at any size. */
#include "cli/picker.h"
#include "cli/window.h"
#include "util/error.h"

#ifndef SIXER_HAVE_SDL

sixer_err picker_run_window(picker *p, const char *script, sixer_error *error) {
  (void)p, (void)script;
  window_available(error);
  return SIXER_ERR_FILE;
}

#else

#include <SDL.h>
#include <stdlib.h>
#include <string.h>

#include "cli/font.h"
#include "cli/window_keys.h"
#include "cli/window_script.h"

enum {
  COLUMNS = 4,
  ROWS = 3,
  GAP = 14,
  CELL_WIDTH = 232,
  CELL_HEIGHT = 178, /* 160 x 210 pixels of 12 : 7 */
  TITLE = 20,
  HEAD = 34,
  WIDTH = COLUMNS * (CELL_WIDTH + GAP) + GAP,
  HEIGHT = HEAD + ROWS * (CELL_HEIGHT + TITLE + GAP) + HEAD,
  TEXT_SCALE = 2,
  FADED = 0xFF707078,
  BRIGHT = 0xFFFCFC54,
  GROUND = 0xFF101014,
  WHITE = 0xFFE8E8E8
};

typedef struct grid {
  picker *p;
  SDL_Window *window;
  SDL_Renderer *renderer;
  SDL_Texture *canvas;
  uint32_t *pixels, *text; /* of the canvas; of a line of text before it is enlarged */
  int first;               /* row of the list at the top */
} grid;

/* ---- Drawing --------------------------------------------------------------------------------------------------- */

static void put_text(grid *g, int x, int y, int room, uint32_t color, const char *text) {
  int width = room / TEXT_SCALE;
  memset(g->text, 0, (size_t)width * FONT_HEIGHT * sizeof *g->text);
  font_draw(g->text, width, FONT_HEIGHT, 0, 0, text, color);
  for (int row = 0; row < FONT_HEIGHT * TEXT_SCALE; row++) {
    for (int i = 0; i < width * TEXT_SCALE; i++) {
      uint32_t c = g->text[row / TEXT_SCALE * width + i / TEXT_SCALE];
      if (c) g->pixels[(y + row) * WIDTH + x + i] = c;
    }
  }
}

static void put_frame(grid *g, int x, int y, int width, int height, uint32_t color) {
  for (int row = y; row < y + height; row++) {
    for (int i = x; i < x + width; i++) g->pixels[row * WIDTH + i] = color;
  }
}

static void put_picture(grid *g, int x, int y, const picker_game *game) {
  for (int row = 0; row < CELL_HEIGHT; row++) {
    const uint8_t *from = game->rgb + row * game->height / CELL_HEIGHT * 160 * 3;
    for (int i = 0; i < CELL_WIDTH; i++) {
      const uint8_t *c = from + i * 160 / CELL_WIDTH * 3;
      g->pixels[(y + row) * WIDTH + x + i] =
          0xFF000000 | (uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2];
    }
  }
}

static void place_of(const grid *g, int at, int *x, int *y) {
  *x = GAP + at % COLUMNS * (CELL_WIDTH + GAP);
  *y = HEAD + (at / COLUMNS - g->first) * (CELL_HEIGHT + TITLE + GAP);
}

static void draw(grid *g) {
  picker *p = g->p;
  char head[120];
  int row = p->selected / COLUMNS;
  if (row < g->first) g->first = row;
  if (row >= g->first + ROWS) g->first = row - ROWS + 1;
  for (int i = 0; i < WIDTH * HEIGHT; i++) g->pixels[i] = GROUND;
  if (p->search[0])
    snprintf(head, sizeof head, "games with '%s': %d", p->search, p->shown_count);
  else
    snprintf(head, sizeof head, "Which game? Type to search. %d are here.", p->count);
  put_text(g, GAP, 10, WIDTH - 2 * GAP, WHITE, head);
  for (int at = g->first * COLUMNS; at < (g->first + ROWS) * COLUMNS && at < p->shown_count; at++) {
    const picker_game *game = &p->games[p->shown[at]];
    bool selected = at == p->selected;
    int x, y;
    place_of(g, at, &x, &y);
    put_frame(g, x - 4, y - 4, CELL_WIDTH + 8, CELL_HEIGHT + 8, selected ? BRIGHT : GROUND);
    put_frame(g, x, y, CELL_WIDTH, CELL_HEIGHT, 0xFF000000);
    if (game->rgb) put_picture(g, x, y, game);
    if (game->tried && !game->rgb)
      put_text(g, x + 10, y + CELL_HEIGHT / 2, CELL_WIDTH - 20, FADED, "cannot be played");
    put_text(g, x, y + CELL_HEIGHT + 7, CELL_WIDTH, selected ? BRIGHT : WHITE, game->title);
  }
  put_text(g, GAP, HEIGHT - 22, WIDTH - 2 * GAP, FADED,
           "arrows, mouse: choose   Enter, click: play   Esc: quit");
  SDL_UpdateTexture(g->canvas, NULL, g->pixels, WIDTH * 4);
  SDL_SetRenderDrawColor(g->renderer, 0x10, 0x10, 0x14, 255);
  SDL_RenderClear(g->renderer);
  SDL_RenderCopy(g->renderer, g->canvas, NULL, NULL);
}

/* Paint one picture that is to be seen; false if all are there. */
static bool paint_next(grid *g) {
  picker *p = g->p;
  for (int at = g->first * COLUMNS; at < (g->first + ROWS) * COLUMNS && at < p->shown_count; at++) {
    if (picker_paint(&p->games[p->shown[at]])) return true;
  }
  return false;
}

/* ---- Events ---------------------------------------------------------------------------------------------------- */

static void on_click(grid *g, int mouse_x, int mouse_y) {
  for (int at = g->first * COLUMNS; at < (g->first + ROWS) * COLUMNS && at < g->p->shown_count;
       at++) {
    int x, y;
    place_of(g, at, &x, &y);
    if (mouse_x < x || mouse_x >= x + CELL_WIDTH || mouse_y < y ||
        mouse_y >= y + CELL_HEIGHT + TITLE)
      continue;
    g->p->selected = at;
    g->p->chosen = true;
  }
}

static int pad_key(int button) {
  switch (button) {
    case SDL_CONTROLLER_BUTTON_DPAD_UP: return KEY_UP;
    case SDL_CONTROLLER_BUTTON_DPAD_DOWN: return KEY_DOWN;
    case SDL_CONTROLLER_BUTTON_DPAD_LEFT: return KEY_LEFT;
    case SDL_CONTROLLER_BUTTON_DPAD_RIGHT: return KEY_RIGHT;
    case SDL_CONTROLLER_BUTTON_A:
    case SDL_CONTROLLER_BUTTON_START: return KEY_ENTER;
    case SDL_CONTROLLER_BUTTON_B: return KEY_ESCAPE;
    default: return 0;
  }
}

static void on_event(grid *g, const SDL_Event *event) {
  enum { PAGE = COLUMNS * ROWS };
  int key = 0;
  switch (event->type) {
    case SDL_QUIT: g->p->ended = true; break;
    case SDL_KEYDOWN: key = window_key(event->key.keysym.sym); break;
    case SDL_CONTROLLERDEVICEADDED: SDL_GameControllerOpen(event->cdevice.which); break;
    case SDL_CONTROLLERBUTTONDOWN: key = pad_key(event->cbutton.button); break;
    case SDL_MOUSEWHEEL:
      key = event->wheel.y > 0 ? KEY_UP : event->wheel.y < 0 ? KEY_DOWN : 0;
      break;
    case SDL_MOUSEBUTTONDOWN: on_click(g, event->button.x, event->button.y); break;
    default: break;
  }
  if (key) picker_key(g->p, key, COLUMNS, PAGE);
}

/* ---- Life ------------------------------------------------------------------------------------------------------ */

static sixer_err open_grid(grid *g, sixer_error *error) {
  SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "linear");
  SDL_InitSubSystem(SDL_INIT_GAMECONTROLLER); /* if this fails there are no pads */
  /* smaller where the screen is; the renderer scales what is drawn */
  int width = WIDTH, height = HEIGHT;
  SDL_Rect screen;
  if (SDL_GetDisplayUsableBounds(0, &screen) == 0 && screen.w > 0 && screen.h > 0) {
    if (width > screen.w) height = height * screen.w / width, width = screen.w;
    if (height > screen.h) width = width * screen.h / height, height = screen.h;
  }
  g->window = SDL_CreateWindow("sixer", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width,
                               height, SDL_WINDOW_RESIZABLE);
  if (g->window) g->renderer = SDL_CreateRenderer(g->window, -1, 0);
  if (g->window && !g->renderer)
    g->renderer = SDL_CreateRenderer(g->window, -1, SDL_RENDERER_SOFTWARE);
  if (g->renderer) SDL_RenderSetLogicalSize(g->renderer, WIDTH, HEIGHT);
  if (g->renderer)
    g->canvas = SDL_CreateTexture(g->renderer, SDL_PIXELFORMAT_ARGB8888,
                                  SDL_TEXTUREACCESS_STREAMING, WIDTH, HEIGHT);
  g->pixels = calloc((size_t)WIDTH * HEIGHT, sizeof *g->pixels);
  g->text = calloc((size_t)WIDTH * FONT_HEIGHT, sizeof *g->text);
  if (!g->canvas || !g->pixels || !g->text)
    return sixer_fail(error, SIXER_ERR_FILE, "no window can be opened: %s", SDL_GetError());
  return SIXER_OK;
}

sixer_err picker_run_window(picker *p, const char *script_path, sixer_error *error) {
  grid g = {.p = p};
  sixer_err err = window_start(error);
  window_script *script = NULL;
  if (!err && script_path && !(script = window_script_open(script_path)))
    err = sixer_fail(error, SIXER_ERR_FILE, "%s: the script cannot be read, or a line is wrong",
                     script_path);
  if (!err) err = open_grid(&g, error);
  while (!err && !p->chosen && !p->ended) {
    SDL_Event event;
    if (script) window_script_push(script, g.renderer);
    while (SDL_PollEvent(&event)) on_event(&g, &event);
    bool painted = paint_next(&g);
    draw(&g);
    if (script) {
      window_script_drawn(script, g.renderer, NULL);
      window_script_frame(script);
    }
    SDL_RenderPresent(g.renderer);
    if (!painted && !script) SDL_Delay(15);
  }
  if (g.canvas) SDL_DestroyTexture(g.canvas);
  if (g.renderer) SDL_DestroyRenderer(g.renderer);
  if (g.window) SDL_DestroyWindow(g.window);
  window_script_close(script);
  free(g.pixels);
  free(g.text);
  SDL_Quit();
  return err;
}

#endif
