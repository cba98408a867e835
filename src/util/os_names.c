/* Lists of names, on every platform: see os.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/os.h"
#include "util/sort.h"

static int by_bytes(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

bool os_folder_names(const char *path, bool (*wanted)(const char *name), os_names *out) {
  *out = (os_names){0};
  os_folder *f = os_folder_open(path);
  if (!f) return false;
  size_t room = 0;
  for (const char *name; (name = os_folder_next(f));) {
    if (!wanted(name)) continue;
    if (out->count == room) {
      room = room ? 2 * room : 32;
      char **grown = realloc(out->at, room * sizeof *grown);
      if (!grown) goto failed;
      out->at = grown;
    }
    if (!(out->at[out->count] = strdup(name))) goto failed;
    out->count++;
  }
  os_folder_close(f);
  if (out->count) sort_stable(out->at, out->count, sizeof *out->at, by_bytes);
  return true;
failed:
  os_folder_close(f);
  os_names_free(out);
  errno = ENOMEM;
  return false;
}

void os_names_free(os_names *names) {
  for (size_t i = 0; i < names->count; i++) free(names->at[i]);
  free(names->at);
  *names = (os_names){0};
}

bool os_find_program(const char *name, char *folder, size_t size) {
  const char *path = os_getenv("PATH"), separators[] = {os_path_separator, 0};
  while (path && *path) {
    char file[OS_PATH_MAX];
    int length = (int)strcspn(path, separators);
    if (snprintf(file, sizeof file, "%.*s/%s%s", length, path, name, os_program_suffix) <
            (int)sizeof file &&
        os_access(file, OS_MAY_RUN) == 0 &&
        (!folder || snprintf(folder, size, "%.*s", length, path) < (int)size))
      return true;
    path += length + (path[length] != 0);
  }
  return false;
}
