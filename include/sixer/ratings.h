/* sixer ratings: how strong players are, from the games that they played against each other.
 *
 * The model is that of Bradley and Terry (1952): each player has a strength, and a beats b with probability
 * 1 / (1 + 10^((elo_b - elo_a) / 400)), where elo is the strength on Elo's scale. The ratings are the strengths that
 * make the results most probable. A complete program:
 *
 *     #include <sixer/ratings.h>
 *     #include <stdio.h>
 *
 *     int main(void) {
 *       // player 0 won two games against player 1 and drew one, player 1 won one against player 2
 *       sixer_pairing pairings[] = {{0, 1, 1.0, 0}, {1, 0, 0.0, 1}, {0, 1, 0.5, 2}, {1, 2, 1.0, 3}};
 *       sixer_ratings_settings settings = sixer_ratings_default();
 *       sixer_rating ratings[3];
 *       sixer_error error;
 *       if (sixer_ratings_compute(pairings, 4, 3, NULL, &settings, ratings, &error))
 *         return puts(error.message), 1;
 *       for (int i = 0; i < 3; i++)
 *         printf("player %d: %.0f, 95 %% interval %.0f to %.0f\n", i, ratings[i].elo, ratings[i].low, ratings[i].high);
 *     }
 *
 * Everything is deterministic: the same results, settings and seed give the same ratings. */
#ifndef SIXER_RATINGS_H
#define SIXER_RATINGS_H

#include "sixer/sixer.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SIXER_RATINGS_PLAYERS_MAX 256

/* What came out between two players of one game. A game for two is one pairing; one for four players is compared pair
 * by pair, which makes six. */
typedef struct sixer_pairing {
  int a, b;     /* numbers of the players, from 0 on */
  double score; /* of a: 1 won, 0.5 drawn, 0 lost, or a share between them */
  int64_t
      game; /* pairings with the same number are of one game: the bootstrap draws them together */
} sixer_pairing;

typedef struct sixer_ratings_settings {
  uint32_t cookie; /* set by sixer_ratings_default() and checked */
  /* Games that each player is taken to have drawn against one of average strength: 1. They keep the rating of a player
   * that won (or lost) everything finite, and pull others hardly. More than 0, at most 1000. */
  double prior;
  /* The average of all ratings is this: 1500. With `anchor` from 0 on, the rating of that player. */
  double level;
  int anchor;        /* -1: none */
  double confidence; /* of intervals: 0.95 */
  /* 0: intervals are standard errors of the Fisher information, which take pairings as independent. Else replicates of
   * a bootstrap, which draws the games with replacement and rates anew: better where a game makes several pairings. But
   * who won everything has won everything in each replicate too, and its interval has no width. */
  size_t replicates;
  uint64_t seed; /* of the bootstrap: 0 */
} sixer_ratings_settings;

SIXER_API sixer_ratings_settings sixer_ratings_default(void);

typedef struct sixer_rating {
  double elo;
  double low, high; /* interval */
  double error;     /* standard error from the Fisher information, in Elo; 0 for the anchor */
  double points;    /* sum of the scores */
  int64_t wins, draws, losses; /* pairings with a score of 1, between, and 0 */
} sixer_rating;

/* Rate `players` players, out[0] to out[players - 1]. `names` are for messages; NULL: they are called by number. It is
 * an error if the players fall into groups that never met, because nothing says how strong one group is compared with
 * the other. */
SIXER_API sixer_err sixer_ratings_compute(const sixer_pairing *pairings, size_t count,
                                          size_t players, const char *const *names,
                                          const sixer_ratings_settings *settings, sixer_rating *out,
                                          sixer_error *error);

/* The expected score of a player against another, 0 to 1, from their ratings. */
SIXER_API double sixer_ratings_expected(double elo, double elo_other);

#ifdef __cplusplus
}
#endif

#endif
