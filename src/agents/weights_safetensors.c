/* Networks as safetensors files, the format of Hugging Face that PyTorch, JAX and others read without running code:
 *
 *     8 bytes              N, little-endian
 *     N bytes              {"conv1.bias": {"dtype": "F32", "shape": [32], "data_offsets": [0, 128]}, ...}
 *     the rest             the numbers of all tensors; offsets count from here
 *
 * The reader takes what the format allows and this network needs: every tensor once, as 32-bit floats in its shape,
 * without holes or overlaps. The file is hostile until that is checked. */
#include <stdlib.h>
#include <string.h>

#include "agents/weights_file.h"
#include "util/error.h"

enum { LENGTH = 8, HEAD_MAX = 1 << 20, WORD = 200 };

bool safetensors_is(const uint8_t *bytes, size_t size) {
  return size > LENGTH && bytes[LENGTH] == '{';
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

void safetensors_write(FILE *file, const weights *w, const float *values) {
  char head[WEIGHTS_TENSORS * 200 + 100];
  /* loaders of PyTorch models ask for the format */
  int n = snprintf(head, sizeof head, "{\"__metadata__\":{\"format\":\"pt\"}");
  for (int i = 0; i < w->count; i++) {
    const weights_tensor *t = &w->tensors[i];
    n += snprintf(head + n, sizeof head - (size_t)n, ",\"%s\":{\"dtype\":\"F32\",\"shape\":[",
                  t->name);
    for (int k = 0; k < t->dims; k++)
      n += snprintf(head + n, sizeof head - (size_t)n, "%s%d", k ? "," : "", t->shape[k]);
    n += snprintf(head + n, sizeof head - (size_t)n, "],\"data_offsets\":[%zu,%zu]}",
                  t->offset * sizeof(float), (t->offset + t->count) * sizeof(float));
  }
  n += snprintf(head + n, sizeof head - (size_t)n, "}");
  while (n % 8) head[n++] = ' '; /* so that the numbers are aligned */
  uint8_t length[LENGTH] = {(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16)};
  fwrite(length, 1, LENGTH, file);
  fwrite(head, 1, (size_t)n, file);
  fwrite(values, sizeof(float), w->floats, file);
}

/* ---- The description ------------------------------------------------------------------------------------------- */

typedef struct reader {
  const char *at, *end;
  const char *path;
  const char *wrong; /* what is wrong with the text; NULL: nothing yet */
} reader;

static bool fail(reader *r, const char *wrong) {
  if (!r->wrong) r->wrong = wrong;
  r->at = r->end;
  return false;
}

static void skip_blanks(reader *r) {
  while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at) r->at++;
}

/* Take this character, if it is the next one. */
static bool take(reader *r, char c) {
  skip_blanks(r);
  if (r->at == r->end || *r->at != c) return false;
  r->at++;
  return true;
}

static bool expect(reader *r, char c) {
  return take(r, c) || fail(r, "its description is not the JSON of a safetensors file");
}

/* A string of at most WORD - 1 bytes. Names of tensors need no escapes but \" and \\; others are refused. */
static bool get_word(reader *r, char *word) {
  size_t length = 0;
  if (!expect(r, '"')) return false;
  while (r->at < r->end && *r->at != '"') {
    if (*r->at == '\\' && ++r->at < r->end && *r->at != '"' && *r->at != '\\' && *r->at != '/')
      return fail(r, "a name in its description has an escape that is not known");
    if (r->at == r->end || (unsigned char)*r->at < 32)
      return fail(r, "a name in its description does not end");
    if (length == WORD - 1) return fail(r, "a name in its description is too long");
    word[length++] = *r->at++;
  }
  word[length] = 0;
  return expect(r, '"');
}

/* Whole numbers in brackets, at most `room` of them. Returns how many, -1 if the text is wrong. */
static int get_numbers(reader *r, uint64_t *numbers, int room) {
  int count = 0;
  if (!expect(r, '[')) return -1;
  if (take(r, ']')) return 0;
  do {
    uint64_t value = 0;
    skip_blanks(r);
    const char *first = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9' && r->at - first < 16)
      value = 10 * value + (uint64_t)(*r->at++ - '0');
    if (r->at == first || count == room) {
      fail(r, "its description has other than a few whole numbers in brackets");
      return -1;
    }
    numbers[count++] = value;
  } while (take(r, ','));
  return expect(r, ']') ? count : -1;
}

/* {"format": "pt", ...}, which says nothing about tensors. */
static void skip_metadata(reader *r) {
  char word[WORD];
  if (!expect(r, '{') || take(r, '}')) return;
  do {
    if (!get_word(r, word) || !expect(r, ':') || !get_word(r, word)) return;
  } while (take(r, ','));
  expect(r, '}');
}

typedef struct entry {
  char type[WORD];
  uint64_t shape[4], offsets[2];
  int dims;
} entry;

/* {"dtype": "F32", "shape": [32], "data_offsets": [0, 128]}, in any order. */
static bool get_entry(reader *r, entry *e) {
  enum { TYPE = 1, SHAPE = 2, OFFSETS = 4 };
  int seen = 0;
  if (!expect(r, '{')) return false;
  do {
    char word[WORD];
    int kind = 0;
    if (!get_word(r, word) || !expect(r, ':')) return false;
    if (!strcmp(word, "dtype") && get_word(r, e->type)) kind = TYPE;
    if (!strcmp(word, "shape") && (e->dims = get_numbers(r, e->shape, 4)) >= 0) kind = SHAPE;
    if (!strcmp(word, "data_offsets") && get_numbers(r, e->offsets, 2) == 2) kind = OFFSETS;
    if (!kind || seen & kind)
      return fail(r, "a tensor of its description has not exactly dtype, shape and data_offsets");
    seen |= kind;
  } while (take(r, ','));
  if (seen != (TYPE | SHAPE | OFFSETS))
    return fail(r, "a tensor of its description has not exactly dtype, shape and data_offsets");
  return expect(r, '}');
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

static sixer_err check_entry(const entry *e, const weights_tensor *t, size_t data, const char *path,
                             sixer_error *error) {
  if (strcmp(e->type, "F32") != 0)
    return sixer_fail(error, SIXER_ERR_STATE,
                      "%.200s: %s has the type %.20s; store it as 32-bit floats (F32)", path,
                      t->name, e->type);
  bool same = e->dims == t->dims;
  for (int i = 0; i < t->dims && same; i++) same = e->shape[i] == (uint64_t)t->shape[i];
  if (!same) {
    char ours[80], theirs[100] = "(";
    weights_print_shape(t, ours, sizeof ours);
    for (int i = 0; i < e->dims; i++) {
      size_t used = strlen(theirs);
      snprintf(theirs + used, sizeof theirs - used, "%s%llu", i ? ", " : "",
               (unsigned long long)e->shape[i]);
    }
    return sixer_fail(error, SIXER_ERR_STATE, "%.200s: %s has the shape %s), expected %s", path,
                      t->name, theirs, ours);
  }
  if (e->offsets[0] > data || e->offsets[1] > data || e->offsets[0] > e->offsets[1] ||
      e->offsets[1] - e->offsets[0] != t->count * sizeof(float))
    return sixer_fail(error, SIXER_ERR_STATE,
                      "%.200s: %s lies at bytes %llu to %llu, which does not fit its shape or the "
                      "%zu bytes of numbers",
                      path, t->name, (unsigned long long)e->offsets[0],
                      (unsigned long long)e->offsets[1], data);
  return SIXER_OK;
}

/* Tensors lie side by side: their sizes add up to that of the data, so two that overlap are all that can be wrong. */
static sixer_err check_places(const uint64_t (*places)[2], const weights *w, size_t data,
                              const char *path, sixer_error *error) {
  uint64_t sum = 0;
  for (int i = 0; i < w->count; i++) {
    sum += places[i][1] - places[i][0];
    for (int k = 0; k < i; k++) {
      if (places[i][0] < places[k][1] && places[k][0] < places[i][1])
        return sixer_fail(error, SIXER_ERR_STATE, "%.200s: %s and %s overlap", path,
                          w->tensors[k].name, w->tensors[i].name);
    }
  }
  if (sum == data) return SIXER_OK;
  return sixer_fail(error, SIXER_ERR_STATE,
                    "%.200s has %zu bytes of numbers; its tensors take %llu of them", path, data,
                    (unsigned long long)sum);
}

sixer_err safetensors_read(const uint8_t *bytes, size_t size, const weights *w, bool *found,
                           float *values, const char *path, sixer_error *error) {
  uint64_t length = 0;
  for (int i = 0; i < LENGTH; i++) length |= (uint64_t)bytes[i] << 8 * i;
  if (length > HEAD_MAX || length > size - LENGTH)
    return sixer_fail(error, SIXER_ERR_STATE,
                      "%.200s is no safetensors file, or cut off: its description would have %llu "
                      "bytes",
                      path, (unsigned long long)length);
  const uint8_t *data = bytes + LENGTH + length;
  const size_t data_size = size - LENGTH - (size_t)length;
  uint64_t places[WEIGHTS_TENSORS][2] = {{0}};
  reader r = {.at = (const char *)bytes + LENGTH, .end = (const char *)data, .path = path};
  bool more = expect(&r, '{') && !take(&r, '}');
  while (more) {
    char name[WORD];
    if (!get_word(&r, name) || !expect(&r, ':')) break;
    if (!strcmp(name, "__metadata__")) {
      skip_metadata(&r);
    } else {
      entry e = {.dims = 0};
      if (!get_entry(&r, &e)) break;
      const weights_tensor *t = weights_find(w, name, strlen(name), found, path, error);
      if (!t) return SIXER_ERR_STATE;
      sixer_err err = check_entry(&e, t, data_size, path, error);
      if (err) return err;
      memcpy(values + t->offset, data + e.offsets[0], t->count * sizeof(float));
      memcpy(places[t - w->tensors], e.offsets, sizeof e.offsets);
    }
    more = take(&r, ',');
    if (!more) expect(&r, '}');
  }
  skip_blanks(&r);
  if (!r.wrong && r.at < r.end) r.wrong = "something follows its description";
  if (r.wrong) return sixer_fail(error, SIXER_ERR_STATE, "%.200s: %s", path, r.wrong);
  for (int i = 0; i < w->count; i++) {
    if (!found[i]) return SIXER_OK; /* the caller says which */
  }
  return check_places((const uint64_t(*)[2])places, w, data_size, path, error);
}
