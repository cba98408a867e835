/* Checkpoints of training on the command line: a path takes the place of an agent's name. */
#ifndef SIXER_CLI_MODEL_FILES_H
#define SIXER_CLI_MODEL_FILES_H

#include "cli/session.h"
#include "sixer/train.h"

/* Does the file begin like a container of sections? */
bool model_is_file(const char *path);

/* Open the checkpoint among the arguments of a command, before they are parsed, and make its settings the defaults of
 * `options`: those that are given then override them. *model stays NULL if no argument is a checkpoint. CLI_OK, or the
 * status after a message. */
int model_find(const char *command_name, int argc, char **argv, env_options *options,
               sixer_model **model);

/* Open the rom that a model was trained on: `name` if it is given, else the id of the model's game. */
sixer_err model_rom(const char *command_name, const sixer_model *model, const char *name,
                    const char *game, sixer_rom **rom, sixer_error *error);

/* Copy from the training what no option sets: color averaging, what ends an episode, and the actions. */
sixer_err model_apply(const sixer_model *model, const sixer_rom *rom, sixer_config *config,
                      sixer_list *actions, sixer_error *error);

/* Refuse --minimal for a model that chooses from all 18 actions. CLI_OK, or the status after a message. */
int model_check_actions(const char *command_name, const sixer_model *model, bool minimal);

/* "sarsa:alpha=0.5,..., trained for 10000000 frames with seed 1": who plays, for a tape. */
void model_describe(const sixer_model *model, char *text, size_t size);

/* What `sixer info` prints of a checkpoint or another container. */
int model_print(const char *path, bool json);

#endif
