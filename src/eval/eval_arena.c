/* Memory that is freed all at once: see eval_arena.h. */
#include "eval/eval_arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sixer_err eval_no_memory(sixer_error *error) {
  return sixer_fail(error, SIXER_ERR_MEMORY, "out of memory");
}

struct eval_block {
  struct eval_block *next;
  max_align_t bytes[];
};

void *eval_alloc(eval_arena *arena, size_t size) {
  struct eval_block *block = calloc(1, sizeof *block + (size ? size : 1));
  if (!block) return NULL;
  block->next = arena->blocks;
  arena->blocks = block;
  return block->bytes;
}

char *eval_copy(eval_arena *arena, const char *text, size_t length) {
  char *copy = eval_alloc(arena, length + 1);
  if (copy) memcpy(copy, text, length);
  return copy;
}

char *eval_format(eval_arena *arena, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = length < 0 ? NULL : eval_alloc(arena, (size_t)length + 1);
  if (!text) return NULL;
  va_start(args, format);
  vsnprintf(text, (size_t)length + 1, format, args);
  va_end(args);
  return text;
}

void eval_free(eval_arena *arena) {
  for (struct eval_block *next, *block = arena->blocks; block; block = next) {
    next = block->next;
    free(block);
  }
  arena->blocks = NULL;
}
