/* Memory that is freed all at once: see arena.h. */
#include "util/arena.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "util/gz_file.h"

struct arena_block {
  struct arena_block *next;
  max_align_t bytes[];
};

void *arena_alloc(memory_arena *arena, size_t size) {
  struct arena_block *block = calloc(1, sizeof *block + (size ? size : 1));
  if (!block) return NULL;
  block->next = arena->blocks;
  arena->blocks = block;
  return block->bytes;
}

char *arena_copy(memory_arena *arena, const char *text, size_t length) {
  char *copy = arena_alloc(arena, length + 1);
  if (copy) memcpy(copy, text, length);
  return copy;
}

char *arena_format(memory_arena *arena, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = length < 0 ? NULL : arena_alloc(arena, (size_t)length + 1);
  if (!text) return NULL;
  va_start(args, format);
  vsnprintf(text, (size_t)length + 1, format, args);
  va_end(args);
  return text;
}

void arena_free(memory_arena *arena) {
  for (struct arena_block *next, *block = arena->blocks; block; block = next) {
    next = block->next;
    free(block);
  }
  arena->blocks = NULL;
}

sixer_err arena_read_file(memory_arena *arena, const char *path, char **text, size_t *size,
                          sixer_error *error) {
  enum { LIMIT = 1 << 30 };
  gzFile file = gz_file_open(path); /* plain files are read as they are */
  if (!file) return sixer_fail(error, SIXER_ERR_FILE, "%s: %s", path, strerror(errno));
  char *buffer = NULL;
  size_t used = 0, room = 0;
  sixer_err err = SIXER_OK;
  for (;;) {
    if (used == room) {
      room = room ? 2 * room : 1 << 16;
      char *larger = room <= LIMIT ? realloc(buffer, room) : NULL;
      if (!larger) {
        err = room <= LIMIT ? arena_no_memory(error)
                            : sixer_fail(error, SIXER_ERR_FILE, "%s: larger than 1 GB", path);
        break;
      }
      buffer = larger;
    }
    errno = 0;
    int got = gzread(file, buffer + used, (unsigned)(room - used));
    if (got <= 0) {
      int code = Z_OK;
      gzerror(file, &code);
      if (code == Z_ERRNO)
        err = sixer_fail(error, SIXER_ERR_FILE, "%s: %s", path, strerror(errno));
      else if (code != Z_OK && code != Z_STREAM_END)
        err = sixer_fail(error, SIXER_ERR_FILE,
                         "%s: the gzip-compressed data %s; copy the file again, or make it again",
                         path, code == Z_BUF_ERROR ? "break off" : "are damaged");
      break;
    }
    used += (size_t)got;
  }
  gzclose(file);
  if (!err && !(*text = arena_copy(arena, buffer ? buffer : "", used)))
    err = arena_no_memory(error);
  if (!err) *size = used;
  free(buffer);
  return err;
}
