/* What agents with networks see. See observe.h. All pixels are made by the preprocessing of vectors. */
#include "agents/deep/observe.h"

#include <stdlib.h>

#include "env/env.h"
#include "env/preprocess.h"
#include "util/error.h"

struct observer {
  observe_settings settings;
  int source_height; /* of the screen that the tables are made for; 0: none yet */
  preprocess pre;
  preprocess_scratch scratch;
  uint8_t *other;              /* a frame, for OBSERVE_SMALL */
  int palette;                 /* whose pairs are below; -1: none */
  uint8_t brightest[256][256]; /* gray of the maximum of two colors, by their palette bytes */
};

sixer_err observe_create(const observe_settings *settings, observer **out, sixer_error *error) {
  const observe_settings *s = settings;
  if (s->width < 1 || s->width > SCREEN_WIDTH || s->height < 1 || s->height > SCREEN_WIDTH)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "observations of %d x %d pixels cannot be made; each side has 1 to %d",
                      s->width, s->height, SCREEN_WIDTH);
  observer *o = calloc(1, sizeof *o);
  if (o) o->other = malloc((size_t)s->width * (size_t)s->height);
  if (!o || !o->other) {
    observe_destroy(o);
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for observations");
  }
  o->settings = *s;
  o->palette = -1;
  *out = o;
  return SIXER_OK;
}

static void forget_height(observer *o) {
  preprocess_free(&o->pre);
  preprocess_scratch_free(&o->scratch);
  o->source_height = 0;
}

void observe_destroy(observer *o) {
  if (!o) return;
  forget_height(o);
  free(o->other);
  free(o);
}

void observe_prepare(const observer *o, sixer_config *config) {
  (void)o;
  config->picture = true;
  config->color_averaging = false;
}

/* ---- Tables ---------------------------------------------------------------------------------------------------- */

static uint32_t larger(uint32_t a, uint32_t b, uint32_t channel) {
  return (a & channel) > (b & channel) ? a & channel : b & channel;
}

static void fit_palette(observer *o, const palette *colors) {
  if (o->palette == colors->number) return;
  for (int a = 0; a < 256; a++) {
    for (int b = 0; b < 256; b++) {
      uint32_t x = colors->rgb[a], y = colors->rgb[b];
      o->brightest[a][b] =
          palette_gray(larger(x, y, 0xFF0000) | larger(x, y, 0xFF00) | larger(x, y, 0xFF));
    }
  }
  o->palette = colors->number;
}

static sixer_err fit_height(observer *o, int height, sixer_error *error) {
  if (o->source_height == height) return SIXER_OK;
  forget_height(o);
  sixer_vec_config config = sixer_vec_config_default();
  config.obs = SIXER_OBS_GRAY;
  config.pool = SIXER_POOL_MAX;
  config.height = o->settings.height;
  config.width = o->settings.width;
  sixer_err err = preprocess_make(&o->pre, &config, height, error);
  if (err) return err;
  if (o->settings.resize == OBSERVE_BILINEAR) preprocess_use_bilinear(&o->pre);
  err = preprocess_scratch_make(&o->scratch, &o->pre, error);
  if (!err) o->source_height = height;
  return err;
}

/* ---- Seeing ---------------------------------------------------------------------------------------------------- */

/* The last two frames as one. */
static void see_both(observer *o, const sixer_env *env, const uint8_t *now, const uint8_t *before,
                     uint8_t *frame) {
  const machine_rows newest = {.pixels = now}, older = {.pixels = before};
  const size_t pixels = (size_t)env->height * SCREEN_WIDTH;
  const size_t small = (size_t)o->settings.width * (size_t)o->settings.height;
  switch (o->settings.pool) {
    case OBSERVE_GRAY:
      preprocess_run(&o->pre, &o->scratch, &env->colors, &newest, &older, frame);
      break;
    case OBSERVE_RGB: {
      uint8_t *raw = o->scratch.raw[0];
      fit_palette(o, &env->colors);
      for (size_t i = 0; i < pixels; i++) raw[i] = o->brightest[now[i]][before[i]];
      preprocess_resize(&o->pre, &o->scratch, raw, frame);
      break;
    }
    case OBSERVE_SMALL:
      preprocess_run(&o->pre, &o->scratch, &env->colors, &newest, NULL, frame);
      preprocess_run(&o->pre, &o->scratch, &env->colors, &older, NULL, o->other);
      for (size_t i = 0; i < small; i++) frame[i] = frame[i] > o->other[i] ? frame[i] : o->other[i];
      break;
  }
}

sixer_err observe_frame(observer *o, sixer_env *env, bool first, uint8_t *frame,
                        sixer_error *error) {
  if (!env->picture_known || !env->config.picture)
    return sixer_fail(error, SIXER_ERR_PICTURE, "the screen of the env is not known");
  if (env->blend)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "this agent pools frames itself: turn color averaging off");
  sixer_err err = fit_height(o, env->height, error);
  if (err) return err;
  const uint8_t *now = sixer_env_screen(env);
  env->two_pictures = true; /* from the next step on, both frames are drawn at once */
  if (first) {
    const machine_rows newest = {.pixels = now};
    preprocess_run(&o->pre, &o->scratch, &env->colors, &newest, NULL, frame);
  } else {
    see_both(o, env, now, env_screen_before(env), frame);
  }
  return SIXER_OK;
}
