/* Players: an environment with one to four players, for sixer.multi and sixer.zoo.
 *
 * Arrays are filled in place, so that only the Python files need NumPy. An act draws its last frame only if the program
 * has looked at the picture of the act before; if it looks nevertheless, the frame is drawn then. */
#include "sixer/players.h"

#include <limits.h>

#include "ext.h"
#include "sixer/ale.h"

enum { SCREEN_WIDTH = 160, RAM_SIZE = 128 };

enum { INDICES, RGB, GRAY };

typedef struct players {
  PyObject_HEAD PyObject *rom; /* an ext_rom; NULL until one is loaded */
  sixer_env *env;
  bool looked; /* the program has looked at the picture of the last act */
  bool busy;   /* a call is under way */
  /* After a state was restored as the reference does it, memory shows its old contents until the next frame. */
  bool stale;
  uint8_t ram[RAM_SIZE];
} players;

/* ---- Guarding the environment ---------------------------------------------------------------------------------- */

static bool enter(players *self) {
  if (self->busy) {
    PyErr_SetString(PyExc_RuntimeError,
                    "this environment is running in another thread, or another call is not done; "
                    "give each thread its own");
    return false;
  }
  if (!self->env) {
    PyErr_SetString(PyExc_RuntimeError, "ROM not set: load an image first");
    return false;
  }
  return self->busy = true;
}

static PyObject *leave(players *self, PyObject *result) {
  self->busy = false;
  return result;
}

/* Methods as Python calls them: the function that is named, between enter() and leave(). */
#define GUARDED_FAST(name)                                                           \
  static PyObject *name(PyObject *object, PyObject *const *args, Py_ssize_t count) { \
    players *self = (players *)object;                                               \
    return enter(self) ? leave(self, do_##name(self, args, count)) : NULL;           \
  }
#define GUARDED(name)                                                   \
  static PyObject *name(PyObject *object, PyObject *argument) {         \
    players *self = (players *)object;                                  \
    return enter(self) ? leave(self, do_##name(self, argument)) : NULL; \
  }

/* ---- Life ------------------------------------------------------------------------------------------------------ */

static void players_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  players *self = (players *)object;
  sixer_env_destroy(self->env);
  Py_CLEAR(self->rom);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyObject *players_load(PyObject *object, PyObject *args, PyObject *keywords) {
  static char *names[] = {"rom",        "players",    "dialect",     "mode",
                          "difficulty", "seed",       "system_seed", "sticky",
                          "frame_skip", "max_frames", "turn_limit",  "color_averaging",
                          "paddle_min", "paddle_max", "cycle_cpu",   NULL};
  players *self = (players *)object;
  PyObject *rom;
  double sticky;
  const char *dialect;
  int averaging, cycle_cpu;
  sixer_config config = sixer_config_default();
  if (!PyArg_ParseTupleAndKeywords(
          args, keywords, "O!isiiIIdiiipiip:load", names, (PyTypeObject *)ext_of(object)->rom_type,
          &rom, &config.players, &dialect, &config.mode, &config.difficulty, &config.seed,
          &config.system_seed, &sticky, &config.frame_skip, &config.max_frames, &config.turn_limit,
          &averaging, &config.paddle_min, &config.paddle_max, &cycle_cpu)) {
    return NULL;
  }
  if (self->busy) return enter(self), NULL;
  if (!sixer_dialect_find(dialect, &config.dialect)) {
    return PyErr_Format(PyExc_ValueError, "there is no dialect %s; there are sixer and ma",
                        dialect);
  }
  config.sticky = ext_probability(sticky);
  config.color_averaging = averaging;
  config.cycle_cpu = cycle_cpu;
  sixer_error error = {SIXER_OK, ""};
  sixer_env *fresh = NULL; /* created first, so that a failure changes nothing */
  self->busy = true;
  const sixer_err err = ext_load(self->env, ((ext_rom *)rom)->rom, &config, &fresh, &error);
  self->busy = false;
  if (err) return ext_raise(&error);
  if (fresh) {
    sixer_env_destroy(self->env);
    Py_XDECREF(self->rom);
    self->rom = Py_NewRef(rom);
    self->env = fresh;
  }
  self->looked = true;
  self->stale = false;
  Py_RETURN_NONE;
}

/* ---- Acting ---------------------------------------------------------------------------------------------------- */

static bool number_of(PyObject *item, int *value) {
  PyObject *number = PyNumber_Long(item);
  long wide = number ? PyLong_AsLong(number) : -1;
  Py_XDECREF(number);
  if (wide == -1 && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return false;
    PyErr_Clear();
  }
  *value = wide < -1 || wide > 1000 ? -1 : (int)wide;
  return true;
}

/* One action, or a sequence of actions. The number that was given, or -1; only the first few are stored. */
static Py_ssize_t actions_of(PyObject *object, int actions[SIXER_PLAYERS_MAX]) {
  if (PyLong_Check(object)) return number_of(object, actions) ? 1 : -1;
  if (!PySequence_Check(object)) return number_of(object, actions) ? 1 : -1;
  Py_ssize_t count = PySequence_Size(object);
  if (count < 0) { /* an array without dimensions */
    PyErr_Clear();
    return number_of(object, actions) ? 1 : -1;
  }
  for (Py_ssize_t i = 0; i < count && i < SIXER_PLAYERS_MAX; i++) {
    PyObject *item = PySequence_GetItem(object, i);
    bool fits = item && number_of(item, &actions[i]);
    Py_XDECREF(item);
    if (!fits) return -1;
  }
  return count;
}

/* Borrow an array of 32-bit integers with room for the players; None leaves the view empty. */
static bool integers(const players *self, PyObject *object, Py_buffer *view) {
  if (object == Py_None) return true;
  if (PyObject_GetBuffer(object, view, PyBUF_CONTIG | PyBUF_FORMAT) < 0) return false;
  Py_ssize_t room = (Py_ssize_t)sizeof(int32_t) * sixer_env_players(self->env);
  const char *format = view->format;
  bool signed_32 = view->itemsize == 4 && format && strlen(format) == 1 && strchr("il", format[0]);
  if (signed_32 && view->len >= room) return true;
  PyBuffer_Release(view);
  PyErr_Format(PyExc_TypeError, "expected an array of int32 for %d players",
               sixer_env_players(self->env));
  return false;
}

static void release(Py_buffer *view) {
  if (view->obj) PyBuffer_Release(view);
}

static int act(players *self, const int *actions, int count) {
  sixer_env *env = self->env;
  sixer_input input = {.strength_a = 1, .strength_b = 1, .strength_c = 1, .strength_d = 1};
  int *places[] = {&input.action_a, &input.action_b, &input.action_c, &input.action_d};
  for (int i = 0; i < count; i++) *places[i] = actions[i];
  int64_t before = sixer_env_status(env).frames;
  sixer_act act = sixer_act_begin(env, input);
  if (!self->looked) act.shown = 0;
  self->looked = false;
  int reward = sixer_act_end(env, &act);
  if (sixer_env_status(env).frames != before) self->stale = false;
  return reward;
}

/* step(actions, rewards, lives) -> (terminal, truncated) */
static PyObject *do_players_step(players *self, PyObject *const *args, Py_ssize_t count) {
  if (count != 3) {
    PyErr_SetString(PyExc_TypeError, "step() takes actions, rewards and lives");
    return NULL;
  }
  int actions[SIXER_PLAYERS_MAX] = {0};
  Py_ssize_t given = actions_of(args[0], actions);
  if (given < 0) return NULL;
  sixer_error error = {SIXER_OK, ""};
  if (sixer_env_check_actions(self->env, actions, given > INT_MAX ? INT_MAX : (int)given, &error))
    return ext_raise(&error);
  Py_buffer rewards = {0}, lives = {0};
  if (!integers(self, args[1], &rewards)) return NULL;
  if (!integers(self, args[2], &lives)) {
    release(&rewards);
    return NULL;
  }
  sixer_players_result r;
  int first;
  Py_BEGIN_ALLOW_THREADS first = act(self, actions, (int)given);
  r = sixer_env_players_result(self->env);
  r.reward[0] = first; /* the result of an env for one player does not have it */
  Py_END_ALLOW_THREADS for (int i = 0; i < r.players; i++) {
    if (rewards.buf) ((int32_t *)rewards.buf)[i] = r.reward[i];
    if (lives.buf) ((int32_t *)lives.buf)[i] = r.lives[i];
  }
  release(&rewards);
  release(&lives);
  return Py_BuildValue("(OO)", r.terminal ? Py_True : Py_False, r.truncated ? Py_True : Py_False);
}
GUARDED_FAST(players_step)

static PyObject *do_players_reset(players *self, PyObject *ignored) {
  (void)ignored;
  Py_BEGIN_ALLOW_THREADS sixer_env_reset(self->env);
  Py_END_ALLOW_THREADS self->stale = false;
  Py_RETURN_NONE;
}
GUARDED(players_reset)

/* ---- What it shows --------------------------------------------------------------------------------------------- */

static PyObject *fill(players *self, PyObject *buffer, int kind) {
  Py_buffer view;
  sixer_env *env = self->env;
  Py_ssize_t size = (Py_ssize_t)sixer_env_height(env) * SCREEN_WIDTH * (kind == RGB ? 3 : 1);
  if (!ext_buffer(buffer, &view, "buffer")) return NULL;
  if (view.len != size) {
    PyErr_Format(PyExc_ValueError, "the array has %zd bytes, the screen %zd", view.len, size);
    PyBuffer_Release(&view);
    return NULL;
  }
  sixer_err err = SIXER_OK;
  const uint8_t *screen;
  Py_BEGIN_ALLOW_THREADS switch (kind) {
    case RGB: err = sixer_env_rgb(env, view.buf); break;
    case GRAY: err = sixer_env_gray(env, view.buf); break;
    default:
      screen = sixer_env_screen(env);
      err = screen ? SIXER_OK : SIXER_ERR_PICTURE;
      if (screen) memcpy(view.buf, screen, (size_t)size);
  }
  Py_END_ALLOW_THREADS PyBuffer_Release(&view);
  if (err) {
    PyErr_SetString(PyExc_RuntimeError, "the screen is not known until the next frame");
    return NULL;
  }
  self->looked = true;
  Py_RETURN_NONE;
}

static PyObject *do_players_screen(players *self, PyObject *buffer) {
  return fill(self, buffer, INDICES);
}
GUARDED(players_screen)
static PyObject *do_players_rgb(players *self, PyObject *buffer) { return fill(self, buffer, RGB); }
GUARDED(players_rgb)
static PyObject *do_players_gray(players *self, PyObject *buffer) {
  return fill(self, buffer, GRAY);
}
GUARDED(players_gray)

static PyObject *do_players_ram(players *self, PyObject *buffer) {
  Py_buffer view;
  if (!ext_buffer(buffer, &view, "buffer")) return NULL;
  bool fits = view.len == RAM_SIZE;
  if (fits) memcpy(view.buf, self->stale ? self->ram : sixer_env_ram(self->env), RAM_SIZE);
  PyBuffer_Release(&view);
  if (!fits) {
    PyErr_SetString(PyExc_ValueError, "the memory has 128 bytes");
    return NULL;
  }
  Py_RETURN_NONE;
}
GUARDED(players_ram)

static PyObject *do_players_set_ram(players *self, PyObject *const *args, Py_ssize_t count) {
  long long index, value;
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, "set_ram() takes an index and a value");
    return NULL;
  }
  if (!ext_int(args[0], 0, RAM_SIZE - 1, &index, "index") ||
      !ext_int(args[1], 0, 255, &value, "value"))
    return NULL;
  sixer_env_set_ram(self->env, (int)index, (uint8_t)value);
  self->ram[index] = (uint8_t)value;
  Py_RETURN_NONE;
}
GUARDED_FAST(players_set_ram)

static PyObject *do_players_save_png(players *self, PyObject *path) {
  const char *name = PyUnicode_AsUTF8AndSize(path, NULL);
  if (!name) return NULL;
  bool written;
  Py_BEGIN_ALLOW_THREADS written = sixer_env_save_png(self->env, name, NULL) == SIXER_OK;
  Py_END_ALLOW_THREADS return PyBool_FromLong(written);
}
GUARDED(players_save_png)

/* status() -> dict */
static PyObject *do_players_status(players *self, PyObject *ignored) {
  (void)ignored;
  sixer_status s = sixer_env_status(self->env);
  sixer_players_result r = sixer_env_players_result(self->env);
  PyObject *lives = PyList_New(r.players), *scores = PyList_New(r.players);
  PyObject *executed = PyList_New(r.players);
  bool good = lives && scores && executed;
  for (int i = 0; good && i < r.players; i++) {
    good = PyList_SetItem(lives, i, PyLong_FromLong(r.lives[i])) == 0 &&
           PyList_SetItem(scores, i, PyLong_FromLongLong(r.score[i])) == 0 &&
           PyList_SetItem(executed, i, PyLong_FromLong(r.executed[i])) == 0;
  }
  if (!good) {
    Py_XDECREF(lives);
    Py_XDECREF(scores);
    Py_XDECREF(executed);
    return NULL;
  }
  PyObject *end = PyTuple_GetItem(ext_of((PyObject *)self)->ends, (Py_ssize_t)s.end);
  return Py_BuildValue(
      "{s:i,s:i,s:i,s:L,s:i,s:O,s:O,s:O,s:O,s:i,s:N,s:N,s:N}", "players", r.players, "mode", s.mode,
      "difficulty", s.difficulty, "frames", (long long)s.frames, "episode_frames", s.episode_frames,
      "over", s.over ? Py_True : Py_False, "terminal", s.terminal ? Py_True : Py_False, "truncated",
      s.truncated ? Py_True : Py_False, "end", end, "height", sixer_env_height(self->env), "lives",
      lives, "scores", scores, "executed", executed);
}
GUARDED(players_status)

static PyObject *do_players_count(players *self, PyObject *ignored) {
  (void)ignored;
  return PyLong_FromLong(sixer_env_players(self->env));
}
GUARDED(players_count)

static PyObject *do_players_lives(players *self, PyObject *buffer) {
  Py_buffer view = {0};
  if (!integers(self, buffer, &view)) return NULL;
  sixer_players_result r = sixer_env_players_result(self->env);
  for (int i = 0; i < r.players && view.buf; i++) ((int32_t *)view.buf)[i] = r.lives[i];
  release(&view);
  Py_RETURN_NONE;
}
GUARDED(players_lives)

static PyObject *do_players_over(players *self, PyObject *ignored) {
  (void)ignored;
  return PyBool_FromLong(sixer_env_status(self->env).over);
}
GUARDED(players_over)

/* ---- Flavors --------------------------------------------------------------------------------------------------- */

static PyObject *do_players_set_mode(players *self, PyObject *value) {
  long long mode;
  sixer_error error = {SIXER_OK, ""};
  if (!ext_int(value, INT32_MIN, INT32_MAX, &mode, "mode")) return NULL;
  if (sixer_env_set_mode(self->env, (int)mode, &error)) return ext_raise(&error);
  Py_RETURN_NONE;
}
GUARDED(players_set_mode)

static PyObject *do_players_set_difficulty(players *self, PyObject *value) {
  long long difficulty;
  sixer_error error = {SIXER_OK, ""};
  if (!ext_int(value, INT32_MIN, INT32_MAX, &difficulty, "difficulty")) return NULL;
  if (sixer_env_set_difficulty(self->env, (int)difficulty, &error)) return ext_raise(&error);
  Py_RETURN_NONE;
}
GUARDED(players_set_difficulty)

/* ---- States ---------------------------------------------------------------------------------------------------- */

/* save(flags) and save_ma(with_generator) -> bytes */
static PyObject *save(players *self, int flags, bool ma) {
  Py_ssize_t size = (Py_ssize_t)sixer_env_state_size(self->env, flags);
  PyObject *state = PyBytes_FromStringAndSize(NULL, size);
  if (!state) return NULL;
  char *bytes = PyBytes_AsString(state);
  if (ma)
    sixer_ma_save(self->env, flags, bytes);
  else
    sixer_env_save(self->env, flags, bytes);
  return state;
}

static PyObject *do_players_save(players *self, PyObject *value) {
  long long flags;
  if (!ext_int(value, 0, SIXER_SAVE_CONTROLLER | SIXER_SAVE_PICTURE, &flags, "flags")) return NULL;
  return save(self, (int)flags, false);
}
GUARDED(players_save)

static PyObject *do_players_save_ma(players *self, PyObject *with_generator) {
  return save(self, with_generator == Py_True ? SIXER_SAVE_CONTROLLER : 0, true);
}
GUARDED(players_save_ma)

static PyObject *restore(players *self, PyObject *state, bool ma) {
  Py_buffer view;
  uint8_t before[RAM_SIZE];
  sixer_error error = {SIXER_OK, ""};
  if (PyObject_GetBuffer(state, &view, PyBUF_SIMPLE) < 0) return NULL;
  memcpy(before, self->stale ? self->ram : sixer_env_ram(self->env), RAM_SIZE);
  sixer_err err = ma ? sixer_ma_load(self->env, view.buf, (size_t)view.len, &error)
                     : sixer_env_load(self->env, view.buf, (size_t)view.len, &error);
  PyBuffer_Release(&view);
  if (err) return ext_raise(&error);
  self->stale = ma;
  if (ma) memcpy(self->ram, before, RAM_SIZE);
  Py_RETURN_NONE;
}

static PyObject *do_players_restore(players *self, PyObject *state) {
  return restore(self, state, false);
}
GUARDED(players_restore)
static PyObject *do_players_restore_ma(players *self, PyObject *state) {
  return restore(self, state, true);
}
GUARDED(players_restore_ma)

/* ---- The type -------------------------------------------------------------------------------------------------- */

#define DOC(signature, text) signature "\n--\n\n" text

static PyMethodDef methods[] = {
    {"load", (PyCFunction)(void (*)(void))players_load, METH_VARARGS | METH_KEYWORDS,
     DOC("load($self, /, rom, players, dialect, mode, difficulty, seed, system_seed, sticky, "
         "frame_skip, max_frames, turn_limit, color_averaging, paddle_min, paddle_max, cycle_cpu)",
         "Build the console with an image and settings, and reset it once. A mode of -1 is the "
         "default; 0 players in dialect ma: as many as the mode has.")},
    {"step", (PyCFunction)(void (*)(void))players_step, METH_FASTCALL,
     DOC("step($self, actions, rewards, lives, /)",
         "One action for each player. Fills two arrays of int32 (or None) and returns (terminal, "
         "truncated). ValueError, and nothing is emulated, if the mode wants other actions.")},
    {"reset", players_reset, METH_NOARGS, DOC("reset($self, /)", "Start a new episode.")},
    {"screen", players_screen, METH_O,
     DOC("screen($self, buffer, /)", "Fill an array with the screen's palette bytes.")},
    {"rgb", players_rgb, METH_O,
     DOC("rgb($self, buffer, /)", "Fill an array with the screen's colors.")},
    {"gray", players_gray, METH_O,
     DOC("gray($self, buffer, /)", "Fill an array with the screen's grays.")},
    {"ram", players_ram, METH_O, DOC("ram($self, buffer, /)", "Fill an array with the memory.")},
    {"set_ram", (PyCFunction)(void (*)(void))players_set_ram, METH_FASTCALL,
     DOC("set_ram($self, index, value, /)", "Write a byte of memory, index 0 to 127.")},
    {"save_png", players_save_png, METH_O,
     DOC("save_png($self, path, /)", "Write the screen; False if that failed.")},
    {"status", players_status, METH_NOARGS,
     DOC("status($self, /)", "A dict: players, mode, counters, ends, lives, scores, executed.")},
    {"count", players_count, METH_NOARGS,
     DOC("count($self, /)", "How many players the present mode has.")},
    {"lives", players_lives, METH_O,
     DOC("lives($self, buffer, /)", "Fill an array of int32 with the lives of each player.")},
    {"over", players_over, METH_NOARGS, DOC("over($self, /)", "Whether the episode has ended.")},
    {"set_mode", players_set_mode, METH_O,
     DOC("set_mode($self, mode, /)", "Choose the mode of the next episode.")},
    {"set_difficulty", players_set_difficulty, METH_O,
     DOC("set_difficulty($self, difficulty, /)", "Set the difficulty switches.")},
    {"save", players_save, METH_O,
     DOC("save($self, flags, /)",
         "The state as bytes; 1 with the generators, 2 with the picture.")},
    {"restore", players_restore, METH_O, DOC("restore($self, state, /)", "Load such a state.")},
    {"save_ma", players_save_ma, METH_O,
     DOC("save_ma($self, with_generator, /)",
         "The state as multi-agent-ale-py saves it: without remembered actions.")},
    {"restore_ma", players_restore_ma, METH_O,
     DOC("restore_ma($self, state, /)",
         "Load such a state: screen and memory show the old ones until the next frame.")},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "An environment with one to four players."},
    {Py_tp_dealloc, (void *)players_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec ext_players_spec = {
    .name = "sixer._sixer.Players",
    .basicsize = sizeof(players),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
