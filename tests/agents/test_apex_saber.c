/* The layout of the SABER paper, the learner's part: batches made out of records equal those of a replay memory
 * with the same steps. The store of this test has arrays instead of a server. Slices wrap around, episodes are cut off,
 * and some records are gone when they are read. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agents/deep/apex_saber.h"
#include "util/random.h"

enum { SIDE = 12, SIZE = SIDE * SIDE, ACTORS = 2, ROOM = 60, STEPS = 200, BATCH = 8, STACK = 4 };

typedef struct record {
  int64_t step; /* -1: none */
  saber_row row;
  uint8_t frame[SIZE];
  double priority;
} record;

typedef struct arrays {
  apex_store base;
  record records[ACTORS * ROOM];
  int sets;
  double highest;
} arrays;

static apex_result find(apex_store *base, const saber_shape *h, const double *points, int count,
                        int64_t *records, double *priorities, double *total, sixer_error *error) {
  (void)error;
  const arrays *a = (arrays *)base;
  assert_true(h->leaves == 128);
  *total = 0;
  for (int j = 0; j < ACTORS * ROOM; j++) *total += a->records[j].priority;
  if (*total == 0) return APEX_ABSENT;
  for (int i = 0; i < count; i++) {
    assert_true(points[i] >= 0 && points[i] < 1);
    double left = points[i] * *total;
    int j = 0;
    while (j < ACTORS * ROOM - 1 && left >= a->records[j].priority)
      left -= a->records[j++].priority;
    records[i] = j;
    priorities[i] = a->records[j].priority;
  }
  return APEX_OK;
}

static apex_result read_rows(apex_store *base, const saber_shape *h, const saber_place *places,
                             int count, int length,
                             void (*take)(void *context, int place, int position,
                                          const saber_row *row),
                             void *context, sixer_error *error) {
  (void)error;
  const arrays *a = (arrays *)base;
  for (int i = 0; i < count; i++) {
    for (int p = 0; p < length; p++) {
      const saber_place place = {places[i].actor, places[i].step + p};
      const record *r = place.step < 0 ? NULL : &a->records[saber_record(h, place)];
      take(context, i, p, r && r->step == place.step ? &r->row : NULL);
    }
  }
  return APEX_OK;
}

static apex_result set(apex_store *base, const saber_shape *h, const saber_place *places,
                       const double *priorities, int count, double highest, sixer_error *error) {
  (void)error;
  arrays *a = (arrays *)base;
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < i; k++) /* every record once */
      assert_true(saber_record(h, places[k]) != saber_record(h, places[i]));
    record *r = &a->records[saber_record(h, places[i])];
    if (r->step == places[i].step) r->priority = priorities[i];
  }
  a->sets += count;
  a->highest = highest;
  return APEX_OK;
}

static const saber_class layout = {.find = find, .read = read_rows, .set = set};
static const apex_store_class class = {.saber = &layout};

/* The same steps in the records and in a replay memory. */
static void play(arrays *a, replay *r, const saber_shape *h, uint64_t *rng) {
  for (int j = 0; j < ACTORS * ROOM; j++) a->records[j] = (record){.step = -1};
  for (int actor = 0; actor < ACTORS; actor++) {
    bool first = true;
    for (int64_t t = 0; t < STEPS; t++) {
      record *x = &a->records[saber_record(h, (saber_place){actor, t})];
      *x = (record){.step = t, .priority = 0.1 + random_real(rng)};
      for (int p = 0; p < SIZE; p++) x->frame[p] = (uint8_t)random_next(rng);
      bool terminal = random_below(rng, 15) == 0;
      x->row = (saber_row){first, terminal, random_below(rng, 6), (float)random_below(rng, 3) - 1,
                           x->frame};
      replay_add_to(r, actor,
                    &(replay_step){x->frame, x->row.action, x->row.reward, first, terminal});
      /* some episodes are cut off */
      first = terminal || random_below(rng, 40) == 0;
    }
  }
}

static void compare(const replay_batch *ours, const replay_batch *right, int k) {
  assert_memory_equal(ours->states[k], right->states[0], STACK * SIZE);
  assert_memory_equal(ours->next_states[k], right->next_states[0], STACK * SIZE);
  assert_int_equal(ours->actions[k], right->actions[0]);
  assert_true(ours->rewards[k] == right->rewards[0]);
  assert_true(ours->discounts[k] == right->discounts[0]);
}

static void test_batches(void **state) {
  (void)state;
  for (int n = 1; n <= 6; n++) {
    uint64_t rng = (uint64_t)n;
    replay_settings rs = replay_settings_default();
    rs.width = rs.height = SIDE;
    rs.capacity = ACTORS * ROOM;
    rs.n = n;
    rs.actions = 6;
    rs.slices = ACTORS;
    replay *r;
    sixer_error error;
    assert_int_equal(replay_create(&rs, &r, &error), SIXER_OK);
    const saber_shape h = {.form = {SIDE, SIDE, 6, 4, ACTORS},
                           .room = ROOM,
                           .leaves = 128,
                           .stack = STACK,
                           .n = n,
                           .gamma = rs.gamma};
    arrays *a = calloc(1, sizeof *a);
    a->base.class = &class;
    play(a, r, &h, &rng);
    a->records[17].step = -1; /* one of actor 0 is not there */
    saber *s = saber_create(&h, r, BATCH, 7);
    replay_batch *batch = replay_batch_create(r, BATCH), *right = replay_batch_create(r, 1);
    const int64_t low[ACTORS] = {STEPS - ROOM, STEPS - ROOM}, high[ACTORS] = {STEPS, STEPS};
    deep_source *source = saber_source(s);
    int compared = 0, edge = 0, used = 0;
    for (int round = 0; round < 200; round++) {
      if (!saber_ready(s)) {
        assert_false(source->draw(source, &batch));
        assert_int_equal(saber_fill(s, &a->base, low, high, &error), APEX_OK);
        used = 0;
      }
      assert_true(source->draw(source, &batch));
      used++;
      assert_int_equal(batch->count, BATCH);
      double priorities[BATCH];
      for (int k = 0; k < BATCH; k++) {
        priorities[k] = 0.5 + k;
        /* which step is it? The frames are random, so only one has this newest frame */
        int j = 0;
        while (memcmp(a->records[j].frame, batch->states[k] + (STACK - 1) * SIZE, SIZE) != 0)
          assert_true(++j < ACTORS * ROOM);
        int64_t step = a->records[j].step * ACTORS + j / ROOM;
        assert_true(j != 17);
        assert_true(batch->probabilities[k] > 0 && batch->probabilities[k] < 1);
        if (a->records[j].step - (STACK - 1) < STEPS - ROOM) { /* the memory does not give these */
          edge++;
          continue;
        }
        assert_true(replay_complete(r, step));
        replay_take(r, right, &step, 1);
        compare(batch, right, k);
        compared++;
      }
      source->set(source, batch, priorities);
      assert_int_equal(saber_ready(s), used < SABER_BATCHES);
    }
    assert_true(compared + edge == 200 * BATCH && compared > 20 * edge);
    assert_true(a->sets > 0 && a->highest == BATCH - 0.5);
    replay_batch_destroy(batch);
    replay_batch_destroy(right);
    saber_destroy(s);
    replay_destroy(r);
    free(a);
  }
}

/* Nothing can be drawn: no priorities, or no step that has its successors. */
static void test_nothing(void **state) {
  (void)state;
  replay_settings rs = replay_settings_default();
  rs.width = rs.height = SIDE;
  rs.capacity = ACTORS * ROOM;
  rs.n = 3;
  rs.slices = ACTORS;
  replay *r;
  sixer_error error;
  uint64_t rng = 3;
  assert_int_equal(replay_create(&rs, &r, &error), SIXER_OK);
  const saber_shape h = {{SIDE, SIDE, 18, 4, ACTORS}, ROOM, 128, STACK, 3, 0.99};
  arrays *a = calloc(1, sizeof *a);
  a->base.class = &class;
  saber *s = saber_create(&h, r, BATCH, 7);
  int64_t low[ACTORS] = {0}, high[ACTORS] = {3, 3};
  assert_int_equal(saber_fill(s, &a->base, low, high, &error), APEX_ABSENT);
  play(a, r, &h, &rng);
  assert_int_equal(saber_fill(s, &a->base, low, high, &error), APEX_ABSENT);
  assert_false(saber_ready(s));
  saber_destroy(s);
  replay_destroy(r);
  free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_batches),
                                     cmocka_unit_test(test_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
