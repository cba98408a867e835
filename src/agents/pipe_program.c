/* The process of an agent behind a pipe. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agents/pipe.h"
#include "util/text.h"

extern char **environ;

enum { LIMIT = 256 << 20 }; /* bytes of a message: a checkpoint can be large */

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Keep the end of what the program writes to stderr. */
static void listen_errors(pipe_program *p) {
  char text[512];
  ssize_t count = read(p->errors, text, sizeof text);
  if (count <= 0) {
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    close(p->errors);
    p->errors = -1;
    return;
  }
  size_t size = (size_t)count, keep = sizeof p->said - 1;
  const char *from = text;
  if (size > keep) {
    from += size - keep;
    size = keep;
  }
  if (p->said_size + size > keep) {
    size_t drop = p->said_size + size - keep;
    memmove(p->said, p->said + drop, p->said_size - drop);
    p->said_size -= drop;
  }
  memcpy(p->said + p->said_size, from, size);
  p->said_size += size;
  p->said[p->said_size] = 0;
}

static ptrdiff_t read_some(void *context, void *bytes, size_t size) {
  pipe_program *p = context;
  double end = seconds_now() + p->timeout;
  for (;;) {
    struct pollfd wait[2] = {{.fd = p->socket, .events = POLLIN},
                             {.fd = p->errors, .events = POLLIN}};
    double left = p->timeout > 0 ? end - seconds_now() : 3600;
    if (left <= 0) {
      p->late = true;
      return -1;
    }
    int ready = poll(wait, 2, (int)(left * 1000) + 1);
    if (ready < 0 && errno != EINTR) return -1;
    if (ready <= 0) continue;
    if (wait[1].revents && p->errors >= 0) listen_errors(p);
    if (!wait[0].revents) continue;
    ssize_t count = read(p->socket, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == ECONNRESET) count = 0;
    /* what it said last explains its end */
    while (count == 0 && p->errors >= 0 && poll(&wait[1], 1, 200) > 0) listen_errors(p);
    return count;
  }
}

static bool write_all(void *context, const void *bytes, size_t size) {
  pipe_program *p = context;
  for (const char *at = bytes; size > 0;) {
    ssize_t count = send(p->socket, at, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= (size_t)count;
  }
  return true;
}

/* Cut the command into words in place; returns how many. */
static int cut(char *text, char **words) {
  int count = 0;
  char *out = text;
  for (const char *at = text; *at && count < PIPE_WORDS;) {
    while (*at == ' ') at++;
    if (!*at) break;
    words[count++] = out;
    for (; *at && *at != ' '; at++) {
      if (*at == '\\' && at[1]) at++;
      *out++ = *at;
    }
    if (*at) at++;
    *out++ = 0;
  }
  words[count] = NULL;
  return count;
}

static int spawn(pid_t *pid, char **words, int input, int errors) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t defaults, none;
  int failed = posix_spawn_file_actions_init(&actions);
  if (failed) return failed;
  failed = posix_spawnattr_init(&attributes);
  if (!failed) {
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &none);
    /* in a group of its own: Ctrl-C is for the lab, which then saves the run */
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_adddup2(&actions, input, 0);
    posix_spawn_file_actions_adddup2(&actions, input, 1);
    posix_spawn_file_actions_adddup2(&actions, errors, 2);
    failed = posix_spawnp(pid, words[0], &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

sixer_err pipe_start(pipe_program *p, const char *command, double timeout, sixer_error *error) {
  char *words[PIPE_WORDS + 1], *text = strdup(command);
  int pair[2] = {-1, -1}, errors[2] = {-1, -1};
  if (!text) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  *p = (pipe_program){.socket = -1, .errors = -1, .timeout = timeout};
  sixer_err err = SIXER_OK;
  int failed = 0;
  if (!cut(text, words))
    err = sixer_fail(error, SIXER_ERR_ARGUMENT, "the command of the agent is empty");
  else if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) || pipe2(errors, O_CLOEXEC) ||
           fcntl(errors[0], F_SETFL, O_NONBLOCK))
    err = sixer_fail(error, SIXER_ERR_FILE, "no connection to the agent: %s", strerror(errno));
  else if ((failed = spawn(&p->pid, words, pair[1], errors[1])))
    err = sixer_fail(error, SIXER_ERR_FILE, "the agent's program '%.200s' cannot be started: %s",
                     words[0], strerror(failed));
  if (pair[1] >= 0) close(pair[1]);
  if (errors[1] >= 0) close(errors[1]);
  if (err) {
    if (pair[0] >= 0) close(pair[0]);
    if (errors[0] >= 0) close(errors[0]);
    p->pid = 0;
  } else {
    p->socket = pair[0];
    p->errors = errors[0];
    p->stream =
        (message_stream){.context = p, .read = read_some, .write = write_all, .limit = LIMIT};
  }
  free(text);
  return err;
}

/* The last line that the program said, if any. */
static const char *last_words(pipe_program *p) {
  text_clean(p->said);
  size_t size = strlen(p->said);
  while (size && p->said[size - 1] == '\n') p->said[--size] = 0;
  const char *line = strrchr(p->said, '\n');
  return line ? line + 1 : p->said;
}

sixer_err pipe_receive(pipe_program *p, message *m, sixer_error *error) {
  sixer_error inner;
  message_status status = message_receive(&p->stream, m, &inner);
  if (status == MESSAGE_GOT) return SIXER_OK;
  if (status == MESSAGE_BAD)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "the agent's program sent something else: %s",
                      inner.message);
  if (p->late)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "the agent's program asked for nothing within %g seconds (option timeout)",
                      p->timeout);
  const char *said = last_words(p);
  return sixer_fail(error, SIXER_ERR_FILE, "the agent's program ended%s%s", *said ? ": " : "",
                    said);
}

void pipe_stop(pipe_program *p) {
  if (!p->pid) return;
  close(p->socket);
  for (int i = 0; p->pid; i++) {
    if (p->errors >= 0) listen_errors(p);
    if (i == 100) kill(p->pid, SIGKILL);
    pid_t ended = waitpid(p->pid, NULL, i < 100 ? WNOHANG : 0);
    if (ended == p->pid || (ended < 0 && errno != EINTR)) break;
    struct timespec pause = {0, 10000000};
    nanosleep(&pause, NULL);
  }
  if (p->errors >= 0) close(p->errors);
  message_stream_free(&p->stream);
  *p = (pipe_program){.socket = -1, .errors = -1};
}
