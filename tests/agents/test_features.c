/* Each feature set against a slow, obvious version of itself: every pixel and every pair is looked at, nothing is kept
 * from screen to screen. The screens are of random play of our own games and, where their images are found, of the five
 * games that Bellemare et al. 2013 tuned their agents on.
 * label: long, sanitize, 17 s */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "agents/linear/disco.h"
#include "agents/linear/foreground.h"
#include "agents/linear/pair_index.h"
#include "support/generated_images.h"

enum { WIDTH = 160, HEIGHT = 210, PIXELS = WIDTH * HEIGHT, MOST = 1 << 18 };

/* Sanitized builds are ten times slower: they compare fewer screens, with models that are made of fewer screens. What a
 * model finds in more of them is compared in the other builds. */
#ifdef __SANITIZE_ADDRESS__
enum { FEWER = 6, BACKGROUND_SCREENS = 40, DISCO_SCREENS = 300 };
#else
enum { FEWER = 1, BACKGROUND_SCREENS = 200, DISCO_SCREENS = 1500 };
#endif

static const char *const own[] = {"duskrain", "sporefall", "hedgelight", "undervault"};
static const char *const others[] = {"asterix", "beam_rider", "freeway", "seaquest",
                                     "space_invaders"};

/* ---- Sets and lists -------------------------------------------------------------------------------------------- */

static feature_settings settings(void) {
  return (feature_settings){.background_screens = BACKGROUND_SCREENS,
                            .background_seed = 5,
                            .lsh_seed = 1,
                            .disco_screens = DISCO_SCREENS,
                            .disco_length = 10,
                            .disco_instances = 20};
}

static feature_set *create(const feature_class *class, const feature_settings *s) {
  sixer_error error;
  feature_set *set = calloc(1, class->size);
  set->class = class;
  if (class->create && class->create(set, s, &error))
    fail_msg("%s: %s", class->name, error.message);
  return set;
}

static void destroy(feature_set *set) {
  if (set->class->destroy) set->class->destroy(set);
  free(set);
}

static int by_value(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* Sort, and leave one of each. */
static int tidy(uint32_t *list, int count) {
  int kept = 0;
  qsort(list, (size_t)count, sizeof *list, by_value);
  for (int i = 0; i < count; i++) {
    if (!kept || list[kept - 1] != list[i]) list[kept++] = list[i];
  }
  return kept;
}

static void assert_same(const char *what, uint32_t *found, int found_count, uint32_t *expected,
                        int count) {
  found_count = tidy(found, found_count);
  count = tidy(expected, count);
  if (found_count != count) fail_msg("%s: %d features, expected %d", what, found_count, count);
  for (int i = 0; i < count; i++) {
    if (found[i] != expected[i])
      fail_msg("%s: feature %u, expected %u", what, found[i], expected[i]);
  }
}

/* ---- Play ------------------------------------------------------------------------------------------------------ */

typedef struct scene {
  const char *name;
  sixer_rom *rom;
  sixer_env *env;
  uint64_t rng;
  bool began; /* an episode, with the last step */
} scene;

static bool open_game(scene *g, const char *name, bool picture) {
  sixer_error error;
  *g = (scene){.name = name, .rng = 7};
  if (sixer_rom_open(name, NULL, &g->rom, &error)) return false;
  sixer_config config = sixer_config_default();
  config.frame_skip = 5;
  config.max_frames = 18000;
  config.picture = picture;
  if (sixer_env_create(g->rom, &config, &g->env, &error)) fail_msg("%s", error.message);
  g->began = true;
  return true;
}

static void take_step(scene *g) {
  sixer_result result;
  g->began = false;
  sixer_env_step(g->env, below(&g->rng, 18), &result);
  if (!result.over && below(&g->rng, 500)) return;
  sixer_env_reset(g->env);
  g->began = true;
}

static void close_game(scene *g) {
  sixer_env_destroy(g->env);
  sixer_rom_close(g->rom);
}

/* Call `check` with each game that is found. */
static void with_games(bool picture, int screens, void (*check)(scene *g, int screens)) {
  scene g;
  screens = (screens + FEWER - 1) / FEWER;
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    if (!open_game(&g, own[i], picture)) fail_msg("%s is ours and was not found", own[i]);
    check(&g, screens);
    close_game(&g);
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (!open_game(&g, others[i], picture)) {
      print_message("SKIPPED: no image of %s was found\n", others[i]);
      continue;
    }
    check(&g, screens);
    close_game(&g);
  }
}

/* ---- The slow versions ----------------------------------------------------------------------------------------- */

static uint32_t expected[MOST];

static int slow_basic(sixer_env *env, const uint8_t *background, uint32_t *list) {
  static bool on[14][16][128];
  const uint8_t *screen = sixer_env_screen(env);
  int count = 0, height = sixer_env_height(env);
  memset(on, 0, sizeof on);
  for (int y = 0; y < height && y < HEIGHT; y++) {
    for (int x = 0; x < WIDTH; x++) {
      uint8_t pixel = screen[y * WIDTH + x];
      if (pixel != background[y * WIDTH + x]) on[y / 15][x / 10][pixel >> 1] = true;
    }
  }
  for (uint32_t row = 0; row < 14; row++) {
    for (uint32_t column = 0; column < 16; column++) {
      for (uint32_t color = 0; color < 128; color++) {
        if (on[row][column][color]) list[count++] = (row * 16 + column) * 128 + color;
      }
    }
  }
  return count;
}

/* Singles and all pairs of them, of n possible ones. */
static int slow_pairs(const uint32_t *singles, int count, uint32_t n, uint32_t *list) {
  int total = 0;
  for (int i = 0; i < count; i++) list[total++] = singles[i];
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < count; k++) {
      uint32_t a = singles[i], b = singles[k];
      if (a < b) list[total++] = n + a * (n - 1) - (a * a - a) / 2 + (b - a - 1);
    }
  }
  return total;
}

static int slow_bass(sixer_env *env, const uint8_t *background, uint32_t *list) {
  uint32_t basic[PROST_BASIC], singles[PROST_BASIC];
  int count = slow_basic(env, background, basic);
  for (int i = 0; i < count; i++) singles[i] = basic[i] / 128 * 8 + basic[i] % 8;
  count = tidy(singles, count);
  return slow_pairs(singles, count, 1792, list);
}

static int slow_ram(sixer_env *env, uint32_t *list) {
  const uint8_t *ram = sixer_env_ram(env);
  uint32_t singles[1024];
  int count = 0;
  for (uint32_t b = 0; b < 128; b++) {
    for (uint32_t k = 0; k < 8; k++) {
      if (ram[b] >> k & 1) singles[count++] = 8 * b + 7 - k;
    }
  }
  return slow_pairs(singles, count, 1024, list);
}

/* ---- Tests ----------------------------------------------------------------------------------------------------- */

/* The background that a set with settings() samples for itself. */
static void sample_background(const scene *g, background_model *background) {
  sample_settings sampling = {*sixer_env_config(g->env), BACKGROUND_SCREENS, 5, NULL, 0};
  sixer_error error;
  if (background_sample(g->rom, &sampling, background, &error)) fail_msg("%s", error.message);
}

/* The set's bits are the singles among the `count` features in `expected`. */
static void assert_bits(feature_set *set, scene *g, uint32_t singles, int count) {
  uint64_t bits[28];
  sixer_error error;
  if (set->class->look(set, g->env, bits, &error)) fail_msg("%s", error.message);
  for (uint32_t k = 0; k < singles; k++) {
    bool listed = bsearch(&k, expected, (size_t)count, sizeof k, by_value) != NULL;
    assert_int_equal(bits[k / 64] >> (k % 64) & 1, listed);
  }
}

static void compare_basic(scene *g, int screens) {
  feature_settings s = settings();
  feature_set *set = create(&features_basic, &s);
  feature_list list = {0};
  background_model background;
  sixer_error error;
  sample_background(g, &background);
  for (int i = 0; i < screens; i++, take_step(g)) {
    list.count = 0;
    if (set->class->active(set, g->env, &list, &error)) fail_msg("%s", error.message);
    int count = slow_basic(g->env, background.pixels, expected);
    for (int k = 0; k < list.count; k++) assert_true(list.ids[k] < set->count);
    assert_same(g->name, list.ids, list.count, expected, count);
  }
  feature_list_free(&list);
  destroy(set);
}

static void test_basic(void **state) {
  (void)state;
  with_games(true, 150, compare_basic);
}

static void compare_bass(scene *g, int screens) {
  feature_settings s = settings();
  s.bias = true;
  feature_set *set = create(&features_bass, &s);
  feature_list list = {0};
  background_model background;
  sixer_error error;
  sample_background(g, &background);
  for (int i = 0; i < screens; i++, take_step(g)) {
    list.count = 0;
    if (set->class->active(set, g->env, &list, &error)) fail_msg("%s", error.message);
    int count = slow_bass(g->env, background.pixels, expected);
    expected[count++] = 1606528;
    assert_same(g->name, list.ids, list.count, expected, count);
    assert_bits(set, g, 1792, count);
  }
  feature_list_free(&list);
  destroy(set);
}

static void test_bass(void **state) {
  (void)state;
  with_games(true, 50, compare_bass);
}

static void compare_ram(scene *g, int screens) {
  feature_settings s = settings();
  feature_set *set = create(&features_ram, &s);
  feature_list list = {0};
  sixer_error error;
  assert_int_equal(set->count, 524800);
  for (int i = 0; i < screens; i++, take_step(g)) {
    list.count = 0;
    if (set->class->active(set, g->env, &list, &error)) fail_msg("%s", error.message);
    int count = slow_ram(g->env, expected);
    assert_same(g->name, list.ids, list.count, expected, count);
    assert_bits(set, g, 1024, count);
  }
  feature_list_free(&list);
  destroy(set);
}

static void test_ram(void **state) {
  (void)state;
  with_games(false, 25, compare_ram);
}

/* B-PROS and B-PROST: ids are compared by their keys, which the set saves. */
enum { KEPT = 50 };

static int slow_prost(const uint32_t *before, int before_count, const uint32_t *now, int count,
                      uint32_t *list) {
  int total = 0;
  for (int i = 0; i < count; i++) list[total++] = now[i];
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < count; k++) {
      int a = (int)now[i] % 128, b = (int)now[k] % 128;
      int dr = (int)now[i] / 2048 - (int)now[k] / 2048;
      int dc = (int)now[i] / 128 % 16 - (int)now[k] / 128 % 16;
      if (a > b || (a == b && (dr < 0 || (dr == 0 && dc < 0)))) continue;
      int pair = a * (2 * 128 - a + 1) / 2 + (b - a);
      list[total++] = (uint32_t)(28672 + pair * 837 + (dr + 13) * 31 + dc + 15);
    }
  }
  for (int i = 0; i < before_count; i++) {
    for (int k = 0; k < count; k++) {
      int a = (int)before[i] % 128, b = (int)now[k] % 128;
      int dr = (int)before[i] / 2048 - (int)now[k] / 2048;
      int dc = (int)before[i] / 128 % 16 - (int)now[k] / 128 % 16;
      list[total++] =
          (uint32_t)(28672 + 837 * 8256 + (a * 128 + b) * 837 + (dr + 13) * 31 + dc + 15);
    }
  }
  list[total++] = 28672 + 837 * 8256 + 837 * 16384;
  return total;
}

static sections_reader *saved(const feature_set *set, void **bytes, size_t *size) {
  sections_message message;
  sixer_error error;
  sections_writer *w = sections_create(NULL);
  if (set->class->save && set->class->save(set, w, &error)) fail_msg("%s", error.message);
  if (!sections_take(w, bytes, size, message)) fail_msg("%s", message);
  sections_reader *r = sections_open_memory(*bytes, *size, message);
  if (!r) fail_msg("%s", message);
  return r;
}

static void compare_prost(scene *g, int screens, const feature_class *class) {
  feature_settings s = settings();
  feature_set *set = create(class, &s);
  background_model background;
  sixer_error error;
  sample_background(g, &background);
  static uint32_t basic[2][PROST_BASIC];
  static feature_list lists[KEPT];
  uint32_t *slow[KEPT];
  int slow_count[KEPT], counts[2] = {0, 0};
  for (int i = 0; i < screens; i++, take_step(g)) {
    if (g->began) set->class->begin(set);
    lists[i].count = 0;
    if (set->class->active(set, g->env, &lists[i], &error)) fail_msg("%s", error.message);
    counts[i & 1] = slow_basic(g->env, background.pixels, basic[i & 1]);
    bool time = class == &features_b_prost && !g->began;
    slow_count[i] =
        slow_prost(basic[~i & 1], time ? counts[~i & 1] : 0, basic[i & 1], counts[i & 1], expected);
    slow_count[i] = tidy(expected, slow_count[i]);
    slow[i] = malloc((size_t)slow_count[i] * sizeof **slow);
    memcpy(slow[i], expected, (size_t)slow_count[i] * sizeof **slow);
  }
  void *bytes;
  size_t size;
  sections_reader *r = saved(set, &bytes, &size);
  assert_true(sections_find(r, "agent.features"));
  assert_int_equal(sections_get_u64(r), set->count);
  uint32_t *keys = malloc(set->count * sizeof *keys);
  sections_get(r, keys, set->count * sizeof *keys);
  for (int i = 0; i < screens; i++) {
    for (int k = 0; k < lists[i].count; k++) lists[i].ids[k] = keys[lists[i].ids[k]];
    assert_same(g->name, lists[i].ids, lists[i].count, slow[i], slow_count[i]);
    feature_list_free(&lists[i]);
    free(slow[i]);
  }
  /* loaded, it goes on with the same ids; those that were forgotten are given again */
  feature_set *copy = create(class, &s);
  if (copy->class->load(copy, r, &error)) fail_msg("%s", error.message);
  feature_list a = {0}, b = {0};
  for (int i = 0; i < 10; i++, take_step(g)) {
    a.count = b.count = 0;
    uint32_t before = copy->count;
    assert_int_equal(set->class->active(set, g->env, &a, &error), SIXER_OK);
    assert_int_equal(copy->class->active(copy, g->env, &b, &error), SIXER_OK);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.ids, b.ids, (size_t)a.count * sizeof *a.ids);
    if (class == &features_b_pros && i % 2) {
      copy->class->forget(copy, before);
      b.count = 0;
      assert_int_equal(copy->class->active(copy, g->env, &b, &error), SIXER_OK);
      assert_memory_equal(a.ids, b.ids, (size_t)a.count * sizeof *a.ids);
    }
    if (g->began) set->class->begin(set), copy->class->begin(copy);
  }
  feature_list_free(&a);
  feature_list_free(&b);
  sections_free(r);
  free(bytes);
  free(keys);
  destroy(set);
  destroy(copy);
}

static void compare_both_prost(scene *g, int screens) {
  compare_prost(g, screens, &features_b_pros);
  compare_prost(g, screens, &features_b_prost);
}

static void test_b_prost(void **state) {
  (void)state;
  with_games(true, KEPT, compare_both_prost);
}

/* LSH: draws the projections as lsh.c says it does, and adds up all 2,000,000 terms. */
typedef struct projections {
  uint32_t where[2000][1000];
  uint8_t value[2000][1000];
} projections;

static uint32_t draw_below(uint64_t *rng, uint32_t count) {
  return (uint32_t)((draw(rng) >> 32) * count >> 32);
}

static projections *draw_projections(uint64_t seed, uint32_t coordinates) {
  projections *p = malloc(sizeof *p);
  uint16_t *taken = calloc(coordinates, sizeof *taken); /* by which vector, counted from 1 */
  for (int i = 0; i < 2000; i++) {
    for (int k = 0; k < 1000; k++) {
      do p->where[i][k] = draw_below(&seed, coordinates);
      while (taken[p->where[i][k]] == i + 1);
      taken[p->where[i][k]] = (uint16_t)(i + 1);
      p->value[i][k] = (uint8_t)draw_below(&seed, 50);
    }
  }
  free(taken);
  return p;
}

static projections *bits_projections, *onehot_projections;

static void compare_lsh(scene *g, int screens) {
  for (int onehot = 0; onehot < 2; onehot++) {
    feature_settings s = settings();
    s.lsh_binarize = onehot;
    s.lsh_seed = 3;
    const projections *p = onehot ? onehot_projections : bits_projections;
    feature_set *set = create(&features_lsh, &s);
    feature_list list = {0};
    sixer_error error;
    for (int i = 0; i < screens; i++, take_step(g)) {
      list.count = 0;
      if (set->class->active(set, g->env, &list, &error)) fail_msg("%s", error.message);
      if (i % 5) continue; /* the set sees all of them, the slow version some */
      const uint8_t *screen = sixer_env_screen(g->env);
      int height = sixer_env_height(g->env);
      assert_int_equal(list.count, 2000);
      for (uint32_t h = 0; h < 2000; h++) {
        uint32_t sum = 0;
        for (int k = 0; k < 1000; k++) {
          uint32_t at = p->where[h][k], pixel = onehot ? at / 128 : at / 7;
          uint32_t color = (int)pixel < height * WIDTH ? screen[pixel] >> 1 : 0;
          bool on = onehot ? color == at % 128 : color >> (at % 7) & 1;
          if (on) sum += p->value[h][k];
        }
        assert_int_equal(list.ids[h], 50 * h + sum % 50);
      }
    }
    feature_list_free(&list);
    destroy(set);
  }
}

static void test_lsh(void **state) {
  (void)state;
  bits_projections = draw_projections(3, PIXELS * 7);
  onehot_projections = draw_projections(3, PIXELS * 128);
  with_games(true, 20, compare_lsh);
  free(bits_projections);
  free(onehot_projections);
}

/* ---- Indices --------------------------------------------------------------------------------------------------- */

static void test_indices(void **state) {
  (void)state;
  assert_int_equal(pair_index(1792, 5, 9), 10740);
  assert_int_equal(pair_index(1792, 1790, 1791), 1606527);
  assert_int_equal(pair_index_count(1792), 1606528);
  assert_int_equal(pair_index_count(1024), 524800);
  assert_int_equal(PROST_BASIC, 28672);
  assert_int_equal(PROST_COUNT, 28672 + 837 * 8256 + 837 * 16384);
}

/* ---- The background -------------------------------------------------------------------------------------------- */

typedef struct recording {
  uint8_t (*screens)[PIXELS];
  int count;
} recording;

static bool record_screen(void *context, const uint8_t *screen, int height, bool first) {
  recording *r = context;
  assert_true(first || r->count > 0);
  memset(r->screens[r->count], 0, PIXELS);
  memcpy(r->screens[r->count++], screen, (size_t)(height < HEIGHT ? height : HEIGHT) * WIDTH);
  return true;
}

static void test_background(void **state) {
  (void)state;
  enum { SCREENS = 150 };
  scene g;
  sixer_error error;
  background_model model, again;
  assert_true(open_game(&g, "sporefall", true));
  sample_settings s = {*sixer_env_config(g.env), SCREENS, 11, NULL, 0};
  recording r = {malloc(SCREENS * sizeof *r.screens), 0};
  assert_int_equal(sample_screens(g.rom, &s, record_screen, &r, &error), SIXER_OK);
  assert_int_equal(r.count, SCREENS);
  assert_int_equal(background_sample(g.rom, &s, &model, &error), SIXER_OK);
  for (int i = 0; i < PIXELS; i++) {
    int best = -1, most = -1;
    for (int color = 0; color < 128; color++) {
      int count = 0;
      for (int k = 0; k < SCREENS; k++) count += r.screens[k][i] >> 1 == color;
      if (count > most) best = color, most = count;
    }
    assert_int_equal(model.pixels[i], 2 * best);
  }
  free(r.screens);
  assert_int_equal(background_sample(g.rom, &s, &again, &error), SIXER_OK);
  assert_memory_equal(&model, &again, sizeof model);

  /* as a file */
  char path[] = "/tmp/sixer-background-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  if (background_save(&model, path, &error)) fail_msg("%s", error.message);
  if (background_load(&again, path, &error)) fail_msg("%s", error.message);
  assert_memory_equal(&model, &again, sizeof model);
  assert_int_equal(background_check(&again, g.rom, &error), SIXER_OK);
  memset(again.md5, 'a', 32);
  assert_int_equal(background_check(&again, g.rom, &error), SIXER_ERR_STATE);
  assert_non_null(strstr(error.message, "aaaaaaaa"));
  /* a flipped bit, a shorter file, none */
  FILE *f = fopen(path, "r+b");
  fseek(f, 20000, SEEK_SET);
  int byte = fgetc(f);
  fseek(f, 20000, SEEK_SET);
  fputc(byte ^ 2, f);
  fclose(f);
  assert_int_not_equal(background_load(&again, path, &error), SIXER_OK);
  assert_int_equal(truncate(path, 1000), 0);
  assert_int_not_equal(background_load(&again, path, &error), SIXER_OK);
  unlink(path);
  assert_int_equal(background_load(&again, path, &error), SIXER_ERR_FILE);
  close_game(&g);
}

/* A set takes the model from a file, and from what was saved. */
static void test_background_of_set(void **state) {
  (void)state;
  scene g;
  sixer_error error;
  feature_settings s = settings();
  assert_true(open_game(&g, "duskrain", true));
  feature_set *sampled = create(&features_basic, &s);
  feature_list a = {0}, b = {0};
  assert_int_equal(sampled->class->active(sampled, g.env, &a, &error), SIXER_OK);
  void *bytes;
  size_t size;
  sections_reader *r = saved(sampled, &bytes, &size);
  s.background_screens = 1; /* so that a model that was sampled again would be another */
  feature_set *loaded = create(&features_basic, &s);
  if (loaded->class->load(loaded, r, &error)) fail_msg("%s", error.message);
  for (int i = 0; i < 50; i++, take_step(&g)) {
    a.count = b.count = 0;
    assert_int_equal(sampled->class->active(sampled, g.env, &a, &error), SIXER_OK);
    assert_int_equal(loaded->class->active(loaded, g.env, &b, &error), SIXER_OK);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.ids, b.ids, (size_t)a.count * sizeof *a.ids);
  }
  sections_free(r);
  free(bytes);
  destroy(sampled);
  destroy(loaded);
  close_game(&g);
  /* an env without pictures */
  assert_true(open_game(&g, "duskrain", false));
  feature_set *blind = create(&features_basic, &s);
  assert_int_equal(blind->class->active(blind, g.env, &a, &error), SIXER_ERR_PICTURE);
  destroy(blind);
  feature_list_free(&a);
  feature_list_free(&b);
  close_game(&g);
}

/* Screens of play that begins at moments of a tape: the same with the same seed, others with another, and more of the
 * game than its beginning. The background and the classes of DISCO can be found in them. */
static void test_tapes(void **state) {
  (void)state;
  enum { SCREENS = 600 };
  static const char *const tapes[] = {TESTS_DIR "/data/tapes/sporefall.tape"};
  sixer_error error;
  scene g, other;
  recording r[3];
  assert_true(open_game(&g, "sporefall", true));
  for (int i = 0; i < 3; i++) {
    sample_settings s = {*sixer_env_config(g.env), SCREENS, i == 2 ? 12 : 11, tapes, 1};
    r[i] = (recording){malloc(SCREENS * sizeof *r[i].screens), 0};
    if (sample_screens(g.rom, &s, record_screen, &r[i], &error)) fail_msg("%s", error.message);
    assert_int_equal(r[i].count, SCREENS);
  }
  assert_memory_equal(r[0].screens, r[1].screens, SCREENS * sizeof *r[0].screens);
  assert_memory_not_equal(r[0].screens, r[2].screens, SCREENS * sizeof *r[0].screens);
  /* 200 stretches of three decisions each: were they all from the start, there would be few different first screens */
  int different = 0;
  for (int i = 0; i < SCREENS; i += 3) {
    int k = 0;
    while (k < i && memcmp(r[0].screens[k], r[0].screens[i], PIXELS) != 0) k += 3;
    different += k == i;
  }
  assert_true(different > 100);
  for (int i = 0; i < 3; i++) free(r[i].screens);

  background_model background;
  sample_settings s = {*sixer_env_config(g.env), 1500, 11, tapes, 1};
  if (background_sample(g.rom, &s, &background, &error)) fail_msg("%s", error.message);
  assert_string_equal(background.source, "tapes");
  disco_classes classes = {0};
  if (disco_find(g.rom, &s, background.pixels, 10, &classes, &error)) fail_msg("%s", error.message);
  assert_true(classes.class_count > 0);
  disco_classes_free(&classes);
  close_game(&g);

  assert_true(open_game(&other, "duskrain", true));
  s.config = *sixer_env_config(other.env);
  assert_int_not_equal(background_sample(other.rom, &s, &background, &error), SIXER_OK);
  assert_non_null(strstr(error.message, "sporefall.tape was played on an image"));
  close_game(&other);
}

/* ---- DISCO ----------------------------------------------------------------------------------------------------- */

/* Two sprites that move over a static wall: two classes are found, and the objects are where they were drawn. */
static void draw_box(uint8_t *screen, int x, int y, int width, int height, uint8_t color) {
  for (int row = y; row < y + height; row++) memset(screen + row * WIDTH + x, color, (size_t)width);
}

static void test_disco_scene(void **state) {
  (void)state;
  static uint8_t background[PIXELS], screen[PIXELS];
  disco_scene *s = disco_scene_create(background);
  disco_object *objects;
  for (int i = 0; i < 20; i++) {
    memset(screen, 0, sizeof screen);
    draw_box(screen, 10 + 3 * i, 20, 6, 8, 0x1E); /* body and hat, of two colors, move together */
    draw_box(screen, 12 + 3 * i, 17, 2, 2, 0x44);
    draw_box(screen, 100 - 2 * i, 120 + i, 9, 5, 0x1E);
    draw_box(screen, 150, 200, 1, 1, 0x0E); /* a single pixel is no object */
    int count = disco_scene_look(s, screen, HEIGHT, i == 0, &objects);
    assert_int_equal(count, 2);
    assert_int_equal(objects[0].shape.width, 6);
    assert_int_equal(objects[0].shape.height, 11);
    assert_int_equal(objects[0].x, 10 + 3 * i + 3);
    assert_int_equal(objects[0].y, 17 + 5);
    assert_int_equal(objects[0].shape.rows[0][0], 12); /* the hat */
    assert_int_equal(objects[0].shape.rows[2][0], 0);
    assert_int_equal(objects[0].shape.rows[3][0], 63);
    assert_int_equal(objects[1].shape.width, 9);
    assert_int_equal(objects[1].x, 100 - 2 * i + 4);
    assert_int_equal(disco_distance(&objects[0].shape, &objects[0].shape), 0);
    assert_int_equal(disco_distance(&objects[0].shape, &objects[1].shape), -1);
  }
  disco_scene_destroy(s);
}

/* The same, slowly: an object is a map of the whole screen. */
typedef struct slow_object {
  uint8_t map[PIXELS];
  int x0, y0, x1, y1, pixels, vx, vy;
} slow_object;

enum { SLOW_OBJECTS = 600 };
static slow_object slow_regions[2][SLOW_OBJECTS], slow_merged[SLOW_OBJECTS];

static void slow_add(slow_object *o, int i) {
  int x = i % WIDTH, y = i / WIDTH;
  if (o->map[i]) return;
  if (!o->pixels) o->x0 = o->x1 = x, o->y0 = o->y1 = y;
  o->map[i] = 1;
  o->pixels++;
  if (x < o->x0) o->x0 = x;
  if (x > o->x1) o->x1 = x;
  if (y > o->y1) o->y1 = y;
}

/* All pixels of the color that can be reached from i by steps to one of eight neighbors. */
static void slow_fill(slow_object *o, const uint8_t *screen, const uint8_t *background, int height,
                      int i) {
  static int stack[PIXELS];
  int depth = 0;
  stack[depth++] = i;
  slow_add(o, i);
  while (depth) {
    int j = stack[--depth];
    for (int dy = -1; dy <= 1; dy++) {
      for (int dx = -1; dx <= 1; dx++) {
        int x = j % WIDTH + dx, y = j / WIDTH + dy, k = y * WIDTH + x;
        if (x < 0 || x >= WIDTH || y < 0 || y >= height || o->map[k]) continue;
        if (screen[k] != screen[i] || screen[k] == background[k]) continue;
        slow_add(o, k);
        stack[depth++] = k;
      }
    }
  }
}

static int slow_area(const slow_object *o) { return (o->x1 - o->x0 + 1) * (o->y1 - o->y0 + 1); }

/* Cells that differ where the smaller one fits best into the larger one; -1 if it does not fit, or is smaller by a
 * sixth. */
static int slow_distance(const slow_object *a, const slow_object *b) {
  int aw = a->x1 - a->x0 + 1, ah = a->y1 - a->y0 + 1, bw = b->x1 - b->x0 + 1,
      bh = b->y1 - b->y0 + 1, best = -1;
  if (aw > bw || ah > bh) {
    if (aw < bw || ah < bh) return -1;
    return slow_distance(b, a);
  }
  if (10 * bw * bh > 12 * aw * ah) return -1;
  for (int dy = 0; dy <= bh - ah; dy++) {
    for (int dx = 0; dx <= bw - aw; dx++) {
      int differ = 0;
      for (int y = 0; y < ah; y++) {
        for (int x = 0; x < aw; x++)
          differ += a->map[(a->y0 + y) * WIDTH + a->x0 + x] !=
                    b->map[(b->y0 + dy + y) * WIDTH + b->x0 + dx + x];
      }
      if (best < 0 || differ < best) best = differ;
    }
  }
  return best;
}

static int center(int low, int high) { return low + (high - low + 1) / 2; }

static void slow_motion(slow_object *o, const slow_object *before, int count) {
  int best = -1, best_far = 0;
  for (int k = 0; k < count; k++) {
    const slow_object *p = &before[k];
    int dx = center(o->x0, o->x1) - center(p->x0, p->x1),
        dy = center(o->y0, o->y1) - center(p->y0, p->y1);
    if (abs(dx) >= 8 || abs(dy) >= 8) continue;
    int distance = slow_distance(o, p), far = dx * dx + dy * dy;
    if (distance < 0 || 10 * distance >= slow_area(o) + slow_area(p)) continue;
    if (best >= 0 && (distance > best || (distance == best && far >= best_far))) continue;
    best = distance, best_far = far, o->vx = dx, o->vy = dy;
  }
}

/* Two objects have pixels at most three columns and three rows apart. */
static bool slow_near(const slow_object *a, const slow_object *b) {
  for (int y = a->y0; y <= a->y1; y++) {
    for (int x = a->x0; x <= a->x1; x++) {
      if (!a->map[y * WIDTH + x]) continue;
      for (int v = y - 3; v <= y + 3; v++) {
        for (int u = x - 3; u <= x + 3; u++) {
          if (u >= 0 && u < WIDTH && v >= 0 && v < HEIGHT && b->map[v * WIDTH + u]) return true;
        }
      }
    }
  }
  return false;
}

/* The objects of a screen: its regions with their motion, then those joined that move alike and are near each other, by
 * their first pixel. */
static int slow_scene(const uint8_t *screen, const uint8_t *background, int height,
                      slow_object *regions, int *region_count, const slow_object *before,
                      int before_count) {
  static uint8_t taken[PIXELS];
  int count = 0, joined = 0;
  memset(taken, 0, sizeof taken);
  for (int i = 0; i < height * WIDTH; i++) {
    if (taken[i] || screen[i] == background[i]) continue;
    assert_true(count < SLOW_OBJECTS);
    slow_object *o = &regions[count++];
    memset(o, 0, sizeof *o);
    slow_fill(o, screen, background, height, i);
    for (int k = 0; k < PIXELS; k++) taken[k] |= o->map[k];
    slow_motion(o, before, before_count);
  }
  *region_count = count;
  static bool used[SLOW_OBJECTS];
  memset(used, 0, sizeof used);
  for (int i = 0; i < count; i++) {
    if (used[i]) continue;
    slow_object *o = &slow_merged[joined];
    *o = regions[i];
    used[i] = true;
    for (bool grown = true; grown;) {
      grown = false;
      for (int k = i + 1; k < count; k++) {
        const slow_object *r = &regions[k];
        if (used[k] || r->vx != o->vx || r->vy != o->vy || !slow_near(r, o)) continue;
        for (int j = 0; j < PIXELS; j++) {
          if (r->map[j]) slow_add(o, j);
        }
        if (r->y0 < o->y0) o->y0 = r->y0;
        used[k] = grown = true;
      }
    }
    joined += o->pixels > 1;
  }
  return joined;
}

static int objects_met;

static void compare_scene(scene *g, int screens) {
  static uint8_t background[PIXELS], screen[PIXELS];
  int height = sixer_env_height(g->env), before_count = 0;
  height = height < HEIGHT ? height : HEIGHT;
  memcpy(background, sixer_env_screen(g->env), (size_t)(height * WIDTH));
  disco_scene *s = disco_scene_create(background);
  for (int i = 0; i < screens; i++, take_step(g)) {
    memcpy(screen, sixer_env_screen(g->env), (size_t)(height * WIDTH));
    if (g->began) before_count = 0;
    int regions;
    int expected_count = slow_scene(screen, background, height, slow_regions[i % 2], &regions,
                                    slow_regions[(i + 1) % 2], before_count);
    disco_object *objects;
    int count = disco_scene_look(s, screen, height, g->began, &objects);
    before_count = regions;
    objects_met += count;
    assert_int_equal(count, expected_count);
    for (int k = 0; k < count; k++) {
      const slow_object *o = &slow_merged[k];
      const disco_shape *shape = &objects[k].shape;
      assert_int_equal(shape->width, o->x1 - o->x0 + 1);
      assert_int_equal(shape->height, o->y1 - o->y0 + 1);
      assert_int_equal(objects[k].x, center(o->x0, o->x1));
      assert_int_equal(objects[k].y, center(o->y0, o->y1));
      for (int y = 0; y < shape->height; y++) {
        for (int x = 0; x < shape->width; x++)
          assert_int_equal(shape->rows[y][x / 64] >> (x % 64) & 1,
                           o->map[(o->y0 + y) * WIDTH + o->x0 + x]);
      }
    }
  }
  disco_scene_destroy(s);
}

static void test_disco_objects(void **state) {
  (void)state;
  with_games(true, 20, compare_scene);
  assert_true(objects_met > 100);
}

/* The features of a set against its saved classes, with plain loops over cells. */
typedef struct place {
  int class, x, y, vx, vy;
} place;

static int slow_disco(const disco_shape *shapes, int shape_count, int classes,
                      const uint8_t *screen, int height, const uint8_t *background, place *before,
                      int *before_count, uint32_t *list) {
  static bool mask[HEIGHT][WIDTH];
  static place found[200];
  int places = 0, of_class[DISCO_CLASSES] = {0}, count = 0;
  for (int i = 0; i < PIXELS; i++)
    mask[i / WIDTH][i % WIDTH] = i < height * WIDTH && screen[i] != background[i];
  for (int k = 0; k < shape_count; k++) {
    const disco_shape *s = &shapes[k];
    for (int y = 0; y + s->height <= HEIGHT; y++) {
      for (int x = 0; x + s->width <= WIDTH; x++) {
        bool fits = true;
        for (int r = 0; r < s->height && fits; r++) {
          for (int c = 0; c < s->width && fits; c++)
            fits = mask[y + r][x + c] == (s->rows[r][c / 64] >> (c % 64) & 1);
        }
        if (!fits) continue;
        if (of_class[s->class]++ < 20)
          found[places++] = (place){s->class, x + s->width / 2, y + s->height / 2, 0, 0};
        for (int r = 0; r < s->height; r++) memset(&mask[y + r][x], 0, (size_t)s->width);
      }
    }
  }
  for (int i = 0; i < places; i++) {
    int best = 9;
    for (int k = 0; k < *before_count; k++) {
      int dx = found[i].x - before[k].x, dy = found[i].y - before[k].y;
      int far = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
      if (before[k].class != found[i].class || far >= best) continue;
      best = far, found[i].vx = dx, found[i].vy = dy;
    }
  }
  for (int c = 0; c < classes; c++) {
    if (!of_class[c]) list[count++] = (uint32_t)(c * 649 + 648);
  }
  for (int i = 0; i < places; i++) {
    for (int t = 0; t < 8;
         t++) { /* floor(x * 8 / 160 + t / 8), floor(y * 8 / 210 + (3 t mod 8) / 8) */
      int column = (found[i].x * 64 + t * 160) / 1280,
          row = (found[i].y * 64 + 3 * t % 8 * 210) / 1680;
      list[count++] = (uint32_t)(found[i].class * 649 + t * 81 + row * 9 + column);
    }
    for (int k = 0; k < places; k++) {
      const place *a = &found[i], *b = &found[k];
      if (a->class >= b->class) continue;
      int pair = 0;
      for (int c = 0; c < a->class; c++) pair += 9 - c;
      pair += b->class - a->class - 1;
      const place *left = b->x >= a->x ? a : b, *right = left == a ? b : a;
      const place *upper = b->y >= a->y ? a : b, *lower = upper == a ? b : a;
      int which = (right->vx - left->vx < 0) + 2 * (lower->vy - upper->vy < 0);
      for (int t = 0; t < 8; t++) {
        int column = ((b->x - a->x + 160) * 64 + t * 320) / 2560;
        int row = ((b->y - a->y + 210) * 64 + 3 * t % 8 * 420) / 3360;
        list[count++] = (uint32_t)(6490 + (pair * 4 + which) * 648 + t * 81 + row * 9 + column);
      }
    }
  }
  memcpy(before, found, (size_t)places * sizeof *found);
  *before_count = places;
  return count;
}

static int classes_met;

static void compare_disco(scene *g, int screens) {
  feature_settings s = settings();
  feature_set *set = create(&features_disco, &s);
  feature_list list = {0};
  sixer_error error;
  static place before[200];
  int before_count = 0;
  if (set->class->active(set, g->env, &list, &error)) fail_msg("%s", error.message);
  set->class->begin(set);
  void *bytes;
  size_t size;
  sections_reader *r = saved(set, &bytes, &size);
  background_model background;
  assert_true(background_get(&background, "agent.background", r));
  assert_true(sections_find(r, "agent.features"));
  assert_int_equal(sections_get_u64(r), 1);
  int classes = (int)sections_get_u64(r), count = (int)sections_get_u64(r);
  disco_shape *shapes = calloc((size_t)count + 1, sizeof *shapes);
  for (int i = 0; i < count; i++) {
    shapes[i].width = (int)sections_get_u64(r);
    shapes[i].height = (int)sections_get_u64(r);
    shapes[i].class = (int)sections_get_u64(r);
    shapes[i].rows = malloc((size_t)shapes[i].height * sizeof *shapes[i].rows);
    sections_get(r, shapes[i].rows, (size_t)shapes[i].height * sizeof *shapes[i].rows);
    assert_true(!i || disco_area(&shapes[i]) <= disco_area(&shapes[i - 1]));
  }
  classes_met += classes;
  feature_set *copy = create(&features_disco, &s);
  if (copy->class->load(copy, r, &error)) fail_msg("%s", error.message);
  for (int i = 0; i < screens; i++, take_step(g)) {
    if (g->began) {
      set->class->begin(set);
      before_count = 0;
    }
    list.count = 0;
    if (set->class->active(set, g->env, &list, &error)) fail_msg("%s", error.message);
    int expected_count =
        slow_disco(shapes, count, classes, sixer_env_screen(g->env), sixer_env_height(g->env),
                   background.pixels, before, &before_count, expected);
    /* repetitions count, so they are compared, too */
    assert_int_equal(list.count, expected_count);
    qsort(list.ids, (size_t)list.count, sizeof *list.ids, by_value);
    qsort(expected, (size_t)expected_count, sizeof *expected, by_value);
    assert_memory_equal(list.ids, expected, (size_t)list.count * sizeof *expected);
  }
  for (int i = 0; i < count; i++) free(shapes[i].rows);
  free(shapes);
  sections_free(r);
  free(bytes);
  feature_list_free(&list);
  destroy(copy);
  destroy(set);
}

static void test_disco(void **state) {
  (void)state;
  with_games(true, 20, compare_disco);
  assert_true(classes_met > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_indices),       cmocka_unit_test(test_basic),
      cmocka_unit_test(test_bass),          cmocka_unit_test(test_ram),
      cmocka_unit_test(test_b_prost),       cmocka_unit_test(test_lsh),
      cmocka_unit_test(test_background),    cmocka_unit_test(test_background_of_set),
      cmocka_unit_test(test_tapes),         cmocka_unit_test(test_disco_scene),
      cmocka_unit_test(test_disco_objects), cmocka_unit_test(test_disco),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
