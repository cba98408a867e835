/* What the subcommands share: the command table, options, errors and progress. Exit status is 0 for success, 1 for
 * failure and 2 for bad usage; errors go to stderr and say what was found and what to try. */
#ifndef SIXER_CLI_CLI_H
#define SIXER_CLI_CLI_H

#include <assert.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/nearest.h"
#include "util/os.h"

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
  const char *words; /* what the first argument can be, "import|list|verify"; NULL: other things */
  int (*run)(int argc, char **argv);
} command;

/* The table of subcommands, ended by a NULL name. */
extern const command cli_commands[];

/* A hint such as " (did you mean 'plan'?)" for a command that does not exist; lives as long as `close`. */
const char *cli_suggest_command(nearest *close, const char *name);

/* Say that the first argument is none of the command's words, with a suggestion. Returns CLI_USAGE. */
int cli_unknown_word(const char *command_name, const char *word);

/* Parse argv (without program and command name). Positional arguments are collected into `positional` (at most
 * `max_positional`). `-o` is short for --output. `--help` (`-h`) prints the command's help to stdout, `--help=FORM` in
 * another form (help.h). In descriptions, lines that begin with a space keep their form. Returns the number of
 * positional arguments, or -1 after a message: then *status is what to exit with (CLI_OK after --help). */
int cli_parse(const char *command_name, const char *description, const option_def *options,
              int argc, char **argv, const char **positional, int max_positional, int *status);

/* Print "sixer COMMAND: message" to stderr and return `status`, which is not CLI_OK. */
int cli_print_error(const char *command_name, int status, const char *format, ...) OS_PRINTF(3, 4);

/* fprintf() for texts that are not ours, such as names of files: no control sequence in them reaches a terminal. */
void cli_print(FILE *to, const char *format, ...) OS_PRINTF(2, 3);

static inline int cli_error_status(int status) {
  assert(status != CLI_OK);
  return status;
}

/* The same; a macro for the reason that util/error.h gives for sixer_fail(). */
#define cli_error(...) cli_error_status(cli_print_error(__VA_ARGS__))

/* Whole numbers and the range that each must be in. INT64_MIN stands for an option that was not given. */
typedef struct cli_limit {
  const char *option;
  int64_t value, lowest, highest;
} cli_limit;

/* CLI_OK, or CLI_USAGE after "--OPTION is LOWEST to HIGHEST, found VALUE". The list ends with a NULL option. */
int cli_check_limits(const char *command_name, const cli_limit *limits);

/* Write a text as a JSON string; NULL as null. Bytes that are not UTF-8, as file names can have, become U+FFFD. */
void cli_write_json(FILE *file, const char *text);
void cli_print_json(const char *text); /* the same to stdout */

/* A positive whole number such as 10M, 200k, 1.5M, 2G or 10_000_000. False if it is none. */
bool cli_parse_count(const char *text, int64_t *out);

/* "s" unless there is exactly one of them: printf("%d file%s", n, cli_s(n)). */
const char *cli_s(int64_t count);

/* Can a file be written here? Asked before a long computation whose result goes there. Leaves nothing behind. CLI_OK,
 * or CLI_FAILED after a message. */
int cli_check_output(const char *command_name, const char *path);

/* From here on Ctrl-C and SIGTERM set cli_interrupted instead of ending the program, so that a command can finish what
 * it writes; a second signal ends it at once. */
void cli_catch_interrupts(void);
extern volatile sig_atomic_t cli_interrupted;

/* The program as a user would type it: by its path if it was started by one. main() sets how it was started. */
extern const char *cli_program;
const char *cli_program_name(void);

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

/* Processor time of this thread, to measure works of one thread: what other programs do meanwhile is not counted. */
double cli_thread_seconds(void);

#endif
