/* The program `sixer`: finds the subcommand and runs it. Each subcommand is a file of this folder. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "sixer/sixer.h"

const command cli_commands[] = {
    {"demo", "[GAME...]", "show what sixer does, in a minute or two", cmd_demo},
    {"info", "ROM | FILE", "what is known about a cartridge or a checkpoint", cmd_info},
    {"games", "[PATTERN... | check FILE...]", "list the known games, or verify a definition",
     cmd_games},
    {"roms", "import FROM... | list | verify", "import cartridge images, and check them", cmd_roms},
    {"plan", "AGENT GAME...", "play with an agent that searches with the emulator", cmd_plan},
    {"train", "AGENT GAME...", "train an agent on games, with checkpoints and curves", cmd_train},
    {"background", "GAME [TAPE...]", "find what a game's pixels mostly show, for features",
     cmd_background},
    {"trace", "ROM", "play with a seeded stream of actions and print what happened", cmd_trace},
    {"bench", "WORK [GAME...]", "measure the speed of games, vectors, states and resets",
     cmd_bench},
    {"play", "GAME", "play a game, in a window or the terminal", cmd_play},
    {"watch", "AGENT GAME | MODEL | TAPE", "watch an agent, a trained one, or a tape", cmd_watch},
    {"record", "AGENT GAME | MODEL", "let an agent play and record a tape", cmd_record},
    {"replay", "TAPE...", "replay and verify tapes; make films and datasets", cmd_replay},
    {"baselines", "GAME...", "random, constant and perturbed play, beside published scores",
     cmd_baselines},
    {"eval", "[FILE...]", "score agents under a protocol, beside published ones", cmd_eval},
    {"atari5", "ACTION [FILE]", "small sets of games: scores, search, models", cmd_atari5},
    {"help", "[COMMAND | man | bash | zsh]", "list the commands, or show the help of one",
     cmd_help},
    {NULL, NULL, NULL, NULL},
};

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: sixer COMMAND [arguments]\ntry: sixer demo, or sixer help\n");
    return CLI_USAGE;
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) return cmd_help(0, argv);
  if (!strcmp(argv[1], "--version")) {
    printf("sixer %s, behavior %d\n", SIXER_VERSION, SIXER_BEHAVIOR);
    return CLI_OK;
  }
  for (const command *c = cli_commands; c->name; c++) {
    if (!strcmp(c->name, argv[1])) return c->run(argc - 2, argv + 2);
  }
  fprintf(stderr, "sixer: there is no command '%s'; `sixer help` lists them\n", argv[1]);
  return CLI_USAGE;
}
