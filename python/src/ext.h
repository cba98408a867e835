/* Shared by the files of the Python extension.
 *
 * The extension is built against CPython's limited API, so that one binary works with every version from 3.11 on. It
 * takes arrays through the buffer protocol; only the Python files import NumPy. */
#ifndef SIXER_PYTHON_EXT_H
#define SIXER_PYTHON_EXT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sixer/ale.h"
#include "sixer/sixer.h"

/* Raise the Python exception that fits a failure of the library. Always returns NULL. */
PyObject *ext_raise(const sixer_error *error);
PyObject *ext_raise_as(PyObject *type, const sixer_error *error);

/* Borrow the bytes of a C-contiguous, writable array of uint8. On failure a TypeError is set. Release with
 * PyBuffer_Release. `name` is that of the argument, for the message. */
bool ext_buffer(PyObject *object, Py_buffer *view, const char *name);

/* An integer in a range, from anything with __index__; otherwise a TypeError that names the argument. */
bool ext_int(PyObject *object, long long min, long long max, long long *value, const char *name);

/* A list of Python ints. */
PyObject *ext_list(sixer_list list);

/* ---- rom.c ----------------------------------------------------------------------------------------------------- */

typedef struct ext_rom {
  PyObject_HEAD sixer_rom *rom;
} ext_rom;

extern PyType_Spec ext_rom_spec;
PyObject *ext_games(PyObject *module, PyObject *ignored);
PyObject *ext_rom_folders(PyObject *module, PyObject *ignored);

/* Load an image into an interface that had the env `last` (NULL: none) before. *fresh is a new env; or NULL if only the
 * seed differs from the last time, and the console of `last` was powered on again instead. Other threads run
 * meanwhile. On failure nothing has changed. */
sixer_err ext_load(sixer_env *last, const sixer_rom *rom, const sixer_config *config,
                   sixer_env **fresh, sixer_error *error);

/* A probability as the reference takes it: numbers outside of 0 to 1 are the nearest of these. */
float ext_probability(double p);

/* ---- ale.c, ale_state.c ---------------------------------------------------------------------------------------- */

extern PyType_Spec ext_ale_spec, ext_state_spec;

/* A saved state of the drop-in interface: the fields that the reference stores beside the console, and the console and
 * the game as a state of sixer.
 *
 * `maker` says who made the state: an object that a console gets when its image is loaded and that Python code never
 * sees. A console restores states with its own `maker` without checking them. Whatever else fills a state, such as its
 * constructor or pickle, sets it to NULL: such states are from outside, and every byte of them is checked. */
typedef struct ext_state {
  PyObject_HEAD sixer_ale_fields fields;
  PyObject *blob;  /* bytes; never NULL */
  PyObject *maker; /* NULL: from outside */
} ext_state;

/* ---- players.c ------------------------------------------------------------------------------------------------- */

extern PyType_Spec ext_players_spec;

/* ---- vec.c ----------------------------------------------------------------------------------------------------- */

extern PyType_Spec ext_vec_spec;
PyObject *ext_unused(PyObject *module, PyObject *list);

/* ---- tape.c ---------------------------------------------------------------------------------------------------- */

extern PyType_Spec ext_tape_spec;

/* ---- plan.c ---------------------------------------------------------------------------------------------------- */

PyObject *ext_plan(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *ext_agents(PyObject *module, PyObject *ignored);

/* ---- agents.c -------------------------------------------------------------------------------------------------- */

extern PyType_Spec ext_agent_spec, ext_train_spec;
PyObject *ext_model(PyObject *module, PyObject *path);
PyObject *ext_model_network(PyObject *module, PyObject *args);
PyObject *ext_presets(PyObject *module, PyObject *agent);

/* ---- eval.c ---------------------------------------------------------------------------------------------------- */

/* A new module with the functions of evaluation. */
PyObject *ext_evaluation(void);

/* Types and interned names: the state of a module, made when it is loaded and constant afterwards. Each import of the
 * extension (a second one, or that of a subinterpreter) has its own. `ends` is a tuple of names by sixer_end; None
 * while the episode goes on. */
#define EXT_NAMES(X)      \
  X(rom_type)             \
  X(ale_type)             \
  X(state_type)           \
  X(vec_type)             \
  X(tape_type)            \
  X(agent_type)           \
  X(train_type)           \
  X(players_type)         \
  X(lives)                \
  X(episode_frame_number) \
  X(frame_number)         \
  X(value)                \
  X(frames)               \
  X(episode_frames)       \
  X(executed)             \
  X(level)                \
  X(raw_reward)           \
  X(end)                  \
  X(ends)

typedef struct ext_names {
#define X(name) PyObject *name;
  EXT_NAMES(X)
#undef X
} ext_names;

/* The state of the module that a type belongs to, or one of its bases: a program may have derived it. It lives as long
 * as the type. */
const ext_names *ext_of_type(PyTypeObject *type);
static inline const ext_names *ext_of(PyObject *object) { return ext_of_type(Py_TYPE(object)); }
static inline const ext_names *ext_of_module(PyObject *module) { return PyModule_GetState(module); }

#endif
