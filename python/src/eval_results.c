/* Result files and logs for Python: sixer_scores as dicts. */
#include "eval_args.h"
#include "sixer/scores.h"

bool eval_read_agents(PyObject *agents, const eval_reader *reader, void *collection) {
  Py_ssize_t count = PySequence_Size(agents);
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *item = PySequence_GetItem(agents, i), *files = NULL;
    const char *name = NULL;
    if (!item || !PyArg_ParseTuple(item, "zO!", &name, &PyTuple_Type, &files)) {
      Py_XDECREF(item);
      return false;
    }
    size_t file_count = (size_t)PyTuple_Size(files);
    const char **paths = PyMem_Malloc((file_count + 1) * sizeof *paths);
    bool good = paths != NULL;
    if (!good) PyErr_NoMemory();
    for (size_t k = 0; good && k < file_count; k++) {
      paths[k] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(files, (Py_ssize_t)k), NULL);
      good = paths[k] != NULL;
    }
    sixer_error error = {SIXER_OK, ""};
    sixer_err err = SIXER_OK;
    if (good && name) {
      UNLOCKED(err = reader->read_runs(collection, name, paths, file_count, &error));
    } else {
      for (size_t k = 0; good && !err && k < file_count; k++)
        UNLOCKED(err = reader->read(collection, paths[k], &error));
    }
    if (err) good = eval_failed(&error) != NULL;
    PyMem_Free(paths);
    Py_DECREF(item);
    if (!good) return false;
  }
  return count >= 0;
}

/* ---- scores ---- */

static sixer_err read_scores(void *scores, const char *path, sixer_error *error) {
  return sixer_scores_read(scores, path, path, error);
}

static sixer_err read_score_runs(void *scores, const char *agent, const char *const *patterns,
                                 size_t count, sixer_error *error) {
  return sixer_scores_read_runs(scores, agent, patterns, count, error);
}

static const eval_reader score_reader = {read_scores, read_score_runs};

/* {game: bytes of the scores of its runs} */
static PyObject *agent_dict(const sixer_agent_scores *agent, const sixer_protocol_info *info) {
  PyObject *dict = PyDict_New();
  for (size_t g = 0; dict && g < info->game_count; g++) {
    if (!agent->runs[g]) continue;
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)agent->scores[g],
                                                (Py_ssize_t)(agent->runs[g] * sizeof(double)));
    if (!bytes || PyDict_SetItemString(dict, info->games[g], bytes) < 0) Py_CLEAR(dict);
    Py_XDECREF(bytes);
  }
  return dict;
}

static PyObject *collect(const sixer_scores *scores, const sixer_protocol_info *info) {
  size_t agents = sixer_scores_agent_count(scores), warned = sixer_scores_warning_count(scores);
  PyObject *list = PyList_New((Py_ssize_t)agents), *warnings = PyList_New((Py_ssize_t)warned);
  for (size_t i = 0; list && i < agents; i++) {
    sixer_agent_scores agent = sixer_scores_agent(scores, i);
    PyObject *item = Py_BuildValue("(sN)", agent.name, agent_dict(&agent, info));
    if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) Py_CLEAR(list);
  }
  for (size_t i = 0; warnings && i < warned; i++) {
    sixer_warning warning = sixer_scores_warning(scores, i);
    PyObject *item = Py_BuildValue("(ss)", warning.name, warning.text);
    if (!item || PyList_SetItem(warnings, (Py_ssize_t)i, item) < 0) Py_CLEAR(warnings);
  }
  if (list && warnings) return Py_BuildValue("(NN)", list, warnings);
  Py_XDECREF(list);
  Py_XDECREF(warnings);
  return NULL;
}

/* read_results(protocol text, its name, agents, checkpoint or -1, limit or -1, partial, frames_per_step) */
static PyObject *eval_read_results(PyObject *module, PyObject *args) {
  (void)module;
  const char *text, *name;
  PyObject *agents;
  long long checkpoint;
  int limit, partial, frames_per_step;
  if (!PyArg_ParseTuple(args, "zsOLipi:read_results", &text, &name, &agents, &checkpoint, &limit,
                        &partial, &frames_per_step))
    return NULL;
  sixer_protocol *protocol = NULL;
  sixer_published *published = NULL;
  sixer_scores *scores = NULL;
  sixer_error error = {SIXER_OK, ""};
  PyObject *result = NULL;
  sixer_err err = text ? sixer_protocol_parse(text, name, &protocol, &error)
                       : sixer_protocol_open(name, &protocol, &error);
  if (!err) err = sixer_published_open(&published, &error);
  if (!err) {
    sixer_scores_config config = sixer_scores_config_default(protocol);
    if (checkpoint >= 0) config.checkpoint = checkpoint;
    if (limit >= 0) config.limit = limit;
    config.partial = partial;
    config.frames_per_step = frames_per_step;
    err = sixer_scores_create(protocol, published, &config, &scores, &error);
  }
  if (err) {
    eval_failed(&error);
  } else if (eval_read_agents(agents, &score_reader, scores)) {
    sixer_protocol_info info = sixer_protocol_describe(protocol);
    result = collect(scores, &info);
  }
  sixer_scores_destroy(scores);
  sixer_published_close(published);
  sixer_protocol_close(protocol);
  return result;
}

/* ---- the protocol of the rows ---- */

enum { STATED_MAX = 200 };

static sixer_err find_in_patterns(void *stated, const char *agent, const char *const *patterns,
                                  size_t count, sixer_error *error) {
  (void)agent;
  return *(char *)stated ? SIXER_OK
                         : sixer_scores_find_protocol(patterns, count, stated, STATED_MAX, error);
}

static sixer_err find_in_file(void *stated, const char *path, sixer_error *error) {
  return find_in_patterns(stated, NULL, &path, 1, error);
}

static const eval_reader protocol_reader = {find_in_file, find_in_patterns};

static PyObject *eval_find_protocol(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *agents;
  char stated[STATED_MAX] = "";
  if (!PyArg_ParseTuple(args, "O:find_protocol", &agents)) return NULL;
  return eval_read_agents(agents, &protocol_reader, stated) ? PyUnicode_FromString(stated) : NULL;
}

PyMethodDef eval_result_functions[] = {
    {"find_protocol", eval_find_protocol, METH_VARARGS,
     "find_protocol(agents) -> the protocol that their rows name, or an empty text"},
    {"read_results", eval_read_results, METH_VARARGS,
     "read_results(text, name, agents, checkpoint, limit, partial, frames_per_step) -> agents, "
     "warnings"},
    {NULL, NULL, 0, NULL},
};
