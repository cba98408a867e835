/* What the commands that play share: settings of an env as options, agents by a line of text, and where the user's
 * files are. */
#ifndef SIXER_CLI_SESSION_H
#define SIXER_CLI_SESSION_H

#include "cli/cli.h"
#include "sixer/agents.h"
#include "sixer/sixer.h"

/* Settings of an env as a command takes them. */
typedef struct env_options {
  int64_t seed, frame_skip, mode, difficulty, level, levels, max_frames, noop_starts;
  double sticky;
  const char *game, *actions, *scoring;
} env_options;

/* Deterministic play at every frame, as people and the baselines of 2013 have it. */
env_options env_options_default(void);

/* The rows of an option table for them. */
#define ENV_OPTIONS(o)                                                                       \
  {"seed", OPTION_INT, &(o).seed, "N", "seed of the environment and the agent"},             \
      {"sticky", OPTION_REAL, &(o).sticky, "P",                                              \
       "probability that a frame repeats the action before it"},                             \
      {"frame-skip", OPTION_INT, &(o).frame_skip, "N", "frames per action"},                 \
      {"mode", OPTION_INT, &(o).mode, "N", "mode of the game"},                              \
      {"difficulty", OPTION_INT, &(o).difficulty, "N", "difficulty switches"},               \
      {"level", OPTION_INT, &(o).level, "N", "of games with levels: the first to play on"},  \
      {"levels", OPTION_INT, &(o).levels, "N", "how many of them; each episode draws one"},  \
      {"max-frames", OPTION_INT, &(o).max_frames, "N", "frames per episode; 0 is no limit"}, \
      {"noop-starts", OPTION_INT, &(o).noop_starts, "N",                                     \
       "at most so many frames without action at the start"},                                \
      {"scoring", OPTION_TEXT, &(o).scoring, "KIND", "ale, or fixed: with corrections"}, {   \
    "game", OPTION_TEXT, &(o).game, "ID", "apply this game's rules to the image"             \
  }

/* Check the options and fill a config; CLI_OK, or the status after a message. */
int env_options_apply(const env_options *o, const char *command_name, sixer_config *config);

/* An agent from "name" or "name:option=value,...". */
sixer_err session_agent(const char *text, uint64_t seed, sixer_agent **agent, sixer_error *error);

/* Lines that tell of agents and their options, for a command's help. */
void session_list_agents(FILE *out);

/* All 18 actions, or those the game uses. */
sixer_list session_actions(const sixer_rom *rom, bool minimal);

/* A path under the user's data folder, such as "states/x.state"; its folders are made. False if there is none. */
bool session_data_path(const char *name, char *path, size_t size);

/* Frames per second on a television of this format: 3,579,545 Hz / (228 clocks * 262 lines), and PAL's. */
double session_frame_rate(const char *format);

#endif
