/* Films of a play: an animated GIF, a folder of PNG files, one PNG file, or whatever ffmpeg writes. */
#ifndef SIXER_CLI_VIDEO_H
#define SIXER_CLI_VIDEO_H

#include <stdbool.h>

#include "sixer/sixer.h"

typedef struct video video;

typedef struct video_settings {
  int frames_per_picture; /* how many frames pass from one picture to the next */
  int scale;              /* 1 is a width of 320 pixels; 0: 2 for films by ffmpeg, else 1 */
  const char *sound;      /* file with the samples, raw as the env makes them; NULL: silent */
  int width, height;      /* of pictures for video_add_pixels(); 0: those of video_add() */
} video_settings;

/* What a name asks for, by its extension in upper or lower case: NAME.gif, NAME.png (the last picture alone), NAME.mp4
 * and .mkv, .webm, .avi (by ffmpeg), or a folder for PNG files. Other extensions are refused. */
sixer_err video_check_name(const char *path, sixer_error *error);
bool video_is_gif(const char *path);
/* True if the film can have sound. */
bool video_has_sound(const char *path);

/* Begin a film. On failure NULL and an error. */
video *video_open(const char *path, const sixer_env *env, const video_settings *settings,
                  sixer_error *error);

/* Add what the env shows. */
sixer_err video_add(video *v, sixer_env *env, sixer_error *error);

/* Add a picture of pixels 0xRRGGBB, of the size in the settings. In a GIF they get the nearest of the env's colors. */
sixer_err video_add_pixels(video *v, const uint32_t *pixels, sixer_error *error);

int64_t video_pictures(const video *v); /* added so far */

/* Finish. Only now does the film appear under its name; of an older one in the same folder no picture is left. If
 * `keep` is false what was written is removed. */
sixer_err video_close(video *v, bool keep, sixer_error *error);

#endif
