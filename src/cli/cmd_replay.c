/* `sixer replay`: replay tapes, verify them second by second, and make films and datasets of them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/export.h"
#include "cli/session.h"
#include "cli/video.h"
#include "sixer/tape.h"
#include "util/replace.h"

typedef struct replay_options {
  const char *rom, *video, *export, *observations, *sound;
  int64_t every;
  bool json, info;
} replay_options;

typedef struct replay_totals {
  int64_t steps, frames, episodes;
  double score;
} replay_totals;

static void print_tape(const char *path, const sixer_tape_info *info) {
  const sixer_config *c = &info->config;
  printf("tape         %s\n", path);
  printf("by           %s\n", info->by);
  printf("game         %s\nmd5          %s\n", info->game ? info->game : "none", info->md5);
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
  printf("length       %" PRId64 " seconds, %" PRId64 " steps, %" PRId64 " resets%s\n",
         info->seconds, info->steps, info->resets, info->jumps ? ", with jumps" : "");
  if (info->damage) printf("damage       %s\n", info->damage);
}

static void print_result(const replay_options *o, const char *path, const sixer_tape_info *info,
                         const replay_totals *t, sixer_err err, const char *message) {
  if (!o->json) {
    if (!err)
      printf("%s: verified, %" PRId64 " seconds, %" PRId64 " steps, %" PRId64
             " episodes, score %g\n",
             path, info->seconds, t->steps, t->episodes, t->score);
    return;
  }
  printf("{\"tape\": ");
  cli_print_json(path);
  printf(", \"by\": ");
  cli_print_json(info->by);
  printf(", \"game\": ");
  cli_print_json(info->game);
  printf(", \"md5\": \"%s\", \"seed\": %u, \"seconds\": %" PRId64 ", \"steps\": %" PRId64
         ", \"frames\": %" PRId64 ", \"episodes\": %" PRId64
         ", \"score\": %.17g, \"complete\": %s, \"verified\": %s, \"problem\": ",
         info->md5, info->config.seed, info->seconds, t->steps, t->frames, t->episodes, t->score,
         info->complete ? "true" : "false", err ? "false" : "true");
  cli_print_json(err ? message : NULL);
  printf("}\n");
}

static sixer_err sound_failed(const char *path, sixer_error *error) {
  error->code = SIXER_ERR_FILE;
  snprintf(error->message, sizeof error->message, "%s: cannot be written: %s", path,
           strerror(errno));
  return error->code;
}

/* A WAV head: 8 bits, mono, at the rate at which frames give samples. */
static bool write_wav_head(FILE *file, int rate, uint32_t size) {
  uint8_t head[44] = "RIFF....WAVEfmt ";
  const uint32_t numbers[][3] = {
      /* offset, bytes, value */
      {4, 4, size + 36},       {16, 4, 16}, {20, 2, 1}, {22, 2, 1},   {24, 4, (uint32_t)rate},
      {28, 4, (uint32_t)rate}, {32, 2, 1},  {34, 2, 8}, {40, 4, size}};
  memcpy(head + 36, "data", 4);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    for (uint32_t k = 0; k < numbers[i][1]; k++)
      head[numbers[i][0] + k] = (uint8_t)(numbers[i][2] >> 8 * k);
  }
  return fseek(file, 0, SEEK_SET) == 0 && fwrite(head, 1, sizeof head, file) == sizeof head;
}

static bool is_wav(const char *path) {
  size_t length = strlen(path);
  return length > 4 && !strcmp(path + length - 4, ".wav");
}

/* Play a tape to its end, or to the first second that does not reproduce the recorded digest. */
static sixer_err play(const replay_options *o, const char *path, sixer_tape *tape, sixer_env *env,
                      video *film, dataset *data, FILE *sound, replay_totals *t,
                      sixer_error *error) {
  sixer_tape_info info = sixer_tape_describe(tape);
  sixer_err err = data ? dataset_begin_tape(data, path, tape, env, error) : SIXER_OK;
  cli_progress progress;
  cli_progress_begin(&progress, "replay");
  bool over = false;
  sixer_tape_event event = {.kind = SIXER_TAPE_STEP};
  int64_t shown = -o->every;
  while (!err) {
    err = sixer_tape_play(tape, env, &event, error);
    if (err || event.kind == SIXER_TAPE_END) break;
    if (event.kind == SIXER_TAPE_STEP) {
      t->steps++;
      t->frames += event.result.frames;
      t->score += event.result.reward;
      if (event.result.over && !over) t->episodes++;
      over = event.result.over;
      if (sound &&
          fwrite(sixer_env_sound(env), 1, SIXER_SOUND_SAMPLES, sound) < SIXER_SOUND_SAMPLES)
        err = sound_failed(o->sound, error);
    } else {
      over = false;
    }
    if (film && t->frames - shown >= o->every) {
      shown = t->frames;
      err = video_add(film, env, error);
    }
    if (data && !err) err = dataset_add(data, env, &event, error);
    if (t->steps % 256 == 0)
      cli_progress_show(&progress, (double)t->steps, (double)info.steps, NULL);
  }
  cli_progress_end(&progress);
  if (!err && data) err = dataset_end_tape(data, error);
  return err;
}

/* The sound of a whole tape, in a file of its own, for a film that can have it. Only with a frame skip of 1 does
 * the sound last as long as the pictures: a step makes the samples of one frame, however many it runs. False: the film
 * is silent. */
static bool make_sound(sixer_tape *tape, const sixer_rom *rom, char *path) {
  sixer_config config = sixer_tape_describe(tape).config;
  sixer_env *env;
  if (config.frame_skip != 1 || config.frame_skip_max > 1) return false;
  config.sound = true;
  int descriptor = mkstemp(path);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
  if (!file || sixer_env_create(rom, &config, &env, NULL)) {
    if (file) fclose(file);
    if (descriptor >= 0) unlink(path);
    return false;
  }
  sixer_tape_event event = {.kind = SIXER_TAPE_STEP};
  while (event.kind != SIXER_TAPE_END && !sixer_tape_play(tape, env, &event, NULL)) {
    if (event.kind == SIXER_TAPE_STEP) fwrite(sixer_env_sound(env), 1, SIXER_SOUND_SAMPLES, file);
  }
  sixer_env_destroy(env);
  sixer_tape_rewind(tape);
  bool ok = !ferror(file);
  ok = fclose(file) == 0 && ok;
  if (!ok) unlink(path);
  return ok;
}

static int replay(const replay_options *o, const char *path, dataset *data) {
  sixer_error error = {SIXER_OK, ""};
  sixer_tape *tape = NULL;
  sixer_rom *rom = NULL;
  sixer_env *env = NULL;
  video *film = NULL;
  if (sixer_tape_open(path, &tape, &error))
    return cli_error("replay", CLI_FAILED, "%s", error.message);
  sixer_tape_info info = sixer_tape_describe(tape);
  int status = CLI_OK;
  if (o->info) {
    print_tape(path, &info);
    sixer_tape_close(tape);
    return CLI_OK;
  }
  sixer_config config = info.config;
  replacement *sound_output = NULL;
  char film_sound[4096];
  const char *folder = getenv("TMPDIR");
  /* mkstemp() replaces the six X */
  snprintf(film_sound, sizeof film_sound, "%s/sixer-sound-XXXXXX",
           folder && *folder ? folder : "/tmp");
  bool with_sound = false;
  if (o->video || o->export) config.picture = true;
  config.sound = o->sound != NULL;
  if (!sixer_tape_rom(tape, o->rom, &rom, &error) && o->video && video_has_sound(o->video))
    with_sound = make_sound(tape, rom, film_sound);
  if (error.code || sixer_env_create(rom, &config, &env, &error) ||
      (o->sound && !(sound_output = replace_open(o->sound)) && sound_failed(o->sound, &error)) ||
      (o->video && !(film = video_open(o->video, env, (int)o->every, with_sound ? film_sound : NULL,
                                       &error)))) {
    status = cli_error("replay", CLI_FAILED, "%s", error.message);
  } else {
    replay_totals totals = {0};
    int rate =
        (int)(SIXER_SOUND_SAMPLES * session_frame_rate(sixer_rom_describe(rom).format) + 0.5);
    FILE *sound = sound_output ? sound_output->file : NULL;
    if (sound && is_wav(o->sound)) write_wav_head(sound, rate, 0);
    sixer_err err = play(o, path, tape, env, film, data, sound, &totals, &error);
    sixer_error closing;
    /* if replay failed, the film is kept: it shows the play up to the difference */
    if (film && video_close(film, true, &closing) && !err) {
      err = closing.code;
      error = closing;
    }
    if (sound) {
      bool ok = !is_wav(o->sound) ||
                write_wav_head(sound, rate, (uint32_t)(totals.steps * SIXER_SOUND_SAMPLES));
      if (ok)
        ok = replace_commit(sound_output);
      else
        replace_abandon(sound_output);
      sound_output = NULL;
      if (!ok && !err) err = sound_failed(o->sound, &error);
    }
    print_result(o, path, &info, &totals, err, error.message);
    if (err) status = cli_error("replay", CLI_FAILED, "%s", error.message);
  }
  replace_abandon(sound_output);
  if (with_sound) unlink(film_sound);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
  sixer_tape_close(tape);
  return status;
}

int cmd_replay(int argc, char **argv) {
  enum { MAX_TAPES = 4096 };
  replay_options o = {.observations = "screen", .every = 0};
  const option_def options[] = {
      {"rom", OPTION_TEXT, &o.rom, "ROM", "the image, if it is not found by the tape's game"},
      {"info", OPTION_FLAG, &o.info, NULL, "print what is on the tape, without playing it"},
      {"video", OPTION_TEXT, &o.video, "PATH", "make a film: x.gif, x.mp4, or a folder for PNGs"},
      {"every", OPTION_INT, &o.every, "N",
       "frames per picture of the film; 0 is 3 for GIF, else 1"},
      {"export", OPTION_TEXT, &o.export, "DIR", "make a dataset: NumPy arrays and a manifest"},
      {"observations", OPTION_TEXT, &o.observations, "LIST",
       "observations of the dataset: screen, rgb, gray, ram or none"},
      {"sound", OPTION_TEXT, &o.sound, "FILE",
       "write the sound, 512 samples per step: as WAV if FILE ends in .wav, else raw"},
      {"json", OPTION_FLAG, &o.json, NULL, "print results as JSON, a line per tape"},
      {NULL, OPTION_FLAG, NULL, NULL, NULL}};
  const char **tapes = calloc(MAX_TAPES, sizeof *tapes);
  if (!tapes) return cli_error("replay", CLI_FAILED, "out of memory");
  int status, count = cli_parse(
                  "replay",
                  "Replay tapes and verify them: for each second of play the digest of what is "
                  "shown is compared with the recorded one, and the first difference is "
                  "reported. Several tapes can be exported as one dataset.\n\n"
                  "  sixer replay game.tape\n"
                  "  sixer replay game.tape --video game.gif\n"
                  "  sixer replay *.tape --export data --observations gray,ram",
                  options, argc, argv, tapes, MAX_TAPES, &status);
  if (count < 0) {
    free(tapes);
    return status;
  }
  sixer_error error;
  dataset *data = NULL;
  if (count == 0)
    status = cli_error("replay", CLI_USAGE, "name the TAPE to replay");
  else if (o.video && count > 1)
    status = cli_error("replay", CLI_USAGE, "--video takes one tape, found %d", count);
  else if (o.sound && count > 1)
    status = cli_error("replay", CLI_USAGE, "--sound takes one tape, found %d", count);
  else if (o.every < 0 || o.every > 100000)
    status = cli_error("replay", CLI_USAGE, "--every is 0 to 100000");
  else if (o.export && !(data = dataset_create(o.export, o.observations, &error)))
    status = cli_error("replay", error.code == SIXER_ERR_ARGUMENT ? CLI_USAGE : CLI_FAILED, "%s",
                       error.message);
  if (o.every == 0) o.every = o.video && strstr(o.video, ".gif") ? 3 : 1;
  for (int i = 0; i < count && !(status && (data || i == 0)); i++) {
    int one = replay(&o, tapes[i], data);
    if (one) status = one;
  }
  if (data) {
    if (dataset_close(data, !status, &error))
      status = cli_error("replay", CLI_FAILED, "%s", error.message);
    else if (status)
      fprintf(stderr, "sixer replay: nothing was exported\n");
  }
  free(tapes);
  return status;
}
