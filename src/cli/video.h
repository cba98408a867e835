/* Films of a play: an animated GIF, a folder of PNG files, or whatever ffmpeg writes. */
#ifndef SIXER_CLI_VIDEO_H
#define SIXER_CLI_VIDEO_H

#include <stdbool.h>

#include "sixer/sixer.h"

typedef struct video video;

/* Begin a film at `path`: NAME.gif, NAME.mp4 (or .mkv, .webm, .avi: by ffmpeg), or a folder. `frames_per_picture`
 * is how many frames pass from one picture to the next. On failure NULL and an error. */
video *video_open(const char *path, const sixer_env *env, int frames_per_picture, const char *sound,
                  sixer_error *error);

/* True if the film can have sound: then its samples, raw as the env makes them, are in the file `sound` before it is
 * opened; NULL is a silent film. */
bool video_has_sound(const char *path);

/* Add what the env shows. */
sixer_err video_add(video *v, sixer_env *env, sixer_error *error);

/* Finish; if `keep` is false what was written is removed. */
sixer_err video_close(video *v, bool keep, sixer_error *error);

#endif
