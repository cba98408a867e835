/* The exhaustive search for the subset of games that best predicts a target (Algorithm 1 of the
 * Atari-5 paper).
 *
 * Every subset gets a least-squares fit without intercept over the rows that have all its games;
 * one with a negative coefficient is left out; the others are ranked by cross-validated mean
 * squared error. There are 3.8 million subsets of five of 56 games, each with up to eleven fits, so
 * three things are shared:
 *
 * - Rows. A fit needs only sums of products (the Gram matrix) over the rows that a subset's games
 * have in common. Most games are complete, so that few sets of rows occur (181 in the paper's
 * data): games that lack rows are chosen first, choices are sorted by the rows they leave, and sums
 * over those rows and over each fold are made once.
 * - Prefixes. With complete games the search goes down a tree. Each level borders the inverse of
 * the Gram matrix by one game, for all rows and for the training rows of every fold at once.
 * - The last game. All candidates for it share the prefix and are tried eight at a time
 * (subset_kernel.h).
 *
 * Sums of products lose some three digits against orthogonal methods. The best subsets are
 * therefore fitted again by Householder reflections and put in their final order by that. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval_stats.h"
#include "eval/eval_table.h"
#include "eval/regression.h"
#include "util/os_cpu.h"
#include "util/sort.h"
#include "util/threads.h"

#define SEARCH_COOKIE 0x73723137u
enum {
  WIDE = 8,
  NARROW = 4,
  STATUS_UNFIT = 1,
  STATUS_NEGATIVE = 2,
  SPARE = 16,
  SUBSETS_PER_PART = 20000
};

#define VECTOR(count, type, name)                              \
  typedef type name __attribute__((vector_size(8 * (count)))); \
  typedef type name##_at __attribute__((vector_size(8 * (count)), aligned(8), may_alias))
VECTOR(WIDE, double, wide);
VECTOR(WIDE, int64_t, wide_mask);
VECTOR(NARROW, double, narrow);
VECTOR(NARROW, int64_t, narrow_mask);

sixer_search sixer_search_default(void) {
  return (sixer_search){
      .cookie = SEARCH_COOKIE, .size = 5, .kind = SIXER_FOLDS_INDEX, .folds = 10, .top = 1};
}

/* ---- what is shared by all threads ---- */

/* A choice among the games that lack rows. */
typedef struct choice {
  uint16_t games[SIXER_SUBSET_MAX]; /* columns */
  uint16_t count, words;
  uint64_t *rows; /* that are left */
} choice;

typedef struct candidate {
  double error;
  int games[SIXER_SUBSET_MAX]; /* rising numbers of the data */
} candidate;

typedef struct part {
  size_t first, last; /* choices; all with the same rows */
} part;

typedef struct worker worker;
typedef struct level_state level_state;
typedef void kernel_function(const worker *w, const level_state *level, const size_t *game, int n,
                             size_t column, double *error, int64_t *status);

typedef bool extend_function(worker *w, size_t n, size_t column);

typedef struct plan {
  const sixer_regression_data *data;
  const sixer_search *search;
  kernel_function *wide, *narrow;
  extend_function *extend;
  size_t columns, stride; /* columns: complete candidates, others, required; padded to the stride */
  size_t complete, partial, required;
  int *game_of;      /* number in the data of each column */
  double *x;         /* rows x stride, 0 where not reported */
  size_t words;      /* of a set of rows */
  uint64_t *rows_of; /* columns x words */
  choice *choices;
  size_t choice_count;
  part *parts;
  size_t part_count;
  size_t keep;      /* best subsets that each thread keeps */
  double reference; /* error of the reference subset, or NaN */
  worker *workers;
  atomic_size_t done;
  pthread_t caller;
  double total;
} plan;

/* Inverse and coefficients of a prefix, for all rows and every fold: entry e of fold t is at [e *
 * width + t]. */
struct level_state {
  double *inverse, *beta;
};

struct worker {
  const plan *plan;
  size_t columns, stride, width; /* width: folds + 1, padded to WIDE */
  const uint64_t *rows;          /* the sums below are over these; NULL at first */
  size_t row_count, fold_count, smallest_training;
  double *gram; /* (folds + 1) x columns x stride: all rows, then the training rows of each fold */
  double *by_fold;        /* the same, columns x stride x width */
  double *moment_by_fold; /* columns x width */
  double *diagonal;       /* (folds + 1) x stride */
  double *moment;         /* (folds + 1) x stride: products with y */
  size_t *fold_start;
  double *fold_x, *fold_y; /* rows sorted by fold */
  double *fold_weight;     /* 1 / (rows of the fold * folds) */
  uint32_t *fold, *work;
  size_t *row_list;
  int *groups; /* of those rows */
  level_state levels[SIXER_SUBSET_MAX + 1];
  size_t game[SIXER_SUBSET_MAX]; /* the prefix */
  candidate *best;               /* sorted */
  size_t best_count;
  double worst; /* that is still kept */
  uint64_t subsets, negative, unfit, better;
};

static double binomial(size_t n, size_t k) {
  double result = 1;
  for (size_t i = 0; i < k && k <= n; i++) result = result * (double)(n - i) / (double)(i + 1);
  return n < k ? 0 : floor(result + 0.5);
}

/* ---- the kernel, once per instruction set and width ---- */

#if defined(__clang__)
#define UNROLL _Pragma("unroll 4")
#else
#define UNROLL _Pragma("GCC unroll 4")
#endif

/* clang-format off */
#define KERNEL_TARGET
#define KERNEL_BORDER border_wide_plain
#define KERNEL_BLOCK  block_wide_plain
#define KERNEL_NAME   wide_plain
#define KERNEL_EXTEND extend_plain
#define LANES         WIDE
#define lanes         wide
#define lanes_at      wide_at
#define lanes_mask    wide_mask
#define lanes_mask_at wide_mask_at
#include "eval/subset_kernel.h"
#define KERNEL_TARGET
#define KERNEL_BORDER border_narrow_plain
#define KERNEL_BLOCK  block_narrow_plain
#define KERNEL_NAME   narrow_plain
#define LANES         NARROW
#define lanes         narrow
#define lanes_at      narrow_at
#define lanes_mask    narrow_mask
#define lanes_mask_at narrow_mask_at
#include "eval/subset_kernel.h"
#if OS_X86_64
#define KERNEL_TARGET __attribute__((target("avx2")))
#define KERNEL_BORDER border_wide_avx2
#define KERNEL_BLOCK  block_wide_avx2
#define KERNEL_NAME   wide_avx2
#define KERNEL_EXTEND extend_avx2
#define LANES         WIDE
#define lanes         wide
#define lanes_at      wide_at
#define lanes_mask    wide_mask
#define lanes_mask_at wide_mask_at
#include "eval/subset_kernel.h"
#define KERNEL_TARGET __attribute__((target("avx2")))
#define KERNEL_BORDER border_narrow_avx2
#define KERNEL_BLOCK  block_narrow_avx2
#define KERNEL_NAME   narrow_avx2
#define LANES         NARROW
#define lanes         narrow
#define lanes_at      narrow_at
#define lanes_mask    narrow_mask
#define lanes_mask_at narrow_mask_at
#include "eval/subset_kernel.h"
#define KERNEL_TARGET __attribute__((target("avx512f,avx512dq,avx512vl")))
#define KERNEL_BORDER border_wide_avx512
#define KERNEL_BLOCK  block_wide_avx512
#define KERNEL_NAME   wide_avx512
#define KERNEL_EXTEND extend_avx512
#define LANES         WIDE
#define lanes         wide
#define lanes_at      wide_at
#define lanes_mask    wide_mask
#define lanes_mask_at wide_mask_at
#include "eval/subset_kernel.h"
#define KERNEL_TARGET __attribute__((target("avx512f,avx512dq,avx512vl")))
#define KERNEL_BORDER border_narrow_avx512
#define KERNEL_BLOCK  block_narrow_avx512
#define KERNEL_NAME   narrow_avx512
#define LANES         NARROW
#define lanes         narrow
#define lanes_at      narrow_at
#define lanes_mask    narrow_mask
#define lanes_mask_at narrow_mask_at
#include "eval/subset_kernel.h"
#endif
/* clang-format on */

static void choose_kernel(plan *p, int instructions) {
  p->wide = wide_plain;
  p->narrow = narrow_plain;
  p->extend = extend_plain;
#if OS_X86_64
  if ((instructions < 0 || instructions > 1) && os_cpu_has(OS_CPU_AVX512F) &&
      os_cpu_has(OS_CPU_AVX512DQ) && os_cpu_has(OS_CPU_AVX512VL)) {
    p->wide = wide_avx512;
    p->narrow = narrow_avx512;
    p->extend = extend_avx512;
  } else if (instructions != 0 && os_cpu_has(OS_CPU_AVX2)) {
    p->wide = wide_avx2;
    p->narrow = narrow_avx2;
    p->extend = extend_avx2;
  }
#else
  (void)instructions;
#endif
}

/* ---- sums over rows ---- */

static bool has_row(const uint64_t *rows, size_t r) { return rows[r / 64] >> (r % 64) & 1; }

/* Make the sums of products for a set of rows. */
static void load_rows(worker *w, const uint64_t *rows) {
  const plan *p = w->plan;
  const sixer_search *s = p->search;
  size_t columns = p->columns, stride = p->stride, count = 0, folds = (size_t)s->folds;
  for (size_t r = 0; r < p->data->rows; r++) {
    if (has_row(rows, r)) w->row_list[count++] = r;
  }
  w->rows = rows;
  w->row_count = count;
  for (size_t i = 0; p->data->groups && i < count; i++)
    w->groups[i] = p->data->groups[w->row_list[i]];
  eval_folds_assign(s->kind, s->folds, s->seed, p->data->groups ? w->groups : NULL, count, w->fold,
                    w->work);

  /* rows sorted by fold; folds without rows are left out */
  size_t at = 0, largest = 0;
  w->fold_count = 0;
  w->fold_start[0] = 0;
  for (size_t f = 0; f < folds; f++) {
    for (size_t i = 0; i < count; i++) {
      if (w->fold[i] != f) continue;
      memcpy(w->fold_x + at * stride, p->x + w->row_list[i] * stride, stride * sizeof *p->x);
      w->fold_y[at++] = p->data->y[w->row_list[i]];
    }
    size_t size = at - w->fold_start[w->fold_count];
    if (!size) continue;
    w->fold_weight[w->fold_count] = 1 / (double)size;
    if (size > largest) largest = size;
    w->fold_start[++w->fold_count] = at;
  }
  for (size_t f = 0; f < w->fold_count; f++) w->fold_weight[f] /= (double)w->fold_count;
  w->smallest_training = count - largest;

  /* sums over each fold, then over all rows, then over the rows outside each fold */
  size_t block = columns * stride;
  memset(w->gram, 0, (w->fold_count + 1) * block * sizeof *w->gram);
  memset(w->moment, 0, (w->fold_count + 1) * stride * sizeof *w->moment);
  for (size_t f = 0; f < w->fold_count; f++) {
    double *gram = w->gram + (f + 1) * block, *moment = w->moment + (f + 1) * stride;
    for (size_t r = w->fold_start[f]; r < w->fold_start[f + 1]; r++) {
      const double *x = w->fold_x + r * stride;
      for (size_t i = 0; i < columns; i++) {
        double xi = x[i], *row = gram + i * stride;
        for (size_t j = 0; j < stride; j += WIDE)
          *(wide_at *)(row + j) += xi * *(const wide_at *)(x + j);
      }
      for (size_t j = 0; j < columns; j++) moment[j] += x[j] * w->fold_y[r];
    }
    for (size_t i = 0; i < block; i += WIDE) *(wide_at *)(w->gram + i) += *(wide_at *)(gram + i);
    for (size_t j = 0; j < stride; j++) w->moment[j] += moment[j];
  }
  for (size_t f = 1; f <= w->fold_count; f++) {
    double *gram = w->gram + f * block, *moment = w->moment + f * stride;
    for (size_t i = 0; i < block; i += WIDE)
      *(wide_at *)(gram + i) = *(wide_at *)(w->gram + i) - *(wide_at *)(gram + i);
    for (size_t j = 0; j < stride; j++) moment[j] = w->moment[j] - moment[j];
  }
  for (size_t t = 0; t <= w->fold_count; t++) {
    for (size_t j = 0; j < columns; j++)
      w->diagonal[t * stride + j] = w->gram[t * block + j * stride + j];
  }

  /* the same with folds side by side, for extending prefixes */
  for (size_t i = 0; i < columns; i++) {
    for (size_t t = 0; t <= w->fold_count; t++) {
      const double *row = w->gram + t * block + i * stride;
      double *to = w->by_fold + i * stride * w->width + t;
      for (size_t j = 0; j < columns; j++) to[j * w->width] = row[j];
      w->moment_by_fold[i * w->width + t] = w->moment[t * stride + i];
    }
  }
}

/* ---- the best ---- */

static int compare_ints(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int compare_candidates(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  if (x->error != y->error) return x->error < y->error ? -1 : 1;
  for (int i = 0; i < SIXER_SUBSET_MAX; i++) {
    if (x->games[i] != y->games[i]) return x->games[i] - y->games[i];
  }
  return 0;
}

/* Keep the prefix of n games with `column` as the last one, if it is among the best so far. */
static void offer(worker *w, size_t n, size_t column, double error) {
  const plan *p = w->plan;
  candidate c = {.error = error};
  for (size_t i = 0; i < n; i++) c.games[i] = p->game_of[w->game[i]];
  c.games[n] = p->game_of[column];
  sort_stable(c.games, n + 1, sizeof *c.games, compare_ints);
  size_t at = w->best_count;
  while (at > 0 && compare_candidates(&c, &w->best[at - 1]) < 0) at--;
  if (at == p->keep) return;
  if (w->best_count < p->keep) w->best_count++;
  memmove(w->best + at + 1, w->best + at, (w->best_count - 1 - at) * sizeof *w->best);
  w->best[at] = c;
  if (w->best_count == p->keep) w->worst = w->best[p->keep - 1].error;
}

/* Try the columns first..last-1 as the last game after the prefix of n. */
static void try_last(worker *w, size_t n, size_t first, size_t last) {
  const plan *p = w->plan;
  w->subsets += last - first;
  for (size_t column = first, width; column < last; column += width) {
    double error[WIDE];
    int64_t status[WIDE];
    width = last - column > NARROW ? WIDE : NARROW;
    kernel_function *kernel = width == WIDE ? p->wide : p->narrow;
    kernel(w, &w->levels[n], w->game, (int)n, column, error, status);
    for (size_t k = 0; k < width && column + k < last; k++) {
      if (status[k] && !(p->search->allow_negative && status[k] == STATUS_NEGATIVE)) {
        w->unfit += status[k] == STATUS_UNFIT;
        w->negative += status[k] == STATUS_NEGATIVE;
        continue;
      }
      w->better += error[k] < p->reference;
      if (error[k] <= w->worst) offer(w, n, column + k, error[k]);
    }
  }
}

/* Choose `left` more games among the complete ones from column `first` on, after the prefix of n.
 */
static void walk(worker *w, size_t n, size_t first, size_t left) {
  size_t complete = w->plan->complete;
  if (left == 1) {
    try_last(w, n, first, complete);
    return;
  }
  for (size_t column = first; column + left <= complete; column++) {
    if (w->plan->extend(w, n, column)) {
      walk(w, n + 1, column + 1, left - 1);
    } else {
      uint64_t below = (uint64_t)binomial(complete - column - 1, left - 1);
      w->subsets += below;
      w->unfit += below;
    }
  }
}

/* All subsets that have the required games, one choice of partial ones, and complete ones beyond
 * that. */
static void try_choice(worker *w, const choice *c) {
  const plan *p = w->plan;
  size_t left = p->search->size - p->required - c->count, n = 0, given = p->required + c->count;
  uint64_t below = (uint64_t)binomial(p->complete, left);
  bool fit = w->smallest_training >= p->search->size;
  size_t columns[2 * SIXER_SUBSET_MAX] = {0};
  for (size_t i = 0; i < p->required; i++) columns[i] = p->complete + p->partial + i;
  for (size_t i = 0; i < c->count; i++) columns[p->required + i] = c->games[i];
  for (; fit && n < (left ? given : given - 1); n++) fit = p->extend(w, n, columns[n]);
  if (!fit) {
    w->subsets += below;
    w->unfit += below;
  } else if (left) {
    walk(w, n, 0, left);
  } else {
    try_last(w, n, columns[n], columns[n] + 1);
  }
}

static void run_part(void *context, int index, int thread) {
  plan *p = context;
  worker *w = &p->workers[thread];
  const part *range = &p->parts[index];
  const uint64_t *rows = p->choices[range->first].rows;
  if (!w->rows || memcmp(w->rows, rows, p->words * sizeof *rows)) load_rows(w, rows);
  size_t before = w->subsets;
  for (size_t i = range->first; i < range->last; i++) try_choice(w, &p->choices[i]);
  size_t done = atomic_fetch_add(&p->done, w->subsets - before) + (w->subsets - before);
  if (p->search->progress && pthread_equal(p->caller, pthread_self()))
    p->search->progress(p->search->context, (double)done, p->total);
}

/* ---- planning ---- */

static int compare_choices(const void *a, const void *b) {
  const choice *x = a, *y = b;
  for (size_t i = 0; i < x->words; i++) {
    if (x->rows[i] != y->rows[i]) return x->rows[i] < y->rows[i] ? -1 : 1;
  }
  if (x->count != y->count) return x->count < y->count ? -1 : 1;
  for (size_t i = 0; i < x->count; i++) {
    if (x->games[i] != y->games[i]) return x->games[i] < y->games[i] ? -1 : 1;
  }
  return 0;
}

/* Add every choice of up to `most` partial games that begins with `c`. */
static void add_choices(plan *p, uint64_t *row_store, const choice *c, size_t next, size_t most) {
  choice *here = &p->choices[p->choice_count];
  *here = *c;
  here->rows = row_store + p->choice_count++ * p->words;
  memcpy(here->rows, c->rows, p->words * sizeof *c->rows);
  for (size_t g = next; c->count < most && g < p->partial; g++) {
    choice longer = *c;
    uint64_t rows[p->words];
    for (size_t i = 0; i < p->words; i++)
      rows[i] = c->rows[i] & p->rows_of[(p->complete + g) * p->words + i];
    longer.rows = rows;
    longer.games[longer.count++] = (uint16_t)(p->complete + g);
    add_choices(p, row_store, &longer, g + 1, most);
  }
}

/* Sort games into columns: complete candidates, partial candidates, required ones. */
static sixer_err plan_columns(memory_arena *arena, plan *p, sixer_error *error) {
  const sixer_regression_data *data = p->data;
  const sixer_search *s = p->search;
  p->words = (data->rows + 63) / 64;
  uint64_t *all = arena_alloc(arena, data->games * p->words * sizeof *all);
  uint64_t *common = arena_alloc(arena, p->words * sizeof *common);
  bool *taken = arena_alloc(arena, data->games);
  p->game_of = arena_alloc(arena, data->games * sizeof *p->game_of);
  p->rows_of = arena_alloc(arena, data->games * p->words * sizeof *p->rows_of);
  if (!all || !common || !taken || !p->game_of || !p->rows_of) return arena_no_memory(error);
  for (size_t r = 0; r < data->rows; r++) common[r / 64] |= 1ull << (r % 64);
  for (size_t g = 0; g < data->games; g++) {
    for (size_t r = 0; r < data->rows; r++) {
      if (!isnan(data->x[r * data->games + g])) all[g * p->words + r / 64] |= 1ull << (r % 64);
    }
    taken[g] = s->excluded && s->excluded[g];
  }
  for (size_t i = 0; i < s->required_count; i++) {
    int g = s->required[i];
    if (g < 0 || (size_t)g >= data->games || taken[g])
      return sixer_fail(error, SIXER_ERR_ARGUMENT,
                        "required game %d is out of range, excluded, or given twice", g);
    taken[g] = true;
    for (size_t k = 0; k < p->words; k++) common[k] &= all[(size_t)g * p->words + k];
  }
  for (int pass = 0; pass < 2; pass++) {
    for (size_t g = 0; g < data->games; g++) {
      bool whole = true;
      for (size_t k = 0; k < p->words; k++) whole &= !(common[k] & ~all[g * p->words + k]);
      if (taken[g] || whole != (pass == 0)) continue;
      p->game_of[p->columns++] = (int)g;
      if (pass == 0) p->complete++;
    }
  }
  p->partial = p->columns - p->complete;
  p->required = s->required_count;
  for (size_t i = 0; i < s->required_count; i++) p->game_of[p->columns++] = s->required[i];
  for (size_t c = 0; c < p->columns; c++)
    memcpy(p->rows_of + c * p->words, all + (size_t)p->game_of[c] * p->words,
           p->words * sizeof *all);

  p->stride = (p->columns + 2 * WIDE - 1) / WIDE * WIDE;
  p->x = arena_alloc(arena, data->rows * p->stride * sizeof *p->x);
  if (!p->x) return arena_no_memory(error);
  for (size_t r = 0; r < data->rows; r++) {
    for (size_t c = 0; c < p->columns; c++) {
      double x = data->x[r * data->games + (size_t)p->game_of[c]];
      p->x[r * p->stride + c] = isnan(x) ? 0 : x;
    }
  }

  /* every choice of partial games that complete ones can fill up, sorted by the rows it leaves */
  size_t free_games = s->size - p->required, count = 0;
  double wanted = 0;
  for (size_t a = 0; a <= free_games && a <= p->partial; a++) wanted += binomial(p->partial, a);
  if (wanted > 5e6)
    return sixer_fail(
        error, SIXER_ERR_ARGUMENT,
        "%zu games lack rows: %.0f sets of them would have to be tried; exclude games "
        "or require some",
        p->partial, wanted);
  uint64_t *row_store = arena_alloc(arena, (size_t)wanted * p->words * sizeof *row_store);
  p->choices = arena_alloc(arena, (size_t)wanted * sizeof *p->choices);
  if (!row_store || !p->choices) return arena_no_memory(error);
  choice none = {.words = (uint16_t)p->words, .rows = common};
  add_choices(p, row_store, &none, 0, free_games);
  for (size_t i = 0; i < p->choice_count; i++) {
    if (free_games - p->choices[i].count <= p->complete) p->choices[count++] = p->choices[i];
  }
  p->choice_count = count;
  sort_stable(p->choices, count, sizeof *p->choices, compare_choices);

  /* parts of similar size, each over one set of rows */
  p->parts = arena_alloc(arena, (count + 1) * sizeof *p->parts);
  if (!p->parts) return arena_no_memory(error);
  double size = 0;
  for (size_t i = 0; i < count; i++) {
    const choice *c = &p->choices[i];
    double subsets = binomial(p->complete, free_games - c->count);
    bool same = i && !memcmp(c->rows, p->choices[i - 1].rows, p->words * sizeof *c->rows);
    if (!same || size + subsets > SUBSETS_PER_PART) {
      p->parts[p->part_count++].first = i;
      size = 0;
    }
    p->parts[p->part_count - 1].last = i + 1;
    size += subsets;
    p->total += subsets;
  }
  return SIXER_OK;
}

static sixer_err plan_worker(memory_arena *arena, const plan *p, worker *w, sixer_error *error) {
  size_t folds = (size_t)p->search->folds, rows = p->data->rows, sets = folds + 1,
         size = p->search->size;
  *w = (worker){.plan = p, .columns = p->columns, .stride = p->stride, .worst = INFINITY};
  w->width = (sets + WIDE - 1) / WIDE * WIDE;
  w->gram = arena_alloc(arena, sets * p->columns * p->stride * sizeof *w->gram);
  w->by_fold = arena_alloc(arena, p->columns * p->stride * w->width * sizeof *w->by_fold);
  w->moment_by_fold = arena_alloc(arena, p->columns * w->width * sizeof *w->moment_by_fold);
  w->diagonal = arena_alloc(arena, sets * p->stride * sizeof *w->diagonal);
  w->moment = arena_alloc(arena, sets * p->stride * sizeof *w->moment);
  w->fold_start = arena_alloc(arena, sets * sizeof *w->fold_start);
  w->fold_x = arena_alloc(arena, rows * p->stride * sizeof *w->fold_x);
  w->fold_y = arena_alloc(arena, rows * sizeof *w->fold_y);
  w->fold_weight = arena_alloc(arena, sets * sizeof *w->fold_weight);
  w->fold = arena_alloc(arena, rows * sizeof *w->fold);
  w->work = arena_alloc(arena, rows * sizeof *w->work);
  w->row_list = arena_alloc(arena, rows * sizeof *w->row_list);
  w->groups = arena_alloc(arena, rows * sizeof *w->groups);
  w->best = arena_alloc(arena, (p->keep + 1) * sizeof *w->best);
  bool complete = w->gram && w->by_fold && w->moment_by_fold && w->diagonal && w->moment &&
                  w->fold_start && w->fold_x && w->fold_y && w->fold_weight && w->fold && w->work &&
                  w->row_list && w->groups && w->best;
  for (size_t n = 0; complete && n <= size; n++) {
    w->levels[n].inverse = arena_alloc(arena, (n * n + 1) * w->width * sizeof(double));
    w->levels[n].beta = arena_alloc(arena, (n + 1) * w->width * sizeof(double));
    complete = w->levels[n].inverse && w->levels[n].beta;
  }
  return complete ? SIXER_OK : arena_no_memory(error);
}

/* Fit the best again by orthogonal reflections and put them in their final order. */
static sixer_err refine(plan *p, candidate *best, size_t count, sixer_fit *fits, size_t *found,
                        sixer_error *error) {
  const sixer_search *s = p->search;
  for (size_t i = 0; i < count; i++) {
    sixer_fit fit;
    sixer_err err = sixer_subset_fit(p->data, best[i].games, s->size, false, s->kind, s->folds,
                                     s->seed, &fit, error);
    if (err) return err;
    best[i].error = fit.cv_mse;
  }
  sort_stable(best, count, sizeof *best, compare_candidates);
  *found = count < s->top ? count : s->top;
  for (size_t i = 0; i < *found; i++) {
    sixer_err err = sixer_subset_fit(p->data, best[i].games, s->size, false, s->kind, s->folds,
                                     s->seed, &fits[i], error);
    if (err) return err;
  }
  return SIXER_OK;
}

static sixer_err check_search(const sixer_regression_data *data, const sixer_search *s,
                              sixer_error *error) {
  if (s->cookie != SEARCH_COOKIE)
    return sixer_fail(error, SIXER_ERR_CONFIG,
                      "settings of a search must come from sixer_search_default()");
  if (!s->size || s->size > SIXER_SUBSET_MAX || s->size > data->games ||
      s->required_count > s->size)
    return sixer_fail(
        error, SIXER_ERR_ARGUMENT,
        "a subset of %zu games with %zu required ones, of %zu: sizes from 1 to %d are possible",
        s->size, s->required_count, data->games, SIXER_SUBSET_MAX);
  if (s->folds < 2 || s->folds > FOLDS_MAX)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "%d folds; from 2 to %d are possible", s->folds,
                      FOLDS_MAX);
  if (!s->top || s->top > 1000000)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "the best %zu subsets; from 1 to 1,000,000 can be asked for", s->top);
  if (data->games > 4096 || data->rows > 65536)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "%zu rows of %zu games are too many", data->rows,
                      data->games);
  return eval_regression_check(data, error);
}

sixer_err eval_subset_search(const sixer_regression_data *data, const sixer_search *search,
                             int instructions, sixer_fit *fits, double *raw,
                             sixer_search_result *result, sixer_error *error) {
  memory_arena arena = {0};
  plan p = {.data = data,
            .search = search,

            .reference = NAN,
            .caller = pthread_self()};
  sixer_search_result out = {.reference_cv_mse = NAN};
  sixer_err err = check_search(data, search, error);
  if (err) return err;
  choose_kernel(&p, instructions);
  p.keep = search->top + SPARE;
  err = plan_columns(&arena, &p, error);

  /* the reference is ranked only if the search could have returned it */
  if (!err && search->reference) {
    sixer_fit fit;
    err = sixer_subset_fit(data, search->reference, search->size, false, search->kind,
                           search->folds, search->seed, &fit, error);
    bool negative = false;
    for (size_t i = 0; !err && i < search->size; i++) negative |= fit.coefficients[i] < 0;
    if (!err && (!negative || search->allow_negative)) {
      out.reference_cv_mse = fit.cv_mse;
      p.reference =
          fit.cv_mse * (1 - 1e-10); /* a subset with an equal error does not rank above it */
    }
  }
  int threads = pool_threads(search->threads, p.part_count);
  if (!err && !(p.workers = arena_alloc(&arena, (size_t)threads * sizeof *p.workers)))
    err = arena_no_memory(error);
  for (int t = 0; !err && t < threads; t++) err = plan_worker(&arena, &p, &p.workers[t], error);
  candidate *best = err ? NULL : arena_alloc(&arena, (size_t)threads * p.keep * sizeof *best);
  if (!err && !best) err = arena_no_memory(error);
  if (!err) {
    pool_run_once(threads, run_part, &p, (int)p.part_count);
    size_t count = 0;
    for (int t = 0; t < threads; t++) {
      const worker *w = &p.workers[t];
      out.subsets += w->subsets;
      out.negative += w->negative;
      out.unfit += w->unfit;
      out.reference_rank += w->better;
      memcpy(best + count, w->best, w->best_count * sizeof *best);
      count += w->best_count;
    }
    out.reference_rank = isnan(p.reference) ? 0 : out.reference_rank + 1;
    sort_stable(best, count, sizeof *best, compare_candidates);
    for (size_t i = 0; raw && i < count && i < search->top; i++) raw[i] = best[i].error;
    err = refine(&p, best, count < p.keep ? count : p.keep, fits, &out.found, error);
  }
  if (!err) *result = out;
  arena_free(&arena);
  return err;
}

sixer_err sixer_subset_search(const sixer_regression_data *data, const sixer_search *search,
                              sixer_fit *fits, sixer_search_result *result, sixer_error *error) {
  return eval_subset_search(data, search, -1, fits, NULL, result, error);
}
