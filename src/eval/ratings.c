/* Bradley-Terry ratings on Elo's scale (include/sixer/ratings.h).
 *
 * With strengths t, the log-posterior is
 *
 *     sum over pairings of  s log p(ta - tb) + (1 - s) log p(tb - ta)          p(x) = 1 / (1 + e^-x)
 *     + prior / 2 * sum over players of  log p(ti) + log p(-ti)
 *
 * whose second line is a number of draws against a player of strength 0. It is strictly concave, so it has one maximum,
 * which Newton's method finds in a few steps: the negative Hessian is the weighted Laplacian of the graph of pairings
 * with a positive diagonal added. Its inverse at the maximum is the covariance of the strengths. All pairings enter
 * through two matrices, the games between i and j and what i scored in them. */
#include "sixer/ratings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval_stats.h"
#include "util/error.h"
#include "util/random.h"
#include "util/real.h"
#include "util/sort.h"

#define RATINGS_COOKIE 0x72743137u
enum { NEWTON_MOST = 200, REPLICATES_MOST = 1000000 };
static const double ELO_PER_UNIT = 173.71779276130073; /* 400 / ln 10 */
static const double LONGEST_STEP = 3;                  /* of one strength, in units */

/* Results of n players: matrices n x n, row after row. */
typedef struct results {
  size_t n;
  double *games;  /* between i and j; symmetric */
  double *points; /* of i in total */
} results;

/* What Newton's method needs besides. */
typedef struct solver {
  double *hessian; /* n x n; afterwards its Cholesky factor, in the lower triangle */
  double *step, *old;
} solver;

sixer_ratings_settings sixer_ratings_default(void) {
  return (sixer_ratings_settings){
      .cookie = RATINGS_COOKIE, .prior = 1, .level = 1500, .anchor = -1, .confidence = 0.95};
}

static double logistic(double x) { return 1 / (1 + real_exp(-x)); }

double sixer_ratings_expected(double elo, double elo_other) {
  return logistic((elo - elo_other) / ELO_PER_UNIT);
}

/* ---- what is given ---- */

static sixer_err check(const sixer_pairing *pairings, size_t count, size_t players,
                       const sixer_ratings_settings *s, sixer_error *error) {
  if (s->cookie != RATINGS_COOKIE)
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "settings of ratings must come from sixer_ratings_default()");
  if (players < 2 || players > SIXER_RATINGS_PLAYERS_MAX)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "%zu players; ratings are of 2 to %d", players,
                      SIXER_RATINGS_PLAYERS_MAX);
  if (!(s->prior > 0 && s->prior <= 1000))
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "a prior of %g games; it must be above 0 and at most 1000", s->prior);
  if (!(fabs(s->level) <= 1e9))
    return sixer_fail(error, SIXER_ERR_CONFIG, "a level of %g; it must be a finite number",
                      s->level);
  if (s->anchor < -1 || s->anchor >= (int)players)
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "player %d as the anchor; there are 0 to %zu, and -1 for none", s->anchor,
                      players - 1);
  if (!(s->confidence > 0 && s->confidence < 1))
    return sixer_fail(error, SIXER_ERR_CONFIG, "a confidence of %g; it must lie between 0 and 1",
                      s->confidence);
  if (s->replicates == 1 || s->replicates > REPLICATES_MOST)
    return sixer_fail(error, SIXER_ERR_CONFIG, "%zu replicates; there are 0 (none) or 2 to %d",
                      s->replicates, REPLICATES_MOST);
  for (size_t i = 0; i < count; i++) {
    const sixer_pairing *p = &pairings[i];
    if (p->a < 0 || p->b < 0 || p->a >= (int)players || p->b >= (int)players)
      return sixer_fail(error, SIXER_ERR_ARGUMENT,
                        "pairing %zu is of players %d and %d; there are 0 to %zu", i, p->a, p->b,
                        players - 1);
    if (p->a == p->b)
      return sixer_fail(error, SIXER_ERR_ARGUMENT,
                        "in pairing %zu player %d plays against itself, which says nothing", i,
                        p->a);
    if (!(p->score >= 0 && p->score <= 1))
      return sixer_fail(error, SIXER_ERR_ARGUMENT, "pairing %zu has a score of %g; it is 0 to 1", i,
                        p->score);
  }
  return SIXER_OK;
}

static void clear(results *r) {
  memset(r->games, 0, r->n * r->n * sizeof *r->games);
  memset(r->points, 0, r->n * sizeof *r->points);
}

static void add(results *r, const sixer_pairing *p) {
  size_t a = (size_t)p->a, b = (size_t)p->b;
  r->games[a * r->n + b] += 1;
  r->games[b * r->n + a] += 1;
  r->points[a] += p->score;
  r->points[b] += 1 - p->score;
}

/* ---- groups ---- */

/* Give every player the number of its group: players are in one group if a chain of games connects them. Returns how
 * many groups there are. */
static int find_groups(const results *r, int *group) {
  int count = 0;
  size_t stack[SIXER_RATINGS_PLAYERS_MAX], depth;
  for (size_t i = 0; i < r->n; i++) group[i] = -1;
  for (size_t first = 0; first < r->n; first++) {
    if (group[first] >= 0) continue;
    group[first] = count;
    stack[0] = first;
    depth = 1;
    while (depth) {
      size_t i = stack[--depth];
      for (size_t j = 0; j < r->n; j++) {
        if (group[j] >= 0 || r->games[i * r->n + j] == 0) continue;
        group[j] = count;
        stack[depth++] = j;
      }
    }
    count++;
  }
  return count;
}

/* Append to a text of `size` bytes; what does not fit is left out. */
static void append(char *text, size_t size, const char *more) {
  size_t length = strlen(text);
  snprintf(text + length, size - length, "%s", more);
}

static sixer_err check_groups(const results *r, const char *const *names, sixer_error *error) {
  int group[SIXER_RATINGS_PLAYERS_MAX], count = find_groups(r, group);
  if (count == 1) return SIXER_OK;
  char text[240] = "";
  for (int g = 0; g < count; g++) {
    append(text, sizeof text, g ? " | " : "");
    bool first = true;
    for (size_t i = 0; i < r->n; i++) {
      if (group[i] != g) continue;
      char number[32];
      snprintf(number, sizeof number, "player %zu", i);
      append(text, sizeof text, first ? "" : ", ");
      append(text, sizeof text, names ? names[i] : number);
      first = false;
    }
  }
  if (strlen(text) == sizeof text - 1) memcpy(text + sizeof text - 4, "...", 4);
  return sixer_fail(error, SIXER_ERR_ARGUMENT,
                    "the players are in %d groups that never met (%s), and nothing compares one "
                    "group with another: let players of different groups play",
                    count, text);
}

/* ---- the maximum ---- */

/* The negative Hessian at the strengths t, in the lower triangle, and the gradient. */
static void derive(const results *r, double prior, const double *t, double *hessian,
                   double *gradient) {
  size_t n = r->n;
  for (size_t i = 0; i < n; i++) {
    double p = logistic(t[i]);
    gradient[i] = r->points[i] + prior * (0.5 - p);
    hessian[i * n + i] = prior * p * (1 - p);
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) {
      double games = r->games[i * n + j], p = logistic(t[i] - t[j]);
      double weight = games * p * (1 - p);
      gradient[i] -= games * p;
      gradient[j] -= games * (1 - p);
      hessian[i * n + i] += weight;
      hessian[j * n + j] += weight;
      hessian[i * n + j] = -weight;
    }
}

/* Replace the lower triangle of a positive definite matrix by its Cholesky factor. A matrix of differences this well
 * conditioned always has one; the bound keeps rounding from taking the root of a negative number. */
static void factorize(double *m, size_t n) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = m[i * n + j];
      for (size_t k = 0; k < j; k++) sum -= m[i * n + k] * m[j * n + k];
      m[i * n + j] = i == j ? sqrt(fmax(sum, 1e-300)) : sum / m[j * n + j];
    }
}

/* Solve with the Cholesky factor, in place. */
static void solve(const double *m, size_t n, double *x) {
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) x[i] -= m[i * n + k] * x[k];
    x[i] /= m[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; k++) x[i] -= m[k * n + i] * x[k];
    x[i] /= m[i * n + i];
  }
}

/* log p(x), without overflow */
static double log_logistic(double x) {
  return x >= 0 ? -real_log(1 + real_exp(-x)) : x - real_log(1 + real_exp(x));
}

/* The log-posterior. The points of i are spread over its games: the sum of s (ti - tj) over pairings is a sum of
 * points ti minus what is common to both sides, so it needs no matrix of points. */
static double posterior(const results *r, double prior, const double *t) {
  size_t n = r->n;
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    sum += prior * 0.5 * (log_logistic(t[i]) + log_logistic(-t[i])) + r->points[i] * t[i];
    for (size_t j = 0; j < i; j++) {
      double games = r->games[i * n + j];
      /* log(e^ti + e^tj), the common part */
      if (games > 0) sum -= games * (t[i] - log_logistic(t[i] - t[j]));
    }
  }
  return sum;
}

/* The strengths of greatest posterior, from those in t on. The factor of the Hessian there is left in the solver. */
static void maximize(const results *r, double prior, double *t, solver *s) {
  size_t n = r->n;
  double best = posterior(r, prior, t);
  for (int round = 0; round < NEWTON_MOST; round++) {
    derive(r, prior, t, s->hessian, s->step);
    factorize(s->hessian, n);
    solve(s->hessian, n, s->step);
    double longest = 0;
    for (size_t i = 0; i < n; i++) longest = fmax(longest, fabs(s->step[i]));
    if (longest < 1e-11) return;
    double scale = longest > LONGEST_STEP ? LONGEST_STEP / longest : 1;
    memcpy(s->old, t, n * sizeof *t);
    /* halve the step while it makes things worse than rounding can */
    for (int halving = 0;; halving++, scale *= 0.5) {
      for (size_t i = 0; i < n; i++) t[i] = s->old[i] + scale * s->step[i];
      double now = posterior(r, prior, t);
      if (now >= best - 1e-12 * (1 + fabs(best)) || halving == 40) {
        best = now;
        break;
      }
    }
  }
}

/* ---- ratings ---- */

/* Strengths to Elo: the average, or the anchor, gets its level. */
static void to_elo(const sixer_ratings_settings *s, const double *t, size_t n, double *elo) {
  double zero = 0;
  if (s->anchor >= 0) {
    zero = t[s->anchor];
  } else {
    for (size_t i = 0; i < n; i++) zero += t[i];
    zero /= (double)n;
  }
  for (size_t i = 0; i < n; i++) elo[i] = s->level + ELO_PER_UNIT * (t[i] - zero);
}

/* The standard error of every rating, from the factor of the Hessian: that of the difference between the strength and
 * the zero of the scale. */
static void find_errors(const sixer_ratings_settings *settings, solver *s, size_t n,
                        sixer_rating *out) {
  for (size_t i = 0; i < n; i++) {
    double *v = s->step, *contrast = s->old;
    for (size_t j = 0; j < n; j++)
      contrast[j] = (double)(j == i) -
                    (settings->anchor >= 0 ? (double)((int)j == settings->anchor) : 1 / (double)n);
    memcpy(v, contrast, n * sizeof *v);
    solve(s->hessian, n, v);
    double variance = 0;
    for (size_t j = 0; j < n; j++) variance += contrast[j] * v[j];
    out[i].error = ELO_PER_UNIT * sqrt(fmax(variance, 0));
  }
}

static int by_game(const void *a, const void *b) {
  const sixer_pairing *x = a, *y = b;
  return (x->game > y->game) - (x->game < y->game);
}

/* Percentile intervals: each replicate draws as many games as there are, and rates them from the ratings on. */
static sixer_err bootstrap(const sixer_pairing *pairings, size_t count, results *r,
                           const sixer_ratings_settings *settings, const double *t, solver *s,
                           sixer_rating *out, sixer_error *error) {
  size_t n = r->n, replicates = settings->replicates, games = 0;
  sixer_pairing *sorted = malloc((count + !count) * sizeof *sorted);
  size_t *first = malloc((count + 1) * sizeof *first);
  double *values = malloc(n * replicates * sizeof *values);
  double *strengths = malloc(2 * n * sizeof *strengths);
  sixer_err err = SIXER_OK;
  if (!sorted || !first || !values || !strengths) {
    err = sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
    goto done;
  }
  if (count) memcpy(sorted, pairings, count * sizeof *sorted);
  sort_stable(sorted, count, sizeof *sorted, by_game);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || sorted[i].game != sorted[i - 1].game) first[games++] = i;
  first[games] = count;
  for (size_t k = 0; k < replicates; k++) {
    clear(r);
    uint64_t stream = random_at(settings->seed, RATINGS_COOKIE, k);
    for (size_t draw = 0; draw < games; draw++) {
      size_t game = (size_t)((unsigned __int128)random_next(&stream) * games >> 64);
      for (size_t i = first[game]; i < first[game + 1]; i++) add(r, &sorted[i]);
    }
    memcpy(strengths, t, n * sizeof *t);
    maximize(r, settings->prior, strengths, s);
    double *elo = strengths + n;
    to_elo(settings, strengths, n, elo);
    for (size_t i = 0; i < n; i++) values[i * replicates + k] = elo[i];
  }
  double tail = 0.5 * (1 - settings->confidence);
  for (size_t i = 0; i < n; i++) {
    double *of = values + i * replicates;
    sort_stable(of, replicates, sizeof *of, eval_compare_doubles);
    out[i].low = eval_quantile_sorted(of, replicates, tail);
    out[i].high = eval_quantile_sorted(of, replicates, 1 - tail);
  }
done:
  free(sorted);
  free(first);
  free(values);
  free(strengths);
  return err;
}

static void count_outcomes(const sixer_pairing *pairings, size_t count, sixer_rating *out) {
  for (size_t i = 0; i < count; i++) {
    sixer_rating *sides[2] = {&out[pairings[i].a], &out[pairings[i].b]};
    for (int side = 0; side < 2; side++) {
      double score = side ? 1 - pairings[i].score : pairings[i].score;
      sides[side]->points += score;
      if (score == 1)
        sides[side]->wins++;
      else if (score == 0)
        sides[side]->losses++;
      else
        sides[side]->draws++;
    }
  }
}

sixer_err sixer_ratings_compute(const sixer_pairing *pairings, size_t count, size_t players,
                                const char *const *names, const sixer_ratings_settings *settings,
                                sixer_rating *out, sixer_error *error) {
  sixer_err err = check(pairings, count, players, settings, error);
  if (err) return err;
  size_t n = players;
  double *memory = malloc((2 * n * n + 5 * n) * sizeof *memory);
  sixer_rating *found = calloc(n, sizeof *found);
  if (!memory || !found) {
    free(memory);
    free(found);
    return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  }
  double *t = memory, *elo = t + n;
  results r = {n, elo + n, elo + n + n * n};
  solver s = {r.points + n, r.points + n + n * n, r.points + 2 * n + n * n};
  clear(&r);
  for (size_t i = 0; i < count; i++) add(&r, &pairings[i]);
  err = check_groups(&r, names, error);
  if (!err) {
    for (size_t i = 0; i < n; i++) t[i] = 0;
    maximize(&r, settings->prior, t, &s);
    to_elo(settings, t, n, elo);
    find_errors(settings, &s, n, found);
    count_outcomes(pairings, count, found);
    double width = eval_normal_width(settings->confidence);
    for (size_t i = 0; i < n; i++) {
      found[i].elo = elo[i];
      found[i].low = elo[i] - width * found[i].error;
      found[i].high = elo[i] + width * found[i].error;
    }
    if (settings->replicates) err = bootstrap(pairings, count, &r, settings, t, &s, found, error);
  }
  if (!err) memcpy(out, found, n * sizeof *out);
  free(memory);
  free(found);
  return err;
}
