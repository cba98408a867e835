/* Ale: the part of the drop-in interface that runs games; sixer.ale.ALEInterface adds the settings to it.
 *
 * Where the reference behaves differently from sixer's own environment, this file reproduces the difference with the
 * hooks of sixer/ale.h: loading a state changes neither the remembered action nor the picture, action codes above 17
 * are accepted where the reference ignores them, and the picture can be recorded before each frame.
 *
 * An act draws its last frame only if the program has read the picture of the act before. If it reads the next one
 * nevertheless, the frame is drawn then. */
#include <stdio.h>

#include "ext.h"

enum { SCREEN_WIDTH = 160, ACTION_RESET = 40 };

enum { NONE, INDICES, RGB, GRAY, RAM };

/* The beginning of the reference's messages about arguments, which programs may test for. */
#define UNFIT "incompatible function arguments. The following argument types are supported: "

typedef struct ale {
  PyObject_HEAD PyObject *rom; /* an ext_rom; NULL until one is loaded */
  PyObject *maker;             /* of the states of this env (ext_state); NULL until one is loaded */
  sixer_env *env;
  char *record_dir; /* NULL: pictures are not recorded */
  int recorded;
  bool looked;          /* the program has read the picture of the last act */
  bool busy;            /* a call is under way */
  const ext_names *ext; /* found when the image is loaded */
} ale;

/* ---- Guarding the environment ---------------------------------------------------------------------------------- */

/* Is another call under way? Arguments are converted by the caller's code (__index__, __float__, __buffer__), which may
 * load another image or let another thread in, so a call holds the environment from its beginning to its end. */
static bool in_use(const ale *self) {
  if (self->busy) {
    PyErr_SetString(PyExc_RuntimeError,
                    "this environment is running in another thread, or another call is not done; "
                    "give each thread its own");
  }
  return self->busy;
}

static bool enter(ale *self) {
  if (in_use(self)) return false;
  if (!self->env) {
    PyErr_SetString(PyExc_RuntimeError, "ROM not set");
    return false;
  }
  return self->busy = true;
}

static PyObject *leave(ale *self, PyObject *result) {
  self->busy = false;
  return result;
}

/* Methods as Python calls them: the function that is named, between enter() and leave(). */
#define GUARDED_KEYWORDS(name)                                                     \
  static PyObject *name(PyObject *object, PyObject *const *args, Py_ssize_t count, \
                        PyObject *names) {                                         \
    ale *self = (ale *)object;                                                     \
    return enter(self) ? leave(self, do_##name(self, args, count, names)) : NULL;  \
  }
#define GUARDED_FAST(name)                                                           \
  static PyObject *name(PyObject *object, PyObject *const *args, Py_ssize_t count) { \
    ale *self = (ale *)object;                                                       \
    return enter(self) ? leave(self, do_##name(self, args, count)) : NULL;           \
  }
#define GUARDED(name)                                                   \
  static PyObject *name(PyObject *object, PyObject *argument) {         \
    ale *self = (ale *)object;                                          \
    return enter(self) ? leave(self, do_##name(self, argument)) : NULL; \
  }

/* ---- Life ------------------------------------------------------------------------------------------------------ */

static void unload(ale *self) {
  sixer_env_destroy(self->env);
  self->env = NULL;
  free(self->record_dir);
  self->record_dir = NULL;
  Py_CLEAR(self->rom);
  Py_CLEAR(self->maker);
}

static void ale_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  unload((ale *)object);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

/* The reference accepts any number: below 0 is like 0, above 1 like 1. With NaN an action never takes effect, as with
 * 1. */
static PyObject *ale_load(PyObject *object, PyObject *args, PyObject *keywords) {
  static char *names[] = {"rom",        "seed",       "system_seed",    "sticky",
                          "frame_skip", "max_frames", "life_loss",      "color_averaging",
                          "sound",      "reward_min", "reward_max",     "paddle_min",
                          "paddle_max", "cycle_cpu",  "record_screens", NULL};
  ale *self = (ale *)object;
  PyObject *rom;
  double sticky;
  unsigned seed, system_seed;
  int life_loss, averaging, sound, cycle_cpu;
  const char *record;
  sixer_config config = sixer_config_default();
  if (!PyArg_ParseTupleAndKeywords(
          args, keywords, "O!IIdiipppiiiipz:_load", names, (PyTypeObject *)ext_of(object)->rom_type,
          &rom, &seed, &system_seed, &sticky, &config.frame_skip, &config.max_frames, &life_loss,
          &averaging, &sound, &config.reward_min, &config.reward_max, &config.paddle_min,
          &config.paddle_max, &cycle_cpu, &record)) {
    return NULL;
  }
  if (in_use(self)) return NULL;
  config.sticky = ext_probability(sticky);
  config.seed = seed;
  config.system_seed = system_seed;
  config.end_on_life_loss = life_loss;
  config.color_averaging = averaging;
  config.sound = sound;
  config.cycle_cpu = cycle_cpu;
  char *directory = NULL;
  if (record && *record && !(directory = strdup(record))) return PyErr_NoMemory();
  sixer_error error = {SIXER_OK, ""};
  const sixer_rom *image = ((ext_rom *)rom)->rom;
  sixer_env *fresh = NULL; /* created first, so that a failure changes nothing */
  self->busy = true;
  const sixer_err err = ext_load(self->env, image, &config, &fresh, &error);
  self->busy = false;
  const bool again = !err && !fresh;
  PyObject *maker = NULL;
  if (!again && !err) maker = PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type);
  if (!again && !maker) {
    free(directory);
    sixer_env_destroy(fresh);
    return err ? ext_raise(&error) : NULL;
  }
  if (again) {
    free(self->record_dir);
  } else {
    unload(self);
    self->maker = maker;
    self->rom = Py_NewRef(rom);
    self->env = fresh;
  }
  self->record_dir = directory;
  self->ext = ext_of(object);
  self->recorded = 0;
  self->looked = true;
  Py_RETURN_NONE;
}

/* ---- Pictures -------------------------------------------------------------------------------------------------- */

static void draw(ale *self, int kind, uint8_t *out) {
  sixer_env *env = self->env;
  switch (kind) {
    case INDICES:
      memcpy(out, sixer_env_screen(env), (size_t)sixer_env_height(env) * SCREEN_WIDTH);
      break;
    case RGB: sixer_env_rgb(env, out); break;
    case GRAY: sixer_env_gray(env, out); break;
    case RAM: memcpy(out, sixer_env_ram(env), 128); break;
    default: break;
  }
  if (kind != RAM) self->looked = true;
}

/* Check the shape of an array for a screen. The messages are the reference's. */
static bool check_shape(const ale *self, const Py_buffer *view, int kind) {
  Py_ssize_t height = sixer_env_height(self->env);
  int dimensions = kind == RGB ? 3 : 2;
  if (view->ndim != dimensions) {
    PyErr_Format(PyExc_RuntimeError, "Expected a numpy array with %s dimensions.",
                 kind == RGB ? "three" : "two");
    return false;
  }
  const Py_ssize_t *s = view->shape;
  if (s[0] == height && s[1] == SCREEN_WIDTH && (kind != RGB || s[2] == 3)) return true;
  if (kind == RGB) {
    PyErr_Format(PyExc_RuntimeError, "Invalid shape (%zd, %zd, %zd), expecting shape (%zd, %d, 3)",
                 s[0], s[1], s[2], height, SCREEN_WIDTH);
  } else {
    PyErr_Format(PyExc_RuntimeError, "Invalid shape%s (%zd, %zd), expecting shape (%zd, %d)",
                 kind == INDICES ? "," : "", s[0], s[1], height, SCREEN_WIDTH);
  }
  return false;
}

static PyObject *fill(ale *self, PyObject *buffer, int kind) {
  Py_buffer view;
  if (!ext_buffer(buffer, &view, UNFIT "buffer")) return NULL;
  if (!check_shape(self, &view, kind)) {
    PyBuffer_Release(&view);
    return NULL;
  }
  draw(self, kind, view.buf);
  PyBuffer_Release(&view);
  Py_RETURN_NONE;
}

static PyObject *do_ale_screen(ale *self, PyObject *buffer) { return fill(self, buffer, INDICES); }
GUARDED(ale_screen)
static PyObject *do_ale_rgb(ale *self, PyObject *buffer) { return fill(self, buffer, RGB); }
GUARDED(ale_rgb)
static PyObject *do_ale_gray(ale *self, PyObject *buffer) { return fill(self, buffer, GRAY); }
GUARDED(ale_gray)

static PyObject *fill_bytes(ale *self, PyObject *buffer, bool sound) {
  Py_buffer view;
  Py_ssize_t size = sound ? SIXER_SOUND_SAMPLES : 128;
  if (!ext_buffer(buffer, &view, UNFIT "buffer")) return NULL;
  if (view.ndim != 1 || view.len != size) {
    PyErr_Format(PyExc_TypeError, UNFIT "buffer must have shape (%zd,)", size);
    PyBuffer_Release(&view);
    return NULL;
  }
  memcpy(view.buf, sound ? sixer_env_sound(self->env) : sixer_env_ram(self->env), (size_t)size);
  PyBuffer_Release(&view);
  Py_RETURN_NONE;
}

static PyObject *do_ale_ram(ale *self, PyObject *buffer) { return fill_bytes(self, buffer, false); }
GUARDED(ale_ram)
static PyObject *do_ale_audio(ale *self, PyObject *buffer) {
  return fill_bytes(self, buffer, true);
}
GUARDED(ale_audio)

static PyObject *do_ale_save_png(ale *self, PyObject *path) {
  const char *name = PyUnicode_AsUTF8AndSize(path, NULL);
  if (!name) return NULL;
  bool written;
  Py_BEGIN_ALLOW_THREADS written = sixer_env_save_png(self->env, name, NULL) == SIXER_OK;
  Py_END_ALLOW_THREADS return PyBool_FromLong(written);
}
GUARDED(ale_save_png)

/* ---- Acting ---------------------------------------------------------------------------------------------------- */

/* One act, as the reference does it. `wanted`: draw the picture now. */
static int act(ale *self, int action, float strength, bool wanted) {
  sixer_env *env = self->env;
  sixer_act act = sixer_act_begin(env, (sixer_input){.action_a = action, .strength_a = strength});
  self->looked = false;
  if (!wanted) act.shown = 0;
  if (self->record_dir) act.shown = act.frames;
  while (self->record_dir && act.left > 0) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%06d.png", self->record_dir, self->recorded++);
    sixer_env_save_png(env, path, NULL);
    sixer_act_frame(env, &act);
  }
  return sixer_act_end(env, &act);
}

/* The reference takes any code. It ignores those above 17 in games with paddles, and RESET (40) in all; with a
 * joystick the others end its process. */
static bool check_code(const ale *self, long long code, int *action) {
  *action = code < SIXER_ACTION_COUNT ? (int)code : 0;
  if (code < SIXER_ACTION_COUNT || code == ACTION_RESET ||
      sixer_rom_describe(sixer_env_rom(self->env)).paddles)
    return true;
  PyErr_Format(PyExc_RuntimeError, "Invalid action %lld; an action is 0 to 17 (see Action)", code);
  return false;
}

static bool parse_action(const ale *self, PyObject *object, int *action) {
  long long code;
  if (PyLong_Check(object) || PyIndex_Check(object)) {
    if (!ext_int(object, 0, UINT32_MAX, &code, "act(): " UNFIT "action")) return false;
  } else {
    /* an Action: an enumeration whose members have a value */
    PyObject *value = PyObject_GetAttr(object, self->ext->value);
    bool fits = value && PyLong_Check(value) && ext_int(value, 0, UINT32_MAX, &code, "action");
    Py_XDECREF(value);
    if (!fits) {
      PyErr_Clear();
      PyErr_Format(PyExc_TypeError,
                   "act(): " UNFIT "action must be an integer or an Action, not %R",
                   (PyObject *)Py_TYPE(object));
      return false;
    }
  }
  return check_code(self, code, action);
}

static bool parse_strength(PyObject *object, float *strength) {
  double value = PyFloat_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, UNFIT "paddle_strength must be a number, not %R",
                 (PyObject *)Py_TYPE(object));
    return false;
  }
  *strength = (float)value;
  return true;
}

/* act(action, paddle_strength=1.0) -> reward */
static PyObject *do_ale_act(ale *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  PyObject *given[2] = {count > 0 ? args[0] : NULL, count > 1 ? args[1] : NULL};
  bool fits = count <= 2;
  Py_ssize_t named = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < named && fits; i++) {
    PyObject *name = PyTuple_GetItem(names, i);
    int which = PyUnicode_CompareWithASCIIString(name, "action") == 0            ? 0
                : PyUnicode_CompareWithASCIIString(name, "paddle_strength") == 0 ? 1
                                                                                 : -1;
    fits = which >= 0 && !given[which];
    if (fits) given[which] = args[count + i];
  }
  if (!fits || !given[0]) {
    PyErr_SetString(PyExc_TypeError, "act(): " UNFIT "it takes an action and a paddle_strength");
    return NULL;
  }
  int action, reward;
  float strength = 1;
  if (!parse_action(self, given[0], &action)) return NULL;
  if (given[1] && !parse_strength(given[1], &strength)) return NULL;
  Py_BEGIN_ALLOW_THREADS reward = act(self, action, strength, self->looked);
  Py_END_ALLOW_THREADS return PyLong_FromLong(reward);
}
GUARDED_KEYWORDS(ale_act)

static bool set_int(PyObject *dict, PyObject *key, long value) {
  PyObject *number = PyLong_FromLong(value);
  int failed = number ? PyDict_SetItem(dict, key, number) : -1;
  Py_XDECREF(number);
  return failed == 0;
}

static PyObject *make_info(const ale *self) {
  sixer_status status = sixer_env_status(self->env);
  PyObject *info = PyDict_New();
  if (info && set_int(info, self->ext->lives, status.lives) &&
      set_int(info, self->ext->episode_frame_number, status.episode_frames) &&
      set_int(info, self->ext->frame_number, (long)status.frames)) {
    return info;
  }
  Py_XDECREF(info);
  return NULL;
}

static PyObject *do_ale_info(ale *self, PyObject *ignored) {
  (void)ignored;
  return make_info(self);
}
GUARDED(ale_info)

/* _run(action, strength, acts, kind, buffer) -> (reward, terminated, truncated, info): one step of the Gymnasium layer.
 * The action is one of the game's, so it needs no check. */
static PyObject *do_ale_run(ale *self, PyObject *const *args, Py_ssize_t count) {
  long long action, acts, kind;
  float strength;
  Py_buffer view = {0};
  if (count != 5) {
    PyErr_SetString(PyExc_TypeError, "_run() takes action, strength, acts, kind, buffer");
    return NULL;
  }
  if (!ext_int(args[0], 0, SIXER_ACTION_COUNT - 1, &action, "action") ||
      !parse_strength(args[1], &strength) || !ext_int(args[2], 0, INT32_MAX, &acts, "acts") ||
      !ext_int(args[3], NONE, RAM, &kind, "kind")) {
    return NULL;
  }
  if (kind != NONE) {
    if (!ext_buffer(args[4], &view, "buffer")) return NULL;
    bool fits = kind == RAM ? view.len == 128 : check_shape(self, &view, (int)kind);
    if (!fits) {
      if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "buffer must have shape (128,)");
      PyBuffer_Release(&view);
      return NULL;
    }
  }
  int64_t sum = 0;
  Py_BEGIN_ALLOW_THREADS bool wanted = self->looked || (kind != NONE && kind != RAM);
  int shown = !wanted ? 0 : sixer_env_config(self->env)->color_averaging ? 2 : 1;
  for (long long left = acts; left > 0; left--)
    sum += act(self, (int)action, strength, left <= shown);
  if (kind != NONE) draw(self, (int)kind, view.buf);
  Py_END_ALLOW_THREADS if (kind != NONE) PyBuffer_Release(&view);
  sixer_status status = sixer_env_status(self->env);
  PyObject *info = make_info(self);
  if (!info) return NULL;
  return Py_BuildValue("(dOON)", (double)sum, status.terminal ? Py_True : Py_False,
                       status.truncated ? Py_True : Py_False, info);
}
GUARDED_FAST(ale_run)

static PyObject *do_ale_reset(ale *self, PyObject *ignored) {
  (void)ignored;
  Py_BEGIN_ALLOW_THREADS sixer_env_reset(self->env);
  Py_END_ALLOW_THREADS Py_RETURN_NONE;
}
GUARDED(ale_reset)

/* The one argument of a call, a bool that may be named or left out. */
static bool one_bool(PyObject *const *args, Py_ssize_t count, PyObject *names, const char *name,
                     PyObject *otherwise, PyObject **value) {
  const Py_ssize_t named = names ? PyTuple_Size(names) : 0;
  *value = count + named ? args[0] : otherwise;
  if (count + named > 1 || (*value != Py_True && *value != Py_False)) return false;
  return !named || PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), name) == 0;
}

static PyObject *do_ale_over(ale *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  PyObject *with;
  if (!one_bool(args, count, names, "with_truncation", Py_True, &with)) {
    PyErr_SetString(PyExc_TypeError, "game_over(): " UNFIT "it takes one bool, with_truncation");
    return NULL;
  }
  sixer_status status = sixer_env_status(self->env);
  bool over = status.terminal || (with == Py_True && status.truncated);
  return PyBool_FromLong(over);
}
GUARDED_KEYWORDS(ale_over)

static PyObject *do_ale_truncated(ale *self, PyObject *ignored) {
  (void)ignored;

  return PyBool_FromLong(sixer_env_status(self->env).truncated);
}
GUARDED(ale_truncated)

/* ---- Queries --------------------------------------------------------------------------------------------------- */

static PyObject *do_ale_lives(ale *self, PyObject *ignored) {
  (void)ignored;

  return PyLong_FromLong(sixer_env_status(self->env).lives);
}
GUARDED(ale_lives)

static PyObject *do_ale_frame(ale *self, PyObject *ignored) {
  (void)ignored;

  return PyLong_FromLongLong(sixer_env_status(self->env).frames);
}
GUARDED(ale_frame)

static PyObject *do_ale_episode_frame(ale *self, PyObject *ignored) {
  (void)ignored;

  return PyLong_FromLong(sixer_env_status(self->env).episode_frames);
}
GUARDED(ale_episode_frame)

static PyObject *do_ale_dims(ale *self, PyObject *ignored) {
  (void)ignored;

  return Py_BuildValue("(ii)", sixer_env_height(self->env), SCREEN_WIDTH);
}
GUARDED(ale_dims)

static PyObject *do_ale_modes(ale *self, PyObject *ignored) {
  (void)ignored;

  return ext_list(sixer_rom_modes(sixer_env_rom(self->env)));
}
GUARDED(ale_modes)

static PyObject *do_ale_difficulties(ale *self, PyObject *ignored) {
  (void)ignored;

  return ext_list(sixer_rom_difficulties(sixer_env_rom(self->env)));
}
GUARDED(ale_difficulties)

static PyObject *do_ale_actions(ale *self, PyObject *minimal) {
  const sixer_rom *rom = sixer_env_rom(self->env);
  return ext_list(minimal == Py_True ? sixer_rom_minimal_actions(rom)
                                     : sixer_rom_legal_actions(rom));
}
GUARDED(ale_actions)

static PyObject *refuse(const char *what, long long value, sixer_list available) {
  PyObject *list = ext_list(available);
  if (list) PyErr_Format(PyExc_RuntimeError, "%s (%lld; available: %R)", what, value, list);
  Py_XDECREF(list);
  return NULL;
}

static PyObject *do_ale_set_mode(ale *self, PyObject *value) {
  long long mode;
  if (!ext_int(value, 0, UINT32_MAX, &mode, "setMode(): " UNFIT "mode")) return NULL;
  sixer_error error;
  if (mode > INT32_MAX || sixer_env_set_mode(self->env, (int)mode, &error)) {
    return refuse("Invalid game mode requested", mode, sixer_rom_modes(sixer_env_rom(self->env)));
  }
  Py_RETURN_NONE;
}
GUARDED(ale_set_mode)

static PyObject *do_ale_set_difficulty(ale *self, PyObject *value) {
  long long difficulty;
  if (!ext_int(value, 0, UINT32_MAX, &difficulty, "setDifficulty(): " UNFIT "difficulty"))
    return NULL;
  sixer_error error;
  if (difficulty > INT32_MAX || sixer_env_set_difficulty(self->env, (int)difficulty, &error)) {
    return refuse("Invalid difficulty requested", difficulty,
                  sixer_rom_difficulties(sixer_env_rom(self->env)));
  }
  Py_RETURN_NONE;
}
GUARDED(ale_set_difficulty)

static PyObject *do_ale_set_ram(ale *self, PyObject *const *args, Py_ssize_t count) {
  long long index, value;
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, "setRAM(): " UNFIT "it takes an index and a value");
    return NULL;
  }
  if (!ext_int(args[0], 0, INT64_MAX, &index, "setRAM(): " UNFIT "index") ||
      !ext_int(args[1], 0, 255, &value, "setRAM(): " UNFIT "value")) {
    return NULL;
  }
  if (index > 127) {
    PyErr_SetString(PyExc_RuntimeError, "setRAM index out of bounds.");
    return NULL;
  }
  sixer_env_set_ram(self->env, (int)index, (uint8_t)value);
  Py_RETURN_NONE;
}
GUARDED_FAST(ale_set_ram)

/* ---- States ---------------------------------------------------------------------------------------------------- */

static PyObject *clone(ale *self, bool include_rng) {
  const int flags = include_rng ? SIXER_SAVE_CONTROLLER : 0;
  PyObject *blob =
      PyBytes_FromStringAndSize(NULL, (Py_ssize_t)sixer_env_state_size(self->env, flags));
  if (!blob) return NULL;
  ext_state *state = PyObject_New(ext_state, (PyTypeObject *)self->ext->state_type);
  if (!state) {
    Py_DECREF(blob);
    return NULL;
  }
  sixer_ale_save(self->env, flags, PyBytes_AsString(blob), &state->fields);
  state->blob = blob;
  state->maker = Py_NewRef(self->maker);
  return (PyObject *)state;
}

/* cloneState(include_rng=False) */
static PyObject *do_ale_clone(ale *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  PyObject *include_rng;
  if (!one_bool(args, count, names, "include_rng", Py_False, &include_rng)) {
    PyErr_SetString(PyExc_TypeError, "cloneState(): " UNFIT "it takes one bool, include_rng");
    return NULL;
  }
  return clone(self, include_rng == Py_True);
}
GUARDED_KEYWORDS(ale_clone)

static PyObject *do_ale_clone_system(ale *self, PyObject *ignored) {
  (void)ignored;
  return clone(self, true);
}
GUARDED(ale_clone_system)

static PyObject *do_ale_restore(ale *self, PyObject *argument) {
  if (!PyObject_TypeCheck(argument, (PyTypeObject *)self->ext->state_type)) {
    return PyErr_Format(PyExc_TypeError, "restoreState(): " UNFIT "it takes an ALEState, not %R",
                        (PyObject *)Py_TYPE(argument));
  }
  const ext_state *state = (const ext_state *)argument;
  if (state->maker == self->maker) {
    sixer_ale_restore(self->env, PyBytes_AsString(state->blob), &state->fields);
    Py_RETURN_NONE;
  }
  char *blob;
  Py_ssize_t size;
  sixer_error error = {SIXER_OK, ""};
  if (PyBytes_AsStringAndSize(state->blob, &blob, &size) < 0) return NULL;
  if (sixer_ale_load(self->env, blob, (size_t)size, &state->fields, &error))
    return ext_raise_as(PyExc_RuntimeError, &error);
  Py_RETURN_NONE;
}
GUARDED(ale_restore)

/* ---- The type -------------------------------------------------------------------------------------------------- */

#define DOC(signature, text) signature "\n--\n\n" text

static PyMethodDef methods[] = {
    {"_load", (PyCFunction)(void (*)(void))ale_load, METH_VARARGS | METH_KEYWORDS,
     "Build the console with an image and settings."},
    {"_screen", ale_screen, METH_O, "Fill an array with the screen's palette bytes."},
    {"_rgb", ale_rgb, METH_O, "Fill an array with the screen's colors."},
    {"_gray", ale_gray, METH_O, "Fill an array with the screen's grays."},
    {"_ram", ale_ram, METH_O, "Fill an array with the memory."},
    {"_audio", ale_audio, METH_O, "Fill an array with the samples of the last act."},
    {"_save_png", ale_save_png, METH_O, "Write the screen; False if that failed."},
    {"_run", (PyCFunction)(void (*)(void))ale_run, METH_FASTCALL,
     "One step of the Gymnasium layer."},
    {"_info", ale_info, METH_NOARGS, "The dict of a Gymnasium step."},
    {"_actions", ale_actions, METH_O, "Action numbers: minimal if True, else legal."},
    {"act", (PyCFunction)(void (*)(void))ale_act, METH_FASTCALL | METH_KEYWORDS,
     DOC("act($self, /, action, paddle_strength=1.0)",
         "Apply an action for frame_skip frames and return the reward.")},
    {"game_over", (PyCFunction)(void (*)(void))ale_over, METH_FASTCALL | METH_KEYWORDS,
     DOC("game_over($self, /, with_truncation=True)",
         "Whether the game is over, or (with_truncation) the episode was cut off.")},
    {"game_truncated", ale_truncated, METH_NOARGS,
     DOC("game_truncated($self, /)", "Whether the episode was cut off.")},
    {"reset_game", ale_reset, METH_NOARGS, DOC("reset_game($self, /)", "Start a new episode.")},
    {"lives", ale_lives, METH_NOARGS, DOC("lives($self, /)", "Lives left.")},
    {"getFrameNumber", ale_frame, METH_NOARGS,
     DOC("getFrameNumber($self, /)", "Frames since the image was loaded.")},
    {"getEpisodeFrameNumber", ale_episode_frame, METH_NOARGS,
     DOC("getEpisodeFrameNumber($self, /)", "Frames since the last reset.")},
    {"getScreenDims", ale_dims, METH_NOARGS,
     DOC("getScreenDims($self, /)", "(height, width) of the screen.")},
    {"getAvailableModes", ale_modes, METH_NOARGS,
     DOC("getAvailableModes($self, /)", "The modes of the game.")},
    {"getAvailableDifficulties", ale_difficulties, METH_NOARGS,
     DOC("getAvailableDifficulties($self, /)", "The settings of its difficulty switches.")},
    {"setMode", ale_set_mode, METH_O,
     DOC("setMode($self, mode, /)", "Choose the mode of the next episode.")},
    {"setDifficulty", ale_set_difficulty, METH_O,
     DOC("setDifficulty($self, difficulty, /)", "Set the difficulty switches.")},
    {"setRAM", (PyCFunction)(void (*)(void))ale_set_ram, METH_FASTCALL,
     DOC("setRAM($self, index, value, /)",
         "Write a byte of the console's memory, index 0 to 127.")},
    {"cloneState", (PyCFunction)(void (*)(void))ale_clone, METH_FASTCALL | METH_KEYWORDS,
     DOC("cloneState($self, /, include_rng=False)",
         "The current state: console, game and counters; with include_rng, the generator of sticky "
         "actions too.")},
    {"cloneSystemState", ale_clone_system, METH_NOARGS,
     DOC("cloneSystemState($self, /)", "The same as cloneState(include_rng=True).")},
    {"restoreState", ale_restore, METH_O,
     DOC("restoreState($self, state, /)",
         "Load a saved state. As in the reference, the screen shows the old picture until "
         "the next frame, and sticky actions remember the live action.")},
    {"restoreSystemState", ale_restore, METH_O,
     DOC("restoreSystemState($self, state, /)", "The same as restoreState.")},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "The running part of ALEInterface."},
    {Py_tp_dealloc, (void *)ale_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec ext_ale_spec = {
    .name = "sixer._sixer.Ale",
    .basicsize = sizeof(ale),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
