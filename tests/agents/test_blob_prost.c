/* Blob-PROST features: blobs by runs against blobs pixel by pixel, for each instruction set; indices as published; the
 * features of many screens against a slow version that follows the paper's text; ids that are forgotten;
 * screens that are not 210 rows high. Screens are drawn at random, of our own games, and of commercial games where
 * ale-py is installed. `test_blob_prost 800` plays each game for 800 steps instead of 200 (test_blob_prost_all.sh).
 * label: long, 20 s */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agents/linear/blob_prost.h"
#include "agents/linear/blobs.h"

enum { PIXELS = BLOB_WIDTH * BLOB_HEIGHT };
static int game_steps = 200;

/* ---- The slow version ------------------------------------------------------------------------------------------ */

typedef struct slow_blob {
  int color, row, column; /* of the tile */
} slow_blob;

/* Flood fill: all pixels of the color of pixel `start` that are connected to it. */
static slow_blob flood(const uint8_t *screen, int height, int near, int start, bool *done) {
  static int queue[PIXELS];
  int count = 0, color = screen[start] >> 1;
  int top = height, bottom = 0, left = BLOB_WIDTH, right = 0;
  queue[count++] = start;
  done[start] = true;
  for (int i = 0; i < count; i++) {
    int y = queue[i] / BLOB_WIDTH, x = queue[i] % BLOB_WIDTH;
    if (y < top) top = y;
    if (y > bottom) bottom = y;
    if (x < left) left = x;
    if (x > right) right = x;
    for (int v = y - near; v <= y + near; v++) {
      for (int u = x - near; u <= x + near; u++) {
        if (v < 0 || v >= height || u < 0 || u >= BLOB_WIDTH) continue;
        int at = v * BLOB_WIDTH + u;
        if (done[at] || screen[at] >> 1 != color) continue;
        done[at] = true;
        queue[count++] = at;
      }
    }
  }
  return (slow_blob){color, (top + bottom) / 2 / 7, (left + right) / 2 / 4};
}

static int slow_blobs(const uint8_t *screen, int height, int near, slow_blob *blobs) {
  static bool done[PIXELS];
  int count = 0;
  memset(done, 0, sizeof done);
  if (height > BLOB_HEIGHT) height = BLOB_HEIGHT;
  for (int i = 0; i < height * BLOB_WIDTH; i++) {
    if (!done[i]) blobs[count++] = flood(screen, height, near, i, done);
  }
  return count;
}

/* The indices of the paper, as numbers that may repeat. */
static int slow_features(const slow_blob *now, int count, const slow_blob *before, int before_count,
                         bool ignores_color, uint32_t *out) {
  int n = 0;
  for (int i = 0; i < count; i++) {
    int tile = now[i].row * 40 + now[i].column;
    out[n++] = (uint32_t)(ignores_color ? tile : tile * 128 + now[i].color);
  }
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      int a = now[i].color, b = now[j].color;
      int rows = now[i].row - now[j].row, columns = now[i].column - now[j].column;
      if (a > b || (a == b && (rows < 0 || (rows == 0 && columns < 0)))) continue;
      out[n++] = (uint32_t)(153600 + (a * (2 * 128 - a + 1) / 2 + (b - a)) * 4661 +
                            (rows + 29) * 79 + columns + 39);
    }
  }
  for (int i = 0; i < before_count; i++) {
    for (int j = 0; j < count; j++) {
      int rows = before[i].row - now[j].row, columns = before[i].column - now[j].column;
      out[n++] = (uint32_t)(153600 + 38481216 + (before[i].color * 128 + now[j].color) * 4661 +
                            (rows + 29) * 79 + columns + 39);
    }
  }
  out[n++] = 115000640;
  return n;
}

static int compare_numbers(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Sorted, without repetitions. */
static int sort_numbers(uint32_t *numbers, int count) {
  qsort(numbers, (size_t)count, sizeof *numbers, compare_numbers);
  int kept = 0;
  for (int i = 0; i < count; i++) {
    if (i == 0 || numbers[i] != numbers[i - 1]) numbers[kept++] = numbers[i];
  }
  return kept;
}

/* ---- Screens --------------------------------------------------------------------------------------------------- */

/* Rectangles, some of one pixel, in a few colors, and rows that repeat. */
static void draw_screen(uint64_t *rng, uint8_t *screen, int height) {
  int colors = 2 + agent_below(rng, 5);
  memset(screen, agent_below(rng, 3) * 2, (size_t)height * BLOB_WIDTH);
  for (int i = agent_below(rng, 60); i >= 0; i--) {
    bool dot = agent_below(rng, 2);
    int wide = dot ? 1 : 1 + agent_below(rng, 40), high = dot ? 1 : 1 + agent_below(rng, 30);
    int x = agent_below(rng, BLOB_WIDTH - wide + 1), y = agent_below(rng, height);
    int byte = agent_below(rng, colors) * 34 + agent_below(rng, 20) / 19; /* odd: color loss */
    for (int v = y; v < y + high && v < height; v++)
      memset(screen + v * BLOB_WIDTH + x, byte, (size_t)wide);
  }
  for (int i = agent_below(rng, 20); i > 0; i--) {
    int from = agent_below(rng, height), to = agent_below(rng, height);
    memmove(screen + to * BLOB_WIDTH, screen + from * BLOB_WIDTH, BLOB_WIDTH);
  }
}

static feature_set *make_set(bool ignores_color, int near) {
  feature_settings settings = {.basic_ignores_color = ignores_color, .neighborhood = near};
  feature_set *set;
  sixer_error error;
  assert_int_equal(feature_set_create(&settings, &set, &error), SIXER_OK);
  return set;
}

/* ---- Tests ----------------------------------------------------------------------------------------------------- */

static void same_blobs(const blob_list *list, slow_blob *slow, int count) {
  static uint32_t expected[PIXELS], found[PIXELS];
  for (int i = 0; i < count; i++)
    expected[i] = (uint32_t)(slow[i].color * BLOB_TILES + slow[i].row * 40 + slow[i].column);
  count = sort_numbers(expected, count);
  int n = 0;
  for (int x = 0; x < list->colors; x++) {
    if (x) assert_true(list->color[x] > list->color[x - 1]);
    for (int i = list->start[x]; i < list->start[x + 1]; i++) {
      if (i > list->start[x]) assert_true(list->place[i] < list->place[i - 1]);
      found[n++] = (uint32_t)(list->color[x] * BLOB_TILES + blob_tile(list->place[i]));
    }
  }
  assert_int_equal(n, list->count);
  n = sort_numbers(found, n);
  assert_int_equal(n, list->count); /* none twice */
  assert_int_equal(n, count);
  assert_memory_equal(found, expected, (size_t)n * sizeof *found);
}

static void test_runs_against_pixels(void **state) {
  (void)state;
  static uint8_t screen[PIXELS + 20 * BLOB_WIDTH];
  static slow_blob slow[PIXELS];
  static blob_list list;
  uint64_t rng = 1;
  for (int set = BLOBS_PLAIN; set <= BLOBS_AVX512; set++) {
    if (!blob_set_works((blob_set)set)) {
      print_message("SKIPPED: instruction set %d is not here\n", set);
      continue;
    }
    for (int round = 0; round < 250; round++) {
      int near = round % 3 ? 6 : 1 + agent_below(&rng, 12);
      int height = round % 4 ? 210 : 1 + agent_below(&rng, 230);
      blob_finder *finder = blob_finder_create(near, (blob_set)set);
      for (int i = 0; i < 2; i++) { /* a finder is used again */
        draw_screen(&rng, screen, height);
        /* its own bytes, so that reading beyond them is noticed */
        uint8_t *copy = malloc((size_t)height * BLOB_WIDTH);
        memcpy(copy, screen, (size_t)height * BLOB_WIDTH);
        blob_finder_find(finder, copy, height, &list);
        same_blobs(&list, slow, slow_blobs(copy, height, near, slow));
        free(copy);
      }
      blob_finder_destroy(finder);
    }
  }
}

/* Indices that were computed by hand from the paper's text. */
static void test_published_indices(void **state) {
  (void)state;
  static uint8_t screen[PIXELS];
  sixer_error error;
  feature_list list = {0};
  feature_set *set = make_set(false, 6);
  /* a blob of color 7 in tile (14, 8), and on the next screen one of color 3 in tile (10, 20) beside it */
  memset(screen, 0, sizeof screen);
  screen[(14 * 7 + 3) * 160 + 8 * 4 + 1] = 14;
  assert_int_equal(blob_prost_screen(set, screen, 210, &list, &error), SIXER_OK);
  list.count = 0;
  screen[(10 * 7 + 3) * 160 + 20 * 4 + 1] = 6;
  assert_int_equal(blob_prost_screen(set, screen, 210, &list, &error), SIXER_OK);
  static const uint32_t expected[] = {(10 * 40 + 20) * 128 + 3, (14 * 40 + 8) * 128 + 7, 1950111,
                                      42827689, 115000640};
  for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
    bool found = false;
    for (int i = 0; i < list.count; i++) found |= blob_prost_index(set, list.ids[i]) == expected[k];
    if (!found) fail_msg("index %u is not active", expected[k]);
  }
  feature_list_free(&list);
  feature_set_destroy(set);
}

/* Compare a sequence of screens; the screen before is part of the features. */
typedef struct comparison {
  feature_set *set;
  bool ignores_color, has_before;
  int near, before_count;
  slow_blob before[PIXELS];
  int64_t features; /* compared */
} comparison;

static void compare_screen(comparison *c, const uint8_t *screen, int height) {
  static slow_blob now[PIXELS];
  static uint32_t expected[1 << 23], found[1 << 23];
  sixer_error error;
  feature_list list = {0};
  assert_int_equal(blob_prost_screen(c->set, screen, height, &list, &error), SIXER_OK);
  int count = slow_blobs(screen, height, c->near, now);
  int expected_count = slow_features(now, count, c->before, c->has_before ? c->before_count : 0,
                                     c->ignores_color, expected);
  for (int i = 0; i < list.count; i++) {
    assert_true(list.ids[i] < c->set->count);
    found[i] = blob_prost_index(c->set, list.ids[i]);
  }
  expected_count = sort_numbers(expected, expected_count);
  int found_count = sort_numbers(found, list.count);
  assert_int_equal(found_count, expected_count);
  assert_memory_equal(found, expected, (size_t)found_count * sizeof *found);
  c->features += found_count;
  feature_list_free(&list);
  memcpy(c->before, now, (size_t)count * sizeof *now);
  c->before_count = count;
  c->has_before = true;
}

/* Random play; every eighth screen and the one behind it are compared (the slow version takes milliseconds). */
static void compare_game(const char *name, int steps, bool ignores_color) {
  static comparison c;
  sixer_error error;
  sixer_rom *rom;
  sixer_env *env;
  if (sixer_rom_open(name, NULL, &rom, &error)) {
    print_message("SKIPPED: %s is not installed\n", name);
    return;
  }
  sixer_config config = sixer_config_default();
  config.frame_skip = 5;
  config.color_averaging = true;
  config.seed = 2;
  assert_int_equal(sixer_env_create(rom, &config, &env, &error), SIXER_OK);
  c = (comparison){.set = make_set(ignores_color, 6), .ignores_color = ignores_color, .near = 6};
  uint64_t rng = 3;
  for (int i = 0; i < steps; i++) {
    sixer_result result;
    if (i % 8 < 2) {
      if (i % 8 == 0) c.set->class->begin(c.set), c.has_before = false;
      compare_screen(&c, sixer_env_screen(env), sixer_env_height(env));
    }
    sixer_env_step(env, agent_below(&rng, 18), &result);
    if (result.over) sixer_env_reset(env);
  }
  /* ids are numbered without gaps, and each has an index of its own */
  assert_true(c.set->count > 100);
  feature_set_destroy(c.set);
  sixer_env_destroy(env);
  sixer_rom_close(rom);
}

static void test_own_games(void **state) {
  (void)state;
  static const char *const games[] = {"afterglow",  "cragfast",  "duskrain",
                                      "hedgelight", "sporefall", "undervault"};
  for (size_t i = 0; i < sizeof games / sizeof games[0]; i++)
    compare_game(games[i], game_steps, i % 2);
}

static void test_commercial_games(void **state) {
  (void)state;
  static const char *const games[] = {"asterix", "beam_rider", "freeway",
                                      "pong",    "seaquest",   "space_invaders"};
  for (size_t i = 0; i < sizeof games / sizeof games[0]; i++)
    compare_game(games[i], game_steps, false);
}

/* Screens of other heights: rows below 210 do not count; missing ones have no blobs. */
static void test_heights(void **state) {
  (void)state;
  static comparison c;
  static uint8_t screen[250 * BLOB_WIDTH];
  uint64_t rng = 11;
  for (int round = 0; round < 12; round++) {
    int height = round < 6 ? 250 : 100 + agent_below(&rng, 110);
    c = (comparison){.set = make_set(false, 6), .near = 6};
    for (int i = 0; i < 4; i++) {
      draw_screen(&rng, screen, height);
      compare_screen(&c, screen, height);
    }
    feature_set_destroy(c.set);
  }
}

/* Ids that are forgotten are given again, in the order of sight, and the others stay. */
static void test_forgetting(void **state) {
  (void)state;
  static uint8_t screens[3][PIXELS];
  sixer_error error;
  uint64_t rng = 5;
  for (int i = 0; i < 3; i++) draw_screen(&rng, screens[i], 210);
  feature_set *set = make_set(false, 6), *other = make_set(false, 6);
  feature_list list = {0}, same = {0};
  blob_prost_screen(set, screens[0], 210, &list, &error);
  blob_prost_screen(other, screens[0], 210, &list, &error);
  uint32_t known = set->count;
  blob_prost_screen(set, screens[1], 210, &list, &error);
  assert_true(set->count > known);
  set->class->forget(set, known);
  assert_int_equal(set->count, known);
  set->class->begin(set);
  other->class->begin(other);
  list.count = 0;
  blob_prost_screen(set, screens[2], 210, &list, &error);
  blob_prost_screen(other, screens[2], 210, &same, &error);
  assert_int_equal(list.count, same.count);
  assert_memory_equal(list.ids, same.ids, (size_t)list.count * sizeof *list.ids);
  for (uint32_t id = 0; id < set->count; id++)
    assert_int_equal(blob_prost_index(set, id), blob_prost_index(other, id));
  feature_list_free(&list);
  feature_list_free(&same);
  feature_set_destroy(set);
  feature_set_destroy(other);
}

/* A screen of noise has so many blobs that no learner could use them: that is said, and nothing breaks. */
static void test_noise(void **state) {
  (void)state;
  static uint8_t screen[PIXELS];
  sixer_error error;
  feature_list list = {0};
  feature_set *set = make_set(false, 1);
  uint64_t rng = 9;
  for (int i = 0; i < PIXELS; i++) screen[i] = (uint8_t)(agent_below(&rng, 128) * 2);
  assert_int_equal(blob_prost_screen(set, screen, 210, &list, &error), SIXER_ERR_MEMORY);
  assert_non_null(strstr(error.message, "too many Blob-PROST features"));
  memset(screen, 0, sizeof screen);
  assert_int_equal(blob_prost_screen(set, screen, 210, &list, &error), SIXER_OK);
  feature_list_free(&list);
  feature_set_destroy(set);
}

int main(int argc, char **argv) {
  if (argc > 1) game_steps = atoi(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_runs_against_pixels),
      cmocka_unit_test(test_published_indices),
      cmocka_unit_test(test_own_games),
      cmocka_unit_test(test_commercial_games),
      cmocka_unit_test(test_heights),
      cmocka_unit_test(test_forgetting),
      cmocka_unit_test(test_noise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
