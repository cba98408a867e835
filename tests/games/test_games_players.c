/* The block `players` of a definition: rules, modes and variables for several players, and what it leaves alone. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "games/game.h"

static uint8_t ram[128];
static const game_view view = {ram, NULL, NULL};

static game *compile(const char *text) {
  game *g = NULL;
  sixer_error error = {SIXER_OK, ""};
  if (game_compile("t.game", text, strlen(text), &g, &error)) fail_msg("%s", error.message);
  return g;
}

#define HEAD                                                     \
  "game test\ntitle \"A test\"\nactions NOOP FIRE\nstart FIRE\n" \
  "md5 0123456789abcdef0123456789abcdef\n"
#define ONE \
  "modes 0, 2\nkeep lead = 0\nstep { reward = advance lead to ram[0x80] }\nselect { reset }\n"
#define BLOCK                                                                               \
  "players {\n  modes for 2 : 3, 5..6\n  modes for 3 only sixer : 4\n  mode_offset -1\n"    \
  "  turn_limit 9\n  keep lead = 0, two = false unreset, lives_2 = 5\n"                     \
  "  report lives = 7, lives_2\n"                                                           \
  "  step {\n    reward = advance lead to ram[0x80]\n    reward_2 = -reward - turn_limit\n" \
  "    reward_3 = ma ? 30 : 31\n    reward_4 = two\n    lives_2 = ram[0x81]\n"              \
  "    terminal = ram[0x82] != 0\n  }\n"                                                    \
  "  select {\n    two = mode == 5\n    while ram[0x80] != mode { press select }\n"         \
  "    if not ma { wait 30 }\n    reset\n  }\n}\n"

static void list_is(sixer_list list, int count, const int *items) {
  assert_int_equal(list.count, count);
  assert_memory_equal(list.items, items, sizeof *items * (size_t)count);
}

static void test_lists(void **state) {
  (void)state;
  game *g = compile(HEAD ONE BLOCK);
  const game *p = game_players(g);
  assert_non_null(p);
  assert_null(game_players(p));
  assert_false(game_only_players(g));
  list_is(game_modes(g), 2, (int[]){0, 2});
  list_is(game_player_modes(p, SIXER_DIALECT_MA, 2), 3, (int[]){3, 5, 6});
  list_is(game_player_modes(p, SIXER_DIALECT_SIXER, 2), 3, (int[]){2, 4, 5});
  list_is(game_player_modes(p, SIXER_DIALECT_SIXER, 3), 1, (int[]){3});
  assert_int_equal(game_player_modes(p, SIXER_DIALECT_MA, 3).count, 0);
  assert_int_equal(game_player_modes(p, SIXER_DIALECT_MA, 5).count, 0);
  assert_int_equal(game_player_modes(g, SIXER_DIALECT_MA, 2).count, 0);
  assert_int_equal(game_players_of_mode(p, SIXER_DIALECT_MA, 6), 2);
  assert_int_equal(game_players_of_mode(p, SIXER_DIALECT_MA, 4), 0);
  assert_int_equal(game_players_of_mode(p, SIXER_DIALECT_SIXER, 3), 3);
  assert_int_equal(game_turn_limit(p), 9);
  assert_string_equal(game_var_name(p, game_turn_variable(p)), "turn_limit");
  assert_int_equal(game_turn_variable(g), -1);
  /* what the block does not say is as outside */
  list_is(game_minimal_actions(p), 2, (int[]){0, 1});
  list_is(game_start_actions(p), 1, (int[]){1});
  assert_true(game_has_md5(p, "0123456789abcdef0123456789abcdef"));
  game_free(g);
}

static char log_text[200];
static void press(void *env, int frames) {
  (void)env, (void)frames;
  ram[0]++;
  strcat(log_text, "press ");
}
static void act(void *env, int action) { (void)env, (void)action; }
static void reset(void *env) {
  (void)env;
  strcat(log_text, "reset ");
}
static void wait_frames(void *env, int frames) {
  (void)env;
  snprintf(log_text + strlen(log_text), 20, "wait %d ", frames);
}

static void test_playing(void **state) {
  (void)state;
  game *g = compile(HEAD ONE BLOCK);
  const game *p = game_players(g);
  const game_host host = {
      .press_select = press, .act = act, .soft_reset = reset, .wait = wait_frames};
  int32_t vars[GAME_MAX_VARS];
  game_init(p, vars);
  /* dialect sixer calls mode 5 of the rules 4 */
  memset(ram, 0, sizeof ram);
  log_text[0] = 0;
  game_select_players(p, 4, 0, vars, &view, &host, SIXER_DIALECT_SIXER, 0);
  assert_string_equal(log_text, "press press press press press wait 30 reset ");
  log_text[0] = 0;
  game_select_players(p, 5, 0, vars, &view, &host, SIXER_DIALECT_MA, 0);
  assert_string_equal(log_text, "reset ");
  ram[0] = 12;
  ram[1] = 3;
  game_outcome outcome = game_step_players(p, vars, &view, SIXER_SCORING_ALE, SIXER_DIALECT_MA, 0);
  assert_int_equal(outcome.reward, 12);
  assert_false(outcome.terminal);
  const int rewards[] = {12, -21, 30, 1}, lives[] = {7, 3, 7, 7};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(game_reward_of(vars, i), rewards[i]);
    assert_int_equal(game_lives_of(p, vars, i), lives[i]);
  }
  /* a reset restores what is not `unreset`: the flag and the limit stay */
  vars[game_turn_variable(p)] = 0;
  game_reset(p, vars);
  ram[2] = 1;
  outcome = game_step_players(p, vars, &view, SIXER_SCORING_ALE, SIXER_DIALECT_SIXER, 0);
  assert_true(outcome.terminal);
  assert_int_equal(game_reward_of(vars, 1), -12);
  assert_int_equal(game_reward_of(vars, 2), 31);
  assert_int_equal(game_reward_of(vars, 3), 1);
  game_free(g);
}

/* The rules for one player are what they are without the block: so is their hash, which tapes hold. */
static void test_one_player(void **state) {
  (void)state;
  game *without = compile(HEAD ONE), *with = compile(HEAD ONE "\n# several\n" BLOCK),
       *between = compile(HEAD BLOCK ONE);
  assert_string_equal(game_hash(without), game_hash(with));
  assert_string_equal(game_hash(without), game_hash(between));
  assert_string_not_equal(game_hash(game_players(with)), game_hash(with));
  assert_int_equal(game_var_count(without), game_var_count(with));
  assert_null(game_players(without));
  game_free(without);
  game_free(with);
  game_free(between);
}

/* Without rules for one player, it plays by those of the block if they have a mode for one; else by none. */
static void test_players_only(void **state) {
  (void)state;
  int32_t vars[GAME_MAX_VARS];
  game *g = compile(HEAD BLOCK);
  assert_true(game_only_players(g));
  list_is(game_modes(g), 1, (int[]){0});
  memset(ram, 255, sizeof ram);
  game_init(g, vars);
  game_outcome outcome = game_step(g, vars, &view, SIXER_SCORING_ALE);
  assert_int_equal(outcome.reward, 0);
  assert_false(outcome.terminal);
  assert_int_equal(game_lives(g, vars), 1);
  game_free(g);
  g = compile(
      HEAD "players {\n modes for 1 : 4, 9\n step { reward = ram[0x80] }\n select { reset }\n}\n");
  assert_false(game_only_players(g));
  list_is(game_modes(g), 2, (int[]){4, 9});
  assert_int_equal(game_default_mode(g), 4);
  game_init(g, vars);
  assert_int_equal(game_step(g, vars, &view, SIXER_SCORING_ALE).reward, 255);
  game_free(g);
}

/* Words of the block are free names elsewhere: definitions that used them before still compile. */
static void test_free_words(void **state) {
  (void)state;
  game *g = compile(HEAD "keep wait = 0, ma = 1, reward_2 = 5\nstep { wait = ma + reward_2 }\n");
  game_free(g);
}

static void test_errors(void **state) {
  (void)state;
#define IN(line) "players {\n" line "\n}\n"
  static const struct {
    const char *text, *message;
  } cases[] = {
      {IN("title \"x\""), "t.game:2:1: 'title' is not possible inside the block 'players'"},
      {IN("players {"), "t.game:2:1: 'players' is not possible inside the block 'players'"},
      {"turn_limit 3\n", "t.game:1:1: 'turn_limit' is possible inside the block 'players' only"},
      {IN("modes 3"), "t.game:2:7: expected 'for' and the number of players, found '3'"},
      {IN("modes for 5 : 3"), "t.game:2:11: the number of players must be between 1 and 4"},
      {IN("modes for 2 only ma : 3"), "t.game:2:18: expected 'sixer', found 'ma'"},
      {IN("modes for 2 : 3\nmodes for 2 : 4"), "t.game:3:13: a second list of modes for 2 players"},
      {IN("modes for 2 : 3\nmodes for 2 only sixer : 3"), "t.game:3:27: mode 3 appears twice"},
      {IN("modes for 2 : 0\nmode_offset -1\nstep { }\nselect { }"),
       "t.game:6:1: mode_offset makes a mode negative"},
      {IN("step { }"), "t.game:3:1: the block 'players' has no line 'modes for N : ...'"},
      {IN("modes for 2 : 0"), "t.game:3:1: the block 'players' has no line 'step { ... }'"},
      {IN("modes for 2 : 0\nstep { }"),
       "t.game:4:1: the block 'players' has no line 'select { ... }'"},
      {IN("report lives = 1, 2, 3, 4, 5"), "t.game:2:28: there are at most 4 players"},
      {IN("turn_limit 0"), "t.game:2:12: the number of frames must be between 1 and 1000000"},
      {IN("step { wait 3 }"), "t.game:2:8: 'wait' is possible while a mode is selected only"},
      {IN("select { wait 0 }"), "t.game:2:15: the number of frames must be between 1 and 1000"},
      {IN("keep ma = 1"), "t.game:2:6: 'ma' is a word of the language"},
      {"keep lead = 1\n" IN("step { reward = lead }"), "t.game:3:17: unknown name 'lead'"},
      {"step { wait = 1 }\n",
       "t.game:1:8: unknown variable 'wait': declare it with 'keep' or 'counter', or inside the "
       "rules with 'let'"},
      {"players {\n", "t.game:2:1: expected a word that begins a line, found the end of the file"},
      {IN("modes for 2 : 0\nstep { }\nselect { }") IN(""), "t.game:6:1: a second line 'players'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    game *g = NULL;
    sixer_error error = {SIXER_OK, ""};
    sixer_err err = game_compile("t.game", cases[i].text, strlen(cases[i].text), &g, &error);
    if (err != SIXER_ERR_GAME || g || strcmp(error.message, cases[i].message) != 0)
      fail_msg("%s\ngave: %s\nexpected: %s", cases[i].text, error.message, cases[i].message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lists),      cmocka_unit_test(test_playing),
      cmocka_unit_test(test_one_player), cmocka_unit_test(test_players_only),
      cmocka_unit_test(test_free_words), cmocka_unit_test(test_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
