/* Arguments and results of the wrappers of evaluation. */
#include "eval_args.h"

void eval_release(eval_array *array) {
  if (array->view.obj) PyBuffer_Release(&array->view);
  array->view.obj = NULL;
  free(array->copy);
  array->copy = NULL;
}

/* `formats` are the struct codes of the element type. Python calls a converter again with NULL to release its result
 * if a later argument is wrong. */
static int borrow(PyObject *object, eval_array *a, const char *formats, const char *dtype,
                  bool write) {
  if (!object) {
    eval_release(a);
    return 1;
  }
  int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (write ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object, &a->view, flags) == 0) {
    if (a->view.itemsize == 8 && a->view.format && strlen(a->view.format) == 1 &&
        strchr(formats, a->view.format[0])) {
      a->data = a->view.buf;
      a->count = (size_t)a->view.len / 8;
      return Py_CLEANUP_SUPPORTED;
    }
    PyBuffer_Release(&a->view);
  } else {
    PyErr_Clear();
  }
  a->view.obj = NULL;
  PyErr_Format(PyExc_TypeError, "a C-contiguous array of dtype %s is wanted, not %R", dtype,
               (PyObject *)Py_TYPE(object));
  return 0;
}

int eval_reals(PyObject *object, void *array) {
  return borrow(object, array, "d", "float64", false);
}

int eval_integers(PyObject *object, void *array) {
  eval_array *a = array;
  const int result = borrow(object, a, "lq", "int64", false);
  if (!object || !result) return result;
  a->copy = malloc(8 * a->count + 1);
  if (!a->copy) {
    eval_release(a);
    PyErr_NoMemory();
    return 0;
  }
  memcpy(a->copy, a->data, 8 * a->count);
  a->data = a->copy;
  return result;
}

int eval_real_results(PyObject *object, void *array) {
  return borrow(object, array, "d", "float64", true);
}

int eval_integer_results(PyObject *object, void *array) {
  return borrow(object, array, "lq", "int64", true);
}

PyObject *eval_mismatch(void) {
  PyErr_SetString(PyExc_ValueError, "arrays have sizes that do not belong together");
  return NULL;
}

/* A wrong file is a ValueError: the Python side looks for missing files before. */
PyObject *eval_failed(const sixer_error *error) {
  return ext_raise_as(error->code == SIXER_ERR_MEMORY ? PyExc_MemoryError : PyExc_ValueError,
                      error);
}

PyObject *eval_done(sixer_err err, const sixer_error *error) {
  if (err) return eval_failed(error);
  Py_RETURN_NONE;
}

bool eval_sample(const eval_array *scores, const eval_array *runs, sixer_sample *sample) {
  _Static_assert(sizeof(size_t) == sizeof(int64_t), "numbers of runs are read in place");
  *sample = (sixer_sample){scores->data, runs->data, runs->count};
  size_t left = scores->count;
  for (size_t g = 0; g < sample->games; g++) {
    if (sample->runs[g] > left) return eval_mismatch() != NULL;
    left -= sample->runs[g];
  }
  return !left || eval_mismatch();
}

PyObject *eval_texts(const char *const *list, size_t count) {
  PyObject *tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple && i < count; i++) {
    PyObject *text = PyUnicode_FromString(list[i]);
    if (!text || PyTuple_SetItem(tuple, (Py_ssize_t)i, text) < 0) Py_CLEAR(tuple);
  }
  return tuple;
}
