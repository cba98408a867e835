/* Reading messages: JSON and MessagePack, limited to flat objects; and asking for their values. */
#include "util/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/nearest.h"
#include "util/number.h"

void message_free(message *m) {
  free(m->numbers);
  *m = (message){0};
}

static sixer_err add_field(message *m, char *key, sixer_error *error) {
  if (message_find(m, key))
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "the message has '%.40s' twice", key);
  if (m->count == MESSAGE_FIELDS)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "the message has more than %d values",
                      MESSAGE_FIELDS);
  m->fields[m->count++] = (message_field){.key = key};
  return SIXER_OK;
}

static message_field *last_field(message *m) { return &m->fields[m->count - 1]; }

static sixer_err add_number(message *m, double number, sixer_error *error) {
  if (m->used == MESSAGE_NUMBERS)
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "the arrays of the message have more than %d numbers", MESSAGE_NUMBERS);
  if (m->used == m->room) {
    size_t room = m->room ? 2 * m->room : 64;
    double *more = realloc(m->numbers, room * sizeof *more);
    if (!more) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a message");
    m->numbers = more;
    m->room = room;
  }
  m->numbers[m->used++] = number;
  last_field(m)->size++;
  return SIXER_OK;
}

/* The arrays are one behind the other; where each begins is known when none is moved any more. */
static void place_arrays(message *m) {
  const double *at = m->numbers;
  for (size_t i = 0; i < m->count; i++) {
    message_field *f = &m->fields[i];
    if (f->kind != MESSAGE_ARRAY) continue;
    f->numbers = at;
    if (f->size) at += f->size;
  }
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

typedef struct json {
  char *at, *end; /* *end is 0 */
  sixer_error *error;
} json;

static sixer_err not_json(const json *j, const char *wanted) {
  if (j->at >= j->end)
    return sixer_fail(j->error, SIXER_ERR_ARGUMENT, "the message ends where %s is expected",
                      wanted);
  unsigned char c = (unsigned char)*j->at;
  char shown[8] = {(char)c, 0};
  if (c < 32 || c > 126) strcpy(shown, "?");
  return sixer_fail(j->error, SIXER_ERR_ARGUMENT,
                    "'%s' is found where %s is expected; a message is a line such as "
                    "{\"do\": \"step\", \"action\": 3}",
                    shown, wanted);
}

static void skip_blanks(json *j) {
  while (*j->at == ' ' || *j->at == '\t' || *j->at == '\r' || *j->at == '\n') j->at++;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static char *put_utf8(char *out, unsigned code) {
  if (code < 0x80) {
    *out++ = (char)code;
  } else if (code < 0x800) {
    *out++ = (char)(0xC0 | code >> 6);
    *out++ = (char)(0x80 | (code & 63));
  } else {
    *out++ = (char)(0xE0 | code >> 12);
    *out++ = (char)(0x80 | (code >> 6 & 63));
    *out++ = (char)(0x80 | (code & 63));
  }
  return out;
}

/* A string at `at`, unescaped in place. A zero byte inside is refused: texts are C strings. */
static sixer_err read_string(json *j, const char *wanted, char **text, size_t *size) {
  if (*j->at != '"') return not_json(j, wanted);
  char *from = j->at + 1, *out = from;
  *text = from;
  while (*from != '"') {
    unsigned char c = (unsigned char)*from;
    if (from >= j->end || c < 32) {
      j->at = from;
      return not_json(j, "the end of a string");
    }
    if (c != '\\') {
      *out++ = *from++;
      continue;
    }
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *letter = from[1] ? strchr(letters, from[1]) : NULL;
    if (letter) {
      *out++ = meanings[letter - letters];
      from += 2;
      continue;
    }
    unsigned code = 0;
    bool good = from[1] == 'u';
    for (int i = 2; good && i < 6; i++) {
      int digit = hex_digit(from[i]);
      good = digit >= 0;
      code = code * 16 + (unsigned)digit;
    }
    if (!good || !code || (code >= 0xD800 && code < 0xE000)) {
      j->at = from;
      return not_json(j, "a character (escapes of pairs and of zero are not read)");
    }
    out = put_utf8(out, code);
    from += 6;
  }
  j->at = from + 1;
  *size = (size_t)(out - *text);
  *out = 0;
  return SIXER_OK;
}

static sixer_err read_json_number(json *j, const char *wanted, double *number) {
  size_t length = strspn(j->at, "+-.0123456789eE");
  char digits[40];
  if (!length || length >= sizeof digits) return not_json(j, wanted);
  memcpy(digits, j->at, length);
  digits[length] = 0;
  if (!number_read(digits, NUMBER_FINITE, number)) return not_json(j, wanted);
  j->at += length;
  return SIXER_OK;
}

static bool read_word(json *j, const char *word) {
  size_t length = strlen(word);
  if (strncmp(j->at, word, length) != 0) return false;
  j->at += length;
  return true;
}

static sixer_err read_array(json *j, message *m) {
  last_field(m)->kind = MESSAGE_ARRAY;
  j->at++;
  skip_blanks(j);
  for (bool first = true; *j->at != ']'; first = false) {
    if (!first) {
      if (*j->at != ',') return not_json(j, "a comma or ]");
      j->at++;
      skip_blanks(j);
    }
    double number = 0;
    sixer_err err = read_json_number(j, "a number of an array", &number);
    if (!err) err = add_number(m, number, j->error);
    if (err) return err;
    skip_blanks(j);
  }
  j->at++;
  return SIXER_OK;
}

static sixer_err read_value(json *j, message *m) {
  message_field *f = last_field(m);
  if (*j->at == '"') {
    f->kind = MESSAGE_TEXT;
    return read_string(j, "a value", &f->text, &f->size);
  }
  if (*j->at == '[') return read_array(j, m);
  if (read_word(j, "null")) return SIXER_OK;
  bool yes = read_word(j, "true");
  if (yes || read_word(j, "false")) {
    f->kind = MESSAGE_BOOL;
    f->number = yes;
    return SIXER_OK;
  }
  f->kind = MESSAGE_NUMBER;
  return read_json_number(j, "a value (objects in objects are not read)", &f->number);
}

sixer_err message_read_json(message *m, char *text, size_t size, sixer_error *error) {
  json j = {text, text + size, error};
  m->count = m->used = 0;
  *j.end = 0;
  skip_blanks(&j);
  if (*j.at != '{') return not_json(&j, "{");
  j.at++;
  skip_blanks(&j);
  for (bool first = true; *j.at != '}'; first = false) {
    if (!first) {
      if (*j.at != ',') return not_json(&j, "a comma or }");
      j.at++;
      skip_blanks(&j);
    }
    char *key;
    size_t length;
    sixer_err err = read_string(&j, "a name in quotes", &key, &length);
    if (err) return err;
    skip_blanks(&j);
    if (*j.at != ':') return not_json(&j, "a colon");
    j.at++;
    skip_blanks(&j);
    if ((err = add_field(m, key, error)) || (err = read_value(&j, m))) return err;
    skip_blanks(&j);
  }
  j.at++;
  skip_blanks(&j);
  if (j.at < j.end) return not_json(&j, "the end of the line");
  place_arrays(m);
  return SIXER_OK;
}

/* ---- MessagePack ----------------------------------------------------------------------------------------------- */

typedef struct pack {
  uint8_t *at, *end;
  sixer_error *error;
} pack;

static sixer_err not_packed(const pack *p, const char *why) {
  return sixer_fail(p->error, SIXER_ERR_ARGUMENT,
                    "the message is not MessagePack that is read here: %s", why);
}

/* `size` bytes, most significant first; false if there are not so many. */
static bool take(pack *p, size_t size, uint64_t *out) {
  if ((size_t)(p->end - p->at) < size) return false;
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++) value = value << 8 | *p->at++;
  *out = value;
  return true;
}

static bool take_number(pack *p, uint8_t tag, double *out) {
  uint64_t bits;
  if (tag <= 0x7F) {
    *out = tag;
    return true;
  }
  if (tag >= 0xE0) {
    *out = (int8_t)tag;
    return true;
  }
  if (tag < 0xCA || tag > 0xD3) return false;
  static const uint8_t sizes[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8};
  size_t size = sizes[tag - 0xCA];
  if (!take(p, size, &bits)) return false;
  if (tag == 0xCA) {
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, 4);
    *out = (double)value;
  } else if (tag == 0xCB) {
    memcpy(out, &bits, 8);
  } else if (tag <= 0xCF) {
    *out = (double)bits;
  } else {
    /* extend the sign */
    int shift = (64 - 8 * (int)size) & 63;
    *out = (double)((int64_t)(bits << shift) >> shift);
  }
  return isfinite(*out);
}

/* The length that follows a tag of texts, bytes or arrays; false if it is another tag. */
static bool take_length(pack *p, uint8_t tag, message_kind kind, size_t *out) {
  uint64_t size = 0;
  bool good = false;
  if (kind == MESSAGE_TEXT && (tag & 0xE0) == 0xA0) {
    size = tag & 31;
    good = true;
  } else if (kind == MESSAGE_TEXT && tag >= 0xD9 && tag <= 0xDB) {
    good = take(p, (size_t)1 << (tag - 0xD9), &size);
  } else if (kind == MESSAGE_BYTES && tag >= 0xC4 && tag <= 0xC6) {
    good = take(p, (size_t)1 << (tag - 0xC4), &size);
  } else if (kind == MESSAGE_ARRAY && (tag & 0xF0) == 0x90) {
    size = tag & 15;
    good = true;
  } else if (kind == MESSAGE_ARRAY && (tag == 0xDC || tag == 0xDD)) {
    good = take(p, tag == 0xDC ? 2 : 4, &size);
  }
  *out = (size_t)size;
  return good && size <= (uint64_t)(p->end - p->at);
}

/* A text or bytes of `size`, moved over their tag so that there is room for a zero byte behind them. */
static char *take_text(pack *p, size_t size) {
  char *text = (char *)p->at - 1;
  memmove(text, p->at, size);
  text[size] = 0;
  p->at += size;
  return text;
}

static sixer_err read_packed(pack *p, message *m) {
  uint64_t tag;
  size_t size;
  message_field *f = last_field(m);
  if (!take(p, 1, &tag)) return not_packed(p, "a value is missing");
  if (tag == 0xC0) return SIXER_OK;
  if (tag == 0xC2 || tag == 0xC3) {
    f->kind = MESSAGE_BOOL;
    f->number = tag == 0xC3;
    return SIXER_OK;
  }
  if (take_length(p, (uint8_t)tag, MESSAGE_TEXT, &size) ||
      take_length(p, (uint8_t)tag, MESSAGE_BYTES, &size)) {
    bool text = tag < 0xC0 || tag > 0xC6;
    f->kind = text ? MESSAGE_TEXT : MESSAGE_BYTES;
    f->size = size;
    f->text = take_text(p, size);
    if (text && strlen(f->text) != size) return not_packed(p, "a text has a zero byte");
    return SIXER_OK;
  }
  if (take_length(p, (uint8_t)tag, MESSAGE_ARRAY, &size)) {
    f->kind = MESSAGE_ARRAY;
    for (size_t i = 0; i < size; i++) {
      double number;
      if (!take(p, 1, &tag) || !take_number(p, (uint8_t)tag, &number))
        return not_packed(p, "an array has other values than numbers");
      sixer_err err = add_number(m, number, p->error);
      if (err) return err;
    }
    return SIXER_OK;
  }
  f->kind = MESSAGE_NUMBER;
  if (!take_number(p, (uint8_t)tag, &f->number))
    return not_packed(p, "a value is of another kind, or cut off");
  return SIXER_OK;
}

sixer_err message_read_pack(message *m, char *bytes, size_t size, sixer_error *error) {
  pack p = {(uint8_t *)bytes, (uint8_t *)bytes + size, error};
  uint64_t tag, count;
  m->count = m->used = 0;
  if (!take(&p, 1, &tag)) return not_packed(&p, "it is empty");
  count = tag & 15;
  if ((tag & 0xF0) != 0x80 && !(tag == 0xDE && take(&p, 2, &count)))
    return not_packed(&p, "it is not a map");
  for (uint64_t i = 0; i < count; i++) {
    size_t length;
    if (!take(&p, 1, &tag) || !take_length(&p, (uint8_t)tag, MESSAGE_TEXT, &length))
      return not_packed(&p, "a name is missing");
    char *key = take_text(&p, length);
    sixer_err err =
        strlen(key) == length ? add_field(m, key, error) : not_packed(&p, "a name has a zero byte");
    if (err || (err = read_packed(&p, m))) return err;
  }
  if (p.at != p.end) return not_packed(&p, "bytes follow behind the map");
  place_arrays(m);
  return SIXER_OK;
}

/* ---- Values ---------------------------------------------------------------------------------------------------- */

const message_field *message_find(const message *m, const char *key) {
  for (size_t i = 0; i < m->count; i++) {
    if (!strcmp(m->fields[i].key, key)) return &m->fields[i];
  }
  return NULL;
}

/* Null is as if the value were not there. */
static const message_field *given(const message *m, const char *key) {
  const message_field *f = message_find(m, key);
  return f && f->kind != MESSAGE_NULL ? f : NULL;
}

static bool is_listed(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; at; at = strchr(at, '|'), at = at ? at + 1 : NULL) {
    if (strcspn(at, "|") == length && !strncmp(at, word, length)) return true;
  }
  return false;
}

sixer_err message_check_keys(const message *m, const char *keys, sixer_error *error) {
  for (size_t i = 0; i < m->count; i++) {
    const char *key = m->fields[i].key;
    if (is_listed(keys, key)) continue;
    nearest close;
    nearest_begin(&close, key);
    nearest_offer_list(&close, keys);
    return sixer_fail(error, SIXER_ERR_ARGUMENT,
                      "'%.40s' is not a value of this message%s; it has: %.300s", key,
                      nearest_hint(&close), keys);
  }
  return SIXER_OK;
}

sixer_err message_get_number(const message *m, const char *key, double lowest, double highest,
                             double *out, sixer_error *error) {
  const message_field *f = given(m, key);
  if (!f) return SIXER_OK;
  if (f->kind != MESSAGE_NUMBER || !(f->number >= lowest && f->number <= highest)) {
    char low[32], high[32], found[32] = "";
    if (f->kind == MESSAGE_NUMBER) number_text(f->number, found);
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "'%s' is a number from %s to %s%s%s", key,
                      number_text(lowest, low), number_text(highest, high),
                      found[0] ? ", found " : "", found);
  }
  *out = f->number;
  return SIXER_OK;
}

sixer_err message_get_int(const message *m, const char *key, int64_t lowest, int64_t highest,
                          int64_t *out, sixer_error *error) {
  double number = 0.5;
  if (!given(m, key)) return SIXER_OK;
  sixer_err err = message_get_number(m, key, (double)lowest, (double)highest, &number, error);
  if (err) return err;
  if (number != floor(number))
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "'%s' is a whole number, found %g", key, number);
  *out = (int64_t)number;
  return SIXER_OK;
}

sixer_err message_get_flag(const message *m, const char *key, bool *out, sixer_error *error) {
  const message_field *f = given(m, key);
  if (!f) return SIXER_OK;
  if (f->kind != MESSAGE_BOOL)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "'%s' is true or false", key);
  *out = f->number != 0;
  return SIXER_OK;
}

sixer_err message_get_text(const message *m, const char *key, const char **out,
                           sixer_error *error) {
  const message_field *f = given(m, key);
  if (!f) return SIXER_OK;
  if (f->kind != MESSAGE_TEXT) return sixer_fail(error, SIXER_ERR_ARGUMENT, "'%s' is a text", key);
  *out = f->text;
  return SIXER_OK;
}

sixer_err message_get_choice(const message *m, const char *key, const char *choices, int *out,
                             sixer_error *error) {
  const char *word = NULL;
  sixer_err err = message_get_text(m, key, &word, error);
  if (err || !word) return err;
  if (!is_listed(choices, word) || strchr(word, '|')) {
    nearest close;
    nearest_begin(&close, word);
    nearest_offer_list(&close, choices);
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "'%s' is one of %s, found '%.40s'%s", key, choices,
                      word, nearest_hint(&close));
  }
  int index = 0;
  size_t length = strlen(word);
  for (const char *at = choices; strcspn(at, "|") != length || strncmp(at, word, length) != 0;
       at = strchr(at, '|') + 1)
    index++;
  *out = index;
  return SIXER_OK;
}

static int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

sixer_err message_get_bytes(message *m, const char *key, const uint8_t **bytes, size_t *size,
                            sixer_error *error) {
  const message_field *f = given(m, key);
  if (!f) return SIXER_OK;
  if (f->kind != MESSAGE_TEXT && f->kind != MESSAGE_BYTES)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "'%s' is bytes, in JSON a text in base64", key);
  *bytes = (const uint8_t *)f->text;
  *size = f->size;
  if (f->kind == MESSAGE_BYTES) return SIXER_OK;
  size_t length = f->size, used = 0;
  uint8_t *out = (uint8_t *)f->text;
  for (int i = 0; i < 2 && length && f->text[length - 1] == '='; i++) length--;
  unsigned bits = 0;
  int held = 0;
  for (size_t i = 0; i < length; i++) {
    int value = base64_value(f->text[i]);
    if (value < 0) return sixer_fail(error, SIXER_ERR_ARGUMENT, "'%s' is not base64", key);
    bits = bits << 6 | (unsigned)value;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out[used++] = (uint8_t)(bits >> held);
  }
  *size = used;
  return SIXER_OK;
}

sixer_err message_get_ints(const message *m, const char *key, int count, int64_t lowest,
                           int64_t highest, int64_t *out, sixer_error *error) {
  const message_field *f = given(m, key);
  if (!f) return SIXER_OK;
  if (f->kind != MESSAGE_ARRAY || f->size != (size_t)count)
    return sixer_fail(error, SIXER_ERR_ARGUMENT, "'%s' is an array of %d numbers", key, count);
  for (int i = 0; i < count; i++) {
    double n = f->numbers[i];
    if (!(n >= (double)lowest && n <= (double)highest) || n != floor(n))
      return sixer_fail(error, SIXER_ERR_ARGUMENT,
                        "number %d of '%s' is a whole number from %lld to %lld, found %g", i, key,
                        (long long)lowest, (long long)highest, n);
  }
  for (int i = 0; i < count; i++) out[i] = (int64_t)f->numbers[i];
  return SIXER_OK;
}
