/* The games that can be played here, and a picture of each. */
#include "cli/picker.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sixer/catalog.h"
#include "util/error.h"
#include "util/os.h"
#include "util/sort.h"

enum { PAINT_FRAMES = 300 };

/* ---- The list -------------------------------------------------------------------------------------------------- */

static bool has_image(const sixer_game_info *info) {
  char path[4096];
  return info->image_inside || sixer_rom_find(info->id, path, sizeof path);
}

static int by_title(const void *a, const void *b) {
  return strcasecmp(((const picker_game *)a)->title, ((const picker_game *)b)->title);
}

static sixer_err add_games(picker *p, const sixer_catalog *catalog, sixer_error *error) {
  int count = sixer_catalog_count(catalog);
  if (count == 0) return SIXER_OK;
  picker_game *games = realloc(p->games, (size_t)(p->count + count) * sizeof *games);
  if (!games) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a list of games");
  p->games = games;
  for (int i = 0; i < count; i++) {
    sixer_game_info info = sixer_catalog_game(catalog, i);
    if (!has_image(&info)) continue;
    picker_game *g = &p->games[p->count++];
    *g = (picker_game){.tried = false};
    snprintf(g->id, sizeof g->id, "%s", info.id);
    snprintf(g->title, sizeof g->title, "%s", info.title);
  }
  return SIXER_OK;
}

/* Does every word of the search begin a word of the title, or is it part of the id? */
static bool matches(const picker_game *g, const char *search) {
  size_t length = strlen(search);
  const char *names[] = {g->title, g->id};
  for (int k = 0; k < 2; k++) {
    for (const char *at = names[k]; *at; at++) {
      if (!strncasecmp(at, search, length)) return true;
    }
  }
  return length == 0;
}

static void apply_search(picker *p) {
  p->shown_count = 0;
  for (int i = 0; i < p->count; i++) {
    if (matches(&p->games[i], p->search)) p->shown[p->shown_count++] = i;
  }
  p->selected = 0;
}

sixer_err picker_open(picker *p, sixer_error *error) {
  *p = (picker){.count = 0};
  sixer_catalog *builtin = NULL, *own = NULL;
  sixer_err err = sixer_catalog_open_builtin(&builtin, error);
  if (!err) err = add_games(p, builtin, error);
  /* what is wrong with definitions of one's own, `sixer games` says */
  if (!err && !sixer_catalog_open(NULL, &own, NULL)) err = add_games(p, own, error);
  sixer_catalog_close(builtin);
  sixer_catalog_close(own);
  p->shown = calloc((size_t)p->count + 1, sizeof *p->shown);
  if (!err && !p->shown)
    err = sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a list of games");
  if (err) {
    picker_close(p);
    return err;
  }
  if (p->count) sort_stable(p->games, (size_t)p->count, sizeof *p->games, by_title);
  apply_search(p);
  return SIXER_OK;
}

void picker_close(picker *p) {
  for (int i = 0; i < p->count; i++) free(p->games[i].rgb);
  free(p->games);
  free(p->shown);
  *p = (picker){.count = 0};
}

picker_game *picker_selected(picker *p) {
  return p->selected < p->shown_count ? &p->games[p->shown[p->selected]] : NULL;
}

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

void picker_key(picker *p, int key, int columns, int page) {
  int by = 0;
  size_t length = strlen(p->search);
  int plain = key & KEY_PLAIN;
  switch (plain) {
    case KEY_UP: by = -columns; break;
    case KEY_DOWN: by = columns; break;
    case KEY_LEFT: by = columns > 1 ? -1 : -page; break;
    case KEY_RIGHT: by = columns > 1 ? 1 : page; break;
    case KEY_PAGE_UP: by = -page; break;
    case KEY_PAGE_DOWN: by = page; break;
    case KEY_HOME: p->selected = 0; break;
    case KEY_END: p->selected = p->shown_count ? p->shown_count - 1 : 0; break;
    case KEY_ENTER:
    case KEY_PAD_ENTER: p->chosen = picker_selected(p) != NULL; break;
    case KEY_ESCAPE:
      /* first out of the search, then out of the list */
      if (!length) p->ended = true;
      p->search[0] = 0;
      apply_search(p);
      break;
    case KEY_BACKSPACE:
      if (length) p->search[length - 1] = 0;
      apply_search(p);
      break;
    default:
      if (plain < ' ' || plain > '~' || length + 1 >= sizeof p->search) break;
      if (plain == ' ' && !length) break;
      p->search[length] = (char)plain;
      p->search[length + 1] = 0;
      apply_search(p);
  }
  int to = p->selected + by;
  if (by && (columns == 1 || abs(by) == page)) {
    to = to < 0 ? 0 : to >= p->shown_count ? p->shown_count - 1 : to;
  }
  if (to >= 0 && to < p->shown_count) p->selected = to;
}

/* ---- Pictures -------------------------------------------------------------------------------------------------- */

bool picker_paint(picker_game *g) {
  if (g->tried) return false;
  g->tried = true;
  sixer_rom *rom = NULL;
  sixer_env *env = NULL;
  sixer_config config = sixer_config_default();
  config.sticky = 0;
  config.seed = 1;
  config.color_averaging = true; /* some games draw their objects in every other frame */
  if (!sixer_rom_open(g->id, NULL, &rom, NULL) && !sixer_env_create(rom, &config, &env, NULL)) {
    /* random play, the same every time: an action is held for a while */
    sixer_list legal = sixer_rom_minimal_actions(rom);
    uint32_t draw = 1;
    int action = 0;
    g->height = sixer_env_height(env);
    g->rgb = malloc((size_t)g->height * 160 * 3);
    for (int i = 0; g->rgb && i < PAINT_FRAMES; i++) {
      if (i % 12 == 0 && legal.count) {
        draw = draw * 1664525 + 1013904223;
        action = legal.items[(draw >> 16) % (uint32_t)legal.count];
      }
      sixer_result result;
      if (sixer_env_step(env, action, &result) || result.over) break;
    }
    if (g->rgb && sixer_env_rgb(env, g->rgb)) {
      free(g->rgb);
      g->rgb = NULL;
    }
  }
  sixer_env_destroy(env);
  sixer_rom_close(rom);
  return true;
}
