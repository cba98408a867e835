/* Tape: a recording of play that is read and replayed; sixer.tapes is made of it. */
#include "sixer/tape.h"

#include "ext.h"

typedef struct tape {
  PyObject_HEAD sixer_tape *tape;
  PyObject *rom;  /* keeps the image alive; NULL: events are read and not played */
  sixer_env *env; /* that plays the tape; NULL as above */
  bool busy;
} tape;

static PyObject *raise(const sixer_error *error) {
  return ext_raise_as(error->code == SIXER_ERR_FILE     ? PyExc_OSError
                      : error->code == SIXER_ERR_MEMORY ? PyExc_MemoryError
                                                        : PyExc_ValueError,
                      error);
}

/* Tape(path) */
static PyObject *tape_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  (void)keywords;
  PyObject *path = NULL;
  char *file;
  if (!PyArg_ParseTuple(args, "O&:Tape", PyUnicode_FSConverter, &path)) return NULL;
  sixer_tape *opened = NULL;
  sixer_error error = {SIXER_OK, ""};
  sixer_err err = SIXER_OK;
  bool fits = PyBytes_AsStringAndSize(path, &file, NULL) == 0;
  if (fits) {
    Py_BEGIN_ALLOW_THREADS err = sixer_tape_open(file, &opened, &error);
    Py_END_ALLOW_THREADS
  }
  Py_DECREF(path);
  if (!fits) return NULL;
  if (err) return raise(&error);
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  tape *self = (tape *)allocate(type, 0);
  if (!self) {
    sixer_tape_close(opened);
    return NULL;
  }
  self->tape = opened;
  return (PyObject *)self;
}

static void tape_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  tape *self = (tape *)object;
  sixer_env_destroy(self->env);
  Py_XDECREF(self->rom);
  sixer_tape_close(self->tape);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyObject *text(const char *bytes) {
  if (!bytes) Py_RETURN_NONE;
  return PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)strlen(bytes), "backslashreplace");
}

static PyObject *tape_describe(PyObject *object, PyObject *ignored) {
  (void)ignored;
  sixer_tape_info i = sixer_tape_describe(((tape *)object)->tape);
  const sixer_config *c = &i.config;
  PyObject *settings = Py_BuildValue(
      "{s:I,s:I,s:d,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:O,s:O,s:O,s:d,s:i,s:i,s:s}", "seed", c->seed,
      "system_seed", c->system_seed, "sticky", (double)c->sticky, "frame_skip", c->frame_skip,
      "frame_skip_max", c->frame_skip_max, "mode", c->mode, "difficulty", c->difficulty, "level",
      c->level, "levels", c->levels, "max_frames", c->max_frames, "end_on_life_loss",
      c->end_on_life_loss ? Py_True : Py_False, "color_averaging",
      c->color_averaging ? Py_True : Py_False, "picture", c->picture ? Py_True : Py_False,
      "random_action", (double)c->random_action, "delay_max", c->delay_max, "stuck_limit",
      c->stuck_limit, "scoring", c->scoring == SIXER_SCORING_FIXED ? "fixed" : "ale");
  if (!settings) return NULL;
  return Py_BuildValue("{s:s,s:N,s:N,s:N,s:i,s:N,s:L,s:L,s:L,s:O,s:O,s:N}", "md5", i.md5, "game",
                       text(i.game), "by", text(i.by), "version", text(i.version), "behavior",
                       i.behavior, "settings", settings, "seconds", (long long)i.seconds, "steps",
                       (long long)i.steps, "resets", (long long)i.resets, "jumps",
                       i.jumps ? Py_True : Py_False, "complete", i.complete ? Py_True : Py_False,
                       "damage", text(i.damage));
}

static bool enter(tape *self) {
  if (self->busy)
    PyErr_SetString(PyExc_RuntimeError, "this tape is being played in another thread");
  return !self->busy;
}

/* start(rom or None): go to the beginning; with a rom the events are played */
static PyObject *tape_start(PyObject *object, PyObject *rom) {
  tape *self = (tape *)object;
  if (!enter(self)) return NULL;
  sixer_env *env = NULL;
  if (rom != Py_None) {
    int is_rom = PyObject_IsInstance(rom, ext_of(object)->rom_type);
    if (is_rom <= 0) {
      if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "start() takes a Rom or None");
      return NULL;
    }
    const sixer_rom *image = ((ext_rom *)rom)->rom;
    sixer_tape_info info = sixer_tape_describe(self->tape);
    sixer_rom_info found = sixer_rom_describe(image);
    if (strcmp(found.md5, info.md5) != 0) {
      return PyErr_Format(PyExc_ValueError,
                          "the tape was played on an image with MD5 %s, and this one has %s: name "
                          "the right file",
                          info.md5, found.md5);
    }
    sixer_error error = {SIXER_OK, ""};
    if (sixer_tape_env(self->tape, image, &env, &error)) return raise(&error);
  }
  sixer_env_destroy(self->env);
  self->env = env;
  PyObject *before = self->rom;
  self->rom = env ? Py_NewRef(rom) : NULL;
  Py_XDECREF(before);
  sixer_tape_rewind(self->tape);
  Py_RETURN_NONE;
}

/* next() -> (kind, second, input, result or None, flavor), or None at the end; see sixer.tapes */
static PyObject *tape_next(PyObject *object, PyObject *ignored) {
  (void)ignored;
  tape *self = (tape *)object;
  if (!enter(self)) return NULL;
  sixer_tape_event e;
  sixer_error error = {SIXER_OK, ""};
  sixer_err err;
  self->busy = true;
  Py_BEGIN_ALLOW_THREADS err = self->env ? sixer_tape_play(self->tape, self->env, &e, &error)
                                         : sixer_tape_next(self->tape, &e, &error);
  Py_END_ALLOW_THREADS self->busy = false;
  if (err) return raise(&error);
  if (e.kind == SIXER_TAPE_END) Py_RETURN_NONE;
  const sixer_input *in = &e.input;
  const sixer_result *r = &e.result;
  PyObject *result =
      self->env && e.kind == SIXER_TAPE_STEP
          ? Py_BuildValue("(iiOOOii)", r->reward, r->lives, r->terminal ? Py_True : Py_False,
                          r->truncated ? Py_True : Py_False,
                          PyTuple_GetItem(ext_of(object)->ends, r->end), r->executed, r->frames)
          : Py_NewRef(Py_None);
  if (!result) return NULL;
  return Py_BuildValue("(iL(iiddii)N(iiii))", (int)e.kind, (long long)e.second, in->action_a,
                       in->action_b, (double)in->strength_a, (double)in->strength_b, in->switches,
                       in->frames, result, e.mode, e.difficulty, e.level, e.levels);
}

static bool playing(tape *self) {
  if (enter(self) && !self->env)
    PyErr_SetString(PyExc_RuntimeError, "the tape is not being played: replay() it");
  return !self->busy && self->env;
}

/* look(kind, buffer): the screen in colors (0), the memory (1) */
static PyObject *tape_look(PyObject *object, PyObject *args) {
  tape *self = (tape *)object;
  int kind;
  PyObject *array;
  Py_buffer view;
  if (!PyArg_ParseTuple(args, "iO:look", &kind, &array) || !playing(self)) return NULL;
  Py_ssize_t size = kind == 0 ? (Py_ssize_t)sixer_env_height(self->env) * 160 * 3 : 128;
  if (!ext_buffer(array, &view, "buffer")) return NULL;
  sixer_err err = SIXER_OK;
  if (view.len < size)
    PyErr_Format(PyExc_ValueError, "buffer has %zd bytes and needs %zd", view.len, size);
  else if (kind == 0)
    err = sixer_env_rgb(self->env, view.buf);
  else
    memcpy(view.buf, sixer_env_ram(self->env), 128);
  PyBuffer_Release(&view);
  if (err) PyErr_SetString(PyExc_RuntimeError, "the tape was recorded without pictures");
  return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* state(flags): of the env that plays, as sixer_env_save() writes it */
static PyObject *tape_state(PyObject *object, PyObject *argument) {
  tape *self = (tape *)object;
  long long flags;
  if (!playing(self) || !ext_int(argument, 0, SIXER_SAVE_CONTROLLER, &flags, "flags")) return NULL;
  size_t size = sixer_env_state_size(self->env, (int)flags);
  PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
  if (bytes) sixer_env_save(self->env, (int)flags, PyBytes_AsString(bytes));
  return bytes;
}

static PyObject *tape_height(PyObject *object, PyObject *ignored) {
  (void)ignored;
  tape *self = (tape *)object;
  return playing(self) ? PyLong_FromLong(sixer_env_height(self->env)) : NULL;
}

static PyObject *tape_repair(PyObject *object, PyObject *argument) {
  PyObject *path = NULL;
  char *file;
  if (!PyUnicode_FSConverter(argument, &path)) return NULL;
  sixer_error error = {SIXER_OK, ""};
  bool fits = PyBytes_AsStringAndSize(path, &file, NULL) == 0;
  sixer_err err = fits ? sixer_tape_repair(((tape *)object)->tape, file, &error) : SIXER_OK;
  Py_DECREF(path);
  if (!fits) return NULL;
  if (err) return raise(&error);
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"describe", tape_describe, METH_NOARGS, "describe() -> dict of what the tape says of itself"},
    {"start", tape_start, METH_O, "start(rom or None): go to the beginning, with a rom to play"},
    {"next", tape_next, METH_NOARGS, "next() -> the next event, or None"},
    {"look", tape_look, METH_VARARGS, "look(kind, buffer): the screen (0) or the memory (1)"},
    {"state", tape_state, METH_O, "state(flags) -> bytes: where the replay is"},
    {"height", tape_height, METH_NOARGS, "height() -> rows of the screen"},
    {"repair", tape_repair, METH_O, "repair(path): write the part that is not damaged"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Tape(path)\n\nA recording of play."},
    {Py_tp_new, (void *)tape_new},
    {Py_tp_dealloc, (void *)tape_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec ext_tape_spec = {
    .name = "sixer._sixer.Tape",
    .basicsize = sizeof(tape),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
