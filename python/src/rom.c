/* Roms and the list of games. */
#include "ext.h"
#include "sixer/catalog.h"
#include "sixer/players.h"

/* Rom(path_or_id, game=None) */
static PyObject *rom_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static char *names[] = {"path", "game", "name", NULL};
  PyObject *source = NULL, *bytes = NULL;
  const char *rules = NULL, *name = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|zz:Rom", names, &source, &rules, &name))
    return NULL;
  sixer_error error = {SIXER_OK, ""};
  sixer_rom *rom = NULL;
  sixer_err err;
  if (PyBytes_Check(source)) {
    char *image;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(source, &image, &size) < 0) return NULL;
    Py_BEGIN_ALLOW_THREADS err = sixer_rom_create(image, (size_t)size, name, rules, &rom, &error);
    Py_END_ALLOW_THREADS
  } else {
    char *path;
    if (!PyUnicode_FSConverter(source, &bytes)) return NULL;
    if (PyBytes_AsStringAndSize(bytes, &path, NULL) < 0) {
      Py_DECREF(bytes);
      return NULL;
    }
    Py_BEGIN_ALLOW_THREADS err = sixer_rom_open(path, rules, &rom, &error);
    Py_END_ALLOW_THREADS Py_DECREF(bytes);
  }
  if (err) return ext_raise(&error);
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  ext_rom *self = (ext_rom *)allocate(type, 0);
  if (!self) {
    sixer_rom_close(rom);
    return NULL;
  }
  self->rom = rom;
  return (PyObject *)self;
}

static void rom_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  sixer_rom_close(((ext_rom *)object)->rom);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static const sixer_rom *rom_of(PyObject *self) { return ((ext_rom *)self)->rom; }

static PyObject *rom_describe(PyObject *self, PyObject *ignored) {
  (void)ignored;
  sixer_rom_info i = sixer_rom_describe(rom_of(self));
  return Py_BuildValue("{s:s,s:s,s:s,s:z,s:z,s:s,s:O,s:O,s:n,s:i,s:i,s:i}", "md5", i.md5, "type",
                       i.type, "format", i.format, "path", i.path, "game", i.game, "title", i.title,
                       "game_by_name", i.game_by_name ? Py_True : Py_False, "paddles",
                       i.paddles ? Py_True : Py_False, "size", (Py_ssize_t)i.size, "height",
                       i.height, "width", i.width, "state_size", i.state_size);
}

static PyObject *rom_modes(PyObject *self, PyObject *ignored) {
  (void)ignored;
  return ext_list(sixer_rom_modes(rom_of(self)));
}

static PyObject *rom_difficulties(PyObject *self, PyObject *ignored) {
  (void)ignored;
  return ext_list(sixer_rom_difficulties(rom_of(self)));
}

static PyObject *rom_legal_actions(PyObject *self, PyObject *ignored) {
  (void)ignored;
  return ext_list(sixer_rom_legal_actions(rom_of(self)));
}

static PyObject *rom_minimal_actions(PyObject *self, PyObject *ignored) {
  (void)ignored;
  return ext_list(sixer_rom_minimal_actions(rom_of(self)));
}

/* player_modes(dialect, players), player_actions(dialect, players) */
static PyObject *rom_players(PyObject *self, PyObject *args, bool actions) {
  const char *name;
  int players;
  sixer_dialect dialect;
  if (!PyArg_ParseTuple(args, "si", &name, &players)) return NULL;
  if (!sixer_dialect_find(name, &dialect)) {
    return PyErr_Format(PyExc_ValueError, "there is no dialect %s; there are sixer and ma", name);
  }
  return ext_list(actions ? sixer_rom_player_actions(rom_of(self), dialect, players)
                          : sixer_rom_player_modes(rom_of(self), dialect, players));
}

static PyObject *rom_player_modes(PyObject *self, PyObject *args) {
  return rom_players(self, args, false);
}

static PyObject *rom_player_actions(PyObject *self, PyObject *args) {
  return rom_players(self, args, true);
}

static PyMethodDef rom_methods[] = {
    {"describe", rom_describe, METH_NOARGS, "describe() -> dict of what is known about the image"},
    {"modes", rom_modes, METH_NOARGS, "modes() -> list of the game's modes"},
    {"difficulties", rom_difficulties, METH_NOARGS, "difficulties() -> list of switch settings"},
    {"legal_actions", rom_legal_actions, METH_NOARGS, "legal_actions() -> list of action numbers"},
    {"minimal_actions", rom_minimal_actions, METH_NOARGS,
     "minimal_actions() -> list of the action numbers that matter in this game"},
    {"player_modes", rom_player_modes, METH_VARARGS,
     "player_modes(dialect, players) -> list of the modes for so many players"},
    {"player_actions", rom_player_actions, METH_VARARGS,
     "player_actions(dialect, players) -> list of the action numbers that matter in these modes"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot rom_slots[] = {
    {Py_tp_doc,
     "Rom(path, game=None, name=None)\n\nA cartridge image: the path of a file, the id "
     "of a game whose image can be found, or the image itself as bytes."},
    {Py_tp_new, (void *)rom_new},
    {Py_tp_dealloc, (void *)rom_dealloc},
    {Py_tp_methods, rom_methods},
    {0, NULL},
};

PyType_Spec ext_rom_spec = {
    .name = "sixer._sixer.Rom",
    .basicsize = sizeof(ext_rom),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = rom_slots,
};

/* ---- Lists ----------------------------------------------------------------------------------------------------- */

static PyObject *describe_game(const sixer_game_info *game) {
  PyObject *md5s = PyTuple_New(game->md5_count);
  for (int i = 0; md5s && i < game->md5_count; i++) {
    PyObject *md5 = PyUnicode_FromString(game->md5s[i]);
    if (!md5 || PyTuple_SetItem(md5s, i, md5) < 0) Py_CLEAR(md5s);
  }
  if (!md5s) return NULL;
  const char *name = game->gymnasium_name;
  return Py_BuildValue("(sszONOOO)", game->id, game->title, name && *name ? name : NULL,
                       game->gymnasium_legacy ? Py_True : Py_False, md5s,
                       game->image_inside ? Py_True : Py_False, game->several ? Py_True : Py_False,
                       game->only_several ? Py_True : Py_False);
}

PyObject *ext_games(PyObject *module, PyObject *ignored) {
  (void)module, (void)ignored;
  sixer_catalog *catalog;
  sixer_error error = {SIXER_OK, ""};
  if (sixer_catalog_open_builtin(&catalog, &error)) return ext_raise(&error);
  int count = sixer_catalog_count(catalog);
  PyObject *list = PyList_New(count);
  for (int i = 0; list && i < count; i++) {
    sixer_game_info game = sixer_catalog_game(catalog, i);
    PyObject *item = describe_game(&game);
    if (!item || PyList_SetItem(list, i, item) < 0) Py_CLEAR(list);
  }
  sixer_catalog_close(catalog);
  return list;
}

PyObject *ext_rom_folders(PyObject *module, PyObject *ignored) {
  (void)module, (void)ignored;
  char folder[4096];
  PyObject *list = PyList_New(0);
  for (int i = 0; list && sixer_rom_folder(i, folder, sizeof folder); i++) {
    PyObject *item = PyUnicode_DecodeFSDefault(folder);
    if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

/* ---- Loading --------------------------------------------------------------------------------------------------- */

float ext_probability(double p) { return p < 0 ? 0.0f : p < 1 ? (float)p : 1.0f; }

/* Is the env as one of this config would be, the seed apart? */
static bool differs_in_seed(const sixer_env *env, const sixer_rom *rom,
                            const sixer_config *config) {
  if (!env || sixer_env_rom(env) != rom) return false;
  sixer_config last = *sixer_env_config(env);
  last.seed = config->seed;
  /* A difference in padding alone costs time, not correctness: another env is created.
   * NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
  return memcmp(&last, config, sizeof last) == 0;
}

sixer_err ext_load(sixer_env *last, const sixer_rom *rom, const sixer_config *config,
                   sixer_env **fresh, sixer_error *error) {
  sixer_err err = SIXER_OK;
  *fresh = NULL;
  Py_BEGIN_ALLOW_THREADS if (differs_in_seed(last, rom, config))
      sixer_env_restart(last, config->seed);
  else err = sixer_env_create(rom, config, fresh, error);
  Py_END_ALLOW_THREADS return err;
}
