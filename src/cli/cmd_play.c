/* `sixer play` and `sixer watch`: a person, an agent or a tape in a window or in the terminal. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "cli/window.h"

typedef struct show_options {
  bool terminal, fullscreen, mute, force;
  int64_t scale;
  const char *colors;
} show_options;

#define SHOW_OPTIONS(o)                                                                       \
  {"terminal", OPTION_FLAG, &(o).terminal, NULL, "draw in the terminal instead of a window"}, \
      {"colors", OPTION_TEXT, &(o).colors, "KIND",                                            \
       "colors of the terminal: auto, 24bit, 256, 16, none"},                                 \
      {"scale", OPTION_INT, &(o).scale, "N", "size of the window: rows of pixels per line"},  \
      {"fullscreen", OPTION_FLAG, &(o).fullscreen, NULL, "start in full screen"}, {           \
    "mute", OPTION_FLAG, &(o).mute, NULL, "without sound"                                     \
  }

static int check_options(const char *name, const show_options *o, terminal_colors *colors) {
  if (o->scale < 1 || o->scale > 20)
    return cli_error(name, CLI_USAGE, "--scale is 1 to 20, found %" PRId64, o->scale);
  if (!terminal_colors_by_name(o->colors, colors))
    return cli_error(name, CLI_USAGE, "--colors is auto, 24bit, 256, 16 or none, found '%s'",
                     o->colors);
  return CLI_OK;
}

/* Show the play until it ends, then report it. */
static int show(const char *name, const show_options *o, terminal_colors colors,
                const player_settings *settings) {
  sixer_error error = {SIXER_OK, ""};
  player p;
  if (!o->terminal && !window_available(&error))
    return cli_error(name, CLI_FAILED, "%s", error.message);
  if (settings->record && o->force) unlink(settings->record);
  if (player_create(&p, settings, &error)) return cli_error(name, CLI_FAILED, "%s", error.message);
  sixer_rom_info info = sixer_rom_describe(p.rom);
  if (!info.game) player_say(&p, "no rules are known for this image: no score, and it never ends");
  window_settings window = {(int)o->scale, o->fullscreen, o->mute, getenv("SIXER_PLAY_SCRIPT")};
  sixer_err err = o->terminal ? terminal_run(&p, colors, &error) : window_run(&p, &window, &error);
  int status = err ? cli_error(name, CLI_FAILED, "%s", error.message) : CLI_OK;
  if (!err && p.failure.code) status = cli_error(name, CLI_FAILED, "%s", p.failure.message);
  if (!err)
    printf("%s: %" PRId64 " steps, %" PRId64 " episodes ended, score %.0f\n", info.title, p.steps,
           p.episodes, p.score);
  bool recorded = p.recorder != NULL;
  if (player_destroy(&p, &error))
    status = cli_error(name, CLI_FAILED, "%s", error.message);
  else if (recorded && !err)
    printf("%s: tape written; try `sixer replay %s`\n", settings->record, settings->record);
  return status;
}

int cmd_play(int argc, char **argv) {
  env_options env_settings = env_options_default();
  show_options o = {.scale = 3, .colors = "auto"};
  player_settings settings = {0};
  char description[3000];
  int n = snprintf(description, sizeof description,
                   "Play a game: a file, or the id of a game whose image is found (`sixer roms "
                   "list`).\n\nIn the window:\n");
  for (int i = 0; window_keys[i]; i++) {
    int length = (int)strcspn(window_keys[i], "|");
    n += snprintf(description + n, sizeof description - (size_t)n, "  %-24.*s  %s\n", length,
                  window_keys[i], window_keys[i] + length + 1);
  }
  n += snprintf(description + n, sizeof description - (size_t)n,
                "\nPads: stick or cross, any button; Start is a new game, Back pauses, the right "
                "shoulder is fast, the left one goes back.\n\nIn the terminal:\n");
  for (int i = 0; terminal_keys[i]; i++) {
    int length = (int)strcspn(terminal_keys[i], "|");
    n += snprintf(description + n, sizeof description - (size_t)n, "%s  %-24.*s  %s", i ? "\n" : "",
                  length, terminal_keys[i], terminal_keys[i] + length + 1);
  }
  const option_def options[] = {
      {"record", OPTION_TEXT, &settings.record, "FILE", "record the play to this tape"},
      {"force", OPTION_FLAG, &o.force, NULL, "replace an existing tape"},
      SHOW_OPTIONS(o),
      ENV_OPTIONS(env_settings),
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  int status,
      count = cli_parse("play", description, options, argc, argv, &settings.rom, 1, &status);
  if (count < 0) return status;
  if (count == 0)
    return cli_error("play", CLI_USAGE,
                     "name the GAME: a file, or an id (`sixer games` lists them)");
  terminal_colors colors;
  sixer_config config;
  status = check_options("play", &o, &colors);
  if (!status) status = env_options_apply(&env_settings, "play", &config);
  if (status) return status;
  config.sound = !o.terminal && !o.mute;
  settings.game = env_settings.game;
  settings.config = &config;
  return show("play", &o, colors, &settings);
}

/* Tapes begin with these 10 bytes. */
static bool is_tape(const char *path) {
  char head[11] = "";
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  bool yes = fread(head, 1, 10, file) == 10 && !memcmp(head, "sixer tape", 10);
  fclose(file);
  return yes;
}

static int watch(int argc, char **argv, env_options env_settings, const sixer_model *model) {
  show_options o = {.scale = 3, .colors = "auto"};
  player_settings settings = {0};
  bool list = false;
  const char *arguments[2], *image = NULL;
  const option_def options[] = {
      {"agents", OPTION_FLAG, &list, NULL, "list the agents and their options"},
      {"episodes", OPTION_INT, &settings.episodes, "N", "episodes to play; 0 is no limit"},
      {"minimal", OPTION_FLAG, &settings.minimal, NULL,
       "choose from the actions the game uses, not all 18"},
      {"record", OPTION_TEXT, &settings.record, "FILE", "record the agent's play to this tape"},
      {"force", OPTION_FLAG, &o.force, NULL, "replace an existing tape"},
      {"rom", OPTION_TEXT, &image, "ROM",
       "the image of a tape or model, if it is not found by its game"},
      SHOW_OPTIONS(o),
      ENV_OPTIONS(env_settings),
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  int status,
      count = cli_parse("watch",
                        "Watch an agent play a game, or a tape: in the window or the terminal, "
                        "with its score and actions (key O). The keys are those of `sixer "
                        "play`.\n\n"
                        "MODEL is a checkpoint of `sixer train`: the agent plays with what it has "
                        "learned, in an environment like that of its training; options override "
                        "its settings.\n\n"
                        "  sixer watch random pong\n"
                        "  sixer watch runs/sarsa_pong_1.checkpoint\n"
                        "  sixer watch game.tape --terminal",
                        options, argc, argv, arguments, 2, &status);
  if (count < 0) return status;
  if (list) {
    session_list_agents(stdout);
    return CLI_OK;
  }
  if (count == 0)
    return cli_error("watch", CLI_USAGE, "name an AGENT and a GAME, a MODEL or a TAPE");
  terminal_colors colors;
  sixer_config config;
  status = check_options("watch", &o, &colors);
  if (!status) status = env_options_apply(&env_settings, "watch", &config);
  if (status) return status;
  config.sound = !o.terminal && !o.mute;
  settings.config = &config;
  settings.game = env_settings.game;
  if (model_is_file(arguments[0])) {
    settings.model = model;
    settings.rom = count > 1 ? arguments[1] : image;
    status = model_check_actions("watch", model, settings.minimal);
    if (status) return status;
  } else if (count == 1) {
    if (!is_tape(arguments[0]))
      return cli_error("watch", access(arguments[0], F_OK) ? CLI_USAGE : CLI_FAILED,
                       "'%s' is neither a tape nor a checkpoint; for an agent, name the GAME too",
                       arguments[0]);
    if (settings.record)
      return cli_error("watch", CLI_USAGE,
                       "--record does not work with a tape: copy the file instead");
    settings.tape = arguments[0];
    settings.rom = image;
  } else {
    settings.agent = arguments[0];
    settings.rom = arguments[1];
  }
  return show("watch", &o, colors, &settings);
}

int cmd_watch(int argc, char **argv) {
  env_options env_settings = env_options_default();
  env_settings.max_frames = 18000;
  sixer_model *model = NULL;
  int status = model_find("watch", argc, argv, &env_settings, &model);
  if (!status) status = watch(argc, argv, env_settings, model);
  sixer_model_close(model);
  return status;
}
