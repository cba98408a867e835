/* Writing messages, and sending and receiving them over a stream.
 *
 * A packed message is a length of four bytes, least significant first, and a MessagePack map of at most 65,535 values.
 * The length and the number of values are filled in at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/message.h"
#include "util/number.h"

enum { LENGTH_BYTES = 4, MAP_BYTES = 3 };

static uint8_t *extend(message_writer *w, size_t size) {
  if (w->failed) return NULL;
  if (w->room - w->size < size) {
    size_t room = w->room ? w->room : 512;
    while (room - w->size < size) room *= 2;
    uint8_t *more = realloc(w->bytes, room);
    if (!more) {
      w->failed = true;
      return NULL;
    }
    w->bytes = more;
    w->room = room;
  }
  uint8_t *at = w->bytes + w->size;
  w->size += size;
  return at;
}

static void put(message_writer *w, const void *bytes, size_t size) {
  uint8_t *at = extend(w, size);
  if (at) memcpy(at, bytes, size);
}

/* A tag and a number of `size` bytes, most significant first. */
static void put_tag(message_writer *w, uint8_t tag, uint64_t value, size_t size) {
  uint8_t *at = extend(w, size + 1);
  if (!at) return;
  *at++ = tag;
  for (size_t i = size; i-- > 0;) *at++ = (uint8_t)(value >> 8 * i);
}

static void pack_text(message_writer *w, const char *text) {
  size_t size = strlen(text);
  if (size < 32)
    put_tag(w, (uint8_t)(0xA0 | size), 0, 0);
  else
    put_tag(w, 0xDB, size, 4);
  put(w, text, size);
}

static void pack_int(message_writer *w, int64_t value) {
  if (value >= -32 && value <= 127)
    put_tag(w, (uint8_t)value, 0, 0);
  else if (value >= INT32_MIN && value <= INT32_MAX)
    put_tag(w, 0xD2, (uint64_t)value, 4);
  else
    put_tag(w, 0xD3, (uint64_t)value, 8);
}

static void write_json_text(message_writer *w, const char *text) {
  put(w, "\"", 1);
  for (const char *c = text; *c; c++) {
    char escape[8];
    if (*c == '"' || *c == '\\') {
      escape[0] = '\\';
      escape[1] = *c;
      put(w, escape, 2);
    } else if ((unsigned char)*c < 32) {
      snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*c);
      put(w, escape, 6);
    } else {
      put(w, c, 1);
    }
  }
  put(w, "\"", 1);
}

static void put_key(message_writer *w, const char *key) {
  if (w->packed) {
    pack_text(w, key);
  } else {
    if (w->fields) put(w, ", ", 2);
    write_json_text(w, key);
    put(w, ": ", 2);
  }
  w->fields++;
}

void message_begin(message_writer *w, bool packed) {
  w->size = 0;
  w->fields = 0;
  w->failed = false;
  w->packed = packed;
  if (packed)
    extend(w, LENGTH_BYTES + MAP_BYTES);
  else
    put(w, "{", 1);
}

static void put_digits(message_writer *w, int64_t value) {
  char digits[24];
  int length = snprintf(digits, sizeof digits, "%lld", (long long)value);
  put(w, digits, (size_t)length);
}

void message_put_int(message_writer *w, const char *key, int64_t value) {
  put_key(w, key);
  if (w->packed)
    pack_int(w, value);
  else
    put_digits(w, value);
}

void message_put_number(message_writer *w, const char *key, double value) {
  put_key(w, key);
  if (w->packed) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    put_tag(w, 0xCB, bits, 8);
  } else {
    char digits[32];
    number_text(value, digits);
    put(w, digits, strlen(digits));
  }
}

void message_put_flag(message_writer *w, const char *key, bool value) {
  put_key(w, key);
  if (w->packed)
    put_tag(w, value ? 0xC3 : 0xC2, 0, 0);
  else
    put(w, value ? "true" : "false", value ? 4 : 5);
}

void message_put_text(message_writer *w, const char *key, const char *text) {
  put_key(w, key);
  if (w->packed)
    pack_text(w, text);
  else
    write_json_text(w, text);
}

void message_put_ints(message_writer *w, const char *key, const int32_t *values, size_t count) {
  put_key(w, key);
  if (w->packed)
    put_tag(w, 0xDD, count, 4);
  else
    put(w, "[", 1);
  for (size_t i = 0; i < count; i++) {
    if (w->packed) {
      pack_int(w, values[i]);
    } else {
      if (i) put(w, ", ", 2);
      put_digits(w, values[i]);
    }
  }
  if (!w->packed) put(w, "]", 1);
}

static size_t base64_size(size_t size) { return (size + 2) / 3 * 4; }

/* In JSON the caller's bytes are put at the end of the room, so that base64 can be written in place from its front: it
 * never overtakes the bytes that are still to be read. */
uint8_t *message_put_room(message_writer *w, const char *key, size_t size) {
  put_key(w, key);
  if (w->packed) {
    put_tag(w, 0xC6, size, 4);
    return extend(w, size);
  }
  put(w, "\"", 1);
  uint8_t *at = extend(w, base64_size(size));
  return at ? at + base64_size(size) - size : NULL;
}

void message_pack_bytes(message_writer *w, size_t size) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (w->packed || w->failed) return;
  const uint8_t *from = w->bytes + w->size - size;
  uint8_t *out = w->bytes + w->size - base64_size(size);
  for (size_t left = size; left > 0; out += 4) {
    size_t count = left < 3 ? left : 3;
    unsigned bits = (unsigned)from[0] << 16;
    if (count > 1) bits |= (unsigned)from[1] << 8;
    if (count > 2) bits |= from[2];
    from += count;
    left -= count;
    out[0] = (uint8_t)digits[bits >> 18];
    out[1] = (uint8_t)digits[bits >> 12 & 63];
    out[2] = (uint8_t)(count > 1 ? digits[bits >> 6 & 63] : '=');
    out[3] = (uint8_t)(count > 2 ? digits[bits & 63] : '=');
  }
  put(w, "\"", 1);
}

void message_put_bytes(message_writer *w, const char *key, const void *bytes, size_t size) {
  uint8_t *room = message_put_room(w, key, size);
  if (room && size) memcpy(room, bytes, size);
  message_pack_bytes(w, size);
}

sixer_err message_end(message_writer *w, sixer_error *error) {
  if (!w->packed) put(w, "}\n", 2);
  if (w->failed) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a message");
  if (!w->packed) return SIXER_OK;
  size_t size = w->size - LENGTH_BYTES;
  for (int i = 0; i < LENGTH_BYTES; i++) w->bytes[i] = (uint8_t)(size >> 8 * i);
  w->bytes[4] = 0xDE;
  w->bytes[5] = (uint8_t)(w->fields >> 8);
  w->bytes[6] = (uint8_t)w->fields;
  return SIXER_OK;
}

void message_writer_free(message_writer *w) {
  free(w->bytes);
  *w = (message_writer){0};
}

/* ---- Streams --------------------------------------------------------------------------------------------------- */

void message_stream_free(message_stream *s) {
  free(s->buffer);
  s->buffer = NULL;
  s->at = s->end = s->room = 0;
}

sixer_err message_send(message_stream *s, const message_writer *w, sixer_error *error) {
  if (s->write(s->context, w->bytes, w->size)) return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_FILE, "the other side does not read what it is sent");
}

/* Read more behind what is there. False at the end, after an error, or without memory. */
static bool fill(message_stream *s, sixer_error *error) {
  if (s->at) {
    memmove(s->buffer, s->buffer + s->at, s->end - s->at);
    s->end -= s->at;
    s->at = 0;
  }
  if (s->room - s->end < 2) {
    size_t room = s->room ? 2 * s->room : 4096;
    char *more = realloc(s->buffer, room);
    if (!more) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a message"), false;
    s->buffer = more;
    s->room = room;
  }
  /* one byte is left for the zero that ends a text */
  ptrdiff_t count = s->read(s->context, s->buffer + s->end, s->room - s->end - 1);
  if (count <= 0) {
    if (count < 0)
      sixer_fail(error, SIXER_ERR_FILE,
                 "the other side cannot be read any more, or is silent for too long");
    else if (s->end)
      sixer_fail(error, SIXER_ERR_FILE,
                 "the other side closed the connection in the middle of a message");
    return false;
  }
  s->end += (size_t)count;
  return true;
}

static message_status too_large(const message_stream *s, sixer_error *error) {
  sixer_fail(error, SIXER_ERR_ARGUMENT,
             "a message is larger than %zu bytes; the connection is closed", s->limit);
  return MESSAGE_CLOSED;
}

/* A line without its end; *text is inside of the buffer. */
static message_status receive_line(message_stream *s, char **text, size_t *size,
                                   sixer_error *error) {
  for (size_t seen = 0;;) {
    char *from = s->buffer + s->at;
    char *newline = s->end - s->at > seen ? memchr(from + seen, '\n', s->end - s->at - seen) : NULL;
    seen = s->end - s->at;
    if (newline ? (size_t)(newline - from) > s->limit : seen > s->limit) return too_large(s, error);
    if (newline) {
      *text = from;
      *size = (size_t)(newline - from);
      s->at += *size + 1;
      return MESSAGE_GOT;
    }
    if (!fill(s, error)) return MESSAGE_CLOSED;
  }
}

static message_status receive_packed(message_stream *s, char **bytes, size_t *size,
                                     sixer_error *error) {
  while (s->end - s->at < LENGTH_BYTES) {
    if (!fill(s, error)) return MESSAGE_CLOSED;
  }
  const uint8_t *length = (const uint8_t *)s->buffer + s->at;
  *size = (size_t)length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 |
          (size_t)length[3] << 24;
  if (*size > s->limit) return too_large(s, error);
  while (s->end - s->at < LENGTH_BYTES + *size) {
    if (!fill(s, error)) return MESSAGE_CLOSED;
  }
  *bytes = s->buffer + s->at + LENGTH_BYTES;
  s->at += LENGTH_BYTES + *size;
  return MESSAGE_GOT;
}

static bool is_blank(const char *text, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r') return false;
  }
  return true;
}

message_status message_receive(message_stream *s, message *m, sixer_error *error) {
  char *text;
  size_t size;
  if (error) *error = (sixer_error){SIXER_OK, ""};
  for (;;) {
    message_status status =
        s->packed ? receive_packed(s, &text, &size, error) : receive_line(s, &text, &size, error);
    if (status != MESSAGE_GOT) return status;
    if (s->packed) break;
    if (is_blank(text, size)) continue;
    bool asks = !s->begun && size >= 8 && !strncmp(text, "msgpack ", 8);
    s->begun = true;
    if (!asks) break;
    if (strncmp(text, "msgpack 1", 9) != 0 || !is_blank(text + 9, size - 9)) {
      sixer_fail(error, SIXER_ERR_ARGUMENT, "the only packed form is 'msgpack 1'");
      return MESSAGE_BAD;
    }
    s->packed = true;
  }
  sixer_err err =
      s->packed ? message_read_pack(m, text, size, error) : message_read_json(m, text, size, error);
  return err ? MESSAGE_BAD : MESSAGE_GOT;
}
