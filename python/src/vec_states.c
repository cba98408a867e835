/* States and tapes of the environments of a Vec. */
#include "vec_object.h"

#define GUARDED_FAST(name) VEC_METHOD(, name)

/* ---- States ---------------------------------------------------------------------------------------------------- */

/* Pointers and sizes of states, in one block. */
typedef struct blocks {
  void **at;
  size_t *sizes;
} blocks;

static bool make_blocks(Py_ssize_t count, blocks *b) {
  size_t each = sizeof *b->at + sizeof *b->sizes;
  b->at = PyMem_Malloc((size_t)count * each + 1);
  if (!b->at) {
    PyErr_NoMemory();
    return false;
  }
  b->sizes = (size_t *)(b->at + count);
  return true;
}

/* save(envs, flags) -> list of bytes */
static PyObject *do_vec_save(vec *self, PyObject *const *args, Py_ssize_t count) {
  env_list envs;
  long long flags;
  blocks b;
  if (count != 2) return PyErr_Format(PyExc_TypeError, "save() takes envs, flags");
  if (!ext_int(args[1], 0, SIXER_SAVE_CONTROLLER | SIXER_SAVE_PLAIN, &flags, "flags") ||
      !vec_copy_envs(args[0], &envs, 0, "envs")) {
    return NULL;
  }
  const Py_ssize_t rows = envs.count;
  int total = sixer_vec_describe(self->vec).count;
  PyObject *list = PyList_New(rows);
  if (!list || !make_blocks(rows, &b)) {
    PyMem_Free(envs.at);
    Py_XDECREF(list);
    return NULL;
  }
  sixer_error error = {SIXER_OK, ""};
  for (Py_ssize_t i = 0; list && i < rows; i++) {
    if (envs.at[i] < 0 || envs.at[i] >= total) {
      PyErr_Format(PyExc_IndexError, "there is no environment %d; they are 0 to %d", envs.at[i],
                   total - 1);
      Py_CLEAR(list);
      break;
    }
    b.sizes[i] = sixer_vec_state_size(self->vec, envs.at[i], (int)flags);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)b.sizes[i]);
    if (!bytes || PyList_SetItem(list, i, bytes) < 0) {
      Py_CLEAR(list);
      break;
    }
    b.at[i] = PyBytes_AsString(bytes);
  }
  if (list && sixer_vec_save(self->vec, envs.at, (int)rows, (int)flags, b.at, b.sizes, &error)) {
    Py_CLEAR(list);
    ext_raise(&error);
  }
  PyMem_Free(b.at);
  PyMem_Free(envs.at);
  return list;
}
GUARDED_FAST(vec_save)

/* load(envs, list of bytes) */
static PyObject *do_vec_load(vec *self, PyObject *const *args, Py_ssize_t count) {
  env_list envs;
  blocks b;
  if (count != 2 || !PyList_Check(args[1]))
    return PyErr_Format(PyExc_TypeError, "load() takes envs and a list of states");
  if (!vec_copy_envs(args[0], &envs, 0, "envs")) return NULL;
  const Py_ssize_t rows = envs.count;
  if (PyList_Size(args[1]) != rows) {
    PyErr_Format(PyExc_ValueError, "%zd states for %zd environments", PyList_Size(args[1]), rows);
    PyMem_Free(envs.at);
    return NULL;
  }
  if (!make_blocks(rows, &b)) {
    PyMem_Free(envs.at);
    return NULL;
  }
  bool fits = true;
  for (Py_ssize_t i = 0; fits && i < rows; i++) {
    PyObject *item = PyList_GetItem(args[1], i);
    fits = PyBytes_Check(item);
    if (fits) {
      b.at[i] = PyBytes_AsString(item);
      b.sizes[i] = (size_t)PyBytes_Size(item);
    } else {
      PyErr_Format(PyExc_TypeError, "a state is bytes that save() returned, not %R",
                   (PyObject *)Py_TYPE(item));
    }
  }
  sixer_error error = {SIXER_OK, ""};
  sixer_err err = SIXER_OK;
  if (fits)
    err = sixer_vec_load(self->vec, envs.at, (int)rows, (const void *const *)b.at, b.sizes, &error);
  PyMem_Free(b.at);
  PyMem_Free(envs.at);
  return fits ? vec_done(err, &error) : NULL;
}
GUARDED_FAST(vec_load)

/* copy(from, to, flags) */
static PyObject *do_vec_copy(vec *self, PyObject *const *args, Py_ssize_t count) {
  env_list from = {NULL, 0}, to = {NULL, 0};
  long long flags;
  if (count != 3) return PyErr_Format(PyExc_TypeError, "copy() takes from, to, flags");
  if (!ext_int(args[2], 0, SIXER_SAVE_CONTROLLER, &flags, "flags") ||
      !vec_copy_envs(args[0], &from, 0, "from")) {
    return NULL;
  }
  sixer_error error = {SIXER_OK, ""};
  sixer_err err = SIXER_OK;
  bool fits = vec_copy_envs(args[1], &to, from.count, "to");
  if (fits) err = sixer_vec_copy(self->vec, from.at, to.at, from.count, (int)flags, &error);
  PyMem_Free(from.at);
  PyMem_Free(to.at);
  return fits ? vec_done(err, &error) : NULL;
}
GUARDED_FAST(vec_copy)

/* ---- Tapes ----------------------------------------------------------------------------------------------------- */

/* record(env, path, by): a new file; record(env, None, None) ends the tape */
static PyObject *do_vec_record(vec *self, PyObject *const *args, Py_ssize_t count) {
  int env;
  sixer_error error = {SIXER_OK, ""};
  sixer_err err;
  if (count != 3) return PyErr_Format(PyExc_TypeError, "record() takes env, path, by");
  if (!vec_parse_env(self, args[0], &env)) return NULL;
  if (args[1] == Py_None) {
    Py_BEGIN_ALLOW_THREADS err = sixer_vec_record_end(self->vec, env, &error);
    Py_END_ALLOW_THREADS
  } else {
    PyObject *path = NULL, *by = NULL;
    char *file = NULL, *who = NULL;
    bool fits = PyUnicode_FSConverter(args[1], &path) && PyUnicode_FSConverter(args[2], &by) &&
                PyBytes_AsStringAndSize(path, &file, NULL) == 0 &&
                PyBytes_AsStringAndSize(by, &who, NULL) == 0;
    err = fits ? sixer_vec_record(self->vec, env, file, who, &error) : SIXER_OK;
    Py_XDECREF(path);
    Py_XDECREF(by);
    if (!fits) return NULL;
  }
  if (!err) Py_RETURN_NONE;
  return err == SIXER_ERR_FILE ? ext_raise_as(PyExc_OSError, &error) : ext_raise(&error);
}
GUARDED_FAST(vec_record)
