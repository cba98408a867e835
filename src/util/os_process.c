/* Processes and signals of Linux and macOS: see os_process.h. */
#if !defined(_WIN32)
#include "util/os_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include "util/os.h"

extern char **environ;

/* ---- Starting --------------------------------------------------------------------------------------------------- */

static void add_stream(posix_spawn_file_actions_t *actions, int from, int to) {
  if (from == OS_NOTHING)
    posix_spawn_file_actions_addopen(actions, to, "/dev/null", O_RDWR, 0);
  else if (from >= 0)
    posix_spawn_file_actions_adddup2(actions, from, to);
}

static int64_t spawn(const char *program, char *const argv[], const os_spawn_settings *s) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t defaults, none;
  pid_t child = -1;
  if ((errno = posix_spawn_file_actions_init(&actions))) return -1;
  int failed = posix_spawnattr_init(&attributes);
  if (!failed) {
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, (short)(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                  (s->own_group ? POSIX_SPAWN_SETPGROUP : 0)));
    add_stream(&actions, s->input, 0);
    add_stream(&actions, s->output, 1);
    add_stream(&actions, s->errors, 2);
    failed = posix_spawnp(&child, program, &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  errno = failed;
  return failed ? -1 : child;
}

static void replace_stream(int from, int to) {
  int file = from == OS_NOTHING ? open("/dev/null", O_RDWR | O_CLOEXEC) : from;
  if (file >= 0) dup2(file, to);
}

/* Only the child itself can ask to end with its parent, so this one is forked. */
static int64_t fork_child(const char *program, char *const argv[], const os_spawn_settings *s) {
  pid_t parent = getpid(), child = fork();
  if (child) return child;
#if defined(__linux__)
  prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
  if (getppid() != parent) _exit(1);
  if (s->own_group) setpgid(0, 0);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  replace_stream(s->input, STDIN_FILENO);
  replace_stream(s->output, STDOUT_FILENO);
  replace_stream(s->errors, STDERR_FILENO);
  execvp(program, argv);
  _exit(127);
}

int64_t os_spawn(const char *program, char *const argv[], const os_spawn_settings *s) {
  return s->ends_with_us ? fork_child(program, argv, s) : spawn(program, argv, s);
}

int os_wait(int64_t child, bool block, int *status) {
  int how = 0;
  pid_t ended;
  do ended = waitpid((pid_t)child, &how, block ? 0 : WNOHANG);
  while (ended < 0 && errno == EINTR);
  if (ended == 0) return 0;
  if (status) *status = ended > 0 && WIFEXITED(how) ? WEXITSTATUS(how) : -1;
  return ended > 0 ? 1 : -1;
}

void os_end(int64_t child, bool at_once) { kill((pid_t)child, at_once ? SIGKILL : SIGTERM); }

void os_become(char *const argv[]) { execvp(argv[0], argv); }

/* ---- Talking ---------------------------------------------------------------------------------------------------- */

static void close_both(int ends[2]) {
  int reason = errno;
  for (int i = 0; i < 2; i++) {
    if (ends[i] >= 0) close(ends[i]);
  }
  errno = reason;
}

#if !defined(__linux__)
static int keep_from_children(int ends[2]) {
  return fcntl(ends[0], F_SETFD, FD_CLOEXEC) || fcntl(ends[1], F_SETFD, FD_CLOEXEC) ? -1 : 0;
}
#endif

int os_pipe(int ends[2]) {
#if defined(__linux__)
  return pipe2(ends, O_CLOEXEC);
#else
  return pipe(ends) || keep_from_children(ends) ? -1 : 0;
#endif
}

static int make_pair(int pair[2]) {
#if defined(__linux__)
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
#else
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || keep_from_children(pair)) return -1;
  int yes = 1;
  return setsockopt(pair[0], SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#endif
}

bool os_talk_begin(char *const argv[], bool errors, bool own_group, os_talk *out) {
  int pair[2] = {-1, -1}, said[2] = {-1, -1};
  *out = (os_talk){.child = -1, .to = -1, .from = -1, .errors = -1};
  if (!make_pair(pair) && (!errors || (!os_pipe(said) && !fcntl(said[0], F_SETFL, O_NONBLOCK)))) {
    os_spawn_settings s = {.input = pair[1],
                           .output = pair[1],
                           .errors = errors ? said[1] : OS_SAME,
                           .own_group = own_group};
    out->child = os_spawn(argv[0], argv, &s);
  }
  if (out->child < 0) {
    close_both(pair);
    close_both(said);
    return false;
  }
  close(pair[1]);
  if (errors) close(said[1]);
  out->to = out->from = pair[0];
  out->errors = said[0];
  return true;
}

/* A socket can be told not to end the program by a signal. */
ptrdiff_t os_talk_write(const os_talk *t, const void *bytes, size_t size) {
#if defined(MSG_NOSIGNAL)
  return send(t->to, bytes, size, MSG_NOSIGNAL);
#else
  return send(t->to, bytes, size, 0); /* make_pair() has set SO_NOSIGPIPE */
#endif
}

void os_talk_close(os_talk *t) {
  if (t->to >= 0) close(t->to);
  t->to = t->from = -1;
}

bool os_first_line(char *const argv[], char *out, size_t size) {
  int ends[2];
  out[0] = 0;
  if (os_pipe(ends)) return false;
  os_spawn_settings s = {.input = OS_NOTHING, .output = ends[1], .errors = OS_NOTHING};
  int64_t child = os_spawn(argv[0], argv, &s);
  close(ends[1]);
  FILE *file = child < 0 ? NULL : fdopen(ends[0], "r");
  if (!file || !fgets(out, (int)size, file)) out[0] = 0;
  if (file)
    fclose(file);
  else
    close(ends[0]);
  if (child >= 0) os_wait(child, true, NULL);
  out[strcspn(out, "\n")] = 0;
  return out[0] != 0;
}

int os_wait_readable(const int *files, int count, int milliseconds, bool *ready) {
  enum { MOST = 8 };
  struct pollfd wait[MOST];
  if (count > MOST) count = MOST;
  for (int i = 0; i < count; i++) wait[i] = (struct pollfd){.fd = files[i], .events = POLLIN};
  int found = poll(wait, (nfds_t)count, milliseconds);
  for (int i = 0; i < count; i++) ready[i] = found > 0 && wait[i].revents;
  return found < 0 && errno == EINTR ? 0 : found;
}

/* ---- Processor time --------------------------------------------------------------------------------------------- */

static double used(int who) {
  struct rusage use;
  getrusage(who, &use);
  return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

double os_process_seconds(void) { return used(RUSAGE_SELF) + used(RUSAGE_CHILDREN); }

double os_child_seconds(int64_t child) {
#if defined(__linux__)
  clockid_t clock;
  struct timespec t;
  if (clock_getcpuclockid((pid_t)child, &clock) || clock_gettime(clock, &t)) return -1;
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#else
  (void)child;
  return -1;
#endif
}

/* ---- Signals ---------------------------------------------------------------------------------------------------- */

void os_on_interrupt(os_handler *handler) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

static const int taken[] = {SIGTERM, SIGHUP, SIGINT};
enum { TAKEN = sizeof taken / sizeof taken[0] };
_Static_assert(TAKEN * sizeof(struct sigaction) <= sizeof(os_handlers), "room for the handlers");

void os_handlers_set(os_handler *handler, os_handlers *before) {
  struct sigaction action = {.sa_handler = handler}, old[TAKEN];
  for (int i = 0; i < TAKEN; i++) sigaction(taken[i], &action, &old[i]);
  memcpy(before, old, sizeof old);
}

void os_handlers_restore(const os_handlers *before) {
  struct sigaction old[TAKEN];
  memcpy(old, before, sizeof old);
  for (int i = 0; i < TAKEN; i++) sigaction(taken[i], &old[i], NULL);
}

void os_ignore_broken_pipes(void) { signal(SIGPIPE, SIG_IGN); }
void os_ignore_file_limit(void) { signal(SIGXFSZ, SIG_IGN); }
void os_suspend(void) { kill(0, SIGTSTP); }
#endif
