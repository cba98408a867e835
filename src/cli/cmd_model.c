/* `sixer model`: the network of a checkpoint as a NumPy or safetensors file, and back. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "sixer/train.h"

int cmd_model(int argc, char **argv) {
  const char *output = NULL;
  const option_def options[] = {{"output", OPTION_TEXT, &output, "FILE", "where to write"},
                                {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  const char *arguments[3];
  int status,
      count = cli_parse(
          "model",
          "Write the network of a checkpoint as a NumPy archive (.npz) or in the safetensors "
          "format, or put such a file into a copy of a checkpoint.\n\n"
          "  sixer model export runs/dqn_pong_1.checkpoint -o pong.npz\n"
          "  sixer model export runs/dqn_pong_1.checkpoint -o pong.safetensors\n"
          "  sixer model import runs/dqn_pong_1.checkpoint changed.npz -o new.checkpoint\n"
          "  sixer watch new.checkpoint\n\n"
          "The arrays have PyTorch's names and shapes; docs/agents/networks.md lists them.",
          options, argc, argv, arguments, 3, &status);
  if (count < 0) return status;
  bool export = count == 2 && !strcmp(arguments[0], "export");
  bool import = count == 3 && !strcmp(arguments[0], "import");
  if (!export && !import)
    return cli_error("model", CLI_USAGE,
                     "say what to do: sixer model export CHECKPOINT -o FILE, or sixer model import "
                     "CHECKPOINT WEIGHTS -o FILE");
  if (!output) return cli_error("model", CLI_USAGE, "name the file to write: -o FILE");
  if (import && !strcmp(output, arguments[1]))
    return cli_error("model", CLI_USAGE, "the copy must have another name than the checkpoint");
  sixer_model *model;
  sixer_error error;
  if (sixer_model_open(arguments[1], &model, &error))
    return cli_error("model", CLI_FAILED, "%s", error.message);
  sixer_err err = export ? sixer_model_export(model, output, &error)
                         : sixer_model_import(model, arguments[2], output, &error);
  status = err ? cli_error("model", CLI_FAILED, "%s", error.message) : CLI_OK;
  if (!err)
    cli_print(stdout, "%s: the network of %s%s%s\n", output, import ? arguments[2] : arguments[1],
              import ? " in a copy of " : "", import ? arguments[1] : "");
  sixer_model_close(model);
  return status;
}
