/* PNG files. */
#ifndef SIXER_UTIL_PNG_H
#define SIXER_UTIL_PNG_H

#include <stdbool.h>
#include <stdint.h>

/* Write 8-bit RGB pixels. The file appears whole or not at all. */
bool png_write(const char *path, const uint8_t *rgb, int width, int height);

#endif
