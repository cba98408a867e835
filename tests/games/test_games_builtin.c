/* The definitions that come with the library: all compile, none overlap, and every one runs on any memory. Also the
 * user's own folder: what is read from it, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "games/game.h"

static uint64_t random_state;

static uint32_t next_random(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(random_state >> 33);
}

static uint8_t peek_random(void *machine, uint16_t address) {
  (void)machine;
  return (uint8_t)(next_random() + address);
}

static void test_all_compile(void **state) {
  (void)state;
  game_list list;
  sixer_error error = {SIXER_OK, ""};
  if (game_list_builtin(&list, &error)) fail_msg("%s", error.message);
  int known = 0, flavors = 0, legacy = 0;
  for (int i = 0; i < list.count; i++) {
    const game *g = list.items[i];
    assert_string_equal(game_id(g), game_builtin_id(i)); /* the file is named like the game */
    if (i) assert_true(strcmp(game_id(list.items[i - 1]), game_id(g)) < 0);
    assert_int_equal(game_md5_count(g), 1);
    for (int k = 0; k < i; k++) assert_false(game_has_md5(list.items[k], game_md5_at(g, 0)));
    if (!strncmp(game_gymnasium_id(g), "ALE/", 4)) { /* the others are our own */
      known++;
      flavors += game_modes(g).count * game_difficulties(g).count;
      legacy += game_gymnasium_legacy(g);
    }

    game *found = NULL;
    assert_int_equal(game_find_md5(game_md5_at(g, 0), &found, &error), SIXER_OK);
    assert_non_null(found);
    assert_string_equal(game_id(found), game_id(g));
    game_free(found);
  }
  assert_int_equal(known, 104);
  assert_int_equal(flavors, 1090);
  assert_int_equal(legacy, 62);
  game_list_free(&list);
}

static void ignore_press(void *env, int frames) {
  (void)frames;
  for (int i = 0; i < 128; i++) ((uint8_t *)env)[i] = (uint8_t)next_random();
}
static void ignore_act(void *env, int action) { ignore_press(env, action); }
static void ignore_reset(void *env) { ignore_press(env, 4); }
static uint32_t draw(void *env) {
  (void)env;
  return next_random();
}
static void poke(void *env, int address, uint8_t value) {
  ((uint8_t *)env)[address & 0x7F] = value;
}
static bool never_over(void *env) {
  (void)env;
  return false;
}

/* Whatever memory holds, rules and procedures run to their end; under the sanitizers this finds stray accesses. */
static void test_any_memory(void **state) {
  (void)state;
  game_list list;
  random_state = 1;
  assert_int_equal(game_list_builtin(&list, NULL), SIXER_OK);
  for (int i = 0; i < list.count; i++) {
    const game *g = list.items[i];
    uint8_t ram[128] = {0};
    int32_t vars[GAME_MAX_VARS];
    game_view view = {ram, peek_random, NULL};
    game_host host = {ram,  ignore_press, ignore_act, ignore_reset,
                      draw, poke,         never_over, ignore_press};
    game_init(g, vars);
    sixer_list modes = game_modes(g);
    for (int n = 0; n < 500; n++) {
      if (n % 100 == 50) {
        game_reset(g, vars);
        game_select_mode(g, modes.items[next_random() % (uint32_t)modes.count], 0, vars, &view,
                         &host);
      }
      for (int k = 0; k < 128; k++) ram[k] = (uint8_t)next_random();
      game_outcome outcome = game_step(g, vars, &view, (sixer_scoring)(n & 1));
      assert_int_equal(outcome.terminal, game_terminal(g, vars));
      game_lives(g, vars);
    }
  }
  game_list_free(&list);
}

/* The same for the rules for several players, in both dialects and all their modes. */
static void test_any_memory_players(void **state) {
  (void)state;
  game_list list;
  random_state = 3;
  int several = 0, modes[GAME_DIALECTS][GAME_MAX_PLAYERS] = {{0}};
  assert_int_equal(game_list_builtin(&list, NULL), SIXER_OK);
  for (int i = 0; i < list.count; i++) {
    const game *g = game_players(list.items[i]);
    if (!g) continue;
    several++;
    assert_string_equal(game_id(g), game_id(list.items[i]));
    uint8_t ram[128] = {0};
    int32_t vars[GAME_MAX_VARS];
    game_view view = {ram, peek_random, NULL};
    game_host host = {ram,  ignore_press, ignore_act, ignore_reset,
                      draw, poke,         never_over, ignore_press};
    game_init(g, vars);
    for (int d = 0; d < GAME_DIALECTS; d++) {
      for (int n = 1; n <= GAME_MAX_PLAYERS; n++) {
        sixer_list m = game_player_modes(g, (sixer_dialect)d, n);
        modes[d][n - 1] += m.count;
        for (int k = 0; k < m.count; k++) {
          /* within a dialect a mode is for one number of players only */
          assert_int_equal(game_players_of_mode(g, (sixer_dialect)d, m.items[k]), n);
          game_reset(g, vars);
          game_select_players(g, m.items[k], 0, vars, &view, &host, (sixer_dialect)d, d ? 0 : -1);
          for (int f = 0; f < 20; f++) {
            for (int b = 0; b < 128; b++) ram[b] = (uint8_t)next_random();
            game_step_players(g, vars, &view, (sixer_scoring)(f & 1), (sixer_dialect)d, d ? 0 : -1);
            for (int p = 0; p < n; p++) assert_in_range(game_lives_of(g, vars, p) + 129, 0, 400);
          }
        }
      }
    }
  }
  assert_int_equal(several, 20 + 2);
  /* all modes of the reference, and of two games of our own; and those for three players, which are ours */
  const int ma[] = {91 + 8, 206 + 12, 0, 31 + 4}, own[] = {91 + 8, 206 + 12, 5 + 4, 31 + 4};
  assert_memory_equal(modes[SIXER_DIALECT_MA], ma, sizeof ma);
  assert_memory_equal(modes[SIXER_DIALECT_SIXER], own, sizeof own);
  game_list_free(&list);
}

/* `fixed` and `ale` pay the same as long as no counter is near its end. */
static void test_fixed_only_where_needed(void **state) {
  (void)state;
  game_list list;
  random_state = 2;
  assert_int_equal(game_list_builtin(&list, NULL), SIXER_OK);
  for (int i = 0; i < list.count; i++) {
    const game *g = list.items[i];
    if (game_has_corrections(g)) continue;
    uint8_t ram[128];
    int32_t ale[GAME_MAX_VARS], fixed[GAME_MAX_VARS];
    game_view view = {ram, NULL, NULL};
    game_init(g, ale);
    game_init(g, fixed);
    for (int n = 0; n < 300; n++) {
      for (int k = 0; k < 128; k++) ram[k] = (uint8_t)next_random();
      game_step(g, ale, &view, SIXER_SCORING_ALE);
      game_step(g, fixed, &view, SIXER_SCORING_FIXED);
      assert_memory_equal(ale, fixed, sizeof *ale * (size_t)game_var_count(g));
    }
  }
  game_list_free(&list);
}

/* ---- The user's folder ----------------------------------------------------------------------------------------- */

static char folder[64];

static void write_file(const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void remove_file(const char *name) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_int_equal(unlink(path), 0);
}

#define MINE(id, md5) \
  "game " id "\ntitle \"Mine\"\nmd5 " md5 "\nactions NOOP\nstep { reward = 1 }\n"
#define MD5_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define MD5_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define MD5_C "cccccccccccccccccccccccccccccccc"

static int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/sixer_games_XXXXXX");
  if (!mkdtemp(folder)) return -1;
  return setenv("SIXER_GAMES", folder, 1);
}

static int drop_folder(void **state) {
  (void)state;
  unsetenv("SIXER_GAMES");
  return rmdir(folder);
}

static void test_user_folder(void **state) {
  (void)state;
  game *g = NULL;
  sixer_error error;
  write_file("b.game", MINE("mine_b", MD5_B));
  write_file("a.game", MINE("mine_a", MD5_A));
  write_file("notes.txt", "not a definition");
  assert_int_equal(game_find_id("mine_b", &g, &error), SIXER_OK);
  assert_string_equal(game_id(g), "mine_b");
  game_free(g);
  assert_int_equal(game_find_md5(MD5_A, &g, &error), SIXER_OK);
  assert_string_equal(game_id(g), "mine_a");
  game_free(g);
  assert_int_equal(game_find_id("nobody", &g, &error), SIXER_OK);
  assert_null(g);
  game_list list;
  assert_int_equal(game_list_folder(folder, &list, &error), SIXER_OK);
  assert_int_equal(list.count, 2);
  assert_string_equal(game_id(list.items[0]), "mine_a");
  game_list_free(&list);

  /* a wrong file hides no other game; who asks for its game is told what is wrong with it */
  write_file("c.game", "game c\ntitle x\n# " MD5_C "\n");
  assert_int_equal(game_find_id("pong", &g, &error), SIXER_OK);
  game_free(g);
  assert_int_equal(game_find_id("mine_b", &g, &error), SIXER_OK);
  assert_non_null(g);
  game_free(g);
  assert_int_equal(game_find_id("nobody", &g, &error), SIXER_OK);
  assert_null(g);
  assert_int_equal(game_find_id("c", &g, &error), SIXER_ERR_GAME);
  assert_non_null(strstr(error.message, "c.game:2:7: expected a title in quotes, found 'x'"));
  assert_int_equal(game_find_md5(MD5_C, &g, &error), SIXER_ERR_GAME);
  assert_non_null(strstr(error.message, "c.game:2:7: expected a title in quotes, found 'x'"));

  /* nobody may claim what another has; the first of two files keeps it */
  const struct {
    const char *text, *problem;
  } clashes[] = {
      {MINE("mine_c", MD5_B), "c.game:3:5: this MD5 belongs to the game 'mine_b' (Mine)"},
      {MINE("mine_b", MD5_C), "c.game:1:6: this id belongs to the game 'mine_b' (Mine)"},
      {MINE("pong", MD5_C), "c.game:1:6: this id belongs to the game 'pong' (Pong)"},
      {MINE("mine_c", "60E0EA3CBE0913D39803477945E9E5EC"),
       "c.game:3:5: this MD5 belongs to the game 'pong' (Pong)"},
  };
  for (size_t i = 0; i < sizeof clashes / sizeof clashes[0]; i++) {
    write_file("c.game", clashes[i].text);
    assert_int_equal(game_list_folder(folder, &list, &error), SIXER_OK);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.problem_count, 1);
    assert_int_equal(list.problems[0].error.code, SIXER_ERR_GAME);
    assert_non_null(strstr(list.problems[0].error.message, clashes[i].problem));
    assert_non_null(strstr(list.problems[0].path, "c.game"));
    game_list_free(&list);
    assert_int_equal(game_find_id("mine_b", &g, &error), SIXER_OK);
    assert_true(game_has_md5(g, MD5_B));
    game_free(g);
  }

  remove_file("a.game");
  remove_file("b.game");
  remove_file("c.game");
  remove_file("notes.txt");
}

static void test_missing_files(void **state) {
  (void)state;
  game *g = NULL;
  game_list list;
  sixer_error error;
  assert_int_equal(game_load_file("/nowhere/x.game", &g, &error), SIXER_ERR_FILE);
  assert_non_null(strstr(error.message, "/nowhere/x.game: No such file"));
  assert_int_equal(game_load_file("/tmp", &g, &error), SIXER_ERR_FILE);
  assert_int_equal(game_list_folder("/nowhere", &list, &error), SIXER_OK);
  assert_int_equal(list.count, 0);
  assert_int_equal(game_list_folder("/dev/null", &list, &error), SIXER_ERR_FILE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_compile),
      cmocka_unit_test(test_any_memory),
      cmocka_unit_test(test_any_memory_players),
      cmocka_unit_test(test_fixed_only_where_needed),
      cmocka_unit_test_setup_teardown(test_user_folder, make_folder, drop_folder),
      cmocka_unit_test(test_missing_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
