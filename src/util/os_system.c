/* Environment, time and identity on Linux and macOS: see os.h. */
#if !defined(_WIN32)
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#if !defined(__APPLE__)
#include <sys/random.h>
#endif
#if defined(__APPLE__)
#include <mach-o/dyld.h>
#include <sys/sysctl.h>
#endif

#include "util/os.h"

/* ---- Environment ------------------------------------------------------------------------------------------------ */

const char *os_getenv(const char *name) { return getenv(name); }
int os_setenv(const char *name, const char *value, bool overwrite) {
  return setenv(name, value, overwrite);
}
void os_unsetenv(const char *name) { unsetenv(name); }

static bool user_folder(const char *variable, const char *in_home, char *out, size_t size) {
  const char *set = getenv(variable), *home = getenv("HOME");
  if (set && *set) return snprintf(out, size, "%s", set) < (int)size;
  return home && *home && snprintf(out, size, "%s/%s", home, in_home) < (int)size;
}

bool os_data_folder(char *out, size_t size) {
  return user_folder("XDG_DATA_HOME", ".local/share", out, size);
}

bool os_settings_folder(char *out, size_t size) {
  return user_folder("XDG_CONFIG_HOME", ".config", out, size);
}

const char os_path_separator = ':';
const char *const os_program_suffix = "";
const char *const os_python_name = "python3";
const char *const os_python_folder = "bin";
/* of virtual environments, and Debian's own */
static const char *const places[] = {"%s/lib/python3*/site-packages",
                                     "%s/lib/python3*/dist-packages",
                                     "%s/local/lib/python3*/dist-packages", NULL};
const char *const *os_package_places = places;

/* ---- Time ------------------------------------------------------------------------------------------------------- */

static double clock_seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double os_seconds(void) { return clock_seconds(CLOCK_MONOTONIC); }
double os_thread_seconds(void) { return clock_seconds(CLOCK_THREAD_CPUTIME_ID); }
double os_wall_seconds(void) { return clock_seconds(CLOCK_REALTIME); }

void os_pause(double seconds) {
  struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&pause, NULL);
}

void os_utc(time_t time, struct tm *out) { gmtime_r(&time, out); }

/* ---- Identity --------------------------------------------------------------------------------------------------- */

int64_t os_pid(void) { return getpid(); }

bool os_process_gone(int64_t pid) { return kill((pid_t)pid, 0) != 0 && errno == ESRCH; }

void os_host_name(char *out, size_t size) {
  struct utsname system;
  snprintf(out, size, "%s", uname(&system) ? "" : system.nodename);
}

void os_system_name(char *out, size_t size) {
  struct utsname system;
  if (uname(&system)) memset(&system, 0, sizeof system);
  snprintf(out, size, "%.20s %.20s", system.sysname, system.machine);
}

#if defined(__APPLE__)

int64_t os_process_start(int64_t pid) {
  struct kinfo_proc info;
  size_t size = sizeof info;
  int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, (int)pid};
  if (sysctl(name, 4, &info, &size, NULL, 0) || !size) return 0;
  return (int64_t)info.kp_proc.p_starttime.tv_sec * 1000000 + info.kp_proc.p_starttime.tv_usec;
}

uint64_t os_process_space(void) { return 0; }

static void named(const char *name, char *out, size_t size) {
  if (sysctlbyname(name, out, &size, NULL, 0)) out[0] = 0;
}

void os_boot_name(char *out, size_t size) { named("kern.bootsessionuuid", out, size); }
void os_processor_name(char *out, size_t size) { named("machdep.cpu.brand_string", out, size); }

bool os_program_path(char *out, size_t size) {
  uint32_t room = (uint32_t)size;
  return _NSGetExecutablePath(out, &room) == 0;
}

bool os_random(void *bytes, size_t size, bool wait) {
  (void)wait;
  arc4random_buf(bytes, size);
  return true;
}

#else

/* Clock ticks since boot: field 22 of /proc/PID/stat. */
int64_t os_process_start(int64_t pid) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = 0;
  char *at = strrchr(text, ')'); /* the name before it may hold anything */
  for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
  return at ? strtoll(at, NULL, 10) : 0;
}

uint64_t os_process_space(void) {
  struct stat space;
  return stat("/proc/self/ns/pid", &space) ? 0 : (uint64_t)space.st_ino;
}

void os_boot_name(char *out, size_t size) {
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
  if (!file || !fgets(out, (int)size, file)) out[0] = 0;
  if (file) fclose(file);
  out[strcspn(out, "\n")] = 0;
}

void os_processor_name(char *out, size_t size) {
  char line[200];
  FILE *file = fopen("/proc/cpuinfo", "r");
  out[0] = 0;
  while (file && !out[0] && fgets(line, sizeof line, file)) {
    const char *colon = strncmp(line, "model name", 10) ? NULL : strchr(line, ':');
    if (colon) snprintf(out, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
  }
  if (file) fclose(file);
}

bool os_program_path(char *out, size_t size) {
  ssize_t length = readlink("/proc/self/exe", out, size - 1);
  if (length <= 0) return false;
  out[length] = 0;
  return true;
}

bool os_random(void *bytes, size_t size, bool wait) {
  return getrandom(bytes, size, wait ? 0 : GRND_NONBLOCK) == (ssize_t)size;
}

#endif

/* ---- The program ------------------------------------------------------------------------------------------------ */

void os_program_begin(int *argc, char ***argv) {
  (void)argc, (void)argv;
  /* reading what is opened here gives nothing, and writing fails */
  for (int descriptor = 0; descriptor <= 2; descriptor++) {
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      open("/dev/null", descriptor ? O_RDONLY : O_WRONLY);
  }
}

bool os_reader_gone(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}
#endif
