/* Learning curves and intervals of any statistic for Python: the functions of sixer/curves.h on arrays, as
 * sixer.eval.curves wraps them. */
#include "eval_args.h"
#include "sixer/curves.h"

static PyObject *eval_curve_sample(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY frames = {0}, scores = {0}, points = {0}, out = {0};
  int episodes;
  Py_ssize_t window;
  sixer_error error;
  if (!PyArg_ParseTuple(args, "O&O&pnO&O&:curve_sample", eval_reals, &frames, eval_reals, &scores,
                        &episodes, &window, eval_reals, &points, eval_real_results, &out))
    return NULL;
  if (frames.count != scores.count || points.count != out.count || window < 0)
    return eval_mismatch();
  sixer_curve curve = {"", frames.data, scores.data, scores.count, episodes != 0};
  return eval_done(
      sixer_curve_sample(&curve, (size_t)window, points.data, points.count, out.data, &error),
      &error);
}

static PyObject *eval_curve_area(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY frames = {0}, scores = {0};
  double value;
  sixer_error error;
  if (!PyArg_ParseTuple(args, "O&O&:curve_area", eval_reals, &frames, eval_reals, &scores))
    return NULL;
  if (frames.count != scores.count) return eval_mismatch();
  if (sixer_curve_area(frames.data, scores.data, scores.count, &value, &error))
    return eval_failed(&error);
  return PyFloat_FromDouble(value);
}

static PyObject *eval_curve_reach(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY frames = {0}, scores = {0};
  double level, value;
  sixer_error error;
  if (!PyArg_ParseTuple(args, "O&O&d:curve_reach", eval_reals, &frames, eval_reals, &scores,
                        &level))
    return NULL;
  if (frames.count != scores.count) return eval_mismatch();
  if (sixer_curve_reach(frames.data, scores.data, scores.count, level, &value, &error))
    return eval_failed(&error);
  return PyFloat_FromDouble(value);
}

/* Whether the runs times the points are the scores; false after a ValueError. */
static bool is_set(const eval_array *scores, const eval_array *runs, size_t points,
                   sixer_curve_set *set) {
  size_t total = 0;
  for (size_t g = 0; g < runs->count; g++) {
    int64_t n = ((const int64_t *)runs->data)[g];
    if (n < 0 || (size_t)n > scores->count) return eval_mismatch() != NULL;
    total += (size_t)n;
  }
  if (!points || total > SIZE_MAX / points || total * points != scores->count)
    return eval_mismatch() != NULL;
  *set = (sixer_curve_set){scores->data, runs->data, runs->count, points};
  return true;
}

static PyObject *eval_curves_aggregate(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY scores = {0}, runs = {0}, out = {0};
  Py_ssize_t points, replicates;
  unsigned long long seed;
  int aggregate;
  sixer_bootstrap s = sixer_bootstrap_default();
  sixer_curve_set set;
  sixer_error error;
  sixer_err err;
  if (!PyArg_ParseTuple(args, "O&O&nindKidO&:curves_aggregate", eval_reals, &scores, eval_integers,
                        &runs, &points, &aggregate, &replicates, &s.confidence, &seed, &s.threads,
                        &s.cap, eval_real_results, &out))
    return NULL;
  if (points < 0 || replicates < 0 || out.count != 3 * (size_t)points) return eval_mismatch();
  if (!is_set(&scores, &runs, (size_t)points, &set)) return NULL;
  s.replicates = (size_t)replicates;
  s.seed = seed;
  UNLOCKED(err = sixer_curves_aggregate(&set, (sixer_aggregate)aggregate, &s,
                                        (sixer_interval *)out.data, &error));
  return eval_done(err, &error);
}

/* The runs that replicates first, first + 1, ... draw: a row each. */
static PyObject *eval_bootstrap_draw(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY runs = {0}, out = {0};
  unsigned long long seed, first;
  size_t total = 0;
  if (!PyArg_ParseTuple(args, "O&KKO&:bootstrap_draw", eval_integers, &runs, &seed, &first,
                        eval_integer_results, &out))
    return NULL;
  for (size_t g = 0; g < runs.count; g++) {
    int64_t n = ((const int64_t *)runs.data)[g];
    if (n < 1 || (size_t)n > out.count) return eval_mismatch();
    total += (size_t)n;
  }
  if (!total || out.count % total) return eval_mismatch();
  size_t *drawn = out.data;
  for (size_t i = 0; i < out.count / total; i++)
    sixer_bootstrap_draw(runs.data, runs.count, seed, (size_t)first + i, drawn + i * total);
  Py_RETURN_NONE;
}

static PyObject *eval_interval(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY replicates = {0}, left_out = {0}, runs = {0};
  int kind;
  double value, confidence;
  size_t total = 0;
  sixer_interval made;
  sixer_error error;
  if (!PyArg_ParseTuple(args, "idO&O&O&d:interval", &kind, &value, eval_real_results, &replicates,
                        eval_reals, &left_out, eval_integers, &runs, &confidence))
    return NULL;
  for (size_t g = 0; g < runs.count; g++) {
    int64_t n = ((const int64_t *)runs.data)[g];
    if (n < 1 || (size_t)n > left_out.count) return eval_mismatch();
    total += (size_t)n;
  }
  if (kind < 0 || kind > SIXER_INTERVAL_BCA || total != left_out.count) return eval_mismatch();
  if (sixer_interval_compute((sixer_interval_kind)kind, value, replicates.data, replicates.count,
                             left_out.data, runs.data, runs.count, confidence, &made, &error))
    return eval_failed(&error);
  return Py_BuildValue("(ddd)", made.value, made.low, made.high);
}

static PyObject *eval_p_adjust(PyObject *module, PyObject *args) {
  (void)module;
  ARRAY p = {0}, out = {0};
  int kind;
  sixer_error error;
  if (!PyArg_ParseTuple(args, "iO&O&:p_adjust", &kind, eval_reals, &p, eval_real_results, &out))
    return NULL;
  if (kind < 0 || kind > SIXER_CORRECTION_BH || p.count != out.count) return eval_mismatch();
  return eval_done(sixer_p_adjust((sixer_correction)kind, p.data, p.count, out.data, &error),
                   &error);
}

/* ---- files ---- */

static PyObject *bytes_of(const double *values, size_t count) {
  return PyBytes_FromStringAndSize((const char *)values, (Py_ssize_t)(count * sizeof *values));
}

/* [(agent, game, run, episodes, bytes of the frames, bytes of the scores)], [(name, text)] */
static PyObject *collect(const sixer_curves *curves, const sixer_protocol_info *info) {
  PyObject *list = PyList_New(0), *warnings = PyList_New(0);
  for (size_t a = 0; list && a < sixer_curves_agent_count(curves); a++) {
    for (size_t g = 0; list && g < info->game_count; g++) {
      for (size_t r = 0; list && r < sixer_curves_run_count(curves, a, g); r++) {
        sixer_curve c = sixer_curves_run(curves, a, g, r);
        PyObject *item =
            Py_BuildValue("(sssiNN)", sixer_curves_agent(curves, a), info->games[g], c.run,
                          c.episodes, bytes_of(c.frames, c.count), bytes_of(c.scores, c.count));
        if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
        Py_XDECREF(item);
      }
    }
  }
  for (size_t i = 0; warnings && i < sixer_curves_warning_count(curves); i++) {
    sixer_warning warning = sixer_curves_warning(curves, i);
    PyObject *item = Py_BuildValue("(ss)", warning.name, warning.text);
    if (!item || PyList_Append(warnings, item) < 0) Py_CLEAR(warnings);
    Py_XDECREF(item);
  }
  if (list && warnings) return Py_BuildValue("(NN)", list, warnings);
  Py_XDECREF(list);
  Py_XDECREF(warnings);
  return NULL;
}

static sixer_err read_file(void *curves, const char *path, sixer_error *error) {
  return sixer_curves_read(curves, path, path, error);
}

static sixer_err read_runs(void *curves, const char *agent, const char *const *patterns,
                           size_t count, sixer_error *error) {
  return sixer_curves_read_runs(curves, agent, patterns, count, error);
}

static const eval_reader curve_reader = {read_file, read_runs};

static PyObject *eval_read_curves(PyObject *module, PyObject *args) {
  (void)module;
  const char *name;
  PyObject *agents, *result = NULL;
  int limit, frames_per_step;
  if (!PyArg_ParseTuple(args, "sOii:read_curves", &name, &agents, &limit, &frames_per_step))
    return NULL;
  sixer_protocol *protocol = NULL;
  sixer_published *published = NULL;
  sixer_curves *curves = NULL;
  sixer_error error = {SIXER_OK, ""};
  sixer_err err = sixer_protocol_open(name, &protocol, &error);
  if (!err) err = sixer_published_open(&published, &error);
  if (!err) {
    sixer_scores_config config = sixer_scores_config_default(protocol);
    if (limit >= 0) config.limit = limit;
    config.frames_per_step = frames_per_step;
    err = sixer_curves_create(protocol, published, &config, &curves, &error);
  }
  if (err) {
    eval_failed(&error);
  } else if (eval_read_agents(agents, &curve_reader, curves)) {
    sixer_protocol_info info = sixer_protocol_describe(protocol);
    result = collect(curves, &info);
  }
  sixer_curves_destroy(curves);
  sixer_published_close(published);
  sixer_protocol_close(protocol);
  return result;
}

PyMethodDef eval_curve_functions[] = {
    {"curve_sample", eval_curve_sample, METH_VARARGS,
     "curve_sample(frames, scores, episodes, window, points, out)"},
    {"curve_area", eval_curve_area, METH_VARARGS, "curve_area(frames, scores) -> mean height"},
    {"curve_reach", eval_curve_reach, METH_VARARGS, "curve_reach(frames, scores, level) -> frames"},
    {"curves_aggregate", eval_curves_aggregate, METH_VARARGS,
     "curves_aggregate(scores, runs, points, aggregate, replicates, confidence, seed, threads, "
     "cap, "
     "out)"},
    {"bootstrap_draw", eval_bootstrap_draw, METH_VARARGS, "bootstrap_draw(runs, seed, first, out)"},
    {"interval", eval_interval, METH_VARARGS,
     "interval(kind, value, replicates, left_out, runs, confidence) -> value, low, high"},
    {"p_adjust", eval_p_adjust, METH_VARARGS, "p_adjust(kind, p, out)"},
    {"read_curves", eval_read_curves, METH_VARARGS,
     "read_curves(name, agents, limit, frames_per_step) -> curves, warnings"},
    {NULL, NULL, 0, NULL},
};
