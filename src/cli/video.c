/* Films. A GIF cannot show 60 pictures a second (its delays are hundredths of a second, and viewers slow down delays
 * below 2), so it gets every third one by default, 5 hundredths each, which is real time. ffmpeg reads raw pictures
 * from a pipe; it is started without a shell. */
#include "cli/video.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/session.h"
#include "util/error.h"
#include "util/gif.h"
#include "util/replace.h"

typedef enum video_kind { VIDEO_GIF, VIDEO_FOLDER, VIDEO_FFMPEG } video_kind;

struct video {
  video_kind kind;
  char path[4096];
  int height, every;
  double rate; /* frames per second */
  int64_t pictures;
  double shown; /* hundredths of a second in the GIF so far */
  gif *gif;
  uint8_t *pixels;
  pid_t ffmpeg;
  replacement *output; /* what ffmpeg writes */
  int pipe;
};

static bool ends_with(const char *text, const char *end) {
  size_t a = strlen(text), b = strlen(end);
  return a > b && !strcmp(text + a - b, end);
}

static bool on_path(const char *program) {
  const char *path = getenv("PATH");
  while (path && *path) {
    char file[4096];
    int length = (int)strcspn(path, ":");
    if (snprintf(file, sizeof file, "%.*s/%s", length, path, program) < (int)sizeof file &&
        access(file, X_OK) == 0)
      return true;
    path += length + (path[length] == ':');
  }
  return false;
}

bool video_has_sound(const char *path) {
  return ends_with(path, ".mp4") || ends_with(path, ".mkv") || ends_with(path, ".webm") ||
         ends_with(path, ".avi");
}

static sixer_err start_ffmpeg(video *v, const char *sound, sixer_error *error) {
  if (!on_path("ffmpeg"))
    return sixer_fail(
        error, SIXER_ERR_FILE,
        "%s needs the program ffmpeg, which is not installed: install it, or name a .gif "
        "file or a folder for PNG files",
        v->path);
  v->output = replace_reserve(v->path);
  if (!v->output)
    return sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be created: %s", v->path, strerror(errno));
  char size[40], rate[40], samples[40];
  snprintf(size, sizeof size, "320x%d", v->height);
  snprintf(rate, sizeof rate, "%.6f", v->rate / v->every);
  snprintf(samples, sizeof samples, "%.0f", v->rate * SIXER_SOUND_SAMPLES);
  const char *arguments[40] = {
      "ffmpeg", "-loglevel",   "error", "-y",         "-f", "rawvideo", "-pix_fmt",
      "rgb24",  "-video_size", size,    "-framerate", rate, "-i",       "-"};
  int n = 14;
  if (sound) {
    const char *const more[] = {"-f", "u8", "-ar", samples, "-ac", "1", "-i", sound};
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) arguments[n++] = more[i];
  }
  /* pixels stay sharp when they are made larger; color at full resolution is too much for most players */
  const char *const rest[] = {"-vf", "scale=iw*2:ih*2:flags=neighbor", "-pix_fmt", "yuv420p",
                              v->output->temporary};
  for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) arguments[n++] = rest[i];
  int ends[2];
  if (pipe(ends))
    return sixer_fail(error, SIXER_ERR_FILE, "no pipe to ffmpeg: %s", strerror(errno));
  v->ffmpeg = fork();
  if (v->ffmpeg == 0) {
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    execvp("ffmpeg", (char *const *)(uintptr_t)arguments);
    _exit(127);
  }
  close(ends[0]);
  v->pipe = ends[1];
  if (v->ffmpeg < 0) {
    close(ends[1]);
    return sixer_fail(error, SIXER_ERR_FILE, "ffmpeg cannot be started: %s", strerror(errno));
  }
  signal(SIGPIPE,
         SIG_IGN); /* if ffmpeg dies, writing fails with EPIPE instead of ending this program */
  return SIXER_OK;
}

video *video_open(const char *path, const sixer_env *env, int frames_per_picture, const char *sound,
                  sixer_error *error) {
  video *v = calloc(1, sizeof *v);
  if (!v || strlen(path) >= sizeof v->path) {
    sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a film, or a path that is too long");
    free(v);
    return NULL;
  }
  strcpy(v->path, path);
  v->height = sixer_env_height(env);
  v->every = frames_per_picture;
  v->rate = session_frame_rate(sixer_rom_describe(sixer_env_rom(env)).format);
  v->pixels = malloc((size_t)v->height * 320 * 3);
  sixer_err err = v->pixels ? SIXER_OK : sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  if (!err && ends_with(path, ".gif")) {
    v->kind = VIDEO_GIF;
    v->gif = gif_create(path, 320, v->height, sixer_env_palette(env));
    if (!v->gif)
      err = sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be created: %s", path, strerror(errno));
  } else if (!err && video_has_sound(path)) {
    v->kind = VIDEO_FFMPEG;
    err = start_ffmpeg(v, sound, error);
  } else if (!err) {
    v->kind = VIDEO_FOLDER;
    if (mkdir(path, 0777) && errno != EEXIST)
      err = sixer_fail(error, SIXER_ERR_FILE, "%s: the folder cannot be made: %s", path,
                       strerror(errno));
  }
  if (err) {
    replace_abandon(v->output);
    free(v->pixels);
    free(v);
    return NULL;
  }
  return v;
}

static sixer_err add_gif(video *v, sixer_env *env, const uint8_t *screen, sixer_error *error) {
  (void)env;
  for (int i = 0; i < v->height * 160; i++) v->pixels[2 * i] = v->pixels[2 * i + 1] = screen[i];
  /* in hundredths, rounded so that the sum stays right */
  double until = (double)(v->pictures + 1) * v->every / v->rate * 100;
  int delay = (int)(until - v->shown + 0.5);
  v->shown += delay;
  return gif_add(v->gif, v->pixels, delay)
             ? SIXER_OK
             : sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written (is the disk full?)",
                          v->path);
}

static sixer_err add_ffmpeg(video *v, sixer_env *env, const uint8_t *screen, sixer_error *error) {
  const uint32_t *colors = sixer_env_palette(env);
  uint8_t *out = v->pixels;
  for (int i = 0; i < v->height * 160; i++) {
    for (int twice = 0; twice < 2; twice++) {
      *out++ = (uint8_t)(colors[screen[i]] >> 16);
      *out++ = (uint8_t)(colors[screen[i]] >> 8);
      *out++ = (uint8_t)colors[screen[i]];
    }
  }
  size_t size = (size_t)(out - v->pixels), done = 0;
  while (done < size) {
    ssize_t n = write(v->pipe, v->pixels + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      return sixer_fail(error, SIXER_ERR_FILE, "%s: ffmpeg has stopped; its message is above",
                        v->path);
    done += (size_t)n;
  }
  return SIXER_OK;
}

sixer_err video_add(video *v, sixer_env *env, sixer_error *error) {
  const uint8_t *screen = sixer_env_screen(env);
  if (!screen) return sixer_fail(error, SIXER_ERR_PICTURE, "the picture is not known");
  sixer_err err = SIXER_OK;
  switch (v->kind) {
    case VIDEO_GIF: err = add_gif(v, env, screen, error); break;
    case VIDEO_FFMPEG: err = add_ffmpeg(v, env, screen, error); break;
    case VIDEO_FOLDER: {
      char name[4200];
      snprintf(name, sizeof name, "%s/%06lld.png", v->path, (long long)v->pictures);
      err = sixer_env_save_png(env, name, error);
      break;
    }
  }
  v->pictures++;
  return err;
}

sixer_err video_close(video *v, bool keep, sixer_error *error) {
  sixer_err err = SIXER_OK;
  if (v->gif && !keep) {
    gif_abandon(v->gif);
  } else if (v->gif && !gif_close(v->gif)) {
    err = sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written (is the disk full?)", v->path);
  }
  if (v->kind == VIDEO_FFMPEG) {
    int status = 0;
    close(v->pipe);
    while (waitpid(v->ffmpeg, &status, 0) < 0 && errno == EINTR) continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      err = sixer_fail(error, SIXER_ERR_FILE, "%s: ffmpeg failed; its message is above", v->path);
    if (!keep || err)
      replace_abandon(v->output);
    else if (!replace_commit(v->output))
      err =
          sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written: %s", v->path, strerror(errno));
  }
  free(v->pixels);
  free(v);
  return err;
}
