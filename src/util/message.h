/* The messages of `sixer serve` (docs/serve.md): a flat object of named values, written as a line of JSON or as
 * MessagePack behind its length. A value is null, true or false, a number, a text, bytes (in JSON: base64), or an array
 * of numbers. Nothing is nested, so reading needs no recursion, and every size is bounded. */
#ifndef SIXER_UTIL_MESSAGE_H
#define SIXER_UTIL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum { MESSAGE_FIELDS = 48, MESSAGE_NUMBERS = 65536 };

typedef enum message_kind {
  MESSAGE_NULL,
  MESSAGE_BOOL,
  MESSAGE_NUMBER,
  MESSAGE_TEXT,
  MESSAGE_BYTES,
  MESSAGE_ARRAY
} message_kind;

typedef struct message_field {
  message_kind kind;
  const char *key;
  double number;         /* value of a number; 1 or 0 for true and false */
  char *text;            /* a text, or bytes; ends with a zero byte */
  size_t size;           /* bytes of the text, or numbers in the array */
  const double *numbers; /* values of an array */
} message_field;

/* A message that was received. It points into the memory that it was read from. */
typedef struct message {
  message_field fields[MESSAGE_FIELDS];
  size_t count;
  double *numbers; /* of all arrays; kept for the next message */
  size_t used, room;
} message;

void message_free(message *m);

/* Read a message in place: text[size] must be writable and is overwritten. SIXER_ERR_ARGUMENT if it is no message. */
sixer_err message_read_json(message *m, char *text, size_t size, sixer_error *error);
sixer_err message_read_pack(message *m, char *bytes, size_t size, sixer_error *error);

const message_field *message_find(const message *m, const char *key); /* NULL if it is not there */

/* SIXER_ERR_ARGUMENT, with the nearest names, if the message has other keys than those of "one|two|three". */
sixer_err message_check_keys(const message *m, const char *keys, sixer_error *error);

/* The value under a key; *out stays as it is if there is none. SIXER_ERR_ARGUMENT if it has another kind or range. */
sixer_err message_get_int(const message *m, const char *key, int64_t lowest, int64_t highest,
                          int64_t *out, sixer_error *error);
sixer_err message_get_number(const message *m, const char *key, double lowest, double highest,
                             double *out, sixer_error *error);
sixer_err message_get_flag(const message *m, const char *key, bool *out, sixer_error *error);
sixer_err message_get_text(const message *m, const char *key, const char **out, sixer_error *error);
/* The index of the value in "one|two|three". */
sixer_err message_get_choice(const message *m, const char *key, const char *choices, int *out,
                             sixer_error *error);
/* Bytes; a text is base64 and is decoded in place, so ask only once. */
sixer_err message_get_bytes(message *m, const char *key, const uint8_t **bytes, size_t *size,
                            sixer_error *error);
/* Whole numbers; fails if there are other than `count` of them. */
sixer_err message_get_ints(const message *m, const char *key, int count, int64_t lowest,
                           int64_t highest, int64_t *out, sixer_error *error);

/* ---- Writing --------------------------------------------------------------------------------------------------- */

typedef struct message_writer {
  uint8_t *bytes; /* the message, after message_end() */
  size_t size, room;
  bool packed; /* MessagePack, else JSON */
  bool failed; /* out of memory */
  int fields;
} message_writer;

void message_begin(message_writer *w, bool packed);
void message_put_int(message_writer *w, const char *key, int64_t value);
void message_put_number(message_writer *w, const char *key, double value);
void message_put_flag(message_writer *w, const char *key, bool value);
void message_put_text(message_writer *w, const char *key, const char *text);
void message_put_ints(message_writer *w, const char *key, const int32_t *values, size_t count);
/* Room for bytes that the caller writes at once, then calls message_pack_bytes(); NULL if there is no memory. */
uint8_t *message_put_room(message_writer *w, const char *key, size_t size);
void message_pack_bytes(message_writer *w, size_t size);
void message_put_bytes(message_writer *w, const char *key, const void *bytes, size_t size);
sixer_err message_end(message_writer *w, sixer_error *error);
void message_writer_free(message_writer *w);

/* ---- Streams --------------------------------------------------------------------------------------------------- */

/* What messages are read from and written to. `read` returns 0 at the end and -1 after an error, `write` false. */
typedef struct message_stream {
  void *context;
  ptrdiff_t (*read)(void *context, void *bytes, size_t size);
  bool (*write)(void *context, const void *bytes, size_t size);
  size_t limit; /* most bytes of a message that is received */
  bool packed;  /* the other side has asked for MessagePack */
  bool begun;   /* the first byte has come */
  char *buffer;
  size_t at, end, room;
} message_stream;

typedef enum message_status {
  MESSAGE_GOT,   /* a message has come */
  MESSAGE_BAD,   /* what came is no message, *error says why; the next one can be read */
  MESSAGE_CLOSED /* the other side is gone: error->code is SIXER_OK if between two messages */
} message_status;

/* Wait for a message. It is valid until the next call. The first line of a stream can be "msgpack 1". */
message_status message_receive(message_stream *s, message *m, sixer_error *error);
sixer_err message_send(message_stream *s, const message_writer *w, sixer_error *error);
void message_stream_free(message_stream *s);

#endif
