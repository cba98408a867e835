/* Data from Python pickles, without Python. A pickle is a program for a small stack machine, and Python's loader calls
 * any function that the program names. This reader knows the instructions that numbers, texts, lists, tuples and dicts
 * need, and two functions, those that make a NumPy scalar; everything else is refused by name. Protocols 2 to 5.
 *
 * Source: the comments of CPython's Lib/pickletools.py. The file is not trusted: memory is bounded by its size, and
 * nothing here recurses. */
#ifndef SIXER_EVAL_LOG_PICKLE_H
#define SIXER_EVAL_LOG_PICKLE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"

typedef enum pickle_kind {
  PICKLE_NONE,
  PICKLE_NUMBER, /* an int, a float, a bool or a NumPy scalar */
  PICKLE_TEXT,   /* a str or bytes */
  PICKLE_LIST,
  PICKLE_TUPLE,
  PICKLE_DICT,       /* keys and values in turn */
  PICKLE_MAKE_DTYPE, /* the functions numpy.dtype ... */
  PICKLE_MAKE_SCALAR,
  PICKLE_DTYPE, /* a dtype: `text` is its code, such as f8 */
} pickle_kind;

/* A value may stand in several lists, even in itself: do not follow values to any depth. */
typedef struct pickle_value {
  pickle_kind kind;
  bool swapped; /* a dtype whose bytes are big-endian */
  union {
    double number; /* of an int beyond 2^53 the nearest */
    struct {
      const char *text; /* with a zero byte after it */
      size_t size;
    };
    struct {
      struct pickle_value **items;
      size_t count, room;
    };
  };
} pickle_value;

bool pickle_recognize(const char *data, size_t size);

/* The value that a pickle makes. Errors name the file and the byte. */
sixer_err pickle_parse(memory_arena *arena, const char *data, size_t size, const char *origin,
                       const pickle_value **value, sixer_error *error);

/* What a dict has under a text; NULL if it has nothing there or is no dict. */
const pickle_value *pickle_get(const pickle_value *dict, const char *key);

#endif
