/* Files of the source tree that are compiled into the library (cmake/embed_files.cmake). A table
 * ends with a NULL name. */
#ifndef SIXER_UTIL_EMBEDDED_H
#define SIXER_UTIL_EMBEDDED_H

#include <stddef.h>

typedef struct embedded_file {
  const char *name; /* path in the source tree, such as "protocols/saber.toml" */
  const char *text; /* its bytes, followed by a zero byte */
  size_t size;      /* without that zero */
} embedded_file;

extern const embedded_file embedded_eval[]; /* protocols/ and data/published/ */
extern const embedded_file embedded_lab[];  /* src/lab/migrations/: the schema of the run store */
extern const embedded_file embedded_roms[]; /* the images in roms/: our own games */

#endif
