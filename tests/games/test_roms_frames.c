/* Our own games keep their frame: 262 lines whatever the inputs are, in every mode, from power-on with any memory. The
 * console is driven here below the environment, so that inputs can be what no joystick does: opposite directions at
 * once, switches flipped in the middle of play, RESET and SELECT held. SIXER_FRAMES sets the frames per game and mode.
 * label: long */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>

#include "env/env.h"
#include "agents/scripted_players.h"
#include "util/random.h"

static sixer_rom *roms[OWN_GAMES];

static int open_roms(void **state) {
  (void)state;
  for (int g = 0; g < OWN_GAMES; g++) {
    char path[500];
    sixer_error error;
    snprintf(path, sizeof path, TESTS_DIR "/../roms/%s.bin", own_games[g].name);
    if (sixer_rom_open(path, NULL, &roms[g], &error)) fail_msg("%s", error.message);
    assert_string_equal(sixer_rom_describe(roms[g]).game, own_games[g].name);
    assert_string_equal(sixer_rom_describe(roms[g]).format, "NTSC");
  }
  return 0;
}

static int close_roms(void **state) {
  (void)state;
  for (int g = 0; g < OWN_GAMES; g++) sixer_rom_close(roms[g]);
  return 0;
}

static sixer_env *make_env(int g) {
  sixer_error error;
  sixer_env *env;
  sixer_config config = sixer_config_default();
  if (sixer_env_create(roms[g], &config, &env, &error)) fail_msg("%s", error.message);
  env->m.draw = false;
  return env;
}

static uint32_t draw(uint64_t *state) {
  return (uint32_t)(random_rounds(*state += RANDOM_STEP) >> 32);
}

/* One frame with these switches; how many lines it had. */
static int frame(sixer_env *env, uint8_t swcha, uint8_t swchb, bool fire, int ohms) {
  env->m.input.swcha = swcha;
  env->m.input.swchb = swchb;
  env->m.input.fire[0] = fire ? 0 : 0x80;
  env->m.input.ohms[0] = ohms;
  env->run_frame(&env->m);
  return env->m.c->tia.partial ? -1 : env->m.c->tia.frame_lines;
}

static uint8_t pins(int action) {
  static const uint8_t bits[18] = {0,    0,    0x10, 0x80, 0x40, 0x20, 0x90, 0x50, 0xA0,
                                   0x60, 0x10, 0x80, 0x40, 0x20, 0x90, 0x50, 0xA0, 0x60};
  return (uint8_t)~bits[action];
}

static int frames_per_mode(void) {
  const char *text = getenv("SIXER_FRAMES");
  int frames = text ? atoi(text) : 0;
  return frames > 0 ? frames : 2000;
}

/* Stretches of scripted play (to get far), of random play, and of nonsense. */
static void every_frame_has_262_lines(void **state) {
  (void)state;
  int frames = frames_per_mode();
  for (int g = 0; g < OWN_GAMES; g++) {
    for (int mode = 0; mode < 4; mode++) {
      sixer_env *env = make_env(g);
      uint64_t seed = (uint64_t)(g * 4 + mode + 1);
      uint8_t *memory = env->m.c->ram, swchb = 0x3F;
      player p = {.memory = memory};
      int action = 0, ohms = 408823, overs = 0;
      for (int i = 0; i < frames; i++) {
        uint32_t z = draw(&seed);
        int style = i / 500 % 4; /* 0, 1 scripted; 2 random; 3 nonsense */
        if (i % 4000 == 0 || (memory[0] == 2 && z % 64 == 0) || (memory[0] == 0 && z % 16 == 0)) {
          overs += memory[0] == 2;
          memory[LEVEL & 0x7F] = (uint8_t)(z >> 8);
          memory[MODE & 0x7F] = (uint8_t)mode;
          swchb = (uint8_t)(0x3F | z >> 24 << 6);
          for (int k = 0; k < 4; k++)
            assert_int_equal(frame(env, 0xFF, swchb & 0xFE, false, ohms), 262);
        }
        uint8_t swcha, switches = swchb;
        if (style < 2 && memory[0] == 1) {
          action = own_games[g].play(&p);
        } else if (z % 8 == 0) {
          action = (int)(z >> 16) % 18;
        }
        p.fire = action == 1 || action >= 10;
        swcha = pins(action);
        if (style == 3) {
          if (z >> 4 & 1) swcha = (uint8_t)(z >> 8);
          if ((z & 0x3F0) == 0) swchb ^= 0x40;
          if ((z & 0x3F0) == 0x10) swchb ^= 0x80;
          if ((z & 0x3F0) == 0x20) switches &= 0xFE;
          if ((z & 0x7F0) == 0x30) switches &= 0xFD;
          if ((z & 0x7F0) == 0x40) switches &= 0xFC;
        }
        if (env->paddles) {
          if (action == 3 || action == 11) ohms -= 23000;
          if (action == 4 || action == 12) ohms += 23000;
          ohms = ohms < 27450 ? 27450 : ohms > 790196 ? 790196 : ohms;
          if (style != 3) swcha = p.fire ? 0x7F : 0xFF;
        }
        int lines =
            frame(env, swcha, switches, p.fire, env->paddles && style != 2 ? ohms : OHMS_INFINITE);
        if (lines != 262)
          fail_msg("%s, mode %d, frame %d: %d lines", own_games[g].name, mode, i, lines);
        assert_in_range(memory[0], 0, 2);
        assert_in_range(memory[2], 0, 3);
      }
      if (frames >= 20000)
        printf("%s mode %d: %d frames of 262 lines, %d games ended\n", own_games[g].name, mode,
               frames, overs);
      sixer_env_destroy(env);
    }
  }
}

/* The last life, played at random, and the end in every mode, whatever is pressed but RESET and SELECT. */
static void ends_have_262_lines(void **state) {
  (void)state;
  for (int g = 0; g < OWN_GAMES; g++) {
    for (int mode = 0; mode < 4; mode++) {
      sixer_env *env = make_env(g);
      uint8_t *memory = env->m.c->ram;
      uint64_t seed = (uint64_t)(g * 4 + mode + 1);
      memory[LEVEL & 0x7F] = (uint8_t)(40 * mode + g);
      memory[MODE & 0x7F] = (uint8_t)mode;
      for (int k = 0; k < 4; k++)
        assert_int_equal(frame(env, 0xFF, 0x3E, false, OHMS_INFINITE), 262);
      assert_int_equal(memory[0], 1);
      memory[LIVES & 0x7F] = 1;
      int action = 0;
      for (int i = 0; i < 60000 && memory[0] == 1; i++) {
        if (i % 8 == 0) action = (int)(draw(&seed) % 18);
        bool fire = action == 1 || action >= 10;
        assert_int_equal(frame(env, pins(action), 0x3F, fire, OHMS_INFINITE), 262);
      }
      if (memory[0] != 2) fail_msg("%s, mode %d: it does not end", own_games[g].name, mode);
      for (int i = 0; i < 300; i++) {
        uint32_t z = draw(&seed);
        assert_int_equal(frame(env, (uint8_t)z, (uint8_t)(0x3F | z >> 24 << 6), z >> 9 & 1,
                               z >> 10 & 1 ? 408823 : OHMS_INFINITE),
                         262);
        assert_int_equal(memory[0], 2);
      }
      sixer_env_destroy(env);
    }
  }
}

/* Power-on with any memory: the title within a few frames, mode and level sensible; both survive if they were good. */
static void any_memory_will_do(void **state) {
  (void)state;
  for (int g = 0; g < OWN_GAMES; g++) {
    sixer_env *env = make_env(g);
    uint8_t *memory = env->m.c->ram, magic[2] = {memory[7], memory[8]};
    uint64_t seed = (uint64_t)g + 99;
    for (int turn = 0; turn < 60; turn++) {
      for (int i = 0; i < 128; i++)
        memory[i] = turn == 0 ? 0 : turn == 1 ? 0xFF : (uint8_t)draw(&seed);
      bool warm = turn % 3 == 2;
      if (warm) memory[7] = magic[0], memory[8] = magic[1];
      uint8_t level = memory[1], mode = memory[2] & 7;
      memory[2] = mode;
      machine_reset(&env->m);
      frame(env, 0xFF, 0x3F, false, OHMS_INFINITE);
      for (int i = 0; i < 4; i++)
        assert_int_equal(frame(env, 0xFF, 0x3F, false, OHMS_INFINITE), 262);
      assert_int_equal(memory[0], 0);
      assert_int_equal(memory[1], warm ? level : 0);
      assert_int_equal(memory[2], warm && mode < 4 ? mode : 0);
      assert_int_equal(own_score(memory), 0);
    }
    sixer_env_destroy(env);
  }
}

/* RESET starts a game in the frame it is pressed in; SELECT steps the mode, with the stick right or left the level. */
static void switches_do_what_they_say(void **state) {
  (void)state;
  for (int g = 0; g < OWN_GAMES; g++) {
    sixer_env *env = make_env(g);
    const uint8_t *memory = env->m.c->ram;
    machine_reset(&env->m);
    for (int i = 0; i < 5; i++) frame(env, 0xFF, 0x3F, false, OHMS_INFINITE);
    assert_int_equal(memory[0], 0);
    for (int mode = 1; mode <= 4; mode++) {
      frame(env, 0xFF, 0x3D, false, OHMS_INFINITE);
      frame(env, 0xFF, 0x3F, false, OHMS_INFINITE);
      assert_int_equal(memory[2], mode % 4);
    }
    int level = memory[1];
    frame(env, 0x7F, 0x3D, false, OHMS_INFINITE);
    assert_int_equal(memory[1], (level + 1) & 255);
    frame(env, 0xFF, 0x3F, false, OHMS_INFINITE);
    for (int i = 0; i < 2; i++) {
      frame(env, 0xBF, 0x3D, false, OHMS_INFINITE);
      frame(env, 0xBF, 0x3F, false, OHMS_INFINITE);
    }
    assert_int_equal(memory[1], (level + 255) & 255);
    assert_int_equal(memory[2], 0);
    /* held, it repeats, slowly */
    for (int i = 0; i < 100; i++)
      assert_int_equal(frame(env, 0x7F, 0x3D, false, OHMS_INFINITE), 262);
    assert_in_range((memory[1] - level) & 255, 5, 20);
    level = memory[1];
    frame(env, 0xFF, 0x3E, false, OHMS_INFINITE);
    assert_int_equal(memory[0], 1);
    for (int i = 0; i < 300; i++)
      assert_int_equal(frame(env, 0xFF, 0x3E, false, OHMS_INFINITE), 262);
    assert_int_equal(memory[0], 1);
    assert_int_equal(memory[1], level);
    assert_int_equal(own_score(memory), 0);
    sixer_env_destroy(env);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_frame_has_262_lines),
      cmocka_unit_test(ends_have_262_lines),
      cmocka_unit_test(any_memory_will_do),
      cmocka_unit_test(switches_do_what_they_say),
  };
  return cmocka_run_group_tests(tests, open_roms, close_roms);
}
