/* Films. A GIF cannot show 60 pictures a second (its delays are hundredths of a second, and viewers slow down delays
 * below 2), so it gets every third one by default, 5 hundredths each, which is real time. ffmpeg reads raw pictures
 * from a pipe; it is started without a shell. */
#include "cli/video.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session.h"
#include "util/error.h"
#include "util/gif.h"
#include "util/png.h"
#include "util/replace.h"
#include "util/os.h"
#include "util/os_process.h"

typedef enum video_kind { VIDEO_GIF, VIDEO_PICTURE, VIDEO_FOLDER, VIDEO_FFMPEG } video_kind;

enum { NEAREST = 4096 };

struct video {
  video_kind kind;
  char path[4096];
  char part[4200]; /* the hidden folder in which pictures are collected */
  int width, height, scale, every;
  double rate; /* frames per second */
  int64_t pictures;
  double shown; /* hundredths of a second in the GIF so far */
  gif *gif;
  uint8_t *pixels;
  int enlarge;             /* what the pixels are enlarged by here; ffmpeg does it by itself */
  const uint32_t *palette; /* of the env */
  uint32_t *nearest;       /* color << 8 | its nearest index, by hash of the color; GIF only */
  int64_t ffmpeg;
  replacement *output; /* what ffmpeg writes */
  int pipe;
};

/* ---- Names ----------------------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
  size_t a = strlen(text), b = strlen(end);
  return a > b && !strcasecmp(text + a - b, end);
}

bool video_is_gif(const char *path) { return ends_with(path, ".gif"); }

bool video_has_sound(const char *path) {
  return ends_with(path, ".mp4") || ends_with(path, ".mkv") || ends_with(path, ".webm") ||
         ends_with(path, ".avi");
}

static video_kind kind_of(const char *path) {
  return video_is_gif(path)        ? VIDEO_GIF
         : ends_with(path, ".png") ? VIDEO_PICTURE
         : video_has_sound(path)   ? VIDEO_FFMPEG
                                   : VIDEO_FOLDER;
}

sixer_err video_check_name(const char *path, sixer_error *error) {
  os_status info;
  const char *slash = os_last_separator(path), *name = slash ? slash + 1 : path,
             *dot = strrchr(name, '.');
  bool folder = os_stat(path, &info) == 0 && info.kind == OS_FOLDER;
  if (kind_of(path) != VIDEO_FOLDER) {
    if (folder) return sixer_fail(error, SIXER_ERR_FILE, "%s is a folder", path);
    return SIXER_OK;
  }
  bool extension = dot && dot != name && dot[1] && strlen(dot) <= 5;
  if (folder || (!extension && os_stat(path, &info) != 0)) return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_FILE,
                    "%s: films are .gif, .mp4, .mkv, .webm and .avi files; .png is the last "
                    "picture, and a name without extension a folder of all pictures",
                    path);
}

static sixer_err start_ffmpeg(video *v, const char *sound, sixer_error *error) {
  if (!os_find_program("ffmpeg", NULL, 0))
    return sixer_fail(
        error, SIXER_ERR_FILE,
        "%s needs the program ffmpeg, which is not installed: install it, or name a .gif "
        "file or a folder for PNG files",
        v->path);
  v->output = replace_reserve(v->path);
  if (!v->output)
    return sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be created: %s", v->path, strerror(errno));
  char size[40], rate[40], samples[40];
  snprintf(size, sizeof size, "%dx%d", v->width, v->height);
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
  char scale[60];
  snprintf(scale, sizeof scale, "scale=iw*%d:ih*%d:flags=neighbor", v->scale, v->scale);
  const char *const rest[] = {"-vf", scale, "-pix_fmt", "yuv420p", v->output->temporary};
  for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) arguments[n++] = rest[i];
  int ends[2];
  if (os_pipe(ends))
    return sixer_fail(error, SIXER_ERR_FILE, "no pipe to ffmpeg: %s", strerror(errno));
  os_spawn_settings settings = {.input = ends[0], .output = OS_SAME, .errors = OS_SAME};
  v->ffmpeg = os_spawn("ffmpeg", (char *const *)(uintptr_t)arguments, &settings);
  os_close(ends[0]);
  v->pipe = ends[1];
  if (v->ffmpeg < 0) {
    os_close(ends[1]);
    return sixer_fail(error, SIXER_ERR_FILE, "ffmpeg cannot be started: %s", strerror(errno));
  }
  os_ignore_broken_pipes(); /* if ffmpeg dies, writing fails */
  return SIXER_OK;
}

/* ---- Folders --------------------------------------------------------------------------------------------------- */

/* The number of a picture by its file name, 000123.png; -1 for any other file. */
static long long picture_number(const char *name) {
  size_t digits = strspn(name, "0123456789");
  return digits >= 6 && !strcmp(name + digits, ".png") ? atoll(name) : -1;
}

/* Remove all pictures of a folder, or move them to another if `to` is given. */
static bool empty_folder(const char *path, const char *to) {
  os_folder *folder = os_folder_open(path);
  if (!folder) return false;
  bool ok = true;
  for (const char *entry; (entry = os_folder_next(folder));) {
    char from[4600], target[4600];
    if (picture_number(entry) < 0) continue;
    snprintf(from, sizeof from, "%s/%s", path, entry);
    snprintf(target, sizeof target, "%s/%s", to ? to : "", entry);
    ok = (to ? os_rename(from, target) : os_unlink(from)) == 0 && ok;
  }
  os_folder_close(folder);
  return ok;
}

/* Pictures are collected in a hidden folder beside the one that is asked for. */
static sixer_err begin_folder(video *v, sixer_error *error) {
  size_t length = strlen(v->path);
  while (length > 1 && os_is_separator(v->path[length - 1])) v->path[--length] = 0;
  const char *slash = os_last_separator(v->path), *name = slash ? slash + 1 : v->path;
  snprintf(v->part, sizeof v->part, "%.*s.%.100s.part-%" PRId64, (int)(name - v->path), v->path,
           name, os_pid());
  if (os_mkdir(v->part) == 0) return SIXER_OK;
  int reason = errno;
  v->part[0] = 0;
  return sixer_fail(error, SIXER_ERR_FILE, "%s: the folder cannot be made: %s", v->path,
                    strerror(reason));
}

static bool end_folder(video *v, bool keep) {
  bool ok = true;
  if (keep && os_rename(v->part, v->path) == 0) return true;
  if (keep) ok = empty_folder(v->path, NULL) && empty_folder(v->part, v->path);
  int reason = errno;
  empty_folder(v->part, NULL);
  os_rmdir(v->part);
  errno = reason;
  return ok;
}

/* ---- Films ----------------------------------------------------------------------------------------------------- */

video *video_open(const char *path, const sixer_env *env, const video_settings *settings,
                  sixer_error *error) {
  video *v = calloc(1, sizeof *v);
  if (!v || strlen(path) >= sizeof v->path) {
    sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a film, or a path that is too long");
    free(v);
    return NULL;
  }
  memcpy(v->path, path, strlen(path) + 1);
  v->kind = kind_of(path);
  v->scale = settings->scale ? settings->scale : v->kind == VIDEO_FFMPEG ? 2 : 1;
  /* ffmpeg enlarges by itself, which is less to write into its pipe */
  int enlarge = v->kind == VIDEO_FFMPEG ? 1 : v->scale;
  v->enlarge = enlarge;
  v->palette = sixer_env_palette(env);
  v->width = (settings->width ? settings->width : 320) * enlarge;
  v->height = (settings->height ? settings->height : sixer_env_height(env)) * enlarge;
  v->every = settings->frames_per_picture;
  v->rate = session_frame_rate(sixer_rom_describe(sixer_env_rom(env)).format);
  v->pixels = malloc((size_t)v->height * (size_t)v->width * 3);
  v->nearest = calloc(NEAREST, sizeof *v->nearest);
  sixer_err err =
      v->pixels && v->nearest ? SIXER_OK : sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  if (!err && v->kind == VIDEO_GIF) {
    v->gif = gif_create(path, v->width, v->height, sixer_env_palette(env));
    if (!v->gif)
      err = sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be created: %s", path, strerror(errno));
  } else if (!err && v->kind == VIDEO_FFMPEG) {
    err = start_ffmpeg(v, settings->sound, error);
  } else if (!err && v->kind == VIDEO_FOLDER) {
    err = begin_folder(v, error);
  }
  if (err) {
    replace_abandon(v->output);
    free(v->pixels);
    free(v->nearest);
    free(v);
    return NULL;
  }
  return v;
}

/* Fill the pixels from the screen of 160 columns: indices for a GIF, else colors. */
static void fill_pixels(video *v, sixer_env *env, const uint8_t *screen) {
  const uint32_t *colors = sixer_env_palette(env);
  int enlarge = v->enlarge, bytes = v->kind == VIDEO_GIF ? 1 : 3;
  uint8_t *out = v->pixels;
  for (int y = 0; y < v->height; y++) {
    const uint8_t *row = screen + (size_t)(y / enlarge) * 160;
    if (y % enlarge) {
      memcpy(out, out - v->width * bytes, (size_t)(v->width * bytes));
      out += v->width * bytes;
      continue;
    }
    for (int x = 0; x < 160; x++) {
      for (int k = 0; k < 2 * enlarge; k++) {
        if (v->kind == VIDEO_GIF) {
          *out++ = row[x];
          continue;
        }
        *out++ = (uint8_t)(colors[row[x]] >> 16);
        *out++ = (uint8_t)(colors[row[x]] >> 8);
        *out++ = (uint8_t)colors[row[x]];
      }
    }
  }
}

static sixer_err add_gif(video *v, sixer_error *error) {
  /* in hundredths, rounded so that the sum stays right */
  double until = (double)(v->pictures + 1) * v->every / v->rate * 100;
  int delay = (int)(until - v->shown + 0.5);
  v->shown += delay;
  return gif_add(v->gif, v->pixels, delay)
             ? SIXER_OK
             : sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written (is the disk full?)",
                          v->path);
}

static sixer_err add_ffmpeg(video *v, sixer_error *error) {
  size_t size = (size_t)v->width * (size_t)v->height * 3, done = 0;
  while (done < size) {
    ptrdiff_t n = os_write(v->pipe, v->pixels + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      return sixer_fail(error, SIXER_ERR_FILE, "%s: ffmpeg has stopped; its message is above",
                        v->path);
    done += (size_t)n;
  }
  return SIXER_OK;
}

static sixer_err add_png(video *v, const char *path, sixer_error *error) {
  return png_write(path, v->pixels, v->width, v->height)
             ? SIXER_OK
             : sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written: %s", v->path,
                          strerror(errno));
}

/* The index of the nearest color of the palette. Found once for a color, unless another of the same hash displaces it;
 * 0 means that nothing is known yet. */
static uint8_t nearest_index(video *v, uint32_t color) {
  uint32_t *known = &v->nearest[(color * 2654435761U >> 8) % NEAREST];
  if (*known && *known >> 8 == color) return (uint8_t)*known;
  int best = 0, least = 1 << 30;
  for (int i = 0; i < 256; i++) {
    int distance = 0;
    for (int shift = 0; shift < 24; shift += 8) {
      int d = (int)(v->palette[i] >> shift & 255) - (int)(color >> shift & 255);
      distance += d * d;
    }
    if (distance < least) {
      least = distance;
      best = i;
    }
  }
  *known = color << 8 | (uint32_t)best;
  return (uint8_t)best;
}

static sixer_err add_filled(video *v, sixer_error *error);

sixer_err video_add_pixels(video *v, const uint32_t *pixels, sixer_error *error) {
  const int columns = v->width / v->enlarge;
  uint8_t *out = v->pixels;
  for (int y = 0; y < v->height; y++) {
    const uint32_t *row = pixels + (size_t)(y / v->enlarge) * (size_t)columns;
    for (int x = 0; x < v->width; x++) {
      uint32_t color = row[x / v->enlarge] & 0xFFFFFF;
      if (v->kind == VIDEO_GIF) {
        *out++ = nearest_index(v, color);
        continue;
      }
      for (int shift = 16; shift >= 0; shift -= 8) *out++ = (uint8_t)(color >> shift);
    }
  }
  return add_filled(v, error);
}

sixer_err video_add(video *v, sixer_env *env, sixer_error *error) {
  const uint8_t *screen = sixer_env_screen(env);
  if (!screen) return sixer_fail(error, SIXER_ERR_PICTURE, "the picture is not known");
  fill_pixels(v, env, screen);
  return add_filled(v, error);
}

/* Add what was put into the pixels. */
static sixer_err add_filled(video *v, sixer_error *error) {
  sixer_err err = SIXER_OK;
  switch (v->kind) {
    case VIDEO_GIF: err = add_gif(v, error); break;
    case VIDEO_FFMPEG: err = add_ffmpeg(v, error); break;
    case VIDEO_PICTURE: break; /* the last one is written in the end */
    case VIDEO_FOLDER: {
      char name[4300];
      snprintf(name, sizeof name, "%s/%06lld.png", v->part, (long long)v->pictures);
      err = add_png(v, name, error);
      break;
    }
  }
  v->pictures++;
  return err;
}

int64_t video_pictures(const video *v) { return v->pictures; }

sixer_err video_close(video *v, bool keep, sixer_error *error) {
  sixer_err err = SIXER_OK;
  keep = keep && v->pictures > 0;
  if (v->gif && !keep) {
    gif_abandon(v->gif);
  } else if (v->gif && !gif_close(v->gif)) {
    err = sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written (is the disk full?)", v->path);
  }
  if (v->kind == VIDEO_PICTURE && keep) err = add_png(v, v->path, error);
  if (v->kind == VIDEO_FOLDER && !end_folder(v, keep))
    err = sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written: %s", v->path, strerror(errno));
  if (v->kind == VIDEO_FFMPEG) {
    int status = 0;
    os_close(v->pipe);
    os_wait(v->ffmpeg, true, &status);
    if (keep && status != 0)
      err = sixer_fail(error, SIXER_ERR_FILE, "%s: ffmpeg failed; its message is above", v->path);
    if (!keep || err)
      replace_abandon(v->output);
    else if (!replace_commit(v->output))
      err =
          sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written: %s", v->path, strerror(errno));
  }
  free(v->pixels);
  free(v->nearest);
  free(v);
  return err;
}
