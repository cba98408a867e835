/* The operating system as the rest of sixer sees it: files, folders, the environment, time, and who we are.
 *
 * Nothing outside src/util/os* asks which platform it runs on (tests/project/test_platform_strays.py). os_*.c has the
 * functions for Linux and macOS, os_windows_*.c those for Windows. Beside this header: os_cpu.h, os_memory.h,
 * os_process.h, os_socket.h and os_terminal.h.
 *
 * Paths are UTF-8 on every platform and may be longer than 260 bytes on Windows; '/' separates folders, and Windows
 * also takes '\'. Files are never changed on the way: there is no text mode. What fails leaves its reason in errno and
 * returns -1, false or NULL, as the functions of C do. */
#ifndef SIXER_UTIL_OS_H
#define SIXER_UTIL_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <strings.h>
#include <time.h>

/* Checks of arguments against a format, by the rules of C99 also where the system has others of its own. */
#if defined(__MINGW32__) && !defined(__clang__)
#define OS_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define OS_PRINTF(text, first) __attribute__((format(printf, text, first)))
#endif

enum {
  OS_PATH_MAX = 4096, /* bytes of a path, the zero at its end included */
  OS_STDIN = 0,
  OS_STDOUT = 1,
  OS_STDERR = 2
};

/* ---- Files ------------------------------------------------------------------------------------------------------ */

/* As fopen(); `mode` may contain 'x' (it must be new). Children do not inherit the file. */
FILE *os_fopen(const char *path, const char *mode);
FILE *os_fdopen(int file, const char *mode);

typedef enum os_open_flags {
  OS_READ = 1,
  OS_WRITE = 2,
  OS_CREATE = 4,
  OS_NEW = 8,      /* with OS_CREATE: fails with EEXIST if there is one */
  OS_PRIVATE = 16, /* with OS_CREATE: for this user only */
  OS_NO_WAIT = 32  /* do not wait for the other side of a FIFO */
} os_open_flags;

/* A descriptor. Those of os_socket.h are read, written and closed by the same functions. */
int os_open(const char *path, int flags);
int os_open_nothing(bool writing); /* what reads as empty and takes everything */
int os_close(int file);
ptrdiff_t os_read(int file, void *bytes, size_t size);
ptrdiff_t os_write(int file, const void *bytes, size_t size);
ptrdiff_t os_read_at(int file, void *bytes, size_t size, uint64_t at);
ptrdiff_t os_write_at(int file, const void *bytes, size_t size, uint64_t at);
int os_seek(int file, int64_t at);
int os_truncate(int file, int64_t size);
int os_sync(int file); /* until it is on the disk */
int os_dup(int file);
int os_dup2(int file, int number);

/* Lock a file for this process; fails with EWOULDBLOCK if another one has it. Closing it ends the lock. */
int os_lock(int file);

/* Positions in large files. */
int64_t os_tell(FILE *file);
int os_seek_stream(FILE *file, int64_t at, int whence);

/* A stream into memory. After os_stream_flush(), *text has what was written up to the position of the stream, *size is
 * its length, and a zero follows. os_stream_close() does the same and closes it; the text is freed by free(). */
FILE *os_stream_open(char **text, size_t *size);
bool os_stream_flush(FILE *stream, char **text, size_t *size);
bool os_stream_close(FILE *stream, char **text, size_t *size);

/* As getline() of POSIX: a line of any length, its end included; the length, or -1. */
ptrdiff_t os_getline(char **line, size_t *room, FILE *file);

/* ---- Names of files --------------------------------------------------------------------------------------------- */

typedef enum os_kind { OS_FILE, OS_FOLDER, OS_SOCKET, OS_LINK, OS_OTHER } os_kind;
typedef struct os_status {
  os_kind kind;
  int64_t size;
  uint64_t device, number; /* together, which file it is */
  unsigned permissions;    /* as on Unix */
} os_status;

int os_stat(const char *path, os_status *out);  /* 0, or -1 */
int os_lstat(const char *path, os_status *out); /* of a link itself */
int os_fstat(int file, os_status *out);
int os_set_permissions(int file, unsigned permissions);

enum { OS_EXISTS = 0, OS_MAY_READ = 1, OS_MAY_WRITE = 2, OS_MAY_RUN = 4 };
int os_access(const char *path, int what); /* 0, or -1 */

int os_mkdir(const char *path);
int os_rmdir(const char *path);
int os_unlink(const char *path);
int os_rename(const char *from, const char *to);     /* replaces a file `to` at once */
int os_rename_new(const char *from, const char *to); /* fails with EEXIST if there is a `to` */
void os_sync_folder(const char *path);               /* the names in it, where that can be done */
char *os_realpath(const char *path, char out[OS_PATH_MAX]);

/* Where a symbolic link leads; -1: it is none. */
ptrdiff_t os_readlink(const char *path, char *out, size_t size);

/* The last separator of a path, or NULL; is it one; and does a path start at the root? */
const char *os_last_separator(const char *path);
bool os_is_separator(char c);
bool os_is_absolute(const char *path);

/* Is the path written to directly, since it is a device and no file? */
bool os_is_device(const char *path);

/* ---- Folders ---------------------------------------------------------------------------------------------------- */

typedef struct os_folder os_folder;
os_folder *os_folder_open(const char *path);
const char *os_folder_next(
    os_folder *f); /* the next name, in no order; valid until the next call; NULL: no more */
void os_folder_close(os_folder *f); /* NULL is allowed */

typedef struct os_names {
  char **at;
  size_t count;
} os_names;

/* The names in a folder that `wanted` accepts, sorted by their bytes. */
bool os_folder_names(const char *path, bool (*wanted)(const char *name), os_names *out);

/* The paths that a pattern with *, ? and [...] fits, sorted. True with none if nothing fits. */
bool os_glob(const char *pattern, os_names *out);
void os_names_free(os_names *names);

/* The folder for temporary files, and things in it: `path` gets the name. os_temporary_file() returns a stream that is
 * open for writing. */
const char *os_temporary_place(void);
bool os_temporary_folder(const char *prefix, char *path, size_t size);
FILE *os_temporary_file(const char *place, const char *prefix, char *path, size_t size);

/* ---- Text that some C libraries lack ---------------------------------------------------------------------------- */

char *os_strndup(const char *text, size_t size);
char *os_strsep(char **text, const char *separators);
void os_forget(void *secret, size_t size); /* zeros that no compiler leaves out */

/* ---- Environment ------------------------------------------------------------------------------------------------ */

const char *os_getenv(const char *name); /* NULL: not set */
int os_setenv(const char *name, const char *value, bool overwrite);
void os_unsetenv(const char *name);

/* The user's folder for data: $XDG_DATA_HOME, ~/.local/share, or what the platform has. False: there is none. The same
 * for settings. */
bool os_data_folder(char *out, size_t size);
bool os_settings_folder(char *out, size_t size);

/* What separates the folders of $PATH; how programs and the folders of Python's packages are called. */
extern const char os_path_separator;
extern const char *const os_program_suffix; /* "" or ".exe" */
extern const char *const os_python_name;    /* "python3", or "python" */
extern const char *const os_python_folder;  /* of a virtual environment: "bin" or "Scripts" */
extern const char *const
    *os_package_places; /* patterns of %s, the prefix, for installed packages; NULL at the end */

/* Find a program in $PATH. `folder`, if not NULL, gets the folder as it is named there. */
bool os_find_program(const char *name, char *folder, size_t size);

/* ---- Time ------------------------------------------------------------------------------------------------------- */

double os_seconds(void);        /* a clock that never goes back, for durations */
double os_thread_seconds(void); /* processor time of this thread */
double os_wall_seconds(void);   /* since 1970 */
void os_pause(double seconds);
void os_utc(time_t time, struct tm *out);

/* ---- Who we are ------------------------------------------------------------------------------------------------- */

int64_t os_pid(void);
int64_t os_process_start(
    int64_t pid); /* when it began, in any unit; 0: there is none, or it is not known */
bool os_process_gone(int64_t pid); /* there is certainly no such process */
uint64_t os_process_space(
    void); /* processes count from 1 in each container: which this one is; or 0 */
void os_host_name(char *out, size_t size);
void os_boot_name(char *out,
                  size_t size); /* different after each start of the machine; may be empty */
void os_system_name(char *out, size_t size);    /* such as "Linux x86_64" */
void os_processor_name(char *out, size_t size); /* may be empty */
bool os_program_path(char *out, size_t size);   /* of this program's file */

/* Bytes that nobody can guess. Waits for them if `wait`. */
bool os_random(void *bytes, size_t size, bool wait);

/* ---- The program ------------------------------------------------------------------------------------------------ */

/* First in main(): standard streams that are closed are filled with something harmless, so that no file gets their
 * numbers; on Windows arguments become UTF-8 and the streams binary. */
void os_program_begin(int *argc, char ***argv);

/* Has the reader of stdout closed it, as `head` does? */
bool os_reader_gone(void);

#endif
