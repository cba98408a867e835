/* Files of Linux and macOS: see os.h. */
#if !defined(_WIN32)
#include "util/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Streams ---------------------------------------------------------------------------------------------------- */

/* Not every C library knows the mode 'e', which keeps a file from children. */
FILE *os_fopen(const char *path, const char *mode) {
  FILE *file = fopen(path, mode);
  if (file) fcntl(fileno(file), F_SETFD, FD_CLOEXEC);
  return file;
}

FILE *os_fdopen(int file, const char *mode) { return fdopen(file, mode); }
int64_t os_tell(FILE *file) { return ftello(file); }
int os_seek_stream(FILE *file, int64_t at, int whence) { return fseeko(file, at, whence); }

FILE *os_stream_open(char **text, size_t *size) { return open_memstream(text, size); }

/* The C library keeps text and size up to date, whenever the stream is flushed. */
bool os_stream_flush(FILE *stream, char **text, size_t *size) {
  (void)text;
  bool ok = fflush(stream) == 0 && !ferror(stream);
  off_t at = ftello(stream);
  if (at >= 0 && (size_t)at < *size) *size = (size_t)at;
  return ok;
}

bool os_stream_close(FILE *stream, char **text, size_t *size) {
  (void)text, (void)size;
  bool ok = !ferror(stream);
  return fclose(stream) == 0 && ok;
}

ptrdiff_t os_getline(char **line, size_t *room, FILE *file) { return getline(line, room, file); }

/* ---- Descriptors ------------------------------------------------------------------------------------------------ */

int os_open(const char *path, int flags) {
  int how = flags & OS_WRITE ? (flags & OS_READ ? O_RDWR : O_WRONLY) : O_RDONLY;
  how |= O_CLOEXEC | (flags & OS_CREATE ? O_CREAT : 0) | (flags & OS_NEW ? O_EXCL : 0) |
         (flags & OS_NO_WAIT ? O_NONBLOCK : 0);
  return open(path, how, flags & OS_PRIVATE ? 0600 : 0666);
}

int os_open_nothing(bool writing) {
  return open("/dev/null", (writing ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int os_close(int file) { return close(file); }
ptrdiff_t os_read(int file, void *bytes, size_t size) { return read(file, bytes, size); }
ptrdiff_t os_write(int file, const void *bytes, size_t size) { return write(file, bytes, size); }

ptrdiff_t os_read_at(int file, void *bytes, size_t size, uint64_t at) {
  return pread(file, bytes, size, (off_t)at);
}

ptrdiff_t os_write_at(int file, const void *bytes, size_t size, uint64_t at) {
  return pwrite(file, bytes, size, (off_t)at);
}

int os_seek(int file, int64_t at) { return lseek(file, at, SEEK_SET) < 0 ? -1 : 0; }
int os_truncate(int file, int64_t size) { return ftruncate(file, size); }
int os_sync(int file) { return fsync(file); }
int os_dup(int file) { return dup(file); }
int os_dup2(int file, int number) { return dup2(file, number); }
int os_lock(int file) { return flock(file, LOCK_EX | LOCK_NB); }

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static void describe(const struct stat *s, os_status *out) {
  *out = (os_status){.kind = S_ISREG(s->st_mode)    ? OS_FILE
                             : S_ISDIR(s->st_mode)  ? OS_FOLDER
                             : S_ISSOCK(s->st_mode) ? OS_SOCKET
                             : S_ISLNK(s->st_mode)  ? OS_LINK
                                                    : OS_OTHER,
                     .size = s->st_size,
                     .device = (uint64_t)s->st_dev,
                     .number = (uint64_t)s->st_ino,
                     .permissions = s->st_mode & 0777};
}

int os_stat(const char *path, os_status *out) {
  struct stat s;
  if (stat(path, &s)) return -1;
  describe(&s, out);
  return 0;
}

int os_lstat(const char *path, os_status *out) {
  struct stat s;
  if (lstat(path, &s)) return -1;
  describe(&s, out);
  return 0;
}

int os_fstat(int file, os_status *out) {
  struct stat s;
  if (fstat(file, &s)) return -1;
  describe(&s, out);
  return 0;
}

int os_set_permissions(int file, unsigned permissions) { return fchmod(file, (mode_t)permissions); }

int os_access(const char *path, int what) {
  int mode = (what & OS_MAY_READ ? R_OK : 0) | (what & OS_MAY_WRITE ? W_OK : 0) |
             (what & OS_MAY_RUN ? X_OK : 0);
  return access(path, mode ? mode : F_OK);
}

int os_mkdir(const char *path) { return mkdir(path, 0777); }
int os_rmdir(const char *path) { return rmdir(path); }
int os_unlink(const char *path) { return unlink(path); }
int os_rename(const char *from, const char *to) { return rename(from, to); }

/* link() is the atomic way to give a file a name that must be free. */
int os_rename_new(const char *from, const char *to) {
  if (link(from, to) != 0) return -1;
  unlink(from);
  return 0;
}

void os_sync_folder(const char *path) {
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

char *os_realpath(const char *path, char out[OS_PATH_MAX]) {
  char *found = realpath(path, NULL);
  bool fits = found && strlen(found) < OS_PATH_MAX;
  if (fits) memcpy(out, found, strlen(found) + 1);
  free(found);
  return fits ? out : NULL;
}

ptrdiff_t os_readlink(const char *path, char *out, size_t size) {
  return readlink(path, out, size);
}

const char *os_last_separator(const char *path) { return strrchr(path, '/'); }
bool os_is_separator(char c) { return c == '/'; }
bool os_is_absolute(const char *path) { return path[0] == '/'; }

bool os_is_device(const char *path) {
  os_status s;
  if (!strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6)) return true;
  return !os_stat(path, &s) && s.kind != OS_FILE && s.kind != OS_FOLDER;
}

/* ---- Text ------------------------------------------------------------------------------------------------------- */

char *os_strndup(const char *text, size_t size) { return strndup(text, size); }
char *os_strsep(char **text, const char *separators) { return strsep(text, separators); }

/* Writes through a volatile pointer are never left out; not every C library has explicit_bzero(). */
void os_forget(void *secret, size_t size) {
  for (volatile unsigned char *at = secret; size--;) *at++ = 0;
}
#endif
