/* The process of an agent behind a pipe. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agents/pipe.h"
#include "util/text.h"
#include "util/os.h"
#include "util/os_process.h"

enum { LIMIT = 256 << 20 }; /* bytes of a message: a checkpoint can be large */
#define LOOK 0.2            /* seconds between looks at `stop` */

/* Keep the end of what the program writes to stderr. */
static void listen_errors(pipe_program *p) {
  char text[512];
  ptrdiff_t count = os_read(p->talk.errors, text, sizeof text);
  if (count <= 0) {
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    os_close(p->talk.errors);
    p->talk.errors = -1;
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
  double end = os_seconds() + p->timeout;
  for (;;) {
    const int files[2] = {p->talk.from, p->talk.errors};
    bool ready[2];
    double left = p->timeout > 0 ? end - os_seconds() : 3600;
    p->late = left <= 0;
    p->stopped = p->stop && *p->stop && **p->stop;
    if (p->late || p->stopped) return -1;
    if (left > LOOK) left = LOOK;
    int found = os_wait_readable(files, 2, (int)(left * 1000) + 1, ready);
    if (found < 0) return -1;
    if (found == 0) continue;
    if (ready[1]) listen_errors(p);
    if (!ready[0]) continue;
    ptrdiff_t count = os_read(p->talk.from, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == ECONNRESET) count = 0;
    /* what it said last explains its end */
    while (count == 0 && p->talk.errors >= 0 &&
           os_wait_readable(&p->talk.errors, 1, 200, ready) > 0)
      listen_errors(p);
    return count;
  }
}

static bool write_all(void *context, const void *bytes, size_t size) {
  pipe_program *p = context;
  for (const char *at = bytes; size > 0;) {
    ptrdiff_t count = os_talk_write(&p->talk, at, size);
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

sixer_err pipe_start(pipe_program *p, const char *command, double timeout, sixer_error *error) {
  char *words[PIPE_WORDS + 1], *text = strdup(command);
  if (!text) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
  *p = (pipe_program){.timeout = timeout};
  sixer_err err = SIXER_OK;
  if (!cut(text, words))
    err = sixer_fail(error, SIXER_ERR_ARGUMENT, "the command of the agent is empty");
  else if (!os_talk_begin(words, true, true, &p->talk))
    /* in a group of its own: Ctrl-C is for the lab, which then saves the run */
    err = sixer_fail(error, SIXER_ERR_FILE, "the agent's program '%.200s' cannot be started: %s",
                     words[0], strerror(errno));
  p->started = !err;
  if (!err)
    p->stream =
        (message_stream){.context = p, .read = read_some, .write = write_all, .limit = LIMIT};
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
  if (p->stopped)
    return sixer_fail(error, SIXER_ERR_FILE, "stopped while waiting for the agent's program");
  if (p->late)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "the agent's program asked for nothing within %g seconds (option timeout)",
                      p->timeout);
  const char *said = last_words(p);
  return sixer_fail(error, SIXER_ERR_FILE, "the agent's program ended%s%s", *said ? ": " : "",
                    said);
}

void pipe_stop(pipe_program *p) {
  if (!p->started) return;
  os_talk_close(&p->talk);
  for (int i = 0;; i++) {
    if (p->talk.errors >= 0) listen_errors(p);
    if (i == 100) os_end(p->talk.child, true);
    if (os_wait(p->talk.child, i >= 100, NULL) != 0) break;
    os_pause(0.01);
  }
  if (p->talk.errors >= 0) os_close(p->talk.errors);
  message_stream_free(&p->stream);
  *p = (pipe_program){0};
}
