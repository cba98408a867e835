/* Folders of Linux and macOS: see os.h. */
#if !defined(_WIN32)
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/os.h"

struct os_folder {
  DIR *entries;
};

os_folder *os_folder_open(const char *path) {
  os_folder *f = malloc(sizeof *f);
  if (!f) return NULL;
  f->entries = opendir(path);
  if (f->entries) return f;
  int reason = errno;
  free(f);
  errno = reason;
  return NULL;
}

const char *os_folder_next(os_folder *f) {
  const struct dirent *entry = readdir(f->entries);
  return entry ? entry->d_name : NULL;
}

void os_folder_close(os_folder *f) {
  if (f) closedir(f->entries);
  free(f);
}

bool os_glob(const char *pattern, os_names *out) {
  glob_t found;
  *out = (os_names){0};
  int status = glob(pattern, 0, NULL, &found);
  if (status == GLOB_NOMATCH) return true;
  if (status) {
    errno = status == GLOB_NOSPACE ? ENOMEM : EIO;
    return false;
  }
  out->at = calloc(found.gl_pathc, sizeof *out->at);
  for (size_t i = 0; out->at && i < found.gl_pathc; i++) {
    if (!(out->at[i] = strdup(found.gl_pathv[i]))) break;
    out->count++;
  }
  bool all = out->count == found.gl_pathc;
  globfree(&found);
  if (all) return true;
  os_names_free(out);
  errno = ENOMEM;
  return false;
}

/* ---- Temporary things ------------------------------------------------------------------------------------------- */

const char *os_temporary_place(void) {
  const char *place = os_getenv("TMPDIR");
  return place && *place ? place : "/tmp";
}

/* PLACE/PREFIX- and six letters that mkdtemp() or mkstemp() will choose. They want an X in the place of each. */
static bool name_to_be_chosen(const char *place, const char *prefix, char *path, size_t size) {
  enum { CHOSEN = 6 };
  const int length = snprintf(path, size, "%s/%s-", place, prefix);
  if (length < 0 || (size_t)length + CHOSEN >= size) {
    errno = ENAMETOOLONG;
    return false;
  }
  memset(path + length, 'X', CHOSEN);
  path[length + CHOSEN] = 0;
  return true;
}

bool os_temporary_folder(const char *prefix, char *path, size_t size) {
  return name_to_be_chosen(os_temporary_place(), prefix, path, size) && mkdtemp(path);
}

FILE *os_temporary_file(const char *place, const char *prefix, char *path, size_t size) {
  if (!name_to_be_chosen(place, prefix, path, size)) return NULL;
  int file = mkstemp(path);
  FILE *stream = file < 0 ? NULL : fdopen(file, "wb");
  if (!stream && file >= 0) {
    int reason = errno;
    close(file);
    unlink(path);
    errno = reason;
  }
  return stream;
}
#endif
