/* Statistics for Python: normalization, aggregates, bootstrap, tests, and the scores of episodes. The functions of
 * sixer/eval.h on arrays, as sixer.eval wraps them. */
#include "eval_args.h"

/* ---- Normalization --------------------------------------------------------------------------------------------- */

static PyObject *eval_normalize(PyObject *module, PyObject *args) {
  (void)module;
  int scale;
  ARRAY scores = {0}, low = {0}, high = {0}, out = {0};
  sixer_error error;
  if (!PyArg_ParseTuple(args, "iO&O&O&O&:normalize", &scale, eval_reals, &scores, eval_reals, &low,
                        eval_reals, &high, eval_real_results, &out))
    return NULL;
  size_t n = scores.count;
  if (scale < SIXER_SCALE_RANGE || scale > SIXER_SCALE_INTER || low.count != n || high.count != n ||
      out.count != n)
    return eval_mismatch();
  return eval_done(sixer_scores_normalize((sixer_scale)scale, scores.data, low.data, high.data, n,
                                          out.data, &error),
                   &error);
}

static PyObject *eval_range(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY scores = {0}, low = {0}, high = {0};
  sixer_error error;
  if (!PyArg_ParseTuple(args, "O&O&O&:range", eval_reals, &scores, eval_real_results, &low,
                        eval_real_results, &high))
    return NULL;
  size_t games = low.count;
  if (!games || high.count != games || scores.count % games) return eval_mismatch();
  return eval_done(
      sixer_scores_range(scores.data, scores.count / games, games, low.data, high.data, &error),
      &error);
}

/* ---- Aggregates ------------------------------------------------------------------------------------------------ */

static PyObject *eval_aggregates(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY scores = {0}, runs = {0};
  double cap, v[SIXER_AGGREGATE_COUNT];
  sixer_sample sample;
  sixer_error error;
  sixer_err err;
  if (!PyArg_ParseTuple(args, "O&O&d:aggregates", eval_reals, &scores, eval_integers, &runs, &cap))
    return NULL;
  if (!eval_sample(&scores, &runs, &sample)) return NULL;
  UNLOCKED(err = sixer_aggregates_compute(&sample, cap, v, &error));
  return err ? eval_failed(&error) : Py_BuildValue("(ddddd)", v[0], v[1], v[2], v[3], v[4]);
}

static PyObject *eval_classes(PyObject *module, PyObject *object) {
  (void)module;
  ARRAY scores = {0};
  size_t n[SIXER_CLASS_COUNT];
  sixer_error error;
  if (!eval_reals(object, &scores)) return NULL;
  if (sixer_classes_count(scores.data, scores.count, n, &error)) return eval_failed(&error);
  return Py_BuildValue("(nnnnn)", n[0], n[1], n[2], n[3], n[4]);
}

static PyObject *eval_histogram(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY scores = {0}, edges = {0}, out = {0};
  sixer_error error;
  if (!PyArg_ParseTuple(args, "O&O&O&:histogram", eval_reals, &scores, eval_reals, &edges,
                        eval_integer_results, &out))
    return NULL;
  if (out.count != edges.count + 1) return eval_mismatch();
  return eval_done(
      sixer_histogram_count(scores.data, scores.count, edges.data, edges.count, out.data, &error),
      &error);
}

static bool is_profile(int kind) { return kind >= 0 && kind <= SIXER_PROFILE_AT_LEAST; }

static PyObject *eval_profile(PyObject *module, PyObject *args) {
  (void)module;
  int kind;
  ARRAY scores = {0}, runs = {0}, points = {0}, out = {0};
  sixer_sample sample;
  sixer_error error;
  sixer_err err;
  if (!PyArg_ParseTuple(args, "O&O&iO&O&:profile", eval_reals, &scores, eval_integers, &runs, &kind,
                        eval_reals, &points, eval_real_results, &out))
    return NULL;
  if (!eval_sample(&scores, &runs, &sample)) return NULL;
  if (out.count != points.count || !is_profile(kind)) return eval_mismatch();
  UNLOCKED(err = sixer_profile_compute(&sample, (sixer_profile)kind, points.data, points.count,
                                       out.data, &error));
  return eval_done(err, &error);
}

static PyObject *eval_improvement(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY xs = {0}, x_runs = {0}, ys = {0}, y_runs = {0};
  sixer_sample x, y;
  double value;
  sixer_error error;
  sixer_err err;
  if (!PyArg_ParseTuple(args, "O&O&O&O&:improvement", eval_reals, &xs, eval_integers, &x_runs,
                        eval_reals, &ys, eval_integers, &y_runs))
    return NULL;
  if (!eval_sample(&xs, &x_runs, &x) || !eval_sample(&ys, &y_runs, &y)) return NULL;
  if (x.games != y.games) return eval_mismatch();
  UNLOCKED(err = sixer_improvement_compute(&x, &y, &value, &error));
  return err ? eval_failed(&error) : PyFloat_FromDouble(value);
}

static PyObject *eval_compare(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY x = {0}, y = {0};
  size_t better, worse, equal;
  sixer_error error;
  if (!PyArg_ParseTuple(args, "O&O&:compare", eval_reals, &x, eval_reals, &y)) return NULL;
  if (x.count != y.count) return eval_mismatch();
  if (sixer_games_compare(x.data, y.data, x.count, &better, &worse, &equal, &error))
    return eval_failed(&error);
  return Py_BuildValue("(nnn)", better, worse, equal);
}

/* ---- Bootstrap ------------------------------------------------------------------------------------------------- */

/* Settings from a tuple: replicates, confidence, seed, threads, resample_games, cap, aggregates, values. The last is an
 * array for the result of every replicate, which `values` borrows, or None. */
static bool settings_of(PyObject *tuple, sixer_bootstrap *s, eval_array *values) {
  Py_ssize_t replicates;
  unsigned long long seed;
  int resample;
  PyObject *every;
  *s = sixer_bootstrap_default();
  if (!PyArg_ParseTuple(tuple, "ndKipdIO:settings", &replicates, &s->confidence, &seed, &s->threads,
                        &resample, &s->cap, &s->aggregates, &every))
    return false;
  if (replicates < 1 || s->threads < 0) {
    PyErr_SetString(PyExc_ValueError,
                    "replicates must be at least 1, and threads 0 (all processors) or more");
    return false;
  }
  s->replicates = (size_t)replicates;
  s->seed = seed;
  s->resample_games = resample;
  if (every == Py_None) return true;
  size_t chosen = 0;
  for (int i = 0; i < SIXER_AGGREGATE_COUNT; i++) chosen += s->aggregates >> i & 1;
  if (!eval_real_results(every, values)) return false;
  if (values->count != s->replicates * chosen) return eval_mismatch() != NULL;
  s->values = values->data;
  return true;
}

static PyObject *interval(sixer_err err, const sixer_interval *i, const sixer_error *error) {
  return err ? eval_failed(error) : Py_BuildValue("(ddd)", i->value, i->low, i->high);
}

static PyObject *eval_bootstrap_aggregates(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *settings;
  ARRAY scores = {0}, runs = {0}, values = {0};
  sixer_sample sample;
  sixer_bootstrap s;
  sixer_interval out[SIXER_AGGREGATE_COUNT];
  sixer_error error;
  sixer_err err;
  if (!PyArg_ParseTuple(args, "O&O&O!:bootstrap_aggregates", eval_reals, &scores, eval_integers,
                        &runs, &PyTuple_Type, &settings) ||
      !eval_sample(&scores, &runs, &sample) || !settings_of(settings, &s, &values))
    return NULL;
  UNLOCKED(err = sixer_bootstrap_aggregates(&sample, &s, out, &error));
  PyObject *result = err ? eval_failed(&error) : PyTuple_New(SIXER_AGGREGATE_COUNT);
  for (int i = 0; result && i < SIXER_AGGREGATE_COUNT; i++) {
    PyObject *item = interval(SIXER_OK, &out[i], &error);
    if (!item || PyTuple_SetItem(result, i, item) < 0) Py_CLEAR(result);
  }
  return result;
}

static PyObject *eval_bootstrap_profile(PyObject *module, PyObject *args) {
  (void)module;
  _Static_assert(sizeof(sixer_interval) == 3 * sizeof(double), "written in place");
  int kind;
  PyObject *settings;
  ARRAY scores = {0}, runs = {0}, points = {0}, out = {0}, values = {0};
  sixer_sample sample;
  sixer_bootstrap s;
  sixer_error error;
  sixer_err err;
  if (!PyArg_ParseTuple(args, "O&O&iO&O!O&:bootstrap_profile", eval_reals, &scores, eval_integers,
                        &runs, &kind, eval_reals, &points, &PyTuple_Type, &settings,
                        eval_real_results, &out) ||
      !eval_sample(&scores, &runs, &sample) || !settings_of(settings, &s, &values))
    return NULL;
  if (out.count != 3 * points.count || !is_profile(kind)) return eval_mismatch();
  UNLOCKED(err = sixer_bootstrap_profile(&sample, (sixer_profile)kind, points.data, points.count,
                                         &s, out.data, &error));
  return eval_done(err, &error);
}

static PyObject *eval_bootstrap_improvement(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *settings;
  ARRAY xs = {0}, x_runs = {0}, ys = {0}, y_runs = {0}, values = {0};
  sixer_sample x, y;
  sixer_bootstrap s;
  sixer_interval i = {0, 0, 0};
  sixer_error error;
  sixer_err err;
  if (!PyArg_ParseTuple(args, "O&O&O&O&O!:bootstrap_improvement", eval_reals, &xs, eval_integers,
                        &x_runs, eval_reals, &ys, eval_integers, &y_runs, &PyTuple_Type,
                        &settings) ||
      !eval_sample(&xs, &x_runs, &x) || !eval_sample(&ys, &y_runs, &y) ||
      !settings_of(settings, &s, &values))
    return NULL;
  if (x.games != y.games) return eval_mismatch();
  UNLOCKED(err = sixer_bootstrap_improvement(&x, &y, &s, &i, &error));
  return interval(err, &i, &error);
}

static PyObject *eval_bootstrap_model(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *settings;
  ARRAY scores = {0}, runs = {0}, coefficients = {0}, values = {0};
  sixer_sample sample;
  sixer_bootstrap s;
  sixer_interval i = {0, 0, 0};
  sixer_error error;
  sixer_err err;
  if (!PyArg_ParseTuple(args, "O&O&O&O!:bootstrap_model", eval_reals, &scores, eval_integers, &runs,
                        eval_reals, &coefficients, &PyTuple_Type, &settings) ||
      !eval_sample(&scores, &runs, &sample) || !settings_of(settings, &s, &values))
    return NULL;
  if (coefficients.count != sample.games) return eval_mismatch();
  UNLOCKED(err = sixer_bootstrap_model(&sample, coefficients.data, &s, &i, &error));
  return interval(err, &i, &error);
}

/* ---- Tests ----------------------------------------------------------------------------------------------------- */

static PyObject *welch_result(sixer_err err, const sixer_welch *w, const sixer_error *error) {
  return err ? eval_failed(error) : Py_BuildValue("(ddd)", w->t, w->df, w->p);
}

static PyObject *eval_welch(PyObject *module, PyObject *args) {
  (void)module;
  double v[6];
  sixer_welch w = {0, 0, 0};
  sixer_error error;
  if (!PyArg_ParseTuple(args, "dddddd:welch", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]))
    return NULL;
  return welch_result(sixer_welch_test(v[0], v[1], v[2], v[3], v[4], v[5], &w, &error), &w, &error);
}

static PyObject *eval_welch_samples(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY x = {0}, y = {0};
  sixer_welch w = {0, 0, 0};
  sixer_error error;
  if (!PyArg_ParseTuple(args, "O&O&:welch_samples", eval_reals, &x, eval_reals, &y)) return NULL;
  return welch_result(sixer_welch_samples(x.data, x.count, y.data, y.count, &w, &error), &w,
                      &error);
}

static PyObject *eval_welch_table(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY means = {0}, sds = {0}, sizes = {0}, better = {0}, untested = {0};
  Py_ssize_t agents;
  double significance;
  sixer_error error;
  if (!PyArg_ParseTuple(args, "O&O&O&ndO&O&:welch_table", eval_reals, &means, eval_reals, &sds,
                        eval_reals, &sizes, &agents, &significance, eval_integer_results, &better,
                        eval_integer_results, &untested))
    return NULL;
  size_t n = (size_t)agents, count = means.count;
  if (agents < 1 || count % n || sds.count != count || sizes.count != count ||
      better.count != n * n || untested.count != n * n)
    return eval_mismatch();
  return eval_done(sixer_welch_table(means.data, sds.data, sizes.data, n, count / n, significance,
                                     better.data, untested.data, &error),
                   &error);
}

static PyObject *eval_student_p(PyObject *module, PyObject *args) {
  (void)module;
  double t, df;
  if (!PyArg_ParseTuple(args, "dd:student_p", &t, &df)) return NULL;
  return PyFloat_FromDouble(sixer_student_p(t, df));
}

/* ---- Scores while playing -------------------------------------------------------------------------------------- */

/* The frames of steps fit an int, and no reward is NaN. */
static bool steps_fit(const eval_array *frames, const eval_array *rewards) {
  const int64_t *played = frames->data;
  const double *reward = rewards->data;
  bool fit = frames->count == rewards->count;
  for (size_t i = 0; fit && i < frames->count; i++)
    fit = played[i] >= 0 && played[i] <= INT32_MAX && reward[i] == reward[i];
  return fit;
}

/* Limits as int; false if there are too many or one is out of range. */
static bool limits_of(const eval_array *limits, int out[SIXER_LIMITS_MAX]) {
  const int64_t *after = limits->data;
  if (limits->count > SIXER_LIMITS_MAX) return false;
  for (size_t i = 0; i < limits->count; i++) {
    if (after[i] < 0 || after[i] > INT32_MAX) return false;
    out[i] = (int)after[i];
  }
  return true;
}

/* tally(frames, rewards, limits, scores): the score of one episode after every limit. Returns the number of frames
 * since the last reward. */
static PyObject *eval_tally(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY frames = {0}, rewards = {0}, limits = {0}, scores = {0};
  int ends[SIXER_LIMITS_MAX];
  if (!PyArg_ParseTuple(args, "O&O&O&O&:tally", eval_integers, &frames, eval_reals, &rewards,
                        eval_integers, &limits, eval_real_results, &scores))
    return NULL;
  if (limits.count != scores.count || !limits_of(&limits, ends) || !steps_fit(&frames, &rewards))
    return PyErr_Format(PyExc_ValueError,
                        "an episode is as many numbers of frames (0 or more) as rewards (not NaN), "
                        "with up to 8 limits of 0 or more frames");
  const int64_t *played = frames.data;
  const double *reward = rewards.data;
  sixer_tally tally;
  sixer_tally_begin(&tally, ends, limits.count);
  for (size_t i = 0; i < frames.count; i++) sixer_tally_step(&tally, (int)played[i], reward[i]);
  memcpy(scores.data, tally.score, scores.count * sizeof(double));
  return PyLong_FromLongLong(tally.frames - tally.last_reward_frame);
}

static PyObject *eval_checkpoint_mean(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY frames = {0}, scores = {0};
  long long checkpoint;
  int in_episodes, include;
  Py_ssize_t episodes;
  double mean = 0;
  size_t averaged = 0;
  sixer_error error;
  if (!PyArg_ParseTuple(args, "O&O&Lppn:checkpoint_mean", eval_integers, &frames, eval_reals,
                        &scores, &checkpoint, &in_episodes, &include, &episodes))
    return NULL;
  if (frames.count != scores.count || episodes < 1) return eval_mismatch();
  if (sixer_checkpoint_mean(frames.data, scores.data, frames.count, checkpoint, in_episodes,
                            include, (size_t)episodes, &mean, &averaged, &error))
    return eval_failed(&error);
  return Py_BuildValue("(dn)", mean, averaged);
}

/* map(which, array): in place; 0 the log score, 1 its inverse, 2 rewards of a counter that rolled over. */
static PyObject *eval_map(PyObject *module, PyObject *args) {
  (void)module;
  static double (*const functions[])(double) = {sixer_log_score, sixer_log_score_inverse,
                                                sixer_reward_unroll};
  unsigned which;
  ARRAY values = {0};
  if (!PyArg_ParseTuple(args, "IO&:map", &which, eval_real_results, &values)) return NULL;
  if (which >= sizeof functions / sizeof *functions) return eval_mismatch();
  double *v = values.data;
  for (size_t i = 0; i < values.count; i++) v[i] = functions[which](v[i]);
  Py_RETURN_NONE;
}

/* ---- The functions --------------------------------------------------------------------------------------------- */

PyMethodDef eval_statistics_functions[] = {
    {"normalize", eval_normalize, METH_VARARGS, "normalize(scale, scores, low, high, out)"},
    {"range", eval_range, METH_VARARGS, "range(scores of agents x games, low, high)"},
    {"aggregates", eval_aggregates, METH_VARARGS, "aggregates(scores, runs, cap) -> five numbers"},
    {"classes", eval_classes, METH_O, "classes(scores) -> five counts"},
    {"histogram", eval_histogram, METH_VARARGS, "histogram(scores, edges, out)"},
    {"profile", eval_profile, METH_VARARGS, "profile(scores, runs, kind, points, out)"},
    {"improvement", eval_improvement, METH_VARARGS, "improvement(x, runs, y, runs) -> probability"},
    {"compare", eval_compare, METH_VARARGS, "compare(a, b) -> better, worse, equal"},
    {"bootstrap_aggregates", eval_bootstrap_aggregates, METH_VARARGS,
     "bootstrap_aggregates(scores, runs, settings) -> five intervals"},
    {"bootstrap_profile", eval_bootstrap_profile, METH_VARARGS,
     "bootstrap_profile(scores, runs, kind, points, settings, out)"},
    {"bootstrap_improvement", eval_bootstrap_improvement, METH_VARARGS,
     "bootstrap_improvement(x, runs, y, runs, settings) -> interval"},
    {"bootstrap_model", eval_bootstrap_model, METH_VARARGS,
     "bootstrap_model(scores, runs, coefficients, settings) -> interval"},
    {"welch", eval_welch, METH_VARARGS, "welch(mean, sd, n, mean, sd, n) -> t, df, p"},
    {"welch_samples", eval_welch_samples, METH_VARARGS, "welch_samples(a, b) -> t, df, p"},
    {"welch_table", eval_welch_table, METH_VARARGS,
     "welch_table(means, sds, sizes, agents, significance, better, untested)"},
    {"student_p", eval_student_p, METH_VARARGS, "student_p(t, df) -> two-tailed p"},
    {"tally", eval_tally, METH_VARARGS,
     "tally(frames, rewards, limits, scores) -> frames without reward"},
    {"checkpoint_mean", eval_checkpoint_mean, METH_VARARGS,
     "checkpoint_mean(frames, scores, checkpoint, in_episodes, include_crossing, episodes) -> "
     "mean, episodes averaged"},
    {"map", eval_map, METH_VARARGS, "map(which, array), in place"},
    {NULL, NULL, 0, NULL},
};
