/* Agents and training runs for Python: an agent with its own env, and the runs of sixer/train.h. The Python side is
 * sixer/agents.py. The interpreter's lock is released while an object works; a call from a second thread is an
 * error. */
#include "ext.h"
#include "sixer/train.h"

static PyObject *fail_as(const sixer_error *error) {
  PyObject *type = error->code == SIXER_ERR_MEMORY ? PyExc_MemoryError
                   : error->code == SIXER_ERR_FILE ? PyExc_OSError
                                                   : PyExc_ValueError;
  return ext_raise_as(type, error);
}

static bool check_rom(PyTypeObject *type, PyObject *object) {
  if (PyObject_TypeCheck(object, (PyTypeObject *)ext_of_type(type)->rom_type)) return true;
  PyErr_SetString(PyExc_TypeError, "rom must be a Rom");
  return false;
}

static bool enter(bool *busy) {
  if (*busy) {
    PyErr_SetString(PyExc_RuntimeError,
                    "another thread is using this object, or another call is not done");
    return false;
  }
  return *busy = true;
}

static void *allocate(PyTypeObject *type) {
  return ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
}

static void release(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

/* ---- Agents ---------------------------------------------------------------------------------------------------- */

typedef struct ext_agent {
  PyObject_HEAD PyObject *rom;
  sixer_env *env;
  sixer_agent *agent;
  sixer_list actions;
  sixer_result result;
  bool busy;
} ext_agent;

static PyObject *agent_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static char *names[] = {"rom",        "name", "options",    "model",      "seed",    "sticky",
                          "frame_skip", "mode", "difficulty", "max_frames", "minimal", NULL};
  PyObject *rom_object, *path = NULL;
  const char *name, *options;
  unsigned long long seed;
  int minimal, skip, mode, difficulty, max_frames;
  float sticky;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OssO&Kfiiiip:Agent", names, &rom_object, &name,
                                   &options, PyUnicode_FSConverter, &path, &seed, &sticky, &skip,
                                   &mode, &difficulty, &max_frames, &minimal))
    return NULL;
  const char *file = PyBytes_AsString(path);
  ext_agent *self = check_rom(type, rom_object) && file ? allocate(type) : NULL;
  if (!self) {
    Py_DECREF(path);
    return NULL;
  }
  self->rom = Py_NewRef(rom_object);
  const sixer_rom *rom = ((ext_rom *)rom_object)->rom;
  sixer_config config = sixer_config_default();
  sixer_error error = {SIXER_OK, ""};
  sixer_err err = SIXER_OK;
  self->actions = minimal ? sixer_rom_minimal_actions(rom) : sixer_rom_legal_actions(rom);
  if (*file) { /* a model has its settings in the file */
    sixer_model *model = NULL;
    Py_BEGIN_ALLOW_THREADS err = sixer_model_open(file, &model, &error);
    if (!err) err = sixer_model_config(model, rom, &config, &self->actions, &error);
    if (!err) err = sixer_model_agent(model, rom, &self->agent, &error);
    sixer_model_close(model);
    Py_END_ALLOW_THREADS
  } else {
    config.mode = mode;
    config.difficulty = difficulty;
    config.sticky = sticky;
    config.frame_skip = skip;
    config.max_frames = max_frames;
    err = sixer_agent_create(name, options, seed, &self->agent, &error);
    if (!err) sixer_agent_prepare(self->agent, &config);
  }
  Py_DECREF(path);
  config.seed = (uint32_t)seed;
  if (!err) err = sixer_env_create(rom, &config, &self->env, &error);
  if (err) {
    Py_DECREF(self);
    return fail_as(&error);
  }
  return (PyObject *)self;
}

static void agent_dealloc(PyObject *object) {
  ext_agent *self = (ext_agent *)object;
  sixer_agent_destroy(self->agent);
  sixer_env_destroy(self->env);
  Py_CLEAR(self->rom);
  release(object);
}

static PyObject *agent_act(PyObject *object, PyObject *ignored) {
  (void)ignored;
  ext_agent *self = (ext_agent *)object;
  sixer_error error = {SIXER_OK, ""};
  sixer_err err;
  int action = 0;
  if (!enter(&self->busy)) return NULL;
  Py_BEGIN_ALLOW_THREADS err =
      sixer_agent_act(self->agent, self->env, self->actions, &action, &error);
  Py_END_ALLOW_THREADS self->busy = false;
  return err ? fail_as(&error) : PyLong_FromLong(action);
}

static PyObject *agent_step(PyObject *object, PyObject *argument) {
  ext_agent *self = (ext_agent *)object;
  long long action;
  if (!ext_int(argument, 0, SIXER_ACTION_COUNT - 1, &action, "action")) return NULL;
  if (!enter(&self->busy)) return NULL;
  Py_BEGIN_ALLOW_THREADS sixer_env_step(self->env, (int)action, &self->result);
  Py_END_ALLOW_THREADS self->busy = false;
  const sixer_result *r = &self->result;
  return Py_BuildValue("(iOOiii)", r->reward, r->over ? Py_True : Py_False,
                       r->terminal ? Py_True : Py_False, r->lives, r->frames, r->executed);
}

static PyObject *agent_learn(PyObject *object, PyObject *ignored) {
  (void)ignored;
  ext_agent *self = (ext_agent *)object;
  sixer_error error = {SIXER_OK, ""};
  sixer_err err;
  if (!enter(&self->busy)) return NULL;
  Py_BEGIN_ALLOW_THREADS err = sixer_agent_learn(self->agent, self->env, &self->result, &error);
  Py_END_ALLOW_THREADS self->busy = false;
  if (err) return fail_as(&error);
  Py_RETURN_NONE;
}

static PyObject *agent_reset(PyObject *object, PyObject *ignored) {
  (void)ignored;
  ext_agent *self = (ext_agent *)object;
  if (!enter(&self->busy)) return NULL;
  Py_BEGIN_ALLOW_THREADS sixer_env_reset(self->env);
  sixer_agent_reset(self->agent);
  self->result = (sixer_result){0};
  Py_END_ALLOW_THREADS self->busy = false;
  Py_RETURN_NONE;
}

enum { STATE_FLAGS = SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE };

/* (state of the env, saved agent): both are checked when they are loaded. */
static PyObject *agent_save(PyObject *object, PyObject *ignored) {
  (void)ignored;
  ext_agent *self = (ext_agent *)object;
  sixer_error error = {SIXER_OK, ""};
  void *bytes = NULL;
  size_t size = 0, state_size = sixer_env_state_size(self->env, STATE_FLAGS);
  PyObject *state = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)state_size);
  if (!state || !enter(&self->busy)) {
    Py_XDECREF(state);
    return NULL;
  }
  sixer_env_save(self->env, STATE_FLAGS, PyBytes_AsString(state));
  sixer_err err;
  Py_BEGIN_ALLOW_THREADS err = sixer_agent_save(self->agent, &bytes, &size, &error);
  Py_END_ALLOW_THREADS self->busy = false;
  if (err) {
    Py_DECREF(state);
    return fail_as(&error);
  }
  PyObject *result = Py_BuildValue("(Ny#)", state, (const char *)bytes, (Py_ssize_t)size);
  free(bytes);
  return result;
}

static PyObject *agent_load(PyObject *object, PyObject *args) {
  ext_agent *self = (ext_agent *)object;
  const char *state, *agent;
  Py_ssize_t state_size, agent_size;
  sixer_error error = {SIXER_OK, ""};
  if (!PyArg_ParseTuple(args, "y#y#:load", &state, &state_size, &agent, &agent_size)) return NULL;
  if (!enter(&self->busy)) return NULL;
  sixer_err err;
  Py_BEGIN_ALLOW_THREADS err = sixer_env_load(self->env, state, (size_t)state_size, &error);
  if (!err) err = sixer_agent_load(self->agent, self->env, agent, (size_t)agent_size, &error);
  self->result = (sixer_result){0};
  Py_END_ALLOW_THREADS self->busy = false;
  if (err) return fail_as(&error);
  Py_RETURN_NONE;
}

static PyObject *agent_status(PyObject *object, PyObject *ignored) {
  (void)ignored;
  ext_agent *self = (ext_agent *)object;
  if (!enter(&self->busy)) return NULL;
  sixer_status s = sixer_env_status(self->env);
  sixer_agent_progress p = sixer_agent_learned(self->agent);
  self->busy = false;
  return Py_BuildValue(
      "{s:L,s:i,s:L,s:i,s:i,s:O,s:O,s:L,s:L,s:L,s:L,s:d,s:d,s:d,s:d}", "score", (long long)s.score,
      "episode_frames", s.episode_frames, "frames", (long long)s.frames, "lives", s.lives, "level",
      s.level, "over", s.over ? Py_True : Py_False, "learns",
      sixer_agent_learns(self->agent) ? Py_True : Py_False, "steps", (long long)p.steps, "updates",
      (long long)p.updates, "features", (long long)p.features, "memory", (long long)p.memory,
      "value", p.value, "error", p.error, "loss", p.loss, "epsilon", p.epsilon);
}

static PyObject *agent_look(PyObject *object, PyObject *ignored) {
  (void)ignored;
  ext_agent *self = (ext_agent *)object;
  sixer_error error = {SIXER_OK, ""};
  sixer_agent_view view;
  if (!enter(&self->busy)) return NULL;
  sixer_err err;
  Py_BEGIN_ALLOW_THREADS err =
      sixer_agent_look(self->agent, self->env, self->actions, &view, &error);
  Py_END_ALLOW_THREADS if (err) {
    self->busy = false;
    return fail_as(&error);
  }
  /* busy until the view is copied: making objects may run finalizers, which may call this agent */
  PyObject *values = PyList_New(view.actions);
  for (int i = 0; values && i < view.actions; i++) {
    PyObject *value = PyFloat_FromDouble(view.values[i]);
    if (!value || PyList_SetItem(values, i, value) < 0) Py_CLEAR(values);
  }
  const char *pixels = view.pixels ? (const char *)view.pixels : ""; /* NULL would become None */
  PyObject *result = values ? Py_BuildValue("(Ny#iii)", values, pixels,
                                            (Py_ssize_t)view.frames * view.height * view.width,
                                            view.frames, view.height, view.width)
                            : NULL;
  self->busy = false;
  return result;
}

static PyObject *agent_distribution(PyObject *object, PyObject *ignored) {
  (void)ignored;
  static const char *const kinds[] = {"none", "atoms", "quantiles"};
  ext_agent *self = (ext_agent *)object;
  sixer_error error = {SIXER_OK, ""};
  sixer_agent_view view;
  if (!enter(&self->busy)) return NULL;
  sixer_err err;
  Py_BEGIN_ALLOW_THREADS err =
      sixer_agent_look(self->agent, self->env, self->actions, &view, &error);
  Py_END_ALLOW_THREADS self->busy = false;
  if (err) return fail_as(&error);
  Py_ssize_t size = (Py_ssize_t)sizeof(float) * view.points;
  /* NULL would become None */
  const char *at = view.at ? (const char *)view.at : "";
  const char *numbers = view.distribution ? (const char *)view.distribution : "";
  return Py_BuildValue("(sy#y#i)", kinds[view.kind], at, size, numbers, size * view.actions,
                       view.points);
}

static PyObject *agent_saliency(PyObject *object, PyObject *arguments) {
  ext_agent *self = (ext_agent *)object;
  sixer_error error = {SIXER_OK, ""};
  float map[SIXER_SALIENCY_CELLS * SIXER_SALIENCY_CELLS];
  int cells;
  if (!PyArg_ParseTuple(arguments, "i", &cells) || !enter(&self->busy)) return NULL;
  sixer_err err;
  Py_BEGIN_ALLOW_THREADS err =
      sixer_agent_saliency(self->agent, self->env, self->actions, cells, map, &error);
  Py_END_ALLOW_THREADS self->busy = false;
  if (err) return fail_as(&error);
  return Py_BuildValue("y#", (const char *)map, (Py_ssize_t)sizeof(float) * cells * cells);
}

static PyObject *agent_settings(PyObject *object, PyObject *ignored) {
  (void)ignored;
  ext_agent *self = (ext_agent *)object;
  if (!enter(&self->busy)) return NULL;
  size_t length = sixer_agent_settings(self->agent, NULL, 0);
  char *text = malloc(length + 1);
  if (text) sixer_agent_settings(self->agent, text, length + 1);
  self->busy = false;
  if (!text) return PyErr_NoMemory();
  PyObject *result = PyUnicode_DecodeFSDefault(text);
  free(text);
  return result;
}

static PyObject *agent_actions(PyObject *object, PyObject *ignored) {
  (void)ignored;
  return ext_list(((ext_agent *)object)->actions);
}

static PyObject *agent_screen(PyObject *object, PyObject *array) {
  ext_agent *self = (ext_agent *)object;
  Py_buffer view;
  if (!ext_buffer(array, &view, "screen")) return NULL;
  if (!enter(&self->busy)) {
    PyBuffer_Release(&view);
    return NULL;
  }
  const uint8_t *screen = sixer_env_screen(self->env);
  Py_ssize_t wanted = (Py_ssize_t)160 * sixer_env_height(self->env);
  bool fits = view.len == wanted;
  if (fits && screen) memcpy(view.buf, screen, (size_t)wanted);
  self->busy = false;
  PyBuffer_Release(&view);
  if (!fits) return PyErr_Format(PyExc_ValueError, "screen must have %zd bytes", wanted);
  if (!screen) {
    PyErr_SetString(PyExc_RuntimeError, "nothing is drawn for an agent that reads memory only");
    return NULL;
  }
  Py_RETURN_NONE;
}

static PyMethodDef agent_methods[] = {
    {"act", agent_act, METH_NOARGS, "act() -> the action that the agent chooses"},
    {"step", agent_step, METH_O,
     "step(action) -> (reward, over, terminal, lives, frames, executed)"},
    {"learn", agent_learn, METH_NOARGS, "learn() from what the last step brought"},
    {"reset", agent_reset, METH_NOARGS, "reset() begins a new episode"},
    {"save", agent_save, METH_NOARGS, "save() -> (state of the game, saved agent)"},
    {"load", agent_load, METH_VARARGS, "load(state, agent)"},
    {"status", agent_status, METH_NOARGS, "status() -> dict"},
    {"distribution", agent_distribution, METH_NOARGS,
     "distribution() -> (kind, at, numbers, points)"},
    {"saliency", agent_saliency, METH_VARARGS, "saliency(cells) -> map"},
    {"look", agent_look, METH_NOARGS, "look() -> (values, pixels, frames, height, width)"},
    {"settings", agent_settings, METH_NOARGS, "settings() -> all options as text"},
    {"actions", agent_actions, METH_NOARGS, "actions() -> list of those it chooses from"},
    {"screen", agent_screen, METH_O, "screen(array) fills in palette bytes"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot agent_slots[] = {
    {Py_tp_doc, "An agent with its own env; see sixer.agents.Agent"},
    {Py_tp_new, (void *)agent_new},
    {Py_tp_dealloc, (void *)agent_dealloc},
    {Py_tp_methods, agent_methods},
    {0, NULL},
};

PyType_Spec ext_agent_spec = {
    .name = "sixer._sixer.Agent",
    .basicsize = sizeof(ext_agent),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = agent_slots,
};

/* ---- Training -------------------------------------------------------------------------------------------------- */

typedef struct ext_train {
  PyObject_HEAD PyObject *rom;
  sixer_protocol *protocol;
  sixer_train *train;
  int limits;
  bool busy;
} ext_train;

static PyObject *train_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static char *names[] = {"rom",        "agent",      "options", "label",   "protocol", "seed",
                          "mode",       "difficulty", "level",   "levels",  "frames",   "episodes",
                          "evaluation", "path",       "resume",  "threads", NULL};
  PyObject *rom_object, *path = NULL;
  const char *protocol;
  unsigned int seed;
  long long frames, episodes;
  int resume;
  sixer_train_settings s = sixer_train_settings_default();
  if (!PyArg_ParseTupleAndKeywords(
          args, keywords, "OssssIiiiiLLiO&pi:Training", names, &rom_object, &s.agent, &s.options,
          &s.label, &protocol, &seed, &s.mode, &s.difficulty, &s.level, &s.levels, &frames,
          &episodes, &s.evaluation, PyUnicode_FSConverter, &path, &resume, &s.threads))
    return NULL;
  ext_train *self = check_rom(type, rom_object) ? allocate(type) : NULL;
  if (!self) {
    Py_DECREF(path);
    return NULL;
  }
  self->rom = Py_NewRef(rom_object);
  sixer_error error = {SIXER_OK, ""};
  sixer_err err = sixer_protocol_open(protocol, &self->protocol, &error);
  s.rom = ((ext_rom *)rom_object)->rom;
  s.protocol = self->protocol;
  s.seed = seed;
  s.frames = frames;
  s.episodes = episodes;
  s.path = PyBytes_AsString(path);
  if (s.path && !*s.path) s.path = NULL;
  if (!err) {
    self->limits = (int)sixer_protocol_describe(self->protocol).limit_count;
    Py_BEGIN_ALLOW_THREADS err = resume ? sixer_train_resume(&s, &self->train, &error)
                                        : sixer_train_create(&s, &self->train, &error);
    Py_END_ALLOW_THREADS
  }
  Py_DECREF(path);
  if (err) {
    Py_DECREF(self);
    return fail_as(&error);
  }
  return (PyObject *)self;
}

static void train_dealloc(PyObject *object) {
  ext_train *self = (ext_train *)object;
  sixer_train_destroy(self->train);
  sixer_protocol_close(self->protocol);
  Py_CLEAR(self->rom);
  release(object);
}

static PyObject *train_run(PyObject *object, PyObject *argument) {
  ext_train *self = (ext_train *)object;
  long long steps;
  sixer_error error = {SIXER_OK, ""};
  sixer_err err;
  if (!ext_int(argument, 0, INT64_MAX, &steps, "steps")) return NULL;
  if (!enter(&self->busy)) return NULL;
  Py_BEGIN_ALLOW_THREADS err = sixer_train_run(self->train, steps, &error);
  Py_END_ALLOW_THREADS self->busy = false;
  if (err) return fail_as(&error);
  Py_RETURN_NONE;
}

static PyObject *train_save(PyObject *object, PyObject *ignored) {
  (void)ignored;
  ext_train *self = (ext_train *)object;
  sixer_error error = {SIXER_OK, ""};
  sixer_err err;
  if (!enter(&self->busy)) return NULL;
  Py_BEGIN_ALLOW_THREADS err = sixer_train_save(self->train, &error);
  Py_END_ALLOW_THREADS self->busy = false;
  if (err) return fail_as(&error);
  Py_RETURN_NONE;
}

static PyObject *progress_dict(const sixer_train_progress *p) {
  return Py_BuildValue(
      "{s:L,s:L,s:L,s:d,s:d,s:i,s:d,s:d,s:O,s:O,s:i,s:d}", "frames", (long long)p->frames, "steps",
      (long long)p->steps, "episodes", (long long)p->episodes, "share", p->share, "mean", p->mean,
      "averaged", p->averaged, "best", p->best, "last", p->last, "trained",
      p->trained ? Py_True : Py_False, "finished", p->finished ? Py_True : Py_False, "evaluated",
      p->evaluated, "evaluation_mean", p->evaluation_mean);
}

static PyObject *train_progress(PyObject *object, PyObject *ignored) {
  (void)ignored;
  ext_train *self = (ext_train *)object;
  if (!enter(&self->busy)) return NULL;
  sixer_train_progress p = sixer_train_progress_of(self->train);
  self->busy = false;
  return progress_dict(&p);
}

static PyObject *train_scores(PyObject *object, PyObject *ignored) {
  (void)ignored;
  ext_train *self = (ext_train *)object;
  PyObject *list = PyList_New(0);
  sixer_train_score s;
  if (!list || !enter(&self->busy)) {
    Py_XDECREF(list);
    return NULL;
  }
  for (int i = 0; list && sixer_train_score_at(self->train, i, &s); i++) {
    PyObject *row = Py_BuildValue("(Ldi)", (long long)s.at, s.score[self->limits - 1], s.episodes);
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  self->busy = false;
  return list;
}

static PyObject *train_settings(PyObject *object, PyObject *ignored) {
  (void)ignored;
  return PyUnicode_DecodeFSDefault(sixer_train_text(((ext_train *)object)->train));
}

static PyMethodDef train_methods[] = {
    {"run", train_run, METH_O, "run(steps) goes on for at most so many decisions"},
    {"save", train_save, METH_NOARGS, "save() writes a checkpoint"},
    {"progress", train_progress, METH_NOARGS, "progress() -> dict"},
    {"scores", train_scores, METH_NOARGS, "scores() -> list of (at, score, episodes averaged)"},
    {"settings", train_settings, METH_NOARGS, "settings() -> text, a line each"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot train_slots[] = {
    {Py_tp_doc, "A training run; see sixer.agents.Training"},
    {Py_tp_new, (void *)train_new},
    {Py_tp_dealloc, (void *)train_dealloc},
    {Py_tp_methods, train_methods},
    {0, NULL},
};

PyType_Spec ext_train_spec = {
    .name = "sixer._sixer.Training",
    .basicsize = sizeof(ext_train),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = train_slots,
};

/* ---- Models ---------------------------------------------------------------------------------------------------- */

PyObject *ext_model(PyObject *module, PyObject *argument) {
  (void)module;
  PyObject *path;
  if (!PyUnicode_FSConverter(argument, &path)) return NULL;
  const char *file = PyBytes_AsString(path);
  sixer_model *model;
  sixer_error error = {SIXER_OK, ""};
  sixer_err err = SIXER_OK;
  if (file) {
    Py_BEGIN_ALLOW_THREADS err = sixer_model_open(file, &model, &error);
    Py_END_ALLOW_THREADS
  }
  Py_DECREF(path);
  if (!file || err) return file ? fail_as(&error) : NULL;
  sixer_train_progress p = sixer_model_progress(model);
  PyObject *text = PyUnicode_DecodeFSDefault(sixer_model_text(model));
  PyObject *progress = text ? progress_dict(&p) : NULL;
  PyObject *result = progress ? Py_BuildValue("(NN)", text, progress) : NULL;
  if (!progress) Py_XDECREF(text);
  sixer_model_close(model);
  return result;
}

PyObject *ext_model_network(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *path, *weights = NULL, *output = NULL, *given;
  if (!PyArg_ParseTuple(args, "O&OO&:model_network", PyUnicode_FSConverter, &path, &given,
                        PyUnicode_FSConverter, &output))
    return NULL;
  sixer_error error = {SIXER_OK, ""};
  sixer_model *model = NULL;
  sixer_err err = SIXER_OK;
  bool import = given != Py_None;
  bool good = !import || PyUnicode_FSConverter(given, &weights);
  if (good) {
    const char *from = PyBytes_AsString(path), *to = PyBytes_AsString(output);
    const char *file = import ? PyBytes_AsString(weights) : NULL;
    Py_BEGIN_ALLOW_THREADS err = sixer_model_open(from, &model, &error);
    if (!err)
      err = import ? sixer_model_import(model, file, to, &error)
                   : sixer_model_export(model, to, &error);
    sixer_model_close(model);
    Py_END_ALLOW_THREADS
  }
  Py_DECREF(path);
  Py_DECREF(output);
  Py_XDECREF(weights);
  if (!good) return NULL;
  if (err) return fail_as(&error);
  Py_RETURN_NONE;
}

PyObject *ext_presets(PyObject *module, PyObject *argument) {
  (void)module;
  PyObject *bytes = PyUnicode_AsUTF8String(argument), *list = bytes ? PyList_New(0) : NULL;
  const char *agent = bytes ? PyBytes_AsString(bytes) : NULL;
  for (int i = 0; list && sixer_agent_preset_at(agent, i).name; i++) {
    sixer_agent_preset p = sixer_agent_preset_at(agent, i);
    PyObject *row = Py_BuildValue("(sss)", p.name, p.options, p.source);
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  Py_XDECREF(bytes);
  return list;
}
