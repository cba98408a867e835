/* Networks as NumPy files (.npz): a zip archive of one .npy file per tensor, stored without compression. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "agents/weights_file.h"
#include "util/error.h"
#include "util/zip.h"

enum { HEAD = 128 };

/* ---- Writing --------------------------------------------------------------------------------------------------- */

static void put16(uint8_t *at, unsigned value) {
  at[0] = (uint8_t)value;
  at[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *at, uint32_t value) {
  put16(at, value & 0xFFFF);
  put16(at + 2, value >> 16);
}

/* The fields that a member's own header and its entry of the directory share, 26 bytes from "version needed" on. */
static void put_member(uint8_t *at, uint32_t crc, size_t size, size_t name) {
  memset(at, 0, 26);
  put16(at, 20);         /* version 2.0 */
  put16(at + 8, 0x0021); /* 1 January 1980: equal networks are equal files */
  put32(at + 10, crc);
  put32(at + 14, (uint32_t)size);
  put32(at + 18, (uint32_t)size);
  put16(at + 22, (unsigned)name);
}

/* The head of a .npy file, as in cli/export.c. */
static void make_head(const weights_tensor *t, uint8_t head[HEAD]) {
  char text[HEAD], shape[60];
  int n = 0;
  for (int i = 0; i < t->dims; i++)
    n += snprintf(shape + n, sizeof shape - (size_t)n, "%d,%s", t->shape[i],
                  i + 1 < t->dims ? " " : "");
  memset(head, ' ', HEAD);
  memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10);
  n = snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }",
               shape);
  memcpy(head + 10, text, (size_t)n);
  head[HEAD - 1] = '\n';
}

void npz_write(FILE *file, const weights *w, const float *values) {
  uint8_t head[HEAD], bytes[46];
  uint32_t offsets[WEIGHTS_TENSORS], sums[WEIGHTS_TENSORS], at = 0;
  size_t directory = 0;
  const int count = w->count;
  for (int i = 0; i < count; i++) {
    const weights_tensor *t = &w->tensors[i];
    char name[60];
    size_t length = (size_t)snprintf(name, sizeof name, "%s.npy", t->name);
    size_t data = t->count * sizeof(float);
    make_head(t, head);
    sums[i] = (uint32_t)crc32_z(crc32_z(0, head, HEAD), (const Bytef *)(values + t->offset), data);
    offsets[i] = at;
    memcpy(bytes, "PK\x03\x04", 4);
    put_member(bytes + 4, sums[i], HEAD + data, length);
    fwrite(bytes, 1, 30, file);
    fwrite(name, 1, length, file);
    fwrite(head, 1, HEAD, file);
    fwrite(values + t->offset, 1, data, file);
    at += (uint32_t)(30 + length + HEAD + data);
  }
  for (int i = 0; i < count; i++) {
    const weights_tensor *t = &w->tensors[i];
    char name[60];
    size_t length = (size_t)snprintf(name, sizeof name, "%s.npy", t->name);
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, "PK\x01\x02\x14\x00", 6);
    put_member(bytes + 6, sums[i], HEAD + t->count * sizeof(float), length);
    put32(bytes + 42, offsets[i]);
    fwrite(bytes, 1, 46, file);
    fwrite(name, 1, length, file);
    directory += 46 + length;
  }
  memset(bytes, 0, 22);
  memcpy(bytes, "PK\x05\x06", 4);
  put16(bytes + 8, (unsigned)count);
  put16(bytes + 10, (unsigned)count);
  put32(bytes + 12, (uint32_t)directory);
  put32(bytes + 16, at);
  fwrite(bytes, 1, 22, file);
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

/* The values of a .npy file: where they begin, or NULL with `what` saying what was found. */
static const uint8_t *npy_values(const uint8_t *bytes, size_t size, const weights_tensor *t,
                                 char *what, size_t room) {
  snprintf(what, room, "is no .npy file");
  if (size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) return NULL;
  bool wide = bytes[6] >= 2;
  size_t start = wide ? 12 : 10;
  size_t length = bytes[8] | (size_t)bytes[9] << 8;
  if (wide) length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
  if (length > size - start || length > 4000) return NULL;
  char head[4001];
  memcpy(head, bytes + start, length);
  head[length] = 0;
  snprintf(what, room, "does not hold 32-bit floats in C order (store it with dtype '<f4')");
  if (!strstr(head, "'<f4'") || !strstr(head, "'fortran_order': False")) return NULL;
  const char *shape = strstr(head, "'shape': (");
  snprintf(what, room, "has a damaged head");
  if (!shape) return NULL;
  char *at = (char *)shape + strlen("'shape': (");
  char expected[80];
  weights_print_shape(t, expected, sizeof expected);
  snprintf(what, room, "has the shape (%.*s), expected %s", (int)strcspn(at, ")"), at, expected);
  for (int i = 0; i < t->dims; i++) {
    if (strtol(at, &at, 10) != t->shape[i]) return NULL;
    while (*at == ' ' || *at == ',') at++;
  }
  if (*at != ')' || size - start - length != t->count * sizeof(float)) return NULL;
  return bytes + start + length;
}

/* Take one member of the archive. */
static sixer_err take_member(const uint8_t *archive, size_t size, const zip_member *m,
                             const weights *w, bool *found, float *values, const char *path,
                             sixer_error *error) {
  size_t length = strlen(m->name);
  if (length > 4 && !strcmp(m->name + length - 4, ".npy")) length -= 4;
  const weights_tensor *t = weights_find(w, m->name, length, found, path, error);
  if (!t) return SIXER_ERR_STATE;
  if (m->size > t->count * sizeof(float) + 4100)
    return sixer_fail(error, SIXER_ERR_STATE, "%.200s: %s has %zu bytes, too many", path, t->name,
                      m->size);
  uint8_t *bytes = malloc(m->size + 1);
  if (!bytes) return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory for a network");
  char what[300];
  const char *bad = zip_read(archive, size, m, bytes);
  const uint8_t *from = bad ? NULL : npy_values(bytes, m->size, t, what, sizeof what);
  sixer_err err = SIXER_OK;
  if (!from)
    err = sixer_fail(error, SIXER_ERR_STATE, "%.200s: %s %s", path, t->name, bad ? bad : what);
  else
    memcpy(values + t->offset, from, t->count * sizeof(float));
  free(bytes);
  return err;
}

sixer_err npz_read(const uint8_t *bytes, size_t size, const weights *w, bool *found, float *values,
                   const char *path, sixer_error *error) {
  size_t position = 0;
  zip_member member;
  const char *bad = NULL;
  sixer_err err = SIXER_OK;
  while (!err && zip_next(bytes, size, &position, &member, &bad))
    err = take_member(bytes, size, &member, w, found, values, path, error);
  if (!err && bad) err = sixer_fail(error, SIXER_ERR_STATE, "%.200s: %s", path, bad);
  return err;
}
