/* `sixer games`: list the games that are known, built in or in the user's folder, and check definitions. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "sixer/catalog.h"
#include "util/os.h"

static bool contains(const char *text, const char *part) {
  size_t length = strlen(part);
  for (; *text; text++) {
    if (!strncasecmp(text, part, length)) return true;
  }
  return length == 0;
}

static bool matches(const sixer_game_info *game, const char *const *patterns, int count) {
  if (!count) return true;
  for (int i = 0; i < count; i++) {
    if (contains(game->id, patterns[i]) || contains(game->title, patterns[i]) ||
        contains(game->gymnasium_id, patterns[i]))
      return true;
  }
  return false;
}

static void print_numbers(const char *name, sixer_list list) {
  printf(", \"%s\": [", name);
  for (int i = 0; i < list.count; i++) printf("%s%d", i ? ", " : "", list.items[i]);
  putchar(']');
}

static void print_names(const char *name, sixer_list list) {
  printf(", \"%s\": [", name);
  for (int i = 0; i < list.count; i++) {
    printf("%s\"%s\"", i ? ", " : "", sixer_action_name(list.items[i]));
  }
  putchar(']');
}

static const char *yes_no(bool value) { return value ? "true" : "false"; }

static void print_json(const sixer_game_info *game, bool built_in, bool first) {
  char path[4096];
  printf("%s  {\"id\": \"%s\", \"title\": ", first ? "" : ",\n", game->id);
  cli_print_json(game->title);
  printf(", \"gymnasium\": \"%s\", \"gymnasium_id\": \"%s\", \"legacy\": %s, \"md5\": [",
         game->gymnasium_name, game->gymnasium_id, yes_no(game->gymnasium_legacy));
  for (int i = 0; i < game->md5_count; i++) printf("%s\"%s\"", i ? ", " : "", game->md5s[i]);
  putchar(']');
  print_numbers("modes", game->modes);
  printf(", \"default_mode\": %d", game->default_mode);
  for (int n = 2; n <= 4; n++) {
    char key[32];
    snprintf(key, sizeof key, "modes_%d_players", n);
    print_numbers(key, game->player_modes[n - 1]);
  }
  print_numbers("difficulties", game->difficulties);
  printf(", \"levels\": %d", game->level_count);
  print_names("minimal_actions", game->minimal_actions);
  print_names("legal_actions", game->legal_actions);
  printf(", \"start_frames\": %d, \"paddles\": %s", game->start_frames, yes_no(game->paddles));
  if (game->score_modulus) {
    printf(", \"score_rolls_over_at\": %d, \"score_unit\": %d", game->score_modulus,
           game->score_unit);
  } else {
    printf(", \"score_rolls_over_at\": null, \"score_unit\": null");
  }
  printf(", \"corrections\": %s, \"built_in\": %s, \"inside\": %s, \"image\": ",
         yes_no(game->corrections), yes_no(built_in), yes_no(game->image_inside));
  cli_print_json(sixer_rom_find(game->id, path, sizeof path) ? path : NULL);
  putchar('}');
}

/* For how many players the game has modes, such as "1, 2, 4". */
static void list_players(const sixer_game_info *game, char text[16]) {
  text[0] = 0;
  for (int n = 1; n <= 4; n++) {
    if (n == 1 ? !game->only_several || game->player_modes[0].count
               : game->player_modes[n - 1].count)
      snprintf(text + strlen(text), 16 - strlen(text), "%s%d", *text ? "," : "", n);
  }
}

static void print_row(const sixer_game_info *game) {
  char path[4096], players[16];
  list_players(game, players);
  const char *image = game->image_inside                            ? "inside"
                      : sixer_rom_find(game->id, path, sizeof path) ? "yes"
                                                                    : "no";
  printf("%-18s %-26s %-7s %5d %6d %6d %7d  %-8s  %s\n", game->id, game->title, players,
         game->modes.count, game->difficulties.count, game->level_count,
         game->minimal_actions.count, game->paddles ? "paddles" : "joystick", image);
}

/* `sixer games check FILE...`: print what each file defines, or where it is wrong. */
static int check(const char *const *files, int count) {
  int status = CLI_OK;
  if (!count)
    return cli_error("games", CLI_USAGE, "name the file to check: sixer games check FILE");
  for (int i = 0; i < count; i++) {
    sixer_catalog *catalog;
    sixer_error error;
    if (sixer_catalog_open(files[i], &catalog, &error)) {
      cli_print(stderr, "%s\n", error.message);
      status = CLI_FAILED;
      continue;
    }
    for (int k = 0; k < sixer_catalog_count(catalog); k++) {
      sixer_game_info game = sixer_catalog_game(catalog, k);
      cli_print(stdout, "%s: %s, \"%s\": %d mode%s, %d difficult%s, %d actions, %d variables\n",
                files[i], game.id, game.title, game.modes.count, game.modes.count == 1 ? "" : "s",
                game.difficulties.count, game.difficulties.count == 1 ? "y" : "ies",
                game.minimal_actions.count, game.variables);
    }
    const bool wrong = session_print_problems(catalog);
    if (wrong) status = CLI_FAILED;
    if (!wrong && !sixer_catalog_count(catalog))
      status = cli_error("games", CLI_FAILED, "%s: has no definitions (*.game)", files[i]);
    sixer_catalog_close(catalog);
  }
  return status;
}

int cmd_games(int argc, char **argv) {
  enum { MAX_ARGUMENTS = 1024 };
  bool json = false;
  const char *arguments[MAX_ARGUMENTS];
  const option_def options[] = {
      {"json", OPTION_FLAG, &json, NULL, "print them as JSON, with all details"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  int status,
      count = cli_parse(
          "games",
          "List the games that are known: all, or those whose id or title contains one of the\n"
          "PATTERNs. The last column says whether an image was found (sixer roms);\n"
          "those of our own games are inside the library.\n\n"
          "  sixer games check FILE...   verify definitions of your own (docs/games.md)\n\n"
          "Definitions of your own are read from the folder $SIXER_GAMES, else from\n"
          "~/.local/share/sixer/games.",
          options, argc, argv, arguments, MAX_ARGUMENTS, &status);
  if (count < 0) return status;
  if (count && !strcmp(arguments[0], "check")) return check(arguments + 1, count - 1);

  sixer_catalog *catalogs[2] = {NULL, NULL}; /* built in; the user's */
  sixer_error error = {SIXER_OK, ""};
  if (sixer_catalog_open_builtin(&catalogs[0], &error))
    return cli_error("games", CLI_FAILED, "%s", error.message);
  /* an error in a file of the user is reported; all other games are listed */
  if (sixer_catalog_open(NULL, &catalogs[1], &error))
    status = cli_error("games", CLI_FAILED, "%s", error.message);
  if (session_print_problems(catalogs[1])) status = CLI_FAILED;
  int shown = 0;
  if (json) {
    printf("[\n");
  } else {
    printf("%-18s %-26s %-7s %5s %6s %6s %7s  %-8s  %s\n", "id", "title", "players", "modes",
           "diffic", "levels", "actions", "control", "image");
  }
  for (int k = 0; k < 2; k++) {
    for (int i = 0; catalogs[k] && i < sixer_catalog_count(catalogs[k]); i++) {
      sixer_game_info game = sixer_catalog_game(catalogs[k], i);
      if (!matches(&game, arguments, count)) continue;
      if (json) {
        print_json(&game, k == 0, shown == 0);
      } else {
        print_row(&game);
      }
      shown++;
    }
    sixer_catalog_close(catalogs[k]);
  }
  if (json) printf("\n]\n");
  if (!shown && !status) {
    status = cli_error("games", CLI_FAILED, "no game's id or title contains '%s'", arguments[0]);
  }
  return status;
}
