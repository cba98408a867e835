/* Weights with traces: how long a trace lives; lazy traces against a plain version with one number per trace, and
 * against the eager form; every instruction set gives the same bytes; renumbering of steps changes nothing; saving in
 * the middle and going on gives the same bytes; hostile bytes are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agents/linear/weights.h"
#include "support/damaged_sections.h"

enum { FEATURES = 700 };

static void test_trace_life(void **state) {
  (void)state;
  /* it survives 39, 43 and 6 decays */
  assert_int_equal(weights_window(0.99 * 0.9, 0.01), 40);
  assert_int_equal(weights_window(0.999 * 0.9, 0.01), 44);
  assert_int_equal(weights_window(0.999 * 0.5, 0.01), 7);
  assert_int_equal(weights_window(0, 0.01), 1);
}

/* A learner without a game: active features change at random, episodes end, updates are drawn at random. */
typedef struct life {
  uint64_t rng;
  uint8_t active[FEATURES];
  feature_list list;
  bool looked; /* a state was visited and no action taken in it */
  int lanes;
} life;

static void draw_state(life *l) {
  l->list.count = 0;
  for (uint32_t i = 0; i < FEATURES; i++) {
    if (agent_below(&l->rng, 12) == 0) l->active[i] = agent_below(&l->rng, 2) != 0;
  }
  for (uint32_t i = 0; i < FEATURES; i++) {
    if (!l->active[i]) continue;
    feature_list_add(&l->list, i);
    if (i % 5 == 0) feature_list_add(&l->list, i); /* some twice */
  }
}

typedef struct moment {
  int lane;
  double change;
  bool over;
} moment;

static moment draw_moment(life *l) {
  moment m;
  m.lane = agent_below(&l->rng, 3) ? agent_below(&l->rng, 2) : agent_below(&l->rng, l->lanes);
  m.change = agent_real(&l->rng) * 0.02 - 0.01;
  m.over = agent_below(&l->rng, 90) == 0;
  return m;
}

static void live(life *l, weights *w, int steps) {
  for (int i = 0; i < steps; i++) {
    if (!l->looked) {
      weights_begin(w);
      draw_state(l);
      assert_true(weights_visit(w, &l->list));
    }
    moment m = draw_moment(l);
    assert_true(weights_take(w, m.lane));
    if (!m.over) {
      draw_state(l);
      assert_true(weights_visit(w, &l->list));
    }
    weights_update(w, m.change, !m.over);
    if (m.over) weights_begin(w);
    l->looked = !m.over;
  }
}

static const weights_settings usual = {
    .decay = 0.99 * 0.9, .cutoff = 0.01, .max_count = FEATURES, .set = WEIGHTS_BEST};

static void make(weights *w, weights_settings settings, int lanes) {
  sixer_error error;
  assert_int_equal(weights_create(w, &settings, lanes, &error), SIXER_OK);
  assert_true(weights_grow(w, FEATURES));
}

/* The whole state of a store, as bytes. */
static void *bytes_of(const weights *w, size_t *size) {
  void *bytes;
  sections_message message;
  sections_writer *out = sections_create(NULL);
  weights_save(w, out);
  sections_begin(out, "values");
  sections_put(out, w->q, (size_t)w->lanes * sizeof *w->q);
  assert_true(sections_take(out, &bytes, size, message));
  return bytes;
}

static void assert_same(const weights *a, const weights *b) {
  size_t a_size, b_size;
  void *x = bytes_of(a, &a_size), *y = bytes_of(b, &b_size);
  assert_int_equal(a_size, b_size);
  assert_memory_equal(x, y, a_size);
  free(x);
  free(y);
}

/* The plain version: one double per weight and one per trace, as the algorithm is printed. */
static void test_against_plain(void **state) {
  (void)state;
  static double weight[FEATURES][WEIGHTS_LANES], trace[FEATURES][WEIGHTS_LANES];
  static const struct {
    double decay;
    bool clear_other, accumulate, eager, counts;
    float initial;
  } cases[] = {{0.891, false, false, false, false, 0}, {0.891, true, false, false, false, 0},
               {0.891, false, false, true, false, 0},  {0.891, true, false, true, false, 0},
               {0.891, false, true, true, false, 0},   {0.891, false, true, false, false, 0},
               {0.8991, false, false, false, true, 0}, {0.4995, false, false, false, false, 0.5f},
               {0.98, false, false, false, false, 0},  {0.891, false, false, true, true, 0.25f},
               {0, false, false, false, false, 0}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    weights_settings settings = usual;
    settings.decay = cases[c].decay;
    settings.clear_other = cases[c].clear_other;
    settings.accumulate = cases[c].accumulate;
    settings.eager = cases[c].eager;
    settings.counts = cases[c].counts;
    settings.initial = cases[c].initial;
    settings.period = 500;
    const int lanes = c % 2 ? 18 : 7;
    weights w;
    make(&w, settings, lanes);
    life l = {.rng = c + 1, .lanes = lanes};
    for (int i = 0; i < FEATURES; i++) {
      for (int a = 0; a < lanes; a++) weight[i][a] = cases[c].initial, trace[i][a] = 0;
    }
    bool looked = false;
    uint8_t now[FEATURES];
    for (int step = 0; step < 3000; step++) {
      if (!looked) {
        weights_begin(&w);
        memset(trace, 0, sizeof trace);
        draw_state(&l);
        assert_true(weights_visit(&w, &l.list));
      }
      memcpy(now, l.active, sizeof now);
      moment m = draw_moment(&l);
      assert_true(weights_take(&w, m.lane));
      for (int i = 0; i < FEATURES; i++) {
        for (int a = 0; a < lanes; a++) {
          trace[i][a] *= cases[c].decay;
          if (trace[i][a] < settings.cutoff) trace[i][a] = 0;
          if (now[i] && cases[c].clear_other && a != m.lane) trace[i][a] = 0;
        }
        if (now[i]) trace[i][m.lane] = cases[c].accumulate ? trace[i][m.lane] + 1 : 1;
      }
      if (!m.over) {
        draw_state(&l);
        assert_true(weights_visit(&w, &l.list));
        /* values with the weights from before the update */
        for (int a = 0; a < lanes; a++) {
          double q = 0;
          for (int i = 0; i < FEATURES; i++) {
            if (l.active[i]) q += weight[i][a] * (cases[c].counts && i % 5 == 0 ? 2 : 1);
          }
          assert_true(fabs(q - w.q[a]) < 1e-4 * (1 + fabs(q)));
        }
      }
      weights_update(&w, m.change, !m.over);
      for (int i = 0; i < FEATURES; i++) {
        for (int a = 0; a < lanes; a++) weight[i][a] += m.change * trace[i][a];
      }
      for (int a = 0; !m.over && a < lanes; a++) {
        double q = 0;
        for (int i = 0; i < FEATURES; i++) {
          if (l.active[i]) q += weight[i][a] * (cases[c].counts && i % 5 == 0 ? 2 : 1);
        }
        assert_true(fabs(q - w.q[a]) < 1e-4 * (1 + fabs(q)));
      }
      if (m.over) weights_begin(&w);
      looked = !m.over;
    }
    for (uint32_t i = 0; i < FEATURES; i++) {
      for (int a = 0; a < lanes; a++)
        assert_true(fabs(weights_value(&w, i, a) - weight[i][a]) < 1e-5);
    }
    feature_list_free(&l.list);
    weights_destroy(&w);
  }
}

static void test_instruction_sets(void **state) {
  (void)state;
  static const int lanes[] = {18, 17, 16, 9, 4, 1};
  for (size_t i = 0; i < sizeof lanes / sizeof lanes[0]; i++) {
    weights plain, w;
    weights_settings settings = usual;
    settings.set = WEIGHTS_PLAIN;
    make(&plain, settings, lanes[i]);
    life l = {.rng = 5, .lanes = lanes[i]};
    live(&l, &plain, 1500);
    feature_list_free(&l.list);
    for (int set = WEIGHTS_AVX2; set <= WEIGHTS_AVX512; set++) {
      if (!weights_set_works((weights_set)set)) {
        if (i == 0) print_message("SKIPPED: instruction set %d is not here\n", set);
        continue;
      }
      settings.set = (weights_set)set;
      make(&w, settings, lanes[i]);
      l = (life){.rng = 5, .lanes = lanes[i]};
      live(&l, &w, 1500);
      assert_same(&plain, &w);
      feature_list_free(&l.list);
      weights_destroy(&w);
    }
    weights_destroy(&plain);
  }
}

/* Steps are renumbered every now and then: when, does not matter. */
static void test_renumbering(void **state) {
  (void)state;
  weights a, b;
  make(&a, usual, 18);
  life l = {.rng = 8, .lanes = 18};
  live(&l, &a, 4000);
  feature_list_free(&l.list);
  static const uint32_t periods[] = {1, 2, 3, 41, 1000};
  for (size_t i = 0; i < sizeof periods / sizeof periods[0]; i++) {
    weights_settings settings = usual;
    settings.period = periods[i];
    make(&b, settings, 18);
    l = (life){.rng = 8, .lanes = 18};
    live(&l, &b, 4000);
    assert_true(b.now <= b.limit);
    assert_same(&a, &b);
    feature_list_free(&l.list);
    weights_destroy(&b);
  }
  weights_destroy(&a);
}

static sixer_err load(weights *w, const void *bytes, size_t size) {
  sections_message message;
  sixer_error error;
  sections_reader *in = sections_open_memory(bytes, size, message);
  assert_non_null(in);
  sixer_err err = weights_load(w, in, &error);
  sections_free(in);
  return err;
}

static void test_saving(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    weights_settings settings = usual;
    settings.accumulate = form == 1;
    for (int at = 0; at < 60; at += form ? 13 : 3) {
      weights a, b;
      make(&a, settings, 18);
      make(&b, settings, 18);
      life l = {.rng = 100 + (uint64_t)at, .lanes = 18}, other;
      live(&l, &a, 50 + at);
      size_t size;
      void *bytes = bytes_of(&a, &size);
      assert_int_equal(load(&b, bytes, size), SIXER_OK);
      memcpy(b.q, a.q, sizeof b.q); /* the learner's own */
      free(bytes);
      assert_same(&a, &b);
      other = l;
      other.list = (feature_list){0};
      live(&l, &a, 300);
      live(&other, &b, 300);
      assert_same(&a, &b);
      feature_list_free(&l.list);
      feature_list_free(&other.list);
      weights_destroy(&a);
      weights_destroy(&b);
    }
  }
}

/* A bit is flipped and the checksums are recomputed: the file is rejected, or gives a store that can be used. */
static void test_hostile_bytes(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    weights_settings settings = usual;
    settings.eager = form == 1;
    weights a;
    make(&a, settings, 18);
    life l = {.rng = 4, .lanes = 18};
    live(&l, &a, 200);
    while (!l.looked) live(&l, &a, 1);
    size_t size, damaged_size;
    void *bytes = bytes_of(&a, &size), *damaged;
    uint64_t rng = 6;
    int refused = 0;
    for (int i = 0; i < 400; i++) {
      weights b;
      make(&b, settings, 18);
      /* half of them near the begin, where the numbers of things are */
      uint64_t at = i % 2 ? agent_draw(&rng) : agent_draw(&rng) % 3000;
      assert_true(damage_sections(bytes, size, at, agent_below(&rng, 8), &damaged, &damaged_size));
      if (load(&b, damaged, damaged_size)) {
        refused++;
      } else {
        life other = l;
        other.list = (feature_list){0};
        live(&other, &b, 60);
        feature_list_free(&other.list);
      }
      free(damaged);
      weights_destroy(&b);
    }
    assert_true(refused > 40);
    free(bytes);
    feature_list_free(&l.list);
    weights_destroy(&a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_trace_life),       cmocka_unit_test(test_against_plain),
      cmocka_unit_test(test_instruction_sets), cmocka_unit_test(test_renumbering),
      cmocka_unit_test(test_saving),           cmocka_unit_test(test_hostile_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
