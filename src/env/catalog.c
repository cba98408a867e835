/* Catalogs: lists of compiled definitions, as the public header shows them. */
#include "sixer/catalog.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env/env.h"
#include "env/image_search.h"
#include "games/game.h"
#include "util/embedded.h"
#include "util/os.h"

struct sixer_catalog {
  game_list games;
};

/* Hand over a list that was made, or free it and report `err`. */
static sixer_err finish(sixer_err err, game_list *games, sixer_catalog **catalog,
                        sixer_error *error) {
  if (err) return err;
  sixer_catalog *made = malloc(sizeof *made);
  if (!made) {
    game_list_free(games);
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a list of games");
  }
  made->games = *games;
  *catalog = made;
  return SIXER_OK;
}

sixer_err sixer_catalog_open_builtin(sixer_catalog **catalog, sixer_error *error) {
  game_list games = {0};
  return finish(game_list_builtin(&games, error), &games, catalog, error);
}

sixer_err sixer_catalog_open(const char *path, sixer_catalog **catalog, sixer_error *error) {
  game_list games = {0};
  char folder[4096];
  os_status info;
  sixer_err err = SIXER_OK;
  if (!path) {
    if (game_user_folder(folder, sizeof folder)) err = game_list_folder(folder, &games, error);
  } else if (os_stat(path, &info) == 0 && info.kind == OS_FOLDER) {
    err = game_list_folder(path, &games, error);
  } else {
    games.items = malloc(sizeof *games.items);
    if (!games.items) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a game");
    err = game_load_file(path, games.items, error);
    if (err) free(games.items);
    games.count = 1;
  }
  return finish(err, &games, catalog, error);
}

void sixer_catalog_close(sixer_catalog *catalog) {
  if (!catalog) return;
  game_list_free(&catalog->games);
  free(catalog);
}

const char *sixer_catalog_problem(const sixer_catalog *catalog, int index) {
  bool known = index >= 0 && index < catalog->games.problem_count;
  return known ? catalog->games.problems[index].error.message : NULL;
}

int sixer_catalog_count(const sixer_catalog *catalog) { return catalog->games.count; }

/* Does the library contain the image of this game? Files are named "roms/duskrain.bin". */
static bool image_inside(const char *id) {
  for (const embedded_file *file = embedded_roms; file->name; file++) {
    const char *slash = strrchr(file->name, '/'), *name = slash ? slash + 1 : file->name;
    size_t length = strlen(id);
    if (!strncmp(name, id, length) && !strcmp(name + length, ".bin")) return true;
  }
  return false;
}

sixer_game_info sixer_catalog_game(const sixer_catalog *catalog, int index) {
  assert(index >= 0 && index < catalog->games.count);
  if (index < 0 || index >= catalog->games.count) return (sixer_game_info){0};
  const game *g = catalog->games.items[index];
  const game_properties *properties = game_console(g);
  game_counter score = game_score_counter(g);
  const game *several = game_players(g);
  sixer_game_info info = {
      .id = game_id(g),
      .title = game_title(g),
      .gymnasium_name = game_gymnasium_name(g),
      .gymnasium_id = game_gymnasium_id(g),
      .gymnasium_legacy = game_gymnasium_legacy(g),
      .md5s = game_md5s(g),
      .md5_count = game_md5_count(g),
      .modes = game_modes(g),
      .difficulties = game_difficulties(g),
      .legal_actions = game_legal_actions(g),
      .minimal_actions = game_minimal_actions(g),
      .default_mode = game_default_mode(g),
      .level_count = game_level_count(g),
      .start_frames = game_start_actions(g).count,
      .variables = game_var_count(g),
      .paddles = properties->left_paddles || properties->right_paddles,
      .score_modulus = score.modulus,
      .score_unit = score.modulus ? score.unit : 0,
      .corrections = game_has_corrections(g),
      .image_inside = image_inside(game_id(g)),
      .several = several != NULL,
      .only_several = game_only_players(g),
  };
  for (int n = 1; several && n <= SIXER_PLAYERS_MAX; n++) {
    bool own = n == 1 && !info.only_several;
    info.player_modes[n - 1] =
        own ? info.modes : game_player_modes(several, SIXER_DIALECT_SIXER, n);
  }
  return info;
}

bool sixer_rom_find(const char *id, char *path, size_t size) {
  return image_search(id, path, size);
}

bool sixer_rom_folder(int index, char *path, size_t size) {
  enum { MAX = 16 };
  char(*folders)[4096] = index < 0 || index >= MAX ? NULL : malloc(MAX * sizeof *folders);
  bool found = folders && index < image_folders(folders, MAX) &&
               snprintf(path, size, "%s", folders[index]) < (int)size;
  free(folders);
  return found;
}
