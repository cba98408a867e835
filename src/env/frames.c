/* Running frames: how an action sets switches, joysticks and paddles, the game's rules after each frame, and when an
 * episode ends. act.c combines frames into acts. */
#include "env/reset_cache.h"
#include "env/env.h"
#include "env/pictures.h"

/* ---- Inputs ---------------------------------------------------------------------------------------------------- */

enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8, FIRE = 16 };

/* What each joystick action presses. */
static const uint8_t pressed[SIXER_ACTION_COUNT] = {
    0,
    FIRE,
    UP,
    RIGHT,
    LEFT,
    DOWN,
    UP | RIGHT,
    UP | LEFT,
    DOWN | RIGHT,
    DOWN | LEFT,
    UP | FIRE,
    RIGHT | FIRE,
    LEFT | FIRE,
    DOWN | FIRE,
    UP | RIGHT | FIRE,
    UP | LEFT | FIRE,
    DOWN | RIGHT | FIRE,
    DOWN | LEFT | FIRE,
};

static uint8_t buttons_of(int action) {
  return action >= 0 && action < SIXER_ACTION_COUNT ? pressed[action] : 0;
}

uint8_t env_buttons(int action) { return buttons_of(action); }

/* Port B: RESET and SELECT are 0 when pressed; bits 2, 4 and 5 float high. The switches that a person works have the
 * bits of the port, so flipping is an exclusive or. */
static uint8_t console_switches(const sixer_env *env, bool reset, bool select, int difficulty) {
  const int flipped = SIXER_SWITCH_COLOR | SIXER_SWITCH_LEFT | SIXER_SWITCH_RIGHT;
  int port = 0x34;
  if (!reset && !(env->switches & SIXER_SWITCH_RESET)) port |= 0x01;
  if (!select && !(env->switches & SIXER_SWITCH_SELECT)) port |= 0x02;
  if (!env->rom->properties.black_and_white) port |= 0x08;
  port |= (difficulty & 3) << 6;
  return (uint8_t)(port ^ (env->switches & flipped));
}

/* Put a joystick into a port: 0 is the left one. */
static void plug_joystick(console_input *input, int port, uint8_t buttons) {
  int shift = port == 0 ? 4 : 0;
  input->swcha &= (uint8_t) ~((buttons & 15) << shift);
  if (buttons & FIRE) input->fire[port] = 0;
}

/* Put a pair of paddles into a port. Paddle 0 of the pair is on the port's first input and on bit 3 of its pins. */
static void plug_paddles(console_input *input, int port, const int32_t ohms[2], const bool fire[2],
                         bool swap) {
  int shift = port == 0 ? 4 : 0;
  for (int i = 0; i < 2; i++) {
    int paddle = swap ? 1 - i : i;
    input->ohms[2 * port + i] = ohms[paddle];
    if (fire[paddle]) input->swcha &= (uint8_t) ~((i == 0 ? 8 : 4) << shift);
  }
}

/* Set all inputs of the console. `ohms`: resistances of the left jack's paddles; zero while the format is detected.
 * Those of the right jack are zero unless there are several players. */
static void apply(sixer_env *env, int a, int b, bool reset, bool select, int difficulty,
                  const int32_t ohms[2]) {
  const game_properties *p = &env->rom->properties;
  console_input *input = &env->m.input;
  *input = (console_input){0xFF,
                           console_switches(env, reset, select, difficulty),
                           {0x80, 0x80},
                           {OHMS_INFINITE, OHMS_INFINITE, OHMS_INFINITE, OHMS_INFINITE}};
  uint8_t buttons[2] = {buttons_of(a), buttons_of(b)};
  for (int jack = 0; jack < 2; jack++) {
    int port = p->swap_ports ? 1 - jack : jack;
    if (jack == 0 ? p->left_paddles : p->right_paddles) {
      /* the paddles of players 1 and 2 are on the left jack, those of 3 and 4 on the right one */
      const uint8_t *held = jack == 0 ? buttons : env->seats.held;
      bool fire[2] = {held[0] & FIRE, held[1] & FIRE};
      plug_paddles(input, port, jack == 0 ? ohms : env->seats.paddle, fire, p->swap_paddles);
    } else {
      plug_joystick(input, port, env->paddles ? 0 : buttons[jack]);
    }
  }
}

void env_release_inputs(sixer_env *env) {
  const game_properties *p = &env->rom->properties;
  const int32_t none[2] = {0, 0};
  apply(env, 0, 0, false, false, p->left_difficulty_a | p->right_difficulty_a << 1, none);
}

/* Action numbers of player B are 18 more than those of player A. */
static void apply_actions(sixer_env *env, int action_a, int action_b) {
  bool reset = action_a == ACTION_RESET || action_b == ACTION_RESET;
  apply(env, action_a, action_b - ACTION_B, reset, false, env->now.difficulty, env->now.paddle);
}

enum { PADDLE_STEP = 23000 };

void env_turn_paddle(sixer_env *env, int paddle, int action, double strength) {
  int32_t *position = paddle < 2 ? &env->now.paddle[paddle] : &env->seats.paddle[paddle - 2];
  uint8_t buttons = buttons_of(action);
  if (strength < 0) strength = -strength;
  double by = buttons & RIGHT  ? -PADDLE_STEP * strength
              : buttons & LEFT ? PADDLE_STEP * strength
                               : 0;
  /* limit the change before it is converted: converting a large value or NaN to an integer is undefined */
  int32_t delta = by > 1e9 ? 1000000000 : by < -1e9 ? -1000000000 : by == by ? (int32_t)by : 0;
  int64_t ohms = (int64_t)*position + delta;
  if (ohms < env->paddle_min) ohms = env->paddle_min;
  if (ohms > env->paddle_max) ohms = env->paddle_max;
  *position = (int32_t)ohms;
}

void env_center_paddles(sixer_env *env) {
  int32_t middle = (int32_t)(((int64_t)env->paddle_min + env->paddle_max) / 2);
  env->now.paddle[0] = env->now.paddle[1] = middle;
  /* the reference leaves those of the right jack at 0, except in dialect ma */
  bool right = env->seated && (env->config.dialect == SIXER_DIALECT_MA || env->players > 2);
  env->seats.paddle[0] = env->seats.paddle[1] = right ? middle : 0;
}

/* ---- Frames ---------------------------------------------------------------------------------------------------- */

void env_run_frame(sixer_env *env) {
  if (env->recording) reset_record_frame(env);
  if (env->pictures)
    pictures_run_frame(env);
  else
    env->run_frame(&env->m);
}

static uint8_t peek(void *m, uint16_t address) { return machine_peek(m, address); }

static void run_rules(sixer_env *env) {
  const game *g = env->rules;
  if (!g) return;
  game_view view = {env->m.c->ram, peek, &env->m};
  env->now.reward = game_step_players(g, env->vars, &view, env->config.scoring, env->config.dialect,
                                      env->corrections)
                        .reward;
  /* the reference's rules read memory through the bus; the last byte stays there, which a program sees if it fetches
   * instructions from the TIA's addresses */
  if (env->last_read >= 0) env->m.c->bus = env->m.c->ram[env->last_read];
}

/* After the frames of an act the reference copies screen and memory; this leaves the last byte of memory on the bus. */
static void frames_done(sixer_env *env) {
  env->m.c->bus = env->m.c->ram[127];
  env->picture_known = env->config.picture;
  env->blended = false;
}

void env_emulate(sixer_env *env, int action_a, int action_b, double strength_a, double strength_b,
                 int frames) {
  for (int i = 0; i < frames; i++) {
    if (env->paddles) {
      env_turn_paddle(env, 0, action_a, strength_a);
      env_turn_paddle(env, 1, action_b - ACTION_B, strength_b);
    }
    if (env->paddles || i == 0) apply_actions(env, action_a, action_b);
    env_run_frame(env);
    run_rules(env);
  }
  frames_done(env);
}

void env_press_select(sixer_env *env, int frames) {
  apply(env, 0, 0, false, true, env->now.difficulty, env->now.paddle);
  for (int i = 0; i < frames; i++) env_run_frame(env);
  frames_done(env);
  env_emulate(env, 0, ACTION_B, 1, 1, 1);
  env_count_frame(env);
}

void env_soft_reset(sixer_env *env) {
  env_emulate(env, ACTION_RESET, ACTION_B, 1, 1, 4);
  env->control.last_action[0] = 0;
  env->control.last_action[1] = ACTION_B;
  env->seats.last_action[0] = env->seats.last_action[1] = 0;
}

/* ---- Ends ------------------------------------------------------------------------------------------------------ */

int env_lives(const sixer_env *env) { return env->rules ? game_lives(env->rules, env->vars) : 0; }

bool env_terminal(const sixer_env *env) {
  return env->rules && game_terminal(env->rules, env->vars);
}

static sixer_end cut_off(const sixer_env *env) {
  const sixer_config *config = &env->config;
  if (config->end_on_life_loss && env_lives(env) < env->max_lives) return SIXER_END_LIFE;
  if (config->max_frames > 0 && env->now.episode_frames >= config->max_frames)
    return SIXER_END_FRAME_LIMIT;
  if (config->stuck_limit > 0 && env->now.since_reward >= config->stuck_limit)
    return SIXER_END_STUCK;
  return SIXER_END_NONE;
}

bool env_truncated(const sixer_env *env) { return cut_off(env) != SIXER_END_NONE; }

sixer_end env_end(const sixer_env *env) {
  return env_terminal(env) ? SIXER_END_GAME_OVER : cut_off(env);
}

bool env_is_legal(const sixer_env *env, int action) {
  return !env->rules || game_is_legal(env->rules, action);
}
