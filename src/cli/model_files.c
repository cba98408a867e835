/* Checkpoints of training on the command line: see model_files.h. */
#include "cli/model_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/image.h"
#include "util/error.h"
#include "util/sections.h"
#include "util/os.h"

bool model_is_file(const char *path) {
  char head[16];
  os_status info;
  /* opening a pipe would wait for a writer */
  FILE *file = os_stat(path, &info) == 0 && info.kind == OS_FILE ? os_fopen(path, "rb") : NULL;
  if (!file) return false;
  size_t size = fread(head, 1, sizeof head, file);
  fclose(file);
  return sections_recognize(head, size);
}

static int64_t number(const sixer_model *m, const char *name, int64_t otherwise) {
  const char *text = sixer_model_setting(m, name);
  return text ? strtoll(text, NULL, 10) : otherwise;
}

static void take_defaults(const sixer_model *m, env_options *o) {
  const char *sticky = sixer_model_setting(m, "sticky"),
             *scoring = sixer_model_setting(m, "scoring");
  if (sticky) o->sticky = strtod(sticky, NULL);
  if (scoring) o->scoring = !strcmp(scoring, "fixed") ? "fixed" : "ale";
  o->frame_skip = number(m, "frame_skip", o->frame_skip);
  o->mode = number(m, "mode", o->mode);
  o->difficulty = number(m, "difficulty", o->difficulty);
  o->level = number(m, "level", o->level);
  o->levels = number(m, "levels", o->levels);
  o->max_frames = number(m, "max_frames", o->max_frames);
  o->noop_starts = number(m, "noop_starts", o->noop_starts);
}

int model_find(const char *command_name, int argc, char **argv, env_options *options,
               sixer_model **model) {
  for (int i = 0; i < argc; i++) {
    if (argv[i][0] == '-' || !model_is_file(argv[i])) continue;
    if (i > 0 && !strcmp(argv[i - 1], "--against")) continue; /* it plays the other players */
    sixer_error error;
    if (sixer_model_open(argv[i], model, &error))
      return cli_error(command_name, CLI_FAILED, "%s", error.message);
    take_defaults(*model, options);
    return CLI_OK;
  }
  return CLI_OK;
}

sixer_err model_rom(const char *command_name, const sixer_model *m, const char *name,
                    const char *game, sixer_rom **rom, sixer_error *error) {
  const char *trained = sixer_model_setting(m, "game");
  /* a checkpoint may come from anybody, and a path would be opened */
  if (!name && trained && strpbrk(trained, "/."))
    return sixer_fail(error, SIXER_ERR_FILE,
                      "the checkpoint names '%s', which is not the id of a game", trained);
  return image_open(command_name,
                    name      ? name
                    : trained ? trained
                              : "",
                    game, IMAGE_WARN, rom, error);
}

sixer_err model_apply(const sixer_model *m, const sixer_rom *rom, sixer_config *config,
                      sixer_list *actions, sixer_error *error) {
  sixer_config trained;
  sixer_err err = sixer_model_config(m, rom, &trained, actions, error);
  if (err) return err;
  config->color_averaging = trained.color_averaging;
  config->end_on_life_loss = trained.end_on_life_loss;
  config->stuck_limit = trained.stuck_limit;
  return SIXER_OK;
}

int model_check_actions(const char *command_name, const sixer_model *m, bool minimal) {
  const char *actions = sixer_model_setting(m, "actions");
  if (!minimal || (actions && !strcmp(actions, "minimal"))) return CLI_OK;
  return cli_error(command_name, CLI_USAGE,
                   "the model was trained to choose from all actions: leave out --minimal");
}

void model_describe(const sixer_model *m, char *text, size_t size) {
  const char *agent = sixer_model_setting(m, "agent"), *options = sixer_model_setting(m, "options"),
             *seed = sixer_model_setting(m, "seed");
  snprintf(text, size, "%s%s%s, trained for %" PRId64 " frames with seed %s", agent ? agent : "",
           options && *options ? ":" : "", options ? options : "", sixer_model_progress(m).frames,
           seed ? seed : "");
}
