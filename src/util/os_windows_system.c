/* Environment, time, identity and the program on Windows: see os.h. */
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <ntsecapi.h> /* RtlGenRandom */

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <pthread.h>
#include <shellapi.h>
#include <stdlib.h>
#include <string.h>

#include "util/os.h"
#include "util/os_cpu.h"
#include "util/os_windows.h"

/* ---- Environment ------------------------------------------------------------------------------------------------ */

/* What os_getenv() has returned: callers may keep it. There is one entry for each variable and value. */
typedef struct kept {
  struct kept *next;
  char text[];
} kept;

static const char *keep(const char *text) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static kept *all;
  pthread_mutex_lock(&lock);
  kept *k = all;
  while (k && strcmp(k->text, text)) k = k->next;
  if (!k && (k = malloc(sizeof *k + strlen(text) + 1))) {
    strcpy(k->text, text);
    k->next = all;
    all = k;
  }
  pthread_mutex_unlock(&lock);
  return k ? k->text : NULL;
}

const char *os_getenv(const char *name) {
  wchar_t *wide = os_windows_wide(name);
  DWORD size = wide ? GetEnvironmentVariableW(wide, NULL, 0) : 0;
  wchar_t *value = size ? malloc(size * sizeof *value) : NULL;
  char *text = NULL;
  if (value && GetEnvironmentVariableW(wide, value, size) < size) text = os_windows_utf8(value);
  const char *result = text ? keep(text) : NULL;
  free(text);
  free(value);
  free(wide);
  return result;
}

int os_setenv(const char *name, const char *value, bool overwrite) {
  if (!overwrite && os_getenv(name)) return 0;
  wchar_t *wide = os_windows_wide(name), *text = value ? os_windows_wide(value) : NULL;
  bool ok = wide && (text || !value) && SetEnvironmentVariableW(wide, text);
  free(wide);
  free(text);
  return ok ? 0 : os_windows_fail();
}

void os_unsetenv(const char *name) { os_setenv(name, NULL, true); }

static bool user_folder(const char *variable, const char *system, char *out, size_t size) {
  const char *set = os_getenv(variable), *given = os_getenv(system);
  const char *folder = set && *set ? set : given;
  if (!folder || !*folder || snprintf(out, size, "%s", folder) >= (int)size) return false;
  for (char *c = out; *c; c++) {
    if (*c == '\\') *c = '/';
  }
  return true;
}

bool os_data_folder(char *out, size_t size) {
  return user_folder("XDG_DATA_HOME", "LOCALAPPDATA", out, size);
}

bool os_settings_folder(char *out, size_t size) {
  return user_folder("XDG_CONFIG_HOME", "APPDATA", out, size);
}

const char os_path_separator = ';';
const char *const os_program_suffix = ".exe";
const char *const os_python_name = "python";
const char *const os_python_folder = "Scripts";
static const char *const places[] = {"%s/Lib/site-packages", NULL};
const char *const *os_package_places = places;

/* ---- Time ------------------------------------------------------------------------------------------------------- */

double os_seconds(void) {
  LARGE_INTEGER now, rate;
  QueryPerformanceCounter(&now);
  QueryPerformanceFrequency(&rate);
  return (double)now.QuadPart / (double)rate.QuadPart;
}

static double of_time(FILETIME t) { /* units of 100 ns */
  return 1e-7 * (double)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime);
}

double os_thread_seconds(void) {
  FILETIME created, ended, kernel, user;
  if (!GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user)) return 0;
  return of_time(kernel) + of_time(user);
}

double os_wall_seconds(void) {
  FILETIME now;
  GetSystemTimeAsFileTime(&now);
  return of_time(now) - 11644473600.0; /* it counts from 1601 */
}

void os_pause(double seconds) {
  if (seconds > 0) Sleep((DWORD)(1000 * seconds + 0.5));
}

void os_utc(time_t time, struct tm *out) { gmtime_s(out, &time); }

/* ---- Identity --------------------------------------------------------------------------------------------------- */

int64_t os_pid(void) { return GetCurrentProcessId(); }

int64_t os_process_start(int64_t pid) {
  FILETIME created, ended, kernel, user;
  HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)pid);
  DWORD status = STILL_ACTIVE;
  bool known = process && GetProcessTimes(process, &created, &ended, &kernel, &user) &&
               (!GetExitCodeProcess(process, &status) || status == STILL_ACTIVE);
  if (process) CloseHandle(process);
  return known ? (int64_t)((uint64_t)created.dwHighDateTime << 32 | created.dwLowDateTime) : 0;
}

bool os_process_gone(int64_t pid) {
  HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)pid);
  if (!process) return GetLastError() == ERROR_INVALID_PARAMETER;
  DWORD status = STILL_ACTIVE;
  bool gone = GetExitCodeProcess(process, &status) && status != STILL_ACTIVE;
  CloseHandle(process);
  return gone;
}

uint64_t os_process_space(void) { return 0; }

void os_host_name(char *out, size_t size) {
  wchar_t name[MAX_COMPUTERNAME_LENGTH + 1];
  DWORD count = MAX_COMPUTERNAME_LENGTH + 1;
  char *text = GetComputerNameW(name, &count) ? os_windows_utf8(name) : NULL;
  snprintf(out, size, "%s", text ? text : "");
  free(text);
}

/* The second in which the machine was started. */
void os_boot_name(char *out, size_t size) {
  snprintf(out, size, "%.0f", os_wall_seconds() - (double)GetTickCount64() / 1000);
}

void os_system_name(char *out, size_t size) {
  snprintf(out, size, "Windows %s", OS_X86_64 ? "x86_64" : OS_ARM64 ? "arm64" : "");
}

void os_processor_name(char *out, size_t size) {
  char name[100] = "";
  DWORD count = sizeof name - 1;
  RegGetValueA(HKEY_LOCAL_MACHINE, "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0",
               "ProcessorNameString", RRF_RT_REG_SZ, NULL, name, &count);
  snprintf(out, size, "%s", name + strspn(name, " "));
}

bool os_program_path(char *out, size_t size) {
  wchar_t path[OS_PATH_MAX];
  DWORD count = GetModuleFileNameW(NULL, path, OS_PATH_MAX);
  char *text = count && count < OS_PATH_MAX ? os_windows_utf8(path) : NULL;
  bool ok = text && strlen(text) < size;
  if (ok) strcpy(out, text);
  free(text);
  return ok;
}

bool os_random(void *bytes, size_t size, bool wait) {
  (void)wait;
  return RtlGenRandom(bytes, (ULONG)size);
}

/* ---- The program ------------------------------------------------------------------------------------------------ */

/* Windows takes '/' in paths everywhere, and so do we: a backslash before a character of a name becomes one. Before a
 * blank it stays, where it joins the words of a command. */
static void use_slashes(char *argument) {
  if (strstr(argument, "\\\\?\\") == argument) return;
  for (char *c = argument; *c; c++) {
    if (*c == '\\' && c[1] != ' ' && c[1] != '"') *c = '/';
  }
}

static char **utf8_arguments(int *argc) {
  int count;
  wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
  char **argv = wide ? calloc((size_t)count + 1, sizeof *argv) : NULL;
  for (int i = 0; argv && i < count; i++) {
    argv[i] = os_windows_utf8(wide[i]);
    if (!argv[i]) return NULL;
    use_slashes(argv[i]);
  }
  LocalFree(wide);
  if (argv) *argc = count;
  return argv;
}

static void prepare_console(DWORD which) {
  HANDLE console = GetStdHandle(which);
  DWORD mode;
  if (GetConsoleMode(console, &mode))
    SetConsoleMode(console, mode | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

/* Lives as long as the program. */
void os_program_begin(int *argc, char ***argv) {
  char **arguments = utf8_arguments(argc);
  if (arguments) *argv = arguments;
  _fmode = _O_BINARY;
  for (int descriptor = 0; descriptor <= 2; descriptor++) _setmode(descriptor, _O_BINARY);
  SetConsoleOutputCP(CP_UTF8);
  SetConsoleCP(CP_UTF8);
  prepare_console(STD_OUTPUT_HANDLE);
  prepare_console(STD_ERROR_HANDLE);
}

bool os_reader_gone(void) {
  HANDLE out = (HANDLE)_get_osfhandle(OS_STDOUT);
  DWORD done;
  return GetFileType(out) == FILE_TYPE_PIPE && !WriteFile(out, "", 0, &done, NULL);
}
#endif
