/* TensorBoard event files with the scalars of CleanRL. A file is a sequence of records (TensorFlow's TFRecord): the
 * length in 8 bytes, its checksum, the data, their checksum; all little-endian. The data are a protocol buffer:
 *
 *     Event   { 2: step, varint; 5: Summary }
 *     Summary { 1: Value, repeated }
 *     Value   { 1: tag, text; 2: simple_value, float; 8: TensorProto }
 *     TensorProto { 1: type, varint (1: float, 2: double); 4: tensor_content; 5: float_val; 6: double_val }
 *
 * Other fields are skipped. Game, agent and seed are in the folder's name only: ENV__experiment__seed__time. A file
 * that is being written ends with a part of a record; that record is left out. A wrong checksum before the end is an
 * error. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/log_file.h"

static const char score_tag[] = "charts/episodic_return";

/* ---- records ---- */

/* CRC-32C with TensorFlow's mask. */
static uint32_t masked_crc(const uint32_t table[256], const unsigned char *data, size_t size) {
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < size; i++) crc = table[(crc ^ data[i]) & 0xff] ^ crc >> 8;
  crc = ~crc;
  return (crc >> 15 | crc << 17) + 0xa282ead8;
}

static void make_table(uint32_t table[256]) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
    table[i] = crc;
  }
}

static uint64_t little_endian(const unsigned char *data, int bytes) {
  uint64_t value = 0;
  for (int i = bytes - 1; i >= 0; i--) value = value << 8 | data[i];
  return value;
}

static float read_float(const unsigned char *data) {
  uint32_t bits = (uint32_t)little_endian(data, 4);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static double read_double(const unsigned char *data) {
  uint64_t bits = little_endian(data, 8);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

bool log_events_recognize(const char *text, size_t size) {
  uint32_t table[256];
  const unsigned char *data = (const unsigned char *)text;
  if (size < 12) return false;
  make_table(table);
  return masked_crc(table, data, 8) == little_endian(data + 8, 4);
}

/* ---- protocol buffers ---- */

typedef struct message {
  const unsigned char *at, *end;
} message;

typedef struct field {
  uint64_t number, value; /* value: of a varint */
  int type;               /* 0: varint, 1: 8 bytes, 2: bytes, 5: 4 bytes */
  message bytes;
} field;

static bool read_varint(message *m, uint64_t *value) {
  *value = 0;
  for (int shift = 0; shift < 64 && m->at < m->end; shift += 7) {
    unsigned char byte = *m->at++;
    *value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

/* The next field; false at the end, and *good tells whether the message ends there. */
static bool next_field(message *m, field *f, bool *good) {
  uint64_t key, length;
  if (m->at == m->end) return false;
  *good = false;
  if (!read_varint(m, &key)) return false;
  *f = (field){.number = key >> 3, .type = (int)(key & 7)};
  if (f->type == 0) return *good = read_varint(m, &f->value);
  if (f->type == 2) {
    if (!read_varint(m, &length)) return false;
  } else {
    length = f->type == 1 ? 8 : 4;
    if (f->type != 1 && f->type != 5) return false;
  }
  if (length > (uint64_t)(m->end - m->at)) return false;
  f->bytes = (message){m->at, m->at + length};
  m->at += length;
  return *good = true;
}

/* A tensor with a single number; NaN if it is something else, with *is_number false. */
static bool read_tensor(message m, double *value, bool *is_number) {
  field f = {0};
  bool good = true;
  uint64_t type = 0;
  message content = {0};
  *is_number = false;
  while (next_field(&m, &f, &good)) {
    size_t size = f.type ? (size_t)(f.bytes.end - f.bytes.at) : 0;
    if (f.number == 1 && f.type == 0) type = f.value;
    if (f.number == 4 && f.type == 2) content = f.bytes;
    if (f.number == 5 && size == 4) {
      *value = read_float(f.bytes.at);
      *is_number = true;
    } else if (f.number == 6 && size == 8) {
      *value = read_double(f.bytes.at);
      *is_number = true;
    }
  }
  size_t size = content.at ? (size_t)(content.end - content.at) : 0;
  if (good && !*is_number && ((type == 1 && size == 4) || (type == 2 && size == 8))) {
    *value = type == 1 ? (double)read_float(content.at) : read_double(content.at);
    *is_number = true;
  }
  return good;
}

/* ---- episodes ---- */

typedef struct episode {
  int64_t step;
  double score;
  size_t byte;
} episode;

typedef struct events {
  memory_arena *arena;
  episode *episodes;
  size_t count, room;
  char tags[200]; /* others that were found, for a message */
} events;

static void note_tag(events *e, const message *tag) {
  size_t length = (size_t)(tag->end - tag->at), used = strlen(e->tags);
  char name[60];
  if (!length || length >= sizeof name || used + length + 3 > sizeof e->tags) return;
  memcpy(name, tag->at, length);
  name[length] = 0;
  if (strlen(name) == length && !strstr(e->tags, name))
    snprintf(e->tags + used, sizeof e->tags - used, "%s%s", used ? ", " : "", name);
}

static bool read_value(events *e, message m, double *score, bool *found) {
  field f = {0};
  bool good = true, is_number = false;
  message tag = {0};
  while (next_field(&m, &f, &good)) {
    if (f.number == 1 && f.type == 2) tag = f.bytes;
    if (f.number == 2 && f.type == 5) {
      *score = read_float(f.bytes.at);
      is_number = true;
    } else if (f.number == 8 && f.type == 2 && !read_tensor(f.bytes, score, &is_number)) {
      return false;
    }
  }
  size_t length = sizeof score_tag - 1;
  bool named = tag.at && (size_t)(tag.end - tag.at) == length && !memcmp(tag.at, score_tag, length);
  if (good && tag.at && !named && is_number) note_tag(e, &tag);
  *found = named && is_number;
  return good;
}

static sixer_err add_episode(events *e, int64_t step, double score, size_t byte,
                             sixer_error *error) {
  if (e->count == e->room) {
    size_t room = e->room ? 2 * e->room : 256;
    episode *more = arena_alloc(e->arena, room * sizeof *more);
    if (!more) return arena_no_memory(error);
    if (e->count) memcpy(more, e->episodes, e->count * sizeof *more);
    e->episodes = more;
    e->room = room;
  }
  e->episodes[e->count++] = (episode){step, score, byte};
  return SIXER_OK;
}

static sixer_err read_event(events *e, message m, const char *origin, size_t byte,
                            sixer_error *error) {
  field f = {0};
  bool good = true;
  int64_t step = 0;
  message whole = m;
  while (next_field(&m, &f, &good)) {
    if (f.number == 2 && f.type == 0) step = (int64_t)f.value;
  }
  m = whole;
  while (good && next_field(&m, &f, &good)) {
    if (f.number != 5 || f.type != 2) continue;
    message summary = f.bytes;
    field value = {0};
    while (good && next_field(&summary, &value, &good)) {
      double score = 0;
      bool found = false;
      if (value.number != 1 || value.type != 2) continue;
      good = read_value(e, value.bytes, &score, &found);
      if (!good || !found) continue;
      if (!isfinite(score) || step < 0)
        return sixer_fail(error, SIXER_ERR_FILE, "%s: byte %zu: %s", origin, byte,
                          step < 0       ? "the step of an episode is negative"
                          : isnan(score) ? "the return of an episode is NaN"
                                         : "the return of an episode is infinite");
      sixer_err err = add_episode(e, step, score, byte, error);
      if (err) return err;
    }
  }
  return good ? SIXER_OK
              : sixer_fail(error, SIXER_ERR_FILE,
                           "%s: byte %zu: the record is not an event of TensorBoard", origin, byte);
}

/* ---- the folder ---- */

/* ENV__experiment__seed__time, where the experiment may hold "__". The part before may be ALE/. */
static sixer_err read_folder(memory_arena *arena, const char *origin, log_file *file,
                             const char **game, sixer_error *error) {
  const char *slash = strrchr(origin, '/'), *start = slash;
  const char *parts[64];
  size_t count = 0, length = 0;
  while (start && start > origin && start[-1] != '/') start--;
  for (const char *p = start; p && p + 1 < slash && count < 64; p++) {
    if (p[0] == '_' && p[1] == '_') parts[count++] = p++;
  }
  if (count >= 3) {
    const char *seed = parts[count - 2] + 2, *stop = parts[count - 1];
    length = (size_t)(parts[0] - start);
    bool ale = start - origin >= 4 && !memcmp(start - 4, "ALE/", 4);
    *game = arena_copy(arena, ale ? start - 4 : start, ale ? length + 4 : length);
    file->agent = arena_copy(arena, parts[0] + 2, (size_t)(parts[count - 2] - parts[0] - 2));
    file->run = arena_copy(arena, seed, (size_t)(stop - seed));
    if (!*game || !file->agent || !file->run) return arena_no_memory(error);
  }
  if (count < 3 || !length || !*file->agent || !*file->run)
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s: an event file names no game; its folder does, as CleanRL writes it: "
                      "ENV__experiment__seed__time",
                      origin);
  return SIXER_OK;
}

/* ---- the file ---- */

static sixer_err make_rows(memory_arena *arena, const events *e, const char *game,
                           const char *origin, eval_table *table, sixer_error *error) {
  static const char *const names[] = {"game", "score", "global_step"};
  enum { COLUMNS = sizeof names / sizeof *names };
  eval_table t = {.columns = COLUMNS, .rows = e->count};
  t.origin = arena_copy(arena, origin, strlen(origin));
  t.names = arena_alloc(arena, sizeof names);
  t.fields = arena_alloc(arena, e->count * COLUMNS * sizeof *t.fields);
  t.lines = arena_alloc(arena, e->count * sizeof *t.lines);
  if (!t.origin || !t.names || !t.fields || !t.lines) return arena_no_memory(error);
  memcpy(t.names, names, sizeof names);
  for (size_t i = 0; i < e->count; i++) {
    const char **fields = t.fields + i * COLUMNS;
    char number[32];
    number_text(e->episodes[i].score, number);
    fields[0] = game;
    fields[1] = arena_copy(arena, number, strlen(number));
    fields[2] = arena_format(arena, "%lld", (long long)e->episodes[i].step);
    if (!fields[1] || !fields[2]) return arena_no_memory(error);
    t.lines[i] = (int)(i + 1);
  }
  *table = t;
  return SIXER_OK;
}

sixer_err log_events_parse(memory_arena *arena, const char *text, size_t size, const char *origin,
                           log_file *file, sixer_error *error) {
  const unsigned char *data = (const unsigned char *)text;
  uint32_t table[256];
  events e = {.arena = arena};
  const char *game = NULL;
  make_table(table);
  sixer_err err = SIXER_OK;
  for (size_t at = 0; !err && at < size;) {
    /* a length, two checksums and the data */
    size_t left = size - at;
    uint64_t length = left < 12 ? 0 : little_endian(data + at, 8);
    bool sound = left >= 12 && masked_crc(table, data + at, 8) == little_endian(data + at + 8, 4);
    if (left < 12 || (sound && (left < 16 || length > left - 16))) {
      file->cut = arena_format(arena, "at byte %zu", at);
      if (!file->cut) err = arena_no_memory(error);
      break;
    }
    const unsigned char *record = data + at + 12;
    if (!sound || masked_crc(table, record, length) != little_endian(record + length, 4))
      return sixer_fail(
          error, SIXER_ERR_FILE,
          "%s: byte %zu: the checksum of a record is wrong, the file is damaged; copy "
          "it again, or leave it out",
          origin, at);
    err = read_event(&e, (message){record, record + length}, origin, at, error);
    at += 16 + (size_t)length;
  }
  if (err) return err;
  if (!e.count && strstr(e.tags, "Train/AverageReturns"))
    return sixer_fail(error, SIXER_ERR_FILE,
                      "%s: an event file of Dopamine, which has averages only; read the episodes "
                      "in its folder logs/ (logs/log_199)",
                      origin);
  if (!e.count)
    return sixer_fail(error, SIXER_ERR_FILE, "%s: no scalars %s%s; found are: %s", origin,
                      score_tag, file->cut ? " before the file breaks off" : "",
                      *e.tags ? e.tags : "none");
  err = read_folder(arena, origin, file, &game, error);
  if (err) return err;
  return make_rows(arena, &e, game, origin, &file->table, error);
}
