/* Saved states: one run of bytes.
 *
 *   header | episode | variables of the game | console [+ cartridge memory] | [controller] | [pictures]
 *
 * All numbers are little-endian and of fixed width, so a state may be stored and read elsewhere. Loading accepts only
 * values that play can reach (console_check.c); other bytes are refused before anything is changed. */
#include "env/state.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "env/pictures.h"

enum { PICTURE_UNKNOWN = 4 /* flag in the header: the bytes of the picture are meaningless */ };
enum { MAGIC = 0x52585336 /* "6SXR" */, LAYOUT = 2, OLDEST_LAYOUT = 1 };

typedef struct header {
  uint32_t magic;
  uint16_t layout, flags;
  uint32_t behavior, size;
  char rom[16]; /* first half of the image's MD5 in hex */
} header;

_Static_assert(sizeof(header) == 32, "layout changed: raise LAYOUT");
_Static_assert(sizeof(episode) == 56, "layout changed: raise LAYOUT");
_Static_assert(sizeof(console) == 336, "layout changed: raise LAYOUT");

typedef struct parts {
  size_t vars, console, controller, pictures, total;
} parts;

static parts layout(const sixer_rom *rom, int flags) {
  parts p = {.vars = sizeof(header) + sizeof(episode)};
  p.console = p.vars + (rom->game ? (size_t)game_var_count(rom->game) * sizeof(int32_t) : 0);
  p.controller = p.console + sizeof(console) + rom->cart.xram_size;
  p.pictures = p.controller + (flags & SIXER_SAVE_CONTROLLER ? sizeof(controller) : 0);
  p.total = p.pictures + (flags & SIXER_SAVE_PICTURE ? 2 * SCREEN_WIDTH * SCREEN_MAX_LINES : 0);
  return p;
}

size_t env_state_size(const sixer_rom *rom, int flags) { return layout(rom, flags).total; }

size_t sixer_env_state_size(const sixer_env *env, int flags) {
  return layout(env->rom, flags).total;
}

void sixer_env_save(const sixer_env *env, int flags, void *state) {
  const sixer_rom *rom = env->rom;
  parts p = layout(rom, flags);
  uint8_t *out = state;
  bool unknown = flags & SIXER_SAVE_PICTURE && !env->picture_known;
  uint16_t kept = (uint16_t)((flags & 3) | (unknown ? PICTURE_UNKNOWN : 0));
  header h = {MAGIC, LAYOUT, kept, SIXER_BEHAVIOR, (uint32_t)p.total, {0}};
  memcpy(h.rom, rom->md5, sizeof h.rom);
  memcpy(out, &h, sizeof h);
  memcpy(out + sizeof h, &env->now, sizeof env->now);
  memcpy(out + p.vars, env->vars, p.console - p.vars);
  memcpy(out + p.console, env->m.c, p.controller - p.console);
  if (flags & SIXER_SAVE_CONTROLLER) memcpy(out + p.controller, &env->control, sizeof env->control);
  if (flags & SIXER_SAVE_PICTURE) {
    size_t picture = SCREEN_WIDTH * SCREEN_MAX_LINES;
    /* draw pictures that were not needed so far; this fills a buffer and changes no state, hence the cast */
    for (int i = 0; env->pictures && i < 2; i++) pictures_show((sixer_env *)env, i);
    memcpy(out + p.pictures, env->m.picture[env->m.current], picture);
    memcpy(out + p.pictures + picture, env->m.picture[env->m.current ^ 1], picture);
  }
}

/* ---- Loading --------------------------------------------------------------------------------------------------- */

static bool controller_fits(const controller *c) {
  return c->rng.index <= MT_WORDS && c->last_action[0] >= 0 &&
         c->last_action[0] < SIXER_ACTION_COUNT && c->last_action[1] >= ACTION_B &&
         c->last_action[1] < ACTION_B + SIXER_ACTION_COUNT;
}

static bool has(sixer_list list, int value) {
  for (int i = 0; i < list.count; i++) {
    if (list.items[i] == value) return true;
  }
  return false;
}

static bool episode_fits(const sixer_env *env, const episode *e) {
  /* so far from the ends of 64 bits that no play overflows */
  const int64_t far = (int64_t)1 << 62;
  const sixer_rom *rom = env->rom;
  if (e->mode != sixer_rom_default_mode(rom) && !has(sixer_rom_modes(rom), e->mode)) return false;
  if (e->difficulty != 0 && !has(sixer_rom_difficulties(rom), e->difficulty)) return false;
  return e->level >= 0 && e->level < sixer_rom_level_count(rom) && e->paddle[0] >= 0 &&
         e->paddle[1] >= 0 && e->executed >= 0 && e->executed < SIXER_ACTION_COUNT &&
         e->frames >= 0 && e->frames < far && e->score > -far && e->score < far &&
         e->episode_frames >= 0 && e->since_reward >= 0 && e->pad == 0;
}

static sixer_err check_header(const sixer_env *env, const header *h, size_t size,
                              sixer_error *error) {
  if (h->magic != MAGIC)
    return sixer_fail(error, SIXER_ERR_STATE, "these bytes are not a saved state of sixer");
  if (h->layout < OLDEST_LAYOUT || h->layout > LAYOUT || h->behavior != SIXER_BEHAVIOR) {
    return sixer_fail(error, SIXER_ERR_STATE,
                      "the state has layout %u and behavior %u, this library %d and %d", h->layout,
                      h->behavior, LAYOUT, SIXER_BEHAVIOR);
  }
  if (memcmp(h->rom, env->rom->md5, sizeof h->rom) != 0) {
    return sixer_fail(error, SIXER_ERR_STATE,
                      "the state is of another game: its image has MD5 %.16s..., this one %.16s...",
                      h->rom, env->rom->md5);
  }
  size_t expected = layout(env->rom, h->flags).total;
  if (h->flags > 7 || size != expected || h->size != expected) {
    return sixer_fail(error, SIXER_ERR_STATE, "the state has %zu bytes and should have %zu", size,
                      expected);
  }
  return SIXER_OK;
}

bool env_state_is(const void *state, size_t size) {
  header h;
  if (size < sizeof h) return false;
  memcpy(&h, state, sizeof h);
  return h.magic == MAGIC;
}

bool env_state_has_picture(const void *state) {
  header h;
  memcpy(&h, state, sizeof h);
  return h.flags & SIXER_SAVE_PICTURE;
}

bool env_console_fits(const sixer_env *env, const console *c) { return machine_fits(&env->m, c); }

sixer_err env_state_check(const sixer_env *env, const void *state, size_t size,
                          sixer_error *error) {
  const uint8_t *in = state;
  header h;
  if (size < sizeof h)
    return sixer_fail(error, SIXER_ERR_STATE, "%zu bytes are too few for a saved state", size);
  memcpy(&h, in, sizeof h);
  sixer_err err = check_header(env, &h, size, error);
  if (err) return err;
  parts p = layout(env->rom, h.flags);
  episode now;
  console fixed;
  memcpy(&now, in + sizeof h, sizeof now);
  memcpy(&fixed, in + p.console, sizeof fixed);
  if (h.layout == 1) console_from_layout_1(&fixed);
  bool fits = episode_fits(env, &now) && env_console_fits(env, &fixed);
  if (h.flags & SIXER_SAVE_CONTROLLER) {
    controller control;
    memcpy(&control, in + p.controller, sizeof control);
    fits = fits && controller_fits(&control);
  }
  return fits ? SIXER_OK
              : sixer_fail(error, SIXER_ERR_STATE,
                           "the state is damaged: it holds values that cannot occur");
}

void env_state_apply(sixer_env *env, const void *state, bool all_vars) {
  const uint8_t *in = state;
  header h;
  memcpy(&h, in, sizeof h);
  parts p = layout(env->rom, h.flags);
  memcpy(&env->now, in + sizeof h, sizeof env->now);
  if (env->rom->game) {
    int32_t vars[GAME_MAX_VARS];
    memcpy(vars, in + p.vars, p.console - p.vars);
    if (all_vars)
      memcpy(env->vars, vars, p.console - p.vars);
    else
      game_restore(env->rom->game, env->vars, vars);
  }
  memcpy(env->m.c, in + p.console, p.controller - p.console);
  if (h.layout == 1) console_from_layout_1(env->m.c);
  machine_restored(&env->m);
  if (h.flags & SIXER_SAVE_CONTROLLER)
    memcpy(&env->control, in + p.controller, sizeof env->control);
  env->picture_known = (h.flags & (SIXER_SAVE_PICTURE | PICTURE_UNKNOWN)) == SIXER_SAVE_PICTURE &&
                       env->config.picture;
  env->blended = false;
  if (h.flags & SIXER_SAVE_PICTURE) {
    size_t picture = SCREEN_WIDTH * SCREEN_MAX_LINES;
    memcpy(env->m.picture[env->m.current], in + p.pictures, picture);
    memcpy(env->m.picture[env->m.current ^ 1], in + p.pictures + picture, picture);
    for (int i = 0; i < 2; i++) {
      machine_picture_replaced(&env->m, i);
      if (env->pictures) pictures_replaced(env, i);
    }
  }
}

sixer_err sixer_env_load(sixer_env *env, const void *state, size_t size, sixer_error *error) {
  /* check everything before changing anything */
  sixer_err err = env_state_check(env, state, size, error);
  if (!err) env_state_apply(env, state, false);
  return err;
}

/* ---- Snapshots ------------------------------------------------------------------------------------------------- */

/* console [+ cartridge memory], padded | episode | variables */
static size_t console_size(const sixer_rom *rom) {
  return (sizeof(console) + rom->cart.xram_size + 7) & ~(size_t)7;
}

static size_t vars_size(const sixer_rom *rom) {
  return rom->game ? (size_t)game_var_count(rom->game) * sizeof(int32_t) : 0;
}

size_t env_snapshot_episode(const sixer_rom *rom) { return console_size(rom); }

size_t env_snapshot_ram(const sixer_rom *rom) {
  (void)rom; /* at the same place for all cartridges */
  return offsetof(console, ram);
}

size_t env_snapshot_size(const sixer_rom *rom) {
  return (console_size(rom) + sizeof(episode) + vars_size(rom) + 7) & ~(size_t)7;
}

void env_snapshot_take(const sixer_env *env, void *snapshot) {
  const sixer_rom *rom = env->rom;
  uint8_t *out = snapshot;
  size_t size = sizeof(console) + rom->cart.xram_size, at = console_size(rom);
  memcpy(out, env->m.c, size);
  memset(out + size, 0, at - size);
  memcpy(out + at, &env->now, sizeof env->now);
  at += sizeof env->now;
  memcpy(out + at, env->vars, vars_size(rom));
  at += vars_size(rom);
  memset(out + at, 0, env_snapshot_size(rom) - at);
}

void env_snapshot_load(sixer_env *env, const void *snapshot) {
  const sixer_rom *rom = env->rom;
  const uint8_t *in = snapshot;
  memcpy(env->m.c, in, sizeof(console) + rom->cart.xram_size);
  in += console_size(rom);
  memcpy(&env->now, in, sizeof env->now);
  memcpy(env->vars, in + sizeof env->now, vars_size(rom));
  machine_restored(&env->m);
  env->picture_known = env->blended = false;
}

bool env_snapshot_fits(const sixer_env *env, const void *snapshot) {
  console fixed;
  episode now;
  memcpy(&fixed, snapshot, sizeof fixed);
  memcpy(&now, (const uint8_t *)snapshot + console_size(env->rom), sizeof now);
  return env_console_fits(env, &fixed) && episode_fits(env, &now);
}
