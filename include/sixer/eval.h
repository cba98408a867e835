/* sixer evaluation: protocols, scores, statistics, and the search for small sets of games.
 *
 * Nothing here needs an emulator: all functions work on plain arrays. A complete program, which prints the
 * interquartile mean of five runs on each of three games with its 95 % interval:
 *
 *     #include <sixer/eval.h>
 *     #include <stdio.h>
 *
 *     int main(void) {
 *       double scores[] = {0.9, 1.1, 1.0, 1.2, 0.8,   2.0, 2.2, 1.9, 2.1, 2.0,
 *                          0.1, 0.0, 0.2, 0.1, 0.1};
 *       size_t runs[] = {5, 5, 5};
 *       sixer_sample sample = {scores, runs, 3};
 *       sixer_bootstrap settings = sixer_bootstrap_default();
 *       sixer_interval result[SIXER_AGGREGATE_COUNT];
 *       sixer_error error;
 *       if (sixer_bootstrap_aggregates(&sample, &settings, result, &error))
 *         return puts(error.message), 1;
 *       sixer_interval iqm = result[SIXER_AGGREGATE_IQM];
 *       printf("IQM %.3f, 95 %% interval %.3f to %.3f\n", iqm.value, iqm.low, iqm.high);
 *     }
 *
 * Conventions. Arrays of several games are given game after game. Normalized scores are fractions (1 is 100 %) unless
 * a name says percent. NaN never enters a statistic: it is an error, except in the data of a subset search, where it
 * means "not reported". Plus infinity is a score: play without end. Functions that can fail return a sixer_err and
 * leave their results alone on failure. Everything is deterministic: the same input and seed give the same bytes for
 * any number of threads. */
#ifndef SIXER_EVAL_H
#define SIXER_EVAL_H

#include "sixer/sixer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Protocols ------------------------------------------------------------------------------- */

/* A protocol is everything that defines how a score is made, in one text file (protocols/,
 * docs/evaluation.md). It has a name, a version, and a hash over everything that defines it: equal
 * hashes mean comparable scores. */
typedef struct sixer_protocol sixer_protocol;

/* Open a built-in protocol by name ("saber", "saber@1") or a file by path (whatever contains a '/'
 * or ends in ".toml"). A file may name a base and say only what differs. It is refused if it takes
 * a built-in's name and is not equal to it. */
SIXER_API sixer_err sixer_protocol_open(const char *name_or_path, sixer_protocol **protocol,
                                        sixer_error *error);

/* The same from text in memory; `origin` stands for the path in messages. */
SIXER_API sixer_err sixer_protocol_parse(const char *text, const char *origin,
                                         sixer_protocol **protocol, sixer_error *error);
SIXER_API void sixer_protocol_close(sixer_protocol *protocol); /* NULL is allowed */

/* Names of the built-in protocols, ended by NULL. Static. */
SIXER_API const char *const *sixer_protocol_names(void);

typedef enum sixer_score_of {
  SIXER_SCORE_TRAINING,        /* the last episodes of training before a checkpoint */
  SIXER_SCORE_EVALUATION,      /* episodes after training, without learning */
  SIXER_SCORE_BEST_EVALUATION, /* the same for the best policy of the run */
} sixer_score_of;

typedef enum sixer_life_rule {
  SIXER_LIFE_IGNORED,
  SIXER_LIFE_TERMINAL_IN_TRAINING,
  SIXER_LIFE_TERMINAL,
} sixer_life_rule;

#define SIXER_CHECKPOINTS_MAX 16
#define SIXER_LIMITS_MAX      8

typedef struct sixer_protocol_info {
  const char *name, *title, *source;
  const char *base; /* name of the protocol it was derived from; NULL if none */
  int version;
  char hash[65];            /* SHA-256, in hex, of the canonical text */
  const char *const *games; /* ids */
  size_t game_count;
  const char *const *tuning; /* games on which settings may be chosen */
  size_t tuning_count;
  const char *flavors;  /* "default", "all", or as "mode 4, difficulty 1" */
  double sticky;        /* probability that a frame repeats the action before it */
  bool minimal_actions; /* else all 18 */
  int frame_skip;
  int noop_starts; /* at most; 0: none */
  sixer_life_rule life_loss;
  int max_frames;     /* per episode; 0: none */
  int stuck_frames;   /* without reward; 0: no limit */
  bool fixed_scoring; /* counters that roll over are corrected */
  /* Of games with levels: the first and the last level that training episodes draw from, and those of the test, each
   * of which is played equally often. -1: the protocol names no levels. */
  int train_levels[2], test_levels[2];
  bool length_in_episodes; /* else training length and checkpoints are in frames */
  int64_t length;
  int64_t checkpoints[SIXER_CHECKPOINTS_MAX];
  size_t checkpoint_count;
  sixer_score_of score_of;
  int episodes;          /* averaged for a score */
  bool include_crossing; /* the episode in which a checkpoint is passed counts */
  /* Play times, in frames, after which the score of an episode is taken; 0: at its end. */
  int limits[SIXER_LIMITS_MAX];
  size_t limit_count;
  int trials;
  double significance;       /* of tests */
  const char *aggregate;     /* "median", "mean", "iqm" or "model" */
  const char *normalization; /* the default: "human", "record", "scripted", "random", ... */
  /* the score that play without end counts as in a mean, as a fraction; NaN: such scores are refused */
  double endless;
  bool all_flavors;     /* every mode and difficulty of a game, not one of them */
  int mode, difficulty; /* the flavor; -1: the game's default */
  /* Frames (or episodes, as `length`) of training between two evaluations; 0: the protocol has none during training. */
  int64_t evaluation_interval;
  int64_t evaluation_length; /* frames (or episodes) of each; 0: `episodes` episodes */
  double test_epsilon;       /* share of random actions in evaluation episodes; NaN: not stated */
  int64_t planning_budget;   /* simulated frames per decision; 0: no planner */
  const char
      *model_target;  /* what [model] estimates: "median", "mean" or "iqm"; NULL: not stated */
  double model_error; /* its standard deviation of log10(1 + percent); NaN: not stated */
} sixer_protocol_info;

/* What a protocol says. The pointers live as long as the protocol. */
SIXER_API sixer_protocol_info sixer_protocol_describe(const sixer_protocol *protocol);

/* The constant of a game ("random", "human", "record", ...); NaN if the protocol has none. */
SIXER_API double sixer_protocol_constant(const sixer_protocol *protocol, const char *column,
                                         const char *game);

/* The coefficient of a game in the protocol's model; 0 if it has none. */
SIXER_API double sixer_protocol_coefficient(const sixer_protocol *protocol, const char *game);

/* The resolved protocol in canonical form, without name and comments: what the hash is taken of,
 * and a file that can be read again once it is given a name. Lives as long as the protocol. */
SIXER_API const char *sixer_protocol_text(const sixer_protocol *protocol);

/* ---- Scores while playing -------------------------------------------------------------------- */

/* One play of an episode yields its score after every limit at once. Feed it the frames and the
 * reward of each step. A reward is the step's whole reward; a step that crosses a limit counts for
 * it if its last frame is within the limit, so limits should be multiples of the frame skip (all
 * published ones are). */
typedef struct sixer_tally {
  int limits[SIXER_LIMITS_MAX]; /* in frames; 0: none */
  double score[SIXER_LIMITS_MAX];
  size_t limit_count;
  int64_t frames;            /* played so far */
  int64_t last_reward_frame; /* frames played when the last reward other than 0 came */
} sixer_tally;

SIXER_API void sixer_tally_begin(sixer_tally *tally, const int *limits, size_t limit_count);
SIXER_API void sixer_tally_step(sixer_tally *tally, int frames, double reward);

/* Whether `stuck_frames` or more frames have passed since the last reward; always false if it is 0. */
SIXER_API bool sixer_tally_stuck(const sixer_tally *tally, int stuck_frames);

/* The true reward behind a counter that rolled over. SABER's program: a reward below -900,000 gets
 * the next power of ten added; other rewards are unchanged. */
SIXER_API double sixer_reward_unroll(double reward);

/* The mean of the last `episodes` episodes when `checkpoint` is reached. Episode i took frames[i]
 * frames and scored scores[i]; in episodes mode checkpoints count episodes. With `include_crossing`
 * the episode in which the total is exceeded is the last one, otherwise the one before it.
 * *averaged is how many there were; it may be less than `episodes`. SIXER_ERR_ARGUMENT if
 * the checkpoint was not reached or there is no episode to average. */
SIXER_API sixer_err sixer_checkpoint_mean(const int64_t *frames, const double *scores, size_t count,
                                          int64_t checkpoint, bool in_episodes,
                                          bool include_crossing, size_t episodes, double *mean,
                                          size_t *averaged, sixer_error *error);

/* ---- Normalization --------------------------------------------------------------------------- */

typedef enum sixer_scale {
  SIXER_SCALE_RANGE, /* (s - low) / (high - low): human, baseline */
  /* (s - low) / |high - low|: world record, relative to another agent (Skiing has a negative range) */
  SIXER_SCALE_ABSOLUTE,
  SIXER_SCALE_RANDOM, /* s / |low|: the random-normalized score of 2013; high is not used */
  /* (s - low) / (high - low), and 1 where high = low: the range of the compared agents */
  SIXER_SCALE_INTER,
} sixer_scale;

/* Normalize `count` scores, each with its own constants; `out` may be `scores`. Infinite scores
 * stay infinite. Fails on a NaN and where the range is empty, and names the index. */
SIXER_API sixer_err sixer_scores_normalize(sixer_scale scale, const double *scores,
                                           const double *low, const double *high, size_t count,
                                           double *out, sixer_error *error);

/* The smallest and largest score of each game over several agents: agents x games, agent after
 * agent. */
SIXER_API sixer_err sixer_scores_range(const double *scores, size_t agents, size_t games,
                                       double *low, double *high, sixer_error *error);

/* ---- Aggregates ------------------------------------------------------------------------------ */

/* Scores of one agent: game after game, `runs[g]` of them for game g. */
typedef struct sixer_sample {
  const double *scores;
  const size_t *runs;
  size_t games;
} sixer_sample;

typedef enum sixer_aggregate {
  SIXER_AGGREGATE_MEAN, /* of the games' means */
  /* of the games' means; the average of the middle two if their number is even */
  SIXER_AGGREGATE_MEDIAN,
  /* interquartile mean: all runs pooled, a quarter (rounded down) dropped at each end, mean of the rest */
  SIXER_AGGREGATE_IQM,
  SIXER_AGGREGATE_OPTIMALITY_GAP, /* 1 - mean of min(score, 1) over all runs */
  SIXER_AGGREGATE_CAPPED_MEAN,    /* of min(score, cap) over the games' means */
  SIXER_AGGREGATE_COUNT
} sixer_aggregate;

/* "mean", "median", ...; NULL if there is no such aggregate. */
SIXER_API const char *sixer_aggregate_name(int aggregate);

/* All aggregates at once. Infinite scores count as `cap` (SABER: 2, which is 200 %); if cap is NaN
 * they are an error. */
SIXER_API sixer_err sixer_aggregates_compute(const sixer_sample *sample, double cap,
                                             double out[SIXER_AGGREGATE_COUNT], sixer_error *error);

/* SABER's classes of normalized scores. A score of exactly 1 equals the record and counts as
 * superhuman. */
typedef enum sixer_class {
  SIXER_CLASS_FAILING, /* below 1 % */
  SIXER_CLASS_POOR,    /* below 10 % */
  SIXER_CLASS_MEDIUM,  /* below 50 % */
  SIXER_CLASS_FAIR,    /* below 100 % */
  SIXER_CLASS_SUPERHUMAN,
  SIXER_CLASS_COUNT
} sixer_class;

SIXER_API const char *sixer_class_name(int cls); /* NULL if there is no such class */
SIXER_API sixer_err sixer_classes_count(const double *scores, size_t count,
                                        size_t out[SIXER_CLASS_COUNT], sixer_error *error);

/* How many scores lie in each bin: out[0] below edges[0], out[i] in [edges[i-1], edges[i]), out[n]
 * from the last edge on. Edges must rise; `out` has edge_count + 1 entries. */
SIXER_API sixer_err sixer_histogram_count(const double *scores, size_t count, const double *edges,
                                          size_t edge_count, size_t *out, sixer_error *error);

typedef enum sixer_profile {
  SIXER_PROFILE_RUNS,  /* share of all runs with a score above x (performance profile) */
  SIXER_PROFILE_GAMES, /* share of games whose mean is above x */
  /* share of games whose mean is x or more (score distribution of Bellemare et al. 2013) */
  SIXER_PROFILE_AT_LEAST,
} sixer_profile;

/* The profile at `count` points. */
SIXER_API sixer_err sixer_profile_compute(const sixer_sample *sample, sixer_profile kind,
                                          const double *points, size_t count, double *out,
                                          sixer_error *error);

/* Probability of improvement P(X > Y): per game the share of pairs of runs that X wins, ties
 * counting half, averaged over games. Both samples must have the same games. */
SIXER_API sixer_err sixer_improvement_compute(const sixer_sample *x, const sixer_sample *y,
                                              double *out, sixer_error *error);

/* In how many games a is higher, lower, equal. */
SIXER_API sixer_err sixer_games_compare(const double *a, const double *b, size_t games,
                                        size_t *better, size_t *worse, size_t *equal,
                                        sixer_error *error);

/* ---- Bootstrap ------------------------------------------------------------------------------- */

typedef struct sixer_bootstrap {
  uint32_t cookie;     /* set by sixer_bootstrap_default() and checked */
  size_t replicates;   /* 50,000 */
  double confidence;   /* 0.95 */
  uint64_t seed;       /* 0 */
  int threads;         /* 0: as many as there are processors */
  bool resample_games; /* also draw the games with replacement */
  double cap;          /* of SIXER_AGGREGATE_CAPPED_MEAN and of infinite scores; 2 */
  unsigned aggregates; /* bits 1u << SIXER_AGGREGATE_...: which intervals to make; all of them */
  /* room for the result of every replicate: replicates x chosen aggregates, in order of their number; or NULL */
  double *values;
} sixer_bootstrap;

SIXER_API sixer_bootstrap sixer_bootstrap_default(void);

typedef struct sixer_interval {
  double value;     /* of the sample itself */
  double low, high; /* percentile interval */
} sixer_interval;

/* Stratified percentile intervals: each replicate draws every game's runs anew, with replacement,
 * from that game's runs. A game with a single run never varies: the interval is then too narrow
 * (sixer eval warns). Aggregates that were not chosen get their value and NaN for low and high. */
SIXER_API sixer_err sixer_bootstrap_aggregates(const sixer_sample *sample,
                                               const sixer_bootstrap *settings,
                                               sixer_interval out[SIXER_AGGREGATE_COUNT],
                                               sixer_error *error);

/* The same for a profile (point-wise bands) and for the probability of improvement (X and Y drawn
 * independently). */
SIXER_API sixer_err sixer_bootstrap_profile(const sixer_sample *sample, sixer_profile kind,
                                            const double *points, size_t count,
                                            const sixer_bootstrap *settings, sixer_interval *out,
                                            sixer_error *error);
SIXER_API sixer_err sixer_bootstrap_improvement(const sixer_sample *x, const sixer_sample *y,
                                                const sixer_bootstrap *settings,
                                                sixer_interval *out, sixer_error *error);

/* The same for the estimate of a model (sixer_model_predict without intercept): scores are
 * fractions, one coefficient per game, and every game's mean enters as a percentage. */
SIXER_API sixer_err sixer_bootstrap_model(const sixer_sample *sample, const double *coefficients,
                                          const sixer_bootstrap *settings, sixer_interval *out,
                                          sixer_error *error);

/* ---- Tests ----------------------------------------------------------------------------------- */

typedef struct sixer_welch {
  double t;  /* positive if the first mean is larger */
  double df; /* degrees of freedom (Welch-Satterthwaite) */
  double p;  /* two-tailed */
} sixer_welch;

/* Welch's t-test from means, standard deviations (with n - 1) and sizes of at least 2. If both
 * deviations are 0, df is NaN, and the means are equal (t = 0, p = 1) or certainly different (t
 * infinite, p = 0). */
SIXER_API sixer_err sixer_welch_test(double mean1, double sd1, double n1, double mean2, double sd2,
                                     double n2, sixer_welch *out, sixer_error *error);
SIXER_API sixer_err sixer_welch_samples(const double *a, size_t a_count, const double *b,
                                        size_t b_count, sixer_welch *out, sixer_error *error);

/* The paired-comparison table of Bellemare et al. 2013: better[i * agents + j] is the number of
 * games in which agent i is significantly better than j at level `significance`; worse is its
 * transpose. means, sds and sizes are agents x games, agent after agent. Games in which either
 * agent has fewer than two runs cannot be tested: they are counted in untested (agents x agents,
 * may be NULL), and their sd is ignored. */
SIXER_API sixer_err sixer_welch_table(const double *means, const double *sds, const double *sizes,
                                      size_t agents, size_t games, double significance,
                                      size_t *better, size_t *untested, sixer_error *error);

/* Corrections of p values for the number of tests. */
typedef enum sixer_correction {
  SIXER_CORRECTION_NONE,
  SIXER_CORRECTION_HOLM, /* Holm 1979: bounds the probability of any false discovery */
  SIXER_CORRECTION_BH,   /* Benjamini and Hochberg 1995: bounds the expected share of false ones */
} sixer_correction;

/* Adjusted p values: a test is significant at a level if its adjusted value is below it. `out` may be `p`. Fails if a
 * p is not from 0 to 1. */
SIXER_API sixer_err sixer_p_adjust(sixer_correction correction, const double *p, size_t count,
                                   double *out, sixer_error *error);

/* Two-tailed p of Student's t. */
SIXER_API double sixer_student_p(double t, double df);

/* ---- Small sets of games --------------------------------------------------------------------- */

/* Atari-5's transform of a percentage, log10(1 + max(0, percent)), and its inverse 10^x - 1. */
SIXER_API double sixer_log_score(double percent);
SIXER_API double sixer_log_score_inverse(double value);

/* An estimate from a model: 10^(intercept + sum of coefficient * log score) - 1, of percentages. */
SIXER_API double sixer_model_predict(double intercept, const double *coefficients,
                                     const double *percents, size_t count);

/* How rows are put into folds. Only rows that have all games of the subset take part, in their
 * order. */
typedef enum sixer_folds {
  SIXER_FOLDS_INDEX, /* row i is in fold i mod folds */
  /* shuffled with `seed`, then cut into consecutive folds; if they cannot be equal, the first ones have one row more */
  SIXER_FOLDS_SHUFFLED,
  /* the same, but shuffled as NumPy's RandomState(seed) does. With seed 1982 and rows sorted by name these are the
   * folds of the Atari-5 paper. */
  SIXER_FOLDS_NUMPY,
  /* rows of the same group are in one fold: the groups of the complete rows, in order of their first row, are in fold
   * 0, 1, ..., folds - 1, 0, 1, ... Results of one paper or laboratory resemble each other: a model that is tested on
   * rows of a source that it was fitted on looks better than it is. */
  SIXER_FOLDS_GROUPED,
} sixer_folds;

/* Data: `rows` x `games` predictors, row after row, NaN where not reported, and one target per row.
 */
typedef struct sixer_regression_data {
  const double *x;
  const double *y;
  size_t rows, games;
  const int
      *groups; /* of each row, for SIXER_FOLDS_GROUPED; NULL: every row is a group of its own */
} sixer_regression_data;

#define SIXER_SUBSET_MAX 16

typedef struct sixer_fit {
  int games[SIXER_SUBSET_MAX];           /* rising */
  double coefficients[SIXER_SUBSET_MAX]; /* of all complete rows */
  double intercept;                      /* 0 unless asked for */
  size_t size, rows;                     /* complete rows */
  double r2;                             /* in sample, about the mean of y */
  double mae;                            /* in sample: mean absolute residual */
  double cv_mse, cv_mae; /* cross-validated: mean over the folds of the fold's mean */
  double cv_r2;          /* 1 - cv_mse / variance of y */
  double relative_error; /* ln 10 * cv_mae: approximates the relative error of log10 targets */
} sixer_fit;

/* Ordinary least squares for one set of games, with cross-validation if folds > 1 (cv fields NaN
 * otherwise). Fails if there are fewer complete rows than coefficients, in any training part, or if
 * games are collinear. */
SIXER_API sixer_err sixer_subset_fit(const sixer_regression_data *data, const int *games,
                                     size_t size, bool intercept, sixer_folds kind, int folds,
                                     uint32_t seed, sixer_fit *out, sixer_error *error);

typedef struct sixer_search {
  uint32_t cookie;     /* set by sixer_search_default() and checked */
  size_t size;         /* games in the subset, required ones included; 5 */
  const int *required; /* games that every subset has; NULL if none */
  size_t required_count;
  const bool *excluded; /* one per game; NULL if none */
  sixer_folds kind;     /* SIXER_FOLDS_INDEX */
  int folds;            /* 10 */
  uint32_t seed;        /* 0 */
  size_t top;           /* how many of the best to return; 1 */
  const int *reference; /* a subset of the same size whose rank is wanted; NULL if none */
  int threads;          /* 0: as many as there are processors */
  /* called now and then from the thread that called sixer_subset_search(); may be NULL */
  void (*progress)(void *context, double done, double total);
  void *context;
  bool allow_negative; /* subsets with negative coefficients are ranked too; false */
} sixer_search;

SIXER_API sixer_search sixer_search_default(void);

typedef struct sixer_search_result {
  uint64_t subsets;        /* of that size; all are tried */
  uint64_t negative;       /* left out because a coefficient is negative */
  uint64_t unfit;          /* left out because of too few complete rows or collinear games */
  size_t found;            /* entries written to `fits` */
  uint64_t reference_rank; /* 1 is best; 0 if no reference was given or it was itself left out */
  double reference_cv_mse; /* NaN if the rank is 0 */
} sixer_search_result;

/* Find the best subsets: every subset of the given size is fitted without intercept; those with a
 * negative coefficient are left out; the rest is ranked by cross-validated mean squared error.
 * Exhaustive and exact: nothing is sampled or pruned. Ties go to the subset that comes first in
 * lexical order of its game numbers. `fits` has room for `top`. */
SIXER_API sixer_err sixer_subset_search(const sixer_regression_data *data,
                                        const sixer_search *search, sixer_fit *fits,
                                        sixer_search_result *result, sixer_error *error);

/* What a search by cross-validation promises is too good: among millions of subsets, the best one is in part the
 * luckiest. Nested cross-validation repeats the whole search without the rows of one outer fold, fits the subset that
 * it finds, and predicts those rows, fold after fold. */
typedef struct sixer_nested {
  double mse, mae;       /* of all rows that were predicted */
  double r2;             /* 1 - mse / variance of their targets */
  double relative_error; /* ln 10 * mae */
  size_t rows;           /* predicted */
  size_t skipped;        /* lack a game of the subset that was found without them */
  size_t searches;       /* outer folds in which a subset was found */
  size_t same;           /* of them, those that found the games of `whole` */
  sixer_fit whole;       /* the best subset of all rows */
} sixer_nested;

/* `search` as for sixer_subset_search(); `top` and `reference` are ignored. Outer folds are made of all rows as the
 * search's kind says, `outer` of them. */
SIXER_API sixer_err sixer_subset_nested(const sixer_regression_data *data,
                                        const sixer_search *search, int outer, sixer_nested *out,
                                        sixer_error *error);

/* Pearson correlation of every pair of games over the rows that have both: games x games; NaN where
 * there are fewer than three such rows or no variation. */
SIXER_API sixer_err sixer_games_correlate(const sixer_regression_data *data, double *out,
                                          sixer_error *error);

/* What an experiment costs. All inputs are per game and run; prices are in one currency. */
typedef struct sixer_cost_input {
  double games, runs;
  double hours;                /* of computing */
  double gpu_price, cpu_price; /* per hour */
  double gpu_watts, cpu_watts;
  double co2_per_kwh; /* kilograms */
} sixer_cost_input;

typedef struct sixer_cost {
  double hours, price, kwh, co2_kg;
} sixer_cost;

SIXER_API sixer_cost sixer_cost_estimate(const sixer_cost_input *input);

/* ---- Published results ----------------------------------------------------------------------- */

/* The tables of data/published/, which are compiled into the library (and installed beside it as
 * files). */

/* A file by its name, such as "games.csv"; NULL if there is none. Static. Its size is stored in
 * *size. */
SIXER_API const char *sixer_published_file(const char *name, size_t *size);

/* One published result: an agent's scores on many games under one protocol. */
typedef struct sixer_result_set {
  /* "saber/rainbow", "saber/rainbow@30min", "machado2018/dqn@50M", "atari5/rainbow-noop" */
  const char *id;
  const char *agent;    /* as the source calls it */
  const char *source;   /* "saber", "machado2018", "bellemare2013", "atari5" */
  const char *protocol; /* the protocol it was made under; NULL if not known or mixed */
  /* License of the numbers: "MIT", "CC-BY-SA-4.0" or "facts" (transcribed from a paper). */
  const char *license;
  int limit;      /* frames of play that count; 0: none */
  int64_t frames; /* of training; 0 if not known */
  int trials;     /* over which the deviation was taken; 0 if not known */
  size_t count;   /* games */
  const char *const *games;
  const double *means; /* infinity: play without end */
  const double *sds;   /* NaN where not published */
} sixer_result_set;

typedef struct sixer_published sixer_published;

SIXER_API sixer_err sixer_published_open(sixer_published **published, sixer_error *error);
SIXER_API void sixer_published_close(sixer_published *published); /* NULL is allowed */
SIXER_API size_t sixer_published_count(const sixer_published *published);
SIXER_API const sixer_result_set *sixer_published_get(const sixer_published *published,
                                                      size_t index);

/* Find a result by id, or by a short name such as "rainbow": then the one made under `protocol`
 * (may be NULL) is preferred. If several remain the error lists them. */
SIXER_API sixer_err sixer_published_find(const sixer_published *published, const char *name,
                                         const char *protocol, const sixer_result_set **result,
                                         sixer_error *error);

/* The id of a game from any spelling of the papers ("Ms. Pac-Man", "mspacman"); NULL if it is not
 * known. */
SIXER_API const char *sixer_published_game(const sixer_published *published, const char *name);

/* The data of the Atari-5 paper: log scores of 62 algorithms on 57 games, and the log of each
 * algorithm's median. Rows are in the order of Table 8; with `by_name` sorted by name, as the
 * paper's folds want it. `names` and `games` may be NULL; all pointers live as long as `published`.
 */
SIXER_API sixer_regression_data sixer_published_atari5(const sixer_published *published,
                                                       bool by_name, const char *const **names,
                                                       const char *const **games);

/* The type of each algorithm of that data ("distributed_value", "model_based", ...), in the order of Table 8. The types
 * are ours, not the paper's. */
SIXER_API const char *const *sixer_published_atari5_types(const sixer_published *published);

/* A model that predicts a percentage from the percentages of a few games. */
typedef struct sixer_subset_model {
  const char *name;   /* "atari_5": the subset whose games it uses */
  const char *target; /* the game that is predicted; NULL: the median over 57 games */
  double intercept;
  const char *games[SIXER_SUBSET_MAX];
  double coefficients[SIXER_SUBSET_MAX];
  size_t size; /* entries of games and coefficients */
} sixer_subset_model;

/* The models of the Atari-5 paper. First come the six that predict the median (Table 9): atari_1, atari_3, atari_5,
 * atari_10, atari_3_val and atari_5_val. Then come those that predict single games, from atari_5 (Table 10) and from
 * atari_10 (Table 11). They live as long as `published`. */
SIXER_API const sixer_subset_model *sixer_published_models(const sixer_published *published,
                                                           size_t *count);

/* What a model predicts from percents[i] of games[i], i < count. NaN if one of the model's games is not in the list
 * or its percentage is NaN. */
SIXER_API double sixer_subset_model_predict(const sixer_subset_model *model,
                                            const char *const *games, const double *percents,
                                            size_t count);

/* The error of a model that predicts the median over 57 games from these games: the standard deviation of log10(1 +
 * percent), cross-validated on the algorithms of the Atari-5 paper with the paper's folds. 0.058 for Atari-5. */
SIXER_API sixer_err sixer_model_error(const sixer_published *published, const char *const *games,
                                      size_t count, double *sd, sixer_error *error);

/* How well the score of one game is predicted from these games: the fit, with intercept, that the Tables 10 and 11 of
 * the paper have, on the algorithms that report all of them. cv_mse and cv_r2 are of log10(1 + percent). */
SIXER_API sixer_err sixer_prediction_error(const sixer_published *published,
                                           const char *const *games, size_t count,
                                           const char *target, sixer_fit *fit, sixer_error *error);

/* The interval of a model's estimate: that of the runs (percent; NaN bounds if there is none) widened by the model's
 * error. An sd of 0 leaves it as it is. */
SIXER_API sixer_interval sixer_model_interval(sixer_interval runs, double sd, double confidence);

/* The built-in protocol "atari57", which result files that are input for the models are read under. Close it with
 * sixer_protocol_close(). */
SIXER_API sixer_err sixer_published_protocol57(const sixer_published *published,
                                               sixer_protocol **protocol, sixer_error *error);

#ifdef __cplusplus
}
#endif
#endif
