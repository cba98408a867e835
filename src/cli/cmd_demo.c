/* `sixer demo`: what sixer does, shown on our own games in a minute or two: the baselines on all processors, their
 * scores, the speed, and a sheet of pictures. It is what scripts/run shows. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/baseline_run.h"
#include "cli/commands.h"
#include "cli/font.h"
#include "cli/image.h"
#include "cli/out.h"
#include "cli/terminal.h"
#include "util/png.h"
#include "util/os.h"
#include "util/os_terminal.h"
#include "util/os_cpu.h"

enum { SHEET_COLUMNS = 4, CELL_WIDTH = 320, CAPTION = 14, PICTURE_STEPS = 600 };

static const char *const own_games[] = {"duskrain",   "sporefall", "hedgelight", "cragfast",
                                        "undervault", "afterglow", "wispherd",   "hearthring"};

/* ---- The sheet ------------------------------------------------------------------------------------------------- */

typedef struct sheet {
  int width, height, cell_height;
  uint8_t *rgb;
} sheet;

static void caption(sheet *s, int left, int top, const char *text) {
  /* drawn small, then doubled */
  enum { WIDTH = CELL_WIDTH / 2, HEIGHT = CAPTION / 2 };
  uint32_t small[WIDTH * HEIGHT] = {0};
  font_draw(small, WIDTH, HEIGHT, 1, 1, text, 0xFFFFFF);
  for (int y = 0; y < CAPTION; y++) {
    for (int x = 0; x < CELL_WIDTH; x++) {
      if (small[y / 2 * WIDTH + x / 2])
        memset(s->rgb + 3 * ((top + y) * s->width + left + x), 0xFF, 3);
    }
  }
}

/* Play for a while with the best perturbed policy and put the picture on the sheet. */
static sixer_err add_picture(sheet *s, int index, const baseline_game *game,
                             const sixer_config *config, sixer_error *error) {
  sixer_env *env;
  sixer_agent *agent = NULL;
  char spec[60];
  snprintf(spec, sizeof spec, "perturb:action=%s", sixer_action_name(game->best_perturb));
  sixer_err err = sixer_env_create(game->rom, config, &env, error);
  if (err) return err;
  err = session_agent(spec, 1, &agent, error);
  sixer_result result = {0};
  for (int i = 0; i < PICTURE_STEPS && !err && !result.over; i++) {
    int action;
    err = sixer_agent_act(agent, env, session_actions(game->rom, false), &action, error);
    if (!err) sixer_env_step(env, action, &result);
  }
  int left = index % SHEET_COLUMNS * (CELL_WIDTH + 8) + 8;
  int top = index / SHEET_COLUMNS * (s->cell_height + CAPTION + 8) + 8;
  const uint8_t *screen = sixer_env_screen(env);
  const uint32_t *colors = sixer_env_palette(env);
  for (int y = 0; !err && screen && y < sixer_env_height(env) && y < s->cell_height; y++) {
    uint8_t *to = s->rgb + 3 * ((top + y) * s->width + left);
    for (int x = 0; x < CELL_WIDTH; x++) {
      uint32_t color = colors[screen[y * 160 + x / 2]];
      *to++ = (uint8_t)(color >> 16);
      *to++ = (uint8_t)(color >> 8);
      *to++ = (uint8_t)color;
    }
  }
  if (!err) caption(s, left, top + s->cell_height, sixer_rom_describe(game->rom).title);
  sixer_agent_destroy(agent);
  sixer_env_destroy(env);
  return err;
}

static sixer_err make_sheet(sheet *s, const baseline_game *games, int count,
                            const sixer_config *config, sixer_error *error) {
  s->cell_height = 0;
  for (int i = 0; i < count; i++) {
    int height = sixer_rom_describe(games[i].rom).height;
    if (height > s->cell_height) s->cell_height = height;
  }
  int columns = count < SHEET_COLUMNS ? count : SHEET_COLUMNS;
  s->width = columns * (CELL_WIDTH + 8) + 8;
  s->height = (count + columns - 1) / columns * (s->cell_height + CAPTION + 8) + 8;
  s->rgb = calloc((size_t)s->width * (size_t)s->height, 3);
  if (!s->rgb) {
    error->code = SIXER_ERR_MEMORY;
    snprintf(error->message, sizeof error->message, "out of memory for pictures");
    return error->code;
  }
  sixer_err err = SIXER_OK;
  for (int i = 0; i < count && !err; i++) err = add_picture(s, i, &games[i], config, error);
  return err;
}

/* Show the sheet in the terminal, as wide as the terminal is. */
static void show_sheet(const sheet *s) {
  int columns = 80, lines = 24;
  terminal_colors colors;
  if (!os_is_terminal(OS_STDOUT)) return;
  os_terminal_size(OS_STDOUT, &columns, &lines);
  terminal_colors_by_name("auto", &colors);
  int width = columns > 160 ? 160 : columns < 20 ? 20 : columns;
  int height = width * s->height * 6 / (s->width * 7) / 2; /* pixels of the sheet are not square */
  terminal_picture(stdout, s->rgb, s->width, s->height, width, height, colors);
}

/* ---- The table ------------------------------------------------------------------------------------------------- */

static void put_table(out *o, const baseline_game *games, int count) {
  out_table(o, "scores", "Mean scores of policies that ignore the screen",
            "game|random|error=random_error|best constant=const|action=const_action|"
            "best perturbed=perturb|error=perturb_error|mostly=perturb_action|frames");
  for (int g = 0; g < count; g++) {
    const baseline_game *b = &games[g];
    int64_t frames = 0;
    for (int p = 0; p < POLICIES; p++) frames += b->policies[p].frames;
    out_text(o, sixer_rom_describe(b->rom).title);
    out_number(o, policy_mean(&b->policies[POLICY_RANDOM]), 1);
    out_number(o, policy_error(&b->policies[POLICY_RANDOM]), 1);
    out_number(o, policy_mean(&b->policies[POLICY_CONST + b->best_const]), 1);
    out_text(o, sixer_action_name(b->best_const));
    out_number(o, policy_mean(&b->policies[POLICY_PERTURB + b->best_perturb]), 1);
    out_number(o, policy_error(&b->policies[POLICY_PERTURB + b->best_perturb]), 1);
    out_text(o, sixer_action_name(b->best_perturb));
    out_int(o, frames);
  }
}

static int64_t total_frames(const baseline_game *games, int count) {
  int64_t frames = 0;
  for (int g = 0; g < count; g++) {
    for (int p = 0; p < POLICIES; p++) frames += games[g].policies[p].frames;
  }
  return frames;
}

/* Commands that can be copied and run: with the program's path if it was started by a path. */
static void print_next(const char *id) {
  const char *name = cli_program_name();
  printf("\nWhat to try next:\n");
  printf("  %s play %s\n      play it yourself; --terminal without a display\n", name, id);
  printf("  %s watch random %s\n      watch an agent; --agents lists them\n", name, id);
  printf("  %s record random %s -o a.tape\n", name, id);
  printf(
      "  %s replay a.tape --video a.gif\n      record a game, verify the recording, make a film of "
      "it\n",
      name);
  printf("  %s games\n      the games it knows; `roms import` brings in yours\n", name);
  printf("  %s help\n      all commands; docs/README.md is the place to start reading\n", name);
}

int cmd_demo(int argc, char **argv) {
  enum { MAX_GAMES = 60 };
  baseline_settings settings = {.config = sixer_config_default(), .label = "playing"};
  const char *ids[MAX_GAMES], *output = "sixer-demo.png";
  int64_t episodes = 2, max_frames = 3600, jobs = 0;
  bool json = false;
  const option_def options[] = {
      {"output", OPTION_TEXT, &output, "FILE", "where to write the sheet of pictures"},
      {"episodes", OPTION_INT, &episodes, "N", "episodes of each policy whose scores vary"},
      {"max-frames", OPTION_INT, &max_frames, "N", "frames per episode"},
      {"jobs", OPTION_INT, &jobs, "N", "threads; 0 is all processors"},
      {"json", OPTION_FLAG, &json, NULL, "print the scores as JSON, and nothing else"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  int status, count = cli_parse(
                  "demo",
                  "Show what sixer does, on our own games or those named: 37 simple policies on "
                  "all processors, their scores, the speed, and a sheet of pictures.",
                  options, argc, argv, ids, MAX_GAMES, &status);
  if (count < 0) return status;
  const cli_limit limits[] = {{"episodes", episodes, 1, 1000},
                              {"max-frames", max_frames, 60, 1000000},
                              {"jobs", jobs, 0, 256},
                              {NULL, 0, 0, 0}};
  if ((status = cli_check_limits("demo", limits))) return status;
  if ((status = cli_check_output("demo", output))) return status;
  if (count == 0) {
    count = (int)(sizeof own_games / sizeof own_games[0]);
    memcpy(ids, own_games, sizeof own_games);
  }
  settings.config.sticky = 0;
  settings.config.max_frames = (int)max_frames;
  settings.config.seed = 1;
  settings.episodes = (int)episodes;
  settings.jobs = (int)jobs;

  sixer_error error;
  sheet s = {0};
  baseline_game *games = calloc((size_t)count, sizeof *games);
  if (!games) return cli_error("demo", CLI_FAILED, "out of memory");
  for (int i = 0; i < count && !status; i++) {
    games[i].id = ids[i];
    if (image_open("demo", ids[i], NULL, IMAGE_WARN, &games[i].rom, &error))
      status = cli_error("demo", CLI_FAILED, "%s", error.message);
  }
  int processors = os_processors_on();
  long threads = jobs ? jobs : processors;
  if (!status && !json)
    printf(
        "sixer %s: an Arcade Learning Environment. %d games, %d policies each, %ld thread%s.\n\n",
        SIXER_VERSION, count, POLICIES, threads, threads == 1 ? "" : "s");
  fflush(stdout);
  double start = cli_seconds();
  if (!status && baseline_run(games, count, &settings, &error))
    status = cli_error("demo", CLI_FAILED, "%s", error.message);
  double seconds = cli_seconds() - start;
  if (!status) {
    int64_t frames = total_frames(games, count);
    out *o = out_create(json ? OUT_JSON : OUT_TABLE);
    put_table(o, games, count);
    if (json) out_number_value(o, "frames_per_second", NULL, (double)frames / seconds, 0);
    out_print(o, stdout);
    out_destroy(o);
    if (!json)
      printf("\n%" PRId64
             " frames in %.1f s: %.0f frames a second, %.0f times as fast as the "
             "console.\n",
             frames, seconds, (double)frames / seconds,
             (double)frames / seconds / session_frame_rate("NTSC"));
    if (make_sheet(&s, games, count, &settings.config, &error))
      status = cli_error("demo", CLI_FAILED, "%s", error.message);
    else if (!png_write(output, s.rgb, s.width, s.height))
      status =
          cli_error("demo", CLI_FAILED, "%s: cannot be written; name another file with -o", output);
  }
  if (!status && !json) {
    printf("Pictures of the games: %s\n", output);
    show_sheet(&s);
    print_next(ids[0]);
  }
  free(s.rgb);
  for (int i = 0; i < count; i++) sixer_rom_close(games[i].rom);
  free(games);
  return status;
}
