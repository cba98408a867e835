/* Processes and signals of Windows: see os_process.h. The number of a child is its handle. */
#if defined(_WIN32)
#include "util/os_process.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/os.h"
#include "util/os_windows.h"

/* ---- Starting --------------------------------------------------------------------------------------------------- */

/* An argument as the C library of the child will read it again: in quotes, with \" for quotes, and backslashes doubled
 * where a quote follows them. Returns where to write next. */
static char *quote(char *out, const char *argument) {
  *out++ = '"';
  for (const char *at = argument;; at++) {
    size_t slashes = strspn(at, "\\");
    at += slashes;
    for (size_t i = 0; i < slashes * (*at == '"' || !*at ? 2 : 1); i++) *out++ = '\\';
    if (!*at) break;
    if (*at == '"') *out++ = '\\';
    *out++ = *at;
  }
  *out++ = '"';
  *out++ = ' ';
  return out;
}

static wchar_t *command_line(char *const argv[]) {
  size_t size = 1;
  for (int i = 0; argv[i]; i++) size += 2 * strlen(argv[i]) + 3;
  char *text = malloc(size), *out = text;
  if (!text) return NULL;
  for (int i = 0; argv[i]; i++) out = quote(out, argv[i]);
  *out = 0;
  wchar_t *wide = os_windows_wide(text);
  free(text);
  return wide;
}

/* The file of a program: as named, or found in $PATH, with .exe if that is missing. */
static wchar_t *program_file(const char *program) {
  wchar_t *name = os_windows_wide(program), *found = malloc(OS_PATH_MAX * sizeof *found);
  DWORD size = name && found ? SearchPathW(NULL, name, L".exe", OS_PATH_MAX, found, NULL) : 0;
  free(name);
  if (size && size < OS_PATH_MAX) return found;
  free(found);
  errno = ENOENT;
  return NULL;
}

/* A handle that the child inherits; NULL: none. */
static HANDLE inherited(int file, DWORD same, bool writing) {
  HANDLE from = INVALID_HANDLE_VALUE, copy = NULL;
  int nothing = file == OS_NOTHING ? os_open_nothing(writing) : -1;
  if (file == OS_SAME)
    from = GetStdHandle(same);
  else
    from = (HANDLE)_get_osfhandle(nothing >= 0 ? nothing : file);
  if (from && from != INVALID_HANDLE_VALUE)
    DuplicateHandle(GetCurrentProcess(), from, GetCurrentProcess(), &copy, 0, TRUE,
                    DUPLICATE_SAME_ACCESS);
  if (nothing >= 0) os_close(nothing);
  return copy;
}

/* Children in this job end when the last handle of it is closed, which is when this process ends. */
static HANDLE common_job(void) {
  static HANDLE job;
  HANDLE made = NULL;
  if (!__atomic_load_n(&job, __ATOMIC_ACQUIRE)) {
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    made = CreateJobObjectW(NULL, NULL);
    if (made)
      SetInformationJobObject(made, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    HANDLE none = NULL;
    if (!__atomic_compare_exchange_n(&job, &none, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      CloseHandle(made);
  }
  return __atomic_load_n(&job, __ATOMIC_ACQUIRE);
}

int64_t os_spawn(const char *program, char *const argv[], const os_spawn_settings *s) {
  wchar_t *file = program_file(program), *line = file ? command_line(argv) : NULL;
  STARTUPINFOW start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
  PROCESS_INFORMATION made = {0};
  if (!line) {
    free(file);
    return -1;
  }
  start.hStdInput = inherited(s->input, STD_INPUT_HANDLE, false);
  start.hStdOutput = inherited(s->output, STD_OUTPUT_HANDLE, true);
  start.hStdError = inherited(s->errors, STD_ERROR_HANDLE, true);
  bool ok = CreateProcessW(file, line, NULL, NULL, TRUE,
                           s->own_group ? CREATE_NEW_PROCESS_GROUP : 0, NULL, NULL, &start, &made);
  if (!ok) os_windows_fail();
  int reason = errno;
  if (start.hStdInput) CloseHandle(start.hStdInput);
  if (start.hStdOutput) CloseHandle(start.hStdOutput);
  if (start.hStdError) CloseHandle(start.hStdError);
  free(line);
  free(file);
  errno = reason;
  if (!ok) return -1;
  if (s->ends_with_us) AssignProcessToJobObject(common_job(), made.hProcess);
  CloseHandle(made.hThread);
  return (int64_t)(intptr_t)made.hProcess;
}

int os_wait(int64_t child, bool block, int *status) {
  HANDLE process = (HANDLE)(intptr_t)child;
  DWORD code = 0, found = WaitForSingleObject(process, block ? INFINITE : 0);
  if (found == WAIT_TIMEOUT) return 0;
  bool known = found == WAIT_OBJECT_0 && GetExitCodeProcess(process, &code);
  if (status) *status = known && code < 256 ? (int)code : -1;
  CloseHandle(process);
  return known ? 1 : -1;
}

/* There is no polite way that every program understands. */
void os_end(int64_t child, bool at_once) {
  (void)at_once;
  TerminateProcess((HANDLE)(intptr_t)child, 1000);
}

void os_become(char *const argv[]) {
  const os_spawn_settings same = {.input = OS_SAME, .output = OS_SAME, .errors = OS_SAME};
  int status = 0;
  int64_t child = os_spawn(argv[0], argv, &same);
  if (child < 0) return;
  os_wait(child, true, &status);
  exit(status);
}

/* ---- Talking ---------------------------------------------------------------------------------------------------- */

int os_pipe(int ends[2]) { return _pipe(ends, 1 << 16, _O_BINARY | _O_NOINHERIT); }

bool os_talk_begin(char *const argv[], bool errors, bool own_group, os_talk *out) {
  int to[2] = {-1, -1}, from[2] = {-1, -1}, said[2] = {-1, -1};
  *out = (os_talk){.child = -1, .to = -1, .from = -1, .errors = -1};
  if (!os_pipe(to) && !os_pipe(from) && (!errors || !os_pipe(said))) {
    os_spawn_settings s = {.input = to[0],
                           .output = from[1],
                           .errors = errors ? said[1] : OS_SAME,
                           .own_group = own_group};
    out->child = os_spawn(argv[0], argv, &s);
  }
  int reason = errno;
  const int theirs[] = {to[0], from[1], said[1]}, ours[] = {to[1], from[0], said[0]};
  for (int i = 0; i < 3; i++) {
    if (theirs[i] >= 0) _close(theirs[i]);
    if (out->child < 0 && ours[i] >= 0) _close(ours[i]);
  }
  errno = reason;
  if (out->child < 0) return false;
  out->to = to[1];
  out->from = from[0];
  out->errors = said[0];
  return true;
}

ptrdiff_t os_talk_write(const os_talk *t, const void *bytes, size_t size) {
  return os_write(t->to, bytes, size);
}

void os_talk_close(os_talk *t) {
  if (t->to >= 0) _close(t->to);
  if (t->from >= 0) _close(t->from);
  t->to = t->from = -1;
}

bool os_first_line(char *const argv[], char *out, size_t size) {
  int ends[2];
  out[0] = 0;
  if (os_pipe(ends)) return false;
  os_spawn_settings s = {.input = OS_NOTHING, .output = ends[1], .errors = OS_NOTHING};
  int64_t child = os_spawn(argv[0], argv, &s);
  _close(ends[1]);
  FILE *file = child < 0 ? NULL : _fdopen(ends[0], "rb");
  if (!file || !fgets(out, (int)size, file)) out[0] = 0;
  if (file)
    fclose(file);
  else
    _close(ends[0]);
  if (child >= 0) os_wait(child, true, NULL);
  out[strcspn(out, "\r\n")] = 0;
  return out[0] != 0;
}

/* Can this one be read, or has it ended? Pipes have nothing that could be waited for. */
static bool is_ready(int file) {
  DWORD there = 0;
  bool ended;
  if (file >= OS_WINDOWS_SOCKETS) return os_windows_socket_ready(file, &ended);
  if (file == OS_STDIN && _isatty(file)) return os_windows_console_ready();
  HANDLE handle = (HANDLE)_get_osfhandle(file);
  if (GetFileType(handle) != FILE_TYPE_PIPE) return true;
  return !PeekNamedPipe(handle, NULL, 0, NULL, &there, NULL) || there > 0;
}

int os_wait_readable(const int *files, int count, int milliseconds, bool *ready) {
  double end = os_seconds() + milliseconds / 1000.0;
  for (int turn = 0;; turn++) {
    int found = 0;
    for (int i = 0; i < count; i++) found += ready[i] = files[i] >= 0 && is_ready(files[i]);
    if (found || os_seconds() >= end) return found;
    /* an answer often comes within microseconds; after that, do not take the processor from who works on it */
    if (turn < 2000)
      SwitchToThread();
    else
      Sleep(1);
  }
}

/* ---- Processor time --------------------------------------------------------------------------------------------- */

double os_child_seconds(int64_t child) {
  FILETIME created, ended, kernel, user;
  if (!GetProcessTimes((HANDLE)(intptr_t)child, &created, &ended, &kernel, &user)) return -1;
  return 1e-7 * (double)(((uint64_t)kernel.dwHighDateTime << 32 | kernel.dwLowDateTime) +
                         ((uint64_t)user.dwHighDateTime << 32 | user.dwLowDateTime));
}

double os_process_seconds(void) { return os_child_seconds((intptr_t)GetCurrentProcess()); }

/* ---- Signals ---------------------------------------------------------------------------------------------------- */

/* The C library calls the handler once, in a thread of its own, and then has the default again. */
void os_on_interrupt(os_handler *handler) {
  signal(SIGINT, handler);
  signal(SIGTERM, handler);
  signal(SIGBREAK, handler);
}

static const int taken[] = {SIGTERM, SIGBREAK, SIGINT};

void os_handlers_set(os_handler *handler, os_handlers *before) {
  for (int i = 0; i < 3; i++) before->saved[i] = (void *)signal(taken[i], handler);
}

void os_handlers_restore(const os_handlers *before) {
  for (int i = 0; i < 3; i++) signal(taken[i], (os_handler *)before->saved[i]);
}

void os_ignore_broken_pipes(void) {} /* they are errors always */
void os_ignore_file_limit(void) {}
void os_suspend(void) {}
#endif
