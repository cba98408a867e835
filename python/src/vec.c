/* Vec: many environments stepped together; sixer.vector and sixer.ale.AtariVectorEnv are made of it.
 *
 * Results are written straight into the caller's arrays. They are given as a tuple, in the order of OUT_COLUMNS, with
 * None for what is not wanted; the last ones may be left out. The interpreter's lock is released while environments
 * run. */
#include <stdio.h>

#include "sixer/players.h"
#include "vec_object.h"
#include "util/os.h"

/* Is this a forked child? It has a copy of the environments but not their threads, and would wait for them forever. */
static bool forked(const vec *self) { return self->maker && self->maker != os_pid(); }

bool vec_enter(vec *self) {
  if (self->busy) {
    PyErr_SetString(
        PyExc_RuntimeError,
        "these environments are running in another thread, or another call is not done; "
        "give each thread its own");
    return false;
  }
  if (!self->vec) {
    PyErr_SetString(PyExc_RuntimeError, "these environments were closed; make new ones");
    return false;
  }
  if (forked(self)) {
    PyErr_SetString(PyExc_RuntimeError,
                    "these environments were made before this process was forked, and their "
                    "threads stayed behind; make them in the child, or with one thread");
    return false;
  }
  return self->busy = true;
}

PyObject *vec_leave(vec *self, PyObject *result) {
  self->busy = false;
  return result;
}

#define GUARDED_FAST(name) VEC_METHOD(static, name)
#define GUARDED(name)                                                           \
  static PyObject *name(PyObject *object, PyObject *argument) {                 \
    vec *self = (vec *)object;                                                  \
    return vec_enter(self) ? vec_leave(self, do_##name(self, argument)) : NULL; \
  }

/* ---- Arrays ---------------------------------------------------------------------------------------------------- */

/* Kinds of elements, and the formats of the buffer protocol that stand for them. */
typedef enum element { U8, I16, I32, I64, F32 } element;
static const struct {
  Py_ssize_t size;
  const char *formats, *name;
} elements[] = {
    [U8] = {1, "B?", "uint8 or bool"}, [I16] = {2, "h", "int16"},   [I32] = {4, "il", "int32"},
    [I64] = {8, "lq", "int64"},        [F32] = {4, "f", "float32"},
};

static bool borrow(PyObject *object, Py_buffer *view, element kind, bool writable, Py_ssize_t least,
                   const char *name) {
  int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object, view, flags) < 0) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s must be a %sC-contiguous array of dtype %s, not %R", name,
                 writable ? "writable " : "", elements[kind].name, (PyObject *)Py_TYPE(object));
    return false;
  }
  if (view->itemsize != elements[kind].size || !view->format || strlen(view->format) != 1 ||
      !strchr(elements[kind].formats, view->format[0])) {
    PyErr_Format(PyExc_TypeError, "%s must be an array of dtype %s", name, elements[kind].name);
  } else if (view->len / view->itemsize < least) {
    PyErr_Format(PyExc_ValueError, "%s has %zd elements and needs %zd", name,
                 view->len / view->itemsize, least);
  } else {
    return true;
  }
  PyBuffer_Release(view);
  return false;
}

bool vec_copy_envs(PyObject *object, env_list *list, Py_ssize_t least, const char *name) {
  Py_buffer view;
  if (!borrow(object, &view, I32, false, least, name)) return false;
  const Py_ssize_t count = view.len / 4;
  list->at = count <= INT32_MAX ? PyMem_Malloc((size_t)view.len + 1) : NULL;
  list->count = (int)count;
  if (list->at)
    memcpy(list->at, view.buf, (size_t)view.len);
  else
    PyErr_NoMemory();
  PyBuffer_Release(&view);
  return list->at != NULL;
}

/* An optional array; `view->obj` stays NULL for None. */
static bool borrow_or_none(PyObject *object, Py_buffer *view, element kind, Py_ssize_t least,
                           const char *name) {
  *view = (Py_buffer){0};
  return object == Py_None || borrow(object, view, kind, false, least, name);
}

static void give_back(Py_buffer *views, int count) {
  for (int i = 0; i < count; i++) {
    if (views[i].obj) PyBuffer_Release(&views[i]);
  }
}

#define OUT_COLUMNS(X)   \
  X(obs, U8)             \
  X(final_obs, U8)       \
  X(rewards, I32)        \
  X(raw_rewards, I32)    \
  X(terminated, U8)      \
  X(truncated, U8)       \
  X(ends, U8)            \
  X(env_ids, I32)        \
  X(lives, I32)          \
  X(frames, I64)         \
  X(episode_frames, I32) \
  X(executed, I32)       \
  X(levels, I32)         \
  X(ended, U8)

enum {
#define X(name, kind) COLUMN_##name,
  OUT_COLUMNS(X)
#undef X
      COLUMNS
};

typedef struct out {
  Py_buffer views[COLUMNS];
  sixer_vec_out c;
} out;

static bool borrow_out(const vec *self, PyObject *tuple, Py_ssize_t rows, out *o) {
  memset(o, 0, sizeof *o);
  Py_ssize_t given = PyTuple_Check(tuple) ? PyTuple_Size(tuple) : COLUMNS + 1;
  if (given > COLUMNS) {
    PyErr_Format(PyExc_TypeError, "results go to a tuple of up to %d arrays or None", COLUMNS);
    return false;
  }
  Py_ssize_t obs_size = (Py_ssize_t)sixer_vec_describe(self->vec).obs_size,
             players = sixer_vec_describe(self->vec).players;
  static const char *const names[] = {
#define X(name, kind) #name,
      OUT_COLUMNS(X)
#undef X
  };
  static const element kinds[] = {
#define X(name, kind) kind,
      OUT_COLUMNS(X)
#undef X
  };
  for (int i = 0; i < given; i++) {
    PyObject *item = PyTuple_GetItem(tuple, i);
    if (item == Py_None) continue;
    bool each = i == COLUMN_rewards || i == COLUMN_raw_rewards || i == COLUMN_lives ||
                i == COLUMN_executed || i == COLUMN_ended;
    Py_ssize_t least = i <= COLUMN_final_obs ? rows * obs_size : each ? rows * players : rows;
    if (!borrow(item, &o->views[i], kinds[i], true, least, names[i])) {
      give_back(o->views, i);
      return false;
    }
  }
  o->c.rows = (int)rows;
#define X(name, kind) o->c.name = o->views[COLUMN_##name].buf;
  OUT_COLUMNS(X)
#undef X
  return true;
}

static int count_of(const vec *self) { return sixer_vec_describe(self->vec).count; }

/* ---- Life ------------------------------------------------------------------------------------------------------ */

static bool choose(const char *value, const char *const *names, int *out_value, const char *what) {
  for (int i = 0; names[i]; i++) {
    if (!strcmp(names[i], value)) {
      *out_value = i;
      return true;
    }
  }
  char list[128] = "";
  for (int i = 0; names[i]; i++) {
    size_t length = strlen(list);
    snprintf(list + length, sizeof list - length, "%s'%s'",
             i == 0         ? ""
             : names[i + 1] ? ", "
                            : " or ",
             names[i]);
  }
  PyErr_Format(PyExc_ValueError, "%s is '%.80s'; it can be %s", what, value, list);
  return false;
}

static const char *const obs_names[] = {"gray", "rgb", "palette", "ram", NULL};
static const char *const pool_names[] = {"none", "max", "mean", NULL};
static const char *const actions_names[] = {"minimal", "legal", "codes", NULL};
static const char *const life_names[] = {"plain", "info", "end", NULL};
static const char *const autoreset_names[] = {"next", "same", "off", NULL};
static const char *const scoring_names[] = {"ale", "fixed", NULL};
static const char *const core_names[] = {"auto", "plain", "interp", "jit", NULL};

/* The settings by name; those not given keep the defaults. */
static bool parse_config(PyObject *settings, sixer_vec_config *config) {
  static char *names[] = {
      "seed",        "system_seed",     "sticky",    "frame_skip", "frame_skip_max", "max_frames",
      "stuck_limit", "random_action",   "delay_max", "reward_min", "reward_max",     "paddle_min",
      "paddle_max",  "color_averaging", "cycle_cpu", "threads",    "first_cpu",      "height",
      "width",       "stack",           "noop_max",  "fire_start", "clip_rewards",   "obs",
      "pool",        "actions",         "life_loss", "autoreset",  "scoring",        "core",
      "objects",     "level",           "levels",    "sound",      "players",        "dialect",
      "turn_limit",  "corrections",     NULL};
  const char *obs = NULL, *pool = NULL, *actions = NULL, *life = NULL, *autoreset = NULL;
  const char *scoring = NULL, *core = NULL, *dialect = NULL, *corrections = NULL;
  sixer_config *env = &config->env;
  double sticky = env->sticky, random_action = env->random_action;
  int averaging = 0, cycle_cpu = 0, objects = 0, sound = 0, fire = config->fire_start,
      clip = config->clip_rewards;
  PyObject *none = PyTuple_New(0);
  if (!none) return false;
  int parsed = PyArg_ParseTupleAndKeywords(
      none, settings, "|$IIdiiiidiiiiippiiiiiippssssssspiipisiz:Vec", names, &env->seed,
      &env->system_seed, &sticky, &env->frame_skip, &env->frame_skip_max, &env->max_frames,
      &env->stuck_limit, &random_action, &env->delay_max, &env->reward_min, &env->reward_max,
      &env->paddle_min, &env->paddle_max, &averaging, &cycle_cpu, &config->threads,
      &config->first_cpu, &config->height, &config->width, &config->stack, &config->noop_max, &fire,
      &clip, &obs, &pool, &actions, &life, &autoreset, &scoring, &core, &objects, &env->level,
      &env->levels, &sound, &env->players, &dialect, &env->turn_limit, &corrections);
  Py_DECREF(none);
  if (!parsed) return false;
  if (dialect && !sixer_dialect_find(dialect, &env->dialect)) {
    PyErr_Format(PyExc_ValueError, "dialect is '%s'; it can be 'sixer' or 'ma'", dialect);
    return false;
  }
  sixer_error error;
  if (corrections && sixer_corrections_find(corrections, &env->corrections, &error)) {
    PyErr_SetString(PyExc_ValueError, error.message);
    return false;
  }
  env->sticky = (float)sticky;
  env->random_action = (float)random_action;
  env->color_averaging = averaging;
  env->cycle_cpu = cycle_cpu;
  env->objects = objects;
  env->sound = sound;
  config->fire_start = fire;
  config->clip_rewards = clip;
  int value = 0;
  if (obs && !choose(obs, obs_names, &value, "obs")) return false;
  if (obs) config->obs = (sixer_obs)value;
  if (pool && !choose(pool, pool_names, &value, "pool")) return false;
  if (pool) config->pool = (sixer_pool)value;
  if (actions && !choose(actions, actions_names, &value, "actions")) return false;
  if (actions) config->actions = (sixer_actions)value;
  if (life && !choose(life, life_names, &value, "life_loss")) return false;
  if (life) config->life_loss = (sixer_life_loss)value;
  if (autoreset && !choose(autoreset, autoreset_names, &value, "autoreset")) return false;
  if (autoreset) config->autoreset = (sixer_autoreset)value;
  if (scoring && !choose(scoring, scoring_names, &value, "scoring")) return false;
  if (scoring) env->scoring = (sixer_scoring)value;
  if (core && !choose(core, core_names, &value, "core")) return false;
  if (core) env->core = (sixer_core)value;
  return true;
}

/* One slot from (rom, mode or None, difficulty). */
static bool parse_slot(const ext_names *ext, PyObject *item, sixer_vec_slot *slot) {
  PyObject *rom, *mode;
  int difficulty;
  if (!PyTuple_Check(item) || !PyArg_ParseTuple(item, "O!Oi:slot", (PyTypeObject *)ext->rom_type,
                                                &rom, &mode, &difficulty)) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a slot is (rom, mode, difficulty)");
    return false;
  }
  long long number = SIXER_MODE_DEFAULT;
  if (mode != Py_None && !ext_int(mode, INT32_MIN, INT32_MAX, &number, "mode")) return false;
  *slot = (sixer_vec_slot){((ext_rom *)rom)->rom, (int)number, difficulty};
  return true;
}

/* Vec(slots, **settings) */
static PyObject *vec_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  PyObject *list;
  if (!PyArg_ParseTuple(args, "O!:Vec", &PyTuple_Type, &list)) return NULL;
  sixer_vec_config config = sixer_vec_config_default();
  if (!parse_config(keywords, &config)) return NULL;
  Py_ssize_t count = PyTuple_Size(list);
  if (count < 1 || count > 1 << 20) {
    return PyErr_Format(PyExc_ValueError, "%zd environments; there must be 1 to 1048576", count);
  }
  sixer_vec_slot *slots = PyMem_Malloc((size_t)count * sizeof *slots);
  if (!slots) return PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count; i++) {
    if (!parse_slot(ext_of_type(type), PyTuple_GetItem(list, i), &slots[i])) {
      PyMem_Free(slots);
      return NULL;
    }
  }
  sixer_error error = {SIXER_OK, ""};
  sixer_vec *made = NULL;
  sixer_err err;
  Py_BEGIN_ALLOW_THREADS err = sixer_vec_create(slots, (int)count, &config, &made, &error);
  Py_END_ALLOW_THREADS PyMem_Free(slots);
  if (err) return ext_raise(&error);
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  vec *self = (vec *)allocate(type, 0);
  if (!self) {
    sixer_vec_destroy(made);
    return NULL;
  }
  self->vec = made;
  self->maker = sixer_vec_describe(made).threads > 1 ? os_pid() : 0;
  self->roms = Py_NewRef(list);
  return (PyObject *)self;
}

static void close_vec(vec *self) {
  /* a forked child cannot stop threads that it does not have: its copy is freed when the process ends */
  sixer_vec *closing = forked(self) ? NULL : self->vec;
  self->vec = NULL;
  Py_BEGIN_ALLOW_THREADS sixer_vec_destroy(closing);
  Py_END_ALLOW_THREADS
}

static PyObject *vec_close(PyObject *object, PyObject *ignored) {
  (void)ignored;
  vec *self = (vec *)object;
  if (self->vec && !forked(self)) {
    if (!vec_enter(self)) return NULL;
    self->busy = false;
  }
  if (self->vec) close_vec(self);
  Py_RETURN_NONE;
}

static void vec_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  vec *self = (vec *)object;
  if (self->vec) close_vec(self);
  Py_XDECREF(self->roms);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

/* ---- Queries --------------------------------------------------------------------------------------------------- */

static PyObject *do_vec_describe(vec *self, PyObject *ignored) {
  (void)ignored;
  sixer_vec_info info = sixer_vec_describe(self->vec);
  PyObject *shape = ext_list((sixer_list){info.shape, info.dims});
  if (!shape) return NULL;
  return Py_BuildValue("{s:i,s:i,s:N,s:n,s:n}", "count", info.count, "threads", info.threads,
                       "shape", shape, "env_memory", (Py_ssize_t)info.env_memory, "shared_memory",
                       (Py_ssize_t)info.shared_memory);
}
GUARDED(vec_describe)

bool vec_parse_env(const vec *self, PyObject *object, int *env) {
  long long number;
  if (!ext_int(object, INT32_MIN, INT32_MAX, &number, "env")) return false;
  int count = count_of(self);
  if (number < 0 || number >= count) {
    PyErr_Format(PyExc_IndexError, "there is no environment %lld; they are 0 to %d", number,
                 count - 1);
    return false;
  }
  *env = (int)number;
  return true;
}

static PyObject *do_vec_actions(vec *self, PyObject *number) {
  int env;
  if (!vec_parse_env(self, number, &env)) return NULL;
  return ext_list(sixer_vec_actions(self->vec, env));
}
GUARDED(vec_actions)

static PyObject *do_vec_status(vec *self, PyObject *number) {
  int env;
  if (!vec_parse_env(self, number, &env)) return NULL;
  sixer_status s = sixer_vec_status(self->vec, env);
  return Py_BuildValue("{s:i,s:i,s:i,s:i,s:L,s:i,s:L,s:i,s:i}", "mode", s.mode, "difficulty",
                       s.difficulty, "level", s.level, "lives", s.lives, "frames",
                       (long long)s.frames, "episode_frames", s.episode_frames, "score",
                       (long long)s.score, "end", (int)s.end, "executed", s.executed);
}
GUARDED(vec_status)

static PyObject *do_vec_pending(vec *self, PyObject *ignored) {
  (void)ignored;
  return PyLong_FromLong(sixer_vec_pending(self->vec));
}
GUARDED(vec_pending)

static PyObject *do_vec_ram(vec *self, PyObject *const *args, Py_ssize_t count) {
  int env;
  Py_buffer view;
  if (count != 2) return PyErr_Format(PyExc_TypeError, "ram() takes env and buffer");
  if (!vec_parse_env(self, args[0], &env) || !borrow(args[1], &view, U8, true, 128, "buffer"))
    return NULL;
  memcpy(view.buf, sixer_vec_ram(self->vec, env), 128);
  PyBuffer_Release(&view);
  Py_RETURN_NONE;
}
GUARDED_FAST(vec_ram)

static PyObject *do_vec_set_ram(vec *self, PyObject *const *args, Py_ssize_t count) {
  int env;
  long long index, value;
  sixer_error error;
  if (count != 3) return PyErr_Format(PyExc_TypeError, "set_ram() takes env, index and value");
  if (!vec_parse_env(self, args[0], &env) || !ext_int(args[1], 0, 127, &index, "index") ||
      !ext_int(args[2], 0, 255, &value, "value"))
    return NULL;
  if (sixer_vec_set_ram(self->vec, env, (int)index, (uint8_t)value, &error)) {
    PyErr_SetString(PyExc_ValueError, error.message);
    return NULL;
  }
  Py_RETURN_NONE;
}
GUARDED_FAST(vec_set_ram)

/* set_other(env, action code of player B, strength, switches) */
static PyObject *do_vec_set_other(vec *self, PyObject *const *args, Py_ssize_t count) {
  int env;
  long long action, switches;
  sixer_error error = {SIXER_OK, ""};
  if (count != 4)
    return PyErr_Format(PyExc_TypeError, "set_other() takes env, action, strength, switches");
  if (!vec_parse_env(self, args[0], &env) ||
      !ext_int(args[1], INT32_MIN, INT32_MAX, &action, "action of player B") ||
      !ext_int(args[3], INT32_MIN, INT32_MAX, &switches, "switches"))
    return NULL;
  double strength = PyFloat_AsDouble(args[2]);
  if (strength == -1.0 && PyErr_Occurred()) return NULL;
  sixer_err err =
      sixer_vec_set_other(self->vec, env, (int)action, (float)strength, (int)switches, &error);
  if (err)
    return err == SIXER_ERR_ACTION ? ext_raise_as(PyExc_IndexError, &error) : ext_raise(&error);
  Py_RETURN_NONE;
}
GUARDED_FAST(vec_set_other)

/* sound(env, buffer) */
static PyObject *do_vec_sound(vec *self, PyObject *const *args, Py_ssize_t count) {
  int env;
  Py_buffer view;
  if (count != 2) return PyErr_Format(PyExc_TypeError, "sound() takes env and buffer");
  if (!vec_parse_env(self, args[0], &env) ||
      !borrow(args[1], &view, U8, true, SIXER_SOUND_SAMPLES, "buffer"))
    return NULL;
  memcpy(view.buf, sixer_vec_sound(self->vec, env), SIXER_SOUND_SAMPLES);
  PyBuffer_Release(&view);
  Py_RETURN_NONE;
}
GUARDED_FAST(vec_sound)

static PyObject *do_vec_height(vec *self, PyObject *number) {
  int env;
  if (!vec_parse_env(self, number, &env)) return NULL;
  return PyLong_FromLong(sixer_vec_height(self->vec, env));
}
GUARDED(vec_height)

static PyObject *do_vec_rgb(vec *self, PyObject *const *args, Py_ssize_t count) {
  int env;
  Py_buffer view;
  if (count != 2) return PyErr_Format(PyExc_TypeError, "rgb() takes env and buffer");
  if (!vec_parse_env(self, args[0], &env)) return NULL;
  Py_ssize_t least = (Py_ssize_t)sixer_vec_height(self->vec, env) * 160 * 3;
  if (!borrow(args[1], &view, U8, true, least, "buffer")) return NULL;
  sixer_error error = {SIXER_OK, ""};
  sixer_err err = sixer_vec_rgb(self->vec, env, view.buf, &error);
  PyBuffer_Release(&view);
  if (err) return ext_raise(&error);
  Py_RETURN_NONE;
}
GUARDED_FAST(vec_rgb)

/* objects(env or None for all, buffer) -> how many there were: for all, in a list */
static PyObject *do_vec_objects(vec *self, PyObject *const *args, Py_ssize_t count) {
  enum { NUMBERS = sizeof(sixer_object) / sizeof(int16_t) };
  int env = 0;
  Py_buffer view;
  if (count != 2) return PyErr_Format(PyExc_TypeError, "objects() takes env and buffer");
  bool all = args[0] == Py_None;
  if (!all && !vec_parse_env(self, args[0], &env)) return NULL;
  int rows = all ? count_of(self) : 1;
  Py_ssize_t least = (Py_ssize_t)rows * SIXER_OBJECTS_MAX * NUMBERS;
  if (!borrow(args[1], &view, I16, true, least, "buffer")) return NULL;
  sixer_object *at = view.buf;
  PyObject *list = PyList_New(rows);
  for (int i = 0; list && i < rows; i++, at += SIXER_OBJECTS_MAX) {
    int found = sixer_vec_objects(self->vec, all ? i : env, at, SIXER_OBJECTS_MAX);
    PyObject *number = PyLong_FromLong(found < SIXER_OBJECTS_MAX ? found : SIXER_OBJECTS_MAX);
    if (!number || PyList_SetItem(list, i, number) < 0) Py_CLEAR(list);
  }
  PyBuffer_Release(&view);
  return list;
}
GUARDED_FAST(vec_objects)

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

PyObject *vec_done(sixer_err err, const sixer_error *error) {
  if (!err) Py_RETURN_NONE;
  return err == SIXER_ERR_ACTION ? ext_raise_as(PyExc_IndexError, error) : ext_raise(error);
}

/* reset(mask, seeds, out) */
static PyObject *do_vec_reset(vec *self, PyObject *const *args, Py_ssize_t count) {
  Py_buffer in[2] = {{0}, {0}};
  out o;
  if (count != 3) return PyErr_Format(PyExc_TypeError, "reset() takes mask, seeds, out");
  int envs = count_of(self);
  bool fits = borrow_or_none(args[0], &in[0], U8, envs, "mask") &&
              borrow_or_none(args[1], &in[1], I64, envs, "seeds") &&
              borrow_out(self, args[2], envs, &o);
  if (!fits) {
    give_back(in, 2);
    return NULL;
  }
  sixer_error error = {SIXER_OK, ""};
  sixer_err err;
  Py_BEGIN_ALLOW_THREADS err = sixer_vec_reset(self->vec, in[0].buf, in[1].buf, &o.c, &error);
  Py_END_ALLOW_THREADS give_back(in, 2);
  give_back(o.views, COLUMNS);
  return vec_done(err, &error);
}
GUARDED_FAST(vec_reset)

/* step(actions, strengths, out) */
static PyObject *do_vec_step(vec *self, PyObject *const *args, Py_ssize_t count) {
  Py_buffer in[2] = {{0}, {0}};
  out o;
  if (count != 3) return PyErr_Format(PyExc_TypeError, "step() takes actions, strengths, out");
  int envs = count_of(self), each = envs * sixer_vec_describe(self->vec).players;
  bool fits = borrow(args[0], &in[0], I32, false, each, "actions") &&
              borrow_or_none(args[1], &in[1], F32, each, "strengths") &&
              borrow_out(self, args[2], envs, &o);
  if (!fits) {
    give_back(in, 2);
    return NULL;
  }
  sixer_error error = {SIXER_OK, ""};
  sixer_err err;
  Py_BEGIN_ALLOW_THREADS err = sixer_vec_step(self->vec, in[0].buf, in[1].buf, &o.c, &error);
  Py_END_ALLOW_THREADS give_back(in, 2);
  give_back(o.views, COLUMNS);
  return vec_done(err, &error);
}
GUARDED_FAST(vec_step)

static bool set_number(PyObject *dict, PyObject *key, long long value) {
  PyObject *number = PyLong_FromLongLong(value);
  int failed = number ? PyDict_SetItem(dict, key, number) : -1;
  Py_XDECREF(number);
  return failed == 0;
}

/* The `info` dict of a single environment. */
static PyObject *make_info(const ext_names *ext, const sixer_vec_out *o) {
  PyObject *info = PyDict_New();
  if (info && set_number(info, ext->lives, o->lives[0]) &&
      set_number(info, ext->frames, o->frames[0]) &&
      set_number(info, ext->episode_frames, o->episode_frames[0]) &&
      set_number(info, ext->executed, o->executed[0]) &&
      set_number(info, ext->level, o->levels[0]) &&
      set_number(info, ext->raw_reward, o->raw_rewards[0]) &&
      PyDict_SetItem(info, ext->end, PyTuple_GetItem(ext->ends, o->ends[0])) == 0) {
    return info;
  }
  Py_XDECREF(info);
  return NULL;
}

/* one(action or None to reset, strength or seed, obs) -> (reward, terminated, truncated, info): for a vec of one */
static PyObject *do_vec_one(vec *self, PyObject *const *args, Py_ssize_t count) {
  if (count != 3) return PyErr_Format(PyExc_TypeError, "one() takes action, strength or seed, obs");
  sixer_vec_info about = sixer_vec_describe(self->vec);
  if (about.count != 1 || about.players != 1)
    return PyErr_Format(PyExc_ValueError, "one() is for one environment with one player");
  bool reset = args[0] == Py_None;
  long long action = 0, seed = -1;
  double strength = 1;
  if (reset) {
    if (!ext_int(args[1], -1, UINT32_MAX, &seed, "seed")) return NULL;
  } else {
    if (!ext_int(args[0], INT32_MIN, INT32_MAX, &action, "action")) return NULL;
    strength = PyFloat_AsDouble(args[1]);
    if (strength == -1.0 && PyErr_Occurred()) return NULL;
  }
  Py_buffer view;
  if (!borrow(args[2], &view, U8, true, (Py_ssize_t)about.obs_size, "obs")) return NULL;
  int32_t reward = 0, raw = 0, lives = 0, episode_frames = 0, executed = 0, level = 0;
  int32_t code = (int32_t)action;
  float turn = (float)strength;
  int64_t frames = 0;
  uint8_t terminated = 0, truncated = 0, end = 0;
  sixer_vec_out o = {.rows = 1,
                     .obs = view.buf,
                     .rewards = &reward,
                     .raw_rewards = &raw,
                     .terminated = &terminated,
                     .truncated = &truncated,
                     .ends = &end,
                     .lives = &lives,
                     .frames = &frames,
                     .episode_frames = &episode_frames,
                     .executed = &executed,
                     .levels = &level};
  sixer_error error = {SIXER_OK, ""};
  sixer_err err;
  int64_t seeds = seed;
  Py_BEGIN_ALLOW_THREADS err = reset ? sixer_vec_reset(self->vec, NULL, &seeds, &o, &error)
                                     : sixer_vec_step(self->vec, &code, &turn, &o, &error);
  Py_END_ALLOW_THREADS PyBuffer_Release(&view);
  if (err) return vec_done(err, &error);
  PyObject *info = make_info(ext_of((PyObject *)self), &o);
  if (!info) return NULL;
  return Py_BuildValue("(dOON)", (double)reward, terminated ? Py_True : Py_False,
                       truncated ? Py_True : Py_False, info);
}
GUARDED_FAST(vec_one)

/* send(envs, actions, strengths) */
static PyObject *do_vec_send(vec *self, PyObject *const *args, Py_ssize_t count) {
  Py_buffer in[2] = {{0}, {0}};
  env_list envs;
  if (count != 3) return PyErr_Format(PyExc_TypeError, "send() takes envs, actions, strengths");
  if (!vec_copy_envs(args[0], &envs, 0, "envs")) return NULL;
  const int each = envs.count * sixer_vec_describe(self->vec).players;
  bool fits = borrow(args[1], &in[0], I32, false, each, "actions") &&
              borrow_or_none(args[2], &in[1], F32, each, "strengths");
  sixer_error error = {SIXER_OK, ""};
  sixer_err err = SIXER_OK;
  if (fits) err = sixer_vec_send(self->vec, envs.at, envs.count, in[0].buf, in[1].buf, &error);
  if (fits && envs.count)
    self->maker = os_pid(); /* the first send starts a thread, even if there was none */
  PyMem_Free(envs.at);
  give_back(in, 2);
  return fits ? vec_done(err, &error) : NULL;
}
GUARDED_FAST(vec_send)

/* send_reset(envs, seeds) */
static PyObject *do_vec_send_reset(vec *self, PyObject *const *args, Py_ssize_t count) {
  Py_buffer seeds = {0};
  env_list envs;
  if (count != 2) return PyErr_Format(PyExc_TypeError, "send_reset() takes envs, seeds");
  if (!vec_copy_envs(args[0], &envs, 0, "envs")) return NULL;
  bool fits = borrow_or_none(args[1], &seeds, I64, envs.count, "seeds");
  sixer_error error = {SIXER_OK, ""};
  sixer_err err = SIXER_OK;
  if (fits) err = sixer_vec_send_reset(self->vec, envs.at, envs.count, seeds.buf, &error);
  if (fits && envs.count) self->maker = os_pid();
  PyMem_Free(envs.at);
  give_back(&seeds, 1);
  return fits ? vec_done(err, &error) : NULL;
}
GUARDED_FAST(vec_send_reset)

/* recv(count, out) */
static PyObject *do_vec_recv(vec *self, PyObject *const *args, Py_ssize_t count) {
  long long rows;
  out o;
  if (count != 2) return PyErr_Format(PyExc_TypeError, "recv() takes count, out");
  if (!ext_int(args[0], 0, INT32_MAX, &rows, "count") ||
      !borrow_out(self, args[1], (Py_ssize_t)rows, &o)) {
    return NULL;
  }
  sixer_error error = {SIXER_OK, ""};
  sixer_err err;
  Py_BEGIN_ALLOW_THREADS err = sixer_vec_recv(self->vec, (int)rows, &o.c, &error);
  Py_END_ALLOW_THREADS give_back(o.views, COLUMNS);
  return vec_done(err, &error);
}
GUARDED_FAST(vec_recv)

/* observe(envs or None, out) */
static PyObject *do_vec_observe(vec *self, PyObject *const *args, Py_ssize_t count) {
  env_list envs = {NULL, 0};
  out o;
  if (count != 2) return PyErr_Format(PyExc_TypeError, "observe() takes envs, out");
  if (args[0] != Py_None && !vec_copy_envs(args[0], &envs, 0, "envs")) return NULL;
  int rows = envs.at ? envs.count : count_of(self);
  sixer_error error = {SIXER_OK, ""};
  sixer_err err = SIXER_OK;
  bool fits = borrow_out(self, args[1], rows, &o);
  if (fits) {
    err = sixer_vec_observe(self->vec, envs.at, rows, &o.c, &error);
    give_back(o.views, COLUMNS);
  }
  PyMem_Free(envs.at);
  return fits ? vec_done(err, &error) : NULL;
}
GUARDED_FAST(vec_observe)

/* ---- The type -------------------------------------------------------------------------------------------------- */

#define FAST(function) (PyCFunction)(void (*)(void)) function, METH_FASTCALL

static PyMethodDef methods[] = {
    {"close", vec_close, METH_NOARGS, "close(): end the threads and free the environments"},
    {"describe", vec_describe, METH_NOARGS, "describe() -> dict: count, threads, shape, memory"},
    {"actions", vec_actions, METH_O, "actions(env) -> list of action codes by index"},
    {"status", vec_status, METH_O, "status(env) -> dict"},
    {"objects", FAST(vec_objects), "objects(env, buffer) -> list of how many objects there are"},
    {"height", vec_height, METH_O, "height(env) -> rows of its screen"},
    {"pending", vec_pending, METH_NOARGS, "pending() -> environments not received yet"},
    {"ram", FAST(vec_ram), "ram(env, buffer): fill with its memory"},
    {"set_ram", FAST(vec_set_ram), "set_ram(env, index, value): change a byte of its memory"},
    {"set_other", FAST(vec_set_other), "set_other(env, action, strength, switches): of player B"},
    {"sound", FAST(vec_sound), "sound(env, buffer): fill with the samples of its last step"},
    {"rgb", FAST(vec_rgb), "rgb(env, buffer): fill with its screen"},
    {"reset", FAST(vec_reset), "reset(mask, seeds, out)"},
    {"step", FAST(vec_step), "step(actions, strengths, out)"},
    {"one", FAST(vec_one), "one(action, strength, obs) -> (reward, terminated, truncated, info)"},
    {"send", FAST(vec_send), "send(envs, actions, strengths)"},
    {"send_reset", FAST(vec_send_reset), "send_reset(envs, seeds)"},
    {"recv", FAST(vec_recv), "recv(count, out)"},
    {"observe", FAST(vec_observe), "observe(envs, out)"},
    {"save", FAST(vec_save), "save(envs, flags) -> list of bytes"},
    {"load", FAST(vec_load), "load(envs, list of bytes)"},
    {"copy", FAST(vec_copy), "copy(from, to, flags)"},
    {"record", FAST(vec_record), "record(env, path, by): begin a tape; without a path: end it"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots_of_type[] = {
    {Py_tp_doc, "Vec(slots, **settings)\n\nMany environments. A slot is (rom, mode, difficulty)."},
    {Py_tp_new, (void *)vec_new},
    {Py_tp_dealloc, (void *)vec_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec ext_vec_spec = {
    .name = "sixer._sixer.Vec",
    .basicsize = sizeof(vec),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots_of_type,
};

/* unused(list) -> index of an item that only the list holds, or -1 */
PyObject *ext_unused(PyObject *module, PyObject *list) {
  (void)module;
  if (!PyList_Check(list)) return PyErr_Format(PyExc_TypeError, "unused() takes a list");
  Py_ssize_t count = PyList_Size(list);
  for (Py_ssize_t i = 0; i < count; i++) {
    if (Py_REFCNT(PyList_GetItem(list, i)) == 1) return PyLong_FromSsize_t(i);
  }
  return PyLong_FromLong(-1);
}
