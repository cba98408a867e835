/* What the subcommands share: the command table, options, errors and progress. Exit status is 0 for success, 1 for
 * failure and 2 for bad usage; errors go to stderr and say what was found and what to try. */
#ifndef SIXER_CLI_CLI_H
#define SIXER_CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

typedef enum option_kind { OPTION_FLAG, OPTION_INT, OPTION_REAL, OPTION_TEXT } option_kind;

/* One long option: `--name VALUE`, `--name=VALUE`, or a flag `--name`. The value is stored where `target` points:
 * bool, int64_t, double or const char * by kind. */
typedef struct option_def {
  const char *name;
  option_kind kind;
  void *target;
  const char *value_name; /* shown in help; NULL for flags */
  const char *help;
} option_def;

typedef struct command {
  const char *name;
  const char *arguments; /* "ROM", "AGENT GAME..." */
  const char *summary;   /* one line */
  int (*run)(int argc, char **argv);
} command;

/* The table of subcommands, ended by a NULL name. */
extern const command cli_commands[];

/* Parse argv (without program and command name). Positional arguments are collected into `positional` (at most
 * `max_positional`). `-o` is short for --output. `--help` (`-h`) prints the command's help to stdout, `--help=FORM` in
 * another form (help.h). In descriptions, lines that begin with a space keep their form. Returns the number of
 * positional arguments, or -1 after a message: then *status is what to exit with (CLI_OK after --help). */
int cli_parse(const char *command_name, const char *description, const option_def *options,
              int argc, char **argv, const char **positional, int max_positional, int *status);

/* Print "sixer COMMAND: message" to stderr and return `status`. */
int cli_error(const char *command_name, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Print a text as a JSON string; NULL as null. */
void cli_print_json(const char *text);

/* A progress bar on stderr when that is a terminal, else nothing. */
typedef struct cli_progress {
  double start, last_drawn;
  const char *label;
  bool terminal;
} cli_progress;
void cli_progress_begin(cli_progress *progress, const char *label);
/* Cheap: draws at most 10 times a second. `note` may be NULL. */
void cli_progress_show(cli_progress *progress, double done, double total, const char *note);
void cli_progress_end(cli_progress *progress);
double cli_seconds(void); /* monotonic */

#endif
