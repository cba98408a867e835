/* Memory that is freed all at once. Functions of this folder allocate what they need from an arena and free it in one
 * place, whatever went wrong. */
#ifndef SIXER_EVAL_ARENA_H
#define SIXER_EVAL_ARENA_H

#include <stddef.h>

#include "util/error.h"

typedef struct eval_arena {
  struct eval_block *blocks; /* NULL at first */
} eval_arena;

/* Zeroed memory; NULL if there is not enough. */
void *eval_alloc(eval_arena *arena, size_t size);
char *eval_copy(eval_arena *arena, const char *text, size_t length); /* with a zero byte */
char *eval_format(eval_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void eval_free(eval_arena *arena);

/* Fail with "out of memory". */
sixer_err eval_no_memory(sixer_error *error);

#endif
