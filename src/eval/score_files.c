/* Which files are read: patterns and folders become lists of files. A folder is one run: the files of its parallel
 * environments, or of its event log, are read together. A folder of Dopamine has everything in its last log. A folder
 * of `sixer train` has files whose rows name their runs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/scores.h"
#include "util/os.h"
#include "util/sort.h"

typedef struct file_list {
  eval_source *sources;
  size_t count, room, units;
} file_list;

static sixer_err add_path(memory_arena *arena, file_list *list, const char *path,
                          sixer_error *error) {
  for (size_t i = 0; i < list->count; i++) {
    if (!strcmp(list->sources[i].path, path))
      return sixer_fail(error, SIXER_ERR_FILE, "%s: the file is named twice", path);
  }
  if (list->count == list->room) {
    size_t room = list->room ? 2 * list->room : 16;
    eval_source *more = arena_alloc(arena, room * sizeof *more);
    if (!more) return arena_no_memory(error);
    if (list->count) memcpy(more, list->sources, list->count * sizeof *more);
    list->sources = more;
    list->room = room;
  }
  const char *copy = arena_copy(arena, path, strlen(path));
  if (!copy) return arena_no_memory(error);
  list->sources[list->count++] = (eval_source){.path = copy, .unit = list->units};
  return SIXER_OK;
}

static int compare_paths(const void *a, const void *b) {
  return strcmp(((const eval_source *)a)->path, ((const eval_source *)b)->path);
}

static bool is_log_name(const char *name) {
  static const char *const endings[] = {"monitor.csv", ".episodes.tsv", ".episodes.tsv.gz"};
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t n = strlen(endings[i]);
    if (length >= n && !strcmp(name + length - n, endings[i])) return true;
  }
  return strstr(name, ".tfevents.") != NULL;
}

static const char *path_in(memory_arena *arena, const char *folder, const char *name) {
  size_t length = strlen(folder);
  return arena_format(arena, "%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/",
                      name);
}

/* The N of Dopamine's log_N; -1: it is another file. */
static long dopamine_number(const char *name) {
  size_t digits = strncmp(name, "log_", 4) ? 0 : strspn(name + 4, "0123456789");
  return digits && digits <= 9 && !name[4 + digits] ? atol(name + 4) : -1;
}

/* The last log_N of a folder; it has all of those before. NULL in *path: there is none. */
static sixer_err find_dopamine(memory_arena *arena, const char *path, const char **found,
                               sixer_error *error) {
  os_folder *folder = os_folder_open(path);
  long last = -1;
  *found = NULL;
  if (!folder) return SIXER_OK;
  for (const char *entry; (entry = os_folder_next(folder));) {
    long number = dopamine_number(entry);
    if (number > last) last = number;
  }
  os_folder_close(folder);
  if (last < 0) return SIXER_OK;
  char name[32];
  snprintf(name, sizeof name, "log_%ld", last);
  *found = path_in(arena, path, name);
  return *found ? SIXER_OK : arena_no_memory(error);
}

/* The logs of a folder: one run. */
static sixer_err add_folder(memory_arena *arena, file_list *list, const char *path,
                            sixer_error *error) {
  /* Dopamine writes event files too, which have averages only */
  const char *log, *logs = path_in(arena, path, "logs");
  sixer_err err = logs ? find_dopamine(arena, logs, &log, error) : arena_no_memory(error);
  if (!err && !log) err = find_dopamine(arena, path, &log, error);
  if (!err && log) {
    err = add_path(arena, list, log, error);
    list->units++;
    return err;
  }
  if (err) return err;
  os_folder *folder = os_folder_open(path);
  if (!folder) return sixer_fail(error, SIXER_ERR_FILE, "%s: %s", path, strerror(errno));
  size_t first = list->count;
  for (const char *entry; !err && (entry = os_folder_next(folder));) {
    if (!is_log_name(entry)) continue;
    const char *full = path_in(arena, path, entry);
    err = full ? add_path(arena, list, full, error) : arena_no_memory(error);
  }
  os_folder_close(folder);
  if (!err && list->count == first)
    err = sixer_fail(error, SIXER_ERR_FILE,
                     "%s: the folder has no logs (*monitor.csv, *.tfevents.*, logs/log_N, "
                     "*.episodes.tsv); name its files",
                     path);
  if (err) return err;
  sort_stable(list->sources + first, list->count - first, sizeof *list->sources, compare_paths);
  list->units++;
  return SIXER_OK;
}

static sixer_err add_file_or_folder(memory_arena *arena, file_list *list, const char *path,
                                    sixer_error *error) {
  os_status about;
  if (!os_stat(path, &about) && about.kind == OS_FOLDER)
    return add_folder(arena, list, path, error);
  sixer_err err = add_path(arena, list, path, error);
  list->units++;
  return err;
}

/* The files that match a pattern of the shell, in the order of their names. */
static sixer_err add_pattern(memory_arena *arena, file_list *list, const char *pattern,
                             sixer_error *error) {
  os_status about;
  if (!os_stat(pattern, &about)) return add_file_or_folder(arena, list, pattern, error);
  os_names found;
  bool read = os_glob(pattern, &found);
  if (!read && errno == ENOMEM) return arena_no_memory(error);
  sixer_err err = SIXER_OK;
  if (!read || !found.count) {
    err = sixer_fail(error, SIXER_ERR_FILE, "%.300s: %s", pattern,
                     strpbrk(pattern, "*?[") ? "no file matches" : "there is no such file");
  } else {
    for (size_t i = 0; !err && i < found.count; i++)
      err = add_file_or_folder(arena, list, found.at[i], error);
    os_names_free(&found);
  }
  return err;
}

/* Stable-Baselines3 names the files of parallel environments 0.monitor.csv, 1.monitor.csv and so on. Named one by one
 * they count as runs. */
static sixer_err warn_of_workers(sixer_scores *s, const file_list *list, const char *agent,
                                 sixer_error *error) {
  const char *folder = NULL;
  size_t folder_length = 0, last_unit = 0;
  for (size_t i = 0; i < list->count; i++) {
    const char *path = list->sources[i].path, *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t digits = strspn(name, "0123456789"), length = (size_t)(name - path);
    if (!digits || strcmp(name + digits, ".monitor.csv")) continue;
    if (folder && folder_length == length && !strncmp(folder, path, length) &&
        last_unit != list->sources[i].unit)
      return scores_warn(s, error, "parallel-files",
                         "%s is named like one of the parallel environments of a single run; "
                         "the files count as separate runs of %s. Name the folder instead to "
                         "read them as one",
                         path, agent);
    folder = path;
    folder_length = length;
    last_unit = list->sources[i].unit;
  }
  return SIXER_OK;
}

sixer_err sixer_scores_read(sixer_scores *s, const char *path, const char *default_agent,
                            sixer_error *error) {
  file_list list = {0};
  sixer_err err = add_file_or_folder(&s->arena, &list, path, error);
  return err ? err : scores_read_sources(s, list.sources, list.count, NULL, default_agent, error);
}

sixer_err sixer_scores_read_runs(sixer_scores *s, const char *agent, const char *const *patterns,
                                 size_t count, sixer_error *error) {
  file_list list = {0};
  sixer_err err = SIXER_OK;
  if (!*agent || !count)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "an agent needs a name and files: NAME=FILE");
  for (size_t i = 0; !err && i < count; i++)
    err = add_pattern(&s->arena, &list, patterns[i], error);
  if (!err) err = scores_read_sources(s, list.sources, list.count, agent, agent, error);
  return err ? err : warn_of_workers(s, &list, agent, error);
}

sixer_err scores_list_files(memory_arena *arena, const char *const *patterns, size_t count,
                            const eval_source **sources, size_t *source_count, sixer_error *error) {
  file_list list = {0};
  sixer_err err = SIXER_OK;
  for (size_t i = 0; !err && i < count; i++) err = add_pattern(arena, &list, patterns[i], error);
  *sources = list.sources;
  *source_count = list.count;
  return err;
}
