/* The window. The picture is a texture of 160 pixels a row. It is first enlarged by a whole number with hard edges,
 * then scaled to its final size, with the television's pixel shape, by linear filtering: pixels stay sharp and equally
 * wide. Text goes over it in a second texture. Frames are paced by the clock; each frame's samples are queued for the
 * sound device, which is opened at exactly the rate at which they come. */
#include "cli/window.h"

#include <stdarg.h>
#include <string.h>

#ifndef SIXER_HAVE_SDL

bool window_available(sixer_error *error) {
  error->code = SIXER_ERR_FILE;
  snprintf(error->message, sizeof error->message,
           "this sixer was built without SDL2 and has no window: install libsdl2-dev and build "
           "again, or use --terminal");
  return false;
}

sixer_err window_run(player *p, const window_settings *settings, sixer_error *error) {
  (void)p, (void)settings;
  window_available(error);
  return SIXER_ERR_FILE;
}

#else

#include <SDL.h>
#include <stdlib.h>

#include "cli/font.h"
#include "cli/pace.h"
#include "cli/window_keys.h"
#include "cli/window_script.h"
#include "util/os.h"

enum {
  SOUND_FRAMES = 6, /* frames of samples that may be queued */
  PADS = 2,
  OHMS_PER_PIXEL = 1200, /* of mouse motion: the whole range is some 640 */
  STICK_DEAD = 12000
};

typedef struct window {
  player *p;
  key_map keys;
  SDL_Window *window;
  SDL_Renderer *renderer;
  SDL_Texture *picture, *sharp, *overlay;
  SDL_Texture *panel; /* predictions, right of the picture; NULL until they are shown */
  int sharp_width, sharp_height;
  uint32_t *pixels; /* of the picture */
  uint32_t *text;   /* of the overlay, in pixels of its own: whole numbers of the window's */
  int text_width, text_height;
  SDL_AudioDeviceID sound;
  bool mute, crt;
  bool has_mouse;     /* its motion turns the paddle */
  uint8_t held[PADS]; /* by keys, mouse */
  uint8_t pad_held[PADS], stick_held[PADS];
  SDL_GameController *pads[PADS];
  bool fast, very_fast, back, pad_fast, pad_back;
  window_script *script;
  pacer pace;
  double drawn; /* when */
} window;

/* Libraries below SDL print to stderr about what they did not find, such as ALSA about sound cards. What went wrong is
 * also returned, and said where it matters; so stderr is closed while they look. Returns what was behind it. */
static int hush(void) {
  fflush(stderr);
  int behind = os_dup(OS_STDERR), nothing = os_open_nothing(true);
  if (behind >= 0 && nothing >= 0) os_dup2(nothing, OS_STDERR);
  if (nothing >= 0) os_close(nothing);
  return behind;
}

static void unhush(int behind) {
  if (behind < 0) return;
  fflush(stderr);
  os_dup2(behind, OS_STDERR);
  os_close(behind);
}

sixer_err window_start(sixer_error *error) {
  int behind = hush();
  SDL_SetMainReady();
  bool failed = SDL_Init(SDL_INIT_VIDEO) != 0;
  unhush(behind);
  if (failed)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "no window can be opened: %s. Is there a display? Without one, --terminal "
                      "draws in the terminal",
                      SDL_GetError());
  /* without a display SDL may choose a driver that shows nothing */
  const char *driver = SDL_GetCurrentVideoDriver();
  if (!os_getenv("SDL_VIDEODRIVER") &&
      (!strcmp(driver, "dummy") || !strcmp(driver, "offscreen") || !strcmp(driver, "evdev")))
    return sixer_fail(
        error, SIXER_ERR_FILE,
        "no window can be opened: there is no display. --terminal draws in the terminal");
  return SIXER_OK;
}

bool window_available(sixer_error *error) {
  sixer_err err = window_start(error);
  SDL_Quit();
  return !err;
}

/* ---- Drawing --------------------------------------------------------------------------------------------------- */

/* Width of a pixel when its height is 1: the pixel clock of square pixels, 12 3/11 MHz / 2 or 14.75 MHz / 2, over the
 * TIA's. */
static double pixel_aspect(const player *p) {
  const char *format = sixer_rom_describe(p->rom).format;
  bool pal = !strcmp(format, "PAL") || !strcmp(format, "SECAM");
  return pal ? 7.375e6 / 3546894.0 : 12.0 / 7;
}

/* How much of a window of this height the panel of predictions takes. */
static int panel_width(const window *w, int height) {
  return insight_has_panel(&w->p->insight) ? height * INSIGHT_WIDTH / INSIGHT_HEIGHT : 0;
}

/* The largest rectangle of the picture's shape in the window's middle, or left of the panel. */
static SDL_Rect picture_place(const window *w) {
  int width, height, rows = sixer_env_height(w->p->env);
  SDL_GetRendererOutputSize(w->renderer, &width, &height);
  int panel = panel_width(w, height);
  width -= panel < width / 2 ? panel : width / 2;
  double shape = 160 * pixel_aspect(w->p) / rows;
  int wide = width, high = (int)(width / shape + 0.5);
  if (high > height) {
    high = height;
    wide = (int)(height * shape + 0.5);
  }
  return (SDL_Rect){(width - wide) / 2, (height - high) / 2, wide, high};
}

static bool prepare_sharp(window *w, SDL_Rect place, int rows) {
  int width = (place.w + 159) / 160 * 160, height = (place.h + rows - 1) / rows * rows;
  if (w->sharp && w->sharp_width == width && w->sharp_height == height) return true;
  if (w->sharp) SDL_DestroyTexture(w->sharp);
  w->sharp = SDL_CreateTexture(w->renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_TARGET,
                               width, height);
  if (w->sharp) SDL_SetTextureScaleMode(w->sharp, SDL_ScaleModeLinear);
  w->sharp_width = width;
  w->sharp_height = height;
  return w->sharp != NULL;
}

static void put_text(window *w, int column, int line, uint32_t color, const char *format, ...)
    OS_PRINTF(5, 6);
static void put_text(window *w, int column, int line, uint32_t color, const char *format, ...) {
  char buffer[300];
  va_list args;
  va_start(args, format);
  vsnprintf(buffer, sizeof buffer, format, args);
  va_end(args);
  int x = 4 + column * FONT_WIDTH, y = 4 + line * FONT_HEIGHT;
  int length = (int)strlen(buffer) * FONT_WIDTH;
  /* a dark ground under it */
  for (int row = y - 1; row < y + FONT_HEIGHT && row < w->text_height; row++) {
    for (int i = x - 1; i < x + length && i < w->text_width; i++) {
      if (row >= 0 && i >= 0) w->text[row * w->text_width + i] = 0xC0000000;
    }
  }
  font_draw(w->text, w->text_width, w->text_height, x, y, buffer, color);
}

/* A canvas for text that covers the picture, its pixels as large as the picture's rows. */
static bool prepare_text(window *w, SDL_Rect place) {
  int scale = place.h / 200 > 1 ? place.h / 200 : 1;
  int width = place.w / scale, height = place.h / scale;
  if (!w->overlay || w->text_width != width || w->text_height != height) {
    if (w->overlay) SDL_DestroyTexture(w->overlay);
    free(w->text);
    w->text_width = width;
    w->text_height = height;
    w->text = malloc((size_t)width * (size_t)height * sizeof *w->text);
    w->overlay = SDL_CreateTexture(w->renderer, SDL_PIXELFORMAT_ARGB8888,
                                   SDL_TEXTUREACCESS_STREAMING, width, height);
    if (w->overlay) SDL_SetTextureBlendMode(w->overlay, SDL_BLENDMODE_BLEND);
  }
  if (!w->overlay || !w->text) return false;
  memset(w->text, 0, (size_t)width * (size_t)height * sizeof *w->text);
  return true;
}

static bool draw_text(window *w) {
  player *p = w->p;
  bool any = false;
  int line = 0;
  if (p->overlay != OVERLAY_NONE || p->paused || (p->rewinding && p->past)) {
    char status[200];
    player_status(p, status, sizeof status);
    put_text(w, 0, line++, 0xFFFFFFFF, "%s", status);
    any = true;
  }
  if (p->overlay == OVERLAY_RAM) {
    const uint8_t *ram = sixer_env_ram(p->env);
    for (int row = 0; row < 8; row++) {
      char bytes[80];
      int n = snprintf(bytes, sizeof bytes, "%02X ", 0x80 + 16 * row);
      for (int i = 0; i < 16; i++)
        n += snprintf(bytes + n, sizeof bytes - (size_t)n, " %02X", ram[16 * row + i]);
      put_text(w, 0, line++, 0xFF90FC90, "%s", bytes);
    }
    if (p->agent) {
      sixer_agent_stats stats = sixer_agent_last(p->agent);
      if (stats.frames)
        put_text(w, 0, line++, 0xFFFCE070, "VALUE %.1f  NODES %lld  DEPTH %d  %.0f MS", stats.value,
                 (long long)stats.nodes, stats.depth, 1e3 * stats.seconds);
    }
  }
  if (p->help) {
    char keys[60];
    const char *meaning;
    for (int i = 0; keys_help(&w->keys, false, i, keys, sizeof keys, &meaning); i++)
      put_text(w, 0, ++line, 0xFFFFFFFF, "%-22s %s", keys, meaning);
    any = true;
  }
  if (p->notice_frames > 0) {
    /* at the bottom, long ones in several lines */
    int columns = (w->text_width - 8) / FONT_WIDTH, length = (int)strlen(p->notice);
    int lines = (length + columns - 1) / columns, last = (w->text_height - 8) / FONT_HEIGHT;
    for (int i = 0; i < lines; i++)
      put_text(w, 0, last - lines + i, 0xFFFCFC54, "%.*s", columns, p->notice + columns * i);
    any = true;
  }
  return any;
}

/* The beam of a television paints lines with dark gaps: the last third of every row is darkened. In a window that has
 * less than three lines for a row, the gap is too thin to be seen and nothing is drawn. */
static void draw_lines(window *w, SDL_Rect place, int rows) {
  if (place.h < 3 * rows) return;
  SDL_SetRenderDrawBlendMode(w->renderer, SDL_BLENDMODE_BLEND);
  SDL_SetRenderDrawColor(w->renderer, 0, 0, 0, 130);
  for (int row = 0; row < rows; row++) {
    int top = row * place.h / rows, end = (row + 1) * place.h / rows, gap = (end - top) / 3;
    SDL_Rect line = {place.x, place.y + end - gap, place.w, gap};
    SDL_RenderFillRect(w->renderer, &line);
  }
}

/* Predictions, in what the picture leaves free at the right. */
static void draw_panel(window *w) {
  int width, height;
  SDL_GetRendererOutputSize(w->renderer, &width, &height);
  int wide = panel_width(w, height);
  if (!wide) return;
  if (wide > width / 2) wide = width / 2;
  if (!w->panel)
    w->panel = SDL_CreateTexture(w->renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STREAMING,
                                 INSIGHT_WIDTH, INSIGHT_HEIGHT);
  if (!w->panel) return;
  uint32_t pixels[INSIGHT_WIDTH * INSIGHT_HEIGHT];
  insight_panel(&w->p->insight, pixels);
  SDL_UpdateTexture(w->panel, NULL, pixels, INSIGHT_WIDTH * 4);
  int high = wide * INSIGHT_HEIGHT / INSIGHT_WIDTH;
  SDL_Rect place = {width - wide, (height - high) / 2, wide, high};
  SDL_RenderCopy(w->renderer, w->panel, NULL, &place);
}

/* Show the next kind of prediction; the window grows or shrinks by the panel. */
static void change_insight(window *w) {
  int width, height;
  SDL_GetWindowSize(w->window, &width, &height);
  int before = panel_width(w, height);
  player_do(w->p, PLAYER_INSIGHT, 0);
  int after = panel_width(w, height);
  if (!(SDL_GetWindowFlags(w->window) & (SDL_WINDOW_FULLSCREEN_DESKTOP | SDL_WINDOW_MAXIMIZED)))
    SDL_SetWindowSize(w->window, width + after - before, height);
}

static void draw(window *w) {
  player *p = w->p;
  player_look(p);
  int rows = sixer_env_height(p->env);
  const uint8_t *screen = sixer_env_screen(p->env);
  const uint32_t *colors = sixer_env_palette(p->env);
  for (int i = 0; screen && i < rows * 160; i++) w->pixels[i] = 0xFF000000 | colors[screen[i]];
  for (int i = 0; p->insight.shown == INSIGHT_SALIENCY && i < rows * 160; i++) {
    const int column = i % 160, row = i / 160;
    double x = (column + 0.5) / 160, y = (row + 0.5) / rows;
    w->pixels[i] = 0xFF000000 | insight_tint(&p->insight, w->pixels[i] & 0xFFFFFF, x, y);
  }
  SDL_UpdateTexture(w->picture, NULL, w->pixels, 160 * 4);
  SDL_Rect place = picture_place(w);
  if (prepare_sharp(w, place, rows)) {
    SDL_SetRenderTarget(w->renderer, w->sharp);
    SDL_RenderCopy(w->renderer, w->picture, NULL, NULL);
    SDL_SetRenderTarget(w->renderer, NULL);
  }
  SDL_SetRenderDrawColor(w->renderer, 0, 0, 0, 255);
  SDL_RenderClear(w->renderer);
  SDL_RenderCopy(w->renderer, w->sharp ? w->sharp : w->picture, NULL, &place);
  if (w->crt) draw_lines(w, place, rows);
  draw_panel(w);
  if (prepare_text(w, place) && draw_text(w)) {
    int scale = place.h / w->text_height;
    SDL_Rect over = {place.x, place.y, w->text_width * scale, w->text_height * scale};
    SDL_UpdateTexture(w->overlay, NULL, w->text, w->text_width * 4);
    SDL_RenderCopy(w->renderer, w->overlay, NULL, &over);
  }
}

/* ---- Sound ----------------------------------------------------------------------------------------------------- */

static void open_sound(window *w, double frame_rate) {
  SDL_AudioSpec wanted = {.freq = (int)(SIXER_SOUND_SAMPLES * frame_rate + 0.5),
                          .format = AUDIO_U8,
                          .channels = 1,
                          .samples = SIXER_SOUND_SAMPLES};
  int behind = hush();
  if (SDL_InitSubSystem(SDL_INIT_AUDIO) == 0)
    w->sound = SDL_OpenAudioDevice(NULL, 0, &wanted, NULL, 0);
  unhush(behind);
  if (w->sound) SDL_PauseAudioDevice(w->sound, 0);
}

/* Samples that would be heard too late are dropped, except in a test that needs all of them. */
static void play_sound(window *w) {
  enum { PATIENCE = 2000 /* ms */ };
  if (!w->sound || w->mute) return;
  const Uint32 full = SOUND_FRAMES * SIXER_SOUND_SAMPLES;
  for (int i = 0;
       window_script_listens(w->script) && i < PATIENCE && SDL_GetQueuedAudioSize(w->sound) > full;
       i++)
    SDL_Delay(1);
  if (SDL_GetQueuedAudioSize(w->sound) > full) return;
  SDL_QueueAudio(w->sound, sixer_env_sound(w->p->env), SIXER_SOUND_SAMPLES);
}

/* ---- Events ---------------------------------------------------------------------------------------------------- */

static void toggle_fullscreen(window *w) {
  bool full = SDL_GetWindowFlags(w->window) & SDL_WINDOW_FULLSCREEN_DESKTOP;
  SDL_SetWindowFullscreen(w->window, full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
}

/* In games with paddles a person steers with the mouse: the window takes it, and the pointer disappears. */
static void take_mouse(window *w, bool take) {
  const player *p = w->p;
  if (!sixer_rom_describe(p->rom).paddles || p->agent || p->tape) return;
  if (!w->script) SDL_SetRelativeMouseMode(take ? SDL_TRUE : SDL_FALSE);
  w->has_mouse = take;
  w->held[0] &= (uint8_t)~BUTTON_FIRE;
  char key[200];
  keys_first(&w->keys, DO_MOUSE, key, sizeof key);
  player_say(w->p,
             take ? "the mouse is the paddle; %s lets it go"
                  : "the mouse is free; %s or a click takes it again",
             key);
}

/* A command that is held begins or ends. */
static void hold(window *w, key_command what, bool down) {
  int bit = what == DO_SELECT ? SIXER_SWITCH_SELECT : SIXER_SWITCH_RESET;
  switch (what) {
    case DO_SELECT:
    case DO_RESET: w->p->pressed = down ? w->p->pressed | bit : w->p->pressed & ~bit; break;
    case DO_BACK: w->back = down; break;
    case DO_FAST: w->fast = down; break;
    case DO_FASTER: w->very_fast = down; break;
    default: {
      uint8_t *held = &w->held[what / 5], button = (uint8_t)(1 << what % 5);
      *held = down ? *held | button : *held & (uint8_t)~button;
    }
  }
}

/* Something that a key does once. */
static void do_once(window *w, key_command what) {
  if (what != DO_INSIGHT && player_key(w->p, what)) return;
  switch (what) {
    case DO_INSIGHT: change_insight(w); break;
    case DO_FULLSCREEN: toggle_fullscreen(w); break;
    case DO_MOUSE: take_mouse(w, !w->has_mouse); break;
    case DO_RELEASE: memset(w->held, 0, sizeof w->held); break;
    case DO_MUTE:
      w->mute = !w->mute;
      player_say(w->p, w->mute ? "sound off" : "sound on");
      break;
    default: break;
  }
}

static void on_key(window *w, const SDL_KeyboardEvent *event) {
  int key = window_key(event->keysym.sym), with = 0;
  if (!key) return;
  if (event->keysym.mod & KMOD_SHIFT) with |= KEY_SHIFT;
  if (event->keysym.mod & KMOD_ALT) with |= KEY_ALT;
  if (event->type == SDL_KEYUP) {
    /* shift may have been released before the key: end whatever the key can hold */
    for (int i = 0; i < w->keys.count; i++) {
      key_binding b = w->keys.bound[i];
      if ((b.key & KEY_PLAIN) == key && b.command < KEYS_HELD)
        hold(w, (key_command)b.command, false);
    }
    return;
  }
  key_command what = keys_find(&w->keys, key | with);
  if (with & KEY_ALT && key == KEY_F1 + 3) return; /* alt F4 closes the window: the desktop's */
  if (what < KEYS_HELD)
    hold(w, what, true);
  else if (!event->repeat || what == DO_FRAME) /* single steps repeat, the others do not */
    do_once(w, what);
}

static int pad_index(const window *w, SDL_JoystickID id) {
  for (int i = 0; i < PADS; i++) {
    if (w->pads[i] && SDL_JoystickInstanceID(SDL_GameControllerGetJoystick(w->pads[i])) == id)
      return i;
  }
  /* the events of a test come from no device: their ids are the players */
  return w->script && id < PADS ? id : -1;
}

static void on_pad_button(window *w, const SDL_ControllerButtonEvent *event) {
  bool down = event->type == SDL_CONTROLLERBUTTONDOWN;
  int pad = pad_index(w, event->which), button = 0;
  if (pad < 0) return;
  switch (event->button) {
    case SDL_CONTROLLER_BUTTON_DPAD_UP: button = BUTTON_UP; break;
    case SDL_CONTROLLER_BUTTON_DPAD_DOWN: button = BUTTON_DOWN; break;
    case SDL_CONTROLLER_BUTTON_DPAD_LEFT: button = BUTTON_LEFT; break;
    case SDL_CONTROLLER_BUTTON_DPAD_RIGHT: button = BUTTON_RIGHT; break;
    case SDL_CONTROLLER_BUTTON_A:
    case SDL_CONTROLLER_BUTTON_B:
    case SDL_CONTROLLER_BUTTON_X:
    case SDL_CONTROLLER_BUTTON_Y: button = BUTTON_FIRE; break;
    case SDL_CONTROLLER_BUTTON_START:
      if (down) player_do(w->p, PLAYER_RESET, 0);
      break;
    case SDL_CONTROLLER_BUTTON_BACK:
      if (down) player_do(w->p, PLAYER_PAUSE, 0);
      break;
    case SDL_CONTROLLER_BUTTON_RIGHTSHOULDER: w->pad_fast = down; break;
    case SDL_CONTROLLER_BUTTON_LEFTSHOULDER: w->pad_back = down; break;
    default: break;
  }
  if (down)
    w->pad_held[pad] |= (uint8_t)button;
  else
    w->pad_held[pad] &= (uint8_t)~button;
}

static void on_pad_axis(window *w, const SDL_ControllerAxisEvent *event) {
  int pad = pad_index(w, event->which), low, high;
  if (pad < 0) return;
  if (event->axis == SDL_CONTROLLER_AXIS_LEFTX)
    low = BUTTON_LEFT, high = BUTTON_RIGHT;
  else if (event->axis == SDL_CONTROLLER_AXIS_LEFTY)
    low = BUTTON_UP, high = BUTTON_DOWN;
  else
    return;
  w->stick_held[pad] &= (uint8_t) ~(low | high);
  if (event->value < -STICK_DEAD) w->stick_held[pad] |= (uint8_t)low;
  if (event->value > STICK_DEAD) w->stick_held[pad] |= (uint8_t)high;
}

static void on_pad_device(window *w, const SDL_ControllerDeviceEvent *event) {
  if (event->type == SDL_CONTROLLERDEVICEREMOVED) {
    int pad = pad_index(w, event->which);
    if (pad < 0 || !w->pads[pad]) return;
    SDL_GameControllerClose(w->pads[pad]);
    w->pads[pad] = NULL;
    w->pad_held[pad] = w->stick_held[pad] = 0;
    player_say(w->p, "pad %d is gone", pad + 1);
    return;
  }
  for (int i = 0; i < PADS; i++) {
    if (w->pads[i]) continue;
    w->pads[i] = SDL_GameControllerOpen(event->which);
    if (w->pads[i]) player_say(w->p, "pad %d: %s", i + 1, SDL_GameControllerName(w->pads[i]));
    return;
  }
}

static void on_event(window *w, const SDL_Event *event) {
  bool paddles = sixer_rom_describe(w->p->rom).paddles;
  switch (event->type) {
    case SDL_QUIT: player_do(w->p, PLAYER_QUIT, 0); break;
    case SDL_KEYDOWN:
    case SDL_KEYUP: on_key(w, &event->key); break;
    case SDL_CONTROLLERBUTTONDOWN:
    case SDL_CONTROLLERBUTTONUP: on_pad_button(w, &event->cbutton); break;
    case SDL_CONTROLLERAXISMOTION: on_pad_axis(w, &event->caxis); break;
    case SDL_CONTROLLERDEVICEADDED:
    case SDL_CONTROLLERDEVICEREMOVED: on_pad_device(w, &event->cdevice); break;
    case SDL_MOUSEMOTION:
      if (paddles && w->has_mouse) w->p->turn -= (double)event->motion.xrel * OHMS_PER_PIXEL;
      break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
      if (!paddles) break;
      if (!w->has_mouse) {
        if (event->type == SDL_MOUSEBUTTONDOWN) take_mouse(w, true);
        break;
      }
      if (event->type == SDL_MOUSEBUTTONDOWN)
        w->held[0] |= BUTTON_FIRE;
      else
        w->held[0] &= (uint8_t)~BUTTON_FIRE;
      break;
    case SDL_WINDOWEVENT:
      /* keys that are released in another window are not reported */
      if (event->window.event == SDL_WINDOWEVENT_FOCUS_LOST) {
        memset(w->held, 0, sizeof w->held);
        w->p->pressed = 0;
        w->fast = w->very_fast = w->back = false;
      }
      break;
    default: break;
  }
}

static void apply_held(window *w) {
  player *p = w->p;
  for (int i = 0; i < 2; i++) p->buttons[i] = w->held[i] | w->pad_held[i] | w->stick_held[i];
  p->rewinding = w->back || w->pad_back;
  p->speed = w->very_fast ? 16 : w->fast || w->pad_fast ? 4 : 1;
}

/* ---- Life ------------------------------------------------------------------------------------------------------ */

static double now(const window *w) {
  if (w->script) return window_script_time(w->script);
  return (double)SDL_GetPerformanceCounter() / (double)SDL_GetPerformanceFrequency();
}

static sixer_err open_window(window *w, const window_settings *s, sixer_error *error) {
  player *p = w->p;
  int rows = sixer_env_height(p->env);
  SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
  SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "nearest");
  sixer_err err = window_start(error);
  if (err) return err;
  SDL_InitSubSystem(
      SDL_INIT_GAMECONTROLLER); /* if this fails there are no pads, and keys still work */
  char title[200];
  snprintf(title, sizeof title, "%.150s - sixer", sixer_rom_describe(p->rom).title);
  w->window = SDL_CreateWindow(
      title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
      (int)(160 * pixel_aspect(p) * s->scale + 0.5) + panel_width(w, rows * s->scale),
      rows * s->scale, SDL_WINDOW_RESIZABLE | (s->fullscreen ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0));
  if (w->window) w->renderer = SDL_CreateRenderer(w->window, -1, SDL_RENDERER_TARGETTEXTURE);
  if (w->window && !w->renderer)
    w->renderer = SDL_CreateRenderer(w->window, -1, SDL_RENDERER_SOFTWARE);
  if (!w->renderer)
    return sixer_fail(error, SIXER_ERR_FILE, "no window can be opened: %s", SDL_GetError());
  w->picture = SDL_CreateTexture(w->renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STREAMING,
                                 160, rows);
  w->pixels = calloc((size_t)rows * 160, sizeof *w->pixels);
  if (!w->picture || !w->pixels)
    return sixer_fail(error, SIXER_ERR_FILE, "the window cannot draw: %s", SDL_GetError());
  take_mouse(w, true);
  return SIXER_OK;
}

static void close_window(window *w) {
  for (int i = 0; i < PADS; i++) {
    if (w->pads[i]) SDL_GameControllerClose(w->pads[i]);
  }
  if (w->sound) SDL_CloseAudioDevice(w->sound);
  if (w->sharp) SDL_DestroyTexture(w->sharp);
  if (w->picture) SDL_DestroyTexture(w->picture);
  if (w->overlay) SDL_DestroyTexture(w->overlay);
  if (w->panel) SDL_DestroyTexture(w->panel);
  if (w->renderer) SDL_DestroyRenderer(w->renderer);
  if (w->window) SDL_DestroyWindow(w->window);
  window_script_close(w->script);
  free(w->pixels);
  free(w->text);
  SDL_Quit();
}

/* Run the frames that are due, each with its sound. A step of several frames takes the time of all of them. */
static void run_frames(window *w, int due) {
  while (due > 0 && !w->p->finished) {
    int frames = player_advance(w->p);
    if (frames > 0 && !w->p->rewinding) play_sound(w);
    due -= frames > 0 ? frames : 1;
    if (w->script) window_script_frame(w->script);
  }
  w->pace.next += (due < 0 ? -due : 0) * w->pace.period / w->p->speed;
}

static void loop(window *w, double frame_rate) {
  player *p = w->p;
  pacer_begin(&w->pace, now(w), frame_rate);
  while (!p->finished) {
    SDL_Event event;
    if (w->script) window_script_push(w->script, w->renderer);
    while (SDL_PollEvent(&event)) on_event(w, &event);
    apply_held(w);
    int due = pacer_due(&w->pace, now(w), p->speed);
    if (due > 0) {
      run_frames(w, due);
      /* when play is faster, draw no more pictures than at normal speed */
      if (p->speed > 1 && now(w) - w->drawn < 0.8 * w->pace.period) continue;
      w->drawn = now(w);
      draw(w);
      if (w->script) window_script_drawn(w->script, w->renderer, p);
      SDL_RenderPresent(w->renderer);
    } else if (w->script) {
      window_script_wait(w->script);
    } else {
      double wait = pacer_wait(&w->pace, now(w));
      SDL_Delay(wait > 0.002 ? (Uint32)(1000 * wait - 1) : 1);
    }
  }
}

sixer_err window_run(player *p, const window_settings *settings, sixer_error *error) {
  window *w = calloc(1, sizeof *w);
  if (!w) return sixer_fail(error, SIXER_ERR_FILE, "out of memory");
  w->p = p;
  w->mute = settings->mute;
  w->crt = settings->crt;
  sixer_err err = SIXER_OK;
  if (settings->script && !(w->script = window_script_open(settings->script)))
    err = sixer_fail(error, SIXER_ERR_FILE, "%s: the script cannot be read, or a line is wrong",
                     settings->script);
  if (!err) err = keys_open(&w->keys, false, p->seats.people > 1, settings->keys, error);
  if (!err) err = open_window(w, settings, error);
  if (!err) {
    double rate = session_frame_rate(sixer_rom_describe(p->rom).format);
    if (!w->mute) open_sound(w, rate);
    char keys[200];
    keys_greeting(&w->keys, w->has_mouse, p->seats.people > 1, keys, sizeof keys);
    player_say(p, "%s%s", keys, w->mute || w->sound ? "" : "   (no sound)");
    loop(w, rate);
  }
  close_window(w);
  free(w);
  return err;
}

#endif
