/* Settings of a command from a file: `sixer train --settings FILE`.
 *
 *     [train]              # options of the command, with or without a value in quotes
 *     agent = "sarsa"
 *     games = ["pong", "freeway"]
 *     preset = "machado2018"
 *     frames = "10M"
 *     max-frames = 18_000
 *
 *     [agent]              # options of the agent
 *     alpha = 0.25
 *
 * The file is read into the targets of the options before the command line is, and the command line overrides it. */
#ifndef SIXER_CLI_SETTINGS_FILE_H
#define SIXER_CLI_SETTINGS_FILE_H

#include "cli/cli.h"
#include "util/toml.h"

/* Everything lives as long as the arena. */
typedef struct settings_file {
  memory_arena arena;
  toml_document doc;
  const char *agent;        /* NULL if the file names none */
  const char *const *games; /* likewise */
  size_t game_count;
  const char *options; /* those of the agent, "name=value,..."; empty if there are none */
} settings_file;

/* Read a file: its section [NAME], named like the command, into the targets of the options, except `left_out` (names,
 * ended by NULL), which only the command line can give. CLI_USAGE after a message that names the line. */
int settings_file_read(settings_file *s, const char *path, const char *name,
                       const option_def *options, const char *const *left_out);
void settings_file_free(settings_file *s); /* zeros are allowed */

/* The line of the agent's option that makes `options` wrong: the agent is tried with ever more of them, after `preset`
 * (may be NULL). 0 if it is none of them. */
int settings_file_agent_line(const settings_file *s, const char *agent, const char *preset);

#endif
