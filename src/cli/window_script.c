/* Scripted events for tests: see window_script.h. */
#include "cli/window_script.h"

#ifdef SIXER_HAVE_SDL

#include <stdlib.h>
#include <string.h>

#include "util/os.h"

enum { MAX_LINES = 2000 };

typedef struct script_line {
  long frame;
  char words[4][200];
  int count;
  bool done;
} script_line;

struct window_script {
  script_line *lines;
  int count;
  double time, step;
  long frame;
  bool listens;
};

static bool looks(const script_line *l) {
  return !strcmp(l->words[0], "dump") || !strcmp(l->words[0], "state") ||
         !strcmp(l->words[0], "time");
}

window_script *window_script_open(const char *path) {
  FILE *file = os_fopen(path, "r");
  if (!file) return NULL;
  window_script *s = calloc(1, sizeof *s);
  s->lines = calloc(MAX_LINES, sizeof *s->lines);
  s->step = 0.001;
  char text[1000];
  bool good = true;
  while (good && s->count < MAX_LINES && fgets(text, sizeof text, file)) {
    script_line *l = &s->lines[s->count];
    l->count = sscanf(text, "%ld %199s %199s %199s %199s", &l->frame, l->words[0], l->words[1],
                      l->words[2], l->words[3]) -
               1;
    if (l->count < 1)
      good = text[0] == '\n' || text[0] == '#';
    else
      s->count++;
  }
  fclose(file);
  for (int i = 0; i < s->count; i++) {
    if (!strcmp(s->lines[i].words[0], "clock")) s->step = atof(s->lines[i].words[1]);
    if (!strcmp(s->lines[i].words[0], "listen")) s->listens = true;
  }
  if (good && s->step > 0) return s;
  window_script_close(s);
  return NULL;
}

void window_script_close(window_script *s) {
  if (!s) return;
  free(s->lines);
  free(s);
}

double window_script_time(const window_script *s) { return s->time; }
bool window_script_listens(const window_script *s) { return s && s->listens; }
void window_script_wait(window_script *s) { s->time += s->step; }
void window_script_frame(window_script *s) { s->frame++; }

static void push_pad(const script_line *l) {
  SDL_Event event = {0};
  SDL_JoystickID pad = atoi(l->words[1]);
  if (!strcmp(l->words[2], "axis")) {
    /* the name and the value are in one word: leftx=32000 */
    char name[200];
    snprintf(name, sizeof name, "%s", l->words[3]);
    char *equals = strchr(name, '=');
    if (equals) *equals = 0;
    event.type = SDL_CONTROLLERAXISMOTION;
    event.caxis.which = pad;
    event.caxis.axis = (Uint8)SDL_GameControllerGetAxisFromString(name);
    event.caxis.value = (Sint16)(equals ? atoi(equals + 1) : 0);
  } else {
    bool down = !strcmp(l->words[2], "down");
    event.type = down ? SDL_CONTROLLERBUTTONDOWN : SDL_CONTROLLERBUTTONUP;
    event.cbutton.which = pad;
    event.cbutton.state = down;
    event.cbutton.button = (Uint8)SDL_GameControllerGetButtonFromString(l->words[3]);
  }
  SDL_PushEvent(&event);
}

static void push_line(const script_line *l, SDL_Renderer *renderer) {
  SDL_Event event = {0};
  const char *what = l->words[0];
  bool down = !strcmp(l->words[1], "down");
  if (!strcmp(what, "key")) {
    /* names may have a blank, written as _ */
    char name[200];
    snprintf(name, sizeof name, "%s", l->words[2]);
    for (char *c = name; *c; c++) {
      if (*c == '_') *c = ' ';
    }
    event.type = down ? SDL_KEYDOWN : SDL_KEYUP;
    event.key.keysym.sym = SDL_GetKeyFromName(name);
    event.key.keysym.mod = strcmp(l->words[3], "shift") ? KMOD_NONE : KMOD_LSHIFT;
    event.key.state = down;
  } else if (!strcmp(what, "mouse")) {
    event.type = SDL_MOUSEMOTION;
    event.motion.xrel = atoi(l->words[1]);
  } else if (!strcmp(what, "button")) {
    event.type = down ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP;
    event.button.x = atoi(l->words[2]);
    event.button.y = atoi(l->words[3]);
    event.button.button = SDL_BUTTON_LEFT;
  } else if (!strcmp(what, "pad")) {
    push_pad(l);
    return;
  } else if (!strcmp(what, "size")) {
    SDL_SetWindowSize(SDL_RenderGetWindow(renderer), atoi(l->words[1]), atoi(l->words[2]));
    return;
  } else if (!strcmp(what, "quit")) {
    event.type = SDL_QUIT;
  } else {
    return;
  }
  SDL_PushEvent(&event);
}

void window_script_push(window_script *s, SDL_Renderer *renderer) {
  for (int i = 0; i < s->count; i++) {
    script_line *l = &s->lines[i];
    if (l->done || l->frame > s->frame || looks(l)) continue;
    push_line(l, renderer);
    l->done = true;
  }
}

static void dump_window(SDL_Renderer *renderer, const char *path) {
  int width, height;
  SDL_GetRendererOutputSize(renderer, &width, &height);
  uint8_t *rgb = malloc((size_t)width * (size_t)height * 3);
  FILE *file = os_fopen(path, "wb");
  if (rgb && file &&
      SDL_RenderReadPixels(renderer, NULL, SDL_PIXELFORMAT_RGB24, rgb, width * 3) == 0) {
    fprintf(file, "P6\n%d %d\n255\n", width, height);
    fwrite(rgb, 3, (size_t)width * (size_t)height, file);
  }
  if (file) fclose(file);
  free(rgb);
}

static void dump_state(const player *p, const char *path) {
  int flags = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE;
  size_t size = sixer_env_state_size(p->env, flags);
  uint8_t *state = malloc(size);
  FILE *file = os_fopen(path, "wb");
  if (state && file) {
    sixer_env_save(p->env, flags, state);
    fwrite(state, 1, size, file);
  }
  if (file) fclose(file);
  free(state);
}

static void dump_time(const window_script *s, const char *path) {
  FILE *file = os_fopen(path, "w");
  if (!file) return;
  fprintf(file, "%.6f\n", s->time);
  fclose(file);
}

void window_script_drawn(window_script *s, SDL_Renderer *renderer, player *p) {
  for (int i = 0; i < s->count; i++) {
    script_line *l = &s->lines[i];
    if (l->done || l->frame > s->frame || !looks(l)) continue;
    if (!strcmp(l->words[0], "dump"))
      dump_window(renderer, l->words[1]);
    else if (!strcmp(l->words[0], "time"))
      dump_time(s, l->words[1]);
    else if (p)
      dump_state(p, l->words[1]);
    l->done = true;
  }
}

#else
typedef int window_script_unused;
#endif
