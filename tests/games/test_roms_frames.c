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

#include "agents/scripted_players.h"
#include "support/own_console.h"

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

/* The same with one player only. */
static int frame(sixer_env *env, uint8_t swcha, uint8_t swchb, bool fire, int ohms) {
  hands h = {swcha, swchb, {fire, false}, {ohms, OHMS_INFINITE, OHMS_INFINITE, OHMS_INFINITE}};
  return frame_with(env, &h);
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
    for (int mode = 0; mode < own_games[g].modes; mode++) {
      sixer_env *env = make_env(g);
      uint64_t seed = (uint64_t)(g * 16 + mode + 1);
      uint8_t *memory = env->m.c->ram, swchb = 0x3F;
      player seats[4] = {{0}};
      hands h = {0xFF, swchb, {false, false}, {408823, 408823, 408823, 408823}};
      int action[4] = {0}, overs = 0;
      for (int i = 0; i < frames; i++) {
        uint32_t z = draw(&seed);
        int style = i / 500 % 4; /* 0, 1 scripted; 2 random; 3 nonsense */
        if (i % 4000 == 0 || (memory[0] == 2 && z % 64 == 0) || (memory[0] == 0 && z % 16 == 0)) {
          overs += memory[0] == 2;
          memory[LEVEL & 0x7F] = (uint8_t)(z >> 8);
          memory[MODE & 0x7F] = (uint8_t)mode;
          swchb = (uint8_t)(0x3F | z >> 24 << 6);
          h.swchb = swchb & 0xFE;
          for (int k = 0; k < 4; k++) assert_int_equal(frame_with(env, &h), 262);
        }
        for (int k = 0; k < own_games[g].seats; k++) {
          if (style < 2 && memory[0] == 1) {
            seats[k].memory = memory;
            seats[k].seat = k;
            action[k] = own_games[g].play(&seats[k]);
          } else if (draw(&seed) % 8 == 0) {
            action[k] = (int)(draw(&seed) % 18);
          }
          seats[k].fire = is_fire(action[k]);
        }
        act(&h, env->paddles, action);
        h.swchb = swchb;
        if (style == 3) {
          if (z >> 4 & 1) h.swcha = (uint8_t)(z >> 8);
          if ((z & 0x3F0) == 0) swchb ^= 0x40;
          if ((z & 0x3F0) == 0x10) swchb ^= 0x80;
          if ((z & 0x3F0) == 0x20) h.swchb &= 0xFE;
          if ((z & 0x7F0) == 0x30) h.swchb &= 0xFD;
          if ((z & 0x7F0) == 0x40) h.swchb &= 0xFC;
        }
        hands now = h;
        for (int k = 0; k < 4; k++) {
          if (!env->paddles || style == 2) now.ohms[k] = OHMS_INFINITE; /* nothing plugged in */
        }
        int lines = frame_with(env, &now);
        if (lines != 262)
          fail_msg("%s, mode %d, frame %d: %d lines", own_games[g].name, mode, i, lines);
        assert_in_range(memory[0], 0, 2);
        assert_in_range(memory[2], 0, own_games[g].modes - 1);
      }
      if (frames >= 20000)
        printf("%s mode %d: %d frames of 262 lines, %d games ended\n", own_games[g].name, mode,
               frames, overs);
      sixer_env_destroy(env);
    }
  }
}

/* Frames in which as much happens at once as can: positions and counters are written into memory, so that all that
 * moves enters another column and row in the same frame, while wisps are penned and a moor ends, or everybody catches
 * something and a hearth goes out. */
static void busiest_frames_have_262_lines(void **state) {
  (void)state;
  enum { WISPHERD = 6, HEARTHRING = 7, FRAMES = 600 };
  for (int g = WISPHERD; g <= HEARTHRING; g++) {
    for (int mode = 0; mode < own_games[g].modes; mode++) {
      sixer_env *env = make_env(g);
      uint8_t *memory = env->m.c->ram;
      uint64_t seed = (uint64_t)(g * 16 + mode + 1);
      hands h = {0xFF, 0x3E, {false, false}, {408823, 408823, 408823, 408823}};
      memory[LEVEL & 0x7F] = (uint8_t)(mode * 7);
      memory[MODE & 0x7F] = (uint8_t)mode;
      for (int i = 0; i < 4; i++) assert_int_equal(frame_with(env, &h), 262);
      for (int i = 0; i < FRAMES; i++) {
        uint32_t z = draw(&seed);
        h.swchb = (uint8_t)(0x3F | z >> 30 << 6);
        memory[STATE & 0x7F] = 1;
        memory[LIVES & 0x7F] = (uint8_t)(1 + (z & 1));
        if (g == WISPHERD) {
          static const uint8_t sticks[4] = {0x66, 0x55, 0xAA, 0x99}; /* diagonal */
          h.swcha = (uint8_t)(z >> 8 & 3 ? sticks[z >> 8 & 3] : z >> 16);
          h.fire[0] = z >> 10 & 1;
          h.fire[1] = z >> 11 & 1;
          memory[0xE5 & 0x7F] = 0;                              /* pause */
          memory[0xE4 & 0x7F] = (uint8_t)(z >> 12 & 1 ? 7 : 0); /* penned */
          for (int w = 0; w < 3; w++) {
            bool right = draw(&seed) & 1, up = draw(&seed) & 1;
            int column = 2 + (int)(draw(&seed) % 36), row = 1 + (int)(draw(&seed) % 18);
            if (draw(&seed) % 8 == 0) column = right ? 38 : 1;
            memory[(0xB6 + w) & 0x7F] = (uint8_t)(4 * column);
            memory[(0xB9 + w) & 0x7F] = (uint8_t)(4 * row + (up ? 1 : 0));
            memory[(0xBC + w) & 0x7F] = right ? 1 : 0xFF;
            memory[(0xBF + w) & 0x7F] = up ? 1 : 0xFF;
            memory[(0xC2 + w) & 0x7F] = draw(&seed) % 3;
            memory[(0xC5 + w) & 0x7F] = (uint8_t)(draw(&seed) % 4 ? 200 : 1);
            memory[(0xC8 + w) & 0x7F] = 0;
          }
        } else {
          h.swcha = (uint8_t)(z >> 8);
          for (int k = 0; k < 4; k++) h.ohms[k] = 27450 + (int)(draw(&seed) % 762746);
          memory[0xDD & 0x7F] = 0; /* pause */
          for (int k = 0; k < 4; k++) {
            memory[(0xA4 + k) & 0x7F] = (uint8_t)(1 + (draw(&seed) & 1));
            memory[(0xA8 + k) & 0x7F] = 0x50;
            memory[(0xB6 + k) & 0x7F] = (uint8_t)(1 + draw(&seed) % 12);
            memory[(0xBA + k) & 0x7F] = (uint8_t)(memory[(0xB2 + k) & 0x7F] - 4);
            memory[(0xBE + k) & 0x7F] = (uint8_t)(draw(&seed) % 9);
          }
          memory[0xAD & 0x7F] = mode >> 2 == 2 ? 7 : 15;
          memory[0xD3 & 0x7F] = (uint8_t)(31 - (z >> 20 & 7));
          memory[0xD5 & 0x7F] = 24; /* stage */
          memory[0xD6 & 0x7F] = 11; /* turns */
          memory[0xDC & 0x7F] = 0;  /* over */
        }
        int lines = frame_with(env, &h);
        if (lines != 262)
          fail_msg("%s, mode %d, frame %d: %d lines", own_games[g].name, mode, i, lines);
      }
      sixer_env_destroy(env);
    }
  }
}

/* The last life, played at random, and the end in every mode, whatever is pressed but RESET and SELECT. */
static void ends_have_262_lines(void **state) {
  (void)state;
  for (int g = 0; g < OWN_GAMES; g++) {
    for (int mode = 0; mode < own_games[g].modes; mode++) {
      sixer_env *env = make_env(g);
      uint8_t *memory = env->m.c->ram;
      uint64_t seed = (uint64_t)(g * 16 + mode + 1);
      hands h = {0xFF, 0x3E, {false, false}, {408823, 408823, 408823, 408823}};
      memory[LEVEL & 0x7F] = (uint8_t)(40 * mode + g);
      memory[MODE & 0x7F] = (uint8_t)mode;
      for (int k = 0; k < 4; k++) assert_int_equal(frame_with(env, &h), 262);
      assert_int_equal(memory[0], 1);
      memory[LIVES & 0x7F] = 1;
      h.swchb = 0x3F;
      int action[4] = {0};
      for (int i = 0; i < 60000 && memory[0] == 1; i++) {
        if (i % 8 == 0) {
          for (int k = 0; k < 4; k++) action[k] = (int)(draw(&seed) % 18);
        }
        act(&h, env->paddles && own_games[g].seats > 1, action);
        assert_int_equal(frame_with(env, &h), 262);
      }
      if (memory[0] != 2) fail_msg("%s, mode %d: it does not end", own_games[g].name, mode);
      for (int i = 0; i < 300; i++) {
        uint32_t z = draw(&seed);
        h.swcha = (uint8_t)z;
        h.swchb = (uint8_t)(0x3F | z >> 24 << 6);
        h.fire[0] = z >> 9 & 1;
        h.ohms[0] = z >> 10 & 1 ? 408823 : OHMS_INFINITE;
        assert_int_equal(frame_with(env, &h), 262);
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
      uint8_t level = memory[1], mode = memory[2] & 31;
      memory[2] = mode;
      machine_reset(&env->m);
      frame(env, 0xFF, 0x3F, false, OHMS_INFINITE);
      for (int i = 0; i < 4; i++)
        assert_int_equal(frame(env, 0xFF, 0x3F, false, OHMS_INFINITE), 262);
      assert_int_equal(memory[0], 0);
      assert_int_equal(memory[1], warm ? level : 0);
      assert_int_equal(memory[2], warm && mode < own_games[g].modes ? mode : 0);
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
    for (int mode = 1; mode <= own_games[g].modes; mode++) {
      frame(env, 0xFF, 0x3D, false, OHMS_INFINITE);
      frame(env, 0xFF, 0x3F, false, OHMS_INFINITE);
      assert_int_equal(memory[2], mode % own_games[g].modes);
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
      cmocka_unit_test(every_frame_has_262_lines), cmocka_unit_test(busiest_frames_have_262_lines),
      cmocka_unit_test(ends_have_262_lines),       cmocka_unit_test(any_memory_will_do),
      cmocka_unit_test(switches_do_what_they_say),
  };
  return cmocka_run_group_tests(tests, open_roms, close_roms);
}
