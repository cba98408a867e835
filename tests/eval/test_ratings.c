/* Ratings: known results, what keeps them finite, intervals, groups, refusals. Comparisons with SciPy are in
 * test_ratings_scipy.py. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sixer/ratings.h"

static void rate(const sixer_pairing *pairings, size_t count, size_t players,
                 const sixer_ratings_settings *settings, sixer_rating *out) {
  sixer_error error;
  if (sixer_ratings_compute(pairings, count, players, NULL, settings, out, &error))
    fail_msg("%s", error.message);
}

static void assert_close(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g", a, b);
}

/* Without a prior that matters, a score of 10:1 is 400 points of Elo. */
static void ten_to_one(void **state) {
  (void)state;
  sixer_pairing pairings[1100];
  for (int i = 0; i < 1100; i++) pairings[i] = (sixer_pairing){i % 2, 1 - i % 2, 0, i};
  for (int i = 0; i < 1100; i++) pairings[i].score = (i % 11 == 0) == (pairings[i].a == 1);
  sixer_ratings_settings settings = sixer_ratings_default();
  settings.prior = 1e-9;
  settings.replicates = 0;
  sixer_rating out[2];
  rate(pairings, 1100, 2, &settings, out);
  assert_int_equal(out[0].wins, 1000);
  assert_int_equal(out[0].losses, 100);
  assert_close(out[0].elo - out[1].elo, 400, 1e-6);
  assert_close(out[0].elo + out[1].elo, 3000, 1e-9);
  assert_close(sixer_ratings_expected(out[0].elo, out[1].elo), 10.0 / 11, 1e-9);
  /* the variance of the difference of two strengths is 1 / (n p q); each rating has half of the difference */
  double expected = 400 / log(10) * 0.5 / sqrt(1100 * 10.0 / 121);
  assert_close(out[0].error, expected, 1e-6);
  assert_close(out[0].high - out[0].elo, 1.959963984540054 * expected, 1e-6);
}

static void equal_players(void **state) {
  (void)state;
  sixer_pairing pairings[] = {{0, 1, 1, 0}, {1, 0, 1, 1}, {2, 0, 0.5, 2}, {1, 2, 0.5, 3}};
  sixer_ratings_settings settings = sixer_ratings_default();
  sixer_rating out[3];
  rate(pairings, 4, 3, &settings, out);
  for (int i = 0; i < 3; i++) assert_close(out[i].elo, 1500, 1e-7);
  assert_int_equal(out[2].draws, 2);
  assert_close(out[0].points, 1.5, 0);
}

/* Who wins everything has a finite rating, a higher one the more it won. */
static void undefeated(void **state) {
  (void)state;
  sixer_pairing pairings[200];
  double before = 0;
  sixer_ratings_settings settings = sixer_ratings_default();
  settings.replicates = 0;
  for (size_t count = 2; count <= 200; count *= 10) {
    for (size_t i = 0; i < count; i++) pairings[i] = (sixer_pairing){0, 1, 1, (int64_t)i};
    sixer_rating out[2];
    rate(pairings, count, 2, &settings, out);
    double lead = out[0].elo - out[1].elo;
    assert_true(isfinite(lead) && lead > before + 100);
    assert_true(isfinite(out[0].low) && isfinite(out[0].high));
    before = lead;
  }
}

/* 256 players in a chain, each of which beats the next: far from the start of Newton's method. */
static void long_chain(void **state) {
  (void)state;
  enum { N = SIXER_RATINGS_PLAYERS_MAX };
  sixer_pairing pairings[N - 1];
  for (int i = 0; i + 1 < N; i++) pairings[i] = (sixer_pairing){i, i + 1, 1, i};
  sixer_ratings_settings settings = sixer_ratings_default();
  settings.replicates = 0;
  settings.prior = 0.01;
  static sixer_rating out[N];
  rate(pairings, N - 1, N, &settings, out);
  for (int i = 0; i + 1 < N; i++) assert_true(out[i].elo > out[i + 1].elo);
  for (int i = 0; i < N; i++) assert_close(out[i].elo - 1500, 1500 - out[N - 1 - i].elo, 1e-3);
}

static void anchor_has_its_level(void **state) {
  (void)state;
  sixer_pairing pairings[] = {{0, 1, 1, 0}, {1, 2, 1, 1}, {2, 0, 0.5, 2}, {1, 2, 0, 3}};
  sixer_ratings_settings settings = sixer_ratings_default();
  settings.anchor = 2;
  settings.level = 1000;
  sixer_rating anchored[3], free[3];
  rate(pairings, 4, 3, &settings, anchored);
  settings.anchor = -1;
  rate(pairings, 4, 3, &settings, free);
  assert_close(anchored[2].elo, 1000, 1e-9);
  assert_close(anchored[2].error, 0, 1e-9);
  assert_close(anchored[2].low, 1000, 1e-9);
  assert_close(anchored[0].elo - anchored[1].elo, free[0].elo - free[1].elo, 1e-9);
}

/* The bootstrap is a function of its seed; pairings of one game are drawn together, so two copies of each result in one
 * game leave the intervals about as wide as one copy, and as two games they make them narrower. */
static void bootstrap_draws_games(void **state) {
  (void)state;
  enum { N = 60 };
  sixer_pairing once[N], together[2 * N], apart[2 * N];
  for (int i = 0; i < N; i++) {
    once[i] = (sixer_pairing){0, 1, i % 3 != 0, i};
    together[2 * i] = together[2 * i + 1] = apart[2 * i] = apart[2 * i + 1] = once[i];
    apart[2 * i + 1].game = N + i;
  }
  sixer_ratings_settings settings = sixer_ratings_default();
  settings.prior = 1e-6;
  settings.replicates = 1000;
  sixer_rating a[2], b[2], c[2], again[2];
  rate(once, N, 2, &settings, a);
  rate(once, N, 2, &settings, again);
  assert_memory_equal(a, again, sizeof a);
  sixer_ratings_settings other = settings;
  other.replicates = settings.replicates = 7; /* so few that the same ends would be a coincidence */
  other.seed = 1;
  rate(once, N, 2, &settings, a);
  rate(once, N, 2, &other, again);
  assert_true(a[0].low != again[0].low || a[0].high != again[0].high);
  settings.replicates = 1000;
  rate(once, N, 2, &settings, a);
  rate(together, 2 * N, 2, &settings, b);
  rate(apart, 2 * N, 2, &settings, c);
  double width = a[0].high - a[0].low;
  assert_true(width > 0 && a[0].low < a[0].elo && a[0].elo < a[0].high);
  assert_close((b[0].high - b[0].low) / width, 1, 0.01);
  assert_close((c[0].high - c[0].low) / width, sqrt(0.5), 0.1);
}

static void refused(const sixer_pairing *pairings, size_t count, size_t players,
                    const char *const *names, const sixer_ratings_settings *settings,
                    const char *text) {
  sixer_error error;
  sixer_rating out[4], before[4];
  memset(out, 0x5a, sizeof out);
  memcpy(before, out, sizeof out);
  if (!sixer_ratings_compute(pairings, count, players, names, settings, out, &error))
    fail_msg("accepted, but should say \"%s\"", text);
  if (!strstr(error.message, text)) fail_msg("\"%s\" does not say \"%s\"", error.message, text);
  assert_memory_equal(out, before, sizeof out);
}

static void refusals(void **state) {
  (void)state;
  const sixer_ratings_settings good = sixer_ratings_default();
  sixer_ratings_settings s = good;
  sixer_pairing p[] = {{0, 1, 1, 0}, {2, 3, 1, 1}};
  static const char *const names[] = {"uct", "iw1", "random", "human"};
  refused(p, 2, 4, names, &s, "2 groups that never met (uct, iw1 | random, human)");
  refused(p, 2, 4, NULL, &s, "(player 0, player 1 | player 2, player 3)");
  refused(p, 0, 3, NULL, &s, "3 groups");
  refused(p, 2, 3, NULL, &s, "players 2 and 3; there are 0 to 2");
  refused(p, 1, 1, NULL, &s, "1 players; ratings are of 2 to 256");
  refused(p, 1, 257, NULL, &s, "257 players");
  for (int i = 0; i < 3; i++) {
    static const double scores[] = {-0.1, 1.5, NAN};
    p[0].score = scores[i];
    refused(p, 1, 2, NULL, &s, "it is 0 to 1");
  }
  p[0] = (sixer_pairing){1, 1, 1, 0};
  refused(p, 1, 2, NULL, &s, "against itself");
  p[0] = (sixer_pairing){0, -1, 1, 0};
  refused(p, 1, 2, NULL, &s, "players 0 and -1");
  p[0] = (sixer_pairing){0, 1, 1, 0};
  s = (sixer_ratings_settings){0};
  refused(p, 1, 2, NULL, &s, "sixer_ratings_default()");
  for (int i = 0; i < 4; i++) {
    static const double priors[] = {0, -1, 1e6, NAN};
    s = good;
    s.prior = priors[i];
    refused(p, 1, 2, NULL, &s, "a prior of");
  }
  s = good;
  s.confidence = 1;
  refused(p, 1, 2, NULL, &s, "a confidence of 1");
  s = good;
  s.anchor = 2;
  refused(p, 1, 2, NULL, &s, "player 2 as the anchor");
  s = good;
  s.replicates = 1;
  refused(p, 1, 2, NULL, &s, "1 replicates");
  s = good;
  s.level = INFINITY;
  refused(p, 1, 2, NULL, &s, "a level of inf");
}

/* A message about 256 strangers stays a message. */
static void long_names(void **state) {
  (void)state;
  static char text[SIXER_RATINGS_PLAYERS_MAX][80];
  static const char *names[SIXER_RATINGS_PLAYERS_MAX];
  for (int i = 0; i < SIXER_RATINGS_PLAYERS_MAX; i++) {
    memset(text[i], 'a' + i % 26, sizeof text[i] - 1);
    names[i] = text[i];
  }
  sixer_ratings_settings settings = sixer_ratings_default();
  static sixer_rating out[SIXER_RATINGS_PLAYERS_MAX];
  sixer_error error;
  assert_int_equal(
      sixer_ratings_compute(NULL, 0, SIXER_RATINGS_PLAYERS_MAX, names, &settings, out, &error),
      SIXER_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "256 groups"));
  assert_non_null(strstr(error.message, "...)"));
  assert_non_null(strstr(error.message, "let players of different groups play"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ten_to_one),
      cmocka_unit_test(equal_players),
      cmocka_unit_test(undefeated),
      cmocka_unit_test(long_chain),
      cmocka_unit_test(anchor_has_its_level),
      cmocka_unit_test(bootstrap_draws_games),
      cmocka_unit_test(refusals),
      cmocka_unit_test(long_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
