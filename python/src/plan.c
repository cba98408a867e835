/* Agents of the library at play, for Python: one function that plays an episode and reports after every decision. */
#include "sixer/agents.h"

#include "ext.h"

typedef struct plan_game {
  sixer_env *env;
  sixer_agent *agent;
  sixer_list actions;
  uint8_t *played;
  Py_ssize_t count, capacity;
  sixer_result result;
} plan_game;

static void plan_free(plan_game *g) {
  sixer_agent_destroy(g->agent);
  sixer_env_destroy(g->env);
  free(g->played);
}

/* The dict that the callback gets after a decision. */
static PyObject *report(const plan_game *g, int action) {
  sixer_status status = sixer_env_status(g->env);
  sixer_agent_stats s = sixer_agent_last(g->agent);
  return Py_BuildValue(
      "{s:n,s:i,s:i,s:L,s:i,s:i,s:O,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:i,s:d,s:d,s:d,s:O}", "decision",
      g->count, "action", action, "reward", g->result.reward, "score", (long long)status.score,
      "lives", status.lives, "episode_frames", status.episode_frames, "over",
      g->result.over ? Py_True : Py_False, "frames", (long long)s.frames, "replayed",
      (long long)s.replayed, "simulations", (long long)s.simulations, "expanded",
      (long long)s.expanded, "nodes", (long long)s.nodes, "reused", (long long)s.reused, "memory",
      (long long)s.memory, "depth", s.depth, "value", s.value, "seconds", s.seconds, "emulation",
      s.emulation, "limited", s.limited ? Py_True : Py_False);
}

/* Choose an action, step and call the callback; false after a Python error. *go_on is false if the callback returned
 * False. */
static bool decide(plan_game *g, PyObject *callback, bool *go_on) {
  sixer_error error = {SIXER_OK, ""};
  sixer_err err;
  int action = 0;
  Py_BEGIN_ALLOW_THREADS err = sixer_agent_act(g->agent, g->env, g->actions, &action, &error);
  if (!err) sixer_env_step(g->env, action, &g->result);
  Py_END_ALLOW_THREADS if (err) {
    ext_raise_as(err == SIXER_ERR_MEMORY ? PyExc_MemoryError : PyExc_ValueError, &error);
    return false;
  }
  if (g->count == g->capacity) {
    Py_ssize_t capacity = g->capacity ? 2 * g->capacity : 1024;
    uint8_t *played = realloc(g->played, (size_t)capacity);
    if (!played) {
      PyErr_NoMemory();
      return false;
    }
    g->played = played;
    g->capacity = capacity;
  }
  g->played[g->count++] = (uint8_t)action;
  if (PyErr_CheckSignals() < 0) return false;
  if (callback == Py_None) return true;
  PyObject *what = report(g, action);
  PyObject *answer = what ? PyObject_CallFunctionObjArgs(callback, what, NULL) : NULL;
  Py_XDECREF(what);
  if (!answer) return false;
  *go_on = answer != Py_False;
  Py_DECREF(answer);
  return true;
}

PyObject *ext_plan(PyObject *module, PyObject *args, PyObject *keywords) {
  static char *names[] = {"rom",        "agent",    "options",    "seed",       "sticky",
                          "frame_skip", "mode",     "difficulty", "max_frames", "minimal",
                          "decisions",  "callback", NULL};
  PyObject *rom_object, *callback = Py_None;
  const char *name, *options;
  unsigned long long seed;
  long long decisions;
  int minimal;
  sixer_config config = sixer_config_default();
  const ext_names *ext = ext_of_module(module);
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OssKfiiiipLO:plan", names, &rom_object, &name,
                                   &options, &seed, &config.sticky, &config.frame_skip,
                                   &config.mode, &config.difficulty, &config.max_frames, &minimal,
                                   &decisions, &callback))
    return NULL;
  if (!PyObject_TypeCheck(rom_object, (PyTypeObject *)ext->rom_type)) {
    PyErr_SetString(PyExc_TypeError, "rom must be a Rom");
    return NULL;
  }
  const sixer_rom *rom = ((ext_rom *)rom_object)->rom;
  plan_game game = {.actions =
                        minimal ? sixer_rom_minimal_actions(rom) : sixer_rom_legal_actions(rom)};
  sixer_error error = {SIXER_OK, ""};
  config.seed = (uint32_t)seed;
  if (sixer_env_create(rom, &config, &game.env, &error) ||
      sixer_agent_create(name, options, seed, &game.agent, &error)) {
    plan_free(&game);
    return ext_raise_as(error.code == SIXER_ERR_MEMORY ? PyExc_MemoryError : PyExc_ValueError,
                        &error);
  }
  bool go_on = true, fine = true;
  while (fine && go_on && !game.result.over && (decisions < 0 || game.count < decisions))
    fine = decide(&game, callback, &go_on);
  PyObject *result = NULL;
  if (fine) {
    sixer_status status = sixer_env_status(game.env);
    PyObject *end = PyTuple_GetItem(ext->ends, (Py_ssize_t)status.end);
    result = Py_BuildValue("(LiOy#)", (long long)status.score, status.episode_frames, end,
                           (const char *)game.played, game.count);
  }
  plan_free(&game);
  return result;
}

PyObject *ext_agents(PyObject *module, PyObject *ignored) {
  (void)module;
  (void)ignored;
  PyObject *list = PyList_New(0);
  for (int i = 0; list && sixer_agent_at(i).name; i++) {
    sixer_agent_info info = sixer_agent_at(i);
    PyObject *options = PyDict_New();
    for (int k = 0; options && sixer_agent_option_at(info.name, k).name; k++) {
      sixer_agent_option o = sixer_agent_option_at(info.name, k);
      PyObject *value = PyUnicode_FromString(o.value);
      if (!value || PyDict_SetItemString(options, o.name, value) < 0) Py_CLEAR(options);
      Py_XDECREF(value);
    }
    PyObject *row = options ? Py_BuildValue("(ssN)", info.name, info.summary, options) : NULL;
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}
