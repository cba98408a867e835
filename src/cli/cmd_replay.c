/* `sixer replay`: replay tapes, verify them second by second, and make films and datasets of them. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/export.h"
#include "cli/session.h"
#include "cli/video.h"
#include "sixer/tape.h"
#include "util/error.h"
#include "util/replace.h"
#include "util/os.h"

typedef struct replay_options {
  const char *rom, *video, *export, *observations, *sound;
  int64_t every, scale;
  double from, to; /* seconds of play that the film shows */
  bool json, info;
} replay_options;

typedef struct replay_totals {
  int64_t steps, frames, episodes;
  int64_t verified; /* seconds that reproduced their digest */
  bool damaged; /* the tape is damaged behind them; else the replay differed, or nothing is wrong */
  double score;
} replay_totals;

static void print_result(const replay_options *o, const char *path, const sixer_tape *tape,
                         const sixer_rom *rom, const replay_totals *t, sixer_err err,
                         const char *message) {
  sixer_tape_info described = sixer_tape_describe(tape), *info = &described;
  if (!o->json) {
    if (err)
      cli_print(stdout, "%s: only the first %" PRId64 " second%s of %" PRId64 "%s verified\n", path,
                t->verified, cli_s(t->verified), info->seconds, info->complete ? "" : " or more");
    else
      cli_print(stdout,
                "%s: verified, %" PRId64 " second%s, %" PRId64 " step%s, %" PRId64
                " episode%s, score %g\n",
                path, info->seconds, cli_s(info->seconds), t->steps, cli_s(t->steps), t->episodes,
                cli_s(t->episodes), t->score);
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
         ", \"score\": %.17g, \"complete\": %s, \"verified\": %s, \"seconds_verified\": %" PRId64
         ", \"rules_changed\": %s, \"problem\": ",
         info->md5, info->config.seed, info->seconds, t->steps, t->frames, t->episodes, t->score,
         info->complete ? "true" : "false", err ? "false" : "true", t->verified,
         sixer_tape_rules_changed(tape, rom) ? "true" : "false");
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

/* The frames that the film shows, counted from the start of the tape. */
static void film_range(const replay_options *o, const sixer_rom *rom, double *from, double *to) {
  double rate = session_frame_rate(sixer_rom_describe(rom).format);
  *from = isnan(o->from) ? 0 : o->from * rate;
  *to = isnan(o->to) ? INFINITY : o->to * rate;
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
  double from, to;
  film_range(o, sixer_env_rom(env), &from, &to);
  while (!err) {
    err = sixer_tape_play(tape, env, &event, error);
    t->damaged = err && event.kind == SIXER_TAPE_END;
    if (err || event.kind == SIXER_TAPE_END) break;
    t->verified += event.last;
    if (cli_interrupted) {
      err = sixer_fail(error, SIXER_ERR_FILE, "interrupted: nothing was written");
      break;
    }
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
    double at = (double)t->frames;
    if (film && t->frames - shown >= o->every && at >= from && at <= to) {
      shown = t->frames;
      err = video_add(film, env, error);
    }
    if (data && !err) err = dataset_add(data, env, &event, error);
    if (t->steps % 256 == 0)
      cli_progress_show(&progress, (double)t->steps, (double)info.steps, NULL);
  }
  cli_progress_end(&progress);
  /* the part before the damage was verified, so it is good data */
  if (data && (!err || t->damaged)) {
    sixer_error closing;
    if (dataset_end_tape(data, &closing)) {
      t->damaged = false;
      *error = closing;
      return closing.code;
    }
  }
  return err;
}

/* The sound of a whole tape, in a file of its own, for a film that can have it. Only with a frame skip of 1 does
 * the sound last as long as the pictures: a step makes the samples of one frame, however many it runs. False: the film
 * is silent. */
static bool make_sound(const replay_options *o, sixer_tape *tape, const sixer_rom *rom, char *path,
                       size_t size) {
  double from, to, frames = 0;
  film_range(o, rom, &from, &to);
  sixer_config config = sixer_tape_describe(tape).config;
  sixer_env *env;
  if (config.frame_skip != 1 || config.frame_skip_max > 1) return false;
  config.sound = true;
  FILE *file = os_temporary_file(os_temporary_place(), "sixer-sound", path, size);
  if (!file || sixer_env_create(rom, &config, &env, NULL)) {
    if (file) {
      fclose(file);
      os_unlink(path);
    }
    return false;
  }
  sixer_tape_event event = {.kind = SIXER_TAPE_STEP};
  while (event.kind != SIXER_TAPE_END && !sixer_tape_play(tape, env, &event, NULL)) {
    if (event.kind != SIXER_TAPE_STEP) continue;
    frames += event.result.frames;
    if (frames >= from && frames <= to) fwrite(sixer_env_sound(env), 1, SIXER_SOUND_SAMPLES, file);
  }
  sixer_env_destroy(env);
  sixer_tape_rewind(tape);
  bool ok = !ferror(file);
  ok = fclose(file) == 0 && ok;
  if (!ok) os_unlink(path);
  return ok;
}

/* Say that the film was made, how long it is and what it leaves out. */
static void print_film(const replay_options *o, const sixer_rom *rom, int64_t pictures) {
  double rate = session_frame_rate(sixer_rom_describe(rom).format);
  if (!o->json)
    cli_print(stdout, "%s: %" PRId64 " picture%s, %.1f seconds\n", o->video, pictures,
              cli_s(pictures), (double)(pictures * o->every) / rate);
}

static bool close_sound(const replay_options *o, replacement *output, int rate, bool keep,
                        int64_t steps) {
  bool ok = keep && (!is_wav(o->sound) ||
                     write_wav_head(output->file, rate, (uint32_t)(steps * SIXER_SOUND_SAMPLES)));
  if (ok) return replace_commit(output);
  replace_abandon(output);
  return !keep;
}

/* Replay with all that was opened. *damaged: only the part that was verified was used. */
static int replay_opened(const replay_options *o, const char *path, sixer_tape *tape,
                         const sixer_rom *rom, sixer_env *env, video *film, dataset *data,
                         replacement *sound, bool *damaged) {
  sixer_error error = {SIXER_OK, ""}, closing;
  replay_totals totals = {0};
  int rate = (int)(SIXER_SOUND_SAMPLES * session_frame_rate(sixer_rom_describe(rom).format) + 0.5);
  if (sound && is_wav(o->sound)) write_wav_head(sound->file, rate, 0);
  sixer_err err = play(o, path, tape, env, film, data, sound ? sound->file : NULL, &totals, &error);
  /* if replay failed, the film is kept: it shows the play up to the difference */
  int64_t pictures = film ? video_pictures(film) : 0;
  sixer_err film_err = film ? video_close(film, !cli_interrupted, &closing) : SIXER_OK;
  if (film && !film_err && pictures == 0 && !err)
    film_err =
        sixer_fail(&closing, SIXER_ERR_ARGUMENT,
                   "%s: no picture: the tape has %.1f seconds, see --from and --to", o->video,
                   (double)totals.frames / session_frame_rate(sixer_rom_describe(rom).format));
  if (film_err && !err) err = film_err, error = closing;
  /* a failure before the first step leaves nothing to hear, and an older file as it was */
  bool audible = !cli_interrupted && (!err || totals.steps > 0);
  if (sound && !close_sound(o, sound, rate, audible, totals.steps) && !err)
    err = sound_failed(o->sound, &error);
  print_result(o, path, tape, rom, &totals, err, error.message);
  if (film && !film_err && pictures && !cli_interrupted) print_film(o, rom, pictures);
  *damaged = totals.damaged;
  return err ? cli_error("replay", CLI_FAILED, "%s", error.message) : CLI_OK;
}

/* Frames per picture: whole steps, because there are pictures only between them. Of steps that vary, the mean. */
static int64_t whole_steps(int64_t every, const sixer_config *config) {
  const int most = config->frame_skip_max;
  const int64_t skip =
      most > config->frame_skip ? (config->frame_skip + most) / 2 : config->frame_skip;
  return (every + skip - 1) / skip * skip;
}

static int replay(const replay_options *given, const char *path, dataset *data, bool *damaged) {
  replay_options options = *given, *o = &options;
  sixer_error error = {SIXER_OK, ""};
  sixer_tape *tape = NULL;
  sixer_rom *rom = NULL;
  sixer_env *env = NULL;
  video *film = NULL;
  replacement *sound = NULL;
  if (sixer_tape_open(path, &tape, &error))
    return cli_error("replay", CLI_FAILED, "%s", error.message);
  sixer_config config = sixer_tape_describe(tape).config;
  o->every = whole_steps(o->every, &config);
  char film_sound[4096];
  bool with_sound = false;
  if (o->video || o->export) config.picture = true;
  config.sound = o->sound != NULL;
  if (!sixer_tape_rom(tape, o->rom, &rom, &error) && o->video && video_has_sound(o->video))
    with_sound = make_sound(o, tape, rom, film_sound, sizeof film_sound);
  video_settings settings = {.frames_per_picture = (int)o->every,
                             .scale = (int)o->scale,
                             .sound = with_sound ? film_sound : NULL};
  int status;
  if (error.code || sixer_env_create(rom, &config, &env, &error) ||
      (o->sound && !(sound = replace_open(o->sound)) && sound_failed(o->sound, &error)) ||
      (o->video && !(film = video_open(o->video, env, &settings, &error)))) {
    status = cli_error("replay", CLI_FAILED, "%s", error.message);
    replace_abandon(sound);
  } else {
    status = replay_opened(o, path, tape, rom, env, film, data, sound, damaged);
  }
  if (with_sound) os_unlink(film_sound);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
  sixer_tape_close(tape);
  return status;
}

static int print_info(const char *path, bool json) {
  char *arguments[] = {"info", (char *)(uintptr_t)path, "--json"};
  return cmd_tape(json ? 3 : 2, arguments);
}

int cmd_replay(int argc, char **argv) {
  enum { MAX_TAPES = 4096 };
  replay_options o = {.observations = "screen", .from = NAN, .to = NAN};
  const option_def options[] = {
      {"rom", OPTION_TEXT, &o.rom, "ROM", "the image, if it is not found by the tape's game"},
      {"info", OPTION_FLAG, &o.info, NULL, "print what is on the tape, without playing it"},
      {"video", OPTION_TEXT, &o.video, "PATH",
       "make a film: x.gif, x.mp4, x.png for the last picture, or a folder for all of them"},
      {"from", OPTION_REAL, &o.from, "S", "the film begins at this second"},
      {"to", OPTION_REAL, &o.to, "S", "the film ends at this second"},
      {"scale", OPTION_INT, &o.scale, "N",
       "size of the film: N times 320 pixels wide; 0 is 2 for films by ffmpeg, else 1"},
      {"every", OPTION_INT, &o.every, "N",
       "frames per picture of the film, rounded up to whole steps; 0 is 3 for GIF, else 1"},
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
  bool all_good = true; /* every tape was verified, at least up to its damage */
  const cli_limit limits[] = {
      {"every", o.every, 0, 100000}, {"scale", o.scale, 0, 20}, {NULL, 0, 0, 0}};
  if (count == 0)
    status = cli_error("replay", CLI_USAGE, "name the TAPE to replay");
  else if (o.video && count > 1)
    status = cli_error("replay", CLI_USAGE, "--video takes one tape, found %d", count);
  else if (o.sound && count > 1)
    status = cli_error("replay", CLI_USAGE, "--sound takes one tape, found %d", count);
  else if ((status = cli_check_limits("replay", limits)))
    ; /* said */
  else if (!o.video && (!isnan(o.from) || !isnan(o.to) || o.scale || o.every))
    status = cli_error("replay", CLI_USAGE,
                       "--from, --to, --scale and --every are for films: name one with --video");
  else if ((!isnan(o.from) && o.from < 0) || (!isnan(o.from) && !isnan(o.to) && o.to <= o.from))
    status = cli_error("replay", CLI_USAGE, "--from is 0 or more and below --to");
  else if (o.video && video_check_name(o.video, &error))
    status = cli_error("replay", CLI_USAGE, "%s", error.message);
  else if (o.export && !(data = dataset_create(o.export, o.observations, &error)))
    status = cli_error("replay", error.code == SIXER_ERR_ARGUMENT ? CLI_USAGE : CLI_FAILED, "%s",
                       error.message);
  if (o.every == 0) o.every = o.video && video_is_gif(o.video) ? 3 : 1;
  if (!status) cli_catch_interrupts();
  bool usable = !status;
  for (int i = 0; i < count && usable && (all_good || !data) && !cli_interrupted; i++) {
    bool damaged = false;
    int one = o.info ? print_info(tapes[i], o.json) : replay(&o, tapes[i], data, &damaged);
    if (one) status = one;
    if (one && data && !damaged) all_good = false;
  }
  if (data) {
    int64_t steps = dataset_steps(data);
    if (dataset_close(data, usable && all_good && !cli_interrupted, &error))
      status = cli_error("replay", CLI_FAILED, "%s", error.message);
    else if (!all_good || cli_interrupted)
      fprintf(stderr, "sixer replay: nothing was exported\n");
    else if (!o.json)
      cli_print(stdout, "%s: %" PRId64 " step%s%s\n", o.export, steps, cli_s(steps),
                status ? ", those that were verified" : "");
  }
  free(tapes);
  return status;
}
