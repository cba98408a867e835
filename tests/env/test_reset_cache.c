/* A reset taken from the cache (reset_cache.h) gives the same bytes as one that is emulated: console, variables,
 * counters, generators and pictures, and the same future. With config.objects an env does not use the cache, so the
 * others are compared with such an env.
 * label: long */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env/reset_cache.h"
#include "env/image_search.h"
#include "games/game.h"
#include "sixer/players.h"
#include "support/generated_images.h"

enum { SAVED = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE };

static uint8_t *saved(const sixer_env *env, size_t *size) {
  *size = sixer_env_state_size(env, SAVED);
  uint8_t *state = malloc(*size);
  sixer_env_save(env, SAVED, state);
  return state;
}

/* Both at the same point: the same bytes. */
static void same(const char *what, int round, sixer_env *one, sixer_env *other) {
  size_t size, other_size;
  uint8_t *a = saved(one, &size), *b = saved(other, &other_size);
  assert_int_equal(size, other_size);
  for (size_t i = 0; i < size; i++) {
    if (a[i] != b[i])
      fail_msg("%s, round %d: byte %zu of %zu is %02x, not %02x", what, round, i, size, a[i], b[i]);
  }
  assert_memory_equal(one->m.audio, other->m.audio, sizeof one->m.audio);
  free(a);
  free(b);
}

static void play(sixer_env *one, sixer_env *other, uint64_t *random, int steps) {
  const int players = sixer_env_players(one);
  sixer_players_result result = sixer_env_players_result(one), expected;
  for (int i = 0; i < steps && !result.over; i++) {
    int actions[SIXER_PLAYERS_MAX];
    for (int k = 0; k < players; k++) actions[k] = result.lives[k] < 0 ? 0 : below(random, 18);
    assert_int_equal(sixer_env_step_players(other, actions, players, &expected, NULL), SIXER_OK);
    assert_int_equal(sixer_env_step_players(one, actions, players, &result, NULL), SIXER_OK);
    for (int k = 0; k < players; k++) {
      assert_int_equal(result.reward[k], expected.reward[k]);
      assert_int_equal(result.lives[k], expected.lives[k]);
      assert_int_equal(result.score[k], expected.score[k]);
      assert_int_equal(result.executed[k], expected.executed[k]);
    }
  }
}

/* Returns how many of the resets were taken from the cache. */
static int compare_resets(const char *name, const sixer_rom *rom, sixer_config config, int rounds) {
  sixer_env *one, *other;
  config.core = SIXER_CORE_JIT;
  assert_int_equal(sixer_env_create(rom, &config, &one, NULL), SIXER_OK);
  config.objects = true;
  assert_int_equal(sixer_env_create(rom, &config, &other, NULL), SIXER_OK);
  uint64_t random = 7;
  int repeated = 0;
  for (int round = 0; round < rounds; round++) {
    play(one, other, &random, below(&random, 60));
    int64_t before = reset_cache_hits(rom);
    sixer_env_reset(one);
    sixer_env_reset(other);
    repeated += reset_cache_hits(rom) > before;
    same(name, round, one, other);
    play(one, other, &random, 3);
    same(name, round, one, other);
  }
  sixer_env_destroy(one);
  sixer_env_destroy(other);
  return repeated;
}

/* Images of every cartridge type, and our own games. */
static void test_images(void **state) {
  (void)state;
  const char *const folders[] = {TESTS_DIR "/../roms", TESTS_DIR "/cartridges", IMAGES_DIR};
  int repeated = 0, resets = 0;
  for (int f = 0; f < 3; f++) {
    image_list *images = list_images(folders[f]);
    for (int i = 0; i < images->count; i += f == 2 ? 3 : 1) {
      sixer_rom *rom;
      sixer_config config = sixer_config_default();
      config.color_averaging = i % 3 == 0;
      config.noop_starts = i % 2 ? 5 : 0;
      config.seed = (uint32_t)i;
      config.system_seed += (uint32_t)(i % 5);
      assert_int_equal(sixer_rom_open(images->paths[i], "tetris", &rom, NULL), SIXER_OK);
      repeated += compare_resets(images->paths[i], rom, config, 6);
      resets += 6;
      sixer_rom_close(rom);
    }
    free(images);
  }
  printf("%d of %d resets were repeated\n", repeated, resets);
  assert_true(repeated > 0);
}

/* Games whose resets repeat although something about them is unusual: at least `hits` of `rounds`. */
typedef struct unusual {
  const char *id;
  int rounds, hits;
} unusual;
static const unusual unusual_games[] = {
    {"journey_escape", 6, 4}, {"trondead", 6, 4}, /* the last frames do not draw every row */
    {"qbert", 6, 4},          {"tetris", 6, 3},   /* the reset ends within a frame */
    {"video_checkers", 6, 4}, /* the rules have variables that outlive a reset */
    {"star_gunner", 30, 2},   /* executes the TIA's addresses; reads the timer */
};

static unusual expected_of(const char *id) {
  for (size_t i = 0; i < sizeof unusual_games / sizeof *unusual_games; i++) {
    if (!strcmp(unusual_games[i].id, id)) return unusual_games[i];
  }
  return (unusual){id, 6, 0};
}

/* The commercial games that are found: default mode. */
static void test_games(void **state) {
  (void)state;
  int games = 0, repeated = 0, resets = 0, never = 0;
  char names[4096] = "";
  for (int i = 0; i < game_builtin_count(); i++) {
    const char *id = game_builtin_id(i);
    char path[4096];
    sixer_rom *rom;
    if (!image_search(id, path, sizeof path) || sixer_rom_open(id, NULL, &rom, NULL)) continue;
    sixer_config config = sixer_config_default();
    const unusual expected = expected_of(id);
    int rounds = getenv("SIXER_BOOT_ROUNDS") ? atoi(getenv("SIXER_BOOT_ROUNDS")) : expected.rounds;
    int count = compare_resets(id, rom, config, rounds);
    if (getenv("SIXER_BOOT_ROUNDS")) printf("%-20s %d of %d\n", id, count, rounds);
    games++;
    resets += rounds;
    repeated += count;
    if (rounds >= expected.rounds && count < expected.hits) {
      fail_msg("%s: %d of %d resets were in the cache, expected %d", id, count, rounds,
               expected.hits);
    }
    if (!count) {
      never++;
      strncat(names, id, sizeof names - strlen(names) - 2);
      strcat(names, " ");
    }
    sixer_rom_close(rom);
  }
  if (!games) {
    printf("SKIPPED: no images of games were found\n");
    skip();
  }
  printf("%d games, %d of %d resets were repeated; never in %d: %s\n", games, repeated, resets,
         never, names);
  assert_true(repeated > 0);
}

/* All numbers of players of a game in a dialect, in the first mode, or in all with SIXER_BOOT_ROUNDS. All envs share
 * one cache, with one player and the other dialect too, and must not find each other's resets. */
static void compare_players(const char *id, const sixer_rom *rom, sixer_dialect dialect,
                            int *resets, int *repeated) {
  const char *all = getenv("SIXER_BOOT_ROUNDS");
  const int rounds = all ? atoi(all) : 6;
  for (int n = 1; n <= SIXER_PLAYERS_MAX; n++) {
    sixer_list modes = sixer_rom_player_modes(rom, dialect, n);
    for (int i = 0; i < modes.count && (all || i == 0); i++) {
      sixer_config config = sixer_config_default();
      config.players = n;
      config.dialect = dialect;
      config.mode = modes.items[i];
      config.sticky = 0.25f;
      config.seed = (uint32_t)(7 + i);
      char name[100];
      snprintf(name, sizeof name, "%s, %s, %d players, mode %d", id, sixer_dialect_name(dialect), n,
               modes.items[i]);
      *repeated += compare_resets(name, rom, config, rounds);
      *resets += rounds;
    }
  }
}

/* Ten of 22 games repeat resets within six rounds. Most others read the timer, which has 75 values, and Double Dunk
 * acts while it selects a mode, which draws random numbers. */
static void test_players(void **state) {
  (void)state;
  int games = 0, resets = 0, repeated = 0, some = 0;
  for (int i = 0; i < game_builtin_count(); i++) {
    const char *id = game_builtin_id(i);
    sixer_rom *rom;
    if (sixer_rom_open(id, NULL, &rom, NULL)) continue;
    int before = repeated;
    if (game_players(rom->game)) {
      compare_players(id, rom, SIXER_DIALECT_SIXER, &resets, &repeated);
      compare_players(id, rom, SIXER_DIALECT_MA, &resets, &repeated);
      games++;
      some += repeated > before;
      if (getenv("SIXER_BOOT_ROUNDS")) printf("%-20s %d\n", id, repeated - before);
    }
    sixer_rom_close(rom);
  }
  printf("%d games for several players, %d of %d resets were repeated; %d games have some\n", games,
         repeated, resets, some);
  assert_true(games >= 2); /* our own */
  assert_true(some * 5 >= games * 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_images), cmocka_unit_test(test_games),
                                     cmocka_unit_test(test_players)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
