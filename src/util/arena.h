/* Memory that is freed all at once. A function allocates what it needs from an arena and frees it in one place,
 * whatever went wrong. */
#ifndef SIXER_UTIL_ARENA_H
#define SIXER_UTIL_ARENA_H

#include <stddef.h>

#include "util/error.h"
#include "util/os.h"

typedef struct memory_arena {
  struct arena_block *blocks; /* NULL at first */
} memory_arena;

/* Zeroed memory; NULL if there is not enough. */
void *arena_alloc(memory_arena *arena, size_t size);
char *arena_copy(memory_arena *arena, const char *text, size_t length); /* with a zero byte */
char *arena_format(memory_arena *arena, const char *format, ...) OS_PRINTF(2, 3);
void arena_free(memory_arena *arena);

/* Read a whole file; the text ends with a zero byte. Gzip-compressed files are decompressed. Errors name the file. */
sixer_err arena_read_file(memory_arena *arena, const char *path, char **text, size_t *size,
                          sixer_error *error);

/* Fail with "out of memory". */
#define arena_no_memory(error) sixer_fail(error, SIXER_ERR_MEMORY, "out of memory")

#endif
