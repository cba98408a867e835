/* Replay memory against a plain version that keeps every step with its whole frame: which steps may be drawn, what is
 * in a transition, saving and loading at any moment, and loading of damaged files. Small capacities and frames, so that
 * everything wraps around many times. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agents/deep/frame_store.h"
#include "agents/deep/replay.h"
#include "support/damaged_sections.h"
#include "util/random.h"

/* ---- The plain version ----------------------------------------------------------------------------------------- */

enum { PLAIN_MAX = 4000 };

typedef struct plain_step {
  uint8_t *frame;
  int action;
  float reward;
  bool first, terminal;
  double priority;
} plain_step;

typedef struct plain {
  replay_settings s;
  plain_step steps[PLAIN_MAX];
  int64_t count, oldest;
  double highest;
} plain;

static size_t pixels(const plain *p) { return (size_t)(p->s.width * p->s.height); }

static void plain_free(plain *p) {
  for (int64_t t = 0; t < p->count; t++) free(p->steps[t].frame);
  free(p);
}

/* May step t be drawn? The rules of the header, word by word. */
static bool plain_allowed(const plain *p, int64_t t) {
  if (t < p->oldest || (p->oldest > 0 && t - (p->s.stack - 1) < p->oldest)) return false;
  if (t + p->s.n > p->count - 1) return false;
  for (int k = 0; k < p->s.n; k++) {
    if (p->steps[t + k].terminal) return true;
    if (p->steps[t + k + 1].first) return false;
  }
  return true;
}

static void plain_state(const plain *p, int64_t t, uint8_t *out) {
  size_t size = pixels(p);
  memset(out, 0, size * (size_t)p->s.stack);
  for (int j = p->s.stack - 1; j >= 0; j--, t--) {
    memcpy(out + (size_t)j * size, p->steps[t].frame, size);
    if (p->steps[t].first) break;
  }
}

/* Compare sample k with the plain steps. */
static void check_sample(const plain *p, const replay_batch *b, int k) {
  int64_t t = b->steps[k];
  assert_true(plain_allowed(p, t));
  size_t size = pixels(p) * (size_t)p->s.stack;
  uint8_t *state = malloc(size);
  plain_state(p, t, state);
  assert_memory_equal(b->states[k], state, size);
  assert_int_equal(b->actions[k], p->steps[t].action);
  double sum = 0, power = 1;
  bool ends = false;
  for (int i = 0; i < p->s.n && !ends; i++, power *= p->s.gamma) {
    sum += power * (double)p->steps[t + i].reward;
    ends = p->steps[t + i].terminal;
  }
  assert_true(b->rewards[k] == (float)sum);
  if (ends) {
    assert_true(b->discounts[k] == 0);
    memset(state, 0, size);
  } else {
    assert_true(b->discounts[k] == (float)power);
    plain_state(p, t + p->s.n, state);
  }
  assert_memory_equal(b->next_states[k], state, size);
  free(state);
}

/* ---- Episodes -------------------------------------------------------------------------------------------------- */

/* The next frame of a random film: objects move before a background, rarely everything changes, sometimes it is
 * noise. */
static void film(uint64_t *rng, uint8_t *frame, int width, int height) {
  size_t size = (size_t)width * (size_t)height;
  int what = random_below(rng, 100);
  if (what == 0) {
    for (size_t i = 0; i < size; i++) frame[i] = (uint8_t)random_next(rng);
  } else if (what == 1) {
    memset(frame, random_below(rng, 256), size);
  } else if (what == 2) {
    for (int y = 0; y < height; y++)
      memset(frame + y * width, random_below(rng, 4) * 50, (size_t)width);
  } else if (what > 10) {
    for (int boxes = random_below(rng, 5); boxes > 0; boxes--) {
      int x = random_below(rng, width), y = random_below(rng, height);
      int w = 1 + random_below(rng, width - x), h = 1 + random_below(rng, height - y);
      if (w > 9) w = 9;
      if (h > 12) h = 12;
      uint8_t value = (uint8_t)random_below(rng, 256);
      for (int i = y; i < y + h; i++) memset(frame + i * width + x, value, (size_t)w);
    }
  }
}

typedef struct world {
  uint64_t rng;
  plain *p;
  replay *r;
  uint8_t *frame;
  bool begin; /* the next step is the first of an episode */
} world;

static void world_open(world *w, const replay_settings *s, uint64_t seed) {
  *w = (world){.rng = seed, .p = calloc(1, sizeof *w->p), .begin = true};
  w->p->s = *s;
  w->p->highest = 1;
  w->frame = calloc(1, pixels(w->p));
  sixer_error error;
  assert_int_equal(replay_create(s, &w->r, &error), SIXER_OK);
}

static void world_close(world *w) {
  replay_destroy(w->r);
  plain_free(w->p);
  free(w->frame);
}

static void world_step(world *w, int mean_length) {
  plain *p = w->p;
  assert_true(p->count < PLAIN_MAX);
  film(&w->rng, w->frame, p->s.width, p->s.height);
  plain_step *step = &p->steps[p->count];
  *step = (plain_step){.frame = malloc(pixels(p)),
                       .action = random_below(&w->rng, p->s.actions),
                       .reward = (float)(random_below(&w->rng, 7) - 3),
                       .first = w->begin,
                       .terminal = random_below(&w->rng, mean_length) == 0,
                       .priority = p->highest};
  memcpy(step->frame, w->frame, pixels(p));
  replay_add(w->r,
             &(replay_step){w->frame, step->action, step->reward, step->first, step->terminal});
  /* one in ten ends is a cut: not terminal, and the next step begins an episode all the same */
  w->begin = step->terminal || random_below(&w->rng, 10 * mean_length) == 0;
  p->count++;
  if (p->count - p->oldest > p->s.capacity) p->oldest = p->count - p->s.capacity;
  if (replay_dropped_early(w->r) == 0) assert_int_equal(replay_oldest(w->r), p->oldest);
  p->oldest = replay_oldest(w->r);
  assert_int_equal(replay_added(w->r), p->count);
}

static replay_settings random_settings(uint64_t *rng) {
  replay_settings s = replay_settings_default();
  s.width = 1 + random_below(rng, 30);
  s.height = 1 + random_below(rng, 30);
  s.stack = 1 + random_below(rng, 4);
  s.n = random_below(rng, 2) ? 1 : 1 + random_below(rng, 20);
  s.capacity = s.stack + s.n + random_below(rng, 300);
  s.actions = 1 + random_below(rng, 18);
  s.prioritized = random_below(rng, 2);
  s.invalid = random_below(rng, 2) ? REPLAY_SHIFT : REPLAY_REDRAW;
  s.seed = random_next(rng);
  return s;
}

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

static void save(const replay *r, void **bytes, size_t *size) {
  sections_message message;
  sections_writer *out = sections_create(NULL);
  replay_save(r, out);
  assert_true(sections_take(out, bytes, size, message));
}

static sixer_err load(replay *r, const void *bytes, size_t size) {
  sections_message message;
  sixer_error error;
  sections_reader *in = sections_open_memory(bytes, size, message);
  assert_non_null(in);
  sixer_err err = replay_load(r, in, &error);
  sections_free(in);
  return err;
}

/* Save, load into a replay with a past of its own, save again: the same bytes. Go on with the loaded one. */
static void swap_for_loaded(world *w) {
  void *bytes, *again;
  size_t size, size_again;
  sixer_error error;
  replay *other;
  save(w->r, &bytes, &size);
  assert_int_equal(replay_create(&w->p->s, &other, &error), SIXER_OK);
  int past = random_below(&w->rng, 150);
  uint64_t rng = w->rng;
  uint8_t *frame = calloc(1, pixels(w->p));
  for (int i = 0; i < past; i++) {
    film(&rng, frame, w->p->s.width, w->p->s.height);
    replay_add(other, &(replay_step){frame, 0, 1, false, i % 20 == 0});
  }
  free(frame);
  assert_int_equal(load(other, bytes, size), SIXER_OK);
  save(other, &again, &size_again);
  assert_int_equal(size, size_again);
  assert_memory_equal(bytes, again, size);
  free(bytes);
  free(again);
  replay_destroy(w->r);
  w->r = other;
}

/* ---- Tests ----------------------------------------------------------------------------------------------------- */

/* The draws of prioritized sampling, by a linear search through plain sums. Priorities are small integers, so that sums
 * are exact in any order. Returns false if the rules want something that this does not do. */
static bool plain_draw(const plain *p, int count, uint64_t draw, int64_t *steps, double *total) {
  *total = 0;
  for (int64_t t = p->oldest; t < p->count; t++) *total += p->steps[t].priority;
  for (int attempt = 0; attempt < 100; attempt++) {
    bool good = true;
    for (int k = 0; k < count; k++) {
      uint64_t bits = random_at(p->s.seed, draw, (uint64_t)attempt << 32 | (uint64_t)k);
      double point = (k + random_unit(bits)) * (*total / count);
      /* in the order of places in the ring */
      for (int64_t at = 0; at < p->s.capacity; at++) {
        int64_t t = p->oldest + (at - p->oldest % p->s.capacity + p->s.capacity) % p->s.capacity;
        if (t >= p->count || p->steps[t].priority == 0) continue;
        steps[k] = t;
        if (point <= p->steps[t].priority) break;
        point -= p->steps[t].priority;
      }
      good = good && plain_allowed(p, steps[k]);
    }
    if (good) return true;
    if (p->s.invalid == REPLAY_SHIFT) return false;
  }
  return false;
}

static void check_draws(world *w, replay_batch *b, uint64_t draw) {
  plain *p = w->p;
  enum { COUNT = 16 };
  int64_t allowed = 0, steps[COUNT];
  for (int64_t t = p->oldest; t < p->count; t++) allowed += plain_allowed(p, t);
  bool drawn = replay_sample(w->r, b, COUNT, draw);
  if (allowed == 0) {
    assert_false(drawn);
    return;
  }
  if (!p->s.prioritized) assert_true(drawn);
  if (!drawn) return;
  for (int k = 0; k < COUNT; k++) check_sample(p, b, k);
  if (p->s.prioritized) {
    double total, set[COUNT];
    if (plain_draw(p, COUNT, draw, steps, &total))
      assert_memory_equal(b->steps, steps, sizeof steps);
    for (int k = 0; k < COUNT; k++) {
      assert_true(b->probabilities[k] == p->steps[b->steps[k]].priority / total);
      set[k] = random_below(&w->rng, 6);
    }
    assert_true(replay_set_priorities(w->r, b->steps, set, COUNT));
    for (int k = 0; k < COUNT; k++) {
      p->steps[b->steps[k]].priority = set[k];
      if (set[k] > p->highest) p->highest = set[k];
    }
  } else {
    /* the same number gives the same samples */
    memcpy(steps, b->steps, sizeof steps);
    replay_draw(w->r, b, 3, draw + 1);
    replay_draw(w->r, b, COUNT, draw);
    assert_memory_equal(b->steps, steps, sizeof steps);
  }
}

static void test_against_plain(void **state) {
  (void)state;
  for (uint64_t round = 0; round < 60; round++) {
    uint64_t rng = round * 77;
    replay_settings s = random_settings(&rng);
    world w;
    world_open(&w, &s, rng);
    replay_batch *b = replay_batch_create(w.r, 16);
    int length = 1 + random_below(&rng, 60), steps = 700 + random_below(&rng, 300);
    for (int i = 0; i < steps; i++) {
      world_step(&w, length);
      if (i % 7 == 0) check_draws(&w, b, (uint64_t)i);
      if (random_below(&w.rng, 200) == 0) swap_for_loaded(&w);
    }
    replay_batch_destroy(b);
    world_close(&w);
  }
}

/* Every step that may be drawn is drawn, about equally often. */
static void test_uniform(void **state) {
  (void)state;
  replay_settings s = replay_settings_default();
  s.width = s.height = 8;
  s.capacity = 100;
  s.n = 3;
  world w;
  world_open(&w, &s, 5);
  for (int i = 0; i < 333; i++) world_step(&w, 30);
  replay_batch *b = replay_batch_create(w.r, 100);
  int counts[400] = {0}, allowed = 0;
  enum { DRAWS = 1000 };
  for (uint64_t d = 0; d < DRAWS; d++) {
    assert_true(replay_draw(w.r, b, 100, d));
    for (int k = 0; k < 100; k++) counts[b->steps[k]]++;
  }
  for (int t = 0; t < 333; t++) allowed += plain_allowed(w.p, t);
  assert_int_equal(replay_allowed(w.r), 100 - 3 - 3);
  for (int t = 0; t < 333; t++) {
    double expected = plain_allowed(w.p, t) ? DRAWS * 100.0 / allowed : 0;
    assert_true(fabs(counts[t] - expected) <= 6 * sqrt(expected));
  }
  replay_batch_destroy(b);
  world_close(&w);
}

/* A bound on bytes drops whole blocks of frames early, the same after loading as without. */
static void test_bound(void **state) {
  (void)state;
  replay_settings s = replay_settings_default();
  s.width = s.height = 12;
  s.capacity = 3000;
  s.frame_bytes = 4 * (136 + 64 * 144);
  s.prioritized = true;
  world w;
  world_open(&w, &s, 9);
  replay_batch *b = replay_batch_create(w.r, 16);
  for (int i = 0; i < 3900; i++) {
    world_step(&w, 40);
    if (i % 50 == 0) check_draws(&w, b, (uint64_t)i);
    if (i % 777 == 776) swap_for_loaded(&w);
    assert_true(replay_memory(w.r).frames <= s.frame_bytes + 136 + 64 * 144 + 16 * 64 + 2 * 144);
  }
  assert_true(replay_dropped_early(w.r) > 0);
  assert_int_equal(replay_oldest(w.r) % 64, 0);
  replay_batch_destroy(b);
  world_close(&w);
}

/* A thing that moves before a still background, which is another one from frame 100 on: most frames at multiples of 8
 * are anchors, also behind a key within a block, and all frames are the same in whichever order they are decoded. */
static void test_anchors(void **state) {
  (void)state;
  enum { SIDE = 40, SIZE = SIDE * SIDE, FRAMES = 200, SCENE = 100 };
  frame_store s;
  uint8_t(*frames)[SIZE] = malloc(sizeof(uint8_t[FRAMES][SIZE]));
  uint8_t background[SIZE], key[SIZE], pixels[2][SIZE];
  uint64_t rng = 5, anchors[FRAMES / 64 + 1] = {0};
  assert_non_null(frames);
  assert_true(frame_store_create(&s, SIDE, SIDE, FRAMES, frame_store_most(SIDE, SIDE, FRAMES)));
  for (int i = 0; i < FRAMES; i++) {
    if (i % SCENE == 0) {
      for (int p = 0; p < SIZE; p++) background[p] = (uint8_t)(random_next(&rng) & 0xF0);
    }
    memcpy(frames[i], background, SIZE);
    for (int y = 0; y < 6; y++) memset(frames[i] + (10 + y) * SIDE + i % 30, i, 6);
    frame_store_add(&s, frames[i], 0);
    if (i % 64 != 63) memcpy(&anchors[i / 64], s.open, sizeof *anchors);
  }
  assert_true(anchors[0] == UINT64_C(0x0101010101010100));
  assert_true(anchors[1] & UINT64_C(1)
                               << (SCENE + 12 - 64)); /* a multiple of 8 behind the new scene */
  for (int b = 0; b < FRAMES / 64; b++) assert_false(anchors[b] & ~UINT64_C(0x0101010101010100));
  frame_walk walk = {.frame = -1, .key = -1, .key_pixels = key};
  for (int i = 0; i < 3000; i++) {
    int64_t frame = i % 3 && walk.frame < FRAMES - 1 ? walk.frame + 1 : random_below(&rng, FRAMES);
    frame_store_get(&s, &walk, frame, pixels[i % 2]);
    assert_memory_equal(pixels[i % 2], frames[frame], SIZE);
  }
  frame_store_free(&s);
  free(frames);
}

/* Saved replays with one bit changed, checksums mended: refused, or a replay that can be drawn from. */
static void test_damaged(void **state) {
  (void)state;
  for (uint64_t round = 0; round < 40; round++) {
    uint64_t rng = round * 1234567;
    replay_settings s = random_settings(&rng);
    world w;
    world_open(&w, &s, rng);
    int steps = 20 + random_below(&rng, 400);
    for (int i = 0; i < steps; i++) world_step(&w, 20);
    void *bytes, *damaged;
    size_t size, damaged_size;
    save(w.r, &bytes, &size);
    replay_batch *b = replay_batch_create(w.r, 16);
    int refused = 0;
    for (int i = 0; i < 60; i++) {
      /* the fields before the steps, then anything */
      uint64_t at = i < 40 ? (uint64_t)random_below(&rng, 11 * 8) : random_next(&rng);
      assert_true(damage_sections(bytes, size, at, random_below(&rng, 8), &damaged, &damaged_size));
      if (load(w.r, damaged, damaged_size)) {
        refused++;
        assert_int_equal(replay_size(w.r), 0);
        assert_false(replay_sample(w.r, b, 16, 0));
      } else {
        for (uint64_t d = 0; d < 5; d++) replay_sample(w.r, b, 16, d);
      }
      free(damaged);
    }
    assert_true(refused >= 30);
    /* it is as good as new */
    assert_int_equal(load(w.r, bytes, size), SIXER_OK);
    world_step(&w, 20);
    free(bytes);
    replay_batch_destroy(b);
    world_close(&w);
  }
}

/* A saved action that the learner does not have would index beyond its network's outputs. */
static void test_foreign_action(void **state) {
  (void)state;
  replay_settings s = replay_settings_default();
  s.width = s.height = 4;
  s.capacity = 50;
  s.actions = 4;
  world w;
  world_open(&w, &s, 2);
  for (int i = 0; i < 30; i++) world_step(&w, 20);
  void *bytes, *damaged;
  size_t size, damaged_size;
  save(w.r, &bytes, &size);
  /* 11 numbers and 30 rewards are before the actions */
  uint64_t actions = 11 * 8 + 30 * 4;
  assert_true(damage_sections(bytes, size, actions + 7, 2, &damaged, &damaged_size));
  assert_int_equal(load(w.r, damaged, damaged_size), SIXER_ERR_STATE);
  assert_int_equal(load(w.r, bytes, size), SIXER_OK);
  free(bytes);
  free(damaged);
  world_close(&w);
}

static void refuse(replay_settings s, sixer_err code, const char *part) {
  sixer_error error;
  replay *r = NULL;
  assert_int_equal(replay_create(&s, &r, &error), code);
  assert_null(r);
  assert_non_null(strstr(error.message, part));
}

static void test_settings(void **state) {
  (void)state;
  replay_settings s = replay_settings_default();
  /* uncompressed frames of a million steps take 7 GB, the usual bound is 2 */
  assert_true(replay_needed(&s) > 2000000000 && replay_needed(&s) < 2100000000);
  s.capacity = (int64_t)1 << 32;
  refuse(s, SIXER_ERR_MEMORY, "GB of memory are free");
  s = replay_settings_default();
  s.frame_bytes = (size_t)1 << 60;
  assert_true(replay_needed(&s) < 7200000000);
  s.frame_bytes = 1000;
  refuse(s, SIXER_ERR_ARGUMENT, "too few");
  s = replay_settings_default();
  s.width = 256;
  refuse(s, SIXER_ERR_ARGUMENT, "256 x 84");
  s = replay_settings_default();
  s.capacity = 4;
  refuse(s, SIXER_ERR_ARGUMENT, "4 steps");
  s = replay_settings_default();
  s.n = 65;
  refuse(s, SIXER_ERR_ARGUMENT, "65");
  s = replay_settings_default();
  s.gamma = NAN;
  refuse(s, SIXER_ERR_ARGUMENT, "nan");
  /* priorities that are none */
  s = replay_settings_default();
  s.width = s.height = 4;
  s.capacity = 100;
  s.prioritized = true;
  world w;
  world_open(&w, &s, 1);
  for (int i = 0; i < 50; i++) world_step(&w, 20);
  int64_t steps[2] = {3, 4};
  assert_false(replay_set_priorities(w.r, steps, (double[]){2, NAN}, 2));
  assert_false(replay_set_priorities(w.r, steps, (double[]){2, -1}, 2));
  assert_false(replay_set_priorities(w.r, steps, (double[]){INFINITY, 1}, 2));
  assert_true(replay_priority(w.r, 3) == 1);
  world_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_plain), cmocka_unit_test(test_uniform),
      cmocka_unit_test(test_bound),         cmocka_unit_test(test_anchors),
      cmocka_unit_test(test_damaged),       cmocka_unit_test(test_foreign_action),
      cmocka_unit_test(test_settings)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
