/* What an environment shows: screen, colors, memory, sound. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env/env.h"
#include "env/pictures.h"
#include "util/png.h"

/* Color averaging: the last two pictures as one. */
static void blend_pictures(sixer_env *env) {
  const uint8_t *now = machine_picture(&env->m, env->m.current),
                *before = machine_picture(&env->m, env->m.current ^ 1);
  for (int i = 0; i < env->height * SCREEN_WIDTH; i += SCREEN_WIDTH)
    palette_blend_row(env->blend, now + i, before + i, env->screen + i);
  env->blended = true;
}

const uint8_t *env_screen_rows(sixer_env *env) {
  if (!env->picture_known) return NULL;
  if (env->pictures) {
    pictures_show(env, env->m.current);
    if (env->blend) pictures_show(env, env->m.current ^ 1);
  }
  if (!env->blend) return env->m.picture[env->m.current];
  if (!env->blended) blend_pictures(env);
  return env->screen;
}

const uint8_t *sixer_env_screen(sixer_env *env) {
  const uint8_t *screen = env_screen_rows(env);
  if (screen && !env->blend) machine_picture(&env->m, env->m.current);
  return screen;
}

const uint8_t *env_screen_before(sixer_env *env) {
  if (env->pictures) pictures_show(env, env->m.current ^ 1);
  return machine_picture(&env->m, env->m.current ^ 1);
}

int sixer_env_height(const sixer_env *env) { return env->height; }

/* One row in colors. Pixels come in runs, so eight equal ones are written at once. */
static void color_row(const palette *colors, const uint8_t *row, uint8_t *rgb) {
  for (int x = 0; x < SCREEN_WIDTH; x += 8, rgb += 24) {
    uint32_t color = colors->rgb[row[x]];
    uint8_t r = (uint8_t)(color >> 16), g = (uint8_t)(color >> 8), b = (uint8_t)color;
    uint64_t pixels;
    memcpy(&pixels, row + x, sizeof pixels);
    if (pixels == row[x] * 0x0101010101010101u) {
      const uint8_t run[24] = {r, g, b, r, g, b, r, g, b, r, g, b,
                               r, g, b, r, g, b, r, g, b, r, g, b};
      memcpy(rgb, run, sizeof run);
      continue;
    }
    for (int i = 0; i < 8; i++) {
      color = colors->rgb[row[x + i]];
      rgb[3 * i] = (uint8_t)(color >> 16);
      rgb[3 * i + 1] = (uint8_t)(color >> 8);
      rgb[3 * i + 2] = (uint8_t)color;
    }
  }
}

static void gray_row(const palette *colors, const uint8_t *row, uint8_t *gray) {
  for (int x = 0; x < SCREEN_WIDTH; x++) gray[x] = colors->gray[row[x]];
}

/* Rows are often equal to the one above, so those are copied. */
static void convert(const sixer_env *env, const uint8_t *screen, uint8_t *out, size_t size,
                    void (*one)(const palette *, const uint8_t *, uint8_t *)) {
  for (int y = 0; y < env->height; y++, screen += SCREEN_WIDTH, out += size) {
    if (y > 0 && !memcmp(screen, screen - SCREEN_WIDTH, SCREEN_WIDTH))
      memcpy(out, out - size, size);
    else
      one(&env->colors, screen, out);
  }
}

sixer_err sixer_env_rgb(sixer_env *env, uint8_t *rgb) {
  const uint8_t *screen = sixer_env_screen(env);
  if (!screen) return SIXER_ERR_PICTURE;
  convert(env, screen, rgb, 3 * SCREEN_WIDTH, color_row);
  return SIXER_OK;
}

sixer_err sixer_env_gray(sixer_env *env, uint8_t *gray) {
  const uint8_t *screen = sixer_env_screen(env);
  if (!screen) return SIXER_ERR_PICTURE;
  convert(env, screen, gray, SCREEN_WIDTH, gray_row);
  return SIXER_OK;
}

_Static_assert(sizeof(sixer_object) == sizeof(tia_object), "objects are copied as they are");
_Static_assert(SIXER_OBJECTS_MAX == OBJECTS_MAX, "likewise");

int sixer_env_objects(const sixer_env *env, sixer_object *objects, int max) {
  const tia_objects *o = env->objects;
  if (!o) return 0;
  int known = o->count < OBJECTS_MAX ? o->count : OBJECTS_MAX;
  int count = known < max ? known : max;
  if (count > 0) memcpy(objects, o->at, (size_t)count * sizeof *objects);
  return o->count;
}

const uint32_t *sixer_env_palette(const sixer_env *env) { return env->colors.rgb; }
const uint8_t *sixer_env_ram(const sixer_env *env) { return env->m.c->ram; }
const uint8_t *sixer_env_sound(const sixer_env *env) { return env->sound; }

sixer_err sixer_env_set_ram(sixer_env *env, int index, uint8_t value) {
  if (index < 0 || index > 127) return SIXER_ERR_ARGUMENT;
  env->m.c->ram[index] = value;
  env->m.c->bus = value;
  return SIXER_OK;
}

sixer_err sixer_env_save_png(sixer_env *env, const char *path, sixer_error *error) {
  const uint8_t *screen = sixer_env_screen(env);
  if (!screen)
    return sixer_fail(error, SIXER_ERR_PICTURE, "the picture is not known before the next frame");
  uint8_t *rgb = malloc((size_t)env->height * 320 * 3), *out = rgb;
  if (!rgb) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  for (int i = 0; i < env->height * SCREEN_WIDTH; i++) {
    uint32_t color = env->colors.rgb[screen[i]];
    for (int twice = 0; twice < 2; twice++) {
      *out++ = (uint8_t)(color >> 16);
      *out++ = (uint8_t)(color >> 8);
      *out++ = (uint8_t)color;
    }
  }
  bool written = png_write(path, rgb, 320, env->height);
  free(rgb);
  return written ? SIXER_OK : sixer_fail(error, SIXER_ERR_FILE, "%s: cannot be written", path);
}
