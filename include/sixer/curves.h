/* Learning curves: scores over the frames of training, their bands, areas and the frames to reach a level; and
 * bootstrap intervals of any statistic.
 *
 * A curve is what one run did on one game: a point for each episode, or means as a file has them. Curves of several
 * runs and games are compared at common points: sixer_curve_sample() gives a run's running mean there, and the arrays
 * of all runs are a sixer_curve_set. A complete program, which prints the interquartile mean of three runs of one game
 * at two points with its 95 % interval:
 *
 *     #include <sixer/curves.h>
 *     #include <stdio.h>
 *
 *     int main(void) {
 *       double scores[] = {1.0, 2.0,   1.5, 2.5,   0.5, 3.0};
 *       size_t runs[] = {3};
 *       sixer_curve_set set = {scores, runs, 1, 2};
 *       sixer_bootstrap settings = sixer_bootstrap_default();
 *       sixer_interval band[2];
 *       sixer_error error;
 *       if (sixer_curves_aggregate(&set, SIXER_AGGREGATE_IQM, &settings, band, &error))
 *         return puts(error.message), 1;
 *       for (int i = 0; i < 2; i++) printf("%g (%g to %g)\n", band[i].value, band[i].low, band[i].high);
 *     }
 */
#ifndef SIXER_CURVES_H
#define SIXER_CURVES_H

#include "sixer/scores.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- One curve ------------------------------------------------------------------------------- */

/* The course of one run. Frames never fall. */
typedef struct sixer_curve {
  const char *run;      /* its seed or number, as text */
  const double *frames; /* of training up to each point */
  const double *scores; /* of the episode that ended there, or the mean that the file has */
  size_t count;
  bool episodes; /* points are episodes; else they are means already */
} sixer_curve;

/* A run at `count` rising points: the mean of its last `window` episodes that ended there or before (of fewer at the
 * beginning); of means, the last one. NaN at points before the first episode's end and after the run's last point. */
SIXER_API sixer_err sixer_curve_sample(const sixer_curve *curve, size_t window,
                                       const double *points, size_t count, double *out,
                                       sixer_error *error);

/* The mean height of a curve through points: the area under it by the trapezoidal rule, divided by its length. Frames
 * must rise, and at least two points are needed. */
SIXER_API sixer_err sixer_curve_area(const double *frames, const double *scores, size_t count,
                                     double *out, sixer_error *error);

/* The frames at which a curve first reaches a level, on straight lines between its points; infinity if it never
 * does. */
SIXER_API sixer_err sixer_curve_reach(const double *frames, const double *scores, size_t count,
                                      double level, double *out, sixer_error *error);

/* ---- Several runs and games ------------------------------------------------------------------ */

/* Runs at common points: run after run, game after game, `points` scores each; game g has runs[g] runs. With one point
 * it is a sixer_sample. */
typedef struct sixer_curve_set {
  const double *scores;
  const size_t *runs;
  size_t games, points;
} sixer_curve_set;

/* An aggregate at every point, with point-wise percentile bands. A replicate draws whole runs: the same ones at all
 * points. `settings.aggregates` and `settings.values` are not used. */
SIXER_API sixer_err sixer_curves_aggregate(const sixer_curve_set *set, sixer_aggregate aggregate,
                                           const sixer_bootstrap *settings, sixer_interval *out,
                                           sixer_error *error);

/* ---- Intervals of any statistic -------------------------------------------------------------- */

typedef enum sixer_interval_kind {
  SIXER_INTERVAL_PERCENTILE,
  SIXER_INTERVAL_BASIC, /* reflected at the value: 2 value - quantile */
  /* bias-corrected and accelerated (Efron 1987); the acceleration comes from leaving out one run after the other, as in
   * SciPy's bootstrap() of several samples. Its bounds are NaN where it is not defined: if all replicates are on one
   * side of the value, or if no run changes it. */
  SIXER_INTERVAL_BCA,
} sixer_interval_kind;

/* Which runs a replicate of the stratified bootstrap draws: for every game in turn, as many numbers below runs[g] as it
 * has runs. The draws are those of sixer_bootstrap_aggregates() with this seed. */
SIXER_API void sixer_bootstrap_draw(const size_t *runs, size_t games, uint64_t seed,
                                    size_t replicate, size_t *drawn);

/* An interval from the values of a statistic: of the sample, in `count` replicates, and for BCA without each run in
 * turn, game after game (left_out; games with one run have one entry, which is ignored; NULL for other kinds).
 * `replicates` is rearranged. */
SIXER_API sixer_err sixer_interval_compute(sixer_interval_kind kind, double value,
                                           double *replicates, size_t count, const double *left_out,
                                           const size_t *runs, size_t games, double confidence,
                                           sixer_interval *out, sixer_error *error);

/* Any statistic: writes its values for a sample. It is called from one thread. */
typedef void sixer_statistic(void *context, const sixer_curve_set *sample, double *values);

/* Intervals of the `count` values of a statistic. The games cannot be drawn (settings.resample_games). Fails if a value
 * is NaN. */
SIXER_API sixer_err sixer_bootstrap_statistic(const sixer_curve_set *set,
                                              sixer_statistic *statistic, void *context,
                                              size_t count, sixer_interval_kind kind,
                                              const sixer_bootstrap *settings, sixer_interval *out,
                                              sixer_error *error);

/* ---- Files ----------------------------------------------------------------------------------- */

/* Curves of agents under a protocol. Files are those of sixer_scores_read(): episodes and logs, whose frames are summed
 * up, and tables with frames of training, such as the *.curve.tsv of `sixer train`. */
typedef struct sixer_curves sixer_curves;

/* The config's limit and frames_per_step are used. Protocol and published results must outlive the collection. */
SIXER_API sixer_err sixer_curves_create(const sixer_protocol *protocol,
                                        const sixer_published *published,
                                        const sixer_scores_config *config, sixer_curves **curves,
                                        sixer_error *error);
SIXER_API void sixer_curves_destroy(sixer_curves *curves); /* NULL is allowed */

/* As sixer_scores_read() and sixer_scores_read_runs(). A file whose rows have no frames of training gives no curves,
 * with the warning no-curves. */
SIXER_API sixer_err sixer_curves_read(sixer_curves *curves, const char *path,
                                      const char *default_agent, sixer_error *error);
SIXER_API sixer_err sixer_curves_read_runs(sixer_curves *curves, const char *agent,
                                           const char *const *patterns, size_t count,
                                           sixer_error *error);

/* The same as sixer_curves_read() from text in memory; `origin` stands for the path in messages. */
SIXER_API sixer_err sixer_curves_parse(sixer_curves *curves, const char *text, size_t size,
                                       const char *origin, const char *default_agent,
                                       sixer_error *error);

SIXER_API size_t sixer_curves_agent_count(const sixer_curves *curves);
SIXER_API const char *sixer_curves_agent(const sixer_curves *curves, size_t agent);

/* Runs of an agent on game number `game` of the protocol, and one of them. What they point to lives as long as the
 * collection. */
SIXER_API size_t sixer_curves_run_count(const sixer_curves *curves, size_t agent, size_t game);
SIXER_API sixer_curve sixer_curves_run(const sixer_curves *curves, size_t agent, size_t game,
                                       size_t run);

SIXER_API size_t sixer_curves_warning_count(const sixer_curves *curves);
SIXER_API sixer_warning sixer_curves_warning(const sixer_curves *curves, size_t index);

#ifdef __cplusplus
}
#endif
#endif
