/* `sixer tape`: what is on a tape, a whole tape from one that was cut off, and a part of a tape. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/session.h"
#include "cli/tape_output.h"
#include "sixer/tape.h"
#include "util/os.h"

typedef struct tape_options {
  const char *output, *rom;
  double from, to; /* seconds */
  bool force, json;
} tape_options;

/* ---- Info ------------------------------------------------------------------------------------------------------ */

static void print_text(const char *path, const sixer_tape_info *info) {
  const sixer_config *c = &info->config;
  printf("tape         %s\n", path);
  printf("by           %s\n", info->by);
  printf("game         %s\nmd5          %s\n", info->game ? info->game : "none", info->md5);
  if (info->rules[0]) printf("rules        %s\n", info->rules);
  printf("recorded     by sixer %s, behavior %d\n", info->version, info->behavior);
  printf("settings     seed %u, sticky %g, frame skip %d, mode ", c->seed, (double)c->sticky,
         c->frame_skip);
  if (c->mode == SIXER_MODE_DEFAULT)
    printf("default");
  else
    printf("%d", c->mode);
  printf(", difficulty %d, max frames %d", c->difficulty, c->max_frames);
  if (c->levels > 1)
    printf(", levels %d to %d\n", c->level, c->level + c->levels - 1);
  else
    printf(", level %d\n", c->level);
  printf("length       %" PRId64 " second%s, %" PRId64 " step%s, %" PRId64 " reset%s%s\n",
         info->seconds, cli_s(info->seconds), info->steps, cli_s(info->steps), info->resets,
         cli_s(info->resets), info->jumps ? ", with jumps" : "");
  if (info->damage) printf("damage       %s\n", info->damage);
}

static void print_json(const char *path, const sixer_tape_info *info) {
  const sixer_config *c = &info->config;
  printf("{\"tape\": ");
  cli_print_json(path);
  printf(", \"by\": ");
  cli_print_json(info->by);
  printf(", \"game\": ");
  cli_print_json(info->game);
  printf(", \"rules\": ");
  cli_print_json(info->rules[0] ? info->rules : NULL);
  printf(", \"version\": ");
  cli_print_json(info->version);
  printf(", \"behavior\": %d, \"md5\": \"%s\", \"seed\": %u, \"sticky\": %.9g, \"frame_skip\": %d",
         info->behavior, info->md5, c->seed, (double)c->sticky, c->frame_skip);
  printf(", \"difficulty\": %d, \"max_frames\": %d, \"seconds\": %" PRId64 ", \"steps\": %" PRId64
         ", \"resets\": %" PRId64 ", \"complete\": %s, \"damage\": ",
         c->difficulty, c->max_frames, info->seconds, info->steps, info->resets,
         info->complete ? "true" : "false");
  cli_print_json(info->damage);
  printf("}\n");
}

static int show_info(const tape_options *o, const char *path) {
  sixer_tape *tape;
  sixer_error error;
  if (sixer_tape_open(path, &tape, &error))
    return cli_error("tape", CLI_FAILED, "%s", error.message);
  sixer_tape_info info = sixer_tape_describe(tape);
  if (o->json)
    print_json(path, &info);
  else
    print_text(path, &info);
  sixer_tape_close(tape);
  return CLI_OK;
}

/* ---- Repair ---------------------------------------------------------------------------------------------------- */

static int repair(const tape_options *o, const char *path) {
  sixer_tape *tape;
  sixer_error error;
  os_status status;
  if (!o->force && os_stat(o->output, &status) == 0)
    return cli_error("tape", CLI_FAILED,
                     "%s is there already: choose another name, or replace it with --force",
                     o->output);
  if (sixer_tape_open(path, &tape, &error))
    return cli_error("tape", CLI_FAILED, "%s", error.message);
  sixer_tape_info info = sixer_tape_describe(tape);
  int result = CLI_OK;
  if (sixer_tape_repair(tape, o->output, &error))
    result = cli_error("tape", CLI_FAILED, "%s", error.message);
  else
    cli_print(stdout, "%s: %" PRId64 " second%s, %" PRId64 " step%s%s%s\n", o->output, info.seconds,
              cli_s(info.seconds), info.steps, cli_s(info.steps),
              info.damage ? "; left out: " : "; nothing was damaged",
              info.damage ? info.damage : "");
  sixer_tape_close(tape);
  return result;
}

/* ---- Trim ------------------------------------------------------------------------------------------------------ */

/* Replay the tape, and record again what lies between two frames. *steps is how many were recorded. */
static sixer_err copy_part(sixer_tape *tape, sixer_env *env, const char *by, double from, double to,
                           const char *path, int64_t *steps, sixer_error *error) {
  sixer_recorder *recorder = NULL;
  sixer_err err = SIXER_OK;
  double frames = 0;
  *steps = 0;
  while (!err) {
    if (!recorder && frames >= from) {
      err = sixer_recorder_open(path, env, by, &recorder, error);
      if (err) break;
    }
    if (frames >= to) break;
    sixer_tape_event event;
    err = sixer_tape_play(tape, env, &event, error);
    if (err || event.kind == SIXER_TAPE_END) break;
    if (event.kind == SIXER_TAPE_STEP) frames += event.result.frames;
    if (!recorder) continue;
    if (event.kind == SIXER_TAPE_STEP)
      sixer_recorder_step(recorder, event.input, &event.result), ++*steps;
    else if (event.kind == SIXER_TAPE_RESET)
      sixer_recorder_reset(recorder);
    else
      sixer_recorder_state(recorder);
  }
  sixer_error closing;
  if (sixer_recorder_close(recorder, &closing) && !err) err = closing.code, *error = closing;
  return err;
}

static int trim(const tape_options *o, const char *path) {
  sixer_tape *tape = NULL;
  sixer_rom *rom = NULL;
  sixer_env *env = NULL;
  sixer_error error;
  tape_output place = {0};
  int64_t steps = 0;
  sixer_err err = sixer_tape_open(path, &tape, &error);
  if (!err) err = sixer_tape_rom(tape, o->rom, &rom, &error);
  if (!err) err = sixer_tape_env(tape, rom, &env, &error);
  if (!err) err = tape_output_begin(&place, o->output, o->force, &error);
  if (!err) {
    double rate = session_frame_rate(sixer_rom_describe(rom).format);
    char by[1100];
    snprintf(by, sizeof by, "%.1000s", sixer_tape_describe(tape).by);
    err = copy_part(tape, env, by, isnan(o->from) ? 0 : o->from * rate,
                    isnan(o->to) ? INFINITY : o->to * rate, place.path, &steps, &error);
    sixer_error ending;
    bool some = steps > 0;
    if (tape_output_end(&place, !err && some, err ? steps : 0, &ending) && !err)
      err = ending.code, error = ending;
    if (!err && !some)
      snprintf(error.message, sizeof error.message,
               "%s has no step between these seconds; it has %" PRId64 " seconds", path,
               sixer_tape_describe(tape).seconds);
    if (!err && !some) err = SIXER_ERR_ARGUMENT;
  }
  int status = CLI_OK;
  if (err)
    status = cli_error("tape", CLI_FAILED, "%s", error.message);
  else
    cli_print(stdout, "%s: %" PRId64 " step%s\n", o->output, steps, cli_s(steps));
  sixer_env_destroy(env);
  sixer_rom_close(rom);
  sixer_tape_close(tape);
  return status;
}

int cmd_tape(int argc, char **argv) {
  enum { MAX_TAPES = 1024 };
  tape_options o = {.from = NAN, .to = NAN};
  const char *arguments[MAX_TAPES + 1];
  const option_def options[] = {
      {"output", OPTION_TEXT, &o.output, "FILE", "repair, trim: the tape to write"},
      {"force", OPTION_FLAG, &o.force, NULL, "repair, trim: replace an existing tape"},
      {"from", OPTION_REAL, &o.from, "S", "trim: begin at this second"},
      {"to", OPTION_REAL, &o.to, "S", "trim: end at this second"},
      {"rom", OPTION_TEXT, &o.rom, "ROM", "trim: the image, if it is not found by the tape's game"},
      {"json", OPTION_FLAG, &o.json, NULL, "info: print JSON, a line per tape"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  int status,
      count = cli_parse("tape",
                        "info shows the settings of tapes, their length and what is wrong with "
                        "them. repair makes a whole tape of one that was cut off or damaged: all "
                        "seconds up to the first that is bad. trim replays a tape and records a "
                        "part of it again.\n\n"
                        "  sixer tape info game.tape\n"
                        "  sixer tape repair cut.tape -o whole.tape\n"
                        "  sixer tape trim game.tape --from 10 --to 25.5 -o part.tape",
                        options, argc, argv, arguments, MAX_TAPES + 1, &status);
  if (count < 0) return status;
  if (count == 0) return cli_error("tape", CLI_USAGE, "say what to do: info, repair or trim");
  bool info = !strcmp(arguments[0], "info"), mend = !strcmp(arguments[0], "repair");
  if (!info && !mend && strcmp(arguments[0], "trim") != 0)
    return cli_unknown_word("tape", arguments[0]);
  if (count < 2) return cli_error("tape", CLI_USAGE, "name the TAPE");
  if (info) {
    for (int i = 1; i < count; i++) {
      int one = show_info(&o, arguments[i]);
      if (one) status = one;
    }
    return status;
  }
  if (count > 2) return cli_error("tape", CLI_USAGE, "unexpected argument '%s'", arguments[2]);
  if (!o.output) return cli_error("tape", CLI_USAGE, "name the tape to write: -o FILE");
  if (mend) return repair(&o, arguments[1]);
  if (isnan(o.from) && isnan(o.to))
    return cli_error("tape", CLI_USAGE, "say which part: --from S, --to S, or both");
  if ((!isnan(o.from) && o.from < 0) || (!isnan(o.to) && !(o.to > (isnan(o.from) ? 0 : o.from))))
    return cli_error("tape", CLI_USAGE, "--from is 0 or more and below --to");
  return trim(&o, arguments[1]);
}
