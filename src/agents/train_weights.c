/* The networks of models as files of weights, NumPy archives (.npz) or safetensors, and back. Names and shapes are
 * those of the section agent.tensors, values those of agent.online. See train.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/train_parts.h"
#include "agents/weights_file.h"
#include "util/error.h"
#include "util/little.h"
#include "util/replace.h"
#include "util/zip.h"
#include "util/os.h"

enum { TEXT = 8192, PIECE = 1 << 16 };
enum { FLOATS_MAX = 1 << 29 }; /* 2 GiB: offsets in an archive have 32 bits */

/* ---- The tensors of a model ------------------------------------------------------------------------------------ */

static sixer_err damaged(const char *path, sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_STATE, "%.200s: the description of its network is damaged",
                    path);
}

/* Names become names of files in an archive, and parts of messages. */
static bool good_name(const char *name, size_t length) {
  return length > 0 && length < sizeof((weights_tensor *)0)->name &&
         strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._") >= length && name[0] != '.';
}

/* Lines of a name and its shape, "conv1.weight 32 4 8 8". */
static bool parse_tensors(char *text, weights *n) {
  *n = (weights){0};
  char *rest = NULL;
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    if (n->count == WEIGHTS_TENSORS) return false;
    weights_tensor *t = &n->tensors[n->count++];
    size_t length = strcspn(line, " ");
    if (!good_name(line, length)) return false;
    memcpy(t->name, line, length);
    t->count = 1;
    for (char *at = line + length; *at == ' ';) {
      long size = strtol(at + 1, &at, 10);
      if (size < 1 || size > 1 << 24 || t->dims == 4 || t->count > (size_t)1 << 30) return false;
      t->shape[t->dims++] = (int)size;
      t->count *= (size_t)size;
    }
    if (t->dims == 0) return false;
    t->offset = n->floats;
    n->floats += t->count;
  }
  return n->count > 0 && n->floats <= FLOATS_MAX;
}

static sixer_err read_network(sections_reader *r, const char *path, weights *n,
                              sixer_error *error) {
  char *text = calloc(1, TEXT);
  if (!text) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a network");
  sixer_err err = SIXER_OK;
  if (!sections_find(r, "agent.tensors")) {
    err = sixer_fail(error, SIXER_ERR_STATE,
                     "%.200s has no network: its agent is another kind, or was never used", path);
  } else {
    sections_get_text(r, text, TEXT);
    if (sections_failed(r) || !parse_tensors(text, n) || !sections_find(r, "agent.online") ||
        sections_left(r) != n->floats * sizeof(float))
      err = damaged(path, error);
  }
  free(text);
  return err;
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
  size_t a = strlen(text), b = strlen(end);
  return a > b && !strcmp(text + a - b, end);
}

sixer_err model_export(sections_reader *r, const char *model, const char *path,
                       sixer_error *error) {
  weights n;
  sixer_err err = read_network(r, model, &n, error);
  if (err) return err;
  float *values = malloc(n.floats * sizeof *values);
  if (!values) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a network");
  sections_get(r, values, n.floats * sizeof *values); /* little-endian in all three forms */
  replacement *file = replace_open(path);
  if (file && ends_with(path, ".safetensors"))
    safetensors_write(file->file, &n, values);
  else if (file)
    npz_write(file->file, &n, values);
  free(values);
  if (!file || !replace_commit(file))
    return sixer_fail(error, SIXER_ERR_FILE, "%.300s: cannot be written: %s", path,
                      strerror(errno));
  return SIXER_OK;
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

static uint8_t *read_file(const char *path, size_t most, size_t *size, sixer_error *error) {
  FILE *file = os_fopen(path, "rb");
  uint8_t *bytes = file ? malloc(most + 1) : NULL;
  if (bytes) *size = fread(bytes, 1, most + 1, file);
  if (!file)
    sixer_fail(error, SIXER_ERR_FILE, "%.300s: %s", path, strerror(errno));
  else if (!bytes)
    sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for %.300s", path);
  else if (*size > most) {
    sixer_fail(error, SIXER_ERR_FILE, "%.300s is too large to be the weights of this network",
               path);
    free(bytes);
    bytes = NULL;
  }
  if (file) fclose(file);
  return bytes;
}

const weights_tensor *weights_find(const weights *w, const char *name, size_t length, bool *found,
                                   const char *path, sixer_error *error) {
  int i = 0;
  while (i < w->count &&
         (strlen(w->tensors[i].name) != length || memcmp(w->tensors[i].name, name, length) != 0))
    i++;
  if (i == w->count) {
    sixer_fail(error, SIXER_ERR_STATE,
               "%.200s has an array %.60s, which this network does not have", path, name);
    return NULL;
  }
  if (found[i]) {
    sixer_fail(error, SIXER_ERR_STATE, "%.200s has the array %s twice", path, w->tensors[i].name);
    return NULL;
  }
  found[i] = true;
  return &w->tensors[i];
}

void weights_print_shape(const weights_tensor *t, char *text, size_t size) {
  int n = snprintf(text, size, "(");
  for (int i = 0; i < t->dims; i++)
    n += snprintf(text + n, size - (size_t)n, "%s%d", i ? ", " : "", t->shape[i]);
  snprintf(text + n, size - (size_t)n, ")");
}

/* All tensors must be there, with finite numbers. */
static sixer_err check_values(const weights *w, const bool *found, const float *values,
                              const char *path, sixer_error *error) {
  for (int i = 0; i < w->count; i++) {
    const weights_tensor *t = &w->tensors[i];
    if (!found[i])
      return sixer_fail(error, SIXER_ERR_STATE, "%.200s has no array %s", path, t->name);
    for (size_t k = 0; k < t->count; k++) {
      if (!isfinite(values[t->offset + k]))
        return sixer_fail(error, SIXER_ERR_STATE, "%.200s: number %zu of %s is not finite", path, k,
                          t->name);
    }
  }
  return SIXER_OK;
}

static sixer_err read_weights(const char *path, const weights *w, float *values,
                              sixer_error *error) {
  size_t size;
  /* room for heads, and for a compressed file that does not shrink */
  uint8_t *bytes = read_file(
      path, 2 * w->floats * sizeof(float) + (1 << 20) + WEIGHTS_TENSORS * 8192, &size, error);
  if (!bytes) return error ? error->code : SIXER_ERR_FILE;
  bool found[WEIGHTS_TENSORS] = {false};
  sixer_err err;
  if (zip_is(bytes, size))
    err = npz_read(bytes, size, w, found, values, path, error);
  else if (safetensors_is(bytes, size))
    err = safetensors_read(bytes, size, w, found, values, path, error);
  else
    err =
        sixer_fail(error, SIXER_ERR_STATE, "%.200s is neither a .npz nor a safetensors file", path);
  little_numbers(values, w->floats, sizeof *values); /* both forms are little-endian */
  if (!err) err = check_values(w, found, values, path, error);
  free(bytes);
  return err;
}

/* Copy a section piece by piece. */
static bool copy_section(sections_reader *r, sections_writer *w, const char *name) {
  uint8_t *piece = malloc(PIECE);
  bool good = piece && sections_find(r, name);
  sections_begin(w, name);
  while (good && sections_left(r)) {
    size_t part = sections_left(r) < PIECE ? (size_t)sections_left(r) : PIECE;
    sections_get(r, piece, part);
    sections_put(w, piece, part);
    good = !sections_failed(r);
  }
  free(piece);
  return good;
}

sixer_err model_import(sections_reader *r, const char *model, const char *file, const char *path,
                       sixer_error *error) {
  weights n;
  sixer_err err = read_network(r, model, &n, error);
  if (err) return err;
  float *values = calloc(n.floats, sizeof *values);
  if (!values) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a network");
  err = read_weights(file, &n, values, error);
  sections_writer *w = err ? NULL : sections_create(path);
  if (!err && !w) err = sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a checkpoint");
  const char *name;
  for (size_t i = 0; !err && (name = sections_name_at(r, i, NULL)); i++) {
    if (!strcmp(name, "agent.online") || !strcmp(name, "agent.target")) {
      sections_begin(w, name);
      sections_put_array(w, values, n.floats);
    } else if (!copy_section(r, w, name)) {
      err = sixer_fail(error, SIXER_ERR_STATE, "%.200s cannot be copied", model);
    }
  }
  free(values);
  if (err) {
    sections_abandon(w);
    return err;
  }
  sections_message message;
  return sections_close(w, message) ? SIXER_OK : sixer_fail(error, SIXER_ERR_FILE, "%s", message);
}
