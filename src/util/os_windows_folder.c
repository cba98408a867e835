/* Folders of Windows: see os.h. */
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/os.h"
#include "util/os_windows.h"

struct os_folder {
  HANDLE search;
  WIN32_FIND_DATAW found;
  bool fresh; /* `found` was not returned yet */
  char *name;
};

os_folder *os_folder_open(const char *path) {
  char pattern[OS_PATH_MAX];
  os_status status;
  if (os_stat(path, &status)) return NULL;
  if (status.kind != OS_FOLDER) {
    errno = ENOTDIR;
    return NULL;
  }
  if (snprintf(pattern, sizeof pattern, "%s/*", path) >= (int)sizeof pattern) {
    errno = ENAMETOOLONG;
    return NULL;
  }
  os_folder *f = calloc(1, sizeof *f);
  wchar_t *wide = f ? os_windows_path(pattern) : NULL;
  if (wide) f->search = FindFirstFileW(wide, &f->found);
  free(wide);
  if (!wide || f->search == INVALID_HANDLE_VALUE) {
    if (wide) os_windows_fail();
    free(f);
    return NULL;
  }
  f->fresh = true;
  return f;
}

const char *os_folder_next(os_folder *f) {
  if (!f->fresh && !FindNextFileW(f->search, &f->found)) return NULL;
  f->fresh = false;
  free(f->name);
  f->name = os_windows_utf8(f->found.cFileName);
  return f->name;
}

void os_folder_close(os_folder *f) {
  if (!f) return;
  FindClose(f->search);
  free(f->name);
  free(f);
}

/* ---- Patterns --------------------------------------------------------------------------------------------------- */

/* Does a name fit a pattern of *, ? and [...]? A period at its begin must be written. */
static bool fits(const char *pattern, const char *name) {
  for (; *pattern; pattern++, name++) {
    if (*pattern == '*') {
      while (*pattern == '*') pattern++;
      do {
        if (fits(pattern, name)) return true;
      } while (*name++);
      return false;
    }
    if (!*name) return false;
    if (*pattern == '[' && strchr(pattern + 1, ']')) {
      const char *end = strchr(pattern + 2, ']');
      bool inverted = pattern[1] == '!' || pattern[1] == '^', in = false;
      if (!end) return false;
      for (const char *c = pattern + 1 + inverted; c < end; c++) {
        bool range = c[1] == '-' && c + 2 < end;
        in |= range ? *name >= c[0] && *name <= c[2] : *name == *c;
        if (range) c += 2;
      }
      if (in == inverted) return false;
      pattern = end;
    } else if (*pattern != '?' && *pattern != *name) {
      return false;
    }
  }
  return !*name;
}

static bool add(os_names *out, const char *path) {
  char **grown = realloc(out->at, (out->count + 1) * sizeof *grown);
  if (!grown) return false;
  out->at = grown;
  if (!(out->at[out->count] = strdup(path))) return false;
  out->count++;
  return true;
}

static bool any_name(const char *name) { return strcmp(name, ".") && strcmp(name, ".."); }

/* `start` is what was matched so far, `rest` the pattern that is left. */
static bool match(const char *start, const char *rest, os_names *out) {
  size_t length = strcspn(rest, "/\\");
  char part[300], path[OS_PATH_MAX];
  bool last = !rest[length], ok = true;
  if (length >= sizeof part) return true;
  memcpy(part, rest, length);
  part[length] = 0;
  if (!strpbrk(part, "*?[")) {
    if (snprintf(path, sizeof path, "%s%s%s", start, part, last ? "" : "/") >= (int)sizeof path)
      return true;
    if (!last) return match(path, rest + length + 1, out);
    return os_access(path, OS_EXISTS) ? true : add(out, path);
  }
  os_names names;
  if (!os_folder_names(*start ? start : ".", any_name, &names)) return errno != ENOMEM;
  for (size_t i = 0; i < names.count && ok; i++) {
    if ((names.at[i][0] == '.' && part[0] != '.') || !fits(part, names.at[i]) ||
        snprintf(path, sizeof path, "%s%s%s", start, names.at[i], last ? "" : "/") >=
            (int)sizeof path)
      continue;
    ok = last ? add(out, path) : match(path, rest + length + 1, out);
  }
  os_names_free(&names);
  return ok;
}

bool os_glob(const char *pattern, os_names *out) {
  *out = (os_names){0};
  if (match("", pattern, out)) return true;
  os_names_free(out);
  errno = ENOMEM;
  return false;
}

/* ---- Temporary things ------------------------------------------------------------------------------------------- */

const char *os_temporary_place(void) {
  const char *place = os_getenv("TMPDIR");
  if (!place || !*place) place = os_getenv("TEMP");
  return place && *place ? place : ".";
}

static bool free_name(const char *place, const char *prefix, char *path, size_t size) {
  uint64_t number;
  if (!os_random(&number, sizeof number, true)) return false;
  if (snprintf(path, size, "%s/%s-%012llx", place, prefix,
               (unsigned long long)(number & 0xFFFFFFFFFFFF)) < (int)size)
    return true;
  errno = ENAMETOOLONG;
  return false;
}

bool os_temporary_folder(const char *prefix, char *path, size_t size) {
  return free_name(os_temporary_place(), prefix, path, size) && os_mkdir(path) == 0;
}

FILE *os_temporary_file(const char *place, const char *prefix, char *path, size_t size) {
  if (!free_name(place, prefix, path, size)) return NULL;
  int file = os_open(path, OS_READ | OS_WRITE | OS_CREATE | OS_NEW);
  return file < 0 ? NULL : os_fdopen(file, "w");
}
#endif
