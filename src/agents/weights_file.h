/* The network of a model as a file of weights: shared by train_weights.c and the formats, weights_npz.c and
 * weights_safetensors.c. */
#ifndef SIXER_AGENTS_WEIGHTS_FILE_H
#define SIXER_AGENTS_WEIGHTS_FILE_H

#include <stdio.h>

#include "sixer/sixer.h"

enum { WEIGHTS_TENSORS = 64, WEIGHTS_NAME = 48 };

typedef struct weights_tensor {
  char name[WEIGHTS_NAME];
  int dims, shape[4];
  size_t count, offset; /* in floats */
} weights_tensor;

typedef struct weights {
  int count;
  weights_tensor tensors[WEIGHTS_TENSORS];
  size_t floats;
} weights;

/* The tensor of a file's array, which must be named and must not have been found before. NULL with an error. */
const weights_tensor *weights_find(const weights *w, const char *name, size_t length, bool *found,
                                   const char *path, sixer_error *error);

/* "(32, 4, 8, 8)" */
void weights_print_shape(const weights_tensor *t, char *text, size_t size);

/* NumPy archives. */
void npz_write(FILE *file, const weights *w, const float *values);
sixer_err npz_read(const uint8_t *bytes, size_t size, const weights *w, bool *found, float *values,
                   const char *path, sixer_error *error);

/* Safetensors: a length, a description in JSON, the numbers. */
bool safetensors_is(const uint8_t *bytes, size_t size);
void safetensors_write(FILE *file, const weights *w, const float *values);
sixer_err safetensors_read(const uint8_t *bytes, size_t size, const weights *w, bool *found,
                           float *values, const char *path, sixer_error *error);

#endif
