/* Checkpoints of training runs, and models: the same files.
 *
 * Sections: "train" (layout, settings as text), "protocol" (its canonical text), "counters", "rows" (how far the row
 * files were), "env" (its state with generators and pictures), those of the agent, and "vector" if it learns from many
 * environments. PATH.checkpoint is the training,
 * PATH.evaluation the episodes without learning that follow it, so that training can be extended later from where it
 * ended. Once everything is done, PATH.evaluation has neither env nor agent. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agents/agent.h"
#include "agents/train_parts.h"
#include "util/error.h"
#include "util/number.h"
#include "util/replace.h"
#include "util/os.h"

enum { STATE_FLAGS = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE, STATE_MAX = 1 << 22 };

/* ---- Counters -------------------------------------------------------------------------------------------------- */

static void put_score(sections_writer *w, const sixer_train_score *s) {
  sections_put_i64(w, s->at);
  sections_put_i64(w, s->episodes);
  for (int k = 0; k < SIXER_LIMITS_MAX; k++) sections_put_f64(w, s->score[k]);
}

static void put_counters(sections_writer *w, const sixer_train *t) {
  const train_counters *c = &t->c;
  const int64_t numbers[] = {
      c->phase,
      c->frames,
      c->steps,
      c->episodes,
      c->evaluated,
      c->curve_next,
      c->episode_steps,
      c->lives,
      c->tally.frames,
      c->evaluation_frames,
      c->tally.last_reward_frame,
      c->checkpoints,
      c->score_count,
      t->ring_size,
      c->ring_count,
  };
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) sections_put_i64(w, numbers[i]);
  sections_put_f64(w, c->best);
  sections_put_f64(w, c->last);
  for (int k = 0; k < SIXER_LIMITS_MAX; k++) {
    sections_put_f64(w, c->tally.score[k]);
    sections_put_f64(w, c->evaluation_sum[k]);
  }
  for (int i = 0; i < c->score_count; i++) put_score(w, &c->scores[i]);
  for (int i = 0; i < c->ring_count; i++) { /* oldest first, independent of its place in memory */
    int at = (c->ring_first + i) % t->ring_size;
    sections_put_i64(w, t->ring_frames[at]);
    for (int k = 0; k < SIXER_LIMITS_MAX; k++) sections_put_f64(w, t->ring_scores[at][k]);
  }
}

/* Read a number and check its range. */
static int64_t get_within(sections_reader *r, int64_t low, int64_t high) {
  int64_t value = sections_get_i64(r);
  if (value >= low && value <= high) return value;
  sections_fail(r, "a counter is out of range");
  return low;
}

static double get_finite(sections_reader *r, bool or_nan) {
  double value = sections_get_f64(r);
  if (isfinite(value) || (or_nan && isnan(value))) return value;
  sections_fail(r, "a score is not a number");
  return 0;
}

/* Read the section "counters". If `t` is NULL, the ring is not stored, only averaged. */
void train_get_counters(sections_reader *r, train_counters *c, sixer_train *t, int limits,
                        double *mean, int *averaged) {
  const int64_t many = INT64_C(1) << 60;
  *c = (train_counters){.phase = (train_phase)get_within(r, 0, TRAIN_FINISHED)};
  c->frames = get_within(r, 0, many);
  c->steps = get_within(r, 0, many);
  c->episodes = get_within(r, 0, many);
  c->evaluated = get_within(r, 0, INT32_MAX);
  c->curve_next = get_within(r, 0, many);
  c->episode_steps = get_within(r, 0, many);
  c->lives = (int)get_within(r, INT32_MIN, INT32_MAX);
  c->tally.frames = get_within(r, 0, many);
  c->evaluation_frames = get_within(r, 0, many);
  c->tally.last_reward_frame = get_within(r, 0, many);
  c->checkpoints = (int)get_within(r, 0, SIXER_CHECKPOINTS_MAX);
  c->score_count = (int)get_within(r, 0, SIXER_CHECKPOINTS_MAX);
  int ring_size = (int)get_within(r, TRAIN_MEAN + 1, TRAIN_RING_MAX + 1);
  c->ring_count = (int)get_within(r, 0, ring_size);
  if (t && ring_size != t->ring_size) {
    sections_fail(r, "its protocol averages another number of episodes");
    c->ring_count = 0;
  }
  c->best = get_finite(r, true);
  c->last = get_finite(r, true);
  for (int k = 0; k < SIXER_LIMITS_MAX; k++) {
    c->tally.score[k] = get_finite(r, false);
    c->evaluation_sum[k] = get_finite(r, false);
  }
  for (int i = 0; i < c->score_count; i++) {
    c->scores[i].at = get_within(r, 1, many);
    c->scores[i].episodes = (int)get_within(r, 1, INT32_MAX);
    for (int k = 0; k < SIXER_LIMITS_MAX; k++) c->scores[i].score[k] = get_finite(r, false);
  }
  double sum = 0;
  *averaged = 0;
  for (int i = 0; i < c->ring_count; i++) {
    double scores[SIXER_LIMITS_MAX];
    int64_t frames = get_within(r, 0, many);
    for (int k = 0; k < SIXER_LIMITS_MAX; k++) scores[k] = get_finite(r, false);
    if (i >= c->ring_count - TRAIN_MEAN) {
      sum += scores[limits - 1];
      ++*averaged;
    }
    if (t) {
      t->ring_frames[i] = frames;
      memcpy(t->ring_scores[i], scores, sizeof scores);
    }
  }
  *mean = *averaged ? sum / *averaged : NAN;
  if (sections_left(r)) sections_fail(r, "a section is too long");
}

/* ---- Saving ---------------------------------------------------------------------------------------------------- */

static sixer_err put_env(sections_writer *w, const sixer_env *env, sixer_error *error) {
  size_t size = sixer_env_state_size(env, STATE_FLAGS);
  void *state = malloc(size);
  if (!state) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a checkpoint");
  sixer_env_save(env, STATE_FLAGS, state);
  sections_begin(w, "env");
  sections_put(w, state, size);
  free(state);
  return SIXER_OK;
}

static sixer_err put_all(sections_writer *w, const sixer_train *t, sixer_error *error) {
  sections_begin(w, "train");
  sections_put_u64(w, TRAIN_LAYOUT);
  sections_put_text(w, t->text);
  sections_put_u64(w, t->info.limit_count);
  sections_begin(w, "protocol");
  sections_put_text(w, sixer_protocol_text(t->protocol));
  sections_begin(w, "counters");
  put_counters(w, t);
  sections_begin(w, "rows");
  for (int i = 0; i < ROWS_TESTS; i++) {
    bool of_phase = i != ROWS_EVALUATION || t->c.phase != TRAIN_LEARNING;
    sections_put_u64(w, of_phase ? t->rows[i].size : 0);
    sections_put_u64(w, of_phase ? t->rows[i].crc : 0);
  }
  train_test_save(t, w);
  if (t->c.phase == TRAIN_FINISHED) return SIXER_OK;
  sixer_err err = put_env(w, t->env, error);
  if (!err) err = agent_write(t->agent, w, error);
  if (!err && t->vector && t->c.phase == TRAIN_LEARNING) err = train_vector_save(t, w, error);
  return err;
}

sixer_err sixer_train_save(sixer_train *t, sixer_error *error) {
  if (!t->path[0]) return SIXER_OK;
  if (t->c.phase == TRAIN_FINISHED && !t->evaluation) return SIXER_OK; /* the end is saved */
  /* an evaluation that is interrupted is repeated from its begin, which was saved; so are tapes */
  if (t->test || t->recorder) return SIXER_OK;
  char path[TRAIN_PATH + 20];
  train_path(t->path, t->c.phase == TRAIN_LEARNING ? "checkpoint" : "evaluation", path,
             sizeof path);
  sixer_err err = SIXER_OK;
  while (t->vector && t->c.phase == TRAIN_LEARNING && !train_vector_resting(t) && !err)
    err = train_vector_step(t, error);
  if (!err) err = rows_sync(t, error);
  if (err) return err;
  sections_writer *w = sections_create(path);
  if (!w) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a checkpoint");
  err = put_all(w, t, error);
  if (err) {
    sections_abandon(w);
    return err;
  }
  sections_message message;
  return sections_close(w, message) ? SIXER_OK : sixer_fail(error, SIXER_ERR_FILE, "%s", message);
}

/* ---- Resuming -------------------------------------------------------------------------------------------------- */

/* The first setting in which two texts differ. Each line is one, "key=value"; the options of the agent are a line
 * "options=key=value,...", of which only the option that differs is told. */
static void first_difference(const char *a, const char *b, char *from_a, char *from_b,
                             size_t size) {
  const char *end = "\n";
  size_t same = 0, begin = 0;
  for (; a[same] && a[same] == b[same]; same++) {
    if (a[same] == '\n') {
      begin = same + 1;
      const bool options = !strncmp(a + begin, "options=", 8) && !strncmp(b + begin, "options=", 8);
      end = options ? ",\n" : "\n";
      if (options) begin += 8, same += 8;
    } else if (a[same] == end[0]) {
      begin = same + 1;
    }
  }
  snprintf(from_a, size, "%.*s", (int)strcspn(a + begin, end), a + begin);
  snprintf(from_b, size, "%.*s", (int)strcspn(b + begin, end), b + begin);
}

sixer_err train_damaged(const sections_reader *r, const char *path, sixer_error *error) {
  const char *reason = sections_reason(r);
  return sixer_fail(error, SIXER_ERR_STATE, "%.200s is damaged: %s", path,
                    reason ? reason : "a section is missing");
}

/* Open a checkpoint and read its settings into `text`. */
sixer_err train_open(const char *path, sections_reader **out, char *text, size_t size, int *limits,
                     sixer_error *error) {
  sections_message message;
  sections_reader *r = sections_open(path, message);
  if (!r) return sixer_fail(error, SIXER_ERR_STATE, "%s", message);
  uint64_t layout = sections_find(r, "train") ? sections_get_u64(r) : 0;
  sixer_err err = SIXER_OK;
  if (!sections_find(r, "train")) {
    err = sixer_fail(error, SIXER_ERR_STATE, "%.200s is no checkpoint of a training run", path);
  } else if (layout != TRAIN_LAYOUT) {
    err = sixer_fail(error, SIXER_ERR_STATE,
                     "%.200s is a checkpoint of another version: its layout is %llu, this is %d",
                     path, (unsigned long long)layout, TRAIN_LAYOUT);
  } else {
    sections_get_u64(r);
    sections_get_text(r, text, size);
    *limits = (int)get_within(r, 1, SIXER_LIMITS_MAX);
    if (sections_left(r)) sections_fail(r, "a section is too long");
    if (sections_failed(r)) err = train_damaged(r, path, error);
  }
  if (err)
    sections_free(r);
  else
    *out = r;
  return err;
}

sixer_err train_get_env(sections_reader *r, sixer_env *env, const char *path, sixer_error *error) {
  uint64_t size = sections_find(r, "env") ? sections_left(r) : 0;
  if (size == 0 || size > STATE_MAX) {
    sections_fail(r, "it has no state of the env");
    return train_damaged(r, path, error);
  }
  void *state = malloc((size_t)size);
  if (!state) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a checkpoint");
  sections_get(r, state, (size_t)size);
  sixer_err err = sections_failed(r) ? train_damaged(r, path, error)
                                     : sixer_env_load(env, state, (size_t)size, error);
  free(state);
  return err;
}

static sixer_err compare_settings(const sixer_train *t, const char *path, const char *text,
                                  sixer_error *error) {
  if (number_same_settings(t->text, text)) return SIXER_OK;
  char theirs[150], ours[150];
  first_difference(text, t->text, theirs, ours, sizeof theirs);
  return sixer_fail(error, SIXER_ERR_STATE,
                    "%.150s was made with other settings: it has %s, now it is %s", path,
                    *theirs ? theirs : "nothing", *ours ? ours : "nothing");
}

/* Load a checkpoint into a run that was just prepared. No file is changed, except that the row files are cut back, as
 * the last thing that is done. */
static sixer_err load(sixer_train *t, const char *path, sixer_error *error) {
  char *text = malloc(TRAIN_TEXT);
  if (!text) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a checkpoint");
  sections_reader *r = NULL;
  int limits, averaged;
  double mean;
  sixer_err err = train_open(path, &r, text, TRAIN_TEXT, &limits, error);
  if (!err) err = compare_settings(t, path, text, error);
  free(text);
  if (!err && limits != (int)t->info.limit_count) {
    sections_fail(r, "its protocol has other play times");
    err = train_damaged(r, path, error);
  }
  uint64_t sizes[ROWS_COUNT] = {0}, sums[ROWS_COUNT] = {0};
  uint32_t tests_sum = 0;
  if (!err) {
    train_counters c;
    if (!sections_find(r, "counters")) sections_fail(r, "it has no counters");
    train_get_counters(r, &c, t, limits, &mean, &averaged);
    /* the play times are the protocol's */
    memcpy(c.tally.limits, t->c.tally.limits, sizeof c.tally.limits);
    c.tally.limit_count = t->c.tally.limit_count;
    t->c = c;
    if (!sections_find(r, "rows")) sections_fail(r, "it has no row files");
    for (int i = 0; i < ROWS_TESTS; i++) {
      sizes[i] = sections_get_u64(r);
      sums[i] = sections_get_u64(r);
    }
    if (sections_failed(r)) err = train_damaged(r, path, error);
    if (!err) err = train_test_load(t, r, path, &sizes[ROWS_TESTS], &tests_sum, error);
    sums[ROWS_TESTS] = tests_sum;
  }
  if (!err && t->c.phase != TRAIN_FINISHED) {
    sixer_agent_evaluate(t->agent, t->c.phase == TRAIN_EVALUATING);
    err = train_get_env(r, t->env, path, error);
    if (!err) err = agent_read(t->agent, t->env, r, error);
    if (!err && t->vector && t->c.phase == TRAIN_LEARNING)
      err = train_vector_load(t, r, path, error);
  }
  for (int i = 0; i < ROWS_COUNT && !err; i++) {
    bool wanted = i == ROWS_EVALUATION ? t->c.phase != TRAIN_LEARNING
                  : i == ROWS_TESTS    ? t->info.evaluation_interval > 0
                                       : true;
    if (wanted) err = rows_reopen(t, i, sizes[i], (uint32_t)sums[i], error);
  }
  sections_free(r);
  return err;
}

static bool exists(const char *path) { return os_access(path, OS_EXISTS) == 0; }

/* Files that were being written when a process was killed. The lock of the rows is held: nobody else is writing. */
static void remove_drafts(const char *run) {
  static const char *const endings[] = {"checkpoint", "evaluation", "scores.tsv"};
  char path[TRAIN_PATH + 20];
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    train_path(run, endings[i], path, sizeof path);
    replace_clean(path, true);
  }
}

static sixer_err resume(sixer_train *t, sixer_error *error);

/* Create the row files and remove the files of an earlier run. The lock of the rows is taken first. */
static sixer_err create_rows(sixer_train *t, sixer_error *error) {
  char path[TRAIN_PATH + 20];
  static const char *const old[] = {"checkpoint", "evaluation", "evaluation.tsv", "scores.tsv",
                                    "tests.tsv"};
  sixer_err err = rows_create(t, ROWS_EPISODES, error);
  if (!err) err = rows_create(t, ROWS_CURVE, error);
  if (!err && t->path[0]) remove_drafts(t->path);
  for (size_t i = 0; i < sizeof old / sizeof old[0] && t->path[0] && !err; i++) {
    train_path(t->path, old[i], path, sizeof path);
    if (os_unlink(path) && errno != ENOENT)
      err =
          sixer_fail(error, SIXER_ERR_FILE, "%.300s: cannot be removed: %s", path, strerror(errno));
  }
  if (!err && t->info.evaluation_interval) err = rows_create(t, ROWS_TESTS, error);
  return err;
}

sixer_err train_begin(sixer_train *t, bool resumed, sixer_error *error) {
  return resumed ? resume(t, error) : create_rows(t, error);
}

sixer_err sixer_train_create(const sixer_train_settings *settings, sixer_train **train,
                             sixer_error *error) {
  sixer_train *t;
  sixer_err err = train_prepare(settings, &t, error);
  if (err) return err;
  err = create_rows(t, error);
  if (err)
    sixer_train_destroy(t);
  else
    *train = t;
  return err;
}

/* Was the run within its budget before its last episode, or its last update? */
static bool was_within(const sixer_train *t) {
  if (t->vector) return train_vector_within(t);
  if (!t->c.ring_count) return true;
  int last = (t->c.ring_first + t->c.ring_count - 1) % t->ring_size;
  int64_t frames = t->c.frames - t->c.tally.frames - t->ring_frames[last];
  return (!t->frames_budget || frames < t->frames_budget) &&
         (!t->episodes_budget || t->c.episodes <= t->episodes_budget);
}

/* A run cannot be resumed with a smaller budget than it has used: it would have ended earlier. */
static sixer_err check_budget(const sixer_train *t, sixer_error *error) {
  if (!train_budget_reached(t) || was_within(t)) return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_ARGUMENT,
                    "the run has already trained for %lld frames in %lld episodes, more than the "
                    "budget; give a larger one to go on",
                    (long long)t->c.frames, (long long)t->c.episodes);
}

static sixer_err resume(sixer_train *t, sixer_error *error) {
  char path[TRAIN_PATH + 20], test[TRAIN_PATH + 20];
  train_path(t->path, "checkpoint", path, sizeof path);
  train_path(t->path, "evaluation", test, sizeof test);
  if (!exists(path)) return create_rows(t, error);
  sixer_err err = load(t, path, error);
  if (!err) remove_drafts(t->path);
  if (!err) err = check_budget(t, error);
  if (err) return err;
  if (!train_budget_reached(t) ||
      t->tests.running) { /* training goes on: drop the evaluation of its earlier end */
    os_unlink(test);
    train_path(t->path, "evaluation.tsv", test, sizeof test);
    os_unlink(test);
    return rows_write_scores(t, error);
  }
  if (!t->evaluation) {
    t->c.phase = TRAIN_FINISHED;
    return rows_write_scores(t, error);
  }
  if (!exists(test)) return SIXER_OK;
  err = load(t, test, error);
  if (!err && t->c.evaluated > t->evaluation)
    err = sixer_fail(error, SIXER_ERR_ARGUMENT,
                     "%lld episodes without learning were already played, more than %d",
                     (long long)t->c.evaluated, t->evaluation);
  if (!err && t->c.phase == TRAIN_FINISHED && t->c.evaluated < t->evaluation)
    err = sixer_fail(error, SIXER_ERR_ARGUMENT,
                     "the evaluation has ended after %lld episodes; remove %.200s to play %d",
                     (long long)t->c.evaluated, test, t->evaluation);
  return err;
}

sixer_err sixer_train_resume(const sixer_train_settings *settings, sixer_train **train,
                             sixer_error *error) {
  if (!settings->path)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "a run without files cannot be resumed");
  sixer_train *t;
  sixer_err err = train_prepare(settings, &t, error);
  if (err) return err;
  err = resume(t, error);
  if (err)
    sixer_train_destroy(t);
  else
    *train = t;
  return err;
}
