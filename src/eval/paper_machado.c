/* Machado et al. 2018: its tables against each other, and the counts of its text. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "eval/papers.h"

/* The row of a table of the Brute's comparison. `setting` may be NULL. */
static size_t brute_row(const eval_table *t, const char *table, const char *game,
                        const char *algorithm, const char *setting) {
  size_t r = 0;
  while (r < t->rows &&
         (strcmp(paper_text(t, r, "table"), table) || strcmp(paper_text(t, r, "game"), game) ||
          strcmp(paper_text(t, r, "algorithm"), algorithm) ||
          (setting && strcmp(paper_text(t, r, "setting"), setting))))
    r++;
  return r;
}

static size_t excerpt_row(const eval_table *t, const char *game, const char *algorithm,
                          const char *millions) {
  size_t r = 0;
  while (r < t->rows && (strcmp(paper_text(t, r, "game"), game) ||
                         strcmp(paper_text(t, r, "algorithm"), algorithm) ||
                         strcmp(paper_text(t, r, "frames_millions"), millions)))
    r++;
  return r;
}

/* Tables 1 and 2: what they share with each other, with the excerpts, and with the extended abstract. */
static void brute_tables(paper_builder *b, const eval_table *brute, const eval_table *excerpts) {
  paper_item(b, "table", 1, "The Brute in the deterministic environment",
             "The deterministic columns of Table 2.");
  for (size_t r = 0; r < brute->rows; r++) {
    if (strcmp(paper_text(brute, r, "table"), "1")) continue;
    const char *game = paper_text(brute, r, "game"), *who = paper_text(brute, r, "algorithm");
    size_t other = brute_row(brute, "2", game, who, "deterministic");
    paper_compare(b, paper_number(brute, other, "mean"), paper_text(brute, r, "mean"), NULL,
                  "%s %s mean", game, who);
    paper_compare(b, paper_number(brute, other, "std"), paper_text(brute, r, "std"), NULL,
                  "%s %s deviation", game, who);
  }
  paper_item(b, "table", 2, "The impact of stochasticity",
             "Stochastic Sarsa and DQN are Tables 3 and 4 at 50M frames, all others are those of "
             "the extended abstract's Table 1.");
  for (size_t r = 0; r < brute->rows; r++) {
    if (strcmp(paper_text(brute, r, "table"), "2")) continue;
    const char *game = paper_text(brute, r, "game"), *who = paper_text(brute, r, "algorithm"),
               *setting = paper_text(brute, r, "setting");
    const eval_table *from = brute;
    size_t row = brute_row(brute, "ea1", game, who, setting);
    if (strcmp(who, "brute") && !strcmp(setting, "stochastic")) {
      from = excerpts;
      row = excerpt_row(excerpts, game, who, "50");
    }
    const char *note = "31.6 in Table 2 and in the extended abstract, 31.7 in Tables 4 and 9";
    paper_compare(b, paper_number(from, row, "mean"), paper_text(brute, r, "mean"), note,
                  "%s %s %s mean", game, who, setting);
    paper_compare(b, paper_number(from, row, "std"), paper_text(brute, r, "std"), NULL,
                  "%s %s %s deviation", game, who, setting);
  }
}

/* Games in which the first row's mean is significantly higher than the second's, of Table 2. */
static void brute_tests(paper_builder *b, const eval_table *t) {
  static const struct {
    const char *label, *first, *setting, *second, *other;
  } tests[] = {
      {"Brute significantly better than Sarsa, deterministic", "brute", "deterministic",
       "sarsa_blobprost", "deterministic"},
      {"Brute significantly better than DQN, deterministic", "brute", "deterministic", "dqn",
       "deterministic"},
      {"Brute significantly better than Sarsa, stochastic", "brute", "stochastic",
       "sarsa_blobprost", "stochastic"},
      {"Brute significantly better than DQN, stochastic", "brute", "stochastic", "dqn",
       "stochastic"},
      {"Brute significantly worse with sticky actions", "brute", "deterministic", "brute",
       "stochastic"},
      {"Sarsa significantly worse with sticky actions", "sarsa_blobprost", "deterministic",
       "sarsa_blobprost", "stochastic"},
      {"DQN significantly worse with sticky actions", "dqn", "deterministic", "dqn", "stochastic"},
  };
  static const char *const games[] = {"asterix", "beam_rider", "freeway", "seaquest",
                                      "space_invaders"};
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    int better = 0;
    for (size_t g = 0; g < 5; g++) {
      size_t x = brute_row(t, "2", games[g], tests[i].first, tests[i].setting),
             y = brute_row(t, "2", games[g], tests[i].second, tests[i].other);
      sixer_welch test;
      if (!paper_ok(b, sixer_welch_test(paper_number(t, x, "mean"), paper_number(t, x, "std"),
                                        paper_number(t, x, "trials"), paper_number(t, y, "mean"),
                                        paper_number(t, y, "std"), paper_number(t, y, "trials"),
                                        &test, b->error)))
        return;
      better += test.p < 0.05 && test.t > 0;
    }
    paper_figure(b, better, 0, "%s, of 5 games", tests[i].label);
  }
}

static void excerpt_table(paper_builder *b, const char *who, const eval_table *excerpts,
                          const eval_table *all, const char *note) {
  for (size_t r = 0; r < excerpts->rows; r++) {
    const char *game = paper_text(excerpts, r, "game"),
               *millions = paper_text(excerpts, r, "frames_millions");
    char column[40];
    if (strcmp(paper_text(excerpts, r, "algorithm"), who)) continue;
    snprintf(column, sizeof column, "mean_%.10sM", millions);
    paper_compare(b, paper_number(all, paper_row(all, game), column),
                  paper_text(excerpts, r, "mean"), note, "%s at %sM", game, millions);
    snprintf(column, sizeof column, "std_%.10sM", millions);
    paper_compare(b, paper_number(all, paper_row(all, game), column),
                  paper_text(excerpts, r, "std"), note, "%s at %sM, deviation", game, millions);
  }
}

typedef struct progress {
  int gains, drops, lower, highest;
} progress;

/* What happens between 100 and 200 million frames. */
static progress progress_of(paper_builder *b, const eval_table *t, double trials) {
  progress p = {0};
  for (size_t r = 0; r < t->rows; r++) {
    double last = paper_number(t, r, "mean_200M"), before = paper_number(t, r, "mean_100M");
    if (isnan(last)) continue; /* Journey Escape of Sarsa: not in the preprint */
    sixer_welch test;
    if (!paper_ok(b, sixer_welch_test(last, paper_number(t, r, "std_200M"), trials, before,
                                      paper_number(t, r, "std_100M"), trials, &test, b->error)))
      return p;
    double earlier =
        fmax(before, fmax(paper_number(t, r, "mean_10M"), paper_number(t, r, "mean_50M")));
    p.highest += last >= earlier;
    p.lower += last < before;
    p.gains += test.p < 0.05 && test.t > 0;
    p.drops += test.p < 0.05 && test.t < 0;
  }
  return p;
}

static void counts(paper_builder *b, const eval_table *sarsa, const eval_table *dqn,
                   const eval_table *brute) {
  paper_item(b, "text", 0, "Counts in the text",
             "Tables 8 and 9 of the preprint; Welch tests at 5 % with 24 and 5 trials. Sarsa's "
             "Journey Escape at 200M is missing there.");
  progress s = progress_of(b, sarsa, 24), d = progress_of(b, dqn, 5);
  paper_figure(b, s.lower, 0, "Sarsa: games lower at 200M than at 100M");
  paper_figure(b, s.drops, 0, "Sarsa: significantly lower at 200M than at 100M");
  paper_figure(b, s.gains, 0, "Sarsa: significantly higher at 200M than at 100M");
  paper_figure(b, s.highest, 0, "Sarsa: highest at 200M, ties counted");
  paper_figure(b, d.highest, 0, "DQN: highest at 200M, ties counted");
  paper_figure(b, d.gains, 0, "DQN: significantly higher at 200M than at 100M");
  paper_figure(b, d.drops, 0, "DQN: significantly lower at 200M than at 100M");
  static const char *const columns[] = {"mean_10M", "mean_100M", "mean_200M"};
  for (size_t k = 0; k < 3; k++) {
    int higher = 0, both = 0;
    for (size_t r = 0; r < dqn->rows; r++) {
      double other = paper_number(sarsa, paper_row(sarsa, paper_text(dqn, r, "game")), columns[k]);
      both += !isnan(other);
      higher += paper_number(dqn, r, columns[k]) > other;
    }
    paper_figure(b, both ? 100.0 * higher / both : NAN, 1,
                 "DQN better than Sarsa at %s, percent of games", columns[k] + 5);
  }
  brute_tests(b, brute);
}

void paper_machado2018(paper_builder *b) {
  eval_table brute = paper_table(b, "machado2018_brute.csv"),
             excerpts = paper_table(b, "machado2018_excerpts.csv"),
             sarsa = paper_table(b, "machado2018_sarsa_blobprost.csv"),
             dqn = paper_table(b, "machado2018_dqn.csv");
  if (b->err) return;
  brute_tables(b, &brute, &excerpts);
  paper_item(b, "table", 3, "Sarsa on the training games", "Against Table 8, which it excerpts.");
  excerpt_table(b, "sarsa_blobprost", &excerpts, &sarsa,
                "Table 3 is not an excerpt of Table 8 as converted: 1 of its 20 cells is equal, so "
                "it is of another set of runs");
  paper_item(b, "table", 4, "DQN on the training games", "Against Table 9, which it excerpts.");
  excerpt_table(b, "dqn", &excerpts, &dqn, NULL);
  counts(b, &sarsa, &dqn, &brute);
}
