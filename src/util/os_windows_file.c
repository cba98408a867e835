/* Files of Windows: see os.h. Streams and descriptors are those of the C library, always binary. */
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/os.h"
#include "util/os_windows.h"

/* ---- Names ------------------------------------------------------------------------------------------------------ */

wchar_t *os_windows_wide(const char *text) {
  int count = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
  if (count <= 0) {
    errno = EILSEQ;
    return NULL;
  }
  wchar_t *wide = malloc((size_t)count * sizeof *wide);
  if (wide) MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, count);
  return wide;
}

char *os_windows_utf8(const wchar_t *text) {
  int count = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
  char *bytes = count > 0 ? malloc((size_t)count) : NULL;
  if (bytes) WideCharToMultiByte(CP_UTF8, 0, text, -1, bytes, count, NULL, NULL);
  return bytes;
}

/* /dev/null and /dev/stdout are names that scripts and documents use everywhere. */
static const char *usual_name(const char *path) { return strcmp(path, "/dev/null") ? path : "NUL"; }

wchar_t *os_windows_path(const char *path) {
  enum { SHORT = 240 }; /* a folder must leave room for a name of 8.3 */
  wchar_t *wide = os_windows_wide(usual_name(path));
  if (!wide || wcslen(wide) < SHORT || !wcsncmp(wide, L"\\\\", 2)) return wide;
  DWORD size = GetFullPathNameW(wide, 0, NULL, NULL);
  wchar_t *full = malloc((size + 8) * sizeof *full);
  if (full) {
    wcscpy(full, L"\\\\?\\");
    if (!GetFullPathNameW(wide, size, full + 4, NULL)) full[4] = 0;
  }
  free(wide);
  return full;
}

int os_windows_fail(void) {
  static const struct {
    DWORD code;
    int reason;
  } reasons[] = {{ERROR_FILE_NOT_FOUND, ENOENT},
                 {ERROR_PATH_NOT_FOUND, ENOENT},
                 {ERROR_INVALID_NAME, ENOENT},
                 {ERROR_BAD_NETPATH, ENOENT},
                 {ERROR_ACCESS_DENIED, EACCES},
                 {ERROR_SHARING_VIOLATION, EACCES},
                 {ERROR_LOCK_VIOLATION, EAGAIN},
                 {ERROR_FILE_EXISTS, EEXIST},
                 {ERROR_ALREADY_EXISTS, EEXIST},
                 {ERROR_DISK_FULL, ENOSPC},
                 {ERROR_HANDLE_DISK_FULL, ENOSPC},
                 {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
                 {ERROR_OUTOFMEMORY, ENOMEM},
                 {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
                 {ERROR_DIRECTORY, ENOTDIR},
                 {ERROR_BROKEN_PIPE, EPIPE},
                 {ERROR_NO_DATA, EPIPE},
                 {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
                 {ERROR_WRITE_PROTECT, EROFS},
                 {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
                 {ERROR_CALL_NOT_IMPLEMENTED, ENOSYS}};
  DWORD code = GetLastError();
  errno = EIO;
  for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
    if (reasons[i].code == code) errno = reasons[i].reason;
  }
  return -1;
}

/* ---- Streams ---------------------------------------------------------------------------------------------------- */

/* The C library has no mode 'x', and text is what it takes without 'b': open by descriptor. */
FILE *os_fopen(const char *path, const char *mode) {
  int flags = mode[0] == 'r' ? OS_READ : OS_WRITE | OS_CREATE;
  bool exclusive = strchr(mode, 'x') != NULL;
  if (strchr(mode, '+')) flags |= OS_READ | OS_WRITE;
  if (exclusive) flags |= OS_NEW;
  os_status status;
  if (!os_stat(path, &status) && status.kind == OS_FOLDER) {
    errno = flags & OS_WRITE ? EISDIR : EACCES;
    return NULL;
  }
  int file = os_open(path, flags);
  if (file < 0) return NULL;
  char form[4] = {mode[0], 'b', strchr(mode, '+') ? '+' : 0, 0};
  if (mode[0] == 'w' && !exclusive && _isatty(file) == 0) _chsize_s(file, 0);
  if (mode[0] == 'a') _lseeki64(file, 0, SEEK_END);
  FILE *stream = _fdopen(file, form);
  if (!stream) _close(file);
  return stream;
}

FILE *os_fdopen(int file, const char *mode) {
  char form[4] = {mode[0], 'b', strchr(mode, '+') ? '+' : 0, 0};
  return _fdopen(file, form);
}

int64_t os_tell(FILE *file) { return _ftelli64(file); }
int os_seek_stream(FILE *file, int64_t at, int whence) { return _fseeki64(file, at, whence); }

/* A temporary file that the system removes, and that is read back: Windows has no streams into memory. */
FILE *os_stream_open(char **text, size_t *size) {
  char path[OS_PATH_MAX];
  *text = NULL;
  *size = 0;
  FILE *file = os_temporary_file(os_temporary_place(), "sixer-text", path, sizeof path);
  if (!file) return NULL;
  fclose(file);
  wchar_t *wide = os_windows_path(path);
  int descriptor = wide ? _wopen(wide, _O_RDWR | _O_BINARY | _O_NOINHERIT | _O_TEMPORARY) : -1;
  free(wide);
  return descriptor < 0 ? NULL : _fdopen(descriptor, "w+b");
}

bool os_stream_flush(FILE *stream, char **text, size_t *size) {
  if (fflush(stream) || ferror(stream)) return false;
  int64_t end = _ftelli64(stream);
  char *bytes = end < 0 ? NULL : realloc(*text, (size_t)end + 1);
  if (!bytes) return false;
  *text = bytes;
  rewind(stream);
  *size = fread(bytes, 1, (size_t)end, stream);
  bytes[*size] = 0;
  _fseeki64(stream, end, SEEK_SET);
  return *size == (size_t)end;
}

bool os_stream_close(FILE *stream, char **text, size_t *size) {
  bool ok = os_stream_flush(stream, text, size);
  return fclose(stream) == 0 && ok;
}

ptrdiff_t os_getline(char **line, size_t *room, FILE *file) {
  size_t used = 0;
  for (int c; (c = getc(file)) != EOF;) {
    if (used + 2 > *room) {
      size_t wanted = *room ? 2 * *room : 128;
      char *larger = realloc(*line, wanted);
      if (!larger) return -1;
      *line = larger;
      *room = wanted;
    }
    (*line)[used++] = (char)c;
    if (c == '\n') break;
  }
  if (!used) return -1;
  (*line)[used] = 0;
  return (ptrdiff_t)used;
}

/* ---- Descriptors ------------------------------------------------------------------------------------------------ */

/* By CreateFileW(), so that others may rename and remove what is open, as on Unix. */
int os_open(const char *path, int flags) {
  wchar_t *wide = os_windows_path(path);
  if (!wide) return -1;
  DWORD access = (flags & OS_WRITE ? GENERIC_WRITE : 0) |
                 (flags & OS_READ || !(flags & OS_WRITE) ? GENERIC_READ : 0);
  DWORD how = flags & OS_NEW ? CREATE_NEW : flags & OS_CREATE ? OPEN_ALWAYS : OPEN_EXISTING;
  HANDLE handle = CreateFileW(wide, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                              NULL, how, FILE_ATTRIBUTE_NORMAL, NULL);
  free(wide);
  if (handle == INVALID_HANDLE_VALUE) return os_windows_fail();
  int file = _open_osfhandle((intptr_t)handle,
                             _O_BINARY | _O_NOINHERIT | (flags & OS_WRITE ? _O_RDWR : _O_RDONLY));
  if (file < 0) CloseHandle(handle);
  return file;
}

int os_open_nothing(bool writing) { return os_open("NUL", writing ? OS_WRITE : OS_READ); }

int os_close(int file) {
  return file >= OS_WINDOWS_SOCKETS ? os_windows_close_socket(file) : _close(file);
}

static unsigned part(size_t size) { return size < 1u << 30 ? (unsigned)size : 1u << 30; }

ptrdiff_t os_read(int file, void *bytes, size_t size) {
  if (file >= OS_WINDOWS_SOCKETS) return os_windows_receive(file, bytes, size);
  return _read(file, bytes, part(size));
}

ptrdiff_t os_write(int file, const void *bytes, size_t size) {
  if (file >= OS_WINDOWS_SOCKETS) return os_windows_send(file, bytes, size);
  return _write(file, bytes, part(size));
}

ptrdiff_t os_read_at(int file, void *bytes, size_t size, uint64_t at) {
  DWORD done = 0;
  OVERLAPPED place = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
  if (!ReadFile((HANDLE)_get_osfhandle(file), bytes, part(size), &done, &place) &&
      GetLastError() != ERROR_HANDLE_EOF)
    return os_windows_fail();
  return (ptrdiff_t)done;
}

ptrdiff_t os_write_at(int file, const void *bytes, size_t size, uint64_t at) {
  int64_t before = _telli64(file); /* unlike pwrite(), WriteFile() moves the position */
  DWORD done = 0;
  OVERLAPPED place = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
  bool ok = WriteFile((HANDLE)_get_osfhandle(file), bytes, part(size), &done, &place);
  int result = ok ? 0 : os_windows_fail();
  if (before >= 0) _lseeki64(file, before, SEEK_SET);
  return result ? -1 : (ptrdiff_t)done;
}

int os_seek(int file, int64_t at) { return _lseeki64(file, at, SEEK_SET) < 0 ? -1 : 0; }
int os_truncate(int file, int64_t size) { return _chsize_s(file, size) ? -1 : 0; }
int os_sync(int file) { return _commit(file); }
int os_dup(int file) { return _dup(file); }
int os_dup2(int file, int number) { return _dup2(file, number); }

/* Locks of Windows keep others from reading; one byte far behind the end of the file serves as the lock. */
int os_lock(int file) {
  OVERLAPPED place = {.Offset = 0, .OffsetHigh = 0x40000000};
  if (LockFileEx((HANDLE)_get_osfhandle(file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY,
                 0, 1, 0, &place))
    return 0;
  errno = GetLastError() == ERROR_LOCK_VIOLATION ? EWOULDBLOCK : EIO;
  return -1;
}

/* ---- Status ----------------------------------------------------------------------------------------------------- */

static int describe(HANDLE handle, os_status *out) {
  BY_HANDLE_FILE_INFORMATION info;
  *out = (os_status){.kind = OS_OTHER, .permissions = 0666};
  if (GetFileType(handle) != FILE_TYPE_DISK) return 0;
  if (!GetFileInformationByHandle(handle, &info)) return os_windows_fail();
  out->kind = info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? OS_FOLDER : OS_FILE;
  out->size = (int64_t)((uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow);
  out->device = info.dwVolumeSerialNumber;
  out->number = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow;
  return 0;
}

int os_stat(const char *path, os_status *out) {
  wchar_t *wide = os_windows_path(path);
  if (!wide) return -1;
  HANDLE handle = CreateFileW(wide, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
  free(wide);
  if (handle == INVALID_HANDLE_VALUE) return os_windows_fail();
  int result = describe(handle, out);
  CloseHandle(handle);
  return result;
}

int os_lstat(const char *path, os_status *out) { return os_stat(path, out); }
int os_fstat(int file, os_status *out) { return describe((HANDLE)_get_osfhandle(file), out); }

int os_set_permissions(int file, unsigned permissions) { /* the folder's are inherited */
  (void)file, (void)permissions;
  return 0;
}

int os_access(const char *path, int what) {
  wchar_t *wide = os_windows_path(path);
  if (!wide) return -1;
  DWORD attributes = GetFileAttributesW(wide);
  free(wide);
  if (attributes == INVALID_FILE_ATTRIBUTES) return os_windows_fail();
  if (!(what & OS_MAY_WRITE) || attributes & FILE_ATTRIBUTE_DIRECTORY ||
      !(attributes & FILE_ATTRIBUTE_READONLY))
    return 0;
  errno = EACCES;
  return -1;
}

bool os_is_device(const char *path) {
  static const char *const names[] = {"/dev/null", "/dev/stdout", "NUL", "CON", "CONOUT$"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (!_stricmp(path, names[i])) return true;
  }
  return !strncmp(path, "\\\\.\\", 4);
}

/* ---- Changing names --------------------------------------------------------------------------------------------- */

int os_mkdir(const char *path) {
  wchar_t *wide = os_windows_path(path);
  if (!wide) return -1;
  int result = CreateDirectoryW(wide, NULL) ? 0 : os_windows_fail();
  DWORD attributes = result ? GetFileAttributesW(wide) : 0;
  free(wide);
  /* of a drive such as C: it says that access is denied */
  if (result && attributes != INVALID_FILE_ATTRIBUTES) errno = EEXIST;
  return result;
}

int os_rmdir(const char *path) {
  wchar_t *wide = os_windows_path(path);
  int result = wide && RemoveDirectoryW(wide) ? 0 : os_windows_fail();
  free(wide);
  return result;
}

int os_unlink(const char *path) {
  wchar_t *wide = os_windows_path(path);
  int result = wide && DeleteFileW(wide) ? 0 : os_windows_fail();
  free(wide);
  return result;
}

static int move(const char *from, const char *to, DWORD how) {
  wchar_t *wide_from = os_windows_path(from), *wide_to = os_windows_path(to);
  int result = -1;
  /* a virus scanner or an indexer may hold a new file for a moment */
  for (int i = 0; wide_from && wide_to && result && i < 20; i++) {
    if (i) Sleep(10);
    result = MoveFileExW(wide_from, wide_to, how) ? 0 : os_windows_fail();
    if (result && GetLastError() != ERROR_SHARING_VIOLATION &&
        GetLastError() != ERROR_ACCESS_DENIED)
      break;
  }
  free(wide_from);
  free(wide_to);
  return result;
}

int os_rename(const char *from, const char *to) {
  return move(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
}

int os_rename_new(const char *from, const char *to) {
  return move(from, to, MOVEFILE_WRITE_THROUGH);
}

void os_sync_folder(const char *path) { (void)path; } /* MOVEFILE_WRITE_THROUGH has done it */

char *os_realpath(const char *path, char out[OS_PATH_MAX]) {
  wchar_t *wide = os_windows_path(path), full[OS_PATH_MAX];
  DWORD size = wide ? GetFullPathNameW(wide, OS_PATH_MAX, full, NULL) : 0;
  bool there = size && size < OS_PATH_MAX && GetFileAttributesW(full) != INVALID_FILE_ATTRIBUTES;
  if (!there) os_windows_fail();
  free(wide);
  char *text = there ? os_windows_utf8(full) : NULL;
  if (text && strlen(text) < OS_PATH_MAX) {
    strcpy(out, text);
    for (char *c = out; *c; c++) {
      if (*c == '\\') *c = '/';
    }
  } else {
    there = false;
  }
  free(text);
  return there ? out : NULL;
}

ptrdiff_t os_readlink(const char *path, char *out, size_t size) {
  (void)path, (void)out, (void)size;
  errno = EINVAL;
  return -1;
}

bool os_is_separator(char c) { return c == '/' || c == '\\'; }

const char *os_last_separator(const char *path) {
  const char *last = NULL;
  for (; *path; path++) {
    if (os_is_separator(*path)) last = path;
  }
  return last;
}

bool os_is_absolute(const char *path) {
  return os_is_separator(path[0]) || (path[0] && path[1] == ':');
}

/* ---- Text ------------------------------------------------------------------------------------------------------- */

char *os_strndup(const char *text, size_t size) {
  size_t length = strnlen(text, size);
  char *copy = malloc(length + 1);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

char *os_strsep(char **text, const char *separators) {
  char *start = *text;
  if (!start) return NULL;
  char *end = start + strcspn(start, separators);
  *text = *end ? end + 1 : NULL;
  *end = 0;
  return start;
}

void os_forget(void *secret, size_t size) { SecureZeroMemory(secret, size); }
#endif
