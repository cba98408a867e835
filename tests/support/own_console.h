/* Our own games driven below the environment: all inputs of the console, two joysticks or four paddles, are set by
 * hand, so that modes for several players can be played and inputs can be what no joystick does. */
#ifndef SIXER_TESTS_OWN_CONSOLE_H
#define SIXER_TESTS_OWN_CONSOLE_H

#include "env/env.h"
#include "util/random.h"

static inline uint32_t draw(uint64_t *state) {
  return (uint32_t)(random_rounds(*state += RANDOM_STEP) >> 32);
}

/* What is plugged in and pressed: both sticks and buttons, or four paddles. */
typedef struct hands {
  uint8_t swcha, swchb;
  bool fire[2];
  int ohms[4];
} hands;

/* One frame with these inputs; how many lines it had. */
static inline int frame_with(sixer_env *env, const hands *h) {
  env->m.input.swcha = h->swcha;
  env->m.input.swchb = h->swchb;
  for (int i = 0; i < 2; i++) env->m.input.fire[i] = h->fire[i] ? 0 : 0x80;
  for (int i = 0; i < 4; i++) env->m.input.ohms[i] = h->ohms[i];
  env->run_frame(&env->m);
  return env->m.c->tia.partial ? -1 : env->m.c->tia.frame_lines;
}

static inline bool is_fire(int action) { return action == 1 || action >= 10; }

/* The left joystick's half of SWCHA for an action, the rest unpressed. */
static inline uint8_t pins(int action) {
  static const uint8_t bits[18] = {0,    0,    0x10, 0x80, 0x40, 0x20, 0x90, 0x50, 0xA0,
                                   0x60, 0x10, 0x80, 0x40, 0x20, 0x90, 0x50, 0xA0, 0x60};
  return (uint8_t)~bits[action];
}

/* Put the actions of all seats into the console: two joysticks, or four paddles that are turned. */
static inline void act(hands *h, bool paddles, const int action[4]) {
  static const uint8_t button[4] = {0x80, 0x40, 0x08, 0x04};
  if (!paddles) {
    h->swcha = (uint8_t)((pins(action[0]) & 0xF0) | pins(action[1]) >> 4);
    for (int i = 0; i < 2; i++) h->fire[i] = is_fire(action[i]);
    return;
  }
  h->swcha = 0xFF;
  h->fire[0] = is_fire(action[0]); /* where a joystick has it */
  for (int i = 0; i < 4; i++) {
    uint8_t moved = (uint8_t)~pins(action[i]);
    if (is_fire(action[i])) h->swcha &= (uint8_t)~button[i];
    int ohms = h->ohms[i] + (moved & 0x40 ? 23000 : moved & 0x80 ? -23000 : 0);
    h->ohms[i] = ohms < 27450 ? 27450 : ohms > 790196 ? 790196 : ohms;
  }
}

#endif
