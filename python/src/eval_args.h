/* What the wrappers of evaluation share: arrays as arguments, failures, and tuples of texts.
 *
 * Arrays come in as C-contiguous float64 or int64; sixer.eval makes sure of that. A wrapper declares them with ARRAY
 * and gets them from PyArg_ParseTuple with the format "O&" and a converter:
 *
 *     ARRAY x = {0}, out = {0};
 *     if (!PyArg_ParseTuple(args, "O&O&", eval_reals, &x, eval_real_results, &out)) return NULL;
 *
 * They are released when the wrapper returns, on every path. */
#ifndef SIXER_PYTHON_EVAL_ARGS_H
#define SIXER_PYTHON_EVAL_ARGS_H

#include "ext.h"
#include "sixer/eval.h"

typedef struct eval_array {
  Py_buffer view; /* view.obj is NULL if there is nothing to release */
  void *data;
  size_t count; /* of elements, all of them 8 bytes wide */
  void *copy;   /* `data`, if it is a copy; else NULL */
} eval_array;

void eval_release(eval_array *array);
#define ARRAY __attribute__((cleanup(eval_release))) eval_array

/* Converters for "O&": float64 or int64, to read or to write. Integers that are read are copied: they are sizes and
 * indices, and another thread could change the array after they were checked. */
int eval_reals(PyObject *object, void *array);
int eval_integers(PyObject *object, void *array);
int eval_real_results(PyObject *object, void *array);
int eval_integer_results(PyObject *object, void *array);

/* Raise a ValueError: sizes of arrays do not match. Always returns NULL. */
PyObject *eval_mismatch(void);

/* Raise the exception for a failure of the library. Always returns NULL. */
PyObject *eval_failed(const sixer_error *error);

/* None, or the exception if `err` is not SIXER_OK. */
PyObject *eval_done(sixer_err err, const sixer_error *error);

/* A sample from the scores game after game and the number of runs of each game. False after a ValueError if the runs do
 * not add up to the scores. */
bool eval_sample(const eval_array *scores, const eval_array *runs, sixer_sample *sample);

/* A tuple of str. */
PyObject *eval_texts(const char *const *list, size_t count);

/* How a collection reads files: one file, or all patterns of an agent's runs. */
typedef struct eval_reader {
  sixer_err (*read)(void *collection, const char *path, sixer_error *error);
  sixer_err (*read_runs)(void *collection, const char *agent, const char *const *patterns,
                         size_t count, sixer_error *error);
} eval_reader;

/* Read the files of each agent: `agents` is a sequence of (name or None, sequence of patterns). Without a name every
 * file is read apart, and rows without an agent get the file's name. False after an exception. */
bool eval_read_agents(PyObject *agents, const eval_reader *reader, void *collection);

/* Run a statement that can take long without the interpreter's lock. */
#define UNLOCKED(statement)                      \
  do {                                           \
    PyThreadState *saved_ = PyEval_SaveThread(); \
    statement;                                   \
    PyEval_RestoreThread(saved_);                \
  } while (0)

/* The functions of each file, ended by a NULL name. */
extern PyMethodDef eval_statistics_functions[]; /* eval_statistics.c */
extern PyMethodDef eval_subset_functions[];     /* eval_subsets.c */
extern PyMethodDef eval_source_functions[];     /* eval_sources.c */
extern PyMethodDef eval_result_functions[];     /* eval_results.c */
extern PyMethodDef eval_curve_functions[];      /* eval_curves.c */

#endif
