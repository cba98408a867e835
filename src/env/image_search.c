/* Looking for cartridge images by name. An installed ale_py carries those of all the games it supports; it is looked
 * for in a virtual environment of the current folder, in the active one, and where python3 on the path keeps its
 * packages. */
#include "env/image_search.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct folder_list {
  char (*at)[4096];
  int count, max;
} folder_list;

static void add(folder_list *list, const char *path) {
  size_t size = strlen(path) + 1;
  if (list->count < list->max && size <= sizeof *list->at)
    memcpy(list->at[list->count++], path, size);
}

/* PREFIX/lib/python3.*\/site-packages/ale_py/roms and Debian's dist-packages. */
static void add_python(folder_list *list, const char *prefix) {
  static const char *const patterns[] = {"%s/lib/python3*/site-packages/ale_py/roms",
                                         "%s/lib/python3*/dist-packages/ale_py/roms",
                                         "%s/local/lib/python3*/dist-packages/ale_py/roms"};
  for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
    char pattern[4096];
    glob_t found;
    if (snprintf(pattern, sizeof pattern, patterns[i], prefix) >= (int)sizeof pattern) continue;
    if (glob(pattern, 0, NULL, &found) == 0) {
      for (size_t k = 0; k < found.gl_pathc; k++) add(list, found.gl_pathv[k]);
      globfree(&found);
    }
  }
}

/* The prefix of the first python3 on the path: /usr/bin/python3 gives /usr. */
static void add_path_python(folder_list *list) {
  const char *path = getenv("PATH");
  while (path && *path) {
    const char *colon = strchr(path, ':');
    int length = colon ? (int)(colon - path) : (int)strlen(path);
    char program[4096], real[4096];
    if (snprintf(program, sizeof program, "%.*s/python3", length, path) < (int)sizeof program &&
        access(program, X_OK) == 0) {
      /* the folder as named, and where the link leads: virtual environments are found by the former */
      snprintf(program, sizeof program, "%.*s/..", length, path);
      add_python(list, program);
      snprintf(program, sizeof program, "%.*s/python3", length, path);
      if (realpath(program, real)) {
        for (int up = 0; up < 2; up++) {
          char *slash = strrchr(real, '/');
          if (slash) *slash = 0;
        }
        add_python(list, real);
      }
      return;
    }
    path = colon ? colon + 1 : NULL;
  }
}

int image_folders(char (*folders)[4096], int max) {
  folder_list list = {folders, 0, max};
  char path[4096];
  const char *roms = getenv("SIXER_ROMS"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  if (roms && *roms) add(&list, roms);
  if (data && *data) {
    if (snprintf(path, sizeof path, "%s/sixer/roms", data) < (int)sizeof path) add(&list, path);
  } else if (home && *home) {
    if (snprintf(path, sizeof path, "%s/.local/share/sixer/roms", home) < (int)sizeof path)
      add(&list, path);
  }
  add_python(&list, ".venv");
  const char *environment = getenv("VIRTUAL_ENV");
  if (environment && *environment) add_python(&list, environment);
  add_path_python(&list);
  return list.count;
}

bool image_search(const char *name, char *path, size_t size) {
  enum { MAX = 16 };
  if (!*name || strchr(name, '/')) return false;
  char(*folders)[4096] = malloc(MAX * sizeof *folders);
  if (!folders) return false;
  int count = image_folders(folders, MAX);
  bool found = false;
  for (int i = 0; i < count && !found; i++) {
    struct stat info;
    found = snprintf(path, size, "%s/%s.bin", folders[i], name) < (int)size &&
            stat(path, &info) == 0 && S_ISREG(info.st_mode);
  }
  free(folders);
  return found;
}
