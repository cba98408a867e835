/* Help, manual page and completions, all from one source: the table of commands and each command's table of options. */
#ifndef SIXER_CLI_HELP_H
#define SIXER_CLI_HELP_H

#include "cli/cli.h"

/* Print one command in a form: "text" for people (at most 80 columns), "man" for troff, "bash" and "zsh" for the
 * completions, "tsv" for programs. False if there is no such form. */
bool help_command(const char *form, const char *name, const char *description,
                  const option_def *options);

#endif
