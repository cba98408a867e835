/* What agents with networks see: the screen in gray, small, as the maximum of the last two frames.
 *
 * Games draw some objects in every second frame only; the maximum of two frames shows them all. The published programs
 * do the same things in different orders, which gives different pixels:
 *
 *     OBSERVE_RGB     maximum of colors, gray, resize     Mnih et al. 2015
 *     OBSERVE_GRAY    gray, maximum, resize               Dopamine
 *     OBSERVE_SMALL   gray, resize, maximum               SABER
 *
 * The whole screen is squeezed into the frame; nothing is cut off. */
#ifndef SIXER_AGENTS_DEEP_OBSERVE_H
#define SIXER_AGENTS_DEEP_OBSERVE_H

#include "sixer/sixer.h"

typedef enum observe_resize {
  OBSERVE_AREA,    /* mean of the pixels that a pixel covers */
  OBSERVE_BILINEAR /* between the four pixels around its center */
} observe_resize;

typedef enum observe_pool { OBSERVE_GRAY, OBSERVE_RGB, OBSERVE_SMALL } observe_pool;

typedef struct observe_settings {
  int width, height;
  observe_resize resize;
  observe_pool pool;
} observe_settings;

typedef struct observer observer;

sixer_err observe_create(const observe_settings *settings, observer **out, sixer_error *error);
void observe_destroy(observer *o); /* NULL is allowed */

/* Settings that an env needs to be seen: it must draw, and must not blend frames itself. */
void observe_prepare(const observer *o, sixer_config *config);

/* What the env shows, width * height bytes. At the first frame of an episode there is none before it, and only the
 * current one is seen. The result is a function of the env's state: saving and loading the env with its picture does
 * not change it. SIXER_ERR_PICTURE if the picture is not known. */
sixer_err observe_frame(observer *o, sixer_env *env, bool first, uint8_t *frame,
                        sixer_error *error);

#endif
