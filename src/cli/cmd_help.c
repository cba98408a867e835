/* `sixer help`: the list of commands, the help of one, the manual page and the shell completions; the build installs
 * the last two (cmake/install.cmake). All of it is generated from the option tables that the commands parse with. */
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "sixer/agents.h"
#include "sixer/sixer.h"

static void print_usage(FILE *out) {
  fprintf(out,
          "usage: sixer COMMAND [arguments]\n\nAn Atari 2600 as a task for agents.\n\ncommands:\n");
  for (const command *c = cli_commands; c->name; c++)
    fprintf(out, "  %-10s %s\n", c->name, c->summary);
  fprintf(out, "\nHelp for a command: sixer COMMAND --help\n");
}

/* Let every command print its help in this form. */
static void print_commands(const char *form) {
  char option[40];
  snprintf(option, sizeof option, "--help=%s", form);
  for (const command *c = cli_commands; c->name; c++) {
    char *arguments[] = {option};
    c->run(1, arguments);
  }
}

static void print_manual(void) {
  printf(".TH SIXER 1 \"\" \"sixer %s\" \"User Commands\"\n", SIXER_VERSION);
  printf(
      ".SH NAME\nsixer \\- an Arcade Learning Environment: the Atari 2600 as a task for agents\n"
      ".SH SYNOPSIS\n.B sixer\n.I COMMAND\n[arguments]\n.br\n.B sixer \\-\\-version\n"
      ".SH DESCRIPTION\nsixer emulates the Atari 2600, turns games into tasks for an agent, "
      "includes agents and evaluation protocols, and computes the statistics.\n"
      ".PP\nA GAME or ROM is a cartridge image, or the id of a game whose image is found in "
      "$SIXER_ROMS, in the user's data folder or in an installed ale_py. An AGENT is a name, "
      "or a name with options: uct:simulations=500.\n.SH COMMANDS\n");
  print_commands("man");
  printf(
      ".SH EXIT STATUS\n0 for success, 1 for failure, 2 for bad usage.\n"
      ".SH ENVIRONMENT\n.TP\n.B SIXER_ROMS\na folder of cartridge images\n"
      ".TP\n.B SIXER_CORE\nplain, interp or jit: which emulation core runs; all give the same "
      "bytes\n.TP\n.B XDG_DATA_HOME\nwhere images, saved states and definitions of games are "
      "kept, in the folder sixer; ~/.local/share if not set\n");
}

static void print_agents(void) {
  for (int i = 0; sixer_agent_at(i).name; i++) printf("%s%s", i ? " " : "", sixer_agent_at(i).name);
}

static void print_bash(void) {
  printf(
      "# bash completion of sixer, written by `sixer help bash`.\n_sixer() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local options arguments words value kind\n"
      "  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W \"");
  for (const command *c = cli_commands; c->name; c++) printf("%s ", c->name);
  printf("--help --version\" -- \"$current\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n");
  print_commands("bash");
  printf(
      "  esac\n"
      "  if [[ -z $value && $current == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n    return\n  fi\n"
      "  COMPREPLY=()\n"
      "  for kind in ${value:-$arguments}; do\n    case $kind in\n"
      "      words) ((COMP_CWORD == 2)) && COMPREPLY+=($(compgen -W \"$words\" -- \"$current\")) "
      ";;\n"
      "      games) COMPREPLY+=($(compgen -W "
      "\"$(sixer games 2>/dev/null | awk 'NR>1{print $1}')\" -- \"$current\")) ;;\n"
      "      agents) COMPREPLY+=($(compgen -W \"");
  print_agents();
  printf(
      "\" -- \"$current\")) ;;\n"
      "      folders) COMPREPLY+=($(compgen -d -- \"$current\")) ;;\n"
      "      files) COMPREPLY+=($(compgen -f -- \"$current\")) ;;\n"
      "    esac\n  done\n}\ncomplete -o filenames -F _sixer sixer\n");
}

static void print_zsh(void) {
  printf(
      "#compdef sixer\n# zsh completion of sixer, written by `sixer help zsh`.\n"
      "_sixer_files() { _files }\n_sixer_folders() { _files -/ }\n_sixer_nothing() { "
      "_message 'a value' }\n"
      "_sixer_games() { _alternative "
      "\"games:game:($(sixer games 2>/dev/null | awk 'NR>1{print $1}'))\" "
      "'files:image:_files' }\n"
      "_sixer_agents() { _alternative 'agents:agent:(");
  print_agents();
  printf(
      ")' }\n"
      "_sixer_agents_games() { if ((CURRENT == 2)); then _sixer_agents; else _sixer_games; fi }\n"
      "_sixer() {\n  local -a commands=(\n");
  for (const command *c = cli_commands; c->name; c++) {
    printf("    '%s:", c->name);
    for (const char *s = c->summary; *s; s++) {
      if (*s == '\'')
        printf("'\\''");
      else
        putchar(*s);
    }
    printf("'\n");
  }
  printf(
      "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
      "  shift words\n  ((CURRENT--))\n  case ${words[1]} in\n");
  print_commands("zsh");
  printf("  esac\n}\n_sixer \"$@\"\n");
}

int cmd_help(int argc, char **argv) {
  const char *what = NULL;
  const option_def options[] = {{NULL, OPTION_FLAG, NULL, NULL, NULL}};
  int status,
      count = cli_parse("help",
                        "Without argument: list the commands. With a command: show its help.\n\n"
                        "  sixer help man    the manual page, for troff\n"
                        "  sixer help bash   completion for bash\n"
                        "  sixer help zsh    completion for zsh\n"
                        "  sixer help tsv    all options, tab-separated",
                        options, argc, argv, &what, 1, &status);
  if (count < 0) return status;
  if (count == 0) {
    print_usage(stdout);
  } else if (!strcmp(what, "man")) {
    print_manual();
  } else if (!strcmp(what, "bash")) {
    print_bash();
  } else if (!strcmp(what, "zsh")) {
    print_zsh();
  } else if (!strcmp(what, "tsv")) {
    print_commands("tsv");
  } else {
    for (const command *c = cli_commands; c->name; c++) {
      char *arguments[] = {"--help"};
      if (!strcmp(c->name, what)) return c->run(1, arguments);
    }
    nearest close;
    return cli_error("help", CLI_USAGE, "there is no command '%s'%s; `sixer help` lists them", what,
                     cli_suggest_command(&close, what));
  }
  return CLI_OK;
}
