/* Evaluation for Python: the functions of sixer/eval.h on arrays, as sixer.eval wraps them.
 *
 * Arrays come in as C-contiguous float64 or int64, which the Python side makes sure of; results go to arrays that it
 * has allocated, or come back as tuples. A sample is two arguments: the scores game after game, and how many belong to
 * each game. The interpreter's lock is released around everything that can take long. */
#include "sixer/eval.h"

#include "ext.h"

/* ---- Arrays ---------------------------------------------------------------------------------------------------- */

typedef struct array {
  Py_buffer view;
  size_t count;
} array;

enum { READ = 0, WRITE = 1 };

static bool borrow(PyObject *object, array *a, const char *formats, const char *dtype, int access) {
  int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (access == WRITE ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object, &a->view, flags) == 0) {
    if (a->view.itemsize == 8 && a->view.format && strlen(a->view.format) == 1 &&
        strchr(formats, a->view.format[0])) {
      a->count = (size_t)a->view.len / 8;
      return true;
    }
    PyBuffer_Release(&a->view);
  } else {
    PyErr_Clear();
  }
  a->view.obj = NULL;
  PyErr_Format(PyExc_TypeError, "a C-contiguous array of dtype %s is wanted, not %R", dtype,
               (PyObject *)Py_TYPE(object));
  return false;
}

static bool reals(PyObject *object, array *a, int access) {
  return borrow(object, a, "d", "float64", access);
}
static bool integers(PyObject *object, array *a, int access) {
  return borrow(object, a, "lq", "int64", access);
}

static void release(array *arrays, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (arrays[i].view.obj) PyBuffer_Release(&arrays[i].view);
  }
}

#define RELEASE(arrays) release(arrays, sizeof(arrays) / sizeof *(arrays))

static PyObject *mismatch(void) {
  PyErr_SetString(PyExc_ValueError, "arrays have sizes that do not belong together");
  return NULL;
}

/* A failure of the library. What is wrong with a file's contents is a value; missing files are noticed before. */
static PyObject *failed(const sixer_error *error) {
  return ext_raise_as(error->code == SIXER_ERR_MEMORY ? PyExc_MemoryError : PyExc_ValueError,
                      error);
}

static PyObject *done_or_failed(sixer_err err, const sixer_error *error) {
  if (err) return failed(error);
  Py_RETURN_NONE;
}

/* A sample from its two arguments; they belong together. */
static bool sample_of(PyObject *scores, PyObject *runs, array arrays[2], sixer_sample *sample) {
  _Static_assert(sizeof(size_t) == sizeof(int64_t), "numbers of runs are read in place");
  if (!reals(scores, &arrays[0], READ) || !integers(runs, &arrays[1], READ)) return false;
  *sample = (sixer_sample){arrays[0].view.buf, arrays[1].view.buf, arrays[1].count};
  size_t total = 0;
  for (size_t g = 0; g < sample->games; g++) {
    if (sample->runs[g] > arrays[0].count - total) {
      mismatch();
      return false;
    }
    total += sample->runs[g];
  }
  if (total == arrays[0].count) return true;
  mismatch();
  return false;
}

/* ---- Normalization --------------------------------------------------------------------------------------------- */

static PyObject *eval_normalize(PyObject *module, PyObject *args) {
  (void)module;
  int scale;
  PyObject *scores, *low, *high, *out;
  array a[4] = {0};
  if (!PyArg_ParseTuple(args, "iOOOO:normalize", &scale, &scores, &low, &high, &out)) return NULL;
  PyObject *result = NULL;
  if (reals(scores, &a[0], READ) && reals(low, &a[1], READ) && reals(high, &a[2], READ) &&
      reals(out, &a[3], WRITE)) {
    size_t n = a[0].count;
    sixer_error error = {SIXER_OK, ""};
    result = scale < SIXER_SCALE_RANGE || scale > SIXER_SCALE_INTER || a[1].count != n ||
                     a[2].count != n || a[3].count != n
                 ? mismatch()
                 : done_or_failed(
                       sixer_scores_normalize((sixer_scale)scale, a[0].view.buf, a[1].view.buf,
                                              a[2].view.buf, n, a[3].view.buf, &error),
                       &error);
  }
  RELEASE(a);
  return result;
}

static PyObject *eval_range(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *scores, *low, *high;
  array a[3] = {0};
  if (!PyArg_ParseTuple(args, "OOO:range", &scores, &low, &high)) return NULL;
  PyObject *result = NULL;
  if (reals(scores, &a[0], READ) && reals(low, &a[1], WRITE) && reals(high, &a[2], WRITE)) {
    size_t games = a[1].count;
    sixer_error error = {SIXER_OK, ""};
    result = !games || a[2].count != games || a[0].count % games
                 ? mismatch()
                 : done_or_failed(sixer_scores_range(a[0].view.buf, a[0].count / games, games,
                                                     a[1].view.buf, a[2].view.buf, &error),
                                  &error);
  }
  RELEASE(a);
  return result;
}

/* ---- Aggregates ------------------------------------------------------------------------------------------------ */

static PyObject *eval_aggregates(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *scores, *runs;
  double cap, v[SIXER_AGGREGATE_COUNT];
  array a[2] = {0};
  sixer_sample sample;
  sixer_error error = {SIXER_OK, ""};
  if (!PyArg_ParseTuple(args, "OOd:aggregates", &scores, &runs, &cap)) return NULL;
  PyObject *result = NULL;
  if (sample_of(scores, runs, a, &sample)) {
    sixer_err err;
    Py_BEGIN_ALLOW_THREADS err = sixer_aggregates_compute(&sample, cap, v, &error);
    Py_END_ALLOW_THREADS result =
        err ? failed(&error) : Py_BuildValue("(ddddd)", v[0], v[1], v[2], v[3], v[4]);
  }
  RELEASE(a);
  return result;
}

static PyObject *eval_classes(PyObject *module, PyObject *scores) {
  (void)module;
  size_t n[SIXER_CLASS_COUNT];
  array a[1] = {0};
  sixer_error error = {SIXER_OK, ""};
  if (!reals(scores, &a[0], READ)) return NULL;
  sixer_err err = sixer_classes_count(a[0].view.buf, a[0].count, n, &error);
  RELEASE(a);
  return err ? failed(&error) : Py_BuildValue("(nnnnn)", n[0], n[1], n[2], n[3], n[4]);
}

static PyObject *eval_histogram(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *scores, *edges, *out;
  array a[3] = {0};
  if (!PyArg_ParseTuple(args, "OOO:histogram", &scores, &edges, &out)) return NULL;
  PyObject *result = NULL;
  if (reals(scores, &a[0], READ) && reals(edges, &a[1], READ) && integers(out, &a[2], WRITE)) {
    sixer_error error = {SIXER_OK, ""};
    result = a[2].count != a[1].count + 1
                 ? mismatch()
                 : done_or_failed(sixer_histogram_count(a[0].view.buf, a[0].count, a[1].view.buf,
                                                        a[1].count, a[2].view.buf, &error),
                                  &error);
  }
  RELEASE(a);
  return result;
}

static PyObject *eval_profile(PyObject *module, PyObject *args) {
  (void)module;
  int kind;
  PyObject *scores, *runs, *points, *out;
  array a[4] = {0};
  sixer_sample sample;
  if (!PyArg_ParseTuple(args, "OOiOO:profile", &scores, &runs, &kind, &points, &out)) return NULL;
  PyObject *result = NULL;
  if (sample_of(scores, runs, a, &sample) && reals(points, &a[2], READ) &&
      reals(out, &a[3], WRITE)) {
    if (a[3].count == a[2].count && kind >= 0 && kind <= SIXER_PROFILE_AT_LEAST) {
      sixer_error error = {SIXER_OK, ""};
      sixer_err err;
      Py_BEGIN_ALLOW_THREADS err = sixer_profile_compute(
          &sample, (sixer_profile)kind, a[2].view.buf, a[2].count, a[3].view.buf, &error);
      Py_END_ALLOW_THREADS result = done_or_failed(err, &error);
    } else {
      mismatch();
    }
  }
  RELEASE(a);
  return result;
}

static PyObject *eval_improvement(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *xs, *xr, *ys, *yr;
  array a[4] = {0};
  sixer_sample x, y;
  double value;
  sixer_error error = {SIXER_OK, ""};
  if (!PyArg_ParseTuple(args, "OOOO:improvement", &xs, &xr, &ys, &yr)) return NULL;
  PyObject *result = NULL;
  if (sample_of(xs, xr, a, &x) && sample_of(ys, yr, a + 2, &y)) {
    sixer_err err;
    if (x.games != y.games) {
      mismatch();
    } else {
      Py_BEGIN_ALLOW_THREADS err = sixer_improvement_compute(&x, &y, &value, &error);
      Py_END_ALLOW_THREADS result = err ? failed(&error) : PyFloat_FromDouble(value);
    }
  }
  RELEASE(a);
  return result;
}

static PyObject *eval_compare(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *x, *y;
  array a[2] = {0};
  size_t better, worse, equal;
  if (!PyArg_ParseTuple(args, "OO:compare", &x, &y)) return NULL;
  PyObject *result = NULL;
  if (reals(x, &a[0], READ) && reals(y, &a[1], READ)) {
    sixer_error error = {SIXER_OK, ""};
    if (a[0].count != a[1].count)
      mismatch();
    else if (sixer_games_compare(a[0].view.buf, a[1].view.buf, a[0].count, &better, &worse, &equal,
                                 &error))
      failed(&error);
    else
      result = Py_BuildValue("(nnn)", better, worse, equal);
  }
  RELEASE(a);
  return result;
}

/* ---- Bootstrap ------------------------------------------------------------------------------------------------- */

/* Settings as a tuple: replicates, confidence, seed, threads, resample_games, cap, aggregates, values (an array or
 * None, which `values` borrows). */
static bool settings_of(PyObject *tuple, sixer_bootstrap *s, array *values) {
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
  if (!reals(every, values, WRITE)) return false;
  if (values->count != s->replicates * chosen) {
    mismatch();
    return false;
  }
  s->values = values->view.buf;
  return true;
}

static PyObject *eval_bootstrap_aggregates(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *scores, *runs, *settings;
  array a[3] = {0};
  sixer_sample sample;
  sixer_bootstrap s;
  sixer_interval out[SIXER_AGGREGATE_COUNT];
  if (!PyArg_ParseTuple(args, "OOO!:bootstrap_aggregates", &scores, &runs, &PyTuple_Type,
                        &settings))
    return NULL;
  PyObject *result = NULL;
  if (sample_of(scores, runs, a, &sample) && settings_of(settings, &s, &a[2])) {
    sixer_error error = {SIXER_OK, ""};
    sixer_err err;
    Py_BEGIN_ALLOW_THREADS err = sixer_bootstrap_aggregates(&sample, &s, out, &error);
    Py_END_ALLOW_THREADS if (err) failed(&error);
    else result = PyTuple_New(SIXER_AGGREGATE_COUNT);
    for (int i = 0; result && i < SIXER_AGGREGATE_COUNT; i++) {
      PyObject *item = Py_BuildValue("(ddd)", out[i].value, out[i].low, out[i].high);
      if (!item || PyTuple_SetItem(result, i, item) < 0) Py_CLEAR(result);
    }
  }
  RELEASE(a);
  return result;
}

static PyObject *eval_bootstrap_profile(PyObject *module, PyObject *args) {
  (void)module;
  int kind;
  PyObject *scores, *runs, *points, *settings, *out;
  array a[5] = {0};
  sixer_sample sample;
  sixer_bootstrap s;
  if (!PyArg_ParseTuple(args, "OOiOO!O:bootstrap_profile", &scores, &runs, &kind, &points,
                        &PyTuple_Type, &settings, &out))
    return NULL;
  PyObject *result = NULL;
  if (sample_of(scores, runs, a, &sample) && reals(points, &a[2], READ) &&
      reals(out, &a[3], WRITE) && settings_of(settings, &s, &a[4])) {
    _Static_assert(sizeof(sixer_interval) == 3 * sizeof(double), "written in place");
    if (a[3].count == 3 * a[2].count && kind >= 0 && kind <= SIXER_PROFILE_AT_LEAST) {
      sixer_error error = {SIXER_OK, ""};
      sixer_err err;
      Py_BEGIN_ALLOW_THREADS err = sixer_bootstrap_profile(
          &sample, (sixer_profile)kind, a[2].view.buf, a[2].count, &s, a[3].view.buf, &error);
      Py_END_ALLOW_THREADS result = done_or_failed(err, &error);
    } else {
      mismatch();
    }
  }
  RELEASE(a);
  return result;
}

static PyObject *interval(sixer_err err, const sixer_interval *i, const sixer_error *error) {
  return err ? failed(error) : Py_BuildValue("(ddd)", i->value, i->low, i->high);
}

static PyObject *eval_bootstrap_improvement(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *xs, *xr, *ys, *yr, *settings;
  array a[5] = {0};
  sixer_sample x, y;
  sixer_bootstrap s;
  if (!PyArg_ParseTuple(args, "OOOOO!:bootstrap_improvement", &xs, &xr, &ys, &yr, &PyTuple_Type,
                        &settings))
    return NULL;
  PyObject *result = NULL;
  if (sample_of(xs, xr, a, &x) && sample_of(ys, yr, a + 2, &y) &&
      settings_of(settings, &s, &a[4])) {
    if (x.games == y.games) {
      sixer_interval i = {0, 0, 0};
      sixer_error error = {SIXER_OK, ""};
      sixer_err err;
      Py_BEGIN_ALLOW_THREADS err = sixer_bootstrap_improvement(&x, &y, &s, &i, &error);
      Py_END_ALLOW_THREADS result = interval(err, &i, &error);
    } else {
      mismatch();
    }
  }
  RELEASE(a);
  return result;
}

static PyObject *eval_bootstrap_model(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *scores, *runs, *coefficients, *settings;
  array a[4] = {0};
  sixer_sample sample;
  sixer_bootstrap s;
  if (!PyArg_ParseTuple(args, "OOOO!:bootstrap_model", &scores, &runs, &coefficients, &PyTuple_Type,
                        &settings))
    return NULL;
  PyObject *result = NULL;
  if (sample_of(scores, runs, a, &sample) && reals(coefficients, &a[2], READ) &&
      settings_of(settings, &s, &a[3])) {
    if (a[2].count == sample.games) {
      sixer_interval i = {0, 0, 0};
      sixer_error error = {SIXER_OK, ""};
      sixer_err err;
      Py_BEGIN_ALLOW_THREADS err = sixer_bootstrap_model(&sample, a[2].view.buf, &s, &i, &error);
      Py_END_ALLOW_THREADS result = interval(err, &i, &error);
    } else {
      mismatch();
    }
  }
  RELEASE(a);
  return result;
}

/* ---- Tests ----------------------------------------------------------------------------------------------------- */

static PyObject *welch_result(sixer_err err, const sixer_welch *w, const sixer_error *error) {
  return err ? failed(error) : Py_BuildValue("(ddd)", w->t, w->df, w->p);
}

static PyObject *eval_welch(PyObject *module, PyObject *args) {
  (void)module;
  double v[6];
  sixer_welch w = {0, 0, 0};
  sixer_error error = {SIXER_OK, ""};
  if (!PyArg_ParseTuple(args, "dddddd:welch", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]))
    return NULL;
  return welch_result(sixer_welch_test(v[0], v[1], v[2], v[3], v[4], v[5], &w, &error), &w, &error);
}

static PyObject *eval_welch_samples(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *x, *y;
  array a[2] = {0};
  if (!PyArg_ParseTuple(args, "OO:welch_samples", &x, &y)) return NULL;
  PyObject *result = NULL;
  if (reals(x, &a[0], READ) && reals(y, &a[1], READ)) {
    sixer_welch w = {0, 0, 0};
    sixer_error error = {SIXER_OK, ""};
    result = welch_result(
        sixer_welch_samples(a[0].view.buf, a[0].count, a[1].view.buf, a[1].count, &w, &error), &w,
        &error);
  }
  RELEASE(a);
  return result;
}

static PyObject *eval_welch_table(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *means, *sds, *sizes, *better, *untested;
  Py_ssize_t agents;
  double significance;
  array a[5] = {0};
  if (!PyArg_ParseTuple(args, "OOOndOO:welch_table", &means, &sds, &sizes, &agents, &significance,
                        &better, &untested))
    return NULL;
  PyObject *result = NULL;
  if (reals(means, &a[0], READ) && reals(sds, &a[1], READ) && reals(sizes, &a[2], READ) &&
      integers(better, &a[3], WRITE) && integers(untested, &a[4], WRITE)) {
    size_t n = (size_t)agents, count = a[0].count;
    sixer_error error = {SIXER_OK, ""};
    result = agents < 1 || count % n || a[1].count != count || a[2].count != count ||
                     a[3].count != n * n || a[4].count != n * n
                 ? mismatch()
                 : done_or_failed(
                       sixer_welch_table(a[0].view.buf, a[1].view.buf, a[2].view.buf, n, count / n,
                                         significance, a[3].view.buf, a[4].view.buf, &error),
                       &error);
  }
  RELEASE(a);
  return result;
}

static PyObject *eval_student_p(PyObject *module, PyObject *args) {
  (void)module;
  double t, df;
  if (!PyArg_ParseTuple(args, "dd:student_p", &t, &df)) return NULL;
  return PyFloat_FromDouble(sixer_student_p(t, df));
}

/* ---- Scores while playing -------------------------------------------------------------------------------------- */

/* tally(frames, rewards, limits, scores): the score of one episode after every limit. Returns the number of frames
 * since the last reward. */
static PyObject *eval_tally(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *frames, *rewards, *limits, *scores;
  array a[4] = {0};
  if (!PyArg_ParseTuple(args, "OOOO:tally", &frames, &rewards, &limits, &scores)) return NULL;
  PyObject *result = NULL;
  if (integers(frames, &a[0], READ) && reals(rewards, &a[1], READ) &&
      integers(limits, &a[2], READ) && reals(scores, &a[3], WRITE)) {
    const int64_t *played = a[0].view.buf, *after = a[2].view.buf;
    const double *reward = a[1].view.buf;
    int ends[SIXER_LIMITS_MAX];
    bool fits =
        a[0].count == a[1].count && a[2].count == a[3].count && a[2].count <= SIXER_LIMITS_MAX;
    for (size_t i = 0; fits && i < a[2].count; i++) {
      fits = after[i] >= 0 && after[i] <= INT32_MAX;
      ends[i] = (int)after[i];
    }
    for (size_t i = 0; fits && i < a[0].count; i++)
      fits = played[i] >= 0 && played[i] <= INT32_MAX && reward[i] == reward[i];
    if (!fits) {
      PyErr_SetString(PyExc_ValueError,
                      "an episode is as many numbers of frames (0 or more) as rewards (not NaN), "
                      "with up to 8 limits of 0 or more frames");
    } else {
      sixer_tally tally;
      sixer_tally_begin(&tally, ends, a[2].count);
      for (size_t i = 0; i < a[0].count; i++) sixer_tally_step(&tally, (int)played[i], reward[i]);
      memcpy(a[3].view.buf, tally.score, a[3].count * sizeof(double));
      result = PyLong_FromLongLong(tally.frames - tally.last_reward_frame);
    }
  }
  RELEASE(a);
  return result;
}

static PyObject *eval_checkpoint_mean(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *frames, *scores;
  long long checkpoint;
  int in_episodes, include;
  Py_ssize_t episodes;
  array a[2] = {0};
  if (!PyArg_ParseTuple(args, "OOLppn:checkpoint_mean", &frames, &scores, &checkpoint, &in_episodes,
                        &include, &episodes))
    return NULL;
  PyObject *result = NULL;
  if (integers(frames, &a[0], READ) && reals(scores, &a[1], READ)) {
    double mean = 0;
    size_t averaged = 0;
    sixer_error error = {SIXER_OK, ""};
    if (a[0].count != a[1].count || episodes < 1)
      mismatch();
    else if (sixer_checkpoint_mean(a[0].view.buf, a[1].view.buf, a[0].count, checkpoint,
                                   in_episodes, include, (size_t)episodes, &mean, &averaged,
                                   &error))
      failed(&error);
    else
      result = Py_BuildValue("(dn)", mean, averaged);
  }
  RELEASE(a);
  return result;
}

/* map(which, array): in place; 0 the log score, 1 its inverse, 2 rewards of a counter that rolled over. */
static PyObject *eval_map(PyObject *module, PyObject *args) {
  (void)module;
  static double (*const functions[])(double) = {sixer_log_score, sixer_log_score_inverse,
                                                sixer_reward_unroll};
  unsigned which;
  PyObject *values;
  array a[1] = {0};
  if (!PyArg_ParseTuple(args, "IO:map", &which, &values)) return NULL;
  if (which >= sizeof functions / sizeof *functions) return mismatch();
  if (!reals(values, &a[0], WRITE)) return NULL;
  double *v = a[0].view.buf;
  for (size_t i = 0; i < a[0].count; i++) v[i] = functions[which](v[i]);
  RELEASE(a);
  Py_RETURN_NONE;
}

/* ---- Small sets of games --------------------------------------------------------------------------------------- */

static PyObject *eval_predict(PyObject *module, PyObject *args) {
  (void)module;
  double intercept;
  PyObject *coefficients, *percents;
  array a[2] = {0};
  if (!PyArg_ParseTuple(args, "dOO:predict", &intercept, &coefficients, &percents)) return NULL;
  PyObject *result = NULL;
  if (reals(coefficients, &a[0], READ) && reals(percents, &a[1], READ)) {
    result = a[0].count == a[1].count ? PyFloat_FromDouble(sixer_model_predict(
                                            intercept, a[0].view.buf, a[1].view.buf, a[0].count))
                                      : mismatch();
  }
  RELEASE(a);
  return result;
}

static PyObject *fit_dict(const sixer_fit *f) {
  PyObject *games = PyList_New((Py_ssize_t)f->size),
           *coefficients = PyList_New((Py_ssize_t)f->size);
  bool fine = games && coefficients;
  for (size_t i = 0; fine && i < f->size; i++) {
    PyObject *game = PyLong_FromLong(f->games[i]),
             *coefficient = PyFloat_FromDouble(f->coefficients[i]);
    fine = game && coefficient;
    /* both steal */
    if (PyList_SetItem(games, (Py_ssize_t)i, game) < 0) fine = false;
    if (PyList_SetItem(coefficients, (Py_ssize_t)i, coefficient) < 0) fine = false;
  }
  if (!fine) {
    Py_XDECREF(games);
    Py_XDECREF(coefficients);
    return NULL;
  }
  return Py_BuildValue("{s:N,s:N,s:d,s:n,s:d,s:d,s:d,s:d,s:d,s:d}", "games", games, "coefficients",
                       coefficients, "intercept", f->intercept, "rows", f->rows, "r2", f->r2, "mae",
                       f->mae, "cv_mse", f->cv_mse, "cv_mae", f->cv_mae, "cv_r2", f->cv_r2,
                       "relative_error", f->relative_error);
}

/* x is rows x games, y has a target per row. */
static bool data_of(PyObject *x, PyObject *y, array arrays[2], sixer_regression_data *data) {
  if (!reals(x, &arrays[0], READ) || !reals(y, &arrays[1], READ)) return false;
  size_t rows = arrays[1].count;
  if (!rows || arrays[0].count % rows || !arrays[0].count) {
    mismatch();
    return false;
  }
  *data =
      (sixer_regression_data){arrays[0].view.buf, arrays[1].view.buf, rows, arrays[0].count / rows};
  return true;
}

/* Numbers of games, each in range; the count is returned, -1 after an error. */
static int numbers_of(PyObject *object, size_t games, int out[SIXER_SUBSET_MAX]) {
  array a = {0};
  int count = -1;
  if (!integers(object, &a, READ)) return -1;
  const int64_t *numbers = a.view.buf;
  if (a.count <= SIXER_SUBSET_MAX) {
    count = (int)a.count;
    for (int i = 0; i < count; i++) {
      if (numbers[i] < 0 || (size_t)numbers[i] >= games)
        count = -1;
      else
        out[i] = (int)numbers[i];
    }
  }
  if (count < 0)
    PyErr_Format(PyExc_ValueError, "a subset is up to %d games by their numbers, 0 to %zu",
                 SIXER_SUBSET_MAX, games - 1);
  release(&a, 1);
  return count;
}

static PyObject *eval_fit(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *x, *y, *subset;
  int intercept, kind, folds, games[SIXER_SUBSET_MAX];
  unsigned seed;
  array a[2] = {0};
  sixer_regression_data data;
  if (!PyArg_ParseTuple(args, "OOOpiiI:fit", &x, &y, &subset, &intercept, &kind, &folds, &seed))
    return NULL;
  PyObject *result = NULL;
  if (kind < SIXER_FOLDS_INDEX || kind > SIXER_FOLDS_NUMPY) return mismatch();
  if (data_of(x, y, a, &data)) {
    int size = numbers_of(subset, data.games, games);
    sixer_fit fit;
    sixer_error error = {SIXER_OK, ""};
    if (size >= 0)
      result = sixer_subset_fit(&data, games, (size_t)size, intercept, (sixer_folds)kind, folds,
                                seed, &fit, &error)
                   ? failed(&error)
                   : fit_dict(&fit);
  }
  RELEASE(a);
  return result;
}

/* The callback, which a thread of the search calls without the interpreter's lock. */
static void report_progress(void *context, double done, double total) {
  PyGILState_STATE lock = PyGILState_Ensure();
  PyObject *result = PyObject_CallFunction(context, "dd", done, total);
  if (!result) PyErr_WriteUnraisable(context);
  Py_XDECREF(result);
  PyGILState_Release(lock);
}

static PyObject *search_result(const sixer_search_result *r, const sixer_fit *fits) {
  PyObject *list = PyList_New((Py_ssize_t)r->found);
  for (size_t i = 0; list && i < r->found; i++) {
    PyObject *fit = fit_dict(&fits[i]);
    if (!fit || PyList_SetItem(list, (Py_ssize_t)i, fit) < 0) Py_CLEAR(list);
  }
  if (!list) return NULL;
  return Py_BuildValue("{s:N,s:K,s:K,s:K,s:K,s:d}", "fits", list, "subsets",
                       (unsigned long long)r->subsets, "negative", (unsigned long long)r->negative,
                       "unfit", (unsigned long long)r->unfit, "reference_rank",
                       (unsigned long long)r->reference_rank, "reference_cv_mse",
                       r->reference_cv_mse);
}

static PyObject *eval_search(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *x, *y, *required, *excluded, *reference, *progress;
  Py_ssize_t size, top;
  int kind, folds, threads, must[SIXER_SUBSET_MAX], known[SIXER_SUBSET_MAX];
  unsigned seed;
  array a[3] = {0};
  sixer_regression_data data;
  if (!PyArg_ParseTuple(args, "OOnOOiiInOiO:search", &x, &y, &size, &required, &excluded, &kind,
                        &folds, &seed, &top, &reference, &threads, &progress))
    return NULL;
  if (size < 1 || size > SIXER_SUBSET_MAX || top < 1 || threads < 0 || kind < SIXER_FOLDS_INDEX ||
      kind > SIXER_FOLDS_NUMPY) {
    return PyErr_Format(PyExc_ValueError,
                        "size is 1 to %d, top at least 1, and threads 0 (all processors) or more",
                        SIXER_SUBSET_MAX);
  }
  PyObject *result = NULL;
  bool *left_out = NULL;
  sixer_fit *fits = NULL;
  if (data_of(x, y, a, &data) && integers(excluded, &a[2], READ)) {
    sixer_search s = sixer_search_default();
    sixer_search_result found;
    sixer_error error = {SIXER_OK, ""};
    int must_count = numbers_of(required, data.games, must);
    int known_count =
        must_count < 0 || reference == Py_None ? 0 : numbers_of(reference, data.games, known);
    const int64_t *numbers = a[2].view.buf;
    bool fits_in =
        must_count >= 0 && known_count >= 0 && (reference == Py_None || known_count == size);
    left_out = PyMem_Calloc(data.games, sizeof *left_out);
    fits = PyMem_Calloc((size_t)top, sizeof *fits);
    for (size_t i = 0; fits_in && left_out && i < a[2].count; i++) {
      fits_in = numbers[i] >= 0 && (size_t)numbers[i] < data.games;
      if (fits_in) left_out[numbers[i]] = true;
    }
    s.size = (size_t)size;
    s.required = must_count > 0 ? must : NULL;
    s.required_count = must_count > 0 ? (size_t)must_count : 0;
    s.excluded = left_out;
    s.kind = (sixer_folds)kind;
    s.folds = folds;
    s.seed = seed;
    s.top = (size_t)top;
    s.reference = reference == Py_None ? NULL : known;
    s.threads = threads;
    s.progress = progress == Py_None ? NULL : report_progress;
    s.context = progress;
    if (!left_out || !fits) {
      PyErr_NoMemory();
    } else if (!fits_in) {
      if (!PyErr_Occurred()) mismatch();
    } else {
      sixer_err err;
      Py_BEGIN_ALLOW_THREADS err = sixer_subset_search(&data, &s, fits, &found, &error);
      Py_END_ALLOW_THREADS result = err ? failed(&error) : search_result(&found, fits);
    }
  }
  PyMem_Free(left_out);
  PyMem_Free(fits);
  RELEASE(a);
  return result;
}

static PyObject *eval_correlate(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *x, *y, *out;
  array a[3] = {0};
  sixer_regression_data data;
  if (!PyArg_ParseTuple(args, "OOO:correlate", &x, &y, &out)) return NULL;
  PyObject *result = NULL;
  if (data_of(x, y, a, &data) && reals(out, &a[2], WRITE)) {
    sixer_error error = {SIXER_OK, ""};
    result = a[2].count == data.games * data.games
                 ? done_or_failed(sixer_games_correlate(&data, a[2].view.buf, &error), &error)
                 : mismatch();
  }
  RELEASE(a);
  return result;
}

static PyObject *eval_cost(PyObject *module, PyObject *args) {
  (void)module;
  sixer_cost_input in;
  if (!PyArg_ParseTuple(args, "dddddddd:cost", &in.games, &in.runs, &in.hours, &in.gpu_price,
                        &in.cpu_price, &in.gpu_watts, &in.cpu_watts, &in.co2_per_kwh))
    return NULL;
  sixer_cost c = sixer_cost_estimate(&in);
  return Py_BuildValue("(dddd)", c.hours, c.price, c.kwh, c.co2_kg);
}

/* ---- Protocols ------------------------------------------------------------------------------------------------- */

static PyObject *texts(const char *const *list, size_t count) {
  PyObject *tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple && i < count; i++) {
    PyObject *text = PyUnicode_FromString(list[i]);
    if (!text || PyTuple_SetItem(tuple, (Py_ssize_t)i, text) < 0) Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject *eval_protocol_names(PyObject *module, PyObject *ignored) {
  (void)module;
  (void)ignored;
  const char *const *names = sixer_protocol_names();
  size_t count = 0;
  while (names[count]) count++;
  return texts(names, count);
}

/* The protocol's model: coefficients by game. */
static PyObject *model_of(const sixer_protocol *protocol, const sixer_protocol_info *info) {
  PyObject *dict = PyDict_New();
  for (size_t g = 0; dict && g < info->game_count; g++) {
    double value = sixer_protocol_coefficient(protocol, info->games[g]);
    if (value == 0) continue;
    PyObject *number = PyFloat_FromDouble(value);
    if (!number || PyDict_SetItemString(dict, info->games[g], number) < 0) Py_CLEAR(dict);
    Py_XDECREF(number);
  }
  return dict;
}

static PyObject *long_list(const int64_t *wide, const int *narrow, size_t count) {
  PyObject *tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple && i < count; i++) {
    PyObject *number = PyLong_FromLongLong(wide ? wide[i] : narrow[i]);
    if (!number || PyTuple_SetItem(tuple, (Py_ssize_t)i, number) < 0) Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject *describe(const sixer_protocol *protocol) {
  static const char *const of[] = {"training", "evaluation", "best-evaluation"};
  static const char *const loss[] = {"ignored", "terminal-in-training", "terminal"};
  sixer_protocol_info i = sixer_protocol_describe(protocol);
  return Py_BuildValue(
      "{s:s,s:i,s:s,s:s,s:z,s:s,s:s,s:N,s:N,s:s,s:d,s:O,s:i,s:i,s:s,s:i,s:i,s:O,s:O,s:L,s:N,s:s,"
      "s:i,s:O,s:N,s:i,s:d,s:s,s:s,s:d,s:N}",
      "name", i.name, "version", i.version, "title", i.title, "source", i.source, "base", i.base,
      "hash", i.hash, "text", sixer_protocol_text(protocol), "games", texts(i.games, i.game_count),
      "tuning", texts(i.tuning, i.tuning_count), "flavors", i.flavors, "sticky", i.sticky,
      "minimal_actions", i.minimal_actions ? Py_True : Py_False, "frame_skip", i.frame_skip,
      "noop_starts", i.noop_starts, "life_loss", loss[i.life_loss], "max_frames", i.max_frames,
      "stuck_frames", i.stuck_frames, "fixed_scoring", i.fixed_scoring ? Py_True : Py_False,
      "length_in_episodes", i.length_in_episodes ? Py_True : Py_False, "length",
      (long long)i.length, "checkpoints", long_list(i.checkpoints, NULL, i.checkpoint_count),
      "score_of", of[i.score_of], "episodes", i.episodes, "include_crossing",
      i.include_crossing ? Py_True : Py_False, "limits", long_list(NULL, i.limits, i.limit_count),
      "trials", i.trials, "significance", i.significance, "aggregate", i.aggregate, "normalization",
      i.normalization, "endless", i.endless, "model", model_of(protocol, &i));
}

/* protocol(name or path, text or None): what a protocol says. With a text, the first argument is where it came from. */
static PyObject *eval_protocol(PyObject *module, PyObject *args) {
  (void)module;
  const char *name, *text;
  sixer_protocol *protocol = NULL;
  sixer_error error = {SIXER_OK, ""};
  if (!PyArg_ParseTuple(args, "sz:protocol", &name, &text)) return NULL;
  sixer_err err = text ? sixer_protocol_parse(text, name, &protocol, &error)
                       : sixer_protocol_open(name, &protocol, &error);
  if (err) return failed(&error);
  PyObject *about = describe(protocol);
  sixer_protocol_close(protocol);
  return about;
}

/* ---- Published results ----------------------------------------------------------------------------------------- */

static sixer_published *published_open(void) {
  sixer_published *published = NULL;
  sixer_error error = {SIXER_OK, ""};
  if (sixer_published_open(&published, &error)) failed(&error);
  return published;
}

static PyObject *bytes_of(const void *data, size_t count, size_t size) {
  return PyBytes_FromStringAndSize(data, (Py_ssize_t)(count * size));
}

static PyObject *result_dict(const sixer_result_set *s) {
  return Py_BuildValue("{s:s,s:s,s:s,s:z,s:s,s:i,s:L,s:i,s:N,s:N,s:N}", "id", s->id, "agent",
                       s->agent, "source", s->source, "protocol", s->protocol, "license",
                       s->license, "limit", s->limit, "frames", (long long)s->frames, "trials",
                       s->trials, "games", texts(s->games, s->count), "means",
                       bytes_of(s->means, s->count, sizeof(double)), "sds",
                       bytes_of(s->sds, s->count, sizeof(double)));
}

static PyObject *eval_published(PyObject *module, PyObject *ignored) {
  (void)module;
  (void)ignored;
  sixer_published *p = published_open();
  if (!p) return NULL;
  size_t count = sixer_published_count(p);
  PyObject *list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; i++) {
    PyObject *item = result_dict(sixer_published_get(p, i));
    if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) Py_CLEAR(list);
  }
  sixer_published_close(p);
  return list;
}

static PyObject *eval_published_find(PyObject *module, PyObject *args) {
  (void)module;
  const char *name, *protocol;
  if (!PyArg_ParseTuple(args, "sz:published_find", &name, &protocol)) return NULL;
  sixer_published *p = published_open();
  if (!p) return NULL;
  const sixer_result_set *found = NULL;
  sixer_error error = {SIXER_OK, ""};
  PyObject *result =
      sixer_published_find(p, name, protocol, &found, &error) ? failed(&error) : result_dict(found);
  sixer_published_close(p);
  return result;
}

/* published_games(names): the ids of games in any spelling, None for those that are not known. */
static PyObject *eval_published_games(PyObject *module, PyObject *names) {
  (void)module;
  sixer_published *p = published_open();
  if (!p) return NULL;
  Py_ssize_t count = PySequence_Size(names);
  PyObject *list = count < 0 ? NULL : PyList_New(count);
  for (Py_ssize_t i = 0; list && i < count; i++) {
    PyObject *name = PySequence_GetItem(names, i);
    const char *text = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    const char *id = text ? sixer_published_game(p, text) : NULL;
    PyObject *item = !text ? NULL : id ? PyUnicode_FromString(id) : Py_NewRef(Py_None);
    if (!item || PyList_SetItem(list, i, item) < 0) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  sixer_published_close(p);
  return list;
}

static PyObject *eval_published_file(PyObject *module, PyObject *name) {
  (void)module;
  const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
  size_t size = 0;
  if (!text) return NULL;
  const char *data = sixer_published_file(text, &size);
  if (!data) Py_RETURN_NONE;
  return PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
}

static PyObject *eval_atari5_data(PyObject *module, PyObject *by_name) {
  (void)module;
  sixer_published *p = published_open();
  if (!p) return NULL;
  const char *const *names, *const *games;
  sixer_regression_data d = sixer_published_atari5(p, by_name == Py_True, &names, &games);
  PyObject *result = Py_BuildValue("(NNNN)", bytes_of(d.x, d.rows * d.games, sizeof(double)),
                                   bytes_of(d.y, d.rows, sizeof(double)), texts(names, d.rows),
                                   texts(games, d.games));
  sixer_published_close(p);
  return result;
}

/* ---- The functions --------------------------------------------------------------------------------------------- */

static PyMethodDef functions[] = {
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
    {"predict", eval_predict, METH_VARARGS, "predict(intercept, coefficients, percents)"},
    {"fit", eval_fit, METH_VARARGS, "fit(x, y, games, intercept, kind, folds, seed) -> dict"},
    {"search", eval_search, METH_VARARGS,
     "search(x, y, size, required, excluded, kind, folds, seed, top, reference, threads, progress) "
     "-> dict"},
    {"correlate", eval_correlate, METH_VARARGS, "correlate(x, y, out)"},
    {"cost", eval_cost, METH_VARARGS, "cost(...) -> hours, price, kWh, kg of CO2"},
    {"protocol_names", eval_protocol_names, METH_NOARGS, "protocol_names() -> tuple"},
    {"protocol", eval_protocol, METH_VARARGS, "protocol(name, text) -> dict"},
    {"published", eval_published, METH_NOARGS, "published() -> list of dicts"},
    {"published_find", eval_published_find, METH_VARARGS, "published_find(name, protocol) -> dict"},
    {"published_games", eval_published_games, METH_O, "published_games(names) -> ids or None"},
    {"published_file", eval_published_file, METH_O, "published_file(name) -> bytes or None"},
    {"atari5_data", eval_atari5_data, METH_O, "atari5_data(by_name) -> x, y, names, games"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sixer._sixer.evaluation",
    .m_doc = "The functions of sixer/eval.h, for sixer.eval.",
    .m_size = 0,
    .m_methods = functions,
};

PyObject *ext_evaluation(void) { return PyModule_Create(&definition); }
