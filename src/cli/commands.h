/* The subcommands, one file each. */
#ifndef SIXER_CLI_COMMANDS_H
#define SIXER_CLI_COMMANDS_H

#endif
