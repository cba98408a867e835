/* Pictures on demand, for envs that share their picture buffers with others.
 *
 * The console draws into two buffers in turn and never clears them: rows that a frame does not reach show what was
 * there two frames ago. So a frame that nobody looks at may still be seen, in the rows that a short frame leaves
 * alone. An env that draws only what is wanted must be able to make up for it.
 *
 * The way out is that a frame is a function of the console at its start. A frame that reaches every row (nearly all
 * do) is remembered as a copy of the console from which it can be drawn whenever somebody looks, a few hundred bytes
 * instead of a picture. A frame that does not is drawn at once, over what was there before, and its pixels are kept.
 * Both buffers are then always known, in one form or the other, and the env needs no buffers of its own between steps. */
#ifndef SIXER_ENV_PICTURES_H
#define SIXER_ENV_PICTURES_H

#include "env/env.h"

typedef enum picture_kind {
  PICTURE_BLACK,  /* nothing was drawn since the console's reset */
  PICTURE_REPLAY, /* a frame that reaches every row, from `start` and `input` */
  PICTURE_PIXELS, /* anything else: the bytes themselves */
} picture_kind;

/* What one of the two buffers holds. */
typedef struct picture_source {
  picture_kind kind;
  bool here;           /* and it is in the buffer lent to the env */
  console_input input; /* of the frame */
  console *start;      /* the console when the frame began */
  uint8_t *pixels;     /* `height` rows, once needed; valid if PIXELS and not `here` */
} picture_source;

typedef struct env_pictures {
  picture_source buffer[2];
  console *spare;   /* the console at the start of the frame that runs */
  console *aside;   /* the present, while a frame of the past is drawn */
  size_t size;      /* bytes of a console */
  bool wanted;      /* somebody will look at the frames that run now */
  bool went_on;     /* the last frame continued an interrupted one */
  uint64_t redrawn; /* frames that ran twice */
} env_pictures;

sixer_err pictures_make(env_pictures *p, const sixer_rom *rom, sixer_error *error);
void pictures_free(env_pictures *p);
size_t pictures_memory(const env_pictures *p, int height); /* bytes allocated */

/* Run a frame of the console, drawing it if it is wanted or has to be. */
void pictures_run_frame(sixer_env *env);

/* The console was reset: both buffers are black. */
void pictures_clear(sixer_env *env);

/* Other pixels were written into buffer `which`. */
void pictures_replaced(sixer_env *env, int which);

/* Put what buffer `which` holds into the buffer that is lent. */
void pictures_show(sixer_env *env, int which);

/* Buffer `which` is needed for something else: keep what it holds if that cannot be drawn again. False if there is no
 * memory for it. */
bool pictures_keep(sixer_env *env, int which);

/* Draw a frame of the past into a buffer, which was kept before. */
void pictures_replay(sixer_env *env, const console *start, const console_input *input, int which);

/* Take over what another env's buffers hold; neither's are lent at the moment. First have room for it: false if there
 * is no memory. */
bool pictures_reserve(env_pictures *to, const env_pictures *from, int height);
void pictures_copy(env_pictures *to, const env_pictures *from, int height);

/* Both lent buffers go to somebody else. */
bool pictures_leave(sixer_env *env);

#endif
