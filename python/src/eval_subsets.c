/* Small sets of games for Python: models, fits, the exhaustive search, correlations and costs. */
#include <math.h>

#include "eval_args.h"

static PyObject *eval_predict(PyObject *module, PyObject *args) {
  (void)module;
  double intercept;
  ARRAY coefficients = {0}, percents = {0};
  if (!PyArg_ParseTuple(args, "dO&O&:predict", &intercept, eval_reals, &coefficients, eval_reals,
                        &percents))
    return NULL;
  if (coefficients.count != percents.count) return eval_mismatch();
  return PyFloat_FromDouble(
      sixer_model_predict(intercept, coefficients.data, percents.data, percents.count));
}

/* x is rows x games, y has a target per row. */
static bool data_of(const eval_array *x, const eval_array *y, sixer_regression_data *data) {
  size_t rows = y->count;
  if (!rows || x->count % rows || !x->count) {
    eval_mismatch();
    return false;
  }
  *data = (sixer_regression_data){x->data, y->data, rows, x->count / rows, NULL};
  return true;
}

/* A subset from an array of numbers of games. Returns how many there are, or -1 after an error. */
static int subset_of(const eval_array *array, size_t games, int out[SIXER_SUBSET_MAX]) {
  const int64_t *numbers = array->data;
  bool fits = array->count <= SIXER_SUBSET_MAX;
  for (size_t i = 0; fits && i < array->count; i++) {
    fits = numbers[i] >= 0 && (size_t)numbers[i] < games;
    if (fits) out[i] = (int)numbers[i];
  }
  if (fits) return (int)array->count;
  PyErr_Format(PyExc_ValueError, "a subset is up to %d games by their numbers, 0 to %zu",
               SIXER_SUBSET_MAX, games - 1);
  return -1;
}

static PyObject *fit_dict(const sixer_fit *f) {
  PyObject *games = PyList_New((Py_ssize_t)f->size),
           *coefficients = PyList_New((Py_ssize_t)f->size);
  bool fine = games && coefficients;
  for (size_t i = 0; fine && i < f->size; i++) {
    PyObject *game = PyLong_FromLong(f->games[i]),
             *coefficient = PyFloat_FromDouble(f->coefficients[i]);
    fine = game && coefficient;
    /* both calls take over the reference */
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

static int integers_or_none(PyObject *object, void *array) {
  return object == Py_None ? 1 : eval_integers(object, array);
}

static void free_groups(int **groups) { PyMem_Free(*groups); }
#define GROUPS __attribute__((cleanup(free_groups))) int *

/* The groups of the rows, if an array of them was given. False after an error. */
static bool groups_of(const eval_array *array, sixer_regression_data *data, int **groups) {
  const int64_t *numbers = array->data;
  if (!array->view.obj) return true;
  if (array->count != data->rows) {
    eval_mismatch();
    return false;
  }
  if (!(*groups = PyMem_Calloc(data->rows, sizeof **groups))) {
    PyErr_NoMemory();
    return false;
  }
  for (size_t r = 0; r < data->rows; r++) (*groups)[r] = (int)numbers[r];
  data->groups = *groups;
  return true;
}

static PyObject *eval_fit(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY x = {0}, y = {0}, subset = {0}, sources = {0};
  GROUPS groups = NULL;
  int intercept, kind, folds, size, games[SIXER_SUBSET_MAX];
  unsigned seed;
  sixer_regression_data data;
  sixer_fit fit;
  sixer_error error;
  if (!PyArg_ParseTuple(args, "O&O&O&piiIO&:fit", eval_reals, &x, eval_reals, &y, eval_integers,
                        &subset, &intercept, &kind, &folds, &seed, integers_or_none, &sources))
    return NULL;
  if (kind < SIXER_FOLDS_INDEX || kind > SIXER_FOLDS_GROUPED) return eval_mismatch();
  if (!data_of(&x, &y, &data) || !groups_of(&sources, &data, &groups)) return NULL;
  if ((size = subset_of(&subset, data.games, games)) < 0) return NULL;
  if (sixer_subset_fit(&data, games, (size_t)size, intercept, (sixer_folds)kind, folds, seed, &fit,
                       &error))
    return eval_failed(&error);
  return fit_dict(&fit);
}

/* ---- Search ---------------------------------------------------------------------------------------------------- */

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

/* Mark the games that an array names; false if a number is out of range. */
static bool mark_games(const eval_array *array, size_t games, bool *marked) {
  const int64_t *numbers = array->data;
  for (size_t i = 0; i < array->count; i++) {
    if (numbers[i] < 0 || (size_t)numbers[i] >= games) return false;
    marked[numbers[i]] = true;
  }
  return true;
}

static PyObject *nested_result(const sixer_nested *n) {
  PyObject *whole = fit_dict(&n->whole);
  if (!whole) return NULL;
  return Py_BuildValue("{s:d,s:d,s:d,s:d,s:n,s:n,s:n,s:n,s:N}", "mse", n->mse, "mae", n->mae, "r2",
                       n->r2, "relative_error", n->relative_error, "rows", (Py_ssize_t)n->rows,
                       "skipped", (Py_ssize_t)n->skipped, "searches", (Py_ssize_t)n->searches,
                       "same", (Py_ssize_t)n->same, "whole", whole);
}

/* Run a search that has everything but room for its results; with outer folds, nested cross-validation of it. */
static PyObject *run_search(const sixer_regression_data *data, sixer_search *s,
                            const eval_array *excluded, int outer) {
  PyObject *result = NULL;
  sixer_nested nested;
  sixer_search_result found;
  sixer_error error;
  sixer_err err;
  bool *left_out = PyMem_Calloc(data->games, sizeof *left_out);
  sixer_fit *fits = PyMem_Calloc(s->top, sizeof *fits);
  s->excluded = left_out;
  if (!left_out || !fits) {
    PyErr_NoMemory();
  } else if (!mark_games(excluded, data->games, left_out)) {
    eval_mismatch();
  } else if (outer) {
    UNLOCKED(err = sixer_subset_nested(data, s, outer, &nested, &error));
    result = err ? eval_failed(&error) : nested_result(&nested);
  } else {
    UNLOCKED(err = sixer_subset_search(data, s, fits, &found, &error));
    result = err ? eval_failed(&error) : search_result(&found, fits);
  }
  PyMem_Free(left_out);
  PyMem_Free(fits);
  return result;
}

/* The array of the reference, which may be None. */
static PyObject *eval_search(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *progress;
  ARRAY x = {0}, y = {0}, required = {0}, excluded = {0}, reference = {0}, sources = {0};
  GROUPS groups = NULL;
  Py_ssize_t size, top;
  int kind, folds, threads, negative, outer, must[SIXER_SUBSET_MAX], known[SIXER_SUBSET_MAX];
  unsigned seed;
  sixer_regression_data data;
  sixer_search s = sixer_search_default();
  if (!PyArg_ParseTuple(args, "O&O&nO&O&iiInO&iOO&pi:search", eval_reals, &x, eval_reals, &y, &size,
                        eval_integers, &required, eval_integers, &excluded, &kind, &folds, &seed,
                        &top, integers_or_none, &reference, &threads, &progress, integers_or_none,
                        &sources, &negative, &outer))
    return NULL;
  if (size < 1 || size > SIXER_SUBSET_MAX || top < 1 || threads < 0 || kind < SIXER_FOLDS_INDEX ||
      kind > SIXER_FOLDS_GROUPED)
    return PyErr_Format(PyExc_ValueError,
                        "size is 1 to %d, top at least 1, and threads 0 (all processors) or more",
                        SIXER_SUBSET_MAX);
  if (!data_of(&x, &y, &data) || !groups_of(&sources, &data, &groups)) return NULL;
  bool referred = reference.view.obj != NULL;
  int required_count = subset_of(&required, data.games, must);
  int known_count = required_count < 0 || !referred ? 0 : subset_of(&reference, data.games, known);
  if (required_count < 0 || known_count < 0) return NULL;
  if (referred && known_count != size) return eval_mismatch();
  s.size = (size_t)size;
  s.required = required_count ? must : NULL;
  s.required_count = (size_t)required_count;
  s.kind = (sixer_folds)kind;
  s.folds = folds;
  s.seed = seed;
  s.top = (size_t)top;
  s.reference = referred ? known : NULL;
  s.threads = threads;
  s.progress = progress == Py_None ? NULL : report_progress;
  s.context = progress;
  s.allow_negative = negative;
  return run_search(&data, &s, &excluded, outer);
}

static PyObject *eval_correlate(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY x = {0}, y = {0}, out = {0};
  sixer_regression_data data;
  sixer_error error;
  if (!PyArg_ParseTuple(args, "O&O&O&:correlate", eval_reals, &x, eval_reals, &y, eval_real_results,
                        &out) ||
      !data_of(&x, &y, &data))
    return NULL;
  if (out.count != data.games * data.games) return eval_mismatch();
  return eval_done(sixer_games_correlate(&data, out.data, &error), &error);
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

static PyObject *eval_model_error(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *names;
  const char *games[SIXER_SUBSET_MAX];
  sixer_published *published;
  sixer_error error;
  double sd;
  if (!PyArg_ParseTuple(args, "O!:model_error", &PyTuple_Type, &names)) return NULL;
  Py_ssize_t count = PyTuple_Size(names);
  for (Py_ssize_t i = 0; i < count && i < SIXER_SUBSET_MAX; i++) {
    games[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
    if (!games[i]) return NULL;
  }
  if (sixer_published_open(&published, &error)) return eval_failed(&error);
  sixer_err err = sixer_model_error(published, games, (size_t)count, &sd, &error);
  sixer_published_close(published);
  return err ? eval_failed(&error) : PyFloat_FromDouble(sd);
}

/* prediction_error(games, target) -> (sd in log10, R2, algorithms) */
static PyObject *eval_prediction_error(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *names;
  const char *games[SIXER_SUBSET_MAX], *target;
  sixer_published *published;
  sixer_error error;
  sixer_fit fit;
  if (!PyArg_ParseTuple(args, "O!s:prediction_error", &PyTuple_Type, &names, &target)) return NULL;
  Py_ssize_t count = PyTuple_Size(names);
  for (Py_ssize_t i = 0; i < count && i < SIXER_SUBSET_MAX; i++) {
    games[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
    if (!games[i]) return NULL;
  }
  if (sixer_published_open(&published, &error)) return eval_failed(&error);
  sixer_err err = sixer_prediction_error(published, games, (size_t)count, target, &fit, &error);
  sixer_published_close(published);
  return err ? eval_failed(&error)
             : Py_BuildValue("(ddn)", sqrt(fit.cv_mse), fit.cv_r2, (Py_ssize_t)fit.rows);
}

static PyObject *eval_model_interval(PyObject *module, PyObject *args) {
  (void)module;
  sixer_interval runs;
  double sd, confidence;
  if (!PyArg_ParseTuple(args, "ddddd:model_interval", &runs.value, &runs.low, &runs.high, &sd,
                        &confidence))
    return NULL;
  sixer_interval i = sixer_model_interval(runs, sd, confidence);
  return Py_BuildValue("(ddd)", i.value, i.low, i.high);
}

/* ---- The functions --------------------------------------------------------------------------------------------- */

PyMethodDef eval_subset_functions[] = {
    {"predict", eval_predict, METH_VARARGS, "predict(intercept, coefficients, percents)"},
    {"prediction_error", eval_prediction_error, METH_VARARGS,
     "prediction_error(games, target) -> (sd in log10, R2, algorithms)"},
    {"model_error", eval_model_error, METH_VARARGS, "model_error(games) -> sd in log10"},
    {"model_interval", eval_model_interval, METH_VARARGS,
     "model_interval(value, low, high, sd, confidence) -> (value, low, high)"},
    {"fit", eval_fit, METH_VARARGS, "fit(x, y, games, intercept, kind, folds, seed) -> dict"},
    {"search", eval_search, METH_VARARGS,
     "search(x, y, size, required, excluded, kind, folds, seed, top, reference, threads, progress) "
     "-> dict"},
    {"correlate", eval_correlate, METH_VARARGS, "correlate(x, y, out)"},
    {"cost", eval_cost, METH_VARARGS, "cost(...) -> hours, price, kWh, kg of CO2"},
    {NULL, NULL, 0, NULL},
};
