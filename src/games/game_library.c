/* Where games come from: the definitions compiled into the library, as text that is compiled when somebody asks for
 * the game, and the files of the user's folder. Whoever gets a game owns it, so nothing is shared and nothing here
 * changes after the program was built. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "games/game.h"
#include "games/game_builtin.h"
#include "games/game_code.h"
#include "util/os.h"
#include "util/sort.h"

enum { MAX_FILE = 1 << 20 };

int game_builtin_count(void) { return game_builtin_total; }
const char *game_builtin_id(int index) { return game_builtins[index].id; }
const char *game_builtin_text(int index, size_t *length) {
  *length = game_builtins[index].length;
  return game_builtins[index].text;
}

static sixer_err compile_builtin(int index, game **out, sixer_error *error) {
  char name[80];
  snprintf(name, sizeof name, "%s.game", game_builtins[index].id);
  return game_compile(name, game_builtins[index].text, game_builtins[index].length, out, error);
}

/* The built-in game with this id or MD5 (either may be NULL); *out is NULL if there is none. The text is searched for
 * the digits first, so that only a promising definition is compiled. */
static sixer_err find_builtin(const char *id, const char *md5_hex, game **out, sixer_error *error) {
  char lower[33] = "";
  for (int i = 0; md5_hex && i < 32 && md5_hex[i]; i++) {
    char c = md5_hex[i];
    lower[i] = (char)(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
  }
  *out = NULL;
  for (int i = 0; i < game_builtin_total; i++) {
    if (id ? strcmp(game_builtins[i].id, id) != 0 : !strstr(game_builtins[i].text, lower)) continue;
    game *g;
    sixer_err err = compile_builtin(i, &g, error);
    if (err) return err;
    if (id || game_has_md5(g, lower)) {
      *out = g;
      return SIXER_OK;
    }
    game_free(g);
  }
  return SIXER_OK;
}

static sixer_err fail(sixer_error *error, sixer_err code, const char *path, const char *what) {
  if (error) {
    error->code = code;
    snprintf(error->message, sizeof error->message, "%.300s: %s", path, what);
  }
  return code;
}

static sixer_err read_file(const char *path, char **text, size_t *length, sixer_error *error) {
  FILE *file = os_fopen(path, "rb");
  if (!file) return fail(error, SIXER_ERR_FILE, path, strerror(errno));
  char *buffer = malloc(MAX_FILE);
  if (!buffer) {
    fclose(file);
    return fail(error, SIXER_ERR_MEMORY, path, "out of memory");
  }
  *length = fread(buffer, 1, MAX_FILE, file);
  const char *trouble = ferror(file)          ? "cannot be read (is it a file?)"
                        : *length == MAX_FILE ? "larger than 1 MiB, so hardly a definition"
                                              : NULL;
  fclose(file);
  if (trouble) {
    free(buffer);
    return fail(error, SIXER_ERR_FILE, path, trouble);
  }
  *text = buffer;
  return SIXER_OK;
}

/* Refuse a game that claims an id or MD5 which `other` has. */
static bool overlaps(const char *path, const game *g, const game *other, sixer_error *error) {
  int line = 0, column = 0;
  const char *what = "id";
  if (!strcmp(g->id, other->id)) line = g->id_line, column = g->id_column;
  for (int i = 0; i < g->md5_count && !line; i++) {
    if (!game_has_md5(other, g->md5[i])) continue;
    line = g->md5_line[i];
    column = g->md5_column[i];
    what = "MD5";
  }
  if (line && error) {
    error->code = SIXER_ERR_GAME;
    snprintf(error->message, sizeof error->message,
             "%.200s:%d:%d: this %s belongs to the game '%s' (%s)", path, line, column, what,
             other->id, other->title);
  }
  return line != 0;
}

static bool is_builtin_text(const char *text, size_t length) {
  for (int i = 0; i < game_builtin_total; i++) {
    if (text && game_builtins[i].length == length && !memcmp(game_builtins[i].text, text, length))
      return true;
  }
  return false;
}

sixer_err game_load_file(const char *path, game **out, sixer_error *error) {
  char *text = NULL;
  size_t length = 0;
  game *g, *other;
  sixer_err err = read_file(path, &text, &length, error);
  if (err) return err;
  err = game_compile(path, text, length, &g, error);
  bool itself = !err && is_builtin_text(text, length);
  free(text);
  if (err || itself) {
    if (!err) *out = g;
    return err;
  }
  for (int i = -1; i < g->md5_count && !err; i++) {
    err = find_builtin(i < 0 ? g->id : NULL, i < 0 ? NULL : g->md5[i], &other, error);
    if (err || !other) continue;
    if (overlaps(path, g, other, error)) err = SIXER_ERR_GAME;
    game_free(other);
  }
  if (err) {
    game_free(g);
    return err;
  }
  *out = g;
  return SIXER_OK;
}

static int by_id(const void *a, const void *b) {
  return strcmp((*(game *const *)a)->id, (*(game *const *)b)->id);
}

void game_list_free(game_list *list) {
  for (int i = 0; i < list->count; i++) game_free(list->items[i]);
  for (int i = 0; i < list->problem_count; i++) free(list->problems[i].path);
  free(list->items);
  free(list->problems);
  *list = (game_list){0};
}

static sixer_err append(game_list *list, game *g, sixer_error *error) {
  game **items = realloc(list->items, (size_t)(list->count + 1) * sizeof *items);
  if (!items) {
    game_free(g);
    return fail(error, SIXER_ERR_MEMORY, "games", "out of memory");
  }
  list->items = items;
  list->items[list->count++] = g;
  return SIXER_OK;
}

sixer_err game_list_builtin(game_list *list, sixer_error *error) {
  *list = (game_list){0};
  sixer_err err = SIXER_OK;
  for (int i = 0; i < game_builtin_total && !err; i++) {
    game *g;
    err = compile_builtin(i, &g, error);
    if (!err) err = append(list, g, error);
  }
  if (err) game_list_free(list);
  return err;
}

static bool is_definition(const char *name) {
  size_t length = strlen(name);
  return length > 5 && name[0] != '.' && !strcmp(name + length - 5, ".game");
}

static sixer_err append_problem(game_list *list, const char *path, const sixer_error *problem,
                                sixer_error *error) {
  game_problem *problems =
      realloc(list->problems, (size_t)(list->problem_count + 1) * sizeof *problems);
  if (problems) list->problems = problems;
  char *copy = problems ? strdup(path) : NULL;
  if (!copy) return fail(error, SIXER_ERR_MEMORY, path, "out of memory");
  list->problems[list->problem_count++] = (game_problem){copy, *problem};
  return SIXER_OK;
}

/* Load one definition of a folder into the list: as a game, or as a problem. Fails only if memory runs out. */
static sixer_err load_into(game_list *list, const char *path, sixer_error *error) {
  sixer_error problem = {SIXER_OK, ""};
  game *g = NULL;
  sixer_err err = game_load_file(path, &g, &problem);
  for (int k = 0; !err && k < list->count; k++) {
    if (overlaps(path, g, list->items[k], &problem)) err = SIXER_ERR_GAME;
  }
  if (!err) return append(list, g, error);
  if (g) game_free(g);
  return append_problem(list, path, &problem, error);
}

sixer_err game_list_folder(const char *folder, game_list *list, sixer_error *error) {
  os_names names;
  *list = (game_list){0};
  if (!os_folder_names(folder, is_definition, &names)) {
    return errno == ENOENT ? SIXER_OK : fail(error, SIXER_ERR_FILE, folder, strerror(errno));
  }
  sixer_err err = SIXER_OK;
  for (size_t i = 0; i < names.count; i++) {
    char path[4096];
    if (!err && (size_t)snprintf(path, sizeof path, "%s/%s", folder, names.at[i]) >= sizeof path) {
      err = fail(error, SIXER_ERR_FILE, folder, "the path is too long");
    }
    if (!err) err = load_into(list, path, error);
  }
  os_names_free(&names);
  if (err) {
    game_list_free(list);
  } else if (list->count) {
    sort_stable(list->items, (size_t)list->count, sizeof *list->items, by_id);
  }
  return err;
}

bool game_user_folder(char *path, size_t size) {
  char data[4000];
  const char *set = os_getenv("SIXER_GAMES");
  if (set && *set) return (size_t)snprintf(path, size, "%s", set) < size;
  return os_data_folder(data, sizeof data) &&
         (size_t)snprintf(path, size, "%s/sixer/games", data) < size;
}

/* Does a definition that is wrong seem to be the one for this id or MD5 (the other is NULL)? */
static bool seems_meant(const char *path, const char *id, const char *md5_hex) {
  const char *slash = os_last_separator(path), *name = slash ? slash + 1 : path;
  if (id) return !strncmp(name, id, strlen(id)) && !strcmp(name + strlen(id), ".game");
  char *text;
  size_t length;
  if (read_file(path, &text, &length, NULL)) return false;
  bool found = false;
  for (size_t i = 0; i + 32 <= length && !found; i++) found = !strncasecmp(text + i, md5_hex, 32);
  free(text);
  return found;
}

static sixer_err find(const char *id, const char *md5_hex, game **out, sixer_error *error) {
  char folder[4096];
  game_list list;
  sixer_err err = find_builtin(id, md5_hex, out, error);
  if (err || *out || !game_user_folder(folder, sizeof folder)) return err;
  err = game_list_folder(folder, &list, error);
  if (err) return err;
  for (int i = 0; i < list.count && !*out; i++) {
    if (id ? !strcmp(list.items[i]->id, id) : game_has_md5(list.items[i], md5_hex)) {
      *out = list.items[i];
      list.items[i] = NULL;
    }
  }
  for (int i = 0; i < list.problem_count && !*out && !err; i++) {
    if (!seems_meant(list.problems[i].path, id, md5_hex)) continue;
    err = list.problems[i].error.code;
    if (error) *error = list.problems[i].error;
  }
  game_list_free(&list);
  return err;
}

sixer_err game_find_id(const char *id, game **out, sixer_error *error) {
  return find(id, NULL, out, error);
}

sixer_err game_find_md5(const char *md5_hex, game **out, sixer_error *error) {
  return find(NULL, md5_hex, out, error);
}
