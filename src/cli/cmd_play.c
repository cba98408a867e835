/* `sixer play` and `sixer watch`: a person, an agent or a tape in a window or in the terminal. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/picker.h"
#include "cli/tape_output.h"
#include "cli/terminal.h"
#include "cli/video.h"
#include "cli/watch_film.h"
#include "cli/window.h"
#include "util/os.h"
#include "util/os_terminal.h"

typedef struct show_options {
  bool terminal, fullscreen, mute, crt, force;
  int64_t scale;
  const char *colors, *keys;
  film_options film;
} show_options;

#define SHOW_OPTIONS(o)                                                                         \
  {"terminal", OPTION_FLAG, &(o).terminal, NULL,                                                \
   "draw in the terminal even if there is a display"},                                          \
      {"colors", OPTION_TEXT, &(o).colors, "KIND",                                              \
       "colors of the terminal: auto, 24bit, 256, 16, none"},                                   \
      {"scale", OPTION_INT, &(o).scale, "N",                                                    \
       "size of the window or film: lines per row of pixels"},                                  \
      {"crt", OPTION_FLAG, &(o).crt, NULL, "the lines of a television, dark between the rows"}, \
      {"keys", OPTION_TEXT, &(o).keys, "KEYS",                                                  \
       "keys of your own: a file, or \"fire = x; select = F8\""},                               \
      {"fullscreen", OPTION_FLAG, &(o).fullscreen, NULL, "start in full screen"}, {             \
    "mute", OPTION_FLAG, &(o).mute, NULL, "without sound"                                       \
  }

static int check_options(const char *name, const show_options *o, terminal_colors *colors) {
  sixer_error error = {SIXER_OK, ""};
  for (int terminal = 0; terminal < 2; terminal++) {
    key_map keys;
    if (keys_open(&keys, terminal, false, o->keys, &error))
      return cli_error(name, CLI_USAGE, "%s", error.message);
  }
  if (o->scale < 1 || o->scale > 20)
    return cli_error(name, CLI_USAGE, "--scale is 1 to 20, found %" PRId64, o->scale);
  if (!terminal_colors_by_name(o->colors, colors))
    return cli_error(name, CLI_USAGE, "--colors is auto, 24bit, 256, 16 or none, found '%s'",
                     o->colors);
  return CLI_OK;
}

/* Where is it shown? False, with a reason, if there is neither a display nor a terminal. */
static bool choose_terminal(const show_options *o, bool *terminal, sixer_error *error) {
  *terminal = o->terminal;
  if (o->terminal || window_available(error)) return true;
  *terminal = true;
  return os_is_terminal(OS_STDIN) && os_is_terminal(OS_STDOUT);
}

/* Has the game such a mode for so many players? Creating an env tells. */
static sixer_err check_players(const sixer_rom *rom, const sixer_config *config,
                               sixer_error *error) {
  sixer_env *env = NULL;
  sixer_err err = config->players > 1 ? sixer_env_create(rom, config, &env, error) : SIXER_OK;
  sixer_env_destroy(env);
  return err;
}

/* Show the play until it ends, then report it. */
static int show(const char *name, const show_options *o, terminal_colors colors,
                const player_settings *settings) {
  sixer_error error = {SIXER_OK, ""};
  player p;
  bool terminal = o->terminal;
  /* a name that is wrong is said before anything about displays */
  sixer_rom *rom = NULL;
  if (settings->rom && sixer_rom_open(settings->rom, settings->game, &rom, &error))
    return cli_error(name, CLI_FAILED, "%s", error.message);
  sixer_err wrong = rom ? check_players(rom, settings->config, &error) : SIXER_OK;
  sixer_rom_close(rom);
  if (wrong) return cli_error(name, CLI_FAILED, "%s", error.message);
  if (!o->film.path && !choose_terminal(o, &terminal, &error))
    return cli_error(name, CLI_FAILED, "%s", error.message);
  player_settings all = *settings;
  tape_output place = {0};
  if (settings->record && tape_output_begin(&place, settings->record, o->force, &error))
    return cli_error(name, CLI_FAILED, "%s", error.message);
  if (settings->record) all.record = place.path;
  if (player_create(&p, &all, &error)) {
    if (place.beside) tape_output_end(&place, false, 0, NULL);
    return cli_error(name, CLI_FAILED, "%s", error.message);
  }
  sixer_rom_info info = sixer_rom_describe(p.rom);
  if (!info.game) player_say(&p, "no rules are known for this image: no score, and it never ends");
  if (info.game && p.seats.players < 2 && !p.tape &&
      !sixer_rom_player_modes(p.rom, SIXER_DIALECT_SIXER, 1).count)
    fprintf(stderr, "sixer %s: %s is for several players: try --players 2, or --against random\n",
            name, info.title);
  window_settings window = {(int)o->scale, o->fullscreen, o->mute,
                            o->crt,        o->keys,       os_getenv("SIXER_PLAY_SCRIPT")};
  int64_t pictures = 0;
  sixer_err err = o->film.path ? watch_film(&p, &o->film, &pictures, &error)
                  : terminal   ? terminal_run(&p, colors, o->keys, &error)
                               : window_run(&p, &window, &error);
  int status = err ? cli_error(name, CLI_FAILED, "%s", error.message) : CLI_OK;
  char scores[100];
  seats_scores(&p.seats, p.env, p.score, scores, sizeof scores);
  if (!err && p.failure.code) status = cli_error(name, CLI_FAILED, "%s", p.failure.message);
  if (!err)
    cli_print(stdout, "%s: %" PRId64 " step%s, %" PRId64 " episode%s ended, score %s\n", info.title,
              p.steps, cli_s(p.steps), p.episodes, cli_s(p.episodes), scores);
  if (!err && o->film.path)
    cli_print(stdout, "%s: %" PRId64 " picture%s\n", o->film.path, pictures, cli_s(pictures));
  bool recorded = p.recorder != NULL;
  int64_t steps = p.steps;
  if (player_destroy(&p, &error)) status = cli_error(name, CLI_FAILED, "%s", error.message);
  if (tape_output_end(&place, !status, steps, &error))
    status = cli_error(name, CLI_FAILED, "%s", error.message);
  if (recorded && !status)
    cli_print(stdout, "%s: tape written; try `sixer replay %s`\n", settings->record,
              settings->record);
  return status;
}

/* The default keys, in lines that keep their form. Returns where the text ends. */
static int put_keys(char *text, int at, size_t size, bool terminal) {
  key_map map = keys_default(terminal);
  char keys[100];
  const char *meaning;
  for (int i = 0; keys_help(&map, terminal, i, keys, sizeof keys, &meaning); i++)
    at += snprintf(text + at, size - (size_t)at, "%s  %-24s  %s", i ? "\n" : "", keys, meaning);
  return at;
}

/* Let a person choose a game. CLI_OK and an empty id if nobody did. */
static int pick(const show_options *o, terminal_colors colors, char *id, size_t size) {
  sixer_error error = {SIXER_OK, ""};
  bool terminal;
  picker p;
  id[0] = 0;
  if (!choose_terminal(o, &terminal, &error) ||
      (terminal && (!os_is_terminal(OS_STDIN) || !os_is_terminal(OS_STDOUT))))
    return cli_error("play", CLI_USAGE,
                     "name the GAME: a file, or an id (`sixer games` lists them)");
  sixer_err err = picker_open(&p, &error);
  if (err) return cli_error("play", CLI_FAILED, "%s", error.message);
  err = terminal ? picker_run_terminal(&p, colors, &error)
                 : picker_run_window(&p, os_getenv("SIXER_PICK_SCRIPT"), &error);
  if (p.chosen && picker_selected(&p)) snprintf(id, size, "%s", picker_selected(&p)->id);
  picker_close(&p);
  return err ? cli_error("play", CLI_FAILED, "%s", error.message) : CLI_OK;
}

/* Print the keys of window and terminal, in the form of a file of keys. */
static int print_keys(const show_options *o) {
  sixer_error error;
  key_map keys;
  printf(
      "# Keys of sixer: command = key, key. Keep the lines that differ in ~/.config/sixer/keys.\n");
  for (int terminal = 0; terminal < 2; terminal++) {
    if (keys_open(&keys, terminal, false, o->keys, &error))
      return cli_error("play", CLI_USAGE, "%s", error.message);
    printf("\n[%s]\n", terminal ? "terminal" : "window");
    keys_print(&keys, stdout);
  }
  return CLI_OK;
}

int cmd_play(int argc, char **argv) {
  env_options env_settings = env_options_default();
  show_options o = {.scale = 3, .colors = "auto"};
  player_settings settings = {.command = "play"};
  char description[6000];
  int n =
      snprintf(description, sizeof description,
               "Play a game: a file, or the id of a game whose image is found (`sixer roms "
               "list`). Without a game, choose one of those by its picture.\n\n"
               "The console's switches are keys too: SELECT goes through the variants of a "
               "game, RESET starts it. Two people play with `--players 2`: player 1 has w a s d "
               "and space, player 2 the arrows and / (or the keypad). One plays against an "
               "agent with `--against scripted`.\n\nIn the window:\n");
  n = put_keys(description, n, sizeof description, false);
  n += snprintf(description + n, sizeof description - (size_t)n,
                "\n\nPads: stick or cross, any button; Start is a new game, Back pauses, the right "
                "shoulder is fast, the left one goes back.\n\nIn the terminal:\n");
  n = put_keys(description, n, sizeof description, true);
  snprintf(description + n, sizeof description - (size_t)n,
           "\n\n--keys and the file ~/.config/sixer/keys change keys; --list-keys prints a file "
           "to begin with.");
  bool list_keys = false;
  seats_options seated = SEATS_OPTIONS_DEFAULT;
  const option_def options[] = {
      {"players", OPTION_INT, &seated.players, "N", "of a game for several: 2, 3 or 4"},
      {"against", OPTION_TEXT, &seated.against, "AGENT",
       "who plays the other players: a name (`sixer watch --agents`) or a MODEL of `sixer train`"},
      {"people", OPTION_INT, &seated.people, "N",
       "how many of the players sit at this keyboard, 1 or 2"},
      RULES_OPTIONS(seated),
      {"record", OPTION_TEXT, &settings.record, "FILE", "record the play to this tape"},
      {"force", OPTION_FLAG, &o.force, NULL, "replace an existing tape"},
      {"list-keys", OPTION_FLAG, &list_keys, NULL, "print all keys, as a file for --keys"},
      SHOW_OPTIONS(o),
      ENV_OPTIONS(env_settings),
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  int status,
      count = cli_parse("play", description, options, argc, argv, &settings.rom, 1, &status);
  if (count < 0) return status;
  terminal_colors colors;
  sixer_config config;
  char picked[64];
  status = check_options("play", &o, &colors);
  if (!status) status = env_options_apply(&env_settings, "play", &config);
  if (status) return status;
  if (list_keys) return print_keys(&o);
  status = seats_apply("play", 2, &seated, &settings.seats, &config);
  if (status) return status;
  settings.against = seated.against;
  if (count == 0) {
    status = pick(&o, colors, picked, sizeof picked);
    if (status || !picked[0]) return status;
    settings.rom = picked;
  }
  config.sound = !o.terminal && !o.mute;
  settings.game = env_settings.game;
  settings.config = &config;
  return show("play", &o, colors, &settings);
}

/* Tapes begin with these 10 bytes. */
static bool is_tape(const char *path) {
  char head[11] = "";
  FILE *file = os_fopen(path, "rb");
  if (!file) return false;
  bool yes = fread(head, 1, 10, file) == 10 && !memcmp(head, "sixer tape", 10);
  fclose(file);
  return yes;
}

/* Frames per step if none are asked for: what the agent is made for; if two are made for other rates, one frame, and
 * each chooses at its own rate. */
static int choose_frame_skip(const char *agent, const char *against, int64_t *out) {
  sixer_error error;
  int skip, other;
  if (seats_frame_skip(agent, &skip, &error) ||
      seats_frame_skip(against ? against : agent, &other, &error))
    return cli_error("watch", CLI_FAILED, "%s", error.message);
  *out = skip == other ? skip : 1;
  return CLI_OK;
}

static int watch(int argc, char **argv, env_options env_settings, const sixer_model *model) {
  show_options o = {.scale = INT64_MIN, .colors = "auto"};
  player_settings settings = {.command = "watch"};
  const char *shown = "values";
  bool list = false;
  /* what a model was trained with is the default for one player; its mode is none for several */
  const env_options trained = env_settings;
  env_settings.frame_skip = env_settings.mode = INT64_MIN;
  seats_options seated = SEATS_OPTIONS_DEFAULT;
  const char *arguments[2], *image = NULL;
  const option_def options[] = {
      {"agents", OPTION_FLAG, &list, NULL, "list the agents and their options"},
      {"episodes", OPTION_INT, &settings.episodes, "N", "episodes to play; 0 is no limit"},
      {"minimal", OPTION_FLAG, &settings.minimal, NULL,
       "choose from the actions the game uses, not all 18"},
      {"record", OPTION_TEXT, &settings.record, "FILE", "record the agent's play to this tape"},
      {"force", OPTION_FLAG, &o.force, NULL, "replace an existing tape"},
      {"show", OPTION_TEXT, &shown, "KIND",
       "of a learner: values (or distributions) beside the picture; saliency, with a network: and "
       "the picture is red where the values depend on it; or none"},
      {"players", OPTION_INT, &seated.players, "N", "of a game for several: 2, 3 or 4"},
      {"against", OPTION_TEXT, &seated.against, "AGENT",
       "who plays the other players, an agent or a MODEL; else AGENT plays all of them"},
      RULES_OPTIONS(seated),
      {"video", OPTION_TEXT, &o.film.path, "PATH",
       "no window but a film: x.gif, x.mp4, x.png for the last picture, or a folder for all"},
      {"seconds", OPTION_REAL, &o.film.seconds, "S", "length of the film; 0 is to the end"},
      {"every", OPTION_INT, &o.film.every, "N", "frames per picture of the film; 0 is 4"},
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
                        "Agents that plan decide every 5 frames, as in `sixer plan`, all others at "
                        "every frame; --frame-skip changes that. "
                        "MODEL is a checkpoint of `sixer train`: the agent plays with what it has "
                        "learned, in an environment like that of its training; options override "
                        "its settings. Beside the picture stands what it predicts for each "
                        "action: values (sarsa, dqn, pqn), or the distribution of the return (c51, "
                        "rainbow, der, iqn, rainbow-iqn). Key I tints the picture where the "
                        "prediction of a network depends on it, and again hides both.\n\n"
                        "  sixer watch random pong\n"
                        "  sixer watch scripted hedgelight\n"
                        "  sixer watch scripted wispherd --against random\n"
                        "  sixer watch runs/sarsa_pong_1.checkpoint\n"
                        "  sixer watch runs/sarsa_pong_1.checkpoint --against uct\n"
                        "  sixer watch c51_pong_1.checkpoint --show saliency --video a.gif "
                        "--seconds 10\n"
                        "  sixer watch game.tape --terminal",
                        options, argc, argv, arguments, 2, &status);
  if (count < 0) return status;
  if (list) {
    session_list_agents(stdout);
    return CLI_OK;
  }
  if (count == 0)
    return cli_error("watch", CLI_USAGE, "name an AGENT and a GAME, a MODEL or a TAPE");
  if (!insight_by_name(shown, &settings.shown))
    return cli_error("watch", CLI_USAGE, "--show is none, values or saliency, found '%s'", shown);
  sixer_error wrong;
  if (o.film.path && video_check_name(o.film.path, &wrong))
    return cli_error("watch", CLI_USAGE, "%s", wrong.message);
  if (!o.film.path && (o.film.seconds != 0 || o.film.every))
    return cli_error("watch", CLI_USAGE,
                     "--seconds and --every are for films: name one with --video");
  if (!(o.film.seconds >= 0 && o.film.seconds <= 1e6) || o.film.every < 0 || o.film.every > 100000)
    return cli_error("watch", CLI_USAGE,
                     "--seconds is 0 to 1,000,000 and --every 0 to 100,000 frames");
  if (o.film.path && o.film.seconds == 0 && settings.episodes == 0) settings.episodes = 1;
  if (o.film.every == 0) o.film.every = 4;
  if (o.scale == INT64_MIN) o.scale = o.film.path ? 2 : 3;
  o.film.scale = o.scale;
  const bool several = seated.players != INT64_MIN || seated.against;
  if (!several && env_settings.mode == INT64_MIN) env_settings.mode = trained.mode;
  if (!several && env_settings.frame_skip == INT64_MIN)
    env_settings.frame_skip = trained.frame_skip;
  if (env_settings.frame_skip == INT64_MIN &&
      (status = choose_frame_skip(arguments[0], seated.against, &env_settings.frame_skip)))
    return status;
  terminal_colors colors;
  sixer_config config;
  status = check_options("watch", &o, &colors);
  if (!status) status = env_options_apply(&env_settings, "watch", &config);
  if (status) return status;
  config.sound = !o.terminal && !o.mute;
  settings.config = &config;
  settings.game = env_settings.game;
  status = seats_apply("watch", 0, &seated, &settings.seats, &config);
  if (status) return status;
  settings.against = seated.against;
  if (several && count == 1 && is_tape(arguments[0]))
    return cli_error("watch", CLI_USAGE,
                     "--players and --against are for agents: a tape knows its players");
  if (model_is_file(arguments[0])) {
    settings.model = model;
    if (several) settings.agent = arguments[0];
    settings.rom = count > 1 ? arguments[1] : image;
    status = model_check_actions("watch", model, settings.minimal);
    if (status) return status;
  } else if (count == 1) {
    if (!is_tape(arguments[0]))
      return cli_error("watch", os_access(arguments[0], OS_EXISTS) ? CLI_USAGE : CLI_FAILED,
                       "'%s' is neither a tape nor a checkpoint%s; for an agent, name the GAME too",
                       arguments[0],
                       os_access(arguments[0], OS_EXISTS) ? " (there is no such file)" : "");
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
  env_settings.frame_skip = INT64_MIN; /* what the agent is made for */
  sixer_model *model = NULL;
  int status = model_find("watch", argc, argv, &env_settings, &model);
  if (!status) status = watch(argc, argv, env_settings, model);
  sixer_model_close(model);
  return status;
}
