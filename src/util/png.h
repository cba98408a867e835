/* PNG files. */
#ifndef SIXER_UTIL_PNG_H
#define SIXER_UTIL_PNG_H

#include <stdbool.h>
#include <stdint.h>

/* Write 8-bit RGB pixels, row by row from the top. The file is replaced whole or not at all; the reason of a failure is
 * in errno. */
bool png_write(const char *path, const uint8_t *rgb, int width, int height);

#endif
