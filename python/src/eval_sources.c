/* What scores are compared with, for Python: protocols and published results. */
#include "eval_args.h"

/* ---- Protocols ------------------------------------------------------------------------------------------------- */

static PyObject *eval_protocol_names(PyObject *module, PyObject *ignored) {
  (void)module;
  (void)ignored;
  const char *const *names = sixer_protocol_names();
  size_t count = 0;
  while (names[count]) count++;
  return eval_texts(names, count);
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
      "s:i,s:O,s:N,s:i,s:d,s:s,s:s,s:d,s:N,s:O,s:i,s:i,s:L,s:L,s:d,s:L,s:(ii),s:(ii),s:z,s:d}",
      "name", i.name, "version", i.version, "title", i.title, "source", i.source, "base", i.base,
      "hash", i.hash, "text", sixer_protocol_text(protocol), "games",
      eval_texts(i.games, i.game_count), "tuning", eval_texts(i.tuning, i.tuning_count), "flavors",
      i.flavors, "sticky", i.sticky, "minimal_actions", i.minimal_actions ? Py_True : Py_False,
      "frame_skip", i.frame_skip, "noop_starts", i.noop_starts, "life_loss", loss[i.life_loss],
      "max_frames", i.max_frames, "stuck_frames", i.stuck_frames, "fixed_scoring",
      i.fixed_scoring ? Py_True : Py_False, "length_in_episodes",
      i.length_in_episodes ? Py_True : Py_False, "length", (long long)i.length, "checkpoints",
      long_list(i.checkpoints, NULL, i.checkpoint_count), "score_of", of[i.score_of], "episodes",
      i.episodes, "include_crossing", i.include_crossing ? Py_True : Py_False, "limits",
      long_list(NULL, i.limits, i.limit_count), "trials", i.trials, "significance", i.significance,
      "aggregate", i.aggregate, "normalization", i.normalization, "endless", i.endless, "model",
      model_of(protocol, &i), "all_flavors", i.all_flavors ? Py_True : Py_False, "mode", i.mode,
      "difficulty", i.difficulty, "evaluation_interval", (long long)i.evaluation_interval,
      "evaluation_length", (long long)i.evaluation_length, "test_epsilon", i.test_epsilon,
      "planning_budget", (long long)i.planning_budget, "train_levels", i.train_levels[0],
      i.train_levels[1], "test_levels", i.test_levels[0], i.test_levels[1], "model_target",
      i.model_target, "model_error", i.model_error);
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
  if (err) return eval_failed(&error);
  PyObject *about = describe(protocol);
  sixer_protocol_close(protocol);
  return about;
}

/* ---- Published results ----------------------------------------------------------------------------------------- */

static sixer_published *published_open(void) {
  sixer_published *published = NULL;
  sixer_error error = {SIXER_OK, ""};
  if (sixer_published_open(&published, &error)) eval_failed(&error);
  return published;
}

static PyObject *bytes_of(const void *data, size_t count, size_t size) {
  return PyBytes_FromStringAndSize(data, (Py_ssize_t)(count * size));
}

static PyObject *result_dict(const sixer_result_set *s) {
  return Py_BuildValue("{s:s,s:s,s:s,s:z,s:s,s:i,s:L,s:i,s:N,s:N,s:N}", "id", s->id, "agent",
                       s->agent, "source", s->source, "protocol", s->protocol, "license",
                       s->license, "limit", s->limit, "frames", (long long)s->frames, "trials",
                       s->trials, "games", eval_texts(s->games, s->count), "means",
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
  PyObject *result = sixer_published_find(p, name, protocol, &found, &error) ? eval_failed(&error)
                                                                             : result_dict(found);
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
                                   bytes_of(d.y, d.rows, sizeof(double)), eval_texts(names, d.rows),
                                   eval_texts(games, d.games));
  sixer_published_close(p);
  return result;
}

/* ---- The functions --------------------------------------------------------------------------------------------- */

PyMethodDef eval_source_functions[] = {
    {"protocol_names", eval_protocol_names, METH_NOARGS, "protocol_names() -> tuple"},
    {"protocol", eval_protocol, METH_VARARGS, "protocol(name, text) -> dict"},
    {"published", eval_published, METH_NOARGS, "published() -> list of dicts"},
    {"published_find", eval_published_find, METH_VARARGS, "published_find(name, protocol) -> dict"},
    {"published_games", eval_published_games, METH_O, "published_games(names) -> ids or None"},
    {"published_file", eval_published_file, METH_O, "published_file(name) -> bytes or None"},
    {"atari5_data", eval_atari5_data, METH_O, "atari5_data(by_name) -> x, y, names, games"},
    {NULL, NULL, 0, NULL},
};
