/* Tables of the papers recomputed from the published data and compared to the last digit printed:
 * Bellemare et al. 2013, Machado et al. 2018, and SABER (Toromanoff et al. 2019). Where a paper and
 * its data disagree the test says so and pins what the data gives. The Atari-5 paper has a file of
 * its own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sixer/eval.h"
#include "support/printed_tables.h"

typedef struct context {
  memory_arena arena;
  sixer_published *published;
} context;

static int set_up(void **state) {
  static context c;
  sixer_error error;
  ok(sixer_published_open(&c.published, &error), &error);
  *state = &c;
  return 0;
}

static int tear_down(void **state) {
  context *c = *state;
  sixer_published_close(c->published);
  arena_free(&c->arena);
  return 0;
}

static eval_table table(context *c, const char *name) { return published_table(&c->arena, name); }

static size_t row_of(const eval_table *t, const char *game) {
  for (size_t r = 0; r < t->rows; r++) {
    if (!strcmp(text(t, r, "game"), game)) return r;
  }
  fail_msg("%s: no game %s", t->origin, game);
  return 0;
}

/* ---- Bellemare et al. 2013 ---- */

static const char *const learners[] = {"basic", "bass", "disco", "lsh", "ram"};
static const char *const all_agents[] = {"basic", "bass",   "disco", "lsh",
                                         "ram",   "random", "const", "perturb"};
static const char *const planners[] = {"full_tree", "uct", "best_learner", "best_baseline"};

/* How often each column is the best of its row, ties going to the leftmost. */
static void times_best(const eval_table *t, const char *const *columns, size_t count, int *best) {
  memset(best, 0, count * sizeof *best);
  for (size_t r = 0; r < t->rows; r++) {
    size_t top = 0;
    for (size_t c = 1; c < count; c++) {
      double value = number(t, r, columns[c]), leader = number(t, r, columns[top]);
      if (isnan(leader) || value > leader) top = c;
    }
    best[top]++;
  }
}

static double best_of(const eval_table *t, size_t row, const char *const *columns, size_t count) {
  double best = -INFINITY;
  for (size_t c = 0; c < count; c++) best = fmax(best, number(t, row, columns[c]));
  return best;
}

static void bellemare_tables_4_and_5(void **state) {
  context *c = *state;
  eval_table rl = table(c, "bellemare2013_rl.csv"),
             planning = table(c, "bellemare2013_planning.csv");
  static const int printed4[] = {6, 17, 1, 8, 8, 2, 9, 4}, printed5[] = {4, 45, 3, 3};
  int best[8], learned = 0, tied = 0, searched = 0, search_tied = 0;
  assert_int_equal(rl.rows, 55);
  times_best(&rl, all_agents, 8, best);
  assert_memory_equal(best, printed4, sizeof printed4);
  times_best(&planning, planners, 4, best);
  assert_memory_equal(best, printed5, sizeof printed5);
  for (size_t r = 0; r < rl.rows; r++) {
    const char *game = text(&rl, r, "game");
    size_t row = row_of(&planning, game);
    double learner = best_of(&rl, r, learners, 5), baseline = best_of(&rl, r, all_agents + 5, 3);
    assert_true(number(&planning, row, "best_learner") == learner);
    assert_true(number(&planning, row, "best_baseline") == baseline);
    learned += learner > baseline;
    tied += learner == baseline;
    double search = best_of(&planning, row, planners, 2), other = fmax(learner, baseline);
    searched += search > other;
    search_tied += search == other;
  }
  /* the text says 40 of 55 and 49 of 55: that counts the tie in Skiing */
  assert_int_equal(learned, 39);
  assert_int_equal(tied, 1);
  assert_int_equal(searched, 48);
  assert_int_equal(search_tied, 1);
}

/* Tables 1 and 2 show five games of Tables 4 and 5 in whole numbers; 2^k below are the columns. */
static void bellemare_tables_1_and_2(void **state) {
  context *c = *state;
  eval_table rl = table(c, "bellemare2013_rl.csv"),
             planning = table(c, "bellemare2013_planning.csv");
  eval_table reference = table(c, "reference_scores.csv");
  static const struct {
    const char *game;
    int table1[9], table2[4];
  } rows[] = {
      {"asterix", {862, 860, 755, 987, 943, 288, 650, 338, 620}, {2136, 290700, 987, 650}},
      {"seaquest", {579, 665, 422, 509, 594, 108, 160, 451, 156}, {288, 5132, 665, 451}},
      {"boxing", {-3, 16, 12, 10, 44, -1, -25, -10, -2}, {100, 100, 44, -1}},
      {"hero", {6053, 6459, 2720, 3836, 3281, 712, 0, 148, 6087}, {1324, 12860, 6459, 712}},
      {"zaxxon", {1392, 2069, 70, 3365, 304, 0, 0, 2, 820}, {0, 22610, 3365, 2}},
  };
  for (size_t i = 0; i < 5; i++) {
    size_t r = row_of(&rl, rows[i].game), row = row_of(&planning, rows[i].game);
    /* a half is rounded either way: Boxing's -1.5 to -1, 147.5 to 148, 12859.5 to 12860, Seaquest's
     * 508.5 to 509 */
    for (size_t k = 0; k < 8; k++)
      assert_true(fabs(number(&rl, r, all_agents[k]) - rows[i].table1[k]) <= 0.5 + 1e-9);
    for (size_t k = 0; k < 4; k++)
      assert_true(fabs(number(&planning, row, planners[k]) - rows[i].table2[k]) <= 0.5 + 1e-9);
    assert_true(number(&reference, row_of(&reference, rows[i].game),
                       "human_beginner_bellemare2013") == rows[i].table1[8]);
  }
}

/* Table 3 needs the variance over trials, which was not published. What can be checked: it is
 * antisymmetric, and no agent is significantly better in more games than its mean is higher or
 * equal. One entry is at that limit's edge: rounding. */
static void bellemare_table_3(void **state) {
  context *c = *state;
  eval_table t = table(c, "bellemare2013_table3.csv"), rl = table(c, "bellemare2013_rl.csv");
  assert_int_equal(t.rows, 20);
  for (size_t r = 0; r < t.rows; r++) {
    const char *first = text(&t, r, "first"), *second = text(&t, r, "second");
    double a[55], b[55];
    size_t better, worse, equal;
    sixer_error error;
    for (size_t g = 0; g < rl.rows; g++) {
      a[g] = number(&rl, g, first);
      b[g] = number(&rl, g, second);
    }
    ok(sixer_games_compare(a, b, rl.rows, &better, &worse, &equal, &error), &error);
    assert_int_equal(better + worse + equal, 55);
    assert_true(number(&t, r, "first_better") <= (double)(better + equal));
    assert_true(number(&t, r, "first_worse") <= (double)(worse + equal));
    for (size_t k = 0; k < t.rows; k++) {
      if (strcmp(text(&t, k, "first"), second) || strcmp(text(&t, k, "second"), first)) continue;
      assert_true(number(&t, k, "first_better") == number(&t, r, "first_worse"));
    }
  }
}

/* Figures 2 to 4 print no numbers, but what the text says of them can be computed: between the five
 * learners, BASS has the best median and DISCO by far the worst; Venture's best learner gets 1. */
static void bellemare_inter_algorithm(void **state) {
  context *c = *state;
  eval_table rl = table(c, "bellemare2013_rl.csv");
  double scores[5 * 55], low[55], high[55], z[5][55], medians[5], distribution[5];
  size_t runs[55];
  sixer_error error;
  for (size_t a = 0; a < 5; a++) {
    for (size_t g = 0; g < 55; g++) scores[a * 55 + g] = number(&rl, g, learners[a]);
  }
  for (size_t g = 0; g < 55; g++) runs[g] = 1;
  ok(sixer_scores_range(scores, 5, 55, low, high, &error), &error);
  for (size_t a = 0; a < 5; a++) {
    double out[SIXER_AGGREGATE_COUNT], half = 0.5;
    ok(sixer_scores_normalize(SIXER_SCALE_INTER, scores + a * 55, low, high, 55, z[a], &error),
       &error);
    for (size_t g = 0; g < 55; g++) assert_true(z[a][g] >= 0 && z[a][g] <= 1);
    sixer_sample sample = {z[a], runs, 55};
    ok(sixer_aggregates_compute(&sample, NAN, out, &error), &error);
    medians[a] = out[SIXER_AGGREGATE_MEDIAN];
    ok(sixer_profile_compute(&sample, SIXER_PROFILE_AT_LEAST, &half, 1, &distribution[a], &error),
       &error);
  }
  for (size_t a = 0; a < 5; a++) {
    print_message("%-6s median %.3f, at least 0.5 in %.0f %% of games\n", learners[a], medians[a],
                  100 * distribution[a]);
    if (a != 1) assert_true(medians[1] > medians[a]);
    if (a != 2) assert_true(medians[2] < medians[a]);
  }
  assert_true(z[1][row_of(&rl, "venture")] == 1);
}

/* ---- Machado et al. 2018 ---- */

typedef struct progress {
  int gains, drops, lower, highest, highest_or_tied, valued;
  char dropped[400], fell[400];
} progress;

/* What happens between 100 and 200 million frames. */
static progress progress_of(const eval_table *t, double trials) {
  progress p = {0};
  sixer_error error;
  for (size_t r = 0; r < t->rows; r++) {
    double last = number(t, r, "mean_200M"), before = number(t, r, "mean_100M");
    if (isnan(last)) continue; /* Journey Escape of Sarsa: not in the preprint */
    sixer_welch test;
    ok(sixer_welch_test(last, number(t, r, "std_200M"), trials, before, number(t, r, "std_100M"),
                        trials, &test, &error),
       &error);
    double earlier = fmax(before, fmax(number(t, r, "mean_10M"), number(t, r, "mean_50M")));
    p.valued++;
    p.highest += last > earlier;
    p.highest_or_tied += last >= earlier;
    p.lower += last < before;
    if (last < before) snprintf(p.fell + strlen(p.fell), 200, " %s", text(t, r, "game"));
    if (test.p < 0.05) {
      if (test.t > 0) {
        p.gains++;
      } else {
        p.drops++;
        snprintf(p.dropped + strlen(p.dropped), 100, " %s", text(t, r, "game"));
      }
    }
  }
  return p;
}

static void machado_welch_tests(void **state) {
  context *c = *state;
  eval_table sarsa = table(c, "machado2018_sarsa_blobprost.csv"),
             dqn = table(c, "machado2018_dqn.csv");
  progress s = progress_of(&sarsa, 24), d = progress_of(&dqn, 5);

  assert_int_equal(d.gains, 18);
  assert_int_equal(d.drops, 0);
  assert_int_equal(d.highest_or_tied, 35);

  assert_int_equal(s.drops, 3);
  assert_string_equal(s.dropped, " carnival centipede wizard_of_wor");
  assert_int_equal(s.highest_or_tied, 50);
  /* the text: 22 significant gains and 10 % of games lower. Table 8 gives 23 and 7 of 60 (12 %).
   * The text of the preprint says that some columns of that table "will be filled in later", so
   * that its counts may be of older runs. */
  print_message(
      "Sarsa: %d significant gains (the text says 22); lower in %d games (the text says 10 "
      "%%):%s\n",
      s.gains, s.lower, s.fell);
  assert_int_equal(s.gains, 23);
  assert_int_equal(s.lower, 7);
  assert_int_equal(s.valued, 59);
  assert_int_equal(s.highest, 48);

  /* "each algorithm being better in an equal number of games": 30 and 29 of those that both have,
   * at 200 million */
  int higher = 0, lower = 0;
  for (size_t r = 0; r < dqn.rows; r++) {
    size_t row = row_of(&sarsa, text(&dqn, r, "game"));
    higher += number(&dqn, r, "mean_200M") > number(&sarsa, row, "mean_200M");
    lower += number(&dqn, r, "mean_200M") < number(&sarsa, row, "mean_200M");
  }
  assert_int_equal(higher, 30);
  assert_int_equal(lower, 29);

  /* "less than 20 % of the games" at 10 million frames: exactly 20 % */
  int better = 0;
  for (size_t r = 0; r < dqn.rows; r++)
    better += number(&dqn, r, "mean_10M") >
              number(&sarsa, row_of(&sarsa, text(&dqn, r, "game")), "mean_10M");
  assert_int_equal(better, 12);
}

static void machado_excerpts(void **state) {
  context *c = *state;
  eval_table excerpts = table(c, "machado2018_excerpts.csv"),
             brute = table(c, "machado2018_brute.csv");
  eval_table tables[2] = {table(c, "machado2018_sarsa_blobprost.csv"),
                          table(c, "machado2018_dqn.csv")};
  int equal[2] = {0}, count[2] = {0};
  for (size_t r = 0; r < excerpts.rows; r++) {
    int which = strcmp(text(&excerpts, r, "algorithm"), "dqn") == 0;
    char mean[32], sd[32];
    snprintf(mean, sizeof mean, "mean_%sM", text(&excerpts, r, "frames_millions"));
    snprintf(sd, sizeof sd, "std_%sM", text(&excerpts, r, "frames_millions"));
    size_t row = row_of(&tables[which], text(&excerpts, r, "game"));
    count[which]++;
    equal[which] += number(&tables[which], row, mean) == number(&excerpts, r, "mean") &&
                    number(&tables[which], row, sd) == number(&excerpts, r, "std");
  }
  assert_int_equal(count[0], 20);
  assert_int_equal(count[1], 20);
  assert_int_equal(equal[1], 20);
  /* Table 3 is not an excerpt of Table 8: evidently not the same set of runs */
  print_message("Sarsa: %d of 20 cells of Table 3 equal Table 8\n", equal[0]);
  assert_int_equal(equal[0], 1);

  /* Table 2 is Tables 3 and 4 at 50 million frames in whole numbers. DQN's Freeway is 31.6 there
   * and 31.7 in Table 4. */
  int checked = 0, differ = 0;
  for (size_t r = 0; r < brute.rows; r++) {
    if (strcmp(text(&brute, r, "table"), "2") || number(&brute, r, "stickiness") != 0.25 ||
        !strcmp(text(&brute, r, "algorithm"), "brute"))
      continue;
    for (size_t k = 0; k < excerpts.rows; k++) {
      if (strcmp(text(&excerpts, k, "game"), text(&brute, r, "game")) ||
          strcmp(text(&excerpts, k, "algorithm"), text(&brute, r, "algorithm")) ||
          number(&excerpts, k, "frames_millions") != 50)
        continue;
      bool freeway = !strcmp(text(&brute, r, "game"), "freeway");
      bool same = fabs(number(&excerpts, k, "mean") - number(&brute, r, "mean")) <=
                  (freeway ? 1e-9 : 0.5 + 1e-9);
      checked++;
      if (!same) {
        differ++;
        assert_true(freeway && !strcmp(text(&brute, r, "algorithm"), "dqn"));
      }
    }
  }
  assert_int_equal(checked, 10);
  assert_int_equal(differ, 1);
}

/* Section 5.1: what sticky actions do to the Brute is significant in all five games, to the
 * learners hardly anywhere. */
static void machado_brute(void **state) {
  context *c = *state;
  eval_table t = table(c, "machado2018_brute.csv");
  sixer_error error;
  int worse = 0, games = 0;
  for (size_t r = 0; r < t.rows; r++) {
    if (strcmp(text(&t, r, "table"), "2") || strcmp(text(&t, r, "algorithm"), "brute") ||
        number(&t, r, "stickiness") != 0)
      continue;
    for (size_t k = 0; k < t.rows; k++) {
      if (strcmp(text(&t, k, "table"), "2") || strcmp(text(&t, k, "algorithm"), "brute") ||
          number(&t, k, "stickiness") == 0 || strcmp(text(&t, k, "game"), text(&t, r, "game")))
        continue;
      sixer_welch test;
      ok(sixer_welch_test(number(&t, k, "mean"), number(&t, k, "std"), 24, number(&t, r, "mean"),
                          number(&t, r, "std"), 24, &test, &error),
         &error);
      games++;
      worse += test.p < 0.05 && test.t < 0;
    }
  }
  assert_int_equal(games, 5);
  assert_int_equal(worse, 5);
}

/* ---- SABER ---- */

typedef struct summary {
  double median, mean, capped;
  size_t classes[SIXER_CLASS_COUNT], games;
} summary;

/* The record-normalized scores of a published result over the games that have a record. */
static size_t against_records(const sixer_result_set *set, const char *low, const char *high,
                              double *out) {
  sixer_protocol *saber;
  sixer_error error;
  size_t count = 0;
  ok(sixer_protocol_open("saber", &saber, &error), &error);
  for (size_t i = 0; i < set->count; i++) {
    double l = sixer_protocol_constant(saber, low, set->games[i]),
           h = sixer_protocol_constant(saber, high, set->games[i]);
    if (isnan(l) || isnan(h)) continue;
    ok(sixer_scores_normalize(SIXER_SCALE_ABSOLUTE, &set->means[i], &l, &h, 1, &out[count++],
                              &error),
       &error);
  }
  sixer_protocol_close(saber);
  return count;
}

static summary summarize(context *c, const char *id, const char *without) {
  const sixer_result_set *found;
  sixer_result_set part, *set = &part;
  const char *games[64];
  double means[64];
  sixer_error error;
  double z[64], out[SIXER_AGGREGATE_COUNT];
  size_t runs[64];
  summary s;
  ok(sixer_published_find(c->published, id, NULL, &found, &error), &error);
  part = (sixer_result_set){.games = games, .means = means};
  for (size_t i = 0; i < found->count; i++) {
    if (without && !strcmp(found->games[i], without)) continue;
    games[part.count] = found->games[i];
    means[part.count++] = found->means[i];
  }
  s.games = against_records(set, "random", "record", z);
  for (size_t i = 0; i < s.games; i++) runs[i] = 1;
  sixer_sample sample = {z, runs, s.games};
  ok(sixer_aggregates_compute(&sample, 2, out, &error), &error);
  ok(sixer_classes_count(z, s.games, s.classes, &error), &error);
  s.median = 100 * out[SIXER_AGGREGATE_MEDIAN];
  s.mean = 100 * out[SIXER_AGGREGATE_MEAN];
  s.capped = 100 * out[SIXER_AGGREGATE_CAPPED_MEAN];
  return s;
}

static void saber_tables_2_and_3(void **state) {
  context *c = *state;
  static const struct {
    const char *id;
    double median; /* as printed */
    double mean;   /* recomputed, see below */
    size_t classes[SIXER_CLASS_COUNT];
  } rows[] = {
      {"saber/rainbow@5min", 2.35, 14.9, {19, 23, 8, 8, 0}},
      {"saber/rainbow@30min", 2.61, 17.3, {19, 22, 8, 8, 1}},
      {"saber/rainbow", 2.83, 24.8, {17, 22, 7, 9, 3}},
      {"saber/rainbow_iqn@5min", 2.61, 17.6, {18, 23, 8, 9, 0}},
      {"saber/rainbow_iqn@30min", 2.81, 20.3, {15, 25, 7, 10, 1}},
      {"saber/rainbow_iqn", 3.13, 31.0, {13, 24, 6, 11, 4}},
  };
  for (size_t i = 0; i < 6; i++) {
    summary s = summarize(c, rows[i].id, NULL);
    print_message("%-24s median %.3f %%, mean %.3f %% (capped %.3f), classes %zu/%zu/%zu/%zu/%zu\n",
                  rows[i].id, s.median, s.mean, s.capped, s.classes[0], s.classes[1], s.classes[2],
                  s.classes[3], s.classes[4]);
    assert_int_equal(s.games, 58);
    /* 2.835 is printed as 2.83: the exact value lies below the half */
    assert_printed(s.median, rows[i].median, 2);
    assert_printed(s.mean, rows[i].mean, 1);
    assert_memory_equal(s.classes, rows[i].classes, sizeof s.classes);
  }
  /* Table 2 prints a mean of 17.09 % for Rainbow at 30 minutes, and 1 superhuman game. Table 7
   * gives 17.32 %: a damaged or outdated cell somewhere would explain it. The means of Table 3 did
   * not survive in the text. */
  summary s = summarize(c, "saber/rainbow@30min", NULL);
  assert_printed(s.mean, 17.32, 2);
  assert_int_equal(s.classes[SIXER_CLASS_SUPERHUMAN], 1);

  /* original Rainbow, from the data of the Atari-5 paper: 53 of the 58 games. Median 4.20 as
   * printed; the mean of 24.10 and 2 superhuman games are 25.29 and 3 here (Assault, Star Gunner,
   * Up'n Down). */
  s = summarize(c, "atari5/rainbow-noop", NULL);
  assert_int_equal(s.games, 53);
  assert_printed(s.median, 4.20, 2);
  assert_printed(s.mean, 25.29, 2);
  assert_printed(s.median - summarize(c, "saber/rainbow@30min", NULL).median, 1.59,
                 2); /* section 5.1 */
  assert_int_equal(s.classes[SIXER_CLASS_SUPERHUMAN], 3);

  /* the gap between DQN and Rainbow at 5 minutes is said to be 1.8 points; over the 57 games with a
   * record that both have (Machado et al. lack Air Raid) it is 1.42 */
  summary dqn = summarize(c, "machado2018/dqn", NULL),
          rainbow = summarize(c, "saber/rainbow@5min", "air_raid");
  assert_int_equal(dqn.games, 57);
  assert_int_equal(rainbow.games, 57);
  assert_printed(rainbow.median - dqn.median, 1.42, 2);
}

/* Section 2.3: the records in units of the beginner: median 4.4k %, mean 99.3k %. */
static void saber_records_in_human_units(void **state) {
  context *c = *state;
  const sixer_result_set *records;
  sixer_error error;
  double z[64], out[SIXER_AGGREGATE_COUNT];
  size_t runs[64];
  ok(sixer_published_find(c->published, "saber/world_record", NULL, &records, &error), &error);
  size_t count = against_records(records, "random", "human", z);
  assert_int_equal(count, 54);
  for (size_t i = 0; i < count; i++) runs[i] = 1;
  sixer_sample sample = {z, runs, count};
  ok(sixer_aggregates_compute(&sample, NAN, out, &error), &error);
  assert_printed(out[SIXER_AGGREGATE_MEDIAN] / 10, 4.4, 1);
  assert_printed(out[SIXER_AGGREGATE_MEAN] / 10, 99.3, 1);
}

static double score_of(context *c, const char *id, const char *game) {
  const sixer_result_set *set;
  sixer_error error;
  ok(sixer_published_find(c->published, id, NULL, &set, &error), &error);
  for (size_t i = 0; i < set->count; i++) {
    if (!strcmp(set->games[i], game)) return set->means[i];
  }
  return NAN;
}

static void saber_skiing_and_table_4(void **state) {
  context *c = *state;
  sixer_error error;
  double low = -16267.91, high = -3272.0, z, iqn = score_of(c, "saber/rainbow_iqn", "skiing");
  double rainbow = score_of(c, "saber/rainbow", "skiing");
  ok(sixer_scores_normalize(SIXER_SCALE_ABSOLUTE, &iqn, &low, &high, 1, &z, &error), &error);
  assert_printed(100 * z, 30.56, 2);
  ok(sixer_scores_normalize(SIXER_SCALE_ABSOLUTE, &rainbow, &low, &high, 1, &z, &error), &error);
  assert_printed(100 * z, -91.31, 2);
  /* relative to Rainbow (equation 2): Rainbow is below random in Skiing, so the range is negative
   * and its size counts */
  ok(sixer_scores_normalize(SIXER_SCALE_ABSOLUTE, &iqn, &low, &rainbow, 1, &z, &error), &error);
  assert_true(z > 0);

  /* Table 4, single actor: Asterix as in Table 6; Ms. Pac-Man and Space Invaders are other runs */
  assert_true(score_of(c, "saber/rainbow_iqn", "asterix") == 28015.0);
  assert_true(score_of(c, "saber/rainbow_iqn", "ms_pacman") == 6755.47); /* printed: 6,090.74 */
  assert_true(score_of(c, "saber/rainbow_iqn", "space_invaders") == 10110.4); /* printed: 7,385.4 */
  /* Figure 3 and section 5.3: Asteroids goes from failing to endless */
  assert_true(isinf(score_of(c, "saber/rainbow_iqn", "asteroids")));
  assert_false(isinf(score_of(c, "saber/rainbow", "asteroids")));
}

static void saber_constants_are_table_5(void **state) {
  context *c = *state;
  eval_table t = table(c, "reference_scores.csv"), games = table(c, "games.csv");
  static const char *const names[] = {"saber", "machado2018"}, *const flags[] = {"saber61",
                                                                                 "machado60"};
  sixer_error error;
  for (size_t i = 0; i < 2; i++) {
    sixer_protocol *protocol;
    ok(sixer_protocol_open(names[i], &protocol, &error), &error);
    sixer_protocol_info info = sixer_protocol_describe(protocol);
    size_t records = 0;
    for (size_t g = 0; g < info.game_count; g++) {
      size_t r = row_of(&t, info.games[g]);
      assert_true(number(&games, row_of(&games, info.games[g]), flags[i]) == 1);
      double random = sixer_protocol_constant(protocol, "random", info.games[g]);
      double human = sixer_protocol_constant(protocol, "human", info.games[g]);
      double record = sixer_protocol_constant(protocol, "record", info.games[g]);
      assert_true(random == number(&t, r, "random_saber"));
      assert_true(human == number(&t, r, "human_saber") ||
                  (isnan(human) && isnan(number(&t, r, "human_saber"))));
      assert_true(record == number(&t, r, "world_record_saber") ||
                  (isnan(record) && isnan(number(&t, r, "world_record_saber"))));
      records += !isnan(record);
    }
    assert_int_equal(info.game_count, i ? 60 : 61);
    if (i == 0) assert_int_equal(records, 58);
    sixer_protocol_close(protocol);
  }
  /* 2013: random, and the best of the baselines */
  sixer_protocol *old;
  eval_table rl = table(c, "bellemare2013_rl.csv");
  ok(sixer_protocol_open("bellemare2013", &old, &error), &error);
  assert_int_equal(sixer_protocol_describe(old).game_count, 55);
  for (size_t r = 0; r < rl.rows; r++) {
    const char *game = text(&rl, r, "game");
    assert_true(sixer_protocol_constant(old, "random", game) == number(&rl, r, "random"));
    assert_true(sixer_protocol_constant(old, "baseline_max", game) ==
                best_of(&rl, r, all_agents + 5, 3));
  }
  sixer_protocol_close(old);
}

/* Rows of Table 5 that the conversion of the text merged, taken apart again by hand; and the games
 * with five seeds. */
static void saber_rows_taken_apart(void **state) {
  context *c = *state;
  static const struct {
    const char *game;
    double random, human, record;
  } rows[] = {
      {"atlantis", 22188, 29028.1, 10604840},
      {"bank_heist", 14, 753.1, 82058},
      {"battle_zone", 3000, 37187.5, 801000},
      {"demon_attack", 162.25, 1971, 1556345},
      {"double_dunk", -18.14, -16.4, NAN},
      {"elevator_action", 4387, NAN, NAN},
      {"journey_escape", -19977, NAN, 4317804},
      {"kangaroo", 54, 3035, 1424600},
      {"private_eye", 34.49, 69571.3, 101800},
      {"qbert", 188.75, 13455, 2400000},
      {"riverraid", 1575.4, 17118, 1000000},
      {"road_runner", 7, 7845, 2038100},
      {"up_n_down", 604.7, 11693.2, 82840},
      {"venture", 0, 1187.5, 38900},
      {"video_pinball", 15720.98, 17667.9, 89218328},
  };
  sixer_protocol *saber;
  sixer_error error;
  ok(sixer_protocol_open("saber", &saber, &error), &error);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double human = sixer_protocol_constant(saber, "human", rows[i].game);
    double record = sixer_protocol_constant(saber, "record", rows[i].game);
    assert_true(sixer_protocol_constant(saber, "random", rows[i].game) == rows[i].random);
    assert_true(human == rows[i].human || (isnan(human) && isnan(rows[i].human)));
    assert_true(record == rows[i].record || (isnan(record) && isnan(rows[i].record)));
  }
  sixer_protocol_close(saber);

  eval_table games = table(c, "games.csv");
  const sixer_result_set *set;
  ok(sixer_published_find(c->published, "saber/rainbow", NULL, &set, &error), &error);
  size_t seeds = 0;
  for (size_t i = 0; i < set->count; i++) {
    bool five = number(&games, row_of(&games, set->games[i]), "saber_5seeds") == 1;
    seeds += five;
    assert_int_equal(!isnan(set->sds[i]), five);
  }
  assert_int_equal(seeds, 14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bellemare_tables_4_and_5),
      cmocka_unit_test(bellemare_tables_1_and_2),
      cmocka_unit_test(bellemare_table_3),
      cmocka_unit_test(bellemare_inter_algorithm),
      cmocka_unit_test(machado_welch_tests),
      cmocka_unit_test(machado_excerpts),
      cmocka_unit_test(machado_brute),
      cmocka_unit_test(saber_tables_2_and_3),
      cmocka_unit_test(saber_records_in_human_units),
      cmocka_unit_test(saber_skiing_and_table_4),
      cmocka_unit_test(saber_constants_are_table_5),
      cmocka_unit_test(saber_rows_taken_apart),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
