/* `sixer games`: which games are known, built in or in the user's folder, and whether a definition is right. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "env/find.h"
#include "games/game.h"

static bool contains(const char *text, const char *part) {
  size_t length = strlen(part);
  for (; *text; text++) {
    if (!strncasecmp(text, part, length)) return true;
  }
  return length == 0;
}

static bool matches(const game *g, const char *const *patterns, int count) {
  if (!count) return true;
  for (int i = 0; i < count; i++) {
    if (contains(game_id(g), patterns[i]) || contains(game_title(g), patterns[i]) ||
        contains(game_gymnasium_id(g), patterns[i]))
      return true;
  }
  return false;
}

/* Our own games: their images are part of the library. */
static bool is_own(const game *g, bool built_in) {
  return built_in && strncmp(game_gymnasium_id(g), "ALE/", 4) != 0;
}

static void print_numbers(const char *name, sixer_list list) {
  printf(", \"%s\": [", name);
  for (int i = 0; i < list.count; i++) printf("%s%d", i ? ", " : "", list.items[i]);
  putchar(']');
}

static void print_names(const char *name, sixer_list list) {
  printf(", \"%s\": [", name);
  for (int i = 0; i < list.count; i++) {
    printf("%s\"%s\"", i ? ", " : "", game_action_name(list.items[i]));
  }
  putchar(']');
}

static void print_json(const game *g, bool built_in, bool first) {
  const game_properties *c = game_console(g);
  game_counter score = game_score_counter(g);
  char path[4096];
  printf("%s  {\"id\": \"%s\", \"title\": ", first ? "" : ",\n", game_id(g));
  cli_print_json(game_title(g));
  printf(", \"gymnasium\": \"%s\", \"gymnasium_id\": \"%s\", \"legacy\": %s, \"md5\": [",
         game_gymnasium_name(g), game_gymnasium_id(g), game_gymnasium_legacy(g) ? "true" : "false");
  for (int i = 0; i < game_md5_count(g); i++) printf("%s\"%s\"", i ? ", " : "", game_md5_at(g, i));
  putchar(']');
  print_numbers("modes", game_modes(g));
  printf(", \"default_mode\": %d", game_default_mode(g));
  print_numbers("difficulties", game_difficulties(g));
  printf(", \"levels\": %d", game_level_count(g));
  print_names("minimal_actions", game_minimal_actions(g));
  print_names("legal_actions", game_legal_actions(g));
  printf(", \"start_frames\": %d, \"paddles\": %s", game_start_actions(g).count,
         c->left_paddles || c->right_paddles ? "true" : "false");
  if (score.modulus) {
    printf(", \"score_rolls_over_at\": %d, \"score_unit\": %d", score.modulus, score.unit);
  } else {
    printf(", \"score_rolls_over_at\": null, \"score_unit\": null");
  }
  printf(", \"corrections\": %s, \"built_in\": %s, \"inside\": %s, \"image\": ",
         game_has_corrections(g) ? "true" : "false", built_in ? "true" : "false",
         is_own(g, built_in) ? "true" : "false");
  cli_print_json(find_image(game_id(g), path, sizeof path) ? path : NULL);
  putchar('}');
}

static void print_row(const game *g, bool built_in) {
  const game_properties *c = game_console(g);
  char path[4096];
  printf("%-18s %-26s %5d %6d %6d %7d  %-8s  %s\n", game_id(g), game_title(g), game_modes(g).count,
         game_difficulties(g).count, game_level_count(g), game_minimal_actions(g).count,
         c->left_paddles || c->right_paddles ? "paddles" : "joystick",
         is_own(g, built_in)                         ? "inside"
         : find_image(game_id(g), path, sizeof path) ? "yes"
                                                     : "no");
}

/* `sixer games check FILE...`: say of each file what it defines, or where it is wrong. */
static int check(const char *const *files, int count) {
  int status = CLI_OK;
  if (!count) return cli_error("games", CLI_USAGE, "which file? sixer games check FILE");
  for (int i = 0; i < count; i++) {
    game *g;
    sixer_error error;
    if (game_load_file(files[i], &g, &error)) {
      fprintf(stderr, "%s\n", error.message);
      status = CLI_FAILED;
      continue;
    }
    printf("%s: %s, \"%s\": %d mode%s, %d difficult%s, %d actions, %d variables\n", files[i],
           game_id(g), game_title(g), game_modes(g).count, game_modes(g).count == 1 ? "" : "s",
           game_difficulties(g).count, game_difficulties(g).count == 1 ? "y" : "ies",
           game_minimal_actions(g).count, game_var_count(g));
    game_free(g);
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

  game_list lists[2] = {{NULL, 0}, {NULL, 0}};
  sixer_error error = {SIXER_OK, ""};
  char folder[4096];
  if (game_list_builtin(&lists[0], &error))
    return cli_error("games", CLI_FAILED, "%s", error.message);
  /* a file of the user's that is wrong is reported, and the games that are built in are listed all the same */
  if (game_user_folder(folder, sizeof folder) && game_list_folder(folder, &lists[1], &error)) {
    status = cli_error("games", CLI_FAILED, "%s", error.message);
  }
  int shown = 0;
  if (json) {
    printf("[\n");
  } else {
    printf("%-18s %-26s %5s %6s %6s %7s  %-8s  %s\n", "id", "title", "modes", "diffic", "levels",
           "actions", "control", "image");
  }
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < lists[k].count; i++) {
      if (!matches(lists[k].items[i], arguments, count)) continue;
      if (json) {
        print_json(lists[k].items[i], k == 0, shown == 0);
      } else {
        print_row(lists[k].items[i], k == 0);
      }
      shown++;
    }
    game_list_free(&lists[k]);
  }
  if (json) printf("\n]\n");
  if (!shown && !status) {
    status = cli_error("games", CLI_FAILED, "no game's id or title contains '%s'", arguments[0]);
  }
  return status;
}
