/* Animated GIF files (GIF89a), written picture by picture. */
#ifndef SIXER_UTIL_GIF_H
#define SIXER_UTIL_GIF_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gif gif;

/* Begin a file of `width` x `height` pixels with 256 colors 0xRRGGBB, which loops forever. NULL if it cannot be made;
 * the reason is in errno. */
gif *gif_create(const char *path, int width, int height, const uint32_t colors[256]);

/* Add a picture, one byte per pixel, shown for so many hundredths of a second. Only the rectangle that differs from the
 * picture before is stored; a picture that does not differ at all makes that one last longer. */
bool gif_add(gif *g, const uint8_t *pixels, int hundredths);

/* Write the rest and put the file in its place. False, and no file, if anything could not be written. Frees `g`. */
bool gif_close(gif *g);

/* Give up: no file is left. Frees `g`; NULL is allowed. */
void gif_abandon(gif *g);

#endif
