/* ALEState: a saved state of the drop-in interface.
 *
 * Its serialized form is that of the reference on the outside: six integers, a blob with its length, two integers, all
 * little-endian and four bytes wide. The blob is a state of sixer, which checks every byte when it is loaded; only
 * states that a console restores after having made them itself are not checked (ext.h). */
#include "ext.h"

static void put(uint8_t **out, int32_t value) {
  for (int i = 0; i < 4; i++) *(*out)++ = (uint8_t)((uint32_t)value >> (8 * i));
}

static int32_t get(const uint8_t *in) {
  return (int32_t)((uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 |
                   (uint32_t)in[3] << 24);
}

/* Where each field is in the serialized form: before the blob, or after it. */
enum { HEAD_BYTES = 24, TAIL_BYTES = 8 };

static PyObject *state_serialize(PyObject *object, PyObject *ignored) {
  (void)ignored;
  ext_state *s = (ext_state *)object;
  char *blob;
  Py_ssize_t size;
  if (PyBytes_AsStringAndSize(s->blob, &blob, &size) < 0) return NULL;
  PyObject *bytes = PyBytes_FromStringAndSize(NULL, HEAD_BYTES + 4 + size + TAIL_BYTES);
  if (!bytes) return NULL;
  uint8_t *out = (uint8_t *)PyBytes_AsString(bytes);
  const sixer_ale_fields *f = &s->fields;
  const int32_t head[6] = {f->paddle[0],      f->paddle[1], f->frames,
                           f->episode_frames, f->mode,      f->difficulty};
  for (int i = 0; i < 6; i++) put(&out, head[i]);
  put(&out, (int32_t)size);
  memcpy(out, blob, (size_t)size);
  out += size;
  put(&out, f->paddle_min);
  put(&out, f->paddle_max);
  return bytes;
}

/* Fill from outside: whoever made the state before, it is nobody's now. Takes over the reference to `blob`. */
static void fill(ext_state *s, const sixer_ale_fields *fields, PyObject *blob) {
  PyObject *old = s->blob;
  Py_CLEAR(s->maker);
  s->fields = *fields;
  s->blob = blob;
  Py_XDECREF(old);
}

/* Fill from the serialized form; nothing is changed if it does not fit. */
static bool deserialize(ext_state *s, PyObject *bytes) {
  char *text;
  Py_ssize_t size;
  if (PyBytes_AsStringAndSize(bytes, &text, &size) < 0) return false;
  const uint8_t *in = (const uint8_t *)text;
  int32_t length = size >= HEAD_BYTES + 4 + TAIL_BYTES ? get(in + HEAD_BYTES) : -1;
  if (length < 0 || size != HEAD_BYTES + 4 + (Py_ssize_t)length + TAIL_BYTES) {
    PyErr_Format(PyExc_RuntimeError,
                 "%zd bytes are not a serialized ALEState; use what serialize() returned", size);
    return false;
  }
  PyObject *blob = PyBytes_FromStringAndSize(text + HEAD_BYTES + 4, length);
  if (!blob) return false;
  fill(s,
       &(sixer_ale_fields){.paddle = {get(in), get(in + 4)},
                           .frames = get(in + 8),
                           .episode_frames = get(in + 12),
                           .mode = get(in + 16),
                           .difficulty = get(in + 20),
                           .paddle_min = get(in + size - 8),
                           .paddle_max = get(in + size - 4)},
       blob);
  return true;
}

static PyObject *state_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  (void)args, (void)keywords;
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  ext_state *s = (ext_state *)allocate(type, 0);
  if (!s) return NULL;
  s->fields =
      (sixer_ale_fields){.paddle = {408823, 408823}, .paddle_min = 27450, .paddle_max = 790196};
  s->blob = PyBytes_FromStringAndSize("", 0);
  if (!s->blob) {
    Py_DECREF((PyObject *)s);
    return NULL;
  }
  return (PyObject *)s;
}

/* ALEState(), ALEState(bytes), ALEState(other, bytes) */
static int state_init(PyObject *object, PyObject *args, PyObject *keywords) {
  ext_state *s = (ext_state *)object;
  Py_ssize_t count = PyTuple_Size(args);
  if (keywords && PyDict_Size(keywords) > 0) count = -1;
  if (count == 0) return 0;
  PyObject *last = count > 0 ? PyTuple_GetItem(args, count - 1) : NULL;
  if (count == 1 && PyBytes_Check(last)) return deserialize(s, last) ? 0 : -1;
  if (count == 2 && PyBytes_Check(last) &&
      PyObject_TypeCheck(PyTuple_GetItem(args, 0), (PyTypeObject *)ext_of(object)->state_type)) {
    ext_state *other = (ext_state *)PyTuple_GetItem(args, 0);
    const sixer_ale_fields fields = other->fields; /* `other` may be this one */
    fill(s, &fields, Py_NewRef(last));
    return 0;
  }
  PyErr_SetString(PyExc_TypeError,
                  "ALEState(): incompatible function arguments. The following argument types are "
                  "supported: it takes nothing, the bytes of "
                  "serialize(), or an ALEState and bytes, by position");
  return -1;
}

static void state_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  Py_XDECREF(((ext_state *)object)->blob);
  Py_XDECREF(((ext_state *)object)->maker);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static int same(const ext_state *one, const ext_state *other) {
  const sixer_ale_fields *a = &one->fields, *b = &other->fields;
  if (a->paddle[0] != b->paddle[0] || a->paddle[1] != b->paddle[1] || a->frames != b->frames ||
      a->episode_frames != b->episode_frames || a->mode != b->mode ||
      a->difficulty != b->difficulty) {
    return 0;
  }
  return PyObject_RichCompareBool(one->blob, other->blob, Py_EQ);
}

static bool is_state(const ext_names *ext, PyObject *object) {
  if (PyObject_TypeCheck(object, (PyTypeObject *)ext->state_type)) return true;
  PyErr_Format(PyExc_TypeError, "an ALEState can only be compared with another, not with %R",
               (PyObject *)Py_TYPE(object));
  return false;
}

static PyObject *state_compare(PyObject *a, PyObject *b, int operation) {
  if (operation != Py_EQ && operation != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  const ext_names *ext = ext_of(a);
  if (!is_state(ext, a) || !is_state(ext, b)) return NULL;
  int equal = same((ext_state *)a, (ext_state *)b);
  return equal < 0 ? NULL : PyBool_FromLong(equal == (operation == Py_EQ));
}

static PyObject *state_equals(PyObject *self, PyObject *other) {
  return state_compare(self, other, Py_EQ);
}

static Py_hash_t state_hash(PyObject *self) {
  Py_hash_t hash = (Py_hash_t)((uintptr_t)self >> 4);
  return hash == -1 ? -2 : hash;
}

static PyObject *state_frame(PyObject *self, PyObject *ignored) {
  (void)ignored;
  return PyLong_FromLong(((ext_state *)self)->fields.frames);
}

static PyObject *state_episode_frame(PyObject *self, PyObject *ignored) {
  (void)ignored;
  return PyLong_FromLong(((ext_state *)self)->fields.episode_frames);
}

static PyObject *state_difficulty(PyObject *self, PyObject *ignored) {
  (void)ignored;
  return PyLong_FromLong(((ext_state *)self)->fields.difficulty);
}

static PyObject *state_mode(PyObject *self, PyObject *ignored) {
  (void)ignored;
  return PyLong_FromLong(((ext_state *)self)->fields.mode);
}

static PyObject *state_setstate(PyObject *self, PyObject *bytes) {
  if (!PyBytes_Check(bytes)) {
    return PyErr_Format(PyExc_TypeError, "__setstate__() takes the bytes of serialize(), not %R",
                        (PyObject *)Py_TYPE(bytes));
  }
  if (!deserialize((ext_state *)self, bytes)) return NULL;
  Py_RETURN_NONE;
}

static PyMethodDef state_methods[] = {
    {"serialize", state_serialize, METH_NOARGS,
     "serialize($self, /)\n--\n\nThe state as bytes, for ALEState(bytes)."},
    {"equals", state_equals, METH_O,
     "equals($self, other, /)\n--\n\nWhether both states are of the same moment: console, paddles, "
     "frame numbers, mode and difficulty."},
    {"getFrameNumber", state_frame, METH_NOARGS,
     "getFrameNumber($self, /)\n--\n\nFrames since the image was loaded."},
    {"getEpisodeFrameNumber", state_episode_frame, METH_NOARGS,
     "getEpisodeFrameNumber($self, /)\n--\n\nFrames since the last reset."},
    {"getDifficulty", state_difficulty, METH_NOARGS,
     "getDifficulty($self, /)\n--\n\nThe difficulty switches."},
    {"getCurrentMode", state_mode, METH_NOARGS,
     "getCurrentMode($self, /)\n--\n\nThe mode of the game."},
    {"__getstate__", state_serialize, METH_NOARGS, "For pickle: the bytes of serialize()."},
    {"__setstate__", state_setstate, METH_O, "For pickle: fill from the bytes of serialize()."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot state_slots[] = {
    {Py_tp_doc,
     "ALEState(), ALEState(bytes), ALEState(other, bytes)\n\nA saved state of a game, made by "
     "ALEInterface.cloneState(). It can be compared, pickled and copied."},
    {Py_tp_new, (void *)state_new},
    {Py_tp_init, (void *)state_init},
    {Py_tp_dealloc, (void *)state_dealloc},
    {Py_tp_richcompare, (void *)state_compare},
    {Py_tp_hash, (void *)state_hash},
    {Py_tp_methods, state_methods},
    {0, NULL},
};

PyType_Spec ext_state_spec = {
    .name = "sixer.ale.ALEState",
    .basicsize = sizeof(ext_state),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = state_slots,
};
