/* Pictures on demand, for envs that share their picture buffers with others.
 *
 * The console draws into two buffers in turn and never clears them. A short frame leaves its last rows as they were two
 * frames before, so even a frame whose picture is not needed can show in a later picture. An env that skips drawing
 * must be able to draw such a frame later.
 *
 * It can, because a frame is a function of the console at its start. For a frame that reaches every row (nearly all
 * do) the env keeps a copy of that console, a few hundred bytes instead of a picture, and draws the frame when the
 * picture is needed. A frame that does not reach every row is drawn at once over the old picture, and its pixels are
 * kept. So the contents of both buffers are always known, as a console or as pixels, and an env needs no buffers of
 * its own between steps. */
#ifndef SIXER_ENV_PICTURES_H
#define SIXER_ENV_PICTURES_H

#include "env/env.h"

typedef enum picture_kind {
  PICTURE_BLACK,  /* nothing was drawn since the console's reset */
  PICTURE_REPLAY, /* a frame that reaches every row; draw it from `start` and `input` */
  PICTURE_PIXELS, /* anything else: kept as pixels */
} picture_kind;

/* What one of the two buffers holds. */
typedef struct picture_source {
  picture_kind kind;
  bool here;           /* the buffer that is lent to the env holds these pixels now */
  console_input input; /* of the frame */
  console *start;      /* the console when the frame began */
  uint8_t
      *pixels; /* `height` rows, allocated on first use; valid if PICTURE_PIXELS and not `here` */
} picture_source;

typedef struct env_pictures {
  picture_source buffer[2];
  console *spare;   /* the console at the start of the frame that is running */
  console *aside;   /* the current console, while an earlier frame is drawn */
  size_t size;      /* bytes of a console */
  bool wanted;      /* draw the frames that run now */
  bool went_on;     /* the last frame continued an interrupted one */
  uint64_t redrawn; /* frames that were run a second time to be drawn */
} env_pictures;

sixer_err pictures_make(env_pictures *p, const sixer_rom *rom, sixer_error *error);
void pictures_free(env_pictures *p);
size_t pictures_memory(const env_pictures *p, int height); /* bytes allocated */

/* Run a frame of the console. It is drawn if `wanted` is set, or if it cannot be drawn later. */
void pictures_run_frame(sixer_env *env);

/* The console was reset: both buffers are black. */
void pictures_clear(sixer_env *env);

/* Tell that the caller has written pixels into buffer `which`. */
void pictures_replaced(sixer_env *env, int which);

/* Make sure that the lent buffer `which` holds its picture: draw the frame or copy the pixels. */
void pictures_show(sixer_env *env, int which);

/* Call before buffer `which` is used for something else: keeps its pixels if they cannot be drawn again. False if out
 * of memory. */
bool pictures_keep(sixer_env *env, int which);

/* Draw an earlier frame into a buffer. Call pictures_keep() for that buffer first. */
void pictures_replay(sixer_env *env, const console *start, const console_input *input, int which);

/* Copy what another env's buffers hold, while neither env has buffers lent to it. Call pictures_reserve() first: it
 * allocates the room and returns false if out of memory. */
bool pictures_reserve(env_pictures *to, const env_pictures *from, int height);
void pictures_copy(env_pictures *to, const env_pictures *from, int height);

/* Call before both lent buffers go to another env. False if out of memory. */
bool pictures_leave(sixer_env *env);

#endif
