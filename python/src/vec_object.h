/* The object behind Vec, for vec.c and vec_states.c. */
#ifndef SIXER_EXT_VEC_OBJECT_H
#define SIXER_EXT_VEC_OBJECT_H

#include "ext.h"
#include "sixer/vec.h"

typedef struct vec {
  PyObject_HEAD PyObject *roms; /* a tuple that keeps the images alive */
  sixer_vec *vec;               /* NULL after close() */
  int64_t maker;                /* process that has the threads; 0 if there are none */
  bool busy;
} vec;

/* Begin a call; false, with an exception, if it is not possible now. Until vec_leave() every other call fails:
 * arguments are converted by the caller's code (__index__, __float__, __buffer__), which may close the environments or
 * let another thread in. */
bool vec_enter(vec *self);
PyObject *vec_leave(vec *self, PyObject *result);

/* A method as Python calls it: the function do_NAME() between vec_enter() and vec_leave(). */
#define VEC_METHOD(linkage, name)                                                     \
  linkage PyObject *name(PyObject *object, PyObject *const *args, Py_ssize_t count) { \
    vec *self = (vec *)object;                                                        \
    return vec_enter(self) ? vec_leave(self, do_##name(self, args, count)) : NULL;    \
  }

/* The numbers of environments in an array, copied: whoever holds the array may change it while it is used. Free with
 * PyMem_Free. */
typedef struct env_list {
  int32_t *at;
  int count;
} env_list;

bool vec_copy_envs(PyObject *object, env_list *list, Py_ssize_t least, const char *name);

/* The number of an environment; false, with an exception, if there is none. */
bool vec_parse_env(const vec *self, PyObject *object, int *env);

/* None, or NULL with the exception for an error. */
PyObject *vec_done(sixer_err err, const sixer_error *error);

/* Methods in vec_states.c. */
PyObject *vec_save(PyObject *object, PyObject *const *args, Py_ssize_t count);
PyObject *vec_load(PyObject *object, PyObject *const *args, Py_ssize_t count);
PyObject *vec_copy(PyObject *object, PyObject *const *args, Py_ssize_t count);
PyObject *vec_record(PyObject *object, PyObject *const *args, Py_ssize_t count);

#endif
