/* Our games for several players: every player's stick or paddle reaches that player's figure and no other; points,
 * lives and the end are kept for each in the bytes that docs/games/ names; no seat is better than another; and the
 * three cores agree in the modes that the environment does not select.
 *
 * `test_roms_players shots FOLDER` writes the pictures of these modes in docs/games/ instead, and
 * `test_roms_players measure` prints what the seats win against each other (docs/games/seats.csv).
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

enum { WISPHERD = 6, HEARTHRING = 7 }; /* places in own_games */
enum { PLIVES = 0xA4, PSCORE = 0xA8, KIND = 0xAC, PIN = 0xAD };
enum { HX = 0xAE, HY = 0xB0, LURE = 0xB4 };              /* Wispherd */
enum { HC = 0xB2, TK = 0xBE, SIZE = 0xC2, WARM = 0xB6 }; /* Hearthring */
enum { IDLE, SCRIPTED, RANDOM };

static sixer_rom *roms[OWN_GAMES];

static int open_roms(void **state) {
  (void)state;
  for (int g = WISPHERD; g <= HEARTHRING; g++) {
    sixer_error error;
    if (sixer_rom_open(own_games[g].name, NULL, &roms[g], &error)) {
      fprintf(stderr, "%s\n", error.message);
      return 1;
    }
  }
  return 0;
}

static int close_roms(void **state) {
  (void)state;
  for (int g = WISPHERD; g <= HEARTHRING; g++) sixer_rom_close(roms[g]);
  return 0;
}

/* A game for several players that was just started. */
typedef struct table {
  sixer_env *env;
  int game;
  uint8_t *memory;
  hands hands;
  player seats[4];
  int action[4];
  uint64_t seed;
} table;

static int at_table(const table *t, int address) { return t->memory[address & 0x7F]; }

static table start_on(int g, int mode, int level, sixer_core core) {
  table t = {.game = g, .seed = (uint64_t)level + 1};
  sixer_error error;
  sixer_config config = sixer_config_default();
  config.core = core;
  if (sixer_env_create(roms[g], &config, &t.env, &error)) fail_msg("%s", error.message);
  t.memory = t.env->m.c->ram;
  t.hands = (hands){0xFF, 0x3E, {false, false}, {408823, 408823, 408823, 408823}};
  t.memory[LEVEL & 0x7F] = (uint8_t)level;
  t.memory[MODE & 0x7F] = (uint8_t)mode;
  for (int i = 0; i < 2; i++) frame_with(t.env, &t.hands);
  t.hands.swchb = 0x3F;
  return t;
}

static table start(int g, int mode, int level) { return start_on(g, mode, level, SIXER_CORE_AUTO); }

/* One frame in which each seat plays as it is told. */
static void play_frame(table *t, const int how[4]) {
  for (int k = 0; k < own_games[t->game].seats; k++) {
    player *p = &t->seats[k];
    p->memory = t->memory;
    p->seat = k;
    if (how[k] == SCRIPTED)
      t->action[k] = own_games[t->game].play(p);
    else if (how[k] == IDLE)
      t->action[k] = 0;
    else if (draw(&t->seed) % 8 == 0)
      t->action[k] = (int)(draw(&t->seed) % 18);
    p->fire = is_fire(t->action[k]);
  }
  act(&t->hands, t->env->paddles, t->action);
  frame_with(t->env, &t->hands);
}

/* Play until the end; how many frames it took. */
static int play_out(table *t, const int how[4], int most) {
  int frames = 0;
  while (frames < most && at_table(t, STATE) == 1) {
    play_frame(t, how);
    frames++;
  }
  return frames;
}

static void finish(table *t) { sixer_env_destroy(t->env); }

static int bcd(int byte) { return (byte >> 4) * 10 + (byte & 15); }

static int points(const table *t, int seat) { return bcd(at_table(t, PSCORE + seat)); }

/* What a mode means: kind, players in play, their lives. */
static void modes_seat_their_players(void **state) {
  (void)state;
  static const uint8_t in[3] = {1, 3, 3}, lives[3][2] = {{4, 0}, {3, 3}, {4, 4}};
  for (int mode = 0; mode < own_games[WISPHERD].modes; mode++) {
    table t = start(WISPHERD, mode, 9);
    assert_int_equal(at_table(&t, KIND), mode >> 2);
    assert_int_equal(at_table(&t, PIN), in[mode >> 2]);
    for (int k = 0; k < 2; k++) assert_int_equal(at_table(&t, PLIVES + k), lives[mode >> 2][k]);
    finish(&t);
  }
  for (int mode = 0; mode < own_games[HEARTHRING].modes; mode++) {
    table t = start(HEARTHRING, mode, 9);
    int kind = mode >> 2;
    assert_int_equal(at_table(&t, KIND), kind);
    assert_int_equal(at_table(&t, PIN), kind == 2 ? 7 : 15);
    for (int k = 0; k < 4; k++)
      assert_int_equal(at_table(&t, PLIVES + k), kind == 2 && k == 3 ? 0 : 3);
    finish(&t);
  }
}

/* Each stick moves its own herder, and each button raises its own lantern. */
static void sticks_move_their_herders(void **state) {
  (void)state;
  for (int side = 0; side < 2; side++) {
    table t = start(WISPHERD, 4, 40);
    const int idle[4] = {IDLE};
    for (int i = 0; i < 60; i++) play_frame(&t, idle); /* the pause at the start */
    int x[2] = {at_table(&t, HX), at_table(&t, HX + 1)}, y = at_table(&t, HY);
    int action[4] = {0};
    action[side] = 14; /* UPRIGHTFIRE */
    for (int i = 0; i < 6; i++) {
      act(&t.hands, false, action);
      frame_with(t.env, &t.hands);
    }
    assert_true(at_table(&t, HX + side) > x[side]);
    assert_true(at_table(&t, HY + side) > y);
    assert_int_equal(at_table(&t, LURE + side), 1);
    assert_int_equal(at_table(&t, HX + 1 - side), x[1 - side]);
    assert_int_equal(at_table(&t, HY + 1 - side), y);
    assert_int_equal(at_table(&t, LURE + 1 - side), 0);
    finish(&t);
  }
}

/* A duel ends at 21 points, and a herder has lost a lantern for every seven of the other. The one who plays wins. */
static void duels_are_won(void **state) {
  (void)state;
  for (int mode = 4; mode < 8; mode++) {
    for (int side = 0; side < 2; side++) {
      table t = start(WISPHERD, mode, 20 * mode);
      int how[4] = {IDLE}, before[2] = {0};
      how[side] = SCRIPTED;
      for (int i = 0; i < 30000 && at_table(&t, STATE) == 1; i++) {
        play_frame(&t, how);
        for (int k = 0; k < 2; k++) {
          int gained = points(&t, k) - before[k];
          assert_in_range(gained, 0, 3);
          before[k] += gained;
          assert_int_equal(at_table(&t, PLIVES + 1 - k), 3 - (before[k] < 21 ? before[k] / 7 : 3));
        }
      }
      assert_int_equal(at_table(&t, STATE), 2);
      assert_in_range(before[side], 21, 23);
      assert_int_equal(at_table(&t, PLIVES + 1 - side), 0);
      finish(&t);
    }
  }
}

/* Together: the score is one, lives are those of both, and two herders earn more than one. */
static void herders_work_together(void **state) {
  (void)state;
  int earned[2] = {0};
  for (int both = 0; both < 2; both++) {
    for (int level = 0; level < 12; level++) {
      table t = start(WISPHERD, 8, 20 * level);
      const int how[4] = {SCRIPTED, both ? SCRIPTED : IDLE};
      for (int i = 0; i < 20000 && at_table(&t, STATE) == 1; i++) {
        play_frame(&t, how);
        assert_int_equal(at_table(&t, PLIVES), at_table(&t, PLIVES + 1));
        if (at_table(&t, STATE) == 1 && at_table(&t, PLIVES) == at_table(&t, LIVES)) continue;
        assert_true(at_table(&t, LIVES) < 7); /* a wisp that faded is counted in the next frame */
      }
      earned[both] += own_score(t.memory);
      finish(&t);
    }
  }
  if (earned[1] <= earned[0] * 3 / 2) fail_msg("one: %d, two: %d", earned[0], earned[1]);
}

/* Each paddle turns its own hearth over its ledge, and its button makes this one flare. */
static void paddles_turn_their_hearths(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    table t = start(HEARTHRING, 12, 3);
    const int idle[4] = {IDLE};
    for (int i = 0; i < 40; i++) play_frame(&t, idle);
    int rest[4];
    for (int j = 0; j < 4; j++) {
      rest[j] = at_table(&t, HC + j);
      assert_in_range(rest[j], 70, 90);                   /* all are in the middle */
      assert_in_range(rest[j], rest[0] - 1, rest[0] + 1); /* one is looked at after the other */
    }
    int least = 255, most = 0, places = 0, last = -1;
    for (int ohms = 790196; ohms >= 27450; ohms -= 4000) {
      t.hands.ohms[k] = ohms;
      t.hands.swcha = (uint8_t) ~(k == 0 ? 0x80 : k == 1 ? 0x40 : k == 2 ? 0x08 : 0x04);
      for (int j = 0; j < 4; j++) t.memory[(WARM + j) & 0x7F] = 20;
      frame_with(t.env, &t.hands);
      int x = at_table(&t, HC + k);
      if (x != last) places++;
      if (last >= 0) assert_true(x >= last);
      last = x;
      least = x < least ? x : least;
      most = x > most ? x : most;
      for (int j = 0; j < 4; j++) {
        /* when a line looks at a paddle depends a little on the others, so a hearth at rest may tremble */
        if (j != k) assert_in_range(at_table(&t, HC + j), rest[j] - 2, rest[j] + 2);
        assert_int_equal(at_table(&t, SIZE + j), j == k ? 2 : 1);
      }
    }
    assert_int_equal(least, 16);
    assert_int_equal(most, 143);
    assert_true(places > 60);
    finish(&t);
  }
}

/* The last player whose hearth burns wins: whoever plays while the others sleep, in each seat. The others' points and
 * lives are their own. */
static void the_awake_win(void **state) {
  (void)state;
  for (int kind = 1; kind < 4; kind++) {
    for (int seat = 0; seat <= kind; seat++) {
      table t = start(HEARTHRING, 4 * kind, 30 * seat + kind);
      int how[4] = {IDLE, IDLE, IDLE, IDLE};
      how[seat] = SCRIPTED;
      play_out(&t, how, 20000);
      assert_int_equal(at_table(&t, STATE), 2);
      assert_true(at_table(&t, PLIVES + seat) > 0 || points(&t, seat) == 99);
      assert_true(at_table(&t, PIN) >> seat & 1);
      for (int k = 0; k <= kind; k++) {
        if (k == seat) continue;
        assert_true(points(&t, seat) > points(&t, k));
        if (points(&t, seat) == 99) continue;
        assert_int_equal(at_table(&t, PLIVES + k), 0);
        assert_false(at_table(&t, PIN) >> k & 1);
      }
      if (kind == 2)
        assert_int_equal(at_table(&t, TK + 3), 0); /* nothing falls on the empty ledge */
      finish(&t);
    }
  }
}

/* Points never go beyond 99, which ends a game. */
static void ninety_nine_ends_it(void **state) {
  (void)state;
  table t = start(HEARTHRING, 12, 77);
  const int how[4] = {SCRIPTED, SCRIPTED, SCRIPTED, SCRIPTED};
  t.memory[(PSCORE + 2) & 0x7F] = 0x97;
  for (int i = 0; i < 5000 && at_table(&t, STATE) == 1; i++) {
    for (int k = 0; k < 4; k++) t.memory[(WARM + k) & 0x7F] = 20;
    play_frame(&t, how);
  }
  assert_int_equal(at_table(&t, STATE), 2);
  assert_int_equal(points(&t, 2), 99);
  finish(&t);
}

/* How often each seat wins when all play alike, and on how many levels nobody does. */
typedef struct wins {
  int seat[4], none;
} wins;

static wins contest(int g, int mode, int levels, int how_all) {
  wins w = {{0}, 0};
  int players = g == WISPHERD ? 2 : (mode >> 2) + 1;
  for (int i = 0; i < levels; i++) {
    table t = start(g, mode, i * 256 / levels);
    const int how[4] = {how_all, how_all, how_all, how_all};
    play_out(&t, how, 12000);
    int best = -1, most = -1;
    bool tie = false;
    for (int k = 0; k < players; k++) {
      /* who is still in comes first, then points */
      int value = points(&t, k) + (at_table(&t, PLIVES + k) ? 100 : 0);
      tie = value == most || (tie && value < most);
      if (value > most) best = k, most = value, tie = false;
    }
    if (tie)
      w.none++;
    else
      w.seat[best]++;
    finish(&t);
  }
  return w;
}

/* No seat is better than another: over many levels all win about as often. The games are the same in every run, so
 * this either holds or does not. The bounds are three standard deviations of a fair draw. */
static void seats_are_equal(void **state) {
  (void)state;
  static const struct {
    int game, mode, players, levels, least;
  } rows[] = {{WISPHERD, 4, 2, 48, 14},
              {HEARTHRING, 4, 2, 48, 14},
              {HEARTHRING, 8, 3, 48, 6},
              {HEARTHRING, 12, 4, 48, 3}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    wins w = contest(rows[i].game, rows[i].mode, rows[i].levels, SCRIPTED);
    int decided = rows[i].levels - w.none;
    for (int k = 0; k < rows[i].players; k++) {
      if (w.seat[k] * rows[i].levels < rows[i].least * decided)
        fail_msg("%s, mode %d: seats win %d %d %d %d times", own_games[rows[i].game].name,
                 rows[i].mode, w.seat[0], w.seat[1], w.seat[2], w.seat[3]);
    }
    assert_true(decided > rows[i].levels / 2);
  }
}

/* The three cores agree in every mode, frame by frame in memory. */
static void cores_agree(void **state) {
  (void)state;
  for (int g = WISPHERD; g <= HEARTHRING; g++) {
    for (int mode = 0; mode < own_games[g].modes; mode++) {
      static const sixer_core cores[3] = {SIXER_CORE_PLAIN, SIXER_CORE_INTERP, SIXER_CORE_JIT};
      table t[3];
      for (int c = 0; c < 3; c++) t[c] = start_on(g, mode, 16 * mode + g, cores[c]);
      const int how[4] = {SCRIPTED, RANDOM, RANDOM, SCRIPTED};
      for (int i = 0; i < 250; i++) {
        for (int c = 0; c < 3; c++) {
          play_frame(&t[c], how);
          if (c) assert_memory_equal(t[0].memory, t[c].memory, 128);
        }
      }
      for (int c = 0; c < 3; c++) finish(&t[c]);
    }
  }
}

/* What is played is always the same: digests of memory over 1,500 frames of a scripted player against random ones. A
 * change of a game changes its rows; nothing else may. */
static void games_are_frozen(void **state) {
  (void)state;
  static const struct {
    int game, mode, level;
    uint32_t digest;
  } rows[] = {
      {WISPHERD, 0, 0, 0x40843168},    {WISPHERD, 3, 200, 0x88f2bfb6},
      {WISPHERD, 4, 17, 0x72e4fe61},   {WISPHERD, 7, 81, 0xcf18cbda},
      {WISPHERD, 8, 5, 0x20747f59},    {WISPHERD, 11, 255, 0x928249f1},
      {HEARTHRING, 0, 0, 0xb132e3df},  {HEARTHRING, 3, 200, 0x94734dca},
      {HEARTHRING, 4, 17, 0xb66b151e}, {HEARTHRING, 7, 81, 0x94e4d413},
      {HEARTHRING, 8, 5, 0x1c5d37b5},  {HEARTHRING, 11, 255, 0x947c61da},
      {HEARTHRING, 12, 6, 0xad4e1e1e}, {HEARTHRING, 15, 123, 0xf3a31c34},
  };
  int wrong = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    table t = start(rows[i].game, rows[i].mode, rows[i].level);
    const int how[4] = {SCRIPTED, RANDOM, RANDOM, RANDOM};
    uint32_t digest = 2166136261u;
    for (int f = 0; f < 1500; f++) {
      play_frame(&t, how);
      for (int a = 0; a < 128; a++) digest = (digest ^ t.memory[a]) * 16777619u;
    }
    if (digest != rows[i].digest) {
      printf("%s, mode %d, level %d: 0x%08x\n", own_games[rows[i].game].name, rows[i].mode,
             rows[i].level, digest);
      wrong++;
    }
    finish(&t);
  }
  assert_int_equal(wrong, 0);
}

static int measure(void) {
  if (open_roms(NULL)) return 1;
  printf("game,mode,levels,seat1,seat2,seat3,seat4,draw\n");
  for (int g = WISPHERD; g <= HEARTHRING; g++) {
    for (int mode = 4; mode < (g == WISPHERD ? 8 : 16); mode++) {
      wins w = contest(g, mode, 256, SCRIPTED);
      printf("%s,%d,256,%d,%d,%d,%d,%d\n", own_games[g].name, mode, w.seat[0], w.seat[1], w.seat[2],
             w.seat[3], w.none);
      fflush(stdout);
    }
  }
  return close_roms(NULL);
}

static int shots(const char *folder) {
  static const struct {
    int game, mode, level, frames;
    const char *name;
  } scenes[] = {{WISPHERD, 4, 14, 1000, "duel"},
                {WISPHERD, 8, 26, 700, "together"},
                {HEARTHRING, 4, 5, 900, "two"},
                {HEARTHRING, 12, 9, 1000, "four"}};
  if (open_roms(NULL)) return 1;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    table t = start(scenes[i].game, scenes[i].mode, scenes[i].level);
    const int how[4] = {SCRIPTED, SCRIPTED, SCRIPTED, SCRIPTED};
    play_out(&t, how, scenes[i].frames);
    char path[600];
    sixer_error error;
    for (int k = 0; k < 2; k++) sixer_env_step(t.env, 0, NULL); /* these are drawn */
    snprintf(path, sizeof path, "%s/%s-%s.png", folder, own_games[scenes[i].game].name,
             scenes[i].name);
    if (sixer_env_save_png(t.env, path, &error)) {
      fprintf(stderr, "%s\n", error.message);
      return 1;
    }
    finish(&t);
  }
  return close_roms(NULL);
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "shots") == 0) return shots(argv[2]);
  if (argc > 1 && strcmp(argv[1], "measure") == 0) return measure();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(modes_seat_their_players),
      cmocka_unit_test(sticks_move_their_herders),
      cmocka_unit_test(duels_are_won),
      cmocka_unit_test(herders_work_together),
      cmocka_unit_test(paddles_turn_their_hearths),
      cmocka_unit_test(the_awake_win),
      cmocka_unit_test(ninety_nine_ends_it),
      cmocka_unit_test(seats_are_equal),
      cmocka_unit_test(cores_agree),
      cmocka_unit_test(games_are_frozen),
  };
  return cmocka_run_group_tests(tests, open_roms, close_roms);
}
