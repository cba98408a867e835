/* Stratified bootstrap: percentile intervals for aggregates, profiles and the probability of
 * improvement.
 *
 * A replicate draws, for every game, as many of its runs as there are, with replacement. The values
 * of all replicates come from one fixed set, so that set is sorted once and a replicate is a count
 * per sorted value: the interquartile mean is then one walk over the counts, without sorting
 * anything. Draws come from SplitMix64 (Steele, Lea, Flood 2014) used as a counter: draw number n
 * of replicate r is a function of seed, r and n alone, which makes results independent of threads.
 * One 64-bit number yields several small draws by repeated multiplication; a game's draws use at
 * most 2^32 outcomes of it, so that no draw is biased by more than 2^-32. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval_stats.h"
#include "eval/eval_table.h"
#include "sixer/curves.h"
#include "util/random.h"
#include "util/sort.h"
#include "util/threads.h"

#define BOOTSTRAP_COOKIE 0x62743137u
enum { REPLICATES_PER_PART = 512 };

sixer_bootstrap sixer_bootstrap_default(void) {
  return (sixer_bootstrap){.cookie = BOOTSTRAP_COOKIE,
                           .replicates = 50000,
                           .confidence = 0.95,
                           .cap = 2,
                           .aggregates = (1u << SIXER_AGGREGATE_COUNT) - 1};
}

static sixer_err check_settings(const sixer_bootstrap *s, sixer_error *error) {
  if (s->cookie != BOOTSTRAP_COOKIE)
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "settings of a bootstrap must come from sixer_bootstrap_default()");
  if (s->replicates < 2 || s->replicates > 1000000000)
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "%zu replicates; from 2 to 1,000,000,000 are possible", s->replicates);
  if (!(s->confidence > 0 && s->confidence < 1))
    return sixer_fail(error, SIXER_ERR_CONFIG, "a confidence of %g; it must lie between 0 and 1",
                      s->confidence);
  return SIXER_OK;
}

/* ---- draws ---- */

typedef struct source {
  uint64_t state;
} source;

/* A source for one replicate: 2^32 numbers apart from those of the others. */
static source source_of(uint64_t seed, size_t replicate) {
  /* mix the seed first, so that neighboring seeds share nothing */
  uint64_t mixed = random_mix(seed + RANDOM_STEP);
  return (source){mixed + ((uint64_t)replicate << 32) * RANDOM_STEP};
}

static uint64_t next_bits(source *s) { return random_next(&s->state); }

/* Draws from 0..n-1 that one 64-bit number yields. */
static int draws_per_number(size_t n) {
  int draws = 1;
  for (double outcomes = (double)n * (double)n; outcomes <= 4294967296.0 && draws < 32;
       outcomes *= (double)n)
    draws++;
  return draws;
}

static size_t draw(uint64_t *bits, size_t n) {
  unsigned __int128 product = (unsigned __int128)*bits * n;
  *bits = (uint64_t)product;
  return (size_t)(product >> 64);
}

/* ---- quantiles ---- */

double eval_quantile_sorted(const double *sorted, size_t count, double q) {
  double position = q * (double)(count - 1);
  size_t below = (size_t)position;
  if (below + 1 >= count) return sorted[count - 1];
  return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* Put the k-th smallest value at its place, none larger before it and none smaller behind (Hoare
 * 1961). */
static void select_nth(double *values, size_t count, size_t k) {
  ptrdiff_t left = 0, right = (ptrdiff_t)count - 1, target = (ptrdiff_t)k;
  while (left < right) {
    double pivot = values[left + (right - left) / 2];
    ptrdiff_t i = left, j = right;
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      double swap = values[i];
      values[i++] = values[j];
      values[j--] = swap;
    }
    if (target <= j) {
      right = j;
    } else if (target >= i) {
      left = i;
    } else {
      return;
    }
  }
}

/* The same quantile of values in any order, which are rearranged. */
static double quantile(double *values, size_t count, double q) {
  double position = q * (double)(count - 1);
  size_t below = (size_t)position;
  select_nth(values, count, below);
  if (below + 1 >= count) return values[below];
  double next = values[below + 1];
  for (size_t i = below + 2; i < count; i++) next = fmin(next, values[i]);
  return values[below] + (position - (double)below) * (next - values[below]);
}

static sixer_interval interval_of(double value, double *replicates, size_t count,
                                  double confidence) {
  double tail = 0.5 * (1 - confidence);
  sixer_interval out = {.value = value};
  out.low = quantile(replicates, count, tail);
  out.high = quantile(replicates, count, 1 - tail);
  return out;
}

/* ---- replicates of one sample ---- */

/* What all replicates of a sample share. */
typedef struct strata {
  const sixer_sample *sample;
  const sixer_bootstrap *settings;
  size_t games, total;
  double *scores;  /* of the sample, infinite ones replaced by the cap */
  double *sorted;  /* the same, sorted */
  uint32_t *place; /* of each score in `sorted` */
  size_t *start;   /* of each game in `scores` */
  int *draws;      /* per number, of each game */
  double *out;     /* one row of replicates per result */
  /* for profiles */
  sixer_profile profile;
  const double *points;
  size_t *point_place; /* how many sorted scores are not above each point */
  size_t point_count;
  const double *coefficients; /* of a model */
  unsigned failed;            /* a thread had no memory */
} strata;

typedef struct placed {
  double score;
  size_t index;
} placed;

static int compare_placed(const void *a, const void *b) {
  const placed *x = a, *y = b;
  if (x->score != y->score) return x->score < y->score ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

static sixer_err strata_create(memory_arena *arena, const sixer_sample *sample,
                               const sixer_bootstrap *settings, bool infinite, size_t rows,
                               strata *out, sixer_error *error) {
  strata s = {.sample = sample, .settings = settings, .games = sample->games};
  sixer_err err = check_settings(settings, error);
  if (!err)
    err = eval_sample_check(sample, "scores", infinite || !isnan(settings->cap), &s.total, error);
  if (err) return err;
  if (s.total > UINT32_MAX / 2)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "%zu scores are too many", s.total);
  placed *order = arena_alloc(arena, s.total * sizeof *order);
  s.scores = arena_alloc(arena, s.total * sizeof *s.scores);
  s.sorted = arena_alloc(arena, s.total * sizeof *s.sorted);
  s.place = arena_alloc(arena, s.total * sizeof *s.place);
  s.start = arena_alloc(arena, s.games * sizeof *s.start);
  s.draws = arena_alloc(arena, s.games * sizeof *s.draws);
  s.out = arena_alloc(arena, (rows * settings->replicates + 1) * sizeof *s.out);
  if (!order || !s.scores || !s.sorted || !s.place || !s.start || !s.draws || !s.out)
    return arena_no_memory(error);
  for (size_t g = 0, i = 0; g < s.games; i += sample->runs[g++]) {
    s.start[g] = i;
    s.draws[g] = draws_per_number(sample->runs[g]);
  }
  for (size_t i = 0; i < s.total; i++) {
    double score = sample->scores[i];
    s.scores[i] = isinf(score) && !infinite ? settings->cap : score;
    order[i] = (placed){s.scores[i], i};
  }
  sort_stable(order, s.total, sizeof *order, compare_placed);
  for (size_t i = 0; i < s.total; i++) {
    s.sorted[i] = order[i].score;
    s.place[order[i].index] = (uint32_t)i;
  }
  *out = s;
  return SIXER_OK;
}

/* Mean of the middle half of `total` values given as counts of sorted ones. */
static double iqm_of_counts(const double *sorted, const uint32_t *counts, size_t total) {
  size_t drop = total / 4, seen = 0, i = 0;
  while (seen + counts[i] <= drop) seen += counts[i++];
  /* the first value that counts may be dropped in part */
  size_t inside = seen + counts[i] - drop, left = total - 2 * drop;
  double sum = 0;
  while (inside < left) {
    sum += (double)inside * sorted[i++];
    left -= inside;
    inside = counts[i];
  }
  sum += (double)left * sorted[i];
  return sum / (double)(total - 2 * drop);
}

/* Draw one replicate: counts of sorted scores, and sums and sizes of the drawn games if wanted.
 * Returns how many scores were drawn. */
static size_t draw_replicate(const strata *s, size_t replicate, uint32_t *counts, double *means) {
  source bits = source_of(s->settings->seed, replicate);
  bool games = s->settings->resample_games;
  size_t total = 0;
  memset(counts, 0, s->total * sizeof *counts);
  for (size_t slot = 0; slot < s->games; slot++) {
    size_t g = slot;
    if (games) {
      uint64_t number = next_bits(&bits);
      g = draw(&number, s->games);
    }
    size_t runs = s->sample->runs[g], start = s->start[g];
    int per_number = s->draws[g];
    double sum = 0;
    for (size_t r = 0; r < runs;) {
      uint64_t number = next_bits(&bits);
      size_t stop = r + (size_t)per_number < runs ? r + (size_t)per_number : runs;
      for (; r < stop; r++) {
        size_t index = start + draw(&number, runs);
        counts[s->place[index]]++;
        if (means) sum += s->scores[index];
      }
    }
    if (means) means[slot] = sum / (double)runs;
    total += runs;
  }
  return total;
}

void sixer_bootstrap_draw(const size_t *runs, size_t games, uint64_t seed, size_t replicate,
                          size_t *drawn) {
  /* the order of draw_replicate() */
  source bits = source_of(seed, replicate);
  for (size_t g = 0; g < games; g++) {
    size_t per_number = (size_t)draws_per_number(runs[g]);
    for (size_t r = 0; r < runs[g];) {
      uint64_t number = next_bits(&bits);
      size_t stop = r + per_number < runs[g] ? r + per_number : runs[g];
      for (; r < stop; r++) *drawn++ = draw(&number, runs[g]);
    }
  }
}

static void aggregate_part(void *context, int item, int thread) {
  size_t part = (size_t)item;
  (void)thread;
  strata *s = context;
  const sixer_bootstrap *settings = s->settings;
  unsigned chosen = settings->aggregates;
  bool by_game = chosen & (1u << SIXER_AGGREGATE_MEAN | 1u << SIXER_AGGREGATE_MEDIAN |
                           1u << SIXER_AGGREGATE_CAPPED_MEAN);
  uint32_t *counts = malloc(s->total * sizeof *counts);
  double *means = calloc(s->games, sizeof *means);
  size_t first = part * REPLICATES_PER_PART, last = first + REPLICATES_PER_PART;
  if (last > settings->replicates) last = settings->replicates;
  if (!counts || !means) __atomic_store_n(&s->failed, 1, __ATOMIC_RELAXED);
  for (size_t r = first; counts && means && r < last; r++) {
    size_t total = draw_replicate(s, r, counts, by_game ? means : NULL);
    double *out = s->out + r;
    if (chosen >> SIXER_AGGREGATE_MEAN & 1) {
      double sum = 0;
      for (size_t g = 0; g < s->games; g++) sum += means[g];
      *out = sum / (double)s->games;
      out += settings->replicates;
    }
    if (chosen >> SIXER_AGGREGATE_MEDIAN & 1) {
      double *row = out;
      out += settings->replicates;
      select_nth(means, s->games, s->games / 2);
      *row = means[s->games / 2];
      if (s->games % 2 == 0) {
        double below = means[0];
        for (size_t g = 1; g < s->games / 2; g++) below = fmax(below, means[g]);
        *row = 0.5 * (below + *row);
      }
    }
    if (chosen >> SIXER_AGGREGATE_IQM & 1) {
      *out = iqm_of_counts(s->sorted, counts, total);
      out += settings->replicates;
    }
    if (chosen >> SIXER_AGGREGATE_OPTIMALITY_GAP & 1) {
      double reached = 0;
      for (size_t i = 0; i < s->total; i++) reached += (double)counts[i] * fmin(s->sorted[i], 1);
      *out = 1 - reached / (double)total;
      out += settings->replicates;
    }
    if (chosen >> SIXER_AGGREGATE_CAPPED_MEAN & 1) {
      double sum = 0;
      for (size_t g = 0; g < s->games; g++)
        sum += isnan(settings->cap) ? means[g] : fmin(means[g], settings->cap);
      *out = sum / (double)s->games;
    }
  }
  free(counts);
  free(means);
}

static int part_count(const sixer_bootstrap *settings) {
  return (int)((settings->replicates + REPLICATES_PER_PART - 1) / REPLICATES_PER_PART);
}

sixer_err sixer_bootstrap_aggregates(const sixer_sample *sample, const sixer_bootstrap *settings,
                                     sixer_interval out[SIXER_AGGREGATE_COUNT],
                                     sixer_error *error) {
  memory_arena arena = {0};
  strata s = {0};
  double values[SIXER_AGGREGATE_COUNT];
  size_t rows = 0, n = settings->replicates;
  for (int a = 0; a < SIXER_AGGREGATE_COUNT; a++) rows += settings->aggregates >> a & 1;
  sixer_err err = strata_create(&arena, sample, settings, false, rows, &s, error);
  if (!err) err = sixer_aggregates_compute(sample, settings->cap, values, error);
  if (!err) {
    pool_run_once(settings->threads, aggregate_part, &s, part_count(settings));
    if (s.failed) err = arena_no_memory(error);
  }
  if (!err) {
    if (settings->values) memcpy(settings->values, s.out, rows * n * sizeof *s.out);
    double *row = s.out;
    for (int a = 0; a < SIXER_AGGREGATE_COUNT; a++) {
      out[a] = (sixer_interval){values[a], NAN, NAN};
      if (!(settings->aggregates >> a & 1)) continue;
      out[a] = interval_of(values[a], row, n, settings->confidence);
      row += n;
    }
  }
  arena_free(&arena);
  return err;
}

/* ---- profiles ---- */

static void profile_part(void *context, int item, int thread) {
  size_t part = (size_t)item;
  (void)thread;
  strata *s = context;
  size_t n = s->settings->replicates, first = part * REPLICATES_PER_PART,
         last = first + REPLICATES_PER_PART;
  bool runs = s->profile == SIXER_PROFILE_RUNS;
  uint32_t *counts = malloc(s->total * sizeof *counts);
  double *means = malloc(s->games * sizeof *means);
  size_t *above = malloc((s->total + 1) * sizeof *above);
  if (last > n) last = n;
  if (!counts || !means || !above) __atomic_store_n(&s->failed, 1, __ATOMIC_RELAXED);
  for (size_t r = first; counts && means && above && r < last; r++) {
    size_t total = draw_replicate(s, r, counts, runs ? NULL : means);
    if (runs) {
      /* above[i]: how many of the drawn scores come from place i on */
      above[s->total] = 0;
      for (size_t i = s->total; i-- > 0;) above[i] = above[i + 1] + counts[i];
    }
    for (size_t p = 0; p < s->point_count; p++) {
      double share = 0;
      if (runs) {
        share = (double)above[s->point_place[p]] / (double)total;
      } else {
        for (size_t g = 0; g < s->games; g++) {
          bool at_least = s->profile == SIXER_PROFILE_AT_LEAST;
          share += at_least ? means[g] >= s->points[p] : means[g] > s->points[p];
        }
        share /= (double)s->games;
      }
      s->out[p * n + r] = share;
    }
  }
  free(counts);
  free(means);
  free(above);
}

sixer_err sixer_bootstrap_profile(const sixer_sample *sample, sixer_profile kind,
                                  const double *points, size_t count,
                                  const sixer_bootstrap *settings, sixer_interval *out,
                                  sixer_error *error) {
  memory_arena arena = {0};
  strata s = {0};
  sixer_err err = strata_create(&arena, sample, settings, true, count, &s, error);
  double *values = err ? NULL : arena_alloc(&arena, (count + 1) * sizeof *values);
  if (!err &&
      (!values || !(s.point_place = arena_alloc(&arena, (count + 1) * sizeof *s.point_place))))
    err = arena_no_memory(error);
  if (!err) err = sixer_profile_compute(sample, kind, points, count, values, error);
  if (!err) {
    s.profile = kind;
    s.points = points;
    s.point_count = count;
    for (size_t p = 0; p < count; p++) {
      while (s.point_place[p] < s.total && !(s.sorted[s.point_place[p]] > points[p]))
        s.point_place[p]++;
    }
    pool_run_once(settings->threads, profile_part, &s, part_count(settings));
    if (s.failed) err = arena_no_memory(error);
  }
  for (size_t p = 0; !err && p < count; p++)
    out[p] = interval_of(values[p], s.out + p * settings->replicates, settings->replicates,
                         settings->confidence);
  arena_free(&arena);
  return err;
}

/* ---- models ---- */

static double model_of(const strata *s, double *means) {
  for (size_t g = 0; g < s->games; g++) means[g] *= 100;
  return sixer_model_predict(0, s->coefficients, means, s->games);
}

static void model_part(void *context, int item, int thread) {
  size_t part = (size_t)item;
  (void)thread;
  strata *s = context;
  size_t first = part * REPLICATES_PER_PART, last = first + REPLICATES_PER_PART;
  uint32_t *counts = malloc(s->total * sizeof *counts);
  double *means = malloc(s->games * sizeof *means);
  if (last > s->settings->replicates) last = s->settings->replicates;
  if (!counts || !means) __atomic_store_n(&s->failed, 1, __ATOMIC_RELAXED);
  for (size_t r = first; counts && means && r < last; r++) {
    draw_replicate(s, r, counts, means);
    s->out[r] = model_of(s, means);
  }
  free(counts);
  free(means);
}

sixer_err sixer_bootstrap_model(const sixer_sample *sample, const double *coefficients,
                                const sixer_bootstrap *settings, sixer_interval *out,
                                sixer_error *error) {
  memory_arena arena = {0};
  strata s = {0};
  sixer_err err =
      settings->resample_games
          ? sixer_fail(error, SIXER_ERR_CONFIG, "a model has fixed games: they cannot be drawn")
          : strata_create(&arena, sample, settings, false, 1, &s, error);
  double *means = err ? NULL : arena_alloc(&arena, s.games * sizeof *means);
  if (!err && !means) err = arena_no_memory(error);
  for (size_t g = 0; !err && g < s.games; g++) {
    if (!isfinite(coefficients[g]))
      err = sixer_fail(error, SIXER_ERR_ARGUMENT, "the coefficient of game %zu is %g", g,
                       coefficients[g]);
    for (size_t r = 0; r < sample->runs[g]; r++)
      means[g] += s.scores[s.start[g] + r] / (double)sample->runs[g];
  }
  if (!err) {
    s.coefficients = coefficients;
    double value = model_of(&s, means);
    pool_run_once(settings->threads, model_part, &s, part_count(settings));
    if (s.failed) err = arena_no_memory(error);
    if (!err) *out = interval_of(value, s.out, settings->replicates, settings->confidence);
  }
  arena_free(&arena);
  return err;
}

/* ---- probability of improvement ---- */

typedef struct duel {
  const sixer_sample *x, *y;
  const sixer_bootstrap *settings;
  double *won;   /* per game runs of x x runs of y: 1, 0.5 or 0 */
  size_t *start; /* of each game in `won` */
  double *out;
  size_t longest; /* runs of y in any game */
  unsigned failed;
} duel;

static void duel_part(void *context, int item, int thread) {
  size_t part = (size_t)item;
  (void)thread;
  duel *d = context;
  size_t first = part * REPLICATES_PER_PART, last = first + REPLICATES_PER_PART;
  size_t *picked = malloc(d->longest * sizeof *picked);
  if (last > d->settings->replicates) last = d->settings->replicates;
  if (!picked) __atomic_store_n(&d->failed, 1, __ATOMIC_RELAXED);
  for (size_t r = first; picked && r < last; r++) {
    source bits = source_of(d->settings->seed, r);
    double sum = 0;
    for (size_t slot = 0; slot < d->x->games; slot++) {
      size_t g = slot;
      if (d->settings->resample_games) {
        uint64_t number = next_bits(&bits);
        g = draw(&number, d->x->games);
      }
      size_t nx = d->x->runs[g], ny = d->y->runs[g];
      for (size_t k = 0; k < ny; k++) {
        uint64_t number = next_bits(&bits);
        picked[k] = draw(&number, ny);
      }
      double won = 0;
      for (size_t i = 0; i < nx; i++) {
        uint64_t number = next_bits(&bits);
        const double *row = d->won + d->start[g] + draw(&number, nx) * ny;
        for (size_t k = 0; k < ny; k++) won += row[picked[k]];
      }
      sum += won / ((double)nx * (double)ny);
    }
    d->out[r] = sum / (double)d->x->games;
  }
  free(picked);
}

sixer_err sixer_bootstrap_improvement(const sixer_sample *x, const sixer_sample *y,
                                      const sixer_bootstrap *settings, sixer_interval *out,
                                      sixer_error *error) {
  memory_arena arena = {0};
  double value;
  sixer_err err = check_settings(settings, error);
  if (!err) err = sixer_improvement_compute(x, y, &value, error);
  if (err) return err;
  duel d = {.x = x, .y = y, .settings = settings};
  size_t pairs = 0;
  for (size_t g = 0; g < x->games; g++) {
    pairs += x->runs[g] * y->runs[g];
    if (y->runs[g] > d.longest) d.longest = y->runs[g];
  }
  d.won = arena_alloc(&arena, pairs * sizeof *d.won);
  d.start = arena_alloc(&arena, x->games * sizeof *d.start);
  d.out = arena_alloc(&arena, settings->replicates * sizeof *d.out);
  if (!d.won || !d.start || !d.out) err = arena_no_memory(error);
  const double *a = x->scores, *b = y->scores;
  for (size_t g = 0, n = 0; !err && g < x->games; g++) {
    d.start[g] = n;
    for (size_t i = 0; i < x->runs[g]; i++) {
      for (size_t k = 0; k < y->runs[g]; k++) d.won[n++] = a[i] > b[k] ? 1 : a[i] == b[k] ? 0.5 : 0;
    }
    a += x->runs[g];
    b += y->runs[g];
  }
  if (!err) {
    pool_run_once(settings->threads, duel_part, &d, part_count(settings));
    if (d.failed) err = arena_no_memory(error);
  }
  if (!err) *out = interval_of(value, d.out, settings->replicates, settings->confidence);
  arena_free(&arena);
  return err;
}
