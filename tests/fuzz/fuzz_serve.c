/* Any bytes from a client of `sixer serve`, in pieces of different sizes: every request is answered by one message that
 * can be read, and the session ends without a leak. Half of the inputs come after a good "make", so that there is an
 * environment to do things with. Requests that would take long are bounded by small settings.
 *
 * runs: 600 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lab/serve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct tape {
  const uint8_t *at, *end;
  size_t piece;
  size_t replies;
  message reply;
} tape;

static ptrdiff_t read_some(void *context, void *bytes, size_t size) {
  tape *t = context;
  size_t left = (size_t)(t->end - t->at);
  if (size > left) size = left;
  if (size > t->piece) size = t->piece;
  if (size) memcpy(bytes, t->at, size);
  t->at += size;
  return (ptrdiff_t)size;
}

static bool check_reply(void *context, const void *bytes, size_t size) {
  tape *t = context;
  bool packed = size > 4 && *(const char *)bytes != '{';
  size_t skip = packed ? 4 : 0;
  char *copy = malloc(size + 1);
  memcpy(copy, bytes, size);
  assert(packed || copy[size - 1] == '\n');
  sixer_error error;
  sixer_err err = packed ? message_read_pack(&t->reply, copy + skip, size - skip, &error)
                         : message_read_json(&t->reply, copy, size - 1, &error);
  assert(!err);
  const message_field *ok = message_find(&t->reply, "ok");
  assert(ok && ok->kind == MESSAGE_BOOL);
  assert(ok->number != 0 || message_find(&t->reply, "error"));
  free(copy);
  return ++t->replies < 200;
}

/* Long frame skips and long starts are no errors, and slow: the fuzzer would find nothing else. */
static bool is_slow(const uint8_t *data, size_t size) {
  return memmem(data, size, "frame_skip", 10) || memmem(data, size, "noop", 4);
}

static void talk(const uint8_t *data, size_t size, size_t piece) {
  tape t = {.at = data, .end = data + size, .piece = piece};
  serve_session *s = calloc(1, sizeof *s);
  s->settings = sixer_serve_settings_default();
  s->settings.game = "duskrain";
  s->settings.max_envs = 3;
  s->settings.max_bytes = 1 << 16;
  s->settings.max_memory = 1 << 20;
  s->stream = (message_stream){.context = &t, .read = read_some, .write = check_reply};
  sixer_error error = {SIXER_OK, ""};
  if (serve_session_run(s, &error)) assert(error.message[0]);
  free(s);
  message_free(&t.reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char line[] = "{\"do\": \"make\", \"screen\": \"gray\", \"ram\": true}\n";
  static const char pack[] =
      "msgpack 1\n\x09\0\0\0\x81\xA2"
      "do\xA4make";
  if (size < 1 || is_slow(data, size)) return 0;
  int kind = data[0] & 3;
  const char *head = kind == 1 ? line : kind == 2 ? pack : "";
  size_t length = kind == 1 ? sizeof line - 1 : kind == 2 ? sizeof pack - 1 : 0;
  uint8_t *bytes = malloc(size + length);
  memcpy(bytes, head, length);
  memcpy(bytes + length, data + 1, size - 1);
  talk(bytes, length + size - 1, data[0] & 4 ? 7 : 4096);
  free(bytes);
  return 0;
}
