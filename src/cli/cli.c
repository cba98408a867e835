/* Options, errors and progress for the subcommands. */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/help.h"

int cli_error(const char *command_name, int status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "sixer %s: ", command_name);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  if (status == CLI_USAGE) fprintf(stderr, "try: sixer %s --help\n", command_name);
  return status;
}

void cli_print_json(const char *text) {
  if (!text) {
    printf("null");
    return;
  }
  putchar('"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') {
      printf("\\%c", *text);
    } else if ((unsigned char)*text < 32) {
      printf("\\u%04x", *text);
    } else {
      putchar(*text);
    }
  }
  putchar('"');
}

/* Store an option's value; false if it is not of the option's kind. */
static bool store(const option_def *o, const char *text) {
  char *end;
  errno = 0;
  switch (o->kind) {
    case OPTION_FLAG: *(bool *)o->target = true; return true;
    case OPTION_TEXT: *(const char **)o->target = text; return true;
    case OPTION_INT: {
      long long value = strtoll(text, &end, 0);
      if (end == text || *end || errno) return false;
      *(int64_t *)o->target = value;
      return true;
    }
    case OPTION_REAL: {
      double value = strtod(text, &end);
      if (end == text || *end) return false;
      *(double *)o->target = value;
      return true;
    }
  }
  return false;
}

int cli_parse(const char *command_name, const char *description, const option_def *options,
              int argc, char **argv, const char **positional, int max_positional, int *status) {
  int count = 0;
  bool only_positional = false;
  *status = CLI_USAGE;
  for (int i = 0; i < argc; i++) {
    const char *arg = argv[i];
    if (!only_positional && !strcmp(arg, "-o")) arg = "--output";
    if (!only_positional && !strcmp(arg, "-h")) arg = "--help";
    if (only_positional || strncmp(arg, "--", 2) != 0) {
      if (count == max_positional) {
        cli_error(command_name, CLI_USAGE, "unexpected argument '%s'", arg);
        return -1;
      }
      positional[count++] = arg;
      continue;
    }
    if (!arg[2]) {
      only_positional = true;
      continue;
    }
    const char *name = arg + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    if (length == 4 && !strncmp(name, "help", 4)) {
      if (!help_command(equals ? equals + 1 : "text", command_name, description, options)) {
        cli_error(command_name, CLI_USAGE, "--help takes text, man, bash, zsh or tsv, found '%s'",
                  equals + 1);
      } else {
        *status = CLI_OK;
      }
      return -1;
    }
    const option_def *o = options;
    while (o->name && (strlen(o->name) != length || strncmp(o->name, name, length) != 0)) o++;
    if (!o->name) {
      cli_error(command_name, CLI_USAGE, "unknown option '%s'", arg);
      return -1;
    }
    const char *value = equals ? equals + 1 : NULL;
    if (o->kind == OPTION_FLAG && value) {
      cli_error(command_name, CLI_USAGE, "option --%s takes no value", o->name);
      return -1;
    }
    if (o->kind != OPTION_FLAG && !value) {
      if (i + 1 == argc) {
        cli_error(command_name, CLI_USAGE, "option --%s needs a value: --%s %s", o->name, o->name,
                  o->value_name);
        return -1;
      }
      value = argv[++i];
    }
    if (!store(o, value)) {
      cli_error(command_name, CLI_USAGE, "option --%s takes a number, found '%s'", o->name, value);
      return -1;
    }
  }
  *status = CLI_OK;
  return count;
}

double cli_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_progress_begin(cli_progress *progress, const char *label) {
  *progress = (cli_progress){cli_seconds(), 0, label, isatty(STDERR_FILENO)};
}

void cli_progress_show(cli_progress *progress, double done, double total, const char *note) {
  double now;
  if (!progress->terminal || (now = cli_seconds()) - progress->last_drawn < 0.1) return;
  progress->last_drawn = now;
  char bar[31];
  double share = total > 0 ? done / total : 0;
  for (int i = 0; i < 30; i++) bar[i] = i < 30 * share ? '#' : '.';
  bar[30] = 0;
  fprintf(stderr, "\r%s [%s] %3.0f %%  %.0f s  %s\033[K", progress->label, bar, 100 * share,
          now - progress->start, note ? note : "");
}

void cli_progress_end(cli_progress *progress) {
  if (progress->terminal && progress->last_drawn > 0) fprintf(stderr, "\r\033[K");
}
