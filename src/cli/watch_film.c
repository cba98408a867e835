/* Films of what `sixer watch` shows. See watch_film.h. */
#include "cli/watch_film.h"

#include <stdlib.h>

#include "cli/video.h"

static sixer_err add_picture(player *p, video *film, uint32_t *pixels, sixer_error *error) {
  player_look(p);
  if (!insight_picture(&p->insight, p->env, pixels))
    return sixer_fail(error, SIXER_ERR_PICTURE, "the picture is not known");
  return video_add_pixels(film, pixels, error);
}

sixer_err watch_film(player *p, const film_options *o, int64_t *pictures, sixer_error *error) {
  const int width = insight_picture_width(&p->insight);
  const int height = insight_picture_height(&p->insight, p->env);
  const double rate = session_frame_rate(sixer_rom_describe(p->rom).format);
  const double frames = o->seconds > 0 ? o->seconds * rate : 0;
  video_settings settings = {.frames_per_picture = (int)o->every,
                             .scale = (int)o->scale,
                             .width = width,
                             .height = height};
  uint32_t *pixels = malloc((size_t)width * (size_t)height * sizeof *pixels);
  if (!pixels) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a film");
  video *film = video_open(o->path, p->env, &settings, error);
  if (!film) {
    free(pixels);
    return error->code;
  }
  cli_progress progress;
  cli_progress_begin(&progress, "watch");
  sixer_err err = SIXER_OK;
  int64_t played = 0, next = 0;
  while (!err && !p->finished && (frames <= 0 || (double)played < frames)) {
    if (played >= next) {
      err = add_picture(p, film, pixels, error);
      next += o->every;
    }
    int passed = player_advance(p);
    played += passed > 0 ? passed : 1;
    cli_progress_show(&progress, (double)played, frames, NULL);
    if (cli_interrupted)
      err = sixer_fail(error, SIXER_ERR_FILE, "interrupted: nothing was written");
  }
  if (!err && !p->finished) err = add_picture(p, film, pixels, error);
  cli_progress_end(&progress);
  *pictures = video_pictures(film);
  sixer_error closing;
  sixer_err close_err = video_close(film, !err, &closing);
  if (close_err && !err) {
    err = close_err;
    *error = closing;
  }
  free(pixels);
  return err;
}
