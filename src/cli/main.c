/* The program `sixer`: finds the subcommand and runs it. Each subcommand is a file of this folder. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "sixer/sixer.h"

const command cli_commands[] = {
    {"info", "ROM", "what is known about a cartridge", cmd_info},
    {"games", "[PATTERN... | check FILE...]", "list the known games, or verify a definition", cmd_games},
    {"roms", "import FROM... | list | verify", "bring cartridge images in, and check them", cmd_roms},
    {"plan", "AGENT GAME...", "let an agent play that searches with the emulator", cmd_plan},
    {"trace", "ROM", "play with a seeded stream of actions and print what happened", cmd_trace},
    {"bench", "WORK [GAME...]", "measure the speed of games, vectors, states and resets", cmd_bench},
    {"record", "AGENT GAME", "let an agent play and keep the tape", cmd_record},
    {"replay", "TAPE...", "play tapes again and prove them; films and datasets", cmd_replay},
    {"baselines", "GAME...", "random, constant and perturbed play, beside published scores", cmd_baselines},
    {"eval", "[FILE...]", "score agents under a protocol, beside published ones", cmd_eval},
    {"atari5", "ACTION [FILE]", "small sets of games: scores, search, models", cmd_atari5},
    {NULL, NULL, NULL, NULL},
};

static void print_usage(FILE *out) {
  fprintf(out,
          "usage: sixer COMMAND [arguments]\n\nAn Atari 2600 as a task for agents.\n\ncommands:\n");
  for (const command *c = cli_commands; c->name; c++)
    fprintf(out, "  %-10s %s\n", c->name, c->summary);
  fprintf(out, "\nEach command explains itself: sixer COMMAND --help\n");
}

int main(int argc, char **argv) {
  if (argc < 2) {
    print_usage(stderr);
    return CLI_USAGE;
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
    print_usage(stdout);
    return CLI_OK;
  }
  if (!strcmp(argv[1], "--version")) {
    printf("sixer %s, behavior %d\n", SIXER_VERSION, SIXER_BEHAVIOR);
    return CLI_OK;
  }
  for (const command *c = cli_commands; c->name; c++) {
    if (!strcmp(c->name, argv[1])) return c->run(argc - 2, argv + 2);
  }
  fprintf(stderr, "sixer: there is no command '%s'\n\n", argv[1]);
  print_usage(stderr);
  return CLI_USAGE;
}
