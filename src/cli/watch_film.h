/* Films of what `sixer watch` shows, without a window: an agent's play with the predictions of its network. */
#ifndef SIXER_CLI_WATCH_FILM_H
#define SIXER_CLI_WATCH_FILM_H

#include "cli/player.h"

typedef struct film_options {
  const char *path;     /* as of video_open(); NULL: no film */
  int64_t scale, every; /* 0: as `sixer replay` chooses them */
  double seconds;       /* of play; 0: to the end */
} film_options;

/* Let the player play to its end, or for so many seconds, and write the film. */
sixer_err watch_film(player *p, const film_options *options, int64_t *pictures, sixer_error *error);

#endif
