/* sixer atari5 search and nest: subsets of games that predict the median best, by exhaustive search.
 *
 * `search` is one search; `nest` is the paper's sequence of six. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/atari5.h"
#include "cli/cli.h"
#include "util/error.h"
#include "util/nearest.h"
#include "util/rounded.h"
#include "util/sort.h"

/* ---- what both share ---- */

/* The numbers of the games in a comma-separated list. Returns their count, or -1 after a message. */
static int parse_games(const sixer_score_table_info *d, const char *list, int *games) {
  int count = 0;
  while (list && *list) {
    list += strspn(list, " ");
    size_t whole = strcspn(list, ","), length = whole;
    while (length && list[length - 1] == ' ') length--;
    int g = atari5_find_game(d, list, length);
    if (g < 0 || count == SIXER_SUBSET_MAX) {
      char name[NEAREST_LENGTH];
      snprintf(name, sizeof name, "%.*s", (int)length, list);
      nearest near;
      nearest_begin(&near, name);
      for (size_t i = 0; i < d->data.games; i++)
        nearest_offer(&near, d->games[i], strlen(d->games[i]));
      if (g < 0)
        cli_error(atari5_name, CLI_USAGE, "there is no game '%s' in the data%s", name,
                  nearest_hint(&near));
      else
        cli_error(atari5_name, CLI_USAGE, "more than %d games up to '%s'", SIXER_SUBSET_MAX, name);
      return -1;
    }
    games[count++] = g;
    list += whole + (list[whole] == ',');
  }
  return count;
}

/* Settings that both take from the options. False after a message. */
static bool set_folds(const atari5_options *opt, sixer_search *search) {
  search->folds = (int)opt->folds;
  search->threads = (int)opt->threads;
  search->allow_negative = opt->allow_negative;
  if (!strcmp(opt->fold_kind, "index")) {
    search->kind = SIXER_FOLDS_INDEX;
  } else if (!strcmp(opt->fold_kind, "paper")) {
    search->kind = SIXER_FOLDS_NUMPY;
    search->seed = 1982; /* as in the paper's program */
  } else if (!strcmp(opt->fold_kind, "shuffled")) {
    search->kind = SIXER_FOLDS_SHUFFLED;
    search->seed = (uint32_t)opt->seed;
  } else if (!strcmp(opt->fold_kind, "grouped")) {
    search->kind = SIXER_FOLDS_GROUPED;
  } else {
    cli_error(atari5_name, CLI_USAGE, "--folds wants index, paper, shuffled or grouped, found '%s'",
              opt->fold_kind);
    return false;
  }
  return true;
}

static void show_progress(void *context, double done, double total) {
  cli_progress_show(context, done, total, NULL);
}

/* The row of a fit, behind its first cell. */
static void show_fit(out *o, const sixer_score_table_info *d, const sixer_fit *fit) {
  char games[500] = "";
  for (size_t i = 0; i < fit->size; i++) {
    size_t g = strlen(games);
    snprintf(games + g, sizeof games - g, "%s%s", i ? " " : "", d->games[fit->games[i]]);
  }
  out_number(o, fit->cv_mse, 6);
  out_number(o, fit->cv_r2, 4);
  out_number(o, 100 * fit->relative_error, 2);
  out_number(o, fit->r2, 4);
  out_int(o, (long long)fit->rows);
  out_text(o, games);
  out_numbers(o, fit->coefficients, fit->size, 4);
}
static const char fit_columns[] = "%s|cv_mse|cv_r2|relative_error|r2|algorithms|games|coefficients";

/* ---- search ---- */

static int compare_ranks(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Rank the reference under many shuffled splits into folds, and average its errors. */
static sixer_err show_splits(out *o, const atari5_options *opt, const sixer_score_table_info *d,
                             sixer_search search, sixer_error *error) {
  uint64_t *ranks = calloc((size_t)opt->splits, sizeof *ranks);
  double mse = 0, r2 = 0, relative = 0;
  size_t first = 0, count = 0;
  cli_progress bar;
  sixer_err err = ranks ? SIXER_OK : sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  cli_progress_begin(&bar, "splits");
  search.kind = SIXER_FOLDS_SHUFFLED;
  search.progress = NULL;
  search.top = 1;
  for (int64_t i = 0; !err && i < opt->splits; i++) {
    sixer_fit best, fit;
    sixer_search_result result;
    search.seed = (uint32_t)(opt->seed + i);
    err = sixer_subset_search(&d->data, &search, &best, &result, error);
    if (!err)
      err = sixer_subset_fit(&d->data, search.reference, search.size, false, search.kind,
                             search.folds, search.seed, &fit, error);
    if (err) break;
    cli_progress_show(&bar, (double)i, (double)opt->splits, NULL);
    if (!result.reference_rank) continue; /* a coefficient is negative under this split */
    ranks[count++] = result.reference_rank;
    first += result.reference_rank == 1;
    mse += fit.cv_mse;
    r2 += fit.cv_r2;
    relative += fit.relative_error;
  }
  cli_progress_end(&bar);
  if (!err) {
    sort_stable(ranks, count, sizeof *ranks, compare_ranks);
    out_table(o, "splits", "the reference subset over seeded splits: rank, and means of its errors",
              "splits|first_seed|times_first|best_rank|median_rank|worst_rank|cv_mse|cv_r2|"
              "relative_error");
    out_int(o, (long long)count);
    out_int(o, (long long)opt->seed);
    out_int(o, (long long)first);
    size_t middle = count / 2;
    out_number(o, count ? (double)ranks[0] : NAN, 0);
    out_number(o, count ? (double)ranks[middle] : NAN, 0);
    out_number(o, count ? (double)ranks[count - 1] : NAN, 0);
    out_number(o, mse / (double)count, 6);
    out_number(o, r2 / (double)count, 4);
    out_number(o, 100 * relative / (double)count, 2);
  }
  free(ranks);
  return err;
}

static void show_search(out *o, const sixer_search_result *result, double seconds) {
  out_table(o, "search", "search",
            "subsets|negative|unfit|seconds|subsets_per_second|reference_rank|reference_cv_mse");
  out_int(o, (long long)result->subsets);
  out_int(o, (long long)result->negative);
  out_int(o, (long long)result->unfit);
  out_number(o, seconds, 3);
  out_number(o, (double)result->subsets / seconds, 0);
  out_number(o, result->reference_rank ? (double)result->reference_rank : NAN, 0);
  out_number(o, result->reference_cv_mse, 6);
}

/* The reference of a search: what the user names, or the paper's Atari-5 for its data. */
static const char *reference_games(const atari5_options *opt, bool paper) {
  if (opt->reference) return opt->reference;
  return paper && opt->size == 5 ? "battle_zone,double_dunk,name_this_game,phoenix,qbert" : NULL;
}

/* Say which filter has left no subset, and which option helps. */
static int nothing_to_search(const atari5_options *opt, const sixer_score_table_info *d,
                             const sixer_search *search) {
  size_t left = 0;
  for (size_t g = 0; g < d->data.games; g++) left += !search->excluded[g];
  return cli_error(atari5_name, CLI_FAILED,
                   "there are no subsets of %lld games: %zu of the %zu games of the data are left. "
                   "Games with scores of fewer than %lld of its %zu algorithms are not used; "
                   "--min-algorithms lowers that",
                   (long long)opt->size, left, d->data.games, (long long)opt->min_algorithms,
                   d->data.rows);
}

/* The error of the whole method: every row is predicted by a search that did not see it. *sd gets its size. */
static int show_nested(const atari5_options *opt, const sixer_score_table_info *d,
                       sixer_search search, out *o, double *sd) {
  sixer_nested n;
  sixer_error error;
  cli_progress bar;
  search.progress = show_progress;
  search.context = &bar;
  cli_progress_begin(&bar, "nested");
  sixer_err err = sixer_subset_nested(&d->data, &search, (int)opt->folds, &n, &error);
  cli_progress_end(&bar);
  if (err) return atari5_fail(&error);
  *sd = sqrt(n.mse);
  out_table(
      o, "nested",
      "nested cross-validation: the error of searching and fitting on rows that had no part in "
      "it (relative_error in percent). 95 % of predictions are within `factor` times",
      "mse|r2|relative_error|sd|factor|predicted|skipped|searches|same_subset|selection_bias");
  out_number(o, n.mse, 6);
  out_number(o, n.r2, 4);
  out_number(o, 100 * n.relative_error, 2);
  out_number(o, *sd, 4);
  out_number(o, rounded_pow(10, 1.959963984540054 * *sd), 3);
  out_int(o, (long long)n.rows);
  out_int(o, (long long)n.skipped);
  out_int(o, (long long)n.searches);
  out_int(o, (long long)n.same);
  out_number(o, n.mse / n.whole.cv_mse, 2);
  return CLI_OK;
}

/* Run the search and show its results; `search` has everything but room for the fits. */
static int search_and_show(const atari5_options *opt, const sixer_score_table_info *d,
                           sixer_search *search, sixer_fit *fits, out *o) {
  sixer_search_result result;
  sixer_error error;
  cli_progress bar;
  search->progress = show_progress;
  search->context = &bar;
  double start = cli_seconds();
  cli_progress_begin(&bar, "subsets");
  sixer_err err = sixer_subset_search(&d->data, search, fits, &result, &error);
  cli_progress_end(&bar);
  if (err) return atari5_fail(&error);
  if (!result.subsets) return nothing_to_search(opt, d, search);
  if (!result.found)
    return cli_error(atari5_name, CLI_FAILED,
                     "none of %llu subsets has a fit without negative coefficients (%llu have one, "
                     "%llu lack rows); --allow-negative takes them"
                     " too",
                     (unsigned long long)result.subsets, (unsigned long long)result.negative,
                     (unsigned long long)result.unfit);
  show_search(o, &result, cli_seconds() - start);
  char columns[200];
  snprintf(columns, sizeof columns, fit_columns, "rank");
  out_table(o, "subsets", "best subsets (relative_error in percent)", columns);
  for (size_t i = 0; i < result.found; i++) {
    out_int(o, (long long)i + 1);
    show_fit(o, d, &fits[i]);
  }
  if (opt->splits && show_splits(o, opt, d, *search, &error)) return atari5_fail(&error);
  double sd = sqrt(fits[0].cv_mse);
  int status = opt->nested ? show_nested(opt, d, *search, o, &sd) : CLI_OK;
  return status || !opt->export ? status : atari5_export(opt, d, &fits[0], sd);
}

/* Can every subset have these games? `left_out`: by the data or by --exclude. */
static int check_required(const atari5_options *opt, const sixer_score_table_info *d,
                          const int *required, int count, const bool *left_out) {
  for (int i = 0; i < count; i++) {
    const char *game = d->games[required[i]];
    for (int k = 0; k < i; k++) {
      if (required[k] == required[i])
        return cli_error(atari5_name, CLI_USAGE, "--require names %s twice", game);
    }
    if (d->excluded[required[i]])
      return cli_error(atari5_name, CLI_USAGE,
                       "--require names %s, which fewer than %lld algorithms report; "
                       "--min-algorithms lowers that",
                       game, (long long)opt->min_algorithms);
    if (left_out[required[i]])
      return cli_error(atari5_name, CLI_USAGE, "both --require and --exclude name %s", game);
  }
  return count > opt->size ? cli_error(atari5_name, CLI_USAGE,
                                       "--require names %d games, a subset has %lld "
                                       "(--size)",
                                       count, (long long)opt->size)
                           : CLI_OK;
}

int atari5_search(const atari5_options *opt, const sixer_score_table *table, bool paper, out *o) {
  sixer_score_table_info d = sixer_score_table_describe(table);
  sixer_search search = sixer_search_default();
  int required[SIXER_SUBSET_MAX], reference[SIXER_SUBSET_MAX], excluded[SIXER_SUBSET_MAX];
  if (!set_folds(opt, &search)) return CLI_USAGE;
  if (search.kind == SIXER_FOLDS_GROUPED && !d.groups)
    return cli_error(atari5_name, CLI_USAGE,
                     "--folds grouped needs the sources of the algorithms: name their column with "
                     "--group COLUMN");
  if (opt->export && cli_check_output(atari5_name, opt->export)) return CLI_FAILED;
  int required_count = parse_games(&d, opt->require, required),
      excluded_count = parse_games(&d, opt->exclude, excluded),
      reference_count = parse_games(&d, reference_games(opt, paper), reference);
  if (required_count < 0 || excluded_count < 0 || reference_count < 0) return CLI_USAGE;
  if (reference_count && reference_count != opt->size)
    return cli_error(atari5_name, CLI_USAGE, "the reference has %d games, the subsets %lld",
                     reference_count, (long long)opt->size);
  if (opt->splits && !reference_count)
    return cli_error(atari5_name, CLI_USAGE, "--splits ranks a subset: name it with --reference");
  search.size = (size_t)opt->size;
  search.required = required;
  search.required_count = (size_t)required_count;
  search.top = (size_t)opt->top;
  search.reference = reference_count ? reference : NULL;

  bool *left_out = malloc(d.data.games * sizeof *left_out);
  sixer_fit *fits = calloc(search.top, sizeof *fits);
  int status = CLI_OK;
  if (left_out && fits) {
    memcpy(left_out, d.excluded, d.data.games * sizeof *left_out);
    for (int i = 0; i < excluded_count; i++) left_out[excluded[i]] = true;
    search.excluded = left_out;
    status = check_required(opt, &d, required, required_count, left_out);
    if (!status) status = search_and_show(opt, &d, &search, fits, o);
  } else {
    status = atari5_no_memory();
  }
  free(left_out);
  free(fits);
  if (status == CLI_OK) atari5_print(o, table);
  return status;
}

/* ---- nest ---- */

/* The paper's six searches. Each may rest on the results of earlier ones, given by their numbers; -1 is none. */
typedef struct nest_step {
  const char *label;
  size_t size;
  int inside;  /* choose among the games of that subset only */
  int extends; /* keep the games of that subset */
  int without; /* leave out the games of that subset */
} nest_step;

enum { NEST_STEPS = 6 };
static const nest_step nest_steps[NEST_STEPS] = {
    {"best-5", 5, -1, -1, -1},      {"best-3", 3, 0, -1, -1},      {"best-1", 1, 1, -1, -1},
    {"validation-3", 3, -1, -1, 0}, {"validation-5", 5, -1, 3, 0}, {"best-10", 10, -1, 0, 4}};

static bool has_game(const sixer_fit *fit, size_t game) {
  for (size_t k = 0; k < fit->size; k++) {
    if (fit->games[k] == (int)game) return true;
  }
  return false;
}

static int nest_subsets(const sixer_score_table_info *d, sixer_search search, bool *excluded,
                        out *o) {
  sixer_fit fits[NEST_STEPS];
  for (size_t i = 0; i < NEST_STEPS; i++) {
    const nest_step *step = &nest_steps[i];
    sixer_search_result result;
    sixer_error error;
    cli_progress bar;
    for (size_t g = 0; g < d->data.games; g++) {
      excluded[g] = d->excluded[g] || (step->inside >= 0 && !has_game(&fits[step->inside], g)) ||
                    (step->without >= 0 && has_game(&fits[step->without], g));
    }
    search.excluded = excluded;
    search.size = step->size;
    search.required = step->extends >= 0 ? fits[step->extends].games : NULL;
    search.required_count = step->extends >= 0 ? fits[step->extends].size : 0;
    search.progress = show_progress;
    search.context = &bar;
    cli_progress_begin(&bar, step->label);
    sixer_err err = sixer_subset_search(&d->data, &search, &fits[i], &result, &error);
    cli_progress_end(&bar);
    if (err) return atari5_fail(&error);
    if (!result.found)
      return cli_error(atari5_name, CLI_FAILED, "%s: no subset without negative coefficients",
                       step->label);
    out_text(o, step->label);
    show_fit(o, d, &fits[i]);
  }
  return CLI_OK;
}

int atari5_nest(const atari5_options *opt, const sixer_score_table *table, out *o) {
  sixer_score_table_info d = sixer_score_table_describe(table);
  sixer_search search = sixer_search_default();
  if (!set_folds(opt, &search)) return CLI_USAGE;
  bool *excluded = malloc(d.data.games * sizeof *excluded);
  if (!excluded) return atari5_no_memory();
  char columns[200];
  snprintf(columns, sizeof columns, fit_columns, "set");
  out_table(o, "subsets", "nested subsets (relative_error in percent)", columns);
  int status = nest_subsets(&d, search, excluded, o);
  free(excluded);
  if (status == CLI_OK) atari5_print(o, table);
  return status;
}
