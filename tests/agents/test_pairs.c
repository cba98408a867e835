/* The weights of pairs of bits (src/agents/linear/pairs.c) against the same learned plainly: every feature has its own
 * weights and traces, and all of them are visited at every step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agents/linear/pairs.h"
#include "support/generated_images.h"

enum { BITS = 64, ACTIONS = PAIR_ACTIONS, FEATURES = BITS * (BITS + 1) / 2 };

/* ---- The plain way --------------------------------------------------------------------------------------------- */

typedef struct plain {
  double w[FEATURES][ACTIONS], e[FEATURES][ACTIONS];
  double decay, cutoff;
  bool on[FEATURES];
} plain;

static int feature(int i, int j) { return i < j ? feature(j, i) : i * (i + 1) / 2 + j; }

static void plain_look(plain *p, uint64_t bits) {
  for (int i = 0; i < BITS; i++) {
    for (int j = 0; j <= i; j++) p->on[feature(i, j)] = bits >> i & bits >> j & 1;
  }
}

static void plain_values(const plain *p, double *q) {
  memset(q, 0, ACTIONS * sizeof *q);
  for (int f = 0; f < FEATURES; f++) {
    for (int a = 0; a < ACTIONS && p->on[f]; a++) q[a] += p->w[f][a];
  }
}

static void plain_choose(plain *p, int action) {
  for (int f = 0; f < FEATURES; f++) {
    for (int a = 0; a < ACTIONS; a++) {
      p->e[f][a] *= p->decay;
      if (p->e[f][a] < p->cutoff) p->e[f][a] = 0;
    }
    if (p->on[f]) p->e[f][action] = 1;
  }
}

static void plain_update(plain *p, double alpha_delta) {
  for (int f = 0; f < FEATURES; f++) {
    for (int a = 0; a < ACTIONS; a++) p->w[f][a] += alpha_delta * p->e[f][a];
  }
}

/* ---- Worlds ---------------------------------------------------------------------------------------------------- */

/* Bits that mostly stay, some of them equal to others for long: what RAM is like. */
typedef struct world {
  uint64_t rng;
  uint64_t sources; /* of which the bits are copies */
  int source[BITS];
  int restless; /* one of so many sources flips at a step */
} world;

static void world_begin(world *w) { w->sources = draw(&w->rng) | 1; }

static uint64_t world_next(world *w) {
  uint64_t bits = 0;
  for (int i = 1; i < 24; i++) {
    if (below(&w->rng, i < 4 ? 2 : w->restless) == 0) w->sources ^= (uint64_t)1 << i;
  }
  if (below(&w->rng, 400) == 0) w->source[below(&w->rng, BITS)] = below(&w->rng, 24);
  for (int i = 0; i < BITS; i++) bits |= (w->sources >> w->source[i] & 1) << i;
  return bits;
}

static void assert_near(const double *q, const double *expected, long step) {
  for (int a = 0; a < ACTIONS; a++) {
    if (!(fabs(q[a] - expected[a]) <= 2e-5 * (1 + fabs(expected[a]))))
      fail_msg("step %ld, action %d: %.9g, expected %.9g", step, a, q[a], expected[a]);
  }
}

typedef struct trial {
  plain *p;
  pair_store *s;
  world w;
  int window;
} trial;

static trial trial_begin(double decay, double cutoff, int restless, uint64_t seed) {
  trial t = {.p = calloc(1, sizeof(plain)), .w = {.rng = seed, .restless = restless}};
  double trace = 1;
  for (; trace >= cutoff; trace *= decay) t.window++;
  t.p->decay = decay;
  t.p->cutoff = cutoff;
  t.s = pair_store_create(BITS, decay, t.window);
  assert_non_null(t.s);
  for (int i = 0; i < BITS; i++) t.w.source[i] = below(&t.w.rng, 24);
  return t;
}

static void trial_end(trial *t) {
  pair_store_destroy(t->s);
  free(t->p);
}

static long play(trial *t, long steps) {
  double q[ACTIONS], expected[ACTIONS];
  memset(t->p->e, 0, sizeof t->p->e);
  pair_store_begin(t->s);
  world_begin(&t->w);
  for (long i = 0; i < steps; i++) {
    uint64_t bits = world_next(&t->w);
    int64_t count = pair_store_look(t->s, &bits), m = __builtin_popcountll(bits);
    assert_int_equal(count, m * (m + 1) / 2);
    plain_look(t->p, bits);
    pair_store_values(t->s, q);
    plain_values(t->p, expected);
    assert_near(q, expected, i);
    if (i > 0) {
      double ad = ((double)below(&t->w.rng, 2001) - 1000) / 1000 / 300;
      pair_store_update(t->s, ad);
      plain_update(t->p, ad);
      pair_store_values(t->s, q);
      plain_values(t->p, expected);
      assert_near(q, expected, i);
    }
    /* mostly few actions, so that some are chosen again soon and others late */
    int action = below(&t->w.rng, 3) ? below(&t->w.rng, 3) : below(&t->w.rng, ACTIONS);
    pair_store_choose(t->s, action);
    plain_choose(t->p, action);
  }
  /* the last step of an episode has no screen after it */
  double ad = 1.0 / 300;
  pair_store_update(t->s, ad);
  plain_update(t->p, ad);
  return steps;
}

static void compare_weights(trial *t) {
  pair_store_begin(t->s);
  for (int i = 0; i < BITS; i++) {
    for (int j = 0; j <= i; j++) {
      for (int a = 0; a < ACTIONS; a++) {
        double w = t->p->w[feature(i, j)][a], found = pair_store_weight(t->s, i, j, a);
        if (!(fabs(w - found) <= 2e-5 * (1 + fabs(w))))
          fail_msg("weight of (%d, %d), action %d: %.9g, expected %.9g", i, j, a, found, w);
      }
    }
  }
}

/* ---- Tests ----------------------------------------------------------------------------------------------------- */

static void test_short_traces(void **state) {
  (void)state;
  trial t = trial_begin(0.999 * 0.5, 0.01, 30, 1);
  assert_int_equal(t.window, 7);
  for (int i = 0; i < 60; i++) play(&t, 1 + below(&t.w.rng, 60));
  compare_weights(&t);
  assert_in_range(pair_store_groups(t.s), 10, BITS);
  trial_end(&t);
}

static void test_long_traces(void **state) {
  (void)state;
  trial t = trial_begin(0.999 * 0.9, 0.01, 60, 2);
  assert_int_equal(t.window, 44);
  for (int i = 0; i < 25; i++) play(&t, 1 + below(&t.w.rng, 150));
  compare_weights(&t);
  trial_end(&t);
}

/* An episode in which records stay active for longer than partial sums are kept. */
static void test_long_episode(void **state) {
  (void)state;
  trial t = trial_begin(0.999 * 0.5, 0.01, 3000, 3);
  play(&t, 4500);
  compare_weights(&t);
  trial_end(&t);
}

/* Saved and loaded at any moment, it goes on with the same bytes. */
static void *saved(const pair_store *s, size_t *size) {
  sections_message message;
  void *bytes = NULL;
  sections_writer *w = sections_create(NULL);
  pair_store_put(s, w);
  if (!sections_take(w, &bytes, size, message)) fail_msg("%s", message);
  return bytes;
}

static void go_on(pair_store *s, world w, int steps) {
  for (int i = 0; i < steps; i++) {
    if (below(&w.rng, 40) == 0) {
      pair_store_begin(s);
      world_begin(&w);
    }
    uint64_t bits = world_next(&w);
    pair_store_look(s, &bits);
    pair_store_update(s, (below(&w.rng, 100) - 50) / 10000.0);
    pair_store_choose(s, below(&w.rng, ACTIONS));
  }
}

static void test_save(void **state) {
  (void)state;
  trial t = trial_begin(0.999 * 0.9, 0.01, 30, 4);
  pair_store_begin(t.s);
  for (int round = 0; round < 20; round++) {
    sections_message message;
    size_t size, other_size;
    world w = t.w;
    w.rng += (uint64_t)round;
    go_on(t.s, w, 1 + 37 * round);
    void *bytes = saved(t.s, &size);
    sections_reader *r = sections_open_memory(bytes, size, message);
    assert_non_null(r);
    pair_store *copy = pair_store_create(BITS, 0.999 * 0.9, t.window);
    if (!pair_store_get(copy, r)) fail_msg("%s", sections_reason(r));
    sections_free(r);
    free(bytes);
    go_on(copy, w, 200);
    go_on(t.s, w, 200);
    bytes = saved(t.s, &size);
    void *other = saved(copy, &other_size);
    assert_int_equal(size, other_size);
    assert_memory_equal(bytes, other, size);
    free(bytes);
    free(other);
    pair_store_destroy(copy);
  }
  trial_end(&t);
}

/* Bytes that were not written by pair_store_put() are refused or harmless. */
static void test_hostile(void **state) {
  (void)state;
  trial t = trial_begin(0.999 * 0.5, 0.01, 30, 5);
  pair_store_begin(t.s);
  go_on(t.s, t.w, 100);
  sections_message message;
  size_t size;
  uint8_t *bytes = saved(t.s, &size);
  sections_reader *r = sections_open_memory(bytes, size, message);
  assert_true(sections_find(r, "agent.pairs"));
  size_t length = (size_t)sections_left(r);
  uint8_t *data = malloc(length);
  sections_get(r, data, length);
  sections_free(r);
  free(bytes);
  uint64_t rng = 6;
  for (int round = 0; round < 600; round++) {
    uint8_t *changed = malloc(length);
    memcpy(changed, data, length);
    size_t part = round % 2 ? length : 400;
    changed[draw(&rng) % part] ^= (uint8_t)(1 << below(&rng, 8));
    sections_writer *w = sections_create(NULL);
    sections_begin(w, "agent.pairs");
    sections_put(w, changed, round % 5 == 0 ? draw(&rng) % length : length);
    free(changed);
    void *again;
    assert_true(sections_take(w, &again, &size, message));
    r = sections_open_memory(again, size, message);
    pair_store *s = pair_store_create(BITS, 0.999 * 0.5, t.window);
    if (pair_store_get(s, r)) go_on(s, t.w, 50);
    pair_store_destroy(s);
    sections_free(r);
    free(again);
  }
  free(data);
  trial_end(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_short_traces), cmocka_unit_test(test_long_traces),
      cmocka_unit_test(test_long_episode), cmocka_unit_test(test_save),
      cmocka_unit_test(test_hostile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
