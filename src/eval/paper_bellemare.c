/* Bellemare et al. 2013: what follows from the scores of its Tables 4 and 5. */
#include <math.h>
#include <string.h>

#include "eval/papers.h"

enum { LEARNERS = 5, AGENTS = 8, PLANNERS = 4, GAMES = 55 };

static const char *const agents[AGENTS] = {"basic", "bass",   "disco", "lsh",
                                           "ram",   "random", "const", "perturb"};
static const char *const planners[PLANNERS] = {"full_tree", "uct", "best_learner", "best_baseline"};

static double best_of(const eval_table *t, size_t row, const char *const *columns, size_t count) {
  double best = -INFINITY;
  for (size_t c = 0; c < count; c++) best = fmax(best, paper_number(t, row, columns[c]));
  return best;
}

/* How often each column is the best of its row; ties go to the leftmost. */
static void times_best(paper_builder *b, const eval_table *t, const char *const *columns,
                       size_t count) {
  size_t best[AGENTS] = {0};
  for (size_t r = 0; r < t->rows; r++) {
    size_t top = 0;
    for (size_t c = 1; c < count; c++) {
      double value = paper_number(t, r, columns[c]), leader = paper_number(t, r, columns[top]);
      if (isnan(leader) || value > leader) top = c;
    }
    best[top]++;
  }
  for (size_t c = 0; c < count; c++)
    paper_figure(b, (double)best[c], 0, "times best %s", columns[c]);
}

static void excerpts(paper_builder *b, const eval_table *rl, const eval_table *planning) {
  static const char *const games[] = {"asterix", "seaquest", "boxing", "hero", "zaxxon"};
  eval_table reference = paper_table(b, "reference_scores.csv");
  paper_item(b, "table", 1, "Learning on five games",
             "Table 4 in whole numbers; the human scores are data of this table alone.");
  for (size_t g = 0; g < 5; g++) {
    for (size_t c = 0; c < AGENTS; c++)
      paper_figure(b, paper_number(rl, paper_row(rl, games[g]), agents[c]), 0, "%s %s", games[g],
                   agents[c]);
    paper_figure(
        b,
        paper_number(&reference, paper_row(&reference, games[g]), "human_beginner_bellemare2013"),
        0, "%s human", games[g]);
  }
  paper_item(b, "table", 2, "Search on five games", "Table 5 in whole numbers.");
  for (size_t g = 0; g < 5; g++) {
    for (size_t c = 0; c < PLANNERS; c++)
      paper_figure(b, paper_number(planning, paper_row(planning, games[g]), planners[c]), 0,
                   "%s %s", games[g], planners[c]);
  }
}

/* The tests need the variance over trials, which was not published. No agent can be significantly better in more games
 * than its mean is higher or equal in the printed digits. */
static void paired_tests(paper_builder *b, const eval_table *rl) {
  eval_table t = paper_table(b, "bellemare2013_table3.csv");
  paper_item(b, "table", 3, "Paired tests over all games",
             "The tests need variances over trials that were not published. Ours is the number of "
             "games in which the mean is higher or equal: an upper bound.");
  for (size_t r = 0; r < t.rows; r++) {
    const char *first = paper_text(&t, r, "first"), *second = paper_text(&t, r, "second");
    size_t higher = 0;
    for (size_t g = 0; g < rl->rows; g++)
      higher += paper_number(rl, g, first) >= paper_number(rl, g, second);
    paper_compare(b, (double)higher, paper_text(&t, r, "first_better"), NULL, "%s better than %s",
                  first, second);
  }
  paper_bound(b, "more significant wins than higher means");
}

static void all_games(paper_builder *b, const eval_table *rl, const eval_table *planning) {
  int learned = 0, searched = 0;
  paper_item(b, "table", 4, "Learning on 55 games",
             "The scores are data. Ties go to the leftmost column.");
  times_best(b, rl, agents, AGENTS);
  paper_item(b, "table", 5, "Search on 55 games",
             "Best learner and best baseline from Table 4. Chopper Command's full-tree score is "
             "lost in the text; it is counted as not the best.");
  times_best(b, planning, planners, PLANNERS);
  for (size_t r = 0; r < planning->rows; r++) {
    const char *game = paper_text(planning, r, "game");
    size_t row = paper_row(rl, game);
    double learner = best_of(rl, row, agents, LEARNERS),
           baseline = best_of(rl, row, agents + LEARNERS, AGENTS - LEARNERS);
    paper_compare(b, learner, paper_text(planning, r, "best_learner"), NULL, "%s best learner",
                  game);
    paper_compare(b, baseline, paper_text(planning, r, "best_baseline"), NULL, "%s best baseline",
                  game);
    learned += learner > baseline;
    searched += best_of(planning, r, planners, 2) > fmax(learner, baseline);
  }
  paper_item(b, "text", 0, "Counts in the text", "Strictly better, in the printed digits.");
  paper_figure(b, learned, 0,
               "games in which a learner is better than the baselines (section 3.1)");
  paper_figure(b, searched, 0, "games in which search is best (section 3.2)");
}

/* Scores relative to the range of the five learners. */
static void inter_algorithm(paper_builder *b, const eval_table *rl) {
  static const char *const shown[] = {"bass", "ram"}, *const games[] = {"freeway", "asterix",
                                                                        "seaquest"};
  double scores[LEARNERS * GAMES], low[GAMES], high[GAMES], z[LEARNERS][GAMES];
  size_t runs[GAMES];
  if (b->err || rl->rows != GAMES) return;
  for (size_t g = 0; g < GAMES; g++) {
    runs[g] = 1;
    for (size_t a = 0; a < LEARNERS; a++) scores[a * GAMES + g] = paper_number(rl, g, agents[a]);
  }
  if (!paper_ok(b, sixer_scores_range(scores, LEARNERS, GAMES, low, high, b->error))) return;
  for (size_t a = 0; a < LEARNERS; a++) {
    if (!paper_ok(b, sixer_scores_normalize(SIXER_SCALE_INTER, scores + a * GAMES, low, high, GAMES,
                                            z[a], b->error)))
      return;
  }

  paper_item(
      b, "figure", 2, "Random-normalized and inter-algorithm scores",
      "(a) and (c) for BASS and RAM; the text names Freeway, the other two games of the plot "
      "are not legible, so training games are shown. (b) needs the lowest of 37 baseline "
      "policies, which was not published.");
  for (size_t i = 0; i < 3; i++) {
    size_t g = paper_row(rl, games[i]);
    for (size_t k = 0; k < 2; k++) {
      size_t a = k ? 4 : 1;
      double random = fabs(paper_number(rl, g, "random"));
      if (random > 0)
        paper_figure(b, scores[a * GAMES + g] / random, 2, "%s %s random-normalized", games[i],
                     shown[k]);
      paper_figure(b, z[a][g], 3, "%s %s inter-algorithm", games[i], shown[k]);
    }
  }

  paper_item(b, "figure", 3, "Aggregates of inter-algorithm scores",
             "The lower two plots. The upper two, of baseline scores, need the lowest of 37 "
             "baseline policies, which was not published.");
  for (size_t a = 0; a < LEARNERS; a++) {
    double out[SIXER_AGGREGATE_COUNT];
    sixer_sample sample = {z[a], runs, GAMES};
    if (!paper_ok(b, sixer_aggregates_compute(&sample, NAN, out, b->error))) return;
    paper_figure(b, out[SIXER_AGGREGATE_MEAN], 3, "%s average", agents[a]);
    paper_figure(b, out[SIXER_AGGREGATE_MEDIAN], 3, "%s median", agents[a]);
  }

  paper_item(b, "figure", 4, "Distribution of inter-algorithm scores",
             "Share of the 55 games with this score or a higher one.");
  for (size_t a = 0; a < LEARNERS; a++) {
    double points[11], share[11];
    sixer_sample sample = {z[a], runs, GAMES};
    for (int i = 0; i < 11; i++) points[i] = i / 10.0;
    if (!paper_ok(
            b, sixer_profile_compute(&sample, SIXER_PROFILE_AT_LEAST, points, 11, share, b->error)))
      return;
    for (int i = 0; i < 11; i++)
      paper_figure(b, share[i], 3, "%s, %.1f or more", agents[a], points[i]);
  }
}

void paper_bellemare2013(paper_builder *b) {
  eval_table rl = paper_table(b, "bellemare2013_rl.csv"),
             planning = paper_table(b, "bellemare2013_planning.csv");
  if (b->err) return;
  excerpts(b, &rl, &planning);
  paired_tests(b, &rl);
  all_games(b, &rl, &planning);
  inter_algorithm(b, &rl);
}
