/* Fixed scoring: every counter that can roll over is driven over its edge, and every other correction is shown beside
 * what the reference does in its place. Memory is made by hand: the rules see nothing else. That the games really
 * behave like this was found by playing them up to the edge. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "games/game.h"

/* One game under both scorings, seeing the same memory. */
typedef struct both {
  game *g;
  uint8_t memory[65536];
  int32_t ale[GAME_MAX_VARS], fixed[GAME_MAX_VARS];
  game_outcome by_ale, by_fixed;
} both;

static uint8_t peek(void *machine, uint16_t address) { return ((both *)machine)->memory[address]; }

static both play;

static void begin(const char *id) {
  sixer_error error;
  memset(&play, 0, sizeof play);
  if (game_find_id(id, &play.g, &error) || !play.g) fail_msg("%s: no such game", id);
  game_init(play.g, play.ale);
  game_init(play.g, play.fixed);
}

static void step(void) {
  game_view view = {play.memory + 0x80, peek, &play};
  play.by_ale = game_step(play.g, play.ale, &view, SIXER_SCORING_ALE);
  play.by_fixed = game_step(play.g, play.fixed, &view, SIXER_SCORING_FIXED);
}

static void end(void) { game_free(play.g); }

/* The next step pays this much by each scoring. */
static void expect(int ale, int fixed) {
  step();
  if (play.by_ale.reward != ale || play.by_fixed.reward != fixed) {
    fail_msg("%s: ale pays %d (expected %d), fixed pays %d (expected %d)", game_id(play.g),
             play.by_ale.reward, ale, play.by_fixed.reward, fixed);
  }
}

/* ---- Roll-over --------------------------------------------------------------------------------------------------- */

/* How a counter is kept in memory: pairs of decimal digits, or a byte per digit; the least significant one first. */
typedef enum kept { PAIRS, DIGITS, PICTURES, BYTE } kept;

/* What the reference makes of a roll-over: a large loss, nothing, or the true gain. */
typedef enum ale_view { LOSS, NOTHING, GAIN } ale_view;

static const struct {
  const char *id;
  ale_view ale;
  kept kept;
  int addresses[7]; /* ended by 0 */
} counters[] = {
    {"air_raid", LOSS, PAIRS, {0xAA, 0xA9, 0xA8}},
    {"alien", LOSS, PICTURES, {0x8B, 0x89, 0x87, 0x85, 0x83}},
    {"amidar", LOSS, PAIRS, {0xD9, 0xDA, 0xDB}},
    {"asterix", LOSS, PAIRS, {0xE0, 0xDF, 0xDE}},
    {"asteroids", GAIN, PAIRS, {0xBE, 0xBD}},
    {"atlantis", LOSS, PAIRS, {0xA2, 0xA3, 0xA1}},
    {"atlantis2", LOSS, PAIRS, {0xA1, 0xA2, 0xA3}},
    {"bank_heist", LOSS, PAIRS, {0xDA, 0xD9, 0xD8}},
    {"berzerk", LOSS, PAIRS, {0xDF, 0xDE, 0xDD}},
    {"carnival", LOSS, PAIRS, {0xAE, 0xAD}},
    {"centipede", NOTHING, PAIRS, {0xF6, 0xF5, 0xF4}},
    {"crazy_climber", NOTHING, DIGITS, {0x82, 0x83, 0x84, 0x85}},
    {"crossbow", LOSS, PAIRS, {0x8D, 0x8C, 0x8B}},
    {"darkchambers", NOTHING, PAIRS, {0xCC, 0xCF}},
    {"defender", LOSS, DIGITS, {0x9C, 0x9D, 0x9E, 0x9F, 0xA0, 0xA1}},
    {"demon_attack", LOSS, PAIRS, {0x85, 0x83, 0x81}},
    {"donkey_kong", LOSS, PAIRS, {0x88, 0x87}},
    {"elevator_action", LOSS, PAIRS, {0x89, 0x88, 0x87}},
    {"entombed", LOSS, BYTE, {0xE3}},
    {"et", LOSS, PAIRS, {0xE1, 0xE0, 0xDF}},
    {"frogger", LOSS, PAIRS, {0xCE, 0xCC}},
    {"frostbite", LOSS, PAIRS, {0xCA, 0xC9, 0xC8}},
    {"galaxian", GAIN, PAIRS, {0xAE, 0xAD, 0xAC}},
    {"gopher", LOSS, PAIRS, {0xB2, 0xB1, 0xB0}},
    {"gravitar", LOSS, PAIRS, {0x89, 0x88, 0x87}},
    {"jamesbond", LOSS, PAIRS, {0xDC, 0xDD, 0xDE}},
    {"journey_escape", LOSS, PAIRS, {0x92, 0x91, 0x90}},
    {"kangaroo", LOSS, PAIRS, {0xA8, 0xA7}},
    {"keystone_kapers", LOSS, PAIRS, {0x9C, 0x9B}},
    {"king_kong", LOSS, PAIRS, {0x83, 0x82}},
    {"klax", LOSS, PAIRS, {0xF0B4, 0xF0B5, 0xF0B6}},
    {"koolaid", LOSS, PAIRS, {0x81, 0x80}},
    {"krull", LOSS, PAIRS, {0x9E, 0x9D, 0x9C}},
    {"lost_luggage", LOSS, PAIRS, {0x96, 0x95, 0x94}},
    {"mario_bros", LOSS, PAIRS, {0x8A, 0x89}},
    {"montezuma_revenge", LOSS, PAIRS, {0x95, 0x94, 0x93}},
    {"mr_do", LOSS, PAIRS, {0x82, 0x83}},
    {"ms_pacman", LOSS, PAIRS, {0xF8, 0xF9, 0xFA}},
    {"name_this_game", LOSS, PAIRS, {0xC6, 0xC5, 0xC4}},
    {"pacman", LOSS, PAIRS, {0xCC, 0xCE, 0xD0}},
    {"pooyan", LOSS, PAIRS, {0x8A, 0x89, 0x88}},
    {"qbert", LOSS, PAIRS, {0xDB, 0xDA, 0xD9}},
    {"road_runner", LOSS, DIGITS, {0xC9, 0xCA, 0xCB, 0xCC}},
    {"sir_lancelot", LOSS, PAIRS, {0xA0, 0x9F, 0x9E}},
    {"solaris", LOSS, PAIRS, {0xDC, 0xDD, 0xDE}},
    {"space_invaders", GAIN, PAIRS, {0xE8, 0xE6}},
    {"star_gunner", LOSS, DIGITS, {0x83, 0x84, 0x85, 0x86}},
    {"tetris", NOTHING, PAIRS, {0xF1, 0xF2}},
    {"time_pilot", LOSS, PAIRS, {0x8D, 0x8F}},
    {"trondead", LOSS, PAIRS, {0xBF, 0xBE, 0xBD}},
    {"turmoil", LOSS, PAIRS, {0x89, 0x8A}},
    {"tutankham", LOSS, PAIRS, {0x9C, 0x9A}},
    {"up_n_down", LOSS, PAIRS, {0x82, 0x81, 0x80}},
    {"venture", LOSS, PAIRS, {0xC8, 0xC7}},
    {"video_pinball", LOSS, PAIRS, {0xB0, 0xB2, 0xB4}},
    {"yars_revenge", LOSS, PAIRS, {0xE2, 0xE1, 0xE0}},
    {"zaxxon", LOSS, PAIRS, {0xE9, 0xE8}},
};

/* Counters kept in a way of their own, each with a test below. */
static const char *const others[] = {"battle_zone", "laser_gates", "phoenix", "robotank",
                                     "wizard_of_wor"};

static void show(kept how, const int *addresses, int number) {
  for (int i = 0; addresses[i]; i++) {
    uint8_t *byte = &play.memory[addresses[i]];
    switch (how) {
      case PAIRS:
        *byte = (uint8_t)(number / 10 % 10 << 4 | number % 10);
        number /= 100;
        break;
      case DIGITS:
        *byte = (uint8_t)(number % 10);
        number /= 10;
        break;
      case PICTURES:
        *byte = (uint8_t)(8 * (number % 10));
        number /= 10;
        break;
      case BYTE: *byte = (uint8_t)number; break;
    }
  }
}

static void test_roll_over(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
    begin(counters[i].id);
    if (!strcmp(counters[i].id, "darkchambers")) play.memory[0xCA] = 1; /* health */
    game_counter counter = game_score_counter(play.g);
    int unit = counter.unit, size = counter.modulus / unit, large = counter.modulus;
    const int *at = counters[i].addresses;
    kept how = counters[i].kept;

    /* over the edge: from the last but one number to the second */
    show(how, at, 0);
    step();
    show(how, at, size - 2);
    expect(large - 2 * unit, large - 2 * unit);
    show(how, at, 1);
    expect(counters[i].ale == LOSS   ? 3 * unit - large
           : counters[i].ale == GAIN ? 3 * unit
                                     : 0,
           3 * unit);
    if (strcmp(counters[i].id, "darkchambers") != 0) { /* there the reference has ended the game */
      show(how, at, 3);
      expect(2 * unit, 2 * unit);
      /* what is lost in the middle of the counter is lost under both scorings */
      show(how, at, size / 2);
      expect(size / 2 * unit - 3 * unit, size / 2 * unit - 3 * unit);
      show(how, at, size / 2 - 1);
      step();
      assert_int_equal(play.by_ale.reward, play.by_fixed.reward);
    }
    end();
  }
}

/* No counter of a definition is left without its test. */
static void test_all_counters_tested(void **state) {
  (void)state;
  game_list list;
  assert_int_equal(game_list_builtin(&list, NULL), SIXER_OK);
  for (int i = 0; i < list.count; i++) {
    const char *id = game_id(list.items[i]);
    bool tested = false;
    for (size_t k = 0; k < sizeof counters / sizeof *counters; k++)
      tested |= !strcmp(counters[k].id, id);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) tested |= !strcmp(others[k], id);
    if (tested != (game_score_counter(list.items[i]).modulus != 0)) fail_msg("%s", id);
  }
  game_list_free(&list);
}

static void test_battle_zone(void **state) {
  (void)state;
  begin("battle_zone");
  play.memory[0x9D] = 0xA0; /* blanks */
  play.memory[0x9E] = 0xAA;
  expect(0, 0);
  play.memory[0x9D] = 0x90;
  play.memory[0x9E] = 0x99;
  expect(999000, 999000);
  play.memory[0x9D] = 0x10;
  play.memory[0x9E] = 0xAA;
  expect(-998000, 2000);
  end();
}

/* The ten thousands are a plain byte, which the reference takes for two digits. */
static void test_laser_gates(void **state) {
  (void)state;
  begin("laser_gates");
  play.memory[0x80] = 0x0F;
  play.memory[0x81] = play.memory[0x82] = 0x99;
  expect(159999, 159999);
  play.memory[0x80] = 0x10;
  play.memory[0x81] = play.memory[0x82] = 0x00;
  expect(100000 - 159999, 1);
  play.memory[0x80] = 0xFF;
  step();
  play.memory[0x81] = 0x99;
  expect(9900, 9900);
  play.memory[0x80] = play.memory[0x81] = 0x00;
  expect(-1659900, 100);
  end();
}

static void test_phoenix(void **state) {
  (void)state;
  begin("phoenix");
  play.memory[0xC7] = 0x90;
  play.memory[0xC8] = play.memory[0xC9] = 0x99;
  expect(999990, 999990);
  play.memory[0xC7] = 0x10;
  play.memory[0xC8] = play.memory[0xC9] = 0x00;
  expect(-999980, 20);
  end();
}

static void test_robotank(void **state) {
  (void)state;
  begin("robotank");
  play.memory[0xB6] = 255;
  play.memory[0xB5] = 11;
  expect(3071, 3071);
  play.memory[0xB6] = play.memory[0xB5] = 0;
  expect(-3071, 1);
  end();
}

/* With its bonus given the top bit is set, and the game's own addition makes 0x9999 plus 1 zero: 200,000 points. */
static void test_wizard_of_wor(void **state) {
  (void)state;
  begin("wizard_of_wor");
  play.memory[0x88] = play.memory[0x86] = 0x99;
  expect(199900, 199900);
  play.memory[0x88] = play.memory[0x86] = 0;
  expect(-199900, 100);
  play.memory[0x86] = 0x05;
  expect(500, 500);
  end();
}

/* ---- Other corrections ------------------------------------------------------------------------------------------- */

/* A million points are the end of three of Activision's games; the reference misreads how they show it. */
static void million(const char *id, const int *score, uint8_t nines, uint8_t marks,
                    int by_reference) {
  begin(id);
  for (int i = 0; i < 6 && score[i]; i++) play.memory[score[i]] = nines;
  play.memory[0xB3] = 1; /* lives of H.E.R.O. */
  expect(999999, 999999);
  for (int i = 0; i < 6 && score[i]; i++) play.memory[score[i]] = marks;
  expect(by_reference, 1);
  expect(0, 0);
}

static void test_million(void **state) {
  (void)state;
  million("hero", (const int[6]){0xB7, 0xB8, 0xB9}, 0x99, 0xBB, 222222);
  assert_false(play.by_ale.terminal); /* it waits forever */
  assert_true(play.by_fixed.terminal);
  end();
  million("kung_fu_master", (const int[6]){0x98, 0x99, 0x9A}, 0x99, 0xFF, 666666);
  assert_false(play.by_ale.terminal);
  assert_true(play.by_fixed.terminal);
  end();
  million("riverraid", (const int[6]){0xCD, 0xCF, 0xD1, 0xD3, 0xD5, 0xD7}, 72, 0x50, -999999);
  end();
}

/* The reference ends the game when the score falls, which it does when it rolls over. */
static void test_dark_chambers(void **state) {
  (void)state;
  begin("darkchambers");
  play.memory[0xCA] = 1;
  play.memory[0xCC] = play.memory[0xCF] = 0x99;
  expect(99990, 99990);
  play.memory[0xCC] = play.memory[0xCF] = 0;
  expect(0, 10);
  assert_true(play.by_ale.terminal);
  assert_false(play.by_fixed.terminal);
  play.memory[0xCF] = 0x50;
  step();
  assert_false(play.by_fixed.terminal);
  play.memory[0xCF] = 0x20; /* any other fall is the end */
  step();
  assert_true(play.by_fixed.terminal);
  end();
}

/* The reference pays the last reward again on every frame on which it reads no score. */
static void test_repeated_payments(void **state) {
  (void)state;
  begin("casino");
  play.memory[0x8C] = 0x10;
  step();
  play.memory[0x95] = 0x50;
  expect(50, 50);
  play.memory[0xD3] = 0x80; /* busy */
  expect(50, 0);
  expect(50, 0);
  play.memory[0xD3] = 0;
  expect(0, 0);
  end();

  begin("word_zapper");
  play.memory[0xCF] = 0x99; /* the clock */
  play.memory[0xDE] = 0x99;
  play.memory[0xDC] = 2; /* words to go */
  expect(0, 0);
  play.memory[0xDC] = 1;
  expect(1, 1);
  play.memory[0xCF] = 0;
  expect(1, 0);
  expect(1, 0);
  end();
}

/* The display of strokes has two digits: a hundred strokes on a hole are not ninety-nine. */
static void test_miniature_golf(void **state) {
  (void)state;
  begin("miniature_golf");
  play.memory[0xAF] = 1;
  play.memory[0x88] = 0x03; /* the par is shown between holes */
  expect(0, 0);
  play.memory[0x88] = 0;
  play.memory[0x87] = 0x99;
  expect(0, 0);
  play.memory[0x87] = 0x01;
  expect(0, 0);
  play.memory[0xAF] = 2;
  expect(3 - 100, 3 - 101);
  end();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_roll_over),      cmocka_unit_test(test_all_counters_tested),
      cmocka_unit_test(test_battle_zone),    cmocka_unit_test(test_laser_gates),
      cmocka_unit_test(test_phoenix),        cmocka_unit_test(test_robotank),
      cmocka_unit_test(test_wizard_of_wor),  cmocka_unit_test(test_million),
      cmocka_unit_test(test_dark_chambers),  cmocka_unit_test(test_repeated_payments),
      cmocka_unit_test(test_miniature_golf),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
