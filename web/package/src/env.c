/* Roms, games and environments. */
#include "agents/deep/observe.h"
#include "env/env.h"
#include "games/game_builtin.h"
#include "machine/jit.h"
#include "web.h"

/* ---- Games and roms --------------------------------------------------------------------------------------------- */

WEB sixer_catalog *web_catalog_open(void) {
  sixer_catalog *catalog = NULL;
  return sixer_catalog_open_builtin(&catalog, &web_error) ? NULL : catalog;
}
WEB void web_catalog_close(sixer_catalog *catalog) { sixer_catalog_close(catalog); }
WEB int web_catalog_count(const sixer_catalog *catalog) { return sixer_catalog_count(catalog); }

WEB void web_catalog_game(const sixer_catalog *catalog, int index) {
  const sixer_game_info g = sixer_catalog_game(catalog, index);
  web_begin();
  web_put_text(g.id);
  web_put_text(g.title);
  web_put((double)(uintptr_t)g.md5s);
  web_put(g.md5_count);
  web_put_list(g.modes);
  web_put_list(g.difficulties);
  web_put_list(g.legal_actions);
  web_put_list(g.minimal_actions);
  web_put(g.default_mode);
  web_put(g.level_count);
  web_put(g.paddles);
  web_put(g.image_inside);
  web_put(g.several);
  web_put(g.corrections);
}

/* The text of a built-in definition: pointer in the result, length in web_out[0]; NULL if there is none. */
WEB const char *web_definition(const char *id) {
  for (int i = 0; i < game_builtin_total; i++) {
    if (strcmp(game_builtins[i].id, id) != 0) continue;
    web_begin();
    web_put((double)game_builtins[i].length);
    return game_builtins[i].text;
  }
  return NULL;
}

WEB sixer_rom *web_rom_open(const char *path_or_id, const char *game) {
  sixer_rom *rom = NULL;
  return sixer_rom_open(path_or_id, game, &rom, &web_error) ? NULL : rom;
}
WEB sixer_rom *web_rom_create(const void *image, size_t size, const char *name, const char *game) {
  sixer_rom *rom = NULL;
  return sixer_rom_create(image, size, name, game, &rom, &web_error) ? NULL : rom;
}
WEB void web_rom_close(sixer_rom *rom) { sixer_rom_close(rom); }

WEB void web_rom_info(const sixer_rom *rom) {
  static sixer_rom_info i; /* its md5 is read after this */
  i = sixer_rom_describe(rom);
  web_begin();
  web_put_text(i.md5);
  web_put_text(i.type);
  web_put_text(i.format);
  web_put_text(i.game);
  web_put_text(i.title);
  web_put(i.game_by_name);
  web_put(i.paddles);
  web_put((double)i.size);
  web_put(i.height);
  web_put(i.width);
  web_put(i.state_size);
  web_put_list(sixer_rom_modes(rom));
  web_put_list(sixer_rom_difficulties(rom));
  web_put_list(sixer_rom_legal_actions(rom));
  web_put_list(sixer_rom_minimal_actions(rom));
  web_put(sixer_rom_default_mode(rom));
  web_put(sixer_rom_level_count(rom));
}

WEB void web_rom_players(const sixer_rom *rom, int dialect, int players) {
  web_begin();
  web_put_list(sixer_rom_player_modes(rom, (sixer_dialect)dialect, players));
  web_put_list(sixer_rom_player_actions(rom, (sixer_dialect)dialect, players));
}

/* ---- Environments ----------------------------------------------------------------------------------------------- */

WEB sixer_env *web_env_create(const sixer_rom *rom) {
  sixer_env *env = NULL;
  return sixer_env_create(rom, &web_config.env, &env, &web_error) ? NULL : env;
}
WEB void web_env_destroy(sixer_env *env) { sixer_env_destroy(env); }

/* The core that runs it, as sixer_core: what is not translated is interpreted. */
WEB int web_env_core(const sixer_env *env) {
  if (env->run_frame == machine_frame_plain) return SIXER_CORE_PLAIN;
  if (env->run_frame == machine_frame_interp) return SIXER_CORE_INTERP;
  return env->m.jit && jit_usable(env->m.jit) ? SIXER_CORE_JIT : SIXER_CORE_INTERP;
}
WEB void web_env_reset(sixer_env *env) { sixer_env_reset(env); }
WEB void web_env_restart(sixer_env *env, uint32_t seed) { sixer_env_restart(env, seed); }
WEB int web_env_set_mode(sixer_env *env, int mode) {
  return sixer_env_set_mode(env, mode, &web_error);
}
WEB int web_env_set_difficulty(sixer_env *env, int difficulty) {
  return sixer_env_set_difficulty(env, difficulty, &web_error);
}
WEB int web_env_set_levels(sixer_env *env, int first, int count) {
  return sixer_env_set_levels(env, first, count, &web_error);
}

void web_put_result(const sixer_result *r) {
  web_put(r->reward);
  web_put(r->lives);
  web_put(r->over);
  web_put(r->terminal);
  web_put(r->truncated);
  web_put(r->end);
  web_put(r->executed);
  web_put(r->frames);
}

/* The input of the next step; JavaScript writes it: actions, switches and frames, then strengths. */
static int32_t input_ints[6];
static float input_reals[4];
WEB int32_t *web_input_ints(void) { return input_ints; }
WEB float *web_input_reals(void) { return input_reals; }

sixer_input web_input(void) {
  const int32_t *i = input_ints;
  const float *f = input_reals;
  return (sixer_input){.action_a = i[0],
                       .action_b = i[1],
                       .action_c = i[2],
                       .action_d = i[3],
                       .switches = i[4],
                       .frames = i[5],
                       .strength_a = f[0],
                       .strength_b = f[1],
                       .strength_c = f[2],
                       .strength_d = f[3]};
}

static int refused(sixer_err err, int action) {
  if (!err) return err;
  if (err == SIXER_ERR_ACTION && action >= 0 && action < SIXER_ACTION_COUNT) {
    return sixer_fail(&web_error, err,
                      "no such switch or player: switches are sums of Switch values, frames are 0 "
                      "or more, and players that the game does not have do nothing (action 0)");
  }
  return sixer_fail(&web_error, err, "there is no action %d: actions are 0 to 17, see Action",
                    action);
}

WEB int web_env_step(sixer_env *env, int action) {
  sixer_result result;
  sixer_err err = sixer_env_step(env, action, &result);
  if (err) return refused(err, action);
  web_begin();
  web_put_result(&result);
  return SIXER_OK;
}

WEB int web_env_step_input(sixer_env *env) {
  sixer_result result;
  const sixer_input input = web_input();
  sixer_err err = sixer_env_step_input(env, input, &result);
  if (err) {
    int wrong = input.action_a;
    for (int i = 0; i < 4; i++)
      if (input_ints[i] < 0 || input_ints[i] >= SIXER_ACTION_COUNT) wrong = input_ints[i];
    return refused(err, wrong);
  }
  web_begin();
  web_put_result(&result);
  return SIXER_OK;
}

static void put_players(const sixer_players_result *r) {
  web_begin();
  web_put(r->players);
  for (int i = 0; i < r->players; i++) {
    web_put(r->reward[i]);
    web_put(r->lives[i]);
    web_put(r->ended[i]);
    web_put(r->executed[i]);
    web_put((double)r->score[i]);
  }
  web_put(r->over);
  web_put(r->terminal);
  web_put(r->truncated);
  web_put(r->end);
  web_put(r->frames);
}

WEB int web_env_step_players(sixer_env *env, const int *actions, int count) {
  sixer_players_result r;
  sixer_err err = sixer_env_step_players(env, actions, count, &r, &web_error);
  if (err) return err;
  put_players(&r);
  return SIXER_OK;
}
WEB void web_env_players_result(const sixer_env *env) {
  const sixer_players_result r = sixer_env_players_result(env);
  put_players(&r);
}

static void put_status(const sixer_status *s) {
  web_begin();
  web_put(s->mode);
  web_put(s->difficulty);
  web_put(s->level);
  web_put(s->lives);
  web_put((double)s->frames);
  web_put(s->episode_frames);
  web_put((double)s->score);
  web_put(s->over);
  web_put(s->terminal);
  web_put(s->truncated);
  web_put(s->end);
  web_put(s->executed);
}

WEB void web_env_status(const sixer_env *env) {
  const sixer_status s = sixer_env_status(env);
  put_status(&s);
}
WEB void web_vec_status(const sixer_vec *vec, int env) {
  const sixer_status s = sixer_vec_status(vec, env);
  put_status(&s);
}

WEB int web_env_players(const sixer_env *env) { return sixer_env_players(env); }
WEB int web_env_height(const sixer_env *env) { return sixer_env_height(env); }
WEB const uint8_t *web_env_screen(sixer_env *env) { return sixer_env_screen(env); }
WEB int web_env_rgb(sixer_env *env, uint8_t *rgb) { return sixer_env_rgb(env, rgb); }
WEB int web_env_gray(sixer_env *env, uint8_t *gray) { return sixer_env_gray(env, gray); }
WEB const uint32_t *web_env_palette(const sixer_env *env) { return sixer_env_palette(env); }
WEB const uint8_t *web_env_ram(const sixer_env *env) { return sixer_env_ram(env); }
WEB int web_env_set_ram(sixer_env *env, int index, int value) {
  return sixer_env_set_ram(env, index, (uint8_t)value);
}
WEB const uint8_t *web_env_sound(const sixer_env *env) { return sixer_env_sound(env); }

/* Four bytes for each pixel: red, green, blue, 255. */
WEB int web_env_rgba(sixer_env *env, uint32_t *rgba) {
  const uint8_t *screen = sixer_env_screen(env);
  const uint32_t *colors = sixer_env_palette(env);
  if (!screen) return SIXER_ERR_PICTURE;
  uint32_t opaque[256];
  for (int i = 0; i < 256; i++) {
    const uint32_t c = colors[i];
    opaque[i] = 0xFF000000 | (c & 0xFF) << 16 | (c & 0xFF00) | c >> 16;
  }
  const int count = 160 * sixer_env_height(env);
  for (int i = 0; i < count; i++) rgba[i] = opaque[screen[i]];
  return SIXER_OK;
}

/* What deep agents see, as Mnih et al. 2015 make it. */
WEB int web_env_observation(sixer_env *env, int width, int height, uint8_t *pixels) {
  const observe_settings settings = {width, height, OBSERVE_AREA, OBSERVE_RGB};
  observer *o;
  sixer_err err = observe_create(&settings, &o, &web_error);
  if (err) return err;
  err = observe_frame(o, env, sixer_env_status(env).episode_frames == 0, pixels, &web_error);
  observe_destroy(o);
  return err;
}

WEB int web_env_objects(const sixer_env *env, int16_t *objects) {
  _Static_assert(sizeof(sixer_object) == 12, "six numbers of 16 bits");
  return sixer_env_objects(env, (sixer_object *)objects, SIXER_OBJECTS_MAX);
}

WEB int web_env_state_size(const sixer_env *env, int flags) {
  return (int)sixer_env_state_size(env, flags);
}
WEB void web_env_save(const sixer_env *env, int flags, void *state) {
  sixer_env_save(env, flags, state);
}
WEB int web_env_load(sixer_env *env, const void *state, size_t size) {
  return sixer_env_load(env, state, size, &web_error);
}
