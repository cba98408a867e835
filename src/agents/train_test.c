/* Evaluations during training: after every so many frames the agent plays without learning, and the best network so far
 * is kept, as in Mnih et al. 2015. The protocol says how often, how long, and with which share of random actions.
 *
 * An evaluation plays in an env of its own, whose seed is a function of the run's seed and the evaluation's number, so
 * that training goes on as if there had been none. It begins when an episode of training has ended, or between two
 * updates of a learner with many environments. A checkpoint is written at its begin and none before its end: a run that
 * is killed in between repeats the whole evaluation. So checkpoints hold what follows from evaluations that have ended,
 * in the sections "tests" and "best".
 *
 * The score is the mean of the episodes that have ended; if none has, the one that was played counts. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agents/agent.h"
#include "agents/train_parts.h"
#include "sixer/tape.h"
#include "util/error.h"
#include "util/os.h"

struct train_test {
  sixer_env *env;
  sixer_recorder *recorder; /* NULL: no tapes */
  sixer_tally tally;
  int64_t frames, episodes; /* so far; episodes that have ended */
  double sum[SIXER_LIMITS_MAX];
};

enum { BEST_MAX = 1 << 30 };

/* ---- Tapes ----------------------------------------------------------------------------------------------------- */

sixer_err train_tape_open(const sixer_train *t, const char *what, sixer_env *env,
                          sixer_recorder **recorder, sixer_error *error) {
  *recorder = NULL;
  if (!t->tapes[0]) return SIXER_OK;
  char path[TRAIN_PATH + 300], by[200];
  snprintf(path, sizeof path, "%s/%s_%s_%u_%s.tape", t->tapes, t->label,
           t->rom_info.game ? t->rom_info.game : "unknown", t->seed, what);
  snprintf(by, sizeof by, "%s after %lld frames of training, seed %u", t->agent_name,
           (long long)t->c.frames, t->seed);
  /* of the same evaluation, before the run was killed */
  if (os_unlink(path) && errno != ENOENT)
    return sixer_fail(error, SIXER_ERR_FILE, "%.300s: cannot be replaced: %s", path,
                      strerror(errno));
  return sixer_recorder_open(path, env, by, recorder, error);
}

/* ---- Playing --------------------------------------------------------------------------------------------------- */

static int64_t trained(const sixer_train *t) {
  return t->info.length_in_episodes ? t->c.episodes : t->c.frames;
}

bool train_test_due(const sixer_train *t) {
  return t->info.evaluation_interval && trained(t) >= t->tests.next;
}

static sixer_err choose_level(sixer_train *t, sixer_error *error) {
  const int *levels = t->info.test_levels;
  if (levels[0] < 0) return SIXER_OK;
  int count = levels[1] - levels[0] + 1;
  return sixer_env_set_levels(t->test->env, levels[0] + (int)(t->test->episodes % count), 1, error);
}

static sixer_err start_env(sixer_train *t, sixer_error *error) {
  sixer_config config = t->config;
  uint64_t draw = random_mix(config.seed + (uint64_t)(t->tests.count + 1) * RANDOM_STEP);
  config.seed = (uint32_t)(draw >> 33);
  sixer_err err = sixer_env_create(t->rom, &config, &t->test->env, error);
  if (!err) err = choose_level(t, error);
  if (!err && t->info.test_levels[0] >= 0) sixer_env_reset(t->test->env);
  return err;
}

static void forget(sixer_train *t) {
  sixer_recorder_close(t->test->recorder, NULL);
  sixer_env_destroy(t->test->env);
  free(t->test);
  t->test = NULL;
}

sixer_err train_test_start(sixer_train *t, sixer_error *error) {
  t->test = calloc(1, sizeof *t->test);
  if (!t->test) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for an evaluation");
  char what[40];
  snprintf(what, sizeof what, "test%04lld", (long long)t->tests.count + 1);
  sixer_err err = start_env(t, error);
  if (!err) err = train_tape_open(t, what, t->test->env, &t->test->recorder, error);
  if (err) {
    forget(t);
    return err;
  }
  sixer_agent_reset(t->agent);
  sixer_agent_evaluate(t->agent, true);
  sixer_tally_begin(&t->test->tally, t->info.limits, t->info.limit_count);
  return SIXER_OK;
}

sixer_err train_test_begin(sixer_train *t, sixer_error *error) {
  t->tests.running = true;
  sixer_err err = sixer_train_save(t, error);
  return err ? err : train_test_start(t, error);
}

static void count_episode(sixer_train *t) {
  t->test->episodes++;
  for (size_t k = 0; k < t->info.limit_count; k++) t->test->sum[k] += t->test->tally.score[k];
}

/* The evaluation is over: its row, the best network, and back to training. */
static sixer_err finish(sixer_train *t, sixer_error *error) {
  train_test *test = t->test;
  train_tests *all = &t->tests;
  size_t limit = t->info.limit_count - 1;
  double scores[SIXER_LIMITS_MAX] = {0};
  for (size_t k = 0; k <= limit; k++) scores[k] = test->sum[k] / (double)test->episodes;
  sixer_err err = sixer_recorder_close(test->recorder, error);
  test->recorder = NULL;
  sixer_agent_reset(t->agent);
  if (!err && !(all->count && all->best[limit] >= scores[limit])) {
    void *bytes;
    size_t size;
    err = sixer_agent_save(t->agent, &bytes, &size, error);
    if (!err) {
      free(t->best);
      t->best = bytes;
      t->best_size = size;
      memcpy(all->best, scores, sizeof scores);
      all->best_at = trained(t);
      all->best_episodes = test->episodes;
    }
  }
  if (err) return err;
  all->count++;
  all->last = scores[limit];
  while (all->next <= trained(t)) all->next += t->info.evaluation_interval;
  all->running = false;
  err = rows_add_test(t, scores, test->episodes, test->frames, error);
  forget(t);
  sixer_agent_evaluate(t->agent, false);
  return err;
}

sixer_err train_test_step(sixer_train *t, sixer_error *error) {
  train_test *test = t->test;
  int action;
  sixer_result result;
  sixer_err err = sixer_agent_act(t->agent, test->env, t->actions, &action, error);
  if (err) return err;
  sixer_env_step(test->env, action, &result);
  test->frames += result.frames;
  sixer_tally_step(&test->tally, result.frames, result.reward);
  if (test->recorder) {
    err = sixer_recorder_step(test->recorder, (sixer_input){.action_a = action, .strength_a = 1},
                              &result);
    if (err) return sixer_recorder_close(test->recorder, error), test->recorder = NULL, err;
  }
  if (result.over) count_episode(t);
  bool in_episodes = t->info.length_in_episodes || !t->info.evaluation_length;
  int64_t wanted = t->info.evaluation_length ? t->info.evaluation_length : t->info.episodes;
  if ((in_episodes ? test->episodes : test->frames) >= wanted) {
    if (!test->episodes) count_episode(t);
    return finish(t, error);
  }
  if (!result.over) return SIXER_OK;
  err = choose_level(t, error);
  if (err) return err;
  sixer_agent_reset(t->agent);
  sixer_env_reset(test->env);
  if (test->recorder) sixer_recorder_reset(test->recorder);
  sixer_tally_begin(&test->tally, t->info.limits, t->info.limit_count);
  return SIXER_OK;
}

void train_test_destroy(sixer_train *t) {
  if (t->test) forget(t);
  free(t->best);
}

/* Let the agent be the best of all evaluations, to be scored; without any it stays as it is. */
sixer_err train_test_take_best(sixer_train *t, sixer_error *error) {
  if (!t->best || t->info.score_of != SIXER_SCORE_BEST_EVALUATION) return SIXER_OK;
  return sixer_agent_load(t->agent, t->env, t->best, t->best_size, error);
}

/* ---- Checkpoints ----------------------------------------------------------------------------------------------- */

void train_test_save(const sixer_train *t, sections_writer *w) {
  const train_tests *all = &t->tests;
  if (!t->info.evaluation_interval) return;
  sections_begin(w, "tests");
  sections_put_i64(w, all->count);
  sections_put_i64(w, all->next);
  sections_put_i64(w, all->running);
  sections_put_i64(w, all->best_at);
  sections_put_i64(w, all->best_episodes);
  sections_put_f64(w, all->last);
  for (int k = 0; k < SIXER_LIMITS_MAX; k++) sections_put_f64(w, all->best[k]);
  sections_put_u64(w, t->rows[ROWS_TESTS].size);
  sections_put_u64(w, t->rows[ROWS_TESTS].crc);
  if (!t->best) return;
  sections_begin(w, "best");
  sections_put(w, t->best, t->best_size);
}

sixer_err train_test_load(sixer_train *t, sections_reader *r, const char *path, uint64_t *size,
                          uint32_t *crc, sixer_error *error) {
  if (!t->info.evaluation_interval) return SIXER_OK;
  const int64_t many = INT64_C(1) << 60;
  train_tests all = {0};
  if (!sections_find(r, "tests")) sections_fail(r, "it has no evaluations");
  all.count = sections_get_i64(r);
  all.next = sections_get_i64(r);
  int64_t running = sections_get_i64(r);
  all.best_at = sections_get_i64(r);
  all.best_episodes = sections_get_i64(r);
  all.last = sections_get_f64(r);
  bool finite = isfinite(all.last);
  for (int k = 0; k < SIXER_LIMITS_MAX; k++) {
    all.best[k] = sections_get_f64(r);
    finite = finite && isfinite(all.best[k]);
  }
  *size = sections_get_u64(r);
  *crc = (uint32_t)sections_get_u64(r);
  all.running = running == 1;
  if (sections_left(r) || all.count < 0 || all.count > many || all.next < 1 || all.next > many ||
      running < 0 || running > 1 || all.best_at < 0 || all.best_at > many ||
      all.best_episodes < 0 || all.best_episodes > many || !finite)
    sections_fail(r, "the counters of its evaluations are out of range");
  uint64_t bytes = all.count && sections_find(r, "best") ? sections_left(r) : 0;
  if ((all.count && !bytes) || bytes > BEST_MAX) sections_fail(r, "it has no best agent");
  if (sections_failed(r)) return train_damaged(r, path, error);
  t->tests = all;
  free(t->best);
  t->best = NULL;
  t->best_size = 0;
  if (!bytes) return SIXER_OK;
  t->best = malloc((size_t)bytes);
  if (!t->best) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a checkpoint");
  t->best_size = (size_t)bytes;
  sections_get(r, t->best, t->best_size);
  return sections_failed(r) ? train_damaged(r, path, error) : SIXER_OK;
}
