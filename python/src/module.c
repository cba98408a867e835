/* The module sixer._sixer: its types, its functions, and the helpers that its files share. */
#include "ext.h"

#include "sixer/players.h"

const ext_names *ext_of_type(PyTypeObject *type) {
  for (; type; type = (PyTypeObject *)PyType_GetSlot(type, Py_tp_base)) {
    const ext_names *names =
        PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) ? PyType_GetModuleState(type) : NULL;
    if (names) return names;
    PyErr_Clear();
  }
  return NULL; /* of no type of this extension */
}

PyObject *ext_raise(const sixer_error *error) {
  PyObject *type = PyExc_ValueError;
  switch (error->code) {
    case SIXER_ERR_FILE: type = PyExc_FileNotFoundError; break;
    case SIXER_ERR_PICTURE: type = PyExc_RuntimeError; break;
    case SIXER_ERR_MEMORY: type = PyExc_MemoryError; break;
    default: break;
  }
  return ext_raise_as(type, error);
}

PyObject *ext_raise_as(PyObject *type, const sixer_error *error) {
  /* a message may quote bytes of a file, which need not be text */
  Py_ssize_t length = (Py_ssize_t)strlen(error->message);
  PyObject *text = PyUnicode_DecodeUTF8(error->message, length, "backslashreplace");
  if (text) PyErr_SetObject(type, text);
  Py_XDECREF(text);
  return NULL;
}

bool ext_buffer(PyObject *object, Py_buffer *view, const char *name) {
  if (PyObject_GetBuffer(object, view, PyBUF_WRITABLE | PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) == 0) {
    if (view->itemsize == 1 && view->format && !strcmp(view->format, "B")) return true;
    PyBuffer_Release(view);
  } else {
    PyErr_Clear();
  }
  PyErr_Format(PyExc_TypeError,
               "%s must be a writable C-contiguous array of dtype uint8 (numpy.empty(shape, "
               "numpy.uint8) makes one), not %R",
               name, (PyObject *)Py_TYPE(object));
  return false;
}

bool ext_int(PyObject *object, long long min, long long max, long long *value, const char *name) {
  PyObject *index = PyLong_Check(object) ? Py_NewRef(object) : PyNumber_Index(object);
  if (!index) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s must be an integer, not %R", name,
                 (PyObject *)Py_TYPE(object));
    return false;
  }
  int overflow = 0;
  *value = PyLong_AsLongLongAndOverflow(index, &overflow);
  Py_DECREF(index);
  if (overflow || *value < min || *value > max) {
    PyErr_Format(PyExc_TypeError, "%s must be between %lld and %lld, not %R", name, min, max,
                 object);
    return false;
  }
  return true;
}

PyObject *ext_list(sixer_list list) {
  PyObject *result = PyList_New(list.count);
  for (int i = 0; result && i < list.count; i++) {
    PyObject *item = PyLong_FromLong(list.items[i]);
    if (!item || PyList_SetItem(result, i, item) < 0) Py_CLEAR(result);
  }
  return result;
}

static PyMethodDef functions[] = {
    {"games", ext_games, METH_NOARGS,
     "games() -> list of (id, title, Gymnasium name or None, has old ids, tuple of MD5s, image is "
     "built in, has rules for several players, and only such)\n\n"
     "The games whose rules are built in, in alphabetical order of ids."},
    {"rom_folders", ext_rom_folders, METH_NOARGS,
     "rom_folders() -> list of folders where cartridge images are looked for, in order"},
    {"unused", ext_unused, METH_O,
     "unused(list) -> index of an item that nobody but the list holds, or -1"},
    {"agents", ext_agents, METH_NOARGS,
     "agents() -> list of (name, summary, options with defaults)"},
    {"plan", (PyCFunction)(void (*)(void))ext_plan, METH_VARARGS | METH_KEYWORDS,
     "plan(rom, agent, options, ...) -> (score, frames, end, actions); see sixer.plan.play"},
    {"presets", ext_presets, METH_O, "presets(agent) -> list of (name, options, source)"},
    {"model_network", ext_model_network, METH_VARARGS,
     "model_network(path, weights or None, output): export a network, or import one into a copy"},
    {"model", ext_model, METH_O, "model(path) -> (settings as text, progress) of a checkpoint"},
    {NULL, NULL, 0, NULL},
};

static bool add_type(PyObject *module, PyType_Spec *spec, PyObject **type, const char *name) {
  *type = PyType_FromModuleAndSpec(module, spec, NULL);
  return *type && PyModule_AddObjectRef(module, name, *type) == 0;
}

static bool intern(PyObject **name, const char *text) {
  *name = PyUnicode_InternFromString(text);
  return *name != NULL;
}

static bool make_names(ext_names *ext) {
  return intern(&ext->lives, "lives") &&
         intern(&ext->episode_frame_number, "episode_frame_number") &&
         intern(&ext->frame_number, "frame_number") && intern(&ext->value, "value") &&
         intern(&ext->frames, "frames") && intern(&ext->episode_frames, "episode_frames") &&
         intern(&ext->executed, "executed") && intern(&ext->level, "level") &&
         intern(&ext->raw_reward, "raw_reward") && intern(&ext->end, "end") &&
         (ext->ends = Py_BuildValue("(Ossss)", Py_None, "game_over", "life_lost", "frame_limit",
                                    "stuck")) != NULL;
}

/* CORRECTIONS: what each correction of the rules for several players does, by its name. */
static bool add_corrections(PyObject *module) {
  PyObject *all = PyDict_New();
  bool made = all != NULL;
  for (int i = 0; made && sixer_rule_correction_at(i).name; i++) {
    PyObject *summary = PyUnicode_FromString(sixer_rule_correction_at(i).summary);
    made = summary && PyDict_SetItemString(all, sixer_rule_correction_at(i).name, summary) == 0;
    Py_XDECREF(summary);
  }
  made = made && PyModule_AddObjectRef(module, "CORRECTIONS", all) == 0;
  Py_XDECREF(all);
  return made;
}

static int load(PyObject *module) {
  ext_names *ext = PyModule_GetState(module);
  if (!make_names(ext)) return -1;
  if (!add_type(module, &ext_rom_spec, &ext->rom_type, "Rom") ||
      !add_type(module, &ext_state_spec, &ext->state_type, "ALEState") ||
      !add_type(module, &ext_vec_spec, &ext->vec_type, "Vec") ||
      !add_type(module, &ext_tape_spec, &ext->tape_type, "Tape") ||
      !add_type(module, &ext_agent_spec, &ext->agent_type, "Agent") ||
      !add_type(module, &ext_train_spec, &ext->train_type, "Training") ||
      !add_type(module, &ext_players_spec, &ext->players_type, "Players") ||
      !add_type(module, &ext_ale_spec, &ext->ale_type, "Ale")) {
    return -1;
  }
  if (PyModule_AddObjectRef(module, "ENDS", ext->ends) < 0) return -1;
  PyObject *evaluation = ext_evaluation();
  int failed = evaluation ? PyModule_AddObjectRef(module, "evaluation", evaluation) : -1;
  Py_XDECREF(evaluation);
  if (failed) return -1;
  if (!add_corrections(module)) return -1;
  return PyModule_AddStringConstant(module, "VERSION", SIXER_VERSION) ||
         PyModule_AddIntConstant(module, "BEHAVIOR", SIXER_BEHAVIOR);
}

static int traverse(PyObject *module, visitproc visit, void *arg) {
  ext_names *ext = PyModule_GetState(module);
#define X(name) Py_VISIT(ext->name);
  EXT_NAMES(X)
#undef X
  return 0;
}

static int clear(PyObject *module) {
  ext_names *ext = PyModule_GetState(module);
#define X(name) Py_CLEAR(ext->name);
  EXT_NAMES(X)
#undef X
  return 0;
}

static void release(void *module) { clear(module); }

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)load},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sixer._sixer",
    .m_doc = "The C library of sixer, for the Python files of the package.",
    .m_size = sizeof(ext_names),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = traverse,
    .m_clear = clear,
    .m_free = release,
};

PyMODINIT_FUNC PyInit__sixer(void);
PyMODINIT_FUNC PyInit__sixer(void) { return PyModuleDef_Init(&definition); }
