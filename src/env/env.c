/* Environments: creation, reset, steps. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env/act.h"
#include "env/reset_cache.h"
#include "env/env.h"
#include "env/pictures.h"
#include "machine/jit.h"
#include "util/random.h"
#include "util/os.h"
#include "util/os_memory.h"

enum { COOKIE = 0x51AE2600, PADDLE_MIN = 27450, PADDLE_MAX = 790196, DETECT_FRAMES = 60 };

sixer_config sixer_config_default(void) {
  return (sixer_config){
      .cookie = COOKIE,
      .core = SIXER_CORE_AUTO,
      .seed = 0,
      .system_seed = 4753849,
      .sticky = 0.25f,
      .frame_skip = 1,
      .mode = SIXER_MODE_DEFAULT,
      .levels = 1,
      .reward_min = INT_MIN,
      .reward_max = INT_MAX,
      .picture = true,
      .paddle_min = -1,
      .paddle_max = -1,
      .players = 1,
      .turn_limit = SIXER_TURN_LIMIT_DEFAULT,
      .corrections = SIXER_CORRECTIONS_DEFAULT,
  };
}

const char *sixer_action_name(int action) {
  static const char *const names[SIXER_ACTION_COUNT] = {
      "NOOP",     "FIRE",     "UP",          "RIGHT",      "LEFT",          "DOWN",
      "UPRIGHT",  "UPLEFT",   "DOWNRIGHT",   "DOWNLEFT",   "UPFIRE",        "RIGHTFIRE",
      "LEFTFIRE", "DOWNFIRE", "UPRIGHTFIRE", "UPLEFTFIRE", "DOWNRIGHTFIRE", "DOWNLEFTFIRE"};
  return action >= 0 && action < SIXER_ACTION_COUNT ? names[action] : NULL;
}

/* ---- Random numbers that the reference does not have ----------------------------------------------------------- */

uint32_t stream_draw(draw_stream *stream) { return (uint32_t)(random_next(&stream->state) >> 32); }

int stream_below(draw_stream *stream, int count) {
  return (int)((uint64_t)stream_draw(stream) * (uint64_t)count >> 32);
}

double stream_real(draw_stream *stream) { return stream_draw(stream) / 4294967296.0; }

/* Each use of random numbers has a stream of its own, which depends on the seed and the stream's number only: drawing
 * from one does not change the others. */
static draw_stream make_stream(uint32_t seed, int number) {
  uint64_t state = (uint64_t)seed << 8 | (uint64_t)number;
  return (draw_stream){random_next(&state)};
}

void env_seed(sixer_env *env, uint32_t seed) {
  controller *c = &env->control;
  memset(c, 0, sizeof *c);
  mt_seed(&c->rng, seed);
  c->last_action[1] = ACTION_B;
  c->noop = make_stream(seed, 1);
  c->replace = make_stream(seed, 2);
  c->skip = make_stream(seed, 3);
  c->delay = make_stream(seed, 4);
  c->level = make_stream(seed, 5);
}

/* ---- Checking settings ----------------------------------------------------------------------------------------- */

static bool contains(sixer_list list, int value) {
  for (int i = 0; i < list.count; i++) {
    if (list.items[i] == value) return true;
  }
  return false;
}

static sixer_err bad_flavor(sixer_error *error, const sixer_rom *rom, const char *what, int value,
                            sixer_list list) {
  char text[300] = "";
  size_t at = 0;
  for (int i = 0; i < list.count && at < sizeof text - 16; i++) {
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%d", i ? ", " : "", list.items[i]);
    if (at >= sizeof text - 16 && i + 1 < list.count)
      snprintf(text + at, sizeof text - at, ", ...");
  }
  return sixer_fail(error, SIXER_ERR_FLAVOR, "%s has no %s %d; available: %s",
                    sixer_rom_describe(rom).title, what, value, text);
}

static sixer_err check_mode(const sixer_rom *rom, int mode, sixer_error *error) {
  sixer_list modes = sixer_rom_modes(rom);
  return contains(modes, mode) ? SIXER_OK : bad_flavor(error, rom, "mode", mode, modes);
}

static sixer_err check_difficulty(const sixer_rom *rom, int difficulty, sixer_error *error) {
  sixer_list list = sixer_rom_difficulties(rom);
  return contains(list, difficulty) ? SIXER_OK
                                    : bad_flavor(error, rom, "difficulty", difficulty, list);
}

static sixer_err check_levels(const sixer_rom *rom, int first, int count, sixer_error *error) {
  int levels = sixer_rom_level_count(rom);
  if (first >= 0 && count >= 1 && first < levels && count <= levels - first) return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_FLAVOR, "%s has levels 0 to %d, found %d and %d more",
                    sixer_rom_describe(rom).title, levels - 1, first, count - 1);
}

/* A step or a reset takes at most so many frames: settings may come from a file. */
enum { MAX_FRAMES = 10000 };

sixer_err env_check_config(const sixer_rom *rom, const sixer_config *c, sixer_error *error) {
  if (c->cookie != COOKIE) {
    return sixer_fail(error, SIXER_ERR_CONFIG, "the config was not made by sixer_config_default()");
  }
  if (!(c->sticky >= 0 && c->sticky <= 1)) {
    return sixer_fail(error, SIXER_ERR_CONFIG, "sticky is %g; a probability is 0 to 1",
                      (double)c->sticky);
  }
  if (!(c->random_action >= 0 && c->random_action <= 1)) {
    return sixer_fail(error, SIXER_ERR_CONFIG, "random_action is %g; a probability is 0 to 1",
                      (double)c->random_action);
  }
  if (c->frame_skip < 1 || c->frame_skip > MAX_FRAMES) {
    return sixer_fail(error, SIXER_ERR_CONFIG, "frame_skip is %d; it is 1 to %d", c->frame_skip,
                      MAX_FRAMES);
  }
  if (c->frame_skip_max && c->frame_skip_max < c->frame_skip) {
    return sixer_fail(error, SIXER_ERR_CONFIG, "frame_skip_max is %d, below frame_skip %d",
                      c->frame_skip_max, c->frame_skip);
  }
  if (c->frame_skip_max > MAX_FRAMES || c->noop_starts > MAX_FRAMES || c->delay_max > MAX_FRAMES) {
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "frame_skip_max, noop_starts and delay_max are at most %d, found %d, %d, %d",
                      MAX_FRAMES, c->frame_skip_max, c->noop_starts, c->delay_max);
  }
  if (c->paddle_min < -1 || c->paddle_max < -1) {
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "paddle_min and paddle_max are ohms, or -1 for the game's; found %d and %d",
                      c->paddle_min, c->paddle_max);
  }
  if (c->noop_starts < 0 || c->delay_max < 0 || c->stuck_limit < 0) {
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "noop_starts, delay_max and stuck_limit are 0 or more, found %d, %d, %d",
                      c->noop_starts, c->delay_max, c->stuck_limit);
  }
  const char *core = os_getenv("SIXER_CORE");
  if (c->core == SIXER_CORE_AUTO && core && *core && strcmp(core, "plain") != 0 &&
      strcmp(core, "interp") != 0 && strcmp(core, "jit") != 0) {
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "SIXER_CORE is '%s'; there are plain, interp and jit", core);
  }
  sixer_err err = check_levels(rom, c->level, c->levels, error);
  if (err) return err;
  if (c->core < SIXER_CORE_AUTO || c->core > SIXER_CORE_JIT) {
    return sixer_fail(error, SIXER_ERR_CONFIG, "there is no core %d", (int)c->core);
  }
  if (c->scoring != SIXER_SCORING_ALE && c->scoring != SIXER_SCORING_FIXED) {
    return sixer_fail(error, SIXER_ERR_CONFIG, "there is no scoring %d", (int)c->scoring);
  }
  err = env_check_players(rom, c, error);
  if (err) return err;
  bool alone = c->players == 1 && c->dialect == SIXER_DIALECT_SIXER;
  if (alone && c->mode != SIXER_MODE_DEFAULT && (err = check_mode(rom, c->mode, error))) return err;
  return c->difficulty == 0 ? SIXER_OK : check_difficulty(rom, c->difficulty, error);
}

/* The core that a config asks for. AUTO leaves it to $SIXER_CORE. */
static machine_core *chosen_core(const sixer_config *config) {
  const char *name = os_getenv("SIXER_CORE");
  sixer_core core = config->core;
  if (core == SIXER_CORE_AUTO && name && !strcmp(name, "plain")) core = SIXER_CORE_PLAIN;
  if (core == SIXER_CORE_AUTO && name && !strcmp(name, "interp")) core = SIXER_CORE_INTERP;
  if (core == SIXER_CORE_PLAIN || config->cycle_cpu) return machine_frame_plain;
  return core == SIXER_CORE_INTERP ? machine_frame_interp : machine_frame_jit;
}

/* ---- Creation -------------------------------------------------------------------------------------------------- */

static void set_television(sixer_env *env, const char *format) {
  machine_config *config = &env->m.config;
  const game_properties *p = &env->rom->properties;
  bool pal = !strncmp(format, "PAL", 3);
  env->format = format;
  config->first_line = p->first_line;
  config->lines = p->lines;
  /* the default window is too low for 50 Hz pictures */
  if ((!strcmp(format, "PAL") || !strcmp(format, "SECAM")) && p->lines == 210) config->lines = 250;
  /* a frame that a reset interrupts goes on at the top of the buffer, above the window */
  if (config->lines > SCREEN_MAX_LINES - p->first_line)
    config->lines = SCREEN_MAX_LINES - p->first_line;
  config->max_lines = pal ? 342 : 290;
  config->color_loss = pal;
  env->height = config->lines > 200 ? config->lines : 200;
}

static void reset_console(sixer_env *env) {
  machine_reset(&env->m);
  if (env->seated) seats_console_reset(env);
  if (env->pictures) pictures_clear(env);
}

/* Run with no inputs and count long frames. */
static const char *detect_format(sixer_env *env) {
  int long_frames = 0;
  reset_console(env);
  for (int i = 0; i < DETECT_FRAMES; i++) {
    env_run_frame(env);
    if (i >= DETECT_FRAMES / 2 && machine_scanlines(&env->m) > 285) long_frames++;
  }
  return long_frames >= 15 ? "PAL" : "NTSC";
}

/* Build the console as the reference does: power, detection of the format, reset. */
static void power_on(sixer_env *env, uint32_t seed) {
  const game_properties *p = &env->rom->properties;
  env->m.config.hmove_blanks = !p->no_hmove_blanks;
  env->m.config.cycle_cpu = env->config.cycle_cpu;
  env_release_inputs(env);
  machine_power_on(&env->m, seed);
  set_television(env, "NTSC");
  if (p->format) {
    set_television(env, p->format);
  } else {
    env->m.config.lines = p->lines;
    set_television(env, detect_format(env));
  }
  reset_console(env);
}

enum { PICTURE_SIZE = SCREEN_WIDTH * SCREEN_MAX_LINES };

/* Bytes of pictures and working memory: they are used at random and all the time, so they share large pages. */
size_t env_scratch_size(bool screen, int envs) {
  const size_t pages = OS_LARGE_PAGE,
               bytes = (screen ? 3 : 2) * PICTURE_SIZE + machine_work_size(envs);
  return (bytes + pages - 1) / pages * pages;
}

sixer_err env_scratch_make(env_scratch *scratch, bool screen, int envs, sixer_error *error) {
  *scratch = (env_scratch){0};
  scratch->size = env_scratch_size(screen, envs);
  uint8_t *memory = os_pages_take_large(scratch->size);
  if (!memory) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for pictures and lines");
  scratch->work = (struct tia_work *)(void *)memory;
  machine_work_init(scratch->work, envs);
  scratch->picture[0] = memory + scratch->size - (screen ? 3 : 2) * PICTURE_SIZE;
  scratch->picture[1] = scratch->picture[0] + PICTURE_SIZE;
  if (screen) scratch->screen = scratch->picture[1] + PICTURE_SIZE;
  return SIXER_OK;
}

/* The translator for a cartridge, created on first use. NULL if the processor or memory does not allow one; then the
 * interpreter runs. */
static jit *scratch_jit(env_scratch *scratch, const cartridge *cart) {
  for (int i = 0; i < scratch->jit_count; i++) {
    if (jit_is_for(scratch->jits[i], cart)) return scratch->jits[i];
  }
  size_t size = jit_size(cart);
  if (!size) return NULL;
  jit **jits = realloc(scratch->jits, (size_t)(scratch->jit_count + 1) * sizeof *jits);
  if (!jits) return NULL;
  scratch->jits = jits;
  jit *j = calloc(1, size);
  if (!j || !jit_open(j, cart)) {
    free(j);
    return NULL;
  }
  scratch->jit_memory += jit_memory(j);
  return jits[scratch->jit_count++] = j;
}

void env_scratch_free(env_scratch *scratch) {
  for (int i = 0; i < scratch->jit_count; i++) {
    jit_close(scratch->jits[i]);
    free(scratch->jits[i]);
  }
  free(scratch->jits);
  if (scratch->work) os_pages_free(scratch->work, scratch->size);
  *scratch = (env_scratch){0};
}

void env_lend(sixer_env *env, env_scratch *scratch) {
  if (env->run_frame == machine_frame_jit) env->m.jit = scratch_jit(scratch, env->m.cart);
  machine_lend(&env->m, scratch->picture, scratch->work);
  env->screen = scratch->screen;
  env->blended = false;
}

/* Set whether there are paddles, and their limits: the config's, else the game's, else the common ones. */
static void set_paddles(sixer_env *env) {
  const sixer_rom *rom = env->rom;
  const sixer_config *config = &env->config;
  const game_properties *rules = rom->game ? game_console(rom->game) : &rom->properties;
  int paddle_min = config->paddle_min != -1 ? config->paddle_min : rules->paddle_min;
  int paddle_max = config->paddle_max != -1 ? config->paddle_max : rules->paddle_max;
  env->paddles = rom->properties.left_paddles || rom->properties.right_paddles;
  env->paddle_min = paddle_min != -1 && env->paddles ? paddle_min : PADDLE_MIN;
  env->paddle_max = paddle_max != -1 && env->paddles ? paddle_max : PADDLE_MAX;
}

void env_boot(sixer_env *env, uint32_t seed) {
  const sixer_config *config = &env->config;
  env->now = (episode){0};
  env->seats = (env_seats){0};
  env->m.current = 0;
  env->paddles = false;
  env_choose_rules(env);
  env->seated_up = false;
  /* dialect ma has one generator, which is seeded once more when the console has been built */
  power_on(env, config->dialect == SIXER_DIALECT_MA ? seed : config->system_seed);
  env->seated_up = true;
  set_paddles(env);
  env->now.mode = config->mode == SIXER_MODE_DEFAULT ? env_default_mode(env) : config->mode;
  env_mode_changed(env);
  env->now.difficulty = config->difficulty;
  env_seed(env, seed);
  audio_init(&env->audio);
  if (env->rules) {
    game_init(env->rules, env->vars);
    int turn = game_turn_variable(env->rules), limit = config->turn_limit;
    if (turn >= 0 && limit != SIXER_TURN_LIMIT_DEFAULT) env->vars[turn] = limit;
  }
  env->max_lives = env_lives(env);
  sixer_env_reset(env);
}

/* Create an env without buffers. */
static sixer_err create(const sixer_rom *rom, const sixer_config *config, sixer_env **out,
                        sixer_error *error) {
  sixer_err err = env_check_config(rom, config, error);
  if (err) return err;
  if (config->objects && chosen_core(config) == machine_frame_plain) {
    return sixer_fail(
        error, SIXER_ERR_CONFIG,
        "the plain core does not note objects: choose another core, without cycle_cpu");
  }
  sixer_env *env = calloc(1, sizeof *env);
  if (env) env->m.c = calloc(1, sizeof(console) + rom->cart.xram_size);
  if (env && config->objects) env->m.objects = env->objects = calloc(1, sizeof *env->objects);
  if (!env || !env->m.c || (config->objects && !env->objects)) {
    if (env) {
      free(env->m.c);
      free(env->objects);
    }
    free(env);
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for an environment");
  }
  env->rom = rom;
  env->config = *config;
  env->start_skip = config->frame_skip;
  env->m.cart = &rom->cart;
  env->m.draw = config->picture;
  env->run_frame = chosen_core(config);
  machine_attach(&env->m, env->run_frame);
  *out = env;
  return SIXER_OK;
}

static sixer_err own_pictures(sixer_env *env, sixer_error *error) {
  env->own_pictures = calloc(1, sizeof *env->own_pictures);
  if (!env->own_pictures) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for pictures");
  env->pictures = env->own_pictures;
  return pictures_make(env->pictures, env->rom, error);
}

sixer_err sixer_env_create(const sixer_rom *rom, const sixer_config *config, sixer_env **out,
                           sixer_error *error) {
  sixer_env *env;
  sixer_err err = create(rom, config, &env, error);
  if (err) return err;
  err = env_scratch_make(&env->own, config->color_averaging, 1, error);
  if (!err && config->picture) err = own_pictures(env, error);
  if (!err && config->color_averaging) {
    env->own_blend = calloc(1, sizeof *env->own_blend);
    if (!env->own_blend)
      err = sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for color averaging");
  }
  if (err) {
    sixer_env_destroy(env);
    return err;
  }
  env_lend(env, &env->own);
  env_boot(env, config->seed);
  palette_make(&env->colors, env->format);
  if (env->own_blend) palette_make_blend(&env->colors, env->own_blend);
  env->blend = env->own_blend;
  *out = env;
  return SIXER_OK;
}

void env_clone(sixer_env *to, const sixer_env *from) {
  /* keep the pointers and buffers that belong to this env */
  const machine m = to->m;
  const sixer_config config = to->config;
  const env_scratch own = to->own;
  struct env_pictures *pictures = to->pictures, *own_pictures = to->own_pictures;
  blend_table *own_blend = to->own_blend;
  uint8_t *screen = to->screen;
  const blend_table *blend = to->blend;
  tia_objects *objects = to->objects;
  *to = *from;
  to->config = config;
  to->own = own;
  to->pictures = pictures;
  to->own_pictures = own_pictures;
  to->own_blend = own_blend;
  to->screen = screen;
  to->blend = blend;
  to->objects = objects;
  if (objects && from->objects) *objects = *from->objects;
  to->m = m;
  machine_copy(&to->m, &from->m);
}

sixer_err env_create_lent(const sixer_rom *rom, const sixer_config *config, env_scratch *scratch,
                          struct env_pictures *pictures, sixer_env **out, sixer_error *error) {
  sixer_err err = create(rom, config, out, error);
  if (err) return err;
  sixer_env *env = *out;
  env->pictures = pictures;
  env->start_skip = 1;
  env_lend(env, scratch);
  env_boot(env, config->seed);
  palette_make(&env->colors, env->format);
  return SIXER_OK;
}

sixer_err env_create_like(const sixer_env *like, const sixer_config *config, env_scratch *scratch,
                          struct env_pictures *pictures, sixer_env **out, sixer_error *error) {
  sixer_err err = create(like->rom, config, out, error);
  if (err) return err;
  sixer_env *env = *out;
  env->pictures = pictures;
  env->start_skip = 1;
  env_lend(env, scratch);
  env_clone(env, like);
  env_seed(env, config->seed);
  return SIXER_OK;
}

void sixer_env_destroy(sixer_env *env) {
  if (!env) return;
  env_scratch_free(&env->own);
  if (env->own_pictures) pictures_free(env->own_pictures);
  free(env->own_pictures);
  free(env->m.c);
  free(env->own_blend);
  free(env->objects);
  free(env);
}

const sixer_rom *sixer_env_rom(const sixer_env *env) { return env->rom; }
const sixer_config *sixer_env_config(const sixer_env *env) { return &env->config; }

/* ---- Reset ----------------------------------------------------------------------------------------------------- */

static void host_press_select(void *env, int frames) { env_press_select(env, frames); }
static void host_soft_reset(void *env) { env_soft_reset(env); }
static uint32_t host_draw(void *env) { return mt_next(&((sixer_env *)env)->control.rng); }
static void host_poke(void *env, int address, uint8_t value) {
  sixer_env_set_ram(env, address & 0x7F, value);
}
static bool host_over(void *env) { return env_end(env) != SIXER_END_NONE; }
static void host_act(void *host, int action) {
  sixer_env *env = host;
  env_act act = act_begin(env, (sixer_input){.action_a = action, .strength_a = 1}, env->start_skip);
  /* dialect ma acts with two players here, whatever the mode */
  int players = env->players;
  if (env->seated) env->players = 2;
  act.shown = 0; /* more frames of the reset follow: draw none */
  act_finish(env, &act);
  env->players = players;
}
static void host_wait(void *env, int frames) { env_emulate(env, 0, ACTION_B, 1, 1, frames); }
static uint8_t host_peek(void *m, uint16_t address) { return machine_peek(m, address); }

static void select_mode(sixer_env *env) {
  const game_host host = {.env = env,
                          .press_select = host_press_select,
                          .act = host_act,
                          .wait = host_wait,
                          .soft_reset = host_soft_reset,
                          .draw = host_draw,
                          .poke = host_poke,
                          .over = host_over};
  const game_view view = {env->m.c->ram, host_peek, &env->m};
  game_select_players(env->rules, env->now.mode, env->now.level, env->vars, &view, &host,
                      env->config.dialect, env->corrections);
}

/* Emulate from the console's reset to the start of the game. */
static void start_up(sixer_env *env) {
  const game *g = env->rules;
  env_emulate(env, 0, ACTION_B, 1, 1, 60);
  env_soft_reset(env);
  if (g) {
    game_reset(g, env->vars);
    reset_record_game(env);
    select_mode(env);
  }
  env_soft_reset(env);
  sixer_list start = g ? game_start_actions(g) : (sixer_list){NULL, 0};
  for (int i = 0; i < start.count; i++) env_emulate(env, start.items[i], ACTION_B, 1, 1, 1);
  if (env->seated) seats_finish_reset(env);
}

void sixer_env_reset(sixer_env *env) {
  env->now.episode_frames = 0;
  env->now.since_reward = 0;
  env->now.executed = 0;
  env->now.level = env->config.level;
  if (env->config.levels > 1)
    env->now.level += stream_below(&env->control.level, env->config.levels);
  env_center_paddles(env);
  reset_console(env);
  if (!reset_cache_load(env)) {
    reset_record_begin(env);
    start_up(env);
    reset_record_end(env);
  }
  env->now.score = 0;
  env->now.since_reward = 0;
  if (env->config.noop_starts > 0) {
    int frames = stream_below(&env->control.noop, env->config.noop_starts + 1);
    for (int i = 0; i < frames && env_end(env) == SIXER_END_NONE; i++) {
      env_emulate(env, 0, ACTION_B, 1, 1, 1);
      env_count_frame(env);
      env->now.score += env->now.reward;
      for (int k = 1; k < env->players; k++)
        env->seats.score[k - 1] += game_reward_of(env->vars, k);
    }
  }
}

sixer_err sixer_env_set_mode(sixer_env *env, int mode, sixer_error *error) {
  sixer_err err =
      env->seated ? env_check_mode(env, mode, error) : check_mode(env->rom, mode, error);
  if (err) return err;
  env->now.mode = mode;
  env_mode_changed(env);
  return SIXER_OK;
}

sixer_err sixer_env_set_difficulty(sixer_env *env, int difficulty, sixer_error *error) {
  sixer_err err = check_difficulty(env->rom, difficulty, error);
  if (!err) env->now.difficulty = difficulty;
  return err;
}

sixer_err sixer_env_set_levels(sixer_env *env, int first, int count, sixer_error *error) {
  sixer_err err = check_levels(env->rom, first, count, error);
  if (err) return err;
  env->config.level = first;
  env->config.levels = count;
  return SIXER_OK;
}

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

sixer_err sixer_env_step(sixer_env *env, int action, sixer_result *result) {
  return sixer_env_step_input(env, (sixer_input){.action_a = action, .strength_a = 1}, result);
}

sixer_err sixer_env_step_input(sixer_env *env, sixer_input input, sixer_result *result) {
  if ((unsigned)input.action_a >= SIXER_ACTION_COUNT ||
      (unsigned)input.action_b >= SIXER_ACTION_COUNT || input.switches & ~SIXER_SWITCH_ALL ||
      input.frames < 0) {
    return SIXER_ERR_ACTION;
  }
  if (env->seated ? seats_check(env, &input, NULL) != SIXER_OK : input.action_c | input.action_d)
    return SIXER_ERR_ACTION;
  env_act act = act_begin_step(env, input);
  int32_t before = env->now.episode_frames;
  if (input.frames > 0) {
    int rest = act.frames > input.frames ? act.frames - input.frames : 0;
    while (act.left > rest) act_frame(env, &act);
    act.left = 0;
  }
  int reward = act_finish(env, &act);
  if (result) {
    sixer_end end = env_end(env);
    *result = (sixer_result){.reward = reward,
                             .lives = env_lives(env),
                             .over = end != SIXER_END_NONE,
                             .terminal = env_terminal(env),
                             .truncated = env_truncated(env),
                             .end = end,
                             .executed = env->now.executed,
                             .frames = env->now.episode_frames - before};
  }
  return SIXER_OK;
}

sixer_status sixer_env_status(const sixer_env *env) {
  sixer_end end = env_end(env);
  return (sixer_status){.mode = env->now.mode,
                        .difficulty = env->now.difficulty,
                        .level = env->now.level,
                        .lives = env_lives(env),
                        .frames = env->now.frames,
                        .episode_frames = env->now.episode_frames,
                        .score = env->now.score,
                        .over = end != SIXER_END_NONE,
                        .terminal = env_terminal(env),
                        .truncated = env_truncated(env),
                        .end = end,
                        .executed = env->now.executed};
}
