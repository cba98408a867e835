/* The colors in tiles, without the background: see foreground.h. */
#include "agents/linear/foreground.h"

#include <string.h>

sixer_err foreground_create(foreground *f, const feature_settings *settings, sixer_error *error) {
  f->screens = settings->background_screens;
  f->seed = (uint64_t)settings->background_seed;
  f->awaited = settings->background[0] && settings->no_files;
  if (!settings->background[0] || f->awaited) return SIXER_OK;
  return background_load(&f->background, settings->background, error);
}

sixer_err foreground_prepare(foreground *f, sixer_env *env, sixer_error *error) {
  if (f->checked) return SIXER_OK;
  sixer_err err = SIXER_OK;
  if (!f->background.known) {
    const sample_settings s = {
        .config = *sixer_env_config(env), .screens = f->screens, .seed = f->seed};
    err = background_sample(sixer_env_rom(env), &s, &f->background, error);
  }
  if (!err) err = background_check(&f->background, sixer_env_rom(env), error);
  f->checked = !err;
  return err;
}

sixer_err feature_screen(sixer_env *env, const uint8_t **screen, sixer_error *error) {
  *screen = sixer_env_screen(env);
  if (*screen) return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_PICTURE,
                    "the features are of the screen, and this env has none: turn config.picture "
                    "on, or load states with their pictures");
}

sixer_err foreground_look(foreground *f, sixer_env *env, sixer_error *error) {
  const uint8_t *screen;
  sixer_err err = foreground_prepare(f, env, error);
  if (!err) err = feature_screen(env, &screen, error);
  if (!err) tile_colors_update(&f->tiles, screen, sixer_env_height(env), f->background.pixels);
  return err;
}

void foreground_put(const foreground *f, sections_writer *out) {
  if (f->background.known) background_put(&f->background, "agent.background", out);
}

sixer_err foreground_get(foreground *f, sections_reader *in, sixer_error *error) {
  f->tiles.known = f->checked = false;
  if (!sections_find(in, "agent.background")) {
    if (f->background.known)
      return SIXER_OK; /* from its file; the agent was saved before it began */
    if (f->awaited)
      return sixer_fail(error, SIXER_ERR_STATE,
                        "the saved agent is damaged: it has no background model, and the file that "
                        "its settings name is not opened");
    memset(&f->background, 0, sizeof f->background);
    return SIXER_OK;
  }
  if (background_get(&f->background, "agent.background", in)) return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_STATE, "the saved agent is damaged: %s", sections_reason(in));
}
