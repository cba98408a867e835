/* Looking for cartridge images by name. An installed ale_py carries those of all the games it supports; it is looked
 * for in a virtual environment of the current folder, in the active one, and where python3 on the path keeps its
 * packages. */
#include "env/image_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/os.h"

typedef struct folder_list {
  char (*at)[4096];
  int count, max;
} folder_list;

static void add(folder_list *list, const char *path) {
  size_t size = strlen(path) + 1;
  if (list->count < list->max && size <= sizeof *list->at)
    memcpy(list->at[list->count++], path, size);
}

/* PREFIX/lib/python3.*\/site-packages/ale_py/roms and what else there is. */
static void add_python(folder_list *list, const char *prefix) {
  for (const char *const *place = os_package_places; *place; place++) {
    char packages[4000], pattern[4096];
    os_names found;
    if (snprintf(packages, sizeof packages, *place, prefix) >= (int)sizeof packages ||
        snprintf(pattern, sizeof pattern, "%s/ale_py/roms", packages) >= (int)sizeof pattern ||
        !os_glob(pattern, &found))
      continue;
    for (size_t k = 0; k < found.count; k++) add(list, found.at[k]);
    os_names_free(&found);
  }
}

/* The prefix of the first python3 on the path: /usr/bin/python3 gives /usr. */
static void add_path_python(folder_list *list) {
  char folder[4000], program[4096], real[OS_PATH_MAX];
  if (!os_find_program(os_python_name, folder, sizeof folder)) return;
  /* the folder as named, and where the link leads: virtual environments are found by the former */
  snprintf(program, sizeof program, "%s/..", folder);
  add_python(list, program);
  snprintf(program, sizeof program, "%s/%s%s", folder, os_python_name, os_program_suffix);
  if (!os_realpath(program, real)) return;
  for (int up = 0; up < 2; up++) {
    const char *slash = os_last_separator(real);
    if (slash) real[slash - real] = 0;
  }
  add_python(list, real);
}

int image_folders(char (*folders)[4096], int max) {
  folder_list list = {folders, 0, max};
  char data[4000], path[4096];
  const char *roms = os_getenv("SIXER_ROMS");
  if (roms && *roms) add(&list, roms);
  if (os_data_folder(data, sizeof data)) {
    snprintf(path, sizeof path, "%s/sixer/roms", data);
    add(&list, path);
  }
  add_python(&list, ".venv");
  const char *environment = os_getenv("VIRTUAL_ENV");
  if (environment && *environment) add_python(&list, environment);
  add_path_python(&list);
  return list.count;
}

bool image_search(const char *name, char *path, size_t size) {
  enum { MAX = 16 };
  if (!*name || os_last_separator(name)) return false;
  char(*folders)[4096] = malloc(MAX * sizeof *folders);
  if (!folders) return false;
  int count = image_folders(folders, MAX);
  bool found = false;
  for (int i = 0; i < count && !found; i++) {
    os_status info;
    found = snprintf(path, size, "%s/%s.bin", folders[i], name) < (int)size &&
            os_stat(path, &info) == 0 && info.kind == OS_FILE;
  }
  free(folders);
  return found;
}
