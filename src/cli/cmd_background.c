/* `sixer background`: make the background model of a game, which feature sets on the screen leave out. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "sixer/agents.h"
#include "util/png.h"

enum { MAX_TAPES = 256, WIDTH = 160, HEIGHT = 210 };

/* The model as a picture in the colors of an NTSC television, 320 pixels wide. */
static bool save_picture(const uint8_t *pixels, const sixer_rom *rom, const char *path) {
  sixer_config config = sixer_config_default();
  sixer_env *env;
  if (sixer_env_create(rom, &config, &env, NULL)) return false;
  const uint32_t *palette = sixer_env_palette(env);
  uint8_t *rgb = malloc(SIXER_BACKGROUND_SIZE * 6), *out = rgb;
  for (int i = 0; rgb && i < SIXER_BACKGROUND_SIZE; i++) {
    uint32_t color = palette[pixels[i]];
    for (int twice = 0; twice < 2; twice++) {
      *out++ = (uint8_t)(color >> 16);
      *out++ = (uint8_t)(color >> 8);
      *out++ = (uint8_t)color;
    }
  }
  bool good = rgb && png_write(path, rgb, 2 * WIDTH, HEIGHT);
  free(rgb);
  sixer_env_destroy(env);
  return good;
}

int cmd_background(int argc, char **argv) {
  int64_t screens = 18000, seed = 1, skip = 5;
  double sticky = 0.25;
  bool averaging = false;
  const char *output = NULL, *png = NULL;
  const option_def options[] = {
      {"output", OPTION_TEXT, &output, "FILE", "where to write the model"},
      {"screens", OPTION_INT, &screens, "N", "screens to sample, one per decision"},
      {"seed", OPTION_INT, &seed, "S", "seed of the play"},
      {"skip", OPTION_INT, &skip, "N", "frames per decision"},
      {"sticky", OPTION_REAL, &sticky, "P", "probability that a frame repeats the action before"},
      {"averaging", OPTION_FLAG, &averaging, NULL, "blend each picture with the one before it"},
      {"png", OPTION_TEXT, &png, "FILE", "write the background as a picture, too"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  const char *arguments[MAX_TAPES + 1];
  int status,
      count = cli_parse(
          "background",
          "Find the color that each pixel of a game shows most often. The feature sets basic,\n"
          "bass, disco, b-pros and b-prost look at pixels that differ from it. Screens are taken\n"
          "from play that mostly repeats one action and then is random; with tapes of the game,\n"
          "from random play that begins at moments of the tapes.\n\n"
          "  sixer background seaquest -o sea.background\n"
          "  sixer train sarsa seaquest --set features=basic,background=sea.background\n\n"
          "`sixer train` samples a background itself if it is given none.",
          options, argc, argv, arguments, MAX_TAPES + 1, &status);
  if (count < 0) return status;
  if (count < 1)
    return cli_error("background", CLI_USAGE, "name the game: sixer background GAME -o FILE");
  if (!output) return cli_error("background", CLI_USAGE, "name the file to write: -o FILE");
  const cli_limit limits[] = {{"screens", screens, 1, 10000000},
                              {"seed", seed, 0, UINT32_MAX},
                              {"skip", skip, 1, 1000},
                              {NULL, 0, 0, 0}};
  if ((status = cli_check_limits("background", limits))) return status;
  if ((status = cli_check_output("background", output))) return status;
  if (png && (status = cli_check_output("background", png))) return status;
  if (!(sticky >= 0 && sticky <= 1))
    return cli_error("background", CLI_USAGE, "--sticky is 0 to 1, found %g", sticky);
  sixer_rom *rom;
  sixer_error error;
  if (sixer_rom_open(arguments[0], NULL, &rom, &error))
    return cli_error("background", CLI_FAILED, "%s", error.message);
  sixer_config config = sixer_config_default();
  config.frame_skip = (int)skip;
  config.sticky = (float)sticky;
  config.color_averaging = averaging;
  uint8_t pixels[SIXER_BACKGROUND_SIZE];
  if (sixer_background_make(rom, &config, screens, (uint64_t)seed, arguments + 1, count - 1, output,
                            pixels, &error))
    status = cli_error("background", CLI_FAILED, "%s", error.message);
  else if (png && !save_picture(pixels, rom, png))
    status = cli_error("background", CLI_FAILED, "%s: cannot be written", png);
  else
    cli_print(stdout, "%s: %lld screens of %s, seed %lld\n", output, (long long)screens,
              count > 1 ? "play from tapes" : "perturbed play", (long long)seed);
  sixer_rom_close(rom);
  return status;
}
