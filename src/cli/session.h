/* What the commands that play share: settings of an env as options, agents created from text, and the user's data
 * folder. */
#ifndef SIXER_CLI_SESSION_H
#define SIXER_CLI_SESSION_H

#include "cli/cli.h"
#include "sixer/agents.h"
#include "sixer/catalog.h"
#include "sixer/sixer.h"

enum { PLAN_FRAME_SKIP = 5 }; /* Bellemare et al. 2013, section 4.1: a decision every five frames */

/* Settings of an env as a command takes them. */
typedef struct env_options {
  int64_t seed, frame_skip, mode, difficulty, level, levels, max_frames, noop_starts;
  double sticky;
  const char *game, *actions, *scoring;
} env_options;

/* Defaults: an action per frame and no sticky actions, as people play and as the baselines of Bellemare et al. 2013
 * do. */
env_options env_options_default(void);

/* The rows of an option table for them. */
#define ENV_OPTIONS(o)                                                                       \
  {"seed", OPTION_INT, &(o).seed, "N", "seed of the environment and the agent"},             \
      {"sticky", OPTION_REAL, &(o).sticky, "P",                                              \
       "probability that a frame repeats the previous action"},                              \
      {"frame-skip", OPTION_INT, &(o).frame_skip, "N", "frames per action"},                 \
      {"mode", OPTION_INT, &(o).mode, "N", "mode of the game"},                              \
      {"difficulty", OPTION_INT, &(o).difficulty, "N", "difficulty switches"},               \
      {"level", OPTION_INT, &(o).level, "N", "first level to play, in games with levels"},   \
      {"levels", OPTION_INT, &(o).levels, "N", "number of levels; each episode draws one"},  \
      {"max-frames", OPTION_INT, &(o).max_frames, "N", "frames per episode; 0 is no limit"}, \
      {"noop-starts", OPTION_INT, &(o).noop_starts, "N",                                     \
       "each episode starts with 0 to N NOOP frames"},                                       \
      {"scoring", OPTION_TEXT, &(o).scoring, "KIND", "ale, or fixed: with corrections"}, {   \
    "game", OPTION_TEXT, &(o).game, "ID", "apply this game's rules to the image"             \
  }

/* Check the options and fill a config; CLI_OK, or the status after a message. */
int env_options_apply(const env_options *o, const char *command_name, sixer_config *config);

/* An agent from "name" or "name:option=value,...". */
sixer_err session_agent(const char *text, uint64_t seed, sixer_agent **agent, sixer_error *error);

/* Refuse an agent that learns, made from a name and so untrained, where it must be able to play. Programs are taken at
 * their word. */
sixer_err session_check_learned(const sixer_agent *agent, const char *text, sixer_error *error);

/* Frames per decision if none are asked for: 5 for planners, as in `sixer plan` and its papers, else 1. */
int session_frame_skip(const char *agent);

/* Print all agents and their options. */
void session_list_agents(FILE *out);

/* Print to stderr which of the user's definitions of games were left out of a catalog (NULL is allowed), and why. False
 * if there were none. */
bool session_print_problems(const sixer_catalog *catalog);

/* All 18 actions, or those the game uses. */
sixer_list session_actions(const sixer_rom *rom, bool minimal);

/* A path under the user's data folder, such as "states/x.state"; its folders are made. False if there is none. */
bool session_data_path(const char *name, char *path, size_t size);

/* Frames per second on a television of this format: 3,579,545 Hz / (228 clocks * 262 lines), and PAL's. */
double session_frame_rate(const char *format);

#endif
