/* `sixer info`: what is known about a cartridge image and its game, or about a checkpoint. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/model_files.h"
#include "sixer/players.h"
#include "sixer/sixer.h"

static void print_list(const char *name, sixer_list list) {
  printf("%-13s", name);
  for (int i = 0; i < list.count; i++) printf("%s%d", i ? ", " : "", list.items[i]);
  putchar('\n');
}

static void print_actions(const char *name, sixer_list list) {
  printf("%-13s", name);
  for (int i = 0; i < list.count; i++)
    printf("%s%s", i ? " " : "", sixer_action_name(list.items[i]));
  putchar('\n');
}

static void print_json_list(const char *name, sixer_list list) {
  printf(",\n  \"%s\": [", name);
  for (int i = 0; i < list.count; i++) printf("%s%d", i ? ", " : "", list.items[i]);
  putchar(']');
}

static void print_json_text(const char *name, const char *text) {
  printf(",\n  \"%s\": ", name);
  if (!text) {
    printf("null");
    return;
  }
  putchar('"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      printf("\\%c", *text);
    else if ((unsigned char)*text < 32)
      printf("\\u%04x", *text);
    else
      putchar(*text);
  }
  putchar('"');
}

typedef struct first_line {
  char text[160];
} first_line;

static void keep_first(void *context, const char *text) {
  first_line *l = context;
  if (!*l->text) snprintf(l->text, sizeof l->text, "%s", text);
}

/* Which core runs: the translator, with what it has made so far, or why it does not run. Fails only if memory is
 * gone: then nothing can be said about the cartridge. */
static sixer_err describe_core(const sixer_rom *rom, char *text, size_t size, sixer_error *error) {
  const sixer_config config = sixer_config_default();
  first_line made = {""};
  sixer_env *env;
  sixer_err err = sixer_env_create(rom, &config, &env, error);
  if (err) {
    snprintf(text, size, "none: %s", error->message);
  } else {
    err = sixer_env_list_code(env, keep_first, &made, error);
    if (err)
      snprintf(text, size, "%s", error->message);
    else
      snprintf(text, size, "jit: after the reset, %s", made.text);
    sixer_env_destroy(env);
  }
  return err == SIXER_ERR_MEMORY ? err : SIXER_OK;
}

static void print_json(const sixer_rom *rom, const char *core) {
  sixer_rom_info info = sixer_rom_describe(rom);
  printf("{\n  \"md5\": \"%s\",\n  \"type\": \"%s\",\n  \"format\": \"%s\",\n  \"size\": %zu",
         info.md5, info.type, info.format, info.size);
  print_json_text("path", info.path);
  print_json_text("game", info.game);
  print_json_text("title", info.title);
  print_json_text("core", core);
  printf(",\n  \"screen\": [%d, %d],\n  \"paddles\": %s,\n  \"state_size\": %d", info.height,
         info.width, info.paddles ? "true" : "false", info.state_size);
  print_json_list("modes", sixer_rom_modes(rom));
  for (int n = 2; n <= SIXER_PLAYERS_MAX; n++) {
    char name[32];
    snprintf(name, sizeof name, "modes_%d_players", n);
    print_json_list(name, sixer_rom_player_modes(rom, SIXER_DIALECT_SIXER, n));
  }
  printf(",\n  \"default_mode\": %d", sixer_rom_default_mode(rom));
  print_json_list("difficulties", sixer_rom_difficulties(rom));
  printf(",\n  \"levels\": %d", sixer_rom_level_count(rom));
  print_json_list("legal_actions", sixer_rom_legal_actions(rom));
  print_json_list("minimal_actions", sixer_rom_minimal_actions(rom));
  printf("\n}\n");
}

static void print_text(const sixer_rom *rom, const char *core) {
  sixer_rom_info info = sixer_rom_describe(rom);
  printf("title        %s\n", info.title);
  if (info.path) printf("image        %s\n", info.path);
  printf("md5          %s\nsize         %zu bytes\ntype         %s\nformat       %s\n", info.md5,
         info.size, info.type, info.format);
  printf("screen       %d x %d\nstate        %d bytes\ncontroller   %s\n", info.width, info.height,
         info.state_size, info.paddles ? "paddles" : "joystick");
  printf("core         %s\n", core);
  if (!info.game) {
    printf(
        "game         none: no game definition lists this image, so its reward is 0 and it never "
        "ends.\n"
        "             docs/games.md shows how to write one; --game ID borrows another game's "
        "rules.\n");
    return;
  }
  printf("game         %s%s\n", info.game,
         info.game_by_name ? " (by file name: the MD5 is not one of the game's)" : "");
  print_list("modes", sixer_rom_modes(rom));
  printf("default      mode %d\n", sixer_rom_default_mode(rom));
  for (int n = 2; n <= SIXER_PLAYERS_MAX; n++) {
    char name[32];
    snprintf(name, sizeof name, "%d players", n);
    sixer_list modes = sixer_rom_player_modes(rom, SIXER_DIALECT_SIXER, n);
    if (modes.count) print_list(name, modes);
  }
  print_list("difficulties", sixer_rom_difficulties(rom));
  if (sixer_rom_level_count(rom) > 1)
    printf("levels       0 to %d\n", sixer_rom_level_count(rom) - 1);
  print_actions("minimal", sixer_rom_minimal_actions(rom));
  print_actions("legal", sixer_rom_legal_actions(rom));
}

int cmd_info(int argc, char **argv) {
  bool json = false;
  const char *game = NULL, *path;
  const option_def options[] = {
      {"json", OPTION_FLAG, &json, NULL, "print it as JSON"},
      {"game", OPTION_TEXT, &game, "ID", "apply this game's rules to the image"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  int status, count = cli_parse(
                  "info",
                  "Show what is known about a cartridge: a file, or the id of a game; or about a "
                  "checkpoint of `sixer train`: its settings, how far it is, its sections.",
                  options, argc, argv, &path, 1, &status);
  if (count < 0) return status;
  if (count == 0)
    return cli_error("info", CLI_USAGE,
                     "name a cartridge image, the id of a game, or a checkpoint");
  if (model_is_file(path)) return model_print(path, json);
  sixer_error error;
  sixer_rom *rom;
  if (sixer_rom_open(path, game, &rom, &error))
    return cli_error("info", CLI_FAILED, "%s", error.message);
  char core[600];
  status = CLI_OK;
  if (describe_core(rom, core, sizeof core, &error))
    status = cli_error("info", CLI_FAILED, "%s", error.message);
  else if (json)
    print_json(rom, core);
  else
    print_text(rom, core);
  sixer_rom_close(rom);
  return status;
}
