/* Saved states: one run of bytes.
 *
 *   header | episode | variables of the game | console [+ cartridge memory] | [controller] | [seats] | [pictures]
 *
 * Only states of envs with the rules for several players have seats, and only they have layout 3: states of all others
 * are what they were before there was such a part.
 * All numbers are little-endian and of fixed width, so a state may be stored and read elsewhere. Loading accepts only
 * values that play can reach (console_check.c); other bytes are refused before anything is changed. */
#include "env/state.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "env/pictures.h"
#include "sixer/players.h"
#include "util/little.h"

enum {
  PICTURE_UNKNOWN = 4, /* flag in the header: the bytes of the picture are meaningless */
  SEATED = 8           /* the state is of an env with the rules for several players */
};
enum { MAGIC = 0x52585336 /* "6SXR" */, LAYOUT = 2, LAYOUT_SEATED = 3, OLDEST_LAYOUT = 1 };

typedef struct header {
  uint32_t magic;
  uint16_t layout, flags;
  uint32_t behavior, size;
  char rom[16]; /* first half of the image's MD5 in hex */
} header;

_Static_assert(sizeof(header) == 32, "layout changed: raise LAYOUT");
static const little_run header_form[] = {{4, 1}, {2, 2}, {4, 2}, {1, 16}, {0, 0}};
static const little_run episode_form[] = {{8, 2}, {4, 10}, {0, 0}};
static const little_run controller_form[] = {{4, MT_WORDS + 5}, {1, 4}, {8, 5}, {0, 0}};
_Static_assert(sizeof(episode) == 56, "layout changed: raise LAYOUT");
_Static_assert(sizeof(console) == 336, "layout changed: raise LAYOUT");

/* What envs with the rules for several players add. */
typedef struct saved_seats {
  int32_t dialect, players;
  int32_t paddle[2];      /* ohms of paddles 3 and 4 */
  int32_t last_action[2]; /* remembered, of players 3 and 4; NOOP without SIXER_SAVE_CONTROLLER */
  float last_strength[2];
  int32_t executed[SIXER_PLAYERS_MAX - 1], pad;
  int64_t score[SIXER_PLAYERS_MAX - 1];
} saved_seats;
_Static_assert(sizeof(saved_seats) == 72, "layout changed: raise LAYOUT_SEATED");
static const little_run seats_form[] = {{4, 12}, {8, 3}, {0, 0}};

/* Copy a struct into a state, and from it. */
static void put(uint8_t *out, const void *from, size_t size, const little_run *form) {
  memcpy(out, from, size);
  little_structs(out, 1, size, form);
}

static void get(void *to, const uint8_t *in, size_t size, const little_run *form) {
  memcpy(to, in, size);
  little_structs(to, 1, size, form);
}

static header get_header(const void *state) {
  header h;
  get(&h, state, sizeof h, header_form);
  return h;
}

typedef struct parts {
  size_t vars, console, controller, seats, pictures, total;
} parts;

static parts layout_of(const sixer_rom *rom, const game *rules, int flags) {
  parts p = {.vars = sizeof(header) + sizeof(episode)};
  p.console = p.vars + (rules ? (size_t)game_var_count(rules) * sizeof(int32_t) : 0);
  p.controller = p.console + sizeof(console) + rom->cart.xram_size;
  p.seats = p.controller + (flags & SIXER_SAVE_CONTROLLER ? sizeof(controller) : 0);
  p.pictures = p.seats + (flags & SEATED ? sizeof(saved_seats) : 0);
  p.total = p.pictures + (flags & SIXER_SAVE_PICTURE ? 2 * SCREEN_WIDTH * SCREEN_MAX_LINES : 0);
  return p;
}

static parts layout(const sixer_env *env, int flags) {
  return layout_of(env->rom, env->rules, (flags & ~SEATED) | (env->seated ? SEATED : 0));
}

size_t rom_state_size(const sixer_rom *rom, int flags) {
  return layout_of(rom, rom->game, flags).total;
}

size_t sixer_env_state_size(const sixer_env *env, int flags) { return layout(env, flags).total; }

static void save_seats(const sixer_env *env, int flags, uint8_t *out) {
  const env_seats *from = &env->seats;
  saved_seats s = {.dialect = env->config.dialect, .players = env->players};
  memcpy(s.paddle, from->paddle, sizeof s.paddle);
  memcpy(s.executed, from->executed, sizeof s.executed);
  memcpy(s.score, from->score, sizeof s.score);
  if (flags & SIXER_SAVE_CONTROLLER) {
    memcpy(s.last_action, from->last_action, sizeof s.last_action);
    memcpy(s.last_strength, from->last_strength, sizeof s.last_strength);
  }
  put(out, &s, sizeof s, seats_form);
}

void sixer_env_save(const sixer_env *env, int flags, void *state) {
  const sixer_rom *rom = env->rom;
  parts p = layout(env, flags);
  uint8_t *out = state;
  bool unknown = flags & SIXER_SAVE_PICTURE && !env->picture_known;
  uint16_t kept =
      (uint16_t)((flags & 3) | (unknown ? PICTURE_UNKNOWN : 0) | (env->seated ? SEATED : 0));
  header h = {MAGIC, env->seated ? LAYOUT_SEATED : LAYOUT, kept, SIXER_BEHAVIOR, (uint32_t)p.total,
              {0}};
  memcpy(h.rom, rom->md5, sizeof h.rom);
  put(out, &h, sizeof h, header_form);
  put(out + sizeof h, &env->now, sizeof env->now, episode_form);
  memcpy(out + p.vars, env->vars, p.console - p.vars);
  little_numbers(out + p.vars, (p.console - p.vars) / sizeof(int32_t), sizeof(int32_t));
  memcpy(out + p.console, env->m.c, p.controller - p.console);
  console_little(&rom->cart, out + p.console);
  if (flags & SIXER_SAVE_CONTROLLER)
    put(out + p.controller, &env->control, sizeof env->control, controller_form);
  if (env->seated) save_seats(env, flags, out + p.seats);
  if (flags & SIXER_SAVE_PICTURE) {
    size_t picture = SCREEN_WIDTH * SCREEN_MAX_LINES;
    /* draw pictures that were not needed so far; this fills a buffer and changes no state, hence the cast */
    for (int i = 0; env->pictures && i < 2; i++) pictures_show((sixer_env *)env, i);
    memcpy(out + p.pictures, machine_picture(&env->m, env->m.current), picture);
    memcpy(out + p.pictures + picture, machine_picture(&env->m, env->m.current ^ 1), picture);
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
  if (env->seated) {
    if (!env_has_mode(env, e->mode)) return false;
  } else if (e->mode != sixer_rom_default_mode(rom) && !has(sixer_rom_modes(rom), e->mode)) {
    return false;
  }
  if (e->difficulty != 0 && !has(sixer_rom_difficulties(rom), e->difficulty)) return false;
  return e->level >= 0 && e->level < sixer_rom_level_count(rom) && e->paddle[0] >= 0 &&
         e->paddle[1] >= 0 && e->executed >= 0 && e->executed < SIXER_ACTION_COUNT &&
         e->frames >= 0 && e->frames < far && e->score > -far && e->score < far &&
         e->episode_frames >= 0 && e->since_reward >= 0 && e->pad == 0;
}

static bool seats_fit(const sixer_env *env, const saved_seats *s, const episode *e) {
  const int64_t far = (int64_t)1 << 62;
  int players = env->config.players
                    ? env->config.players
                    : game_players_of_mode(env->rules, env->config.dialect, e->mode);
  bool fits = s->players == players && s->pad == 0;
  for (int i = 0; i < 2; i++) {
    fits = fits && s->paddle[i] >= 0 && s->last_action[i] >= 0 &&
           s->last_action[i] < SIXER_ACTION_COUNT;
  }
  for (int i = 0; i < SIXER_PLAYERS_MAX - 1; i++) {
    fits = fits && s->executed[i] >= 0 && s->executed[i] < SIXER_ACTION_COUNT &&
           s->score[i] > -far && s->score[i] < far;
  }
  return fits;
}

static sixer_err damaged(sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_STATE,
                    "the state is damaged: it holds values that cannot occur");
}

/* Is the state of this number of players and this dialect? `in` are its bytes. Never if only one of state and env has
 * the rules for several players: those for one go with dialect sixer and one player, and with nothing else. */
static sixer_err check_seats(const sixer_env *env, const uint8_t *in, size_t size, int flags,
                             sixer_error *error) {
  const sixer_rom *rom = env->rom;
  const game *rules = rom->game ? game_players(rom->game) : NULL;
  saved_seats s = {.dialect = SIXER_DIALECT_SIXER, .players = 1};
  if (flags & SEATED) {
    size_t at = layout_of(rom, rules, flags).seats;
    if (size < at + sizeof s) return damaged(error);
    get(&s, in + at, sizeof s, seats_form);
  }
  const char *name = sixer_dialect_name((sixer_dialect)s.dialect);
  const bool plain = s.dialect == SIXER_DIALECT_SIXER && s.players == 1;
  if (!name || s.players < 1 || s.players > SIXER_PLAYERS_MAX || plain == ((flags & SEATED) != 0))
    return damaged(error);
  if (s.dialect == (int32_t)env->config.dialect &&
      (env->config.players == 0 || s.players == env->config.players))
    return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_STATE,
                    "the state is of %d player%s in dialect %s, this env of %d in dialect %s",
                    s.players, s.players == 1 ? "" : "s", name, env->players,
                    sixer_dialect_name(env->config.dialect));
}

/* The header of a state, whose bytes are `in`. */
static sixer_err check_header(const sixer_env *env, const header *h, const uint8_t *in, size_t size,
                              sixer_error *error) {
  if (h->magic != MAGIC)
    return sixer_fail(error, SIXER_ERR_STATE, "these bytes are not a saved state of sixer");
  bool seated = h->layout == LAYOUT_SEATED;
  if (h->layout < OLDEST_LAYOUT || h->layout > LAYOUT_SEATED || h->behavior != SIXER_BEHAVIOR ||
      seated != ((h->flags & SEATED) != 0)) {
    return sixer_fail(error, SIXER_ERR_STATE,
                      "the state has layout %u and behavior %u, this library %d and %d", h->layout,
                      h->behavior, env->seated ? LAYOUT_SEATED : LAYOUT, SIXER_BEHAVIOR);
  }
  if (memcmp(h->rom, env->rom->md5, sizeof h->rom) != 0) {
    return sixer_fail(error, SIXER_ERR_STATE,
                      "the state is of another game: its image has MD5 %.16s..., this one %.16s...",
                      h->rom, env->rom->md5);
  }
  if (seated != env->seated) return check_seats(env, in, size, h->flags, error);
  size_t expected = layout(env, h->flags).total;
  if (h->flags > 15 || size != expected || h->size != expected) {
    return sixer_fail(error, SIXER_ERR_STATE, "the state has %zu bytes and should have %zu", size,
                      expected);
  }
  return SIXER_OK;
}

bool env_state_is(const void *state, size_t size) {
  return size >= sizeof(header) && get_header(state).magic == MAGIC;
}

bool env_state_has_picture(const void *state) {
  return get_header(state).flags & SIXER_SAVE_PICTURE;
}

bool env_console_fits(const sixer_env *env, const console *c) { return machine_fits(&env->m, c); }

sixer_err env_state_check(const sixer_env *env, const void *state, size_t size,
                          sixer_error *error) {
  const uint8_t *in = state;
  header h;
  if (size < sizeof h)
    return sixer_fail(error, SIXER_ERR_STATE, "%zu bytes are too few for a saved state", size);
  h = get_header(in);
  sixer_err err = check_header(env, &h, in, size, error);
  if (err) return err;
  if (env->seated && (err = check_seats(env, in, size, h.flags, error))) return err;
  parts p = layout(env, h.flags);
  episode now;
  console fixed;
  get(&now, in + sizeof h, sizeof now, episode_form);
  memcpy(&fixed, in + p.console, sizeof fixed);
  console_little(&env->rom->cart, &fixed);
  if (h.layout == 1) console_from_layout_1(&fixed);
  bool fits = episode_fits(env, &now) && env_console_fits(env, &fixed);
  if (h.flags & SIXER_SAVE_CONTROLLER) {
    controller control;
    get(&control, in + p.controller, sizeof control, controller_form);
    fits = fits && controller_fits(&control);
  }
  if (fits && env->seated) {
    saved_seats seats;
    get(&seats, in + p.seats, sizeof seats, seats_form);
    fits = seats_fit(env, &seats, &now);
  }
  return fits ? SIXER_OK : damaged(error);
}

static void apply_seats(sixer_env *env, const uint8_t *in, int flags) {
  env_seats *to = &env->seats;
  saved_seats s;
  get(&s, in, sizeof s, seats_form);
  memcpy(to->paddle, s.paddle, sizeof s.paddle);
  memcpy(to->executed, s.executed, sizeof s.executed);
  memcpy(to->score, s.score, sizeof s.score);
  if (flags & SIXER_SAVE_CONTROLLER) {
    memcpy(to->last_action, s.last_action, sizeof s.last_action);
    memcpy(to->last_strength, s.last_strength, sizeof s.last_strength);
  }
  seats_begin(env);
  env_mode_changed(env);
}

void env_state_apply(sixer_env *env, const void *state, bool all_vars) {
  const uint8_t *in = state;
  const header h = get_header(in);
  parts p = layout(env, h.flags);
  get(&env->now, in + sizeof h, sizeof env->now, episode_form);
  if (env->seated) apply_seats(env, in + p.seats, h.flags);
  if (env->rules) {
    int32_t vars[GAME_MAX_VARS];
    memcpy(vars, in + p.vars, p.console - p.vars);
    little_numbers(vars, (p.console - p.vars) / sizeof *vars, sizeof *vars);
    if (all_vars)
      memcpy(env->vars, vars, p.console - p.vars);
    else
      game_restore(env->rules, env->vars, vars);
  }
  memcpy(env->m.c, in + p.console, p.controller - p.console);
  console_little(&env->rom->cart, env->m.c);
  if (h.layout == 1) console_from_layout_1(env->m.c);
  machine_restored(&env->m);
  if (h.flags & SIXER_SAVE_CONTROLLER)
    get(&env->control, in + p.controller, sizeof env->control, controller_form);
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
  console_little(&rom->cart, out);
  memset(out + size, 0, at - size);
  put(out + at, &env->now, sizeof env->now, episode_form);
  at += sizeof env->now;
  memcpy(out + at, env->vars, vars_size(rom));
  little_numbers(out + at, vars_size(rom) / sizeof(int32_t), sizeof(int32_t));
  at += vars_size(rom);
  memset(out + at, 0, env_snapshot_size(rom) - at);
}

void env_snapshot_load(sixer_env *env, const void *snapshot) {
  const sixer_rom *rom = env->rom;
  const uint8_t *in = snapshot;
  memcpy(env->m.c, in, sizeof(console) + rom->cart.xram_size);
  console_little(&rom->cart, env->m.c);
  in += console_size(rom);
  get(&env->now, in, sizeof env->now, episode_form);
  memcpy(env->vars, in + sizeof env->now, vars_size(rom));
  little_numbers(env->vars, vars_size(rom) / sizeof(int32_t), sizeof(int32_t));
  machine_restored(&env->m);
  env->picture_known = env->blended = false;
}

bool env_snapshot_fits(const sixer_env *env, const void *snapshot) {
  console fixed;
  episode now;
  memcpy(&fixed, snapshot, sizeof fixed);
  console_little(&env->rom->cart, &fixed);
  get(&now, (const uint8_t *)snapshot + console_size(env->rom), sizeof now, episode_form);
  return env_console_fits(env, &fixed) && episode_fits(env, &now);
}
