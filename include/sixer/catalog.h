/* Catalogs: which games are known, what their definitions say, and where their cartridge images are.
 *
 * A game is known by its definition, a text file (docs/games.md). Those of the library are built in; a user's own are
 * files in a folder. A complete program, which prints every built-in game whose image is on this machine:
 *
 *     #include <sixer/catalog.h>
 *     #include <stdio.h>
 *
 *     int main(void) {
 *       sixer_error error;
 *       sixer_catalog *catalog;
 *       if (sixer_catalog_open_builtin(&catalog, &error)) return puts(error.message), 1;
 *       for (int i = 0; i < sixer_catalog_count(catalog); i++) {
 *         sixer_game_info game = sixer_catalog_game(catalog, i);
 *         char path[4096];
 *         if (game.image_inside || sixer_rom_find(game.id, path, sizeof path)) puts(game.title);
 *       }
 *       sixer_catalog_close(catalog);
 *     }
 *
 * A catalog is constant once opened and may be used by any number of threads. */
#ifndef SIXER_CATALOG_H
#define SIXER_CATALOG_H

#include "sixer/sixer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Games ----------------------------------------------------------------------------------------------------- */

/* A list of games in alphabetical order of their ids. */
typedef struct sixer_catalog sixer_catalog;

/* The games that are built into the library. */
SIXER_API sixer_err sixer_catalog_open_builtin(sixer_catalog **catalog, sixer_error *error);

/* The definitions of a folder (its files *.game), or a single one if `path` is a file. NULL means the user's folder,
 * which need not exist: $SIXER_GAMES, else sixer/games in $XDG_DATA_HOME or ~/.local/share. A definition can be wrong,
 * or have the id or an MD5 of a built-in game or of another file. A single file is then SIXER_ERR_GAME, with file, line
 * and reason; in a folder it is left out, and sixer_catalog_problem() tells the reason. */
SIXER_API sixer_err sixer_catalog_open(const char *path, sixer_catalog **catalog,
                                       sixer_error *error);
SIXER_API void sixer_catalog_close(sixer_catalog *catalog); /* NULL is allowed */

/* Why a definition of the folder was left out, "FILE:LINE:COLUMN: reason", by index from 0; NULL after the last. Of two
 * files with the same id or MD5 the first in alphabetical order is kept. Lives as long as the catalog. */
SIXER_API const char *sixer_catalog_problem(const sixer_catalog *catalog, int index);

/* What a definition says about a game. */
typedef struct sixer_game_info {
  const char *id;    /* "ms_pacman" */
  const char *title; /* "Ms. Pac-Man" */
  /* The name of its Gymnasium environments, "MsPacman", and the id of the current one, "ALE/MsPacman-v5". Games that
   * ale-py does not have are "sixer/NAME-v0"; the id is empty if the definition has only rules for several players. */
  const char *gymnasium_name, *gymnasium_id;
  bool gymnasium_legacy;  /* ale-py also registers the old ids, "MsPacman-v0" and so on */
  const char (*md5s)[33]; /* of its known images, in hex */
  int md5_count;
  sixer_list modes, difficulties;
  sixer_list legal_actions, minimal_actions;
  int default_mode;
  int level_count;  /* levels are 0 .. level_count - 1; 1 if there is no choice */
  int start_frames; /* frames of play with which the rules start an episode */
  int variables;    /* that the rules keep between frames */
  bool paddles;     /* the game is steered by a paddle */
  /* The score counter of the game: the value at which it is back at zero, and the points that one unit stands for. Both
   * are 0 if the definition says nothing about it. */
  int score_modulus, score_unit;
  bool corrections;  /* SIXER_SCORING_FIXED can differ from SIXER_SCORING_ALE */
  bool image_inside; /* the library contains the image: one of our own games */
  /* The definition has rules for several players (players.h); and none for one, so that for one player the reward is
   * always 0. */
  bool several, only_several;
  sixer_list player_modes[4]; /* for 1 to 4 players, in dialect sixer; empty if there are none */
} sixer_game_info;

SIXER_API int sixer_catalog_count(const sixer_catalog *catalog);

/* The game with this index, 0 .. count - 1. The pointers live as long as the catalog. */
SIXER_API sixer_game_info sixer_catalog_game(const sixer_catalog *catalog, int index);

/* ---- Images ---------------------------------------------------------------------------------------------------- */

/* Find the image of a game as sixer_rom_open() does: write the path of the first file ID.bin among the folders below.
 * False if there is none, or if the path does not fit. Images inside the library have no path. */
SIXER_API bool sixer_rom_find(const char *id, char *path, size_t size);

/* The folders that are searched, by index from 0 until the result is false: $SIXER_ROMS, sixer/roms in $XDG_DATA_HOME
 * or ~/.local/share, and those of an installed ale_py. The first two need not exist. */
SIXER_API bool sixer_rom_folder(int index, char *path, size_t size);

#ifdef __cplusplus
}
#endif
#endif
