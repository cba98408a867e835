/* A tiny font, 3 x 5 pixels in cells of 4 x 6, for text over pictures. */
#ifndef SIXER_CLI_FONT_H
#define SIXER_CLI_FONT_H

#include <stdint.h>

enum { FONT_WIDTH = 4, FONT_HEIGHT = 6 };

/* Draw text into 32-bit pixels; what does not fit is left out. Returns the x after it. */
int font_draw(uint32_t *pixels, int width, int height, int x, int y, const char *text,
              uint32_t color);

#endif
