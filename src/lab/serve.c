/* One client of `sixer serve`: requests are read, carried out and answered, one after the other.
 *
 * A request is checked as a whole before anything changes: an error is answered by a sentence, and the client's
 * environment is as it was. docs/serve.md describes the messages. */
#include "lab/serve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/nearest.h"
#include "util/text.h"
#include "util/os.h"

#define COOKIE 0x53525631u

sixer_serve_settings sixer_serve_settings_default(void) {
  return (sixer_serve_settings){
      .cookie = COOKIE, .max_envs = 1024, .max_bytes = 1 << 20, .max_memory = 256 << 20};
}

/* ---- Replies --------------------------------------------------------------------------------------------------- */

static void begin(serve_session *s) {
  message_begin(&s->reply, s->stream.packed);
  message_put_flag(&s->reply, "ok", true);
}

static void refuse(serve_session *s, const sixer_error *why) {
  char text[sizeof why->message];
  memcpy(text, why->message, sizeof text);
  text_clean(text);
  message_begin(&s->reply, s->stream.packed);
  message_put_flag(&s->reply, "ok", false);
  message_put_text(&s->reply, "error", text);
}

static void reply_env(serve_session *s) { show_env(&s->reply, s->env, &s->show); }

/* ---- Making an environment ------------------------------------------------------------------------------------- */

static void free_env(serve_session *s) {
  serve_vec_free(s);
  sixer_env_destroy(s->env);
  sixer_rom_close(s->rom);
  s->env = NULL;
  s->rom = NULL;
}

/* Settings of an environment; `config` has the defaults. */
static sixer_err read_config(const message *m, sixer_config *c, sixer_error *error) {
  int64_t seed = c->seed, mode = c->mode, difficulty = c->difficulty, level = c->level,
          levels = c->levels, skip = c->frame_skip, frames = c->max_frames, noops = c->noop_starts,
          stuck = c->stuck_limit;
  double sticky = c->sticky;
  int scoring = c->scoring;
  sixer_err err = message_get_int(m, "seed", 0, UINT32_MAX, &seed, error);
  if (!err) err = message_get_int(m, "mode", -1, 255, &mode, error);
  if (!err) err = message_get_int(m, "difficulty", 0, 255, &difficulty, error);
  if (!err) err = message_get_int(m, "level", 0, INT32_MAX, &level, error);
  if (!err) err = message_get_int(m, "levels", 1, INT32_MAX, &levels, error);
  if (!err) err = message_get_int(m, "frame_skip", 1, 10000, &skip, error);
  if (!err) err = message_get_int(m, "max_frames", 0, INT32_MAX, &frames, error);
  if (!err) err = message_get_int(m, "noop_starts", 0, 10000, &noops, error);
  if (!err) err = message_get_int(m, "stuck_limit", 0, INT32_MAX, &stuck, error);
  if (!err) err = message_get_number(m, "sticky", 0, 1, &sticky, error);
  if (!err) err = message_get_flag(m, "end_on_life_loss", &c->end_on_life_loss, error);
  if (!err) err = message_get_flag(m, "color_averaging", &c->color_averaging, error);
  if (!err) err = message_get_choice(m, "scoring", "ale|fixed", &scoring, error);
  c->seed = (uint32_t)seed;
  c->mode = (int)mode;
  c->difficulty = (int)difficulty;
  c->level = (int)level;
  c->levels = (int)levels;
  c->frame_skip = (int)skip;
  c->max_frames = (int)frames;
  c->noop_starts = (int)noops;
  c->stuck_limit = (int)stuck;
  c->sticky = (float)sticky;
  c->scoring = (sixer_scoring)scoring;
  return err;
}

static sixer_err open_game(const serve_session *s, sixer_rom **rom, sixer_error *error) {
  const char *game = s->settings.game;
  sixer_err err = message_get_text(&s->request, "game", &game, error);
  if (err) return err;
  if (!game)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "name a game: {\"do\": \"make\", \"game\": \"pong\"}");
  bool own = game == s->settings.game;
  if (!own && !s->settings.paths && (strchr(game, '/') || strchr(game, '.')))
    return sixer_fail(
        error, SIXER_ERR_ARGUMENT,
        "'%.100s' is not the id of a game; files can be named only if sixer serve was started with "
        "--paths",
        game);
  return sixer_rom_open(game, NULL, rom, error);
}

#define ENV_KEYS                                                                            \
  "do|game|screen|ram|seed|mode|difficulty|level|levels|frame_skip|max_frames|noop_starts|" \
  "stuck_limit|sticky|end_on_life_loss|color_averaging|scoring"

static sixer_err do_make(serve_session *s, sixer_error *error) {
  const message *m = &s->request;
  int64_t count = 0;
  show_settings show = {SHOW_NONE, false};
  sixer_err err = message_get_int(m, "count", 1, s->settings.max_envs, &count, error);
  if (!err) err = message_check_keys(m, count ? ENV_KEYS SERVE_VEC_KEYS : ENV_KEYS, error);
  sixer_config config = count ? sixer_vec_config_default().env : sixer_config_default();
  if (!err) err = read_config(m, &config, error);
  if (!err) err = message_get_choice(m, "screen", SHOW_SCREENS, &show.screen, error);
  if (!err) err = message_get_flag(m, "ram", &show.ram, error);
  if (err) return err;
  sixer_rom *rom;
  sixer_env *env = NULL;
  if ((err = open_game(s, &rom, error))) return err;
  if (count) {
    if ((err = serve_vec_make(s, rom, (int)count, &config, error))) sixer_rom_close(rom);
    return err;
  }
  config.picture = show.screen != SHOW_NONE;
  if ((err = sixer_env_create(rom, &config, &env, error))) {
    sixer_rom_close(rom);
    return err;
  }
  free_env(s);
  s->rom = rom;
  s->env = env;
  s->show = show;
  begin(s);
  show_rom(&s->reply, rom);
  message_put_int(&s->reply, "height", sixer_env_height(env));
  message_put_int(&s->reply, "width", 160);
  reply_env(s);
  return SIXER_OK;
}

/* ---- Playing --------------------------------------------------------------------------------------------------- */

static sixer_err do_reset(serve_session *s, sixer_error *error) {
  const message *m = &s->request;
  if (s->vec) return serve_vec_reset(s, error);
  sixer_err err = message_check_keys(m, "do|seed|mode|difficulty|level|levels", error);
  /* what was set by an earlier reset stays: the config of the env has it only if it was made with it */
  sixer_config config = *sixer_env_config(s->env);
  sixer_status status = sixer_env_status(s->env);
  config.mode = status.mode;
  config.difficulty = status.difficulty;
  if (!err) err = read_config(m, &config, error);
  if (err) return err;
  if (message_find(m, "seed")) {
    /* a new env, so that equal seeds give equal play whatever was played before */
    sixer_env *env;
    if ((err = sixer_env_create(s->rom, &config, &env, error))) return err;
    sixer_env_destroy(s->env);
    s->env = env;
  } else {
    bool levels = message_find(m, "level") || message_find(m, "levels");
    if (message_find(m, "mode")) err = sixer_env_set_mode(s->env, config.mode, error);
    if (!err && message_find(m, "difficulty")) {
      err = sixer_env_set_difficulty(s->env, config.difficulty, error);
      if (err) sixer_env_set_mode(s->env, status.mode, NULL);
    }
    if (!err && levels) err = sixer_env_set_levels(s->env, config.level, config.levels, error);
    if (err) return err;
    sixer_env_reset(s->env);
  }
  begin(s);
  reply_env(s);
  return SIXER_OK;
}

static sixer_err do_step(serve_session *s, sixer_error *error) {
  const message *m = &s->request;
  if (s->vec) return serve_vec_step(s, error);
  int64_t action = -1, other = 0, switches = 0;
  double strength = 1;
  sixer_err err = message_check_keys(m, "do|action|action_b|strength|switches", error);
  if (!err) err = message_get_int(m, "action", 0, SIXER_ACTION_COUNT - 1, &action, error);
  if (!err) err = message_get_int(m, "action_b", 0, SIXER_ACTION_COUNT - 1, &other, error);
  if (!err) err = message_get_int(m, "switches", 0, SIXER_SWITCH_ALL, &switches, error);
  if (!err) err = message_get_number(m, "strength", 0, 1, &strength, error);
  if (!err && action < 0)
    err = sixer_fail(error, SIXER_ERR_ARGUMENT, "'action' is missing: a number from 0 to %d",
                     SIXER_ACTION_COUNT - 1);
  if (err) return err;
  sixer_result result;
  sixer_input input = {.action_a = (int)action,
                       .action_b = (int)other,
                       .strength_a = (float)strength,
                       .strength_b = 1,
                       .switches = (int)switches};
  if ((err = sixer_env_step_input(s->env, input, &result)))
    return sixer_fail(error, err, "there is no such switch");
  begin(s);
  show_result(&s->reply, &result);
  reply_env(s);
  return SIXER_OK;
}

static sixer_err do_look(serve_session *s, sixer_error *error) {
  if (s->vec) return serve_vec_look(s, error);
  show_settings show = s->show;
  sixer_err err = message_check_keys(&s->request, "do|screen|ram", error);
  if (!err) err = message_get_choice(&s->request, "screen", SHOW_SCREENS, &show.screen, error);
  if (!err) err = message_get_flag(&s->request, "ram", &show.ram, error);
  if (err) return err;
  if (show.screen != SHOW_NONE && !sixer_env_screen(s->env))
    return sixer_fail(
        error, SIXER_ERR_PICTURE,
        "the screen is not known: make the environment with a screen, and step it after a state "
        "without a picture");
  begin(s);
  show_env(&s->reply, s->env, &show);
  return SIXER_OK;
}

/* ---- States ---------------------------------------------------------------------------------------------------- */

static sixer_err do_save(serve_session *s, sixer_error *error) {
  if (s->vec) return serve_vec_save(s, error);
  bool picture = false;
  sixer_err err = message_check_keys(&s->request, "do|picture", error);
  if (!err) err = message_get_flag(&s->request, "picture", &picture, error);
  if (err) return err;
  int flags = SIXER_SAVE_CONTROLLER | (picture ? SIXER_SAVE_PICTURE : 0);
  size_t size = sixer_env_state_size(s->env, flags);
  begin(s);
  uint8_t *room = message_put_room(&s->reply, "state", size);
  if (room) sixer_env_save(s->env, flags, room);
  message_pack_bytes(&s->reply, size);
  return SIXER_OK;
}

static sixer_err do_load(serve_session *s, sixer_error *error) {
  if (s->vec) return serve_vec_load(s, error);
  const uint8_t *state = NULL;
  size_t size = 0;
  sixer_err err = message_check_keys(&s->request, "do|state", error);
  if (!err) err = message_get_bytes(&s->request, "state", &state, &size, error);
  if (!err && !state) err = sixer_fail(error, SIXER_ERR_ARGUMENT, "'state' is missing");
  if (!err) err = sixer_env_load(s->env, state, size, error);
  if (err) return err;
  begin(s);
  reply_env(s);
  return SIXER_OK;
}

/* ---- The rest -------------------------------------------------------------------------------------------------- */

static sixer_err do_hello(serve_session *s, sixer_error *error) {
  int64_t version = SIXER_SERVE_PROTOCOL;
  sixer_err err = message_check_keys(&s->request, "do|protocol|saves", error);
  if (!err) err = message_get_int(&s->request, "protocol", 1, INT32_MAX, &version, error);
  if (err) return err;
  if (version != SIXER_SERVE_PROTOCOL)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "this is protocol %d, you ask for %d",
                      SIXER_SERVE_PROTOCOL, (int)version);
  begin(s);
  message_put_int(&s->reply, "protocol", SIXER_SERVE_PROTOCOL);
  message_put_text(&s->reply, "version", SIXER_VERSION);
  message_put_int(&s->reply, "behavior", SIXER_BEHAVIOR);
  return SIXER_OK;
}

static sixer_err do_palette(serve_session *s, sixer_error *error) {
  sixer_err err = message_check_keys(&s->request, "do", error);
  if (!err && !s->env)
    err = sixer_fail(error, SIXER_ERR_ARGUMENT, "a vector has no palette; ask for rgb");
  if (err) return err;
  int32_t colors[256];
  const uint32_t *palette = sixer_env_palette(s->env);
  for (int i = 0; i < 256; i++) colors[i] = (int32_t)palette[i];
  begin(s);
  message_put_ints(&s->reply, "colors", colors, 256);
  return SIXER_OK;
}

static sixer_err do_bye(serve_session *s, sixer_error *error) {
  sixer_err err = message_check_keys(&s->request, "do", error);
  if (err) return err;
  s->bye = true;
  begin(s);
  return SIXER_OK;
}

typedef struct verb {
  const char *name;
  bool needs_env;
  sixer_err (*run)(serve_session *s, sixer_error *error);
} verb;

static const verb verbs[] = {
    {"step", true, do_step},       {"reset", true, do_reset},  {"look", true, do_look},
    {"save", true, do_save},       {"load", true, do_load},    {"make", false, do_make},
    {"palette", true, do_palette}, {"hello", false, do_hello}, {"bye", false, do_bye}};

static sixer_err carry_out(serve_session *s, sixer_error *error) {
  const char *word = NULL;
  sixer_err err = message_get_text(&s->request, "do", &word, error);
  if (err) return err;
  if (!word)
    return sixer_fail(
        error, SIXER_ERR_ARGUMENT,
        "'do' is missing: make, reset, step, look, save, load, palette, hello or bye");
  for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
    if (strcmp(verbs[i].name, word) != 0) continue;
    if (verbs[i].needs_env && !s->env && !s->vec)
      return sixer_fail(error, SIXER_ERR_ARGUMENT,
                        "there is no environment yet: {\"do\": \"make\", \"game\": \"pong\"}");
    return verbs[i].run(s, error);
  }
  nearest close;
  nearest_begin(&close, word);
  for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
    nearest_offer(&close, verbs[i].name, strlen(verbs[i].name));
  return sixer_fail(
      error, SIXER_ERR_ARGUMENT,
      "there is nothing to do named '%.40s'%s; there are make, reset, step, look, save, load, "
      "palette, hello and bye",
      word, nearest_hint(&close));
}

static sixer_err answer(serve_session *s, sixer_error *error) {
  sixer_err err = message_end(&s->reply, error);
  return err ? err : message_send(&s->stream, &s->reply, error);
}

sixer_err serve_session_run(serve_session *s, sixer_error *error) {
  sixer_error inner;
  sixer_err err = SIXER_OK;
  s->stream.limit = (size_t)s->settings.max_bytes;
  while (!err && !s->bye) {
    message_status status = message_receive(&s->stream, &s->request, &inner);
    if (status == MESSAGE_CLOSED) {
      if (inner.code == SIXER_OK) break;
      err = sixer_fail(error, inner.code, "%s", inner.message);
      /* a client that sent too much is told; whether it listens does not matter */
      refuse(s, &inner);
      if (inner.code == SIXER_ERR_ARGUMENT) answer(s, NULL);
      break;
    }
    if (status == MESSAGE_BAD || carry_out(s, &inner)) refuse(s, &inner);
    err = answer(s, error);
  }
  free_env(s);
  message_free(&s->request);
  message_writer_free(&s->reply);
  message_stream_free(&s->stream);
  return err;
}

/* ---- Descriptors ----------------------------------------------------------------------------------------------- */

typedef struct descriptors {
  int in, out;
} descriptors;

static ptrdiff_t read_some(void *context, void *bytes, size_t size) {
  const descriptors *d = context;
  ptrdiff_t count;
  do count = os_read(d->in, bytes, size);
  while (count < 0 && errno == EINTR);
  return count;
}

static bool write_all(void *context, const void *bytes, size_t size) {
  const descriptors *d = context;
  for (const char *at = bytes; size > 0;) {
    ptrdiff_t count = os_write(d->out, at, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= (size_t)count;
  }
  return true;
}

sixer_err sixer_serve_talk(int in, int out, const sixer_serve_settings *settings,
                           sixer_error *error) {
  if (settings->cookie != COOKIE || settings->max_envs < 1 || settings->max_bytes < 64 ||
      settings->max_bytes > 1 << 30)
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "these settings were not made by sixer_serve_settings_default()");
  serve_session *s = calloc(1, sizeof *s);
  if (!s) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  descriptors d = {in, out};
  s->settings = *settings;
  s->stream = (message_stream){.context = &d, .read = read_some, .write = write_all};
  sixer_err err = serve_session_run(s, error);
  free(s);
  return err;
}
