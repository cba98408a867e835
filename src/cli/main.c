/* The program `sixer`: finds the subcommand, runs it and checks that its output has arrived. Each subcommand is a file
 * of this folder. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "sixer/sixer.h"
#include "util/os.h"
#include "util/os_process.h"
#include "util/text.h"

const command cli_commands[] = {
    {"demo", "[GAME...]", "show what sixer does, in a minute or two", NULL, cmd_demo},
    {"info", "ROM | FILE", "what is known about a cartridge or a checkpoint", NULL, cmd_info},
    {"games", "[PATTERN... | check FILE...]", "list the known games, or verify a definition",
     "check", cmd_games},
    {"roms", "import FROM... | list | verify", "import cartridge images, and check them",
     "import|list|verify", cmd_roms},
    {"plan", "AGENT GAME...", "play with an agent that searches with the emulator", NULL, cmd_plan},
    {"train", "AGENT GAME...", "train an agent on games, with checkpoints and curves", NULL,
     cmd_train},
    {"lab", "run FILE | resume STORE | ...", "run experiments of many agents and games, in a store",
     "run|resume|status|retry|export|import|merge|split|script|films", cmd_lab},
    {"serve", "[GAME]", "environments for agents in other programs and languages", NULL, cmd_serve},
    {"apex", "learner|local AGENT GAME | actor", "train with many actors, on one machine or many",
     "learner|actor|local", cmd_apex},
    {"model", "export | import", "the network of a checkpoint as a NumPy file, and back",
     "export|import", cmd_model},
    {"background", "GAME [TAPE...]", "find what a game's pixels mostly show, for features", NULL,
     cmd_background},
    {"trace", "ROM", "play with a seeded stream of actions and print what happened", NULL,
     cmd_trace},
    {"bench", "WORK [GAME...]", "measure the speed of games, vectors, states and resets",
     "raw|vec|state|reset|memory|plan|agents|replay|nn|deep|serve|apex", cmd_bench},
    {"play", "[GAME]", "play a game, in a window or the terminal", NULL, cmd_play},
    {"watch", "AGENT GAME | MODEL | TAPE", "watch an agent, a trained one, or a tape", NULL,
     cmd_watch},
    {"record", "AGENT GAME | MODEL", "let an agent play and record a tape", NULL, cmd_record},
    {"replay", "TAPE...", "replay and verify tapes; make films and datasets", NULL, cmd_replay},
    {"tape", "info | repair | trim", "show a tape, mend one that was cut off, cut out a part",
     "info|repair|trim", cmd_tape},
    {"baselines", "GAME...", "random, constant and perturbed play, beside published scores", NULL,
     cmd_baselines},
    {"match", "AGENT AGENT... GAME", "a tournament of agents in a game for several, with ratings",
     NULL, cmd_match},
    {"eval", "[FILE...]", "score agents under a protocol, beside published ones", NULL, cmd_eval},
    {"report", "[FILE | FOLDER...]", "a page, plots and tables of result files and logs", NULL,
     cmd_report},
    {"atari5", "ACTION [FILE]", "small sets of games: scores, search, models",
     "score|search|nest|structure|errors|models|cost", cmd_atari5},
    {"papers", "[PAPER]", "tables and figures of four papers, computed again",
     "bellemare2013|machado2018|saber|atari5", cmd_papers},
    {"help", "[COMMAND | man | bash | zsh]", "list the commands, or show the help of one",
     "man|bash|zsh|tsv", cmd_help},
    {NULL, NULL, NULL, NULL, NULL},
};

/* No command checks what it prints: buffered output can fail at any later time. Here all of it has been printed. */
static int check_output(const char *command_name, int status) {
  errno = 0;
  bool failed = fflush(stdout) != 0;
  int reason = errno;
  if (!failed && !ferror(stdout)) return status;
  /* `head`, say, has seen enough: no reason for a message */
  if (!os_reader_gone())
    cli_error(command_name, CLI_FAILED, "the standard output cannot be written: %s",
              reason ? strerror(reason) : "is the disk full?");
  return status == CLI_OK ? CLI_FAILED : status;
}

static int run(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: sixer COMMAND [arguments]\ntry: sixer demo, or sixer help\n");
    return CLI_USAGE;
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) return cmd_help(0, argv);
  if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V") || !strcmp(argv[1], "version")) {
    printf("sixer %s, behavior %d\n", SIXER_VERSION, SIXER_BEHAVIOR);
    return CLI_OK;
  }
  for (const command *c = cli_commands; c->name; c++) {
    if (!strcmp(c->name, argv[1])) return c->run(argc - 2, argv + 2);
  }
  nearest close;
  const char *hint = cli_suggest_command(&close, argv[1]);
  text_clean(argv[1]);
  fprintf(stderr, "sixer: there is no command '%s'%s; `sixer help` lists them\n", argv[1], hint);
  return CLI_USAGE;
}

int main(int argc, char **argv) {
  os_program_begin(&argc, &argv);
  cli_program = argc > 0 ? argv[0] : "sixer";
  os_ignore_file_limit(); /* a limit on file sizes shall be a write error, like a full disk */
  return check_output(argc < 2 ? "help" : argv[1], run(argc, argv));
}
