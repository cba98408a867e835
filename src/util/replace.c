/* Files that are replaced whole: see replace.h. */
#include "util/replace.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/os.h"

enum {
  LINKS_MAX = 40,  /* as Linux allows in a path */
  STEM_MAX = 180,  /* of the temporary name, so that it stays below NAME_MAX of 255 */
  NAMES_MAX = 1000 /* temporary names that are tried */
};

/* ---- Paths ----------------------------------------------------------------------------------------------------- */

static const char *name_of(const char *path) {
  const char *slash = os_last_separator(path);
  return slash ? slash + 1 : path;
}

static int folder_length(const char *path) { return (int)(name_of(path) - path); }

/* The path with symbolic links of its last component followed, also where the last one points to nothing yet. */
static char *follow_links(const char *path) {
  char *at = strdup(path);
  for (int i = 0; at; i++) {
    char link[OS_PATH_MAX];
    ptrdiff_t length = os_readlink(at, link, sizeof link - 1);
    if (length < 0) return at; /* no link, or nothing there */
    link[length] = 0;
    if (i == LINKS_MAX) {
      free(at);
      errno = ELOOP;
      return NULL;
    }
    size_t size = strlen(at) + (size_t)length + 1;
    char *next = malloc(size);
    if (next)
      snprintf(next, size, "%.*s%s", os_is_absolute(link) ? 0 : folder_length(at), at, link);
    free(at);
    at = next;
  }
  return NULL;
}

/* A number that others cannot guess: in a folder that others may write to, they could occupy the names to come. */
static int any_number(int i) {
  uint32_t number;
  if (!os_random(&number, sizeof number, false)) number = (uint32_t)i;
  return (int)(number & INT_MAX);
}

/* A candidate for the temporary file of `target`. */
static char *temporary_name(const char *target, int number) {
  const char *name = name_of(target), *dot = strrchr(name, '.');
  if (!dot || dot == name || strlen(dot) > 30) dot = name + strlen(name);
  int stem = (int)(dot - name) < STEM_MAX ? (int)(dot - name) : STEM_MAX;
  size_t size = strlen(target) + 64;
  char *path = malloc(size);
  if (path)
    snprintf(path, size, "%.*s.%.*s.part-%" PRId64 "-%d%s", folder_length(target), target, stem,
             name, os_pid(), number, dot);
  return path;
}

/* ---- Begin ----------------------------------------------------------------------------------------------------- */

static void free_replacement(replacement *r) {
  int reason = errno;
  if (r->temporary != r->target) free(r->temporary);
  free(r->target);
  free(r);
  errno = reason;
}

/* Open a file that did not exist, with the permissions of the one that it will replace. */
static FILE *create_file(const char *path, const char *target) {
  int descriptor = os_open(path, OS_READ | OS_WRITE | OS_CREATE | OS_NEW);
  if (descriptor < 0) return NULL;
  os_status status;
  /* a file system without permissions refuses, which changes nothing */
  if (!os_stat(target, &status) && os_set_permissions(descriptor, status.permissions) != 0)
    errno = 0;
  FILE *file = os_fdopen(descriptor, "wb+");
  if (!file) {
    int reason = errno;
    os_close(descriptor);
    os_unlink(path);
    errno = reason;
  }
  return file;
}

static replacement *begin(const char *path, bool create) {
  replacement *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->durable = true;
  bool directly = os_is_device(path);
  r->target = directly ? strdup(path) : follow_links(path);
  os_status status;
  if (!r->target) goto failed;
  if (directly) {
    r->temporary = r->target;
    if (create && !(r->file = os_fopen(r->target, "wb"))) goto failed;
    return r;
  }
  if (!os_stat(r->target, &status) && status.kind == OS_FOLDER) {
    errno = EISDIR;
    goto failed;
  }
  for (int i = 0; i < NAMES_MAX; i++) {
    r->temporary = temporary_name(r->target, any_number(i));
    if (!r->temporary) goto failed;
    if (create) {
      r->file = create_file(r->temporary, r->target);
      if (r->file) return r;
      if (errno != EEXIST) goto failed;
    } else if (os_lstat(r->temporary, &status) != 0) {
      if (errno == ENOENT) return r;
      goto failed;
    }
    free(r->temporary);
    r->temporary = NULL;
  }
  errno = EEXIST;
failed:
  free_replacement(r);
  return NULL;
}

replacement *replace_open(const char *path) { return begin(path, true); }
replacement *replace_reserve(const char *path) { return begin(path, false); }

/* ---- End ------------------------------------------------------------------------------------------------------- */

static bool synchronize_file(const replacement *r) {
  if (r->file) return os_sync(fileno(r->file)) == 0;
  int descriptor = os_open(r->temporary, OS_READ | OS_WRITE);
  if (descriptor < 0) return false;
  bool ok = os_sync(descriptor) == 0;
  return os_close(descriptor) == 0 && ok;
}

/* Make the rename itself durable. The new content is in place already, and some file systems cannot synchronize
 * folders, so a failure is not reported. */
static void synchronize_folder(const char *path) {
  char folder[OS_PATH_MAX];
  int length = folder_length(path);
  if (length >= (int)sizeof folder) return;
  snprintf(folder, sizeof folder, "%.*s", length ? length : 1, length ? path : ".");
  os_sync_folder(folder);
}

static bool put_in_place(const replacement *r, bool must_be_new) {
  return (must_be_new ? os_rename_new : os_rename)(r->temporary, r->target) == 0;
}

/* Why could a file not be written? stdio does not keep the reason, but the next byte meets it too. */
static int write_reason(FILE *file) {
  clearerr(file);
  errno = 0;
  if (fputc('\n', file) == EOF || fflush(file)) return errno;
  return 0;
}

static bool commit(replacement *r, bool must_be_new) {
  bool directly = r->temporary == r->target;
  errno = 0;
  bool ok = !r->file || (!ferror(r->file) && fflush(r->file) == 0);
  if (ok && !directly && r->durable) ok = synchronize_file(r);
  int reason = errno;
  if (!ok && !directly && !reason) reason = write_reason(r->file);
  if (r->file && fclose(r->file) != 0 && ok) {
    ok = false;
    reason = errno;
  }
  r->file = NULL;
  errno = reason ? reason : EIO;
  if (directly) {
    free_replacement(r);
    return ok;
  }
  ok = ok && put_in_place(r, must_be_new);
  if (ok && r->durable) synchronize_folder(r->target);
  if (!ok) {
    replace_abandon(r);
    return false;
  }
  free_replacement(r);
  return true;
}

bool replace_commit(replacement *r) { return commit(r, false); }
bool replace_commit_new(replacement *r) { return commit(r, true); }

void replace_abandon(replacement *r) {
  if (!r) return;
  int reason = errno;
  if (r->file) fclose(r->file);
  if (r->temporary != r->target) os_unlink(r->temporary);
  free_replacement(r);
  errno = reason;
}

void replace_keep(replacement *r) {
  if (r->file) fclose(r->file);
  free_replacement(r);
}

bool replace_bytes(const char *path, const void *bytes, size_t size) {
  replacement *r = replace_open(path);
  if (!r) return false;
  if (fwrite(bytes, 1, size, r->file) == size) return replace_commit(r);
  replace_abandon(r);
  return false;
}

/* ---- What was left --------------------------------------------------------------------------------------------- */

/* The process that a temporary name tells, if it is one for a file with this stem and extension; else 0. */
static int64_t owner_of(const char *entry, const char *stem, size_t length, const char *extension) {
  int64_t process;
  int used = 0;
  if (entry[0] != '.' || strncmp(entry + 1, stem, length) != 0) return 0;
  if (sscanf(entry + 1 + length, ".part-%" SCNd64 "-%*d%n", &process, &used) != 1 || !used)
    return 0;
  return strcmp(entry + 1 + length + used, extension) == 0 && process > 0 ? process : 0;
}

void replace_clean(const char *path, bool all) {
  char *target = follow_links(path);
  if (!target) return;
  const char *name = name_of(target), *dot = strrchr(name, '.');
  if (!dot || dot == name || strlen(dot) > 30) dot = name + strlen(name);
  size_t stem = (size_t)(dot - name) < STEM_MAX ? (size_t)(dot - name) : STEM_MAX;
  int length = folder_length(target);
  char *folder = os_strndup(length ? target : "./", length ? (size_t)length : 2);
  os_folder *entries = folder ? os_folder_open(folder) : NULL;
  for (const char *entry; entries && (entry = os_folder_next(entries));) {
    int64_t process = owner_of(entry, name, stem, dot);
    if (!process || (!all && !os_process_gone(process))) continue;
    char left[OS_PATH_MAX + 300];
    if (snprintf(left, sizeof left, "%s%s", folder, entry) < (int)sizeof left) os_unlink(left);
  }
  os_folder_close(entries);
  free(folder);
  free(target);
}
